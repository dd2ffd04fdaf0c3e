//! `rigbay export` and `rigbay diff`: lists, workbooks, pages and pictures, and what it takes to turn one build into another.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Opened, Out, ThemeName, named, open};
use crate::drawing::Layer;
use crate::drawing::palette::Theme;
use crate::export::columns::Column;
use crate::export::diff::difference;
use crate::export::layout::{Layout, RowsBy, find_preset};
use crate::export::{Format, Options, Rig, export, presets};
use crate::files;
use crate::project::Project;
use crate::report::Report;

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// Rig file
    rig: PathBuf,
    #[command(flatten)]
    file: FileArgs,
    #[command(flatten)]
    list: ListArgs,
    /// What pictures show over the rig
    #[arg(long, value_name = "NAME", default_value = "parts", value_parser = named(Layer::ALL, Layer::text))]
    layer: Layer,
    /// Colours of SVG and PNG
    #[arg(long, default_value = "dark")]
    theme: ThemeName,
}

/// Where to, and as what.
#[derive(Debug, Args)]
struct FileArgs {
    /// Without it the ending of the output file decides, else Markdown
    #[arg(long, value_parser = named(&Format::ALL, Format::extension))]
    format: Option<Format>,
    /// File to write instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// CSV: begin with the mark by which some spreadsheets know UTF-8
    #[arg(long)]
    bom: bool,
}

/// What the list of parts shows.
#[derive(Debug, Args)]
struct ListArgs {
    /// Layout to start from: standard, short, shopping, engineering, by maker, full, or one of your own
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Columns in order: kind,part,quantity,total
    #[arg(long, value_name = "NAMES")]
    columns: Option<String>,
    /// Column whose equal values stand together, with a sum; "none" for no groups
    #[arg(long, value_name = "COLUMN")]
    group_by: Option<String>,
    /// What shares a row: equal parts at like places, or equal parts wherever they are
    #[arg(long)]
    rows: Option<RowsName>,
    /// Columns to sort by; a minus puts the largest first: total-,kind
    #[arg(long, value_name = "NAMES", allow_hyphen_values = true)]
    sort: Option<String>,
    /// Rows to show: "kind=gpu; maker!=asus; total="
    #[arg(long, value_name = "TERMS")]
    filter: Option<String>,
    /// Keep the layout under this name for later runs and the window
    #[arg(long, value_name = "NAME")]
    save_preset: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// Rig file of what is there
    from: PathBuf,
    /// Rig file of what is wanted; without it a variant of the first
    to: Option<PathBuf>,
    /// Compare from a variant kept in the first file
    #[arg(long, value_name = "NAME")]
    from_variant: Option<String>,
    /// Compare to a variant kept in the second file, or in the only one
    #[arg(long, value_name = "NAME")]
    to_variant: Option<String>,
    #[command(flatten)]
    file: FileArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RowsName {
    Place,
    Part,
}

impl FileArgs {
    /// The format asked for, else that of the file's ending.
    fn format(&self) -> Result<Format, String> {
        let ending = self.output.as_deref().and_then(Path::extension).map(|e| e.to_string_lossy().into_owned());
        match (self.format, ending) {
            (Some(format), _) => Ok(format),
            (None, None) => Ok(Format::Markdown),
            (None, Some(ending)) => Format::of_extension(&ending).ok_or_else(|| {
                let known: Vec<&str> = Format::ALL.iter().map(|f| f.extension()).collect();
                format!("No format has the ending .{ending}. Say --format, or give -o one of: {}.", known.join(", "))
            }),
        }
    }

