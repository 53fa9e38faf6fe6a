//! Completion of values: catalog names that start with the typed text.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use sky_accel_core::bind::interpret;
use sky_accel_core::catalog::{AcceleratorId, ProviderId, Str};
use sky_accel_core::resolve::PriceTier;
use sky_accel_core::text::number;
use sky_accel_engine::THIS_MACHINE;
use sky_accel_engine::catalog::EMBEDDED;

use super::path::paths;

type Candidates = Vec<CompletionCandidate>;

/// Completers for arguments that take catalog names: `#[arg(add = values::spec())]`.
macro_rules! completers {
    ($($(#[$doc:meta])* $name:ident => $complete:expr;)+) => {
        $($(#[$doc])*
        pub fn $name() -> ArgValueCompleter {
            ArgValueCompleter::new(|typed: &OsStr| complete(typed, $complete))
        })+
    };
}

completers! {
    /// A spec, or a name in a spec.
    spec => spec_of;
    /// A spec, or the word for this machine.
    spec_or_detect => |typed| {
        let mut found = words("", typed, [THIS_MACHINE]);
        found.extend(spec_of(typed));
        found
    };
    provider => providers;
    /// Regions of the typed providers.
    region => |typed| regions(&typed_words(), typed);
    /// MIG profiles of the typed GPU.
    profile => |typed| profiles(&typed_words(), typed, "");
    /// MIG profiles followed by `=` for a count.
    profile_count => |typed| profiles(&typed_words(), typed, "=");
    /// MIG profiles followed by `@` for a placement.
    profile_place => |typed| profiles(&typed_words(), typed, "@");
    vendor => |typed| columns(typed, |row| [row.vendor]);
    architecture => |typed| columns(typed, |row| [row.architecture]);
    class => |typed| columns(typed, |row| [row.class]);
    kind => kinds;
    model => models;
    precision => formats;
    tier => |typed| words("", typed, PriceTier::names(&EMBEDDED).into_iter().chain(["any"]));
    currency => |typed| words("", typed, currencies());
}

/// Completes a value, quoted or not.
fn complete(typed: &OsStr, with: impl Fn(&str) -> Candidates) -> Candidates {
    let typed = typed.to_str().unwrap_or_default();
    with(typed.trim_start_matches(['\'', '"']))
}

/// Returns the words of the completed command line, which follow the first `--`.
fn typed_words() -> Vec<String> {
    let words = std::env::args_os().skip_while(|word| *word != "--").skip(1);
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// Returns the currencies with a known rate.
fn currencies() -> impl Iterator<Item = &'static str> {
    let rows = EMBEDDED.currencies.iter();
    rows.map(|row| EMBEDDED.str(row.code)).chain(["USD"])
}

/// Returns a word that starts with the typed text, in the typed case.
fn continued(lead: &str, typed: &str, word: &str) -> Option<CompletionCandidate> {
    let begins = word
        .get(..typed.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(typed));
    // Words with blanks would need quotes, whose syntax differs between shells.
    (begins && !word.contains(' ')).then(|| {
        let is_lower = |c: char| c.is_ascii_lowercase();
        let rest = &word[typed.len()..];
        let rest = if typed.contains(is_lower) && !word.starts_with(typed) {
            rest.to_ascii_lowercase()
        } else {
            rest.to_owned()
        };
        CompletionCandidate::new([lead, typed, &rest].concat())
    })
}

fn described(candidate: CompletionCandidate, help: String) -> CompletionCandidate {
    candidate.help(Some(help.into()))
}

/// Returns the words that start with `typed`, each prefixed with `lead`.
pub fn words<'w>(lead: &str, typed: &str, words: impl IntoIterator<Item = &'w str>) -> Candidates {
    words
        .into_iter()
        .filter_map(|word| continued(lead, typed, word))
        .collect()
}

/// Splits the last choice of a spec into the finished part and the name or part being typed.
fn spec_of(typed: &str) -> Candidates {
    let start = typed.rfind('|').map_or(0, |at| at + 1);
    let (before, choice) = typed.split_at(start);
    match choice.rsplit_once(':') {
        None => names(before, choice),
        Some((fixed, part)) => {
            let lead = format!("{before}{fixed}:");
            parts(&lead, part, &meant(fixed))
        }
    }
}

/// Returns the GPUs that match the typed part of a spec.
fn meant(spec: &str) -> Vec<AcceleratorId> {
    let choices = interpret(&EMBEDDED, spec).unwrap_or_default();
    let candidates = choices.iter().flat_map(|choice| &choice.candidates);
    candidates.map(|candidate| candidate.accelerator).collect()
}

/// Returns families and, once text is typed, also their variants and instance types.
fn names(lead: &str, typed: &str) -> Candidates {
    let catalog = &EMBEDDED;
    let mut found = Vec::new();
    let mut families = BTreeSet::new();
    for id in catalog.accelerator_ids() {
        let row = catalog.accelerator(id);
        let family = catalog.str(row.family);
        if families.insert(family)
            && (!typed.is_empty() || catalog.is_sold(id))
            && let Some(candidate) = continued(lead, typed, family)
        {
            let maker = format!("{} {}", catalog.str(row.vendor), catalog.str(row.line));
            found.push(described(candidate, maker.trim().to_owned()));
        }
    }
    if typed.is_empty() {
        return found;
    }
    for id in catalog.accelerator_ids() {
        let (name, row) = (catalog.accelerator_id(id), catalog.accelerator(id));
        if let Some(candidate) = continued(lead, typed, name).filter(|_| !families.contains(name)) {
            let form = catalog.str(row.form_factor);
            let help = match row.memory_gb {
                Some(gb) => format!("{} GB {form}", number(gb)),
                None => form.to_owned(),
            };
            found.push(described(candidate, help));
        }
    }
    for offer in catalog.offers {
        if let Some(candidate) = continued(lead, typed, catalog.str(offer.id)) {
            let name = catalog.accelerator_id(offer.accelerator);
            let help = match offer.count {
                Some(count) => format!("{count} x {name}"),
                None => name.to_owned(),
            };
            found.push(described(candidate, help));
        }
    }
    found
}

/// Returns parts of a spec: memory sizes, counts on sale, form factors, MIG slices.
fn parts(lead: &str, typed: &str, ids: &[AcceleratorId]) -> Candidates {
    let catalog = &EMBEDDED;
    if let Some(list) = typed.strip_prefix("mig=") {
        return slices(&format!("{lead}mig="), list, ids);
    }
    let rows = || ids.iter().map(|id| catalog.accelerator(*id));
    let mut sizes: Vec<f64> = rows().filter_map(|row| row.memory_gb).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    if sizes.len() < 2 {
        // Skip sizes that are already typed or that every candidate has.
        sizes.clear();
    }
    let offers = ids.iter().flat_map(|id| catalog.offers_of(*id));
    let counts: BTreeSet<_> = offers
        .filter_map(|offer| catalog.offer(offer).count)
        .collect();
    let forms: BTreeSet<&str> = rows()
        .filter_map(|row| catalog.text(row.form_factor))
        .collect();
    let mut parts: Vec<String> = sizes
        .iter()
        .map(|gb| format!("{}GB", number(*gb)))
        .collect();
    parts.extend(counts.iter().map(|count| format!("x{count}")));
    parts.extend(forms.into_iter().map(str::to_owned));
    if rows().any(|row| row.mig_geometry.is_some()) {
        parts.push("mig=".to_owned());
    }
    words(lead, typed, parts.iter().map(String::as_str))
}

/// Returns the profiles of these GPUs, smallest first.
fn profiles_of(ids: &[AcceleratorId]) -> Vec<(&'static str, String)> {
    let catalog = &EMBEDDED;
    let mut found: Vec<(&str, String)> = Vec::new();
    for id in ids {
        let Some(geometry) = catalog.geometry(&catalog.accelerator(*id)) else {
            continue;
        };
        for profile in catalog.profiles(&geometry) {
            let name = catalog.str(profile.name);
            if !found.iter().any(|(known, _)| *known == name) {
                found.push((name, format!("at most {}", profile.max)));
            }
        }
    }
    found
}

/// Completes a list such as `3g.40gb+1g.10gb+me`: a profile or an attribute can follow a plus.
fn slices(lead: &str, typed: &str, ids: &[AcceleratorId]) -> Candidates {
    let starts = typed.match_indices('+').map(|(at, _)| at + 1);
    let starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
    let mut found = Vec::new();
    for (name, help) in profiles_of(ids) {
        let fitting = starts
            .iter()
            .filter_map(|at| continued(&format!("{lead}{}", &typed[..*at]), &typed[*at..], name));
        found.extend(fitting.map(|candidate| described(candidate, help.clone())));
    }
    found
}

/// Completes profiles of the typed GPU, followed by a suffix.
fn profiles(words: &[String], typed: &str, behind: &str) -> Candidates {
    let gpu = words.iter().skip_while(|word| *word != "mig").skip(2);
    let ids = gpu.map(|word| meant(word)).find(|ids| !ids.is_empty());
    profiles_of(&ids.unwrap_or_default())
        .into_iter()
        .filter_map(|(name, help)| {
            let candidate = continued("", typed, &format!("{name}{behind}"))?;
            Some(described(candidate, help))
        })
        .collect()
}

fn providers(typed: &str) -> Candidates {
    let catalog = &EMBEDDED;
    let providers = catalog.providers.iter();
    providers
        .filter_map(|row| {
            let candidate = continued("", typed, catalog.str(row.id))?;
            Some(described(candidate, catalog.str(row.name).to_owned()))
        })
        .collect()
}

/// Completes regions of the providers in `--provider`, or of all providers.
fn regions(typed_words: &[String], typed: &str) -> Candidates {
    let catalog = &EMBEDDED;
    let mut asked: Vec<ProviderId> = Vec::new();
    let mut words = typed_words.iter();
    while let Some(word) = words.next() {
        let list = match word.strip_prefix("--provider") {
            Some("") => words.next().map(String::as_str),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        let list = list.unwrap_or_default().split(',');
        asked.extend(list.filter_map(|name| catalog.provider_named(name)));
    }
    let regions = catalog.regions.iter();
    let regions = regions.filter(|row| asked.is_empty() || asked.contains(&row.provider));
    regions
        .filter_map(|row| {
            let candidate = continued("", typed, catalog.str(row.id))?;
            Some(described(
                candidate,
                catalog.provider_id(row.provider).to_owned(),
            ))
        })
        .collect()
}

/// Completes distinct values of an accelerator column in their usual spelling.
fn columns<const N: usize>(
    typed: &str,
    of: fn(sky_accel_core::catalog::Accelerator) -> [Str; N],
) -> Candidates {
    let columns = EMBEDDED.accelerators.iter().flat_map(of);
    let found: BTreeSet<String> = columns
        .filter_map(|word| EMBEDDED.text(word))
        .filter_map(|words| words.split(' ').next())
        .map(str::to_lowercase)
        .collect();
    words("", typed, found.iter().map(String::as_str))
}

/// Completes the kinds that `is` accepts.
fn kinds(typed: &str) -> Candidates {
    let mut found = words("", typed, ["gpu", "mig"]);
    found.extend(columns(typed, |row| {
        [row.vendor, row.line, row.class, row.architecture, row.sdk]
    }));
    found
}

/// Completes models by name, models of a hub once its organization is typed, and files.
fn models(typed: &str) -> Candidates {
    let catalog = &EMBEDDED;
    let mut found = if typed.contains('/') {
        let names = catalog.model_names.iter().map(|row| catalog.str(row.text));
        words("", typed, names.filter(|name| name.contains('/')))
    } else {
        let ids = catalog.models.iter().map(|row| catalog.str(row.id));
        words("", typed, ids)
    };
    found.extend(paths(OsStr::new(typed)));
    found
}

fn formats(typed: &str) -> Candidates {
    let formats = EMBEDDED.weight_formats.iter();
    words("", typed, formats.map(|row| EMBEDDED.str(row.name)))
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, CommandFactory as _};
    use clap_complete::engine::ArgValueCompleter;

    use super::models;
    use crate::cli::{Cli, PlanArgs};

    #[test]
    fn a_name_to_invent_is_not_completed() {
        let plan = PlanArgs::augment_args(Command::new("plan"));
        let completes = |id: &str| {
            let arg = plan.get_arguments().find(|arg| arg.get_id() == id);
            arg.is_some_and(|arg| arg.get::<ArgValueCompleter>().is_some())
        };
        assert!(completes("spec") && completes("region"));
        assert!(!completes("name") && !completes("image"));
        Cli::command().debug_assert();
    }

    #[test]
    fn models_of_a_hub_are_completed_by_their_organization() {
        let found = models("meta-llama/Ll");
        let names: Vec<String> = found
            .iter()
            .map(|candidate| candidate.get_value().to_string_lossy().into_owned())
            .collect();
        assert!(
            names
                .iter()
                .any(|name| name.starts_with("meta-llama/Llama-3")),
            "{names:?}"
        );
    }
}
