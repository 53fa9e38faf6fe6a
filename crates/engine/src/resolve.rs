//! Specs in, each provider's own names and prices out.

use std::ops::Range;
use std::time::Duration;

use serde::Serialize;
use sky_accel_core::bind::{Wanted, interpret};
use sky_accel_core::catalog::{Catalog, PriceKind, ProviderId, RegionId};
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{CapacityFilter, Match, Request, Sort, resolve};

use crate::age;
use crate::code::ErrorCode;
use crate::contract::{self, Envelope, ExplainOut, OfferOut};
use crate::engine::Engine;
use crate::error::{Error, Problem, Result};
use crate::filter::OfferFilter;
use crate::group::{GroupBy, GroupOut, fold};
use crate::money::Money;
use crate::specs::{canonical, read_hardware, unless_one};
use crate::{live, map, mig};

const SECONDS_OF_DAY: u64 = 86_400;

/// Specs to resolve, and limits to the offers. An answer repeats the request as it was understood.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResolveRequest {
    /// Specs such as `H100:x8`, `any:24GB` or `A100:80GB:x8|H100:x8`. An answer has them in
    /// canonical form.
    pub specs: Vec<String>,
    /// Limits to the offers.
    #[serde(flatten)]
    pub offers: OfferFilter,
    /// True if machines with more accelerators than the spec asks for match too.
    pub at_least: bool,
    /// The order of the offers.
    pub sort: Sort,
    /// True if that figure alone decides: otherwise, old prices rank behind fresh ones of the same accelerator
    /// that cost up to 20 % more.
    #[serde(skip)]
    pub by_figure_alone: bool,
    /// True if the providers were asked live. The engine sets it.
    pub live: bool,
    /// Disk space in decimal GB that live prices of a marketplace include. Missing where none is
    /// given or the answer is offline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_gb: Option<u32>,
    /// The greatest age of a price, in seconds. Missing where there is no limit.
    #[serde(rename = "max_age_s", skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub max_age: Option<Duration>,
    /// True to keep the verdict on every offer, as `explain` of the answer. Not serialized.
    #[serde(skip)]
    pub explain: bool,
    /// The key by which rows are folded: each result is then the best offer of its `group`. Missing where none
    /// are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_by: Option<GroupBy>,
    /// True to list the price of every region, as `region_prices` of each offer. Not serialized.
    #[serde(skip)]
    pub map: bool,
}

#[allow(clippy::ref_option, reason = "serde passes a reference")]
pub(crate) fn seconds<S: serde::Serializer>(
    age: &Option<Duration>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    age.map(|age| age.as_secs()).serialize(serializer)
}

/// Offers for each spec, and how the answer came about.
#[derive(Debug)]
pub struct ResolveAnswer<'c> {
    /// The JSON document.
    pub envelope: Envelope<'c, ResolveRequest, OfferOut<'c>>,
    /// One for each spec, in their order.
    pub outcomes: Vec<SpecOutcome>,
    /// The error of an offline answer with a price that is older than `max_age`.
    pub too_old: Option<Error>,
}

/// The part of an answer that belongs to one spec.
#[derive(Clone, Debug)]
pub struct SpecOutcome {
    /// In canonical form.
    pub spec: String,
    /// Its offers, as a range of the results.
    pub offers: Range<usize>,
    /// Its steps, as a range of the funnel; empty where an offer was found.
    pub funnel: Range<usize>,
    /// Its alternatives, as a range of `nearest`.
    pub nearest: Range<usize>,
    /// True if an offer is known to be sold in a requested region. Offers in unknown regions do not
    /// count as an answer by themselves.
    pub has_verified: bool,
}

