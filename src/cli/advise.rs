//! `rigbay advise`: the best rigs of the catalog's priced parts for a budget and a workload.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::models::WorkArgs;
use super::prices::{currency, with_prices};
use super::{Out, catalog, open};
use crate::catalog::Catalog;
use crate::drawing::charts::cost::pareto;
use crate::drawing::palette::Theme;
use crate::drawing::svg;
use crate::files;
use crate::project::Project;
use crate::report::snapshot::rig_text;
use crate::search::advise::{Advice, Found, Wish, advise};
use crate::units::{Currency, Money, plain, thousands, watts};

#[derive(Debug, Args)]
pub(super) struct AdviseArgs {
    /// Most that new parts may cost
    #[arg(long, value_name = "N")]
    budget: f64,
    /// Currency of the budget; without it that of the rig that is kept, else USD
    #[arg(long, value_name = "CODE", value_parser = currency)]
    currency: Option<Currency>,
    #[command(flatten)]
    work: WorkArgs,
    /// Rig file whose parts stay; its room, prices, limits and work count too
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Most draw from the wall, in watts
    #[arg(long, value_name = "N")]
    max_watts: Option<f64>,
    /// Most noise at one metre, in dB(A)
    #[arg(long, value_name = "N")]
    max_dba: Option<f64>,
    /// Least graphics memory of all cards together, in GB
    #[arg(long, value_name = "N")]
    min_memory: Option<f64>,
    /// Mains voltage of the room
    #[arg(long, value_name = "V")]
    mains: Option<f64>,
    /// Breaker of the room's circuit, in amperes
    #[arg(long, value_name = "A")]
    circuit: Option<f64>,
    /// Price book whose prices count: CSV with part,price,currency,date,shop
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// Leave out rigs with problems that are no blockers, too
    #[arg(long)]
    no_problems: bool,
    /// Take rigs on which a blocker cannot be judged for want of a fact
    #[arg(long)]
    allow_unknown: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// Picture of cost against speed to write; its ending, .png or .svg, decides the format
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
    /// Folder to write each rig to, as rig-1.toml, rig-2.toml …
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
}

pub(super) fn run(args: &AdviseArgs, today: &str, out: &mut Out<'_>) -> Result<(), String> {
    let (catalog, mut project) = match &args.keep {
        Some(path) => {
            let kept = open(path, out)?;
            (kept.catalog, kept.project)
        }
        None => (catalog(out), Project { name: "Advice".to_owned(), ..Project::default() }),
    };
    project.room.currency = args.currency.unwrap_or(project.room.currency);
    project.room.mains_v = args.mains.unwrap_or(project.room.mains_v);
    project.room.circuit_a = args.circuit.unwrap_or(project.room.circuit_a);
    project = crate::project::edit::Edit::Room(project.room.clone()).apply(&catalog, &project).map_err(|e| e.to_string())?;
    project = args.work.applied_to(&catalog, &project)?;
    if let Some(path) = &args.prices {
        project = with_prices(path, &catalog, &project, today, out)?;
    }
    let amount = |name: &str, value: f64, low: f64, high: f64| {
        if value.is_finite() && (low..=high).contains(&value) {
            Ok(value)
        } else {
            Err(format!("{name}: {value} is outside {} to {}.", plain(low, 2), plain(high, 0)))
        }
    };
    let limit = |name: &str, value: Option<f64>| value.map(|v| amount(name, v, 0.0, 1e6)).transpose();
    let wish = Wish {
        max_watts: limit("--max-watts", args.max_watts)?,
        max_dba: limit("--max-dba", args.max_dba)?,
        min_memory_gb: limit("--min-memory", args.min_memory)?,
        without_problems: args.no_problems,
        allow_unknown: args.allow_unknown,
        ..Wish::new(Money::new(amount("--budget", args.budget, 0.0, 1e9)?, project.room.currency))
    };
    let advice = advise(&catalog, &project, &wish, &mut |_| true)?;
    let files = save(args, &catalog, &project, &advice)?;
    if let Some(path) = &args.chart {
        chart(path, &advice)?;
    }
    if args.json {
        let value = as_json(&project, &advice, &files);
        let text = serde_json::to_string_pretty(&value).map_err(|e| format!("The advice has no JSON form ({e})."))?;
        out.say(&format!("{text}\n"));
    } else {
        out.say(&text(&project, &wish, &advice));
    }
    Ok(())
}

/// Writes the rigs; their files, in the order of the front.
fn save(args: &AdviseArgs, catalog: &Catalog, project: &Project, advice: &Advice) -> Result<Vec<String>, String> {
    let Some(folder) = &args.save else { return Ok(Vec::new()) };
    files::make_folder(folder).map_err(|e| e.to_string())?;
    let write = |(n, found): (usize, &Found)| {
        let path = folder.join(format!("rig-{n}.toml"));
        let rig = Project { name: found.cards.clone(), rig: found.build.clone(), ..project.clone() };
        let text = rig_text(catalog, &rig).map_err(|e| e.to_string())?;
        files::write_atomic(&path, text.as_bytes()).map_err(|e| e.to_string())?;
        Ok(path.display().to_string())
    };
    (1..).zip(&advice.front).map(write).collect()
}

