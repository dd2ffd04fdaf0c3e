//! "Advise cooling": every single change on the rig as it stands, ranked by what it gains, with a band on the difference.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::analysis::airflow::rig::{RigScene, scene};
use crate::analysis::airflow::sampling::{Draw, draws, quantile, sampled};
use crate::analysis::airflow::with_readings;
use crate::analysis::airflow::work::{Class, work};
use crate::analysis::cost::{best_price, in_room_currency};
use crate::analysis::power::{POWER_LIMIT, power};
use crate::analysis::space::space;
use crate::build::fit::fit;
use crate::build::slots::{SlotKind, slots};
use crate::build::{PlacementId, SlotId};
use crate::catalog::Catalog;
use crate::catalog::part::{Part, PartId, PartKind};
use crate::catalog::vocab::{Edge, GpuCooler};
use crate::project::Project;
use crate::project::air_settings::{CARD_CURVE, CARD_FAN, FAN_SPEED, FRONT_GAPS, SIDE_PANEL, SLOT_COVERS};
use crate::project::edit::Edit;
use crate::units::watts;

/// Sets of uncertain inputs under which rig and changed rig are compared: the same ones for both.
const DRAWS: usize = 24;

/// A difference with its 80 % band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Gain {
    /// Whether nought lies in the band.
    pub fn is_noise(&self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }
}

/// How much a change asks of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// A setting.
    Setting,
    /// A screwdriver.
    Hands,
    /// Something has to be bought.
    Purchase,
}

/// One change and what it brings.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub label: String,
    pub edit: Edit,
    /// Of the hottest card, K; above 0 it gets cooler.
    pub cooler_k: Gain,
    /// Compute-bound work of all cards together, per cent of that at rated power; above 0 is more.
    pub work_pct: Gain,
    /// To be bought, in the room's currency; `None` = the price is unknown, `Some(0)` = nothing to buy.
    pub price: Option<f64>,
    pub effort: Effort,
    /// The change lies inside what is uncertain of its effect.
    pub in_noise: bool,
}

/// How far a search is, and whether it should stop; shared with whoever waits for it.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicUsize,
    of: AtomicUsize,
    stop: AtomicBool,
}

impl Progress {
    /// Changes tried, and all there are.
    pub fn state(&self) -> (usize, usize) {
        (self.done.load(Ordering::Relaxed), self.of.load(Ordering::Relaxed))
    }
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// As [`advise_watched`], to its end.
pub fn advise(catalog: &Catalog, project: &Project) -> Vec<Advice> {
    advise_watched(catalog, project, &Progress::default()).unwrap_or_default()
}

/// Tries every single change and ranks them: those beyond the noise first, by work, then by degrees, then by effort.
///
/// Costs some milliseconds a change: for the worker. `None` if it was stopped.
pub fn advise_watched(catalog: &Catalog, project: &Project, progress: &Progress) -> Option<Vec<Advice>> {
    let base = rig(catalog, project);
    if base.cards.iter().all(|c| c.cooler.is_none()) {
        return Some(Vec::new());
    }
    let before = outcomes(&base, &draws(&base, DRAWS));
    let all = candidates(catalog, project);
    progress.of.store(all.len(), Ordering::Relaxed);
    let mut out: Vec<Advice> = all
        .into_iter()
        .take_while(|_| !progress.is_stopped())
        .filter_map(|c| {
            progress.done.fetch_add(1, Ordering::Relaxed);
            let after = c.edit.apply(catalog, project).ok()?;
            let changed = rig(catalog, &after);
            // Not one card may fall out of its place, nor into another one.
            let judged = |r: &RigScene| r.cards.iter().filter(|c| c.cooler.is_some()).count();
            if judged(&changed) != judged(&base) || overlap(&changed) > overlap(&base) + 1e-4 {
                return None;
            }
            let then = outcomes(&changed, &draws(&changed, DRAWS));
            let cooler_k = gain(&before, &then, |o| -o.hottest_c);
            let work_pct = gain(&before, &then, |o| o.work * 100.0);
            let in_noise = cooler_k.is_noise() && work_pct.is_noise();
            Some(Advice { label: c.label, edit: c.edit, cooler_k, work_pct, price: c.price, effort: c.effort, in_noise })
        })
        .collect();
    out.sort_by(|a, b| {
        let coarse = |g: &Gain, step: f64| (g.value / step).round();
        a.in_noise
            .cmp(&b.in_noise)
            .then(coarse(&b.work_pct, 0.5).total_cmp(&coarse(&a.work_pct, 0.5)))
            .then(coarse(&b.cooler_k, 0.5).total_cmp(&coarse(&a.cooler_k, 0.5)))
            .then(a.effort.cmp(&b.effort))
            .then(a.label.cmp(&b.label))
    });
    (!progress.is_stopped()).then_some(out)
}

/// The scene of a rig, readings worked in.
pub(super) fn rig(catalog: &Catalog, project: &Project) -> RigScene {
    with_readings(scene(catalog, project, &space(catalog, &project.rig), &power(catalog, project)))
}

/// Metres by which cards stand in each other's place.
fn overlap(rig: &RigScene) -> f64 {
    let boxes: Vec<_> = rig.cards.iter().filter_map(|c| rig.scene.coolers.get(c.cooler?)).map(|c| c.at).collect();
    boxes.iter().zip(boxes.iter().skip(1)).map(|(a, b)| (a.y1 - b.y0).max(0.0)).sum()
}

/// What a rig comes to under one draw.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    hottest_c: f64,
    work: f64,
}

