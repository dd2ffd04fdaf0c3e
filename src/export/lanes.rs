//! The tree of links and the matrix of card pairs as text: what `rigbay lanes` prints and the topology view copies.

use crate::analysis::lanes::{Lanes, Link, Node, NodeKind, Pair};
use crate::build::PlacementId;
use crate::catalog::Catalog;
use crate::project::Project;

/// Tree, what is off or unknown, rates from the host, pairs.
pub fn text(catalog: &Catalog, project: &Project, lanes: &Lanes) -> String {
    if lanes.board.is_none() {
        return "The rig has no board, so there are no lanes to share.\n".to_owned();
    }
    let view = View { catalog, project, lanes };
    let mut out = String::new();
    for node in lanes.nodes.iter().filter(|n| n.parent.is_none()) {
        view.node(node, 0, &mut out);
    }
    let unknown: Vec<&Link> = lanes.links.iter().filter(|l| l.hangs_on.as_deref().and_then(|id| lanes.node(id)).is_none()).collect();
    view.section("Origin unknown", &unknown, &mut out);
    view.hosts(&mut out);
    view.pairs(&mut out);
    out
}

struct View<'a> {
    catalog: &'a Catalog,
    project: &'a Project,
    lanes: &'a Lanes,
}

impl View<'_> {
    fn name(&self, id: PlacementId) -> String {
        let part = self.project.rig.placement(id).and_then(|p| self.catalog.part(&p.part));
        format!("{} ({id})", part.map_or("?", |p| p.short_name()))
    }

    fn node(&self, node: &Node, depth: usize, out: &mut String) {
        let budget = self.lanes.budgets.iter().find(|b| b.node == node.id);
        let used = budget.map(|b| (b.lanes, b.used));
        let text = match (node.kind, used) {
            (NodeKind::Cpu, Some((Some(all), Some(used)))) => format!("{all} lanes, {used} used"),
            (NodeKind::Cpu, Some((Some(all), None))) => format!("{all} lanes, use unknown"),
            (NodeKind::Cpu, _) => "lanes unknown".to_owned(),
            (NodeKind::Chipset | NodeKind::Switch, _) => {
                let contention = budget.and_then(|b| b.contention).filter(|c| *c > 1.0);
                let shared = contention.map_or(String::new(), |c| format!(", {c:.1} times as much behind it"));
                format!("uplink {}{shared}", node.uplink.text())
            }
        };
        line(depth, &format!("{}: {text}", capital(&node.label)), out);
        for link in self.lanes.links.iter().filter(|l| l.hangs_on.as_ref() == Some(&node.id)) {
            self.link(link, depth + 1, out);
        }
        for child in self.lanes.nodes.iter().filter(|n| n.parent.as_ref() == Some(&node.id)) {
            self.node(child, depth + 1, out);
        }
    }

    fn link(&self, link: &Link, depth: usize, out: &mut String) {
        let device = link.device.map_or("empty".to_owned(), |d| self.name(d));
        line(depth, &format!("{}: {device}. {}", link.connector, link.reason), out);
    }

    fn section(&self, title: &str, links: &[&Link], out: &mut String) {
        if links.is_empty() {
            return;
        }
        line(0, title, out);
        for link in links {
            self.link(link, 1, out);
        }
    }

    fn hosts(&self, out: &mut String) {
        if self.lanes.hosts.is_empty() {
            return;
        }
        out.push_str("\nFrom the host's memory to each card, GB/s\n");
        for flow in &self.lanes.hosts {
            let text = format!("{}: {} alone, {} with all at once", self.name(flow.gpu), rate(flow.alone_gb_s), rate(flow.together_gb_s));
            line(1, &text, out);
        }
        for flow in &self.lanes.drives {
            line(1, &format!("{} from {}: {}", self.name(flow.gpu), self.name(flow.drive), rate(flow.gb_s)), out);
        }
    }

    fn pairs(&self, out: &mut String) {
        let cards: Vec<PlacementId> = self.lanes.hosts.iter().map(|h| h.gpu).collect();
        if cards.len() < 2 {
            return;
        }
        out.push_str("\nFrom card to card: class of the path and GB/s in one direction, * = through the host's memory\n");
        let cell = |text: String| format!("{text:>13}");
        let head: String = cards.iter().map(|c| cell(c.to_string())).collect();
        out.push_str(&format!("{:>5}{head}\n", ""));
        for a in &cards {
            let row: String = cards
                .iter()
                .map(|b| cell(if a == b { "-".to_owned() } else { self.pair(*a, *b).map_or("?".to_owned(), pair_text) }))
                .collect();
            out.push_str(&format!("{:>5}{row}\n", a.to_string()));
        }
        let mut reasons: Vec<&str> = self.lanes.pairs.iter().map(|p| p.why).filter(|w| !w.is_empty()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        for why in reasons {
            out.push_str(&format!("{}.\n", capital(why)));
        }
        if let Some(ring) = self.lanes.ring_gb_s {
            out.push_str(&format!("A ring over all cards moves {ring:.1} GB/s, the rate of an all-reduce.\n"));
        }
    }

    fn pair(&self, a: PlacementId, b: PlacementId) -> Option<&Pair> {
        self.lanes.pair(a, b)
    }
}

fn pair_text(pair: &Pair) -> String {
    let class = pair.class.map_or("?".to_owned(), |c| c.text());
    let mark = if pair.p2p == Some(false) { "*" } else { "" };
    format!("{class} {}{mark}", rate(pair.gb_s))
}

fn rate(gb_s: Option<f64>) -> String {
    gb_s.map_or("unknown".to_owned(), |g| format!("{g:.1}"))
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

fn line(depth: usize, text: &str, out: &mut String) {
    out.push_str(&"  ".repeat(depth));
    out.push_str(text);
    out.push('\n');
}
