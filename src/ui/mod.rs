//! The window. Views read the session and push actions; nothing else writes the document.

pub mod action;
