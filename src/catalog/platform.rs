//! What the names of processors and chipsets tell: socket, generation, memory, the oldest PCIe a socket can have. Names are makers'
//! schemes, so a part that the catalog lacks can still be judged by them.

use super::part::{Board, Cpu, Part};
use super::vocab::{MemoryType, ModuleType, Socket};

/// A chipset, or for processors without one the class of their boards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chipset {
    pub name: &'static str,
    pub socket: Socket,
    /// Generation of processors that its boards start with as first sold.
    pub ships_for: u16,
    /// Newest generation that any BIOS for it serves.
    pub takes_to: u16,
    /// Oldest generation that it serves.
    pub takes_from: u16,
}

const fn chipset(name: &'static str, socket: Socket, takes_from: u16, ships_for: u16, takes_to: u16) -> Chipset {
    Chipset { name, socket, ships_for, takes_to, takes_from }
}

/// Chipsets by the name that boards carry. Generations are those of [`Processor::generation`].
///
/// Sources: AMD's and Intel's support tables, <https://www.amd.com/en/products/processors/chipsets/am4.html>,
/// <https://www.amd.com/en/products/processors/chipsets/am5.html>, <https://www.intel.com/content/www/us/en/support/articles/000005505/processors.html>.
const CHIPSETS: &[Chipset] = &[
    chipset("A320", Socket::Am4, 10, 10, 50),
    chipset("B350", Socket::Am4, 10, 10, 50),
    chipset("X370", Socket::Am4, 10, 10, 50),
    chipset("B450", Socket::Am4, 10, 20, 50),
    chipset("X470", Socket::Am4, 10, 20, 50),
    chipset("A520", Socket::Am4, 30, 30, 50),
    chipset("B550", Socket::Am4, 30, 30, 50),
    chipset("X570", Socket::Am4, 20, 30, 50),
    chipset("A620", Socket::Am5, 70, 70, 90),
    chipset("B650", Socket::Am5, 70, 70, 90),
    chipset("X670", Socket::Am5, 70, 70, 90),
    chipset("B840", Socket::Am5, 70, 90, 90),
    chipset("B850", Socket::Am5, 70, 90, 90),
    chipset("X870", Socket::Am5, 70, 90, 90),
    chipset("X399", Socket::Tr4, 10, 10, 20),
    chipset("TRX40", Socket::Strx4, 30, 30, 30),
    chipset("WRX80", Socket::Swrx8, 30, 30, 50),
    chipset("TRX50", Socket::Str5, 70, 70, 90),
    chipset("WRX90", Socket::Str5, 70, 70, 90),
    chipset("H61", Socket::Lga1155, 2, 2, 3),
    chipset("P67", Socket::Lga1155, 2, 2, 3),
    chipset("Z68", Socket::Lga1155, 2, 2, 3),
    chipset("B75", Socket::Lga1155, 2, 3, 3),
    chipset("H77", Socket::Lga1155, 2, 3, 3),
    chipset("Z77", Socket::Lga1155, 2, 3, 3),
    chipset("B85", Socket::Lga1150, 4, 4, 5),
    chipset("H81", Socket::Lga1150, 4, 4, 5),
    chipset("H87", Socket::Lga1150, 4, 4, 5),
    chipset("Z87", Socket::Lga1150, 4, 4, 4),
    chipset("H97", Socket::Lga1150, 4, 4, 5),
    chipset("Z97", Socket::Lga1150, 4, 4, 5),
    chipset("H110", Socket::Lga1151, 6, 6, 7),
    chipset("B150", Socket::Lga1151, 6, 6, 7),
    chipset("H170", Socket::Lga1151, 6, 6, 7),
    chipset("Z170", Socket::Lga1151, 6, 6, 7),
    chipset("B250", Socket::Lga1151, 6, 7, 7),
    chipset("H270", Socket::Lga1151, 6, 7, 7),
    chipset("Z270", Socket::Lga1151, 6, 7, 7),
    chipset("H310", Socket::Lga1151, 8, 8, 9),
    chipset("B360", Socket::Lga1151, 8, 8, 9),
    chipset("B365", Socket::Lga1151, 8, 9, 9),
    chipset("H370", Socket::Lga1151, 8, 8, 9),
    chipset("Z370", Socket::Lga1151, 8, 8, 9),
    chipset("Z390", Socket::Lga1151, 8, 9, 9),
    chipset("H410", Socket::Lga1200, 10, 10, 10),
    chipset("B460", Socket::Lga1200, 10, 10, 10),
    chipset("H470", Socket::Lga1200, 10, 10, 11),
    chipset("Z490", Socket::Lga1200, 10, 10, 11),
    chipset("W480", Socket::Lga1200, 10, 10, 11),
    chipset("H510", Socket::Lga1200, 10, 11, 11),
    chipset("B560", Socket::Lga1200, 10, 11, 11),
    chipset("H570", Socket::Lga1200, 10, 11, 11),
    chipset("Z590", Socket::Lga1200, 10, 11, 11),
    chipset("H610", Socket::Lga1700, 12, 12, 14),
    chipset("B660", Socket::Lga1700, 12, 12, 14),
    chipset("H670", Socket::Lga1700, 12, 12, 14),
    chipset("Z690", Socket::Lga1700, 12, 12, 14),
    chipset("W680", Socket::Lga1700, 12, 12, 14),
    chipset("B760", Socket::Lga1700, 12, 13, 14),
    chipset("H770", Socket::Lga1700, 12, 13, 14),
    chipset("Z790", Socket::Lga1700, 12, 13, 14),
    chipset("H810", Socket::Lga1851, 20, 20, 20),
    chipset("B860", Socket::Lga1851, 20, 20, 20),
    chipset("Z890", Socket::Lga1851, 20, 20, 20),
    chipset("W880", Socket::Lga1851, 20, 20, 20),
    chipset("X58", Socket::Lga1366, 1, 1, 1),
    chipset("X79", Socket::Lga2011, 3, 3, 4),
    chipset("X99", Socket::Lga2011v3, 5, 5, 6),
    chipset("X299", Socket::Lga2066, 7, 7, 10),
    chipset("C422", Socket::Lga2066, 7, 7, 10),
    chipset("C621A", Socket::Lga4189, 3, 3, 3),
    chipset("C621", Socket::Lga3647, 1, 1, 2),
    chipset("C622", Socket::Lga3647, 1, 1, 2),
    chipset("C741", Socket::Lga4677, 4, 4, 5),
    chipset("W790", Socket::Lga4677, 4, 4, 5),
    chipset("G41", Socket::Lga775, 0, 0, 0),
    chipset("P45", Socket::Lga775, 0, 0, 0),
    chipset("X48", Socket::Lga775, 0, 0, 0),
];

