//! Finding parts by words as they are typed: the texts of a kind's parts in small letters, made once a catalog.

use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartId};

/// One part with what is searched of it.
#[derive(Clone, Debug)]
struct Entry {
    id: PartId,
    text: String,
}

/// The parts of one kind in the order of lists: products before stand-ins, each by its short name.
#[derive(Clone, Debug, Default)]
pub struct Index {
    entries: Vec<Entry>,
}

impl Index {
    /// `wanted` chooses the parts, `text` gives what is searched of one, in any case.
    pub fn of(catalog: &Catalog, wanted: impl Fn(&Part) -> bool, text: impl Fn(&Part) -> String) -> Self {
        let mut parts: Vec<(bool, String, &Part)> =
            catalog.parts().filter(|p| wanted(p)).map(|p| (p.generic, p.short_name().to_lowercase(), p)).collect();
        parts.sort_by(|a, b| (a.0, &a.1, &a.2.id).cmp(&(b.0, &b.1, &b.2.id)));
        Self { entries: parts.into_iter().map(|(.., p)| Entry { id: p.id.clone(), text: text(p).to_lowercase() }).collect() }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Parts that have every word (in small letters), in the order of the list.
    pub fn find(&self, words: &[String]) -> Vec<&PartId> {
        self.entries.iter().filter(|e| words.iter().all(|w| occurs(&e.text, w))).map(|e| &e.id).collect()
    }
}

/// A word occurs anywhere, but a number only whole: "24" is not in "224 GB/s".
pub fn occurs(text: &str, word: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    if !digit(word.chars().next()) {
        return text.contains(word);
    }
    text.match_indices(word).any(|(at, _)| !digit(text.get(..at).and_then(|before| before.chars().next_back())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::part::{Fan, PartKind};
    use crate::catalog::templates::Templates;

    #[test]
    fn words_are_found_in_the_order_of_the_list() {
        let part = |id: &str, name: &str| Part::bare(PartId::new(id), name, PartKind::Fan(Fan::default()));
        let mut generic = part("fan.a", "A stand-in 140");
        generic.generic = true;
        let parts = [generic, part("fan.b", "Zephyr 140"), part("fan.c", "Breeze 140"), part("fan.d", "Breeze 1400")];
        let index = Index::of(&Catalog::new(parts, Templates::default(), String::new()), |_| true, |p| p.name.clone());
        let found = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            index.find(&words).into_iter().map(PartId::to_string).collect::<Vec<_>>()
        };
        assert_eq!(found(""), ["fan.c", "fan.d", "fan.b", "fan.a"]);
        assert_eq!(found("breeze 140"), ["fan.c", "fan.d"]);
        assert_eq!(found("40"), Vec::<String>::new());
        assert_eq!((index.len(), index.is_empty()), (4, false));
    }
}
