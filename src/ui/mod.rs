//! The window. Views read the session and push actions; nothing else writes the document.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{self, CentralPanel, Frame, Margin, Panel, Rect, ScrollArea, Stroke, Ui};

use crate::analysis::airflow::Cut;
use crate::catalog::Catalog;
use crate::catalog::model::ModelShape;
use crate::catalog::part::PartId;
use crate::export::layout::Presets;
use crate::export::presets;
use crate::import::open;
use crate::project::UserPrice;
use crate::session::{Preview, Session};
use crate::worker::Worker;

pub mod action;
pub mod advise_page;
mod air_ui;
mod apply;
mod arrange;
mod autosave;
mod board_settings;
mod by_hand;
pub mod charts;
pub mod chassis;
pub mod commands;
mod cooling;
mod crash;
pub mod dialogs;
pub mod drag;
mod economy_ui;
mod export;
mod file_dialogs;
pub mod findings;
mod fit_page;
mod flow_network;
pub mod icons;
mod import_list;
mod import_opendb;
pub mod inspector;
pub mod lessons;
mod library;
mod loading;
pub mod machine;
pub mod notices;
mod palette_dialog;
mod part_card;
mod part_compare;
mod part_editor;
mod part_text;
pub mod parts_panel;
mod pick_list;
mod place_menu;
pub mod prefs;
mod price_book;
mod price_ui;
mod purpose;
mod replay_page;
mod rig_io;
mod saving;
mod serving_ui;
mod settings;
mod sharing_ui;
mod side_by_side;
pub mod start;
pub mod theme;
mod thumbnail;
pub mod top_bar;
mod topology;
pub mod training_settings;
mod variants;
pub mod widgets;
mod workers;
pub mod workload_panel;

use crate::lesson::Lesson;
use action::{Action, Side};
use dialogs::Dialogs;
use lessons::record::Recorder;
use lessons::{Lessons, Run};
use notices::Notices;
use prefs::Prefs;
use theme::{PANEL_MARGIN, Tokens};
use workers::Workers;

/// What every view may read.
#[derive(Debug)]
pub struct Cx<'a> {
    pub session: &'a Session,
    pub tokens: &'a Tokens,
    /// What the edit under the pointer, or in the open dialog, would lead to.
    pub preview: Option<&'a Preview>,
    pub prefs: &'a Prefs,
    /// Measured records that were read, beside predictions.
    pub replay: Option<&'a replay_page::Replayed>,
    /// The user's own layouts of lists.
    pub presets: &'a Presets,
    /// Prices of the book that was read last.
    pub book: Option<&'a BTreeMap<PartId, UserPrice>>,
    /// Today, `YYYY-MM-DD`.
    pub today: &'a str,
    pub lessons: &'a [Arc<Lesson>],
    /// The lesson that runs.
    pub lesson: Option<&'a Run>,
}

impl Cx<'_> {
    /// Whether a lesson asks for a guess that charts and figures would give away.
    pub fn awaits_guess(&self) -> bool {
        self.lesson.is_some_and(Run::awaits_guess)
    }
}

/// Size of the window in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    pub width: f32,
    pub height: f32,
}

impl Size {
    /// Side panels become drawers and charts become tabs.
    pub fn is_small(self) -> bool {
        self.width < 1000.0 || self.height < 640.0
    }
}

