//! Tables into structs, with every error: what is wrong is named, taken out, and the rest read on, so that no error hides another.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

/// Takes the place of a fault, if it has one, its field and what is wrong.
pub(super) type Report<'r> = dyn FnMut(Option<Range<usize>>, &str, &str) + 'r;

/// Reads a table into `T`, without what is wrong in it. Fields in `named` were reported before and are not again.
pub(super) fn decode<T: DeserializeOwned>(table: &DeTable<'_>, named: &mut BTreeSet<String>, report: &mut Report<'_>) -> Option<T> {
    let mut left: Option<DeTable<'_>> = None;
    loop {
        let value = Spanned::new(0..0, DeValue::Table(left.as_ref().unwrap_or(table).clone()));
        let error = match T::deserialize(ValueDeserializer::from(value)) {
            Ok(read) => return Some(read),
            Err(error) => error,
        };
        let span = error.span().filter(|s| s.end > 0);
        let mut field = span.as_ref().and_then(|at| path_of(table, at)).unwrap_or_default();
        let mut message = error.message();
        if let Some(name) = missing(message) {
            field = if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
            message = "is missing";
        }
        if named.insert(field.clone()) {
            report(span.clone(), &field, &super::shortened(message));
        }
        let left = left.get_or_insert_with(|| table.clone());
        if !span.is_some_and(|at| take_out(left, &at)) {
            return None;
        }
    }
}

/// The name in "missing field `name`".
pub fn missing(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `")?.split('`').next()
}

fn covers(span: &Range<usize>, at: &Range<usize>) -> bool {
    span.start <= at.start && at.end <= span.end && span.end > 0
}

/// `prices[2].kind`: the innermost key or item at a place.
fn path_of(table: &DeTable<'_>, at: &Range<usize>) -> Option<String> {
    let inner = table.iter().find_map(|(key, value)| Some((key, path_in(value.get_ref(), at)?)));
    if let Some((key, rest)) = inner {
        return Some(format!("{}{rest}", key.get_ref()));
    }
    table.iter().find(|(key, value)| covers(&key.span(), at) || covers(&value.span(), at)).map(|(key, _)| key.get_ref().to_string())
}

fn path_in(value: &DeValue<'_>, at: &Range<usize>) -> Option<String> {
    match value {
        DeValue::Table(inner) => path_of(inner, at).map(|rest| format!(".{rest}")),
        DeValue::Array(items) => {
            let found = items.iter().enumerate().find_map(|(n, item)| Some((n, path_in(item.get_ref(), at)?)));
            let (n, rest) = found.or_else(|| Some((items.iter().position(|i| covers(&i.span(), at))?, String::new())))?;
            Some(format!("[{n}]{rest}"))
        }
        _ => None,
    }
}

/// Takes out what [`path_of`] names; `false` if there is nothing.
fn take_out(table: &mut DeTable<'_>, at: &Range<usize>) -> bool {
    if table.iter_mut().any(|(_, value)| take_out_of(value.get_mut(), at)) {
        return true;
    }
    let found = table.iter().find(|(key, value)| covers(&key.span(), at) || covers(&value.span(), at));
    let Some(key) = found.map(|(key, _)| key.get_ref().to_string()) else { return false };
    table.remove(key.as_str()).is_some()
}

fn take_out_of(value: &mut DeValue<'_>, at: &Range<usize>) -> bool {
    match value {
        DeValue::Table(inner) => take_out(inner, at),
        DeValue::Array(items) => {
            if items.iter_mut().any(|item| take_out_of(item.get_mut(), at)) {
                return true;
            }
            let before = items.len();
            *items = items.iter().filter(|i| !covers(&i.span(), at)).cloned().collect();
            items.len() < before
        }
        _ => false,
    }
}
