"""What a scenario brings to play: its benchmark, its environment, and what a run offers to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from evolif.text import READING_RULES_VERSION
from evolif.types import End, Exchange, Prompt, Role, Seat, Spent

if TYPE_CHECKING:
    from evolif.config import EvalConfig
    from evolif.judging import Judge, Judgement, RelevanceGate
    from evolif.models import ChatModel, ManagedModel

CHARACTERS_PER_TOKEN = 4
"""In English, for estimates."""


class NoOptions(BaseModel):
    """The options of a scenario that has none."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class Defaults:
    """How a benchmark is played unless the run says otherwise."""

    max_turns: int = 50
    """The cap, in turns of the model under test; it censors, so it must exceed dialogues that end themselves."""
    patience: int | None = None
    """Failed turns in a row that end a session; None for a scenario without patience."""
    cut: Literal["during", "after"] = "during"
    """Whether exhausted patience ends a session, or only cuts it when it is read."""
    partner: str | None = None
    """Who takes the seat `partner` if the run names nobody; None if it has to be named, and for one seat."""
    reacts: bool = False
    """Whether the person of the dialogues can react to answers, as `Services.feedback` says.

    The prompts then depend on answers (`Prompt.fixed` is False), and the environment passes its judgements through
    `evolif.judging.with_feedback`.
    """
    unscored: str = ""
    """What of the benchmark no metric scores, as a clause, with what to do about it; empty if everything is scored.

    A run then has to be asked for with `--unscored`, since it would pay for answers that count nowhere.
    """
    notes: tuple[str, ...] = ()
    """What else a user is told before the first call, a sentence each."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long sessions are expected to be, for `--dry-run`. Tokens are estimates."""

    turns: float | None = None
    """Mean turns of the model under test in a dialogue that patience does not end; None if only the cap ends it."""
    prompt_tokens: float = 100.0
    """Mean tokens of a prompt's new messages; also of what a partner says."""
    answer_tokens: float | None = None
    """Mean tokens of an answer; None if unknown."""
    system_tokens: float = 0.0
    partner_calls: float = 0.0
    """Calls of the partner per turn of the model under test."""
    judge_calls: float = 0.0
    """Calls per judge model and turn."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """What of a benchmark only a judge can decide; without one, a run leaves it unjudged."""

    groups: tuple[str, ...]
    """What needs a judge, in words; at least one."""
    requirements: float = 0.0
    """Its share of all requirements, from 0 to 1."""
    turns: float = 0.0
    """The share of turns in which nothing else is asked, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Author:
    """A model that a run may call to write missing prompts."""

    role: Literal["synthesizer", "checker"]
    model: str
    written: tuple[int, ...] = ()
    """The length of each dialogue that it continues, with at least a call per turn; empty if calls are not foreseen."""


class Benchmark(Protocol):
    """An opened benchmark folder of any scenario."""

    path: Path

    @property
    def scenario(self) -> str:
        """The scenario's name."""
        ...

    @property
    def identity(self) -> str:
        """Changes with what the dialogues are made from, not with their length (16 hex digits)."""
        ...

    @property
    def variant(self) -> str:
        """Which of the scenario's variants it is, in a word; empty if there is one only."""
        ...

    def dialogues(self) -> list[int]:
        """The numbers of the dialogues, in order."""
        ...

    def hold(self, dialogues: int) -> None:
        """Set how many dialogues are worth keeping in memory."""
        ...


def _no_book(dialogue: int, turn: int, spent: tuple[Spent, ...]) -> None:
    pass


Meter = Callable[["ManagedModel", Role], "ChatModel"]
"""Wraps a client, so that its calls in a role are counted."""


def _unmetered(model: ManagedModel, role: Role) -> ChatModel:
    return model


@dataclass(frozen=True, slots=True)
class Services:
    """What a run offers an environment; the defaults are for working out prompts again, without a call."""

    judge: Judge | None = None
    """For what rules cannot check; None if no model judges."""
    config: EvalConfig | None = None
    """How the run was requested."""
    max_turns: int = 0
    """The run's cap; 0 where no turn is missing."""
    dialogues: Sequence[int] = ()
    """Those of the run."""
    meter: Meter = _unmetered
    """Counts the calls of a model that writes prompts, and keeps them within the budget."""
    book: Callable[[int, int, tuple[Spent, ...]], None] = _no_book
    """Books what writing a prompt has cost (dialogue, turn, calls): that belongs to no session."""
    relevance: RelevanceGate | None = None
    """How the run asks whether answers are about their tasks; None if it does not ask."""
    reading_rules: int = READING_RULES_VERSION
    """The edition of the reading rules that the run's answers are read by."""
    feedback: str = "none"
    """How the person reacts to answers: none, remark or repair."""
    patience: int | None = None
    """Failed turns in a row that end the run's sessions; None if they have no patience."""


class Environment(Protocol):
    """A scenario opened for play. Inherit from it to get the defaults."""

    def system(self, dialogue: int, seat: Seat) -> str:
        """What a seat is told before anything else; it is never cut."""
        return ""

    async def prompt(self, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        """What is asked next, or why the dialogue is over.

        Args:
            dialogue: Which one.
            past: Everything said so far, over all seats, oldest first.

        Raises:
            ModelError: a model that writes prompts failed; the session is suspended.
        """
        ...

    def recalled(self, prompt: Prompt, past: Sequence[Exchange]) -> Sequence[Exchange]:
        """What of the seat's own past a context strategy may show: usually all; none if the prompt repeats it. Pure."""
        return past

    def given(self, prompt: Prompt) -> str | None:
        """An answer that is already known, as in a fixed transcript; None if the model is to be asked. Pure."""
        return None

    def heard(self, prompt: Prompt, answer: str) -> str:
        """What the others hear of an answer. Pure: it is worked out again on resuming."""
        return answer

    def asks_a_judge(self, prompt: Prompt) -> bool:
        """Whether scoring an answer may need calls; the answer is then durable before it is judged."""
        return False

    async def score(
        self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Judgement | None = None
    ) -> Judgement:
        """The judgement on an answer, or, for the floor of a report and without a judge, on a trivial one.

        Args:
            prompt: What was asked.
            answer: As received; hostile input.
            past: What was said before the prompt.
            stored: An earlier judgement on the same answer; what rules found is kept, and only the judge asked again.

        Raises:
            JudgeError: a verdict is missing; the answer is stored, and judged on resuming.
        """
        ...

    async def aclose(self) -> None:
        """Release what it opened."""
        return
