//! `resolve`: the offers of providers that match a spec.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;
use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{Catalog, ProviderId, RegionId};
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{Match, Request, Sort, resolve};

use crate::code::ErrorCode;
use crate::contract::{self, Envelope, ExplainOut, Num, OfferOut};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::filter::{OfferFilter, needs_live};
use crate::group::{GroupBy, GroupOut, fold};
use crate::money::Money;
use crate::specs::{Spec, bind, canonical, read_hardware};
use crate::too_old::NewestPrice;
use crate::{live, map, mig};

/// The maximum number of rows in an answer to several specs: offers, prices by region, conditions,
/// alternatives and verdicts. The answer to one spec is bounded by the catalog.
pub(crate) const MAX_ROWS: usize = 200_000;

/// Specs to resolve, with filters and options.
#[derive(Clone, Debug, Default)]
pub struct ResolveRequest {
    /// Specs such as `H100:x8`, `any:24GB` or `A100:80GB:x8|H100:x8`, as text or already bound.
    pub specs: Vec<Spec>,
    /// The filter on offers.
    pub offers: OfferFilter,
    /// True to match machines with more accelerators than requested too.
    pub at_least: bool,
    /// The order of the offers.
    pub sort: Sort,
    /// Disk space in decimal GB that live marketplace prices include.
    pub disk_gb: Option<u32>,
    /// True to return the verdict on every offer, as `explain` of the answer.
    pub explain: bool,
    /// Groups offers by this property: each result is the best offer of its group.
    pub group_by: Option<GroupBy>,
    /// True to list the price in every region, as `region_prices` of each offer.
    pub map: bool,
}

/// The request of `resolve` as it was understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResolveEcho {
    /// The specs in canonical form.
    pub specs: Vec<String>,
    /// The filter on offers.
    #[serde(flatten)]
    pub offers: OfferFilter,
    /// True if machines with more accelerators than requested match too.
    pub at_least: bool,
    /// The order of the offers.
    pub sort: Sort,
    /// True if providers were queried live.
    pub live: bool,
    /// Disk space in decimal GB that live marketplace prices include. Omitted if not given, and in offline
    /// answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_gb: Option<u32>,
    /// The property that offers are grouped by: each result is the best offer of its `group`. Omitted without
    /// grouping.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_by: Option<GroupBy>,
}

/// The offers for each spec.
#[derive(Debug)]
pub struct ResolveAnswer<'c> {
    /// The JSON document.
    pub envelope: Envelope<'c, ResolveEcho, OfferOut<'c>>,
    /// One outcome per spec, in order.
    pub outcomes: Vec<SpecOutcome>,
    /// The error of an answer without offers because all prices are older than `max_age`.
    pub too_old: Option<Error>,
}

/// The part of an answer for one spec.
#[derive(Clone, Debug)]
pub struct SpecOutcome {
    /// The spec in canonical form.
    pub spec: String,
    /// The offers of the spec, as a range of the results.
    pub offers: Range<usize>,
    /// The conditions of the spec, as a range of the funnel; empty if an offer matches.
    pub funnel: Range<usize>,
    /// The alternatives to the spec, as a range of `nearest`.
    pub nearest: Range<usize>,
    /// True if an offer is known to be sold in a requested region. Offers in unknown regions alone are not
    /// a match.
    pub has_verified: bool,
    /// True if offers match, but all of their prices are older than `max_age`.
    pub is_too_old: bool,
}

