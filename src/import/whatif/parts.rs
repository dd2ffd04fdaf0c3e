//! Parts of a described build: what the catalog has under that name, with the stated facts over it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::keys::{Keys, list, number};
use super::names;
use crate::catalog::Catalog;
use crate::catalog::kinds::KINDS;
use crate::catalog::load::kind_table;
use crate::catalog::part::{
    Board, Case, Connector, Cooler, Cpu, Drive, Gpu, Part, PartId, PartKind, Plugs, Provenance, Psu, Radiator, Ram, Riser, Source,
};
use crate::catalog::platform;
use crate::catalog::vocab::{
    Confidence, ConnectorKind, CoolerKind, DriveBus, DriveForm, Edge, FormFactor, GpuForm, GpuVendor, ModuleType, Plug, Rails,
};

/// Key of the source that stated facts carry.
const STATED: &str = "stated";

/// Makes parts and remembers what is to be said about them.
pub(super) struct Maker<'c> {
    pub catalog: &'c Catalog,
    pub made: Vec<Part>,
    pub notes: Vec<String>,
}

impl<'c> Maker<'c> {
    /// The part with its facts changed; the same part if nothing was.
    fn over(&mut self, base: Option<&Part>, name: &str, kind: PartKind) -> PartId {
        if let Some(base) = base.filter(|b| b.kind == kind) {
            return base.id.clone();
        }
        let id = PartId::new(&format!("{}.described.{}", kind.key(), self.made.len() + 1));
        let mut part = base.cloned().unwrap_or_else(|| Part::bare(id.clone(), name, kind.clone()));
        part.id = id.clone();
        name.clone_into(&mut part.name);
        if !part.maker.as_deref().is_some_and(|m| name.starts_with(m)) {
            part.maker = None;
        }
        let before = base.and_then(|b| kind_table(&b.kind).ok()).unwrap_or_default();
        let now = kind_table(&kind).unwrap_or_default();
        for (field, value) in &now {
            if before.get(field) != Some(value) {
                let origin = Provenance { source: STATED.to_owned(), as_of: "2026".to_owned(), confidence: Confidence::Judgement };
                part.from.insert(field.clone(), origin);
            }
        }
        part.from.retain(|field, _| now.contains_key(field));
        part.sources.insert(STATED.to_owned(), Source { title: "As stated in the case".to_owned(), url: None, date: None });
        part.kind = kind;
        self.made.push(part);
        id
    }

