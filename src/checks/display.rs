//! A picture for the one who sits in front of it.

use super::candidates::{cpu, swap};
use super::finding::{Finding, Fix, Severity, Verdict};
use super::rig::{missing, unknown};
use super::{Case, Check, Search};
use crate::catalog::part::Part;
use crate::catalog::vocab::Socket;
use crate::project::Subject;
use crate::project::power_settings::HOST_DISPLAY;

pub(super) const RULES: &[Check] = &[Check {
    id: "no_display_output",
    title: "Video output",
    why: "Without any video output the machine cannot be set up at a screen. Data-centre cards have none.",
    guide: &["G3"],
    run: display,
    search: Some(Search { candidates: fixes, none: "No CPU with graphics in the catalog goes into this board." }),
}];

fn display(case: &Case<'_>, out: &mut Vec<Finding>) {
    let cpus = case.cpus();
    let Some(first) = cpus.first() else { return };
    let say = |verdict, text: String| Finding::new("no_display_output", verdict, Severity::Blocker, vec![Subject::Whole], text);
    let cards = case.gpus();
    let has_output = |segment: Option<&str>| segment.is_some_and(|s| s != "data centre");
    let board = case.board();
    let remote = board.as_ref().and_then(|b| b.is.lan.as_deref()).is_some_and(|lan| lan.contains("IPMI") || lan.contains("BMC"));
    if let Some(cpu) = cpus.iter().find(|c| c.is.graphics == Some(true)) {
        out.push(say(Verdict::Pass, format!("{} has graphics of its own.", cpu.part.short_name())));
        return;
    }
    // A card that a virtual machine has, or that no screen hangs on, shows the host nothing.
    let given = |c: &super::rig::Piece<'_, crate::catalog::part::Gpu>| c.piece.settings.get(HOST_DISPLAY).is_some_and(|v| v == "no");
    if let Some(card) = cards.iter().find(|c| !given(c) && has_output(c.is.segment.as_deref())) {
        out.push(say(Verdict::Pass, format!("{} has video outputs.", case.name(card.id))));
        return;
    }
    if let Some(board) = board.as_ref().filter(|_| remote) {
        out.push(say(Verdict::Pass, format!("{} shows a picture through its management chip.", board.part.short_name())));
        return;
    }
    let mut facts: Vec<_> = cpus.iter().filter(|c| c.is.graphics.is_none()).map(|c| missing(c.part.short_name(), "graphics")).collect();
    facts.extend(cards.iter().filter(|c| !given(c) && c.is.segment.is_none()).map(|c| missing(c.part.short_name(), "segment")));
    if let Some(board) = board.filter(|b| b.is.lan.is_none() && b.is.socket.is_some_and(is_server)) {
        facts.push(missing(board.part.short_name(), "lan"));
    }
    let cards = if cards.is_empty() {
        "no card is placed"
    } else if cards.iter().any(given) {
        "no card is left to the host"
    } else {
        "the cards are made for data centres and have no outputs"
    };
    out.push(if facts.is_empty() {
        say(Verdict::Fail, format!("{} has no graphics unit, and {cards}.", first.part.short_name()))
    } else {
        unknown("no_display_output", Severity::Blocker, vec![Subject::Whole], "Whether the rig shows a picture", facts)
    });
}

/// Sockets whose boards often carry a management chip with video.
fn is_server(socket: Socket) -> bool {
    use Socket::{Lga2011, Lga2011v3, Lga3647, Lga4189, Lga4677, Lga4710, Sp3, Sp5, Sp6, Str5, Swrx8};
    matches!(socket, Lga2011 | Lga2011v3 | Lga3647 | Lga4189 | Lga4677 | Lga4710 | Sp3 | Sp5 | Sp6 | Str5 | Swrx8)
}

fn fixes(case: &Case<'_>, _: &Finding) -> Vec<Vec<Fix>> {
    let cpus = case.cpus();
    let Some(first) = cpus.first() else { return Vec::new() };
    let good = |p: &Part| cpu(p).is_some_and(|c| c.graphics == Some(true) && c.socket == first.is.socket && c.threads >= first.is.threads);
    vec![swap(case, first.id, good)]
}
