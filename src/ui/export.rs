//! The export dialog: the rig's list, workbook, page, file or picture, with a preview; and what it takes to turn another build into this one.

use std::sync::Arc;

use eframe::egui::{self, ComboBox, Id, Modal, ScrollArea, Sense, TextEdit, Ui, WidgetInfo, vec2};
use serde::{Deserialize, Serialize};

use super::Cx;
use super::action::{Action, Layer};
use super::chassis::{paint, view::View};
use super::widgets::{chip, primary_button, sub, title};
use crate::catalog::Catalog;
use crate::drawing::Drawing;
use crate::drawing::rig::draw;
use crate::export::columns::Column;
use crate::export::diff::{Difference, difference};
use crate::export::layout::{BUILT_IN, Layout, RowsBy};
use crate::export::{Format, Options, Rig, export, parts_table, text};
use crate::project::Project;
use crate::report::Report;
use crate::session::Session;

mod columns;
mod save;

/// What the dialog was last set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportPrefs {
    pub format: Format,
    /// None: the layout that suits the format.
    pub layout: Option<Layout>,
    pub bom: bool,
}

impl Default for ExportPrefs {
    fn default() -> Self {
        Self { format: Format::Markdown, layout: None, bom: false }
    }
}

/// A build that this one is compared with.
#[derive(Debug)]
pub struct Compared {
    pub name: String,
    pub catalog: Arc<Catalog>,
    pub project: Project,
    pub report: Report,
}

#[derive(Debug, Default)]
pub(super) struct ExportState {
    /// Compare with this instead of listing the rig.
    compared: Option<Arc<Compared>>,
    /// The other build is what is wanted, this one what is there.
    turned: bool,
    /// The name under which the layout is being kept, and whether its field has been given the keyboard.
    keep_as: Option<(String, bool)>,
    made: Option<(Key, Result<Preview, String>)>,
}

/// What a preview was made of.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    revision: u64,
    format: Format,
    options: Options,
    turned: Option<bool>,
}

#[derive(Debug)]
enum Preview {
    /// As the file has it.
    Text(String),
    /// As somebody who opens the file sees it, in words.
    Shown(String),
    Picture(Drawing),
}

/// The rig of a session.
pub(super) fn rig(session: &Session) -> Rig<'_> {
    Rig { catalog: session.catalog(), project: session.project(), report: session.report() }
}

/// How the rig is exported now.
pub(super) fn options(prefs: &super::Prefs, dark: bool) -> Options {
    let theme = if dark { crate::drawing::palette::Theme::Dark } else { crate::drawing::palette::Theme::Light };
    Options { layout: prefs.export.layout.clone(), bom: prefs.export.bom, layer: prefs.layer, theme }
}

/// From the other build to this one, or the other way round.
pub(super) fn difference_of(session: &Session, other: &Compared, turned: bool) -> Difference {
    let there = Rig { catalog: &other.catalog, project: &other.project, report: &other.report };
    let here = &session.project().name;
    if turned { difference(rig(session), here, there, &other.name) } else { difference(there, &other.name, rig(session), here) }
}

impl ExportState {
    pub fn comparing(other: Arc<Compared>) -> Self {
        Self { compared: Some(other), ..Self::default() }
    }

    fn refresh(&mut self, cx: &Cx<'_>) {
        let compared = self.compared.as_deref();
        let key = Key {
            revision: cx.session.revision(),
            format: cx.prefs.export.format,
            options: options(cx.prefs, cx.tokens.is_dark()),
            turned: compared.map(|_| self.turned),
        };
        if self.made.as_ref().is_none_or(|m| m.0 != key) {
            let made = match compared {
                Some(other) => difference_preview(&difference_of(cx.session, other, self.turned), &key),
                None => rig_preview(cx, &key),
            };
            self.made = Some((key, made));
        }
    }
}

fn as_text(data: Vec<u8>) -> Preview {
    Preview::Text(String::from_utf8(data).unwrap_or_default())
}

fn rig_preview(cx: &Cx<'_>, key: &Key) -> Result<Preview, String> {
    let rig = rig(cx.session);
    match key.format {
        Format::Markdown | Format::Text | Format::Bbcode | Format::Csv | Format::Json => export(rig, key.format, &key.options).map(as_text),
        // Sheets and pages are shown by the list that they begin with.
        Format::Xlsx | Format::Html => Ok(Preview::Shown(text::text(&parts_table(rig, key.format, &key.options)?))),
        Format::Svg | Format::Png => Ok(Preview::Picture(draw(rig.catalog, rig.project, rig.report, key.options.layer))),
    }
}

