//! Lessons: every one that ships works, its checks turn with the worked answer, faults of files are named, the same lesson gives the same
//! bytes.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::model::ModelShape;
use rigbay::checks::finding::Verdict;
use rigbay::drawing::Layer;
use rigbay::export::worksheet::{number, worksheet};
use rigbay::import::model_list;
use rigbay::lesson::change::{Change, Parts, applied};
use rigbay::lesson::progress::{Progress, Sheet, StepProgress, csv};
use rigbay::lesson::walk::{Course, Solution, Solutions, World, course, explain, verify, verify_course};
use rigbay::lesson::{Lesson, progress, read, record, shipped};
use rigbay::project::Project;
use rigbay::project::edit::Edit;
use rigbay::report::snapshot::rig_text;

type Data = (Arc<Catalog>, Vec<Arc<ModelShape>>);

static DATA: LazyLock<Data> = LazyLock::new(|| {
    let (catalog, faults) = load(&embedded_files(""));
    assert!(faults.is_empty(), "{faults:?}");
    let models = embedded_files("models").iter().flat_map(|(name, text)| model_list::builtin(text, name).unwrap()).map(Arc::new).collect();
    (Arc::new(catalog), models)
});

static LAYERS: LazyLock<Vec<&str>> = LazyLock::new(|| Layer::ALL.iter().map(|l| l.text()).collect());

fn world() -> World<'static> {
    World { catalog: &DATA.0, models: &DATA.1, layers: &LAYERS }
}

fn lessons() -> Vec<Lesson> {
    shipped().iter().map(|(file, text)| read(text, file).unwrap()).collect()
}

fn lesson(id: &str) -> Lesson {
    lessons().into_iter().find(|l| l.id.contains(id)).unwrap()
}

/// A shipped lesson, worked through and solved.
struct Worked {
    lesson: Lesson,
    course: Course,
    faults: Vec<String>,
    solutions: Vec<[Arc<Solution>; 2]>,
}

/// All of them, solved once for all tests.
static WORKED: LazyLock<Vec<Worked>> = LazyLock::new(|| {
    std::thread::scope(|scope| {
        let workers: Vec<_> = lessons().into_iter().map(|lesson| scope.spawn(move || worked(lesson))).collect();
        workers.into_iter().map(|w| w.join().unwrap()).collect()
    })
});

fn worked(lesson: Lesson) -> Worked {
    let course = course(world(), &lesson).unwrap_or_else(|fault| panic!("{fault}"));
    let mut solutions = Solutions::default();
    let faults = verify_course(world(), &lesson, &course, &mut solutions).iter().map(ToString::to_string).collect();
    let solved = course.stages.iter().map(|s| [&s.shown, &s.after].map(|p| solutions.of(&course.catalog, p))).collect();
    Worked { lesson, course, faults, solutions: solved }
}

#[test]
fn every_shipped_lesson_works() {
    let faults: Vec<&String> = WORKED.iter().flat_map(|w| &w.faults).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(WORKED.len() >= 12);
    for worked in WORKED.iter() {
        assert!(worked.lesson.steps.iter().any(|s| s.check.is_some()), "{} asks for nothing", worked.lesson.id);
        assert!((5..=15).contains(&worked.lesson.minutes), "{}", worked.lesson.id);
    }
}

#[test]
fn each_check_fails_before_the_answer_and_passes_after_it() {
    let mut checks = 0;
    for Worked { lesson, solutions, .. } in WORKED.iter() {
        for (step, [before, after]) in lesson.steps.iter().zip(solutions) {
            let Some(check) = &step.check else { continue };
            checks += 1;
            let attempt = check.judge(before.solved());
            assert_ne!(attempt.verdict, Verdict::Pass, "{}: {}", lesson.id, step.title);
            let why = explain(check, &before.report, before.solved());
            assert!(!why.is_empty() && why.iter().all(|w| w.ends_with(['.', '?'])), "{}: {why:?}", step.title);
            assert_eq!(check.judge(after.solved()).verdict, Verdict::Pass, "{}: {}", lesson.id, step.title);
        }
    }
    assert!(checks >= 12, "{checks}");
}

