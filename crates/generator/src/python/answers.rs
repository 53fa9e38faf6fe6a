//! `answers.py`: the types of the answers, from the JSON Schemas.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value};

use super::{answer_class, camel_case, is_keyword, prose};

const HEAD: &str = r#""""The types of the answers. `cargo xtask generate` writes this file from `schemas/`, which explains every field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias

# Pythons before 3.11 have no NotRequired: annotations are text, which only type checkers read.
"#;

/// Schemas of documents that no function returns.
const WITHOUT: [&str; 5] = [
    "catalog-compile",
    "config",
    "config-trust",
    "error",
    "watch",
];

/// The classes of the module, each with its text.
#[derive(Default)]
struct Classes(BTreeMap<String, String>);

/// Generates the module.
pub fn module() -> Result<String> {
    let mut classes = Classes::default();
    for (name, schema) in sky_accel::schemas() {
        let short = name
            .trim_start_matches("sky-accel.")
            .trim_end_matches(".v1");
        if WITHOUT.contains(&short) {
            continue;
        }
        let schema = serde_json::to_value(&schema)?;
        let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
        for (name, definition) in &definitions {
            classes.define(name, definition)?;
        }
        classes.define(&answer_class(short), &schema)?;
    }
    let mut text = HEAD.to_owned();
    let mut is_after_class = false;
    for class in classes.0.values() {
        // Two lines around a class, as formatters leave them.
        let is_class = class.starts_with("class ");
        text.push_str(if is_class || is_after_class {
            "\n\n"
        } else {
            "\n"
        });
        text.push_str(class);
        is_after_class = is_class;
    }
    Ok(text)
}

impl Classes {
    /// Defines a class, or another name of a type.
    fn define(&mut self, name: &str, schema: &Value) -> Result<()> {
        let about = schema["description"].as_str().unwrap_or_default();
        // The first paragraph: the others are about Rust.
        let about = prose(about.split("\n\n").next().unwrap_or_default());
        let text = match schema.get("properties").and_then(Value::as_object) {
            Some(fields) => self.class(name, &about, fields, schema)?,
            None => format!("{name}: TypeAlias = \"{}\"\n", self.type_of(name, schema)?),
        };
        match self.0.get(name) {
            Some(known) if *known != text => bail!("two definitions of {name}"),
            _ => self.0.insert(name.to_owned(), text),
        };
        Ok(())
    }

    fn class(
        &mut self,
        name: &str,
        about: &str,
        fields: &Map<String, Value>,
        schema: &Value,
    ) -> Result<String> {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut rows = Vec::new();
        for (field, of_field) in fields {
            let inner = self.type_of(&format!("{name}{}", camel_case(field)), of_field)?;
            let is_required = required.iter().any(|known| known == field);
            let annotation = if is_required {
                inner
            } else {
                format!("NotRequired[{inner}]")
            };
            rows.push((field, annotation));
        }
        let mut text = String::new();
        // A class cannot have a field whose name is a keyword.
        if rows.iter().any(|(field, _)| is_keyword(field)) {
            writeln!(
                text,
                "# {about}\n{name} = TypedDict(\n    \"{name}\",\n    {{"
            )?;
            for (field, annotation) in rows {
                // The words of a literal are in double quotes.
                let quote = if annotation.contains('"') { '\'' } else { '"' };
                writeln!(text, "        \"{field}\": {quote}{annotation}{quote},")?;
            }
            text.push_str("    },\n)\n");
            return Ok(text);
        }
        writeln!(text, "class {name}(TypedDict):\n    \"\"\"{about}\"\"\"\n")?;
        for (field, annotation) in rows {
            writeln!(text, "    {field}: {annotation}")?;
        }
        Ok(text)
    }

    /// Returns the type of a value. `name` is the class of an object that the schema does not name.
    fn type_of(&mut self, name: &str, schema: &Value) -> Result<String> {
        if let Some(reference) = schema["$ref"].as_str() {
            let class = reference.rsplit('/').next().unwrap_or_default();
            return Ok(class.to_owned());
        }
        if let Some(value) = schema.get("const") {
            return Ok(format!("Literal[{value}]"));
        }
        if let Some(words) = schema["enum"].as_array() {
            return Ok(format!("Literal[{}]", joined(words)));
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(choices) = schema[key].as_array() {
                return self.union(name, choices);
            }
        }
        match &schema["type"] {
            Value::String(word) => self.plain(name, word, schema),
            Value::Array(words) => {
                let of_words = words.iter().filter_map(Value::as_str);
                let types: Result<Vec<String>> = of_words
                    .map(|word| self.plain(name, word, schema))
                    .collect();
                Ok(union_of(types?))
            }
            _ => Ok("Any".to_owned()),
        }
    }

    fn union(&mut self, name: &str, choices: &[Value]) -> Result<String> {
        let words: Vec<Value> = choices
            .iter()
            .filter_map(|choice| choice.get("const").cloned())
            .collect();
        let mut types = Vec::new();
        if !words.is_empty() {
            types.push(format!("Literal[{}]", joined(&words)));
        }
        let others = choices
            .iter()
            .filter(|choice| choice.get("const").is_none());
        for (at, choice) in others.enumerate() {
            types.push(self.type_of(&format!("{name}{}", at + 1), choice)?);
        }
        Ok(union_of(types))
    }

    fn plain(&mut self, name: &str, word: &str, schema: &Value) -> Result<String> {
        Ok(match word {
            "string" => "str".to_owned(),
            "boolean" => "bool".to_owned(),
            "integer" => "int".to_owned(),
            "number" => "float".to_owned(),
            "null" => "None".to_owned(),
            "array" => {
                let items = schema.get("items").context("an array without items")?;
                format!("list[{}]", self.type_of(name, items)?)
            }
            "object" if schema.get("properties").is_some() => {
                self.define(name, schema)?;
                name.to_owned()
            }
            "object" => match schema.get("additionalProperties") {
                Some(values) => format!("dict[str, {}]", self.type_of(name, values)?),
                None => "dict[str, Any]".to_owned(),
            },
            _ => bail!("{name}: unknown type {word}"),
        })
    }
}

fn joined(words: &[Value]) -> String {
    let words: Vec<String> = words.iter().map(ToString::to_string).collect();
    words.join(", ")
}

/// Returns a union, without types that it repeats.
fn union_of(types: Vec<String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for name in types {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    if let [single] = &distinct[..] {
        return single.clone();
    }
    format!("Union[{}]", distinct.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_have_the_types_of_the_schema() -> Result<()> {
        let mut classes = Classes::default();
        classes.define(
            "Offer",
            &json!({
                "description": "An offer.",
                "properties": {
                    "id": { "type": "string" },
                    "price": { "anyOf": [{ "$ref": "#/$defs/Num" }, { "type": "null" }] },
                    "kind": { "oneOf": [{ "const": "a" }, { "const": "b" }] },
                },
                "required": ["id"],
            }),
        )?;
        let offer = &classes.0["Offer"];
        assert!(offer.contains("    id: str\n"), "{offer}");
        assert!(
            offer.contains("price: NotRequired[Union[Num, None]]"),
            "{offer}"
        );
        assert!(
            offer.contains("kind: NotRequired[Literal[\"a\", \"b\"]]"),
            "{offer}"
        );
        Ok(())
    }
}
