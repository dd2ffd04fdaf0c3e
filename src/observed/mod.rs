//! The real machine beside the rig: which device is which part, what its link should be and what it is; and a rig made from dumps.

pub mod begin;
pub mod compare;
pub mod identify;
mod pairing;
pub mod text;