fn outcomes(rig: &RigScene, draws: &[Draw]) -> Vec<Outcome> {
    sampled(rig, draws)
        .iter()
        .map(|state| {
            let judged = || rig.cards.iter().filter_map(|c| Some((state.cards.get(c.cooler?)?, c.rated_w)));
            let n = judged().count().max(1) as f64;
            Outcome {
                hottest_c: judged().map(|(c, _)| c.die_c).fold(f64::MIN, f64::max),
                work: judged().map(|(c, rated)| work(Class::ComputeBound, c.power / rated.max(1.0))).sum::<f64>() / n,
            }
        })
        .collect()
}

fn gain(before: &[Outcome], after: &[Outcome], of: impl Fn(&Outcome) -> f64) -> Gain {
    let all: Vec<f64> = before.iter().zip(after).map(|(b, a)| of(a) - of(b)).collect();
    let value = all.iter().sum::<f64>() / all.len().max(1) as f64;
    Gain { value, low: quantile(all.clone(), 0.1), high: quantile(all, 0.9) }
}

struct Candidate {
    label: String,
    edit: Edit,
    price: Option<f64>,
    effort: Effort,
}

fn candidates(catalog: &Catalog, project: &Project) -> Vec<Candidate> {
    let mut out = Vec::new();
    for (id, piece, part) in project.rig.placed(catalog) {
        let set = |key: &str, value: &str| Edit::Set { what: id, key: key.to_owned(), value: Some(value.to_owned()) };
        let mut free = |label: String, edit: Edit, effort: Effort| out.push(Candidate { label, edit, price: Some(0.0), effort });
        match &part.kind {
            PartKind::Fan(_) => {
                let name = fan_name(project, catalog, id, part);
                if piece.settings.get(FAN_SPEED).map(String::as_str) != Some("100") {
                    free(format!("Run the {name} at full speed"), set(FAN_SPEED, "100"), Effort::Setting);
                }
                let inward = piece.settings.get("direction").map_or(intake(piece.slot.as_ref()), |d| d == "intake");
                free(format!("Turn the {name} around"), set("direction", if inward { "exhaust" } else { "intake" }), Effort::Hands);
            }
            PartKind::Case(_) => {
                let not = |key: &str, value: &str| piece.settings.get(key).map(String::as_str) != Some(value);
                if not(SIDE_PANEL, "off") {
                    free("Take the side panel off".to_owned(), set(SIDE_PANEL, "off"), Effort::Hands);
                }
                if not(SLOT_COVERS, "removed") {
                    free("Take the covers of free slots out".to_owned(), set(SLOT_COVERS, "removed"), Effort::Hands);
                }
                if not(FRONT_GAPS, "sealed") {
                    free("Seal the front beside its fans".to_owned(), set(FRONT_GAPS, "sealed"), Effort::Hands);
                }
            }
            PartKind::Gpu(gpu) => {
                let name = part.short_name();
                let place = piece.slot.as_ref().map_or_else(String::new, |s| format!(" in {}", s.name));
                if let Some(rated) = gpu.tdp_w {
                    for share in [0.9, 0.8, 0.7] {
                        let limit = (rated * share / 5.0).round() * 5.0;
                        if limit >= gpu.power_min_w.unwrap_or(0.0) {
                            free(
                                format!("Limit {name}{place} to {}", watts(limit)),
                                set(POWER_LIMIT, &format!("{limit:.0}")),
                                Effort::Setting,
                            );
                        }
                    }
                }
                if !matches!(gpu.cooler, None | Some(GpuCooler::Passive | GpuCooler::Water | GpuCooler::Hybrid)) {
                    let set_in = |key: &str, value: &str| Edit::Set { what: id, key: key.to_owned(), value: Some(value.to_owned()) };
                    for (key, value, label) in [
                        (CARD_CURVE, STEEP, format!("Give the fan of {name}{place} a steep curve, 100 % from 75 °C on")),
                        (CARD_FAN, "100", format!("Hold the fan of {name}{place} at full speed")),
                    ] {
                        if piece.settings.get(key).map(String::as_str) != Some(value) {
                            out.push(Candidate { label, edit: set_in(key, value), price: Some(0.0), effort: Effort::Setting });
                        }
                    }
                }
                out.extend(moves(catalog, project, id, part, &place));
                out.extend(blower(catalog, project, id, part, &place));
            }
            PartKind::Cpu(_)
            | PartKind::Board(_)
            | PartKind::Ram(_)
            | PartKind::Drive(_)
            | PartKind::Psu(_)
            | PartKind::Cooler(_)
            | PartKind::Nic(_)
            | PartKind::Riser(_)
            | PartKind::Carrier(_)
            | PartKind::Bridge(_) => {}
        }
    }
    out.extend(limits_of_all(catalog, project));
    out.extend(more_fans(catalog, project));
    out
}

