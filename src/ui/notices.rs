//! Short messages that appear and fade, and the log that keeps them.

use std::time::Duration;

use eframe::egui::{self, Align2, Area, Frame, Id, Margin, Order, Rect, Role, Stroke, Ui, WidgetInfo, vec2};

use super::Cx;
use super::action::Action;
use super::icons::Icon;
use super::theme::CARD_RADIUS;
use super::widgets::{icon_button, sub};

/// Seconds that a message stays, plus some for every character.
const STAYS: f64 = 4.0;
const PER_CHAR: f64 = 0.04;
/// Messages on the screen at once.
const SHOWN: usize = 2;

#[derive(Clone, Debug)]
struct Notice {
    text: String,
    problem: bool,
    /// Window time at which it goes; `None` = not shown yet.
    until: Option<f64>,
}

/// All messages of this run.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    log: Vec<Notice>,
    /// How many of the log have gone from the screen.
    gone: usize,
}

impl Notices {
    pub fn tell(&mut self, text: impl Into<String>) {
        self.add(text.into(), false);
    }

    pub fn problem(&mut self, text: impl Into<String>) {
        self.add(text.into(), true);
    }

    /// A message that is still on the screen stays longer instead of coming twice.
    fn add(&mut self, text: String, problem: bool) {
        let last = self.log.len().checked_sub(1).filter(|at| *at >= self.gone);
        match last.and_then(|at| self.log.get_mut(at)) {
            Some(last) if last.text == text && last.problem == problem => last.until = None,
            _ => self.log.push(Notice { text, problem, until: None }),
        }
    }

    /// All messages, newest first.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.log.iter().rev().map(|n| n.text.as_str())
    }

    /// Paints the messages that are still new and asks for the frame in which the next one goes.
    /// They stand at the lower right of `over`, above each other.
    pub fn ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, over: Rect) {
        let now = ui.input(|i| i.time);
        let first = self.gone.max(self.log.len().saturating_sub(SHOWN));
        let mut closed = Vec::new();
        let mut next = f64::INFINITY;
        let width = (over.width() - 24.0).clamp(200.0, 460.0);
        // Above the buttons in the corner of the chassis.
        let mut corner = over.right_bottom() - vec2(12.0, 40.0);
        for (at, notice) in self.log.iter_mut().enumerate().skip(first).rev() {
            let until = *notice.until.get_or_insert(now + STAYS + PER_CHAR * notice.text.chars().count() as f64);
            if until <= now {
                closed.push(at);
                continue;
            }
            next = next.min(until - now);
            let area = Area::new(Id::unique(("notice", at))).order(Order::Foreground).pivot(Align2::RIGHT_BOTTOM).fixed_pos(corner);
            let shown = area.show(ui.ctx(), |ui| toast_ui(ui, cx, notice, width));
            corner.y -= shown.response.rect.height() + 8.0;
            if shown.inner {
                notice.until = Some(now);
                closed.push(at);
            }
        }
        while self.gone < self.log.len() && self.log.get(self.gone).is_some_and(|n| n.until.is_some_and(|u| u <= now)) {
            self.gone += 1;
        }
        if next.is_finite() {
            ui.ctx().request_repaint_after(Duration::from_secs_f64(next.max(0.05)));
        }
        if !closed.is_empty() {
            ui.ctx().request_repaint();
        }
    }
}

fn toast_ui(ui: &mut Ui, cx: &Cx<'_>, notice: &Notice, width: f32) -> bool {
    let t = cx.tokens;
    let edge = if notice.problem { t.problem } else { t.accent };
    let frame =
        Frame::new().fill(t.raised).stroke(Stroke::new(1.0, edge)).corner_radius(CARD_RADIUS).inner_margin(Margin::symmetric(12, 8));
    frame
        .show(ui, |ui| {
            ui.set_max_width(width - 24.0);
            ui.horizontal(|ui| {
                let label = ui.add(egui::Label::new(&notice.text).wrap());
                label.widget_info(|| WidgetInfo::labeled(Role::Label, true, &notice.text));
                icon_button(ui, t, Icon::Close, "Close message").clicked()
            })
            .inner
        })
        .inner
}

/// The log as a dialog's content.
pub fn log_ui(ui: &mut Ui, cx: &Cx<'_>, notices: &Notices, out: &mut Vec<Action>) {
    if notices.log.is_empty() {
        ui.label(sub(cx.tokens, "Nothing has been said yet."));
        return;
    }
    egui::ScrollArea::vertical().max_height(360.0).auto_shrink([false, true]).show(ui, |ui| {
        for notice in notices.log.iter().rev() {
            let color = if notice.problem { cx.tokens.problem } else { cx.tokens.text };
            ui.add(egui::Label::new(egui::RichText::new(&notice.text).color(color)).wrap());
            ui.separator();
        }
    });
    if ui.button("Copy the log").clicked() {
        out.push(Action::copy("the message log", notices.texts().collect::<Vec<_>>().join("\n")));
    }
}
