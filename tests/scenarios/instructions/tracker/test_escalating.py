"""The profile `escalating`: load and hardness grow with the turn, and every turn still carries a witness.

The goals are those of its page (docs/profiles.md). Sessions are simulated by a responder that keeps each constraint
with the same probability, independently of the others.
"""

import random
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice, pairwise
from multiprocessing import get_context
from statistics import fmean, median

import pytest

from evolif.scenarios.instructions.constraints import check, get_group
from evolif.scenarios.instructions.players import Skill
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script

PROFILE = load_profile("escalating")
SPEC = ScriptSpec(PROFILE, load_topics(), 1)
CAP = 120
STEADY = Skill("steady", 0)


@dataclass(frozen=True)
class Shape:
    """What the tests need of a turn."""

    load: int
    missed: float
    """How many constraints `sim/steady` is documented to miss on average."""


def verified(dialogue, turns):
    """The shapes of a dialogue's turns, whose witnesses were checked."""
    shapes = []
    for turn in islice(script(SPEC, dialogue), turns):
        wrong = [v for v in check(turn.constraints, turn.witness) if v.satisfied is not True]
        assert not wrong, (turn, wrong)
        missed = sum(1 - STEADY.chance(c.group, 1) for c in turn.constraints)
        shapes.append(Shape(len(turn.constraints), missed))
    return shapes


def whole(dialogue):
    return verified(dialogue, CAP)


def test_rules_check_all_of_it_and_its_cap_is_its_own():
    assert not any(get_group(name).subjective for name in PROFILE.groups)
    assert "language" not in PROFILE.groups
    assert (PROFILE.protocol.patience, PROFILE.protocol.max_turns) == (3, CAP)


@pytest.mark.slow
def test_four_constraints_are_in_force_by_turn_five():
    loads = [len(list(islice(script(SPEC, number), 5))[-1].constraints) for number in range(1, 201)]
    assert fmean(loads) >= 4


@pytest.mark.slow
def test_no_turn_of_a_few_thousand_is_impossible():
    dialogues = [verified(number, 80) for number in range(301, 331)]
    assert fmean(shapes[59].load for shapes in dialogues) > 2 * fmean(shapes[9].load for shapes in dialogues)


@pytest.fixture(scope="module")
def dialogues():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        return list(pool.map(whole, range(1, 101), chunksize=10))


def by_tens(dialogues, value):
    """Means over dialogues and ten turns each."""
    return [fmean(value(s) for shapes in dialogues for s in shapes[at : at + 10]) for at in range(0, CAP, 10)]


@pytest.mark.slow
def test_the_load_reaches_nine_by_turn_sixty_and_does_not_fall(dialogues):
    loads = by_tens(dialogues, lambda shape: shape.load)
    print([round(load, 1) for load in loads])
    assert all(after > before - 0.2 for before, after in pairwise(loads))  # 0.2: about one standard error
    assert fmean(shapes[59].load for shapes in dialogues) >= 9
    assert min(loads[6:]) >= 9


@pytest.mark.slow
def test_the_share_that_steady_misses_rises_up_to_turn_one_hundred(dialogues):
    loads, missed = (by_tens(dialogues, value) for value in (lambda s: s.load, lambda s: s.missed))
    shares = [m / load for m, load in zip(missed, loads, strict=True)][:10]
    print([f"{share:.2%}" for share in shares])
    assert all(after > before - 0.001 for before, after in pairwise(shares))
    assert shares[-1] > 1.5 * shares[0]
    assert shares[-1] >= max(shares) - 0.001


def ending(reliability, shapes, chance):
    """The turn at which patience 3 is exhausted; past the cap if it is not."""
    patience = 3
    for number, shape in enumerate(shapes, 1):
        patience = 3 if chance.random() < reliability**shape.load else patience - 1
        if not patience:
            return number
    return CAP + 1


@pytest.mark.slow
@pytest.mark.parametrize(("reliability", "turn"), [(0.90, 30), (0.95, 60), (0.97, 120)])
def test_the_median_session_ends_in_time(dialogues, reliability, turn):
    chance = random.Random(7)
    ends = [ending(reliability, shapes, chance) for shapes in dialogues for _ in range(20)]
    print(reliability, median(ends), f"{sum(end > CAP for end in ends) / len(ends):.1%} at the cap")
    assert median(ends) <= turn
