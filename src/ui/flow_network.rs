//! The case's air as a circuit, for teaching: drawn, and as a table that can be copied.

use std::fmt::Write as _;
use std::sync::Arc;

use eframe::egui::{Grid, Label, RichText, Role as AccessRole, ScrollArea, Sense, Ui, WidgetInfo, vec2};

use super::Cx;
use super::action::{Action, Layer};
use super::chassis::{paint, view::View};
use super::dialogs::close_row;
use super::theme;
use super::widgets::{chip, sub, title};
use crate::analysis::airflow::network::{Branch, Element, End, Network, network};
use crate::drawing::Drawing;
use crate::drawing::air::circuit::{branch_numbers, circuit, zone_text};
use crate::units::plain;

#[derive(Debug, Default)]
pub(super) struct FlowState {
    table: bool,
    /// The circuit of a document revision.
    made: Option<(u64, Arc<Network>, Arc<Drawing>)>,
}

impl FlowState {
    fn of(&mut self, cx: &Cx<'_>) -> (Arc<Network>, Arc<Drawing>) {
        let revision = cx.session.revision();
        match &self.made {
            Some((of, net, drawing)) if *of == revision => (net.clone(), drawing.clone()),
            _ => {
                let net = Arc::new(network(cx.session.catalog(), cx.session.project()));
                let drawing = Arc::new(circuit(&net));
                self.made = Some((revision, net.clone(), drawing.clone()));
                (net, drawing)
            }
        }
    }
}

const HINT: &str = "The case in some thirty zones, as the live numbers see it. Every way for air loses pressure with the square of its flow, \
    Δp = R Q²; fans and coolers make pressure. At each node as much air arrives as leaves.";

pub(super) fn flow_network_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut FlowState, fresh: bool, out: &mut Vec<Action>) -> bool {
    let (net, drawing) = state.of(cx);
    ui.horizontal(|ui| {
        ui.label(title("Flow network"));
        ui.add_space(8.0);
        for (table, name) in [(false, "Circuit"), (true, "Table")] {
            let response = chip(ui, cx.tokens, state.table == table, name);
            if fresh && state.table == table {
                response.request_focus();
            }
            if response.clicked() {
                state.table = table;
            }
        }
    });
    ui.add(Label::new(sub(cx.tokens, HINT)).wrap());
    if !net.converged {
        ui.colored_label(cx.tokens.advice, "The flow did not settle: these are its last numbers.");
    }
    ui.add_space(4.0);
    let height = (ui.ctx().content_rect().height() - 260.0).max(80.0);
    ScrollArea::both()
        .id_salt(("flow", state.table))
        .max_height(height)
        .auto_shrink([false, false])
        .show(ui, |ui| if state.table { table_ui(ui, cx, &net) } else { circuit_ui(ui, cx, &net, &drawing) });
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        if ui.button("Copy as text").clicked() {
            out.push(Action::copy("the flow network", text(&net)));
        }
        if cx.prefs.layer != Layer::Airflow && ui.button("Show on the drawing").clicked() {
            out.push(Action::Layer(Layer::Airflow));
            out.push(Action::Close);
        }
    });
    close_row(ui, false)
}

fn circuit_ui(ui: &mut Ui, cx: &Cx<'_>, net: &Network, drawing: &Drawing) {
    let b = drawing.bounds;
    let scale = (ui.available_width() / b.w as f32).clamp(0.62, 1.0);
    let (rect, response) = ui.allocate_exact_size(vec2(b.w as f32, b.h as f32) * scale, Sense::hover());
    let sources = net.branches.iter().filter(|b| matches!(b.element, Element::Fan(_) | Element::Cooler(_))).count();
    let name = format!("Circuit of {} zones and {sources} fans and coolers", net.zones.len());
    response.widget_info(|| WidgetInfo::labeled(AccessRole::Image, true, &name));
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    paint::drawing(&painter, drawing, &View::fixed(rect.min, scale), cx.tokens);
}

fn end(net: &Network, end: End) -> String {
    match end {
        End::Room => "room".to_owned(),
        End::Zone(n) => zone_text(net, n),
    }
}

fn what(b: &Branch) -> String {
    match b.element {
        Element::Gap => "way".to_owned(),
        Element::Grille => b.name.clone(),
        Element::Fan(_) => format!("fan {}", b.name),
        Element::Cooler(_) => format!("cooler of {}", b.name),
    }
}

fn resistance(b: &Branch) -> String {
    // Pa/(m³/s)² are large numbers.
    b.resistance().map_or_else(|| "still".to_owned(), |r| format!("{} Pa/(m³/s)²", crate::units::thousands(r, 0)))
}

/// Gaps last: there are many.
fn ordered(net: &Network) -> Vec<&Branch> {
    let mut all: Vec<&Branch> = net.branches.iter().collect();
    all.sort_by_key(|b| match b.element {
        Element::Fan(_) => 0,
        Element::Grille => 1,
        Element::Cooler(_) => 2,
        Element::Gap => 3,
    });
    all
}

fn table_ui(ui: &mut Ui, cx: &Cx<'_>, net: &Network) {
    Grid::new("branches").striped(true).spacing(vec2(16.0, 4.0)).show(ui, |ui| {
        for head in ["Element", "From", "To", "Flow and pressure", "R"] {
            ui.label(RichText::new(head).font(theme::semibold(13.0)));
        }
        ui.end_row();
        for b in ordered(net) {
            ui.label(what(b));
            ui.label(end(net, b.from));
            ui.label(end(net, b.to));
            ui.label(branch_numbers(b));
            ui.label(sub(cx.tokens, resistance(b)));
            ui.end_row();
        }
    });
}

/// The table with tabs between its cells.
fn text(net: &Network) -> String {
    let mut out = format!("Room at {} °C\nelement\tfrom\tto\tflow and pressure\tR\n", plain(net.ambient_c, 1));
    for b in ordered(net) {
        let _ = writeln!(out, "{}\t{}\t{}\t{}\t{}", what(b), end(net, b.from), end(net, b.to), branch_numbers(b), resistance(b));
    }
    out
}
