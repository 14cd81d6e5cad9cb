"""Exact replays that cost no call: smaller patience (paper section 5.4, Table 3), and a perfect responder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, pairwise

from evolif.errors import UsageError
from evolif.metrics.process import (
    DialogueRecord,
    Metrics,
    patience_left,
    process_intervals,
    process_metrics,
    walk_patience,
)
from evolif.metrics.sessions import all_records, tables_of
from evolif.metrics.statistics import Interval
from evolif.metrics.table import Figures, figures
from evolif.types import DEFAULT_RESAMPLES, CapCounts, Ending, JudgedTurn, Prompt, Session, Verdict


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """The figures at one patience.

    Attributes:
        patience: p, failed turns in a row that end a session.
        metrics: The eight metrics; `metrics.dialogues` is how many sessions count.
        intervals: Per metric its 95 % interval over dialogues; empty if none were requested.
        finished: Counted sessions that patience p ends.
        censored: Counted sessions that end earlier for another reason.
        left_out: Suspended, withheld and running sessions that patience p does not end.
    """

    patience: int
    metrics: Metrics
    intervals: Mapping[str, Interval | None]
    finished: int
    censored: int
    left_out: int


def patience_sweep(
    sessions: Iterable[Session],
    patience: int | None = None,
    *,
    intervals: bool = True,
    cap: int | None = None,
    cluster: str = "",
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> tuple[SweepPoint, ...]:
    """The figures for patience 1, 2, … up to the run's own, each session cut at its first streak of that many failures.

    A session that the run left out (suspended, withheld, running) counts at every smaller patience that ends it before
    it broke off: such a run would have finished it.

    Args:
        sessions: Of one model.
        patience: The largest; the sessions' own if None.
        intervals: Whether they are wanted.
        cap: Of the run, in turns; None if unknown.
        cluster: The label of turns that says which dialogues are resampled together, see `MetricTable.cluster`.
        seed: Of the draws that intervals need where most sessions reach the cap.
        resamples: How many.

    Raises:
        UsageError: sessions of several models, or less patience in a session than requested.
    """
    given = tuple(sessions)
    largest = _largest([session.patience for session in given if session.patience is not None], patience)
    table = all_records(given, cluster)
    found = partial(process_intervals, cap=cap, seed=seed, resamples=resamples) if intervals else None
    return tuple(_point(table, p, found) for p in range(1, largest + 1))


def _largest(own: Sequence[int], requested: int | None) -> int:
    if requested is None:
        return min(own, default=0)
    if requested < 1:
        raise UsageError(f"patience is {requested}; it must be at least 1")
    if own and min(own) < requested:
        raise UsageError(
            f"a session had patience {min(own)}; with more patience it would have continued, so replay at most that"
        )
    return requested


def _point(
    table: Sequence[tuple[Session, DialogueRecord]],
    patience: int,
    intervals: Callable[[list[DialogueRecord]], Mapping[str, Interval | None]] | None,
) -> SweepPoint:
    kept: list[DialogueRecord] = []
    finished = left_out = 0
    for session, record in table:
        replayed = replace(record, patience=patience)
        over = patience_left(replayed) == 0
        if session.ending in ("finished", "censored") or (
            over and session.patience is not None and patience < session.patience
        ):
            kept.append(replayed)
            finished += over
        else:
            left_out += 1
    drawn = {} if intervals is None else intervals(kept)
    return SweepPoint(patience, process_metrics(kept), drawn, finished, len(kept) - finished, left_out)


def replayed(
    sessions: Iterable[Session], *, patience: int | None, cap: int, counts: CapCounts = "turns"
) -> tuple[Session, ...]:
    """The sessions as a run with less patience and a smaller cap would have played them.

    A session that broke off later than that counts, as it does in `patience_sweep`.

    Args:
        sessions: Of a run with at least this patience and cap.
        patience: None if no session has any.
        cap: In turns, at least 1.
        counts: What the cap counts.
    """
    return tuple(_replayed(session, patience, cap, counts) for session in sessions)


def _replayed(session: Session, patience: int | None, cap: int, counts: CapCounts) -> Session:
    turns = (*session.turns, *session.later)
    places = [place for place, turn in enumerate(turns) if turn.seat == "target"]
    outcomes = [all(turns[place].judged) if turns[place].judged else None for place in places]
    counting = [place for place, one in enumerate(outcomes) if counts == "turns" or one is not None]
    most = counting[cap - 1] + 1 if len(counting) >= cap else len(places)
    walk = walk_patience(outcomes[:most], patience)
    own = session.cap if session.cap is not None else cap
    if counts == "turns":
        own = min(own, cap - outcomes[: walk.turns].count(None))
    told = replace(session, patience=patience, cap=min(own, cap))
    if walk.left and walk.turns == len(places):
        return told  # it ended earlier
    end = places[walk.turns - 1] + 1
    if walk.left:
        return replace(told, turns=turns[:end], later=(), ending="censored", cause="cap", reason="")
    return replace(told, turns=turns[:end], later=(), ending="finished", cause="patience", reason="")


PERFECT = "perfect responder"
"""The model name of the ceiling's sessions."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A turn without an answer key, or with one that the rules reject."""

    dialogue: int
    turn: int
    groups: tuple[str, ...]
    """Groups whose rules reject the answer key; empty without a key."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The figures of a perfect responder over the asked turns.

    Attributes:
        metrics: The eight metrics; without patience CSR and ISR. Rules alone judge: what a model would judge is left
            out.
        sessions: One per dialogue, its turns in order; censored at the last asked turn unless patience ran out.
        turns: Asked turns replayed.
        without_witness: Turns without an answer key. Their rule-checked requirements count as failed.
        failing: Turns with an answer key that the rules reject.
        misses: All turns of both kinds, by dialogue and turn.
    """

    metrics: Figures
    sessions: tuple[Session, ...]
    turns: int
    without_witness: int
    failing: int
    misses: tuple[Miss, ...]

    @property
    def is_unknown(self) -> bool:
        """Whether no asked turn has an answer key, so that the figures say nothing."""
        return self.without_witness == self.turns


