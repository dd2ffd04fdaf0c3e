//! Lanes of real boards: recorded problems with the widths that a manual, a review or an owner gives.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use rigbay::analysis::Effort;
use rigbay::analysis::lanes::{Lanes, Pair, Span, lanes};
use rigbay::build::SlotId;
use rigbay::build::slots::slots;
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::part::{PartId, PartKind};
use rigbay::catalog::vocab::GpuVendor;
use rigbay::checks::finding::{Severity, Verdict};
use rigbay::project::Project;
use rigbay::project::edit::Edit;
use rigbay::report::analyze;
use rigbay::search::arrange::{Arrangement, arrange, movable};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Recorded {
    id: String,
    title: String,
    source: String,
    board: String,
    cpu: String,
    #[serde(default)]
    cpu2: Option<String>,
    put: BTreeMap<String, String>,
    bios: BTreeMap<String, String>,
    expected: BTreeMap<String, (u8, Option<u8>)>,
}

fn catalog() -> Catalog {
    let (catalog, faults) = load(&embedded_files(""));
    assert_eq!(faults, []);
    catalog
}

/// Exact id, else what the name means.
fn part(catalog: &Catalog, text: &str, kind: Option<&str>) -> PartId {
    catalog.find(text, kind).unwrap_or_else(|e| panic!("{text}: {e:?}")).id.clone()
}

fn put(catalog: &Catalog, project: &mut Project, part: &PartId, slot: SlotId) {
    *project = Edit::place(part, Some(slot)).apply(catalog, project).unwrap_or_else(|e| panic!("{part}: {e}"));
}

fn rig(catalog: &Catalog, case: &Recorded) -> Project {
    let mut project = Project::default();
    put(catalog, &mut project, &part(catalog, &case.board, Some("board")), SlotId::rig("board"));
    let board = project.rig.placements().next().unwrap().0;
    put(catalog, &mut project, &part(catalog, &case.cpu, Some("cpu")), SlotId::of(board, "cpu1"));
    if let Some(cpu2) = &case.cpu2 {
        put(catalog, &mut project, &part(catalog, cpu2, Some("cpu")), SlotId::of(board, "cpu2"));
    }
    project = more(catalog, project, case);
    for (key, value) in &case.bios {
        let edit = Edit::Set { what: board, key: format!("bios.{key}"), value: Some(value.clone()) };
        project = edit.apply(catalog, &project).unwrap();
    }
    project
}

/// Puts the parts of a case in, too.
fn more(catalog: &Catalog, mut project: Project, case: &Recorded) -> Project {
    let board = project.rig.placements().next().unwrap().0;
    for (connector, device) in &case.put {
        let on_part = connector.rsplit_once('/').and_then(|(host, inner)| {
            let host = project.rig.occupants(&SlotId::of(board, host)).next()?;
            Some(SlotId::of(host, inner))
        });
        let slot = on_part.unwrap_or_else(|| SlotId::of(board, connector));
        assert!(slots(catalog, &project.rig).iter().any(|s| s.id == slot), "{}: no connector {connector}", case.id);
        put(catalog, &mut project, &part(catalog, device, None), slot);
    }
    project
}

fn cases() -> Vec<Recorded> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/lane_cases.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn text(lanes: &Lanes) -> String {
    lanes.links.iter().map(|l| format!("  {} {} {}\n", l.connector, l.trained.text(), l.reason)).collect()
}

