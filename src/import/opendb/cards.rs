//! Graphics cards and network cards.

use serde_json::{Value, json};

use super::known::Known;
use super::record::{Record, Rule, amounts};
use super::words;
use crate::catalog::part::{Gpu, Nic, Plugs};
use crate::catalog::vocab::{GpuCooler, GpuForm, Plug};

/// What a slot gives, and what plugs may carry (PCI Express Card Electromechanical Specification 5.0).
const SLOT_W: f64 = 75.0;
const fn plug_w(plug: Plug) -> f64 {
    match plug {
        Plug::Pcie6 => 75.0,
        Plug::Pcie8 => 150.0,
        Plug::Hpwr16 | Plug::Hpwr2x6 => 600.0,
        // CPU plug: 4 pairs at 7 A and more (EPS12V); the cards that have one draw 300 W at most.
        Plug::Eps8 => 300.0,
        Plug::Sata => 54.0,
    }
}

/// Above this share of the product's own board power a figure is taken for that of the supply. Factory-overclocked cards stay below it.
const MOST_ABOVE_PRODUCT: f64 = 1.5;

pub(super) fn gpu(r: &mut Record<'_>, known: &Known<'_>) -> Gpu {
    let mut product = r.text(&["chipset"]).map(str::to_owned);
    if let Some(named) = product.as_deref().and_then(|p| longer_product(&r.name, p)) {
        r.correct("product", Rule::Name, r.get(&["chipset"]), &named, "the name has a longer product name");
        product = Some(named);
    }
    let memory_gb = memory(r);
    let model = product.as_deref().and_then(|p| known.gpu(p, memory_gb));
    let theirs = model.map(|m| m.1);
    let (own_gen, own_lanes) = r.text(&["interface"]).map_or((None, None), words::link);
    let pcie_gen = match (own_gen, theirs.and_then(|t| t.pcie_gen)) {
        (Some(own), Some(known)) if own != known => {
            r.correct("pcie_gen", Rule::Product, r.get(&["interface"]), &known, "every card of the product has this generation");
            None
        }
        (own, _) => own,
    };
    let tdp_w = r.number(&["tdp"], "tdp_w");
    let plugs = plugs(r, tdp_w, theirs);
    let tdp_w = tdp_w.filter(|w| !is_supply_figure(r, *w, plugs.as_deref(), theirs));
    let cooler = cooler(r);
    Gpu {
        vendor: r.text(&["chipset_manufacturer"]).and_then(words::vendor),
        product,
        form: Some(GpuForm::Card),
        memory_gb,
        memory_type: r.text(&["memory_type"]).map(str::to_owned),
        memory_bus_bits: r.whole(&["memory_bus"], "memory_bus_bits"),
        tdp_w,
        length_mm: r.number_within(&["length"], "length_mm", 100.0, 500.0, "no card has this length"),
        slots: r.number_within(&["total_slot_width"], "slots", 1.0, 6.0, "no card has this width"),
        cooler,
        radiator_mm: if cooler == Some(GpuCooler::Hybrid) { r.number(&["radiator_size"], "radiator_mm") } else { None },
        plugs,
        pcie_gen,
        pcie_lanes: own_lanes,
        ..Gpu::default()
    }
}

/// The product with a suffix that the name has and the field lacks: "GeForce RTX 4070" in "RTX 4070 SUPER OC".
fn longer_product(name: &str, product: &str) -> Option<String> {
    const SUFFIXES: [&str; 8] = ["Ti SUPER", "SUPER", "Ti", "XTX", "XT", "GRE", "D V2", "D"];
    let short = product.strip_prefix("GeForce ").or_else(|| product.strip_prefix("Radeon ")).unwrap_or(product);
    let (name, short) = (name.to_lowercase(), short.to_lowercase());
    let at = name.find(&short)? + short.len();
    let rest = name.get(at..)?;
    let follows = |s: &&&str| {
        let tail = rest.strip_prefix(' ').and_then(|r| r.strip_prefix(&s.to_lowercase()));
        tail.is_some_and(|t| !t.starts_with(char::is_alphanumeric))
    };
    SUFFIXES.iter().find(follows).map(|s| format!("{product} {s}"))
}

fn memory(r: &mut Record<'_>) -> Option<f64> {
    let own = r.number(&["memory"], "memory_gb");
    let named = amounts(&r.name, &[("gb", 1.0), ("g", 1.0)]);
    match (own, named.as_slice()) {
        (Some(own), [named]) if own != *named && (1.0..=192.0).contains(named) => {
            r.correct("memory_gb", Rule::Name, Some(&json!(own)), named, "the name says another amount of memory");
            Some(*named)
        }
        (own, _) => own,
    }
}

