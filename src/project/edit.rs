//! Every way a document can change, as plain data: drops, menus, fixes, undo labels, tests and the command line all speak it.

use std::collections::BTreeMap;

use super::economy::{CONDITION, Condition, Economy};
use super::piece_settings;
use super::settle::settle;
use super::trial::Trial;
use super::{Accepted, FindingKey, Project, Rate, Room, UserPrice};
use super::{air_settings, power_settings};
use crate::build::fit::{Fit, fit};
use crate::build::slots::{Slot, slots};
use crate::build::{Build, Placement, PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartId};
use crate::workload::Workload;
use crate::workload::training::Training;

/// One change of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// A new piece at a place, or in the tray. On an occupied single place (case, board, socket …) it replaces what is there.
    Place {
        part: PartId,
        slot: Option<SlotId>,
        settings: BTreeMap<String, String>,
    },
    /// To another place, or to the tray.
    Move {
        what: PlacementId,
        to: Option<SlotId>,
    },
    /// Out of the rig. What it carried goes to the tray.
    Remove(PlacementId),
    /// Another part in the same place. What no longer fits goes to the tray.
    Replace {
        what: PlacementId,
        part: PartId,
    },
    /// A choice of one piece; `None` takes it back.
    Set {
        what: PlacementId,
        key: String,
        value: Option<String>,
    },
    /// Replaces the workload at `index`, appends at the end, or removes it with `None`.
    Workload {
        index: usize,
        workload: Option<Box<Workload>>,
    },
    Room(Room),
    Price {
        part: PartId,
        price: Option<UserPrice>,
    },
    Rate {
        currency: String,
        rate: Option<Rate>,
    },
    /// Tax, duty cycle, tariffs, repair, resale, rents.
    Economy(Box<Economy>),
    Threshold {
        key: String,
        value: Option<f64>,
    },
    /// The user's own efficiency factors, all of them; none = the shipped constants.
    Calibration(BTreeMap<String, f64>),
    /// Keeps the present build under a name, brings one back, or drops it.
    Variant {
        name: String,
        change: VariantChange,
    },
    Accept {
        finding: FindingKey,
        because: Option<String>,
    },
    /// A change of cooling tried on the real rig: replaces the one at `index`, appends at the end, or removes it with `None`.
    Trial {
        index: usize,
        trial: Option<Trial>,
    },
    Name(String),
    Notes(String),
    /// The user's note on a part of the catalog; empty = none.
    PartNote {
        part: PartId,
        note: String,
    },
    /// Several edits that undo as one.
    Many {
        label: String,
        edits: Vec<Self>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum VariantChange {
    /// The present build under this name.
    Keep,
    /// A build from elsewhere under this name.
    Put(Box<Build>),
    Switch,
    Rename(String),
    Drop,
}

/// Why an edit changes nothing. Only the meaningless is refused; the unwise becomes a finding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("The catalog has no part {0}.")]
    UnknownPart(PartId),
    #[error("There is no place {0} in this rig.")]
    NoSuchSlot(SlotId),
    #[error("There is no piece {0} in this rig.")]
    NoSuchPlacement(PlacementId),
    #[error("{part} cannot go to {place}: {why}.")]
    DoesNotFit { part: String, place: String, why: String },
    #[error("{field}: {why}.")]
    BadValue { field: &'static str, why: String },
    #[error("{key}: {why}.")]
    BadSetting { key: String, why: String },
}

impl Edit {
    /// A new piece without settings.
    pub fn place(part: &PartId, slot: Option<SlotId>) -> Self {
        Self::Place { part: part.clone(), slot, settings: BTreeMap::new() }
    }

    /// The document after this edit.
    ///
    /// # Errors
    /// If the edit makes no sense here; the document is then unchanged.
    pub fn apply(&self, catalog: &Catalog, project: &Project) -> Result<Project, Refusal> {
        let mut next = project.clone();
        self.apply_to(catalog, &mut next)?;
        Ok(next)
    }

    fn apply_to(&self, catalog: &Catalog, next: &mut Project) -> Result<(), Refusal> {
        match self {
            Self::Place { part, slot, settings } => {
                settings.iter().try_for_each(|(k, v)| check_setting(catalog.part(part), k, Some(v)))?;
                place(catalog, &mut next.rig, part, slot.as_ref(), settings)?;
            }
            Self::Move { what, to } => relocate(catalog, &mut next.rig, *what, to.as_ref())?,
            Self::Remove(id) => {
                next.rig.placements.remove(id).ok_or(Refusal::NoSuchPlacement(*id))?;
                settle(catalog, &mut next.rig);
            }
            Self::Replace { what, part } => replace(catalog, &mut next.rig, *what, part)?,
            Self::Set { what, key, value } => {
                let piece = next.rig.placements.get_mut(what).ok_or(Refusal::NoSuchPlacement(*what))?;
                check_setting(catalog.part(&piece.part), key, value.as_deref())?;
                match value {
                    Some(value) => piece.settings.insert(key.clone(), value.clone()),
                    None => piece.settings.remove(key),
                };
            }
            Self::Workload { index, workload } => set_workload(next, *index, workload.as_deref())?,
            Self::Room(room) => {
                check_room(room)?;
                let idle = next.economy.idle_hours_per_day;
                next.room = room.clone();
                // More work leaves fewer hours to be idle in.
                next.economy.idle_hours_per_day = idle.min(24.0 - room.hours_per_day);
            }
            Self::Price { part, price } => {
                if let Some(price) = price {
                    in_range("price", price.amount, 0.0, 1e9)?;
                }
                set(&mut next.prices.parts, part, price.as_ref());
            }
            Self::Rate { currency, rate } => {
                if let Some(rate) = rate {
                    in_range("rate", rate.per_unit, 1e-9, 1e9)?;
                }
                set(&mut next.prices.rates, currency, rate.as_ref());
            }
            Self::Economy(economy) => {
                if let Some((field, why)) = economy.fault(next.room.hours_per_day) {
                    return Err(Refusal::BadValue { field, why });
                }
                next.economy = (**economy).clone();
            }
            Self::Threshold { key, value } => {
                if let Some(value) = value {
                    in_range("threshold", *value, 0.0, 1e9)?;
                }
                set(&mut next.thresholds, key, value.as_ref());
            }
            Self::Calibration(factors) => {
                for value in factors.values() {
                    in_range("factor", *value, 1e-6, 1e6)?;
                }
                next.calibration.clone_from(factors);
            }
            Self::Variant { name, change } => variant(next, name, change)?,
            Self::Accept { finding, because } => {
                next.accepted.retain(|a| a.finding != *finding);
                if let Some(because) = because {
                    next.accepted.push(Accepted { finding: finding.clone(), because: because.clone() });
                }
            }
            Self::Trial { index, trial } => set_trial(next, *index, trial.as_ref())?,
            Self::Name(name) => next.name.clone_from(name),
            Self::Notes(notes) => next.notes.clone_from(notes),
            Self::PartNote { part, note } => set(&mut next.part_notes, part, Some(note).filter(|n| !n.trim().is_empty())),
            Self::Many { edits, .. } => {
                for edit in edits {
                    edit.apply_to(catalog, next)?;
                }
            }
        }
        Ok(())
    }

    /// What the Edit menu calls it: "Place RTX 3090".
    pub fn label(&self, catalog: &Catalog, project: &Project) -> String {
        let part = |id: &PartId| catalog.part(id).map_or_else(|| id.to_string(), |p| p.short_name().to_owned());
        let piece = |id: &PlacementId| project.rig.placement(*id).map_or_else(|| id.to_string(), |p| part(&p.part));
        match self {
            Self::Place { part: id, slot: Some(_), .. } => format!("Place {}", part(id)),
            Self::Place { part: id, .. } => format!("Put {} in the tray", part(id)),
            Self::Move { what, to: Some(_) } => format!("Move {}", piece(what)),
            Self::Move { what, to: None } => format!("Take {} out", piece(what)),
            Self::Remove(id) => format!("Remove {}", piece(id)),
            Self::Replace { what, part: id } => format!("Replace {} by {}", piece(what), part(id)),
            Self::Set { what, key, .. } => format!("Set {} of {}", key.replace('_', " "), piece(what)),
            Self::Workload { workload: Some(w), index } if *index < project.workloads.len() => format!("Change {}", w.name),
            Self::Workload { workload: Some(w), .. } => format!("Add {}", w.name),
            Self::Workload { workload: None, .. } => "Remove workload".to_owned(),
            Self::Room(_) => "Change room".to_owned(),
            Self::Price { part: id, .. } => format!("Price of {}", part(id)),
            Self::Rate { currency, .. } => format!("Rate of {currency}"),
            Self::Economy(_) => "Change cost settings".to_owned(),
            Self::Threshold { key, .. } => format!("Threshold {}", key.replace('_', " ")),
            Self::Calibration(factors) if factors.is_empty() => "Forget own factors".to_owned(),
            Self::Calibration(_) => "Use own factors".to_owned(),
            Self::Variant { name, change: VariantChange::Keep | VariantChange::Put(_) } => format!("Keep variant {name}"),
            Self::Variant { name, change: VariantChange::Rename(to) } => format!("Rename variant {name} to {to}"),
            Self::PartNote { part: id, .. } => format!("Note on {}", part(id)),
            Self::Variant { name, change: VariantChange::Switch } => format!("Switch to {name}"),
            Self::Variant { name, change: VariantChange::Drop } => format!("Drop variant {name}"),
            Self::Accept { because: Some(_), .. } => "Accept finding".to_owned(),
            Self::Accept { because: None, .. } => "Reopen finding".to_owned(),
            Self::Trial { trial: Some(t), .. } => format!("Keep a reading: {}", t.change),
            Self::Trial { trial: None, .. } => "Forget a trial".to_owned(),
            Self::Name(_) => "Rename".to_owned(),
            Self::Notes(_) => "Edit notes".to_owned(),
            Self::Many { label, .. } => label.clone(),
        }
    }
}

fn set<K: Ord + Clone, V: Clone>(map: &mut BTreeMap<K, V>, key: &K, value: Option<&V>) {
    match value {
        Some(value) => map.insert(key.clone(), value.clone()),
        None => map.remove(key),
    };
}

fn find_slot(catalog: &Catalog, build: &Build, id: &SlotId) -> Result<Slot, Refusal> {
    slots(catalog, build).into_iter().find(|s| s.id == *id).ok_or_else(|| Refusal::NoSuchSlot(id.clone()))
}

fn must_fit(catalog: &Catalog, build: &Build, part: &Part, slot: &Slot, moving: Option<PlacementId>) -> Result<(), Refusal> {
    match fit(catalog, build, part, slot, moving) {
        Fit::Fits | Fit::FitsBut(_) => Ok(()),
        Fit::Never(why) => Err(Refusal::DoesNotFit { part: part.short_name().to_owned(), place: slot.label.clone(), why }),
    }
}

fn place(
    catalog: &Catalog,
    build: &mut Build,
    id: &PartId,
    slot: Option<&SlotId>,
    settings: &BTreeMap<String, String>,
) -> Result<(), Refusal> {
    let part = catalog.part(id).ok_or_else(|| Refusal::UnknownPart(id.clone()))?;
    if let Some(slot) = slot {
        let slot = find_slot(catalog, build, slot)?;
        must_fit(catalog, build, part, &slot, None)?;
        if let (true, Some(&old)) = (slot.replaces(), slot.occupants.first()) {
            return replace(catalog, build, old, id);
        }
    }
    let piece = Placement { part: id.clone(), slot: slot.cloned(), settings: settings.clone() };
    build.placements.insert(PlacementId(build.next), piece);
    build.next = build.next.saturating_add(1);
    settle(catalog, build);
    Ok(())
}

fn relocate(catalog: &Catalog, build: &mut Build, what: PlacementId, to: Option<&SlotId>) -> Result<(), Refusal> {
    let piece = build.placement(what).ok_or(Refusal::NoSuchPlacement(what))?;
    let part = catalog.part(&piece.part).ok_or_else(|| Refusal::UnknownPart(piece.part.clone()))?;
    if let Some(to) = to {
        if to.host_part() == Some(what) {
            return Err(Refusal::NoSuchSlot(to.clone()));
        }
        let slot = find_slot(catalog, build, to)?;
        must_fit(catalog, build, part, &slot, Some(what))?;
        if slot.replaces() {
            for old in slot.occupants.iter().filter(|&&o| o != what) {
                if let Some(old) = build.placements.get_mut(old) {
                    old.slot = None;
                }
            }
        }
    }
    if let Some(piece) = build.placements.get_mut(&what) {
        piece.slot = to.cloned();
    }
    settle(catalog, build);
    Ok(())
}

fn replace(catalog: &Catalog, build: &mut Build, what: PlacementId, id: &PartId) -> Result<(), Refusal> {
    let part = catalog.part(id).ok_or_else(|| Refusal::UnknownPart(id.clone()))?;
    let piece = build.placement(what).ok_or(Refusal::NoSuchPlacement(what))?;
    if let Some(slot) = &piece.slot {
        let slot = find_slot(catalog, build, slot)?;
        must_fit(catalog, build, part, &slot, Some(what))?;
    }
    if let Some(piece) = build.placements.get_mut(&what) {
        piece.part = id.clone();
        piece.settings.clear();
    }
    settle(catalog, build);
    Ok(())
}

fn set_workload(next: &mut Project, index: usize, workload: Option<&Workload>) -> Result<(), Refusal> {
    let bad = |why: &str| Err(Refusal::BadValue { field: "workload", why: why.to_owned() });
    match workload {
        Some(w) if w.context == 0 || w.batch == 0 || w.gpus == Some(0) => bad("context, batch and cards must be at least 1"),
        Some(w) if !w.precision.suits(&w.model) => {
            bad("a precision as in the file needs a model read from such a file. Choose another precision, or open the file")
        }
        Some(w) if w.context > 1 << 30 || w.batch > 1 << 20 => bad("context ends at 1,073,741,824 tokens and batch at 1,048,576"),
        Some(w) => {
            w.serving.check().map_err(|(field, why)| Refusal::BadValue { field, why })?;
            w.sharing.check().map_err(|(field, why)| Refusal::BadValue { field, why })?;
            if let Some((field, why)) = w.training.as_ref().and_then(Training::fault) {
                return Err(Refusal::BadValue { field, why });
            }
            let others = next.workloads.iter().enumerate().filter(|(n, _)| *n != index).map(|(_, o)| o.name.as_str());
            let named = Workload { name: free_name(&w.name, &others.collect::<Vec<_>>()), ..w.clone() };
            match next.workloads.get_mut(index) {
                Some(old) => *old = named,
                None => next.workloads.push(named),
            }
            Ok(())
        }
        None if index < next.workloads.len() => {
            next.workloads.remove(index);
            Ok(())
        }
        None => bad("there is none at this place"),
    }
}

fn set_trial(next: &mut Project, index: usize, trial: Option<&Trial>) -> Result<(), Refusal> {
    if let Some((field, why)) = trial.and_then(Trial::fault) {
        return Err(Refusal::BadValue { field, why });
    }
    match (trial, next.trials.get_mut(index)) {
        (Some(new), Some(old)) => old.clone_from(new),
        (Some(new), None) => next.trials.push(new.clone()),
        (None, Some(_)) => {
            next.trials.remove(index);
        }
        (None, None) => return Err(Refusal::BadValue { field: "trial", why: "there is none at this place".to_owned() }),
    }
    Ok(())
}

/// A name that no other job has: findings tell jobs apart by their names. "Qwen3-8B" beside another becomes "Qwen3-8B (2)".
pub fn free_name(name: &str, others: &[&str]) -> String {
    let numbered = (2..).map(|n| format!("{name} ({n})"));
    std::iter::once(name.to_owned()).chain(numbered).find(|n| !others.contains(&n.as_str())).unwrap_or_default()
}

fn variant(next: &mut Project, name: &str, change: &VariantChange) -> Result<(), Refusal> {
    let bad = |why: String| Refusal::BadValue { field: "variant", why };
    let none = || bad(format!("there is none named {name}"));
    if name.trim().is_empty() {
        return Err(bad("it needs a name".to_owned()));
    }
    match change {
        VariantChange::Keep => {
            next.variants.insert(name.to_owned(), next.rig.clone());
        }
        VariantChange::Put(build) => {
            next.variants.insert(name.to_owned(), (**build).clone());
        }
        VariantChange::Switch => next.rig = next.variants.get(name).ok_or_else(none)?.clone(),
        VariantChange::Rename(to) if to.trim().is_empty() => return Err(bad("it needs a name".to_owned())),
        VariantChange::Rename(to) if to != name && next.variants.contains_key(to) => return Err(bad(format!("there is one named {to}"))),
        VariantChange::Rename(to) => {
            let build = next.variants.remove(name).ok_or_else(none)?;
            next.variants.insert(to.clone(), build);
        }
        VariantChange::Drop => {
            next.variants.remove(name).ok_or_else(none)?;
        }
    }
    Ok(())
}

/// Settings that a computation reads must be what it can read.
fn check_setting(part: Option<&Part>, key: &str, value: Option<&str>) -> Result<(), Refusal> {
    let Some(value) = value else { return Ok(()) };
    if let Some((field, why)) = setting_fault(key, value) {
        return Err(Refusal::BadValue { field, why });
    }
    let own = part.and_then(|p| piece_settings::stranger(p, key, value));
    let wrong = piece_settings::fault(part, key, value).or(own);
    wrong.map_or(Ok(()), |(key, why)| Err(Refusal::BadSetting { key, why }))
}

/// Field and fault of a setting's value.
pub(super) fn setting_fault(key: &str, value: &str) -> Option<(&'static str, String)> {
    if key == CONDITION && Condition::parse(value).is_none() {
        return Some((CONDITION, format!("{value:?} is neither \"new\" nor \"used\"")));
    }
    air_settings::fault(key, value).or_else(|| power_settings::fault(key, value))
}

fn check_room(room: &Room) -> Result<(), Refusal> {
    in_range("tariff", room.tariff_per_kwh, 0.0, 1e6)?;
    in_range("mains voltage", room.mains_v, 90.0, 500.0)?;
    in_range("circuit", room.circuit_a, 1.0, 1000.0)?;
    in_range("circuits", f64::from(room.circuits), 1.0, 16.0)?;
    in_range("ambient temperature", room.ambient_c, -20.0, 60.0)?;
    in_range("altitude", room.altitude_m, -500.0, 6000.0)?;
    in_range("hours a day", room.hours_per_day, 0.0, 24.0)?;
    in_range("years", room.life_years, 0.1, 50.0)
}

fn in_range(field: &'static str, value: f64, low: f64, high: f64) -> Result<(), Refusal> {
    if value.is_finite() && (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(Refusal::BadValue { field, why: format!("{value} is outside {low} to {high}") })
    }
}
