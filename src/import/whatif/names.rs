//! Parts of the catalog that a described build names, and what words in such names and texts mean.

use std::collections::BTreeSet;

use crate::catalog::Catalog;
use crate::catalog::part::{Gpu, Part, PartKind, Plugs};
use crate::catalog::vocab::{CaseKind, Edge, Efficiency, FormFactor, GpuCooler, GpuForm, MemoryType, ModuleType, Plug};

/// Words in small letters; "RTX3090" is two.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut plain = String::with_capacity(text.len() + 8);
    for c in text.to_lowercase().chars() {
        if c.is_ascii_digit() && ["rtx", "gtx"].iter().any(|w| plain.ends_with(w)) {
            plain.push(' ');
        }
        plain.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    plain.split_whitespace().map(str::to_owned).collect()
}

/// The text before an alternative: "RTX A2000 or RTX 4000".
fn first_choice(text: &str) -> &str {
    text.split(" or ").next().unwrap_or(text)
}

/// The part of a kind that a text names; `None` if none or several do.
pub(super) fn find<'a>(catalog: &'a Catalog, kind: &str, text: &str) -> Option<&'a Part> {
    let text = first_choice(text);
    let key = |t: &str| words(t).concat();
    let wanted = key(text);
    if wanted.is_empty() {
        return None;
    }
    let of_kind = || catalog.parts().filter(|p| p.kind.key() == kind);
    let exact = of_kind().find(|p| {
        let named = [p.id.as_str(), &p.name, p.short_name()].into_iter().chain(p.aliases.iter().map(String::as_str));
        named.into_iter().any(|n| key(n) == wanted) || p.part_number.as_deref().is_some_and(|n| text.contains(n))
    });
    if exact.is_some() || kind == "board" {
        return exact;
    }
    let asked: BTreeSet<String> = words(text).into_iter().collect();
    let extra = |p: &Part| {
        let own: BTreeSet<String> = words(&p.name).into_iter().collect();
        asked.is_subset(&own).then(|| own.len() - asked.len())
    };
    let mut near: Vec<(usize, &Part)> = of_kind().filter(|p| !p.generic).filter_map(|p| Some((extra(p)?, p))).collect();
    near.sort_by_key(|(n, p)| (*n, p.id.clone()));
    match near.as_slice() {
        [(_, only)] => Some(only),
        [(a, first), (b, _), ..] if a < b => Some(first),
        _ => None,
    }
}

/// Words of a product's name that tell nothing about which one it is.
fn is_filler(word: &str) -> bool {
    let size = word.strip_suffix("gb").is_some_and(|n| n.is_empty() || n.bytes().all(|b| b.is_ascii_digit()));
    size || matches!(
        word,
        "geforce" | "radeon" | "nvidia" | "amd" | "intel" | "tesla" | "quadro" | "generation" | "pcie" | "gpu" | "edition" | "workstation"
    )
}

/// A card of the catalog, and whether it is the very model that the text names or only one of the same product.
pub(super) fn card<'a>(catalog: &'a Catalog, text: &str) -> Option<(&'a Part, bool)> {
    let text = first_choice(text);
    let asked: Vec<String> = words(text);
    let has = |w: &String| asked.contains(w);
    let cards: Vec<(&Part, &Gpu)> = catalog
        .parts()
        .filter_map(|p| match &p.kind {
            PartKind::Gpu(g) if g.form == Some(GpuForm::Card) && !p.generic => Some((p, g)),
            _ => None,
        })
        .collect();
    if let Some((part, _)) = cards.iter().find(|(p, _)| p.part_number.as_deref().is_some_and(|n| text.contains(n))) {
        return Some((part, true));
    }
    // Which product: all its telling words stand in the text, and the most of them.
    let telling = |product: &str| {
        let own: Vec<String> = words(product);
        let sized = own.iter().zip(own.iter().skip(1)).filter(|(_, unit)| *unit == "gb").map(|(n, _)| n.clone());
        let sizes: Vec<String> = sized.collect();
        own.into_iter().filter(|w| !is_filler(w) && !sizes.contains(w)).collect::<Vec<_>>()
    };
    let fits = |g: &Gpu| {
        let own = telling(g.product.as_deref()?);
        (!own.is_empty() && own.iter().all(has)).then_some(own.len())
    };
    let most = cards.iter().filter_map(|(_, g)| fits(g)).max()?;
    let same = cards.iter().filter(|(_, g)| fits(g) == Some(most));
    let makers: BTreeSet<String> = cards.iter().filter_map(|(p, _)| words(p.maker.as_deref()?).into_iter().next()).collect();
    let brand = asked.iter().find(|w| makers.contains(*w) && !is_filler(w)).cloned();
    let score = |p: &Part, g: &Gpu| {
        let own: BTreeSet<String> = words(&p.name).into_iter().collect();
        let maker = p.maker.as_deref().map(str::to_lowercase).unwrap_or_default();
        let by_brand = brand.as_ref().is_some_and(|b| maker.starts_with(b.as_str()));
        let own_card = g.vendor.map(|v| v.text()) == p.maker.as_deref();
        let shared = asked.iter().filter(|w| own.contains(*w)).count();
        (by_brand, shared, own_card, std::cmp::Reverse(own.len()), std::cmp::Reverse(p.id.clone()))
    };
    let (part, gpu) = same.max_by_key(|(p, g)| score(p, g)).copied()?;
    let own: BTreeSet<String> = words(&part.name).into_iter().chain(gpu.product.as_deref().map(words).into_iter().flatten()).collect();
    let known =
        |w: &String| own.contains(w) || is_filler(w) || matches!(w.as_str(), "fe" | "founders" | "reference" | "maxwell" | "pascal");
    let exact = brand.is_none_or(|_| asked.iter().all(known));
    Some((part, exact))
}

