//! The entry point of the library.

use std::sync::atomic::{AtomicBool, Ordering};

use jiff::civil::Date;
use sky_accel_catalog::Tables;
use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::Catalog;
use sky_accel_core::resolve::{LikelyPrices, Request, resolve};
use sky_accel_live::{Live, LiveRequest, Progress, Session};

use crate::age;
use crate::catalog::{EMBEDDED, Loaded};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::OfferFilter;

/// Answers requests from one catalog, offline or with live answers of providers.
///
/// An engine is a view that is cheap to create and copy. Answers borrow from the catalog.
#[derive(Clone, Copy)]
pub struct Engine<'c> {
    catalog: Catalog<'c>,
    today: Date,
    live: Option<&'c Live>,
    /// The catalog with overlays but without live answers; `None` without overlays.
    overlaid: Option<Catalog<'c>>,
    /// True once the answer is no longer needed.
    stop: Option<&'c AtomicBool>,
}

impl Engine<'static> {
    /// Creates an engine for the embedded catalog; ages are relative to today.
    pub fn embedded() -> Self {
        // Tests must not change their answers with time.
        let today = if cfg!(test) {
            jiff::civil::date(2026, 11, 20)
        } else {
            age::today()
        };
        Self::new(*EMBEDDED, today)
    }
}

impl<'c> Engine<'c> {
    /// Creates an engine for any catalog; ages of prices are relative to `today`.
    pub fn new(catalog: Catalog<'c>, today: Date) -> Self {
        Self {
            catalog,
            today,
            live: None,
            overlaid: None,
            stop: None,
        }
    }

    /// Creates an engine for a loaded catalog; its answers state the changes of overlays.
    pub fn over(loaded: &'c Loaded, today: Date) -> Self {
        Self {
            overlaid: (!loaded.is_embedded()).then(|| loaded.catalog()),
            ..Self::new(loaded.catalog(), today)
        }
    }

    /// The catalog with overlays but without live answers; `None` without overlays.
    pub fn overlaid(&self) -> Option<&Catalog<'c>> {
        self.overlaid.as_ref()
    }

    /// Returns an engine that uses live answers: the providers' offers replace the catalog's.
    #[must_use]
    pub fn with_live<'l>(&self, live: &'l Live) -> Engine<'l>
    where
        'c: 'l,
    {
        Engine {
            catalog: live.tables.catalog(),
            today: self.today,
            live: Some(live),
            overlaid: self.overlaid,
            stop: self.stop,
        }
    }

    /// Returns an engine that answers from other tables of the same catalog.
    pub(crate) fn over_tables<'l>(&self, catalog: &Catalog<'l>) -> Engine<'l>
    where
        'c: 'l,
    {
        Engine {
            catalog: *catalog,
            ..*self
        }
    }

    /// Returns an engine that uses live answers if there are any; otherwise the same engine.
    #[must_use]
    pub fn with<'l>(&self, live: Option<&'l Live>) -> Engine<'l>
    where
        'c: 'l,
    {
        live.map_or(*self, |live| self.with_live(live))
    }

    /// Returns an engine whose long answers end with [`Error::interrupted`] once `stop` is true.
    #[must_use]
    pub fn stopped_by<'s>(&self, stop: &'s AtomicBool) -> Engine<'s>
    where
        'c: 's,
    {
        Engine {
            stop: Some(stop),
            ..*self
        }
    }

    /// The flag that is true once the answer is no longer needed.
    pub(crate) fn stop(&self) -> Option<&'c AtomicBool> {
        self.stop
    }

    /// Fails if the answer is no longer needed.
    pub(crate) fn go_on(&self) -> Result<()> {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Error::interrupted());
        }
        Ok(())
    }

    /// The catalog, with live offers if there are any.
    pub fn catalog(&self) -> Catalog<'c> {
        self.catalog
    }

    /// The date that ages are relative to.
    pub fn today(&self) -> Date {
        self.today
    }

    /// The live answers; `None` for an offline engine.
    pub fn live(&self) -> Option<&'c Live> {
        self.live
    }

    /// Queries providers for current offers: the named providers, or all without names.
    ///
    /// If neither a match nor an alternative is found, a second query covers every count and every region,
    /// so that alternatives can be suggested. `offers` determines `request.regions` and
    /// `request.capacity_filter`. Providers of `request.required` must answer; other providers without a
    /// configured key are skipped with a note. Failures of providers are part of the answer
    /// ([`Error::of_live`]): their offers stay as the catalog has them.
    ///
    /// # Errors
    ///
    /// If every cached answer is older than `request.cache.max_age` ([`ErrorKind::TooOld`]), a provider is
    /// unknown, or Ctrl-C was pressed.
    ///
    /// [`ErrorKind::TooOld`]: crate::ErrorKind::TooOld
    pub fn ask(
        &self,
        session: &Session,
        specs: &[Vec<BoundChoice>],
        offers: &OfferFilter,
        request: &LiveRequest,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Live> {
        let catalog = &self.catalog;
        let providers = offers.providers_or_all(catalog)?;
        let mut request = LiveRequest {
            capacity_filter: offers.capacity_type,
            regions: offers.regions.clone(),
            ..request.clone()
        };
        let wanted: Vec<&BoundChoice> = specs.iter().flatten().collect();
        let live = session.ask(catalog, &wanted, &providers, &request, progress)?;
        // The catalog's prices are older than any answer in the cache.
        if let Some(error) = Error::no_answer(&live)
            && error.kind == ErrorKind::TooOld
        {
            return Err(error);
        }
        let is_complete = live.failures().next().is_none();
        if !is_complete
            || has_anything_near(&live.tables, offers, request.at_least, specs, self.today)?
        {
            return Ok(live);
        }
        request.widely = true;
        let wide = session.ask(catalog, &wanted, &providers, &request, progress)?;
        let is_complete = wide.failures().next().is_none();
        Ok(if is_complete { wide } else { live })
    }

    /// The estimator of today's prices.
    pub(crate) fn likely_prices(&self) -> LikelyPrices {
        LikelyPrices::on(&self.today.to_string())
    }
}

