//! Undo by whole-document snapshots; a document is a few kilobytes.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Project;

pub mod kept;

/// The present document, those before it and those undone, each with the name of its edit.
#[derive(Debug, Default)]
pub struct History {
    now: Arc<Project>,
    saved: Option<Arc<Project>>,
    past: VecDeque<(String, Arc<Project>)>,
    future: Vec<(String, Arc<Project>)>,
}

/// Steps kept.
const KEPT: usize = 200;

impl History {
    /// Starts with a document that counts as saved.
    pub fn open(project: Project) -> Self {
        let now = Arc::new(project);
        Self { saved: Some(now.clone()), now, ..Self::default() }
    }

    pub fn now(&self) -> &Arc<Project> {
        &self.now
    }

    /// Makes `next` the present. With `merge`, a step of the same name as the last one is joined to it, as while a slider is held.
    pub fn commit(&mut self, label: &str, next: Project, merge: bool) -> bool {
        if next == *self.now {
            return false;
        }
        let before = std::mem::replace(&mut self.now, Arc::new(next));
        self.future.clear();
        if !(merge && self.past.back().is_some_and(|(l, _)| l == label)) {
            self.past.push_back((label.to_owned(), before));
            if self.past.len() > KEPT {
                self.past.pop_front();
            }
        }
        true
    }

    /// Steps back; the name of what was undone.
    pub fn undo(&mut self) -> Option<String> {
        let (label, before) = self.past.pop_back()?;
        let after = std::mem::replace(&mut self.now, before);
        self.future.push((label.clone(), after));
        Some(label)
    }

    /// Steps forward again; the name of what was redone.
    pub fn redo(&mut self) -> Option<String> {
        let (label, after) = self.future.pop()?;
        let before = std::mem::replace(&mut self.now, after);
        self.past.push_back((label.clone(), before));
        Some(label)
    }

    pub fn undo_label(&self) -> Option<&str> {
        self.past.back().map(|(label, _)| label.as_str())
    }

    pub fn redo_label(&self) -> Option<&str> {
        self.future.last().map(|(label, _)| label.as_str())
    }

    /// Names of the steps that can be undone, newest first.
    pub fn past_labels(&self) -> impl Iterator<Item = &str> {
        self.past.iter().rev().map(|(label, _)| label.as_str())
    }

    pub fn mark_saved(&mut self) {
        self.saved = Some(self.now.clone());
    }

    pub fn mark_unsaved(&mut self) {
        self.saved = None;
    }

    pub fn is_saved(&self) -> bool {
        self.saved.as_ref().is_some_and(|s| Arc::ptr_eq(s, &self.now) || **s == *self.now)
    }
}
