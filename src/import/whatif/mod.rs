//! Builds described by a few facts, as people report them, become rigs: parts by name, or made of what is stated. What is not stated
//! stays unknown; what is not understood is named, not fatal. docs/cases.md describes the form.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::build::slots::{Slot, SlotKind, slots};
use crate::build::{PlacementId, SlotId};
use crate::catalog::part::{Part, PartId, PartKind};
use crate::catalog::vocab::{ConnectorKind, DriveForm};
use crate::catalog::{Catalog, Copies};
use crate::project::Project;
use crate::project::edit::{Edit, Refusal};

mod keys;
mod names;
mod parts;

use keys::{Keys, list, number};
use parts::Maker;

/// A described build as a rig.
#[derive(Debug)]
pub struct WhatIf {
    pub id: String,
    /// Parts that the catalog lacks, or has with other facts.
    pub copies: Copies,
    pub project: Project,
    /// What was left out or assumed.
    pub notes: Vec<String>,
    /// Rules about the absence of kinds that the description does not speak of.
    pub silent: Vec<&'static str>,
}

/// Reads one case, a list of cases, or an object with a list `cases`.
///
/// # Errors
/// If the text is no JSON, or holds no case.
pub fn read(catalog: &Catalog, text: &str) -> Result<Vec<WhatIf>, String> {
    let value: Value = serde_json::from_str(text).map_err(|e| format!("is no JSON: {e}"))?;
    let all = match (&value, value.get("cases")) {
        (_, Some(Value::Array(cases))) | (Value::Array(cases), _) => cases.iter().collect(),
        (Value::Object(_), _) => vec![&value],
        _ => Vec::new(),
    };
    if all.is_empty() {
        return Err("holds no case. A case is an object with \"id\" and \"config\"; a file holds one or a list of them".to_owned());
    }
    Ok(all.into_iter().enumerate().map(|(n, case)| one(catalog, case, n)).collect())
}

fn one(catalog: &Catalog, case: &Value, n: usize) -> WhatIf {
    let id = match case.get("id") {
        Some(Value::String(id)) => id.clone(),
        Some(other) => other.to_string(),
        None => format!("case {}", n + 1),
    };
    let config = case.get("config").or_else(|| case.get("rig")).or_else(|| case.get("build")).unwrap_or(case);
    let maker = Maker { catalog, made: Vec::new(), notes: Vec::new() };
    let mut bench =
        Bench { maker, catalog: catalog.clone(), project: Project { name: id.clone(), ..Project::default() }, described: BTreeSet::new() };
    bench.build(&Keys::of(config, "config"));
    let Bench { maker, project, described, .. } = bench;
    let silent = parts::silent(&described);
    WhatIf { id, copies: Copies { parts: maker.made, rates: None }, project, notes: maker.notes, silent }
}

/// Keys of a case beside its build.
const META: [&str; 8] = ["id", "title", "topic", "expect", "right_answer", "sources", "basis", "note"];

/// What a desktop draws beside its cards where nothing is said: a processor of 125 W, the base power of Intel's K class
/// (<https://www.intel.com/content/www/us/en/products/details/processors/core.html>), and 75 W for board, memory, drives and fans.
const USUAL_REST_W: f64 = 200.0;

/// A rig in the making.
struct Bench<'c> {
    maker: Maker<'c>,
    /// The catalog with what was made so far.
    catalog: Catalog,
    project: Project,
    described: BTreeSet<&'static str>,
}

/// One card as described, with what its placement needs.
struct Card {
    part: PartId,
    /// Number or label of its slot.
    slot: Option<Value>,
    settings: BTreeMap<String, String>,
}

