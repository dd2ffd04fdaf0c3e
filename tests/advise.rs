//! The best rigs for the money: against trying everything on small random catalogs, and on the shipped catalog.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::sync::Arc;

use rigbay::analysis::Effort;
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::part::{Board, Case, Connector, Cooler, Cpu, Drive, Gpu, Part, PartId, PartKind, Plugs, Price, Psu, Ram};
use rigbay::catalog::templates::Templates;
use rigbay::catalog::vocab::{
    CaseKind, ConnectorKind, CoolerKind, DriveBus, DriveForm, Efficiency, FormFactor, GpuCooler, GpuForm, GpuVendor, MemoryType,
    ModuleType, Plug, PriceKind, PsuForm, Socket,
};
use rigbay::checks::finding::{Severity, Verdict};
use rigbay::import::model_list::load_all;
use rigbay::project::Project;
use rigbay::project::edit::Edit;
use rigbay::report::analyze;
use rigbay::search::advise::{Advice, Wish, advise, exhaustive};
use rigbay::units::{Currency, Money};
use rigbay::workload::Workload;

/// Numbers that look random and are the same everywhere (Numerical Recipes' LCG).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len() as u64) as usize]
    }
    /// One in `n`.
    fn one_in(&mut self, n: u64) -> bool {
        self.roll(n) == 0
    }
}

fn part(dice: &mut Dice, id: &str, kind: PartKind, least: u64, spread: u64) -> Part {
    let amount = (least * 100 + dice.roll(spread * 100)) as f64 / 100.0;
    let price = Price {
        amount,
        currency: "USD".to_owned(),
        date: "2026-11-01".to_owned(),
        kind: PriceKind::StreetNew,
        source: "shop".to_owned(),
        note: None,
    };
    // Some have no price and take no part.
    let prices = if dice.one_in(20) { Vec::new() } else { vec![price] };
    Part { prices, ..Part::bare(PartId::new(id), id, kind) }
}

fn board(dice: &mut Dice) -> Board {
    let slot = |n: u8, opening: u8| Connector {
        opening: Some(opening),
        ..Connector::new(format!("S{n}"), ConnectorKind::Pcie, Some(16), Some(4))
    };
    let (gap, told) = (dice.pick(&[1, 2, 3]), !dice.one_in(6));
    let slot = |n: u8, opening: u8| Connector { opening: Some(opening).filter(|_| told), order: Some(n + 1), ..slot(n, opening) };
    let mut connectors: Vec<Connector> = (0..dice.pick(&[1, 2, 3])).map(|n| slot(n, 1 + n * gap)).collect();
    connectors.push(Connector { max_length_mm: Some(80), ..Connector::new("M2", ConnectorKind::M2, Some(4), Some(4)) });
    Board {
        socket: Some(dice.pick(&[Socket::Am5, Socket::Am5, Socket::Am5, Socket::Am4])),
        form_factor: Some(dice.pick(&[FormFactor::Atx, FormFactor::MicroAtx, FormFactor::Eatx])),
        memory_type: Some(dice.pick(&[MemoryType::Ddr5, MemoryType::Ddr5, MemoryType::Ddr5, MemoryType::Ddr4])),
        module_types: Some(vec![ModuleType::Udimm]),
        dimm_slots: Some(dice.pick(&[2, 4])),
        eps_plugs: Some(1),
        above_4g: Some(true),
        connectors,
        ..Board::default()
    }
}

fn gpu(dice: &mut Dice) -> Gpu {
    Gpu {
        vendor: Some(GpuVendor::Nvidia),
        product: Some("Card".to_owned()),
        segment: Some("consumer".to_owned()),
        form: Some(GpuForm::Card),
        memory_gb: Some(dice.pick(&[8.0, 16.0, 24.0])),
        bandwidth_gb_s: Some(dice.pick(&[300.0, 600.0, 600.0, 1000.0])),
        tensor_fp16_tflops: Some(70.0),
        tdp_w: Some(dice.pick(&[150.0, 250.0, 350.0])),
        length_mm: Some(dice.pick(&[240.0, 300.0, 330.0])),
        slots: Some(dice.pick(&[2.0, 2.5, 3.0])),
        cooler: Some(if dice.one_in(10) { GpuCooler::Passive } else { GpuCooler::OpenAir }),
        plugs: Some(vec![Plugs { plug: Plug::Pcie8, count: dice.pick(&[1, 2, 3]) }]),
        pcie_gen: Some(4),
        pcie_lanes: Some(16),
        ..Gpu::default()
    }
}

