//! Every fact of every kind of part as a field of a form: its label, unit, help and form, taken from the structs themselves. Values go to
//! and from text, so that forms and tables of the user's own need no code for single fields.

use serde_json::Value;

use super::load::limits::range_text;
use super::part::{Board, Bridge, Carrier, Case, Cooler, Cpu, Drive, Fan, Gpu, Nic, Psu, Ram, Riser};

/// How a value is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    Number,
    Whole,
    Text,
    /// yes or no
    Flag,
    /// One of these words.
    Choice(Vec<String>),
    /// Any of these words, separated by semicolons; "none" = an empty list.
    Choices(Vec<String>),
    /// Free words, separated by semicolons.
    Words,
    /// Counts of these plugs: "2 x PCIe 8-pin; 1 x EPS 8-pin"; "none" = fed by the slot alone.
    Plugs(Vec<String>),
    /// Tables as in a catalog file.
    Structure,
}

/// One fact of a kind of part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name in catalog files: `length_mm`.
    pub name: String,
    /// For people: "Length".
    pub label: String,
    /// "mm"; empty where there is none.
    pub unit: &'static str,
    pub form: Form,
    /// What it means, and what it may hold.
    pub help: String,
}

/// The facts of a kind in the order of the struct; empty for what is no kind.
pub fn fields(kind: &str) -> Vec<Field> {
    let schema = match kind {
        "gpu" => schemars::schema_for!(Gpu),
        "cpu" => schemars::schema_for!(Cpu),
        "board" => schemars::schema_for!(Board),
        "ram" => schemars::schema_for!(Ram),
        "drive" => schemars::schema_for!(Drive),
        "psu" => schemars::schema_for!(Psu),
        "cooler" => schemars::schema_for!(Cooler),
        "fan" => schemars::schema_for!(Fan),
        "case" => schemars::schema_for!(Case),
        "nic" => schemars::schema_for!(Nic),
        "riser" => schemars::schema_for!(Riser),
        "carrier" => schemars::schema_for!(Carrier),
        "bridge" => schemars::schema_for!(Bridge),
        _ => return Vec::new(),
    };
    let root = schema.as_value();
    let Some(properties) = root.get("properties").and_then(Value::as_object) else { return Vec::new() };
    properties.iter().map(|(name, about)| field(kind, name, about, root)).collect()
}

fn field(kind: &str, name: &str, about: &Value, root: &Value) -> Field {
    let (stem, unit) = unit_of(name);
    let form = form(about, root);
    let doc =
        about.get("description").and_then(Value::as_str).map(|d| d.replace(['[', ']', '`'], "").replace("Self::", "").replace('\n', " "));
    let help = doc.or_else(|| HELP.iter().find(|h| h.0 == name).map(|h| h.1.to_owned())).unwrap_or_default();
    let range = range_text(kind, name).filter(|_| matches!(form, Form::Number | Form::Whole)).map(|r| format!(" Allowed: {r}."));
    Field { name: name.to_owned(), label: label(stem), unit, form, help: help + &range.unwrap_or_default() }
}

/// Units by the endings of names, longer ones first.
const UNITS: [(&str, &str); 17] = [
    ("_gbit_s", "Gbit/s"),
    ("_gb_s", "GB/s"),
    ("_mb_s", "MB/s"),
    ("_mt_s", "MT/s"),
    ("_m3_h", "m³/h"),
    ("_tflops", "TFLOPS"),
    ("_tops", "TOPS"),
    ("_bits", "bits"),
    ("_ghz", "GHz"),
    ("_dba", "dBA"),
    ("_rpm", "1/min"),
    ("_mm", "mm"),
    ("_gb", "GB"),
    ("_pa", "Pa"),
    ("_w", "W"),
    ("_v", "V"),
    ("_slots", "slots"),
];

fn unit_of(name: &str) -> (&str, &'static str) {
    match name {
        "watts" => return ("rating", "W"),
        "gb_per_module" => return ("capacity_per_module", "GB"),
        "tbw" => return ("endurance", "TB"),
        "expansion_slots" | "dimm_slots" => return (name, ""),
        _ => {}
    }
    UNITS.iter().find_map(|(end, unit)| Some((name.strip_suffix(end)?, *unit))).unwrap_or((name, ""))
}

