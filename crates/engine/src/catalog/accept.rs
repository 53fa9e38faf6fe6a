//! Which rows of an update the catalog accepts. A row that the compiler or the checks reject is left out. A provider
//! whose rows cannot be separated fails, and keeps its old rows; other providers are not affected.

use std::path::Path;
use std::time::Instant;

use super::provider_update::ProviderUpdate;
use super::{EMBEDDED, invalid};
use crate::error::Result;
use sky_accel_catalog::{Diagnostic, Layer, Source, Tables, compile, lint};
use sky_accel_live::ErrorKind;

/// The number of times that rejected rows are left out. The compiler reports at most 100 errors each time, so a
/// provider with thousands of bad rows fails.
const MAX_PASSES: usize = 10;

/// Which rejected rows are left out: those of a provider, or all of its rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// The rejected rows.
    Rows,
    /// All rows of each provider that has a rejected row.
    Last,
    /// The same, because the time limit has passed.
    Late,
}

/// Compiles a catalog with the files of an update, without the rows that it rejects. `before` are the files before the
/// update, which compile. After `until`, no more rows are left out: a provider with a rejected row keeps its old rows.
///
/// # Errors
///
/// Fails if the catalog is invalid without the update.
pub(super) fn accepted(
    before: &[Source],
    layer: Layer,
    updates: &mut [ProviderUpdate],
    until: Option<Instant>,
) -> Result<Tables> {
    let mut passes = 0;
    loop {
        passes += 1;
        let pass = || {
            if until.is_some_and(|until| Instant::now() >= until) {
                Pass::Late
            } else if passes >= MAX_PASSES {
                Pass::Last
            } else {
                Pass::Rows
            }
        };
        let sources = with_updates(before, layer, updates);
        let after = match compile(&sources) {
            Ok(after) => after,
            Err(errors) => {
                if !leave_out(&errors, updates, pass()) {
                    keep_only_valid(before, layer, updates, pass())?;
                }
                continue;
            }
        };
        // Prices that are kept become old, and are marked as old.
        let faults = lint(&sources, &after.catalog(), &EMBEDDED, &|_| None);
        // Faults of the user's own files are not faults of the update.
        if !leave_out(&faults, updates, pass()) {
            return Ok(after);
        }
    }
}

/// Leaves out the rows with errors, and returns true if there were any. The file of a provider is left out as a whole
/// if the errors are in none of its rows, and on the last pass.
fn leave_out(errors: &[Diagnostic], updates: &mut [ProviderUpdate], pass: Pass) -> bool {
    let mut has_changed = false;
    for update in updates {
        let Some((path, fresh)) = update.file.as_mut() else {
            continue;
        };
        let file = path.display().to_string();
        let of_file = errors.iter().filter(|error| error.file == file);
        let faults: Vec<(usize, &str)> = of_file
            .map(|error| (error.line, error.message.as_str()))
            .collect();
        let Some((_, first)) = faults.first() else {
            continue;
        };
        has_changed = true;
        if pass == Pass::Late {
            let message =
                format!("the time limit ended before its rejected rows were left out: {first}");
            update.keep_old_rows(ErrorKind::Timeout, &message);
        } else if pass == Pass::Last || fresh.leave_out(&faults) == 0 {
            let message = format!("the catalog rejects its rows: {first}");
            update.keep_old_rows(ErrorKind::Protocol, &message);
        }
    }
    has_changed
}

/// Keeps the files that are valid without the others, if an error is in no file of the update; none when it is late.
fn keep_only_valid(
    before: &[Source],
    layer: Layer,
    updates: &mut [ProviderUpdate],
    pass: Pass,
) -> Result<()> {
    let mut has_changed = false;
    for at in 0..updates.len() {
        let alone = &updates[at..=at];
        if alone[0].file.is_none() {
            continue;
        }
        if pass == Pass::Late {
            let message = "the time limit ended before its rows were checked";
            updates[at].keep_old_rows(ErrorKind::Timeout, message);
            has_changed = true;
        } else if let Err(errors) = compile(&with_updates(before, layer, alone)) {
            let first = errors.first().map_or("", |error| &error.message);
            let message = format!("the catalog rejects its rows: {first}");
            updates[at].keep_old_rows(ErrorKind::Protocol, &message);
            has_changed = true;
        }
    }
    if has_changed {
        return Ok(());
    }
    match compile(&with_updates(before, layer, updates)) {
        Ok(_) => Ok(()),
        Err(errors) => Err(invalid(&errors)),
    }
}

