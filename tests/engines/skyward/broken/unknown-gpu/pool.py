import skyward as sky

with sky.Compute(sky.Spec(sky.AWS(), sky.accelerators.H1000(count=8))) as pool:
    pass
