//! The few icons the window needs, drawn as shapes: no symbol font, no missing glyphs, sharp at any zoom.

use eframe::egui::{Color32, Painter, Pos2, Rect, Stroke, StrokeKind, pos2};

/// A small picture with one meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    Close,
    Plus,
    Search,
    Down,
    Up,
    Right,
    Check,
    /// Two sheets, one behind the other.
    Copy,
    LeftPanel,
    RightPanel,
    BottomPanel,
}

/// Paints an icon into `rect`, whatever its size.
pub fn paint(painter: &Painter, icon: Icon, rect: Rect, color: Color32) {
    let stroke = Stroke::new(1.5, color);
    // A grid of 0..16 in both directions.
    let at = |x: f32, y: f32| -> Pos2 { pos2(rect.left() + rect.width() * x / 16.0, rect.top() + rect.height() * y / 16.0) };
    let line = |points: &[(f32, f32)]| {
        painter.line(points.iter().map(|&(x, y)| at(x, y)).collect(), stroke);
    };
    match icon {
        Icon::Close => {
            line(&[(4.0, 4.0), (12.0, 12.0)]);
            line(&[(12.0, 4.0), (4.0, 12.0)]);
        }
        Icon::Plus => {
            line(&[(8.0, 3.5), (8.0, 12.5)]);
            line(&[(3.5, 8.0), (12.5, 8.0)]);
        }
        Icon::Search => {
            painter.circle_stroke(at(7.0, 7.0), rect.width() * 4.0 / 16.0, stroke);
            line(&[(10.0, 10.0), (13.5, 13.5)]);
        }
        Icon::Down => line(&[(4.0, 6.0), (8.0, 10.5), (12.0, 6.0)]),
        Icon::Up => line(&[(4.0, 10.5), (8.0, 6.0), (12.0, 10.5)]),
        Icon::Right => line(&[(6.0, 4.0), (10.5, 8.0), (6.0, 12.0)]),
        Icon::Check => line(&[(3.5, 8.5), (6.8, 11.8), (12.8, 4.8)]),
        Icon::Copy => {
            painter.rect_stroke(Rect::from_min_max(at(6.0, 6.0), at(13.5, 13.5)), 2.0, stroke, StrokeKind::Middle);
            line(&[(10.0, 3.0), (4.5, 3.0), (3.0, 4.5), (3.0, 10.0)]);
        }
        Icon::LeftPanel | Icon::RightPanel | Icon::BottomPanel => {
            let outer = Rect::from_min_max(at(2.0, 3.0), at(14.0, 13.0));
            painter.rect_stroke(outer, 2.0, stroke, StrokeKind::Middle);
            let inner = match icon {
                Icon::LeftPanel => Rect::from_min_max(at(2.0, 3.0), at(6.0, 13.0)),
                Icon::RightPanel => Rect::from_min_max(at(10.0, 3.0), at(14.0, 13.0)),
                _ => Rect::from_min_max(at(2.0, 9.5), at(14.0, 13.0)),
            };
            painter.rect_filled(inner, 1.0, color);
        }
    }
}
