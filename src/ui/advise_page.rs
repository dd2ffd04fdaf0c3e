//! "Best rigs for the money": what is asked for, the search with its progress, the front as list and picture, and each rig one click away.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use eframe::egui::{self, Label, ProgressBar, ScrollArea, Sense, Ui, WidgetInfo, vec2};

use super::Cx;
use super::action::{Action, Format};
use super::chassis::{paint, view::View};
use super::dialogs::close_row;
use super::variants::free_name;
use super::widgets::{bounded_drag, card, primary_button, row, strong, sub, title};
use crate::analysis::cost::rates;
use crate::catalog::Catalog;
use crate::drawing::charts::cost::pareto;
use crate::project::edit::{Edit, VariantChange};
use crate::project::{Project, UserPrice};
use crate::search::advise::{Advice, Found, Progress, Wish, advise};
use crate::units::{Money, plain, thousands, watts};

/// Shared with the search: how far it is, and whether to stop.
#[derive(Debug, Default)]
pub struct Flags {
    cancel: AtomicBool,
    done: AtomicUsize,
    all: AtomicUsize,
    analysed: AtomicUsize,
    front: AtomicUsize,
}

impl Flags {
    fn tell(&self, progress: Progress) -> bool {
        self.done.store(progress.done, Ordering::Relaxed);
        self.all.store(progress.all, Ordering::Relaxed);
        self.analysed.store(progress.analysed, Ordering::Relaxed);
        self.front.store(progress.front, Ordering::Relaxed);
        !self.cancel.load(Ordering::Relaxed)
    }
}

/// Catalog, what stays with room and work, the wish, and the flags.
pub(super) type Request = (Arc<Catalog>, Arc<Project>, Wish, Arc<Flags>);
pub(super) type Answer = (Arc<Flags>, Result<Advice, String>);

pub(super) fn search((catalog, project, wish, flags): Request) -> Answer {
    let found = advise(&catalog, &project, &wish, &mut |progress| flags.tell(progress));
    (flags, found)
}

#[derive(Debug)]
pub(super) struct AdviseState {
    budget: f64,
    max_watts: Option<f64>,
    max_dba: Option<f64>,
    min_memory: Option<f64>,
    /// What is placed stays.
    keep: bool,
    without_problems: bool,
    allow_unknown: bool,
    running: Option<Arc<Flags>>,
    answer: Option<Result<Arc<Advice>, String>>,
    chosen: usize,
}

impl Default for AdviseState {
    fn default() -> Self {
        Self {
            budget: 3000.0,
            max_watts: None,
            max_dba: None,
            min_memory: None,
            keep: false,
            without_problems: false,
            allow_unknown: false,
            running: None,
            answer: None,
            chosen: 0,
        }
    }
}

impl AdviseState {
    pub fn started(&mut self, flags: Arc<Flags>) {
        self.running = Some(flags);
        self.answer = None;
    }

    /// Takes the answer of the search that is waited for.
    pub fn take(&mut self, (flags, found): Answer) {
        if self.running.as_ref().is_some_and(|r| Arc::ptr_eq(r, &flags)) {
            self.running = None;
            self.chosen = 0;
            self.answer = Some(found.map(Arc::new));
        }
    }

    pub fn stop(&self) {
        if let Some(flags) = &self.running {
            flags.cancel.store(true, Ordering::Relaxed);
        }
    }

    fn wish(&self, currency: crate::units::Currency) -> Wish {
        Wish {
            max_watts: self.max_watts,
            max_dba: self.max_dba,
            min_memory_gb: self.min_memory,
            without_problems: self.without_problems,
            allow_unknown: self.allow_unknown,
            ..Wish::new(Money::new(self.budget, currency))
        }
    }
}

