//! What board, processor and memory ask of each other's firmware, and values that cannot be.

use super::candidates::{board, ram, swap};
use super::finding::{Detail, Finding, Fix, Severity, Verdict};
use super::fixes::first_piece;
use super::rig::{Piece, about, join, missing, unknown};
use super::{Case, Check, Search};
use crate::catalog::part::{Board, Part, PartKind, Ram};
use crate::catalog::platform::{Chipset, chipset_of, is_desktop, newest_pcie, processor};
use crate::catalog::vocab::ModuleType;
use crate::project::Subject;
use crate::project::power_settings::OLDER_CPU;
use crate::units::plain;

pub(super) const RULES: &[Check] = &[
    Check {
        id: "bios_version",
        title: "BIOS for this CPU",
        why: "A CPU newer than its board starts only with a newer BIOS. A board with a flash button takes it without a CPU, one whose box is labelled for the CPU has it already; any other needs an older CPU first.",
        guide: &["G13"],
        run: bios_version,
        search: Some(Search { candidates: board_fixes, none: "No board in the catalog that fits here starts this CPU as sold." }),
    },
    Check {
        id: "bios_dependency",
        title: "What only the BIOS makes work",
        why: "Error correction with unbuffered modules is in the hands of the BIOS: the right module on a listed board has stopped at its first start until a later version came.",
        guide: &["G13"],
        run: bios_dependency,
        search: None,
    },
    Check {
        id: "ram_cpu_generation",
        title: "Memory newer than the CPU",
        why: "Modules of a later generation hold denser chips than the CPU's memory controller was made for. Each may be on the board's list, and the pair still does not start.",
        guide: &["G13"],
        run: ram_generation,
        search: Some(Search { candidates: older_kits, none: "No kit of the CPU's own generation in the catalog is as large." }),
    },
    Check {
        id: "import_sanity",
        title: "Values that cannot be",
        why: "Lists of parts copy the length of a connector as its lanes, the newest PCIe for old boards and 0 for what they do not know. What is judged from such a value is wrong.",
        guide: &["G24"],
        run: sanity,
        search: None,
    },
];

/// The chipset of a board, if its field or name tells it.
fn chipset(host: &Piece<'_, Board>) -> Option<&'static Chipset> {
    chipset_of(host.part, host.is)
}

/// Generation of processors that a board starts with as sold: its chipset's, or what its box or a later series of it promises.
fn ready_for(host: &Piece<'_, Board>, chipset: &Chipset, wanted: u16) -> u16 {
    let words = |text: &str| text.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_uppercase).collect::<Vec<_>>();
    let name = words(&host.part.name);
    let has = |w: &str| name.iter().any(|n| n == w);
    // MSI's MAX boards came with Ryzen 3000 (https://www.msi.com/Landing/amd-ryzen-3000-amd-400-series-motherboard).
    let later = if has("MAX") && has("MSI") && chipset.ships_for < 30 { 30 } else { 0 };
    let label = host.is.ready_for.as_deref().map_or(0, |text| label_generation(text, wanted));
    chipset.ships_for.max(later).max(label)
}

/// "Ryzen 3000 Desktop Ready" is 30, "13th Gen Core" 13; a label without a number speaks of the CPU in question.
fn label_generation(text: &str, wanted: u16) -> u16 {
    let numbers: Vec<u16> = text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
    let generation = |n: u16| if n >= 1000 { n / 100 } else { n };
    numbers.into_iter().map(generation).max().unwrap_or(wanted)
}

fn bios_version(case: &Case<'_>, out: &mut Vec<Finding>) {
    let Some(host) = case.board() else { return };
    for cpu in case.cpus().into_iter().take(1) {
        let (name, on) = (case.name(cpu.id), host.part.short_name());
        let told = processor(&cpu.part.name);
        let (Some(chipset), Some(wanted)) = (chipset(&host), told.generation) else { continue };
        if told.socket != Some(chipset.socket) {
            continue; // another rule tells of it
        }
        out.push(judge_bios(&host, chipset, &name, on, wanted, &about([host.id, cpu.id])));
    }
}

