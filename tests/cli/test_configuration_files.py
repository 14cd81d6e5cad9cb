"""Configuration files are hostile input: none crashes the program, takes long, or builds more than it says."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from evolif import InputError
from evolif.cli import app
from evolif.util.resources import MOST_BYTES, MOST_NESTING, load_data

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
    "plan": ["run"],
}
_TIMED = """
import sys, time
import evolif.budget, evolif.cli, evolif.metrics, evolif.report, evolif.runner
import evolif.scenarios.instructions.constraints, evolif.scenarios.instructions
for command in sys.argv[1:]:
    start = time.perf_counter()
    try:
        evolif.cli.app(command.split("|"))
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


@pytest.mark.slow
def test_every_file_of_a_command_may_be_nested_50_000_deep(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("Hello.")
    (tmp_path / "evil.yaml").write_text(SHAPES["closed.yaml"].removeprefix("a: "))
    # In a process of its own: what this is about would end it.
    commands = ["|".join([*words, "evil.yaml"]) for words in COMMANDS.values()]
    told = [sys.executable, "-c", _TIMED, *commands]
    ran = subprocess.run(told, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr  # not killed by a signal
    for ended in ran.stdout.splitlines():
        _, code, _, seconds, _ = ended.split()
        assert code == "2" and float(seconds) < 1, ran.stdout
    assert len(ran.stdout.splitlines()) == len(ran.stderr.splitlines()) == len(COMMANDS), ran.stderr
    assert all("evil.yaml" in line for line in ran.stderr.splitlines()), ran.stderr


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


# What a file may set. Every parameter of every verb stands here once: by its flag, an argument by its name.

NEVER = {
    "--constraints": "loads Python code",
    "--ray-address": "a Ray cluster answers with objects that run code when they are read",
    "--config": "a file that names a file that names a file",
}
SHOULD_BE_READ_BEFOREHAND = {
    "names what is asked, or the variable whose value is sent there": """
        --base-url --baseline-model --checker --context-model --endpoint --judge --model --model-args --partner
        --synthesizer model""",
    "names a plug-in of those that are installed": """
        --context --group --scenario --strategies name""",
    "names files and folders that are read": """
        --against --also --apply --base --bench --benchmark --definitions --from --like --no-worse-than --personas
        --prices --profile --registers --topics bench board corpus file folder folders path response run runs
        shards source""",
    "names files and folders that are written": """
        --board --cache-dir --export --figure --figures --fork --html --json-file --junit --latex --out
        --transcripts --zip out""",
    "publishes": "--public --push",
}
HARMLESS = """
    --ablation --across --aggregate --as-released --budget-tokens --budget-usd --by --cache --cap --ceiling --check
    --count --dialogues --display --domain --dry-run --engine --epochs --explain-cache --feedback --finding --floor
    --format --full --github --json --judge-rule --judged --license --limit --list --margin --max --max-connections
    --max-retries --max-tokens --max-turns --metric --min --min-margin --min-reward --name --new-column --only
    --opinions --patience --pilot --quick --recursive --relevance --relevance-counts --resamples --reviewer --reward
    --rules --run --sample --samples --schema --search --seconds --seed --seen --set --source --split --stats --status
    --stop-method --stop-when --system-prompt --temperature --timeout --title --topic --turns --undecided --unscored
    --verify --voices --wait --whole --with-published --with-witness --words
    --workers
"""
ASKED_CONSTRAINTS = ("check", "--constraints")
"""The only flag that means two things: for `check`, a file with constraints, which is data."""


PROGRAM: Any = typer.main.get_command(app)


def _parameters() -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """(verb, command, parameter) of the whole program."""
    for name, command in PROGRAM.commands.items():
        for inner, own in getattr(command, "commands", {"": command}).items():
            for parameter in own.params:
                yield (name, inner) if inner else (name,), own, parameter


PARAMETERS = list(_parameters())
VERBS = {verb: command for verb, command, _ in PARAMETERS if any(p.name == "config" for p in command.params)}


def _said(parameter: Any) -> str:
    """As the command line spells it; `--json FILE` is another option than the switch `--json`."""
    if parameter.param_type_name == "argument":
        return str(parameter.name)
    flag = max(parameter.opts, key=len)
    return "--json-file" if flag == "--json" and not parameter.is_flag else str(flag)


def _is_never(verb: tuple[str, ...], parameter: Any) -> bool:
    return _said(parameter) in NEVER and (*verb, _said(parameter)) != ASKED_CONSTRAINTS


def _spellings(parameter: Any) -> set[str]:
    """Every word by which somebody may try to set a parameter."""
    words = {parameter.name, *parameter.opts, *filter(None, [parameter.envvar])}
    words |= {word.lstrip("-") for word in words}
    return {shape for word in words for shape in (word, word.replace("-", "_"), word.replace("_", "-"))}


def _set_by(verb: tuple[str, ...], path: Path) -> dict[str, Any]:
    """What a verb takes from a file: parameters by their names.

    Raises:
        InputError: the file is refused.
    """
    ctx: Any = typer.Context(PROGRAM)
    for name in verb:
        ctx = typer.Context(ctx.command.commands[name], info_name=name, parent=ctx)
    try:
        ctx.command.parse_args(ctx, ["--config", str(path)])
    except InputError:
        raise
    except Exception as fault:  # an argument is missing, or the value is no number: after the file was read
        assert type(fault).__name__ in {"MissingParameter", "BadParameter", "UsageError", "Exit"}, fault
    return dict(ctx.default_map or {})


def test_every_parameter_is_classified() -> None:
    listed = " ".join([*NEVER, *SHOULD_BE_READ_BEFOREHAND.values(), HARMLESS]).split()
    assert len(listed) == len(set(listed))
    assert {_said(parameter) for _, _, parameter in PARAMETERS} - {"--help"} == set(listed)


@pytest.fixture
def evil(tmp_path: Path) -> Iterator[Path]:
    """A module that tells that it ran, by a file beside it."""
    module = tmp_path / "evil.py"
    module.write_text("import pathlib\npathlib.Path(__file__ + '.ran').touch()\nGROUPS = []\n")
    yield module
    assert not (tmp_path / "evil.py.ran").exists()


@pytest.mark.sampled
@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_file_sets_flags_by_their_names_and_nothing_by_another_word(
    tmp_path: Path, evil: Path, verb: tuple[str, ...]
) -> None:
    path = tmp_path / "c.yaml"
    named = {_said(p).lstrip("-") if p.param_type_name == "argument" else max(p.opts, key=len).lstrip("-"): p.name
             for p in VERBS[verb].params if not _is_never(verb, p)}  # fmt: skip
    for parameter in VERBS[verb].params:
        for spelling in _spellings(parameter):
            path.write_text(f'"{spelling}": "{evil}"\n')
            expected = named.get(spelling.replace("_", "-"))
            try:
                found = _set_by(verb, path)
            except InputError as refused:
                assert expected is None, (spelling, refused)
            else:
                assert set(found) == ({expected} if expected else set()), spelling
                assert not (_is_never(verb, parameter) and found), spelling


REFUSED = {
    (verb, spelling) for verb in VERBS for owner, _, parameter in PARAMETERS if _is_never(owner, parameter)
    for spelling in _spellings(parameter) if (*verb, f"--{spelling.lstrip('-')}") != ASKED_CONSTRAINTS
}  # fmt: skip


@pytest.mark.sampled
@pytest.mark.parametrize("suffix", ["yaml", "toml"])
def test_no_verb_takes_code_from_a_file_under_any_spelling(tmp_path: Path, evil: Path, suffix: str) -> None:
    path, between = tmp_path / f"c.{suffix}", ": " if suffix == "yaml" else " = "
    assert len(REFUSED) > 200
    for verb, spelling in sorted(REFUSED):
        path.write_text(f'"{spelling}"{between}"{evil}"\n')
        with pytest.raises(InputError, match=r"c\.(yaml|toml): (a configuration file cannot name|unknown key)"):
            _set_by(verb, path)


@pytest.mark.sampled
@pytest.mark.parametrize("key", ["constraints", "own_groups", "own-groups", "EVOLIF_CONSTRAINTS"])
@pytest.mark.parametrize("how", ["flag", "variable"])
@pytest.mark.parametrize("verb", ["generate", "evaluate"])
def test_code_in_a_file_is_one_sentence(
    tmp_path: Path, evil: Path, monkeypatch: pytest.MonkeyPatch, verb: str, how: str, key: str
) -> None:
    monkeypatch.setenv("EVOLIF_PLUGINS", "0")
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(f"{key}: {evil}\n", encoding="utf-8")
    command = [verb, "bench", *(["--config", "c.yaml"] if how == "flag" else [])]
    told = CliRunner().invoke(app, command, env={"EVOLIF_CONFIG": "c.yaml"} if how == "variable" else {})
    assert told.exit_code == 2 and not Path("bench").exists()
    assert told.stderr == (
        "evolif: c.yaml: a configuration file cannot name code to load; remove "
        f"“{key.replace('own_', 'own-')}” and give it on the command line\n"
    )
