"""How often the figures of survival, exhaustion and judges hold the truth where epochs of a dialogue are no new ones.

    python benchmarks/coverage_clusters.py [--runs 400] [--seed 1] [--workers 1] [--sizes 10,20,50,150]
        [--part survival|pairs|judges|all]

Prints tables for docs/explanation/metrics.md as Markdown. A dialogue has a difficulty (normal on the logit scale,
shared by all models and epochs) and one for each model on top; patience is 3, the cap 50 turns. What is true of a model
is worked out, not drawn: patience as a Markov chain, averaged over difficulties. The functions are those of reports.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product
from statistics import NormalDist

import numpy as np
from scipy import stats

from evolif.metrics import expected_length, judge_agreement, survival
from evolif.metrics.intervals import event_interval
from evolif.metrics.patience import exhaustion_by_turn
from evolif.metrics.survival import hazard, log_rank
from evolif.types import JudgedTurn, Session, Verdict

CAP, PATIENCE, SPAN = 50, 3, 10
SHARED, OWN = 0.45, 0.3
"""Standard deviations of difficulty, in logits."""
SIZES = (10, 20, 50, 150)
TURNS = (3, 5, 10, 20, 30, 49)
"""Turns at which curves are checked."""
LEVELS = {"weak": 0.5, "middle": 0.7, "strong": 0.87, "very strong": 0.95}
"""Models: how often they satisfy a turn of middle difficulty."""
GOOD, BAD = (JudgedTurn(1, (Verdict("g", satisfied, "", ""),), {}) for satisfied in (True, False))


@lru_cache
def ends_of(success: float) -> tuple[np.ndarray, np.ndarray]:
    """Per turn from 0 to the cap, the share of sessions that last longer, and the share that runs out there."""
    points = (np.arange(4000) + 0.5) / 4000
    normal = np.array([NormalDist().inv_cdf(float(point)) for point in points])
    good = _share(np.log(success / (1 - success)) + np.hypot(SHARED, OWN) * normal)
    state = np.zeros((PATIENCE, len(good)))
    state[0] = 1
    lasting, ended = [1.0], [0.0]
    for _ in range(CAP):
        last = state[-1] * (1 - good)
        state = np.vstack([state.sum(axis=0) * good, state[:-1] * (1 - good)])
        lasting.append(float(state.sum(axis=0).mean()))
        ended.append(float(last.mean()))
    return np.array(lasting), np.array(ended)


def _share(logit: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-logit))


def play(success: float, shared: np.ndarray, epochs: int, chance: np.random.Generator) -> list[Session]:
    """The sessions of a model on dialogues of some difficulty; only their length and their end are drawn."""
    logit = np.log(success / (1 - success)) + shared + OWN * chance.standard_normal(len(shared))
    share = np.repeat(_share(logit), epochs)
    good = chance.random((CAP, len(share))) < share
    streak, length = np.zeros(len(share), int), np.full(len(share), CAP)
    over = np.zeros(len(share), bool)
    for turn in range(CAP):
        streak = np.where(good[turn], 0, streak + 1)
        ends = (streak == PATIENCE) & ~over
        length[ends], over[ends] = turn + 1, True
    lives = zip(length.tolist(), over.tolist(), strict=True)
    return [_session(number, epochs, *life) for number, life in enumerate(lives)]


def _session(number: int, epochs: int, turns: int, over: bool) -> Session:
    judged = (GOOD,) * (turns - PATIENCE) + (BAD,) * PATIENCE if over else (GOOD,) * turns
    ending, cause = ("finished", "patience") if over else ("censored", "cap")
    return Session("m", number // epochs, number % epochs, PATIENCE, ending, turns=judged, cause=cause)


def difficulties(size: int, chance: np.random.Generator) -> np.ndarray:
    """Of dialogues, in logits."""
    return SHARED * chance.standard_normal(size)


@dataclass
class Held:
    """How many intervals hold the truth, of those that there are."""

    intervals: int = 0
    held: int = 0
    widths: float = 0.0

    def add(self, interval: tuple[float | None, float | None] | None, truth: float) -> None:
        """Count one; an end that is None is without bound."""
        if interval is None:
            return
        low, high = (-np.inf if interval[0] is None else interval[0], np.inf if interval[1] is None else interval[1])
        self.intervals += 1
        self.held += low <= truth <= high
        self.widths += high - low

    def __str__(self) -> str:
        if not self.intervals:
            return "–"
        return f"{100 * self.held / self.intervals:.1f}"

    @property
    def width(self) -> str:
        """The mean width, in per cent."""
        return f"{100 * self.widths / self.intervals:.0f}" if self.intervals else "–"


def survival_cell(name: str, size: int, epochs: int, runs: int, seed: int) -> dict[str, Held]:
    """The intervals of one model."""
    success = LEVELS[name]
    lasting, ended = ends_of(success)
    chance = np.random.default_rng([seed, size, epochs, round(1000 * success)])
    rate = float(ended.sum() / lasting[:-1].sum())
    found: dict[str, Held] = {}

    def add(key: str, interval: tuple[float | None, float | None] | None, truth: float) -> None:
        found.setdefault(key, Held()).add(interval, truth)

    for _ in range(runs):
        sessions = play(success, difficulties(size, chance), epochs, chance)
        over = np.array([one.ending == "finished" for one in sessions]).reshape(size, epochs).sum(axis=1).tolist()
        turns = np.array([len(one.turns) for one in sessions]).reshape(size, epochs).sum(axis=1).tolist()
        interval = event_interval(over, turns)
        add("EXH", interval, rate)
        length = expected_length(sum(over) / sum(turns), interval, cap=CAP, exhausted=sum(over))
        add("length", length[1:], 1 / rate)
        for span in exhaustion_by_turn(sessions):
            own = slice(span.first, span.last + 1)
            before = slice(span.first - 1, span.last)
            add(f"EXH {span.first}–{span.last}", span.interval, float(ended[own].sum() / lasting[before].sum()))
        for one in hazard(sessions):
            if one.turn in (3, 4, 10, 30):
                add(f"hazard {one.turn}", one.interval, float(ended[one.turn] / lasting[one.turn - 1]))
        curve = survival(sessions, max_turns=CAP, resamples=200)
        for turn in TURNS:
            point = curve.points[min(turn, len(curve.points) - 1)]
            add(f"S {turn}", point.interval, float(lasting[turn]))
        median = int(np.argmax(lasting <= 0.5)) if (lasting <= 0.5).any() else None
        if median is not None and curve.median_interval is not None:
            add("median", curve.median_interval, median)
        add("mean", curve.restricted_mean_interval, float(lasting[:-1].sum()))
    return found


def pair_cell(first: str, second: str, size: int, epochs: int, runs: int, seed: int) -> tuple[int, int, int]:
    """How many log-rank tests there are, with p ≤ .05, and with p ≤ .05 if all sessions were independent."""
    chance = np.random.default_rng([seed, size, epochs, 7, len(first), len(second)])
    tests = apart = alone = 0
    for _ in range(runs):
        shared = difficulties(size, chance)
        a, b = (play(LEVELS.get(one) or float(one), shared, epochs, chance) for one in (first, second))
        p = log_rank(a, b).p
        tests += p is not None
        apart += p is not None and p <= 0.05
        with np.errstate(all="ignore"):
            alone += float(stats.logrank(*map(_data, (a, b))).pvalue) <= 0.05
    return tests, apart, alone


def _data(sessions: Sequence[Session]) -> stats.CensoredData:
    lengths = {
        ending: [len(one.turns) for one in sessions if one.ending == ending] for ending in ("finished", "censored")
    }
    return stats.CensoredData(uncensored=lengths["finished"], right=lengths["censored"])


VERDICTS = 24
"""Verdicts of a group in a dialogue."""
JUDGES = {"agree in .85": (0.7, 1.8), "agree in .93": (0.8, 2.8), "agree in .98": (0.9, 4.2)}
"""How often a turn is satisfied, and the logit of agreement, which differs by dialogue."""


def verdict_shares(normal: np.ndarray, satisfied: float, logit: float) -> np.ndarray:
    """Per dialogue the shares of the four kinds of pairs; harder dialogues have more failures and more dispute."""
    good, same = _share(np.log(satisfied / (1 - satisfied)) + 0.5 * normal[0]), _share(logit + 0.7 * normal[1])
    return np.stack([good * same, good * (1 - same), (1 - good) * (1 - same), (1 - good) * same], axis=1)


def judge_cell(name: str, size: int, runs: int, seed: int) -> dict[str, Held]:
    """The intervals of agreement and kappa."""
    chance = np.random.default_rng([seed, size, len(name), round(10 * JUDGES[name][1])])
    both, first, second, neither = verdict_shares(chance.standard_normal((2, 1_000_000)), *JUDGES[name]).mean(axis=0)
    by_chance = (both + first) * (both + second) + (neither + first) * (neither + second)
    truth = {"agreed": both + neither, "kappa": (both + neither - by_chance) / (1 - by_chance)}
    found = {key: Held() for key in truth}
    kinds = list(product((True, False), repeat=2))
    for _ in range(runs):
        shares = verdict_shares(chance.standard_normal((2, size)), *JUDGES[name])
        counts = [chance.multinomial(chance.poisson(VERDICTS - 4) + 4, own) for own in shares]
        pairs = (
            ("g", dialogue, *kind)
            for dialogue, own in enumerate(counts)
            for kind, times in zip(kinds, own, strict=True)
            for _ in range(times)
        )
        own = judge_agreement(pairs)["g"]
        found["agreed"].add(own.agreed_interval, truth["agreed"])
        found["kappa"].add(own.kappa_interval, truth["kappa"])
    return found


def survival_tables(runs: int, seed: int, sizes: Sequence[int], pool: ProcessPoolExecutor) -> Iterator[str]:
    """Coverage of the figures of one model, in per cent."""
    cells = list(product(LEVELS, (1, 4), sizes))
    jobs = [pool.submit(partial(survival_cell, name, size, epochs, runs, seed)) for name, epochs, size in cells]
    found = dict(zip(cells, (job.result() for job in jobs), strict=True))
    spans = [f"EXH {first}–{first + SPAN - 1}" for first in range(1, CAP + 1, SPAN)]
    parts = {
        "Exhaustion": ["EXH", "length", *spans],
        "Hazard at turns": [f"hazard {turn}" for turn in (3, 4, 10, 30)],
        "Share that lasts longer": [*(f"S {turn}" for turn in TURNS), "median", "mean"],
    }
    for title, keys in parts.items():
        yield f"\n{title}: intervals that hold the truth, %\n"
        yield f"| model | epochs | dialogues | {' | '.join(keys)} |"
        yield "|---|---|---|" + "---|" * len(keys)
        for (name, epochs, size), own in found.items():
            yield f"| {name} | {epochs} | {size} | {' | '.join(str(own.get(key, Held())) for key in keys)} |"
    yield "\nMean width of the band, points\n"
    yield f"| model | epochs | dialogues | {' | '.join(f'S {turn}' for turn in TURNS)} |"
    yield "|---|---|---|" + "---|" * len(TURNS)
    for (name, epochs, size), own in found.items():
        yield f"| {name} | {epochs} | {size} | {' | '.join(own[f'S {turn}'].width for turn in TURNS)} |"


POWER = (("0.7", "0.76", 50), ("0.7", "0.78", 50), ("0.87", "0.91", 50))


def pair_tables(runs: int, seed: int, sizes: Sequence[int], pool: ProcessPoolExecutor) -> Iterator[str]:
    """How often two models are told apart by the log-rank test, in per cent."""
    equal = [(name, name, size, epochs) for name, epochs, size in product(LEVELS, (1, 4), sizes)]
    cells = [*equal, *((*pair, epochs) for pair in POWER for epochs in (1, 4))]
    jobs = [pool.submit(partial(pair_cell, *cell, runs, seed)) for cell in cells]
    yield "\nLog-rank test: p ≤ .05, %\n"
    yield "| models | epochs | dialogues | paired by dialogue | tests | as if independent |"
    yield "|---|---|---|---|---|---|"
    for (first, second, size, epochs), job in zip(cells, jobs, strict=True):
        tests, apart, alone = job.result()
        name = f"{first}, equal" if first == second else f"{first} v {second}"
        yield f"| {name} | {epochs} | {size} | {100 * apart / runs:.1f} | {tests} | {100 * alone / runs:.1f} |"


def judge_tables(runs: int, seed: int, sizes: Sequence[int], pool: ProcessPoolExecutor) -> Iterator[str]:
    """Coverage of the agreement of two judges, in per cent, with the mean width in points."""
    cells = list(product(JUDGES, (6, *(size for size in sizes if size < 100))))
    jobs = [pool.submit(partial(judge_cell, name, size, runs, seed)) for name, size in cells]
    yield "\nTwo judges: intervals that hold the truth, % (mean width, points; intervals)\n"
    yield "| judges | dialogues | agreed | kappa |"
    yield "|---|---|---|---|"
    for (name, size), job in zip(cells, jobs, strict=True):
        own = job.result()
        shown = (f"{one} ({one.width}; {one.intervals})" for one in (own["agreed"], own["kappa"]))
        yield f"| {name} | {size} | {' | '.join(shown)} |"


PARTS = {"survival": survival_tables, "pairs": pair_tables, "judges": judge_tables}


def tables(runs: int, seed: int, *, workers: int = 1, sizes: Sequence[int] = SIZES, part: str = "all") -> Iterator[str]:
    """The lines of all tables, or of one part."""
    with ProcessPoolExecutor(max_workers=workers) as pool:
        for name, made in PARTS.items():
            if part in (name, "all"):
                yield from made(runs, seed, sizes, pool)


def main() -> None:
    """Run the simulations and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=400)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--workers", type=int, default=1)
    options.add_argument("--sizes", default=",".join(map(str, SIZES)))
    options.add_argument("--part", choices=(*PARTS, "all"), default="all")
    given = options.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    for line in tables(given.runs, given.seed, workers=given.workers, sizes=sizes, part=given.part):
        print(line, flush=True)


if __name__ == "__main__":
    main()
