//! What a catalog file can hold, and that every fault of a part is named at once, each with its own line and field.

use rigbay::catalog::load::load;

fn faults(text: &str) -> Vec<String> {
    load(&[("own.toml".to_owned(), text.to_owned())]).1.iter().map(ToString::to_string).collect()
}

/// One part of a kind with these facts, each with a source.
fn part(kind: &str, facts: &[(&str, &str)]) -> String {
    let mut text = format!("[sources]\ns = {{title = \"t\"}}\n[[{kind}]]\nid = \"{kind}.t.x\"\nname = \"X\"\n");
    for (field, value) in facts {
        text.push_str(&format!("{field} = {value}\n"));
    }
    text.push_str(&format!("[{kind}.from]\n"));
    for (field, _) in facts {
        text.push_str(&format!("{field} = {{source = \"s\", as_of = \"2026\", confidence = \"maker\"}}\n"));
    }
    text
}

#[test]
fn the_shipped_catalog_has_no_fault() {
    let (catalog, faults) = load(&rigbay::catalog::load::embedded_files(""));
    assert_eq!(faults, []);
    assert!(catalog.len() > 1000);
}

#[test]
fn values_out_of_range_are_refused_with_the_range() {
    for (kind, field, good, bad, range) in [
        ("gpu", "length_mm", "3000", "0", "above 0, up to 3000 mm"),
        ("gpu", "length_mm", "0.5", "3000.5", "above 0, up to 3000 mm"),
        ("gpu", "length_mm", "267", "nan", "above 0, up to 3000 mm"),
        ("gpu", "tdp_w", "5000", "-1", "0 to 5000 W"),
        ("gpu", "tdp_w", "0", "inf", "0 to 5000 W"),
        ("gpu", "slots", "0.5", "8.5", "0.5 to 8 slots"),
        ("gpu", "pcie_gen", "7", "8", "1 to 7"),
        ("nic", "pcie_gen", "1", "0", "1 to 7"),
        ("gpu", "pcie_lanes", "16", "12", "one of 0, 1, 2, 4, 8, 16, 32 lanes"),
        ("gpu", "pcie_lanes", "8", "300", "one of 0, 1, 2, 4, 8, 16, 32 lanes"),
        ("cpu", "pcie_lanes", "128", "513", "0 to 512 lanes"),
        ("gpu", "memory_gb", "0.1", "-24", "above 0, up to 10000000 GB"),
        ("drive", "capacity_gb", "10_000_000", "1e8", "above 0, up to 10000000 GB"),
        ("ram", "gb_per_module", "32", "0", "above 0, up to 10000000 GB"),
        ("cpu", "boost_ghz", "6.2", "5700", "above 0, up to 20 GHz"),
        ("ram", "speed_mt_s", "0x640", "3", "100 to 100000 MT/s"),
        ("cpu", "cores", "96", "0", "1 to 4096"),
        ("psu", "watts", "1600", "16000", "above 0, up to 5000 W"),
        ("psu", "plugs", "[{plug = \"PCIe 8-pin\", count = 2}]", "[{plug = \"PCIe 8-pin\", count = 65}]", "0 to 64"),
        ("case", "radiators", "[{edge = \"top\", sizes_mm = [360]}]", "[{edge = \"top\", sizes_mm = [360, 0]}]", "above 0, up to 3000 mm"),
    ] {
        assert_eq!(faults(&part(kind, &[(field, good)])), [""; 0]);
        let found = faults(&part(kind, &[(field, bad)]));
        assert_eq!(found.len(), 1, "{kind} {field} {bad}: {found:?}");
        assert!(found.iter().all(|f| f.starts_with(&format!("own.toml:6: {kind}.t.x: {field}"))), "{found:?}");
        assert!(found.iter().all(|f| f.ends_with(&format!(" is out of range. Allowed: {range}"))), "{found:?}");
    }
    let long = faults(&part("gpu", &[("length_mm", &"9".repeat(300))]));
    assert_eq!(long, [format!("own.toml:6: gpu.t.x: length_mm: {}… is out of range. Allowed: above 0, up to 3000 mm", "9".repeat(24))]);
}

#[test]
fn connectors_have_ranges_and_labels_of_their_own() {
    let list = "[\n {label = \"A\", kind = \"pcie\", size = 16, lanes = 3, gen = 4, opening = 1},\n {label = \"A\", kind = \"pcie\", gen = 9, opening = 25},\n {label = \"B\", kind = \"pci\", size = 5},\n {kind = \"m2\"},\n]";
    let found = faults(&part("board", &[("connectors", list)]));
    let expected = [
        "own.toml:7: board.t.x: connectors[0].lanes: 3 is out of range. Allowed: one of 0, 1, 2, 4, 8, 16, 32 lanes",
        "own.toml:8: board.t.x: connectors[1].gen: 9 is out of range. Allowed: 1 to 7",
        "own.toml:8: board.t.x: connectors[1].label: \"A\" is that of connectors[0].label too. Give each its own",
        "own.toml:8: board.t.x: connectors[1].opening: 25 is out of range. Allowed: 1 to 24",
        "own.toml:9: board.t.x: connectors[2].kind: unknown variant `pci`, expected one of `pcie`, `m2`, `u2`, `oculink`, `slimsas`, `mcio`, `sata`",
        "own.toml:9: board.t.x: connectors[2].size: 5 is out of range. Allowed: one of 0, 1, 2, 4, 8, 16, 32 lanes",
        "own.toml:10: board.t.x: connectors[3].label: is missing",
    ];
    assert_eq!(found, expected);
}

