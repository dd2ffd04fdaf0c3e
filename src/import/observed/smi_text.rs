//! The plain text of `nvidia-smi -q`, which people paste more often than its XML.

use super::text::{Line, key_value, number};
use super::{Address, Gpu, Reading, count, lanes};

/// Headings above a value, by indentation.
type Headings<'a> = Vec<(usize, &'a str)>;

pub(super) fn read(lines: &[Line<'_>], out: &mut Reading<'_>) {
    let mut gpu: Option<Gpu> = None;
    let mut headings: Headings<'_> = Vec::new();
    let mut cards = 0;
    for line in lines {
        let text = line.text.trim();
        if let Some(address) = text.strip_prefix("GPU ").and_then(|id| Address::parse(&id.trim().to_lowercase())) {
            cards += push(gpu.take(), out);
            gpu = Some(Gpu { address: Some(address), ..Gpu::default() });
            headings.clear();
            continue;
        }
        let Some(gpu) = &mut gpu else { continue };
        let indent = line.text.len() - line.text.trim_start().len();
        headings.retain(|(depth, _)| *depth < indent);
        match key_value(text) {
            Some((key, value)) => {
                let path: Vec<&str> = headings.iter().map(|(_, h)| *h).chain([key]).collect();
                fact(gpu, &path, value);
            }
            None if !text.is_empty() => headings.push((indent, text)),
            None => {}
        }
    }
    cards += push(gpu, out);
    if cards > 0 {
        out.found(format!("nvidia-smi -q with {}", count(cards, "card")));
    }
}

/// A line "GPU 00000000:01:00.0" alone, as other tools print it, makes no card.
fn push(card: Option<Gpu>, out: &mut Reading<'_>) -> usize {
    let Some(card) = card.filter(|c| !c.name.is_empty() || c.current.is_known()) else { return 0 };
    let new = out.found.gpus.len() < 256 && !out.found.gpus.iter().any(|g| g.address == card.address);
    if new {
        out.found.gpus.push(card);
    }
    usize::from(new)
}

fn fact(gpu: &mut Gpu, path: &[&str], value: &str) {
    match path {
        ["Product Name"] => value.clone_into(&mut gpu.name),
        ["Performance State"] => gpu.pstate = value.strip_prefix('P').and_then(number),
        ["FB Memory Usage", "Total"] => gpu.memory_mib = number(value),
        [.., "PCIe Generation", "Max"] => gpu.max_gen = number(value),
        [.., "PCIe Generation", "Current"] => gpu.current.r#gen = number(value),
        [.., "PCIe Generation", "Device Max"] => gpu.device_gen = number(value),
        [.., "PCIe Generation", "Host Max"] => gpu.host_gen = number(value),
        [.., "Link Width", "Max"] => gpu.max_lanes = lanes(value),
        [.., "Link Width", "Current"] => gpu.current.lanes = lanes(value),
        ["Power Readings" | "GPU Power Readings", "Power Limit" | "Current Power Limit"] => gpu.power_limit_w = number(value),
        ["Power Readings" | "GPU Power Readings", "Default Power Limit"] => gpu.default_power_w = number(value),
        _ => {}
    }
}
