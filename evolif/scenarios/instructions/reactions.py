"""How the person reacts to answers: what payloads say of it, and what reports show of what comes of it.

The payload of a prompt that is played with feedback has `feedback`: the number of the benchmark's turn (`script`),
which repair of it is asked for (`repair`, 0 for none), and the `remark` that the query begins with: its `kind`
(`missed`, `thanks` or `unreadable`), its `text`, and of a missed requirement `group` and `value`, its parameters.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evolif.judging import Judgement, with_feedback
from evolif.metrics import Interval, Metric
from evolif.metrics.feedback import FEEDBACK_TABLE, feedback_by_group
from evolif.metrics.table import MetricFigures
from evolif.scenario import Grid, ModelsView, ModelView, TableCell, TableRow
from evolif.scenarios.instructions.turns import Constraint
from evolif.types import Prompt, Verdict


@dataclass(frozen=True, slots=True)
class Reaction:
    """How a prompt reacts to the answer before it. Texts may be foreign.

    Attributes:
        repair: Which repair of a failed turn it asks for, from 1; 0 for none.
        kind: `missed`, `thanks`, `unreadable`; empty without a remark.
        text: The remark; empty without one.
        missed: The requirement that the remark names; None if it names none.
    """

    repair: int = 0
    kind: str = ""
    text: str = ""
    missed: Constraint | None = None


def reaction_of(prompt: Prompt) -> Reaction | None:
    """How a prompt reacts; None where no feedback is given, or where a stored payload is of another form.

    Example:
        >>> prompt = Prompt(1, 2, (), payload={"feedback": {"script": 2, "repair": 0, "remark": None}})
        >>> reaction_of(prompt)
        Reaction(repair=0, kind='', text='', missed=None)
    """
    told = prompt.payload.get("feedback")
    if not isinstance(told, Mapping):
        return None
    repair, remark = told.get("repair", 0), told.get("remark")
    if not isinstance(repair, int) or repair < 0:
        return None
    if not isinstance(remark, Mapping):
        return Reaction(repair)
    kind, text = remark.get("kind"), remark.get("text")
    if not (isinstance(kind, str) and isinstance(text, str)):
        return None
    return Reaction(repair, kind, text, _missed(remark) if kind == "missed" else None)


def _missed(remark: Mapping[str, Any]) -> Constraint | None:
    group, value = remark.get("group"), remark.get("value")
    if not (isinstance(group, str) and group and isinstance(value, Mapping)):
        return None
    return Constraint(group, value)


def remark_range(prompt: Prompt) -> tuple[int, int] | None:
    """Where in the query the remark stands, in characters; None if there is none."""
    found = reaction_of(prompt)
    if found is None or not found.text or not prompt.query.startswith(found.text):
        return None
    return 0, len(found.text)


def with_reaction(judgement: Judgement, prompt: Prompt, constraints: Sequence[Constraint]) -> Judgement:
    """The judgement on the answer to a prompt, with what came of the reaction as scores.

    A requirement that is no longer in force, or has another value now, is in no figure.

    Args:
        judgement: Of the answer; its verdicts are on the constraints first, in their order.
        prompt: What was asked.
        constraints: Its instruction.
    """
    reaction = reaction_of(prompt)
    if reaction is None:
        return judgement
    told = _verdict(reaction.missed, constraints, judgement.verdicts)
    return with_feedback(judgement, told, reaction.repair)


def _verdict(missed: Constraint | None, constraints: Sequence[Constraint], found: Sequence[Verdict]) -> Verdict | None:
    if missed is None:
        return None
    for constraint, verdict in zip(constraints, found, strict=False):
        if constraint.group == missed.group and _plain(constraint) == _plain(missed):
            return verdict
    return None


def _plain(constraint: Constraint) -> str:
    """The parameters as JSON, in which a stored list and a tuple are the same."""
    return json.dumps(dict(constraint.params), sort_keys=True, default=str)


TITLE = "What comes of being told, by the group that the person named"
_NOTE = (
    "Told: of the constraints that the person said were missed, those that hold in the answer to that. Mended 1st, "
    "2nd: failed turns in which everything holds after the first repair, and of those that it left after the second; "
    "turns to mend: repairs until everything holds, of the failed turns that were mended."
)


def _by_group(model: ModelView) -> Mapping[str, MetricFigures]:
    run = model.of
    if run.settings.feedback == "none":
        return {}
    return model.cached(
        "feedback by group", lambda: feedback_by_group(model.counted, seed=run.seed, resamples=run.resamples)
    )


def group_grids(board: ModelsView) -> Iterator[Grid]:
    """A table of the figures per group, models side by side; nothing where nobody was told anything.

    Args:
        board: Models of one or more runs, some of which may be without feedback.
    """
    found = [_by_group(model) for model in board.models]
    groups = list(dict.fromkeys(group for own in found for group in own))
    rows: list[TableRow] = []
    for group in sorted(groups, key=lambda name: (name.startswith("("), name)):
        for name in FEEDBACK_TABLE.ratios:
            metric = FEEDBACK_TABLE.metric(name)
            cells = tuple(_cell(metric, own.get(group)) for own in found)
            if any(cell.value != TableCell().value for cell in cells):
                rows.append((f"{group}, {metric.head}", cells))
    if rows:
        yield Grid("feedback", TITLE, "group", tuple(board.heads), tuple(rows), _NOTE)


def _cell(metric: Metric, figures: MetricFigures | None) -> TableCell:
    value = None if figures is None else figures.metrics.value(metric.name)
    if figures is None or value is None:
        return TableCell()
    ends = figures.intervals.get(metric.name)
    shown = "" if ends is None else f"[{'–'.join(_shown(metric, end) for end in ends)}]"
    return TableCell(_shown(metric, value), shown)


def _shown(metric: Metric, value: float) -> str:
    return f"{100 * value:.0f}" if metric.unit == "rate" else f"{value:.1f}"


def group_object(model: ModelView) -> dict[str, Any]:
    """The same of one model for reports as JSON: `feedback_by_group`, group to metric to value and interval.

    Empty where nobody was told anything. Rates are fractions; what is undefined is null.
    """
    found = _by_group(model)
    if not found:
        return {}
    return {
        "feedback_by_group": {
            group: {name: _interval(own.metrics.value(name), own.intervals.get(name)) for name in FEEDBACK_TABLE.ratios}
            for group, own in found.items()
        }
    }


def _interval(value: float | None, ends: Interval | None) -> dict[str, float | None]:
    low, high = ends or (None, None)
    return {"value": value, "low": low, "high": high}
