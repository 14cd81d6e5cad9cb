"""Answer keys of imported turns: kept where they pass, built where none came along, absent where there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from evolif.audit import Satisfiability, Status, satisfiability, witness_faults
from evolif.domain import Turn
from evolif.witness import Refusal, build_past_table, build_witness

STATUSES: tuple[str, ...] = get_args(Status)


class Witnesses:
    """Gives turns their witness and counts what can be satisfied."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(STATUSES, 0)
        self._known: dict[tuple[str, tuple[str, ...]], tuple[str | None, str]] = {}

    def give(self, turn: Turn) -> Turn:
        """The turn with a text that every rule checker passes; with None where there is none, or none was found."""
        text = turn.witness or ""
        if text.strip() and not witness_faults(turn.constraints, text):  # an empty answer fails whatever is asked
            self.counts["satisfiable"] += 1
            return turn
        key = (repr(turn.constraints), turn.topic.keywords)
        if key not in self._known:
            self._known = {} if len(self._known) > 1000 else self._known
            self._known[key] = _built(turn)
        built, status = self._known[key]
        self.counts[status] += 1
        return replace(turn, witness=built)


def _built(turn: Turn) -> tuple[str | None, str]:
    constraints, keywords = turn.constraints, turn.topic.keywords
    text = build_witness(constraints, keywords)
    if isinstance(text, str):
        return text, "satisfiable"
    found: Satisfiability = satisfiability(constraints, keywords)
    if found.status in ("impossible", "undecided"):
        return None, found.status
    built = build_past_table(constraints, keywords)
    return (None, "undecided") if isinstance(built, Refusal) else (built.text, found.status)