pub(super) fn advise_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut AdviseState, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.label(title("Best rigs for the money"));
    let project = cx.session.project();
    let Some(work) = project.workloads.first() else {
        ui.label("There is no work to judge rigs by. Add a workload in the work panel first.");
        return close_row(ui, fresh);
    };
    let text = format!(
        "Searches the catalog's priced parts for the fastest rig at each cost that runs {} ({}, {} tokens, {}) and passes every blocker. \
         Room, prices and limits are those of this rig.",
        work.name,
        work.precision.text(),
        thousands(work.context as f64, 0),
        crate::units::count(work.batch, "sequence")
    );
    ui.add(Label::new(sub(cx.tokens, text)).wrap());
    ui.add_space(4.0);
    wish_ui(ui, cx, state, out);
    ui.add_space(6.0);
    let height = (ui.ctx().content_rect().height() - 430.0).max(120.0);
    match (&state.running, &state.answer) {
        (Some(flags), _) => progress_ui(ui, cx, flags),
        (None, Some(Err(text))) => {
            ui.add(Label::new(egui::RichText::new(text).color(cx.tokens.problem)).wrap());
        }
        (None, Some(Ok(advice))) => {
            let advice = advice.clone();
            answer_ui(ui, cx, state, &advice, height, out);
        }
        (None, None) => {}
    }
    let close = close_row(ui, fresh);
    if close {
        state.stop();
    }
    close
}

fn wish_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut AdviseState, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let currency = cx.session.project().room.currency;
    ui.horizontal_top(|ui| {
        ui.vertical(|ui| {
            ui.set_width(300.0);
            row(ui, t, "Budget", |ui| {
                bounded_drag(ui, &mut state.budget, 0.0..=1e9, |d| d.speed(25.0).max_decimals(2).suffix(format!(" {currency}")))
            });
            optional(ui, cx, "Draw at most", &mut state.max_watts, 800.0, " W");
            optional(ui, cx, "Noise at most", &mut state.max_dba, 45.0, " dB(A)");
            optional(ui, cx, "Memory", &mut state.min_memory, 24.0, " GB on the cards, or more");
        });
        ui.vertical(|ui| {
            let empty = cx.session.project().rig.is_empty();
            ui.add_enabled_ui(!empty, |ui| ui.checkbox(&mut state.keep, "What is placed stays, and costs nothing"));
            ui.checkbox(&mut state.without_problems, "Also without problems that are no blockers");
            ui.checkbox(&mut state.allow_unknown, "Also rigs on which a fact is missing to judge a blocker");
            ui.add_space(4.0);
            ui.horizontal(|ui| {
                if state.running.is_some() {
                    if ui.button("Stop").clicked() {
                        state.stop();
                    }
                } else if primary_button(ui, t, state.budget > 0.0, "Search").clicked() {
                    out.push(Action::Advise(Box::new(state.wish(currency)), state.keep && !empty));
                }
            });
        });
    });
}

/// A limit that may be left out.
fn optional(ui: &mut Ui, cx: &Cx<'_>, name: &str, value: &mut Option<f64>, start: f64, unit: &str) {
    row(ui, cx.tokens, name, |ui| {
        let mut on = value.is_some();
        if ui.checkbox(&mut on, "").changed() {
            *value = on.then_some(start);
        }
        if let Some(value) = value {
            bounded_drag(ui, value, 1.0..=1e6, |d| d.speed(1.0).max_decimals(1).suffix(unit.to_owned()));
        } else {
            ui.label(sub(cx.tokens, "any"));
        }
    });
}

fn progress_ui(ui: &mut Ui, cx: &Cx<'_>, flags: &Flags) {
    let of = |n: &AtomicUsize| n.load(Ordering::Relaxed);
    let (done, all) = (of(&flags.done), of(&flags.all).max(1));
    let text = format!("{done} of {all} choices of cards, {} rigs analysed, {} on the front", of(&flags.analysed), of(&flags.front));
    ui.add(ProgressBar::new(done as f32 / all as f32).desired_width(ui.available_width()));
    ui.label(sub(cx.tokens, text));
    ui.ctx().request_repaint_after(std::time::Duration::from_millis(100));
}