impl<'c> Engine<'c> {
    /// Resolves specs: the offers of every provider that fulfil them, the best first within each
    /// spec.
    ///
    /// Finding nothing is not an error: the answer then has the funnel of its conditions and the
    /// nearest alternatives.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`] for specs that are wrong, with a problem for each fault;
    /// [`ErrorCode::UnknownProvider`] and [`ErrorCode::UnknownRegion`] for filters that the catalog
    /// does not know; [`ErrorCode::BadPrice`] for a price limit that is not an amount.
    pub fn resolve(&self, request: &ResolveRequest) -> Result<ResolveAnswer<'c>> {
        let texts: Vec<SpecText> = request.specs.iter().cloned().map(SpecText::from).collect();
        let specs = self.read_specs(&texts)?;
        self.resolve_bound(request, &specs)
    }

    /// Resolves specs that are read already; `request.specs` is ignored. Otherwise the same as
    /// [`Engine::resolve`].
    ///
    /// # Errors
    ///
    /// [`ErrorCode::UnknownProvider`], [`ErrorCode::UnknownRegion`] or [`ErrorCode::BadPrice`], as
    /// for [`Engine::resolve`].
    pub fn resolve_bound(
        &self,
        request: &ResolveRequest,
        specs: &[Vec<Wanted>],
    ) -> Result<ResolveAnswer<'c>> {
        let catalog = self.catalog();
        let constraints = Request {
            at_least: request.at_least,
            sort: request.sort,
            explain: request.explain,
            fresh_since: (!request.by_figure_alone).then(|| self.fresh_since()),
            ..request.offers.request(&catalog)?
        };
        let limit = constraints.limit;
        let constraints = Request {
            // What is folded is cut afterwards.
            limit: limit.filter(|_| request.group_by.is_none()),
            ..constraints
        };
        let understood = ResolveRequest {
            specs: specs.iter().map(|wanted| canonical(wanted)).collect(),
            offers: request.offers.understood(&catalog, &constraints),
            live: self.live().is_some(),
            disk_gb: request.disk_gb.filter(|_| self.live().is_some()),
            ..request.clone()
        };
        let mut collector = Collector {
            engine: *self,
            catalog,
            constraints: &constraints,
            money: request.offers.money(&catalog)?,
            map: request.map,
            group_by: request.group_by.map(|by| (by, limit)),
            envelope: Envelope::new("sky-accel.resolve.v1", &catalog, understood, Vec::new()),
            outcomes: Vec::new(),
            notes: live::notes(self.live()),
            verdicts: Vec::new(),
            oldest: None,
            left_off: 0,
        };
        for wanted in specs {
            collector.add(wanted);
        }
        Ok(collector.finish(request))
    }

    /// Reads specs: one list of choices for each.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`] with a problem, and its place, for each fault in any of the specs.
    pub fn read_specs(&self, texts: &[SpecText]) -> Result<Vec<Vec<Wanted>>> {
        let catalog = self.catalog();
        let mut specs = Vec::new();
        let mut problems: Vec<Problem> = Vec::new();
        for SpecText { text, line } in texts {
            match interpret(&catalog, text) {
                Ok(wanted) => specs.push(wanted),
                Err(errors) => problems.extend(Error::spec(text, &errors, *line).problems),
            }
        }
        if problems.is_empty() {
            return Ok(specs);
        }
        let texts: Vec<String> = texts.iter().map(|spec| spec.text.clone()).collect();
        Err(unless_one(&catalog, &texts, Error::several(problems)))
    }
}

impl Engine<'_> {
    /// Reads a spec as the hardware to look around in: a choice without a count stands for machines with any
    /// number of devices, and `any` for every accelerator that has memory.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`] with a problem, and its place, for each fault.
    pub fn read_hardware(&self, text: &str) -> Result<Vec<Wanted>> {
        read_hardware(&self.catalog(), text)
    }

    /// Checks the ages of the prices that rank offers.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::DataTooOld`] for a price of the catalog that is older than `max_age`.
    pub fn check_ages(
        &self,
        offers: &[OfferOut<'_>],
        capacity_filter: CapacityFilter,
        max_age: Duration,
    ) -> Result<()> {
        for offer in offers {
            let price = offer.leading(capacity_filter);
            let dated = price.filter(|price| price.kind != PriceKind::Live);
            let days = dated.and_then(|price| age::days(self.today(), price.as_of));
            let days = days.and_then(|days| u32::try_from(days).ok()).unwrap_or(0);
            if u64::from(days) * SECONDS_OF_DAY > max_age.as_secs() {
                let name = format!("{} {}", offer.provider, offer.instance_type);
                return Err(too_old(days, &name));
            }
        }
        Ok(())
    }
}

