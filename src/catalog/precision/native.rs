//! Which card computes in which precision, and how: natively, slowly, emulated or not at all. Memory and arithmetic are two things: weights
//! may be stored in fewer bits than a card computes in; then they are unpacked on the way, and only the reading gets faster.

use serde::{Deserialize, Serialize};

use super::Precision;
use crate::catalog::part::Gpu;

/// A number format that arithmetic is done in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arithmetic {
    Fp32,
    Tf32,
    Fp16,
    Bf16,
    Int8,
    Fp8,
    Fp4,
}

impl Arithmetic {
    pub const ALL: [Self; 7] = [Self::Fp32, Self::Tf32, Self::Fp16, Self::Bf16, Self::Int8, Self::Fp8, Self::Fp4];
    pub const fn text(self) -> &'static str {
        match self {
            Self::Fp32 => "FP32",
            Self::Tf32 => "TF32",
            Self::Fp16 => "FP16",
            Self::Bf16 => "BF16",
            Self::Int8 => "INT8",
            Self::Fp8 => "FP8",
            Self::Fp4 => "FP4",
        }
    }

    /// The arithmetic that weights stored so are made for. GGUF's integers are multiplied as INT8 where a card can, group formats and NF4 as
    /// 16 bit.
    pub const fn of(precision: Precision) -> Self {
        use Precision as P;
        match precision {
            P::F32 => Self::Fp32,
            P::F16 | P::Gptq8 | P::Gptq4 | P::Gptq4g32 | P::Gptq3 | P::Awq4 | P::Awq4g64 => Self::Fp16,
            P::Bf16 | P::Nf4 | P::Nf4Double | P::Safetensors => Self::Bf16,
            P::Fp8 => Self::Fp8,
            P::Nvfp4 | P::Mxfp4 => Self::Fp4,
            _ => Self::Int8,
        }
    }
}

/// How a card does an arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// In units made for it.
    Native,
    /// It exists, but much slower than FP32.
    Slow,
    /// Software converts to another format and back; right results, no gain.
    Emulated,
    /// No way to store or compute in it that software uses.
    Absent,
}

impl Support {
    pub const fn text(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Slow => "slow",
            Self::Emulated => "emulated",
            Self::Absent => "absent",
        }
    }
}

/// One entry of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capability {
    pub support: Support,
    /// What that does to memory and speed.
    pub effect: &'static str,
    pub source: &'static str,
}

const CUDA: &str = "CUDA C++ Programming Guide, throughput of native arithmetic instructions by compute capability";
const CDNA: &str = "AMD CDNA white papers and ROCm documentation, precision support";
const RDNA: &str = "AMD RDNA instruction set documents and ROCm documentation, precision support";
const XE: &str = "Intel Xe-HPG and Xe2 architecture documents: formats of the XMX units";

const FULL: &str = "Full speed of the units made for it.";
const NO_UNITS: &str = "Native, without matrix units: at most twice the FP32 rate.";
const SLOW_FP16: &str =
    "1/64 of the FP32 rate: software computes in FP32 instead. Weights may stay at 16 bits, results take 32, so training gains no memory.";
const AS_FP32: &str = "Computed in FP32. Weights may stay at 16 bits, results take 32.";
const BF_AS_FP: &str =
    "No BF16 units: run such models in FP16 with as many bytes, or in FP32 with twice. Values beyond FP16's range overflow.";
const WEIGHT_ONLY: &str =
    "Stored in fewer bits and unpacked to 16 for the arithmetic: memory and decoding gain, prompts and training do not.";
const NO_TF32: &str = "FP32 runs at its own rate; there is no faster shortened FP32.";
const DOT: &str = "By dot products of four: four times the FP32 rate.";

const fn entry(support: Support, effect: &'static str, source: &'static str) -> Capability {
    Capability { support, effect, source }
}

/// What a card does with an arithmetic; `None` where its compute capability or architecture is unknown.
pub fn capability(gpu: &Gpu, arithmetic: Arithmetic) -> Option<Capability> {
    if arithmetic == Arithmetic::Fp32 {
        return Some(entry(Support::Native, FULL, "every graphics card"));
    }
    if let Some(version) = gpu.compute_capability.as_deref().and_then(version) {
        return Some(nvidia(version, gpu.tensor_fp16_tflops.is_some(), arithmetic));
    }
    let architecture = gpu.architecture.as_deref()?;
    if architecture.starts_with("Xe") { Some(xe(architecture, arithmetic)) } else { amd(architecture, arithmetic) }
}

/// "8.6" is (8, 6).
fn version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn nvidia(version: (u32, u32), tensor: bool, arithmetic: Arithmetic) -> Capability {
    use Support::{Emulated, Native, Slow};
    let full = match arithmetic {
        Arithmetic::Fp32 => true,
        Arithmetic::Tf32 | Arithmetic::Bf16 => version >= (8, 0),
        Arithmetic::Fp16 => version >= (7, 0) && tensor,
        Arithmetic::Int8 => version >= (7, 2) && tensor,
        Arithmetic::Fp8 => version >= (8, 9),
        Arithmetic::Fp4 => version >= (10, 0),
    };
    match (arithmetic, version) {
        _ if full => entry(Native, FULL, CUDA),
        (Arithmetic::Fp32 | Arithmetic::Tf32, _) => entry(Emulated, NO_TF32, CUDA),
        (Arithmetic::Fp16, (7.., _) | (6, 0 | 2) | (5, 3)) => entry(Native, NO_UNITS, CUDA),
        (Arithmetic::Fp16, (6, _)) => entry(Slow, SLOW_FP16, CUDA),
        (Arithmetic::Bf16, _) => entry(Emulated, BF_AS_FP, CUDA),
        (Arithmetic::Int8, v) if v >= (6, 1) => entry(Native, DOT, CUDA),
        (Arithmetic::Fp16 | Arithmetic::Int8, _) => entry(Emulated, AS_FP32, CUDA),
        (Arithmetic::Fp8 | Arithmetic::Fp4, v) => narrow(v >= (7, 5), CUDA),
    }
}