/// The chipset that a board's field or name tells; letters after it, as in B550M and X670E, belong to the board.
pub fn chipset_of(part: &Part, board: &Board) -> Option<&'static Chipset> {
    board.chipset.as_deref().and_then(chipset_in).or_else(|| chipset_in(&part.name))
}

/// The chipset named in a text.
pub fn chipset_in(text: &str) -> Option<&'static Chipset> {
    let words: Vec<String> = words(text).collect();
    let named = |c: &&Chipset, exact: bool| {
        words.iter().any(|w| {
            w.strip_prefix(c.name).is_some_and(|rest| {
                rest.is_empty()
                    || !exact && rest.len() <= 3 && rest.bytes().all(|b| matches!(b, b'M' | b'I' | b'E' | b'D' | b'F' | b'A' | b'T'))
            })
        })
    };
    CHIPSETS.iter().find(|c| named(c, true)).or_else(|| CHIPSETS.iter().find(|c| named(c, false)))
}

/// Words in capitals.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_ascii_uppercase)
}

/// What a processor's name tells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Processor {
    pub socket: Option<Socket>,
    /// Order of generations on one socket: Ryzen 1000 = 10, 5000 = 50; Core 12th = 12; Xeon Scalable first = 1.
    pub generation: Option<u16>,
    /// Fastest memory of this model, MT/s.
    pub memory_mt_s: Option<u32>,
    /// Fastest memory of its whole generation, MT/s.
    pub family_mt_s: Option<u32>,
    /// Largest registered module without load reduction that its generation was made for, GB.
    pub rdimm_gb: Option<f64>,
    pub memory_type: Option<MemoryType>,
    pub registered: Option<bool>,
    pub graphics: Option<bool>,
}

