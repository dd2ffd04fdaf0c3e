//! "Advise cooling": every single change ranked by what it gains, applied with one click, and compared with readings of the real rig.

use std::sync::Arc;

use eframe::egui::{self, CollapsingHeader, Label, ProgressBar, RichText, ScrollArea, Ui};

use super::Cx;
use super::action::Action;
use super::dialogs::close_row;
use super::theme::Tokens;
use super::widgets::{bounded_drag, card, chip, primary_button, row, strong, sub, title};
use crate::catalog::Catalog;
use crate::project::Project;
use crate::project::edit::Edit;
use crate::project::trial::{Reading, Trial};
use crate::search::cooling::{Advice, Effort, Gain, Progress, advise_watched};
use crate::units::{Money, plain};

/// Document revision, what to try changes on, and who watches.
pub(super) type Request = (u64, Arc<Catalog>, Arc<Project>, Arc<Progress>);
pub(super) type Answer = (u64, Option<Vec<Advice>>);

pub(super) fn search((revision, catalog, project, progress): Request) -> Answer {
    (revision, advise_watched(&catalog, &project, &progress))
}

/// What the list is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Order {
    #[default]
    Work,
    Degrees,
    Money,
    Effort,
}

#[derive(Debug, Default)]
pub(super) struct CoolingState {
    order: Order,
    answer: Option<(u64, Vec<Advice>)>,
    running: Option<(u64, Arc<Progress>)>,
    /// The change whose first reading is being entered.
    trying: Option<(Advice, Reading)>,
    /// The second reading that is being entered, and of which trial.
    after: Option<(usize, Reading)>,
}

/// Nobody waits for it any more.
impl Drop for CoolingState {
    fn drop(&mut self) {
        if let Some((_, progress)) = &self.running {
            progress.stop();
        }
    }
}

impl CoolingState {
    pub(super) fn asked(&mut self, revision: u64, progress: Arc<Progress>) {
        if let Some((_, old)) = self.running.replace((revision, progress)) {
            old.stop();
        }
    }

    pub(super) fn take(&mut self, (revision, found): Answer) {
        if let Some(found) = found {
            self.answer = Some((revision, found));
            self.running = None;
        }
    }
}

const HINT: &str = "Each line is one change of the rig as it stands, under full load. Both are computed under the same draws of what is uncertain: \
    the room, the grilles, each cooler. In brackets: where the difference lies four times of five.";

pub(super) fn cooling_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut CoolingState, fresh: bool, out: &mut Vec<Action>) -> bool {
    let t = cx.tokens;
    ui.label(title("Advise cooling"));
    ui.add(Label::new(sub(t, HINT)).wrap());
    ui.add_space(4.0);
    let revision = cx.session.revision();
    let height = (ui.ctx().content_rect().height() - 250.0).max(120.0);
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        if cx.session.report().facts.airflow.cards.iter().all(|c| c.state.is_none()) {
            ui.label("There is no card whose temperature is known: place one whose cooler and board power are recorded.");
        } else {
            match (&state.answer, &state.running) {
                (Some((of, _)), _) if *of == revision => list_ui(ui, cx, state, out),
                (_, Some((of, progress))) if *of == revision => running_ui(ui, t, progress, out),
                _ => {
                    ui.label(sub(t, "Trying changes…"));
                    out.push(Action::AdviseCooling);
                }
            }
        }
        trials_ui(ui, cx, state, out);
    });
    if let Some(label) = cx.session.history().undo_label() {
        ui.add_space(6.0);
        if ui.button(format!("Undo: {label}")).clicked() {
            out.push(Action::Undo);
        }
    }
    close_row(ui, fresh)
}

fn running_ui(ui: &mut Ui, t: &Tokens, progress: &Progress, out: &mut Vec<Action>) {
    if progress.is_stopped() {
        ui.horizontal(|ui| {
            ui.label("Stopped.");
            if ui.button("Try again").clicked() {
                out.push(Action::AdviseCooling);
            }
        });
        return;
    }
    let (done, of) = progress.state();
    let share = done as f32 / of.max(1) as f32;
    ui.horizontal(|ui| {
        ui.add(ProgressBar::new(share).desired_width(260.0).fill(t.accent))
            .widget_info(|| egui::WidgetInfo::labeled(egui::Role::ProgressIndicator, true, format!("{done} of {of} changes tried")));
        ui.label(sub(t, format!("{done} of {of} changes tried")));
        if ui.button("Cancel").clicked() {
            progress.stop();
        }
    });
    ui.request_repaint_after(std::time::Duration::from_millis(80));
}

/// "7 K cooler (4 to 9)".
fn degrees_text(gain: &Gain) -> String {
    let (value, low, high) = (plain(gain.value.abs(), 1), gain.low, gain.high);
    match gain.value {
        v if v.abs() < 0.05 => "as hot as before".to_owned(),
        v if v > 0.0 => format!("{value} K cooler ({} to {})", plain(low, 1), plain(high, 1)),
        _ => format!("{value} K hotter ({} to {})", plain(-high, 1), plain(-low, 1)),
    }
}

