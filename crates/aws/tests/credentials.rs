//! Credentials that come over HTTP: the SDK is built without an HTTP client of its own, so whatever
//! looks for them must have been handed one.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails that way"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::time::Duration;
use std::{env, thread};

use sky_accel_aws::Aws;
use sky_accel_providers::{Environment, Timeouts};

/// Set in the copy of this program that asks for credentials.
const ASKING: &str = "SKY_ACCEL_TEST_ASKS_FOR_CREDENTIALS";

/// What a container's agent answers.
const CREDENTIALS: &str = r#"{"AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": "secret", "Token": "token", "Expiration": "2999-01-01T00:00:00Z"}"#;

/// The SDK reads the process's environment, which a test cannot change for itself: it starts a copy
/// of itself with another one.
#[test]
fn a_container_is_asked_for_credentials() {
    if env::var_os(ASKING).is_some() {
        return ask();
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let agent = thread::spawn(move || serve_once(&listener));
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "a_container_is_asked_for_credentials"])
        .env_clear()
        .env(ASKING, "1")
        .env("HOME", home.path())
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .env(
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            format!("http://{address}/credentials"),
        )
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}");
    agent.join().unwrap();
}

fn ask() {
    let environment = Environment {
        variable: &|name| env::var(name).ok(),
        read: &|_| None,
    };
    let timeouts = Timeouts {
        total: Duration::from_secs(10),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let account = runtime.block_on(Aws::from_environment(&environment, timeouts, false));
    account.expect("credentials of the container");
}

/// Answers one request with credentials.
fn serve_once(listener: &TcpListener) {
    let (mut stream, _) = listener.accept().unwrap();
    let mut request = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    while request.read_line(&mut line).unwrap() > 2 {
        line.clear();
    }
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{CREDENTIALS}",
        CREDENTIALS.len()
    )
    .unwrap();
}
