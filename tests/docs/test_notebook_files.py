"""The notebooks are what their sources say, hold no outputs, and run from top to bottom."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
NOTEBOOKS = [pytest.param(path, id=path.stem) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]

RUN = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
print(sum(bool(cell.get("outputs")) for cell in notebook.cells))
"""


def written(source: Path) -> str:
    spec = spec_from_file_location("make_notebooks", ROOT / "docs" / "make_notebooks.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.notebook(source))


def test_there_are_three() -> None:
    there = {path.stem for path in (ROOT / "notebooks").glob("*.py")}
    assert there == {"first_steps", "bring_your_own_domain", "reading_a_run"}
    assert {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")} == there


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_notebook_is_its_source_without_outputs(notebook: Path) -> None:
    text = notebook.read_text(encoding="utf-8")
    assert text == written(notebook.with_suffix(".py")), "run docs/make_notebooks.py"
    assert not any(cell.get("outputs") for cell in json.loads(text)["cells"])


@pytest.mark.skipif(
    any(find_spec(name) is None for name in ("nbclient", "ipykernel", "scipy", "matplotlib")),
    reason="nbclient and ipykernel (extra docs), or SciPy and matplotlib (extra report), are not installed",
)
@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_notebook_runs(notebook: Path, tmp_path: Path) -> None:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("EVOLIF_")}
    own = {name: str(tmp_path) for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "TMPDIR")}
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(notebook)],
        cwd=tmp_path,
        env={**kept, **own, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg", "JUPYTER_PLATFORM_DIRS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout.split()[-1]) >= 3  # cells that showed something
