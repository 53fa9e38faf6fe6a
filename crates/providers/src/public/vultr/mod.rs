//! Vultr: GPU plans and bare-metal plans, with the regions where each can be ordered, and with a key those
//! where the account can order it.

mod account;

use serde::Deserialize;
use sky_accel_core::catalog::{Availability, CapacityType};

use super::account::with_account;
use super::shared::{
    KEEP_STOCK, MAX_PAGES, check_machines, check_readable, cut, json, nothing_listed,
};
use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::client::ApiClient;
use crate::context::Context;
use crate::error::ProviderError;
use crate::feed::{Feed, join};
use crate::json::{Maybe, MaybeList, MaybeObject, positive};
use crate::listing::Listing;
use crate::offer::{DroppedBecause, Hardware, Offer, Price, Region, Tally};
use crate::query::{Interest, Query};
use crate::reading::DocumentAge;

use account::ID;

/// Vultr.
pub(crate) const API: ProviderApi = ProviderApi {
    published: "prices, and stock by region",
    unpublished: "the stock that the account can order, which needs an API key",
    secret_variables: &["VULTR_API_KEY"],
    key_hint: "create a key at Account > API in the Vultr console, and allow it from your address",
    key_rights: "reading regions; the account for `live doctor --check`",
    ..ProviderApi::new(ID, &["https://api.vultr.com"], query)
};

const PER_PAGE: usize = 500;
const MIB_PER_GIB: f64 = 1024.0;

#[derive(Default, Deserialize)]
#[serde(default)]
struct VultrPage {
    plans: MaybeList<MaybeObject<VultrPlan>>,
    plans_metal: MaybeList<MaybeObject<VultrPlan>>,
    meta: MaybeObject<PageMeta>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PageMeta {
    links: MaybeObject<PageLinks>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PageLinks {
    next: Maybe<String>,
}

/// A plan: virtual or bare metal.
#[derive(Default, Deserialize)]
#[serde(default)]
struct VultrPlan {
    id: Maybe<String>,
    vcpu_count: Maybe<f64>,
    cpu_threads: Maybe<f64>,
    /// In MB.
    ram: Maybe<f64>,
    hourly_cost: Maybe<f64>,
    hourly_cost_preemptible: Maybe<f64>,
    gpu_type: Maybe<String>,
    gpu_count: Maybe<f64>,
    /// The memory of all GPUs, or of the sold part of a GPU.
    gpu_vram_gb: Maybe<f64>,
    deploy_ondemand: Maybe<bool>,
    deploy_preemptible: Maybe<bool>,
    locations: MaybeList<Maybe<String>>,
}

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let (query, context) = (call.query, call.context);
        let base_url = API.base_url(call.environment)?;
        let client = ApiClient::with_key(&API, &call, |_| None)?;
        if let Some(client) = &client
            && query.checks_credentials(context.cache.mode)
        {
            account::check(client, context).await?;
            return Ok(Listing::accepted());
        }
        let listing = listing(&base_url, query, context).await?;
        let (regions, others) = account::regions(&listing.offers);
        let is_asked = query.asks_account() && query.on_demand && !regions.is_empty();
        let Some(client) = client.filter(|_| is_asked) else {
            return Ok(listing);
        };
        let answer = account::answer(&client, &regions, context).await;
        let mut listing = with_account(query, listing, answer);
        if others > 0 {
            let count = regions.len();
            listing.remarks.push(format!(
                "the stock of the account is of {count} regions; `region` selects other regions"
            ));
        }
        Ok(listing)
    })
}

async fn listing(
    base_url: &str,
    query: &Query<'_>,
    context: &Context<'_>,
) -> Result<Listing, ProviderError> {
    let virtual_url = join(base_url, &format!("/v2/plans?type=all&per_page={PER_PAGE}"));
    let metal_url = join(base_url, &format!("/v2/plans-metal?per_page={PER_PAGE}"));
    let answers = futures_util::future::join(
        plans("listing plans", virtual_url, |page| page.plans, context),
        plans(
            "listing bare metal",
            metal_url,
            |page| page.plans_metal,
            context,
        ),
    );
    let (virtual_plans, metal) = answers.await;
    let (lists, mut problems) = super::shared::parts(vec![virtual_plans, metal])?;
    let mut reading = DocumentAge::default();
    let mut rows = Vec::new();
    for (of_list, problem, read) in lists {
        rows.extend(of_list);
        problems.extend(problem);
        reading.merge(read);
    }
    let (offers, dropped) = offers(query, rows)?;
    Ok(Listing::public(offers, dropped, problems, reading))
}

