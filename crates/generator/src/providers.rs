//! `docs/providers.md`: every provider with live answers, from its declaration.

use sky_accel_engine::asking::{Aggregator, ProviderApi, providers, public_url_variable};

const HEAD: &str = "# Providers with live answers

This page lists the providers that sky-accel queries, with their keys and servers. `cargo xtask generate` writes it.
[prices.md](prices.md) explains live answers. `sky-accel show PROVIDER` prints the same about one provider.
";

const KEYLESS: &str = "
## Without a key

These providers publish their offers. sky-accel queries them without a key:
";

const CONSENT: &str = "
These providers answer without a key too, but their terms restrict automated access. sky-accel queries them without a key only
with your consent: `--public`, or `public` in your own config file.
";

const KEYED_ONLY: &str = "
These providers answer only with a key:
";

const KEYS: &str = "
## Keys

sky-accel uses the keys of the providers' own tools:
";

const SERVERS: &str = "
## Servers

These variables redirect requests to a proxy or a test server. The first variable of a row takes precedence. The variables
of an SDK redirect only requests with a key.
";

/// Renders the page as Markdown.
pub fn page() -> String {
    let keyless = providers().filter(|api| api.is_public() && api.restrictive_terms.is_none());
    let keyless = keyless.map(|api| [code(api.id), api.published.into(), api.unpublished.into()]);
    let restricted = providers().filter_map(|api| {
        let terms = api.restrictive_terms?;
        Some([code(api.id), api.published.into(), terms.into()])
    });
    let only_keyed = providers().filter(|api| !api.is_public());
    let only_keyed = only_keyed.map(|api| [code(api.id), api.unpublished.into()]);
    let keyed = providers().filter(|api| api.takes_key());
    let keyed = keyed.map(|api| {
        let variables = codes(api.credential_variables());
        let files = codes(api.key_files.iter().copied());
        [code(api.id), variables, files, api.key_rights.into()]
    });
    [
        HEAD.to_owned(),
        KEYLESS.to_owned(),
        table(["provider", "published", "not published"], keyless),
        CONSENT.to_owned(),
        table(["provider", "published", "terms"], restricted),
        KEYED_ONLY.to_owned(),
        table(["provider", "answers with a key"], only_keyed),
        KEYS.to_owned(),
        table(
            ["provider", "variables", "or files", "required rights"],
            keyed,
        ),
        SERVERS.to_owned(),
        table(["variables", "replace"], servers()),
    ]
    .concat()
}

/// The rows of the table of servers.
fn servers() -> impl Iterator<Item = [String; 2]> {
    let of_provider = |api: &ProviderApi| {
        let public = api.public_url_variable();
        let servers = codes(api.base_urls.iter().copied());
        match api.url_variables {
            [] => vec![[code(&public), servers]],
            [variable] => vec![[codes([*variable, &public]), servers]],
            of_sdk => vec![
                [
                    codes(of_sdk.iter().copied()),
                    "the servers of the SDK".into(),
                ],
                [code(&public), servers],
            ],
        }
    };
    let aggregators = Aggregator::ALL.iter().map(|aggregator| {
        let variable = public_url_variable(aggregator.name());
        [code(&variable), code(aggregator.base_url())]
    });
    providers().flat_map(of_provider).chain(aggregators)
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn codes<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let texts: Vec<String> = texts.into_iter().map(code).collect();
    texts.join(", ")
}

fn table<const N: usize>(headings: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let heading = line(&headings.map(str::to_owned));
    let rows: String = rows.map(|row| line(&row)).collect();
    format!("\n{heading}{}|\n{rows}", "|---".repeat(N))
}
