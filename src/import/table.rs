//! Tensors of a file, one by one, become groups of equal ones.

use crate::catalog::model::{ExactTensors, TensorClass};
use std::collections::BTreeMap;

/// Sums per layer, class and storage type.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Numbers and bytes.
    sums: BTreeMap<(Option<u32>, TensorClass, &'static str), (u64, u64)>,
    pub tensors: u64,
}

impl Table {
    /// Adds one tensor; `None` if a sum leaves 64 bits.
    pub fn add(&mut self, layer: Option<u32>, class: TensorClass, kind: &'static str, elements: u64, bytes: u64) -> Option<()> {
        let sum = self.sums.entry((layer, class, kind)).or_default();
        *sum = (sum.0.checked_add(elements)?, sum.1.checked_add(bytes)?);
        self.tensors = self.tensors.saturating_add(1);
        Some(())
    }

    /// All numbers and bytes of the classes that `wanted` picks; `None` if a sum leaves 64 bits.
    pub fn sum(&self, wanted: impl Fn(TensorClass) -> bool) -> Option<(u64, u64)> {
        let picked = self.sums.iter().filter(|(key, _)| wanted(key.1));
        picked.map(|(_, sum)| *sum).try_fold((0_u64, 0_u64), |a, s| Some((a.0.checked_add(s.0)?, a.1.checked_add(s.1)?)))
    }

    /// Classes that occur, in order.
    pub fn classes(&self) -> Vec<TensorClass> {
        let mut classes: Vec<TensorClass> = self.sums.keys().map(|k| k.1).collect();
        classes.sort();
        classes.dedup();
        classes
    }

    /// Layers in which a class occurs.
    pub fn layers_of(&self, class: TensorClass) -> usize {
        let mut layers: Vec<u32> = self.sums.keys().filter(|k| k.1 == class).filter_map(|k| k.0).collect();
        layers.sort_unstable();
        layers.dedup();
        layers.len()
    }

    /// Equal sums of different layers as one group with runs of layers.
    pub fn groups(&self) -> Vec<ExactTensors> {
        let mut runs: BTreeMap<(TensorClass, &'static str, u64, u64), Vec<[u32; 2]>> = BTreeMap::new();
        let mut groups = Vec::new();
        for ((layer, class, kind), (elements, bytes)) in &self.sums {
            let (class, elements, bytes) = (*class, *elements, *bytes);
            let Some(layer) = *layer else {
                groups.push(ExactTensors { class, kind: (*kind).to_owned(), layers: Vec::new(), elements, bytes });
                continue;
            };
            let run = runs.entry((class, kind, elements, bytes)).or_default();
            match run.last_mut() {
                Some([_, last]) if last.checked_add(1) == Some(layer) => *last = layer,
                _ => run.push([layer, layer]),
            }
        }
        let layered = runs.into_iter().map(|((class, kind, elements, bytes), layers)| {
            let kind = kind.to_owned();
            ExactTensors { class, kind, layers, elements, bytes }
        });
        groups.extend(layered);
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_layers_become_runs() {
        let mut table = Table::default();
        for layer in [0, 1, 2, 4] {
            table.add(Some(layer), TensorClass::Mlp, "Q4_K", 256, 144).unwrap();
            table.add(Some(layer), TensorClass::Mlp, "Q4_K", 256, 144).unwrap();
        }
        table.add(Some(3), TensorClass::Mlp, "Q6_K", 512, 420).unwrap();
        table.add(None, TensorClass::Head, "Q6_K", 256, 210).unwrap();
        let groups = table.groups();
        assert_eq!(groups.len(), 3);
        assert_eq!((groups[1].layers.as_slice(), groups[1].bytes, groups[1].times()), ([[0, 2], [4, 4]].as_slice(), 288, 4));
        assert_eq!(table.sum(|_| true), Some((5 * 512 + 256, 4 * 288 + 420 + 210)));
        assert_eq!(table.layers_of(TensorClass::Mlp), 5);
        assert!(table.add(None, TensorClass::Head, "Q6_K", u64::MAX, 1).is_none());
    }
}