type VultrPlans = (
    Vec<MaybeObject<VultrPlan>>,
    Option<ProviderError>,
    DocumentAge,
);

/// Reads the plans of all pages of a list, and the error of its last page.
async fn plans(
    operation: &'static str,
    first: String,
    list: impl Fn(VultrPage) -> MaybeList<MaybeObject<VultrPlan>>,
    context: &Context<'_>,
) -> Result<VultrPlans, ProviderError> {
    let mut reading = DocumentAge::default();
    let mut rows = Vec::new();
    let mut url = first.clone();
    for _ in 0..MAX_PAGES {
        let feed = Feed {
            provider: ID,
            operation,
            url: url.clone(),
            question: None,
            keep: KEEP_STOCK,
        };
        let read = context.document(&feed, &mut reading, |document| {
            let mut page: VultrPage = json(&feed, document)?;
            let links = page.meta.0.take().and_then(|meta| meta.links.0);
            let cursor = links.and_then(|links| links.next.0);
            let page_rows = list(page).0;
            let page_rows = page_rows.ok_or_else(|| feed.unreadable("without a list of plans"))?;
            if page_rows.is_empty() && url == first {
                return Err(nothing_listed(&feed));
            }
            Ok((page_rows, cursor))
        });
        let (page_rows, cursor) = match read.await {
            Ok(page) => page,
            Err(error) if rows.is_empty() => return Err(error),
            Err(error) => return Ok((rows, Some(error), reading)),
        };
        rows.extend(page_rows);
        let Some(cursor) = cursor else {
            return Ok((rows, None, reading));
        };
        url = format!("{first}&cursor={}", form(&cursor));
    }
    let feed = Feed {
        provider: ID,
        operation,
        url,
        question: None,
        keep: KEEP_STOCK,
    };
    Ok((rows, Some(cut(&feed)), reading))
}

/// Encodes a value of a query string.
fn form(text: &str) -> String {
    let url = url::Url::parse_with_params("http://x", [("c", text)]);
    let query = url.ok().and_then(|url| url.query().map(str::to_owned));
    query
        .unwrap_or_default()
        .trim_start_matches("c=")
        .to_owned()
}

/// Returns an offer for each plan with GPUs.
fn offers(
    query: &Query<'_>,
    rows: Vec<MaybeObject<VultrPlan>>,
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let listed = rows.len();
    let mut dropped = Tally::default();
    let mut machines = 0;
    let mut offers = Vec::new();
    for row in rows {
        let plan = row.0.unwrap_or_default();
        let (Some(id), true) = (plan.id.0.clone(), plan.hourly_cost.0.is_some()) else {
            dropped.add(DroppedBecause::Unreadable);
            continue;
        };
        // Some plans do not name their GPUs: the catalog knows them by id.
        let hardware = plan.gpu_type.0.as_deref().map(hardware);
        machines += usize::from(hardware.is_some());
        if (query.interest)(&id, hardware.as_ref()) == Interest::NotRequested {
            dropped.add_unrequested(hardware.as_ref());
            continue;
        }
        if hardware.is_none() && query.ids.binary_search(&id).is_err() {
            continue;
        }
        let prices = prices(query, &plan);
        if positive(plan.hourly_cost).is_none() {
            dropped.add(DroppedBecause::NoPrice);
        }
        let places = plan.locations.items().into_iter().filter_map(|id| id.0);
        offers.push(Offer {
            id,
            hardware,
            count: positive(plan.gpu_count),
            total_memory_gb: positive(plan.gpu_vram_gb),
            vcpu: positive(plan.vcpu_count).or(positive(plan.cpu_threads)),
            host_memory_gib: positive(plan.ram).map(|mib| mib / MIB_PER_GIB),
            regions: places.map(|id| Region { id, country: None }).collect(),
            prices,
            ..Offer::default()
        });
    }
    check_readable(ID, listed, &dropped)?;
    check_machines(ID, listed, machines)?;
    Ok((offers, dropped))
}

/// Converts a name such as `NVIDIA_A100` to words separated by spaces.
fn hardware(gpu: &str) -> Hardware {
    let (maker, name) = match gpu.split_once('_') {
        Some((maker, name)) => (Some(maker.to_owned()), name),
        None => (None, gpu),
    };
    Hardware {
        name: name.replace('_', " "),
        manufacturer: maker,
        ..Hardware::default()
    }
}

