"""`evolif run`: a plan is the commands that one would type, made, resumed and decided in one go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from evolif.cli import app
from evolif.plan.file import read_plan
from evolif.plan.flags import Flag, arguments
from evolif.plan.lines import line_of

pytest.importorskip("numpy", reason="NumPy is not installed")
pytest.importorskip("scipy", reason="SciPy is not installed")

SMALL = """\
models: [sim/steady]
scenarios:
  - {dialogues: 2, turns: 2, seed: 5}
settings: {max_turns: 2, display: none}
"""
FLAGS = {
    "max_turns": Flag("--max-turns", kind="integer"),
    "set": Flag("--set", repeats=True),
    "system_prompt": Flag("--system-prompt", off="--no-system-prompt", switch=True),
    "topics": Flag("--topics", path=True),
    "constraints": Flag("--constraints", refused="a configuration file cannot name code to load"),
}


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("EVOLIF_MODEL", "EVOLIF_SEED", "EVOLIF_OUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)


def play(text: str, *arguments: str) -> Result:
    Path("evolif.yaml").write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["run", *arguments], prog_name="evolif")
    assert "Traceback" not in result.output
    return result


def refused(text: str) -> str:
    result = play(text)
    assert result.exit_code == 2, result.output
    assert not Path("results").exists()
    return " ".join(result.stderr.split())


def test_a_plan_is_made_and_a_second_time_nothing_is_left_to_do() -> None:
    first = play(SMALL + "gate: {min: {isr_at_n: 0}}\n")
    assert first.exit_code == 4, first.output  # two dialogues have no interval
    assert Path("results/benchmarks/instructions/benchmark.json").is_file()
    assert Path("results/runs/instructions/run.sqlite").is_file()
    assert Path("results/board/board.json").is_file()
    before = Path("results/runs/instructions/run.sqlite").read_bytes()
    second = play(SMALL + "gate: {min: {isr_at_n: 0}}\n")
    assert "nothing left to run" in second.stderr
    assert Path("results/runs/instructions/run.sqlite").read_bytes() == before


def test_a_dry_run_shows_the_commands_and_the_cost_and_writes_nothing() -> None:
    result = play(SMALL, "--dry-run")
    assert result.exit_code == 0, result.output
    assert [line for line in result.stdout.splitlines() if line.startswith("evolif")] == [
        "evolif generate results/benchmarks/instructions --dialogues=2 --turns=2 --seed=5",
        "evolif evaluate results/benchmarks/instructions --model=sim/steady --out results/runs/instructions "
        "--max-turns=2 --display=none",
        "evolif board results/runs/instructions --out results/board",
    ]
    assert "total: $0.00" in result.stdout
    assert sorted(path.name for path in Path.cwd().iterdir()) == ["evolif.yaml"]


def test_what_models_word_has_no_forecast_before_it_is_there() -> None:
    text = SMALL.replace("seed: 5", "seed: 5, synthesizer: openai/w")
    assert "models word them" in play(text, "--dry-run").stdout


def test_several_scenarios_with_models_settings_and_gates_of_their_own() -> None:
    text = """\
models: [sim/steady]
scenarios:
  - {label: a, dialogues: 1, turns: 1, seed: 5, profile: objective}
  - name: games
    models: {name: sim/scripted}
    dialogues: 1
    seed: 2
    set: {game: names, n: 9, turns: [2]}
    settings: {partner: scripted}
    gate: {min: [accuracy=0.1]}
settings: {max-turns: 2, display: none}
gate: false
board: false
"""
    result = play(text, "--junit", "gates", "--github")
    assert result.exit_code == 4, result.output
    assert "--set=game=names --set=n=9" in result.stderr
    assert [path.name for path in Path("gates").iterdir()] == ["games.xml"]
    assert "### evolif gate games" in result.stdout
    assert not Path("results/board").exists()
    only = play(text, "--only", "a")
    assert only.exit_code == 0 and "gate" not in only.stderr


def test_a_failed_gate_is_a_finding_and_a_passed_one_is_none() -> None:
    text = """\
