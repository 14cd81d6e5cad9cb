"""What context strategies keep of dialogues whose topic shifts, without any model.

    python benchmarks/contexts.py [--dialogues 400] [--seed 1000] [--hold held_out] [--edition 2]

Every strategy sees the same dialogues with their scripted replies. The final request is answered by the simulated
reader, which knows only what it is shown; so TCR is the ceiling of a strategy. `last:K` and `retrieval:K` are also
played with the K whose context tokens are nearest to those of the tree. Intervals: 95 %, percentiles of 2,000 bootstrap
draws of dialogues.

`--hold calibration --seed 1` has the dialogues that the rules of the tree were calibrated on; no task type of
`held_out` is among them, and no sentence that fits any topic.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evolif.contexts import ContextStrategy, OwnCost, act, act_drop, context_tokens, open_strategy
from evolif.scenarios.shifts import check_answer, generate
from evolif.scenarios.shifts.decisions import score_moves
from evolif.scenarios.shifts.dialogue import ShiftDialogue
from evolif.scenarios.shifts.reader import answer_from
from evolif.scenarios.shifts.recall import node_recall
from evolif.types import Exchange, Message, Prompt

SYSTEM = "You are a helpful assistant."
DRAWS, SHORT = 2_000, 40
MOST_K = 14
"""The largest K that is tried for equal tokens."""


@dataclass
class Played:
    """What a strategy did with one dialogue."""

    rounds: int
    tokens: list[int] = field(default_factory=list)
    """Context tokens of each turn."""
    met: int = 0
    goals: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    recall: dict[str, float | None] = field(default_factory=dict)
    moves: Counter[str] = field(default_factory=Counter)
    """What was right (`topic`, `fork`, `named`, `implicit`), what there was (`of topic`, …), and `extra` branches."""
    cost: OwnCost = field(default_factory=OwnCost)


async def play(strategy: ContextStrategy, dialogue: ShiftDialogue, words: int | None) -> Played:
    """Play a dialogue with scripted replies, cut to a number of words, or whole."""
    played = Played(dialogue.rounds)
    past: list[Exchange] = []
    decisions = []
    for turn in dialogue.turns:
        labels = {"rounds": dialogue.rounds, "task": dialogue.task}
        prompt = Prompt(0, turn.turn, (Message("user", turn.query),), payload={"slots": dialogue.keys}, labels=labels)
        context = await strategy.build(SYSTEM, past, prompt)
        played.tokens.append(context_tokens(context.messages))
        played.cost += context.cost
        decisions.append(context.decision)
        reply = turn.reply if words is None else " ".join(turn.reply.split()[:words])
        past.append(Exchange(prompt, reply, reply, context.notes))
    results = check_answer(dialogue, answer_from(context.messages, prompt))
    played.met, played.goals = sum(one["satisfied"] for one in results), len(results)
    played.reasons = Counter(str(one["reason"]) for one in results if not one["satisfied"])
    played.recall = node_recall(dialogue, context.shown, context.messages)
    if any(decisions):
        count_moves(dialogue, decisions, played.moves)
    return played


def count_moves(dialogue: ShiftDialogue, decisions: Sequence[Any], moves: Counter[str]) -> None:
    """Count the decisions that agree with the gold."""
    for turn, score in zip(dialogue.turns, score_moves(dialogue, decisions), strict=True):
        outcomes = {"topic": score.topic, "fork": score.fork, turn.returns or "": score.arrived}
        for name, outcome in outcomes.items():
            moves[f"of {name}"] += outcome is not None
            moves[name] += bool(outcome)
        moves["extra"] += score.extra_branch


def run(name: str, dialogues: Sequence[ShiftDialogue], words: int | None = None) -> list[Played]:
    """Play all dialogues under a strategy."""
    strategy = open_strategy(name)

    async def main() -> list[Played]:
        return [await play(strategy, dialogue, words) for dialogue in dialogues]

    return asyncio.run(main())


Ratio = tuple[list[float], list[float]]
"""Two numbers of each dialogue; a figure is the sum of the first ones by that of the second."""


def completion(played: Sequence[Played]) -> Ratio:
    """Macro TCR."""
    return [one.met / one.goals for one in played], [1.0] * len(played)


def gain(played: Sequence[Played], full: Sequence[Played]) -> Ratio:
    """The difference of macro TCR to the full history."""
    return [a.met / a.goals - b.met / b.goals for a, b in zip(played, full, strict=True)], [1.0] * len(played)


def share(played: Sequence[Played], name: str) -> Ratio:
    """Decisions that are right."""
    return [one.moves[name] for one in played], [one.moves[f"of {name}"] for one in played]


def recall(played: Sequence[Played], name: str) -> Ratio:
    """Node recall, a mean over dialogues."""
    values = [value for one in played if (value := one.recall[name]) is not None]
    return values, [1.0] * len(values)


def point(ratio: Ratio) -> float:
    """The figure in percent."""
    return 100 * sum(ratio[0]) / sum(ratio[1])


def interval(ratio: Ratio, form: str = ".1f") -> str:
    """The figure in percent with its interval."""
    tops, bottoms = map(np.asarray, ratio)
    picks = np.random.default_rng(0).integers(0, len(tops), (DRAWS, len(tops)))
    low, high = np.percentile(100 * tops[picks].sum(axis=1) / bottoms[picks].sum(axis=1), [2.5, 97.5])
    return f"{point(ratio):{form}} [{low:{form}}, {high:{form}}]"


def tokens(played: Sequence[Played]) -> dict[str, Any]:
    """Average context tokens, by class and overall."""
    return act({"rounds": one.rounds, "context_tokens": one.tokens} for one in played)


def nearest(kind: str, dialogues: Sequence[ShiftDialogue], wanted: float) -> tuple[str, list[Played]]:
    """The strategy of a kind whose context tokens are nearest to a number."""
    tried = [(name, run(name, dialogues)) for name in (f"{kind}:{k}" for k in range(1, MOST_K + 1))]
    return min(tried, key=lambda one: abs(tokens(one[1])["overall"] - wanted))


def table(rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table."""
    for number, row in enumerate(rows):
        print(f"| {' | '.join(row)} |")
        if not number:
            print(f"|{'---|' * len(row)}")
    print()


