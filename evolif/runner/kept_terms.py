"""The terms of a run's sessions, kept beside their turns: worked out when a session ends, or when they are missing.

Triggers of the run's file remove what is kept of a session as soon as one of its turns, its end or one of its prompts
changes, whoever changes it, so that terms which are there are those of the turns that are there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evolif.metrics import Breakdown, MetricTable, counted_sessions
from evolif.metrics.breakdown import breakdowns_of, cells_of, splitters
from evolif.metrics.cells import Cell, Key, dump_cells, load_cells
from evolif.metrics.feedback import FEEDBACK_TABLE
from evolif.metrics.relevance import RELEVANCE_TABLE
from evolif.metrics.terms import EDITION, SessionTerms, summed
from evolif.runner.hash_chain import digest_of
from evolif.runner.records import load_json
from evolif.runner.settings import RunSettings
from evolif.scenario import get_scenario
from evolif.types import Prompt, Session

_KEEP = "INSERT OR REPLACE INTO terms (session, edition, data, seal) VALUES (?, ?, ?, ?)"
_KEEP_CELLS = "INSERT OR REPLACE INTO cells (breakdown, session, data, seal) VALUES (?, ?, ?, ?)"
_CELLS = "SELECT session, data, seal FROM cells WHERE breakdown = ?"


class TermsWriter:
    """Works out the terms of ended sessions and writes them.

    Args:
        settings: Of the run.

    Raises:
        UsageError: its scenario is not installed.
    """

    def __init__(self, settings: RunSettings) -> None:
        scenario = get_scenario(settings.scenario)
        own = scenario.table(settings.options)
        self._labels = tuple(filter(None, ("" if own is None else own.cluster,)))
        self._tables: tuple[MetricTable, ...] = tuple(
            table
            for table, is_there in (
                (own, own is not None),
                (RELEVANCE_TABLE, bool(settings.relevance)),
                (FEEDBACK_TABLE, settings.feedback != "none"),
            )
            if table is not None and is_there and table.kept
        )
        self._breakdowns: tuple[Breakdown, ...] = tuple(one for one in breakdowns_of(scenario.breakdowns) if one.kept)

    def write(self, connection: sqlite3.Connection, number: int, data: str, cells: Mapping[str, str]) -> None:
        """Write what `work_out` gave for a session.

        Args:
            connection: Within a transaction.
            number: Of the session.
            data: Its terms.
            cells: Its cells by breakdown.
        """
        [seal] = connection.execute("SELECT seal FROM session WHERE id = ?", (number,)).fetchone()
        connection.execute(_KEEP, (number, EDITION, data, _seal(seal, "", data)))
        connection.executemany(_KEEP_CELLS, [(by, number, own, _seal(seal, by, own)) for by, own in cells.items()])

    def work_out(self, session: Session, prompts: Sequence[Prompt]) -> tuple[str, dict[str, str]]:
        """The terms of a session and its cells by breakdown, as they are written."""
        terms = summed(session, self._labels, {table.kept: table.row(session) for table in self._tables})
        counted = next(iter(counted_sessions([session])), session)
        found = cells_of(counted, splitters(prompts, self._breakdowns))
        cells = {by.kept: dump_cells(own) for by, own in zip(self._breakdowns, found, strict=True)}
        return terms.dump(), cells


class TermsReader:
    """Reads the terms that a run's file keeps.

    Args:
        connection: To the file.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._last: tuple[str, dict[int, tuple[str, str]]] = ("", {})
        """The breakdown that was asked for last, and what is kept of it."""

    def read(self, number: int, session_seal: str | None, text: str | None, seal: str | None) -> SessionTerms | None:
        """The terms of a session; None where none are kept, or they are not as they were written.

        Args:
            number: Of the session.
            session_seal: Of its end.
            text: The column `data` of its terms of this edition.
            seal: The column `seal` of the same row.
        """
        if text is None or seal != _seal(session_seal, "", text):
            return None
        try:
            terms = SessionTerms.load(load_json(text))
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError):
            return None
        terms.cells = lambda name: self._cells(name, number, session_seal)
        return terms

    def _cells(self, name: str, number: int, session_seal: str | None) -> dict[Key, Cell] | None:
        if self._last[0] != name:  # a breakdown is of all sessions, so they are read at once
            rows = self._connection.execute(_CELLS, (name,))
            self._last = name, {session: (data, seal) for session, data, seal in rows}
        data, seal = self._last[1].get(number) or (None, None)
        if data is None or seal != _seal(session_seal, name, data):
            return None
        try:
            return load_cells(load_json(data))
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError):
            return None


def _seal(session_seal: str | None, name: str, data: str) -> str:
    return digest_of((EDITION, session_seal or "", name, data))


def missing(connection: sqlite3.Connection) -> list[int]:
    """The ended sessions of which a file keeps no terms of this edition."""
    rows: Iterable[tuple[Any, ...]] = connection.execute(
        "SELECT id FROM session WHERE ending IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM terms WHERE session = session.id AND edition = ?) ORDER BY dialogue, id",
        (EDITION,),
    )
    return [number for (number,) in rows]
