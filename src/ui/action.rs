//! What views may ask for. They push actions; the application applies them after the frame's layout.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::build::PlacementId;
use crate::catalog::part::PartId;
use crate::checks::finding::Fix;
use crate::import::observed::Dump;
use crate::import::own_parts::Draft;
use crate::project::edit::Edit;

pub use super::export::ExportPrefs;
pub use super::lessons::LessonAction;
pub use super::side_by_side::Add;
pub use crate::drawing::Layer;
pub use crate::export::Format;
use crate::export::layout::Layout;
use crate::project::{FindingKey, Room, Subject, UserPrice};
use crate::search::advise::Wish;

/// A request of a view.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Make an edit.
    Edit(Edit),
    /// Make an edit as part of a running drag of a value; joined to the last step of the same name.
    EditMerged(Edit),
    /// Apply a finding's fix: at once if it is safe, else after a look at what it changes.
    Fix(Fix),
    /// Ask for the reason, then accept the finding.
    AskAccept(FindingKey),
    /// Search the best places for these pieces.
    Arrange(Vec<PlacementId>),
    /// Try every single change that may cool.
    AdviseCooling,
    Select(Option<Subject>),
    /// Select, and scroll or zoom to it.
    GoTo(Subject),
    /// Show the facts of a part of the catalog.
    ShowPart(Option<PartId>),
    Undo,
    Redo,
    New,
    /// Show the file dialog, with the path field as the fallback.
    OpenDialog,
    Open(PathBuf),
    OpenExample(String),
    /// Bring back unsaved work of an earlier run.
    Recover(PathBuf),
    /// Give up unsaved work of an earlier run.
    ForgetRecovered(PathBuf),
    /// A new rig around a model of the list.
    StartFromModel(String),
    /// A new rig of what a machine tells of itself.
    StartFromMachine(Vec<Dump>),
    /// Read a dump for the dialog about the real machine.
    AddDump(PathBuf),
    /// Ask for such a file.
    AddDumpDialog,
    /// A new rig of the parts list in this text.
    StartFromList(String),
    /// Read a parts list for its dialog.
    AddList(PathBuf),
    AddListDialog,
    /// Import the user's copy of BuildCores OpenDB: a folder or a zip archive.
    ImportOpenDb(PathBuf),
    /// Read a table of the user's own parts into their catalog.
    ImportTable(PathBuf),
    ImportTableDialog,
    /// Ask where to write such a table for parts of a kind, and write it.
    TemplateDialog(&'static str),
    SaveTemplate(PathBuf, &'static str),
    /// Open the form of a new part of a kind, or of one that there is.
    NewPart(&'static str),
    EditPart(PartId),
    SavePart(Box<Draft>),
    /// Write what a part lacks as a file for the maintainers.
    ReportMissing(Box<Draft>),
    /// A new rig around the model of a file.
    StartFromConfig(PathBuf),
    Save,
    SaveAsDialog,
    SaveAs(PathBuf),
    /// Ask for a model's file for the workload at the index.
    ImportModelDialog(usize),
    /// Read a model's file and make it the model of the workload at the index (or of a new one).
    ImportModel(PathBuf, usize),
    /// Build a model by hand for the workload at the index (or for a new one).
    BuildModel(usize),
    /// Ask for a table of measured records.
    ReplayDialog,
    /// Read measured records and show them beside predictions.
    Replay(PathBuf),
    /// Remember the user's own efficiency factors.
    KeepFactors(BTreeMap<String, f64>),
    /// Ask where to write the list, workbook, page, rig or picture.
    ExportDialog(Format),
    Export(PathBuf, Format),
    /// What the export dialog is set to.
    ExportPrefs(Box<ExportPrefs>),
    /// Keep a layout of lists under a name.
    KeepPreset(String, Box<Layout>),
    DropPreset(String),
    /// Ask for a rig file to compare with.
    CompareDialog,
    Compare(PathBuf),
    /// Compare with a build kept in the same file.
    CompareVariant(String),
    /// Set a build beside the present one.
    SideBySide(Add),
    /// Ask for a rig file to set beside the present one.
    SideBySideDialog,
    /// Ask where to write this, and write it.
    SaveData(Format, std::sync::Arc<[u8]>),
    WriteData(PathBuf, Format),
    /// Search the best rigs; true = what is placed stays.
    Advise(Box<Wish>, bool),
    /// Ask for a price book.
    ImportPricesDialog,
    ImportPrices(PathBuf),
    /// Prices that the search for the best rigs counts with.
    KeepBook(Box<BTreeMap<PartId, UserPrice>>),
    /// Set another part beside this one.
    ComparePart(PartId),
    /// Make a part a favourite, or no longer.
    Favourite(PartId),
    /// Ask where to write the difference; true = from this build to the other.
    DifferenceDialog(Format, bool),
    Difference(PathBuf, Format, bool),
    Copy {
        text: String,
        /// What it is, for the notice: "the memory ledger".
        what: String,
    },
    UpdateFromCatalog,
    Show(Screen),
    /// Close the dialog that is open.
    Close,
    /// Open or close a panel.
    Toggle(Side),
    Layer(Layer),
    /// Whether nothing may move by itself.
    ReduceMotion(bool),
    Fit,
    Theme(Theme),
    Dismiss(&'static str),
    /// Show all help lines again.
    ShowHelpLines,
    /// Remember place, currency and tariff for new rigs.
    KeepRoom(Room),
    ForgetRecent,
    Notice(String),
    /// Begin, walk or leave a lesson.
    Lesson(LessonAction),
    Quit,
    /// Go on with an action although changes are lost.
    Discard(Box<Self>),
}

impl Action {
    /// Puts `text` on the clipboard and says so: "Copied the memory ledger."
    pub fn copy(what: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Copy { text: text.into(), what: what.into() }
    }
}

/// Full-window states and dialogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    Start,
    Rig,
    PartsList,
    /// Where memory ends, and what fits.
    Fit,
    /// Measured records beside predictions.
    Replay,
    Settings,
    About,
    Palette,
    Help,
    Log,
    Rename,
    /// The rig beside dumps of its machine.
    Compare,
    /// A new rig from dumps of a machine.
    FromMachine,
    /// A new rig from a parts list.
    FromList,
    /// Import of BuildCores OpenDB.
    OpenDb,
    /// The tree of links and the matrix of card pairs.
    Topology,
    /// The best places for cards and drives.
    Arrange,
    /// Builds kept in the same file.
    Variants,
    /// Builds beside each other.
    SideBySide,
    /// The best rigs for the money.
    Advise,
    /// Every single change that cools, ranked.
    Cooling,
    /// The case's air as a circuit.
    FlowNetwork,
    Lessons,
}

/// Panels that can be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Parts,
    Work,
    Charts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Theme {
    #[default]
    System,
    Dark,
    Light,
}
