//! The lanes layer in the window: what wires, tags and budgets say under the pointer, the buttons of the layer, and what a drop does to the links.

use eframe::egui::{self, Color32, Rect, RichText, Role as AccessRole, Sense, Stroke as Pen, Ui, WidgetInfo, vec2};

use super::view::View;
use crate::analysis::lanes::{Link, NodeKind};
use crate::build::PlacementId;
use crate::drawing::lanes::change::changes;
use crate::drawing::lanes::panel::{budget_text, gap};
use crate::drawing::{Drawing, Layer, Shape, Stroke, Target};
use crate::report::Report;
use crate::ui::Cx;
use crate::ui::action::{Action, Screen};
use crate::ui::theme::semibold;

/// A wire this near to the pointer is meant, points.
const REACH: f32 = 3.5;
/// Changes of links named beside a dragged part.
const NAMED: usize = 3;

/// The report of the edit under the pointer, where the lanes layer shows what it changes.
pub fn after<'a>(cx: &Cx<'a>) -> Option<&'a std::sync::Arc<Report>> {
    cx.preview.filter(|_| cx.prefs.layer == Layer::Lanes)?.outcome.as_ref().ok().map(|(_, report)| report)
}

/// What the edit under the pointer does to the links of other parts: "PCIE7 falls to x8 Gen4".
pub fn change_lines(cx: &Cx<'_>) -> Vec<(String, Color32)> {
    let Some(Ok((_, after))) = cx.preview.map(|p| p.outcome.as_ref()) else { return Vec::new() };
    let all = changes(&cx.session.report().facts.lanes, &after.facts.lanes);
    let color = |loss: Option<bool>| match loss {
        Some(true) => cx.tokens.problem,
        Some(false) => cx.tokens.good,
        None => cx.tokens.sub,
    };
    let mut lines: Vec<(String, Color32)> = all.iter().take(NAMED).map(|c| (c.text(), color(c.is_loss()))).collect();
    if all.len() > NAMED {
        lines.push((format!("and {} more links change", all.len() - NAMED), cx.tokens.sub));
    }
    lines
}

/// ", x16 Gen4" after the name of a part, in the lanes layer.
pub fn name_suffix(cx: &Cx<'_>, id: PlacementId) -> String {
    let link = cx.session.report().facts.lanes.of(id).filter(|_| cx.prefs.layer == Layer::Lanes);
    link.map(|l| format!(", {}", l.trained.text())).unwrap_or_default()
}

/// Width with its reason, way to the processor and what is shared.
pub fn link_ui(ui: &mut Ui, cx: &Cx<'_>, link: &Link) {
    let lanes = &cx.session.report().facts.lanes;
    let quiet = |text: String| RichText::new(text).color(cx.tokens.sub);
    let ink = match (link.is_dead(), link.is_short()) {
        (true, _) => cx.tokens.problem,
        (false, Some(true)) => cx.tokens.advice,
        (false, _) => cx.tokens.text,
    };
    ui.label(RichText::new(&link.reason).color(ink));
    if let Some(able) = link.able.filter(|_| link.is_short() == Some(true)) {
        ui.label(quiet(format!("The device could use {}.", able.text())));
    }
    if cx.prefs.layer != Layer::Lanes {
        return;
    }
    let way: Vec<&str> = lanes.path(link).iter().map(|n| n.label.as_str()).collect();
    let way = if way.is_empty() { "unknown".to_owned() } else { way.join(", then ") };
    let root = link.root.as_ref().map(|r| format!(", root complex {r}")).unwrap_or_default();
    ui.label(quiet(format!("Way: {way}{root}")));
    if let Some(share) = &link.shares {
        let with = match share.with.len() {
            0 => "shared with nothing else here".to_owned(),
            1 => "shared with 1 other device".to_owned(),
            n => format!("shared with {n} other devices"),
        };
        ui.label(quiet(format!("Uplink {}, {with}", share.uplink.text())));
    }
}

