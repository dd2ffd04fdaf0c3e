//! How a workload is served: engine, split, sizes of its pieces, and what stays in main memory.

use eframe::egui::{CollapsingHeader, ComboBox, DragValue, Ui};

use super::Cx;
use super::widgets::row;
use crate::workload::{Attention, Engine, Serving, Split, Workload};

/// The rows behind "How it is served"; `cards` is the number of graphics cards in the rig.
pub(super) fn serving_ui(ui: &mut Ui, cx: &Cx<'_>, next: &mut Workload, cards: u32) {
    let head = format!("How it is served: {}", next.engine().text());
    CollapsingHeader::new(head).id_salt("serving").default_open(false).show(ui, |ui| {
        row(ui, cx.tokens, "Engine", |ui| engine_ui(ui, next));
        if cards > 1 {
            row(ui, cx.tokens, "Shared", |ui| split_ui(ui, next));
            row(ui, cx.tokens, "Shares", |ui| shares_ui(ui, &mut next.serving, cards));
        }
        row(ui, cx.tokens, "At once", |ui| optional(ui, &mut next.serving.micro_batch, 1 << 20, " tokens"));
        row(ui, cx.tokens, "Attention", |ui| attention_ui(ui, &mut next.serving));
        let engine = next.engine();
        if engine.has_pool() {
            row(ui, cx.tokens, "Pool", |ui| pool_ui(ui, &mut next.serving));
            row(ui, cx.tokens, "Longest", |ui| {
                let mut most = next.serving.max_len.and_then(|n| u32::try_from(n).ok());
                optional(ui, &mut most, 1 << 30, " tokens");
                next.serving.max_len = most.map(u64::from);
            });
        }
        if engine == Engine::LlamaCpp {
            row(ui, cx.tokens, "Slots", |ui| optional(ui, &mut next.serving.slots, 4096, " kept apart"));
            let layers = next.model.layers;
            row(ui, cx.tokens, "On the CPU", |ui| count(ui, &mut next.serving.cpu_layers, layers, " layers"));
            if next.model.experts.is_some() {
                row(ui, cx.tokens, "Experts", |ui| count(ui, &mut next.serving.cpu_expert_layers, layers, " layers in main memory"));
            }
            row(ui, cx.tokens, "Drafts", |ui| count(ui, &mut next.serving.draft_tokens, 64, " tokens ahead"));
        }
    });
}

fn engine_ui(ui: &mut Ui, next: &mut Workload) {
    let usual = Engine::usual(next.precision);
    let text = next.serving.engine.map_or_else(|| format!("as usual ({})", usual.text()), |e| e.text().to_owned());
    ComboBox::from_id_salt("engine").selected_text(text).width(ui.available_width()).truncate().show_ui(ui, |ui| {
        ui.selectable_value(&mut next.serving.engine, None, format!("as usual ({})", usual.text()));
        for &engine in Engine::ALL {
            ui.selectable_value(&mut next.serving.engine, Some(engine), engine.text());
        }
    });
}

fn split_ui(ui: &mut Ui, next: &mut Workload) {
    let now = next.split();
    ComboBox::from_id_salt("sharing").selected_text(now.text()).width(ui.available_width()).truncate().show_ui(ui, |ui| {
        ui.selectable_value(&mut next.serving.split, None, "as the engine does");
        for &split in Split::ALL {
            ui.selectable_value(&mut next.serving.split, Some(split), split.text());
        }
    });
}

/// One number a card, in any unit; or as much as each has free.
fn shares_ui(ui: &mut Ui, serving: &mut Serving, cards: u32) {
    if serving.shares.is_empty() {
        ui.label("by free memory");
        if ui.button("Set").clicked() {
            serving.shares = vec![1.0; cards as usize];
        }
        return;
    }
    serving.shares.resize(cards as usize, 1.0);
    ui.horizontal_wrapped(|ui| {
        for share in &mut serving.shares {
            ui.add(DragValue::new(share).range(0.0..=1000.0).speed(0.05).max_decimals(2));
        }
        if ui.button("By free memory").clicked() {
            serving.shares.clear();
        }
    });
    if !serving.shares.is_empty() && serving.shares.iter().sum::<f64>() <= 0.0 {
        serving.shares.fill(1.0);
    }
}

fn attention_ui(ui: &mut Ui, serving: &mut Serving) {
    let text = serving.attention.map_or("as the engine picks", Attention::text);
    ComboBox::from_id_salt("attention").selected_text(text).show_ui(ui, |ui| {
        ui.selectable_value(&mut serving.attention, None, "as the engine picks");
        for &kernel in Attention::ALL {
            ui.selectable_value(&mut serving.attention, Some(kernel), kernel.text());
        }
    });
}

/// Share of a card in per cent.
fn pool_ui(ui: &mut Ui, serving: &mut Serving) {
    let mut percent = serving.pool.unwrap_or(0.9) * 100.0;
    let before = percent;
    ui.add(DragValue::new(&mut percent).range(5.0..=100.0).speed(0.5).max_decimals(1).suffix(" % of each card"));
    if (percent - before).abs() > 1e-9 {
        serving.pool = Some((percent / 100.0).clamp(0.05, 1.0));
    }
    if serving.pool.is_some() && ui.button("As usual").clicked() {
        serving.pool = None;
    }
}

/// 0 leaves it to the engine.
fn optional(ui: &mut Ui, value: &mut Option<u32>, most: u32, suffix: &str) {
    let mut number = value.unwrap_or(0);
    let shown = |n: f64, _: std::ops::RangeInclusive<usize>| {
        if n < 0.5 { "as usual".to_owned() } else { format!("{}{suffix}", crate::units::thousands(n, 0)) }
    };
    let parsed = |text: &str| {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        if text.trim().eq_ignore_ascii_case("as usual") { Some(0.0) } else { digits.parse().ok() }
    };
    ui.add(DragValue::new(&mut number).range(0..=most).speed(8.0).custom_formatter(shown).custom_parser(parsed));
    *value = (number > 0).then_some(number);
}

fn count(ui: &mut Ui, value: &mut u32, most: u32, suffix: &str) {
    ui.add(DragValue::new(value).range(0..=most).speed(0.1).suffix(suffix));
}