fn difference_preview(difference: &Difference, key: &Key) -> Result<Preview, String> {
    match key.format {
        Format::Xlsx | Format::Html => Ok(Preview::Shown(text::text(&difference.table()))),
        _ => difference.export(key.format, &key.options).map(as_text),
    }
}

pub(super) fn export_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut ExportState, fresh: bool, out: &mut Vec<Action>) -> bool {
    let mut prefs = cx.prefs.export.clone();
    head_ui(ui, cx, state, &mut prefs);
    let list = state.compared.is_none();
    if list && prefs.format.has_columns() {
        layout_ui(ui, cx, state, &mut prefs, out);
    }
    choices_ui(ui, cx, list, &mut prefs, out);
    if prefs != cx.prefs.export {
        out.push(Action::ExportPrefs(Box::new(prefs.clone())));
    }
    state.refresh(cx);
    ui.label(sub(cx.tokens, about(cx, state)));
    ui.add_space(4.0);
    let height = (ui.ctx().content_rect().height() - 320.0).max(90.0);
    let size = vec2(ui.available_width(), height);
    ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::Min), |ui| {
        ui.set_min_height(height);
        if list && prefs.format.has_columns() && size.x > 520.0 {
            let mut layout = layout_of(&prefs);
            let width = 206.0;
            ui.allocate_ui_with_layout(vec2(width, height), egui::Layout::top_down(egui::Align::Min), |ui| {
                ui.set_width(width);
                if columns::columns_ui(ui, cx, &mut layout.columns, height) {
                    out.push(Action::ExportPrefs(Box::new(ExportPrefs { layout: Some(layout), ..prefs.clone() })));
                }
            });
        }
        preview_ui(ui, cx, state, height);
    });
    let close = foot_ui(ui, cx, state, fresh, out);
    keep_ui(ui.ctx(), cx, state, &prefs, out);
    close
}

/// The layout in force.
fn layout_of(prefs: &ExportPrefs) -> Layout {
    prefs.layout.clone().or_else(|| Layout::built_in(prefs.format.usual_preset())).unwrap_or_default()
}

fn head_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut ExportState, prefs: &mut ExportPrefs) {
    ui.horizontal_wrapped(|ui| {
        ui.label(title(if state.compared.is_some() { "Difference" } else { "Export" }));
        ui.add_space(8.0);
        for format in Format::ALL {
            if state.compared.is_some() && matches!(format, Format::Svg | Format::Png) {
                continue;
            }
            if chip(ui, cx.tokens, prefs.format == format, format.name()).clicked() {
                prefs.format = format;
            }
        }
    });
    if state.compared.is_some() {
        if matches!(prefs.format, Format::Svg | Format::Png) {
            prefs.format = Format::Markdown;
        }
        ui.horizontal_wrapped(|ui| {
            ui.label(sub(cx.tokens, "The other build is"));
            for (turned, name) in [(false, "what is there"), (true, "what is wanted")] {
                if chip(ui, cx.tokens, state.turned == turned, name).clicked() {
                    state.turned = turned;
                }
            }
            if ui.button("Back to the list").clicked() {
                state.compared = None;
                state.made = None;
            }
        });
    }
}

/// Which layout, and what it does to rows.
fn layout_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut ExportState, prefs: &mut ExportPrefs, out: &mut Vec<Action>) {
    let mut layout = layout_of(prefs);
    let before = layout.clone();
    let name = preset_name(cx, &layout);
    ui.horizontal_wrapped(|ui| {
        let label = ui.label(sub(cx.tokens, "Layout"));
        let shown = name.clone().unwrap_or_else(|| "changed".to_owned());
        let combo = ComboBox::from_id_salt("preset").selected_text(&shown).width(130.0).height(400.0).show_ui(ui, |ui| {
            for (own, preset) in cx.presets {
                if ui.selectable_label(name.as_ref() == Some(own), own).clicked() {
                    layout = preset.clone();
                }
            }
            for preset in BUILT_IN {
                if ui.selectable_label(name.as_deref() == Some(preset.name), preset.name).on_hover_text(preset.about).clicked() {
                    layout = preset.layout();
                }
            }
        });
        combo.response.labelled_by(label.id);
        match name.filter(|n| cx.presets.contains_key(n)) {
            Some(own) => {
                if ui.button("Forget").on_hover_text("Forget this layout of yours").clicked() {
                    out.push(Action::DropPreset(own));
                }
            }
            None => {
                if ui.button("Keep as…").on_hover_text("Keep this layout under a name, for later and for rigbay export --preset").clicked()
                {
                    state.keep_as = Some((String::new(), false));
                }
            }
        }
        ui.add_space(8.0);
        rows_ui(ui, cx, &mut layout);
    });
    if layout != before {
        prefs.layout = Some(layout);
    }
}