fn judge_bios(host: &Piece<'_, Board>, chipset: &Chipset, name: &str, on: &str, wanted: u16, subjects: &[Subject]) -> Finding {
    let say = |verdict, severity, text: String| {
        let finding = Finding::new("bios_version", verdict, severity, subjects.to_vec(), text);
        host.is.flash_button.into_iter().fold(finding, |f, on| f.detail("flashback", Detail::Flag(on)))
    };
    if wanted > chipset.takes_to || wanted < chipset.takes_from {
        let text = format!("No BIOS of {} boards such as {on} serves {name}.", chipset.name);
        return say(Verdict::Fail, Severity::Blocker, text);
    }
    if wanted <= chipset.ships_for {
        return say(Verdict::Pass, Severity::Problem, format!("{on} starts {name} as first sold."));
    }
    if ready_for(host, chipset, wanted) >= wanted {
        let text = format!("{on} is sold with a BIOS for {name}: no update is needed, whatever standing notes say.");
        return say(Verdict::Fail, Severity::Note, text);
    }
    let older = host.piece.settings.get(OLDER_CPU).is_some_and(|v| v == "yes");
    let need = format!("{name} needs a BIOS newer than {on} was first sold with");
    match host.is.flash_button {
        Some(true) => say(
            Verdict::Fail,
            Severity::Problem,
            format!("{need}. Its flash button takes one without a CPU: use it before the first start."),
        ),
        _ if older => say(Verdict::Fail, Severity::Problem, format!("{need}. Update with the older CPU before the exchange.")),
        Some(false) => say(
            Verdict::Fail,
            Severity::Blocker,
            format!("{need}, has no flash button, and no older CPU is at hand to start it for the update."),
        ),
        None => {
            let mut finding = say(
                Verdict::Fail,
                Severity::Problem,
                format!("{need}. Ask the seller for its version; whether the board has a flash button is unknown."),
            );
            finding.missing.push(missing(on, "flash_button"));
            finding
        }
    }
}

fn board_fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let (Some(host), cpus) = (case.board(), case.cpus()) else { return Vec::new() };
    let Some(wanted) = cpus.first().and_then(|c| processor(&c.part.name).generation) else { return Vec::new() };
    let good = |p: &Part| {
        board(p).is_some_and(|b| {
            let ready = chipset_of(p, b).is_some_and(|c| c.ships_for >= wanted && c.takes_from <= wanted);
            b.socket == host.is.socket && b.memory_type == host.is.memory_type && ready
        })
    };
    vec![swap(case, host.id, good)]
}

fn bios_dependency(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "bios_dependency";
    let Some(host) = case.board() else { return };
    for kit in case.kits() {
        let (name, on) = (case.name(kit.id), host.part.short_name());
        let subjects = about([kit.id, host.id]);
        let say = |verdict, text: String| Finding::new(RULE, verdict, Severity::Advice, subjects.clone(), text);
        let question = format!("Whether {name} asks something of the BIOS");
        out.push(match (kit.is.module_type, host.is.socket) {
            (None, _) => unknown(RULE, Severity::Advice, subjects.clone(), &question, vec![missing(kit.part.short_name(), "module_type")]),
            (Some(ModuleType::EccUdimm), None) => unknown(RULE, Severity::Advice, subjects.clone(), &question, vec![missing(on, "socket")]),
            (Some(ModuleType::EccUdimm), Some(socket)) if is_desktop(socket) && host.is.ecc != Some(false) => say(
                Verdict::Fail,
                format!("{name} corrects errors in {on} only with a BIOS that supports it: install the newest before you rely on it."),
            ),
            (Some(kind), _) => say(Verdict::Pass, format!("{name} ({kind}) asks nothing special of the BIOS of {on}.")),
        });
    }
}

fn ram_generation(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "ram_cpu_generation";
    let cpus = case.cpus();
    let Some(cpu) = cpus.first() else { return };
    let told = processor(&cpu.part.name);
    for kit in case.kits() {
        let (name, by) = (case.name(kit.id), cpu.part.short_name());
        let subjects = about([kit.id, cpu.id]);
        let pass = |text: String| Finding::new(RULE, Verdict::Pass, Severity::Problem, subjects.clone(), text);
        let Some(kind) = kit.is.module_type else {
            let facts = vec![missing(kit.part.short_name(), "module_type")];
            out.push(unknown(RULE, Severity::Problem, subjects.clone(), &format!("Whether {name} is newer than {by}"), facts));
            continue;
        };
        if !kind.is_registered() {
            out.push(pass(format!("{name} ({kind}) is no registered module: it slows down to what {by} takes.")));
            continue;
        }
        let finding = judge_generation(kit.is, told.family_mt_s, told.rdimm_gb.filter(|_| kind == ModuleType::Rdimm), &name, by, &subjects);
        let own = cpu.is.memory_mt_s.or(told.memory_mt_s);
        out.push(
            own.into_iter()
                .fold(finding.unwrap_or_else(|| pass(format!("{name} is no newer than the memory {by} was made for."))), |f, s| {
                    f.number("cpu_max_mt_s", f64::from(s))
                }),
        );
    }
}

