import modal

app = modal.App("h100")


@app.function(gpu="H100:x")
def main() -> None:
    pass
