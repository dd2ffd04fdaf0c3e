//! What the name of an item says, as lists of parts name things: amounts, sizes, sockets. It checks matches, and is all that a placeholder has.

use std::collections::BTreeMap;

use super::matching::{Matcher, squeezed};
use super::parse::Item;
use crate::catalog::load::kind_table;
use crate::catalog::part::{Board, Case, Cooler, Cpu, Drive, Fan, Gpu, Nic, Part, PartId, PartKind, Provenance, Psu, Ram, Source};
use crate::catalog::vocab::{
    CaseKind, Confidence, CoolerKind, DriveBus, DriveForm, Efficiency, FormFactor, GpuForm, MemoryType, PsuForm, Socket,
};
use crate::import::opendb::product;

/// Amounts in a name; `None` where it says none, or several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Amounts {
    /// Of a card, kit or drive, GB.
    pub memory_gb: Option<f64>,
    pub modules: Option<f64>,
    pub speed_mt_s: Option<f64>,
    pub cas: Option<f64>,
    pub watts: Option<f64>,
    pub mm: Option<f64>,
}

pub(super) fn amounts(name: &str) -> Amounts {
    let lower = name.to_lowercase().replace(['(', ')', ',', '×'], " ");
    let tokens: Vec<&str> = lower.split_whitespace().collect();
    let mut said = Amounts::default();
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).copied().unwrap_or_default();
        let (digits, unit) = split(token);
        let unit = if unit.is_empty() { next } else { unit };
        if let Ok(number) = digits.parse::<f64>() {
            let gb = match unit {
                "gb" => Some(number),
                "tb" => Some(number * 1000.0),
                _ => None,
            };
            // "(2 x 8 GB)" names a module, not the kit.
            let module = at >= 2 && tokens.get(at - 1) == Some(&"x") || token.contains('x');
            if let (Some(gb), false) = (gb, module) {
                said.memory_gb = said.memory_gb.or(Some(gb));
            }
            let sized = tokens.get(at + 3).is_some_and(|t| *t == "gb") || tokens.get(at + 2).is_some_and(|t| t.ends_with("gb"));
            if next == "x" && sized {
                said.modules = Some(number);
            }
            match unit {
                "w" => said.watts = said.watts.or(Some(number)),
                "mm" => said.mm = said.mm.or(Some(number)),
                _ => {}
            }
        }
        if let Some((kind, speed)) = token.split_once('-').filter(|(kind, _)| kind.starts_with("ddr")) {
            let _ = kind;
            said.speed_mt_s = speed.parse().ok().or(said.speed_mt_s);
        }
        if let Some(cas) = token.strip_prefix("cl").and_then(|c| c.parse().ok()) {
            said.cas = Some(cas);
        }
    }
    said
}

/// "750w" is 750 and w.
fn split(token: &str) -> (&str, &str) {
    let at = token.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(token.len());
    token.split_at(at)
}

/// Key of the source of what a name says.
const SOURCE: &str = "list";

