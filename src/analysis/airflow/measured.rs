//! Published readings of cards in rigs, to be quoted beside a prediction.

use super::rig::RigScene;
use super::scene::{Cooler, Kind};

/// A reading: cards in the rig, free slots below the card (`None` unknown), what it says.
struct Row {
    product: &'static str,
    kind: Kind,
    cards: usize,
    free_slots: Option<f64>,
    says: &'static str,
}

/// Rows of the thermal records whose source can be opened, in its words.
const ROWS: &[Row] = &[
    Row {
        product: "GeForce GTX 1080 Ti",
        kind: Kind::OpenAir,
        cards: 2,
        free_slots: Some(0.5),
        says: "two GTX 1080 Ti close together in a solid-front tower: 81.5 °C above, 67.5 °C below (michaelriedl.com/2021/12/12/dual-gpu-fan.html)",
    },
    Row {
        product: "GeForce RTX 3090",
        kind: Kind::OpenAir,
        cards: 2,
        free_slots: Some(0.0),
        says: "two RTX 3090 side by side, side panel off: 87 and 91 °C, clocks 12 and 21 % down, 5 % fewer tokens a second (github.com/noonghunna/club-3090/issues/178)",
    },
    Row {
        product: "GeForce RTX 3090",
        kind: Kind::FlowThrough,
        cards: 2,
        free_slots: None,
        says: "the hotter of two RTX 3090 Founders Edition at 309 W: 75 to 77 °C (github.com/noonghunna/club-3090/issues/698)",
    },
    Row {
        product: "GeForce RTX 3090",
        kind: Kind::OpenAir,
        cards: 1,
        free_slots: None,
        says: "one RTX 3090 at 314 W: 75 to 77 °C (github.com/ashalliants/ninfer-3090/pull/72)",
    },
    Row {
        product: "GeForce RTX 4090",
        kind: Kind::Water,
        cards: 1,
        free_slots: None,
        says: "one RTX 4090 with a radiator at 247 W: 43 °C (github.com/noonghunna/club-3090/issues/697)",
    },
    Row {
        product: "Tesla V100",
        kind: Kind::Passive,
        cards: 2,
        free_slots: None,
        says: "two V100 with shroud fans at 153 to 175 W: 45 and 68 °C, memory 78 °C (github.com/bradrlaw/ai-server/pull/15)",
    },
    Row {
        product: "RTX A4000",
        kind: Kind::Blower,
        cards: 2,
        free_slots: Some(0.0),
        says: "two RTX A4000 side by side: 94 °C at 140 W, clock down to 1,325 MHz (github.com/rammsguns/llm-rig)",
    },
    Row {
        product: "Tesla P100",
        kind: Kind::Passive,
        cards: 8,
        free_slots: None,
        says: "eight P100 in a server: 76 to 78 °C (github.com/tensorflow/tensorflow/issues/16947)",
    },
    Row {
        product: "GeForce RTX 2080 Ti",
        kind: Kind::OpenAir,
        cards: 1,
        free_slots: None,
        says: "one RTX 2080 Ti on a bench: 73 °C at up to 300 W (tomshardware.com, Gigabyte Aorus Xtreme)",
    },
    Row {
        product: "GeForce RTX 2080",
        kind: Kind::OpenAir,
        cards: 1,
        free_slots: None,
        says: "one RTX 2080 on a bench: 74 °C (tomshardware.com, Zotac RTX 2080 AMP)",
    },
    Row {
        product: "TITAN Xp",
        kind: Kind::Blower,
        cards: 1,
        free_slots: None,
        says: "one TITAN Xp: 84 °C at 250 W (tomshardware.com/reviews/nvidia-titan-xp)",
    },
    Row { product: "GeForce GTX 960", kind: Kind::OpenAir, cards: 2, free_slots: None, says: "two GTX 960: 59 °C (eteknix.com)" },
    Row {
        product: "Radeon HD 5970",
        kind: Kind::Blower,
        cards: 4,
        free_slots: Some(0.0),
        says: "four HD 5970 without a gap: 95 to 100 °C within minutes; with 2 cm no throttling (blog.zorinaq.com)",
    },
    Row {
        product: "GeForce RTX 5090",
        kind: Kind::OpenAir,
        cards: 1,
        free_slots: None,
        says: "one RTX 5090: 66 °C at 547 W (github.com/noonghunna/club-3090)",
    },
];

/// The reading most like a card of a rig: kind of cooler first, then product, number of cards and gap.
pub fn nearest(product: &str, cooler: &Cooler, rig: &RigScene) -> Option<String> {
    let cards = rig.cards.iter().filter(|c| c.cooler.is_some()).count();
    let free = cooler.gap / 0.020_32;
    let far = |row: &Row| {
        let product = if row.product == product { 0.0 } else { 2.0 };
        let count = (row.cards as f64 - cards as f64).abs().min(3.0);
        let gap = row.free_slots.map_or(0.5, |s| (s - free).abs().min(1.5));
        product + count + if cards > 1 { gap } else { 0.0 }
    };
    let alike = ROWS.iter().filter(|r| r.kind == cooler.kind);
    alike.min_by(|a, b| far(a).total_cmp(&far(b))).map(|r| format!("Measured elsewhere: {}.", r.says))
}