/// Plugs of a card as people write them: "EPS 8-pin", "2x 8-pin + 6-pin", "12V-2x6", "none".
pub(super) fn plugs(text: &str) -> Option<Vec<Plugs>> {
    let text = text.to_lowercase();
    if text.contains("none") || text.contains("slot") {
        return Some(Vec::new());
    }
    let one = |piece: &str| {
        let piece = piece.trim();
        let times = |p: &str| p.find(['x', '×']).and_then(|at| p.get(..at)?.trim().parse::<u8>().ok());
        let plug = if piece.contains("eps") || piece.contains("cpu") {
            Plug::Eps8
        } else if piece.contains("2x6") {
            return Some(Plugs { plug: Plug::Hpwr2x6, count: 1 });
        } else if piece.contains("hpwr") || piece.contains("16") {
            Plug::Hpwr16
        } else if piece.contains("8") {
            Plug::Pcie8
        } else if piece.contains("6") {
            Plug::Pcie6
        } else {
            return None;
        };
        Some(Plugs { plug, count: times(piece).filter(|n| (1..=8).contains(n)).unwrap_or(1) })
    };
    let found: Vec<Plugs> = text.split(['+', ',', '/']).flat_map(|p| p.split(" and ")).filter_map(one).collect();
    (!found.is_empty()).then_some(found)
}

/// The form that a text names, the largest if it names several: "SSI-EEB / true EATX".
pub(super) fn form(text: &str) -> Option<FormFactor> {
    let text: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let table = [
        ("eeb", FormFactor::Eeb),
        ("eeatx", FormFactor::EeAtx),
        ("xlatx", FormFactor::XlAtx),
        ("eatx", FormFactor::Eatx),
        ("extended", FormFactor::Eatx),
        ("ceb", FormFactor::Ceb),
        ("matx", FormFactor::MicroAtx),
        ("micro", FormFactor::MicroAtx),
        ("itx", FormFactor::MiniItx),
        ("dtx", FormFactor::MiniDtx),
        ("atx", FormFactor::Atx),
    ];
    table.iter().find(|(word, _)| text.contains(word)).map(|(_, f)| *f)
}

/// What kind of case a description means.
pub(super) fn case_kind(text: &str) -> Option<CaseKind> {
    let words = words(text);
    let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    if has(&["4u"]) {
        Some(CaseKind::Rack4u)
    } else if has(&["rack", "server", "1u", "2u", "3u", "chassis"]) && !has(&["tower", "desktop"]) {
        Some(CaseKind::Rack)
    } else if has(&["bench"]) {
        Some(CaseKind::Bench)
    } else if has(&["open", "frame", "mining"]) {
        Some(CaseKind::OpenFrame)
    } else if has(&["tower", "desktop", "atx", "workstation", "pc"]) {
        Some(CaseKind::Tower)
    } else {
        None
    }
}

pub(super) fn gpu_cooler(text: &str) -> Option<GpuCooler> {
    let text = text.to_lowercase();
    let table = [
        ("passive", GpuCooler::Passive),
        ("fanless", GpuCooler::Passive),
        ("blower", GpuCooler::Blower),
        ("turbo", GpuCooler::Blower),
        ("flow", GpuCooler::FlowThrough),
        ("hybrid", GpuCooler::Hybrid),
        ("aio", GpuCooler::Hybrid),
        ("water", GpuCooler::Water),
        ("open", GpuCooler::OpenAir),
        ("fan", GpuCooler::OpenAir),
        ("axial", GpuCooler::OpenAir),
    ];
    table.iter().find(|(word, _)| text.contains(word)).map(|(_, k)| *k)
}

/// The sides that a text names, in its order.
pub(super) fn edges(text: &str) -> Vec<Edge> {
    let sides = words(text);
    sides.iter().filter_map(|w| Edge::ALL.iter().copied().find(|e| e.text() == w).or((w == "roof").then_some(Edge::Top))).collect()
}

pub(super) fn efficiency(text: &str) -> Option<Efficiency> {
    let words = words(text);
    Efficiency::ALL.iter().copied().find(|e| words.contains(&e.text().to_lowercase()))
}

