//! The import table of the architecture, enforced: a file uses its own area and those left of it. Also: no file longer than 700 lines,
//! no colour literal in the window's code outside its theme, and a worker that knows nothing but the standard library.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail by panicking and read sources as they are")]

use std::path::{Path, PathBuf};

/// Left to right: who may be imported by everything after it. Areas of one step do not import each other.
const STEPS: &[&[&str]] = &[
    &["units"],
    &["files"],
    &["catalog"],
    &["workload"],
    &["build"],
    &["project"],
    &["import"],
    &["analysis"],
    &["checks"],
    &["report"],
    &["drawing", "search", "observed", "replay", "lesson"],
    &["export"],
    &["session"],
    &["ui", "cli"],
    &["main"],
];
/// Reads nothing but std, and may be read by all.
const ALONE: &str = "worker";
const LONGEST_FILE: usize = 700;

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

fn step(area: &str) -> Option<usize> {
    if area == ALONE { Some(0) } else { STEPS.iter().position(|s| s.contains(&area)) }
}

fn may_use(here: &str, there: &str) -> bool {
    match (step(here), step(there)) {
        _ if here == there => true,
        _ if here == ALONE => false,
        (Some(_), Some(_)) if there == ALONE => true,
        (Some(mine), Some(theirs)) => theirs < mine,
        _ => false,
    }
}

/// Names that follow `crate::` in a line, or `rigbay::` in the program's main file; several in braces too.
fn used(code: &str, root: &str) -> Vec<String> {
    let name = |text: &str| text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = Vec::new();
    for (at, _) in code.match_indices(root) {
        let rest = &code[at + root.len()..];
        match rest.strip_prefix('{') {
            Some(list) => found.extend(list.split('}').next().unwrap_or_default().split(',').map(name)),
            None => found.push(name(rest)),
        }
    }
    found.retain(|n| !n.is_empty());
    found
}

fn has_color(code: &str) -> bool {
    const NAMED: [&str; 7] = ["WHITE", "BLACK", "RED", "GREEN", "BLUE", "GRAY", "YELLOW"];
    let made = ["Color32::from_", "Rgba::from_"].iter().any(|m| code.contains(m));
    made || NAMED.iter().any(|n| code.contains(&format!("Color32::{n}")))
}

fn too_long(name: &str, text: &str) -> Option<String> {
    (text.lines().count() > LONGEST_FILE).then(|| format!("{name}: longer than {LONGEST_FILE} lines"))
}

fn violations(src: &Path) -> Vec<String> {
    let mut files = Vec::new();
    sources(src, &mut files);
    let mut found = Vec::new();
    for file in files {
        let inside = file.strip_prefix(src).unwrap();
        let (name, text) = (inside.display(), std::fs::read_to_string(&file).unwrap());
        let here = inside.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
        found.extend(too_long(&inside.display().to_string(), &text));
        if here == "lib" {
            continue;
        }
        if step(&here).is_none() {
            found.push(format!("{name}: area {here:?} is not in the import table"));
            continue;
        }
        for (number, line) in (1..).zip(text.lines()) {
            let code = line.split("//").next().unwrap_or_default();
            let root = if here == "main" { "rigbay::" } else { "crate::" };
            let wrong = used(code, root).into_iter().filter(|there| !may_use(&here, there));
            found.extend(wrong.map(|there| format!("{name}:{number}: {here} may not use {there}")));
            if here == "ui" && has_color(code) && !file.ends_with("theme.rs") {
                found.push(format!("{name}:{number}: colour literal outside theme.rs"));
            }
            let foreign = code.starts_with("use ") && !code.starts_with("use std::") && !code.starts_with("use super::");
            if here == ALONE && foreign {
                found.push(format!("{name}:{number}: {ALONE} uses more than std"));
            }
        }
    }
    found
}

#[test]
fn imports_point_left() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(violations(&src), Vec::<String>::new());
}

/// Functions whose last digit depends on the platform's library; the core takes them from `libm`, so that reports agree everywhere.
const BY_PLATFORM: [&str; 20] = [
    ".powf(", ".powi(", ".exp(", ".exp2(", ".exp_m1(", ".ln(", ".ln_1p(", ".log(", ".log2(", ".log10(", ".cbrt(", ".hypot(", ".sin(",
    ".cos(", ".tan(", ".atan(", ".atan2(", ".sinh(", ".cosh(", ".tanh(",
];

#[test]
fn the_core_takes_powers_and_exponentials_from_libm() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let core = files.iter().filter(|f| !f.starts_with(src.join("ui")));
    let mut found = Vec::new();
    for file in core {
        let text = std::fs::read_to_string(file).unwrap();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, l)| BY_PLATFORM.iter().any(|f| l.contains(f))) {
            found.push(format!("{}:{number}: {}", file.display(), line.trim()));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn tests_and_benches_are_short_too() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["tests", "benches"] {
        sources(&root.join(folder), &mut files);
    }
    let long = files.iter().filter_map(|f| too_long(&f.display().to_string(), &std::fs::read_to_string(f).unwrap()));
    assert_eq!(long.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn the_guard_itself_bites() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put("build/mod.rs", "use crate::units::Watts; // crate::ui\nuse crate::{catalog::Part, session};\n");
    put("drawing/rig.rs", "use crate::search::best;\nuse crate::worker::Worker;\n");
    put("helpers.rs", "\n");
    put("lib.rs", "use crate::ui;\n");
    put("long.rs", "");
    put("main.rs", "use rigbay::ui::run;\n");
    put("ui/mod.rs", "let c = Color32::from_rgb(1, 2, 3);\nlet d = Color32::TRANSPARENT;\n");
    put("ui/theme.rs", "let c = Color32::WHITE;\n");
    put("units.rs", &"use crate::catalog::Part;\n".repeat(701));
    put("worker.rs", "use std::thread;\nuse crate::units::Bytes;\n");
    let found = violations(folder.path());
    let expected = [
        "build/mod.rs:2: build may not use session",
        "drawing/rig.rs:1: drawing may not use search",
        "helpers.rs: area \"helpers\" is not in the import table",
        "long.rs: area \"long\" is not in the import table",
        "ui/mod.rs:1: colour literal outside theme.rs",
        "units.rs: longer than 700 lines",
        "units.rs:1: units may not use catalog",
    ];
    assert_eq!(found[..7], expected);
    assert_eq!(found[found.len() - 2..], ["worker.rs:2: worker may not use units", "worker.rs:2: worker uses more than std"]);
}