/// `max_gpu_length` is "Max GPU length".
fn label(stem: &str) -> String {
    const WORDS: [(&str, &str); 34] = [
        ("pcie", "PCIe"),
        ("gen", "generation"),
        ("tdp", "TDP"),
        ("gpu", "GPU"),
        ("cpu", "CPU"),
        ("psu", "PSU"),
        ("ecc", "ECC"),
        ("lan", "LAN"),
        ("sata", "SATA"),
        ("eps", "EPS"),
        ("cas", "CAS latency"),
        ("fp32", "FP32"),
        ("fp16", "FP16"),
        ("bf16", "BF16"),
        ("tf32", "TF32"),
        ("int8", "INT8"),
        ("fp8", "FP8"),
        ("fp4", "FP4"),
        ("cuda", "CUDA"),
        ("nvlink", "NVLink"),
        ("p2p", "peer to peer"),
        ("rdma", "RDMA"),
        ("bar", "BAR1 window"),
        ("hpwr", "16-pin lead"),
        ("m2", "M.2"),
        ("mmio", "MMIO space"),
        ("atx", "ATX"),
        ("35", "of 3.5 inch"),
        ("25", "of 2.5 inch"),
        ("ram", "RAM"),
        ("dimm", "DIMM"),
        ("apu", "APU class"),
        ("4g", "4 GB"),
        ("m3", ""),
    ];
    let word = |w: &str| WORDS.iter().find(|(from, _)| *from == w).map_or_else(|| w.to_owned(), |(_, to)| (*to).to_owned());
    let text = stem.split('_').map(word).collect::<Vec<_>>().join(" ");
    let mut chars = text.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn form(about: &Value, root: &Value) -> Form {
    let about = resolved(about, root);
    if let Some(words) = words_of(about) {
        return Form::Choice(words);
    }
    let types: Vec<&str> = match about.get("type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if types.contains(&"number") {
        return Form::Number;
    }
    if types.contains(&"integer") {
        return Form::Whole;
    }
    if types.contains(&"boolean") {
        return Form::Flag;
    }
    if types.contains(&"string") {
        return Form::Text;
    }
    let Some(items) = about.get("items").map(|i| resolved(i, root)) else { return Form::Structure };
    if let Some(words) = words_of(items) {
        return Form::Choices(words);
    }
    let plug = items.pointer("/properties/plug").map(|p| resolved(p, root)).and_then(words_of);
    match plug {
        Some(plugs) => Form::Plugs(plugs),
        None if items.get("type").and_then(Value::as_str) == Some("string") => Form::Words,
        None => Form::Structure,
    }
}

/// What a reference or an optional value stands for.
fn resolved<'v>(about: &'v Value, root: &'v Value) -> &'v Value {
    if let Some(name) = about.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#')) {
        return root.pointer(name).unwrap_or(about);
    }
    let options = about.get("anyOf").and_then(Value::as_array);
    match options.and_then(|o| o.iter().find(|o| o.get("type").and_then(Value::as_str) != Some("null"))) {
        Some(option) => resolved(option, root),
        None => about,
    }
}

/// The words of a vocabulary.
fn words_of(about: &Value) -> Option<Vec<String>> {
    let text = |v: &Value| v.as_str().map(str::to_owned);
    if let Some(list) = about.get("enum").and_then(Value::as_array) {
        return Some(list.iter().filter_map(text).collect());
    }
    let mut words = Vec::new();
    for option in about.get("oneOf").and_then(Value::as_array)? {
        match (option.get("const"), option.get("enum").and_then(Value::as_array)) {
            (Some(one), _) => words.extend(text(one)),
            (None, Some(list)) => words.extend(list.iter().filter_map(text)),
            (None, None) => return None,
        }
    }
    Some(words)
}

