//! Several workloads on one rig: who runs when on which card, what is left, and which workload breaks the plan (G23).

use crate::analysis::memory::CardLedger;
use crate::build::PlacementId;
use crate::project::Project;
use crate::units::Bytes;

/// One card over the day.
#[derive(Clone, Debug, PartialEq)]
pub struct CardDay {
    pub gpu: PlacementId,
    pub name: String,
    /// Most that runs on it at once.
    pub peak: Bytes,
    /// `None` = the card's memory size is unknown.
    pub left: Option<Bytes>,
    /// Largest sum of claimed shares of time.
    pub time: f64,
    /// Hours of the day in which nothing runs.
    pub idle_hours: f64,
}

/// A workload that does not fit beside those before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    pub workload: usize,
    pub name: String,
    pub gpu: PlacementId,
    /// Hour of the day at which it fails first.
    pub hour: f64,
    pub reason: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Day {
    pub cards: Vec<CardDay>,
    /// In order of priority, each workload once.
    pub broken: Vec<Broken>,
}

/// The plan of the day. Workloads that run at the same time add their memory, order is priority: the later gives way.
pub fn day(project: &Project, memory: &[CardLedger]) -> Day {
    let mut day = Day::default();
    let mut gpus: Vec<PlacementId> = memory.iter().map(|l| l.gpu).collect();
    gpus.sort_unstable();
    gpus.dedup();
    for gpu in gpus {
        let here: Vec<(&CardLedger, crate::workload::Sharing)> =
            memory.iter().filter(|l| l.gpu == gpu).filter_map(|l| Some((l, project.workloads.get(l.workload)?.sharing))).collect();
        let Some((first, _)) = here.first() else { continue };
        let mut card = CardDay { gpu, name: first.gpu_name.clone(), peak: Bytes(0), left: first.capacity, time: 0.0, idle_hours: 24.0 };
        // The set of running jobs changes where one starts.
        for (_, at) in &here {
            let hour = at.start();
            let (mut used, mut time) = (0_u64, 0.0_f64);
            let mut whole: Option<&str> = None;
            let mut others = 0;
            for (ledger, sharing) in here.iter().filter(|(_, s)| s.runs_at(hour)) {
                let claimed = sharing.part.and_then(|p| p.memory_gib).map(Bytes::from_gib);
                let need = claimed.map_or(ledger.total, |c| Bytes(c.0)).0;
                let next = used.saturating_add(need);
                let over = first.capacity.is_some_and(|c| next > c.0);
                let reason = if let Some(name) = whole {
                    Some(format!("{name} claims the card whole"))
                } else if sharing.part.is_none() && others > 0 {
                    Some("it claims the card whole, and others run on it".to_owned())
                } else if claimed.is_some_and(|c| ledger.total.0 > c.0) {
                    Some(format!("it takes {:.1} GiB, more than the {:.1} GiB that it claims", ledger.total.gib(), Bytes(need).gib()))
                } else if over && used > 0 {
                    Some(format!(
                        "it needs {:.1} GiB where {:.1} are left",
                        Bytes(need).gib(),
                        first.capacity.map_or(0.0, |c| c.saturating_sub(Bytes(used)).gib())
                    ))
                } else if time + sharing.time() > 1.0 + 1e-9 {
                    Some(format!("it claims {:.0} % of the time where {:.0} % are left", sharing.time() * 100.0, (1.0 - time) * 100.0))
                } else {
                    None
                };
                if let Some(reason) = reason {
                    if !day.broken.iter().any(|b| b.workload == ledger.workload) {
                        day.broken.push(Broken { workload: ledger.workload, name: ledger.workload_name.clone(), gpu, hour, reason });
                    }
                    continue;
                }
                (used, time, others) = (next, time + sharing.time(), others + 1);
                if sharing.part.is_none() {
                    whole = Some(&ledger.workload_name);
                }
            }
            card.peak = card.peak.max(Bytes(used));
            card.time = card.time.max(time);
        }
        // A day in steps of a quarter of an hour.
        let busy = (0..96).filter(|n| here.iter().any(|(_, s)| s.runs_at(f64::from(*n) / 4.0 + 0.01))).count();
        card.idle_hours = 24.0 - busy as f64 / 4.0;
        card.left = first.capacity.map(|c| c.saturating_sub(card.peak));
        day.cards.push(card);
    }
    day.broken.sort_by_key(|b| b.workload);
    day
}
