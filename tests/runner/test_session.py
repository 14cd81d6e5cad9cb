"""One session, from its first turn to each of its ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted import Scripted, fault_at, good_but, number, witness

from evolif import InternalError, ModelError, UsageError, load_benchmark
from evolif.errors import AccessError, ContextOverflowError, WithheldError
from evolif.models import Reply
from evolif.runner import Event, Run, SessionEnded, SessionKey, Spent, TurnRecord, evaluate
from evolif.runner.events import FaultMet, RunStarted, SessionStarted, TurnStored
from evolif.scenarios.instructions.system import system_text
from evolif.types import Message, Usage

Play = Callable[..., Run]


def only(run: Run) -> tuple[str | None, str, list[TurnRecord]]:
    """Ending, reason and turns of the run's only session."""
    [(session, records)] = list(run.transcripts("fake/model"))
    return session.ending, session.reason, records


def test_patience_exhausted_finishes_the_session(play: Play) -> None:
    model = Scripted(good_but(3, 5, 6, 7))
    ending, reason, records = only(play(model))
    assert (ending, reason) == ("finished", "patience exhausted")
    assert [r.turn for r in records] == [1, 2, 3, 4, 5, 6, 7]
    assert model.closed == 1


@pytest.mark.parametrize("patience", [1, 2, 4])
def test_patience_is_what_it_is_set_to(play: Play, patience: int) -> None:
    ending, _, records = only(play(Scripted(lambda _: ""), patience=patience))
    assert (ending, len(records)) == ("finished", patience)


def test_the_cap_censors_the_session_and_extends_the_benchmark_that_far(play: Play, bench: Path) -> None:
    ending, reason, records = only(play(Scripted(witness), max_turns=7))
    assert (ending, len(records)) == ("censored", 7) and "cap of 7" in reason
    assert [len(load_benchmark(bench).turns(d)) for d in (1, 2)] == [7, 4]


def test_patience_that_runs_out_at_the_cap_is_finished_not_censored(play: Play) -> None:
    ending, _, records = only(play(Scripted(good_but(6, 7, 8))))
    assert (ending, len(records)) == ("finished", 8)


def test_a_turn_with_nothing_judged_keeps_patience_and_counts_towards_the_cap(play: Play, bench: Path) -> None:
    path = bench / "dialogues" / "0001.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    start, end = lines[1].index('"constraints":') + 14, lines[1].index(',"persona":')
    lines[1] = f'{lines[1][:start]}[{{"group":"emotion","params":{{"emotion":"sad"}}}}]{lines[1][end:]}'
    path.write_text("".join(lines), encoding="utf-8")
    seen: list[tuple[int, int, bool | None]] = []

    def told(event: Event) -> None:
        if isinstance(event, TurnStored):
            seen.append((event.turn, event.patience, event.satisfied))

    ending, _, records = only(play(Scripted(lambda _: ""), max_turns=4, observe=told))
    assert seen == [(1, 2, False), (2, 2, None), (3, 1, False), (4, 0, False)]
    assert ending == "finished" and records[1].judged.judged == ()


ENDINGS = [
    (ContextOverflowError("too long"), "censored", "context"),
    (WithheldError("refused"), "withheld", "content filter"),
    (ModelError("busy", retryable=True), "suspended", "provider"),
    (AccessError("wrong key"), "suspended", "access"),
    (InternalError("oops"), "suspended", "internal"),
    (UsageError("it does not chat"), "suspended", "internal"),
    (ValueError("secret sk-12345"), "suspended", "provider"),
]


@pytest.mark.sampled
@pytest.mark.parametrize(("fault", "expected", "kind"), ENDINGS, ids=lambda value: type(value).__name__)
def test_faults_end_a_session_as_the_protocol_says(play: Play, fault: Exception, expected: str, kind: str) -> None:
    run = play(Scripted(fault_at(4, fault)))
    ending, reason, records = only(run)
    assert ending == expected and [r.turn for r in records] == [1, 2, 3]
    [(model, dialogue, turn, told, message)] = run.faults()
    assert (model, dialogue, turn, told) == ("fake/model", 1, 4, kind)
    assert message == reason and "sk-12345" not in message
    assert run.suspended() == (expected == "suspended")


@pytest.mark.sampled
@pytest.mark.parametrize("fault", [ModelError("busy"), InternalError("oops")])
def test_a_fault_never_touches_patience_and_the_same_call_goes_on(play: Play, fault: Exception) -> None:
    before = Scripted(lambda r: "" if number(r) in (1, 2) else fault)
    assert only(play(before))[0] == "suspended"
    after = Scripted(good_but(4, 5))
    ending, _, records = only(play(after))
    assert before.turns == [(1, 1), (1, 2), (1, 3)]
    assert after.turns == [(1, n) for n in range(3, 9)]
    assert (ending, len(records)) == ("censored", 8)


@pytest.mark.sampled
@pytest.mark.parametrize("ending", ["finished", "censored", "withheld"])
def test_what_has_ended_is_never_asked_again(play: Play, ending: str) -> None:
    fault = {"withheld": WithheldError("no"), "censored": ContextOverflowError("long")}.get(ending)
    play(Scripted(fault_at(2, fault) if fault else good_but(1, 2, 3)))
    again = Scripted(witness)
    assert only(play(again))[0] == ending
    assert again.asked == []


