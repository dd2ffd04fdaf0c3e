//! The report as JSON, for scripts and tests. Its schema, `docs/report.schema.json`, is made from these types; null means unknown.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::Report;

use crate::analysis::memory::{CardLedger, HostLedger, Item, ItemKind};
use crate::analysis::power::Power;
use crate::analysis::speed::Bound;
use crate::analysis::speed::breaks::Layer;
use crate::build::SlotId;
use crate::build::slots::slots;
use crate::catalog::Catalog;
use crate::catalog::precision::native::{Arithmetic, Support};
use crate::catalog::vocab::Plug;
use crate::checks::finding::{Detail, Finding, MissingFact, Safety, Severity, Verdict};
use crate::project::{Project, Versions};
use crate::workload::training::Training;
use crate::workload::{Engine, Sharing, Split, Workload};
use air::{JsonAirflow, airflow};
use cost::{JsonCost, cost};
use lanes::JsonLanes;

mod air;
pub mod cost;
mod lanes;
mod speed;

/// Version of this shape: raised when a key changes its meaning or goes, not when one is added.
pub const FORMAT: u32 = 1;

/// A whole report. A placed part has one id, that of the rig file ("p3"), wherever it appears.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonReport {
    /// Version of this shape.
    pub format: u32,
    pub rig: JsonRig,
    /// In order of ids, the tray included.
    pub parts: Vec<JsonPart>,
    pub lanes: JsonLanes,
    pub memory: Vec<JsonLedger>,
    /// Main memory of each workload.
    pub main_memory: Vec<JsonMainMemory>,
    pub performance: Vec<JsonSpeed>,
    pub limits: Vec<JsonLimit>,
    pub day: JsonDay,
    pub cost: JsonCost,
    pub power: JsonPower,
    /// Steady state under full load, reached after five to ten minutes.
    pub airflow: JsonAirflow,
    /// Most urgent first.
    pub findings: Vec<JsonFinding>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonRig {
    pub name: String,
    pub notes: String,
    pub made_with: JsonVersions,
    pub room: JsonRoom,
    /// In order of priority.
    pub workloads: Vec<JsonWorkload>,
    /// Names of other builds in the same file.
    pub variants: Vec<String>,
}

/// What computed the report.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonVersions {
    pub program: String,
    pub catalog: String,
    pub core: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonRoom {
    pub currency: String,
    pub tariff_per_kwh: f64,
    pub mains_v: f64,
    pub circuit_a: f64,
    /// Circuits among which the supplies are divided.
    pub circuits: u8,
    pub ambient_c: f64,
    pub altitude_m: f64,
    pub hours_per_day: f64,
    pub life_years: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonWorkload {
    pub name: String,
    pub model: String,
    pub parameters: u64,
    /// Parameters that one token reads.
    pub active_parameters: u64,
    pub precision: String,
    pub kv_precision: String,
    pub context: u64,
    pub batch: u64,
    /// Null: all cards.
    pub gpus: Option<u32>,
    /// Settings of a training job; null: the model answers.
    pub training: Option<Training>,
    /// When it runs, and what it claims.
    pub sharing: Sharing,
    /// The program that runs it.
    pub engine: Engine,
    pub split: Split,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonPart {
    /// Id of the placed part in the rig file.
    pub id: String,
    /// Id in the catalog.
    pub part: String,
    pub kind: String,
    pub name: String,
    pub maker: Option<String>,
    pub part_number: Option<String>,
    /// Null: it lies in the tray and counts nowhere.
    pub slot: Option<String>,
    /// The place in words.
    pub position: Option<String>,
    pub settings: BTreeMap<String, String>,
}

/// Memory of one workload on one card.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonLedger {
    pub workload: String,
    pub gpu: String,
    pub capacity_bytes: Option<u64>,
    /// What may be used of it: less where the engine takes a share of the card. Null: unknown.
    pub limit_bytes: Option<u64>,
    /// The arithmetic that the precision of the weights asks for.
    pub arithmetic: Arithmetic,
    /// How the card does it. Null: unknown.
    pub support: Option<Support>,
    /// What that does to memory and speed.
    pub effect: Option<String>,
    pub items: Vec<JsonItem>,
    pub total_bytes: u64,
    pub low_bytes: u64,
    pub high_bytes: u64,
    /// Null: the capacity is unknown or lies within the band.
    pub fits: Option<bool>,
    /// Null: the workload does not train.
    pub training: Option<JsonStep>,
}

/// Parts of a training step on one card, without context and allocator.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonStep {
    /// Where memory is highest, in words.
    pub peak: String,
    /// What waits for the backward pass when the forward pass ends.
    pub activation_bytes: u64,
    pub forward_bytes: u64,
    pub backward_bytes: u64,
    pub optimizer_bytes: u64,
}

