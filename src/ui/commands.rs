//! Every command once: the menus, the shortcuts and the command palette read this table.

use eframe::egui::{self, Atom, Button, Color32, Key, KeyboardShortcut, Modifiers, Role, Ui, WidgetInfo, vec2};

use super::Cx;
use super::action::{Action, Format, Layer, Screen, Side, Theme};
use super::icons::{self, Icon};
use super::lessons::LessonAction;
use super::lessons::record::RecordAction;
use crate::project::Subject;
use crate::project::edit::Edit;

/// Menus of the top bar, in order.
pub const MENUS: [&str; 6] = ["File", "Edit", "View", "Rig", "Lessons", "Help"];

/// Something the user can ask for by menu, shortcut or name.
pub struct Command {
    pub menu: &'static str,
    pub name: &'static str,
    /// Other words under which the palette finds it.
    pub keywords: &'static str,
    pub shortcuts: &'static [KeyboardShortcut],
    /// `None` while it makes no sense.
    pub action: fn(&Cx<'_>) -> Option<Action>,
    /// A line above it in the menu.
    pub group: bool,
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} > {}", self.menu, self.name)
    }
}

const fn ctrl(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}
const fn ctrl_shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}
const fn plain(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn command(
    menu: &'static str,
    name: &'static str,
    shortcuts: &'static [KeyboardShortcut],
    action: fn(&Cx<'_>) -> Option<Action>,
) -> Command {
    Command { menu, name, keywords: "", shortcuts, action, group: false }
}
const fn group(
    menu: &'static str,
    name: &'static str,
    shortcuts: &'static [KeyboardShortcut],
    action: fn(&Cx<'_>) -> Option<Action>,
) -> Command {
    Command { menu, name, keywords: "", shortcuts, action, group: true }
}

/// All commands, in menu order.
pub const ALL: &[Command] = &[
    command("File", "New rig", &[ctrl(Key::N)], |_| Some(Action::New)).words("create empty blank build"),
    command("File", "Open…", &[ctrl(Key::O)], |_| Some(Action::OpenDialog)).words("load file import toml json"),
    command("File", "Start from my machine…", &[], |_| Some(Action::Show(Screen::FromMachine)))
        .words("import dump lspci nvidia-smi dmidecode real hardware new rig"),
    command("File", "Start from a parts list…", &[], |_| Some(Action::Show(Screen::FromList)))
        .words("import pcpartpicker paste markdown html table new rig"),
    command("File", "Start page", &[], |_| Some(Action::Show(Screen::Start))).words("home examples welcome room"),
    group("File", "Save", &[ctrl(Key::S)], |_| Some(Action::Save)).words("write file keep"),
    command("File", "Save as…", &[ctrl_shift(Key::S)], |_| Some(Action::SaveAsDialog)).words("write file copy export toml"),
    group("File", "Export…", &[ctrl(Key::E)], |_| Some(Action::Show(Screen::PartsList))).words(
        "export csv markdown bbcode text xlsx excel html page json save list print bill of materials bom shopping table copy prices",
    ),
    command("File", "Compare with file…", &[], |_| Some(Action::CompareDialog))
        .words("difference diff buy sell upgrade cost other build variant"),
    command("File", "Import prices…", &[], |_| Some(Action::ImportPricesDialog)).words("price book csv shop cost currency part number"),
    command("File", "Save picture as PNG…", &[], |_| Some(Action::ExportDialog(Format::Png)))
        .words("export image drawing screenshot print"),
    command("File", "Save picture as SVG…", &[], |_| Some(Action::ExportDialog(Format::Svg))).words("export image drawing vector print"),
    group("File", "Import BuildCores OpenDB…", &[], |_| Some(Action::Show(Screen::OpenDb))).words("parts data set catalog json zip folder"),
    command("File", "Import parts from CSV…", &[], |_| Some(Action::ImportTableDialog)).words("own table catalog spreadsheet"),
    group("File", "Settings…", &[ctrl(Key::Comma)], |_| Some(Action::Show(Screen::Settings)))
        .words("preferences options currency tariff rates limits thresholds room"),
    command("File", "Quit", &[ctrl(Key::Q)], |_| Some(Action::Quit)).words("exit close leave"),
    command("Edit", "Undo", &[ctrl(Key::Z)], |cx| cx.session.history().undo_label().map(|_| Action::Undo)).words("back revert"),
    command("Edit", "Redo", &[ctrl_shift(Key::Z), ctrl(Key::Y)], |cx| cx.session.history().redo_label().map(|_| Action::Redo))
        .words("again forward"),
    group("Edit", "Remove selected part", &[plain(Key::Delete)], remove_selected).words("delete take out"),
    command("Edit", "Put selected part aside", &[], tray_selected).words("tray unplace take out park"),
    command("Edit", "Clear selection", &[], |cx| cx.session.selection().map(|_| Action::Select(None))).words("deselect none"),
    group("Edit", "New part…", &[], |_| Some(Action::NewPart("gpu"))).words("own catalog create add form editor"),
    command("Edit", "Change the selected part…", &[], change_selected).words("own catalog facts correct missing report form editor"),
    command("Edit", "Save a table for own parts…", &[], |_| Some(Action::TemplateDialog("gpu"))).words("csv template spreadsheet columns"),
    command("View", "Fit rig to window", &[plain(Key::Home)], |_| Some(Action::Fit)).words("zoom whole reset view centre"),
    group("View", "Parts panel", &[ctrl(Key::Num1)], |_| Some(Action::Toggle(Side::Parts))).words("catalog show hide"),
    command("View", "Work and findings panel", &[ctrl(Key::Num2)], |_| Some(Action::Toggle(Side::Work)))
        .words("workload model problems checks show hide"),
    command("View", "Charts", &[ctrl(Key::Num3)], |_| Some(Action::Toggle(Side::Charts))).words("memory cost performance graphs show hide"),
    group("View", "Emphasise parts", &[], |_| Some(Action::Layer(Layer::Parts))).words("layer drawing"),
    command("View", "Emphasise lanes", &[], |_| Some(Action::Layer(Layer::Lanes))).words("layer pcie links wires slots drawing"),
    command("View", "Emphasise power", &[], |_| Some(Action::Layer(Layer::Power))).words("layer cables watts drawing"),
    command("View", "Emphasise airflow", &[], |_| Some(Action::Layer(Layer::Airflow)))
        .words("layer air fans smoke streamlines cooling drawing"),
    command("View", "Emphasise heat", &[], |_| Some(Action::Layer(Layer::Heat))).words("layer temperature hot cooling map drawing"),
    command("View", "Reduce motion", &[], |cx| Some(Action::ReduceMotion(!cx.prefs.reduce_motion))).words("still animation smoke moving"),
    group("View", "Dark theme", &[], |_| Some(Action::Theme(Theme::Dark))).words("night colours"),
    command("View", "Light theme", &[], |_| Some(Action::Theme(Theme::Light))).words("day colours white"),
    command("View", "Theme of the system", &[], |_| Some(Action::Theme(Theme::System))).words("colours automatic"),
    command("Rig", "Rename and notes…", &[], |_| Some(Action::Show(Screen::Rename))).words("name title description comment"),
    command("Rig", "Open a model's file…", &[], |cx| Some(Action::ImportModelDialog(cx.session.project().workloads.len())))
        .words("import hugging face config.json gguf safetensors workload llm load"),
    command("Rig", "Build a model by hand…", &[], |cx| Some(Action::BuildModel(cx.session.project().workloads.len())))
        .words("layers width heads vocabulary experts own workload teaching"),
    command("Rig", "Compare with the real machine…", &[], |cx| {
        (!cx.session.project().rig.is_empty()).then_some(Action::Show(Screen::Compare))
    })
    .words("observe lspci nvidia-smi dmidecode trained link width generation dump import check hardware"),
    group("Rig", "Best rigs for the money…", &[], |_| Some(Action::Show(Screen::Advise)))
        .words("advise advice budget search cheapest fastest pareto optimise which rig buy"),
    command("Rig", "Builds side by side…", &[], |_| Some(Action::Show(Screen::SideBySide)))
        .words("compare difference table bars two three four examples files variants"),
    command("Rig", "Variants…", &[], |_| Some(Action::Show(Screen::Variants)))
        .words("branch keep copy alternative switch rename delete build"),
    group("Rig", "What fits…", &[], |_| Some(Action::Show(Screen::Fit))).words("memory context quantization largest curve table overflow"),
    command("Rig", "Measured records…", &[], |_| Some(Action::Show(Screen::Replay)))
        .words("replay accuracy calibrate csv benchmark own factors"),
    group("Rig", "Arrange cards…", &[], |cx| cx.session.report().facts.lanes.board.map(|_| Action::Show(Screen::Arrange)))
        .words("best slots places lanes optimise move gpu drives"),
    command("Rig", "Advise cooling…", &[], |cx| {
        (!cx.session.report().facts.airflow.cards.is_empty()).then_some(Action::Show(Screen::Cooling))
    })
    .words("heat temperature fan hot thermal throttle quiet noise change rank"),
    command("Rig", "Flow network…", &[], |_| Some(Action::Show(Screen::FlowNetwork)))
        .words("airflow circuit zones resistance pressure teaching fans"),
    command("Rig", "Lanes and topology…", &[ctrl(Key::L)], |_| Some(Action::Show(Screen::Topology)))
        .words("pcie tree matrix pairs switch chipset bandwidth p2p nvidia-smi topo links"),
    command("Rig", "Use the program's own facts", &[], |cx| (!cx.session.opening_notes.is_empty()).then_some(Action::UpdateFromCatalog))
        .words("update catalog refresh"),
    command("Lessons", "All lessons…", &[], |_| Some(Action::Show(Screen::Lessons)))
        .words("learn teach class course tutorial pupil school"),
    command("Lessons", "Presenter mode", &[plain(Key::F5)], |cx| {
        Some(cx.lesson.map_or(Action::Show(Screen::Lessons), |_| Action::Lesson(LessonAction::Present)))
    })
    .words("beamer projector large type class front full"),
    command("Lessons", "Before and after", &[], |cx| in_lesson(cx, LessonAction::Split)).words("compare split side by side change"),
    group("Lessons", "Explore freely", &[], |cx| {
        in_lesson(cx, if cx.lesson?.exploring.is_some() { LessonAction::Return } else { LessonAction::Explore })
    })
    .words("play try return"),
    command("Lessons", "Reset this step", &[], |cx| in_lesson(cx, LessonAction::ResetStep)).words("again restart"),
    command("Lessons", "Leave the lesson", &[], |cx| in_lesson(cx, LessonAction::Leave)).words("end quit close own rig"),
    group("Lessons", "Record a lesson…", &[], |_| Some(Action::Lesson(LessonAction::Record(RecordAction::Begin))))
        .words("write make author teacher own"),
    command("Help", "Keyboard and mouse", &[plain(Key::F1)], |_| Some(Action::Show(Screen::Help))).words("shortcuts help keys manual"),
    command("Help", "Show the help lines again", &[], |cx| (!cx.prefs.dismissed.is_empty()).then_some(Action::ShowHelpLines))
        .words("hints tips"),
    command("Help", "Message log", &[], |_| Some(Action::Show(Screen::Log))).words("notices errors history"),
    command("Help", "Find a command…", &[ctrl(Key::K)], |_| Some(Action::Show(Screen::Palette))).words("palette search"),
    group("Help", "About Rigbay", &[], |_| Some(Action::Show(Screen::About))).words("version licence credits"),
];

fn in_lesson(cx: &Cx<'_>, action: LessonAction) -> Option<Action> {
    cx.lesson.map(|_| Action::Lesson(action))
}

fn remove_selected(cx: &Cx<'_>) -> Option<Action> {
    match cx.session.selection()? {
        Subject::Placement(id) => Some(Action::Edit(Edit::Remove(*id))),
        Subject::Slot(_) | Subject::Workload(_) | Subject::Whole => None,
    }
}

fn change_selected(cx: &Cx<'_>) -> Option<Action> {
    match cx.session.selection()? {
        Subject::Placement(id) => Some(Action::EditPart(cx.session.project().rig.placement(*id)?.part.clone())),
        Subject::Slot(_) | Subject::Workload(_) | Subject::Whole => None,
    }
}

fn tray_selected(cx: &Cx<'_>) -> Option<Action> {
    match cx.session.selection()? {
        Subject::Placement(id) => {
            cx.session.project().rig.placement(*id)?.slot.as_ref()?;
            Some(Action::Edit(Edit::Move { what: *id, to: None }))
        }
        Subject::Slot(_) | Subject::Workload(_) | Subject::Whole => None,
    }
}

impl Command {
    /// The same, also found by these words.
    const fn words(self, keywords: &'static str) -> Self {
        Self { keywords, ..self }
    }

    /// Whether it is a choice that is in force now, such as the theme; `None` = it is no choice.
    fn is_on(&self, cx: &Cx<'_>) -> Option<bool> {
        match (self.action)(cx)? {
            Action::Toggle(side) => Some(cx.prefs.is_open(side)),
            Action::Layer(layer) => Some(cx.prefs.layer == layer),
            Action::Theme(theme) => Some(cx.prefs.theme == theme),
            Action::ReduceMotion(next) => Some(!next),
            _ => None,
        }
    }

    /// The name with what it would act on: "Undo Place RTX 3090".
    pub fn label(&self, cx: &Cx<'_>) -> String {
        let detail = match self.name {
            "Undo" => cx.session.history().undo_label(),
            "Redo" => cx.session.history().redo_label(),
            _ => None,
        };
        detail.map_or_else(|| self.name.to_owned(), |d| format!("{}: {d}", self.name))
    }
}

/// The entries of one menu.
pub fn menu_ui(ui: &mut Ui, cx: &Cx<'_>, menu: &str, out: &mut Vec<Action>) {
    ui.set_min_width(240.0);
    for (at, command) in ALL.iter().filter(|c| c.menu == menu).enumerate() {
        if command.group && at > 0 {
            ui.separator();
        }
        if command.name == "Quit" {
            recent_ui(ui, cx, out);
        }
        let action = (command.action)(cx);
        let on = command.is_on(cx);
        let mut button = match on {
            Some(on) => Button::new((mark(on, cx.tokens.accent), command.label(cx))),
            None => Button::new(command.label(cx)),
        };
        if let Some(shortcut) = command.shortcuts.first() {
            button = button.shortcut_text(ui.ctx().format_shortcut(shortcut));
        }
        let response = ui.add_enabled(action.is_some(), button).accessible_name(command.label(cx));
        if let Some(on) = on {
            response.widget_info(|| WidgetInfo::selected(Role::Button, true, on, command.label(cx)));
        }
        if response.clicked() {
            out.extend(action);
            ui.close();
        }
    }
}

/// A tick before a choice that is in force, and its room before one that is not.
fn mark<'a>(on: bool, color: Color32) -> Atom<'a> {
    Atom::paint(vec2(14.0, 14.0), move |ui, args| {
        if on {
            icons::paint(ui.painter(), Icon::Check, args.rect, color);
        }
    })
}

fn recent_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    if cx.prefs.recent.is_empty() {
        return;
    }
    ui.menu_button("Recent files", |ui| {
        for path in &cx.prefs.recent {
            if ui.button(path.display().to_string()).clicked() {
                out.push(Action::Open(path.clone()));
                ui.close();
            }
        }
        ui.separator();
        if ui.button("Forget recent files").clicked() {
            out.push(Action::ForgetRecent);
            ui.close();
        }
    });
    ui.separator();
}

/// Commands whose shortcut was pressed. While a text field has the keyboard, it keeps its own keys.
pub fn shortcuts(ctx: &egui::Context, cx: &Cx<'_>, out: &mut Vec<Action>) {
    let typing = ctx.text_edit_focused();
    // Longer combinations first: Ctrl+Shift+Z must not count as Ctrl+Z.
    let mut all: Vec<(&Command, &KeyboardShortcut)> = ALL.iter().flat_map(|c| c.shortcuts.iter().map(move |s| (c, s))).collect();
    all.sort_by_key(|(_, s)| !s.modifiers.shift);
    for (command, shortcut) in all {
        let kept_by_field = shortcut.modifiers.is_none() && shortcut.logical_key != Key::F1 && shortcut.logical_key != Key::F5
            || matches!(shortcut.logical_key, Key::Z | Key::Y) && shortcut.modifiers.command;
        if typing && kept_by_field {
            continue;
        }
        if ctx.input_mut(|i| i.consume_shortcut(shortcut)) {
            out.extend((command.action)(cx));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_shortcuts_are_unique() {
        let names: BTreeSet<&str> = ALL.iter().map(|c| c.name).collect();
        assert_eq!(names.len(), ALL.len());
        let keys: Vec<&KeyboardShortcut> = ALL.iter().flat_map(|c| c.shortcuts).collect();
        let distinct: BTreeSet<String> = keys.iter().map(|k| format!("{k:?}")).collect();
        assert_eq!(distinct.len(), keys.len());
        assert!(ALL.iter().all(|c| MENUS.contains(&c.menu)));
    }
}
