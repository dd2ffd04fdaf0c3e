//! Measured records beside predictions.

pub mod accuracy;
