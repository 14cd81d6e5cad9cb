"""What the profile `everyday` draws, against what people ask for: `python benchmarks/everyday.py [DIALOGUES] [TURNS]`.

Prints shares of groups, loads by turn, kinds of turns, word limits, and verified turns a second of one core.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, script
from evolif.scenarios.instructions.tracker.load import LoadOperations
from evolif.scenarios.instructions.tracker.profile import load_topics_of
from evolif.scenarios.instructions.tracker.script import DrawStatistics
from evolif.scenarios.instructions.turns import ScriptTurn

LOADS = {1: 1.9, 5: 3.6, 10: 4.2, 15: 5.0, 20: 5.3, 30: 5.5}
"""Constraints in force by turn, as the page simulated them."""
RARE = ("lettering", "wrap", "placement", "case", "digits", "sentences", "choice")
_MOST_RARE = 8
_SHORT = 100


def percent(part: int, whole: int) -> str:
    """A share in percent."""
    return f"{100 * part / whole:5.1f} %" if whole else "    – "


def groups(turns: Sequence[ScriptTurn], weights: dict[str, int]) -> Iterator[str]:
    """How often each group is added, against its weight."""
    added = Counter(one.group for turn in turns for one in turn.operations if one.kind == "add")
    first = Counter(turn.operations[0].group for turn in turns if turn.act == "state")
    force = Counter(constraint.group for turn in turns for constraint in turn.constraints)
    yield f"{'group':<12} {'page':>8} {'first':>8} {'added':>8} {'in force':>8}"
    for group, weight in weights.items():
        shares = [percent(seen[group], seen.total()) for seen in (first, added, force)]
        yield f"{group:<12} {percent(weight, sum(weights.values())):>8} " + " ".join(f"{share:>8}" for share in shares)


def loads(turns: Sequence[ScriptTurn]) -> Iterator[str]:
    """Constraints in force by turn, and the share of rare groups."""
    yield f"{'turn':<12} {'in force':>8} {'page':>8} {'rare':>8}"
    for mark, goal in LOADS.items():
        here = [turn.constraints for turn in turns if turn.turn == mark]
        total = sum(map(len, here))
        rare = sum(c.group in RARE for constraints in here for c in constraints)
        if here:
            yield f"{mark:<12} {total / len(here):>8.2f} {goal:>8} {percent(rare, total):>8}"
    depths: dict[int, list[int]] = {}
    for turn in turns:
        seen = depths.setdefault(turn.turn, [0, 0])
        seen[0] += sum(c.group in RARE for c in turn.constraints)
        seen[1] += len(turn.constraints)
    most = max(depths, key=lambda depth: depths[depth][0] / depths[depth][1])
    yield f"rare groups at most {percent(*depths[most])} (turn {most}); goal: {_MOST_RARE} % at every depth"


def kinds(turns: Sequence[ScriptTurn]) -> Iterator[str]:
    """Kinds of turns."""
    seen = Counter(turn.act if turn.act != "change" else turn.kind for turn in turns)
    yield "; ".join(f"{kind} {percent(number, len(turns)).strip()}" for kind, number in seen.most_common())
    adds = Counter(len(turn.operations) for turn in turns if turn.kind == "add")
    several = adds.total() - adds[1]
    yield f"adds that state two or three: {percent(several, adds.total()).strip()} (first turns of topics among them)"
    later = Counter(len(turn.operations) for turn in turns if turn.kind == "add" and turn.act == "change")
    yield f"the same without first turns: {percent(later.total() - later[1], later.total()).strip()}"


def limits(turns: Sequence[ScriptTurn]) -> Iterator[str]:
    """Upper word limits of 100 or fewer."""
    drawn = [
        one.after
        for turn in turns
        for one in turn.operations
        if one.group == "length" and one.after is not None and one.after["unit"] == "words"
    ]
    most = [params["count"] for params in drawn if params["relation"] == "at_most"]
    short = percent(sum(count <= _SHORT for count in most), len(most)).strip()
    yield f"upper word limits of {_SHORT} or fewer: {short}; goal: 70 to 85 %"


def main(dialogues: int, length: int) -> None:
    """Draw and print."""
    profile = load_profile("everyday")
    operations = profile.operations
    assert isinstance(operations, LoadOperations)
    spec, statistics = ScriptSpec(profile, load_topics_of(profile), 1), DrawStatistics()
    list(islice(script(spec, dialogues + 1), length))  # what is loaded once
    start = time.process_time()
    turns = [turn for number in range(1, dialogues + 1) for turn in islice(script(spec, number, statistics), length)]
    seconds = time.process_time() - start
    for part in (groups(turns, operations.weights), loads(turns), kinds(turns), limits(turns)):
        print(*part, sep="\n", end="\n\n")
    refused = sum(statistics.refused.values())
    impossible = sum(not turn.witness for turn in turns)
    print(f"{len(turns)} turns, {impossible} impossible; {len(turns) / seconds:.0f} verified turns a second")
    print(f"draws refused {percent(refused, statistics.draws).strip()}; kind changed {statistics.kind_changed}")
    for pair, number in sorted(statistics.refused.items(), key=lambda one: -one[1])[:10]:
        print(f"  {number:5} {' × '.join(pair)}")


if __name__ == "__main__":
    main(*map(int, (*sys.argv[1:3], *("200", "30")[len(sys.argv) - 1 :])))