    fn named(&self, kind: &str, name: Option<&str>) -> Option<&'c Part> {
        names::find(self.catalog, kind, name?)
    }

    pub(super) fn part(&self, id: &PartId) -> Option<&Part> {
        self.made.iter().find(|p| p.id == *id).or_else(|| self.catalog.part(id))
    }

    pub(super) fn gpu(&mut self, keys: &Keys<'_>) -> PartId {
        let name = keys.name();
        let found = name.and_then(|n| names::card(self.catalog, n));
        let mut gpu = match found.map(|(p, exact)| (&p.kind, exact)) {
            Some((PartKind::Gpu(g), true)) => g.clone(),
            Some((PartKind::Gpu(g), false)) => without_body(g),
            _ => Gpu { form: Some(GpuForm::Card), vendor: name.and_then(vendor), ..Gpu::default() },
        };
        let set = |old: Option<f64>, names: &[&str]| keys.number(names).or(old);
        gpu.tdp_w = set(gpu.tdp_w, &["power_w", "tdp_w", "watts", "board_power_w", "tgp_w"]);
        gpu.length_mm = set(gpu.length_mm, &["length_mm", "length"]);
        gpu.height_mm = set(gpu.height_mm, &["height_mm", "height"]);
        gpu.memory_gb = set(gpu.memory_gb, &["memory_gb", "vram_gb", "memory"]);
        if let Some(n) = name.and_then(|n| names::words(n).iter().find_map(|w| w.strip_suffix("gb")?.parse::<f64>().ok())) {
            // "RTX 3080 20GB"
            gpu.memory_gb = keys.number(&["memory_gb", "vram_gb", "memory"]).or(Some(n));
        }
        if let Some(slots) = keys.number(&["slots", "slot_width", "width_slots"]) {
            gpu.slots = Some(slots);
            gpu.thickness_mm = None;
        }
        gpu.thickness_mm = set(gpu.thickness_mm, &["thickness_mm"]);
        gpu.cooler = keys.text(&["cooler", "cooling"]).and_then(names::gpu_cooler).or(gpu.cooler);
        let stated = keys.get(&["connector", "connectors", "plug", "plugs", "power_connector", "power_connectors"]);
        gpu.plugs = stated.and_then(plugs_of).or(gpu.plugs.take());
        if gpu.plugs.is_none() && gpu.tdp_w.is_some_and(|w| w <= 75.0) {
            gpu.plugs = Some(Vec::new());
        }
        let text = |names: &[&str]| keys.get(names).map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned));
        gpu.compute_capability = text(&["compute_capability", "compute", "sm", "cc"]).or(gpu.compute_capability.take());
        gpu.last_cuda = text(&["last_cuda"]).or(gpu.last_cuda.take());
        gpu.segment = text(&["segment"]).or(gpu.segment.take());
        gpu.nvlink = text(&["nvlink"]).or(gpu.nvlink.take());
        if let Some(p2p) = keys.get(&["p2p"]) {
            gpu.p2p = Some(
                p2p.as_bool().map_or_else(|| p2p.as_str().unwrap_or_default().to_owned(), |on| if on { "PCIe" } else { "no" }.to_owned()),
            );
        }
        gpu.bar_gb = set(gpu.bar_gb, &["bar_gb"]);
        let (generation, lanes) = link(text(&["pcie", "interface", "link"]).as_deref().unwrap_or_default());
        gpu.pcie_gen = keys.count(&["pcie_gen", "gen"]).or(generation).or(gpu.pcie_gen);
        gpu.pcie_lanes = keys.count(&["pcie_lanes", "lanes"]).or(lanes).or(gpu.pcie_lanes);
        if keys.get(&["site_length_mm", "catalogue_length_mm"]).is_some() {
            self.notes.push("another length of the card is stated by a site: the maker's counts".to_owned());
        }
        self.over(found.map(|f| f.0), name.unwrap_or("a card"), PartKind::Gpu(gpu))
    }

    /// A card of which only its link is told: "gen4 x16".
    pub(super) fn link_card(&mut self, text: &str) -> PartId {
        let (generation, lanes) = link(text);
        let gpu = Gpu { form: Some(GpuForm::Card), pcie_gen: generation, pcie_lanes: lanes.or(Some(16)), ..Gpu::default() };
        self.over(None, "a card", PartKind::Gpu(gpu))
    }

    pub(super) fn cpu(&mut self, keys: &Keys<'_>) -> PartId {
        let name = keys.name();
        let found = self.named("cpu", name);
        let mut cpu = match found.map(|p| &p.kind) {
            Some(PartKind::Cpu(c)) => c.clone(),
            _ => Cpu::default(),
        };
        platform::complete_cpu(name.unwrap_or_default(), &mut cpu);
        cpu.tdp_w = keys.number(&["tdp_w", "power_w", "watts"]).or(cpu.tdp_w);
        let whole = |names: &[&str]| keys.number(names).map(|n| n as u16);
        cpu.cores = whole(&["cores"]).or(cpu.cores);
        cpu.threads = whole(&["threads"]).or(cpu.threads);
        cpu.pcie_lanes = whole(&["pcie_lanes", "lanes"]).or(cpu.pcie_lanes);
        cpu.memory_mt_s = keys.number(&["memory_mt_s", "max_mt_s"]).map(|n| n as u32).or(cpu.memory_mt_s);
        cpu.memory_max_gb = keys.number(&["memory_max_gb"]).or(cpu.memory_max_gb);
        cpu.socket = keys.text(&["socket"]).and_then(platform::socket_in).or(cpu.socket);
        if let Some(graphics) = keys.get(&["igpu", "graphics", "integrated_graphics", "integratedGraphics"]) {
            cpu.graphics = match graphics {
                Value::Null => Some(false),
                Value::Bool(on) => Some(*on),
                other => Some(!other.as_str().is_some_and(|t| matches!(t.to_lowercase().as_str(), "none" | "no" | ""))),
            };
        }
        self.over(found, name.unwrap_or("a CPU"), PartKind::Cpu(cpu))
    }

    pub(super) fn psu(&mut self, keys: &Keys<'_>) -> PartId {
        let name = keys.name();
        let found = self.named("psu", name);
        let mut psu = match found.map(|p| &p.kind) {
            Some(PartKind::Psu(s)) => s.clone(),
            _ => Psu::default(),
        };
        psu.watts = keys.number(&["watts", "w", "rated_w", "power_w", "capacity_w"]).or(psu.watts);
        let text = |names: &[&str]| keys.get(names).map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned));
        psu.atx_version = text(&["atx", "atx_version"]).or(psu.atx_version.take());
        psu.length_mm = keys.number(&["length_mm", "length"]).or(psu.length_mm);
        psu.hpwr_w = keys.number(&["hpwr_w", "hpwr_rating_w"]).or(psu.hpwr_w);
        psu.efficiency =
            keys.text(&["tier", "efficiency", "rating", "certificate"]).or(name).and_then(names::efficiency).or(psu.efficiency);
        let form = keys.text(&["form", "form_factor"]);
        psu.form =
            form.and_then(|f| crate::catalog::vocab::PsuForm::ALL.iter().copied().find(|p| p.text().eq_ignore_ascii_case(f))).or(psu.form);
        Self::supply_leads(keys, &mut psu);
        if let Some(rails) = keys.get(&["rails", "rail"]) {
            set_rails(rails, &mut psu);
        }
        psu.rail_a = keys.number(&["rail_a", "rail_amps", "amps_per_rail"]).or(psu.rail_a);
        if psu.rail_a.is_some() && psu.rails.is_none() {
            psu.rails = Some(Rails::Several);
        }
        self.over(found, name.unwrap_or("the supply"), PartKind::Psu(psu))
    }

    /// Plugs and the leads that carry them.
    fn supply_leads(keys: &Keys<'_>, psu: &mut Psu) {
        let leads = keys.count(&["pcie_cables", "pcie_leads", "cables"]);
        let each = keys.count(&["plugs_per_cable", "plugs_per_lead"]);
        let counts = [
            (Plug::Eps8, keys.count(&["eps", "eps_8pin", "eps8"])),
            (Plug::Pcie8, keys.count(&["pcie_8pin", "pcie8", "pcie", "pcie_6plus2"]).or_else(|| leads?.checked_mul(each.unwrap_or(1)))),
            (Plug::Pcie6, keys.count(&["pcie_6pin", "pcie6"])),
            (Plug::Hpwr16, keys.count(&["hpwr", "12vhpwr", "pcie_16pin", "pcie_12vhpwr"])),
            (Plug::Hpwr2x6, keys.count(&["12v_2x6", "pcie_12v2x6"])),
        ];
        if counts.iter().any(|(_, n)| n.is_some()) {
            let mut plugs = psu.plugs.take().unwrap_or_default();
            for (plug, count) in counts.into_iter().filter_map(|(p, n)| Some((p, n?))) {
                plugs.retain(|p| p.plug != plug);
                plugs.push(Plugs { plug, count });
            }
            plugs.retain(|p| p.count > 0);
            psu.plugs = Some(plugs);
        }
        psu.pcie_leads = leads.or(psu.pcie_leads);
    }

    pub(super) fn board(&mut self, keys: &Keys<'_>) -> PartId {
        let name = keys.name();
        let found = self.named("board", name);
        let mut board = match found.map(|p| &p.kind) {
            Some(PartKind::Board(b)) => b.clone(),
            _ => Board::default(),
        };
        let stated = keys.text(&["true_socket"]).or_else(|| keys.text(&["socket"])).or_else(|| keys.text(&["catalogue_socket"]));
        let stated = stated.and_then(platform::socket_in);
        board.chipset = keys.text(&["chipset"]).map(str::to_owned).or(board.chipset.take());
        let chipset = board.chipset.as_deref().and_then(platform::chipset_in).or_else(|| platform::chipset_in(name.unwrap_or_default()));
        if found.is_none() {
            board.chipset = board.chipset.take().or(chipset.map(|c| c.name.to_owned()));
        }
        // A chipset has one socket: where a catalogue says another, the catalogue errs.
        let socket = chipset.map(|c| c.socket).or(stated).or(board.socket);
        if let (Some(chipset), Some(stated)) = (chipset, keys.text(&["catalogue_socket", "socket"]).and_then(platform::socket_in))
            && stated != chipset.socket
        {
            self.notes.push(format!("the catalogue's socket {stated} cannot be: {} is a chipset for {}", chipset.name, chipset.socket));
        }
        board.socket = if found.is_some() { stated.filter(|_| chipset.is_none()).or(board.socket) } else { socket };
        if let Some(socket) = board.socket.filter(|_| found.is_none()) {
            board.memory_type = platform::memory_of(socket);
            board.module_types = platform::modules_of(socket);
        }
        board.form_factor = keys.text(&["form", "form_factor"]).and_then(names::form).or(board.form_factor);
        board.depth_mm = keys.number(&["width_mm", "depth_mm", "board_width_mm"]).or(board.depth_mm);
        board.eps_plugs = keys.count(&["eps_needed", "eps", "eps_plugs"]).or(board.eps_plugs);
        board.dimm_slots = keys.count(&["dimm_slots"]).or(board.dimm_slots);
        board.sata_ports = keys.count(&["sata_ports"]).or(board.sata_ports);
        board.ecc = keys.flag(&["ecc", "ecc_support"]).or(board.ecc);
        board.above_4g = keys.flag(&["above_4g"]).or(board.above_4g);
        board.flash_button = keys.flag(&["flash_button", "flashback", "bios_flashback"]).or(board.flash_button);
        board.ready_for = keys.text(&["label", "ready_for", "box_label"]).map(str::to_owned).or(board.ready_for.take());
        if keys.flag(&["bmc", "ipmi"]) == Some(true) {
            board.lan = Some("IPMI".to_owned());
        }
        if let Some(kind) = keys.text(&["memory_type", "ram_type"]).map(names::memory) {
            board.memory_type = kind.memory.or(board.memory_type);
        }
        board.memory_max_gb = keys.number(&["memory_max_gb"]).or(board.memory_max_gb);
        for slot in keys.get(&["catalogue_slot", "catalogue_slots"]).map(list).unwrap_or_default() {
            let (generation, lanes) = link(slot.as_str().unwrap_or_default());
            board.connectors.push(slot_of(board.connectors.len() + 1, lanes, generation, None));
        }
        for slot in keys.get(&["slots", "pcie_slots"]).map(list).unwrap_or_default() {
            push_slot(&mut board, slot.as_str().unwrap_or_default());
        }
        self.over(found, name.unwrap_or("a board"), PartKind::Board(board))
    }

    /// The board as it is, with slots for `cards` if it has none of its own.
    pub(super) fn with_slots(&mut self, id: &PartId, slots: &[String], openings: &[Option<u8>]) -> PartId {
        let Some(part) = self.part(id).cloned() else { return id.clone() };
        let PartKind::Board(mut board) = part.kind.clone() else { return id.clone() };
        let own = board.connectors.iter().filter(|c| c.kind == ConnectorKind::Pcie).count();
        if own > 0 && slots.is_empty() {
            return id.clone();
        }
        if !slots.is_empty() {
            board.connectors.retain(|c| c.kind != ConnectorKind::Pcie);
            for text in slots {
                push_slot(&mut board, text);
            }
        }
        let here = board.connectors.iter().filter(|c| c.kind == ConnectorKind::Pcie).count();
        for n in here..openings.len() {
            board.connectors.push(slot_of(n + 1, None, None, None));
        }
        let places = board.connectors.iter_mut().filter(|c| c.kind == ConnectorKind::Pcie);
        for (connector, opening) in places.zip(openings) {
            connector.opening = *opening;
        }
        self.over(Some(&part), &part.name, PartKind::Board(board))
    }

    pub(super) fn ram(&mut self, keys: &Keys<'_>) -> PartId {
        let name = keys.name();
        let found = self.named("ram", name);
        let told = names::memory(name.unwrap_or_default());
        let mut ram = match found.map(|p| &p.kind) {
            Some(PartKind::Ram(r)) => r.clone(),
            _ => Ram {
                memory_type: told.memory,
                module_type: told.module,
                speed_mt_s: told.speed,
                modules: told.modules,
                gb_per_module: told.each_gb,
                ..Ram::default()
            },
        };
        let kind = keys.text(&["type", "memory_type", "module_type", "kind"]).map(names::memory).unwrap_or_default();
        ram.memory_type = kind.memory.or(ram.memory_type);
        ram.module_type = kind.module.or(ram.module_type);
        ram.speed_mt_s = keys.number(&["speed_mt_s", "mt_s", "speed"]).map(|s| s as u32).or(kind.speed).or(ram.speed_mt_s);
        ram.height_mm = keys.number(&["height_mm", "height"]).or(ram.height_mm);
        ram.modules = keys.count(&["modules", "sticks", "dimms"]).or(ram.modules);
        ram.gb_per_module = keys.number(&["gb_per_module", "module_gb"]).or(ram.gb_per_module);
        if let Some(total) = keys.number(&["gb", "capacity_gb", "size_gb", "total_gb"]) {
            let modules = ram.modules.unwrap_or(1).max(1);
            (ram.modules, ram.gb_per_module) = (Some(modules), Some(total / f64::from(modules)));
        }
        if keys.flag(&["registered"]) == Some(true) {
            ram.module_type = Some(ModuleType::Rdimm);
        } else if keys.flag(&["ecc"]) == Some(true) && matches!(ram.module_type, None | Some(ModuleType::Udimm)) {
            ram.module_type = Some(ModuleType::EccUdimm);
        }
        if ram.gb_per_module.is_some() && ram.modules.is_none() {
            ram.modules = Some(1);
        }
        self.over(found, name.unwrap_or("the memory"), PartKind::Ram(ram))
    }

    pub(super) fn cooler(&mut self, keys: &Keys<'_>) -> PartId {
        let name = keys.name();
        let found = self.named("cooler", name);
        let mut cooler = match found.map(|p| &p.kind) {
            Some(PartKind::Cooler(c)) => c.clone(),
            _ => Cooler::default(),
        };
        cooler.radiator_mm = keys.number(&["radiator_mm", "radiator"]).or(cooler.radiator_mm);
        cooler.radiator_thickness_mm = keys.number(&["radiator_thickness_mm", "thickness_mm"]).or(cooler.radiator_thickness_mm);
        cooler.height_mm = keys.number(&["height_mm", "height"]).or(cooler.height_mm);
        cooler.tdp_w = keys.number(&["tdp_w", "capacity_w"]).or(cooler.tdp_w);
        cooler.ram_clearance_mm = keys.number(&["ram_front_mm", "ram_clearance_mm", "ram_mm"]).or(cooler.ram_clearance_mm);
        cooler.ram_clearance_raised_mm = keys.number(&["ram_front_raised_mm", "ram_raised_mm"]).or(cooler.ram_clearance_raised_mm);
        // The front fan stands over the modules, the rear one over fewer.
        let _ = keys.number(&["ram_rear_mm"]);
        if found.is_none() {
            let water = cooler.radiator_mm.is_some();
            cooler.kind = Some(if water { CoolerKind::Aio } else { CoolerKind::Tower });
        }
        self.over(found, name.unwrap_or("the cooler"), PartKind::Cooler(cooler))
    }

    pub(super) fn case(&mut self, keys: &Keys<'_>, supplies: u8, drives: u8) -> PartId {
        let name = keys.name();
        let found = self.named("case", name);
        let mut case = match found.map(|p| &p.kind) {
            Some(PartKind::Case(c)) => c.clone(),
            _ => Case { kind: name.and_then(names::case_kind), ..Case::default() },
        };
        let set = |old: Option<f64>, names: &[&str]| keys.number(names).or(old);
        case.max_gpu_length_mm = set(case.max_gpu_length_mm, &["max_gpu_mm", "max_gpu_length_mm", "gpu_clearance_mm"]);
        case.max_gpu_length_radiator_mm = set(
            case.max_gpu_length_radiator_mm,
            &["max_gpu_with_front_radiator_mm", "max_gpu_length_radiator_mm", "max_gpu_with_radiator_mm"],
        );
        case.max_cooler_height_mm = set(case.max_cooler_height_mm, &["max_cooler_mm", "max_cooler_height_mm"]);
        case.max_psu_length_mm = set(case.max_psu_length_mm, &["max_psu_mm", "max_psu_length_mm"]);
        case.max_psu_length_cage_mm =
            set(case.max_psu_length_cage_mm, &["max_psu_with_hdd_cage_mm", "max_psu_with_cage_mm", "max_psu_length_cage_mm"]);
        let width = &["eatx_max_width_mm", "max_board_width_mm", "max_board_mm", "max_board_depth_mm"];
        case.max_board_depth_mm = set(case.max_board_depth_mm, width);
        case.expansion_slots = keys.count(&["expansion_slots", "slots"]).or(case.expansion_slots);
        case.kind = keys.text(&["kind", "type"]).and_then(names::case_kind).or(case.kind);
        if let Some(forms) = keys.get(&["forms", "board_forms", "supported_forms"]) {
            let forms: Vec<FormFactor> = list(forms).iter().filter_map(|f| names::form(f.as_str()?)).collect();
            case.board_forms = Some(forms);
        }
        let sides = [
            (Edge::Bottom, &["bottom_radiator"][..]),
            (Edge::Top, &["top_radiator"]),
            (Edge::Front, &["front_radiator"]),
            (Edge::Side, &["side_radiator"]),
            (Edge::Rear, &["rear_radiator"]),
        ];
        for (edge, names) in sides {
            let sizes: Vec<u16> =
                keys.get(names).map(list).unwrap_or_default().iter().filter_map(|v| number(v)).map(|n| n as u16).collect();
            add_radiator(&mut case, edge, &sizes);
        }
        if let Some(all) = keys.get(&["radiators"]).and_then(Value::as_object) {
            for (side, sizes) in all {
                let sizes: Vec<u16> = list(sizes).iter().filter_map(|v| number(v)).map(|n| n as u16).collect();
                for edge in names::edges(side) {
                    add_radiator(&mut case, edge, &sizes);
                }
            }
        }
        if supplies > case.psu_count.unwrap_or(1) {
            case.psu_count = Some(supplies);
        }
        if drives > case.bays_35.unwrap_or(0) {
            case.bays_35 = Some(drives);
        }
        self.over(found, name.unwrap_or("the case"), PartKind::Case(case))
    }

    pub(super) fn riser(&mut self, keys: &Keys<'_>) -> PartId {
        let name = keys.name();
        let found = self.named("riser", name);
        let mut riser = match found.map(|p| &p.kind) {
            Some(PartKind::Riser(r)) => r.clone(),
            _ => Riser { input: Some(ConnectorKind::Pcie), ..Riser::default() },
        };
        let rated = keys.text(&["rated", "rating"]).or(name).unwrap_or_default();
        let (generation, lanes) = link(rated.split(" or ").next().unwrap_or(rated));
        riser.pcie_gen = keys.count(&["gen", "pcie_gen"]).or(generation).or(riser.pcie_gen);
        riser.pcie_lanes = keys.count(&["lanes", "pcie_lanes"]).or(lanes).or(riser.pcie_lanes).or(generation.map(|_| 16));
        let length = keys.number(&["length_mm"]).or_else(|| keys.number(&["length_cm"]).map(|c| c * 10.0));
        riser.length_mm = length.or(riser.length_mm);
        self.over(found, name.unwrap_or("the riser"), PartKind::Riser(riser))
    }

    /// A drive by words: "PCIe SSD", "SATA SSD", "3.5-inch disk".
    pub(super) fn drive(&mut self, text: &str, in_m2: bool) -> PartId {
        let words = names::words(text);
        let has = |w: &[&str]| words.iter().any(|x| w.contains(&x.as_str()));
        let sata = has(&["sata"]) || !in_m2 && !has(&["nvme", "pcie", "m2"]);
        let rotating = has(&["hdd", "disk", "rpm"]) || text.contains("3.5");
        let form = match (in_m2, rotating) {
            (true, _) => DriveForm::M2_2280,
            (false, true) => DriveForm::Inch35,
            (false, false) => DriveForm::Inch25,
        };
        let drive = Drive {
            form: Some(form),
            bus: Some(if sata { DriveBus::Sata } else { DriveBus::Nvme }),
            pcie_gen: (!sata).then_some(4),
            pcie_lanes: (!sata).then_some(4),
            rotating: Some(rotating),
            ..Drive::default()
        };
        self.over(None, if text.is_empty() { "a drive" } else { text }, PartKind::Drive(drive))
    }
}