fn small_catalog(dice: &mut Dice, templates: &Templates) -> Catalog {
    let mut parts = Vec::new();
    for n in 0..2 {
        let (b, g) = (board(dice), gpu(dice));
        parts.push(part(dice, &format!("board.t.b{n}"), PartKind::Board(b), 100, 200));
        parts.push(part(dice, &format!("gpu.t.g{n}"), PartKind::Gpu(g), 300, 700));
    }
    for n in 0..2 {
        let cpu = Cpu {
            socket: Some(dice.pick(&[Socket::Am5, Socket::Am5, Socket::Am5, Socket::Am4])),
            cores: Some(8),
            threads: Some(16),
            tdp_w: Some(dice.pick(&[65.0, 170.0])),
            pcie_lanes: Some(24),
            pcie_gen: Some(4),
            memory_channels: Some(2),
            memory_types: Some(vec![MemoryType::Ddr4, MemoryType::Ddr5]),
            registered: Some(false),
            ..Cpu::default()
        };
        parts.push(part(dice, &format!("cpu.t.c{n}"), PartKind::Cpu(cpu), 100, 300));
        let ram = Ram {
            memory_type: Some(dice.pick(&[MemoryType::Ddr5, MemoryType::Ddr5, MemoryType::Ddr5, MemoryType::Ddr4])),
            module_type: Some(ModuleType::Udimm),
            speed_mt_s: Some(3200),
            modules: Some(2),
            gb_per_module: Some(dice.pick(&[8.0, 16.0])),
            ..Ram::default()
        };
        parts.push(part(dice, &format!("ram.t.r{n}"), PartKind::Ram(ram), 40, 100));
        let psu = Psu {
            watts: Some(dice.pick(&[450.0, 850.0, 1000.0])),
            efficiency: Some(Efficiency::Gold),
            form: Some(dice.pick(&[PsuForm::Atx, PsuForm::Atx, PsuForm::Atx, PsuForm::Sfx])),
            length_mm: Some(dice.pick(&[140.0, 150.0, 180.0])),
            plugs: Some(vec![Plugs { plug: Plug::Pcie8, count: dice.pick(&[2, 4, 6]) }, Plugs { plug: Plug::Eps8, count: 2 }]),
            ..Psu::default()
        };
        parts.push(part(dice, &format!("psu.t.p{n}"), PartKind::Psu(psu), 60, 150));
        let case = Case {
            kind: Some(CaseKind::Tower),
            board_forms: Some(
                dice.pick(&[
                    &[FormFactor::Atx, FormFactor::MicroAtx][..],
                    &[FormFactor::MicroAtx][..],
                    &[FormFactor::Eatx, FormFactor::Atx][..],
                ])
                .to_vec(),
            ),
            max_board_depth_mm: Some(300.0),
            expansion_slots: Some(dice.pick(&[4, 7])),
            max_gpu_length_mm: Some(dice.pick(&[280.0, 340.0, 340.0])),
            max_cooler_height_mm: Some(dice.pick(&[130.0, 170.0, 170.0])),
            max_psu_length_mm: Some(dice.pick(&[160.0, 200.0])),
            psu_forms: Some(vec![PsuForm::Atx]),
            ..Case::default()
        };
        parts.push(part(dice, &format!("case.t.x{n}"), PartKind::Case(case), 50, 100));
    }
    {
        let n = 0;
        let cooler = Cooler {
            kind: Some(CoolerKind::Tower),
            height_mm: Some(dice.pick(&[120.0, 158.0])),
            tdp_w: Some(180.0),
            sockets: Some(vec![Socket::Am4, Socket::Am5]),
            ..Cooler::default()
        };
        parts.push(part(dice, &format!("cooler.t.k{n}"), PartKind::Cooler(cooler), 20, 60));
        let drive = Drive {
            capacity_gb: Some(1000.0),
            form: Some(DriveForm::M2_2280),
            bus: Some(DriveBus::Nvme),
            pcie_gen: Some(4),
            pcie_lanes: Some(4),
            ..Drive::default()
        };
        parts.push(part(dice, &format!("drive.t.d{n}"), PartKind::Drive(drive), 50, 60));
    }
    Catalog::new(parts, templates.clone(), "test".to_owned())
}

