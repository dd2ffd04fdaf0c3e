//! Any text as a model's `config.json`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rigbay::import::hf_config::parse;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data)
        && let Ok(shape) = parse(text, "config.json")
    {
        assert!(shape.active_params() <= shape.params());
    }
});
