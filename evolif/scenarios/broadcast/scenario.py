"""Live broadcasts as a scenario: a friend follows a simulated match on a ticker, and asks about what was shown before.

The friend's messages do not depend on the replies. A session plays the whole match; patience is applied afterwards by
cutting, which is exact, unless a run stops where patience is gone. Every judged turn has a checklist with weights: its
verdicts say which items hold, and its score `credit` is what they are worth.

What a run stores of a turn, and where a report finds it:

- labels: `task`, `sport`, `kind`, `subtask` (empty where nothing is judged), `period`, `distance` (only where there is
  one), `variant` (empty, or what is compared, such as `chunks=10`), `match` (variants of a match share it, and are
  one in intervals and tests);
- the payload: the turn as `dialogue` makes it, without its message; at the first turn also the settings;
- verdicts: one for each item of the checklist, in its order, then one for each gate;
- the score `credit`: the turn's score; none for a turn that is not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from pydantic import BaseModel

from evolif.benchmark import BenchmarkFolder, FolderEnvironment, FolderScenario, dialogue_file
from evolif.contexts import FullHistory
from evolif.errors import InputError, UsageError
from evolif.judging import Criterion, Judgement, Panel
from evolif.metrics import MetricTable
from evolif.models import ChatModel
from evolif.scenario import Benchmark, Defaults, Lengths, LineChart, Services, Unjudged
from evolif.scenario.presentation import Grid, Opening
from evolif.scenarios.broadcast.accuracy import ACCURACY_TABLE
from evolif.scenarios.broadcast.breakdowns import DISTANCE_FIGURE
from evolif.scenarios.broadcast.categories import CATEGORY_TABLE, reached
from evolif.scenarios.broadcast.checklist import needs_judge
from evolif.scenarios.broadcast.dialogue import dialogue, match_of
from evolif.scenarios.broadcast.judged import judge_reply, rule_verdicts, turn_criteria
from evolif.scenarios.broadcast.lines import KEY_FIELDS, line_fault, lines_of, long_tables, turn_of
from evolif.scenarios.broadcast.options import BroadcastOptions, BroadcastPlay
from evolif.scenarios.broadcast.players import NAMES, player
from evolif.scenarios.broadcast.reading import READING_VERSION
from evolif.scenarios.broadcast.report import (
    BREAKDOWNS,
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
from evolif.types import Exchange, Prompt, Seat, Verdict

_CHARACTERS, _SYSTEM_CHARACTERS = 2.6, 3.3
"""Characters per token of messages, full of rare names and numbers, and of system prompts; by 32,000 subwords."""
_SAMPLED_DIALOGUES = 20
_PATIENCE = 3
_PERIODS = 4
"""Of the sport that has most."""
_PARTS = 5
"""Turns with rows in a period, unless an option says otherwise."""
_OTHER_TURNS = 6
"""Of a period: three interruptions and three questions at most."""


class BroadcastFolder(BenchmarkFolder):
    """An opened benchmark of broadcasts."""

    def _read(self, dialogue: int) -> list[dict[str, Any]]:
        lines = super()._read(dialogue)
        path = dialogue_file(self.path, dialogue)
        mend = "restore the file, or delete it and run the same `evolif generate`"
        if not lines:
            raise InputError(f"no turn in it; {mend}", path=path)
        for number, line in enumerate(lines, 1):
            fault = line_fault(line, is_first=number == 1)
            if fault:
                raise InputError(f"{fault}; {mend}", path=path, line=number)
        return lines

    @property
    def variant(self) -> str:
        """Tasks and sports, if they are not all, and the options that are not as usual."""
        spec = _options(self.spec)
        return " ".join(filter(None, ("+".join(spec.task), "+".join(spec.sport), *spec.chosen)))


class BroadcastEnvironment(FolderEnvironment):
    """Asks the friend's turns in order, and scores each judged reply by its checklist."""

    play: BroadcastPlay

    def __init__(self, bench: BenchmarkFolder | None, play: Any, services: Services) -> None:
        super().__init__(bench, play, services)
        self._panel = services.judge if isinstance(services.judge, Panel) else None

    def system(self, dialogue: int, seat: Seat) -> str:
        """The friend's role and the roster; in instruction following the rules for replies, too."""
        return "" if self.bench is None else str(self.bench.lines(dialogue)[0]["system"])

    def asked(self, dialogue: int, turn: int, line: Mapping[str, Any]) -> Prompt:
        """The prompt of a line, with the names that every turn is scored by, and the version of the reading rules."""
        assert self.bench is not None
        shared = {"names": self.bench.lines(dialogue)[0]["names"], "reading": READING_VERSION}
        return super().asked(dialogue, turn, {**line, **shared})

    def asks_a_judge(self, prompt: Prompt) -> bool:
        """Whether the panel decides on an item of the turn."""
        return self._panel is not None and bool(turn_criteria(prompt.payload))

    async def score(
        self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Judgement | None = None
    ) -> Judgement:
        """A verdict for each item and each gate, and the turn's score; nothing for a turn that is not judged."""
        return await judge_reply(turn_of(prompt), answer, self._panel, stored)


