//! Requests of the EC2 query protocol, and its filters.

use crate::reply::{Reply, ec2_error};

pub(super) struct Form(Vec<(String, String)>);

pub(super) struct Filter {
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

    /// A parameter; the first letter of some differs between the API's versions.
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

    /// `Name.1`, `Name.2` and so on.
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

    /// `Filter.1.Name`, `Filter.1.Value.1` and so on.
    pub fn filters(&self) -> Vec<Filter> {
        (1..)
            .map_while(|index| {
                Some(Filter {
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

    /// The size of a page: what is asked for, within what the call allows, up to a given one.
    pub fn page_size(&self, least: usize, most: usize, default: usize) -> Result<usize, Reply> {
        match self.number("MaxResults")? {
            None => Ok(default),
            Some(asked) if (least..=most).contains(&asked) => Ok(asked.min(default)),
            Some(asked) => Err(invalid(&format!(
                "Value ( {asked} ) for parameter maxResults is invalid. Expecting a value between {least} and {most}."
            ))),
        }
    }
}

impl Filter {
    pub fn admits(&self, value: &str) -> bool {
        self.values
            .iter()
            .any(|pattern| wildcard(pattern.as_bytes(), value.as_bytes()))
    }
}

pub(super) fn invalid(message: &str) -> Reply {
    ec2_error(400, "InvalidParameterValue", message)
}

pub(super) fn unknown_filter(filter: &Filter) -> Reply {
    invalid(&format!("The filter '{}' is invalid", filter.name))
}

/// `*` stands for any text, `?` for one character.
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
