"""A run as its reader sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evolif.domain import Session
from evolif.protocol._settings import RunSettings
from evolif.protocol.store import RunStore, TurnRecord


class Run:
    """An evaluation on disk, opened for reading."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._sessions = list(store.sessions())

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self._store.root

    @property
    def settings(self) -> RunSettings:
        """What the run was made with."""
        return self._store.settings

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order they were named."""
        return self.settings.models

    def sessions(self, model: str | None = None) -> list[Session]:
        """All sessions, or those of one model."""
        return [s for _, s in self._sessions if model is None or s.model == model]

    def transcripts(self, model: str) -> Iterator[tuple[Session, list[TurnRecord]]]:
        """Each session of a model with everything said in it."""
        for number, session in self._sessions:
            if session.model == model:
                yield session, self._store.turns(number)

    def faults(self) -> list[tuple[str, int, int, str, str]]:
        """(model, dialogue, turn, kind, message) of every fault."""
        return self._store.faults()

    def suspended(self) -> int:
        """How many sessions did not come to an end and can be resumed."""
        return sum(1 for _, s in self._sessions if s.ending in (None, "suspended"))

    def close(self) -> None:
        """Close the file."""
        self._store.close()


def load_run(path: Path | str) -> Run:
    """Open a run directory for reading.

    Raises:
        UsageError: not a run, or one of another version.
    """
    return Run(RunStore.open(Path(path)))
