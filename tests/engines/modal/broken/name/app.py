import modal

app = modal.App("H100 x8!")


@app.function(gpu="H100:8")
def main() -> None:
    pass
