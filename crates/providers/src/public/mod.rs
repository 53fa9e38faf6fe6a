//! Providers that publish their offers and prices: they are queried without a key.

pub(crate) mod aws;
pub(crate) mod azure;
pub(crate) mod cloudrift;
pub(crate) mod linode;
pub(crate) mod lium;
pub(crate) mod oci;
pub(crate) mod ovhcloud;
pub(crate) mod scaleway;
mod shared;
pub(crate) mod vultr;

use crate::query::Query;

/// Parses a body as each answer of each provider.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    for parse in [
        aws::on_demand::parse,
        aws::spot::parse,
        azure::parse,
        cloudrift::parse,
        linode::parse,
        lium::parse,
        oci::parse,
        ovhcloud::parse,
        scaleway::parse,
        vultr::parse,
    ] {
        parse(query, body);
    }
}
