//! Findings as cards, most urgent first: what, why, and one fix each.

use std::collections::BTreeSet;

use eframe::egui::{self, Align, Button, CornerRadius, Frame, Label, Layout, Margin, RichText, Stroke, Ui};

use super::Cx;
use super::action::Action;
use super::theme;
use super::widgets::{chip, empty, help_line, offer_button, strong, sub, title};
use crate::checks::finding::{Finding, Fix, Safety, Stake, Verdict};
use crate::checks::glossary::terms_in;
use crate::checks::{Case, Tally, check, mend_safe};
use crate::project::FindingKey;
use crate::project::edit::Edit;

/// View state of the list.
#[derive(Debug, Default)]
pub struct FindingsState {
    expanded: BTreeSet<FindingKey>,
    show_passed: bool,
    show_unknown: bool,
}

pub fn findings_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut FindingsState, out: &mut Vec<Action>) {
    let findings = &cx.session.report().findings;
    let bare = cx.session.project().rig.is_empty();
    ui.label(title("Findings"));
    if !bare {
        let accepted = findings.iter().filter(|f| f.accepted.is_some()).count();
        ui.add(Label::new(sub(cx.tokens, tally_text(&Tally::of(findings), accepted))).wrap());
    }
    help_line(ui, cx, "findings", "Each finding says what is wrong, why it matters and how to mend it. A fix can be undone.", out);
    let fails: Vec<&Finding> = findings.iter().filter(|f| f.verdict == Verdict::Fail && f.accepted.is_none()).collect();
    if bare {
        // What an empty rig lacks is no news.
        empty(ui, cx.tokens, "Nothing to judge yet", "Place parts; what is wrong shows here.");
        return;
    }
    if fails.is_empty() {
        empty(ui, cx.tokens, "Nothing is wrong", "Every rule that could be judged passes.");
    }
    preview_ui(ui, cx);
    mend_all_ui(ui, cx, findings, out);
    for finding in fails {
        card_ui(ui, cx, state, finding, out);
    }
    for finding in findings.iter().filter(|f| f.accepted.is_some()) {
        card_ui(ui, cx, state, finding, out);
    }
    rest_ui(ui, cx, state, out);
}

/// One button for all fixes that buy, replace and slow nothing.
fn mend_all_ui(ui: &mut Ui, cx: &Cx<'_>, findings: &[Finding], out: &mut Vec<Action>) {
    let safe = |f: &&Finding| f.verdict == Verdict::Fail && f.accepted.is_none() && f.fixes.iter().any(|x| x.safety == Safety::Safe);
    let ready = findings.iter().filter(safe).count();
    if ready < 2 {
        return;
    }
    let label = format!("Mend all safe ones ({ready})…");
    let hover = "Moves cards, drives and radiators to better places; buys and replaces nothing. Shows what it changes first.";
    if offer_button(ui, cx.tokens, &label).on_hover_text(hover).clicked() {
        let (catalog, project, report) = (cx.session.catalog(), cx.session.project(), cx.session.report());
        match mend_safe(&Case { catalog, project, facts: &report.facts }, findings) {
            Some(fix) => out.push(Action::Fix(fix)),
            None => out.push(Action::Notice("Each of these fixes would now spoil another place. Apply them one by one.".to_owned())),
        }
    }
}

/// Unknown and passed rules, shown on request.
fn rest_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut FindingsState, out: &mut Vec<Action>) {
    let findings = &cx.session.report().findings;
    let tally = Tally::of(findings);
    ui.horizontal_wrapped(|ui| {
        if tally.unknown > 0 && chip(ui, cx.tokens, state.show_unknown, &format!("{} unknown", tally.unknown)).clicked() {
            state.show_unknown = !state.show_unknown;
        }
        if tally.passed > 0 && chip(ui, cx.tokens, state.show_passed, &format!("{} passed", tally.passed)).clicked() {
            state.show_passed = !state.show_passed;
        }
    });
    let shown = [(Verdict::Unknown, state.show_unknown), (Verdict::Pass, state.show_passed)];
    for (verdict, _) in shown.into_iter().filter(|(_, on)| *on) {
        for finding in findings.iter().filter(|f| f.verdict == verdict && f.accepted.is_none()) {
            card_ui(ui, cx, state, finding, out);
        }
    }
}

/// Number and word stay on one line.
fn many(n: usize, one: &str, more: &str) -> String {
    format!("{n}\u{a0}{}", if n == 1 { one } else { more })
}

fn listed(counts: impl IntoIterator<Item = (usize, &'static str, &'static str)>) -> String {
    counts.into_iter().filter(|(n, ..)| *n > 0).map(|(n, one, more)| many(n, one, more)).collect::<Vec<_>>().join(" · ")
}