/// Returns files, with the files of updates instead of older files.
pub(super) fn with_updates(
    before: &[Source],
    layer: Layer,
    updates: &[ProviderUpdate],
) -> Vec<Source> {
    let mut sources = before.to_vec();
    for update in updates {
        let Some((path, fresh)) = &update.file else {
            continue;
        };
        let is_removed = |source: &Source| {
            let mut removed = update.removed.iter();
            removed.any(|path| path.display().to_string() == source.file)
        };
        sources.retain(|source| !is_removed(source));
        replace(&mut sources, layer, path, &fresh.text);
    }
    sources
}

/// Replaces the file with the same name, or inserts the file into its layer in name order.
pub(super) fn replace(sources: &mut Vec<Source>, layer: Layer, path: &Path, text: &str) {
    let name = path.display().to_string();
    let source = Source::toml(layer, &name, text.to_owned());
    if let Some(known) = sources.iter_mut().find(|source| source.file == name) {
        *known = source;
        return;
    }
    let is_later = |other: &Source| (other.layer, &other.file) > (layer, &name);
    let at = sources
        .iter()
        .position(|other| other.layer >= layer && is_later(other));
    sources.insert(at.unwrap_or(sources.len()), source);
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use sky_accel_catalog::{Fresh, FreshOffer, Origin, overlay};
    use sky_accel_core::catalog::{AcceleratorId, Offer, Price, PriceKind};
    use sky_accel_core::money::{Count, Usd};

    use super::*;
    use crate::contract::{UpdateFrom, UpdateStatus};

    const BASE: &str = r#"
        [[vendor]]
        name = "NVIDIA"

        [[accelerator]]
        id = "G-80GB"
        family = "G"
        vendor = "NVIDIA"
        class = "datacenter"
        form_factor = "SXM5"
        memory_gb = 80
        sources = ["https://example.com"]
        names.common = ["G"]

        [[provider]]
        id = "acme"
        sells = "instance-types"

        [[provider]]
        id = "beta"
        sells = "instance-types"
    "#;

    /// Returns a catalog in which `acme` sells these offers, and `beta` the offer `b8`, which has a price.
    fn base(offers: &[String]) -> Vec<Source> {
        let sold = |provider: &str, id: &str| {
            format!(
                "[[offer]]\nprovider = \"{provider}\"\nid = \"{id}\"\naccelerator = \"G-80GB\"\ncount = 8\nsource = \"s\"\nas_of = \"2026-11-01\"\n"
            )
        };
        let price = "[[price]]\nprovider = \"beta\"\noffer = \"b8\"\nsource = \"s\"\nas_of = \"2026-11-01\"\nusd_per_hour = 19\n";
        let mut text = BASE.to_owned() + &sold("beta", "b8") + price;
        text.extend(offers.iter().map(|id| sold("acme", id)));
        vec![Source::toml(Layer::EMBEDDED, "base.toml", text)]
    }

    fn path(provider: &str) -> PathBuf {
        format!("live-{provider}.toml").into()
    }

    /// Returns the update of a provider that lists a price for each offer of `ids`, all of which `known` has.
    fn update(known: &[Source], provider: &str, ids: &[String]) -> ProviderUpdate {
        let known = compile(known).unwrap();
        let catalog = known.catalog();
        let of_provider = catalog.provider_named(provider).unwrap();
        let mut live = Tables::copy_of(&catalog);
        let offers = ids.iter().map(|id| {
            let mut row = Offer::bare(of_provider, live.intern(id), AcceleratorId(0));
            row.count = Some(Count::whole(8));
            FreshOffer {
                row,
                accelerators: vec![AcceleratorId(0)],
                regions: Vec::new(),
                prices: vec![Price {
                    kind: PriceKind::Live,
                    usd: Usd::from_decimal(20.0).unwrap(),
                    ..catalog.prices.at(0)
                }],
            }
        });
        let offers = offers.collect();
        live.replace_offers(&[of_provider], offers);
        let origin = Origin {
            provider: of_provider,
            source: "API",
            day: "2026-11-20",
            is_complete: true,
            precedence: None,
        };
        let fresh: Fresh = overlay(&catalog, &catalog, &live.catalog(), origin);
        assert_eq!(fresh.prices, ids.len());
        ProviderUpdate {
            provider: provider.to_owned(),
            from: UpdateFrom::Providers,
            status: UpdateStatus::Updated,
            file: Some((path(provider), fresh)),
            removed: Vec::new(),
            changes: Vec::new(),
            errors: Vec::new(),
        }
    }

    fn ids(name: &str, count: usize) -> Vec<String> {
        (0..count).map(|at| format!("{name}{at}")).collect()
    }

    #[test]
    fn a_rejected_row_is_left_out_counted_and_explained() {
        let listed = [ids("a", 3), vec!["gone".to_owned()]].concat();
        let known = base(&listed);
        let mut updates = [
            update(&known, "acme", &listed),
            update(&known, "beta", &["b8".to_owned()]),
        ];
        let before = base(&listed[..3]);
        let after = accepted(&before, Layer::overlay(0), &mut updates, None).unwrap();
        assert_eq!(after.catalog().prices.len(), 4);
        let [acme, beta] = &updates;
        assert!(acme.status == UpdateStatus::Updated && beta.status == UpdateStatus::Updated);
        let (_, fresh) = acme.file.as_ref().unwrap();
        // The offer, and its price.
        assert_eq!((fresh.prices, fresh.left_out.rows()), (3, 2));
        assert!(!fresh.text.contains("gone") && fresh.text.contains("\"a2\""));
        let notes: Vec<String> = acme.notes().into_iter().map(|note| note.message).collect();
        let [note] = &notes[..] else {
            panic!("{notes:?}")
        };
        assert!(
            note.starts_with("acme: 2 rows left out: 1 gone: "),
            "{note}"
        );
        assert!(
            note.ends_with("; 1 gone: no offer has the id 'gone'"),
            "{note}"
        );
        assert!(beta.notes().is_empty());
    }

    #[test]
    fn a_provider_with_thousands_of_rejected_rows_keeps_its_old_rows() {
        let listed = ids("gone", 1200);
        let known = base(&listed);
        let mut updates = [
            update(&known, "acme", &listed),
            update(&known, "beta", &["b8".to_owned()]),
        ];
        let after = accepted(&base(&[]), Layer::overlay(0), &mut updates, None).unwrap();
        assert_eq!(after.catalog().prices.len(), 1);
        let [acme, beta] = &updates;
        assert!(acme.status == UpdateStatus::Failed && acme.file.is_none());
        assert!(beta.status == UpdateStatus::Updated && beta.file.is_some());
        let message = &acme.errors[0].message;
        assert!(
            message.starts_with("the catalog rejects its rows: ")
                && message.ends_with(": existing prices are kept"),
            "{message}"
        );
    }

    #[test]
    fn after_the_time_limit_a_provider_with_rejected_rows_keeps_its_old_rows() {
        let listed = [ids("a", 3), vec!["gone".to_owned()]].concat();
        let known = base(&listed);
        let mut updates = [
            update(&known, "acme", &listed),
            update(&known, "beta", &["b8".to_owned()]),
        ];
        let before = base(&listed[..3]);
        let layer = Layer::overlay(0);
        let after = accepted(&before, layer, &mut updates, Some(Instant::now())).unwrap();
        assert_eq!(after.catalog().prices.len(), 1);
        let [acme, beta] = &updates;
        assert!(acme.status == UpdateStatus::Failed && acme.file.is_none());
        assert!(beta.status == UpdateStatus::Updated && beta.file.is_some());
        let error = &acme.errors[0];
        assert_eq!(error.code, ErrorKind::Timeout.word());
        let start = "the time limit ended before its rejected rows were left out: ";
        assert!(error.message.starts_with(start), "{}", error.message);
    }

    #[test]
    fn faults_of_the_files_of_the_user_are_errors() {
        let listed = ids("a", 1);
        let mut before = base(&listed);
        let mut updates = [update(&before, "acme", &listed)];
        let broken = "[[price]]\nprovider = \"acme\"\noffer = \"none\"\nusd_per_hour = 1\n";
        before.push(Source::toml(
            Layer::overlay(0),
            "mine.toml",
            broken.to_owned(),
        ));
        let error = accepted(&before, Layer::overlay(0), &mut updates, None).unwrap_err();
        assert_eq!(error.problems[0].code, crate::ErrorCode::CatalogInvalid);
        let place = error.problems[0].place.as_ref().unwrap();
        assert_eq!(place.file.as_deref(), Some("mine.toml:3:9"));
    }
}
