//! Up to four builds side by side: parts, findings, memory, speed, heat, noise, power, links and cost, with what differs marked.

use std::collections::BTreeMap;

use super::diff::difference;
use super::table::{Cell, Head, Section, Table};
use super::{Format, Options, Rig, html, table_text, xlsx};
use crate::analysis::cost::{life::Year, price::rate_to_room, result::Thing};
use crate::catalog::kinds::KINDS;
use crate::catalog::part::Part;
use crate::checks::Tally;
use crate::checks::finding::Verdict;
use crate::units::{Currency, Money, plain};

/// Builds side by side at most.
pub const MOST: usize = 4;

/// Which of two values one would rather have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    Higher,
    Lower,
    /// Neither is better by itself.
    Neither,
}

/// One thing, of every build.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub name: String,
    pub unit: String,
    /// `None` = unknown, or no number.
    pub values: Vec<Option<f64>>,
    /// As people read it; empty = the build has none.
    pub texts: Vec<String>,
    pub better: Better,
    pub differs: bool,
}

/// Lines of one subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub name: &'static str,
    pub lines: Vec<Line>,
}

/// Builds side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub builds: Vec<String>,
    /// That of all sums: the first build's.
    pub currency: Currency,
    pub groups: Vec<Group>,
}

impl Line {
    fn new(name: impl Into<String>, texts: Vec<String>) -> Self {
        let differs = texts.windows(2).any(|w| w.first() != w.last());
        Self { name: name.into(), unit: String::new(), values: vec![None; texts.len()], texts, better: Better::Neither, differs }
    }

    /// Numbers in one unit, shown with so many decimals; unknown ones are called that.
    fn numbers(name: impl Into<String>, unit: &str, better: Better, decimals: usize, values: Vec<Option<f64>>) -> Self {
        let show = |v: &Option<f64>| {
            v.map_or_else(|| "unknown".to_owned(), |v| format!("{} {unit}", crate::units::thousands(v, decimals)).trim_end().to_owned())
        };
        let texts = values.iter().map(show).collect();
        Self { unit: unit.to_owned(), values, better, ..Self::new(name, texts) }
    }

    /// The place of the best value, where the builds differ in it and one is alone best.
    pub fn best(&self) -> Option<usize> {
        let known = || self.values.iter().enumerate().filter_map(|(n, v)| Some((n, (*v)?)));
        let best = match self.better {
            Better::Neither => return None,
            Better::Higher => known().max_by(|a, b| a.1.total_cmp(&b.1))?,
            Better::Lower => known().min_by(|a, b| a.1.total_cmp(&b.1))?,
        };
        (self.differs && known().filter(|v| v.1 == best.1).count() == 1).then_some(best.0)
    }
}