/// A card's fan that runs full before the card is hot.
const STEEP: &str = "45:40,75:100";

/// All cards at the same share of their board power, or with the same curve: one setting of a script.
fn limits_of_all(catalog: &Catalog, project: &Project) -> Vec<Candidate> {
    let cards = || {
        project.rig.placed(catalog).filter_map(|(id, _, part)| match &part.kind {
            PartKind::Gpu(gpu) => Some((id, gpu.tdp_w?, gpu.power_min_w.unwrap_or(0.0))),
            _ => None,
        })
    };
    if cards().count() < 2 {
        return Vec::new();
    }
    let candidate = |share: f64| {
        let limit = |rated: f64| (rated * share / 5.0).round() * 5.0;
        if cards().any(|(_, rated, least)| limit(rated) < least) {
            return None;
        }
        let value = |rated: f64| Some(format!("{:.0}", limit(rated)));
        let edits = cards().map(|(what, rated, _)| Edit::Set { what, key: POWER_LIMIT.to_owned(), value: value(rated) }).collect();
        let label = format!("Limit all {} cards to {:.0} % of their power", cards().count(), share * 100.0);
        Some(Candidate { edit: Edit::Many { label: label.clone(), edits }, label, price: Some(0.0), effort: Effort::Setting })
    };
    let mut out: Vec<Candidate> = [0.9, 0.8, 0.7].into_iter().filter_map(candidate).collect();
    let fanned = |p: &Part| {
        let PartKind::Gpu(gpu) = &p.kind else { return false };
        !matches!(gpu.cooler, None | Some(GpuCooler::Passive | GpuCooler::Water | GpuCooler::Hybrid))
    };
    let with_fans: Vec<PlacementId> = project.rig.placed(catalog).filter(|(_, _, p)| fanned(p)).map(|(id, ..)| id).collect();
    if with_fans.len() > 1 {
        let edits = with_fans.iter().map(|&what| Edit::Set { what, key: CARD_CURVE.to_owned(), value: Some(STEEP.to_owned()) }).collect();
        let label = format!("Give the fans of all {} cards a steep curve, 100 % from 75 °C on", with_fans.len());
        out.push(Candidate { edit: Edit::Many { label: label.clone(), edits }, label, price: Some(0.0), effort: Effort::Setting });
    }
    out
}

