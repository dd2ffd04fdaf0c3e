//! Air and heat: balances of the published fields, limits that physics sets, known cases, and rigs as the program loads them.

use std::sync::LazyLock;

use rigbay::analysis::airflow::chassis::{Chassis, FIRST_CARD, Spec, add, empty, loss};
use rigbay::analysis::airflow::coolers::{Board, SINGLE, design};
use rigbay::analysis::airflow::net::{Net, grid, zones};
use rigbay::analysis::airflow::noise::{Source, total};
use rigbay::analysis::airflow::rig::density;
use rigbay::analysis::airflow::scene::{Block, Box2, Fan, FanRule, Heat, Kind, Opening, Scene, Wall};
use rigbay::analysis::airflow::solve::{Demand, State};
use rigbay::analysis::airflow::work::{Class, clock, work};
use rigbay::analysis::airflow::{Airflow, CELL, Cut, K_GAP, PICTURE_CELL, WALL, airflow, solved};
use rigbay::analysis::power::power;
use rigbay::analysis::space::space;
use rigbay::analysis::{Effort, facts};
use rigbay::build::PlacementId;
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::part::PartKind;
use rigbay::project::edit::Edit;
use rigbay::project::{Project, Room, file::load_text};

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| load(&embedded_files("")).0);

const PITCH: f64 = 0.020_32;

/// Cards of 250 W in a case of a kind, `pitch` slots apart and 39 mm thick.
fn rig(chassis: Chassis, kind: Kind, count: usize, pitch: f64) -> Scene {
    let mut s = empty(&Spec { chassis, room_c: 22.0, rho: 1.19, front_fans: 2 });
    let floor = s.blocks.first().map_or(s.height, |b| b.at.y0);
    let thick = 0.039_f64.min(pitch * PITCH - 0.0015);
    for k in 0..count {
        let y = FIRST_CARD + k as f64 * pitch * PITCH;
        let gap = if k + 1 < count { pitch * PITCH - thick } else { (floor - y - thick).max(0.001) };
        let at = Box2::new(0.005, y, 0.272, y + thick);
        add(&mut s, design(&Board { product: None, kind, rated_w: 250.0, memory: None, at, gap }).cooler);
    }
    s
}

/// A room of two metres, open on all sides.
fn large_room() -> Scene {
    let mut s = empty(&Spec { chassis: Chassis::Bench, room_c: 22.0, rho: 1.2, front_fans: 0 });
    (s.width, s.height, s.depth) = (2.0, 2.0, 1.0);
    s.heats.clear();
    s.openings.clear();
    let whole = Box2::new(0.0, 0.0, 2.0, 2.0);
    for wall in [Wall::Front, Wall::Rear, Wall::Top, Wall::Bottom, Wall::Side] {
        s.openings.push(Opening { wall, at: whole, area: 2.0, k: loss::OPEN, fan: None, radiator: None, throw: None });
    }
    s
}

fn settle(scene: &Scene, net: &Net) -> State {
    let mut state = State::start(scene, net);
    state.solve(scene, net, Demand::FINE);
    state
}

fn assert_sound(what: &str, state: &State) {
    assert!(state.converged, "{what}: {} rounds", state.rounds);
    assert!(state.mass_residual < 1e-9, "{what}: mass {:e}", state.mass_residual);
    assert!(state.energy_residual < 1e-6, "{what}: energy {:e}", state.energy_residual);
    assert!(state.t.iter().all(|t| *t > -1e-9), "{what}: colder than the room");
    assert!(state.cards.iter().all(|c| c.intake >= 0.0), "{what}: an intake below the room");
}

const KINDS: [Kind; 5] = [Kind::OpenAir, Kind::FlowThrough, Kind::Blower, Kind::Passive, Kind::Tower];

#[test]
fn every_layout_settles_and_balances_by_zones() {
    for chassis in [Chassis::Mesh, Chassis::Solid, Chassis::SideOff, Chassis::Bench, Chassis::Server] {
        for kind in KINDS {
            for count in 1..=8 {
                for pitch in [1.0, 1.2, 2.0, 3.0] {
                    if FIRST_CARD + count as f64 * pitch * PITCH > 0.37 {
                        continue;
                    }
                    let scene = rig(chassis, kind, count, pitch);
                    let net = zones(&scene);
                    let mut state = State::start(&scene, &net);
                    state.solve(&scene, &net, Demand::LIVE);
                    assert_sound(&format!("{chassis:?} {kind:?} {count} at {pitch}"), &state);
                }
            }
        }
    }
}

