//! Limits that judge a rig. Each is a default with a source that the user can change (G24).

use super::Project;

/// One limit.
#[derive(Debug)]
pub struct Threshold {
    pub key: &'static str,
    pub title: &'static str,
    pub unit: &'static str,
    pub default: f64,
    pub source: &'static str,
}

const GUIDE: &str =
    "Tim Dettmers, A Full Hardware Guide to Deep Learning, 2018-12-16, https://timdettmers.com/2018/12/16/deep-learning-hardware-guide/";

/// All limits, in the order in which settings show them.
pub const ALL: &[Threshold] = &[
    Threshold { key: "gpu_memory_floor_gb", title: "Least graphics memory for one card", unit: "GB", default: 8.0, source: GUIDE },
    Threshold {
        key: "gpu_memory_research_gb",
        title: "Graphics memory for research chasing the state of the art",
        unit: "GB",
        default: 11.0,
        source: GUIDE,
    },
    Threshold {
        key: "threads_per_gpu",
        title: "CPU threads per card, preprocessing while training",
        unit: "threads",
        default: 2.0,
        source: GUIDE,
    },
    Threshold { key: "threads_per_gpu_min", title: "CPU threads per card, at least", unit: "threads", default: 1.0, source: GUIDE },
    Threshold { key: "psu_margin", title: "Supply margin over CPU and cards", unit: "x", default: 1.10, source: GUIDE },
    Threshold {
        key: "card_gap_open_air_mm",
        title: "Least gap below an open-air card",
        unit: "mm",
        default: 20.32,
        source: "One free slot of 20.32 mm, after the guide's \"free slot between\"",
    },
    Threshold {
        key: "heat_loss_pct",
        title: "Work that heat may cost",
        unit: "%",
        default: 5.0,
        source: "Chosen: below it no change of cooling is felt",
    },
    Threshold {
        key: "memory_margin_k",
        title: "Least distance of graphics memory to its limit",
        unit: "K",
        default: 3.0,
        source: "Chosen: the error of a reading",
    },
    Threshold {
        key: "circuit_continuous",
        title: "Share of a circuit for continuous load",
        unit: "x",
        default: 0.8,
        source: "NEC 210.20(A): continuous load at most 80% of the breaker, https://www.nfpa.org/codes-and-standards/nfpa-70-standard-development/70",
    },
    Threshold {
        key: "gpu_length_margin_mm",
        title: "Room to leave in front of a card",
        unit: "mm",
        default: 5.0,
        source: "Margin of 5-10 mm for cables and tolerance, https://www.maxmybuild.com/guides/understanding-pc-parts/gpu-size-case-clearance",
    },
    Threshold {
        key: "plug_bend_mm",
        title: "Straight length of a 16-pin lead before its first bend",
        unit: "mm",
        default: 35.0,
        source: "Seasonic's advice for RTX 40 cards, https://planetagracza.pl/rtx-4000-karta-graficzna-nvidia-instalacja-seasonic-kable-poradnik/",
    },
    Threshold {
        key: "transient_factor",
        title: "Short peak of a card over its board power",
        unit: "x",
        // (1100 - 450) / 300
        default: 13.0 / 6.0,
        source: "Intel: a 300 W card in a 750 W machine asks 1,100 W of a supply before ATX 3.0, https://www.tweaktown.com/news/85717/pcie-5-0-gpus-can-have-power-excursions-use-up-to-1800w-of/index.html",
    },
    Threshold {
        key: "atx3_excursion",
        title: "Short peak that an ATX 3 supply bears over its rating",
        unit: "x",
        default: 2.0,
        source: "Intel ATX 3.0 design guide: 200% of the rating for 100 microseconds, address not recorded",
    },
    Threshold {
        key: "psu_efficiency",
        title: "Least efficiency of a supply that runs all day",
        unit: "x",
        default: 0.87,
        source: "80 PLUS Gold at full load and 115 V, address not recorded",
    },
    Threshold {
        key: "mm_band",
        title: "Band around a limit that rests on an assumed length",
        unit: "mm",
        default: 5.0,
        source: "Rigbay's own rule: spread of template lengths",
    },
    Threshold {
        key: "mm_band_thickness",
        title: "Band around a limit that rests on an assumed thickness",
        unit: "mm",
        default: 10.0,
        source: "Rigbay's own rule: makers round thickness to half slots",
    },
    Threshold {
        key: "work_hour_value",
        title: "Value of an hour of the rig's work; 0 = reckon from purchase and energy",
        unit: "of the room's currency",
        default: 0.0,
        source: "Yours; without it lost work counts as its share of purchase over the years and of energy",
    },
    Threshold {
        key: "price_age_days",
        title: "Age at which a price is called old",
        unit: "days",
        default: 180.0,
        source: "Rigbay's own rule: memory prices doubled within half a year in 2026",
    },
];

impl Project {
    /// The value in force. Unknown keys give NaN, which no comparison passes; `ALL` names every key.
    pub fn threshold(&self, key: &str) -> f64 {
        let default = ALL.iter().find(|t| t.key == key).map_or(f64::NAN, |t| t.default);
        self.thresholds.get(key).copied().unwrap_or(default)
    }
}
