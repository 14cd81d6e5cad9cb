"""Accuracy against turns, the odds of guess-and-check, tables."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import ArgumentError, UsageError
from evolif.games import accuracy_table, gain_table, guess_and_check, isotoken, proposal_table


def dialogue(
    reason: str | None = "correct",
    *,
    game: str = "names",
    number: int = 0,
    turns: int = 4,
    pair: Any = ("a", "b"),
    texts: list[str] | None = None,
    answer: Any = None,
    floor: float | None = 0.1,
    chance: float | None = 0.1,
) -> dict[str, Any]:
    instance = {"game": game, "number": number, "seed": 1, "settings": {"n": 9}, "answer": answer}
    instance |= {"floor": floor, "chance": chance}
    return {
        "instance": instance,
        "turns": [{"player": at % 2, "text": text} for at, text in enumerate(texts or [])],
        "final": None if reason is None else {"player": 1, "parsed": None, "turn": 2, "reason": reason},
        "turn_budget": turns,
        "pair": list(pair),
        "modality": "text",
    }


def test_isotoken_of_an_example() -> None:
    assert isotoken({2: 0.5, 4: 0.7, 8: 0.7, 16: 0.6}) == {
        "gain": pytest.approx(0.1),
        "best_turns": 4,
        "monotone_non_decreasing": False,
    }
    assert isotoken({2: 0.5, 16: 0.5}) == {"gain": 0, "best_turns": 2, "monotone_non_decreasing": True}
    assert isotoken({8: 0.25}) == {"gain": 0, "best_turns": 8, "monotone_non_decreasing": True}


def test_turn_budgets_are_sorted_as_numbers() -> None:
    found = isotoken({"16": 0.75, "2": 0.25, "4": 0.5})
    assert found == {"gain": 0.5, "best_turns": 16, "monotone_non_decreasing": True}
    assert type(found["best_turns"]) is int


def test_rounding_is_no_loss() -> None:
    assert isotoken({2: 0.1 + 0.2, 4: 0.3})["monotone_non_decreasing"]
    assert not isotoken({2: 0.3 + 1e-11, 4: 0.3})["monotone_non_decreasing"]


@pytest.mark.parametrize(
    "accuracies",
    [{}, {2: 0.5, "2": 0.5}, {0: 0.5}, {2.0: 0.5}, {"two": 0.5}, {"²": 1}, {2: float("nan")}, {2: "1"}, {True: 1}],
)
def test_what_cannot_be_summarised_is_refused(accuracies: dict[Any, Any]) -> None:
    with pytest.raises(ArgumentError):
        isotoken(accuracies)


@given(st.dictionaries(st.integers(1, 99), st.integers(0, 100).map(lambda hits: hits / 100), min_size=1))
def test_isotoken_by_its_definition(accuracies: dict[int, float]) -> None:
    found = isotoken(accuracies)
    assert found == isotoken({str(turns): accuracy for turns, accuracy in accuracies.items()})
    assert found["gain"] == accuracies[max(accuracies)] - accuracies[min(accuracies)]
    best = max(accuracies.values())
    assert found["best_turns"] == min(turns for turns in accuracies if accuracies[turns] == best)
    values = [accuracies[turns] for turns in sorted(accuracies)]
    assert found["monotone_non_decreasing"] == (values == sorted(values))


@pytest.mark.parametrize(
    ("n", "turns", "expected"),
    [
        (10, 4, 0.36),
        (9, 2, 1 - (8 / 9) ** 2),
        (16, 16, 0.75),
        (9, 18, 1),
        (9, 40, 1),
        (10, 5, 0.36),
        (9, 1, 0),
        (1, 2, 1),
    ],
)
def test_guess_and_check(n: int, turns: int, expected: float) -> None:
    assert guess_and_check(n, turns) == pytest.approx(expected, abs=1e-15)


@given(st.integers(1, 1000), st.integers(1, 3000))
def test_guess_and_check_is_exact(n: int, turns: int) -> None:
    tried = Fraction(min(n, turns // 2), n)
    assert guess_and_check(n, turns) == pytest.approx(float(1 - (1 - tried) ** 2), abs=1e-15)


@pytest.mark.parametrize(("n", "turns"), [(9, 2), (9, 8), (16, 4), (25, 16)])
def test_who_plays_guess_and_check_succeeds_as_often(n: int, turns: int) -> None:
    chance = random.Random(7)
    games = 20_000
    won = 0
    for _ in range(games):
        # Each player's shared row, and the rows in the order in which they are tried.
        own = [chance.randrange(n), chance.randrange(n)]
        tried = [chance.sample(range(n), min(n, turns // 2)) for _ in own]
        won += any(row in rows for row, rows in zip(own, tried, strict=True))
    assert won / games == pytest.approx(guess_and_check(n, turns), abs=0.015)


@pytest.mark.parametrize(("n", "turns"), [(0, 2), (9, 0), (9.0, 2), (9, True)])
def test_impossible_tables_are_refused(n: int, turns: int) -> None:
    with pytest.raises(ArgumentError, match="whole number"):
        guess_and_check(n, turns)


def test_accuracy_by_group() -> None:
    games = [
        *(dialogue(reason, number=at) for at, reason in enumerate(["correct", "correct", "correct", "wrong"])),
        dialogue("no_answer", turns=16),
        dialogue("unparseable", turns=2),
        dialogue("correct", pair=("b", "a"), floor=None, chance=None),
        dialogue("correct", game="chess", floor=1.0, chance=0.5),
        dialogue(None, game="scenes"),
    ]
    rows = accuracy_table(games)
    assert [(row["game"], row["pair"], row["turn_budget"], row["n"], row["accuracy"]) for row in rows] == [
        ("chess", ["a", "b"], 4, 1, 1.0),
        ("names", ["a", "b"], 2, 1, 0.0),
        ("names", ["a", "b"], 4, 4, 0.75),
        ("names", ["a", "b"], 16, 1, 0.0),
        ("names", ["b", "a"], 4, 1, 1.0),
    ]
    assert list(rows[2]) == (
        "game modality pair turn_budget n accuracy low high floor ceiling normalised chance".split()
    )
    assert rows[2]["normalised"] == pytest.approx((0.75 - 0.1) / 0.9)
    assert rows[1]["normalised"] == pytest.approx(-0.1 / 0.9)
    assert (rows[2]["floor"], rows[2]["ceiling"], rows[2]["chance"]) == (pytest.approx(0.1), 1.0, pytest.approx(0.1))
    assert (rows[0]["normalised"], rows[4]["normalised"], rows[4]["floor"], rows[4]["chance"]) == (None,) * 4
    assert accuracy_table(reversed(games)) == rows


@pytest.mark.parametrize(("correct", "n"), [(0, 1), (3, 4), (7, 7), (40, 100)])
def test_intervals_are_wilsons(correct: int, n: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    [row] = accuracy_table(dialogue("correct" if at < correct else "wrong", number=at) for at in range(n))
    expected = stats.binomtest(correct, n).proportion_ci(method="wilson")
    assert (row["low"], row["high"]) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_references_are_means_over_the_group() -> None:
    [row] = accuracy_table([dialogue(floor=0.2, chance=0.5), dialogue("wrong", floor=0.6, chance=0.25)])
    assert row["floor"] == pytest.approx(0.4)
    assert row["chance"] == pytest.approx(0.375)
    assert row["normalised"] == pytest.approx(0.1 / 0.6)


def test_no_dialogues_make_no_rows() -> None:
    assert accuracy_table([]) == gain_table([]) == proposal_table([]) == accuracy_table([dialogue(None)]) == []


@pytest.mark.parametrize("broken", [None, "text", {}, {"instance": {}}, dialogue(game="chess") | {"turn_budget": "4"}])
def test_what_is_no_dialogue_is_refused(broken: Any) -> None:
    for table in (accuracy_table, gain_table, proposal_table):
        with pytest.raises(ArgumentError):
            table([broken])


def test_gain_is_paired_over_instances() -> None:
    games = [dialogue("correct" if at % 2 else "wrong", number=at, turns=2) for at in range(10)]
    games += [dialogue("correct" if at % 2 or at > 5 else "wrong", number=at, turns=16) for at in range(10)]
    games += [dialogue("wrong", number=at, turns=8) for at in range(10)]
    games += [dialogue("correct", number=99, turns=16)]  # never played in two turns
    [row] = gain_table(games)
    assert (row["fewest"], row["most"], row["instances"]) == (2, 16, 10)
    assert row["gain"] == pytest.approx(0.2)
    assert row["low"] == pytest.approx(0.0)
    assert row["high"] == pytest.approx(0.5)
    assert gain_table(games[::-1]) == [row]


def test_equal_results_have_no_gain_and_no_width() -> None:
    games = [dialogue("correct" if at % 3 else "wrong", number=at, turns=turns) for at in range(9) for turns in (2, 4)]
    [row] = gain_table(games)
    assert (row["gain"], row["low"], row["high"]) == (0, 0, 0)


def test_few_instances_have_no_interval_and_one_budget_no_gain() -> None:
    games = [dialogue(number=at, turns=turns) for at in range(5) for turns in (2, 4)]
    assert [(row["gain"], row["low"]) for row in gain_table(games)] == [(0, None)]
    assert gain_table([game for game in games if game["turn_budget"] == 2]) == []
    apart = [dialogue(number=0, turns=2), dialogue(number=1, turns=4)]
    assert [(row["instances"], row["gain"], row["high"]) for row in gain_table(apart)] == [(0, None, None)]


def test_the_gains_interval_covers_the_truth() -> None:
    chance = random.Random(3)
    covered = 0
    for _ in range(200):
        games = []
        for number in range(60):
            before, after = chance.random() < 0.4, chance.random() < 0.6
            games += [dialogue("correct" if before else "wrong", number=number, turns=2)]
            games += [dialogue("correct" if after else "wrong", number=number, turns=4)]
        [row] = gain_table(games, resamples=200)
        covered += row["low"] <= 0.2 <= row["high"]
    assert 175 <= covered <= 200


def test_an_impossible_bootstrap_is_refused() -> None:
    with pytest.raises(UsageError):
        gain_table([], resamples=0)


def chess(texts: list[str], answer: tuple[str, str] = ("MINE", "YOURS"), turns: int = 4, **more: Any) -> dict[str, Any]:
    return dialogue(game="chess", texts=texts, answer=list(answer), turns=turns, **more)


def test_a_right_proposal_that_is_accepted() -> None:
    [row] = proposal_table([chess(["My board is earlier.", "_YOURS_"])])
    assert row == {
        "pair": ["a", "b"],
        "turn_budget": 4,
        "per_turn": 1.0,
        "per_dialogue": 1.0,
        "accepted_right": 1.0,
        "accepted_wrong": None,
        "accuracy_of_accepted": 1.0,
    }


def test_proposals_of_several_dialogues() -> None:
    games = [
        chess(["I have 20 pieces.", "Yours came first.", "I doubt it.", "_YOURS_"]),  # right, not accepted
        chess(["Yours is earlier.", "_MINE_"]),  # wrong, accepted
        chess(["Mine is earlier.", "_MINE_"]),  # right, refused
        chess(["Mine is earlier.", "YOURS"]),  # right, accepted
        chess(["Mine came first. Or yours came first?", "Hm.", "So?", "My board came last. _YOURS_"]),
    ]
    [row] = proposal_table(games)
    # Turns that count: 3, 1, 1, 1 and 3.
    assert row["per_turn"] == pytest.approx(5 / 9)
    assert row["per_dialogue"] == 1.0
    assert row["accepted_right"] == pytest.approx(1 / 3)
    assert row["accepted_wrong"] == 1.0
    assert row["accuracy_of_accepted"] == pytest.approx(1 / 2)


def test_final_turns_and_answers_are_no_proposals() -> None:
    [row] = proposal_table([chess(["Hello", "Mine came first"], turns=2)])
    assert (row["per_turn"], row["per_dialogue"]) == (0.0, 0.0)
    [row] = proposal_table([chess(["Mine came first: MINE"], turns=2)])
    assert (row["per_turn"], row["per_dialogue"], row["accepted_right"]) == (None, 0.0, None)


def test_the_second_player_proposes_as_it_sees_it() -> None:
    [row] = proposal_table([chess(["Hello", "Your board is later.", "YOURS"], ("YOURS", "MINE"))])
    assert (row["accepted_right"], row["accepted_wrong"]) == (1.0, None)


def test_a_proposal_that_nobody_replies_to_is_not_accepted() -> None:
    [row] = proposal_table([chess(["Mine is earlier."])])
    assert (row["accepted_right"], row["accuracy_of_accepted"]) == (0.0, None)


def test_proposals_by_group() -> None:
    games = [chess(["Mine is earlier.", "MINE"], turns=turns, pair=pair) for turns in (16, 2) for pair in ("ba", "ab")]
    rows = proposal_table([*games, dialogue(texts=["mine is earlier", "YOURS"]), chess([], reason=None)])
    assert [(row["pair"], row["turn_budget"]) for row in rows] == [
        (["a", "b"], 2),
        (["a", "b"], 16),
        (["b", "a"], 2),
        (["b", "a"], 16),
    ]
