//! `rigbay new`: parts named on the command line become a rig file.

use std::path::PathBuf;

use clap::Args;

use super::models::WorkArgs;
use super::{Out, ambiguous, catalog};
use crate::build::fit::{Fit, fit};
use crate::build::slots::{Slot, SlotKind, slots};
use crate::build::{PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Board, Part, PartKind};
use crate::catalog::topology::{alike, split_parts};
use crate::catalog::vocab::ConnectorKind;
use crate::files;
use crate::observed::begin::begin;
use crate::project::Project;
use crate::project::edit::{Edit, Refusal};
use crate::project::piece_settings::BIOS;
use crate::report::snapshot::rig_text;

/// Parts are named by id or name: an exact id, name, or name without maker wins; else a unique part of the name.
#[derive(Debug, Args)]
pub(super) struct NewArgs {
    /// Case; without one the rig is an open bench
    #[arg(long, value_name = "PART")]
    case: Option<String>,
    #[arg(long, value_name = "PART", required_unless_present = "from_dumps")]
    board: Option<String>,
    #[arg(long, value_name = "PART", required_unless_present = "from_dumps")]
    cpu: Option<String>,
    /// Processor in the second socket
    #[arg(long, value_name = "PART")]
    cpu2: Option<String>,
    /// Cooler, one for each processor
    #[arg(long, value_name = "PART")]
    cooler: Option<String>,
    /// Memory kit, and how many of them: "PART x4"
    #[arg(long, value_name = "PART xN", num_args = 1..=2)]
    ram: Vec<String>,
    #[arg(long, value_name = "PART")]
    psu: Vec<String>,
    /// Drive, into the first M.2 socket that takes it, else a bay
    #[arg(long, value_name = "PART")]
    drive: Vec<String>,
    /// Fan on a mount of the case: front=PART, rear1=PART
    #[arg(long, value_name = "MOUNT=PART")]
    fan: Vec<String>,
    /// Part in a connector of the board, or on the end of a riser: `PCIEX16_1=PART`, `end=PART`, `PCIEX16_1/end=PART`
    #[arg(long, value_name = "CONNECTOR=PART")]
    put: Vec<String>,
    /// Setting of the board's BIOS
    #[arg(long, value_name = "KEY=VALUE")]
    bios: Vec<String>,
    /// What a machine tells of itself becomes the rig: output of lspci -vv, nvidia-smi -q -x, nvidia-smi topo -m, dmidecode, lscpu
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["case", "board", "cpu", "cpu2", "cooler", "ram", "psu", "drive", "fan", "put", "bios"])]
    from_dumps: Vec<PathBuf>,
    #[command(flatten)]
    work: WorkArgs,
    /// Name of the rig; without one that of the file
    #[arg(long)]
    name: Option<String>,
    /// Rig file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Makes and writes the rig.
pub(super) fn new(args: &NewArgs, today: &str, out: &mut Out<'_>) -> Result<(), String> {
    let catalog = catalog(out);
    if !args.from_dumps.is_empty() {
        return from_dumps(args, &catalog, today, out);
    }
    let stem = args.output.file_stem().map(|s| s.to_string_lossy().into_owned());
    let name = args.name.clone().or(stem).unwrap_or_else(|| "New rig".to_owned());
    let mut maker = Maker { catalog: &catalog, project: Project { name, ..Project::default() }, warnings: Vec::new() };
    maker.core(args)?;
    for text in &args.put {
        maker.put(text)?;
    }
    for text in &args.drive {
        maker.drive(text)?;
    }
    for text in &args.fan {
        maker.fan(text)?;
    }
    for text in &args.bios {
        maker.bios(text)?;
    }
    let project = args.work.applied_to(&catalog, &maker.project)?;
    for warning in &maker.warnings {
        out.warn(&format!("warning: {warning}"));
    }
    let text = rig_text(&catalog, &project).map_err(|e| e.to_string())?;
    files::write_atomic(&args.output, text.as_bytes()).map_err(|e| e.to_string())
}

