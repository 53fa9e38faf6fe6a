import flyte

env = flyte.TaskEnvironment(
    name="a100-3g-40gb",
    image="ubuntu:24.04",
    resources=flyte.Resources(gpu=flyte.GPU("A100", 1, partition="3g.40gb")),
)


@env.task
def main() -> None:
    pass