/// How the window starts.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A rig file to open.
    pub open: Option<PathBuf>,
    /// An example to open, by its name.
    pub example: Option<String>,
    /// Today, `YYYY-MM-DD`; dates new prices.
    pub today: String,
    /// Theme for this run only.
    pub theme: Option<action::Theme>,
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// If there is no display or no way to draw on it.
pub fn run(options: Options) -> Result<(), String> {
    let viewport = egui::ViewportBuilder::default()
        .with_title("Rigbay")
        .with_app_id("rigbay")
        .with_inner_size([1440.0, 900.0])
        .with_min_inner_size([480.0, 360.0])
        .with_drag_and_drop(true);
    crash::install();
    let native = eframe::NativeOptions { viewport, ..Default::default() };
    let start = Box::new(|cc: &eframe::CreationContext<'_>| -> Result<Box<dyn eframe::App>, _> { Ok(Box::new(App::new(cc, options))) });
    eframe::run_native("Rigbay", native, start).map_err(|e| e.to_string())
}

/// The window's whole state.
#[derive(Debug)]
pub struct App {
    pub session: Session,
    pub prefs: Prefs,
    pub notices: Notices,
    pub dialogs: Dialogs,
    pub views: Views,
    pub lessons: Lessons,
    /// Measured records that were read last.
    replayed: Option<replay_page::Replayed>,
    /// The user's own layouts of lists.
    pub presets: Presets,
    /// Where they are kept; none: nowhere.
    pub presets_file: Option<PathBuf>,
    /// The program's own catalog, without any file's copies.
    base: Arc<Catalog>,
    workers: Workers,
    /// The user's own catalog; none: nowhere.
    pub catalog_folder: Option<PathBuf>,
    /// Parts that the user changed since the catalog was read.
    changed_parts: Vec<PartId>,
    /// The document's revision that the picture's finer grid was asked for.
    pictured: Option<u64>,
    /// Prices of the book that was read last.
    book: Option<BTreeMap<PartId, UserPrice>>,
    autosave: autosave::Autosave,
    /// Stands for the content of the document's file as this window last read or wrote it.
    on_disk: Option<u64>,
    asked: Option<u64>,
    tokens: Tokens,
    today: String,
    title: String,
    start: bool,
    quitting: bool,
    discarding: bool,
    /// Window time at which something was last being dragged.
    dragged_at: f64,
    tooltip_delay: f32,
}

/// View state of the panels; never part of the document.
#[derive(Debug, Default)]
pub struct Views {
    pub chassis: chassis::ChassisState,
    pub parts: parts_panel::PartsState,
    pub inspector: inspector::InspectorState,
    pub workload: workload_panel::WorkloadState,
    pub findings: findings::FindingsState,
    pub charts: charts::ChartsState,
    pub start: start::StartState,
    pub lesson: lessons::LessonViews,
    /// Where the chassis is in the window.
    center: Option<Rect>,
    side: SideState,
}

/// How the inspector and what is below it share the side panel.
#[derive(Debug, Default)]
struct SideState {
    /// What is below keeps its place on the screen when the inspector opens: a finding led to the selection, and the pointer is on it.
    keep_below: bool,
    inspector_height: f32,
    offset: f32,
}

impl App {
    pub fn new(cc: &eframe::CreationContext<'_>, options: Options) -> Self {
        let mut notices = Notices::default();
        let on_start_page = options.open.is_none() && options.example.is_none();
        // A file that is opened at once needs the whole catalog.
        let in_background = on_start_page && library::is_large(crate::files::user_catalog().as_deref());
        let (catalog, models) = loading::builtin(&mut notices, !in_background);
        let (known, faults) = crate::lesson::all(crate::files::user_lessons().as_deref());
        faults.iter().for_each(|f| notices.problem(format!("A lesson was left out: {f}")));
        let ctx = cc.egui_ctx.clone();
        let lessons = Lessons::new(known, Worker::start(lessons::solve, move || ctx.request_repaint()));
        let mut app = Self::with(cc, catalog, models, (Workers::start(&cc.egui_ctx), lessons), notices, options);
        app.catalog_folder = crate::files::user_catalog();
        if in_background {
            app.reload(Vec::new());
        }
        app.autosave = autosave::Autosave::start();
        app.views.start.left_behind = app.autosave.left_behind();
        app.presets_file = crate::files::export_presets();
        match presets::load(app.presets_file.as_deref()) {
            Ok(presets) => app.presets = presets,
            Err(text) => app.notices.problem(text),
        }
        if !on_start_page && !app.views.start.left_behind.is_empty() {
            app.notices.tell("Unsaved work of an earlier run is kept: File, Start page offers it.");
        }
        app
    }

    /// For tests: a given catalog, and every computation on the caller's thread.
    pub fn inline(cc: &eframe::CreationContext<'_>, catalog: Arc<Catalog>, models: Arc<Vec<Arc<ModelShape>>>, options: Options) -> Self {
        let lessons = Lessons::new(crate::lesson::all(None).0, Worker::inline(lessons::solve));
        Self::with(cc, catalog, models, (Workers::inline(), lessons), Notices::default(), options)
    }

    fn with(
        cc: &eframe::CreationContext<'_>,
        catalog: Arc<Catalog>,
        models: Arc<Vec<Arc<ModelShape>>>,
        (workers, lessons): (Workers, Lessons),
        notices: Notices,
        options: Options,
    ) -> Self {
        theme::install(&cc.egui_ctx);
        let mut prefs: Prefs = cc.storage.and_then(|s| eframe::get_value(s, "prefs")).unwrap_or_default();
        if let Some(theme) = options.theme {
            prefs.theme = theme;
        }
        if let Some(zoom) = prefs.zoom.take() {
            cc.egui_ctx.set_zoom_factor(zoom);
        }
        cc.egui_ctx.set_theme(apply::preference(prefs.theme));
        let mut app = Self {
            session: Session::new(catalog.clone(), models),
            base: catalog,
            prefs,
            notices,
            dialogs: Dialogs::default(),
            views: Views::default(),
            lessons,
            replayed: None,
            presets: Presets::new(),
            presets_file: None,
            workers,
            catalog_folder: None,
            changed_parts: Vec::new(),
            pictured: None,
            book: None,
            autosave: autosave::Autosave::default(),
            on_disk: None,
            asked: None,
            tokens: Tokens::of(crate::drawing::palette::Theme::Dark),
            today: options.today,
            title: String::new(),
            start: true,
            quitting: false,
            discarding: false,
            dragged_at: f64::NEG_INFINITY,
            tooltip_delay: theme::TOOLTIP_DELAY,
        };
        app.views.start.room = app.prefs.room();
        if let Some(path) = options.open {
            app.apply(&cc.egui_ctx, Action::Open(path));
        } else if let Some(name) = options.example {
            app.apply(&cc.egui_ctx, Action::OpenExample(name));
        }
        app
    }

    fn refresh_tokens(&mut self, ctx: &egui::Context) {
        let theme = match ctx.theme() {
            egui::Theme::Dark => crate::drawing::palette::Theme::Dark,
            egui::Theme::Light => crate::drawing::palette::Theme::Light,
        };
        if self.tokens.theme != theme {
            self.tokens = Tokens::of(theme).plain_if(self.lessons.run.as_ref().is_some_and(|r| r.presenting));
        }
    }

    /// Tooltips wait a moment, and longer after a drop, when the pointer rests on what was dropped without asking about it.
    fn hold_tooltips(&mut self, ctx: &egui::Context) {
        let now = ctx.input(|i| i.time);
        if egui::DragAndDrop::has_any_payload(ctx) {
            self.dragged_at = now;
        }
        let delay = if now - self.dragged_at < theme::TOOLTIP_AFTER_DROP { 1e6 } else { theme::TOOLTIP_DELAY };
        if self.tooltip_delay != delay {
            self.tooltip_delay = delay;
            ctx.all_styles_mut(|style| {
                style.interaction.tooltip_delay = delay;
                style.interaction.tooltip_grace_time = if delay > 1.0 { 0.0 } else { 0.2 };
            });
        }
        if delay > 1.0 {
            ctx.request_repaint_after(std::time::Duration::from_secs_f64(theme::TOOLTIP_AFTER_DROP));
        }
    }

    fn refresh_title(&mut self, ctx: &egui::Context) {
        let title = if self.start { "Rigbay".to_owned() } else { format!("{} — Rigbay", self.session.project().name) };
        if title != self.title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    /// Asks for the full report of the present document, once, and takes it when it is there.
    fn compute(&mut self) {
        let revision = self.session.revision();
        if self.asked != Some(revision) {
            self.asked = Some(revision);
            self.workers.analysis.ask((revision, self.session.catalog().clone(), self.session.project().clone()));
        }
        if let Some((revision, report)) = self.workers.analysis.answer() {
            self.session.adopt(revision, report);
        }
        // Live numbers first, then the ledger's grid, then the finer one of the picture.
        let shown = self.prefs.layer.is_air() && self.session.report().facts.airflow.cut == Cut::Grid;
        if shown && self.pictured != Some(revision) {
            self.pictured = Some(revision);
            let (catalog, project) = (self.session.catalog().clone(), self.session.project().clone());
            self.workers.painter.ask((revision, catalog, project, self.session.report().clone()));
        }
        if let Some((revision, field)) = self.workers.painter.answer() {
            self.session.adopt_field(revision, field);
        }
        if let Some(answer) = self.workers.arranger.answer().filter(|a| a.0 == self.session.revision()) {
            self.dialogs.arranged(answer);
        }
        if let Some(answer) = self.workers.cooler.answer().filter(|a| a.0 == self.session.revision()) {
            self.dialogs.cooled(answer);
        }
        if let Some(answer) = self.workers.adviser.answer() {
            self.dialogs.advised(answer);
        }
        self.take_library();
        self.tend_lesson();
    }

    /// Computes what the edit under the pointer or in the open dialog would change.
    fn refresh_preview(&mut self, ctx: &egui::Context) {
        let wanted = self.dialogs.preview_edit().or_else(|| self.views.chassis.hover_edit.clone());
        let shown = self.session.current_preview().map(|p| &p.edit);
        if shown == wanted.as_ref() {
            return;
        }
        match wanted {
            Some(edit) => {
                self.session.preview(&edit);
            }
            None => self.session.end_preview(),
        }
        ctx.request_repaint();
    }
}

impl eframe::App for App {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        self.compute();
        if let Some(problem) = self.autosave.tick(ctx, self.lessons.own_session().unwrap_or(&self.session)) {
            self.notices.problem(problem);
        }
        if ctx.input(|i| i.viewport().close_requested()) && !self.may_close() {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.leave_lesson(ctx);
            self.dialogs.ask_unsaved(Action::Quit);
        }
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.refresh_tokens(&ctx);
        self.refresh_title(&ctx);
        self.hold_tooltips(&ctx);
        self.fit_presenter(&ctx);
        let content = ctx.content_rect();
        let size = Size { width: content.width(), height: content.height() };
        self.prefs.small = size.is_small();
        let mut out = Vec::new();
        dropped_files(&ctx, self.session.project().workloads.len(), &self.dialogs, self.start, &mut out);
        let Self { session, prefs, notices, dialogs, views, presets, tokens, today, replayed, book, lessons, .. } = self;
        let (replay, book) = (replayed.as_ref(), book.as_ref());
        let Lessons { all, run, recorder, .. } = lessons;
        let preview = session.current_preview();
        let cx = Cx { session, tokens, preview, prefs, replay, presets, book, today, lessons: all, lesson: run.as_ref() };
        if !dialogs.is_open() {
            commands::shortcuts(&ctx, &cx, &mut out);
        }
        layout_ui(ui, &cx, (views, recorder.as_ref()), size, self.start, &mut out);
        dialogs.ui(&ctx, &cx, notices, &mut out);
        let over = views.center.filter(|_| !self.start).unwrap_or(content);
        notices.ui(ui, &cx, over);
        if !out.is_empty() {
            // What the actions changed shows in the next frame.
            ctx.request_repaint();
        }
        for action in out {
            self.apply(&ctx, action);
        }
        self.refresh_preview(&ctx);
        if self.asked != Some(self.session.revision()) {
            self.compute();
            ctx.request_repaint();
        }
    }

    /// Only a wanted end comes here, so nothing is left to recover.
    fn on_exit(&mut self) {
        self.autosave.forget();
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, "prefs", &self.lessons.own_prefs(&self.prefs));
    }
}