/// A rig from what a machine tells of itself; says on the way what became of each thing.
fn from_dumps(args: &NewArgs, catalog: &Catalog, today: &str, out: &mut Out<'_>) -> Result<(), String> {
    let observed = super::observe::read_dumps(&args.from_dumps)?;
    let made = begin(catalog, &observed, today);
    for remark in &made.remarks {
        out.warn(&format!("note: {remark}"));
    }
    out.say(&super::observe::recognised_text(&made.lines));
    let name = args.name.clone().unwrap_or_else(|| made.project.name.clone());
    let catalog = catalog.overlaid(made.copies);
    let project = args.work.applied_to(&catalog, &Project { name, ..made.project })?;
    let text = rig_text(&catalog, &project).map_err(|e| e.to_string())?;
    files::write_atomic(&args.output, text.as_bytes()).map_err(|e| e.to_string())
}

/// A rig in the making.
struct Maker<'a> {
    catalog: &'a Catalog,
    project: Project,
    warnings: Vec<String>,
}

impl<'a> Maker<'a> {
    /// Case, board, processors, coolers, memory, supplies.
    fn core(&mut self, args: &NewArgs) -> Result<(), String> {
        if let Some(name) = &args.case {
            let case = self.part("--case", name, Some("case"))?;
            self.place("--case", case, SlotId::rig("case"))?;
        }
        if let Some(name) = &args.board {
            let board = self.part("--board", name, Some("board"))?;
            self.place("--board", board, SlotId::rig("board"))?;
        }
        let cpus = args.cpu.iter().map(|c| ("--cpu", c)).chain(args.cpu2.iter().map(|c| ("--cpu2", c)));
        for (n, (option, name)) in (1..).zip(cpus) {
            let cpu = self.part(option, name, Some("cpu"))?;
            self.on_board(option, cpu, &format!("cpu{n}"))?;
            if let Some(name) = &args.cooler {
                let cooler = self.part("--cooler", name, Some("cooler"))?;
                self.on_board("--cooler", cooler, &format!("cooler{n}"))?;
            }
        }
        for (name, count) in self.kits(&args.ram)? {
            for _ in 0..count {
                self.on_board("--ram", name, "dimm")?;
            }
        }
        for name in &args.psu {
            let psu = self.part("--psu", name, Some("psu"))?;
            let free = self.free(|s| s.kind == SlotKind::Psu).first().map(|s| s.id.clone());
            let slot =
                free.ok_or_else(|| format!("--psu: no supply bay is left for {}. Name a case with more, or fewer supplies.", psu.name))?;
            self.place("--psu", psu, slot)?;
        }
        Ok(())
    }

    /// `PART xN` or `PART`, where `xN` may be a word of its own.
    fn kits(&self, words: &[String]) -> Result<Vec<(&'a Part, usize)>, String> {
        let mut kits: Vec<(&Part, usize)> = Vec::new();
        for word in words {
            if let (Some(count), Some(last)) = (times(word), kits.last_mut()) {
                last.1 = count;
            } else {
                kits.push(self.counted("--ram", word, "ram")?);
            }
        }
        Ok(kits)
    }

    /// A part and how often: the whole text is a part's name, or all but its last word.
    fn counted(&self, option: &str, text: &str, kind: &str) -> Result<(&'a Part, usize), String> {
        if let Some((name, last)) = text.trim().rsplit_once(' ')
            && let Some(count) = times(last)
            && self.catalog.find(text, Some(kind)).is_err()
        {
            return Ok((self.part(option, name, Some(kind))?, count));
        }
        Ok((self.part(option, text, Some(kind))?, 1))
    }