fn answer_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut AdviseState, advice: &Advice, height: f32, out: &mut Vec<Action>) {
    for remark in &advice.remarks {
        ui.add(Label::new(remark).wrap());
    }
    ui.add(Label::new(sub(cx.tokens, proof_text(advice))).wrap());
    if advice.front.is_empty() {
        return;
    }
    ui.add_space(4.0);
    state.chosen = state.chosen.min(advice.front.len() - 1);
    ui.horizontal_top(|ui| {
        let list = (ui.available_width() * 0.42).clamp(300.0, 430.0);
        ui.vertical(|ui| {
            ui.set_width(list);
            ScrollArea::vertical().id_salt("front").max_height(height).auto_shrink([false, true]).show(ui, |ui| {
                for (n, found) in advice.front.iter().enumerate() {
                    found_ui(ui, cx, state, n, found);
                    ui.add_space(4.0);
                }
            });
        });
        ui.vertical(|ui| {
            ScrollArea::vertical().id_salt("chosen").max_height(height).auto_shrink([false, true]).show(ui, |ui| {
                if let Some(found) = advice.front.get(state.chosen) {
                    choice_ui(ui, cx, found, out);
                    picture_ui(ui, cx, advice, out);
                    detail_ui(ui, cx, found);
                }
            });
        });
    });
}

fn proof_text(advice: &Advice) -> String {
    let proof = if advice.cancelled {
        "Stopped before the end".to_owned()
    } else if advice.gap == 0.0 {
        "Proven: no rig of these parts that passes is cheaper and as fast".to_owned()
    } else if advice.gap.is_finite() {
        format!("No rig of these parts is faster at the same cost by more than {} %", plain(advice.gap * 100.0, 2))
    } else {
        "More rigs than could be analysed are left".to_owned()
    };
    let priced: usize = advice.priced.values().sum();
    format!(
        "{proof}. {} parts with a price took part, {} were left out because nobody gives a price; {} rigs were analysed whole.",
        thousands(priced as f64, 0),
        thousands(advice.left_out.total() as f64, 0),
        thousands(advice.analysed as f64, 0)
    )
}

fn found_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut AdviseState, n: usize, found: &Found) {
    let chosen = state.chosen == n;
    let shown = card(ui, cx.tokens, chosen, |ui| {
        ui.horizontal(|ui| {
            ui.label(strong(found.cost.to_string()));
            ui.label(strong(format!("{} {}", plain(found.speed, 1), found.unit)));
        });
        ui.add(Label::new(found.cards.as_str()).wrap());
        let wall = found.wall_w.map_or_else(|| "draw unknown".to_owned(), |w| format!("{} from the wall", watts(w)));
        let noise = found.noise_dba.map_or_else(String::new, |d| format!(", {} dB(A)", plain(d, 0)));
        ui.add(Label::new(sub(cx.tokens, format!("{}, {wall}{noise}", found.memory))).wrap());
    });
    let response = ui.interact(shown.response.rect, ui.scope_id().with(("found", n)), Sense::click());
    let name = format!("{} for {}", found.cards, found.cost);
    response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, chosen, name.clone()));
    if response.clicked() {
        state.chosen = n;
    }
}

/// The front with the present rig in it.
fn picture_ui(ui: &mut Ui, cx: &Cx<'_>, advice: &Advice, out: &mut Vec<Action>) {
    let facts = &cx.session.report().facts;
    let same = advice.front.first().is_some_and(|f| f.cost.currency == facts.cost.known_total.currency);
    let speed = rates::main(&facts.speed, 0).ok().map(|(rate, _)| rate.value);
    let present = speed.filter(|_| same && facts.cost.unpriced.is_empty()).map(|s| (facts.cost.known_total, s));
    let front: Vec<(Money, f64, &str)> = advice.front.iter().map(|f| (f.cost, f.speed, f.cards.as_str())).collect();
    let unit = advice.front.first().map_or("", |f| f.unit);
    let Some(drawing) = pareto(&front, unit, present) else { return };
    let width = ui.available_width();
    let (rect, response) = ui.allocate_exact_size(vec2(width, (width * 0.53).min(330.0)), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Figure, true, "The fastest rig for each cost"));
    let mut view = View::default();
    view.update(&drawing.bounds, rect);
    paint::drawing(&ui.painter_at(rect), &drawing, &view, cx.tokens);
    ui.horizontal(|ui| {
        for format in [Format::Svg, Format::Png] {
            if ui.button(format!("Save as {}…", format.name())).clicked() {
                out.push(super::charts::cost::saved(cx, &drawing, format));
            }
        }
    });
}

