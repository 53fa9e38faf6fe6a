//! Requests of the EC2 query protocol, and its filters.

use super::error::ec2_error;
use crate::reply::Reply;

pub(super) struct Form(Vec<(String, String)>);

pub(super) struct Ec2Filter {
    pub name: String,
    pub values: Vec<String>,
}

impl Form {
    pub fn parse(body: &str) -> Self {
        Self(
            form_urlencoded::parse(body.as_bytes())
                .into_owned()
                .collect(),
        )
    }

    /// Returns a parameter. The case of the first letter differs between versions of the API.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub fn flag(&self, name: &str) -> bool {
        self.get(name) == Some("true")
    }

    pub fn number(&self, name: &str) -> Result<Option<usize>, Reply> {
        self.get(name)
            .map(|text| {
                text.parse()
                    .map_err(|_| invalid(&format!("Invalid value '{text}' for {name}")))
            })
            .transpose()
    }

    /// Returns the values of `Name.1`, `Name.2` and so on.
    pub fn list(&self, name: &str) -> Vec<&str> {
        let prefix = format!("{name}.");
        self.0
            .iter()
            .filter(|(key, _)| {
                key.strip_prefix(&prefix)
                    .is_some_and(|rest| rest.parse::<u32>().is_ok())
            })
            .map(|(_, value)| value.as_str())
            .collect()
    }

    /// Returns the filters `Filter.1.Name`, `Filter.1.Value.1` and so on.
    pub fn filters(&self) -> Vec<Ec2Filter> {
        (1..)
            .map_while(|index| {
                Some(Ec2Filter {
                    name: self.get(&format!("Filter.{index}.Name"))?.to_owned(),
                    values: self
                        .list(&format!("Filter.{index}.Value"))
                        .into_iter()
                        .map(Into::into)
                        .collect(),
                })
            })
            .collect()
    }

    /// Returns the size of a page: the requested size if the call allows it, at most `default`.
    pub fn page_size(&self, min: usize, max: usize, default: usize) -> Result<usize, Reply> {
        match self.number("MaxResults")? {
            None => Ok(default),
            Some(size) if (min..=max).contains(&size) => Ok(size.min(default)),
            Some(size) => Err(invalid(&format!(
                "Value ( {size} ) for parameter maxResults is invalid. Expecting a value between {min} and {max}."
            ))),
        }
    }
}

impl Ec2Filter {
    pub fn admits(&self, value: &str) -> bool {
        self.values
            .iter()
            .any(|pattern| wildcard(pattern.as_bytes(), value.as_bytes()))
    }
}

pub(super) fn invalid(message: &str) -> Reply {
    ec2_error(400, "InvalidParameterValue", message)
}

pub(super) fn unknown_filter(filter: &Ec2Filter) -> Reply {
    invalid(&format!("The filter '{}' is invalid", filter.name))
}

/// Matches a pattern in which `*` is any text and `?` any character.
fn wildcard(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            wildcard(rest, text) || !text.is_empty() && wildcard(pattern, &text[1..])
        }
        (Some((b'?', pattern)), Some((_, text))) => wildcard(pattern, text),
        (Some((a, pattern)), Some((b, text))) => a == b && wildcard(pattern, text),
        _ => false,
    }
}
