//! The cost ledger beside sums worked by hand, and price books.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use rigbay::analysis::cost::result::{ResultCost, Thing};
use rigbay::analysis::cost::{Cost, price_for};
use rigbay::analysis::{Effort, facts};
use rigbay::build::{PlacementId, SlotId};
use rigbay::catalog::Catalog;
use rigbay::catalog::part::{Board, Connector, Cpu, Gpu, Part, PartId, PartKind, Price, Psu};
use rigbay::catalog::templates::Templates;
use rigbay::catalog::vocab::{ConnectorKind, Efficiency, GpuForm, PriceKind};
use rigbay::import::model_list::load_all;
use rigbay::import::price_book::{Match, read};
use rigbay::project::economy::{Condition, Economy, Rent, Service, Tariff};
use rigbay::project::edit::{Edit, Refusal};
use rigbay::project::file::{Snapshot, load_text, save_text};
use rigbay::project::{Project, Rate};
use rigbay::units::{Currency, Money};
use rigbay::workload::Workload;

fn part(id: &str, number: Option<&str>, kind: PartKind, prices: &[(f64, PriceKind)]) -> Part {
    let price = |(amount, kind): &(f64, PriceKind)| Price {
        amount: *amount,
        currency: "USD".to_owned(),
        date: "2026-11-01".to_owned(),
        kind: *kind,
        source: "shop".to_owned(),
        note: None,
    };
    let part = Part::bare(PartId::new(id), id, kind);
    Part { prices: prices.iter().map(price).collect(), part_number: number.map(str::to_owned), ..part }
}

/// A board without draw of note, a 60 W processor, a 400 W card, a supply of 1,000 W.
fn catalog() -> Catalog {
    let slot = Connector::new("S1", ConnectorKind::Pcie, Some(16), Some(4));
    let board = Board { connectors: vec![slot.clone(), Connector { label: "S2".to_owned(), ..slot }], ..Board::default() };
    let gpu = Gpu {
        form: Some(GpuForm::Card),
        memory_gb: Some(24.0),
        bandwidth_gb_s: Some(1000.0),
        tdp_w: Some(400.0),
        pcie_lanes: Some(16),
        ..Gpu::default()
    };
    let parts = [
        part("board", Some("B-1"), PartKind::Board(board), &[(200.01, PriceKind::StreetNew)]),
        part("cpu", None, PartKind::Cpu(Cpu { tdp_w: Some(60.0), ..Cpu::default() }), &[(300.02, PriceKind::StreetNew)]),
        part("gpu", Some("G-24"), PartKind::Gpu(gpu), &[(1000.0, PriceKind::StreetNew), (600.0, PriceKind::StreetUsed)]),
        part(
            "psu",
            Some("P-1K"),
            PartKind::Psu(Psu { watts: Some(1000.0), efficiency: Some(Efficiency::Gold), ..Psu::default() }),
            &[(99.97, PriceKind::StreetNew)],
        ),
    ];
    Catalog::new(parts, Templates::default(), "test".to_owned())
}

/// Board, processor, card, supply; 10 hours a day at 0.20, two years.
fn rig(catalog: &Catalog) -> Project {
    let board = PlacementId(0);
    let places = [
        ("board", SlotId::rig("board")),
        ("cpu", SlotId::of(board, "cpu1")),
        ("gpu", SlotId::of(board, "S1")),
        ("psu", SlotId::rig("psu1")),
    ];
    let mut project = places
        .into_iter()
        .fold(Project::default(), |p, (part, slot)| Edit::place(&PartId::new(part), Some(slot)).apply(catalog, &p).unwrap());
    (project.room.hours_per_day, project.room.tariff_per_kwh, project.room.life_years) = (10.0, 0.20, 2.0);
    project.economy = Economy { repair_pct: 0.0, card_loss_pct: 50.0, part_loss_pct: 80.0, ..Economy::default() };
    project
}

fn cost(catalog: &Catalog, project: &Project) -> Cost {
    facts(catalog, project, Effort::Live).cost
}

fn cents(money: Money) -> i64 {
    money.cents
}

fn with(project: &Project, change: impl FnOnce(&mut Economy)) -> Project {
    let mut next = project.clone();
    change(&mut next.economy);
    next
}

fn served(mut project: Project) -> Project {
    let (models, _) = load_all(None);
    let model = models.into_iter().find(|m| m.name == "Qwen/Qwen3-8B").unwrap();
    project.workloads = vec![Workload::of(std::sync::Arc::new(model))];
    project
}

fn of(cost: &Cost, thing: Thing) -> &ResultCost {
    cost.results.iter().find(|r| r.thing == thing).unwrap()
}

