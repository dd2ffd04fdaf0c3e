//! Lessons in the window: every one is run from start to end, the worked answer turns each check, and the user's own rig comes back.
#![cfg(feature = "gui")]

#[path = "support/window.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod window;

use eframe::egui::{Key, Role, vec2};
use egui_kittest::kittest::Queryable as _;
use rigbay::checks::finding::Verdict;
use rigbay::lesson::Lesson;
use rigbay::ui::lessons::Run;
use window::{TOWER, Window, cards_of, empty_rig, enter_path, menu, place, press, start_page, undo};

fn run(harness: &Window) -> &Run {
    harness.state().lessons.run.as_ref().unwrap()
}

fn begin(id: &str) -> Window {
    let mut harness = start_page(vec2(1280.0, 800.0));
    press(&mut harness, "All 14 lessons…");
    let title = harness.state().lessons.all.iter().find(|l| l.id.contains(id)).unwrap().title.clone();
    press(&mut harness, &format!("Begin: {title}"));
    harness
}

fn press_first(harness: &mut Window, name: &str) {
    harness.get_all_by_role_and_label(Role::Button, name).next().unwrap().click_accesskit();
    harness.run();
}

/// Guesses, works the answer and answers the question of the present step; returns whether a check was seen to turn.
fn do_step(harness: &mut Window) -> bool {
    let step = run(harness).step().unwrap().clone();
    if let Some(predict) = &step.predict {
        if predict.path.is_some() {
            harness.get_by_role_and_label(Role::TextInput, "Your guess").focus();
            harness.run();
            harness.get_by_role_and_label(Role::TextInput, "Your guess").type_text("7,5");
            harness.run();
            harness.key_press(Key::Enter);
            harness.run();
            assert!(run(harness).result().is_some(), "{} has a result", step.title);
        } else {
            press_first(harness, &predict.choices[0]);
        }
        assert!(run(harness).record().guess.is_some(), "{}", step.title);
    }
    if step.task.is_some() {
        assert_ne!(run(harness).judged.as_ref().unwrap().verdict, Verdict::Pass, "{} is not done before the answer", step.title);
        assert!(harness.query_by_label("Done").is_none());
        press(harness, "Show the answer");
        assert_eq!(run(harness).judged.as_ref().unwrap().verdict, Verdict::Pass, "{}", step.title);
        assert!(harness.query_by_label("Done").is_some(), "{} says that it is done", step.title);
    }
    if let Some(question) = &step.question {
        press_first(harness, &question.choices[question.right - 1]);
        assert_eq!(run(harness).record().choice_right, Some(true));
    }
    step.task.is_some()
}

fn from_start_to_end(id: &str) {
    let mut harness = begin(id);
    let steps = run(&harness).lesson.steps.len();
    let mut turned = 0;
    for n in 0..steps {
        assert_eq!(run(&harness).at(), n);
        turned += usize::from(do_step(&mut harness));
        press(&mut harness, if n + 1 == steps { "Finish" } else { "Next" });
    }
    assert!(turned > 0);
    assert!(harness.state().lessons.run.is_none(), "the lesson is over");
    let progress = harness.state().prefs.lessons.values().next().unwrap();
    assert!(progress.is_finished(), "{progress:?}");
}

/// One test a lesson, so that they run side by side.
macro_rules! lessons {
    ($($name:ident = $id:literal),+ $(,)?) => {
        $(#[test]
        fn $name() {
            from_start_to_end($id);
        })+
        const NAMED: &[&str] = &[$($id),+];
    };
}
lessons! {
    memory = "01-", sixteen_bit = "02-", hot_cards = "03-", lanes = "04-", widths = "05-", ram = "06-", threads = "07-", disk = "08-",
    power = "09-", parallel = "10-", quantization = "11-", breaks = "12-", two_years = "13-", room = "14-",
}

#[test]
fn no_shipped_lesson_is_left_out() {
    let ids: Vec<String> = rigbay::lesson::all(None).0.into_iter().map(|l: Lesson| l.id).collect();
    assert_eq!(ids.len(), NAMED.len());
    assert!(ids.iter().zip(NAMED).all(|(id, named)| id.starts_with(named)), "{ids:?}");
}

