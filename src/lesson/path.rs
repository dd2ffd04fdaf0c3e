//! A place in the JSON report: `airflow.cards[*].die_c`, `memory[workload=Chat].total_bytes`, `power.wall_w`.

use serde_json::Value;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    /// `[2]`, counted from 0.
    At(usize),
    /// `[*]`, every element of a list or value of a map.
    Each,
    /// `[key=text]`, the elements whose key reads so.
    Where(String, String),
}

/// A path with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    text: String,
    steps: Vec<Step>,
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::str::FromStr for Path {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| format!("\"{text}\" is no path: {what}. Write it like airflow.cards[*].die_c");
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('[') {
                let (inside, after) = inner.split_once(']').ok_or_else(|| wrong("a bracket is not closed"))?;
                steps.push(match (inside, inside.split_once('='), inside.parse()) {
                    ("*", ..) => Step::Each,
                    (_, Some((key, value)), _) if !key.is_empty() => Step::Where(key.to_owned(), value.to_owned()),
                    (_, None, Ok(index)) => Step::At(index),
                    _ => return Err(wrong("in brackets stands a number, * or key=text")),
                });
                rest = after;
                continue;
            }
            let rest_of_key = if steps.is_empty() { rest } else { rest.strip_prefix('.').ok_or_else(|| wrong("a dot is missing"))? };
            let end = rest_of_key.find(['.', '[']).unwrap_or(rest_of_key.len());
            let (key, after) = rest_of_key.split_at(end);
            if key.is_empty() {
                return Err(wrong("a name is empty"));
            }
            steps.push(Step::Key(key.to_owned()));
            rest = after;
        }
        if steps.is_empty() { Err(wrong("it is empty")) } else { Ok(Self { text: text.to_owned(), steps }) }
    }
}

impl Path {
    /// Every value it names, nulls included; a name that is not there names nothing.
    pub fn find<'v>(&self, report: &'v Value) -> Vec<&'v Value> {
        self.steps.iter().fold(vec![report], |found, step| found.into_iter().flat_map(|v| next(v, step)).collect())
    }

    /// The one number it names; `None` if it is unknown or there are several.
    pub fn number(&self, report: &Value) -> Option<f64> {
        match self.find(report).as_slice() {
            [one] => one.as_f64(),
            _ => None,
        }
    }
}

fn next<'v>(value: &'v Value, step: &Step) -> Vec<&'v Value> {
    match (step, value) {
        (Step::Key(key), Value::Object(fields)) => fields.get(key).into_iter().collect(),
        (Step::At(index), Value::Array(items)) => items.get(*index).into_iter().collect(),
        (Step::Each, Value::Array(items)) => items.iter().collect(),
        (Step::Each, Value::Object(fields)) => fields.values().collect(),
        (Step::Where(key, text), Value::Array(items)) => items.iter().filter(|i| i.get(key).is_some_and(|v| reads(v, text))).collect(),
        _ => Vec::new(),
    }
}

fn reads(value: &Value, text: &str) -> bool {
    match value {
        Value::String(s) => s == text,
        Value::Bool(flag) => text.parse() == Ok(*flag),
        Value::Number(n) => n.to_string() == text,
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(path: &str) -> Vec<Value> {
        let report = json!({ "cards": [{ "id": "p1", "t": 80.5 }, { "id": "p2", "t": null }], "map": { "a-b": 1, "c": 2 }, "n": 3 });
        path.parse::<Path>().unwrap().find(&report).into_iter().cloned().collect()
    }

    #[test]
    fn paths_name_values() {
        assert_eq!(found("n"), [json!(3)]);
        assert_eq!(found("cards[*].t"), [json!(80.5), json!(null)]);
        assert_eq!(found("cards[1].id"), [json!("p2")]);
        assert_eq!(found("cards[id=p1].t"), [json!(80.5)]);
        assert_eq!(found("map[*]"), [json!(1), json!(2)]);
        assert_eq!(found("map.a-b"), [json!(1)]);
        for nothing in ["cards[7].t", "cards[id=p9].t", "m", "n.x", "cards.t"] {
            assert_eq!(found(nothing), [] as [Value; 0], "{nothing}");
        }
    }

    #[test]
    fn what_is_no_path_is_refused_in_words() {
        for text in ["", ".a", "a..b", "a[", "a[x]", "a[*]b", "a.", "[=x]"] {
            assert!(text.parse::<Path>().unwrap_err().contains("is no path"), "{text}");
        }
    }
}
