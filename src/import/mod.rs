//! Foreign files become our types, one file a format.

pub mod hf_config;
pub mod model_list;