/// 200.01 + 300.02 + 1000.00 + 99.97 = 1600.00; 7.25 % of it is 116.00; 49.99 for shipping.
#[test]
fn purchase_tax_and_shipping_are_exact_in_cents() {
    let catalog = catalog();
    let project = rig(&catalog);
    let plain = cost(&catalog, &project);
    assert_eq!((cents(plain.known_total), cents(plain.tax), cents(plain.shipping), cents(plain.paid)), (160_000, 0, 0, 160_000));
    let taxed = cost(&catalog, &with(&project, |e| (e.tax_pct, e.shipping) = (7.25, 49.99)));
    assert_eq!((cents(taxed.known_total), cents(taxed.tax), cents(taxed.shipping), cents(taxed.paid)), (160_000, 11_600, 4_999, 176_599));
    // A third of a cent is rounded once, in the sum.
    let odd = cost(&catalog, &with(&project, |e| e.tax_pct = 0.0002));
    assert_eq!(cents(odd.tax), 0);
}

#[test]
fn used_and_new_are_chosen_for_all_or_for_one_piece() {
    let catalog = catalog();
    let project = rig(&catalog);
    let used = with(&project, |e| e.condition = Condition::Used);
    assert_eq!(cents(cost(&catalog, &used).known_total), 120_000);
    // Where nobody asked for a used one, the new price counts.
    assert_eq!(price_for(&catalog, &used, &PartId::new("cpu"), Condition::Used).unwrap().kind, PriceKind::StreetNew);
    let set = |value: &str| Edit::Set { what: PlacementId(2), key: "condition".to_owned(), value: Some(value.to_owned()) };
    let one = set("used").apply(&catalog, &project).unwrap();
    assert_eq!(cents(cost(&catalog, &one).known_total), 120_000);
    let new = set("new").apply(&catalog, &used).unwrap();
    assert_eq!(cents(cost(&catalog, &new).known_total), 160_000);
    assert!(matches!(set("worn").apply(&catalog, &project), Err(Refusal::BadValue { field: "condition", .. })));
}

/// 40 W board + 60 W + 400 W = 500 W at half load; Gold gives 0.90 at 115 V: 555.56 W from the wall.
/// A month: 0.55556 kW × 10 h × 30.44 d = 169.11 kWh, at 0.20 33.82. With 6 idle hours at 20 %: 111.11 W × 6 × 30.44 = 20.293 kWh, 4.06.
/// A quarter more for carrying the heat away: (33.8222 + 4.0587) × 1.25 = 47.35.
#[test]
fn energy_by_duty_cycle() {
    let catalog = catalog();
    let project = rig(&catalog);
    let energy = cost(&catalog, &project).energy.unwrap();
    assert!((energy.load_w - 5000.0 / 9.0).abs() < 1e-9);
    assert_eq!(cents(energy.month), 3382);
    assert_eq!(cents(energy.supply_month), 338);
    let idle = with(&project, |e| e.idle_hours_per_day = 6.0);
    let energy = cost(&catalog, &idle).energy.unwrap();
    assert_eq!((cents(energy.month), cents(energy.idle_month)), (3788, 406));
    let cooled = with(&idle, |e| e.cooling_pct = 25.0);
    let energy = cost(&catalog, &cooled).energy.unwrap();
    assert_eq!((cents(energy.month), cents(energy.cooling_month)), (4735, 947));
    // From 20 o'clock ten hours: two at 0.20, eight at 0.05. Mean 0.08.
    let night = with(&project, |e| {
        e.work_from_h = 20.0;
        e.tariffs = vec![Tariff { from_h: 22.0, to_h: 6.0, per_kwh: 0.05 }];
    });
    let energy = cost(&catalog, &night).energy.unwrap();
    assert!((energy.load_tariff - 0.08).abs() < 1e-12);
    assert_eq!(cents(energy.month), 1353);
}

/// Two weeks without a stop: 500 W × 336 h = 168 kWh, 33.60; the supply loses 55.56 W, 18.667 kWh, 3.73.
#[test]
fn a_run_of_two_weeks() {
    let catalog = catalog();
    let run = cost(&catalog, &rig(&catalog)).run.unwrap();
    assert!((run.kwh - 168.0).abs() < 1e-9 && (run.lost_kwh - 18.0 - 2.0 / 3.0).abs() < 1e-9);
    assert_eq!((cents(run.cost), cents(run.lost)), (3360, 373));
}

