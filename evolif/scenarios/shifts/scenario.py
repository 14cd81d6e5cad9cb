"""Dialogues whose topic shifts, as a scenario: the user opens other subjects, tries alternatives, comes back.

Only the user's turns are fixed. There is no patience; a session ends with its dialogue, and only the final answer is
scored, goal by goal (Context-Agent, task completion rate). Released dialogues of NTM can be played, too: their goals
have no type, and a judge decides on each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from evolif.benchmark import BenchmarkFolder, FolderEnvironment, FolderScenario, dialogue_file
from evolif.errors import InputError, UsageError
from evolif.judging import Criterion, Judgement, Panel
from evolif.metrics import Breakdown, MetricFigures
from evolif.models import ChatModel
from evolif.scenario import (
    CHARACTERS_PER_TOKEN,
    Benchmark,
    Chapter,
    Defaults,
    Grid,
    HeatMap,
    Lengths,
    Opening,
    Scenario,
    Services,
    Unjudged,
    options_of,
)
from evolif.scenarios.shifts.checking import check_answer, invented
from evolif.scenarios.shifts.completion import completion_object, goal_counts, left_out, size_object
from evolif.scenarios.shifts.decisions import misplaced
from evolif.scenarios.shifts.generate import draw_dialogue
from evolif.scenarios.shifts.importing import digest_of_released, read_playable, released_lines
from evolif.scenarios.shifts.judged import goal_criteria, judge_goals
from evolif.scenarios.shifts.lines import KEY_FIELDS, line_fault, lines_of, turns_of_prompts
from evolif.scenarios.shifts.outline import COUNTS
from evolif.scenarios.shifts.players import NAMES, player
from evolif.scenarios.shifts.report import failures_map, has_gold, shift_grids, shift_object
from evolif.scenarios.shifts.results import TCR_TABLE, goal_scores, invented_score
from evolif.scenarios.shifts.sessions import plays_of, plays_of_model
from evolif.scenarios.shifts.tasks import Hold
from evolif.text import read_apart
from evolif.types import Exchange, Prompt


class ShiftOptions(BaseModel):
    """What dialogues a benchmark has: generated ones, or those of a released file."""

    # A benchmark's header has more than these, see `_Stored`.
    model_config = ConfigDict(extra="allow", frozen=True)

    rounds: Annotated[
        tuple[int, ...], Field(min_length=1, description="Numbers of rounds that dialogues have, in turn.")
    ] = tuple(COUNTS)
    hold: Annotated[
        Hold,
        Field(
            description="Which task types and sentences are used: all, those for calibration, or those held out from "
            "it."
        ),
    ] = "all"
    # The path belongs to this machine, so the benchmark stores only what was found there.
    source: Annotated[
        Path | None, Field(exclude=True, description="A released file of NTM to play instead of generated dialogues.")
    ] = None
    unstated: Annotated[
        Literal["drop", "keep"],
        Field(description="Of a released file: what becomes of goals that nobody stated in the dialogue."),
    ] = "drop"

    @field_validator("rounds")
    @classmethod
    def _are_known(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        unknown = [rounds for rounds in value if rounds not in COUNTS]
        if unknown:
            raise ValueError(f"there are no dialogues of {unknown[0]} rounds; use {', '.join(map(str, COUNTS))}")
        return value


class _Stored(ShiftOptions):
    """What a benchmark stores of a released file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    digest: str = ""
    """Of the dialogues; empty for generated ones."""
    longest: Annotated[int, Field(ge=0)] = 0
    """Rounds of the longest dialogue."""
    goals: Annotated[int, Field(ge=0)] = 0
    left_out: Annotated[int, Field(ge=0)] = 0
    """Goals that nobody stated, and that do not count."""


