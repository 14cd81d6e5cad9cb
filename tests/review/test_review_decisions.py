"""What each decision does to the benchmark and the journal; two reviewers; crashes."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from review_desks import FLAGGED, KEY, ask, check, decide, desk

from evolif.errors import InputError, OutsideError, UsageError
from evolif.review.decisions import Done, EditConflict, Objected
from evolif.scenarios.instructions import InstructionBenchmark

GOOD = "Please make it 30 words long."


@pytest.fixture
def ada(bench):
    return desk(bench)


@pytest.fixture
def bob(bench):
    return desk(bench, "bob")


def journal(bench):
    return [json.loads(line) for line in (bench / "review" / "decisions.jsonl").read_text("utf-8").splitlines()]


def test_accepting_what_the_checkers_object_to_needs_a_reason(ada, stored, bench):
    outcome = decide(ada, "accept")
    assert isinstance(outcome, Objected) and outcome.findings == check(ada.turn(KEY), FLAGGED)
    assert isinstance(decide(ada, "accept", force=True, note="  "), Objected)
    assert not (bench / "review").exists() or not (bench / "review" / "decisions.jsonl").exists()
    assert isinstance(decide(ada, "accept", force=True, note="a false alarm"), Done)
    assert stored().status == "verified" and stored().findings == ("length: wants 30 words",)
    [line] = journal(bench)
    assert line["decision"] == "accept" and line["note"] == "a false alarm" and line["reviewer"] == "ada"
    assert line["findings"] == [{"checker": "length", "message": "wants 30 words", "spans": [[15, 18]]}]
    assert (line["dialogue"], line["turn"]) == (1, 3) and line["time"].endswith("Z")
    assert line["before"]["status"] == "flagged" and line["after"]["status"] == "verified"


def test_an_edit_is_checked_and_takes_the_query_s_place(ada, stored, bench):
    assert isinstance(decide(ada, "edit", text="Still BAD."), Objected)
    assert isinstance(decide(ada, "edit", text=f" {GOOD}\n", seconds=12.345), Done)
    turn = stored()
    assert (turn.query, turn.status, turn.source, turn.findings) == (GOOD, "edited", "openai/x", ())
    [line] = journal(bench)
    assert (line["before"]["query"], line["after"]["query"], line["seconds"]) == (FLAGGED, GOOD, 12.3)


def test_an_edit_may_be_forced_and_then_keeps_what_is_held_against_it(ada, stored):
    decide(ada, "edit", text="Still BAD.", force=True, note="as the customer says it")
    assert stored().status == "edited" and stored().findings == ("length: wants 30 words",)


def test_accepting_an_edited_turn_leaves_it_edited(ada, bob, stored):
    decide(ada, "edit", text=GOOD)
    bob.refresh()
    assert isinstance(decide(bob, "accept"), Done) and stored().status == "edited"


def test_template_regeneration_and_rejection(ada, stored):
    decide(ada, "template")
    words = ada.template(KEY)
    assert (stored().query, stored().source, stored().status) == (words, "template", "verified")
    made = ada.ask(KEY, "sim/x", "the number")
    decide(ada, "regenerate", text=made.query, source=made.source, attempts=made.attempts)
    turn = stored()
    assert (turn.query, turn.source, turn.attempts) == ("sim/x minds the number.", "sim/x-1", 2)
    decide(ada, "reject")
    assert stored().status == "rejected" and stored().query == turn.query


def test_what_is_rejected_is_not_played(ada, bench):
    decide(ada, "reject", "1/1")
    assert InstructionBenchmark(bench).turn(1, 1).source == "template"
    assert InstructionBenchmark(bench).turns(1)[0].status == "rejected"


def test_a_note_changes_nothing_but_the_journal(ada, bench):
    before = (bench / "dialogues" / "0001.jsonl").read_bytes()
    decide(ada, "note", note="ask the team")
    assert (bench / "dialogues" / "0001.jsonl").read_bytes() == before
    assert [one.note for one in ada.decisions(KEY)] == ["ask the team"] and KEY not in ada.verdicts()


def test_undo_goes_back_step_by_step_and_is_kept(ada, stored, bench):
    first = stored()
    decide(ada, "edit", text=GOOD)
    decide(ada, "note", note="hm")
    decide(ada, "reject")
    assert stored().status == "rejected"
    for expected in ("edited", "edited", "flagged"):
        assert isinstance(ada.decide(ada.undo_of(ada.undoable())), Done)
        assert stored().status == expected
    assert stored() == first and ada.undoable() is None and ada.decisions(KEY) == []
    assert [line["decision"] for line in journal(bench)] == ["edit", "note", "reject", "undo", "undo", "undo"]


def test_undo_is_known_after_a_restart_and_to_nobody_else(ada, bob, bench):
    decide(ada, "reject")
    bob.refresh()
    assert bob.undoable() is None
    again = desk(bench)
    assert again.undoable().decision == "reject" and again.verdicts().keys() == {KEY}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("x" * 20_001, "20001"),
        ("a\x1b[31m", r"\x1b"),
        ("\ud800", r"\ud800"),
        ("\u202ea", "202e"),
    ],
)
def test_words_that_cannot_be_stored_are_refused(ada, text, told, stored):
    with pytest.raises(UsageError, match=told.replace("\\", r"\\")):
        decide(ada, "edit", text=text)
    assert stored().query == FLAGGED


def test_a_turn_that_is_not_there_is_told(ada):
    with pytest.raises(UsageError, match="no turn 9/9"):
        ada.seen("9/9")
    with pytest.raises(UsageError, match="“guess” is not a decision for turns"):
        decide(ada, "guess")


# -- two reviewers -----------------------------------------------------------------------------------------------------


def test_one_sees_what_the_other_decided(ada, bob):
    decide(ada, "reject")
    [news] = bob.news()
    assert (news.reviewer, news.decision, news.item) == ("ada", "reject", KEY)
    assert bob.turn(KEY).status == "rejected" and bob.news() == [] and ada.news() == []


def test_an_edit_of_what_the_other_changed_meanwhile_is_not_overwritten(ada, bob, stored):
    decide(ada, "edit", text=GOOD)
    outcome = decide(bob, "edit", text="Make it thirty words.")
    assert isinstance(outcome, EditConflict)
    assert outcome.now["query"] == GOOD and (outcome.by.reviewer, outcome.by.decision) == ("ada", "edit")
    assert stored().query == GOOD


def stale(bob, decision, **more):
    """A decision on the turn as it was before ada decided."""
    request = ask(bob, decision, **more)
    return lambda **changes: bob.decide(replace(request, **changes))


def test_a_conflict_can_be_settled_either_way(ada, bob, stored, bench):
    edit = stale(bob, "edit", text="Make it thirty words.")
    decide(ada, "edit", text=GOOD)
    assert isinstance(edit(), EditConflict)
    assert isinstance(edit(opinion=True), Done) and stored().query == GOOD
    assert journal(bench)[-1]["applied"] is False and journal(bench)[-1]["after"]["query"] == "Make it thirty words."
    assert isinstance(edit(overwrite=True), Done) and stored().query == "Make it thirty words."
    assert journal(bench)[-1]["before"]["query"] == GOOD


def test_an_opinion_counts_for_agreement_and_can_be_undone(ada, bob, stored):
    from evolif.review.agreement import statistics

    reject = stale(bob, "reject")
    decide(ada, "edit", text=GOOD)
    reject(opinion=True)
    [found] = statistics(bob.log.records).agreement
    assert (found.n, found.observed) == (1, 0.0)
    assert isinstance(bob.decide(bob.undo_of(bob.undoable())), Done)
    assert stored().query == GOOD and bob.verdicts() == {}


def test_who_decides_the_same_does_not_conflict(ada, bob):
    accept = stale(bob, "reject")
    decide(ada, "reject")
    assert isinstance(accept(), Done)


def test_a_decision_against_the_others_conflicts_though_the_words_are_the_same(ada, bob, stored):
    accept = stale(bob, "accept", force=True, note="fine")
    decide(ada, "reject")
    assert isinstance(accept(), EditConflict) and stored().status == "rejected"


def test_undo_does_not_overwrite_the_other_s_work_silently(ada, bob, stored):
    decide(ada, "edit", text=GOOD)
    bob.refresh()
    decide(bob, "edit", text="Make it thirty words.")
    undo = ada.undo_of(ada.undoable())
    assert isinstance(ada.decide(undo), EditConflict) and stored().query == "Make it thirty words."
    assert isinstance(ada.decide(replace(undo, overwrite=True)), Done) and stored().query == FLAGGED


def test_a_change_from_outside_the_review_conflicts_too(ada, bench):
    request = ask(ada, "reject")
    InstructionBenchmark(bench).replace(1, 3, query="Other words.", status="verified", source="openai/y")
    outcome = ada.decide(request)
    assert isinstance(outcome, EditConflict) and outcome.by is None


# -- crashes -----------------------------------------------------------------------------------------------------------


def test_what_a_crash_left_in_the_journal_only_is_put_into_the_benchmark(ada, stored, bench, monkeypatch):
    def die(*_, **__):
        raise OutsideError("the disk went away")

    monkeypatch.setattr(ada._benchmark, "replace", die)
    with pytest.raises(OutsideError):
        decide(ada, "edit", text=GOOD)
    assert stored().query == FLAGGED
    assert desk(bench).turn(KEY).query == GOOD and stored().query == GOOD
    assert (
        isinstance((again := desk(bench)).decide(again.undo_of(again.undoable())), Done) and stored().query == FLAGGED
    )
    assert desk(bench).turn(KEY).query == FLAGGED  # an undone decision is not put back


def test_a_torn_last_line_is_cut_and_told(ada, bench):
    decide(ada, "reject")
    path = bench / "review" / "decisions.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    told = []
    bob = desk(bench, "bob", notify=told.append)
    assert [one.reviewer for one in bob.log.records] == ["ada"]
    decide(bob, "note", note="x")
    assert [line["reviewer"] for line in journal(bench)] == ["ada", "bob"] and "torn" in told[0]


def test_a_last_line_without_its_break_is_kept(ada, bench):
    decide(ada, "reject")
    path = bench / "review" / "decisions.jsonl"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    bob = desk(bench, "bob")
    decide(bob, "note", note="x")
    assert [line["reviewer"] for line in journal(bench)] == ["ada", "bob"]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "line", ["nonsense", "[]", '{"id": "1"}', "[" * 100_000, '{"id": 1e999}', "9" * 5000],
    ids=["text", "list", "few", "deep", "inf", "long"],
)  # fmt: skip
def test_a_broken_line_in_the_middle_is_named(ada, bench, line):
    decide(ada, "note", note="x")
    path = bench / "review" / "decisions.jsonl"
    path.write_text(f"{path.read_text('utf-8')}\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=r"decisions\.jsonl, line 3"):
        desk(bench)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "after", [{}, {"query": "", "status": "verified", "source": "x"}, {"query": "q", "status": "odd"}]
)
def test_a_journal_cannot_put_nonsense_into_the_benchmark(ada, bench, stored, after):
    decide(ada, "reject")
    line = journal(bench)[0]
    ada.decide(ada.undo_of(ada.undoable()))
    forged = {**line, "id": "forged", "after": after}
    with (bench / "review" / "decisions.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(forged) + "\n")
    with pytest.raises(UsageError):
        desk(bench)
    assert stored().query == FLAGGED


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told(ada, bench):
    bench.chmod(0o500)
    try:
        with pytest.raises(OutsideError, match="make the folder writable"):
            decide(ada, "reject")
    finally:
        bench.chmod(0o700)


def test_a_failing_checker_stops_only_what_vouches_for_words(bench, stored):
    def broken(turn, query):
        raise UsageError("no such model")

    ada = desk(bench, checker=broken)
    with pytest.raises(UsageError, match="no such model"):
        decide(ada, "accept")
    decide(ada, "reject")
    assert stored().status == "rejected"
