//! Rigs beside dumps of machines, and rigs made from dumps.

use std::sync::LazyLock;

use proptest::prelude::*;
use rigbay::analysis::lanes::lanes;
use rigbay::build::SlotId;
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::part::PartKind;
use rigbay::checks::finding::Verdict;
use rigbay::import::observed::{Dump, Observed, Path, read};
use rigbay::observed::begin::{Beginning, Outcome, begin};
use rigbay::observed::compare::{Comparison, Expected, How, Row, compare};
use rigbay::observed::text::text;
use rigbay::project::Project;
use rigbay::project::edit::Edit;
use rigbay::project::file::load_text;
use rigbay::report::snapshot::rig_text;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| load(&embedded_files("")).0);
const DAY: &str = "2026-11-30";

const MACHINE: &str = include_str!("data/observed/epyc-four-3090.txt");
const MATRIX: &str = include_str!("data/observed/epyc-topo.txt");
const FIRMWARE: &str = include_str!("data/observed/epyc-dmi.txt");

fn four_cards() -> Project {
    load_text(&CATALOG, include_str!("../assets/presets/4-four-blowers-epyc.toml"), "preset").unwrap().project
}

fn observed(texts: &[&str]) -> Observed {
    let dumps: Vec<Dump> = (1..).zip(texts).map(|(n, text)| Dump::new(format!("dump {n}"), *text)).collect();
    read(&dumps).unwrap()
}

fn beside(project: &Project, texts: &[&str]) -> Comparison {
    compare(&CATALOG, project, &Expected::of(&lanes(&CATALOG, project)), &observed(texts))
}

fn row<'a>(comparison: &'a Comparison, connector: &str) -> &'a Row {
    comparison.rows.iter().find(|r| r.connector == connector).unwrap()
}

fn made(texts: &[&str]) -> Beginning {
    begin(&CATALOG, &observed(texts), DAY)
}

/// The machine's text with a change to the block of one device.
fn changed(address: &str, from: &str, to: &str) -> String {
    let (before, rest) = MACHINE.split_at(MACHINE.find(&format!("\n{address} ")).unwrap() + 1);
    let (block, after) = rest.split_at(rest.find("\n\n").unwrap());
    assert!(block.contains(from), "{block}");
    format!("{before}{}{after}", block.replace(from, to))
}

#[test]
fn a_card_that_trains_low_is_told_from_one_that_idles() {
    let comparison = beside(&four_cards(), &[MACHINE, FIRMWARE]);
    let low = row(&comparison, "PCIE7");
    assert_eq!((low.verdict, low.trained_lanes, low.trained_gen, low.matched), (Verdict::Fail, Some(4), Some(3), Some(How::Slot)));
    assert!(low.sentence.contains("runs x4 Gen3, expected x16 Gen4. Both ends could do more"), "{}", low.sentence);
    let idle = row(&comparison, "PCIE3");
    assert_eq!((idle.verdict, idle.idle, idle.trained_gen, idle.able_gen), (Verdict::Pass, true, Some(1), Some(4)));
    assert!(!row(&comparison, "PCIE1").idle);
    assert_eq!(comparison.summary(), "1 of 5 links runs below what the rig gives it.");
    assert_eq!(comparison.strangers.len(), 1, "the board's own network chip");
}

#[test]
fn without_the_firmwares_slots_equal_cards_suppose_the_least_trouble() {
    let comparison = beside(&four_cards(), &[MACHINE]);
    let fails: Vec<&Row> = comparison.rows.iter().filter(|r| r.verdict == Verdict::Fail).collect();
    assert_eq!(fails.len(), 1);
    assert_eq!((fails[0].matched, fails[0].address.as_deref()), (Some(How::Order), Some("41:00.0")));
    assert_eq!(row(&comparison, "M2_1").matched, Some(How::Name));
}

