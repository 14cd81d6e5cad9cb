"""`--feedback` as a setting: what it leaves as it was, who refuses it, and what has to agree."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted, good_but, witness

import evolif
from evolif import UsageError
from evolif.benchmark import open_benchmark
from evolif.config import EvalConfig
from evolif.exchange import import_benchmark
from evolif.runner import Run, RunSettings, RunStore, load_run
from evolif.runner.fork import fork
from evolif.runner.rejudge import rejudge
from evolif.runner.settings import differences, plan
from evolif.scenario import Defaults, Services
from evolif.text import READING_RULES_VERSION
from evolif.types import FEEDBACK

Play = Callable[..., Run]
OTHERS = ("games", "broadcast", "shifts")


def planned(bench: Path, **settings: Any) -> RunSettings:
    return plan(open_benchmark(bench), EvalConfig(models=("sim/steady",), **settings))


def with_feedback(run: Run, feedback: str) -> None:
    """Give a stored run the setting, as if it had been played with it."""
    stored = run.settings.model_copy(update={"feedback": feedback})
    with closing(RunStore.open(run.path)) as store:
        store.grow(stored)


def test_none_is_not_stored_so_that_runs_keep_their_identity(bench: Path) -> None:
    plain = planned(bench)
    assert plain.feedback == "none" and "feedback" not in json.loads(plain.model_dump_json())
    assert planned(bench, feedback="none").hash() == plain.hash()
    others = [planned(bench, feedback=mode) for mode in ("remark", "repair")]
    assert [json.loads(one.model_dump_json())["feedback"] for one in others] == ["remark", "repair"]
    assert len({plain.hash(), *(one.hash() for one in others)}) == 3
    assert RunSettings.model_validate_json(plain.model_dump_json()) == plain


@pytest.mark.parametrize(
    ("given", "hint"), [("repairs", "did you mean repair?"), ("", ""), ("on", ""), ("None", "none")]
)
def test_there_are_three_ways_to_react(bench: Path, given: str, hint: str) -> None:
    with pytest.raises(UsageError, match=f"unknown --feedback “{given}”.*use none, remark or repair") as refusal:
        planned(bench, feedback=given)
    assert hint in str(refusal.value)
    assert FEEDBACK == ("none", "remark", "repair")


@pytest.mark.parametrize("scenario", OTHERS)
def test_other_scenarios_refuse_it_with_a_sentence(tmp_path: Path, scenario: str) -> None:
    evolif.generate(tmp_path / "b", scenario=scenario, dialogues=1, seed=1)
    with pytest.raises(UsageError) as refusal:
        planned(tmp_path / "b", feedback="remark")
    told = str(refusal.value)
    where = f"nobody can react to answers in the dialogues of {tmp_path / 'b'} (scenario {scenario}"
    assert told.startswith(f"--feedback remark: {where}") and told.endswith("; leave it out")
    assert planned(tmp_path / "b").feedback == "none"


def test_a_scenario_that_does_not_say_that_it_reacts_does_not() -> None:
    assert not Defaults().reacts and Services().feedback == "none"


def test_imported_dialogues_are_fixed_and_refuse_it(tmp_path: Path) -> None:
    asked = [{"id": "countableItems", "args": {"num": 4}, "description": ""}]
    line = {"turn": 1, "active_topic": 1, "user_query_verified": "Write about tea, 4 bullets.", "instructions": asked}
    (tmp_path / "dialog_1.jsonl").write_text(f"{json.dumps(line)}\n", encoding="utf-8")
    import_benchmark(tmp_path / "dialog_1.jsonl", tmp_path / "imported")
    assert planned(tmp_path / "imported").feedback == "none"
    with pytest.raises(UsageError, match=r"\(scenario instructions, imported\); leave it out"):
        planned(tmp_path / "imported", feedback="repair")


def test_a_run_is_not_resumed_with_another_feedback(play: Play) -> None:
    run = play(Scripted(witness))
    model = Scripted(witness)
    with pytest.raises(UsageError, match=r"how the person reacts \(--feedback\) was none and is now remark") as refusal:
        play(model, feedback="remark")
    assert "--fork" in str(refusal.value) and model.asked == []
    old, new = run.settings, run.settings.model_copy(update={"feedback": "repair"})
    assert differences(new, old) == ["how the person reacts (--feedback) was repair and is now none"]


def test_a_fork_with_another_feedback_keeps_no_answer(play: Play, tmp_path: Path) -> None:
    run = play(Scripted(good_but(2)))
    wanted = run.settings.model_copy(update={"feedback": "remark"})
    assert fork(run.store, tmp_path / "new", wanted, {}).turns == 0
    assert fork(run.store, tmp_path / "same", run.settings, {}).turns == 8


@pytest.mark.parametrize("change", [{"patience": 2}, {"judge": "lexical"}, {"relevance_counts": True}], ids=str)
def test_what_the_person_reacts_to_decides_what_is_asked(play: Play, tmp_path: Path, change: dict[str, Any]) -> None:
    run = play(Scripted(witness))
    assert fork(run.store, tmp_path / "without", run.settings.model_copy(update=change), {}).turns == 8
    with_feedback(run, "repair")
    with closing(load_run(run.path)) as told:
        wanted = told.settings.model_copy(update=change)
        assert fork(told.store, tmp_path / "with", wanted, {}).turns == 0
        larger = told.settings.model_copy(update={"max_turns": 9})
        assert fork(told.store, tmp_path / "larger", larger, {}).turns == 8


def test_other_reading_rules_would_have_asked_other_questions(play: Play, tmp_path: Path) -> None:
    run = play(Scripted(witness))
    other = next(rules for rules in (1, 2) if rules != READING_RULES_VERSION)
    shutil.copytree(run.path, tmp_path / "without")
    rejudge(tmp_path / "without", None, tmp_path / "again", rules=other).close()
    with_feedback(run, "remark")
    with pytest.raises(UsageError, match=r"the person reacted to what reading rules \d+ found \(--feedback remark\)"):
        rejudge(run.path, None, tmp_path / "read", rules=other)
    with closing(rejudge(run.path, "lexical", tmp_path / "judged")) as judged:
        assert judged.settings.feedback == "remark", "another judge decides nothing of what was asked"
