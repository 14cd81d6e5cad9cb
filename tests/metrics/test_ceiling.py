"""What a perfect responder would reach."""

from fractions import Fraction as F

import pytest
from sessions_by_hand import prompt

from evolif.errors import UsageError
from evolif.metrics.replay import Miss
from evolif.metrics.replay import ceiling as replay
from evolif.scenarios.instructions import requirements_of
from evolif.scenarios.instructions.verdicts import witness_verdicts
from evolif.types import JudgedTurn, Message, Prompt, Verdict

GOOD = "a harbor town\n\n- rope\n- lamp"
THREE = "- one\n- two\n- three"


def ceiling(prompts, patience):
    return replay(prompts, patience, witness_verdicts, lambda prompt: requirements_of(prompt).witness is not None)


def test_witnesses_reach_everything():
    prompts = [prompt(d, t, "length", "bullets", "emotion", witness=GOOD, depth=t) for d in (1, 2) for t in (1, 2, 3)]
    found = ceiling(prompts, 3)
    assert (found.turns, found.without_witness, found.failing, found.misses) == (6, 0, 0, ())
    assert (
        found.metrics.value("edr_len"),
        found.metrics.value("rob"),
        found.metrics.value("csr"),
        found.metrics.value("isr"),
    ) == (3, 1, 1, 1)
    assert (found.metrics.value("rec"), found.metrics.dialogues) == (None, 2)
    assert {s.ending for s in found.sessions} == {"censored"}
    assert [v.satisfied for v in found.sessions[0].turns[0].verdicts] == [True, True, None]
    assert [turn.labels["depth"] for turn in found.sessions[0].turns] == [1, 2, 3]


def test_what_fails_and_what_has_no_witness():
    prompts = [
        prompt(1, 1, "length", "bullets", witness=GOOD),
        prompt(1, 2, "length", "bullets", witness=THREE),  # half of it
        prompt(1, 3, "length", "emotion"),  # no witness: its rule-checked part fails
        prompt(1, 4, "emotion"),  # nothing that rules could judge
        prompt(1, 5, "bullets", "case", "forbidden", witness="HARBOUR"),
        prompt(1, 6, "length", witness=GOOD),  # patience is exhausted by now
        prompt(2, 1, "length", witness=GOOD),
    ]
    found = ceiling(prompts, 3)
    assert (found.turns, found.without_witness, found.failing) == (7, 2, 2)
    assert found.misses == (
        Miss(1, 2, ("bullets",)),
        Miss(1, 3, ()),
        Miss(1, 4, ()),
        Miss(1, 5, ("bullets", "case", "forbidden")),
    )
    first, second = found.sessions
    assert (first.ending, len(first.turns), second.ending) == ("finished", 5, "censored")
    assert found.metrics.value("csr") == pytest.approx(float((F(1) + F(1, 2) + 0 + 0 + F(1)) / 5))
    assert found.metrics.value("isr") == float(F(2, 5))
    assert found.metrics.value("rob") == pytest.approx(float((F(1, 4) + F(1)) / 2))
    assert ceiling(prompts[::-1], 3) == found


def test_a_benchmark_without_witnesses_has_a_ceiling_of_nothing():
    found = ceiling([prompt(1, t, "length") for t in (1, 2, 3, 4)], 2)
    assert (found.metrics.value("edr_len"), found.metrics.value("rob"), found.without_witness) == (2, 0, 4)


def test_no_turns():
    found = ceiling([], 3)
    assert (found.turns, found.sessions, found.metrics.dialogues, found.metrics.value("rob")) == (0, (), 0, None)


def test_refusals():
    with pytest.raises(UsageError, match="patience is 0"):
        ceiling([], 0)
    with pytest.raises(UsageError, match="turn 1 of dialogue 4 occurs twice"):
        ceiling([prompt(4, 1, "length"), prompt(4, 1, "length")], 3)


def test_without_patience_every_turn_counts_and_there_are_rates_alone():
    found = ceiling([prompt(1, t, "length") for t in (1, 2, 3, 4, 5)], None)
    assert found.metrics.by_name() == {"csr": 0.0, "isr": 0.0}
    assert [len(session.turns) for session in found.sessions] == [5] and found.sessions[0].ending == "censored"


def test_prompts_without_a_key_by_nature_and_those_of_a_partner_are_left_out():
    prompts = [Prompt(1, 1, (Message("user", "a"),)), Prompt(1, 2, (Message("user", "b"),), seat="partner")]
    assert replay(prompts, 3, lambda prompt: None).turns == 0
    found = replay(prompts, 3, lambda prompt: (Verdict("move", True, "", ""),))
    assert (found.turns, found.misses, found.metrics.value("isr")) == (1, (), 1.0)
    assert found.sessions[0].turns == (JudgedTurn(1, (Verdict("move", True, "", ""),)),)
