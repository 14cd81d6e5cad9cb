"""A run as its reader sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evolif.domain import Session, TurnFacts
from evolif.protocol._events import Spent
from evolif.protocol._settings import RunSettings
from evolif.protocol.store import EarlyEnd, RunStore, TurnRecord


class Run:
    """An evaluation on disk, opened for reading; nothing is held in memory but what is asked for."""

    def __init__(self, store: RunStore) -> None:
        self._store = store

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self._store.root

    @property
    def store(self) -> RunStore:
        """The run's file, for whoever adds to it."""
        return self._store

    @property
    def settings(self) -> RunSettings:
        """What the run was made with."""
        return self._store.settings

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order they were named."""
        return self.settings.models

    def sessions(self, model: str | None = None) -> list[Session]:
        """All sessions, or those of one model; without those that were kept from beginning, see `unbegun`.

        Verdicts are bare outcomes; what was expected and found stands in `transcripts`.
        """
        return [session for _, session in self._store.sessions(model, unbegun=False)]

    def transcripts(self, model: str) -> Iterator[tuple[Session, list[TurnRecord]]]:
        """Each session of a model with everything said in it; without those that were kept from beginning."""
        for number, session in self._store.sessions(model, unbegun=False):
            yield session, self._store.turns(number)

    def facts(self) -> Iterator[TurnFacts]:
        """Every turn that was asked, whoever answered it, by dialogue and turn: what figures are broken down by."""
        return self._store.facts()

    def costs(self) -> list[Spent]:
        """Calls and tokens per role and model: targets, judges, synthesizers and their checkers."""
        return self._store.costs()

    def faults(self) -> list[tuple[str, int, int, str, str]]:
        """(model, dialogue, turn, kind, message) of every fault, oldest first."""
        return self._store.faults()

    def suspended(self) -> int:
        """How many sessions did not come to an end and can be resumed."""
        endings = self._store.endings()
        return sum(
            number
            for (_, ending, cause), number in endings.items()
            if ending == "suspended" or (ending is None and not cause)
        )

    def unbegun(self) -> dict[str, int]:
        """How many sessions a budget or a stop rule kept from beginning, by cause; they enter no figure."""
        told: dict[str, int] = {}
        for (_, ending, cause), number in self._store.endings().items():
            if ending is None and cause:
                told[cause] = told.get(cause, 0) + number
        return told

    def early_end(self) -> EarlyEnd | None:
        """The stop rule that ended the run early; its figures are then those of the rule's dialogues alone."""
        return self._store.early_end()

    def reasons(self) -> list[tuple[str, str, int]]:
        """(model, reason, sessions) of suspended sessions, the most frequent first."""
        return self._store.reasons()

    def close(self) -> None:
        """Close the file."""
        self._store.close()


def load_run(path: Path | str, *, read_only: bool = False) -> Run:
    """Open a run directory for reading; where `read_only`, nothing at all is written there, not even a lock.

    Raises:
        UsageError: not a run, or one of another version.
    """
    return Run(RunStore.open(Path(path), read_only=read_only))
