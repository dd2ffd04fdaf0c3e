//! Builds side by side, variants, and charts of the cost.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use assert_cmd::Command;
use rigbay::analysis::Effort;
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::drawing::charts::cost::{CostChart, pareto};
use rigbay::drawing::palette::Theme;
use rigbay::drawing::svg::{png, svg};
use rigbay::export::Rig;
use rigbay::export::compare::{Better, compare, json};
use rigbay::import::examples::examples;
use rigbay::project::Project;
use rigbay::project::economy::Rent;
use rigbay::project::edit::{Edit, Refusal, VariantChange};
use rigbay::project::file::load_text;
use rigbay::report::{Report, analyze};
use rigbay::units::{Currency, Money};

struct Opened {
    catalog: Catalog,
    project: Project,
    report: Report,
}

fn example(name: &str) -> Opened {
    let (base, _) = load(&embedded_files(""));
    let found = examples().iter().find(|e| e.is_named(name)).unwrap();
    let loaded = load_text(&base, found.text, found.file).unwrap();
    let catalog = base.overlaid(loaded.copies);
    let report = analyze(&catalog, &loaded.project, Effort::Live);
    Opened { catalog, project: loaded.project, report }
}

impl Opened {
    fn rig(&self) -> Rig<'_> {
        Rig { catalog: &self.catalog, project: &self.project, report: &self.report }
    }
}

#[test]
fn equal_builds_differ_in_nothing() {
    let rig = example("two-cards-2021");
    let builds = [("a", rig.rig()), ("b", rig.rig())];
    let comparison = compare(&builds);
    assert_eq!(comparison.differences().count(), 0);
    assert_eq!(json(&comparison, &builds)["equal"], true);
    assert!(comparison.groups.iter().map(|g| g.name).eq([
        "Parts",
        "Findings",
        "Memory",
        "Speed",
        "Heat and noise",
        "Links",
        "Power",
        "Cost"
    ]));
}