#[test]
fn the_grid_settles_and_balances_and_the_zones_agree_with_it() {
    for kind in [Kind::OpenAir, Kind::FlowThrough, Kind::Blower] {
        for (count, pitch) in [(1, 2.0), (2, 3.0), (4, 2.0), (8, 1.2)] {
            let scene = rig(Chassis::Mesh, kind, count, pitch);
            let what = format!("{kind:?} {count} at {pitch}");
            let (_, fine) = solved(&scene, Cut::Grid);
            assert_sound(&what, &fine);
            let (_, few) = solved(&scene, Cut::Zones);
            for (a, b) in few.cards.iter().zip(&fine.cards) {
                assert!((a.die_c - b.die_c).abs() < 3.5, "{what}: {:.1} by zones, {:.1} on the grid", a.die_c, b.die_c);
            }
        }
    }
}

#[test]
fn cells_of_ten_and_of_five_millimetres_agree_within_two_kelvin() {
    let scene = rig(Chassis::Mesh, Kind::OpenAir, 2, 3.0);
    let coarse_net = grid(&scene, CELL);
    let coarse = settle(&scene, &coarse_net);
    let fine_net = grid(&scene, PICTURE_CELL);
    let mut fine = coarse.moved(&coarse_net, &scene, &fine_net);
    fine.solve(&scene, &fine_net, Demand::FINE);
    assert_sound("fine", &fine);
    for (a, b) in coarse.cards.iter().zip(&fine.cards) {
        assert!((a.die_c - b.die_c).abs() < 2.0, "{} {}", a.die_c, b.die_c);
    }
}

#[test]
fn a_mirrored_case_has_the_mirrored_field() {
    let mut s = large_room();
    (s.width, s.height, s.depth) = (0.4, 0.4, 0.2);
    s.openings.clear();
    let fan = Fan { p_max: 20.0, q_max: 0.03, speed: 0.8, inward: true };
    let hole = |wall, at, fan| Opening { wall, at, area: 0.01, k: 3.0, fan, radiator: None, throw: None };
    s.openings.push(hole(Wall::Front, Box2::new(0.0, 0.20, 0.4, 0.32), Some(fan)));
    s.openings.push(hole(Wall::Rear, Box2::new(0.0, 0.02, 0.4, 0.14), None));
    s.openings.push(hole(Wall::Top, Box2::new(0.05, 0.0, 0.25, 0.4), None));
    s.blocks.push(Block { at: Box2::new(0.1, 0.15, 0.3, 0.18), free: 0.3 });
    s.heats.push(Heat { at: Box2::new(0.05, 0.20, 0.15, 0.30), watts: 150.0 });
    let mut m = s.clone();
    for o in &mut m.openings {
        o.at = o.at.mirrored(s.width);
        o.wall = match o.wall {
            Wall::Front => Wall::Rear,
            Wall::Rear => Wall::Front,
            other => other,
        };
    }
    m.blocks.iter_mut().for_each(|b| b.at = b.at.mirrored(s.width));
    m.heats.iter_mut().for_each(|h| h.at = h.at.mirrored(s.width));
    let (a_net, a) = solved(&s, Cut::Grid);
    let (_, b) = solved(&m, Cut::Grid);
    assert!(a.t.iter().copied().fold(0.0, f64::max) > 5.0);
    for row in 0..a_net.ny {
        for column in 0..a_net.nx {
            let (here, there) = (a.t[row * a_net.nx + column], b.t[row * a_net.nx + a_net.nx - 1 - column]);
            assert!((here - there).abs() < 0.05, "{here} {there}");
        }
    }
}

#[test]
fn a_card_alone_in_a_large_room_gives_its_measured_temperature() {
    for row in SINGLE.iter().filter(|r| r.kind != Kind::Water) {
        let same: Vec<_> = SINGLE.iter().filter(|r| r.product == row.product && r.kind == row.kind).collect();
        // Boards of one product differ: only a lone reading can be met exactly.
        if same.len() > 1 {
            continue;
        }
        let mut s = large_room();
        s.ambient_c = row.room_c;
        let at = Box2::new(0.8, 0.9, 1.1, 0.94);
        let mut cooler =
            design(&Board { product: Some(row.product), kind: row.kind, rated_w: row.power_w, memory: None, at, gap: 1.0 }).cooler;
        if let Some(fan) = row.fan {
            cooler.fan = FanRule::Fixed(fan);
        }
        add(&mut s, cooler);
        let found = solved(&s, Cut::Zones).1.cards[0].die_c;
        assert!((found - row.die_c).abs() < 1.5, "{} {:?}: {found:.1} for {:.1}", row.product, row.kind, row.die_c);
    }
}

