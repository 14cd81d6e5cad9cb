"""The tables of a report on topic-shift dialogues: why goals fail, what the last call was shown, and decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from evolif.metrics import MetricTable, Row, pair_test
from evolif.metrics.shares import Share
from evolif.metrics.shares import share_of as ratio_of
from evolif.scenario import HeatCell
from evolif.scenario.presentation import Grid, HeatMap, TableCell, TableRow
from evolif.scenarios.shifts.checking import Reason
from evolif.scenarios.shifts.sessions import PlayedDialogue

FAILURES, RECALL, DECISIONS, CEILING = "failures", "recall", "decisions", "reader"
"""Names of the tables."""
REASONS: Mapping[Reason, str] = {
    "stale": "stale: an earlier value",
    "cancelled": "cancelled: given up, but there",
    "other_branch": "value of another branch",
    "missing": "missing",
    "wrong": "another value",
    "unreadable": "no object in the answer",
}
"""Why goals are unmet; first what long conversations do to models."""

Counts: TypeAlias = tuple[float, float]
"""Of one dialogue: how many, and out of how many."""
Plays: TypeAlias = Mapping[str, Sequence[PlayedDialogue]]
"""The name of a model under its strategy to its sessions."""


def share_of(
    plays: Iterable[PlayedDialogue], counts: Callable[[PlayedDialogue], Counts], *, rate: bool = True
) -> Share:
    """A ratio of sums over dialogues, whose epochs are pooled.

    Args:
        plays: Sessions of one model.
        counts: What each adds.
        rate: Whether it is a share, from 0 to 1.
    """
    return ratio_of(((play.number, *counts(play)) for play in plays), rate=rate)


def failure_shares(plays: Sequence[PlayedDialogue]) -> dict[str, Share]:
    """Unmet goals by reason, as shares of all judged goals; `unmet` are all of them."""
    reasons: tuple[Reason | None, ...] = (*REASONS, None)
    return {reason or "unmet": share_of(plays, partial(_failed, reason=reason)) for reason in reasons}


def _failed(play: PlayedDialogue, *, reason: Reason | None) -> Counts:
    judged = [goal for goal in play.goals if goal.satisfied is not None]
    unmet = [goal for goal in judged if not goal.satisfied and (reason is None or goal.reason == reason)]
    return len(unmet), len(judged)


def recall_shares(plays: Sequence[PlayedDialogue]) -> dict[str, Share]:
    """Of the turns that goals come from, those that the last call showed in full, as a summary, or not at all.

    `kept_value` are the goals whose value stands in what it was sent.
    """
    names = ("full", "summary", "absent", "kept_value")
    return {name: share_of(plays, partial(_recalled, name=name)) for name in names}


def _recalled(play: PlayedDialogue, *, name: str) -> Counts:
    share = play.recall.get(name) if play.recall is not None else None
    if share is None:
        return 0.0, 0.0
    of = play.present if name == "kept_value" else play.sources
    return share * of, float(of)


def decision_shares(plays: Sequence[PlayedDialogue]) -> dict[str, Share]:
    """How far decisions agree with the gold; `extra_branches` is a number a dialogue, the others are shares."""
    played = [play for play in plays if play.moves]
    return {
        "topic_accuracy": share_of(played, lambda play: _hits(move.topic for move in play.moves)),
        "fork_accuracy": share_of(played, lambda play: _hits(move.fork for move in play.moves)),
        "return_accuracy": share_of(played, lambda play: _hits(move.arrived for move in play.moves)),
        "return_named": share_of(played, lambda play: _returned(play, "named")),
        "return_implicit": share_of(played, lambda play: _returned(play, "implicit")),
        "extra_branches": share_of(
            played, lambda play: (sum(move.extra_branch for move in play.moves), 1.0), rate=False
        ),
    }


def ceiling_shares(plays: Sequence[PlayedDialogue]) -> dict[str, Share]:
    """TCR, the ceiling of its strategy, and the difference: what the model itself makes of what it is shown.

    The ceiling is what `sim/reader` reaches with the very contexts of these sessions. Sessions count alike.
    """
    return {
        "tcr": share_of(plays, lambda play: _whole(play.share)),
        "ceiling": share_of(plays, lambda play: _whole(play.ceiling)),
        "difference": _difference(plays),
    }


_TABLE = MetricTable(("share", "sessions"), lambda session: (0.0, 0.0), {"tcr": ("share", "sessions")})
"""Rows are made of dialogues here; nothing asks it for sessions."""


def _difference(plays: Sequence[PlayedDialogue]) -> Share:
    """Model minus ceiling, over the dialogues that have both; tested in pairs, the epochs of a dialogue added up."""
    rows: dict[int, tuple[Row, Row]] = {}
    for play in plays:
        if play.share is not None and play.ceiling is not None:
            (own, sessions), (ceiling, _) = rows.get(play.number, ((0.0, 0.0), (0.0, 0.0)))
            rows[play.number] = (own + play.share, sessions + 1), (ceiling + play.ceiling, sessions + 1)
    if not rows:
        return Share(None)
    mine, best = zip(*sorted(rows.values()), strict=True)  # so that the order of the dialogues does not matter
    value, ceiling_value = (_TABLE.value(_TABLE.total(side), "tcr") or 0.0 for side in (mine, best))
    of = _TABLE.total(mine)[1]
    return Share(value - ceiling_value, pair_test(_TABLE, mine, best, "tcr").interval, of)


def _whole(share: float | None) -> Counts:
    return (0.0, 0.0) if share is None else (share, 1.0)


def _hits(outcomes: Iterable[bool | None]) -> Counts:
    counts = Counter(outcomes)
    return counts[True], counts[True] + counts[False]


def _returned(play: PlayedDialogue, how: str) -> Counts:
    return _hits(move.arrived for move in play.moves if play.returns[move.turn - 1] == how)


def failures_grid(plays: Plays) -> Grid:
    """Unmet goals by reason, per 100 goals."""
    found = [failure_shares(own) for own in plays.values()]
    # A judge, who decides on released goals, gives no reason of these.
    reasons = REASONS.items() if has_gold(plays) else ()
    words = [*reasons, ("unmet", "all unmet goals")]
    rows = tuple((told, tuple(_cell(one[name], 1) for one in found)) for name, told in words)
    title = "Unmet goals by reason, per 100 goals"
    return Grid(FAILURES, title, "reason", tuple(plays), rows if _any(found) else (), _note(found))


def failures_map(plays: Plays) -> HeatMap:
    """The same as colours."""
    rows = []
    for name, own in plays.items():
        shares = failure_shares(own)
        rows.append((name, tuple(HeatCell(shares[reason].value, round(shares[reason].of)) for reason in REASONS)))
    caption = "Goals that the final answer misses, by reason, in % of all goals that were judged."
    columns = tuple(reason.replace("_", " ") for reason in REASONS)
    return HeatMap(FAILURES, "Why goals fail", caption, columns, tuple(rows), "goals")


def has_gold(plays: Plays) -> bool:
    """Whether any of the dialogues was generated, and so has a gold."""
    return any(play.has_gold for own in plays.values() for play in own)


_RECALLED = {
    "full": "turns shown in full",
    "summary": "turns shown as summaries",
    "absent": "turns not shown",
    "kept_value": "goals whose value is there",
}


def recall_grid(plays: Plays) -> Grid:
    """What the last call showed of the turns that goals come from."""
    found = [recall_shares(own) for own in plays.values()]
    rows = tuple((words, tuple(_cell(one[name]) for one in found)) for name, words in _RECALLED.items())
    title = "What the final call shows of the turns that goals come from, in %"
    return Grid(RECALL, title, "share", tuple(plays), rows if _any(found) else ())


_DECIDED = {
    "topic_accuracy": "topic right",
    "fork_accuracy": "alternatives forked at the right turn",
    "return_accuracy": "returns to the right branch",
    "return_named": "of these, named",
    "return_implicit": "of these, implicit",
}


def decisions_grid(plays: Plays) -> Grid | None:
    """How far decisions agree with the gold; None if no strategy decides anything."""
    deciding = {name: own for name, own in plays.items() if any(play.moves for play in own)}
    if not deciding:
        return None
    found = [decision_shares(own) for own in deciding.values()]
    rows: list[TableRow] = [
        (words, tuple(_cell(one[name], of=True) for one in found)) for name, words in _DECIDED.items()
    ]
    rows.append(("further branches a dialogue", tuple(_number(one["extra_branches"]) for one in found)))
    note = "Further branches: opened where the gold has no alternative."
    return Grid(DECISIONS, "Decisions against the gold, in %", "decision", tuple(deciding), tuple(rows), note)


_CEILINGS = {"tcr": "the model", "ceiling": "the ceiling", "difference": "model − ceiling, points"}


def ceiling_grid(plays: Plays) -> Grid:
    """What the models reach, beside what the same contexts allow."""
    found = [ceiling_shares(own) for own in plays.values()]
    rows = tuple((words, tuple(_cell(one[name], 1) for one in found)) for name, words in _CEILINGS.items())
    note = (
        "The ceiling of a strategy: what sim/reader, which knows nothing but what it is shown, reaches with the "
        "contexts of the final calls. It reads summaries by rules; of those in a model's words it misses something."
    )
    known = any(one["ceiling"].value is not None for one in found)
    return Grid(CEILING, "TCR and the ceiling of the strategy, in %", "TCR", tuple(plays), rows if known else (), note)


def _any(found: Sequence[Mapping[str, Share]]) -> bool:
    return any(share.value is not None for one in found for share in one.values())


def _note(found: Sequence[Mapping[str, Share]]) -> str:
    goals = {round(one["unmet"].of) for one in found}
    return f"Of {goals.pop():,} goals each." if len(goals) == 1 and goals != {0} and len(found) > 1 else ""


def _cell(share: Share, digits: int = 0, *, of: bool = False) -> TableCell:
    if share.value is None:
        return TableCell()
    ends = share.interval
    between = "" if ends is None else f"[{100 * ends[0]:.{digits}f}–{100 * ends[1]:.{digits}f}]"
    base = f"of {share.of:,.0f}" if of else ""
    return TableCell(f"{100 * share.value:.{digits}f}", f"{between} {base}".strip())


def _number(share: Share) -> TableCell:
    if share.value is None:
        return TableCell()
    ends = share.interval
    return TableCell(f"{share.value:.2f}", "" if ends is None else f"[{ends[0]:.2f}–{ends[1]:.2f}]")


def shift_grids(plays: Plays) -> Iterator[Grid]:
    """The tables of models side by side."""
    yield failures_grid(plays)
    if has_gold(plays):
        yield recall_grid(plays)
        yield ceiling_grid(plays)
    decided = decisions_grid(plays)
    if decided is not None:
        yield decided


def shift_object(plays: Sequence[PlayedDialogue]) -> dict[str, Any]:
    """The same of one model for machines: fractions, each with its interval and what it is out of."""
    return {
        name: {key: _share_object(share) for key, share in shares(plays).items()}
        for name, shares in (
            (FAILURES, failure_shares),
            (RECALL, recall_shares),
            (CEILING, ceiling_shares),
            (DECISIONS, decision_shares),
        )
    }


def _share_object(share: Share) -> dict[str, float | None]:
    low, high = share.interval or (None, None)
    return {"value": share.value, "low": low, "high": high, "of": share.of}
