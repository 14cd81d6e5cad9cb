"""The dialogues that a run plays may be named by their numbers, in a command, a file or Python."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted, good_but
from typer.testing import CliRunner

from evolif import UsageError
from evolif.benchmark import open_benchmark
from evolif.cli import app
from evolif.config import EvalConfig
from evolif.report.commands import evaluate_step
from evolif.runner import Run, load_run
from evolif.runner.chosen import chosen_dialogues, flag_for, shown_ranges

Play = Callable[..., Run]


@pytest.fixture
def here(bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(bench.parent)


def evolif(*arguments: object, **env: str) -> Any:
    told = [str(one) for one in arguments]
    return CliRunner().invoke(app, told, env={"EVOLIF_DISPLAY": "none", **env}, prog_name="evolif")


def evaluated(*arguments: object, **env: str) -> Any:
    return evolif("evaluate", "bench", "-m", "sim/steady", "--max-turns", 1, "-o", "run", *arguments, **env)


def played() -> tuple[int, ...]:
    with closing(load_run("run")) as run:
        return tuple(session.dialogue for session in run.sessions())


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("2-3", (2, 3)),
        ("4,1", (1, 4)),
        (" 1 , 3-4,3", (1, 3, 4)),
        ("2–3", (2, 3)),
        ("4-4", (4,)),
        (range(2, 4), (2, 3)),
        ([3], (3,)),
        (None, (1, 2, 3, 4)),
    ],
)
def test_numbers_and_ranges(bench: Path, text: object, chosen: tuple[int, ...]) -> None:
    config = EvalConfig.model_validate({"dialogues": text})
    assert chosen_dialogues(open_benchmark(bench), config) == chosen


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("3-2", "--dialogues 3-2: 3-2 is reversed; write 2-3"),
        ("3", "--dialogues 3 could be one dialogue or so many; write 3-3 for the one, or --limit 3 for the first ones"),
        ("0-2", "“0-2” is neither a number from 1 nor a range of such; write e.g. 1-500 or 1,4,7-9"),
        ("1,,2", "“” is neither"),
        ("first", "“first” is neither"),
        ("-2", "“-2” is neither"),
        ("", "“” is neither"),
        ("1-9999999999", "“1-9999999999” is neither"),
        ("2-999999999", "bench has no dialogue 5; it has 4 dialogues: 1-4"),
        ("1,7-8", "bench has no dialogue 7; it has 4 dialogues: 1-4"),
    ],
)
def test_what_is_refused(bench: Path, text: str, told: str) -> None:
    with pytest.raises(UsageError) as refused:
        chosen_dialogues(open_benchmark(bench), EvalConfig(dialogues=text))
    assert told in str(refused.value)


def test_a_benchmark_may_have_gaps(bench: Path) -> None:
    (bench / "dialogues" / "0003.jsonl").unlink()
    opened = open_benchmark(bench)
    assert chosen_dialogues(opened, EvalConfig(dialogues="2,4")) == (2, 4)
    with pytest.raises(UsageError, match="no dialogue 3; it has 3 dialogues: 1-2,4"):
        chosen_dialogues(opened, EvalConfig(dialogues="2-4"))


@pytest.mark.parametrize(
    ("numbers", "flag"),
    [
        ((1, 2, 3), ("--limit", "3")),
        ((1,), ("--limit", "1")),
        ((2, 3, 5), ("--dialogues", "2-3,5")),
        ((7,), ("--dialogues", "7-7")),
    ],
)
def test_the_flag_for_dialogues_reads_back(numbers: tuple[int, ...], flag: tuple[str, str]) -> None:
    assert flag_for(numbers) == flag
    assert shown_ranges((1, 2, 3, 7)) == "1-3,7"


@pytest.mark.usefixtures("here")
def test_only_these_are_played_and_a_run_grows_by_others() -> None:
    assert evaluated("--dialogues", "2-3").exit_code == 0 and played() == (2, 3)
    told = evaluated("--dialogues", "3,4")
    assert "run grows by 1 more dialogue; existing results are kept." in told.stderr and played() == (2, 3, 4)
    with closing(load_run("run")) as run:
        command = evaluate_step(run.settings, None, "again").command
    assert "--dialogues 2-4" in command and "--limit" not in command


@pytest.mark.usefixtures("here")
def test_the_pilot_and_the_dry_run_are_of_these_dialogues() -> None:
    told = evaluated("--dialogues", "3-4", "--dry-run", "--pilot", 1)
    assert told.exit_code == 0 and played() == (3,)
    assert evaluated("--dialogues", "2-9", "--dry-run").exit_code == 2
    few, many = (evaluated("--dialogues", which, "--dry-run").stdout for which in ("4-4", "1-4"))
    assert few != many


@pytest.mark.usefixtures("here")
def test_a_fork_takes_these_dialogues_alone() -> None:
    evaluated()
    told = evaluated("--dialogues", "2,4", "--fork", "forked")
    assert told.exit_code == 0 and "2 turns of 2 sessions" in told.stderr
    with closing(load_run("forked")) as run:
        assert run.settings.dialogues == (2, 4)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--limit", 2), "--limit plays the first dialogues and --dialogues those that it names; leave one"),
        (("--stop-when", "isr_at_n=.03"), "--stop-when isr_at_n=.03 ends a run after the first of its dialogues"),
    ],
)
def test_what_does_not_go_together(more: tuple[object, ...], told: str) -> None:
    result = evaluated("--dialogues", "1-2", *more)
    assert result.exit_code == 2 and told in result.stderr and not Path("run").exists()


@pytest.mark.usefixtures("here")
def test_how_many_dialogues_generate_makes_says_nothing_here(tmp_path: Path) -> None:
    shared = tmp_path / "shared.yaml"
    shared.write_text("dialogues: 2\nmax-turns: 1\n", encoding="utf-8")
    assert evaluated("--config", shared, EVOLIF_DIALOGUES="2").exit_code == 0 and played() == (1, 2, 3, 4)
    shutil.rmtree("run")
    shared.write_text("dialogues: 2-3\n", encoding="utf-8")
    assert evaluated("--config", shared).exit_code == 0 and played() == (2, 3)
    shutil.rmtree("run")
    assert evaluated(EVOLIF_EVALUATE_DIALOGUES="4-4").exit_code == 0 and played() == (4,)


def test_in_python(play: Play) -> None:
    model = Scripted(good_but())
    run = play(model, limit=None, dialogues=range(2, 4), max_turns=1)
    assert run.settings.dialogues == (2, 3) and {dialogue for dialogue, _ in model.turns} == {2, 3}
