//! `quota`: the quotas of the user's accounts for the machines of a spec.

use std::collections::{BTreeMap, BTreeSet};

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{CapacityType, Catalog, ProviderId};
use sky_accel_core::note::Note;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::list_and;
use sky_accel_live::{
    Access, ErrorKind as ProviderErrorKind, Live, ProviderAnswer, ProviderApi, ProviderError,
    QueryOutcome, Quota, QuotaUnit, providers,
};

use crate::code::ErrorCode;
use crate::contract::{AccountQuotaOut, Envelope, Num, OfferOut, QuotaEcho, RaiseOut};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Problem, Result};
use crate::filter::OfferFilter;
use crate::live;
use crate::resolve::ResolveRequest;
use crate::specs::{Spec, canonical};

/// Tolerance for the division of figures that a provider rounds.
const ROUNDING: f64 = 1e-9;

/// A request for the quotas of the machines of a spec.
#[derive(Clone, Debug)]
pub struct QuotaRequest {
    /// The machines, by their bound choices.
    pub choices: Vec<BoundChoice>,
    /// The filter on offers, with the queried providers.
    pub offers: OfferFilter,
    /// The providers that must answer.
    pub required: Vec<ProviderId>,
    /// The number of machines that are needed together.
    pub nodes: u32,
}

/// The quotas of a spec.
#[derive(Debug)]
pub struct QuotaAnswer<'c> {
    /// The JSON document, the quotas that admit the machines first.
    pub envelope: Envelope<'c, QuotaEcho, AccountQuotaOut<'c>>,
    /// True if every quota of a machine in some place admits the machines.
    pub is_admitted: bool,
    /// The error of providers that did not answer, beside providers that did.
    pub partial: Option<Error>,
}

/// The providers whose quotas can be queried.
#[derive(Debug)]
pub struct QuotaProviders {
    /// The ids of the providers.
    pub ids: Vec<String>,
    /// Why named providers are not queried, as a sentence; `None` if all are.
    pub remark: Option<String>,
}

impl QuotaProviders {
    /// Selects the providers of a filter that report quotas.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Quota`] if no provider remains, and the errors of [`OfferFilter::providers_or_all`].
    pub fn choose(catalog: &Catalog<'_>, offers: &OfferFilter) -> Result<Self> {
        let chosen = offers.providers_or_all(catalog)?;
        let named = offers.providers_by_name(catalog);
        let (ids, silent): (Vec<_>, Vec<_>) = chosen
            .into_iter()
            .partition(|id| api(catalog.provider_id(*id)).is_some());
        let silent = silent.into_iter().filter(|id| named.contains(id));
        let silent: Vec<&str> = silent.map(|id| catalog.provider_id(id)).collect();
        if ids.is_empty() {
            let known = providers().filter(|api| api.raise.is_some());
            let known: Vec<&str> = known.map(|api| api.id).collect();
            let message = if known.is_empty() {
                "this build reads no quotas of any provider".to_owned()
            } else {
                format!("quotas are known of {} only", list_and(&known))
            };
            return Err(Error::new(ErrorCode::Quota, message));
        }
        let does = if silent.len() == 1 { "does" } else { "do" };
        let remark = format!("{} {does} not report quotas", list_and(&silent));
        Ok(Self {
            ids: ids
                .into_iter()
                .map(|id| catalog.provider_id(id).to_owned())
                .collect(),
            remark: (!silent.is_empty()).then_some(remark),
        })
    }
}

/// Returns the API of a provider that reports quotas.
pub(crate) fn api(id: &str) -> Option<&'static ProviderApi> {
    providers().find(|api| api.id == id && api.raise.is_some())
}

