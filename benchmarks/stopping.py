"""What `--stop-when` is worth: coverage, bias and dialogues of the runs that it ends, and false alarms.

    python benchmarks/stopping.py [--runs 400] [--seed 1] [--part stopped|equal|all]

Prints what docs/money.md sums up, as tables in Markdown; with 400 runs in about two minutes on two cores. The
responders are three of coverage.py, and so are the true values, from sessions that no run has seen. What decides is the
code of evolif: `dialogues_for` on the first 30 dialogues, `sequence_interval` every ten dialogues.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from responders import CAP, RESPONDERS, Responder, difficulties, simulate, true_values

from evolif.budget.pilot import PILOT, dialogues_for
from evolif.budget.stop_rule import BATCH
from evolif.metrics import PROCESS, pair_test
from evolif.metrics.sequence import boundary, deviation, one_interval, sequence_interval
from evolif.metrics.statistics import Z95

MOST = 600
"""Dialogues of a benchmark; a rule that asks for more plays all."""
METRICS = ("rob", "isr", "csr", "rec", "exhaustion_rate", "edr_len")
FIXED = 100
"""The goals are those that a fixed design of so many dialogues reaches."""
ROB = replace(PROCESS, ratios={"rob": PROCESS.ratios["rob"]}, headline="rob", bounded=())
DRAWS = 200
"""Fewer than in reports, to save time: for intervals near the cap."""
PARTS = 4
Rows = list[tuple[float, ...]]


@dataclass
class Outcome:
    """What runs came to, one number a run."""

    dialogues: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    halves: list[float] = field(default_factory=list)
    held: int = 0

    def add(self, rows: Rows, name: str, interval: tuple[float, float] | None, truth: float) -> None:
        """Count one run."""
        low, high = interval or (math.nan, math.nan)
        self.dialogues.append(len(rows))
        self.values.append(PROCESS.value(PROCESS.total(rows), name) or 0.0)
        self.halves.append((high - low) / 2)
        self.held += low <= truth <= high

    def join(self, other: Outcome) -> None:
        """Count the runs of another."""
        self.dialogues += other.dialogues
        self.values += other.values
        self.halves += other.halves
        self.held += other.held

    def cells(self, truth: float, goal: float) -> Iterator[str]:
        """Mean dialogues, coverage, bias over the width, share of runs that reached their goal."""
        runs, width = len(self.values), 2 * float(np.mean(self.halves))
        yield f"{np.mean(self.dialogues):.0f}"
        yield f"{100 * self.held / runs:.1f}"
        yield f"{(float(np.mean(self.values)) - truth) / width:+.3f}"
        yield f"{100 * float(np.mean(np.array(self.halves) < goal)):.0f}"


@dataclass
class Cell:
    """One metric of one responder under three designs."""

    responder: Responder
    metric: str
    truth: float
    goal: float
    fixed: Outcome = field(default_factory=Outcome)
    pilot: Outcome = field(default_factory=Outcome)
    sequence: Outcome = field(default_factory=Outcome)

    @property
    def designs(self) -> tuple[Outcome, Outcome, Outcome]:
        """In the order of the table."""
        return self.fixed, self.pilot, self.sequence


def draw(responder: Responder, dialogues: int, chance: np.random.Generator) -> Rows:
    """Rows of `PROCESS` of one model."""
    return _listed(simulate(responder, difficulties(chance, dialogues, responder.spread), chance))


def by_pilot(models: Sequence[Rows], name: str, goal: float) -> int:
    """Dialogues that a run of these models has with `--stop-method pilot`."""
    needs = [
        dialogues_for(PROCESS, rows[:PILOT], name, goal, most=MOST, cap=CAP, resamples=DRAWS) or MOST for rows in models
    ]
    return min(MOST, max(needs))


def by_sequence(models: Sequence[Rows], name: str, goal: float) -> int:
    """Dialogues that a run of these models has with `--stop-method sequence`."""
    for number in range(PILOT, MOST, BATCH):
        if all(_is_narrow(rows[:number], name, goal) for rows in models):
            return number
    return MOST


def empty_cells(seed: int, responder: Responder) -> list[Cell]:
    """The true value and the goal of every metric that a rule may be on."""
    truths, at_cap = true_values(responder, seed)
    many = draw(responder, 20_000, np.random.default_rng([seed, 3]))
    cells = []
    for name in METRICS:
        if name == "edr_len" and at_cap > 0.25:
            continue  # the rule refuses it
        goal = Z95 * (deviation(PROCESS, many, name) or 0.0) / math.sqrt(FIXED)
        cells.append(Cell(responder, name, truths[name], float(f"{goal:.2g}")))
    return cells


def stopped(cells: list[Cell], runs: int, seed: Sequence[int]) -> list[Cell]:
    """Runs of one model, counted in all cells of one responder."""
    chance = np.random.default_rng([*seed, 4])
    for _ in range(runs):
        rows = draw(cells[0].responder, MOST, chance)
        for cell in cells:
            name, goal = cell.metric, cell.goal
            for number, outcome in ((FIXED, cell.fixed), (by_pilot([rows], name, goal), cell.pilot)):
                found = one_interval(PROCESS, rows[:number], name, cap=CAP, resamples=DRAWS)
                outcome.add(rows[:number], name, found, cell.truth)
            kept = rows[: by_sequence([rows], name, goal)]
            found = sequence_interval(PROCESS, kept, name, cap=CAP, resamples=DRAWS)
            cell.sequence.add(kept, name, found, cell.truth)
    return cells


def equal(responder: Responder, runs: int, seed: Sequence[int]) -> np.ndarray:
    """How often two equal models on the same dialogues are told apart in ROB: fixed, pilot, sequence."""
    chance = np.random.default_rng([*seed, 5])
    spread = deviation(PROCESS, draw(responder, 20_000, chance), "rob") or 0.0
    goal = Z95 * spread / math.sqrt(FIXED)
    apart = np.zeros(3)
    for _ in range(runs):
        shared = difficulties(chance, MOST, responder.spread)
        pair = [_listed(simulate(responder, shared, chance)) for _ in range(2)]
        for place, number in enumerate((FIXED, by_pilot(pair, "rob", goal), by_sequence(pair, "rob", goal))):
            first, second = (rows[:number] for rows in pair)
            p = pair_test(ROB, first, second, "rob").p
            apart[place] += p is not None and p <= 0.05
    return apart


def stopped_table(found: Sequence[Cell]) -> Iterator[str]:
    """Per design: mean dialogues, coverage in per cent, bias over the width, per cent of the runs that reached ±."""
    yield (
        "| responder | metric | ± | fixed: dialogues | coverage | bias/width | reached "
        "| pilot: dialogues | coverage | bias/width | reached | sequence: dialogues | coverage | bias/width | reached |"
    )
    yield "|---" * 15 + "|"
    for cell in found:
        shown = [text for one in cell.designs for text in one.cells(cell.truth, cell.goal)]
        label = PROCESS.metric(cell.metric).label
        yield f"| {' | '.join([cell.responder.name, label, f'{cell.goal:g}', *shown])} |"


def equal_table(found: Sequence[tuple[Responder, np.ndarray]]) -> Iterator[str]:
    """Shares in per cent."""
    yield "| two equal models, told apart in ROB | fixed | pilot | sequence |"
    yield "|---|---|---|---|"
    for responder, shares in found:
        yield f"| {responder.name} | {' | '.join(f'{100 * share:.1f}' for share in shares)} |"


def _is_narrow(rows: Rows, name: str, goal: float) -> bool:
    spread = deviation(PROCESS, rows, name)
    if spread is None or boundary(len(rows)) * spread > goal:  # spares the interval, which is wider
        return False
    low, high = sequence_interval(PROCESS, rows, name, cap=CAP, resamples=DRAWS) or (-math.inf, math.inf)
    return (high - low) / 2 < goal


def _listed(rows: np.ndarray) -> Rows:
    return list(map(tuple, rows.tolist()))


def main() -> None:
    """Run the simulations and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=400)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--part", choices=("stopped", "equal", "all"), default="all")
    given = options.parse_args()
    print("\n".join(tables(given.runs, given.seed, given.part)))


