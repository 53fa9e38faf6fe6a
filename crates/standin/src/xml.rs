//! A JSON tree as XML in the style of EC2, in which lists consist of `<item>` elements.

use std::fmt::Write as _;

use serde_json::Value;

pub(crate) fn document(root: &str, value: &Value) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Error documents of EC2 and S3 have no namespace.
    if matches!(root, "Response" | "Error") {
        let _ = write!(out, "<{root}>");
    } else {
        let _ = write!(
            out,
            "<{root} xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">"
        );
    }
    inner(&mut out, root, "", value);
    let _ = write!(out, "</{root}>");
    out
}

fn inner(out: &mut String, name: &str, parent: &str, value: &Value) {
    match value {
        Value::Null => {}
        Value::Bool(flag) => {
            let _ = write!(out, "{flag}");
        }
        Value::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Value::String(text) => escape(out, text),
        Value::Array(values) => {
            // The only list of these responses without a name in the API model.
            let unnamed = name == "accelerators" && parent == "inferenceAcceleratorInfo";
            let item = if unnamed { "member" } else { "item" };
            for value in values {
                element(out, item, name, value);
            }
        }
        Value::Object(fields) => {
            for (field, value) in fields {
                element(out, field, name, value);
            }
        }
    }
}

fn element(out: &mut String, name: &str, parent: &str, value: &Value) {
    let _ = write!(out, "<{name}>");
    inner(out, name, parent, value);
    let _ = write!(out, "</{name}>");
}

fn escape(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 does not allow it even as a reference, but lenient parsers accept it: a hostile
            // server could send it.
            control if control.is_control() => {
                let _ = write!(out, "&#x{:x};", u32::from(control));
            }
            other => out.push(other),
        }
    }
}
