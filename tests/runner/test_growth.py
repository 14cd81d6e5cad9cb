"""A run grows by the same command, is complete at some point, and can be forked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted import Scripted, fault_at, good_but, witness

from evolif import UsageError
from evolif.errors import ContextOverflowError, ModelError
from evolif.runner import Run, evaluate, load_run

Play = Callable[..., Run]
A, B = "fake/a", "fake/b"


def endings(run: Run, model: str | None = None) -> list[tuple[int, int, str | None, int]]:
    return [(s.dialogue, s.epoch, s.ending, len(s.turns)) for s in run.sessions(model)]


def test_more_dialogues_and_epochs_let_a_run_grow_and_the_old_part_is_kept(play: Play) -> None:
    play(Scripted(good_but(1, 2, 3)), limit=2)
    said: list[str] = []
    more = Scripted(good_but(2, 3, 4))
    run = play(more, limit=3, epochs=2, notify=said.append)
    old, new = "finished", "finished"
    assert endings(run) == [(1, 1, old, 3), (2, 1, old, 3), (3, 1, new, 4), *((d, 2, new, 4) for d in (1, 2, 3))]
    assert run.settings.dialogues == (1, 2, 3) and run.settings.epochs == 2
    assert {d for d, _ in more.turns} == {1, 2, 3} and len(more.turns) == 16
    assert any("grows by 1 more dialogue, 1 more epoch" in line for line in said)
    assert any("2 of 6 sessions have ended already" in line for line in said)


def test_another_model_joins_a_run_and_only_it_is_asked(play: Play) -> None:
    a, b = Scripted(good_but(1, 2, 3), name=A), Scripted(good_but(2, 3, 4), name=B)
    play({A: a}, models=[A], limit=2)
    run = play({A: a, B: b}, models=[A, B], limit=2)
    assert run.models == (A, B)
    assert endings(run, A) == [(d, 1, "finished", 3) for d in (1, 2)]
    assert endings(run, B) == [(d, 1, "finished", 4) for d in (1, 2)]
    assert (len(a.asked), len(b.asked)) == (6, 8)


def test_a_part_of_a_run_may_be_gone_on_with_alone(play: Play) -> None:
    busy = {A: Scripted(fault_at(2, ModelError("busy")), name=A), B: Scripted(fault_at(2, ModelError("busy")), name=B)}
    play(busy, models=[A, B], limit=2)
    run = play({B: Scripted(good_but(2, 3, 4), name=B)}, models=[B], limit=1)
    assert run.models == (A, B) and run.settings.dialogues == (1, 2)
    assert endings(run, B) == [(1, 1, "finished", 4), (2, 1, "suspended", 1)]
    assert run.suspended() == 3


def test_a_complete_run_needs_no_model_and_no_key(
    play: Play, bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play({"openai/gpt-5": Scripted(witness, name="openai/gpt-5")}, models=["openai/gpt-5"], judge="none")
    monkeypatch.undo()
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    said: list[str] = []
    told = {"limit": 1, "max_turns": 8, "notify": said.append}
    run = evaluate(bench, "openai/gpt-5", tmp_path / "run", **told)
    assert endings(run) == [(1, 1, "censored", 8)] and "is complete" in said[0]
    run.close()
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        evaluate(bench, "openai/gpt-5", tmp_path / "run", **{**told, "limit": 2})


def test_an_edited_turn_of_a_complete_run_is_still_refused(play: Play, bench: Path) -> None:
    play(Scripted(witness))
    edit(bench, 1, 2, query="Something else.")
    with pytest.raises(UsageError, match=r"turn 2 of dialogue 1 \(its query was"):
        play(Scripted(witness))


def test_constraints_that_were_edited_are_named(play: Play, bench: Path) -> None:
    play(Scripted(witness))
    constraints = [{"group": "bullets", "params": {"count": 4}}]
    for number in (1, 2, 3, 4):
        edit(bench, 1, number, constraints=constraints)
    with pytest.raises(UsageError, match=r"its constraints changed: .*bullets.*, and more\. Restore"):
        play(Scripted(witness))


def edit(bench: Path, dialogue: int, line: int, **values: object) -> None:
    path = bench / "dialogues" / f"{dialogue:04d}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[line - 1] = json.dumps({**json.loads(lines[line - 1]), **values}) + "\n"
    path.write_text("".join(lines), encoding="utf-8")


# Forks


def test_a_fork_with_less_patience_replays_what_was_answered_and_asks_nothing(play: Play, tmp_path: Path) -> None:
    play(Scripted(good_but(2, 3, 5, 6, 7)), limit=None)
    model = Scripted(witness)
    said: list[str] = []
    run = play(model, limit=None, patience=2, fork_into=tmp_path / "new", notify=said.append)
    assert run.path == tmp_path / "new"
    assert endings(run) == [(d, 1, "finished", 3) for d in (1, 2, 3, 4)] and model.asked == []
    assert "starts with 12 turns of 4 sessions" in said[0] and "is complete" in said[1]
    old = load_run(tmp_path / "run")
    assert endings(old) == [(d, 1, "finished", 7) for d in (1, 2, 3, 4)]
    old.close()


def test_a_fork_with_more_patience_and_a_larger_cap_goes_on_from_where_the_old_run_ended(
    play: Play, tmp_path: Path
) -> None:
    play(Scripted(good_but(2, 3, 4)), limit=2)
    model = Scripted(witness)
    run = play(model, limit=2, patience=4, max_turns=6, fork_into=tmp_path / "new")
    assert endings(run) == [(d, 1, "censored", 6) for d in (1, 2)]
    assert model.turns == [(d, n) for d in (1, 2) for n in (5, 6)]
    assert [len(m.messages) for m in model.asked] == [10, 12, 10, 12]


def test_a_fork_shares_up_to_the_first_edited_turn(play: Play, bench: Path, tmp_path: Path) -> None:
    play(Scripted(witness), limit=2)
    edit(bench, 1, 3, query="Say it in another way.")
    model = Scripted(witness)
    run = play(model, limit=2, fork_into=tmp_path / "new")
    assert endings(run) == [(d, 1, "censored", 8) for d in (1, 2)]
    assert model.turns == [(1, n) for n in range(3, 9)]


def test_a_fork_for_another_judge_judges_again_and_asks_no_answer_twice(play: Play, tmp_path: Path) -> None:
    play(Scripted(good_but(2, 3, 4)), limit=2)
    model = Scripted(witness)
    run = play(model, limit=2, judge="lexical", fork_into=tmp_path / "new")
    assert endings(run) == [(d, 1, "finished", 4) for d in (1, 2)] and model.asked == []


@pytest.mark.sampled
@pytest.mark.parametrize("other", [{"seed": 1}, {"temperature": 0.5}, {"system_prompt": False}, {"max_tokens": 9}])
def test_a_fork_shares_nothing_where_answers_would_be_others(
    play: Play, tmp_path: Path, other: dict[str, object]
) -> None:
    play(Scripted(witness))
    model = Scripted(witness)
    said: list[str] = []
    run = play(model, fork_into=tmp_path / "new", notify=said.append, **other)
    assert endings(run) == [(1, 1, "censored", 8)] and len(model.asked) == 8
    assert "starts with 0 turns" in said[0]


def test_a_fork_that_was_broken_off_is_resumed_by_the_same_command(play: Play, tmp_path: Path) -> None:
    play(Scripted(good_but(1, 2, 3)))
    first = Scripted(fault_at(6, ModelError("busy")))
    assert endings(play(first, patience=4, fork_into=tmp_path / "new")) == [(1, 1, "suspended", 5)]
    second = Scripted(witness)
    assert endings(play(second, patience=4, fork_into=tmp_path / "new")) == [(1, 1, "censored", 8)]
    assert second.turns == [(1, n) for n in (6, 7, 8)]


def test_a_conversation_that_no_longer_fitted_does_not_fit_in_a_fork_either(play: Play, tmp_path: Path) -> None:
    play(Scripted(fault_at(5, ContextOverflowError("too long"))))
    model = Scripted(witness)
    run = play(model, max_turns=9, fork_into=tmp_path / "new")
    assert endings(run) == [(1, 1, "censored", 4)] and model.asked == []


def test_a_fork_of_nothing_and_into_something_else_are_refused(play: Play, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a run"):
        play(Scripted(witness), fork_into=tmp_path / "new")
    play(Scripted(witness))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("text", encoding="utf-8")
    with pytest.raises(UsageError, match="is not a run; choose another folder"):
        play(Scripted(witness), fork_into=tmp_path / "mine")
