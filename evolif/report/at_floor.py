"""Models that are no better than answers that follow nothing."""

from __future__ import annotations

from evolif.errors import UsageError
from evolif.metrics import counted_sessions, pair_test
from evolif.metrics.compare import Sides
from evolif.metrics.sessions import capped
from evolif.report.analysis import ModelAnalysis

WORDS = {
    "empty": "never answering",
    "echo": "always repeating the request",
    "refusal": "always refusing",
    "yes": "always saying “yes”",
    "repeat": "always giving the first answer again",
}
"""What the responders do."""


def floor_sentence(head: str, model: ModelAnalysis) -> str:
    """That a model is no better than the best answers that follow nothing, paired by dialogue; empty if it is better.

    Args:
        head: Its name in tables.
        model: A model of a run; it is better where the floor or the interval of the difference is unknown.
    """
    try:
        floor = model.of.floor
    except UsageError:
        return ""
    metric = model.of.headline
    if floor is None or not model.of.tables:
        return ""
    known = {name: own.value(metric.name) for name, own in floor.responders.items()}
    best = max(known, key=lambda name: -1.0 if (value := known[name]) is None else value)
    value = known[best]
    if value is None:
        return ""
    own = {session.dialogue for session in model.counted}
    one, other = capped(model.counted, tuple(s for s in counted_sessions(floor.sessions[best]) if s.dialogue in own))
    table = model.of.tables[0]
    sides = Sides(one, other, table.cluster)
    test = pair_test(table, *sides.rows(table), metric.name, most=sides.most)
    if test.interval is None or test.interval[0] > 0:
        return ""
    return f"{head} is no better than {WORDS[best]} ({100 * value:.0f} % in {metric.label}), so it has no rank."
