//! What can be set on a board: choices of its BIOS, jumpers, and for each slot how it is split, held back and what power it gives.

use eframe::egui::{CollapsingHeader, ComboBox, Label, Ui};

use super::Cx;
use super::action::Action;
use super::widgets::{row, strong, sub};
use crate::analysis::lanes::{Lanes, Selected};
use crate::analysis::power::slots::{SLOT_LIMIT, SLOT_W};
use crate::build::PlacementId;
use crate::catalog::part::{Board, Connector};
use crate::catalog::topology::Choice;
use crate::catalog::vocab::{ConnectorKind, Socket};
use crate::project::edit::Edit;
use crate::units::watts;

/// A setting that many boards have: its key, its name, what it does, and its options. The core reads them in `analysis/lanes`.
struct Common {
    key: &'static str,
    name: &'static str,
    hint: &'static str,
    options: &'static [(&'static str, &'static str)],
}

const COMMON: [Common; 5] = [
    Common {
        key: "bios.above_4g",
        name: "Above 4G",
        hint: "Above 4G decoding lets cards with large memory windows start at all.",
        options: &[("on", "on"), ("off", "off")],
    },
    Common {
        key: "bios.resizable_bar",
        name: "Resizable BAR",
        hint: "Lets a card open its whole memory, which patched drivers need to reach it from another card.",
        options: &[("on", "on"), ("off", "off")],
    },
    Common {
        key: "bios.iommu",
        name: "IOMMU",
        hint: "An IOMMU that translates makes copies from card to card hang or crawl. iommu=pt passes them through.",
        options: &[("off", "off"), ("pt", "on, passed through"), ("on", "on, translates")],
    },
    Common {
        key: "bios.acs",
        name: "ACS",
        hint: "Access control sends what cards behind one switch write to each other up to the processor and back.",
        options: &[("off", "off"), ("on", "on")],
    },
    Common {
        key: "bios.driver",
        name: "GPU driver",
        hint: "Stock drivers keep GeForce cards from reaching each other's memory; a patched one lets them.",
        options: &[("stock", "stock"), ("patched", "patched for peer access")],
    },
];

/// Only processors with an I/O die offer it.
const NUMA: Common = Common {
    key: "bios.nps",
    name: "NUMA nodes",
    hint: "NUMA nodes per socket (NPS). More nodes make more pairs of cards SYS in nvidia-smi topo -m.",
    options: &[("1", "1 per socket"), ("2", "2 per socket"), ("4", "4 per socket")],
};

pub(super) fn board_ui(ui: &mut Ui, cx: &Cx<'_>, id: PlacementId, board: &Board, out: &mut Vec<Action>) {
    let lanes = &cx.session.report().facts.lanes;
    // A board in the tray has no lanes to share.
    if lanes.board != Some(id) {
        return;
    }
    let mut set = |key: String, value: Option<String>| out.push(Action::Edit(Edit::Set { what: id, key, value }));
    if !board.choices.is_empty() {
        ui.label(strong("BIOS and jumpers"));
        for (choice, selected) in board.choices.iter().zip(&lanes.choices) {
            choice_ui(ui, cx, choice, selected, |v| set(format!("bios.{}", choice.key), v));
        }
    }
    CollapsingHeader::new("Slots: split, speed, power").id_salt(("slots", id)).show(ui, |ui| {
        ui.add(Label::new(sub(cx.tokens, SLOTS_HINT)).wrap());
        for connector in board.connectors.iter().filter(|c| c.kind == ConnectorKind::Pcie) {
            slot_ui(ui, cx, id, connector, lanes, &mut set);
            power_ui(ui, cx, id, &connector.label, &mut set);
        }
        budget_ui(ui, cx);
    });
    CollapsingHeader::new("Settings of most boards").id_salt(("common", id)).show(ui, |ui| {
        let quadrants = matches!(board.socket, Some(Socket::Sp3 | Socket::Sp5 | Socket::Sp6 | Socket::Swrx8 | Socket::Str5));
        for common in COMMON.iter().chain(quadrants.then_some(&NUMA)) {
            let now = setting(cx, id, common.key);
            let options: Vec<(String, String)> = common.options.iter().map(|(v, l)| ((*v).to_owned(), (*l).to_owned())).collect();
            let chosen = |v| set(common.key.to_owned(), v);
            combo_ui(ui, cx, common.name, common.hint, (now, &options, "not chosen".to_owned()), chosen);
        }
    });
}

const SLOTS_HINT: &str = "A split shares a slot's lanes among several devices on one card. A lower generation mends links that fail.";

fn setting<'a>(cx: &Cx<'a>, id: PlacementId, key: &str) -> Option<&'a str> {
    cx.session.project().rig.placement(id)?.settings.get(key).map(String::as_str)
}

/// One choice of this board: its own options, and what counts if nobody chooses.
fn choice_ui(ui: &mut Ui, cx: &Cx<'_>, choice: &Choice, selected: &Selected, chosen: impl FnMut(Option<String>)) {
    let options: Vec<(String, String)> = choice.options.iter().map(|o| (o.value.clone(), o.label.clone())).collect();
    let label = |value: Option<&str>| options.iter().find(|o| Some(o.0.as_str()) == value).map(|o| o.1.as_str());
    let open = match (&choice.default, label(selected.value.as_deref())) {
        (Some(default), _) => format!("as delivered: {}", label(Some(default)).unwrap_or(default)),
        (None, Some(best)) => format!("what suits the parts: {best}"),
        (None, None) => "not chosen".to_owned(),
    };
    let now = selected.value.as_deref().filter(|_| selected.chosen);
    let hint = if choice.jumper { "Jumpers on the board" } else { "A choice in the BIOS" };
    combo_ui(ui, cx, &choice.label, hint, (now, &options, open), chosen);
}

