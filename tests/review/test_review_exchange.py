"""Export and apply: there and back, the checks of the screen, and files that mean harm."""

from __future__ import annotations

import json

import pytest
from review_desks import FLAGGED, KEY, decide, desk

from evolif.errors import InputError
from evolif.review.exchange import apply, export
from evolif.scenarios.instructions import InstructionBenchmark

GOOD = "Make it 30 words"


@pytest.fixture
def ada(bench):
    return desk(bench)


@pytest.fixture
def filled(ada, tmp_path):
    """An export of all turns, some of it filled; gives its path."""

    def fill(changes, name="filled.jsonl"):
        path = tmp_path / name
        export(ada, [one.key for one in ada.entries()], path)
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for line in lines:
            line |= changes.get(f"{line['dialogue']}/{line['turn']}", {})
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return path

    return fill


def test_an_export_says_what_a_reviewer_needs(ada, tmp_path):
    ada.findings(KEY)
    assert export(ada, [KEY], tmp_path / "out.jsonl") == 1
    [line] = map(json.loads, (tmp_path / "out.jsonl").read_text("utf-8").splitlines())
    assert (line["dialogue"], line["turn"], line["query"], line["status"]) == (1, 3, FLAGGED, "flagged")
    assert line["findings"] == [{"checker": "length", "message": "wants 30 words", "spans": [[15, 18]]}]
    assert len(line["earlier"]) == 2 and line["intention"]["after"] and line["intention"]["group"]
    assert line["claims"] == []  # “BAD words” is no demand
    assert (line["decision"], line["edited_query"], line["note"], line["force"]) == ("", "", "", False)


