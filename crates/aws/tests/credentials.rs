//! Credentials from HTTP endpoints, and the servers that get them. The SDK is built without an
//! HTTP client, so each source of credentials must get ours, with its rules.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails that way")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{env, fs, thread};

use sky_accel_aws::API;
use sky_accel_providers::{
    Cache, Context, Counts, Environment, Http, Interest, ProviderCall, Query, RunBudget, Timeouts,
};

/// The variable that marks the copy of this program that queries AWS.
const ASKING: &str = "SKY_ACCEL_TEST_QUERIES_AWS";
/// The variable that lets the copy send keys without encryption.
const ALLOWS_PLAIN_HTTP: &str = "SKY_ACCEL_TEST_ALLOWS_PLAIN_HTTP";

/// The answer of a container's agent.
const CREDENTIALS: &str = r#"{"AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": "secret", "Token": "token", "Expiration": "2999-01-01T00:00:00Z"}"#;

/// A token of a login by IAM Identity Center, in the file that the SDK looks for.
const SSO_TOKEN: &str = r#"{"startUrl": "https://sso.example/start", "region": "us-east-1", "accessToken": "sso-token", "expiresAt": "2999-01-01T00:00:00Z"}"#;
const SSO_TOKEN_FILE: &str = "sso/cache/98df91031e87f97bfc088c045be6442dc5d70b2a.json";

/// A host of the documentation's address range. Only a proxy could make it reachable.
const ELSEWHERE: &str = "http://192.0.2.1";

/// A server that records requests and answers each with credentials, as a container's agent or as
/// a proxy.
struct Recorder {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let recorded = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let recorded = Arc::clone(&recorded);
                thread::spawn(move || answer(stream.unwrap(), &recorded));
            }
        });
        Self { address, requests }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, recorded: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut request = String::new();
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|len| len > 2) {
        request += &line;
        line.clear();
    }
    recorded.lock().unwrap().push(request);
    let len = CREDENTIALS.len();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
    let _ = write!(stream, "{head}Content-Length: {len}\r\n\r\n{CREDENTIALS}");
}

