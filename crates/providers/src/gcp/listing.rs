//! The listing: machine types first, then advice, reservations and quotas at the same time.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;

use futures_util::future::{join, join4};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sky_accel_core::catalog::CapacityType;

use super::advice::{self, CapacityAnswer, HistoryAnswer};
use super::batch::{Batch, TypePlace, batch};
use super::calendar::{self, CalendarAnswer, ReservationSearch, ZoneWindow};
use super::credentials::GoogleAccount;
use super::names::{GcpServers, ID};
use super::offers::{Parts, offer};
use super::places::Places;
use super::quotas::{self, FamilyLimit, MetricQuota, ProjectQuotas, QuotaHolder, QuotaInfoPage};
use super::session::{GoogleCall, GoogleSession};
use super::types::{GoogleType, MachineTypePage, TypeList};
use crate::access::Access;
use crate::cache::{Answered, CacheKey, Fetched};
use crate::clock::now;
use crate::context::Context;
use crate::error::{ErrorKind, ProviderError};
use crate::listing::Listing;
use crate::offer::{Dropped, Offer, redact_offers};
use crate::query::Query;

/// The times for which parts of an answer stay fresh.
const KEEP_TYPES: Duration = Duration::from_secs(86_400);
const KEEP_HISTORY: Duration = Duration::from_secs(86_400);
const KEEP_ADVICE: Duration = Duration::from_secs(900);
const KEEP_CALENDAR: Duration = Duration::from_secs(900);
const KEEP_QUOTAS: Duration = Duration::from_secs(600);
/// The maximum number of pages of a list.
const MAX_PAGES: usize = 40;
/// The families of machines with accelerators: their names start with these letters and a number.
const FAMILIES: &str = "name eq \"(a|g|ct|tpu)[0-9].*\"";
const COMPUTE: &str = "compute.googleapis.com";
const QUOTAS: &str = "cloudquotas.googleapis.com";
const COMPUTE_ROLE: &str = "roles/compute.viewer";
const QUOTAS_ROLE: &str = "roles/cloudquotas.viewer";

/// The answers for many places; `None` if there are no places.
type BatchAnswer<T> = Result<Option<Fetched<Batch<T>>>, ProviderError>;

/// The account, the servers and the question of a run.
struct GoogleQuestion<'r> {
    session: GoogleSession<'r>,
    servers: &'r GcpServers,
    query: &'r Query<'r>,
    context: &'r Context<'r>,
    base: String,
    identity: String,
}

/// Returns all offers that may match.
///
/// # Errors
///
/// Same as [`ProviderApi::query`](crate::ProviderApi::query).
pub(super) async fn listing(
    account: &GoogleAccount,
    servers: &GcpServers,
    query: &Query<'_>,
    context: &Context<'_>,
) -> Result<Listing, ProviderError> {
    let question = GoogleQuestion {
        session: GoogleSession::new(account, context, query.quota.is_some()),
        servers,
        query,
        context,
        base: servers.compute.clone(),
        identity: account.identity(),
    };
    let types = question.types().await?;
    let places = Places::of(query, &types.value.0);
    let mut parts = question.parts(&places).await;
    let mut offers: Vec<Offer> = Vec::new();
    for found in &types.value.0 {
        offers.push(offer(query, found, &parts, types.at));
    }
    redact_offers(&mut offers, &account.secrets());
    let mut problems = types.problems;
    problems.append(&mut parts.problems);
    let mut remarks = places.remarks;
    remarks.extend(parts.remarks(query));
    let history = parts.history.as_ref();
    Ok(Listing {
        offers,
        dropped: types.value.1,
        problems,
        remarks,
        fetched_at: history.map_or(types.at, |history| history.at),
        cached: history.map_or(types.cached, |history| history.cached),
        types_at: Some(types.at),
        lists_types: Some(is_listed_family),
        access: Access::Key,
        ..Listing::default()
    })
}

