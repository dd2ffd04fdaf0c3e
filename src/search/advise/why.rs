//! Why a cheaper rig does not do as well, in sentences.

use std::collections::BTreeMap;

use super::bound::Config;
use super::front::Found;
use super::tree::Rejected;
use crate::units::{Currency, Money, plain};

type Refusals = BTreeMap<u16, Vec<Rejected>>;

/// Reasons told of each rig at most.
const MOST: usize = 3;

/// Tells of each rig what the next cheaper one lacks, and which cheaper parts the checks refused.
pub(super) fn explain(front: &mut [Found], refusals: &Refusals, configs: &[Config<'_>]) {
    let cheaper: Vec<Option<(Money, f64, String)>> =
        std::iter::once(None).chain(front.iter().map(|f| Some((f.cost, f.speed, f.cards.clone())))).collect();
    for (found, before) in front.iter_mut().zip(cheaper) {
        let mut why = Vec::new();
        if let Some((cost, speed, cards)) = before {
            let slower = (1.0 - speed / found.speed) * 100.0;
            why.push(format!("The next cheaper rig, {cards} for {cost}, is {} % slower.", plain(slower, 1)));
        }
        // Other cards that would be as fast for less, were it not for the checks.
        let rivals = configs.iter().filter(|c| c.speed >= found.speed && c.least < found.cost.cents);
        for config in rivals {
            let Some(refused) = refusals.get(&config.at).and_then(|list| list.iter().min_by_key(|r| r.cents)) else { continue };
            if refused.cents >= found.cost.cents || why.len() >= MOST {
                continue;
            }
            let cost = Money { cents: refused.cents, currency: found.cost.currency };
            let own = config.text() == found.cards;
            let what = if own { format!("Cheaper parts around {} ({cost})", found.cards) } else { format!("{} for {cost}", config.text()) };
            why.push(format!("{what} did not pass: {}", refused.why));
        }
        if why.is_empty() {
            why.push("No cheaper rig of the catalog's priced parts runs the work and passes the checks.".to_owned());
        }
        found.why = why;
    }
}

/// Why nothing was found.
pub(super) fn nothing(refusals: &Refusals, configs: &[Config<'_>], budget: i64, currency: Currency) -> Vec<String> {
    let Some(cheapest) = configs.first() else { return Vec::new() };
    let mut out = Vec::new();
    if cheapest.least > budget {
        let least = Money { cents: cheapest.least, currency };
        out.push(format!(
            "The cheapest cards that run the work, {}, ask for at least {least} with the parts around them.",
            cheapest.text()
        ));
        return out;
    }
    let mut seen: Vec<&str> = Vec::new();
    for refused in configs.iter().filter_map(|c| refusals.get(&c.at)).flatten() {
        if out.len() < 5 && !seen.contains(&refused.why.as_str()) {
            seen.push(&refused.why);
            out.push(format!("Refused: {}", refused.why));
        }
    }
    out
}