/// Files dropped on the window: rigs open, models become a workload, dumps of a machine and parts lists go to their dialogs.
fn dropped_files(ctx: &egui::Context, workloads: usize, dialogs: &Dialogs, start: bool, out: &mut Vec<Action>) {
    let paths: Vec<PathBuf> = ctx.input(|i| i.raw.dropped_files.iter().map(|f| f.path().to_owned()).collect());
    let (mut takes_dumps, mut takes_list) = (dialogs.takes_dumps(), dialogs.takes_list());
    for path in paths {
        let extension = path.extension().and_then(|e| e.to_str()).map(str::to_lowercase);
        let is_list = matches!(extension.as_deref(), Some("md" | "html" | "htm")) || takes_list && extension.as_deref() == Some("txt");
        if is_list {
            if !takes_list {
                out.push(Action::Show(action::Screen::FromList));
                takes_list = true;
            }
            out.push(Action::AddList(path));
            continue;
        }
        let is_dump = matches!(extension.as_deref(), Some("txt" | "xml" | "log"));
        if is_dump && !takes_dumps {
            out.push(Action::Show(if start { action::Screen::FromMachine } else { action::Screen::Compare }));
            takes_dumps = true;
        }
        out.push(match extension.as_deref() {
            Some("toml") => Action::Open(path),
            Some("csv") => Action::Replay(path),
            _ if is_dump || takes_dumps => Action::AddDump(path),
            Some("json") if apply::is_rig_json(&path) => Action::Open(path),
            _ if open::is_model(&path) => Action::ImportModel(path, workloads),
            _ => Action::Notice(format!(
                "{}: drop a rig file (.toml), a model's config.json, .gguf or .safetensors, a machine's dump (.txt, .xml), a parts list (.md, .html), or measured records (.csv).",
                path.display()
            )),
        });
    }
}

