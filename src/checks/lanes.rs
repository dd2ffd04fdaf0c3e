//! Lanes: links narrower than the card, shared or switched off, and the way from card to card.

use super::candidates::moves;
use super::finding::{Detail, Finding, Fix, MissingFact, Severity, Verdict};
use super::fixes::{first_piece, pieces};
use super::rig::{about, count, join, missing, unknown};
use super::{Case, Check, Search};
use crate::analysis::lanes::{Link, NodeKind, PathClass, Span};
use crate::build::PlacementId;
use crate::catalog::part::{Board, Gpu, Part, PartKind};
use crate::catalog::topology::{Aspect, Change, Expr, Test};
use crate::catalog::vocab::{ConnectorKind, DriveBus, GpuVendor, Socket};
use crate::project::Subject;
use crate::units::plain;

pub(super) const RULES: &[Check] = &[
    Check {
        id: "slot_electrical",
        title: "Lanes of the slot",
        why: "Many slots look like x16 and get less: by their wiring, or because other slots and drives share their lanes. Up to four cards hardly notice: with copies that overlap the work, 4 lanes instead of 16 cost about 0-3%.",
        guide: &["G11", "G13"],
        run: slot_electrical,
        search: Some(Search { candidates: lane_fixes, none: "No free slot of this board has more lanes." }),
    },
    Check {
        id: "slot_attach",
        title: "Slots behind the chipset",
        why: "Cards behind the chipset share its one link to the CPU: traffic from card to card was measured at half the speed of a pair at the CPU.",
        guide: &["G12"],
        run: slot_attach,
        search: Some(Search { candidates: lane_fixes, none: "No free slot of this board goes to the CPU." }),
    },
    Check {
        id: "lane_disabled",
        title: "Connectors that others switch off",
        why: "On many boards a filled slot or M.2 socket takes all lanes of another one. What sits there does not show up, without any message.",
        guide: &["G11"],
        run: lane_disabled,
        search: Some(Search { candidates: off_fixes, none: "No free place of this rig would keep everything working." }),
    },
    Check {
        id: "m2_shares_gpu_lanes",
        title: "M.2 drives on the lanes of a card",
        why: "On desktop boards some M.2 sockets take their lanes from the graphics slot: one drive costs the card half of them.",
        guide: &["G11"],
        run: m2_shares,
        search: Some(Search { candidates: drive_fixes, none: "No free M.2 socket of this board leaves the card its lanes." }),
    },
    Check {
        id: "m2_disables_sata",
        title: "SATA ports that M.2 drives switch off",
        why: "A drive in an M.2 socket often switches off one or two SATA ports. The disks there do not show up, without any message.",
        guide: &[],
        run: m2_sata,
        search: Some(Search { candidates: off_fixes, none: "No free place of this rig would keep every drive working." }),
    },
    Check {
        id: "nvlink_spacing",
        title: "Distance of an NVLink bridge",
        why: "A bridge is rigid and made for one distance between two like cards.",
        guide: &["G12"],
        run: nvlink_spacing,
        search: Some(Search { candidates: bridge_fixes, none: "No free slot lies at the bridge's distance." }),
    },
    Check {
        id: "bar_space",
        title: "Address space for the cards' memory",
        why: "Cards of data centres open their whole memory to the processor. Where the BIOS places such windows below 4 GB only, the machine does not start.",
        guide: &[],
        run: bar_space,
        search: None,
    },
    Check {
        id: "p2p",
        title: "Card to card without the CPU",
        why: "Cards that cannot reach each other's memory exchange data through main memory, so a pair is no faster under one switch.",
        guide: &["G12"],
        run: p2p,
        search: None,
    },
];

impl Case<'_> {
    fn board_name(&self) -> &str {
        self.board().map_or("the board", |b| b.part.short_name())
    }
    /// Whether the processor is reached over the chipset.
    fn over_chipset(&self, link: &Link) -> bool {
        self.facts.lanes.path(link).iter().any(|n| n.kind == NodeKind::Chipset)
    }
}

/// Lanes of the first eight cards in the order of the PCI bus, as drivers count them, so that one finding tells them all.
const CARD_KEYS: [&str; 8] =
    ["gpu0_lanes", "gpu1_lanes", "gpu2_lanes", "gpu3_lanes", "gpu4_lanes", "gpu5_lanes", "gpu6_lanes", "gpu7_lanes"];