/// `None` = no newer than the processor's own generation.
fn judge_generation(kit: &Ram, family: Option<u32>, densest: Option<f64>, name: &str, by: &str, subjects: &[Subject]) -> Option<Finding> {
    let fast = kit.speed_mt_s.zip(family).filter(|(own, most)| own > most);
    let dense = kit.gb_per_module.zip(densest).filter(|(own, most)| own > most);
    let clause = match (fast, dense) {
        (None, None) => return None,
        (Some((own, most)), None) => format!("{own} MT/s, the generation of {by} ends at {most}"),
        (None, Some((own, most))) => format!("{} GB a module, the generation of {by} was made for {}", plain(own, 0), plain(most, 0)),
        (Some((own, most)), Some((gb, up_to))) => {
            format!("{own} MT/s and {} GB a module, the generation of {by} ends at {most} MT/s and {} GB", plain(gb, 0), plain(up_to, 0))
        }
    };
    let text = format!("{name} is newer than the CPU: {clause}. The pair may not start although each is on a list.");
    Some(Finding::new("ram_cpu_generation", Verdict::Fail, Severity::Problem, subjects.to_vec(), text))
}

fn older_kits(case: &Case<'_>, finding: &Finding) -> Vec<Vec<Fix>> {
    let (Some(what), cpus) = (first_piece(finding), case.cpus()) else { return Vec::new() };
    let (Some(old), Some(cpu)) = (case.part_of(what).and_then(ram), cpus.first()) else { return Vec::new() };
    let told = processor(&cpu.part.name);
    let good = |p: &Part| {
        super::candidates::holds(old, p)
            && ram(p).is_some_and(|r| {
                let speed = r.speed_mt_s.is_some_and(|s| told.family_mt_s.is_none_or(|most| s <= most));
                let size = told.rdimm_gb.is_none_or(|most| r.gb_per_module.is_some_and(|gb| gb <= most));
                (r.memory_type, r.module_type) == (old.memory_type, old.module_type) && speed && size
            })
    };
    vec![swap(case, what, good)]
}

/// What of a part's values cannot be, in words, with the newest PCIe of its socket if that is the point.
fn impossible(part: &Part) -> (Vec<String>, Option<u8>) {
    let mut wrong = Vec::new();
    let mut newest = None;
    match &part.kind {
        PartKind::Board(b) => {
            if let Some(socket) = b.socket {
                let most = newest_pcie(socket);
                let over = b.connectors.iter().filter_map(|c| c.r#gen).filter(|g| *g > most).max();
                if let Some(stated) = over {
                    newest = Some(most);
                    wrong.push(format!("a slot of PCIe {stated}.0, where boards for {socket} end at {most}.0"));
                }
                if let Some(chipset) = chipset_of(part, b).filter(|c| c.socket != socket && b.chipset.is_some()) {
                    wrong.push(format!("socket {socket}, where {} is a chipset for {}", chipset.name, chipset.socket));
                }
            }
        }
        PartKind::Gpu(g) => {
            if g.plugs.as_ref().is_some_and(Vec::is_empty) && g.tdp_w.is_some_and(|w| w > 75.0) {
                wrong.push("no power plug, where the slot gives 75 W at most".to_owned());
            }
            if g.tdp_w.is_some_and(|w| w <= 0.0) {
                wrong.push("a power of 0 W".to_owned());
            }
            if g.length_mm.is_some_and(|l| l < 60.0) {
                wrong.push("a length below that of its connector".to_owned());
            }
        }
        PartKind::Psu(s) if s.watts.is_some_and(|w| w >= 450.0) && s.plugs.as_ref().is_some_and(Vec::is_empty) => {
            wrong.push("no plug for cards or CPU".to_owned());
        }
        PartKind::Case(c) if c.max_gpu_length_mm.is_some_and(|l| l < 100.0) => wrong.push("room for cards below 100 mm".to_owned()),
        PartKind::Ram(r) if r.height_mm.is_some_and(|h| h <= 0.0) => wrong.push("a height of 0 mm".to_owned()),
        PartKind::Cpu(c) if c.tdp_w.is_some_and(|w| w <= 0.0) => wrong.push("a power of 0 W".to_owned()),
        _ => {}
    }
    (wrong, newest)
}

fn sanity(case: &Case<'_>, out: &mut Vec<Finding>) {
    const RULE: &str = "import_sanity";
    let before = out.len();
    let mut any = false;
    for (id, _, part) in case.project.rig.placed(case.catalog) {
        any = true;
        let (wrong, newest) = impossible(part);
        if wrong.is_empty() {
            continue;
        }
        let text = format!("{} is listed with {}. Correct it before you trust what follows from it.", part.short_name(), join(&wrong));
        let finding = Finding::new(RULE, Verdict::Fail, Severity::Blocker, about([id]), text);
        out.push(newest.into_iter().fold(finding, |f, g| f.detail("max_gen_for_socket", Detail::Text(format!("{g}.0")))));
    }
    if any && out.len() == before {
        out.push(Finding::new(
            RULE,
            Verdict::Pass,
            Severity::Blocker,
            vec![Subject::Whole],
            "No part is listed with a value that cannot be.",
        ));
    }
}
