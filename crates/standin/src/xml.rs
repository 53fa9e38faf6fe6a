//! A JSON tree as the XML that EC2 answers with: lists are `<item>`s.

use std::fmt::Write as _;

use serde_json::Value;

pub(crate) fn document(root: &str, value: &Value) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // An error document has no namespace, be it EC2's or S3's.
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
            // The one list of these answers that the API model leaves unnamed.
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
            // Not allowed in XML 1.0 even so, but lenient readers take it: what a hostile
            // answer would try.
            control if control.is_control() => {
                let _ = write!(out, "&#x{:x};", u32::from(control));
            }
            other => out.push(other),
        }
    }
}
