//! Figures over many judged rows.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Judged;
use super::table::Standing;

/// Errors of one group of rows. Errors are relative, (predicted − measured) ÷ measured; verdicts (`fits`) count as 0 or 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    pub metric: String,
    pub engine: String,
    /// `None` = all sources.
    pub source: Option<String>,
    /// `None` = all cards.
    pub gpu: Option<String>,
    /// Rows counted as measured.
    pub rows: usize,
    pub judged: usize,
    /// Median of the absolute errors; `None` = nothing judged.
    pub median: Option<f64>,
    /// 90th percentile of the absolute errors.
    pub p90: Option<f64>,
    /// Median of the signed errors.
    pub bias: Option<f64>,
    /// Mean of the absolute errors in the metric's base unit; of temperatures in kelvin.
    pub mae: Option<f64>,
    /// Share of the judged rows inside the predicted band.
    pub in_band: Option<f64>,
}

/// Rows that state card, model, precision and engine, and how many of them were judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    pub rows: usize,
    /// Of these, rows that state card, model, precision and engine.
    pub stated: usize,
    /// Of the stated, the judged.
    pub stated_judged: usize,
    pub judged: usize,
    /// Rows that are not counted as measured.
    pub set_apart: usize,
}

/// The share `q` (0..1) of sorted numbers: the nearest rank.
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

pub fn coverage(rows: &[Judged]) -> Coverage {
    let measured = || rows.iter().filter(|r| r.record.standing == Standing::Measured);
    Coverage {
        rows: measured().count(),
        stated: measured().filter(|r| r.record.is_stated()).count(),
        stated_judged: measured().filter(|r| r.record.is_stated() && r.is_judged()).count(),
        judged: measured().filter(|r| r.is_judged()).count(),
        set_apart: rows.len() - measured().count(),
    }
}

/// Measured rows by metric and engine: one group over all sources and cards, then one a source, then one a card of each source.
pub fn groups(rows: &[Judged]) -> Vec<Group> {
    /// Metric, engine, source, card.
    type Key = (String, String, Option<String>, Option<String>);
    let measured: Vec<&Judged> = rows.iter().filter(|r| r.record.standing == Standing::Measured).collect();
    let mut by: BTreeMap<Key, Vec<&Judged>> = BTreeMap::new();
    for row in measured {
        let (metric, engine) = (row.record.metric.clone(), row.engine.clone());
        let (source, gpu) = (row.record.source.clone(), row.gpu.clone());
        for (source, gpu) in [(None, None), (Some(source.clone()), None), (Some(source), Some(gpu))] {
            by.entry((metric.clone(), engine.clone(), source, gpu)).or_default().push(row);
        }
    }
    let mut out: Vec<Group> = Vec::new();
    for ((metric, engine, source, gpu), rows) in by {
        let all = source.is_none();
        out.push(group(metric.clone(), engine, source, gpu, &rows));
        if all {
            out.extend(beside(&metric, &rows));
        }
    }
    out
}

/// The simpler predictions of the same rows, each as an engine of its own; they have no band.
pub fn beside(metric: &str, rows: &[&Judged]) -> Vec<Group> {
    let judged: Vec<&&Judged> = rows.iter().filter(|r| r.is_judged()).collect();
    let names: Vec<&'static str> = judged.first().map(|r| r.beside.iter().map(|b| b.0).collect()).unwrap_or_default();
    let of = |name: &'static str| {
        let pairs: Vec<(f64, f64)> = judged.iter().filter_map(|r| Some((r.beside.iter().find(|b| b.0 == name)?.1, r.measured?))).collect();
        let mut signed: Vec<f64> = pairs.iter().filter(|p| p.1.abs() > 0.0).map(|(said, measured)| (said - measured) / measured).collect();
        signed.sort_by(f64::total_cmp);
        let mut sizes: Vec<f64> = signed.iter().map(|e| e.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let n = pairs.len();
        Group {
            metric: metric.to_owned(),
            engine: format!("baseline: {name}"),
            source: None,
            gpu: None,
            rows: rows.len(),
            judged: n,
            median: quantile(&sizes, 0.5),
            p90: quantile(&sizes, 0.9),
            bias: quantile(&signed, 0.5),
            mae: (n > 0).then(|| pairs.iter().map(|(said, measured)| (said - measured).abs()).sum::<f64>() / n as f64),
            in_band: None,
        }
    };
    names.into_iter().map(of).collect()
}

/// Figures of any rows under one name.
pub fn group(metric: String, engine: String, source: Option<String>, gpu: Option<String>, rows: &[&Judged]) -> Group {
    let judged: Vec<&&Judged> = rows.iter().filter(|r| r.is_judged()).collect();
    let differences: Vec<f64> = judged.iter().filter_map(|r| Some(r.outcome.as_ref().ok()?.value - r.measured?)).collect();
    let mut signed: Vec<f64> =
        judged.iter().filter_map(|r| r.error().or_else(|| Some(r.outcome.as_ref().ok()?.value - r.measured?))).collect();
    signed.sort_by(f64::total_cmp);
    let mut sizes: Vec<f64> = signed.iter().map(|e| e.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let mean = |values: &[f64]| (!values.is_empty()).then(|| values.iter().map(|d| d.abs()).sum::<f64>() / values.len() as f64);
    let inside = judged.iter().filter(|r| r.in_band() == Some(true)).count();
    Group {
        metric,
        engine,
        source,
        gpu,
        rows: rows.len(),
        judged: judged.len(),
        median: quantile(&sizes, 0.5),
        p90: quantile(&sizes, 0.9),
        bias: quantile(&signed, 0.5),
        mae: mean(&differences),
        in_band: (!judged.is_empty()).then(|| inside as f64 / judged.len() as f64),
    }
}

/// Reasons for which measured rows were not judged, and how many rows each keeps out; most first.
pub fn reasons(rows: &[Judged]) -> Vec<(String, usize)> {
    let mut by: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.iter().filter(|r| r.record.standing == Standing::Measured) {
        if let Err(reason) = &row.outcome {
            *by.entry(reason.as_str()).or_default() += 1;
        }
    }
    let mut list: Vec<(String, usize)> = by.into_iter().map(|(r, n)| (r.to_owned(), n)).collect();
    list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    list
}
