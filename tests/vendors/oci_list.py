"""Prints what Oracle Cloud's own client reads of a tenancy: {"regions": [...], "domains": [...], "stock": [...],
"limits": [...]}. Reads SKY_ACCEL_URL_OCI and the variables of the CLI. The argument is a shape."""

import json
import os
import sys

import oci

BASE = os.environ["SKY_ACCEL_URL_OCI"]


def main() -> None:
    [shape] = sys.argv[1:] or ["BM.GPU.H100.8"]
    config = {
        name: os.environ[f"OCI_CLI_{name.upper()}"]
        for name in ["tenancy", "user", "fingerprint", "region", "key_content"]
    }
    tenancy = config["tenancy"]
    identity = oci.identity.IdentityClient(config, service_endpoint=BASE)
    compute = oci.core.ComputeClient(config, service_endpoint=BASE)
    limits = oci.limits.LimitsClient(config, service_endpoint=BASE)
    regions = identity.list_region_subscriptions(tenancy).data
    domains = [row.name for row in identity.list_availability_domains(tenancy).data]
    shapes = oci.pagination.list_call_get_all_results(compute.list_shapes, tenancy, limit=100).data
    names = {row.shape: row.quota_names for row in shapes}
    stock = []
    for domain in domains:
        details = oci.core.models.CreateComputeCapacityReportDetails(
            compartment_id=tenancy,
            availability_domain=domain,
            shape_availabilities=[
                oci.core.models.CreateCapacityReportShapeAvailabilityDetails(instance_shape=shape)
            ],
        )
        report = compute.create_compute_capacity_report(details).data
        for row in report.shape_availabilities:
            stock.append([domain, row.availability_status, row.available_count])
    values = []
    for name in names[shape]:
        for limit in limits.list_limit_values(tenancy, "compute", name=name).data:
            use = limits.get_resource_availability(
                "compute", name, tenancy, availability_domain=limit.availability_domain
            ).data
            values.append([limit.availability_domain, use.used, use.available])
    document = {
        "regions": sorted(row.region_name for row in regions if row.status == "READY"),
        "domains": domains,
        "stock": stock,
        "limits": values,
    }
    if not all(document.values()):
        sys.exit("an empty list")
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