fn rows_ui(ui: &mut Ui, cx: &Cx<'_>, layout: &mut Layout) {
    let label = ui.label(sub(cx.tokens, "Groups"));
    let none = "none";
    let shown = layout.group_by.map_or(none, Column::title);
    let combo = ComboBox::from_id_salt("groups").selected_text(shown).width(96.0).height(400.0).show_ui(ui, |ui| {
        ui.selectable_value(&mut layout.group_by, None, none);
        for column in Column::ALL.iter().filter(|c| !c.is_number()) {
            ui.selectable_value(&mut layout.group_by, Some(*column), column.title());
        }
    });
    combo.response.labelled_by(label.id);
    let label = ui.label(sub(cx.tokens, "Sort"));
    let mut sort = layout.sort_text();
    let field = TextEdit::singleline(&mut sort).desired_width(90.0).hint_text("total-");
    if ui.add(field).labelled_by(label.id).on_hover_text("Columns, first the first; a minus puts the largest first: total-,kind").changed()
        && let Ok(parsed) = Layout::parse_sort(&sort)
    {
        layout.sort = parsed;
    }
    let label = ui.label(sub(cx.tokens, "Rows with"));
    let field = TextEdit::singleline(&mut layout.filter).desired_width(150.0).hint_text("kind=gpu; maker!=asus");
    ui.add(field).labelled_by(label.id).on_hover_text(
        "Words that a row must contain, apart by semicolons. COLUMN=TEXT looks in one column, COLUMN!=TEXT leaves rows out, COLUMN= finds empty cells.",
    );
    let mut whole = layout.rows == RowsBy::Part;
    if ui.checkbox(&mut whole, "one row an article").changed() {
        layout.rows = if whole { RowsBy::Part } else { RowsBy::Place };
    }
}

/// The name of a layout, if it is one that has a name.
fn preset_name(cx: &Cx<'_>, layout: &Layout) -> Option<String> {
    let own = cx.presets.iter().find(|(_, l)| *l == layout).map(|(n, _)| n.clone());
    own.or_else(|| BUILT_IN.iter().find(|b| b.layout() == *layout).map(|b| b.name.to_owned()))
}

fn choices_ui(ui: &mut Ui, cx: &Cx<'_>, list: bool, prefs: &mut ExportPrefs, out: &mut Vec<Action>) {
    if prefs.format == Format::Csv {
        let why = "Some spreadsheets take a file for UTF-8 only with it";
        ui.checkbox(&mut prefs.bom, "begin with a byte-order mark").on_hover_text(why);
    }
    if list && prefs.format.has_picture() {
        ui.horizontal_wrapped(|ui| {
            ui.label(sub(cx.tokens, "The picture shows"));
            for &layer in Layer::ALL {
                if chip(ui, cx.tokens, cx.prefs.layer == layer, layer.text()).clicked() {
                    out.push(Action::Layer(layer));
                }
            }
        });
    }
}

/// What the file will hold.
fn about(cx: &Cx<'_>, state: &ExportState) -> String {
    if let Some(other) = &state.compared {
        return difference_of(cx.session, other, state.turned).cost_text();
    }
    match cx.prefs.export.format {
        Format::Xlsx => "A workbook with sheets for parts, lanes, power, heat, memory and findings; sums are formulas. Its first sheet:".to_owned(),
        Format::Html => {
            "A page with the picture, these parts, lanes, ledgers as charts, heat, findings, assumptions and sources; it prints on A4 and Letter. Its list:"
                .to_owned()
        }
        Format::Json => "The whole rig file as JSON, which Rigbay opens again; docs/rig.schema.json describes it.".to_owned(),
        Format::Svg | Format::Png => "The rig to scale, in the colours of this window.".to_owned(),
        Format::Markdown | Format::Text | Format::Bbcode | Format::Csv => cx.session.report().facts.cost.total_text(),
    }
}

/// Characters of a preview; what is longer is copied and saved whole.
const SHOWN: usize = 20_000;