#[test]
fn together_they_teach_the_whole_guide() {
    let taught: BTreeSet<String> = lessons().into_iter().flat_map(|l| l.guide).collect();
    let asked: BTreeSet<String> = (1..=24).map(|n| format!("G{n}")).collect();
    assert_eq!(taught, asked);
}

/// What checks and predictions of each step read, to six digits: equal on every platform.
#[test]
fn reports_of_every_step_are_as_recorded() {
    let mut text = String::new();
    for Worked { lesson, course, solutions, .. } in WORKED.iter() {
        text.push_str(&format!("[{}]\n", lesson.id));
        for (n, (step, [shown, after])) in (1..).zip(lesson.steps.iter().zip(solutions)) {
            let mut say = |what: &str, path: &rigbay::lesson::path::Path, json| {
                let values: Vec<String> = path.find(json).into_iter().map(six_digits).collect();
                text.push_str(&format!("step {n} {what}: {path} = {}\n", values.join(", ")));
            };
            if let Some(path) = step.predict.as_ref().and_then(|p| p.path.as_ref()) {
                say("result", path, &shown.json);
            }
            for values in step.check.iter().flat_map(|c| c.values()) {
                say("before", &values.path, &shown.json);
                say("after", &values.path, &after.json);
            }
        }
        assert_eq!(course.stages.len(), lesson.steps.len());
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/lessons/figures.txt");
    if std::env::var_os("UPDATE_LESSONS").is_some() {
        #[expect(clippy::disallowed_methods, reason = "writes what is recorded, on request")]
        std::fs::write(file, &text).unwrap();
    }
    let recorded = rigbay::files::read_text(file.as_ref(), 1 << 20).unwrap();
    assert_eq!(text.lines().collect::<Vec<_>>(), recorded.lines().collect::<Vec<_>>(), "UPDATE_LESSONS=1 records them anew");
}

fn six_digits(value: &serde_json::Value) -> String {
    match value.as_f64() {
        Some(n) if value.is_f64() => format!("{n:.5e}").parse::<f64>().unwrap().to_string(),
        _ => value.to_string(),
    }
}

#[test]
fn the_same_lesson_gives_the_same_bytes() {
    let lesson = lesson("the-disk");
    let first = worksheet(world(), &lesson, true).unwrap();
    let second = std::thread::scope(|s| s.spawn(|| worksheet(world(), &lesson, true).unwrap()).join().unwrap());
    assert_eq!(first, second);
    let again = worked(lesson);
    let known = WORKED.iter().find(|w| w.lesson.id == again.lesson.id).unwrap();
    for (a, b) in again.solutions.iter().flatten().zip(known.solutions.iter().flatten()) {
        assert_eq!(a.json.to_string(), b.json.to_string());
    }
}

#[test]
fn work_sheets_are_self_contained_and_keep_their_answers() {
    let lesson = lesson("how-much-memory");
    let (plain, solved) = (worksheet(world(), &lesson, false).unwrap(), worksheet(world(), &lesson, true).unwrap());
    for page in [&plain, &solved] {
        assert!(
            page.contains("<svg") && !page.contains("http-equiv") && !page.contains("<script") && !page.contains("src="),
            "self-contained"
        );
        let links = page.matches("http").count() - page.matches("http://www.w3.org/2000/svg").count();
        assert_eq!(links, 0);
    }
    let result = lesson.steps[0].predict.as_ref().unwrap();
    assert!(solved.contains("Result: 27.3 GiB") && !plain.contains("Result:"));
    assert!(solved.contains(&result.why[..40]) && !plain.contains(&result.why[..40]));
    assert!(plain.contains("My guess: ____") && plain.contains("☐") && !plain.contains("☒") && solved.contains("☒"));
    assert_eq!((number(1784.04), number(27.17), number(0.123_45), number(3.0)), ("1784".into(), "27.2".into(), "0.123".into(), "3".into()));
}

const SMALL: &str = r#"format = 1
title = "T"
goal = "G"
minutes = 5
level = "start"
[start]
preset = "5-one-rtx-5090"
[[steps]]
title = "One"
text = "Text"
look = { layer = "parts", parts = ["p6"], slots = ["p1/M.2_2"] }
task = "Do"
check = { rule = "m2_shares_gpu_lanes", verdict = "fail" }
answer = [{ place = "drive.samsung.9100-pro-4tb", at = "p1/M.2_2" }]
"#;

#[test]
fn faults_are_named_by_file_line_and_field() {
    let cases = [
        ("format = 1", "format = 2", ":1: format: is 2, but"),
        ("format = 1\n", "", ":1: format: is missing"),
        ("minutes = 5", "minutes = 0", ":4: minutes: is outside"),
        ("minutes = 5", "minuets = 5", ":4: minuets: unknown field"),
        ("level = \"start\"", "level = \"easy\"", ":5: level: unknown variant"),
        ("preset = \"5-one-rtx-5090\"", "", ":6: start: has neither"),
        ("task = \"Do\"", "", ":13: steps.0.check: has no task"),
        ("verdict = \"fail\"", "verdict = \"unknown\"", ":13: steps.0.check"),
        ("m2_shares_gpu_lanes", "m2_shares", ":13: steps.0.check: there is no rule named \"m2_shares\""),
        ("{ place = ", "{ puts = ", ":14: steps.0.answer.0.puts: unknown field"),
        ("at = \"p1/M.2_2\" }", "to = \"p1/M.2_2\" }", ":14: steps.0.answer.0: a change has a field that does not belong"),
        ("at = \"p1/M.2_2\" }", "at = \"M.2_2\" }", ":14: steps.0.answer.0"),
        ("text = \"Text\"", "text = \"\"", ":8: steps.0: needs a title"),
        ("answer = [", "hints = 3\nanswer = [", ":14: steps.0.hints: invalid type"),
    ];
    for (old, new, expected) in cases {
        let text = SMALL.replacen(old, new, 1);
        assert_ne!(text, SMALL, "{old}");
        let faults = read(&text, "my.toml").unwrap_err();
        let said = faults[0].to_string();
        assert!(said.starts_with(&format!("my.toml{expected}")), "{new:?}: {said}");
    }
}

#[test]
fn faults_that_only_a_catalog_shows_are_named_too() {
    let cases = [
        ("5-one-rtx-5090", "5-one", ":7: start.preset: names no example"),
        ("layer = \"parts\"", "layer = \"smell\"", ":11: steps.0.look.layer: smell is none of parts"),
        ("parts = [\"p6\"]", "parts = [\"p66\"]", ":11: steps.0.look.parts: p66 is not"),
        ("slots = [\"p1/M.2_2\"]", "slots = [\"p1/M.2_9\"]", ":11: steps.0.look.slots: p1/M.2_9 is no place"),
        ("9100-pro-4tb", "9100-pro-5tb", ":14: steps.0.answer.0: The catalog has no part"),
        ("verdict = \"fail\"", "verdict = \"pass\"", ":13: steps.0.check: passes before anything is done"),
        ("at = \"p1/M.2_2\" }", "at = \"p1/M.2_3\" }", ":13: steps.0.check: does not pass after the worked answer"),
        (
            "{ rule = \"m2_shares_gpu_lanes\", verdict = \"fail\" }",
            "{ path = \"lane.links\", all = \"==\", value = 1 }",
            ":13: steps.0.check: lane.links names nothing",
        ),
    ];
    assert_eq!(verify(world(), &read(SMALL, "my.toml").unwrap()), []);
    for (old, new, expected) in cases {
        let text = SMALL.replacen(old, new, 1);
        assert_ne!(text, SMALL, "{old}");
        let faults = verify(world(), &read(&text, "my.toml").unwrap());
        let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert!(said.iter().any(|s| s.starts_with(&format!("my.toml{expected}"))), "{new:?}: {said:?}");
    }
}

#[test]
fn wrong_attempts_are_explained_by_the_findings() {
    let lesson = lesson("x16-x8-x4");
    let course = course(world(), &lesson).unwrap();
    let check = lesson.steps[2].check.as_ref().unwrap();
    let before = Solution::of(&course.catalog, &course.stages[2].shown);
    // The second card goes behind the chipset instead.
    let parts = Parts { catalog: &course.catalog, models: &DATA.1 };
    let wrong: Vec<Change> = toml::from_str::<toml::Table>(
        "c = [{ move = \"p7\", to = \"p1/PCIE1\" }, { place = \"gpu.nvidia.rtx-3090-fe\", at = \"p1/PCIE5\" }]",
    )
    .unwrap()["c"]
        .clone()
        .try_into()
        .unwrap();
    let attempt = applied(parts, &course.stages[2].shown, &wrong, "try").unwrap().1;
    let now = Solution::of(&course.catalog, &attempt);
    assert_eq!(check.judge(now.solved()).verdict, Verdict::Fail);
    let why = explain(check, &before.report, now.solved());
    assert!(why[0].starts_with("Rate to every card is ") && why[0].ends_with("asked for: at least 12 GB/s."), "{why:?}");
}

#[test]
fn a_lesson_is_recorded_from_a_rig_and_edits() {
    let known = WORKED.iter().find(|w| w.lesson.id.contains("lanes-that-vanish")).unwrap();
    let begin = &known.course.stages[1].shown;
    let to = "p1/M.2_3".parse().unwrap();
    let edit = Edit::Move { what: "p9".parse().unwrap(), to: Some(to) };
    let after = edit.apply(&known.course.catalog, begin).unwrap();
    let answer = record::answer_of(&[(edit, Project::clone(begin))]).unwrap();
    let (before, solved) = (Solution::of(&known.course.catalog, begin), Solution::of(&known.course.catalog, &after));
    let offered = record::offered(&before, &solved);
    let (text, check) = offered.iter().find(|(text, _)| text.starts_with("M.2 drives on the lanes of a card")).unwrap();
    assert_eq!(text, "M.2 drives on the lanes of a card: nothing to object");
    assert!(offered.iter().any(|(text, _)| text.starts_with("Rate from the host to every card: at least ")), "{offered:?}");
    let mut made = record::begin("My lesson", rig_text(&known.course.catalog, begin).unwrap());
    made.goal = "A goal.".to_owned();
    made.steps.push(rigbay::lesson::Step {
        title: "Give them back".to_owned(),
        text: "Two paragraphs.\n\nWith \"quotes\".".to_owned(),
        task: Some("Move the drive.".to_owned()),
        check: Some(check.clone()),
        answer,
        ..record::empty_step()
    });
    let text = record::text(&made).unwrap();
    let again = read(&text, "mine.toml").unwrap();
    assert_eq!(again.steps, made.steps, "{text}");
    assert_eq!(verify(world(), &again), [], "{text}");
}

#[test]
fn edits_survive_the_way_through_a_lesson() {
    let known = WORKED.iter().find(|w| w.lesson.id.contains("parallel")).unwrap();
    for stage in &known.course.stages {
        let project = &stage.before;
        let mut workload = project.workloads[0].clone();
        workload.context = 4096;
        workload.training = None;
        let edits = [
            Edit::Workload { index: 0, workload: Some(Box::new(workload.clone())) },
            Edit::Workload { index: 1, workload: Some(Box::new(workload)) },
            Edit::Workload { index: 0, workload: None },
            Edit::Room(rigbay::project::Room { ambient_c: 30.0, ..project.room.clone() }),
            Edit::Threshold { key: "psu_margin".to_owned(), value: Some(1.3) },
            Edit::Set { what: "p9".parse().unwrap(), key: "power_limit_w".to_owned(), value: Some("250".to_owned()) },
        ];
        for edit in edits {
            let changes = Change::of(&edit, project).unwrap();
            let table = toml::Table::from_iter([("c".to_owned(), toml::Value::try_from(&changes).unwrap())]);
            let read: Vec<Change> = toml::from_str::<toml::Table>(&table.to_string()).unwrap()["c"].clone().try_into().unwrap();
            let parts = Parts { catalog: &known.course.catalog, models: &DATA.1 };
            let (_, made) = applied(parts, project, &read, "x").unwrap();
            assert_eq!(made, edit.apply(&known.course.catalog, project).unwrap(), "{table}");
        }
    }
}

#[test]
fn results_of_a_class_hold_no_name_but_one_typed_in() {
    let lesson = lesson("the-disk");
    let mut done = Progress::new(&lesson);
    done.steps[0] =
        StepProgress { done: true, tries: 2, guess: Some("-5".to_owned()), guess_right: Some(false), ..StepProgress::default() };
    let sheets = [Sheet::new("", vec![done.clone()]), Sheet::new("=1+1", vec![done.clone()])];
    let texts: Vec<String> = sheets.iter().map(|s| s.text().unwrap()).collect();
    assert!(!texts[0].contains("name"), "{}", texts[0]);
    let read: Vec<Sheet> = texts.iter().map(|t| progress::read(t, "p.toml").unwrap()).collect();
    assert_eq!(read, sheets);
    let table = csv(&read, &lessons()).unwrap();
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 1 + 2 * lesson.steps.len());
    assert_eq!(rows[1], "pupil 1,08-the-disk,1,A disk that turns,yes,2,0,no,-5,no,,");
    assert!(rows[3].starts_with("'=1+1,"), "{}", rows[3]);
    let wrong = progress::read("format = 1\n[[progress]]\nlesson = 3\n", "p.toml").unwrap_err();
    assert!(wrong.to_string().starts_with("p.toml:3: progress.0.lesson: invalid type"), "{wrong}");
    assert!(done.fits(&lesson) && !done.fits(&lessons()[0]));
}

