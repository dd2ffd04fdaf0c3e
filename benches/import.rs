//! Opening a GGUF file: the header of 1,000 tensors, with a vocabulary of 128,000 texts, to stay below two milliseconds.

#![expect(clippy::expect_used, reason = "a header that cannot be read has no speed")]

#[path = "../tests/support/gguf.rs"]
#[expect(dead_code, reason = "the tests use the rest of it")]
mod gguf;

use std::io::Cursor;

use criterion::{Criterion, criterion_group, criterion_main};
use rigbay::import::gguf::{Alone, read};

fn header_of_1000_tensors(c: &mut Criterion) {
    for (name, vocab) in [("without vocabulary", 16), ("with 128,000 tokens", 128_000)] {
        // Eight tensors a layer and three outside.
        let mut file = gguf::llama(125, 4096, 1024);
        file.set("tokenizer.ggml.tokens", gguf::Put::Texts(vocab));
        let (header, length) = file.header();
        assert_eq!(file.tensors.len(), 1003);
        c.bench_function(&format!("GGUF header of 1,003 tensors, {name}"), |b| {
            b.iter(|| read(Cursor::new(&header), length, "bench.gguf", &mut Alone).expect("a sound header"));
        });
    }
}

criterion_group!(benches, header_of_1000_tensors);
criterion_main!(benches);
