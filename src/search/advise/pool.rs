//! Priced parts by role, cheapest first, and what must stay.

use std::collections::BTreeMap;

use crate::analysis::cost::{best_price, in_room_currency};
use crate::analysis::memory::host;
use crate::analysis::memory::plan::{Plan, devices};
use crate::build::PlacementId;
use crate::catalog::Catalog;
use crate::catalog::part::{Board, Case, Cooler, Cpu, Fan, Part, PartId, PartKind, Ram};
use crate::catalog::vocab::{Edge, GpuForm, Sale};
use crate::project::Project;
use crate::units::Money;
use crate::workload::Workload;

/// What a part is for. In the order in which a rig is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    Board,
    Cpu,
    Ram,
    Cooler,
    Case,
    Drive,
    Psu,
}

impl Role {
    pub const ALL: [Self; 7] = [Self::Board, Self::Cpu, Self::Ram, Self::Cooler, Self::Case, Self::Drive, Self::Psu];

    pub const fn bit(self) -> u16 {
        1 << self as u16
    }

    fn of(part: &Part) -> Option<Self> {
        match &part.kind {
            PartKind::Board(_) => Some(Self::Board),
            PartKind::Cpu(_) => Some(Self::Cpu),
            PartKind::Ram(_) => Some(Self::Ram),
            PartKind::Cooler(_) => Some(Self::Cooler),
            PartKind::Case(_) => Some(Self::Case),
            PartKind::Drive(_) => Some(Self::Drive),
            PartKind::Psu(_) => Some(Self::Psu),
            PartKind::Gpu(_) | PartKind::Fan(_) | PartKind::Nic(_) | PartKind::Riser(_) | PartKind::Carrier(_) | PartKind::Bridge(_) => {
                None
            }
        }
    }
}

/// A choice for a role: a part so many times, or what is there already.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'a> {
    pub part: &'a Part,
    /// New pieces; 0 = it is there and costs nothing.
    pub count: usize,
    pub cents: i64,
}

/// Parts without a price, by kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeftOut {
    pub by_kind: BTreeMap<&'static str, usize>,
}

impl LeftOut {
    pub fn total(&self) -> usize {
        self.by_kind.values().sum()
    }
}

/// All that can be chosen.
#[derive(Debug)]
pub(super) struct Pool<'a> {
    /// By role, cheapest first.
    pub items: [Vec<Item<'a>>; 7],
    /// Cards with their price, cheapest first.
    pub cards: Vec<(&'a Part, i64)>,
    /// Cards that stay.
    pub kept_cards: Vec<(PlacementId, &'a Part)>,
    /// Roles filled by what stays.
    pub kept: u16,
    pub left_out: LeftOut,
    /// Fans of each case that is on offer: place, and the cheapest fan of its size.
    pub fans: BTreeMap<&'a PartId, Vec<(String, &'a Part)>>,
    /// Main memory that the workloads and the rule of the largest card ask for is known per choice of cards; this is the hosts' share, GB.
    pub host_gb: f64,
    /// Bytes of weights that the cards hold in any case; 0 where that depends.
    pub weights: u64,
}

/// Room on a drive beside the model: system, programs, data; chosen.
const DRIVE_FREE_GB: f64 = 200.0;
/// Memory kits of one kind at most.
const MOST_KITS: usize = 8;

pub(super) fn board(part: &Part) -> Option<&Board> {
    if let PartKind::Board(b) = &part.kind { Some(b) } else { None }
}
pub(super) fn cpu(part: &Part) -> Option<&Cpu> {
    if let PartKind::Cpu(c) = &part.kind { Some(c) } else { None }
}
pub(super) fn cooler(part: &Part) -> Option<&Cooler> {
    if let PartKind::Cooler(c) = &part.kind { Some(c) } else { None }
}
pub(super) fn ram(part: &Part) -> Option<&Ram> {
    if let PartKind::Ram(r) = &part.kind { Some(r) } else { None }
}

/// GB of a kit; `None` = unknown.
pub(super) fn kit_gb(part: &Part) -> Option<f64> {
    let kit = ram(part)?;
    Some(f64::from(kit.modules?) * kit.gb_per_module?)
}

/// The cheapest fan of each size, with its price.
type Fans<'a> = BTreeMap<u16, (i64, &'a Part)>;

fn priced(catalog: &Catalog, project: &Project, part: &Part) -> Option<Money> {
    let asked = best_price(catalog, project, &part.id)?;
    in_room_currency(catalog, project, asked.price).map(|p| p.0)
}

fn cheapest_fans<'a>(parts: impl Iterator<Item = (&'a Part, Money)>) -> Fans<'a> {
    let mut out = Fans::new();
    for (part, price) in parts {
        let PartKind::Fan(Fan { size_mm: Some(size), .. }) = &part.kind else { continue };
        let size = size.round() as u16;
        if out.get(&size).is_none_or(|old| (price.cents, &part.id) < (old.0, &old.1.id)) {
            out.insert(size, (price.cents, part));
        }
    }
    out
}