/// What fields mean whose structs need no comment.
const HELP: &[(&str, &str)] = &[
    ("vendor", "Maker of the chip."),
    ("architecture", "Family of the chip: Ampere, Ada, RDNA 3."),
    ("chip", "Name of the chip: GA102."),
    ("segment", "consumer, workstation or data centre."),
    ("form", "Form in which it is built."),
    ("memory_type", "Kind of memory."),
    ("memory_bus_bits", "Width of the memory bus."),
    ("bandwidth_gb_s", "Memory bandwidth by the data sheet; of a bridge, both directions together."),
    ("fp32_tflops", "Peak rate outside tensor cores at boost clock."),
    ("tensor_bf16_tflops", "Dense, with FP32 accumulation."),
    ("tensor_tf32_tflops", "Dense, with FP32 accumulation."),
    ("tensor_int8_tops", "Dense."),
    ("tensor_fp8_tflops", "Dense, with FP32 accumulation."),
    ("tensor_fp4_tflops", "Dense, with FP32 accumulation."),
    ("tdp_w", "Board or processor power by the maker."),
    ("power_min_w", "Lowest power limit that can be set."),
    ("power_max_w", "Highest power limit that can be set."),
    ("suggested_psu_w", "Supply that the maker advises for a whole machine."),
    ("length_mm", "Longest side: of a card from the bracket to its end, of a supply along the case, of a cable its own length."),
    ("thickness_mm", "Across the slots, or of a fan along its axis."),
    ("cooler", "How the card is cooled."),
    ("radiator_mm", "Size of the radiator as sold: 240, 360."),
    ("pcie_gen", "PCIe generation of the link."),
    ("pcie_lanes", "Lanes of the link."),
    ("compute_capability", "CUDA compute capability: 8.6."),
    ("nvlink", "Generation of NVLink, if the card has the connector."),
    ("ecc", "Error correction of the memory, or support for such modules."),
    ("p2p", "Whether and how cards reach each other directly."),
    ("socket", "CPU socket."),
    ("max_sockets", "Processors that run side by side."),
    ("cores", "Cores in all."),
    ("threads", "Hardware threads in all."),
    ("base_ghz", "Base clock."),
    ("boost_ghz", "Highest boost clock."),
    ("max_turbo_w", "Highest power while boosting: PL2, PPT."),
    ("memory_types", "Kinds of memory that the processor takes."),
    ("memory_mt_s", "Highest memory speed by the specification."),
    ("memory_channels", "Channels of memory, all sockets together for a board."),
    ("memory_max_gb", "Most memory."),
    ("socket_count", "CPU sockets of the board."),
    ("chipset", "Chipset by its maker's name."),
    ("form_factor", "Outline of the board."),
    ("module_types", "Builds of modules that run in the board."),
    ("dimm_slots", "Slots for memory modules."),
    ("sata_ports", "SATA ports in all."),
    ("lan", "Network ports of the board, in words."),
    (
        "connectors",
        "Slots, M.2 sockets and cable connectors as tables: [{label = \"PCIEX16_1\", kind = \"pcie\", size = 16, lanes = 16, gen = 4, from = \"cpu\"}].",
    ),
    ("switches", "PCIe switches and second chipsets as tables: [{id = \"PLX\", uplink_lanes = 16, uplink_gen = 3, from = \"cpu\"}]."),
    ("chipset_uplink_lanes", "Lanes from the processor to the chipset."),
    ("chipset_uplink_gen", "PCIe generation from the processor to the chipset."),
    ("choices", "BIOS choices and jumpers that move lanes, as tables."),
    ("module_type", "Build of the modules."),
    ("speed_mt_s", "Speed as sold."),
    ("cas", "First number of the timings."),
    ("modules", "Modules in the kit."),
    ("gb_per_module", "Capacity of one module."),
    ("height_mm", "Height: of a module or cooler from the board, of a case from floor to roof."),
    ("voltage_v", "Voltage at the speed as sold."),
    ("capacity_gb", "Capacity as sold, decimal."),
    ("bus", "Protocol that the drive speaks."),
    ("read_mb_s", "Highest sequential reading."),
    ("write_mb_s", "Highest sequential writing."),
    ("rotating", "A hard disk."),
    ("power_w", "Highest power."),
    ("tbw", "Endurance by the maker, TB written."),
    ("watts", "Continuous rating."),
    ("efficiency", "80 PLUS class."),
    ("modular", "Full, Semi-Modular or Non-Modular."),
    ("kind", "Build of the cooler or case."),
    ("radiator_thickness_mm", "Without fans."),
    ("sockets", "Sockets that it has mounting parts for."),
    ("size_mm", "Edge of the frame: 120, 140."),
    ("max_rpm", "Highest speed."),
    ("airflow_m3_h", "Free airflow at the highest speed. A cubic foot a minute is 1.699 m³/h."),
    ("pressure_pa", "Highest static pressure. A millimetre of water is 9.807 Pa."),
    ("noise_dba", "Noise at the highest speed by the maker."),
    ("width_mm", "Across, standing as a tower."),
    ("board_forms", "Forms of boards that it takes."),
    ("expansion_slots", "Openings at the rear for cards."),
    ("max_gpu_length_mm", "Longest card without a front radiator."),
    ("max_gpu_length_radiator_mm", "Longest card with a front radiator."),
    ("max_cooler_height_mm", "Tallest air cooler."),
    ("max_psu_length_mm", "Longest supply."),
    ("psu_forms", "Forms of supplies that it takes."),
    ("psu_count", "Supplies that it takes."),
    ("bays_35", "Places for 3.5-inch drives."),
    ("bays_25", "Places for 2.5-inch drives."),
    ("mounts", "Fan mounts as tables: [{edge = \"front\", count = 3, size_mm = 120}]."),
    ("radiators", "Longest radiators by side as tables: [{edge = \"top\", sizes_mm = [360]}]."),
    ("ports", "Ports of the card."),
    ("speed_gbit_s", "Speed of one port."),
    ("media", "SFP28, QSFP28, RJ45."),
    ("low_profile", "Fits low openings."),
    ("rdma", "RoCE, InfiniBand or none."),
    ("m2_sockets", "M.2 sockets on the card."),
];

