"""The core plays and reports other scenarios without a single module of instruction following."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

BLOCKED = ("review", "scenarios.instructions")

BLOCKING = """
import json, shlex, sys


class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name in blocked or name.startswith(tuple(one + "." for one in blocked)):
            raise ImportError(name + " is blocked")


blocked = tuple("evolif." + name for name in json.loads(sys.argv.pop(1)))
sys.meta_path.insert(0, Blocker())
"""

BY_COMMANDS = """
from evolif.cli import app

for line in sys.stdin:
    try:
        app(shlex.split(line))
    except SystemExit as end:
        assert not end.code, line
"""

BY_PYTHON = """
from pathlib import Path
from evolif import evaluate, load_benchmark, load_run
from evolif.report import analyse, summarise, write_page
from evolif.report.json import report_object
from evolif.scenario import get_scenario

for name, models in (("guess", ["sim/halver"]), ("checklist", ["sim/hasty", "sim/careful"])):
    scenario = get_scenario(name)
    scenario.generate(Path(name), scenario.spec(), dialogues=6, seed=1)
    evaluate(load_benchmark(name), models, name + "-run", max_turns=2).close()
    for limit in (4, 5):
        evaluate(load_benchmark(name), models, name + "-run2", limit=limit).close()
    run = load_run(name + "-run2")
    told = report_object([(run, summarise(run, resamples=20))])
    print(json.dumps([[model["model"], model["dialogues"]] for model in told["models"]]))
    write_page(analyse([run], resamples=20), Path(name + ".html"))
"""


@pytest.fixture
def apart(python: Callable[..., subprocess.Popen[str]]) -> Callable[..., str]:
    """Runs code where the packages of instruction following cannot be imported; returns what it prints."""

    def play(code: str, stdin: str = "") -> str:
        process = python("-c", BLOCKING + code, json.dumps(BLOCKED))
        out, err = process.communicate(stdin, timeout=120)
        assert process.returncode == 0, err
        return out

    return play


def test_what_is_blocked_is_all_that_knows_instruction_following(apart: Callable[..., str]) -> None:
    code = "from evolif import UsageError\nfrom evolif.scenario import get_scenario\n"
    code += "try:\n    get_scenario('instructions')\nexcept ImportError as fault:\n    print(fault)\n"
    assert apart(code).strip() == "evolif.scenarios.instructions is blocked"


@pytest.mark.slow
def test_from_python(apart: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [json.loads(line) for line in apart(BY_PYTHON).splitlines()] == [
        [["sim/halver", 5]],
        [["sim/hasty", 5], ["sim/careful", 5]],
    ]


@pytest.mark.slow
def test_by_commands(apart: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = []
    for name, models, metric in (
        ("guess", "-m sim/halver", "found"),
        ("checklist", "-m sim/hasty -m sim/careful", "share"),
    ):
        lines += [
            f"generate {name} --scenario {name} --dialogues 6 --seed 1",
            f"evaluate {name} {models} --dry-run",
            f"evaluate {name} {models} --out {name}-run --limit 3",
            f"evaluate {name} {models} --out {name}-run --budget-tokens 100000",
            f"report {name}-run --full --resamples 20 --json {name}.json --html {name}.html --latex {name}.tex",
            f"scenarios {name}",
            f"status {name}-run",
            f"evaluate {name} {models} --out {name}-last --context last:1 --stop-when {metric}=0.5",
            f"compare {name}-run {name}-last --model {models.split()[1]} --across context --resamples 20",
            f"rejudge {name}-run --judge none --out {name}-again",
        ]
    apart(BY_COMMANDS, "\n".join(lines))
    for name in ("guess", "checklist"):
        models = json.loads(Path(f"{name}.json").read_text(encoding="utf-8"))["models"]
        assert {model["dialogues"] for model in models} == {6}
