"""Golden files: what the program does today, held as text, JSON and digests, so that moving code changes none of it.

The tests here know the command line and the public API alone. `EVOLIF_UPDATE_GOLDEN=1 pytest tests/golden` writes the
files anew; read their diff before it is committed. The stored runs are made by `make_golden_runs.py` and stay as they
are: they are runs of the program as it was.
"""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest
from golden_tools import RUNS, Cli, Golden


@pytest.fixture(scope="session")
def golden() -> Golden:
    return Golden()


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """The command line in the test's own folder."""
    return Cli(tmp_path)


@pytest.fixture(scope="session")
def benches(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Benchmarks by profile and seed, made once: 3 dialogues of 8 turns. Tests copy what they change."""
    folder = tmp_path_factory.mktemp("golden")
    start = Cli(folder)

    def bench(profile: str, seed: int) -> Path:
        name = f"{profile}-{seed}"
        if not (folder / name).exists():
            shape = ("--dialogues", 3, "--turns", 8, "--seed", seed, "--profile", profile)
            start("generate", name, *shape, "--display", "none")
        return folder / name

    return bench


@pytest.fixture
def first_edition(cli: Cli) -> Any:
    """Unpacks as `bench` the benchmark of edition 1 that a stored run was played on."""

    def bench(run: str) -> Path:
        with tarfile.open(Path(__file__).parent / "benches.tar.xz") as archive:
            # Python before 3.11.4 has no filters; the archive is ours.
            archive.extractall(cli.folder / ".first", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        (cli.folder / ".first" / run).rename(cli.folder / "bench")
        return cli.folder / "bench"

    return bench


@pytest.fixture
def stored(tmp_path: Path) -> Any:
    """Copies a stored run into the test's folder, which is what makes it safe to open."""

    def copy(name: str) -> Path:
        return shutil.copytree(RUNS / name, tmp_path / name)

    return copy
