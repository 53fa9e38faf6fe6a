//! The prices that a request asks for.

/// The id of RunPod in the catalog.
pub(super) const ID: &str = "runpod";

/// The place and tier of a requested price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AskPlace {
    SecureAnywhere,
    DataCenter(String),
    CommunityAnywhere,
    Country(String),
}

/// A requested price. Its index in the batch is its alias in the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PriceAsk {
    pub id: String,
    pub count: u32,
    pub place: AskPlace,
}

/// The requested prices of one request, and its text.
#[derive(Debug)]
pub(super) struct Batch {
    pub asks: Vec<PriceAsk>,
    pub text: String,
}