/// Sets builds side by side; those beyond [`MOST`] are left out. Sums of money are in the first build's currency, by its rates.
pub fn compare(builds: &[(&str, Rig<'_>)]) -> Comparison {
    let builds: Vec<(&str, Rig<'_>)> = builds.iter().take(MOST).copied().collect();
    let rigs: Vec<Rig<'_>> = builds.iter().map(|b| b.1).collect();
    let groups = [
        ("Parts", parts(&rigs)),
        ("Findings", findings(&rigs)),
        ("Memory", memory(&rigs)),
        ("Speed", speed(&rigs)),
        ("Heat and noise", heat(&rigs)),
        ("Links", links(&rigs)),
        ("Power", power(&rigs)),
        ("Cost", cost(&rigs)),
    ];
    Comparison {
        builds: builds.iter().map(|b| b.0.to_owned()).collect(),
        currency: rigs.first().map_or(Currency::USD, |r| r.project.room.currency),
        groups: groups.into_iter().map(|(name, lines)| Group { name, lines }).filter(|g| !g.lines.is_empty()).collect(),
    }
}

fn each<T>(rigs: &[Rig<'_>], of: impl Fn(Rig<'_>) -> T) -> Vec<T> {
    rigs.iter().map(|r| of(*r)).collect()
}

/// "2 x RTX 3090, RTX 4090", by kind.
fn parts(rigs: &[Rig<'_>]) -> Vec<Line> {
    let listed = |rig: Rig<'_>, key: &str| {
        let mut counts: BTreeMap<&str, (usize, &Part)> = BTreeMap::new();
        for (_, _, part) in rig.project.rig.placed(rig.catalog).filter(|(_, _, p)| p.kind.key() == key) {
            counts.entry(part.id.as_str()).or_insert((0, part)).0 += 1;
        }
        let names = counts.values().map(|(n, p)| if *n > 1 { format!("{n} x {}", p.short_name()) } else { p.short_name().to_owned() });
        names.collect::<Vec<_>>().join(", ")
    };
    let line = |(key, label): (&str, &str)| Line::new(label, each(rigs, |r| listed(r, key)));
    let lines = KINDS.iter().map(|k| line((k.0, k.1)));
    lines.filter(|l| l.texts.iter().any(|t| !t.is_empty())).collect()
}

/// Failures and unknowns by severity, then every rule on which the builds differ.
fn findings(rigs: &[Rig<'_>]) -> Vec<Line> {
    let tally = |of: fn(&Tally) -> usize| each(rigs, |r| Some(of(&Tally::of(&r.report.findings)) as f64));
    let count = |name: &str, of: fn(&Tally) -> usize| Line::numbers(name, "", Better::Lower, 0, tally(of));
    let mut lines = vec![
        count("Blockers", |t| t.blockers),
        count("Problems", |t| t.problems),
        count("Advice", |t| t.advice),
        count("Cannot be judged", |t| t.unknown),
    ];
    for check in crate::checks::all() {
        let said = |rig: Rig<'_>| {
            let of = rig.report.findings.iter().filter(|f| f.rule == check.id && f.verdict != Verdict::Pass && f.accepted.is_none());
            let worst = of.min_by_key(|f| (f.verdict, f.severity));
            worst.map(|f| (f.verdict, f.severity, f.message.clone()))
        };
        let all = each(rigs, said);
        if all.windows(2).any(|w| w.first().map(|f| f.as_ref().map(|f| (f.0, f.1))) != w.last().map(|f| f.as_ref().map(|f| (f.0, f.1)))) {
            lines.push(Line::new(check.title, all.into_iter().map(|f| f.map_or_else(|| "fine".to_owned(), |f| f.2)).collect()));
        }
    }
    lines
}

/// Names of all workloads, each once.
fn jobs(rigs: &[Rig<'_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in rigs.iter().flat_map(|r| r.project.workloads.iter().map(|w| &w.name)) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn memory(rigs: &[Rig<'_>]) -> Vec<Line> {
    let total = |rig: Rig<'_>| {
        let gb = |p: &Part| if let crate::catalog::part::PartKind::Gpu(g) = &p.kind { Some(g.memory_gb) } else { None };
        rig.project.rig.placed(rig.catalog).filter_map(|(_, _, p)| gb(p)).sum::<Option<f64>>()
    };
    let main = |rig: Rig<'_>| {
        let gb = |p: &Part| {
            if let crate::catalog::part::PartKind::Ram(r) = &p.kind {
                Some(Some(f64::from(r.modules?)).zip(r.gb_per_module).map(|(n, g)| n * g))
            } else {
                None
            }
        };
        rig.project.rig.placed(rig.catalog).filter_map(|(_, _, p)| gb(p)).sum::<Option<f64>>()
    };
    let mut lines = vec![
        Line::numbers("Graphics memory", "GB", Better::Higher, 0, each(rigs, total)),
        Line::numbers("Main memory", "GB", Better::Higher, 0, each(rigs, main)),
    ];
    for job in jobs(rigs) {
        let ledgers = |rig: Rig<'_>| rig.report.facts.memory.iter().filter(|l| l.workload_name == job).cloned().collect::<Vec<_>>();
        let free = |rig: Rig<'_>| {
            let own = ledgers(rig);
            let spare = own.iter().map(|l| Some((l.limit?.0 as f64 - l.total.0 as f64) / (1_u64 << 30) as f64));
            spare.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::min)
        };
        let fits = |rig: Rig<'_>| {
            let own = ledgers(rig);
            if own.is_empty() {
                "no such work".to_owned()
            } else if own.iter().all(|l| l.fits() == Some(true)) {
                "fits".to_owned()
            } else if own.iter().any(|l| l.fits() == Some(false)) {
                "does not fit".to_owned()
            } else {
                "may fit".to_owned()
            }
        };
        lines.push(Line::new(job.clone(), each(rigs, fits)));
        lines.push(Line::numbers(format!("{job}, free on the fullest card"), "GiB", Better::Higher, 1, each(rigs, free)));
    }
    lines
}