/// A part that stands for an item the catalog does not know.
pub(super) fn placeholder(matcher: &Matcher<'_>, kind: &'static str, item: &Item, day: &str) -> Part {
    let name = item.name.as_str();
    let (lower, said) = (name.to_lowercase(), amounts(name));
    let facts = match kind {
        "gpu" => PartKind::Gpu(Gpu { form: Some(GpuForm::Card), memory_gb: said.memory_gb, ..Gpu::default() }),
        "cpu" => PartKind::Cpu(Cpu { cores: cores(&lower), base_ghz: clock(&lower), ..Cpu::default() }),
        "board" => PartKind::Board(Board {
            socket: socket(name),
            form_factor: form_factor(&lower),
            memory_type: memory_type(name),
            ..Board::default()
        }),
        "ram" => PartKind::Ram(ram(name, said)),
        "drive" => PartKind::Drive(drive(&lower, said)),
        "psu" => PartKind::Psu(psu(&lower, said)),
        "cooler" => PartKind::Cooler(cooler(&lower, said)),
        "fan" => PartKind::Fan(Fan { size_mm: said.mm, ..Fan::default() }),
        "case" => PartKind::Case(Case { kind: case_kind(&lower), board_forms: form_factor(&lower).map(|f| vec![f]), ..Case::default() }),
        _ => PartKind::Nic(Nic::default()),
    };
    let id = PartId::new(&format!("{kind}.list.{}", slug(name)));
    let mut part = Part::bare(id, name, facts);
    part.notes = Some("Placeholder from a parts list: only what its name says is known.".to_owned());
    for field in kind_table(&part.kind).unwrap_or_default().keys().filter(|f| *f != "connectors" && *f != "switches") {
        let origin = Provenance { source: SOURCE.to_owned(), as_of: day.to_owned(), confidence: Confidence::Judgement };
        part.from.insert(field.clone(), origin);
    }
    part.from.retain(|field, _| !matches!(field.as_str(), "roots" | "rules" | "choices"));
    if !part.from.is_empty() {
        let title = "Name of the item in an imported parts list, source not recorded".to_owned();
        part.sources = BTreeMap::from([(SOURCE.to_owned(), Source { title, url: None, date: Some(day.to_owned()) })]);
    }
    if kind == "gpu" {
        product::fill(matcher.catalog, &mut part);
    }
    part
}

fn slug(name: &str) -> String {
    let words: Vec<String> = name.split(|c: char| !c.is_ascii_alphanumeric()).map(squeezed).filter(|w| !w.is_empty()).take(12).collect();
    if words.is_empty() { "unnamed".to_owned() } else { words.join("-") }
}

/// "16-core"
fn cores(lower: &str) -> Option<u16> {
    const WORDS: [(&str, u16); 4] = [("dual", 2), ("quad", 4), ("hexa", 6), ("octa", 8)];
    let before = lower.split("-core").next().filter(|b| b.len() < lower.len())?;
    let word = before.rsplit(' ').next()?;
    word.parse().ok().or_else(|| WORDS.iter().find(|(w, _)| *w == word).map(|(_, n)| *n))
}

fn clock(lower: &str) -> Option<f64> {
    let before = lower.split("ghz").next().filter(|b| b.len() < lower.len())?;
    before.trim_end().rsplit(' ').next()?.parse().ok().filter(|c| (0.5..=10.0).contains(c))
}

/// The longest socket that the name has as a word.
fn socket(name: &str) -> Option<Socket> {
    let words: Vec<String> = name.split([' ', ',', '(', ')']).map(str::to_uppercase).collect();
    let has = |s: &&Socket| words.iter().any(|w| *w == s.text().to_uppercase());
    Socket::ALL.iter().filter(has).max_by_key(|s| s.text().len()).copied()
}

fn form_factor(lower: &str) -> Option<FormFactor> {
    const WORDS: [(&str, FormFactor); 8] = [
        ("mini itx", FormFactor::MiniItx),
        ("mini-itx", FormFactor::MiniItx),
        ("micro atx", FormFactor::MicroAtx),
        ("microatx", FormFactor::MicroAtx),
        ("ssi eeb", FormFactor::Eeb),
        ("ssi ceb", FormFactor::Ceb),
        ("eatx", FormFactor::Eatx),
        (" atx ", FormFactor::Atx),
    ];
    WORDS.iter().find(|(word, _)| format!(" {lower} ").contains(word)).map(|(_, form)| *form)
}

fn memory_type(name: &str) -> Option<MemoryType> {
    MemoryType::ALL.iter().copied().find(|t| name.contains(t.text()))
}

fn ram(name: &str, said: Amounts) -> Ram {
    let modules = said.modules.filter(|n| (1.0..=16.0).contains(n)).map(|n| n as u8);
    Ram {
        memory_type: memory_type(name),
        speed_mt_s: said.speed_mt_s.filter(|s| (100.0..=20_000.0).contains(s)).map(|s| s as u32),
        cas: said.cas.filter(|c| (1.0..=200.0).contains(c)).map(|c| c as u8),
        modules,
        gb_per_module: said.memory_gb.zip(modules).map(|(gb, n)| gb / f64::from(n)),
        ..Ram::default()
    }
}

