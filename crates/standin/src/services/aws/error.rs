//! Errors of the AWS APIs.

use serde_json::json;

use crate::reply::{Problem, ProblemCodes, Reply};

const EC2: ProblemCodes = [
    (400, "InvalidParameterValue"),
    (401, "AuthFailure"),
    (403, "UnauthorizedOperation"),
    (400, "InvalidAction"),
    (503, "RequestLimitExceeded"),
    (429, "RequestLimitExceeded"),
    (500, "InternalError"),
];

// The JSON 1.1 services distinguish errors by name. Nearly all have status 400.
pub(super) const PRICING: ProblemCodes = [
    (400, "InvalidParameterException"),
    (400, "UnrecognizedClientException"),
    (400, "AccessDeniedException"),
    (400, "NotFoundException"),
    (400, "ThrottlingException"),
    (429, "TooManyRequestsException"),
    (500, "InternalErrorException"),
];

pub(super) const QUOTAS: ProblemCodes = [
    (400, "IllegalArgumentException"),
    (400, "UnrecognizedClientException"),
    (400, "AccessDeniedException"),
    (400, "NoSuchResourceException"),
    (429, "TooManyRequestsException"),
    (429, "TooManyRequestsException"),
    (500, "ServiceException"),
];

pub(super) fn ec2_problem(problem: Problem, message: &str) -> Reply {
    let (status, code) = problem.of(&EC2);
    ec2_error(status, code, message)
}

/// Returns an error in the XML format of EC2.
pub(super) fn ec2_error(status: u16, code: &str, message: &str) -> Reply {
    Reply::xml(
        status,
        "Response",
        json!({
            "Errors": { "Error": { "Code": code, "Message": message } },
            "RequestID": "00000000-0000-0000-0000-00000000beef",
        }),
    )
}

/// Returns an error in the format of the JSON 1.1 services.
pub(super) fn json_error(problem: Problem, codes: &ProblemCodes, message: &str) -> Reply {
    let (status, code) = problem.of(codes);
    Reply::aws_json(status, json!({ "__type": code, "message": message }))
        .header("x-amzn-ErrorType", code)
}
