//! Parts lists as pasted and tables of the user's own: items find their parts, the others become placeholders, rigs are assembled, and what
//! is written is a sound part of the catalog.

use std::collections::BTreeMap;

use assert_cmd::Command;
use rigbay::catalog::folder::load_all;
use rigbay::catalog::part::{PartId, PartKind};
use rigbay::catalog::vocab::Confidence;
use rigbay::catalog::{Catalog, Copies};
use rigbay::import::own_parts::{Draft, missing_report, save, table};
use rigbay::import::parts_list::{How, read};
use rigbay::project::Project;
use rigbay::search::assemble::assemble;
use serde_json::Value;

const DAY: &str = "2026-11-30";

fn program() -> Catalog {
    load_all(None).0
}

/// Every row a part that the program knows, but for the case, the monitor and one card.
const LIST: &str = r#"[Part List](https://example.com/list/abc)

Type|Item|Price
:----|:----|:----
**CPU** | [AMD Ryzen 9 7950X 4.5 GHz 16-Core Processor](https://example.com/product/a/amd-ryzen-9-7950x-45-ghz-16-core-processor-100-100000514wof) | $500.00 @ Shop
**Memory** | [Example Blocks 64 GB (2 x 32 GB) DDR5-6000 CL30 Memory](https://example.com/product/b/example-blocks) | Purchased For $0.00
**Video Card** | [NVIDIA Founders Edition GeForce RTX 3090 24 GB Video Card](https://example.com/product/c/nvidia) | -
**Video Card** | [Example Whirl GeForce RTX 3090 24 GB Video Card](https://example.com/product/d/example) | -
**Case** | [Example Tall ATX Mid Tower Case](https://example.com/product/e/example-tall) |
**Power Supply** | [Corsair AX1600i 1600 W 80+ Titanium Certified Fully Modular ATX Power Supply](https://example.com/product/f/corsair-ax1600i-cp-9020087-na) |
**Storage** | [Example Quick 2 TB M.2-2280 PCIe 4.0 X4 NVME Solid State Drive](https://example.com/product/g/quick) |
**Case Fan** | [Example Breeze 60 CFM 120 mm Fans 3-Pack](https://example.com/product/h/breeze) |
**Monitor** | [Example View 27.0" 2560x1440 Monitor](https://example.com/product/i/view) |
 | **Total** | **$500.00**
"#;

#[test]
fn items_find_their_parts_and_the_others_become_placeholders() {
    let catalog = program();
    let list = read(&catalog, LIST, DAY).unwrap();
    let how: Vec<How> = list.lines.iter().map(|l| l.how).collect();
    use How::{LeftOut, Name, PartNumber, Placeholder};
    assert_eq!(how[0], Name, "{:?}", list.lines[0]);
    assert_eq!(list.lines[0].part.as_ref().unwrap().as_str(), "cpu.amd.ryzen-9-7950x");
    assert!(matches!(how[2], Name), "{:?}", list.lines[2]);
    assert!(matches!(how[5], Name | PartNumber), "{:?}", list.lines[5]);
    assert_eq!(
        [how[1], how[3], how[4], how[6], how[7], how[8]],
        [Placeholder, Placeholder, Placeholder, Placeholder, Placeholder, LeftOut]
    );
    assert_eq!((list.lines[7].count, list.matched()), (3, (3, 8)));
    let placeholder = |n: usize| {
        let id = list.lines[n].part.as_ref().unwrap();
        list.placeholders.iter().find(|p| p.id == *id).unwrap()
    };
    let PartKind::Gpu(card) = &placeholder(3).kind else { panic!() };
    // What the product decides is known, what the maker decides is not.
    assert_eq!((card.product.as_deref(), card.memory_gb), (Some("GeForce RTX 3090"), Some(24.0)));
    assert!(card.bandwidth_gb_s.is_some() && card.length_mm.is_none() && card.plugs.is_none() && card.tdp_w.is_none());
    let PartKind::Ram(kit) = &placeholder(1).kind else { panic!() };
    assert_eq!((kit.modules, kit.gb_per_module, kit.speed_mt_s, kit.cas, kit.ecc), (Some(2), Some(32.0), Some(6000), Some(30), None));
    let PartKind::Drive(drive) = &placeholder(6).kind else { panic!() };
    assert_eq!((drive.capacity_gb, drive.pcie_gen, drive.rotating), (Some(2000.0), Some(4), Some(false)));
    for part in &list.placeholders {
        assert!(part.from.values().all(|o| part.sources.contains_key(&o.source)), "{part:?}");
    }
}

#[test]
fn another_model_is_never_taken_for_the_one_named() {
    let catalog = program();
    let part = |kind: &str, name: &str| {
        let list = read(&catalog, &format!("{kind}: {name}"), DAY).unwrap();
        (list.lines[0].how, list.lines[0].part_name.clone().unwrap())
    };
    for (kind, name) in [
        ("CPU", "AMD Ryzen 9 7951X 4.5 GHz 16-Core Processor"),
        ("Video Card", "NVIDIA Founders Edition GeForce RTX 3099 24 GB Video Card"),
        ("Video Card", "NVIDIA Founders Edition GeForce RTX 3090 48 GB Video Card"),
        ("Power Supply", "Corsair AX1600i 1200 W 80+ Titanium Certified Fully Modular ATX Power Supply"),
        ("Motherboard", "Example Unknown ATX AM5 Motherboard"),
    ] {
        assert_eq!(part(kind, name).0, How::Placeholder, "{name}: {:?}", part(kind, name));
    }
    assert!(read(&catalog, "nothing here", DAY).unwrap_err().contains("No part was found"));
}

#[test]
fn the_rig_is_assembled_into_places() {
    let catalog = program();
    let list = read(&catalog, LIST, DAY).unwrap();
    let full = catalog.overlaid(Copies { parts: list.placeholders.clone(), rates: None });
    let mut parts: Vec<PartId> = list.lines.iter().filter_map(|l| l.part.clone()).collect();
    // The board comes last in the list and is still placed first.
    let board = catalog
        .parts()
        .find(|p| matches!(&p.kind, PartKind::Board(b) if b.socket.is_some_and(|s| s.text() == "AM5") && !p.generic))
        .unwrap();
    parts.push(board.id.clone());
    let (project, seated) = assemble(&full, &Project::default(), &parts);
    assert_eq!(seated.len(), parts.len());
    let place = |id: &str| seated.iter().find(|s| s.part.as_str() == id).and_then(|s| s.place.clone());
    assert_eq!(place("cpu.amd.ryzen-9-7950x").as_deref(), Some("CPU socket"));
    assert!(place(board.id.as_str()).is_some() && place("psu.corsair.ax1600i").is_some());
    let cards = seated.iter().filter(|s| s.part.as_str().starts_with("gpu.") && s.place.is_some()).count();
    assert!(cards >= 1, "{seated:?}");
    // A case of which no mounts are known has no place for fans.
    assert!(project.rig.tray(&full).any(|(_, p)| p.id.as_str().starts_with("fan.list.")));
}

#[test]
fn the_command_makes_a_rig_of_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.md");
    std::fs::write(&list, LIST).unwrap();
    let rig = folder.path().join("rig.toml");
    let rigbay = || Command::new(assert_cmd::cargo::cargo_bin!("rigbay"));
    let done = rigbay().args(["import", "list"]).arg(&list).arg("-o").arg(&rig).arg("--json").assert().success();
    let json: Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    assert_eq!((&json["parts"], &json["matched"], &json["placeholders"]), (&Value::from(8), &Value::from(3), &Value::from(5)));
    assert_eq!(json["items"][0]["how"], "name");
    rigbay().arg("report").arg(&rig).assert().success();
    std::fs::write(&list, b"\xff\xfe").unwrap();
    let bad = rigbay().args(["import", "list"]).arg(&list).arg("-o").arg(&rig).assert().code(2);
    assert!(String::from_utf8_lossy(&bad.get_output().stderr).contains("is not UTF-8 text"));
}

// ---- tables and forms ----

#[test]
fn a_table_of_parts_becomes_a_file_of_the_catalog() {
    let catalog = program();
    let text = "kind,name,part_number,watts,length_mm,plugs,source,confidence\n\
        # hints,are,skipped,,,,,\n\
        psu,Example Works P850,P-850,850,160,\"4 x PCIe 8-pin; 2 x EPS 8-pin\",Data sheet of the P850,maker\n\
        psu,Example Works P9,,'-5,160,,,\n\
        psu,Example Works P10,,long,160,3 x Schuko,,\n\
        lamp,Example Works L1,,,,,,\n\
        psu,,,,,,,\n";
    let (parts, faults) = table::read(&catalog, text, DAY).unwrap();
    let [one] = parts.as_slice() else { panic!("{parts:?}") };
    assert_eq!((one.id.as_str(), one.confidence("watts")), ("psu.own.example-works-p850", Some(Confidence::Maker)));
    let shown: Vec<String> = faults.iter().map(ToString::to_string).collect();
    for (start, part) in [
        ("line 4: Example Works P9: watts: ", "out of range"),
        ("line 5: Example Works P10: watts: ", "no number"),
        ("line 5: Example Works P10: plugs: ", "no count of plugs"),
        ("line 6: Example Works L1: kind: ", "none of: gpu"),
        ("line 7: name: ", "empty"),
    ] {
        assert!(shown.iter().any(|s| s.starts_with(start) && s.contains(part)), "{start}: {shown:#?}");
    }
    let folder = tempfile::tempdir().unwrap();
    table::save(&parts, std::path::Path::new("My parts.csv"), folder.path()).unwrap();
    let (full, faults) = load_all(Some(folder.path()));
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(
        full.part(&one.id).map(|p| (&p.kind, &p.from, &p.name)).map(|(k, f, n)| (k.clone(), f.len(), n.clone())),
        Some((one.kind.clone(), 3, one.name.clone()))
    );
    assert!(table::read(&catalog, "a,b\n1,2\n", DAY).unwrap_err().contains("no column \"kind\""));
    let semicolons = "kind;name;watts\npsu;Example Works P1;850,5\n";
    assert_eq!(table::read(&catalog, semicolons, DAY).unwrap().0.len(), 1);
}

#[test]
fn every_template_is_read_without_faults() {
    for (kind, ..) in rigbay::catalog::kinds::KINDS {
        let (parts, faults) = table::read(&program(), &table::template(kind), DAY).unwrap();
        assert!(parts.is_empty() && faults.is_empty(), "{kind}: {faults:?}");
    }
}

#[test]
fn every_part_of_the_catalog_goes_through_the_form_unchanged() {
    let catalog = program();
    for part in catalog.parts() {
        let again = Draft::of(part).part(&catalog, DAY).unwrap_or_else(|w| panic!("{}: {w:?}", part.id));
        assert_eq!(
            (&again.kind, &again.name, &again.maker, &again.part_number),
            (&part.kind, &part.name, &part.maker, &part.part_number),
            "{}",
            part.id
        );
        let origin = |p: &rigbay::catalog::part::Part| -> BTreeMap<String, _> {
            p.from.iter().map(|(f, o)| (f.clone(), (o.as_of.clone(), o.confidence, p.source_of(f).cloned()))).collect()
        };
        assert_eq!(origin(&again), origin(part), "{}", part.id);
        assert_eq!(
            (again.prices.len(), &again.life.launch, &again.life.outlook),
            (part.prices.len(), &part.life.launch, &part.life.outlook)
        );
    }
}

#[test]
fn a_changed_fact_says_where_it_is_from_and_the_others_stay() {
    let catalog = program();
    let base = catalog.part(&PartId::new("psu.corsair.ax1600i")).unwrap();
    let mut draft = Draft::of(base);
    draft.facts.insert("length_mm".to_owned(), "201".to_owned());
    draft.facts.insert("watts".to_owned(), String::new());
    (draft.source, draft.confidence) = ("Measured with a ruler".to_owned(), Confidence::Measured);
    let report = missing_report(base, Some(&draft), catalog.version());
    assert!(report.contains("length_mm = 201") && report.contains("part = \"psu.corsair.ax1600i\""), "{report}");
    assert!(toml::from_str::<toml::Table>(&report).is_ok(), "{report}");
    let part = draft.part(&catalog, DAY).unwrap();
    assert_eq!(part.source_of("length_mm").unwrap().title, "Measured with a ruler");
    assert_eq!(part.confidence("length_mm"), Some(Confidence::Measured));
    assert_eq!(part.source_of("plugs"), base.source_of("plugs"));
    assert!(!part.from.contains_key("watts"));
    let folder = tempfile::tempdir().unwrap();
    save(&part, folder.path()).unwrap();
    let (full, faults) = load_all(Some(folder.path()));
    assert!(faults.is_empty(), "{faults:?}");
    let read = full.part(&base.id).unwrap();
    assert!(matches!(&read.kind, PartKind::Psu(p) if p.length_mm == Some(201.0) && p.watts.is_none()));
    let mut wrong = Draft::new("gpu");
    wrong.facts.insert("tdp_w".to_owned(), "9000".to_owned());
    let faults: Vec<String> = wrong.part(&catalog, DAY).unwrap_err().into_iter().map(|w| w.field).collect();
    assert!(["name", "tdp_w", "source"].iter().all(|f| faults.iter().any(|w| w == f)), "{faults:?}");
}
