//! The links between the cards of one job, and how long messages over all of them take.

use crate::analysis::lanes::{Lanes, Pair, PathClass};
use crate::analysis::memory::plan::Device;
use crate::build::PlacementId;

/// Links of a job's cards as messages find them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    pub cards: usize,
    /// What the slowest neighbour of a ring over all cards moves in one direction, bytes/s; `None` = unknown.
    pub ring: Option<f64>,
    /// What the slowest pair moves alone, bytes/s.
    pub pair: Option<f64>,
    /// Cards reach each other's memory; `None` = unknown.
    pub peers: Option<bool>,
    pub nvlink: bool,
    /// From the host to every card at once, bytes/s for each.
    pub host: Option<f64>,
    /// Fastest way from a drive to a card, bytes/s.
    pub drive: Option<f64>,
}

/// Share of a copy's rate that a collective reaches: NCCL over PCIe 4.0 24.5 of 26 GB/s on six RTX 4090 (tinygrad/open-gpu-kernel-modules),
/// over PCIe 5.0 28 to 41 of 55 on eight cards (NVIDIA/nccl issue 1639, voipmonitor/rtx6kpro).
const COLLECTIVE: f64 = 0.75;
/// Seconds that a collective takes however small: 10 µs on two A100 with NVLink (microsoft/vidur), 19 on four RTX 4090, 24 to 48 on eight
/// cards over PCIe (voipmonitor/rtx6kpro), 40 on eight H200 (stas00/ml-engineering).
const BASE_S: f64 = 6e-6;
const EACH_S: f64 = 4e-6;
/// Seconds of each step through the host's memory: 14 to 15 µs (noonghunna/club-3090, `docs/PCIE_P2P.md`).
const STAGED_S: f64 = 14.5e-6;

/// Where [`Fabric`]'s constants come from.
pub const SOURCE: &str = "NCCL's small and large messages: stas00/ml-engineering, microsoft/vidur, voipmonitor/rtx6kpro, noonghunna/club-3090, NVIDIA/nccl issue 1639";

impl Fabric {
    /// One card, nothing to exchange.
    pub const ALONE: Self = Self { cards: 1, ring: None, pair: None, peers: None, nvlink: false, host: None, drive: None };

    /// Of the rig's lanes for these cards.
    pub fn of(lanes: &Lanes, cards: &[Device<'_>]) -> Self {
        let ids: Vec<PlacementId> = cards.iter().map(|c| c.id).collect();
        let within = |p: &&Pair| ids.contains(&p.a) && ids.contains(&p.b);
        let pairs = || lanes.pairs.iter().filter(within);
        let slowest = |of: fn(&Pair) -> Option<f64>| -> Option<f64> {
            pairs().try_fold(f64::INFINITY, |least, p| Some(of(p)?.min(least))).filter(|r| r.is_finite())
        };
        let all = ids.len() > 1 && pairs().count() * 2 == ids.len() * (ids.len() - 1);
        let pair = slowest(|p| p.gb_s).filter(|_| all).map(|g| g * 1e9);
        let whole = lanes.pairs.len() == pairs().count();
        let nvlink = all && pairs().all(|p| matches!(p.class, Some(PathClass::Nvlink(_))));
        let peers = if all {
            pairs()
                .map(|p| p.p2p)
                .reduce(|a, b| {
                    if a == b {
                        a
                    } else if a == Some(false) || b == Some(false) {
                        Some(false)
                    } else {
                        None
                    }
                })
                .flatten()
        } else {
            None
        };
        // Modules on one switch of NVLinks have no lanes of their own here.
        let ring = if whole { lanes.ring_gb_s.map(|g| g * 1e9) } else { pair };
        let host = lanes
            .hosts
            .iter()
            .filter(|h| ids.contains(&h.gpu))
            .map(|h| h.together_gb_s.or(h.alone_gb_s))
            .try_fold(f64::INFINITY, |a, b| Some(a.min(b?)));
        let drive = lanes.drives.iter().filter(|d| ids.contains(&d.gpu)).filter_map(|d| d.gb_s).reduce(f64::max);
        Self {
            cards: ids.len(),
            ring: ring.map(|r| r * COLLECTIVE),
            pair,
            peers,
            nvlink,
            host: host.filter(|h| h.is_finite() && *h > 0.0).map(|g| g * 1e9),
            drive: drive.map(|g| g * 1e9),
        }
    }

    /// Seconds before the first byte of a collective arrives.
    pub fn start(&self, cards: usize) -> f64 {
        let n = cards as f64;
        let staged = if self.peers == Some(false) && !self.nvlink { 2.0 * (n - 1.0) * STAGED_S } else { 0.0 };
        if cards < 2 { 0.0 } else { BASE_S + EACH_S * n + staged }
    }

    /// Seconds of an all-reduce of `bytes` over `cards` of the cards: 2 (n − 1)/n of them over each link of a ring. `None` = links unknown.
    pub fn all_reduce(&self, bytes: f64, cards: usize) -> Option<f64> {
        Some(2.0 * self.gather(bytes, cards)? - self.start(cards))
    }

    /// Seconds of an all-gather or reduce-scatter of `bytes` in all.
    pub fn gather(&self, bytes: f64, cards: usize) -> Option<f64> {
        if cards < 2 {
            return Some(0.0);
        }
        let n = cards as f64;
        Some(self.start(cards) + (n - 1.0) / n * bytes / self.ring?)
    }

    /// Seconds in which every card sends each other card its part of `bytes`: all links at once, no ring.
    pub fn all_to_all(&self, bytes: f64, cards: usize) -> Option<f64> {
        if cards < 2 {
            return Some(0.0);
        }
        let n = cards as f64;
        Some(self.start(cards) + (n - 1.0) / n * bytes / self.ring?)
    }

    /// Seconds to hand `bytes` to the next card.
    pub fn hand_on(&self, bytes: f64) -> Option<f64> {
        if self.cards < 2 {
            return Some(0.0);
        }
        let start = if self.peers == Some(false) { STAGED_S } else { 2e-6 };
        Some(start + bytes / self.pair?)
    }
}