/// "2 blockers · 1 problem"; empty if nothing fails.
pub(super) fn fails_text(tally: &Tally) -> String {
    listed([
        (tally.blockers, "blocker", "blockers"),
        (tally.problems, "problem", "problems"),
        (tally.advice, "advice", "advice"),
        (tally.notes, "note", "notes"),
    ])
}

fn tally_text(tally: &Tally, accepted: usize) -> String {
    let rest = listed([(accepted, "accepted", "accepted"), (tally.passed, "passed", "passed"), (tally.unknown, "unknown", "unknown")]);
    [fails_text(tally), rest].into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// What the edit under the pointer would add and mend.
fn preview_ui(ui: &mut Ui, cx: &Cx<'_>) {
    let Some(Ok((_, after))) = cx.preview.map(|p| p.outcome.as_ref()) else { return };
    let now = fails(&cx.session.report().findings);
    let then = fails(&after.findings);
    // A rule that says the same of other subjects is no news: only those that speak more often are.
    let more = |f: &&Finding| times(&then, f.rule) > times(&now, f.rule) && !now.iter().any(|n| n.key() == f.key());
    let added: Vec<&Finding> = then.iter().copied().filter(more).collect();
    let rules: BTreeSet<&str> = now.iter().map(|f| f.rule).collect();
    let mended: usize = rules.iter().map(|r| times(&now, r).saturating_sub(times(&then, r))).sum();
    if added.is_empty() && mended == 0 {
        return;
    }
    Frame::new().stroke(Stroke::new(1.0, cx.tokens.accent)).corner_radius(theme::CARD_RADIUS).inner_margin(Margin::same(8)).show(
        ui,
        |ui| {
            ui.set_width(ui.available_width());
            let findings = |n: usize| many(n, "finding", "findings");
            let text = match (mended, added.len()) {
                (0, n) => format!("This would bring {} and mend none", findings(n)),
                (n, 0) => format!("This would mend {} and bring none", findings(n)),
                (n, m) => format!("This would mend {} and bring {m}", findings(n)),
            };
            ui.label(RichText::new(text).font(theme::medium(12.5)).color(cx.tokens.accent));
            for finding in added.iter().take(4) {
                ui.add(Label::new(RichText::new(&finding.message).size(12.0).color(cx.tokens.finding(finding))).wrap());
            }
        },
    );
}

fn fails(findings: &[Finding]) -> Vec<&Finding> {
    findings.iter().filter(|f| f.verdict == Verdict::Fail && f.accepted.is_none()).collect()
}

fn times(findings: &[&Finding], rule: &str) -> usize {
    findings.iter().filter(|f| f.rule == rule).count()
}

fn card_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut FindingsState, finding: &Finding, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let key = finding.key();
    let open = state.expanded.contains(&key);
    let radius = CornerRadius::same(theme::CARD_RADIUS);
    let frame = Frame::new().fill(t.raised).corner_radius(radius).inner_margin(Margin { left: 14, right: 10, top: 9, bottom: 9 });
    let shown = ui.push_id(format!("{key:?}"), |ui| {
        frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.spacing_mut().item_spacing.y = 5.0;
            if message_ui(ui, cx, finding, open) {
                toggle(&mut state.expanded, key.clone());
            }
            if open {
                why_ui(ui, cx, finding);
            }
            foot_ui(ui, cx, finding, open, out);
        })
    });
    let mut bar = shown.inner.response.rect;
    bar.set_width(4.0);
    ui.painter().rect_filled(bar, CornerRadius { nw: 3, sw: 3, ne: 0, se: 0 }, t.finding(finding));
}

fn toggle(set: &mut BTreeSet<FindingKey>, key: FindingKey) {
    if !set.remove(&key) {
        set.insert(key);
    }
}

/// The message as a button that opens the card; true when clicked.
fn message_ui(ui: &mut Ui, cx: &Cx<'_>, finding: &Finding, open: bool) -> bool {
    let color = if finding.accepted.is_some() { cx.tokens.sub } else { cx.tokens.text };
    let text = RichText::new(&finding.message).font(theme::semibold(13.0)).color(color);
    let width = ui.available_width();
    let button = Button::new(text).frame(false).wrap().min_size(egui::vec2(width, 0.0));
    let response = ui.with_layout(Layout::top_down_justified(Align::LEFT), |ui| ui.add(button)).inner;
    let state = match finding.verdict {
        Verdict::Fail => finding.severity.text(),
        Verdict::Unknown => "unknown",
        Verdict::Pass => "passed",
    };
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, open, format!("{state}: {}", finding.message)));
    response.on_hover_text(if open { "Show less" } else { "Show why, and other ways" }).clicked()
}

