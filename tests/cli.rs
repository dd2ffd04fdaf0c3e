//! The program as a shell sees it: files made from parts, reports, parts lists, pictures; bad input exits with 2 and one message.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail by panicking and read their own small files")]

#[path = "support/gguf.rs"]
#[expect(dead_code, reason = "each test program uses a part of it")]
mod gguf;

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// The program, blind to any catalog of the user's own.
fn rigbay(home: &Path) -> Command {
    let mut command = Command::cargo_bin("rigbay").unwrap();
    command.current_dir(home).env("HOME", home).env("XDG_DATA_HOME", home.join("data")).env_remove("DISPLAY");
    command
}

fn home() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn done(home: &Path, args: &[&str]) -> (String, String) {
    let output = rigbay(home).args(args).output().unwrap();
    let (text, notes) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{args:?}: {notes}");
    (text, notes)
}

/// Exit code 2, nothing on the standard output; the message.
fn refused(home: &Path, args: &[&str]) -> String {
    let output = rigbay(home).args(args).output().unwrap();
    let notes = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {notes}");
    assert!(output.stdout.is_empty());
    notes
}

const CORE: [&str; 6] = ["new", "--board", "ATX board with SP3 and seven x16 slots", "--cpu", "CPU SP3, 128 lanes", "-o"];

fn new(home: &Path, more: &[&str]) -> String {
    let args: Vec<&str> = CORE.iter().copied().chain(["rig.toml"]).chain(more.iter().copied()).collect();
    done(home, &args).1
}

fn json(home: &Path, more: &[&str]) -> Value {
    let args: Vec<&str> = ["report", "rig.toml", "--json"].iter().chain(more).copied().collect();
    serde_json::from_str(&done(home, &args).0).unwrap()
}

const WHOLE: &[&str] = &[
    "--case",
    "Tower, 7 slots",
    "--cooler",
    "Server cooler 4U",
    "--ram",
    "ram.generic.rdimm-ddr4-32",
    "x8",
    "--psu",
    "PSU 1600 W",
    "--put",
    "slot 1=GPU 300 W 2-slot blower",
    "--put",
    "SLOT 3=GPU 300 W 2-slot blower",
    "--drive",
    "NVMe x4",
    "--fan",
    "front=Case fan 120 mm x2",
    "--fan",
    "rear=Case fan 120 mm",
    "--bios",
    "above_4g=on",
    "--model",
    "Llama-3.1-8B",
    "--quant",
    "q4_k_m",
    "--context",
    "16384",
    "--gpus",
    "2",
];

