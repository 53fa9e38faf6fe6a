//! Long answers in pages: an agent reads every word that it is given.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The most rows of a list inside a result.
const ROWS: usize = 10;
/// The most words or numbers of one: they are short.
const WORDS: usize = 50;

/// Lists that were cut, by their path: how much of them is left, and how long the longest was.
type CutLists = BTreeMap<String, (usize, usize)>;

/// Leaves one page of an answer's results, and the first rows of other lists; notes say what is left out.
///
/// Pages count from 1. One behind the last is empty.
pub fn cut(document: &mut Value, page: usize, rows_of_page: usize) {
    let Value::Object(fields) = document else {
        return;
    };
    let left_off = fields.get("left_off").and_then(Value::as_u64);
    let left_off = left_off
        .filter(|count| *count > 0)
        .map_or_else(String::new, |count| format!("; {count} more are left off"));
    let mut notes = Vec::new();
    let mut cut_lists = CutLists::new();
    for (name, value) in fields.iter_mut() {
        match (&name[..], value) {
            ("results", Value::Array(results)) => {
                let count = results.len();
                let start = page.saturating_sub(1).saturating_mul(rows_of_page);
                let end = start.saturating_add(rows_of_page).min(count);
                if start >= count && page > 1 {
                    results.clear();
                    let last = count.div_ceil(rows_of_page);
                    notes.push(note(
                        "page",
                        &format!("there is no page {page}: the last one is {last}"),
                    ));
                } else if count > rows_of_page {
                    results.truncate(end);
                    results.drain(..start);
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
                    cut_inside(result, "", &mut cut_lists);
                }
            }
            // These are never cut.
            ("request" | "notes" | "render", _) => {}
            (name, value) => cut_list(value, name, &mut cut_lists),
        }
    }
    let lists = cut_lists.into_iter().map(|(list, (kept, count))| {
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

/// Cuts a list at a path, and the lists in it.
fn cut_list(value: &mut Value, path: &str, cut: &mut CutLists) {
    if let Value::Array(rows) = value {
        let are_rows = rows
            .first()
            .is_some_and(|row| row.is_object() || row.is_array());
        let kept = if are_rows { ROWS } else { WORDS };
        if rows.len() > kept {
            let (_, most) = cut.entry(path.to_owned()).or_insert((kept, 0));
            *most = rows.len().max(*most);
            rows.truncate(kept);
        }
    }
    cut_inside(value, path, cut);
}

fn cut_inside(value: &mut Value, path: &str, cut: &mut CutLists) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                cut_list(value, &path, cut);
            }
        }
        Value::Array(rows) => {
            for row in rows {
                cut_inside(row, path, cut);
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
        cut(&mut document, page, 10);
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
    fn pages_follow_each_other_and_say_so() {
        assert_eq!(page(10, 1), ((1..=10).collect(), vec![]));
        let first = "results 1 to 10 of 25; page 2 has the next".to_owned();
        assert_eq!(page(25, 1), ((1..=10).collect(), vec![first]));
        let last = "results 21 to 25 of 25".to_owned();
        assert_eq!(page(25, 3), ((21..=25).collect(), vec![last]));
        let none = "there is no page 4: the last one is 3".to_owned();
        assert_eq!(page(25, 4), (vec![], vec![none]));
        assert!(page(25, usize::MAX).0.is_empty());
        assert_eq!(page(0, 1), (vec![], vec![]));
    }

    #[test]
    fn a_list_inside_is_cut_and_named_but_files_are_not() {
        let rows = vec![json!({ "regions": vec!["eu"; 60] }); 30];
        let mut document = json!({
            "results": [{ "offers": rows, "fit": { "layouts": [{ "placements": rows }] } }],
            "render": { "files": rows },
        });
        cut(&mut document, 1, 10);
        let offers = document["results"][0]["offers"].as_array().unwrap();
        assert_eq!(offers.len(), ROWS);
        assert_eq!(document["render"]["files"].as_array().unwrap().len(), 30);
        let notes = document["notes"].to_string();
        for cut in [
            "offers: the first 10 of up to 30",
            "offers.regions: the first 50 of up to 60",
            "fit.layouts.placements: the first 10 of up to 30",
        ] {
            assert!(notes.contains(cut), "{cut}: {notes}");
        }
    }
}