#[test]
fn two_cards_far_apart_are_two_single_ones() {
    let card = |y: f64| {
        let at = Box2::new(0.8, y, 1.1, y + 0.04);
        design(&Board { product: None, kind: Kind::OpenAir, rated_w: 250.0, memory: None, at, gap: 0.5 }).cooler
    };
    let temperature = |ys: &[f64]| {
        let mut s = large_room();
        ys.iter().for_each(|y| add(&mut s, card(*y)));
        solved(&s, Cut::Zones).1.cards.iter().map(|c| c.die_c).collect::<Vec<_>>()
    };
    let (both, upper, lower) = (temperature(&[0.2, 1.7]), temperature(&[0.2]), temperature(&[1.7]));
    assert!((both[0] - upper[0]).abs() < 1.0 && (both[1] - lower[0]).abs() < 1.0, "{both:?} {upper:?} {lower:?}");
}

#[test]
fn a_closed_box_heats_until_its_walls_carry_all() {
    let mut s = large_room();
    (s.width, s.height, s.depth) = (0.4, 0.4, 0.2);
    s.openings.clear();
    s.heats.push(Heat { at: Box2::new(0.1, 0.1, 0.3, 0.3), watts: 60.0 });
    for cut in [Cut::Zones, Cut::Grid] {
        let (net, state) = solved(&s, cut);
        let carried: f64 = (0..net.cells()).map(|i| net.wall[i] * state.t[i]).sum();
        assert!((carried - 60.0).abs() < 1e-3, "{carried}");
        let mean = 60.0 / (WALL * 2.0 * 0.16);
        let hottest = state.t.iter().copied().fold(0.0, f64::max);
        assert!(hottest >= mean * 0.999, "{hottest} {mean}");
    }
}

fn lost(scene: &Scene, cut: Cut) -> f64 {
    let cards = solved(scene, cut).1.cards;
    cards.iter().map(|c| 1.0 - work(Class::ComputeBound, c.power / 250.0)).sum::<f64>() / cards.len() as f64
}

#[test]
fn four_adjacent_open_air_cards_lose_a_third_and_blowers_little() {
    for cut in [Cut::Zones, Cut::Grid] {
        let (open, blower) = (lost(&rig(Chassis::Mesh, Kind::OpenAir, 4, 2.0), cut), lost(&rig(Chassis::Mesh, Kind::Blower, 4, 2.0), cut));
        assert!((0.22..0.38).contains(&open), "open-air {open}");
        assert!(blower < 0.10, "blowers {blower}");
    }
}

#[test]
fn two_spaced_open_air_cards_run_cooler_than_two_blowers() {
    let hottest = |kind| solved(&rig(Chassis::Mesh, kind, 2, 4.0), Cut::Grid).1.cards.iter().map(|c| c.die_c).fold(0.0, f64::max);
    assert!(hottest(Kind::OpenAir) + 3.0 < hottest(Kind::Blower));
}

#[test]
fn heat_rises_and_a_free_slot_helps() {
    let dies = |pitch| solved(&rig(Chassis::Mesh, Kind::OpenAir, 2, pitch), Cut::Zones).1.cards;
    let (tight, wide) = (dies(2.0), dies(3.0));
    assert!(tight[0].die_c > tight[1].die_c + 5.0, "the upper card is the hotter one");
    assert!(wide[0].power > tight[0].power, "one free slot gives power back");
    // The loss goes with the square of the gap.
    let scene = rig(Chassis::Mesh, Kind::OpenAir, 2, 2.0);
    let loss_at = |gap: f64| {
        let mut c = scene.coolers[0];
        c.gap = gap;
        rigbay::analysis::airflow::cards::loss(&c, 1.2, K_GAP) - rigbay::analysis::airflow::cards::loss(&c, 1.2, 0.0)
    };
    assert!((loss_at(0.002) / loss_at(0.004) - 4.0).abs() < 1e-9);
}

