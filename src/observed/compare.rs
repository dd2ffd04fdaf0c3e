//! What each link should be beside what it is.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::identify::{Sure, not_a_card};
use super::pairing::{Found, Seat, found, now, pairs, seats};
use crate::analysis::lanes::{Lanes, PathClass};
use crate::build::PlacementId;
use crate::catalog::Catalog;
use crate::checks::finding::Verdict;
use crate::import::observed::pci_ids::Kind;
use crate::import::observed::{Address, Link, Observed, Path};
use crate::project::Project;

/// What the lane ledger expects of one device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectedLink {
    /// The board's own label, with the place on a carrier or riser behind it.
    pub connector: String,
    /// What the link should train to.
    pub link: Link,
    /// Why, in one sentence.
    pub reason: String,
}

/// What the lane ledger expects of a rig.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    pub links: BTreeMap<PlacementId, ExpectedLink>,
    /// How two cards should reach each other, the smaller id first.
    pub paths: BTreeMap<(PlacementId, PlacementId), Path>,
}

impl Expected {
    /// From the rig's ledger of lanes.
    pub fn of(lanes: &Lanes) -> Self {
        let link = |l: &crate::analysis::lanes::Link| {
            let wanted = Link { lanes: l.trained.lanes, r#gen: l.trained.r#gen };
            Some((l.device?, ExpectedLink { connector: l.connector.clone(), link: wanted, reason: l.reason.clone() }))
        };
        let path = |p: &crate::analysis::lanes::Pair| Some(((p.a.min(p.b), p.a.max(p.b)), path_of(p.class?)));
        Self { links: lanes.links.iter().filter_map(link).collect(), paths: lanes.pairs.iter().filter_map(path).collect() }
    }
}

const fn path_of(class: PathClass) -> Path {
    match class {
        PathClass::Nvlink(n) => Path::NvLink(n),
        PathClass::Pix => Path::Pix,
        PathClass::Pxb => Path::Pxb,
        PathClass::Phb => Path::Phb,
        PathClass::Node => Path::Node,
        PathClass::Sys => Path::Sys,
    }
}

/// How a device was recognised as a piece of the rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// The firmware's slot table names its connector.
    Slot,
    /// It is the only one of its name.
    Name,
    /// Several are alike; the widest links belong to the widest slots, else the order of the bus counts.
    Order,
    /// It is the only one left.
    Elimination,
}

impl How {
    pub const fn text(self) -> &'static str {
        match self {
            Self::Slot => "by its slot",
            Self::Name => "by its name",
            Self::Order => "one of several alike",
            Self::Elimination => "the only one left",
        }
    }
}

/// One piece of the rig beside the device that it is.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    /// `p7`
    pub placement: String,
    /// The board's own label.
    pub connector: String,
    pub part: String,
    /// Bus address; `null` = not in the dumps.
    pub address: Option<String>,
    /// What the machine calls the device.
    pub seen_as: Option<String>,
    pub matched: Option<How>,
    /// Lanes and generation that the rig should give; `null` = unknown.
    pub expected_lanes: Option<u8>,
    pub expected_gen: Option<u8>,
    /// Lanes and generation now; `null` = the dumps do not say.
    pub trained_lanes: Option<u8>,
    pub trained_gen: Option<u8>,
    /// Highest generation that both ends can do, so far as the dumps say.
    pub able_gen: Option<u8>,
    /// Runs slower now to save power, which says nothing of what it does under load.
    pub idle: bool,
    pub verdict: Verdict,
    /// The comparison in one sentence.
    pub sentence: String,
}

/// Two cards beside each other.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PairRow {
    pub a: String,
    pub b: String,
    /// In `nvidia-smi`'s words; `null` = unknown.
    pub expected: Option<String>,
    pub observed: Option<String>,
    pub verdict: Verdict,
    pub sentence: String,
}

/// A device that is no piece of the rig.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Stranger {
    pub address: String,
    pub name: String,
    pub lanes: Option<u8>,
    pub r#gen: Option<u8>,
    /// What that may mean.
    pub sentence: String,
}

/// The rig beside the machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    pub rows: Vec<Row>,
    pub pairs: Vec<PairRow>,
    pub strangers: Vec<Stranger>,
    /// What the reader should know about the dumps.
    pub remarks: Vec<String>,
    /// What was recognised in which dump.
    pub found: Vec<String>,
}

