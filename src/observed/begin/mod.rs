//! A rig made from the dumps of a machine: what is recognised goes to its place, the rest lies in the tray or is named.
//!
//! Nothing is made up. Where the machine tells less than a catalog part says (which maker's model, how much a drive holds), the part is a
//! copy with those facts left out, so that rules which need them say unknown.

use std::collections::BTreeMap;

use serde::Serialize;

use super::identify::{Identity, identify, kind, not_a_card, plain};
use super::pairing::{is_behind, same_label};
use crate::analysis::space::space;
use crate::build::SlotId;
use crate::build::fit::fit;
use crate::build::slots::{Slot, SlotKind, slots};
use crate::catalog::part::{Part, PartId};
use crate::catalog::vocab::ConnectorKind;
use crate::catalog::{Catalog, Copies};
use crate::import::observed::pci_ids::Kind;
use crate::import::observed::{Address, Class, Observed};
use crate::project::Project;
use crate::project::edit::Edit;

mod names;
mod parts;

/// What became of one thing that the machine told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// In the place with this label.
    Placed(String),
    /// In the tray, and why.
    Tray(String),
    /// Not in the rig, and why.
    Named(String),
    /// The machine does not tell it, and what would.
    Missing(String),
}

impl Outcome {
    pub fn text(&self) -> String {
        match self {
            Self::Placed(place) => format!("goes to {place}"),
            Self::Tray(why) => format!("goes to the tray: {why}"),
            Self::Named(why) => format!("is left out: {why}"),
            Self::Missing(remedy) => format!("is not told: {remedy}"),
        }
    }
}

/// One thing that the machine told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recognised {
    /// "Board", "Processor", "Memory", "Card", "Drive", "Network card"
    pub what: &'static str,
    /// As the machine calls it.
    pub seen: String,
    /// The part that stands for it in the rig.
    pub part: Option<String>,
    pub outcome: Outcome,
}

/// A rig in the making, with the parts that no catalog has.
#[derive(Clone, Debug)]
pub struct Beginning {
    pub project: Project,
    pub copies: Copies,
    pub lines: Vec<Recognised>,
    /// What the reader should know about the dumps.
    pub remarks: Vec<String>,
}

/// Makes a rig of what the dumps of one machine tell, as of `day` (`YYYY-MM-DD`). The room is the default one.
pub fn begin(catalog: &Catalog, observed: &Observed, day: &str) -> Beginning {
    // Without the names of the files: a rig file may be handed on.
    let found: Vec<&str> = observed.found.iter().map(|f| f.rsplit_once(": ").map_or(f.as_str(), |(_, what)| what)).collect();
    let notes = format!("Made from what the machine told of itself: {}.", found.join(", "));
    let project = Project { name: "My machine".to_owned(), notes, ..Project::default() };
    let mut maker = Maker { base: catalog, catalog: catalog.clone(), project, own: Vec::new(), lines: Vec::new(), observed, day };
    maker.board();
    maker.processors();
    maker.memory();
    for class in [Class::Graphics, Class::Nvme, Class::Network] {
        for address in observed.of_class(class) {
            maker.device(address);
        }
    }
    let remarks = observed.remarks.iter().map(ToString::to_string).collect();
    Beginning { project: maker.project, copies: Copies { parts: maker.own, rates: None }, lines: maker.lines, remarks }
}

struct Maker<'a> {
    /// What is recognised is recognised by this one.
    base: &'a Catalog,
    /// The same with the parts made here.
    catalog: Catalog,
    project: Project,
    own: Vec<Part>,
    lines: Vec<Recognised>,
    observed: &'a Observed,
    day: &'a str,
}

