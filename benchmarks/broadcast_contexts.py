"""What context strategies cost a reader of broadcasts that makes no mistakes, without any model.

    python benchmarks/broadcast_contexts.py [--dialogues 40] [--seed 1000]

Every strategy sees the same dialogues, so many of each task, two thirds of them basketball. The replies are those of
the simulated reader, which works out the answer from the messages of its call and goes on from the score that it stated
last; so its accuracy is the ceiling of a strategy. Context tokens are those of a call without its query, a mean over
turns. Intervals: 95 %, as in reports.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from evolif.contexts import ContextStrategy, OwnCost, context_tokens, open_strategy
from evolif.metrics.shares import Share
from evolif.scenarios.broadcast import dialogue, score_reply
from evolif.scenarios.broadcast.accuracy import accuracies, overall_share
from evolif.scenarios.broadcast.breakdowns import by_distance, by_subtask
from evolif.scenarios.broadcast.reader_model import answer_from
from evolif.scenarios.broadcast.sessions import PlayedMatch, TurnScore
from evolif.types import Exchange, JudgedTurn, Message, Prompt

TASKS = ("IF", "CR", "IR", "TS")
SPORTS = ("basketball", "basketball", "hockey")
DRAWS = 2_000


@dataclass
class Played:
    """What the reader did under one strategy."""

    matches: list[PlayedMatch] = field(default_factory=list)
    tokens: dict[str, list[int]] = field(default_factory=dict)
    """Task to the context tokens of each turn."""
    cost: OwnCost = field(default_factory=OwnCost)
    seconds: float = 0.0


async def play(strategy: ContextStrategy, number: int, seed: int, played: Played) -> None:
    """Play one dialogue."""
    task, sport = TASKS[number % len(TASKS)], SPORTS[number // len(TASKS) % len(SPORTS)]
    made = dialogue(task, sport, number, seed=seed)
    past: list[Exchange] = []
    scores = []
    for turn in made["turns"]:
        prompt = Prompt(number, turn["number"], (Message("user", turn["message"]),), payload=turn)
        context = await strategy.build(made["system"], past, prompt)
        played.tokens.setdefault(task, []).append(context_tokens(context.messages))
        played.cost += context.cost
        reply = answer_from(context.messages, turn)
        if turn["judged"]:
            score = score_reply(turn, reply)["score"]
            own = JudgedTurn(turn["number"], ())
            scores.append(
                TurnScore(own.turn, turn["kind"], turn["subtask"], turn["period"], turn["distance"], score, 0.0, own)
            )
        past.append(Exchange(prompt, reply, reply, context.notes))
    played.matches.append(PlayedMatch(number, 0, task, sport, "", number, tuple(scores)))


def run(name: str, dialogues: int, seed: int) -> Played:
    """Play all dialogues under a strategy."""
    strategy, played, begun = open_strategy(name), Played(), time.perf_counter()

    async def main() -> None:
        for number in range(dialogues):
            await play(strategy, number, seed, played)

    asyncio.run(main())
    played.seconds = time.perf_counter() - begun
    return played


def cell(share: Share | None) -> str:
    """A figure in per cent with its interval."""
    if share is None or share.value is None:
        return "-"
    ends = "" if share.interval is None else " [{:.0f}–{:.0f}]".format(*(100 * end for end in share.interval))
    return f"{100 * share.value:.0f}{ends}"


def table(rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table."""
    for number, row in enumerate(rows):
        print(f"| {' | '.join(row)} |")
        if not number:
            print(f"|{'---|' * len(row)}")
    print()


def show(found: Mapping[str, Played]) -> None:
    """Print all tables."""
    whole = {task: fmean(own) for task, own in found["full"].tokens.items()} if "full" in found else {}
    tasks = [task for task in TASKS if any(task in played.tokens for played in found.values())]
    rows = [["strategy", "overall", *tasks, "context tokens a turn", "of full", "ms a turn"]]
    for name, played in found.items():
        of_task = {task: fmean(own) for task, own in accuracies(played.matches).items()}
        tokens = {task: fmean(own) for task, own in played.tokens.items()}
        share = fmean(tokens[task] / whole[task] for task in whole) if whole else None
        turns = sum(map(len, played.tokens.values()))
        rows.append([
            f"`{name}`", cell(overall_share(played.matches, seed=0, resamples=DRAWS)),
            *(f"{100 * of_task[task]:.0f}" for task in tasks), f"{fmean(tokens.values()):,.0f}",
            "-" if share is None else f"{100 * share:.0f} %", f"{1000 * played.seconds / turns:.1f}",
        ])  # fmt: skip
    table(rows)
    for title, shares in (("asked", by_subtask), ("distance", by_distance)):
        broken_down(title, shares, found)


def broken_down(
    title: str, shares: Callable[[Sequence[PlayedMatch]], Mapping[str, Share]], found: Mapping[str, Played]
) -> None:
    """Print a table with a column for each strategy."""
    columns = [shares(played.matches) for played in found.values()]
    rows = [[title, *(f"`{name}`" for name in found), "turns"]]
    for name, first in columns[0].items():
        rows.append([name, *(cell(column.get(name)) for column in columns), f"{first.of:,.0f}"])
    table(rows)


def main() -> None:
    """Play all strategies and print what they reach."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--dialogues", type=int, default=40, help="of each task")
    options.add_argument("--seed", type=int, default=1000)
    options.add_argument("--strategies", default="full,last:4,last:8,retrieval,summary:2,tree")
    given = options.parse_args()
    show({name: run(name, len(TASKS) * given.dialogues, given.seed) for name in given.strategies.split(",")})


if __name__ == "__main__":
    main()
