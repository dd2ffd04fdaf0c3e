//! The links as a tree, and what every pair of cards reaches; both as text on the clipboard.

use eframe::egui::{self, Grid, Label, RichText, Role as AccessRole, ScrollArea, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

use super::Cx;
use super::action::{Action, Layer};
use super::charts::origin_text;
use super::dialogs::close_row;
use super::theme::{self, Tokens};
use super::widgets::{chip, empty, sub, title};
use crate::analysis::Origin;
use crate::analysis::lanes::{Lanes, Link, Node, Pair, PathClass};
use crate::build::PlacementId;
use crate::drawing::Role;
use crate::drawing::lanes::panel::{budget_text, gap};
use crate::export::lanes::text;

#[derive(Debug, Default)]
pub(super) struct TopologyState {
    tab: Tab,
    /// Connectors without a device too.
    free: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tab {
    #[default]
    Tree,
    Pairs,
}

pub(super) fn topology_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut TopologyState, fresh: bool, out: &mut Vec<Action>) -> bool {
    let lanes = &cx.session.report().facts.lanes;
    ui.horizontal(|ui| {
        ui.label(title("Lanes and topology"));
        ui.add_space(8.0);
        for (tab, name) in [(Tab::Tree, "Tree"), (Tab::Pairs, "Pairs of cards")] {
            let response = chip(ui, cx.tokens, state.tab == tab, name);
            if fresh && state.tab == tab {
                response.request_focus();
            }
            if response.clicked() {
                state.tab = tab;
            }
        }
        if state.tab == Tab::Tree {
            ui.checkbox(&mut state.free, "Free connectors too");
        }
    });
    ui.add_space(4.0);
    let height = (ui.ctx().content_rect().height() - 230.0).max(80.0);
    ScrollArea::both().id_salt(("topology", state.tab == Tab::Tree)).max_height(height).auto_shrink([false, false]).show(ui, |ui| {
        if let Some((head, text)) = gap(lanes) {
            if lanes.links.is_empty() {
                empty(ui, cx.tokens, head, &text);
                return;
            }
            ui.add(Label::new(sub(cx.tokens, format!("{head}. {text}"))).wrap());
            ui.add_space(4.0);
        }
        match state.tab {
            Tab::Tree => tree_ui(ui, cx, lanes, state.free),
            Tab::Pairs => pairs_ui(ui, cx, lanes),
        }
    });
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        if ui.add_enabled(lanes.board.is_some(), egui::Button::new("Copy as text")).clicked() {
            out.push(Action::copy("the lanes and their topology", text(cx.session.catalog(), cx.session.project(), lanes)));
        }
        if cx.prefs.layer != Layer::Lanes && ui.button("Show on the drawing").clicked() {
            out.push(Action::Layer(Layer::Lanes));
            out.push(Action::Close);
        }
    });
    close_row(ui, false)
}

fn part_name<'a>(cx: &Cx<'a>, id: PlacementId) -> &'a str {
    let placement = cx.session.project().rig.placement(id);
    placement.and_then(|p| cx.session.catalog().part(&p.part)).map_or("a part", |p| p.short_name())
}

