"""Items and gates of broadcasts as verdicts, and what they are worth together."""

from __future__ import annotations

from typing import Any

import pytest

from evolif.scenarios.broadcast.judged import credit, judged_text, rule_verdicts, turn_criteria
from evolif.scenarios.broadcast.lines import long_tables
from evolif.scenarios.broadcast.verdicts import asked_for, gate_verdict, item_verdict, undecided
from evolif.types import Verdict

NAMES = {"sport": "basketball", "teams": ["Quarry Herons", "Fen Terns"], "roster": {}}
HOCKEY = {**NAMES, "sport": "hockey"}
LINE = {"player": "Ana Rok", "team": "Fen Terns", "two_attempts": 3, "two_made": 1, "points": 2}


@pytest.mark.parametrize(
    ("item", "names", "told"),
    [
        ({"kind": "score", "team": "Fen Terns", "points": 7}, NAMES, "Fen Terns 7"),
        (
            {"kind": "fact", "player": "Ana Rok", "points": 1, "period": 2, "clock": "6:14", "asks": "all"},
            NAMES,
            "Ana Rok, 1 point, Q2 6:14",
        ),
        (
            {"kind": "fact", "player": "Ana Rok", "points": 3, "period": 4, "clock": "43.5", "asks": "time"},
            NAMES,
            "Ana Rok, 3 points, Q4 43.5 (the time)",
        ),
        (
            {"kind": "faceoff", "winner": "Ana Rok", "loser": "Bo Lind", "period": 1, "clock": "3:20", "asks": "loser"},
            HOCKEY,
            "Ana Rok won against Bo Lind, P1 3:20 (the loser)",
        ),
        ({"kind": "count", "n": 1}, NAMES, "1 change"),
        (
            {"kind": "change", "period": 3, "clock": "0:09", "leader": "Fen Terns"},
            NAMES,
            "Q3 0:09, Fen Terns goes ahead",
        ),
        ({"kind": "leader", "case": "no_ft", "team": "tie"}, NAMES, "without free throws: level"),
        ({"kind": "leader", "case": "no_goals", "team": "Fen Terns"}, NAMES, "without points: Fen Terns leads"),
        ({"kind": "margin", "case": "no_goals", "n": 0, "team": "tie"}, NAMES, "without points: by 0"),
        ({"kind": "player", "player": "Ana Rok"}, NAMES, "Ana Rok"),
        ({"kind": "percent", "name": "loss", "value": 33.33}, HOCKEY, "loss of 33.33 percentage points"),
        ({"kind": "letter", "letter": "C"}, NAMES, "answer C"),
        (
            {"kind": "tag", "which": "first", "intent": "Update Score", "number": 1},
            NAMES,
            "[Update Score] first, and nothing but tags in the first line",
        ),
        ({"kind": "tag", "which": "second", "intent": "Update Score", "number": 9}, NAMES, "[Tag A] in reply 9"),
        ({"kind": "tag", "which": "second", "intent": "Update Score", "number": 11}, NAMES, "[Tag B] in reply 11"),
        ({"kind": "tag", "which": "second", "intent": "Update Score", "number": 4}, NAMES, "no letter in reply 4"),
        ({"kind": "words", "most": 99}, NAMES, "at most 99 words"),
        ({"kind": "sentences"}, NAMES, "three sentences whose last words end with the same letter"),
        ({"kind": "acrostic", "part": "starts", "team": "Quarry Herons"}, NAMES, "the fifth word begins with Q"),
        ({"kind": "acrostic", "part": "complete", "team": "Quarry Herons"}, NAMES, "words five onward spell QHKING"),
        ({"kind": "acrostic", "part": "max20", "team": "Quarry Herons"}, NAMES, "20 words or fewer"),
        ({"kind": "statistics", "line": LINE}, NAMES, "Ana Rok: two attempts 3, two made 1, points 2"),
        ({"kind": "summary", "part": "lt50"}, NAMES, "fewer than 50 words"),
        ({"kind": "summary", "part": "true"}, NAMES, "a true summary"),
        ({"kind": "support", "team": "Fen Terns"}, NAMES, "one sentence that supports Fen Terns"),
    ],
)
def test_items_are_told_in_words(item: dict[str, Any], names: dict[str, Any], told: str) -> None:
    assert asked_for({**item, "weight": 0.25}, names) == f"{told}; worth 0.25"


