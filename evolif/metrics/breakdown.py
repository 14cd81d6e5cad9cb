"""Figures for parts of a run: CSR and ISR per key of its turns, and the metrics per kind of dialogue."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from evolif.errors import UsageError
from evolif.metrics.cells import Cell, Key, tally
from evolif.metrics.intervals import ratio_interval
from evolif.metrics.pairs import PairTest, pair_test
from evolif.metrics.process import PROCESS
from evolif.metrics.sessions import counted_sessions, of_one_model
from evolif.metrics.statistics import Interval
from evolif.metrics.table import (
    UNKNOWN,
    Breakdown,
    Cluster,
    MetricFigures,
    MetricTable,
    clusters_of,
    figures_with_intervals,
)
from evolif.metrics.terms import credit_of, terms_of_stored
from evolif.types import DEFAULT_RESAMPLES, JudgedTurn, Prompt, Session, Verdict
from evolif.util.suggestions import did_you_mean

TurnKey: TypeAlias = Callable[[JudgedTurn, Prompt | None], Key | None]
"""A custom key, from a turn and its prompt (None if the run has none); None leaves the turn out."""
_Parts: TypeAlias = Iterable[tuple[Key, Sequence[Verdict]]]


def together(verdicts: Iterable[tuple[Key, Verdict]]) -> _Parts:
    """The verdicts of a turn per key, for breakdowns whose keys are of single requirements."""
    parts: defaultdict[Key, list[Verdict]] = defaultdict(list)
    for key, verdict in verdicts:
        parts[key].append(verdict)
    return parts.items()


def _by_group(turn: JudgedTurn, prompt: Prompt | None) -> _Parts:
    return together((verdict.group, verdict) for verdict in turn.verdicts)


def _by_turn(turn: JudgedTurn, prompt: Prompt | None) -> _Parts:
    return ((turn.turn, turn.verdicts),)


def _by_load(turn: JudgedTurn, prompt: Prompt | None) -> _Parts:
    return ((len(turn.verdicts), turn.verdicts),)


GROUP = Breakdown("group", "group", "Satisfied % per constraint group, of those judged", split=_by_group, edition=1)
LOAD = Breakdown(
    "load", "load", "CSR % per number of active constraints, of the given number of turns", split=_by_load, edition=1
)
TURN = Breakdown("turn", "turn", "", split=_by_turn, edition=1)

BREAKDOWNS: tuple[Breakdown, ...] = (GROUP, LOAD, TURN)
"""Those that every run with verdicts has."""


def breakdowns_of(own: Iterable[Breakdown]) -> tuple[Breakdown, ...]:
    """The breakdowns of a run, in the order of reports.

    Args:
        own: The scenario's; may contain those of `BREAKDOWNS`, to give their place, or others of their names.
    """
    given = tuple(own)
    names = {one.name for one in given}
    return (*(one for one in BREAKDOWNS if one.name not in names), *given)


def _indexed(prompts: Iterable[Prompt]) -> dict[tuple[int, int, str], Prompt]:
    """By dialogue, turn and digest, and by an empty digest where a turn does not say which prompt it answers."""
    given = tuple(prompts)
    whole = {(prompt.dialogue, prompt.turn, ""): prompt for prompt in given}
    return whole | {(one.dialogue, one.turn, one.digest): one for one in given if not one.fixed}


@dataclass(frozen=True, slots=True)
class Slice:
    """The counted turns with one key; if the key is of constraints, each turn with only those constraints.

    Attributes:
        satisfied: Constraints satisfied.
        judged: Constraints judged.
        ok: Turns with every judged constraint (of the slice) satisfied.
        turns: Turns with at least one judged constraint (of the slice).
        not_judged: Constraints without a verdict; they count nowhere else.
        dialogues: Dialogues that contain such turns; clusters of them where the scenario takes some together.
        csr: Mean over the turns of satisfied / judged, or of their credit, a fraction; None without a turn.
        isr: ok / turns, a fraction; None without a turn. For keys of constraints it equals `csr` where a turn has at
            most one constraint of the key.
        csr_interval: 95 % interval over dialogues; None if fewer than six contribute.
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
    sessions: Iterable[Session], prompts: Iterable[Prompt], by: str | Breakdown | TurnKey, *, cluster: str = ""
) -> dict[Key, Slice]:
    """CSR and ISR per key over the turns that the table counts (paper sections 5.3, App. D, G).

    Args:
        sessions: Of one model; finished and censored ones count, up to the turn that exhausts patience.
        prompts: Those of the run; may be empty for breakdowns that need only what sessions know.
        by: One of `BREAKDOWNS` by its name (`group`; `load`, the number of active requirements, judged or not; `turn`),
            a breakdown of the run's scenario, or a function from a turn and its prompt to a key.
        cluster: The label of turns that says which dialogues are resampled together, see `MetricTable.cluster`.

    Returns:
        Key, in ascending order, to its slice. Turns without this information have the key `unknown`.

    Raises:
        UsageError: sessions of several models, or no such breakdown.
    """
    cells = _cells_by(sessions, prompts, by, cluster)
    keys = sorted(cells, key=lambda key: (isinstance(key, str), key))
    return {key: _slice(cells[key].values()) for key in keys}