/// Writes the picture of the front.
fn chart(path: &Path, advice: &Advice) -> Result<(), String> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !matches!(ending.as_str(), "png" | "svg") {
        return Err(format!("{}: ends in neither .png nor .svg. Give --chart a name with one of these endings.", path.display()));
    }
    let front: Vec<(Money, f64, &str)> = advice.front.iter().map(|f| (f.cost, f.speed, f.cards.as_str())).collect();
    let unit = advice.front.first().map_or("", |f| f.unit);
    let drawing = pareto(&front, unit, None).ok_or("There is no rig to draw.")?;
    let svg = svg::svg(&drawing, Theme::Light);
    let data = if ending == "svg" { svg.into_bytes() } else { svg::png(&svg, 1.0)? };
    files::write_atomic(path, &data).map_err(|e| e.to_string())
}

fn rounded(value: f64) -> Value {
    if value.is_finite() { json!((value * 1e6).round() / 1e6) } else { Value::Null }
}

fn as_json(project: &Project, advice: &Advice, files: &[String]) -> Value {
    let work = project.workloads.first();
    let front: Vec<Value> = advice
        .front
        .iter()
        .enumerate()
        .map(|(n, f)| {
            let parts: Vec<Value> = f
                .parts
                .iter()
                .map(|p| {
                    json!({
                        "id": p.placement.to_string(),
                        "part": p.part.as_str(),
                        "kind": p.kind,
                        "name": p.name,
                        "slot": p.slot.to_string(),
                        "price": p.price.map(Money::amount),
                        "kept": p.price.is_none(),
                    })
                })
                .collect();
            json!({
                "cost": f.cost.amount(),
                "currency": f.cost.currency.code(),
                "paid": f.paid.amount(),
                "cards": f.cards,
                "speed": rounded(f.speed),
                "unit": f.unit,
                "memory_bytes": f.memory.0,
                "watts": f.wall_w.map(rounded),
                "typical_w": rounded(f.typical_w),
                "noise_dba": f.noise_dba.map(rounded),
                "parts": parts,
                "problems": f.problems,
                "unknown": f.unknown,
                "why": f.why,
                "file": files.get(n),
            })
        })
        .collect();
    json!({
        "workload": work.map(|w| &w.name),
        "front": front,
        "gap": rounded(advice.gap),
        "left_out": advice.left_out.total(),
        "left_out_by_kind": advice.left_out.by_kind,
        "priced": advice.priced,
        "candidates": advice.candidates,
        "analysed": advice.analysed,
        "remarks": advice.remarks,
    })
}

fn text(project: &Project, wish: &Wish, advice: &Advice) -> String {
    let work = project.workloads.first().map_or("", |w| w.name.as_str());
    let mut out = format!("Rigs for {work} up to {}\n", wish.budget);
    for found in &advice.front {
        let (speed, unit, memory) = (plain(found.speed, 1), found.unit, found.memory);
        let draw = found.wall_w.map_or_else(|| "unknown draw".to_owned(), |w| format!("{} from the wall", watts(w)));
        let noise = found.noise_dba.map_or_else(String::new, |d| format!(", {} dB(A)", plain(d, 0)));
        out.push_str(&format!("\n{}: {speed} {unit} with {}, {memory}, {draw}{noise}\n", found.cost, found.cards));
        if found.paid != found.cost {
            out.push_str(&format!("  with tax and shipping {}\n", found.paid));
        }
        for (name, count, price) in grouped(found) {
            let times = if count > 1 { format!("{count} x ") } else { String::new() };
            let price = price.map_or_else(|| "kept".to_owned(), |p| p.to_string());
            out.push_str(&format!("  {price:>9}  {times}{name}\n"));
        }
        for line in found.why.iter().chain(found.unknown.iter()) {
            out.push_str(&format!("  {line}\n"));
        }
        if !found.problems.is_empty() {
            out.push_str(&format!("  {}: {}\n", crate::units::count(found.problems.len() as u64, "problem"), found.problems.join(" ")));
        }
    }
    out.push('\n');
    for remark in &advice.remarks {
        out.push_str(&format!("{remark}\n"));
    }
    out.push_str(&proof_text(advice));
    out
}

/// How much is proven, and what took no part.
fn proof_text(advice: &Advice) -> String {
    let proof = if advice.gap == 0.0 {
        "Proven: no rig of these parts that passes is cheaper and as fast".to_owned()
    } else if advice.gap.is_finite() {
        format!("No rig of these parts is faster at the same cost by more than {} %", plain(advice.gap * 100.0, 2))
    } else {
        "The search stopped before anything was proven".to_owned()
    };
    let priced: usize = advice.priced.values().sum();
    let (all, analysed, left) = (thousands(advice.candidates, 0), thousands(advice.analysed as f64, 0), advice.left_out.total());
    format!("{proof}; {all} rigs of {priced} priced parts, {analysed} analysed whole. {left} parts were left out: nobody gives a price.\n")
}

/// Equal parts share a line.
fn grouped(found: &Found) -> Vec<(&str, usize, Option<Money>)> {
    let mut out: Vec<(&str, usize, Option<Money>)> = Vec::new();
    for part in &found.parts {
        match out.iter_mut().find(|g| g.0 == part.name && g.2.is_some() == part.price.is_some()) {
            Some(group) => {
                group.1 += 1;
                group.2 = group.2.zip(part.price).map(|(a, b)| Money { cents: a.cents.saturating_add(b.cents), ..a });
            }
            None => out.push((part.name.as_str(), 1, part.price)),
        }
    }
    out
}
