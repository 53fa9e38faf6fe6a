import flyte

env = flyte.TaskEnvironment(
    name="h100-x9",
    image="ubuntu:24.04",
    resources=flyte.Resources(gpu="H100:9"),
)


@env.task
def main() -> None:
    pass
