//! A minimal client that shows the exact bytes of responses.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot talk to the server has failed"
)]
#![allow(dead_code, reason = "each test target uses a part of it")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;
use sky_accel_standin::{Service, Standin, credential};

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
    /// The raw body, for binary responses.
    pub bytes: Vec<u8>,
}

impl Answer {
    /// Returns the value of a header. Names and values are in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let start = format!("{name}: ");
        self.head
            .lines()
            .find_map(|line| line.strip_prefix(start.as_str()))
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// Sends a request to a path below the base URL of a service. Returns `None` if the server closes the
/// connection or does not respond in time.
pub fn send(
    standin: &Standin,
    service: Service,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> Option<Answer> {
    let url = standin.url(service);
    let (host, base) = url
        .strip_prefix("http://")
        .unwrap()
        .split_once('/')
        .unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_millis(500)))
        .unwrap();
    write!(
        stream,
        "{method} /{base}{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut bytes = Vec::new();
    // An endless response is read for a limited time.
    let mut buffer = vec![0; 65536];
    while bytes.len() < 2_000_000 {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
        }
    }
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let body = bytes.split_off(end + 4);
    let head = String::from_utf8_lossy(&bytes);
    Some(Answer {
        status: head.split(' ').nth(1)?.parse().ok()?,
        head: head.to_lowercase(),
        body: String::from_utf8_lossy(&body).into_owned(),
        bytes: body,
    })
}

/// Requests a path without a credential.
pub fn get(standin: &Standin, service: Service, path: &str) -> Answer {
    send(standin, service, "GET", path, "", "").unwrap()
}

/// Returns a header with the credential of a variable.
fn bearer(variable: &str) -> String {
    format!("authorization: Bearer {}\r\n", credential(variable))
}

pub fn graphql(standin: &Standin, query: &str, variables: &Value) -> Answer {
    let body = serde_json::json!({ "query": query, "variables": variables }).to_string();
    let headers = bearer("RUNPOD_API_KEY");
    send(
        standin,
        Service::RUNPOD,
        "POST",
        "/graphql",
        &headers,
        &body,
    )
    .unwrap()
}

pub fn vast(standin: &Standin, query: &Value) -> Answer {
    let headers = bearer("VAST_API_KEY");
    let path = "/api/v0/bundles/";
    send(
        standin,
        Service::VAST,
        "POST",
        path,
        &headers,
        &query.to_string(),
    )
    .unwrap()
}

pub fn ec2(standin: &Standin, region: &str, form: &str) -> Answer {
    let key = credential("AWS_ACCESS_KEY_ID");
    let headers = format!(
        "authorization: AWS4-HMAC-SHA256 Credential={key}/20260101/{region}/ec2/aws4_request, SignedHeaders=host, Signature=0\r\n"
    );
    send(standin, Service::EC2, "POST", "/", &headers, form).unwrap()
}
