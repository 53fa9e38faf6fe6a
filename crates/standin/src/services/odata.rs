//! The part of OData's filter language that Azure's price list supports: `eq`, `ne`, `and`, `or`,
//! `not`, parentheses, `contains(field, 'text')` and `startswith(field, 'text')`.

use serde_json::{Value, json};

/// A parsed filter.
pub(super) enum ODataFilter {
    Field(String),
    Literal(Value),
    Equal(Box<Self>, Box<Self>),
    Call(Function, Box<Self>, Box<Self>),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
}

#[derive(Clone, Copy)]
pub(super) enum Function {
    Contains,
    StartsWith,
}

impl ODataFilter {
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut tokens = tokens(text)?;
        tokens.reverse();
        let filter = either(&mut tokens)?;
        match tokens.pop() {
            None => Ok(filter),
            Some(token) => Err(format!("{token:?} is one too many")),
        }
    }

    /// Returns the names of the fields in the filter.
    pub fn fields(&self) -> Vec<&str> {
        match self {
            Self::Field(name) => vec![name],
            Self::Literal(_) => Vec::new(),
            Self::Not(inner) => inner.fields(),
            Self::Equal(left, right)
            | Self::Call(_, left, right)
            | Self::And(left, right)
            | Self::Or(left, right) => [left.fields(), right.fields()].concat(),
        }
    }

    pub fn takes(&self, row: &Value) -> bool {
        self.value(row) == Value::Bool(true)
    }

    fn value(&self, row: &Value) -> Value {
        json!(match self {
            Self::Field(name) => return row[name.as_str()].clone(),
            Self::Literal(value) => return value.clone(),
            Self::Equal(left, right) => same(&left.value(row), &right.value(row)),
            Self::Call(function, whole, part) => {
                let (whole, part) = (whole.value(row), part.value(row));
                let (whole, part) = (
                    whole.as_str().unwrap_or_default(),
                    part.as_str().unwrap_or_default(),
                );
                match function {
                    Function::Contains => whole.contains(part),
                    Function::StartsWith => whole.starts_with(part),
                }
            }
            Self::Not(inner) => !inner.takes(row),
            Self::And(left, right) => left.takes(row) && right.takes(row),
            Self::Or(left, right) => left.takes(row) || right.takes(row),
        })
    }
}

/// Compares values. Numbers are equal with and without a decimal point.
fn same(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => (left - right).abs() < 1e-12,
        _ => left == right,
    }
}

#[derive(Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Sign(char),
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix('\'') {
            let (content, after) = quoted(after)?;
            found.push(Token::Text(content));
            rest = after;
        } else if "(),".contains(first) {
            found.push(Token::Sign(first));
            rest = &rest[1..];
        } else {
            let end = rest
                .find(|sign: char| sign.is_whitespace() || "(),'".contains(sign))
                .unwrap_or(rest.len());
            found.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    Ok(found)
}

/// Parses a string literal, in which a quote is doubled.
fn quoted(mut rest: &str) -> Result<(String, &str), String> {
    let mut content = String::new();
    loop {
        let (before, after) = rest.split_once('\'').ok_or("a quote is never closed")?;
        content.push_str(before);
        match after.strip_prefix('\'') {
            Some(after) => {
                content.push('\'');
                rest = after;
            }
            None => return Ok((content, after)),
        }
    }
}

/// Takes the next token, which is the last of the list, if it is this word.
fn take(tokens: &mut Vec<Token>, word: &str) -> bool {
    let found = matches!(tokens.last(), Some(Token::Word(next)) if next == word);
    if found {
        tokens.pop();
    }
    found
}

fn expect(tokens: &mut Vec<Token>, sign: char) -> Result<(), String> {
    match tokens.pop() {
        Some(Token::Sign(found)) if found == sign => Ok(()),
        other => Err(format!("{other:?} where {sign:?} belongs")),
    }
}

fn either(tokens: &mut Vec<Token>) -> Result<ODataFilter, String> {
    let mut left = both(tokens)?;
    while take(tokens, "or") {
        left = ODataFilter::Or(Box::new(left), Box::new(both(tokens)?));
    }
    Ok(left)
}

fn both(tokens: &mut Vec<Token>) -> Result<ODataFilter, String> {
    let mut left = comparison(tokens)?;
    while take(tokens, "and") {
        left = ODataFilter::And(Box::new(left), Box::new(comparison(tokens)?));
    }
    Ok(left)
}

fn comparison(tokens: &mut Vec<Token>) -> Result<ODataFilter, String> {
    if take(tokens, "not") {
        return Ok(ODataFilter::Not(Box::new(comparison(tokens)?)));
    }
    let left = operand(tokens)?;
    let differs = take(tokens, "ne");
    if !differs && !take(tokens, "eq") {
        return Ok(left);
    }
    let equal = ODataFilter::Equal(Box::new(left), Box::new(operand(tokens)?));
    Ok(if differs {
        ODataFilter::Not(Box::new(equal))
    } else {
        equal
    })
}

fn operand(tokens: &mut Vec<Token>) -> Result<ODataFilter, String> {
    match tokens.pop() {
        Some(Token::Text(text)) => Ok(ODataFilter::Literal(json!(text))),
        Some(Token::Sign('(')) => {
            let inner = either(tokens)?;
            expect(tokens, ')')?;
            Ok(inner)
        }
        Some(Token::Word(word)) => {
            let function = match word.as_str() {
                "contains" => Function::Contains,
                "startswith" => Function::StartsWith,
                _ => return Ok(named(word)),
            };
            expect(tokens, '(')?;
            let text = operand(tokens)?;
            expect(tokens, ',')?;
            let part = operand(tokens)?;
            expect(tokens, ')')?;
            Ok(ODataFilter::Call(function, Box::new(text), Box::new(part)))
        }
        other => Err(format!("{other:?} where a value belongs")),
    }
}

/// Parses a number, a boolean or the name of a field.
fn named(word: String) -> ODataFilter {
    match serde_json::from_str::<Value>(&word) {
        Ok(value) if !value.is_object() && !value.is_array() => ODataFilter::Literal(value),
        _ => ODataFilter::Field(word),
    }
}
