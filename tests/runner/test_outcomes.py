"""What ends a session, what only postpones it, and who pays: judges, keys, gates, synthesizers."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from scripted import Scripted, fault_at, good_but, number, witness

from evolif.errors import AccessError, ModelError, WithheldError
from evolif.models import ChatRequest, Reply
from evolif.runner import Deny, Event, PlannedCall, Run, SessionEnded, Spent
from evolif.runner.bounds import upper_bound
from evolif.runner.events import FaultMet, ModelStopped, TurnStored
from evolif.runner.metering import AllowAll
from evolif.scenarios.instructions.constraints import get_group
from evolif.types import Usage

Play = Callable[..., Run]
A, B, JUDGE = "fake/a", "fake/b", "fake/judge"


def endings(run: Run, model: str | None = None) -> list[tuple[int, str | None, int]]:
    return [(s.dialogue, s.ending, len(s.turns)) for s in run.sessions(model)]


def likes(request: ChatRequest) -> Reply:
    return Reply('{"rationale": "It does.", "score": 9}', usage=Usage(50, 5))


def dear(request: ChatRequest) -> Reply:
    return Reply(witness(request), usage=Usage(100, 10))


def busy(request: ChatRequest) -> Exception:
    return ModelError("the judge is busy", retryable=True)


def subjective(run: Run) -> int:
    """Subjective constraints of the run's turns."""
    with closing(sqlite3.connect(run.path / "run.sqlite")) as connection:
        told = [text for (text,) in connection.execute("SELECT payload FROM asked")]
    return sum(get_group(c["group"]).subjective for text in told for c in json.loads(text)["constraints"])


# Judges


def test_a_judge_counts_and_its_cost_is_kept_apart(play: Play, paper_bench: Path) -> None:
    seen: list[Event] = []
    models = {"fake/model": Scripted(dear), JUDGE: Scripted(likes, name=JUDGE)}
    run = play(models, benchmark=paper_bench, judge=JUDGE, observe=seen.append)
    asked = len(models[JUDGE].asked)
    assert 0 < asked <= subjective(run)  # the same question about the same text is asked once
    assert run.costs() == [
        Spent("judge", JUDGE, Usage(50 * asked, 5 * asked), asked),
        Spent("target", "fake/model", Usage(800, 80), 8),
    ]
    told = [one for event in seen if isinstance(event, TurnStored) for one in event.spent]
    assert sum(s.usage.prompt_tokens for s in told) == 800 + 50 * asked
    [(session, records)] = run.transcripts("fake/model")
    assert all(v.satisfied for turn in session.turns for v in turn.verdicts)
    assert sum(len(record.records) for record in records) == subjective(run)
    assert "rubric" in run.settings.judge and models[JUDGE].closed == 1


def test_an_answer_whose_judging_failed_is_kept_and_only_judged_again(play: Play, paper_bench: Path) -> None:
    target = Scripted(dear)
    run = play({"fake/model": target, JUDGE: Scripted(busy, name=JUDGE)}, benchmark=paper_bench, judge=JUDGE)
    [(session, records)] = run.transcripts("fake/model")
    assert session.ending == "suspended" and "the judge is busy" in session.reason
    assert [r.is_judged for r in records][-1] is False and len(session.turns) == len(records) - 1
    assert run.suspended() == 1 and run.faults()[0][3] == "judge"
    again, judge = Scripted(dear), Scripted(likes, name=JUDGE)
    seen: list[Event] = []
    run = play({"fake/model": again, JUDGE: judge}, benchmark=paper_bench, judge=JUDGE, observe=seen.append)
    assert endings(run) == [(1, "censored", 8)]
    assert sorted(target.turns + again.turns) == [(1, n) for n in range(1, 9)]
    assert 0 < len(judge.asked) <= subjective(run)
    assert [e.turn for e in seen if isinstance(e, TurnStored)] == list(range(len(records), 9))


def test_a_judge_whose_key_is_wrong_stops_the_run_once_and_loses_no_answer(play: Play, paper_bench: Path) -> None:
    seen: list[Event] = []
    target = Scripted(dear, connections=4)
    barred = Scripted(lambda _: AccessError("401: check the key in JUDGE_KEY"), name=JUDGE)
    models = {"fake/model": target, JUDGE: barred}
    run = play(models, benchmark=paper_bench, judge=JUDGE, limit=None, observe=seen.append)
    assert [e.model for e in seen if isinstance(e, ModelStopped)] == ["the judge"]
    assert len(run.faults()) == 1 and len(barred.asked) == 1
    assert run.suspended() == 4 and len(target.asked) < 12
    again = Scripted(dear)
    run = play(
        {"fake/model": again, JUDGE: Scripted(likes, name=JUDGE)}, benchmark=paper_bench, judge=JUDGE, limit=None
    )
    assert endings(run) == [(d, "censored", 8) for d in (1, 2, 3, 4)]
    assert sorted(target.turns + again.turns) == [(d, n) for d in (1, 2, 3, 4) for n in range(1, 9)]


