"""How often the 95 % intervals of games and broadcasts hold the true value, and how often equal models are told apart.

    python benchmarks/coverage_scenarios.py [--runs 400] [--seed 1]

Prints tables as Markdown, coverage in per cent with the median width in points. The responders are simulated without
text. Models share the difficulty of an instance or of a match (normal on the logit scale) and have one of their own
(standard deviation .3), the same with any number of turns and in all epochs. The intervals are those of reports. One
table says so by its name: what the same runs would have if dialogues were taken as independent.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from evolif.metrics import Interval, MetricTable, pair_test
from evolif.metrics.statistics import wilson
from evolif.scenarios.broadcast.error_streaks import pile_up_of
from evolif.scenarios.broadcast.means import Category, difference_interval, mean_interval
from evolif.scenarios.games.figures import accuracy_interval, gain_table
from evolif.scenarios.games.results import TABLE

SIZES = (6, 10, 20, 50)
BUDGETS = (2, 4, 8, 16)
OWN = 0.3
"""Standard deviation of what is hard for one model only, in logits."""
MATCH_SPREAD = 0.5
"""The same of what is hard for all models, in broadcasts."""
TURNS = 12
"""Judged turns of a match."""
DRAWS = (0, 2000)
_SCORE = MetricTable(("score", "matches"), lambda session: (0.0, 0.0), {"score": ("score", "matches")})

Draw = Callable[[np.random.Generator, int], Interval | None]
"""From a stream and a number of clusters to an interval."""


class Player(NamedTuple):
    """One that gets an instance right with some probability, at each number of turns; 0.5 is a logit of 0."""

    name: str
    success: tuple[float, float, float, float]
    spread: float
    """Standard deviation of the difficulty of instances, in logits."""


PLAYERS = (
    Player("middling", (0.5, 0.55, 0.6, 0.65), 0.5),
    Player("middling, instances far apart", (0.5, 0.55, 0.6, 0.65), 2.0),
    Player("falls with turns", (0.8, 0.75, 0.7, 0.6), 0.5),
    Player("strong", (0.9, 0.92, 0.95, 0.97), 0.5),
    Player("near perfect", (0.98, 0.985, 0.99, 0.995), 0.5),
    Player("near perfect, instances far apart", (0.98, 0.985, 0.99, 0.995), 2.0),
)

CATEGORIES: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("middling", (0.3, 0.5, 0.6, 0.8)),
    ("mostly full marks", (0.95, 0.97, 0.98, 0.99)),
    ("nearly all full marks", (0.99, 0.995, 0.995, 0.998)),
    ("full marks but in one category", (0.99, 0.99, 0.99, 0.5)),
)
"""The probability of a right turn in each category."""


def logit(share: float) -> float:
    """Of a probability."""
    return float(np.log(share / (1 - share)))


def mean_share(success: float, spread: float) -> float:
    """The mean probability over all difficulties, by Gauss and Hermite."""
    places, weights = np.polynomial.hermite_e.hermegauss(60)
    chances = 1 / (1 + np.exp(-(logit(success) + spread * places)))
    return float((weights * chances).sum() / weights.sum())


def coverage(chance: Sequence[int], size: int, runs: int, draw: Draw, truth: float) -> str:
    """How many intervals hold the truth, and their median width; how many have no width, if any."""
    found = [draw(np.random.default_rng([*chance, size, run]), size) for run in range(runs)]
    known = [ends for ends in found if ends is not None]
    held = sum(low - 1e-12 <= truth <= high + 1e-12 for low, high in known)
    flat = sum(high - low < 1e-9 for low, high in known)
    width = 100 * float(np.median([high - low for low, high in known]))
    return f"{100 * held / len(known):.1f} ({width:.0f}{f'; {flat} without width' if flat else ''})"


def table(head: str, rows: Sequence[tuple[str, Callable[[int], str]]]) -> str:
    """A table with a column for each number of clusters."""
    lines = [f"| {head} | {' | '.join(f'n = {size}' for size in SIZES)} |", f"|---{'|---' * len(SIZES)}|"]
    lines += [f"| {name} | {' | '.join(cell(size) for size in SIZES)} |" for name, cell in rows]
    return "\n".join(lines) + "\n"


# Games.


def successes(player: Player, difficulty: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Of each instance and number of turns the probability of a right answer."""
    own = difficulty + OWN * chance.standard_normal(len(difficulty))
    return 1 / (1 + np.exp(-(np.array([logit(one) for one in player.success]) + own[:, None])))


def answers(player: Player, size: int, epochs: int, chance: np.random.Generator) -> np.ndarray:
    """Whether a model is right in each epoch, instance and number of turns."""
    known = successes(player, player.spread * chance.standard_normal(size), chance)
    return chance.random((epochs, *known.shape)) < known