def slice_difference(
    sessions: Iterable[Session],
    prompts: Iterable[Prompt],
    by: str | Breakdown | TurnKey,
    keys: tuple[Key, Key],
    *,
    cluster: str = "",
) -> tuple[float | None, PairTest]:
    """CSR of one slice of a breakdown minus that of another, and the test of it, paired by dialogue.

    Args:
        sessions: As for `breakdown`.
        prompts: As for `breakdown`.
        by: As for `breakdown`.
        keys: Of the two slices.
        cluster: As for `breakdown`.

    Returns:
        The difference, a fraction; None if one of the two has no judged requirement. The test has no interval where
        fewer than six dialogues contribute to either.
    """
    cells = _cells_by(sessions, prompts, by, cluster)
    own = [cells.get(key, {}) for key in keys]
    clusters = sorted({*own[0], *own[1]}, key=str)
    table = MetricTable(("accuracy", "turns"), lambda _: (), {"csr": ("accuracy", "turns")})
    a, b = ([side[one].terms if one in side else (0.0, 0.0) for one in clusters] for side in own)
    first, second = (table.value(table.total(rows), "csr") if rows else None for rows in (a, b))
    if first is None or second is None:
        return None, PairTest()
    return first - second, pair_test(table, a, b, "csr")


def _cells_by(
    sessions: Iterable[Session], prompts: Iterable[Prompt], by: str | Breakdown | TurnKey, cluster: str
) -> dict[Key, dict[Cluster, Cell]]:
    counted = counted_sessions(of_one_model(sessions))
    wanted = _named(by) if isinstance(by, str) else by
    kept = wanted.kept if isinstance(wanted, Breakdown) else ""
    split: _Split | None = None
    of = clusters_of(cluster, counted)
    cells: defaultdict[Key, defaultdict[Cluster, Cell]] = defaultdict(lambda: defaultdict(Cell))
    for session in counted:
        own = kept_cells(session, kept)
        if own is None:
            split = split or splitters(prompts, [wanted])[0]
            [own] = cells_of(session, [split])
        for key, cell in own.items():
            cells[key][of[session.dialogue]].join(cell)
    return {key: dict(found) for key, found in cells.items()}


_Split = Callable[[int, JudgedTurn], _Parts]


def kept_cells(session: Session, name: str) -> Mapping[Key, Cell] | None:
    """What a stored session adds to the keys of a breakdown; None where that is not kept.

    Args:
        session: One that counts.
        name: As `Breakdown.kept`; nothing is kept under an empty name.
    """
    known = terms_of_stored(session) if name else None
    return None if known is None else known.cells(name)


def cells_of(session: Session, splits: Sequence[_Split]) -> list[dict[Key, Cell]]:
    """What a session adds to the keys of some breakdowns.

    Args:
        session: One that counts.
        splits: Of each breakdown, the parts of one of the session's turns.
    """
    found: list[defaultdict[Key, Cell]] = [defaultdict(Cell) for _ in splits]
    for turn in session.turns:
        if turn.seat == "target":
            whole, credit = tally(turn.verdicts), credit_of(turn)
            for split, cells in zip(splits, found, strict=True):
                for key, verdicts in split(session.dialogue, turn):
                    if verdicts is turn.verdicts:
                        cells[key].add(whole, credit)
                    else:  # a part of a turn has no credit of its own
                        cells[key].add(tally(verdicts))
    return [dict(cells) for cells in found]


def splitters(prompts: Iterable[Prompt], wanted: Iterable[Breakdown | TurnKey]) -> list[_Split]:
    """The parts of a turn by some breakdowns, or by functions.

    Args:
        prompts: Those that a turn may answer.
        wanted: The breakdowns.
    """
    known = _indexed(prompts)

    def prompt_of(dialogue: int, turn: JudgedTurn) -> Prompt | None:
        return known.get((dialogue, turn.turn, turn.asked)) or known.get((dialogue, turn.turn, ""))

    return [_splitter(prompt_of, by) for by in wanted]


