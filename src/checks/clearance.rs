//! Millimetres between parts and their case.

use super::candidates::{chassis, cooler, gpu, psu, ram, serves_as, setting, swap};
use super::finding::{Finding, Fix, Severity, Verdict};
use super::fit::open;
use super::fixes::{first_piece, pieces};
use super::rig::{Fact, Piece, Room, about, join, missing, unknown, within};
use super::{Case, Check, Search};
use crate::build::PlacementId;
use crate::catalog::part::{Case as Chassis, Cooler, Gpu, Part};
use crate::catalog::vocab::{CoolerKind, Edge, Plug};
use crate::project::Subject;
use crate::units::{mm, plain};

const NO_CASE: &str = "No case or smaller part in the catalog would do without displacing other parts.";

pub(super) const RULES: &[Check] = &[
    Check {
        id: "gpu_length",
        title: "Card length",
        why: "A card that is too long meets the front fans or the drive cage. Cards of one name differ by up to 100 mm: the part number decides.",
        guide: &["G16"],
        run: gpu_length,
        search: Some(Search { candidates: length_fixes, none: NO_CASE }),
    },
    Check {
        id: "gpu_length_with_radiator",
        title: "Card length behind a front radiator",
        why: "A radiator with its fans at the front takes 50-60 mm of the room that the case promises for cards.",
        guide: &["G16"],
        run: length_with_radiator,
        search: Some(Search { candidates: radiator_fixes, none: NO_CASE }),
    },
    Check {
        id: "cooler_height",
        title: "CPU cooler height",
        why: "A tower that is too tall keeps the side panel from closing.",
        guide: &["G16"],
        run: cooler_height,
        search: Some(Search { candidates: cooler_fixes, none: NO_CASE }),
    },
    Check {
        id: "radiator_mount",
        title: "Radiator mount",
        why: "A radiator needs a side of the case with holes for its size.",
        guide: &["G16"],
        run: radiator_mount,
        search: Some(Search { candidates: mount_fixes, none: NO_CASE }),
    },
    Check {
        id: "psu_length",
        title: "Supply length",
        why: "A long supply meets the drive cage, and its cables need room beyond it.",
        guide: &["G16"],
        run: psu_length,
        search: Some(Search { candidates: psu_fixes, none: NO_CASE }),
    },
    Check {
        id: "ram_under_cooler",
        title: "Memory under the cooler",
        why: "The front fan of a tower cooler stands over the memory. Raising the fan makes the cooler taller.",
        guide: &["G16"],
        run: ram_under_cooler,
        search: Some(Search { candidates: tall_ram_fixes, none: NO_CASE }),
    },
    Check {
        id: "plug_side_clearance",
        title: "16-pin plug and side panel",
        why: "A 16-pin lead must run straight for some way before it bends, or its contacts heat up.",
        guide: &["G16"],
        run: plug_side,
        search: None,
    },
];

/// What a comparison of two lengths says.
struct Compare<'t> {
    rule: &'static str,
    severity: Severity,
    subjects: Vec<Subject>,
    question: String,
    /// Sentence for both answers: "RTX 3090 is 313 mm long, …".
    text: String,
    spare: &'t str,
}

impl Compare<'_> {
    fn finding(self, room: Room) -> Finding {
        match room {
            Room::Fits(by) => {
                let text = format!("{}: {} {}.", self.text, mm(by), self.spare);
                Finding::new(self.rule, Verdict::Pass, self.severity, self.subjects, text).number("margin_mm", by)
            }
            Room::Over(by) => {
                let text = format!("{}: {} too much.", self.text, mm(by));
                Finding::new(self.rule, Verdict::Fail, self.severity, self.subjects, text).number("margin_mm", -by)
            }
            Room::Unknown(facts) => unknown(self.rule, self.severity, self.subjects, &self.question, facts),
        }
    }
}