fn slot_electrical(case: &Case<'_>, out: &mut Vec<Finding>) {
    let cards = case.gpus();
    let mut by_bus: Vec<&Link> = cards.iter().filter_map(|c| case.facts.lanes.of(c.id)).collect();
    // On AM4 the port of the chipset, 00:01.2, comes before that of the graphics slots, 00:03.1; elsewhere the slots come first.
    if case.board().and_then(|b| b.is.socket) == Some(Socket::Am4) {
        by_bus.sort_by_key(|l| !case.over_chipset(l));
    }
    let each: Vec<Option<u8>> = by_bus.iter().map(|l| l.trained.lanes).collect();
    for card in &cards {
        let Some(link) = case.facts.lanes.of(card.id).filter(|l| !l.trained.is_off()) else { continue };
        let (name, label) = (card.part.short_name(), &link.connector);
        let subjects = about([card.id]);
        let mut finding = match (card.is.pcie_lanes, link.trained.lanes) {
            (Some(can), Some(got)) => {
                let (verdict, text) = if got < can {
                    let text =
                        format!("{name} could use x{can}, {label} gives x{got}{}. With up to four cards that costs little.", because(link));
                    (Verdict::Fail, text)
                } else {
                    (Verdict::Pass, format!("{label} gives {name} all of its x{can}."))
                };
                let finding = Finding::new("slot_electrical", verdict, Severity::Advice, subjects, text);
                finding.number("lanes", f64::from(got)).number("card_lanes", f64::from(can))
            }
            (can, got) => {
                let mut facts = Vec::new();
                if can.is_none() {
                    facts.push(missing(card.part.short_name(), "pcie_lanes"));
                }
                if got.is_none() && (can.is_some() || link.expected.lanes.is_none()) {
                    facts.push(missing(case.board_name(), &format!("lanes of {label}")));
                }
                unknown("slot_electrical", Severity::Advice, subjects, &format!("How many lanes {name} gets"), facts)
            }
        };
        if cards.len() > 1 && finding.verdict != Verdict::Unknown {
            for (key, lanes) in CARD_KEYS.into_iter().zip(&each) {
                finding = match lanes {
                    Some(lanes) => finding.number(key, f64::from(*lanes)),
                    None => finding,
                };
            }
        }
        out.push(finding);
    }
}

fn slot_attach(case: &Case<'_>, out: &mut Vec<Finding>) {
    let cards = case.gpus();
    let several = cards.len() > 1;
    for card in &cards {
        let Some(link) = case.facts.lanes.of(card.id) else { continue };
        let (name, label) = (card.part.short_name(), &link.connector);
        let subjects = about([card.id]);
        let say = |verdict, text: String| Finding::new("slot_attach", verdict, Severity::Advice, subjects.clone(), text);
        out.push(match link.hangs_on.as_deref() {
            _ if !several => say(Verdict::Pass, format!("{name} is the only card, so it shares no link with another.")),
            Some(_) if case.over_chipset(link) => {
                let (best, via) = match measured_chipset(card.is, link) {
                    Some(seen) => (Some(seen.pair_gb_s), Some(seen.via_gb_s)),
                    None => rates(case, card.id),
                };
                let text = match (best, via) {
                    (Some(best), Some(via)) if via < best => {
                        let (via, best) = (plain(via, 1), plain(best, 1));
                        format!("{label} hangs on the chipset: its {name} reaches the other cards at {via} GB/s at best, a pair at the CPU at {best} GB/s.")
                    }
                    _ => format!("{label} hangs on the chipset: its {name} reaches the other cards at about half speed."),
                };
                let finding = say(Verdict::Fail, format!("{text}{}", atomics(case, card.id)));
                let finding = best.map_or(finding.clone(), |g| finding.number("cpu_pair_gb_s", g));
                via.map_or(finding.clone(), |g| finding.number("via_chipset_gb_s", g))
            }
            Some(from) => say(Verdict::Pass, format!("{label} with {name} goes to {}.", crate::analysis::lanes::origin_text(from))),
            None => {
                let facts = vec![missing(case.board_name(), &format!("origin of {label}"))];
                unknown("slot_attach", Severity::Advice, subjects.clone(), &format!("Where {label} leads"), facts)
            }
        });
    }
}

