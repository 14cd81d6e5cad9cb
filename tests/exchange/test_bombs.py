"""Small files that unpack to far more than a machine can hold: told in a sentence, in bounded time and memory."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif import InputError, generate
from evolif.cli import app
from evolif.exchange import import_benchmark, unpacking

pa: Any = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")


def shared_text(path: Path) -> None:
    """Four terabytes in three kilobytes: 200,000 rows share a text of 20 MB."""
    rows = 200_000
    texts = pa.array(["a " * 10_000_000])
    column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), texts)
    pa.parquet.write_table(pa.table({"text": column}), path, compression="zstd", row_group_size=rows)


def large_page(path: Path) -> None:
    """One row of 600 MB in a file of 20 KB."""
    column = pa.array(["a" * 600_000_000], pa.large_string())
    pa.parquet.write_table(
        pa.table({"text": column}), path, compression="zstd", use_dictionary=False, write_statistics=False
    )


def many_rows(path: Path) -> None:
    """A billion rows without content."""
    rows = 50_000_000
    with pa.parquet.ParquetWriter(path, pa.schema([("text", pa.null())]), compression="zstd") as writer:
        for _ in range(20):
            writer.write_table(pa.table({"text": pa.nulls(rows)}), row_group_size=rows)


MEMORY = 1_500_000_000
BOMBS: dict[str, Callable[[Path], None]] = {f.__name__: f for f in (shared_text, large_page, many_rows)}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bench") / "b"
    generate(path, dialogues=1, turns=2, seed=1, profile="objective")
    return path


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name != "large_page")) for name in BOMBS]
)
def test_a_bomb_is_left_unread_within_bounds(tmp_path: Path, bench: Path, name: str) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    BOMBS[name](folder / "bomb.parquet")
    assert (folder / "bomb.parquet").stat().st_size < 3_000_000
    code = (
        "import atexit, resource, sys; from evolif.exchange import unpacking\n"
        "atexit.register(lambda: print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr))\n"
        f"unpacking.SECONDS, unpacking.SECONDS_PER_MB, unpacking.MEMORY = 5, 1, {MEMORY}\n"
        "from evolif.cli import app; app(sys.argv[1:])"
    )
    command = [sys.executable, "-c", code, "contamination", str(folder), "--benchmark", str(bench)]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert time.monotonic() - start < 60
    assert done.returncode == 0, done.stderr
    text = " ".join((done.stdout + done.stderr).split())
    assert "bomb.parquet" in text and ("unpacks to more than" in text or "s to unpack" in text)
    assert int(done.stderr.split()[-1]) < MEMORY >> 10  # in KiB


@pytest.mark.slow
def test_the_same_bomb_is_refused_on_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MEMORY", MEMORY)
    shared_text(tmp_path / "bomb.parquet")
    start = time.monotonic()
    with pytest.raises(InputError, match=r"bomb\.parquet: (it unpacks to more than|a row is longer)"):
        import_benchmark(tmp_path / "bomb.parquet", tmp_path / "out")
    assert time.monotonic() - start < 30 and not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_packed_arrow_stream_is_bounded_too(tmp_path: Path) -> None:
    table = pa.table({"text": pa.array(["a" * 400_000_000])})
    with pa.ipc.new_stream(
        tmp_path / "a.arrow", table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")
    ) as out:
        out.write_table(table)
    with pytest.raises(InputError, match=r"a\.arrow: (it unpacks to more than|a row is longer)"):
        import_benchmark(tmp_path / "a.arrow", tmp_path / "out")


@pytest.mark.slow
def test_an_ordinary_file_is_searched_to_its_end(tmp_path: Path, bench: Path) -> None:
    from evolif.scenarios.instructions import InstructionBenchmark

    query = max((turn.query for turn in InstructionBenchmark(bench).turns(1)), key=len)
    rows = [{"text": f"filler {n} " * 20, "n": n, "x": 0.5, "list": [1, None]} for n in range(20_000)]
    pa.parquet.write_table(pa.Table.from_pylist([*rows, {"text": query}]), tmp_path / "corpus.parquet")
    told = CliRunner().invoke(app, ["contamination", str(tmp_path), "--benchmark", str(bench)])
    assert told.exit_code == 1 and "corpus.parquet" in told.output
