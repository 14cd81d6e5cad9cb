"""Names: the tables, what they share, and what the generator promises of them."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chisquare

from evolif.contexts import tokenizer_name
from evolif.errors import ArgumentError, InputError
from evolif.scenarios.games import SubwordTokenizer, budget, generate, names, private_text, shared_rows
from evolif.scenarios.games.floors import stored_floor
from evolif.scenarios.games.names import TableMaker, TableSettings, measured_floor, read_pools, typical_row
from evolif.scenarios.games.tables import SIZES, draw_tables, fewest_near
from evolif.util.rng import Stream

INSTANCES = 150
installed = pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `games`")


@pytest.fixture(scope="module", params=SIZES)
def made(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return [generate("names", number, seed=2, n=request.param) for number in range(INSTANCES)]


def near(instance: dict[str, Any], player: int) -> int:
    """Rows of a table that share three or four values with a row of the other."""
    own, other = (instance["private"][at]["rows"] for at in (player, 1 - player))
    return sum(any(sum(a == b for a, b in zip(row, one, strict=True)) in (3, 4) for one in other) for row in own)


def test_exactly_one_row_is_in_both_and_the_keys_say_which(made: list[dict[str, Any]]) -> None:
    for instance in made:
        one, two = instance["private"]
        assert [[a, b] for a, row in enumerate(one["rows"], 1) for b, other in enumerate(two["rows"], 1)
                if row == other] == [instance["answer"]] == [instance["proof"]]  # fmt: skip
        assert shared_rows(one, two) == shared_rows(one["rows"], two["rows"]) == [instance["answer"]]
        assert instance["chance"] == 1 / len(one["rows"])


def test_tables_have_five_columns_the_name_first_and_no_row_twice(made: list[dict[str, Any]]) -> None:
    pools = read_pools()
    for instance in made:
        assert instance["private"][0]["columns"] == instance["private"][1]["columns"]
        for part in instance["private"]:
            assert part["columns"][0] == "name"
            assert len(set(part["columns"])) == 5
            assert len({tuple(row) for row in part["rows"]}) == len(part["rows"]) == instance["settings"]["n"]
            for column, values in zip(part["columns"], zip(*part["rows"], strict=True), strict=True):
                assert set(values) <= set(pools[column])


def test_no_value_of_any_row_stands_alone_in_its_table(made: list[dict[str, Any]]) -> None:
    for instance in made:
        for part in instance["private"]:
            for values in zip(*part["rows"], strict=True):
                assert min(Counter(values).values()) >= 2


def test_near_duplicates_are_as_many_as_the_settings_say(made: list[dict[str, Any]]) -> None:
    for instance in made:
        assert (
            min(near(instance, 0), near(instance, 1))
            >= instance["settings"]["near"]
            == -(-instance["settings"]["n"] // 3)
        )


@pytest.mark.parametrize(("n", "count"), [(9, 6), (16, 10), (25, 16)])
def test_more_near_duplicates_can_be_asked_for(n: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "measured_floor", lambda settings: 0.0)
    for number in range(5):
        instance = generate("names", number, seed=2, n=n, near=count)
        assert min(near(instance, 0), near(instance, 1)) >= count


@pytest.mark.slow
def test_tables_that_cannot_be_are_an_error() -> None:
    pools = [[f"{column}{value}" for value in range(20)] for column in "abcde"]
    with pytest.raises(ArgumentError, match="9 near-duplicates"):
        draw_tables(Stream(1), pools, 9, 9)


def test_near_duplicates_are_counted_by_equal_values() -> None:
    model = list("abcde")
    # The first rows are the shared one. Of the others of the first table, one shares 2 values, one 3, one 4.
    first = [model, list("abxyz"), list("abcyz"), list("abcdz")]
    second = [model, list("pqrst"), list("uvwmn"), list("ghijk")]
    assert fewest_near(first, second) == (0, 2)
    assert fewest_near(second, first) == (0, 2)
    assert fewest_near([model, list("abcde")], [model, list("pqrst")]) == (0, 0)  # five are too many


@pytest.mark.sampled
@pytest.mark.parametrize("n", SIZES)
def test_answers_are_uniform_and_independent_of_each_other(n: int) -> None:
    maker, settings = TableMaker(), TableSettings(n=n)
    answers = [maker.draw(Stream(9, number), settings).answer for number in range(1_000)]
    for player in (0, 1):
        counts = Counter(answer[player] for answer in answers)
        assert chisquare([counts[row] for row in range(1, n + 1)]).pvalue > 0.001
    gaps = Counter((answer[0] - answer[1]) % n for answer in answers)
    assert chisquare([gaps[gap] for gap in range(n)]).pvalue > 0.001


@pytest.mark.slow
def test_one_table_says_next_to_nothing(made: list[dict[str, Any]]) -> None:
    chance = made[0]["chance"]
    assert chance <= made[0]["floor"] <= chance + 0.05
    settings = TableSettings(n=made[0]["settings"]["n"])
    assert stored_floor("names", settings) == made[0]["floor"]
    # A rule of its own kind does no better: how many rows share each pair of the row's values.
    right = 0.0
    for instance in made:
        for part, answer in zip(instance["private"], instance["answer"], strict=True):
            pairs = [
                sum(sum(a == b for a, b in zip(row, other, strict=True)) ** 2 for other in part["rows"])
                for row in part["rows"]
            ]
            right += (pairs[answer - 1] == max(pairs)) / pairs.count(max(pairs))
    assert right / len(made) / 2 <= chance + 0.07


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
def test_the_stored_floor_is_the_measured_one(n: int) -> None:
    assert measured_floor(TableSettings(n=n), 1000) == stored_floor("names", TableSettings(n=n))


@installed
def test_a_table_cannot_be_read_out(made: list[dict[str, Any]]) -> None:
    if made[0]["settings"]["n"] == 9:
        return
    tokenizer = SubwordTokenizer()
    most = budget(256, 2)["tokens_per_player"]
    tokens = [len(tokenizer.spans(private_text(instance, player))) for instance in made for player in (0, 1)]
    assert min(tokens) >= 1.5 * most


def test_a_table_is_shown_as_csv_with_numbered_rows() -> None:
    instance = generate("names", 0, seed=2)
    text = private_text(instance, 1)
    assert text.endswith("\n")
    header, *rows = csv.reader(text.splitlines())
    assert header == ["row", *instance["private"][1]["columns"]]
    assert rows == [[str(at), *row] for at, row in enumerate(instance["private"][1]["rows"], 1)]


def test_every_pair_of_equal_rows_is_found_in_order() -> None:
    assert shared_rows([["a", 1], ["b", 2], ["a", 1]], [["b", 2], ["a", 1], ["a", 1]]) == [
        [1, 2], [1, 3], [2, 1], [3, 2], [3, 3],
    ]  # fmt: skip
    assert shared_rows([["a"]], [["a", "a"]]) == shared_rows([], [["a"]]) == []
    assert shared_rows([["A"]], [["a"]]) == []


@pytest.mark.parametrize("table", [None, "abc", 3, ["abc"], [{"a": 1}], [[["a"]]], {"columns": []}, [7]])
def test_what_is_no_table_is_refused(table: Any) -> None:
    for tables in ((table, []), ([], table)):
        with pytest.raises(ArgumentError):
            shared_rows(*tables)


def test_the_usual_row_is_the_one_with_the_commonest_values() -> None:
    assert typical_row([["a", "x"], ["b", "y"], ["b", "x"], ["b", "x"]]) == 2


def test_values_are_single_words_of_one_column_that_two_tokens_hold() -> None:
    pools = read_pools()
    assert len(pools) == 8
    assert all(value.isalpha() and value.isascii() for values in pools.values() for value in values)
    assert not set(pools) & {value.lower() for values in pools.values() for value in values}


@installed
def test_a_whole_row_fits_sixteen_tokens() -> None:
    tokenizer = SubwordTokenizer()
    for values in read_pools().values():
        for value, after in pairwise(values):
            assert len(tokenizer.spans(f"row 25: {value} {after}?")) == 6 + 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a", "8 columns"),
        ("name: [a]", "8 columns"),
        ("\n".join(f"{column}: [a]" for column in ["name", *"bcdefgh"]), "fewer than 20"),
        ("\n".join(f"{column}: {[f'v{at}' for at in range(20)]}" for column in ["name", *"bcdefgh"]), "twice"),
    ],
)  # fmt: skip
def test_a_file_of_values_that_breaks_the_rules_is_refused(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "people.yaml"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(names, "data_path", lambda *parts: file)
    with pytest.raises(InputError, match=message):
        read_pools.__wrapped__()