/// Behind Intel's chipsets compute on AMD cards failed before `ROCm` 1.8: <https://github.com/ROCm/legacy-rocm-build/issues/364>, 366.
fn atomics(case: &Case<'_>, card: PlacementId) -> &'static str {
    let amd = case.gpus().iter().any(|c| c.id == card && c.is.vendor == Some(GpuVendor::Amd));
    let flow = case.facts.lanes.hosts.iter().find(|h| h.gpu == card);
    match flow.and_then(|h| h.atomics) {
        Some(false) if amd => " PCIe atomics do not get through either: ROCm before 1.8 does not run there.",
        _ => "",
    }
}

/// The clause of a link's reason: ": M2 is filled (manual table)".
fn because(link: &Link) -> String {
    link.reason.split_once(": ").map_or(String::new(), |(_, why)| format!(": {}", why.trim_end_matches('.')))
}

/// The best pair that avoids the chipset, and the best that this card has.
fn rates(case: &Case<'_>, card: PlacementId) -> (Option<f64>, Option<f64>) {
    let lanes = &case.facts.lanes;
    let over = |id: PlacementId| lanes.of(id).is_some_and(|l| case.over_chipset(l));
    let most = |rates: &mut dyn Iterator<Item = Option<f64>>| rates.flatten().reduce(f64::max);
    let direct = most(&mut lanes.pairs.iter().filter(|p| !over(p.a) && !over(p.b)).map(|p| p.links_gb_s.or(p.gb_s)));
    let own = most(&mut lanes.pairs.iter().filter(|p| p.a == card || p.b == card).map(|p| p.links_gb_s.or(p.gb_s)));
    (direct, own)
}

/// Rates that somebody measured on such links with peer access: a pair at the processor, and one through the chipset.
struct MeasuredChipset {
    product: &'static str,
    lanes: u8,
    generation: u8,
    pair_gb_s: f64,
    via_gb_s: f64,
}

/// <https://github.com/noonghunna/club-3090/pull/895>: all three at Gen4 x8.
const MEASURED_CHIPSETS: &[MeasuredChipset] =
    &[MeasuredChipset { product: "GeForce RTX 3090", lanes: 8, generation: 4, pair_gb_s: 13.17, via_gb_s: 6.5 }];

fn measured_chipset(card: &Gpu, link: &Link) -> Option<&'static MeasuredChipset> {
    let same = |m: &&MeasuredChipset| {
        card.product.as_deref() == Some(m.product) && (link.trained.lanes, link.trained.r#gen) == (Some(m.lanes), Some(m.generation))
    };
    MEASURED_CHIPSETS.iter().find(same)
}

fn lane_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    first_piece(finding).map(|what| vec![moves(case, what)]).unwrap_or_default()
}

/// Moves of the dead piece, then of those that switch it off.
fn off_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    pieces(finding).into_iter().map(|id| moves(case, id)).collect()
}

fn drive_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    pieces(finding).into_iter().skip(1).map(|id| moves(case, id)).collect()
}

/// Links of a device whose host is alive: a dead riser speaks for what is on it.
fn seated<'l>(case: &'l Case<'_>) -> impl Iterator<Item = (&'l Link, PlacementId)> {
    let lanes = &case.facts.lanes;
    let host_dead = |l: &Link| l.slot.host_part().and_then(|h| lanes.of(h)).is_some_and(|h| h.trained.is_off());
    lanes.links.iter().filter(move |l| !host_dead(l)).filter_map(|l| Some((l, l.device?)))
}

fn lane_disabled(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "lane_disabled";
    let mut all_well = true;
    for (link, id) in seated(case) {
        let (name, label) = (case.part_of(id).map_or("A part", Part::short_name), &link.connector);
        if link.trained.is_off() {
            all_well = false;
            if is_port(link) && by_m2(case, link) {
                continue; // m2_disables_sata tells of it
            }
            let why = link.disabled.as_ref().map_or("no lanes are left", |d| d.why.as_str());
            let by = link.disabled.iter().flat_map(|d| d.by.iter().copied());
            let text = format!("{name} in {label} gets nothing: {why}.");
            out.push(Finding::new(RULE, Verdict::Fail, Severity::Problem, about(std::iter::once(id).chain(by)), text));
        } else if link.expected.lanes.is_none() && wired(case, link).is_some_and(|lanes| lanes > 0) {
            all_well = false;
            let facts = vec![missing(case.board_name(), &format!("lanes of {label} with these parts"))];
            let mut finding = unknown(RULE, Severity::Problem, about([id]), &format!("Whether {name} in {label} gets lanes"), facts);
            finding.message = format!("{} {}", finding.message, link.reason);
            out.push(finding);
        }
    }
    if let (true, Some(board)) = (all_well && case.facts.lanes.links.iter().any(|l| l.device.is_some()), case.board()) {
        out.push(Finding::new(RULE, Verdict::Pass, Severity::Problem, about([board.id]), "Nothing in use is switched off.".to_owned()));
    }
}