fn panel_frame(t: &Tokens) -> Frame {
    Frame::new().fill(t.panel).inner_margin(Margin::same(PANEL_MARGIN))
}

type Shown<'a> = (&'a mut Views, Option<&'a Recorder>);

fn layout_ui(ui: &mut Ui, cx: &Cx<'_>, (views, recorder): Shown<'_>, size: Size, start: bool, out: &mut Vec<Action>) {
    let t = cx.tokens;
    if let Some(run) = cx.lesson.filter(|r| r.presenting) {
        lessons::presenter::presenter_ui(ui, cx, run, views, out);
        return;
    }
    let bar = Frame::new().fill(t.panel).inner_margin(Margin::symmetric(PANEL_MARGIN, 0));
    Panel::top("top").exact_size(top_bar::HEIGHT).resizable(false).frame(bar).show(ui, |ui| top_bar::top_bar_ui(ui, cx, size, start, out));
    if start {
        let page = Frame::new().fill(t.background);
        CentralPanel::no_frame().frame(page).show(ui, |ui| start::start_ui(ui, cx, &mut views.start, out));
        return;
    }
    lesson_column_ui(ui, cx, views, recorder, size, out);
    if size.is_small() {
        small_ui(ui, cx, views, size, out);
    } else {
        wide_ui(ui, cx, views, size, out);
    }
}

