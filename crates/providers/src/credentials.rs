//! Where providers' keys are: in the variables and files of their own tools.

use std::path::PathBuf;

use crate::error::{ErrorKind, ProviderError};

/// The part of the process's environment that credentials depend on.
#[derive(Clone, Copy)]
pub struct Environment<'e> {
    /// A variable that is set and not empty.
    pub variable: &'e dyn Fn(&str) -> Option<String>,
    /// A file of the user, as far as it can be read.
    pub read: &'e dyn Fn(&std::path::Path) -> Option<String>,
}

impl Environment<'_> {
    /// A variable that is set to more than white space.
    pub fn get(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.trim().is_empty())
    }

    /// A path under the user's home folder.
    pub fn home(&self, path: &str) -> Option<PathBuf> {
        self.get("HOME").map(|home| PathBuf::from(home).join(path))
    }

    /// A path under `$XDG_CONFIG_HOME`, or where that is by default.
    pub fn config(&self, path: &str) -> Option<PathBuf> {
        match self.get("XDG_CONFIG_HOME") {
            Some(folder) => Some(PathBuf::from(folder).join(path)),
            None => self.home(".config").map(|folder| folder.join(path)),
        }
    }

    /// Where a provider is, without a slash at the end: `default`, or the address in a variable.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Network`] where the variable holds no `http` or `https` URL with a host.
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
        let is_http = reqwest::Url::parse(url)
            .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        if is_http {
            return Ok(url.to_owned());
        }
        let message = format!("{variable} is no URL of an HTTP server: it looks like {default}");
        Err(ProviderError::new(provider, ErrorKind::Network, message))
    }

    /// A file's text without white space around it.
    pub fn text(&self, path: Option<PathBuf>) -> Option<String> {
        let text = (self.read)(&path?)?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// A key that can stand in a header: anything else is no key, whatever file it is from.
pub(crate) fn is_header_safe(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| (0x21..0x7f).contains(&byte))
}

/// A value of a section in an INI file.
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
    fn ini_files_have_sections() {
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
        assert_eq!(ini_value(text, "default", "verda_client_secret"), None);
    }
}