#[test]
fn the_users_own_rig_waits_and_comes_back_unsaved_as_it_was() {
    let mut harness = empty_rig();
    place(&mut harness, &TOWER);
    let own = harness.state().session.project().clone();
    menu(&mut harness, "Lessons", "All lessons…");
    press(&mut harness, "Begin: Four hot cards");
    assert_eq!(cards_of(&harness), 4);
    press(&mut harness, "Leave the lesson");
    assert_eq!(harness.state().session.project(), &own);
    assert!(!harness.state().session.history().is_saved());
    undo(&mut harness);
    assert_eq!(cards_of(&harness), 0, "its history is there too");
    // An example opened during a lesson asks about the user's own rig, and Cancel leaves it there.
    menu(&mut harness, "Lessons", "All lessons…");
    press(&mut harness, "Begin: Four hot cards");
    menu(&mut harness, "File", "New rig");
    assert!(harness.state().lessons.run.is_none());
    press(&mut harness, "Cancel");
    assert_eq!(cards_of(&harness), 0);
    assert!(!harness.state().session.project().rig.is_empty());
}

#[test]
fn a_wrong_attempt_says_why_and_a_right_one_of_ones_own_counts() {
    let mut harness = begin("four-hot");
    do_step(&mut harness);
    press(&mut harness, "Next");
    let remove = |harness: &mut Window, id: &str| {
        let edit = rigbay::project::edit::Edit::Remove(id.parse().unwrap());
        harness.state_mut().try_edit(&edit);
        harness.run();
    };
    remove(&mut harness, "p7");
    assert!(harness.query_by_label("Not yet").is_some());
    assert!(harness.query_by_label_contains("asked for: their number 2").is_some());
    assert_eq!(run(&harness).record().tries, 1);
    press(&mut harness, "Hint");
    assert!(harness.query_by_label_contains("Hint: Two cards have to go").is_some());
    // Another way than the worked answer.
    remove(&mut harness, "p8");
    assert!(harness.query_by_label("Done").is_some());
    undo(&mut harness);
    assert!(harness.query_by_label("Done").is_none());
}

#[test]
fn exploring_does_not_count_and_returns_reset_begins_again() {
    let mut harness = begin("four-hot");
    let before = harness.state().session.project().clone();
    menu(&mut harness, "Lessons", "Explore freely");
    harness.state_mut().try_edit(&rigbay::project::edit::Edit::Remove("p6".parse().unwrap()));
    harness.run();
    assert_eq!(cards_of(&harness), 3);
    press(&mut harness, "Return to the lesson");
    assert_eq!(harness.state().session.project(), &before);
    do_step(&mut harness);
    press(&mut harness, "Next");
    press(&mut harness, "Show the answer");
    assert_eq!(cards_of(&harness), 2);
    press(&mut harness, "Back");
    press(&mut harness, "Step 2 of 4, done");
    assert_eq!(cards_of(&harness), 2, "a step keeps the rig as it was left");
    menu(&mut harness, "Lessons", "Reset this step");
    assert_eq!(cards_of(&harness), 4);
}

#[test]
fn one_key_walks_a_class_through_a_lesson() {
    let mut harness = begin("x16-x8-x4");
    harness.key_press(Key::F5);
    harness.run();
    assert!(run(&harness).presenting);
    assert!(harness.query_by_label("Space goes on").is_some());
    let mut pressed = 0;
    while harness.state().lessons.run.is_some() {
        pressed += 1;
        assert!(pressed < 40, "the lesson ends");
        harness.key_press(Key::Space);
        harness.run();
    }
    assert!(pressed > 8, "{pressed}");
    assert!((harness.ctx.zoom_factor() - 1.0).abs() < 1e-3, "the window is as before");
    assert!(harness.query_by_label("Search models").is_some(), "back on the start page");
}