#[test]
fn parts_become_a_rig_with_report_list_and_picture() {
    let dir = home();
    let home = dir.path();
    assert_eq!(new(home, WHOLE), "");
    let report = json(home, &[]);
    let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
    let wanted = [
        "format",
        "rig",
        "parts",
        "lanes",
        "memory",
        "main_memory",
        "performance",
        "limits",
        "day",
        "cost",
        "power",
        "airflow",
        "findings",
    ];
    assert_eq!(keys, wanted);
    assert_eq!(report["format"], 1);
    let place = |kind: &str| -> Vec<String> {
        let parts = report["parts"].as_array().unwrap().iter();
        parts.filter(|p| p["kind"] == kind).map(|p| p["position"].as_str().unwrap_or("tray").to_owned()).collect()
    };
    assert_eq!(place("gpu"), ["Slot 1", "Slot 3"]);
    assert_eq!(place("drive"), ["M.2 1"]);
    assert_eq!(place("fan"), ["front fan mount 1", "front fan mount 2", "rear fan mount 1"]);
    assert_eq!(place("ram").len(), 8);
    assert_eq!(report["parts"].as_array().unwrap().iter().find(|p| p["kind"] == "board").unwrap()["settings"]["bios.above_4g"], "on");
    assert_eq!(report["memory"].as_array().unwrap().len(), 2);
    assert_eq!(report["memory"][0]["gpu"], report["parts"].as_array().unwrap().iter().find(|p| p["kind"] == "gpu").unwrap()["id"]);
    assert_eq!(report["rig"]["workloads"][0]["context"], 16384);
    // Without a flag nothing moves; with one the first workload does.
    assert_eq!(json(home, &[]), report);
    assert_eq!(json(home, &["--quant", "bf16", "--batch", "4"])["rig"]["workloads"][0]["precision"], "bf16");

    let (text, _) = done(home, &["report", "rig.toml"]);
    for part in ["Parts\n", "Cost\n", "Power\n", "Memory\n", "Speed\n", "Findings: ", "Why: "] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let (csv, _) = done(home, &["export", "rig.toml", "--format", "csv"]);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert!(rows.iter().any(|r| &r[0] == "Slot 1; Slot 3" && &r[2] == "2"), "{csv}");
    assert!(rows.iter().any(|r| &r[0] == "remark" && r[21].starts_with("Total: at least ")), "{csv}");
    done(home, &["export", "rig.toml", "--format", "md", "-o", "parts.md"]);
    let markdown = std::fs::read_to_string(home.join("parts.md")).unwrap();
    assert!(markdown.starts_with("# rig\n\n| Kind | Part |"), "{markdown}");
    done(home, &["picture", "rig.toml", "-o", "rig.svg", "--theme", "light"]);
    assert!(std::fs::read_to_string(home.join("rig.svg")).unwrap().starts_with("<svg"));
    done(home, &["picture", "rig.toml", "-o", "rig.png"]);
    assert!(std::fs::read(home.join("rig.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn exports_take_columns_groups_filters_and_presets() {
    let dir = home();
    let home = dir.path();
    new(home, WHOLE);
    let line =
        |args: &[&str], n: usize| done(home, &[&["export", "rig.toml"], args].concat()).0.lines().nth(n).unwrap_or_default().to_owned();
    assert_eq!(line(&["--format", "csv", "--columns", "kind,quantity,total"], 0), "kind,quantity,total,total_currency");
    assert_eq!(line(&["--columns", "Kind, part_number"], 2), "| Kind | Part number |");
    let (csv, _) =
        done(home, &["export", "rig.toml", "--format", "csv", "--columns", "kind,quantity", "--filter", "kind=fan", "--rows", "part"]);
    assert_eq!(csv.lines().nth(1), Some("Fan,3"), "{csv}");
    let (csv, _) = done(home, &["export", "rig.toml", "--format", "csv", "--columns", "part", "--group-by", "kind", "--sort", "quantity-"]);
    assert!(csv.starts_with("kind,part\r\nRAM,"), "{csv}");
    assert!(done(home, &["export", "rig.toml", "--format", "csv", "--bom"]).0.starts_with('\u{feff}'));
    let keep = ["--columns", "kind,model", "--group-by", "kind", "--save-preset", "mine"];
    let (kept, _) = done(home, &[&["export", "rig.toml"], &keep[..]].concat());
    assert_eq!(done(home, &["export", "rig.toml", "--preset", "mine"]).0, kept);
    assert_ne!(done(home, &["export", "rig.toml", "--preset", "mine", "--group-by", "none"]).0, kept);
    assert!(
        refused(home, &["export", "rig.toml", "--preset", "yours"])
            .starts_with("No preset is named \"yours\". Presets are: mine, standard,")
    );
    assert!(refused(home, &["export", "rig.toml", "--columns", "kind,size"]).starts_with("--columns: No column is named \"size\"."));
    assert!(refused(home, &["export", "rig.toml", "--filter", "size=2"]).starts_with("--filter: No column is named \"size\"."));
    for ending in ["txt", "bbcode", "xlsx", "html", "json", "svg", "png"] {
        let file = format!("out.{ending}");
        done(home, &["export", "rig.toml", "-o", &file, "--layer", "power", "--theme", "light"]);
        assert!(std::fs::metadata(home.join(&file)).unwrap().len() > 100, "{file}");
    }
    // The JSON is a rig file of its own.
    assert_eq!(done(home, &["report", "out.json"]).0, done(home, &["report", "rig.toml"]).0);
    assert_eq!(done(home, &["export", "out.json"]).0, done(home, &["export", "rig.toml"]).0);
}

#[test]
fn two_builds_are_compared() {
    let dir = home();
    let home = dir.path();
    new(home, &["--put", "Slot 1=GPU 300 W 2-slot blower"]);
    std::fs::rename(home.join("rig.toml"), home.join("old.toml")).unwrap();
    new(home, &["--put", "Slot 1=GPU 300 W 2-slot blower", "--put", "Slot 3=GPU 300 W 2-slot blower", "--drive", "SATA SSD"]);
    let (text, _) = done(home, &["diff", "old.toml", "rig.toml"]);
    assert!(text.starts_with("# From rig to rig\n") && text.contains("**To buy**") && !text.contains("**To sell**"), "{text}");
    let json: Value = serde_json::from_str(&done(home, &["diff", "rig.toml", "old.toml", "--format", "json"]).0).unwrap();
    assert_eq!(json["buy"]["parts"].as_array().unwrap().len(), 0);
    assert_eq!(json["sell"]["parts"].as_array().unwrap().len(), 2);
    assert_eq!(json["sell"]["without_price"], 2);
    done(home, &["diff", "old.toml", "rig.toml", "-o", "diff.html"]);
    assert!(done(home, &["diff", "rig.toml", "rig.toml"]).0.contains("The builds have the same parts."));
    assert!(refused(home, &["diff", "rig.toml"]).starts_with("Nothing to compare with."));
    assert!(refused(home, &["diff", "rig.toml", "--to-variant", "b"]).starts_with("rig.toml: has no variant \"b\". It has none."));
    assert!(refused(home, &["diff", "rig.toml", "old.toml", "-o", "diff.png"]).starts_with("A difference has no picture."));
}

#[test]
fn the_report_follows_its_schema() {
    let dir = home();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report.schema.json");
    let text = rigbay::report::json::schema_text();
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        rigbay::files::make_folder(Path::new(path).parent().unwrap()).unwrap();
        rigbay::files::write_atomic(path.as_ref(), text.as_bytes()).unwrap();
    }
    assert!(rigbay::files::read_text(path.as_ref(), 1 << 20).unwrap_or_default() == text, "the schema is old: run with UPDATE_SCHEMA=1");
    let schema = jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap();
    for more in [WHOLE, &[]] {
        new(dir.path(), more);
        let report = json(dir.path(), &[]);
        let errors: Vec<String> = schema.iter_errors(&report).map(|e| format!("{e} at {}", e.instance_path())).collect();
        assert_eq!(errors, Vec::<String>::new());
    }
    assert!(!schema.is_valid(&serde_json::json!({"format": 1})));
}

#[test]
fn parts_on_risers_and_carriers_are_named_by_what_carries_them() {
    let dir = home();
    let riser =
        ["--put", "Slot 7=riser.generic.x16-gen4", "--put", "end=GPU", "--put", "Slot 2=NIC x8", "--put", "Slot 6=riser.generic.x16-gen4"];
    new(dir.path(), &[&riser[..], &["--put", "Slot 6/end=GPU", "--drive", "SATA SSD"]].concat());
    let report = json(dir.path(), &[]);
    let slots: Vec<&str> = report["parts"].as_array().unwrap().iter().filter_map(|p| p["slot"].as_str()).collect();
    assert_eq!(slots, ["rig/board", "p0/cpu1", "p0/Slot 7", "p2/end", "p0/Slot 2", "p0/Slot 6", "p5/end", "rig/bench1"]);
}

#[test]
fn a_cpu_for_another_socket_waits_in_the_tray_for_the_checks() {
    let dir = home();
    let args = [
        "new",
        "--board",
        "board.generic.atx-am5",
        "--cpu",
        "CPU SP3, 128 lanes",
        "--ram",
        "ram.generic.rdimm-ddr4-32 x2",
        "-o",
        "rig.toml",
    ];
    let (_, notes) = done(dir.path(), &args);
    let lines: Vec<&str> = notes.lines().collect();
    assert_eq!(lines.len(), 3, "{notes}");
    assert_eq!(
        lines[0],
        "warning: --cpu: CPU SP3, 128 lanes does not go to CPU socket: it needs socket SP3, the board has AM5. It lies in the tray."
    );
    assert!(lines[1].contains("it is DDR4, the board takes DDR5. It lies in the tray."), "{notes}");
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let dir = home();
    let home = dir.path();
    let with = |more: &[&str]| {
        let args: Vec<&str> = CORE.iter().copied().chain(["rig.toml"]).chain(more.iter().copied()).collect();
        refused(home, &args)
    };
    assert!(with(&["--cpu2", "CPU SP3, 128 lanes"]).contains("has no place \"cpu2\" for CPU SP3, 128 lanes."));
    assert!(with(&["--put", "Slot 9=GPU"]).starts_with("--put: no connector is named \"Slot 9\". Connectors of this rig: Slot 1, Slot 2,"));
    assert!(with(&["--put", "Slot 1=GPU", "--put", "Slot 1=GPU"]).starts_with("--put: GPU cannot go to Slot 1: Slot 1 is taken by GPU."));
    assert!(with(&["--put", "GPU"]).starts_with("--put: \"GPU\" has no \"=\". Write CONNECTOR=PART."));
    assert!(with(&["--put", "Slot 1=nothing of this name"]).starts_with("--put: no part is named \"nothing of this name\"."));
    let many = with(&["--put", "Slot 1=RTX 30"]);
    assert!(many.starts_with("--put: \"RTX 30\" means more than one part. Choose one of:\n  ") && many.lines().count() > 3, "{many}");
    assert!(with(&["--fan", "front=Case fan 120 mm"]).starts_with("--fan: no free mount is named \"front\". This rig has none."));
    assert!(with(&["--drive", "Hard disk 3.5-inch x9"]).starts_with("--drive: no part of kind drive is named"));
    assert!(with(&["--context", "4096"]).starts_with("--model is missing"));
    assert!(with(&["--model", "no such model"]).starts_with("--model: no model is named \"no such model\"."));
    assert!(with(&["--model", "llama"]).starts_with("--model: \"llama\" means more than one model. Choose one of:\n"));
    assert!(with(&["--model", "gone.json"]).starts_with("gone.json: cannot be read"));
    assert!(with(&["--model", "Llama-3.1-8B", "--quant", "q9"]).contains("no precision of this name; one of"));
    assert!(with(&["--model", "Llama-3.1-8B", "--batch", "0"]).contains("context, batch and cards must be at least 1"));
    assert!(with(&["--model", "Llama-3.1-8B", "--rank", "8"]).starts_with("--train is missing"));
    assert!(
        with(&["--model", "Llama-3.1-8B", "--train", "lora", "--optimizer", "lion"])
            .starts_with("--optimizer: no value `lion`; one of sgd,")
    );
    assert!(with(&["--model", "Llama-3.1-8B", "--train", "--train-batch", "0"]).contains("the micro-batch is from 1 to 65,536"));
    assert!(refused(home, &["new", "-o", "rig.toml"]).contains("--board <PART>"));
    assert!(!home.join("rig.toml").exists());
}

#[test]
fn a_config_from_a_file_is_read_or_refused_by_line() {
    let dir = home();
    let config = r#"{"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 100}"#;
    std::fs::write(dir.path().join("config.json"), config).unwrap();
    new(dir.path(), &["--put", "Slot 1=GPU", "--model", "config.json"]);
    assert_eq!(json(dir.path(), &[])["rig"]["workloads"][0]["parameters"], 2 * (4 * 64 * 64 + 3 * 64 * 128 + 2 * 64) + 64 + 2 * 100 * 64);
    std::fs::write(dir.path().join("config.json"), "{\n \"model_type\": \n}").unwrap();
    let args = [&["report", "rig.toml", "--model", "config.json"][..]].concat();
    assert!(refused(dir.path(), &args).starts_with("config.json, line 3, column 1: not valid JSON"));
}

#[test]
fn broken_rig_files_name_file_line_and_field() {
    let dir = home();
    let home = dir.path();
    new(home, &[]);
    let text = std::fs::read_to_string(home.join("rig.toml")).unwrap();
    let line = 1 + text.lines().position(|l| l.starts_with("mains_v")).unwrap();
    std::fs::write(home.join("bad.toml"), text.replace("mains_v = 120.0", "mains_v = \"120\"")).unwrap();
    for command in [&["report", "bad.toml"][..], &["export", "bad.toml"], &["picture", "bad.toml", "-o", "x.png"]] {
        assert!(refused(home, command).starts_with(&format!("bad.toml:{line}: room.mains_v: invalid type")));
    }
    assert!(refused(home, &["report", "gone.toml"]).starts_with("gone.toml: cannot be read"));
    std::fs::write(home.join("bytes.toml"), [0xff, 0xfe]).unwrap();
    assert!(refused(home, &["report", "bytes.toml"]).starts_with("bytes.toml: is not UTF-8 text."));
    assert!(refused(home, &["picture", "rig.toml", "-o", "rig.gif"]).starts_with("rig.gif: ends in neither .png nor .svg."));
    assert!(
        refused(home, &["export", "rig.toml", "--format", "xls"])
            .contains("possible values: md, txt, bbcode, csv, xlsx, html, json, svg, png")
    );
    assert!(refused(home, &["export", "rig.toml", "-o", "rig.xls"]).starts_with("No format has the ending .xls."));
    assert!(refused(home, &["export", "rig.toml", "--format", "xlsx"]).starts_with("XLSX is no text for a terminal. Give -o a file."));
    assert!(refused(home, &["export", "rig.toml", "-o", "no/such/folder.md"]).starts_with("no/such/folder.md: cannot be written ("));
}

#[test]
fn the_catalog_check_lists_every_fault() {
    let dir = home();
    let home = dir.path();
    let (text, _) = done(home, &["catalog", "check"]);
    assert!(text.contains(" parts, ") && text.contains("facts by confidence: maker "), "{text}");
    let folder = home.join("own");
    std::fs::create_dir_all(&folder).unwrap();
    let good = "[sources]\ns = {title = \"t\"}\n[[fan]]\nid = \"fan.my.one\"\nname = \"My fan\"\nsize_mm = 120\n[fan.from]\nsize_mm = {source = \"s\", as_of = \"2026-11-30\", confidence = \"measured\"}\n";
    std::fs::write(folder.join("fans.toml"), good).unwrap();
    done(home, &["catalog", "check", "own"]);
    let bad = good.replace("[fan.from]\n", "max_rpm = \"fast\"\nnoise_dba = 20\n[fan.from]\n");
    std::fs::write(folder.join("fans.toml"), bad).unwrap();
    let faults = refused(home, &["catalog", "check", "own"]);
    let lines: Vec<&str> = faults.lines().collect();
    assert!(lines.iter().any(|l| l.starts_with("own/fans.toml:7: fan.my.one: max_rpm: invalid type")), "{faults}");
    assert!(lines.iter().any(|l| l.starts_with("own/fans.toml:8: fan.my.one: noise_dba: has no source")), "{faults}");
    assert!(lines.last().unwrap().ends_with(" faults"), "{faults}");
    assert!(refused(home, &["catalog", "check", "none"]).starts_with("none: is no folder."));
}

#[test]
fn a_rig_is_compared_with_its_machine_and_made_from_it() {
    let home = home();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/observed");
    let file = |name: &str| data.join(name).display().to_string();
    let (machine, firmware) = (file("epyc-four-3090.txt"), file("epyc-dmi.txt"));
    let (said, _) = done(home.path(), &["new", "--from-dumps", &machine, &firmware, "-o", "rig.toml"]);
    assert!(said.contains("Board         ASRockRack ROMED8-2T = ASRock Rack ROMED8-2T goes to board tray"), "{said}");
    let (text, _) = done(home.path(), &["observe", "rig.toml", &machine, &firmware]);
    assert!(text.contains("runs x4 Gen3, expected x16 Gen4"), "{text}");
    let (text, _) = done(home.path(), &["observe", "rig.toml", &machine, "--json"]);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), 5);
    assert_eq!(json["rows"][0]["verdict"], "pass");
    let (text, notes) = done(home.path(), &["observe", &file("without-root.txt")]);
    assert!(text.contains("GeForce RTX 3090") && notes.contains("run it with sudo"), "{text}{notes}");
    std::fs::write(home.path().join("notes.txt"), "\nnothing\n").unwrap();
    assert!(refused(home.path(), &["observe", "rig.toml", "notes.txt"]).contains("notes.txt, line 2: \"nothing\" begins none"));
    assert!(refused(home.path(), &["observe", "rig.toml"]).contains("no dump is named after the rig"));
    assert!(refused(home.path(), &["observe", "rig.toml", "gone.txt"]).contains("gone.txt: cannot be read"));
    assert!(refused(home.path(), &["new", "--from-dumps", &machine, "--board", "X", "-o", "a.toml"]).contains("cannot be used with"));
}

