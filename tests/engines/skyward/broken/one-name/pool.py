import skyward as sky

H100 = sky.accelerators.H100(count=8)

with sky.Compute(
    sky.Spec(sky.AWS(region="us-east-1"), H100, region="us-east-1"),
    sky.Spec(sky.AWS(region="us-east-2"), H100, region="us-east-2"),
) as pool:
    pass
