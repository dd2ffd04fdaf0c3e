//! How a part connects, in the words of a parts list: link and plugs of a card, socket of a CPU, body and bus of a drive.

use crate::catalog::part::{Board, Bridge, Carrier, Case, Cooler, Cpu, Drive, Fan, Gpu, Nic, PartKind, Plugs, Psu, Ram, Riser};
use crate::catalog::vocab::{DriveBus, GpuForm};
use crate::units::{mm, plain};

/// Empty where nothing is known.
pub fn interface(kind: &PartKind) -> String {
    let parts = match kind {
        PartKind::Gpu(gpu) => gpu_parts(gpu),
        PartKind::Cpu(Cpu { socket, .. }) => vec![socket.map(|s| format!("socket {s}"))],
        PartKind::Board(board) => board_parts(board),
        PartKind::Ram(ram) => ram_parts(ram),
        PartKind::Drive(drive) => drive_parts(drive),
        PartKind::Psu(Psu { form, plugs, .. }) => vec![form.map(|f| f.to_string()), plugs.as_deref().map(plug_list)],
        PartKind::Cooler(cooler) => cooler_parts(cooler),
        PartKind::Fan(Fan { size_mm, .. }) => vec![size_mm.map(|s| format!("{} mount", mm(s)))],
        PartKind::Case(Case { board_forms, .. }) => vec![board_forms.as_deref().map(|forms| format!("{} boards", names(forms)))],
        PartKind::Nic(nic) => nic_parts(nic),
        PartKind::Riser(Riser { input, pcie_gen, pcie_lanes, .. }) => {
            vec![input.map(|i| format!("from {i}")), pcie(*pcie_gen, *pcie_lanes)]
        }
        PartKind::Carrier(Carrier { m2_sockets, pcie_gen, pcie_lanes, .. }) => {
            vec![pcie(*pcie_gen, *pcie_lanes), m2_sockets.map(|n| format!("{n}x M.2"))]
        }
        PartKind::Bridge(Bridge { spacing_slots, .. }) => {
            vec![Some("NVLink".to_owned()), spacing_slots.map(|n| format!("cards {n} slots apart"))]
        }
    };
    parts.into_iter().flatten().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(", ")
}

/// "PCIe 4.0 x16", as much of it as is known.
fn pcie(r#gen: Option<u8>, lanes: Option<u8>) -> Option<String> {
    match (r#gen, lanes) {
        (Some(g), Some(l)) => Some(format!("PCIe {g}.0 x{l}")),
        (Some(g), None) => Some(format!("PCIe {g}.0")),
        (None, Some(l)) => Some(format!("PCIe x{l}")),
        (None, None) => None,
    }
}

fn plug_list(plugs: &[Plugs]) -> String {
    plugs.iter().map(|p| format!("{}x {}", p.count, p.plug)).collect::<Vec<_>>().join(", ")
}

fn names<T: std::fmt::Display>(list: &[T]) -> String {
    list.iter().map(ToString::to_string).collect::<Vec<_>>().join("/")
}

fn gpu_parts(gpu: &Gpu) -> Vec<Option<String>> {
    match gpu.form {
        Some(GpuForm::Card) | None => {
            let feed = gpu.plugs.as_deref().map(|p| if p.is_empty() { "no power plug".to_owned() } else { plug_list(p) });
            vec![pcie(gpu.pcie_gen, gpu.pcie_lanes), feed]
        }
        Some(form) => vec![Some(form.to_string())],
    }
}

fn board_parts(board: &Board) -> Vec<Option<String>> {
    let sockets = board.socket_count.filter(|&n| n > 1).map_or_else(String::new, |n| format!("{n}x "));
    let modules = board.module_types.as_deref().map(names);
    let memory = board.memory_type.map(|m| format!("{m} {}", modules.unwrap_or_default()).trim_end().to_owned());
    vec![board.form_factor.map(|f| f.to_string()), board.socket.map(|s| format!("{sockets}socket {s}")), memory]
}

fn ram_parts(ram: &Ram) -> Vec<Option<String>> {
    let kind: Vec<String> =
        [ram.memory_type.map(|t| t.to_string()), ram.module_type.map(|t| t.to_string())].into_iter().flatten().collect();
    vec![Some(kind.join(" ")), ram.speed_mt_s.map(|s| format!("{s} MT/s"))]
}

fn drive_parts(drive: &Drive) -> Vec<Option<String>> {
    let link = match drive.bus {
        Some(DriveBus::Sata | DriveBus::Sas) => None,
        Some(DriveBus::Nvme) | None => pcie(drive.pcie_gen, drive.pcie_lanes),
    };
    let words = [drive.form.map(|f| f.to_string()), drive.bus.map(|b| b.to_string()), link];
    vec![Some(words.into_iter().flatten().collect::<Vec<_>>().join(" "))]
}

fn cooler_parts(cooler: &Cooler) -> Vec<Option<String>> {
    const SHOWN: usize = 4;
    let sockets = cooler.sockets.as_deref().map(|list| {
        let more = if list.len() > SHOWN { format!(" and {} more", list.len() - SHOWN) } else { String::new() };
        format!("sockets {}{more}", names(list.get(..SHOWN).unwrap_or(list)))
    });
    vec![sockets, cooler.radiator_mm.map(|r| format!("{} radiator", mm(r)))]
}

fn nic_parts(nic: &Nic) -> Vec<Option<String>> {
    let ports = nic.speed_gbit_s.map(|s| format!("{}x {} Gbit/s", nic.ports.unwrap_or(1), plain(s, 1)));
    vec![pcie(nic.pcie_gen, nic.pcie_lanes), ports, nic.media.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::vocab::{DriveForm, MemoryType, ModuleType, Plug, Socket};

    #[test]
    fn interfaces_read_as_on_a_parts_list() {
        let plugs = Some(vec![Plugs { plug: Plug::Pcie8, count: 2 }]);
        let gpu = Gpu { pcie_gen: Some(4), pcie_lanes: Some(16), plugs, ..Gpu::default() };
        assert_eq!(interface(&PartKind::Gpu(gpu.clone())), "PCIe 4.0 x16, 2x PCIe 8-pin");
        assert_eq!(interface(&PartKind::Gpu(Gpu { plugs: Some(Vec::new()), ..gpu.clone() })), "PCIe 4.0 x16, no power plug");
        assert_eq!(interface(&PartKind::Gpu(Gpu { form: Some(GpuForm::Sxm), ..gpu })), "SXM");
        assert_eq!(interface(&PartKind::Cpu(Cpu { socket: Some(Socket::Sp3), ..Cpu::default() })), "socket SP3");
        let ram = Ram { memory_type: Some(MemoryType::Ddr4), module_type: Some(ModuleType::Rdimm), ..Ram::default() };
        assert_eq!(interface(&PartKind::Ram(ram)), "DDR4 RDIMM");
        let form = Some(DriveForm::M2_2280);
        let drive = Drive { form, bus: Some(DriveBus::Nvme), pcie_lanes: Some(4), ..Drive::default() };
        assert_eq!(interface(&PartKind::Drive(drive)), "M.2-2280 NVMe PCIe x4");
        assert_eq!(interface(&PartKind::Riser(Riser::default())), "");
    }
}
