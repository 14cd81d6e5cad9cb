"""Benchmarks of either side of the partition, beside those that are not split; and where the partition comes from.

Per profile and side: turns a second of CPU, constraints in force, witnesses that fail, turns with a kind of the other
side, queries in which the rules miss the change, and what the two sides share.

.venv/bin/python benchmarks/split.py [dialogues]
.venv/bin/python benchmarks/split.py --salts    looks for numbers that halve each group (`_SALTS` in partition.py)
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import fmean

from evolif.exchange.shared_parts import shared_parts
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.scenarios.instructions.constraints import check, rule_checked
from evolif.scenarios.instructions.partition import EDITION, SIDES, Side, kind_hashed, side_of_constraint
from evolif.scenarios.instructions.queries import check_query
from evolif.scenarios.instructions.tracker import load_profile
from evolif.scenarios.instructions.tracker.profile import BUILT_IN, with_judged
from evolif.scenarios.instructions.tracker.sides import kinds_in_pool

TURNS = 20
READ = 500
"""Queries that are read, evenly over the turns."""
MOST_SALTS, NEAR = 2000, 0.06
"""Numbers that are tried, and the distance from one half that is near enough."""


def measure(profile: str, side: Side | None, dialogues: int, folder: Path) -> InstructionBenchmark:
    started = time.process_time()
    out = folder / f"{profile}-{side}"
    bench = generate(out, profile=profile, dialogues=dialogues, turns=TURNS, seed=1, split=side)
    taken = time.process_time() - started
    turns = [turn for dialogue in bench.dialogues() for turn in bench.turns(dialogue)]
    failing = sum(not all(v.satisfied for v in check(rule_checked(t.constraints), t.witness or "")) for t in turns)
    others = sum(side_of_constraint(one) not in (side, None) for t in turns for one in t.constraints) if side else 0
    read = turns[:: max(1, len(turns) // READ)]
    missed = sum(bool(check_query(turn, turn.query)) for turn in read)
    print(
        f"{profile}, {side or 'not split'}: {len(turns)} turns, {len(turns) / taken:.0f} a second of CPU; "
        f"{len(bench.header.spec.profile.groups)} groups, {fmean(len(turn.constraints) for turn in turns):.2f} "
        f"constraints in force; {failing} witnesses fail, {others} constraints of the other side, "
        f"of {len(read)} queries the rules miss the change in {missed}"
    )
    return bench


def measure_profile(profile: str, dialogues: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        measure(profile, None, dialogues, Path(name))
        train, test = (measure(profile, side, dialogues, Path(name)) for side in SIDES)
        print(f"    {' '.join(shared_parts(train, test).lines())}", flush=True)


def drawn() -> dict[str, list[Counter[str]]]:
    """What the packaged profiles draw of each group, in each of their stages; pools that draw alike once."""
    found: dict[str, list[Counter[str]]] = {}
    for name in BUILT_IN:
        profile = load_profile(name)
        for phase in (with_judged(profile) if name == "everyday" else profile).phases().values():
            for group in phase.groups:
                kinds = kinds_in_pool(group, phase.pools[group])
                if kinds not in found.setdefault(group, []):
                    found[group].append(kinds)
    return found


def share(group: str, kinds: Counter[str], salt: int) -> float:
    """Of what is drawn, that of the first side."""
    mine = sum(count for kind, count in kinds.items() if kind_hashed(group, kind, salt) == SIDES[0])
    return mine / kinds.total()


def look_for_salts() -> None:
    print(f"edition {EDITION}: the share of {SIDES[0]} in what the packaged profiles draw")
    for group, pools in sorted(drawn().items()):
        several = [kinds for kinds in pools if len(kinds) > 1]
        if not several:
            print(f"{group}: one kind")
            continue
        best, far = 0, 1.0
        for salt in range(MOST_SALTS):
            worst = max(abs(share(group, kinds, salt) - 0.5) for kinds in several)
            if worst < far - 1e-9:
                best, far = salt, worst
            if far < NEAR:
                break
        print(f"{group}: {best} ({', '.join(f'{share(group, kinds, best):.2f}' for kinds in pools)})")


def main() -> None:
    if sys.argv[1:] == ["--salts"]:
        look_for_salts()
        return
    dialogues = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for profile in BUILT_IN:
        measure_profile(profile, dialogues)


if __name__ == "__main__":
    main()
