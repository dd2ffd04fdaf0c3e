//! The rig as files that people paste, print, import and build on. Same rig, same bytes.

use crate::catalog::Catalog;
use crate::drawing::palette::Theme;
use crate::drawing::rig::draw;
use crate::drawing::svg::{png, svg};
use crate::drawing::{Drawing, Layer};
use crate::project::Project;
use crate::report::Report;
use crate::report::snapshot::rig_json;

pub mod bbcode;
pub mod columns;
pub mod compare;
pub mod csv;
pub mod diff;
mod filter;
pub mod html;
pub mod interface;
pub mod lanes;
pub mod layout;
pub mod markdown;
pub mod presets;
pub mod rows;
pub mod sheets;
pub mod table;
pub mod text;
pub mod worksheet;
pub mod xlsx;

use layout::Layout;
use table::Table;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Format {
    Markdown,
    Text,
    Bbcode,
    Csv,
    Xlsx,
    Html,
    /// The whole rig file.
    Json,
    Svg,
    Png,
}

impl Format {
    pub const ALL: [Self; 9] =
        [Self::Markdown, Self::Text, Self::Bbcode, Self::Csv, Self::Xlsx, Self::Html, Self::Json, Self::Svg, Self::Png];

    /// Ending of its files; also its name on the command line.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Text => "txt",
            Self::Bbcode => "bbcode",
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
            Self::Html => "html",
            Self::Json => "json",
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
    pub const fn name(self) -> &'static str {
        match self {
            Self::Markdown => "Markdown",
            Self::Text => "Text",
            Self::Bbcode => "BBCode",
            Self::Csv => "CSV",
            Self::Xlsx => "XLSX",
            Self::Html => "HTML",
            Self::Json => "JSON",
            Self::Svg => "SVG",
            Self::Png => "PNG",
        }
    }
    /// The format of a file of this ending.
    pub fn of_extension(ending: &str) -> Option<Self> {
        let ending = ending.to_lowercase();
        Self::ALL.into_iter().find(|f| f.extension() == ending)
    }
    /// It can be copied and read as it is.
    pub const fn is_text(self) -> bool {
        !matches!(self, Self::Xlsx | Self::Png)
    }
    /// It has the columns of a parts list.
    pub const fn has_columns(self) -> bool {
        matches!(self, Self::Markdown | Self::Text | Self::Bbcode | Self::Csv | Self::Xlsx | Self::Html)
    }
    /// It holds a picture of the rig.
    pub const fn has_picture(self) -> bool {
        matches!(self, Self::Html | Self::Svg | Self::Png)
    }
    /// Name of the built-in layout that suits it.
    pub const fn usual_preset(self) -> &'static str {
        match self {
            Self::Csv | Self::Xlsx => "full",
            Self::Text | Self::Bbcode => "short",
            Self::Markdown | Self::Html | Self::Json | Self::Svg | Self::Png => "standard",
        }
    }
    /// Programs read it, so amounts of money have their currency in a column of its own.
    pub(crate) const fn is_data(self) -> bool {
        matches!(self, Self::Csv | Self::Xlsx)
    }
}

/// What to export.
#[derive(Clone, Copy, Debug)]
pub struct Rig<'a> {
    pub catalog: &'a Catalog,
    pub project: &'a Project,
    pub report: &'a Report,
}

/// How to export it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// None: the one that suits the format.
    pub layout: Option<Layout>,
    /// CSV: begin with the mark by which some spreadsheets know UTF-8.
    pub bom: bool,
    /// What a picture shows over the rig.
    pub layer: Layer,
    /// Colours of SVG and PNG; pages are always light, as they are printed.
    pub theme: Theme,
}

impl Options {
    fn layout(&self, format: Format) -> Layout {
        let layout = self.layout.clone().or_else(|| Layout::built_in(format.usual_preset())).unwrap_or_default();
        if format.is_data() { layout.with_currencies() } else { layout }
    }
}

/// The parts list as a table, with the columns that the format wants.
///
/// # Errors
/// If the layout's filter cannot be read.
pub fn parts_table(rig: Rig<'_>, format: Format, options: &Options) -> Result<Table, String> {
    let mut layout = options.layout(format);
    // A file without headings between its rows names the group in a column.
    if let (Format::Csv, Some(group)) = (format, layout.group_by)
        && !layout.columns.contains(&group)
    {
        layout.columns.insert(0, group);
    }
    layout.table(&rows::parts_list(rig.catalog, rig.project, rig.report, layout.rows))
}

/// What the file holds.
///
/// # Errors
/// A sentence: a filter that cannot be read, or a picture too large.
pub fn export(rig: Rig<'_>, format: Format, options: &Options) -> Result<Vec<u8>, String> {
    match format {
        Format::Markdown | Format::Text | Format::Bbcode | Format::Csv => {
            table_text(&parts_table(rig, format, options)?, format, options).map(String::into_bytes)
        }
        Format::Xlsx => xlsx::workbook(rig, &parts_table(rig, format, options)?),
        Format::Html => Ok(html::page(rig, &parts_table(rig, format, options)?, options.layer).into_bytes()),
        Format::Json => rig_json(rig.catalog, rig.project).map(String::into_bytes).map_err(|e| e.to_string()),
        Format::Svg => Ok(picture(rig, options).into_bytes()),
        Format::Png => png(&picture(rig, options), 1.0),
    }
}

/// The rig as shapes; air on the finer grid.
fn drawn(rig: Rig<'_>, layer: Layer) -> Drawing {
    if layer.is_air() {
        draw(rig.catalog, rig.project, &rig.report.with_picture(rig.catalog, rig.project), layer)
    } else {
        draw(rig.catalog, rig.project, rig.report, layer)
    }
}

fn picture(rig: Rig<'_>, options: &Options) -> String {
    svg(&drawn(rig, options.layer), options.theme)
}

/// A table in one of the formats that are a table and nothing else.
fn table_text(table: &Table, format: Format, options: &Options) -> Result<String, String> {
    match format {
        Format::Text => Ok(text::text(table)),
        Format::Bbcode => Ok(bbcode::bbcode(table)),
        Format::Csv => csv::csv(table, options.bom).map_err(|e| format!("The list cannot be written as CSV ({e}).")),
        Format::Markdown | Format::Xlsx | Format::Html | Format::Json | Format::Svg | Format::Png => Ok(markdown::markdown(table)),
    }
}
