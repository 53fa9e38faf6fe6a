//! Requests to Google's servers with an access token, which is fetched when the first request needs
//! it.

use std::cell::Cell;

use http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Mutex;

use super::assertion::JwtAssertion;
use super::credentials::{GoogleAccount, GoogleLogin};
use super::names::{ID, QUOTA_PROJECT_VARIABLE, TOKEN_VARIABLE};
use crate::clock::now;
use crate::context::Context;
use crate::error::{ErrorKind, ProviderError, Retry};
use crate::json::{Maybe, MaybeList, MaybeObject};
use crate::oauth::access_token;
use crate::read_call::ReadCall;
use crate::secret::Secrets;

/// The largest answers are lists of quotas, which take a few megabytes.
const MAX_BODY: usize = 16 << 20;
/// A token is renewed twice at most: a server that refuses each new token is not asked forever.
const MAX_LOGINS: u32 = 3;
/// The rights for machine types, advice and quotas of regions.
const COMPUTE_SCOPE: &str = "https://www.googleapis.com/auth/compute";
/// The rights for Cloud Quotas, which accepts no narrower ones.
const QUOTA_SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";

/// A request to one of Google's servers.
pub(super) struct GoogleCall<'c> {
    /// The operation, such as `listing machine types`.
    pub operation: &'c str,
    pub url: String,
    /// The parameters in the body; `None` for a `GET` request.
    pub body: Option<Value>,
    /// The name of the service.
    pub service: &'static str,
    /// The role that the request needs.
    pub role: &'static str,
}

/// The requests of one run with one account.
pub(super) struct GoogleSession<'s> {
    pub account: &'s GoogleAccount,
    pub context: &'s Context<'s>,
    /// True if quotas are requested, which need wider rights.
    pub reads_quotas: bool,
    /// The token. Requests that run at the same time wait for one login.
    token: Mutex<Option<String>>,
    logins: Cell<u32>,
}

