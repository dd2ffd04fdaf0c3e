//! The ledgers as SVG charts: memory by card, power by part, purchase by kind, money over the months, speed over the context.

use std::fmt::Write as _;

use super::escape;
use crate::analysis::memory::{CardLedger, ItemKind};
use crate::drawing::palette::{Theme, color};
use crate::drawing::{Role, item_role};
use crate::export::{Rig, sheets};
use crate::units::{Money, plain, thousands, watts};

/// Width of every chart in points of its own.
const WIDTH: f64 = 760.0;
/// Room for names at the left and for figures at the right.
const LEFT: f64 = 210.0;
const RIGHT: f64 = 150.0;
const ROW: f64 = 24.0;

/// A bar of stacked parts.
struct Bar {
    name: String,
    stack: Vec<(Role, f64)>,
    /// A line across: what there is room for.
    mark: Option<f64>,
    text: String,
}

/// All charts for which there is something to show.
pub(super) fn all(rig: Rig<'_>) -> String {
    [memory(rig), power(rig), purchase(rig), months(rig), context(rig)].into_iter().flatten().collect()
}

fn hex(role: Role) -> String {
    color(role, Theme::Light).hex()
}

fn memory(rig: Rig<'_>) -> Option<String> {
    let bar = |l: &CardLedger| Bar {
        // The card first: what is cut off at the end is the same for all cards of a workload.
        name: format!("{}, {}", l.gpu_name, l.workload_name),
        stack: ItemKind::ALL.iter().map(|&k| (item_role(k), l.bytes_of(k).gib())).collect(),
        mark: l.capacity.map(|c| c.gib()),
        text: match (l.capacity, l.fits()) {
            (Some(c), Some(true)) => format!("{} of {c}", l.total),
            (Some(c), Some(false)) => format!("{} of {c}, too much", l.total),
            (Some(c), None) => format!("{} of {c}, tight", l.total),
            (None, _) => format!("{} of unknown", l.total),
        },
    };
    let bars: Vec<Bar> = rig.report.facts.memory.iter().map(bar).collect();
    let used = |k: &ItemKind| rig.report.facts.memory.iter().any(|l| l.bytes_of(*k).0 > 0);
    let legend: Vec<(Role, &str)> = ItemKind::ALL.iter().filter(|k| used(k)).map(|&k| (item_role(k), k.text())).collect();
    figure("Memory of the cards, GiB; the line is the card's memory", &bars, &legend)
}

fn power(rig: Rig<'_>) -> Option<String> {
    let power = &rig.report.facts.power;
    let mut bars: Vec<Bar> = Vec::new();
    // Equal parts with equal draws share a bar.
    let mut groups: Vec<(String, Option<f64>, usize)> = Vec::new();
    for draw in &power.parts {
        let name = sheets::name(rig, draw.placement);
        match groups.iter_mut().find(|(n, w, _)| *n == name && *w == draw.typical_w) {
            Some((.., count)) => *count += 1,
            None => groups.push((name, draw.typical_w, 1)),
        }
    }
    groups.sort_by(|a, b| (b.1.unwrap_or(0.0) * b.2 as f64).total_cmp(&(a.1.unwrap_or(0.0) * a.2 as f64)));
    for (name, each, count) in groups {
        let total = each.map(|w| w * count as f64);
        let name = if count > 1 { format!("{count} × {name}") } else { name };
        let text = total.map_or("unknown".to_owned(), watts);
        bars.push(Bar { name, stack: total.map(|w| (Role::Accent, w)).into_iter().collect(), mark: None, text });
    }
    if bars.is_empty() {
        return None;
    }
    let least = if power.unknown.is_empty() { "" } else { "at least " };
    let of = power.supply_w.map_or(String::new(), |s| format!(" of {}", watts(s)));
    bars.push(Bar {
        name: "All parts, typical".to_owned(),
        stack: vec![(Role::Cold, power.typical_w)],
        mark: power.supply_w,
        text: format!("{least}{}{of}", watts(power.typical_w)),
    });
    if let Some(wall) = power.wall_w {
        let text = format!("{} of {}", watts(wall), watts(power.circuit_w));
        bars.push(Bar { name: "From the wall".to_owned(), stack: vec![(Role::Cold, wall)], mark: Some(power.circuit_w), text });
    }
    figure("Power, W; the lines are the supplies' rating and what the circuit carries for long", &bars, &[])
}