impl<'c> Engine<'c> {
    /// Returns the quotas that the offers of a spec count against, from the engine's live answers.
    ///
    /// # Errors
    ///
    /// The errors of the providers if none answered with an account, and the errors of [`Engine::resolve`].
    pub fn quotas(&self, request: &QuotaRequest) -> Result<QuotaAnswer<'c>> {
        let catalog = self.catalog();
        let partial = match self.live() {
            Some(live) => partial(&catalog, live, &request.required)?,
            None => None,
        };
        let resolved = self.resolve(&ResolveRequest {
            specs: vec![Spec::Bound(request.choices.clone())],
            offers: OfferFilter {
                max_price: None,
                limit: None,
                ..request.offers.clone()
            },
            ..ResolveRequest::default()
        })?;
        let offers = resolved.envelope.results;
        let results = self.rows(&offers, request);
        let is_admitted = is_admitted(&results);
        let mut notes: Vec<Note> = live::notes(self.live());
        notes.extend(
            request
                .choices
                .iter()
                .flat_map(|choice| choice.notes.clone()),
        );
        notes.extend(nothing_known(&offers, &results));
        let echo = QuotaEcho {
            spec: canonical(&request.choices),
            offers: request.offers.clone(),
            nodes: request.nodes,
        };
        let mut envelope = Envelope::new("sky-accel.quota.v1", &catalog, echo, results);
        envelope.live = live::answers(&catalog, self.live());
        Ok(QuotaAnswer {
            envelope: envelope.with_notes(notes),
            is_admitted,
            partial,
        })
    }

    /// Returns a row for each machine and quota.
    fn rows(&self, offers: &[OfferOut<'c>], request: &QuotaRequest) -> Vec<AccountQuotaOut<'c>> {
        let catalog = self.catalog();
        let (mut rows, mut seen) = (Vec::new(), BTreeSet::new());
        for offer in offers {
            let provider = catalog.provider_named(offer.provider);
            let extras = provider.zip(self.live()).and_then(|(provider, live)| {
                let key = (provider, offer.instance_type.to_owned());
                live.extras.get(&key)
            });
            for quota in extras.into_iter().flat_map(|extras| &extras.quotas) {
                let key = (
                    (offer.provider, offer.instance_type),
                    (quota.capacity, quota.region.as_deref(), &*quota.code),
                );
                if counts(quota, offer, request.offers.capacity_type) && seen.insert(key) {
                    rows.push(row(quota, offer, request.nodes));
                }
            }
        }
        rows.sort_by(|a, b| order(a).cmp(&order(b)));
        rows
    }
}

/// The order of rows: quotas that admit the machines, unknown ones, and the others.
fn order<'r>(row: &'r AccountQuotaOut<'_>) -> impl Ord + use<'r> {
    let rank = match row.admits {
        Some(true) => 0,
        None => 1,
        Some(false) => 2,
    };
    (
        (rank, row.provider, row.instance_type.as_str()),
        (row.capacity_type, row.region.as_deref(), row.code.as_str()),
    )
}

/// Returns true if an offer can count against a quota: by its capacity type, and by the regions that sell it.
fn counts(quota: &Quota, offer: &OfferOut<'_>, filter: CapacityFilter) -> bool {
    let is_wanted = match filter {
        CapacityFilter::OnDemand => quota.capacity == CapacityType::OnDemand,
        CapacityFilter::Spot => quota.capacity == CapacityType::Spot,
        CapacityFilter::Unspecified | CapacityFilter::Any => true,
    };
    let is_sold = match (&quota.region, &offer.regions) {
        (Some(region), Some(regions)) => regions.contains(&region.as_str()),
        _ => true,
    };
    is_wanted && is_sold
}

fn row<'c>(quota: &Quota, offer: &OfferOut<'c>, nodes: u32) -> AccountQuotaOut<'c> {
    let needed = match quota.unit {
        QuotaUnit::Vcpus => offer.vcpu,
        QuotaUnit::Accelerators => Some(offer.count),
        QuotaUnit::Machines => Some(Num(1.0)),
    };
    let needed = needed.filter(|needed| needed.0 > 0.0);
    let left = quota.left();
    let machines_left = left.zip(needed);
    let machines_left = machines_left.map(|(left, needed)| (left / needed.0 + ROUNDING) as u64);
    // A limit that would suffice says nothing if the use is unknown.
    let admits = match (quota.limit, machines_left) {
        (None, _) => Some(true),
        (Some(_), Some(machines)) if machines < u64::from(nodes) => Some(false),
        (Some(_), machines) => machines.and(quota.used).map(|_| true),
    };
    AccountQuotaOut {
        provider: offer.provider,
        region: quota.region.clone(),
        capacity_type: quota.capacity,
        instance_type: offer.instance_type.to_owned(),
        accelerator: offer.accelerator,
        count: offer.count,
        code: quota.code.clone(),
        name: quota.name.clone(),
        unit: quota.unit,
        unlimited: quota.limit.is_none(),
        limit: quota.limit.map(Num),
        used: quota.used.map(Num),
        left: left.filter(|_| quota.used.is_some()).map(Num),
        needed,
        machines_left,
        admits,
        adjustable: quota.is_adjustable,
        raise: needed
            .filter(|_| admits == Some(false) && quota.is_adjustable != Some(false))
            .map(|needed| raise(quota, offer.provider, needed.0 * f64::from(nodes))),
    }
}

