"""Prints what Hyperstack's own client lists: {"flavors": [...], "stocks": [...], "prices": [...]}.
Reads SKY_ACCEL_URL_HYPERSTACK and HYPERSTACK_API_KEY."""

import json
import os
import sys

import hyperstack


def main() -> None:
    configuration = hyperstack.Configuration(host=os.environ["SKY_ACCEL_URL_HYPERSTACK"])
    configuration.api_key["apiKey"] = os.environ["HYPERSTACK_API_KEY"]
    client = hyperstack.ApiClient(configuration)
    flavors = [
        {
            "id": flavor.name,
            "region": flavor.region_name,
            "gpu": flavor.gpu,
            "count": flavor.gpu_count,
            "in_stock": flavor.stock_available,
        }
        for group in hyperstack.FlavorApi(client).list_flavors().data
        for flavor in group.flavors
    ]
    stocks = [
        {
            "region": region.region,
            "gpu": model.model,
            "available": model.available,
            "machines": model.configurations.to_dict() if model.configurations else {},
        }
        for region in hyperstack.StockApi(client).get_gpu_stock().stocks
        for model in region.models
    ]
    prices = [
        {"gpu": row.name, "price": row.value}
        for row in hyperstack.PricebookApi(client).get_pricebook()
    ]
    document = {"flavors": flavors, "stocks": stocks, "prices": prices}
    if not all(document.values()):
        sys.exit("an empty list")
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
