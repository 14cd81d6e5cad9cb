"""Tables over dialogues: accuracy and proposals, as the page names their columns, from dialogues made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from evolif.scenarios.games import accuracy_table, generate, proposal_table

COLUMNS = [
    "game",
    "modality",
    "pair",
    "turn_budget",
    "n",
    "accuracy",
    "low",
    "high",
    "floor",
    "ceiling",
    "normalised",
    "chance",
]
Z = 1.959963984540054


@pytest.fixture(scope="module")
def chess() -> dict[str, Any]:
    pytest.importorskip("chess", reason="needs the extra `games`")
    return generate("chess", 0, seed=1)


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    return generate("names", 0, seed=1, n=9)


def dialogue(
    instance: dict[str, Any],
    texts: list[str],
    reason: str = "correct",
    *,
    parsed: Any = "MINE",
    turns: int = 4,
    pair: tuple[str, str] = ("a", "b"),
    modality: str = "text",
) -> dict[str, Any]:
    said = [
        {"player": number % 2, "text": text, "tokens": len(text.split()), "truncated": False, "flags": []}
        for number, text in enumerate(texts)
    ]
    answered = parsed if reason in ("correct", "wrong") else None
    final = {"player": (len(texts) - 1) % 2, "parsed": answered, "turn": len(texts), "reason": reason}
    return {
        "instance": instance,
        "turns": said,
        "final": final,
        "turn_budget": turns,
        "pair": list(pair),
        "modality": modality,
    }


# Accuracy


def test_no_dialogues_make_no_rows() -> None:
    assert accuracy_table([]) == [] == proposal_table([])


def test_a_row_has_the_columns_of_the_page(names: dict[str, Any]) -> None:
    (row,) = accuracy_table([dialogue(names, ["SELECT ROW 1"], parsed=1)])
    assert set(COLUMNS) <= set(row)
    assert (row["game"], row["modality"], row["turn_budget"], row["n"]) == ("names", "text", 4, 1)
    assert row["chance"] == pytest.approx(1 / 9)


@pytest.mark.parametrize(("right", "n"), [(0, 5), (5, 5), (3, 7), (1, 2), (9, 10), (24, 24), (23, 24)])
def test_accuracy_has_an_interval_over_instances(names: dict[str, Any], right: int, n: int) -> None:
    """Of 0/1 instances: Student's on log odds; near 1 no farther than Clopper and Pearson's; below six none."""
    stats = pytest.importorskip("scipy.stats")
    reasons = ["correct"] * right + ["wrong"] * (n - right)
    instances = [{**names, "number": number} for number in range(n)]
    played = [dialogue(one, ["SELECT ROW 1"], reason, parsed=1) for one, reason in zip(instances, reasons, strict=True)]
    (row,) = accuracy_table(played)
    assert row["n"] == n
    assert row["accuracy"] == pytest.approx(right / n)
    if n < 6:
        assert row["low"] is None and row["high"] is None
    elif right in (n - 1, n):
        assert row["low"] == pytest.approx(float(stats.beta.ppf(0.025, right, n - right + 1)), abs=1e-4)
        assert row["accuracy"] < row["high"] <= 1 or row["high"] == 1
    else:
        assert 0 < row["low"] < right / n < row["high"] < 1
    # All dialogues of one instance are one, whatever they are.
    (alone,) = accuracy_table([dialogue(names, ["SELECT ROW 1"], reason, parsed=1) for reason in reasons * 6])
    assert alone["accuracy"] == row["accuracy"] and alone["low"] is None and alone["high"] is None


def test_every_reason_counts(names: dict[str, Any]) -> None:
    reasons = ["correct", "wrong", "unparseable", "no_answer"]
    (row,) = accuracy_table([dialogue(names, ["x"] * 4, reason, parsed=1) for reason in reasons])
    assert (row["n"], row["accuracy"]) == (4, 0.25)


def test_accuracy_is_normalised_between_floor_and_ceiling(names: dict[str, Any]) -> None:
    reasons = ["correct", "wrong", "correct", "correct"]
    (row,) = accuracy_table([dialogue(names, ["SELECT ROW 1"], reason, parsed=1) for reason in reasons])
    assert row["floor"] == pytest.approx(names["floor"])
    assert row["ceiling"] == pytest.approx(1.0)
    assert row["normalised"] == pytest.approx((0.75 - row["floor"]) / (row["ceiling"] - row["floor"]))


def test_groups_are_never_pooled(names: dict[str, Any], chess: dict[str, Any]) -> None:
    played = [
        dialogue(names, ["SELECT ROW 1"], parsed=1),
        dialogue(names, ["SELECT ROW 1"], parsed=1, turns=8),
        dialogue(names, ["SELECT ROW 1"], "wrong", parsed=1, pair=("b", "a")),
        dialogue(chess, ["_MINE_"]),
        dialogue(chess, ["_MINE_"], "wrong"),
        dialogue(chess, ["_MINE_"], modality="image"),
    ]
    rows = accuracy_table(played)
    groups = {(row["game"], row["modality"], str(row["pair"]), row["turn_budget"]): row for row in rows}
    assert len(groups) == len(rows) == 5
    assert sorted(row["n"] for row in rows) == [1, 1, 1, 1, 2]


def test_the_order_of_dialogues_does_not_matter(names: dict[str, Any]) -> None:
    played = [
        dialogue(names, ["SELECT ROW 1"], reason, parsed=1, turns=turns)
        for turns in (2, 4, 8)
        for reason in ("correct", "wrong", "wrong")
    ]
    rows = accuracy_table(played)
    assert sorted(rows, key=str) == sorted(accuracy_table(played[::-1]), key=str)
    assert {row["turn_budget"] for row in rows} == {2, 4, 8}


# Proposals. The key of the instance is put in by hand, so that it is plain who is right.


def keyed(chess: dict[str, Any], earlier: int) -> dict[str, Any]:
    return {**chess, "answer": ["MINE", "YOURS"] if earlier == 0 else ["YOURS", "MINE"]}


def only(rows: list[dict[str, Any]]) -> dict[str, Any]:
    (row,) = rows
    return row


def test_a_right_proposal_that_is_accepted(chess: dict[str, Any]) -> None:
    """The first says *mine*; for the second that is `_YOURS_`, which is right where the first board is earlier."""
    row = only(proposal_table([dialogue(keyed(chess, 0), ["I think mine is earlier", "_YOURS_"], parsed="YOURS")]))
    assert row["turn_budget"] == 4
    assert row["per_dialogue"] == pytest.approx(1)
    assert row["accepted_right"] == pytest.approx(1)
    assert row["accepted_wrong"] is None
    assert row["accuracy_of_accepted"] == pytest.approx(1)


def test_a_wrong_proposal_that_is_accepted(chess: dict[str, Any]) -> None:
    played = dialogue(keyed(chess, 1), ["mine is earlier", "_YOURS_"], "wrong", parsed="YOURS")
    row = only(proposal_table([played]))
    assert row["accepted_wrong"] == pytest.approx(1)
    assert row["accepted_right"] is None
    assert row["accuracy_of_accepted"] == pytest.approx(0)


@pytest.mark.parametrize(
    ("said", "answer", "accepted"),
    [
        ("mine is earlier", "YOURS", True),
        ("mine is earlier", "MINE", False),
        ("yours is earlier", "MINE", True),
        ("yours is earlier", "YOURS", False),
        ("yours is later", "YOURS", True),
    ],
)
def test_a_proposal_is_accepted_by_an_answer_in_its_sense(
    chess: dict[str, Any], said: str, answer: str, accepted: bool
) -> None:
    """Whoever is right, the proposal stands in one of the two columns, and is accepted there or not."""
    for earlier in (0, 1):
        instance = keyed(chess, earlier)
        reason = "correct" if instance["answer"][1] == answer else "wrong"
        row = only(proposal_table([dialogue(instance, [said, f"_{answer}_"], reason, parsed=answer)]))
        shares = [share for share in (row["accepted_right"], row["accepted_wrong"]) if share is not None]
        assert shares == [pytest.approx(float(accepted))]


def test_a_proposal_that_is_talked_about_is_not_accepted(chess: dict[str, Any]) -> None:
    texts = ["mine is earlier", "Why do you think so?", "I have 32 pieces.", "_YOURS_"]
    row = only(proposal_table([dialogue(keyed(chess, 0), texts, parsed="YOURS")]))
    assert row["accepted_right"] == pytest.approx(0)
    assert row["accuracy_of_accepted"] is None


def test_a_proposal_beside_an_answer_does_not_count(chess: dict[str, Any]) -> None:
    texts = ["I have 32 pieces.", "mine is earlier, so _MINE_"]
    row = only(proposal_table([dialogue(keyed(chess, 1), texts)]))
    assert row["per_dialogue"] == 0


def test_a_proposal_in_the_final_turn_does_not_count(chess: dict[str, Any]) -> None:
    played = dialogue(keyed(chess, 1), ["I have 32 pieces.", "mine is earlier"], "no_answer", turns=2)
    assert only(proposal_table([played]))["per_dialogue"] == 0


def test_proposals_per_dialogue_are_a_mean(chess: dict[str, Any]) -> None:
    one = dialogue(keyed(chess, 0), ["mine is earlier", "_YOURS_"], parsed="YOURS")
    none = dialogue(keyed(chess, 0), ["Hello.", "_YOURS_"], parsed="YOURS")
    two = dialogue(keyed(chess, 0), ["mine is earlier", "yours came first", "So?", "_YOURS_"], parsed="YOURS")
    row = only(proposal_table([one, none, two]))
    assert row["per_dialogue"] == pytest.approx(1)


def test_budgets_and_pairs_have_rows_of_their_own(chess: dict[str, Any]) -> None:
    texts = ["mine is earlier", "_YOURS_"]
    played = [
        dialogue(keyed(chess, 0), texts, parsed="YOURS", turns=turns, pair=pair)
        for turns in (2, 4)
        for pair in (("a", "b"), ("b", "a"))
    ]
    assert len(proposal_table(played)) == 4


def test_tables_leave_their_dialogues_alone(chess: dict[str, Any]) -> None:
    played = dialogue(keyed(chess, 0), ["mine is earlier", "_YOURS_"], parsed="YOURS")
    before = repr(played)
    accuracy_table([played])
    proposal_table([played])
    assert repr(played) == before