/// Reads a processor's name by its maker's scheme; what it does not tell stays unknown.
pub fn processor(name: &str) -> Processor {
    let words: Vec<String> = words(name).collect();
    let has = |w: &str| words.iter().any(|x| x == w);
    let model =
        |n: &str| words.iter().find(|w| w.starts_with(|c: char| c.is_ascii_digit()) && *w != n).map(String::as_str).unwrap_or_default();
    if has("EPYC") {
        return epyc(number(model("")));
    }
    if has("THREADRIPPER") {
        return threadripper(model(""));
    }
    if has("RYZEN") {
        // "Ryzen 7 2700X": the first number is the class.
        let number = words.iter().rev().find(|w| w.len() >= 4 && w.starts_with(|c: char| c.is_ascii_digit()));
        return number.map(|n| ryzen(n)).unwrap_or_default();
    }
    if has("XEON") {
        return xeon(&words);
    }
    if has("ULTRA") && (has("CORE") || has("5") || has("7") || has("9")) {
        let number = words.iter().find(|w| w.len() >= 3 && w.starts_with('2')).map(String::as_str).unwrap_or_default();
        return if number.is_empty() {
            Processor::default()
        } else {
            Processor {
                socket: Some(Socket::Lga1851),
                generation: Some(20),
                memory_type: Some(MemoryType::Ddr5),
                registered: Some(false),
                graphics: Some(!number.contains('F')),
                ..Processor::default()
            }
        };
    }
    let after = words.iter().position(|w| matches!(w.as_str(), "I3" | "I5" | "I7" | "I9")).and_then(|at| words.get(at + 1));
    after.map(|n| core(n)).unwrap_or_default()
}

/// The digits at the head of a word.
fn number(word: &str) -> u32 {
    word.split(|c: char| !c.is_ascii_digit()).next().and_then(|d| d.parse().ok()).unwrap_or(0)
}

fn ryzen(word: &str) -> Processor {
    let (digits, ending) = (number(word), word.trim_start_matches(|c: char| c.is_ascii_digit()));
    let thousand = (digits / 1000) as u16;
    let am4 = thousand <= 5;
    let with_graphics = ending.starts_with('G') || !am4 && !ending.starts_with('F') && thousand != 8;
    // Ryzen 2200G and 3400G are a generation older than their names.
    let generation = if ending.starts_with('G') && thousand == 3 { 20 } else { thousand * 10 };
    Processor {
        socket: Some(if am4 { Socket::Am4 } else { Socket::Am5 }),
        generation: Some(generation),
        memory_type: Some(if am4 { MemoryType::Ddr4 } else { MemoryType::Ddr5 }),
        registered: Some(false),
        graphics: Some(with_graphics),
        ..Processor::default()
    }
}

fn threadripper(word: &str) -> Processor {
    let (thousand, is_pro) = ((number(word) / 1000) as u16, word.contains('W'));
    // The WX of the first two generations is no Pro.
    let socket = match (thousand, is_pro) {
        (1 | 2, _) => Some(Socket::Tr4),
        (3, false) => Some(Socket::Strx4),
        (3 | 5, true) => Some(Socket::Swrx8),
        (7 | 9, _) => Some(Socket::Str5),
        _ => None,
    };
    let memory = if thousand >= 7 { MemoryType::Ddr5 } else { MemoryType::Ddr4 };
    Processor { socket, generation: Some(thousand * 10), memory_type: Some(memory), graphics: Some(false), ..Processor::default() }
}

