//! What a PCIe link carries: raw rate by generation and lanes, and what large copies reach of it.

/// Generation and width of a link; `None` = unknown. Lanes 0 = off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Width {
    pub lanes: Option<u8>,
    pub r#gen: Option<u8>,
}

impl Width {
    pub const OFF: Self = Self { lanes: Some(0), r#gen: None };

    pub const fn new(lanes: u8, r#gen: u8) -> Self {
        Self { lanes: Some(lanes), r#gen: Some(r#gen) }
    }
    pub fn is_off(self) -> bool {
        self.lanes == Some(0)
    }
    /// Raw GB/s (10^9 bytes) in one direction; `None` where lanes or generation are unknown.
    pub fn raw_gb_s(self) -> Option<f64> {
        match (self.lanes, self.r#gen) {
            (Some(0), _) => Some(0.0),
            (Some(lanes), Some(generation)) => Some(f64::from(lanes) * lane_gb_s(generation)?),
            _ => None,
        }
    }
    /// What large pinned copies reach in one direction, GB/s.
    pub fn copy_gb_s(self) -> Option<f64> {
        match self.r#gen {
            Some(generation) => Some(self.raw_gb_s()? * host_efficiency(generation)),
            None => self.raw_gb_s(),
        }
    }
    /// "x8 Gen4", "x8", "off", "unknown".
    pub fn text(self) -> String {
        match (self.lanes, self.r#gen) {
            (Some(0), _) => "off".to_owned(),
            (Some(lanes), Some(generation)) => format!("x{lanes} Gen{generation}"),
            (Some(lanes), None) => format!("x{lanes}"),
            (None, Some(generation)) => format!("Gen{generation}, width unknown"),
            (None, None) => "unknown".to_owned(),
        }
    }
}

/// GB/s of one lane in one direction after line encoding: 8b/10b up to Gen2, 128b/130b up to Gen5, 242/256 for Gen6.
/// Source: PCI Express base specification; <https://github.com/pcie-bench/pcie-model>.
fn lane_gb_s(generation: u8) -> Option<f64> {
    let (gt_s, encoding) = match generation {
        1 => (2.5, 0.8),
        2 => (5.0, 0.8),
        3 => (8.0, 128.0 / 130.0),
        4 => (16.0, 128.0 / 130.0),
        5 => (32.0, 128.0 / 130.0),
        6 => (64.0, 242.0 / 256.0),
        _ => return None,
    };
    Some(gt_s * encoding / 8.0)
}

/// Share of the raw rate that large pinned copies between host and card reach.
///
/// Gen4: 26.0 of 31.5 GB/s (README of NVIDIA/nvbandwidth). Gen5: 55.4 of 63.0 (stas00/ml-engineering, eight H200). Gen3: 12 to 13 of 15.75,
/// general knowledge, source not recorded. Gen2: 6.0 of 8.0 (NVIDIA's FAQ). Gen1 counts as Gen2 and Gen6 as Gen5, for want of a measurement.
pub const fn host_efficiency(generation: u8) -> f64 {
    match generation {
        0..=2 => 0.75,
        3 => 0.82,
        4 => 0.84,
        _ => 0.88,
    }
}

pub(super) const HOST_SOURCE: &str = "PCI Express base specification; share that large pinned copies reach: https://github.com/NVIDIA/nvbandwidth (Gen4), \
     https://github.com/stas00/ml-engineering (Gen5); Gen3 by general knowledge, source not recorded";

/// The same from card to card.
///
/// Gen4: 27.1 of 31.5 GB/s at x16 and 13.2 of 15.75 at x8 (noonghunna/club-3090, `docs/PCIE_P2P.md`). Gen5: 53 to 56 of 63
/// (local-inference-lab/rtx6kpro). Older generations count as Gen4: the same cards and packets at another clock.
pub const fn peer_efficiency(generation: u8) -> f64 {
    match generation {
        0..=4 => 0.84,
        _ => 0.88,
    }
}

/// Widths that a link trains to.
const WIDTHS: [u8; 6] = [32, 16, 8, 4, 2, 1];

/// The width that both ends have in common; `None` if one of them is unknown.
pub fn trained_lanes(slot: Option<u8>, device: Option<u8>) -> Option<u8> {
    let least = match (slot, device) {
        (Some(0), _) | (_, Some(0)) => return Some(0),
        (Some(a), Some(b)) => a.min(b),
        _ => return None,
    };
    WIDTHS.into_iter().find(|w| *w <= least)
}

/// The lower of two limits; `None` if one of them is unknown.
pub fn lower(a: Option<u8>, b: Option<u8>) -> Option<u8> {
    Some(a?.min(b?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_rates_of_the_specification() {
        for (lanes, generation, wanted) in
            [(16, 3, 15.754), (16, 4, 31.508), (8, 4, 15.754), (4, 4, 7.877), (16, 5, 63.015), (4, 2, 2.0), (1, 1, 0.25)]
        {
            let got = Width::new(lanes, generation).raw_gb_s().unwrap();
            assert!((got - wanted).abs() < 0.001, "x{lanes} Gen{generation}: {got}");
        }
        assert_eq!(Width { lanes: Some(16), r#gen: None }.raw_gb_s(), None);
        assert_eq!(Width { lanes: None, r#gen: Some(4) }.raw_gb_s(), None);
        assert_eq!(Width::OFF.raw_gb_s(), Some(0.0));
    }

    #[test]
    fn links_train_to_what_both_ends_have() {
        assert_eq!(trained_lanes(Some(16), Some(8)), Some(8));
        assert_eq!(trained_lanes(Some(12), Some(16)), Some(8));
        assert_eq!(trained_lanes(Some(0), None), Some(0));
        assert_eq!(trained_lanes(None, Some(16)), None);
        assert_eq!(lower(Some(4), Some(3)), Some(3));
        assert_eq!(lower(None, Some(3)), None);
    }
}
