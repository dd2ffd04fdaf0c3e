//! Where a part can go, in words: the verdict on a part card, and the menus that place and move without a mouse.

use std::collections::BTreeMap;

use eframe::egui::{Button, ScrollArea, Ui};

use super::Cx;
use super::action::Action;
use super::widgets::sub;
use crate::analysis::space::Space;
use crate::build::fit::{Fit, fit};
use crate::build::slots::{Slot, SlotKind, slots};
use crate::build::{Build, PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Drive, Part, PartId, PartKind};
use crate::catalog::vocab::{ConnectorKind, DriveForm};
use crate::project::edit::Edit;
use crate::search::{answer, best_slot, fill};

/// Whether a place is of the sort that such a part goes to, taken or not.
pub(super) fn is_for(part: &Part, slot: &Slot) -> bool {
    match (&part.kind, &slot.kind) {
        (PartKind::Case(_), SlotKind::Case)
        | (PartKind::Board(_), SlotKind::Board)
        | (PartKind::Psu(_), SlotKind::Psu)
        | (PartKind::Cpu(_), SlotKind::Socket)
        | (PartKind::Cooler(_), SlotKind::CoolerSeat)
        | (PartKind::Ram(_), SlotKind::Dimm)
        | (PartKind::Fan(_), SlotKind::FanMount { .. })
        | (PartKind::Bridge(_), SlotKind::Bridge) => true,
        (PartKind::Gpu(_) | PartKind::Nic(_) | PartKind::Carrier(_), SlotKind::Connector(c)) => c.kind == ConnectorKind::Pcie,
        (PartKind::Riser(riser), SlotKind::Connector(c)) => riser.input.is_none_or(|i| i == c.kind),
        (PartKind::Drive(drive), kind) => drive_is_for(drive, kind),
        _ => false,
    }
}

fn drive_is_for(drive: &Drive, kind: &SlotKind) -> bool {
    use ConnectorKind as C;
    use DriveForm as F;
    match (drive.form, kind) {
        (Some(F::M2_2230 | F::M2_2242 | F::M2_2280 | F::M2_22110), SlotKind::Connector(c)) => c.kind == C::M2,
        (Some(F::AddIn), SlotKind::Connector(c)) => c.kind == C::Pcie,
        (Some(F::U2 | F::E1s | F::E3s), SlotKind::Connector(c)) => matches!(c.kind, C::U2 | C::SlimSas | C::Mcio | C::Oculink),
        (Some(F::U2 | F::Inch25 | F::Inch35) | None, SlotKind::Bay { .. }) => true,
        _ => false,
    }
}

/// The best that this rig has for a part: a free place before one where it would replace something.
pub(super) fn verdict(catalog: &Catalog, build: &Build, space: &Space, part: &Part) -> Fit {
    let (mut but, mut swap, mut never, mut taken) = (None, None, None, None);
    for place in space.places.iter().filter(|p| is_for(part, &p.slot)) {
        let free = place.slot.occupants.is_empty() || place.slot.kind == SlotKind::Dimm;
        match answer(catalog, build, space, part, place, None) {
            Fit::Fits => return Fit::Fits,
            Fit::FitsBut(why) if free => but = but.or(Some(why)),
            Fit::FitsBut(why) => swap = swap.or(Some(why)),
            Fit::Never(why) if free => never = never.or(Some(why)),
            Fit::Never(why) => taken = taken.or(Some(why)),
        }
    }
    match (but.or(swap), never.or(taken)) {
        (Some(why), _) => Fit::FitsBut(why),
        (None, Some(why)) => Fit::Never(why),
        (None, None) => Fit::Never(nowhere(part).to_owned()),
    }
}

/// Why there is no place at all.
const fn nowhere(part: &Part) -> &'static str {
    match &part.kind {
        PartKind::Case(_) | PartKind::Board(_) | PartKind::Psu(_) => "the rig has no place for it",
        PartKind::Fan(_) => "no fan mounts are known: place a case whose mounts the catalog lists",
        PartKind::Bridge(_) => "no placed card has an NVLink edge",
        PartKind::Cpu(_) | PartKind::Cooler(_) | PartKind::Ram(_) | PartKind::Gpu(_) | PartKind::Nic(_) | PartKind::Carrier(_) => {
            "there is no board yet"
        }
        PartKind::Drive(_) | PartKind::Riser(_) => "neither board nor case has a place for it",
    }
}

/// One place of a menu; true when chosen.
fn place_row(ui: &mut Ui, cx: &Cx<'_>, slot: &Slot, fit: &Fit, focus: &mut bool) -> bool {
    let text = match fit {
        Fit::Fits => String::new(),
        Fit::FitsBut(why) => why.clone(),
        Fit::Never(why) => format!("cannot: {why}"),
    };
    let possible = fit.possible();
    let button = Button::new(&slot.label).right_text(sub(cx.tokens, shortened(&text)));
    let response = ui.add_enabled(possible, button).accessible_name(format!("Place in {}", slot.label));
    if possible && std::mem::take(focus) {
        response.request_focus();
    }
    let chosen = response.clicked();
    if !text.is_empty() {
        let _ = if possible { response.on_hover_text(text) } else { response.on_disabled_hover_text(text) };
    }
    chosen
}

