//! Filters on offers that several requests share.

use std::collections::BTreeSet;

use jiff::civil::Date;
use serde::Serialize;
use sky_accel_core::catalog::{Catalog, ProviderId, Rows, Upfront};
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::{
    CapacityFilter, Interconnect, PriceBasis, PriceTier, RegionFilter, Request,
};
use sky_accel_core::suggest;
use sky_accel_core::text::{printable, some_of};

use crate::code::ErrorCode;
use crate::error::{Error, Result};
use crate::money::Money;
use crate::num::Num;
use crate::price_policy::PricePolicy;

/// The maximum number of machines of one plan or bill.
pub const MAX_NODES: u32 = 10_000;

/// Filters on the offers of an answer. The default matches every offer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferFilter {
    /// Provider ids, names or groups such as `hyperscalers`; `!` excludes. Empty means every provider.
    /// Answers list ids.
    pub providers: Vec<String>,
    /// Regions, patterns such as `eu-*`, countries, or groups of countries such as `EU`; empty means every
    /// region.
    pub regions: Vec<String>,
    /// The capacity type for ranking. If omitted, offers rank by on-demand price, and offers without an
    /// on-demand price are kept.
    #[serde(skip_serializing_if = "is_unspecified")]
    pub capacity_type: CapacityFilter,
    /// The price tier, by the provider's name: `secure` or `community`. `any` is the cheapest tier; omitted, the
    /// provider's own machines come before those of private hosts. Providers without tiers are not affected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_tier: Option<String>,
    /// The maximum price of the whole offer in US dollars per hour. Omitted without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_price: Option<Num>,
    /// The maximum number of results. Omitted without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The maximum age of a price in seconds: offers with an older price or without a price are left out. Omitted
    /// without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_s: Option<u64>,
    /// The price that ranks and limits offers. Omitted for the likely price of today.
    #[serde(skip_serializing_if = "is_likely")]
    pub price: PriceBasis,
    /// The minimum number of vCPUs of the whole machine: offers with fewer or an unknown number are left out. Omitted
    /// without a minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_vcpu: Option<Num>,
    /// The minimum host memory of the whole machine in GiB: offers with less or an unknown size are left out. Omitted
    /// without a minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_host_memory_gib: Option<Num>,
    /// The link that must join the accelerators, in a machine or between machines. Omitted if any will do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interconnect: Option<Interconnect>,
    /// True to leave out offers that are known to be out of stock, excluded by a quota or not sold. Offers of unknown
    /// stock stay, behind offers in stock. Omitted otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub available: bool,
    /// The hours that the machines are needed, for total prices: on-demand hours, not a commitment. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Num>,
    /// An additional currency for prices, such as `EUR`. If omitted, prices include the currency that is
    /// charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The term of commitments whose prices rank offers: `any`, `1y`, `3mo`, `7d` and others. The engine has to be one
    /// [with commitments](crate::Engine::with_commitments). Omitted for prices on demand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The part of a commitment that is paid at its start. Omitted for the minimum of each kind of commitment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upfront: Option<Upfront>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
