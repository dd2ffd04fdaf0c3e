//! What a part card says: the facts that decide, in two short lines.

use crate::catalog::part::{Part, PartKind};
use crate::catalog::vocab::Sale;
use crate::search::index::occurs;
use crate::units::{mm, plain, thousands, watts};

const UNKNOWN: &str = "?";

fn or<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), text)
}

fn join(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn gb(value: f64) -> String {
    if value >= 1000.0 { format!("{} TB", plain(value / 1000.0, 2)) } else { format!("{} GB", plain(value, 1)) }
}

/// Two lines about a part.
pub(super) fn lines(part: &Part) -> (String, String) {
    let (first, second) =
        match &part.kind {
            PartKind::Gpu(g) => (
                [or(g.memory_gb, gb), or(g.bandwidth_gb_s, |b| format!("{} GB/s", thousands(b, 0))), or(g.tdp_w, watts)].to_vec(),
                [
                    or(g.slots, |s| format!("{} {}", plain(s, 1), if s == 1.0 { "slot" } else { "slots" })),
                    g.cooler.map(|c| c.text().to_owned()).unwrap_or_default(),
                ]
                .to_vec(),
            ),
            PartKind::Cpu(c) => (
                [or(c.cores, |n| format!("{n} cores")), or(c.socket, |s| s.to_string()), or(c.tdp_w, watts)].to_vec(),
                [
                    or(c.pcie_lanes, |n| format!("{n} PCIe lanes")),
                    c.pcie_gen.map(|g| format!("Gen{g}")).unwrap_or_default(),
                    c.memory_channels.map(|n| format!("{n} channels")).unwrap_or_default(),
                ]
                .to_vec(),
            ),
            PartKind::Board(b) => {
                let slots = b.connectors.iter().filter(|c| c.kind == crate::catalog::vocab::ConnectorKind::Pcie).count();
                (
                    [or(b.socket, |s| s.to_string()), or(b.form_factor, |f| f.to_string())].to_vec(),
                    [format!("{slots} PCIe slots"), or(b.dimm_slots, |n| format!("{n} DIMMs")), or(b.memory_type, |m| m.to_string())]
                        .to_vec(),
                )
            }
            PartKind::Ram(r) => {
                let modules = r.modules.unwrap_or(1);
                let size = or(r.gb_per_module, |g| {
                    if modules > 1 { format!("{} ({modules} x {})", gb(g * f64::from(modules)), gb(g)) } else { gb(g) }
                });
                let kind = [r.memory_type.map(|m| m.to_string()), r.module_type.map(|m| m.to_string())];
                let kind = kind.into_iter().flatten().collect::<Vec<_>>().join(" ");
                let speed = or(r.speed_mt_s, |s| format!("{} MT/s", thousands(f64::from(s), 0)));
                ([size, speed].to_vec(), [kind].to_vec())
            }
            PartKind::Drive(d) => (
                [or(d.capacity_gb, gb), or(d.form, |f| f.to_string()), d.bus.map(|b| b.to_string()).unwrap_or_default()].to_vec(),
                [d.read_mb_s.map(|r| format!("reads {} MB/s", thousands(r, 0))).unwrap_or_default()].to_vec(),
            ),
            PartKind::Psu(p) => (
                [or(p.watts, watts), p.efficiency.map(|e| format!("80 PLUS {e}")).unwrap_or_default()].to_vec(),
                [or(p.form, |f| f.to_string()), p.length_mm.map(mm).unwrap_or_default()].to_vec(),
            ),
            PartKind::Cooler(c) => (
                [or(c.kind, |k| k.to_string())].to_vec(),
                [
                    c.radiator_mm
                        .map(|r| format!("{} radiator", mm(r)))
                        .or_else(|| c.height_mm.map(|h| format!("{} tall", mm(h))))
                        .unwrap_or_default(),
                    c.tdp_w.map(|w| format!("up to {}", watts(w))).unwrap_or_default(),
                ]
                .to_vec(),
            ),
            PartKind::Fan(f) => (
                [or(f.size_mm, mm), f.airflow_m3_h.map(|a| format!("{} m³/h", plain(a, 0))).unwrap_or_default()].to_vec(),
                [
                    f.max_rpm.map(|r| format!("{} rpm", thousands(r, 0))).unwrap_or_default(),
                    f.noise_dba.map(|n| format!("{} dB(A)", plain(n, 1))).unwrap_or_default(),
                ]
                .to_vec(),
            ),
            PartKind::Case(c) => (
                [or(c.kind, |k| k.to_string()), c.expansion_slots.map(|s| format!("{s} slots")).unwrap_or_default()].to_vec(),
                [c.max_gpu_length_mm.map(|l| format!("cards to {}", mm(l))).unwrap_or_default()].to_vec(),
            ),
            PartKind::Nic(n) => (
                [or(n.speed_gbit_s, |s| format!("{} x {} Gbit/s", n.ports.unwrap_or(1), plain(s, 1)))].to_vec(),
                [or(n.pcie_lanes, |l| format!("x{l}")), n.pcie_gen.map(|g| format!("Gen{g}")).unwrap_or_default()].to_vec(),
            ),
            PartKind::Riser(r) => (
                [or(r.pcie_lanes, |l| format!("x{l}")), r.pcie_gen.map(|g| format!("Gen{g}")).unwrap_or_default()].to_vec(),
                [r.length_mm.map(mm).unwrap_or_default()].to_vec(),
            ),
            PartKind::Carrier(c) => {
                ([or(c.m2_sockets, |n| format!("{n} M.2 sockets"))].to_vec(), [or(c.pcie_lanes, |l| format!("x{l}"))].to_vec())
            }
            PartKind::Bridge(b) => (
                [b.bandwidth_gb_s.map(|b| format!("{} GB/s", plain(b, 0))).unwrap_or_default()].to_vec(),
                [b.spacing_slots.map(|s| format!("{s} slots apart")).unwrap_or_default()].to_vec(),
            ),
        };
    let sale = match part.life.sale {
        Some(Sale::UsedOnly) => "used",
        Some(Sale::Ended) => "ended",
        Some(Sale::Announced) => "announced",
        Some(Sale::New) | None => "",
    };
    let maker = part.maker.clone().filter(|_| !part.generic).unwrap_or_default();
    (join(first), join(second.into_iter().chain([sale.to_owned(), maker])))
}

/// What a search of parts looks at: name, maker, number and facts.
pub(super) fn searched(part: &Part) -> String {
    let (first, second) = lines(part);
    let aliases = part.aliases.join(" ");
    format!("{} {} {aliases} {first} {second} {}", part.name, part.part_number.as_deref().unwrap_or_default(), part.id)
}

/// Whether every word occurs in what is searched.
pub(super) fn has_words(part: &Part, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let text = searched(part).to_lowercase();
    words.iter().all(|w| occurs(&text, w))
}

/// `memory_gb` becomes "Memory (GB)"; what is no unit stays a word.
pub(super) fn field_name(field: &str) -> String {
    const UNITS: [(&str, &str); 16] = [
        ("_gb_s", " (GB/s)"),
        ("_mb_s", " (MB/s)"),
        ("_mt_s", " (MT/s)"),
        ("_gbit_s", " (Gbit/s)"),
        ("_tflops", " (TFLOPS)"),
        ("_tops", " (TOPS)"),
        ("_m3_h", " (m³/h)"),
        ("_dba", " (dB(A))"),
        ("_ghz", " (GHz)"),
        ("_bits", " (bits)"),
        ("_mm", " (mm)"),
        ("_gb", " (GB)"),
        ("_pa", " (Pa)"),
        ("_rpm", " (rpm)"),
        ("_w", " (W)"),
        ("_v", " (V)"),
    ];
    let (stem, unit) = UNITS.iter().find_map(|(end, unit)| Some((field.strip_suffix(end)?, *unit))).unwrap_or((field, ""));
    let words = stem.split('_').map(|w| match w {
        "pcie" => "PCIe",
        "tdp" => "TDP",
        "ecc" => "ECC",
        "fp32" => "FP32",
        "fp16" => "FP16",
        "nvlink" => "NVLink",
        "p2p" => "P2P",
        "cuda" => "CUDA",
        "tbw" => "TBW",
        "m2" => "M.2",
        other => other,
    });
    let text = words.collect::<Vec<_>>().join(" ");
    let mut chars = text.chars();
    let head: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{head}{}{unit}", chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_read_as_words_with_units() {
        assert_eq!(field_name("memory_gb"), "Memory (GB)");
        assert_eq!(field_name("bandwidth_gb_s"), "Bandwidth (GB/s)");
        assert_eq!(field_name("tdp_w"), "TDP (W)");
        assert_eq!(field_name("max_gpu_length_mm"), "Max gpu length (mm)");
        assert_eq!(field_name("pcie_lanes"), "PCIe lanes");
    }
}
