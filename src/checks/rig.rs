//! What rules ask of a rig: placed parts by kind, names for messages, lengths that may rest on a guess.

use super::Case;
use super::finding::{Finding, MissingFact, Severity, Verdict};
use crate::build::{Placement, PlacementId};
use crate::catalog::part::{Board, Case as Chassis, Cooler, Cpu, Drive, Gpu, Part, PartKind, Psu, Ram, Riser};
use crate::project::Subject;

/// A placed part of a known kind.
#[derive(Debug)]
pub(super) struct Piece<'a, T> {
    pub id: PlacementId,
    pub piece: &'a Placement,
    pub part: &'a Part,
    pub is: &'a T,
}

macro_rules! by_kind {
    ($($name:ident: $variant:ident($kind:ty)),+ $(,)?) => {
        impl<'a> Case<'a> {
            $(pub(super) fn $name(&self) -> Vec<Piece<'a, $kind>> {
                let placed = self.project.rig.placed(self.catalog);
                placed.filter_map(|(id, piece, part)| match &part.kind {
                    PartKind::$variant(is) => Some(Piece { id, piece, part, is }),
                    _ => None,
                }).collect()
            })+
        }
    };
}
by_kind!(
    gpus: Gpu(Gpu), cpus: Cpu(Cpu), boards: Board(Board), kits: Ram(Ram), drives: Drive(Drive), psus: Psu(Psu),
    coolers: Cooler(Cooler), cases: Case(Chassis), risers: Riser(Riser),
);

impl<'a> Case<'a> {
    /// The board; a rig has at most one.
    pub(super) fn board(&self) -> Option<Piece<'a, Board>> {
        self.boards().into_iter().next()
    }
    pub(super) fn chassis(&self) -> Option<Piece<'a, Chassis>> {
        self.cases().into_iter().next()
    }
    pub(super) fn part_of(&self, id: PlacementId) -> Option<&'a Part> {
        self.catalog.part(&self.project.rig.placement(id)?.part)
    }
    /// The part's name, with its place where the rig holds several of that name.
    pub(super) fn name(&self, id: PlacementId) -> String {
        let Some(part) = self.part_of(id) else { return id.to_string() };
        let twins = self.project.rig.placements().filter(|(_, p)| p.slot.is_some() && p.part == part.id).count();
        let slot = self.project.rig.placement(id).and_then(|p| p.slot.as_ref());
        match slot {
            // Kits share one place: it would tell nothing.
            Some(slot) if twins > 1 && &*slot.name != "dimm" => format!("{} in {}", part.short_name(), slot.name),
            _ => part.short_name().to_owned(),
        }
    }
    /// Names of workloads as a phrase: "Llama-3.1-8B and chat".
    pub(super) fn workload_names(&self) -> Option<String> {
        let names: Vec<&str> = self.project.workloads.iter().map(|w| w.name.as_str()).collect();
        (!names.is_empty()).then(|| join(&names))
    }
}

/// "a", "a and b", "a, b and c".
pub(super) fn join<T: AsRef<str>>(items: &[T]) -> String {
    let mut text = String::new();
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            text.push_str(if n + 1 == items.len() { " and " } else { ", " });
        }
        text.push_str(item.as_ref());
    }
    text
}

/// "1 card", "2 cards".
pub(super) fn count(n: usize, one: &str) -> String {
    crate::units::count(n as u64, one)
}

/// Subjects from placements.
pub(super) fn about(ids: impl IntoIterator<Item = PlacementId>) -> Vec<Subject> {
    ids.into_iter().map(Subject::Placement).collect()
}

/// A number of a part that may be unknown, or known only from a template or a guess.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub value: Option<f64>,
    assumed: bool,
    missing: MissingFact,
}

impl Fact {
    pub(super) fn of(part: &Part, field: &str, value: Option<f64>) -> Self {
        Self { value, assumed: part.is_assumed(field), missing: missing(part.short_name(), field) }
    }
    /// The same, or a template's value where the part says nothing.
    pub(super) fn or_template(mut self, value: Option<f64>) -> Self {
        if self.value.is_none() {
            self.value = value;
            self.assumed = true;
        }
        self
    }
}