#[test]
fn what_differs_is_marked_and_the_best_is_named() {
    let (one, four, big) = (example("one-rtx-5090"), example("four-blowers-epyc"), example("four-rtx-pro-6000"));
    let builds = [("one", one.rig()), ("four", four.rig()), ("big", big.rig()), ("again", one.rig()), ("too many", four.rig())];
    let comparison = compare(&builds);
    assert_eq!(comparison.builds.len(), 4);
    let line = |group: &str, name: &str| {
        let group = comparison.groups.iter().find(|g| g.name == group).unwrap();
        group.lines.iter().find(|l| l.name == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    let memory = line("Memory", "Graphics memory");
    assert!(memory.differs && memory.better == Better::Higher && memory.best() == Some(2));
    let purchase = line("Cost", "Purchase");
    assert_eq!(purchase.values[0], Some(one.report.facts.cost.known_total.amount()));
    assert_eq!(purchase.values[0], purchase.values[3]);
    // Two builds share the lowest price, so none is alone best.
    if purchase.values[0] < purchase.values[1] && purchase.values[0] < purchase.values[2] {
        assert_eq!(purchase.best(), None);
    }
    assert!(line("Parts", "GPU").texts[1].starts_with("4 x "));
    let table = comparison.table();
    assert_eq!(table.heads.len(), 6);
    assert_eq!(table.sections[0].rows[0].len(), 6);
    let text = comparison.text();
    assert!(text.lines().any(|l| l.starts_with("* Graphics memory")), "{text}");
}

#[test]
fn money_of_other_currencies_is_converted_or_unknown() {
    let dollars = example("two-cards-2021");
    let mut euros = example("two-cards-2021");
    euros.project.room.currency = Currency::EUR;
    euros.report = analyze(&euros.catalog, &euros.project, Effort::Live);
    let purchase = |a: &Opened, b: &Opened| {
        let c = compare(&[("a", a.rig()), ("b", b.rig())]);
        let lines = &c.groups.iter().find(|g| g.name == "Cost").unwrap().lines;
        lines.iter().find(|l| l.name == "Purchase").unwrap().values.clone()
    };
    let values = purchase(&dollars, &euros);
    let (own, converted) = (values[0].unwrap(), values[1].unwrap());
    // There and back through the same rate, each price rounded to cents once more.
    assert!((own - converted).abs() < 0.5, "{own} {converted}");
    let strange = Currency::parse("XTS").unwrap();
    euros.project.room.currency = strange;
    euros.report = analyze(&euros.catalog, &euros.project, Effort::Live);
    assert_eq!(purchase(&dollars, &euros)[1], None);
}

#[test]
fn variants_branch_rename_switch_and_go() {
    let rig = example("two-cards-2021");
    let edit = |p: &Project, name: &str, change| Edit::Variant { name: name.to_owned(), change }.apply(&rig.catalog, p);
    let kept = edit(&rig.project, "as is", VariantChange::Keep).unwrap();
    let gpu = kept.rig.placed(&rig.catalog).find(|(_, _, p)| p.kind.key() == "gpu").unwrap().0;
    let smaller = Edit::Remove(gpu).apply(&rig.catalog, &kept).unwrap();
    assert_ne!(smaller.rig, smaller.variants["as is"]);
    let back = edit(&smaller, "as is", VariantChange::Switch).unwrap();
    assert_eq!(back.rig, rig.project.rig);
    let renamed = edit(&back, "as is", VariantChange::Rename("before".to_owned())).unwrap();
    assert!(renamed.variants.contains_key("before") && renamed.variants.len() == 1);
    let put = edit(&renamed, "other", VariantChange::Put(Box::new(smaller.rig.clone()))).unwrap();
    assert_eq!(put.variants["other"], smaller.rig);
    assert!(matches!(edit(&put, "other", VariantChange::Rename("before".to_owned())), Err(Refusal::BadValue { .. })));
    assert!(matches!(edit(&put, " ", VariantChange::Keep), Err(Refusal::BadValue { .. })));
    let gone = edit(&put, "other", VariantChange::Drop).unwrap();
    assert_eq!(gone.variants.len(), 1);
    assert!(edit(&gone, "other", VariantChange::Switch).is_err());
}

#[test]
fn charts_of_the_cost_are_drawn_as_svg_and_png() {
    let mut rig = example("four-blowers-epyc");
    let currency = rig.project.room.currency;
    rig.project.economy.rents = vec![Rent { name: "hire".to_owned(), per_hour: 3.0, currency, date: "2026-11-30".to_owned(), speed: 1.0 }];
    let report = analyze(&rig.catalog, &rig.project, Effort::Live);
    for chart in CostChart::ALL {
        let drawing = chart.draw(&rig.catalog, &report.facts.cost).unwrap_or_else(|| panic!("{chart:?}"));
        for theme in [Theme::Dark, Theme::Light] {
            let text = svg(&drawing, theme);
            assert!(text.starts_with("<svg") && text.contains(currency.code()), "{chart:?}");
            assert_eq!(&png(&text, 1.0).unwrap()[..4], b"\x89PNG");
        }
    }
    let front = [(Money::new(1000.0, currency), 20.0, "a"), (Money::new(2000.0, currency), 50.0, "b")];
    let text = svg(&pareto(&front, "tokens/s", Some((Money::new(1500.0, currency), 10.0))).unwrap(), Theme::Light);
    assert!(text.contains("the present rig") && text.contains("tokens/s"));
}

fn rigbay(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("rigbay").unwrap().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_shell_compares_examples_files_and_variants() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = rigbay(&["compare", "one-rtx-5090", "four-blowers-epyc", "--json"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["builds"].as_array().unwrap().len(), 2);
    assert!(value["differences"].as_array().unwrap().iter().all(|d| d["differs"] == true && d["group"].is_string()));
    assert!(!value["changes"][0]["buy"]["parts"].as_array().unwrap().is_empty());
    // A file with a variant of itself.
    let rig = example("two-cards-2021");
    let kept = Edit::Variant { name: "kept".to_owned(), change: VariantChange::Keep }.apply(&rig.catalog, &rig.project).unwrap();
    let path = folder.path().join("rig.toml");
    std::fs::write(&path, rigbay::report::snapshot::rig_text(&rig.catalog, &kept).unwrap()).unwrap();
    let path = path.to_str().unwrap();
    let (code, out, _) = rigbay(&["compare", path, &format!("{path}#kept"), "--json"]);
    assert_eq!((code, serde_json::from_str::<serde_json::Value>(&out).unwrap()["equal"].clone()), (0, true.into()));
    let csv = folder.path().join("c.csv");
    assert_eq!(rigbay(&["compare", path, "one-rtx-5090", "-o", csv.to_str().unwrap()]).0, 0);
    assert!(std::fs::read_to_string(&csv).unwrap().contains("Graphics memory"));
    assert_eq!(rigbay(&["compare", path]).0, 2);
    assert_eq!(rigbay(&["compare", path, &format!("{path}#none")]).0, 2);
    assert_eq!(rigbay(&["compare", path, "no such rig"]).0, 2);
}
