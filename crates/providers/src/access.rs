//! Access with or without a key.

/// The access with which a provider was queried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// With a key, for everything that the account may see.
    #[default]
    Key,
    /// Without a key, for the data that the provider publishes.
    Public,
}