#[test]
fn an_idle_card_whose_port_is_slow_is_no_pass() {
    let slow_port = changed("00:03.1", "LnkCap:\tPort #0, Speed 16GT/s", "LnkCap:\tPort #0, Speed 8GT/s");
    let comparison = beside(&four_cards(), &[&slow_port, FIRMWARE]);
    let card = row(&comparison, "PCIE3");
    assert_eq!((card.verdict, card.able_gen), (Verdict::Fail, Some(3)));
    assert!(card.sentence.contains("Gen3 at most"), "{}", card.sentence);
    let no_port = changed("00:03.1", "\t\tLnkCap:", "\t\tOther:");
    let comparison = beside(&four_cards(), &[&no_port, FIRMWARE]);
    let card = row(&comparison, "PCIE3");
    assert_eq!(card.verdict, Verdict::Unknown, "what both ends can do is not shown: {}", card.sentence);
    let loaded = "<nvidia_smi_log>\n<gpu id=\"00000000:01:00.0\">\n<product_name>NVIDIA GeForce RTX 3090</product_name>\n<pci><pci_gpu_link_info><pcie_gen>\n\
                  <max_link_gen>4</max_link_gen><current_link_gen>1</current_link_gen></pcie_gen><link_widths><max_link_width>16x</max_link_width>\
                  <current_link_width>16x</current_link_width></link_widths></pci_gpu_link_info></pci>\n<performance_state>P0</performance_state>\n</gpu>\n\
                  </nvidia_smi_log>\n";
    let comparison = beside(&four_cards(), &[MACHINE, FIRMWARE, loaded]);
    assert_eq!(row(&comparison, "PCIE3").verdict, Verdict::Fail, "Gen1 under load is no saving of power");
    let comparison = beside(&four_cards(), &[MACHINE, FIRMWARE, &loaded.replace("P0", "P8")]);
    assert_eq!(row(&comparison, "PCIE3").verdict, Verdict::Pass);
}

#[test]
fn what_cannot_be_read_is_unknown_with_the_remedy() {
    let denied =
        MACHINE.lines().filter(|l| !l.contains("Lnk")).map(|l| if l.contains("] Express") { "\tCapabilities: <access denied>" } else { l });
    let denied: String = denied.flat_map(|l| [l, "\n"]).collect();
    let comparison = beside(&four_cards(), &[&denied]);
    assert!(comparison.rows.iter().all(|r| r.verdict == Verdict::Unknown && r.trained_lanes.is_none() && r.address.is_some()));
    assert!(comparison.rows[0].sentence.contains("run it with sudo"), "{}", comparison.rows[0].sentence);
    assert_eq!(comparison.summary(), "Nothing can be told of the links; see why below.");
    let gone = MACHINE.split("61:00.0 VGA").next().unwrap();
    let comparison = beside(&four_cards(), &[gone]);
    let missing: Vec<&Row> = comparison.rows.iter().filter(|r| r.address.is_none()).collect();
    assert_eq!(missing.len(), 1);
    assert!(missing[0].sentence.starts_with("No device in the dumps is RTX 3090 Turbo"), "{}", missing[0].sentence);
}

#[test]
fn a_lost_link_fails_and_a_wider_one_passes_with_a_word() {
    let none = changed("45:00.0", "LnkSta:\tSpeed 16GT/s, Width x4", "LnkSta:\tSpeed 2.5GT/s, Width x0");
    assert_eq!(row(&beside(&four_cards(), &[&none]), "M2_1").verdict, Verdict::Fail);
    let mut project = four_cards();
    let board = project.rig.placed(&CATALOG).find(|(_, _, p)| matches!(p.kind, PartKind::Board(_))).unwrap().0;
    let cap = Edit::Set { what: board, key: "bios.gen.PCIE1".into(), value: Some("3".into()) };
    project = cap.apply(&CATALOG, &project).unwrap();
    let wider = beside(&project, &[MACHINE, FIRMWARE]);
    let card = row(&wider, "PCIE1");
    assert_eq!((card.expected_gen, card.trained_gen, card.verdict), (Some(3), Some(4), Verdict::Pass));
    assert!(card.sentence.contains("more than the x16 Gen3 expected"), "{}", card.sentence);
}

