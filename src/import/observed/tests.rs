use super::*;

macro_rules! dump {
    ($file:literal) => {
        Dump::new($file, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/observed/", $file)))
    };
}

fn one(dump: Dump) -> Observed {
    read(&[dump]).unwrap()
}

fn at(text: &str) -> Address {
    Address::parse(text).unwrap()
}

fn link(lanes: u8, generation: u8) -> Link {
    Link { lanes: Some(lanes), r#gen: Some(generation) }
}

/// All dumps of the folder.
fn all() -> Vec<Dump> {
    vec![
        dump!("amd-own-switch-quoted.txt"),
        dump!("blank-lines-x8.txt"),
        dump!("card-by-card.txt"),
        dump!("dmi-trx40.txt"),
        dump!("esc8000-2080-ti.txt"),
        dump!("filtered-grep.txt"),
        dump!("numbers-only.txt"),
        dump!("smi-a100-sxm4.xml"),
        dump!("smi-pro-6000.xml"),
        dump!("smi-q-text.txt"),
        dump!("smi-rtx-2080-windows.xml"),
        dump!("smi-rtx-3090.xml"),
        dump!("sxm-a100.txt"),
        dump!("topo-nvlink.txt"),
        dump!("topo-old-soc.txt"),
        dump!("topo-two-sockets.txt"),
        dump!("topo-uneven-cut.txt"),
        dump!("tree-named.txt"),
        dump!("tree-wrx80.txt"),
        dump!("without-root.txt"),
    ]
}

#[test]
fn addresses_are_read_in_all_lengths_and_nothing_else_is() {
    for (text, shown) in
        [("01:00.0", "01:00.0"), ("0000:c1:1f.7", "c1:1f.7"), ("00000000:4f:00.0", "4f:00.0"), ("10000:e1:00.0", "10000:e1:00.0")]
    {
        assert_eq!(at(text).to_string(), shown);
    }
    for text in ["12:30.5", "1:00.0", "01:00.8", "01:00", "00:01.2/01:00.0", "x1:00.0", "000:01:00.0", ""] {
        assert_eq!(Address::parse(text), None, "{text}");
    }
}

#[test]
fn a_card_with_its_own_switch_meets_the_slot_at_the_upstream_port() {
    let machine = one(dump!("amd-own-switch-quoted.txt"));
    let card = at("04:00.0");
    assert_eq!(machine.of_class(Class::Graphics), [card]);
    assert_eq!(machine.devices[&card].status, link(16, 4), "the chip shows the link inside the card");
    assert_eq!(machine.edge(card), at("02:00.0"));
    assert_eq!(machine.devices[&at("02:00.0")].status, link(4, 2));
    assert_eq!(machine.devices[&at("02:00.0")].capability, link(4, 4));
    assert!(machine.devices[&at("02:00.0")].slower && !machine.devices[&at("02:00.0")].narrower);
}

#[test]
fn blank_lines_and_lost_tabs_change_nothing() {
    let machine = one(dump!("blank-lines-x8.txt"));
    let port = &machine.devices[&at("00:01.0")];
    assert_eq!((port.port, port.capability, port.status), (Some(Port::Root), link(16, 3), link(8, 3)));
    assert!(port.narrower);
    assert_eq!(port.secondary, Some(1));
    assert_eq!(machine.devices[&at("00:02.0")].port, Some(Port::Integrated));
}

#[test]
fn functions_of_one_card_are_one_card() {
    let machine = one(dump!("esc8000-2080-ti.txt"));
    assert_eq!(machine.of_class(Class::Graphics), [at("1f:00.0"), at("20:00.0")]);
    let card = &machine.devices[&at("1f:00.0")];
    assert_eq!((card.capability, card.status, card.numa), (link(16, 3), link(16, 1), Some(0)));
    assert_eq!(card.subsystem.as_deref(), Some("Gigabyte Technology Co., Ltd Device"));
}

#[test]
fn windows_line_ends_and_encodings_are_understood() {
    let text = include_str!("../../../tests/data/observed/smi-rtx-2080-windows.xml").replace('\n', "\r\n");
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    for bytes in [text.into_bytes(), utf16] {
        let machine = one(Dump::new("log.xml", decode(&bytes)));
        assert_eq!(machine.gpus[0].name, "NVIDIA GeForce RTX 2080");
        assert_eq!(machine.gpus[0].current, link(8, 3));
    }
    assert_eq!(decode(b"Gr\xe9goire"), "Grégoire");
}

#[test]
fn filtered_text_is_not_trusted_where_it_is_ambiguous() {
    let filtered = one(dump!("filtered-grep.txt"));
    assert_eq!(filtered.devices[&at("01:00.0")].status, Link::default(), "whose of the two links it is cannot be told");
    assert_eq!(filtered.devices[&at("02:00.0")].status, link(8, 3));
    assert_eq!(filtered.remarks[0].line, 2);
    let plain = one(dump!("card-by-card.txt"));
    assert_eq!(plain.devices[&at("01:00.0")].status, link(8, 3));
    assert!(plain.remarks.is_empty(), "{:?}", plain.remarks);
}

#[test]
fn without_root_names_remain_and_the_remedy_is_named() {
    let machine = one(dump!("without-root.txt"));
    let card = &machine.devices[&at("01:00.0")];
    assert_eq!((card.vendor_id, card.device_id, card.class), (Some(0x10de), Some(0x2204), Some(Class::Graphics)));
    assert!(card.denied && card.status == Link::default());
    assert_eq!(machine.of_class(Class::Nvme), [at("02:00.0")]);
    assert_eq!(machine.processors, ["AMD Ryzen Threadripper 3970X 32-Core Processor"]);
    assert_eq!(
        machine.remarks[0].to_string(),
        "without-root.txt, line 6: lspci was not allowed to read the links of 3 devices; run it with sudo"
    );
}

#[test]
fn numbers_only_and_domains() {
    let machine = one(dump!("numbers-only.txt"));
    let card = &machine.devices[&at("01:00.0")];
    assert_eq!((card.class, card.vendor_id, card.device_id), (Some(Class::Graphics), Some(0x10de), Some(0x2b85)));
    assert_eq!(machine.of_class(Class::Nvme), [at("10000:e1:00.0")]);
}

#[test]
fn trees_tell_what_hangs_on_what() {
    let machine = one(dump!("tree-wrx80.txt"));
    assert_eq!(machine.ancestors(at("63:00.0")), [at("62:02.0"), at("61:00.0"), at("60:03.1")]);
    assert_eq!(machine.parent(at("42:00.1")), Some(at("40:03.1")));
    assert_eq!(machine.parent(at("21:00.0")), Some(at("20:01.1")));
    let named = one(dump!("tree-named.txt"));
    assert_eq!(named.ancestors(at("04:00.0")), [at("02:10.0"), at("01:00.0"), at("00:02.0")]);
    assert!(named.devices.contains_key(&at("00:1f.2")));
}

#[test]
fn matrices_in_every_shape() {
    let two = one(dump!("topo-two-sockets.txt")).topology.unwrap();
    assert_eq!(two.gpu_count(), 6);
    assert_eq!((two.gpus(0, 1), two.gpus(2, 0), two.gpus(5, 3)), (Some(Path::Pix), Some(Path::Node), Some(Path::Sys)));
    assert_eq!((two.numa[&0], two.numa[&5]), (0, 1));
    let old = one(dump!("topo-old-soc.txt")).topology.unwrap();
    assert_eq!((old.gpu_count(), old.names.len()), (4, 5));
    assert_eq!((old.gpus(0, 2), old.pairs[&(0, 4)]), (Some(Path::Pxb), Path::Sys));
    assert!(old.numa.is_empty());
    let nvlink = one(dump!("topo-nvlink.txt")).topology.unwrap();
    assert_eq!(nvlink.gpus(0, 3), Some(Path::NvLink(12)));
    assert_eq!(nvlink.numa[&3], 1);
}

#[test]
fn a_matrix_cut_short_keeps_what_it_has() {
    let machine = one(dump!("topo-uneven-cut.txt"));
    let topology = machine.topology.unwrap();
    assert_eq!((topology.gpus(0, 7), topology.gpus(2, 3)), (Some(Path::Sys), Some(Path::Pix)));
    assert_eq!(topology.gpus(6, 7), None, "unknown, not none");
    let lines: Vec<usize> = machine.remarks.iter().map(|r| r.line).collect();
    assert_eq!(lines, [5, 3], "{:?}", machine.remarks);
}

#[test]
fn logs_of_cards_give_links_power_and_memory() {
    let card = &one(dump!("smi-rtx-3090.xml")).gpus[0];
    assert_eq!((card.current, card.max_gen, card.max_lanes), (link(16, 1), Some(4), Some(16)));
    assert_eq!((card.power_limit_w, card.default_power_w), (Some(200.0), Some(350.0)));
    assert_eq!((card.memory_mib, card.pstate, card.address), (Some(24_576), Some(8), Some(at("00:10.0"))));
    let bare = &one(dump!("smi-pro-6000.xml")).gpus[0];
    assert_eq!((bare.name.as_str(), bare.current, bare.max_gen), ("NVIDIA RTX PRO 6000 Blackwell", Link::default(), None));
    let plain = one(dump!("smi-q-text.txt"));
    assert_eq!(plain.gpus.len(), 2);
    assert_eq!((plain.gpus[0].current, plain.gpus[0].max_gen, plain.gpus[0].host_gen), (link(4, 1), Some(4), Some(5)));
    assert_eq!((plain.gpus[0].memory_mib, plain.gpus[0].power_limit_w), (Some(24_564), Some(350.0)));
    assert_eq!((plain.gpus[1].current, plain.gpus[1].pstate), (link(16, 4), Some(0)));
}

#[test]
fn a_log_cut_short_keeps_the_cards_before_the_cut() {
    let text = include_str!("../../../tests/data/observed/smi-rtx-3090.xml");
    let (head, card) = text.split_once("<gpu ").unwrap();
    let card = format!("<gpu {}", card.split_once("</nvidia_smi_log>").unwrap().0);
    let second = card.replace("00:10.0", "00:11.0");
    let whole = format!("{head}{card}{second}");
    let machine = one(Dump::new("two.xml", whole.clone()));
    assert_eq!(machine.gpus.len(), 2);
    assert_eq!(machine.remarks[0].line, whole.lines().count() + 1, "{:?}", machine.remarks);
    let cut = whole.split_at(whole.rfind("<link_widths>").unwrap()).0;
    assert_eq!(one(Dump::new("cut.xml", cut)).gpus.len(), 2, "the generation of the second is there");
    let broken = whole.replacen("</product_name>", "</produkt>", 1);
    let machine = one(Dump::new("broken.xml", broken));
    assert!(machine.remarks[0].text.contains("is broken here"), "{:?}", machine.remarks);
}

#[test]
fn firmware_tells_board_memory_and_processor() {
    let machine = one(dump!("dmi-trx40.txt"));
    assert_eq!(machine.board, Some(BoardName { maker: "ASRock".into(), product: "TRX40 Creator".into() }));
    assert_eq!(machine.processors, ["AMD Ryzen Threadripper 3990X 64-Core Processor"]);
    assert_eq!((machine.modules.len(), machine.dimm_slots), (3, Some(4)));
    let module = &machine.modules[1];
    assert_eq!((module.size_mib, module.registered, module.speed_mt_s), (32_768, Some(false), Some(3200)));
    assert_eq!(module.maker, None, "\"Unknown\" is unknown");
}

#[test]
fn firmware_slots_carry_width_and_place() {
    let text = "Handle 0x0031, DMI type 9, 17 bytes\nSystem Slot Information\n\tDesignation: PCIEX16_1\n\tType: x8 PCI Express 3 x16\n\
                \tCurrent Usage: In Use\n\tBus Address: 0000:00:01.0\n\nSystem Slot Information\n\tDesignation: M2_1\n\tType: x4 M.2 Socket 3\n\
                \tCurrent Usage: Available\n\tBus Address: 0000:ff:00.0\n";
    let slots = one(Dump::new("slots", text)).slots;
    assert_eq!((slots[0].lanes, slots[0].r#gen, slots[0].in_use, slots[0].address), (Some(8), Some(3), Some(true), Some(at("00:01.0"))));
    assert_eq!((slots[1].lanes, slots[1].in_use, slots[1].address), (Some(4), Some(false), None));
}

#[test]
fn several_dumps_of_one_machine_come_together() {
    let lspci = Dump::new(
        "lspci",
        "06:00.0 VGA compatible controller: NVIDIA Corporation AD102 [GeForce RTX 4090] (rev a1)\n\tCapabilities: <access denied>\n",
    );
    let idle = dump!("smi-q-text.txt");
    let loaded = Dump::new("loaded", idle.text.replace("Current                   : 1", "Current                   : 4"));
    let machine = read(&[lspci, idle, loaded]).unwrap();
    let card = &machine.devices[&at("06:00.0")];
    assert_eq!(card.name, "NVIDIA Corporation AD102 [GeForce RTX 4090]");
    assert_eq!((card.status, card.capability), (link(4, 4), link(16, 4)), "the look under load counts");
    assert_eq!(machine.gpus.len(), 2);
    let other = Dump::new("other", "06:00.0 Ethernet controller [0200]: Intel Corporation X550 [8086:1563]\n");
    let named = Dump::new("named", "06:00.0 VGA compatible controller [0300]: NVIDIA Corporation AD102 [GeForce RTX 4090] [10de:2684]\n");
    let mixed = read(&[named, other]).unwrap();
    assert!(mixed.remarks[0].text.ends_with("Are these dumps of one machine?"), "{:?}", mixed.remarks);
}

#[test]
fn identifiers_are_not_kept() {
    let mut dumps = all();
    for dump in &mut dumps {
        dump.text =
            dump.text.replace("0000000000000", "1318273645546").replace("GPU-00000000", "GPU-5ec2e7a1").replace("00000000\n", "7e57ab1e\n");
    }
    let shown: String = dumps.into_iter().map(|d| format!("{:?}", one(d))).collect();
    for secret in ["1318273645546", "5ec2e7a1", "7e57ab1e"] {
        assert!(!shown.contains(secret), "{secret} was kept");
    }
}

#[test]
fn unusable_dumps_are_refused_by_file_and_line() {
    let say = |dump: Dump| read(&[dump]).unwrap_err()[0].to_string();
    let text = say(Dump::new("notes.txt", "\n\nDear all,\nplease find attached\n"));
    assert!(text.starts_with("notes.txt, line 3: \"Dear all,\" begins none of the texts"), "{text}");
    assert!(say(Dump::new("empty.txt", " \n")).starts_with("empty.txt: is empty."));
    assert!(say(Dump::new("big.txt", "x".repeat(LIMIT as usize + 1))).starts_with("big.txt: 16777217 bytes is more than"));
    assert!(read(&[]).is_err());
    assert!(say(Dump::new("times.txt", "12:10.5 error: late\n12:11.2 warning: slow\n")).starts_with("times.txt, line 1"));
}

mod cut_and_shuffled {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Cut anywhere, with bytes changed, lines dropped and files run together: never a panic, and cleaning what is clean changes nothing.
        #[test]
        fn mangled_dumps_never_panic(
            first in 0..20_usize,
            second in 0..20_usize,
            cut in 0..4000_usize,
            changes in prop::collection::vec((0..4000_usize, any::<char>()), 0..12),
            dropped in prop::collection::vec(0..60_usize, 0..6),
        ) {
            let dumps = all();
            let mut text: Vec<char> = dumps[first].text.chars().take(cut).chain(dumps[second].text.chars()).collect();
            for (place, sign) in changes {
                if !text.is_empty() {
                    let place = place % text.len();
                    text[place] = sign;
                }
            }
            let text: String = text.into_iter().collect();
            let kept: Vec<&str> = text.lines().enumerate().filter(|(n, _)| !dropped.contains(n)).map(|(_, l)| l).collect();
            let _ = read(&[Dump::new("mangled", kept.join("\n")), dumps[second].clone()]);
        }

        #[test]
        fn any_text_and_any_bytes_are_survived(text in ".{0,400}", bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = read(&[Dump::new("text", text.as_str())]);
            let _ = read(&[Dump::new("bytes", decode(&bytes))]);
            let _ = read(&[Dump::new("xml", format!("<nvidia_smi_log><gpu id=\"00000000:01:00.0\">{text}"))]);
            let _ = read(&[Dump::new("tree", format!("-[0000:00]-+-{text}"))]);
        }
    }
}