fn epyc(digits: u32) -> Processor {
    let (family, generation) = (digits / 1000, (digits % 10) as u16);
    let server = Processor { registered: Some(true), graphics: Some(false), generation: Some(generation), ..Processor::default() };
    // Memory of a generation: AMD's product pages, EPYC 7001 2666, 7002 and 7003 3200, 9004 4800, 9005 6000 MT/s.
    match (family, generation) {
        (7, 1) => Processor {
            socket: Some(Socket::Sp3),
            memory_type: Some(MemoryType::Ddr4),
            family_mt_s: Some(2666),
            rdimm_gb: Some(32.0),
            ..server
        },
        (7, 2 | 3) => Processor {
            socket: Some(Socket::Sp3),
            memory_type: Some(MemoryType::Ddr4),
            family_mt_s: Some(3200),
            rdimm_gb: Some(64.0),
            ..server
        },
        (9, 4) => Processor { socket: Some(Socket::Sp5), memory_type: Some(MemoryType::Ddr5), family_mt_s: Some(4800), ..server },
        (9, 5) => Processor { socket: Some(Socket::Sp5), memory_type: Some(MemoryType::Ddr5), family_mt_s: Some(6400), ..server },
        (8, 4) => Processor { socket: Some(Socket::Sp6), memory_type: Some(MemoryType::Ddr5), family_mt_s: Some(4800), ..server },
        _ => Processor { generation: None, ..server },
    }
}

fn core(word: &str) -> Processor {
    let (digits, ending) = (number(word), word.trim_start_matches(|c: char| c.is_ascii_digit()));
    let generation = if digits >= 10_000 { digits / 1000 } else { digits / 100 / 10 } as u16;
    let is_workstation = ending.starts_with('X') && matches!(digits / 100, 78 | 79 | 98 | 99 | 109);
    let socket = match generation {
        _ if is_workstation => Some(Socket::Lga2066),
        5 | 6 if ending.starts_with('X') || digits % 100 == 20 || digits % 100 == 50 => Some(Socket::Lga2011v3),
        2 | 3 => Some(Socket::Lga1155),
        4 => Some(Socket::Lga1150),
        6..=9 => Some(Socket::Lga1151),
        10 | 11 => Some(Socket::Lga1200),
        12..=14 => Some(Socket::Lga1700),
        _ => None,
    };
    let memory_type = match generation {
        6..=11 => Some(MemoryType::Ddr4),
        2..=4 => Some(MemoryType::Ddr3),
        _ => None, // boards for 12th to 14th take one of two kinds
    };
    let none = ending.contains('F') || matches!(socket, Some(Socket::Lga2066 | Socket::Lga2011v3));
    Processor { socket, generation: Some(generation), memory_type, registered: Some(false), graphics: Some(!none), ..Processor::default() }
}

/// Xeon Scalable: the second digit is the generation, the first the class.
fn xeon(words: &[String]) -> Processor {
    let class = words.iter().find(|w| matches!(w.as_str(), "BRONZE" | "SILVER" | "GOLD" | "PLATINUM"));
    let model = words.iter().find(|w| w.len() >= 4 && w.starts_with(|c: char| c.is_ascii_digit())).map(|w| number(w));
    let (Some(class), Some(model)) = (class, model) else { return Processor::default() };
    let (series, generation) = (model / 1000, (model / 100 % 10) as u16);
    // Intel ARK: memory of classes and generations, and 16 Gbit chips from the second generation on.
    let (socket, kind, family, rdimm_gb) = match generation {
        1 => (Socket::Lga3647, MemoryType::Ddr4, 2666, Some(32.0)),
        2 => (Socket::Lga3647, MemoryType::Ddr4, 2933, Some(64.0)),
        3 => (Socket::Lga4189, MemoryType::Ddr4, 3200, Some(64.0)),
        4 => (Socket::Lga4677, MemoryType::Ddr5, 4800, None),
        5 => (Socket::Lga4677, MemoryType::Ddr5, 5600, None),
        _ => return Processor::default(),
    };
    let own = match (class.as_str(), series, generation) {
        ("BRONZE", _, 1 | 2) => Some(2133),
        ("SILVER", _, 1 | 2) | ("GOLD", 5, 1) => Some(2400),
        ("GOLD", 5, 2) => Some(2666),
        ("GOLD", 6, _) | ("PLATINUM", ..) => Some(family),
        _ => None,
    };
    Processor {
        socket: Some(socket),
        generation: Some(generation),
        memory_mt_s: own,
        family_mt_s: Some(family),
        rdimm_gb,
        memory_type: Some(kind),
        registered: Some(true),
        graphics: Some(false),
    }
}