/// What a name of memory tells: "Kingston Server Premier DDR5-4800 ECC UDIMM", "Samsung M393A8G40MB2-CVF 64GB 2933".
#[derive(Debug, Default, PartialEq)]
pub(super) struct Told {
    pub memory: Option<MemoryType>,
    pub module: Option<ModuleType>,
    pub speed: Option<u32>,
    pub modules: Option<u8>,
    pub each_gb: Option<f64>,
}

pub(super) fn memory(text: &str) -> Told {
    let words = words(text);
    let has = |w: &str| words.iter().any(|x| x == w);
    let starts = |w: &str| words.iter().any(|x| x.starts_with(w));
    let mut told = Told { memory: MemoryType::ALL.iter().copied().find(|m| starts(&m.text().to_lowercase())), ..Told::default() };
    told.module = if has("lrdimm") || starts("m386") {
        Some(ModuleType::Lrdimm)
    } else if has("rdimm") || has("registered") || has("reg") || starts("m393") || starts("m321") {
        Some(ModuleType::Rdimm)
    } else if has("cudimm") {
        Some(ModuleType::Cudimm)
    } else if has("sodimm") || has("so") || starts("m471") || starts("m425") {
        Some(ModuleType::Sodimm)
    } else if has("ecc") || starts("m391") || starts("m324") {
        Some(ModuleType::EccUdimm)
    } else if has("udimm") || starts("m378") || starts("m323") {
        Some(ModuleType::Udimm)
    } else {
        None
    };
    // Samsung's numbers: M393A… is DDR4, M321R… DDR5.
    if told.memory.is_none() {
        told.memory = words.iter().find_map(|w| {
            let kind = w.strip_prefix('m').filter(|rest| rest.len() > 6 && rest.bytes().take(3).all(|b| b.is_ascii_digit()))?;
            match kind.as_bytes().get(3)? {
                b'a' => Some(MemoryType::Ddr4),
                b'r' => Some(MemoryType::Ddr5),
                b'b' => Some(MemoryType::Ddr3),
                _ => None,
            }
        });
    }
    for (n, word) in words.iter().enumerate() {
        let alone = word.parse::<u32>().ok().filter(|s| (1066..=9600).contains(s));
        let joined = word.strip_prefix("ddr4").or_else(|| word.strip_prefix("ddr5")).and_then(|s| s.parse().ok());
        told.speed = told.speed.or(joined).or(alone);
        let size =
            word.strip_suffix("gb").and_then(|s| if s.is_empty() { words.get(n.checked_sub(1)?).cloned() } else { Some(s.to_owned()) });
        let Some(size) = size else { continue };
        match size.split_once('x') {
            Some((count, each)) => (told.modules, told.each_gb) = (count.parse().ok(), each.parse().ok()),
            None => told.each_gb = told.each_gb.or(size.parse().ok()),
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_memory() {
        let premier = memory("Kingston Server Premier DDR5-4800 ECC UDIMM");
        assert_eq!((premier.memory, premier.module, premier.speed), (Some(MemoryType::Ddr5), Some(ModuleType::EccUdimm), Some(4800)));
        let samsung = memory("Samsung M393A8G40MB2-CVF 64GB 2933");
        assert_eq!((samsung.memory, samsung.module), (Some(MemoryType::Ddr4), Some(ModuleType::Rdimm)));
        assert_eq!((samsung.speed, samsung.each_gb), (Some(2933), Some(64.0)));
        let kit = memory("Corsair Vengeance 2x32GB DDR4 3600");
        assert_eq!((kit.modules, kit.each_gb, kit.speed), (Some(2), Some(32.0), Some(3600)));
    }

    #[test]
    fn plugs_as_people_write_them() {
        let one = |plug, count| vec![Plugs { plug, count }];
        assert_eq!(plugs("EPS 8-pin"), Some(one(Plug::Eps8, 1)));
        assert_eq!(plugs("2x 8-pin"), Some(one(Plug::Pcie8, 2)));
        assert_eq!(plugs("12V-2x6"), Some(one(Plug::Hpwr2x6, 1)));
        assert_eq!(plugs("12VHPWR"), Some(one(Plug::Hpwr16, 1)));
        assert_eq!(plugs("none"), Some(Vec::new()));
        assert_eq!(plugs("8-pin + 6-pin").map(|p| p.len()), Some(2));
        assert_eq!(plugs("whatever"), None);
    }

    #[test]
    fn words_of_texts() {
        assert_eq!(words("MSI RTX3090, 24GB"), ["msi", "rtx", "3090", "24gb"]);
        assert_eq!(form("SSI-EEB / true EATX"), Some(FormFactor::Eeb));
        assert_eq!(form("mATX"), Some(FormFactor::MicroAtx));
        assert_eq!(case_kind("desktop tower, no ducted fan"), Some(CaseKind::Tower));
        assert_eq!(edges("front or top"), [Edge::Front, Edge::Top]);
    }
}