#[test]
fn help_and_version_are_no_faults() {
    let dir = home();
    assert!(done(dir.path(), &["--help"]).0.contains("Usage: rigbay"));
    assert_eq!(done(dir.path(), &["--version"]).0, concat!("rigbay ", env!("CARGO_PKG_VERSION"), "\n"));
    assert!(refused(dir.path(), &["reprot"]).contains("unrecognized subcommand 'reprot'"));
}

#[test]
fn stand_ins_have_the_names_that_people_write() {
    let dir = home();
    let put = ["PCIE1=x1 card", "PCIE2=GPU Gen4 x16", "PCIE3=NIC", "M2_1=NVMe", "OCU1=NVMe"].map(|p| ["--put", p]).concat();
    let new = [&["new", "--board", "ROMED8-2T", "--cpu", "EPYC 7002/7003"], put.as_slice(), &["-o", "names.toml"]].concat();
    done(dir.path(), &new);
    let rig = std::fs::read_to_string(dir.path().join("names.toml")).unwrap();
    for id in [
        "cpu.generic.sp3",
        "nic.generic.card-x1",
        "gpu.generic.x16-gen4",
        "nic.generic.x8",
        "drive.generic.nvme-x4",
        "drive.generic.nvme-x4-u2",
    ] {
        assert!(rig.contains(&format!("\"{id}\"")), "{id}");
    }
}

