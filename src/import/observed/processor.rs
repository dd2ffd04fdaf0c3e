//! The processor's name, from `lscpu` in any language or `/proc/cpuinfo`.

use super::Reading;
use super::text::{Line, key_value, number};

/// The trade name in "AMD Ryzen Threadripper 3970X 32-Core Processor", "Intel(R) Xeon(R) CPU E5-2670 v2 @ 2.50GHz".
pub(super) fn model(text: &str) -> Option<String> {
    let text = text.trim();
    let known = text.starts_with("AMD ") || text.contains("Intel(R)") || text.starts_with("Intel ");
    known.then(|| text.chars().take(80).collect())
}

pub(super) fn read(lines: &[Line<'_>], out: &mut Reading<'_>) {
    if !out.found.processors.is_empty() {
        return;
    }
    let (mut name, mut sockets) = (None, None::<usize>);
    let mut physical: Vec<u16> = Vec::new();
    for line in lines {
        let Some((key, value)) = key_value(&line.text) else { continue };
        let key = key.to_lowercase();
        // lscpu translates its keys, but a value that begins like a processor's name is one.
        let names_model = ["model", "modèle", "модел", "型号", "型號", "モデル"].iter().any(|word| key.contains(word));
        if name.is_none() && names_model {
            name = model(value);
        }
        let counts_sockets = ["socket", "sockel", "soquete", "ソケット数", "сокет"].iter().any(|word| key.starts_with(word)) || key == "座";
        if counts_sockets {
            sockets = sockets.or_else(|| number(value));
        }
        if key == "physical id"
            && let Ok(id) = value.parse::<u16>()
            && !physical.contains(&id)
            && physical.len() < 8
        {
            physical.push(id);
        }
    }
    let Some(name) = name else { return };
    let sockets = sockets.filter(|n| (1..=8).contains(n)).unwrap_or(physical.len().max(1));
    out.found("a processor's name");
    out.found.processors = vec![name; sockets];
}