/// Returns true if the tables have a match or an alternative for any of the specs.
fn has_anything_near(
    tables: &Tables,
    offers: &OfferFilter,
    at_least: bool,
    specs: &[Vec<BoundChoice>],
    today: Date,
) -> Result<bool> {
    let catalog = tables.catalog();
    let request = Request {
        at_least,
        ..offers.request(&catalog, today)?
    };
    Ok(specs.iter().any(|wanted| {
        let answer = resolve(&catalog, wanted, &request);
        answer.has_verified() || !answer.nearest.is_empty()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::PackRequest;
    use crate::error::ErrorKind;
    use crate::{
        FitHardware, FitRequest, ModelSource, PlanRequest, RecommendRequest, ResolveRequest,
        RunRequest,
    };

    #[test]
    fn long_answers_are_stopped() {
        let stop = AtomicBool::new(true);
        let engine = Engine::embedded().stopped_by(&stop);
        let resolve = ResolveRequest {
            specs: vec!["H100".into()],
            ..ResolveRequest::default()
        };
        let run = RunRequest {
            model: Some(ModelSource::Name("Llama-3.1-8B".to_owned())),
            ..RunRequest::default()
        };
        let recommend = RecommendRequest {
            run: run.clone(),
            ..RecommendRequest::default()
        };
        let fit = FitRequest {
            hardware: FitHardware::Spec("H100".to_owned()),
            nodes: 1,
            run,
            prices: None,
        };
        let plan = PlanRequest::new("H100");
        let pack = PackRequest {
            gpu: "any".to_owned(),
            slices: "1g.10gb".to_owned(),
            ..PackRequest::default()
        };
        let stopped =
            |error: Option<Error>| error.is_some_and(|error| error.kind == ErrorKind::Interrupted);
        assert!(stopped(engine.resolve(&resolve).err()));
        assert!(stopped(engine.recommend(&recommend, None).err()));
        assert!(stopped(engine.mig_pack(&pack).err()));
        assert!(stopped(engine.fit(&fit, None).err()));
        assert!(stopped(engine.plan(&plan).err()));
        assert!(stopped(engine.read_machine(None).err()));
        stop.store(false, Ordering::Relaxed);
        assert!(engine.resolve(&resolve).is_ok());
        assert!(engine.fit(&fit, None).is_ok());
        assert!(engine.plan(&plan).is_ok());
    }
}