fn shortened(text: &str) -> String {
    const MOST: usize = 46;
    if text.chars().count() <= MOST { text.to_owned() } else { format!("{}…", text.chars().take(MOST).collect::<String>().trim_end()) }
}

/// What an open menu remembers.
#[derive(Debug, Default)]
pub(super) struct MenuState {
    /// It was opened by keyboard: its first entry gets the focus.
    pub focus: bool,
    /// The best place for a part in the document of a revision.
    best: Option<(u64, PartId, Option<SlotId>)>,
}

impl MenuState {
    fn best(&mut self, cx: &Cx<'_>, part: &PartId) -> Option<SlotId> {
        let revision = cx.session.revision();
        if let Some((r, p, slot)) = &self.best
            && *r == revision
            && p == part
        {
            return slot.clone();
        }
        let slot = best_slot(cx.session.catalog(), cx.session.project(), part);
        self.best = Some((revision, part.clone(), slot.clone()));
        slot
    }
}

/// All places for a part of the catalog, the best one first.
pub(super) fn place_menu_ui(ui: &mut Ui, cx: &Cx<'_>, id: &PartId, state: &mut MenuState, out: &mut Vec<Action>) {
    let (catalog, build) = (cx.session.catalog(), &cx.session.project().rig);
    let Some(part) = catalog.part(id) else { return };
    ui.set_min_width(250.0);
    ui.label(sub(cx.tokens, format!("Place {} in", part.short_name())));
    let places: Vec<Slot> = slots(catalog, build).into_iter().filter(|s| is_for(part, s)).collect();
    if places.is_empty() {
        ui.label(sub(cx.tokens, format!("Nowhere: {}.", nowhere(part))));
    }
    let mut chosen = None;
    let best = state.best(cx, id);
    let focus = &mut state.focus;
    if let Some(slot) = places.iter().find(|s| best.as_ref() == Some(&s.id)).filter(|_| places.len() > 1) {
        let response = ui.button(format!("Best place: {}", slot.label));
        if std::mem::take(focus) {
            response.request_focus();
        }
        if response.clicked() {
            chosen = Some(Edit::place(id, Some(slot.id.clone())));
        }
        ui.separator();
    }
    ScrollArea::vertical().max_height(380.0).auto_shrink([false, true]).show(ui, |ui| {
        for slot in &places {
            let fit = fit(catalog, build, part, slot, None);
            if place_row(ui, cx, slot, &fit, focus) {
                chosen = Some(Edit::place(id, Some(slot.id.clone())));
            }
        }
    });
    ui.separator();
    if let Some(edit) = fill(catalog, cx.session.project(), part, &BTreeMap::new(), None, |slot| !slot.replaces() && is_for(part, slot))
        && ui.button("Fill all free places that fit").clicked()
    {
        chosen = Some(edit);
    }
    let tray = ui.button("Put aside");
    if std::mem::take(focus) {
        tray.request_focus();
    }
    if tray.clicked() {
        chosen = Some(Edit::place(id, None));
    }
    if ui.button("Show its facts").clicked() {
        out.push(Action::ShowPart(Some(id.clone())));
        ui.close();
    }
    if let Some(edit) = chosen {
        out.push(Action::Edit(edit));
        ui.close();
    }
}

/// All places a placed part could move to.
pub(super) fn move_menu_ui(ui: &mut Ui, cx: &Cx<'_>, what: PlacementId, out: &mut Vec<Action>) {
    let (catalog, build) = (cx.session.catalog(), &cx.session.project().rig);
    let Some(piece) = build.placement(what) else { return };
    let Some(part) = catalog.part(&piece.part) else { return };
    ui.set_min_width(250.0);
    let mut to = None;
    ScrollArea::vertical().max_height(380.0).auto_shrink([false, true]).show(ui, |ui| {
        let elsewhere = |s: &Slot| is_for(part, s) && piece.slot.as_ref() != Some(&s.id) && s.id.host_part() != Some(what);
        for slot in slots(catalog, build).iter().filter(|s| elsewhere(s)) {
            let fit = fit(catalog, build, part, slot, Some(what));
            if place_row(ui, cx, slot, &fit, &mut false) {
                to = Some(Some(slot.id.clone()));
            }
        }
    });
    if piece.slot.is_some() {
        ui.separator();
        if ui.button("Put aside").clicked() {
            to = Some(None);
        }
    }
    if let Some(to) = to {
        out.push(Action::Edit(Edit::Move { what, to }));
        ui.close();
    }
}
