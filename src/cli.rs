//! The program from a shell. Every command returns its text or one message; bad input exits with 2.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::analysis::Effort;
use crate::catalog::Catalog;
use crate::catalog::folder::load_all;
use crate::drawing::Layer;
use crate::drawing::charts::cost::CostChart;
use crate::files;
use crate::project::file::load_text;
use crate::project::{Project, Versions};
use crate::report::json::json;
use crate::report::snapshot::opening_notes;
use crate::report::{Report, analyze};

mod advise;
mod catalog_check;
mod check;
mod compare;
mod evals;
mod export;
mod import;
mod lesson;
mod models;
mod new;
mod observe;
mod prices;
mod replay;
mod text_report;
mod training;

/// Exit code for input that is wrong or cannot be read.
const WRONG_INPUT: u8 = 2;

#[derive(Debug, Parser)]
#[command(name = "rigbay", version, about, long_about = None)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Open the window, on a rig file if one is named
    Open(OpenArgs),
    /// Make a rig file from parts
    New(Box<new::NewArgs>),
    /// Compute and judge a rig
    Report(Box<ReportArgs>),
    /// Judge builds that are described by a few facts
    Check(check::CheckArgs),
    /// Print where each device hangs, what its link trains to and why, and what cards exchange
    Lanes {
        /// Rig file
        rig: PathBuf,
    },
    /// Write the parts list, a workbook, a page, the whole rig as JSON, or a picture
    Export(Box<export::ExportArgs>),
    /// Say what to buy and what to sell to turn one build into another, and at what cost
    Diff(Box<export::DiffArgs>),
    /// Set up to four builds side by side, with what differs marked
    Compare(compare::CompareArgs),
    /// Search the best rigs of the catalog's priced parts for a budget and a workload
    Advise(Box<advise::AdviseArgs>),
    /// Draw the rig to scale
    Picture(PictureArgs),
    /// Compare a rig with what the real machine tells of itself
    Observe(observe::ObserveArgs),
    /// Say what the rows of a price book mean, and copy those that a rig uses into it
    Prices(prices::PricesArgs),
    /// Read parts, data sets and lists of other programs
    #[command(subcommand)]
    Import(import::ImportCommand),
    /// Look after the catalog
    #[command(subcommand)]
    Catalog(CatalogCommand),
    /// Lessons for a class or alone: list, check, print
    #[command(subcommand)]
    Lesson(lesson::LessonCommand),
    /// Compare predictions with measured records
    Replay(replay::ReplayArgs),
    /// Compare one evaluation set before and after quantisation: mean, flips and the long tail
    Evals(evals::EvalsArgs),
}

#[derive(Debug, Default, Args)]
struct OpenArgs {
    /// Rig file
    file: Option<PathBuf>,
    /// Example to open, by its name
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    example: Option<String>,
    #[arg(long)]
    theme: Option<ThemeName>,
}

#[derive(Debug, Args)]
struct ReportArgs {
    /// Rig file
    rig: PathBuf,
    /// Write JSON, as docs/report.schema.json describes it
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    work: models::WorkArgs,
    /// Price book whose prices count: CSV with part,price,currency,date,shop
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct PictureArgs {
    /// Rig file
    rig: PathBuf,
    /// File to write; its ending, .png or .svg, decides the format
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[arg(long, default_value = "dark")]
    theme: ThemeName,
    /// Parts and their memory, PCIe links of all devices, what each part draws, how air flows, or how hot it gets
    #[arg(long, value_name = "NAME", default_value = "parts", value_parser = named(Layer::ALL, Layer::text))]
    layer: Layer,
    /// Draw a chart of the cost instead: `purchase`, `years`, `time` beside offers, or cost by `use`
    #[arg(long, value_name = "NAME", value_parser = named(CostChart::ALL, CostChart::key))]
    chart: Option<CostChart>,
}

#[derive(Debug, Subcommand)]
enum CatalogCommand {
    /// List every fault of the catalog, or count its parts
    Check {
        /// Folder with catalog files of your own, checked together with the program's catalog
        folder: Option<PathBuf>,
    },
}

/// Colours of window and pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThemeName {
    Light,
    Dark,
}