impl Bench<'_> {
    fn build(&mut self, keys: &Keys<'_>) {
        let _ = keys.get(&META);
        if let Some(system) = keys.text(&["system", "machine"]) {
            self.project.notes = system.to_owned();
        }
        let use_text = [keys.text(&["use", "goal"]), keys.text(&["cabling"])].into_iter().flatten().collect::<Vec<_>>().join(". ");
        let supplies = keys.get(&["psus"]).and_then(number).map_or(0, |n| n.clamp(0.0, 8.0) as u8);
        let disks = keys.get(&["hdds", "drives_in_cage", "hdd_35", "drives_35"]).and_then(number).map_or(0, |n| n.clamp(0.0, 64.0) as u8);
        self.case(keys, supplies, disks);
        let cards = self.cards(keys, &use_text);
        self.board(keys, &cards);
        self.processor(keys);
        self.memory(keys);
        self.seat_cards(keys, cards);
        if let Some(cooler) = keys.get(&["cooler", "cpu_cooler"]) {
            self.cooler(cooler);
        }
        self.supplies(keys, supplies);
        self.drives(keys, disks);
        self.room(keys);
        self.draws(keys);
        keys.unread(&mut self.maker.notes);
    }

    fn refresh(&mut self) {
        self.catalog = self.maker.catalog.overlaid(Copies { parts: self.maker.made.clone(), rates: None });
    }

    /// Places a part; one that does not go there lies in the tray, so that it is judged all the same.
    fn put(&mut self, part: &PartId, slot: Option<&SlotId>, settings: BTreeMap<String, String>) -> Option<PlacementId> {
        self.refresh();
        let before: BTreeSet<PlacementId> = self.project.rig.placements().map(|(id, _)| id).collect();
        let edit = Edit::Place { part: part.clone(), slot: slot.cloned(), settings: settings.clone() };
        match edit.apply(&self.catalog, &self.project) {
            Ok(next) => self.project = next,
            Err(Refusal::DoesNotFit { part: name, place, why }) => {
                self.maker.notes.push(format!("{name} does not go to {place}: {why}"));
                let tray = Edit::Place { part: part.clone(), slot: None, settings };
                self.project = tray.apply(&self.catalog, &self.project).ok()?;
            }
            Err(refusal) => {
                self.maker.notes.push(refusal.to_string().trim_end_matches('.').to_owned());
                return None;
            }
        }
        self.project.rig.placements().map(|(id, _)| id).find(|id| !before.contains(id))
    }

    fn place(&mut self, part: &PartId, slot: &SlotId) -> Option<PlacementId> {
        self.put(part, Some(slot), BTreeMap::new())
    }

    fn set(&mut self, what: PlacementId, key: &str, value: String) {
        let edit = Edit::Set { what, key: key.to_owned(), value: Some(value) };
        match edit.apply(&self.catalog, &self.project) {
            Ok(next) => self.project = next,
            Err(refusal) => self.maker.notes.push(refusal.to_string()),
        }
    }

    fn board_id(&self) -> Option<PlacementId> {
        self.project.rig.part_in(&self.catalog, &SlotId::rig("board")).map(|b| b.0)
    }

    fn case(&mut self, keys: &Keys<'_>, supplies: u8, disks: u8) {
        let Some(value) = keys.get(&["case", "chassis"]) else {
            if supplies > 2 {
                let none = Value::Null;
                let id = self.maker.case(&Keys::of(&none, "case"), supplies, disks);
                self.place(&id, &SlotId::rig("case"));
            }
            return;
        };
        let inner = Keys::of(value, "case");
        let id = self.maker.case(&inner, supplies, disks);
        inner.unread(&mut self.maker.notes);
        self.described.insert("case");
        self.place(&id, &SlotId::rig("case"));
    }

    /// Cards as listed, each as often as it says.
    fn cards(&mut self, keys: &Keys<'_>, use_text: &str) -> Vec<Card> {
        let mut cards = Vec::new();
        let listed = keys.get(&["gpus", "cards"]).or_else(|| keys.get(&["gpu"]));
        if listed.is_some() {
            self.described.insert("gpu");
        }
        let Some(value) = listed else {
            if keys.get(&["gpu_slot"]).is_some() {
                let part = self.maker.link_card("gen5 x16");
                cards.push(Card { part, slot: keys.get(&["gpu_slot"]).cloned(), settings: BTreeMap::new() });
            }
            return cards;
        };
        let use_text = use_text.to_lowercase();
        let hidden = ["passed to", "passthrough", "pass-through", "headless"].iter().any(|w| use_text.contains(w));
        let general = leads_in(&use_text);
        if let Some(n) = number(value).filter(|_| value.is_number()) {
            for _ in 0..n.clamp(0.0, 16.0) as u8 {
                let part = self.maker.link_card("x16");
                cards.push(Card { part, slot: None, settings: BTreeMap::new() });
            }
        }
        for (n, item) in list(value).into_iter().filter(|v| !v.is_number()).enumerate() {
            let inner = Keys::of(item, &format!("gpus[{n}]"));
            let is_link = inner.is_text()
                && names::card(self.maker.catalog, inner.name().unwrap_or_default()).is_none()
                && parts::link(inner.name().unwrap_or_default()) != (None, None);
            let part = if is_link { self.maker.link_card(inner.name().unwrap_or_default()) } else { self.maker.gpu(&inner) };
            let times = inner.count(&["count", "qty", "n"]).unwrap_or(1).min(16);
            let mut settings = BTreeMap::new();
            if let Some(limit) = inner.number(&["power_limit_w", "limit_w", "power_limit"]) {
                settings.insert("power_limit_w".to_owned(), format!("{limit}"));
            }
            let own = inner.text(&["cabling"]).map(str::to_lowercase);
            let leads = inner.count(&["leads", "cables"]).or_else(|| own.as_deref().and_then(leads_in));
            if let Some(leads) = leads {
                settings.insert("leads".to_owned(), leads.to_string());
            }
            if let Some(adapter) = inner.get(&["adapter"]) {
                let plugs = number(adapter)
                    .or_else(|| adapter.as_str().and_then(|t| t.chars().find(char::is_ascii_digit)?.to_digit(10).map(f64::from)));
                if let Some(plugs) = plugs.filter(|p| (1.0..=8.0).contains(p)) {
                    settings.insert("adapter_plugs".to_owned(), format!("{plugs}"));
                }
            }
            let passed = inner.flag(&["passthrough", "vm", "headless"]) == Some(true);
            if passed {
                settings.insert("host_display".to_owned(), "no".to_owned());
            }
            let slot = inner.get(&["slot", "position", "opening"]).cloned();
            let _ = inner.get(&["below", "above", "neighbour", "case"]);
            inner.unread(&mut self.maker.notes);
            for _ in 0..times {
                cards.push(Card { part: part.clone(), slot: slot.clone(), settings: settings.clone() });
            }
        }
        for card in &mut cards {
            if hidden {
                card.settings.insert("host_display".to_owned(), "no".to_owned());
            }
            if let Some(leads) = general {
                card.settings.entry("leads".to_owned()).or_insert_with(|| leads.to_string());
            }
        }
        if let (Some(slot), [card]) = (keys.get(&["gpu_slot"]), cards.as_mut_slice()) {
            card.slot = card.slot.take().or_else(|| Some(slot.clone()));
        }
        cards
    }

    fn board(&mut self, keys: &Keys<'_>, cards: &[Card]) {
        let null = Value::Null;
        let value = keys.get(&["board", "motherboard"]);
        let inner = Keys::of(value.unwrap_or(&null), "board");
        if value.is_some() {
            self.described.insert("board");
        }
        let slots: Vec<String> = keys
            .get(&["slots", "board_slots"])
            .map(list)
            .unwrap_or_default()
            .iter()
            .filter_map(|v| v.as_str().map(str::to_owned))
            .collect();
        let amps = inner.number(&["slot_12v_amps", "slot_amps"]).map(|a| a * 12.0).or_else(|| inner.number(&["slot_w", "slot_power_w"]));
        let _ = inner.get(&["bios", "bios_version"]);
        let id = self.maker.board(&inner);
        inner.unread(&mut self.maker.notes);
        let openings = self.openings(cards);
        let riser = usize::from(keys.get(&["riser"]).is_some());
        let wanted = openings.len().max(riser);
        let openings: Vec<Option<u8>> = openings.into_iter().chain(std::iter::repeat(None)).take(wanted).collect();
        let id = self.maker.with_slots(&id, &slots, &openings);
        let Some(board) = self.place(&id, &SlotId::rig("board")) else { return };
        if let Some(watts) = amps {
            let labels: Vec<String> = self.free(|s| s.is_pcie()).into_iter().map(|s| s.label).collect();
            for label in labels {
                self.set(board, &format!("slot_w.{label}"), format!("{watts}"));
            }
        }
        if keys.get(&["cpu_old", "older_cpu"]).is_some_and(|v| !v.is_null()) {
            self.set(board, "older_cpu", "yes".to_owned());
        }
    }

    /// Case openings of cards that name a slot by its number. Numbers of neighbours that a card between would overlap count slots, not
    /// openings: the card after it begins where this one ends.
    fn openings(&self, cards: &[Card]) -> Vec<Option<u8>> {
        let mut next = 1_u8;
        let thick = |card: &Card| match self.maker.part(&card.part).map(|p| &p.kind) {
            Some(PartKind::Gpu(g)) => g.slots.map_or(2, |s| s.ceil() as u8),
            _ => 2,
        };
        let mut found = Vec::new();
        for card in cards {
            let stated = card.slot.as_ref().and_then(Value::as_u64).and_then(|n| u8::try_from(n).ok());
            let opening = stated.map(|n| n.max(next));
            if let Some(first) = opening {
                next = first.saturating_add(thick(card));
            }
            found.push(opening);
        }
        found
    }

    fn processor(&mut self, keys: &Keys<'_>) {
        let Some(value) = keys.get(&["cpu_new", "cpu", "processor"]) else { return };
        let Some(board) = self.board_id() else { return };
        for (n, item) in list(value).into_iter().enumerate() {
            let inner = Keys::of(item, "cpu");
            let id = self.maker.cpu(&inner);
            inner.unread(&mut self.maker.notes);
            self.place(&id, &SlotId::of(board, &format!("cpu{}", n + 1)));
            self.described.insert("cpu");
        }
    }

    fn memory(&mut self, keys: &Keys<'_>) {
        let Some(board) = self.board_id() else { return };
        if let Some(value) = keys.get(&["ram", "memory", "dimms"]) {
            for (n, item) in list(value).into_iter().enumerate() {
                let inner = Keys::of(item, &format!("ram[{n}]"));
                let times = inner.count(&["count", "kits"]).unwrap_or(1).min(32);
                let id = self.maker.ram(&inner);
                inner.unread(&mut self.maker.notes);
                for _ in 0..times {
                    self.place(&id, &SlotId::of(board, "dimm"));
                }
                self.described.insert("ram");
            }
        }
        if let Some(total) = keys.number(&["ram_gb", "memory_gb"]) {
            let stated = serde_json::json!({ "name": format!("{total} GB of memory"), "gb": total });
            let id = self.maker.ram(&Keys::of(&stated, "ram"));
            self.place(&id, &SlotId::of(board, "dimm"));
            self.described.insert("ram");
        }
    }

    /// Cards to the slots that they name, the others from the top down; one on a riser if there is one.
    fn seat_cards(&mut self, keys: &Keys<'_>, cards: Vec<Card>) {
        let riser = keys.get(&["riser"]).and_then(|value| {
            let inner = Keys::of(value, "riser");
            let id = self.maker.riser(&inner);
            inner.unread(&mut self.maker.notes);
            self.refresh();
            let slot = self.free(is_card_slot).first().map(|s| s.id.clone())?;
            self.place(&id, &slot)
        });
        // A label of the board counts first; a number may be one of its openings.
        let mut waiting = Vec::new();
        for (n, card) in cards.into_iter().enumerate() {
            let on_riser = riser.filter(|_| n == 0).map(|r| SlotId::of(r, "end"));
            let named = on_riser.or_else(|| self.named_slot(card.slot.as_ref()?));
            match named {
                Some(slot) => drop(self.put(&card.part, Some(&slot), card.settings)),
                None => waiting.push(card),
            }
        }
        for card in waiting {
            let slot = self.free(is_card_slot).first().map(|s| s.id.clone());
            self.put(&card.part, slot.as_ref(), card.settings);
        }
    }

    fn named_slot(&self, name: &Value) -> Option<SlotId> {
        let free = self.free(Slot::is_pcie);
        if let Some(label) = name.as_str() {
            let plain = |t: &str| t.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
            let exact = free.iter().find(|s| plain(&s.label) == plain(label));
            return exact.or_else(|| free.iter().find(|s| plain(&s.label).starts_with(&plain(label)))).map(|s| s.id.clone());
        }
        let opening = u8::try_from(name.as_u64()?).ok()?;
        free.iter().find(|s| s.connector().and_then(|c| c.opening) == Some(opening)).map(|s| s.id.clone())
    }

    fn free(&self, wanted: impl Fn(&Slot) -> bool) -> Vec<Slot> {
        slots(&self.catalog, &self.project.rig).into_iter().filter(|s| s.occupants.is_empty() && wanted(s)).collect()
    }

    fn cooler(&mut self, value: &Value) {
        let Some(board) = self.board_id() else { return };
        let inner = Keys::of(value, "cooler");
        let side = inner.text(&["mount", "side", "position"]).map(names::edges).unwrap_or_default();
        let id = self.maker.cooler(&inner);
        inner.unread(&mut self.maker.notes);
        let settings = match side.as_slice() {
            [one] => [("radiator".to_owned(), one.text().to_owned())].into(),
            _ => BTreeMap::new(),
        };
        self.put(&id, Some(&SlotId::of(board, "cooler1")), settings);
    }

    fn supplies(&mut self, keys: &Keys<'_>, count: u8) {
        let null = Value::Null;
        let mut all: Vec<&Value> = Vec::new();
        match keys.get(&["psus"]) {
            Some(Value::Array(items)) => all.extend(items),
            Some(_) => {
                let one = keys.get(&["psu", "supply"]).unwrap_or(&null);
                all.extend(std::iter::repeat_n(one, usize::from(count)));
            }
            None => all.extend(keys.get(&["psu", "supply"])),
        }
        for (n, item) in all.into_iter().enumerate() {
            let inner = Keys::of(item, "psu");
            let times = inner.count(&["count", "qty"]).unwrap_or(1).min(8);
            let id = self.maker.psu(&inner);
            inner.unread(&mut self.maker.notes);
            self.described.insert("psu");
            for k in 0..times {
                self.place(&id, &SlotId::rig(&format!("psu{}", n + 1 + usize::from(k))));
            }
        }
    }

    fn drives(&mut self, keys: &Keys<'_>, disks: u8) {
        let Some(board) = self.board_id() else { return };
        for n in 1..=disks {
            let id = self.maker.drive("3.5-inch disk", false);
            self.refresh();
            let bay = self.free(|s| s.kind == SlotKind::Bay { inch35: true }).first().map(|s| s.id.clone());
            if self.put(&id, bay.as_ref(), BTreeMap::new()).is_none() {
                self.maker.notes.push(format!("disk {n} finds no bay"));
            }
        }
        let mut sockets: Vec<(String, String)> = Vec::new();
        for label in keys.get(&["m2_used"]).map(list).unwrap_or_default() {
            sockets.extend(label.as_str().map(|l| (l.to_owned(), "NVMe SSD".to_owned())));
        }
        for n in 1..=8 {
            let key = format!("m2_{n}");
            let Some(value) = keys.get(&[&key]) else { continue };
            if let Some(text) = value.as_str() {
                sockets.push((key, text.to_owned()));
            }
        }
        for (label, text) in sockets {
            let id = self.maker.drive(&text, true);
            self.refresh();
            match self.labelled(ConnectorKind::M2, &label) {
                Some(slot) => drop(self.place(&id, &slot)),
                None => self.maker.notes.push(format!("the board has no M.2 socket {label}")),
            }
        }
        for port in keys.get(&["sata_used"]).map(list).unwrap_or_default() {
            let label = port.as_str().map_or_else(|| port.to_string(), str::to_owned);
            let id = self.maker.drive("SATA SSD", false);
            self.refresh();
            match self.labelled(ConnectorKind::Sata, &label) {
                Some(slot) => drop(self.place(&id, &slot)),
                None => self.maker.notes.push(format!("the board has no SATA port {label}")),
            }
        }
        for item in keys.get(&["drives", "storage"]).map(list).unwrap_or_default() {
            self.loose_drive(item);
        }
        let _ = board;
    }

    /// A drive without a named place: a bay for disks, else the first socket that takes it.
    fn loose_drive(&mut self, item: &Value) {
        let inner = Keys::of(item, "drives");
        let text = [inner.name(), inner.text(&["form", "type", "bus"])].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let times = inner.count(&["count", "qty"]).unwrap_or(1);
        inner.unread(&mut self.maker.notes);
        let in_m2 = text.to_lowercase().contains("m.2") || text.to_lowercase().contains("nvme");
        for _ in 0..times {
            let id = self.maker.drive(&text, in_m2);
            self.refresh();
            let is_disk = matches!(self.maker.part(&id).map(|p| &p.kind), Some(PartKind::Drive(d)) if d.form == Some(DriveForm::Inch35));
            let slot = self.free(|s| match &s.kind {
                SlotKind::Bay { inch35 } => !in_m2 && *inch35 == is_disk,
                SlotKind::Connector(c) => in_m2 && c.kind == ConnectorKind::M2,
                _ => false,
            });
            self.put(&id, slot.first().map(|s| &s.id), BTreeMap::new());
        }
    }

    /// A connector by its label, else by the number at its end.
    fn labelled(&self, kind: ConnectorKind, label: &str) -> Option<SlotId> {
        let all = self.free(|s| s.connector().is_some_and(|c| c.kind == kind));
        let plain = |t: &str| t.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
        let last = |t: &str| t.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|d| d.parse::<u32>().ok());
        let exact = all.iter().find(|s| plain(&s.label) == plain(label));
        exact.or_else(|| all.iter().find(|s| last(&s.label).is_some() && last(&s.label) == last(label))).map(|s| s.id.clone())
    }

    fn room(&mut self, keys: &Keys<'_>) {
        let listed = keys.get(&["circuits", "circuit", "room"]).map(list).unwrap_or_default();
        let room = &mut self.project.room;
        let mut worst = f64::INFINITY;
        for item in &listed {
            let inner = Keys::of(item, "circuit");
            let volts = inner.number(&["volts", "v", "mains_v"]).unwrap_or(room.mains_v);
            let amps = inner.number(&["amps", "a", "circuit_a"]).unwrap_or(room.circuit_a);
            if volts * amps < worst {
                worst = volts * amps;
                (room.mains_v, room.circuit_a) = (volts, amps);
            }
            if let Some(share) = inner.number(&["continuous_factor", "continuous", "factor"]) {
                self.project.thresholds.insert("circuit_continuous".to_owned(), share);
            }
            inner.unread(&mut self.maker.notes);
        }
        room.circuits = u8::try_from(listed.len().max(1)).unwrap_or(1);
    }

    /// What the parts draw that the description does not name one by one.
    fn draws(&mut self, keys: &Keys<'_>) {
        let (other, platform, demand) =
            (keys.number(&["other_w", "rest_w"]), keys.number(&["platform_w", "cpu_and_board_w"]), keys.number(&["demand_w", "load_w"]));
        let Some(board) = self.board_id() else { return };
        self.refresh();
        let mut cpus = 0.0;
        let mut cards = 0.0;
        for (_, placement, part) in self.project.rig.placed(&self.catalog) {
            let limit = placement.settings.get("power_limit_w").and_then(|w| w.parse::<f64>().ok());
            match &part.kind {
                PartKind::Cpu(c) => cpus += c.tdp_w.unwrap_or(0.0),
                PartKind::Gpu(g) => cards += limit.or(g.tdp_w).unwrap_or(0.0),
                _ => {}
            }
        }
        let is_real = self.described.contains("board");
        let judged = self.described.contains("psu") || keys.get(&["circuit", "circuits"]).is_some();
        let rest = match (demand, platform, other) {
            (Some(all), ..) => Some(all - cpus - cards),
            (None, Some(both), _) => Some(both - cpus),
            (None, None, Some(other)) => Some(other),
            (None, None, None) if cpus > 0.0 && !is_real => Some(0.0),
            (None, None, None) if cpus == 0.0 && judged => {
                self.maker
                    .notes
                    .push(format!("nothing is said of processor and board: {USUAL_REST_W:.0} W are taken for all but the cards"));
                Some(USUAL_REST_W)
            }
            (None, None, None) => None,
        };
        if let Some(rest) = rest {
            self.set(board, "draw_w", format!("{}", rest.max(0.0)));
        }
    }
}

