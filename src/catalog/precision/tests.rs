use super::*;

#[test]
fn ids_are_unique_and_read_back() {
    for p in Precision::ALL {
        assert_eq!(Precision::parse(p.text()), Some(*p));
        assert_eq!(serde_json::to_value(p).unwrap(), p.text());
    }
    assert_eq!(Precision::parse("q4"), None);
}

#[test]
fn bits_follow_from_the_layout() {
    for (id, bits) in [("bf16", 16.0), ("q4_0", 4.5), ("q4_k_m", 4.5), ("q6_k", 6.5625), ("iq2_xxs", 2.0625), ("mxfp4", 4.25), ("nf4", 4.5)]
    {
        assert!((Precision::parse(id).unwrap().bits_per_weight() - bits).abs() < 1e-12, "{id}");
    }
    assert!((Precision::Gptq4.bits_per_weight() - (4.0 + 20.0 / 128.0)).abs() < 1e-12);
    assert!((Precision::Nf4Double.bits_per_weight() - 4.127).abs() < 1e-3);
}

/// Half of the layers of a 32-layer model keep six bits in two of the matrices.
#[test]
fn a_mixture_gives_more_bits_to_some_layers() {
    let down = Precision::Q4KM.bytes(T::MlpDown, 1 << 20) as f64 * 8.0 / f64::from(1 << 20);
    assert!((down - f64::midpoint(4.5, 6.5625)).abs() < 1e-6, "{down}");
    assert_eq!(Precision::Q4KM.bytes(T::Mlp, 256), 144);
    assert_eq!(Precision::Q4KM.bytes(T::Head, 256), 210);
    assert_eq!(Precision::Q4KM.bytes(T::Norm, 256), 1024);
}

#[test]
fn rows_that_blocks_do_not_divide_get_a_substitute() {
    let odd = Mixing { hidden: 896, ..Mixing::PLAIN };
    assert_eq!(Precision::Q4KM.bytes_in(T::Mlp, 3200, &odd), 22 * 100, "Q5_0 instead of Q4_K");
    assert_eq!(Precision::Q4KM.bytes_in(T::Mlp, 3200, &Mixing { hidden: 30, ..odd }), 6400, "16 bits");
}

#[test]
fn experts_alone_are_packed_where_the_publisher_packs_only_them() {
    assert_eq!(Precision::Mxfp4.bytes(T::Expert, 3200), 1700);
    assert_eq!(Precision::Mxfp4.bytes(T::Mlp, 3200), 6400);
    assert_eq!(Precision::Mxfp4Moe.bytes(T::Mlp, 3200), 3400);
}

#[test]
fn no_count_overflows() {
    for p in Precision::ALL {
        for class in [T::Embedding, T::Table, T::Attention, T::AttentionV, T::MlpDown, T::Expert, T::Router, T::Norm, T::Head, T::Other] {
            for layers in [0, 1, 7, u32::MAX] {
                let m = Mixing { layers, grouped: 0, experts: 8, hidden: 0, width: 0, ..Mixing::PLAIN };
                assert!(p.bytes_in(class, u64::MAX, &m) > p.bytes_in(class, 1 << 40, &m));
            }
        }
        assert!(!p.source().is_empty());
    }
}
