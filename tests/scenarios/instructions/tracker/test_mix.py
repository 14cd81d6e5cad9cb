"""The mix of 5 seeds × 200 dialogues × 50 turns beside the released reference's (10,000 turns, before the filter).

Moves are counted from turn 2: the first turn can only be new, and visits of 4.25 turns on average give the reference's
77.3 % only so. Shares are held to 2 percentage points, as the specification says. Constraints per turn are means over
dialogues: the reference has 200 of them with a standard deviation of about 2.2, hence a standard error of 0.16, or 4 %,
of its own figures at the later turns, and ours add another 2 %; 15 % leaves three of those together. The mean over all
turns varies less and is held to 6 %.
"""

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context

import pytest

from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics
from evolif.scenarios.instructions.tracker.script import DrawStatistics, raw_turns
from evolif.util.rng import Stream

pytestmark = pytest.mark.slow

SEEDS = range(1, 6)
DIALOGUES = 200
TURNS = 50
MOVES = {"continue": 77.3, "new": 10.1, "backtrack": 12.6}
OPERATIONS = {"add": 50.7, "modify": 39.1, "remove": 10.2}
CONSTRAINTS = {1: 1, 5: 1.44, 10: 2.53, 20: 3.75, 30: 3.71, 50: 4.20}
MEAN = 3.26


def count(seed: int) -> tuple[Counter[tuple[str, str | int]], DrawStatistics]:
    """Moves, operations with 2 to 11 active constraints, and constraints by turn, of one seed."""
    spec = ScriptSpec(load_profile("paper"), load_topics(), seed)
    counts: Counter[tuple[str, str | int]] = Counter()
    statistics = DrawStatistics()
    for dialogue in range(1, DIALOGUES + 1):
        for turn in islice(raw_turns(spec, dialogue, Stream(seed, 1, dialogue), statistics), TURNS):
            if turn.turn > 1:
                counts["move", turn.move] += 1
            if 2 <= len(turn.before) <= 11:
                counts["operation", turn.operation.kind] += 1
            counts["constraints", turn.turn] += len(turn.constraints)
    return counts, statistics


@pytest.fixture(scope="module")
def mix():
    counts: Counter[tuple[str, str | int]] = Counter()
    statistics = []
    # Fresh processes: a forked one would inherit whatever threads other tests have left behind.
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for part, drawn in pool.map(count, SEEDS):
            counts += part
            statistics.append(drawn)
    show(counts, statistics)
    return counts, statistics


def shares(counts, kind):
    total = sum(n for (name, _), n in counts.items() if name == kind)
    return {what: 100 * n / total for (name, what), n in counts.items() if name == kind}


def per_turn(counts):
    return {turn: counts["constraints", turn] / (DIALOGUES * len(SEEDS)) for turn in range(1, TURNS + 1)}


def rows(counts):
    for kind, reference in (("move", MOVES), ("operation", OPERATIONS)):
        found = shares(counts, kind)
        for what, expected in reference.items():
            yield f"{what}, %", found[what], expected
    means = per_turn(counts)
    for turn, expected in CONSTRAINTS.items():
        yield f"constraints at turn {turn}", means[turn], expected
    yield "constraints, mean", sum(means.values()) / TURNS, MEAN


def show(counts, statistics):
    print(f"\n{'':26}{'here':>8}{'reference':>11}")
    for name, here, reference in rows(counts):
        print(f"{name:26}{here:8.2f}{reference:11.2f}")
    turns, draws = sum(s.turns for s in statistics), sum(s.draws for s in statistics)
    print(f"{'first draws refused, %':26}{100 * (draws - turns) / turns:8.2f}")
    print(f"{'another group, %':26}{100 * sum(s.group_changed for s in statistics) / turns:8.2f}")
    print(f"{'another operation, %':26}{100 * sum(s.kind_changed for s in statistics) / turns:8.2f}")


def test_moves(mix):
    found = shares(mix[0], "move")
    assert all(abs(found[what] - expected) < 2 for what, expected in MOVES.items()), found


def test_operations_in_between(mix):
    found = shares(mix[0], "operation")
    assert all(abs(found[what] - expected) < 2 for what, expected in OPERATIONS.items()), found


def test_constraints_per_turn(mix):
    found = per_turn(mix[0])
    assert found[1] == 1
    assert all(abs(found[turn] - expected) < 0.15 * expected for turn, expected in CONSTRAINTS.items()), found


def test_mean_constraints(mix):
    assert sum(per_turn(mix[0]).values()) / TURNS == pytest.approx(MEAN, rel=0.06)


def test_moves_and_operations_are_seldom_changed_for_want_of_a_witness(mix):
    statistics = mix[1]
    assert sum(s.kind_changed for s in statistics) <= 0.005 * sum(s.turns for s in statistics)
