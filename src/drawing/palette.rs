//! Colours by role, dark and light: the only place where colours are written down. The window's theme is built from it.

use super::Role;

/// An opaque colour, sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// `#rrggbb`
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// This colour laid over `under` with `share` 0..1.
    pub fn over(self, under: Self, share: f64) -> Self {
        let mix = |a: u8, b: u8| (f64::from(a) * share + f64::from(b) * (1.0 - share)).round() as u8;
        Self(mix(self.0, under.0), mix(self.1, under.1), mix(self.2, under.2))
    }

    /// WCAG 2.1 contrast ratio, 1..21.
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn luminance(self) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

/// Which of the two palettes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    Dark,
    Light,
}

/// The colour of a role.
pub const fn color(role: Role, theme: Theme) -> Rgb {
    let (dark, light) = pair(role);
    match theme {
        Theme::Dark => dark,
        Theme::Light => light,
    }
}

/// (dark, light)
const fn pair(role: Role) -> (Rgb, Rgb) {
    match role {
        Role::Background => (Rgb(0x12, 0x16, 0x1b), Rgb(0xf2, 0xf4, 0xf8)),
        Role::Panel => (Rgb(0x1a, 0x1f, 0x26), Rgb(0xff, 0xff, 0xff)),
        Role::Raised => (Rgb(0x22, 0x28, 0x31), Rgb(0xf0, 0xf2, 0xf6)),
        Role::Line => (Rgb(0x33, 0x3b, 0x46), Rgb(0xd5, 0xda, 0xe2)),
        Role::CaseWall => (Rgb(0x3b, 0x44, 0x52), Rgb(0xb9, 0xc2, 0xd0)),
        Role::CaseInside => (Rgb(0x18, 0x1d, 0x24), Rgb(0xf8, 0xf9, 0xfb)),
        Role::Shroud => (Rgb(0x1f, 0x25, 0x2e), Rgb(0xec, 0xef, 0xf4)),
        Role::Board => (Rgb(0x1c, 0x34, 0x30), Rgb(0xdb, 0xea, 0xe5)),
        Role::BoardEdge => (Rgb(0x2f, 0x5c, 0x52), Rgb(0xa3, 0xc9, 0xbf)),
        Role::Slot => (Rgb(0x10, 0x16, 0x18), Rgb(0x8a, 0x97, 0xa3)),
        Role::SlotFree => (Rgb(0x5c, 0x6a, 0x7a), Rgb(0x84, 0x92, 0xa2)),
        Role::Socket => (Rgb(0x2b, 0x32, 0x3d), Rgb(0xe3, 0xe7, 0xef)),
        Role::Ram => (Rgb(0x2e, 0xa8, 0x9b), Rgb(0x1a, 0x8a, 0x7e)),
        Role::Card => (Rgb(0x3b, 0x44, 0x52), Rgb(0xd3, 0xd9, 0xe3)),
        Role::CardEdge => (Rgb(0x5f, 0x6b, 0x7b), Rgb(0x8e, 0x99, 0xa9)),
        Role::CardFan => (Rgb(0x6c, 0x78, 0x88), Rgb(0x97, 0xa2, 0xb1)),
        Role::Bracket => (Rgb(0x7d, 0x89, 0x9a), Rgb(0x7f, 0x8b, 0x9b)),
        Role::Cooler => (Rgb(0x2f, 0x38, 0x45), Rgb(0xdc, 0xe2, 0xeb)),
        Role::Psu => (Rgb(0x2a, 0x31, 0x3c), Rgb(0xdf, 0xe4, 0xec)),
        Role::Drive => (Rgb(0x2a, 0x31, 0x3c), Rgb(0xe3, 0xe7, 0xef)),
        Role::Fan => (Rgb(0x33, 0x3d, 0x4b), Rgb(0xd0, 0xd8, 0xe4)),
        Role::Mount => (Rgb(0x44, 0x4f, 0x5e), Rgb(0xae, 0xb8, 0xc6)),
        Role::Label => (Rgb(0xf0, 0xf3, 0xf7), Rgb(0x17, 0x1c, 0x24)),
        Role::SubLabel => (Rgb(0xa4, 0xae, 0xbb), Rgb(0x55, 0x60, 0x6f)),
        Role::Accent => (Rgb(0x35, 0xb8, 0xa9), Rgb(0x0c, 0x76, 0x6c)),
        Role::OnAccent => (Rgb(0x08, 0x20, 0x1d), Rgb(0xff, 0xff, 0xff)),
        Role::Problem => (Rgb(0xf0, 0x6a, 0x63), Rgb(0xb9, 0x2c, 0x26)),
        Role::Advice => (Rgb(0xf0, 0xa8, 0x1e), Rgb(0x94, 0x5c, 0x00)),
        Role::Good => (Rgb(0x4f, 0xc0, 0x76), Rgb(0x1f, 0x7a, 0x3d)),
        Role::Cold => (Rgb(0x5d, 0x9d, 0xff), Rgb(0x1f, 0x5f, 0xc9)),
        Role::Cache => (Rgb(0xa7, 0x8b, 0xfa), Rgb(0x6d, 0x4b, 0xc4)),
        Role::Gradient => (Rgb(0xe8, 0x7f, 0xb8), Rgb(0xb0, 0x3a, 0x7c)),
        Role::States => (Rgb(0x3f, 0xc4, 0xd8), Rgb(0x0f, 0x7d, 0x94)),
        Role::Activation => (Rgb(0x9c, 0xc9, 0x4a), Rgb(0x5a, 0x7d, 0x14)),
        Role::Neutral => (Rgb(0x85, 0x91, 0xa3), Rgb(0x6b, 0x77, 0x88)),
        Role::Gen2 => (Rgb(0xb3, 0xa3, 0x8c), Rgb(0x7a, 0x66, 0x49)),
        Role::Gen3 => (Rgb(0x6c, 0xa8, 0xff), Rgb(0x1f, 0x5f, 0xc9)),
        Role::Gen4 => (Rgb(0x3c, 0xcb, 0xb8), Rgb(0x0b, 0x7d, 0x72)),
        Role::Gen5 => (Rgb(0xc0, 0x8c, 0xff), Rgb(0x7a, 0x3f, 0xc9)),
        Role::Air(step) => air(step),
        Role::Heat(step) => heat(step),
    }
}

