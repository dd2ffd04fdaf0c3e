//! Rigbay's program: the window, or a command from a shell.

use std::process::ExitCode;

use rigbay::cli::{Outcome, Window, run};

fn main() -> ExitCode {
    match run(std::env::args_os(), &today(), &mut std::io::stdout(), &mut std::io::stderr()) {
        Outcome::Exit(code) => ExitCode::from(code),
        Outcome::Window(options) => match window(options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                use std::io::Write as _;
                let _ = writeln!(std::io::stderr(), "{message}");
                ExitCode::FAILURE
            }
        },
    }
}

#[cfg(feature = "gui")]
fn window(options: Window) -> Result<(), String> {
    use rigbay::cli::ThemeName;
    use rigbay::ui::action::Theme;
    let theme = options.theme.map(|t| match t {
        ThemeName::Light => Theme::Light,
        ThemeName::Dark => Theme::Dark,
    });
    rigbay::ui::run(rigbay::ui::Options { open: options.open, example: options.example, today: today(), theme })
}

#[cfg(not(feature = "gui"))]
fn window(_: Window) -> Result<(), String> {
    Err("This Rigbay was built without its window. Use its commands (rigbay --help), or build it with the feature gui.".to_owned())
}

/// Today in UTC, `YYYY-MM-DD`.
fn today() -> String {
    #[expect(clippy::disallowed_methods, reason = "the one place where the date enters")]
    let now = std::time::SystemTime::now();
    let days = now.duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs() / 86_400);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of a day counted from 1970-01-01 (Howard Hinnant, <https://howardhinnant.github.io/date_algorithms.html>).
const fn civil(days: u64) -> (u64, u64, u64) {
    let z = days + 719_468;
    let (era, of_era) = (z / 146_097, z % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + (month <= 2) as u64, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn days_become_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_787), (2026, 11, 30));
    }
}