/// The step of the lesson that runs, or the recorder, at the left; in a narrow window above the rest.
fn lesson_column_ui(ui: &mut Ui, cx: &Cx<'_>, views: &mut Views, recorder: Option<&Recorder>, size: Size, out: &mut Vec<Action>) {
    if cx.lesson.is_none() && recorder.is_none() {
        return;
    }
    let frame = panel_frame(cx.tokens);
    let panel = if size.width < 760.0 {
        Panel::top("lesson-top").exact_size(size.height * 0.4).resizable(false)
    } else {
        Panel::left("lesson").default_size(if size.width >= 1700.0 { 400.0 } else { 320.0 }).size_range(280.0..=size.width * 0.4)
    };
    panel.frame(frame).show(ui, |ui| match (cx.lesson, recorder) {
        (Some(run), _) if size.is_small() => lessons::panel::step_ui(ui, cx, run, &mut views.lesson, out),
        (Some(run), _) => lessons::panel::column_ui(ui, cx, run, views, out),
        (None, Some(recorder)) => lessons::record::recorder_ui(ui, cx, recorder, out),
        (None, None) => {}
    });
}

/// Three columns and a strip of charts.
fn wide_ui(ui: &mut Ui, cx: &Cx<'_>, views: &mut Views, size: Size, out: &mut Vec<Action>) {
    let frame = panel_frame(cx.tokens);
    let largest = (size.width * 0.34).max(250.0);
    let mut open = (cx.prefs.parts_open, cx.prefs.work_open, cx.prefs.charts_open);
    let default = if size.width >= 1700.0 { 310.0 } else { 276.0 };
    // In a lesson the parts lie below its step.
    if cx.lesson.is_none() {
        let parts = Panel::left("parts").default_size(default).size_range(236.0..=largest).frame(frame);
        parts.show_collapsible(ui, &mut open.0, |ui| parts_panel::parts_panel_ui(ui, cx, &mut views.parts, out));
    }
    let default = if size.width >= 1400.0 { 340.0 } else { 300.0 };
    let work = Panel::right("work").default_size(default).size_range(270.0..=largest).frame(frame);
    work.show_collapsible(ui, &mut open.1, |ui| side_ui(ui, cx, views, out));
    let default = (size.height * 0.35).clamp(230.0, 380.0);
    let strip = Panel::bottom("charts").default_size(default).size_range(170.0..=size.height * 0.6).frame(frame);
    strip.show_collapsible(ui, &mut open.2, |ui| charts::charts_ui(ui, cx, &mut views.charts, &mut views.workload.shown, false, out));
    for (side, now, before) in
        [(Side::Parts, open.0, cx.prefs.parts_open), (Side::Work, open.1, cx.prefs.work_open), (Side::Charts, open.2, cx.prefs.charts_open)]
    {
        if now != before {
            out.push(Action::Toggle(side));
        }
    }
    center_ui(ui, cx, views, out);
}

