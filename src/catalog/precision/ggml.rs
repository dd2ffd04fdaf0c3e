//! Storage types of tensors in GGUF files.

use super::recipe::{
    B16, F32, IQ1_M, IQ1_S, IQ2_S, IQ2_XS, IQ2_XXS, IQ3_S, IQ3_XXS, IQ4_NL, IQ4_XS, MXFP4, NVFP4, Q2_K, Q3_K, Q4_0, Q4_1, Q4_K, Q5_0, Q5_1,
    Q5_K, Q6_K, Q8_0, TQ1_0, TQ2_0,
};
use super::recipe::{Block, block};

/// A storage type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GgmlType {
    /// Its number in files.
    pub id: u32,
    pub name: &'static str,
    pub block: Block,
}

const fn ggml(id: u32, name: &'static str, block: Block) -> GgmlType {
    GgmlType { id, name, block }
}

/// Every type that files may have. Numbers: `enum ggml_type` in github:ggml-org/llama.cpp ggml/include/ggml.h; block layouts:
/// ggml/src/ggml-common.h; both again in gguf-py/gguf/constants.py. The reordered types 31 to 33 and 36 to 38 have left the format; old
/// files with them keep the sizes of `Q4_0` and `IQ4_NL`.
pub const GGML_TYPES: &[GgmlType] = &[
    ggml(0, "F32", F32),
    ggml(1, "F16", B16),
    ggml(2, "Q4_0", Q4_0),
    ggml(3, "Q4_1", Q4_1),
    ggml(6, "Q5_0", Q5_0),
    ggml(7, "Q5_1", Q5_1),
    ggml(8, "Q8_0", Q8_0),
    ggml(9, "Q8_1", block(36, 32)),
    ggml(10, "Q2_K", Q2_K),
    ggml(11, "Q3_K", Q3_K),
    ggml(12, "Q4_K", Q4_K),
    ggml(13, "Q5_K", Q5_K),
    ggml(14, "Q6_K", Q6_K),
    ggml(15, "Q8_K", block(292, 256)),
    ggml(16, "IQ2_XXS", IQ2_XXS),
    ggml(17, "IQ2_XS", IQ2_XS),
    ggml(18, "IQ3_XXS", IQ3_XXS),
    ggml(19, "IQ1_S", IQ1_S),
    ggml(20, "IQ4_NL", IQ4_NL),
    ggml(21, "IQ3_S", IQ3_S),
    ggml(22, "IQ2_S", IQ2_S),
    ggml(23, "IQ4_XS", IQ4_XS),
    ggml(24, "I8", block(1, 1)),
    ggml(25, "I16", block(2, 1)),
    ggml(26, "I32", block(4, 1)),
    ggml(27, "I64", block(8, 1)),
    ggml(28, "F64", block(8, 1)),
    ggml(29, "IQ1_M", IQ1_M),
    ggml(30, "BF16", B16),
    ggml(31, "Q4_0_4_4", Q4_0),
    ggml(32, "Q4_0_4_8", Q4_0),
    ggml(33, "Q4_0_8_8", Q4_0),
    ggml(34, "TQ1_0", TQ1_0),
    ggml(35, "TQ2_0", TQ2_0),
    ggml(36, "IQ4_NL_4_4", IQ4_NL),
    ggml(37, "IQ4_NL_4_8", IQ4_NL),
    ggml(38, "IQ4_NL_8_8", IQ4_NL),
    ggml(39, "MXFP4", MXFP4),
    ggml(40, "NVFP4", NVFP4),
    ggml(41, "Q1_0", block(18, 128)),
    ggml(42, "Q2_0", block(18, 64)),
];

/// The type with this number.
pub fn ggml_type(id: u32) -> Option<GgmlType> {
    GGML_TYPES.iter().copied().find(|t| t.id == id)
}

/// Names of file mixtures, `enum llama_ftype` in github:ggml-org/llama.cpp include/llama.h.
const FILE_TYPES: &[(u32, &str)] = &[
    (0, "F32"),
    (1, "F16"),
    (2, "Q4_0"),
    (3, "Q4_1"),
    (7, "Q8_0"),
    (8, "Q5_0"),
    (9, "Q5_1"),
    (10, "Q2_K"),
    (11, "Q3_K_S"),
    (12, "Q3_K_M"),
    (13, "Q3_K_L"),
    (14, "Q4_K_S"),
    (15, "Q4_K_M"),
    (16, "Q5_K_S"),
    (17, "Q5_K_M"),
    (18, "Q6_K"),
    (19, "IQ2_XXS"),
    (20, "IQ2_XS"),
    (21, "Q2_K_S"),
    (22, "IQ3_XS"),
    (23, "IQ3_XXS"),
    (24, "IQ1_S"),
    (25, "IQ4_NL"),
    (26, "IQ3_S"),
    (27, "IQ3_M"),
    (28, "IQ2_S"),
    (29, "IQ2_M"),
    (30, "IQ4_XS"),
    (31, "IQ1_M"),
    (32, "BF16"),
    (36, "TQ1_0"),
    (37, "TQ2_0"),
    (38, "MXFP4_MOE"),
    (39, "NVFP4"),
    (40, "Q1_0"),
];

/// The mixture of this number in `general.file_type`.
pub fn file_type(id: u32) -> Option<&'static str> {
    FILE_TYPES.iter().find(|(n, _)| *n == id).map(|(_, name)| *name)
}
