//! What can be said of any part without knowing its kind.

use super::part::{Part, PartKind, Psu, Source};
use super::vocab::Confidence;

/// Kind keys in the order in which people choose parts; also the table names of catalog files.
pub const KINDS: [(&str, &str, &str); 13] = [
    ("gpu", "GPU", "GPUs"),
    ("cpu", "CPU", "CPUs"),
    ("board", "Board", "Boards"),
    ("ram", "RAM", "RAM"),
    ("drive", "Drive", "Drives"),
    ("psu", "PSU", "PSUs"),
    ("cooler", "Cooler", "Coolers"),
    ("fan", "Fan", "Fans"),
    ("case", "Case", "Cases"),
    ("nic", "NIC", "NICs"),
    ("riser", "Riser", "Risers"),
    ("carrier", "Carrier", "Carriers"),
    ("bridge", "Bridge", "Bridges"),
];

impl PartKind {
    /// Table name in catalog files: "gpu".
    pub const fn key(&self) -> &'static str {
        KINDS[self.index()].0
    }
    /// "GPU"
    pub const fn label(&self) -> &'static str {
        KINDS[self.index()].1
    }
    /// Position in [`KINDS`].
    pub const fn index(&self) -> usize {
        match self {
            Self::Gpu(_) => 0,
            Self::Cpu(_) => 1,
            Self::Board(_) => 2,
            Self::Ram(_) => 3,
            Self::Drive(_) => 4,
            Self::Psu(_) => 5,
            Self::Cooler(_) => 6,
            Self::Fan(_) => 7,
            Self::Case(_) => 8,
            Self::Nic(_) => 9,
            Self::Riser(_) => 10,
            Self::Carrier(_) => 11,
            Self::Bridge(_) => 12,
        }
    }
}

impl Part {
    /// The name without its maker and without words that every card of the family has.
    pub fn short_name(&self) -> &str {
        let name = self.maker.as_deref().and_then(|m| self.name.strip_prefix(m)).unwrap_or(&self.name).trim_start();
        ["GeForce ", "Radeon "].iter().find_map(|family| name.strip_prefix(family)).unwrap_or(name)
    }

    /// How far the value of `field` can be trusted; `None` if the field is unknown or carries no source.
    pub fn confidence(&self, field: &str) -> Option<Confidence> {
        self.from.get(field).map(|p| p.confidence)
    }

    /// Whether `field` is only a template's or a guess's value.
    pub fn is_assumed(&self, field: &str) -> bool {
        self.confidence(field).is_none_or(|c| c >= Confidence::Assumed)
    }

    /// The source behind a field.
    pub fn source_of(&self, field: &str) -> Option<&Source> {
        self.sources.get(&self.from.get(field)?.source)
    }

    /// "title, https://…" or "title, source not recorded".
    pub fn source_text(&self, key: &str) -> String {
        match self.sources.get(key) {
            None => "source not recorded".to_owned(),
            Some(Source { title, url: Some(url), .. }) => format!("{title}, {url}"),
            Some(Source { title, url: None, .. }) if title.to_lowercase().contains("not recorded") => title.clone(),
            Some(Source { title, url: None, .. }) => format!("{title}, source not recorded"),
        }
    }

    /// Typical and highest draw in watts, as far as known.
    ///
    /// Typical is the maker's TDP or board power. Parts whose draw no maker states count with the rules of thumb that
    /// `analysis/power.rs` names.
    pub fn stated_draw_w(&self) -> (Option<f64>, Option<f64>) {
        match &self.kind {
            PartKind::Gpu(g) => (g.tdp_w, g.power_max_w.or(g.tdp_w)),
            PartKind::Cpu(c) => (c.tdp_w, c.max_turbo_w.or(c.tdp_w)),
            PartKind::Drive(d) => (d.power_w, d.power_w),
            PartKind::Fan(f) => (f.power_w, f.power_w),
            PartKind::Nic(n) => (n.power_w, n.power_w),
            PartKind::Board(_)
            | PartKind::Ram(_)
            | PartKind::Psu(_)
            | PartKind::Cooler(_)
            | PartKind::Case(_)
            | PartKind::Riser(_)
            | PartKind::Carrier(_)
            | PartKind::Bridge(_) => (None, None),
        }
    }
}

impl Psu {
    /// Rating at this mains voltage; `None` = unknown there.
    pub fn watts_at(&self, mains_v: f64) -> Option<f64> {
        self.watts.filter(|_| self.full_power_from_v.is_none_or(|from| mains_v >= from))
    }
}