fn center_ui(ui: &mut Ui, cx: &Cx<'_>, views: &mut Views, out: &mut Vec<Action>) {
    let frame = Frame::new().fill(cx.tokens.background);
    let shown = CentralPanel::no_frame().frame(frame).show(ui, |ui| {
        if !cx.session.opening_notes.is_empty() {
            opening_notes_ui(ui, cx, out);
        }
        match cx.lesson.filter(|r| r.split.is_some()) {
            Some(run) => lessons::split_ui(ui, cx, run),
            None => chassis::chassis_ui(ui, cx, &mut views.chassis, out),
        }
    });
    views.center = Some(shown.response.rect);
    drag::ghost_ui(ui.ctx(), cx, shown.response.rect);
}

/// What differs since the file was saved: under other versions its figures may have changed.
fn opening_notes_ui(ui: &mut Ui, cx: &Cx<'_>, out: &mut Vec<Action>) {
    let t = cx.tokens;
    Frame::new().fill(t.tint(crate::drawing::Role::Advice, 0.14)).inner_margin(Margin::symmetric(12, 6)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        egui::CollapsingHeader::new("This file was saved by other versions; what changed").show(ui, |ui| {
            ScrollArea::vertical().max_height(140.0).show(ui, |ui| {
                for note in &cx.session.opening_notes {
                    ui.add(egui::Label::new(note).wrap());
                }
            });
            if ui.button("Use the program's own facts").clicked() {
                out.push(Action::UpdateFromCatalog);
            }
        });
    });
}