impl<'c> Engine<'c> {
    /// Resolves specs: returns the matching offers of all providers, best first within each spec.
    ///
    /// An answer without offers is not an error; it has the funnel of its conditions and the nearest
    /// alternatives.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`] for invalid specs, with a problem for each fault; [`ErrorCode::UnknownProvider`]
    /// and [`ErrorCode::UnknownRegion`] for unknown names in filters; [`ErrorCode::BadPrice`] for an
    /// invalid price limit; [`ErrorCode::TooManyRows`] if the answers to several specs together have more
    /// than 200,000 rows.
    pub fn resolve(&self, request: &ResolveRequest) -> Result<ResolveAnswer<'c>> {
        self.resolve_within(request, MAX_ROWS)
    }

    fn resolve_within(
        &self,
        request: &ResolveRequest,
        max_rows: usize,
    ) -> Result<ResolveAnswer<'c>> {
        let catalog = self.catalog();
        request.offers.check_live(self.live().is_some())?;
        if request.sort == Sort::Obtainability && self.live().is_none() {
            return Err(needs_live("`sort` obtainability"));
        }
        let specs = bind(&catalog, &request.specs)?;
        let constraints = Request {
            at_least: request.at_least,
            sort: request.sort,
            explain: request.explain,
            ..request.offers.request(&catalog, self.today())?
        };
        let limit = constraints.limit;
        let constraints = Request {
            // Groups are limited after grouping, not the offers in them.
            limit: limit.filter(|_| request.group_by.is_none()),
            ..constraints
        };
        let understood = ResolveEcho {
            specs: specs.iter().map(|choices| canonical(choices)).collect(),
            offers: request.offers.understood(&catalog, &constraints),
            at_least: request.at_least,
            sort: request.sort,
            live: self.live().is_some(),
            disk_gb: request.disk_gb.filter(|_| self.live().is_some()),
            group_by: request.group_by,
        };
        let mut collector = Collector {
            engine: *self,
            catalog,
            constraints: &constraints,
            money: request.offers.money(&catalog)?,
            map: request.map,
            hours: request.offers.hours,
            group_by: request.group_by.map(|by| (by, limit)),
            envelope: Envelope::new("sky-accel.resolve.v1", &catalog, understood, Vec::new()),
            outcomes: Vec::new(),
            notes: live::notes(self.live()),
            verdicts: Vec::new(),
            too_old: Vec::new(),
            left_off: 0,
            rows: 0,
        };
        for (at, choices) in specs.iter().enumerate() {
            self.go_on()?;
            collector.add(choices);
            if specs.len() > 1 && collector.rows > max_rows {
                return Err(too_many_rows(at + 1, max_rows));
            }
        }
        Ok(collector.finish(request))
    }

    /// Binds specs to the catalog: returns the alternatives of each spec.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`] with a problem, and its position, for each fault in any of the specs.
    pub fn bind(&self, specs: &[Spec]) -> Result<Vec<Vec<BoundChoice>>> {
        let bound = bind(&self.catalog(), specs)?;
        Ok(bound.into_iter().map(Cow::into_owned).collect())
    }
}

impl Engine<'_> {
    /// Binds a spec for browsing: without a count, it matches machines with any number of devices, and `any`
    /// matches every accelerator with known memory.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`] with a problem, and its position, for each fault.
    pub fn read_hardware(&self, text: &str) -> Result<Vec<BoundChoice>> {
        read_hardware(&self.catalog(), text)
    }
}

/// Builds an answer spec by spec.
struct Collector<'r, 'c> {
    engine: Engine<'c>,
    catalog: Catalog<'c>,
    constraints: &'r Request,
    money: Money<'c>,
    map: bool,
    /// The hours of total prices.
    hours: Option<Num>,
    /// The property to group by, and the maximum number of groups.
    group_by: Option<(GroupBy, Option<usize>)>,
    envelope: Envelope<'c, ResolveEcho, OfferOut<'c>>,
    outcomes: Vec<SpecOutcome>,
    notes: Vec<Note>,
    verdicts: Vec<ExplainOut<'c>>,
    /// The specs whose prices are all older than `max_age`, each with its newest price.
    too_old: Vec<(String, NewestPrice)>,
    left_off: usize,
    /// The number of rows so far.
    rows: usize,
}

