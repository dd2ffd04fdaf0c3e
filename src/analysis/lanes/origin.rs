//! How each rate was made: kept as numbers with the flow, told as a formula on demand.

use crate::analysis::{Basis, Origin};
use crate::catalog::vocab::Socket;
use crate::units::plain;

use super::flows::{
    DriveFlow, HOST_DUPLEX, HostFlow, LATENCY_SOURCE, NVLINK_EFFICIENCY, NVLINK_SOURCE, PEER_SOURCE, Pair, SOCKET_SOURCE,
    STAGED_LATENCY_US, STAGED_SOURCE,
};
use super::rate::{HOST_SOURCE, Width, host_efficiency, peer_efficiency};
use super::{Lanes, PathClass};

/// The narrowest piece of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// Link of that index.
    Link(usize),
    /// Uplink of the node of that index.
    Uplink(usize),
    /// From one processor to the other.
    Sockets(Socket),
    /// Main memory of a processor.
    Memory,
}

/// What a pair's rate rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Route {
    /// Raw GB/s of the bridge in one direction.
    Bridge(f64),
    /// Straight from card to card.
    Peer(Narrow),
    /// Into the host's memory and out again: GB/s of both halves.
    Staged(f64, f64),
}

/// "31.5 GB/s of x16 Gen4 at PCIE1 x 0.84".
fn narrow(lanes: &Lanes, at: Narrow, efficiency: fn(u8) -> f64, gb_s: f64) -> String {
    let of = |width: Width, name: &str| match (width.raw_gb_s(), width.r#gen) {
        (Some(raw), Some(generation)) => {
            format!("{} GB/s of {} at {name} x {}", plain(raw, 2), width.text(), plain(efficiency(generation), 2))
        }
        _ => format!("{} GB/s at {name}", plain(gb_s, 1)),
    };
    match at {
        Narrow::Link(n) => lanes.links.get(n).map_or_else(String::new, |l| of(l.trained, &l.connector)),
        Narrow::Uplink(n) => lanes.nodes.get(n).map_or_else(String::new, |n| of(n.uplink, &format!("the uplink of {}", n.label))),
        Narrow::Sockets(socket) => format!("{} GB/s from CPU to CPU on {}", plain(gb_s, 1), socket.text()),
        Narrow::Memory => format!("{} GB/s of the CPU's memory", plain(gb_s, 1)),
    }
}

impl Pair {
    /// Formula and sources of the rate in one direction; `None` where it is unknown.
    pub fn rate_origin(&self, lanes: &Lanes) -> Option<Origin> {
        let gb_s = self.gb_s?;
        let is = |text: String| format!("{text} = {} GB/s", plain(gb_s, 1));
        Some(match self.route? {
            Route::Bridge(raw) => {
                let text = format!("{} GB/s of the bridge in one direction x {}", plain(raw, 2), plain(NVLINK_EFFICIENCY, 2));
                Origin::new(Basis::Assumed, is(text), NVLINK_SOURCE)
            }
            Route::Peer(at @ Narrow::Sockets(_)) => {
                Origin::new(Basis::Fitted, format!("narrowest: {}", narrow(lanes, at, peer_efficiency, gb_s)), SOCKET_SOURCE)
            }
            Route::Peer(at) => {
                Origin::new(Basis::Fitted, is(format!("narrowest: {}", narrow(lanes, at, peer_efficiency, gb_s))), PEER_SOURCE)
            }
            Route::Staged(up, down) => {
                let text = format!(
                    "1 MiB in at {} GB/s, then out at {} GB/s, then {} µs, piece by piece",
                    plain(up, 1),
                    plain(down, 1),
                    plain(STAGED_LATENCY_US, 1)
                );
                Origin::new(Basis::Fitted, is(text), STAGED_SOURCE)
            }
        })
    }

    /// Where the time of a small transfer comes from.
    pub fn latency_origin(&self) -> Option<Origin> {
        let us = self.latency_us?;
        let way = match (self.p2p, self.class) {
            (Some(false), _) => "through the host's memory".to_owned(),
            (_, class) => format!("middle of what was measured for {}", class.map_or_else(String::new, PathClass::text)),
        };
        Some(Origin::new(Basis::Fitted, format!("{way}: {} µs", plain(us, 2)), LATENCY_SOURCE))
    }
}

impl HostFlow {
    /// Formula and sources of the rate alone; `None` where it is unknown.
    pub fn origin(&self, lanes: &Lanes) -> Option<Origin> {
        let gb_s = self.alone_gb_s?;
        let text = format!("narrowest: {} = {} GB/s", narrow(lanes, self.narrow?, host_efficiency, gb_s), plain(gb_s, 1));
        let source = format!("{HOST_SOURCE}; all at once by max-min fair sharing; both directions x {}", plain(HOST_DUPLEX, 2));
        Some(Origin::new(Basis::Fitted, text, source))
    }
}

impl DriveFlow {
    /// Formula and sources; `None` where the rate is unknown.
    pub fn origin(&self) -> Option<Origin> {
        let gb_s = self.gb_s?;
        let read = self.read_gb_s.map_or_else(|| "unknown".to_owned(), |r| format!("{} GB/s", plain(r, 1)));
        let text = format!("least of the drive's reading ({read}) and the links into memory and out of it = {} GB/s", plain(gb_s, 1));
        Some(Origin::new(Basis::Fitted, text, format!("read_mb_s of the drive; {HOST_SOURCE}")))
    }
}

impl Lanes {
    /// How the ring's rate was made; `None` where it is unknown.
    pub fn ring_origin(&self) -> Option<Origin> {
        let gb_s = self.ring_gb_s?;
        let text = format!(
            "{} cards pass on to the next at once; the slowest by max-min fair sharing of links, uplinks and sockets: {} GB/s",
            self.hosts.len(),
            plain(gb_s, 1)
        );
        Some(Origin::new(Basis::Derived, text, PEER_SOURCE))
    }
}