def ceiling(
    prompts: Iterable[Prompt],
    patience: int | None,
    perfect: Callable[[Prompt], Sequence[Verdict] | None],
    has_key: Callable[[Prompt], bool] = lambda prompt: True,
) -> Ceiling:
    """Replay each turn of the model under test with its answer key, through the rules.

    Args:
        prompts: Those of a run, in any order.
        patience: P_max of the run; None if it has none.
        perfect: The verdicts of rules on a prompt's answer key (`Scenario.perfect`): False for what they check where
            there is no key; None for a prompt that has no place in the ceiling.
        has_key: Whether a prompt has an answer key.

    Raises:
        UsageError: patience below 1, a turn twice, or a rule that needs a package which is not installed.
    """
    if patience is not None and patience < 1:
        raise UsageError(f"patience is {patience}; it must be at least 1")
    ordered = sorted((p for p in prompts if p.seat == "target"), key=lambda prompt: (prompt.dialogue, prompt.turn))
    for one, after in pairwise(ordered):
        if (one.dialogue, one.turn) == (after.dialogue, after.turn):
            raise UsageError(f"turn {one.turn} of dialogue {one.dialogue} occurs twice; pass each turn once")
    judged = ((prompt, perfect(prompt)) for prompt in ordered)
    played = [
        (prompt, JudgedTurn(prompt.turn, tuple(verdicts), prompt.labels))
        for prompt, verdicts in judged
        if verdicts is not None
    ]
    sessions = tuple(
        _session(dialogue, patience, [turn for _, turn in turns])
        for dialogue, turns in groupby(played, key=lambda pair: pair[0].dialogue)
    )
    misses = tuple(miss for pair in played if (miss := _miss(*pair, has_key(pair[0]))) is not None)
    without = sum(not miss.groups for miss in misses)
    return Ceiling(
        metrics=figures(tables_of(None, patience), sessions),
        sessions=sessions,
        turns=len(played),
        without_witness=without,
        failing=len(misses) - without,
        misses=misses,
    )


def _miss(prompt: Prompt, turn: JudgedTurn, has_key: bool) -> Miss | None:
    if not has_key:
        return Miss(prompt.dialogue, prompt.turn, ())
    groups = tuple(verdict.group for verdict in turn.verdicts if verdict.satisfied is False)
    return Miss(prompt.dialogue, prompt.turn, groups) if groups else None


def _session(dialogue: int, patience: int | None, turns: Sequence[JudgedTurn]) -> Session:
    walk = walk_patience((all(turn.judged) if turn.judged else None for turn in turns), patience)
    ending: Ending = "censored" if walk.left else "finished"
    return Session(PERFECT, dialogue, 0, patience, ending, turns=tuple(turns[: walk.turns]))
