//! The user's own efficiency factors from the user's own records. They are kept apart from the shipped constants: a rig that uses them
//! carries them, and forgetting them brings the shipped ones back.

use std::collections::BTreeMap;

use super::names::Names;
use super::predict::{Ground, predict};
use super::summary::quantile;
use super::table::{Record, Standing};
use crate::analysis::speed::CALIBRATION;
use crate::project::Project;

/// A factor with what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// Key in the rig's `calibration`: `decode_efficiency`, or that with the card's product.
    pub key: String,
    pub value: f64,
    /// Records it was fitted to.
    pub rows: usize,
    /// Lowest and highest factor of a single record.
    pub range: (f64, f64),
}

/// Key of the factor of one card.
pub fn card_key(product: &str) -> String {
    format!("{CALIBRATION}.{product}")
}

/// The median share of memory bandwidth that the decode rows need, over all cards and for each card of three rows or more. Rows that do
/// not fit the law at any share are left out; without a row the list is empty.
pub fn fit(names: &Names, records: &[Record]) -> Vec<Factor> {
    let mut by: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for record in records.iter().filter(|r| r.standing == Standing::Measured && r.metric.starts_with("decode_tps")) {
        let Some(share) = share(names, record) else { continue };
        by.entry(CALIBRATION.to_owned()).or_default().push(share);
        if let Ok(cards) = names.cards(&record.gpu, record.cards())
            && let Some(card) = cards.first()
        {
            by.entry(card_key(card.short_name())).or_default().push(share);
        }
    }
    by.into_iter()
        .filter(|(key, shares)| key == CALIBRATION || shares.len() >= 3)
        .filter_map(|(key, mut shares)| {
            shares.sort_by(f64::total_cmp);
            Some(Factor { key, value: quantile(&shares, 0.5)?, rows: shares.len(), range: (*shares.first()?, *shares.last()?) })
        })
        .collect()
}

/// The share at which the prediction is the record's value: prediction grows with the share, so halving finds it.
fn share(names: &Names, record: &Record) -> Option<f64> {
    let (wanted, _) = super::measured(names, record).ok()?;
    let at = |share: f64| {
        let project = Project { calibration: BTreeMap::from([(CALIBRATION.to_owned(), share)]), ..Project::default() };
        predict(Ground { names, project: &project }, record).ok().map(|p| p.value)
    };
    let (mut low, mut high) = (0.02, 1.5);
    if at(low)? > wanted || at(high)? < wanted {
        return None;
    }
    for _ in 0..30 {
        let middle = f64::midpoint(low, high);
        if at(middle)? < wanted { low = middle } else { high = middle }
    }
    Some(f64::midpoint(low, high))
}