/// Returns how to raise a quota so that it admits a further amount.
fn raise(quota: &Quota, provider: &str, more: f64) -> RaiseOut {
    let limit = (quota.used.unwrap_or(0.0) + more - ROUNDING).ceil() as u64;
    let help = api(provider).and_then(|api| api.raise);
    let region = quota.region.as_deref();
    RaiseOut {
        limit,
        command: help.and_then(|help| help.command(&quota.code, region, limit)),
        url: help.and_then(|help| help.page(&quota.code, region)),
    }
}

/// Returns true if all quotas of some machine, place and capacity type admit the machines. A quota for all
/// regions together applies in each of them.
fn is_admitted(rows: &[AccountQuotaOut<'_>]) -> bool {
    let mut places: BTreeMap<_, Vec<&AccountQuotaOut<'_>>> = BTreeMap::new();
    for row in rows {
        let machine = (row.provider, row.instance_type.as_str(), row.capacity_type);
        places.entry(machine).or_default().push(row);
    }
    places.values().any(|rows| {
        let mut regions: Vec<Option<&str>> = rows.iter().map(|row| row.region.as_deref()).collect();
        if regions.iter().any(Option::is_some) {
            regions.retain(Option::is_some);
        }
        regions.into_iter().any(|region| {
            let here = |row: &&&AccountQuotaOut<'_>| {
                row.region.is_none() || row.region.as_deref() == region
            };
            rows.iter().filter(here).all(|row| row.admits == Some(true))
        })
    })
}

/// The reason why an answer has no quotas.
fn nothing_known(offers: &[OfferOut<'_>], rows: &[AccountQuotaOut<'_>]) -> Option<Note> {
    if !rows.is_empty() {
        return None;
    }
    Some(match offers.first() {
        None => Note::new("no-offer", "no queried provider sells these machines here"),
        Some(offer) => {
            let machine = format!("{} {}", offer.provider, offer.instance_type);
            Note::new("quota-unknown", format!("no quota is known for {machine}"))
        }
    })
}