/// Adds the two lengths under their names where they are known.
fn with_numbers(mut finding: Finding, pairs: &[(&'static str, Option<f64>)]) -> Finding {
    for (key, value) in pairs {
        if let Some(value) = value {
            finding.numbers.insert(key, *value);
        }
    }
    finding
}

fn band(case: &Case<'_>) -> f64 {
    case.project.threshold("mm_band")
}

fn shown(fact: &Fact) -> String {
    fact.value.map_or_else(|| "an unknown length".to_owned(), mm)
}

/// A card's length, from a template where the maker gives none.
fn card_length(case: &Case<'_>, card: &Piece<'_, Gpu>) -> Fact {
    let drawn = case.facts.space.card(card.id).and_then(|_| case.facts.space.seat(card.id)).map(|s| s.rect.w);
    Fact::of(card.part, "length_mm", card.is.length_mm).or_template(drawn)
}

fn gpu_length(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some(chassis) = case.chassis() else {
        no_case_length(case, out);
        return;
    };
    for card in case.gpus() {
        let limit = Fact::of(chassis.part, "max_gpu_length_mm", chassis.is.max_gpu_length_mm);
        out.push(judge_length(case, "gpu_length", &card, &chassis, &limit));
    }
}

/// Without a case nothing limits a card; its length is told, as cards of one name differ.
fn no_case_length(case: &Case<'_>, out: &mut Vec<Finding>) {
    let cards = case.gpus();
    let longest = cards.iter().filter_map(|c| Some((c.is.length_mm?, c))).max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((length, card)) = longest {
        let text = format!(
            "{} is {} long, and no case is placed to compare. Cards of one name differ in length: choose by part number.",
            case.name(card.id),
            mm(length)
        );
        let subjects = about(cards.iter().map(|c| c.id));
        out.push(Finding::new("gpu_length", Verdict::Fail, Severity::Note, subjects, text).number("length_mm", length));
    }
}

fn judge_length(case: &Case<'_>, rule: &'static str, card: &Piece<'_, Gpu>, chassis: &Piece<'_, Chassis>, limit: &Fact) -> Finding {
    let (name, inside) = (case.name(card.id), chassis.part.short_name());
    let subjects = about([card.id, chassis.id]);
    if open(chassis.is) && limit.value.is_none() {
        return Finding::new(
            rule,
            Verdict::Pass,
            Severity::Blocker,
            subjects,
            format!("{inside} is open at the front: {name} may be of any length."),
        );
    }
    let length = card_length(case, card);
    let room = within(&length, limit, band(case));
    let tight = case.project.threshold("gpu_length_margin_mm");
    let where_ = if rule == "gpu_length" { "" } else { " behind its front radiator" };
    let text = format!("{name} is {} long, {inside} takes {}{where_}", shown(&length), shown(limit));
    let finding = match room {
        Room::Fits(by) if by < tight => {
            let text = format!("{text}: only {} to spare, {} are advised for cables and tolerance.", mm(by), mm(tight));
            Finding::new(rule, Verdict::Fail, Severity::Advice, subjects, text).number("margin_mm", by)
        }
        room => {
            let question = format!("Whether {name} is short enough for {inside}");
            Compare { rule, severity: Severity::Blocker, subjects, question, text, spare: "to spare" }.finding(room)
        }
    };
    with_numbers(finding, &[("length_mm", length.value), ("clearance_mm", limit.value)])
}

/// The cooler whose radiator sits at the front, by its setting.
fn front_radiator<'a>(case: &Case<'a>) -> Option<Piece<'a, Cooler>> {
    let at_front = |c: &Piece<'_, Cooler>| c.piece.settings.get("radiator").is_some_and(|side| side == Edge::Front.text());
    case.coolers().into_iter().filter(|c| c.is.kind == Some(CoolerKind::Aio)).find(at_front)
}

/// What a front radiator takes of the room for cards: its own thickness, and its fans, which move inside. A radiator of 27 mm and fans of
/// 25 mm are the usual ones (<https://evezone.evetech.co.za/deep-dives/how-to-avoid-gpu-fitment-issues-when-choosing-a-case-with-420mm-clearance>).
fn front_stack(case: &Case<'_>) -> f64 {
    let thick = front_radiator(case).and_then(|c| c.is.radiator_thickness_mm).unwrap_or(RADIATOR_MM);
    thick + FAN_MM
}

const RADIATOR_MM: f64 = 27.0;
const FAN_MM: f64 = 25.0;

