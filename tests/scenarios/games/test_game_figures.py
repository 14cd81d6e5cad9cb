"""Accuracy against turns, the odds of guess-and-check, tables."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import ArgumentError
from evolif.metrics import intervals
from evolif.scenarios.games import accuracy_table, guess_and_check, isotoken, proposal_table
from evolif.scenarios.games.accuracy_tables import accuracy_object
from evolif.scenarios.games.figures import gain_table
from evolif.scenarios.games.results import TABLE


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


@pytest.mark.sampled
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


def student(values: list[float]) -> tuple[float, float, float]:
    """A mean, its standard error and the quantile, of values of instances that all weigh the same."""
    stats = pytest.importorskip("scipy.stats")
    n, mean = len(values), sum(values) / len(values)
    apart = [value - mean for value in values]
    squares = sum(one**2 for one in apart)
    kurtosis = n * sum(one**4 for one in apart) / squares**2
    freedom = min(n - 1, max(2, 2 * n / (kurtosis - 1))) if kurtosis > 1 else n - 1
    return mean, math.sqrt(squares / (n * (n - 1))), float(stats.t.ppf(0.975, freedom))


def of_accuracy(values: list[float]) -> tuple[float, float]:
    mean, error, quantile = student(values)
    odds, half = math.log(mean / (1 - mean)), quantile * error / (mean * (1 - mean))
    return 1 / (1 + math.exp(half - odds)), 1 / (1 + math.exp(-half - odds))


def games_of(right: list[int], epochs: int, **more: Any) -> list[dict[str, Any]]:
    """So many right dialogues of so many epochs, for each instance."""
    return [
        dialogue("correct" if epoch < own else "wrong", number=number, **more)
        for number, own in enumerate(right)
        for epoch in range(epochs)
    ]


def ends_of(found: Any) -> tuple[Any, Any]:
    return found["low"], found["high"]


@pytest.mark.parametrize(("right", "epochs"), [([0, 1] * 5, 1), ([4, 3, 1, 0, 2, 2, 3, 1, 4, 3, 2], 4), ([1] * 9, 2)])
def test_intervals_of_accuracy_are_over_instances(right: list[int], epochs: int) -> None:
    games = games_of(right, epochs)
    [row] = accuracy_table(games)
    assert row["n"] == len(games)
    alike = len(set(right)) == 1
    # Instances that are all alike: what is left is the share of instances that were missed.
    seen = 0.025 ** (1 / len(right))
    expected = (0.5 * seen, 1 - 0.5 * seen) if alike else of_accuracy([own / epochs for own in right])
    assert ends_of(row) == pytest.approx(expected)
    assert ends_of(accuracy_object(reversed(games))["accuracy"]) == ends_of(row)


@pytest.mark.parametrize("right", [19, 1])
def test_an_interval_of_mostly_right_instances_ends_where_that_of_a_binomial_share_does(right: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    [row] = accuracy_table(games_of([1] * right + [0] * (20 - right), 1))
    low = float(stats.beta.ppf(0.025, 19, 2))
    assert (row["low"] if right == 19 else 1 - (row["high"] or 0)) == pytest.approx(low)


@pytest.mark.parametrize("right", [[1] * 7, [0] * 6])
def test_an_interval_is_never_without_width(right: list[int]) -> None:
    [row] = accuracy_table(games_of(right, 1))
    far = 0.025 ** (1 / len(right))
    assert ends_of(row) == pytest.approx((far, 1) if right[0] else (0, 1 - far))


def test_fewer_than_six_instances_have_no_interval_however_many_dialogues_they_are() -> None:
    games = [game for turns in (2, 4) for game in games_of([0, 1, 2, 3, 4], 4, turns=turns)]
    assert [ends_of(row) for row in accuracy_table(games)] == [(None, None)] * 2
    found = accuracy_object(games)
    assert ends_of(found["accuracy"]) == (None, None) == ends_of(found["gain_interval"])


def test_the_turn_budgets_of_an_instance_say_no_more_than_one_where_they_agree() -> None:
    right = [4, 3, 1, 0, 2, 2, 3, 1, 4]
    once = accuracy_object(games_of(right, 4))["accuracy"]
    again = accuracy_object([game for turns in (2, 4, 8, 16) for game in games_of(right, 4, turns=turns)])
    assert ends_of(again["accuracy"]) == pytest.approx(ends_of(once)) and again["gain"] == 0


def test_instances_of_other_settings_and_seeds_are_others() -> None:
    games = [dialogue("correct" if seed else "wrong", number=at) for at in range(3) for seed in range(2)]
    for seed, game in enumerate(games):
        game["instance"] = {**game["instance"], "seed": seed % 2}
    [row] = accuracy_table(games)
    assert ends_of(row) == pytest.approx(of_accuracy([0, 1] * 3))


def test_the_interval_in_tables_is_that_of_machines_and_of_the_metric() -> None:
    right = [3, 4, 4, 4, 4, 2, 4, 4]
    [row] = accuracy_table(games_of(right, 4))
    rest = (0.0,) * (len(TABLE.terms) - 2)
    found = intervals(TABLE, [(float(own), 4.0, *rest) for own in right], seed=7, resamples=300)["accuracy"]
    # Whatever the seed of a report: a share has one interval.
    assert ends_of(row) == found == ends_of(accuracy_object(games_of(right, 4))["accuracy"])
    assert TABLE.cluster == "instance"


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
    mean, error, quantile = student([0.0] * 8 + [1.0] * 2)
    assert ends_of(row) == pytest.approx((mean - quantile * error, mean + quantile * error))
    assert gain_table(games[::-1]) == [row]
    # Machines are told of the gain that the interval is about, not of one over other instances.
    found = accuracy_object(games)
    assert found["gain"] == row["gain"] and ends_of(found["gain_interval"]) == ends_of(row)
    assert found["by_turns"]["16"] - found["by_turns"]["2"] != pytest.approx(0.2)


def test_the_epochs_of_an_instance_are_added_up() -> None:
    before, after = [0, 1, 2, 4, 3, 1, 0, 2, 4, 1, 2], [4, 1, 3, 4, 4, 0, 2, 3, 4, 2, 1]
    [row] = gain_table([*games_of(before, 4, turns=2), *games_of(after, 4, turns=8)])
    own = [(late - early) / 4 for early, late in zip(before, after, strict=True)]
    mean, error, quantile = student(own)
    assert row["gain"] == pytest.approx(mean) and row["instances"] == 11
    assert ends_of(row) == pytest.approx((mean - quantile * error, mean + quantile * error))


def test_equal_results_have_no_gain_but_a_width() -> None:
    games = [dialogue("correct" if at % 3 else "wrong", number=at, turns=turns) for at in range(9) for turns in (2, 4)]
    [row] = gain_table(games)
    far = 1 - 0.025 ** (1 / 9)  # such a share of other instances could have been missed
    assert row["gain"] == 0 and ends_of(row) == pytest.approx((-far, far))


def test_few_instances_have_no_interval_and_one_budget_no_gain() -> None:
    games = [dialogue(number=at, turns=turns) for at in range(5) for turns in (2, 4)]
    assert [(row["gain"], row["low"]) for row in gain_table(games)] == [(0, None)]
    assert gain_table([game for game in games if game["turn_budget"] == 2]) == []
    apart = [dialogue(number=0, turns=2), dialogue(number=1, turns=4)]
    assert [(row["instances"], row["gain"], row["high"]) for row in gain_table(apart)] == [(0, None, None)]


@pytest.mark.slow
def test_the_gains_interval_covers_the_truth() -> None:
    chance = random.Random(3)
    covered = 0
    for _ in range(200):
        games = []
        for number in range(60):
            before, after = chance.random() < 0.4, chance.random() < 0.6
            games += [dialogue("correct" if before else "wrong", number=number, turns=2)]
            games += [dialogue("correct" if after else "wrong", number=number, turns=4)]
        [row] = gain_table(games)
        covered += row["low"] <= 0.2 <= row["high"]
    assert 175 <= covered <= 200


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
