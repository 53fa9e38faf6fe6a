import flyte

env = flyte.TaskEnvironment(
    name="h1000-x8",
    image="ubuntu:24.04",
    resources=flyte.Resources(gpu="H1000:8"),
)


@env.task
def main() -> None:
    pass
