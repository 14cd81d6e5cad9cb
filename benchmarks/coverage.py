"""How often the 95 % intervals of reports hold the true value, and how often two equal models are told apart.

    python benchmarks/coverage.py [--runs 1000] [--sizes 10,20,50,150] [--seed 1]
        [--part intervals|paired|clusters|scenarios|stopped|all]

Prints the tables of docs/explanation/metrics.md as Markdown. The responders are simulated without text: every dialogue
has a difficulty (normal on the logit scale), every turn four constraints that are kept independently; patience is 3,
the cap 50 turns. A second set of responders has dialogues that are all equally hard. The true value of a metric is that
of 400,000 sessions.
The interval is the one of reports: `evolif.metrics.intervals` on rows of `PROCESS`, and `pair_test` for pairs. Two
models of a pair share the difficulty of a dialogue, and each finds it harder or easier besides (.3 logits).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from responders import CAP, METRICS, RESPONDERS, Responder, difficulties, simulate, true_values

from evolif.metrics import PROCESS, pair_test
from evolif.metrics import intervals as report_intervals

Interval = tuple[float, float] | None


@dataclass
class Tally:
    """What many intervals of one metric did."""

    held: int = 0
    too_high: int = 0
    none: int = 0
    zero: int = 0
    widths: list[float] | None = None

    def add(self, interval: Interval, truth: float) -> None:
        """Count one interval."""
        self.widths = self.widths if self.widths is not None else []
        if interval is None:
            self.none += 1
            return
        low, high = interval
        self.zero += high - low <= 0
        self.widths.append(high - low)
        self.held += low <= truth <= high
        self.too_high += truth < low

    @property
    def coverage(self) -> float:
        """Share of the intervals that hold the truth, a fraction; NaN without any."""
        return self.held / len(self.widths) if self.widths else float("nan")

    def cell(self, scale: float) -> str:
        """Coverage and median width."""
        if not self.widths:
            return "–"
        return f"{100 * self.coverage:.1f} ({scale * float(np.median(self.widths)):.3g})"


def one_model(size: int, runs: int, responder: Responder, seed: int) -> tuple[Responder, int, dict[str, Tally]]:
    """The intervals of one model in `runs` simulated runs."""
    truth, _ = true_values(responder, seed)
    chance = np.random.default_rng([seed, size, 1])
    tallies = {name: Tally() for name in METRICS}
    for _ in range(runs):
        rows = simulate(responder, difficulties(chance, size, responder.spread), chance)
        found = report_intervals(PROCESS, list(map(tuple, rows.tolist())), cap=CAP, seed=0)
        for name in METRICS:
            tallies[name].add(found[name], truth[name])
    return responder, size, tallies


@dataclass(frozen=True)
class Pair:
    """Two models on the same dialogues.

    Attributes:
        name: In tables.
        a: One.
        b: The other.
        epochs: How often each plays a dialogue.
    """

    name: str
    a: Responder
    b: Responder
    epochs: int = 1

    @property
    def equal(self) -> bool:
        """Whether they differ by nothing."""
        return self.a == self.b


OWN_SPREAD = 0.3
"""Standard deviation of what one model alone finds hard in a dialogue, in logits."""
_LONG, _MIDDLE, _SHORT = (
    Responder(f"{turns} turns", share, 0.5) for turns, share in ((48, 0.906), (32, 0.704), (16, 0.495))
)


def equal_isr(sticky: float, like: Responder, seed: int) -> Responder:
    """A responder of shorter sessions, whose failures come in rows, with the same pooled ISR as another."""
    goal = true_values(like, seed, OWN_SPREAD)[0]["isr"]
    low, high = 0.01, 0.99
    for _ in range(16):
        middle = (low + high) / 2
        found = true_values(Responder("", middle, like.spread, sticky), seed, OWN_SPREAD)[0]["isr"]
        low, high = (middle, high) if found < goal else (low, middle)
    return Responder("same ISR, in rows", (low + high) / 2, like.spread, sticky)


def all_pairs(seed: int) -> tuple[Pair, ...]:
    """Equal and unequal ones."""
    weak, middle, strong = RESPONDERS[:3]
    return (
        Pair("equal, weak", weak, weak),
        Pair("equal, middle", middle, middle),
        Pair("equal, middle, 4 epochs", middle, middle, 4),
        Pair("equal, strong", strong, strong),
        Pair("48 v 16 turns", _LONG, _SHORT),
        Pair("48 v 32 turns", _LONG, _MIDDLE),
        Pair("32 v 16 turns, 4 epochs", _MIDDLE, _SHORT, 4),
        Pair("equal ISR, 32 v 16 turns", _MIDDLE, equal_isr(1.1, _MIDDLE, seed)),
    )


@dataclass
class PairTally:
    """What many comparisons of two models said about one metric."""

    intervals: int = 0
    held: int = 0
    rejected: int = 0
    contradictions: int = 0


def paired(
    size: int, runs: int, pair: Pair, truth: Mapping[str, float], seed: int
) -> tuple[Pair, int, dict[str, PairTally]]:
    """Two models on the same dialogues, in `runs` simulated runs; `truth` is the difference of each metric."""
    chance = np.random.default_rng([seed, size, 2])
    tallies = {name: PairTally() for name in METRICS}
    for _ in range(runs):
        shared = difficulties(chance, size, pair.a.spread)
        sides = []
        for responder in (pair.a, pair.b):
            hard = shared + difficulties(chance, size, OWN_SPREAD)
            rows = sum(simulate(responder, hard, chance) for _ in range(pair.epochs))
            sides.append(list(map(tuple, rows.tolist())))
        for name, tally in tallies.items():
            test = pair_test(PROCESS, *sides, name, most=CAP)
            if test.p is None or test.interval is None:
                continue
            low, high = test.interval
            tally.intervals += 1
            tally.held += low <= truth[name] <= high
            tally.rejected += test.p <= 0.05
            tally.contradictions += (low > 0 or high < 0) != (test.p <= 0.05)
    return pair, size, tallies


def interval_table(
    found: Sequence[tuple[Responder, int, dict[str, Tally]]], caps: Mapping[str, float]
) -> Iterator[str]:
    """Coverage in per cent, and the median width in brackets (rates in points, lengths in turns)."""
    heads = [PROCESS.metric(name).label for name in METRICS]
    yield "| responder (at the cap) | dialogues | " + " | ".join(heads) + " |"
    yield "|---|---|" + "---|" * len(heads)
    for responder, size, tallies in found:
        scales = [1 if PROCESS.units.get(name) == "turns" else 100 for name in METRICS]
        cells = [tallies[name].cell(scale) for name, scale in zip(METRICS, scales, strict=True)]
        share = f"{100 * caps[responder.name]:.0f} %"
        yield f"| {responder.name} ({share}) | {size} | " + " | ".join(cells) + " |"
    zero = sum(tally.zero for _, _, tallies in found for tally in tallies.values())
    yield f"\nIntervals without width: {zero}."


def paired_table(found: Sequence[tuple[Pair, int, dict[str, PairTally]]]) -> Iterator[str]:
    """Per cent of the intervals that hold the true difference; and per cent of p at most .05, where it is 0."""
    heads = [PROCESS.metric(name).label for name in METRICS]
    yield "| pair | dialogues | " + " | ".join(heads) + " | mean |"
    yield "|---|---|" + "---|" * (len(heads) + 1)
    for pair, size, tallies in found:
        shares = [100 * t.held / t.intervals for t in tallies.values() if t.intervals]
        cells = [f"{100 * t.held / t.intervals:.0f}" if t.intervals else "–" for t in tallies.values()]
        yield f"| {pair.name} | {size} | " + " | ".join(cells) + f" | {np.mean(shares):.1f} |"
    yield "\n| p ≤ .05, %: pair | dialogues | " + " | ".join(heads) + " | mean |"
    yield "|---|---|" + "---|" * (len(heads) + 1)
    for pair, size, tallies in found:
        alike = {name: pair.equal or ("equal ISR" in pair.name and name == "isr") for name in METRICS}
        shares = [100 * t.rejected / t.intervals for name, t in tallies.items() if alike[name] and t.intervals]
        cells = [
            f"{100 * t.rejected / t.intervals:.0f}" if alike[name] and t.intervals else "–"
            for name, t in tallies.items()
        ]
        if shares:
            yield f"| {pair.name} | {size} | " + " | ".join(cells) + f" | {np.mean(shares):.1f} |"
    wrong = sum(t.contradictions for _, _, tallies in found for t in tallies.values())
    yield f"\nIntervals that contradict their p: {wrong}."


def main() -> None:
    """Run the simulations and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=1000)
    options.add_argument("--sizes", default="10,20,50,150")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument(
        "--part", choices=("intervals", "paired", "clusters", "scenarios", "stopped", "all"), default="all"
    )
    given = options.parse_args()
    cells = [(responder, int(size)) for responder in RESPONDERS for size in given.sizes.split(",")]
    with ProcessPoolExecutor() as pool:
        if given.part in ("intervals", "all"):
            caps = {one.name: true_values(one, given.seed)[1] for one in RESPONDERS}
            jobs = [pool.submit(partial(one_model, size, given.runs, who, given.seed)) for who, size in cells]
            print("\n".join(interval_table([job.result() for job in jobs], caps)), end="\n\n")
        if given.part in ("paired", "all"):
            jobs = []
            for pair in all_pairs(given.seed):
                one, other = (true_values(who, given.seed, OWN_SPREAD)[0] for who in (pair.a, pair.b))
                truth = {name: one[name] - other[name] for name in METRICS}
                sizes = [6, 8, *map(int, given.sizes.split(","))]
                jobs += [pool.submit(partial(paired, size, given.runs, pair, truth, given.seed)) for size in sizes]
            print("\n".join(paired_table([job.result() for job in jobs])), end="\n\n")
    if given.part in ("clusters", "all"):
        from coverage_clusters import tables as of_clusters

        print("\n".join(of_clusters(given.runs, given.seed)), end="\n\n")
    if given.part in ("scenarios", "all"):
        from coverage_scenarios import tables as of_scenarios

        print("\n".join(of_scenarios(given.runs, given.seed)), end="\n\n")
    if given.part in ("stopped", "all"):
        from stopping import tables

        print("\n".join(tables(given.runs, given.seed)))


if __name__ == "__main__":
    main()
