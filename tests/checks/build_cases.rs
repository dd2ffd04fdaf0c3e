//! Real builds that people reported, reduced to the facts that count: the checks say of each what its owner found out.

use super::bench::{self, Kit, Rig, assemble, sound};
use rigbay::catalog::part::{Gpu, PartKind, Plugs, Radiator};
use rigbay::catalog::vocab::{ConnectorKind, CoolerKind, Edge, Plug};
use rigbay::checks::finding::{Finding, Verdict};
use serde_json::Value;

/// Reads a vocabulary word or list as the catalog spells it.
fn word<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).expect("a word of the catalog")
}

fn plugs(value: &Value) -> Option<Vec<Plugs>> {
    let map = value.as_object()?;
    Some(
        map.iter()
            .map(|(kind, n)| Plugs { plug: word::<Plug>(&Value::from(kind.as_str())), count: n.as_u64().expect("a count") as u8 })
            .collect(),
    )
}

fn card(gpu: &mut Gpu, facts: &Value) {
    let number = |key: &str| facts[key].as_f64();
    let text = |key: &str| facts[key].as_str().map(str::to_owned);
    gpu.tdp_w = number("tdp_w").or(gpu.tdp_w);
    gpu.length_mm = number("length_mm").or(gpu.length_mm);
    gpu.height_mm = number("height_mm").or(gpu.height_mm);
    gpu.slots = number("slots").or(gpu.slots);
    gpu.thickness_mm = number("thickness_mm").or(if facts["slots"].is_null() { gpu.thickness_mm } else { None });
    gpu.memory_gb = number("memory_gb").or(gpu.memory_gb);
    gpu.segment = text("segment").or(gpu.segment.take());
    gpu.p2p = text("p2p").or(gpu.p2p.take());
    gpu.compute_capability = text("compute").or(gpu.compute_capability.take());
    gpu.last_cuda = text("last_cuda").or(gpu.last_cuda.take());
    gpu.plugs = plugs(&facts["plugs"]).or(gpu.plugs.take());
    if let Some(kind) = facts["cooler"].as_str() {
        gpu.cooler = Some(word(&Value::from(kind)));
    }
}

/// The board's slots: as many as there are cards, by default far apart.
fn board(kit: &mut Kit, rig: &Value, cards: usize) {
    let places: Vec<u64> = match rig["openings"].as_array() {
        Some(list) => list.iter().filter_map(Value::as_u64).collect(),
        None => (0..cards as u64).map(|n| n * 4 + 1).collect(),
    };
    let from = |n: usize| rig["slots"][n].as_str().unwrap_or("cpu").to_owned();
    let slots = places
        .iter()
        .enumerate()
        .map(|(n, opening)| bench::connector(&format!("S{}", n + 1), ConnectorKind::Pcie, 16, &from(n), Some(*opening as u8)));
    let slots: Vec<_> = slots.collect();
    let host = kit.board("board");
    host.connectors.retain(|c| c.kind != ConnectorKind::Pcie);
    host.connectors.extend(slots);
    let facts = &rig["board"];
    if !facts["form"].is_null() {
        host.form_factor = Some(word(&facts["form"]));
    }
    host.depth_mm = facts["depth_mm"].as_f64().or(host.depth_mm);
    host.eps_plugs = facts["eps_plugs"].as_u64().map(|n| n as u8).or(host.eps_plugs);
    host.ecc = facts["ecc"].as_bool().or(host.ecc);
}

fn case(kit: &mut Kit, facts: &Value) {
    let case = kit.case("case");
    let number = |key: &str| facts[key].as_f64();
    case.max_gpu_length_mm = number("max_gpu_length_mm").or(case.max_gpu_length_mm);
    case.max_gpu_length_radiator_mm = number("max_gpu_length_radiator_mm").or(case.max_gpu_length_radiator_mm);
    case.max_cooler_height_mm = number("max_cooler_height_mm").or(case.max_cooler_height_mm);
    case.max_psu_length_mm = number("max_psu_length_mm").or(case.max_psu_length_mm);
    case.expansion_slots = facts["expansion_slots"].as_u64().map(|n| n as u8).or(case.expansion_slots);
    if facts.get("max_board_depth_mm").is_some() {
        case.max_board_depth_mm = number("max_board_depth_mm");
    }
    if !facts["board_forms"].is_null() {
        case.board_forms = Some(word(&facts["board_forms"]));
    }
    if let Some(sides) = facts["radiators"].as_object() {
        let side = |(edge, sizes): (&String, &Value)| Radiator { edge: word::<Edge>(&Value::from(edge.as_str())), sizes_mm: word(sizes) };
        case.radiators = Some(sides.iter().map(side).collect());
    }
}

fn cooler(kit: &mut Kit, facts: &Value) {
    if let Some(mm) = facts["radiator_mm"].as_f64() {
        kit.instead("cooler", "aio");
        kit.cooler("aio").radiator_mm = Some(mm);
        if let Some(side) = facts["side"].as_str() {
            kit.set("aio", "radiator", side);
        }
        return;
    }
    let cooler = kit.cooler("cooler");
    assert_eq!(cooler.kind, Some(CoolerKind::Tower));
    cooler.height_mm = facts["height_mm"].as_f64().or(cooler.height_mm);
    cooler.ram_clearance_mm = facts["ram_clearance_mm"].as_f64().or(cooler.ram_clearance_mm);
}

