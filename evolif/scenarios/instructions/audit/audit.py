"""The audit: judge every turn, compare every description with its constraint, count everything."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from evolif.scenarios.instructions.audit.descriptions import description_matches
from evolif.scenarios.instructions.audit.satisfiability import Satisfiability, Status, satisfiability, witness_faults
from evolif.scenarios.instructions.audit.sources import QueryToAudit, TurnToAudit, query_statistics, read_source
from evolif.scenarios.instructions.constraints import format_of

_MARKS = (1, 5, 10, 20, 30, 50)
"""Turn numbers and topic depths for which the mean number of constraints is reported."""


@dataclass(frozen=True, slots=True)
class AuditedTurn:
    """The result for one turn."""

    file: str
    dialogue: int | str
    turn: int
    status: Status
    conflict: tuple[str, ...]
    """The smallest set of groups that exclude each other."""
    reason: str
    compared: int
    """How many descriptions were compared with their constraint."""
    mismatches: tuple[str, ...]
    """The groups whose description does not state the parameters."""
    witness_fails: bool = False
    """The stored witness fails a rule checker."""
    query: QueryToAudit | None = None

    @property
    def query_fails(self) -> bool:
        """Whether the query fails to express the turn's intention and no reviewer has accepted it."""
        return self.query is not None and self.query.is_finding

    @property
    def is_finding(self) -> bool:
        """Whether a person should look at the turn."""
        is_refuted = self.status in ("impossible", "awkward")
        return is_refuted or bool(self.mismatches) or self.witness_fails or self.query_fails

    def to_object(self) -> dict[str, Any]:
        """The turn as `audit --json` prints it."""
        return {
            "file": self.file,
            "dialogue": self.dialogue,
            "turn": self.turn,
            "status": self.status,
            "conflict": list(self.conflict),
            "reason": self.reason,
            "description_matches": not self.mismatches,
            "query_findings": [
                {"checker": f.checker, "message": f.message, "spans": [list(span) for span in f.spans]}
                for f in (self.query.findings if self.query else ())
            ],
        }


@dataclass(frozen=True, slots=True)
class Audit:
    """The audited turns and their summary."""

    turns: tuple[AuditedTurn, ...]
    summary: Mapping[str, Any]

    @property
    def findings(self) -> tuple[AuditedTurn, ...]:
        """The turns that a person should look at."""
        return tuple(turn for turn in self.turns if turn.is_finding)


def audit(path: Path | str, progress: Callable[[int, int], None] | None = None) -> Audit:
    """Audit a benchmark directory, one of the authors' released files, or a folder of them.

    Args:
        path: The file or folder; nothing is written.
        progress: Called with (files done, files in total).

    Raises:
        UsageError: there is nothing to audit.
        InputError: a line that cannot be read; names the file and the line.
    """
    known: dict[Any, Satisfiability] = {}
    read, audited = [], []
    for turn in read_source(Path(path), progress):
        read.append(turn)
        audited.append(_audit_turn(turn, known))
    return Audit(tuple(audited), _summary(read, audited))


def _audit_turn(turn: TurnToAudit, known: dict[Any, Satisfiability]) -> AuditedTurn:
    faults = witness_faults(turn.constraints, turn.witness) if turn.witness is not None else []
    result = _satisfiability(turn, known)
    reasons = [result.reason] if result.reason else []
    if faults:
        reasons.append(f"the stored witness fails: {'; '.join(faults)}")
    return AuditedTurn(
        file=turn.file,
        dialogue=turn.dialogue,
        turn=turn.turn,
        status=result.status,
        conflict=result.conflict,
        reason="; ".join(reasons),
        compared=0 if turn.unmapped else len(turn.constraints),
        mismatches=_mismatches(turn),
        witness_fails=bool(faults),
        query=turn.query,
    )


