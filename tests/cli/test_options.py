"""Flags, variables and configuration files; and how light the program starts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from evolif.cli import app

ROOT: Any = typer.main.get_command(app)
VERBS = tuple(ROOT.commands)
# Of one call only: what is printed, which part is made, which file is read.
WITHOUT_VARIABLE = {"--json", "--dry-run", "--only", "--help"}


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("EVOLIF_SEED", "EVOLIF_TURNS", "EVOLIF_DIALOGUES", "EVOLIF_CONFIG", "EVOLIF_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def evolif(*arguments: str, **env: str) -> Any:
    return CliRunner().invoke(app, list(arguments), env=env, prog_name="evolif")


def parameters() -> Iterator[tuple[str, str, Any]]:
    for verb, command in ROOT.commands.items():
        for parameter in command.params:
            for flag in parameter.opts:
                if flag.startswith("--"):
                    yield verb, flag, parameter


def test_every_flag_has_a_variable_of_its_name_or_of_its_verbs() -> None:
    seen = list(parameters())
    assert {"--seed", "--model", "--max-turns", "--config"} <= {flag for _, flag, _ in seen}
    for verb, flag, parameter in seen:
        if flag not in WITHOUT_VARIABLE:
            own = flag.removeprefix("--").replace("-", "_").upper()
            assert parameter.envvar in (f"EVOLIF_{own}", f"EVOLIF_{verb.upper()}_{own}"), f"{verb} {flag}"


def test_the_verbs_of_the_whole_way_are_there() -> None:
    assert {"demo", "generate", "extend", "evaluate", "report", "check", "score", "models"} <= set(VERBS)


@pytest.mark.sampled
@pytest.mark.parametrize("verb", ["", *VERBS])
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_of_every_verb_works(verb: str, flag: str) -> None:
    result = evolif(*filter(None, (verb, flag)))
    assert result.exit_code == 0 and "Usage: evolif" in result.output


def test_version_is_said() -> None:
    import evolif as package

    assert evolif("--version").stdout == f"evolif {package.__version__}\n"


def spec(folder: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((Path(folder) / "benchmark.json").read_text(encoding="utf-8"))
    return data["spec"]


CONFIGS = {
    "c.yaml": "seed: 11\nturns: 2\ndialogues: 3\nmax-turns: 9\n",
    "c.toml": "seed = 11\nturns = 2\ndialogues = 3\nmax-turns = 9\n",
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", list(CONFIGS))
def test_a_configuration_gives_defaults_of_all_verbs(name: str) -> None:
    Path(name).write_text(CONFIGS[name], encoding="utf-8")
    assert evolif("generate", "b", "--config", name).exit_code == 0
    assert (spec("b")["seed"], spec("b")["turns"], spec("b")["dialogues"]) == (11, 2, 3)
    result = evolif("evaluate", "b", "-m", "sim/perfect", "--dry-run", EVOLIF_CONFIG=name)
    assert "at most 27 calls" in result.stdout


def test_flags_win_over_variables_and_variables_over_the_configuration() -> None:
    Path("c.yaml").write_text("seed: 1\nturns: 1\ndialogues: 1\n", encoding="utf-8")
    result = evolif("generate", "b", "--config", "c.yaml", "--seed", "3", EVOLIF_SEED="2", EVOLIF_TURNS="2")
    assert result.exit_code == 0, result.output
    assert (spec("b")["seed"], spec("b")["turns"], spec("b")["dialogues"]) == (3, 2, 1)


@pytest.mark.sampled
@pytest.mark.parametrize("model", ["sim/perfect", "[sim/perfect]", "\n- sim/perfect"])
def test_a_repeatable_flag_takes_one_value_or_a_list(model: str) -> None:
    evolif("generate", "b", "--dialogues", "1", "--turns", "1", "--seed", "1")
    Path("c.yaml").write_text(f"model: {model}\nsystem-prompt: false\ntemperature: 0\nlimit:\n", encoding="utf-8")
    result = evolif("evaluate", "b", "--config", "c.yaml", "--max-turns", "2", "--out", "r")
    assert result.exit_code == 0, result.output
    settings = json.loads(evolif("report", "r", "--json", "-").stdout)["runs"][0]["settings"]
    assert settings["models"] == ["sim/perfect"]
    assert (settings["system_prompt"], settings["temperature"]) == (False, 0.0)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("c.yaml", "sede: 1\n", "unknown key “sede”"),
        ("c.yaml", "- 1\n", "mapping"),
        ("c.yaml", "seed: [\n", "line 2"),
        ("c.yaml", "a: &x 1\nseed: *x\n", "aliases"),
        ("c.yaml", "5: 1\n", "mapping"),
        ("c.toml", "seed = \n", "not TOML"),
        ("c.toml", "[evaluate]\nseed = 1\n", "unknown key “evaluate”"),
        ("missing.yaml", None, "cannot be read"),
    ],
)
def test_a_broken_configuration_is_told_by_name(name: str, text: str | None, told: str) -> None:
    if text is not None:
        Path(name).write_text(text, encoding="utf-8")
    result = evolif("generate", "b", "--config", name)
    assert result.exit_code == 2 and name in result.stderr and told in result.stderr
    assert not Path("b").exists()


def test_a_value_of_the_wrong_kind_names_the_flag() -> None:
    Path("c.yaml").write_text("seed: soon\n", encoding="utf-8")
    result = evolif("generate", "b", "--config", "c.yaml")
    assert result.exit_code == 2 and "seed in c.yaml must be a whole number" in result.stderr


def modules_after(code: str) -> set[str]:
    code += "\nimport sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


HEAVY = {"openai", "numpy", "nltk", "regex", "pyromark", "selectolax", "httpx", "xllamacpp"}

HELP = """
import sys
from evolif.__main__ import main
sys.argv = ["evolif", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code
"""


def test_help_imports_nothing_heavy() -> None:
    loaded = modules_after(HELP)
    assert "evolif.cli" in loaded
    assert not loaded & (
        HEAVY
        | {
            "evolif.scenarios.instructions",
            "evolif.runner",
            "evolif.scenarios.instructions.constraints",
            "evolif.metrics",
        }
    )


def test_importing_the_package_imports_nothing_at_all() -> None:
    loaded = modules_after("import evolif")
    assert {m for m in loaded if m.startswith("evolif")} == {"evolif", "evolif._moved", "evolif._version"}
    assert not loaded & (HEAVY | {"typer", "rich", "pydantic", "yaml"})
