//! Geometry and drawing of real rigs: slots at their pitch, gaps in millimetres, what is unknown stays unknown, and pictures that hold it all.

use std::sync::LazyLock;

use rigbay::analysis::Effort;
use rigbay::analysis::space::{Position, Space, space};
use rigbay::build::SlotId;
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::part::PartId;
use rigbay::drawing::palette::Theme;
use rigbay::drawing::{Layer, Shape, rig, svg};
use rigbay::project::edit::Edit;
use rigbay::project::{Project, file::load_text};
use rigbay::report::analyze;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| load(&embedded_files("")).0);

fn presets() -> Vec<(String, Project)> {
    let mut files: Vec<_> = std::fs::read_dir("assets/presets")
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        (path.display().to_string(), load_text(&CATALOG, &text, "preset").unwrap().project)
    };
    files.iter().map(read).collect()
}

/// An EPYC board whose seven slot places are measured, with cards in the slots of the given labels.
fn epyc(cards: &[(&str, &str)]) -> Space {
    let mut project = Project::default();
    let mut place = |part: &str, slot: SlotId| {
        project = Edit::place(&PartId::new(part), Some(slot)).apply(&CATALOG, &project).unwrap();
    };
    place("board.asrock-rack.romed8-2t", SlotId::rig("board"));
    for (label, card) in cards {
        place(card, SlotId { host: rigbay::build::Host::Part(rigbay::build::PlacementId(0)), name: (*label).into() });
    }
    space(&CATALOG, &project.rig)
}

#[test]
fn slots_lie_one_pitch_apart() {
    let space = epyc(&[]);
    let mut lines: Vec<f64> = space.places.iter().filter(|p| p.slot.is_pcie()).map(|p| p.rect.y + p.rect.h / 2.0).collect();
    lines.sort_by(f64::total_cmp);
    assert_eq!(lines.len(), 7);
    for pair in lines.windows(2) {
        assert!((pair[1] - pair[0] - 20.32).abs() < 1e-9, "{pair:?}");
    }
}

#[test]
fn the_gap_is_what_the_slots_leave() {
    // RTX PRO 6000 Max-Q: 40 mm, as its maker says; two places apart they leave 0.64 mm, three apart 20.96 mm.
    let card = "gpu.nvidia.rtx-pro-6000-blackwell-max-q";
    let thick = epyc(&[("PCIE7", card)]).cards[0].thickness_mm.unwrap();
    for (lower, openings) in [("PCIE5", 2.0), ("PCIE4", 3.0)] {
        let space = epyc(&[("PCIE7", card), (lower, card)]);
        let (_, gap) = space.cards[0].below.unwrap();
        assert!((gap.unwrap() - (openings * 20.32 - thick)).abs() < 1e-9, "{lower}: {gap:?}");
    }
}

#[test]
fn a_thick_card_covers_the_free_slot_below_it() {
    let space = epyc(&[("PCIE7", "gpu.gigabyte.rtx-3090-turbo")]);
    let covered: Vec<&str> = space.places.iter().filter(|p| p.covered_by.is_some()).map(|p| p.slot.label.as_str()).collect();
    assert_eq!(covered, ["PCIE6"]);
}

#[test]
fn where_only_the_order_is_known_no_gap_is_claimed() {
    let (_, project) = presets().into_iter().find(|(name, _)| name.contains("two-cards")).unwrap();
    let space = space(&CATALOG, &project.rig);
    assert!(space.places.iter().any(|p| p.position == Position::OrderOnly));
    assert_eq!(space.cards[0].below.unwrap().1, None);
    assert!(space.places.iter().all(|p| p.covered_by.is_none()));
}

#[test]
fn every_placed_part_of_every_example_has_a_seat_inside_the_bounds() {
    for (name, project) in presets() {
        let space = space(&CATALOG, &project.rig);
        for (id, ..) in project.rig.placed(&CATALOG) {
            let seat = space.seat(id).unwrap_or_else(|| panic!("{name}: {id} has no seat"));
            assert!(seat.rect.w > 0.0 && seat.rect.h > 0.0, "{name}: {id} {seat:?}");
            assert_eq!(space.bounds.union(&seat.rect), space.bounds, "{name}: {id} lies outside");
        }
    }
}

