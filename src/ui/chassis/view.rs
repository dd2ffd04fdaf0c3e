//! Where the drawing lies on the screen: pan, zoom, fit.

use eframe::egui::emath::TSTransform;
use eframe::egui::{PointerButton, Pos2, Rect, Response, Ui, Vec2, pos2, vec2};

use crate::analysis::space::Rect as Mm;

/// Points a millimetre: from a whole rack on a phone to a slot that fills the window.
const ZOOM: std::ops::RangeInclusive<f32> = 0.2..=12.0;

/// The transform from millimetres to points, and whether it follows the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    pub screen_from_mm: TSTransform,
    /// Fits the rig into the window until the user pans or zooms.
    follows: bool,
}

impl Default for View {
    fn default() -> Self {
        Self { screen_from_mm: TSTransform::default(), follows: true }
    }
}

pub fn mm_rect(r: &Mm) -> Rect {
    Rect::from_min_size(pos2(r.x as f32, r.y as f32), vec2(r.w as f32, r.h as f32))
}

impl View {
    /// With its corner at a point of the screen, and so many points a millimetre.
    pub fn fixed(corner: Pos2, scale: f32) -> Self {
        Self { screen_from_mm: TSTransform::new(corner.to_vec2(), scale), follows: false }
    }

    pub fn follow(&mut self) {
        self.follows = true;
    }

    pub fn rect(&self, r: &Mm) -> Rect {
        self.screen_from_mm * mm_rect(r)
    }

    pub fn pos(&self, (x, y): (f64, f64)) -> Pos2 {
        self.screen_from_mm * pos2(x as f32, y as f32)
    }

    pub fn scale(&self) -> f32 {
        self.screen_from_mm.scaling
    }

    /// Fits `bounds` into `into` while the view follows the window.
    pub fn update(&mut self, bounds: &Mm, into: Rect) {
        if !self.follows {
            return;
        }
        let (bounds, into) = (mm_rect(bounds), into.shrink(14.0));
        let scale = (into.width() / bounds.width().max(1.0)).min(into.height() / bounds.height().max(1.0));
        let scale = scale.clamp(*ZOOM.start(), *ZOOM.end());
        self.screen_from_mm = TSTransform::new(into.center().to_vec2() - bounds.center().to_vec2() * scale, scale);
    }

    /// Zooms by `factor`, keeping the point under `around` in its place.
    pub fn zoom(&mut self, factor: f32, around: Pos2) {
        let old = self.scale();
        let scale = (old * factor).clamp(*ZOOM.start(), *ZOOM.end());
        let offset = self.screen_from_mm.translation;
        let at = around.to_vec2();
        self.screen_from_mm = TSTransform::new(at - (at - offset) * (scale / old), scale);
        self.follows = false;
    }

    fn pan(&mut self, by: Vec2) {
        self.screen_from_mm.translation += by;
        self.follows = false;
    }

    /// Brings a point to the middle of the window if it is outside.
    pub fn bring_into(&mut self, r: &Mm, window: Rect) {
        let target = self.rect(r);
        if !window.contains_rect(target) {
            self.pan(window.center() - target.center());
        }
    }

    /// Drag on the background or with the middle button pans; wheel and pinch zoom.
    pub fn pan_and_zoom(&mut self, ui: &Ui, response: &Response) {
        if response.dragged_by(PointerButton::Primary) || response.dragged_by(PointerButton::Middle) {
            self.pan(response.drag_delta());
        }
        if response.double_clicked() {
            self.follow();
        }
        let Some(pointer) = ui.input(|i| i.pointer.hover_pos()).filter(|_| response.container_contains_pointer()) else { return };
        let (pinch, wheel) = ui.input(|i| (i.zoom_delta(), i.smooth_scroll_delta().y));
        let factor = pinch * (wheel / 420.0).exp();
        if (factor - 1.0).abs() > 1e-4 {
            self.zoom(factor, pointer);
        }
    }
}
