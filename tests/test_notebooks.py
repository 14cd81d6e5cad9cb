"""Every notebook runs from top to bottom, with a kernel of its own in an empty folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="the extra dev brings nbformat")
nbclient = pytest.importorskip("nbclient", reason="the extra dev brings nbclient")
pytest.importorskip("ipykernel", reason="the extra dev brings ipykernel")

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
RUN = [
    pytest.param(path, marks=[] if path.stem == "first_steps" else [pytest.mark.slow], id=path.stem)
    for path in NOTEBOOKS
]


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # those of the kernel's client are not ours
@pytest.mark.parametrize("path", RUN)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EVOLIF_")}
    client.execute(env={**environment, "MPLBACKEND": "agg", "PYTHONPATH": str(FOLDER.parent)})
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip())


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")
