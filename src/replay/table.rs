//! Tables of measured records as they come: CSV with the usual fifteen columns, or one of the tables known by their header.

use std::collections::BTreeMap;

/// What a table holds, as its header tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// One measured value a row, named by `metric`.
    Common,
    /// `PyTorch`'s own accounting of one step, several values a row.
    Torch,
    /// Temperatures and clocks of cards in cases.
    Thermal,
    /// Speed under a power limit.
    PowerPerf,
    /// Speed by width of the link.
    PcieScaling,
}

/// How far a value may be trusted as a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    Measured,
    /// The source's figure breaks physics or contradicts itself.
    Suspect,
    /// Kept as a wrong answer that a naive formula gives.
    NaiveWrong,
    /// Somebody's arithmetic, not a measurement.
    Computed,
}

impl Standing {
    pub const fn text(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Suspect => "suspect",
            Self::NaiveWrong => "naive and wrong",
            Self::Computed => "computed",
        }
    }

    fn of(kind: &str, metric: &str) -> Self {
        if metric.ends_with("_naive_WRONG") {
            Self::NaiveWrong
        } else if kind.ends_with("_suspect") {
            Self::Suspect
        } else if kind.starts_with("computed") || kind.starts_with("estimated") {
            Self::Computed
        } else {
            Self::Measured
        }
    }
}

/// One row of a table, as it stands there. Empty texts are unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub table: String,
    /// Line in the table, the header being 1.
    pub line: u64,
    pub kind: TableKind,
    pub standing: Standing,
    pub model: String,
    pub precision: String,
    pub engine: String,
    pub workload: String,
    /// As written; a number of tokens where it is one.
    pub context: String,
    pub batch: String,
    pub gpu: String,
    pub n_gpu: String,
    pub link: String,
    pub metric: String,
    /// As written.
    pub value: String,
    pub unit: String,
    pub notes: String,
    pub source: String,
    /// All cells by their column, for tables known by their header.
    pub cells: BTreeMap<String, String>,
}

impl Record {
    pub fn tokens(&self) -> Option<u64> {
        number(&self.context)
    }
    /// The first number in the cell: "4 per GPU" is 4.
    pub fn sequences(&self) -> Option<u64> {
        number(&self.batch).or_else(|| number(self.batch.split_whitespace().next()?))
    }
    pub fn cards(&self) -> Option<u64> {
        number(&self.n_gpu)
    }
    pub fn cell(&self, name: &str) -> &str {
        self.cells.get(name).map_or("", String::as_str)
    }
    /// Whether card, model, precision and engine are all stated.
    pub fn is_stated(&self) -> bool {
        ![&self.gpu, &self.model, &self.precision, &self.engine].iter().any(|t| t.trim().is_empty())
    }
}

/// A whole number, thousands separated by commas or not.
fn number(text: &str) -> Option<u64> {
    let plain = text.trim().replace(',', "");
    plain.parse().ok().or_else(|| plain.parse::<f64>().ok().filter(|v| v.fract() == 0.0 && (0.0..1e15).contains(v)).map(|v| v as u64))
}

const TORCH: [&str; 5] = ["params_bytes", "grads_bytes", "optimizer_bytes", "saved_activation_bytes", "peak_bytes"];
const TORCH_INFERENCE: [&str; 3] = ["params_bytes", "kv_cache_bytes", "peak_bytes"];

/// Reads a table; `name` is used in messages and in the records. Unknown columns are ignored.
///
/// # Errors
/// Names the line that is no row, or says that the header is no known one.
pub fn read(name: &str, csv_text: &str) -> Result<Vec<Record>, String> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(csv_text.as_bytes());
    let header = reader.headers().map_err(|e| format!("{name}: is no CSV table ({e}).")).cloned()?;
    let columns: Vec<String> = header.iter().map(|c| c.trim().trim_start_matches('\u{feff}').to_lowercase()).collect();
    let has = |wanted: &[&str]| wanted.iter().all(|w| columns.iter().any(|c| c == w));
    let kind = if has(&["metric", "value"]) && (has(&["model"]) || has(&["gpu"])) {
        TableKind::Common
    } else if has(&["peak_bytes", "params_bytes", "task"]) {
        TableKind::Torch
    } else if has(&["gpu_temp_c", "gpu"]) {
        TableKind::Thermal
    } else if has(&["cap_w", "perf"]) {
        TableKind::PowerPerf
    } else if has(&["reference_value", "tested_value"]) {
        TableKind::PcieScaling
    } else {
        return Err(format!(
            "{name}: is no table of measurements. Give it the columns model, precision_or_quant, engine, context_tokens, batch, gpu, n_gpu, metric, value and unit."
        ));
    };
    let mut records = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|e| format!("{name}: {e}"))?;
        let line = row.position().map_or(0, csv::Position::line);
        let cells: BTreeMap<String, String> = columns.iter().cloned().zip(row.iter().map(|c| c.trim().to_owned())).collect();
        match kind {
            TableKind::Common => records.push(common(name, line, cells)),
            TableKind::Torch => records.extend(torch(name, line, &cells)),
            TableKind::Thermal | TableKind::PowerPerf | TableKind::PcieScaling => records.push(other(name, line, kind, cells)),
        }
    }
    Ok(records)
}

