"""The wheel is built, installed apart from the checkout, and used there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

pytestmark = [
    pytest.mark.slow,
    pytest.mark.package,
    pytest.mark.skipif(
        find_spec("build") is None or find_spec("hatchling") is None, reason="build and hatchling are not installed"
    ),
]

WHERE = """
import json, evolif
from evolif.util.resources import data_path
from evolif.scenarios.instructions.synthesis import load_personas
from evolif.scenarios.instructions.tracker import load_topics
parts = [("seeds", "topics.jsonl"), ("seeds", "frames.yaml"), ("constraints", "length.yaml"),
         ("personas", "personas.jsonl"), ("seeds", "profiles", "paper.yaml"),
         ("seeds", "profiles", "escalating.yaml"), ("seeds", "samples", "check", "answer.txt")]
print(json.dumps({"package": evolif.__file__, "data": [str(data_path(*p)) for p in parts],
                  "topics": len(load_topics()), "personas": len(load_personas()), "version": evolif.__version__}))
"""


def run(*command: object, cwd: Path) -> str:
    """Run apart from the checkout: without its path in the environment."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH" and not k.startswith("EVOLIF_")}
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel; what it depends on is borrowed from this one, so that nothing is fetched."""
    root = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", root, ROOT, cwd=root)
    [wheel] = root.glob("evolif-*.whl")
    venv.create(root / "env", with_pip=False, symlinks=os.name != "nt")
    python = root / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "-q", wheel, cwd=root)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=root).strip())
    # At the end of the path, so that an evolif installed there cannot stand in for the wheel's.
    (site / "borrowed.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    return python


def test_the_installed_package_brings_its_data(installed: Path, tmp_path: Path) -> None:
    told = json.loads(run(installed, "-c", WHERE, cwd=tmp_path))
    package = Path(told["package"]).parent
    assert not package.is_relative_to(ROOT)
    for path in map(Path, told["data"]):
        assert path.is_relative_to(package / "_data")
    assert told["topics"] >= 600 and told["personas"] >= 500


def test_the_installed_program_makes_the_bytes_of_the_checkout(installed: Path, tmp_path: Path) -> None:
    command = ["generate", "out", "--dialogues", "2", "--turns", "4", "--seed", "7"]
    (tmp_path / "wheel").mkdir()
    (tmp_path / "checkout").mkdir()
    assert "2 dialogues" in run(installed.with_name("evolif"), *command, cwd=tmp_path / "wheel")
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from evolif.__main__ import main; main()"
    run(sys.executable, "-c", code, *command, cwd=tmp_path / "checkout")
    name = Path("out", "dialogues", "0002.jsonl")
    assert (tmp_path / "wheel" / name).read_bytes() == (tmp_path / "checkout" / name).read_bytes()
    run(installed, "-m", "evolif", "evaluate", "out", "-m", "sim/perfect", "--max-turns", "4", cwd=tmp_path / "wheel")


def test_the_wheel_carries_types_licences_and_no_tests(installed: Path) -> None:
    [metadata] = installed.parent.parent.rglob("evolif-*.dist-info")
    names = (metadata / "RECORD").read_text(encoding="utf-8")
    assert "evolif/py.typed" in names and "evolif/_data/seeds/topics.jsonl" in names
    assert "LICENSE" in names and "LICENSE-DATA" in names
    assert "\ntests/" not in names and "conftest" not in names


def test_a_checkout_reads_its_own_folders(tmp_path: Path) -> None:
    told = json.loads(
        run(sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{WHERE}", cwd=tmp_path)
    )
    assert Path(told["package"]).is_relative_to(ROOT)
    for path in map(Path, told["data"]):
        assert path.is_relative_to(ROOT) and "_data" not in path.parts
