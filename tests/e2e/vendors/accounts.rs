//! Stock and quotas of accounts, as the vendors' clients read them from the same stand-in.

use serde_json::{Value, json};
use sky_accel_standin::Standin;

use super::{sky, vendor};
use crate::support::tools;

/// The availability of the only offer of an answer.
fn availability(line: &str, environment: &[(&str, String)]) -> Value {
    let answer = sky(&format!("{line} --live -o json"), environment).json();
    answer["results"][0]["availability"].clone()
}

#[test]
fn azure_clients_and_live_answers_agree() {
    let Some(programs) = tools::vendor("azure") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.environment();
    // The quota admits three machines: it excludes five.
    for (machines, limit, wanted) in [("1", json!(1), "available"), ("5", json!(3), "unavailable")]
    {
        let flags = ["eastus", "Standard_ND96isr_H100_v5", machines];
        let theirs = vendor("azure", &programs, &environment, &flags);
        assert_eq!(theirs["limits"][0]["limit"], limit, "{theirs}");
        let skus = theirs["skus"].as_array().expect("sizes");
        // They come on two pages.
        assert!(skus.len() > 6, "{theirs}");
        assert_eq!(theirs["scores"][0]["score"], "Medium", "{theirs}");
        let line = format!("resolve H100:x8 --provider azure --region eastus --nodes {machines}");
        assert_eq!(availability(&line, &environment), wanted, "{theirs}");
    }
}

#[test]
fn oci_client_and_live_answers_agree() {
    let Some(programs) = tools::vendor("oci") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.environment();
    let theirs = vendor("oci", &programs, &environment, &["BM.GPU.H100.8"]);
    assert_eq!(theirs["regions"], json!(["us-ashburn-1"]));
    let domain = "Uocm:US-ASHBURN-AD-1";
    assert_eq!(
        theirs["stock"][0],
        json!([domain, "AVAILABLE", 3]),
        "{theirs}"
    );
    assert_eq!(theirs["limits"][0], json!([domain, 8, 16]), "{theirs}");
    let line = "resolve H100:x8 --provider oci";
    assert_eq!(availability(line, &environment), "available");
}
