"""Could a ranking do with fewer calls? What it would save to play no model that is surely in or out of the best K.

    python benchmarks/best_of.py [--runs 200] [--seed 1]

Ten simulated models have a ROB of .80 to .95 in equal steps and play the same 150 dialogues, whose difficulty they
share (correlation .4). After 30, 60, 90, 120 and 150 dialogues Student's paired test compares all pairs, at 5 % over
all pairs and looks (Bonferroni). A model is in once it beats ten - K others, and out once K others beat it; then
it is no longer played. The fixed design plays all models over as many dialogues as it needs to decide about as many of
them, and tests once, at 5 % over all pairs. `evaluate` has no such option.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from responders import Responder, simulate
from scipy import stats

from evolif.metrics import PROCESS

MODELS, DIALOGUES, SPREAD = 10, 150, 0.5
LOOKS = (30, 60, 90, 120, 150)
ALPHA = 0.05 / (MODELS * (MODELS - 1) / 2)
TRUTHS = np.linspace(0.95, 0.80, MODELS)
ROB, LENGTH = PROCESS.terms.index("robustness"), PROCESS.terms.index("length")


def successes(chance: np.random.Generator) -> np.ndarray:
    """Chances of a turn to succeed that give the wanted ROB."""
    grid = np.linspace(0.6, 0.99, 40)
    shared = SPREAD * chance.standard_normal(20_000)
    means = [simulate(Responder("", each, SPREAD), shared, chance)[:, ROB].mean() for each in grid]
    return np.interp(TRUTHS, means, grid)


def better(rob: np.ndarray, number: int, alpha: float) -> np.ndarray:
    """Which model (row) is shown to be better than which (column) by the first dialogues."""
    differences = rob[:, None, :number] - rob[None, :, :number]
    error = differences.std(axis=2, ddof=1) / np.sqrt(number)
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(differences.mean(axis=2) / error) > stats.t.isf(alpha / 2, number - 1)


def decided(claims: np.ndarray, best: int) -> tuple[np.ndarray, np.ndarray]:
    """Which models are in, and which are out."""
    return claims.sum(axis=1) >= MODELS - best, claims.sum(axis=0) >= best


def sequential(rob: np.ndarray, length: np.ndarray, best: int) -> tuple[float, int, bool]:
    """Calls made, models decided, and whether one of them wrongly."""
    claims, played = np.zeros((MODELS, MODELS), bool), np.ones(MODELS, bool)
    calls, before = 0.0, 0
    for number in LOOKS:
        calls += length[played, before:number].sum()
        before = number
        claims |= better(rob, number, ALPHA / len(LOOKS)) & played[:, None] & played[None, :]
        inside, outside = decided(claims, best)
        played &= ~(inside | outside)
    return calls, int((inside | outside).sum()), bool(inside[best:].any() or outside[:best].any())


def line(runs: Sequence[tuple[np.ndarray, np.ndarray]], best: int) -> str:
    """One row of the table."""
    calls, number, wrong = map(np.mean, zip(*(sequential(*run, best) for run in runs), strict=True))
    sizes = np.arange(30, DIALOGUES + 1, 5)
    fixed = [np.mean([sum(map(np.sum, decided(better(rob, n, ALPHA), best))) for rob, _ in runs]) for n in sizes]
    same = float(np.interp(number, np.maximum.accumulate(fixed), sizes))
    whole = np.mean([length.sum() for _, length in runs]) / DIALOGUES
    cells = best, f"{number:.1f}", f"{100 * wrong:.1f}", f"{same:.0f}", f"{100 * (1 - calls / (whole * same)):.0f} %"
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Run the simulation and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    chance = np.random.default_rng(given.seed)
    skills = [Responder("", each, SPREAD) for each in successes(chance)]
    runs = []
    for _ in range(given.runs):
        shared = SPREAD * chance.standard_normal(DIALOGUES)
        rows = np.stack([simulate(skill, shared, chance) for skill in skills])
        runs.append((rows[:, :, ROB], rows[:, :, LENGTH]))
    print("| best | models decided of ten | runs with a wrong one, % | dialogues of the fixed design | calls saved |")
    print("|---|---|---|---|---|")
    for best in (1, 2, 3, 5):
        print(line(runs, best))


if __name__ == "__main__":
    main()
