//! How users raise a quota of their account.

/// The provider's ways to request a higher quota. `{code}`, `{region}` and `{limit}` are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaiseHelp {
    /// The command of the provider's own tool; empty without such a command.
    pub command: &'static str,
    /// The end of the command for a quota of a region.
    pub in_region: &'static str,
    /// The address of the page where users request a higher quota; empty if it is unknown.
    pub page: &'static str,
}

impl RaiseHelp {
    /// Neither a command nor a page is known.
    pub const UNKNOWN: Self = Self::on("");

    /// Creates the help of a provider with a page and without a command.
    pub const fn on(page: &'static str) -> Self {
        Self {
            command: "",
            in_region: "",
            page,
        }
    }

    /// Returns the command that requests a limit; `None` without a command. Codes and regions come
    /// from the provider's answer, and users paste the command into a shell: a text that is more
    /// than a name gives no command.
    pub fn command(&self, code: &str, region: Option<&str>, limit: u64) -> Option<String> {
        if self.command.is_empty() {
            return None;
        }
        let end = region.map_or("", |_| self.in_region);
        filled(&[self.command, end].concat(), code, region, limit)
    }

    /// Returns the address of the page; `None` if it is unknown, or if it needs a code or a region that
    /// is not a valid name.
    pub fn page(&self, code: &str, region: Option<&str>) -> Option<String> {
        let page = filled(self.page, code, region, 0);
        page.filter(|page| !page.is_empty())
    }
}

/// Replaces the names in a template; `None` if a name is missing or invalid.
fn filled(template: &str, code: &str, region: Option<&str>, limit: u64) -> Option<String> {
    let names = [("{code}", Some(code)), ("{region}", region)];
    let mut text = template.replace("{limit}", &limit.to_string());
    for (place, name) in names
        .into_iter()
        .filter(|(place, _)| template.contains(place))
    {
        text = text.replace(place, name.filter(|name| is_name(name))?);
    }
    Some(text)
}

/// Returns true for a text without a character that is special in a shell or an address.
fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.starts_with(|first: char| first.is_ascii_alphanumeric()) && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: RaiseHelp = RaiseHelp {
        command: "acme raise {code} --to {limit}",
        in_region: " --region {region}",
        page: "https://acme.example/quotas/{code}",
    };

    #[test]
    fn commands_name_the_quota_the_limit_and_the_region() {
        let command = |region| HELP.command("L-1", region, 768).unwrap();
        assert_eq!(command(None), "acme raise L-1 --to 768");
        assert_eq!(
            command(Some("eu-1")),
            "acme raise L-1 --to 768 --region eu-1"
        );
        let page = HELP.page("L-1", Some("eu-1")).unwrap();
        assert_eq!(page, "https://acme.example/quotas/L-1");
        let without = RaiseHelp {
            command: "",
            ..HELP
        };
        assert_eq!(without.command("L-1", None, 1), None);
        let without = RaiseHelp { page: "", ..HELP };
        assert_eq!(without.page("L-1", None), None);
    }

    #[test]
    fn texts_that_a_shell_would_run_give_no_command() {
        for text in [
            "$(reboot)",
            "a b",
            "a;b",
            "`a`",
            "--help",
            "",
            "{limit}",
            "a'b",
            "a\nb",
        ] {
            assert_eq!(HELP.command(text, None, 1), None, "{text}");
            assert_eq!(HELP.command("L-1", Some(text), 1), None, "{text}");
            assert_eq!(HELP.page(text, None), None, "{text}");
        }
    }
}
