//! The three rigs of every rule, as changes of the sound one.

use rigbay::catalog::part::{Bridge, PartKind, Plugs, Radiator};
use rigbay::catalog::vocab::{
    ConnectorKind, CoolerKind, DriveBus, DriveForm, Edge, Efficiency, FormFactor, GpuCooler, ModuleType, Outlook, Plug, PsuForm, Rails,
};

use super::bench::{Kit, connector, part};

type Change = fn(&mut Kit);

/// The rig that lacks a fact, and the field that is named; or why there is none.
pub enum Third {
    Unknown(Change, &'static str),
    Never(&'static str),
}

pub struct Row {
    pub rule: &'static str,
    pub fires: Change,
    pub passes: Change,
    pub third: Third,
    /// Numbers of the first failing finding.
    pub numbers: &'static [(&'static str, f64)],
    /// Whether the shop can mend it.
    pub mends: bool,
}

const fn row(rule: &'static str, fires: Change, third: Third, numbers: &'static [(&'static str, f64)]) -> Row {
    Row { rule, fires, passes: |_| {}, third, numbers, mends: true }
}

impl Row {
    fn passes(mut self, change: Change) -> Self {
        self.passes = change;
        self
    }
    fn hopeless(mut self) -> Self {
        self.mends = false;
        self
    }
}

const PRESENCE: Third = Third::Never("a rig has the part or has it not");

pub fn rows() -> Vec<Row> {
    [present(), fits(), clearance(), slots(), memory(), power(), heat(), work(), money()].into_iter().flatten().collect()
}

fn present() -> Vec<Row> {
    vec![
        row("no_gpu", |k| k.drop("gpu"), PRESENCE, &[("gpus", 0.0), ("workloads", 0.0)]),
        row("no_board", |k| k.places.truncate(1), PRESENCE, &[("count", 0.0)]),
        row("no_cpu", |k| k.drop("cpu"), PRESENCE, &[("count", 0.0)]),
        row("no_ram", |k| k.drop("ram"), PRESENCE, &[("count", 0.0)]),
        row("no_psu", |k| k.drop("psu"), PRESENCE, &[("count", 0.0)]),
        row("no_cooler", |k| k.drop("cooler"), PRESENCE, &[("count", 0.0)]),
        row("no_case", |k| k.drop("case"), PRESENCE, &[("count", 0.0)]),
        row("tray_not_empty", |k| k.tray("gpu.blower"), Third::Never("a part lies in the tray or it does not"), &[]),
    ]
}

fn two_sockets(k: &mut Kit) {
    k.board("board").socket_count = Some(2);
    k.seat("cpu", "board/cpu2");
}

fn fits() -> Vec<Row> {
    let tray_cpu: Change = |k| {
        k.drop("cpu");
        k.tray("cpu.am5");
    };
    let deep: Change = |k| {
        k.board("board").form_factor = Some(FormFactor::Eeb);
        k.board("board").depth_mm = Some(330.0);
    };
    let unlisted: Change = |k| {
        k.board("board").form_factor = Some(FormFactor::Eatx);
        k.case("case").max_board_depth_mm = None;
    };
    let lone: Change = |k| {
        two_sockets(k);
        k.cpu("cpu").max_sockets = None;
    };
    let server: Change = |k| {
        two_sockets(k);
        k.cpu("cpu").max_sockets = Some(2);
    };
    vec![
        row("socket", tray_cpu, Third::Unknown(|k| k.cpu("cpu").socket = None, "socket"), &[]),
        row("cpu_pair", two_sockets, Third::Unknown(lone, "max_sockets"), &[("cpus", 2.0)]).passes(server),
        row("board_form", deep, Third::Unknown(unlisted, "max_board_depth_mm"), &[("board_depth_mm", 330.0), ("limit_mm", 280.0)]),
        row("psu_form", |k| k.psu("psu").form = Some(PsuForm::SfxL), Third::Unknown(|k| k.psu("psu").form = None, "form"), &[]),
    ]
}

fn water(k: &mut Kit) {
    k.instead("cooler", "aio");
    k.set("aio", "radiator", "front");
}

fn sixteen_pin(k: &mut Kit) {
    k.gpu("gpu").plugs = Some(vec![Plugs { plug: Plug::Hpwr2x6, count: 1 }]);
}

fn clearance() -> Vec<Row> {
    let guess: Change = |k| {
        k.gpu("gpu").length_mm = Some(328.0);
        k.assume("gpu", "length_mm");
    };
    let behind: Change = |k| {
        water(k);
        k.gpu("gpu").length_mm = Some(310.0);
    };
    let short_behind: Change = |k| {
        water(k);
        k.gpu("gpu").length_mm = Some(280.0);
    };
    let unmeasured: Change = |k| {
        water(k);
        k.case("case").max_gpu_length_radiator_mm = None;
        k.case("case").max_gpu_length_mm = None;
    };
    let large: Change = |k| {
        k.instead("cooler", "aio");
        k.cooler("aio").radiator_mm = Some(420.0);
    };
    let no_list: Change = |k| {
        k.instead("cooler", "aio");
        k.case("case").radiators = None;
    };
    let high: Change = |k| {
        sixteen_pin(k);
        k.gpu("gpu").height_mm = Some(137.0);
    };
    let unknown_height: Change = |k| {
        sixteen_pin(k);
        k.gpu("gpu").height_mm = None;
    };
    let bottom: Change = |k| {
        k.instead("cooler", "aio");
        k.set("aio", "radiator", "bottom");
        k.case("case").radiators =
            Some(vec![Radiator { edge: Edge::Bottom, sizes_mm: vec![360] }, Radiator { edge: Edge::Top, sizes_mm: vec![360] }]);
    };
    let bottom_low: Change = |k| {
        k.instead("cooler", "aio");
        k.set("aio", "radiator", "bottom");
        k.case("case").radiators =
            Some(vec![Radiator { edge: Edge::Bottom, sizes_mm: vec![360] }, Radiator { edge: Edge::Top, sizes_mm: vec![360] }]);
        k.drop("gpu");
        k.seat("gpu", "board/P5");
    };
    let bottom_order: Change = |k| {
        k.instead("cooler", "aio");
        k.set("aio", "radiator", "bottom");
        k.slot("P1").opening = None;
    };
    vec![
        row(
            "radiator_vs_slots",
            bottom_low,
            Third::Unknown(bottom_order, "opening of P1"),
            &[("last_free_opening", 4.0), ("last_opening", 6.0)],
        )
        .passes(bottom),
        row(
            "gpu_length",
            |k| k.gpu("gpu").length_mm = Some(357.0),
            Third::Unknown(guess, "length_mm"),
            &[("length_mm", 357.0), ("clearance_mm", 330.0), ("margin_mm", -27.0)],
        ),
        row(
            "gpu_length_with_radiator",
            behind,
            Third::Unknown(unmeasured, "max_gpu_length_radiator_mm"),
            &[("length_mm", 310.0), ("clearance_mm", 300.0)],
        )
        .passes(short_behind),
        row(
            "cooler_height",
            |k| k.cooler("cooler").height_mm = Some(178.0),
            Third::Unknown(|k| k.cooler("cooler").height_mm = None, "height_mm"),
            &[("height_mm", 178.0), ("limit_mm", 170.0)],
        ),
        row("radiator_mount", large, Third::Unknown(no_list, "radiators"), &[("radiator_mm", 420.0)]).passes(water),
        row(
            "psu_length",
            |k| k.psu("psu").length_mm = Some(230.0),
            Third::Unknown(|k| k.psu("psu").length_mm = None, "length_mm"),
            &[("length_mm", 230.0), ("limit_mm", 200.0)],
        ),
        row(
            "ram_under_cooler",
            |k| k.ram("ram").height_mm = Some(56.0),
            Third::Unknown(|k| k.cooler("cooler").ram_clearance_mm = None, "ram_clearance_mm"),
            &[("ram_mm", 56.0), ("clear_mm", 45.0), ("cooler_height_raised_mm", 171.0)],
        ),
        row("plug_side_clearance", high, Third::Unknown(unknown_height, "height_mm"), &[("needed_mm", 184.0), ("available_mm", 177.0)])
            .passes(sixteen_pin)
            .hopeless(),
    ]
}

fn pair(k: &mut Kit) {
    k.seat("gpu", "board/P3");
}

fn riser(k: &mut Kit) {
    k.drop("gpu");
    k.seat("riser", "board/P1");
    k.seat("gpu", "riser/end");
}

/// A SATA disk at a place, with a port that the drive in M2 switches off.
fn disk(k: &mut Kit, at: &str, shared: bool) {
    let mut disk = k.drive("drive").clone();
    (disk.form, disk.bus) = (Some(DriveForm::Inch25), Some(DriveBus::Sata));
    k.parts.insert("disk".to_owned(), part("disk", 100.0, PartKind::Drive(disk)));
    for label in ["SATA1", "SATA2"] {
        let port = connector(label, ConnectorKind::Sata, 1, "chipset", None);
        k.board("board").connectors.push(port);
    }
    k.case("case").bays_25 = Some(1);
    k.board("board").sata_ports = Some(2);
    if shared {
        k.rule("used(\"M2\")", "SATA1", 0);
    }
    k.seat("disk", at);
}

/// A second card at a slot, with a bridge for a distance of two.
fn bridge(k: &mut Kit, second: &str) {
    let bridge = Bridge { products: Some(vec!["Card 24".to_owned()]), spacing_slots: Some(2), bandwidth_gb_s: None };
    k.parts.insert("bridge".to_owned(), part("bridge", 80.0, PartKind::Bridge(bridge)));
    k.gpu("gpu").nvlink = Some("NVLink 3, bridge, 112.5 GB/s".to_owned());
    k.seat("gpu", &format!("board/{second}"));
    k.seat("bridge", "gpu/nvlink");
}

fn big_window(k: &mut Kit, above_4g: Option<bool>) {
    k.gpu("gpu").segment = Some("data centre".to_owned());
    k.board("board").above_4g = above_4g;
}

fn slots() -> Vec<Row> {
    let dead: Change = |k| {
        k.rule("used(\"M2\")", "P3", 0);
        pair(k);
    };
    let untold: Change = |k| {
        k.rule("cpu.rule_lanes == 28", "P3", 0);
        pair(k);
    };
    let halved: Change = |k| {
        k.rule("used(\"M2\")", "P1", 8);
        let other = connector("M2b", ConnectorKind::M2, 4, "chipset", None);
        k.board("board").connectors.push(other);
    };
    let thick: Change = |k| {
        k.gpu("gpu").slots = Some(3.0);
        k.gpu("gpu").thickness_mm = Some(60.0);
        pair(k);
    };
    let guessed: Change = |k| {
        pair(k);
        k.assume("gpu", "slots");
        k.assume("gpu", "thickness_mm");
    };
    let low: Change = |k| {
        k.drop("gpu");
        k.seat("gpu", "board/P7");
    };
    let narrow: Change = |k| {
        k.drop("gpu");
        k.seat("gpu", "board/P5");
    };
    let behind: Change = |k| k.seat("gpu", "board/P5");
    let lost: Change = |k| {
        pair(k);
        k.slot("P3").from = None;
    };
    let new_riser: Change = |k| {
        riser(k);
        k.riser("riser").pcie_gen = Some(4);
    };
    let unrated: Change = |k| {
        riser(k);
        k.riser("riser").pcie_gen = None;
    };
    let deaf: Change = |k| {
        pair(k);
        k.gpu("gpu").p2p = Some("no".to_owned());
    };
    let unasked: Change = |k| {
        pair(k);
        k.gpu("gpu").p2p = None;
    };
    vec![
        row("slot_overlap", thick, Third::Unknown(guessed, "thickness_mm"), &[("gap_mm", -19.4)]).passes(pair),
        row(
            "gpu_thickness",
            low,
            Third::Unknown(|k| k.case("case").expansion_slots = None, "expansion_slots"),
            &[("slots", 2.0), ("expansion_slots", 7.0), ("last_opening", 8.0)],
        ),
        row(
            "slot_electrical",
            narrow,
            Third::Unknown(|k| k.slot("P1").lanes = None, "lanes of P1"),
            &[("lanes", 4.0), ("card_lanes", 16.0)],
        ),
        row("lane_disabled", dead, Third::Unknown(untold, "lanes of P3 with these parts"), &[]),
        row(
            "m2_shares_gpu_lanes",
            halved,
            Third::Unknown(|k| k.rule("cpu.rule_lanes == 28", "P1", 8), "lanes of P1"),
            &[("gpu_lanes", 8.0)],
        ),
        row(
            "m2_disables_sata",
            |k| disk(k, "board/SATA1", true),
            Third::Unknown(
                |k| {
                    disk(k, "case/bay25-1", true);
                    k.board("board").sata_ports = None;
                },
                "sata_ports",
            ),
            &[],
        )
        .passes(|k| disk(k, "board/SATA1", false)),
        row(
            "nvlink_spacing",
            |k| bridge(k, "P5"),
            Third::Unknown(
                |k| {
                    bridge(k, "P3");
                    k.slot("P3").opening = None;
                },
                "openings of the slots",
            ),
            &[("spacing_slots", 2.0)],
        )
        .passes(|k| bridge(k, "P3")),
        row("bar_space", |k| big_window(k, Some(false)), Third::Unknown(|k| big_window(k, None), "above_4g"), &[]).hopeless(),
        row("slot_attach", behind, Third::Unknown(lost, "origin of P3"), &[]).passes(pair),
        row("riser_rating", riser, Third::Unknown(unrated, "pcie_gen"), &[]).passes(new_riser),
        row("p2p", deaf, Third::Unknown(unasked, "p2p"), &[("gpus", 2.0)]).passes(pair).hopeless(),
    ]
}

fn memory() -> Vec<Row> {
    let four: Change = |k| {
        k.ram("ram").modules = Some(4);
        k.ram("ram").gb_per_module = Some(64.0);
    };
    let full: Change = |k| {
        k.board("board").dimm_slots = Some(2);
        k.tray("ram.slow");
    };
    vec![
        row("ram_type", |k| k.tray("ram.ddr5"), Third::Unknown(|k| k.ram("ram").memory_type = None, "memory_type"), &[]),
        row(
            "ram_module_type",
            |k| k.ram("ram").module_type = Some(ModuleType::Rdimm),
            Third::Unknown(|k| k.board("board").module_types = None, "module_types"),
            &[],
        ),
        row(
            "dimm_slots",
            full,
            Third::Unknown(|k| k.board("board").dimm_slots = None, "dimm_slots"),
            &[("modules", 4.0), ("dimm_slots", 2.0)],
        )
        .hopeless(),
        row(
            "ram_capacity",
            four,
            Third::Unknown(|k| k.board("board").memory_max_gb = None, "memory_max_gb"),
            &[("ram_gb", 256.0), ("limit_gb", 128.0)],
        ),
        row(
            "bios_version",
            |k| newer_cpu(k, Some(true)),
            Third::Never("what cannot be told by name is not judged; a missing flash button leaves the finding standing"),
            &[],
        )
        .passes(|k| newer_cpu_on(k, "X670E test board", "AMD Ryzen 9 7950X"))
        .hopeless(),
        row(
            "bios_dependency",
            |k| {
                k.ram("ram").module_type = Some(ModuleType::EccUdimm);
                k.board("board").ecc = Some(true);
            },
            Third::Unknown(|k| k.ram("ram").module_type = None, "module_type"),
            &[],
        )
        .hopeless(),
        row(
            "ram_cpu_generation",
            |k| newer_memory(k, 2933, 64.0),
            Third::Unknown(|k| k.ram("ram").module_type = None, "module_type"),
            &[("cpu_max_mt_s", 2133.0)],
        )
        .passes(|k| newer_memory(k, 2666, 16.0))
        .hopeless(),
        row("import_sanity", |k| k.slot("P1").r#gen = Some(5), Third::Never("an unknown value is no wrong one"), &[]).hopeless(),
        row(
            "ram_speed",
            |k| k.instead("ram", "ram.fast"),
            Third::Unknown(|k| k.cpu("cpu").memory_mt_s = None, "memory_mt_s"),
            &[("speed_mt_s", 3600.0), ("base_mt_s", 3200.0)],
        ),
        row(
            "ram_vs_gpu_memory",
            |k| k.gpu("gpu").memory_gb = Some(48.0),
            Third::Unknown(|k| k.gpu("gpu").memory_gb = None, "memory_gb"),
            &[("ram_gb", 32.0), ("largest_gpu_gb", 48.0)],
        ),
    ]
}

/// A processor of that name on a board of that name.
fn newer_cpu_on(k: &mut Kit, board: &str, cpu: &str) {
    board.clone_into(&mut k.part("board").name);
    cpu.clone_into(&mut k.part("cpu").name);
    let told = rigbay::catalog::platform::processor(cpu);
    k.board("board").socket = told.socket;
    k.cpu("cpu").socket = told.socket;
    k.cooler("cooler").sockets = Some(told.socket.into_iter().collect());
}

fn newer_cpu(k: &mut Kit, flash_button: Option<bool>) {
    newer_cpu_on(k, "B550 test board", "AMD Ryzen 7 5800X3D");
    k.board("board").flash_button = flash_button;
}

/// Registered modules for a first Xeon Scalable.
fn newer_memory(k: &mut Kit, speed: u32, each: f64) {
    newer_cpu_on(k, "C621 test board", "Intel Xeon Bronze 3104");
    k.board("board").module_types = Some(vec![ModuleType::Rdimm]);
    k.board("board").chipset = Some("C621".to_owned());
    k.cpu("cpu").registered = Some(true);
    k.cpu("cpu").memory_mt_s = Some(2133);
    for slot in &mut k.board("board").connectors {
        slot.r#gen = Some(3);
    }
    let kit = k.ram("ram");
    (kit.module_type, kit.speed_mt_s, kit.gb_per_module) = (Some(ModuleType::Rdimm), Some(speed), Some(each));
}

fn limited(k: &mut Kit) {
    k.set("gpu", "power_limit_w", "250");
}

fn slot_fed(k: &mut Kit) {
    k.gpu("gpu").plugs = Some(Vec::new());
    k.gpu("gpu").tdp_w = Some(70.0);
    k.gpu("gpu").power_min_w = Some(40.0);
}

fn aged(k: &mut Kit) {
    k.psu("psu").atx_version = Some("2.x".to_owned());
    k.psu("psu").watts = Some(850.0);
}

fn power() -> Vec<Row> {
    let limited_aged: Change = |k| {
        aged(k);
        limited(k);
    };
    let limited_unknown: Change = |k| {
        limited(k);
        k.psu("psu").atx_version = None;
    };
    let weak_lead: Change = |k| {
        sixteen_pin(k);
        k.psu("psu").hpwr_w = Some(150.0);
    };
    let unrated_lead: Change = |k| {
        sixteen_pin(k);
        k.psu("psu").hpwr_w = None;
    };
    let chained: Change = |k| {
        k.set("gpu", "leads", "1");
        k.psu("psu").pcie_leads = None;
    };
    let divided: Change = |k| {
        k.psu("psu").rails = Some(Rails::Several);
        k.psu("psu").rail_a = Some(20.0);
    };
    let small_slot: Change = |k| {
        slot_fed(k);
        k.set("board", "slot_w.P1", "50");
    };
    let few: Change = |k| k.psu("psu").plugs = Some(vec![Plugs { plug: Plug::Pcie8, count: 1 }, Plugs { plug: Plug::Eps8, count: 2 }]);
    vec![
        row(
            "psu_capacity",
            |k| k.psu("psu").watts = Some(500.0),
            Third::Unknown(|k| k.gpu("gpu").tdp_w = None, "tdp_w"),
            &[("psu_w", 500.0)],
        ),
        row(
            "transient_headroom",
            aged,
            Third::Unknown(|k| k.psu("psu").atx_version = None, "atx_version"),
            &[("gpu_peak_w", 758.3), ("bears_w", 850.0)],
        ),
        row("power_limit_not_transient", limited_aged, Third::Unknown(limited_unknown, "atx_version"), &[("gpu_w", 250.0)]).passes(limited),
        row(
            "circuit_continuous",
            |k| k.project.room.circuit_a = 5.0,
            Third::Unknown(
                |k| {
                    k.project.room.circuit_a = 6.25;
                    k.psu("psu").efficiency = None;
                },
                "efficiency",
            ),
            &[("limit_w", 480.0), ("hard_limit_w", 600.0)],
        ),
        row(
            "psu_efficiency",
            |k| k.psu("psu").efficiency = Some(Efficiency::White),
            Third::Unknown(|k| k.psu("psu").efficiency = None, "efficiency"),
            &[],
        ),
        row(
            "gpu_plug_type",
            few,
            Third::Unknown(|k| k.psu("psu").plugs = None, "plugs"),
            &[("pcie8_needed", 2.0), ("pcie8_available", 1.0)],
        ),
        row(
            "board_eps",
            |k| k.board("board").eps_plugs = Some(3),
            Third::Unknown(|k| k.board("board").eps_plugs = None, "eps_plugs"),
            &[("eps_total_needed", 3.0), ("eps_available", 2.0)],
        ),
        row(
            "pigtail_load",
            chained,
            Third::Unknown(|k| k.psu("psu").pcie_leads = None, "pcie_leads"),
            &[("cable_load_w", 300.0), ("per_plug_w", 150.0)],
        ),
        row(
            "psu_multi_rail",
            divided,
            Third::Unknown(|k| k.psu("psu").rails = None, "rails"),
            &[("psu_w", 1000.0), ("rail_w", 240.0), ("load_w", 275.0)],
        ),
        row("slot_power", small_slot, Third::Unknown(|k| k.gpu("gpu").plugs = None, "plugs"), &[("slot_w", 50.0), ("card_w", 70.0)])
            .passes(slot_fed),
        row("hpwr_rating", weak_lead, Third::Unknown(unrated_lead, "hpwr_w"), &[("card_w", 275.0), ("rated_w", 150.0)]).passes(sixteen_pin),
    ]
}

fn heat() -> Vec<Row> {
    let order_only: Change = |k| {
        pair(k);
        for (label, order) in [("P1", 1), ("P3", 2), ("P5", 3), ("P7", 4)] {
            k.slot(label).opening = None;
            k.slot(label).order = Some(order);
        }
    };
    let apart: Change = |k| k.seat("gpu", "board/P5");
    let hot_memory: Change = |k| {
        k.gpu("gpu").memory_type = Some("GDDR6X".to_owned());
        k.gpu("gpu").cooler = Some(GpuCooler::Blower);
    };
    let passive: Change = |k| k.gpu("gpu").cooler = Some(GpuCooler::Passive);
    let passive_somewhere: Change = |k| {
        k.gpu("gpu").cooler = Some(GpuCooler::Passive);
        k.case("case").kind = None;
    };
    vec![
        row("gpu_adjacent_open_air", pair, Third::Unknown(order_only, "opening of P1"), &[("gap_mm", 0.6), ("limit_mm", 20.3)])
            .passes(apart),
        row("gpu_heat_loss", pair, Third::Unknown(|k| k.gpu("gpu").tdp_w = None, "tdp_w"), &[("die_c", 84.0), ("limit_pct", 5.0)]),
        row(
            "gpu_memory_heat",
            hot_memory,
            Third::Unknown(|k| k.gpu("gpu").tdp_w = None, "tdp_w"),
            &[("memory_c", 110.0), ("limit_c", 110.0)],
        )
        .passes(|k| k.gpu("gpu").memory_type = Some("GDDR6X".to_owned())),
        row("passive_gpu_airflow", passive, Third::Unknown(passive_somewhere, "kind"), &[("power_w", 350.0)]),
        row(
            "cooler_capacity",
            |k| k.cooler("cooler").tdp_w = Some(65.0),
            Third::Unknown(|k| k.cooler("cooler").tdp_w = None, "tdp_w"),
            &[("cpu_w", 105.0), ("cooler_w", 65.0)],
        ),
        row(
            "cpu_water",
            |k| k.cooler("cooler").kind = Some(CoolerKind::Block),
            Third::Unknown(|k| k.cooler("cooler").kind = None, "kind"),
            &[],
        ),
    ]
}

fn work() -> Vec<Row> {
    let old_and_new: Change = |k| k.seat("gpu.old", "board/P5");
    let pair_unknown: Change = |k| {
        k.gpu("gpu").last_cuda = None;
        k.seat("gpu", "board/P5");
    };
    let long: Change = |k| {
        k.job(8.0);
        let job = &mut k.project.workloads[0];
        (job.context, job.batch) = (131_072, 2);
    };
    let no_size: Change = |k| {
        k.job(8.0);
        k.gpu("gpu").memory_gb = None;
    };
    vec![
        row(
            "fp16_capable",
            |k| k.gpu("gpu").compute_capability = Some("6.1".to_owned()),
            Third::Unknown(|k| k.gpu("gpu").compute_capability = None, "compute_capability"),
            &[("compute_capability", 6.1)],
        ),
        row(
            "gpu_memory_floor",
            |k| k.gpu("gpu").memory_gb = Some(6.0),
            Third::Unknown(|k| k.gpu("gpu").memory_gb = None, "memory_gb"),
            &[("memory_gb", 6.0), ("floor_gb", 8.0), ("research_gb", 11.0)],
        ),
        row("model_fits", long, Third::Unknown(no_size, "memory_gb"), &[("capacity_gib", 24.0), ("cards", 1.0)]).passes(|k| k.job(8.0)),
        row(
            "cpu_threads_per_gpu",
            |k| k.cpu("cpu").threads = Some(1),
            Third::Unknown(|k| k.cpu("cpu").threads = None, "threads"),
            &[("threads", 1.0), ("gpus", 1.0)],
        ),
        row("cuda_mix", old_and_new, Third::Unknown(pair_unknown, "last_cuda"), &[("lowest_capability", 7.0), ("highest_capability", 8.6)]),
        row(
            "no_display_output",
            |k| k.gpu("gpu").segment = Some("data centre".to_owned()),
            Third::Unknown(|k| k.gpu("gpu").segment = None, "segment"),
            &[],
        ),
        row(
            "drive_stream",
            |k| k.drive("drive").rotating = Some(true),
            Third::Unknown(|k| k.drive("drive").rotating = None, "rotating"),
            &[("batch_ms", 2.8)],
        )
        .hopeless(),
    ]
}

fn money() -> Vec<Row> {
    vec![
        row(
            "lifecycle",
            |k| k.part("gpu").life.outlook = Some(Outlook::Gone),
            Third::Unknown(|k| k.part("gpu").life.outlook = None, "life.outlook"),
            &[],
        )
        .hopeless(),
        row("price_unknown", |k| k.unprice("gpu"), Third::Never("what is judged is whether prices are known"), &[("unpriced", 1.0)])
            .hopeless(),
        row(
            "price_old",
            |k| k.part("gpu").prices[0].date = "2023-07".to_owned(),
            Third::Unknown(|k| k.part("gpu").prices[0].date = "soon".to_owned(), "price date"),
            &[("old", 1.0), ("oldest_days", 1234.0)],
        )
        .hopeless(),
    ]
}
