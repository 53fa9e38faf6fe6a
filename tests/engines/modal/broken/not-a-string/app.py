import modal

app = modal.App("h100")


@app.function(gpu=8)
def main() -> None:
    pass
