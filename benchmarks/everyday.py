"""What the profile `everyday` draws, against what people ask for: `python benchmarks/everyday.py [DIALOGUES] [TURNS]`.

Prints shares of groups, loads by turn, kinds of turns, word limits, verified turns a second of one core, and what it
takes to tell strong models apart.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from statistics import NormalDist, fmean

from evolif.metrics import PROCESS, cluster_rows, pair_test
from evolif.metrics.power import dialogues_needed
from evolif.scenarios.instructions.synthesis import load_personas
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, script
from evolif.scenarios.instructions.tracker.load import LoadOperations
from evolif.scenarios.instructions.tracker.profile import load_topics_of
from evolif.scenarios.instructions.tracker.script import DrawStatistics
from evolif.scenarios.instructions.turns import ScriptTurn
from evolif.types import JudgedTurn, Session, Verdict

LOADS = {1: 1.9, 5: 3.6, 10: 4.2, 15: 5.0, 20: 5.3, 30: 5.5}
"""Constraints in force by turn, as the page simulated them."""
RARE = ("lettering", "wrap", "placement", "case", "digits", "sentences", "choice")
_MOST_RARE = 8
_SHORT = 100
PAIRS = ((0.95, 0.98), (0.98, 0.99), (0.99, 0.995))
"""Chances of keeping a constraint, of two models to be told apart."""
PATIENCE = 5
_SAMPLE = 4_000
"""Dialogues from which the number needed is read."""
_AT_ONCE = 50
_RUNS = 400
_SPREAD = 0.3
"""How much harder some dialogues are than others, for both models, as the simulated models have it."""
_KEPT = {held: Verdict("all", held, "", "") for held in (False, True)}


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


def session(model: str, dialogue: int, loads: Sequence[int], chance: float, random: Random) -> Session:
    """A session of a model that keeps each constraint with the same chance, over the loads of a drawn dialogue."""
    turns, left = [], PATIENCE
    for number, load in enumerate(loads, start=1):
        held = random.random() < chance**load
        turns.append(JudgedTurn(number, (_KEPT[held],)))
        left = PATIENCE if held else left - 1
        if not left:
            break
    ending = "censored" if left else "finished"
    return Session(model, dialogue, 1, PATIENCE, ending, turns=tuple(turns), cap=len(loads))


def played(pair: tuple[float, float], loads: Sequence[Sequence[int]], number: int, seed: str) -> list[list[Session]]:
    """Sessions of the two over so many dialogues, some of which are harder for both."""
    random, normal = Random(seed), NormalDist()
    wider = (1 + _SPREAD**2) ** 0.5
    sides: list[list[Session]] = [[], []]
    for dialogue in range(1, number + 1):
        own, difficulty = random.choice(loads), random.gauss(0, 1)
        for name, chance, side in zip("ab", pair, sides, strict=True):
            here = normal.cdf(wider * normal.inv_cdf(chance) - _SPREAD * difficulty)
            side.append(session(name, dialogue, own, here, random))
    return sides


def separation(turns: Sequence[ScriptTurn]) -> Iterator[str]:
    """Dialogues and calls that tell two models apart by ISR@N, and how often 50 dialogues do."""
    by_dialogue: dict[int, list[int]] = {}
    for turn in turns:
        by_dialogue.setdefault(turn.dialogue, []).append(len(turn.constraints))
    loads = list(by_dialogue.values())
    yield f"{'a constraint':<14} {'dialogues':>9} {'calls':>7} {f'told apart by {_AT_ONCE}':>18}"
    for pair in PAIRS:
        large = played(pair, loads, _SAMPLE, f"{pair} large")
        needed = dialogues_needed(PROCESS, *(list(cluster_rows(PROCESS, side).values()) for side in large), "isr_at_n")
        a_dialogue = sum(fmean(len(one.turns) for one in side) for side in large)
        found = 0
        for run in range(_RUNS):
            rows = [
                list(cluster_rows(PROCESS, side).values()) for side in played(pair, loads, _AT_ONCE, f"{pair} {run}")
            ]
            p = pair_test(PROCESS, *rows, "isr_at_n").p
            found += p is not None and p <= 0.05
        assert needed is not None  # of thousands of dialogues and models that differ
        calls = round(needed.dialogues * a_dialogue)
        yield f"{pair[0]} v {pair[1]:<6} {needed.dialogues:>9} {calls:>7,} {percent(found, _RUNS):>18}"


def main(dialogues: int, length: int) -> None:
    """Draw and print."""
    profile = load_profile("everyday")
    operations = profile.operations
    assert isinstance(operations, LoadOperations)
    spec, statistics = ScriptSpec(profile, load_topics_of(profile), 1, load_personas()), DrawStatistics()
    list(islice(script(spec, dialogues + 1), length))  # what is loaded once
    start = time.process_time()
    turns = [turn for number in range(1, dialogues + 1) for turn in islice(script(spec, number, statistics), length)]
    seconds = time.process_time() - start
    for part in (groups(turns, operations.weights), loads(turns), kinds(turns), limits(turns), separation(turns)):
        print(*part, sep="\n", end="\n\n")
    refused = sum(statistics.refused.values())
    impossible = sum(not turn.witness for turn in turns)
    print(f"{len(turns)} turns, {impossible} impossible; {len(turns) / seconds:.0f} verified turns a second")
    print(f"draws refused {percent(refused, statistics.draws).strip()}; kind changed {statistics.kind_changed}")
    for pair, number in sorted(statistics.refused.items(), key=lambda one: -one[1])[:10]:
        print(f"  {number:5} {' × '.join(pair)}")


if __name__ == "__main__":
    main(*map(int, (*sys.argv[1:3], *("200", "30")[len(sys.argv) - 1 :])))