fn length_with_radiator(case: &Case<'_>, out: &mut Vec<Finding>) {
    let (Some(chassis), Some(_)) = (case.chassis(), front_radiator(case)) else { return };
    for card in case.gpus() {
        let stated = Fact::of(chassis.part, "max_gpu_length_radiator_mm", chassis.is.max_gpu_length_radiator_mm);
        let limit = stated.or_template(chassis.is.max_gpu_length_mm.map(|l| l - front_stack(case)));
        out.push(judge_length(case, "gpu_length_with_radiator", &card, &chassis, &limit));
    }
}

/// Cases long enough for every card, then shorter cards of the same product.
fn length_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let (Some(what), Some(host)) = (first_piece(finding), case.chassis()) else { return Vec::new() };
    let Some(old) = case.part_of(what).and_then(gpu) else { return Vec::new() };
    let margin = case.project.threshold("gpu_length_margin_mm");
    let longest = case.gpus().iter().filter_map(|g| g.is.length_mm).fold(0.0, f64::max) + margin;
    let form = case.board().and_then(|b| b.is.form_factor);
    let roomy = |p: &Part| {
        chassis(p).is_some_and(|c| {
            let takes = form.is_none_or(|f| c.board_forms.iter().flatten().any(|b| *b == f));
            takes && c.max_gpu_length_mm.is_some_and(|l| l >= longest)
        })
    };
    let limit = host.is.max_gpu_length_mm.unwrap_or(0.0) - margin;
    let shorter =
        |p: &Part| serves_as(old, p) && gpu(p).is_some_and(|g| g.product == old.product && g.length_mm.is_some_and(|l| l <= limit));
    vec![swap(case, what, shorter), swap(case, host.id, roomy)]
}

fn radiator_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let (Some(cooler), Some(host)) = (front_radiator(case), case.chassis()) else { return Vec::new() };
    let other = host.is.radiators.iter().flatten().filter(|r| r.edge != Edge::Front && takes(&r.sizes_mm, cooler.is.radiator_mm));
    let sides = other.map(|r| setting(cooler.id, "radiator", r.edge.text(), format!("Mount the radiator at the {}", r.edge))).collect();
    let mut groups = vec![sides];
    groups.extend(length_fixes(case, finding));
    groups
}

fn takes(sizes: &[u16], radiator: Option<f64>) -> bool {
    radiator.is_some_and(|r| sizes.iter().any(|s| (f64::from(*s) - r).abs() < 0.5))
}

fn is_air(cooler: &Cooler) -> bool {
    matches!(cooler.kind, Some(CoolerKind::Tower | CoolerKind::DualTower | CoolerKind::LowProfile | CoolerKind::Server))
}

fn cooler_height(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some(chassis) = case.chassis() else { return };
    for cooler in case.coolers().into_iter().filter(|c| is_air(c.is)) {
        let (name, inside) = (case.name(cooler.id), chassis.part.short_name());
        let subjects = about([cooler.id, chassis.id]);
        let limit = Fact::of(chassis.part, "max_cooler_height_mm", chassis.is.max_cooler_height_mm);
        if open(chassis.is) && limit.value.is_none() {
            let text = format!("{inside} has no side panel: {name} may be of any height.");
            out.push(Finding::new("cooler_height", Verdict::Pass, Severity::Blocker, subjects, text));
            continue;
        }
        let height = Fact::of(cooler.part, "height_mm", cooler.is.height_mm);
        let text = format!("{name} is {} tall, {inside} takes {}", shown(&height), shown(&limit));
        let question = format!("Whether the side panel of {inside} closes over {name}");
        let compare = Compare { rule: "cooler_height", severity: Severity::Blocker, subjects, question, text, spare: "to spare" };
        let finding = compare.finding(within(&height, &limit, band(case)));
        out.push(with_numbers(finding, &[("height_mm", height.value), ("limit_mm", limit.value)]));
    }
}

