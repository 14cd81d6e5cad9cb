"""The rows of a board: models with their own settings, and their evaluations by date."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from evolif.board.board import Row
from evolif.models.endpoint import address_digest
from evolif.report import ModelAnalysis, RunAnalysis
from evolif.runner import Run
from evolif.runner.store_file import FILE_NAME
from evolif.text import plain


@dataclass(frozen=True, slots=True)
class Named:
    """A model as rows tell models apart: by name, and by what its requests said beside the dialogue.

    Attributes:
        model: Its name.
        settings: In words, what is not the provider's own: “temperature 0.2”.
    """

    model: str
    settings: tuple[str, ...]

    @property
    def name(self) -> str:
        """Everything that tells it from others."""
        return ", ".join((self.model, *self.settings))

    @classmethod
    def of(cls, model: ModelAnalysis) -> Named:
        """That of a model of a run."""
        settings, name = model.of.settings, model.name
        words = []
        if settings.temperature is not None:
            words.append(f"temperature {settings.temperature:g}")
        if settings.max_tokens is not None:
            words.append(f"longest answer {settings.max_tokens} tokens")
        for key, value in settings.parameters.get(name, {}).items():
            words.append(f"{key} {json.dumps(value, ensure_ascii=False)}")
        if name in settings.weights:
            words.append(f"weights {settings.weights[name]}")
        if settings.endpoint(name):
            words.append(f"endpoint {address_digest(settings.endpoint(name))}")  # the board is shared: no address
        return cls(name, tuple(words))


@dataclass(frozen=True, slots=True)
class Entry:
    """One evaluation of a model.

    Attributes:
        model: The model in its run.
        run: What the run is called.
        moment: When its answers were last asked for.
        moment_of: Whether the run says so, or only the date of its file does.
    """

    model: ModelAnalysis = field(repr=False)
    run: str
    moment: datetime
    moment_of: Literal["run", "file"]

    @property
    def date(self) -> str:
        """As ISO 8601 in UTC."""
        return self.moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def played_at(run: Run) -> tuple[datetime, Literal["run", "file"]]:
    """When a run's answers were last asked for; runs of earlier versions do not say, and the file's date counts."""
    moment = run.played()
    if moment is not None:
        return moment, "run"
    return datetime.fromtimestamp(int((run.path / FILE_NAME).stat().st_mtime), UTC), "file"


def entries_of(analyses: Iterable[RunAnalysis], names: Mapping[RunAnalysis, str]) -> Mapping[Named, tuple[Entry, ...]]:
    """The evaluations of every model in comparable runs, the newest first.

    One without an ended session is left out where there is another: it must not hide figures that are there.

    Args:
        analyses: Comparable runs; of two of one date the later one counts as newer.
        names: What each is called.
    """
    found: dict[Named, list[Entry]] = {}
    for analysis in analyses:
        moment, source = played_at(analysis.run)
        for model in analysis.models:
            found.setdefault(Named.of(model), []).insert(0, Entry(model, names[analysis], moment, source))
    return {
        named: tuple(sorted(_with_figures(own), key=lambda one: one.moment, reverse=True))
        for named, own in found.items()
    }


def _with_figures(entries: Sequence[Entry]) -> Sequence[Entry]:
    return [entry for entry in entries if entry.model.counted] or entries


def rows_of(named: Sequence[Named]) -> Mapping[Named, Row]:
    """Rows with names as short as tells them apart, and free of characters that a screen hides.

    Args:
        named: All of a board.
    """
    alike: dict[str, list[Named]] = {}
    for one in named:
        alike.setdefault(one.model, []).append(one)
    rows: dict[Named, Row] = {}
    taken: set[str] = set()
    for one in named:
        name = _unlike(plain(_shortest(one, alike[one.model])), taken)
        taken.add(name)
        rows[one] = Row(name, plain(one.model))
    return rows


def _shortest(one: Named, alike: Sequence[Named]) -> str:
    """Its name with the settings that not all models of this name have."""
    told = [word for word in one.settings if any(word not in other.settings for other in alike)]
    return ", ".join((one.model, *told))


def _unlike(name: str, taken: set[str]) -> str:
    """The name, with a number if another row has it."""
    free, number = name, 2
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free


def run_names(analyses: Sequence[RunAnalysis]) -> Mapping[RunAnalysis, str]:
    """What the runs are called: their folders without the path, with a number where two are called the same."""
    names: dict[RunAnalysis, str] = {}
    taken: set[str] = set()
    for analysis in analyses:
        names[analysis] = _unlike(plain(analysis.name), taken)
        taken.add(names[analysis])
    return names
