//! The XML of `nvidia-smi -q -x`, all versions of its document type so far; also cut short, then the cards before the cut count.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::text::{Line, number, short};
use super::{Address, Gpu, Reading, count, lanes};

/// Most cards read from one log.
const CARDS: usize = 256;
/// Deepest nesting; the logs have eight levels.
const DEEP: usize = 64;

pub(super) fn read(lines: &[Line<'_>], out: &mut Reading<'_>) {
    let mut at = 0;
    while let Some(start) = lines.iter().skip(at).position(|l| l.text.contains("<nvidia_smi_log")).map(|n| n + at) {
        let rest = lines.get(start..).unwrap_or_default();
        let length = rest.iter().position(|l| l.text.contains("</nvidia_smi_log>")).map_or(rest.len(), |n| n + 1);
        log(rest.get(..length).unwrap_or(rest), out);
        at = start + length;
    }
}

fn log(lines: &[Line<'_>], out: &mut Reading<'_>) {
    let first = lines.first().map_or(1, |l| l.number);
    let mut xml = String::new();
    for line in lines {
        xml.push_str(&line.text);
        xml.push('\n');
    }
    let from = xml.find("<nvidia_smi_log").unwrap_or(0);
    let xml = xml.get(from..).unwrap_or_default();
    let line_of = |bytes: u64| first + xml.get(..bytes as usize).unwrap_or(xml).matches('\n').count();
    let mut reader = Reader::from_str(xml);
    let mut path: Vec<String> = Vec::new();
    let mut gpu: Option<Gpu> = None;
    let mut cards = 0;
    let fault = loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                let name = String::from_utf8_lossy(tag.name().as_ref()).into_owned();
                if name == "gpu" && path.len() == 1 {
                    let id = tag.attributes().flatten().find(|a| a.key.as_ref() == b"id");
                    let address = id.and_then(|a| Address::parse(&String::from_utf8_lossy(&a.value).to_lowercase()));
                    gpu = Some(Gpu { address, ..Gpu::default() });
                }
                path.push(name);
                if path.len() > DEEP {
                    break Some("is nested too deep".to_owned());
                }
            }
            Ok(Event::End(tag)) => {
                let ends_card = tag.name().as_ref() == b"gpu" && path.len() == 2;
                path.pop();
                if let (true, Some(card)) = (ends_card, gpu.take_if(|_| ends_card)) {
                    cards += 1;
                    push(card, out);
                }
                if path.is_empty() || cards >= CARDS {
                    break None;
                }
            }
            Ok(Event::Text(text)) => {
                if let Some(gpu) = &mut gpu
                    && let Ok(value) = text.decode()
                {
                    let inside: Vec<&str> = path.iter().skip(2).map(String::as_str).collect();
                    fact(gpu, &inside, value.trim());
                }
            }
            Ok(Event::Eof) => break Some("ends early".to_owned()),
            Ok(_) => {}
            Err(error) => break Some(format!("is broken here ({})", short(&error.to_string()))),
        }
    };
    if let Some(fault) = fault {
        let whole = gpu.take().filter(|g| g.current.is_known() || g.max_lanes.is_some());
        cards += usize::from(whole.is_some());
        whole.into_iter().for_each(|card| push(card, out));
        out.remark(line_of(reader.buffer_position()), format!("the XML of nvidia-smi {fault}; {} before that used", used(cards)));
    }
    out.found(format!("nvidia-smi -q -x with {}", count(cards, "card")));
}

fn used(cards: usize) -> String {
    format!("{} {}", count(cards, "card"), if cards == 1 { "is" } else { "are" })
}

fn push(card: Gpu, out: &mut Reading<'_>) {
    if out.found.gpus.len() < CARDS {
        out.found.gpus.push(card);
    }
}

/// Takes over one value. Serial numbers and UUIDs are not among them.
fn fact(gpu: &mut Gpu, path: &[&str], value: &str) {
    match path {
        ["product_name"] => value.clone_into(&mut gpu.name),
        ["pci", "pci_bus_id"] => gpu.address = gpu.address.or_else(|| Address::parse(&value.to_lowercase())),
        ["performance_state"] => gpu.pstate = value.strip_prefix('P').and_then(number),
        ["fb_memory_usage", "total"] => gpu.memory_mib = number(value),
        ["pci", "pci_gpu_link_info", "pcie_gen", what] => match *what {
            "max_link_gen" => gpu.max_gen = number(value),
            "current_link_gen" => gpu.current.r#gen = number(value),
            "max_device_link_gen" => gpu.device_gen = number(value),
            "max_host_link_gen" => gpu.host_gen = number(value),
            _ => {}
        },
        ["pci", "pci_gpu_link_info", "link_widths", what] => match *what {
            "max_link_width" => gpu.max_lanes = lanes(value),
            "current_link_width" => gpu.current.lanes = lanes(value),
            _ => {}
        },
        ["power_readings" | "gpu_power_readings", what] => match *what {
            "power_limit" | "current_power_limit" => gpu.power_limit_w = number(value),
            "default_power_limit" => gpu.default_power_w = number(value),
            _ => {}
        },
        _ => {}
    }
}