/// A row with the options, and before them what holds while none is chosen.
fn combo_ui(
    ui: &mut Ui,
    cx: &Cx<'_>,
    name: &str,
    hint: &str,
    (now, options, open): (Option<&str>, &[(String, String)], String),
    mut chosen: impl FnMut(Option<String>),
) {
    let shown = row(ui, cx.tokens, name, |ui| {
        let text = now.map_or(open.as_str(), |now| options.iter().find(|o| o.0 == now).map_or(now, |o| o.1.as_str()));
        let combo = ComboBox::from_id_salt(name).selected_text(text.to_owned()).truncate().width((ui.available_width() - 8.0).max(60.0));
        combo.show_ui(ui, |ui| {
            if ui.selectable_label(now.is_none(), &open).clicked() {
                chosen(None);
            }
            for (value, text) in options {
                if ui.selectable_label(now == Some(value), text).clicked() {
                    chosen(Some(value.clone()));
                }
            }
        });
    });
    shown.response.on_hover_text(hint);
}

/// Splits that boards offer for a slot of so many lanes, where its own are not recorded.
fn splits(connector: &Connector) -> Vec<String> {
    match (&connector.splits, connector.lanes) {
        (Some(own), _) => own.clone(),
        (None, Some(16..)) => ["x8x8", "x8x4x4", "x4x4x8", "x4x4x4x4"].map(str::to_owned).to_vec(),
        (None, Some(8..)) => vec!["x4x4".to_owned()],
        (None, _) => Vec::new(),
    }
}

/// Each slot: what it gets, how it is split, at most how fast.
fn slot_ui(ui: &mut Ui, cx: &Cx<'_>, id: PlacementId, connector: &Connector, lanes: &Lanes, set: &mut impl FnMut(String, Option<String>)) {
    let label = &connector.label;
    ui.add_space(2.0);
    let link = lanes.at(label);
    let state = link.map_or_else(|| "unknown".to_owned(), |l| l.trained.text());
    ui.label(strong(format!("{label}: {state}"))).on_hover_text(link.map_or("", |l| l.reason.as_str()));
    let known = splits(connector);
    if !known.is_empty() {
        let key = format!("bios.split.{label}");
        let options: Vec<(String, String)> =
            std::iter::once(("off".to_owned(), "not split".to_owned())).chain(known.into_iter().map(|s| (s.clone(), s))).collect();
        let hint = if connector.splits.is_some() { "What this board's BIOS offers" } else { "What this BIOS offers is not recorded" };
        let name = format!("{label} split");
        let open = if connector.splits.is_some() { "as the card needs it" } else { "not chosen" };
        combo_ui(ui, cx, &name, hint, (setting(cx, id, &key), &options, open.to_owned()), |v| set(key.clone(), v));
    }
    if let Some(most) = connector.r#gen.filter(|g| *g > 1) {
        let key = format!("bios.gen.{label}");
        let options: Vec<(String, String)> = (1..=most).rev().map(|g| (g.to_string(), format!("Gen{g}"))).collect();
        let name = format!("{label} at most");
        let open = format!("all, Gen{most}");
        combo_ui(ui, cx, &name, "Highest generation of the link", (setting(cx, id, &key), &options, open), |v| set(key.clone(), v));
    }
}

/// What slots give, watts: by the specification 75; the slots of small machines less.
const SLOT_WATTS: [&str; 4] = ["25", "35", "50", "66"];

/// What the slot gives, and what its card takes of that.
fn power_ui(ui: &mut Ui, cx: &Cx<'_>, id: PlacementId, label: &str, set: &mut impl FnMut(String, Option<String>)) {
    let key = format!("{SLOT_LIMIT}{label}");
    let options: Vec<(String, String)> = SLOT_WATTS.iter().map(|w| ((*w).to_owned(), format!("{w} W"))).collect();
    let hint = "Power that the slot gives: 75 W by the specification, less in small machines";
    let name = format!("{label} gives");
    let open = format!("{}, as specified", watts(SLOT_W));
    combo_ui(ui, cx, &name, hint, (setting(cx, id, &key), &options, open), |v| set(key.clone(), v));
    let Some(feed) = cx.session.report().facts.power.slots.iter().find(|f| f.label == label) else { return };
    let (text, color) = match (feed.draws_w, feed.is_over()) {
        (Some(draw), Some(true)) => (format!("Its card may take {} from the slot: too much", watts(draw)), cx.tokens.problem),
        (Some(draw), _) => (format!("Its card takes at most {} from the slot", watts(draw)), cx.tokens.sub),
        (None, _) => ("What its card takes from the slot is unknown".to_owned(), cx.tokens.sub),
    };
    ui.add(Label::new(sub(cx.tokens, text).color(color)).wrap()).on_hover_text(super::charts::origin_text(&feed.origin));
}

/// What all slots together carry through the board.
fn budget_ui(ui: &mut Ui, cx: &Cx<'_>) {
    let slots = &cx.session.report().facts.power.slots;
    if slots.len() < 2 {
        return;
    }
    let sum: Option<f64> = slots.iter().map(|f| f.draws_w).sum();
    let text = sum.map_or_else(|| "unknown".to_owned(), watts);
    ui.add(Label::new(sub(cx.tokens, format!("Together the cards take at most {text} through the board."))).wrap());
}