pub(crate) fn is_likely(price: &PriceBasis) -> bool {
    *price == PriceBasis::Likely
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_unspecified(capacity_filter: &CapacityFilter) -> bool {
    *capacity_filter == CapacityFilter::Unspecified
}

impl OfferFilter {
    /// Converts the filter to the resolver's form.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::UnknownProvider`], [`ErrorCode::UnknownRegion`], [`ErrorCode::BadValue`] for an unknown
    /// price tier, or [`ErrorCode::BadPrice`] for an invalid price limit.
    pub fn request(&self, catalog: &Catalog<'_>, today: Date) -> Result<Request> {
        if self.commit.is_some() != catalog.commitment_filter().is_some() {
            let message = "the prices of commitments are not in use: give `commit` here too";
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        let providers = self.providers(catalog)?;
        let regions = if self.regions.is_empty() {
            None
        } else {
            Some(RegionFilter::new(catalog, &self.regions, &providers)?)
        };
        let max_price = self.max_price_usd()?;
        let price_tier = match &self.price_tier {
            None => None,
            Some(name) => PriceTier::parse(catalog, name)
                .map_err(|error| Error::new(ErrorCode::BadValue, printable(&error.to_string())))?,
        };
        self.hours()?;
        Ok(Request {
            // `any` is read as no tier.
            hosts_are_equal: self.price_tier.is_some() && price_tier.is_none(),
            price_tier,
            providers,
            regions,
            capacity_filter: self.capacity_type,
            max_price,
            min_vcpu: positive("min_vcpu", self.min_vcpu)?,
            min_host_memory_gib: positive("min_host_memory_gib", self.min_host_memory_gib)?,
            interconnect: self.interconnect,
            available: self.available,
            limit: self.limit.map(|limit| limit as usize),
            likely: Some(self.price_policy().likely_prices(today)),
            ..Request::default()
        })
    }

    fn price_policy(&self) -> PricePolicy {
        PricePolicy {
            basis: self.price,
            max_age_s: self.max_age_s,
        }
    }

    /// Checks that `available` has live answers to apply to: the catalog knows no stock.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::BadValue`] without live answers.
    pub(crate) fn check_live(&self, is_live: bool) -> Result<()> {
        if self.available && !is_live {
            return Err(needs_live("`available`"));
        }
        Ok(())
    }

    /// The hours that the machines are needed; `None` if unknown.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::BadValue`] if they are not a positive number.
    pub(crate) fn hours(&self) -> Result<Option<f64>> {
        positive("hours", self.hours)
    }

    /// The maximum price in US dollars per hour.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::BadPrice`] if the limit is not an amount.
    pub(crate) fn max_price_usd(&self) -> Result<Option<Usd>> {
        let Some(Num(usd)) = self.max_price else {
            return Ok(None);
        };
        let amount = Usd::from_decimal(usd).ok_or_else(|| {
            let message = format!("'{usd}' is not a price in US dollars per hour");
            Error::new(ErrorCode::BadPrice, message)
        })?;
        Ok(Some(amount))
    }

    /// Fills unset filters from `defaults`.
    #[must_use]
    pub fn or(self, defaults: &Self) -> Self {
        let names = |given: Vec<String>, default: &[String]| {
            if given.is_empty() {
                default.to_vec()
            } else {
                given
            }
        };
        Self {
            providers: names(self.providers, &defaults.providers),
            regions: names(self.regions, &defaults.regions),
            capacity_type: match self.capacity_type {
                CapacityFilter::Unspecified => defaults.capacity_type,
                given => given,
            },
            price_tier: self.price_tier.or_else(|| defaults.price_tier.clone()),
            max_price: self.max_price.or(defaults.max_price),
            limit: self.limit.or(defaults.limit),
            max_age_s: self.max_age_s.or(defaults.max_age_s),
            price: match self.price {
                PriceBasis::Likely => defaults.price,
                given @ PriceBasis::Stated => given,
            },
            min_vcpu: self.min_vcpu.or(defaults.min_vcpu),
            min_host_memory_gib: self.min_host_memory_gib.or(defaults.min_host_memory_gib),
            interconnect: self.interconnect.or(defaults.interconnect),
            available: self.available || defaults.available,
            hours: self.hours.or(defaults.hours),
            currency: self.currency.or_else(|| defaults.currency.clone()),
            commit: self.commit.or_else(|| defaults.commit.clone()),
            upfront: self.upfront.or(defaults.upfront),
        }
    }

    /// The filter as it was understood, with provider ids.
    pub(crate) fn understood(&self, catalog: &Catalog<'_>, request: &Request) -> Self {
        let ids = request.providers.iter();
        Self {
            providers: ids.map(|id| catalog.provider_id(*id).to_owned()).collect(),
            currency: self.currency.as_deref().map(str::to_ascii_uppercase),
            ..self.clone()
        }
    }

    /// The currency for amounts; US dollars by default.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::BadValue`] for a currency without a known rate.
    pub fn money<'a>(&self, catalog: &Catalog<'a>) -> Result<Money<'a>> {
        Money::of(catalog, self.currency.as_deref())
    }

    /// The named providers, without duplicates; empty for every provider.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::UnknownProvider`] with suggestions.
    pub fn providers(&self, catalog: &Catalog<'_>) -> Result<Vec<ProviderId>> {
        providers_named(catalog, &self.providers)
    }

    /// Restricts the filter to providers with these ids.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::UnknownProvider`] if the filter excludes all of them; otherwise as
    /// [`OfferFilter::providers`].
    pub fn only(&self, catalog: &Catalog<'_>, ids: &[String]) -> Result<Self> {
        let allowed = self.providers_or_all(catalog)?;
        let is_allowed = |id: &&String| {
            let provider = catalog.provider_named(id);
            provider.is_some_and(|provider| allowed.contains(&provider))
        };
        let providers: Vec<String> = ids.iter().filter(is_allowed).cloned().collect();
        if providers.is_empty() {
            let message = format!("`providers` excludes {}", ids.join(" and "));
            return Err(Error::new(ErrorCode::UnknownProvider, message));
        }
        Ok(Self {
            providers,
            ..self.clone()
        })
    }

    /// The providers that are named individually, not by a group. Unknown names are skipped.
    pub fn providers_by_name(&self, catalog: &Catalog<'_>) -> Vec<ProviderId> {
        let names = self.providers.iter();
        names
            .filter_map(|name| catalog.provider_named(name))
            .collect()
    }

    /// The providers to query live: the named providers, or every provider of the catalog without names.
    ///
    /// # Errors
    ///
    /// Same as [`OfferFilter::providers`].
    pub fn providers_or_all(&self, catalog: &Catalog<'_>) -> Result<Vec<ProviderId>> {
        let named = self.providers(catalog)?;
        if named.is_empty() {
            Ok((0..catalog.providers.len() as u16)
                .map(ProviderId)
                .collect())
        } else {
            Ok(named)
        }
    }
}

