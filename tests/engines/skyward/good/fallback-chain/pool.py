"""8 x H100 80GB, the first of four offers that is there."""

import skyward as sky

H100 = sky.accelerators.H100(count=8)


@sky.function
def main() -> str:
    import subprocess

    return subprocess.run(["nvidia-smi"], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    with sky.Compute(
        sky.Spec(sky.Verda(region="FIN-03"), H100, region="FIN-03", max_hourly_cost=20.0),
        sky.Spec(sky.RunPod(data_center_ids=("US-KS-2",), container_disk_gb=200), H100),
        sky.Spec(sky.AWS(name="aws-us-east-1", region="us-east-1"), H100, region="us-east-1"),
        sky.Spec(sky.AWS(name="aws-us-east-2", region="us-east-2"), H100, region="us-east-2"),
        name="h100-80gb-x8",
        nodes=2,
        allocation="spot_if_available",
        selection="first",
        image=sky.Image(python="3.12", pip=("torch",), env={"NAME": "value"}),
    ) as pool:
        print(main() >> pool)