    fn part(&self, option: &str, name: &str, kind: Option<&str>) -> Result<&'a Part, String> {
        let what = kind.map_or("part".to_owned(), |k| format!("part of kind {k}"));
        let hint = "Give an id, a name, or a unique part of a name.";
        self.catalog.find(name, kind).map_err(|candidates| ambiguous(option, &what, name, &candidates, hint))
    }

    fn board(&self) -> Option<(PlacementId, &'a Part, &'a Board)> {
        let (id, part) = self.project.rig.part_in(self.catalog, &SlotId::rig("board"))?;
        match &part.kind {
            PartKind::Board(board) => Some((id, part, board)),
            _ => None,
        }
    }

    fn on_board(&mut self, option: &str, part: &Part, slot: &str) -> Result<(), String> {
        let (id, board, _) = self.board().ok_or_else(|| format!("{option}: the rig has no board."))?;
        let slot = SlotId::of(id, slot);
        if !slots(self.catalog, &self.project.rig).iter().any(|s| s.id == slot) {
            return Err(format!("{option}: {} has no place \"{}\" for {}.", board.name, slot.name, part.name));
        }
        self.place(option, part, slot)
    }

    /// Places a part; one of another socket or kind of memory goes to the tray instead, so that the checks can judge it.
    fn place(&mut self, option: &str, part: &Part, slot: SlotId) -> Result<(), String> {
        match Edit::place(&part.id, Some(slot)).apply(self.catalog, &self.project) {
            Ok(next) => self.project = next,
            Err(Refusal::DoesNotFit { why, place, .. }) if self.is_other_kind(part) => {
                self.warnings.push(format!("{option}: {} does not go to {place}: {why}. It lies in the tray.", part.name));
                let tray = Edit::place(&part.id, None).apply(self.catalog, &self.project);
                self.project = tray.map_err(|e| format!("{option}: {e}"))?;
            }
            Err(refusal) => return Err(format!("{option}: {refusal}")),
        }
        Ok(())
    }

    fn is_other_kind(&self, part: &Part) -> bool {
        let Some((_, _, board)) = self.board() else { return false };
        match &part.kind {
            PartKind::Cpu(cpu) => cpu.socket != board.socket,
            PartKind::Ram(ram) => ram.memory_type != board.memory_type,
            PartKind::Cooler(cooler) => match (&cooler.sockets, board.socket) {
                (Some(list), Some(socket)) => !list.iter().any(|s| s.cooler_fits(socket)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Free places of a sort, in order.
    fn free(&self, wanted: impl Fn(&Slot) -> bool) -> Vec<Slot> {
        slots(self.catalog, &self.project.rig).into_iter().filter(|s| s.occupants.is_empty() && wanted(s)).collect()
    }

    /// The first free place that takes the part, one that takes it without remark before the others.
    fn first_fit(&self, part: &Part, places: &[Slot]) -> Option<SlotId> {
        let answer = |s: &Slot| fit(self.catalog, &self.project.rig, part, s, None);
        let plain = places.iter().find(|s| answer(s) == Fit::Fits);
        plain.or_else(|| places.iter().find(|s| answer(s).possible())).map(|s| s.id.clone())
    }

    fn drive(&mut self, name: &str) -> Result<(), String> {
        let part = self.part("--drive", name, Some("drive"))?;
        let of = |kinds: &'static [ConnectorKind]| self.free(|s| s.connector().is_some_and(|c| kinds.contains(&c.kind)));
        let m2 = of(&[ConnectorKind::M2]);
        let cabled = of(&[ConnectorKind::U2, ConnectorKind::SlimSas, ConnectorKind::Mcio, ConnectorKind::Oculink]);
        let bays = self.free(|s| matches!(s.kind, SlotKind::Bay { .. }));
        let cards = of(&[ConnectorKind::Pcie]);
        let slot = [m2, cabled, bays, cards].iter().find_map(|places| self.first_fit(part, places));
        let slot = slot.ok_or_else(|| format!("--drive: no free place takes {}. Name another with --put CONNECTOR=PART.", part.name))?;
        self.place("--drive", part, slot)
    }

    fn fan(&mut self, text: &str) -> Result<(), String> {
        let (mount, name) = pair("--fan", "MOUNT=PART", text)?;
        let (part, count) = self.counted("--fan", name, "fan")?;
        let is_mount = |s: &Slot| matches!(s.kind, SlotKind::FanMount { .. });
        let named = |s: &Slot| {
            let side = matches!(s.kind, SlotKind::FanMount { edge, .. } if same(edge.text(), mount));
            is_mount(s) && (side || same(&s.id.name, mount) || same(&s.label, mount))
        };
        for _ in 0..count {
            let free = self.free(named);
            let slot = self.first_fit(part, &free).or_else(|| free.first().map(|s| s.id.clone()));
            let slot = slot.ok_or_else(|| {
                let names: Vec<String> = self.free(is_mount).iter().map(|s| s.id.name.to_string()).collect();
                format!("--fan: no free mount is named \"{mount}\". {}", choice("Free mounts", &names))
            })?;
            self.place("--fan", part, slot)?;
        }
        Ok(())
    }

    fn put(&mut self, text: &str) -> Result<(), String> {
        let (connector, name) = pair("--put", "CONNECTOR=PART", text)?;
        let part = self.part("--put", name, None)?;
        let slot = self.connector(connector)?;
        let part = self.like_stand_in(part, &slot).unwrap_or(part);
        self.place("--put", part, slot)
    }

    /// `NVMe x4` means any such drive: where the stand-in's own form does not go there, one of another form with the same link does.
    fn like_stand_in(&self, part: &Part, slot: &SlotId) -> Option<&'a Part> {
        let PartKind::Drive(wanted) = &part.kind else { return None };
        let place = slots(self.catalog, &self.project.rig).into_iter().find(|s| s.id == *slot)?;
        let goes = |p: &Part| fit(self.catalog, &self.project.rig, p, &place, None).possible();
        if !part.generic || goes(part) {
            return None;
        }
        let alike = |p: &&Part| matches!(&p.kind, PartKind::Drive(d) if (d.bus, d.pcie_lanes, d.rotating) == (wanted.bus, wanted.pcie_lanes, wanted.rotating));
        self.catalog.parts().filter(|p| p.generic).filter(alike).find(|p| goes(p))
    }

    /// A connector by its label, `end` for the first free end of a riser, or `LABEL/NAME` for a place that the part in `LABEL` offers.
    fn connector(&self, name: &str) -> Result<SlotId, String> {
        let offered: Vec<Slot> =
            slots(self.catalog, &self.project.rig).into_iter().filter(|s| s.connector().is_some() || s.kind == SlotKind::Bridge).collect();
        let on = |host: &Slot, inner: &str| {
            let host = *host.occupants.first()?;
            offered.iter().find(|s| s.id.host_part() == Some(host) && same(&s.id.name, inner))
        };
        let by_label = || {
            let all: Vec<&Slot> = offered.iter().filter(|s| same(&s.label, name) || same(&s.id.name, name)).collect();
            all.iter().find(|s| s.occupants.is_empty()).or_else(|| all.first()).copied()
        };
        let by_host = || {
            let (host, inner) = name.rsplit_once('/')?;
            offered.iter().filter(|s| same(&s.label, host)).find_map(|s| on(s, inner))
        };
        let by_id = || offered.iter().find(|s| same(&s.id.to_string(), name));
        let found = by_label().or_else(by_host).or_else(by_id);
        found.map(|s| s.id.clone()).ok_or_else(|| {
            let labels: Vec<String> = offered.iter().map(|s| s.label.clone()).collect();
            format!("--put: no connector is named \"{name}\". {}", choice("Connectors", &labels))
        })
    }

    fn bios(&mut self, text: &str) -> Result<(), String> {
        let (what, part, board) = self.board().ok_or("--bios: the rig has no board.")?;
        // An option may stand alone: "slot4_x4".
        let alone = board.choices.iter().find_map(|c| c.option(text).map(|o| (c.key.as_str(), o.value.as_str())));
        let (key, value) = match alone {
            Some(found) => found,
            None => pair("--bios", "KEY=VALUE", text)?,
        };
        let (key, value) = setting(part, board, key, value).map_err(|e| format!("--bios: {e}"))?;
        let edit = Edit::Set { what, key: format!("bios.{key}"), value: Some(value) };
        self.project = edit.apply(self.catalog, &self.project).map_err(|e| format!("--bios: {e}"))?;
        Ok(())
    }
}

/// Key and value as the lanes read them: a choice of the board by key, label or value, a setting that every board has, or one of a connector.
fn setting(part: &Part, board: &Board, key: &str, value: &str) -> Result<(String, String), String> {
    let on = ["on", "yes", "true", "1", "enabled"].iter().any(|yes| alike(yes, value));
    for choice in &board.choices {
        let named = alike(key, &choice.key) || alike(key, &choice.label);
        // "slot4_x4=on", and "mode=CPU mode" whatever the left side is called.
        let option = choice.option(value).or_else(|| choice.option(key).filter(|_| on));
        match option {
            Some(option) => return Ok((choice.key.clone(), option.value.clone())),
            None if named => {
                let all: Vec<&str> = choice.options.iter().map(|o| o.value.as_str()).collect();
                return Err(format!("{} of {} has no option \"{value}\". Options: {}.", choice.key, part.name, all.join(", ")));
            }
            None => {}
        }
    }
    if let Some((key, values)) = BIOS.iter().find(|(k, _)| alike(k, key)) {
        let value = value.to_lowercase();
        let known = values.contains(&value.as_str());
        return if known {
            Ok(((*key).to_owned(), value))
        } else {
            Err(format!("{key} is one of {}, not \"{value}\".", values.join(", ")))
        };
    }
    if let Some((kind, label)) = key.split_once('.').filter(|(kind, _)| matches!(*kind, "split" | "gen")) {
        let found = board.connectors.iter().find(|c| same(&c.label, label));
        let connector = found.ok_or_else(|| format!("{} has no connector \"{label}\".", part.name))?;
        let fits = if kind == "gen" { (1..=7).any(|g| value == g.to_string()) } else { value == "off" || split_parts(value).is_some() };
        let shape = if kind == "gen" { "1 to 7" } else { "such as x4x4x4x4, or off" };
        return if fits {
            Ok((format!("{kind}.{}", connector.label), value.to_owned()))
        } else {
            Err(format!("{key} is {shape}, not \"{value}\"."))
        };
    }
    let own: Vec<&str> = board.choices.iter().map(|c| c.key.as_str()).collect();
    let all: Vec<&str> = own.into_iter().chain(BIOS.iter().map(|(k, _)| *k)).chain(["split.CONNECTOR", "gen.CONNECTOR"]).collect();
    Err(format!("{} has no setting \"{key}\". Settings: {}.", part.name, all.join(", ")))
}

/// `x4` means four.
fn times(word: &str) -> Option<usize> {
    let count = word.strip_prefix(['x', 'X'])?.parse().ok()?;
    (1..=64).contains(&count).then_some(count)
}

fn pair<'t>(option: &str, shape: &str, text: &'t str) -> Result<(&'t str, &'t str), String> {
    let (left, right) = text.split_once('=').ok_or_else(|| format!("{option}: \"{text}\" has no \"=\". Write {shape}."))?;
    let (left, right) = (left.trim(), right.trim());
    if left.is_empty() || right.is_empty() {
        Err(format!("{option}: one side of \"{text}\" is empty. Write {shape}."))
    } else {
        Ok((left, right))
    }
}

/// Equal but for case and blanks.
fn same(a: &str, b: &str) -> bool {
    let plain = |t: &str| t.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect::<String>();
    plain(a) == plain(b)
}

fn choice(what: &str, names: &[String]) -> String {
    if names.is_empty() { "This rig has none.".to_owned() } else { format!("{what} of this rig: {}.", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_pairs() {
        assert_eq!(times("x4"), Some(4));
        assert_eq!(times("x0"), None);
        assert_eq!(times("4x"), None);
        assert_eq!(pair("--put", "C=P", "A = b=c"), Ok(("A", "b=c")));
        assert!(pair("--put", "C=P", "A=").is_err());
        assert!(same("Slot 1", "SLOT1"));
    }
}
