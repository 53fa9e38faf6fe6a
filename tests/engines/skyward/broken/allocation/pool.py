import skyward as sky

with sky.Compute(
    sky.Spec(sky.AWS(), sky.accelerators.H100(count=8)),
    allocation="on-demand",
) as pool:
    pass
