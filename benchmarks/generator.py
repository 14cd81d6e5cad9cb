"""Generation: verified turns a second on one core, and how draws without a witness are spread.

For `escalating` also the load by turn, and the speed with nine constraints and more in force.

.venv/bin/python benchmarks/generator.py [dialogues]
"""

from __future__ import annotations

import sys
import time
from itertools import islice
from statistics import fmean

from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics
from evolif.scenarios.instructions.tracker.script import DrawStatistics, raw_turns
from evolif.util.rng import Stream

TURNS = 50
DEEP_TURNS, DEEP_LOAD = 60, 9
SHOWN = (1, 2, 3, 4, 5, 8, 10, 20, 30, 40, 50, 60, 80, 100, 120)


def measure(profile: str, dialogues: int) -> None:
    spec = ScriptSpec(load_profile(profile), load_topics(), 0)
    statistics = DrawStatistics()
    list(islice(raw_turns(spec, 0, Stream(0, 1, 0), DrawStatistics()), TURNS))  # loads parsers and data
    started = time.process_time()
    for dialogue in range(1, dialogues + 1):
        for _ in islice(raw_turns(spec, dialogue, Stream(0, 1, dialogue), statistics), TURNS):
            pass
    taken = time.process_time() - started
    refused = sum(statistics.refused.values())
    print(
        f"{profile}: {statistics.turns} verified turns, {statistics.turns / taken:.0f} a second of CPU; "
        f"{100 * refused / statistics.draws:.1f} % of draws refused, group changed in "
        f"{100 * statistics.group_changed / statistics.turns:.2f} %, kind in "
        f"{100 * statistics.kind_changed / statistics.turns:.2f} % of turns"
    )
    for groups, count in sorted(statistics.refused.items(), key=lambda item: -item[1])[:8]:
        print(f"    {100 * count / statistics.draws:5.2f} % {' × '.join(groups)}")


def measure_growth(dialogues: int) -> None:
    """The load of `escalating` by turn, and its speed over the first turns and under a high load."""
    spec = ScriptSpec(load_profile("escalating"), load_topics(), 0)
    loads: list[list[int]] = []
    first = deep = 0.0
    deep_turns = 0
    for dialogue in range(1, dialogues + 1):
        turns = raw_turns(spec, dialogue, Stream(0, 1, dialogue), DrawStatistics())
        loads.append([])
        for number in range(1, SHOWN[-1] + 1):
            started = time.process_time()
            load = len(next(turns).constraints)
            taken = time.process_time() - started
            loads[-1].append(load)
            first += taken if number <= DEEP_TURNS else 0
            if load >= DEEP_LOAD:
                deep, deep_turns = deep + taken, deep_turns + 1
    print(
        f"escalating: {dialogues * DEEP_TURNS / first:.0f} a second of CPU over turns 1 to {DEEP_TURNS}, "
        f"{deep_turns / deep:.0f} with {DEEP_LOAD} constraints and more"
    )
    print("    constraints by turn: " + ", ".join(f"{n}: {fmean(x[n - 1] for x in loads):.2f}" for n in SHOWN))


def main() -> None:
    dialogues = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for profile in ("paper", "objective", "extended", "escalating"):
        measure(profile, dialogues)
    measure_growth(dialogues)


if __name__ == "__main__":
    main()