fn preview_ui(ui: &mut Ui, cx: &Cx<'_>, state: &ExportState, height: f32) {
    let frame = egui::Frame::new().fill(cx.tokens.background).corner_radius(6).inner_margin(10);
    frame.show(ui, |ui| match state.made.as_ref().map(|m| &m.1) {
        Some(Ok(Preview::Text(text) | Preview::Shown(text))) => {
            let cut = text.char_indices().nth(SHOWN).map(|(at, _)| at);
            let shown = cut.map_or_else(|| text.clone(), |at| format!("{}\n… and more", text.get(..at).unwrap_or_default()));
            ScrollArea::both().id_salt("preview").max_height(height - 20.0).auto_shrink([false, false]).show(ui, |ui| {
                ui.add(egui::Label::new(egui::RichText::new(shown).monospace().size(11.5)).extend().selectable(true));
            });
        }
        Some(Ok(Preview::Picture(drawing))) => {
            let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height - 20.0), Sense::hover());
            response.widget_info(|| WidgetInfo::labeled(egui::Role::Figure, true, "Picture of the rig"));
            let mut view = View::default();
            view.update(&drawing.bounds, rect);
            paint::drawing(&ui.painter_at(rect), drawing, &view, cx.tokens);
        }
        Some(Err(why)) => {
            ui.set_min_height(height - 20.0);
            ui.set_width(ui.available_width());
            ui.add(egui::Label::new(egui::RichText::new(why).color(cx.tokens.problem)).wrap());
        }
        None => {}
    });
}

/// The buttons; true = close.
fn foot_ui(ui: &mut Ui, cx: &Cx<'_>, state: &ExportState, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.add_space(8.0);
    let format = cx.prefs.export.format;
    let made = state.made.as_ref().and_then(|m| m.1.as_ref().ok());
    let (mut close, mut save, mut copied) = (false, false, None);
    egui::Sides::new().show(
        ui,
        |ui| {
            let copy = ui.add_enabled(matches!(made, Some(Preview::Text(_))), egui::Button::new("Copy to clipboard"));
            if fresh {
                copy.request_focus();
            }
            if let (true, Some(Preview::Text(text))) = (copy.clicked(), made) {
                copied = Some(text);
            }
            compare_ui(ui, cx, out);
        },
        |ui| {
            close = ui.button("Close").clicked();
            save = primary_button(ui, cx.tokens, made.is_some(), "Save as…").clicked();
        },
    );
    if let Some(text) = copied {
        let what = if state.compared.is_some() { "the difference" } else { "the list" };
        out.push(Action::copy(format!("{what} as {}", format.name()), text));
    }
    if save {
        out.push(Action::Close);
        out.push(match &state.compared {
            Some(_) => Action::DifferenceDialog(format, state.turned),
            None => Action::ExportDialog(format),
        });
    }
    close
}

fn compare_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    let variants = &cx.session.project().variants;
    if variants.is_empty() {
        if ui.button("Compare with file…").clicked() {
            out.push(Action::CompareDialog);
        }
        return;
    }
    ui.menu_button("Compare with…", |ui| {
        for name in variants.keys() {
            if ui.button(format!("Variant {name}")).clicked() {
                out.push(Action::CompareVariant(name.clone()));
                ui.close();
            }
        }
        ui.separator();
        if ui.button("File…").clicked() {
            out.push(Action::CompareDialog);
            ui.close();
        }
    });
}

/// Asks under which name to keep the layout.
fn keep_ui(ctx: &egui::Context, cx: &Cx<'_>, state: &mut ExportState, prefs: &ExportPrefs, out: &mut Vec<Action>) {
    let Some((name, focused)) = &mut state.keep_as else { return };
    let mut done = false;
    let modal = Modal::new(Id::unique("keep layout")).show(ctx, |ui| {
        ui.set_width(320.0);
        ui.label(title("Keep this layout"));
        let label = ui.label(sub(cx.tokens, "Name of the layout"));
        let field = ui.add(TextEdit::singleline(name).desired_width(f32::INFINITY)).labelled_by(label.id);
        if !std::mem::replace(focused, true) {
            field.request_focus();
        }
        let usable = !name.trim().is_empty();
        let entered = field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
        ui.add_space(8.0);
        let (mut kept, mut cancelled) = (false, false);
        egui::Sides::new().show(
            ui,
            |_| {},
            |ui| {
                kept = primary_button(ui, cx.tokens, usable, "Keep").clicked();
                cancelled = ui.button("Cancel").clicked();
            },
        );
        if usable && (kept || entered) {
            out.push(Action::KeepPreset(name.trim().to_owned(), Box::new(layout_of(prefs))));
        }
        done = cancelled || usable && (kept || entered);
    });
    if done || modal.should_close() {
        state.keep_as = None;
    }
}
