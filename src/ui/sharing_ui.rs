//! When a workload runs and what it claims, and what the day of each card looks like (G23).

use eframe::egui::{CollapsingHeader, DragValue, Label, Ui};

use super::Cx;
use super::widgets::{row, sub};
use crate::workload::{Hours, Part, Workload};

/// The rows behind "When it runs"; `index` is the workload's place.
pub(super) fn sharing_ui(ui: &mut Ui, cx: &Cx<'_>, index: usize, next: &mut Workload) {
    let day = &cx.session.report().facts.day;
    let broken = day.broken.iter().find(|b| b.workload == index);
    let head = match (next.sharing.hours, next.sharing.part) {
        (None, None) => "When it runs: always, cards whole".to_owned(),
        (hours, part) => {
            let when = hours.map_or("always".to_owned(), |h| format!("{:.0} h from {:.0}:00", h.hours, h.from));
            format!("When it runs: {when}, {}", part.map_or("cards whole".to_owned(), |p| format!("{:.0} % of the time", p.time * 100.0)))
        }
    };
    CollapsingHeader::new(head).id_salt("sharing").default_open(false).show(ui, |ui| {
        let sharing = &mut next.sharing;
        row(ui, cx.tokens, "Hours", |ui| {
            let mut limited = sharing.hours.is_some();
            ui.checkbox(&mut limited, "some");
            sharing.hours = limited.then(|| sharing.hours.unwrap_or(Hours { from: 8.0, hours: 8.0 }));
            if let Some(h) = &mut sharing.hours {
                ui.add(DragValue::new(&mut h.from).range(0.0..=24.0).speed(0.1).max_decimals(2).prefix("from ").suffix(" h"));
                ui.add(DragValue::new(&mut h.hours).range(0.25..=24.0).speed(0.1).max_decimals(2).prefix("for ").suffix(" h"));
            }
        });
        row(ui, cx.tokens, "Claim", |ui| {
            let mut part = sharing.part.is_some();
            ui.checkbox(&mut part, "a part");
            sharing.part = part.then(|| sharing.part.unwrap_or(Part { memory_gib: None, time: 0.5 }));
            if let Some(p) = &mut sharing.part {
                let mut percent = p.time * 100.0;
                if ui.add(DragValue::new(&mut percent).range(1.0..=100.0).speed(0.5).max_decimals(1).suffix(" % of the time")).changed() {
                    p.time = percent / 100.0;
                }
                let mut gib = p.memory_gib.unwrap_or(0.0);
                let shown = |v: f64, _| if v > 0.0 { format!("{v:.1} GiB") } else { "as needed".to_owned() };
                if ui.add(DragValue::new(&mut gib).range(0.0..=1024.0).speed(0.1).custom_formatter(shown)).changed() {
                    p.memory_gib = (gib > 0.0).then_some(gib);
                }
            }
        });
        for card in &day.cards {
            let left = card.left.map_or("unknown".to_owned(), |l| l.to_string());
            let text = format!(
                "{}: {} at most, {left} left, {:.0} % of the time, idle {:.1} h a day",
                card.name,
                card.peak,
                card.time * 100.0,
                card.idle_hours
            );
            ui.add(Label::new(sub(cx.tokens, text)).wrap());
        }
    });
    if let Some(broken) = broken {
        let text = format!("It breaks the plan at {:.0}:00: {}.", broken.hour, broken.reason);
        ui.add(Label::new(eframe::egui::RichText::new(text).color(cx.tokens.problem).size(12.5)).wrap());
    }
}
