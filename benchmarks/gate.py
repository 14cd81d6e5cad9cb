"""How often a gate is wrong, and how often the number of dialogues that it names decides.

    .venv/bin/python benchmarks/gate.py

Dialogues of 20 turns are drawn whose chance of a good turn varies as much from dialogue to dialogue as in runs of chat
models (beta distribution). A model that is exactly at the limit should pass in 2.5 % of runs, and fail in 2.5 %. One
that is off the limit plays 12 dialogues; if they do not decide, it plays as many fresh ones as the gate names.
"""

from __future__ import annotations

import argparse
from collections import Counter
from random import Random

from evolif.gate.decision import by_interval
from evolif.gate.needed import dialogues_to_decide
from evolif.metrics import MetricTable, Row
from evolif.metrics.sequence import one_interval

TABLE = MetricTable(("good", "of"), lambda session: (), {"isr": ("good", "of")})
TURNS, SPREAD, LIMIT, PILOT = 20, 6.0, 0.8, 12


def rows(mean: float, dialogues: int, chance: Random) -> list[Row]:
    """The good turns of some dialogues."""
    found: list[Row] = []
    for _ in range(dialogues):
        own = chance.betavariate(mean * SPREAD, (1 - mean) * SPREAD)
        found.append((float(sum(chance.random() < own for _ in range(TURNS))), float(TURNS)))
    return found


def at_the_limit(dialogues: int, repeats: int) -> Counter[str]:
    """What is decided of a model whose true share is the limit."""
    chance = Random(dialogues)
    return Counter(
        by_interval(one_interval(TABLE, rows(LIMIT, dialogues, chance), "isr"), LIMIT) for _ in range(repeats)
    )


def as_named(mean: float, repeats: int) -> tuple[int, int, list[int]]:
    """Runs that twelve dialogues leave undecided, how many of them the named number decides, and the numbers."""
    chance, decided = Random(round(1000 * mean)), 0
    numbers: list[int] = []
    for _ in range(repeats):
        pilot = rows(mean, PILOT, chance)
        number = dialogues_to_decide(TABLE, pilot, "isr", LIMIT)
        if by_interval(one_interval(TABLE, pilot, "isr"), LIMIT) != "undecided" or number is None:
            continue
        numbers.append(number)
        again = rows(mean, min(number, 3_000), chance)
        decided += by_interval(one_interval(TABLE, again, "isr"), LIMIT) != "undecided"
    return len(numbers), decided, numbers


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=2_000)
    repeats = parser.parse_args().repeats
    print(f"a model at the limit of {LIMIT}, {repeats} runs each")
    for dialogues in (6, 12, 24, 50, 100):
        found = at_the_limit(dialogues, repeats)
        print(
            f"  {dialogues:4} dialogues: passed {found['passed'] / repeats:.1%}, failed {found['failed'] / repeats:.1%}"
        )
    print(f"off the limit: {PILOT} dialogues leave it undecided, then the named number is played")
    for mean in (0.6, 0.7, 0.75, 0.85, 0.9):
        undecided, decided, numbers = as_named(mean, repeats // 4)
        middle = sorted(numbers)[len(numbers) // 2]
        print(f"  {mean}: {undecided} undecided; {middle} named (median), which decide {decided / undecided:.0%}")


if __name__ == "__main__":
    main()
