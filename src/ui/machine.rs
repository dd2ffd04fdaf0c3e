//! The real machine: dumps pasted, dropped or named by path, and either a rig made of them or the present rig beside them.

use std::path::PathBuf;

use eframe::egui::{self, Color32, Grid, Label, RichText, ScrollArea, TextEdit, Ui};

use super::Cx;
use super::action::Action;
use super::dialogs::{buttons_ui, close_row};
use super::icons::Icon;
use super::theme::Tokens;
use super::widgets::{icon_button, strong, sub, title};
use crate::checks::finding::Verdict;
use crate::import::observed::{Dump, read};
use crate::observed::begin::{Outcome, Recognised, begin};
use crate::observed::compare::{Comparison, Expected, Row, compare};
use crate::observed::text::{link_text, text, trained_text, word};

/// What the dumps are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineUse {
    /// A new rig.
    Begin,
    /// The open rig beside its machine.
    Compare,
}

/// Commands whose output is wanted, for the clipboard.
const COMMANDS: &str = "sudo lspci -vv -nn; nvidia-smi -q -x; nvidia-smi topo -m; sudo dmidecode";
/// A text at once longer than this was pasted, not typed.
const PASTED: usize = 40;

/// The dumps so far, and what came of them.
#[derive(Debug)]
pub(super) struct MachineState {
    pub purpose: MachineUse,
    dumps: Vec<Dump>,
    field: String,
    path: String,
    /// Why a file could not be read.
    problems: Vec<String>,
    /// By document revision.
    made: Option<(u64, Made)>,
}

#[derive(Debug)]
enum Made {
    Nothing,
    Rig(Vec<Recognised>, Vec<String>),
    Beside(Box<Comparison>),
    Wrong(Vec<String>),
}

impl MachineState {
    pub fn new(purpose: MachineUse) -> Self {
        Self { purpose, dumps: Vec::new(), field: String::new(), path: String::new(), problems: Vec::new(), made: None }
    }

    /// Takes a further dump; one of the same name takes its place.
    pub fn add(&mut self, dump: Result<Dump, String>) {
        match dump {
            Ok(dump) => {
                self.problems.clear();
                self.dumps.retain(|d| d.name != dump.name);
                self.dumps.push(dump);
                self.made = None;
            }
            Err(problem) => self.problems.push(problem),
        }
    }

    fn make(&self, cx: &Cx<'_>) -> Made {
        if self.dumps.is_empty() {
            return Made::Nothing;
        }
        let observed = match read(&self.dumps) {
            Ok(observed) => observed,
            Err(errors) => return Made::Wrong(errors.iter().map(ToString::to_string).collect()),
        };
        match self.purpose {
            MachineUse::Begin => {
                let made = begin(cx.session.catalog(), &observed, cx.today);
                Made::Rig(made.lines, made.remarks)
            }
            MachineUse::Compare => {
                let expected = Expected::of(&cx.session.report().facts.lanes);
                Made::Beside(Box::new(compare(cx.session.catalog(), cx.session.project(), &expected, &observed)))
            }
        }
    }
}

pub(super) fn machine_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut MachineState, fresh: bool, out: &mut Vec<Action>) -> bool {
    let (name, about) = match state.purpose {
        MachineUse::Begin => ("Start from my machine", "A rig is made of what your machine tells of itself."),
        MachineUse::Compare => ("Compare with the real machine", "Each link of the rig is shown beside what the machine trained it to."),
    };
    ui.label(title(name));
    ui.add(
        Label::new(sub(cx.tokens, format!("{about} Paste or drop what these commands print, all or some of them, or name files."))).wrap(),
    );
    let revision = cx.session.revision();
    if state.made.as_ref().is_none_or(|(r, _)| *r != revision) {
        state.made = Some((revision, state.make(cx)));
    }
    let height = (ui.ctx().content_rect().height() - 230.0).max(120.0);
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        input_ui(ui, cx, state, fresh, out);
        ui.add_space(6.0);
        match state.made.as_ref().map(|(_, made)| made) {
            Some(Made::Rig(lines, remarks)) => recognised_ui(ui, cx, lines, remarks),
            Some(Made::Beside(comparison)) => comparison_ui(ui, cx, comparison),
            Some(Made::Wrong(errors)) => errors.iter().for_each(|e| problem_ui(ui, cx.tokens, e)),
            Some(Made::Nothing) | None => {}
        }
    });
    foot_ui(ui, cx, state, out)
}

