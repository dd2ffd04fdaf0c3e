//! How samples reach the cards: from the drive, through the processor, over the host link. And the guide's own example of it (G11, G14).

use crate::analysis::lanes::{GUIDE_BYTES, guide_example};

/// What of the input hides behind the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// Batches are read, decoded and copied ahead, from pinned memory.
    All,
    /// Read and decoded ahead; copies from pageable memory block.
    ReadsOnly,
    /// The step waits for each batch.
    Nothing,
}

/// What one sample takes on its way, and how fast the ways are. `None` = unknown; a way that is not known does not count against the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Bytes on the drive and as copied to the card.
    pub stored: f64,
    pub copied: f64,
    /// Samples that one processor thread prepares in a second; `None` = nothing to prepare.
    pub per_thread: Option<f64>,
    pub threads: Option<f64>,
    /// Bytes/s from the drive, and from the host to each card while all are fed.
    pub drive: Option<f64>,
    pub host: Option<f64>,
}

/// Seconds of the input of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Feed {
    pub read: f64,
    pub decode: f64,
    pub copy: f64,
    /// The longest of those that overlap, or their sum.
    pub total: f64,
    /// What the step waits for.
    pub shown: f64,
    pub source: &'static str,
}

/// A stored picture: `ImageNet`'s 1.28 million training pictures take 138 GB (image-net.org, ILSVRC 2012).
const PICTURE_BYTES: f64 = 108e3;
/// Pictures that one thread decodes, crops and normalises in a second; 100 to 200 with Pillow and torchvision: general knowledge, source not
/// recorded.
const PICTURES_PER_THREAD: f64 = 130.0;
/// Pageable copies reach about half of pinned ones: the guide's measured 2, 5 and 9 ms for 1.1, 2.3 and 4.5.
pub const PAGEABLE: f64 = 0.5;

const WAYS: &str = "picture 108 kB on the drive (ImageNet), 130 pictures a second and thread (assumed), copies at the rate of the lanes";

impl Source {
    /// Pictures of `side` pixels, or `tokens` tokens of 4 bytes.
    pub fn of(side: Option<u32>, tokens: u64, threads: Option<f64>, drive: Option<f64>, host: Option<f64>) -> Self {
        match side {
            Some(side) => Self {
                stored: PICTURE_BYTES,
                copied: libm::pow(f64::from(side), 2.0) * 3.0 * 4.0,
                per_thread: Some(PICTURES_PER_THREAD),
                threads,
                drive,
                host,
            },
            None => Self { stored: tokens as f64 * 4.0, copied: tokens as f64 * 8.0, per_thread: None, threads, drive, host },
        }
    }

    /// Input of one step beside `step` seconds of computing: `all` samples are read and decoded, `each` card gets its part.
    pub fn feed(&self, all: f64, each: f64, hidden: Hidden, step: f64) -> Feed {
        let read = self.drive.map_or(0.0, |d| all * self.stored / d);
        let decode = self.per_thread.zip(self.threads).map_or(0.0, |(rate, n)| all / (rate * n.max(1.0)));
        let pinned = hidden == Hidden::All;
        let copy = self.host.map_or(0.0, |h| each * self.copied / h / if pinned { 1.0 } else { PAGEABLE });
        let ahead = read.max(decode);
        let (total, shown) = match hidden {
            Hidden::All => (ahead.max(copy), (ahead.max(copy) - step).max(0.0)),
            Hidden::ReadsOnly => (ahead.max(copy), (ahead - step - copy).max(0.0) + copy),
            Hidden::Nothing => (read + decode + copy, read + decode + copy),
        };
        Feed { read, decode, copy, total, shown, source: WAYS }
    }
}

/// One line of the guide's examples, beside what the formulas here give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuideLine {
    pub name: &'static str,
    pub printed: f64,
    pub computed: f64,
    pub unit: &'static str,
}

/// Forward and backward of ResNet-152 with 32 pictures, as the guide prints it.
pub const GUIDE_STEP_MS: f64 = 216.0;
/// The guide's hard disk.
const GUIDE_DISK: f64 = 100.0 * 1024.0 * 1024.0;