impl Maker<'_> {
    fn say(&mut self, what: &'static str, seen: impl Into<String>, part: Option<String>, outcome: Outcome) {
        self.lines.push(Recognised { what, seen: seen.into(), part, outcome });
    }

    /// Adds a part of the machine's own; one of the same id is there already.
    fn add(&mut self, part: Part) -> PartId {
        let id = part.id.clone();
        if self.catalog.part(&id).is_none() {
            self.catalog = self.catalog.overlaid(Copies { parts: vec![part.clone()], rates: None });
            self.own.push(part);
        }
        id
    }

    /// Puts a part into a place, or into the tray if it does not go there.
    fn put(&mut self, part: &PartId, slot: Option<&Slot>, settings: &BTreeMap<String, String>, otherwise: &str) -> Outcome {
        let edit = |slot: Option<SlotId>| Edit::Place { part: part.clone(), slot, settings: settings.clone() };
        if let Some(slot) = slot {
            match edit(Some(slot.id.clone())).apply(&self.catalog, &self.project) {
                Ok(next) => {
                    self.project = next;
                    return Outcome::Placed(slot.label.clone());
                }
                Err(refusal) => {
                    let why = refusal.to_string();
                    return self.lay_aside(&edit(None), why.trim_end_matches('.'));
                }
            }
        }
        self.lay_aside(&edit(None), otherwise)
    }

    fn lay_aside(&mut self, edit: &Edit, why: &str) -> Outcome {
        match edit.apply(&self.catalog, &self.project) {
            Ok(next) => {
                self.project = next;
                Outcome::Tray(why.to_owned())
            }
            Err(refusal) => Outcome::Named(refusal.to_string()),
        }
    }

    fn slot(&self, wanted: impl Fn(&Slot) -> bool) -> Option<Slot> {
        slots(&self.catalog, &self.project.rig).into_iter().find(wanted)
    }

    fn board(&mut self) {
        let Some(name) = &self.observed.board else {
            return self.say("Board", "Its name", None, Outcome::Missing("give the output of sudo dmidecode too".to_owned()));
        };
        let seen = format!("{} {}", name.maker, name.product).trim().to_owned();
        let known = names::board(self.base, name).map(|p| (p.id.clone(), p.name.clone()));
        let (id, shown) = match known {
            Some(known) => known,
            None => {
                let part = parts::board(&seen, self.observed, self.day);
                (part.id.clone(), self.add_named(part))
            }
        };
        let tray = self.slot(|s| s.kind == SlotKind::Board);
        let outcome = self.put(&id, tray.as_ref(), &BTreeMap::new(), "there is no place for a board");
        self.say("Board", seen, Some(shown), outcome);
    }

    fn add_named(&mut self, part: Part) -> String {
        let name = part.name.clone();
        self.add(part);
        name
    }

    fn processors(&mut self) {
        for (n, seen) in self.observed.processors.iter().enumerate() {
            let known = names::processor(self.base, seen).map(|p| (p.id.clone(), p.name.clone()));
            let (id, shown, slot) = match known {
                Some((id, name)) => (id, name, self.slot(|s| s.kind == SlotKind::Socket && *s.id.name == *format!("cpu{}", n + 1))),
                None => {
                    let part = parts::processor(&names::plain_processor(seen), self.day);
                    (part.id.clone(), self.add_named(part), None)
                }
            };
            let outcome = self.put(&id, slot.as_ref(), &BTreeMap::new(), "the catalog does not know it, or the board is not known");
            self.say("Processor", seen.clone(), Some(shown), outcome);
        }
    }

    fn memory(&mut self) {
        for (module, count) in parts::kinds_of_modules(&self.observed.modules) {
            let seen = parts::module_text(module, count);
            let kit = names::kit(self.base, module, count).map(|(p, n)| (p.id.clone(), p.name.clone(), n));
            let (id, shown, times) = match kit {
                Some(kit) => kit,
                None => {
                    let part = parts::memory(module, count, self.day);
                    (part.id.clone(), self.add_named(part), 1)
                }
            };
            let mut outcome = Outcome::Named(String::new());
            for _ in 0..times {
                let slot = self.slot(|s| s.kind == SlotKind::Dimm);
                outcome = self.put(&id, slot.as_ref(), &BTreeMap::new(), "there is no board to put it on");
            }
            self.say("Memory", seen, Some(shown), outcome);
        }
    }

    fn device(&mut self, address: Address) {
        let Some(of) = kind(self.observed, address) else { return };
        let identity = identify(self.base, self.observed, address);
        match of {
            Kind::Gpu => self.card(address, &identity),
            Kind::Drive => self.drive(address, &identity),
            Kind::Nic => self.network(address, &identity),
        }
    }

    fn card(&mut self, address: Address, identity: &Identity<'_>) {
        let seen = format!("{} at {address}", identity.name);
        if let Some(form) = not_a_card(identity) {
            let why = format!("it is an {form} module on a board of its own, not a card for a slot");
            return self.say("Card", seen, None, Outcome::Named(why));
        }
        let part = match parts::same_card(identity, self.observed, address) {
            Some(part) => part.clone(),
            None => parts::card(identity, self.observed, address, self.day),
        };
        let limit = self.observed.gpu(address).and_then(|g| g.power_limit_w.filter(|l| g.default_power_w.is_some_and(|d| *l < d)));
        let settings = limit.map(|w| ("power_limit_w".to_owned(), format!("{w:.0}"))).into_iter().collect();
        self.place(address, "Card", seen, part, !identity.parts.is_empty(), &settings, |c| c == ConnectorKind::Pcie);
    }

    fn drive(&mut self, address: Address, identity: &Identity<'_>) {
        let seen = format!("{} at {address}", identity.name);
        let part = parts::drive(identity, self.observed, address, self.day);
        let takes =
            |c| matches!(c, ConnectorKind::M2 | ConnectorKind::U2 | ConnectorKind::SlimSas | ConnectorKind::Mcio | ConnectorKind::Oculink);
        self.place(address, "Drive", seen, part, !identity.parts.is_empty(), &BTreeMap::new(), takes);
    }

    fn network(&mut self, address: Address, identity: &Identity<'_>) {
        let seen = format!("{} at {address}", identity.name);
        let in_slot = self.firmware_slot(address).is_some();
        if !in_slot && (identity.parts.is_empty() || parts::is_on_boards(self.observed, address)) {
            return self.say("Network card", seen, None, Outcome::Named("it may be on the board".to_owned()));
        }
        let part = parts::network(identity, self.observed, address, self.day);
        self.place(address, "Network card", seen, part, !identity.parts.is_empty(), &BTreeMap::new(), |c| c == ConnectorKind::Pcie);
    }

    /// Puts a device where the firmware says it is, else into the first place that suits its link.
    #[expect(clippy::too_many_arguments, reason = "one call for each kind of device, told apart by these")]
    fn place(
        &mut self,
        address: Address,
        what: &'static str,
        seen: String,
        part: Part,
        known: bool,
        settings: &BTreeMap<String, String>,
        takes: impl Fn(ConnectorKind) -> bool,
    ) {
        let shown = part.name.clone();
        let id = self.add(part);
        let slot = if known { self.firmware_slot(address).or_else(|| self.likely_slot(&id, address, takes)) } else { None };
        let otherwise = match (known, self.observed.board.is_some()) {
            (false, _) => "the catalog does not know it",
            (true, false) => "the board is not known",
            (true, true) => "no free place takes it",
        };
        let outcome = self.put(&id, slot.as_ref(), settings, otherwise);
        self.say(what, seen, Some(shown), outcome);
    }

    /// The free connector of the board that the firmware's table gives for this device.
    fn firmware_slot(&self, address: Address) -> Option<Slot> {
        let told = self.observed.slots.iter().find(|s| s.address.is_some_and(|a| is_behind(self.observed, address, a)))?;
        self.slot(|s| s.connector().is_some() && s.occupants.is_empty() && same_label(&told.label, &s.label))
    }

    /// A free place that takes the part, is not under a card, and is wired at least as wide as the device's link; the board's first.
    fn likely_slot(&self, id: &PartId, address: Address, takes: impl Fn(ConnectorKind) -> bool) -> Option<Slot> {
        let part = self.catalog.part(id)?;
        let lanes = super::pairing::now(self.observed, address).lanes.unwrap_or(0);
        let space = space(&self.catalog, &self.project.rig);
        let score = |slot: &Slot, covered: bool| (covered, slot.connector().and_then(|c| c.lanes).is_some_and(|wired| wired < lanes));
        let free = space.places.iter().filter(|p| p.slot.occupants.is_empty() && p.slot.connector().is_some_and(|c| takes(c.kind)));
        let fitting = free.filter(|p| fit(&self.catalog, &self.project.rig, part, &p.slot, None).possible());
        fitting.min_by_key(|p| score(&p.slot, p.covered_by.is_some())).map(|p| p.slot.clone())
    }
}

