//! Keys: their sources, the errors without them, and that no output shows them.

use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::{fs, thread};

use sky_accel_engine::asking::{self, ProviderApi};
use sky_accel_standin::{Fault, Service, credential, credentials};

use super::{Market, PROVIDERS, key_providers};
use crate::support::Sky;

/// The secrets that no output may show: the credentials of the stand-in in secret variables.
pub static SECRETS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let is_secret =
        |name: &str| asking::providers().any(|api| api.secret_variables.contains(&name));
    let secrets: Vec<&str> = credentials()
        .filter_map(|(name, value)| is_secret(name).then_some(value))
        .collect();
    for api in asking::providers().filter(|api| api.takes_key()) {
        let has_secret = credentials().any(|(name, _)| api.secret_variables[0] == name);
        assert!(has_secret, "{}: the stand-in has no credentials", api.id);
    }
    secrets
});

#[test]
fn missing_keys_are_reported_with_variable_and_file() {
    // Other providers need no key for some of their data.
    let needs_consent = |api: &&ProviderApi| api.restrictive_terms.is_some();
    for api in key_providers().filter(needs_consent) {
        let provider = api.id;
        let world = Market::new();
        let mut sky = world.sky(&format!("resolve H100 --provider {provider} --live"));
        for variable in api.key_variables() {
            sky = sky.env(variable, "");
        }
        let run = sky.run().expect_code(3);
        assert!(run.stdout.contains("not reached"), "{}", run.stdout);
        for text in [api.secret_variables[0], api.key_files[0], "--public"] {
            assert!(run.stderr.contains(text), "{provider}: {}", run.stderr);
        }
        assert!(
            world.standin.requests().is_empty(),
            "{provider}: no request without a key"
        );
    }
}

#[test]
fn a_missing_key_affects_only_its_provider() {
    let world = Market::new();
    let run = world
        .sky("resolve H100 --live --all -v")
        .env("RUNPOD_API_KEY", "")
        .run()
        .expect_code(0);
    assert!(run.stdout.contains("vastai"), "{}", run.stdout);
    assert!(run.stderr.contains("RUNPOD_API_KEY"), "{}", run.stderr);
    assert_eq!(world.asked(Service::RUNPOD), 0);
    // A provider that is named must answer.
    let run = world
        .sky("resolve H100 --live --provider runpod,vastai")
        .env("RUNPOD_API_KEY", "")
        .run()
        .expect_code(5);
    assert!(run.stdout.contains("vastai"), "{}", run.stdout);
    assert!(run.stderr.contains("RUNPOD_API_KEY"), "{}", run.stderr);
}

#[test]
fn key_files_of_the_vendors_tools_are_read() {
    let home = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        ".runpod/config.toml",
        &format!("apiKey = '{}'\n", credential("RUNPOD_API_KEY")),
    );
    write(
        "config/vastai/vast_api_key",
        &format!("{}\n", credential("VAST_API_KEY")),
    );
    write(
        ".verda/credentials",
        &format!(
            "[default]\nverda_client_id = {}\nverda_client_secret = {}\n",
            credential("VERDA_CLIENT_ID"),
            credential("VERDA_CLIENT_SECRET")
        ),
    );
    write(
        ".aws/credentials",
        &format!(
            "[default]\naws_access_key_id = {}\naws_secret_access_key = {}\n",
            credential("AWS_ACCESS_KEY_ID"),
            credential("AWS_SECRET_ACCESS_KEY")
        ),
    );
    let config = home.path().join("config");
    expect_keys_found(home.path(), |sky| sky.env("XDG_CONFIG_HOME", &config));
    // The paths and formats of older versions.
    fs::remove_dir_all(&config).unwrap();
    write(".vast_api_key", credential("VAST_API_KEY"));
    write(
        ".runpod/config.toml",
        &format!("[default]\napi_key = '{}'\n", credential("RUNPOD_API_KEY")),
    );
    write(
        ".verda/credentials",
        &format!(
            "[default]\nverda_client_id = wrong\n[work]\nverda_client_id = {}\nverda_client_secret = {}\n",
            credential("VERDA_CLIENT_ID"),
            credential("VERDA_CLIENT_SECRET")
        ),
    );
    expect_keys_found(home.path(), |sky| {
        sky.env("VERDA_PROFILE", "work")
            .remove_env("XDG_CONFIG_HOME")
    });
}