/// "12 % more work (8 to 15)".
fn work_text(gain: &Gain) -> String {
    let (value, low, high) = (plain(gain.value.abs(), 1), gain.low, gain.high);
    match gain.value {
        v if v.abs() < 0.05 => "the same work".to_owned(),
        v if v > 0.0 => format!("{value} % more work ({} to {})", plain(low, 1), plain(high, 1)),
        _ => format!("{value} % less work ({} to {})", plain(-high, 1), plain(-low, 1)),
    }
}

fn price_text(cx: &Cx<'_>, advice: &Advice) -> String {
    match advice.price {
        None => "price unknown".to_owned(),
        Some(p) if p <= 0.0 => "costs nothing".to_owned(),
        Some(p) => Money::new(p, cx.session.project().room.currency).to_string(),
    }
}

const fn effort_text(effort: Effort) -> &'static str {
    match effort {
        Effort::Setting => "a setting",
        Effort::Hands => "a screwdriver",
        Effort::Purchase => "to be bought",
    }
}

fn list_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut CoolingState, out: &mut Vec<Action>) {
    let t = cx.tokens;
    ui.horizontal_wrapped(|ui| {
        ui.label(sub(t, "Best by"));
        for (order, name) in [(Order::Work, "work"), (Order::Degrees, "degrees"), (Order::Money, "money"), (Order::Effort, "effort")] {
            if chip(ui, t, state.order == order, name).clicked() {
                state.order = order;
            }
        }
    });
    let Some((_, all)) = &state.answer else { return };
    let mut all: Vec<Advice> = all.clone();
    match state.order {
        // As they come.
        Order::Work => {}
        Order::Degrees => all.sort_by(|a, b| b.cooler_k.value.total_cmp(&a.cooler_k.value)),
        Order::Money => all.sort_by(|a, b| a.price.unwrap_or(f64::MAX).total_cmp(&b.price.unwrap_or(f64::MAX))),
        Order::Effort => all.sort_by_key(|a| a.effort),
    }
    let helps = |a: &Advice| !a.in_noise && (a.work_pct.low > 0.0 || a.cooler_k.low > 0.0 && a.work_pct.high > -0.5);
    let trades = |a: &Advice| !a.in_noise && !helps(a) && a.cooler_k.low > 0.0;
    let (good, rest): (Vec<Advice>, Vec<Advice>) = all.into_iter().partition(helps);
    let (dear, rest): (Vec<Advice>, Vec<Advice>) = rest.into_iter().partition(trades);
    let (noise, worse): (Vec<Advice>, Vec<Advice>) = rest.into_iter().partition(|a| a.in_noise);
    ui.add_space(4.0);
    if good.is_empty() {
        ui.label("No single change helps beyond what is uncertain.");
    }
    let mut shown = |ui: &mut Ui, list: &[Advice]| {
        for advice in list {
            advice_ui(ui, cx, advice, &mut state.trying, out);
        }
    };
    shown(ui, &good);
    for (name, list) in
        [("Cooler for less work", &dear), ("Inside the noise: nobody could tell the difference", &noise), ("Makes it worse", &worse)]
    {
        if !list.is_empty() {
            let head = format!("{name} ({})", list.len());
            CollapsingHeader::new(head).id_salt(name).show(ui, |ui| shown(ui, list));
        }
    }
}

fn advice_ui(ui: &mut Ui, cx: &Cx<'_>, advice: &Advice, trying: &mut Option<(Advice, Reading)>, out: &mut Vec<Action>) {
    let t = cx.tokens;
    ui.horizontal(|ui| {
        let wide = (ui.available_width() - 190.0).max(160.0);
        ui.vertical(|ui| {
            ui.set_width(wide);
            ui.add(Label::new(strong(&advice.label)).wrap());
            let color = |gain: &Gain| match gain {
                g if g.is_noise() => t.sub,
                g if g.value > 0.0 => t.good,
                _ => t.problem,
            };
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing.x = 12.0;
                ui.label(RichText::new(degrees_text(&advice.cooler_k)).color(color(&advice.cooler_k)));
                ui.label(RichText::new(work_text(&advice.work_pct)).color(color(&advice.work_pct)));
                ui.label(sub(t, format!("{}, {}", price_text(cx, advice), effort_text(advice.effort))));
                if advice.in_noise {
                    ui.label(sub(t, "inside the noise"));
                }
            });
        });
        let apply = ui.button("Apply");
        apply.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Apply: {}", advice.label)));
        if apply.clicked() {
            let edit = Edit::Many { label: advice.label.clone(), edits: vec![advice.edit.clone()] };
            out.push(Action::Edit(edit));
        }
        let real = ui.button("Try for real").on_hover_text("Keep a reading of the real rig before and after this change, and compare");
        real.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Try for real: {}", advice.label)));
        if real.clicked() {
            *trying = Some((advice.clone(), hottest(cx)));
        }
    });
    ui.add_space(5.0);
}

