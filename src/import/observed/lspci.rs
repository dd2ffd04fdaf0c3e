//! `lspci`, with any of `-v`, `-vv`, `-nn`, `-n`, `-k`, `-D`; also cut short, filtered, quoted, or with its indentation lost.
//!
//! Format as printed by pciutils 3.x (<https://github.com/pciutils/pciutils>, `lspci.c`, `ls-caps.c`).

use super::text::{Line, short};
use super::{Address, Class, Device, Link, MANY, Port, Reading, count, generation, lanes, vendor};

/// What the reading of one device has come to.
struct State {
    address: Address,
    device: Device,
    /// Capability blocks and link states seen; a second state without a block of its own belongs to another device.
    blocks: usize,
    states: usize,
    header: usize,
    broken: bool,
}

pub(super) fn read(lines: &[Line<'_>], out: &mut Reading<'_>) {
    let mut state: Option<State> = None;
    let (mut devices, mut denied) = (0, 0);
    let mut orphan = None;
    for line in lines {
        let text = line.text.trim();
        if let Some((address, device)) = header(text) {
            finish(state.take(), out);
            if out.found.devices.len() >= MANY {
                out.remark(line.number, format!("more than {MANY} devices; the rest is left out"));
                break;
            }
            devices += 1;
            state = Some(State { address, device, blocks: 0, states: 0, header: line.number, broken: false });
        } else if let Some(state) = &mut state {
            property(state, text, line.number, out);
            denied += usize::from(text.starts_with("Capabilities: <access denied>"));
        } else if text.starts_with("LnkSta:") || text.starts_with("LnkCap:") {
            orphan = orphan.or(Some(line.number));
        }
    }
    finish(state, out);
    if let Some(number) = orphan {
        out.remark(number, "a link without the line of its device before it; it is not used");
    }
    if devices > 0 {
        out.found(format!("lspci with {}", count(devices, "device")));
        if denied > 0 {
            let first = lines.iter().find(|l| l.text.contains("<access denied>")).map_or(1, |l| l.number);
            let many = count(denied, "device");
            out.remark(first, format!("lspci was not allowed to read the links of {many}; run it with sudo"));
        }
    }
}

fn finish(state: Option<State>, out: &mut Reading<'_>) {
    let Some(mut state) = state else { return };
    if state.broken {
        let text = format!("several link states below {}; the text seems filtered, so none of them is used", state.address);
        out.remark(state.header, text);
        state.device.status = Link::default();
        state.device.capability = Link::default();
        (state.device.slower, state.device.narrower) = (false, false);
    }
    match out.found.devices.get_mut(&state.address) {
        Some(old) => old.merge(state.device),
        None => {
            out.found.devices.insert(state.address, state.device);
        }
    }
}

/// `01:00.0 VGA compatible controller [0300]: NVIDIA Corporation … [10de:2204] (rev a1)`, or `-n`: `01:00.0 0300: 10de:2204 (rev a1)`.
fn header(text: &str) -> Option<(Address, Device)> {
    let (place, rest) = text.split_once(' ')?;
    let address = Address::parse(place)?;
    let rest = rest.trim_start().trim_matches('"');
    let (class, name) = rest.split_once(':')?;
    let mut device = Device::default();
    let code = bracketed(class).or_else(|| hex16(class.trim()));
    device.class = code.map(class_of_code).or_else(|| class_of_words(class));
    let name = cut(cut(name.trim(), " (prog-if"), " (rev ");
    let (name, ids) = split_ids(name);
    if let Some((vendor, model)) = ids {
        (device.vendor_id, device.device_id) = (Some(vendor), Some(model));
    }
    device.vendor_id = device.vendor_id.or_else(|| vendor_of_words(name));
    name.clone_into(&mut device.name);
    // Times such as "12:10.5 error: late" look like addresses too.
    let like_a_class = class.starts_with(|c: char| c.is_uppercase()) && name.contains(' ');
    (device.class.is_some() || ids.is_some() || like_a_class).then_some((address, device))
}

fn cut<'t>(text: &'t str, from: &str) -> &'t str {
    text.split(from).next().unwrap_or(text)
}

fn hex16(text: &str) -> Option<u16> {
    (text.len() == 4 && text.bytes().all(|b| b.is_ascii_hexdigit())).then(|| u16::from_str_radix(text, 16).ok()).flatten()
}

/// The class code of "VGA compatible controller [0300]".
fn bracketed(class: &str) -> Option<u16> {
    let inside = class.trim_end().strip_suffix(']')?.rsplit('[').next()?;
    hex16(inside)
}

/// "name [10de:2204]" or "10de:2204".
fn split_ids(text: &str) -> (&str, Option<(u16, u16)>) {
    let pair = |t: &str| {
        let (vendor, model) = t.split_once(':')?;
        Some((hex16(vendor)?, hex16(model)?))
    };
    if let Some(ids) = pair(text.trim()) {
        return ("", Some(ids));
    }
    let found = text.rfind('[').and_then(|at| Some((text.get(..at)?, pair(text.get(at + 1..)?.split(']').next()?)?)));
    match found {
        Some((name, ids)) => (name.trim_end(), Some(ids)),
        None => (text.trim_end(), None),
    }
}

/// PCI class codes (PCI Code and ID Assignment Specification 1.11, also in pci.ids).
const fn class_of_code(code: u16) -> Class {
    match (code >> 8, code & 0xff) {
        (0x03, _) | (0x12, _) => Class::Graphics,
        (0x01, 0x08) => Class::Nvme,
        (0x01, _) => Class::Storage,
        (0x02, 0x80) | (0x0d, _) => Class::Wireless,
        (0x02, _) => Class::Network,
        (0x06, 0x00) => Class::Host,
        (0x06, 0x04) => Class::Bridge,
        (0x04, _) => Class::Audio,
        _ => Class::Other,
    }
}

