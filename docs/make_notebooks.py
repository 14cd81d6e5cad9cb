"""Writes the notebooks anew from their sources, `notebooks/*.py`, without outputs.

.venv/bin/python docs/make_notebooks.py

In a source, `# %% [markdown]` begins a cell of text (commented lines), `# %%` one of code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
CELL = re.compile(r"^# %%(?P<text> \[markdown\])?\n(?P<body>.*?)(?=^# %%|\Z)", re.MULTILINE | re.DOTALL)


def main() -> None:
    """Write every notebook."""
    for source in sorted(NOTEBOOKS.glob("*.py")):
        source.with_suffix(".ipynb").write_text(notebook(source), encoding="utf-8")
        print(source.stem)


def notebook(source: Path) -> str:
    """The notebook of a source, as JSON (nbformat 4.5); its cells are numbered, so that nothing is random."""
    cells = [
        cell | {"id": f"cell-{number}"} for number, cell in enumerate(_cells(source.read_text(encoding="utf-8")), 1)
    ]
    written = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(written, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _cells(text: str) -> Iterator[dict[str, Any]]:
    for match in CELL.finditer(text):
        body = match["body"].strip("\n")
        if match["text"]:
            body = "\n".join(line.removeprefix("#").removeprefix(" ") for line in body.split("\n"))
            yield {"cell_type": "markdown", "metadata": {}, "source": body.splitlines(keepends=True)}
        else:
            lines = body.splitlines(keepends=True)
            yield {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": lines}


if __name__ == "__main__":
    main()
