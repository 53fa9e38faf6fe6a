//! The service quotas of EC2.

use serde_json::{Value, json};

use super::call::{json_page, signed};
use super::error::{QUOTAS, json_error};
use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, refuse};
use crate::shop::{AwsQuota, AwsShop};
use crate::state::State;

impl Service {
    /// AWS's service quotas.
    pub const QUOTAS: Self = Self(&ServiceDeclaration::api(
        "quotas",
        "AWS_ENDPOINT_URL_SERVICE_QUOTAS",
        |state, request, _| answer(state, request),
        |problem, message| json_error(problem, &QUOTAS, message),
    ));
}

fn answer(state: &State, request: &Recorded) -> ServiceAnswer {
    let region = signed(request)?;
    let shop = &state.shop.aws;
    let body: Value = serde_json::from_str(&request.body)
        .or_else(|error| refuse(Problem::BadRequest, error.to_string()))?;
    let target = request.header("x-amz-target").unwrap_or_default();
    let operation = target
        .strip_prefix("ServiceQuotasV20190624.")
        .unwrap_or_default();
    // A report is about every service.
    let is_report = operation.ends_with("QuotaUtilizationReport");
    if !is_report && body["ServiceCode"] != "ec2" {
        return refuse(
            Problem::NotFound,
            "The request failed because the specified service does not exist.",
        );
    }
    match operation {
        "GetServiceQuota" => {
            let quota = shop
                .quotas
                .iter()
                .find(|quota| body["QuotaCode"] == quota.code.as_str())
                .map_or_else(
                    || {
                        refuse(
                            Problem::NotFound,
                            "The request failed because the specified quota does not exist.",
                        )
                    },
                    Ok,
                )?;
            Ok(Reply::aws_json(
                200,
                json!({ "Quota": row(shop, region, quota) }),
            ))
        }
        "StartQuotaUtilizationReport" => Ok(Reply::aws_json(
            200,
            json!({ "ReportId": format!("report-{region}"), "Status": "PENDING" }),
        )),
        "GetQuotaUtilizationReport" => {
            if body["ReportId"] != format!("report-{region}") {
                return refuse(Problem::NotFound, "The report does not exist.");
            }
            let mut answer = if state.is_first_request(&format!("report-{region}")) {
                json!({ "Status": "IN_PROGRESS" })
            } else {
                let rows = shop
                    .quotas
                    .iter()
                    .map(|quota| used_row(shop, region, quota));
                let mut answer = json_page(shop, rows.collect(), &body, "Quotas")?;
                answer["Status"] = json!("COMPLETED");
                answer["TotalCount"] = json!(shop.quotas.len());
                answer
            };
            answer["ReportId"] = body["ReportId"].clone();
            Ok(Reply::aws_json(200, answer))
        }
        "ListServiceQuotas" => {
            let rows: Vec<Value> = shop
                .quotas
                .iter()
                .map(|quota| row(shop, region, quota))
                .collect();
            let answer = json_page(shop, rows, &body, "Quotas")?;
            Ok(Reply::aws_json(200, answer))
        }
        other => {
            if other.starts_with("Request") || other.starts_with("Put") {
                state.count_write();
            }
            refuse(Problem::BadRequest, format!("no such operation: {target}"))
        }
    }
}

/// Returns the row of a quota in a report of used quotas.
fn used_row(shop: &AwsShop, region: &str, quota: &AwsQuota) -> Value {
    let listed = row(shop, region, quota);
    json!({
        "ServiceCode": listed["ServiceCode"],
        "ServiceName": listed["ServiceName"],
        "QuotaCode": quota.code,
        "QuotaName": quota.name,
        "Namespace": "AWS/Usage",
        "AppliedValue": listed["Value"],
        "DefaultValue": 0.0,
        "Utilization": quota.used_percent,
        "Adjustable": true,
    })
}

fn row(shop: &AwsShop, region: &str, quota: &AwsQuota) -> Value {
    let value = shop
        .quota_overrides
        .iter()
        .find(|(place, code, _)| place == region && *code == quota.code)
        .map_or(quota.value, |(_, _, value)| *value);
    json!({
        "ServiceCode": "ec2",
        "ServiceName": "Amazon Elastic Compute Cloud (Amazon EC2)",
        "QuotaArn": format!("arn:aws:servicequotas:{region}:123456789012:ec2/{}", quota.code),
        "QuotaCode": quota.code,
        "QuotaName": quota.name,
        "Value": value,
        "Unit": "None",
        "Adjustable": true,
        "GlobalQuota": false,
    })
}