/// What is wired at a connector of the board; places on parts count as wired.
fn wired(case: &Case<'_>, link: &Link) -> Option<u8> {
    let board = case.board()?;
    if link.slot.host_part() != Some(board.id) {
        return Some(1);
    }
    board.is.connectors.iter().find(|c| c.label == *link.slot.name)?.lanes
}

fn is_port(link: &Link) -> bool {
    link.kind == ConnectorKind::Sata
}

/// A drive in an M.2 socket switched it off.
fn by_m2(case: &Case<'_>, link: &Link) -> bool {
    link.disabled.as_ref().is_some_and(|d| d.by.iter().any(|id| in_m2(case, *id)))
}

fn in_m2(case: &Case<'_>, id: PlacementId) -> bool {
    case.facts.lanes.of(id).is_some_and(|l| l.kind == ConnectorKind::M2)
}

fn m2_shares(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "m2_shares_gpu_lanes";
    let drives: Vec<PlacementId> = seated(case).map(|(_, id)| id).filter(|id| in_m2(case, *id)).collect();
    if drives.is_empty() {
        return;
    }
    for card in case.gpus() {
        let Some(link) = case.facts.lanes.of(card.id) else { continue };
        let (name, label) = (card.part.short_name(), &link.connector);
        let takers: Vec<PlacementId> = link.narrowed_by.iter().copied().filter(|id| in_m2(case, *id)).collect();
        let subjects = about(std::iter::once(card.id).chain(takers.iter().copied()));
        out.push(match link.expected.lanes {
            Some(lanes) if takers.is_empty() => {
                let text = format!("No M.2 drive takes lanes from {name}.");
                Finding::new(RULE, Verdict::Pass, Severity::Advice, subjects, text).number("gpu_lanes", f64::from(lanes))
            }
            Some(0) => continue, // lane_disabled tells of it
            Some(lanes) => {
                let names: Vec<String> = takers.iter().map(|id| case.name(*id)).collect();
                let text = format!("{} leaves {name} in {label} x{lanes}{}.", join(&names), because(link));
                Finding::new(RULE, Verdict::Fail, Severity::Advice, subjects, text).number("gpu_lanes", f64::from(lanes))
            }
            None => {
                let facts = vec![missing(case.board_name(), &format!("lanes of {label}"))];
                unknown(RULE, Severity::Advice, subjects, &format!("Whether an M.2 drive takes lanes from {name}"), facts)
            }
        });
    }
}

/// Which ports each socket switches off by the board's table: with any drive, with one on PCIe only, with SATA only.
fn ports_off(board: &Board) -> Vec<(String, Vec<f64>)> {
    fn asked<'e>(expr: &'e Expr, out: &mut Vec<(&'e str, Aspect)>) {
        match expr {
            Expr::All(list) | Expr::Any(list) => list.iter().for_each(|e| asked(e, out)),
            Expr::Test(Test::Used(label, aspect)) => out.push((label, *aspect)),
            Expr::Not(_) | Expr::Test(_) => {}
        }
    }
    let is = |label: &str, kind| board.connectors.iter().any(|c| c.label == label && c.kind == kind);
    let number = |label: &str| label.rsplit(|c: char| !c.is_ascii_digit()).find(|d| !d.is_empty()).and_then(|d| d.parse::<f64>().ok());
    let mut found: Vec<(String, Vec<f64>)> = Vec::new();
    for rule in &board.rules {
        let off = |(label, change): (&String, &Change)| {
            let gone = matches!(change, Change::Lanes(0)) && is(label, ConnectorKind::Sata);
            number(label).filter(|_| gone)
        };
        let ports: Vec<f64> = rule.set.iter().filter_map(off).collect();
        let mut tests = Vec::new();
        asked(&rule.when.expr, &mut tests);
        for (label, aspect) in tests.into_iter().filter(|(label, _)| is(label, ConnectorKind::M2) && !ports.is_empty()) {
            let plain: String = label.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
            let mode = match aspect {
                Aspect::Pcie => "_pcie",
                Aspect::Sata => "_sata_mode",
                Aspect::Any | Aspect::Lanes(..) => "",
            };
            found.push((format!("{plain}_kills{mode}"), ports.clone()));
        }
    }
    found
}