pub(super) fn missing(part: &str, field: &str) -> MissingFact {
    MissingFact { part: part.to_owned(), field: field.to_owned() }
}

/// Answer of a comparison.
#[derive(Clone, Debug)]
pub(super) enum Room {
    /// Millimetres to spare.
    Fits(f64),
    /// Millimetres too much.
    Over(f64),
    Unknown(Vec<MissingFact>),
}

/// Whether `value` stays within `limit`. A guess close to the limit, within `band`, decides nothing.
pub(super) fn within(value: &Fact, limit: &Fact, band: f64) -> Room {
    let (Some(have), Some(most)) = (value.value, limit.value) else {
        return Room::Unknown([value, limit].into_iter().filter(|f| f.value.is_none()).map(|f| f.missing.clone()).collect());
    };
    let spare = most - have;
    if (value.assumed || limit.assumed) && spare.abs() <= band {
        return Room::Unknown([value, limit].into_iter().filter(|f| f.assumed).map(|f| f.missing.clone()).collect());
    }
    if spare >= 0.0 { Room::Fits(spare) } else { Room::Over(-spare) }
}

/// An unknown verdict that names what is missing.
pub(super) fn unknown(rule: &'static str, severity: Severity, subjects: Vec<Subject>, question: &str, facts: Vec<MissingFact>) -> Finding {
    let mut finding = Finding::new(rule, Verdict::Unknown, severity, subjects, "");
    for fact in facts {
        if !finding.missing.contains(&fact) {
            finding.missing.push(fact);
        }
    }
    let names: Vec<String> = finding.missing.iter().map(|m| format!("{} of {}", words(&m.field), m.part)).collect();
    finding.message = format!("{question} is unknown. Missing: {}.", join(&names));
    finding
}

/// A field's name in words: `max_gpu_length_mm` is "largest GPU length".
pub(super) fn words(field: &str) -> String {
    const NAMES: &[(&str, &str)] = &[
        ("above_4g", "decoding above 4 GB"),
        ("atx_version", "ATX version"),
        ("cooler", "kind of cooler"),
        ("dimm_slots", "number of memory slots"),
        ("ecc", "error correction"),
        ("eps_plugs", "CPU power plugs"),
        ("expansion_slots", "number of openings"),
        ("graphics", "graphics unit"),
        ("hpwr_w", "rating of the 16-pin lead"),
        ("lan", "management chip"),
        ("last_cuda", "last CUDA release"),
        ("life.outlook", "outlook"),
        ("max_board_depth_mm", "largest board depth"),
        ("max_cooler_height_mm", "largest cooler height"),
        ("max_gpu_length_mm", "largest card length"),
        ("max_gpu_length_radiator_mm", "largest card length behind a radiator"),
        ("max_psu_length_mm", "largest supply length"),
        ("max_sockets", "number of CPUs that work together"),
        ("measured_memory", "measured memory"),
        ("memory_max_gb", "largest memory"),
        ("memory_mt_s", "memory speed"),
        ("p2p", "peer access"),
        ("pcie_gen", "PCIe generation"),
        ("pcie_lanes", "PCIe lanes"),
        ("psu_forms", "forms of supply"),
        ("radiators", "places for radiators"),
        ("ram_clearance_mm", "room over the memory"),
        ("rotating", "kind of drive"),
        ("sata_ports", "number of SATA ports"),
        ("segment", "market"),
        ("slots", "number of slots covered"),
        ("tdp_w", "power"),
    ];
    if let Some((_, name)) = NAMES.iter().find(|(key, _)| *key == field) {
        return (*name).to_owned();
    }
    if field.contains(' ') {
        return field.to_owned();
    }
    let bare = ["_mm", "_gb", "_mt_s", "_w"].iter().find_map(|unit| field.strip_suffix(unit)).unwrap_or(field);
    bare.replace('_', " ")
}
