//! Measured links: what a record says of them as a [`Fabric`], and bandwidths and times of messages.

use super::names::Names;
use super::predict::{Ground, Prediction};
use super::table::Record;
use crate::analysis::speed::fabric::Fabric;
use crate::catalog::part::{Gpu, Part, PartKind};
use std::sync::Arc;

/// What copies over PCIe reach of x16 in one direction, GB/s: 12.8 (3.0), 25.5 (4.0), 55.4 (5.0) of 15.75, 31.5 and 63.
const X16: [f64; 6] = [0.0, 3.2, 6.4, 12.8, 25.5, 55.4];
/// Share of it that a copy through the host's memory reaches, and a collective with peer access and without: 11.3 of 25.5 GB/s on RTX 4090
/// (tinygrad/open-gpu-kernel-modules issue 6), all-reduces 8.9 of 25.5 (four RTX 4090) and 28 of 55 (eight RTX 5090), 24.5 of 25.5 with.
const STAGED: f64 = 0.45;
const RING_PEERS: f64 = 0.75;
const RING_STAGED: f64 = 0.42;
/// Share of `NVLink`'s raw rate in one direction that collectives reach: 235 of 300 GB/s (A100), 450 of 450 (H200), 840 of 900 (B200).
const RING_NVLINK: f64 = 0.85;

/// The number behind a word, or before one.
fn generation(text: &str) -> Option<usize> {
    for (words, generation) in [
        (["pcie 5", "pcie5", "gen5"], 5),
        (["pcie 4", "pcie4", "gen4"], 4),
        (["pcie 3", "pcie3", "gen3"], 3),
        (["pcie 2", "pcie2", "gen2"], 2),
    ] {
        if words.iter().any(|w| text.contains(w)) {
            return Some(generation);
        }
    }
    [("5.0", 5), ("4.0", 4), ("3.0", 3)].into_iter().find(|(w, _)| text.contains(w)).map(|(_, g)| g)
}

/// Fewest lanes that a text names: "x4/x4/x8" is 4.
fn lanes(text: &str) -> Option<f64> {
    let numbers = text.split(|c: char| !(c.is_ascii_alphanumeric())).filter_map(|w| w.strip_prefix('x')?.parse::<u32>().ok());
    numbers.filter(|n| matches!(n, 1 | 2 | 4 | 8 | 16)).min().map(f64::from)
}

fn gpu(part: &Arc<Part>) -> Option<&Gpu> {
    if let PartKind::Gpu(gpu) = &part.kind { Some(gpu) } else { None }
}

/// `NVLink` of a card, GB/s in one direction.
fn nvlink(gpu: &Gpu) -> Option<f64> {
    let both: f64 = gpu.nvlink.as_deref()?.rsplit(", ").next()?.strip_suffix(" GB/s")?.parse().ok()?;
    Some(both / 2.0)
}

/// Links between the cards of a record, from what it says and else what the cards have.
pub fn fabric(link: &str, cards: &[Arc<Part>]) -> Fabric {
    let text = link.to_lowercase();
    let Some(card) = cards.first().and_then(gpu) else { return Fabric::ALONE };
    let product = card.product.as_deref().unwrap_or_default();
    let staged_words = ["p2p off", "no p2p", "via host", "host staged", "p2p_disable", "p2p disabled", "dram", "stock"];
    let staged = staged_words.iter().any(|w| text.contains(w));
    let module = product.contains("SXM") || product.starts_with("B200");
    let bridged = (text.contains("nvlink") || text.contains("nvswitch") || text.contains("nv2") || text.contains("nv4"))
        && !text.contains("no nvlink");
    let linked = !staged && (bridged || (module && !text.contains("pcie")));
    if linked {
        let raw = nvlink(card).unwrap_or(50.0) * 1e9;
        let part = if module { RING_NVLINK } else { 0.6 };
        return Fabric {
            cards: cards.len(),
            ring: Some(raw * part),
            pair: Some(raw * 0.9),
            peers: Some(true),
            nvlink: true,
            host: None,
            drive: None,
        };
    }
    let own = usize::from(card.pcie_gen.unwrap_or(4));
    let speed = X16.get(generation(&text).unwrap_or(own)).copied().unwrap_or(25.5);
    let wide = lanes(&text).unwrap_or_else(|| f64::from(card.pcie_lanes.unwrap_or(16))) / 16.0;
    let one_way = speed * wide * 1e9;
    let geforce = product.starts_with("GeForce") && card.architecture.as_deref() != Some("Turing");
    let peers = if staged { false } else { text.contains("p2p") || !geforce };
    Fabric {
        cards: cards.len(),
        ring: Some(one_way * if peers { RING_PEERS } else { RING_STAGED }),
        pair: Some(one_way * if peers { 1.0 } else { STAGED }),
        peers: Some(peers),
        nvlink: false,
        host: Some(one_way),
        drive: None,
    }
}