fn cooler_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let (Some(what), Some(host)) = (first_piece(finding), case.chassis()) else { return Vec::new() };
    let Some(old) = case.part_of(what).and_then(cooler) else { return Vec::new() };
    let limit = host.is.max_cooler_height_mm;
    let lower =
        swap(case, what, |p| cooler(p).is_some_and(|c| is_air(c) && c.tdp_w >= old.tdp_w && c.height_mm.is_some() && c.height_mm <= limit));
    let wider =
        swap(case, host.id, |p| chassis(p).is_some_and(|c| c.max_cooler_height_mm >= old.height_mm && c.max_cooler_height_mm.is_some()));
    vec![lower, wider]
}

fn radiator_mount(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some(chassis) = case.chassis() else { return };
    for cooler in case.coolers().into_iter().filter(|c| c.is.kind == Some(CoolerKind::Aio)) {
        out.push(judge_mount(case, &cooler, &chassis));
    }
}

fn judge_mount(case: &Case<'_>, cooler: &Piece<'_, Cooler>, chassis: &Piece<'_, Chassis>) -> Finding {
    let (name, inside) = (case.name(cooler.id), chassis.part.short_name());
    let subjects = about([cooler.id, chassis.id]);
    let say = |verdict, text: String| Finding::new("radiator_mount", verdict, Severity::Blocker, subjects.clone(), text);
    let ask = |fact| {
        unknown(
            "radiator_mount",
            Severity::Blocker,
            subjects.clone(),
            &format!("Whether {inside} has a place for the radiator of {name}"),
            vec![fact],
        )
    };
    let Some(size) = cooler.is.radiator_mm else { return ask(missing(&name, "radiator_mm")) };
    let Some(list) = &chassis.is.radiators else { return ask(missing(inside, "radiators")) };
    let wish = cooler.piece.settings.get("radiator");
    let sides: Vec<&str> = list.iter().filter(|r| takes(&r.sizes_mm, Some(size))).map(|r| r.edge.text()).collect();
    let finding = match wish {
        _ if sides.is_empty() => say(Verdict::Fail, format!("{name} has a {} radiator, {inside} takes none of that size.", mm(size))),
        Some(side) if !sides.contains(&side.as_str()) => {
            say(Verdict::Fail, format!("The {side} of {inside} takes no {} radiator; its {} does.", mm(size), join(&sides)))
        }
        _ => say(Verdict::Pass, format!("{inside} takes the {} radiator of {name} at its {}.", mm(size), join(&sides))),
    };
    finding.number("radiator_mm", size)
}

fn mount_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let (Some(what), Some(host)) = (first_piece(finding), case.chassis()) else { return Vec::new() };
    let Some(old) = case.part_of(what).and_then(cooler) else { return Vec::new() };
    let list = host.is.radiators.clone().unwrap_or_default();
    let sides = list.iter().filter(|r| takes(&r.sizes_mm, old.radiator_mm));
    let sides = sides.map(|r| setting(what, "radiator", r.edge.text(), format!("Mount the radiator at the {}", r.edge))).collect();
    let fits = |c: &Cooler| c.kind == Some(CoolerKind::Aio) && list.iter().any(|r| takes(&r.sizes_mm, c.radiator_mm));
    let other = swap(case, what, |p| cooler(p).is_some_and(|c| (is_air(c) || fits(c)) && c.tdp_w >= old.tdp_w));
    let cases =
        swap(case, host.id, |p| chassis(p).is_some_and(|c| c.radiators.iter().flatten().any(|r| takes(&r.sizes_mm, old.radiator_mm))));
    vec![sides, other, cases]
}

fn psu_length(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some(chassis) = case.chassis() else { return };
    for supply in case.psus() {
        let (name, inside) = (case.name(supply.id), chassis.part.short_name());
        let subjects = about([supply.id, chassis.id]);
        let length = Fact::of(supply.part, "length_mm", supply.is.length_mm);
        let limit = Fact::of(chassis.part, "max_psu_length_mm", chassis.is.max_psu_length_mm);
        if open(chassis.is) && limit.value.is_none() {
            let text = format!("{inside} is open: {name} may be of any length.");
            out.push(Finding::new("psu_length", Verdict::Pass, Severity::Blocker, subjects, text));
            continue;
        }
        let text = format!("{name} is {} long, {inside} takes {}", shown(&length), shown(&limit));
        let question = format!("Whether {name} is short enough for {inside}");
        let compare = Compare { rule: "psu_length", severity: Severity::Blocker, subjects, question, text, spare: "left for cables" };
        let finding = compare.finding(within(&length, &limit, band(case)));
        let finding = beside_cage(case, &supply, &chassis, finding);
        let cage = chassis.is.max_psu_length_cage_mm;
        let numbers =
            [("length_mm", length.value), ("limit_mm", limit.value), ("limit_without_mm", limit.value), ("limit_with_cage_mm", cage)];
        out.push(with_numbers(finding, &numbers));
    }
}