fn purchase(rig: Rig<'_>) -> Option<String> {
    let cost = &rig.report.facts.cost;
    let mut kinds: Vec<(&str, Money, usize)> = Vec::new();
    for line in &cost.lines {
        let Some(part) = rig.catalog.part(&line.part) else { continue };
        let label = part.kind.label();
        if !kinds.iter().any(|(k, ..)| *k == label) {
            kinds.push((label, Money::zero(cost.known_total.currency), 0));
        }
        let Some((_, sum, unknown)) = kinds.iter_mut().find(|(k, ..)| *k == label) else { continue };
        match line.counted {
            Some(price) => sum.cents = sum.cents.saturating_add(price.cents),
            None => *unknown += 1,
        }
    }
    kinds.sort_by_key(|(_, sum, _)| std::cmp::Reverse(sum.cents));
    let bars: Vec<Bar> = kinds
        .into_iter()
        .map(|(kind, sum, unknown)| Bar {
            name: kind.to_owned(),
            stack: vec![(Role::Accent, sum.amount())],
            mark: None,
            text: match (unknown, sum.cents) {
                (0, _) => sum.to_string(),
                (_, 0) => "unknown".to_owned(),
                (n, _) => format!("{sum}, {n} unknown"),
            },
        })
        .collect();
    figure(&format!("Purchase by kind, {}", cost.known_total.currency), &bars, &[])
}