/// After a year the card is worth 500.00, the other 600.00 are worth 120.00; after two 250.00 and 24.00.
/// Energy 33.82 × 12 = 405.84; repair 10 % of 1,600 a year.
#[test]
fn years_add_up() {
    let catalog = catalog();
    let project = with(&rig(&catalog), |e| e.repair_pct = 10.0);
    let cost = cost(&catalog, &project);
    let by_hand = [(40_584, 16_000, 62_000), (81_168, 32_000, 27_400)];
    for (year, (energy, repair, resale)) in cost.years.iter().zip(by_hand) {
        assert_eq!((year.energy.map(cents), cents(year.repair), cents(year.resale)), (Some(energy), repair, resale));
        assert_eq!(year.total.map(cents), Some(160_000 + energy + repair - resale));
    }
    assert_eq!(cost.years.len(), 5);
    // Without a supply the energy is unknown, and so is the total.
    let bare = Edit::Remove(PlacementId(3)).apply(&catalog, &project).unwrap();
    let cost = facts(&catalog, &bare, Effort::Live).cost;
    assert!(cost.years.iter().all(|y| y.energy.is_none() && y.total.is_none()));
}

/// Two years of 10 h a day are 7,305 h. 1,600.00 less 274.00 for the sale: 1,326.00 over them is 0.18152 an hour, and energy 0.11111.
#[test]
fn a_result_costs_its_share_of_purchase_and_energy() {
    let catalog = catalog();
    let project = served(rig(&catalog));
    let facts = facts(&catalog, &project, Effort::Live);
    let speed = facts.speed[0].value.unwrap();
    let hour = 1326.0 / 7305.0 + 5.0 / 9.0 * 0.20;
    assert!((facts.cost.life.unwrap().hour - hour).abs() < 1e-9);
    let million = of(&facts.cost, Thing::MillionTokensGenerated);
    assert!((million.value.unwrap() - hour / (speed * 3600.0) * 1e6).abs() < 1e-9);
    assert!(million.low < million.value && million.value < million.high);
    let gb = of(&facts.cost, Thing::GraphicsMemoryGb).value.unwrap();
    assert!((gb - 1600.0 / 24.0).abs() < 1e-9);
    let flop = 2.0 * project.workloads[0].model.active_params() as f64;
    assert!((of(&facts.cost, Thing::TflopReached).value.unwrap() - 1600.0 / (speed * flop / 1e12)).abs() < 1e-6);
}

/// At 0.61111 an hour renting costs 0.50 more than the rig's energy of 0.11111: 1,326 ÷ 0.50 = 2,652 h, of 17,532 in two years.
#[test]
fn break_even_against_rent_and_service() {
    let catalog = catalog();
    let rent = |per_hour, speed| Rent { name: "hire".to_owned(), per_hour, currency: Currency::USD, date: "2026-11-30".to_owned(), speed };
    let project =
        with(&served(rig(&catalog)), |e| e.rents = vec![rent(0.1 / 0.9 + 0.5, 1.0), rent(0.1, 1.0), rent(2.0 * (0.1 / 0.9 + 0.5), 2.0)]);
    let found = cost(&catalog, &project);
    let even = &found.even;
    assert!((even[0].hours.unwrap() - 2652.0).abs() < 1e-6);
    assert!((even[0].share.unwrap() - 2652.0 / 17_532.0).abs() < 1e-9);
    assert_eq!(even[1].hours, None);
    assert!((even[2].hours.unwrap() - 2652.0).abs() < 1e-6);
    // On the curve the rig's line crosses the rent's there.
    let points = even[0].over_use(&found);
    assert!(points.iter().all(|p| (p.own < p.other) == (p.share > even[0].share.unwrap())));
    let euro = Service { name: "api".to_owned(), per_million: 5.0, currency: Currency::EUR, date: "2026-11-30".to_owned() };
    let mut project = with(&served(rig(&catalog)), |e| e.services = vec![euro]);
    // This catalog has no rates: an offer in euros is not compared with dollars.
    assert!(cost(&catalog, &project).even[0].missing.as_deref().unwrap().contains("EUR"));
    project.prices.rates.insert("EUR".to_owned(), Rate { to: Currency::USD, per_unit: 1.1, date: "2026-11-30".to_owned() });
    let all = facts(&catalog, &project, Effort::Live);
    let hour = 5.5 * all.speed[0].value.unwrap() * 3600.0 / 1e6;
    assert!((all.cost.even[0].other_hour.unwrap() - hour).abs() < 1e-9);
}

/// Taking a part out never makes the rest dearer.
#[test]
fn removing_a_part_never_raises_the_price() {
    let catalog = catalog();
    let project = with(&rig(&catalog), |e| (e.tax_pct, e.shipping) = (8.875, 20.0));
    let before = cost(&catalog, &project).paid.cents;
    for id in 0..4 {
        let after = Edit::Remove(PlacementId(id)).apply(&catalog, &project).unwrap();
        assert!(cost(&catalog, &after).paid.cents <= before, "p{id}");
    }
}

