//! Measured records beside predictions.

pub mod accuracy;
pub mod training;