def dialogues(right: np.ndarray, places: Sequence[int] = range(len(BUDGETS))) -> list[dict[str, Any]]:
    """The same at some numbers of turns, in the form that tables of accuracy read."""
    return [
        {
            "instance": {"game": "names", "number": number},
            "turns": [],
            "final": {"reason": "correct" if right[epoch, number, place] else "wrong"},
            "turn_budget": BUDGETS[place],
            "pair": [],
            "modality": "text",
        }
        for epoch in range(right.shape[0])
        for number in range(right.shape[1])
        for place in places
    ]


def _overall(player: Player, epochs: int) -> Draw:
    return lambda chance, size: accuracy_interval(dialogues(answers(player, size, epochs, chance)))


def _by_dialogue(player: Player, epochs: int) -> Draw:
    def draw(chance: np.random.Generator, size: int) -> Interval:
        right = answers(player, size, epochs, chance)
        return wilson(float(right.mean()), right.size)

    return draw


def _at_two_turns(player: Player, epochs: int) -> Draw:
    return lambda chance, size: accuracy_interval(dialogues(answers(player, size, epochs, chance), (0,)))


def _gain(player: Player, epochs: int) -> Draw:
    def draw(chance: np.random.Generator, size: int) -> Interval | None:
        [row] = gain_table(dialogues(answers(player, size, epochs, chance), (0, len(BUDGETS) - 1)))
        return None if row["low"] is None or row["high"] is None else (row["low"], row["high"])

    return draw


def told_apart(player: Player, epochs: int, chance: Sequence[int], size: int, runs: int) -> str:
    """How often p is at most .05 between two models that are equally good."""
    found = 0
    for run in range(runs):
        stream = np.random.default_rng([*chance, size, run])
        difficulty = player.spread * stream.standard_normal(size)
        rows = []
        for _ in range(2):
            right = stream.binomial(epochs, successes(player, difficulty, stream)).sum(axis=1)
            rest = (0.0,) * (len(TABLE.terms) - 2)
            rows.append([(float(own), float(epochs * len(BUDGETS)), *rest) for own in right])
        p = pair_test(TABLE, rows[0], rows[1], "accuracy").p
        found += p is not None and p <= 0.05
    return f"{100 * found / runs:.1f}"


def _true_accuracy(player: Player) -> list[float]:
    spread = float(np.hypot(player.spread, OWN))
    return [mean_share(one, spread) for one in player.success]


def game_tables(runs: int, seed: int) -> Iterator[str]:
    """Accuracy over all turn budgets and at one, equal models, what turns gain."""
    kinds: tuple[tuple[str, Callable[[Player, int], Draw], Callable[[list[float]], float]], ...] = (
        ("Accuracy over four turn budgets; instances", _overall, lambda values: float(np.mean(values))),
        ("The same, dialogues taken as independent (Wilson)", _by_dialogue, lambda values: float(np.mean(values))),
        ("Accuracy with two turns; instances", _at_two_turns, lambda values: values[0]),
        ("Gain from 2 to 16 turns; instances", _gain, lambda values: values[-1] - values[0]),
    )
    for number, (head, draw_of, truth_of) in enumerate(kinds):
        rows = []
        for at, player in enumerate(PLAYERS):
            truth = truth_of(_true_accuracy(player))
            for epochs in (1, 4):
                draw = draw_of(player, epochs)
                key = (seed, number, at, epochs)
                rows.append((f"{player.name}, {epochs} epoch{'s' * (epochs > 1)}", _cell(key, runs, draw, truth)))
        yield table(head, rows)
    rows = [
        (f"{player.name}, {epochs} epoch{'s' * (epochs > 1)}", _told_apart(player, epochs, (seed, 9, at, epochs), runs))
        for at, player in enumerate(PLAYERS)
        for epochs in (1, 4)
    ]
    yield table("Equal models: p ≤ .05 in so many %; instances", rows)


def _cell(key: Sequence[int], runs: int, draw: Draw, truth: float) -> Callable[[int], str]:
    return lambda size: coverage(key, size, runs, draw, truth)


def _told_apart(player: Player, epochs: int, key: Sequence[int], runs: int) -> Callable[[int], str]:
    return lambda size: told_apart(player, epochs, key, size, runs)


# Broadcasts.


def category(
    success: float, size: int, chance: np.random.Generator, *, turns: int = TURNS, epochs: int = 1, first: int = 0
) -> Category:
    """Matches of one category: the shares of right turns of all epochs, added up, and how many these are."""
    difficulty = np.hypot(MATCH_SPREAD, OWN) * chance.standard_normal(size)
    known = 1 / (1 + np.exp(-(logit(success) + difficulty)))
    shares = (chance.binomial(turns, known, size=(epochs, size)) / turns).sum(axis=0)
    return {first + match: (float(share), float(epochs)) for match, share in enumerate(shares)}


def _true_share(success: float) -> float:
    return mean_share(success, float(np.hypot(MATCH_SPREAD, OWN)))


