//! Any bytes as the header of a GGUF file. The first byte tells whether the file is as long as its bytes, or as if all data followed.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use rigbay::import::gguf::{Alone, read};

fuzz_target!(|data: &[u8]| {
    let Some((first, header)) = data.split_first() else { return };
    let length = if first & 1 == 0 { header.len() as u64 } else { 1 << 46 };
    if let Ok(shape) = read(Cursor::new(header), length, "some.gguf", &mut Alone) {
        assert!(shape.weights.is_some_and(|w| w.total() <= length));
    }
});
