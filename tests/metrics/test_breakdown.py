"""CSR and ISR of parts of the turns."""

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sessions_by_hand import judged_turn, play, prompt

from evolif.errors import UsageError
from evolif.metrics import (
    UNKNOWN,
    Breakdown,
    breakdown,
    process_intervals,
    process_metrics,
    records_from_sessions,
    satisfaction_by_group,
)
from evolif.metrics.breakdown import BREAKDOWNS
from evolif.scenario import get_scenario
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.verdicts import mode_of
from evolif.types import JudgedTurn, Session, Verdict

OWN = {one.name: one for one in get_scenario("instructions").breakdowns}
"""Those of instruction following."""
CASUAL = "hey, can u redo that lol"

# Patience 3 runs out in the seventh turn of dialogue 1: its eighth does not count. Suspended dialogues never do.
SESSIONS = [
    play(1, "11 10 0 1 01 0 0 11"),
    play(2, "1 ? 111 0?", "censored"),
    play(3, "1 1 1", "suspended"),
    play(4, "0 0 0", "withheld"),
    play(5, "0", None),
]


def test_by_group_each_turn_has_the_constraints_of_the_group_alone():
    slices = breakdown(SESSIONS, [], "group")
    assert list(slices) == ["bullets", "case", "length"]
    length = slices["length"]
    # Dialogue 1: 1 1 0 1 0 0 0; dialogue 2: 1 ? 1 0.
    assert (length.satisfied, length.judged, length.not_judged) == (5, 10, 1)
    assert (length.ok, length.turns, length.dialogues) == (5, 10, 2)
    assert length.csr == length.isr == length.rate == float(F(5, 10))
    bullets = slices["bullets"]
    # Dialogue 1: 1 0 1; dialogue 2: 1 ?.
    assert (bullets.satisfied, bullets.judged, bullets.not_judged, bullets.turns) == (3, 4, 1, 4)
    assert {key: (s.satisfied, s.judged) for key, s in slices.items()} == satisfaction_by_group(SESSIONS)


def test_by_load_turns_have_all_their_constraints():
    slices = breakdown(SESSIONS, [], "load")
    assert list(slices) == [1, 2, 3]
    # Load 1: 0 1 0 0 of dialogue 1 and 1 ? of dialogue 2; load 2: 11 10 01 of dialogue 1 and 0? of dialogue 2.
    assert (slices[1].ok, slices[1].turns, slices[1].not_judged) == (2, 5, 1)
    assert slices[1].csr == slices[1].isr == float(F(2, 5))
    two = slices[2]
    assert two.csr == float((F(2, 2) + F(1, 2) + F(1, 2) + F(0, 1)) / 4)
    assert two.isr == float(F(1, 4))
    assert two.rate == float(F(4, 7))
    assert (two.satisfied, two.judged, two.not_judged, two.dialogues) == (4, 7, 1, 2)
    assert slices[3].csr_interval is slices[3].isr_interval is None  # of one dialogue alone


def test_a_key_with_nothing_judged_has_no_rates():
    only = breakdown([play(1, "? ?", "censored"), play(2, "1", "censored")], [], "turn")[2]
    assert (only.turns, only.not_judged, only.dialogues) == (0, 1, 0)
    assert only.csr is only.isr is only.rate is only.csr_interval is only.isr_interval is None


def test_by_turn_depth_and_move():
    turns = (
        judged_turn(1, "1", depth=1, move="new"),
        judged_turn(2, "0", depth=2, move="continue"),
        judged_turn(3, "1", depth=1, move="new"),
        judged_turn(4, "10", depth=3, move="backtrack"),
    )
    sessions = [Session("m", 1, 0, 3, "censored", turns=turns)]
    assert {k: (s.ok, s.turns) for k, s in breakdown(sessions, [], "turn").items()} == {
        1: (1, 1), 2: (0, 1), 3: (1, 1), 4: (0, 1),
    }  # fmt: skip
    assert {k: (s.ok, s.turns) for k, s in breakdown(sessions, [], OWN["depth"]).items()} == {
        1: (2, 2), 2: (0, 1), 3: (0, 1),
    }  # fmt: skip
    moves = breakdown(sessions, [], OWN["move"])
    assert list(moves) == ["backtrack", "continue", "new"]
    assert (moves["backtrack"].csr, moves["new"].csr) == (0.5, 1.0)


def test_what_only_the_prompts_know():
    prompts = [
        prompt(1, 1, "length", "bullets", operation="add", source="template", register="casual", query=CASUAL),
        prompt(
            1,
            2,
            "length",
            "bullets",
            operation="modify",
            source="m/x",
            register="casual",
            query="Kindly revise it, sir.",
        ),
        prompt(1, 3, "length", operation="remove", source="", register="casual", query=CASUAL),
    ]
    session = play(1, "11 10 0 1", "censored")

    def ok(by):
        return {k: (s.ok, s.turns) for k, s in breakdown([session], prompts, OWN[by]).items()}

    assert ok("operation") == {"add": (1, 1), "modify": (0, 1), "remove": (0, 1), UNKNOWN: (1, 1)}
    assert ok("synthesizer") == {"m/x": (0, 1), "template": (1, 1), UNKNOWN: (1, 2)}
    assert ok("register") == {"casual": (1, 3), UNKNOWN: (1, 1)}
    assert ok("formality") == {"formal": (0, 1), "informal": (1, 2), UNKNOWN: (1, 1)}


