//! Responses with faults.

mod http;

use std::time::{Duration, Instant};

use http::{ec2, graphql, send, vast};
use serde_json::{Value, json};
use sky_accel_standin::{Fault, Service, Standin};

const LIST: &str = "{ gpuTypes { id displayName memoryInGb } }";

#[test]
fn faults_of_the_connection() {
    let standin = Standin::start();
    let meet = |fault: Fault| {
        standin.fault(Service::VAST, fault);
        send(
            &standin,
            Service::VAST,
            "GET",
            "/api/v0/gpu_names/unique/",
            "",
            "",
        )
    };
    assert!(meet(Fault::Close).is_none());
    assert!(meet(Fault::Silence).is_none());
    let cut = meet(Fault::Truncated).unwrap();
    let length = cut.head.split("content-length: ").nth(1).unwrap();
    let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
    assert_eq!(cut.body.len(), length / 2);
    assert!(meet(Fault::Endless).unwrap().body.len() > 1_000_000);
    assert!(meet(Fault::Trickle).unwrap().body.is_empty());
    let away = meet(Fault::Redirect("http://192.0.2.1/".into())).unwrap();
    assert!(away.status == 307 && away.head.contains("location: http://192.0.2.1/"));
    let start = Instant::now();
    assert_eq!(
        meet(Fault::Delay(Duration::from_millis(50)))
            .unwrap()
            .status,
        200
    );
    assert!(start.elapsed() >= Duration::from_millis(50));
}

#[test]
fn faults_of_the_data() {
    let standin = Standin::start();
    let meet = |fault: Fault| {
        standin.fault(Service::RUNPOD, fault);
        graphql(&standin, LIST, &Value::Null).json()["data"]["gpuTypes"].clone()
    };
    let count = meet(Fault::None).as_array().unwrap().len();
    assert_eq!(
        meet(Fault::WrongTypes)[0],
        json!({ "id": ["NVIDIA H100 80GB HBM3"], "displayName": ["H100 SXM"], "memoryInGb": { "value": 80 } })
    );
    assert_eq!(
        meet(Fault::Nulls)[0],
        json!({ "id": null, "displayName": null, "memoryInGb": null })
    );
    let unknown = meet(Fault::UnknownValues);
    assert_eq!(unknown.as_array().unwrap().len(), count + 1);
    assert_eq!(unknown[count]["displayName"], "Quantum X9000");
    assert_eq!(unknown[0]["id"], "NVIDIA H100 80GB HBM3");
    let hostile = meet(Fault::Hostile);
    assert_eq!(hostile[0]["displayName"], "H100 SXM");
    assert!(
        hostile[1]["displayName"]
            .as_str()
            .unwrap()
            .contains("\u{1b}]0;")
    );
    assert!(hostile[count - 1]["id"].as_str().unwrap().len() > 100_000);
}

#[test]
fn faults_in_the_shape_of_the_service() {
    let standin = Standin::start();
    let search = json!({ "limit": 1 });
    standin.fault(Service::VAST, Fault::DailyQuota);
    let quota = vast(&standin, &search);
    assert_eq!(
        (quota.status, quota.json()["error"].clone()),
        (429, json!("search_quota_exceeded"))
    );
    standin.fault(
        Service::VAST,
        Fault::TooMany {
            retry_after: Some(3),
        },
    );
    let many = vast(&standin, &search);
    assert!(many.head.contains("retry-after: 3") && many.body.starts_with("API requests too"));
    standin.fault(Service::EC2, Fault::TooMany { retry_after: None });
    let many = ec2(&standin, "us-east-1", "Action=DescribeRegions");
    assert!(many.status == 503 && many.body.contains("<Code>RequestLimitExceeded</Code>"));
    standin.fault(Service::RUNPOD, Fault::EchoSecrets);
    assert!(
        graphql(&standin, LIST, &Value::Null)
            .body
            .contains("Bearer rpa_")
    );
}

#[test]
fn faults_are_counted_and_aimed() {
    let standin = Standin::start();
    let status = |region: &str| ec2(&standin, region, "Action=DescribeRegions").status;
    standin.fault_times(Service::EC2, Fault::ServerError, 2);
    standin.fault_where(Service::EC2, "region=us-west-2", Fault::Forbidden);
    assert_eq!([status("us-west-2"), status("us-east-1")], [500, 500]);
    assert_eq!([status("us-west-2"), status("us-east-1")], [403, 200]);
    assert_eq!(standin.requests().len(), 4);
    assert_eq!(standin.requests()[0].body, "Action=DescribeRegions");
    standin.fault(Service::EC2, Fault::None);
    assert_eq!(status("us-west-2"), 200);
}
