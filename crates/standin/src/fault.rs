//! Faults that tests inject.

use std::str::FromStr;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    None,
    Status {
        code: u16,
        body: String,
        content_type: String,
        headers: Vec<(String, String)>,
    },
    /// 401 in the provider's format (400 with the service's code for Pricing and Quotas).
    Unauthorized,
    /// 403 in the provider's format (400 with the service's code for Pricing and Quotas).
    Forbidden,
    /// 429 in the provider's format (503 for EC2 and for files on S3, 400 for Pricing, 429 for
    /// Quotas).
    TooMany {
        retry_after: Option<u64>,
    },
    /// A limit that only a new day lifts.
    DailyQuota,
    /// 500 in the provider's format.
    ServerError,
    /// 200 with an HTML page.
    Html,
    /// 200 with an empty body.
    Empty,
    /// The first half of the proper answer: the connection closes before Content-Length is reached.
    Truncated,
    /// The proper shape in which scalars have wrong types: numbers are objects, strings are
    /// arrays, lists of scalars are strings. Lists of objects stay, so that the wrong scalars
    /// are reached.
    WrongTypes,
    /// The proper shape with every leaf null.
    Nulls,
    /// 200 and a string that never ends, as fast as it can be read.
    Endless,
    /// The proper answer at a byte a second.
    Trickle,
    /// Accepts, never answers.
    Silence,
    /// Closes the connection without answering.
    Close,
    /// 307 to that URL.
    Redirect(String),
    /// Services with tokens: the first token handed out is refused on the data endpoints after one
    /// use. The others: `Unauthorized` for one request.
    ExpiredToken,
    /// Unknown enum values, unknown extra fields, and an unheard-of row at the end of every list.
    UnknownValues,
    /// The proper answer, later.
    Delay(Duration),
    /// Every second row of a list carries control sequences, the last one a 100 kB name.
    Hostile,
    /// The proper answer with every price divided by a billion.
    TinyPrices,
    /// The proper answer in which every device and type has an unknown name.
    UnknownDevices,
    /// The proper answer with more than 50,000 rows in each list.
    ManyRows,
    /// 200 and a few kilobytes that unpack to half a gigabyte: a zip archive where one belongs, and
    /// otherwise gzip without a header that says so.
    Bomb,
    /// 400 whose message repeats the Authorization header and the request body.
    EchoSecrets,
}

impl Fault {
    /// Faults that disfigure the proper answer are about data: a token endpoint is spared them,
    /// or no test would ever see the data.
    pub(crate) fn spares_tokens(&self) -> bool {
        matches!(
            self,
            Self::WrongTypes
                | Self::Nulls
                | Self::Truncated
                | Self::UnknownValues
                | Self::Hostile
                | Self::TinyPrices
                | Self::UnknownDevices
                | Self::ManyRows
                | Self::Bomb
                | Self::ExpiredToken
        )
    }
}

impl FromStr for Fault {
    type Err = String;

    /// `too-many`, `too-many:30`, `delay:500`, `redirect:URL`, `status:418:BODY` and so on.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, argument) = match text.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (text, None),
        };
        let number = |argument: &str| {
            argument
                .parse::<u64>()
                .map_err(|error| format!("{text}: {error}"))
        };
        let wants = || format!("{name} wants an argument: {name}:…");
        Ok(match name {
            "none" => Self::None,
            "unauthorized" => Self::Unauthorized,
            "forbidden" => Self::Forbidden,
            "too-many" => Self::TooMany {
                retry_after: argument.map(number).transpose()?,
            },
            "daily-quota" => Self::DailyQuota,
            "server-error" => Self::ServerError,
            "html" => Self::Html,
            "empty" => Self::Empty,
            "truncated" => Self::Truncated,
            "wrong-types" => Self::WrongTypes,
            "nulls" => Self::Nulls,
            "endless" => Self::Endless,
            "trickle" => Self::Trickle,
            "silence" => Self::Silence,
            "close" => Self::Close,
            "redirect" => Self::Redirect(argument.ok_or_else(wants)?.into()),
            "expired-token" => Self::ExpiredToken,
            "unknown-values" => Self::UnknownValues,
            "delay" => Self::Delay(Duration::from_millis(number(argument.ok_or_else(wants)?)?)),
            "hostile" => Self::Hostile,
            "tiny-prices" => Self::TinyPrices,
            "unknown-devices" => Self::UnknownDevices,
            "many-rows" => Self::ManyRows,
            "bomb" => Self::Bomb,
            "echo-secrets" => Self::EchoSecrets,
            "status" => {
                let (code, body) = argument
                    .ok_or_else(wants)?
                    .split_once(':')
                    .unwrap_or((argument.unwrap_or_default(), ""));
                Self::Status {
                    code: code.parse().map_err(|error| format!("{text}: {error}"))?,
                    body: body.into(),
                    content_type: "text/plain".into(),
                    headers: Vec::new(),
                }
            }
            _ => return Err(format!("no such fault: {name}")),
        })
    }
}
