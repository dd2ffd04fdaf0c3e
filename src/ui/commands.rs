//! Every command once: the menus, the shortcuts and the command palette read this table.

use eframe::egui::{self, Button, Key, KeyboardShortcut, Modifiers, Ui};

use super::Cx;
use super::action::{Action, ExportFormat, Layer, Screen, Side, Theme};
use crate::project::Subject;
use crate::project::edit::Edit;

/// Menus of the top bar, in order.
pub const MENUS: [&str; 5] = ["File", "Edit", "View", "Rig", "Help"];

/// Something the user can ask for by menu, shortcut or name.
pub struct Command {
    pub menu: &'static str,
    pub name: &'static str,
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
    Command { menu, name, shortcuts, action, group: false }
}
const fn group(
    menu: &'static str,
    name: &'static str,
    shortcuts: &'static [KeyboardShortcut],
    action: fn(&Cx<'_>) -> Option<Action>,
) -> Command {
    Command { menu, name, shortcuts, action, group: true }
}

/// All commands, in menu order.
pub const ALL: &[Command] = &[
    command("File", "New rig", &[ctrl(Key::N)], |_| Some(Action::New)),
    command("File", "Open…", &[ctrl(Key::O)], |_| Some(Action::OpenDialog)),
    command("File", "Start page", &[], |_| Some(Action::Show(Screen::Start))),
    group("File", "Save", &[ctrl(Key::S)], |_| Some(Action::Save)),
    command("File", "Save as…", &[ctrl_shift(Key::S)], |_| Some(Action::SaveAsDialog)),
    group("File", "Parts list…", &[ctrl(Key::E)], |_| Some(Action::Show(Screen::PartsList))),
    command("File", "Save picture as PNG…", &[], |_| Some(Action::ExportDialog(ExportFormat::Png))),
    command("File", "Save picture as SVG…", &[], |_| Some(Action::ExportDialog(ExportFormat::Svg))),
    group("File", "Settings…", &[ctrl(Key::Comma)], |_| Some(Action::Show(Screen::Settings))),
    command("File", "Quit", &[ctrl(Key::Q)], |_| Some(Action::Quit)),
    command("Edit", "Undo", &[ctrl(Key::Z)], |cx| cx.session.history().undo_label().map(|_| Action::Undo)),
    command("Edit", "Redo", &[ctrl_shift(Key::Z), ctrl(Key::Y)], |cx| cx.session.history().redo_label().map(|_| Action::Redo)),
    group("Edit", "Remove selected part", &[plain(Key::Delete)], remove_selected),
    command("Edit", "Put selected part aside", &[], tray_selected),
    command("Edit", "Clear selection", &[], |cx| cx.session.selection().map(|_| Action::Select(None))),
    command("View", "Fit rig to window", &[plain(Key::Home)], |_| Some(Action::Fit)),
    group("View", "Parts panel", &[ctrl(Key::Num1)], |_| Some(Action::Toggle(Side::Parts))),
    command("View", "Work and findings panel", &[ctrl(Key::Num2)], |_| Some(Action::Toggle(Side::Work))),
    command("View", "Charts", &[ctrl(Key::Num3)], |_| Some(Action::Toggle(Side::Charts))),
    group("View", "Emphasise parts", &[], |_| Some(Action::Layer(Layer::Parts))),
    command("View", "Emphasise power", &[], |_| Some(Action::Layer(Layer::Power))),
    group("View", "Dark theme", &[], |_| Some(Action::Theme(Theme::Dark))),
    command("View", "Light theme", &[], |_| Some(Action::Theme(Theme::Light))),
    command("View", "Theme of the system", &[], |_| Some(Action::Theme(Theme::System))),
    command("Rig", "Rename and notes…", &[], |_| Some(Action::Show(Screen::Rename))),
    command("Rig", "Open a model's config.json…", &[], |cx| Some(Action::ImportModelDialog(cx.session.project().workloads.len()))),
    command("Rig", "Use the program's own facts", &[], |cx| (!cx.session.opening_notes.is_empty()).then_some(Action::UpdateFromCatalog)),
    command("Help", "Keyboard and mouse", &[plain(Key::F1)], |_| Some(Action::Show(Screen::Help))),
    command("Help", "Show the help lines again", &[], |cx| (!cx.prefs.dismissed.is_empty()).then_some(Action::ShowHelpLines)),
    command("Help", "Message log", &[], |_| Some(Action::Show(Screen::Log))),
    command("Help", "Find a command…", &[ctrl(Key::K)], |_| Some(Action::Show(Screen::Palette))),
    group("Help", "About Rigbay", &[], |_| Some(Action::Show(Screen::About))),
];

fn remove_selected(cx: &Cx<'_>) -> Option<Action> {
    match cx.session.selection()? {
        Subject::Placement(id) => Some(Action::Edit(Edit::Remove(*id))),
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
        let action = (command.action)(cx);
        let mut button = Button::new(command.label(cx));
        if let Some(shortcut) = command.shortcuts.first() {
            button = button.shortcut_text(ui.ctx().format_shortcut(shortcut));
        }
        let response = ui.add_enabled(action.is_some(), button).accessible_name(command.label(cx));
        if response.clicked() {
            out.extend(action);
            ui.close();
        }
    }
    if menu == "File" {
        recent_ui(ui, cx, out);
    }
}

fn recent_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    if cx.prefs.recent.is_empty() {
        return;
    }
    ui.separator();
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
}

/// Commands whose shortcut was pressed. While a text field has the keyboard, it keeps its own keys.
pub fn shortcuts(ctx: &egui::Context, cx: &Cx<'_>, out: &mut Vec<Action>) {
    let typing = ctx.text_edit_focused();
    // Longer combinations first: Ctrl+Shift+Z must not count as Ctrl+Z.
    let mut all: Vec<(&Command, &KeyboardShortcut)> = ALL.iter().flat_map(|c| c.shortcuts.iter().map(move |s| (c, s))).collect();
    all.sort_by_key(|(_, s)| !s.modifiers.shift);
    for (command, shortcut) in all {
        let kept_by_field = shortcut.modifiers.is_none() && shortcut.logical_key != Key::F1
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