class ShiftPlay(BaseModel):
    """How a benchmark is played."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    replies: Annotated[
        Literal["model", "scripted"],
        Field(
            description="Who answers before the final request: the model, or the benchmark's script, without a call. "
            "Under a script all context strategies see the same conversation."
        ),
    ] = "model"


class ShiftFolder(BenchmarkFolder):
    """An opened benchmark of dialogues whose topic shifts."""

    def __init__(self, path: Path | str, scenario: Scenario, notify: Callable[[str], None] = lambda _: None) -> None:
        super().__init__(path, scenario, notify)
        self.stored = self.stored_as(_Stored, "generate the benchmark again")

    def _read(self, dialogue: int) -> list[dict[str, Any]]:
        lines = super()._read(dialogue)
        path = dialogue_file(self.path, dialogue)
        if not lines:
            raise InputError("no turn in it; delete the file, and generate the benchmark again", path=path)
        for number, line in enumerate(lines, 1):
            fault = line_fault(line, is_last=number == len(lines), is_released=self.is_released)
            if fault:
                raise InputError(f"{fault}; restore the file, or delete it and generate again", path=path, line=number)
        return lines

    @property
    def is_released(self) -> bool:
        """Whether its dialogues are from a released file; they have no gold, and a judge decides on their goals."""
        return bool(self.stored.digest)

    @property
    def variant(self) -> str:
        """Which third of the task types and sentences it has, or that it is from a released file."""
        return "released" if self.is_released else "" if self.stored.hold == "all" else self.stored.hold

    @property
    def longest(self) -> int:
        """Rounds of its longest dialogue."""
        return self.stored.longest or max(self.stored.rounds)


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
        goals = payload["checkpoints"]

        def read() -> Judgement:
            extra = invented(goals, answer, keys=payload["slots"])
            return Judgement((), scores=(*goal_scores(goals, check_answer(goals, answer)), invented_score(extra)))

        return await read_apart(answer, read)


def is_final(prompt: Prompt) -> bool:
    """Whether a prompt is the last one of its dialogue, whose answer is scored."""
    return "checkpoints" in prompt.payload or "goals" in prompt.payload


class Shifts(FolderScenario[ShiftOptions, ShiftPlay, ShiftFolder]):
    """Dialogues whose topic shifts, generated without end, with typed goals; or NTM's released ones."""

    name = "shifts"
    players = NAMES
    title = "dialogues whose topic shifts; the final answer is scored by its goals"
    requirement = "goal"
    answer_key = "witness"
    spec = ShiftOptions
    play = ShiftPlay
    folder = ShiftFolder
    played_by = ShiftEnvironment
    metrics = TCR_TABLE
    key_fields = KEY_FIELDS
    expected_is_key = True
    breakdowns = (Breakdown("rounds", "rounds", "", kind=True), Breakdown("task", "task", "", kind=True))
    chapters = (
        Chapter(
            "contexts",
            "What the model is shown",
            "A context strategy chooses what of the conversation each call shows. Its own calls are counted beside it. "
            "Its ceiling is what a reader of the final call, who knows nothing else, can get right.",
            ("tokens",),
            ("contexts", "context-effects", "context-classes", "reader", "recall"),
        ),
        Chapter("failures", "Why goals fail", "", ("failures",), ("failures",)),
        Chapter(
            "topics",
            "Topics and branches",
            "What the strategy tree decides, compared with the gold of each turn. Each dialogue below shows its own.",
            ("tree",),
            ("decisions",),
        ),
        Chapter("ranks", "Ranks", "", ("stability",), ("ranks", "pairs", "stability")),
        Chapter("variance", "More dialogues or more epochs", "", (), ("variance",)),
    )
    how_to_read = (
        "The user opens other subjects, tries alternatives, comes back and changes their mind. At the end they ask for "
        "the whole result. The task completion rate (TCR) is the share of their goals that this answer satisfies.",
    )

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
        return lines_of(draw_dialogue(seed, dialogue - 1, rounds, spec.hold)[0])

    def _from_released(
        self, out: Path, options: ShiftOptions, source: Path, notify: Callable[[str], None]
    ) -> ShiftFolder:
        released = read_playable(source)
        lines = [released_lines(dialogue, options.unstated) for dialogue in released]
        stored = _Stored(
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

    def defaults(self, bench: Benchmark) -> Defaults:
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

    def command(
        self, bench: Benchmark | None, variant: str, dialogues: Sequence[int]
    ) -> tuple[Sequence[str], Sequence[str]]:
        """With the released file, which only its owner knows; else with the seed and the options."""
        if not (isinstance(bench, ShiftFolder) and bench.is_released):
            return super().command(bench, variant, dialogues)
        kept = ["--set", "unstated=keep"] if bench.stored.unstated == "keep" else []
        return ["--scenario", self.name, "--set", "source=FILE", *kept], ["where FILE has the released dialogues"]

    def facts(self, prompt: Prompt) -> tuple[tuple[str, str], ...]:
        """The move, where it belongs, and the acts."""
        gold = prompt.payload.get("gold")
        if gold is None:
            return super().facts(prompt)
        place = f"topic {gold['topic'] + 1}, branch {gold['branch']}"
        fork = f", from turn {gold['fork']}" if gold["fork"] else ""
        acts = ", ".join(" ".join(filter(None, (act["name"], act["slot"]))) for act in gold["acts"])
        labels = prompt.labels
        told = (("", str(labels["move"])), ("", f"{place}{fork}"), ("task", str(labels["task"])))
        return (*told, ("acts", acts)) if acts else told

    def keys(self, prompt: Prompt) -> tuple[str, ...]:
        """The witness of the final answer."""
        witness = prompt.payload.get("witness")
        return (witness,) if witness else ()

    def key_row(self, prompt: Prompt) -> dict[str, Any]:
        """Witness, goals and gold of the turn, where there are any."""
        return {key: prompt.payload.get(key) for key in KEY_FIELDS}

    def extra(self, model: Any) -> Mapping[str, Any]:
        """TCR and tokens by number of rounds, what TCR leaves out, failures, node recall, ceiling, decisions."""
        whole = MetricFigures(model.summary.metrics, model.summary.intervals)
        return {
            **completion_object(whole, model.figures_by("rounds")),
            **size_object(model.context_size),
            **goal_counts(model.counted),
            **shift_object(plays_of_model(model, self._heard)),
        }

    def opening(self, board: Any) -> Opening:
        """The task completion rate, against tokens where strategies differ in them."""
        return Opening((), ("tokens", "failures", "headline"))

    def parts(self, board: Any) -> Iterable[Grid]:
        """Why goals fail, what the final calls show, the ceilings of strategies, and decisions."""
        yield from shift_grids(plays_of(board, self._heard))

    def figures(self, board: Any) -> Iterable[HeatMap]:
        """Why goals fail, as colours; nothing for released dialogues."""
        plays = plays_of(board, self._heard)
        return (failures_map(plays),) if has_gold(plays) else ()

    def misplaced(
        self, prompts: Sequence[Prompt], decisions: Sequence[Mapping[str, Any] | None]
    ) -> Mapping[int, str] | None:
        """By the gold of the dialogue; None for released ones, which have none."""
        turns = turns_of_prompts(prompts)
        return None if turns is None else misplaced(turns, decisions)

    def _heard(self, settings: Any) -> Callable[[Prompt, str], str]:
        play = options_of(self.play, settings.options, self.name)
        return self.environment(None, play, Services()).heard

    def remarks(self, run: Any) -> Iterable[str]:
        """What is left out of TCR, and why."""
        for model in run.models:
            yield from left_out(model.name, model.counted)