def test_an_empty_answer_fails_and_a_cut_one_keeps_its_flag(play: Play) -> None:
    def answer(request: object) -> Reply:
        return Reply("", truncated=True, usage=Usage(11, 3), served_by="tiny-2026")

    _, _, records = only(play(Scripted(answer), patience=1))
    [record] = records
    assert record.truncated and record.answer == "" and record.judged.judged and not any(record.judged.judged)
    assert (record.usage, record.served_by) == (Usage(11, 3), "tiny-2026")


def test_reasoning_is_stored_but_neither_judged_nor_sent_back(play: Play) -> None:
    model = Scripted(lambda r: Reply(witness(r), reasoning="I could fail on purpose."))
    ending, _, records = only(play(model, max_turns=3))
    assert ending == "censored" and all(all(r.judged.judged) for r in records)
    assert {r.reasoning for r in records} == {"I could fail on purpose."}
    assert not any("on purpose" in m.content for request in model.asked for m in request.messages)


def test_the_whole_conversation_is_sent_its_own_answers_included(play: Play, bench: Path) -> None:
    model = Scripted(good_but(2))
    play(model, max_turns=4)
    opened = load_benchmark(bench)
    turns = opened.turns(1)
    expected = [Message("system", system_text(opened.header))]
    for request, turn in zip(model.asked, turns, strict=True):
        expected.append(Message("user", turn.query))
        assert list(request.messages) == expected
        expected.append(Message("assistant", "" if turn.turn == 2 else turn.witness or ""))


def test_the_system_prompt_can_be_left_out(play: Play) -> None:
    model = Scripted(witness)
    play(model, max_turns=2, system_prompt=False)
    assert [[m.role for m in request.messages] for request in model.asked] == [["user"], ["user", "assistant", "user"]]


def test_a_resumed_session_is_sent_the_same_history(play: Play) -> None:
    broken, whole = Scripted(fault_at(4, ModelError("busy"))), Scripted(witness)
    play(broken)
    resumed = Scripted(witness)
    play(resumed)
    play(whole, out="other")
    assert [r.messages for r in [*broken.asked[:3], *resumed.asked]] == [r.messages for r in whole.asked]


def test_sampling_is_passed_on_and_every_epoch_has_its_own_seed(play: Play) -> None:
    model = Scripted(witness)
    play(model, max_turns=1, temperature=0.5, max_tokens=99, seed=5, epochs=3)
    assert [(r.sampling.temperature, r.sampling.max_tokens, r.sampling.seed) for r in model.asked] == [
        (0.5, 99, 5), (0.5, 99, 6), (0.5, 99, 7),
    ]  # fmt: skip


def test_the_depth_counts_the_turns_of_the_topic(play: Play, bench: Path) -> None:
    model = Scripted(witness)
    _, _, records = only(play(model, max_turns=20))
    seen: dict[str, int] = {}
    for request, record in zip(model.asked, records, strict=True):
        assert request.prompt is not None
        seen[request.prompt.labels["topic"]] = seen.get(request.prompt.labels["topic"], 0) + 1
        assert request.prompt.labels["depth"] == record.prompt.labels["depth"] == seen[request.prompt.labels["topic"]]
    assert len(seen) > 1


def test_half_a_character_in_an_answer_is_stored_and_judged(play: Play) -> None:
    ending, _, records = only(play(Scripted(lambda _: "broken \ud800 text\x00"), patience=1))
    assert ending == "finished" and records[0].answer == "broken ? text\x00"


def test_the_observer_learns_every_turn_and_the_end_and_what_was_spent(play: Play) -> None:
    seen: list[Event] = []
    bad = good_but(2, 3, 4)
    play(Scripted(lambda r: Reply(str(bad(r)), usage=Usage(number(r), 1))), observe=seen.append)
    key = SessionKey("fake/model", 1, 1)
    assert seen[:2] == [RunStarted({"fake/model": 1}, {"fake/model": 0}), SessionStarted(key, 0)]
    told = [(e.turn, e.patience, e.satisfied, e.spent) for e in seen if isinstance(e, TurnStored)]
    spent = [(Spent("target", "fake/model", Usage(n, 1)),) for n in range(1, 5)]
    assert told == [
        (1, 3, True, spent[0]), (2, 2, False, spent[1]), (3, 1, False, spent[2]), (4, 0, False, spent[3]),
    ]  # fmt: skip
    assert seen[-1] == SessionEnded(key, 4, 0, "finished", "patience", "patience exhausted")
    assert len(seen) == 7


def test_the_observer_learns_of_a_fault(play: Play) -> None:
    seen: list[Event] = []
    play(Scripted(fault_at(2, ModelError("busy"))), observe=seen.append)
    key = SessionKey("fake/model", 1, 1)
    assert seen[-2:] == [
        FaultMet(key, 2, "target", "provider", "busy"),
        SessionEnded(key, 1, 3, "suspended", "provider", "busy"),
    ]
    seen.clear()
    play(Scripted(good_but(2, 3, 4)), observe=seen.append)
    assert seen[:2] == [RunStarted({"fake/model": 1}, {"fake/model": 0}), SessionStarted(key, 1)]


def test_an_evaluation_can_be_started_inside_a_running_loop(play: Play) -> None:
    async def notebook() -> Run:
        return play(Scripted(witness), max_turns=2)

    assert only(asyncio.run(notebook()))[0] == "censored"


def test_wrong_numbers_are_refused(bench: Path, tmp_path: Path) -> None:
    for wrong in ("patience", "max_turns", "limit", "epochs", "max_tokens", "max_connections"):
        with pytest.raises(UsageError, match="must be at least 1"):
            evaluate(bench, "sim/perfect", tmp_path / "r", **{wrong: 0})
    assert not (tmp_path / "r").exists()