    fn write(&self, format: Format, data: &[u8], out: &mut Out<'_>) -> Result<(), String> {
        match &self.output {
            Some(path) => files::write_atomic(path, data).map_err(|e| e.to_string()),
            None if format.is_text() => {
                out.say(&String::from_utf8_lossy(data));
                Ok(())
            }
            None => Err(format!("{} is no text for a terminal. Give -o a file.", format.name())),
        }
    }
}

impl ListArgs {
    /// None: nothing was asked, so the layout that suits the format holds.
    fn layout(&self, format: Format) -> Result<Option<Layout>, String> {
        let own = presets::load(files::export_presets().as_deref())?;
        let mut layout = find_preset(&own, self.preset.as_deref().unwrap_or(format.usual_preset()))?;
        if let Some(names) = &self.columns {
            layout.columns = Layout::parse_columns(names).map_err(|e| format!("--columns: {e}"))?;
        }
        match self.group_by.as_deref() {
            None => {}
            Some("none") => layout.group_by = None,
            Some(name) => layout.group_by = Some(Column::parse(name).map_err(|e| format!("--group-by: {e}"))?),
        }
        match self.rows {
            None => {}
            Some(RowsName::Place) => layout.rows = RowsBy::Place,
            Some(RowsName::Part) => layout.rows = RowsBy::Part,
        }
        if let Some(names) = &self.sort {
            layout.sort = Layout::parse_sort(names).map_err(|e| format!("--sort: {e}"))?;
        }
        if let Some(filter) = &self.filter {
            layout.filter.clone_from(filter);
        }
        if let Some(name) = &self.save_preset {
            let mut own = own;
            own.insert(name.trim().to_owned(), layout.clone());
            presets::save(files::export_presets().as_deref(), &own)?;
        }
        let asked = self.preset.is_some()
            || self.columns.is_some()
            || self.group_by.is_some()
            || self.rows.is_some()
            || self.sort.is_some()
            || self.filter.is_some();
        Ok(asked.then_some(layout))
    }
}

fn rig<'a>(opened: &'a Opened, report: &'a Report) -> Rig<'a> {
    Rig { catalog: &opened.catalog, project: &opened.project, report }
}

pub(super) fn export_command(args: &ExportArgs, out: &mut Out<'_>) -> Result<(), String> {
    let format = args.file.format()?;
    let layout = args.list.layout(format)?;
    let opened = open(&args.rig, out)?;
    let report = opened.report();
    let options = Options { layout, bom: args.file.bom, layer: args.layer, theme: theme(args.theme) };
    let data = export(rig(&opened, &report), format, &options)
        .map_err(|e| if args.list.filter.is_some() { format!("--filter: {e}") } else { e })?;
    args.file.write(format, &data, out)
}

pub(super) const fn theme(name: ThemeName) -> Theme {
    match name {
        ThemeName::Light => Theme::Light,
        ThemeName::Dark => Theme::Dark,
    }
}

pub(super) fn diff(args: &DiffArgs, out: &mut Out<'_>) -> Result<(), String> {
    let format = args.file.format()?;
    let second = match (&args.to, &args.to_variant, &args.from_variant) {
        (Some(to), ..) => to,
        (None, None, None) => return Err("Nothing to compare with. Name a second file, or a variant with --to-variant.".to_owned()),
        (None, ..) => &args.from,
    };
    let mut from = open(&args.from, out)?;
    let mut to = open(second, out)?;
    let from_name = choose(&mut from.project, args.from_variant.as_deref(), &args.from)?;
    let to_name = choose(&mut to.project, args.to_variant.as_deref(), second)?;
    let (before, after) = (from.report(), to.report());
    let difference = difference(rig(&from, &before), &from_name, rig(&to, &after), &to_name);
    let data = difference.export(format, &Options { bom: args.file.bom, ..Options::default() })?;
    args.file.write(format, &data, out)
}

/// Puts the variant in the place of the build; the name of what is compared.
pub(super) fn choose(project: &mut Project, variant: Option<&str>, file: &Path) -> Result<String, String> {
    let Some(variant) = variant else { return Ok(project.name.clone()) };
    let build = project.variants.get(variant).ok_or_else(|| {
        let known: Vec<&str> = project.variants.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "It has none".to_owned() } else { format!("It has: {}", known.join(", ")) };
        format!("{}: has no variant \"{variant}\". {known}.", file.display())
    })?;
    project.rig = build.clone();
    Ok(format!("{}, {variant}", project.name))
}
