//! The only place that touches the file system: reads with a limit, writes that replace a file whole or not at all, the program's folders.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// A file that could not be read or written, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{path}: cannot be read ({reason}). Check that the file exists and that you may read it.")]
    Read { path: String, reason: String },
    #[error("{path}: {bytes} bytes is more than the {limit} bytes that such a file may have. Choose another file.")]
    TooLarge { path: String, bytes: u64, limit: u64 },
    #[error("{path}: holds more than {limit} files. Choose a smaller folder.")]
    TooMany { path: String, limit: usize },
    #[error("{path}: is not UTF-8 text. Choose a text file.")]
    NotText { path: String },
    #[error("{path}: cannot be written ({reason}). Choose another folder with Save as.")]
    Write { path: String, reason: String },
}

/// Largest text file the program reads: 64 MiB.
pub const LIMIT: u64 = 64 << 20;

/// Reads a whole text file of at most `limit` bytes. Errors name the path.
pub fn read_text(path: &Path, limit: u64) -> Result<String, FileError> {
    String::from_utf8(read_bytes(path, limit)?).map_err(|_| FileError::NotText { path: path.display().to_string() })
}

/// Reads a whole file of at most `limit` bytes, in whatever encoding it is.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let name = path.display().to_string();
    let read = |e: std::io::Error| FileError::Read { path: name.clone(), reason: e.to_string() };
    let file = std::fs::File::open(path).map_err(read)?;
    let bytes = file.metadata().map_err(read)?.len();
    if bytes > limit {
        return Err(FileError::TooLarge { path: name, bytes, limit });
    }
    let mut data = Vec::new();
    file.take(limit).read_to_end(&mut data).map_err(read)?;
    Ok(data)
}

/// Opens a file of any size for reading pieces of it, and tells its length in bytes. Errors name the path.
pub fn open(path: &Path) -> Result<(std::fs::File, u64), FileError> {
    let read = |e: std::io::Error| FileError::Read { path: path.display().to_string(), reason: e.to_string() };
    let file = std::fs::File::open(path).map_err(read)?;
    let about = file.metadata().map_err(read)?;
    if !about.is_file() {
        return Err(read(std::io::Error::other("not a regular file")));
    }
    Ok((file, about.len()))
}

/// Whether `path` is a file.
pub fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// Replaces `path` by `data` in one step: a crash leaves the old file or the new one, never half of it. Others may read it as they
/// could read the old file, or any new file of the user's.
pub fn write_atomic(path: &Path, data: &[u8]) -> Result<(), FileError> {
    let write = |e: std::io::Error| FileError::Write { path: path.display().to_string(), reason: e.to_string() };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temporary = new_file_in(folder).map_err(write)?;
    temporary.write_all(data).map_err(write)?;
    #[cfg(unix)]
    if let Ok(old) = std::fs::metadata(path) {
        temporary.as_file().set_permissions(old.permissions()).map_err(write)?;
    }
    temporary.as_file().sync_all().map_err(write)?;
    temporary.persist(path).map_err(|e| write(e.error))?;
    Ok(())
}

#[cfg(unix)]
fn new_file_in(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt as _;
    // Less the user's umask; without this, a temporary file is for its owner alone.
    tempfile::Builder::new().permissions(std::fs::Permissions::from_mode(0o666)).tempfile_in(folder)
}

#[cfg(not(unix))]
fn new_file_in(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    tempfile::NamedTempFile::new_in(folder)
}

/// Creates `folder` and its parents.
pub fn make_folder(folder: &Path) -> Result<(), FileError> {
    std::fs::create_dir_all(folder).map_err(|e| FileError::Write { path: folder.display().to_string(), reason: e.to_string() })
}

/// All `*.toml` files below `folder`, sorted by path; empty if there is no such folder.
pub fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            found.extend(toml_files(&path));
        } else if path.extension().is_some_and(|e| e == "toml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A file below a folder, with its length in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub path: PathBuf,
    pub bytes: u64,
}

