//! Terms of the findings, in plain words.

/// Term and meaning, in the order of the alphabet.
pub const TERMS: &[(&str, &str)] = &[
    ("12V-2x6", "The successor of the 12VHPWR plug: 16 pins for up to 600 W, with contacts that tell whether it is in all the way."),
    ("12VHPWR", "A 16-pin plug for graphics cards, up to 600 W."),
    ("16-pin", "A 12VHPWR or 12V-2x6 plug."),
    ("ATX 3", "The version of the supply standard from 2022 on; it asks a supply to bear short peaks of twice its rating."),
    ("BIOS", "The program of a board that starts the machine and tells it which processors and memory it has."),
    ("blower", "A cooler that blows its air out of the case, so that cards may stand side by side."),
    ("chipset", "The chip of a board that joins drives, network and further slots to the processor by one shared link."),
    ("CUDA", "NVIDIA's software for computing on its cards."),
    ("daisy", "Two plugs on one lead."),
    ("E-ATX", "A board deeper than ATX; how deep differs, so millimetres decide."),
    ("ECC", "Memory that corrects single wrong bits."),
    ("EPS", "The 8-pin plug for processors. It looks like the PCIe 8-pin plug and is wired otherwise."),
    ("lanes", "Wires of a PCIe link, each way; x16 has sixteen and carries twice what x8 does."),
    ("NVLink", "A direct link between NVIDIA cards, by a bridge over both."),
    ("open-air", "A cooler with fans that blow on the card and leave the heat in the case."),
    ("opening", "One of the places at the rear of a case where a card's bracket goes."),
    ("PCIe", "The bus that joins cards and drives to the processor."),
    ("pinned memory", "Main memory that stays where it is, so that a card can fetch from it without the processor's help."),
    ("rail", "One of several outputs of a supply with a limit of its own."),
    ("RDIMM", "Memory modules with a register, for servers; they do not run in desktop boards."),
    ("riser", "A cable or board that moves a slot to another place."),
    ("UDIMM", "Memory modules without a register, for desktop boards."),
];

/// The terms that occur in a text.
pub fn terms_in(text: &str) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let lower = text.to_lowercase();
    TERMS.iter().filter(move |(term, _)| occurs(&lower, &term.to_lowercase()))
}

/// As a word of its own, its plural included.
fn occurs(text: &str, term: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(term).any(|(at, _)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let rest = text.get(at + term.len()..).unwrap_or_default();
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        !letter(before) && !letter(rest.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_words() {
        let found = |text: &str| terms_in(text).map(|t| t.0).collect::<Vec<_>>();
        assert_eq!(found("Each 16-pin lead of an ATX 3 supply"), ["16-pin", "ATX 3"]);
        assert_eq!(found("with risers and blowers"), ["blower", "riser"]);
        assert!(found("steps and grails").is_empty());
        assert!(TERMS.is_sorted_by_key(|t| t.0.to_lowercase()));
    }
}
