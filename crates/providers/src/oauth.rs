//! Access tokens from the token servers of OAuth 2.0.

use serde::Deserialize;

use crate::context::Context;
use crate::credentials::is_header_safe;
use crate::error::{ErrorKind, ProviderError};
use crate::json::{LongText, Maybe};
use crate::read_call::ReadCall;

#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenAnswer {
    access_token: Maybe<LongText>,
}

/// Returns the access token for a form with credentials. The call's [`ReadCall::explain`] says which
/// statuses mean refused credentials.
///
/// # Errors
///
/// Fails with the error of the call, and with [`ErrorKind::Protocol`] if the answer has no token that
/// a header can contain.
pub(crate) async fn access_token(
    context: &Context<'_>,
    call: &ReadCall<'_>,
    url: &str,
    form: &[(&str, &str)],
) -> Result<String, ProviderError> {
    let reply = context.read(call, |client| client.post(url).form(form));
    let body = reply.await?.body;
    let token = context.parsed(call.operation, || Ok(token_of(&body)))?;
    token.ok_or_else(|| {
        ProviderError::new(
            call.provider,
            ErrorKind::Protocol,
            "the answer to the login has no token",
        )
    })
}

/// Returns the token in an answer; `None` without a usable token.
pub(crate) fn token_of(body: &[u8]) -> Option<String> {
    let answer: TokenAnswer = serde_json::from_slice(body).ok()?;
    let token = answer.access_token.0?.0;
    is_header_safe(&token).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::token_of;

    #[test]
    fn only_tokens_that_a_header_can_contain_are_used() {
        let token = |text: &str| token_of(text.as_bytes());
        assert_eq!(
            token(r#"{"access_token":"ya29.a","expires_in":3599}"#).as_deref(),
            Some("ya29.a")
        );
        for bad in [
            "",
            "[]",
            "{}",
            r#"{"access_token":""}"#,
            r#"{"access_token":7}"#,
            r#"{"access_token":"a\r\nx-evil: 1"}"#,
        ] {
            assert_eq!(token(bad), None, "{bad}");
        }
    }
}