impl Comparison {
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().map(|r| r.verdict).chain(self.pairs.iter().map(|p| p.verdict)).filter(|v| *v == verdict).count()
    }

    /// "1 of 4 links runs below what the rig gives it."
    pub fn summary(&self) -> String {
        let (total, fails) = (self.rows.len(), self.rows.iter().filter(|r| r.verdict == Verdict::Fail).count());
        let unknown = self.rows.iter().filter(|r| r.verdict == Verdict::Unknown).count();
        let tail = match unknown {
            0 => String::new(),
            n => format!(" {n} cannot be told."),
        };
        match (total, fails) {
            (0, _) => "The rig has no card, NVMe drive or network card in a connector to compare.".to_owned(),
            (_, 0) if unknown == total => "Nothing can be told of the links; see why below.".to_owned(),
            (1, 0) => "The link runs as expected.".to_owned(),
            (n, 0) if unknown == 0 => format!("All {n} links run as expected."),
            (_, 0) => format!("No link is known to run below what the rig gives it.{tail}"),
            (_, 1) => format!("1 of {total} links runs below what the rig gives it.{tail}"),
            (_, n) => format!("{n} of {total} links run below what the rig gives them.{tail}"),
        }
    }
}

/// Compares a rig with the dumps of a machine.
pub fn compare(catalog: &Catalog, project: &Project, expected: &Expected, observed: &Observed) -> Comparison {
    let (seats, found) = (seats(catalog, project, expected), found(catalog, observed));
    let pairs = pairs(&seats, &found, expected, observed);
    let partner = |s: usize| pairs.iter().find(|(seat, _, _)| *seat == s).and_then(|(_, f, how)| Some((found.get(*f)?, *how)));
    let rows = seats.iter().enumerate().map(|(s, seat)| match partner(s) {
        Some((device, how)) => row(seat, device, how, expected, observed),
        None => missing(seat, expected),
    });
    let rows = rows.collect();
    let cards: Vec<Placed<'_>> = seats
        .iter()
        .enumerate()
        .filter(|(_, seat)| seat.kind == Kind::Gpu)
        .filter_map(|(s, seat)| partner(s).map(|(device, how)| (seat, device.address, how)))
        .collect();
    let strangers = found.iter().enumerate().filter(|(f, _)| pairs.iter().all(|(_, taken, _)| taken != f)).map(|(_, f)| stranger(f));
    Comparison {
        rows,
        pairs: pair_rows(&cards, expected, observed),
        strangers: strangers.collect(),
        remarks: observed.remarks.iter().map(ToString::to_string).collect(),
        found: observed.found.clone(),
    }
}

fn missing(seat: &Seat<'_>, expected: &Expected) -> Row {
    let wanted = expected.links.get(&seat.placement).map(|l| l.link).unwrap_or_default();
    let name = seat.part.short_name();
    Row {
        placement: seat.placement.to_string(),
        connector: seat.connector.clone(),
        part: seat.part.name.clone(),
        address: None,
        seen_as: None,
        matched: None,
        expected_lanes: wanted.lanes,
        expected_gen: wanted.r#gen,
        trained_lanes: None,
        trained_gen: None,
        able_gen: None,
        idle: false,
        verdict: Verdict::Unknown,
        sentence: format!("No device in the dumps is {name} in {}.", seat.connector),
    }
}

fn row(seat: &Seat<'_>, device: &Found<'_>, how: How, expected: &Expected, observed: &Observed) -> Row {
    let wanted = expected.links.get(&seat.placement).map(|l| l.link).unwrap_or_default();
    let look = Look::of(seat, device, wanted, observed);
    let (verdict, sentence) = look.judge();
    Row {
        placement: seat.placement.to_string(),
        connector: seat.connector.clone(),
        part: seat.part.name.clone(),
        address: Some(device.address.to_string()),
        seen_as: Some(device.identity.name.clone()),
        matched: Some(how),
        expected_lanes: wanted.lanes,
        expected_gen: wanted.r#gen,
        trained_lanes: look.now.lanes,
        trained_gen: look.now.r#gen,
        able_gen: look.able_gen,
        idle: look.idle,
        verdict,
        sentence,
    }
}

/// One link, from all sides.
struct Look {
    wanted: Link,
    now: Link,
    able_gen: Option<u8>,
    /// Widths of both ends' capabilities.
    card_lanes: Option<u8>,
    port_lanes: Option<u8>,
    denied: bool,
    idle: bool,
    where_: String,
}

/// Highest performance state that counts as loaded; cards idle at P5 and beyond (NVML API reference, `nvmlPstates_t`: P0 is the fastest).
const LOADED: u8 = 2;
/// Generation to which cards fall when idle: 2.5 GT/s, 5 GT/s on some.
const IDLE_GEN: u8 = 2;

