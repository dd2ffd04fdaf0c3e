//! The rig as shapes in millimetres with roles. The window paints them; pictures and exports write them as SVG or PNG.

use crate::analysis::airflow::field::Streamline;
use crate::analysis::lanes::NodeId;
use crate::analysis::memory::ItemKind;
use crate::analysis::space::Rect;
use crate::build::{PlacementId, SlotId};

pub mod air;
pub mod charts;
pub mod lanes;
pub mod palette;
pub mod rig;
pub mod svg;

/// What a shape means; the palette gives each role its colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    Background,
    /// Surface of panels, and of what lies on them.
    Panel,
    Raised,
    Line,
    CaseWall,
    CaseInside,
    Shroud,
    Board,
    BoardEdge,
    Slot,
    SlotFree,
    Socket,
    Ram,
    Card,
    CardEdge,
    CardFan,
    Bracket,
    Cooler,
    Psu,
    Drive,
    Fan,
    Mount,
    Label,
    SubLabel,
    /// Chosen or changed.
    Accent,
    OnAccent,
    Problem,
    Advice,
    Good,
    /// Notes, cold air, weights in charts.
    Cold,
    /// KV cache in charts.
    Cache,
    /// Gradients, states of the optimizer and activations in charts.
    Gradient,
    States,
    Activation,
    /// Overhead and whatever carries no meaning of its own.
    Neutral,
    /// PCIe links by generation: the first two, the third, the fourth, the fifth and later.
    Gen2,
    Gen3,
    Gen4,
    Gen5,
    /// Moving air from the room's temperature (0) to the warmest ([`air::AIR_STEPS`]).
    Air(u8),
    /// The map of temperatures, likewise ([`air::HEAT_STEPS`]).
    Heat(u8),
}

/// Colour of one kind of memory in charts.
pub const fn item_role(kind: ItemKind) -> Role {
    match kind {
        ItemKind::Weights => Role::Cold,
        ItemKind::KvCache => Role::Cache,
        ItemKind::Gradients => Role::Gradient,
        ItemKind::Optimizer => Role::States,
        ItemKind::Activations => Role::Activation,
        ItemKind::Buffers => Role::Advice,
        ItemKind::Overhead => Role::Neutral,
    }
}

/// What the drawing emphasises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Layer {
    #[default]
    Parts,
    /// PCIe links from processors, chipset and switches to the devices.
    Lanes,
    Power,
    /// Lines that the air follows, and what passes each opening.
    Airflow,
    /// Temperatures of the air and of the cards' dies.
    Heat,
}

impl Layer {
    pub const ALL: &[Self] = &[Self::Parts, Self::Lanes, Self::Power, Self::Airflow, Self::Heat];
    pub const fn text(self) -> &'static str {
        match self {
            Self::Parts => "parts",
            Self::Lanes => "lanes",
            Self::Power => "power",
            Self::Airflow => "airflow",
            Self::Heat => "heat",
        }
    }
    /// One of the two layers of the airflow model.
    pub const fn is_air(self) -> bool {
        matches!(self, Self::Airflow | Self::Heat)
    }
}

/// How an outline is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    pub role: Role,
    /// Points on the screen, not millimetres, so that lines stay thin at any zoom.
    pub width: f32,
    /// A dashed edge marks assumed millimetres.
    pub dashed: bool,
}

/// Where a text sits relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    LeftTop,
    LeftMiddle,
    Center,
    RightMiddle,
    CenterTop,
}

/// What a shape belongs to, for hover and selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Placement(PlacementId),
    Slot(SlotId),
    /// A processor, chipset or switch of the lanes layer.
    Node(NodeId),
}

/// One thing to paint.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Rect {
        rect: Rect,
        corner_mm: f64,
        fill: Option<Role>,
        stroke: Option<Stroke>,
    },
    Circle {
        center: (f64, f64),
        radius_mm: f64,
        fill: Option<Role>,
        stroke: Option<Stroke>,
    },
    Line {
        points: Vec<(f64, f64)>,
        stroke: Stroke,
        arrow: bool,
    },
    /// `size_mm` is the line height; the window keeps it readable and cuts it with "…" at `room_mm`.
    Text {
        at: (f64, f64),
        text: String,
        size_mm: f64,
        strong: bool,
        role: Role,
        anchor: Anchor,
        room_mm: f64,
    },
    /// A short text on a plate that is as wide as the text needs.
    Tag {
        at: (f64, f64),
        text: String,
        size_mm: f64,
        edge: Role,
        anchor: Anchor,
    },
}

/// A shape and what it stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub shape: Shape,
    pub target: Option<Target>,
}

/// Everything to paint, back to front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    pub pieces: Vec<Piece>,
    /// What to fit into the view.
    pub bounds: Rect,
    /// What of the air's ways can be seen, for moving smoke; empty but in the airflow layer.
    pub streams: Vec<Streamline>,
}
