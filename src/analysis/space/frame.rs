//! The case: its walls, where the board sits in it, its mounts, and the strip for what a side view cannot show.

use super::{Position, Rect};
use crate::build::Build;
use crate::catalog::Catalog;
use crate::catalog::part::{Board, Case, PartKind};
use crate::catalog::vocab::{CaseKind, Edge, FormFactor};

/// Sheet thickness drawn for the case, mm.
const WALL: f64 = 6.0;

/// Walls and where the board and supplies sit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub case: Rect,
    pub case_known: bool,
    pub shroud_y: Option<f64>,
    pub board: Rect,
    pub board_known: bool,
    /// Left top corner of the first supply.
    pub psu: (f64, f64),
    pub psu_hidden: bool,
}

pub(super) fn case_of<'a>(catalog: &'a Catalog, build: &Build) -> Option<&'a Case> {
    match &build.part_in(catalog, &crate::build::SlotId::rig("case"))?.1.kind {
        PartKind::Case(case) => Some(case),
        _ => None,
    }
}

/// Size of a board: its own, else its form factor's; the flag says whether it is the board's own.
fn board_size(catalog: &Catalog, build: &Build) -> (f64, f64, bool) {
    let found = build.part_in(catalog, &crate::build::SlotId::rig("board"));
    let board = found.and_then(|(_, p)| if let PartKind::Board(b) = &p.kind { Some((p, b)) } else { None });
    let form = board.and_then(|(_, b)| b.form_factor).unwrap_or(FormFactor::Atx);
    let template = |key: &str| catalog.templates.mm(&format!("board.{form}.{key}"));
    let own = |get: fn(&Board) -> Option<f64>, key: &str| board.and_then(|(p, b)| get(b).filter(|_| !p.is_assumed(key)));
    let (depth, height) = (own(|b| b.depth_mm, "depth_mm"), own(|b| b.height_mm, "height_mm"));
    let any = |get: fn(&Board) -> Option<f64>| board.and_then(|(_, b)| get(b));
    (
        any(|b| b.depth_mm).unwrap_or_else(|| template("depth_mm")),
        any(|b| b.height_mm).unwrap_or_else(|| template("height_mm")),
        depth.is_some() && height.is_some(),
    )
}

pub(super) fn frame(catalog: &Catalog, build: &Build) -> Frame {
    let (board_w, board_h, board_known) = board_size(catalog, build);
    let mm = |path: &str| catalog.templates.mm(path);
    let rear = WALL - mm("slots.rear_plane_mm");
    let (psu_h, psu_gap) = (mm("psu.ATX.height_mm"), mm("case.psu_feet_mm"));
    let Some(case) = case_of(catalog, build) else {
        let board = Rect::new(rear, 30.0, board_w, board_h);
        let case = Rect::new(0.0, 0.0, rear + board_w + mm("case.front_gap_mm"), board.bottom() + psu_h + 60.0);
        let psu = (rear, board.bottom() + 40.0);
        return Frame { case, case_known: false, shroud_y: None, board, board_known, psu, psu_hidden: false };
    };
    let width = case.depth_mm.unwrap_or(rear + board_w + mm("case.front_gap_mm"));
    let place = case.psu_place.as_deref().unwrap_or("bottom");
    let tower = matches!(case.kind, Some(CaseKind::Tower) | None);
    let (at_top, hidden) = (place.contains("top"), place.contains("behind") || place.contains("second chamber"));
    let roof = mm("case.gap_roof_to_board_top_mm");
    let shroud = mm("case.shroud_height_mm");
    let needed = roof + board_h + if hidden { roof } else { shroud };
    let height = case.height_mm.unwrap_or(needed);
    let shroud_y = (tower && !at_top && !hidden && height - shroud > board_h).then_some(height - shroud);
    let (top, floor) = if at_top { (psu_h + 2.0 * psu_gap, height - WALL) } else { (WALL, shroud_y.unwrap_or(height - WALL)) };
    // The slack between roof and floor is shared as in the template: most of it above the board, where radiators go.
    let slack = (floor - top - board_h).max(0.0);
    let below = mm("case.gap_lowest_slot_to_shroud_mm").min(slack / 2.0);
    let y = if slack <= 0.0 { top } else { (top + slack - below).min(top + roof.max(slack / 2.0)) };
    let board = Rect::new(rear, y, board_w, board_h);
    let psu = if at_top { (WALL, psu_gap) } else { (WALL, height - WALL - psu_gap - psu_h) };
    Frame {
        case: Rect::new(0.0, 0.0, width, height),
        case_known: case.depth_mm.is_some() && case.height_mm.is_some(),
        shroud_y,
        board,
        board_known,
        psu,
        psu_hidden: hidden,
    }
}

/// Where the `nth` (from 0) of `count` fans of `size` sits on an edge; `None` for sides that a side view looks through.
pub(super) fn mount(frame: &Frame, edge: Edge, nth: usize, count: u8, size: f64, thickness: f64) -> Option<Rect> {
    let case = frame.case;
    let n = nth as f64;
    let run = f64::from(count) * size;
    let spread = |length: f64| ((length - run).max(0.0) / 2.0, (length / f64::from(count.max(1))).min(size));
    match edge {
        Edge::Front => {
            let bottom = frame.shroud_y.unwrap_or(case.h);
            let (start, step) = spread(if run > bottom { case.h } else { bottom });
            Some(Rect::new(case.right() - WALL - thickness, start + n * step, thickness, step.min(size)))
        }
        Edge::Rear => Some(Rect::new(WALL, (frame.board.y + 86.0 - size / 2.0).max(WALL) + n * size, thickness, size)),
        Edge::Top | Edge::Bottom => {
            let (start, step) = spread(case.w);
            // Below, the supply takes the rear.
            let start = if edge == Edge::Bottom { (case.w - run - 20.0).max(start) } else { start };
            let y = if edge == Edge::Top { WALL } else { case.h - WALL - thickness };
            Some(Rect::new(start + n * step, y, step.min(size), thickness))
        }
        Edge::Side | Edge::Internal => None,
    }
}

/// Rows beside the case for what sits behind the tray or in depth.
#[derive(Debug)]
pub(super) struct Strip {
    x: f64,
    y: f64,
    top: f64,
    bottom: f64,
    used: u16,
}

/// Width of a row, mm.
const ROW: f64 = 176.0;
/// Height of a row with a part in it, and of a free one.
const FILLED: f64 = 34.0;
const FREE: f64 = 19.0;

impl Strip {
    pub(super) fn new(frame: &Frame, right: f64) -> Self {
        let top = frame.case.y + 22.0;
        Self { x: right.max(frame.case.right()) + 26.0, y: top, top, bottom: frame.case.bottom().max(top + 4.0 * FILLED), used: 0 }
    }
    /// The next row, in a new column where the case ends.
    pub(super) fn next(&mut self, filled: bool) -> (Rect, Position) {
        let height = if filled { FILLED } else { FREE };
        if self.y + height > self.bottom {
            (self.x, self.y) = (self.x + ROW + 10.0, self.top);
        }
        self.used += 1;
        let rect = Rect::new(self.x, self.y, ROW, height);
        self.y += height + 5.0;
        (rect, Position::Strip(self.used))
    }
}