/// Wires say what they are, and stand out, under the pointer; chips, budget bars and what is unknown have names.
pub fn layer_ui(ui: &mut Ui, cx: &Cx<'_>, view: &View, drawing: &Drawing) {
    if cx.prefs.layer != Layer::Lanes {
        return;
    }
    let lanes = &cx.session.report().facts.lanes;
    if let Some((head, text)) = gap(lanes) {
        let corner = view.rect(&drawing.bounds).right_top();
        let rect = Rect::from_min_size(corner - vec2(160.0, 0.0), vec2(160.0, 40.0));
        let response = ui.interact(rect, ui.scope_id().with("lanes-gap"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(AccessRole::Label, true, format!("{head}. {text}")));
    }
    let dragging = egui::DragAndDrop::has_any_payload(ui);
    let mut named = Vec::new();
    for (n, piece) in drawing.pieces.iter().enumerate() {
        match (&piece.shape, &piece.target) {
            (Shape::Line { points, stroke, .. }, Some(Target::Slot(slot))) if !dragging => {
                let Some(link) = lanes.link(slot) else { continue };
                wire_ui(ui, cx, view, n, (points, stroke), |ui| {
                    ui.label(RichText::new(link_name(cx, link)).font(semibold(13.0)));
                    link_ui(ui, cx, link);
                });
            }
            (Shape::Line { points, stroke, .. }, Some(Target::Node(id))) if !dragging => {
                wire_ui(ui, cx, view, n, (points, stroke), |ui| node_ui(ui, cx, id));
            }
            (Shape::Rect { rect, .. }, Some(Target::Node(id))) => {
                let rect = view.rect(rect);
                let response = ui.interact(rect.expand(2.0), ui.scope_id().with(("node", n)), Sense::hover());
                if !named.contains(id) {
                    named.push(id.clone());
                    response.widget_info(|| WidgetInfo::labeled(AccessRole::Label, true, node_text(cx, id)));
                }
                response.on_hover_ui(|ui| node_ui(ui, cx, id));
            }
            _ => {}
        }
    }
}

fn wire_ui(ui: &Ui, cx: &Cx<'_>, view: &View, n: usize, wire: (&[(f64, f64)], &Stroke), text: impl Fn(&mut Ui)) {
    let path: Vec<egui::Pos2> = wire.0.iter().map(|p| view.pos(*p)).collect();
    let mut hovered = false;
    for (k, ends) in path.windows(2).enumerate() {
        let [a, b] = ends else { continue };
        let rect = Rect::from_two_pos(*a, *b).expand(REACH);
        let response = ui.interact(rect, ui.scope_id().with(("wire", n, k)), Sense::hover());
        hovered |= response.hovered();
        response.on_hover_ui(|ui| text(ui));
    }
    if hovered {
        ui.painter().line(path, Pen::new(wire.1.width + 2.0, cx.tokens.role(wire.1.role)));
    }
}

/// "RTX 3090 Turbo in PCIE7, x16 Gen4".
fn link_name(cx: &Cx<'_>, link: &Link) -> String {
    let part = link.device.and_then(|id| cx.session.project().rig.placement(id)).and_then(|p| cx.session.catalog().part(&p.part));
    let what = part.map_or("Nothing", |p| p.short_name());
    format!("{what} in {}, {}", link.connector, link.trained.text())
}

/// "CPU 1: 32 of 64 used, 32 left".
fn node_text(cx: &Cx<'_>, id: &str) -> String {
    let lanes = &cx.session.report().facts.lanes;
    let Some(node) = lanes.node(id) else { return "Switch: which one of the board's is unknown".to_owned() };
    let budget = lanes.budgets.iter().find(|b| *b.node == *id);
    let kind = if node.kind == NodeKind::Cpu { "lanes " } else { "" };
    budget.map_or_else(|| node.label.clone(), |b| format!("{}: {kind}{}", node.label, budget_text(b, node.kind)))
}

fn node_ui(ui: &mut Ui, cx: &Cx<'_>, id: &str) {
    let lanes = &cx.session.report().facts.lanes;
    ui.label(RichText::new(node_text(cx, id)).font(semibold(13.0)));
    let Some(node) = lanes.node(id) else { return };
    let quiet = |text: String| RichText::new(text).color(cx.tokens.sub);
    if let Some(parent) = node.parent.as_deref() {
        let parent = lanes.node(parent).map_or("unknown", |p| p.label.as_str());
        ui.label(quiet(format!("Hangs on {parent} by {}", node.uplink.text())));
    }
    let Some(budget) = lanes.budgets.iter().find(|b| *b.node == *id) else { return };
    if let Some(times) = budget.contention.filter(|t| *t > 1.05 && budget.devices.len() > 1) {
        let times = crate::units::plain(times, 1);
        ui.label(quiet(format!(
            "Together the devices behind it could move {times} times what the uplink carries; used at once, they share it."
        )));
    }
    for device in &budget.devices {
        if let Some(link) = lanes.of(*device) {
            ui.label(quiet(link_name(cx, link)));
        }
    }
}

/// What the layer offers to do, left of the zoom buttons.
pub fn actions_ui(ui: &mut Ui, out: &mut Vec<Action>) {
    if ui.button("Arrange cards…").on_hover_text("Find the best places for the cards and drives of this rig").clicked() {
        out.push(Action::Show(Screen::Arrange));
    }
    if ui.button("Topology…").on_hover_text("The tree of links, and what each pair of cards reaches").clicked() {
        out.push(Action::Show(Screen::Topology));
    }
}
