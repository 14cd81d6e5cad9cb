"""Dialogues whose topic shifts, as a scenario: the user opens other subjects, tries alternatives, comes back.

Only the user's turns are fixed. There is no patience; a session ends with its dialogue, and only the final answer is
scored, goal by goal (Context-Agent, task completion rate). Released dialogues of NTM can be played, too: their goals
have no type, and a judge decides on each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import BaseModel

from evolif.benchmark import FolderEnvironment, FolderScenario
from evolif.errors import UsageError
from evolif.judging import Criterion, Judgement, Panel
from evolif.metrics import Breakdown, MetricTable
from evolif.models import ChatModel
from evolif.scenario import CHARACTERS_PER_TOKEN, Benchmark, Defaults, Lengths, Services, Unjudged
from evolif.scenarios.shifts.checking import FIRST_EDITION, check_answer, invented, rules_of
from evolif.scenarios.shifts.folder import ShiftFolder, ShiftOptions, ShiftPlay, StoredOptions
from evolif.scenarios.shifts.form import form_fault
from evolif.scenarios.shifts.generate import draw_dialogue
from evolif.scenarios.shifts.importing import digest_of_released, read_playable, released_lines
from evolif.scenarios.shifts.judged import goal_criteria, judge_goals
from evolif.scenarios.shifts.lines import lines_of
from evolif.scenarios.shifts.players import NAMES, player
from evolif.scenarios.shifts.presentation import ShiftPresentation, ShiftRows
from evolif.scenarios.shifts.results import TCR_TABLE, form_score, goal_scores, goals_met, invented_score
from evolif.text import read_apart
from evolif.types import Exchange, Prompt, Score


class ShiftEnvironment(FolderEnvironment[ShiftPlay, ShiftFolder]):
    """Asks the user's turns, and scores the final answer."""

    def __init__(self, bench: ShiftFolder | None, play: ShiftPlay, services: Services) -> None:
        super().__init__(bench, play, services)
        self._panel = services.judge if isinstance(services.judge, Panel) else None
        if play.replies == "scripted" and bench is not None and bench.is_released:
            raise UsageError(
                f"{bench.path} is from a released file, which has no scripted replies; evaluate without "
                "--set replies=scripted"
            )

    def given(self, prompt: Prompt) -> str | None:
        """On a fixed transcript the scripted reply, before the final request."""
        if self.play.replies == "model" or is_final(prompt):
            return None
        reply: str = prompt.payload["reply"]
        return reply

    def asked(self, dialogue: int, turn: int, line: Mapping[str, Any]) -> Prompt:
        """The prompt of a line; that of the final request tells by which rules its answer is read, unless the first."""
        assert self.bench is not None
        rules = self.bench.spec.rules
        told = {"rules": rules} if "checkpoints" in line and rules != FIRST_EDITION else {}
        return super().asked(dialogue, turn, {**line, **told})

    def asks_a_judge(self, prompt: Prompt) -> bool:
        """Whether the panel decides on goals of the answer."""
        return self._panel is not None and bool(prompt.payload.get("goals"))

    async def score(
        self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Judgement | None = None
    ) -> Judgement:
        """A score for each goal of the final answer, and one for what it invents; nothing for other answers."""
        payload = prompt.payload
        if "goals" in payload:
            return await judge_goals(payload, answer, self._panel)
        if "checkpoints" not in payload:
            return Judgement(())
        goals, keys = payload["checkpoints"], payload["slots"]
        rules = rules_of(payload)

        def read() -> Judgement:
            extra = invented(goals, answer, keys=keys, rules=rules)
            scores = (*goal_scores(goals, check_answer(goals, answer, rules=rules)), invented_score(extra))
            form = () if rules == FIRST_EDITION else (form_score(form_fault(goals, keys, answer)),)
            return Judgement((), scores=(*scores, *form))

        return await read_apart(answer, read)


def is_final(prompt: Prompt) -> bool:
    """Whether a prompt is the last one of its dialogue, whose answer is scored."""
    return "checkpoints" in prompt.payload or "goals" in prompt.payload