fn add_radiator(case: &mut Case, edge: Edge, sizes: &[u16]) {
    if sizes.is_empty() {
        return;
    }
    let all = case.radiators.get_or_insert_with(Vec::new);
    match all.iter_mut().find(|r| r.edge == edge) {
        Some(known) => known.sizes_mm.extend(sizes.iter().filter(|s| !known.sizes_mm.contains(s)).copied().collect::<Vec<_>>()),
        None => all.push(Radiator { edge, sizes_mm: sizes.to_vec() }),
    }
}

/// What one maker's model adds to its product is not known of another's.
fn without_body(gpu: &Gpu) -> Gpu {
    Gpu {
        length_mm: None,
        height_mm: None,
        thickness_mm: None,
        slots: None,
        cooler: None,
        radiator_mm: None,
        plugs: None,
        power_min_w: None,
        power_max_w: None,
        peaks: None,
        ..gpu.clone()
    }
}

fn vendor(name: &str) -> Option<GpuVendor> {
    let words = names::words(name);
    let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    if has(&["rtx", "gtx", "geforce", "quadro", "tesla", "nvidia"]) {
        Some(GpuVendor::Nvidia)
    } else if has(&["radeon", "rx", "instinct", "axrx", "amd"]) {
        Some(GpuVendor::Amd)
    } else if has(&["arc", "intel"]) {
        Some(GpuVendor::Intel)
    } else {
        None
    }
}