fn intake(slot: Option<&SlotId>) -> bool {
    slot.is_some_and(|s| ["front", "bottom", "side"].iter().any(|e| s.name.starts_with(e)))
}

fn fan_name(project: &Project, catalog: &Catalog, id: PlacementId, part: &Part) -> String {
    let slot = project.rig.placement(id).and_then(|p| p.slot.clone());
    let label = slots(catalog, &project.rig).into_iter().find(|s| Some(&s.id) == slot.as_ref()).map(|s| s.label);
    label.unwrap_or_else(|| part.short_name().to_owned())
}

/// The card in every other free slot that takes it.
fn moves(catalog: &Catalog, project: &Project, id: PlacementId, part: &Part, place: &str) -> Vec<Candidate> {
    let free = slots(catalog, &project.rig).into_iter().filter(|s| s.is_pcie() && s.occupants.is_empty());
    free.filter(|s| fit(catalog, &project.rig, part, s, Some(id)).possible())
        .map(|s| Candidate {
            label: format!("Move {}{place} to {}", part.short_name(), s.label),
            edit: Edit::Move { what: id, to: Some(s.id) },
            price: Some(0.0),
            effort: Effort::Hands,
        })
        .collect()
}

/// Price of one piece in the room's currency.
fn price(catalog: &Catalog, project: &Project, part: &PartId) -> Option<f64> {
    let asked = best_price(catalog, project, part)?;
    in_room_currency(catalog, project, asked.price).map(|(money, _)| money.amount())
}

/// The blower version of the same product, as far as the catalog has one.
fn blower(catalog: &Catalog, project: &Project, id: PlacementId, part: &Part, place: &str) -> Option<Candidate> {
    let PartKind::Gpu(old) = &part.kind else { return None };
    if old.cooler == Some(GpuCooler::Blower) || old.product.is_none() {
        return None;
    }
    let same = |p: &&Part| matches!(&p.kind, PartKind::Gpu(g) if g.product == old.product && g.cooler == Some(GpuCooler::Blower));
    let new = catalog.parts().find(same)?;
    let price = price(catalog, project, &new.id);
    Some(Candidate {
        label: format!("Replace {}{place} by {}", part.short_name(), new.short_name()),
        edit: Edit::Replace { what: id, part: new.id.clone() },
        price,
        effort: Effort::Purchase,
    })
}

/// One more fan in the first free mount of each side: of the kind the rig has, else a stand-in.
fn more_fans(catalog: &Catalog, project: &Project) -> Vec<Candidate> {
    let owned = project.rig.placed(catalog).find(|(_, _, p)| matches!(p.kind, PartKind::Fan(_))).map(|(_, _, p)| p);
    let Some(fan) = owned.or_else(|| catalog.parts().find(|p| p.generic && matches!(p.kind, PartKind::Fan(_)))) else { return Vec::new() };
    let mut seen: Vec<Edge> = Vec::new();
    let mut out = Vec::new();
    for slot in slots(catalog, &project.rig).into_iter().filter(|s| s.occupants.is_empty()) {
        let SlotKind::FanMount { edge, .. } = slot.kind else { continue };
        if seen.contains(&edge) || edge == Edge::Internal || !fit(catalog, &project.rig, fan, &slot, None).possible() {
            continue;
        }
        seen.push(edge);
        out.push(Candidate {
            label: format!("Add {} as {}", fan.short_name(), slot.label),
            edit: Edit::place(&fan.id, Some(slot.id)),
            price: price(catalog, project, &fan.id),
            effort: Effort::Purchase,
        });
    }
    out
}
