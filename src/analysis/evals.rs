//! One evaluation set before and after quantisation (G19): the mean difference with its interval, flips both ways, and the long tail.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::import::evals::{Item, by_name};

/// What two runs over the same items say.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Comparison {
    /// Items of both runs, and of only one of them.
    pub items: usize,
    pub only_first: usize,
    pub only_second: usize,
    pub mean_first: f64,
    pub mean_second: f64,
    /// Second less first.
    pub difference: f64,
    /// 95 % of resampled sets of the same items differ by this.
    pub low: f64,
    pub high: f64,
    /// Right before and wrong after, and the other way; right is a score of one half or more.
    pub lost: usize,
    pub won: usize,
    /// By group, the worst first; empty where no item has one.
    pub groups: Vec<Group>,
    /// Items that lost most, the worst first.
    pub worst: Vec<Worst>,
}

#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Group {
    pub name: String,
    pub items: usize,
    pub difference: f64,
    pub low: f64,
    pub high: f64,
    pub lost: usize,
    pub won: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Worst {
    pub group: String,
    pub id: String,
    pub score_first: f64,
    pub score_second: f64,
    /// Growth of the loss, where both runs have one; else the fall of the score.
    pub loss: f64,
}

/// Resampled sets: enough for the second digit of the interval's ends.
const SETS: usize = 10_000;
/// Fewer draws for sets of very many items, whose intervals are narrow anyway.
const DRAWS: usize = 40_000_000;
/// Start of the draws: the same files give the same interval.
const SEED: u64 = 0x5EED_0F1B_0A7D_2018;
const TAIL: usize = 20;

/// `SplitMix64` (Steele, Lea and Flood 2014).
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((u128::from(z) * n as u128) >> 64) as usize
    }
}

/// Mean of the differences with the interval of a paired bootstrap.
fn interval(differences: &[f64]) -> (f64, f64, f64) {
    let n = differences.len().max(1);
    let mean = differences.iter().sum::<f64>() / n as f64;
    let sets = (DRAWS / n).clamp(1000, SETS);
    let mut draws = Draws(SEED);
    let mut means: Vec<f64> =
        (0..sets).map(|_| (0..differences.len()).filter_map(|_| differences.get(draws.below(n))).sum::<f64>() / n as f64).collect();
    means.sort_by(f64::total_cmp);
    let at = |q: f64| means.get(((sets as f64 * q) as usize).min(sets - 1)).copied().unwrap_or(mean);
    (mean, at(0.025), at(0.975))
}

/// Compares two runs item by item.
///
/// # Errors
/// If they have no item in common.
pub fn compare(first: &[Item], second: &[Item]) -> Result<Comparison, String> {
    let (a, b) = (by_name(first), by_name(second));
    let both: Vec<(&Item, &Item)> = a.iter().filter_map(|(name, x)| Some((*x, *b.get(name)?))).collect();
    if both.is_empty() {
        return Err("The two files have no item in common.".to_owned());
    }
    let right = |score: f64| score >= 0.5;
    let flips = |pairs: &[(&Item, &Item)]| {
        let lost = pairs.iter().filter(|(x, y)| right(x.score) && !right(y.score)).count();
        (lost, pairs.iter().filter(|(x, y)| !right(x.score) && right(y.score)).count())
    };
    let differences = |pairs: &[(&Item, &Item)]| pairs.iter().map(|(x, y)| y.score - x.score).collect::<Vec<f64>>();
    let (difference, low, high) = interval(&differences(&both));
    let (lost, won) = flips(&both);
    let n = both.len() as f64;
    let mut by: BTreeMap<&str, Vec<(&Item, &Item)>> = BTreeMap::new();
    for (x, y) in &both {
        by.entry(&x.group).or_default().push((x, y));
    }
    let mut groups: Vec<Group> = by
        .into_iter()
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, pairs)| {
            let (difference, low, high) = interval(&differences(&pairs));
            let (lost, won) = flips(&pairs);
            Group { name: name.to_owned(), items: pairs.len(), difference, low, high, lost, won }
        })
        .collect();
    groups.sort_by(|x, y| x.difference.total_cmp(&y.difference).then_with(|| x.name.cmp(&y.name)));
    let mut worst: Vec<Worst> = both
        .iter()
        .map(|(x, y)| Worst {
            group: x.group.clone(),
            id: x.id.clone(),
            score_first: x.score,
            score_second: y.score,
            loss: x.loss.zip(y.loss).map_or(x.score - y.score, |(before, after)| after - before),
        })
        .filter(|w| w.loss > 0.0)
        .collect();
    worst.sort_by(|x, y| y.loss.total_cmp(&x.loss).then_with(|| (&x.group, &x.id).cmp(&(&y.group, &y.id))));
    worst.truncate(TAIL);
    Ok(Comparison {
        items: both.len(),
        only_first: a.len() - both.len(),
        only_second: b.len() - both.len(),
        mean_first: both.iter().map(|(x, _)| x.score).sum::<f64>() / n,
        mean_second: both.iter().map(|(_, y)| y.score).sum::<f64>() / n,
        difference,
        low,
        high,
        lost,
        won,
        groups,
        worst,
    })
}

