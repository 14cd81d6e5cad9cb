"""How often models that differ by nothing are told apart, and how often "dialogues needed" are enough.

    python benchmarks/ranking.py [--runs 400] [--seed 0]

Simulates models that are equally reliable on dialogues of the same difficulty, and prints

- for two of them, in how many runs each of these tells them apart: p of the headline, any p after Holm's correction,
  the interval of the headline's difference, the ranks. The goal is at most 5 %.
- for eight of them, in how many runs all keep all ranks, and how that compares with percentiles of bootstrapped ranks.
- for eight of them, the correlation over halves that share no dialogue, and of parts with the whole.
- for models that do differ, in how many runs the dialogues needed find the difference. The goal is 80 %.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from statistics import fmean, stdev

import numpy as np

from evolif.metrics import PROCESS, cluster_rows, compare, counted_sessions, pair_test
from evolif.metrics.power import dialogues_needed
from evolif.metrics.ranking import ranking
from evolif.metrics.ranks import rank_stability, split_half_stability
from evolif.metrics.statistics import resampled_sums
from evolif.types import JudgedTurn, Session, Verdict

PATIENCE, CAP = 3, 50
LEADING = ("isr_at_n", "edr_len", "exhaustion_rate", "isr")
WEAK, MIDDLE, STRONG = 0.6, 0.8, 0.95
_TURNS = {held: tuple(JudgedTurn(n, (Verdict("length", held, "", ""),)) for n in range(1, CAP + 1)) for held in (0, 1)}


def session(model: str, dialogue: int, reliability: float, chance: Random) -> Session:
    """One session of a model that satisfies each turn with a fixed probability."""
    turns, left = [], PATIENCE
    for number in range(CAP):
        held = chance.random() < reliability
        turns.append(_TURNS[held][number])
        left = PATIENCE if held else left - 1
        if not left:
            break
    return Session(model, dialogue, 1, PATIENCE, "censored" if left else "finished", turns=tuple(turns))


def play(reliabilities: Sequence[float], dialogues: int, chance: Random) -> dict[str, list[Session]]:
    """A model per reliability; what a dialogue adds to it or takes from it is the same for all."""
    shifts = [chance.gauss(0, 0.05) for _ in range(dialogues)]
    return {
        f"m{n}": [session(f"m{n}", d, own + shift, chance) for d, shift in enumerate(shifts)]
        for n, own in enumerate(reliabilities)
    }


def told_apart(models: Mapping[str, Sequence[Session]]) -> Mapping[str, bool]:
    """By which of several figures two equal models are told apart."""
    paired = compare(models["m0"], models["m1"])
    lead = paired.differences["isr_at_n"]
    places = ranking(models, table=PROCESS, metrics=LEADING, resamples=1).places[LEADING[0]]
    return {
        "p of ISR@N": lead.p is not None and lead.p <= 0.05,
        "interval of ISR@N": lead.interval is not None and not lead.interval[0] <= 0 <= lead.interval[1],
        "a rank": any((place.low, place.high) != (1, 2) for place in places.values()),
    }


def percentile_ranks(models: Mapping[str, Sequence[Session]]) -> bool:
    """Whether the percentiles of all models' ranks over bootstrap resamples span all ranks."""
    top, bottom = PROCESS.places("rob")
    rows = [list(cluster_rows(PROCESS, counted_sessions(own)).values()) for own in models.values()]
    sums = resampled_sums([[row[end] for row in own] for own in rows for end in (top, bottom)], seed=1, resamples=1000)
    figures = np.array([sums[n] / sums[n + 1] for n in range(0, len(sums), 2)])
    ranks = (-figures).argsort(axis=0).argsort(axis=0) + 1
    low, high = np.quantile(ranks, [0.025, 0.975], axis=1, method="nearest")
    return bool((low == 1).all() and (high == len(models)).all())


def two_equal(runs: int, seed: int) -> Iterator[str]:
    """Lines of the first table."""
    for name, reliability in (("weak", WEAK), ("middle", MIDDLE), ("strong", STRONG)):
        for dialogues in (10, 20, 50):
            found = [told_apart(play([reliability] * 2, dialogues, Random(f"{seed} {n}"))) for n in range(runs)]
            shares = ", ".join(f"{what} {fmean(one[what] for one in found):.1%}" for what in found[0])
            yield f"two equal models, {name}, {dialogues} dialogues: {shares}"


def eight_equal(runs: int, seed: int) -> Iterator[str]:
    """Lines of the second and third."""
    kept, percentiles, halves, parts = [], [], [], []
    for n in range(runs):
        models = play([MIDDLE] * 8, 40, Random(f"{seed} {n}"))
        places = ranking(models, table=PROCESS, metrics=LEADING, resamples=1).places[LEADING[0]]
        kept.append(all((one.low, one.high) == (1, 8) for one in places.values()))
        percentiles.append(percentile_ranks(models))
        halves += [one.spearman or 0.0 for one in split_half_stability(models, draws=10)]
        parts += [one.spearman or 0.0 for one in rank_stability(models, [30], draws=10)]
    yield f"eight equal models, 40 dialogues: all ranks kept {fmean(kept):.1%} of runs"
    yield f"  by percentiles of bootstrapped ranks {fmean(percentiles):.1%}"
    yield f"  Spearman over disjoint halves {fmean(halves):+.2f} ± {stdev(halves):.2f}"
    yield f"  Spearman of 30 of the 40 with all {fmean(parts):+.2f} ± {stdev(parts):.2f}"


def enough(runs: int, seed: int) -> Iterator[str]:
    """Lines of the fourth: dialogues needed from a large sample, then the test with so many new ones."""
    for a, b in pairwise((0.6, 0.65, 0.75, 0.95)):
        chance = Random(f"{seed} {a}")
        large = play([a, b], 20_000, chance)
        rows = [list(cluster_rows(PROCESS, counted_sessions(own)).values()) for own in large.values()]
        needed = dialogues_needed(PROCESS, *rows, "rob")
        assert needed is not None
        found = 0
        for _ in range(runs):
            some = play([a, b], needed.dialogues, chance)
            own = [list(cluster_rows(PROCESS, counted_sessions(sessions)).values()) for sessions in some.values()]
            p = pair_test(PROCESS, *own, "rob").p
            found += p is not None and p <= 0.05
        yield f"{a} and {b}: {needed.dialogues} dialogues needed find the difference in {found / runs:.1%} of runs"


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for part in (enough, eight_equal, two_equal):
        for line in part(options.runs, options.seed):
            print(line, flush=True)


if __name__ == "__main__":
    main()
