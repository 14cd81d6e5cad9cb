"""What the golden tests share: one way to start the program, and one to hold what it says."""

from __future__ import annotations

import difflib
import gzip
import hashlib
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import evolif

HERE = Path(__file__).parent
FILES = HERE / "files"
RUNS = HERE / "runs"
UPDATE = os.environ.get("EVOLIF_UPDATE_GOLDEN") == "1"
QUICK = ("--resamples", "200")
SHOWN = 120
"""Lines of a difference that are worth reading at once."""

_VERSION = re.escape(evolif.__version__)


def normalised(text: str, *folders: Path) -> str:
    """A text without what differs between machines and releases: folders, the versions of evolif and Python."""
    for folder in folders:
        text = text.replace(str(folder.resolve()), "<folder>").replace(str(folder), "<folder>")
    text = re.sub(rf'((?:evolif|"generator":) ?[`"]?){_VERSION}\b', r"\1<version>", text)
    return re.sub(rf"\b(Python ){re.escape(sys.version.split()[0])}", r"\1<version>", text)


def digest(data: bytes | str) -> str:
    """The start of a SHA-256, long enough never to meet another."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:32]


@dataclass(frozen=True)
class Result:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Cli:
    """The command line in this process, in a folder of its own: the one place that knows how `evolif` is started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: object, code: int | None = 0, **variables: str) -> Result:
        """Run one command; `code` is the exit code it must have, None for any."""
        from evolif.__main__ import main

        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with self._surroundings(variables) as patch:
            patch.setattr(sys, "argv", ["evolif", *map(str, arguments)])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
            with redirect_stdout(out), redirect_stderr(err):
                left = 0
                try:
                    main()
                except SystemExit as end:
                    left = end.code if isinstance(end.code, int) else int(end.code is not None)
        told = [normalised(stream.buffer.getvalue().decode(), self.folder) for stream in (out, err)]
        result = Result(left, *told)
        if code is not None:
            assert result.code == code, f"exit code {result.code} of evolif {' '.join(map(str, arguments))}\n{result}"
        return result

    def root(self) -> Any:
        """The command that `main` would run, as click knows it."""
        import typer

        from evolif.__main__ import main

        found: list[Any] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(typer.Typer, "__call__", lambda app, *_, **__: found.append(typer.main.get_command(app)))
            main()
        return found[0]

    def _surroundings(self, variables: dict[str, str]) -> Any:
        """The same terminal, home and variables everywhere; all is put back at the end."""
        from contextlib import contextmanager

        @contextmanager
        def surroundings() -> Iterator[pytest.MonkeyPatch]:
            before = dict(os.environ)
            with pytest.MonkeyPatch.context() as patch, chdir(self.folder):
                for name in list(os.environ):
                    if name.startswith(("EVOLIF_", "OPENAI_", "GOOGLE_", "GEMINI_", "HF_")):
                        patch.delenv(name)
                for name in ("FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS", "LINES", "TERMINAL_WIDTH"):
                    patch.delenv(name, raising=False)
                home = self.folder / ".home"
                fixed = {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb", "HOME": str(home), "USER": "golden"}
                fixed |= {"LOGNAME": "golden", "XDG_CACHE_HOME": str(home / "cache"), "TZ": "UTC"}
                for name, value in (fixed | variables).items():
                    patch.setenv(name, value)
                # Else the program would be called `python -m pytest` in its own help.
                patch.setattr(sys.modules["__main__"], "__package__", None, raising=False)
                yield patch
            os.environ.clear()  # `--constraints` sets a variable, for worker processes
            os.environ.update(before)

        return surroundings()


class Golden:
    """Compares with the golden files, or writes them."""

    def text(self, name: str, now: str) -> None:
        """Hold a text; a name that ends in .gz is stored compressed, and a failure shows what differs all the same."""
        path = FILES / name
        data = now.encode()
        if UPDATE:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
            return
        assert path.exists(), f"{path} is missing: EVOLIF_UPDATE_GOLDEN=1 writes it"
        stored = path.read_bytes()
        before = (gzip.decompress(stored) if path.suffix == ".gz" else stored).decode()
        if before != now:
            lines = difflib.unified_diff(before.splitlines(), now.splitlines(), "golden", "now", lineterm="", n=1)
            different = [line[:300] for line in lines]
            more = f"\n… and {len(different) - SHOWN} lines more" if len(different) > SHOWN else ""
            pytest.fail(f"{name} is not what it was\n" + "\n".join(different[:SHOWN]) + more, pytrace=False)

    def json(self, name: str, now: Any) -> None:
        """Hold anything that JSON can hold, by its text: the order of keys is part of it."""
        self.text(name, json.dumps(now, indent=1, ensure_ascii=False) + "\n")


def digests(root: Path) -> dict[str, str]:
    """Per file its digest, by its path; locks are empty and say nothing."""
    files = sorted(p for p in root.rglob("*") if p.is_file() and not p.name.endswith("lock"))
    return {str(p.relative_to(root)): digest(normalised(p.read_text("utf-8"))) for p in files}


def rows(path: Path) -> Any:
    """What a file or folder of rows holds, and its schema; compressed bytes differ between versions of pyarrow."""
    import pyarrow as pa
    from pyarrow import parquet

    stored = path.suffix == ".parquet"
    table = parquet.read_table(path) if stored else pa.ipc.open_stream(path.read_bytes()).read_all()
    told = json.dumps(table.to_pylist(), ensure_ascii=False, default=str)
    return {
        "rows": table.num_rows,
        "schema": digest("\n".join(f"{field.name} {field.type}" for field in table.schema)),
        "content": digest(normalised(told)),
    }


def exported(path: Path) -> Any:
    """What an export wrote, file by file."""
    found: dict[str, Any] = {}
    for file in sorted([path] if path.is_file() else path.rglob("*")):
        name = file.name if path.is_file() else str(file.relative_to(path))
        if file.suffix in {".parquet", ".arrow"}:
            found[name] = rows(file)
        elif file.is_file():
            found[name] = digest(normalised(file.read_text("utf-8")))
    return found
