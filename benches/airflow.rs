//! Cost of the airflow model on one core: zones for eight cards (aim: 0.1 ms), the grid for numbers (48 by 48 cells, 60 ms), the grid for
//! pictures (96 by 96, 250 ms), and a restart after one card has moved (half of that).

use criterion::{Criterion, criterion_group, criterion_main};
use rigbay::analysis::airflow::chassis::{Chassis, Spec, add, empty};
use rigbay::analysis::airflow::coolers::{Board, design};
use rigbay::analysis::airflow::net::{Net, grid, zones};
use rigbay::analysis::airflow::scene::{Box2, Kind, Scene};
use rigbay::analysis::airflow::solve::{Demand, State};
use rigbay::analysis::airflow::{CELL, PICTURE_CELL};

/// A tower with cards at these heights, m, 19 mm thick.
fn tower(heights: &[f64]) -> Scene {
    let mut s = empty(&Spec { chassis: Chassis::Mesh, room_c: 22.0, rho: 1.19, front_fans: 2 });
    (s.width, s.height) = (0.487_68, 0.487_68);
    let floor = s.blocks.first().map_or(s.height, |b| b.at.y0);
    for (k, &y) in heights.iter().enumerate() {
        let gap = heights.get(k + 1).copied().unwrap_or(floor) - y - 0.019;
        let at = Box2::new(0.005, y, 0.272, y + 0.019);
        add(&mut s, design(&Board { product: None, kind: Kind::OpenAir, rated_w: 250.0, memory: None, at, gap }).cooler);
    }
    s
}

fn solve(scene: &Scene, net: &Net, from: Option<(&Net, &State)>, demand: Demand) -> State {
    let mut state = from.map_or_else(|| State::start(scene, net), |(old, s)| s.moved(old, scene, net));
    state.solve(scene, net, demand);
    state
}

fn airflow(c: &mut Criterion) {
    let eight: Vec<f64> = (0..8).map(|k| 0.15 + 0.026 * f64::from(k)).collect();
    let scene = tower(&eight);
    c.bench_function("zones of eight cards", |b| b.iter(|| solve(&scene, &zones(&scene), None, Demand::LIVE)));
    let three = tower(&[0.15, 0.20, 0.25]);
    let moved = tower(&[0.15, 0.20, 0.29]);
    for (name, cell) in [("numbers", CELL), ("picture", PICTURE_CELL)] {
        let net = grid(&three, cell);
        c.bench_function(&format!("grid for {name}, cold"), |b| b.iter(|| solve(&three, &net, None, Demand::FINE)));
        let before = solve(&three, &net, None, Demand::FINE);
        let after = grid(&moved, cell);
        c.bench_function(&format!("grid for {name}, one card moved"), |b| {
            b.iter(|| solve(&moved, &after, Some((&net, &before)), Demand::FINE));
        });
    }
}

criterion_group!(benches, airflow);
criterion_main!(benches);