/// Returns true for a type of a family that the list of machine types always has. Slices of TPUs and
/// attached accelerators are sold in other ways.
fn is_listed_family(id: &str) -> bool {
    let mut letters = id.bytes();
    matches!(letters.next(), Some(b'a' | b'g'))
        && letters.next().is_some_and(|b| b.is_ascii_digit())
}

impl GoogleQuestion<'_> {
    fn key(&self, operation: &str, question: &impl Serialize) -> CacheKey {
        CacheKey::new(ID, operation, question, &self.base, &self.identity)
    }

    fn project_path(&self, path: &str) -> String {
        let project = &self.session.account.project;
        format!(
            "{}/compute/v1/projects/{project}{path}",
            self.servers.compute
        )
    }

    async fn types(&self) -> Result<Fetched<(Vec<GoogleType>, Vec<Dropped>)>, ProviderError> {
        let key = self.key("machine types", &self.query.accelerators);
        let fetch = || async {
            let mut list = TypeList::default();
            let parameters = [
                ("filter", FAMILIES),
                ("maxResults", "500"),
                ("returnPartialSuccess", "true"),
            ];
            let url = self.project_path("/aggregated/machineTypes");
            let cut = self
                .pages(
                    "listing machine types",
                    COMPUTE,
                    COMPUTE_ROLE,
                    (&url, &parameters),
                    |page: MachineTypePage| {
                        let next = page.next_page_token.0.clone();
                        list.add(self.query, page);
                        next.map(|token| token.0)
                    },
                )
                .await?;
            let (types, dropped) = list.done()?;
            Ok(((types, dropped.done()), cut.into_iter().collect()))
        };
        self.context.cached(&key, KEEP_TYPES, fetch).await
    }

    /// Reads all pages of a list; `add` returns the token of the next page. Returns the error of a
    /// page after the first.
    async fn pages<T: DeserializeOwned>(
        &self,
        operation: &str,
        service: &'static str,
        role: &'static str,
        (url, parameters): (&str, &[(&str, &str)]),
        mut add: impl FnMut(T) -> Option<String>,
    ) -> Result<Option<ProviderError>, ProviderError> {
        let mut token: Option<String> = None;
        for number in 0..MAX_PAGES {
            let mut all = parameters.to_vec();
            all.extend(token.as_deref().map(|token| ("pageToken", token)));
            let with_parameters = url::Url::parse_with_params(url, &all);
            let with_parameters = with_parameters.map_err(|_| {
                ProviderError::new(
                    ID,
                    ErrorKind::Network,
                    "the address of the server is not valid",
                )
            })?;
            let call = GoogleCall {
                operation,
                url: with_parameters.into(),
                body: None,
                service,
                role,
            };
            let page = match self.session.read::<T>(&call).await {
                Ok(page) => page,
                Err(error) if number > 0 => return Ok(Some(error)),
                Err(error) => return Err(error),
            };
            token = add(page);
            if token.is_none() {
                return Ok(None);
            }
        }
        let message = format!("the list has more than {MAX_PAGES} pages ({operation})");
        Ok(Some(ProviderError::new(ID, ErrorKind::Incomplete, message)))
    }

    /// Asks one of the endpoints for advice.
    async fn advise<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        endpoint: &str,
        region: &str,
        body: serde_json::Value,
    ) -> Result<T, ProviderError> {
        let call = GoogleCall {
            operation,
            url: self.project_path(&format!("/regions/{region}/{endpoint}")),
            body: Some(body),
            service: COMPUTE,
            role: COMPUTE_ROLE,
        };
        self.session.read(&call).await
    }

    /// Returns the cached or fetched answers for many places.
    async fn of_places<T, F>(
        &self,
        (operation, keep): (&str, Duration),
        places: &[TypePlace],
        question: &impl Serialize,
        ask: impl Fn(TypePlace) -> F,
    ) -> BatchAnswer<T>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = Result<T, ProviderError>>,
    {
        if places.is_empty() {
            return Ok(None);
        }
        let key = self.key(operation, &(places, question));
        let fetched = self.context.cached(&key, keep, || batch(places, ask));
        fetched.await.map(Some)
    }

    /// Requests all wanted parts of the answer. Each part that fails is a separate problem.
    async fn parts(&self, places: &Places) -> Parts {
        let query = self.query;
        let none: &[TypePlace] = &[];
        let of = |is_wanted, places| if is_wanted { places } else { none };
        let machines = query.machines.max(1);
        let history = self.of_places(
            ("spot prices and preemptions", KEEP_HISTORY),
            of(query.spot, &places.in_regions),
            &(),
            async |place| {
                let body = advice::history_request(&place);
                let operation = "requesting spot prices";
                let answer = self.advise(operation, advice::HISTORY, &place.region, body);
                let answer: HistoryAnswer = answer.await?;
                Ok(answer.history(now()))
            },
        );
        let is_wanted = query.spot && (query.stock || query.spot_scores);
        let advised = self.of_places(
            ("spot advice", KEEP_ADVICE),
            of(is_wanted, &places.in_zones),
            &machines,
            async |place| {
                let body = advice::capacity_request(&place, machines);
                let operation = "requesting advice on spot capacity";
                let answer = self.advise(operation, advice::CAPACITY, &place.region, body);
                let answer: CapacityAnswer = answer.await?;
                Ok(answer.advice())
            },
        );
        let calendar = self.calendar(
            machines,
            &places.counts,
            of(query.capacity_block_hours.is_some(), &places.in_regions),
        );
        let quotas = self.quotas(of(query.quota.is_some(), &places.regions));
        let (history, advised, calendar, (regions, project)) =
            join4(history, advised, calendar, quotas).await;
        let mut parts = Parts::default();
        parts.history = parts.take(history);
        parts.advice = parts.take(advised);
        parts.calendar = parts.take(calendar);
        parts.regions = parts.take(regions);
        let project = parts.take(project);
        parts.project = project.map(|fetched| fetched.value).unwrap_or_default();
        parts
    }

    async fn calendar(
        &self,
        machines: u32,
        counts: &BTreeMap<String, f64>,
        places: &[TypePlace],
    ) -> BatchAnswer<Vec<ZoneWindow>> {
        let hours = self.query.capacity_block_hours.unwrap_or_default();
        let kind = ("dates of reservations", KEEP_CALENDAR);
        let ask = async |place: TypePlace| {
            let search = ReservationSearch {
                machines,
                hours,
                devices: counts.get(&place.type_id).copied(),
                now: now(),
            };
            let body = calendar::calendar_request(&place, search);
            let operation = "requesting dates of reservations";
            let answer = self.advise(operation, calendar::CALENDAR, &place.region, body);
            let answer: CalendarAnswer = answer.await?;
            Ok(answer.windows(machines, search.now))
        };
        self.of_places(kind, places, &(machines, hours), ask).await
    }

    /// Requests the quotas of regions, of the project, and of Cloud Quotas.
    async fn quotas(
        &self,
        places: &[TypePlace],
    ) -> (
        BatchAnswer<Vec<MetricQuota>>,
        Result<Option<Fetched<ProjectQuotas>>, ProviderError>,
    ) {
        let kind = ("quotas of regions", KEEP_QUOTAS);
        let of_regions = self.of_places(kind, places, &(), async |place| {
            let path = format!("/regions/{}", place.region);
            self.holder("reading quotas of a region", &path).await
        });
        let of_project = async {
            if places.is_empty() {
                return Ok(None);
            }
            let key = self.key("quotas of the project", &());
            let fetched = self
                .context
                .cached(&key, KEEP_QUOTAS, || self.project_quotas());
            fetched.await.map(Some)
        };
        join(of_regions, of_project).await
    }

    /// Returns the quotas of a region or of the project.
    async fn holder(&self, operation: &str, path: &str) -> Result<Vec<MetricQuota>, ProviderError> {
        let call = GoogleCall {
            operation,
            url: self.project_path(path),
            body: None,
            service: COMPUTE,
            role: COMPUTE_ROLE,
        };
        let holder: QuotaHolder = self.session.read(&call).await?;
        holder.quotas().ok_or_else(|| {
            let message = format!("Google could not read the quotas ({operation})");
            ProviderError::new(ID, ErrorKind::Incomplete, message)
        })
    }

    async fn project_quotas(&self) -> Result<Answered<ProjectQuotas>, ProviderError> {
        let of_project = self.holder("reading quotas of the project", "");
        let (of_project, families) = join(of_project, self.families()).await;
        let mut problems = Vec::new();
        let mut quotas = ProjectQuotas::default();
        match of_project {
            Ok(metrics) => quotas.project = metrics,
            Err(error) => problems.push(error),
        }
        match families {
            Ok((families, cut)) => {
                quotas.families = families;
                problems.extend(cut);
            }
            Err(error) => problems.push(error),
        }
        Ok((quotas, problems))
    }

    /// Returns the limits of Cloud Quotas, and the error of a page after the first.
    async fn families(&self) -> Result<(Vec<FamilyLimit>, Option<ProviderError>), ProviderError> {
        let project = &self.session.account.project;
        let url = format!(
            "{}/v1/projects/{project}/locations/global/services/{COMPUTE}/quotaInfos",
            self.servers.quotas
        );
        let mut families = Vec::new();
        let parameters = [("pageSize", "1000")];
        let operation = "reading limits of Cloud Quotas";
        let pages = self.pages(
            operation,
            QUOTAS,
            QUOTAS_ROLE,
            (&url, &parameters),
            |page: QuotaInfoPage| {
                let next = page.next_page_token.0.clone();
                families.extend(page.limits());
                next.map(|token| token.0)
            },
        );
        let cut = pages.await?;
        Ok((families, cut))
    }
}

