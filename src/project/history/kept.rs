//! The undo history as text, one step a line, so that it outlives the window: kept beside unsaved work and for saved files.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{History, Project};

/// Room for the steps of one document; the oldest are left out.
const LIMIT: usize = 4 << 20;

#[derive(Serialize, Deserialize)]
enum Line {
    /// The document that the steps lead to.
    Now(Arc<Project>),
    Past(String, Arc<Project>),
    Future(String, Arc<Project>),
}

/// The history as lines of JSON: the present, then what can be undone and what can be redone, nearest first, at most 4 MiB.
#[must_use]
pub fn to_text(history: &History) -> String {
    let now = std::iter::once(Line::Now(history.now.clone()));
    let past = history.past.iter().rev().map(|(label, p)| Line::Past(label.clone(), p.clone()));
    let future = history.future.iter().rev().map(|(label, p)| Line::Future(label.clone(), p.clone()));
    let mut text = String::new();
    for line in now.chain(past).chain(future) {
        let Ok(line) = serde_json::to_string(&line) else { break };
        if text.len() + line.len() > LIMIT {
            break;
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// A document that counts as saved, with the steps of `text` if they lead to just this document; else without any. A torn or strange line
/// ends the steps.
#[must_use]
pub fn open_with(project: Project, text: &str) -> History {
    let mut history = History::open(project);
    let mut lines = text.lines().map_while(|line| serde_json::from_str(line).ok());
    if !matches!(lines.next(), Some(Line::Now(now)) if now == history.now) {
        return history;
    }
    for line in lines {
        match line {
            Line::Past(label, project) => history.past.push_front((label, project)),
            Line::Future(label, project) => history.future.insert(0, (label, project)),
            Line::Now(_) => break,
        }
    }
    history
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Project {
        Project { name: name.to_owned(), ..Project::default() }
    }

    #[test]
    fn steps_come_back_for_the_same_document_only() {
        let mut history = History::open(named("a"));
        for name in ["b", "c", "d"] {
            history.commit(name, named(name), false);
        }
        history.undo();
        let text = to_text(&history);
        let mut again = open_with(named("c"), &text);
        assert!(again.is_saved());
        assert_eq!(again.redo().as_deref(), Some("d"));
        assert_eq!(again.now().name, "d");
        for name in ["d", "c", "b"] {
            assert_eq!(again.undo().as_deref(), Some(name));
        }
        assert_eq!(again.now().name, "a");
        assert_eq!(open_with(named("other"), &text).undo_label(), None);
    }

    #[test]
    fn torn_text_loses_the_torn_steps_only() {
        let mut history = History::open(named("a"));
        history.commit("b", named("b"), false);
        history.commit("c", named("c"), false);
        let text = to_text(&history);
        for end in (0..text.len()).filter(|e| text.is_char_boundary(*e)) {
            let again = open_with(named("c"), text.get(..end).unwrap_or_default());
            assert!(again.past_labels().count() <= 2);
        }
        let two = text.match_indices('\n').nth(1).map_or(0, |(at, _)| at);
        assert_eq!(open_with(named("c"), text.get(..two).unwrap_or_default()).past_labels().count(), 1);
    }
}