/// The worked examples G11 and G14 number by number: the copy over 16, 8 and 4 lanes at an even 1 GiB/s a lane, the measured copies, what 16
/// lanes win over 4, and the blocking and the asynchronous loader.
///
/// Printed: Tim Dettmers, "A Full Hardware Guide to Deep Learning", 2018, <https://timdettmers.com/2018/12/16/deep-learning-hardware-guide/>.
pub fn guide() -> Vec<GuideLine> {
    let gib = 1024.0 * 1024.0 * 1024.0;
    let mut lines = vec![
        GuideLine { name: "mini-batch of 32 pictures", printed: 19.44, computed: GUIDE_BYTES / 1e6, unit: "MB" },
        GuideLine { name: "the same in binary units", printed: 18.54, computed: GUIDE_BYTES / (1024.0 * 1024.0), unit: "MiB" },
    ];
    for row in guide_example() {
        let (name, measured, pageable) = match row.lanes {
            16 => ("copy over 16 lanes", 2.0, "copy over 16 lanes, measured"),
            8 => ("copy over 8 lanes", 5.0, "copy over 8 lanes, measured"),
            _ => ("copy over 4 lanes", 9.0, "copy over 4 lanes, measured"),
        };
        let even = GUIDE_BYTES / (f64::from(row.lanes) * gib) * 1e3;
        lines.push(GuideLine { name, printed: row.printed_ms, computed: even, unit: "ms" });
        lines.push(GuideLine { name: pageable, printed: measured, computed: even / PAGEABLE, unit: "ms" });
    }
    let step = |copy_ms: f64| GUIDE_STEP_MS + copy_ms;
    lines.push(GuideLine { name: "gain of 16 lanes over 4", printed: 3.2, computed: (step(9.0) / step(2.0) - 1.0) * 100.0, unit: "%" });
    let pinned = Source { stored: 0.0, copied: GUIDE_BYTES / 32.0, per_thread: None, threads: None, drive: None, host: Some(4.0 * gib) };
    let ahead = pinned.feed(32.0, 32.0, Hidden::All, GUIDE_STEP_MS / 1e3);
    lines.push(GuideLine {
        name: "gain with pinned copies ahead",
        printed: 0.0,
        computed: ahead.shown / (GUIDE_STEP_MS / 1e3) * 100.0,
        unit: "%",
    });
    let disk = Source { stored: GUIDE_BYTES / 32.0, drive: Some(GUIDE_DISK), host: None, ..pinned };
    let blocking = disk.feed(32.0, 32.0, Hidden::Nothing, GUIDE_STEP_MS / 1e3);
    lines.push(GuideLine {
        name: "reading from a disk of 100 MiB/s, blocking",
        printed: 185.0,
        computed: blocking.shown * 1e3,
        unit: "ms",
    });
    let asynchronous = disk.feed(32.0, 32.0, Hidden::All, GUIDE_STEP_MS / 1e3);
    lines.push(GuideLine { name: "the same read ahead", printed: 0.0, computed: asynchronous.shown * 1e3, unit: "ms" });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every printed number comes out of the formulas as the guide rounds it; its measured copies are within half of twice the theory.
    #[test]
    fn the_guides_examples_number_by_number() {
        for line in guide() {
            let near = if line.name.ends_with("measured") { 0.2 } else { 0.035 };
            let off = (line.computed - line.printed).abs();
            assert!(off <= near * line.printed.max(0.001), "{line:?}");
        }
    }

    #[test]
    fn what_is_ahead_hides_and_what_blocks_shows() {
        let source = Source::of(Some(224), 0, Some(4.0), Some(500e6), Some(12e9));
        let ahead = source.feed(256.0, 256.0, Hidden::All, 10.0);
        assert!(ahead.shown == 0.0 && ahead.total > 0.0, "{ahead:?}");
        let blocking = source.feed(256.0, 256.0, Hidden::Nothing, 10.0);
        assert!((blocking.shown - (blocking.read + blocking.decode + blocking.copy)).abs() < 1e-12);
        assert!(source.feed(256.0, 256.0, Hidden::ReadsOnly, 10.0).shown > 0.0);
    }
}
