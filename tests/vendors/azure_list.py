"""Prints what Azure's own clients read of a subscription: {"skus": [...], "usages": [...], "limits": [...],
"scores": [...]}. Reads SKY_ACCEL_URL_AZURE, AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET and
AZURE_SUBSCRIPTION_ID. The arguments are a region, a size and a number of machines."""

import json
import os
import sys
import time

import requests
from azure.core.credentials import AccessToken
from azure.core.pipeline.policies import BearerTokenCredentialPolicy
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.computerecommender import RecommenderMgmtClient

BASE = os.environ["SKY_ACCEL_URL_AZURE"]


class Login:
    """Logs in as the client of Azure does, whose authority must have TLS."""

    def get_token(self, *scopes, **_):
        tenant = os.environ["AZURE_TENANT_ID"]
        fields = {
            "grant_type": "client_credentials",
            "client_id": os.environ["AZURE_CLIENT_ID"],
            "client_secret": os.environ["AZURE_CLIENT_SECRET"],
            "scope": scopes[0],
        }
        reply = requests.post(f"{BASE}/{tenant}/oauth2/v2.0/token", data=fields, timeout=30)
        reply.raise_for_status()
        answer = reply.json()
        return AccessToken(answer["access_token"], int(time.time()) + answer["expires_in"])


class PlainPolicy(BearerTokenCredentialPolicy):
    """Sends the token to the stand-in, which has no TLS."""

    def on_request(self, request):
        request.context.options["enforce_https"] = False
        super().on_request(request)


def main() -> None:
    region, size, machines = sys.argv[1:] or ["eastus", "Standard_ND96isr_H100_v5", "1"]
    machines = int(machines)
    login = Login()
    options = {
        "base_url": BASE,
        "authentication_policy": PlainPolicy(login, "https://management.azure.com/.default"),
        "credential_scopes": ["https://management.azure.com/.default"],
    }
    subscription = os.environ["AZURE_SUBSCRIPTION_ID"]
    compute = ComputeManagementClient(login, subscription, **options)
    recommender = RecommenderMgmtClient(login, subscription, **options)
    skus = [
        {
            "name": sku.name,
            "family": sku.family,
            "vcpus": {row.name: row.value for row in sku.capabilities}["vCPUs"],
            "restrictions": [row.type for row in sku.restrictions],
        }
        for sku in compute.resource_skus.list(filter=f"location eq '{region}'")
        if sku.resource_type == "virtualMachines"
    ]
    usages = [
        {"code": row.name.value, "used": row.current_value, "limit": row.limit}
        for row in compute.usage.list(region)
    ]
    mix = recommender.sku_mix_placement_scores.post(
        region,
        {
            "capacityProfile": {"capacity": machines, "capacityType": "VM", "priority": "Regular"},
            "instanceDescription": {"vmSizes": [{"name": size}]},
        },
    )
    scores = recommender.spot_placement_scores.post(
        region,
        {
            "desiredLocations": [region],
            "desiredSizes": [{"sku": size}],
            "desiredCount": machines,
            "availabilityZones": False,
        },
    )
    document = {
        "skus": sorted(skus, key=lambda row: row["name"]),
        "usages": usages,
        "limits": [{"name": row.name, "limit": row.limit, "reason": row.reason} for row in mix.capacity_limits],
        "scores": [{"sku": row.sku, "score": row.score} for row in scores.placement_scores],
    }
    if not all(document.values()):
        sys.exit("an empty list")
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
