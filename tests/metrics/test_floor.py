"""Answers that follow nothing, and CSR between floor and ceiling."""

from math import inf, nan

import pytest
from sessions_by_hand import play, prompt

from evolif.metrics import corrected_csr, floor
from evolif.metrics.floor import TRIVIAL


def test_the_five_answers():
    first, now = prompt(1, 1, "length", query="write"), prompt(1, 2, "length", query="shorter")
    said = {name: answer(now, first) for name, answer in TRIVIAL.items()}
    assert said == {
        "empty": "",
        "echo": "shorter",
        "refusal": "I'm sorry, but I can't help with that.",
        "yes": "yes",
        "repeat": "write",
    }
    assert TRIVIAL["repeat"](first, first) == TRIVIAL["echo"](first, first)


def test_the_best_by_csr_is_the_floor():
    sessions = {
        "empty": [play(1, "0 0 0")],
        "echo": [play(1, "1 00 00 00")],  # CSR 1/4
        "yes": [play(1, "10 10 10")],  # CSR 1/2, no good turn
        "repeat": [play(1, "10 10 10")],
    }
    found = floor(sessions, 3, 7)
    assert (found.responder, found.csr, found.turns) == ("yes", 0.5, 7)
    assert found.metrics.value("isr") == 0 and found.responders["echo"].value("csr") == 0.25
    assert found.metrics.value("edr_len") == 3
    assert floor(sessions, None, 7).metrics.by_name() == {"csr": 0.5, "isr": 0}


def test_nothing_judged_has_no_floor():
    assert floor({"empty": [play(1, "? ?", "censored")]}, 3, 2) is None
    assert floor({"empty": []}, 3, 0) is None


def test_correction_by_hand():
    found = corrected_csr(0.8, (0.7, 0.9), 0.2, 1.0)
    assert found.value == pytest.approx(0.75) and found.interval == pytest.approx((0.625, 0.875))
    assert corrected_csr(0.9, None, 0.0, 0.9) == (1.0, None)
    low = corrected_csr(0.1, (0.0, 0.2), 0.2, 0.6)
    assert low.value == pytest.approx(-0.25) and low.interval == pytest.approx((-0.5, 0))
    assert corrected_csr(1.0, None, 0.25, 0.75).value == pytest.approx(1.5)  # the ceiling was a lower bound


@pytest.mark.parametrize(
    "given",
    [
        (None, 0.2, 1.0),
        (0.8, None, 1.0),
        (0.8, 0.2, None),
        (0.8, 1.0, 1.0),
        (0.8, 0.6, 0.5),
        (nan, 0.2, 1.0),
        (0.8, nan, 1.0),
        (0.8, 0.2, inf),
    ],
)
def test_what_is_unknown_is_not_corrected(given):
    csr, lowest, highest = given
    assert corrected_csr(csr, (0.7, 0.9), lowest, highest) is None
