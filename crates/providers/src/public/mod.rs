//! Providers that publish their offers and prices: they are queried without a key. With a key, some
//! of them also report stock and quotas.

mod account;
pub(crate) mod aws;
pub(crate) mod azure;
pub(crate) mod cloudrift;
pub(crate) mod linode;
pub(crate) mod lium;
pub(crate) mod oci;
pub(crate) mod ovhcloud;
pub(crate) mod scaleway;
pub(crate) mod shared;
pub(crate) mod vultr;
