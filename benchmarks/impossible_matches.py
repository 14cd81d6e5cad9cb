"""What simulated matches contain that cannot happen: lists of 41 and 38 impossibilities, read from the rows alone.

A table for each sport and edition of the simulator: how often each impossibility occurs, in how many matches.

.venv/bin/python benchmarks/impossible_matches.py [matches [seed]]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from evolif.scenarios.broadcast import simulate

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "scenarios" / "broadcast"))
import impossible_basketball
import impossible_hockey

CHECKERS: Mapping[str, ModuleType] = {"basketball": impossible_basketball, "hockey": impossible_hockey}


def table(sport: str, edition: int, matches: int, seed: int) -> None:
    """Print how often each impossibility occurs, in Markdown; those that never occur are counted in a sentence."""
    checker = CHECKERS[sport]
    found: Counter[str] = Counter()
    having: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for number in range(matches):
        match = simulate(sport, number, seed=seed, match_edition=edition)
        broken: list[tuple[str, int]] = list(checker.broken_rules(match))
        found.update(name for name, _ in broken)
        having.update({name for name, _ in broken})
        for name, at in broken:
            shown.setdefault(name, _row(match, at))
    print(f"\n### {sport}, edition {edition}: {found.total()} impossible events in {matches} matches\n")
    if found:
        print("| impossible | events | matches | first |\n|---|---|---|---|")
    for name, count in found.most_common():
        print(f"| {name} | {count} | {having[name]} | {shown[name]} |")
    print(f"\nNever: {len(checker.RULES) - len(found)} of {len(checker.RULES)}.", flush=True)


def _row(match: Mapping[str, Any], at: int) -> str:
    event = match["events"][at]
    return f"match {match['number']}, period {event['period']}, {event['clock']}: {event['text']}"


def main() -> None:
    """Print the tables of both sports and both editions."""
    matches, seed = map(int, (*sys.argv[1:3], "2000", "7")[:2] if len(sys.argv) != 2 else (sys.argv[1], "7"))
    for sport in CHECKERS:
        for edition in (1, 2):
            table(sport, edition, matches, seed)


if __name__ == "__main__":
    main()
