"""The notebook of the documentation has the outputs that its cells have now."""

import ast
import contextlib
import io
import json
import pathlib

NOTEBOOK = pathlib.Path(__file__).parents[2] / "docs/python.ipynb"


def output_of(source, names):
    """Run a cell, and return what it prints and the value of its last line, as a notebook shows them."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    return printed.getvalue() + ("" if value is None else repr(value))


def shown(output):
    lines = output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"]
    return "".join(lines)


def test_the_notebook_shows_what_its_cells_answer():
    names = {}
    cells = [
        cell
        for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]
    assert len(cells) > 5
    for cell in cells:
        source = "".join(cell["source"])
        assert output_of(source, names) == "".join(map(shown, cell["outputs"])), source
