//! What the window remembers between runs. The document never goes here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::action::{ExportPrefs, Layer, Side, Theme};
use crate::lesson::progress::Progress;
use crate::project::Room;
use crate::units::Currency;

/// Files kept in the list of recent ones.
const RECENT: usize = 8;

/// The user's choices about the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Prefs {
    pub theme: Theme,
    pub layer: Layer,
    pub parts_open: bool,
    pub work_open: bool,
    pub charts_open: bool,
    /// Nothing moves by itself.
    pub reduce_motion: bool,
    pub recent: Vec<PathBuf>,
    /// Help lines that were dismissed.
    pub dismissed: BTreeSet<String>,
    /// Currency, tariff and mains voltage for new rigs; `None` until asked.
    pub room: Option<Room>,
    /// The user's own efficiency factors, kept apart from the program's; a rig that uses them has a copy.
    pub own_factors: BTreeMap<String, f64>,
    /// Parts of the catalog that the user likes, by id.
    pub favourites: BTreeSet<String>,
    /// What the export dialog was last set to.
    pub export: ExportPrefs,
    /// Zoom to go back to, where the window was closed in presenter mode.
    pub zoom: Option<f32>,
    /// Progress by lesson.
    pub lessons: BTreeMap<String, Progress>,
    /// The window is small now: side panels are drawers, closed at first.
    #[serde(skip)]
    pub small: bool,
    #[serde(skip)]
    drawers: (bool, bool),
}

impl Default for Prefs {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            layer: Layer::Parts,
            parts_open: true,
            work_open: true,
            charts_open: true,
            reduce_motion: false,
            recent: Vec::new(),
            dismissed: BTreeSet::new(),
            room: None,
            own_factors: BTreeMap::new(),
            favourites: BTreeSet::new(),
            export: ExportPrefs::default(),
            zoom: None,
            lessons: BTreeMap::new(),
            small: false,
            drawers: (false, false),
        }
    }
}

impl Prefs {
    /// Whether a panel, or in a small window its drawer, is open.
    pub fn is_open(&self, side: Side) -> bool {
        match side {
            Side::Parts if self.small => self.drawers.0,
            Side::Work if self.small => self.drawers.1,
            Side::Parts => self.parts_open,
            Side::Work => self.work_open,
            Side::Charts => self.charts_open,
        }
    }

    /// Opens or closes it. In a small window one drawer closes the other.
    pub fn toggle(&mut self, side: Side) {
        let open = !self.is_open(side);
        match side {
            Side::Parts if self.small => self.drawers = (open, false),
            Side::Work if self.small => self.drawers = (false, open),
            Side::Parts => self.parts_open = open,
            Side::Work => self.work_open = open,
            Side::Charts => self.charts_open = open,
        }
    }

    /// Puts a file at the head of the recent ones.
    pub fn remember(&mut self, path: &Path) {
        self.recent.retain(|p| p != path);
        self.recent.insert(0, path.to_owned());
        self.recent.truncate(RECENT);
    }

    pub fn room(&self) -> Room {
        self.room.clone().unwrap_or_else(|| room_of_locale(sys_locale::get_locale().as_deref()))
    }
}

/// Region, currency, household tariff per kWh, mains voltage and usual circuit. Tariffs are round household averages to start from;
/// the start page asks for the user's own.
const REGIONS: [(&[&str], &str, f64, f64, f64); 12] = [
    (&["US"], "USD", 0.17, 120.0, 15.0),
    (&["CA"], "CAD", 0.15, 120.0, 15.0),
    (&["GB"], "GBP", 0.26, 230.0, 13.0),
    (&["JP"], "JPY", 31.0, 100.0, 15.0),
    (&["CN"], "CNY", 0.55, 220.0, 10.0),
    (&["IN"], "INR", 7.0, 230.0, 16.0),
    (&["KR"], "KRW", 160.0, 220.0, 16.0),
    (&["AU"], "AUD", 0.33, 230.0, 10.0),
    (&["CH"], "CHF", 0.28, 230.0, 10.0),
    (&["SE"], "SEK", 2.0, 230.0, 10.0),
    (&["PL"], "PLN", 1.1, 230.0, 16.0),
    (&["DE", "AT", "FR", "ES", "IT", "NL", "BE", "FI", "IE", "PT", "GR"], "EUR", 0.30, 230.0, 16.0),
];

/// First guess of place, currency and tariff from a locale such as "de-DE".
pub fn room_of_locale(locale: Option<&str>) -> Room {
    let region = locale.and_then(|l| l.split(['-', '_', '.']).nth(1)).unwrap_or("US").to_uppercase();
    let found = REGIONS.iter().find(|(codes, ..)| codes.contains(&region.as_str()));
    let Some(&(_, code, tariff_per_kwh, mains_v, circuit_a)) = found else { return Room::default() };
    let currency = Currency::parse(code).unwrap_or(Currency::USD);
    Room { currency, tariff_per_kwh, mains_v, circuit_a, ..Room::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_gives_currency_and_mains() {
        let room = room_of_locale(Some("de-AT"));
        assert_eq!((room.currency, room.mains_v), (Currency::EUR, 230.0));
        assert_eq!(room_of_locale(Some("C")), Room::default());
        assert_eq!(room_of_locale(None).currency, Currency::USD);
    }

    #[test]
    fn recent_files_are_few_and_newest_first() {
        let mut prefs = Prefs::default();
        for n in 0..20 {
            prefs.remember(Path::new(&format!("{n}.toml")));
        }
        prefs.remember(Path::new("15.toml"));
        assert_eq!(prefs.recent.len(), RECENT);
        assert_eq!(prefs.recent[0], Path::new("15.toml"));
    }
}
