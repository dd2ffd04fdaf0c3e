//! `lspci -t` and `-tv`: which bus lies behind which bridge, for dumps that say it nowhere else.

use super::text::Line;
use super::{Address, MANY, Reading};

/// A bus whose devices are being listed, and the column at which its bracket begins.
struct Open {
    column: usize,
    domain: u32,
    bus: u8,
}

pub(super) fn read(lines: &[Line<'_>], out: &mut Reading<'_>) {
    let mut open: Vec<Open> = Vec::new();
    let mut found = 0;
    for line in lines {
        let text: &str = &line.text;
        let begins = text.trim_start();
        let root = begins.starts_with("-[") || begins.starts_with("-+-[") || begins.starts_with("+-[") || begins.starts_with("\\-[");
        let goes_on = !open.is_empty() && begins.starts_with(['|', '+', '\\']);
        if !root && !goes_on {
            open.clear();
            continue;
        }
        found += row(text, root, &mut open, out);
    }
    if found > 0 {
        out.found(format!("lspci -t with {}", super::count(found, "device")));
    }
}

/// Reads one row; returns how many devices it names.
fn row(text: &str, root: bool, open: &mut Vec<Open>, out: &mut Reading<'_>) -> usize {
    if let Some(column) = text.find(['+', '\\', '[']) {
        open.retain(|o| o.column < column);
    }
    if root {
        open.clear();
    }
    let mut last: Option<Address> = None;
    let (mut at, mut devices) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|r| !r.is_empty()) {
        if rest.starts_with("  ") && last.is_some() {
            // From here on it is the name of the device.
            break;
        }
        if let Some(inside) = rest.strip_prefix('[').and_then(|r| r.split(']').next()) {
            bracket(inside, at, last.take(), open, out);
            at += inside.len() + 2;
        } else if let (Some(slot), Some(bus)) = (device(rest), open.last()) {
            let address = Address { domain: bus.domain, bus: bus.bus, device: slot.0, function: slot.1 };
            if out.found.devices.len() < MANY {
                out.found.devices.entry(address).or_default();
            }
            devices += 1;
            last = Some(address);
            at += 4;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    devices
}

/// `0000:40`, `01`, `04-10`, `0001:02-05`: a bus, at the top or behind the device named last.
fn bracket(inside: &str, column: usize, bridge: Option<Address>, open: &mut Vec<Open>, out: &mut Reading<'_>) {
    let (domain, buses) = match inside.split_once(':') {
        Some((domain, buses)) => (u32::from_str_radix(domain, 16).ok(), buses),
        None => (open.last().map(|o| o.domain), inside),
    };
    let (first, last) = buses.split_once('-').unwrap_or((buses, buses));
    let hex = |t: &str| u8::from_str_radix(t, 16).ok();
    let (Some(domain), Some(bus)) = (domain, hex(first)) else { return };
    if let Some(device) = bridge.and_then(|b| out.found.devices.get_mut(&b)) {
        device.secondary = device.secondary.or(Some(bus));
        device.subordinate = device.subordinate.or_else(|| hex(last));
    }
    open.push(Open { column, domain, bus });
}

/// `03.1` at the beginning of a text.
fn device(text: &str) -> Option<(u8, u8)> {
    let token = text.get(..4)?;
    let (device, function) = token.split_once('.')?;
    let plain = device.len() == 2 && token.bytes().all(|b| b.is_ascii_hexdigit() || b == b'.');
    let ends = text.get(4..).is_none_or(|rest| rest.is_empty() || rest.starts_with([' ', '-']));
    if !plain || !ends {
        return None;
    }
    let (device, function) = (u8::from_str_radix(device, 16).ok()?, u8::from_str_radix(function, 16).ok()?);
    (device < 32 && function < 8).then_some((device, function))
}