#[test]
fn every_bad_price_life_value_and_origin_is_named_in_its_line() {
    let text = r#"[sources]
s = {title = "t", date = "2026-02-30"}
u = {titel = "t"}
[[gpu]]
id = "gpu.t.x"
name = " "
tdp_w = 300
length_mm = "long"
slots = 9
prices = [
  {amount = 1, currency = "USD", date = "2026-01", kind = "list", source = "s"},
  {amount = -1, currency = "dollar", date = "2026-13", kind = "used", source = "t"},
  {amount = nan, currency = "USD", date = "2026", kind = "gift", source = "u", shop = "x"},
]
[gpu.life]
launch = "soon"
sale = "maybe"
outlook = "bright"
as_of = "2026-1"
source = "none"
[gpu.from]
tdp_w = {source = "s", as_of = "yesterday", confidence = "maker"}
length_mm = {source = "s", as_of = "2026", confidence = "sure"}
slots = {source = "v", as_of = "2026"}
height_mm = {source = "s", as_of = "2026", confidence = "maker"}
"#;
    let found = faults(text);
    let starts = [
        "2: sources.s.date: is no date",
        "3: sources.u.titel: unknown field",
        "3: sources.u.title: is missing",
        "6: gpu.t.x: name: is empty",
        "8: gpu.t.x: length_mm: invalid type",
        "9: gpu.t.x: slots: 9 is out of range",
        "12: gpu.t.x: prices[1].amount: -1 is out of range. Allowed: 0 to 1000000000",
        "12: gpu.t.x: prices[1].currency: \"dollar\" is no currency",
        "12: gpu.t.x: prices[1].date: \"2026-13\" is no date",
        "12: gpu.t.x: prices[1].kind: unknown variant `used`",
        "12: gpu.t.x: prices[1].source: names source \"t\", which the file lacks. Add [sources.t]",
        "13: gpu.t.x: prices[2].amount: nan is out of range",
        "13: gpu.t.x: prices[2].kind: unknown variant `gift`",
        "13: gpu.t.x: prices[2].shop: unknown field `shop`",
        "16: gpu.t.x: life.launch: \"soon\" is no date",
        "17: gpu.t.x: life.sale: unknown variant `maybe`",
        "18: gpu.t.x: life.outlook: unknown variant `bright`",
        "19: gpu.t.x: life.as_of: \"2026-1\" is no date",
        "20: gpu.t.x: life.source: names source \"none\"",
        "22: gpu.t.x: from.tdp_w.as_of: \"yesterday\" is no date",
        "23: gpu.t.x: from.length_mm.confidence: unknown variant `sure`",
        "24: gpu.t.x: from.slots.confidence: is missing",
        "24: gpu.t.x: from.slots.source: names source \"v\"",
        "25: gpu.t.x: from.height_mm: has a source but no value",
    ];
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for (fault, start) in found.iter().zip(starts) {
        assert!(fault.starts_with(&format!("own.toml:{start}")), "{fault} is not {start}");
    }
}

#[test]
fn ids_begin_with_their_kind() {
    let with = |id: &str| faults(&part("fan", &[("size_mm", "120")]).replace("fan.t.x", id));
    assert!(with("fan.my.one-2").is_empty());
    for bad in ["gpu.t.x", "fan.", "fan", "Fan.t.x", "fan.t x", "fan.t_x", "fan.ü"] {
        let found = with(bad);
        assert!(found.len() == 1 && found.iter().all(|f| f.contains("is no id. Write fan. and then a-z")), "{bad}: {found:?}");
    }
    assert!(faults("[[fan]]\nid = \"fan.t.x\"\n").iter().any(|f| f.contains(":1: fan.t.x: name: is missing")));
    assert!(faults("fan = [1]\n").iter().any(|f| f.contains("1: fan: holds something that is no part")));
}

#[test]
fn a_variant_of_a_faulty_part_is_left_out_too() {
    let text = part("gpu", &[("length_mm", "-1")]) + "[[gpu]]\nid = \"gpu.t.y\"\nname = \"Y\"\nlike = \"gpu.t.x\"\n";
    let found = faults(&text);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found.iter().any(|f| f.ends_with("12: gpu.t.y: like: leads to \"gpu.t.x\", which has faults. Mend that part first")),
        "{found:?}"
    );
    assert!(load(&[("own.toml".to_owned(), text)]).0.is_empty());
}

#[test]
fn exchange_rates_have_ranges_and_dates() {
    let rates = |text: &str| load(&[("rates.toml".to_owned(), text.to_owned())]).1.iter().map(ToString::to_string).collect::<Vec<_>>();
    let good = "[sources]\ns = {title = \"t\"}\n[rates]\nEUR = {usd = 1.1, date = \"2026-01-01\", source = \"s\"}\n";
    assert_eq!(rates(good), [""; 0]);
    let found = rates(&good.replace("1.1", "-1").replace("2026-01-01", "2026-00").replace("source = \"s\"", "source = \"x\""));
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.iter().any(|f| f.starts_with("rates.toml:4: rates.EUR.usd: -1 is out of range")), "{found:?}");
}