/// The error for an option that would have no effect without live answers.
pub(crate) fn needs_live(option: &str) -> Error {
    let message = format!("{option} needs live answers: only providers know what is in stock");
    Error::new(ErrorCode::BadValue, message)
        .advise("`sky-accel resolve --live` and `sky-accel plan --live` query them")
}

/// Checks a figure that must be positive.
///
/// # Errors
///
/// [`ErrorCode::BadValue`] for any other figure.
pub(crate) fn positive(name: &str, figure: Option<Num>) -> Result<Option<f64>> {
    match figure {
        Some(Num(figure)) if !(figure.is_finite() && figure > 0.0 && figure < 1e9) => {
            let message = format!("`{name}` must be a number above 0, not {figure}");
            Err(Error::new(ErrorCode::BadValue, message))
        }
        figure => Ok(figure.map(|Num(figure)| figure)),
    }
}

/// The providers with these ids, names or groups, without duplicates. Names after `!` are excluded; if all
/// names are excluded, the result is every other provider.
///
/// # Errors
///
/// [`ErrorCode::UnknownProvider`] with suggestions; [`ErrorCode::BadValue`] if no provider remains.
pub fn providers_named(catalog: &Catalog<'_>, names: &[String]) -> Result<Vec<ProviderId>> {
    let (mut providers, mut excluded) = (Vec::new(), Vec::new());
    for name in names {
        let (list, name) = match name.strip_prefix('!') {
            Some(name) => (&mut excluded, name),
            None => (&mut providers, name.as_str()),
        };
        for provider in providers_meant(catalog, name)? {
            if !list.contains(&provider) {
                list.push(provider);
            }
        }
    }
    if excluded.is_empty() {
        return Ok(providers);
    }
    if names.iter().all(|name| name.starts_with('!')) {
        providers = (0..catalog.providers.len())
            .map(ProviderId::of_index)
            .collect();
    }
    providers.retain(|provider| !excluded.contains(provider));
    if providers.is_empty() {
        let message = format!("'{}' excludes every provider", names.join(","));
        return Err(Error::new(ErrorCode::BadValue, printable(&message)));
    }
    Ok(providers)
}

