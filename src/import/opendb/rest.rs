//! Power supplies, cases and drives.

use serde_json::{Value, json};

use super::record::{Record, Rule, amounts};
use super::words;
use crate::catalog::part::{Case, Drive, Plugs, Psu};
use crate::catalog::vocab::{DriveBus, DriveForm, Plug, PsuForm};

/// Above this, a supply has plugs for processor and card (parts of the data set below it are office supplies with fixed leads).
const SMALL_PSU_W: f64 = 450.0;
/// From here on, supplies have more than one plug for cards.
const LARGE_PSU_W: f64 = 850.0;

pub(super) fn psu(r: &mut Record<'_>) -> Psu {
    let watts = r.number(&["wattage"], "watts");
    let form = r.text(&["form_factor"]).and_then(words::psu_form);
    let atx_version = named_atx(&r.lower_name());
    if let Some(version) = atx_version {
        r.correct("atx_version", Rule::Name, None, &version, "read from the name, as the record has no such field");
    }
    // ATX supplies are 140 mm deep by the design guide and some 125 mm; 86 mm is their height.
    let shortest = if form == Some(PsuForm::Atx) { 100.0 } else { 60.0 };
    Psu {
        watts,
        efficiency: r.text(&["efficiency_rating"]).and_then(words::efficiency),
        atx_version: atx_version.map(str::to_owned),
        form,
        length_mm: r.number_within(&["length"], "length_mm", shortest, 300.0, "no supply of this form has this length"),
        modular: r.text(&["modular"]).map(str::to_owned),
        plugs: plugs(r, watts),
        ..Psu::default()
    }
}

fn named_atx(lower: &str) -> Option<&'static str> {
    if lower.contains("atx 3.1") || lower.contains("atx3.1") {
        Some("3.1")
    } else if lower.contains("atx 3.0") || lower.contains("atx3.0") {
        Some("3.0")
    } else {
        None
    }
}

fn plugs(r: &mut Record<'_>, watts: Option<f64>) -> Option<Vec<Plugs>> {
    const KEYS: [(&str, Plug); 4] =
        [("pcie_6_plus_2_pin", Plug::Pcie8), ("pcie_12vhpwr", Plug::Hpwr16), ("eps_8_pin", Plug::Eps8), ("sata", Plug::Sata)];
    let field = r.get(&["connectors"])?;
    let count = |key: &str| field.get(key).and_then(Value::as_u64).and_then(|n| u8::try_from(n).ok()).filter(|n| *n <= 64).unwrap_or(0);
    let [cards, hpwr, cpu, _] = KEYS.map(|(key, _)| count(key));
    let lower = r.lower_name();
    let new_plug = ["atx 3", "atx3", "pcie 5", "pcie5", "12vhpwr", "12v-2x6"].iter().any(|word| lower.contains(word));
    let large = watts.is_none_or(|w| w > SMALL_PSU_W);
    let why = if large && cpu == 0 && cards == 0 && hpwr == 0 {
        Some((Rule::Zero, "no supply of this size has neither plugs for a processor nor for cards"))
    } else if large && cpu == 0 {
        Some((Rule::Zero, "a supply without a plug for the processor runs nothing"))
    } else if new_plug && hpwr == 0 {
        Some((Rule::Contradiction, "the name speaks of ATX 3 or PCIe 5, but no 16-pin plug is listed"))
    } else if watts.is_some_and(|w| w >= LARGE_PSU_W) && cards <= 1 {
        Some((Rule::Implausible, "supplies of this size have more than one plug for cards; kinds may have been counted, not plugs"))
    } else {
        None
    };
    if let Some((rule, why)) = why {
        r.drop("plugs", rule, field, why);
        return None;
    }
    Some(KEYS.iter().map(|(key, plug)| Plugs { plug: *plug, count: count(key) }).filter(|p| p.count > 0).collect())
}