#[test]
fn work_is_read_from_the_sweeps() {
    for class in Class::ALL {
        assert!((work(class, 1.0) - 1.0).abs() < 1e-12);
        let steps: Vec<f64> = (0..=100).map(|n| work(class, f64::from(n) / 100.0)).collect();
        assert!(steps.windows(2).all(|w| w[1] >= w[0] - 1e-12), "{class:?} rises with power");
        assert!(steps[0] == 0.0);
    }
    assert!((work(Class::ComputeBound, 0.70) - 0.866).abs() < 1e-9);
    assert!((work(Class::MemoryBound, 0.80) - 0.973).abs() < 1e-9);
    assert!((work(Class::ComputeBound, 0.525) - (0.633 + 0.525) / 2.0).abs() < 1e-9);
    assert!((clock(0.5) - 0.434).abs() < 1e-9);
}

#[test]
fn loudness_adds_as_power() {
    let fan = |speed| Source { name: "fan".to_owned(), full_dba: 30.0, speed };
    let (one, two) = (total(&[fan(1.0)]).unwrap(), total(&[fan(1.0), fan(1.0)]).unwrap());
    assert!((two - one - 3.0103).abs() < 1e-3);
    assert!((one - total(&[fan(0.5)]).unwrap() - 15.05).abs() < 0.01);
    assert_eq!(total(&[]), None);
}

#[test]
fn air_thins_with_height() {
    assert!((density(0.0, 20.0) - 1.205).abs() < 0.005);
    assert!((density(1500.0, 20.0) / density(0.0, 20.0) - 0.837).abs() < 0.005);
}

fn presets() -> Vec<(String, Project)> {
    let mut files: Vec<_> = std::fs::read_dir("assets/presets").unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        (path.display().to_string(), load_text(&CATALOG, &text, "preset").unwrap().project)
    };
    files.iter().filter(|p| p.extension().is_some_and(|e| e == "toml")).map(read).collect()
}

fn live(project: &Project) -> Airflow {
    airflow(&CATALOG, project, &space(&CATALOG, &project.rig), &power(&CATALOG, project), Effort::Live)
}

fn preset(start: &str) -> Project {
    presets().into_iter().find(|(name, _)| name.contains(start)).expect("the preset is there").1
}

fn cards_of(project: &Project) -> Vec<PlacementId> {
    project.rig.placed(&CATALOG).filter(|(_, _, p)| matches!(p.kind, PartKind::Gpu(_))).map(|(id, _, _)| id).collect()
}

fn set(project: &Project, what: PlacementId, key: &str, value: &str) -> Project {
    Edit::Set { what, key: key.to_owned(), value: Some(value.to_owned()) }.apply(&CATALOG, project).unwrap()
}

#[test]
fn every_example_rig_has_its_air() {
    for (name, project) in presets() {
        let air = live(&project);
        assert!(air.case.converged, "{name}");
        assert_eq!(air.cards.len(), cards_of(&project).len(), "{name}");
        assert_eq!(air.cut, Cut::Zones);
        for card in &air.cards {
            let Some(s) = &card.state else {
                assert!(card.missing.is_some(), "{name}: a card without numbers names what is missing");
                continue;
            };
            assert!(s.die.low <= s.die.value && s.die.value <= s.die.high, "{name}: {:?}", s.die);
            assert!(s.die.value > project.room.ambient_c && s.die.value < s.limit_c + 30.0, "{name}: {:?}", s.die);
            assert!(s.power_w <= s.allowed_w + 1e-6 && s.power_w > 0.0, "{name}");
            assert!(s.lost.iter().zip(s.lost_high).all(|(l, h)| *l <= h + 1e-9), "{name}");
            assert!(card.nearest.as_ref().is_some_and(|n| n.starts_with("Measured elsewhere")), "{name}");
        }
    }
}

#[test]
fn the_worker_gives_the_grid_and_the_slower_figures() {
    let project = preset("2-guide-2018-four-blowers");
    let facts = facts(&CATALOG, &project, Effort::Full);
    let air = &facts.airflow;
    assert_eq!(air.cut, Cut::Grid);
    assert!(air.case.mass_residual < 1e-9 && air.case.energy_residual < 1e-6, "{:?}", air.case);
    assert_eq!(air.case.quiet_c.as_ref().map(Vec::len), Some(4));
    assert!(air.cards.iter().all(|c| c.state.as_ref().is_some_and(|s| s.to_neighbours.is_some_and(|v| (0.0..=1.0).contains(&v)))));
    let quick = live(&project);
    for (a, b) in quick.cards.iter().zip(&air.cards) {
        let (a, b) = (a.state.as_ref().unwrap(), b.state.as_ref().unwrap());
        assert!((a.die.value - b.die.value).abs() < 4.0, "{} {}", a.die.value, b.die.value);
    }
}