/// Asserts that every provider finds its key without a variable.
fn expect_keys_found(home: &std::path::Path, prepare: impl Fn(Sky) -> Sky) {
    let world = Market::new();
    let mut sky = world.sky("resolve H100 --live -o json").env("HOME", home);
    for variable in asking::key_variables() {
        sky = sky.remove_env(variable);
    }
    let answer = prepare(sky).json();
    for answer in answer["live"].as_array().unwrap() {
        assert_ne!(answer["source"], "failed", "{answer}");
    }
}

#[test]
fn keys_are_sent_only_in_headers() {
    let world = Market::new();
    let _ = world.sky("resolve H100 --live").run().expect_code(0);
    for request in world.standin.requests() {
        for secret in SECRETS.iter() {
            assert!(!request.path.contains(secret), "{}", request.path);
            let is_login = request.path.contains("/oauth2/");
            assert!(
                is_login || !request.body.contains(secret),
                "{}",
                request.body
            );
        }
    }
}

fn files(folder: &Path) -> Vec<String> {
    let mut files_below = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            files_below.extend(files(&entry.path()));
        } else {
            files_below.push(format!(
                "{} {}",
                entry.path().display(),
                String::from_utf8_lossy(&fs::read(entry.path()).unwrap())
            ));
        }
    }
    files_below
}

