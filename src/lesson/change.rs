//! Edits as a lesson's file writes them, and back.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::build::{PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::model::ModelShape;
use crate::catalog::part::PartId;
use crate::project::Project;
use crate::project::edit::Edit;
use crate::workload::Workload;

/// One change of a rig: exactly one of `place`, `move`, `remove`, `replace`, `set`, `work`, `room`, `threshold`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Change {
    /// A new piece of this part, at `at` or in the tray.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<PartId>,
    /// A piece to `to`, or to the tray.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    relocate: Option<PlacementId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remove: Option<PlacementId>,
    /// A piece by the part `by`.
    #[serde(skip_serializing_if = "Option::is_none")]
    replace: Option<PlacementId>,
    /// The choice `key` of a piece to `value`, or back.
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<PlacementId>,
    /// The job at this place, counted from 0: fields in `with`, its model in `model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    work: Option<usize>,
    /// Fields of the room.
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<Table>,
    /// A limit to `value`, or back to its default.
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<String>,

    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<SlotId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<SlotId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<PartId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    with: Option<Table>,
    /// Fields of a job to take back to their defaults; "all" takes the job out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    without: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    settings: BTreeMap<String, String>,
}

/// What changes are made of.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    pub catalog: &'a Catalog,
    pub models: &'a [Arc<ModelShape>],
}

/// The changes as one edit, and the rig after it.
///
/// # Errors
/// The number of the change that does not work, counted from 0, and why.
pub fn applied(parts: Parts<'_>, project: &Project, changes: &[Change], label: &str) -> Result<(Edit, Project), (usize, String)> {
    let (mut edits, mut now) = (Vec::new(), project.clone());
    for (n, change) in changes.iter().enumerate() {
        let edit = change.edit(parts, &now).map_err(|why| (n, why))?;
        now = edit.apply(parts.catalog, &now).map_err(|refusal| (n, refusal.to_string()))?;
        edits.push(edit);
    }
    Ok((Edit::Many { label: label.to_owned(), edits }, now))
}