/// A typed text as a value of a catalog file; empty text is none, and stands for unknown.
///
/// # Errors
/// What is wrong with the text.
pub fn value(form: &Form, text: &str) -> Result<Option<toml::Value>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let list = || text.split(';').map(str::trim).filter(|w| !w.is_empty());
    let word = |words: &[String], text: &str| {
        let found = words.iter().find(|w| w.eq_ignore_ascii_case(text));
        found.cloned().map(toml::Value::String).ok_or_else(|| format!("\"{text}\" is none of: {}.", words.join(", ")))
    };
    let is_list = matches!(form, Form::Choices(_) | Form::Words | Form::Plugs(_));
    if is_list && text.eq_ignore_ascii_case("none") {
        return Ok(Some(toml::Value::Array(Vec::new())));
    }
    Ok(Some(match form {
        Form::Number => toml::Value::Float(number(text)?),
        Form::Whole => {
            let number = number(text)?;
            if number.fract() != 0.0 || number.abs() > 1e15 {
                return Err(format!("\"{text}\" is no whole number."));
            }
            toml::Value::Integer(number as i64)
        }
        Form::Text => toml::Value::String(text.to_owned()),
        Form::Flag => toml::Value::Boolean(match text.to_lowercase().as_str() {
            "yes" | "true" | "1" => true,
            "no" | "false" | "0" => false,
            _ => return Err(format!("\"{text}\" is neither yes nor no.")),
        }),
        Form::Choice(words) => word(words, text)?,
        Form::Choices(words) => toml::Value::Array(list().map(|w| word(words, w)).collect::<Result<_, _>>()?),
        Form::Words => toml::Value::Array(list().map(|w| toml::Value::String(w.to_owned())).collect()),
        Form::Plugs(plugs) => toml::Value::Array(list().map(|p| plug(plugs, p)).collect::<Result<_, _>>()?),
        Form::Structure => {
            let table: toml::Table = toml::from_str(&format!("value = {text}")).map_err(|e| format!("{}.", e.message()))?;
            table.get("value").filter(|_| table.len() == 1).cloned().ok_or_else(|| "Write one value as in a catalog file.".to_owned())?
        }
    }))
}

/// With a point or a comma before the decimals.
fn number(text: &str) -> Result<f64, String> {
    let plain = text.replace(',', ".");
    plain.parse::<f64>().ok().filter(|n| n.is_finite()).ok_or_else(|| format!("\"{text}\" is no number."))
}

fn plug(plugs: &[String], text: &str) -> Result<toml::Value, String> {
    let wrong = || format!("\"{text}\" is no count of plugs. Write \"2 x PCIe 8-pin\", with one of: {}.", plugs.join(", "));
    let (count, name) = text.split_once(['x', '×']).ok_or_else(wrong)?;
    let count: i64 = count.trim().parse().map_err(|_| wrong())?;
    let name = plugs.iter().find(|p| p.eq_ignore_ascii_case(name.trim())).ok_or_else(wrong)?;
    let table = [("plug".to_owned(), toml::Value::String(name.clone())), ("count".to_owned(), toml::Value::Integer(count))];
    Ok(toml::Value::Table(table.into_iter().collect()))
}