#[test]
fn the_matrix_of_cards_is_compared_pair_by_pair() {
    let (project, machine) = (four_cards(), observed(&[MACHINE, MATRIX, FIRMWARE]));
    let mut expected = Expected::of(&lanes(&CATALOG, &project));
    let told = compare(&CATALOG, &project, &expected, &machine);
    let classes: Vec<Option<&str>> = told.pairs.iter().map(|p| p.expected.as_deref()).collect();
    assert!(classes.iter().all(Option::is_some), "the ledger has a class for each pair of this board: {classes:?}");
    expected.paths.clear();
    let cards: Vec<_> = project.rig.placed(&CATALOG).filter(|(_, _, p)| matches!(p.kind, PartKind::Gpu(_))).map(|(id, ..)| id).collect();
    for (n, path) in [(1, Path::Node), (2, Path::Phb), (3, Path::Sys)] {
        expected.paths.insert((cards[0], cards[n]), path);
    }
    let comparison = compare(&CATALOG, &project, &expected, &machine);
    assert_eq!(comparison.pairs.len(), 6);
    let verdicts: Vec<Verdict> = comparison.pairs.iter().take(3).map(|p| p.verdict).collect();
    assert_eq!(verdicts, [Verdict::Pass, Verdict::Fail, Verdict::Pass]);
    assert_eq!(comparison.pairs[1].sentence, "Between PCIE7 and PCIE3 the machine has NODE, expected PHB.");
    let unsure = compare(&CATALOG, &project, &expected, &observed(&[MACHINE, MATRIX]));
    assert!(unsure.pairs.iter().all(|p| p.verdict != Verdict::Fail), "which card sits where is not told: {:?}", unsure.pairs);
    assert!(comparison.pairs.iter().skip(3).all(|p| p.verdict == Verdict::Unknown));
}

/// Two cards of one WRX90 board were reported at Gen1 under load, each alone at Gen5 (local-inference-lab/rtx6kpro, links to threads there).
#[test]
fn cards_held_at_gen1_under_load_are_told() {
    let project = {
        let find = |name: &str| CATALOG.find(name, None).unwrap().id.clone();
        let mut project =
            Edit::place(&find("ASUS Pro WS WRX90E-SAGE SE"), Some(SlotId::rig("board"))).apply(&CATALOG, &Project::default()).unwrap();
        let board = project.rig.placements().next().unwrap().0;
        let card = find("NVIDIA RTX PRO 6000 Blackwell Workstation Edition");
        for (part, slot) in [(&find("Threadripper PRO 7955WX"), "cpu1"), (&card, "PCIEX16(G5)_1"), (&card, "PCIEX16(G5)_3")] {
            project = Edit::place(part, Some(SlotId::of(board, slot))).apply(&CATALOG, &project).unwrap();
        }
        project
    };
    let card = |bus: &str, width: &str, generation: &str| {
        format!(
            "<gpu id=\"00000000:{bus}:00.0\"><product_name>NVIDIA RTX PRO 6000 Blackwell Workstation Edition</product_name><pci><pci_gpu_link_info>\
             <pcie_gen><max_link_gen>5</max_link_gen><current_link_gen>{generation}</current_link_gen></pcie_gen><link_widths><max_link_width>16x\
             </max_link_width><current_link_width>{width}x</current_link_width></link_widths></pci_gpu_link_info></pci>\
             <performance_state>P0</performance_state></gpu>"
        )
    };
    let log = format!("<nvidia_smi_log>{}{}</nvidia_smi_log>", card("01", "16", "1"), card("41", "16", "1"));
    let comparison = beside(&project, &[&log]);
    let cards: Vec<&Row> = comparison.rows.iter().filter(|r| r.connector.starts_with("PCIEX16")).collect();
    assert_eq!(cards.len(), 2);
    for row in cards {
        assert_eq!((row.trained_lanes, row.trained_gen, row.verdict), (Some(16), Some(1), Verdict::Fail), "{}", row.sentence);
        assert!(row.sentence.contains("runs x16 Gen1, expected x16 Gen5"), "{}", row.sentence);
    }
}

#[test]
fn keys_in_chinese_and_matrices_with_adapters_are_read() {
    let found = observed(&[include_str!("data/observed/lscpu-chinese.txt"), include_str!("data/observed/topo-six-cards.txt")]);
    assert_eq!(found.processors, ["Intel(R) Xeon(R) Gold 6151 CPU @ 3.00GHz"; 2]);
    let path = |a, b| found.topology.as_ref().unwrap().gpus(a, b);
    assert_eq!([path(0, 1), path(0, 2), path(2, 3), path(4, 5)], [Some(Path::Pix), Some(Path::Node), Some(Path::Sys), Some(Path::Node)]);
}

