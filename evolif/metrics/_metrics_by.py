"""The eight metrics per kind of dialogue: by synthesizer, register or formality (paper Apps. F, G)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from evolif.domain import Session, TurnFacts
from evolif.metrics._bootstrap import DEFAULT_RESAMPLES, Interval
from evolif.metrics._process import Metrics


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
    raise NotImplementedError


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
    raise NotImplementedError