def _mean_of(levels: Sequence[float], epochs: int, unequal: bool) -> Draw:
    def draw(chance: np.random.Generator, size: int) -> Interval | None:
        sizes = [size, *((2 * size if unequal else size) for _ in levels[1:])]
        own = [
            category(level, number, chance, epochs=epochs, first=1000 * at)
            for at, (level, number) in enumerate(zip(levels, sizes, strict=True))
        ]
        return mean_interval(own, DRAWS)

    return draw


def _alone(level: float, turns: int) -> Draw:
    return lambda chance, size: mean_interval([category(level, size, chance, turns=turns)], DRAWS)


def _difference(one: float, other: float) -> Draw:
    return lambda chance, size: difference_interval(
        category(one, size, chance), category(other, size, chance, first=1000), DRAWS
    )


def _variants(one: float, other: float) -> Draw:
    """Two variants of the same matches."""

    def draw(chance: np.random.Generator, size: int) -> Interval | None:
        shared = MATCH_SPREAD * chance.standard_normal(size)
        rows = []
        for level in (one, other):
            own = logit(level) + shared + OWN * chance.standard_normal(size)
            rows.append([(float(share), 1.0) for share in chance.binomial(TURNS, 1 / (1 + np.exp(-own))) / TURNS])
        return pair_test(_SCORE, rows[0], rows[1], "score").interval

    return draw


def piled(success: float, sticky: float, size: int, chance: np.random.Generator) -> np.ndarray:
    """Of each match: wrong turns after a wrong one, all of these, and the same after a right one."""
    difficulty = np.hypot(MATCH_SPREAD, OWN) * chance.standard_normal(size)
    own, counts = logit(success) + difficulty, np.zeros((size, 4))
    wrong = chance.random(size) >= 1 / (1 + np.exp(-own))
    for _ in range(TURNS - 1):
        now = chance.random(size) >= 1 / (1 + np.exp(-(own - sticky * wrong)))
        counts += np.stack([wrong & now, wrong, ~wrong & now, ~wrong], axis=1)
        wrong = now
    return counts


def _piled(success: float, sticky: float) -> Draw:
    def draw(chance: np.random.Generator, size: int) -> Interval | None:
        return pile_up_of(
            [(row[0], row[1], row[2], row[3]) for row in piled(success, sticky, size, chance).tolist()]
        ).interval

    return draw


def _true_pile(success: float, sticky: float, seed: int) -> float:
    sums = piled(success, sticky, 400_000, np.random.default_rng([seed, 99])).sum(axis=0)
    return float(sums[0] / sums[1] - sums[2] / sums[3])


def broadcast_tables(runs: int, seed: int) -> Iterator[str]:
    """All categories together, one near 1, differences."""
    rows = []
    for at, (name, levels) in enumerate(CATEGORIES):
        truth = float(np.mean([_true_share(level) for level in levels]))
        for kind, epochs, unequal in (("", 1, False), (", 4 epochs", 4, False), (", others of 2 n", 1, True)):
            draw = _mean_of(levels, epochs, unequal)
            rows.append((f"{name}{kind}", _cell((seed, 20, at, epochs, int(unequal)), runs, draw, truth)))
    yield table("Overall, four categories of n matches each", rows)
    rows = []
    for at, level in enumerate((0.9, 0.95, 0.98, 0.99, 0.995)):
        for turns, name in ((TURNS, "shares"), (1, "0 or 1")):
            draw = _alone(level, turns)
            rows.append((f"{level:g}, {name}", _cell((seed, 21, at, turns), runs, draw, _true_share(level))))
    yield table("A category near 1, n matches", rows)
    pairs = ((0.98, 0.98), (0.98, 0.9), (0.995, 0.995), (0.6, 0.5))
    for at, draw_pair, name in (
        (22, _difference, "TS − IR, n matches each"),
        (23, _variants, "Two variants of n matches"),
    ):
        rows = []
        for number, (one, other) in enumerate(pairs):
            truth = _true_share(one) - _true_share(other)
            rows.append((f"{one:g} − {other:g}", _cell((seed, at, number), runs, draw_pair(one, other), truth)))
        yield table(name, rows)
    rows = [
        (f"{success:g} right, {sticky:g} logits worse after an error",
         _cell((seed, 24, at), runs, _piled(success, sticky), _true_pile(success, sticky, seed)))
        for at, (success, sticky) in enumerate(((0.5, 0.0), (0.7, 1.0), (0.9, 0.0), (0.9, 1.0)))
    ]  # fmt: skip
    yield table("How errors pile up, n matches", rows)


def tables(runs: int, seed: int) -> Iterator[str]:
    """All tables, as Markdown.

    Args:
        runs: Simulated runs a cell.
        seed: Of all of them.
    """
    yield from game_tables(runs, seed)
    yield from broadcast_tables(runs, seed)


def main() -> None:
    """Print all tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=400, help="simulated runs a cell (400)")
    options.add_argument("--seed", type=int, default=1, help="of all draws (1)")
    given = options.parse_args()
    for one in tables(given.runs, given.seed):
        print(one, flush=True)


if __name__ == "__main__":
    main()
