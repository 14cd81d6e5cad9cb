"""Satisfaction per constraint group."""

from evolif.metrics import satisfaction_by_group
from evolif.types import JudgedTurn, Session, Verdict


def turn(depth, **verdicts):
    return JudgedTurn(
        1, tuple(Verdict(group, value, "", "") for group, value in verdicts.items()), labels={"depth": depth}
    )


def session(dialogue, ending, *turns, patience=3):
    return Session("sim/steady", dialogue, 0, patience, ending, turns=turns)


SESSIONS = [
    session(1, "censored", turn(1, length=True), turn(2, length=False, emotion=None), turn(10, case=True, length=True)),
    session(2, "finished", turn(1, case=False), turn(2, length=True), patience=1),  # the second comes too late
    session(3, "suspended", turn(1, length=False)),
    session(4, "withheld", turn(1, length=False)),
    session(5, None, turn(1, length=False)),
]


def test_by_group_takes_what_the_table_takes():
    assert satisfaction_by_group(SESSIONS) == {"case": (1, 2), "emotion": (0, 0), "length": (2, 3)}
    assert list(satisfaction_by_group(SESSIONS)) == ["case", "emotion", "length"]


def test_rates_are_fractions_or_none():
    rates = {group: own.rate for group, own in satisfaction_by_group(SESSIONS).items()}
    assert rates == {"case": 0.5, "emotion": None, "length": 2 / 3}


def test_nothing_at_all():
    assert satisfaction_by_group([]) == {}