#[test]
fn settings_are_edits_saved_with_the_rig_and_checked() {
    let catalog = catalog();
    let project = rig(&catalog);
    let economy = Economy {
        tax_pct: 19.0,
        idle_hours_per_day: 4.0,
        epoch_tokens: Some(1e9),
        tariffs: vec![Tariff { from_h: 22.0, to_h: 6.0, per_kwh: 0.1 }],
        services: vec![Service { name: "a".to_owned(), per_million: 1.0, currency: Currency::EUR, date: "2026-11".to_owned() }],
        ..Economy::default()
    };
    let empty = Project { room: project.room.clone(), ..Project::default() };
    let set = Edit::Economy(Box::new(economy.clone())).apply(&catalog, &empty).unwrap();
    let text = save_text(&catalog, &set, &Snapshot::default()).unwrap();
    assert_eq!(load_text(&catalog, &text, "rig.toml").unwrap().project, set);
    // Left alone it is in no file, and files without it open.
    let plain = save_text(&catalog, &Project { economy: Economy::default(), ..empty.clone() }, &Snapshot::default()).unwrap();
    assert!(!plain.contains("economy"));
    for (change, key) in [
        (Economy { tax_pct: -1.0, ..economy.clone() }, "tax_pct"),
        (Economy { idle_hours_per_day: 14.5, ..economy.clone() }, "idle_hours_per_day"),
        (Economy { run_days: f64::NAN, ..economy.clone() }, "run_days"),
        (Economy { tariffs: vec![Tariff { from_h: 25.0, to_h: 1.0, per_kwh: 0.1 }], ..economy.clone() }, "tariffs"),
    ] {
        let refused = Edit::Economy(Box::new(change)).apply(&catalog, &project);
        assert!(matches!(refused, Err(Refusal::BadValue { field, .. }) if field == key), "{key}");
    }
    let wrong = load_text(&catalog, &text.replace("tax_pct = 19.0", "tax_pct = 190.0"), "rig.toml").unwrap_err();
    assert_eq!(wrong.field, "economy.tax_pct");
    let day = load_text(&catalog, &text.replace("date = \"2026-11\"", "date = \"soon\""), "rig.toml").unwrap_err();
    assert_eq!(day.field, "economy.services.date");
}

#[test]
fn price_books_match_by_number_then_name_and_never_guess() {
    let catalog = catalog();
    let text = "Part;Price;Currency;Date;Shop\ng24;899,99;EUR;2026-11-29;Shop A\nG-24;850;EUR;2026-11-28;Shop B\nB-1;150;;;\ncp;1;;;\nnothing;5;;;\n";
    let book = read(&catalog, "book.csv", text, Currency::USD, "2026-11-30").unwrap();
    let found: Vec<&Match> = book.rows.iter().map(|r| &r.found).collect();
    assert_eq!(found[0], &Match::One(PartId::new("gpu")));
    assert_eq!(found[2], &Match::One(PartId::new("board")));
    assert_eq!(found[3], &Match::One(PartId::new("cpu")));
    assert_eq!(found[4], &Match::None);
    let prices = book.prices();
    let gpu = &prices[&PartId::new("gpu")];
    assert_eq!((gpu.amount, gpu.currency, gpu.date.as_str(), gpu.shop.as_str()), (899.99, Currency::EUR, "2026-11-29", "Shop A"));
    assert_eq!((prices[&PartId::new("board")].currency, prices[&PartId::new("board")].date.as_str()), (Currency::USD, "2026-11-30"));
    let several = read(&catalog, "book.csv", "part,price\nu,1\n", Currency::USD, "2026-11-30").unwrap();
    assert_eq!(several.rows[0].found, Match::Several(["cpu", "gpu", "psu"].map(PartId::new).to_vec()));
    assert!(several.prices().is_empty() && several.remarks()[0].contains("cpu, gpu, psu"));
    for (text, says) in [
        ("a,b\n1,2\n", "book.csv:1: has no column"),
        ("part,price\nG-24,free\n", "book.csv:2: \"free\" is no price"),
        ("part,price,currency\nG-24,1,EURO\n", "book.csv:2: \"EURO\" is no currency"),
        ("part,price,date\nG-24,1,today\n", "book.csv:2: \"today\" is no date"),
    ] {
        let fault = read(&catalog, "book.csv", text, Currency::USD, "2026-11-30").unwrap_err();
        assert!(fault.starts_with(says), "{fault}");
    }
}
