//! Error responses in the formats of the services.

use serde_json::json;

use crate::reply::{Problem, Reply};
use crate::{Service, feeds};

/// Returns an error in the format of a service.
pub(crate) fn problem(service: Service, problem: Problem, message: &str) -> Reply {
    match service {
        Service::Ec2 => {
            let (status, code) = match problem {
                Problem::BadRequest => (400, "InvalidParameterValue"),
                Problem::Unauthorized => (401, "AuthFailure"),
                Problem::Forbidden => (403, "UnauthorizedOperation"),
                Problem::NotFound => (400, "InvalidAction"),
                Problem::TooMany => (503, "RequestLimitExceeded"),
                Problem::DailyQuota => (429, "RequestLimitExceeded"),
                Problem::Server => (500, "InternalError"),
            };
            ec2_error(status, code, message)
        }
        Service::Pricing | Service::Quotas => {
            // The JSON 1.1 services distinguish errors by name. Nearly all have status 400.
            let (status, code) = match (problem, service) {
                (Problem::BadRequest, Service::Pricing) => (400, "InvalidParameterException"),
                (Problem::BadRequest, _) => (400, "IllegalArgumentException"),
                (Problem::Unauthorized, _) => (400, "UnrecognizedClientException"),
                (Problem::Forbidden, _) => (400, "AccessDeniedException"),
                (Problem::NotFound, Service::Pricing) => (400, "NotFoundException"),
                (Problem::NotFound, _) => (400, "NoSuchResourceException"),
                (Problem::TooMany, Service::Pricing) => (400, "ThrottlingException"),
                (Problem::TooMany | Problem::DailyQuota, _) => (429, "TooManyRequestsException"),
                (Problem::Server, Service::Pricing) => (500, "InternalErrorException"),
                (Problem::Server, _) => (500, "ServiceException"),
            };
            Reply::aws_json(status, json!({ "__type": code, "message": message }))
                .header("x-amzn-ErrorType", code)
        }
        Service::RunPod => {
            let (status, code) = match problem {
                Problem::BadRequest => (400, "GRAPHQL_VALIDATION_FAILED"),
                Problem::Unauthorized => (401, "UNAUTHENTICATED"),
                Problem::Forbidden => (403, "FORBIDDEN"),
                Problem::NotFound => (404, "NOT_FOUND"),
                Problem::TooMany | Problem::DailyQuota => (429, "TOO_MANY_REQUESTS"),
                Problem::Server => (500, "INTERNAL_SERVER_ERROR"),
            };
            Reply::json(
                status,
                json!({ "errors": [{ "message": message, "extensions": { "code": code } }], "data": null }),
            )
        }
        Service::Vast => {
            let (status, code) = match problem {
                Problem::BadRequest => (400, "invalid_args"),
                Problem::Unauthorized => (401, "auth_error"),
                Problem::Forbidden => (403, "forbidden"),
                Problem::NotFound => (404, "no_such_ask"),
                Problem::TooMany => return Reply::text(429, "text/plain", message),
                Problem::DailyQuota => (429, "search_quota_exceeded"),
                Problem::Server => (500, "server_error"),
            };
            Reply::json(
                status,
                json!({ "success": false, "error": code, "msg": message }),
            )
        }
        Service::Verda => {
            let (status, code) = match problem {
                Problem::BadRequest => (400, "invalid_request"),
                Problem::Unauthorized => (401, "unauthorized_request"),
                Problem::Forbidden => (403, "forbidden_action"),
                Problem::NotFound => (404, "not_found"),
                Problem::TooMany | Problem::DailyQuota => (429, "too_many_requests"),
                Problem::Server => (500, "server_error"),
            };
            Reply::json(status, json!({ "code": code, "message": message }))
        }
        _ => feeds::problem(service, problem, message),
    }
}

/// Returns an error in the XML format of EC2.
pub(crate) fn ec2_error(status: u16, code: &str, message: &str) -> Reply {
    Reply::xml(
        status,
        "Response",
        json!({
            "Errors": { "Error": { "Code": code, "Message": message } },
            "RequestID": "00000000-0000-0000-0000-00000000beef",
        }),
    )
}
