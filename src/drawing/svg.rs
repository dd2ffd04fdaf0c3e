//! A drawing as SVG, and SVG as PNG without a display.

use std::fmt::Write as _;
use std::sync::Arc;

use super::palette::{Theme, color};
use super::{Anchor, Drawing, Piece, Role, Shape, Stroke};

/// Millimetres around the drawing.
const MARGIN: f64 = 12.0;
/// Picture pixels a millimetre at scale 1; line widths are in points, so this turns them into millimetres too.
const PX_PER_MM: f64 = 2.0;

/// The drawing as one SVG document; equal drawings give equal bytes.
pub fn svg(drawing: &Drawing, theme: Theme) -> String {
    let b = drawing.bounds;
    let (x, y, w, h) = (b.x - MARGIN, b.y - MARGIN, b.w + 2.0 * MARGIN, b.h + 2.0 * MARGIN);
    let mut out = String::new();
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x:.2} {y:.2} {w:.2} {h:.2}" width="{:.0}" height="{:.0}" font-family="Inter, sans-serif">"#,
        w * PX_PER_MM,
        h * PX_PER_MM
    );
    let _ = writeln!(out, r#"<rect x="{x:.2}" y="{y:.2}" width="{w:.2}" height="{h:.2}" fill="{}"/>"#, hex(Role::Background, theme));
    for piece in &drawing.pieces {
        write_piece(&mut out, piece, theme);
    }
    out.push_str("</svg>\n");
    out
}

fn hex(role: Role, theme: Theme) -> String {
    color(role, theme).hex()
}