impl Look {
    fn of(seat: &Seat<'_>, device: &Found<'_>, wanted: Link, observed: &Observed) -> Self {
        let edge = observed.edge(device.address);
        let end = observed.devices.get(&edge);
        let port = observed.parent(edge).and_then(|p| observed.devices.get(&p));
        let log = observed.gpu(device.address);
        let capable = |d: Option<&crate::import::observed::Device>| d.map(|d| d.capability).unwrap_or_default();
        let both = capable(end).r#gen.zip(capable(port).r#gen).map(|(a, b)| a.min(b));
        let logged = log.and_then(|g| match (g.max_gen, g.device_gen.zip(g.host_gen)) {
            (Some(max), _) => Some(max),
            (None, both) => both.map(|(a, b)| a.min(b)),
        });
        let now = now(observed, device.address);
        let loaded = log.and_then(|g| g.pstate).is_some_and(|p| p <= LOADED);
        let below = now.r#gen.is_some_and(|g| g <= IDLE_GEN && wanted.r#gen.or(both).or(logged).is_some_and(|w| g < w));
        Self {
            wanted,
            now,
            able_gen: both.or(logged),
            card_lanes: capable(end).lanes,
            port_lanes: capable(port).lanes,
            denied: end.is_some_and(|d| d.denied),
            idle: seat.kind == Kind::Gpu && below && !loaded,
            where_: format!("{} in {}", seat.part.short_name(), seat.connector),
        }
    }

    fn judge(&self) -> (Verdict, String) {
        let what = &self.where_;
        if !self.now.is_known() {
            let why = if self.denied { "lspci was not allowed to read it; run it with sudo" } else { "the dumps do not show it" };
            return (Verdict::Unknown, format!("The link of {what} is unknown: {why}."));
        }
        if self.now.lanes == Some(0) {
            return (Verdict::Fail, format!("{what} has no link, expected {}.", self.wanted.text()));
        }
        let now = self.now.text();
        if self.wanted.lanes.is_none() {
            return (Verdict::Unknown, format!("{what} runs {now}; what the board gives it is unknown."));
        }
        let narrower = self.now.lanes.zip(self.wanted.lanes).map(|(n, w)| n < w);
        let slower = self.is_slower();
        match (narrower, slower) {
            (Some(true), _) => {
                (Verdict::Fail, format!("{what} runs {now}{}, expected {}. {}", self.idle_text(), self.wanted.text(), self.narrow()))
            }
            (_, Some(true)) => {
                (Verdict::Fail, format!("{what} runs {now}{}, expected {}. {}", self.idle_text(), self.wanted.text(), self.slow()))
            }
            (None, _) => {
                (Verdict::Unknown, format!("{what} runs {now}, expected {}; the dumps do not show its width.", self.wanted.text()))
            }
            (Some(false), None) => {
                (Verdict::Unknown, format!("{what} runs {now}{}, expected {}. {}", self.idle_text(), self.wanted.text(), self.why_unsure()))
            }
            (Some(false), Some(false)) => (Verdict::Pass, self.as_expected(&now)),
        }
    }

    /// Below the expected generation, where that can be told.
    fn is_slower(&self) -> Option<bool> {
        let wanted = self.wanted.r#gen?;
        match (self.able_gen, self.now.r#gen) {
            (Some(able), _) if able < wanted => Some(true),
            (_, Some(now)) if now >= wanted => Some(false),
            (Some(_), Some(_)) if self.idle => Some(false),
            (_, Some(_)) if self.idle => None,
            (_, Some(_)) => Some(true),
            (_, None) => None,
        }
    }

    const fn idle_text(&self) -> &'static str {
        if self.idle { " (idle)" } else { "" }
    }

    fn narrow(&self) -> String {
        let wanted = self.wanted.lanes.unwrap_or(0);
        match (self.port_lanes, self.card_lanes) {
            (Some(port), _) if port < wanted => format!("The port above it offers x{port}: the board or its BIOS splits the slot."),
            (_, Some(card)) if card < wanted => format!("The card itself reports x{card} at most."),
            (Some(_), Some(_)) => {
                "Both ends could do more: look at how the card sits, at its contacts, and at a riser if there is one.".to_owned()
            }
            _ => "Look at how the card sits, at the BIOS, and at a riser if there is one.".to_owned(),
        }
    }

    fn slow(&self) -> String {
        match (self.able_gen, self.wanted.r#gen) {
            (Some(able), Some(wanted)) if able < wanted => {
                format!("Both ends together report Gen{able} at most: a BIOS setting, an older slot or card.")
            }
            _ => "Both ends could be faster: a riser, a long cable or a setting of the BIOS holds it back.".to_owned(),
        }
    }

    fn why_unsure(&self) -> String {
        if self.wanted.r#gen.is_none() {
            "Its generation is unknown.".to_owned()
        } else if self.idle {
            "It saves power now, and the dumps do not show what both ends can do; read it under load.".to_owned()
        } else {
            "The dumps do not show its speed.".to_owned()
        }
    }

    fn as_expected(&self, now: &str) -> String {
        let what = &self.where_;
        let wider = self.now.lanes > self.wanted.lanes || self.now.r#gen > self.wanted.r#gen && self.wanted.r#gen.is_some();
        if wider {
            format!(
                "{what} runs {now}, more than the {} expected: it may sit in another slot, or the BIOS is set otherwise.",
                self.wanted.text()
            )
        } else if self.idle {
            let able = self.able_gen.map_or(String::new(), |g| format!("; both ends can do Gen{g}"));
            format!("{what} runs {now} as it is idle, expected {}{able}. Its width is as expected.", self.wanted.text())
        } else {
            format!("{what} runs {now}, as expected.")
        }
    }
}

