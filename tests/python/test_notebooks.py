"""The notebooks of examples/notebooks, executed; skipped where nbclient or a kernel is not installed."""

import re
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "examples" / "notebooks"
MARK = re.compile(r"^# %%(?P<markdown> \[markdown\])?\n", re.MULTILINE)


def cells_of(text):
    """(is it Markdown, its source) of each cell of a file in the percent format."""
    marks = list(MARK.finditer(text))
    assert marks and not text[:marks[0].start()].strip(), "nothing before the first cell"
    for mark, end in zip(marks, [*(mark.start() for mark in marks[1:]), len(text)], strict=True):
        source = text[mark.end():end].strip("\n")
        is_markdown = mark["markdown"] is not None
        yield is_markdown, re.sub(r"^# ?", "", source, flags=re.MULTILINE) if is_markdown else source


@pytest.mark.parametrize("name", ["first_backtest", "latency", "queue_models", "impact", "auctions", "sweep"])
def test_it_runs_from_its_first_cell_to_its_last(name, tmp_path):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    v4 = nbformat.v4
    cells = [v4.new_markdown_cell(source) if is_markdown else v4.new_code_cell(source)
             for is_markdown, source in cells_of((NOTEBOOKS / f"{name}.py").read_text())]
    notebook = v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    assert any(cell.get("outputs") for cell in notebook.cells)


def test_none_is_left_out():
    assert {path.stem for path in NOTEBOOKS.glob("*.py")} == {"first_backtest", "latency", "queue_models", "impact", "auctions", "sweep"}