/// The last row; true = close.
fn foot_ui(ui: &mut Ui, cx: &Cx<'_>, state: &MachineState, out: &mut Vec<Action>) -> bool {
    match (state.purpose, state.made.as_ref().map(|(_, made)| made)) {
        (MachineUse::Begin, made) => {
            let usable = matches!(made, Some(Made::Rig(lines, _)) if lines.iter().any(|l| !matches!(l.outcome, Outcome::Missing(_))));
            let pressed = buttons_ui(ui, cx, "Make the rig", usable, false, None);
            if pressed.main {
                out.push(Action::Close);
                out.push(Action::StartFromMachine(state.dumps.clone()));
            }
            pressed.cancel
        }
        (MachineUse::Compare, Some(Made::Beside(comparison))) => {
            ui.add_space(8.0);
            let (copy, close) = egui::Sides::new().show(ui, |ui| ui.button("Copy as text"), |ui| ui.button("Close"));
            if copy.clicked() {
                out.push(Action::copy("the comparison", text(comparison)));
            }
            close.clicked()
        }
        (MachineUse::Compare, _) => close_row(ui, false),
    }
}

fn input_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut MachineState, fresh: bool, out: &mut Vec<Action>) {
    let t = cx.tokens;
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(COMMANDS).monospace().size(12.0));
        if icon_button(ui, t, Icon::Copy, "Copy the commands").clicked() {
            out.push(Action::copy("the commands", COMMANDS));
        }
    });
    let field = TextEdit::multiline(&mut state.field)
        .desired_rows(2)
        .desired_width(f32::INFINITY)
        .hint_text("Paste here, or drop files on the window");
    let response = ui.add(field).accessible_name("Paste the output here");
    if fresh {
        response.request_focus();
    }
    if response.changed() && state.field.len() > PASTED {
        // A dump has thousands of lines: it is taken out of the field at once.
        let number = 1 + state.dumps.iter().filter(|d| d.name.starts_with("pasted text")).count();
        let pasted = std::mem::take(&mut state.field);
        state.add(Ok(Dump::new(format!("pasted text {number}"), pasted)));
        ui.ctx().request_repaint();
    }
    ui.horizontal(|ui| {
        let label = ui.label(sub(t, "Path of a file"));
        let width = (ui.available_width() - 92.0).max(120.0);
        let field = TextEdit::singleline(&mut state.path).desired_width(width).hint_text("/home/you/lspci.txt");
        let entered = ui.add(field).labelled_by(label.id).lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
        let usable = !state.path.trim().is_empty();
        if usable && (ui.button("Read").clicked() || entered) {
            out.push(Action::AddDump(PathBuf::from(std::mem::take(&mut state.path).trim())));
        }
        if !usable && ui.button("Choose…").clicked() {
            out.push(Action::AddDumpDialog);
        }
    });
    for problem in &state.problems {
        problem_ui(ui, t, problem);
    }
    let mut gone = None;
    for (n, dump) in state.dumps.iter().enumerate() {
        ui.horizontal(|ui| {
            if icon_button(ui, t, Icon::Close, &format!("Remove {}", dump.name)).clicked() {
                gone = Some(n);
            }
            ui.add(Label::new(format!("{}, {} lines", dump.name, dump.text.lines().count())).truncate());
        });
    }
    if let Some(n) = gone {
        state.dumps.remove(n);
        state.made = None;
        ui.ctx().request_repaint();
    }
}

fn problem_ui(ui: &mut Ui, t: &Tokens, text: &str) {
    ui.add(Label::new(RichText::new(text).color(t.problem)).wrap());
}

fn remarks_ui(ui: &mut Ui, t: &Tokens, remarks: &[String]) {
    for remark in remarks {
        ui.add(Label::new(RichText::new(remark).color(t.advice)).wrap());
    }
}

