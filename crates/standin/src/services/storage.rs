//! Errors of files in Amazon's storage service, S3.

use serde_json::json;

use crate::reply::{Problem, ProblemCodes, Reply};

const CODES: ProblemCodes = [
    (400, "InvalidRequest"),
    (401, "InvalidAccessKeyId"),
    (403, "AccessDenied"),
    (404, "NoSuchKey"),
    (503, "SlowDown"),
    (503, "SlowDown"),
    (500, "InternalError"),
];

pub(super) fn problem(problem: Problem, message: &str) -> Reply {
    let (status, code) = problem.of(&CODES);
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
