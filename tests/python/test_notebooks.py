"""The notebooks of examples/notebooks, executed; skipped where nbclient or a kernel is not installed."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "examples" / "notebooks"
sys.path.insert(0, str(ROOT / "tools" / "site"))
from notebooks import cells_of  # noqa: E402


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
