//! Results of an evaluation, item by item: CSV, or the JSON samples of lm-evaluation-harness.

use std::collections::BTreeMap;

use serde_json::Value;

/// One item of an evaluation set.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Names it within its group.
    pub id: String,
    /// Task, subject or category; empty = none.
    pub group: String,
    /// Higher is better; 0 and 1 where items are right or wrong.
    pub score: f64,
    /// Lower is better; `None` = the file has none.
    pub loss: Option<f64>,
}

/// Most items of one file.
pub const MOST_ITEMS: usize = 2_000_000;

/// Reads a file of results by its content: JSON lines or a JSON list with `doc_id`, else CSV with the columns `item` (or `id`) and `score`
/// (or `correct`, `acc`), and if there are `group` (or `task`, `subject`) and `loss`. `name` is used in messages, and as the group of samples
/// whose file is named after its task.
///
/// # Errors
/// Names the line that is no item, or says what is missing.
pub fn read(name: &str, text: &str) -> Result<Vec<Item>, String> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let items = if start.starts_with('{') || start.starts_with('[') { samples(name, start)? } else { csv(name, text)? };
    if items.is_empty() {
        return Err(format!("{name}: holds no items."));
    }
    if items.len() > MOST_ITEMS {
        return Err(format!("{name}: holds more than {MOST_ITEMS} items."));
    }
    Ok(items)
}

fn csv(name: &str, text: &str) -> Result<Vec<Item>, String> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|e| format!("{name}: is no CSV table ({e})."))?.clone();
    let columns: Vec<String> = header.iter().map(|c| c.trim().trim_start_matches('\u{feff}').to_lowercase()).collect();
    let find = |names: &[&str]| names.iter().find_map(|n| columns.iter().position(|c| c == n));
    let id = find(&["item", "id", "doc_id", "question_id"]).ok_or_else(|| format!("{name}: lacks the column item or id."))?;
    let score = find(&["score", "correct", "acc", "acc_norm", "exact_match", "f1"])
        .ok_or_else(|| format!("{name}: lacks the column score or correct."))?;
    let (group, loss) = (find(&["group", "task", "subject", "category"]), find(&["loss", "nll"]));
    let mut items = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|e| format!("{name}: {e}"))?;
        let line = row.position().map_or(0, csv::Position::line);
        let cell = |at: usize| row.get(at).unwrap_or_default().trim();
        let number = |text: &str| match text.to_lowercase().as_str() {
            "true" | "yes" => Some(1.0),
            "false" | "no" => Some(0.0),
            other => other.parse::<f64>().ok().filter(|v| v.is_finite()),
        };
        let value = number(cell(score)).ok_or_else(|| format!("{name}, line {line}: {:?} is no score.", cell(score)))?;
        items.push(Item {
            id: cell(id).to_owned(),
            group: group.map_or_else(String::new, |g| cell(g).to_owned()),
            score: value,
            loss: loss.and_then(|l| number(cell(l))),
        });
    }
    Ok(items)
}

/// Keys of a sample that hold its score, the likeliest first.
const SCORES: [&str; 8] = ["acc_norm", "acc", "exact_match", "em", "f1", "score", "correct", "pass@1"];

fn samples(name: &str, text: &str) -> Result<Vec<Item>, String> {
    let task = task_of(name);
    if text.starts_with('[') {
        let list: Vec<Value> = serde_json::from_str(text).map_err(|e| format!("{name}: {e}"))?;
        return list
            .iter()
            .enumerate()
            .map(|(n, v)| sample(v, &task).ok_or_else(|| format!("{name}, sample {}: no doc_id or no score.", n + 1)))
            .collect();
    }
    let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty());
    lines
        .map(|(n, line)| {
            let value: Value = serde_json::from_str(line).map_err(|e| format!("{name}, line {}: {e}", n + 1))?;
            sample(&value, &task).ok_or_else(|| format!("{name}, line {}: no doc_id or no score.", n + 1))
        })
        .collect()
}

/// `samples_mmlu_anatomy_2025-01-01T10-00-00.jsonl` is of `mmlu_anatomy`.
fn task_of(name: &str) -> String {
    let stem = name.rsplit(['/', '\\']).next().unwrap_or(name).split('.').next().unwrap_or_default();
    let Some(rest) = stem.strip_prefix("samples_") else { return String::new() };
    match rest.rsplit_once('_') {
        Some((task, date)) if date.starts_with("20") => task.to_owned(),
        _ => rest.to_owned(),
    }
}

fn sample(value: &Value, task: &str) -> Option<Item> {
    let number = |v: &Value| v.as_f64().or_else(|| v.as_bool().map(|b| f64::from(u8::from(b)))).filter(|v| v.is_finite());
    let id = value.get("doc_id").or_else(|| value.get("id"))?;
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    let stated = value.get("metrics").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut keys: Vec<&str> = stated.collect();
    keys.sort_by_key(|k| SCORES.iter().position(|s| s == k).unwrap_or(SCORES.len()));
    let score = keys.into_iter().chain(SCORES).find_map(|k| value.get(k).and_then(number))?;
    let doc = value.get("doc");
    let inside = ["subject", "category", "task"].iter().find_map(|k| doc.and_then(|d| d.get(*k)).or_else(|| value.get(*k))?.as_str());
    let loss = ["loss", "nll", "word_perplexity", "perplexity"].iter().find_map(|k| value.get(*k).and_then(number));
    Some(Item { id, group: inside.unwrap_or(task).to_owned(), score, loss })
}

/// Items by group and id; of several with one name the last counts.
pub fn by_name(items: &[Item]) -> BTreeMap<(&str, &str), &Item> {
    items.iter().map(|i| ((i.group.as_str(), i.id.as_str()), i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_samples_are_read() {
        let table = read("a.csv", "item,score,task,loss\n1,true,x,0.5\n2,0,y,\n").expect("a table");
        assert_eq!(
            table.iter().map(|i| (i.score, i.loss, i.group.as_str())).collect::<Vec<_>>(),
            [(1.0, Some(0.5), "x"), (0.0, None, "y")]
        );
        let lines = "{\"doc_id\":0,\"metrics\":[\"acc\",\"acc_norm\"],\"acc\":1.0,\"acc_norm\":0.0}\n{\"doc_id\":1,\"acc\":1.0,\"doc\":{\"subject\":\"law\"}}\n";
        let read_lines = read("samples_arc_easy_2025-01-02T03-04-05.jsonl", lines).expect("samples");
        assert_eq!(
            read_lines.iter().map(|i| (i.id.as_str(), i.score, i.group.as_str())).collect::<Vec<_>>(),
            [("0", 0.0, "arc_easy"), ("1", 1.0, "law")]
        );
        assert!(read("b.csv", "item,points\n").expect_err("no score").contains("lacks the column score"));
        assert!(read("c.csv", "item,score\nq,maybe\n").expect_err("no number").contains("line 2"));
        assert!(read("d.jsonl", "{\"x\":1}\n").expect_err("no id").contains("line 1"));
    }
}
