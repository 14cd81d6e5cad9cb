"""Figures for parts of a run: CSR and ISR per group, mode, depth or move, and the metrics per kind of dialogue."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, TypeAlias

from evolif.errors import UsageError
from evolif.metrics.process import DialogueRecord, Metrics, bootstrap_intervals, dialogue_terms, process_metrics
from evolif.metrics.sessions import (
    Counted,
    counted_sessions,
    counted_with_verdicts,
    of_one_model,
    records_from_sessions,
)
from evolif.metrics.statistics import Interval, Values, check_draws, middle, ratios, resampled_sums
from evolif.metrics.table import Key
from evolif.turns import Constraint
from evolif.types import DEFAULT_RESAMPLES, JudgedTurn, Prompt, Session, Verdict

TurnKey: TypeAlias = Callable[[JudgedTurn, Prompt | None], Key | None]
"""A custom key, from a turn and its facts (None if the run has none); None leaves the turn out."""

UNKNOWN = "unknown"
"""The key of turns without facts, in old or foreign runs."""

BREAKDOWNS: tuple[str, ...] = (
    "group",
    "mode",
    "depth",
    "load",
    "move",
    "operation",
    "synthesizer",
    "register",
    "turn",
    "formality",
)
"""The built-in keys. `group` and `mode` are of constraints, the others of turns."""

_OF_THE_TURN: Mapping[str, Callable[[JudgedTurn], Key]] = {
    "depth": lambda turn: turn.labels.get("depth", UNKNOWN),
    "load": lambda turn: len(turn.verdicts),
    "move": lambda turn: turn.labels.get("move", UNKNOWN),
    "turn": lambda turn: turn.turn,
}
_OF_THE_FACTS: Mapping[str, Callable[[Prompt], str]] = {
    "operation": lambda facts: str(facts.labels.get("operation", "")),
    "synthesizer": lambda facts: str(facts.labels.get("source", "")),
    "register": lambda facts: str(facts.labels.get("register", "")),
}


def mode_of(constraint: Constraint) -> str:
    """Which mode of its group a constraint has.

    For example `letter` for `start_with`, `json_keys` for `format`, `words.less_than` for `length`, `happy` for
    `emotion`, `numbered` for `bullets`. A group with one mode has `all`, `count` or `none`. `unknown` if the group is
    not installed here or its parameters have another form.
    """
    return modes_of((constraint,))[0]


def modes_of(constraints: Iterable[Constraint]) -> list[str]:
    """The mode of each, as `mode_of`."""
    from evolif.constraints import get_group  # not light

    modes = []
    for constraint in constraints:
        try:
            modes.append(get_group(constraint.group).key(constraint.params))
        except (UsageError, KeyError, TypeError):
            modes.append(UNKNOWN)
    return modes


def turn_key(by: str, formality: Callable[[str], str] | None) -> TurnKey:
    """The built-in key of that name for turns.

    Raises:
        UsageError: No such key, or `formality` without a function for it.
    """
    if by in _OF_THE_TURN:
        of_turn = _OF_THE_TURN[by]
        return lambda turn, facts: of_turn(turn)
    of_facts = facts_key(by, formality)
    return lambda turn, facts: UNKNOWN if facts is None else of_facts(facts)


def facts_key(by: str, formality: Callable[[str], str] | None) -> Callable[[Prompt], str]:
    """The built-in key of that name, from facts alone.

    Raises:
        UsageError: as `turn_key`.
    """
    if by == "formality":
        if formality is None:
            raise UsageError("a breakdown by formality needs a function that classifies queries as formal or informal")
        tell = cache(formality)
        return lambda facts: tell(facts.query) or UNKNOWN
    if by not in _OF_THE_FACTS:
        raise UsageError(f"unknown breakdown “{by}”; use {', '.join(BREAKDOWNS)}")
    of_facts = _OF_THE_FACTS[by]
    return lambda facts: of_facts(facts) or UNKNOWN


def index_facts(facts: Iterable[Prompt]) -> dict[tuple[int, int], Prompt]:
    """(dialogue, turn) to its facts."""
    return {(fact.dialogue, fact.turn): fact for fact in facts}


@dataclass(frozen=True, slots=True)
class Slice:
    """The counted turns with one key; if the key is of constraints, each turn with only those constraints.

    Attributes:
        satisfied: Constraints satisfied.
        judged: Constraints judged.
        ok: Turns with every judged constraint (of the slice) satisfied.
        turns: Turns with at least one judged constraint (of the slice).
        not_judged: Constraints without a verdict; they count nowhere else.
        dialogues: Dialogues that contain such turns.
        csr: Mean over the turns of satisfied / judged, a fraction; None without a turn.
        isr: ok / turns, a fraction; None without a turn. For keys of constraints it equals `csr` where a turn has at
            most one constraint of the key.
        csr_interval: 95 % bootstrap interval over dialogues; None if fewer than two contribute.
        isr_interval: The same for `isr`.
    """

    satisfied: int
    judged: int
    ok: int
    turns: int
    not_judged: int
    dialogues: int
    csr: float | None
    isr: float | None
    csr_interval: Interval | None
    isr_interval: Interval | None

    @property
    def rate(self) -> float | None:
        """Satisfied / judged, pooled over constraints, a fraction; None if nothing was judged."""
        return self.satisfied / self.judged if self.judged else None


def breakdown(
    sessions: Iterable[Session],
    facts: Iterable[Prompt],
    by: str | TurnKey,
    *,
    formality: Callable[[str], str] | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> dict[Key, Slice]:
    """CSR and ISR per key over the turns that the table counts (paper sections 5.3, App. D, G).

    Args:
        sessions: Of one model; finished and censored ones count, up to the turn that exhausts patience.
        facts: What the run knows of its turns; may be empty for `group`, `depth`, `load`, `move` and `turn`.
        by: One of `BREAKDOWNS`, or a function from a turn and its facts to a key. `mode` has keys like
            `length/words.less_than` (see `mode_of`), `load` the number of active constraints, judged or not.
        formality: From a query to `formal` or `informal`, for `by="formality"`.
        seed: Of the resampling.
        resamples: How many.

    Returns:
        Key, in ascending order, to its slice. Turns without this information have the key `unknown`.

    Raises:
        UsageError: sessions of several models, no such breakdown, `formality` missing, or impossible seed or resamples.
    """
    check_draws(seed, resamples)
    counted = counted_with_verdicts(of_one_model(sessions))
    order = _order(counted)
    split = _splitter(facts, by, formality)
    cells: defaultdict[Key, defaultdict[int, _Cell]] = defaultdict(lambda: defaultdict(_Cell))
    for session, _, _ in counted:
        for turn in session.turns:
            for key, verdicts in split(session.dialogue, turn):
                cells[key][session.dialogue].add(verdicts)
    keys = sorted(cells, key=lambda key: (isinstance(key, str), key))
    columns = [column for key in keys for column in _columns(cells[key], order)]
    sums = resampled_sums(columns, seed=seed, resamples=resamples) if columns else []
    return {key: _slice(cells[key], sums[3 * n : 3 * n + 3]) for n, key in enumerate(keys)}


@dataclass(slots=True)
class _Cell:
    """What one dialogue contributes to one key."""

    rates: list[float] = field(default_factory=list)
    ok: int = 0
    satisfied: int = 0
    judged: int = 0
    not_judged: int = 0

    def add(self, verdicts: Sequence[Verdict]) -> None:
        outcomes = [verdict.satisfied for verdict in verdicts]
        satisfied, judged = outcomes.count(True), len(outcomes) - outcomes.count(None)
        self.satisfied += satisfied
        self.judged += judged
        self.not_judged += len(verdicts) - judged
        if judged:
            self.rates.append(satisfied / judged)
            self.ok += satisfied == judged


_Split = Callable[[int, JudgedTurn], Iterable[tuple[Key, Sequence[Verdict]]]]


def _order(counted: Sequence[Counted]) -> list[int]:
    """The dialogues in the order of the headline table, so that a slice of everything has the same interval."""
    terms = dialogue_terms(own.record for own in counted)
    return sorted({own.session.dialogue for own in counted}, key=lambda dialogue: (terms[str(dialogue)], dialogue))


def _splitter(facts: Iterable[Prompt], by: str | TurnKey, formality: Callable[[str], str] | None) -> _Split:
    if by == "group":
        return lambda dialogue, turn: _together((verdict.group, verdict) for verdict in turn.verdicts)
    known = index_facts(facts)
    if by == "mode":
        return lambda dialogue, turn: _together(_modes(turn, known.get((dialogue, turn.turn))))
    key = by if callable(by) else turn_key(by, formality)

    def split(dialogue: int, turn: JudgedTurn) -> Iterator[tuple[Key, Sequence[Verdict]]]:
        own = key(turn, known.get((dialogue, turn.turn)))
        if own is not None:
            yield own, turn.verdicts

    return split


def _together(verdicts: Iterable[tuple[Key, Verdict]]) -> Iterable[tuple[Key, Sequence[Verdict]]]:
    parts: defaultdict[Key, list[Verdict]] = defaultdict(list)
    for key, verdict in verdicts:
        parts[key].append(verdict)
    return parts.items()


def _modes(turn: JudgedTurn, facts: Prompt | None) -> Iterator[tuple[Key, Verdict]]:
    groups = [verdict.group for verdict in turn.verdicts]
    constraints = [] if facts is None else [Constraint(c["group"], c["params"]) for c in facts.payload["constraints"]]
    same = [constraint.group for constraint in constraints] == groups
    modes = modes_of(constraints) if same else [UNKNOWN] * len(groups)
    for mode, verdict in zip(modes, turn.verdicts, strict=True):
        yield f"{verdict.group}/{mode}", verdict


def _columns(cells: Mapping[int, _Cell], order: Sequence[int]) -> Iterator[list[float]]:
    """Over all dialogues in order: sum of rates, number of ok turns, number of turns."""
    nothing = _Cell()
    own = [cells.get(dialogue, nothing) for dialogue in order]
    yield [math.fsum(cell.rates) for cell in own]
    yield [cell.ok for cell in own]
    yield [len(cell.rates) for cell in own]


def _slice(cells: Mapping[int, _Cell], sums: Sequence[Values]) -> Slice:
    own = list(cells.values())
    turns, ok = sum(len(cell.rates) for cell in own), sum(cell.ok for cell in own)
    dialogues = sum(bool(cell.rates) for cell in own)
    csr = math.fsum(rate for cell in own for rate in cell.rates) / turns if turns else None
    isr = ok / turns if turns else None
    accuracy, successes, length = sums
    return Slice(
        satisfied=sum(cell.satisfied for cell in own),
        judged=sum(cell.judged for cell in own),
        ok=ok,
        turns=turns,
        not_judged=sum(cell.not_judged for cell in own),
        dialogues=dialogues,
        csr=csr,
        isr=isr,
        csr_interval=None if csr is None or dialogues < 2 else middle(ratios(accuracy, length), csr),
        isr_interval=None if isr is None or dialogues < 2 else middle(ratios(successes, length), isr),
    )


MIXED = "mixed"
"""The kind of a dialogue in which two kinds of turns are equally frequent (paper Apps. F, G)."""


@dataclass(frozen=True, slots=True)
class MetricFigures:
    """The eight metrics of some sessions, each with its 95 % bootstrap interval over dialogues (None: not defined)."""

    metrics: Metrics
    intervals: Mapping[str, Interval | None]


def dialogue_keys(facts: Iterable[Prompt], by: str, *, formality: Callable[[str], str] | None = None) -> dict[int, str]:
    """Dialogue to the key that most of its asked turns have; `mixed` where two keys are equally frequent.

    Args:
        facts: What the run knows of its turns.
        by: `synthesizer`, `register` or `formality`.
        formality: From a query to `formal` or `informal`.
    """
    key = facts_key(by, formality)
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for fact in facts:
        counts[fact.dialogue][key(fact)] += 1
    return {dialogue: _most(counts[dialogue]) for dialogue in sorted(counts)}


def metrics_by(
    sessions: Iterable[Session],
    facts: Iterable[Prompt],
    by: str,
    *,
    formality: Callable[[str], str] | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> dict[str, MetricFigures]:
    """The eight metrics of one model per kind of dialogue, in alphabetical order of the kinds.

    Args:
        sessions: Of one model.
        facts: What the run knows of its turns.
        by: `synthesizer`, `register` or `formality`; a dialogue's kind is that of most of its asked turns.
        formality: From a query to `formal` or `informal`.
        seed: Of the resampling.
        resamples: How many.
    """
    kinds = dialogue_keys(facts, by, formality=formality)
    records: defaultdict[str, list[DialogueRecord]] = defaultdict(list)
    for record in records_from_sessions(sessions).records:
        records[kinds.get(int(record.dialogue), UNKNOWN)].append(record)
    return {
        kind: MetricFigures(
            process_metrics(records[kind]), bootstrap_intervals(records[kind], seed=seed, resamples=resamples)
        )
        for kind in sorted(records)
    }


def _most(counts: Counter[str]) -> str:
    (first, most), *others = counts.most_common(2)
    return MIXED if others and others[0][1] == most else first


class Satisfaction(NamedTuple):
    """How many verdicts were satisfied, pooled over turns: most groups appear in some turns only.

    A rate per dialogue would often be 0/0.
    """

    satisfied: int
    judged: int

    @property
    def rate(self) -> float | None:
        """Satisfied / judged, a fraction from 0 to 1; None if nothing was judged."""
        return self.satisfied / self.judged if self.judged else None


def satisfaction_by_group(sessions: Iterable[Session]) -> dict[str, Satisfaction]:
    """Constraint group, in alphabetical order, to its verdicts (paper section 5.3, App. D).

    Counts finished and censored sessions, as the table does. A group that was never judged has (0, 0).
    """
    satisfied: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for session in counted_sessions(sessions):
        for verdict in (verdict for turn in session.turns for verdict in turn.verdicts):
            satisfied[verdict.group] += verdict.satisfied is True
            judged[verdict.group] += verdict.satisfied is not None
    return {group: Satisfaction(satisfied[group], judged[group]) for group in sorted(judged)}