/// Fewer than 8 bits or FP8 without units: engines have kernels that unpack on cards not too old.
const fn narrow(unpacked: bool, source: &'static str) -> Capability {
    if unpacked {
        entry(Support::Emulated, WEIGHT_ONLY, source)
    } else {
        entry(Support::Absent, "No engine has kernels for such weights on this card.", source)
    }
}

fn amd(architecture: &str, arithmetic: Arithmetic) -> Option<Capability> {
    use Support::{Emulated, Native};
    let number = |name: &str| architecture.strip_prefix(name).and_then(|v| v.chars().next()?.to_digit(10));
    let (cdna, rdna, gcn) = (number("CDNA "), number("RDNA "), architecture.starts_with("GCN"));
    if rdna.is_none() && cdna.is_none() && !gcn {
        return None;
    }
    let source = if cdna.is_some() { CDNA } else { RDNA };
    let from = |c: u32, r: u32| cdna.is_some_and(|v| v >= c) || rdna.is_some_and(|v| v >= r);
    let full = match arithmetic {
        Arithmetic::Fp32 => true,
        Arithmetic::Tf32 => cdna == Some(3),
        Arithmetic::Fp16 | Arithmetic::Int8 => from(1, 3),
        Arithmetic::Bf16 => from(2, 3),
        Arithmetic::Fp8 => from(3, 4),
        Arithmetic::Fp4 => cdna.is_some_and(|v| v >= 4),
    };
    Some(match arithmetic {
        _ if full => entry(Native, FULL, source),
        Arithmetic::Fp32 | Arithmetic::Tf32 => entry(Emulated, NO_TF32, source),
        // Vega and RDNA 2 pack two FP16 numbers into one FP32 operation.
        Arithmetic::Fp16 => entry(Native, NO_UNITS, source),
        Arithmetic::Bf16 if cdna == Some(1) => entry(Native, "Native at half the rate of FP16.", source),
        Arithmetic::Bf16 => entry(Emulated, BF_AS_FP, source),
        // The first Vega has no dot products; Vega 20 (GCN 5.1) and RDNA 2 do.
        Arithmetic::Int8 if architecture == "GCN 5.0" => entry(Emulated, AS_FP32, source),
        Arithmetic::Int8 => entry(Native, DOT, source),
        Arithmetic::Fp8 | Arithmetic::Fp4 => narrow(!gcn, source),
    })
}

fn xe(architecture: &str, arithmetic: Arithmetic) -> Capability {
    use Support::{Emulated, Native};
    match arithmetic {
        Arithmetic::Tf32 if !architecture.starts_with("Xe2") => entry(Emulated, NO_TF32, XE),
        Arithmetic::Fp8 | Arithmetic::Fp4 => narrow(true, XE),
        Arithmetic::Fp32 | Arithmetic::Fp16 | Arithmetic::Bf16 | Arithmetic::Int8 | Arithmetic::Tf32 => entry(Native, FULL, XE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(capability: Option<&str>, architecture: &str, tensor: bool) -> Gpu {
        Gpu {
            compute_capability: capability.map(str::to_owned),
            architecture: Some(architecture.to_owned()),
            tensor_fp16_tflops: tensor.then_some(1.0),
            ..Gpu::default()
        }
    }

    #[test]
    fn generations_begin_where_they_should() {
        use Arithmetic::{Bf16, Fp4, Fp8, Fp16, Int8};
        use Support::{Absent, Emulated, Native, Slow};
        let of = |gpu: &Gpu, a| capability(gpu, a).map(|c| c.support);
        let nvidia = |c, tensor| card(Some(c), "", tensor);
        assert_eq!(of(&nvidia("6.1", false), Fp16), Some(Slow));
        assert_eq!(of(&nvidia("6.0", false), Fp16), Some(Native));
        assert_eq!(of(&nvidia("5.2", false), Fp16), Some(Emulated));
        assert_eq!((of(&nvidia("7.5", true), Bf16), of(&nvidia("8.6", true), Bf16)), (Some(Emulated), Some(Native)));
        assert_eq!(
            (of(&nvidia("8.6", true), Fp8), of(&nvidia("8.9", true), Fp8), of(&nvidia("6.1", false), Fp8)),
            (Some(Emulated), Some(Native), Some(Absent))
        );
        assert_eq!((of(&nvidia("9.0", true), Fp4), of(&nvidia("12.0", true), Fp4)), (Some(Emulated), Some(Native)));
        assert_eq!(of(&nvidia("6.1", false), Int8), Some(Native));
        let amd = |a| card(None, a, true);
        assert_eq!((of(&amd("RDNA 2.0"), Bf16), of(&amd("RDNA 3.0"), Bf16)), (Some(Emulated), Some(Native)));
        assert_eq!((of(&amd("RDNA 3.0"), Fp8), of(&amd("RDNA 4.0"), Fp8)), (Some(Emulated), Some(Native)));
        assert_eq!((of(&amd("CDNA 3.0"), Fp4), of(&amd("CDNA 4.0"), Fp4)), (Some(Emulated), Some(Native)));
        assert_eq!(of(&card(None, "Xe2-HPG", true), Fp8), Some(Emulated));
        assert_eq!(of(&card(None, "Unheard of", true), Fp8), None);
    }
}