mod commands {
    fn rigbay(arguments: &[&str]) -> (u8, String, String) {
        let (mut text, mut notes) = (Vec::new(), Vec::new());
        let words = std::iter::once("rigbay").chain(arguments.iter().copied()).map(Into::into);
        let code = match rigbay::cli::run(words, "2026-11-30", &mut text, &mut notes) {
            rigbay::cli::Outcome::Exit(code) => code,
            rigbay::cli::Outcome::Window(_) => panic!("no window was asked for"),
        };
        let text_of = |bytes| String::from_utf8(bytes).unwrap();
        (code, text_of(text), text_of(notes))
    }

    #[test]
    fn lessons_are_listed_printed_and_checked() {
        let (code, text, _) = rigbay(&["lesson", "list", "--json"]);
        let rows: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(code, 0);
        assert!(rows.as_array().unwrap().len() >= 12 && rows[0]["id"] == "01-how-much-memory" && rows[0]["checks"] == 1);
        let folder = tempfile::tempdir().unwrap();
        let (page, bad) = (folder.path().join("x.html"), folder.path().join("bad.toml"));
        let (code, _, notes) = rigbay(&["lesson", "sheet", "the-disk", "--answers", "-o", page.to_str().unwrap()]);
        assert_eq!((code, notes.as_str()), (0, ""));
        assert!(rigbay::files::read_text(&page, 1 << 24).unwrap().starts_with("<!DOCTYPE html>"));
        rigbay::files::write_atomic(&bad, super::SMALL.replace("9100-pro-4tb", "nonsense").as_bytes()).unwrap();
        let (code, _, notes) = rigbay(&["lesson", "check", bad.to_str().unwrap()]);
        assert_eq!(code, 2);
        assert!(notes.contains("bad.toml:14: steps.0.answer.0: The catalog has no part"), "{notes}");
        let (code, _, notes) = rigbay(&["lesson", "sheet", "nonsense"]);
        assert!(code == 2 && notes.contains("There is no lesson nonsense") && notes.contains("08-the-disk"), "{notes}");
    }
}
