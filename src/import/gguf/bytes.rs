//! Numbers and texts of a GGUF header, in either byte order, never past the end of the file and never more memory than was read.

use std::io::{BufReader, Read, Seek};

use crate::import::ImportError;

/// Longest text that is kept; longer ones, such as chat templates, are skipped.
const KEPT: u64 = 256;

/// Vocabularies have some hundred thousand texts, their merges as many again.
const MOST_ENTRIES: u64 = 1 << 24;

pub(super) struct Bytes<'a, R> {
    reader: BufReader<R>,
    at: u64,
    length: u64,
    /// Texts and lists inside lists that may still be read.
    entries: u64,
    pub big: bool,
    pub file: &'a str,
}

impl<'a, R: Read + Seek> Bytes<'a, R> {
    pub fn new(reader: R, length: u64, file: &'a str) -> Self {
        Self { reader: BufReader::with_capacity(1 << 15, reader), at: 0, length, entries: MOST_ENTRIES, big: false, file }
    }

    /// Bytes read so far.
    pub const fn at(&self) -> u64 {
        self.at
    }

    pub const fn left(&self) -> u64 {
        self.length.saturating_sub(self.at)
    }

    /// Takes note of entries that are read one by one.
    pub fn spend(&mut self, entries: u64) -> Result<(), ImportError> {
        let left = self.entries.checked_sub(entries);
        self.entries = left.ok_or_else(|| ImportError::too_large(self.file, format!("claims lists of {entries} entries")))?;
        Ok(())
    }

    /// Refuses what would end behind the file.
    fn need(&self, bytes: u64, what: &str) -> Result<(), ImportError> {
        if bytes <= self.left() {
            return Ok(());
        }
        let text = format!("ends at byte {} inside {what}, which needs {bytes} bytes from byte {}", self.length, self.at);
        Err(ImportError::broken(self.file, text))
    }

    fn exact<const N: usize>(&mut self, what: &str) -> Result<[u8; N], ImportError> {
        self.need(N as u64, what)?;
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        if self.big && N > 1 {
            bytes.reverse();
        }
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), ImportError> {
        self.reader.read_exact(bytes).map_err(|e| ImportError::broken(self.file, format!("cannot be read at byte {} ({e})", self.at)))?;
        self.at = self.at.saturating_add(bytes.len() as u64);
        Ok(())
    }

    pub fn magic(&mut self) -> Result<[u8; 4], ImportError> {
        let big = std::mem::replace(&mut self.big, false);
        let magic = self.exact("the first four bytes");
        self.big = big;
        magic
    }
    pub fn u8(&mut self, what: &str) -> Result<u8, ImportError> {
        self.exact::<1>(what).map(u8::from_le_bytes)
    }
    pub fn u16(&mut self, what: &str) -> Result<u16, ImportError> {
        self.exact(what).map(u16::from_le_bytes)
    }
    pub fn u32(&mut self, what: &str) -> Result<u32, ImportError> {
        self.exact(what).map(u32::from_le_bytes)
    }
    pub fn u64(&mut self, what: &str) -> Result<u64, ImportError> {
        self.exact(what).map(u64::from_le_bytes)
    }

    /// Goes forward without reading.
    pub fn skip(&mut self, bytes: u64, what: &str) -> Result<(), ImportError> {
        self.need(bytes, what)?;
        let mut left = bytes;
        while left > 0 {
            let step = left.min(1 << 40);
            let to = i64::try_from(step).unwrap_or(0);
            self.reader
                .seek_relative(to)
                .map_err(|e| ImportError::broken(self.file, format!("cannot be read at byte {} ({e})", self.at)))?;
            left -= step;
        }
        self.at = self.at.saturating_add(bytes);
        Ok(())
    }

    /// A text of at most `most` bytes.
    pub fn text(&mut self, most: u64, what: &str) -> Result<String, ImportError> {
        let length = self.u64(what)?;
        if length > most {
            return Err(ImportError::broken(self.file, format!("has {what} of {length} bytes, where at most {most} are allowed")));
        }
        self.utf8(length, what)
    }

    /// A text of any length; `None` if it is too long to be kept.
    pub fn kept_text(&mut self, what: &str) -> Result<Option<String>, ImportError> {
        let length = self.u64(what)?;
        if length > KEPT {
            self.skip(length, what)?;
            return Ok(None);
        }
        self.utf8(length, what).map(Some)
    }

    fn utf8(&mut self, length: u64, what: &str) -> Result<String, ImportError> {
        self.need(length, what)?;
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        self.fill(&mut bytes)?;
        String::from_utf8(bytes).map_err(|_| ImportError::broken(self.file, format!("has {what} that is no text")))
    }
}
