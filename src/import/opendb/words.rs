//! The data set's words in ours.

use crate::catalog::platform::newest_pcie;
use crate::catalog::vocab::{CaseKind, DriveForm, Efficiency, FormFactor, GpuVendor, MemoryType, PsuForm, Socket};

pub(super) fn socket(text: &str) -> Option<Socket> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_uppercase();
    let plain = match plain.as_str() {
        "LGA1151V2" => "LGA1151",
        "LGA2011-3NARROW" => "LGA2011-3",
        "STR4" => "TR4",
        other => other,
    };
    Socket::ALL.iter().copied().find(|s| s.text().to_uppercase() == plain)
}

/// Highest PCIe generation of any processor or chipset for a socket, those that the catalog has no name for included.
///
/// Sources: the makers' platform specifications, addresses not recorded: AMD 9 Series and older (2.0), X79 with Xeon E5 v2 (3.0), and Intel's
/// sockets of 2025 (5.0).
pub(super) fn newest_gen(text: &str) -> Option<u8> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_uppercase();
    socket(text).map(newest_pcie).or(match plain.as_str() {
        "AM2+" | "AM3" | "AM1" | "FM1" | "FM2" | "C32" | "G34" => Some(2),
        "LGA1356" | "SP3R2" => Some(3),
        "LGA1954" | "LGA7529" => Some(5),
        _ => None,
    })
}

pub(super) fn form_factor(text: &str) -> Option<FormFactor> {
    Some(match text {
        "ATX" => FormFactor::Atx,
        "Micro ATX" => FormFactor::MicroAtx,
        "Mini-ITX" => FormFactor::MiniItx,
        "Mini DTX" => FormFactor::MiniDtx,
        "EATX" => FormFactor::Eatx,
        "SSI EEB" => FormFactor::Eeb,
        "SSI CEB" => FormFactor::Ceb,
        "XL ATX" => FormFactor::XlAtx,
        _ => return None,
    })
}

pub(super) fn memory_type(text: &str) -> Option<MemoryType> {
    MemoryType::ALL.iter().copied().find(|t| t.text() == text)
}

pub(super) fn vendor(text: &str) -> Option<GpuVendor> {
    GpuVendor::ALL.iter().copied().find(|v| v.text() == text)
}

pub(super) fn efficiency(text: &str) -> Option<Efficiency> {
    Some(match text.trim_start_matches("80+").trim() {
        "Titanium" => Efficiency::Titanium,
        "Platinum" => Efficiency::Platinum,
        "Gold" => Efficiency::Gold,
        "Silver" => Efficiency::Silver,
        "Bronze" => Efficiency::Bronze,
        "" | "Standard" | "White" => Efficiency::White,
        _ => return None,
    })
}

pub(super) fn psu_form(text: &str) -> Option<PsuForm> {
    Some(match text {
        "ATX" | "ATX/EPS" => PsuForm::Atx,
        "SFX" => PsuForm::Sfx,
        "SFX-L" => PsuForm::SfxL,
        "Flex ATX" => PsuForm::Flex,
        _ => return None,
    })
}

pub(super) fn case_kind(text: &str) -> Option<CaseKind> {
    Some(match text {
        "Mini ITX Tower" | "Mini ITX Desktop" => CaseKind::SmallFormFactor,
        "ATX Test Bench" | "Mini ITX Test Bench" => CaseKind::Bench,
        "Open Frame" => CaseKind::OpenFrame,
        other if other.ends_with("Tower") => CaseKind::Tower,
        _ => return None,
    })
}

pub(super) fn drive_form(text: &str) -> Option<DriveForm> {
    Some(match text {
        "M.2-2280" => DriveForm::M2_2280,
        "M.2-22110" => DriveForm::M2_22110,
        "M.2-2242" => DriveForm::M2_2242,
        "M.2-2230" => DriveForm::M2_2230,
        "2.5\"" => DriveForm::Inch25,
        "3.5\"" => DriveForm::Inch35,
        "PCIe" => DriveForm::AddIn,
        _ => return None,
    })
}

/// Generation and lanes out of "PCIe 4.0 x16", "PCIe Gen5x4", "SATA and PCIe x4/x2"; the widest of several widths.
pub(super) fn link(text: &str) -> (Option<u8>, Option<u8>) {
    let lower = text.to_lowercase();
    let digits = |t: &str| t.trim_start().chars().take_while(char::is_ascii_digit).collect::<String>();
    let after = |word: &str| lower.find(word).map(|at| digits(lower.get(at + word.len()..).unwrap_or_default()));
    let generation = after("gen").filter(|d| !d.is_empty()).or_else(|| {
        let at = lower.find("pcie").map(|at| at + 4).or_else(|| lower.find("pci-e").map(|at| at + 5))?;
        let rest = lower.get(at..)?.trim_start_matches(['-', '_', ' ']);
        // "PCIe 4.0", not "PCIe x4".
        rest.starts_with(|c: char| c.is_ascii_digit()).then(|| digits(rest))
    });
    let lanes = lower.match_indices('x').filter_map(|(at, _)| digits(lower.get(at + 1..)?).parse::<u8>().ok());
    let lanes = lanes.filter(|n| matches!(n, 1 | 2 | 4 | 8 | 16)).max();
    (generation.and_then(|g| g.parse().ok()).filter(|g| (1..=7).contains(g)), lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_in_every_spelling() {
        for (text, wanted) in [
            ("PCIe 4.0 x16", (Some(4), Some(16))),
            ("PCIe x16", (None, Some(16))),
            ("PCIe Gen5x4", (Some(5), Some(4))),
            ("SATA / PCIe 3.0 x4/x2", (Some(3), Some(4))),
            ("SATA and PCIe x4/x2", (None, Some(4))),
            ("M.2 PCIe 5.0 x2", (Some(5), Some(2))),
            ("SATA", (None, None)),
            ("10 Gb/s Ethernet PCIe x8", (None, Some(8))),
        ] {
            assert_eq!(link(text), wanted, "{text}");
        }
        assert_eq!((socket("LGA 1151v2"), socket("sTR4"), socket("AM1")), (Some(Socket::Lga1151), Some(Socket::Tr4), None));
        assert_eq!((newest_gen("LGA 775"), newest_gen("AM5"), newest_gen("Integrated Atom")), (Some(2), Some(5), None));
    }
}
