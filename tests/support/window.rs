//! The window without a display, for tests that drive it by accessible names.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use eframe::egui::{self, Key, Modifiers, Role, vec2};
use egui_kittest::{Harness, kittest::Queryable as _};
use rigbay::catalog::Catalog;
use rigbay::catalog::load::{embedded_files, load};
use rigbay::catalog::model::ModelShape;
use rigbay::catalog::part::PartId;
use rigbay::import::model_list;
use rigbay::project::edit::Edit;
use rigbay::ui::action::Theme;
use rigbay::ui::{App, Options};

pub type Window = Harness<'static, App>;

type Data = (Arc<Catalog>, Arc<Vec<Arc<ModelShape>>>);

/// The shipped catalog and list of models.
pub static DATA: LazyLock<Data> = LazyLock::new(|| {
    let (catalog, faults) = load(&embedded_files(""));
    assert!(faults.is_empty(), "{faults:?}");
    let lists = embedded_files("models");
    let models = lists.iter().flat_map(|(name, text)| model_list::builtin(text, name).unwrap()).map(Arc::new).collect();
    (Arc::new(catalog), Arc::new(models))
});

/// On the start page.
pub fn start_page(size: egui::Vec2) -> Window {
    let (catalog, models) = DATA.clone();
    let mut harness = Harness::builder().with_size(size).with_max_steps(12).build_eframe(move |cc| {
        let options = Options { today: "2026-11-30".to_owned(), theme: Some(Theme::Dark), ..Options::default() };
        let mut app = App::inline(cc, catalog, models, options);
        app.dialogs.without_system = true;
        app
    });
    harness.run();
    harness
}

/// Past the start page, in an empty rig.
pub fn empty_rig_of(size: egui::Vec2) -> Window {
    let mut harness = start_page(size);
    press(&mut harness, "Empty rig");
    harness
}

pub fn empty_rig() -> Window {
    empty_rig_of(vec2(1280.0, 800.0))
}

/// Puts parts where the program would.
pub fn place(harness: &mut Window, ids: &[&str]) {
    for id in ids {
        let session = &mut harness.state_mut().session;
        let id = PartId::new(id);
        let slot = rigbay::search::best_slot(session.catalog(), session.project(), &id);
        session.apply(&Edit::place(&id, slot), false).unwrap();
    }
    harness.run();
}

/// A rig with one card.
pub const TOWER: [&str; 6] = [
    "case.phanteks.enthoo-pro-2-server-edition",
    "board.asrock-rack.romed8-2t",
    "cpu.amd.epyc-7443p",
    "psu.corsair.ax1600i",
    "ram.kingston.ksm32rd4-64hcr",
    "gpu.gigabyte.rtx-3090-turbo",
];

pub fn pieces(harness: &Window) -> usize {
    harness.state().session.project().rig.placements().count()
}

pub fn cards_of(harness: &Window) -> usize {
    harness.state().session.report().facts.space.cards.len()
}

/// Presses a button, wherever it is.
pub fn press(harness: &mut Window, name: &str) {
    harness.get_by_role_and_label(Role::Button, name).click_accesskit();
    harness.run();
}

/// Opens a menu and takes an entry.
pub fn menu(harness: &mut Window, name: &str, entry: &str) {
    harness.get_by_label(name).click();
    harness.run();
    harness.get_by_label(entry).click();
    harness.run();
}

/// Replaces what the field that asks for a path holds, and confirms it.
pub fn enter_path(harness: &mut Window, path: &Path) {
    harness.get_by_role_and_label(Role::TextInput, "Path of the file").focus();
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Path of the file").type_text(path.to_str().unwrap());
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
}

pub fn undo(harness: &mut Window) {
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run();
}

/// Opens the list of models, searches it, and takes the first row by Enter.
pub fn pick_first_model(harness: &mut Window, search: &str) {
    harness.get_by_role_and_label(Role::ComboBox, "Model").click();
    harness.run();
    harness.get_by_label("Search models").type_text(search);
    harness.run();
    harness.key_press(Key::Enter);
    harness.run();
}