def test_an_export_shows_what_a_query_asks_for(bench, tmp_path):
    turns = [turn for turn in InstructionBenchmark(bench).turns(1) if turn.status == "verified"]
    queue = desk(bench)
    export(queue, [f"1/{turn.turn}" for turn in turns], tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [{claim["group"] for claim in line["claims"]} for line in lines] == [{t.operation.group} for t in turns]
    for line in lines:
        assert all(0 <= start < end <= len(line["query"]) for start, end in (c["span"] for c in line["claims"]))


@pytest.fixture
def two_flagged(bench):
    InstructionBenchmark(bench).replace(
        2, 1, query="Words.", status="flagged", source="openai/x", findings=("topic: gone",)
    )


def test_there_and_back(two_flagged, ada, filled, stored):
    path = filled(
        {
            KEY: {"decision": "edit", "edited_query": GOOD, "note": "the number"},
            "1/1": {"decision": "accept"},
            "1/2": {"decision": "reject"},
            "2/1": {"decision": "template"},
            "2/2": {"decision": "note", "note": "hm"},
        }
    )
    done = apply(ada, path)
    assert (done.made, done.there, done.empty) == (5, 0, 3)
    assert (stored().query, stored().status) == (GOOD, "edited") and stored(1, 2).status == "rejected"
    assert [one.note for one in ada.decisions(KEY)] == ["the number"]
    assert all(one.seconds is None for one in ada.log.records)


def test_the_template_in_place_of_itself_is_refused_but_for_an_opinion(ada, filled):
    path = filled({"2/1": {"decision": "template"}})
    with pytest.raises(InputError, match="line 5: turn 2/1 already has the template's query; accept it"):
        apply(ada, path)
    assert not ada.log.records
    apply(ada, path, opinions=True)
    assert [one.verdict for one in ada.log.records] == ["accept"]


def test_applying_twice_makes_nothing_twice(ada, filled):
    path = filled({KEY: {"decision": "edit", "edited_query": GOOD}, "1/1": {"decision": "accept"}})
    apply(ada, path)
    assert (apply(ada, path).made, len(ada.log.records)) == (0, 2)


def test_an_unfilled_export_changes_nothing(ada, filled):
    assert apply(ada, filled({})).empty == 8 and not ada.log.records


def test_a_note_is_stored_as_text_that_every_file_and_screen_can_hold(ada, bench, filled):
    apply(ada, filled({KEY: {"decision": "note", "note": "a\x1b[31m\r\nb"}}))
    assert desk(bench).decisions(KEY)[0].note == "a\\x1b[31m\nb"
    with pytest.raises(InputError, match="line 3: note"):
        apply(ada, filled({KEY: {"decision": "note", "note": "\ud800"}}))


def test_what_the_checkers_object_to_needs_force_and_a_note(ada, filled, stored):
    edit = {"decision": "edit", "edited_query": "Still BAD"}
    for more in ({}, {"force": True}, {"note": "fine"}, {"force": True, "note": " "}):
        with pytest.raises(InputError, match=r"line 3: the checkers object \(length: wants 30"):
            apply(ada, filled({KEY: {**edit, **more}}))
    assert apply(ada, filled({KEY: {**edit, "force": True, "note": "fine"}})).made == 1
    assert stored().query == "Still BAD"


def test_one_bad_line_and_nothing_is_decided(ada, filled, stored):
    path = filled({"1/1": {"decision": "reject"}, KEY: {"decision": "accept"}})
    with pytest.raises(InputError, match="line 3"):
        apply(ada, path)
    assert stored(1, 1).status == "verified" and not ada.log.records


def test_a_turn_changed_since_the_export_is_not_overwritten(ada, bench, filled, stored):
    path = filled({KEY: {"decision": "edit", "edited_query": GOOD}})
    decide(desk(bench, "bob"), "edit", text="Bob's words")
    ada.refresh()
    with pytest.raises(InputError, match=r"line 3: .* since the export, by bob \(edit\); export it again"):
        apply(ada, path)
    assert stored().query == "Bob's words"


def test_another_reviewer_may_apply_the_same_file(bench, ada, filled):
    path = filled({"1/1": {"decision": "accept"}, "1/2": {"decision": "reject"}})
    apply(ada, path)
    bob = desk(bench, "bob")
    assert apply(bob, path).made == 2
    from evolif.review.agreement import statistics

    [found] = statistics(bob.log.records).agreement
    assert (found.n, found.kappa) == (2, 1.0)


def test_a_second_file_may_be_kept_as_opinions_only(bench, ada, filled, stored):
    from evolif.review.agreement import statistics

    edit = {"decision": "edit", "edited_query": GOOD}
    mine = filled({KEY: edit, "1/1": {"decision": "accept"}}, "mine.jsonl")
    other = filled({KEY: {"decision": "reject"}, "1/1": {"decision": "accept"}}, "other.jsonl")
    apply(ada, mine)
    bob = desk(bench, "bob")
    assert apply(bob, other, opinions=True).made == 2 and apply(bob, other, opinions=True).there == 2
    assert (stored().query, stored().status) == (GOOD, "edited")
    [found] = statistics(bob.log.records).agreement
    assert (found.n, found.observed) == (2, 0.5)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"decision": "delete"}, "decision"),
        ({"decision": "regenerate"}, "decision"),
        ({"decision": 5}, "decision"),
        ({"decision": ["accept"]}, "decision"),
        ({"decision": "edit"}, "needs words that differ"),
        ({"decision": "edit", "edited_query": FLAGGED}, "needs words that differ"),
        ({"decision": "edit", "edited_query": "a\x1b[31m"}, r"invisible character \(\\x1b\)"),
        ({"decision": "edit", "edited_query": "\ud800"}, "invisible character"),
        ({"decision": "edit", "edited_query": "x" * 20_001}, "20001 characters"),
        ({"decision": "edit", "edited_query": 5}, "edited_query"),
        ({"decision": "accept", "edited_query": GOOD}, "its decision is “accept”"),
        ({"edited_query": GOOD}, "no decision"),
        ({"decision": "note"}, "the note is empty"),
        ({"decision": "note", "note": "x" * 10_001}, "note"),
        ({"decision": "accept", "force": "maybe"}, "force"),
        ({"decision": "accept", "turn": 99}, "no turn 1/99"),
        ({"decision": "accept", "turn": -1}, "turn"),
        ({"decision": "accept", "turn": "../../x"}, "turn"),
        ({"decision": "accept", "dialogue": 10**400}, "dialogue"),
        ({"decision": "accept", "query": None}, "query"),
        ({"decision": "accept", "status": "odd"}, "status"),
        ({"decision": "reject", "turn": 1}, "two decisions|changed since"),
    ],
)
def test_lines_that_cannot_be_applied_are_named(ada, filled, change, told):
    with pytest.raises(InputError, match=f"filled.jsonl, line 3: .*({told})"):
        apply(ada, filled({KEY: change}))
    assert not ada.log.records


def test_a_turn_decided_on_twice_is_named(ada, filled, tmp_path):
    path = filled({KEY: {"decision": "reject"}})
    text = path.read_text("utf-8")
    path.write_text(text + text.splitlines()[2] + "\n", "utf-8")
    with pytest.raises(InputError, match=r"line 9: .* two decisions, the first in line 3"):
        apply(ada, path)


@pytest.mark.parametrize("line", ["nonsense", "[]", "5", "null", "[" * 100_000, '{"dialogue": NaN}', "{}"])
def test_what_is_no_line_at_all_is_named(ada, tmp_path, line):
    path = tmp_path / "bad.jsonl"
    path.write_text(f"\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=r"bad\.jsonl, line 2"):
        apply(ada, path)


def test_files_that_are_none_are_told(ada, tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        apply(ada, tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"query": "\xe9"}\n')
    with pytest.raises(InputError, match="not UTF-8"):
        apply(ada, tmp_path / "latin.jsonl")