fn plugs_of(value: &Value) -> Option<Vec<Plugs>> {
    match value {
        Value::String(text) => names::plugs(text),
        Value::Array(items) => items.iter().map(plugs_of).collect::<Option<Vec<_>>>().map(|all| all.concat()),
        Value::Object(map) => {
            let one = |(kind, n): (&String, &Value)| {
                let mut plug = names::plugs(kind)?;
                plug.iter_mut().for_each(|p| p.count = number(n).map_or(1, |n| n as u8));
                Some(plug)
            };
            map.iter().map(one).collect::<Option<Vec<_>>>().map(|all| all.concat())
        }
        _ => None,
    }
}

/// "single"; "limited, undocumented"; a number of rails; a list with their amperes.
fn set_rails(value: &Value, psu: &mut Psu) {
    let several = |psu: &mut Psu, yes: bool| psu.rails = Some(if yes { Rails::Several } else { Rails::Single });
    match value {
        Value::Number(n) => several(psu, n.as_f64().is_some_and(|n| n > 1.0)),
        Value::Array(items) => {
            several(psu, items.len() > 1);
            let amps = items.iter().filter_map(|i| number(i).or_else(|| Keys::of(i, "rail").number(&["amps", "a", "max_a"])));
            psu.rail_a = amps.reduce(f64::min).or(psu.rail_a);
        }
        Value::String(text) => {
            let words: BTreeSet<String> = names::words(text).into_iter().collect();
            several(psu, !(words.contains("single") || words.contains("one") || words.contains("1")));
        }
        _ => {}
    }
}