/// The provider with an id or name, or the members of a group.
fn providers_meant(catalog: &Catalog<'_>, name: &str) -> Result<Vec<ProviderId>> {
    // Aliases have dashes in place of spaces: `Azure ML`.
    let dashed = || catalog.provider_named(&name.replace(' ', "-"));
    if let Some(provider) = catalog.provider_named(name).or_else(dashed) {
        return Ok(vec![provider]);
    }
    let rows = || catalog.providers.iter().enumerate();
    let is_member = |group: Rows| {
        let mut groups = catalog.strings(group);
        groups.any(|group| group.eq_ignore_ascii_case(name))
    };
    let members = rows().filter(|(_, row)| is_member(row.groups));
    let members: Vec<ProviderId> = members.map(|(at, _)| ProviderId::of_index(at)).collect();
    if !members.is_empty() {
        return Ok(members);
    }
    let ids: Vec<&str> = rows().map(|(_, row)| catalog.str(row.id)).collect();
    let groups: BTreeSet<&str> = rows()
        .flat_map(|(_, row)| catalog.strings(row.groups))
        .collect();
    let words = rows().flat_map(|(_, row)| catalog.strings(row.aliases));
    let near = suggest::closest(
        name,
        ids.iter()
            .copied()
            .chain(words)
            .chain(groups.iter().copied()),
    );
    let parts = || name.split('|').map(str::trim);
    if parts().count() > 1 && parts().all(|part| providers_meant(catalog, part).is_ok()) {
        let list: Vec<&str> = parts().collect();
        let message = format!(
            "unknown provider '{name}': separate `providers` with commas, as in {}",
            list.join(",")
        );
        return Err(Error::new(ErrorCode::UnknownProvider, message));
    }
    let choices = if near.is_empty() {
        let groups: Vec<&str> = groups.into_iter().collect();
        format!(
            " (providers: {}; groups: {})",
            some_of(&ids),
            some_of(&groups)
        )
    } else {
        String::new()
    };
    let message = format!("unknown provider '{name}'{choices}");
    Err(Error::new(ErrorCode::UnknownProvider, message).hint(near))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_have_ids_aliases_and_names() {
        let catalog: &Catalog<'_> = &crate::catalog::EMBEDDED;
        let meant = |name: &str| {
            let found = providers_meant(catalog, name).unwrap();
            let ids: Vec<&str> = found.iter().map(|id| catalog.provider_id(*id)).collect();
            ids.join(" ")
        };
        for name in ["oci", "Oracle", "oracle cloud", "Oracle Cloud"] {
            assert_eq!(meant(name), "oci", "{name}");
        }
        assert_eq!(meant("Google Cloud"), "gcp");
        assert_eq!(meant("lambda labs"), "lambda");
    }

    #[test]
    fn defaults_apply_to_unset_filters() {
        let defaults = OfferFilter {
            providers: vec!["aws".to_owned()],
            regions: vec!["EU".to_owned()],
            capacity_type: CapacityFilter::Spot,
            price_tier: Some("secure".to_owned()),
            max_price: Some(Num(9.0)),
            max_age_s: Some(60),
            price: PriceBasis::Stated,
            limit: Some(5),
            min_vcpu: Some(Num(8.0)),
            min_host_memory_gib: Some(Num(64.0)),
            interconnect: Some(Interconnect::Efa),
            available: true,
            hours: Some(Num(730.0)),
            currency: Some("EUR".to_owned()),
            commit: Some("3y".to_owned()),
            upfront: None,
        };
        assert_eq!(OfferFilter::default().or(&defaults), defaults);
        let given = OfferFilter {
            providers: vec!["gcp".to_owned()],
            regions: vec!["US".to_owned()],
            capacity_type: CapacityFilter::OnDemand,
            price_tier: Some("community".to_owned()),
            max_price: Some(Num(2.0)),
            max_age_s: Some(30),
            price: PriceBasis::Stated,
            limit: Some(1),
            min_vcpu: Some(Num(4.0)),
            min_host_memory_gib: Some(Num(32.0)),
            interconnect: Some(Interconnect::Nvlink),
            available: true,
            hours: Some(Num(24.0)),
            currency: Some("USD".to_owned()),
            commit: Some("1y".to_owned()),
            upfront: None,
        };
        assert_eq!(given.clone().or(&defaults), given);
    }

    use crate::catalog::EMBEDDED;

    fn ids(names: &[&str]) -> Result<Vec<&'static str>> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let providers = providers_named(&EMBEDDED, &names)?;
        Ok(providers
            .iter()
            .map(|id| EMBEDDED.provider_id(*id))
            .collect())
    }

    #[test]
    fn exclamation_mark_excludes_providers() {
        assert_eq!(ids(&["aws", "gcp", "!aws"]).unwrap(), ["gcp"]);
        let others = ids(&["!aws"]).unwrap();
        assert_eq!(others.len() + 1, EMBEDDED.providers.len());
        assert!(!others.contains(&"aws"));
        let error = ids(&["aws", "!aws"]).unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::BadValue);
    }

    #[test]
    fn groups_and_repeated_names_list_each_provider_once() {
        let hyperscalers = ids(&["hyperscalers"]).unwrap();
        assert!(hyperscalers.contains(&"aws"));
        assert_eq!(ids(&["Hyperscalers"]).unwrap(), hyperscalers);
        assert_eq!(
            ids(&["aws", "hyperscalers"]).unwrap().len(),
            hyperscalers.len()
        );
    }

    #[test]
    fn unknown_provider_has_suggestions_or_a_short_list() {
        let similar = ids(&["lamda"]).unwrap_err();
        assert_eq!(similar.problems[0].hints, ["lambda"]);
        let list = ids(&["lambda|runpod"]).unwrap_err();
        assert!(list.problems[0].message.ends_with("as in lambda,runpod"));
        assert!(list.problems[0].hints.is_empty());
        let other = ids(&["nobody"]).unwrap_err();
        assert_eq!(other.problems[0].code, ErrorCode::UnknownProvider);
        assert!(other.problems[0].message.len() < 300, "{other}");
    }

    #[test]
    fn short_country_codes_are_not_suggested_for_long_words() {
        let filter = OfferFilter {
            regions: vec!["nowhere".to_owned()],
            ..OfferFilter::default()
        };
        let error = filter.request(&EMBEDDED, Date::MAX).unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::UnknownRegion);
        assert!(error.problems[0].hints.iter().all(|hint| hint != "NO"));
    }

    #[test]
    fn price_limits_must_be_amounts() {
        for (usd, is_valid) in [(0.5, true), (-1.0, false), (f64::NAN, false)] {
            let filter = OfferFilter {
                max_price: Some(Num(usd)),
                ..OfferFilter::default()
            };
            assert_eq!(
                filter.request(&EMBEDDED, Date::MAX).is_ok(),
                is_valid,
                "{usd}"
            );
        }
    }

    #[test]
    fn only_keeps_allowed_providers() {
        let filter = OfferFilter {
            providers: vec!["aws".to_owned(), "gcp".to_owned()],
            ..OfferFilter::default()
        };
        let wanted = ["gcp", "verda"].map(str::to_owned);
        assert_eq!(filter.only(&EMBEDDED, &wanted).unwrap().providers, ["gcp"]);
        let error = filter.only(&EMBEDDED, &wanted[1..]).unwrap_err();
        assert_eq!(error.problems[0].message, "`providers` excludes verda");
    }
}