fn common(table: &str, line: u64, mut cells: BTreeMap<String, String>) -> Record {
    let mut take = |names: &[&str]| names.iter().find_map(|n| cells.remove(*n)).unwrap_or_default();
    let kind = take(&["kind"]);
    let metric = take(&["metric"]);
    Record {
        table: table.to_owned(),
        line,
        kind: TableKind::Common,
        standing: Standing::of(&kind, &metric),
        model: take(&["model"]),
        precision: take(&["precision_or_quant", "precision", "quant"]),
        engine: take(&["engine"]),
        workload: take(&["workload"]),
        context: take(&["context_tokens", "context"]),
        batch: take(&["batch"]),
        gpu: take(&["gpu"]),
        n_gpu: take(&["n_gpu", "gpus"]),
        link: take(&["link"]),
        metric,
        value: take(&["value"]),
        unit: take(&["unit"]),
        notes: take(&["notes", "note"]),
        source: take(&["source"]),
        cells,
    }
}

fn blank(table: &str, line: u64, kind: TableKind) -> Record {
    Record { kind, ..common(table, line, BTreeMap::new()) }
}

/// A row of `PyTorch`'s accounting becomes one record a value.
fn torch(table: &str, line: u64, cells: &BTreeMap<String, String>) -> Vec<Record> {
    let cell = |name: &str| cells.get(name).cloned().unwrap_or_default();
    let metrics: &[&str] = if cell("task") == "infer" { &TORCH_INFERENCE } else { &TORCH };
    let one = |metric: &&str| {
        let value = cell(metric);
        let value_missing = value.is_empty() || (value == "0" && *metric != "peak_bytes");
        (!value_missing).then(|| Record {
            model: cell("model").replacen("__", "/", 1),
            precision: cell("param_dtype"),
            engine: format!("torch {}", cell("attention")),
            workload: cell("task"),
            context: cell("seq_len"),
            batch: cell("batch"),
            gpu: "any".to_owned(),
            n_gpu: "1".to_owned(),
            metric: (*metric).to_owned(),
            value,
            unit: "bytes".to_owned(),
            notes: cell("notes"),
            source: format!("PyTorch on fake tensors, {}", cell("task")),
            cells: cells.clone(),
            ..blank(table, line, TableKind::Torch)
        })
    };
    metrics.iter().filter_map(one).collect()
}

fn other(table: &str, line: u64, kind: TableKind, cells: BTreeMap<String, String>) -> Record {
    let cell = |name: &str| cells.get(name).cloned().unwrap_or_default();
    let metric = match kind {
        TableKind::Thermal => "gpu_temp_C".to_owned(),
        TableKind::PowerPerf => "perf_under_power_limit".to_owned(),
        _ => cell("metric"),
    };
    let value = match kind {
        TableKind::Thermal => cell("gpu_temp_c"),
        TableKind::PowerPerf => cell("perf"),
        _ => cell("tested_value"),
    };
    let gpu = [cell("gpu"), cell("gpus")].into_iter().find(|g| !g.is_empty()).unwrap_or_default();
    Record { metric, value, gpu, workload: cell("workload"), source: cell("source"), cells, ..blank(table, line, kind) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_known_by_their_header() {
        let rows =
            read("t", "model,metric,value,unit,kind,extra\nA,x,\"1,024\",MiB,measured_suspect,?\nA,y_naive_WRONG,1,B,computed_by_source\n")
                .expect("a table");
        assert_eq!(rows.iter().map(|r| r.standing).collect::<Vec<_>>(), [Standing::Suspect, Standing::NaiveWrong]);
        assert_eq!((rows[0].value.as_str(), rows[0].line), ("1,024", 2));
        assert!(read("t", "a,b\n1,2\n").expect_err("no table").starts_with("t: is no table of measurements."));
        let torch = read("t", "model,task,params_bytes,kv_cache_bytes,peak_bytes\na__b,infer,10,4,20\n").expect("a table");
        assert_eq!(
            torch.iter().map(|r| (r.model.as_str(), r.metric.as_str())).collect::<Vec<_>>(),
            [("a/b", "params_bytes"), ("a/b", "kv_cache_bytes"), ("a/b", "peak_bytes")]
        );
    }
}
