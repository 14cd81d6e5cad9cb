"""Hostile answers at 64 KiB: how long an instruction of all rule-checked groups of `paper` takes to judge each.

    .venv/bin/python benchmarks/hostile.py

The attacks are those of tests/constraints/test_hostile_text.py, where they are judged without a clock.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "constraints"))

from test_hostile_text import ATTACKS, LOOKS

from evolif.constraints import check

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
    for seconds, fmt, name in times[:8]:
        print(f"    {seconds:6.3f} s  {fmt:9} {name}")


if __name__ == "__main__":
    main()