/// Returns the error of providers that did not answer, if others did.
///
/// # Errors
///
/// Fails if no provider answered with an account.
fn partial(catalog: &Catalog<'_>, live: &Live, required: &[ProviderId]) -> Result<Option<Error>> {
    let has_account = |answer: &&ProviderAnswer| {
        let QueryOutcome::Answered { access, .. } = &answer.outcome else {
            return false;
        };
        *access == Access::Key
    };
    let key_missing = |answer: &ProviderAnswer| {
        let api = api(catalog.provider_id(answer.provider))?;
        Some(api.key_missing())
    };
    let unknown = |answer: &ProviderAnswer| match &answer.outcome {
        // Without a key, an answer would have no quotas either.
        QueryOutcome::Failed(error) if error.is_keyless => key_missing(answer),
        QueryOutcome::Failed(error) | QueryOutcome::NotAsked(error) => Some(error.clone()),
        QueryOutcome::Answered { access, .. } if *access == Access::Public => key_missing(answer),
        _ => None,
    };
    if !live.answers.iter().any(|answer| has_account(&answer)) {
        let errors: Vec<ProviderError> = live.answers.iter().filter_map(unknown).collect();
        if !errors.is_empty() {
            return Err(Error::of_failures(errors.iter().collect()));
        }
    }
    let mut errors: Vec<ProviderError> = Vec::new();
    for answer in &live.answers {
        let missing = |error: &ProviderError| error.kind == ProviderErrorKind::CredentialsMissing;
        // Other providers without a key are skipped.
        let is_due = |error: &ProviderError| !missing(error) || required.contains(&answer.provider);
        errors.extend(unknown(answer).filter(is_due));
        errors.extend(answer.problems.iter().cloned());
    }
    Ok((!errors.is_empty()).then(|| Error {
        kind: ErrorKind::Partial,
        problems: errors.iter().map(Problem::from).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use sky_accel_catalog::Tables;
    use sky_accel_live::{Extras, Unreached};

    use super::*;
    use crate::catalog::EMBEDDED;
    use crate::specs::read_spec;

    fn quota(region: Option<&str>, limit: Option<f64>, used: Option<f64>) -> Quota {
        Quota {
            region: region.map(str::to_owned),
            capacity: CapacityType::OnDemand,
            code: "L-1".to_owned(),
            name: None,
            unit: QuotaUnit::Vcpus,
            limit,
            used,
            is_adjustable: None,
        }
    }

    /// An answer of AWS with quotas of p5.48xlarge, which has 192 vCPUs and 8 GPUs.
    fn live(access: Access, quotas: Vec<Quota>, problems: Vec<ProviderError>) -> Live {
        let aws = EMBEDDED.provider_named("aws").unwrap();
        let extras = Extras {
            quotas,
            ..Extras::default()
        };
        Live {
            tables: Tables::copy_of(&EMBEDDED),
            machines: 1,
            extras: BTreeMap::from([((aws, "p5.48xlarge".to_owned()), extras)]),
            answers: vec![ProviderAnswer {
                provider: aws,
                outcome: QueryOutcome::Answered {
                    fetched_at: 0,
                    cached: false,
                    types_at: None,
                    access,
                },
                problems,
                is_whole: true,
                unreached: Unreached::default(),
            }],
            notes: Vec::new(),
        }
    }

    fn answer(nodes: u32, quotas: Vec<Quota>) -> (Vec<AccountQuotaOut<'static>>, bool) {
        let live = Box::leak(Box::new(live(Access::Key, quotas, Vec::new())));
        let answer = Engine::embedded()
            .with_live(live)
            .quotas(&request(nodes))
            .unwrap();
        assert!(answer.partial.is_none());
        (answer.envelope.results, answer.is_admitted)
    }

    fn request(nodes: u32) -> QuotaRequest {
        QuotaRequest {
            choices: read_spec(&EMBEDDED, "H100:x8").unwrap(),
            offers: OfferFilter {
                providers: vec!["aws".to_owned()],
                capacity_type: CapacityFilter::Any,
                ..OfferFilter::default()
            },
            required: Vec::new(),
            nodes,
        }
    }

    #[test]
    fn machines_are_counted_by_the_unit_of_the_quota() {
        let of = |unit, limit: f64, used: f64| {
            let quota = Quota {
                unit,
                ..quota(None, Some(limit), Some(used))
            };
            let (rows, is_admitted) = answer(4, vec![quota]);
            let row = rows.into_iter().next().unwrap();
            assert_eq!(row.admits, Some(is_admitted));
            let raise = row.raise.map(|raise| raise.limit);
            (row.left, row.machines_left, is_admitted, raise)
        };
        let left = |left| Some(Num(left));
        assert_eq!(
            of(QuotaUnit::Vcpus, 768.0, 0.0),
            (left(768.0), Some(4), true, None)
        );
        assert_eq!(
            of(QuotaUnit::Vcpus, 768.0, 1.0),
            (left(767.0), Some(3), false, Some(769))
        );
        assert_eq!(
            of(QuotaUnit::Accelerators, 40.0, 8.0),
            (left(32.0), Some(4), true, None)
        );
        assert_eq!(
            of(QuotaUnit::Machines, 3.0, 3.0),
            (left(0.0), Some(0), false, Some(7))
        );
    }

    #[test]
    fn a_missing_limit_admits_everything_and_an_unknown_use_nothing() {
        let (rows, is_admitted) = answer(500, vec![quota(None, None, None)]);
        assert!(is_admitted && rows[0].unlimited);
        assert_eq!(
            (rows[0].limit, rows[0].left, rows[0].machines_left),
            (None, None, None)
        );
        let (rows, is_admitted) = answer(4, vec![quota(None, Some(768.0), None)]);
        assert!(!is_admitted);
        assert_eq!((rows[0].left, rows[0].machines_left), (None, Some(4)));
        assert!(rows[0].admits.is_none() && rows[0].raise.is_none());
        // The provider does not raise this quota.
        let fixed = Quota {
            is_adjustable: Some(false),
            ..quota(None, Some(0.0), None)
        };
        let (rows, is_admitted) = answer(1, vec![fixed]);
        assert!(!is_admitted && rows[0].raise.is_none());
    }

    #[test]
    fn all_quotas_of_a_place_must_admit_the_machines() {
        let here = || quota(Some("us-east-1"), Some(768.0), Some(0.0));
        let elsewhere = || quota(Some("us-west-2"), Some(0.0), Some(0.0));
        let everywhere = |limit| Quota {
            code: "L-2".to_owned(),
            ..quota(None, Some(limit), Some(0.0))
        };
        assert!(answer(4, vec![here(), elsewhere()]).1);
        assert!(answer(4, vec![here(), everywhere(768.0)]).1);
        assert!(!answer(4, vec![here(), everywhere(767.0)]).1);
        assert!(!answer(4, vec![elsewhere(), everywhere(768.0)]).1);
        // Machines are not sold in this region, and the same quota is listed once.
        let (rows, _) = answer(4, vec![quota(Some("nowhere-1"), Some(768.0), None)]);
        assert!(rows.is_empty());
        let (rows, _) = answer(4, vec![elsewhere(), here(), here()]);
        let regions: Vec<_> = rows.iter().map(|row| row.region.as_deref()).collect();
        assert_eq!(regions, [Some("us-east-1"), Some("us-west-2")]);
    }

    #[test]
    fn quotas_of_other_capacity_types_are_left_out() {
        let spot = Quota {
            capacity: CapacityType::Spot,
            ..quota(None, Some(768.0), None)
        };
        let live = live(
            Access::Key,
            vec![spot, quota(None, Some(0.0), None)],
            Vec::new(),
        );
        let mut request = request(1);
        request.offers.capacity_type = CapacityFilter::Spot;
        let answer = Engine::embedded()
            .with_live(&live)
            .quotas(&request)
            .unwrap();
        let types = answer.envelope.results.iter().map(|row| row.capacity_type);
        assert_eq!(types.collect::<Vec<_>>(), [CapacityType::Spot]);
    }

    #[test]
    fn a_provider_that_could_not_be_asked_says_no_to_nothing() {
        let permission = ProviderErrorKind::Permission;
        let problem = ProviderError::new("aws", permission, "no right to read quotas");
        let live = live(Access::Key, Vec::new(), vec![problem]);
        let answer = Engine::embedded()
            .with_live(&live)
            .quotas(&request(1))
            .unwrap();
        assert!(!answer.is_admitted && answer.envelope.results.is_empty());
        assert_eq!(answer.partial.unwrap().kind, ErrorKind::Partial);
        assert_eq!(answer.envelope.notes.last().unwrap().code, "quota-unknown");
    }
}
