//! The form of a part: every fact of its kind with unit, help and what is wrong with it, saved to the user's own catalog.

use eframe::egui::{ComboBox, Label, RichText, ScrollArea, TextEdit, Ui};

use super::Cx;
use super::action::Action;
use super::dialogs::buttons_ui;
use super::widgets::{row, strong, sub, title};
use crate::catalog::fields::{Field, Form, fields};
use crate::catalog::kinds::KINDS;
use crate::catalog::part::Part;
use crate::catalog::vocab::Confidence;
use crate::import::own_parts::{Draft, Wrong};

#[derive(Debug)]
pub(super) struct EditorState {
    draft: Draft,
    fields: Vec<Field>,
    /// What is wrong with the draft kept beside it.
    checked: Option<(Draft, Vec<Wrong>)>,
    /// Only fields whose names have these words.
    search: String,
}

impl EditorState {
    /// A new part of a kind, or a part to change.
    pub(super) fn of(kind: &str, part: Option<&Part>) -> Self {
        let draft = part.map_or_else(|| Draft::new(kind), Draft::of);
        Self { fields: fields(draft.kind), draft, checked: None, search: String::new() }
    }
}

pub(super) fn editor_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut EditorState, fresh: bool, out: &mut Vec<Action>) -> bool {
    let changes = state.draft.base.is_some();
    ui.label(title(if changes { "Change a part" } else { "New part" }));
    let about = if changes {
        "Your version takes the place of the catalog's. Facts that you leave as they are keep their sources."
    } else {
        "Leave empty what you don't know: rules say \"unknown\" instead of guessing."
    };
    ui.add(Label::new(sub(cx.tokens, about)).wrap());
    if state.checked.as_ref().is_none_or(|(of, _)| *of != state.draft) {
        let wrong = state.draft.part(cx.session.catalog(), cx.today).err().unwrap_or_default();
        state.checked = Some((state.draft.clone(), wrong));
    }
    let wrong = state.checked.as_ref().map(|(_, w)| w.clone()).unwrap_or_default();
    head_ui(ui, cx, state, &wrong, fresh);
    ui.horizontal(|ui| {
        let known = state.draft.facts.values().filter(|t| !t.trim().is_empty()).count();
        ui.label(strong(format!("Facts, {known} of {} known", state.fields.len())));
        let field = TextEdit::singleline(&mut state.search).hint_text("Find a fact").desired_width(160.0);
        ui.add(field).accessible_name("Find a fact");
    });
    let height = (ui.ctx().content_rect().height() - 470.0).max(120.0);
    let words = state.search.to_lowercase();
    ScrollArea::vertical().id_salt("facts").max_height(height).min_scrolled_height(height).auto_shrink([false, false]).show(ui, |ui| {
        for field in &state.fields {
            let found = words.split_whitespace().all(|w| field.label.to_lowercase().contains(w) || field.name.contains(w));
            if found {
                let text = state.draft.facts.entry(field.name.clone()).or_default();
                fact_ui(ui, cx, field, text, &wrong);
            }
        }
    });
    origin_ui(ui, cx, &mut state.draft, &wrong);
    let other = changes.then_some("Report missing facts");
    let pressed = buttons_ui(ui, cx, "Save part", wrong.is_empty(), false, other);
    if pressed.main {
        out.push(Action::SavePart(Box::new(state.draft.clone())));
    }
    if pressed.other {
        out.push(Action::ReportMissing(Box::new(state.draft.clone())));
    }
    pressed.cancel
}

fn head_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut EditorState, wrong: &[Wrong], fresh: bool) {
    let t = cx.tokens;
    if state.draft.base.is_none() {
        row(ui, t, "Kind", |ui| {
            let mut kind = state.draft.kind;
            let label = |k: &str| KINDS.iter().find(|(key, ..)| *key == k).map_or("", |k| k.1);
            let combo = ComboBox::from_id_salt("kind of part").selected_text(label(kind)).show_ui(ui, |ui| {
                for (key, label, _) in KINDS {
                    ui.selectable_value(&mut kind, key, label);
                }
            });
            let _ = combo.response.accessible_name("Kind");
            if kind != state.draft.kind {
                state.fields = fields(kind);
                state.draft = Draft { kind, facts: Default::default(), ..state.draft.clone() };
            }
        });
    }
    let draft = &mut state.draft;
    for (n, (key, label, text, hint)) in [
        ("name", "Name", &mut draft.name, "Full name with its maker"),
        ("maker", "Maker", &mut draft.maker, ""),
        ("part_number", "Part number", &mut draft.part_number, ""),
        ("notes", "Notes", &mut draft.notes, ""),
    ]
    .into_iter()
    .enumerate()
    {
        row(ui, t, label, |ui| {
            let field = ui.add(TextEdit::singleline(text).desired_width(ui.available_width()).hint_text(hint)).accessible_name(label);
            if fresh && n == 0 {
                field.request_focus();
            }
        });
        // An empty name of a new part is no fault yet.
        if !text.is_empty() || key != "name" {
            wrong_ui(ui, cx, key, wrong);
        }
    }
}