#[test]
fn strip_rows_are_numbered_from_one_and_do_not_overlap() {
    for (name, project) in presets() {
        let space = space(&CATALOG, &project.rig);
        let rows: Vec<_> =
            space.places.iter().filter_map(|p| if let Position::Strip(n) = p.position { Some((n, p.rect)) } else { None }).collect();
        let numbers: Vec<u16> = rows.iter().map(|r| r.0).collect();
        assert_eq!(numbers, (1..=numbers.len() as u16).collect::<Vec<_>>(), "{name}");
        for (n, (_, a)) in rows.iter().enumerate() {
            assert!(rows.iter().skip(n + 1).all(|(_, b)| !a.overlaps(b)), "{name}");
        }
    }
}

#[test]
fn pictures_are_whole_and_the_same_each_time() {
    for (name, project) in presets() {
        let report = analyze(&CATALOG, &project, Effort::Live);
        for layer in [Layer::Parts, Layer::Lanes, Layer::Power] {
            let drawing = rig::draw(&CATALOG, &project, &report, layer);
            assert_eq!(drawing, rig::draw(&CATALOG, &project, &report, layer));
            for piece in &drawing.pieces {
                if let Shape::Rect { rect, .. } = &piece.shape {
                    assert!(drawing.bounds.union(rect) == drawing.bounds, "{name}: {rect:?} outside {:?}", drawing.bounds);
                }
            }
            for theme in [Theme::Dark, Theme::Light] {
                let text = svg::svg(&drawing, theme);
                let png = svg::png(&text, 0.25).unwrap();
                assert!(png.starts_with(b"\x89PNG"), "{name}");
            }
        }
    }
}

#[test]
fn filling_leaves_out_what_a_card_hides() {
    let mut project = Project::default();
    let board = PartId::new("board.asrock-rack.romed8-2t");
    project = Edit::place(&board, Some(SlotId::rig("board"))).apply(&CATALOG, &project).unwrap();
    let part = CATALOG.part(&PartId::new("gpu.gigabyte.rtx-3090-turbo")).unwrap();
    let edit = rigbay::search::fill(&CATALOG, &project, part, &std::collections::BTreeMap::new(), None, |s| s.is_pcie()).unwrap();
    let filled = edit.apply(&CATALOG, &project).unwrap();
    let space = space(&CATALOG, &filled.rig);
    let gaps: Vec<f64> = space.cards.iter().filter_map(|c| c.below.and_then(|(_, gap)| gap)).collect();
    assert_eq!(space.cards.len(), 4);
    assert!(gaps.iter().all(|gap| *gap >= 0.0), "{gaps:?}");
}

#[test]
fn filling_starts_where_it_is_pointed() {
    let board = PartId::new("board.asrock-rack.romed8-2t");
    let project = Edit::place(&board, Some(SlotId::rig("board"))).apply(&CATALOG, &Project::default()).unwrap();
    let part = CATALOG.part(&PartId::new("gpu.gigabyte.rtx-3090-turbo")).unwrap();
    let pointed = SlotId::of(rigbay::build::PlacementId(0), "PCIE6");
    let edit = rigbay::search::fill(&CATALOG, &project, part, &std::collections::BTreeMap::new(), Some(&pointed), |s| s.is_pcie()).unwrap();
    let filled = edit.apply(&CATALOG, &project).unwrap();
    assert!(filled.rig.part_in(&CATALOG, &pointed).is_some());
}

#[test]
fn the_answer_of_a_slot_names_the_card_in_its_way() {
    let mut project = Project::default();
    let place = |part: &str, slot: SlotId, project: &Project| Edit::place(&PartId::new(part), Some(slot)).apply(&CATALOG, project).unwrap();
    project = place("board.asrock-rack.romed8-2t", SlotId::rig("board"), &project);
    let board = rigbay::build::PlacementId(0);
    project = place("gpu.gigabyte.rtx-3090-turbo", SlotId::of(board, "PCIE4"), &project);
    let space = space(&CATALOG, &project.rig);
    let part = CATALOG.part(&PartId::new("gpu.gigabyte.rtx-3090-turbo")).unwrap();
    let answer = |label: &str| {
        let place = space.places.iter().find(|p| p.slot.label == label).unwrap();
        rigbay::search::answer(&CATALOG, &project.rig, &space, part, place, None).text()
    };
    assert_eq!(answer("PCIE7"), "fits");
    assert_eq!(answer("PCIE5"), "fits, but it reaches into RTX 3090 Turbo");
    assert_eq!(answer("PCIE3"), "fits, but RTX 3090 Turbo covers this slot");
}