/// Fills what a name tells into fields that are unknown.
pub fn complete_cpu(name: &str, cpu: &mut Cpu) {
    let told = processor(name);
    cpu.socket = cpu.socket.or(told.socket);
    cpu.memory_mt_s = cpu.memory_mt_s.or(told.memory_mt_s);
    cpu.registered = cpu.registered.or(told.registered);
    cpu.graphics = cpu.graphics.or(told.graphics);
    if cpu.memory_types.is_none() {
        cpu.memory_types = told.memory_type.map(|m| vec![m]);
    }
}

/// Newest PCIe generation that boards of a socket have. Later BIOS versions and bridge chips do not raise it.
///
/// Sources: Intel's and AMD's processor and chipset data sheets, addresses not recorded; AM4 with X570 and B550, LGA1200 with 11th generation.
pub const fn newest_pcie(socket: Socket) -> u8 {
    match socket {
        Socket::Lga775 | Socket::Lga1156 | Socket::Lga1366 | Socket::Am2 => 2,
        Socket::Lga1155
        | Socket::Lga1150
        | Socket::Lga1151
        | Socket::Lga2011
        | Socket::Lga2011v3
        | Socket::Lga2066
        | Socket::Lga3647
        | Socket::Fm2
        | Socket::Am3
        | Socket::Tr4 => 3,
        Socket::Lga1200 | Socket::Lga4189 | Socket::Am4 | Socket::Strx4 | Socket::Swrx8 | Socket::Sp3 => 4,
        Socket::Lga1700 | Socket::Lga1851 | Socket::Lga4677 | Socket::Lga4710 | Socket::Am5 | Socket::Str5 | Socket::Sp5 | Socket::Sp6 => 5,
    }
}

/// Memory generation of a socket's boards; `None` where they come with one of two.
pub const fn memory_of(socket: Socket) -> Option<MemoryType> {
    match socket {
        Socket::Lga1700 | Socket::Lga775 | Socket::Am2 => None,
        Socket::Lga1150 | Socket::Lga1155 | Socket::Lga1156 | Socket::Lga1366 | Socket::Lga2011 | Socket::Am3 | Socket::Fm2 => {
            Some(MemoryType::Ddr3)
        }
        Socket::Lga1151
        | Socket::Lga1200
        | Socket::Lga2011v3
        | Socket::Lga2066
        | Socket::Lga3647
        | Socket::Lga4189
        | Socket::Am4
        | Socket::Tr4
        | Socket::Strx4
        | Socket::Swrx8
        | Socket::Sp3 => Some(MemoryType::Ddr4),
        Socket::Lga1851 | Socket::Lga4677 | Socket::Lga4710 | Socket::Am5 | Socket::Str5 | Socket::Sp5 | Socket::Sp6 => {
            Some(MemoryType::Ddr5)
        }
    }
}

/// Modules that every board of a socket takes; `None` where boards differ.
pub fn modules_of(socket: Socket) -> Option<Vec<ModuleType>> {
    match socket {
        Socket::Lga3647 | Socket::Lga4189 | Socket::Sp3 | Socket::Sp5 | Socket::Sp6 => Some(vec![ModuleType::Rdimm, ModuleType::Lrdimm]),
        Socket::Str5 => Some(vec![ModuleType::Rdimm]),
        Socket::Swrx8 | Socket::Lga4677 | Socket::Lga4710 | Socket::Lga2011 | Socket::Lga2011v3 | Socket::Lga1366 => None,
        _ => Some(vec![ModuleType::Udimm]),
    }
}

/// Sockets of desktop computers, whose boards are sold to be built at home.
pub const fn is_desktop(socket: Socket) -> bool {
    matches!(
        socket,
        Socket::Lga1150
            | Socket::Lga1151
            | Socket::Lga1155
            | Socket::Lga1156
            | Socket::Lga1200
            | Socket::Lga1700
            | Socket::Lga1851
            | Socket::Lga775
            | Socket::Am2
            | Socket::Am3
            | Socket::Fm2
            | Socket::Am4
            | Socket::Am5
    )
}

