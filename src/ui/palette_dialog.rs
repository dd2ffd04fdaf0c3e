//! "Find a command": type a few letters of its name, Enter.

use eframe::egui::{self, Key, ScrollArea, TextEdit, Ui};

use super::Cx;
use super::action::Action;
use super::commands::{self, Command};
use super::widgets::sub;

#[derive(Debug, Default)]
pub(super) struct PaletteState {
    text: String,
    chosen: usize,
}

/// Every word typed occurs in menu, name or keywords.
fn matches(command: &Command, text: &str) -> bool {
    let name = format!("{} {} {}", command.menu, command.name, command.keywords).to_lowercase();
    text.to_lowercase().split_whitespace().all(|word| name.contains(word))
}

fn named(command: &Command, text: &str) -> bool {
    let name = command.name.to_lowercase();
    text.to_lowercase().split_whitespace().all(|word| name.contains(word))
}

pub(super) fn palette_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut PaletteState, fresh: bool, out: &mut Vec<Action>) -> bool {
    let (up, down, enter) = ui.input_mut(|i| {
        let none = egui::Modifiers::NONE;
        (i.consume_key(none, Key::ArrowUp), i.consume_key(none, Key::ArrowDown), i.key_pressed(Key::Enter))
    });
    let field = TextEdit::singleline(&mut state.text).desired_width(f32::INFINITY).hint_text("Find a command");
    let response = ui.add(field).accessible_name("Find a command");
    if fresh {
        response.request_focus();
    }
    if response.changed() {
        state.chosen = 0;
    }
    let mut found: Vec<(&Command, Action)> = commands::ALL
        .iter()
        .filter(|c| matches(c, &state.text))
        .filter_map(|c| Some((c, (c.action)(cx)?)))
        .filter(|(_, action)| *action != Action::Show(super::action::Screen::Palette))
        .collect();
    // Those whose own name has the words come before those found by keyword.
    found.sort_by_key(|(c, _)| !named(c, &state.text));
    let last = found.len().saturating_sub(1);
    state.chosen = state.chosen.saturating_add(usize::from(down)).saturating_sub(usize::from(up)).min(last);
    let mut go = enter.then(|| found.get(state.chosen)).flatten().map(|(_, a)| a.clone());
    ui.add_space(4.0);
    if found.is_empty() {
        ui.label(sub(cx.tokens, "No command has these words."));
    }
    ScrollArea::vertical().max_height(320.0).auto_shrink([false, true]).show(ui, |ui| {
        for (at, (command, action)) in found.iter().enumerate() {
            let label = egui::RichText::new(command.label(cx)).color(cx.tokens.text);
            let mut button = egui::Button::selectable(at == state.chosen, (label, sub(cx.tokens, command.menu)))
                .min_size(egui::vec2(ui.available_width(), 26.0));
            if let Some(shortcut) = command.shortcuts.first() {
                button = button.shortcut_text(ui.ctx().format_shortcut(shortcut));
            }
            let response = ui.add(button).accessible_name(command.label(cx));
            if at == state.chosen && (up || down) {
                response.scroll_to_me(None);
            }
            if response.clicked() {
                go = Some(action.clone());
            }
        }
    });
    let chosen = go.is_some();
    out.extend(go);
    chosen
}