def test_what_was_found_stands_beside_what_was_asked_for() -> None:
    item = {"kind": "score", "team": "Fen Terns", "points": 7, "weight": 1 / 3}
    found = item_verdict(item, {**item, "satisfied": False, "found": 9}, NAMES)
    assert found == Verdict("score", False, "Fen Terns 7; worth 0.333", "9")
    assert item_verdict(item, {**item, "satisfied": False, "found": None}, NAMES).found == "nothing"


def test_gates_are_verdicts_that_fail_when_they_are_triggered() -> None:
    assert gate_verdict("wrong_player", True) == Verdict(
        "gate: wrong player", False, "nobody is named who did not score then", "not so: the turn scores 0"
    )
    assert gate_verdict("no_summary", False).satisfied is True


ITEMS = [
    {"kind": "acrostic", "part": "max20", "team": "Quarry Herons", "weight": 0.6},
    {"kind": "support", "team": "Quarry Herons", "weight": 0.4},
]


@pytest.mark.parametrize(
    ("rule", "judge", "gate", "expected"),
    [
        (True, True, True, 1.0),
        (True, False, True, 0.6),
        (False, True, True, 0.4),
        (True, None, True, 1.0),
        (False, None, True, 0.0),
        (True, True, False, 0.0),
    ],
)
def test_credit_is_the_weight_of_what_holds_among_what_was_judged(
    rule: bool, judge: bool | None, gate: bool, expected: float
) -> None:
    verdicts = [
        Verdict("acrostic", rule, "", ""),
        Verdict("support", judge, "", ""),
        Verdict("gate: no summary", gate, "", ""),
    ]
    assert credit(ITEMS, verdicts).value == expected


def test_a_turn_of_which_nothing_was_judged_has_no_credit() -> None:
    assert credit(ITEMS[1:], [undecided(ITEMS[1], NAMES)]).value is None


def turn(checklist: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    return {"judged": True, "checklist": checklist, "gates": [], "names": NAMES, "kind": "K", "key": "", **fields}


def test_a_judge_is_shown_the_part_that_it_decides_on() -> None:
    reply = "[Other Question]\nGo, Herons!\n<Summary>A tie.</Summary> <summary>\nIt is late. </summary>"
    assert judged_text(ITEMS[1], reply) == "Go, Herons!"
    assert judged_text({"kind": "summary", "part": "true"}, reply) == "A tie.\nIt is late."
    assert judged_text({"kind": "summary", "part": "true"}, "Nothing.") == ""


def test_what_a_judge_is_asked_holds_team_and_facts() -> None:
    support = turn_criteria(turn(ITEMS))
    assert list(support) == [1]
    assert support[1].group == "support"
    assert support[1].description == "Is the text one sentence, and does it support the team Quarry Herons?"
    summary = {"kind": "summary", "part": "true", "weight": 1.0}
    [one, other] = [turn_criteria(turn([summary], briefing=facts))[0] for facts in ("Score: {team} 3.", "Score: 4.")]
    assert one.description.endswith("The facts of the match so far:\nScore: {team} 3.")
    assert one.params != other.params, "scores of a judge are kept by them"
    assert one.rubric is not None and one.rubric.scale(one)[1].startswith("1-2: No: it is no summary")
    assert turn_criteria({**turn(ITEMS), "judged": False}) == {}


def test_rules_leave_out_what_a_judge_decides_on() -> None:
    reply = "[Other Question]\nWe all cheer when quick Herons keep igniting noisy games"
    assert [(one.group, one.satisfied) for one in rule_verdicts(turn(ITEMS), reply)] == [("acrostic", True)]


def test_tables_with_rows_are_long_and_notes_are_not() -> None:
    table = "=== ticker ===\n6:14\tA\n6:10\tB\n=== end of ticker ===\n"
    note = "=== ticker ===\n(no new rows)\n=== end of ticker ===\n"
    text = f"GAME INFO\n{table}{note}{table}---\nWell?"
    assert [text[start:end] for start, end in long_tables(text)] == ["6:14\tA\n6:10\tB\n"] * 2
    assert long_tables("=== ticker ===\n1\n2\n3") == []
    assert long_tables("") == []
