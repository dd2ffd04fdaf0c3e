//! Arrays for the solvers: reading outside gives zero, writing outside goes nowhere, so that no index can panic.

use std::ops::{Index, IndexMut};

/// A row of values that cannot be left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arr<T> {
    items: Vec<T>,
    zero: T,
    spare: T,
}

impl<T: Copy + Default> Arr<T> {
    pub fn new(len: usize) -> Self {
        Self { items: vec![T::default(); len], zero: T::default(), spare: T::default() }
    }
    pub fn filled(len: usize, value: T) -> Self {
        Self { items: vec![value; len], zero: T::default(), spare: T::default() }
    }
    pub fn len(&self) -> usize {
        self.items.len()
    }
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
    pub fn push(&mut self, value: T) {
        self.items.push(value);
    }
    pub fn fill(&mut self, value: T) {
        self.items.fill(value);
    }
    /// Sets length and content; keeps the memory.
    pub fn reset(&mut self, len: usize) {
        self.items.clear();
        self.items.resize(len, T::default());
    }
    pub fn copy_from(&mut self, other: &Self) {
        self.items.clone_from(&other.items);
    }
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<T> From<Vec<T>> for Arr<T>
where
    T: Copy + Default,
{
    fn from(items: Vec<T>) -> Self {
        Self { items, zero: T::default(), spare: T::default() }
    }
}

impl<T> Index<usize> for Arr<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, at: usize) -> &T {
        self.items.get(at).unwrap_or(&self.zero)
    }
}

impl<T> IndexMut<usize> for Arr<T> {
    #[inline(always)]
    fn index_mut(&mut self, at: usize) -> &mut T {
        self.items.get_mut(at).unwrap_or(&mut self.spare)
    }
}
