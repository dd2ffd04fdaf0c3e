//! Variants, builds side by side, the best rigs for the money, price books and cost settings in the window.

#![cfg(feature = "gui")]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use eframe::egui::{Role, vec2};
use egui_kittest::kittest::Queryable as _;
use rigbay::catalog::part::PartId;
use rigbay::project::edit::Edit;

use support::{TOWER, Window, empty_rig, empty_rig_of, enter_path, menu, pick_first_model, place, press, undo};

#[path = "support/window.rs"]
#[expect(dead_code, reason = "shared with other tests of the window")]
mod support;

fn tower() -> Window {
    let mut window = empty_rig_of(vec2(1600.0, 1000.0));
    place(&mut window, &TOWER);
    window
}

fn variants(window: &Window) -> Vec<String> {
    window.state().session.project().variants.keys().cloned().collect()
}

fn write_in(window: &mut Window, field: &str, text: &str) {
    window.get_by_role_and_label(Role::TextInput, field).focus();
    window.run();
    window.get_by_role_and_label(Role::TextInput, field).type_text(text);
    window.run();
}

#[test]
fn a_variant_is_kept_switched_to_renamed_and_deleted() {
    let mut window = tower();
    menu(&mut window, "Rig", "Variants…");
    write_in(&mut window, "Name of the new variant", "one card");
    press(&mut window, "Keep the present build");
    assert_eq!(variants(&window), ["one card"]);
    let before = window.state().session.project().rig.clone();
    place(&mut window, &["gpu.gigabyte.rtx-3090-turbo"]);
    assert_ne!(window.state().session.project().rig, before);
    press(&mut window, "Switch to it");
    // What would be lost is kept under a name of its own.
    assert_eq!(variants(&window), ["Build 1", "one card"]);
    assert_eq!(window.state().session.project().rig, before);
    press(&mut window, "Close");
    undo(&mut window);
    assert_eq!(variants(&window), ["one card"]);
    menu(&mut window, "Rig", "Variants…");
    press(&mut window, "Rename…");
    write_in(&mut window, "New name of the variant", " of 2021");
    press(&mut window, "Rename");
    assert_eq!(variants(&window).len(), 1);
    assert!(variants(&window)[0].contains("2021"));
    press(&mut window, "Delete");
    assert!(variants(&window).is_empty());
}

#[test]
fn builds_are_set_side_by_side() {
    let mut window = tower();
    menu(&mut window, "Rig", "Builds side by side…");
    window.get_by_label("Add an example").click();
    window.run();
    window.get_by_label_contains("RTX 5090").click();
    window.run();
    assert!(window.query_by_label_contains("lines differ").is_some());
    assert!(window.query_all_by_label("Graphics memory").next().is_some());
    press(&mut window, "bars");
    assert!(window.query_all_by_label_contains("Purchase, ").next().is_some());
    press(&mut window, "table");
    window.get_by_label("Only what differs").click();
    window.run();
    press(&mut window, "Copy as Markdown");
    press(&mut window, "Close");
}

#[test]
fn the_best_rigs_are_searched_and_opened_as_a_variant() {
    let mut window = empty_rig_of(vec2(1600.0, 1000.0));
    pick_first_model(&mut window, "qwen3-8b");
    menu(&mut window, "Rig", "Best rigs for the money…");
    press(&mut window, "Search");
    assert!(window.query_by_label_contains("were left out because nobody gives a price").is_some());
    assert!(window.query_by_label("The fastest rig for each cost").is_some());
    press(&mut window, "Open as variant");
    let session = &window.state().session;
    assert_eq!(variants(&window).len(), 1);
    assert_eq!(session.project().rig, *session.project().variants.values().next().unwrap());
    assert!(session.report().facts.cost.unpriced.is_empty() && !session.project().rig.is_empty());
    undo(&mut window);
    assert!(window.state().session.project().rig.is_empty() && variants(&window).is_empty());
}

#[test]
fn a_price_book_is_read_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.csv");
    std::fs::write(&path, "part,price,currency,date,shop\ngpu.gigabyte.rtx-3090-turbo,650,USD,2026-11-01,Shop A\nAX1600i,400,USD,2026-11-01,Shop A\nno such thing,1,USD,,\n").unwrap();
    let mut window = tower();
    menu(&mut window, "File", "Import prices…");
    enter_path(&mut window, &path);
    assert!(window.query_by_label_contains("no such thing").is_some());
    press(&mut window, "Use 2 prices in this rig");
    let price = |window: &Window| window.state().session.project().prices.parts.get(&PartId::new("gpu.gigabyte.rtx-3090-turbo")).cloned();
    assert_eq!(price(&window).map(|p| (p.amount, p.shop)), Some((650.0, "Shop A".to_owned())));
    undo(&mut window);
    assert_eq!(price(&window), None);
}

#[test]
fn parts_can_be_liked_noted_and_compared() {
    let mut window = tower();
    let gpu = window.state().session.project().rig.placements().find(|(_, p)| p.part.as_str().starts_with("gpu.")).unwrap().0;
    window.state_mut().session.select(Some(rigbay::project::Subject::Placement(gpu)));
    window.run();
    window.get_by_label("Favourite").click_accesskit();
    window.run();
    assert!(window.state().prefs.favourites.contains("gpu.gigabyte.rtx-3090-turbo"));
    write_in(&mut window, "Your note", "loud");
    let notes = window.state().session.project().part_notes.clone();
    assert_eq!(notes.values().collect::<Vec<_>>(), ["loud"]);
    press(&mut window, "Beside another part…");
    write_in(&mut window, "Search the other part", "4090");
    let first = window.query_all_by_label_contains("Beside RTX 4090").next().unwrap();
    first.click();
    window.run();
    assert!(window.query_by_label("Only what differs").is_some());
    press(&mut window, "Close");
    press(&mut window, "favourites");
    assert!(window.query_all_by_label_contains("RTX 3090 Turbo").next().is_some());
}

#[test]
fn cost_settings_are_edits() {
    let mut window = empty_rig();
    window.state_mut().session.apply(&Edit::Name("r".to_owned()), false).unwrap();
    menu(&mut window, "File", "Settings…");
    press(&mut window, "Add a tariff by the hour");
    assert_eq!(window.state().session.project().economy.tariffs.len(), 1);
    press(&mut window, "Back to the usual assumptions");
    assert!(window.state().session.project().economy.is_default());
}
