"""The eight metrics per kind of dialogue: by synthesizer, register or formality (paper Apps. F, G)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from evolif.domain import Session, TurnFacts
from evolif.metrics._bootstrap import DEFAULT_RESAMPLES, Interval, bootstrap_intervals
from evolif.metrics._dialogue import DialogueRecord
from evolif.metrics._keys import UNKNOWN, facts_key
from evolif.metrics._process import Metrics, process_metrics
from evolif.metrics._sessions import records_from_sessions

MIXED = "mixed"
"""The kind of a dialogue in which two kinds of turns are equally frequent."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The eight metrics of some sessions, each with its 95 % bootstrap interval over dialogues (None: not defined)."""

    metrics: Metrics
    intervals: Mapping[str, Interval | None]


def dialogue_keys(
    facts: Iterable[TurnFacts], by: str, *, formality: Callable[[str], str] | None = None
) -> dict[int, str]:
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
    facts: Iterable[TurnFacts],
    by: str,
    *,
    formality: Callable[[str], str] | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> dict[str, Figures]:
    """The eight metrics of one model per kind of dialogue, in alphabetical order of the kinds.

    Args:
        sessions: Of one model.
        facts: What the run knows of its turns.
        by: `synthesizer`, `register` or `formality`; a dialogue is of the kind that most of its asked turns are.
        formality: From a query to `formal` or `informal`.
        seed: Of the resampling.
        resamples: How many.
    """
    kinds = dialogue_keys(facts, by, formality=formality)
    records: defaultdict[str, list[DialogueRecord]] = defaultdict(list)
    for record in records_from_sessions(sessions).records:
        records[kinds.get(int(record.dialogue), UNKNOWN)].append(record)
    return {
        kind: Figures(
            process_metrics(records[kind]), bootstrap_intervals(records[kind], seed=seed, resamples=resamples)
        )
        for kind in sorted(records)
    }


def _most(counts: Counter[str]) -> str:
    (first, most), *others = counts.most_common(2)
    return MIXED if others and others[0][1] == most else first
