//! Records out of a folder or a zip archive, one after the other, each with a limit. Names in archives only say what a record is about;
//! nothing is ever written under them.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::OpenDbError;
use crate::files;

/// Largest record: the largest of the data set has a few kilobytes.
pub(super) const MOST_RECORD: u64 = 1 << 20;
/// Files at most: the data set has 47,551.
const MOST_FILES: usize = 300_000;
/// Bytes of all records read at most: the data set has 190 MB.
const MOST_BYTES: u64 = 1 << 30;
/// Largest archive.
const MOST_ARCHIVE: u64 = 512 << 20;
/// Bytes of an archive's table of contents at most: that of the data set has some 7 MB.
const MOST_CONTENTS: u64 = 48 << 20;

/// One record file, not yet read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Item {
    /// Name of its folder: "GPU".
    pub category: String,
    /// File name without its ending.
    pub stem: String,
    /// For messages.
    pub name: String,
    at: At,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum At {
    File(PathBuf),
    Index(usize),
}

/// The user's copy of the data set.
#[derive(Debug)]
pub(super) struct Source {
    archive: Option<zip::ZipArchive<std::fs::File>>,
    left: u64,
}

/// Lists all JSON files below a folder or in an archive; a single file counts as a folder with one.
pub(super) fn open(path: &Path) -> Result<(Source, Vec<Item>), OpenDbError> {
    let mut items = Vec::new();
    let mut source = Source { archive: None, left: MOST_BYTES };
    if files::is_folder(path) {
        for found in files::all_files(path, MOST_FILES)? {
            let name = found.path.strip_prefix(path).unwrap_or(&found.path).to_string_lossy().replace('\\', "/");
            let parent = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            items.extend(item(&name, &parent, At::File(found.path)));
        }
    } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) {
        let parent = path.parent().and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        items.extend(item(&name, &parent, At::File(path.to_owned())));
    } else {
        let archive = open_archive(path)?;
        let broken = |what: &str| OpenDbError::Archive { path: path.display().to_string(), what: what.to_owned() };
        for n in 0..archive.len() {
            let name = archive.name_for_index(n).and_then(Result::ok).ok_or_else(|| broken("its table of contents is broken"))?;
            if leads_out(&name) {
                let what = format!("the name {:?} in it leads out of the archive", super::super::short(&name));
                return Err(OpenDbError::Archive { path: path.display().to_string(), what });
            }
            items.extend(item(&name, "", At::Index(n)));
        }
        source.archive = Some(archive);
    }
    items.sort();
    Ok((source, items))
}

/// `None` for what is no JSON file.
fn item(name: &str, above: &str, at: At) -> Option<Item> {
    let (folder, file) = name.rsplit_once('/').unwrap_or((above, name));
    let stem = file.strip_suffix(".json")?;
    let category = folder.rsplit('/').next().unwrap_or_default();
    Some(Item { category: category.to_owned(), stem: stem.to_owned(), name: super::super::short(name), at })
}

/// Whether a name of an archive points above it or to a fixed place.
fn leads_out(name: &str) -> bool {
    let plain = name.replace('\\', "/");
    let drive = plain.as_bytes().get(1) == Some(&b':');
    plain.starts_with('/') || drive || plain.split('/').any(|part| part == "..") || plain.contains('\0')
}

fn open_archive(path: &Path) -> Result<zip::ZipArchive<std::fs::File>, OpenDbError> {
    let (mut file, bytes) = files::open(path)?;
    let fault = |what: String| OpenDbError::Archive { path: path.display().to_string(), what };
    if bytes > MOST_ARCHIVE {
        return Err(fault(format!("{bytes} bytes is more than the {MOST_ARCHIVE} bytes that an archive may have")));
    }
    check_contents(&mut file, bytes).map_err(fault)?;
    let archive = zip::ZipArchive::new(file).map_err(|e| fault(format!("it is no zip archive ({e})")))?;
    if archive.len() > MOST_FILES {
        return Err(fault(format!("it holds more than {MOST_FILES} files")));
    }
    Ok(archive)
}

/// Refuses an archive whose table of contents alone would fill the memory, before it is read.
fn check_contents(file: &mut std::fs::File, bytes: u64) -> Result<(), String> {
    // The end record has 22 bytes and a comment of up to 65,535; the 64-bit ones stand before it.
    let tail = bytes.min(22 + 65_535 + 20 + 56);
    let mut end = Vec::new();
    let read = file.seek(SeekFrom::Start(bytes - tail)).and_then(|_| file.by_ref().take(tail).read_to_end(&mut end));
    read.and_then(|_| file.seek(SeekFrom::Start(0))).map_err(|e| format!("it cannot be read ({e})"))?;
    let number = |at: usize, len: usize| {
        let bytes = end.get(at..at + len)?;
        Some(bytes.iter().rev().fold(0_u64, |n, b| (n << 8) | u64::from(*b)))
    };
    for at in 0..end.len() {
        let (files, contents) = match end.get(at..at + 4) {
            Some(b"PK\x05\x06") => (number(at + 10, 2), number(at + 12, 4).filter(|n| *n < u64::from(u32::MAX))),
            Some(b"PK\x06\x06") => (number(at + 32, 8), number(at + 40, 8)),
            _ => continue,
        };
        if files.is_some_and(|n| n > MOST_FILES as u64) || contents.is_some_and(|n| n > MOST_CONTENTS) {
            return Err(format!("its table of contents names more than {MOST_FILES} files or has more than {MOST_CONTENTS} bytes"));
        }
    }
    Ok(())
}

impl Source {
    /// The bytes of one record.
    ///
    /// # Errors
    /// Why it is left out; [`OpenDbError`] only where nothing more can be read.
    pub fn read(&mut self, item: &Item) -> Result<Result<Vec<u8>, String>, OpenDbError> {
        let data = match (&item.at, &mut self.archive) {
            (At::File(path), _) => files::read_bytes(path, MOST_RECORD).map_err(|e| match e {
                files::FileError::TooLarge { bytes, .. } => too_large(bytes),
                other => other.to_string(),
            }),
            (At::Index(n), Some(archive)) => read_entry(archive, *n),
            (At::Index(_), None) => Err("it is in no archive".to_owned()),
        };
        if let Ok(data) = &data {
            self.left = self.left.checked_sub(data.len() as u64).ok_or(OpenDbError::TooMuch { limit: MOST_BYTES })?;
        }
        Ok(data)
    }
}

fn too_large(bytes: u64) -> String {
    format!("{bytes} bytes is more than the {MOST_RECORD} bytes that a record may have")
}

fn read_entry(archive: &mut zip::ZipArchive<std::fs::File>, n: usize) -> Result<Vec<u8>, String> {
    let entry = archive.by_index(n).map_err(|e| format!("it cannot be unpacked ({e})"))?;
    if entry.size() > MOST_RECORD {
        return Err(too_large(entry.size()));
    }
    let mut data = Vec::new();
    // The header may lie about the size.
    entry.take(MOST_RECORD + 1).read_to_end(&mut data).map_err(|e| format!("it cannot be unpacked ({e})"))?;
    if data.len() as u64 > MOST_RECORD { Err(too_large(data.len() as u64)) } else { Ok(data) }
}