class Shifts(FolderScenario[ShiftOptions, ShiftPlay, ShiftFolder]):
    """Dialogues whose topic shifts, generated without end, with typed goals; or NTM's released ones."""

    name = "shifts"
    players = NAMES
    title = "dialogues whose topic shifts; the final answer is scored by its goals"
    spec = ShiftOptions
    play = ShiftPlay
    folder = ShiftFolder
    played_by = ShiftEnvironment
    breakdowns = (Breakdown("rounds", "rounds", "", kind=True), Breakdown("task", "task", "", kind=True))
    rows = ShiftRows()

    @property
    def presentation(self) -> ShiftPresentation:
        """How reports and pages show it."""
        return ShiftPresentation(self)

    def generate(
        self, out: Path, spec: BaseModel, *, dialogues: int, seed: int, notify: Callable[[str], None] = lambda _: None
    ) -> ShiftFolder:
        """Make a benchmark, or complete it: generated dialogues, or all those of a released file.

        Raises:
            UsageError: the folder holds something else.
            InputError: the released file is broken.
        """
        options = self.made_with(spec)
        if options.source is not None:
            return self._from_released(out, options, options.source, notify)
        return super().generate(out, options, dialogues=dialogues, seed=seed, notify=notify)

    def lines(self, spec: ShiftOptions, dialogue: int, seed: int) -> Iterable[Mapping[str, Any]]:
        """The lines of a generated dialogue."""
        rounds = spec.rounds[(dialogue - 1) % len(spec.rounds)]
        return lines_of(draw_dialogue(seed, dialogue - 1, rounds, spec.hold, spec.edition)[0])

    def _from_released(
        self, out: Path, options: ShiftOptions, source: Path, notify: Callable[[str], None]
    ) -> ShiftFolder:
        released = read_playable(source)
        lines = [released_lines(dialogue, options.unstated) for dialogue in released]
        stored = StoredOptions(
            unstated=options.unstated,
            digest=digest_of_released(released),
            longest=max(map(len, lines)),
            goals=sum(len(own[-1]["goals"]) for own in lines),
            left_out=sum(len(own[-1]["left_out"]) for own in lines),
        )
        return ShiftFolder.make(
            out,
            self,
            stored,
            lambda number: lines[number - 1],
            dialogues=len(lines),
            seed=0,
            grows=False,
            notify=notify,
        )

    def defaults(self, bench: Benchmark, play: BaseModel) -> Defaults:
        """No patience, and a cap that no dialogue reaches."""
        return Defaults(max_turns=self.opened(bench).longest + 1)

    def lengths(self, bench: ShiftFolder, play: ShiftPlay, dialogues: Sequence[int]) -> Lengths:
        """On a fixed transcript only the final request is a call, with all that was said."""
        lines = [bench.lines(dialogue) for dialogue in dialogues]
        judged = fmean(len(own[-1].get("goals", ())) for own in lines)
        if play.replies == "scripted":
            whole = (sum(len(line["query"]) + len(line["reply"]) for line in own[:-1]) for own in lines)
            last = fmean(map(int.__add__, whole, (len(own[-1]["query"]) for own in lines)))
            return Lengths(turns=1.0, prompt_tokens=last / CHARACTERS_PER_TOKEN, judge_calls=judged)
        turns = fmean(map(len, lines))
        asked = fmean(len(line["query"]) for own in lines for line in own)
        return Lengths(turns=turns, prompt_tokens=asked / CHARACTERS_PER_TOKEN, judge_calls=judged / turns)

    def unjudged(self, bench: Benchmark) -> Unjudged | None:
        """The goals of released dialogues: one turn of each has nothing else."""
        folder = self.opened(bench)
        return Unjudged(("goals of final answers",), 1.0, 1 / folder.longest) if folder.stored.goals else None

    def player(self, name: str, seed: int) -> ChatModel:
        """`sim/perfect`, `sim/steady?skill=P` or `sim/reader`."""
        return player(name, seed)

    def criteria(self, prompt: Prompt) -> Mapping[int, Criterion]:
        """The goals of a released dialogue, at its last turn."""
        return goal_criteria(prompt.payload)

    def table(self, options: Mapping[str, Any]) -> MetricTable:
        """The task completion rate."""
        return TCR_TABLE

    def rewarded(self, scores: Sequence[Score]) -> tuple[float, ...]:
        """The goals of the final answer."""
        return goals_met(scores)
