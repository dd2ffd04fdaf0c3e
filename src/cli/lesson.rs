//! `rigbay lesson`: list lessons, check their files, print work sheets, gather the results of a class.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::json;

use super::{Out, catalog, models};
use crate::catalog::Catalog;
use crate::catalog::model::ModelShape;
use crate::drawing::Layer;
use crate::export::worksheet::worksheet;
use crate::files;
use crate::lesson::walk::{World, verify};
use crate::lesson::{Fault, Lesson, all, open_text, progress, read};

#[derive(Debug, Subcommand)]
pub(super) enum LessonCommand {
    /// List the lessons that ship and those of your own folder
    List {
        /// Write JSON
        #[arg(long)]
        json: bool,
    },
    /// Name every fault of lessons: of their text, and of their checks, which must fail before the worked answer and pass after it
    Check {
        /// Files; without one all lessons that ship and those of your own folder
        files: Vec<PathBuf>,
    },
    /// Write a lesson as a page to print
    Sheet(SheetArgs),
    /// Gather exported progress files of a class as CSV
    Results {
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// File to write instead of the standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(super) struct SheetArgs {
    /// Id of a lesson, as the list gives it, or a lesson file
    lesson: String,
    /// With results, worked answers and explanations
    #[arg(long)]
    answers: bool,
    /// File to write instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(command: &LessonCommand, out: &mut Out<'_>) -> Result<(), String> {
    match command {
        LessonCommand::List { json } => list(*json, out),
        LessonCommand::Check { files } => check(files, out),
        LessonCommand::Sheet(args) => sheet(args, out),
        LessonCommand::Results { files, output } => results(files, output.as_deref(), out),
    }
}

/// All lessons; those that cannot be read are told.
fn lessons(out: &mut Out<'_>) -> Vec<Lesson> {
    let (lessons, faults) = all(files::user_lessons().as_deref());
    for fault in &faults {
        out.warn(&format!("warning: left out: {fault}"));
    }
    lessons
}

fn list(as_json: bool, out: &mut Out<'_>) -> Result<(), String> {
    let lessons = lessons(out);
    if as_json {
        let rows: Vec<_> = lessons
            .iter()
            .map(|l| {
                let checks = l.steps.iter().filter(|s| s.check.is_some()).count();
                json!({ "id": l.id, "title": l.title, "goal": l.goal, "minutes": l.minutes, "level": l.level, "guide": l.guide,
                    "steps": l.steps.len(), "checks": checks })
            })
            .collect();
        let text = serde_json::to_string_pretty(&rows).map_err(|e| format!("The list has no JSON form ({e})."))?;
        out.say(&format!("{text}\n"));
        return Ok(());
    }
    let width = lessons.iter().map(|l| l.id.chars().count()).max().unwrap_or_default();
    for l in &lessons {
        out.say(&format!("{:width$}  {}, {} minutes, {}\n{:width$}  {}\n", l.id, l.title, l.minutes, l.level.text(), "", l.goal));
    }
    Ok(())
}

struct Loaded {
    catalog: Arc<Catalog>,
    models: Vec<Arc<ModelShape>>,
    layers: Vec<&'static str>,
}

impl Loaded {
    fn new(out: &mut Out<'_>) -> Result<Self, String> {
        let models = models::builtin_models()?.into_iter().map(Arc::new).collect();
        Ok(Self { catalog: Arc::new(catalog(out)), models, layers: Layer::ALL.iter().map(|l| l.text()).collect() })
    }

    fn world(&self) -> World<'_> {
        World { catalog: &self.catalog, models: &self.models, layers: &self.layers }
    }
}

fn check(files: &[PathBuf], out: &mut Out<'_>) -> Result<(), String> {
    let (lessons, mut faults) = if files.is_empty() { all(files::user_lessons().as_deref()) } else { named(files) };
    let loaded = Loaded::new(out)?;
    for lesson in &lessons {
        faults.extend(verify(loaded.world(), lesson));
    }
    if faults.is_empty() {
        let checks: usize = lessons.iter().flat_map(|l| &l.steps).filter(|s| s.check.is_some()).count();
        out.say(&format!("{} lessons with {checks} checks: no fault.\n", lessons.len()));
        return Ok(());
    }
    Err(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn named(files: &[PathBuf]) -> (Vec<Lesson>, Vec<Fault>) {
    let (mut lessons, mut faults) = (Vec::new(), Vec::new());
    for path in files {
        match open_text(path).map_err(|f| vec![f]).and_then(|text| read(&text, &path.display().to_string())) {
            Ok(lesson) => lessons.push(lesson),
            Err(wrong) => faults.extend(wrong),
        }
    }
    (lessons, faults)
}

fn sheet(args: &SheetArgs, out: &mut Out<'_>) -> Result<(), String> {
    let lesson = find(&args.lesson, out)?;
    let loaded = Loaded::new(out)?;
    let page = worksheet(loaded.world(), &lesson, args.answers).map_err(|f| f.to_string())?;
    write(args.output.as_deref(), &page, out)
}

/// A lesson by file, id, or the id without its number.
fn find(name: &str, out: &mut Out<'_>) -> Result<Lesson, String> {
    let path = Path::new(name);
    if files::is_file(path) {
        let (lessons, faults) = named(&[path.to_owned()]);
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        return lessons.into_iter().next().ok_or_else(|| faults.join("\n"));
    }
    let known = lessons(out);
    let ids: String = known.iter().map(|l| format!("\n  {}", l.id)).collect();
    let plain = |id: &str| id.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('-').to_owned();
    let found = known.iter().find(|l| l.id == name).or_else(|| known.iter().find(|l| plain(&l.id) == name)).cloned();
    found.ok_or_else(|| format!("There is no lesson {name}. Choose one of:{ids}"))
}

fn results(paths: &[PathBuf], output: Option<&Path>, out: &mut Out<'_>) -> Result<(), String> {
    let lessons = lessons(out);
    let mut sheets = Vec::new();
    for path in paths {
        let text = files::read_text(path, files::LIMIT).map_err(|e| e.to_string())?;
        sheets.push(progress::read(&text, &path.display().to_string()).map_err(|f| f.to_string())?);
    }
    write(output, &progress::csv(&sheets, &lessons)?, out)
}

fn write(output: Option<&Path>, text: &str, out: &mut Out<'_>) -> Result<(), String> {
    match output {
        Some(path) => files::write_atomic(path, text.as_bytes()).map_err(|e| e.to_string()),
        None => {
            out.say(text);
            Ok(())
        }
    }
}