/// A copy of this program that queries AWS with an environment and files in its home folder. The
/// SDK reads the environment of the process, which a test cannot change for itself.
struct Asker {
    test: &'static str,
    environment: Vec<(&'static str, String)>,
    files: Vec<(&'static str, String)>,
}

impl Asker {
    /// Sets the variables that send every request through the proxy.
    fn behind(test: &'static str, proxy: &Recorder) -> Self {
        let variables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"];
        Self {
            test,
            environment: variables.map(|name| (name, proxy.url())).to_vec(),
            files: Vec::new(),
        }
    }

    fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.environment.push((name, value.into()));
        self
    }

    /// Sets keys and a session token.
    fn keys(self) -> Self {
        self.env("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
            .env("AWS_SECRET_ACCESS_KEY", "secret-access-key")
            .env("AWS_SESSION_TOKEN", "session-token")
    }

    fn file(mut self, path: &'static str, text: impl Into<String>) -> Self {
        self.files.push((path, text.into()));
        self
    }

    /// Returns the outcome of the query.
    fn outcome(self) -> String {
        let home = tempfile::tempdir().unwrap();
        for (path, text) in &self.files {
            let path = home.path().join(".aws").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let output = Command::new(env::current_exe().unwrap())
            .args(["--exact", "--nocapture", self.test])
            .env_clear()
            .env(ASKING, "1")
            .env("HOME", home.path())
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .env("AWS_REGION", "us-east-1")
            .env("SKY_ACCEL_URL_AWS", "http://127.0.0.1:9")
            .envs(self.environment)
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        let outcome = stdout.split_once("outcome: ");
        let (_, outcome) = outcome.unwrap_or_else(|| panic!("{stdout}"));
        outcome.lines().next().unwrap().to_owned()
    }
}

/// Queries AWS if this process is the copy that does so, and prints the outcome.
#[expect(clippy::print_stdout, reason = "the test reads it")]
fn asks() -> bool {
    if env::var_os(ASKING).is_none() {
        return false;
    }
    let environment = Environment {
        variable: &|name| env::var(name).ok(),
        read: &|_| None,
    };
    let timeouts = Timeouts {
        total: Duration::from_secs(10),
    };
    let http =
        Http::new(timeouts, "test").with_plain_http(env::var_os(ALLOWS_PLAIN_HTTP).is_some());
    let query = Query {
        ids: &["p5.48xlarge".to_owned()],
        regions: &["us-east-1".to_owned()],
        accelerators: &[],
        interest: &|_, _| Interest::Requested,
        counts: Counts {
            min: 1.0,
            max: None,
        },
        places: None,
        on_demand: true,
        spot: true,
        disk_gb: 0.0,
        machines: 1,
        stock: true,
        spot_scores: false,
        capacity_block_hours: None,
        quota: None,
        credentials_only: false,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let budget = RunBudget::default();
    let budget = budget.of_provider("AWS");
    let listing = runtime.block_on(async {
        let context = Context {
            http: &http,
            cache: &Cache::OFF,
            deadline: tokio::time::Instant::now() + timeouts.total,
            events: &|_| {},
            budget: &budget,
        };
        (API.query)(ProviderCall {
            environment: &environment,
            query: &query,
            context: &context,
            consents: true,
        })
        .await
    });
    match listing {
        Ok(_) => println!("\noutcome: answered"),
        Err(error) => println!("\noutcome: {}", error.message),
    }
    true
}

/// Asserts that the copy refuses to send the request, and that the proxy gets none.
fn expect_refusal(proxy: &Recorder, asker: Asker) {
    let outcome = asker.outcome();
    assert!(
        outcome.contains("http://192.0.2.1 would get your key without encryption"),
        "{outcome}"
    );
    assert_eq!(proxy.requests(), [""; 0], "{outcome}");
}

#[test]
fn reads_credentials_of_a_container_and_not_through_a_proxy() {
    if asks() {
        return;
    }
    let (agent, proxy) = (Recorder::start(), Recorder::start());
    let test = "reads_credentials_of_a_container_and_not_through_a_proxy";
    let uri = format!("{}/credentials", agent.url());
    let _ = Asker::behind(test, &proxy)
        .env("AWS_CONTAINER_CREDENTIALS_FULL_URI", uri)
        .env("AWS_ENDPOINT_URL", agent.url())
        .outcome();
    let requests = agent.requests();
    let reads = requests
        .iter()
        .filter(|text| text.starts_with("GET /credentials"));
    assert!(reads.count() > 0, "{requests:?}");
    let signed = requests.iter().filter(|text| text.contains("AKIDEXAMPLE"));
    assert!(signed.count() > 0, "{requests:?}");
    assert_eq!(proxy.requests(), [""; 0]);
}

/// The address of Amazon ECS, and the address of instance metadata.
#[test]
fn a_proxy_gets_no_credentials_of_the_host() {
    if asks() {
        return;
    }
    let test = "a_proxy_gets_no_credentials_of_the_host";
    let proxy = Recorder::start();
    let uri = "http://169.254.170.2/credentials";
    let _ = Asker::behind(test, &proxy)
        .env("AWS_CONTAINER_CREDENTIALS_FULL_URI", uri)
        .outcome();
    // A metadata service on another machine would get its token, and give credentials, in clear text.
    for endpoint in ["http://169.254.169.254", ELSEWHERE] {
        let _ = Asker::behind(test, &proxy)
            .env("AWS_EC2_METADATA_DISABLED", "false")
            .env("AWS_EC2_METADATA_SERVICE_ENDPOINT", endpoint)
            .outcome();
    }
    assert_eq!(proxy.requests(), [""; 0]);
}

#[test]
fn servers_of_the_config_file_get_no_key_without_encryption() {
    if asks() {
        return;
    }
    let test = "servers_of_the_config_file_get_no_key_without_encryption";
    let config = format!("[default]\nendpoint_url = {ELSEWHERE}\n");
    let of_a_service = format!(
        "[default]\nservices = mine\n[services mine]\nec2 =\n  endpoint_url = {ELSEWHERE}\n"
    );
    for config in [&config, &of_a_service] {
        let proxy = Recorder::start();
        expect_refusal(
            &proxy,
            Asker::behind(test, &proxy).keys().file("config", config),
        );
    }
    // The refusal is the reason why the proxy got no request.
    let proxy = Recorder::start();
    let _ = Asker::behind(test, &proxy)
        .keys()
        .file("config", config)
        .env(ALLOWS_PLAIN_HTTP, "1")
        .outcome();
    let requests = proxy.requests().concat();
    assert!(requests.contains("session-token"), "{requests}");
}

#[test]
fn servers_of_variables_get_no_key_without_encryption() {
    if asks() {
        return;
    }
    let test = "servers_of_variables_get_no_key_without_encryption";
    for variable in [
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_EC2",
        "AWS_ENDPOINT_URL_PRICING",
        "AWS_ENDPOINT_URL_SERVICE_QUOTAS",
    ] {
        let proxy = Recorder::start();
        expect_refusal(
            &proxy,
            Asker::behind(test, &proxy).keys().env(variable, ELSEWHERE),
        );
    }
}

#[test]
fn servers_that_exchange_tokens_get_none_without_encryption() {
    if asks() {
        return;
    }
    let test = "servers_that_exchange_tokens_get_none_without_encryption";
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    fs::write(&token, "web-identity-token").unwrap();
    let proxy = Recorder::start();
    let asker = Asker::behind(test, &proxy)
        .env("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/reader")
        .env("AWS_WEB_IDENTITY_TOKEN_FILE", token.to_str().unwrap())
        .env("AWS_ENDPOINT_URL_STS", ELSEWHERE);
    expect_refusal(&proxy, asker);
    // A role of a profile, with the keys of another.
    let proxy = Recorder::start();
    let config = "[default]\nrole_arn = arn:aws:iam::123456789012:role/reader\nsource_profile = keys\n\
                  [profile keys]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = secret\n";
    let asker = Asker::behind(test, &proxy)
        .file("config", config)
        .env("AWS_ENDPOINT_URL_STS", ELSEWHERE);
    expect_refusal(&proxy, asker);
    let proxy = Recorder::start();
    let config = "[default]\nsso_start_url = https://sso.example/start\nsso_region = us-east-1\n\
                  sso_account_id = 123456789012\nsso_role_name = reader\n";
    let asker = Asker::behind(test, &proxy)
        .file("config", config)
        .file(SSO_TOKEN_FILE, SSO_TOKEN)
        .env("AWS_ENDPOINT_URL_SSO", ELSEWHERE);
    expect_refusal(&proxy, asker);
}

#[test]
fn endless_files_are_refused() {
    if asks() {
        return;
    }
    let test = "endless_files_are_refused";
    let proxy = Recorder::start();
    for variable in [
        "AWS_CONFIG_FILE",
        "AWS_SHARED_CREDENTIALS_FILE",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
        "SSL_CERT_FILE",
    ] {
        let outcome = Asker::behind(test, &proxy)
            .env(variable, "/dev/zero")
            .outcome();
        assert!(outcome.contains(variable), "{outcome}");
        assert!(outcome.contains("not a regular file"), "{outcome}");
    }
}
