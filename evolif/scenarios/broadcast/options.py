"""The options of broadcasts: what a benchmark has, which comparison it makes, and how it is played."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
)

from evolif.errors import UsageError
from evolif.scenarios.broadcast.clock import SPORTS
from evolif.scenarios.broadcast.layout import MOST_PARTS, settings_of
from evolif.scenarios.broadcast.match import EDITION, FIRST, MatchEdition

Task: TypeAlias = Literal["IF", "CR", "IR", "TS"]
SportName: TypeAlias = Literal["basketball", "hockey"]
Switch: TypeAlias = Literal["math", "chat", "none"]

TASKS: tuple[Task, ...] = ("IF", "CR", "IR", "TS")
_SPORTS: tuple[SportName, ...] = ("basketball", "hockey")
_MIX: tuple[SportName, ...] = ("basketball", "basketball", "hockey")
"""The sports of the matches of a task, in turn."""
_FITTING: Mapping[str, tuple[Task, ...]] = {
    "ask_after": ("CR", "IR"),
    "whole": ("CR", "IR"),
    "switch": ("TS",),
    "pair_retrieval": ("CR",),
}
"""The tasks that an option fits; the others fit all."""
_PERIODS = {name: sport.periods for name, sport in SPORTS.items()}
_Chunks = Annotated[int, Field(ge=1, le=MOST_PARTS)]
_Period = Annotated[int, Field(ge=1, le=max(_PERIODS.values()))]


class DialoguePlace(NamedTuple):
    """What one dialogue of a benchmark is.

    Attributes:
        match: The number of its match, from 0; what is compared shares a match.
        task: Its task.
        sport: Its sport.
        variant: What tells it from others of its match, such as `chunks=10`; empty for a dialogue as usual.
        settings: Those of `dialogue` that are not usual.
    """

    match: int
    task: Task
    sport: SportName
    variant: str
    settings: Mapping[str, Any]


class BroadcastOptions(BaseModel):
    """What a benchmark has. One of the options from `chunks` on with several values makes a comparison.

    Then each match is played once for each value, one dialogue after the other.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    task: Annotated[
        tuple[Task, ...],
        Field(
            description="Which tasks, in turn: instruction following, context retrieval, information reasoning, task "
            "switching. Usually all, or those that the options below fit."
        ),
    ] = ()
    sport: Annotated[
        tuple[SportName, ...], Field(description="Which sports. Usually both: two of three matches are basketball.")
    ] = ()
    chunks: Annotated[
        tuple[_Chunks, ...],
        Field(
            description="In how many turns the rows of a period come; the score is then judged each time. Usually 5, "
            "and the score is judged where the task says so."
        ),
    ] = ()
    ask_after: Annotated[
        tuple[_Period, ...],
        Field(description="CR, IR: asks about the first period only, after this one. Usually about all, in all."),
    ] = ()
    switch: Annotated[
        tuple[Switch, ...],
        Field(min_length=1, description="TS: what interrupts a match: problems, small talk of their length, nothing."),
    ] = ("math",)
    whole: Annotated[
        bool, Field(description="CR, IR: compares all rows in one message with rows turn by turn; the same questions.")
    ] = False
    pair_retrieval: Annotated[
        bool, Field(description="CR: compares two ways to ask for the same evidence: at a moment, and in an interval.")
    ] = False
    chain_of_thought: Annotated[
        bool, Field(description="Asks the model to think before each answer, between <think> and </think>; not scored.")
    ] = False
    match_edition: MatchEdition = EDITION

    @model_serializer(mode="wrap")
    def _as_stored(self, serialize: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        """Headers keep the bytes that they had: without what is newer than they are, unless it is chosen."""
        stored: dict[str, Any] = serialize(self)
        if not self.chain_of_thought:
            stored.pop("chain_of_thought", None)
        if self.match_edition == FIRST and not info.exclude_defaults:
            stored.pop("match_edition", None)
        return stored

    @field_validator("task", "sport", "chunks", "ask_after", "switch")
    @classmethod
    def _are_different(cls, value: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(set(value)) < len(value):
            raise ValueError("a value stands there twice; give each once")
        return value

    def check(self) -> None:
        """Refuse options that do not go together.

        Raises:
            UsageError: two comparisons, or a task, a sport or a second option that an option does not fit.
        """
        compared = [name for name, values in self._values().items() if len(values) > 1]
        if len(compared) > 1:
            raise UsageError(
                f"--set {compared[0]} and --set {compared[1]} both compare; make a benchmark for each of them"
            )
        for name in self.chosen:
            wrong = [task for task in self.tasks if task not in self._fitting(name)]
            if wrong:
                known = ", ".join(self._fitting(name))
                raise UsageError(f"--set {name} does not fit the task {wrong[0]}; it fits {known}")
        if not self.tasks:
            first, second = self.chosen[:2]
            raise UsageError(f"no task fits both --set {first} and --set {second}; leave one of them out")
        for sport in self.sports:
            for (_, settings), task in product(self.variants, self.tasks):
                settings_of(task, SPORTS[sport], settings)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Those of the benchmark: as chosen, or all that every chosen option fits."""
        return self.task or tuple(task for task in TASKS if all(task in self._fitting(one) for one in self.chosen))

    @property
    def sports(self) -> tuple[SportName, ...]:
        """Those of the benchmark: as chosen, or all that have the periods asked for."""
        wanted = max(self.ask_after, default=0)
        return self.sport or tuple(name for name in _SPORTS if _PERIODS[name] >= wanted)

    @property
    def variants(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """As what each match is played: a name, empty for a dialogue as usual, and settings of `dialogue`."""
        always: dict[str, Any] = {}
        compared: list[dict[str, Any]] = [{}]
        for name, values in self._values().items():
            found = [_setting(name, value) for value in values]
            if len(found) > 1:
                compared = found
            elif found:
                always |= found[0]
        if always.get("switch") == "math":
            del always["switch"]
        return tuple((_named(always | one), always | one) for one in compared)

    def place(self, dialogue: int) -> DialoguePlace:
        """What a dialogue is.

        Args:
            dialogue: From 1.
        """
        variants, tasks = self.variants, self.tasks
        match, place = divmod(dialogue - 1, len(variants))
        round_of, which = divmod(match, len(tasks))
        mix = _MIX if len(self.sports) > 1 else self.sports
        return DialoguePlace(match, tasks[which], mix[round_of % len(mix)], *variants[place])

    @property
    def chosen(self) -> list[str]:
        """The names of the options from `chunks` on that are not as usual."""
        return [name for name, values in self._values().items() if values and values != ("math",)]

    def _values(self) -> dict[str, tuple[Any, ...]]:
        """The values of each option that may compare; of a comparison by name both sides."""
        return {
            "chunks": self.chunks,
            "ask_after": self.ask_after,
            "switch": self.switch,
            "whole": (False, True) if self.whole else (),
            "pair_retrieval": ("anchored", "interval") if self.pair_retrieval else (),
            "chain_of_thought": (True,) if self.chain_of_thought else (),
        }

    @staticmethod
    def _fitting(name: str) -> tuple[Task, ...]:
        return _FITTING.get(name, TASKS)


def _setting(name: str, value: Any) -> dict[str, Any]:
    """A value of an option as a setting of `dialogue`."""
    return {"pair" if name == "pair_retrieval" else name: value}


def _named(settings: Mapping[str, Any]) -> str:
    """What tells dialogues of these settings from others."""
    return ", ".join(
        name if value is True else f"{name}={value}" for name, value in settings.items() if value is not False
    )


class BroadcastPlay(BaseModel):
    """How a benchmark is played."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    stop_at_patience: Annotated[
        bool,
        Field(
            description="End a match when patience is gone: fewer calls, but no category scores, which need whole "
            "matches."
        ),
    ] = False


def plays_whole_matches(options: Mapping[str, Any]) -> bool:
    """Whether a run with these options plays matches to their end, which accuracy needs.

    Args:
        options: Those of `BroadcastPlay` that differ from their default.
    """
    return not options.get("stop_at_patience")
