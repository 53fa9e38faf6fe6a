"""8 x H100 80GB on spot machines, two MIG slices, and two machines at once."""

import flyte
from flyte.clustered import ClusteredTaskEnvironment

IMAGE = "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime"

whole = flyte.TaskEnvironment(
    name="h100-80gb-x8",
    image=IMAGE,
    resources=flyte.Resources(cpu=96, memory="512Gi", gpu="H100:8", disk="200Gi", shm="auto"),
    interruptible=True,
    env_vars={"NAME": "value"},
)
slices = flyte.TaskEnvironment(
    name="h100-3g-40gb-x2",
    image=flyte.Image.from_base(IMAGE),
    resources=flyte.Resources(gpu=flyte.GPU("H100", 2, partition="3g.40gb")),
)
mi300x = flyte.TaskEnvironment(
    name="mi300x-x8",
    image=flyte.Image.from_base(IMAGE)
    .clone(name="mi300x", extendable=True)
    .with_pip_packages("flyte"),
    resources=flyte.Resources(gpu=flyte.Device(8, "AMD_GPU", "MI300X")),
)
cluster = ClusteredTaskEnvironment(
    name="h100-80gb-x8-nodes2",
    image=IMAGE,
    resources=flyte.Resources(gpu="H100:8"),
    replicas=2,
    nproc_per_node=8,
)


@whole.task(retries=3)
async def main() -> None:
    pass


@slices.task
def sliced() -> None:
    pass


@mi300x.task
def amd() -> None:
    pass


@cluster.task
def train() -> None:
    pass
