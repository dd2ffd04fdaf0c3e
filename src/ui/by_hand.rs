//! A model built by hand: its sizes, and what they mean while they are being changed.

use std::sync::Arc;

use eframe::egui::{self, Checkbox, Label, TextEdit, Ui};

use super::Cx;
use super::action::Action;
use super::dialogs::buttons_ui;
use super::theme;
use super::widgets::{bounded_drag, card, row, sub, title};
use crate::catalog::model::{Cache, ModelShape, TensorClass};
use crate::catalog::precision::Precision;
use crate::import::by_hand::ByHand;
use crate::project::Project;
use crate::project::edit::Edit;
use crate::units::{Bytes, parameters, thousands};
use crate::workload::Workload;

/// The sizes being chosen, and the workload they are for.
#[derive(Debug)]
pub(super) struct ByHandState {
    index: usize,
    model: ByHand,
}

impl ByHandState {
    /// Starts from the model of that workload if it was built by hand, too.
    pub fn of(index: usize, project: &Project) -> Self {
        let model = project.workloads.get(index).and_then(|w| ByHand::of(&w.model)).unwrap_or_default();
        Self { index, model }
    }
}

pub(super) fn by_hand_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut ByHandState, fresh: bool, out: &mut Vec<Action>) -> bool {
    ui.label(title("Build a model by hand"));
    let about = "A decoder as most are today: RMS norms, rotary positions, a gated feed-forward. Change a size and watch what it costs.";
    ui.add(Label::new(sub(cx.tokens, about)).wrap());
    ui.add_space(4.0);
    let height = ui.ctx().content_rect().height() - 220.0;
    let shape = egui::ScrollArea::vertical().max_height(height.max(120.0)).show(ui, |ui| {
        fields_ui(ui, cx, &mut state.model, fresh, out);
        ui.add_space(6.0);
        let shape = state.model.shape();
        match &shape {
            Ok(shape) => figures_ui(ui, cx, shape),
            Err(error) => {
                ui.colored_label(cx.tokens.problem, error.to_string());
            }
        }
        shape.ok()
    });
    let pressed = buttons_ui(ui, cx, "Use this model", shape.inner.is_some(), false, None);
    if let Some(shape) = shape.inner.filter(|_| pressed.main) {
        let (index, model) = (state.index, Arc::new(shape));
        let now = cx.session.project().workloads.get(index);
        let workload = now.map_or_else(|| Workload::of(model.clone()), |old| old.with_model(model.clone()));
        out.push(Action::Edit(Edit::Workload { index, workload: Some(Box::new(workload)) }));
    }
    pressed.main || pressed.cancel
}

fn fields_ui(ui: &mut Ui, cx: &Cx<'_>, model: &mut ByHand, fresh: bool, out: &mut Vec<Action>) {
    row(ui, cx.tokens, "Name", |ui| {
        let field = ui.add(TextEdit::singleline(&mut model.name).desired_width(220.0).char_limit(80)).accessible_name("Name of the model");
        if fresh {
            field.request_focus();
        }
    });
    if ui.available_width() > 460.0 {
        ui.columns_const(|[left, right]| {
            widths_ui(left, cx, model, out);
            heads_ui(right, cx, model, out);
        });
    } else {
        widths_ui(ui, cx, model, out);
        heads_ui(ui, cx, model, out);
    }
    row(ui, cx.tokens, "Output", |ui| ui.add(Checkbox::new(&mut model.tied, "the embedding is also the output head")));
}

/// A field for a whole number from 1 on.
fn number(ui: &mut Ui, cx: &Cx<'_>, (key, value): (&str, &mut u64), most: u64, speed: f64, out: &mut Vec<Action>) {
    let beyond = row(ui, cx.tokens, key, |ui| bounded_drag(ui, value, 1..=most, |d| d.speed(speed))).inner;
    if beyond.above || beyond.below {
        out.push(Action::Notice(format!("{key}: from 1 to {}.", thousands(most as f64, 0))));
    }
}

