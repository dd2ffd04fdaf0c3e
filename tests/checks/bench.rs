//! A small shop and one sound rig from it; tests change single facts and look at single rules.

use std::collections::BTreeMap;
use std::sync::Arc;

use rigbay::analysis::{Effort, facts};
use rigbay::build::{PlacementId, SlotId};
use rigbay::catalog::Catalog;
use rigbay::catalog::load::kind_table;
use rigbay::catalog::model::{Cache, LayerGroup, ModelShape, TensorClass, Tensors};
use rigbay::catalog::part::{
    Board, Case, Connector, Cooler, Cpu, Drive, Gpu, Life, Part, PartId, PartKind, Plugs, Price, Provenance, Psu, Radiator, Ram, Riser,
    Source,
};
use rigbay::catalog::templates::Templates;
use rigbay::catalog::topology::{Change, Condition, Rule};
use rigbay::catalog::vocab::{
    CaseKind, Confidence, ConnectorKind, CoolerKind, DriveBus, DriveForm, Edge, Efficiency, FormFactor, GpuCooler, GpuForm, GpuVendor,
    MemoryType, ModuleType, Outlook, Plug, PriceKind, PsuForm, Rails, Socket,
};
use rigbay::checks::finding::Finding;
use rigbay::project::Project;
use rigbay::project::edit::Edit;
use rigbay::workload::Workload;