def test_by_mode():
    prompts = [prompt(1, 1, "length", "bullets"), prompt(1, 2, "length", "bullets", "case"), prompt(1, 3, "bullets")]
    slices = breakdown([play(1, "11 100 0 1", "censored")], prompts, OWN["mode"])
    assert {key: (s.satisfied, s.judged) for key, s in slices.items()} == {
        "bullets/count": (1, 2),
        "case/all_lower": (0, 1),
        "length/unknown": (1, 2),  # turn 3 has other constraints than its prompts, turn 4 none
        "length/words.less_than": (2, 2),
    }


def test_a_key_of_ones_own():
    def odd(turn, asked):
        return None if turn.turn % 2 == 0 else asked.labels["register"] if asked else 0

    slices = breakdown([play(1, "1 0 1", "censored")], [prompt(1, 3, register="warm")], odd)
    assert {k: (s.ok, s.turns) for k, s in slices.items()} == {0: (1, 1), "warm": (1, 1)}


@pytest.mark.parametrize(
    ("group", "params", "mode"),
    [
        ("start_with", {"mode": "letter", "value": "k"}, "letter"),
        ("format", {"mode": "json", "keys": ["a"]}, "json_keys"),
        ("bullets", {"count": 2, "kind": "numbered"}, "numbered"),
        ("length", {"unit": "sentences", "relation": "exactly", "count": 2}, "sentences.exactly"),
        ("existence", {"counts": {"a": 1}}, "all"),
        ("emotion", {"emotion": "happy"}, "happy"),
        ("digits", {"mode": "none"}, "none"),
        ("length", {}, UNKNOWN),
        ("of another house", {"mode": "x"}, UNKNOWN),
    ],
)
def test_modes(group, params, mode):
    assert mode_of(Constraint(group, params)) == mode


def test_a_slice_of_everything_is_the_table():
    sessions = [play(d, f"{'1 ' * (d % 5)}10 0 0", epoch=e) for d in range(12) for e in (0, 1)]
    records = records_from_sessions(sessions).records
    metrics, intervals = process_metrics(records), process_intervals(records)
    (all_of_it,) = breakdown(sessions, [], lambda turn, prompts: "all").values()
    assert (all_of_it.csr, all_of_it.isr) == pytest.approx((metrics.csr, metrics.isr))
    assert all_of_it.csr_interval == pytest.approx(intervals["csr"], abs=1e-9)
    assert all_of_it.isr_interval == pytest.approx(intervals["isr"], abs=1e-9)
    assert all_of_it.dialogues == 12


def test_epochs_count_as_one_dialogue():
    once = [play(d, "1 0 0 0" if d % 2 else "1 1 1 0 0 0") for d in range(8)]
    twice = once + [play(s.dialogue, " ".join("1" if t.judged[0] else "0" for t in s.turns), epoch=1) for s in once]
    one, two = (breakdown(own, [], "group")["length"] for own in (once, twice))
    assert two.turns == 2 * one.turns
    assert two.isr_interval == pytest.approx(one.isr_interval)


def test_few_dialogues_have_no_interval():
    raw = ["0 0 0", "1 1 1 0 0 0", "1 0 0 0", "0 1 0 0 0", "1 1 0 0 0"]
    few = breakdown([play(d, turns) for d, turns in enumerate(raw)], [], "group")["length"]
    assert (few.isr_interval, few.csr_interval) == (None, None)
    enough = breakdown([play(d, turns) for d, turns in enumerate([*raw, "1 0 0 0"])], [], "group")["length"]
    low, high = enough.isr_interval
    assert 0 < low < enough.isr < high < 1


def test_refusals():
    with pytest.raises(UsageError, match="unknown breakdown “colour”; use group, load, turn"):
        breakdown([], [], "colour")
    with pytest.raises(UsageError, match="one model at a time"):
        breakdown([play(1, "1"), play(2, "1", model="sim/other")], [], "group")


def test_nothing_at_all():
    for by in (*BREAKDOWNS, *OWN.values()):
        assert breakdown([], [], by) == {}


def test_by_a_label():
    def turn(number, satisfied, seat="target", **labels):
        return JudgedTurn(number, (Verdict("move", satisfied, "", ""),), labels, seat=seat)

    turns = (turn(1, True, board=0), turn(2, False, "partner", board=0), turn(3, False, board=""), turn(4, False))
    sessions = [Session("m", 1, 0, None, "finished", turns=turns)]
    found = breakdown(sessions, [prompt(1, 4, board=2)], Breakdown("size", "board", "", label="board"))
    assert {key: (one.ok, one.turns) for key, one in found.items()} == {0: (1, 1), 2: (0, 1), UNKNOWN: (0, 1)}


@given(st.lists(st.lists(st.text("10?", min_size=1, max_size=4), max_size=8), max_size=6), st.randoms())
def test_any_order_and_nothing_lost(raw, random):
    sessions = [play(d, " ".join(turns), "censored") for d, turns in enumerate(raw)]
    shuffled = random.sample(sessions, len(sessions))
    records = records_from_sessions(sessions)
    for by in ("group", "load", "turn"):
        slices = breakdown(sessions, [], by)
        assert breakdown(shuffled, [], by) == slices
        assert sum(s.judged for s in slices.values()) == sum(len(t) for r in records.records for t in r.turns)
        assert sum(s.not_judged for s in slices.values()) == records.not_judged_constraints
    turns = breakdown(sessions, [], "turn").values()
    assert sum(s.turns for s in turns) == sum(len(r.turns) for r in records.records)
    assert sum(s.ok for s in turns) == sum(all(t) for r in records.records for t in r.turns)
