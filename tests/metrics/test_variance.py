"""Variance components: dialogues, epochs, the rest."""

import math
from random import Random
from statistics import fmean

import pytest

from evolif.errors import UsageError
from evolif.metrics import PROCESS, MetricTable
from evolif.metrics.variance import MORE_DIALOGUES, variance_components
from evolif.types import JudgedTurn, Session, Verdict

LENGTH = MetricTable(("turns", "one"), lambda session: (float(len(session.turns)), 1.0), {"length": ("turns", "one")})


def session(dialogue, epoch, turns, ending="censored"):
    held = (Verdict("length", True, "", ""),)
    return Session("m", dialogue, epoch, 3, ending, turns=tuple(JudgedTurn(n, held) for n in range(1, turns + 1)))


def played(*rows):
    """A row per dialogue, a column per epoch."""
    return [session(d, e, turns) for d, row in enumerate(rows) for e, turns in enumerate(row, start=1)]


def components(*rows):
    return variance_components(LENGTH, played(*rows), "length")


def test_by_hand():
    """Rows 0 to 5 on average 10, 12, … 20; the second epoch is 2 better; and ±1 that sums to 0."""
    found = components((8, 12), (12, 12), (12, 16), (16, 16), (16, 20), (20, 20))
    # Mean squares: dialogues 2 x 70 / 5 = 28, epochs 12 / 1 = 12, rest 12 / 5 = 2.4.
    assert (found.dialogues, found.epochs) == (6, 2)
    assert found.rest == pytest.approx(2.4)
    assert found.between_dialogues == pytest.approx((28 - 2.4) / 2)
    assert found.between_epochs == pytest.approx((12 - 2.4) / 6)
    assert sum(found.shares) == pytest.approx(1)
    assert found.more_epochs == pytest.approx(1 - math.sqrt((12.8 + 2.4 / 4) / (12.8 + 2.4 / 2)))


def test_only_dialogues_differ():
    found = components(*((n, n, n) for n in range(1, 8)))
    assert found.shares == pytest.approx((1, 0, 0))
    assert found.more_epochs == pytest.approx(0)


def test_only_chance_differs():
    """Dialogues with equal means: their component would be negative."""
    found = components((1, 3), (3, 1), (1, 3), (3, 1), (1, 3), (3, 1))
    assert (found.between_dialogues, found.between_epochs) == (0, 0)
    assert found.rest == pytest.approx(12 / 11)  # all pooled: the variance of the twelve
    assert found.more_epochs == pytest.approx(MORE_DIALOGUES)


def test_nothing_differs():
    found = components(*[(4, 4)] * 6)
    assert found.shares is found.more_epochs is None


@pytest.mark.slow
def test_known_components_are_found():
    chance = Random(8)
    totals = []
    for _ in range(60):
        epochs = [chance.gauss(0, 3) for _ in range(3)]
        rows = []
        for _ in range(40):
            own = chance.gauss(100, 10)
            rows.append([round(own + epoch + chance.gauss(0, 8)) for epoch in epochs])
        found = components(*rows)
        totals.append((found.between_dialogues, found.between_epochs, found.rest))
    dialogues, epochs, rest = map(fmean, zip(*totals, strict=True))
    assert dialogues == pytest.approx(100, rel=0.15)
    assert epochs == pytest.approx(9, rel=0.5)
    assert rest == pytest.approx(64, rel=0.1)


def test_ratios_of_sums_have_components_too():
    found = variance_components(PROCESS, played(*((n, n + 1) for n in range(1, 9))), "edr_len")
    own = components(*((n, n + 1) for n in range(1, 9)))
    assert found.between_dialogues == pytest.approx(own.between_dialogues)
    assert variance_components(PROCESS, played(*((n, n + 1) for n in range(1, 9))), "isr").shares is None


def test_only_dialogues_with_every_epoch_count():
    rows = played(*((n, n + 1) for n in range(1, 9)))
    found = variance_components(LENGTH, [*rows, session(99, 1, 50), session(98, 2, 4, "suspended")], "length")
    assert found == components(*((n, n + 1) for n in range(1, 9)))


def test_refusals():
    with pytest.raises(UsageError, match="at least two epochs"):
        components(*[(4,)] * 9)
    with pytest.raises(UsageError, match="at least two epochs"):
        variance_components(LENGTH, [], "length")
    with pytest.raises(UsageError, match="at least 6 dialogues with all epochs, not 3"):
        components(*[(4, 5)] * 3)
    with pytest.raises(UsageError, match="REC is undefined"):
        variance_components(PROCESS, played(*[(4, 5)] * 6), "rec")