#[test]
fn a_gguf_file_brings_its_own_precision() {
    let dir = home();
    let file = gguf::llama(2, 256, 100);
    let (mut bytes, length) = file.header();
    bytes.resize(usize::try_from(length).unwrap(), 0);
    std::fs::write(dir.path().join("tiny.gguf"), bytes).unwrap();
    new(dir.path(), &["--put", "Slot 1=GPU", "--model", "tiny.gguf"]);
    let work = &json(dir.path(), &[])["rig"]["workloads"][0];
    assert_eq!((work["model"].as_str(), work["precision"].as_str()), (Some("Tiny"), Some("gguf")), "{work}");
    let other = json(dir.path(), &["--quant", "q8_0"]);
    assert_eq!(other["rig"]["workloads"][0]["precision"], "q8_0");
    let back = json(dir.path(), &["--model", "Llama-3.1-8B"]);
    assert_eq!(back["rig"]["workloads"][0]["precision"], "q4_k_m", "another model has no such file");
    let args = ["report", "rig.toml", "--model", "Llama-3.1-8B", "--quant", "gguf"];
    assert!(refused(dir.path(), &args).contains("needs a model read from such a file"));
    std::fs::write(dir.path().join("bad.gguf"), b"GGUF\x03").unwrap();
    assert!(refused(dir.path(), &["report", "rig.toml", "--model", "bad.gguf"]).starts_with("bad.gguf: ends at byte 5"));
}
