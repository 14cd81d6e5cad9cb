"""The list of all sessions of a page with shards, small enough to stand in it for hundreds of thousands of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from evolif.report.page.evidence import one_line
from evolif.report.page.shards import RenderedUnit
from evolif.report.page.transcripts import SessionHead

_CHUNK = 1_000
"""Rows of one piece."""


class SessionIndex:
    """Rows of numbers and of the outcomes of turns; names stand in lists of their own, once each.

    A row is `[model, dialogue, epoch, ending, outcomes, [failed groups]]`, and a shard `[name, its number of rows]`.
    """

    def __init__(self) -> None:
        self.models: dict[tuple[int, str], int] = {}
        """Number of the run and name, to its number in rows."""
        self.pictures = False
        """Whether a transcript holds pictures."""
        self.shards: list[tuple[str, int]] = []
        self._endings: dict[str, int] = {}
        self._groups: dict[str, int] = {}
        self._rows: list[str] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, unit: RenderedUnit) -> None:
        """Add the sessions of a unit, in their order."""
        self.shards += unit.shards
        for head in unit.heads:
            self.pictures = self.pictures or head.pictures
            self._rows.append(_json(self._row(head)))

    def _row(self, head: SessionHead) -> list[Any]:
        model = self.models.setdefault((head.run, head.model), len(self.models))
        ending = self._endings.setdefault(one_line(head.ending), len(self._endings))
        groups = [self._groups.setdefault(one_line(name), len(self._groups)) for name in head.failed_groups]
        return [model, head.dialogue, head.epoch, ending, head.outcomes, groups]

    def pieces(self, models: Sequence[tuple[str, str, str]], folder: str) -> Iterator[Markup]:
        """The whole as JSON, in pieces, for an element of the page.

        Args:
            models: The key of each in links, its name, and what filters call it, in the order of `models`.
            folder: The address of the shards' folder, from the page.
        """
        head = {
            "folder": folder,
            "models": models,
            "endings": list(self._endings),
            "groups": list(self._groups),
            "shards": self.shards,
        }
        yield Markup(f'{_json(head)[:-1]},"rows":[\n')
        for start in range(0, len(self._rows), _CHUNK):
            comma = ",\n" if start else ""
            yield Markup(comma + ",\n".join(self._rows[start : start + _CHUNK]))
        yield Markup("\n]}")


def _json(value: Any) -> str:
    """JSON in ASCII without a character that means something in HTML."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
