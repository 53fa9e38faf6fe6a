//! Pages of long answers, since agents pay for every word.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The maximum rows of a list of objects inside a result.
const ROWS: usize = 10;
/// The maximum items of a list of words or numbers, which are short.
const WORDS: usize = 50;

/// The truncated lists by path: the remaining length, and the length of the longest list.
type TruncatedLists = BTreeMap<String, (usize, usize)>;

/// Keeps one page of the results, and the first rows of other lists; notes describe the rest.
///
/// Pages count from 1. A page after the last is empty. `unlisted` is the number of results after those of the document.
pub fn cut(document: &mut Value, page: usize, rows_of_page: usize, unlisted: usize) {
    let Value::Object(fields) = document else {
        return;
    };
    let left_off = fields.get("left_off").and_then(Value::as_u64);
    let left_off = left_off
        .filter(|count| *count > 0)
        .map_or_else(String::new, |count| format!("; {count} more are not shown"));
    let mut notes = Vec::new();
    let mut truncated = TruncatedLists::new();
    for (name, value) in fields.iter_mut() {
        match (&name[..], value) {
            ("results", Value::Array(results)) => {
                let count = results.len() + unlisted;
                let start = page.saturating_sub(1).saturating_mul(rows_of_page);
                let end = start.saturating_add(rows_of_page).min(count);
                if start >= count && page > 1 {
                    results.clear();
                    let last = count.div_ceil(rows_of_page);
                    notes.push(note(
                        "page",
                        &format!("page {page} does not exist: the last page is {last}"),
                    ));
                } else if count > rows_of_page {
                    results.truncate(end);
                    results.drain(..start.min(results.len()));
                    let next = if end < count {
                        format!("; page {} has the next", page + 1)
                    } else {
                        String::new()
                    };
                    let (first, last) = (start + 1, end);
                    let range = if first == last {
                        format!("result {first}")
                    } else {
                        format!("results {first} to {last}")
                    };
                    let message = format!("{range} of {count}{next}{left_off}");
                    notes.push(note("page", &message));
                }
                for result in results {
                    truncate_inside(result, "", &mut truncated);
                }
            }
            // These are never truncated.
            ("request" | "notes" | "render", _) => {}
            (name, value) => truncate_list(value, name, &mut truncated),
        }
    }
    let lists = truncated.into_iter().map(|(list, (kept, count))| {
        let message = format!("{list}: the first {kept} of up to {count}");
        note("cut", &message)
    });
    notes.extend(lists);
    if notes.is_empty() {
        return;
    }
    match fields.get_mut("notes") {
        Some(Value::Array(others)) => others.extend(notes),
        _ => {
            fields.insert("notes".to_owned(), Value::from(notes));
        }
    }
}

fn note(code: &str, message: &str) -> Value {
    json!({ "code": code, "message": message })
}

/// Truncates a list at a path, and the lists in it.
fn truncate_list(value: &mut Value, path: &str, truncated: &mut TruncatedLists) {
    if let Value::Array(rows) = value {
        let are_rows = rows
            .first()
            .is_some_and(|row| row.is_object() || row.is_array());
        let kept = if are_rows { ROWS } else { WORDS };
        if rows.len() > kept {
            let (_, longest) = truncated.entry(path.to_owned()).or_insert((kept, 0));
            *longest = rows.len().max(*longest);
            rows.truncate(kept);
        }
    }
    truncate_inside(value, path, truncated);
}

fn truncate_inside(value: &mut Value, path: &str, truncated: &mut TruncatedLists) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                truncate_list(value, &path, truncated);
            }
        }
        Value::Array(rows) => {
            for row in rows {
                truncate_inside(row, path, truncated);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(results: usize) -> Value {
        let results: Vec<usize> = (1..=results).collect();
        json!({ "results": results, "notes": [note("other", "stays")] })
    }

    fn page(results: usize, page: usize) -> (Vec<u64>, Vec<String>) {
        let mut document = answer(results);
        cut(&mut document, page, 10, 0);
        let rows = document["results"].as_array().unwrap();
        let notes = document["notes"].as_array().unwrap().iter().skip(1);
        (
            rows.iter().filter_map(Value::as_u64).collect(),
            notes
                .map(|note| note["message"].as_str().unwrap().to_owned())
                .collect(),
        )
    }

    #[test]
    fn notes_name_the_next_page() {
        assert_eq!(page(10, 1), ((1..=10).collect(), vec![]));
        let first = "results 1 to 10 of 25; page 2 has the next".to_owned();
        assert_eq!(page(25, 1), ((1..=10).collect(), vec![first]));
        let last = "results 21 to 25 of 25".to_owned();
        assert_eq!(page(25, 3), ((21..=25).collect(), vec![last]));
        let none = "page 4 does not exist: the last page is 3".to_owned();
        assert_eq!(page(25, 4), (vec![], vec![none]));
        assert!(page(25, usize::MAX).0.is_empty());
        assert_eq!(page(0, 1), (vec![], vec![]));
    }

    #[test]
    fn truncates_inner_lists_but_not_files() {
        let rows = vec![json!({ "regions": vec!["eu"; 60] }); 30];
        let mut document = json!({
            "results": [{ "offers": rows, "fit": { "layouts": [{ "placements": rows }] } }],
            "render": { "files": rows },
        });
        cut(&mut document, 1, 10, 0);
        let offers = document["results"][0]["offers"].as_array().unwrap();
        assert_eq!(offers.len(), ROWS);
        assert_eq!(document["render"]["files"].as_array().unwrap().len(), 30);
        let notes = document["notes"].to_string();
        for truncated in [
            "offers: the first 10 of up to 30",
            "offers.regions: the first 50 of up to 60",
            "fit.layouts.placements: the first 10 of up to 30",
        ] {
            assert!(notes.contains(truncated), "{truncated}: {notes}");
        }
    }
}
