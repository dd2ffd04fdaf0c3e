//! Speeds, limits and the plan of the day as JSON.

use super::{JsonBroken, JsonCardDay, JsonDay, JsonLimit, JsonPoint, JsonRunner, JsonSpeed, JsonTerm, known, rounded};
use crate::analysis::speed::breaks::Limit;
use crate::analysis::speed::share::Day;
use crate::analysis::speed::{CurvePoint, Speed};

pub(super) fn speed(speed: &Speed) -> JsonSpeed {
    let points =
        |curve: &[CurvePoint]| curve.iter().map(|p| JsonPoint { x: rounded(p.x), value: known(Some(p.value)), fits: p.fits }).collect();
    let best = speed.ways.best();
    let runners = speed.ways.options.iter().skip(usize::from(best.is_some()));
    let runners_up = runners.map(|o| JsonRunner {
        strategy: o.way.text().to_owned(),
        value: known(o.value),
        fits: o.fits,
        sent_bytes: rounded(o.sent),
        reason: o.reason(best.unwrap_or(o), speed.unit),
    });
    JsonSpeed {
        workload: speed.workload_name.clone(),
        metric: speed.metric.to_owned(),
        value: known(speed.value),
        low: known(speed.low),
        high: known(speed.high),
        unit: speed.unit.to_owned(),
        bound_by: speed.bound,
        missing: speed.missing.clone(),
        terms: speed
            .terms
            .iter()
            .map(|t| JsonTerm {
                name: t.name.to_owned(),
                seconds: rounded(t.seconds),
                source: t.source.to_owned(),
                overlapped: t.overlapped,
            })
            .collect(),
        strategy: best.map(|o| o.way.text().to_owned()),
        set: speed.ways.set.map(|w| w.text().to_owned()),
        runners_up: runners_up.collect(),
        over_context: points(&speed.over_context),
        over_batch: points(&speed.over_batch),
        over_cards: points(&speed.over_cards),
    }
}

pub(super) fn limit(limit: &Limit) -> JsonLimit {
    JsonLimit {
        workload: limit.workload_name.clone(),
        layer: limit.layer,
        at: known(limit.at),
        unit: limit.unit.to_owned(),
        reason: limit.reason.clone(),
        growth: known(limit.growth),
    }
}

pub(super) fn day(day: &Day) -> JsonDay {
    JsonDay {
        cards: day
            .cards
            .iter()
            .map(|c| JsonCardDay {
                gpu: c.gpu.to_string(),
                peak_bytes: c.peak.0,
                left_bytes: c.left.map(|b| b.0),
                time: rounded(c.time),
                idle_hours: rounded(c.idle_hours),
            })
            .collect(),
        broken_by: day
            .broken
            .iter()
            .map(|b| JsonBroken { workload: b.name.clone(), gpu: b.gpu.to_string(), hour: rounded(b.hour), reason: b.reason.clone() })
            .collect(),
    }
}