#[test]
fn modules_without_a_slot_are_named_and_refused() {
    let sxm = include_str!("data/observed/sxm-a100.txt");
    let comparison = beside(&four_cards(), &[sxm]);
    assert!(comparison.strangers[0].sentence.contains("SXM module on a board of its own"), "{:?}", comparison.strangers);
    let rig = made(&[sxm, include_str!("data/observed/smi-a100-sxm4.xml")]);
    let cards: Vec<&Outcome> = rig.lines.iter().filter(|l| l.what == "Card").map(|l| &l.outcome).collect();
    assert!(cards.iter().all(|o| matches!(o, Outcome::Named(why) if why.contains("SXM module"))), "{cards:?}");
    assert!(rig.project.rig.is_empty());
}

#[test]
fn a_machine_becomes_a_rig_with_every_card_in_its_own_slot() {
    let rig = made(&[MACHINE, MATRIX, FIRMWARE]);
    let catalog = CATALOG.overlaid(rig.copies.clone());
    let places: Vec<(String, String)> = rig
        .project
        .rig
        .placed(&catalog)
        .map(|(_, piece, part)| (piece.slot.as_ref().unwrap().name.to_string(), part.name.clone()))
        .collect();
    let at = |slot: &str| places.iter().find(|(s, _)| s == slot).map(|(_, name)| name.as_str()).unwrap();
    assert_eq!((at("board"), at("cpu1")), ("ASRock Rack ROMED8-2T", "AMD EPYC 7443P"));
    for slot in ["PCIE1", "PCIE3", "PCIE5", "PCIE7"] {
        assert_eq!(at(slot), "Gigabyte GeForce RTX 3090, model not told");
    }
    assert_eq!(at("M2_1"), "Samsung NVMe SSD Controller PM9A1/PM9A3/980PRO, capacity not told");
    assert_eq!(rig.project.rig.tray(&catalog).count(), 0);
    let card = catalog.parts().find(|p| p.id.as_str().starts_with("gpu.machine.")).unwrap();
    let PartKind::Gpu(gpu) = &card.kind else { panic!() };
    assert_eq!((gpu.memory_gb, gpu.length_mm, gpu.slots), (Some(24.0), None, None), "memory is the product's, the size is one maker's");
    assert_eq!(beside_itself(&rig, &[MACHINE, MATRIX, FIRMWARE]), [("PCIE7".to_owned(), Verdict::Fail)]);
}

/// Verdicts other than pass of a rig beside the machine it was made from.
fn beside_itself(rig: &Beginning, texts: &[&str]) -> Vec<(String, Verdict)> {
    let catalog = CATALOG.overlaid(rig.copies.clone());
    let comparison = compare(&catalog, &rig.project, &Expected::of(&lanes(&catalog, &rig.project)), &observed(texts));
    comparison.rows.into_iter().filter(|r| r.verdict != Verdict::Pass).map(|r| (r.connector, r.verdict)).collect()
}

#[test]
fn what_is_not_known_lies_in_the_tray_and_the_file_keeps_it() {
    let unknown = FIRMWARE.replace("EPYC 7443P", "EPYC 9999Z").replace("ROMED8-2T", "NOBODY-1");
    let machine = changed("45:00.0", "144d:a80a", "1e4b:1602");
    let rig = made(&[&machine, &unknown]);
    let outcome = |what: &str| &rig.lines.iter().find(|l| l.what == what).unwrap().outcome;
    assert!(matches!(outcome("Processor"), Outcome::Tray(_)) && matches!(outcome("Drive"), Outcome::Tray(_)), "{:?}", rig.lines);
    assert_eq!(outcome("Board"), &Outcome::Placed("board tray".into()), "its slots are those of the firmware");
    assert_eq!(rig.lines.iter().filter(|l| l.what == "Card" && matches!(l.outcome, Outcome::Placed(_))).count(), 4, "{:?}", rig.lines);
    let catalog = CATALOG.overlaid(rig.copies.clone());
    assert_eq!(rig.project.rig.tray(&catalog).count(), 2);
    let text = rig_text(&catalog, &rig.project).unwrap();
    let again = load_text(&CATALOG, &text, "again").unwrap();
    assert_eq!(again.project, rig.project);
    assert_eq!(rig_text(&CATALOG.overlaid(again.copies), &again.project).unwrap(), text);
}