fn paint(fill: Option<Role>, stroke: Option<Stroke>, theme: Theme) -> String {
    let mut out = fill.map_or_else(|| r#" fill="none""#.to_owned(), |f| format!(r#" fill="{}""#, hex(f, theme)));
    if let Some(s) = stroke {
        let _ = write!(out, r#" stroke="{}" stroke-width="{:.2}""#, hex(s.role, theme), f64::from(s.width) / PX_PER_MM * 1.4);
        if s.dashed {
            out.push_str(r#" stroke-dasharray="4 2.5""#);
        }
    }
    out
}

fn write_piece(out: &mut String, piece: &Piece, theme: Theme) {
    let _ = match &piece.shape {
        Shape::Rect { rect: r, corner_mm, fill, stroke } => writeln!(
            out,
            r#"<rect x="{:.2}" y="{:.2}" width="{:.2}" height="{:.2}" rx="{corner_mm:.1}"{}/>"#,
            r.x,
            r.y,
            r.w.max(0.0),
            r.h.max(0.0),
            paint(*fill, *stroke, theme)
        ),
        Shape::Circle { center: (x, y), radius_mm, fill, stroke } => {
            writeln!(out, r#"<circle cx="{x:.2}" cy="{y:.2}" r="{radius_mm:.2}"{}/>"#, paint(*fill, *stroke, theme))
        }
        Shape::Line { points, stroke, arrow } => {
            let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
            let _ = writeln!(out, r#"<polyline points="{}"{}/>"#, path.join(" "), paint(None, Some(*stroke), theme));
            if *arrow { write_arrow(out, points, *stroke, theme) } else { Ok(()) }
        }
        Shape::Text { at, text, size_mm, strong, role, anchor, room_mm } => {
            let shown = shorten(text, *size_mm, *room_mm, *strong);
            let (place, dy) = match anchor {
                Anchor::LeftTop => ("start", 0.8),
                Anchor::LeftMiddle => ("start", 0.29),
                Anchor::Center => ("middle", 0.29),
                Anchor::RightMiddle => ("end", 0.29),
                Anchor::CenterTop => ("middle", 0.8),
            };
            let size = size_mm * FONT_OF_LINE;
            let weight = if *strong { r#" font-weight="600""# } else { "" };
            writeln!(
                out,
                r#"<text x="{:.2}" y="{:.2}" font-size="{size:.2}" text-anchor="{place}" fill="{}"{weight}>{}</text>"#,
                at.0,
                at.1 + size * (dy + 0.06),
                hex(*role, theme),
                escape(&shown)
            )
        }
        Shape::Tag { at, text, size_mm, edge, anchor } => write_tag(out, *at, text, *size_mm, *edge, *anchor, theme),
    };
}

fn write_tag(out: &mut String, at: (f64, f64), text: &str, size_mm: f64, edge: Role, anchor: Anchor, theme: Theme) -> std::fmt::Result {
    let size = size_mm * FONT_OF_LINE;
    let width = text.chars().count() as f64 * size * TAG_ADVANCE + size_mm;
    let height = size_mm * TAG_HEIGHT;
    let (left, middle) = match anchor {
        Anchor::LeftTop => (at.0, at.1 + height / 2.0),
        Anchor::LeftMiddle => (at.0, at.1),
        Anchor::Center => (at.0 - width / 2.0, at.1),
        Anchor::RightMiddle => (at.0 - width, at.1),
        Anchor::CenterTop => (at.0 - width / 2.0, at.1 + height / 2.0),
    };
    writeln!(
        out,
        r#"<rect x="{left:.2}" y="{:.2}" width="{width:.2}" height="{height:.2}" rx="{:.1}" fill="{}" stroke="{}" stroke-width="0.90"/>"#,
        middle - height / 2.0,
        height / 2.0,
        hex(Role::Background, theme),
        hex(edge, theme),
    )?;
    writeln!(
        out,
        r#"<text x="{:.2}" y="{:.2}" font-size="{size:.2}" text-anchor="middle" fill="{}" font-weight="600">{}</text>"#,
        left + width / 2.0,
        middle + size * 0.35,
        hex(Role::Label, theme),
        escape(text)
    )
}

fn write_arrow(out: &mut String, points: &[(f64, f64)], stroke: Stroke, theme: Theme) -> std::fmt::Result {
    let [.., from, tip] = points else { return Ok(()) };
    let (a, b, c) = arrow_head(*from, *tip, 6.0);
    writeln!(
        out,
        r#"<polygon points="{:.2},{:.2} {:.2},{:.2} {:.2},{:.2}" fill="{}"/>"#,
        a.0,
        a.1,
        b.0,
        b.1,
        c.0,
        c.1,
        hex(stroke.role, theme)
    )
}

/// Tip and the two barbs of an arrow head of `size`.
pub fn arrow_head(from: (f64, f64), tip: (f64, f64), size: f64) -> ((f64, f64), (f64, f64), (f64, f64)) {
    let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
    let length = libm::sqrt(dx * dx + dy * dy).max(1e-6);
    let (ux, uy) = (dx / length * size, dy / length * size);
    (tip, (tip.0 - ux - uy * 0.5, tip.1 - uy + ux * 0.5), (tip.0 - ux + uy * 0.5, tip.1 - uy - ux * 0.5))
}

/// Mean advance of the words on tags in font sizes, and a tag's height in lines.
const TAG_ADVANCE: f64 = 0.58;
pub const TAG_HEIGHT: f64 = 1.25;

/// Font size of a line height.
pub const FONT_OF_LINE: f64 = 0.86;

/// Cuts a text to its room by Inter's mean advance; exact metrics are the renderer's.
fn shorten(text: &str, size_mm: f64, room_mm: f64, strong: bool) -> String {
    let advance = size_mm * FONT_OF_LINE * if strong { 0.58 } else { 0.54 };
    let most = (room_mm / advance).floor().max(1.0) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Longest side of a picture of points, which then takes 1 GiB at most.
const MOST_PIXELS: u32 = 16_384;

/// Renders an SVG document as PNG bytes, `scale` times its own size, with the bundled font.
///
/// # Errors
/// A sentence that says what the renderer refused.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, String> {
    use resvg::{tiny_skia, usvg};
    let mut options = usvg::Options::default();
    let fonts = Arc::make_mut(&mut options.fontdb);
    for font in FONTS {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_sans_serif_family("Inter");
    let tree = usvg::Tree::from_str(svg, &options).map_err(|e| format!("The picture could not be read: {e}."))?;
    let size = tree.size().to_int_size().scale_by(scale).ok_or("The picture would have no size.")?;
    if size.width().max(size.height()) > MOST_PIXELS {
        let (w, h) = (size.width(), size.height());
        return Err(format!("The picture would be {w} × {h} points; a PNG has at most {MOST_PIXELS} a side. Save it as .svg instead."));
    }
    let mut pixels =
        tiny_skia::Pixmap::new(size.width(), size.height()).ok_or_else(|| format!("A picture of {size:?} does not fit into memory."))?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| format!("The picture could not be written as PNG: {e}."))
}

/// Inter, OFL 1.1, see `assets/fonts/`.
const FONTS: [&[u8]; 2] = [include_bytes!("../../assets/fonts/Inter-Regular.otf"), include_bytes!("../../assets/fonts/Inter-SemiBold.otf")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_too_large_for_memory_is_refused_in_words() {
        let svg = |w: &str, h: &str| format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\"/>");
        assert!(png(&svg("20", "10"), 2.0).unwrap().starts_with(b"\x89PNG"));
        for (w, h) in [("16385", "1"), ("1", "4000000"), ("1000000", "1000000")] {
            let why = png(&svg(w, h), 1.0).unwrap_err();
            assert!(why.contains("at most 16384 a side. Save it as .svg"), "{why}");
        }
        assert!(png(&svg("9000", "10"), 2.0).is_err());
        for (w, h) in [("1e30", "1"), ("3e38", "3e38"), ("0", "0")] {
            png(&svg(w, h), 1.0).unwrap_err();
        }
    }
}