fn why_ui(ui: &mut Ui, cx: &Cx<'_>, finding: &Finding) {
    let t = cx.tokens;
    if let Some(rule) = check(finding.rule) {
        ui.add(Label::new(strong(rule.title)).wrap());
        ui.add(Label::new(sub(t, rule.why)).wrap());
    }
    for fact in &finding.missing {
        let text = format!("Missing: {} of {}", super::part_text::field_name(&fact.field).to_lowercase(), fact.part);
        ui.add(Label::new(sub(t, text)).wrap());
    }
    if let Some(stake) = &finding.stake {
        let text = stake_text(stake);
        if !text.is_empty() {
            ui.add(Label::new(sub(t, format!("At stake: {text}."))).wrap());
        }
        if let Some(how) = &stake.how {
            let name = format!("{} {:?}", finding.rule, finding.subjects);
            egui::CollapsingHeader::new("How the waste was reckoned")
                .id_salt(name)
                .show(ui, |ui| ui.add(Label::new(sub(t, format!("{how}."))).wrap()));
        }
    }
    glossary_ui(ui, cx, finding);
    ui.label(sub(
        t,
        format!("Rule {}{}", finding.rule, if finding.guide.is_empty() { "" } else { ", guide " }) + &finding.guide.join(", "),
    ));
}

/// Terms of this finding, explained under the pointer.
fn glossary_ui(ui: &mut Ui, cx: &Cx<'_>, finding: &Finding) {
    let why = check(finding.rule).map_or("", |c| c.why);
    let terms: Vec<_> = terms_in(&format!("{} {why}", finding.message)).collect();
    if terms.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        for (term, meaning) in terms {
            ui.add(Label::new(sub(cx.tokens, *term).underline()).sense(egui::Sense::hover())).on_hover_text(*meaning);
        }
    });
}

fn stake_text(stake: &Stake) -> String {
    let mut parts = Vec::new();
    match (stake.waste_per_year, stake.speed_pct.is_some() || stake.money.is_some() || stake.watts.is_some()) {
        (Some(waste), true) => parts.push(format!("{waste} wasted a year")),
        (Some(price), false) => parts.push(price.to_string()),
        (None, _) => {}
    }
    if let Some(money) = stake.money {
        parts.push(format!("{money}{}", if stake.per_year { " a year" } else { "" }));
    }
    if let Some(pct) = stake.speed_pct {
        parts.push(format!("{pct:.0}% speed"));
    }
    if let Some(c) = stake.celsius {
        parts.push(format!("{c:.0} °C"));
    }
    if let Some(w) = stake.watts {
        parts.push(crate::units::watts(w));
    }
    parts.join(", ")
}

fn foot_ui(ui: &mut Ui, cx: &Cx<'_>, finding: &Finding, open: bool, out: &mut Vec<Action>) {
    if let Some(reason) = &finding.accepted {
        ui.add(Label::new(sub(cx.tokens, format!("Accepted: {reason}"))).wrap());
        if open && ui.button("Reopen").clicked() {
            out.push(Action::Edit(Edit::Accept { finding: finding.key(), because: None }));
        }
        return;
    }
    let shown = if open { finding.fixes.len() } else { 1 };
    let guide = finding.guide.join(" ");
    let mut guide_shown = guide.is_empty();
    for fix in finding.fixes.iter().take(shown) {
        let room = if guide_shown { 0.0 } else { 8.0 + 8.0 * guide.chars().count() as f32 };
        ui.horizontal(|ui| {
            let width = ui.available_width() - room;
            ui.allocate_ui(egui::vec2(width, 0.0), |ui| fix_ui(ui, cx, fix, out));
            if !guide_shown {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| guide_ui(ui, cx, &guide));
            }
        });
        guide_shown = true;
    }
    if finding.fixes.is_empty()
        && finding.verdict == Verdict::Fail
        && let Some(none) = &finding.no_fix
    {
        ui.add(Label::new(sub(cx.tokens, none)).wrap());
    }
    if !open && guide_shown {
        return;
    }
    if !open {
        ui.spacing_mut().interact_size.y = 14.0;
    }
    ui.horizontal(|ui| {
        if open {
            if let Some(subject) = finding.subjects.first()
                && ui.button("Go to").clicked()
            {
                out.push(Action::GoTo(subject.clone()));
            }
            if finding.verdict != Verdict::Pass && ui.button("Accept…").clicked() {
                out.push(Action::AskAccept(finding.key()));
            }
        }
        if !guide_shown {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| guide_ui(ui, cx, &guide));
        }
    });
}

fn guide_ui(ui: &mut Ui, cx: &Cx<'_>, guide: &str) {
    ui.label(sub(cx.tokens, guide)).on_hover_text("Rule of the hardware guide");
}

fn fix_ui(ui: &mut Ui, cx: &Cx<'_>, fix: &Fix, out: &mut Vec<Action>) {
    let asks = fix.safety == Safety::Ask;
    let label = if asks { format!("{}…", fix.label) } else { fix.label.clone() };
    let response = offer_button(ui, cx.tokens, &label);
    if response.on_hover_text(if asks { "Shows what it changes first" } else { "Applied at once; undo takes it back" }).clicked() {
        out.push(Action::Fix(fix.clone()));
    }
}