impl<'c> Collector<'_, 'c> {
    fn add(&mut self, wanted: &[BoundChoice]) {
        let catalog = self.catalog;
        let mut answer = resolve(&catalog, wanted, self.constraints);
        if catalog.commitment_filter().is_some() {
            let is_priced = |found: &Match| found.on_demand.is_some();
            let (priced, unpriced) = answer.matches.into_iter().partition(is_priced);
            answer.matches = priced;
            self.notes.extend(self.engine.uncommitted_note(&unpriced));
        }
        let newest_old = if answer.matches.is_empty() {
            NewestPrice::of(&catalog, wanted, self.constraints)
        } else {
            None
        };
        if newest_old.is_some() {
            // Without the prices that are too old, alternatives would only say that their price is unknown.
            answer.nearest.clear();
        }
        let (first_offer, first_step, first_near, first_verdict) = (
            self.envelope.results.len(),
            self.envelope.funnel.len(),
            self.envelope.nearest.len(),
            self.verdicts.len(),
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
            let mut near = contract::nearest(&catalog, self.constraints, self.hours, wanted, near);
            live::mark_unreached(self.engine.live(), &catalog, &mut near.offer);
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
        self.rows += self.envelope.results[first_offer..]
            .iter()
            .map(|offer| 1 + offer.region_prices.len())
            .sum::<usize>()
            + (self.envelope.funnel.len() - first_step)
            + (self.envelope.nearest.len() - first_near)
            + (self.verdicts.len() - first_verdict);
        self.outcomes.push(SpecOutcome {
            spec: canonical(wanted),
            offers: first_offer..self.envelope.results.len(),
            funnel: first_step..self.envelope.funnel.len(),
            nearest: first_near..self.envelope.nearest.len(),
            has_verified: answer.has_verified(),
            is_too_old: newest_old.is_some(),
        });
        self.too_old
            .extend(newest_old.map(|newest| (canonical(wanted), newest)));
    }

    /// Adds an offer to the results.
    fn push(&mut self, wanted: &[BoundChoice], found: &Match, group: Option<GroupOut>) {
        // The offer is large: build it in its place instead of moving it twice.
        self.envelope.results.push(self.offer(wanted, found));
        if let Some(offer) = self.envelope.results.last_mut() {
            self.money.restate(offer);
            offer.group = group;
        }
    }

    fn offer(&self, wanted: &[BoundChoice], found: &Match) -> OfferOut<'c> {
        let catalog = &self.catalog;
        let choice = &wanted[found.choice];
        let is_asked = |region: RegionId| {
            let filter = self.constraints.regions.as_ref();
            filter.is_none_or(|filter| filter.allows(region))
        };
        let slices = choice.mig.is_some();
        let mut offer = contract::offer(
            catalog,
            self.constraints.likely.as_ref(),
            &choice.spec,
            found,
            is_asked,
            slices,
        );
        if let Some(cut) = &mut offer.mig {
            cut.placements = mig::placements(catalog, found.accelerator, choice, cut.gpus_needed);
        }
        if self.map {
            offer.region_prices = map::prices(catalog, found, self.constraints);
        }
        let (filter, hours) = (self.constraints.capacity_filter, self.hours);
        offer.add_total(catalog, found, filter, hours);
        live::mark_unreached(self.engine.live(), catalog, &mut offer);
        if let Some(live) = self.engine.live() {
            offer.availability = found.availability(self.constraints.capacity_filter);
            live::add_extras(live, catalog, found, &mut offer);
        }
        offer
    }

    fn finish(self, request: &ResolveRequest) -> ResolveAnswer<'c> {
        let live = self.engine.live();
        let (mut notes, mut too_old) = (self.notes, None);
        for (spec, newest) in self.too_old {
            let error = newest.error(live.is_none());
            if self.envelope.results.is_empty() {
                too_old = too_old.or(Some(error));
            } else {
                notes.push(Note::new("old-price", format!("{spec}: {error}")));
            }
        }
        notes.extend(self.engine.commitment_notes());
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

pub(crate) fn too_many_rows(specs: usize, max_rows: usize) -> Error {
    let message = match specs {
        1 => format!("the answer to the first spec has more than {max_rows} rows"),
        _ => format!("the answers to the first {specs} specs have more than {max_rows} rows"),
    };
    Error::new(ErrorCode::TooManyRows, message)
        .advise("request fewer specs, or fewer rows of each with `limit`")
}