#[test]
fn what_the_user_sets_moves_the_numbers_the_right_way() {
    let project = preset("1-guide-2018-one-card");
    let hottest = |p: &Project| live(p).cards.iter().filter_map(|c| Some(c.state.as_ref()?.die.value)).fold(0.0, f64::max);
    let through = |p: &Project| live(p).case.through;
    let base = hottest(&project);
    let room = |change: &dyn Fn(&mut Room)| {
        let mut room = project.room.clone();
        change(&mut room);
        Edit::Room(room).apply(&CATALOG, &project).unwrap()
    };
    assert!(hottest(&room(&|r| r.ambient_c -= 10.0)) < base);
    assert!(hottest(&room(&|r| r.altitude_m = 3000.0)) >= base);
    let limited = cards_of(&project).into_iter().fold(project.clone(), |p, id| set(&p, id, "power_limit_w", "110"));
    assert!(hottest(&limited) < base - 5.0);
    let case = project.rig.placed(&CATALOG).find(|(_, _, p)| matches!(p.kind, PartKind::Case(_))).unwrap().0;
    assert!(through(&set(&project, case, "side_panel", "off")) > through(&project));
    assert!(through(&set(&project, case, "dust", "1")) < through(&project));
    let fan = project.rig.placed(&CATALOG).find(|(_, _, p)| matches!(p.kind, PartKind::Fan(_))).unwrap().0;
    assert!(through(&set(&project, fan, "speed_pct", "20")) < through(&project));
    let turned = set(&project, fan, "direction", "exhaust");
    let flow = |p: &Project| live(p).fans.iter().find(|f| f.placement == fan).unwrap().flow;
    assert!(flow(&project) > 0.0 && flow(&turned) < 0.0);
}

#[test]
fn values_that_make_no_sense_are_refused() {
    let project = preset("3-two-cards-2021");
    let fan = project.rig.placed(&CATALOG).find(|(_, _, p)| matches!(p.kind, PartKind::Fan(_))).unwrap().0;
    for (key, value) in [("speed_pct", "120"), ("dust", "x"), ("reading_c", "720"), ("side_panel", "gone")] {
        let edit = Edit::Set { what: fan, key: key.to_owned(), value: Some(value.to_owned()) };
        assert!(edit.apply(&CATALOG, &project).is_err(), "{key} {value}");
    }
}

#[test]
fn a_card_takes_the_users_reading() {
    let project = preset("1-guide-2018-one-card");
    let ids = cards_of(&project);
    let project = set(&set(&set(&project, ids[0], "reading_c", "66"), ids[0], "reading_w", "160"), ids[0], "reading_fan_pct", "50");
    // With the same watts and fan as in the reading, the model gives the reading.
    let same = set(&set(&project, ids[0], "power_limit_w", "160"), ids[0], "fan_pct", "50");
    let found = live(&same).card(ids[0]).unwrap().state.clone().unwrap();
    assert!((found.die.value - 66.0).abs() < 0.5, "{:?}", found.die);
    assert!(found.die.high - found.die.low < 16.0, "a reading narrows the band: {:?}", found.die);
    let free = live(&preset("1-guide-2018-one-card")).card(ids[0]).unwrap().state.clone().unwrap();
    assert!(found.die.high - found.die.low < free.die.high - free.die.low);
}

#[test]
fn advice_ranks_changes_and_tells_noise() {
    let project = preset("3-two-cards-2021");
    let list = rigbay::search::cooling::advise(&CATALOG, &project);
    assert!(list.len() > 8, "{}", list.len());
    assert!(list.iter().all(|a| a.cooler_k.low <= a.cooler_k.high && a.work_pct.low <= a.work_pct.high), "{list:#?}");
    // What helps beyond doubt comes before what drowns in the uncertainty.
    let first_noise = list.iter().position(|a| a.in_noise).unwrap_or(list.len());
    assert!(list.iter().skip(first_noise).all(|a| a.in_noise));
    let best = &list[0];
    assert!(best.work_pct.low > 0.0 || best.cooler_k.low > 0.0, "{best:#?}");
    // Every change can be made and taken back.
    for advice in &list {
        assert!(advice.edit.apply(&CATALOG, &project).is_ok(), "{}", advice.label);
    }
    let again = rigbay::search::cooling::advise(&CATALOG, &project);
    assert_eq!(list, again, "the same draws give the same advice");
}
