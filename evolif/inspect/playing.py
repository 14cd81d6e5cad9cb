"""A dialogue played inside Inspect: the session is the runner's own, and only the calls are Inspect's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from evolif.config import EvalConfig
from evolif.errors import ContextOverflowError, UsageError, WithheldError
from evolif.inspect.messages import to_inspect
from evolif.models import ChatModel, ChatRequest, ModelRef, Reply, as_list
from evolif.runner import RunSettings
from evolif.runner.playing import PlayedSession, Player
from evolif.scenario import Benchmark
from evolif.types import Session, Usage

_CONNECTIONS = 256
"""Calls of one model at a time; Inspect has limits of its own."""


class InspectModel:
    """A model of Inspect as one of ours; implements `ChatModel`.

    Args:
        model: An `inspect_ai.model.Model`.
    """

    connections = _CONNECTIONS

    def __init__(self, model: Any) -> None:
        self._model = model
        self.name = str(model)
        self.output: Any = None
        """The last `ModelOutput`."""

    async def complete(self, request: ChatRequest) -> Reply:
        """Have Inspect generate an answer; sampling is as `inspect eval` says, but for the scenario's longest answer.

        Raises:
            ContextOverflowError: the conversation is too long for the model.
            WithheldError: a content filter withheld the answer.
        """
        from inspect_ai.model import GenerateConfig

        longest = request.sampling.max_tokens
        config = GenerateConfig() if longest is None else GenerateConfig(max_tokens=longest)
        output = await self._model.generate([to_inspect(one) for one in request.messages], config=config)
        self.output = output
        return reply_of(self.name, output, output.completion)

    async def aclose(self) -> None:
        """Inspect closes its models."""


class TaskSeat(ChatModel, Protocol):
    """The seat of the model under test in a dialogue that Inspect plays."""

    output: Any
    """The last `ModelOutput`; None if there is none yet."""


def reply_of(name: str, output: Any, text: str) -> Reply:
    """An answer as Inspect's models give it.

    Args:
        name: Of the model.
        output: The `ModelOutput` that it came with.
        text: What it says.

    Raises:
        ContextOverflowError: the conversation is too long for the model.
        WithheldError: a content filter withheld the answer.
    """
    if output.empty:
        return Reply(text)
    if output.stop_reason == "model_length":
        raise ContextOverflowError(f"{name}: the conversation is longer than the model's context")
    if output.stop_reason == "content_filter":
        raise WithheldError(f"{name}: a content filter withheld the answer")
    usage = output.usage
    return Reply(
        text,
        truncated=output.stop_reason == "max_tokens",
        usage=Usage() if usage is None else _usage(usage),
        served_by=output.model,
    )


def _usage(usage: Any) -> Usage:
    """All tokens of the prompt, since Inspect counts those of its provider's cache apart, and of the answer."""
    cached = usage.input_tokens_cache_read or 0
    asked = int(usage.input_tokens + cached + (usage.input_tokens_cache_write or 0))
    return Usage(asked, usage.output_tokens, cached, min(usage.reasoning_tokens or 0, usage.output_tokens))


@dataclass(frozen=True, slots=True)
class TaskSession:
    """A session that was played."""

    played: PlayedSession
    output: Any
    """The last output of Inspect's model; None if it never answered."""

    @property
    def session(self) -> Session:
        """How it went."""
        return self.played.session


Watch = Callable[[TaskSession], None]
"""Gets what was played so far, whenever a turn was answered or judged."""


def _unwatched(played: TaskSession) -> None:
    pass


CUT = "cut"
"""The cause of a session that a limit of Inspect, or its user, ended in the middle; `reason` says which."""


def cut_short(session: Session, why: str) -> Session:
    """A session that was ended from outside, as far as its turns are judged.

    Args:
        session: What was played.
        why: What ended it, in a few words.
    """
    return replace(session, ending="censored", cause=CUT, reason=f"cut by Inspect: {why}")


class TaskPlayer:
    """Plays the dialogues of a benchmark by models of Inspect.

    Args:
        bench: The benchmark; its dialogues are extended as long as a model keeps up.
        config: How it is played; `models` is replaced.
        open_model: Opens what `config` names as judge, partner or context model.
    """

    def __init__(self, bench: Benchmark, config: EvalConfig, open_model: Callable[[str], Any]) -> None:
        self.context = config.context
        """What of a conversation is shown."""
        self._open_model = open_model
        self._player = Player(bench, config, self._reachable)

    async def play(self, seat: TaskSeat, dialogue: int, epoch: int, watch: Watch = _unwatched) -> TaskSession:
        """Play one dialogue.

        Args:
            seat: Who answers.
            dialogue: Which one.
            epoch: Its repetition, from 1.
            watch: Told after each turn; what it raises ends the dialogue.

        Raises:
            Exception: what a call raised, as Inspect raised it.
            UsageError: the session cannot be played.
        """

        def told(played: PlayedSession) -> None:
            watch(TaskSession(played, seat.output))

        return TaskSession(await self._player.play(seat, dialogue, epoch, told), seat.output)

    def headline(self) -> str:
        """The main metric of what is played; empty without figures."""
        return self._player.headline()

    def settings(self, seat: TaskSeat) -> RunSettings:
        """The settings of a run of this model."""
        return self._player.settings(seat)

    def _reachable(self, model: ModelRef) -> ModelRef:
        """A model of Inspect where one is named; ours have names without an endpoint."""
        if not isinstance(model, str) or model in _OURS or model.startswith("sim/"):
            return model
        return InspectModel(self._open_model(model))


_OURS = frozenset({"none", "lexical", "self", "scripted"})
"""Words that may stand for a judge or a partner, and are no models."""


def config_of(judge: str | list[str] = "none", **settings: Any) -> EvalConfig:
    """How a task is played, from the arguments of a task.

    Raises:
        UsageError: a setting does not fit.
    """
    from pydantic import ValidationError

    from evolif.util.resources import complaint

    try:
        return EvalConfig(models=("inspect/model",), judges=tuple(as_list(judge)), **settings)
    except ValidationError as fault:
        raise UsageError(complaint(fault, "the task")) from None
