//! Names of Google's variables and servers.

pub(super) const ID: &str = "gcp";
pub(super) const TOKEN_VARIABLE: &str = "CLOUDSDK_AUTH_ACCESS_TOKEN";
/// The variable with the path of a file that has an access token.
pub(super) const TOKEN_FILE_VARIABLE: &str = "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE";
/// The variable with the path of a credentials file.
pub(super) const FILE_VARIABLE: &str = "GOOGLE_APPLICATION_CREDENTIALS";
pub(super) const PROJECT_VARIABLE: &str = "GOOGLE_CLOUD_PROJECT";
/// The variable with the project that pays for requests.
pub(super) const QUOTA_PROJECT_VARIABLE: &str = "GOOGLE_CLOUD_QUOTA_PROJECT";
pub(super) const COMPUTE_URL: &str = "https://compute.googleapis.com";
pub(super) const QUOTAS_URL: &str = "https://cloudquotas.googleapis.com";
pub(super) const TOKEN_SERVER: &str = "https://oauth2.googleapis.com";

/// The servers of the services.
pub(super) struct GcpServers {
    pub compute: String,
    pub quotas: String,
}