def saving(played: Sequence[Played], full: Sequence[Played]) -> float:
    """ACT drop against the full history, in percent."""
    return act_drop(tokens(played)["by_rounds"], tokens(full)["by_rounds"]) + 0.0  # no minus before a zero


def show(names: dict[str, list[Played]], short: dict[str, list[Played]]) -> None:
    """Print all tables."""
    full = names["full"]
    classes = list(tokens(full)["by_rounds"])
    rows = [["strategy", "TCR", "against full", *(f"TCR {c}" for c in classes), "ACT", "saving", "saving, 40 words"]]
    for name, played in names.items():
        by = [f"{point(completion([one for one in played if str(one.rounds) == c])):.1f}" for c in classes]
        drops = [f"{saving(played, full):.1f} %", f"{saving(short[name], short['full']):.1f} %"]
        overall = f"{tokens(played)['overall']:.0f}"
        rows.append(
            [f"`{name}`", interval(completion(played)), interval(gain(played, full), "+.1f"), *by, overall, *drops]
        )
    table(rows)
    rows = [["strategy", *(f"saving {c}" for c in classes), "full", "summary", "absent", "kept value", "ms a turn"]]
    for name, played in names.items():
        by_rounds, whole = tokens(played)["by_rounds"], tokens(full)["by_rounds"]
        drops = [f"{100 * (by_rounds[c] / whole[c] - 1):.1f} %" for c in classes]
        kept = [f"{point(recall(played, kind)):.1f}" for kind in ("full", "summary", "absent", "kept_value")]
        turns = sum(len(one.tokens) for one in played)
        rows.append([f"`{name}`", *drops, *kept, f"{1000 * sum(one.cost.seconds for one in played) / turns:.2f}"])
    table(rows)
    reasons = ("stale", "cancelled", "other_branch", "missing", "wrong")
    rows = [["strategy", *(f"{reason.replace('_', ' ')} per 100 goals" for reason in reasons)]]
    for name, played in names.items():
        goals, counts = sum(one.goals for one in played), sum((one.reasons for one in played), Counter[str]())
        rows.append([f"`{name}`", *(f"{100 * counts[reason] / goals:.1f}" for reason in reasons)])
    table(rows)
    rows = [["strategy", "topic", "fork", "named return", "implicit return", "extra branches per 100 dialogues"]]
    for name, played in names.items():
        if name.startswith("tree"):
            shares = [interval(share(played, kind)) for kind in ("topic", "fork", "named", "implicit")]
            extra = 100 * sum(one.moves["extra"] for one in played) / len(played)
            rows.append([f"`{name}`", *shares, f"{extra:.0f}"])
    table(rows)


def main() -> None:
    """Play all strategies and print what they reach."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--dialogues", type=int, default=400)
    options.add_argument("--seed", type=int, default=1000)
    options.add_argument("--hold", default="held_out", choices=("all", "calibration", "held_out"))
    options.add_argument("--strategies", default="full,last:4,retrieval,summary:2,tree")
    options.add_argument("--edition", type=int, default=2, choices=(1, 2))
    given = options.parse_args()
    dialogues = list(generate(given.dialogues, seed=given.seed, hold=given.hold, edition=given.edition))
    names = {name: run(name, dialogues) for name in given.strategies.split(",")}
    if "tree" in names:
        wanted = tokens(names["tree"])["overall"]
        for kind in ("last", "retrieval"):
            name, played = nearest(kind, dialogues, wanted)
            names.setdefault(name, played)
    names = dict(sorted(names.items(), key=lambda one: re.split("[:?]", one[0])[0]))
    show(names, {name: run(name, dialogues, SHORT) for name in names})


if __name__ == "__main__":
    main()
