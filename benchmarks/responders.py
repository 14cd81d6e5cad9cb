"""Simulated responders of the benchmarks of figures: outcomes of turns without a single text.

Every dialogue has a difficulty (normal on the logit scale), every turn four constraints that are kept independently.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evolif.metrics import PROCESS

CAP, PATIENCE, CONSTRAINTS = 50, 3, 4
TRUTH_SESSIONS = 400_000
METRICS = tuple(PROCESS.ratios)


@dataclass(frozen=True)
class Responder:
    """One that satisfies a turn with some probability.

    Attributes:
        name: In tables.
        success: Probability of a turn in a dialogue of middle difficulty.
        spread: Standard deviation of the difficulty of dialogues, in logits; 0 if all are alike.
        sticky: By how many logits a failed turn makes the next one harder, and a good one easier.
    """

    name: str
    success: float
    spread: float
    sticky: float = 0.0


RESPONDERS = (
    Responder("weak", 0.50, 0.4),
    Responder("middle", 0.68, 0.5),
    Responder("strong", 0.87, 0.5),
    Responder("weak, equal dialogues", 0.50, 0),
    Responder("middle, equal dialogues", 0.70, 0),
    Responder("strong, equal dialogues", 0.85, 0),
)


def difficulties(chance: np.random.Generator, sessions: int, spread: float) -> np.ndarray:
    """Per session how hard its dialogue is, in logits."""
    return spread * chance.standard_normal(sessions)


def simulate(responder: Responder, difficulty: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Rows of `PROCESS`, one per session."""
    logit = np.log(responder.success / (1 - responder.success)) + difficulty
    sessions = len(difficulty)
    own = {name: np.zeros(sessions) for name in PROCESS.terms}
    left, run = np.full(sessions, PATIENCE), np.zeros(sessions)
    failed_before = np.zeros(sessions, bool)
    for _ in range(CAP):
        alive = left > 0
        success = 1 / (1 + np.exp(-logit - responder.sticky * np.where(failed_before, -1.0, 1.0)))
        keeps = (success ** (1 / CONSTRAINTS))[:, None]
        kept = chance.random((sessions, CONSTRAINTS)) < keeps
        good = kept.all(axis=1)
        own["length"] += alive
        own["accuracy"] += alive * kept.mean(axis=1)
        own["successes"] += alive & good
        own["chances"] += alive & failed_before
        own["recoveries"] += alive & failed_before & good
        run = np.where(good, run + 1, 0)
        own["longest_run"] = np.where(alive, np.maximum(own["longest_run"], run), own["longest_run"])
        left = np.where(alive, np.where(good, PATIENCE, left - 1), 0)
        failed_before = ~good
    own["sessions"][:] = own["has_robustness"][:] = 1
    own["robustness"] = own["successes"] / own["length"]
    own["has_recovery"] = (own["chances"] > 0).astype(float)
    own["recovery"] = own["recoveries"] / np.maximum(own["chances"], 1)
    own["exhausted"] = (left == 0).astype(float)
    own["settled"][:], own["requests"][:] = own["successes"], CAP
    return np.stack([own[name] for name in PROCESS.terms], axis=1)


def true_values(responder: Responder, seed: int, own: float = 0.0) -> tuple[dict[str, float], float]:
    """The metrics of very many sessions, and the share of them at the cap; `own` adds to the spread of dialogues."""
    chance = np.random.default_rng([seed, 0])
    sums, at_cap = np.zeros(len(PROCESS.terms)), 0.0
    for _ in range(8):
        spread = float(np.hypot(responder.spread, own))
        rows = simulate(responder, difficulties(chance, TRUTH_SESSIONS // 8, spread), chance)
        sums += rows.sum(axis=0)
        at_cap += float((rows[:, PROCESS.terms.index("exhausted")] == 0).sum())
    values = {name: PROCESS.value(tuple(sums), name) or 0.0 for name in METRICS}
    return values, at_cap / TRUTH_SESSIONS