fn recognised_ui(ui: &mut Ui, cx: &Cx<'_>, lines: &[Recognised], remarks: &[String]) {
    let t = cx.tokens;
    ui.label(strong("What was recognised"));
    let width = ui.available_width();
    Grid::new("recognised").num_columns(3).striped(true).spacing([12.0, 6.0]).show(ui, |ui| {
        for line in lines {
            cell(ui, 86.0, |ui| {
                ui.label(sub(t, line.what));
            });
            cell(ui, (width - 110.0) * 0.52, |ui| {
                ui.add(Label::new(line.part.as_deref().unwrap_or(&line.seen)).wrap());
                if line.part.as_ref().is_some_and(|p| *p != line.seen) {
                    ui.add(Label::new(sub(t, format!("seen as {}", line.seen))).wrap());
                }
            });
            let color = match line.outcome {
                Outcome::Placed(_) => t.good,
                Outcome::Tray(_) | Outcome::Missing(_) => t.advice,
                Outcome::Named(_) => t.sub,
            };
            cell(ui, (width - 110.0) * 0.46, |ui| {
                ui.add(Label::new(RichText::new(line.outcome.text()).color(color)).wrap());
            });
            ui.end_row();
        }
    });
    remarks_ui(ui, t, remarks);
}

/// A column of a table that wraps at `width`.
fn cell(ui: &mut Ui, width: f32, add: impl FnOnce(&mut Ui)) {
    ui.vertical(|ui| {
        ui.set_width(width);
        add(ui);
    });
}

const fn color(t: &Tokens, verdict: Verdict) -> Color32 {
    match verdict {
        Verdict::Fail => t.problem,
        Verdict::Unknown => t.advice,
        Verdict::Pass => t.good,
    }
}

fn comparison_ui(ui: &mut Ui, cx: &Cx<'_>, comparison: &Comparison) {
    let t = cx.tokens;
    ui.label(strong(comparison.summary()));
    if !comparison.rows.is_empty() {
        rows_ui(ui, t, comparison);
    }
    let sentence = |ui: &mut Ui, verdict: Verdict, text: &str| {
        let color = if verdict == Verdict::Pass { t.sub } else { color(t, verdict) };
        ui.add(Label::new(RichText::new(text).color(color)).wrap());
    };
    ui.add_space(4.0);
    for verdict in [Verdict::Fail, Verdict::Unknown, Verdict::Pass] {
        let said = |r: &&Row| r.verdict == verdict && (verdict != Verdict::Pass || r.idle);
        comparison.rows.iter().filter(said).for_each(|row| sentence(ui, verdict, &row.sentence));
    }
    if !comparison.pairs.is_empty() {
        ui.add_space(6.0);
        ui.label(strong("Between cards"));
        let passing = comparison.pairs.iter().filter(|p| p.verdict == Verdict::Pass).count();
        ui.label(sub(t, format!("{passing} of {} pairs reach each other as expected.", comparison.pairs.len())));
        for pair in comparison.pairs.iter().filter(|p| p.verdict != Verdict::Pass) {
            sentence(ui, pair.verdict, &pair.sentence);
        }
    }
    if !comparison.strangers.is_empty() {
        ui.add_space(6.0);
        ui.label(strong("Not in the rig"));
        for stranger in &comparison.strangers {
            ui.add(Label::new(format!("{} at {}, {}", stranger.name, stranger.address, link_text(stranger.lanes, stranger.r#gen))).wrap());
            ui.add(Label::new(sub(t, stranger.sentence.as_str())).wrap());
        }
    }
    ui.add_space(4.0);
    remarks_ui(ui, t, &comparison.remarks);
}

fn rows_ui(ui: &mut Ui, t: &Tokens, comparison: &Comparison) {
    let width = ui.available_width();
    Grid::new("links").num_columns(5).striped(true).spacing([14.0, 6.0]).show(ui, |ui| {
        for head in ["Place", "Part", "Expected", "Runs", "Verdict"] {
            ui.label(sub(t, head));
        }
        ui.end_row();
        for row in &comparison.rows {
            ui.label(&row.connector);
            cell(ui, width * 0.42, |ui| {
                ui.add(Label::new(&row.part).wrap());
                let matched = row.matched.map_or("not seen in the dumps", |how| how.text());
                let seen = row.address.as_ref().map_or(matched.to_owned(), |a| format!("{a}, {matched}"));
                ui.add(Label::new(sub(t, seen)).wrap());
            });
            ui.label(link_text(row.expected_lanes, row.expected_gen));
            ui.label(trained_text(row));
            ui.label(RichText::new(word(row.verdict)).color(color(t, row.verdict))).on_hover_text(&row.sentence);
            ui.end_row();
        }
    });
}
