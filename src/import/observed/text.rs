//! Text as it comes from files, mails and forums, made plain line by line.

use std::borrow::Cow;

/// A line without quotation marks of mails, colours and carriage returns.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    /// From 1.
    pub number: usize,
    pub text: Cow<'a, str>,
}

/// Bytes of a file as text: UTF-8, UTF-16 with its mark (Windows PowerShell writes that), else Latin-1.
pub fn decode(bytes: &[u8]) -> String {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
        },
    }
}

/// All lines, cleaned.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines()).map(|(number, line)| Line { number, text: clean(line) }).collect()
}

fn clean(line: &str) -> Cow<'_, str> {
    let line = line.trim_end();
    let plain = if line.contains(['\u{1b}', '\u{a0}']) || line.contains("[4m") || line.contains("[0m") {
        Cow::Owned(without_colours(line))
    } else {
        Cow::Borrowed(line)
    };
    match plain {
        Cow::Borrowed(line) => Cow::Borrowed(unquoted(line)),
        Cow::Owned(line) => Cow::Owned(unquoted(&line).to_owned()),
    }
}

/// Mails quote with ">"; a fence or a table of a forum may leave "|".
fn unquoted(line: &str) -> &str {
    let mut line = line;
    while let Some(rest) = line.trim_start_matches(' ').strip_prefix('>') {
        line = rest.strip_prefix(' ').unwrap_or(rest);
    }
    line
}

/// Terminal colours, also those whose escape character was lost, and no-break spaces.
fn without_colours(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let code = if c == '\u{1b}' { after.strip_prefix('[') } else { rest.strip_prefix('[') };
        let end = code.and_then(|t| t.find(|c: char| !c.is_ascii_digit() && c != ';').map(|at| (t, at)));
        match end {
            Some((t, at)) if t.get(at..).is_some_and(|t| t.starts_with('m')) && (c == '\u{1b}' || at > 0) => {
                rest = t.get(at + 1..).unwrap_or_default();
            }
            _ => {
                match c {
                    '\u{1b}' => {}
                    '\u{a0}' => out.push(' '),
                    c => out.push(c),
                }
                rest = after;
            }
        }
    }
    out.trim_end().to_owned()
}

/// The beginning of a line, for a message.
pub(super) fn short(text: &str) -> String {
    const SHOWN: usize = 40;
    let begin: String = text.chars().filter(|c| !c.is_control()).take(SHOWN).collect();
    if text.chars().count() > SHOWN { format!("{begin}…") } else { begin }
}

/// "key: value" with both sides trimmed; the key without the decorations of translated texts.
pub(super) fn key_value(line: &str) -> Option<(&str, &str)> {
    // Chinese texts have a wide colon.
    let (key, value) = line.split_once([':', '：'])?;
    let key = key.trim().trim_matches(['«', '»', '"', '„', '“', ' ', '\u{a0}']);
    (!key.is_empty()).then(|| (key, value.trim()))
}

/// The first number in a text.
pub(super) fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}
