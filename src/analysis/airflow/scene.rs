//! What the airflow model is told of a rig: boxes, openings, coolers and heat, in metres, pascals, watts and degrees; x from the rear of the
//! case to its front, y from the roof down.

/// An axis-parallel box, metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Box2 {
    pub x0: f64,
    pub y0: f64,
    pub x1: f64,
    pub y1: f64,
}

impl Box2 {
    pub const fn new(x0: f64, y0: f64, x1: f64, y1: f64) -> Self {
        Self { x0, y0, x1, y1 }
    }
    /// Area shared with another box, m².
    pub fn overlap(&self, o: &Self) -> f64 {
        (self.x1.min(o.x1) - self.x0.max(o.x0)).max(0.0) * (self.y1.min(o.y1) - self.y0.max(o.y0)).max(0.0)
    }
    pub fn area(&self) -> f64 {
        (self.x1 - self.x0).max(0.0) * (self.y1 - self.y0).max(0.0)
    }
    /// The same box seen in a mirror that swaps left and right of a case of this width.
    pub fn mirrored(&self, width: f64) -> Self {
        Self { x0: width - self.x1, x1: width - self.x0, ..*self }
    }
}

/// A part of the case in which only a share of the depth is free for air; 0 is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    pub at: Box2,
    pub free: f64,
}

/// Side of the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wall {
    Rear,
    Front,
    Top,
    Bottom,
    /// The side panel, which every cell behind it touches.
    Side,
}

/// A way for air through the wall: a fan, a grille, a row of open slot covers. `p = p_max·r² − a·Q|Q|`, `a = p_max/q_max² + K·ρ/2/A²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    pub wall: Wall,
    /// On `Rear` and `Front` the y range counts, on `Top` and `Bottom` the x range, on `Side` both.
    pub at: Box2,
    /// Open area, m².
    pub area: f64,
    /// Loss coefficient on that area.
    pub k: f64,
    pub fan: Option<Fan>,
    /// Heat that a radiator gives to the air that passes, by cooler.
    pub radiator: Option<usize>,
    /// Share of the stream that is carried past the wall cells, and where it lands.
    pub throw: Option<(f64, Box2)>,
}

/// End points of a fan's curve at full speed, and how it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fan {
    pub p_max: f64,
    pub q_max: f64,
    /// Speed over full speed.
    pub speed: f64,
    pub inward: bool,
}

/// How a cooler gets its air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// From the gap below; out over its long edges and its front end.
    OpenAir,
    /// From the gap below, most of it straight through into the space above.
    FlowThrough,
    /// From the front end of the gap; out of the case.
    Blower,
    /// No fan: what the pressure of the case drives through it, out of the case.
    Passive,
    /// Through a radiator in an opening.
    Water,
    /// A tower on the CPU: from its front to its rear.
    Tower,
}

/// How a cooler's fan is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FanRule {
    Fixed(f64),
    /// Speed `low` up to `from_c`, straight to `high` at `to_c`, then straight to `most` at the temperature limit.
    Curve {
        from_c: f64,
        low: f64,
        to_c: f64,
        high: f64,
        most: f64,
    },
}

impl FanRule {
    /// Speed at a die temperature, share of full speed.
    pub fn speed(&self, die_c: f64, limit_c: f64) -> f64 {
        match *self {
            Self::Fixed(r) => r,
            Self::Curve { from_c, low, to_c, high, most } => {
                let line = |x0: f64, y0: f64, x1: f64, y1: f64| y0 + (y1 - y0) * ((die_c - x0) / (x1 - x0).max(0.1)).clamp(0.0, 1.0);
                if die_c <= to_c { line(from_c, low, to_c, high) } else { line(to_c, high, limit_c, most.max(high)) }
            }
        }
    }
}

/// Memory beside the die: hotter by `k_w` kelvin for each watt of the board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    pub k_w: f64,
    pub limit_c: f64,
}

/// One cooler with the board it cools.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cooler {
    pub kind: Kind,
    pub at: Box2,
    /// Free air below, m.
    pub gap: f64,
    /// Open perimeter of the gap, m.
    pub perimeter: f64,
    /// Pressure its fan makes at full speed; of a passive card: what drives `q_op` through it, Pa.
    pub p_max: f64,
    /// Flow through its own fins in free air at full speed, m³/s.
    pub q_op: f64,
    /// Fin conductance at `q_op`, W/K.
    pub ua: f64,
    /// Die to fins, K/W.
    pub r_die: f64,
    /// Power limit of the board, W.
    pub power: f64,
    pub limit_c: f64,
    pub fan: FanRule,
    pub memory: Option<Memory>,
}

/// Heat set free in a box: regulators, memory, drives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heat {
    pub at: Box2,
    pub watts: f64,
}

/// Everything the model needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Inner size: rear to front, roof to floor, and across, m.
    pub width: f64,
    pub height: f64,
    pub depth: f64,
    pub ambient_c: f64,
    /// Density of the room's air, kg/m³.
    pub rho: f64,
    pub blocks: Vec<Block>,
    pub openings: Vec<Opening>,
    pub coolers: Vec<Cooler>,
    pub heats: Vec<Heat>,
    /// Loss of the inter-card gap on the gap velocity.
    pub k_gap: f64,
    /// Heat through each side panel, W/m²K.
    pub wall: f64,
}
