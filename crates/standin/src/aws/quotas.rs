//! The service quotas of EC2.

use serde_json::{Value, json};

use super::call::{AwsResult, page, signed};
use crate::error::problem;
use crate::reply::{Problem, Reply};
use crate::shop::{AwsQuota, AwsShop};
use crate::state::{Recorded, State};

pub(crate) fn quotas(state: &State, request: &Recorded) -> Reply {
    call(state, request).unwrap_or_else(|error| error)
}

fn call(state: &State, request: &Recorded) -> AwsResult {
    let region = signed(request)?;
    let refuse = |kind, message: &str| problem(request.service, kind, message);
    let shop = &state.shop.aws;
    let body: Value = serde_json::from_str(&request.body)
        .map_err(|error| refuse(Problem::BadRequest, &error.to_string()))?;
    let target = request.header("x-amz-target").unwrap_or_default();
    let operation = target
        .strip_prefix("ServiceQuotasV20190624.")
        .unwrap_or_default();
    if body["ServiceCode"] != "ec2" {
        return Err(refuse(
            Problem::NotFound,
            "The request failed because the specified service does not exist.",
        ));
    }
    match operation {
        "GetServiceQuota" => {
            let quota = shop
                .quotas
                .iter()
                .find(|quota| body["QuotaCode"] == quota.code.as_str())
                .ok_or_else(|| {
                    refuse(
                        Problem::NotFound,
                        "The request failed because the specified quota does not exist.",
                    )
                })?;
            Ok(Reply::aws_json(
                200,
                json!({ "Quota": row(shop, region, quota) }),
            ))
        }
        "ListServiceQuotas" => {
            let size = match body["MaxResults"].as_u64() {
                None => shop.page_size,
                Some(asked @ 1..=100) => (asked as usize).min(shop.page_size),
                Some(_) => {
                    return Err(refuse(
                        Problem::BadRequest,
                        "MaxResults is between 1 and 100",
                    ));
                }
            };
            let rows: Vec<Value> = shop
                .quotas
                .iter()
                .map(|quota| row(shop, region, quota))
                .collect();
            let (rows, next) = page(shop, rows, body["NextToken"].as_str(), size, || {
                refuse(Problem::BadRequest, "the next token is not valid")
            })?;
            let mut answer = json!({ "Quotas": rows });
            if let Some(next) = next {
                answer["NextToken"] = json!(next);
            }
            Ok(Reply::aws_json(200, answer))
        }
        other => {
            if other.starts_with("Request") || other.starts_with("Put") {
                state.count_write();
            }
            Err(refuse(
                Problem::BadRequest,
                &format!("no such operation: {target}"),
            ))
        }
    }
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