#[test]
fn without_a_board_everything_waits_and_the_remedy_is_named() {
    let rig = made(&[MACHINE]);
    assert_eq!(rig.lines[0].outcome, Outcome::Missing("give the output of sudo dmidecode too".into()));
    assert!(
        rig.lines.iter().filter(|l| l.what == "Card").all(|l| l.outcome == Outcome::Tray("the board is not known".into())),
        "{:?}",
        rig.lines
    );
}

#[test]
fn a_lowered_power_limit_and_a_board_with_two_processors_are_taken_over() {
    let two = "Base Board Information\n\tManufacturer: ASUSTeK COMPUTER INC.\n\tProduct Name: Z10PE-D8 WS\n\nProcessor Information\n\tVersion: Intel(R) \
               Xeon(R) CPU E5-2680 v4 @ 2.40GHz\n\tStatus: Populated, Enabled\n\nProcessor Information\n\tVersion: Intel(R) Xeon(R) CPU E5-2680 v4 @ \
               2.40GHz\n\tStatus: Populated, Enabled\n\nProcessor Information\n\tVersion: Not Specified\n\tStatus: Unpopulated\n";
    let rig = made(&[two, include_str!("data/observed/smi-rtx-3090.xml")]);
    let places: Vec<String> = rig.project.rig.placed(&CATALOG).map(|(_, p, _)| p.slot.as_ref().unwrap().name.to_string()).collect();
    assert!(places.contains(&"cpu1".to_owned()) && places.contains(&"cpu2".to_owned()), "{places:?}");
    let catalog = CATALOG.overlaid(rig.copies.clone());
    let (_, card, _) = rig.project.rig.placed(&catalog).find(|(_, _, p)| matches!(p.kind, PartKind::Gpu(_))).unwrap();
    assert_eq!(card.settings.get("power_limit_w").map(String::as_str), Some("200"));
}

#[test]
fn the_text_names_what_was_read_what_fails_and_what_is_left_over() {
    let shown = text(&beside(&four_cards(), &[MACHINE, MATRIX, FIRMWARE]));
    for line in [
        "read     dump 1: lspci with 17 devices",
        "PCIE7      Gigabyte GeForce RTX 3090 Turbo  41:00.0  x16 Gen4  x4 Gen3",
        "Not in the rig:",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever of the machine's text is left or changed: no panic, never a link that is not there, and a rig that can be saved.
    #[test]
    fn mangled_machines_make_no_nonsense(
        keep in prop::collection::vec(any::<bool>(), 40),
        from in 0..200_usize,
        to in 0..400_usize,
        swap in prop::sample::select(vec![("x16", "x0"), ("16GT/s", "GT/s"), ("10de", "ffff"), ("secondary=", "secondary=zz"), ("00.0", "1f.7"), ("PCIE", "M2_")]),
    ) {
        let whole = format!("{MACHINE}\n{MATRIX}\n{FIRMWARE}");
        let lines = whole.lines().enumerate().filter(|(n, _)| *n < from || *n > to || keep[n % 40]).map(|(_, l)| l.replace(swap.0, swap.1));
        let mangled: Vec<String> = lines.collect();
        let Ok(machine) = read(&[Dump::new("mangled", mangled.join("\n"))]) else { return Ok(()) };
        let project = four_cards();
        let comparison = compare(&CATALOG, &project, &Expected::of(&lanes(&CATALOG, &project)), &machine);
        for row in &comparison.rows {
            prop_assert!(row.verdict == Verdict::Unknown || row.trained_lanes.is_some() || row.able_gen.is_some(), "{row:?}");
        }
        let rig = begin(&CATALOG, &machine, DAY);
        let catalog = CATALOG.overlaid(rig.copies.clone());
        let text = rig_text(&catalog, &rig.project).unwrap();
        prop_assert_eq!(load_text(&CATALOG, &text, "again").unwrap().project, rig.project);
    }
}
