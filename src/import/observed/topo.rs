//! The matrix of `nvidia-smi topo -m`.

use super::text::{Line, short};
use super::{Path, Reading, Topology, count};

/// Widest matrix read.
const WIDEST: usize = 128;

pub(super) fn read(lines: &[Line<'_>], out: &mut Reading<'_>) {
    for (at, line) in lines.iter().enumerate() {
        let Some(names) = header(&line.text) else { continue };
        if names.len() > WIDEST {
            out.remark(line.number, format!("more than {WIDEST} columns; the matrix is not used"));
            continue;
        }
        let numa_column = line.text.contains("NUMA Affinity");
        let rest = lines.get(at + 1..).unwrap_or_default();
        if let Some(topology) = matrix(names, numa_column, rest, out) {
            out.found(format!("nvidia-smi topo -m with {}", count(topology.gpu_count(), "card")));
            out.found.topology = Some(topology);
            return;
        }
    }
}

/// Names of the columns: all words up to "CPU Affinity". A row begins with a name too, but goes on with a class.
fn header(line: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = line.trim_start_matches([' ', '\t', '#', '|']).split_whitespace().collect();
    let names: Vec<&str> = words.iter().copied().take_while(|w| *w != "CPU" && *w != "NUMA" && is_name(w)).collect();
    let only_names = words.len() == names.len() || matches!(words.get(names.len()), Some(&"CPU" | &"NUMA"));
    // A lone "GPU0" is a heading of any table; the columns after it make it this one.
    let is_matrix = names.first().is_some_and(|n| is_gpu(n)) && only_names && words.len() > 1;
    is_matrix.then(|| names.into_iter().map(str::to_owned).collect())
}

fn is_gpu(word: &str) -> bool {
    word.strip_prefix("GPU").is_some_and(|n| !n.is_empty() && n.len() <= 3 && n.bytes().all(|b| b.is_ascii_digit()))
}

/// A card, or a network device such as `NIC0`, `mlx5_0`, `hfi1_0`, `bnxt_re0`.
fn is_name(word: &str) -> bool {
    let ends_in_number = word.ends_with(|c: char| c.is_ascii_digit());
    let plain = word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    is_gpu(word) || ends_in_number && plain && word.starts_with(|c: char| c.is_ascii_alphabetic()) && Path::parse(word).is_none()
}

fn matrix(names: Vec<String>, numa_column: bool, lines: &[Line<'_>], out: &mut Reading<'_>) -> Option<Topology> {
    let mut topology = Topology { names, ..Topology::default() };
    let width = topology.names.len();
    let mut rows = 0;
    for line in lines {
        let mut words = line.text.trim_start_matches([' ', '\t', '#', '|']).split_whitespace();
        let Some(name) = words.next() else { continue };
        let Some(row) = topology.names.iter().position(|n| n == name) else {
            if rows > 0 || header(&line.text).is_some() {
                break;
            }
            continue;
        };
        rows += 1;
        let words: Vec<&str> = words.collect();
        let cells: Vec<Path> = words.iter().map_while(|w| Path::parse(w)).take(width).collect();
        if cells.len() < width {
            let text = format!("\"{}\" has {} of {width} cells; the others are unknown", short(line.text.trim()), cells.len());
            out.remark(line.number, text);
        }
        for (column, path) in cells.iter().enumerate() {
            if column != row && *path != Path::Itself {
                topology.pairs.entry((row.min(column), row.max(column))).or_insert(*path);
            }
        }
        if let Some(node) = words.get(width + 1).filter(|_| numa_column && cells.len() == width).and_then(|w| w.parse().ok()) {
            topology.numa.insert(row, node);
        }
    }
    if rows > 0 && rows < topology.gpu_count() {
        let first = lines.first().map_or(1, |l| l.number);
        out.remark(first, format!("the matrix has {rows} rows for {}; it seems cut short", count(topology.gpu_count(), "card")));
    }
    (rows > 0).then_some(topology)
}