fn supply(kit: &mut Kit, facts: &Value) {
    let psu = kit.psu("psu");
    psu.watts = facts["watts"].as_f64().or(psu.watts);
    psu.atx_version = facts["atx"].as_str().map(str::to_owned).or(psu.atx_version.take());
    psu.length_mm = facts["length_mm"].as_f64().or(psu.length_mm);
    psu.plugs = plugs(&facts["plugs"]).or(psu.plugs.take());
    if let Some(n) = facts["count"].as_u64() {
        kit.case("case").psu_count = Some(n as u8);
        for n in 2..=n {
            kit.seat("psu", &format!("rig/psu{n}"));
        }
    }
}

/// The rig of a case: the sound one with the reported facts in place of its own.
fn rig(facts: &Value) -> Rig {
    bench::rig(|kit| {
        cards(kit, facts);
        case(kit, &facts["case"]);
        cooler(kit, &facts["cooler"]);
        supply(kit, &facts["psu"]);
        kit.ram("ram").height_mm = facts["ram"]["height_mm"].as_f64().or(kit.ram("ram").height_mm);
        if !facts["ram"]["module_type"].is_null() {
            kit.ram("ram").module_type = Some(word(&facts["ram"]["module_type"]));
        }
        if let Some(volts) = facts["room"]["volts"].as_f64() {
            kit.project.room.mains_v = volts;
            kit.project.room.circuit_a = facts["room"]["amps"].as_f64().expect("amps");
        }
        if let Some(watts) = facts["cpu_w"].as_f64() {
            kit.cpu("cpu").tdp_w = Some(watts);
        }
        if let Some(watts) = facts["other_w"].as_f64() {
            other(kit, watts);
        }
    })
}

/// Places the reported cards, one after the other; one card on a riser if there is one.
fn cards(kit: &mut Kit, facts: &Value) {
    kit.drop("gpu");
    let one = vec![Value::Object(serde_json::Map::new())];
    let reported = facts["cards"].as_array().unwrap_or(&one);
    let times = |card: &Value| card["count"].as_u64().unwrap_or(1) as usize;
    let each: Vec<&Value> = reported.iter().flat_map(|card| std::iter::repeat_n(card, times(card))).collect();
    board(kit, facts, each.len());
    for (n, facts) in each.into_iter().enumerate() {
        let name = format!("card {}", n + 1);
        let mut gpu = kit.gpu("gpu").clone();
        card(&mut gpu, facts);
        kit.parts.insert(name.clone(), bench::part(&name, 800.0, PartKind::Gpu(gpu)));
        kit.seat(&name, &format!("board/S{}", n + 1));
        if let Some(limit) = facts["limit_w"].as_f64() {
            kit.set(&name, "power_limit_w", &limit.to_string());
        }
    }
    if let Some(generation) = facts["riser_gen"].as_u64() {
        kit.riser("riser").pcie_gen = Some(generation as u8);
        kit.drop("card 1");
        kit.seat("riser", "board/S1");
        kit.seat("card 1", "riser/end");
    }
}

/// Tunes the drive so that all but CPU and cards draw that many watts.
fn other(kit: &mut Kit, watts: f64) {
    kit.drive("drive").power_w = Some(0.0);
    let bare = {
        let mut probe = sound();
        probe.drop("gpu");
        probe.drive("drive").power_w = Some(0.0);
        probe.cpu("cpu").tdp_w = Some(0.0);
        let rig = assemble(probe);
        rigbay::analysis::facts(&rig.catalog, &rig.project, rigbay::analysis::Effort::Live).power.typical_w
    };
    kit.drive("drive").power_w = Some((watts - bare).max(0.0));
}

fn verdict(text: &str) -> Verdict {
    match text {
        "pass" => Verdict::Pass,
        "fail" => Verdict::Fail,
        "unknown" => Verdict::Unknown,
        other => panic!("{other}"),
    }
}

/// Says what is wrong with the answer, if anything is.
fn differs(expected: &Value, findings: &[Finding]) -> Option<String> {
    let rule = expected["rule"].as_str().expect("a rule");
    let wanted = verdict(expected["verdict"].as_str().expect("a verdict"));
    let of_rule: Vec<&Finding> = findings.iter().filter(|f| f.rule == rule).collect();
    let Some(finding) = of_rule.iter().find(|f| f.verdict == wanted) else { return Some(format!("{rule}: {of_rule:#?}")) };
    if wanted == Verdict::Pass && of_rule.iter().any(|f| f.verdict != Verdict::Pass) {
        return Some(format!("{rule} does not pass everywhere: {of_rule:#?}"));
    }
    if let Some(severity) = expected["severity"].as_str()
        && severity != finding.severity.text()
    {
        return Some(format!("{rule} is a {}, expected a {severity}: {}", finding.severity.text(), finding.message));
    }
    let numbers = expected["numbers"].as_object().into_iter().flatten();
    let mut off = numbers.filter_map(|(key, value)| {
        let (want, got) = (value.as_f64()?, finding.numbers.get(key.as_str()).copied().unwrap_or(f64::NAN));
        let close = (got - want).abs() <= (want.abs() * 0.005).max(0.5);
        (!close).then(|| format!("{rule}: {key} is {got}, expected {want}"))
    });
    off.next()
}

#[test]
fn the_checks_agree_with_reported_builds() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../data/build_cases.json")).expect("cases are JSON");
    assert!(rows.len() >= 30);
    let mut wrong = Vec::new();
    for row in &rows {
        let findings = rig(&row["rig"]).findings();
        assert!(row["sources"].as_array().is_some_and(|s| !s.is_empty()), "{row} has no source");
        for expected in row["expect"].as_array().expect("expectations") {
            wrong.extend(differs(expected, &findings).map(|text| format!("{} {}", row["id"], text)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