fn widths_ui(ui: &mut Ui, cx: &Cx<'_>, model: &mut ByHand, out: &mut Vec<Action>) {
    number(ui, cx, ("Layers", &mut model.layers), 4096, 0.2, out);
    number(ui, cx, ("Width", &mut model.hidden), 1 << 17, 32.0, out);
    number(ui, cx, ("Feed-forward", &mut model.mlp_width), 1 << 20, 64.0, out);
    number(ui, cx, ("Vocabulary", &mut model.vocab), 1 << 22, 256.0, out);
    number(ui, cx, ("Context", &mut model.context), 1 << 24, 256.0, out);
}

fn heads_ui(ui: &mut Ui, cx: &Cx<'_>, model: &mut ByHand, out: &mut Vec<Action>) {
    number(ui, cx, ("Heads", &mut model.heads), 4096, 0.2, out);
    number(ui, cx, ("KV heads", &mut model.kv_heads), 4096, 0.1, out);
    number(ui, cx, ("Head size", &mut model.head_dim), 4096, 1.0, out);
    number(ui, cx, ("Experts", &mut model.experts), 4096, 0.1, out);
    if model.experts > 1 {
        number(ui, cx, ("Active experts", &mut model.active_experts), model.experts, 0.1, out);
    } else {
        model.active_experts = 1;
    }
}

/// Parts of the sum, in words.
const PARTS: &[(&str, &[TensorClass])] = &[
    ("embedding and output head", &[TensorClass::Embedding, TensorClass::Head]),
    ("attention", &[TensorClass::Attention, TensorClass::AttentionV, TensorClass::AttentionFused, TensorClass::AttentionOut]),
    ("feed-forward", &[TensorClass::Mlp, TensorClass::MlpDown]),
    ("experts and router", &[TensorClass::Expert, TensorClass::ExpertDown, TensorClass::Router]),
    ("norms", &[TensorClass::Norm]),
];

fn figures_ui(ui: &mut Ui, cx: &Cx<'_>, shape: &ModelShape) {
    card(ui, cx.tokens, false, |ui| {
        ui.set_width(ui.available_width());
        let params = shape.params();
        let text = format!("{} parameters", thousands(params as f64, 0));
        ui.label(egui::RichText::new(&text).font(theme::semibold(18.0)));
        if shape.active_params() < params {
            ui.label(sub(cx.tokens, format!("of which one token uses {}", parameters(shape.active_params()))));
        }
        egui::Grid::new("by hand").num_columns(3).spacing([16.0, 3.0]).show(ui, |ui| {
            for (name, classes) in PARTS {
                let part: u64 = classes.iter().map(|c| shape.params_of(*c)).sum();
                if part > 0 {
                    ui.label(*name);
                    ui.label(parameters(part));
                    ui.label(sub(cx.tokens, format!("{:.1} %", 100.0 * part as f64 / params.max(1) as f64)));
                    ui.end_row();
                }
            }
        });
        let bytes = |p: Precision| Bytes(p.model_bytes(shape)).to_string();
        ui.label(format!("Weights: {} in bf16, {} in q4_k_m", bytes(Precision::Bf16), bytes(Precision::Q4KM)));
        let kept: u64 = shape.groups.iter().map(|g| u64::from(g.count).saturating_mul(kept(g.cache))).fold(0, u64::saturating_add);
        ui.label(format!("KV cache: {} a token in f16", Bytes(kept.saturating_mul(2))));
    });
}

/// Numbers that one layer keeps for each token.
fn kept(cache: Cache) -> u64 {
    match cache {
        Cache::Full { kv_heads, k_dim, v_dim } | Cache::Sliding { kv_heads, k_dim, v_dim, .. } => {
            u64::from(kv_heads).saturating_mul(u64::from(k_dim).saturating_add(u64::from(v_dim)))
        }
        Cache::Latent { rank, rope_dim } => u64::from(rank).saturating_add(u64::from(rope_dim)),
        Cache::State { .. } | Cache::Shared | Cache::None => 0,
    }
}
