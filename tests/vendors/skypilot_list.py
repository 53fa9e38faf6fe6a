"""Prints what SkyPilot's own catalog code reads from its catalogs: for each machine with accelerators, its
price in each region as SkyPilot computes it. Reads SKY_ACCEL_URL_SKYPILOT; needs no key."""

import contextlib
import json
import os
import sys
import tempfile

CLOUDS = ["aws", "azure", "do", "lambda", "nebius", "oci", "verda"]


def price(table, machine: str, is_spot: bool, region: str):
    from sky.catalog import common

    try:
        return float(common.get_hourly_cost_impl(table, machine, is_spot, region, None))
    except ValueError as error:
        if f"No {'SpotPrice' if is_spot else 'Price'} found" in str(error):
            return None
        raise


def rows(cloud: str) -> list:
    from sky.catalog import common

    table = common.read_catalog(f"{cloud}/vms.csv")._load_df()
    machines = table[table["AcceleratorName"].notna()]
    found = []
    for machine, region in sorted(set(zip(machines["InstanceType"], machines["Region"]))):
        prices = {"on_demand": price(table, machine, False, region), "spot": price(table, machine, True, region)}
        found.append({"cloud": cloud, "id": machine, "region": region, **prices})
    return found


def main() -> None:
    root, version = os.environ["SKY_ACCEL_URL_SKYPILOT"].rsplit("/", 1)
    with tempfile.TemporaryDirectory() as home, contextlib.redirect_stdout(sys.stderr):
        # SkyPilot keeps what it reads below the home folder.
        os.environ["HOME"] = home
        from sky.skylet import constants

        constants.HOSTED_CATALOG_DIR_URL = root
        constants.HOSTED_CATALOG_DIR_URL_S3_MIRROR = root
        if constants.CATALOG_SCHEMA_VERSION != version:
            sys.exit(f"SkyPilot reads {constants.CATALOG_SCHEMA_VERSION}, not {version}")
        listed = [row for cloud in CLOUDS for row in rows(cloud)]
    json.dump(listed, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
