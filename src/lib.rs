//! Rigbay: design deep-learning workstations.
//!
//! Data flows one way: [`catalog`] and [`project`] (which holds the [`build`] and its [`workload`]s) go into [`analysis`], its facts into
//! [`checks`], both into one [`report`] that the [`drawing`], the exports and the window read. `ARCHITECTURE.md` walks through it.

pub mod analysis;
pub mod build;
pub mod catalog;
pub mod checks;
pub mod cli;
pub mod drawing;
pub mod export;
pub mod files;
pub mod import;
pub mod lesson;
pub mod observed;
pub mod project;
pub mod replay;
pub mod report;
pub mod search;
pub mod session;
#[cfg(feature = "gui")]
pub mod ui;
pub mod units;
pub mod worker;
pub mod workload;
