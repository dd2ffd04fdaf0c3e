//! stub
use serde::{Deserialize, Serialize};
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Precision { #[default] #[serde(rename="q4_k_m")] Q4KM }
