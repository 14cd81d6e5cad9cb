"""What of a run may leave this machine: settings without addresses, and names and texts without folders.

Runs of earlier versions name a local model by its whole path. They keep that name, which their seals cover; whoever
reads them is shown the short one, through views with the names of the tables.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import urlsplit

from evolif.models.endpoint import address_digest
from evolif.runner.hash_chain import Integrity, check_seals
from evolif.runner.live import LIVE
from evolif.runner.schema import adapt
from evolif.runner.settings import RunSettings
from evolif.runner.store import RunStore
from evolif.runner.store_file import connect, disk_faults

_FOLDER = re.compile(r"local/([^,()]*/[^,()/]+)")
"""A local model's path in the name of a judge."""
_SEATS = ("judge", "partner", "context_model")
"""Settings that name models besides those under test."""
_ITS_ENDPOINT = "its endpoint"
_SAID = re.compile(
    r"(?<=: )[\w.:\[\]-]+ "
    r"(?=did not answer within |returned no usable completion |could not be reached |answered \d{3}: )"
)
"""An endpoint's host in an error, see `evolif.models.faults`: also of those that no setting names."""
_ALWAYS: Mapping[str, tuple[str, ...]] = {"session": ("model", "reason"), "fault": ("message",)}
_WITH_PATHS: Mapping[str, tuple[str, ...]] = {**_ALWAYS, "call": ("model",), "turn": ("served_by", "records")}
"""Columns in which a path or an address may stand; in two tables only where a model was named by a path."""


def shared_settings(settings: RunSettings) -> dict[str, Any]:
    """The settings of a run as every output has them: as JSON values, and a digest in the place of each address."""
    shown = settings.model_dump(mode="json")
    for field in ("endpoints", "judge_endpoints"):
        shown[field] = [address_digest(url) for url in getattr(settings, field)]
    if settings.other_endpoints:
        shown["other_endpoints"] = {role: address_digest(url) for role, url in settings.other_endpoints.items()}
    return shown


class Redacted:
    """The names and texts of a run as its readers see them.

    Args:
        settings: As stored.
    """

    def __init__(self, settings: RunSettings) -> None:
        self._stored = settings
        paths = _short_paths(settings)
        self._names = {**paths, **dict.fromkeys(_hosts(settings), _ITS_ENDPOINT)}
        wanted = "|".join(map(re.escape, sorted(self._names, key=len, reverse=True)))
        self._found = re.compile(rf"(?<![\w.-])(?:{wanted})(?![\w-])") if wanted else None
        self._renames = bool(paths)

    @property
    def settings(self) -> RunSettings:
        """The settings, with short names of local models."""
        stored = self._stored
        if not self._renames:
            return stored
        names = {field: self.text(getattr(stored, field)) for field in _SEATS}
        return stored.model_copy(update={"models": tuple(map(self.text, stored.models)), **names})

    def text(self, text: str) -> str:
        """A name or a text without folders of local models and without hosts of custom endpoints."""
        said = _SAID.sub(f"{_ITS_ENDPOINT} ", text)
        return said if self._found is None else self._found.sub(lambda found: self._names[found[0]], said)

    def cover(self, connection: sqlite3.Connection) -> None:
        """Put views with these names and texts before the tables of a connection, which then only reads them."""
        connection.create_function("shown_text", 1, self._column, deterministic=True)
        for table, texts in (_WITH_PATHS if self._renames else _ALWAYS).items():
            old = connection.execute("SELECT sql FROM temp.sqlite_master WHERE name = ?", (table,)).fetchone()
            source = f"SELECT * FROM main.{table}"
            if old is not None:  # of a run of an earlier version, see `evolif.runner.schema`
                source = old[0].partition(" AS ")[2]
                connection.execute(f"DROP VIEW temp.{table}")
            columns = [
                f"shown_text({name}) AS {name}" if name in texts else name
                for name, *_ in connection.execute(f"SELECT * FROM ({source}) LIMIT 0").description
            ]
            connection.execute(f"CREATE TEMP VIEW {table} AS SELECT {', '.join(columns)} FROM ({source})")

    def _column(self, value: object) -> Any:
        return self.text(value) if isinstance(value, str) else value


class RedactedStore(RunStore):
    """A run's file as its readers see it: nothing of it names a folder or an address of this machine."""

    def __init__(self, root: Path, connection: sqlite3.Connection, settings: RunSettings) -> None:
        self._shown = Redacted(settings)
        self._shown.cover(connection)
        super().__init__(root, connection, self._shown.settings)

    def noted(self, key: str) -> str:
        """The text stored under a key; in that of the moment, models have their short names."""
        text = super().noted(key)
        return self._shown.text(text) if key == LIVE else text

    def _check_seals(self) -> Integrity:
        """Of the rows as they are stored."""
        with disk_faults(self.root), closing(connect(self.root, read_only=True)) as stored:
            adapt(stored, migrate=False)
            found = check_seals(stored)
        text = self._shown.text
        return replace(
            found,
            edited=tuple(replace(one, model=None if one.model is None else text(one.model)) for one in found.edited),
        )


def as_stored(wanted: RunSettings, stored: RunSettings) -> RunSettings:
    """The settings of a run that is begun, with its own names of local models.

    Args:
        wanted: As planned now.
        stored: As the run has them.
    """
    short = Redacted(stored).settings
    own = dict(zip(short.models, stored.models, strict=True))
    seats = {name: getattr(stored, name) for name in _SEATS if getattr(wanted, name) == getattr(short, name)}
    return wanted.model_copy(update={"models": tuple(own.get(model, model) for model in wanted.models), **seats})


def _short_paths(settings: RunSettings) -> dict[str, str]:
    """Paths of local models to the names of their files; two files of one name get numbers."""
    texts = (*settings.models, *(getattr(settings, field) for field in _SEATS))
    short: dict[str, str] = {}
    for path in _paths(texts):
        name = PurePath(path).name
        number = sum(PurePath(other).name == name for other in short) + 1
        short.setdefault(path, name if number == 1 else f"{PurePath(name).stem} ({number}){PurePath(name).suffix}")
    return short


def _paths(names: Iterable[str]) -> Iterator[str]:
    for name in dict.fromkeys(names):
        if name.startswith("local/"):
            path = name.removeprefix("local/")
            if PurePath(path).name not in ("", path):
                yield path
        else:
            yield from _FOLDER.findall(name)


def _hosts(settings: RunSettings) -> Iterator[str]:
    """Hosts of custom endpoints, with and without their ports."""
    for url in (*settings.endpoints, *settings.judge_endpoints, *settings.other_endpoints.values()):
        parts = urlsplit(url)
        yield from filter(None, (parts.netloc, parts.hostname))
