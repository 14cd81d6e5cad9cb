"""How reports and exports show broadcasts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evolif.benchmark import FolderPresentation
from evolif.contexts import FullHistory
from evolif.scenario import Benchmark, Grid, LineChart, ModelsView, ModelView, Opening, Rows, RunView
from evolif.scenarios.broadcast.breakdowns import DISTANCE_FIGURE
from evolif.scenarios.broadcast.categories import CATEGORY_TABLE, broken_line, reached
from evolif.scenarios.broadcast.lines import KEY_FIELDS, long_tables
from evolif.scenarios.broadcast.options import plays_whole_matches
from evolif.scenarios.broadcast.report import (
    CHAPTERS,
    HOW_TO_READ,
    STOPPED,
    broadcast_figures,
    broadcast_grids,
    broadcast_object,
    broadcast_remarks,
)
from evolif.scenarios.broadcast.sessions import BroadcastColumn, column_of, columns_of
from evolif.text import plural
from evolif.types import Prompt


class BroadcastPresentation(FolderPresentation):
    """How reports and pages show broadcasts."""

    requirement = "item"
    answer_key = "witness"
    chapters = CHAPTERS
    how_to_read = HOW_TO_READ

    def describe_edit(self, before: Prompt, now: Prompt) -> str:
        """Names the version of the reading rules, if that is all that differs."""
        keys = [key for key, value in now.payload.items() if before.payload.get(key) != value]
        if keys == ["reading"]:
            return "this version of evolif reads replies by newer rules"
        return super().describe_edit(before, now)

    def command(
        self, bench: Benchmark | None, variant: str, dialogues: Sequence[int]
    ) -> tuple[Sequence[str], Sequence[str]]:
        """With the options, which only the benchmark knows."""
        words, more = super().command(bench, variant, dialogues)
        return words, more if bench is not None else (*more, "with the options of its benchmark.json")

    def facts(self, prompt: Prompt) -> tuple[tuple[str, str], ...]:
        """What is asked, in which period, and how far the evidence lies back."""
        labels, payload = prompt.labels, prompt.payload
        told = [("", str(labels["subtask"] or "not judged")), ("period", str(labels["period"]))]
        if "distance" in labels:
            told.append(("distance", plural(int(labels["distance"]), "period")))
        between = payload.get("evidence")
        if between:
            counts = plural(between["turns"], "turn", spec=","), plural(between["tokens"], "token", spec=",")
            told.append(("in between", ", ".join(counts)))
        if labels["variant"]:
            told.append(("variant", str(labels["variant"])))
        return (("task", str(labels["task"])), *told)

    def folds(self, prompt: Prompt) -> Sequence[tuple[int, int]]:
        """The rows of the ticker."""
        return long_tables(prompt.query)

    def extra(self, model: ModelView) -> Mapping[str, Any]:
        """Overall, categories, problems, and accuracy by sub-task, sport, period, distance and turn."""
        whole = plays_whole_matches(model.of.settings.options)
        return broadcast_object(column_of(model.name, model)) if whole else {}

    def remarks(self, run: RunView) -> Iterable[str]:
        """What each model reaches; that there is nothing to tell where a run stopped at patience."""
        if not plays_whole_matches(run.settings.options):
            yield STOPPED
            return
        for model in run.models:
            name = model.name if run.settings.context == FullHistory.name else f"{model.name}, {run.settings.context}"
            yield from broadcast_remarks(name, column_of(name, model))

    def warnings(self, run: RunView) -> Iterable[str]:
        """That matches stopped early, or broke off; the share that only a judge decides is counted elsewhere."""
        if not plays_whole_matches(run.settings.options):
            yield STOPPED
            return
        for model in run.models:
            yield from broken_line(model.name, column_of(model.name, model))

    def opening(self, board: ModelsView) -> Opening:
        """All categories together and each of them, and accuracy against distance; survival if matches stopped."""
        columns = _columns(board)
        if not columns:
            return Opening()
        alone = columns if len(columns) == 1 else ()  # of several, the table says it
        told = tuple(reached(column.name, column) for column in alone if column.matches)
        return Opening(told, (DISTANCE_FIGURE, "headline"), (CATEGORY_TABLE,), ("accuracy",))

    def parts(self, board: ModelsView) -> Iterable[Grid]:
        """Categories, sub-tasks, distances, turns, how errors pile up, and what a setting changes."""
        return broadcast_grids(_columns(board))

    def figures(self, board: ModelsView) -> Iterable[LineChart]:
        """Accuracy against distance, and against turns."""
        return broadcast_figures(_columns(board))


class BroadcastRows(Rows):
    """The columns of prompts in exports, and their answer keys."""

    key_fields = KEY_FIELDS
    expected_is_key = True

    def key_row(self, prompt: Prompt) -> dict[str, Any]:
        """Key, checklist, witness and question of the turn."""
        return {key: prompt.payload.get(key) for key in KEY_FIELDS}

    def keys(self, prompt: Prompt) -> tuple[str, ...]:
        """The witness of a judged turn."""
        return (prompt.payload["witness"],) if prompt.payload["judged"] else ()


def _columns(board: ModelsView) -> list[BroadcastColumn]:
    """The models whose matches are whole."""
    whole = all(plays_whole_matches(model.of.settings.options) for model in board.models)
    return columns_of(board) if whole else []
