//! `dmidecode`, whole or by `-t baseboard -t slot -t memory -t processor`: the board's name, its slots, memory and processors.

use super::text::{Line, key_value, number};
use super::{Address, BoardName, FirmwareSlot, MANY, Module, Reading, count, processor};

/// Sections that are read, by the heading that dmidecode prints; it has no translations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Board,
    Slot,
    Memory,
    Processor,
    Other,
}

fn section(text: &str) -> Option<Section> {
    Some(match text {
        "Base Board Information" => Section::Board,
        "System Slot Information" => Section::Slot,
        "Memory Device" => Section::Memory,
        "Processor Information" => Section::Processor,
        _ if text.starts_with("Handle 0x") => Section::Other,
        _ => return None,
    })
}

pub(super) fn read(lines: &[Line<'_>], out: &mut Reading<'_>) {
    let mut now = Section::Other;
    let mut fields: Vec<(&str, &str)> = Vec::new();
    let mut sections = 0;
    for line in lines {
        let text = line.text.trim();
        if let Some(next) = section(text) {
            sections += usize::from(take(now, &fields, out));
            fields.clear();
            now = next;
        } else if text.is_empty() {
            sections += usize::from(take(now, &fields, out));
            fields.clear();
            now = Section::Other;
        } else if now != Section::Other
            && let Some(pair) = key_value(text)
        {
            fields.push(pair);
        }
    }
    sections += usize::from(take(now, &fields, out));
    if sections > 0 {
        out.found(format!("dmidecode with {}", count(sections, "section")));
    }
}

/// What firmware writes where its maker filled nothing in.
fn is_filled(value: &str) -> bool {
    const EMPTY: [&str; 8] =
        ["", "unknown", "not specified", "to be filled by o.e.m.", "default string", "none", "no dimm", "base board product name"];
    // "<BAD INDEX>", "<OUT OF SPEC>" are dmidecode's own words for what firmware got wrong.
    !value.starts_with('<') && !EMPTY.contains(&value.to_lowercase().as_str())
}

/// Uses a section; tells whether it said anything.
fn take(section: Section, fields: &[(&str, &str)], out: &mut Reading<'_>) -> bool {
    let field = |name: &str| fields.iter().find(|(key, _)| *key == name).map(|(_, value)| *value).filter(|v| is_filled(v));
    match section {
        Section::Other => false,
        _ if fields.is_empty() => false,
        Section::Board => {
            let Some(product) = field("Product Name") else { return false };
            let maker = field("Manufacturer").unwrap_or_default();
            out.found.board.get_or_insert_with(|| BoardName { maker: maker.to_owned(), product: product.to_owned() });
            true
        }
        Section::Slot => {
            let Some(label) = field("Designation") else { return false };
            let (lanes, generation) = field("Type").map_or((None, None), slot_type);
            let in_use = field("Current Usage").and_then(|u| match u {
                "In Use" => Some(true),
                "Available" => Some(false),
                _ => None,
            });
            let address = field("Bus Address").and_then(|a| Address::parse(&a.to_lowercase())).filter(|a| a.bus != 0xff);
            if out.found.slots.len() < MANY {
                out.found.slots.push(FirmwareSlot { label: label.to_owned(), lanes, r#gen: generation, in_use, address });
            }
            true
        }
        Section::Memory => {
            out.found.dimm_slots = Some(out.found.dimm_slots.unwrap_or(0).saturating_add(1));
            if let Some(module) = module(&field)
                && out.found.modules.len() < MANY
            {
                out.found.modules.push(module);
            }
            true
        }
        Section::Processor => {
            let empty = field("Status").is_some_and(|s| s.starts_with("Unpopulated"));
            let name = field("Version").filter(|_| !empty).and_then(processor::model);
            if let Some(name) = name
                && out.found.processors.len() < 8
            {
                out.found.processors.push(name);
            }
            true
        }
    }
}

/// "x16 PCI Express 4 x16", "x8 PCI Express 3", "PCI Express 5 x16", "x4 M.2 Socket 3": lanes and generation.
fn slot_type(text: &str) -> (Option<u8>, Option<u8>) {
    let lanes = text.split_whitespace().find(|w| w.starts_with('x')).and_then(super::lanes);
    let generation = text.split_once("PCI Express").and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
    (lanes, generation.filter(|g| (1..=7).contains(g)))
}

fn module<'a>(field: &impl Fn(&str) -> Option<&'a str>) -> Option<Module> {
    let size = field("Size")?;
    let amount: u64 = number(size)?;
    let size_mib = match size.split_whitespace().nth(1)? {
        "MB" | "MiB" => amount,
        "GB" | "GiB" => amount.checked_mul(1024)?,
        _ => return None,
    };
    let detail = field("Type Detail").unwrap_or_default();
    let registered = if detail.contains("Unbuffered") {
        Some(false)
    } else if detail.contains("Registered") || detail.contains("LRDIMM") {
        Some(true)
    } else {
        None
    };
    let configured = ["Configured Memory Speed", "Configured Clock Speed"].into_iter().find_map(|name| number::<u32>(field(name)?));
    let rated = field("Speed").and_then(number::<u32>);
    // Some firmware gives the clock, half the transfers, as the configured speed.
    let halved = configured.zip(rated).is_some_and(|(now, rated)| now.saturating_mul(2) <= rated.saturating_add(2));
    let speed = if halved { rated } else { configured.or(rated) };
    Some(Module {
        size_mib,
        kind: field("Type").map(str::to_owned),
        registered,
        speed_mt_s: speed,
        maker: field("Manufacturer").map(str::to_owned),
        part_number: field("Part Number").map(str::to_owned),
    })
    .filter(|m| m.size_mib > 0)
}
