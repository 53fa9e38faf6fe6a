import skyward as sky

with sky.Compute(sky.Spec(sky.RunPod(), sky.accelerators.H100(count=8), disk_gb=200)) as pool:
    pass