/// From blue to orange, which also people tell apart who see no red or no green.
const fn air(step: u8) -> (Rgb, Rgb) {
    match step {
        0 => (Rgb(0x5d, 0x9d, 0xff), Rgb(0x1f, 0x5f, 0xc9)),
        1 => (Rgb(0x8d, 0xb0, 0xf2), Rgb(0x4b, 0x64, 0xa6)),
        2 => (Rgb(0xb9, 0xc2, 0xcc), Rgb(0x67, 0x69, 0x76)),
        3 => (Rgb(0xdf, 0xbe, 0x86), Rgb(0x7d, 0x62, 0x3a)),
        4 => (Rgb(0xf0, 0xa8, 0x3a), Rgb(0x94, 0x5c, 0x00)),
        _ => (Rgb(0xff, 0x8a, 0x3d), Rgb(0xb2, 0x42, 0x00)),
    }
}

/// One way in lightness, so that it also reads without colour: brighter is hotter on dark, darker is hotter on light.
const fn heat(step: u8) -> (Rgb, Rgb) {
    match step {
        0 => (Rgb(0x17, 0x22, 0x3e), Rgb(0xf1, 0xf5, 0xfb)),
        1 => (Rgb(0x26, 0x2a, 0x5c), Rgb(0xfb, 0xec, 0xd3)),
        2 => (Rgb(0x42, 0x30, 0x78), Rgb(0xfb, 0xdd, 0xae)),
        3 => (Rgb(0x5f, 0x34, 0x80), Rgb(0xfa, 0xca, 0x88)),
        4 => (Rgb(0x7e, 0x39, 0x7e), Rgb(0xf6, 0xb4, 0x68)),
        5 => (Rgb(0x9d, 0x40, 0x75), Rgb(0xee, 0x9b, 0x50)),
        6 => (Rgb(0xba, 0x4a, 0x67), Rgb(0xe2, 0x80, 0x42)),
        7 => (Rgb(0xd3, 0x59, 0x55), Rgb(0xd0, 0x65, 0x3a)),
        8 => (Rgb(0xe7, 0x6e, 0x42), Rgb(0xb9, 0x4b, 0x36)),
        9 => (Rgb(0xf3, 0x89, 0x31), Rgb(0x9d, 0x34, 0x35)),
        10 => (Rgb(0xf9, 0xa8, 0x33), Rgb(0x7d, 0x21, 0x35)),
        _ => (Rgb(0xfa, 0xcd, 0x55), Rgb(0x5a, 0x13, 0x32)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::air::{AIR_STEPS, HEAT_STEPS};
    use super::*;

    #[test]
    fn text_is_readable_on_every_surface() {
        for theme in [Theme::Dark, Theme::Light] {
            for surface in [Role::Background, Role::Panel, Role::Raised, Role::CaseInside, Role::Board, Role::Card, Role::Psu] {
                for (text, least) in [(Role::Label, 7.0), (Role::SubLabel, 4.0)] {
                    let ratio = color(text, theme).contrast(color(surface, theme));
                    assert!(ratio >= least, "{text:?} on {surface:?} in {theme:?}: {ratio:.1}");
                }
            }
            for surface in [Role::Background, Role::Panel, Role::Raised] {
                for text in [Role::Accent, Role::Problem, Role::Advice, Role::Good, Role::Cold] {
                    let ratio = color(text, theme).contrast(color(surface, theme));
                    assert!(ratio >= 4.5, "{text:?} on {surface:?} in {theme:?}: {ratio:.1}");
                }
            }
            for surface in [Role::Background, Role::CaseInside, Role::Board, Role::Raised, Role::Card] {
                for wire in [Role::Gen2, Role::Gen3, Role::Gen4, Role::Gen5, Role::Advice, Role::Problem] {
                    let ratio = color(wire, theme).contrast(color(surface, theme));
                    // Card faces are seldom behind a wire; only its end touches them.
                    let least = if surface == Role::Card { 2.4 } else { 3.0 };
                    assert!(ratio >= least, "{wire:?} on {surface:?} in {theme:?}: {ratio:.1}");
                }
            }
            for surface in [Role::Background, Role::CaseInside, Role::Board] {
                for step in 0..AIR_STEPS {
                    let ratio = color(Role::Air(step), theme).contrast(color(surface, theme));
                    assert!(ratio >= 3.0, "air {step} on {surface:?} in {theme:?}: {ratio:.1}");
                }
            }
            assert!(color(Role::OnAccent, theme).contrast(color(Role::Accent, theme)) >= 4.5);
        }
    }

    #[test]
    fn the_scale_of_heat_reads_without_colour() {
        for theme in [Theme::Dark, Theme::Light] {
            let lightness: Vec<f64> = (0..HEAT_STEPS).map(|n| color(Role::Heat(n), theme).luminance()).collect();
            let rises = theme == Theme::Dark;
            assert!(lightness.windows(2).all(|w| (w[1] > w[0]) == rises), "{theme:?}: {lightness:?}");
            let ends = color(Role::Heat(0), theme).contrast(color(Role::Heat(HEAT_STEPS - 1), theme));
            assert!(ends > 7.0, "{ends:.1}");
        }
    }
}