/// A name as part of an id: "radeon-rx-7600".
fn slug(text: &str) -> String {
    let words: Vec<String> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_ascii_lowercase).take(10).collect();
    if words.is_empty() { "unnamed".to_owned() } else { words.join("-") }
}

/// The maker of a card, from its subsystem: `ASUSTeK Computer Inc. GA102 …`.
fn card_maker(subsystem: &str) -> Option<&'static str> {
    const MAKERS: [(&str, &str); 22] = [
        ("asustek", "ASUS"),
        ("micro-star", "MSI"),
        ("[msi]", "MSI"),
        ("gigabyte", "Gigabyte"),
        ("evga", "EVGA"),
        ("zotac", "ZOTAC"),
        ("palit", "Palit"),
        ("gainward", "Gainward"),
        ("pny", "PNY"),
        ("inno3d", "INNO3D"),
        ("colorful", "Colorful"),
        ("galaxy", "KFA2"),
        ("sapphire", "Sapphire"),
        ("powercolor", "PowerColor"),
        ("xfx", "XFX"),
        ("asrock", "ASRock"),
        ("dell", "Dell"),
        ("hewlett", "HP"),
        ("lenovo", "Lenovo"),
        ("nvidia", "NVIDIA"),
        ("advanced micro devices", "AMD"),
        ("intel", "Intel"),
    ];
    let text = plain(subsystem).to_lowercase();
    MAKERS.iter().find(|(word, _)| text.contains(word)).map(|(_, maker)| *maker)
}
