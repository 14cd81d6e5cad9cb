"""The harness: evolif's own runner plays the dialogue in this process, and each call goes to the rollout's endpoint."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace

import aiohttp
import verifiers.v1 as vf

from evolif.models import ChatRequest, ManagedModel, Reply, Sampling, managed
from evolif.models.endpoint import Endpoint
from evolif.models.openai import OpenAIModel
from evolif.models.waits import RetryPolicy
from evolif.runner.playing import PlayedSession
from evolif.types import Message
from evolif_verifiers.gyms import gym_of
from evolif_verifiers.taskset import EvolifData, EvolifState, shown_first

POLICY = "verifiers/policy"
"""The policy's name in messages of evolif; which model it is says the trace."""
_CONNECTIONS = 1024
"""Calls of a policy at a time; a rollout makes one after the other."""


class EvolifHarnessConfig(vf.HarnessConfig):
    """Nothing to set: how dialogues are played is part of the task."""


class EvolifHarness(vf.Harness[EvolifHarnessConfig]):
    """Plays a dialogue turn by turn: prompts, partner, verdicts and ends are those of `evolif evaluate`."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Play the dialogue of a task to its end, and leave what was played in the state."""
        if not isinstance(data, EvolifData):
            raise TypeError("this harness plays the tasks of the taskset evolif-verifiers, and no others")
        gym = await asyncio.to_thread(gym_of, data.source, data.play)
        if gym.identity != data.benchmark:
            raise ValueError(f"{gym.bench.path} is another benchmark than when the task was made; load the tasks again")
        state: EvolifState = trace.state
        played: list[PlayedSession] = []

        def watch(so_far: PlayedSession) -> None:
            played[:] = [so_far]

        system, _ = await shown_first(gym, data.dialogue)
        other = None if (data.system_prompt or "") == system else data.system_prompt
        try:
            async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout()) as http:
                client = _client(http, ctx.model, endpoint, secret)
                policy = Policy(client, other, lambda turn: _note(trace, state, turn))
                rollout = await gym.rollout(policy, data.dialogue, watch=watch)
        except BaseException:
            if played:  # a limit of verifiers, or a fault: what was played so far can still be scored
                state.rollout = gym.of(played[-1]).model_dump(mode="json")
            raise
        state.rollout = rollout.model_dump(mode="json")
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


def _note(trace: vf.Trace, state: EvolifState, turn: int) -> None:
    """Keep which node of the trace holds the answer to a turn."""
    node = trace.calls[-1].node if trace.calls else None
    if node is not None:
        state.nodes[str(turn)] = node


def _client(http: aiohttp.ClientSession, model: str, endpoint: str, secret: str) -> ManagedModel:
    """The rollout's endpoint, with the retries of evolif: verifiers itself makes none."""

    async def carry(content: bytes) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        try:
            async with http.post(f"{endpoint}/chat/completions", data=content, headers=headers) as answer:
                return answer.status, unwrapped(answer.status, await answer.read())
        except aiohttp.ClientError as fault:
            raise ConnectionError(type(fault).__name__) from fault

    client = OpenAIModel(model, Endpoint(endpoint, secret), label=POLICY, connections=_CONNECTIONS, carry=carry)
    return ManagedModel(client, managed(client, _CONNECTIONS).limit, RetryPolicy())


def unwrapped(status: int, body: bytes) -> bytes:
    """The error of a provider as it was sent; verifiers quotes it in a message of its own.

    Args:
        status: Of the answer.
        body: The answer.
    """
    if status < 400:
        return body
    try:
        said = json.loads(body)["error"]["message"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return body
    quoted = f"upstream {status}: "
    return said.removeprefix(quoted).encode() if isinstance(said, str) and said.startswith(quoted) else body


class Policy:
    """The policy as evolif's runner calls it; implements `ChatModel`.

    Args:
        client: Its endpoint.
        system: A system text that takes the place of the scenario's own; None to leave that as it is.
        answered: Told the number of each turn that was answered.
    """

    name = POLICY
    connections = _CONNECTIONS

    def __init__(self, client: ManagedModel, system: str | None, answered: Callable[[int], None]) -> None:
        self._client = client
        self._system = system
        self._answered = answered

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer with the messages as they are; sampling is the trainer's, but for a scenario's longest answer."""
        sampling = Sampling(max_tokens=request.sampling.max_tokens)
        reply = await self._client.complete(replace(request, messages=self._told(request.messages), sampling=sampling))
        if request.prompt is not None:
            self._answered(request.prompt.turn)
        return reply

    def _told(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        if self._system is None:
            return messages
        rest = messages[1:] if messages[0].role == "system" else messages
        return (Message("system", self._system), *rest)

    async def aclose(self) -> None:
        """The harness closes the connections."""
