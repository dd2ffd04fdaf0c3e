//! Boards, processors, memory, coolers and fans.

use serde_json::{Value, json};

use super::record::{Record, Rule};
use super::words;
use crate::catalog::part::{Board, Connector, Cooler, Cpu, Fan, Ram};
use crate::catalog::vocab::{ConnectorKind, CoolerKind, ModuleType, Socket};

/// More M.2 sockets than any board has: the list holds each twice.
const MOST_M2: usize = 7;
/// Slots of one kind at most.
const MOST_SLOTS: u64 = 8;
/// Least that a DDR4 or DDR5 platform takes, GB. What is below was written in TB.
const LEAST_MAX_GB: f64 = 16.0;

pub(super) fn board(r: &mut Record<'_>) -> Board {
    let memory_type = r.text(&["memory", "ram_type"]).and_then(words::memory_type);
    let mut connectors = slots(r);
    connectors.extend(m2_sockets(r));
    let sata = [&["storage_devices", "sata_6_gb_s"], &["storage_devices", "sata_3_gb_s"]].map(|path| r.raw(path));
    let sata_ports = match sata {
        [None, None] => None,
        [six, three] => {
            let sum = six.unwrap_or(0.0) + three.unwrap_or(0.0);
            if sum == 0.0 {
                r.drop("sata_ports", Rule::Zero, &json!(0), "0 stands for unknown");
            }
            (1.0..=64.0).contains(&sum).then_some(sum as u8)
        }
    };
    Board {
        socket: r.text(&["socket"]).and_then(words::socket),
        chipset: r.text(&["chipset"]).map(str::to_owned),
        form_factor: r.text(&["form_factor"]).and_then(words::form_factor),
        memory_type,
        dimm_slots: r.whole(&["memory", "slots"], "dimm_slots"),
        memory_max_gb: max_memory(r, &["memory", "max"]),
        ecc: r.yes(&["ecc_support"]),
        sata_ports,
        eps_plugs: eps_plugs(r),
        lan: lan(r),
        connectors,
        ..Board::default()
    }
}

fn max_memory(r: &mut Record<'_>, path: &[&str]) -> Option<f64> {
    let gb = r.number(path, "memory_max_gb")?;
    let modern = |t: &str| matches!(t, "DDR4" | "DDR5");
    let types =
        r.text(&["memory", "ram_type"]).into_iter().chain(r.list(&["specifications", "memory", "types"]).iter().filter_map(Value::as_str));
    if gb < LEAST_MAX_GB && types.into_iter().any(modern) {
        r.drop("memory_max_gb", Rule::OtherMeaning, &json!(gb), "no platform takes as little; it may be TB");
        return None;
    }
    Some(gb)
}