/// What a test may change before the rig is put together.
pub struct Kit {
    pub parts: BTreeMap<String, Part>,
    /// Part and place: "board/P1" is slot P1 of the placed part "board", "rig/case" the rig's own, `None` the tray.
    pub places: Vec<(String, Option<String>)>,
    pub settings: Vec<(String, &'static str, String)>,
    pub project: Project,
    guesses: Vec<(String, &'static str)>,
}

macro_rules! access {
    ($($name:ident: $variant:ident($kind:ty)),+ $(,)?) => {$(
        pub fn $name(&mut self, id: &str) -> &mut $kind {
            match &mut self.parts.get_mut(id).expect("the shop has it").kind {
                PartKind::$variant(is) => is,
                other => panic!("{id} is a {}", other.label()),
            }
        }
    )+};
}

impl Kit {
    access!(
        gpu: Gpu(Gpu), cpu: Cpu(Cpu), board: Board(Board), ram: Ram(Ram), psu: Psu(Psu), cooler: Cooler(Cooler), case: Case(Case),
        drive: Drive(Drive), riser: Riser(Riser),
    );

    pub fn part(&mut self, id: &str) -> &mut Part {
        self.parts.get_mut(id).expect("the shop has it")
    }
    /// A slot or socket of the board by its label.
    pub fn slot(&mut self, label: &str) -> &mut Connector {
        self.board("board").connectors.iter_mut().find(|c| c.label == label).expect("the board has it")
    }
    /// A row of the board's table.
    pub fn rule(&mut self, when: &str, target: &str, lanes: u8) {
        let when = Condition::try_from(when.to_owned()).expect("a condition");
        let set = [(target.to_owned(), Change::Lanes(lanes))].into();
        self.board("board").rules.push(Rule { when, set, note: None });
    }
    pub fn drop(&mut self, id: &str) {
        self.places.retain(|(part, _)| part != id);
    }
    pub fn seat(&mut self, id: &str, slot: &str) {
        self.places.push((id.to_owned(), Some(slot.to_owned())));
    }
    pub fn tray(&mut self, id: &str) {
        self.places.push((id.to_owned(), None));
    }
    /// Another part in the place of one.
    pub fn instead(&mut self, old: &str, new: &str) {
        for (id, _) in self.places.iter_mut().filter(|(id, _)| id == old) {
            new.clone_into(id);
        }
    }
    pub fn assume(&mut self, id: &str, field: &'static str) {
        self.guesses.push((id.to_owned(), field));
    }
    pub fn set(&mut self, id: &str, key: &'static str, value: &str) {
        self.settings.push((id.to_owned(), key, value.to_owned()));
    }
    pub fn job(&mut self, billions: f64) {
        let job = Workload::of(Arc::new(model(billions)));
        let others: Vec<&str> = self.project.workloads.iter().map(|w| w.name.as_str()).collect();
        let name = rigbay::project::edit::free_name(&job.name, &others);
        self.project.workloads.push(Workload { name, ..job });
    }
    pub fn unprice(&mut self, id: &str) {
        self.part(id).prices.clear();
    }
}

/// A rig with its shop.
pub struct Rig {
    pub catalog: Catalog,
    pub project: Project,
}

impl Rig {
    pub fn findings(&self) -> Vec<Finding> {
        findings(&self.catalog, &self.project)
    }
    pub fn of(&self, rule: &str) -> Vec<Finding> {
        self.findings().into_iter().filter(|f| f.rule == rule).collect()
    }
    /// All findings with fixes and stakes.
    pub fn mended(&self) -> Vec<Finding> {
        let facts = facts(&self.catalog, &self.project, Effort::Live);
        let case = rigbay::checks::Case { catalog: &self.catalog, project: &self.project, facts: &facts };
        let mut findings = rigbay::checks::run(&case);
        rigbay::checks::mend(&case, &mut findings);
        findings
    }
}

pub fn findings(catalog: &Catalog, project: &Project) -> Vec<Finding> {
    let facts = facts(catalog, project, Effort::Live);
    rigbay::checks::run(&rigbay::checks::Case { catalog, project, facts: &facts })
}

/// The sound rig with changes.
pub fn rig(change: impl FnOnce(&mut Kit)) -> Rig {
    let mut kit = sound();
    change(&mut kit);
    assemble(kit)
}

pub fn assemble(mut kit: Kit) -> Rig {
    for part in kit.parts.values_mut() {
        part.from = provenance(&part.kind);
    }
    for (id, field) in &kit.guesses {
        let part = kit.parts.get_mut(id).expect("the shop has it");
        part.from.get_mut(*field).expect("the field is known").confidence = Confidence::Assumed;
    }
    let templates = Templates::parse(include_str!("../../catalogs/templates.toml")).expect("templates are sound");
    let ids: BTreeMap<String, PartId> = kit.parts.iter().map(|(name, p)| (name.clone(), p.id.clone())).collect();
    let catalog = Catalog::new(kit.parts.into_values(), templates, "test".to_owned());
    let mut project = kit.project;
    let mut placed: BTreeMap<String, PlacementId> = BTreeMap::new();
    for (n, (name, slot)) in kit.places.iter().enumerate() {
        let slot = slot.as_ref().map(|text| {
            let (host, label) = text.split_once('/').expect("host/slot");
            if host == "rig" { SlotId::rig(label) } else { SlotId::of(placed[host], label) }
        });
        let edit = Edit::place(&ids[name], slot);
        project = edit.apply(&catalog, &project).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        placed.insert(name.clone(), PlacementId(n as u32));
    }
    for (name, key, value) in kit.settings {
        let edit = Edit::Set { what: placed[&name], key: key.to_owned(), value: Some(value) };
        project = edit.apply(&catalog, &project).expect("a setting applies");
    }
    Rig { catalog, project }
}

/// Every known field of a part as read from the maker.
fn provenance(kind: &PartKind) -> BTreeMap<String, Provenance> {
    let table = kind_table(kind).expect("a part has a table form");
    let origin = Provenance { source: "s".to_owned(), as_of: "2026-11-30".to_owned(), confidence: Confidence::Maker };
    table.keys().map(|field| (field.clone(), origin.clone())).collect()
}

pub fn part(id: &str, price: f64, kind: PartKind) -> Part {
    let price = Price {
        amount: price,
        currency: "USD".to_owned(),
        date: "2026-11-01".to_owned(),
        kind: PriceKind::StreetNew,
        source: "s".to_owned(),
        note: None,
    };
    let id_of = PartId::new(&format!("{}.test.{id}", kind.key()));
    Part {
        prices: vec![price],
        life: Life { outlook: Some(Outlook::Likely), ..Life::default() },
        from: provenance(&kind),
        sources: [("s".to_owned(), Source { title: "Test".to_owned(), url: None, date: None })].into(),
        ..Part::bare(id_of, id, kind)
    }
}

fn plugs(list: &[(Plug, u8)]) -> Vec<Plugs> {
    list.iter().map(|&(plug, count)| Plugs { plug, count }).collect()
}

pub fn connector(label: &str, kind: ConnectorKind, lanes: u8, from: &str, opening: Option<u8>) -> Connector {
    Connector {
        size: Some(if kind == ConnectorKind::Pcie { 16 } else { lanes }),
        from: Some(from.to_owned()),
        opening,
        ..Connector::new(label, kind, Some(lanes), Some(4))
    }
}

fn gpu() -> Gpu {
    Gpu {
        vendor: Some(GpuVendor::Nvidia),
        product: Some("Card 24".to_owned()),
        segment: Some("consumer".to_owned()),
        form: Some(GpuForm::Card),
        memory_gb: Some(24.0),
        bandwidth_gb_s: Some(936.0),
        tdp_w: Some(350.0),
        power_min_w: Some(100.0),
        length_mm: Some(300.0),
        height_mm: Some(120.0),
        thickness_mm: Some(40.0),
        slots: Some(2.0),
        cooler: Some(GpuCooler::OpenAir),
        plugs: Some(plugs(&[(Plug::Pcie8, 2)])),
        pcie_gen: Some(4),
        pcie_lanes: Some(16),
        compute_capability: Some("8.6".to_owned()),
        last_cuda: Some("current".to_owned()),
        p2p: Some("PCIe".to_owned()),
        ..Gpu::default()
    }
}

fn cpu() -> Cpu {
    Cpu {
        socket: Some(Socket::Am4),
        max_sockets: Some(1),
        cores: Some(16),
        threads: Some(32),
        tdp_w: Some(105.0),
        memory_types: Some(vec![MemoryType::Ddr4]),
        memory_mt_s: Some(3200),
        memory_max_gb: Some(128.0),
        registered: Some(false),
        graphics: Some(false),
        ..Cpu::default()
    }
}

fn board() -> Board {
    let slot = |label, lanes, from, opening| connector(label, ConnectorKind::Pcie, lanes, from, Some(opening));
    Board {
        socket: Some(Socket::Am4),
        socket_count: Some(1),
        form_factor: Some(FormFactor::Atx),
        depth_mm: Some(244.0),
        height_mm: Some(305.0),
        memory_type: Some(MemoryType::Ddr4),
        module_types: Some(vec![ModuleType::Udimm]),
        dimm_slots: Some(4),
        memory_max_gb: Some(128.0),
        ecc: Some(false),
        eps_plugs: Some(2),
        lan: Some("1GbE".to_owned()),
        connectors: vec![
            slot("P1", 16, "cpu", 1),
            slot("P3", 16, "cpu", 3),
            slot("P5", 4, "chipset", 5),
            slot("P7", 16, "cpu", 7),
            connector("M2", ConnectorKind::M2, 4, "cpu", None),
        ],
        ..Board::default()
    }
}

fn ram(speed: u32, modules: u8, each: f64) -> Ram {
    Ram {
        memory_type: Some(MemoryType::Ddr4),
        module_type: Some(ModuleType::Udimm),
        speed_mt_s: Some(speed),
        modules: Some(modules),
        gb_per_module: Some(each),
        height_mm: Some(35.0),
        ..Ram::default()
    }
}

fn psu(watts: f64, efficiency: Efficiency, leads: [u8; 3]) -> Psu {
    let [eight, sixteen, eps] = leads;
    Psu {
        watts: Some(watts),
        efficiency: Some(efficiency),
        atx_version: Some("3.0".to_owned()),
        form: Some(PsuForm::Atx),
        length_mm: Some(160.0),
        plugs: Some(plugs(&[(Plug::Pcie8, eight), (Plug::Hpwr2x6, sixteen), (Plug::Eps8, eps)])),
        hpwr_w: Some(600.0),
        pcie_leads: Some(eight),
        rails: Some(Rails::Single),
        ..Psu::default()
    }
}

fn cooler(kind: CoolerKind, height: f64, watts: f64) -> Cooler {
    let air = kind != CoolerKind::Aio;
    Cooler {
        kind: Some(kind),
        height_mm: Some(height),
        radiator_mm: (!air).then_some(360.0),
        tdp_w: Some(watts),
        ram_clearance_mm: air.then_some(45.0),
        sockets: Some(vec![Socket::Am4]),
        ..Cooler::default()
    }
}

fn case() -> Case {
    Case {
        kind: Some(CaseKind::Tower),
        depth_mm: Some(500.0),
        width_mm: Some(230.0),
        height_mm: Some(500.0),
        board_forms: Some(vec![FormFactor::MicroAtx, FormFactor::Atx]),
        max_board_depth_mm: Some(280.0),
        expansion_slots: Some(7),
        max_gpu_length_mm: Some(330.0),
        max_gpu_length_radiator_mm: Some(300.0),
        max_cooler_height_mm: Some(170.0),
        max_psu_length_mm: Some(200.0),
        psu_forms: Some(vec![PsuForm::Atx]),
        psu_count: Some(1),
        // The rig has no fans: only an open front lets its card breathe.
        front_face: Some("open".to_owned()),
        radiators: Some(vec![Radiator { edge: Edge::Front, sizes_mm: vec![360] }, Radiator { edge: Edge::Top, sizes_mm: vec![240, 360] }]),
        ..Case::default()
    }
}

fn big_case() -> Case {
    Case {
        board_forms: Some(vec![FormFactor::MicroAtx, FormFactor::Atx, FormFactor::Eatx, FormFactor::Eeb]),
        max_board_depth_mm: Some(340.0),
        expansion_slots: Some(9),
        max_gpu_length_mm: Some(450.0),
        max_gpu_length_radiator_mm: Some(420.0),
        max_cooler_height_mm: Some(190.0),
        max_psu_length_mm: Some(250.0),
        radiators: Some(vec![Radiator { edge: Edge::Front, sizes_mm: vec![360, 420] }]),
        ..case()
    }
}

fn riser(generation: u8) -> Riser {
    Riser { input: Some(ConnectorKind::Pcie), pcie_gen: Some(generation), pcie_lanes: Some(16), length_mm: Some(200.0), ..Riser::default() }
}

fn drive() -> Drive {
    Drive {
        capacity_gb: Some(2000.0),
        form: Some(DriveForm::M2_2280),
        bus: Some(DriveBus::Nvme),
        read_mb_s: Some(7000.0),
        rotating: Some(false),
        power_w: Some(6.0),
        ..Drive::default()
    }
}

/// A shop in which most mistakes can be mended, and a rig without any.
pub fn sound() -> Kit {
    let blower = Gpu { cooler: Some(GpuCooler::Blower), length_mm: Some(270.0), ..gpu() };
    let large =
        Gpu { product: Some("Card 48".to_owned()), memory_gb: Some(48.0), compute_capability: Some("9.0".to_owned()), ..blower.clone() };
    let old = Gpu { last_cuda: Some("12.9".to_owned()), compute_capability: Some("7.0".to_owned()), ..gpu() };
    let am5 = Board { socket: Some(Socket::Am5), memory_type: Some(MemoryType::Ddr5), ..board() };
    let shop = [
        part("case", 90.0, PartKind::Case(case())),
        part("case.big", 200.0, PartKind::Case(big_case())),
        part("board", 180.0, PartKind::Board(board())),
        part("board.am5", 250.0, PartKind::Board(am5)),
        part("psu", 170.0, PartKind::Psu(psu(1000.0, Efficiency::Gold, [6, 1, 2]))),
        part("psu.big", 400.0, PartKind::Psu(psu(2000.0, Efficiency::Platinum, [12, 3, 4]))),
        part("cpu", 350.0, PartKind::Cpu(cpu())),
        part("cpu.graphics", 300.0, PartKind::Cpu(Cpu { graphics: Some(true), ..cpu() })),
        part("cpu.am5", 400.0, PartKind::Cpu(Cpu { socket: Some(Socket::Am5), ..cpu() })),
        part("cooler", 60.0, PartKind::Cooler(cooler(CoolerKind::Tower, 160.0, 200.0))),
        part("cooler.low", 50.0, PartKind::Cooler(Cooler { ram_clearance_mm: Some(60.0), ..cooler(CoolerKind::Tower, 120.0, 250.0) })),
        part("aio", 130.0, PartKind::Cooler(cooler(CoolerKind::Aio, 55.0, 250.0))),
        part("ram", 100.0, PartKind::Ram(ram(3200, 2, 16.0))),
        part("ram.fast", 140.0, PartKind::Ram(ram(3600, 2, 16.0))),
        part("ram.slow", 80.0, PartKind::Ram(ram(2666, 2, 16.0))),
        part("ram.64", 210.0, PartKind::Ram(ram(3200, 2, 32.0))),
        part("ram.ddr5", 120.0, PartKind::Ram(Ram { memory_type: Some(MemoryType::Ddr5), ..ram(5600, 2, 16.0) })),
        part("gpu", 800.0, PartKind::Gpu(gpu())),
        part("gpu.blower", 900.0, PartKind::Gpu(blower)),
        part("gpu.large", 4000.0, PartKind::Gpu(large)),
        part("gpu.old", 300.0, PartKind::Gpu(old)),
        part("drive", 120.0, PartKind::Drive(drive())),
        part("riser", 40.0, PartKind::Riser(riser(3))),
        part("riser.new", 60.0, PartKind::Riser(riser(4))),
    ];
    let places = [
        ("case", "rig/case"),
        ("board", "rig/board"),
        ("psu", "rig/psu1"),
        ("cpu", "board/cpu1"),
        ("cooler", "board/cooler1"),
        ("ram", "board/dimm"),
        ("gpu", "board/P1"),
        ("drive", "board/M2"),
    ];
    Kit {
        parts: shop.into_iter().map(|p| (p.name.clone(), p)).collect(),
        places: places.map(|(part, slot)| (part.to_owned(), Some(slot.to_owned()))).to_vec(),
        settings: Vec::new(),
        project: Project::default(),
        guesses: Vec::new(),
    }
}

/// A plain transformer of about that many billion parameters.
pub fn model(billions: f64) -> ModelShape {
    let tensors = |class, share: f64| {
        let params = (billions * share * 1e9) as u64;
        Tensors { class, name: format!("{class:?}"), params, active: params }
    };
    ModelShape {
        name: format!("test/Model-{billions}B"),
        model_type: "llama".to_owned(),
        hidden: 4096,
        layers: 32,
        heads: 32,
        mlp_width: 14336,
        vocab: 128_256,
        context: Some(131_072),
        tied: false,
        experts: None,
        groups: vec![LayerGroup { count: 32, cache: Cache::Full { kv_heads: 8, k_dim: 128, v_dim: 128 } }],
        tensors: vec![tensors(TensorClass::Attention, 0.2), tensors(TensorClass::Mlp, 0.5), tensors(TensorClass::MlpDown, 0.3)],
        published_precision: Some("bf16".to_owned()),
        network: None,
        source: "test".to_owned(),
        remarks: Vec::new(),
        ..ModelShape::default()
    }
}
