"""Two MIG slices of one H100."""

import skyward as sky

with sky.Compute(
    sky.Spec(sky.VastAI(geolocation="US"), sky.accelerators.H100(count=1)),
    plugins=[sky.plugins.Mig(profile="3g.40gb")],
    executor=sky.Executor(type="process", concurrency=2),
) as pool:
    pass
