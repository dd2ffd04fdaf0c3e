//! Parts of the catalog by the names that firmware and processors give themselves.

use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartKind};
use crate::import::observed::{BoardName, Module};

/// Letters and digits of a board's name, without what firmware adds to it.
fn board_key(text: &str) -> String {
    let outside = text.split('(').next().unwrap_or(text).to_lowercase();
    let mut words: Vec<&str> = outside.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    // "TRX40 DESIGNARE-CF", "MZ31-AR0-00", "WS C621E SAGE Series"
    while words.len() > 1 && words.last().is_some_and(|w| matches!(*w, "cf" | "00" | "000" | "series")) {
        words.pop();
    }
    words.concat()
}

/// The board of this name; of several makers the one named.
pub(super) fn board<'a>(catalog: &'a Catalog, name: &BoardName) -> Option<&'a Part> {
    let maker = name.maker.to_lowercase();
    let mut keys = vec![board_key(&name.product)];
    if maker.contains("supermicro") {
        // One firmware for several boards: "X9DRi-LN4+/X9DR3-LN4+".
        keys.extend(name.product.split('/').map(board_key));
    }
    let boards: Vec<&Part> = catalog.parts().filter(|p| matches!(p.kind, PartKind::Board(_)) && !p.generic).collect();
    let own = |part: &Part| part.maker.as_deref().and_then(|m| part.name.strip_prefix(m)).unwrap_or(&part.name).to_owned();
    let found = keys.iter().find_map(|key| {
        let same: Vec<&Part> = boards.iter().copied().filter(|p| board_key(&own(p)) == *key).collect();
        (!same.is_empty()).then_some(same)
    })?;
    let is_maker = |part: &&&Part| {
        let mine = part.maker.as_deref().unwrap_or_default().to_lowercase().replace(' ', "");
        maker.replace(' ', "").contains(&mine) || mine == "msi" && maker.contains("micro-star")
    };
    found.iter().find(is_maker).or(if maker.is_empty() && found.len() == 1 { found.first() } else { None }).copied()
}

/// "AMD Ryzen Threadripper 3970X" of "AMD Ryzen Threadripper 3970X 32-Core Processor".
pub(super) fn plain_processor(text: &str) -> String {
    let text = text.split(" @ ").next().unwrap_or(text);
    let text = ["(R)", "(TM)", "(r)", "(tm)"].iter().fold(text.to_owned(), |t, mark| t.replace(mark, " "));
    let is_extra = |w: &str| matches!(w, "CPU" | "Processor" | "w/") || w.ends_with("-Core") || w.ends_with("-Cores");
    text.split_whitespace().filter(|w| !is_extra(w)).collect::<Vec<_>>().join(" ")
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase().split(|c: char| !c.is_alphanumeric() && c != '+').filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

/// The processor with the longest name that stands in the text.
pub(super) fn processor<'a>(catalog: &'a Catalog, text: &str) -> Option<&'a Part> {
    let seen = words(&plain_processor(text));
    let stands = |part: &&Part| {
        let name = words(&part.name);
        !name.is_empty() && seen.windows(name.len()).any(|w| w == name.as_slice())
    };
    catalog.parts().filter(|p| matches!(p.kind, PartKind::Cpu(_)) && !p.generic).filter(stands).max_by_key(|p| p.name.len())
}

/// The kit with the module's part number, and how many of it the modules make.
pub(super) fn kit<'a>(catalog: &'a Catalog, module: &Module, count: usize) -> Option<(&'a Part, usize)> {
    let number = module.part_number.as_deref()?;
    catalog.parts().find_map(|part| {
        let PartKind::Ram(ram) = &part.kind else { return None };
        let modules = usize::from(ram.modules?);
        let same =
            part.part_number.as_deref().is_some_and(|n| n.eq_ignore_ascii_case(number)) && modules > 0 && count.is_multiple_of(modules);
        same.then(|| (part, count / modules))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_shed_their_marks() {
        for (seen, plain) in [
            ("Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "Intel Xeon E5-2680 v4"),
            ("12th Gen Intel(R) Core(TM) i9-12900K", "12th Gen Intel Core i9-12900K"),
            ("AMD Ryzen Threadripper 3990X 64-Core Processor ", "AMD Ryzen Threadripper 3990X"),
            ("AMD Ryzen Threadripper PRO 5995WX 64-Cores", "AMD Ryzen Threadripper PRO 5995WX"),
        ] {
            assert_eq!(plain_processor(seen), plain);
        }
    }

    #[test]
    fn boards_shed_what_firmware_adds() {
        assert_eq!(board_key("X99-E WS"), "x99ews");
        assert_eq!(board_key("MEG X570 UNIFY (MS-7C35)"), "megx570unify");
        assert_eq!(board_key("WS-C621E-SAGE Series"), "wsc621esage");
        assert_eq!(board_key("MZ31-AR0-00"), "mz31ar0");
        assert_eq!(board_key("TRX40 DESIGNARE-CF"), "trx40designare");
    }
}