/// Parses a body as the answer to each request.
pub(super) fn parse(query: &Query<'_>, body: &[u8]) {
    let place = TypePlace {
        region: "us-central1".to_owned(),
        zone: None,
        type_id: "a3-highgpu-8g".to_owned(),
    };
    if let Ok(page) = serde_json::from_slice(body) {
        let mut list = TypeList::default();
        list.add(query, page);
        if let Ok((types, _)) = list.done() {
            let places = Places::of(query, &types);
            let parts = Parts::default();
            let offers = types.iter().map(|found| offer(query, found, &parts, 0));
            let _ = (offers.count(), places.in_zones.len());
        }
    }
    if let Ok(answer) = serde_json::from_slice::<CapacityAnswer>(body) {
        let _ = answer.advice().record(&place, 1, 0);
    }
    if let Ok(answer) = serde_json::from_slice::<HistoryAnswer>(body) {
        let history = answer.history(now());
        let _ = (
            history.record(&place, 1, 0),
            history.price("us-central1", 0),
        );
    }
    if let Ok(answer) = serde_json::from_slice::<CalendarAnswer>(body) {
        let _ = answer.windows(1, 0);
    }
    let page = serde_json::from_slice::<QuotaInfoPage>(body).unwrap_or_default();
    let project = ProjectQuotas {
        project: Vec::new(),
        families: page.limits(),
    };
    let holder = serde_json::from_slice::<QuotaHolder>(body).unwrap_or_default();
    let metrics = holder.quotas().unwrap_or_default();
    for capacity in [CapacityType::OnDemand, CapacityType::Spot] {
        let _ = quotas::quotas_of(
            "nvidia-h100-80gb",
            "us-central1",
            &metrics,
            &project,
            capacity,
        );
    }
}