/// The error in an answer.
#[derive(Default, Deserialize)]
#[serde(default)]
struct GoogleRefusal {
    error: MaybeObject<RefusalDetails>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RefusalDetails {
    message: Maybe<String>,
    details: MaybeList<MaybeObject<RefusalReason>>,
    errors: MaybeList<MaybeObject<RefusalReason>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RefusalReason {
    reason: Maybe<String>,
    metadata: MaybeObject<RefusalMetadata>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RefusalMetadata {
    service: Maybe<String>,
}

impl<'s> GoogleSession<'s> {
    pub(super) fn new(
        account: &'s GoogleAccount,
        context: &'s Context<'s>,
        reads_quotas: bool,
    ) -> Self {
        Self {
            account,
            context,
            reads_quotas,
            token: Mutex::default(),
            logins: Cell::default(),
        }
    }

    /// Returns the parsed answer to a request. A token that expires between two requests is renewed.
    pub(super) async fn read<T: DeserializeOwned>(
        &self,
        call: &GoogleCall<'_>,
    ) -> Result<T, ProviderError> {
        let token = self.token(None).await?;
        let body = match self.send(call, &token).await {
            Err(error) if error.kind == ErrorKind::CredentialsRefused && self.has_login() => {
                let token = self.token(Some(&token)).await?;
                self.send(call, &token).await?
            }
            answer => answer?,
        };
        self.context.parsed(call.operation, || {
            serde_json::from_slice(&body).map_err(|_| {
                let message = format!("the answer is not the documented JSON ({})", call.operation);
                ProviderError::new(ID, ErrorKind::Protocol, message)
            })
        })
    }

    fn has_login(&self) -> bool {
        !matches!(self.account.login, GoogleLogin::Token(_))
    }

    /// Returns the access token; a new one if the current one is `refused`.
    async fn token(&self, refused: Option<&str>) -> Result<String, ProviderError> {
        if let GoogleLogin::Token(token) = &self.account.login {
            return Ok(token.clone());
        }
        let mut current = self.token.lock().await;
        let usable = current.as_ref();
        if let Some(token) = usable.filter(|token| Some(token.as_str()) != refused) {
            return Ok(token.clone());
        }
        if self.logins.get() >= MAX_LOGINS {
            return Err(self.login_refused());
        }
        self.logins.set(self.logins.get() + 1);
        let token = self.login().await?;
        *current = Some(token.clone());
        Ok(token)
    }

    async fn login(&self) -> Result<String, ProviderError> {
        let scope = if self.reads_quotas {
            QUOTA_SCOPE
        } else {
            COMPUTE_SCOPE
        };
        let secrets = self
            .account
            .secrets()
            .and_password_of(&self.account.token_url);
        let call = ReadCall {
            provider: ID,
            operation: "logging in",
            secrets: &secrets,
            max_body: MAX_BODY,
            pace: None,
            explain: &|status, _| {
                let is_refusal = matches!(status.as_u16(), 400 | 401 | 403);
                is_refusal.then(|| self.login_refused())
            },
        };
        let url = &self.account.token_url;
        match &self.account.login {
            GoogleLogin::Token(token) => Ok(token.clone()),
            GoogleLogin::User {
                client_id,
                client_secret,
                refresh_token,
            } => {
                let form = [
                    ("grant_type", "refresh_token"),
                    ("client_id", client_id),
                    ("client_secret", client_secret),
                    ("refresh_token", refresh_token),
                ];
                access_token(self.context, &call, url, &form).await
            }
            GoogleLogin::Service {
                email,
                key_id,
                private_key,
                audience,
            } => {
                let assertion = JwtAssertion {
                    email,
                    key_id: key_id.as_deref(),
                    scope,
                    audience,
                    at: now(),
                };
                let Some(signed) = assertion.signed(private_key) else {
                    let message = "`private_key` of the service account is not an RSA key";
                    return Err(ProviderError::new(
                        ID,
                        ErrorKind::CredentialsMissing,
                        message,
                    ));
                };
                let form = [
                    ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                    ("assertion", signed.as_str()),
                ];
                access_token(self.context, &call, url, &form).await
            }
        }
    }

    fn login_refused(&self) -> ProviderError {
        let (message, hint) = match self.account.login {
            GoogleLogin::Service { .. } => (
                "Google refused the key of the service account",
                "check that the key is not deleted, and that the clock of this machine is right",
            ),
            _ => (
                "Google refused the stored login",
                "run `gcloud auth application-default login`",
            ),
        };
        ProviderError::new(ID, ErrorKind::CredentialsRefused, message).hint(hint)
    }

    async fn send(&self, call: &GoogleCall<'_>, token: &str) -> Result<Vec<u8>, ProviderError> {
        let secrets: Secrets = self.account.secrets();
        let secrets = secrets.and(token).and_password_of(&call.url);
        let read = ReadCall {
            provider: ID,
            operation: call.operation,
            secrets: &secrets,
            max_body: MAX_BODY,
            pace: None,
            explain: &|status, body| self.explain(call, status, body),
        };
        let reply = self.context.read(&read, |client| {
            let request = match &call.body {
                Some(body) => client.post(&call.url).json(body),
                None => client.get(&call.url),
            };
            let request = request.bearer_auth(token);
            match &self.account.quota_project {
                Some(project) => request.header("x-goog-user-project", project),
                None => request,
            }
        });
        Ok(reply.await?.body)
    }

    /// Returns the error of a refused token, a missing permission, a disabled API, or too many
    /// requests, which Google reports as 403 too.
    fn explain(
        &self,
        call: &GoogleCall<'_>,
        status: StatusCode,
        body: &[u8],
    ) -> Option<ProviderError> {
        let code = status.as_u16();
        if code == 401 {
            let (source, hint) = match self.account.login {
                GoogleLogin::Token(_) => {
                    let hint = "tokens expire after an hour: set a new one";
                    (format!(" in {TOKEN_VARIABLE}"), hint)
                }
                _ => (String::new(), "run `gcloud auth application-default login`"),
            };
            let message = format!("the access token{source} is refused");
            let error = ProviderError::new(ID, ErrorKind::CredentialsRefused, message);
            return Some(error.hint(hint));
        }
        if !matches!(code, 400 | 403 | 404) {
            return None;
        }
        let refusal: GoogleRefusal = serde_json::from_slice(body).unwrap_or_default();
        let refusal = refusal.error.0.unwrap_or_default();
        let reasons: Vec<RefusalReason> = refusal
            .details
            .items()
            .into_iter()
            .chain(refusal.errors.items())
            .filter_map(|reason| reason.0)
            .collect();
        let has = |words: &[&str]| {
            let mut texts = reasons
                .iter()
                .filter_map(|reason| reason.reason.0.as_deref());
            texts.any(|text| words.contains(&text))
        };
        let operation = call.operation;
        if code != 403 {
            let said = refusal.message.0.as_deref().and_then(crate::error::quote);
            let said = said.map(|text| format!(": {text}")).unwrap_or_default();
            let message = format!("HTTP {code} when {operation}{said}");
            let mut error = ProviderError::new(ID, ErrorKind::Protocol, message);
            error.is_absent = true;
            return Some(error);
        }
        let is_busy = has(&[
            "rateLimitExceeded",
            "userRateLimitExceeded",
            "RATE_LIMIT_EXCEEDED",
        ]);
        if is_busy {
            let message = format!("too many requests ({operation})");
            let error = ProviderError::new(ID, ErrorKind::RateLimited, message);
            return Some(error.hint("try again in a minute").retry(Retry::Soon));
        }
        let project = &self.account.project;
        if has(&["SERVICE_DISABLED", "accessNotConfigured"]) {
            let service = reasons
                .iter()
                .find_map(|reason| reason.metadata.0.as_ref()?.service.0.as_deref());
            let service = service.unwrap_or(call.service);
            let message = format!("{service} is not enabled in project {project} ({operation})");
            let error = ProviderError::new(ID, ErrorKind::Permission, message);
            return Some(error.hint(format!(
                "run `gcloud services enable {service} --project {project}`, and for the token of a \
                 user set {QUOTA_PROJECT_VARIABLE}"
            )));
        }
        let message = format!("the account may not do this in project {project} ({operation})");
        let error = ProviderError::new(ID, ErrorKind::Permission, message);
        Some(error.hint(format!("give it {} in the project", call.role)))
    }
}