/// Generation and lanes in a text: "PCIe 4.0 x16", "gen3 x8", "CPU x8".
pub(super) fn link(text: &str) -> (Option<u8>, Option<u8>) {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '.').filter(|w| !w.is_empty()).collect();
    let lanes = words.iter().find_map(|w| w.strip_prefix('x')?.parse().ok()).filter(|n| matches!(n, 1 | 2 | 4 | 8 | 16));
    let generation = words.iter().enumerate().find_map(|(n, w)| {
        let after = |word: &str| words.get(n + 1).filter(|_| *w == word);
        let number = w.strip_prefix("gen").filter(|r| !r.is_empty()).or_else(|| w.strip_prefix("pcie").filter(|r| !r.is_empty()));
        let number = number.or_else(|| after("gen").copied()).or_else(|| after("pcie").copied()).or_else(|| w.strip_suffix(".0"));
        number.and_then(|t| t.split('.').next()?.parse::<u8>().ok()).filter(|g| (1..=7).contains(g))
    });
    (generation, lanes)
}

fn slot_of(n: usize, lanes: Option<u8>, generation: Option<u8>, from: Option<&str>) -> Connector {
    let order = u8::try_from(n).ok();
    Connector {
        size: Some(16),
        from: from.map(str::to_owned),
        order,
        ..Connector::new(format!("SLOT{n}"), ConnectorKind::Pcie, lanes, generation)
    }
}

