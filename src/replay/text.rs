//! A replay as text for a shell, and as JSON for scripts.

use std::fmt::Write as _;

use serde::Serialize;

use super::Judged;
use super::summary::{Coverage, Group, coverage, groups, reasons};
use super::table::Standing;

#[derive(Debug, Serialize)]
struct JsonReplay {
    summary: Vec<Group>,
    rows: Vec<JsonRow>,
    coverage: Coverage,
}

#[derive(Debug, Serialize)]
struct JsonRow {
    table: String,
    line: u64,
    standing: &'static str,
    metric: String,
    engine: String,
    source: String,
    gpu: String,
    model: String,
    precision: String,
    context: String,
    batch: String,
    /// In the base unit: bytes, tokens per second, 0 or 1.
    measured: Option<f64>,
    predicted: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    error: Option<f64>,
    in_band: Option<bool>,
    judged: bool,
    /// Why it was not judged.
    reason: Option<String>,
    /// A constant was chosen with such rows in view.
    fitted: bool,
}

fn json_row(row: &Judged) -> JsonRow {
    let (record, prediction) = (&row.record, row.outcome.as_ref().ok());
    JsonRow {
        table: record.table.clone(),
        line: record.line,
        standing: record.standing.text(),
        metric: record.metric.clone(),
        engine: row.engine.clone(),
        source: record.source.clone(),
        gpu: row.gpu.clone(),
        model: record.model.clone(),
        precision: record.precision.clone(),
        context: record.context.clone(),
        batch: record.batch.clone(),
        measured: row.measured,
        predicted: prediction.map(|p| p.value),
        low: prediction.map(|p| p.low),
        high: prediction.map(|p| p.high),
        error: row.error(),
        in_band: row.in_band(),
        judged: row.is_judged(),
        reason: row
            .outcome
            .as_ref()
            .err()
            .cloned()
            .or_else(|| (record.standing != Standing::Measured).then(|| format!("not counted: {}", record.standing.text()))),
        fitted: row.fitted,
    }
}

/// `{"summary": [...], "rows": [...], "coverage": {...}}`.
///
/// # Errors
/// If a number has no JSON form.
pub fn json(rows: &[Judged]) -> Result<String, String> {
    let value = JsonReplay { summary: groups(rows), rows: rows.iter().map(json_row).collect(), coverage: coverage(rows) };
    serde_json::to_string_pretty(&value).map_err(|e| format!("The replay has no JSON form ({e})."))
}

pub(super) fn percent(value: Option<f64>, signed: bool) -> String {
    match value {
        None => "–".to_owned(),
        Some(v) if signed => format!("{:+.1} %", v * 100.0),
        Some(v) => format!("{:.1} %", v * 100.0),
    }
}

/// The summary, what was not judged and why; with `all`, every row.
pub fn text(rows: &[Judged], all: bool) -> String {
    let mut out = String::new();
    let c = coverage(rows);
    _ = writeln!(
        out,
        "{} measured rows, {} judged; of {} that state card, model, precision and engine {} ({}).",
        c.rows,
        c.judged,
        c.stated,
        c.stated_judged,
        percent((c.stated > 0).then(|| c.stated_judged as f64 / c.stated as f64), false)
    );
    if c.set_apart > 0 {
        _ = writeln!(out, "{} rows are set apart: suspect, computed, or wrong on purpose.", c.set_apart);
    }
    _ = writeln!(
        out,
        "\n{:<30} {:<34} {:>5} {:>6} {:>8} {:>8} {:>8} {:>8}  source",
        "metric", "engine", "rows", "judged", "median", "p90", "bias", "in band"
    );
    for g in groups(rows).iter().filter(|g| g.gpu.is_none()) {
        let source = g.source.as_deref().unwrap_or("all");
        _ = writeln!(
            out,
            "{:<30} {:<34} {:>5} {:>6} {:>8} {:>8} {:>8} {:>8}  {source}{}",
            g.metric,
            g.engine,
            g.rows,
            g.judged,
            percent(g.median, false),
            percent(g.p90, false),
            percent(g.bias, true),
            percent(g.in_band, false),
            kelvin(&g.metric, g.mae)
        );
    }
    let why = reasons(rows);
    if !why.is_empty() {
        out.push_str("\nNot judged:\n");
    }
    for (reason, count) in why {
        _ = writeln!(out, "{count:>6}  {reason}");
    }
    if all {
        out.push_str("\nRows:\n");
        for row in rows {
            out.push_str(&line(row));
        }
    }
    out
}

/// A share of degrees Celsius says little: the mean error in kelvin stands beside it.
fn kelvin(metric: &str, mae: Option<f64>) -> String {
    mae.filter(|_| metric.starts_with("gpu_temp")).map_or_else(String::new, |k| format!(", mean error {k:.1} K"))
}

fn line(row: &Judged) -> String {
    let r = &row.record;
    let what = format!(
        "{}:{}  {}  {} {} on {} x{}  {} {}",
        r.table, r.line, r.metric, r.model, r.precision, row.gpu, r.n_gpu, r.context, r.engine
    );
    let apart = if r.standing == Standing::Measured { String::new() } else { format!(" ({})", r.standing.text()) };
    match (&row.outcome, row.measured) {
        (Ok(p), Some(m)) => {
            let band = if row.in_band() == Some(true) { "" } else { ", outside the band" };
            format!(
                "{what}: measured {}, predicted {} ({} to {}), {}{band}{apart}\n",
                number(m),
                number(p.value),
                number(p.low),
                number(p.high),
                percent(row.error(), true)
            )
        }
        (Err(why), _) => format!("{what}: not judged: {why}{apart}\n"),
        (Ok(_), None) => format!("{what}: no measured number{apart}\n"),
    }
}

/// Bytes as GiB where they are many, else the number.
fn number(value: f64) -> String {
    if value.abs() >= 1e7 { format!("{:.3} GiB", value / (1024.0 * 1024.0 * 1024.0)) } else { crate::units::plain(value, 2) }
}
