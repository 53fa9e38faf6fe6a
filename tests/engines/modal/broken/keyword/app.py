import modal

app = modal.App("h100")


@app.function(gpu="H100:8", spot=True)
def main() -> None:
    pass