fn m2_sata(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "m2_disables_sata";
    let Some(board) = case.board() else { return };
    let off: Vec<&Link> = case.facts.lanes.links.iter().filter(|l| is_port(l) && l.trained.is_off() && by_m2(case, l)).collect();
    let disks: Vec<PlacementId> =
        case.drives().iter().filter(|d| d.is.bus == Some(DriveBus::Sata) && !in_m2(case, d.id)).map(|d| d.id).collect();
    if disks.is_empty() {
        return;
    }
    let labels: Vec<&str> = off.iter().map(|l| l.connector.as_str()).collect();
    for link in off.iter().filter(|l| l.device.is_some()) {
        let Some(id) = link.device else { continue };
        let by = link.disabled.iter().flat_map(|d| d.by.iter().copied());
        let why = link.disabled.as_ref().map_or("", |d| d.why.as_str());
        let text = format!("{} at {} does not show up: {why}.", case.name(id), link.connector);
        let mut finding = Finding::new(RULE, Verdict::Fail, Severity::Blocker, about(std::iter::once(id).chain(by)), text)
            .number("disabled", off.len() as f64)
            .number("sata_drives", disks.len() as f64);
        for (key, ports) in ports_off(board.is) {
            finding = finding.detail(key, Detail::List(ports));
        }
        out.push(finding);
    }
    if off.iter().any(|l| l.device.is_some()) {
        return;
    }
    let subjects = about(disks.iter().copied());
    if off.is_empty() {
        out.push(Finding::new(RULE, Verdict::Pass, Severity::Problem, subjects, "No M.2 drive switches off a SATA port.".to_owned()));
        return;
    }
    let (gone, disks_text) = (join(&labels), count(disks.len(), "SATA drive"));
    out.push(match board.is.sata_ports.map(|all| usize::from(all).saturating_sub(off.len())) {
        Some(left) => {
            let verdict = if disks.len() > left { Verdict::Fail } else { Verdict::Pass };
            let text = format!("M.2 drives switch off {gone}, which leaves {} for {disks_text}.", count(left, "port"));
            let finding = Finding::new(RULE, verdict, Severity::Problem, subjects, text);
            finding.number("disabled", off.len() as f64).number("sata_drives", disks.len() as f64)
        }
        None => {
            let facts = vec![missing(board.part.short_name(), "sata_ports")];
            unknown(RULE, Severity::Problem, subjects, &format!("Whether {disks_text} can do without {gone}"), facts)
        }
    });
}

fn nvlink_spacing(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "nvlink_spacing";
    for (card, span) in &case.facts.lanes.bridges {
        let bridge = case.project.rig.occupants(&crate::build::SlotId::of(*card, "nvlink")).next();
        let (Some(bridge), name) = (bridge, case.name(*card)) else { continue };
        let bridge_name = case.part_of(bridge).map_or("The bridge", Part::short_name);
        out.push(match span {
            Span::Joins(joined) => {
                let subjects = about([joined.a, joined.b, bridge]);
                let text = format!("{bridge_name} joins {} and {}.", case.name(joined.a), case.name(joined.b));
                Finding::new(RULE, Verdict::Pass, Severity::Problem, subjects, text)
            }
            Span::Misses { spacing, found } => {
                let far: Vec<String> = found.iter().map(ToString::to_string).collect();
                let others = match far.as_slice() {
                    [] => "no like card is beside it".to_owned(),
                    list => format!("like cards lie {} away", join(list)),
                };
                let text = format!("{bridge_name} on {name} reaches {spacing} slot places, {others}.");
                Finding::new(RULE, Verdict::Fail, Severity::Problem, about([*card, bridge]), text)
                    .number("spacing_slots", f64::from(*spacing))
            }
            Span::Unknown { part, field } => {
                let facts = vec![missing(part, field)];
                unknown(RULE, Severity::Problem, about([*card, bridge]), &format!("What {bridge_name} joins"), facts)
            }
        });
    }
}

/// Moves of other cards of the same product.
fn bridge_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let Some(card) = first_piece(finding) else { return Vec::new() };
    let product = |id: PlacementId| match case.part_of(id).map(|p| &p.kind) {
        Some(PartKind::Gpu(gpu)) => gpu.product.clone(),
        _ => None,
    };
    let like: Vec<PlacementId> = case.gpus().iter().map(|c| c.id).filter(|id| *id != card && product(*id) == product(card)).collect();
    like.into_iter().map(|id| moves(case, id)).collect()
}