/// "RTX 3090 Turbo in PCIE7".
fn seated_name(cx: &Cx<'_>, lanes: &Lanes, id: PlacementId) -> String {
    let place = lanes.of(id).map(|l| format!(" in {}", l.connector)).unwrap_or_default();
    format!("{}{place}", part_name(cx, id))
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

fn tree_ui(ui: &mut Ui, cx: &Cx<'_>, lanes: &Lanes, free: bool) {
    ui.spacing_mut().item_spacing.y = 3.0;
    for root in lanes.nodes.iter().filter(|n| n.parent.as_deref().is_none_or(|p| lanes.node(p).is_none())) {
        branch_ui(ui, cx, lanes, root, free, 0);
    }
    let shown = |l: &&Link| free || l.device.is_some();
    let lost: Vec<&Link> =
        lanes.links.iter().filter(|l| l.hangs_on.as_deref().and_then(|id| lanes.node(id)).is_none()).filter(shown).collect();
    if !lost.is_empty() {
        ui.add_space(4.0);
        ui.label(RichText::new("Not recorded where they hang").font(theme::semibold(13.0)));
        for link in lost {
            leaf_ui(ui, cx, link, 1);
        }
    }
}

/// A processor, chipset or switch with what hangs on it, each indented below it.
fn branch_ui(ui: &mut Ui, cx: &Cx<'_>, lanes: &Lanes, node: &Node, free: bool, depth: usize) {
    // A chain of nodes cannot be longer than their number, whatever a catalog says.
    if depth > lanes.nodes.len() {
        return;
    }
    let budget = lanes.budgets.iter().find(|b| b.node == node.id).map(|b| budget_text(b, node.kind)).unwrap_or_default();
    indented(ui, depth, |ui| {
        ui.label(RichText::new(capital(&node.label)).font(theme::semibold(13.0)));
        ui.label(sub(cx.tokens, budget));
    });
    for link in lanes.links.iter().filter(|l| l.hangs_on.as_ref() == Some(&node.id)).filter(|l| free || l.device.is_some()) {
        leaf_ui(ui, cx, link, depth + 1);
    }
    for child in lanes.nodes.iter().filter(|n| n.parent.as_ref() == Some(&node.id)) {
        branch_ui(ui, cx, lanes, child, free, depth + 1);
    }
}

fn leaf_ui(ui: &mut Ui, cx: &Cx<'_>, link: &Link, depth: usize) {
    let t = cx.tokens;
    let ink = match (link.is_dead(), link.is_short()) {
        (true, _) => t.problem,
        (false, Some(true)) => t.advice,
        (false, _) => t.text,
    };
    let device = link.device.map_or("free", |id| part_name(cx, id));
    indented(ui, depth, |ui| {
        let width = RichText::new(link.trained.text()).font(theme::medium(13.0)).color(ink);
        let text = RichText::new(format!("{}: {device},", link.connector)).color(if link.device.is_some() { t.text } else { t.sub });
        ui.label(text);
        ui.label(width).on_hover_text(&link.reason);
        if link.device.is_some() && (link.is_short() != Some(false) || link.shares.is_some()) {
            ui.label(sub(t, &link.reason));
        }
    });
}

fn indented(ui: &mut Ui, depth: usize, add: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.add_space(18.0 * depth as f32);
        ui.spacing_mut().item_spacing.x = 5.0;
        add(ui);
    });
}

fn rate(gb_s: Option<f64>) -> String {
    gb_s.map_or_else(|| "unknown".to_owned(), |g| format!("{} GB/s", crate::units::plain(g, 1)))
}

/// The formula behind a number, under the pointer.
fn why(response: egui::Response, origin: Option<Origin>) {
    if let Some(origin) = origin {
        response.on_hover_text(origin_text(&origin));
    }
}