/// Accepts one of the values by its name, so that the command line and the core share one list.
fn named<T: Copy + Send + Sync + 'static>(all: &'static [T], name: fn(T) -> &'static str) -> impl TypedValueParser<Value = T> {
    let values = PossibleValuesParser::new(all.iter().map(|v| name(*v)));
    values.try_map(move |text| all.iter().copied().find(|v| name(*v) == text).ok_or("no such value"))
}

/// What `main` has to do.
#[derive(Debug)]
pub enum Outcome {
    /// Exit with this code.
    Exit(u8),
    /// Open the window.
    Window(Window),
}

/// How the window starts.
#[derive(Debug, Default)]
pub struct Window {
    pub open: Option<PathBuf>,
    pub example: Option<String>,
    pub theme: Option<ThemeName>,
}

/// The only way to the terminal. A reader that went away (`rigbay report … | head`) is no fault.
struct Out<'a> {
    text: &'a mut dyn Write,
    notes: &'a mut dyn Write,
}

impl Out<'_> {
    fn say(&mut self, text: &str) {
        let _ = self.text.write_all(text.as_bytes()).and_then(|()| self.text.flush());
    }
    fn warn(&mut self, text: &str) {
        let _ = writeln!(self.notes, "{text}");
    }
}

/// Runs the command line on the day `today` (`YYYY-MM-DD`). Results go to `text`, warnings and faults to `notes`.
pub fn run(arguments: impl IntoIterator<Item = OsString>, today: &str, text: &mut dyn Write, notes: &mut dyn Write) -> Outcome {
    let mut out = Out { text, notes };
    let command = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command,
        Err(error) => {
            let message = error.render().to_string();
            if error.use_stderr() {
                out.warn(message.trim_end());
                return Outcome::Exit(WRONG_INPUT);
            }
            out.say(&message);
            return Outcome::Exit(0);
        }
    };
    let done = match command {
        None => return Outcome::Window(Window::default()),
        Some(Command::Open(args)) => return Outcome::Window(Window { open: args.file, example: args.example, theme: args.theme }),
        Some(Command::New(args)) => new::new(&args, today, &mut out),
        Some(Command::Report(args)) => report(&args, today, &mut out),
        Some(Command::Check(args)) => check::check(&args, &mut out),
        Some(Command::Lanes { rig }) => open(&rig, &mut out).map(|rig| {
            let lanes = crate::analysis::lanes::lanes(&rig.catalog, &rig.project);
            out.say(&crate::export::lanes::text(&rig.catalog, &rig.project, &lanes));
        }),
        Some(Command::Export(args)) => export::export_command(&args, &mut out),
        Some(Command::Diff(args)) => export::diff(&args, &mut out),
        Some(Command::Compare(args)) => compare::run(&args, &mut out),
        Some(Command::Advise(args)) => advise::run(&args, today, &mut out),
        Some(Command::Picture(args)) => picture(&args, &mut out),
        Some(Command::Observe(args)) => observe::observe(&args, today, &mut out),
        Some(Command::Prices(args)) => prices::prices(&args, today, &mut out),
        Some(Command::Import(command)) => import::run(&command, today, &mut out),
        Some(Command::Catalog(CatalogCommand::Check { folder })) => catalog_check::check(folder.as_deref(), &mut out),
        Some(Command::Lesson(command)) => lesson::run(&command, &mut out),
        Some(Command::Replay(args)) => replay::run(&args, &mut out),
        Some(Command::Evals(args)) => evals::run(&args, &mut out),
    };
    match done {
        Ok(()) => Outcome::Exit(0),
        Err(message) => {
            out.warn(&message);
            Outcome::Exit(WRONG_INPUT)
        }
    }
}