/// Horizontal bars with names and figures.
fn figure(title: &str, bars: &[Bar], legend: &[(Role, &str)]) -> Option<String> {
    if bars.is_empty() {
        return None;
    }
    let longest = bars.iter().map(|b| b.stack.iter().map(|s| s.1).sum::<f64>().max(b.mark.unwrap_or(0.0))).fold(0.0, f64::max);
    let scale = if longest > 0.0 { (WIDTH - LEFT - RIGHT) / longest } else { 0.0 };
    let height = bars.len() as f64 * ROW + if legend.is_empty() { 4.0 } else { 28.0 };
    let mut out = open(title, height);
    for (at, bar) in bars.iter().enumerate() {
        let y = at as f64 * ROW;
        text(&mut out, (LEFT - 8.0, y + 16.0), "end", &short(&bar.name, 27));
        let mut x = LEFT;
        for (role, value) in bar.stack.iter().filter(|s| s.1 > 0.0) {
            let w = value * scale;
            let _ = writeln!(out, r#"<rect x="{x:.1}" y="{:.1}" width="{w:.1}" height="14" fill="{}"/>"#, y + 4.0, hex(*role));
            x += w;
        }
        if let Some(mark) = bar.mark {
            let at = LEFT + mark * scale;
            let _ = writeln!(
                out,
                r#"<line x1="{at:.1}" y1="{:.1}" x2="{at:.1}" y2="{:.1}" stroke="{}" stroke-width="2"/>"#,
                y + 1.0,
                y + 21.0,
                hex(Role::Label)
            );
        }
        let end = x.max(LEFT + bar.mark.unwrap_or(0.0) * scale);
        text(&mut out, (end + 6.0, y + 16.0), "start", &bar.text);
    }
    let mut x = LEFT;
    for (role, name) in legend {
        let y = bars.len() as f64 * ROW + 10.0;
        let _ = writeln!(out, r#"<rect x="{x:.1}" y="{y:.1}" width="10" height="10" fill="{}"/>"#, hex(*role));
        text(&mut out, (x + 14.0, y + 9.0), "start", name);
        x += 34.0 + name.chars().count() as f64 * 6.5;
    }
    Some(close(&out, title))
}

/// Height of a line chart's field.
const FIELD: f64 = 170.0;

/// A curve with its name.
struct Curve {
    name: String,
    role: Role,
    points: Vec<(f64, f64)>,
}

fn months(rig: Rig<'_>) -> Option<String> {
    let cost = &rig.report.facts.cost;
    let curve = Curve { name: String::new(), role: Role::Accent, points: cost.over_months.clone() };
    let title = format!("Purchase and energy over the months, {}", cost.known_total.currency);
    lines(&title, "months", &[curve])
}

fn context(rig: Rig<'_>) -> Option<String> {
    const ROLES: [Role; 4] = [Role::Cold, Role::Accent, Role::Cache, Role::Advice];
    let curves = rig.report.facts.speed.iter().zip(ROLES.iter().cycle()).map(|(s, role)| Curve {
        name: s.workload_name.clone(),
        role: *role,
        points: s.over_context.iter().filter(|p| p.fits).map(|p| (p.x, p.value)).collect(),
    });
    let curves: Vec<Curve> = curves.filter(|c| c.points.len() > 1).collect();
    let unit = rig.report.facts.speed.first().map_or("tokens/s", |s| s.unit);
    lines(&format!("Speed over the context as far as it fits, {unit}"), "tokens", &curves)
}

fn lines(title: &str, x_name: &str, curves: &[Curve]) -> Option<String> {
    let points = || curves.iter().flat_map(|c| &c.points);
    let (most_x, most_y) = points().fold((0.0, 0.0), |m: (f64, f64), p| (m.0.max(p.0), m.1.max(p.1)));
    if points().count() < 2 || most_x <= 0.0 || most_y <= 0.0 {
        return None;
    }
    let (left, right) = (80.0, 150.0);
    let step = round_step(most_y / 4.0);
    let top = (most_y / step).ceil() * step;
    let at = |(x, y): (f64, f64)| (left + x / most_x * (WIDTH - left - right), 8.0 + FIELD - y / top * FIELD);
    let mut out = open(title, FIELD + 34.0);
    let mut mark = 0.0;
    while mark <= top * 1.001 {
        let (x, y) = at((0.0, mark));
        let _ = writeln!(
            out,
            r#"<line x1="{x:.1}" y1="{y:.1}" x2="{:.1}" y2="{y:.1}" stroke="{}" stroke-width="1"/>"#,
            WIDTH - right,
            hex(Role::Line)
        );
        text(&mut out, (left - 8.0, y + 4.0), "end", &thousands(mark, usize::from(step < 1.0)));
        mark += step;
    }
    for n in 0..=4 {
        let x = most_x * f64::from(n) / 4.0;
        let (px, _) = at((x, 0.0));
        let unit = if n == 4 { format!("{} {x_name}", plain(x.round(), 0)) } else { thousands(x.round(), 0) };
        text(&mut out, (px, FIELD + 26.0), "middle", &unit);
    }
    for curve in curves {
        let path: Vec<String> = curve
            .points
            .iter()
            .map(|p| {
                let (x, y) = at(*p);
                format!("{x:.1},{y:.1}")
            })
            .collect();
        let _ = writeln!(out, r#"<polyline points="{}" fill="none" stroke="{}" stroke-width="2"/>"#, path.join(" "), hex(curve.role));
        if let Some((x, y)) = curve.points.last().map(|p| at(*p)) {
            text(&mut out, (x + 6.0, y + 4.0), "start", &short(&curve.name, 22));
        }
    }
    Some(close(&out, title))
}

/// The next of 1, 2, 5 times a power of ten.
fn round_step(at_least: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(at_least.max(1e-9))));
    [1.0, 2.0, 5.0, 10.0].iter().map(|m| m * power).find(|s| *s >= at_least).unwrap_or(power * 10.0)
}

fn open(title: &str, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" width=\"{WIDTH:.0}\" height=\"{height:.0}\" \
         font-family=\"Inter, system-ui, sans-serif\" font-size=\"12\" role=\"img\" aria-label=\"{}\">\n",
        escape(title)
    )
}

fn close(svg: &str, title: &str) -> String {
    format!("<figure class=\"chart\">\n<figcaption>{}</figcaption>\n{svg}</svg>\n</figure>\n", escape(title))
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
    let _ = writeln!(out, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="{}">{}</text>"#, hex(Role::Label), escape(text));
}

fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most { text.to_owned() } else { format!("{}…", text.chars().take(most - 1).collect::<String>()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_scales_are_round() {
        for (least, step) in [(0.03, 0.05), (1.0, 1.0), (1.1, 2.0), (37.0, 50.0), (60.0, 100.0), (2400.0, 5000.0)] {
            assert!((round_step(least) - step).abs() < step * 1e-9, "{least}");
        }
    }
}
