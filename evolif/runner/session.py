"""One conversation of one model over one dialogue, until patience is exhausted (paper §3.3).

Each turn is one step: prompt, answer, verdicts, durable in the store; then comes the next. Any failure ends only this
session and costs no patience.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evolif.errors import AccessError, ContextOverflowError, EvolifError, InternalError, ModelError, WithheldError
from evolif.instructions import prompt_of
from evolif.judging import Judgement
from evolif.models import ChatModel, ChatRequest, Sampling
from evolif.runner.events import FaultMet, ModelStopped, Observer, SessionEnded, SessionKey, SessionStarted, TurnStored
from evolif.runner.metering import CallDeniedError, open_account
from evolif.runner.records import (
    AnsweredTurn,
    CostEntry,
    EndEntry,
    FaultEntry,
    SessionState,
    TurnEntry,
    TurnRecord,
    VerdictEntry,
)
from evolif.runner.scenario import SYSTEM_PROMPT, ContextStrategy, Scenario
from evolif.runner.settings import RunSettings
from evolif.runner.shutdown import Shutdown
from evolif.runner.store import StoreError, StoreWriter
from evolif.turns import Turn
from evolif.types import Ending, Message, Role, Spent


class SessionEnd(Exception):
    """Raised when a session cannot continue (docs/protocol.md).

    Args:
        ending: How it ended; None if it never began.
        cause: One or two words, see `SessionEnded`.
        reason: A sentence.
        blame: Who failed, if there is a fault to store.
        fault: What was raised.
    """

    def __init__(
        self, ending: Ending | None, cause: str, reason: str, blame: Role | None = None, fault: Exception | None = None
    ) -> None:
        super().__init__(reason)
        self.ending = ending
        self.cause = cause
        self.reason = reason
        self.blame = blame
        self.fault = fault

    @property
    def is_final(self) -> bool:
        """Whether every further call of the failed role would fail in the same way."""
        return isinstance(self.fault, AccessError) or isinstance(getattr(self.fault, "__cause__", None), AccessError)


def end_for(fault: Exception, role: Role, model: str) -> SessionEnd:
    """How a session ends after a fault; a fault never touches patience.

    Args:
        fault: What was raised.
        role: The role that failed.
        model: The model under test.
    """
    if role == "target":
        if isinstance(fault, ContextOverflowError):
            return SessionEnd("censored", "context", str(fault), role, fault)
        if isinstance(fault, WithheldError):
            return SessionEnd("withheld", "content filter", str(fault), role, fault)
    if isinstance(fault, EvolifError):
        return SessionEnd("suspended", _cause(fault, role), str(fault), role, fault)
    # The text of a foreign exception is not repeated: it may contain keys.
    kind = type(fault).__name__
    if role == "target":
        return SessionEnd("suspended", "provider", f"{model}: its client failed unexpectedly ({kind})", role)
    return SessionEnd("suspended", "internal", f"an unexpected {kind} in evolif", role)


def _cause(fault: EvolifError, role: Role) -> str:
    if isinstance(fault, InternalError):
        return "internal"
    if isinstance(fault, ModelError):
        if role != "target":
            return role
        return "access" if isinstance(fault, AccessError) else "provider"
    return "benchmark" if role == "synthesizer" else "internal"


def step(patience: int | None, maximum: int | None, judged: Iterable[bool]) -> int | None:
    """Patience after a turn (paper §3.3): restored if every judged constraint holds, else one less.

    It is unchanged if nothing was judged, and None if the session has no patience.
    """
    verdicts = tuple(judged)
    if not verdicts or patience is None:
        return patience
    return maximum if all(verdicts) else patience - 1


@dataclass(frozen=True, slots=True)
class RunContext:
    """Shared data of all sessions of a run."""

    settings: RunSettings
    scenario: Scenario
    strategy: ContextStrategy
    write: StoreWriter
    observe: Observer
    shutdown: Shutdown


class SessionRunner:
    """Plays one session from its stored state."""

    def __init__(self, context: RunContext, key: SessionKey, model: ChatModel, state: SessionState) -> None:
        settings = context.settings
        self._context = context
        self._key = key
        self._model = model
        self._settings = settings
        self._state = state
        self._account = open_account(key)
        self._history: list[Message] = []
        self._topics: Counter[str] = Counter()
        self._number = 0
        self._patience = settings.patience
        self._sampling = Sampling(settings.temperature, settings.max_tokens, settings.seed + key.epoch - 1)

    async def play(self) -> None:
        """Play turn after turn until the session ends or the run is stopped.

        Raises:
            StoreError: nothing can be stored any more.
        """
        self._context.observe(SessionStarted(self._key, len(self._state.records)))
        try:
            await self._play()
        except SessionEnd as end:
            await self._end(end)
        except CallDeniedError as denied:
            if denied.deny is None:
                await self._book_costs()
            else:
                ending: Ending | None = "censored" if self._number else None
                await self._end(SessionEnd(ending, denied.deny.cause, denied.deny.reason))
        except StoreError:
            raise
        except Exception as fault:  # a row that the store rejects, or a bug: it ends only this session
            await self._end(end_for(fault, "runner", self._key.model))

    async def _play(self) -> None:
        if self._state.ending is not None or self._state.cause:
            await self._context.write(EndEntry(self._state.id, None))
        await self._resume(self._state.records)
        while True:
            self._check_limits()
            if self._context.shutdown.stopped(self._key.model):
                return
            turn = await self._next_turn(self._number + 1)
            if self._context.shutdown.stopped(self._key.model):
                return
            await self._play_turn(turn)

    async def _resume(self, records: Sequence[TurnRecord]) -> None:
        """Replay stored turns: answered turns are never asked again, unjudged ones are judged."""
        for record in records:
            outcomes = record.judged.judged
            spent: tuple[Spent, ...] = ()
            self._topics[str(record.prompt.labels["topic"])] += 1
            if not record.is_judged:
                judgement = await self._judge(await self._next_turn(record.turn), record.answer)
                spent = await self._write_verdicts(record.turn, judgement)
                outcomes = judged_outcomes(judgement)
            self._advance(record.query, record.answer, outcomes)
            if not record.is_judged:
                self._report_turn(outcomes, record.seconds, spent)
            if self._patience == 0:
                return  # later answers, stored under a larger patience, do not count

    def _check_limits(self) -> None:
        if self._patience == 0:
            raise SessionEnd("finished", "patience", "patience exhausted")
        if self._number >= self._settings.max_turns:
            raise SessionEnd("censored", "cap", f"the cap of {self._settings.max_turns} turns")

    async def _next_turn(self, number: int) -> Turn:
        try:
            turn = await self._context.scenario.next_turn(self._key.dialogue, number)
        except CallDeniedError:
            raise
        except Exception as fault:
            raise end_for(fault, "synthesizer", self._key.model) from fault
        if turn is None:
            raise SessionEnd("censored", "benchmark", "the dialogue cannot be extended")
        return turn

    async def _play_turn(self, turn: Turn) -> None:
        """Play and judge one turn; an answer is always stored once received."""
        self._topics[turn.topic.id] += 1
        depth = self._topics[turn.topic.id]
        answer = await self._answer(turn, depth)
        prompt = prompt_of(turn, depth)
        spent = self._account.take()
        unjudged = TurnEntry(self._state.id, prompt, answer, None, spent)
        if self._context.scenario.asks_a_judge(turn):
            await self._context.write(unjudged)
            judgement = await self._judge(turn, answer.text)
            spent += await self._write_verdicts(prompt.turn, judgement)
        else:
            try:
                judgement = await self._judge(turn, answer.text)
            except SessionEnd:
                await self._context.write(unjudged)
                raise
            await self._context.write(TurnEntry(self._state.id, prompt, answer, judgement, spent))
        outcomes = judged_outcomes(judgement)
        self._advance(turn.query, answer.text, outcomes)
        self._report_turn(outcomes, answer.seconds, spent)

    async def _answer(self, turn: Turn, depth: int) -> AnsweredTurn:
        system = SYSTEM_PROMPT if self._settings.system_prompt else ""
        messages = self._context.strategy.messages(system, self._history, turn.query)
        request = ChatRequest(messages, self._sampling, prompt=prompt_of(turn, depth), epoch=self._key.epoch)
        started = time.monotonic()
        try:
            reply = await self._model.complete(request)
        except CallDeniedError:
            raise
        except Exception as fault:
            raise end_for(fault, "target", self._key.model) from fault
        seconds = round(time.monotonic() - started, 3)
        return AnsweredTurn(reply.text, reply.reasoning, reply.truncated, reply.served_by, seconds)

    async def _judge(self, turn: Turn, answer: str) -> Judgement:
        try:
            return await self._context.scenario.score(turn, answer)
        except CallDeniedError:
            raise
        except Exception as fault:
            raise end_for(fault, "judge", self._key.model) from fault

    async def _write_verdicts(self, turn: int, judgement: Judgement) -> tuple[Spent, ...]:
        spent = self._account.take()
        await self._context.write(VerdictEntry(self._state.id, self._key.dialogue, turn, judgement, spent))
        return spent

    def _advance(self, query: str, answer: str, outcomes: tuple[bool, ...]) -> None:
        self._history += [Message("user", query), Message("assistant", answer)]
        self._number += 1
        self._patience = step(self._patience, self._settings.patience, outcomes)

    def _report_turn(self, outcomes: tuple[bool, ...], seconds: float, spent: tuple[Spent, ...]) -> None:
        satisfied = all(outcomes) if outcomes else None
        self._context.observe(TurnStored(self._key, self._number, self._patience, satisfied, spent, seconds))

    async def _end(self, end: SessionEnd) -> None:
        if end.is_final and not self._stop_others(end):
            await self._book_costs()  # the fault was reported once for all sessions; this one can be resumed
            return
        entry = EndEntry(self._state.id, end.ending, end.cause, end.reason)
        if end.blame is None:
            await self._book_costs()
            await self._context.write(entry)
        else:
            turn, spent = self._number + 1, self._account.take()
            details = (turn, end.blame, end.cause, end.reason, spent)
            await self._context.write(FaultEntry(self._state.id, self._key.dialogue, *details), entry)
            self._context.observe(FaultMet(self._key, *details))
        self._context.observe(SessionEnded(self._key, self._number, self._patience, end.ending, end.cause, end.reason))

    async def _book_costs(self) -> None:
        """Store the cost of an incomplete turn, such as half of a panel's calls."""
        spent = self._account.take()
        if spent:
            await self._context.write(CostEntry(self._state.id, self._key.dialogue, self._number + 1, spent))

    def _stop_others(self, end: SessionEnd) -> bool:
        """Stop the model's sessions, or all if the judge failed; False if already done."""
        is_target, shutdown = end.blame == "target", self._context.shutdown
        first = shutdown.stop_model(self._key.model) if is_target else shutdown.stop_all()
        if first:
            self._context.observe(ModelStopped(self._key.model if is_target else "the judge", end.reason))
        return first


def judged_outcomes(judgement: Judgement) -> tuple[bool, ...]:
    return tuple(v.satisfied for v in judgement.verdicts if v.satisfied is not None)