/// Returns the prices of a plan in the regions where it can be ordered. A plan without regions has
/// a price but is not available.
fn prices(query: &Query<'_>, plan: &VultrPlan) -> Vec<Price> {
    let places: Vec<&str> = plan
        .locations
        .0
        .iter()
        .flatten()
        .filter_map(|id| id.0.as_deref())
        .collect();
    let mut prices = Vec::new();
    for (capacity, amount, is_asked, is_deployed) in [
        (
            CapacityType::OnDemand,
            plan.hourly_cost,
            query.on_demand,
            plan.deploy_ondemand.0 != Some(false),
        ),
        (
            CapacityType::Spot,
            plan.hourly_cost_preemptible,
            query.spot,
            plan.deploy_preemptible.0 == Some(true),
        ),
    ] {
        let Some(amount) = positive(amount).filter(|_| is_asked) else {
            continue;
        };
        if !is_deployed || places.is_empty() {
            if capacity == CapacityType::OnDemand {
                prices.push(Price {
                    availability: Availability::Unavailable,
                    ..Price::new(capacity, amount)
                });
            }
            continue;
        }
        let is_meant = |place: &&&str| {
            query
                .places
                .is_none_or(|places| places.include(place, None))
        };
        prices.extend(places.iter().filter(is_meant).map(|place| Price {
            region: Some((*place).to_owned()),
            availability: Availability::Available,
            ..Price::new(capacity, amount)
        }));
    }
    prices
}

/// Parses a body as each of the three answers.
pub(crate) fn parse(query: &Query<'_>, body: &[u8]) {
    let _ = account::available(body);
    if let Ok(page) = serde_json::from_slice::<VultrPage>(body) {
        let _ = offers(query, page.plans.items());
        let _ = offers(query, page.plans_metal.items());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Counts;

    fn read(rows: &str) -> Result<(Vec<Offer>, Tally), ProviderError> {
        let counts = Counts {
            min: 1.0,
            max: None,
        };
        offers(
            &Query::everything(counts),
            serde_json::from_str(rows).unwrap(),
        )
    }

    #[test]
    fn lists_the_regions_where_a_plan_can_be_ordered() {
        let (offers, dropped) = read(
            r#"[{"id":"vc2-1c-1gb","hourly_cost":0.007,"locations":["ewr"]},
                {"id":"vcg-a100-12c-120g-80vram","vcpu_count":12,"ram":122880,"hourly_cost":2.397,
                 "gpu_type":"NVIDIA_A100","gpu_vram_gb":80,"locations":["ewr","fra"]},
                {"id":"vbm-h100","cpu_threads":224,"hourly_cost":23.92,"hourly_cost_preemptible":14,
                 "gpu_type":"NVIDIA_H100","gpu_count":8,"deploy_ondemand":false,"deploy_preemptible":true,"locations":["ord"]},
                {"id":"vcg-none","hourly_cost":1,"gpu_type":"AMD_MI300X","locations":[]},
                {"id":"vcg-free","hourly_cost":0,"gpu_type":"NVIDIA_A16","locations":["ewr"]}]"#,
        )
        .unwrap();
        let shown: Vec<_> = offers
            .iter()
            .flat_map(|offer| {
                offer.prices.iter().map(|price| {
                    (
                        &*offer.id,
                        price.capacity,
                        price.per_hour,
                        price.region.as_deref(),
                        price.availability,
                    )
                })
            })
            .collect();
        let (on_demand, spot) = (CapacityType::OnDemand, CapacityType::Spot);
        let (available, none) = (Availability::Available, Availability::Unavailable);
        assert_eq!(
            shown,
            [
                (
                    "vcg-a100-12c-120g-80vram",
                    on_demand,
                    2.397,
                    Some("ewr"),
                    available
                ),
                (
                    "vcg-a100-12c-120g-80vram",
                    on_demand,
                    2.397,
                    Some("fra"),
                    available
                ),
                ("vbm-h100", on_demand, 23.92, None, none),
                ("vbm-h100", spot, 14.0, Some("ord"), available),
                ("vcg-none", on_demand, 1.0, None, none),
            ]
        );
        assert_eq!(dropped.rows(), 1);
        let h100 = offers[1].hardware.as_ref().unwrap();
        assert_eq!(
            (&*h100.name, h100.manufacturer.as_deref()),
            ("H100", Some("NVIDIA"))
        );
        assert_eq!(
            (offers[0].host_memory_gib, offers[1].vcpu),
            (Some(120.0), Some(224.0))
        );
    }

    #[test]
    fn plans_without_a_readable_row_are_a_failure() {
        assert!(read(r#"[{"id":["a"]},{"hourly_cost":1},7]"#).is_err());
    }

    #[test]
    fn cursors_are_encoded() {
        assert_eq!(form("a&b=c d"), "a%26b%3Dc+d");
    }
}