/// A supply that fits only where the drive cage is not.
fn beside_cage(case: &Case<'_>, supply: &Piece<'_, crate::catalog::part::Psu>, chassis: &Piece<'_, Chassis>, finding: Finding) -> Finding {
    let (Some(length), Some(limit)) = (supply.is.length_mm, chassis.is.max_psu_length_cage_mm) else { return finding };
    if finding.verdict != Verdict::Pass || length <= limit {
        return finding;
    }
    let disks = case.drives().into_iter().filter(|d| d.is.form == Some(crate::catalog::vocab::DriveForm::Inch35));
    let in_cage = disks.filter(|d| d.piece.slot.as_ref().and_then(crate::build::SlotId::host_part) == Some(chassis.id)).count();
    let (name, inside) = (case.name(supply.id), chassis.part.short_name());
    let text = format!("{name} is {} long; with its drive cage {inside} takes {}", mm(length), mm(limit));
    let (severity, text) = if in_cage > 0 {
        let sit = if in_cage == 1 { "sits" } else { "sit" };
        (Severity::Blocker, format!("{text}, and {} {sit} in the cage.", super::rig::count(in_cage, "drive")))
    } else {
        (Severity::Advice, format!("{text}: move or remove the cage."))
    };
    Finding::new("psu_length", Verdict::Fail, severity, finding.subjects, text).number("margin_mm", limit - length)
}

fn psu_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let (Some(what), Some(host)) = (first_piece(finding), case.chassis()) else { return Vec::new() };
    let Some(old) = case.part_of(what).and_then(psu) else { return Vec::new() };
    let limit = host.is.max_psu_length_mm;
    let shorter = swap(case, what, |p| {
        psu(p).is_some_and(|s| s.form == old.form && s.watts >= old.watts && s.length_mm.is_some() && s.length_mm <= limit)
    });
    let deeper = swap(case, host.id, |p| chassis(p).is_some_and(|c| c.max_psu_length_mm >= old.length_mm && c.max_psu_length_mm.is_some()));
    vec![shorter, deeper]
}

fn ram_under_cooler(case: &Case<'_>, out: &mut Vec<Finding>) {
    let over = |c: &Piece<'_, Cooler>| matches!(c.is.kind, Some(CoolerKind::Tower | CoolerKind::DualTower | CoolerKind::LowProfile));
    for cooler in case.coolers().into_iter().filter(over) {
        for kit in case.kits() {
            let (name, above) = (case.name(kit.id), case.name(cooler.id));
            let height = Fact::of(kit.part, "height_mm", kit.is.height_mm);
            let limit = Fact::of(cooler.part, "ram_clearance_mm", cooler.is.ram_clearance_mm);
            let text = format!("{name} is {} tall, {above} leaves {}", shown(&height), shown(&limit));
            let question = format!("Whether {name} fits under {above}");
            let subjects = about([kit.id, cooler.id]);
            let compare = Compare { rule: "ram_under_cooler", severity: Severity::Problem, subjects, question, text, spare: "to spare" };
            let mut finding = compare.finding(within(&height, &limit, band(case)));
            if let (Verdict::Fail, Some(h), Some(l)) = (finding.verdict, height.value, limit.value) {
                raise_fan(case, &cooler, h, l, &mut finding);
            }
            let most = cooler.is.ram_clearance_raised_mm;
            out.push(with_numbers(finding, &[("ram_mm", height.value), ("clear_mm", limit.value), ("clear_raised_mm", most)]));
        }
    }
}

