//! The credentials for live answers. No field has the value of a credential.

use serde::Serialize;

sky_accel_core::words! {
    /// The state of the credentials of a provider on this machine.
    pub enum CredentialState {
        /// Credentials are found, and nothing is known that makes them unusable.
        Ready = "ready",
        /// No credentials are found.
        Missing = "missing",
        /// Credentials are found, and cannot be used.
        Faulty = "faulty",
        /// The provider answers without credentials and takes none.
        NotNeeded = "not-needed",
    }
}

sky_accel_core::words! {
    /// The kind of a source of credentials.
    pub enum CredentialKind {
        /// An environment variable.
        Variable = "variable",
        /// A file, by its path or by the variable that names it.
        File = "file",
    }
}

sky_accel_core::words! {
    /// The result of a query with the credentials.
    pub enum CheckOutcome {
        /// The provider answered with the credentials.
        Accepted = "accepted",
        /// The provider does not accept the credentials, or they lack rights.
        Refused = "refused",
        /// The provider answered without credentials, because none can be used.
        WithoutKey = "without-key",
        /// The provider could not be reached in time.
        Unreachable = "unreachable",
        /// The provider answered with another error.
        Failed = "failed",
    }
}

/// The request of `live doctor` as it was understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DoctorEcho {
    /// The ids of the requested providers; empty for all.
    pub providers: Vec<String>,
    /// True if providers with credentials were queried.
    pub check: bool,
}

/// The credentials of a provider.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CredentialsOut {
    /// The id of the provider.
    pub provider: &'static str,
    /// The state of the credentials.
    pub state: CredentialState,
    /// The variables and files that have credentials or lead to them.
    pub sources: Vec<CredentialSourceOut>,
    /// The reasons why the credentials are unusable, one sentence each; may be empty. The wording may change.
    pub faults: Vec<String>,
    /// Remarks on the credentials, one sentence each; may be empty. The wording may change.
    pub warnings: Vec<String>,
    /// The set variables that replace the provider's servers; may be empty.
    pub overrides: Vec<String>,
    /// The variables to set; empty if the provider takes no credentials.
    pub variables: Vec<&'static str>,
    /// The files of the provider's tools where credentials are also found; may be empty.
    pub files: Vec<&'static str>,
    /// The rights that suffice; `null` if the provider takes no credentials.
    pub rights: Option<&'static str>,
    /// Where to create credentials; `null` if the provider takes none.
    pub hint: Option<&'static str>,
    /// The data of answers without credentials; `null` without such data.
    pub without_key: Option<&'static str>,
    /// The terms because of which the provider is queried without credentials only with the user's consent;
    /// `null` without such terms.
    pub terms: Option<&'static str>,
    /// The data that the provider reports to accounts only; `null` without such data.
    pub only_with_key: Option<&'static str>,
    /// The result of a query with the credentials. Omitted if the provider was not queried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<CredentialCheckOut>,
}

/// A source of credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CredentialSourceOut {
    /// The kind of source.
    pub kind: CredentialKind,
    /// The name of the variable, or the path of the file.
    pub name: &'static str,
}

/// The result of a query with the credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CredentialCheckOut {
    /// The result.
    pub outcome: CheckOutcome,
    /// The errors of the provider, one sentence each; may be empty. The wording may change.
    pub errors: Vec<String>,
}
