//! The example rigs that ship with the program.

use std::sync::LazyLock;

static FILES: include_dir::Dir<'_> = include_dir::include_dir!("$CARGO_MANIFEST_DIR/assets/presets");

/// An example rig.
#[derive(Clone, Debug)]
pub struct Preset {
    pub file: &'static str,
    pub name: String,
    pub notes: String,
    pub text: &'static str,
}

/// All examples, by file name.
pub fn presets() -> &'static [Preset] {
    static ALL: LazyLock<Vec<Preset>> = LazyLock::new(|| {
        let mut found: Vec<Preset> = FILES
            .files()
            .filter_map(|f| {
                let (file, text) = (f.path().to_str()?, f.contents_utf8()?);
                let table: toml::Table = toml::from_str(text).ok()?;
                let field = |key: &str| table.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
                Some(Preset { file, name: field("name"), notes: field("notes"), text })
            })
            .filter(|p| p.file.ends_with(".toml"))
            .collect();
        found.sort_by_key(|p| p.file);
        found
    });
    &ALL
}

/// The example of this name, or of this file with or without its ending.
pub fn preset(name: &str) -> Option<&'static Preset> {
    presets().iter().find(|p| p.name == name || p.file == name || p.file.strip_suffix(".toml") == Some(name))
}