fn wrong_ui(ui: &mut Ui, cx: &Cx<'_>, field: &str, wrong: &[Wrong]) {
    for wrong in wrong.iter().filter(|w| w.field == field) {
        ui.add(Label::new(RichText::new(&wrong.why).color(cx.tokens.problem).size(12.0)).wrap());
    }
}

/// One fact: its input by its form, its unit, and below what it means while it has the keyboard.
fn fact_ui(ui: &mut Ui, cx: &Cx<'_>, field: &Field, text: &mut String, wrong: &[Wrong]) {
    let mut focused = false;
    let response = row(ui, cx.tokens, &field.label, |ui| match &field.form {
        Form::Choice(words) => choice_ui(ui, field, text, words),
        Form::Flag => choice_ui(ui, field, text, &["yes".to_owned(), "no".to_owned()]),
        form => {
            let wide = !matches!(form, Form::Number | Form::Whole);
            let width = if wide { ui.available_width() - 8.0 } else { 110.0 };
            let hint = match form {
                Form::Plugs(_) => "2 x PCIe 8-pin; 1 x EPS 8-pin, or none",
                Form::Choices(_) | Form::Words => "separated by ;",
                _ => "unknown",
            };
            let edit = if *form == Form::Structure { TextEdit::multiline(text).desired_rows(1) } else { TextEdit::singleline(text) };
            let response = ui.add(edit.desired_width(width).hint_text(hint)).accessible_name(&field.label);
            focused = response.has_focus();
            if !field.unit.is_empty() {
                ui.label(sub(cx.tokens, field.unit));
            }
        }
    });
    response.response.on_hover_text(&field.help);
    if focused {
        let list = match &field.form {
            Form::Choices(words) | Form::Plugs(words) => format!(" One of: {}.", words.join(", ")),
            _ => String::new(),
        };
        ui.add(Label::new(sub(cx.tokens, format!("{}{list}", field.help))).wrap());
    }
    wrong_ui(ui, cx, &field.name, wrong);
}

fn choice_ui(ui: &mut Ui, field: &Field, text: &mut String, words: &[String]) {
    let shown = if text.is_empty() { "unknown" } else { text.as_str() };
    let combo = ComboBox::from_id_salt(&field.name).selected_text(shown).width(180.0).show_ui(ui, |ui| {
        ui.selectable_value(text, String::new(), "unknown");
        for word in words {
            ui.selectable_value(text, word.clone(), word);
        }
    });
    let _ = combo.response.accessible_name(&field.label);
}

/// Where the new and changed facts are from.
fn origin_ui(ui: &mut Ui, cx: &Cx<'_>, draft: &mut Draft, wrong: &[Wrong]) {
    ui.add_space(4.0);
    row(ui, cx.tokens, "Read where", |ui| {
        let hint = "Data sheet of …, measured with …";
        let width = (ui.available_width() - 140.0).max(120.0);
        let _ = ui.add(TextEdit::singleline(&mut draft.source).desired_width(width).hint_text(hint)).accessible_name("Read where");
        let combo = ComboBox::from_id_salt("confidence").selected_text(draft.confidence.text()).width(110.0).show_ui(ui, |ui| {
            for confidence in Confidence::ALL {
                ui.selectable_value(&mut draft.confidence, *confidence, confidence.text());
            }
        });
        let _ = combo.response.accessible_name("Confidence");
    });
    row(ui, cx.tokens, "Address", |ui| {
        let field = TextEdit::singleline(&mut draft.url).desired_width(ui.available_width()).hint_text("https://…, if others can open it");
        let _ = ui.add(field).accessible_name("Address");
    });
    if draft.facts.values().any(|t| !t.trim().is_empty()) {
        wrong_ui(ui, cx, "source", wrong);
    }
    wrong_ui(ui, cx, "", wrong);
    wrong_ui(ui, cx, "id", wrong);
}