fn class_of_words(class: &str) -> Option<Class> {
    const WORDS: [(&str, Class); 15] = [
        ("vga compatible controller", Class::Graphics),
        ("3d controller", Class::Graphics),
        ("display controller", Class::Graphics),
        ("processing accelerators", Class::Graphics),
        ("non-volatile memory controller", Class::Nvme),
        ("ethernet controller", Class::Network),
        ("infiniband controller", Class::Network),
        ("network controller", Class::Wireless),
        ("sata controller", Class::Storage),
        ("serial attached scsi controller", Class::Storage),
        ("raid bus controller", Class::Storage),
        ("pci bridge", Class::Bridge),
        ("host bridge", Class::Host),
        ("audio device", Class::Audio),
        ("multimedia audio controller", Class::Audio),
    ];
    let class = class.trim().to_lowercase();
    WORDS.iter().find(|(words, _)| class.starts_with(words)).map(|(_, c)| *c)
}

fn vendor_of_words(name: &str) -> Option<u16> {
    let name = name.to_lowercase();
    let begins = |word: &str| name.starts_with(word);
    if begins("nvidia") {
        Some(vendor::NVIDIA)
    } else if name.contains("[amd/ati]") || begins("ati technologies") {
        Some(vendor::ATI)
    } else if begins("advanced micro devices") {
        Some(vendor::AMD)
    } else if begins("intel corp") {
        Some(vendor::INTEL)
    } else if begins("mellanox") {
        Some(vendor::MELLANOX)
    } else {
        None
    }
}

fn property(state: &mut State, text: &str, number: usize, out: &mut Reading<'_>) {
    let device = &mut state.device;
    let Some((key, value)) = text.split_once(':') else { return };
    let value = value.trim();
    match key.trim() {
        "LnkCap" => {
            let link = link(value);
            if link.is_known() {
                device.capability = device.capability.or(link);
            } else {
                out.remark(number, format!("\"{}\" shows neither speed nor width", short(text)));
            }
        }
        "LnkSta" => {
            state.states += 1;
            if state.states > state.blocks.max(1) {
                state.broken = true;
                return;
            }
            if state.states > 1 {
                return;
            }
            let link = link(value);
            if !link.is_known() {
                out.remark(number, format!("\"{}\" shows neither speed nor width", short(text)));
            }
            device.status = device.status.or(link);
            device.slower |= field(value, "Speed").is_some_and(|t| t.contains("downgraded"));
            device.narrower |= field(value, "Width").is_some_and(|t| t.contains("downgraded"));
        }
        "Capabilities" if value.starts_with("<access denied>") => device.denied = true,
        "Capabilities" => {
            let Some((_, kind)) = value.split_once("] Express") else { return };
            state.blocks += 1;
            if state.blocks == 1 {
                device.port = port(kind);
            }
        }
        "Bus" => {
            let byte = |name: &str| {
                let text = value.split(',').find_map(|p| p.trim().strip_prefix(name)?.strip_prefix('='))?;
                u8::from_str_radix(text.trim(), 16).ok()
            };
            device.secondary = device.secondary.or_else(|| byte("secondary"));
            device.subordinate = device.subordinate.or_else(|| byte("subordinate"));
        }
        "NUMA node" => device.numa = value.parse().ok(),
        "Physical Slot" if !value.is_empty() => device.physical_slot = Some(value.chars().take(40).collect()),
        "Kernel driver in use" => {
            device.driver = Some(value.chars().take(40).collect());
            device.class = device.class.or(match value {
                "nvidia" | "nouveau" | "amdgpu" | "radeon" | "i915" | "xe" => Some(Class::Graphics),
                "nvme" => Some(Class::Nvme),
                "pcieport" => Some(Class::Bridge),
                _ => None,
            });
        }
        "Subsystem" => {
            let (name, _) = split_ids(value);
            if !name.is_empty() {
                device.subsystem = Some(name.to_owned());
            }
        }
        _ => {}
    }
}

fn port(kind: &str) -> Option<Port> {
    const KINDS: [(&str, Port); 6] = [
        ("Root Port", Port::Root),
        ("Upstream Port", Port::Upstream),
        ("Downstream Port", Port::Downstream),
        ("Root Complex Integrated", Port::Integrated),
        ("Legacy Endpoint", Port::Endpoint),
        ("Endpoint", Port::Endpoint),
    ];
    KINDS.iter().find(|(words, _)| kind.contains(words)).map(|(_, p)| *p)
}

/// "Speed 16GT/s (downgraded)" of a comma-separated list, without its name. A decimal comma belongs to the number.
fn field<'t>(value: &'t str, name: &str) -> Option<&'t str> {
    let at = value.find(name)? + name.len();
    let rest = value.get(at..)?.strip_prefix(' ')?;
    let end = rest.match_indices(',').find(|(at, _)| !rest.get(at + 1..).is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit())));
    rest.get(..end.map_or(rest.len(), |(at, _)| at))
}

fn link(value: &str) -> Link {
    let word = |name: &str| field(value, name).map(|t| t.split(" (").next().unwrap_or(t).trim());
    let named = Link { lanes: word("Width").and_then(lanes), r#gen: word("Speed").and_then(generation) };
    // "8GT/s x4 (max 8GT/s x4)", as tools for Windows write it.
    let mut words = value.split(" (").next().unwrap_or(value).split_whitespace();
    match (words.next().filter(|w| w.ends_with("GT/s")), words.next().filter(|w| w.starts_with('x'))) {
        (Some(speed), Some(width)) => named.or(Link { lanes: lanes(width), r#gen: generation(speed) }),
        _ => named,
    }
}
