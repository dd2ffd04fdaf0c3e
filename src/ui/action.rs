//! What views may ask for. They push actions; the application applies them after the frame's layout.

use std::path::PathBuf;

use crate::project::Subject;
use crate::project::edit::Edit;

/// A request of a view.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Make an edit.
    Edit(Edit),
    /// Make an edit as part of a running drag of a value; joined to the last step of the same name.
    EditMerged(Edit),
    Select(Option<Subject>),
    /// Select, and scroll or zoom to it.
    GoTo(Subject),
    Undo,
    Redo,
    New,
    /// Show the file dialog, with the path field as the fallback.
    OpenDialog,
    Open(PathBuf),
    OpenExample(String),
    /// A new rig around a model of the list.
    StartFromModel(String),
    Save,
    SaveAsDialog,
    SaveAs(PathBuf),
    ImportModelDialog,
    /// Read a configuration file and make it the model of the workload at the index (or of a new one).
    ImportModel(PathBuf, usize),
    ExportDialog,
    Export(PathBuf, ExportFormat),
    Copy(String),
    UpdateFromCatalog,
    Show(Screen),
    Layer(Layer),
    Fit,
    Theme(Theme),
    Dismiss(&'static str),
    Notice(String),
    Quit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ExportFormat {
    Csv,
    Markdown,
    Svg,
    Png,
}

/// Full-window states and dialogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    Start,
    Rig,
    PartsList,
    Settings,
    About,
    Palette,
    Help,
}

/// What the chassis emphasises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Layer {
    #[default]
    Parts,
    Power,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Theme {
    #[default]
    System,
    Dark,
    Light,
}
