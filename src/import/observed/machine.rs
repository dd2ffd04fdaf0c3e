//! Dumps of one machine come together, and questions to the whole.

use super::{Address, Class, Device, FirmwareSlot, Gpu, Link, Observed, Port, REMARKS, Remark, vendor};

impl Observed {
    /// Takes over what another dump of the same machine says.
    pub(super) fn merge(&mut self, other: Self, file: &str) {
        for (address, device) in other.devices {
            match self.devices.get_mut(&address) {
                None => {
                    self.devices.insert(address, device);
                }
                Some(old) if old.contradicts(&device) => {
                    let text =
                        format!("{address} is {} here and {} in another dump. Are these dumps of one machine?", device.name, old.name);
                    self.remarks.push(Remark { file: file.to_owned(), line: 1, text });
                }
                Some(old) => old.merge(device),
            }
        }
        for gpu in other.gpus {
            let same = self.gpus.iter_mut().find(|g| g.address.is_some() && g.address == gpu.address);
            match same {
                Some(old) => old.merge(&gpu),
                None => self.gpus.push(gpu),
            }
        }
        self.topology = self.topology.take().or(other.topology);
        self.board = self.board.take().or(other.board);
        let take = |mine: &mut Vec<FirmwareSlot>, theirs: Vec<FirmwareSlot>| {
            if mine.is_empty() {
                *mine = theirs;
            }
        };
        take(&mut self.slots, other.slots);
        if self.modules.is_empty() {
            self.modules = other.modules;
        }
        if other.processors.len() > self.processors.len() {
            self.processors = other.processors;
        }
        self.dimm_slots = self.dimm_slots.or(other.dimm_slots);
        self.remarks.extend(other.remarks);
        self.remarks.truncate(REMARKS);
        self.found.extend(other.found);
    }

    /// Cards that only `nvidia-smi` shows become devices too, and devices take from it what `lspci` could not read.
    pub(super) fn join_gpus(&mut self) {
        for gpu in &self.gpus {
            let Some(address) = gpu.address else { continue };
            let device = self.devices.entry(address).or_default();
            if device.name.is_empty() {
                device.name.clone_from(&gpu.name);
            }
            device.class = device.class.or(Some(Class::Graphics));
            device.vendor_id = device.vendor_id.or(Some(vendor::NVIDIA));
            device.capability.lanes = device.capability.lanes.or(gpu.max_lanes);
            device.capability.r#gen = device.capability.r#gen.or(gpu.device_gen);
            device.status = device.status.better(gpu.current);
        }
    }

    /// The card that `nvidia-smi` shows at this address.
    pub fn gpu(&self, address: Address) -> Option<&Gpu> {
        self.gpus.iter().find(|g| g.address == Some(address))
    }

    /// The bridge that leads to a device's bus.
    pub fn parent(&self, address: Address) -> Option<Address> {
        let leads = |(a, d): &(&Address, &Device)| a.domain == address.domain && d.secondary == Some(address.bus) && a.bus != address.bus;
        self.devices.iter().find(leads).map(|(a, _)| *a)
    }

    /// The bridges above a device, nearest first.
    pub fn ancestors(&self, address: Address) -> Vec<Address> {
        let mut all = Vec::new();
        let mut at = address;
        // Deeper trees than this are loops in a broken dump.
        while let Some(parent) = self.parent(at).filter(|p| !all.contains(p) && all.len() < 32) {
            all.push(parent);
            at = parent;
        }
        all
    }

    /// Where a card meets its slot: the card itself, or the upstream port of a switch on the card.
    ///
    /// Graphics cards of AMD since Navi and of Intel carry such a switch; their chip reports the link inside the card, which is always
    /// full width (AMD) or x1 Gen1 (Intel) whatever the slot gives. The switch carries the maker's own vendor id.
    pub fn edge(&self, address: Address) -> Address {
        let Some(device) = self.devices.get(&address) else { return address };
        if device.class != Some(Class::Graphics) || !matches!(device.vendor_id, Some(vendor::ATI | vendor::INTEL)) {
            return address;
        }
        let own = |a: &Address| self.devices.get(a).is_some_and(|d| d.vendor_id == device.vendor_id);
        let is = |a: &Address, port: Port| self.devices.get(a).is_some_and(|d| d.port.is_none_or(|p| p == port));
        match self.ancestors(address).as_slice() {
            [down, up, _, ..] | [down, up] if own(down) && own(up) && is(down, Port::Downstream) && is(up, Port::Upstream) => *up,
            _ => address,
        }
    }

    /// Physical cards and drives: each device once, whatever its number of functions.
    pub fn of_class(&self, class: Class) -> Vec<Address> {
        let mut all: Vec<Address> = Vec::new();
        for (address, _) in self.devices.iter().filter(|(_, d)| d.class == Some(class)) {
            if !all.iter().any(|a| a.same_device(*address)) {
                all.push(*address);
            }
        }
        all
    }

    /// Nothing that a rig could be compared with.
    pub fn is_empty(&self) -> bool {
        self.devices.is_empty() && self.gpus.is_empty() && self.topology.is_none() && self.board.is_none() && self.processors.is_empty()
    }
}

impl Link {
    /// Of two looks at one link the one under load: the faster.
    pub(super) fn better(self, other: Self) -> Self {
        if (other.r#gen, other.lanes) > (self.r#gen, self.lanes) { other } else { self }
    }
    pub(super) fn or(self, other: Self) -> Self {
        Self { lanes: self.lanes.or(other.lanes), r#gen: self.r#gen.or(other.r#gen) }
    }
}

impl Device {
    fn contradicts(&self, other: &Self) -> bool {
        let differ = |a: Option<u16>, b: Option<u16>| a.is_some() && b.is_some() && a != b;
        differ(self.vendor_id, other.vendor_id) || differ(self.device_id, other.device_id)
    }

    pub(super) fn merge(&mut self, other: Self) {
        if self.name.len() < other.name.len() {
            self.name = other.name;
        }
        self.class = self.class.or(other.class);
        self.vendor_id = self.vendor_id.or(other.vendor_id);
        self.device_id = self.device_id.or(other.device_id);
        self.subsystem = self.subsystem.take().or(other.subsystem);
        self.port = self.port.or(other.port);
        self.capability = self.capability.or(other.capability);
        self.status = self.status.better(other.status);
        self.slower &= other.slower;
        self.narrower &= other.narrower;
        self.numa = self.numa.or(other.numa);
        self.physical_slot = self.physical_slot.take().or(other.physical_slot);
        self.secondary = self.secondary.or(other.secondary);
        self.subordinate = self.subordinate.or(other.subordinate);
        self.driver = self.driver.take().or(other.driver);
        self.denied &= other.denied;
    }
}

impl Gpu {
    fn merge(&mut self, other: &Self) {
        self.max_gen = self.max_gen.max(other.max_gen);
        self.device_gen = self.device_gen.or(other.device_gen);
        self.host_gen = self.host_gen.or(other.host_gen);
        self.max_lanes = self.max_lanes.or(other.max_lanes);
        let faster = self.current.better(other.current);
        if faster != self.current {
            (self.current, self.pstate) = (faster, other.pstate);
        }
        self.memory_mib = self.memory_mib.or(other.memory_mib);
        self.power_limit_w = self.power_limit_w.or(other.power_limit_w);
        self.default_power_w = self.default_power_w.or(other.default_power_w);
    }
}
