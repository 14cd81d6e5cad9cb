"""Configuration files are hostile input: none crashes the program, takes long, or builds more than it says."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from evolif import InputError
from evolif.resources import MOST_BYTES, MOST_NESTING, load_data

DEEP = 50_000
SHAPES = {
    "flow.yaml": "a: " + "[" * DEEP,
    "closed.yaml": "a: " + "[" * DEEP + "]" * DEEP,
    "maps.yaml": "{a: " * DEEP,
    "lists.yaml": "- " * DEEP + "a",
    "arrays.toml": "a = " + "[" * DEEP + "]" * DEEP,
    "tables.toml": "a = " + "{a = " * DEEP,
    "dotted.toml": ".".join("a" * DEEP) + " = 1",
    "header.toml": f"[{'.'.join('a' * DEEP)}]",
    "hidden.toml": 'a = """x""""\nb = ' + "[" * DEEP + ']\nc = "x"',
}
COMMANDS = {
    "config": ["evaluate", "bench", "-m", "sim/steady", "--config"],
    "profile": ["generate", "bench", "--profile"],
    "registers": ["generate", "bench", "--registers"],
    "topics": ["generate", "bench", "--topics"],
    "personas": ["generate", "bench", "--personas"],
    "prices": ["rejudge", "run", "--judge", "none", "--prices"],
    "constraints of check": ["check", "answer.txt", "--constraints"],
    "verdicts": ["score"],
}
_TIMED = """
import sys, time
import evolif.budget, evolif.cli, evolif.constraints, evolif.instructions, evolif.metrics, evolif.report, evolif.runner
start = time.perf_counter()
try:
    evolif.cli.app(sys.argv[1:])
except SystemExit as end:
    print(f"exit {end.code} after {time.perf_counter() - start:.2f} s")
"""


@pytest.mark.parametrize("name", SHAPES)
def test_deep_nesting_is_one_sentence(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(SHAPES[name])
    start = time.perf_counter()
    with pytest.raises(InputError, match=f"nested more than {MOST_NESTING} levels deep; make it flatter"):
        load_data(path)
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("command", COMMANDS)
def test_every_file_of_a_command_may_be_nested_50_000_deep(tmp_path: Path, command: str) -> None:
    (tmp_path / "answer.txt").write_text("Hello.")
    (tmp_path / "evil.yaml").write_text(SHAPES["closed.yaml"].removeprefix("a: "))
    # In a process of its own: what this is about would end it.
    ran = subprocess.run(
        [sys.executable, "-c", _TIMED, *COMMANDS[command], "evil.yaml"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr  # not killed by a signal
    _, code, _, seconds, _ = ran.stdout.splitlines()[-1].split()
    assert code == "2" and float(seconds) < 1, ran.stdout
    assert len(ran.stderr.splitlines()) == 1 and "evil.yaml" in ran.stderr, ran.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: &a [x]\nb: *a", "aliases"),
        ("a: &a {b: 1}\nc: {<<: *a}", "aliases"),
        ("a: !!python/name:os.system x", "tags"),
        ("a: !!timestamp x", "tags"),
        ("a: !!int '1'", "tags"),
        ("a: 2001-99-99", "cannot be read"),
        ("a: 1" + "0" * 10_000, "too many digits"),
        ("a: 1" + ":59" * 100_000, "too many digits"),
        ("a: 0x" + "f" * 200_000, "too many digits"),
        ("a: \x00", "fix the YAML"),
        ("a" * (MOST_BYTES + 1), "shorten it"),
    ],
)
def test_yaml_holds_plain_data_of_bounded_size(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    start = time.perf_counter()
    with pytest.raises(InputError, match=told) as caught:
        load_data(path)
    assert time.perf_counter() - start < 1
    assert len(str(caught.value).splitlines()) == 1


def test_a_file_without_end_is_read_to_the_limit_only() -> None:
    with pytest.raises(InputError, match="shorten it"):
        load_data(Path("/dev/zero"))


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        load_data(path)


@pytest.mark.parametrize(
    ("name", "text", "data"),
    [
        ("a.yaml", "a: 1\nb: [x, 2.5, 2001-02-03x]", {"a": 1, "b": ["x", 2.5, "2001-02-03x"]}),
        ("a.yaml", "a: 5 * 3 is **fifteen**", {"a": "5 * 3 is **fifteen**"}),
        ("a.yaml", f"a: {'long ' * 100}", {"a": ("long " * 100).strip()}),
        ("a.toml", "a = \"[{.#\"\nb.c = [1.5, '''\"''']", {"a": "[{.#", "b": {"c": [1.5, '"']}}),
        ("a.toml", 'a = """x\\"""""\n[t]\nc = "\\\\" # [[', {"a": 'x""', "t": {"c": "\\"}}),
        ("a.toml", "a = " + "[" * MOST_NESTING + "]" * MOST_NESTING, None),
        ("a.yaml", "[" * MOST_NESTING + "]" * MOST_NESTING, None),
    ],
)
def test_ordinary_files_are_read(tmp_path: Path, name: str, text: str, data: object) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert load_data(path) == data or data is None