fn workload(name: &str) -> Workload {
    let (models, _) = load_all(None);
    Workload::of(Arc::new(models.into_iter().find(|m| m.name == name).unwrap()))
}

fn project(workload: Workload) -> Project {
    let mut project = Project { workloads: vec![workload], ..Project::default() };
    project.room.circuit_a = 16.0;
    project
}

fn wish(budget: f64) -> Wish {
    Wish::new(Money::new(budget, Currency::USD))
}

fn found(catalog: &Catalog, project: &Project, wish: &Wish) -> Advice {
    advise(catalog, project, wish, &mut |_| true).unwrap()
}

/// Cost in cents and speed of each rig of the front.
fn figures(front: &[rigbay::search::advise::Found]) -> Vec<(i64, u64)> {
    front.iter().map(|f| (f.cost.cents, f.speed.to_bits())).collect()
}

#[test]
fn the_front_equals_trying_everything_on_200_small_catalogs() {
    let job = workload("Qwen/Qwen3-8B");
    let templates = (*shipped().templates).clone();
    let (mut rigs, mut tried, mut empty) = (0, 0, 0);
    for seed in 0..200 {
        let mut dice = Dice(seed);
        let catalog = small_catalog(&mut dice, &templates);
        let wish = Wish {
            max_watts: dice.one_in(4).then_some(500.0),
            min_memory_gb: dice.one_in(4).then_some(24.0),
            close: 0.0,
            most_analyses: 100_000,
            ..wish(dice.pick(&[1000.0, 1600.0, 3000.0]))
        };
        let project = project(job.clone());
        let (all, n) = exhaustive(&catalog, &project, &wish);
        let advice = found(&catalog, &project, &wish);
        assert_eq!(figures(&advice.front), figures(&all), "catalog {seed}");
        assert_eq!(advice.gap, 0.0, "catalog {seed}");
        (rigs, tried, empty) = (rigs + all.len(), tried + n, empty + usize::from(all.is_empty()));
    }
    // The catalogs are no empty exercise.
    assert!(rigs > 50 && tried > 2000 && empty < 170, "{rigs} rigs on fronts of {tried}, {empty} without one");
}

fn shipped() -> Catalog {
    let (catalog, faults) = load(&embedded_files(""));
    assert!(faults.is_empty());
    catalog
}

/// What holds of every rig that is named.
fn holds(catalog: &Catalog, project: &Project, wish: &Wish, advice: &Advice) {
    for rig in &advice.front {
        let whole = Project { rig: rig.build.clone(), ..project.clone() };
        let report = analyze(catalog, &whole, Effort::Full);
        let bad = report.findings.iter().find(|f| f.severity == Severity::Blocker && f.verdict != Verdict::Pass);
        assert!(bad.is_none(), "{}: {:?}", rig.cards, bad.map(|f| &f.message));
        assert!(report.facts.cost.unpriced.is_empty());
        assert_eq!(report.facts.cost.known_total, rig.cost);
        assert!(rig.cost.cents <= wish.budget.cents);
        assert_eq!(rig.parts.iter().filter_map(|p| p.price).map(|p| p.cents).sum::<i64>(), rig.cost.cents);
        assert_eq!(report.facts.speed[0].value.map(f64::to_bits), Some(rig.speed.to_bits()));
        assert_eq!(report.facts.power.wall_w, rig.wall_w);
        assert!(!rig.why.is_empty());
        // Nothing waits in the tray, and every role is filled.
        assert_eq!(whole.rig.tray(catalog).count(), 0);
        for kind in ["gpu", "board", "cpu", "cooler", "ram", "drive", "psu", "case"] {
            assert!(rig.parts.iter().any(|p| p.kind == kind), "{} has no {kind}", rig.cards);
        }
    }
    for pair in advice.front.windows(2) {
        assert!(pair[0].cost.cents < pair[1].cost.cents && pair[0].speed < pair[1].speed);
    }
}

