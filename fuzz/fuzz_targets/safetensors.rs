//! Any bytes as a safetensors file, or as an index of such files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rigbay::import::safetensors::{Weights, index};

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    if first & 1 == 0 {
        if let Ok(text) = std::str::from_utf8(rest)
            && let Ok(names) = index(text, "model.safetensors.index.json")
        {
            assert!(names.iter().all(|n| n.ends_with(".safetensors") && !n.contains(['/', '\\'])));
        }
        return;
    }
    let length = if first & 2 == 0 { rest.len() as u64 } else { 1 << 46 };
    let _ = Weights::default().add(rest, length, "some.safetensors");
});