/// A value as the text that [`value`] reads.
pub fn text(form: &Form, value: &toml::Value) -> String {
    let plain = |v: &toml::Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    match (form, value) {
        (Form::Flag, toml::Value::Boolean(yes)) => if *yes { "yes" } else { "no" }.to_owned(),
        (Form::Number, toml::Value::Float(x)) => x.to_string(),
        (Form::Choices(_) | Form::Words | Form::Plugs(_), toml::Value::Array(list)) if list.is_empty() => "none".to_owned(),
        (Form::Choices(_) | Form::Words, toml::Value::Array(list)) => list.iter().map(plain).collect::<Vec<_>>().join("; "),
        (Form::Plugs(_), toml::Value::Array(list)) => {
            let one = |v: &toml::Value| Some(format!("{} x {}", v.get("count")?.as_integer()?, v.get("plug")?.as_str()?));
            list.iter().filter_map(one).collect::<Vec<_>>().join("; ")
        }
        (Form::Structure, value) => value.to_string(),
        (_, value) => plain(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::kinds::KINDS;
    use crate::catalog::load::{embedded_files, kind_table, load};

    #[test]
    fn every_field_has_label_help_and_a_form() {
        for (kind, ..) in KINDS {
            let all = fields(kind);
            assert!(all.len() >= 3, "{kind}");
            for field in all {
                assert!(field.help.len() > 3 && !field.label.is_empty(), "{kind}.{}: {field:?}", field.name);
            }
        }
        let gpu = fields("gpu");
        let find = |name: &str| gpu.iter().find(|f| f.name == name).unwrap();
        assert_eq!((find("length_mm").label.as_str(), find("length_mm").unit), ("Length", "mm"));
        assert!(matches!(&find("vendor").form, Form::Choice(w) if w.contains(&"NVIDIA".to_owned())));
        assert!(matches!(&find("plugs").form, Form::Plugs(w) if w.contains(&"EPS 8-pin".to_owned())));
        assert_eq!(find("memory_bus_bits").form, Form::Whole);
        assert!(find("tdp_w").help.contains("Allowed: 0 to 5000."), "{:?}", find("tdp_w"));
        assert!(matches!(&fields("case").iter().find(|f| f.name == "board_forms").unwrap().form, Form::Choices(_)));
        assert!(matches!(&fields("bridge").iter().find(|f| f.name == "products").unwrap().form, Form::Words));
    }

    #[test]
    fn every_value_of_the_shipped_catalog_goes_through_text() {
        let (catalog, _) = load(&embedded_files(""));
        for (kind, ..) in KINDS {
            let all = fields(kind);
            for part in catalog.parts().filter(|p| p.kind.key() == kind) {
                for (name, was) in kind_table(&part.kind).unwrap() {
                    let field = all.iter().find(|f| f.name == name).unwrap();
                    let again = value(&field.form, &text(&field.form, &was)).unwrap();
                    // An empty list of tables and nothing are one for fields that are no `Option`.
                    let empty = was.as_array().is_some_and(Vec::is_empty);
                    assert!(again.as_ref() == Some(&was) || empty, "{}.{name}: {was} {again:?}", part.id);
                }
            }
        }
    }

    #[test]
    fn wrong_texts_are_named() {
        assert!(value(&Form::Number, "long").unwrap_err().contains("no number"));
        assert!(value(&Form::Whole, "2.5").unwrap_err().contains("no whole number"));
        assert!(value(&Form::Flag, "maybe").unwrap_err().contains("neither yes nor no"));
        assert!(value(&Form::Choice(vec!["a".to_owned()]), "b").unwrap_err().contains("none of: a"));
        assert!(value(&Form::Plugs(vec!["EPS 8-pin".to_owned()]), "EPS").unwrap_err().contains("no count of plugs"));
        assert!(value(&Form::Structure, "1\nother = 2").is_err());
        assert_eq!(value(&Form::Number, " 2,5 ").unwrap(), Some(toml::Value::Float(2.5)));
        assert_eq!(value(&Form::Text, "  ").unwrap(), None);
    }
}
