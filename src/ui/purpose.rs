//! What a path is asked for: title, hint, endings, and the action that goes on with it.

use std::path::PathBuf;

use super::action::{Action, Add, Format};
use super::lessons::LessonAction;
use super::lessons::record::RecordAction;

/// What a path is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Open,
    Save,
    /// A model's file for the workload at the index.
    Model(usize),
    /// Output of lspci and the like.
    Dump,
    /// A table of measured records.
    Replay,
    /// A parts list of another program.
    List,
    /// A table of the user's own parts.
    Table,
    /// Such a table to fill in, for this kind of part.
    Template(&'static str),
    Export(Format),
    /// A rig to compare with.
    Compare,
    /// A rig to set beside the present one.
    SideBySide,
    /// A price book.
    Prices,
    /// What a page made.
    Data(Format),
    /// The difference to the compared build; true = from this build to the other.
    Difference(Format, bool),
    /// A lesson as a page; true = with answers.
    Worksheet(bool),
    /// How far the user got with the lessons.
    Progress,
    /// A recorded lesson.
    Lesson,
}

impl Purpose {
    pub const fn title(self) -> &'static str {
        match self {
            Self::Open => "Open a rig file, or a model's config.json, .gguf or .safetensors",
            Self::Save => "Save the rig as",
            Self::Model(_) => "Open a model's config.json, .gguf or .safetensors",
            Self::Dump => "Read the output of lspci, nvidia-smi or dmidecode",
            Self::Replay => "Open a table of measured records",
            Self::List => "Read a parts list",
            Self::Table => "Import parts from a CSV table",
            Self::Template(_) => "Save the table to fill in as",
            Self::Compare | Self::SideBySide => "Open a rig file to compare with",
            Self::Prices => "Open a price book",
            Self::Data(_) => "Save as",
            Self::Difference(..) => "Save the difference as",
            Self::Worksheet(_) => "Save the work sheet as",
            Self::Progress => "Save your progress as",
            Self::Lesson => "Save the lesson as",
            Self::Export(Format::Svg | Format::Png) => "Save the picture as",
            Self::Export(Format::Json) => "Save the rig as JSON",
            Self::Export(Format::Html) => "Save the page as",
            Self::Export(Format::Xlsx) => "Save the workbook as",
            Self::Export(_) => "Save the parts list as",
        }
    }
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Open | Self::Save | Self::Compare | Self::SideBySide | Self::Progress | Self::Lesson => "toml",
            Self::Worksheet(_) => "html",
            Self::Model(_) => "json",
            Self::Dump => "txt",
            Self::List => "md",
            Self::Prices | Self::Replay | Self::Table | Self::Template(_) => "csv",
            Self::Export(format) | Self::Difference(format, _) | Self::Data(format) => format.extension(),
        }
    }
    /// What a path for it looks like.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Open | Self::Save | Self::Compare | Self::SideBySide => "/home/you/rig.toml",
            Self::Prices => "/home/you/prices.csv",
            Self::Model(_) => "/home/you/Llama-3.1-8B/config.json",
            Self::Dump => "/home/you/lspci.txt",
            Self::Replay => "/home/you/measured.csv",
            Self::List => "/home/you/parts.md",
            Self::Table | Self::Template(_) => "/home/you/my-parts.csv",
            Self::Worksheet(_) => "/home/you/work-sheet.html",
            Self::Progress => "/home/you/progress.toml",
            Self::Lesson => "/home/you/lesson.toml",
            Self::Export(format) | Self::Difference(format, _) | Self::Data(format) => match format {
                Format::Markdown => "/home/you/parts.md",
                Format::Text => "/home/you/parts.txt",
                Format::Bbcode => "/home/you/parts.bbcode",
                Format::Csv => "/home/you/parts.csv",
                Format::Xlsx => "/home/you/rig.xlsx",
                Format::Html => "/home/you/rig.html",
                Format::Json => "/home/you/rig.json",
                Format::Svg => "/home/you/rig.svg",
                Format::Png => "/home/you/rig.png",
            },
        }
    }
    pub const fn filter(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Open => ("Rigs and models", &["toml", "json", "gguf", "safetensors"]),
            Self::Save => ("Rig files", &["toml"]),
            Self::Model(_) => ("Models", &["json", "gguf", "safetensors"]),
            Self::Dump => ("Dumps of a machine", &["txt", "xml", "log"]),
            Self::Replay | Self::Prices | Self::Table | Self::Template(_) => ("CSV", &["csv"]),
            Self::List => ("Parts lists", &["md", "txt", "html", "htm"]),
            Self::Worksheet(_) => ("Web pages", &["html"]),
            Self::Progress => ("Progress", &["toml"]),
            Self::Lesson => ("Lessons", &["toml"]),
            Self::Compare | Self::SideBySide => ("Rig files", &["toml", "json"]),
            Self::Export(format) | Self::Difference(format, _) | Self::Data(format) => match format {
                Format::Markdown => ("Markdown", &["md"]),
                Format::Text => ("Text", &["txt"]),
                Format::Bbcode => ("BBCode", &["bbcode", "txt"]),
                Format::Csv => ("CSV", &["csv"]),
                Format::Xlsx => ("Excel workbooks", &["xlsx"]),
                Format::Html => ("Web pages", &["html"]),
                Format::Json => ("JSON", &["json"]),
                Format::Svg => ("SVG", &["svg"]),
                Format::Png => ("PNG", &["png"]),
            },
        }
    }
    pub const fn saves(self) -> bool {
        matches!(
            self,
            Self::Save
                | Self::Export(_)
                | Self::Difference(..)
                | Self::Data(_)
                | Self::Worksheet(_)
                | Self::Progress
                | Self::Lesson
                | Self::Template(_)
        )
    }
    pub fn action(self, path: PathBuf) -> Action {
        match self {
            Self::Open => Action::Open(path),
            Self::Save => Action::SaveAs(path),
            Self::Model(index) => Action::ImportModel(path, index),
            Self::Dump => Action::AddDump(path),
            Self::Replay => Action::Replay(path),
            Self::List => Action::AddList(path),
            Self::Table => Action::ImportTable(path),
            Self::Template(kind) => Action::SaveTemplate(path, kind),
            Self::Export(format) => Action::Export(path, format),
            Self::Compare => Action::Compare(path),
            Self::SideBySide => Action::SideBySide(Add::File(path)),
            Self::Prices => Action::ImportPrices(path),
            Self::Data(format) => Action::WriteData(path, format),
            Self::Difference(format, turned) => Action::Difference(path, format, turned),
            Self::Worksheet(answers) => Action::Lesson(LessonAction::Sheet(path, answers)),
            Self::Progress => Action::Lesson(LessonAction::Progress(path)),
            Self::Lesson => Action::Lesson(LessonAction::Record(RecordAction::Save(path))),
        }
    }
}