fn is_card_slot(slot: &Slot) -> bool {
    slot.connector().is_some_and(|c| c.kind == ConnectorKind::Pcie && c.size.is_none_or(|s| s >= 16))
}

/// Separate leads that a text about cabling tells: a lead that overheated, a chain or a pigtail is one.
fn leads_in(text: &str) -> Option<u8> {
    let has = |list: &[&str]| list.iter().any(|w| text.contains(w));
    if has(&["separate", "own lead", "lead per plug", "cable per plug", "each plug", "individual"]) {
        return None;
    }
    has(&["overheat", "burn", "melt", "daisy", "pigtail", "split", "shared", "single lead", "single cable", "one lead", "one cable"])
        .then_some(1)
}

/// Whether a part was made for a case, not taken from the catalog.
pub fn is_described(part: &Part) -> bool {
    part.id.as_str().contains(".described.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_come_alone_or_in_lists() {
        let catalog = Catalog::default();
        for text in [r#"{"id": "a", "config": {}}"#, r#"[{"id": "a", "config": {}}]"#, r#"{"cases": [{"id": "a", "config": {}}]}"#] {
            let read = read(&catalog, text).expect("a case");
            assert_eq!(read.iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["a"], "{text}");
        }
        assert!(read(&catalog, "[]").is_err());
        assert!(read(&catalog, "{").is_err());
        assert!(read(&catalog, "3").is_err());
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let cases =
            read(&Catalog::default(), r#"{"id": 7, "config": {"gpus": [{"power_w": 300, "glow": "red"}], "moon": 1}}"#).expect("a case");
        let notes = &cases.first().expect("one").notes;
        assert!(notes.iter().any(|n| n.contains("config.moon")) && notes.iter().any(|n| n.contains("gpus[0].glow")), "{notes:?}");
    }

    #[test]
    fn texts_about_leads() {
        assert_eq!(leads_in("pcie lead overheated at psu socket"), Some(1));
        assert_eq!(leads_in("one lead per plug"), None);
        assert_eq!(leads_in("neat"), None);
    }
}