class Broadcast(FolderScenario):
    """Live broadcasts of simulated matches, generated without end, with questions about what was shown long before."""

    name = "broadcast"
    players = NAMES
    title = "live broadcasts of simulated matches; a friend asks about what was shown many turns before"
    usual_dialogues = 120
    requirement = "item"
    answer_key = "witness"
    spec = BroadcastOptions
    play = BroadcastPlay
    folder = BroadcastFolder
    played_by = BroadcastEnvironment
    key_fields = KEY_FIELDS
    expected_is_key = True
    metrics = ACCURACY_TABLE
    breakdowns = BREAKDOWNS
    chapters = CHAPTERS
    how_to_read = HOW_TO_READ

    def generate(
        self, out: Path, spec: BaseModel, *, dialogues: int, seed: int, notify: Callable[[str], None] = lambda _: None
    ) -> BenchmarkFolder:
        """Make a benchmark, or complete it.

        Raises:
            UsageError: the folder holds something else, or options do not go together.
        """
        _options(spec).check()
        return super().generate(out, spec, dialogues=dialogues, seed=seed, notify=notify)

    def lines(self, spec: BroadcastOptions, number: int, seed: int) -> Iterable[Mapping[str, Any]]:
        """The lines of a dialogue; its match has the number of its place among the matches of the benchmark."""
        place = spec.place(number)
        made = dialogue(place.task, place.sport, place.match, seed=seed, **place.settings)
        match = match_of(place.task, place.sport, place.match, seed=seed) if place.task == "IF" else None
        return lines_of(made, place, match)

    def defaults(self, bench: Benchmark) -> Defaults:
        """Patience 3, which cuts sessions when they are read, and a cap that no match reaches."""
        rows = max(_folder(bench).spec.chunks, default=_PARTS)
        return Defaults(_PERIODS * (max(rows, _PARTS) + _OTHER_TURNS) + 1, _PATIENCE, "after")

    def cut(self, bench: Benchmark, play: BaseModel) -> Literal["during", "after"]:
        """A run may ask to stop where patience is gone."""
        return "during" if BroadcastPlay.model_validate(play.model_dump()).stop_at_patience else "after"

    def expected(self, bench: Benchmark, play: BaseModel) -> Lengths:
        """From the first dialogues."""
        folder = _folder(bench)
        sampled = [folder.lines(number) for number in folder.dialogues()[:_SAMPLED_DIALOGUES]]
        if not sampled:
            return Lengths()
        turns = fmean(map(len, sampled))
        asked = fmean(len(line["query"]) for own in sampled for line in own)
        return Lengths(
            turns=turns,
            prompt_tokens=asked / _CHARACTERS,
            system_tokens=fmean(len(own[0]["system"]) for own in sampled) / _SYSTEM_CHARACTERS,
            judge_calls=fmean(sum(map(needs_judge, line["checklist"])) for own in sampled for line in own),
        )

    def unjudged(self, bench: Benchmark) -> Unjudged | None:
        """Whether a sentence supports a team, and whether a summary is true; None without instruction following."""
        folder = _folder(bench)
        if "IF" not in _options(folder.spec).tasks:
            return None
        sampled = [folder.lines(number) for number in folder.dialogues()[:_SAMPLED_DIALOGUES]]
        judged = [line["checklist"] for own in sampled for line in own if line["judged"]]
        weight = sum(item["weight"] for checklist in judged for item in checklist if needs_judge(item))
        groups = ("whether a sentence supports the team", "whether a summary is true")
        return Unjudged(groups, weight / max(1, len(judged)))

    def command(
        self, bench: Benchmark | None, variant: str, dialogues: Sequence[int]
    ) -> tuple[Sequence[str], Sequence[str]]:
        """With the options, which only the benchmark knows."""
        words, more = super().command(bench, variant, dialogues)
        return words, more if bench is not None else (*more, "with the options of its benchmark.json")

    def player(self, name: str, seed: int) -> ChatModel:
        """`sim/perfect`, `sim/steady?skill=P` or `sim/reader`."""
        return player(name, seed)

    def criteria(self, prompt: Prompt) -> Mapping[int, Criterion]:
        """What a panel decides on: the sentence of support, the summary."""
        return turn_criteria(prompt.payload)

    def keeps_answers(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        """Always: whether patience ends a match does not change what is asked and answered before."""
        return True

    def perfect(self, prompt: Prompt) -> tuple[Verdict, ...] | None:
        """The verdicts of rules on the witness; None for a turn that is not judged."""
        turn = turn_of(prompt)
        return rule_verdicts(turn, turn["witness"]) if turn["judged"] else None

    def describe_edit(self, before: Prompt, now: Prompt) -> str:
        """Names the version of the reading rules, if that is all that differs."""
        keys = [key for key, value in now.payload.items() if before.payload.get(key) != value]
        if keys == ["reading"]:
            return "this version of evolif reads replies by newer rules"
        return super().describe_edit(before, now)

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

    def keys(self, prompt: Prompt) -> tuple[str, ...]:
        """The witness of a judged turn."""
        return (prompt.payload["witness"],) if prompt.payload["judged"] else ()

    def key_row(self, prompt: Prompt) -> dict[str, Any]:
        """Key, checklist, witness and question of the turn."""
        return {key: prompt.payload.get(key) for key in KEY_FIELDS}

    def table(self, options: Mapping[str, Any]) -> MetricTable | None:
        """Accuracy, which needs whole matches; none where a run stopped at patience."""
        return None if options.get("stop_at_patience") else self.metrics

    def extra(self, model: Any) -> Mapping[str, Any]:
        """Overall, categories, problems, and accuracy by sub-task, sport, period, distance and turn."""
        return {} if self.table(model.of.settings.options) is None else broadcast_object(column_of(model.name, model))

    def remarks(self, run: Any) -> Iterable[str]:
        """What each model reaches; that there is nothing to tell where a run stopped at patience."""
        if self.table(run.settings.options) is None:
            yield STOPPED
            return
        for model in run.models:
            name = model.name if run.settings.context == FullHistory.name else f"{model.name}, {run.settings.context}"
            yield from broadcast_remarks(name, column_of(name, model))

    def opening(self, board: Any) -> Opening:
        """All categories together and each of them, and accuracy against distance; survival if matches stopped."""
        columns = self._columns(board)
        if not columns:
            return Opening()
        alone = columns if len(columns) == 1 else ()  # of several, the table says it
        told = tuple(reached(column.name, column) for column in alone if column.matches)
        return Opening(told, (DISTANCE_FIGURE, "headline"), (CATEGORY_TABLE,), ("accuracy",))

    def parts(self, board: Any) -> Iterable[Grid]:
        """Categories, sub-tasks, distances, turns, how errors pile up, and what a setting changes."""
        return broadcast_grids(self._columns(board))

    def figures(self, board: Any) -> Iterable[LineChart]:
        """Accuracy against distance, and against turns."""
        return broadcast_figures(self._columns(board))

    def _columns(self, board: Any) -> list[BroadcastColumn]:
        """The models whose matches are whole."""
        whole = all(self.table(model.of.settings.options) is not None for model in board.models)
        return columns_of(board) if whole else []


def _options(spec: BaseModel) -> BroadcastOptions:
    return spec if isinstance(spec, BroadcastOptions) else BroadcastOptions.model_validate(spec.model_dump())


def _folder(bench: Benchmark) -> BroadcastFolder:
    if not isinstance(bench, BroadcastFolder):
        raise UsageError(f"{bench.path} was not opened as a benchmark of broadcasts")
    return bench
