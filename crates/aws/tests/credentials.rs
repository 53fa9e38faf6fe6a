//! Credentials from HTTP endpoints. The SDK is built without an HTTP client, so each source of
//! credentials must get ours.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails that way"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::time::Duration;
use std::{env, thread};

use sky_accel_aws::Aws;
use sky_accel_providers::{Environment, Http, Timeouts};

/// The variable that marks the copy of this program that looks for credentials.
const ASKING: &str = "SKY_ACCEL_TEST_ASKS_FOR_CREDENTIALS";

/// The answer of a container's agent.
const CREDENTIALS: &str = r#"{"AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": "secret", "Token": "token", "Expiration": "2999-01-01T00:00:00Z"}"#;

#[test]
fn reads_credentials_of_a_container() {
    check("reads_credentials_of_a_container", |agent| {
        let uri = format!("http://{agent}/credentials");
        vec![("AWS_CONTAINER_CREDENTIALS_FULL_URI", uri)]
    });
}

/// Only the proxy makes the address of Amazon ECS reachable.
#[test]
fn reads_credentials_through_a_proxy() {
    check("reads_credentials_through_a_proxy", |proxy| {
        let uri = "http://169.254.170.2/credentials".to_owned();
        vec![
            ("AWS_CONTAINER_CREDENTIALS_FULL_URI", uri),
            ("HTTP_PROXY", format!("http://{proxy}")),
        ]
    });
}

/// Answers a copy of this program with credentials, at an address in the environment of the copy.
/// The SDK reads the environment of the process, which a test cannot change for itself.
fn check(test: &str, environment: impl Fn(SocketAddr) -> Vec<(&'static str, String)>) {
    if env::var_os(ASKING).is_some() {
        return ask();
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || serve_once(&listener));
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test])
        .env_clear()
        .env(ASKING, "1")
        .env("HOME", home.path())
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .envs(environment(address))
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}");
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
    let account = runtime.block_on(Aws::from_environment(
        &environment,
        &Http::new(timeouts, "test"),
        false,
    ));
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