fn unrentable(is_live: bool) -> Note {
    if is_live {
        Note::new("out-of-stock", "all matching offers are out of stock")
    } else {
        let message = "all matching offers are retired and can no longer be rented";
        Note::new("retired", message)
    }
}

/// The note on providers that would match if they let tenants enable MIG.
fn mig_note(catalog: &Catalog<'_>, wanted: &[BoundChoice], request: &Request) -> Option<Note> {
    let cut: Vec<&BoundChoice> = wanted
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
        let message =
            format!("excluded whole GPUs of providers that do not let tenants enable MIG: {names}");
        Note::new("mig-not-permitted", message)
    })
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::OfferKind;
    use sky_accel_core::resolve::{CapacityFilter, Reason};

    use super::*;
    use crate::specs::Spec;

    fn resolve(request: &ResolveRequest) -> ResolveAnswer<'static> {
        Engine::embedded().resolve(request).unwrap()
    }

    fn request(spec: &str) -> ResolveRequest {
        ResolveRequest {
            specs: vec![spec.into()],
            ..ResolveRequest::default()
        }
    }

    #[test]
    fn text_and_bound_specs_have_the_same_answer() {
        let by_text = request("A100:80GB:x8|H100:x8");
        let bound = Engine::embedded().bind(&by_text.specs).unwrap();
        let bound = ResolveRequest {
            specs: bound.into_iter().map(Spec::from).collect(),
            ..by_text.clone()
        };
        let json = |request| serde_json::to_value(resolve(request).envelope).unwrap();
        assert_eq!(json(&by_text), json(&bound));
    }

    #[test]
    fn alternatives_to_a_spot_price_have_one() {
        for spec in ["GB200", "L40:x7", "MI325X:x8", "A10:x3"] {
            let mut request = request(spec);
            request.offers.capacity_type = CapacityFilter::Spot;
            let answer = resolve(&request);
            let nearest = &answer.envelope.nearest;
            assert!(!nearest.is_empty(), "{spec}");
            for near in nearest {
                assert!(near.offer.spot.is_some(), "{}", near.offer.instance_type);
            }
        }
    }

    #[test]
    fn spot_answers_name_machines_of_other_sizes_that_cost_less_for_each_device() {
        let each = |offer: &OfferOut<'_>| {
            let spot = offer.spot.as_ref();
            spot.map_or(f64::INFINITY, |spot| {
                spot.likely_usd_per_hour.0 / offer.count.0
            })
        };
        let is_doubtful =
            |offer: &OfferOut<'_>| offer.reasons.iter().any(|reason| reason.is_doubt());
        let (mut named, mut hidden_before) = (0, 0);
        let ids = crate::catalog::EMBEDDED.accelerator_ids();
        let ids = ids.map(|id| crate::catalog::EMBEDDED.accelerator_id(id));
        for spec in ids.flat_map(|id| [1, 4].map(|count| format!("{id}:x{count}"))) {
            let mut request = request(&spec);
            request.offers.capacity_type = CapacityFilter::Spot;
            let envelope = resolve(&request).envelope;
            let rows = envelope.results.iter();
            let best = |rows: &mut dyn Iterator<Item = &OfferOut<'_>>| {
                rows.map(each).fold(f64::INFINITY, f64::min)
            };
            let confirmed = best(&mut rows.clone().filter(|row| !is_doubtful(row)));
            let any = best(&mut rows.clone());
            for near in envelope.nearest.iter().filter(|_| any.is_finite()) {
                let is_unconfirmed = is_doubtful(&near.offer);
                // A confirmed machine is worth its price where all matches are doubtful.
                let limit = match confirmed.is_finite() {
                    true => confirmed,
                    false if is_unconfirmed => any,
                    false => f64::INFINITY,
                };
                assert!(
                    each(&near.offer) < limit,
                    "{spec}: {}",
                    near.offer.instance_type
                );
                assert_ne!(near.offer.count, envelope.results[0].count);
                named += 1;
                // The lowest doubtful price does not hide it.
                hidden_before += usize::from(!is_unconfirmed && each(&near.offer) >= any);
            }
            let near = envelope.nearest.iter().filter(|_| any.is_finite());
            let doubtful = near.clone().filter(|near| is_doubtful(&near.offer)).count();
            assert!(doubtful == 0 || doubtful == near.count(), "{spec}");
        }
        assert!(named > 3 && hidden_before > 0, "{named} {hidden_before}");
        // Machines on demand cost the same for each device.
        assert!(resolve(&request("A100:80GB")).envelope.nearest.is_empty());
    }

    #[test]
    fn the_echo_has_canonical_specs_and_provider_ids() {
        let mut request = request("8 H100");
        request.specs = vec!["h100:x8".into()];
        request.offers.providers = vec!["AWS".to_owned()];
        request.disk_gb = Some(100);
        let echo = resolve(&request).envelope.request;
        assert_eq!(echo.specs, ["H100:x8"]);
        assert_eq!(echo.offers.providers, ["aws"]);
        assert_eq!(echo.disk_gb, None, "only live prices include disks");
    }

    #[test]
    fn outcomes_cover_the_results_of_each_spec() {
        let mut request = request("H100:x8");
        request.specs.push("L4".into());
        let answer = resolve(&request);
        assert_eq!(answer.outcomes.len(), 2);
        assert_eq!(
            answer.outcomes[0].offers.end,
            answer.outcomes[1].offers.start
        );
        assert_eq!(answer.outcomes[1].offers.end, answer.envelope.results.len());
    }

    #[test]
    fn answers_to_several_specs_have_a_maximum_number_of_rows() {
        let mut request = request("any:1GB+");
        let engine = Engine::embedded();
        let rows = resolve(&request).envelope.results.len();
        assert!(rows > 100, "{rows}");
        // The catalog bounds the answer to one spec.
        assert!(engine.resolve_within(&request, 100).is_ok());
        request
            .specs
            .extend([Spec::from("L4"), Spec::from("any:1GB+")]);
        let error = engine.resolve_within(&request, 100).unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::TooManyRows);
        assert_eq!(
            error.to_string(),
            "the answer to the first spec has more than 100 rows"
        );
        assert!(engine.resolve_within(&request, 4 * rows).is_ok());
        // Prices by region and verdicts are rows too.
        for field in [
            |request: &mut ResolveRequest| request.map = true,
            |request: &mut ResolveRequest| request.explain = true,
        ] {
            let mut request = request.clone();
            field(&mut request);
            let error = engine.resolve_within(&request, 2 * rows + 200).unwrap_err();
            assert_eq!(error.problems[0].code, ErrorCode::TooManyRows);
        }
    }

    #[test]
    fn a_limit_applies_to_groups() {
        let mut request = request("H100:x8");
        request.group_by = Some(GroupBy::Provider);
        request.offers.limit = Some(2);
        let answer = resolve(&request);
        assert_eq!(answer.envelope.results.len(), 2);
        assert!(answer.envelope.left_off.is_some_and(|more| more > 0));
        assert!(
            answer
                .envelope
                .results
                .iter()
                .all(|offer| offer.group.is_some())
        );
    }

    #[test]
    fn machines_of_private_hosts_alone_are_doubtful_unless_the_request_wants_them() {
        let of_hosts = |tier: Option<&str>| {
            let mut request = request("any:1GB+");
            request.offers.price_tier = tier.map(str::to_owned);
            let rows = resolve(&request).envelope.results;
            let rows = rows.into_iter().filter(|row| {
                let price = row.on_demand.as_ref();
                price.is_some_and(|price| price.tier == Some("community"))
            });
            rows.map(|row| row.reasons.contains(&Reason::PrivateHost))
                .collect::<Vec<_>>()
        };
        let marked = of_hosts(None);
        assert!(!marked.is_empty() && marked.iter().all(|is_marked| *is_marked));
        assert!(of_hosts(Some("any")).iter().all(|is_marked| !is_marked));
    }

    #[test]
    fn a_maximum_age_leaves_out_older_prices() {
        let mut request = request("H100:x8");
        assert!(resolve(&request).too_old.is_none());
        let of_any_age = resolve(&request).envelope.results.len();
        request.offers.max_age_s = Some(200 * 86_400);
        let answer = resolve(&request);
        assert!(answer.too_old.is_none());
        let results = answer.envelope.results;
        assert!(!results.is_empty() && results.len() < of_any_age);
        let ages = results
            .iter()
            .map(|offer| offer.on_demand.as_ref().unwrap().age_days.unwrap());
        assert!(ages.max() <= Some(200));
    }

    #[test]
    fn no_price_of_the_maximum_age_is_an_error() {
        let mut request = request("H100:x8");
        request.offers.max_age_s = Some(86_400);
        let far = jiff::civil::date(2099, 1, 1);
        let engine = Engine::new(*crate::catalog::EMBEDDED, far);
        let answer = engine.resolve(&request).unwrap();
        assert!(answer.envelope.nearest.is_empty());
        let error = answer.too_old.unwrap();
        assert_eq!(error.problems[0].code, ErrorCode::DataTooOld);
        let message = &error.problems[0].message;
        assert!(
            message.starts_with("every price is older than `max_age` allows: the newest"),
            "{message}"
        );
    }

    #[test]
    fn a_spec_whose_prices_are_too_old_is_named_beside_others() {
        let mut request = request("H100:x8");
        let newest = |spec: &str| {
            let of_spec = ResolveRequest {
                specs: vec![spec.into()],
                ..ResolveRequest::default()
            };
            let results = resolve(&of_spec).envelope.results;
            let prices = results
                .iter()
                .flat_map(|offer| [&offer.on_demand, &offer.spot]);
            prices.flatten().filter_map(|price| price.age_days).min()
        };
        let age = newest("H100:x8").unwrap();
        request.offers.max_age_s = Some(u64::try_from(age).unwrap() * 86_400);
        let catalog = Engine::embedded().catalog();
        let mut specs = catalog
            .accelerator_ids()
            .map(|id| catalog.accelerator_id(id));
        let old = specs.find(|spec| newest(spec) > Some(age)).unwrap();
        request.specs.push(old.into());
        let answer = resolve(&request);
        assert!(answer.too_old.is_none());
        let flags: Vec<bool> = (answer.outcomes.iter()).map(|of| of.is_too_old).collect();
        assert_eq!(flags, [false, true]);
        assert!(answer.outcomes[1].nearest.is_empty());
        let note = answer
            .envelope
            .notes
            .iter()
            .find(|note| note.code == "old-price");
        let message = &note.unwrap().message;
        assert!(message.contains("every price is older"), "{message}");
    }

    #[test]
    fn a_price_limit_that_only_doubtful_offers_meet_leads_to_the_confirmed_above_it() {
        let is_doubtful = |offer: &OfferOut<'_>| {
            offer.sells != OfferKind::Machine
                || offer.reasons.iter().any(|reason| reason.is_doubt())
        };
        let likely = |offer: &OfferOut<'_>| Some(offer.on_demand.as_ref()?.likely_usd_per_hour.0);
        let mut request = request("H100");
        let first = likely(&resolve(&request).envelope.results[0]).unwrap();
        request.offers.max_price = Some(contract::Num(first - 0.01));
        let envelope = resolve(&request).envelope;
        assert!(!envelope.results.is_empty() && envelope.results.iter().all(is_doubtful));
        assert!(envelope.funnel.is_empty() && !envelope.nearest.is_empty());
        for near in &envelope.nearest {
            assert!(!is_doubtful(&near.offer) && likely(&near.offer) >= Some(first));
        }
        request.offers.max_price = Some(contract::Num(first + 0.01));
        assert!(resolve(&request).envelope.nearest.is_empty());
    }

    #[test]
    fn without_offers_the_funnel_and_alternatives_explain_why() {
        let mut request = request("H100:x8");
        request.offers.max_price = Some(contract::Num(0.01));
        let answer = resolve(&request);
        assert!(answer.envelope.results.is_empty());
        assert!(!answer.envelope.funnel.is_empty());
        assert!(!answer.envelope.nearest.is_empty());
        assert!(!answer.outcomes[0].has_verified);
    }
}
