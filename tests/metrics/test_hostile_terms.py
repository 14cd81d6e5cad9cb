"""What a scenario's terms may be: anything else is refused in a sentence, before it reaches a figure."""

import math
import re

import pytest
from sessions_by_hand import play

from evolif.errors import UsageError
from evolif.metrics import MetricTable
from evolif.metrics.table import figures_with_intervals


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ((math.nan, 1.0), "need 2 finite numbers (top, bottom) of at most 1e+50"),
        ((-math.inf, 1.0), "need 2 finite numbers"),
        ((1e308, 1.0), "need 2 finite numbers"),
        ((1.0,), "need 2 finite numbers"),
        ((10**400, 1.0), "cannot be worked out (OverflowError"),
        (None, "cannot be worked out (TypeError"),
        ((1.0, -1.0), "a denominator of the scenario's metrics is below 0"),
        ((1e40, 1e-300), "a denominator of the scenario's metrics is below 1e-50, but not 0"),
    ],
)
def test_terms_that_no_figure_can_be_made_of(terms, told):
    table = MetricTable(("top", "bottom"), lambda session: terms, {"x": ("top", "bottom")})
    with pytest.raises(UsageError, match=f"dialogue 1: .*{re.escape(told)}"):
        figures_with_intervals((table,), [play(1, "1"), play(2, "1")], resamples=5)


def test_the_largest_terms_give_figures():
    table = MetricTable(("top", "bottom"), lambda s: (1e50 * s.dialogue / 9, 1e-50), {"x": ("top", "bottom")})
    found = figures_with_intervals((table,), [play(d, "1") for d in range(1, 9)], resamples=50)
    assert found.metrics.value("x") == pytest.approx(5e99)
    assert all(map(math.isfinite, found.intervals["x"] or (0.0,)))