/// Main memory of one workload.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonMainMemory {
    pub workload: String,
    pub items: Vec<JsonItem>,
    pub total_bytes: u64,
    pub low_bytes: u64,
    pub high_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonItem {
    pub name: String,
    pub bytes: u64,
    pub kind: ItemKind,
    /// The formula with its numbers.
    pub formula: String,
    pub source: String,
    /// "exact", "derived", "fitted to measurements", "assumed".
    pub basis: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonSpeed {
    pub workload: String,
    pub metric: String,
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub unit: String,
    pub bound_by: Bound,
    /// The fact that is missing where the value is null.
    pub missing: Option<String>,
    /// Seconds of a step by what takes them; those that are overlapped do not add to it.
    pub terms: Vec<JsonTerm>,
    /// The fastest way to spread it over the cards that fits. Null: nothing to choose, or nothing fits.
    pub strategy: Option<String>,
    /// The way that is set, which the value is of.
    pub set: Option<String>,
    /// The other ways, best first.
    pub runners_up: Vec<JsonRunner>,
    pub over_context: Vec<JsonPoint>,
    pub over_batch: Vec<JsonPoint>,
    pub over_cards: Vec<JsonPoint>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonTerm {
    pub name: String,
    pub seconds: f64,
    pub source: String,
    pub overlapped: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonRunner {
    pub strategy: String,
    /// In the unit of the metric.
    pub value: Option<f64>,
    pub fits: bool,
    /// Bytes that each card sends in a step.
    pub sent_bytes: f64,
    /// Why it loses.
    pub reason: String,
}

/// One point of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonPoint {
    pub x: f64,
    pub value: Option<f64>,
    pub fits: bool,
}

/// Where a layer of the ledger gives way as the work grows; what breaks first comes first, workload by workload.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonLimit {
    pub workload: String,
    pub layer: Layer,
    /// Null: it does not give way, or is unknown; the reason says which.
    pub at: Option<f64>,
    pub unit: String,
    pub reason: String,
    /// `at` over the value of today.
    pub growth: Option<f64>,
}

/// Who runs when on which card, and what is left.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonDay {
    pub cards: Vec<JsonCardDay>,
    pub broken_by: Vec<JsonBroken>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonCardDay {
    pub gpu: String,
    /// Most that runs at once.
    pub peak_bytes: u64,
    pub left_bytes: Option<u64>,
    /// Largest sum of claimed shares of time.
    pub time: f64,
    pub idle_hours: f64,
}

/// A workload that does not fit beside those before it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonBroken {
    pub workload: String,
    pub gpu: String,
    /// Hour of the day at which it fails first.
    pub hour: f64,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonPower {
    pub parts: Vec<JsonDraw>,
    /// Sum of the known typical draws.
    pub total_w: f64,
    /// Sum of the known limits.
    pub limit_total_w: f64,
    /// All parts with the margin for a supply.
    pub with_margin_w: f64,
    /// One card at its short peak, all else at its typical draw.
    pub transient_w: Option<f64>,
    /// What the supplies bear for less than a millisecond.
    pub bears_w: Option<f64>,
    pub psus: Vec<JsonPsu>,
    /// Sum of the supplies' ratings.
    pub supply_w: Option<f64>,
    pub efficiency: Option<f64>,
    /// Draw from the wall.
    pub wall_w: Option<f64>,
    /// What the circuit carries for long.
    pub circuit_limit_w: f64,
    /// Which supply feeds which plug.
    pub cables: Vec<JsonCable>,
    /// Ids of placed parts whose draw is unknown.
    pub unknown: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonDraw {
    pub placement: String,
    pub typical_w: Option<f64>,
    pub limit_w: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonPsu {
    pub placement: String,
    pub rated_w: Option<f64>,
    /// Share of its rating that it gives, per cent.
    pub load_pct: Option<f64>,
    /// At that load, 0 to 1.
    pub efficiency: Option<f64>,
}

/// A lead from a supply to a plug.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonCable {
    /// Null: no supply has such a plug left, or its plugs are unknown.
    pub from: Option<String>,
    pub to: String,
    pub plug: Plug,
    /// One of several leads that an adapter joins to a 16-pin plug.
    pub by_adapter: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonFinding {
    pub rule: String,
    pub guide: Vec<String>,
    pub verdict: Verdict,
    pub severity: Severity,
    /// Ids of placed parts, slots ("p2/PCIE1"), "workload NAME" or "rig".
    pub subjects: Vec<String>,
    pub message: String,
    pub numbers: BTreeMap<String, JsonDetail>,
    pub missing: Vec<MissingFact>,
    pub stake: Option<JsonStake>,
    pub fixes: Vec<JsonFix>,
    /// Why the user lives with it; null: not accepted.
    pub accepted: Option<String>,
}

/// A number of a finding; a few are a yes or no, a text, or several numbers such as ports.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum JsonDetail {
    Number(Option<f64>),
    Flag(bool),
    Text(String),
    List(Vec<f64>),
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonStake {
    pub money: Option<f64>,
    pub currency: Option<String>,
    /// The money comes back every year.
    pub per_year: bool,
    pub speed_pct: Option<f64>,
    pub celsius: Option<f64>,
    pub watts: Option<f64>,
    /// What leaving it alone wastes a year, in the room's currency; of a blocker the price of what cannot be used. Null: unknown, or none.
    pub waste_per_year: Option<f64>,
    /// How that was reckoned, or which price it lacks.
    pub how: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JsonFix {
    pub label: String,
    pub safety: Safety,
}

/// The report in the shape of the schema; the same arguments give the same value.
pub fn json(catalog: &Catalog, project: &Project, report: &Report, versions: &Versions) -> JsonReport {
    JsonReport {
        format: FORMAT,
        rig: rig(project, versions),
        parts: parts(catalog, project),
        lanes: lanes::json(&report.facts.lanes),
        memory: report.facts.memory.iter().map(ledger).collect(),
        main_memory: report.facts.host.iter().map(host).collect(),
        performance: report.facts.speed.iter().map(speed::speed).collect(),
        limits: report.facts.limits.iter().map(speed::limit).collect(),
        day: speed::day(&report.facts.day),
        cost: cost(&report.facts.cost),
        power: power(&report.facts.power),
        airflow: airflow(&report.facts.airflow),
        findings: report.findings.iter().map(finding).collect(),
    }
}

/// A computed number without the dust of binary fractions: six decimals, or six digits where it is below 1.
pub(super) fn rounded(value: f64) -> f64 {
    let text = if value.abs() < 1.0 { format!("{value:.5e}") } else { format!("{value:.6}") };
    text.parse().unwrap_or(value)
}

/// [`rounded`]; what is no number is unknown.
pub(super) fn known(value: Option<f64>) -> Option<f64> {
    value.filter(|v| v.is_finite()).map(rounded)
}

/// The schema as text, as `docs/report.schema.json` holds it.
pub fn schema_text() -> String {
    let schema = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<JsonReport>();
    format!("{:#}\n", schema.as_value())
}

fn rig(project: &Project, versions: &Versions) -> JsonRig {
    let room = &project.room;
    JsonRig {
        name: project.name.clone(),
        notes: project.notes.clone(),
        made_with: JsonVersions { program: versions.program.clone(), catalog: versions.catalog.clone(), core: versions.core.clone() },
        room: JsonRoom {
            currency: room.currency.to_string(),
            tariff_per_kwh: room.tariff_per_kwh,
            mains_v: room.mains_v,
            circuit_a: room.circuit_a,
            circuits: room.circuits,
            ambient_c: room.ambient_c,
            altitude_m: room.altitude_m,
            hours_per_day: room.hours_per_day,
            life_years: room.life_years,
        },
        workloads: project.workloads.iter().map(workload).collect(),
        variants: project.variants.keys().cloned().collect(),
    }
}

fn workload(w: &Workload) -> JsonWorkload {
    JsonWorkload {
        name: w.name.clone(),
        model: w.model.name.clone(),
        parameters: w.model.params(),
        active_parameters: w.model.active_params(),
        precision: w.precision.text().to_owned(),
        kv_precision: w.kv_precision.text().to_owned(),
        context: w.context,
        batch: w.batch,
        gpus: w.gpus,
        training: w.training.clone(),
        sharing: w.sharing,
        engine: w.engine(),
        split: w.split(),
    }
}

fn parts(catalog: &Catalog, project: &Project) -> Vec<JsonPart> {
    let places = slots(catalog, &project.rig);
    let label = |slot: &SlotId| places.iter().find(|s| s.id == *slot).map(|s| s.label.clone());
    let known = project.rig.placements().filter_map(|(id, piece)| Some((id, piece, catalog.part(&piece.part)?)));
    known
        .map(|(id, piece, part)| JsonPart {
            id: id.to_string(),
            part: part.id.to_string(),
            kind: part.kind.key().to_owned(),
            name: part.name.clone(),
            maker: part.maker.clone(),
            part_number: part.part_number.clone(),
            slot: piece.slot.as_ref().map(ToString::to_string),
            position: piece.slot.as_ref().and_then(label),
            settings: piece.settings.clone(),
        })
        .collect()
}

fn item(i: &Item) -> JsonItem {
    JsonItem {
        name: i.name.clone(),
        bytes: i.bytes.0,
        kind: i.kind,
        formula: i.origin.formula.clone(),
        source: i.origin.source.to_string(),
        basis: i.origin.basis.text().to_owned(),
    }
}

fn host(main: &HostLedger) -> JsonMainMemory {
    JsonMainMemory {
        workload: main.workload_name.clone(),
        items: main.items.iter().map(item).collect(),
        total_bytes: main.total.0,
        low_bytes: main.low.0,
        high_bytes: main.high.0,
    }
}

fn ledger(card: &CardLedger) -> JsonLedger {
    JsonLedger {
        workload: card.workload_name.clone(),
        gpu: card.gpu.to_string(),
        capacity_bytes: card.capacity.map(|b| b.0),
        limit_bytes: card.limit.map(|b| b.0),
        arithmetic: card.arithmetic,
        support: card.capability.map(|c| c.support),
        effect: card.capability.map(|c| c.effect.to_owned()),
        items: card.items.iter().map(item).collect(),
        total_bytes: card.total.0,
        low_bytes: card.low.0,
        high_bytes: card.high.0,
        fits: card.fits(),
        training: card.phases.map(|p| JsonStep {
            peak: p.text(),
            activation_bytes: p.activations.0,
            forward_bytes: p.forward.0,
            backward_bytes: p.backward.0,
            optimizer_bytes: p.optimizer.0,
        }),
    }
}

fn power(power: &Power) -> JsonPower {
    let psus = power.supplies.iter().map(|s| JsonPsu {
        placement: s.placement.to_string(),
        rated_w: known(s.rated_w),
        load_pct: known(s.load.map(|l| l * 100.0)),
        efficiency: known(s.efficiency),
    });
    let cables = power.cables.iter().map(|c| JsonCable {
        from: c.from.map(|id| id.to_string()),
        to: c.to.to_string(),
        plug: c.plug,
        by_adapter: c.by_adapter,
    });
    let draws = power.parts.iter();
    JsonPower {
        parts: draws
            .map(|d| JsonDraw { placement: d.placement.to_string(), typical_w: known(d.typical_w), limit_w: known(d.limit_w) })
            .collect(),
        total_w: rounded(power.typical_w),
        limit_total_w: rounded(power.limit_w),
        with_margin_w: rounded(power.with_margin_w),
        transient_w: known(power.transient_w),
        bears_w: known(power.bears_w),
        psus: psus.collect(),
        supply_w: known(power.supply_w),
        efficiency: known(power.efficiency),
        wall_w: known(power.wall_w),
        circuit_limit_w: rounded(power.circuit_w),
        cables: cables.collect(),
        unknown: power.unknown.iter().map(ToString::to_string).collect(),
    }
}

/// One finding in the shape of the schema.
pub fn finding(finding: &Finding) -> JsonFinding {
    JsonFinding {
        rule: finding.rule.to_owned(),
        guide: finding.guide.iter().map(|&g| g.to_owned()).collect(),
        verdict: finding.verdict,
        severity: finding.severity,
        subjects: finding.subjects.iter().map(ToString::to_string).collect(),
        message: finding.message.clone(),
        numbers: numbers(finding),
        missing: finding.missing.clone(),
        stake: finding.stake.as_ref().map(|s| JsonStake {
            money: known(s.money.map(|m| m.amount())),
            currency: s.money.map(|m| m.currency.to_string()),
            per_year: s.per_year,
            speed_pct: known(s.speed_pct),
            celsius: known(s.celsius),
            watts: known(s.watts),
            waste_per_year: known(s.waste_per_year.map(|m| m.amount())),
            how: s.how.clone(),
        }),
        fixes: finding.fixes.iter().map(|f| JsonFix { label: f.label.clone(), safety: f.safety }).collect(),
        accepted: finding.accepted.clone(),
    }
}

fn numbers(finding: &Finding) -> BTreeMap<String, JsonDetail> {
    let plain = finding.numbers.iter().map(|(&key, &value)| (key.to_owned(), JsonDetail::Number(known(Some(value)))));
    let other = finding.details.iter().map(|(key, value)| {
        let value = match value {
            Detail::Flag(on) => JsonDetail::Flag(*on),
            Detail::Text(text) => JsonDetail::Text(text.clone()),
            Detail::List(list) => JsonDetail::List(list.clone()),
        };
        (key.clone(), value)
    });
    plain.chain(other).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_and_never_infinite() {
        for (given, text) in [
            (2.399_999_999_999_977_3, "2.4"),
            (0.1 + 0.2, "0.3"),
            (1_234.567_891_23, "1234.567891"),
            (-2.400_000_000_4, "-2.4"),
            (0.000_012_345_678, "0.0000123457"),
            (0.999_999_999_9, "1.0"),
            (0.0, "0.0"),
            (350.0, "350.0"),
        ] {
            let written = serde_json::to_string(&known(Some(given))).unwrap();
            assert_eq!(written.parse::<f64>().unwrap().to_string(), text.parse::<f64>().unwrap().to_string());
        }
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(serde_json::to_string(&known(Some(odd))).unwrap(), "null");
        }
    }
}