impl Comparison {
    /// The figures as text, one line each.
    pub fn text(&self) -> String {
        use std::fmt::Write as _;
        let mut out = String::new();
        let percent = |v: f64| format!("{:+.2}", v * 100.0);
        _ = writeln!(
            out,
            "{} items in both runs, {} only in the first, {} only in the second",
            self.items, self.only_first, self.only_second
        );
        _ = writeln!(out, "Mean {:.4} before, {:.4} after", self.mean_first, self.mean_second);
        _ = writeln!(out, "Difference {} points, 95 % interval {} to {}", percent(self.difference), percent(self.low), percent(self.high));
        _ = writeln!(out, "{} right before and wrong after, {} wrong before and right after", self.lost, self.won);
        for g in &self.groups {
            _ = writeln!(
                out,
                "  {}: {} points ({} to {}), {} items, {} lost, {} won",
                g.name,
                percent(g.difference),
                percent(g.low),
                percent(g.high),
                g.items,
                g.lost,
                g.won
            );
        }
        if !self.worst.is_empty() {
            out.push_str("Items that lost most\n");
        }
        for w in &self.worst {
            let group = if w.group.is_empty() { String::new() } else { format!("{} ", w.group) };
            _ = writeln!(out, "  {group}{}: {:.3} to {:.3}, loss {:+.3}", w.id, w.score_first, w.score_second, w.loss);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(scores: &[f64]) -> Vec<Item> {
        let item = |(n, s): (usize, &f64)| Item {
            id: n.to_string(),
            group: if n % 2 == 0 { "even" } else { "odd" }.to_owned(),
            score: *s,
            loss: Some(1.0 - s),
        };
        scores.iter().enumerate().map(item).collect()
    }

    #[test]
    fn flips_groups_and_tail_are_counted() {
        let before = items(&[1.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
        let after = items(&[1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        let c = compare(&before, &after).expect("items in common");
        assert_eq!((c.items, c.lost, c.won), (6, 2, 1));
        assert!((c.difference + 1.0 / 6.0).abs() < 1e-12 && c.low < c.difference && c.difference < c.high, "{c:?}");
        assert_eq!(c.groups.iter().map(|g| (g.name.as_str(), g.lost, g.won)).collect::<Vec<_>>(), [("odd", 2, 0), ("even", 0, 1)]);
        assert_eq!(c.worst.iter().map(|w| w.id.as_str()).collect::<Vec<_>>(), ["1", "3"]);
        assert_eq!(c, compare(&before, &after).expect("the same again"), "draws are the same each time");
        assert!(compare(&before, &items(&[])).is_err());
    }

    /// The spread of a mean of n coins that fall −1 or 0 evenly is 0.5/√n: 1.96 of it on each side.
    #[test]
    fn the_interval_is_that_of_a_mean() {
        let before = items(&vec![1.0; 400]);
        let after = items(&(0..400).map(|n| f64::from(n % 4 < 2)).collect::<Vec<_>>());
        let c = compare(&before, &after).expect("items in common");
        let half = 1.96 * 0.5 / 20.0;
        assert!((c.high - c.low - 2.0 * half).abs() < 0.1 * half, "{} {}", c.low, c.high);
    }
}