models: [sim/perfect, "sim/steady?skill=.2"]
scenarios: {dialogues: 8, turns: 2, seed: 5, profile: objective}
settings: {max_turns: 2, display: none}
board: false
gate: {min: {isr: .9}}
"""
    assert play(text).exit_code == 1
    assert play(text.replace("min: {isr: .9}", "max: {isr: .9}")).exit_code == 0


def test_the_budget_is_for_all_runs_together() -> None:
    prices = 'models: {"openai/a": {prompt: 1, completion: 1, date: 2026-01-01}}\n'
    Path("prices.yaml").write_text(prices, encoding="utf-8")
    text = SMALL.replace("display: none", "display: none, prices: prices.yaml") + "budget: {usd: 3, tokens: 500}\n"
    play(text)
    text = text.replace("scenarios:\n", "scenarios:\n  - {label: b, dialogues: 1, turns: 1, seed: 6}\n")
    told = play(text).stderr
    assert "--budget-usd=3 --budget-tokens=500" in told


def test_a_run_that_is_suspended_ends_with_exit_code_3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    url = "http://127.0.0.1:9/v1"  # nothing listens there
    text = SMALL.replace("[sim/steady]", f"{{name: openai/a, base_url: '{url}'}}")
    result = play(text.replace("max_turns: 2", "max_turns: 2, max_retries: 0") + "gate: {min: {isr: .5}}\n")
    assert result.exit_code == 3, result.output
    assert "run the same command again to finish them" in result.stderr


def test_no_worse_than_finds_the_run_of_the_same_scenario() -> None:
    text = SMALL.replace("dialogues: 2", "dialogues: 6") + "board: false\n"
    assert play(text).exit_code == 0
    Path("results").rename("last")
    result = play(text + "gate: {no_worse_than: last, margin: 100}\n")
    assert result.exit_code == 0, result.output
    assert "--no-worse-than last/runs/instructions" in result.stderr


def test_paths_are_relative_to_the_plan() -> None:
    Path("plans").mkdir()
    Path("plans/p.yaml").write_text(SMALL + "out: ../there\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["run", "plans/p.yaml", "--dry-run"], prog_name="evolif")
    assert "there/benchmarks/instructions" in result.stdout
    [found] = (arguments({"topics": "t.jsonl"}, FLAGS, "x", Path("plans")),)
    assert found == ["--topics=plans/t.jsonl"]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"max-turns": 3}, ["--max-turns=3"]),
        ({"max_turns": None}, []),
        ({"set": {"game": "chess", "turns": [2, 4]}}, ["--set=game=chess", "--set=turns=2,4"]),
        ({"set": ["a=1", "b=true"]}, ["--set=a=1", "--set=b=true"]),
        ({"set": {"on": True}}, ["--set=on=true"]),
        ({"system_prompt": False}, ["--no-system-prompt"]),
        ({"system_prompt": True}, ["--system-prompt"]),
    ],
)
def test_keys_are_flags(values: dict[str, Any], found: list[str]) -> None:
    assert arguments(values, FLAGS, "settings", Path()) == found


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ("- 3\n", "a plan is a mapping with models: and scenarios:"),
        ("models: sim/steady\nscenario: {dialogues: 3}\n", "line 2: there is no key “scenario” (did you mean"),
        ("models: []\nscenarios: {dialogues: 3}\n", "line 1: models must have at least 1 item"),
        ("models: [x]\nscenarios: {dialogues: 3}\n", "line 2: instructions: 'x' has no provider"),
        ("models: [sim/x]\nscenarios: {dialogues: 3}\n", "unknown simulated model “sim/x”"),
        ("models: sim/steady\nscenarios: {dialogs: 3}\n", "there is no key “dialogs” (did you mean dialogues?)"),
        ("models: sim/steady\nscenarios: {dialogues: three}\n", "--dialogues must be a whole number, not “three”"),
        ("models: sim/steady\nscenarios: {name: gams}\n", "line 2: gams: the scenario “gams” is not installed here"),
        ("models: sim/steady\nscenarios: {bench: foo}\n", "line 2: foo: the benchmark foo does not exist"),
        ("models: sim/steady\nscenarios: [{seed: 1}, {seed: 2}]\n", "two scenarios would be called instructions"),
        ("models: sim/steady\nscenarios: {label: ../x}\n", "is no name of a folder"),
        (SMALL + "budget: {eur: 3}\n", "line 5: there is no key “eur”; a plan has usd, tokens"),
        (SMALL + "budget: {usd: -3}\n", "budget.usd must be"),
        (SMALL + "gate: {min: 3}\n", "--min 3: it takes a metric and its limit"),
        (SMALL + "gate:\n  mini: 3\n", "line 6: gate: there is no key “mini” (did you mean min?)"),
        (SMALL.replace("max_turns", "max_turn"), "there is no key “max_turn” (did you mean max_turns?)"),
        (SMALL.replace("max_turns: 2", "constraints: x.py"), "a configuration file cannot name code to load"),
        (SMALL.replace("max_turns: 2", "budget_usd: 2"), "budget: {usd: …} limits all runs"),
        (SMALL.replace("max_turns: 2", "model: sim/steady"), "the models are listed below models:"),
        (SMALL.replace("max_turns: 2", "max_turns: [1, 2]"), "max_turns takes one value, not 2"),
        (SMALL.replace("max_turns: 2", "system_prompt: 2"), "system_prompt is true or false, not 2"),
        (SMALL.replace("[sim/steady]", "{name: sim/steady, skill: [1]}"), "skill of sim/steady takes a text"),
        ("models: &a [x]\nscenarios: *a\n", "YAML aliases"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence_before_anything_is_made(plan: str, told: str) -> None:
    sentence = refused(plan)
    assert (told in sentence and sentence.startswith("evolif: evolif.yaml")) or "evolif generate" in sentence


def test_the_line_of_a_part_and_of_the_last_one_that_is_there() -> None:
    Path("a.yaml").write_text("models: [x]\nscenarios:\n  - name: a\n    seed: 3\n  - name: b\n", encoding="utf-8")
    assert line_of(Path("a.yaml"), ["scenarios", 0, "seed"]) == 4
    assert line_of(Path("a.yaml"), ["scenarios", 1, "nothing"]) == 5
    assert line_of(Path("a.yaml"), ["scenarios", 7]) == 2
    assert line_of(Path("a.toml"), ["scenarios"]) is None


def test_the_schema_knows_every_key_and_no_other() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    schema = json.loads(CliRunner().invoke(app, ["run", "--schema"], prog_name="evolif").stdout)
    Path("p.yaml").write_text(SMALL + "board: {title: x}\ngate: {min: {isr: .5}}\n", encoding="utf-8")
    from evolif.util.resources import load_data

    good = load_data(Path("p.yaml"))
    read_plan(Path("p.yaml"))
    jsonschema.validate(good, schema)
    for part in ({"x": 1}, {"settings": {"constraints": "x"}}, {"scenarios": [{"dialogs": 1}]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**good, **part}, schema)
