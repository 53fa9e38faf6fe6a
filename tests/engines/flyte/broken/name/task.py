import flyte

env = flyte.TaskEnvironment(
    name="H100 x8",
    image="ubuntu:24.04",
    resources=flyte.Resources(gpu="H100:8"),
)


@env.task
def main() -> None:
    pass
