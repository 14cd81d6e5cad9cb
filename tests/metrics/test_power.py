"""Effect size, and dialogues needed."""

import math
import random
from functools import partial
from statistics import NormalDist, fmean, stdev

import pytest
from sessions_by_hand import play

from evolif.metrics import PROCESS, counted_sessions, dialogue_rows
from evolif.metrics.compare import dialogues_needed as needed_of
from evolif.metrics.compare import effect_size as effect_of

effect_size, dialogues_needed = partial(effect_of, PROCESS), partial(needed_of, PROCESS)
Z = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)


def rows(*talks):
    sessions = [play(d, talk, "censored", patience=99) for d, talk in enumerate(talks)]
    return list(dialogue_rows(PROCESS, counted_sessions(sessions)).values())


def test_by_hand():
    a, b = rows("1 1 1", "1 1", "1 1 1 1 1 1"), rows("1", "1 1", "1 1 1 1")
    differences = [2, 0, 2]
    d_z = fmean(differences) / stdev(differences)
    assert effect_size(a, b, "edr_len") == pytest.approx(d_z)
    assert effect_size(b, a, "edr_len") == pytest.approx(-d_z)
    assert dialogues_needed(a, b, "edr_len") == dialogues_needed(b, a, "edr_len") == math.ceil((Z / d_z) ** 2) == 6


def test_rates_of_a_dialogue_are_its_own():
    a, b = rows("1 1 0 0", "1 0", "0 1"), rows("0 0", "1 1", "0 0 0 1")
    assert effect_size(a, b, "isr") == pytest.approx(fmean([0.5, -0.5, 0.25]) / stdev([0.5, -0.5, 0.25]))
    # REC: only the third has failed turns with a turn after them on both sides, but for the first.
    assert effect_size(a, b, "rec") == pytest.approx(fmean([0 - 0, 1 - 1 / 3]) / stdev([0, 2 / 3]))


def test_undefined():
    a, b = rows("1 1", "1 1"), rows("1", "1")
    assert effect_size(a, b, "edr_len") is None  # all differ alike
    assert dialogues_needed(a, b, "edr_len") == 2
    assert effect_size(a, a, "edr_len") is dialogues_needed(a, a, "edr_len") is None
    assert effect_size(a[:1], b[:1], "edr_len") is dialogues_needed(a[:1], b[:1], "edr_len") is None
    assert effect_size(a, b, "rec") is dialogues_needed(a, b, "rec") is None
    assert effect_size([], [], "rob") is dialogues_needed([], [], "rob") is None


def test_no_difference_in_the_mean_needs_no_number():
    a, b = rows("1 1", "1"), rows("1", "1 1")
    assert effect_size(a, b, "edr_len") == 0
    assert dialogues_needed(a, b, "edr_len") is None


def test_so_many_dialogues_do_find_the_difference():
    """Four of five times, by drawing so many of a large population of paired dialogues."""
    chance = random.Random(4)

    def talk(skill):
        return " ".join("1" if chance.random() < skill else "0" for _ in range(chance.randint(4, 12)))

    hard = [chance.random() * 0.5 for _ in range(300)]
    a, b = rows(*(talk(h + 0.42) for h in hard)), rows(*(talk(h + 0.3) for h in hard))
    for metric in ("edr_succ", "isr"):
        needed = dialogues_needed(a, b, metric)
        found = sum(tells(a, b, metric, [chance.randrange(300) for _ in range(needed)]) for _ in range(400))
        assert found / 400 == pytest.approx(0.8, abs=0.08), metric


def tells(a, b, metric, drawn):
    """Whether the difference over the drawn dialogues is 1.96 of its jackknife errors from 0."""
    top, bottom = PROCESS.places(metric)
    sides = [[(side[n][top], side[n][bottom]) for n in drawn] for side in (a, b)]
    tops, bottoms = ([sum(row[end] for row in side) for side in sides] for end in (0, 1))

    def difference(n):
        one, other = (
            (tops[s] - (sides[s][n][0] if n is not None else 0))
            / (bottoms[s] - (sides[s][n][1] if n is not None else 0))
            for s in (0, 1)
        )
        return one - other

    parts = [difference(n) for n in range(len(drawn))]
    error = math.sqrt((len(drawn) - 1) * sum((p - fmean(parts)) ** 2 for p in parts) / len(drawn))
    return abs(difference(None)) > 1.96 * error
