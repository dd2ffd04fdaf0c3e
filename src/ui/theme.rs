//! The look: colours by meaning from the palette, spacing, text styles and fonts.

use std::sync::Arc;

use eframe::egui::style::{NumericColorSpace, ScrollStyle, WidgetVisuals};
use eframe::egui::{
    Color32, Context, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, Shadow, Stroke, Style, TextStyle, vec2,
};

use crate::analysis::memory::ItemKind;
use crate::checks::finding::{Finding, Severity, Verdict};
use crate::drawing::palette::{Rgb, Theme, color};
use crate::drawing::{Role, item_role};

/// Colours by meaning, of one theme.
#[derive(Clone, Debug, PartialEq)]
pub struct Tokens {
    pub theme: Theme,
    pub background: Color32,
    pub panel: Color32,
    pub raised: Color32,
    pub line: Color32,
    pub text: Color32,
    pub sub: Color32,
    pub accent: Color32,
    pub on_accent: Color32,
    pub problem: Color32,
    pub advice: Color32,
    pub good: Color32,
    pub cold: Color32,
    pub neutral: Color32,
    /// Quiet text is strong, for presenter mode.
    plain: bool,
}

/// Corner radii.
pub const RADIUS: u8 = 6;
pub const CARD_RADIUS: u8 = 8;
/// Seconds that the pointer rests before a tooltip comes, and that none comes after a drop.
pub const TOOLTIP_DELAY: f32 = 0.4;
pub const TOOLTIP_AFTER_DROP: f64 = 0.5;
/// Inner margin of panels.
pub const PANEL_MARGIN: i8 = 12;

fn solid(rgb: Rgb) -> Color32 {
    Color32::from_rgb(rgb.0, rgb.1, rgb.2)
}

impl Tokens {
    pub fn of(theme: Theme) -> Self {
        let c = |role| solid(color(role, theme));
        Self {
            theme,
            background: c(Role::Background),
            panel: c(Role::Panel),
            raised: c(Role::Raised),
            line: c(Role::Line),
            text: c(Role::Label),
            sub: c(Role::SubLabel),
            accent: c(Role::Accent),
            on_accent: c(Role::OnAccent),
            problem: c(Role::Problem),
            advice: c(Role::Advice),
            good: c(Role::Good),
            cold: c(Role::Cold),
            neutral: c(Role::Neutral),
            plain: false,
        }
    }

    /// For a wall that light falls on: quiet text and lines as strong as the rest. `on` false changes nothing.
    #[must_use]
    pub fn plain_if(self, on: bool) -> Self {
        if !on {
            return self;
        }
        let mix = |role, share| solid(color(Role::Label, self.theme).over(color(role, self.theme), share));
        Self { sub: mix(Role::SubLabel, 0.6), line: mix(Role::Line, 0.35), plain: true, ..self }
    }

    pub fn is_dark(&self) -> bool {
        self.theme == Theme::Dark
    }

    /// Colour of a drawing role.
    pub fn role(&self, role: Role) -> Color32 {
        if role == Role::SubLabel && self.plain {
            return self.sub;
        }
        solid(color(role, self.theme))
    }

    /// A tint of `role` on a panel: `share` 0..1.
    pub fn tint(&self, role: Role, share: f64) -> Color32 {
        solid(color(role, self.theme).over(color(Role::Panel, self.theme), share))
    }

    pub fn finding(&self, finding: &Finding) -> Color32 {
        match (finding.verdict, finding.severity) {
            _ if finding.accepted.is_some() => self.neutral,
            (Verdict::Pass, _) => self.good,
            (Verdict::Unknown, _) => self.neutral,
            (Verdict::Fail, Severity::Blocker | Severity::Problem) => self.problem,
            (Verdict::Fail, Severity::Advice) => self.advice,
            (Verdict::Fail, Severity::Note) => self.cold,
        }
    }

    pub fn item(&self, kind: ItemKind) -> Color32 {
        self.role(item_role(kind))
    }
}

pub fn semibold(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("semibold".into()))
}
pub fn medium(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("medium".into()))
}
pub fn regular(size: f32) -> FontId {
    FontId::proportional(size)
}

/// Large figures.
pub fn big() -> TextStyle {
    TextStyle::Name("big".into())
}

const INTER: [(&str, &[u8]); 3] = [
    ("inter", include_bytes!("../../assets/fonts/Inter-Regular.otf")),
    ("inter-medium", include_bytes!("../../assets/fonts/Inter-Medium.otf")),
    ("inter-semibold", include_bytes!("../../assets/fonts/Inter-SemiBold.otf")),
];

fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    for (name, data) in INTER {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(data)));
    }
    let fallback = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    let family = |first: &str| std::iter::once(first.to_owned()).chain(fallback.iter().cloned()).collect::<Vec<_>>();
    fonts.families.insert(FontFamily::Proportional, family("inter"));
    fonts.families.insert(FontFamily::Name("medium".into()), family("inter-medium"));
    fonts.families.insert(FontFamily::Name("semibold".into()), family("inter-semibold"));
    fonts
}

/// Sets fonts and both styles; once, at start.
pub fn install(ctx: &Context) {
    ctx.set_fonts(fonts());
    for (egui_theme, theme) in [(eframe::egui::Theme::Dark, Theme::Dark), (eframe::egui::Theme::Light, Theme::Light)] {
        let tokens = Tokens::of(theme);
        ctx.style_mut_of(egui_theme, |style| {
            text_styles(style);
            spacing(style);
            visuals(style, &tokens);
            style.interaction.tooltip_delay = TOOLTIP_DELAY;
        });
    }
}

/// Dresses both styles for presenter mode, or for work: stronger text, a still cursor, nothing that moves by itself.
pub fn dress(ctx: &Context, presenting: bool) {
    for (egui_theme, theme) in [(eframe::egui::Theme::Dark, Theme::Dark), (eframe::egui::Theme::Light, Theme::Light)] {
        let tokens = Tokens::of(theme).plain_if(presenting);
        ctx.style_mut_of(egui_theme, |style| {
            visuals(style, &tokens);
            style.visuals.text_cursor.blink = !presenting;
        });
    }
}

fn text_styles(style: &mut Style) {
    style.text_styles = [
        (TextStyle::Heading, semibold(15.0)),
        (TextStyle::Body, regular(13.0)),
        (TextStyle::Button, regular(13.0)),
        (TextStyle::Small, regular(11.5)),
        (TextStyle::Monospace, FontId::monospace(12.5)),
        (big(), semibold(20.0)),
    ]
    .into();
}

fn spacing(style: &mut Style) {
    let s = &mut style.spacing;
    s.item_spacing = vec2(8.0, 6.0);
    s.button_padding = vec2(9.0, 4.0);
    s.interact_size = vec2(32.0, 26.0);
    s.window_margin = Margin::same(16);
    s.menu_margin = Margin::same(6);
    s.menu_spacing = 2.0;
    s.indent = 14.0;
    s.combo_height = 360.0;
    s.tooltip_width = 340.0;
    s.scroll = ScrollStyle::thin();
}

fn visuals(style: &mut Style, t: &Tokens) {
    let v = &mut style.visuals;
    v.dark_mode = t.is_dark();
    v.panel_fill = t.panel;
    v.window_fill = t.panel;
    v.window_stroke = Stroke::new(1.0, t.line);
    v.window_corner_radius = CornerRadius::same(10);
    v.menu_corner_radius = CornerRadius::same(CARD_RADIUS);
    v.window_shadow = Shadow { offset: [0, 8], blur: 28, spread: 0, color: Color32::from_black_alpha(if t.is_dark() { 120 } else { 40 }) };
    v.popup_shadow = Shadow { offset: [0, 4], blur: 14, spread: 0, color: Color32::from_black_alpha(if t.is_dark() { 110 } else { 36 }) };
    v.faint_bg_color = t.raised;
    v.extreme_bg_color = t.background;
    v.text_edit_bg_color = Some(t.raised);
    v.code_bg_color = t.raised;
    v.hyperlink_color = t.accent;
    v.warn_fg_color = t.advice;
    v.error_fg_color = t.problem;
    v.weak_text_color = Some(t.sub);
    v.selection.bg_fill = t.tint(Role::Accent, 0.38);
    v.selection.stroke = Stroke::new(1.0, t.accent);
    v.numeric_color_space = NumericColorSpace::GammaByte;
    v.slider_trailing_fill = true;
    let state = |fill: Color32, edge: Color32, text: Color32| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(1.0, edge),
        corner_radius: CornerRadius::same(RADIUS),
        fg_stroke: Stroke::new(1.2, text),
        expansion: 0.0,
    };
    v.widgets.noninteractive = state(t.panel, t.line, t.text);
    v.widgets.inactive = state(t.raised, t.line, t.text);
    v.widgets.hovered = state(t.tint(Role::Line, 0.75), t.tint(Role::Accent, 0.6), t.text);
    v.widgets.active = state(t.tint(Role::Accent, 0.30), t.accent, t.text);
    v.widgets.open = state(t.tint(Role::Line, 0.6), t.line, t.text);
}
