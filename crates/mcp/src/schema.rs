//! The schemas of arguments, and the validation of arguments.

use std::borrow::Cow;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};
use sky_accel_core::suggest;
use sky_accel_engine::{Error, ErrorCode};

type Object = Map<String, Value>;

/// The input schema of a type, without parts that cost tokens but do not help agents.
pub fn of<T: JsonSchema>() -> Object {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = Value::from(schema);
    tidy(&mut schema);
    match schema {
        Value::Object(mut schema) => {
            // The description of the type repeats the description of the tool.
            schema.remove("description");
            schema
        }
        _ => Object::new(),
    }
}

fn tidy(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            // Objects under these keys are properties that are called title, format or default.
            fields.retain(|key, value| match &key[..] {
                "title" | "format" => !value.is_string(),
                "default" => value.is_object(),
                "minimum" => value.as_u64() != Some(0),
                _ => true,
            });
            fields.values_mut().for_each(tidy);
            // The values of an enum show their type.
            if fields.contains_key("enum") {
                fields.remove("type");
            }
            // Optional arguments can be left out, so null is redundant.
            for key in ["type", "enum"] {
                if let Some(Value::Array(choices)) = fields.get_mut(key) {
                    choices.retain(|choice| !choice.is_null() && choice != "null");
                    if let ("type", [single]) = (key, &choices[..]) {
                        let single = single.clone();
                        fields.insert(key.to_owned(), single);
                    }
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// Validates arguments against the schema of a tool.
///
/// # Errors
///
/// [`ErrorCode::Request`] for a field that is unknown, missing, of another type or out of bounds, and for a word that
/// is not in its set. The message names the field.
pub fn check(schema: &Object, arguments: &Object) -> Result<(), Error> {
    let none = Object::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.unwrap_or(&none);
    let is_open = schema.get("additionalProperties") == Some(&Value::Bool(true));
    for (name, value) in arguments {
        match properties.get(name) {
            Some(_) if value.is_null() => {}
            Some(property) => check_value(name, property, value)?,
            None if is_open => {}
            None => {
                let names: Vec<&str> = properties.keys().map(String::as_str).collect();
                let near = suggest::closest(name, names.iter().copied());
                let error = wrong(format!("unknown field `{name}`"));
                return Err(if near.is_empty() {
                    error.advise(format!("the fields are {}", names.join(", ")))
                } else {
                    error.hint(near)
                });
            }
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if arguments.get(name).is_none_or(Value::is_null) {
            return Err(wrong(format!("the field `{name}` is missing")));
        }
    }
    Ok(())
}

fn check_value(name: &str, property: &Value, value: &Value) -> Result<(), Error> {
    let choices = property["enum"].as_array();
    let kind = match choices {
        Some(_) => "string",
        None => property["type"].as_str().unwrap_or_default(),
    };
    let is_right = match kind {
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        _ => true,
    };
    if !is_right {
        let expected = match kind {
            "array" => "an array",
            "boolean" => "true or false",
            "integer" => "an integer",
            "number" => "a number",
            _ => "a string",
        };
        let given = kind_of(value);
        return Err(wrong(format!("`{name}` must be {expected}, not {given}")));
    }
    let bound = |key: &str| property[key].as_f64();
    if let Some(number) = value.as_f64() {
        let (low, high) = (bound("minimum"), bound("maximum"));
        if low.is_some_and(|low| number < low) || high.is_some_and(|high| number > high) {
            let low = low.unwrap_or(0.0);
            let range = high.map_or(format!("at least {low}"), |high| {
                format!("between {low} and {high}")
            });
            return Err(wrong(format!("`{name}` must be {range}, not {number}")));
        }
    }
    if let (Some(choices), Some(word)) = (choices, value.as_str()) {
        let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
        if !choices.contains(&word) {
            let near = suggest::closest(word, choices.iter().copied());
            let list = choices.join(", ");
            let message = format!("unknown `{name}` '{word}': choose one of {list}");
            return Err(wrong(message).hint(near));
        }
    }
    let items = value.as_array().map_or(0, Vec::len) as f64;
    if value.is_array() && bound("minItems").is_some_and(|min| items < min) {
        return Err(wrong(format!("`{name}` must not be empty")));
    }
    if let Some(max) = bound("maxItems").filter(|max| items > *max) {
        let message = format!("`{name}` must have at most {max} items, not {items}");
        return Err(wrong(message));
    }
    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
        check_value(&format!("{name}[{at}]"), &property["items"], item)?;
    }
    Ok(())
}

fn kind_of(value: &Value) -> Cow<'static, str> {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string().into(),
        Value::Number(value) => value.to_string().into(),
        Value::String(_) => "a string".into(),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
    }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorCode::Request, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{FitArguments, PlanArguments};

    fn problem<T: JsonSchema>(arguments: &Value) -> Option<String> {
        let error = check(&of::<T>(), arguments.as_object()?).err()?;
        let hints = error.problems[0].hints.join(", ");
        Some(format!("{error} {hints}").trim_end().to_owned())
    }

    #[test]
    fn errors_name_the_argument() {
        let cases = [
            ("{}", "the field `spec` is missing"),
            (r#"{"spec": null}"#, "the field `spec` is missing"),
            (r#"{"spec": 8}"#, "`spec` must be a string, not 8"),
            (
                r#"{"spec": "H100", "provider": []}"#,
                "unknown field `provider` providers",
            ),
            (
                r#"{"spec": "H100", "nodes": 0}"#,
                "`nodes` must be between 1 and 10000, not 0",
            ),
            (
                r#"{"spec": "H100", "nodes": -1}"#,
                "`nodes` must be an integer, not -1",
            ),
            (
                r#"{"spec": "H100", "providers": ["aws", 1]}"#,
                "`providers[1]` must be a string, not 1",
            ),
        ];
        for (arguments, expected) in cases {
            let arguments = serde_json::from_str(arguments).unwrap();
            assert_eq!(
                problem::<PlanArguments>(&arguments).as_deref(),
                Some(expected)
            );
        }
        let number = serde_json::json!({ "spec": "H100", "to": 5 });
        let message = problem::<PlanArguments>(&number).unwrap();
        assert_eq!(message, "`to` must be a string, not 5");
        let near = serde_json::json!({ "spec": "H100", "to": "skypilt" });
        let message = problem::<PlanArguments>(&near).unwrap();
        assert!(message.starts_with("unknown `to` 'skypilt': choose one of skypilot"));
        assert!(message.ends_with(" skypilot"), "{message}");
    }

    #[test]
    fn accepts_valid_arguments_and_more_options_of_a_run() {
        let plan = serde_json::json!({ "spec": "H100", "nodes": 2, "to": "dstack", "image": null });
        assert_eq!(problem::<PlanArguments>(&plan), None);
        let fit = serde_json::json!({ "spec": "H100", "model": "8B", "lora_rank": 16 });
        assert_eq!(problem::<FitArguments>(&fit), None);
    }

    #[test]
    fn schemas_have_neither_titles_nor_null() {
        let schema = Value::Object(of::<PlanArguments>()).to_string();
        for word in ["\"title\"", "\"format\"", "null", "$schema", "$defs"] {
            assert!(!schema.contains(word), "{word} in {schema}");
        }
    }
}