/// "CPU x8", "chipset x4 gen3"; without a generation the fourth.
fn push_slot(board: &mut Board, text: &str) {
    let (generation, lanes) = link(text);
    let lower = text.to_lowercase();
    let from = if lower.contains("chipset") || lower.contains("pch") {
        Some("chipset")
    } else if lower.contains("cpu") {
        Some("cpu")
    } else {
        None
    };
    if from == Some("chipset") && board.chipset_uplink_lanes.is_none() {
        // Desktop chipsets of the fourth generation hang on four lanes (X570, B550).
        (board.chipset_uplink_lanes, board.chipset_uplink_gen) = (Some(4), Some(4));
    }
    let n = board.connectors.iter().filter(|c| c.kind == ConnectorKind::Pcie).count() + 1;
    board.connectors.push(slot_of(n, lanes, generation.or(Some(4)), from));
}

/// Whether the kind is one that a case can speak of; for the rules about missing kinds.
pub(super) fn silent(described: &BTreeSet<&'static str>) -> Vec<&'static str> {
    let rules = [
        ("board", "no_board"),
        ("cpu", "no_cpu"),
        ("cpu", "no_cooler"),
        ("ram", "no_ram"),
        ("psu", "no_psu"),
        ("case", "no_case"),
        ("gpu", "no_gpu"),
    ];
    debug_assert!(rules.iter().all(|(kind, _)| KINDS.iter().any(|k| k.0 == *kind)));
    rules.into_iter().filter(|(kind, _)| !described.contains(kind)).map(|(_, rule)| rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_words() {
        for (text, generation, lanes) in [
            ("PCIe 4.0 x16", Some(4), Some(16)),
            ("gen3", Some(3), None),
            ("gen4 x16", Some(4), Some(16)),
            ("CPU x8", None, Some(8)),
            ("mining x1", None, Some(1)),
            ("PCIe Gen 5 x4", Some(5), Some(4)),
            ("", None, None),
        ] {
            assert_eq!(link(text), (generation, lanes), "{text}");
        }
    }
}
