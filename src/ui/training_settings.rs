//! Settings of a training job, in the work panel.

use eframe::egui::{ComboBox, Ui};

use super::Cx;
use super::action::Action;
use super::widgets::{bounded_drag, chip, row};
use crate::units::thousands;
use crate::workload::Workload;
use crate::workload::training::{
    AttentionKernel, Loader, LossKernel, MOST_BATCH, MOST_CARDS, MOST_RANK, MOST_TOGETHER, MOST_TOKENS, Method, Optimizer, Recompute,
    Targets, TrainPrecision, Training, Zero,
};

/// Whether the workload answers or trains. `kept` are the settings of a job that was switched off.
pub(super) fn use_ui(ui: &mut Ui, cx: &Cx<'_>, kept: &mut Option<Training>, next: &mut Workload) {
    row(ui, cx.tokens, "Use", |ui| {
        if chip(ui, cx.tokens, next.training.is_none(), "Inference").clicked() && next.training.is_some() {
            *kept = next.training.take();
        }
        if chip(ui, cx.tokens, next.training.is_some(), "Training").clicked() && next.training.is_none() {
            let sequence = next.model.context.unwrap_or(2048).clamp(1, 2048);
            next.training = Some(kept.take().unwrap_or_else(|| Training { sequence, ..Training::default() }));
        }
    });
}

/// A row with a closed choice.
fn choice_ui<T: Copy + PartialEq>(ui: &mut Ui, cx: &Cx<'_>, key: &str, value: &mut T, all: &[T], text: fn(T) -> &'static str) {
    row(ui, cx.tokens, key, |ui| {
        let shown = ComboBox::from_id_salt(("training", key)).selected_text(text(*value)).width(ui.available_width()).truncate();
        shown.show_ui(ui, |ui| {
            for one in all {
                ui.selectable_value(value, *one, text(*one));
            }
        });
    });
}

/// The settings; `next` is a workload that trains.
pub(super) fn fields_ui(ui: &mut Ui, cx: &Cx<'_>, next: &mut Workload, out: &mut Vec<Action>) {
    let most = next.model.context.unwrap_or(MOST_TOKENS).clamp(1, MOST_TOKENS);
    let name = next.model.short_name().to_owned();
    let Some(job) = &mut next.training else { return };
    choice_ui(ui, cx, "Trains", &mut job.method, Method::ALL, Method::text);
    if job.method != Method::Full {
        row(ui, cx.tokens, "Rank", |ui| bounded_drag(ui, &mut job.rank, 1..=MOST_RANK, |d| d.speed(0.2)));
        choice_ui(ui, cx, "Adapters on", &mut job.targets, Targets::ALL, Targets::text);
    }
    choice_ui(ui, cx, "Precision", &mut job.precision, TrainPrecision::ALL, TrainPrecision::text);
    choice_ui(ui, cx, "Optimizer", &mut job.optimizer, Optimizer::ALL, Optimizer::text);
    row(ui, cx.tokens, "Sequence", |ui| {
        if bounded_drag(ui, &mut job.sequence, 1..=most, |d| d.speed(32.0).suffix(" tokens")).above {
            out.push(Action::Notice(format!("{name} takes at most {} tokens.", thousands(most as f64, 0))));
        }
    });
    let together = (MOST_TOGETHER / job.sequence.max(1)).clamp(1, MOST_BATCH);
    job.micro_batch = job.micro_batch.min(together);
    row(ui, cx.tokens, "Micro-batch", |ui| {
        bounded_drag(ui, &mut job.micro_batch, 1..=together, |d| d.speed(0.05).suffix(" on a card"));
    });
    let batches = if job.accumulation == 1 { " micro-batch" } else { " micro-batches" };
    row(ui, cx.tokens, "Accumulate", |ui| {
        bounded_drag(ui, &mut job.accumulation, 1..=1 << 20, |d| d.speed(0.05).suffix(batches));
    });
    choice_ui(ui, cx, "Attention", &mut job.attention, AttentionKernel::ALL, AttentionKernel::text);
    choice_ui(ui, cx, "Recompute", &mut job.recompute, Recompute::ALL, Recompute::text);
    choice_ui(ui, cx, "Loss", &mut job.loss, LossKernel::ALL, LossKernel::text);
    choice_ui(ui, cx, "Input", &mut job.loader, Loader::ALL, Loader::text);
    choice_ui(ui, cx, "Spread", &mut job.parallel.zero, Zero::ALL, Zero::text);
    let p = &mut job.parallel;
    for (key, value, one, many) in [
        ("Tensor", &mut p.tensor, " card a matrix", " cards a matrix"),
        ("Pipeline", &mut p.pipeline, " stage", " stages"),
        ("Experts", &mut p.expert, " card for experts", " cards for experts"),
    ] {
        let suffix = if *value == 1 { one } else { many };
        row(ui, cx.tokens, key, |ui| bounded_drag(ui, value, 1..=MOST_CARDS, |d| d.speed(0.05).suffix(suffix)));
    }
    if p.tensor > 1 {
        row(ui, cx.tokens, "Norms", |ui| ui.checkbox(&mut p.sequence, "cut along the sequence"));
    }
}