/// All regular files below `folder` by path, at most `limit` of them and twelve folders deep; links are not followed.
///
/// # Errors
/// If the folder cannot be read, or holds more than `limit` files.
pub fn all_files(folder: &Path, limit: usize) -> Result<Vec<Found>, FileError> {
    let mut found = Vec::new();
    list_into(folder, limit, 12, &mut found)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn list_into(folder: &Path, limit: usize, depth: usize, found: &mut Vec<Found>) -> Result<(), FileError> {
    let name = folder.display().to_string();
    let read = |e: std::io::Error| FileError::Read { path: name.clone(), reason: e.to_string() };
    for entry in std::fs::read_dir(folder).map_err(read)? {
        let entry = entry.map_err(read)?;
        let kind = entry.file_type().map_err(read)?;
        if kind.is_dir() && depth > 0 {
            list_into(&entry.path(), limit, depth - 1, found)?;
        } else if kind.is_file() {
            found.push(Found { path: entry.path(), bytes: entry.metadata().map_err(read)?.len() });
        }
        if found.len() > limit {
            return Err(FileError::TooMany { path: name, limit });
        }
    }
    Ok(())
}

/// Removes a file; one that is not there is no fault.
pub fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

/// Time since a file was last changed; none where the system does not tell, or its clock went back.
pub fn age(path: &Path) -> Option<std::time::Duration> {
    std::fs::metadata(path).ok()?.modified().ok()?.elapsed().ok()
}

/// Whether `path` is a folder.
pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// The user's own catalog, if this system has a home folder: `…/rigbay/catalogs`.
pub fn user_catalog() -> Option<PathBuf> {
    Some(directories::ProjectDirs::from("", "", "rigbay")?.data_dir().join("catalogs"))
}

/// The user's own layouts of parts lists: `…/rigbay/export-presets.toml`.
pub fn export_presets() -> Option<PathBuf> {
    Some(directories::ProjectDirs::from("", "", "rigbay")?.data_dir().join("export-presets.toml"))
}

/// The user's own lessons: `…/rigbay/lessons`.
pub fn user_lessons() -> Option<PathBuf> {
    Some(directories::ProjectDirs::from("", "", "rigbay")?.data_dir().join("lessons"))
}

/// Whether there is something at `path`.
pub fn exists(path: &Path) -> bool {
    path.exists()
}

/// Where the undo steps of the file at `path` are kept: `…/rigbay/history/<name>-<hash of the path>.history`.
pub fn history_file(path: &Path) -> Option<PathBuf> {
    use std::hash::{Hash as _, Hasher as _};
    let whole = std::fs::canonicalize(path).ok()?;
    let mut hash = rustc_hash::FxHasher::default();
    whole.hash(&mut hash);
    let name = format!("{}-{:016x}.history", whole.file_stem()?.to_string_lossy(), hash.finish());
    Some(directories::ProjectDirs::from("", "", "rigbay")?.data_dir().join("history").join(name))
}

/// Removes the files of `folder` that were written longest ago, all but `keep`.
pub fn thin_out(folder: &Path, keep: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut files: Vec<_> = entries.flatten().filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path()))).collect();
    files.sort();
    files.iter().rev().skip(keep).for_each(|(_, path)| remove(path));
}

/// Where unsaved work is kept: `…/rigbay/autosave`.
pub fn autosave_folder() -> Option<PathBuf> {
    Some(directories::ProjectDirs::from("", "", "rigbay")?.data_dir().join("autosave"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_written_file_has_the_rights_of_the_old_one_or_of_any_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
        drop(std::fs::File::create(folder.path().join("plain")).unwrap());
        write_atomic(&folder.path().join("new"), b"1").unwrap();
        assert_eq!(mode("new"), mode("plain"));
        for rights in [0o600, 0o640, 0o664] {
            std::fs::set_permissions(folder.path().join("new"), std::fs::Permissions::from_mode(rights)).unwrap();
            write_atomic(&folder.path().join("new"), b"2").unwrap();
            assert_eq!(mode("new"), rights);
        }
        assert_eq!(read_text(&folder.path().join("new"), 9).unwrap(), "2");
    }
}
