//! How far the predictions are from published measurements: every row is predicted as the ledgers would, or counted with the reason why
//! it cannot be.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use crate::analysis::memory::plan::{Band, Device, OnCard, Plan, Sizes};
use crate::analysis::speed::Decode;
use crate::build::PlacementId;
use crate::catalog::Catalog;
use crate::catalog::model::ModelShape;
use crate::catalog::part::{Gpu, Part, PartKind};
use crate::catalog::precision::Precision;
use crate::project::Project;
use crate::workload::{KvPrecision, Workload};

/// One measured value: a row of `tests/data/memory_rows.csv` or `decode_rows.csv`.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// Name in the list of models.
    pub model: String,
    /// Empty where the source names none.
    pub precision: String,
    pub kv: String,
    /// Tokens per sequence; for speeds those in the cache.
    pub context: Option<u64>,
    pub batch: Option<u64>,
    /// Product name as in the catalog; may be "unnamed".
    pub gpu: String,
    pub n_gpu: Option<u32>,
    /// What the program does not model about this run; empty = nothing.
    pub setup: String,
    pub metric: String,
    /// In bytes or tokens per second.
    pub value: f64,
    pub unit: String,
    pub engine: String,
    /// "yes" where a constant of the prediction was chosen with this row's table in view.
    pub in_view: String,
    pub source: String,
}

/// A prediction with the ends of its band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    pub low: f64,
    pub value: f64,
    pub high: f64,
}

/// Reads rows.
///
/// # Errors
/// Names the line that is not a row.
pub fn rows(csv_text: &str) -> Result<Vec<Row>, String> {
    csv::Reader::from_reader(csv_text.as_bytes()).deserialize().collect::<Result<_, _>>().map_err(|e| e.to_string())
}

/// Predicts one row.
///
/// # Errors
/// Says why the row cannot be judged.
pub fn predict(catalog: &Catalog, models: &[ModelShape], row: &Row) -> Result<Prediction, String> {
    if !row.setup.is_empty() {
        return Err(format!("not modelled: {}", row.setup));
    }
    let model = models.iter().find(|m| m.name == row.model).ok_or("the model is not in the list")?;
    let cache_only = matches!(row.metric.as_str(), "kv_cache" | "state" | "buffers");
    let precision = match Precision::parse(&row.precision) {
        Some(precision) => precision,
        None if cache_only && row.precision.is_empty() => Precision::Q4KM,
        None if row.precision.is_empty() => return Err("the source does not name the precision".to_owned()),
        None => return Err(format!("no such precision: {}", row.precision)),
    };
    let kv_precision = KvPrecision::ALL.iter().copied().find(|k| k.text() == row.kv).unwrap_or_default();
    let (context, batch) = (row.context.unwrap_or(1), row.batch.unwrap_or(1));
    let workload = Workload { kv_precision, precision, context, batch, ..Workload::of(model.clone().into()) };
    if row.metric == "file" {
        return Ok(file(&workload));
    }
    let found = card(catalog, &row.gpu);
    // Caches depend on the card in no way.
    let (part, gpu) = match found {
        Some(found) => found,
        None if matches!(row.metric.as_str(), "kv_cache" | "state") => any_card(catalog).ok_or("the catalog has no card")?,
        None => return Err(format!("card not in the catalog: {}", row.gpu)),
    };
    let cards = (0..row.n_gpu.unwrap_or(1)).map(|n| Device { id: PlacementId(n), part, gpu });
    let plan = Plan::new(&workload, cards);
    if row.metric == "decode_tokens_per_s" {
        if !plan.fits(context, batch) {
            return Err("does not fit the cards as computed, so the run was partly elsewhere".to_owned());
        }
        let rate = Decode::new(&plan, &Project::default()).map_err(|missing| format!("missing: {missing}"))?.rate(context, batch);
        return Ok(Prediction { low: rate.low, value: rate.value, high: rate.high });
    }
    let sizes = plan.sizes(context, batch);
    memory(&plan, &sizes, &row.metric).ok_or_else(|| format!("no such metric: {}", row.metric))
}

fn file(workload: &Workload) -> Prediction {
    let value = workload.precision.model_bytes(&workload.model) as f64;
    let error = Plan::new(workload, std::iter::empty()).weights_error();
    Prediction { low: value * (1.0 - error), value, high: value * (1.0 + error) }
}

/// Sum over the cards of one kind of bytes.
fn memory(plan: &Plan<'_>, sizes: &Sizes, metric: &str) -> Option<Prediction> {
    let mut sum = Prediction { low: 0.0, value: 0.0, high: 0.0 };
    for card in 0..plan.cards.len() {
        let on = plan.on_card(card, sizes);
        let weights = on.layers + on.embedding + on.head;
        let band = match metric {
            "weights" => weights,
            "kv_cache" => on.cache,
            "state" => on.state,
            "buffers" => on.buffers,
            "card_total" => OnCard { reserve: Band::default(), ..on }.total(),
            "without_overhead" => weights + on.cache + on.state + on.buffers,
            _ => return None,
        };
        sum = Prediction { low: sum.low + band.low as f64, value: sum.value + band.value as f64, high: sum.high + band.high as f64 };
    }
    Some(sum)
}

fn card<'a>(catalog: &'a Catalog, product: &str) -> Option<(&'a Part, &'a Gpu)> {
    cards(catalog).find(|(_, gpu)| gpu.product.as_deref() == Some(product))
}

