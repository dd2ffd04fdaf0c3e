//! Sums parameters by class and name, and caches by kind.

use super::ConfigError;
use crate::catalog::model::{Cache, LayerGroup, TensorClass, Tensors};

/// A product that stays far below the 128-bit limit, so that sums of a few cannot overflow.
pub(super) fn prod(factors: &[u64]) -> u128 {
    factors.iter().fold(1_u128, |a, f| a.saturating_mul(u128::from(*f)).min(1 << 100))
}

/// Keys are bounded well below 32 bits.
pub(super) fn small(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// As many as rig files may hold.
const MOST_PARAMS: u64 = 1 << 50;

struct Part {
    tensors: Tensors,
    layers: u32,
    last: Option<usize>,
}

#[derive(Default)]
pub(super) struct Tally {
    parts: Vec<Part>,
    groups: Vec<LayerGroup>,
    layer: Option<usize>,
    overflow: bool,
}

impl Tally {
    /// What follows belongs to this layer, or to none.
    pub const fn at(&mut self, layer: Option<usize>) {
        self.layer = layer;
    }

    pub fn add(&mut self, class: TensorClass, name: &str, params: u128) {
        self.add_active(class, name, params, params);
    }

    /// Adds parameters of which a token reads only `active`.
    pub fn add_active(&mut self, class: TensorClass, name: &str, params: u128, active: u128) {
        let (Ok(params), Ok(active)) = (u64::try_from(params), u64::try_from(active)) else {
            self.overflow = true;
            return;
        };
        if params == 0 {
            return;
        }
        let layer = self.layer;
        let found = self.parts.iter_mut().find(|p| p.tensors.class == class && p.tensors.name == name);
        let Some(part) = found else {
            let tensors = Tensors { class, name: name.to_owned(), params, active };
            self.parts.push(Part { tensors, layers: u32::from(layer.is_some()), last: layer });
            return;
        };
        if layer.is_some() && part.last != layer {
            part.layers = part.layers.saturating_add(1);
            part.last = layer;
        }
        match (part.tensors.params.checked_add(params), part.tensors.active.checked_add(active)) {
            (Some(p), Some(a)) => (part.tensors.params, part.tensors.active) = (p, a),
            _ => self.overflow = true,
        }
    }

    /// One more layer with this cache.
    pub fn cache(&mut self, cache: Cache) {
        match self.groups.iter_mut().find(|g| g.cache == cache) {
            Some(group) => group.count = group.count.saturating_add(1),
            None => self.groups.push(LayerGroup { count: 1, cache }),
        }
    }

    /// One more layer whose cache is a number of elements however long the sequence.
    pub fn state(&mut self, elements: u128) {
        match u64::try_from(elements) {
            Ok(elements) => self.cache(Cache::State { elements }),
            Err(_) => self.overflow = true,
        }
    }

    pub fn finish(self, file: &str) -> Result<(Vec<Tensors>, Vec<LayerGroup>), ConfigError> {
        let total = self.parts.iter().try_fold(0_u64, |sum, p| sum.checked_add(p.tensors.params));
        if self.overflow || total.is_none_or(|t| t > MOST_PARAMS) {
            return Err(ConfigError::TooLarge { file: file.to_owned() });
        }
        let named = |mut p: Part| {
            if p.layers > 0 {
                p.tensors.name = format!("{}, {} layer{}", p.tensors.name, p.layers, if p.layers == 1 { "" } else { "s" });
            }
            p.tensors
        };
        Ok((self.parts.into_iter().map(named).collect(), self.groups))
    }
}