def tables(runs: int, seed: int, part: str = "all") -> Iterator[str]:
    """The tables, line by line.

    Args:
        runs: Simulated runs a cell.
        seed: Of the simulation.
        part: `stopped`, `equal` or `all`.
    """
    who, parts = RESPONDERS[:3], [(runs // PARTS, (seed, number)) for number in range(PARTS)]
    with ProcessPoolExecutor() as pool:
        if part in ("stopped", "all"):
            empty = list(pool.map(partial(empty_cells, seed), who))
            jobs = [[pool.submit(stopped, cells, *one) for one in parts] for cells in empty]
            yield from stopped_table([cell for own in jobs for cell in _joined([j.result() for j in own])])
        if part in ("equal", "all"):
            counts = [[pool.submit(equal, one, *share) for share in parts] for one in who]
            found = [np.sum([job.result() for job in own], axis=0) / (runs // PARTS * PARTS) for own in counts]
            yield ""
            yield from equal_table(list(zip(who, found, strict=True)))


def _joined(parts: list[list[Cell]]) -> list[Cell]:
    first, *others = parts
    for cells in others:
        for cell, more in zip(first, cells, strict=True):
            for own, other in zip(cell.designs, more.designs, strict=True):
                own.join(other)
    return first


if __name__ == "__main__":
    main()
