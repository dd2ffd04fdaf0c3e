//! The worked example of the buyer's guide (G11): how long a batch of images takes over a slot of 16, 8 or 4 lanes.

use super::rate::Width;

/// One width of the example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuideRow {
    pub lanes: u8,
    /// As the guide prints it.
    pub printed_ms: f64,
    /// Bytes over the raw rate of the link.
    pub exact_ms: f64,
    /// Rate that the printed time would need.
    pub printed_gb_s: f64,
    /// Rate that the link has.
    pub link_gb_s: f64,
}

/// 32 images of 225 by 225 pixels, three channels, 4 bytes each.
pub const GUIDE_BYTES: f64 = 32.0 * 225.0 * 225.0 * 3.0 * 4.0;

/// Printed times: Tim Dettmers, "A Full Hardware Guide to Deep Learning", 2018, <https://timdettmers.com/2018/12/16/deep-learning-hardware-guide/>.
const PRINTED: [(u8, f64); 3] = [(16, 1.1), (8, 2.3), (4, 4.5)];

/// The example on PCIe 3.0, both ways.
pub fn guide_example() -> Vec<GuideRow> {
    let row = |(lanes, printed_ms): (u8, f64)| {
        let link_gb_s = Width::new(lanes, 3).raw_gb_s()?;
        Some(GuideRow {
            lanes,
            printed_ms,
            exact_ms: GUIDE_BYTES / link_gb_s / 1e6,
            printed_gb_s: GUIDE_BYTES / printed_ms / 1e6,
            link_gb_s,
        })
    };
    PRINTED.into_iter().filter_map(row).collect()
}

/// Why the two differ.
pub const GUIDE_DIFFERENCE: &str = "The printed times need more than a link carries: 17.7, 8.5 and 4.3 GB/s, where PCIe 3.0 has 15.75, 7.88 and \
     3.94 GB/s left after its 128b/130b encoding. They are about what 18.5 MiB take at an even 1 GB/s per lane.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guides_times_and_the_exact_ones() {
        let rows = guide_example();
        let printed: Vec<f64> = rows.iter().map(|r| r.printed_ms).collect();
        assert_eq!(printed, [1.1, 2.3, 4.5]);
        for (row, exact, needed) in rows.iter().zip([1.23, 2.47, 4.94]).zip([17.7, 8.5, 4.3]).map(|((r, e), n)| (r, e, n)) {
            assert!((row.exact_ms - exact).abs() < 0.005, "{row:?}");
            assert!((row.printed_gb_s - needed).abs() < 0.06, "{row:?}");
            assert!(row.printed_gb_s > row.link_gb_s);
        }
        assert!((GUIDE_BYTES - 19.44e6).abs() < 1.0);
    }
}