/// The chosen rig, and what can be done with it.
fn choice_ui(ui: &mut Ui, cx: &Cx<'_>, found: &Found, out: &mut Vec<Action>) {
    ui.label(strong(format!("{} for {}", found.cards, found.cost)));
    ui.horizontal_wrapped(|ui| {
        if primary_button(ui, cx.tokens, true, "Open as variant").clicked() {
            out.push(Action::Edit(open(cx, found)));
            out.push(Action::Close);
        }
        if ui.button("Only keep as variant").clicked() {
            out.push(Action::Edit(keep(cx, found)));
            out.push(Action::Notice("Kept under Rig, Variants.".to_owned()));
        }
    });
}

/// Its parts, and why a cheaper one does not do.
fn detail_ui(ui: &mut Ui, cx: &Cx<'_>, found: &Found) {
    ui.add_space(6.0);
    let mut seen: Vec<(&str, usize, Option<Money>)> = Vec::new();
    for part in &found.parts {
        match seen.iter_mut().find(|s| s.0 == part.name && s.2.is_some() == part.price.is_some()) {
            Some(group) => group.1 += 1,
            None => seen.push((part.name.as_str(), 1, part.price)),
        }
    }
    for (name, count, price) in seen {
        let times = if count > 1 { format!("{count} x ") } else { String::new() };
        let price = price.map_or_else(|| "stays".to_owned(), |p| p.to_string());
        ui.add(Label::new(format!("{times}{name}: {price}")).wrap());
    }
    if found.paid != found.cost {
        ui.label(format!("With tax and shipping {}", found.paid));
    }
    ui.add_space(4.0);
    for line in found.why.iter().chain(&found.unknown) {
        ui.add(Label::new(sub(cx.tokens, line.as_str())).wrap());
    }
    for problem in &found.problems {
        ui.add(Label::new(egui::RichText::new(problem).size(12.0).color(cx.tokens.advice)).wrap());
    }
}

/// Edits that keep a found rig as a variant, with the prices that it counts on.
fn kept(cx: &Cx<'_>, found: &Found) -> (String, Vec<Edit>) {
    let project = cx.session.project();
    let stem = format!("{} for {}", found.cards, found.cost);
    let name = if project.variants.contains_key(&stem) { free_name(project, &stem) } else { stem };
    let put = Edit::Variant { name: name.clone(), change: VariantChange::Put(Box::new(found.build.clone())) };
    let mut edits = vec![put];
    let mut priced: Vec<&crate::catalog::part::PartId> = Vec::new();
    for part in found.parts.iter().filter(|p| !priced.contains(&&p.part)).collect::<Vec<_>>() {
        let from_book: Option<&UserPrice> = cx.book.and_then(|b| b.get(&part.part));
        if let Some(price) = from_book.filter(|p| project.prices.parts.get(&part.part) != Some(p)) {
            edits.push(Edit::Price { part: part.part.clone(), price: Some(price.clone()) });
        }
        priced.push(&part.part);
    }
    (name, edits)
}

fn keep(cx: &Cx<'_>, found: &Found) -> Edit {
    let (name, edits) = kept(cx, found);
    Edit::Many { label: format!("Keep {name}"), edits }
}

fn open(cx: &Cx<'_>, found: &Found) -> Edit {
    let (name, mut edits) = kept(cx, found);
    let project = cx.session.project();
    if !project.rig.is_empty() && !project.variants.values().any(|b| *b == project.rig) {
        edits.push(Edit::Variant { name: free_name(project, "Build"), change: VariantChange::Keep });
    }
    edits.push(Edit::Variant { name: name.clone(), change: VariantChange::Switch });
    Edit::Many { label: format!("Open {name}"), edits }
}
