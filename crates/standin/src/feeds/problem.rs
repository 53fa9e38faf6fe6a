//! Error responses in the formats of the public price lists.

use serde_json::json;

use crate::Service;
use crate::reply::{Problem, Reply};

pub(crate) fn problem(service: Service, problem: Problem, message: &str) -> Reply {
    let (status, code) = match problem {
        Problem::BadRequest => (400, "BadRequest"),
        Problem::Unauthorized => (401, "Unauthorized"),
        Problem::Forbidden => (403, "Forbidden"),
        Problem::NotFound => (404, "NotFound"),
        Problem::TooMany | Problem::DailyQuota => (429, "TooManyRequests"),
        Problem::Server => (500, "InternalServerError"),
    };
    let body = match service {
        Service::AwsFeed | Service::GpuHunt => return stored_file(problem, message),
        Service::SkyPilot => {
            return Reply::text(status, "text/plain; charset=utf-8", message);
        }
        Service::Azure => json!({ "Error": { "Code": code, "Message": message } }),
        Service::Linode => json!({ "errors": [{ "reason": message }] }),
        Service::Lium => json!({ "detail": message }),
        Service::Oci => json!({
            "code": code,
            "message": message,
            "type": format!("tag:oracle.com,2020:error/{code}"),
            "instance": "tag:oracle.com,2020:ecid/00000000beef",
        }),
        Service::OvhCloud => {
            let side = if status < 500 { "Client" } else { "Server" };
            json!({ "class": format!("{side}::{code}"), "message": message })
        }
        Service::Vultr => json!({ "error": message, "status": status }),
        _ => json!({ "message": message }),
    };
    Reply::json(status, body)
}

/// Returns an error of S3, in XML.
fn stored_file(problem: Problem, message: &str) -> Reply {
    let (status, code) = match problem {
        Problem::BadRequest => (400, "InvalidRequest"),
        Problem::Unauthorized => (401, "InvalidAccessKeyId"),
        Problem::Forbidden => (403, "AccessDenied"),
        Problem::NotFound => (404, "NoSuchKey"),
        Problem::TooMany | Problem::DailyQuota => (503, "SlowDown"),
        Problem::Server => (500, "InternalError"),
    };
    let error = json!({
        "Code": code,
        "Message": message,
        "RequestId": "00000000BEEF",
        "HostId": "standin",
    });
    Reply {
        content_type: "application/xml",
        ..Reply::xml(status, "Error", error)
    }
}
