"""Hostile answers at 64 KiB: how long an instruction of all rule-checked groups of `paper` takes to judge each.

    .venv/bin/python benchmarks/hostile.py

The attacks are those of tests/scenarios/instructions/constraints/test_hostile_text.py, judged there without a
clock. Then every regular expression of the package is pumped with pieces of its own alphabet, as in
tests/test_patterns.py.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "constraints"))

from pumped_patterns import SIZE, patterns, pumped, pumps, seconds
from test_hostile_text import ATTACKS, LOOKS
from test_patterns import ANCHORED, BOUNDED

from evolif.scenarios.instructions.constraints import check

INSTRUCTION = [
    {"group": "start_with", "params": {"mode": "keyword", "value": "a"}},
    {"group": "end_with", "params": {"mode": "quotation", "left": "'", "right": "'"}},
    {"group": "bullets", "params": {"count": 3}},
    {"group": "length", "params": {"unit": "sentences", "relation": "exactly", "count": 3}},
    {"group": "existence", "params": {"counts": {"kyoto": 3, "a": 2}}},
    {"group": "forbidden", "params": {"keywords": ["kyoto", "b a"]}},
    {"group": "case", "params": {"mode": "share", "percent": 10}},
    {"group": "punctuation", "params": {"mode": "exclude", "mark": ":"}},
]


def main() -> None:
    times = []
    for name, text in ATTACKS.items():
        formats = [None, *(fmt for fmt, looks in LOOKS.items() if text.startswith(looks))]
        for fmt in formats:
            asked = [*INSTRUCTION, {"group": "format", "params": {"mode": fmt}}] if fmt else INSTRUCTION
            started = time.perf_counter()
            check(asked, text)
            times.append((time.perf_counter() - started, fmt or "plain", name))
    times.sort(reverse=True)
    print(f"{len(times)} judgements of {len(ATTACKS)} attacks; slowest:")
    for took, fmt, name in times[:8]:
        print(f"    {took:6.3f} s  {fmt:9} {name}")
    pump_patterns()


def pump_patterns() -> None:
    """Every pattern with every text that its alphabet gives."""
    slowest, texts = [], 0
    for name, found in patterns().items():
        size, _ = BOUNDED.get(name, (SIZE, ""))
        anchored = found.anchored or name in ANCHORED
        times = [(seconds(found.pattern, pumped(one, size), anchored), one) for one in pumps(found.pattern)]
        texts += len(times)
        slowest.append((*max(times), name))
    print(f"{len(slowest)} patterns, {texts} pumped texts of {SIZE >> 10} KB; slowest:")
    for took, (beginning, piece), name in sorted(slowest, reverse=True)[:8]:
        print(f"    {took:6.3f} s  {name:40} {beginning!r} + {piece!r} × n")


if __name__ == "__main__":
    main()
