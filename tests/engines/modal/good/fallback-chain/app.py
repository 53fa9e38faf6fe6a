"""8 x H100 80GB, else 8 x H200, and the same on two machines."""

import modal

app = modal.App("h100-80gb-x8")
image = modal.Image.from_registry(
    "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime", add_python="3.12"
).env({"NAME": "value"})


@app.function(
    image=image,
    gpu=["H100!:8", "H200:8"],
    cpu=8,
    memory=65536,
    ephemeral_disk=600 * 1024,
    region=["us-east", "us-west"],
    timeout=24 * 60 * 60,
)
def main() -> None:
    pass


@app.function(image=image, gpu="H100!:8", timeout=24 * 60 * 60)
@modal.clustered(size=2, rdma=True)
def train() -> None:
    pass