/// The text of a spec, and its line where it comes from a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecText {
    /// The spec as it was written.
    pub text: String,
    /// The line of the spec in a list, from 1; `None` where it is not from a list.
    pub line: Option<usize>,
}

impl From<String> for SpecText {
    fn from(text: String) -> Self {
        Self { text, line: None }
    }
}

impl From<&str> for SpecText {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

/// An answer that is being put together, spec after spec.
struct Collector<'r, 'c> {
    engine: Engine<'c>,
    catalog: Catalog<'c>,
    constraints: &'r Request,
    money: Money<'c>,
    map: bool,
    /// The key by which rows are folded, and the most groups.
    group_by: Option<(GroupBy, Option<usize>)>,
    envelope: Envelope<'c, ResolveRequest, OfferOut<'c>>,
    outcomes: Vec<SpecOutcome>,
    notes: Vec<Note>,
    verdicts: Vec<ExplainOut<'c>>,
    /// The age in days of the oldest price that ranks an offer, and whose it is; `None` where any age will do.
    oldest: Option<(u32, String)>,
    left_off: usize,
}

impl<'c> Collector<'_, 'c> {
    fn add(&mut self, wanted: &[Wanted]) {
        let catalog = self.catalog;
        let answer = resolve(&catalog, wanted, self.constraints);
        let (first_offer, first_step, first_near) = (
            self.envelope.results.len(),
            self.envelope.funnel.len(),
            self.envelope.nearest.len(),
        );
        match self.group_by {
            None => {
                self.envelope.results.reserve(answer.matches.len());
                for found in &answer.matches {
                    self.push(wanted, found, None);
                }
            }
            Some((by, limit)) => {
                let groups = fold(&catalog, &answer.matches, self.constraints, by);
                let limit = limit.unwrap_or(groups.len());
                self.left_off += groups.len().saturating_sub(limit);
                for (found, group) in groups.into_iter().take(limit) {
                    self.push(wanted, &found, Some(group));
                }
            }
        }
        let nearest = answer.nearest.iter();
        let nearest = nearest.map(|near| {
            let mut near = contract::nearest(&catalog, wanted, near);
            self.money.restate(&mut near.offer);
            near
        });
        self.envelope.nearest.extend(nearest);
        self.envelope
            .funnel
            .extend(contract::funnel(wanted, &answer));
        self.verdicts
            .extend(contract::explain(&catalog, wanted, &answer));
        self.notes.extend(
            wanted
                .iter()
                .flat_map(|choice| choice.notes.iter().cloned()),
        );
        self.notes
            .extend(mig_note(&catalog, wanted, self.constraints));
        self.left_off += answer.left_off;
        self.outcomes.push(SpecOutcome {
            spec: canonical(wanted),
            offers: first_offer..self.envelope.results.len(),
            funnel: first_step..self.envelope.funnel.len(),
            nearest: first_near..self.envelope.nearest.len(),
            has_verified: answer.has_verified(),
        });
    }

    /// Adds a result.
    fn push(&mut self, wanted: &[Wanted], found: &Match, group: Option<GroupOut>) {
        // It is large, so it is moved but once.
        self.envelope.results.push(self.offer(wanted, found));
        if let Some(offer) = self.envelope.results.last_mut() {
            self.money.restate(offer);
            offer.group = group;
        }
        if self.envelope.request.max_age.is_some()
            && let Some(age) = self
                .engine
                .price_age(found, self.constraints.capacity_filter)
            && self.oldest.as_ref().is_none_or(|oldest| age.0 >= oldest.0)
        {
            self.oldest = Some(age);
        }
    }