/// What the model says of the hottest card: where the fields begin.
fn hottest(cx: &Cx<'_>) -> Reading {
    let states = cx.session.report().facts.airflow.cards.iter().filter_map(|c| c.state.as_ref());
    let hot = states.max_by(|a, b| a.die.value.total_cmp(&b.die.value));
    Reading { celsius: hot.map_or(70.0, |s| s.die.value.round()), watts: hot.map_or(250.0, |s| s.power_w.round()) }
}

fn reading_ui(ui: &mut Ui, t: &Tokens, name: &str, reading: &mut Reading) {
    row(ui, t, name, |ui| {
        bounded_drag(ui, &mut reading.celsius, 0.0..=150.0, |d| d.speed(0.2).max_decimals(0).suffix(" °C"));
        bounded_drag(ui, &mut reading.watts, 1.0..=2000.0, |d| d.speed(1.0).max_decimals(0).suffix(" W"));
    });
}

/// Readings of the real rig before and after a change.
fn trials_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut CoolingState, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let trials = &cx.session.project().trials;
    if trials.is_empty() && state.trying.is_none() {
        return;
    }
    ui.add_space(10.0);
    ui.label(strong("Tried for real"));
    let hint = "Readings of the hottest card under full load, after ten minutes. They are kept in the rig's file.";
    ui.add(Label::new(sub(t, hint)).wrap());
    if let Some((advice, mut reading)) = state.trying.take() {
        let mut open = true;
        card(ui, t, true, |ui| {
            ui.add(Label::new(format!("{}: said to be {}", advice.label, degrees_text(&advice.cooler_k))).wrap());
            reading_ui(ui, t, "Before", &mut reading);
            ui.horizontal(|ui| {
                if primary_button(ui, t, true, "Keep the reading before").clicked() {
                    let Gain { value, low, high } = advice.cooler_k;
                    let trial =
                        Trial { change: advice.label.clone(), said_k: value, low_k: low, high_k: high, before: reading, after: None };
                    out.push(Action::Edit(Edit::Trial { index: trials.len(), trial: Some(trial) }));
                    open = false;
                }
                open &= !ui.button("Leave it").clicked();
            });
        });
        if open {
            state.trying = Some((advice, reading));
        }
    }
    for (index, trial) in trials.iter().enumerate() {
        ui.push_id(("trial", index), |ui| card(ui, t, false, |ui| trial_ui(ui, cx, index, trial, &mut state.after, out)));
    }
}

fn trial_ui(ui: &mut Ui, cx: &Cx<'_>, index: usize, trial: &Trial, after: &mut Option<(usize, Reading)>, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let said = degrees_text(&Gain { value: trial.said_k, low: trial.low_k, high: trial.high_k });
    ui.add(Label::new(strong(&trial.change)).wrap());
    let text = |r: &Reading| format!("{} °C at {} W", plain(r.celsius, 0), plain(r.watts, 0));
    match (trial.outcome(cx.session.project().room.ambient_c), trial.after) {
        (Some(found), Some(then)) => {
            let moved = if found.measured_k >= 0.0 { "cooler" } else { "hotter" };
            let measured = format!("{} K {moved}", plain(found.measured_k.abs(), 1));
            let verdict = if found.in_band { "inside what was said" } else { "outside what was said" };
            let line = format!(
                "Before {}, after {}: {measured} at the same power. Said: {said}. The reading lies {verdict}.",
                text(&trial.before),
                text(&then)
            );
            let color = if found.in_band { t.good } else { t.advice };
            ui.add(Label::new(RichText::new(line).color(color)).wrap());
        }
        _ => {
            ui.add(
                Label::new(format!("Before {}. Said: {said}. Make the change, wait ten minutes, and read again.", text(&trial.before)))
                    .wrap(),
            );
            let mut reading = match after {
                Some((of, reading)) if *of == index => *reading,
                _ => Reading { celsius: (trial.before.celsius - trial.said_k).round().clamp(0.0, 150.0), ..trial.before },
            };
            reading_ui(ui, t, "After", &mut reading);
            *after = Some((index, reading));
            if primary_button(ui, t, true, "Keep the reading after").clicked() {
                let trial = Trial { after: Some(reading), ..trial.clone() };
                out.push(Action::Edit(Edit::Trial { index, trial: Some(trial) }));
                *after = None;
            }
        }
    }
    if ui.button("Forget this trial").clicked() {
        out.push(Action::Edit(Edit::Trial { index, trial: None }));
    }
}