/// Card slots: how long, but not how many lanes are wired, where they hang, or in which order they come: the records do not tell.
fn slots(r: &mut Record<'_>) -> Vec<Connector> {
    let cap = r.text(&["socket"]).and_then(words::newest_gen);
    let mut out = Vec::new();
    for slot in r.list(&["pcie_slots"]) {
        let size = slot.get("lanes").and_then(Value::as_u64).and_then(|n| u8::try_from(n).ok());
        let Some(size) = size.filter(|n| matches!(n, 1 | 2 | 4 | 8 | 16)) else {
            r.drop("connectors", Rule::Zero, slot, "a slot without lanes is none");
            continue;
        };
        let quantity = slot.get("quantity").and_then(Value::as_u64).unwrap_or(1);
        if quantity > MOST_SLOTS {
            r.drop("connectors", Rule::Implausible, slot, "no board has as many slots of one kind");
            continue;
        }
        let own = slot.get("gen").and_then(Value::as_str).and_then(|g| g.chars().next()).and_then(|c| c.to_digit(10)).map(|g| g as u8);
        let r#gen = capped(r, own.filter(|g| (1..=7).contains(g)), cap, slot);
        for _ in 0..quantity {
            let label = format!("PCIe slot {} (x{size})", out.len() + 1);
            let wired = (size == 1).then_some(1);
            out.push(Connector { size: Some(size), ..Connector::new(label, ConnectorKind::Pcie, wired, r#gen) });
        }
    }
    out
}

fn capped(r: &mut Record<'_>, own: Option<u8>, cap: Option<u8>, was: &Value) -> Option<u8> {
    match (own, cap) {
        (Some(own), Some(cap)) if own > cap => {
            let why = format!("nothing for socket {} has PCIe {own}.0", r.text(&["socket"]).unwrap_or("of this board"));
            r.correct("connectors", Rule::SocketCap, Some(was), &format!("generation {cap}"), &why);
            Some(cap)
        }
        (own, _) => own,
    }
}

fn m2_sockets(r: &mut Record<'_>) -> Vec<Connector> {
    let cap = r.text(&["socket"]).and_then(words::newest_gen);
    // Key E is for wireless cards.
    let list: Vec<&Value> = r.list(&["m2_slots"]).iter().filter(|s| s.get("key").and_then(Value::as_str) != Some("E")).collect();
    if list.len() > MOST_M2 {
        r.drop("connectors", Rule::Repeated, &json!(format!("{} M.2 sockets", list.len())), "no board has as many M.2 sockets");
        return Vec::new();
    }
    let mut out = Vec::new();
    for (n, socket) in list.iter().enumerate() {
        let text = socket.get("interface").and_then(Value::as_str).unwrap_or_default();
        let (own, lanes) = words::link(text);
        let r#gen = capped(r, own, cap, socket);
        let mut connector = Connector::new(format!("M.2 socket {}", n + 1), ConnectorKind::M2, lanes.filter(|l| *l <= 4), r#gen);
        connector.sata = text.to_lowercase().contains("sata").then_some(true);
        connector.max_length_mm = socket.get("size").and_then(Value::as_str).and_then(longest_m2);
        out.push(connector);
    }
    out
}

/// "2242/2260/2280" is 80 mm.
fn longest_m2(text: &str) -> Option<u16> {
    let sizes = text.split(|c: char| !c.is_ascii_digit()).filter_map(|size| size.get(2..)?.parse().ok());
    sizes.filter(|mm| (16..=110).contains(mm)).max()
}

fn eps_plugs(r: &Record<'_>) -> Option<u8> {
    let list = r.list(&["power_connectors", "cpu_power"]);
    let eight = list.iter().filter_map(Value::as_str).filter(|t| t.contains('8')).count();
    u8::try_from(eight).ok().filter(|n| (1..=8).contains(n))
}

fn lan(r: &Record<'_>) -> Option<String> {
    let ports = r.list(&["onboard_ethernet"]).iter().take(8).filter_map(|port| {
        let word = |key: &str| port.get(key).and_then(Value::as_str).map(super::record::clean).filter(|t| !t.is_empty());
        let words: Vec<String> = [word("speed"), word("controller")].into_iter().flatten().collect();
        (!words.is_empty()).then(|| words.join(" "))
    });
    let text = ports.collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then_some(text)
}

pub(super) fn cpu(r: &mut Record<'_>) -> Cpu {
    let types = r.list(&["specifications", "memory", "types"]).iter().filter_map(|t| words::memory_type(t.as_str()?));
    let types: Vec<_> = types.collect();
    let graphics = r.text(&["specifications", "integratedGraphics", "model"]).map(|model| model != "None");
    Cpu {
        socket: r.text(&["socket"]).and_then(words::socket),
        cores: r.whole(&["cores", "total"], "cores"),
        threads: r.whole(&["cores", "threads"], "threads"),
        base_ghz: r.number(&["clocks", "performance", "base"], "base_ghz"),
        boost_ghz: r.number(&["clocks", "performance", "boost"], "boost_ghz"),
        tdp_w: r.number(&["specifications", "tdp"], "tdp_w"),
        max_turbo_w: r.number(&["specifications", "ppt"], "max_turbo_w"),
        memory_types: (!types.is_empty()).then_some(types),
        memory_channels: r.whole(&["specifications", "memory", "channels"], "memory_channels"),
        memory_max_gb: max_memory(r, &["specifications", "memory", "maxSupport"]),
        ecc: r.yes(&["specifications", "eccSupport"]),
        graphics,
        ..Cpu::default()
    }
}

pub(super) fn ram(r: &mut Record<'_>) -> Ram {
    let modules = r.whole::<u8>(&["modules", "quantity"], "modules");
    let mut each = r.number(&["modules", "capacity_gb"], "gb_per_module");
    if let (Some(n), Some(gb), Some(all)) = (modules, each, r.raw(&["capacity"]))
        && all > 0.0
        && all != gb * f64::from(n)
    {
        r.drop("gb_per_module", Rule::Contradiction, &json!(gb), &format!("{n} modules of {gb} GB are not {all} GB"));
        each = None;
    }
    let (module_type, ecc) = module(r);
    Ram {
        memory_type: r.text(&["ram_type"]).and_then(words::memory_type),
        module_type,
        speed_mt_s: r.whole(&["speed"], "speed_mt_s"),
        cas: r.whole(&["cas_latency"], "cas"),
        modules,
        gb_per_module: each,
        ecc,
        height_mm: r.number(&["height"], "height_mm"),
        voltage_v: r.number(&["voltage"], "voltage_v"),
    }
}

/// Build of the modules and whether they correct errors. The tags call nearly everything plain, so words of the name win over them.
fn module(r: &mut Record<'_>) -> (Option<ModuleType>, Option<bool>) {
    let lower = r.lower_name();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
    let has = |word: &str| words.contains(&word);
    let small = r.text(&["form_factor"]).is_some_and(|f| f.contains("SO-DIMM"));
    let (tagged_ecc, tagged) = (r.text(&["ecc"]) == Some("ECC"), r.text(&["registered"]));
    let plain = !tagged_ecc && !matches!(tagged, Some("Registered" | "Load Reduced"));
    let named = if has("lrdimm") || lower.contains("load reduced") {
        Some((Some(ModuleType::Lrdimm), Some(true)))
    } else if has("rdimm") || has("registered") {
        Some((Some(ModuleType::Rdimm), Some(true)))
    } else if has("ecc") && !lower.contains("non-ecc") && !lower.contains("non ecc") {
        Some((if small { Some(ModuleType::Sodimm) } else { Some(ModuleType::EccUdimm) }, Some(true)))
    } else if has("server") {
        Some((None, None))
    } else {
        None
    };
    match named {
        Some((kind, ecc)) if plain => {
            let tag = json!(format!("{}, {}", r.text(&["ecc"]).unwrap_or("no word on ECC"), tagged.unwrap_or("no word on registers")));
            match kind {
                Some(kind) => r.correct("module_type", Rule::Name, Some(&tag), &kind, "the name says so"),
                None => r.drop("module_type", Rule::Name, &tag, "the name says server memory, which has ECC and may be registered"),
            }
            let now = ecc.map(|e| e.to_string());
            r.change("ecc", Rule::Name, r.text(&["ecc"]).map(str::to_owned), now, "the name says so");
            (kind, ecc)
        }
        _ => {
            let kind = match (tagged, tagged_ecc) {
                (Some("Load Reduced"), _) => Some(ModuleType::Lrdimm),
                (Some("Registered"), _) => Some(ModuleType::Rdimm),
                (Some("Unbuffered"), _) if small => Some(ModuleType::Sodimm),
                (Some("Unbuffered"), true) => Some(ModuleType::EccUdimm),
                (Some("Unbuffered"), false) if has("cudimm") => Some(ModuleType::Cudimm),
                (Some("Unbuffered"), false) => Some(ModuleType::Udimm),
                _ => None,
            };
            (kind, r.text(&["ecc"]).map(|e| e == "ECC"))
        }
    }
}

/// Radiators as sold: of one to four fans of 120 or 140 mm, and the small ones of 80 and 92 mm.
const RADIATORS: [f64; 10] = [80.0, 92.0, 120.0, 140.0, 160.0, 240.0, 280.0, 360.0, 420.0, 480.0];

pub(super) fn cooler(r: &mut Record<'_>) -> Cooler {
    let liquid = r.get(&["water_cooled"]).and_then(Value::as_bool);
    let sockets: Vec<Socket> = {
        let mut list: Vec<Socket> = r.list(&["cpu_sockets"]).iter().filter_map(|s| words::socket(s.as_str()?)).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    let sockets = (!sockets.is_empty()).then_some(sockets);
    if liquid == Some(true) {
        if let Some(height) = r.get(&["height"]) {
            r.drop("height_mm", Rule::OtherMeaning, height, "of a liquid cooler it is the pump's height, the radiator's thickness or both");
        }
        return Cooler { kind: Some(CoolerKind::Aio), radiator_mm: radiator(r), sockets, ..Cooler::default() };
    }
    let height_mm = r.number_within(&["height"], "height_mm", 20.0, 200.0, "no air cooler has this height");
    // A tower by its height (towers begin at about 100 mm, low coolers end at about 80); which kind of tower is not told.
    let kind = match (liquid, height_mm) {
        (Some(false), Some(mm)) if mm <= 80.0 => Some(CoolerKind::LowProfile),
        (Some(false), Some(mm)) if mm >= 100.0 => Some(CoolerKind::Tower),
        _ => None,
    };
    Cooler { kind, height_mm, sockets, ..Cooler::default() }
}

fn radiator(r: &mut Record<'_>) -> Option<f64> {
    let own = r.number(&["radiator_size"], "radiator_mm")?;
    if RADIATORS.contains(&own) {
        return Some(own);
    }
    let named: Vec<f64> = super::record::amounts(&r.name, &[("mm", 1.0)]).into_iter().filter(|mm| RADIATORS.contains(mm)).collect();
    if let [named] = named.as_slice() {
        r.correct("radiator_mm", Rule::Name, Some(&json!(own)), named, "no radiator has this size, and the name says another");
        return Some(*named);
    }
    r.drop("radiator_mm", Rule::Implausible, &json!(own), "no radiator has this size");
    None
}

/// A cubic foot a minute in m³/h, and a millimetre of water in Pa (exact by definition).
const CFM: f64 = 1.699_010_795_52;
const MM_WATER: f64 = 9.806_65;

pub(super) fn fan(r: &mut Record<'_>) -> Fan {
    let size_mm = r.number_within(&["size"], "size_mm", 30.0, 250.0, "no case fan has this size");
    let best = |r: &mut Record<'_>, high: &str, low: &str, field: &str| {
        // One value stands in the lower field where there is no range.
        if r.raw(&[high]).is_some_and(|v| v > 0.0) { r.number(&[high], field) } else { r.number(&[low], field) }
    };
    let airflow = best(r, "max_airflow", "min_airflow", "airflow_m3_h");
    Fan {
        size_mm,
        airflow_m3_h: airflow.map(|cfm| round(cfm * CFM, 1)),
        pressure_pa: r.number(&["static_pressure"], "pressure_pa").map(|mm| round(mm * MM_WATER, 2)),
        noise_dba: best(r, "max_noise_level", "min_noise_level", "noise_dba"),
        ..Fan::default()
    }
}

fn round(value: f64, digits: i32) -> f64 {
    let scale = libm::pow(10.0, f64::from(digits));
    (value * scale).round() / scale
}
