//! A drop-down list with a search field: typing narrows it, arrow keys move, Enter chooses.

use eframe::egui::{
    Button, ComboBox, Key, Modifiers, Popup, PopupCloseBehavior, Response, RichText, ScrollArea, TextEdit, Ui, WidgetText, vec2,
};

use super::Cx;
use super::widgets::sub;

/// Height of an entry in points.
const ROW: f32 = 26.0;

/// View state of one list.
#[derive(Debug, Default)]
pub(super) struct PickState {
    text: String,
    /// The entry that Enter takes; `None` = the one in force.
    chosen: Option<usize>,
    open: bool,
    offset: f32,
}

/// What an entry shows.
#[derive(Debug)]
pub(super) struct Entry {
    pub name: String,
    pub right: String,
    pub hover: String,
}

/// The fixed texts of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a> {
    pub id: &'a str,
    /// What the closed list shows.
    pub shown: &'a str,
    pub hint: &'a str,
    /// Accessible name of the search field.
    pub search: &'a str,
    pub none: &'a str,
}

/// A list: its words, what it holds for the words typed, which of it is in force, and how it shows.
pub(super) struct Offer<'a, T> {
    pub words: Words<'a>,
    pub find: &'a dyn Fn(&[String]) -> Vec<T>,
    pub now: &'a dyn Fn(&T) -> bool,
    pub entry: &'a dyn Fn(&T) -> Entry,
}

#[derive(Clone, Copy, Debug, Default)]
struct Keys {
    /// The list opened in this frame.
    fresh: bool,
    up: bool,
    down: bool,
    enter: bool,
}

impl Keys {
    /// Takes the keys of the list before the search field sees them.
    fn take(ui: &Ui, fresh: bool) -> Self {
        ui.input_mut(|i| {
            let none = Modifiers::NONE;
            let (up, down) = (i.consume_key(none, Key::ArrowUp), i.consume_key(none, Key::ArrowDown));
            // The Enter that opened the list chooses nothing.
            Self { fresh, up, down, enter: !fresh && i.consume_key(none, Key::Enter) }
        })
    }
    const fn moves(self) -> bool {
        self.up || self.down
    }
}

/// The closed list's response, and what was chosen; `above` stands between search field and entries.
pub(super) fn pick_ui<T: Clone>(
    ui: &mut Ui,
    cx: &Cx<'_>,
    state: &mut PickState,
    offer: &Offer<'_, T>,
    above: impl FnOnce(&mut Ui),
) -> (Response, Option<T>) {
    let words = offer.words;
    let combo = ComboBox::from_id_salt(words.id)
        .selected_text(WidgetText::from(RichText::new(words.shown)))
        .width(ui.available_width())
        .truncate()
        .height(420.0)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let was_open = std::mem::take(&mut state.open);
    let shown = combo.show_ui(ui, |ui| {
        let fresh = !was_open;
        state.open = true;
        ui.set_min_width(280.0);
        let keys = Keys::take(ui, fresh);
        search_ui(ui, state, words, fresh);
        above(ui);
        let typed: Vec<String> = state.text.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let found = (offer.find)(&typed);
        if found.is_empty() {
            ui.label(sub(cx.tokens, words.none));
        }
        let chosen = entries_ui(ui, cx, state, keys, &found, offer);
        if chosen.is_some() {
            ui.close();
        }
        chosen
    });
    if state.open && !ui.clip_rect().contains(shown.response.rect.center()) {
        // Its field was scrolled away.
        Popup::close_all(ui.ctx());
    }
    (shown.response, shown.inner.flatten())
}

fn search_ui(ui: &mut Ui, state: &mut PickState, words: Words<'_>, fresh: bool) {
    if fresh {
        state.text.clear();
        state.chosen = None;
    }
    let field = TextEdit::singleline(&mut state.text).hint_text(words.hint).desired_width(f32::INFINITY);
    let field = ui.add(field).accessible_name(words.search);
    if fresh {
        field.request_focus();
    }
    if field.changed() {
        state.chosen = Some(0);
    }
}

fn entries_ui<T: Clone>(ui: &mut Ui, cx: &Cx<'_>, state: &mut PickState, keys: Keys, found: &[T], offer: &Offer<'_, T>) -> Option<T> {
    let last = found.len().saturating_sub(1);
    let start = state.chosen.or_else(|| found.iter().position(|item| (offer.now)(item))).unwrap_or(0);
    let at = start.saturating_add(usize::from(keys.down)).saturating_sub(usize::from(keys.up)).min(last);
    if keys.moves() {
        state.chosen = Some(at);
    }
    let mut go = if keys.enter { found.get(at).cloned() } else { None };
    let mut area = ScrollArea::vertical().max_height(300.0).auto_shrink([false, true]);
    let step = ROW + ui.spacing().item_spacing.y;
    let top = at as f32 * step;
    if keys.fresh || keys.moves() {
        // The entry in question stays in view.
        let offset = if keys.fresh { top - 120.0 } else { state.offset.min(top).max(top + step - 300.0) };
        area = area.vertical_scroll_offset(offset.max(0.0));
    }
    let shown = area.show_rows(ui, ROW, found.len(), |ui, rows| {
        for (n, item) in found.iter().enumerate().skip(rows.start).take(rows.len()) {
            let Entry { name, right, hover } = (offer.entry)(item);
            let button = Button::selectable(n == at, RichText::new(&name).color(cx.tokens.text))
                .right_text(sub(cx.tokens, right))
                .truncate()
                .min_size(vec2(ui.available_width(), ROW));
            let mut response = ui.add(button).accessible_name(&name);
            if !hover.is_empty() {
                response = response.on_hover_text(hover);
            }
            if response.clicked() {
                go = Some(item.clone());
            }
        }
    });
    state.offset = shown.state.clamped_offset().y;
    go
}
