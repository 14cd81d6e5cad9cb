"""Information gain, as the page states it: by hand, and against a second filter of candidates over random talk."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from evolif.errors import UsageError
from evolif.rng import Stream
from evolif.scenarios.games import generate, information_gain

Row = tuple[str, ...]


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    return generate("names", 0, seed=1)


def rows_of(instance: dict[str, Any], player: int) -> list[Row]:
    return [tuple(row) for row in instance["private"][player]["rows"]]


def values_of(instance: dict[str, Any], player: int, column: int) -> set[str]:
    return {row[column] for row in rows_of(instance, player)}


def missing(instance: dict[str, Any], player: int) -> tuple[int, str]:
    """A column, and a value of the partner's table that the player's does not hold."""
    found = [
        (column, value)
        for column in range(5)
        for value in sorted(values_of(instance, 1 - player, column) - values_of(instance, player, column))
    ]
    assert found, "every value is in both tables; take another seed"
    return found[0]


def shared(instance: dict[str, Any]) -> Row:
    return rows_of(instance, 0)[instance["answer"][0] - 1]


def left(instance: dict[str, Any], player: int, column: int, value: str) -> int:
    return sum(row[column] != value for row in rows_of(instance, player))


def closed(instance: dict[str, Any], player: int, column: int, values: set[str] | None = None) -> str:
    listed = values_of(instance, player, column) if values is None else values
    return f"{instance['private'][player]['columns'][column]}: {', '.join(sorted(listed))}; no others."


# By hand


def test_each_turn_has_a_row(names: dict[str, Any]) -> None:
    gains = information_gain(names, ["Hello there.", "Hello yourself!", "Well."])
    assert gains == [{"turn": turn, "bits": 0.0, "candidates": [16, 16], "false": 0, "unread": 1} for turn in (1, 2, 3)]
    assert information_gain(names, []) == []


def test_an_empty_turn_says_nothing(names: dict[str, Any]) -> None:
    (gain,) = information_gain(names, [""])
    assert gain == {"turn": 1, "bits": 0.0, "candidates": [16, 16], "false": 0, "unread": 0}


@pytest.mark.parametrize(
    "form",
    [
        "I have no {}.",
        "No {}.",
        "I do not have {}.",
        "I don't have {}.",
        "I don’t have {}.",
        "Nobody has {}.",
        "There is none with {}.",
        "My table is without {}.",
        "no {}",
        "I HAVE NOT {}!",
    ],
)
@pytest.mark.parametrize("speaker", [0, 1])
def test_what_the_speaker_lacks_rules_out_rows_of_the_listener(names: dict[str, Any], form: str, speaker: int) -> None:
    column, value = missing(names, speaker)
    gain = information_gain(names, [*[""] * speaker, form.format(value)])[-1]
    expected = [16, 16]
    expected[1 - speaker] = left(names, 1 - speaker, column, value)
    assert gain["candidates"] == expected
    assert gain["bits"] == pytest.approx(math.log2(16 / expected[1 - speaker]))
    assert (gain["false"], gain["unread"]) == (0, 0)


@pytest.mark.parametrize("change", [str.upper, str.lower, str.title])
def test_the_case_of_values_is_ignored(names: dict[str, Any], change: Any) -> None:
    column, value = missing(names, 0)
    (gain,) = information_gain(names, [f"I have no {change(value)}."])
    assert gain["candidates"] == [16, left(names, 1, column, value)]


def test_a_value_is_a_whole_word(names: dict[str, Any]) -> None:
    _, value = missing(names, 0)
    (gain,) = information_gain(names, [f"I have no {value}x."])
    assert (gain["candidates"], gain["unread"]) == ([16, 16], 1)


def test_a_false_denial_is_counted_and_not_applied(names: dict[str, Any]) -> None:
    (gain,) = information_gain(names, [f"I have no {shared(names)[0]}."])
    assert (gain["candidates"], gain["false"], gain["unread"]) == ([16, 16], 1, 0)


def test_a_false_claim_is_counted(names: dict[str, Any]) -> None:
    _, value = missing(names, 0)
    (gain,) = information_gain(names, [f"I have {value}."])
    assert (gain["candidates"], gain["false"], gain["unread"]) == ([16, 16], 1, 0)


def test_a_true_claim_of_few_values_rules_nothing_out(names: dict[str, Any]) -> None:
    row = shared(names)
    (gain,) = information_gain(names, [f"I have {row[0]} with {row[1]}."])
    assert (gain["candidates"], gain["bits"], gain["false"], gain["unread"]) == ([16, 16], 0.0, 0, 0)


def test_values_of_different_columns_are_one_row(names: dict[str, Any]) -> None:
    """Both values are in the table, but in no row together."""
    rows = rows_of(names, 0)
    first, second = next(
        (one[0], two[1]) for one in rows for two in rows if not any(row[:2] == (one[0], two[1]) for row in rows)
    )
    (gain,) = information_gain(names, [f"I have {first} with {second}."])
    assert (gain["false"], gain["unread"]) == (1, 0)


def test_values_of_one_column_are_separate_claims(names: dict[str, Any]) -> None:
    first, second = sorted(values_of(names, 0, 0))[:2]
    (gain,) = information_gain(names, [f"I have {first} and {second}."])
    assert (gain["false"], gain["unread"]) == (0, 0)


def test_lacking_a_pair_rules_out_rows_with_both(names: dict[str, Any]) -> None:
    rows, own = rows_of(names, 1), rows_of(names, 0)
    pair = next(row[:2] for row in rows if not any(mine[:2] == row[:2] for mine in own))
    (gain,) = information_gain(names, [f"I have no {pair[0]} with {pair[1]}."])
    assert gain["candidates"] == [16, sum(row[:2] != pair for row in rows)]


@pytest.mark.parametrize("form", ["{}, {}, {}, {}, {}.", "I have {} {} {} {} {}", "Is it {}, {}, {}, {}, {}?"])
def test_a_proposal_of_the_shared_row_leaves_that_row_alone(names: dict[str, Any], form: str) -> None:
    (gain,) = information_gain(names, [form.format(*shared(names))])
    assert (gain["candidates"], gain["bits"], gain["false"], gain["unread"]) == ([16, 1], 4.0, 0, 0)


def test_a_proposal_of_another_own_row_rules_nothing_out(names: dict[str, Any]) -> None:
    other = next(row for row in rows_of(names, 0) if row != shared(names))
    (gain,) = information_gain(names, [", ".join(other) + "."])
    assert (gain["candidates"], gain["false"], gain["unread"]) == ([16, 16], 0, 0)


def test_a_proposal_that_is_no_own_row_is_false(names: dict[str, Any]) -> None:
    other = next(row for row in rows_of(names, 1) if row != shared(names))
    (gain,) = information_gain(names, [", ".join(other) + "."])
    assert (gain["candidates"], gain["false"]) == ([16, 16], 1)


@pytest.mark.parametrize("column", range(5))
def test_a_closed_column_leaves_rows_with_its_values(names: dict[str, Any], column: int) -> None:
    (gain,) = information_gain(names, [closed(names, 0, column)])
    listed = values_of(names, 0, column)
    assert gain["candidates"] == [16, sum(row[column] in listed for row in rows_of(names, 1))]
    assert (gain["false"], gain["unread"]) == (0, 0)


@pytest.mark.parametrize("wrong", ["one too few", "one too many"])
def test_a_closed_column_with_another_list_is_false(names: dict[str, Any], wrong: str) -> None:
    column, value = missing(names, 0)
    listed = values_of(names, 0, column)
    other = listed | {value} if wrong == "one too many" else listed - {sorted(listed)[0]}
    (gain,) = information_gain(names, [closed(names, 0, column, other)])
    assert (gain["candidates"], gain["false"]) == ([16, 16], 1)


def test_a_question_alone_rules_nothing_out(names: dict[str, Any]) -> None:
    _, value = missing(names, 1)
    (gain,) = information_gain(names, [f"Do you have {value}?"])
    assert gain == {"turn": 1, "bits": 0.0, "candidates": [16, 16], "false": 0, "unread": 0}


@pytest.mark.parametrize("answer", ["No.", "no", "No!", "NO."])
def test_a_bare_no_denies_what_was_asked(names: dict[str, Any], answer: str) -> None:
    column, value = missing(names, 1)
    gain = information_gain(names, [f"Do you have {value}?", answer])[1]
    assert gain["candidates"] == [left(names, 0, column, value), 16]
    assert (gain["false"], gain["unread"]) == (0, 0)


def test_a_bare_yes_claims_what_was_asked(names: dict[str, Any]) -> None:
    _, value = missing(names, 1)
    false = information_gain(names, [f"Do you have {value}?", "Yes."])[1]
    true = information_gain(names, [f"Do you have {shared(names)[2]}?", "Yes."])[1]
    assert [false["false"], true["false"], false["unread"], true["unread"]] == [1, 0, 0, 0]


def test_a_false_no_is_counted(names: dict[str, Any]) -> None:
    gain = information_gain(names, [f"Do you have {shared(names)[2]}?", "No."])[1]
    assert (gain["candidates"], gain["false"]) == ([16, 16], 1)


def test_selecting_a_row_is_unread(names: dict[str, Any]) -> None:
    (gain,) = information_gain(names, ["SELECT ROW 3"])
    assert (gain["candidates"], gain["unread"]) == ([16, 16], 1)


def test_sentences_end_at_marks_before_white_space_and_at_line_breaks(names: dict[str, Any]) -> None:
    (gain,) = information_gain(names, ["Hello there. How are you? Fine! Well\nGood 3.5 night"])
    assert gain["unread"] == 5


def test_false_and_unread_are_of_one_turn(names: dict[str, Any]) -> None:
    lie = f"I have no {shared(names)[0]}."
    gains = information_gain(names, [f"{lie} Hello. {lie}", "Hi.", lie])
    assert [(gain["false"], gain["unread"]) for gain in gains] == [(2, 1), (0, 1), (1, 0)]


def test_saying_it_again_gains_nothing(names: dict[str, Any]) -> None:
    _, value = missing(names, 0)
    gains = information_gain(names, [f"No {value}.", "", f"No {value}."])
    assert gains[0]["bits"] > 0 and gains[2]["bits"] == 0
    assert gains[2]["candidates"] == gains[0]["candidates"]


@pytest.mark.parametrize("game", ["scenes", "questions"])
def test_it_is_a_measure_of_names_only(game: str) -> None:
    with pytest.raises(UsageError):
        information_gain(generate(game, 0, seed=1), ["Hello."])


# A second filter over random talk


class Talk:
    """Says sentences of plain forms at random, and keeps count by the rules of the page."""

    def __init__(self, instance: dict[str, Any], stream: Stream) -> None:
        self.instance, self.stream = instance, stream
        self.rows = [rows_of(instance, 0), rows_of(instance, 1)]
        self.candidates = [set(rows) for rows in self.rows]
        self.asked: frozenset[str] = frozenset()
        self.false = self.unread = 0

    def deny(self, speaker: int, values: frozenset[str]) -> None:
        if any(values <= set(row) for row in self.rows[speaker]):
            self.false += 1
        else:
            self.candidates[1 - speaker] = {row for row in self.candidates[1 - speaker] if not values <= set(row)}

    def claim(self, speaker: int, values: frozenset[str]) -> None:
        if not any(values <= set(row) for row in self.rows[speaker]):
            self.false += 1
        elif len(values) == 5:
            own = {row for row in self.rows[1 - speaker] if set(row) == values}
            self.candidates[1 - speaker] = own & self.candidates[1 - speaker] if own else self.candidates[1 - speaker]

    def close(self, speaker: int, column: int, values: set[str]) -> None:
        if values != {row[column] for row in self.rows[speaker]}:
            self.false += 1
        else:
            other = self.candidates[1 - speaker]
            self.candidates[1 - speaker] = {row for row in other if row[column] in values}

    def some(self, count: int) -> frozenset[str]:
        """Values of different columns, of one row or of several."""
        row = self.stream.choice(self.rows[self.stream.choice([0, 1])])
        other = self.stream.choice(self.rows[self.stream.choice([0, 1])])
        columns = self.stream.sample(range(5), count)
        mixed = self.stream.choice([False, True])
        return frozenset((other if mixed and spot else row)[column] for spot, column in enumerate(columns))

    def sentence(self, speaker: int) -> str:
        kind = self.stream.choice(["claim", "deny", "deny", "deny two", "ask", "propose", "close", "lie", "chat"])
        if kind == "claim":
            values = self.some(self.stream.choice([1, 2, 3]))
            self.claim(speaker, values)
            return f"I have someone with {' and '.join(sorted(values))}."
        if kind.startswith("deny"):
            values = self.some(2 if kind == "deny two" else 1)
            self.deny(speaker, values)
            return f"I have nobody with {' and '.join(sorted(values))}."
        if kind == "ask":
            self.asked = self.some(self.stream.choice([1, 2]))
            return f"Do you have {' with '.join(sorted(self.asked))}?"
        if kind == "propose":
            row = self.stream.choice(self.rows[speaker])
            self.claim(speaker, frozenset(row))
            return f"Perhaps {', '.join(row)}."
        if kind == "chat":
            self.unread += 1
            return "Let us go on."
        column = self.stream.choice(range(5))
        values = {row[column] for row in self.rows[speaker if kind == "close" else 1 - speaker]}
        self.close(speaker, column, values)
        return f"{self.instance['private'][0]['columns'][column]}: {', '.join(sorted(values))}; no others."

    def turns(self, count: int) -> Iterator[tuple[str, dict[str, Any]]]:
        for turn in range(1, count + 1):
            speaker = (turn - 1) % 2
            before, self.false, self.unread = len(self.candidates[1 - speaker]), 0, 0
            said, pending, self.asked = [], self.asked, frozenset()
            if pending:
                agree = self.stream.choice([False, True])
                (self.claim if agree else self.deny)(speaker, pending)
                said.append("Yes." if agree else "No.")
            for _ in range(self.stream.choice([1, 2])):
                said.append(self.sentence(speaker))
                if self.asked:  # a question is the last sentence of its turn, so that yes and no are plain
                    break
            counts = [len(self.candidates[0]), len(self.candidates[1])]
            bits = math.log2(before / counts[1 - speaker])
            yield (
                " ".join(said),
                {"turn": turn, "bits": bits, "candidates": counts, "false": self.false, "unread": self.unread},
            )


@pytest.mark.parametrize("n", [9, 16, 25])
@pytest.mark.parametrize("seed", range(20))
def test_gains_agree_with_a_second_filter(n: int, seed: int) -> None:
    instance = generate("names", seed, seed=77, n=n)
    talk = list(Talk(instance, Stream(seed, n)).turns(10))
    gains = information_gain(instance, [text for text, _ in talk])
    for gain, (text, expected) in zip(gains, talk, strict=True):
        assert gain["bits"] == pytest.approx(expected["bits"], abs=1e-9), text
        assert {**gain, "bits": 0} == {**expected, "bits": 0}, text


@pytest.mark.parametrize("seed", range(10))
def test_bits_of_a_listener_add_up_to_its_candidates(seed: int) -> None:
    instance = generate("names", seed, seed=78)
    gains = information_gain(instance, [text for text, _ in Talk(instance, Stream(seed, 5)).turns(12)])
    for listener in (0, 1):
        bits = sum(gain["bits"] for gain in gains if gain["turn"] % 2 == listener)
        # Player 1 listens in the even turns, player 2 in the odd ones.
        assert bits == pytest.approx(math.log2(16 / gains[-1]["candidates"][listener]))
    assert all(count >= 1 for gain in gains for count in gain["candidates"])
