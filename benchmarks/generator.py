"""Generation: verified turns a second on one core, and how draws without a witness are spread.

.venv/bin/python benchmarks/generator.py [dialogues]
"""

from __future__ import annotations

import sys
import time
from itertools import islice

from evolif.rng import Stream
from evolif.tracker import DrawStatistics, ScriptSpec, load_profile, load_topics, raw_turns

TURNS = 50


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


def main() -> None:
    dialogues = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for profile in ("paper", "objective", "extended"):
        measure(profile, dialogues)


if __name__ == "__main__":
    main()
