"""CSR and ISR of parts of the turns: per group, mode, depth, load, move and what else a run knows of a turn."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evolif.domain import JudgedTurn, Session, TurnFacts, Verdict
from evolif.metrics._bootstrap import DEFAULT_RESAMPLES, Interval, dialogue_terms
from evolif.metrics._keys import UNKNOWN, Key, TurnKey, index_facts, modes_of, turn_key
from evolif.metrics._resampling import Values, check_draws, middle, ratios, resampled_sums
from evolif.metrics._sessions import Counted, counted_with_verdicts, of_one_model


@dataclass(frozen=True, slots=True)
class Slice:
    """The counted turns with one key; where the key is of constraints, each turn with those constraints alone.

    Attributes:
        satisfied: Constraints satisfied.
        judged: Constraints judged.
        ok: Turns with every judged constraint (of the slice) satisfied.
        turns: Turns with at least one judged constraint (of the slice).
        not_judged: Constraints without a verdict; they enter nothing else.
        dialogues: Dialogues that bring such turns.
        csr: Mean over the turns of satisfied / judged, a fraction; None without a turn.
        isr: ok / turns, a fraction; None without a turn. For keys of constraints it equals `csr` where a turn has at
            most one constraint of the key.
        csr_interval: 95 % bootstrap interval over dialogues; None where fewer than two contribute.
        isr_interval: Likewise.
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
        """Satisfied / judged, pooled over constraints, a fraction; None where nothing was judged."""
        return self.satisfied / self.judged if self.judged else None


def breakdown(
    sessions: Iterable[Session],
    facts: Iterable[TurnFacts],
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
        by: One of `BREAKDOWNS`, or a function of one's own from a turn and its facts to a key. `mode` has keys like
            `length/words.less_than` (see `mode_of`), `load` the number of active constraints, judged or not.
        formality: From a query to `formal` or `informal`, for `by="formality"`.
        seed: Of the resampling.
        resamples: How many.

    Returns:
        Key, in ascending order, to its slice. Turns of which the run does not know it have the key `unknown`.

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
    """What one dialogue brings to one key."""

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
    """The dialogues in the order in which the table draws them, so that a slice of everything has its interval."""
    terms = dialogue_terms(own.record for own in counted)
    return sorted({own.session.dialogue for own in counted}, key=lambda dialogue: (terms[str(dialogue)], dialogue))


def _splitter(facts: Iterable[TurnFacts], by: str | TurnKey, formality: Callable[[str], str] | None) -> _Split:
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


def _modes(turn: JudgedTurn, facts: TurnFacts | None) -> Iterator[tuple[Key, Verdict]]:
    groups = [verdict.group for verdict in turn.verdicts]
    same = facts is not None and [constraint.group for constraint in facts.constraints] == groups
    modes = modes_of(facts.constraints) if facts is not None and same else [UNKNOWN] * len(groups)
    for mode, verdict in zip(modes, turn.verdicts, strict=True):
        yield f"{verdict.group}/{mode}", verdict


def _columns(cells: Mapping[int, _Cell], order: Sequence[int]) -> Iterator[list[float]]:
    """Over all dialogues in order: sum of rates, turns that are ok, turns."""
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