fn speed(rigs: &[Rig<'_>]) -> Vec<Line> {
    let mut keys: Vec<(&str, &'static str, &'static str)> = Vec::new();
    for speed in rigs.iter().flat_map(|r| &r.report.facts.speed) {
        let key = (speed.workload_name.as_str(), speed.metric, speed.unit);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let line = |(job, metric, unit): (&str, &'static str, &'static str)| {
        let value = |r: Rig<'_>| r.report.facts.speed.iter().find(|s| s.workload_name == job && s.metric == metric).and_then(|s| s.value);
        let words = metric.replace("_tokens_per_s", "").replace('_', " ");
        // Times are better short, rates high.
        let better = if matches!(unit, "s" | "ms" | "h") { Better::Lower } else { Better::Higher };
        Line::numbers(format!("{job}, {words}"), unit, better, 1, each(rigs, value))
    };
    keys.into_iter().map(line).collect()
}

fn heat(rigs: &[Rig<'_>]) -> Vec<Line> {
    let hottest = |r: Rig<'_>| r.report.facts.airflow.cards.iter().filter_map(|c| c.state.as_ref()).map(|s| s.die.value).reduce(f64::max);
    let lost = |r: Rig<'_>| r.report.facts.airflow.lost(crate::analysis::airflow::work::Class::ComputeBound).map(|l| l * 100.0);
    vec![
        Line::numbers("Hottest card", "°C", Better::Lower, 0, each(rigs, hottest)),
        Line::numbers("Work lost to heat", "%", Better::Lower, 1, each(rigs, lost)),
        Line::numbers("Noise at 1 m", "dB(A)", Better::Lower, 0, each(rigs, |r| r.report.facts.airflow.case.noise_dba)),
    ]
}

/// The slowest link of a card, from the host.
fn links(rigs: &[Rig<'_>]) -> Vec<Line> {
    let slowest = |r: Rig<'_>| r.report.facts.lanes.hosts.iter().filter_map(|h| h.alone_gb_s).reduce(f64::min);
    let line = Line::numbers("Slowest card, from main memory", "GB/s", Better::Higher, 1, each(rigs, slowest));
    if line.values.iter().all(Option::is_none) { Vec::new() } else { vec![line] }
}

fn power(rigs: &[Rig<'_>]) -> Vec<Line> {
    let load = |r: Rig<'_>| r.report.facts.power.load.map(|l| l * 100.0);
    vec![
        Line::numbers("Typical draw", "W", Better::Lower, 0, each(rigs, |r| Some(r.report.facts.power.typical_w))),
        Line::numbers("Draw from the wall", "W", Better::Lower, 0, each(rigs, |r| r.report.facts.power.wall_w)),
        Line::numbers("Supply", "W", Better::Neither, 0, each(rigs, |r| r.report.facts.power.supply_w)),
        Line::numbers("Load of the supply", "%", Better::Neither, 0, each(rigs, load)),
    ]
}

fn cost(rigs: &[Rig<'_>]) -> Vec<Line> {
    let Some(first) = rigs.first() else { return Vec::new() };
    let to = first.project.room.currency;
    let rate = |r: Rig<'_>| {
        let own = r.project.room.currency;
        if own == to { Some(1.0) } else { rate_to_room(first.catalog, first.project, own) }
    };
    let money = |name: &str, of: &dyn Fn(Rig<'_>) -> Option<f64>| {
        Line::numbers(name, to.code(), Better::Lower, 2, each(rigs, |r| Some(of(r)? * rate(r)?)))
    };
    let amount = |m: Option<Money>| m.map(Money::amount);
    let years = |r: Rig<'_>, n: f64| r.report.facts.cost.years.iter().find(|y| y.years == n).and_then(|y: &Year| y.total);
    let mut lines = vec![
        money("Purchase", &|r| amount(Some(r.report.facts.cost.known_total))),
        money("With tax and shipping", &|r| amount(Some(r.report.facts.cost.paid))),
        money("Energy a month", &|r| amount(r.report.facts.cost.energy_per_month)),
        money("Cost over 1 year", &|r| amount(years(r, 1.0))),
        money("Cost over 3 years", &|r| amount(years(r, 3.0))),
        money("Cost over 5 years", &|r| amount(years(r, 5.0))),
    ];
    let unpriced = |r: Rig<'_>| Some(r.report.facts.cost.unpriced.len() as f64);
    lines.push(Line::numbers("Parts without a price", "", Better::Lower, 0, each(rigs, unpriced)));
    let gb = |r: Rig<'_>| r.report.facts.cost.results.iter().find(|x| x.thing == Thing::GraphicsMemoryGb).and_then(|x| x.value);
    lines.push(money("A GB of graphics memory", &gb));
    for job in jobs(rigs) {
        for thing in [Thing::MillionTokensGenerated, Thing::MillionTokensPrefilled, Thing::TrainingRun, Thing::TflopReached] {
            let of =
                |r: Rig<'_>| r.report.facts.cost.results.iter().find(|x| x.thing == thing && x.workload_name == job).and_then(|x| x.value);
            let line = Line { texts: Vec::new(), ..money(&format!("{job}, {}", thing.text()), &of) };
            let texts = line.values.iter().map(|v| v.map_or_else(|| "unknown".to_owned(), |v| format!("{} {to}", plain(v, 3)))).collect();
            if line.values.iter().any(Option::is_some) {
                lines.push(Line { texts, ..line });
            }
        }
    }
    lines
}

impl Comparison {
    /// Lines on which the builds differ, with their group.
    pub fn differences(&self) -> impl Iterator<Item = (&'static str, &Line)> {
        self.groups.iter().flat_map(|g| g.lines.iter().filter(|l| l.differs).map(|l| (g.name, l)))
    }

    /// As text for a terminal: what differs is marked with a star.
    pub fn text(&self) -> String {
        let wide = |of: &mut dyn Iterator<Item = &str>| of.map(|t| t.chars().count()).max().unwrap_or(0).clamp(6, 44);
        let lines = || self.groups.iter().flat_map(|g| &g.lines);
        let first = wide(&mut lines().map(|l| l.name.as_str()));
        let widths: Vec<usize> = (0..self.builds.len())
            .map(|n| wide(&mut lines().filter_map(|l| l.texts.get(n)).chain(self.builds.get(n)).map(String::as_str)))
            .collect();
        let cut = |text: &str, most: usize| {
            if text.chars().count() <= most { text.to_owned() } else { format!("{}…", text.chars().take(most - 1).collect::<String>()) }
        };
        let row = |mark: &str, name: &str, cells: &[String]| {
            let cells: Vec<String> = cells.iter().zip(&widths).map(|(c, w)| format!("{:<w$}", cut(c, *w), w = *w)).collect();
            format!("{mark} {:<first$}  {}", cut(name, first), cells.join("  ")).trim_end().to_owned() + "\n"
        };
        let mut out = row(" ", "", &self.builds);
        for group in &self.groups {
            out.push_str(&format!("\n{}\n", group.name));
            for line in &group.lines {
                out.push_str(&row(if line.differs { "*" } else { " " }, &line.name, &line.texts));
            }
        }
        out
    }

    /// A section for each group; the first row names the builds.
    pub fn table(&self) -> Table {
        const HEADS: [Head; 6] = [
            Head::strong("what", "What"),
            Head::left("differs", "Differs"),
            Head::left("build_1", "1"),
            Head::left("build_2", "2"),
            Head::left("build_3", "3"),
            Head::left("build_4", "4"),
        ];
        let heads: Vec<Head> = HEADS.iter().take(2 + self.builds.len()).copied().collect();
        let row = |name: &str, differs: bool, cells: &[String]| {
            let mut row = vec![Cell::text(name), Cell::text(if differs { "yes" } else { "" })];
            row.extend(cells.iter().map(Cell::text));
            row
        };
        let section = |g: &Group| Section {
            name: g.name.to_owned(),
            rows: g.lines.iter().map(|l| row(&l.name, l.differs, &l.texts)).collect(),
            sum: Vec::new(),
        };
        let names = Section { name: "Builds".to_owned(), rows: vec![row("Name", false, &self.builds)], sum: Vec::new() };
        Table {
            title: self.builds.join(" and "),
            heads,
            sections: std::iter::once(names).chain(self.groups.iter().map(section)).collect(),
            sum: Vec::new(),
            remarks: vec![format!("Sums of money are in {}.", self.currency)],
        }
    }

    /// What the file holds.
    ///
    /// # Errors
    /// A sentence, for formats that a comparison has not.
    pub fn export(&self, format: Format, options: &Options) -> Result<Vec<u8>, String> {
        let table = self.table();
        match format {
            Format::Markdown | Format::Text | Format::Bbcode | Format::Csv => table_text(&table, format, options).map(String::into_bytes),
            Format::Xlsx => xlsx::single("Comparison", &table),
            Format::Html => Ok(html::simple(&table.title, &[], &table).into_bytes()),
            Format::Json | Format::Svg | Format::Png => Err(format!("A comparison is not written as {} here.", format.name())),
        }
    }
}

/// The comparison as JSON, with what to buy and sell to turn the first build into each other.
pub fn json(comparison: &Comparison, builds: &[(&str, Rig<'_>)]) -> serde_json::Value {
    let rounded = |v: &Option<f64>| v.filter(|v| v.is_finite()).map(|v| (v * 1e6).round() / 1e6);
    let line = |l: &Line| {
        serde_json::json!({
            "name": l.name,
            "unit": (!l.unit.is_empty()).then_some(&l.unit),
            "values": l.values.iter().map(rounded).collect::<Vec<_>>(),
            "texts": l.texts,
            "better": match l.better { Better::Higher => Some("higher"), Better::Lower => Some("lower"), Better::Neither => None },
            "best": l.best(),
            "differs": l.differs,
        })
    };
    let groups: Vec<serde_json::Value> = comparison
        .groups
        .iter()
        .map(|g| serde_json::json!({ "name": g.name, "lines": g.lines.iter().map(line).collect::<Vec<_>>() }))
        .collect();
    let differences: Vec<serde_json::Value> = comparison
        .differences()
        .map(|(group, l)| {
            let mut value = line(l);
            if let Some(map) = value.as_object_mut() {
                map.insert("group".to_owned(), group.into());
            }
            value
        })
        .collect();
    let changes: Vec<serde_json::Value> = builds
        .first()
        .map(|from| builds.iter().skip(1).take(MOST - 1).map(|to| difference(from.1, from.0, to.1, to.0).value()).collect())
        .unwrap_or_default();
    let summary: Vec<serde_json::Value> = builds
        .iter()
        .take(MOST)
        .map(|(name, rig)| {
            let facts = &rig.report.facts;
            let tally = Tally::of(&rig.report.findings);
            serde_json::json!({
                "name": name,
                "currency": facts.cost.known_total.currency.code(),
                "cost": facts.cost.known_total.amount(),
                "unpriced": facts.cost.unpriced.len(),
                "watts": facts.power.wall_w.map(|w| (w * 1e6).round() / 1e6),
                "blockers": tally.blockers,
                "problems": tally.problems,
                "unknown": tally.unknown,
            })
        })
        .collect();
    serde_json::json!({
        "builds": summary,
        "currency": comparison.currency.code(),
        "equal": differences.is_empty(),
        "differences": differences,
        "groups": groups,
        "changes": changes,
    })
}