/// Bytes of a message: `all_reduce payload 32KiB`, `size=2048 bytes`, `all_reduce 131072 B`; 1 GiB where none is named.
pub fn payload(text: &str) -> f64 {
    let lower = text.to_lowercase().replace(',', "");
    for (at, _) in lower.match_indices(|c: char| c.is_ascii_digit()) {
        if lower.get(..at).is_some_and(|t| t.ends_with(|c: char| c.is_alphanumeric() || c == '.')) {
            continue;
        }
        let Some(rest) = lower.get(at..) else { continue };
        let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let unit = rest.get(digits.len()..).unwrap_or_default().trim_start();
        let Ok(number) = digits.parse::<f64>() else { continue };
        let units = [("gib", 30), ("gb", 30), ("g", 30), ("mib", 20), ("mb", 20), ("kib", 10), ("kb", 10), ("bytes", 0), ("b", 0)];
        if let Some((_, power)) = units.iter().find(|(u, _)| unit.starts_with(u)) {
            return number * libm::pow(2.0, f64::from(*power));
        }
    }
    1024.0 * 1024.0 * 1024.0
}

fn of(names: &Names, record: &Record) -> Result<(Fabric, usize, String), String> {
    let text = format!("{} {} {}", record.link, record.workload, record.notes).to_lowercase();
    if text.contains("inter-node") || text.contains("infiniband") || text.contains("roce") {
        return Err("not modelled: links between machines".to_owned());
    }
    let cards = names.cards(&record.gpu, record.cards().or(Some(2)))?;
    let n = cards.len();
    Ok((fabric(&record.link, &cards), n, format!("{} {}", record.workload, record.engine).to_lowercase()))
}

fn band(value: f64, factor: f64) -> Prediction {
    Prediction { low: value / factor, value, high: value * factor }
}

/// Seconds of one collective or hand-over.
fn seconds(fabric: &Fabric, n: usize, what: &str, bytes: f64) -> Option<f64> {
    if what.contains("send") || what.contains("recv") || what.contains("p2p copy") {
        return fabric.hand_on(bytes);
    }
    if what.contains("all_gather") || what.contains("all-gather") || what.contains("reduce_scatter") || what.contains("reduce-scatter") {
        return fabric.gather(bytes, n);
    }
    let custom = what.contains("custom") || what.contains("one-shot");
    let all = fabric.all_reduce(bytes, n)?;
    // One step over peers' memory instead of a ring: 7.5 µs on eight cards.
    Some(if custom { all - fabric.start(n) * 0.8 } else { all })
}

/// Time of a message, in the row's unit.
pub(super) fn time(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let (fabric, n, what) = of(ground.names, record)?;
    let s = seconds(&fabric, n, &what, payload(&record.workload)).ok_or("the links are unknown")?;
    Ok(band(s * super::speed::per_second(&record.unit), 1.6))
}

/// Bus bandwidth of a collective, GB/s.
pub(super) fn bus(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let (fabric, n, what) = of(ground.names, record)?;
    let bytes = payload(&record.workload);
    let s = seconds(&fabric, n, &what, bytes).ok_or("the links are unknown")?;
    let factor = if record.metric.starts_with("algbw") { 1.0 } else { 2.0 * (n as f64 - 1.0) / n as f64 };
    Ok(band(factor * bytes / s / 1e9, 1.5))
}

/// Copies from card to card, one direction or both together.
pub(super) fn copy(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let (fabric, _, what) = of(ground.names, record)?;
    let one = fabric.pair.ok_or("the links are unknown")? / 1e9;
    let both = record.metric.contains("bidir") || what.contains("bidir");
    // Staged copies share the host's memory both ways: 25.9 of 2 × 11.3 is all of it.
    Ok(band(if both { 1.8 * one } else { one }, 1.4))
}

pub(super) fn latency(ground: Ground<'_>, record: &Record) -> Result<Prediction, String> {
    let (fabric, _, _) = of(ground.names, record)?;
    let us = if fabric.peers == Some(false) { 14.5 } else { 0.9 };
    Ok(band(us * super::speed::per_second(&record.unit) / 1e6, 1.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_links_are_read() {
        assert_eq!(payload("all_reduce payload 32KiB"), 32768.0);
        assert_eq!(payload("all_reduce size=2048 bytes"), 2048.0);
        assert_eq!(payload("all_reduce 64 MiB"), 67_108_864.0);
        assert_eq!(lanes("4x 3090 PCIe x4/x16/x8/x16"), Some(4.0));
        assert_eq!((generation("PCIe 5.0 x16".to_lowercase().as_str()), lanes("PCIe")), (Some(5), None));
    }
}
