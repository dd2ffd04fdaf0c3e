//! Example rigs that ship with the program.

use std::sync::LazyLock;

static FOLDER: include_dir::Dir<'_> = include_dir::include_dir!("$CARGO_MANIFEST_DIR/assets/presets");

/// An example.
#[derive(Clone, Debug)]
pub struct Example {
    pub file: &'static str,
    pub name: String,
    pub notes: String,
    pub text: &'static str,
}

impl Example {
    /// Whether a person means this one: by its name, or its file with or without number and ending.
    pub fn is_named(&self, text: &str) -> bool {
        let stem = self.file.trim_end_matches(".toml");
        let short = stem.split_once('-').map_or(stem, |(_, rest)| rest);
        [self.name.as_str(), self.file, stem, short].iter().any(|n| n.eq_ignore_ascii_case(text))
    }
}

/// All examples, by file name.
pub fn examples() -> &'static [Example] {
    static ALL: LazyLock<Vec<Example>> = LazyLock::new(|| {
        let mut found: Vec<Example> = FOLDER
            .files()
            .filter_map(|f| {
                let (file, text) = (f.path().to_str()?, f.contents_utf8()?);
                let table: toml::Table = toml::from_str(text).ok()?;
                let field = |key: &str| table.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
                Some(Example { file, name: field("name"), notes: field("notes"), text })
            })
            .filter(|p| p.file.ends_with(".toml"))
            .collect();
        found.sort_by_key(|p| p.file);
        found
    });
    &ALL
}

/// The example that a person means by `name`.
pub fn example(name: &str) -> Option<&'static Example> {
    examples().iter().find(|e| e.is_named(name))
}