def test_a_broken_checker_keeps_the_answer_too(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    target = Scripted(witness)
    with monkeypatch.context() as patched:
        patched.setattr("evolif.scenarios.instructions.verdicts.check_reading", broken)
        run = play(target)
        assert endings(run) == [(1, "suspended", 0)] and run.faults()[0][3] == "internal"
    again = Scripted(witness)
    assert endings(play(again)) == [(1, "censored", 8)]
    assert target.turns + again.turns == [(1, n) for n in range(1, 9)]


# Keys


def test_a_wrong_key_stops_its_model_at_once_and_the_other_goes_on(play: Play) -> None:
    seen: list[Event] = []
    a = Scripted(lambda _: AccessError("401: check the key in MY_KEY"), name=A, connections=3)
    b = Scripted(good_but(2, 3, 4), name=B)
    run = play({A: a, B: b}, models=[A, B], limit=None, epochs=2, observe=seen.append)
    assert endings(run, B) == [(d, "finished", 4) for _ in (1, 2) for d in (1, 2, 3, 4)]
    assert len(a.asked) <= 3 and all(ending in (None, "suspended") for _, ending, _ in endings(run, A))
    assert [e for e in seen if isinstance(e, ModelStopped)] == [ModelStopped(A, "401: check the key in MY_KEY")]
    assert len(run.faults()) == 1 and run.suspended() == 8
    assert len([e for e in seen if isinstance(e, FaultMet)]) == 1
    mended = Scripted(good_but(1, 2, 3), name=A)
    run = play({A: mended, B: Scripted(witness, name=B)}, models=[A, B], limit=None, epochs=2)
    assert endings(run, A) == [(d, "finished", 3) for _ in (1, 2) for d in (1, 2, 3, 4)]


# Gates


class Purse(AllowAll):
    """Lets a number of calls through, each role on its own."""

    def __init__(self, **most: int) -> None:
        self.left = most
        self.told: list[tuple[str, Usage | None]] = []

    def admit(self, call: PlannedCall) -> Deny | None:
        self.left[call.role] = self.left.get(call.role, 100) - 1
        return Deny("budget", "the budget is spent") if self.left[call.role] < 0 else None

    def record(self, call: PlannedCall, usage: Usage | None) -> None:
        assert call.key is not None and call.model
        self.told.append((call.role, usage))


def test_a_gate_censors_what_it_stops_and_keeps_the_rest_from_beginning(play: Play) -> None:
    seen: list[Event] = []
    purse = Purse(target=11)
    model = Scripted(dear)
    run = play(model, limit=None, gate=purse, observe=seen.append)
    assert endings(run) == [(1, "censored", 8), (2, "censored", 3)]
    assert len(model.asked) == 11 and purse.told == [("target", Usage(100, 10))] * 11
    assert run.suspended() == 0 and run.unbegun() == {"budget": 2} and run.faults() == []
    ended = [(e.key.dialogue, e.ending, e.cause) for e in seen if isinstance(e, SessionEnded)]
    assert ended == [(1, "censored", "cap"), (2, "censored", "budget"), (3, None, "budget"), (4, None, "budget")]
    run = play(Scripted(witness), limit=None)
    assert endings(run) == [(d, "censored", 8) for d in (1, 2, 3, 4)]  # the budget was larger this time


def test_a_gate_is_told_of_failed_calls(play: Play) -> None:
    purse = Purse()
    model = Scripted(fault_at(2, ModelError("busy")))
    play(model, gate=purse)
    assert purse.told == [("target", upper_bound(model.name, model.asked[0])), ("target", None)]


def test_a_gate_is_told_the_bound_of_a_call_that_may_have_been_paid(play: Play) -> None:
    purse = Purse()
    model = Scripted(fault_at(1, ModelError("no answer in time", may_cost=True)))
    run = play(model, gate=purse)
    most = upper_bound(model.name, model.asked[0])
    assert purse.told == [("target", most)]
    [spent] = run.costs()
    assert (spent.calls, spent.unknown, spent.bound, spent.usage) == (1, 1, most.tokens, Usage())


def test_a_gate_before_a_judge_leaves_the_answer_unjudged_and_the_session_censored(
    play: Play, paper_bench: Path
) -> None:
    models = {"fake/model": Scripted(dear), JUDGE: Scripted(likes, name=JUDGE)}
    run = play(models, benchmark=paper_bench, judge=JUDGE, gate=Purse(judge=2))
    [(session, records)] = run.transcripts("fake/model")
    assert session.ending == "censored" and not records[-1].is_judged
    assert len(session.turns) == len(records) - 1 and len(models[JUDGE].asked) == 2
    assert [(one.role, one.calls) for one in run.costs()] == [("judge", 2), ("target", len(records))]


def test_what_a_panel_cost_before_it_was_stopped_is_written_down(play: Play, paper_bench: Path) -> None:
    other = "fake/other"
    models = {name: Scripted(likes, name=name) for name in (JUDGE, other)} | {"fake/model": Scripted(dear)}
    run = play(models, benchmark=paper_bench, judge=[JUDGE, other], gate=Purse(judge=3))
    paid = {one.model: one.calls for one in run.costs() if one.role == "judge"}
    assert paid == {JUDGE: 2, other: 1} and len(models[JUDGE].asked) == 2


def test_what_waits_for_a_place_when_a_run_is_stopped_is_never_asked(play: Play) -> None:
    stopping: list[int] = []

    def stop(event: Event) -> None:
        if isinstance(event, TurnStored) and not stopping:
            stopping.append(1)
            os.kill(os.getpid(), signal.SIGTERM)

    model = Scripted(witness, connections=2)
    with pytest.raises(KeyboardInterrupt):
        play(model, limit=None, epochs=3, observe=stop)
    assert len(model.asked) <= 8


# Withheld and surplus


def test_a_refusal_of_the_content_filter_is_withheld_and_no_fault_of_the_others(play: Play) -> None:
    model = Scripted(lambda r: WithheldError("no") if (r.prompt.dialogue, number(r)) == (2, 3) else witness(r))
    run = play(model, limit=None)
    assert endings(run) == [(1, "censored", 8), (2, "withheld", 2), (3, "censored", 8), (4, "censored", 8)]
    assert run.suspended() == 0