/// Fans for the front and rear mounts of a case, and what they cost.
fn on_mounts<'a>(case: &Case, fans: &Fans<'a>) -> (Vec<(String, &'a Part)>, i64) {
    let (mut out, mut cents) = (Vec::new(), 0_i64);
    for mount in case.mounts.iter().flatten().filter(|m| matches!(m.edge, Edge::Front | Edge::Rear)) {
        let Some((price, fan)) = fans.get(&mount.size_mm) else { continue };
        for n in 1..=mount.count {
            let place = format!("{}{n}", mount.edge);
            // A side with two rows of mounts numbers both from 1.
            if out.iter().any(|o: &(String, &Part)| o.0 == place) {
                continue;
            }
            out.push((place, *fan));
            cents = cents.saturating_add(*price);
        }
    }
    (out, cents)
}

impl<'a> Pool<'a> {
    pub fn new(catalog: &'a Catalog, project: &'a Project, workload: &Workload) -> Self {
        let mut pool = Self {
            items: std::array::from_fn(|_| Vec::new()),
            cards: Vec::new(),
            kept_cards: Vec::new(),
            kept: 0,
            left_out: LeftOut::default(),
            fans: BTreeMap::new(),
            host_gb: 0.0,
            weights: 0,
        };
        for (id, _, part) in project.rig.placed(catalog) {
            match Role::of(part) {
                Some(role) => {
                    if pool.kept & role.bit() == 0 {
                        pool.list(role).push(Item { part, count: 0, cents: 0 });
                    }
                    pool.kept |= role.bit();
                }
                None if matches!(part.kind, PartKind::Gpu(_)) => pool.kept_cards.push((id, part)),
                None => {}
            }
        }
        let plan = Plan::new(workload, devices(catalog, project));
        let weights = &plan.weights;
        let bytes = weights.dense + weights.experts + weights.embedding + weights.head;
        pool.host_gb = host::weights(&plan) as f64 / 1e9;
        // Layers left in main memory, and a training job's own ways to split, are not so simple.
        let plain = workload.serving.cpu_layers == 0 && workload.serving.cpu_expert_layers == 0 && workload.training.is_none();
        pool.weights = if plain && workload.gpus.is_none() { weights.dense + weights.experts } else { 0 };
        let need_gb = bytes as f64 / 1e9 + DRIVE_FREE_GB;
        let offered = || catalog.parts().filter(|p| !p.generic && p.life.sale != Some(Sale::Announced));
        let fans = cheapest_fans(offered().filter_map(|p| Some((p, priced(catalog, project, p)?))));
        for part in offered() {
            pool.offer(catalog, project, part, need_gb, &fans);
        }
        for list in &mut pool.items {
            list.sort_by(|a, b| (a.cents, &a.part.id, a.count).cmp(&(b.cents, &b.part.id, b.count)));
        }
        pool.cards.sort_by(|a, b| (a.1, &a.0.id).cmp(&(b.1, &b.0.id)));
        pool
    }

    fn offer(&mut self, catalog: &Catalog, project: &Project, part: &'a Part, drive_gb: f64, fans: &Fans<'a>) {
        let card = matches!(&part.kind, PartKind::Gpu(g) if g.form == Some(GpuForm::Card));
        let role = Role::of(part);
        if !card && role.is_none() {
            return;
        }
        let Some(price) = priced(catalog, project, part) else {
            *self.left_out.by_kind.entry(part.kind.key()).or_default() += 1;
            return;
        };
        let Some(role) = role else {
            self.cards.push((part, price.cents));
            return;
        };
        if self.kept & role.bit() != 0 {
            return;
        }
        let counts = match &part.kind {
            PartKind::Ram(r) if r.modules.is_some() && r.gb_per_module.is_some() => 1..=MOST_KITS,
            PartKind::Drive(d) if d.capacity_gb.is_none_or(|gb| gb < drive_gb) => return,
            _ => 1..=1,
        };
        let (blown, extra) = if let PartKind::Case(case) = &part.kind { on_mounts(case, fans) } else { (Vec::new(), 0) };
        if !blown.is_empty() {
            self.fans.insert(&part.id, blown);
        }
        for count in counts {
            let cents = price.times(count).cents.saturating_add(extra);
            self.list(role).push(Item { part, count, cents });
        }
    }

    fn list(&mut self, role: Role) -> &mut Vec<Item<'a>> {
        let [board, cpu, ram, cooler, case, drive, psu] = &mut self.items;
        match role {
            Role::Board => board,
            Role::Cpu => cpu,
            Role::Ram => ram,
            Role::Cooler => cooler,
            Role::Case => case,
            Role::Drive => drive,
            Role::Psu => psu,
        }
    }

    pub fn of(&self, role: Role) -> &[Item<'a>] {
        self.items.get(role as usize).map_or(&[], Vec::as_slice)
    }

    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut out = BTreeMap::from([("gpu", self.cards.len())]);
        for item in self.items.iter().flatten().filter(|i| i.count == 1) {
            *out.entry(item.part.kind.key()).or_default() += 1;
        }
        out
    }
}
