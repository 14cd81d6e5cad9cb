"""Problems: five different options, letters that tell nothing, no problem twice, no sport."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import pytest
from unrelated_words import SPORT_WORDS, league_names

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.problem_template import PEOPLE, SHOPPING, Template, clock, duration, money, ordinal
from evolif.scenarios.broadcast.problems import CAPACITY, LETTERS, TEMPLATES, place_of_problem, problem

SEED = 7


@cache
def many() -> list[Any]:
    return [problem(number, seed=SEED) for number in range(20_000)]


@pytest.mark.slow
def test_a_problem_has_five_different_options_of_which_one_is_right() -> None:
    for number, made in enumerate(many()):
        template, index = place_of_problem(number, SEED)
        text, right, wrong = template.fill(index)
        assert made["text"] == text
        assert list(made["options"]) == list(LETTERS)
        assert len(set(made["options"].values())) == len(LETTERS)
        assert made["options"][made["letter"]] == right
        assert set(made["options"].values()) - {right} == set(wrong.values())


def test_letters_are_uniform() -> None:
    stats = pytest.importorskip("scipy.stats")
    counts = Counter(made["letter"] for made in many())
    assert set(counts) == set(LETTERS)
    assert stats.chisquare(list(counts.values())).pvalue > 0.01


def test_no_letter_is_likelier_for_a_kind_of_problem_or_after_another() -> None:
    stats = pytest.importorskip("scipy.stats")
    letters = [made["letter"] for made in many()]
    follow = Counter(pairwise(letters))
    assert stats.chisquare([follow[one, two] for one in LETTERS for two in LETTERS]).pvalue > 0.01
    kinds = Counter((place_of_problem(number, SEED)[0].name, letter) for number, letter in enumerate(letters))
    table = [[kinds[template.name, letter] for letter in LETTERS] for template in TEMPLATES]
    assert stats.chi2_contingency(table).pvalue > 0.01


def test_the_size_of_an_option_tells_little() -> None:
    """Who always takes the option in the middle, or at an end, must not do well."""
    ranks: Counter[int] = Counter()
    for made in many():
        values = {letter: _first_number(text) for letter, text in made["options"].items()}
        ranks[sorted(LETTERS, key=values.__getitem__).index(made["letter"])] += 1
    assert max(ranks.values()) / len(many()) < 0.45
    assert min(ranks.values()) / len(many()) > 0.05


def test_no_problem_comes_twice() -> None:
    texts = {made["text"] for made in many()}
    assert len(texts) == len(many())
    assert (
        CAPACITY >= 2_100_000
    )  # 21 for each number of a match, twelve in basketball and nine in hockey, and 100,000 matches


@pytest.mark.slow
def test_no_problem_comes_twice_in_a_quarter_of_a_million() -> None:
    texts = {blake2b(problem(number, seed=SEED)["text"].encode(), digest_size=12).digest() for number in range(250_001)}
    assert len(texts) == 250_001


def test_templates_come_once_in_each_round() -> None:
    rounds = len(TEMPLATES)
    for start in (0, rounds, 50 * rounds):
        names = [place_of_problem(number, SEED)[0].name for number in range(start, start + rounds)]
        assert sorted(names) == sorted(template.name for template in TEMPLATES)
    orders = {tuple(place_of_problem(turn * rounds + at, SEED)[0].name for at in range(3)) for turn in range(40)}
    assert len(orders) > 30


@pytest.mark.sampled
@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_every_combination_of_a_template_is_another_problem(template: Template) -> None:
    indexes = range(0, template.size, max(1, template.size // 2_000))
    values = {tuple(template.values(index).values()) for index in indexes}
    assert len(values) == len(indexes)
    assert len({template.fill(index)[0] for index in indexes}) == len(indexes)
    for parameter, options in template.parameters.items():
        assert len(set(options)) == len(options), parameter
    last = template.values(template.size - 1)
    assert all(last[parameter] == options[-1] for parameter, options in template.parameters.items())


@pytest.mark.slow
@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_every_text_of_a_template_is_another(template: Template) -> None:
    size = min(template.size, 50_000)
    assert len({template.fill(index)[0] for index in range(size)}) == size


def test_wrong_options_come_from_named_mistakes() -> None:
    wrong = [name for number in range(0, 20_000, 7) for name in _wrong(number)]
    slips = sum("×" in name for name in wrong)
    assert slips / len(wrong) < 0.02
    for template in TEMPLATES:
        names = {name for at in range(200) for name in template.fill(at * (template.size // 200))[2]}
        assert len({name for name in names if "×" not in name}) >= 4, template.name


def _wrong(number: int) -> dict[str, str]:
    template, index = place_of_problem(number, SEED)
    return template.fill(index)[2]


def test_nothing_is_negative_or_left_open() -> None:
    for made in many():
        assert "{" not in made["text"] and "}" not in made["text"]
        assert made["text"].endswith("?") and 10 < len(made["text"]) < 300
        assert not any("-" in option or not re.search(r"[0-9]|day$", option) for option in made["options"].values())
        assert not any(re.search(r"\b1 [a-z]+(?<!s)s\b", shown) for shown in (made["text"], *made["options"].values()))


def test_problems_are_of_everyday_matters() -> None:
    words = {word.lower() for made in many() for word in re.findall("[A-Za-z]+", made["text"])}
    assert words & SPORT_WORDS == set()
    assert {name.title() for name in words} & league_names() == set()
    assert not set(PEOPLE) & league_names() and len(set(PEOPLE)) == len(PEOPLE) and len(set(SHOPPING)) == len(SHOPPING)


def test_problems_are_pure() -> None:
    text = json.dumps([problem(number, seed=SEED) for number in (*range(100), 10**6, 10**40)])
    assert text == json.dumps([problem(number, seed=SEED) for number in (*range(100), 10**6, 10**40)])
    assert problem(0, seed=SEED) != problem(0, seed=SEED + 1)


def test_one_problem_by_hand() -> None:
    [template] = [template for template in TEMPLATES if template.name == "laundry"]
    index = next(index for index in range(template.size) if "washes 3 loads" in template.fill(index)[0])
    text, right, wrong = template.fill(index)
    assert "Each runs for 38 minutes" in text and "takes 4 minutes" in text
    assert right == "122 minutes"  # 38 + 4 + 38 + 4 + 38
    assert wrong == {
        "one change too many": "126 minutes",
        "forgot the changes": "114 minutes",
        "counted one change only": "118 minutes",
        "one load too few": "84 minutes",
    }


def test_how_results_are_written() -> None:
    assert [money(5), money(435), money(124_000)] == ["$0.05", "$4.35", "$1,240.00"]
    assert [clock(0), clock(245), clock(720), clock(1505)] == ["12:00 a.m.", "4:05 a.m.", "12:00 p.m.", "1:05 a.m."]
    assert [duration(1), duration(60), duration(125)] == ["1 minute", "1 hour", "2 hours 5 minutes"]
    assert [
        ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)
    ] == "1st 2nd 3rd 4th 11th 12th 13th 21st 112th".split()


@pytest.mark.parametrize("arguments", [(-1, 0), (0, -1), (True, 0), (1.5, 0), ("3", 0), (None, 0), (0, None)])
def test_bad_arguments(arguments: tuple[Any, Any]) -> None:
    with pytest.raises(ArgumentError):
        problem(arguments[0], seed=arguments[1])


def _first_number(option: str) -> float:
    """What an option says, as a number: times of day in minutes, days of the week in order."""
    if (found := re.fullmatch(r"(\d+):(\d\d) ([ap])\.m\.", option)) is not None:
        return int(found[1]) % 12 * 60 + int(found[2]) + 720 * (found[3] == "p")
    if option.endswith("day"):
        return "MonTueWedThuFriSatSun".index(option[:3])
    hours, minutes = re.search(r"([\d,.]+) hour", option), re.search(r"([\d,.]+) minute", option)
    if hours is not None:
        return 60 * float(hours[1]) + (float(minutes[1]) if minutes else 0)
    numbers = re.findall(r"\d[\d,]*(?:\.\d+)?", option)
    return float(numbers[0].replace(",", ""))
