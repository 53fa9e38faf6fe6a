//! Keys in the environment variables and files of the providers' tools.

use std::path::PathBuf;

use crate::error::{ErrorKind, ProviderError};

/// The part of the process's environment that credentials depend on.
#[derive(Clone, Copy)]
pub struct Environment<'e> {
    /// A function that returns the value of an environment variable; `None` if it is not set.
    pub variable: &'e dyn Fn(&str) -> Option<String>,
    /// A function that returns the text of a file; `None` if it cannot be read.
    pub read: &'e dyn Fn(&std::path::Path) -> Option<String>,
}

impl Environment<'_> {
    /// Returns the value of a variable; `None` if it is not set or only white space.
    pub fn get(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.trim().is_empty())
    }

    /// Returns a path under the user's home folder; `None` if `$HOME` is not set.
    pub fn home(&self, path: &str) -> Option<PathBuf> {
        self.get("HOME").map(|home| PathBuf::from(home).join(path))
    }

    /// Returns a path under `$XDG_CONFIG_HOME`, by default `~/.config`; `None` if neither is known.
    pub fn config(&self, path: &str) -> Option<PathBuf> {
        match self.get("XDG_CONFIG_HOME") {
            Some(folder) => Some(PathBuf::from(folder).join(path)),
            None => self.home(".config").map(|folder| folder.join(path)),
        }
    }

    /// Returns the base URL of a provider without a slash at the end: the value of the variable, or
    /// `default` if it is not set.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Network`] if the value is not an `http` or `https` URL with a host.
    pub fn base_url(
        &self,
        provider: &'static str,
        variable: &str,
        default: &str,
    ) -> Result<String, ProviderError> {
        let Some(url) = self.get(variable) else {
            return Ok(default.to_owned());
        };
        let url = url.trim().trim_end_matches('/');
        let is_http = url::Url::parse(url)
            .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        if is_http {
            return Ok(url.to_owned());
        }
        let message = format!("{variable} is not an HTTP URL: an example is {default}");
        Err(ProviderError::new(provider, ErrorKind::Network, message))
    }

    /// Returns the base URL of a provider or an aggregator that is queried without a key: the value
    /// of `SKY_ACCEL_URL_` with the id in capitals, or `default` if it is not set.
    ///
    /// # Errors
    ///
    /// Same as [`Self::base_url`].
    pub fn public_url(
        &self,
        provider: &'static str,
        default: &str,
    ) -> Result<String, ProviderError> {
        let variable = public_url_variable(provider);
        self.base_url(provider, &variable, default)
    }

    /// Returns the text of a file without surrounding white space; `None` if it cannot be read or
    /// is empty.
    pub fn text(&self, path: Option<PathBuf>) -> Option<String> {
        let text = (self.read)(&path?)?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// Returns the name of the variable that replaces the base URL of a provider or an aggregator.
pub fn public_url_variable(id: &str) -> String {
    let id = id.to_ascii_uppercase().replace('-', "_");
    format!("SKY_ACCEL_URL_{id}")
}

/// Returns true if a header can contain a key. Anything else is rejected as a key.
pub(crate) fn is_header_safe(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| (0x21..0x7f).contains(&byte))
}

/// Returns a value at the top of a YAML file.
pub(crate) fn yaml_value(text: &str, key: &str) -> Option<String> {
    let mut values = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = values.find(|(name, _)| *name == key)?;
    let value = value.trim().trim_matches(['"', '\'']);
    (!value.is_empty()).then(|| value.to_owned())
}

/// Returns a value of an entry of a map in a YAML file, such as a profile:
///
/// ```yaml
/// profiles:
///   default:
///     api_key: …
/// ```
pub(crate) fn yaml_entry_value(text: &str, map: &str, entry: &str, key: &str) -> Option<String> {
    let is_map = |line: &&str| line.trim_end().strip_suffix(':') == Some(map);
    let entries = text.lines().skip_while(|line| !is_map(line)).skip(1);
    let mut entries = entries.filter(|line| !line.trim().is_empty()).peekable();
    let indent = indentation(entries.peek()?);
    let is_entry = |line: &&str| {
        let title = line.trim().strip_suffix(':').unwrap_or_default();
        indentation(line) == indent && title.trim_matches(['"', '\'']) == entry
    };
    let entries = entries.take_while(|line| indent > 0 && indentation(line) >= indent);
    let entry = entries.skip_while(|line| !is_entry(line)).skip(1);
    let mut values = entry.take_while(|line| indentation(line) > indent);
    values.find_map(|line| yaml_value(line.trim_start(), key))
}

/// Returns the number of spaces at the start of a line.
fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns true if an INI file has a section.
pub(crate) fn has_ini_section(text: &str, section: &str) -> bool {
    let names = text.lines().map(str::trim);
    let mut names = names.filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'));
    names.any(|name| name.trim() == section)
}

/// Returns a value in a section of an INI file.
pub(crate) fn ini_value(text: &str, section: &str, key: &str) -> Option<String> {
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            inside = name.trim() == section;
        } else if inside
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == key
        {
            return Some(value.trim().trim_matches('"').to_owned()).filter(|v| !v.is_empty());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_values_of_ini_sections() {
        let text = "[default]\nverda_client_id = a\n\n[staging]\n verda_client_id=\"b\"\n";
        assert_eq!(
            ini_value(text, "default", "verda_client_id").as_deref(),
            Some("a")
        );
        assert_eq!(
            ini_value(text, "staging", "verda_client_id").as_deref(),
            Some("b")
        );
        assert_eq!(ini_value(text, "other", "verda_client_id"), None);
        let outside = format!("verda_client_id = c\n{text}");
        assert_eq!(
            ini_value(&outside, "default", "verda_client_id").as_deref(),
            Some("a")
        );
        assert_eq!(ini_value(text, "default", "verda_client_secret"), None);
    }
}
