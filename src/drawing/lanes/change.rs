//! What an edit does to the links: before and after, in words.

use crate::analysis::lanes::rate::Width;
use crate::analysis::lanes::{Lanes, Link};

/// One link that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Change<'a> {
    pub before: &'a Link,
    pub after: &'a Link,
}

/// Links whose width or generation differs while the same device, or none, is at the place; those with a device first.
pub fn changes<'a>(before: &'a Lanes, after: &'a Lanes) -> Vec<Change<'a>> {
    let differs = |b: &Link, a: &Link| b.device == a.device && b.trained != a.trained;
    let pair = |a: &'a Link| before.link(&a.slot).filter(|b| differs(b, a)).map(|before| Change { before, after: a });
    let (used, empty): (Vec<_>, Vec<_>) = after.links.iter().filter_map(pair).partition(|c| c.after.device.is_some());
    used.into_iter().chain(empty).collect()
}

impl Change<'_> {
    /// Fewer lanes or a lower generation; `None` where one of the two is unknown.
    pub fn is_loss(&self) -> Option<bool> {
        Some(self.after.trained.raw_gb_s()? < self.before.trained.raw_gb_s()?)
    }

    /// "PCIE7 falls to x8 Gen4", "SLOT4 is switched off".
    pub fn text(&self) -> String {
        let (name, now) = (&self.after.connector, self.after.trained);
        if now.is_off() {
            return format!("{name} is switched off");
        }
        if self.before.trained.is_off() {
            return format!("{name} is switched on: {}", now.text());
        }
        match self.is_loss() {
            Some(true) => format!("{name} falls to {}", now.text()),
            Some(false) => format!("{name} rises to {}", now.text()),
            None if now.lanes.is_none() => format!("the width of {name} becomes unknown"),
            None => format!("{name} gets {}", now.text()),
        }
    }
}

/// "x16 to x8 Gen4", "x16 Gen4 to off".
pub fn from_to(before: Width, after: Width) -> String {
    match (before.lanes, after.lanes) {
        (Some(b), Some(a)) if b > 0 && a > 0 && b != a && before.r#gen == after.r#gen => format!("x{b} to {}", after.text()),
        _ => format!("{} to {}", before.text(), after.text()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_before_and_after_say_what_differs() {
        assert_eq!(from_to(Width::new(16, 4), Width::new(8, 4)), "x16 to x8 Gen4");
        assert_eq!(from_to(Width::new(16, 4), Width::new(16, 3)), "x16 Gen4 to x16 Gen3");
        assert_eq!(from_to(Width::new(4, 3), Width::OFF), "x4 Gen3 to off");
        assert_eq!(from_to(Width::default(), Width::new(8, 3)), "unknown to x8 Gen3");
    }
}