#[test]
fn recorded_widths_are_met_exactly() {
    let catalog = catalog();
    let mut wrong = Vec::new();
    for case in cases() {
        let rig = std::panic::catch_unwind(|| rig(&catalog, &case));
        let Ok(rig) = rig else {
            wrong.push(format!("{} cannot be built", case.id));
            continue;
        };
        let lanes = lanes(&catalog, &rig);
        for (connector, (width, generation)) in &case.expected {
            let link = lanes.at(connector).unwrap_or_else(|| panic!("{}: no connector {connector}", case.id));
            let got = (link.trained.lanes, link.trained.r#gen);
            if got != (Some(*width), *generation) {
                let (title, source) = (&case.title, &case.source);
                wrong.push(format!(
                    "{} {title} ({source}): {connector} is {got:?}, recorded {width} {generation:?}\n{}",
                    case.id,
                    text(&lanes)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A rig of a board, processors, and parts by connector.
fn made(catalog: &Catalog, board: &str, cpus: &[&str], put: &[(&str, &str)], bios: &[(&str, &str)]) -> Project {
    let owned = |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect::<Vec<_>>();
    let case = Recorded {
        id: "made".to_owned(),
        title: String::new(),
        source: String::new(),
        board: board.to_owned(),
        cpu: cpus.first().unwrap().to_string(),
        cpu2: cpus.get(1).map(ToString::to_string),
        put: BTreeMap::new(),
        bios: owned(bios).into_iter().collect(),
        expected: BTreeMap::new(),
    };
    let mut project = rig(catalog, &case);
    // In the given order: a riser before what hangs on it.
    for (connector, device) in owned(put) {
        let only = Recorded { put: [(connector, device)].into(), bios: BTreeMap::new(), ..case_of(&case) };
        project = more(catalog, project, &only);
    }
    project
}

fn case_of(case: &Recorded) -> Recorded {
    Recorded {
        id: case.id.clone(),
        title: String::new(),
        source: String::new(),
        board: case.board.clone(),
        cpu: case.cpu.clone(),
        cpu2: case.cpu2.clone(),
        put: BTreeMap::new(),
        bios: BTreeMap::new(),
        expected: BTreeMap::new(),
    }
}

fn near(got: Option<f64>, wanted: f64, what: &str) {
    let got = got.unwrap_or_else(|| panic!("{what} is unknown, measured {wanted}"));
    assert!((got - wanted).abs() <= wanted * 0.1, "{what}: {got}, measured {wanted}");
}

/// Pair of the devices in two connectors.
fn pair_at<'l>(lanes: &'l Lanes, a: &str, b: &str) -> &'l Pair {
    let device = |at: &str| lanes.at(at).and_then(|l| l.device).unwrap();
    lanes.pair(device(a), device(b)).unwrap()
}

fn topo(lanes: &Lanes, a: &str, b: &str) -> Option<String> {
    pair_at(lanes, a, b).class.map(|c| c.text())
}

/// Widths, classes and rates of pairs, as measured. Sources: noonghunna/club-3090 `docs/PCIE_P2P.md`; NVIDIA/nccl-tests issue 74;
/// local-inference-lab/rtx6kpro hardware/wrx90-cpayne-16gpu-4switch.md.
#[test]
fn pairs_reach_measured_rates() {
    let catalog = catalog();
    let card = "gpu.nvidia.rtx-3090-fe";
    // Stock driver, then patched, on Gen4 x16.
    let put = [("PCIE1", card), ("PCIE7", card)];
    let stock = lanes(&catalog, &made(&catalog, "ASRock Rack ROMED8-2T", &["EPYC 7302"], &put, &[]));
    let pair = pair_at(&stock, "PCIE1", "PCIE7");
    assert_eq!((pair.p2p, pair.class.map(|c| c.text())), (Some(false), Some("PHB".to_owned())));
    near(pair.gb_s, 11.28, "staged");
    near(pair.latency_us, 15.23, "latency staged");
    let patch = [("driver", "patched"), ("resizable_bar", "on")];
    let patched = lanes(&catalog, &made(&catalog, "ASRock Rack ROMED8-2T", &["EPYC 7302"], &put, &patch));
    let pair = pair_at(&patched, "PCIE1", "PCIE7");
    assert_eq!(pair.p2p, Some(true));
    near(pair.gb_s, 27.12, "peer");
    near(pair.both_gb_s, 54.21, "peer, both ways");
    // Three cards of which one hangs on the chipset; every link says x8 or x4, every class PHB.
    let put = [("PCI_E1", card), ("PCI_E3", card), ("PCI_E5", card)];
    let three = lanes(&catalog, &made(&catalog, "MSI MEG X570 UNIFY", &["Ryzen 9 5950X"], &put, &patch));
    near(pair_at(&three, "PCI_E1", "PCI_E3").gb_s, 13.17, "pair at the CPU");
    near(pair_at(&three, "PCI_E1", "PCI_E5").gb_s, 6.5, "pair over the chipset");
    assert_eq!(topo(&three, "PCI_E1", "PCI_E5").as_deref(), Some("PHB"));
    // The chipset card drags the ring down.
    near(three.ring_gb_s, 6.5, "ring");
}

#[test]
fn eight_cards_on_two_sockets_have_three_speeds() {
    let catalog = catalog();
    let slots: Vec<String> = (1..=8).map(|n| format!("Slot {n}")).collect();
    let mut put: Vec<(&str, &str)> = slots.iter().map(|s| (s.as_str(), "NVIDIA A40 PCIe")).collect();
    put.push(("Slot 1/nvlink", "NVIDIA RTX A6000 NVLink bridge, 2-slot"));
    let project = made(&catalog, "Server board with two SP3 and eight x16 slots", &["EPYC 7302", "EPYC 7302"], &put, &[]);
    let lanes = lanes(&catalog, &project);
    assert_eq!(topo(&lanes, "Slot 1", "Slot 2").as_deref(), Some("NV4"));
    near(pair_at(&lanes, "Slot 1", "Slot 2").both_gb_s, 101.6, "bridge");
    near(pair_at(&lanes, "Slot 1", "Slot 3").both_gb_s, 50.0, "one socket");
    // Which root complex the slots of this stand-in hang on nobody knows.
    assert_eq!(topo(&lanes, "Slot 1", "Slot 3"), None);
    assert_eq!(topo(&lanes, "Slot 1", "Slot 5").as_deref(), Some("SYS"));
    near(pair_at(&lanes, "Slot 1", "Slot 5").both_gb_s, 40.0, "two sockets");
    assert_eq!(lanes.pairs.len(), 28);
    // Without the second processor its slots are dead, and unknown is not 0.
    let alone = lanes_of(&catalog, &made(&catalog, "Server board with two SP3 and eight x16 slots", &["EPYC 7302"], &put, &[]));
    assert!(alone.at("Slot 5").unwrap().is_dead());
    assert_eq!(alone.at("Slot 4").unwrap().trained.lanes, Some(16));
}

fn lanes_of(catalog: &Catalog, project: &Project) -> Lanes {
    lanes(catalog, project)
}

#[test]
fn switches_keep_their_inside_when_the_uplink_is_slow() {
    let catalog = catalog();
    let card = "NVIDIA RTX PRO 6000 Blackwell";
    let riser = "Switch riser x16 to four x16, PCIe 5.0";
    let put =
        [("PCIE_7", riser), ("PCIE_6", riser), ("PCIE_7/end1", card), ("PCIE_7/end2", card), ("PCIE_6/end1", card), ("PCIE_6/end2", card)];
    let rig = |bios: &[(&str, &str)]| lanes(&catalog, &made(&catalog, "Gigabyte MH53-G40", &["Threadripper PRO 7955WX"], &put, bios));
    let fast = rig(&[]);
    assert_eq!(topo(&fast, "PCIE_7/end1", "PCIE_7/end2").as_deref(), Some("PIX"));
    assert_eq!(topo(&fast, "PCIE_7/end1", "PCIE_6/end1").as_deref(), Some("NODE"));
    near(pair_at(&fast, "PCIE_7/end1", "PCIE_6/end1").gb_s, 54.5, "across");
    // Fed all at once, the two cards behind one uplink share it.
    let host = |lanes: &Lanes| lanes.hosts.first().map(|h| (h.alone_gb_s.unwrap(), h.together_gb_s.unwrap())).unwrap();
    let (alone, together) = host(&fast);
    assert!((alone - 2.0 * together).abs() < 1e-9, "{alone} {together}");
    let slow = rig(&[("gen.PCIE_7", "2")]);
    near(pair_at(&slow, "PCIE_7/end1", "PCIE_6/end1").gb_s, 7.0, "across a Gen2 uplink");
    near(pair_at(&slow, "PCIE_7/end1", "PCIE_7/end2").gb_s, 53.0, "inside the switch");
}

#[test]
fn nps4_makes_four_nodes_of_one_socket() {
    let catalog = catalog();
    let card = "GPU x16";
    let put = [("SLOT7", card), ("SLOT1", card), ("SLOT5", card), ("SLOT3", card), ("SLOT6", card)];
    let rig = |nps: &str| lanes(&catalog, &made(&catalog, "Supermicro H12SSL-i", &["EPYC 7302"], &put, &[("nps", nps)]));
    let four = rig("4");
    let numa = |l: &Lanes, at: &str| l.at(at).unwrap().numa;
    for (slot, node) in [("SLOT5", 0), ("SLOT3", 0), ("SLOT7", 1), ("SLOT1", 1), ("SLOT6", 2), ("SLOT4", 3), ("SLOT2", 3)] {
        assert_eq!(numa(&four, slot), Some(node), "{slot}");
        assert_eq!(numa(&rig("1"), slot), Some(0), "{slot}");
    }
    assert_eq!(topo(&four, "SLOT5", "SLOT3").as_deref(), Some("PHB"));
    assert_eq!(topo(&four, "SLOT5", "SLOT7").as_deref(), Some("SYS"));
    assert_eq!(topo(&rig("1"), "SLOT5", "SLOT7").as_deref(), Some("NODE"));
}

#[test]
fn a_carrier_shows_as_many_drives_as_the_slot_is_split_into() {
    let catalog = catalog();
    let drives: Vec<(String, &str)> = (1..=4).map(|n| (format!("PCI_E3/M2_{n}"), "NVMe x4 Gen4")).collect();
    let mut put = vec![("PCI_E1", "GPU x16"), ("PCI_E3", "M.2 carrier x4 x4 x4 x4")];
    put.extend(drives.iter().map(|(at, part)| (at.as_str(), *part)));
    let x570 = lanes(&catalog, &made(&catalog, "MSI MEG X570 UNIFY", &["CPU AM4, 20 lanes"], &put, &[]));
    let widths: Vec<_> = (1..=4).map(|n| x570.at(&format!("PCI_E3/M2_{n}")).unwrap().trained.lanes).collect();
    assert_eq!(widths, [Some(4), Some(4), Some(0), Some(0)], "half of the drives in a slot of eight lanes");
    // Nobody recorded whether this board can split its slots: the first drive is certain, the others are unknown.
    let put: Vec<(&str, &str)> = [("PCIEX16_1", "M.2 carrier x4 x4 x4 x4")].into();
    let z790 = |bios: &[(&str, &str)]| lanes(&catalog, &made(&catalog, "ASUS WS X299 PRO", &["CPU LGA2066, 48 lanes"], &put, bios));
    let seen = |l: &Lanes| (1..=4).map(|n| l.at(&format!("PCIEX16_1/M2_{n}")).unwrap().trained.lanes).collect::<Vec<_>>();
    assert_eq!(seen(&z790(&[])), [Some(4), None, None, None]);
    assert_eq!(seen(&z790(&[("split.PCIEX16_1", "x4x4x4x4")])), [Some(4); 4]);
    assert_eq!(seen(&z790(&[("split.PCIEX16_1", "off")])), [Some(4), Some(0), Some(0), Some(0)]);
}

#[test]
fn risers_limit_the_generation_and_oculink_the_width() {
    let catalog = catalog();
    let card = "gpu.nvidia.rtx-3090-fe";
    let put = [("PCIEX16_1", "PCIe 3.0 x16 riser 300 mm"), ("PCIEX16_1/end", card)];
    let riser = lanes(&catalog, &made(&catalog, "ASUS Pro WS WRX80E-SAGE SE WIFI", &["CPU sWRX8, 120 lanes"], &put, &[]));
    for at in ["PCIEX16_1", "PCIEX16_1/end"] {
        let link = riser.at(at).unwrap();
        assert_eq!((link.trained.lanes, link.trained.r#gen), (Some(16), Some(3)), "{at}: {}", link.reason);
    }
    assert!(riser.at("PCIEX16_1/end").unwrap().reason.contains("rated"), "{}", riser.at("PCIEX16_1/end").unwrap().reason);
    let put = [("OCU1", "OCuLink to x16 slot adapter"), ("OCU1/end", card)];
    let cable = lanes(&catalog, &made(&catalog, "ASRock Rack ROMED8-2T", &["EPYC 7302"], &put, &[]));
    assert_eq!(cable.at("OCU1/end").unwrap().trained.lanes, Some(4));
    // The jumpers follow what is fitted where nobody set them, and the reason says so.
    assert!(cable.at("PCIE2").unwrap().trained.is_off());
    assert!(cable.at("PCIE2").unwrap().reason.contains("assumed to suit what is fitted"), "{}", cable.at("PCIE2").unwrap().reason);
}

#[test]
fn bridges_join_cards_at_their_spacing_only() {
    let catalog = catalog();
    let card = "NVIDIA RTX A6000";
    let rig = |other: &str| {
        let put = [("PCIEX16_1", card), (other, card), ("PCIEX16_1/nvlink", "NVIDIA RTX A6000 NVLink bridge, 2-slot")];
        lanes(&catalog, &made(&catalog, "ASUS X99-E WS", &["CPU LGA2011-3, 40 lanes"], &put, &[]))
    };
    let near = rig("PCIEX16_3");
    assert!(matches!(near.bridges.as_slice(), [(_, Span::Joins(_))]), "{:?}", near.bridges);
    assert_eq!(topo(&near, "PCIEX16_1", "PCIEX16_3").as_deref(), Some("NV4"));
    let far = rig("PCIEX16_5");
    assert!(matches!(far.bridges.as_slice(), [(_, Span::Misses { spacing: 2, .. })]), "{:?}", far.bridges);
}

fn arranged(catalog: &Catalog, project: &Project) -> (Arrangement, Project) {
    let found = arrange(catalog, project, &movable(catalog, project)).unwrap();
    let next = found.edit.as_ref().map_or_else(|| project.clone(), |e| e.apply(catalog, project).unwrap());
    (found, next)
}

#[test]
fn cards_are_arranged_by_the_stated_order() {
    let catalog = catalog();
    let card = "gpu.nvidia.rtx-3090-fe";
    // The drive in M2_3 kills the slot of the network card; the second GPU sits behind the chipset.
    let put = [("PCIE1", card), ("PCIE5", card), ("M2_3", "NVMe x4 Gen4"), ("PCIE2", "Card x1")];
    let project = made(&catalog, "ASRock X570 Phantom Gaming X", &["Ryzen 9 3900X"], &put, &[]);
    let before = lanes(&catalog, &project);
    assert!(before.at("PCIE5").unwrap().is_dead());
    let (found, next) = arranged(&catalog, &project);
    assert!(found.exact && found.edit.is_some(), "{found:?}");
    assert_eq!((found.before.dead, found.after.dead), (1, 0));
    let after = lanes(&catalog, &next);
    assert!(after.links.iter().all(|l| !l.is_dead()), "{}", text(&after));
    for at in ["PCIE1", "PCIE3"] {
        assert_eq!(after.at(at).unwrap().trained.lanes, Some(8), "{}", text(&after));
    }
    assert!(found.gains.iter().any(|g| g.contains("without lanes")), "{:?}", found.gains);
    // What was found is best, and nothing is gained by asking again.
    let (again, _) = arranged(&catalog, &next);
    assert_eq!(again.edit, None);
    assert_eq!(again.gains, ["The present placement is already best."]);
    assert!(next.rig.placements().all(|(_, p)| p.slot.is_some()));
}

#[test]
fn cards_that_lie_in_the_tray_find_places_with_air() {
    let catalog = catalog();
    let mut project = made(&catalog, "ASRock Rack ROMED8-2T", &["EPYC 7302"], &[], &[]);
    let card = part(&catalog, "gpu.gigabyte.rtx-3090-turbo", None);
    for _ in 0..3 {
        project = Edit::place(&card, None).apply(&catalog, &project).unwrap();
    }
    let (found, next) = arranged(&catalog, &project);
    assert_eq!((found.before.dead, found.after.dead, found.after.blocked), (3, 0, 0));
    // Seven openings, two-slot cards: one free place between each two at best.
    let used: Vec<_> = next.rig.placements().filter(|(_, p)| p.part == card).map(|(_, p)| p.slot.clone().unwrap().name).collect();
    assert_eq!(used.len(), 3, "{used:?}");
    assert_eq!(found.after.gap.unwrap().0, 1, "{used:?}");
}

#[test]
fn eight_unlike_cards_are_tried_in_every_order() {
    let catalog = catalog();
    let cards = ["GPU x16", "GPU x8", "GPU x4", "Card x1", "Card x4", "Card x8", "HBA x8", "NIC x16"];
    let names: Vec<String> = (1..=8).map(|n| format!("Slot {n}")).collect();
    let put: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(cards).collect();
    let project = made(&catalog, "Server board with two SP3 and eight x16 slots", &["EPYC 7302", "EPYC 7302"], &put, &[]);
    let (found, _) = arranged(&catalog, &project);
    assert!(found.exact, "{found:?}");
    assert_eq!(found.after.dead, 0);
}

#[test]
fn what_holds_behind_either_switch_is_known() {
    let catalog = catalog();
    let card = "GTX 1080";
    let put = [("PCIEX16_1", card), ("PCIEX16_3", card), ("PCIEX16_5", card), ("PCIEX16_7", card)];
    let lanes = lanes(&catalog, &made(&catalog, "ASUS X99-E WS", &["Core i7-6850K"], &put, &[]));
    let pair = pair_at(&lanes, "PCIEX16_1", "PCIEX16_7");
    // PIX or PHB: nobody recorded which slots share a switch, but both allow peer access at the rate of the slots.
    assert_eq!((pair.class, pair.p2p), (None, Some(true)), "{pair:?}");
    near(pair.gb_s, 13.2, "either way");
    assert_eq!(lanes.budgets.first().unwrap().used, None, "which lanes of the CPU are in use is unknown");
}

/// The manual's fourth row for 40 lanes: the fourth card leaves the M.2 socket two lanes of the chipset.
#[test]
fn a_row_can_move_a_connector_to_the_chipset() {
    let catalog = catalog();
    let put = [("slot1", "GPU x16"), ("slot3", "GPU x16"), ("slot6", "GPU x16"), ("M.2", "NVMe x4")];
    let lanes = lanes(&catalog, &made(&catalog, "MSI X99S SLI Krait Edition", &["CPU LGA2011-3, 40 lanes"], &put, &[]));
    let got = |at: &str| (lanes.at(at).unwrap().trained.lanes, lanes.at(at).unwrap().trained.r#gen);
    assert_eq!((got("slot1"), got("slot3"), got("slot6")), ((Some(16), Some(3)), (Some(16), Some(3)), (Some(8), Some(3))));
    assert_eq!(got("M.2"), (Some(2), Some(2)));
    assert_eq!(lanes.at("M.2").unwrap().hangs_on.as_deref(), Some("chipset"));
    assert_eq!(got("slot5").0, Some(0));
}

/// Two owners of one board and a third of its sibling: no POST with a card that opens 16 or 32 GB, and a BIOS without "Above 4G decoding".
/// Sources: JingShing/How-to-use-tesla-p40 issue 2, xCuri0/ReBarUEFI issue 303.
#[test]
fn cards_with_large_windows_do_not_start_without_above_4g() {
    let catalog = catalog();
    let verdict = |board: &str, cpu: &str, put: &[(&str, &str)], bios: &[(&str, &str)]| {
        let report = analyze(&catalog, &made(&catalog, board, &[cpu], put, bios), Effort::Live);
        let finding = report.findings.iter().find(|f| f.rule == "bar_space").unwrap();
        (finding.verdict, finding.severity, finding.message.clone())
    };
    let p40 = [("PCIE_1", "GTX 1070"), ("PCIE_2", "NVIDIA Tesla P40")];
    let v100 = [("PCIE_1", "NVIDIA Tesla V100 PCIe 16 GB")];
    for (board, cpu, put) in
        [("Gigabyte GA-X99-UD4P", "CPU LGA2011-3, 40 lanes", &p40[..]), ("Gigabyte GA-X99-UD4", "CPU LGA2011-3, 40 lanes", &v100[..])]
    {
        let (verdict, severity, message) = verdict(board, cpu, put, &[]);
        assert_eq!((verdict, severity), (Verdict::Fail, Severity::Blocker), "{message}");
        assert!(message.contains("places nothing above 4 GB"), "{message}");
    }
    // A card of small windows starts there, and another BIOS places the large one.
    assert_eq!(verdict("Gigabyte GA-X99-UD4P", "CPU LGA2011-3, 40 lanes", &[("PCIE_1", "GTX 1070")], &[]).0, Verdict::Pass);
    assert_eq!(verdict("Gigabyte GA-X99-UD4P", "CPU LGA2011-3, 40 lanes", &p40, &[("above_4g", "on")]).0, Verdict::Pass);
    // Where nobody recorded it, the answer is unknown.
    assert_eq!(verdict("ASUS X99-PRO", "Core i7-5930K", &[("PCIEX16_1", "NVIDIA Tesla P40")], &[]).0, Verdict::Unknown);
}

#[test]
fn access_control_and_iommu_decide_on_peer_copies() {
    let catalog = catalog();
    let card = "NVIDIA RTX PRO 6000 Blackwell";
    let riser = "Switch riser x16 to four x16, PCIe 5.0";
    let ends: Vec<String> = (1..=4).map(|n| format!("PCIE_7/end{n}")).collect();
    let mut put = vec![("PCIE_7", riser)];
    put.extend(ends.iter().map(|e| (e.as_str(), card)));
    let rig = |bios: &[(&str, &str)]| lanes(&catalog, &made(&catalog, "Gigabyte MH53-G40", &["Threadripper PRO 7955WX"], &put, bios));
    let free = rig(&[]);
    let redirected = rig(&[("acs", "on"), ("gen.PCIE_7", "3")]);
    let pair = |l: &Lanes| pair_at(l, "PCIE_7/end1", "PCIE_7/end2").clone();
    assert!(pair(&free).gb_s.unwrap() > 53.0 && pair(&free).latency_us.is_some());
    // Up and down the Gen3 uplink, though the class is still that of one switch.
    assert_eq!(pair(&redirected).class.map(|c| c.text()).as_deref(), Some("PIX"));
    near(pair(&redirected).gb_s, 15.75 * 0.84, "over the uplink");
    assert!(pair(&redirected).why.contains("ACS") && pair(&redirected).latency_us.is_none());
    let translating = rig(&[("iommu", "on")]);
    assert_eq!((pair(&translating).p2p, pair(&translating).gb_s), (None, None));
    assert!(pair(&translating).why.contains("iommu=pt"));
    assert_eq!(pair(&rig(&[("iommu", "pt")])).p2p, Some(true));
}

#[test]
fn intels_links_between_sockets_have_figures_of_their_own() {
    let catalog = catalog();
    // QPI carries no peer traffic; copies go through memory.
    let put = [("PCIEX16_1", "NVIDIA RTX A6000"), ("PCIEX16_5", "NVIDIA RTX A6000")];
    let cpus = ["CPU LGA2011-3, 40 lanes", "CPU LGA2011-3, 40 lanes"];
    let qpi = lanes(&catalog, &made(&catalog, "ASUS Z10PE-D8 WS", &cpus, &put, &[]));
    let pair = pair_at(&qpi, "PCIEX16_1", "PCIEX16_5");
    assert_eq!((pair.class.map(|c| c.text()).as_deref(), pair.p2p), (Some("SYS"), Some(false)), "{pair:?}");
    assert!(pair.gb_s.unwrap() < 7.0 && pair.why.contains("QPI"), "{pair:?}");
}

#[test]
fn every_rate_tells_how_it_was_made() {
    let catalog = catalog();
    let card = "NVIDIA RTX A6000";
    let put = [
        ("PCIEX16_1", card),
        ("PCIEX16_3", card),
        ("PCIEX16_5", card),
        ("PCIEX16_1/nvlink", "NVIDIA RTX A6000 NVLink bridge, 2-slot"),
        ("M.2", "NVMe x4 Gen4"),
    ];
    let lanes = lanes(&catalog, &made(&catalog, "ASUS X99-E WS", &["CPU LGA2011-3, 40 lanes"], &put, &[]));
    for pair in &lanes.pairs {
        let origin = pair.rate_origin(&lanes);
        assert_eq!(origin.is_some(), pair.gb_s.is_some(), "{pair:?}");
        let Some(origin) = origin else { continue };
        assert!(origin.source.contains("https://"), "{origin:?}");
        let said: f64 = origin.formula.rsplit("= ").next().unwrap().trim_end_matches(" GB/s").parse().unwrap();
        assert!((said - pair.gb_s.unwrap()).abs() < 0.06, "{origin:?} {pair:?}");
        assert_eq!(pair.latency_origin().is_some(), pair.latency_us.is_some());
    }
    assert!(lanes.pairs.iter().any(|p| p.gb_s.is_some()) && !lanes.hosts.is_empty() && !lanes.drives.is_empty());
    for host in &lanes.hosts {
        let origin = host.origin(&lanes).unwrap();
        assert!(origin.formula.contains("x16 Gen3") && origin.formula.contains("0.82"), "{origin:?}");
        assert_eq!(host.atomics, None, "which switch of the two is unknown, but both pass them on: {host:?}");
    }
    assert!(lanes.drives.iter().all(|d| d.origin().is_some() == d.gb_s.is_some()));
    assert_eq!(lanes.ring_origin().is_some(), lanes.ring_gb_s.is_some());
}

/// ROCm/legacy-rocm-build issue 364: the second card, behind an Intel chipset, did not compute before version 1.8.
#[test]
fn intels_chipsets_keep_atomics_back() {
    let catalog = catalog();
    let amd = catalog.parts().find(|p| matches!(&p.kind, PartKind::Gpu(g) if g.vendor == Some(GpuVendor::Amd) && g.pcie_lanes == Some(16)));
    let amd = amd.unwrap().id.as_str();
    let put = [("PCIEX16_1", amd), ("PCIEX16_2", amd)];
    let project = made(&catalog, "ASUS X99-PRO", &["Core i7-5930K"], &put, &[]);
    let report = analyze(&catalog, &project, Effort::Live);
    let atomics: Vec<Option<bool>> = report.facts.lanes.hosts.iter().map(|h| h.atomics).collect();
    assert_eq!(atomics, [Some(true), Some(false)], "{}", text(&report.facts.lanes));
    let told = report.findings.iter().filter(|f| f.rule == "slot_attach" && f.message.contains("PCIe atomics")).count();
    assert_eq!(told, 1);
}
