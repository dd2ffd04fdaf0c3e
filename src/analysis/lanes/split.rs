//! How a slot is split for a card that carries several devices without a switch.

use crate::catalog::topology::split_parts;

use super::seats::World;

/// What one of the several places on such a card gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Lanes(u8),
    Off(String),
    Unknown(String),
}

/// Places with at least `each` lanes, first to last.
fn served(split: &[u8], each: u8) -> usize {
    split.iter().filter(|lanes| **lanes >= each).count()
}

/// `have` lanes of the slot `label` for `count` places of `each` lanes. `from_cpu`: the processor's own abilities count too.
pub(super) fn split(world: &World<'_>, label: &str, have: Option<u8>, from_cpu: bool, count: usize, each: u8) -> Vec<Part> {
    let board = world.board.connectors.iter().find(|c| c.label == label).and_then(|c| c.splits.as_ref());
    let cpu = world.cpus.first().copied().flatten().filter(|_| from_cpu);
    let cpu_most = cpu.and_then(|(_, c)| c.splits.as_ref()).map(|list| best(list, each).map_or(1, |s| served(&s, each)).max(1));
    let set = world.setting("split", label).map(|text| split_parts(text).unwrap_or_default());
    let known = match (&set, board) {
        (Some(parts), _) => Some(parts.clone()),
        (None, Some(list)) => Some(best(list, each).unwrap_or_default()),
        (None, None) => None,
    };
    let mut left = have;
    (0..count)
        .map(|n| {
            // The first device shows even where nothing is split: it takes the first lanes of the slot.
            if let Some(lanes) = left {
                if lanes < each.min(1) || n > 0 && lanes < each {
                    return Part::Off(format!("the slot has {} lanes, enough for {n}", have.unwrap_or(0)));
                }
                left = Some(lanes.saturating_sub(each));
            }
            if let Some((part, most)) = cpu.map(|(p, _)| p).zip(cpu_most)
                && n >= most
            {
                return Part::Off(format!("{} splits its slot into {most} at most", part.short_name()));
            }
            let first = match (have, n) {
                (Some(lanes), 0) => Some(Part::Lanes(lanes.min(each))),
                _ => None,
            };
            match (&known, have) {
                (_, None) => Part::Unknown("the lanes of the slot are unknown".to_owned()),
                (Some(parts), Some(_)) if n < served(parts, each) => Part::Lanes(each),
                (Some(_), Some(_)) => first.unwrap_or_else(|| Part::Off("the BIOS does not split the slot that far".to_owned())),
                (None, Some(_)) => first.unwrap_or_else(|| Part::Unknown(format!("whether the BIOS can split {label} is not recorded"))),
            }
        })
        .collect()
}

/// The way to split that serves most places.
fn best(list: &[String], each: u8) -> Option<Vec<u8>> {
    list.iter().filter_map(|text| split_parts(text)).max_by_key(|parts| served(parts, each))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_read() {
        assert_eq!(split_parts("x4x4x4x4"), Some(vec![4, 4, 4, 4]));
        assert_eq!(split_parts("x8/x4/x4"), Some(vec![8, 4, 4]));
        assert_eq!(split_parts("X16"), Some(vec![16]));
        for bad in ["", "off", "x", "x3", "4x4", "x4x"] {
            assert_eq!(split_parts(bad), None, "{bad}");
        }
        assert_eq!(best(&["x8x8".to_owned(), "x4x4x4x4".to_owned(), "x8x4x4".to_owned()], 4), Some(vec![4, 4, 4, 4]));
        assert_eq!(best(&["x8x8".to_owned(), "x4x4x4x4".to_owned()], 8), Some(vec![8, 8]));
    }
}