fn plugs(r: &mut Record<'_>, tdp_w: Option<f64>, theirs: Option<&Gpu>) -> Option<Vec<Plugs>> {
    const KEYS: [(&str, Plug); 4] =
        [("pcie_6_pin", Plug::Pcie6), ("pcie_8_pin", Plug::Pcie8), ("pcie_12VHPWR", Plug::Hpwr16), ("pcie_12V_2x6", Plug::Hpwr2x6)];
    let field = r.get(&["power_connectors"])?;
    let count = |key: &str| field.get(key).and_then(Value::as_u64).and_then(|n| u8::try_from(n).ok()).filter(|n| (1..=8).contains(n));
    let list: Vec<Plugs> = KEYS.iter().filter_map(|(key, plug)| Some(Plugs { plug: *plug, count: count(key)? })).collect();
    // Workstation cards of a product come in one model: what the catalog says of its plugs holds for all.
    let one_model = theirs.filter(|t| t.segment.as_deref().is_some_and(|s| s != "consumer")).and_then(|t| t.plugs.clone());
    if let Some(theirs) = one_model
        && theirs != list
        && !(list.is_empty() && theirs.is_empty())
    {
        r.correct("plugs", Rule::Product, Some(field), &plugs_text(&theirs), "every card of the product has these plugs");
        return Some(theirs);
    }
    if list.is_empty() {
        if tdp_w.is_some_and(|w| w <= SLOT_W) {
            return Some(list);
        }
        let why = match tdp_w {
            Some(w) => format!("a card of {w} W cannot be fed by the slot alone"),
            None => "without a known draw, no plug cannot be told from unknown plugs".to_owned(),
        };
        r.drop("plugs", Rule::Zero, field, &why);
        return None;
    }
    let leads = |list: &[Plugs]| list.iter().filter(|p| matches!(p.plug, Plug::Hpwr16 | Plug::Hpwr2x6)).map(|p| p.count).sum::<u8>();
    if leads(&list) > 1 {
        r.correct("plugs", Rule::Unusual, Some(field), &plugs_text(&list), "few cards have more than one 16-pin plug");
    }
    Some(list)
}

fn plugs_text(list: &[Plugs]) -> String {
    list.iter().map(|p| format!("{} x {}", p.count, p.plug)).collect::<Vec<_>>().join(", ")
}

/// Whether a board power is what the maker advises of the supply.
fn is_supply_figure(r: &mut Record<'_>, watts: f64, plugs: Option<&[Plugs]>, theirs: Option<&Gpu>) -> bool {
    let can_carry = plugs.map(|list| SLOT_W + list.iter().map(|p| plug_w(p.plug) * f64::from(p.count)).sum::<f64>());
    let product_w = theirs.and_then(|t| t.tdp_w);
    let why = match (can_carry, product_w) {
        (Some(most), _) if watts > most => format!("slot and plugs carry {most} W at most; it may be the advised supply"),
        (_, Some(product)) if watts > product * MOST_ABOVE_PRODUCT => format!("the product has {product} W; it may be the advised supply"),
        (None, None) if watts > SLOT_W + plug_w(Plug::Hpwr16) => {
            "no card of one plug draws as much; it may be the advised supply".to_owned()
        }
        _ => return false,
    };
    r.drop("tdp_w", Rule::OtherMeaning, &json!(watts), &why);
    true
}

fn cooler(r: &Record<'_>) -> Option<GpuCooler> {
    match r.text(&["cooling"])? {
        "Blower" => Some(GpuCooler::Blower),
        "4 Fans" | "3 Fans" | "2 Fans" => Some(GpuCooler::OpenAir),
        "Passive" => Some(GpuCooler::Passive),
        "Hybrid" => Some(GpuCooler::Hybrid),
        "Water Cooled" if r.raw(&["radiator_size"]).is_some_and(|mm| mm > 0.0) => Some(GpuCooler::Hybrid),
        // One fan may blow out of the rear or not; water may come with its radiator or not.
        _ => None,
    }
}

/// Records of network cards hold nothing but names.
pub(super) fn nic(r: &mut Record<'_>) -> Nic {
    let (_, pcie_lanes) = words::link(&r.name);
    let pcie_lanes = pcie_lanes.filter(|_| r.lower_name().contains("pcie"));
    let speed_gbit_s = speed(&r.lower_name());
    for (field, value) in [("speed_gbit_s", speed_gbit_s), ("pcie_lanes", pcie_lanes.map(f64::from))] {
        if let Some(value) = value {
            r.correct(field, Rule::Name, None, &value, "read from the name, as the record has no such field");
        }
    }
    Nic { speed_gbit_s, pcie_lanes, ..Nic::default() }
}

/// "2.5 gb/s" in a name.
fn speed(lower: &str) -> Option<f64> {
    let at = lower.find("gb/s")?;
    let before = lower.get(..at)?.trim_end();
    let digits: String = before.chars().rev().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.chars().rev().collect::<String>().parse().ok().filter(|s| (0.1..=800.0).contains(s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_products_and_speeds() {
        assert_eq!(longer_product("Works Dual RTX 4070 SUPER OC", "GeForce RTX 4070").as_deref(), Some("GeForce RTX 4070 SUPER"));
        assert_eq!(longer_product("Works RTX 4070 Ti SUPER", "GeForce RTX 4070").as_deref(), Some("GeForce RTX 4070 Ti SUPER"));
        assert_eq!(longer_product("Works RTX 4070 Dual", "GeForce RTX 4070"), None);
        assert_eq!(speed("works x1 2.5 gb/s ethernet pcie x1"), Some(2.5));
        assert_eq!(speed("works ethernet"), None);
    }
}