#[test]
fn presenter_mode_has_the_same_points_at_every_size() {
    for size in [vec2(1280.0, 720.0), vec2(1920.0, 1080.0), vec2(3840.0, 2160.0)] {
        let mut harness = start_page(size);
        press(&mut harness, "All 14 lessons…");
        press(&mut harness, "Begin: Four hot cards");
        harness.key_press(Key::F5);
        harness.run();
        let points = harness.ctx.content_rect().size();
        assert!((points.y - 327.0).abs() < 4.0, "{points:?}");
        // Step text is at least a 27th of the height of the picture.
        let text = harness.get_by_label_contains("Each has two fans").rect();
        assert!(text.height() > 2.0 * points.y / 27.0, "{text:?}");
        harness.key_press(Key::Escape);
        harness.run();
        assert!(!run(&harness).presenting);
    }
}

#[test]
fn before_and_after_stand_side_by_side() {
    let mut harness = begin("four-hot");
    press(&mut harness, "Step 2 of 4");
    menu(&mut harness, "Lessons", "Before and after");
    let before = harness.get_by_label_contains("Before: ").rect();
    let after = harness.get_by_label_contains("After: ").rect();
    assert!(harness.query_by_label_contains("Hottest card: 7").is_some(), "the figures that differ are said");
    assert!(before.right() <= after.left());
    menu(&mut harness, "Lessons", "Before and after");
    assert!(harness.query_by_label_contains("Before: ").is_none());
}

#[test]
fn work_sheets_and_progress_are_written_where_asked() {
    let folder = tempfile::tempdir().unwrap();
    let (page, progress) = (folder.path().join("a.html"), folder.path().join("b.toml"));
    let mut harness = begin("the-disk");
    do_step(&mut harness);
    menu(&mut harness, "More", "Work sheet with answers…");
    enter_path(&mut harness, &page);
    let text = rigbay::files::read_text(&page, 1 << 24).unwrap();
    assert!(text.contains("The disk must stream") && text.contains("Result: 76.2 ms"));
    press(&mut harness, "Leave the lesson");
    press(&mut harness, "All 14 lessons…");
    press(&mut harness, "Export progress…");
    enter_path(&mut harness, &progress);
    let text = rigbay::files::read_text(&progress, 1 << 20).unwrap();
    let sheet = rigbay::lesson::progress::read(&text, "b.toml").unwrap();
    assert_eq!((sheet.name, sheet.progress.len(), sheet.progress[0].done()), (None, 1, 1));
}

#[test]
fn a_lesson_is_recorded_and_works() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let mut harness = empty_rig();
    place(&mut harness, &TOWER);
    menu(&mut harness, "Lessons", "Record a lesson…");
    let fill = |harness: &mut Window, name: &str, text: &str| {
        harness.get_by_label(name).focus();
        harness.run();
        harness.get_by_label(name).type_text(text);
        harness.run();
    };
    fill(&mut harness, "What a pupil can do afterwards", "Choose a cooler.");
    fill(&mut harness, "Title of the step", "Cool it");
    fill(&mut harness, "Text", "The processor has no cooler.");
    fill(&mut harness, "Task, if any", "Place a cooler.");
    press(&mut harness, "Keep this step");
    assert!(harness.query_by_label_contains("A task goes with edits").is_some());
    let edit = rigbay::project::edit::Edit::place(
        &rigbay::catalog::part::PartId::new("cooler.noctua.nh-u14s-tr4-sp3"),
        Some("p1/cooler1".parse().unwrap()),
    );
    harness.state_mut().try_edit(&edit);
    harness.run();
    assert!(harness.query_by_label("Edits in this step: 1").is_some());
    harness.get_by_role_and_label(Role::ComboBox, "Done when").click();
    harness.run();
    let offer = harness.get_all_by_label_contains(": nothing to object").next().unwrap();
    offer.click();
    harness.run();
    press(&mut harness, "Keep this step");
    assert!(harness.query_by_label("1. Cool it").is_some(), "{:?}", harness.state().lessons.recorder);
    press(&mut harness, "Save the lesson…");
    enter_path(&mut harness, &path);
    let text = rigbay::files::read_text(&path, 1 << 20).unwrap();
    let lesson = rigbay::lesson::read(&text, "mine.toml").unwrap();
    let (catalog, models) = window::DATA.clone();
    let world = rigbay::lesson::walk::World { catalog: &catalog, models: &models, layers: &["parts"] };
    assert_eq!(rigbay::lesson::walk::verify(world, &lesson), []);
}
