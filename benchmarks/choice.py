"""Rules of choice: what they change in the scripts, and that moves, operations and load stay those of the profile.

Each profile with rules is drawn with them and without them, before `keep` leaves out dialogues. *Off* is how far the
shares of operations are from the probabilities that the profile gives in the state of each turn, in percentage points.

.venv/bin/python benchmarks/choice.py [turns [profile …]]
"""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from itertools import islice
from statistics import fmean

from evolif.scenarios.instructions.constraints.compatibility import is_closed
from evolif.scenarios.instructions.synthesis import load_personas
from evolif.scenarios.instructions.tracker import Profile, ScriptSpec, load_profile, load_topics
from evolif.scenarios.instructions.tracker.choice import used_keywords
from evolif.scenarios.instructions.tracker.profile import OperationWeights
from evolif.scenarios.instructions.tracker.script import DrawStatistics, raw_turns
from evolif.scenarios.instructions.turns import ScriptTurn
from evolif.util.rng import Purpose, Stream

PROFILES = {"objective": 50, "extended": 50, "escalating": 120}
"""Turns of a dialogue, by profile."""
KINDS = ("add", "modify", "remove")
MOVES = ("continue", "new", "backtrack")


def expected(profile: Profile, turn: ScriptTurn) -> dict[str, float]:
    """The probabilities of the operations before the turn, as the state machine weighs them."""
    active = {c.group: c.params for c in turn.before}
    free = any(g not in active and not is_closed(g, active) for g in profile.groups)
    if not active:
        return {"add": 1.0}
    operations = profile.operations
    between = operations.one if len(active) == 1 else operations.between
    full = operations.full if len(active) == len(profile.groups) else operations.none_free
    weights: OperationWeights = between if free else full
    given = {"add": weights.add if free else 0, "modify": weights.modify}
    given["remove"] = weights.remove if len(active) > 1 else 0
    total = sum(given.values())
    return {kind: weight / total for kind, weight in given.items()} if total else {"modify": 1.0}


class Count:
    """What is counted over the scripts of one profile."""

    def __init__(self) -> None:
        self.turns = 0
        self.moves: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.expected: Counter[str] = Counter()
        self.groups: Counter[str] = Counter()
        self.loads: dict[int, list[int]] = defaultdict(list)
        self.found: Counter[str] = Counter()

    def dialogue(self, profile: Profile, turns: list[ScriptTurn]) -> None:
        phases = profile.phases()
        current, last = profile, ""
        given_up: dict[tuple[str, str], list[object]] = defaultdict(list)
        for turn in turns:
            current = phases.get(turn.turn, current)
            operation = turn.operation
            earlier = given_up[turn.topic.id, operation.group]
            self.turns += 1
            self.moves[turn.move] += 1
            self.kinds[operation.kind] += 1
            self.expected.update(expected(current, turn))
            self.groups[operation.group] += 1
            self.loads[turn.turn].append(len(turn.constraints))
            same = operation.kind == "modify" and operation.group == last
            self.found["same group"] += same
            self.found["same group, another in force"] += same and len(turn.before) > 1
            self.found["modified back"] += operation.kind == "modify" and operation.after in earlier
            self.found["added back"] += operation.kind == "add" and operation.after in earlier
            if operation.group == "forbidden" and operation.after:
                used = used_keywords(turn.topic)
                self.found["word of the task forbidden"] += not used.isdisjoint(operation.after["keywords"])
            if operation.before is not None:
                earlier.append(operation.before)
            last = operation.group

    def show(self, name: str, seconds: float) -> None:
        load = fmean(value for values in self.loads.values() for value in values)
        print(f"{name}: {self.turns} turns, {self.turns / seconds:.0f} a second of CPU; {load:.3f} constraints a turn")
        print("    moves: " + ", ".join(f"{m} {100 * self.moves[m] / self.turns:.2f} %" for m in MOVES))
        shares = {kind: (100 * self.kinds[kind] / self.turns, 100 * self.expected[kind] / self.turns) for kind in KINDS}
        print("    operations: " + ", ".join(f"{k} {s:.2f} % (off {s - e:+.2f})" for k, (s, e) in shares.items()))
        print(
            "    load by turn: " + ", ".join(f"{n}: {fmean(v):.2f}" for n, v in self.loads.items() if n % 10 in (0, 5))
        )
        modifies = self.kinds["modify"]
        print("    " + ", ".join(f"{what}: {n} ({100 * n / modifies:.2f})" for what, n in self.found.items()))
        print("    groups: " + ", ".join(f"{g} {100 * n / self.turns:.1f}" for g, n in self.groups.most_common()))


def measure(name: str, least: int, rules: bool) -> None:
    profile = load_profile(name)
    if not rules:
        profile = profile.model_copy(update={"choice": None})
    spec, length, count = ScriptSpec(profile, load_topics(), 0, load_personas()), PROFILES[name], Count()
    taken = 0.0
    for dialogue in range(1, -(-least // length) + 1):
        started = time.process_time()
        turns = list(islice(raw_turns(spec, dialogue, Stream(0, Purpose.SCRIPT, dialogue), DrawStatistics()), length))
        taken += time.process_time() - started
        count.dialogue(profile, turns)
    count.show(f"{name} {'with' if rules else 'without'} rules", taken)


def main() -> None:
    least = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for name in sys.argv[2:] or PROFILES:
        for rules in (False, True):
            measure(name, least, rules)


if __name__ == "__main__":
    main()
