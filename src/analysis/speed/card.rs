//! What one card gives: bandwidth, arithmetic by width, and the share that heat and power leave of it.

use crate::analysis::airflow::work::{Class, work};
use crate::catalog::part::Gpu;
use crate::catalog::vocab::GpuVendor;
use crate::project::Project;

/// Cards whose kernels reach alike, by memory and process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Make {
    /// GDDR cards of NVIDIA up to Ampere.
    Gddr,
    /// GDDR cards of NVIDIA from Ada on.
    GddrNew,
    /// HBM cards up to Ampere.
    Hbm,
    /// HBM cards from Hopper on.
    HbmNew,
    Amd,
    Intel,
}

impl Make {
    fn of(gpu: &Gpu) -> Self {
        let hbm = gpu.memory_type.as_deref().is_some_and(|m| m.starts_with("HBM"));
        let arch = gpu.architecture.as_deref().unwrap_or_default();
        let capability = gpu.compute_capability.as_deref().and_then(|c| c.parse::<f64>().ok());
        match gpu.vendor {
            Some(GpuVendor::Amd) => Self::Amd,
            Some(GpuVendor::Intel) => Self::Intel,
            _ if hbm && (capability.is_some_and(|c| c >= 9.0) || arch.starts_with("Hopper") || arch.starts_with("Blackwell")) => {
                Self::HbmNew
            }
            _ if hbm => Self::Hbm,
            _ if arch.starts_with("Ada") || arch.starts_with("Blackwell") || capability.is_some_and(|c| c >= 8.9) => Self::GddrNew,
            _ => Self::Gddr,
        }
    }
}

/// Rates of one card, per second, before efficiencies. `None` = unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    pub bytes: f64,
    /// FP32 operations outside matrix units.
    pub vector: Option<f64>,
    /// Clock × multiprocessors: what loads and unpacks weights.
    pub lanes: Option<f64>,
    /// Dense 16-bit products with FP32 sums.
    pub matrix: Option<f64>,
    /// With 16-bit sums: twice as many on `GeForce` cards with tensor cores.
    pub narrow: Option<f64>,
    /// TF32, else FP32.
    pub full: Option<f64>,
    pub fp8: Option<f64>,
    /// W.
    pub watts: Option<f64>,
    pub make: Make,
    /// Share of the work left by heat and power limits, by [`Class`].
    pub work: [f64; 3],
    /// The user's own share of the bandwidth.
    pub own: Option<f64>,
}

/// Name under which a project's `calibration` holds the user's own efficiency, 0..1; followed by "." and a product, that of one card.
pub const CALIBRATION: &str = "decode_efficiency";

impl Rates {
    /// # Errors
    /// Names the fact that is missing: the bandwidth.
    pub fn of(gpu: &Gpu, name: &str, project: &Project, work: [f64; 3]) -> Result<Self, String> {
        let known = |n: Option<f64>| n.filter(|n| *n > 0.0 && n.is_finite()).map(|n| n * 1e12);
        let gb_s = gpu.bandwidth_gb_s.filter(|b| *b > 0.0).ok_or_else(|| format!("bandwidth_gb_s of {name}"))?;
        let make = Make::of(gpu);
        let arch = gpu.architecture.as_deref().unwrap_or_default();
        let vector = known(gpu.fp32_tflops);
        // Volta, Turing and the Ampere of data centres have 64 FP32 lanes a multiprocessor, the others 128 (NVIDIA's CUDA guide, table of
        // arithmetic throughput).
        let narrow_core = arch == "Volta" || arch == "Turing" || (make == Make::Hbm && arch == "Ampere");
        let lanes = vector.map(|v| v / if narrow_core { 128.0 } else { 256.0 });
        let tensor = known(gpu.tensor_fp16_tflops).or_else(|| known(gpu.tensor_bf16_tflops));
        let matrix = tensor.or_else(|| known(gpu.fp16_tflops.into_iter().chain(gpu.fp32_tflops).reduce(f64::max)));
        let geforce = tensor.is_some() && gpu.product.as_deref().is_some_and(|p| p.starts_with("GeForce RTX"));
        let card = gpu
            .product
            .as_ref()
            .and_then(|p| if project.calibration.is_empty() { None } else { project.calibration.get(&format!("{CALIBRATION}.{p}")) });
        let own = card.or_else(|| project.calibration.get(CALIBRATION)).copied().filter(|e| *e > 0.0 && *e <= 1.5);
        Ok(Self {
            bytes: gb_s * 1e9,
            vector,
            lanes,
            matrix,
            narrow: matrix.map(|m| if geforce { 2.0 * m } else { m }),
            full: known(gpu.tensor_tf32_tflops).or(vector),
            fp8: known(gpu.tensor_fp8_tflops),
            watts: gpu.tdp_w.filter(|w| *w > 0.0),
            make,
            work,
            own,
        })
    }

    /// Share of the work left for a class of work.
    pub fn left(&self, class: Class) -> f64 {
        self.work.get(class as usize).copied().unwrap_or(1.0).clamp(0.01, 1.0)
    }
}

/// Share of the work left under a power limit, by class, as measured sweeps have it.
pub fn at_power(share: f64) -> [f64; 3] {
    Class::ALL.map(|c| work(c, share))
}