fn pairs_ui(ui: &mut Ui, cx: &Cx<'_>, lanes: &Lanes) {
    let cards: Vec<PlacementId> = lanes.hosts.iter().map(|h| h.gpu).collect();
    if cards.is_empty() {
        empty(ui, cx.tokens, "No cards yet", "Place graphics cards to see what they reach.");
        return;
    }
    ui.label(theme_strong("From the host's memory"));
    Grid::new("hosts").spacing(vec2(18.0, 4.0)).show(ui, |ui| {
        for head in ["Card", "Alone", "All at once"] {
            ui.label(sub(cx.tokens, head));
        }
        ui.end_row();
        for flow in &lanes.hosts {
            ui.label(seated_name(cx, lanes, flow.gpu));
            why(ui.label(rate(flow.alone_gb_s)), flow.origin(lanes));
            ui.label(rate(flow.together_gb_s)).on_hover_text("Shared fairly over every link and uplink on the way.");
            ui.end_row();
        }
    });
    if !lanes.drives.is_empty() {
        ui.add_space(8.0);
        ui.label(theme_strong("From a drive to a card"));
        for flow in &lanes.drives {
            let text = format!("{} to {}: {}", seated_name(cx, lanes, flow.drive), seated_name(cx, lanes, flow.gpu), rate(flow.gb_s));
            why(ui.label(text), flow.origin());
        }
    }
    ui.add_space(8.0);
    ui.label(theme_strong("From card to card"));
    if cards.len() < 2 {
        ui.label(sub(cx.tokens, "One card has no other to talk to."));
        return;
    }
    matrix_ui(ui, cx, lanes, &cards);
    ui.add_space(6.0);
    if let Some(ring) = lanes.ring_gb_s {
        why(ui.label(format!("A ring over all cards moves {}, the rate of an all-reduce.", rate(Some(ring)))), lanes.ring_origin());
    }
    let mut reasons: Vec<&str> = lanes.pairs.iter().map(|p| p.why).filter(|w| !w.is_empty()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    for why in reasons {
        ui.add(Label::new(sub(cx.tokens, format!("{}.", capital(why)))).wrap());
    }
    ui.add(Label::new(sub(cx.tokens, LEGEND)).wrap());
}

const LEGEND: &str = "Classes as nvidia-smi topo -m names them: NV# so many NVLinks, PIX one switch, PXB several switches, PHB one host bridge of the \
    CPU, NODE two host bridges of one NUMA node, SYS two NUMA nodes. \"via host\" goes through main memory.";

fn theme_strong(text: &str) -> RichText {
    RichText::new(text).font(theme::semibold(13.0))
}

const CELL: egui::Vec2 = vec2(84.0, 40.0);

fn matrix_ui(ui: &mut Ui, cx: &Cx<'_>, lanes: &Lanes, cards: &[PlacementId]) {
    Grid::new("pairs").spacing(vec2(3.0, 3.0)).show(ui, |ui| {
        ui.label("");
        for n in 1..=cards.len() {
            ui.allocate_ui_with_layout(vec2(CELL.x, 18.0), egui::Layout::top_down(egui::Align::Center), |ui| {
                ui.label(sub(cx.tokens, n.to_string()));
            });
        }
        ui.end_row();
        for (n, a) in cards.iter().enumerate() {
            ui.label(format!("{} {}", n + 1, seated_name(cx, lanes, *a)));
            for b in cards {
                if a == b {
                    let (rect, _) = ui.allocate_exact_size(CELL, Sense::hover());
                    ui.painter().rect_filled(rect, 4.0, cx.tokens.background);
                } else {
                    cell_ui(ui, cx, lanes, (*a, *b));
                }
            }
            ui.end_row();
        }
    });
}

/// Colour of a class: the nearer, the greener.
fn tint(t: &Tokens, class: Option<PathClass>) -> egui::Color32 {
    match class {
        Some(PathClass::Nvlink(_)) => t.tint(Role::Cache, 0.34),
        Some(PathClass::Pix | PathClass::Pxb) => t.tint(Role::Good, 0.26),
        Some(PathClass::Phb) => t.tint(Role::Accent, 0.24),
        Some(PathClass::Node) => t.tint(Role::Cold, 0.22),
        Some(PathClass::Sys) => t.tint(Role::Advice, 0.24),
        None => t.raised,
    }
}

/// One pair; reached by Tab, named in whole for screen readers.
fn cell_ui(ui: &mut Ui, cx: &Cx<'_>, lanes: &Lanes, (a, b): (PlacementId, PlacementId)) {
    let t = cx.tokens;
    let pair = lanes.pair(a, b);
    let (rect, response) = ui.allocate_exact_size(CELL, Sense::focusable_noninteractive());
    let class = pair.and_then(|p| p.class);
    let class_text = class.map_or_else(|| "unknown".to_owned(), PathClass::text);
    let speed = rate(pair.and_then(|p| p.gb_s));
    let staged = pair.and_then(|p| p.p2p) == Some(false);
    response.widget_info(|| {
        let way = if staged { ", via host" } else { "" };
        let name = format!("{} to {}: {class_text}, {speed}{way}", seated_name(cx, lanes, a), seated_name(cx, lanes, b));
        WidgetInfo::labeled(AccessRole::Label, true, name)
    });
    let painter = ui.painter();
    painter.rect_filled(rect, 4.0, tint(t, class));
    if response.has_focus() {
        painter.rect_stroke(rect, 4.0, Stroke::new(1.5, t.accent), StrokeKind::Inside);
    }
    let center = rect.center();
    let head = if staged { format!("{class_text}, via host") } else { class_text };
    painter.text(center - vec2(0.0, 8.0), egui::Align2::CENTER_CENTER, head, theme::medium(12.0), t.text);
    painter.text(center + vec2(0.0, 8.0), egui::Align2::CENTER_CENTER, &speed, theme::regular(12.0), t.text);
    if let Some(pair) = pair {
        response.on_hover_ui(|ui| pair_ui(ui, cx, lanes, pair));
    }
}

fn pair_ui(ui: &mut Ui, cx: &Cx<'_>, lanes: &Lanes, pair: &Pair) {
    ui.label(theme_strong(&format!("{} and {}", seated_name(cx, lanes, pair.a), seated_name(cx, lanes, pair.b))));
    ui.label(format!("One direction {}, both together {}", rate(pair.gb_s), rate(pair.both_gb_s)));
    let latency = pair.latency_us.map_or_else(|| "unknown".to_owned(), |us| format!("{} µs", crate::units::plain(us, 1)));
    ui.label(format!("A small transfer takes {latency}"));
    let access = match pair.p2p {
        Some(true) => "One card reaches the other's memory directly",
        Some(false) => "Copies go through the host's memory",
        None => "Whether one reaches the other's memory is unknown",
    };
    let why = if pair.why.is_empty() { String::new() } else { format!(": {}", pair.why) };
    ui.add(Label::new(format!("{access}{why}.")).wrap());
    for origin in [pair.rate_origin(lanes), pair.latency_origin()].into_iter().flatten() {
        ui.add(Label::new(sub(cx.tokens, origin_text(&origin))).wrap());
    }
}