#[test]
fn rigs_of_the_shipped_catalog_pass_and_cost_what_is_said() {
    let catalog = shipped();
    let project = project(workload("Qwen/Qwen3-32B"));
    let wish = wish(4000.0);
    let advice = found(&catalog, &project, &wish);
    assert!(advice.front.len() > 1, "{advice:?}");
    holds(&catalog, &project, &wish, &advice);
    assert!(advice.left_out.total() > 0 && advice.left_out.by_kind.contains_key("gpu"));
    // Less money never buys more.
    let less = found(&catalog, &project, &Wish { budget: Money::new(2500.0, Currency::USD), ..wish.clone() });
    holds(&catalog, &project, &less_wish(&wish), &less);
    let fastest = |a: &Advice| a.front.last().map_or(0.0, |f| f.speed);
    assert!(fastest(&less) <= fastest(&advice));
    // The same question has the same answer.
    assert_eq!(found(&catalog, &project, &wish), advice);
}

fn less_wish(wish: &Wish) -> Wish {
    Wish { budget: Money::new(2500.0, Currency::USD), ..wish.clone() }
}

#[test]
fn what_is_kept_stays_and_costs_nothing() {
    let catalog = shipped();
    let mut project = project(workload("Qwen/Qwen3-8B"));
    let first = found(&catalog, &project, &wish(2500.0));
    project.rig = first.front[0].build.clone();
    let kept: Vec<_> = project.rig.placements().map(|(id, p)| (id, p.clone())).collect();
    let wish = wish(1500.0);
    let advice = found(&catalog, &project, &wish);
    assert_eq!((advice.front[0].cost.cents, advice.front[0].parts.iter().filter(|p| p.price.is_some()).count()), (0, 0));
    for rig in &advice.front {
        assert!(kept.iter().all(|(id, piece)| rig.build.placement(*id) == Some(piece)), "{}", rig.cards);
        assert!(rig.cost.cents <= wish.budget.cents);
    }
}

#[test]
fn limits_hold_and_nothing_is_said_in_words() {
    let catalog = shipped();
    let project = project(workload("Qwen/Qwen3-8B"));
    let tight = Wish { max_watts: Some(400.0), ..wish(1500.0) };
    let advice = found(&catalog, &project, &tight);
    assert!(!advice.front.is_empty() && advice.front.iter().all(|f| f.wall_w.is_some_and(|w| w <= 400.0)));
    let quiet = Wish { max_dba: Some(50.0), most_analyses: 200, ..wish(1500.0) };
    assert!(found(&catalog, &project, &quiet).front.iter().all(|f| f.noise_dba.is_some_and(|d| d <= 50.0)));
    let poor = found(&catalog, &project, &wish(50.0));
    assert!(poor.front.is_empty() && !poor.remarks.is_empty());
    let mut steps = 0;
    let stopped = advise(&catalog, &project, &wish(2000.0), &mut |_| {
        steps += 1;
        steps < 4
    })
    .unwrap();
    assert!(stopped.cancelled && stopped.gap > 0.0);
    let idle = Project { workloads: Vec::new(), ..project.clone() };
    assert!(advise(&catalog, &idle, &wish(3000.0), &mut |_| true).unwrap_err().contains("Name a model"));
    let placed = Edit::place(&PartId::new("gpu.nvidia.rtx-3090-fe"), None).apply(&catalog, &project).unwrap();
    // What lies in the tray is no part of the rig.
    assert_eq!(figures(&found(&catalog, &placed, &wish(1500.0)).front), figures(&found(&catalog, &project, &wish(1500.0)).front));
}