/// The selected part above, at most half as high as the panel; work and findings below, each with a scroll area of its own.
fn side_ui(ui: &mut Ui, cx: &Cx<'_>, views: &mut Views, out: &mut Vec<Action>) {
    let most = (ui.available_height() * 0.45).max(110.0);
    let top = ui.cursor().top();
    inspector::inspector_ui(ui, cx, &mut views.inspector, most, out);
    let height = ui.cursor().top() - top;
    let side = &mut views.side;
    let moved = height - std::mem::replace(&mut side.inspector_height, height);
    let mut area = ScrollArea::vertical().id_salt("side").auto_shrink([false, false]);
    if side.keep_below && moved.abs() > 0.5 {
        area = area.vertical_scroll_offset((side.offset + moved).max(0.0));
    }
    let shown = area.show(ui, |ui| {
        workload_panel::workload_panel_ui(ui, cx, &mut views.workload, out);
        ui.add_space(14.0);
        findings::findings_ui(ui, cx, &mut views.findings, out);
        ui.add_space(24.0);
    });
    views.side.offset = shown.state.clamped_offset().y;
}

/// Drawers over the chassis, charts as tabs.
fn small_ui(ui: &mut Ui, cx: &Cx<'_>, views: &mut Views, size: Size, out: &mut Vec<Action>) {
    let area = ui.available_rect_before_wrap();
    let strip_height = (size.height * 0.45).clamp(130.0, 230.0);
    if cx.prefs.charts_open && size.height > 330.0 {
        let frame = panel_frame(cx.tokens);
        let strip = Panel::bottom("charts-small").exact_size(strip_height).resizable(false).frame(frame);
        strip.show(ui, |ui| charts::charts_ui(ui, cx, &mut views.charts, &mut views.workload.shown, true, out));
    }
    center_ui(ui, cx, views, out);
    let width = 300.0_f32.min(size.width * 0.8);
    // Two drawers at once only where both fit with something of the rig between them.
    let both = size.width >= 2.0 * width + 200.0;
    // While something is dragged they slide away, so that the whole rig is free to take it.
    let away = ui.animate_bool_with_time(egui::Id::unique("drawers-away"), egui::DragAndDrop::has_any_payload(ui.ctx()), 0.15);
    if away >= 1.0 {
        return;
    }
    let aside = egui::vec2(width * away, 0.0);
    if cx.prefs.is_open(Side::Parts) {
        let rect = Rect::from_min_size(area.min, egui::vec2(width, area.height())).translate(-aside);
        drawer(ui, cx, "parts-drawer", rect, |ui| parts_panel::parts_panel_ui(ui, cx, &mut views.parts, out));
    }
    if cx.prefs.is_open(Side::Work) && (both || !cx.prefs.is_open(Side::Parts)) {
        let rect = Rect::from_min_max(egui::pos2(area.right() - width, area.top()), area.max).translate(aside);
        drawer(ui, cx, "work-drawer", rect, |ui| side_ui(ui, cx, views, out));
    }
}

fn drawer(ui: &Ui, cx: &Cx<'_>, name: &str, rect: Rect, add: impl FnOnce(&mut Ui)) {
    let area = egui::Area::new(egui::Id::unique(name)).order(egui::Order::Middle).fixed_pos(rect.min).constrain(false);
    area.show(ui.ctx(), |ui| {
        let frame = panel_frame(cx.tokens).stroke(Stroke::new(1.0, cx.tokens.line));
        frame.show(ui, |ui| {
            let inner = rect.size() - egui::Vec2::splat(2.0 * f32::from(PANEL_MARGIN) + 2.0);
            ui.set_min_size(inner);
            ui.set_max_size(inner);
            add(ui);
        });
    });
}
