import skyward as sky

with sky.Compute(sky.Spec(sky.AWS(), sky.accelerators.H100(count=8), region="eu-west-1")) as pool:
    pass