fn any_card(catalog: &Catalog) -> Option<(&Part, &Gpu)> {
    cards(catalog).find(|(_, gpu)| gpu.memory_gb.is_some())
}

fn cards(catalog: &Catalog) -> impl Iterator<Item = (&Part, &Gpu)> {
    catalog.parts().filter_map(|p| if let PartKind::Gpu(gpu) = &p.kind { Some((p, gpu)) } else { None })
}

/// Errors of one group of rows.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub rows: usize,
    /// Signed relative errors of the judged rows: (predicted − measured) / measured.
    pub errors: Vec<f64>,
    /// Judged rows whose measurement lies in the predicted band.
    pub in_band: usize,
}

/// Groups by metric, engine and whether the rows were in view.
pub type Groups = BTreeMap<(String, String, bool), Tally>;

/// Predicts all rows: errors by group, and how many rows could not be judged for which reason.
pub fn tally(catalog: &Catalog, models: &[ModelShape], rows: &[Row]) -> (Groups, BTreeMap<String, usize>) {
    let (mut groups, mut reasons) = (Groups::new(), BTreeMap::new());
    for row in rows {
        let group = groups.entry((row.metric.clone(), row.engine.clone(), row.in_view == "yes")).or_default();
        group.rows += 1;
        match predict(catalog, models, row) {
            Ok(p) if row.value > 0.0 => {
                group.errors.push((p.value - row.value) / row.value);
                // Sources round to a hundredth of a GiB.
                let slack = if row.unit == "bytes" { 0.005 * f64::from(1 << 30) } else { 0.0 };
                group.in_band += usize::from(p.low - slack <= row.value && row.value <= p.high + slack);
            }
            Ok(_) => *reasons.entry("measured 0".to_owned()).or_default() += 1,
            Err(reason) => *reasons.entry(reason).or_default() += 1,
        }
    }
    (groups, reasons)
}

/// The share `q` (0..1) of sorted numbers, the nearest rank.
fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// The text of docs/accuracy.md: predictions against the rows of `rows_csv_texts`. A text that is no table is reported in the page.
pub fn accuracy_markdown(catalog: &Catalog, models: &[ModelShape], rows_csv_texts: &[&str]) -> String {
    let mut all = Vec::new();
    let mut out = String::from(INTRODUCTION);
    for text in rows_csv_texts {
        match rows(text) {
            Ok(mut read) => all.append(&mut read),
            Err(why) => _ = writeln!(out, "A table could not be read: {why}\n"),
        }
    }
    let (groups, reasons) = tally(catalog, models, &all);
    let judged: usize = groups.values().map(|g| g.errors.len()).sum();
    _ = writeln!(out, "{} rows, {judged} judged.\n", all.len());
    out.push_str("| What | Engine | In view | Rows | Judged | Median error | Median size | 90th percentile | In band |\n");
    out.push_str("|---|---|---|--:|--:|--:|--:|--:|--:|\n");
    for ((metric, engine, in_view), group) in &groups {
        table_line(&mut out, (metric, engine, *in_view), group);
    }
    out.push_str("\n## Rows that could not be judged\n\n| Reason | Rows |\n|---|--:|\n");
    for (reason, count) in &reasons {
        _ = writeln!(out, "| {reason} | {count} |");
    }
    out
}

fn table_line(out: &mut String, (metric, engine, in_view): (&str, &str, bool), group: &Tally) {
    let mut signed = group.errors.clone();
    signed.sort_by(f64::total_cmp);
    let mut sizes: Vec<f64> = signed.iter().map(|e| e.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let percent = |v: Option<f64>, sign: bool| match v {
        None => "–".to_owned(),
        Some(v) if sign => format!("{:+.1} %", v * 100.0),
        Some(v) => format!("{:.1} %", v * 100.0),
    };
    let band = if signed.is_empty() { "–".to_owned() } else { format!("{:.0} %", 100.0 * group.in_band as f64 / signed.len() as f64) };
    let view = if in_view { "yes" } else { "no" };
    let what = metric.replace('_', " ");
    let (middle, size, worst) = (quantile(&signed, 0.5), quantile(&sizes, 0.5), quantile(&sizes, 0.9));
    _ = writeln!(
        out,
        "| {what} | {engine} | {view} | {} | {} | {} | {} | {} | {band} |",
        group.rows,
        signed.len(),
        percent(middle, true),
        percent(size, false),
        percent(worst, false),
    );
}

const INTRODUCTION: &str = "# Accuracy

Written by the program: its predictions beside published measurements. Errors are (predicted − measured) ÷ measured; \"median size\" and
\"90th percentile\" are of their absolute values. \"In view\" marks tables that were looked at when a constant was chosen, so that their
errors say less than those of the others. \"In band\" is the share of measurements inside the predicted band.

Speeds are predicted with general efficiencies for today's llama.cpp, not with figures of the card or the engine: older engines, eager
kernels and slow hosts lie below them.

Some rows were set aside after their errors had been seen, which makes the figures of those tables look better than they are: Hugging Face
rows in which the whole prompt is worked on at once (129), long-prompt vLLM rows (46) and vLLM rows with two values for one setting (33),
and rows whose split over cards is unstated (17). The reasons at the end count them.

";