/// Says what raising the front fan does: it makes the cooler taller, which the case must take, and goes only so far.
fn raise_fan(case: &Case<'_>, cooler: &Piece<'_, Cooler>, height: f64, clear: f64, finding: &mut Finding) {
    let most = cooler.is.ram_clearance_raised_mm;
    if most.is_some_and(|m| height > m) {
        finding.severity = Severity::Blocker;
        finding.message.push_str(&format!(" Even with its front fan raised it leaves {}.", mm(most.unwrap_or(clear))));
        return;
    }
    let lift = most.map_or(height - clear, |m| m - clear);
    let Some(raised) = cooler.is.height_mm.map(|tall| tall + lift) else { return };
    finding.message.push_str(&format!(" With its front fan raised by {} the cooler is {} tall.", mm(lift), mm(raised)));
    finding.numbers.insert("cooler_height_raised_mm", raised);
    let limit = case.chassis().and_then(|c| c.is.max_cooler_height_mm);
    if let Some(limit) = limit.filter(|l| raised > *l) {
        finding.severity = Severity::Blocker;
        finding.message.push_str(&format!(" The case takes {}.", mm(limit)));
    }
}

fn tall_ram_fixes(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let [kit_id, cooler_id] = pieces(finding).as_slice().try_into().unwrap_or([PlacementId(u32::MAX); 2]);
    let (Some(kit), Some(above)) = (case.part_of(kit_id).and_then(ram), case.part_of(cooler_id).and_then(cooler)) else {
        return Vec::new();
    };
    let lower = |p: &Part| {
        ram(p).is_some_and(|r| {
            r.memory_type == kit.memory_type
                && r.module_type == kit.module_type
                && r.height_mm.is_some()
                && r.height_mm <= above.ram_clearance_mm
        }) && super::candidates::holds(kit, p)
    };
    let roomy =
        |p: &Part| cooler(p).is_some_and(|c| c.ram_clearance_mm.is_some() && c.ram_clearance_mm >= kit.height_mm && c.tdp_w >= above.tdp_w);
    vec![swap(case, kit_id, lower), swap(case, cooler_id, roomy)]
}

/// Board surface to the slot's edge, and beyond a cooler's top to the side panel: both usual values of ATX cases.
const SLOT_ABOVE_BOARD_MM: f64 = 12.0;
const PANEL_ABOVE_COOLER_MM: f64 = 7.0;

fn plug_side(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some(chassis) = case.chassis().filter(|c| !open(c.is)) else { return };
    let bend = case.project.threshold("plug_bend_mm");
    let sixteen = |g: &Gpu| g.plugs.iter().flatten().any(|p| matches!(p.plug, Plug::Hpwr16 | Plug::Hpwr2x6));
    for card in case.gpus().into_iter().filter(|c| sixteen(c.is)) {
        let (name, inside) = (case.name(card.id), chassis.part.short_name());
        let need = Fact::of(card.part, "height_mm", card.is.height_mm.map(|h| h + SLOT_ABOVE_BOARD_MM + bend));
        let have = Fact::of(chassis.part, "max_cooler_height_mm", chassis.is.max_cooler_height_mm.map(|h| h + PANEL_ABOVE_COOLER_MM));
        let text = format!(
            "The plug of {name} and {} of straight lead need {} above the board, {inside} has about {}",
            mm(bend),
            shown(&need),
            shown(&have)
        );
        let subjects = about([card.id, chassis.id]);
        let question = format!("Whether the plug of {name} clears the side panel of {inside}");
        let compare = Compare { rule: "plug_side_clearance", severity: Severity::Advice, subjects, question, text, spare: "to spare" };
        let mut finding = compare.finding(within(&need, &have, band(case)));
        if finding.verdict == Verdict::Fail {
            finding.message.push_str(" A lead with a right-angled plug helps.");
        }
        let top = card.is.height_mm.map(|h| h + SLOT_ABOVE_BOARD_MM);
        out.push(with_numbers(
            finding,
            &[("needed_mm", need.value), ("available_mm", have.value), ("card_top_mm", top), ("bend_mm", Some(bend))],
        ));
    }
}

/// "2.5 slots".
pub(super) fn slots_text(slots: f64) -> String {
    if (slots - 1.0).abs() < 1e-9 { "1 slot".to_owned() } else { format!("{} slots", plain(slots, 2)) }
}
