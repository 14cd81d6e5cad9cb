"""The columns of a board: which runs share one, and the words that tell columns apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from evolif.board.board import Column, MetricInfo, Row
from evolif.board.models import Entry, Named, entries_of
from evolif.metrics import Metric, described
from evolif.report import ComparableRuns, ModelAnalysis, RunAnalysis
from evolif.report.comparable import deciding_differences, partition_comparable, setting_words
from evolif.report.coverage import extents_line
from evolif.report.wording import notice, settings_line
from evolif.runner import RunSettings

_DIGITS = 8
"""Of a column's name."""


@dataclass(frozen=True)
class Group:
    """Comparable runs, before they are figures.

    Attributes:
        analyses: The runs, in the order given.
        id: A name that stays the same as long as the settings do.
        entries: Per row, its evaluations in these runs, the newest first.
    """

    analyses: tuple[RunAnalysis, ...]
    id: str
    entries: Mapping[Named, tuple[Entry, ...]]

    @property
    def settings(self) -> RunSettings:
        """Those of the first run; the others differ in nothing that decides figures."""
        return self.analyses[0].settings

    @cached_property
    def newest(self) -> ComparableRuns:
        """The newest evaluation of every row."""
        return ComparableRuns(self.analyses).only(self.named)

    @cached_property
    def named(self) -> Mapping[ModelAnalysis, Named]:
        """The newest evaluations, with the rows that they are of."""
        return {own[0].model: named for named, own in self.entries.items()}

    @cached_property
    def heads(self) -> Mapping[ModelAnalysis, str]:
        """What a ranking calls the models that are in it."""
        board = self.newest.contestants
        return dict(zip(board.models, board.heads, strict=True))

    @cached_property
    def recipe(self) -> str:
        """What its benchmark was made from but for the seed, and how it was played; empty where that is unknown."""
        origin = self.analyses[0].run.origin()
        if origin is None or "seed" not in origin.spec:
            return ""
        spec = {key: value for key, value in origin.spec.items() if key != "seed"}
        played = self.settings.model_copy(update={"benchmark": ""})
        return json.dumps([spec, _deciding(played)], sort_keys=True, default=str)


def groups_of(analyses: Sequence[RunAnalysis], names: Mapping[RunAnalysis, str]) -> list[Group]:
    """The columns of some runs: by scenario, profile and benchmark in the order of their first run.

    Args:
        analyses: The runs.
        names: What each is called.
    """
    groups = []
    known: set[str] = set()
    for runs in partition_comparable(analyses):
        name = _digest(runs[0].settings)
        while name in known:  # the same settings, but the benchmark was edited between the runs
            name = f"{name}x"
        known.add(name)
        groups.append(Group(runs, name, entries_of(runs, names)))
    order: dict[tuple[str, ...], int] = {}
    for group in groups:
        own = group.settings
        for length in (1, 2, 3):
            order.setdefault((own.scenario, own.profile, own.benchmark)[:length], len(order))

    def place(group: Group) -> tuple[int, ...]:
        own = group.settings
        return tuple(order[(own.scenario, own.profile, own.benchmark)[:length]] for length in (1, 2, 3))

    return sorted(groups, key=place)


def column_of(
    group: Group, groups: Sequence[Group], rows: Mapping[Named, Row], names: Mapping[RunAnalysis, str]
) -> Column:
    """What a group is as a column.

    Args:
        group: The group.
        groups: All of the board.
        rows: Of the board.
        names: What each run is called.
    """
    first = group.analyses[0]
    ranking = group.newest.contestants.ranking
    played = [len({session.dialogue for session in own[0].model.counted}) for own in group.entries.values()]
    notes = (
        notice([group.settings]),
        extents_line([rows[named].name for named in group.entries], group.newest.summaries),
    )
    return Column(
        id=group.id,
        scenario=group.settings.scenario,
        profile=group.settings.profile,
        benchmark=group.settings.benchmark,
        differs=_differs(group, groups),
        settings=settings_line(first.run).partition("; in brackets")[0] + ".",
        metric=first.headline.name,
        metrics=tuple(_metrics(group)),
        unit=first.cluster or "dialogue",
        dialogues=max(played, default=0),
        ranked_on=0 if ranking is None else ranking.dialogues,
        runs=tuple(names[run] for run in group.analyses),
        notes=tuple(filter(None, notes)),
        instances=tuple(
            other.id for other in groups if other is not group and group.recipe and other.recipe == group.recipe
        ),
    )


def _metrics(group: Group) -> list[MetricInfo]:
    tables = group.newest.tables
    lower = frozenset[str]().union(*(table.lower for table in tables))
    first = group.analyses[0].headline
    # A run without an ended session has no table yet, and so no metric but the one that would lead.
    found = {first.name: first, **described(tables)} if tables else {first.name: first}
    return [_info(one, lower=one.name in lower) for one in found.values()]


def _info(one: Metric, *, lower: bool) -> MetricInfo:
    plain = "" if one.plain is None else one.plain.full
    return MetricInfo(one.name, one.label, one.unit, one.meaning, one.small, lower, plain)


def _differs(group: Group, groups: Sequence[Group]) -> tuple[str, ...]:
    """What tells a column from those of the same scenario and profile."""
    own = group.settings
    near = [
        other for other in groups if (other.settings.scenario, other.settings.profile) == (own.scenario, own.profile)
    ]
    fields = dict.fromkeys(
        field
        for one, other in combinations(near, 2)
        for field in deciding_differences(one.settings, other.settings)
        if field != "benchmark"
    )
    words = list(dict.fromkeys(setting_words(field, own) for field in fields))
    if len({other.settings.benchmark for other in near}) > 1:
        words.insert(0, f"benchmark {own.benchmark[:_DIGITS]}")
    twins = [other for other in near if not deciding_differences(own, other.settings)]
    if len(twins) > 1:
        words.append(f"edited benchmark, edition {twins.index(group) + 1} of {len(twins)}")
    return tuple(words)


def _deciding(settings: RunSettings) -> dict[str, object]:
    """The settings that decide figures, as JSON has them."""
    plain = settings.model_dump(mode="json")
    bare = RunSettings(benchmark="", models=(), patience=None, max_turns=1, dialogues=(), reading_rules=0)
    known = {field: plain.get(field) for field in RunSettings.model_fields}
    # `own_code` is missing from runs of earlier versions, which may share a column with those that have it.
    differing = {*deciding_differences(settings, bare)} - {"own_code"}
    return {field: known[field] for field in sorted(differing)}


def _digest(settings: RunSettings) -> str:
    text = json.dumps(_deciding(settings), sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
