"""Files of folders from elsewhere: a pipe, a device or a link out of the folder is one sentence, and nothing waits."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import evolif
from evolif.errors import InputError
from evolif.util.opened import open_file, read_file, refuse_links

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes and links of POSIX")
DIALOGUE = "dialogues/0001.jsonl"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("opened")
    bench = evolif.generate(root / "bench", dialogues=2, turns=2, seed=3, profile="objective")
    evolif.evaluate(bench, ["sim/perfect"], root / "run", max_turns=2).close()
    (root / "dialogs").mkdir()
    (root / "dialogs" / "0.json").write_text("{}")
    return root


@pytest.fixture
def folders(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "there"))


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def link_out(path: Path) -> None:
    secret = path.parents[2] / "secret"
    secret.write_text("{}\n")
    path.symlink_to(secret)


PLACES = {
    "dialogue": (("audit", "bench"), f"bench/{DIALOGUE}"),
    "dialogue that is played": (("evaluate", "bench", "-m", "sim/perfect", "--out", "r"), f"bench/{DIALOGUE}"),
    "dialogue that is exported": (("export", "bench", "x.jsonl"), f"bench/{DIALOGUE}"),
    "header": (("audit", "bench"), "bench/benchmark.json"),
    "topics": (("audit", "bench"), "bench/topics.jsonl"),
    "personas": (("evaluate", "bench", "-m", "sim/perfect", "--out", "r"), "bench/personas.jsonl"),
    "file of turns": (("audit", "bench/dialogues"), f"bench/{DIALOGUE}"),
    "run": (("report", "run"), "run/run.sqlite"),
    "unidial": (("unidial", "summary", "dialogs"), "dialogs/0.json"),
}

OFTEN = {"dialogue-pipe", "dialogue-device", "dialogue-link_out", "topics-device", "run-link_out", "unidial-pipe"}
CASES = [
    pytest.param(place, plant, id=name, marks=[] if name in OFTEN else pytest.mark.slow)
    for place in PLACES
    for plant in (pipe, device, link_out)
    for name in [f"{place}-{plant.__name__}"]
]


def evolif_in(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, since the fault is that it does not end."""
    return subprocess.run(
        [sys.executable, "-m", "evolif", *command], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.sampled
@pytest.mark.parametrize(("place", "plant"), CASES)
def test_a_file_that_is_none_is_one_sentence(folders: Path, place: str, plant: Callable[[Path], None]) -> None:
    command, name = PLACES[place]
    path = folders / name
    path.unlink()
    plant(path)
    done = evolif_in(folders, *command)
    assert done.returncode == 2, done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("evolif: ") and name.split("/")[0] in last, done.stderr
    assert "Traceback" not in done.stderr and "internal error" not in done.stderr


@pytest.mark.slow
def test_a_link_within_the_folder_and_a_folder_that_is_a_link_are_read(folders: Path) -> None:
    kept = folders / "bench" / "dialogues" / "kept"
    (folders / "bench" / DIALOGUE).rename(kept)
    (folders / "bench" / DIALOGUE).symlink_to("kept")
    (folders / "named").symlink_to("bench")
    done = evolif_in(folders, "audit", "named")
    assert done.returncode in (0, 1), done.stderr
    assert "link" not in done.stderr


def test_what_is_opened_is_regular_and_bounded(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    assert read_file(path, 5) == b"12345"
    with pytest.raises(InputError, match="larger than 0 MB; split it"):
        read_file(path, 4)
    with pytest.raises(InputError, match="not a plain file"):
        open_file(Path("/dev/zero"))
    with pytest.raises(IsADirectoryError):
        open_file(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a plain file"):
        read_file(tmp_path / "pipe")


def test_only_links_out_of_the_folder_are_refused(tmp_path: Path) -> None:
    root = tmp_path / "a"
    (root / "in").mkdir(parents=True)
    (root / "in" / "x").symlink_to("../y")
    refuse_links(root, ("nothing",), ("in", "nothing"))
    (root / "in" / "z").symlink_to(tmp_path / "out")
    with pytest.raises(InputError, match="leads out of the folder"):
        refuse_links(root, (), ("in",))
    (root / "in" / "z").unlink()
    (root / "link").symlink_to(tmp_path)
    with pytest.raises(InputError, match="leads out of the folder"):
        refuse_links(root, (), ("link",))


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize(
    ("mask", "folder", "file"), [pytest.param(0o022, 0o755, 0o644, marks=pytest.mark.slow), (0o077, 0o700, 0o600)]
)
def test_everything_is_made_with_the_users_umask(tmp_path: Path, mask: int, folder: int, file: int) -> None:
    # One process for all commands, which must not change the umask of the tests themselves.
    code = (
        f"import json, os, sys; os.umask({mask}); from evolif.__main__ import main\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    sys.argv = ['evolif', *words]\n"
        "    try: main()\n"
        "    except SystemExit as end: assert end.code in (None, 0, 1), (words, end.code)\n"
    )
    commands = (
        ("generate", "b", "--dialogues", "1", "--turns", "2", "--seed", "1"),
        ("evaluate", "b", "-m", "sim/perfect", "--max-turns", "3", "--out", "r", "--cache-dir", "c", "--judge", "none"),
        ("export", "r", "x.jsonl"),
        ("export", "r", "x.csv"),
        ("export", "b", "states", "--format", "evolif-states"),
        ("export", "r", "u", "--format", "unidial"),
        ("report", "r", "--html", "p.html", "--json", "j.json"),
        ("audit", "b"),
        ("review", "b", "--export", "q.jsonl"),
    )
    made = [sys.executable, "-c", code, json.dumps(commands)]
    done = subprocess.run(made, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    modes = {str(path.relative_to(tmp_path)): stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert {"b/benchmark.json", "r/run.sqlite", "x.csv", "x.jsonl", "p.html"} <= modes.keys()
    wrong = {name: oct(mode) for name, mode in modes.items()
             if mode != (folder if (tmp_path / name).is_dir() else file) and not name.startswith("c")}  # fmt: skip
    assert wrong == {}
    assert all(
        modes[name] & 0o077 == 0 for name in modes if name == "c"
    )  # a cache is the user's own, whatever the umask
