//! Links to the pages where offers are priced or rented.

use std::borrow::Cow;
use std::fmt::Write as _;

use sky_accel_core::catalog::{Catalog, Offer, RegionId};
use sky_accel_core::text::is_web_address;

/// The parts of a provider's link that are replaced by the ids of an offer.
const INSTANCE_TYPE: &str = "{instance_type}";
const REGION: &str = "{region}";

/// Returns the link of an offer from its provider's link; `None` without an address for a browser, or if the link
/// needs a region and the offer names none.
pub(super) fn of_offer<'a>(
    link: &'a str,
    instance_type: &str,
    region: Option<&str>,
) -> Option<Cow<'a, str>> {
    if !is_web_address(link) {
        return None;
    }
    if !link.contains('{') {
        return Some(Cow::Borrowed(link));
    }
    let link = link.replace(INSTANCE_TYPE, &encoded(instance_type));
    if !link.contains(REGION) {
        return Some(Cow::Owned(link));
    }
    Some(Cow::Owned(link.replace(REGION, &encoded(region?))))
}

/// Same as [`of_offer`], for an offer of the catalog.
pub fn link_of<'a>(
    catalog: &Catalog<'a>,
    offer: &Offer,
    region: Option<RegionId>,
) -> Option<Cow<'a, str>> {
    let region = region.or_else(|| catalog.regions(offer.regions).iter().next());
    of_offer(
        catalog.str(catalog.provider(offer.provider).link),
        catalog.str(offer.id),
        region.map(|region| catalog.region_id(region)),
    )
}

/// Encodes a text as a part of an address.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_replaced_by_the_encoded_offer() {
        let of = |link, region| of_offer(link, "RTX 4090/x", region).map(Cow::into_owned);
        let plain = "https://example.com/pricing";
        assert_eq!(of(plain, None).as_deref(), Some(plain));
        assert_eq!(
            of(
                "https://example.com/{instance_type}?in={region}",
                Some("eu-1")
            )
            .as_deref(),
            Some("https://example.com/RTX%204090%2Fx?in=eu-1")
        );
        assert_eq!(of("https://example.com/{region}", None), None);
        for link in ["", "javascript:alert(1)", "example.com", "https://a\"b"] {
            assert_eq!(of(link, None), None, "{link}");
        }
    }
}