def _splitter(prompt_of: Callable[[int, JudgedTurn], Prompt | None], by: Breakdown | TurnKey) -> _Split:
    if isinstance(by, Breakdown):
        parts = by.parts
        return lambda dialogue, turn: parts(turn, prompt_of(dialogue, turn))
    key = by

    def split(dialogue: int, turn: JudgedTurn) -> Iterator[tuple[Key, Sequence[Verdict]]]:
        own = key(turn, prompt_of(dialogue, turn))
        if own is not None:
            yield own, turn.verdicts

    return split


def _named(name: str) -> Breakdown:
    for one in BREAKDOWNS:
        if one.name == name:
            return one
    known = [one.name for one in BREAKDOWNS]
    raise UsageError(
        f"unknown breakdown “{name}”{did_you_mean(name, known)}; use {', '.join(known)}, a breakdown of the run's "
        "scenario, or a function"
    )


def _slice(cells: Collection[Cell]) -> Slice:
    accuracy = [cell.accuracy for cell in cells]
    successes = [cell.ok for cell in cells]
    length = [cell.turns for cell in cells]
    turns, ok = sum(length), sum(successes)
    return Slice(
        satisfied=sum(cell.satisfied for cell in cells),
        judged=sum(cell.judged for cell in cells),
        ok=ok,
        turns=turns,
        not_judged=sum(cell.not_judged for cell in cells),
        dialogues=sum(number > 0 for number in length),
        csr=math.fsum(rate for cell in cells for rate in cell.rates) / turns if turns else None,
        isr=ok / turns if turns else None,
        csr_interval=ratio_interval(accuracy, length, rate=True),
        isr_interval=ratio_interval(successes, length, rate=True),
    )


MIXED: Key = "mixed"
"""The kind of a dialogue in which two kinds of turns are equally frequent (paper Apps. F, G)."""


def dialogue_keys(prompts: Iterable[Prompt], by: Breakdown) -> dict[int, Key]:
    """Dialogue to the key that most of its asked turns have; `mixed` where two keys are equally frequent.

    Args:
        prompts: Those of the run; a partner's do not count.
        by: A breakdown whose keys are of turns.
    """
    counts: defaultdict[int, Counter[Key]] = defaultdict(Counter)
    for prompt in prompts:
        if prompt.seat == "target":
            keys = (key for key, _ in by.parts(JudgedTurn(prompt.turn, (), prompt.labels), prompt))
            counts[prompt.dialogue].update([next(iter(keys), UNKNOWN)])
    return {dialogue: _most(counts[dialogue]) for dialogue in sorted(counts)}


def metrics_by(
    sessions: Iterable[Session],
    prompts: Iterable[Prompt],
    by: Breakdown,
    *,
    tables: Sequence[MetricTable] = (PROCESS,),
    cap: int | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    kinds: Mapping[int, Key] | None = None,
) -> dict[str, MetricFigures]:
    """The metrics of one model per kind of dialogue, in alphabetical order of the kinds.

    Args:
        sessions: Of one model.
        prompts: Those of the run.
        by: What classifies a dialogue: the key of most of its asked turns.
        tables: Of the run.
        cap: Of the run, in turns; None if unknown.
        seed: Of the draws that intervals need where most sessions reach the cap.
        resamples: How many.
        kinds: What `dialogue_keys` gives for the prompts, where it is known.
    """
    kinds = dialogue_keys(prompts, by) if kinds is None else kinds
    parts: defaultdict[str, list[Session]] = defaultdict(list)
    for session in counted_sessions(of_one_model(sessions)):
        parts[str(kinds.get(session.dialogue, UNKNOWN))].append(session)
    return {
        kind: figures_with_intervals(tables, parts[kind], cap=cap, seed=seed, resamples=resamples)
        for kind in sorted(parts)
    }


def _most(counts: Counter[Key]) -> Key:
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
        own = kept_cells(session, GROUP.kept)
        if own is not None:
            for key, cell in own.items():
                satisfied[str(key)] += cell.satisfied
                judged[str(key)] += cell.judged
            continue
        for verdict in (v for turn in session.turns if turn.seat == "target" for v in turn.verdicts):
            satisfied[verdict.group] += verdict.satisfied is True
            judged[verdict.group] += verdict.satisfied is not None
    return {group: Satisfaction(satisfied[group], judged[group]) for group in sorted(judged)}
