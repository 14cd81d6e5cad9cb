"""A user's own scaffold in the seat of the model under test: it answers each turn, with tools or in steps if it likes.

Imported by Inspect only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from inspect import Parameter, signature
from typing import Any, TypeAlias

from inspect_ai._util.registry import is_registry_object
from inspect_ai.agent import AgentState, as_solver, is_agent
from inspect_ai.solver import SolverSpec, TaskState, chain
from inspect_ai.util import span

from evolif.errors import UsageError
from evolif.inspect.messages import to_inspect
from evolif.inspect.playing import InspectModel, reply_of
from evolif.models import ChatRequest, Reply

_CONNECTIONS = 256
Solve: TypeAlias = Callable[[Any, Any], Awaitable[Any]]
"""A solver of Inspect: gets a `TaskState` and what generates, and gives a `TaskState`."""


def scaffold_of(given: Any) -> Solve:
    """A user's scaffold as a solver.

    Args:
        given: A solver, an agent, a sequence of them, a function of a `TaskState` and a `generate`, or of an
            `AgentState`, or the name of one as `inspect eval --solver` takes it.

    Raises:
        UsageError: it is none of these.
    """
    if isinstance(given, str):
        return _named(given)
    if is_agent(given):
        try:
            solve: Solve = as_solver(given)
        except ValueError as fault:
            raise UsageError(f"the agent cannot answer turns: {fault}") from None
        return solve
    if isinstance(given, Sequence) and not callable(given):
        chained: Solve = chain(*map(scaffold_of, given))
        return chained
    if not callable(given):
        raise UsageError(f"an agent is a solver or an agent of Inspect, or the name of one; {given!r} is not")
    return given if is_registry_object(given) or _needed(given) == 2 else _agent_function(given)


def _named(name: str) -> Solve:
    from inspect_ai._eval.loader import solver_from_spec

    try:
        found: Solve = solver_from_spec(SolverSpec(solver=name))
    except (ValueError, LookupError, OSError) as fault:
        raise UsageError(f"there is no agent or solver {name}: {fault}") from None
    return found


def _needed(function: Callable[..., Any]) -> int:
    """How many arguments it must be given."""
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    given = signature(function).parameters.values()
    return sum(one.kind in kinds and one.default is Parameter.empty for one in given)


def _agent_function(agent: Callable[[Any], Awaitable[Any]]) -> Solve:
    async def solve(state: Any, generate: object) -> Any:
        after = await agent(AgentState(messages=state.messages))
        state.messages, state.output = after.messages, after.output
        return state

    return solve


class ScaffoldModel:
    """A scaffold as one of our models; implements `ChatModel`.

    With the whole conversation as context, the scaffold finds what it did in earlier turns, calls of tools and their
    results included. System messages that it adds are its own business in each turn, and are not kept.

    Args:
        model: The model of the task, an `inspect_ai.model.Model`; it takes other seats.
        solve: The scaffold.
        state: The sample, a `TaskState`; what the scaffold gets is made after it.
        generate: What Inspect generates with.
        keeps_steps: Whether the scaffold sees its earlier steps; else the context strategy says what it sees.
    """

    connections = _CONNECTIONS

    def __init__(self, model: Any, solve: Solve, state: Any, generate: Any, *, keeps_steps: bool) -> None:
        self.name = str(model)
        self.output: Any = None
        self.steps: dict[int, list[Any]] = {}
        """What the scaffold has said and done in each turn, the answer last; messages of Inspect."""
        self._other_seats = InspectModel(model)
        self._solve = solve
        self._state = state
        self._generate = generate
        self._keeps_steps = keeps_steps
        self._kept: list[Any] = []

    async def complete(self, request: ChatRequest) -> Reply:
        """Have the scaffold answer.

        Raises:
            ContextOverflowError: the conversation is too long for the model.
            WithheldError: a content filter withheld the answer.
            UsageError: the scaffold gives no answer.
        """
        prompt = request.prompt
        if prompt is None or prompt.seat != "target":
            return await self._other_seats.complete(request)
        asked = self._asked(request)
        state = self._state_of(asked)
        async with span(name=f"turn {prompt.turn}"):
            after = await self._solve(state, self._bounded(request.sampling.max_tokens))
        new = _new(after.messages, asked[-1].id)
        answers = [message for message in new if message.role == "assistant"]
        if not answers:
            raise UsageError(f"the scaffold left turn {prompt.turn} of dialogue {prompt.dialogue} without an answer")
        steps = new[: new.index(answers[-1]) + 1]
        self.output = after.output if not after.output.empty else None
        self.steps[prompt.turn] = steps
        self._kept = [*asked, *steps]
        return reply_of(self.name, after.output, answers[-1].text)

    def _asked(self, request: ChatRequest) -> list[Any]:
        """What the scaffold is shown."""
        new = () if request.prompt is None else request.prompt.messages
        # A prompt that repeats all that was said comes without it, however long the context may be.
        has_past = sum(message.role != "system" for message in request.messages) > len(new)
        if self._keeps_steps and self._kept and has_past:
            return [*self._kept, *map(to_inspect, new)]
        return list(map(to_inspect, request.messages))

    def _state_of(self, messages: list[Any]) -> Any:
        sample = self._state
        state = TaskState(
            model=sample.model,
            sample_id=sample.sample_id,
            epoch=sample.epoch,
            input=messages[-1].text,
            messages=list(messages),
            target=sample.target,
            metadata=dict(sample.metadata),
            sample_uuid=sample.uuid,
        )
        state.tools = sample.tools
        state.tool_choice = sample.tool_choice
        return state

    def _bounded(self, longest: int | None) -> Any:
        """What Inspect generates with, within the scenario's longest answer unless the scaffold says otherwise."""
        if longest is None:
            return self._generate

        async def generate(state: Any, *args: Any, **options: Any) -> Any:
            return await self._generate(state, *args, **{"max_tokens": longest, **options})

        return generate

    async def aclose(self) -> None:
        """Inspect closes its models."""


def _new(messages: Sequence[Any], last: str | None) -> list[Any]:
    """What follows on the message that was asked; system messages are left out."""
    places = [place for place, message in enumerate(messages) if message.id == last]
    if not places:
        raise UsageError("the scaffold has taken away the message that it should answer")
    return [message for message in messages[places[-1] + 1 :] if message.role != "system"]