impl Change {
    /// The edit that it stands for in this rig.
    ///
    /// # Errors
    /// What is missing, too much or unknown.
    pub fn edit(&self, parts: Parts<'_>, project: &Project) -> Result<Edit, String> {
        self.well_formed()?;
        if let Some(part) = &self.place {
            return Ok(Edit::Place { part: part.clone(), slot: self.at.clone(), settings: self.settings.clone() });
        }
        if let Some(what) = self.relocate {
            return Ok(Edit::Move { what, to: self.to.clone() });
        }
        if let Some(what) = self.remove {
            return Ok(Edit::Remove(what));
        }
        if let Some(what) = self.replace {
            let part = self.by.clone().ok_or("replace needs by = \"id of the new part\"")?;
            return Ok(Edit::Replace { what, part });
        }
        if let Some(what) = self.set {
            let key = self.key.clone().ok_or("set needs a key")?;
            let value = self.value.as_ref().map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned));
            return Ok(Edit::Set { what, key, value });
        }
        if let Some(fields) = &self.room {
            let room = overlaid(&project.room, fields, &[]).map_err(|e| format!("room: {e}"))?;
            return Ok(Edit::Room(room));
        }
        if let Some(key) = &self.threshold {
            let number = |v: &Value| v.as_float().or_else(|| v.as_integer().map(|n| n as f64)).ok_or("value is no number");
            let value = self.value.as_ref().map(number).transpose()?;
            return Ok(Edit::Threshold { key: key.clone(), value });
        }
        self.work.map_or_else(|| Err(ONE_OF.to_owned()), |index| self.work(index, parts, project))
    }

    fn work(&self, index: usize, parts: Parts<'_>, project: &Project) -> Result<Edit, String> {
        if self.without == ["all"] {
            return Ok(Edit::Workload { index, workload: None });
        }
        let model = |name: &String| {
            let found = parts.models.iter().find(|m| m.name == *name || m.short_name() == name);
            found.cloned().ok_or_else(|| format!("the list of models has no {name}"))
        };
        let model = self.model.as_ref().map(model).transpose()?;
        let base = match (project.workloads.get(index), model) {
            (Some(old), Some(model)) => old.with_model(model),
            (Some(old), None) => old.clone(),
            (None, Some(model)) => Workload::of(model),
            (None, None) => return Err(format!("there is no job {index}. Name its model")),
        };
        let workload = overlaid(&base, self.with.as_ref().unwrap_or(&Table::new()), &self.without).map_err(|e| format!("with: {e}"))?;
        Ok(Edit::Workload { index, workload: Some(Box::new(workload)) })
    }

    /// One kind of change, with the fields that belong to it.
    pub(super) fn well_formed(&self) -> Result<(), String> {
        let kinds = [
            (self.place.is_some(), [self.at.is_some(), !self.settings.is_empty()].iter().filter(|f| **f).count()),
            (self.relocate.is_some(), usize::from(self.to.is_some())),
            (self.remove.is_some(), 0),
            (self.replace.is_some(), usize::from(self.by.is_some())),
            (self.set.is_some(), usize::from(self.key.is_some()) + usize::from(self.value.is_some())),
            (self.work.is_some(), [self.model.is_some(), self.with.is_some(), !self.without.is_empty()].iter().filter(|f| **f).count()),
            (self.room.is_some(), 0),
            (self.threshold.is_some(), usize::from(self.value.is_some())),
        ];
        let chosen: Vec<usize> = kinds.iter().filter(|k| k.0).map(|k| k.1).collect();
        let [own] = chosen.as_slice() else { return Err(ONE_OF.to_owned()) };
        let given =
            [self.at.is_some(), self.to.is_some(), self.by.is_some(), self.key.is_some(), self.value.is_some(), self.model.is_some()];
        let others = [self.with.is_some(), !self.without.is_empty(), !self.settings.is_empty()];
        if given.iter().chain(&others).filter(|f| **f).count() > *own {
            return Err(
                "a change has a field that does not belong to it: place has at and settings; move to; replace by; set key and value; \
                work model, with and without; threshold value"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// How a lesson writes an edit; `None` for those that lessons have no use for.
    pub fn of(edit: &Edit, before: &Project) -> Option<Vec<Self>> {
        let one = match edit {
            Edit::Place { part, slot, settings } => {
                Self { place: Some(part.clone()), at: slot.clone(), settings: settings.clone(), ..Self::default() }
            }
            Edit::Move { what, to } => Self { relocate: Some(*what), to: to.clone(), ..Self::default() },
            Edit::Remove(what) => Self { remove: Some(*what), ..Self::default() },
            Edit::Replace { what, part } => Self { replace: Some(*what), by: Some(part.clone()), ..Self::default() },
            Edit::Set { what, key, value } => {
                Self { set: Some(*what), key: Some(key.clone()), value: value.clone().map(Value::String), ..Self::default() }
            }
            Edit::Workload { index, workload: None } => Self { work: Some(*index), without: vec!["all".to_owned()], ..Self::default() },
            Edit::Workload { index, workload: Some(workload) } => {
                let old = before.workloads.get(*index);
                let base = old.and_then(|w| Table::try_from(w).ok()).unwrap_or_default();
                let new = Table::try_from(&**workload).ok()?;
                let (with, without) = difference(&base, &new);
                let model = (old.is_none_or(|o| o.model.name != workload.model.name)).then(|| workload.model.name.clone());
                let with = with.into_iter().filter(|(k, _)| model.is_none() || k != "model").collect::<Table>();
                Self { work: Some(*index), model, with: (!with.is_empty()).then_some(with), without, ..Self::default() }
            }
            Edit::Room(room) => {
                let (fields, _) = difference(&Table::try_from(&before.room).ok()?, &Table::try_from(room).ok()?);
                Self { room: Some(fields), ..Self::default() }
            }
            Edit::Threshold { key, value } => Self { threshold: Some(key.clone()), value: value.map(Value::Float), ..Self::default() },
            Edit::Many { edits, .. } => {
                let all: Option<Vec<Vec<Self>>> = edits.iter().map(|e| Self::of(e, before)).collect();
                return all.map(|a| a.into_iter().flatten().collect());
            }
            Edit::Price { .. }
            | Edit::Rate { .. }
            | Edit::Economy(_)
            | Edit::Calibration(_)
            | Edit::Variant { .. }
            | Edit::Accept { .. }
            | Edit::Name(_)
            | Edit::Notes(_)
            | Edit::Trial { .. }
            | Edit::PartNote { .. } => return None,
        };
        Some(vec![one])
    }
}

const ONE_OF: &str = "a change is one of place, move, remove, replace, set, work, room, threshold";

/// A value with some of its fields changed; tables inside are merged.
fn overlaid<T: Serialize + for<'de> Deserialize<'de>>(base: &T, fields: &Table, without: &[String]) -> Result<T, String> {
    let mut table = Table::try_from(base).map_err(|e| e.to_string())?;
    for key in without {
        if table.remove(key).is_none() && !OPTIONAL.contains(&key.as_str()) {
            return Err(format!("there is no field {key} to take back"));
        }
    }
    merge(&mut table, fields);
    table.try_into().map_err(|e: toml::de::Error| e.message().to_owned())
}

/// Fields of a job that may be absent already.
const OPTIONAL: [&str; 3] = ["training", "serving", "gpus"];

fn merge(base: &mut Table, over: &Table) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Table(inner)), Value::Table(over)) => merge(inner, over),
            (Some(old), new) => *old = new.clone(),
            (None, new) => {
                base.insert(key.clone(), new.clone());
            }
        }
    }
}

/// Fields that are new or other, and names of those that are gone.
fn difference(old: &Table, new: &Table) -> (Table, Vec<String>) {
    let mut changed = Table::new();
    for (key, value) in new {
        match (old.get(key), value) {
            (Some(same), value) if same == value => {}
            (Some(Value::Table(before)), Value::Table(after)) if key != "model" && before.keys().all(|k| after.contains_key(k)) => {
                changed.insert(key.clone(), Value::Table(difference(before, after).0));
            }
            (_, value) => {
                changed.insert(key.clone(), value.clone());
            }
        }
    }
    (changed, old.keys().filter(|k| !new.contains_key(*k)).cloned().collect())
}