fn bar_space(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "bar_space";
    let space = &case.facts.lanes.address;
    let (Some(board), false) = (case.board(), case.facts.lanes.hosts.is_empty()) else { return };
    let subjects = about(if space.large.is_empty() { vec![board.id] } else { space.large.clone() });
    let say = |verdict, text: String| Finding::new(RULE, verdict, Severity::Blocker, subjects.clone(), text);
    let name = board.part.short_name();
    let need = space.need_gb.map_or("more than".to_owned(), |gb| plain(gb, 1));
    out.push(match (space.large.is_empty(), space.above_4g, space.have_gb.zip(space.need_gb)) {
        (true, ..) if space.need_gb.is_none() => {
            let cards = case.gpus();
            let part = cards.iter().find(|c| c.is.segment.is_none()).map_or("a card", |c| c.part.short_name());
            unknown(RULE, Severity::Blocker, subjects.clone(), "How much address space the cards need", vec![missing(part, "segment")])
        }
        (true, ..) => say(Verdict::Pass, "The cards' memory windows find place below 4 GB.".to_owned()),
        (false, Some(false), _) => {
            say(Verdict::Fail, format!("The cards need {need} GB of address space, and the BIOS of {name} places nothing above 4 GB."))
        }
        (false, _, Some((have, need_gb))) if need_gb > have => {
            say(Verdict::Fail, format!("The cards need {need} GB of address space, {name} has {} GB.", plain(have, 1)))
        }
        (false, Some(true), _) => say(Verdict::Pass, format!("{name} places the cards' {need} GB of address space above 4 GB.")),
        (false, None, _) => {
            let facts = vec![missing(name, "above_4g")];
            unknown(RULE, Severity::Blocker, subjects.clone(), &format!("Whether {name} finds place for {need} GB of address space"), facts)
        }
    });
}

fn p2p(case: &Case<'_>, out: &mut Vec<Finding>) {
    let (cards, pairs) = (case.gpus(), &case.facts.lanes.pairs);
    if cards.len() < 2 {
        return;
    }
    let subjects: Vec<Subject> = about(cards.iter().map(|c| c.id));
    let say =
        |verdict, text: String| Finding::new("p2p", verdict, Severity::Note, subjects.clone(), text).number("gpus", cards.len() as f64);
    let deaf: Vec<_> = pairs.iter().filter(|p| p.p2p == Some(false)).collect();
    let open = pairs.iter().find(|p| p.p2p.is_none());
    out.push(match (deaf.first(), open) {
        (Some(pair), _) => {
            let bridged = pairs.iter().filter(|p| matches!(p.class, Some(PathClass::Nvlink(_)))).count();
            let other = if bridged == 0 { "Cards" } else { "Cards without a bridge" };
            let rate = pair.gb_s.map_or(String::new(), |g| format!(", at about {} GB/s", plain(g, 1)));
            let finding = say(Verdict::Fail, format!("{other} exchange data through main memory{rate}: {}.", pair.why));
            finding.detail("supported", Detail::Flag(false))
        }
        // Without a board the cards themselves tell.
        (None, None) if pairs.is_empty() => match cards.iter().find(|c| c.is.p2p.as_deref() == Some("no")) {
            Some(card) => {
                let text = format!("Cards exchange data through main memory: {} has no peer access.", card.part.short_name());
                say(Verdict::Fail, text).detail("supported", Detail::Flag(false))
            }
            None => {
                let facts = vec![missing("rig", "board")];
                unknown("p2p", Severity::Note, subjects.clone(), "Whether the cards reach each other's memory", facts)
            }
        },
        (None, Some(pair)) => {
            let mut facts: Vec<MissingFact> =
                cards.iter().filter(|c| c.is.p2p.is_none()).map(|c| missing(c.part.short_name(), "p2p")).collect();
            if facts.is_empty() {
                facts.push(MissingFact { part: case.board_name().to_owned(), field: format!("way between the cards ({})", pair.why) });
            }
            unknown("p2p", Severity::Note, subjects.clone(), "Whether the cards reach each other's memory", facts)
        }
        (None, None) => say(Verdict::Pass, "The cards reach each other's memory.".to_owned()),
    });
}