    fn offer(&self, wanted: &[Wanted], found: &Match) -> OfferOut<'c> {
        let catalog = &self.catalog;
        let choice = &wanted[found.choice];
        let is_asked = |region: RegionId| {
            let filter = self.constraints.regions.as_ref();
            filter.is_none_or(|filter| filter.allows(region))
        };
        let slices = choice.mig.is_some();
        let mut offer = contract::offer(catalog, &choice.spec, found, is_asked, slices);
        if let Some(cut) = &mut offer.mig {
            cut.placements = mig::placements(catalog, found.accelerator, choice, cut.gpus_needed);
        }
        if self.map {
            offer.region_prices = map::prices(catalog, found, self.constraints);
        }
        if let Some(live) = self.engine.live() {
            offer.availability = found.availability(self.constraints.capacity_filter);
            live::add_extras(live, catalog, found, &mut offer);
        }
        offer
    }

    fn finish(self, request: &ResolveRequest) -> ResolveAnswer<'c> {
        let live = self.engine.live();
        let too_old = request.max_age.filter(|_| live.is_none()).and_then(|max| {
            let (days, offer) = self.oldest?;
            (u64::from(days) * SECONDS_OF_DAY > max.as_secs()).then(|| too_old(days, &offer))
        });
        let mut notes = self.notes;
        let offers = &self.envelope.results;
        if !offers.is_empty() && !offers.iter().any(OfferOut::can_be_rented) {
            notes.push(unrentable(live.is_some()));
        }
        let envelope = self.envelope.with_overridden(self.engine.overlaid(), None);
        let mut envelope = envelope.with_notes(notes);
        envelope.live = live::answers(&self.catalog, live);
        envelope.left_off = request.offers.limit.map(|_| self.left_off);
        envelope.explain = request.explain.then_some(self.verdicts);
        ResolveAnswer {
            envelope,
            outcomes: self.outcomes,
            too_old,
        }
    }
}

fn unrentable(is_live: bool) -> Note {
    if is_live {
        Note::new("out-of-stock", "nothing that matches can be rented now")
    } else {
        let message = "everything that matches is retired: none of it can be rented any more";
        Note::new("retired", message)
    }
}

fn too_old(days: u32, offer: &str) -> Error {
    let message = format!("the price of {offer} is {days} days old, more than --max-age allows");
    Error::new(ErrorCode::DataTooOld, message).advise("ask the providers with --live")
}

/// Providers that would have matched if they let a tenant cut a GPU.
fn mig_note(catalog: &Catalog<'_>, wanted: &[Wanted], request: &Request) -> Option<Note> {
    let cut: Vec<&Wanted> = wanted
        .iter()
        .filter(|choice| choice.mig.is_some())
        .collect();
    let sells_it = |provider: ProviderId| {
        let candidates = cut.iter().flat_map(|choice| &choice.candidates);
        let mut offers = candidates.flat_map(|candidate| catalog.offers_of(candidate.accelerator));
        offers.any(|offer| {
            let offer = catalog.offer(offer);
            offer.provider == provider && offer.mig_profile.len == 0
        })
    };
    let ids = (0..catalog.providers.len() as u16).map(ProviderId);
    let barred: Vec<String> = ids
        .filter(|id| {
            catalog.provider(*id).tenant_mig == Some(false)
                && (request.providers.is_empty() || request.providers.contains(id))
                && sells_it(*id)
        })
        .map(|id| {
            let provider = catalog.provider(id);
            let name = catalog.str(provider.name);
            match catalog.text(provider.tenant_mig_note) {
                Some(why) => format!("{name} ({why})"),
                None => name.to_owned(),
            }
        })
        .collect();
    (!barred.is_empty()).then(|| {
        let names = barred.join(", ");
        let message = format!("whole GPUs are left out where no tenant may switch MIG on: {names}");
        Note::new("mig-not-permitted", message)
    })
}