fn drive(lower: &str, said: Amounts) -> Drive {
    const FORMS: [(&str, DriveForm); 6] = [
        ("m.2-2280", DriveForm::M2_2280),
        ("m.2-22110", DriveForm::M2_22110),
        ("m.2-2230", DriveForm::M2_2230),
        ("m.2-2242", DriveForm::M2_2242),
        ("2.5\"", DriveForm::Inch25),
        ("3.5\"", DriveForm::Inch35),
    ];
    let form = FORMS.iter().find(|(word, _)| lower.contains(word)).map(|(_, form)| *form);
    let nvme = lower.contains("nvme") || lower.contains("pcie");
    let rotating = lower.contains("rpm") || lower.contains("hard drive");
    let bus = match (nvme, form) {
        (true, _) => Some(DriveBus::Nvme),
        (false, Some(DriveForm::Inch25 | DriveForm::Inch35)) if !lower.contains("sas") => Some(DriveBus::Sata),
        _ => None,
    };
    let pcie_gen = lower.split("pcie ").nth(1).and_then(|t| t.chars().next()).and_then(|c| c.to_digit(10)).map(|g| g as u8);
    Drive {
        capacity_gb: said.memory_gb,
        form,
        bus,
        pcie_gen: pcie_gen.filter(|g| nvme && (1..=7).contains(g)),
        pcie_lanes: (nvme && lower.contains(" x4")).then_some(4),
        rotating: if rotating { Some(true) } else { (lower.contains("solid state") || nvme).then_some(false) },
        ..Drive::default()
    }
}

fn psu(lower: &str, said: Amounts) -> Psu {
    let efficiency = Efficiency::ALL.iter().copied().find(|e| lower.contains(&format!("80+ {}", e.text().to_lowercase())));
    let form = [(" sfx-l ", PsuForm::SfxL), (" sfx ", PsuForm::Sfx), (" atx ", PsuForm::Atx)].iter().find(|(w, _)| lower.contains(w));
    Psu { watts: said.watts.filter(|w| (1.0..=5000.0).contains(w)), efficiency, form: form.map(|(_, f)| *f), ..Psu::default() }
}

fn cooler(lower: &str, said: Amounts) -> Cooler {
    if lower.contains("liquid") || lower.contains(" aio ") {
        return Cooler { kind: Some(CoolerKind::Aio), radiator_mm: said.mm, ..Cooler::default() };
    }
    Cooler::default()
}

fn case_kind(lower: &str) -> Option<CaseKind> {
    if lower.contains("test bench") {
        Some(CaseKind::Bench)
    } else if lower.contains("tower") {
        Some(if lower.contains("mini itx") { CaseKind::SmallFormFactor } else { CaseKind::Tower })
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_amounts() {
        let kit = amounts("Example Aegis 16 GB (2 x 8 GB) DDR4-3000 CL16 Memory");
        assert_eq!((kit.memory_gb, kit.modules, kit.speed_mt_s, kit.cas), (Some(16.0), Some(2.0), Some(3000.0), Some(16.0)));
        let old = amounts("Example - Ripjaws 16GB (2 x 8GB) DDR4-3000 Memory");
        assert_eq!((old.memory_gb, old.modules), (Some(16.0), Some(2.0)));
        assert_eq!(amounts("Example 1.024 TB M.2-2280").memory_gb, Some(1024.0));
        assert_eq!(amounts("Example G2 750 W 80+ Gold").watts, Some(750.0));
        assert_eq!(amounts("Example 28 CFM 92 mm Fan").mm, Some(92.0));
        assert_eq!((cores("x 3.4 ghz 8-core processor"), clock("x 3.4 ghz 8-core processor")), (Some(8), Some(3.4)));
        assert_eq!(socket("Example X ATX LGA2011-3 Motherboard"), Some(Socket::Lga2011v3));
        assert_eq!(form_factor("example x mini itx am4 motherboard"), Some(FormFactor::MiniItx));
    }
}
