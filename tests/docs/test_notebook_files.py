"""The notebooks are what their sources say, and hold no outputs; `tests/test_notebooks.py` runs them."""

from __future__ import annotations

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
NOTEBOOKS = [pytest.param(path, id=path.stem) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]


def written(source: Path) -> str:
    spec = spec_from_file_location("make_notebooks", ROOT / "docs" / "make_notebooks.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.notebook(source))


def test_there_are_four() -> None:
    there = {path.stem for path in (ROOT / "notebooks").glob("*.py")}
    assert there == {"first_steps", "bring_your_own_domain", "reading_a_run", "training"}
    assert {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")} == there


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_notebook_is_its_source_without_outputs(notebook: Path) -> None:
    text = notebook.read_text(encoding="utf-8")
    assert text == written(notebook.with_suffix(".py")), "run docs/make_notebooks.py"
    assert not any(cell.get("outputs") for cell in json.loads(text)["cells"])