/// A piece, the device that it is, and how that was told.
type Placed<'a> = (&'a Seat<'a>, Address, How);

fn pair_rows(cards: &[Placed<'_>], expected: &Expected, observed: &Observed) -> Vec<PairRow> {
    let Some(topology) = &observed.topology else { return Vec::new() };
    let numbers = numbers(observed);
    let number = |address: Address| numbers.iter().position(|a| a.same_device(address));
    let mut rows = Vec::new();
    for (at, (a, first, how_a)) in cards.iter().enumerate() {
        for (b, second, how_b) in cards.iter().skip(at + 1) {
            let seen = number(*first).zip(number(*second)).and_then(|(m, n)| topology.gpus(m, n));
            let key = (a.placement.min(b.placement), a.placement.max(b.placement));
            let wanted = expected.paths.get(&key).copied();
            let (mut verdict, mut sentence) = judge_pair(&a.connector, &b.connector, wanted, seen);
            if verdict == Verdict::Fail && (*how_a == How::Order || *how_b == How::Order) {
                verdict = Verdict::Unknown;
                sentence.push_str(" Which of the equal cards sits where is not told; sudo dmidecode may tell.");
            }
            rows.push(PairRow {
                a: a.connector.clone(),
                b: b.connector.clone(),
                expected: wanted.map(Path::text),
                observed: seen.map(Path::text),
                verdict,
                sentence,
            });
        }
    }
    rows
}

/// Addresses of the cards in the order in which `nvidia-smi` numbers them: its own, else that of the bus.
fn numbers(observed: &Observed) -> Vec<Address> {
    let logged: Vec<Address> = observed.gpus.iter().filter_map(|g| g.address).collect();
    if !logged.is_empty() {
        return logged;
    }
    use crate::import::observed::{Class, vendor};
    let nvidia = |a: &Address| observed.devices.get(a).is_some_and(|d| d.vendor_id == Some(vendor::NVIDIA));
    observed.of_class(Class::Graphics).into_iter().filter(nvidia).collect()
}

/// Smaller is closer; of two bonds the one with more links.
const fn closeness(path: Path) -> u8 {
    match path {
        Path::Itself => 0,
        Path::NvLink(n) => 100 - if n > 90 { 90 } else { n },
        Path::Pix => 101,
        Path::Pxb => 102,
        Path::Phb => 103,
        Path::Node => 104,
        Path::Sys => 105,
    }
}

fn judge_pair(a: &str, b: &str, wanted: Option<Path>, seen: Option<Path>) -> (Verdict, String) {
    let between = format!("Between {a} and {b}");
    match (wanted, seen) {
        (_, None) => (Verdict::Unknown, format!("{between} the matrix says nothing.")),
        (None, Some(seen)) => (Verdict::Unknown, format!("{between} the machine has {}; what to expect is unknown.", seen.text())),
        (Some(wanted), Some(seen)) if wanted == seen => (Verdict::Pass, format!("{between} the machine has {}, as expected.", seen.text())),
        (Some(wanted), Some(seen)) if closeness(seen) < closeness(wanted) => {
            (Verdict::Pass, format!("{between} the machine has {}, closer than the {} expected.", seen.text(), wanted.text()))
        }
        (Some(wanted), Some(seen)) => (Verdict::Fail, format!("{between} the machine has {}, expected {}.", seen.text(), wanted.text())),
    }
}

fn stranger(device: &Found<'_>) -> Stranger {
    let sentence = match (device.kind, not_a_card(&device.identity)) {
        (_, Some(form)) => format!("It is an {form} module on a board of its own, not a card for a slot; Rigbay's rigs have none."),
        (Kind::Gpu, None) => "The rig has no such card left over.".to_owned(),
        (Kind::Drive, None) => "The rig has no such drive left over.".to_owned(),
        (Kind::Nic, None) if device.identity.sure == Some(Sure::Chip) => {
            "The rig has no card with this chip; it may be on the board.".to_owned()
        }
        (Kind::Nic, None) => "It may be on the board.".to_owned(),
    };
    Stranger {
        address: device.address.to_string(),
        name: device.identity.name.clone(),
        lanes: device.link.lanes,
        r#gen: device.link.r#gen,
        sentence,
    }
}