#[test]
fn no_secret_is_in_any_output_or_cache_file() {
    let mut seen = Vec::new();
    let faults = [
        Fault::None,
        Fault::EchoSecrets,
        Fault::Unauthorized,
        Fault::ServerError,
        Fault::Close,
    ];
    for fault in faults {
        for output in ["table", "json", "yaml", "csv"] {
            let world = Market::new();
            for (_, service) in PROVIDERS.iter() {
                world.standin.fault_times(*service, fault.clone(), 2);
            }
            let flags = if output == "table" { "-v" } else { "" };
            let run = world
                .sky(&format!("resolve H100 --live -o {output} {flags}"))
                .run();
            seen.push(run.stdout);
            seen.push(run.stderr);
            seen.extend(files(world.cache.path()));
        }
    }
    // A marketplace whose GPU name is the key of the request.
    let world = Market::new();
    let row = format!(
        r#"{{"offers":[{{"id":1,"gpu_name":"{}","num_gpus":1,"gpu_ram":24564,"dph_total":1.0}}]}}"#,
        credential("VAST_API_KEY")
    );
    world.standin.fault(
        Service::VAST,
        Fault::Status {
            code: 200,
            body: row,
            content_type: "application/json".to_owned(),
            headers: Vec::new(),
        },
    );
    let run = world
        .sky("resolve any:24GB+ --provider vastai --live -o json")
        .run();
    assert!(
        run.stdout.contains("[redacted]") || run.stderr.contains("[redacted]"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    seen.extend([run.stdout, run.stderr]);
    seen.extend(files(world.cache.path()));

    assert!(seen.iter().any(|text| text.contains("H100-80GB-SXM")));
    for secret in SECRETS.iter() {
        for text in &seen {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
}

#[test]
fn no_key_is_sent_without_encryption_to_another_machine() {
    // A reserved address without a server: only `--insecure` allows a request to it.
    let ask = |line: &str| {
        Market::new()
            .sky(line)
            .env("RUNPOD_API_KEY", "rpa_0123456789abcdef")
            .env("RUNPOD_API_BASE_URL", "http://192.0.2.1")
            .run()
            .expect_code(4)
    };
    let run = ask("resolve H100 --live --provider runpod");
    assert!(
        run.stderr
            .contains("http://192.0.2.1 would get your key without encryption"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("--insecure"), "{}", run.stderr);
    assert!(!run.stderr.contains("rpa_"), "{}", run.stderr);
    let run = ask("resolve H100 --live --provider runpod --insecure --timeout 1");
    assert!(!run.stderr.contains("without encryption"), "{}", run.stderr);
}

#[cfg(feature = "aws")]
#[test]
fn no_signature_is_made_for_an_endpoint_without_encryption() {
    for variable in [
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_EC2",
        "AWS_ENDPOINT_URL_PRICING",
        "AWS_ENDPOINT_URL_SERVICE_QUOTAS",
    ] {
        let world = Market::new();
        let run = world
            .sky("resolve H100 --live --provider aws --region us-east-1 --timeout 5")
            .env(variable, "http://192.0.2.1")
            .run();
        assert_eq!(run.code, 4, "{variable}: {}", run.stderr);
        assert!(
            run.stderr.contains("without encryption"),
            "{variable}: {}",
            run.stderr
        );
        assert!(world.standin.requests().is_empty(), "{variable}");
    }
}

/// A server that counts connections and closes them.
fn counting_server() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let count = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        for _ in listener.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    (format!("http://{address}"), count)
}

fn behind(proxy: &str, sky: Sky) -> Sky {
    let variables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
    variables
        .into_iter()
        .chain(["http_proxy", "https_proxy", "all_proxy"])
        .fold(sky, |sky, variable| sky.env(variable, proxy))
}

#[test]
fn servers_on_this_machine_are_reached_without_a_proxy() {
    let (proxy, count) = counting_server();
    let world = Market::new();
    let lines = [
        "resolve H100 --live --all -o json",
        "catalog update --provider azure,runpod,verda,vultr --into new",
    ];
    for line in lines {
        let folder = tempfile::tempdir().unwrap();
        let run = behind(&proxy, world.sky(line)).folder(folder.path()).run();
        assert_eq!(run.code, 0, "{line}: {}", run.stderr);
        assert_eq!(count.load(Ordering::SeqCst), 0, "{line}");
    }
    // The model hub.
    let (hub, reached) = counting_server();
    let _ = behind(&proxy, world.sky("fit L4 --model hf:org/small --live"))
        .env("HF_ENDPOINT", &hub)
        .env("HF_TOKEN", "hf_0123456789abcdef")
        .run();
    assert!(reached.load(Ordering::SeqCst) > 0);
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[test]
fn proxies_get_requests_to_other_machines() {
    let (proxy, count) = counting_server();
    let sky = Market::new().sky("resolve H100 --live --provider azure --timeout 5");
    let sky = sky.env("SKY_ACCEL_URL_AZURE", "http://192.0.2.1");
    let _ = behind(&proxy, sky).run();
    assert!(count.load(Ordering::SeqCst) > 0);
}

#[test]
fn passwords_in_addresses_are_neither_stored_nor_shown() {
    let world = Market::new();
    for line in [
        "resolve H100 --live --all -v -o json",
        "resolve H100 --live --all -v",
        "catalog update --provider azure,runpod,verda,vultr --into new",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let urls = world.standin.urls().into_iter();
        let sky = urls.fold(world.sky(line), |sky, (name, url)| {
            // The SDK of AWS knows no passwords in addresses.
            if name.starts_with("AWS_") {
                return sky;
            }
            sky.env(name, url.replace("://", "://user:hunter2pass@"))
        });
        let run = sky.folder(folder.path()).run();
        let mut texts = vec![run.stdout, run.stderr];
        texts.extend(files(world.cache.path()));
        texts.extend(files(folder.path()));
        assert!(texts.iter().any(|text| text.contains("azure")), "{line}");
        for text in texts {
            assert!(!text.contains("hunter2pass"), "{line}: {text}");
        }
    }
}

#[test]
fn a_password_in_an_address_is_not_sent_without_encryption() {
    let (proxy, count) = counting_server();
    let sky = Market::new().sky("resolve H100 --live --provider azure --timeout 5");
    let sky = sky.env("SKY_ACCEL_URL_AZURE", "http://user:hunter2pass@192.0.2.1");
    let run = behind(&proxy, sky).run().expect_code(4);
    let wanted = "http://192.0.2.1 would get your key without encryption";
    assert!(run.stderr.contains(wanted), "{}", run.stderr);
    assert!(!run.stderr.contains("hunter2pass"), "{}", run.stderr);
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[cfg(unix)]
#[test]
fn endless_files_of_variables_are_not_read() {
    let world = Market::new();
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("large.pem");
    let file = fs::File::create(&large).unwrap();
    file.set_len(1 << 30).unwrap();
    for (variable, path) in [
        ("SSL_CERT_FILE", Path::new("/dev/zero")),
        ("SSL_CERT_FILE", folder.path()),
        ("SSL_CERT_FILE", &large),
        ("SSL_CERT_DIR", folder.path()),
    ] {
        let sky = world.sky("resolve H100 --live --provider runpod");
        let run = sky.env(variable, path).run().expect_code(4);
        let named = format!("{variable} names {}", folder.path().display());
        let is_clear = run.stderr.contains(&named) || run.stderr.contains("names /dev/zero");
        assert!(is_clear, "{variable}: {}", run.stderr);
    }
    // Key files of the providers' tools.
    let sky = world.sky("resolve H100 --live --provider verda --public");
    let run = sky
        .remove_env("VERDA_CLIENT_ID")
        .remove_env("VERDA_CLIENT_SECRET")
        .env("VERDA_SHARED_CREDENTIALS_FILE", "/dev/zero")
        .run();
    assert_eq!(run.code, 0, "{}", run.stderr);
}