def _satisfiability(turn: TurnToAudit, known: dict[Any, Satisfiability]) -> Satisfiability:
    if turn.unmapped:
        return Satisfiability("undecided", (), f"a constraint cannot be read: {turn.unmapped}")
    if turn.witness is not None:
        return satisfiability(turn.constraints, turn.keywords, turn.witness)
    # Building a text takes time, and turns of one topic often differ only in wording.
    key = (repr(turn.constraints), turn.keywords)
    if key not in known:
        known[key] = satisfiability(turn.constraints, turn.keywords)
    return known[key]


def _mismatches(turn: TurnToAudit) -> tuple[str, ...]:
    if turn.unmapped:
        return ()  # nothing to compare with
    fmt = format_of(turn.constraints)
    pairs = zip(turn.constraints, turn.descriptions, strict=True)
    return tuple(constraint.group for constraint, text in pairs if not description_matches(constraint, text, fmt))


def _summary(read: list[TurnToAudit], audited: list[AuditedTurn]) -> dict[str, Any]:
    numbers = _statistics(read)
    compared, missed = sum(turn.compared for turn in audited), sum(len(turn.mismatches) for turn in audited)
    return {
        "turns": numbers.pop("turns"),
        "dialogues": numbers.pop("dialogues"),
        "findings": sum(turn.is_finding for turn in audited),
        "status": _counts(get_args(Status), (turn.status for turn in audited)),
        "descriptions": {
            "compared": compared,
            "mismatching": missed,
            "share_mismatching": missed / compared if compared else None,
            "turns_mismatching": sum(bool(turn.mismatches) for turn in audited),
        },
        "witnesses": {
            "stored": sum(turn.witness is not None for turn in read),
            "failing": sum(turn.witness_fails for turn in audited),
        },
        "queries": query_statistics([turn.query for turn in read if turn.query is not None]),
        **numbers,
    }


def _statistics(turns: Sequence[TurnToAudit]) -> dict[str, Any]:
    """Moves, operations, constraints per turn and topics per dialogue; shares are fractions."""
    dialogues: dict[tuple[str, int | str], set[str]] = defaultdict(set)
    for turn in turns:
        dialogues[turn.file, turn.dialogue].add(turn.topic)
    topics = [len(found) for found in dialogues.values()]
    return {
        "turns": len(turns),
        "dialogues": len(dialogues),
        "moves": _counts(("new", "continue", "backtrack"), (turn.move for turn in turns)),
        "operations": _counts(_operations(turns), (turn.operation for turn in turns)),
        "constraints_per_turn": {
            "mean": _mean(len(turn.descriptions) for turn in turns),
            "by_turn": _means((turn.turn, len(turn.descriptions)) for turn in turns),
            "by_depth": _means(zip(_depths(turns), (len(turn.descriptions) for turn in turns), strict=True)),
        },
        "topics_per_dialogue": {"mean": _mean(topics), "least": min(topics, default=0), "most": max(topics, default=0)},
    }


def _operations(turns: Sequence[TurnToAudit]) -> tuple[str, ...]:
    """The kinds that are always reported, and those that profiles with several changes in a turn have."""
    others = ("replace_all", "carry", "several")
    return ("add", "modify", "remove", "other", *(name for name in others if any(t.operation == name for t in turns)))


def _counts(names: Iterable[str], found: Iterable[str]) -> dict[str, int]:
    seen = Counter(found)
    return {name: seen[name] for name in names}


def _mean(numbers: Iterable[int]) -> float | None:
    values = list(numbers)
    return sum(values) / len(values) if values else None


def _means(pairs: Iterable[tuple[int, int]]) -> dict[str, float | None]:
    """Means of the second numbers by the first, for the reported ones; None if there is no turn."""
    found: dict[int, list[int]] = defaultdict(list)
    for at, number in pairs:
        found[at].append(number)
    return {str(mark): _mean(found.get(mark, ())) for mark in _MARKS}


def _depths(turns: Iterable[TurnToAudit]) -> list[int]:
    """For each turn, how many turns its topic has had so far in the dialogue, including this one."""
    seen: Counter[tuple[str, int | str, str]] = Counter()
    depths = []
    for turn in turns:
        key = (turn.file, turn.dialogue, turn.topic)
        seen[key] += 1
        depths.append(seen[key])
    return depths