pub(super) fn case(r: &mut Record<'_>) -> Case {
    let board_forms: Vec<_> =
        r.list(&["supported_motherboard_form_factors"]).iter().filter_map(|f| words::form_factor(f.as_str()?)).collect();
    let psu_forms: Vec<_> = r.list(&["supported_power_supply_form_factors"]).iter().filter_map(|f| words::psu_form(f.as_str()?)).collect();
    let bays = [r.raw(&["internal_3_5_bays"]), r.raw(&["internal_2_5_bays"])];
    let bay = |n: Option<f64>| n.filter(|n| (0.0..=64.0).contains(n) && n.fract() == 0.0).map(|n| n as u8);
    let [bays_35, bays_25] = if bays == [Some(0.0), Some(0.0)] {
        r.drop("bays_35", Rule::Zero, &json!(0), "no bay at all stands for unknown bays");
        [None, None]
    } else {
        bays.map(bay)
    };
    let [depth_mm, width_mm, height_mm] = sizes(r).map_or([None; 3], |s| s.map(Some));
    Case {
        kind: r.text(&["form_factor"]).and_then(words::case_kind),
        depth_mm,
        width_mm,
        height_mm,
        board_forms: (!board_forms.is_empty()).then_some(board_forms),
        expansion_slots: r.whole(&["expansion_slots"], "expansion_slots"),
        max_gpu_length_mm: r.number_within(
            &["max_video_card_length"],
            "max_gpu_length_mm",
            100.0,
            700.0,
            "no card is as short, or no case as long",
        ),
        max_cooler_height_mm: r.number_within(
            &["max_cpu_cooler_height"],
            "max_cooler_height_mm",
            20.0,
            300.0,
            "no cooler is as low, or no case as wide",
        ),
        max_psu_length_mm: r.number_within(&["max_psu_length"], "max_psu_length_mm", 60.0, 400.0, "no supply is as short or long"),
        psu_forms: (!psu_forms.is_empty()).then_some(psu_forms),
        bays_35,
        bays_25,
        ..Case::default()
    }
}

/// Depth, width and height in mm, checked against the volume in litres.
fn sizes(r: &mut Record<'_>) -> Option<[f64; 3]> {
    const FIELD: &str = "depth_mm, width_mm, height_mm";
    let sides = ["depth", "width", "height"].map(|side| r.raw(&["dimensions_mm", side]).filter(|mm| *mm > 0.0));
    let (found, was) = if let [Some(depth), Some(width), Some(height)] = sides {
        ([depth, width, height], r.get(&["dimensions_mm"])?)
    } else {
        let was = r.get(&["dimensions"])?;
        let numbers: Vec<f64> =
            was.as_str()?.split(|c: char| !c.is_ascii_digit() && c != '.').filter_map(|n| n.parse().ok()).filter(|n| *n > 0.0).collect();
        let [depth, width, height] = numbers.as_slice() else { return None };
        if *width > *depth || *width > *height {
            r.drop(FIELD, Rule::OtherMeaning, was, "the middle number is not the smallest, so the order of the three is not known");
            return None;
        }
        ([*depth, *width, *height], was)
    };
    let [depth, width, height] = found;
    if found.iter().any(|mm| !(60.0..=1500.0).contains(mm)) {
        r.drop(FIELD, Rule::OtherMeaning, was, "no case has these sizes in mm; they may be inches");
        return None;
    }
    let litres = depth * width * height / 1e6;
    let stated = r.raw(&["volume"]).filter(|v| *v > 0.0);
    if let Some(stated) = stated.filter(|v| (v / litres - 1.0).abs() > 0.10) {
        r.drop(FIELD, Rule::Contradiction, was, &format!("they make {litres:.1} litres, the record says {stated}"));
        return None;
    }
    Some(found)
}

pub(super) fn drive(r: &mut Record<'_>) -> Drive {
    let interface = r.text(&["interface"]).unwrap_or_default().to_owned();
    let nvme = r.get(&["nvme"]).and_then(Value::as_bool);
    let bus = if interface.contains("SATA") {
        Some(DriveBus::Sata)
    } else if interface.contains("SAS") {
        Some(DriveBus::Sas)
    } else if interface.contains("U.2") || nvme == Some(true) && interface.contains("PCIe") {
        Some(DriveBus::Nvme)
    } else {
        None
    };
    let (pcie_gen, pcie_lanes) = if interface.contains("PCIe") { words::link(&interface) } else { (None, None) };
    let form = if interface.contains("U.2") { Some(DriveForm::U2) } else { r.text(&["form_factor"]).and_then(words::drive_form) };
    let rotating = r.text(&["storage_type"]).or_else(|| r.text(&["type"])).and_then(|t| match t {
        "HDD" | "SSHD" => Some(true),
        "SSD" => Some(false),
        _ => None,
    });
    Drive { capacity_gb: capacity(r), form, bus, pcie_gen, pcie_lanes, rotating, ..Drive::default() }
}

fn capacity(r: &mut Record<'_>) -> Option<f64> {
    let own = r.number(&["capacity"], "capacity_gb")?;
    let named = amounts(&r.name, &[("tb", 1000.0), ("gb", 1.0)]);
    if let [named] = named.as_slice()
        && (named / own - 1.0).abs() > 0.08
        && *named >= 8.0
    {
        r.correct("capacity_gb", Rule::Name, Some(&json!(own)), named, "the name says another capacity");
        return Some(*named);
    }
    Some(own)
}