/// A socket as people write it: "LGA 775", "Socket AM4", "sTR4".
pub fn socket_in(text: &str) -> Option<Socket> {
    let plain = |t: &str| t.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect::<String>();
    let wanted = plain(text);
    let wanted = wanted.strip_prefix("SOCKET").unwrap_or(&wanted);
    let other = match wanted {
        "STR4" => Some(Socket::Tr4),
        "TRX4" => Some(Socket::Strx4),
        "TR5" => Some(Socket::Str5),
        "WRX8" => Some(Socket::Swrx8),
        "AM3" if text.contains('+') => Some(Socket::Am3),
        "AM3" | "AM2" => Some(Socket::Am2),
        "FM1" | "FM2" => Some(Socket::Fm2),
        "LGA20113" => Some(Socket::Lga2011v3),
        _ => None,
    };
    other.or_else(|| Socket::ALL.iter().copied().find(|s| plain(s.text()) == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_processors() {
        for (name, socket, generation, graphics) in [
            ("Ryzen 7 2700X", Socket::Am4, 20, false),
            ("AMD Ryzen 9 5950X", Socket::Am4, 50, false),
            ("Ryzen 7 5800X3D", Socket::Am4, 50, false),
            ("Ryzen 5 3400G", Socket::Am4, 20, true),
            ("Ryzen 9 7950X", Socket::Am5, 70, true),
            ("Ryzen 5 7500F", Socket::Am5, 70, false),
            ("Core i5-12400F", Socket::Lga1700, 12, false),
            ("Intel Core i9-14900K", Socket::Lga1700, 14, true),
            ("Core i7-6700K", Socket::Lga1151, 6, true),
            ("Core i9-10980XE", Socket::Lga2066, 10, false),
            ("Core i9-10900K", Socket::Lga1200, 10, true),
            ("Core i7-5820K", Socket::Lga2011v3, 5, false),
            ("Core Ultra 9 285K", Socket::Lga1851, 20, true),
            ("AMD Ryzen Threadripper PRO 5975WX", Socket::Swrx8, 50, false),
            ("Ryzen Threadripper 3970X", Socket::Strx4, 30, false),
            ("Threadripper 2990WX", Socket::Tr4, 20, false),
            ("EPYC 7302P", Socket::Sp3, 2, false),
            ("Xeon Bronze 3104", Socket::Lga3647, 1, false),
            ("Xeon Gold 6248", Socket::Lga3647, 2, false),
        ] {
            let told = processor(name);
            assert_eq!((told.socket, told.generation, told.graphics), (Some(socket), Some(generation), Some(graphics)), "{name}");
        }
        assert_eq!(processor("Xeon Bronze 3104").memory_mt_s, Some(2133));
        assert_eq!(processor("a CPU"), Processor::default());
    }

    #[test]
    fn names_of_boards() {
        for (name, chipset, socket) in [
            ("MSI MAG B550M Mortar", "B550", Socket::Am4),
            ("MSI B450 TOMAHAWK MAX", "B450", Socket::Am4),
            ("ASUS ROG Crosshair X670E Extreme", "X670", Socket::Am5),
            ("Gigabyte X470 AORUS Gaming 7 WIFI", "X470", Socket::Am4),
            ("ASUS WS C621E SAGE", "C621", Socket::Lga3647),
            ("Supermicro C621A board", "C621A", Socket::Lga4189),
            ("Gigabyte GA-G41MT-S2PT", "G41", Socket::Lga775),
        ] {
            let found = chipset_in(name).map(|c| (c.name, c.socket));
            assert_eq!(found, Some((chipset, socket)), "{name}");
        }
        assert_eq!(chipset_in("a board"), None);
        assert_eq!(socket_in("LGA 775"), Some(Socket::Lga775));
        assert_eq!(socket_in("sTR4"), Some(Socket::Tr4));
        assert_eq!(socket_in("LGA2011-3"), Some(Socket::Lga2011v3));
    }
}
