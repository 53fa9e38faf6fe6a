//! Conversion of the SDK's errors to errors with advice.

use std::error::Error;

use aws_sdk_ec2::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use sky_accel_providers::{
    ErrorKind, ProviderError, Secrets, TOO_LATE, quote, reason_of, unencrypted,
};

use crate::api::ID;
use crate::transport::Unencrypted;

/// Error codes of refused keys.
const REFUSED: &[&str] = &[
    "AuthFailure",
    "ExpiredToken",
    "ExpiredTokenException",
    "IncompleteSignature",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "MissingAuthenticationToken",
    "RequestExpired",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
];
/// Error codes of missing permissions.
const FORBIDDEN: &[&str] = &[
    "AccessDenied",
    "AccessDeniedException",
    "UnauthorizedOperation",
    "NotAuthorized",
];
/// Error codes of throttling.
const THROTTLED: &[&str] = &[
    "RequestLimitExceeded",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
];

/// Converts an error of a call. `action` is the permission that the call needs, such as
/// `ec2:DescribeRegions`.
pub(crate) fn explain<E>(
    action: &str,
    secrets: &Secrets,
    error: &SdkError<E, HttpResponse>,
) -> ProviderError
where
    E: ProvideErrorMetadata + Error + 'static,
{
    let fail = |kind, message: String| ProviderError::new(ID, kind, secrets.redact(&message));
    match error {
        SdkError::TimeoutError(_) => fail(ErrorKind::Timeout, format!("{TOO_LATE} ({action})"))
            .hint("try again, or allow more time with `timeout`")
            .because(TOO_LATE),
        SdkError::DispatchFailure(failure) if failure.is_timeout() => {
            fail(ErrorKind::Timeout, format!("no answer in time ({action})")).because(TOO_LATE)
        }
        SdkError::DispatchFailure(failure) => {
            let cause = failure.as_connector_error();
            if let Some(refused) = cause.and_then(|error| Unencrypted::cause_of(error)) {
                return unencrypted(ID, &refused.host);
            }
            let why = failure
                .as_connector_error()
                .map(|error| reason_of(error))
                .unwrap_or_default();
            let cause = quote(&secrets.redact(&why)).unwrap_or_default();
            fail(
                ErrorKind::Network,
                format!("cannot be reached{} ({action})", because(&why)),
            )
            .because(cause)
        }
        SdkError::ServiceError(refused) => explain_refusal(
            action,
            secrets,
            refused.err(),
            refused.raw().status().as_u16(),
        ),
        SdkError::ResponseError(_) => fail(
            ErrorKind::Protocol,
            format!("the answer cannot be read ({action})"),
        ),
        other => {
            let why = DisplayErrorContext(other).to_string();
            fail(
                ErrorKind::Protocol,
                format!("{action} cannot be called{}", because(&why)),
            )
        }
    }
}

/// Converts the error of a refused call by its code and its HTTP status.
fn explain_refusal(
    action: &str,
    secrets: &Secrets,
    error: &impl ProvideErrorMetadata,
    status: u16,
) -> ProviderError {
    let fail = |kind, message: String| ProviderError::new(ID, kind, secrets.redact(&message));
    let code = word(error.code().unwrap_or_default());
    let words = error
        .message()
        .and_then(quote)
        .map(|text| secrets.redact(&text));
    let reason = after_colon(words.as_deref());
    if FORBIDDEN.contains(&code) || status == 403 && !REFUSED.contains(&code) {
        return fail(
            ErrorKind::Permission,
            format!("the account may not call {action}"),
        )
        .hint(format!(
            "allow {action}: docs/prices.md has the complete policy"
        ));
    }
    if REFUSED.contains(&code) || status == 401 {
        return fail(
            ErrorKind::CredentialsRefused,
            format!("the credentials are refused ({action}, {code})"),
        )
        .hint("run `aws sts get-caller-identity` to check whether they are still valid");
    }
    if THROTTLED.contains(&code) || status == 429 {
        return fail(
            ErrorKind::RateLimited,
            format!("too many requests ({action})"),
        )
        .hint("try again in a minute");
    }
    if code == OPT_IN_REQUIRED {
        return fail(
            ErrorKind::Permission,
            format!("the region is not enabled ({action}, {code})"),
        );
    }
    if (300..400).contains(&status) {
        return fail(
            ErrorKind::Protocol,
            format!(
                "the answer is a redirect, which is not followed ({action}): check the endpoint URL"
            ),
        );
    }
    if status < 400 {
        return fail(
            ErrorKind::Protocol,
            format!("the answer is not what AWS documents ({action})"),
        );
    }
    let kind = if status >= 500 {
        ErrorKind::Server
    } else {
        ErrorKind::Protocol
    };
    let code = if code.is_empty() {
        String::new()
    } else {
        format!(" {code}")
    };
    fail(kind, format!("HTTP {status}{code} from {action}{reason}")).quoting(words)
}

/// The error code of a region that the account has not enabled.
const OPT_IN_REQUIRED: &str = "OptInRequired";

/// Returns true if a region is not enabled: it reports that, or it refuses a key that is valid in
/// another region.
pub(crate) fn is_closed<E: ProvideErrorMetadata>(
    error: &SdkError<E, HttpResponse>,
    key_is_good: bool,
) -> bool {
    match error.code() {
        Some(OPT_IN_REQUIRED) => true,
        Some("AuthFailure") => key_is_good,
        _ => false,
    }
}

/// Returns an error code: at most one short word, whatever the service sent.
fn word(code: &str) -> &str {
    let end = code
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '.')
        .unwrap_or(code.len());
    &code[..end.min(64)]
}

/// Returns `: ` and the reason, if it may be quoted.
fn because(why: &str) -> String {
    after_colon(quote(why).as_deref())
}

/// Returns `: ` and the words; empty without words.
fn after_colon(words: Option<&str>) -> String {
    words.map(|words| format!(": {words}")).unwrap_or_default()
}
