//! Work left at less power, read from measured sweeps of the power limit: temperature, clock and work are three things.

/// What limits a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    ComputeBound,
    Balanced,
    MemoryBound,
}

impl Class {
    pub const ALL: [Self; 3] = [Self::ComputeBound, Self::Balanced, Self::MemoryBound];

    pub const fn text(self) -> &'static str {
        match self {
            Self::ComputeBound => "compute-bound",
            Self::Balanced => "balanced",
            Self::MemoryBound => "memory-bound",
        }
    }
}

/// Where the sweeps were published: RTX 3090, 4090 and 5090, 10 W steps, clocks and tokens a second.
pub const SOURCE: &str = "power sweeps of RTX 3090, 4090 and 5090, https://github.com/noonghunna/club-3090/tree/master/docs/img";

/// Shares of the board's highest power, falling.
const POWER: [f64; 11] = [1.0, 0.95, 0.90, 0.85, 0.80, 0.75, 0.70, 0.65, 0.60, 0.55, 0.50];
/// Median of the prefill sweeps: 3090 dense and mixture of experts, 5090 down to 0.70.
const COMPUTE: [f64; 11] = [1.0, 0.984, 0.969, 0.954, 0.936, 0.902, 0.866, 0.833, 0.747, 0.633, 0.525];
/// 5090 decode of many requests down to 0.75, then 3090 prefill of a mixture of experts.
const BALANCED: [f64; 11] = [1.0, 0.995, 0.986, 0.967, 0.941, 0.912, 0.885, 0.854, 0.777, 0.663, 0.553];
/// Median of the decode sweeps: 3090 dense and mixture of experts, 4090 down to 0.60.
const MEMORY: [f64; 11] = [1.0, 0.995, 0.991, 0.984, 0.973, 0.960, 0.946, 0.919, 0.826, 0.672, 0.554];
/// Clock of the 3090 while it prefills.
const CLOCK: [f64; 11] = [1.0, 0.981, 0.962, 0.939, 0.908, 0.880, 0.836, 0.778, 0.678, 0.544, 0.434];

/// Below half the power nothing was measured.
pub const MEASURED_FROM: f64 = 0.5;

fn read(table: &[f64; 11], share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    let mut above: Option<(f64, f64)> = None;
    for (&x, &y) in POWER.iter().zip(table) {
        if let Some((x0, y0)) = above.filter(|_| share >= x) {
            return y + (y0 - y) * (share - x) / (x0 - x);
        }
        if share >= x {
            return y;
        }
        above = Some((x, y));
    }
    // Beyond the table the last slope goes on; memory, fans and losses are paid first, so nothing is left well above no power.
    let ([.., y1, y0], [.., x1, x0]) = (table, &POWER);
    (y0 - (y1 - y0) / (x1 - x0) * (x0 - share)).max(0.0)
}

/// Work at a share of the board's rated power, over the work at full power.
pub fn work(class: Class, power_share: f64) -> f64 {
    read(
        match class {
            Class::ComputeBound => &COMPUTE,
            Class::Balanced => &BALANCED,
            Class::MemoryBound => &MEMORY,
        },
        power_share,
    )
}

/// Clock at a share of the board's rated power, over the clock at full power.
pub fn clock(power_share: f64) -> f64 {
    read(&CLOCK, power_share)
}