/// The program's catalog with the user's own folder over it; faults are told, not fatal.
fn catalog(out: &mut Out<'_>) -> Catalog {
    let (catalog, faults) = load_all(files::user_catalog().as_deref());
    for fault in &faults {
        out.warn(&format!("warning: left out of the catalog: {fault}"));
    }
    catalog
}

/// A rig file as opened, with the catalog in force for it.
struct Opened {
    catalog: Catalog,
    project: Project,
    versions: Versions,
}

impl Opened {
    fn report(&self) -> Report {
        analyze(&self.catalog, &self.project, Effort::Full)
    }
}

fn open(path: &Path, out: &mut Out<'_>) -> Result<Opened, String> {
    let text = files::read_text(path, files::LIMIT).map_err(|e| e.to_string())?;
    open_text(&text, &path.display().to_string(), out)
}

/// The text of a rig file; `name` is told in messages.
fn open_text(text: &str, name: &str, out: &mut Out<'_>) -> Result<Opened, String> {
    let base = catalog(out);
    let loaded = load_text(&base, text, name).map_err(|e| e.to_string())?;
    for note in opening_notes(&base, &loaded) {
        out.warn(&format!("note: {note}"));
    }
    let versions = Versions::of(&base);
    Ok(Opened { catalog: base.overlaid(loaded.copies), project: loaded.project, versions })
}

fn report(args: &ReportArgs, today: &str, out: &mut Out<'_>) -> Result<(), String> {
    let mut rig = open(&args.rig, out)?;
    rig.project = args.work.applied_to(&rig.catalog, &rig.project)?;
    if let Some(path) = &args.prices {
        rig.project = prices::with_prices(path, &rig.catalog, &rig.project, today, out)?;
    }
    let report = rig.report();
    if args.json {
        let json = json(&rig.catalog, &rig.project, &report, &rig.versions);
        let text = serde_json::to_string_pretty(&json).map_err(|e| format!("The report has no JSON form ({e})."))?;
        out.say(&format!("{text}\n"));
    } else {
        out.say(&text_report::text(&rig.catalog, &rig.project, &report, &rig.versions));
    }
    Ok(())
}

fn picture(args: &PictureArgs, out: &mut Out<'_>) -> Result<(), String> {
    let ending = args.output.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !matches!(ending.as_str(), "png" | "svg") {
        return Err(format!("{}: ends in neither .png nor .svg. Give -o a name with one of these endings.", args.output.display()));
    }
    let rig = open(&args.rig, out)?;
    let mut report = rig.report();
    if args.layer.is_air() {
        report = report.with_picture(&rig.catalog, &rig.project);
    }
    let drawing = match args.chart {
        None => crate::drawing::rig::draw(&rig.catalog, &rig.project, &report, args.layer),
        Some(chart) => chart.draw(&rig.catalog, &report.facts.cost).ok_or_else(|| chart.nothing().to_owned())?,
    };
    let svg = crate::drawing::svg::svg(&drawing, export::theme(args.theme));
    let data = if ending == "svg" { svg.into_bytes() } else { crate::drawing::svg::png(&svg, 1.0)? };
    files::write_atomic(&args.output, &data).map_err(|e| e.to_string())
}

/// Says that a name means no thing or several.
fn ambiguous(option: &str, what: &str, name: &str, candidates: &[String], hint: &str) -> String {
    const SHOWN: usize = 12;
    if candidates.is_empty() {
        return format!("{option}: no {what} is named \"{name}\". {hint}");
    }
    let list: String = candidates.iter().take(SHOWN).map(|c| format!("\n  {c}")).collect();
    let more = if candidates.len() > SHOWN { format!("\n  and {} more", candidates.len() - SHOWN) } else { String::new() };
    format!("{option}: \"{name}\" means more than one {what}. Choose one of:{list}{more}")
}
