"""One conversation of one model over one dialogue, until patience is exhausted (paper §3.3) or the scenario ends it.

Each turn is one step: prompt, context, answer, judgement, durable in the store; then comes the next. What comes next
follows from what was said, so a session continues from its stored turns alone. Any failure ends only this session and
costs no patience.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from evolif.contexts import Context, ContextStrategy, FullHistory, context_tokens, tokenizer_name
from evolif.errors import (
    AccessError,
    ContextOverflowError,
    EvolifError,
    InternalError,
    ModelError,
    UsageError,
    WaitError,
    WithheldError,
)
from evolif.judging import Judgement
from evolif.models import ChatModel, ChatRequest, Sampling
from evolif.runner.context_record import ContextRecord
from evolif.runner.events import FaultMet, ModelStopped, Observer, SessionEnded, SessionKey, SessionStarted, TurnStored
from evolif.runner.ledger import Ledger, open_account
from evolif.runner.metering import CallDeniedError
from evolif.runner.past import PromptPacker
from evolif.runner.records import (
    AnsweredTurn,
    CostEntry,
    EndEntry,
    FaultEntry,
    SessionState,
    StoreEntry,
    TurnEntry,
    TurnRecord,
    VerdictEntry,
    with_digest,
)
from evolif.runner.settings import RunSettings
from evolif.runner.shutdown import Shutdown
from evolif.runner.store import StoreError, StoreWriter
from evolif.scenario import Environment
from evolif.scenario.registry import is_own
from evolif.types import End, Ending, Exchange, Message, Prompt, Role, Seat, Spent
from evolif.util.resource_limits import exhausted

WAIT = "wait"
"""The cause of sessions whose endpoint asked to wait for longer than was accepted."""


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
        faults = (self.fault, getattr(self.fault, "__cause__", None))
        return any(isinstance(f, AccessError) or (isinstance(f, WaitError) and f.everyone) for f in faults)


def end_for(fault: Exception, role: Role, model: str, scenario: str) -> SessionEnd:
    """How a session ends after a fault; a fault never touches patience.

    Args:
        fault: What was raised.
        role: The role that failed.
        model: The model under test.
        scenario: What is played; one of a plug-in may be the one to blame.
    """
    if role == "target":
        if isinstance(fault, ContextOverflowError):
            return SessionEnd("censored", "context", str(fault), role, fault)
        if isinstance(fault, WithheldError):
            return SessionEnd("withheld", "content filter", str(fault), role, fault)
    if isinstance(fault, EvolifError):
        its_own = not is_own(scenario) and role in ("synthesizer", "judge") and isinstance(fault, UsageError)
        return SessionEnd("suspended", "scenario" if its_own else _cause(fault, role), str(fault), role, fault)
    own = exhausted(fault)
    if own is not None:
        return SessionEnd("suspended", "machine", str(own), "runner", own)
    # The text of a foreign exception is not repeated: it may contain keys.
    kind = type(fault).__name__
    if role == "target":
        return SessionEnd("suspended", "provider", f"{model}: its client failed unexpectedly ({kind})", role)
    if role in _NAMES:
        return SessionEnd("suspended", role, f"{_NAMES[role]} failed unexpectedly ({kind})", role)
    if not is_own(scenario) and role != "runner":
        return SessionEnd("suspended", "scenario", f"the scenario {scenario} failed unexpectedly ({kind})", role)
    return SessionEnd("suspended", "internal", f"an unexpected {kind} in evolif", role)


def _cause(fault: EvolifError, role: Role) -> str:
    if isinstance(fault, InternalError):
        return "internal"
    if isinstance(fault, ModelError):
        if role != "target":
            return role
        kinds: tuple[tuple[type[ModelError], str], ...] = ((AccessError, "access"), (WaitError, WAIT))
        return next((cause for kind, cause in kinds if isinstance(fault, kind)), "provider")
    return "benchmark" if role == "synthesizer" else "internal"


def step(patience: int | None, maximum: int | None, judged: Iterable[bool]) -> int | None:
    """Patience after a turn (paper §3.3): restored if every judged constraint holds, else one less.

    It is unchanged if nothing was judged, and None if the session has no patience.
    """
    verdicts = tuple(judged)
    if not verdicts or patience is None:
        return patience
    return maximum if all(verdicts) else patience - 1


Seats = Mapping[Seat, ChatModel]
"""Who speaks in a session."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """Shared data of all sessions of a run."""

    settings: RunSettings
    environment: Environment
    strategy: ContextStrategy
    write: StoreWriter
    observe: Observer
    shutdown: Shutdown
    ledger: Ledger | None = None
    """Where calls are reserved; None in another process than the run's."""
    answers_are_safe: bool = False
    """Whether another run's store has the answers, so that only judged ones need writing."""
    packed: PromptPacker = field(default_factory=PromptPacker)
    """Keeps prompts that were answered small."""


class SessionRunner:
    """Plays one session from its stored state.

    Args:
        context: What all sessions share.
        key: The session.
        seats: Who speaks.
        state: The session as stored.
    """

    def __init__(self, context: RunContext, key: SessionKey, seats: Seats, state: SessionState) -> None:
        settings = context.settings
        self._context = context
        self._environment = context.environment
        self._key = key
        self._seats = seats
        self._settings = settings
        self._state = state
        self._account = open_account(key, state.id, context.ledger)
        self._past: list[Exchange] = []
        """Everything said so far, over all seats."""
        self._own: dict[Seat, list[Exchange]] = {seat: [] for seat in seats}
        """The same by seat, which is what a seat's context is built from."""
        self._systems: dict[Seat, str] = {}
        self._number = 0
        """Turns of the model under test."""
        self._judged = 0
        """Those among them in which something was judged."""
        self._patience = settings.patience
        self._samplings: dict[int | None, Sampling] = {}

    async def play(self) -> None:
        """Play turn after turn until the session ends or the run is stopped.

        Raises:
            StoreError: nothing can be stored any more.
        """
        self._context.observe(SessionStarted(self._key, sum(r.prompt.seat == "target" for r in self._state.records)))
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
            await self._end(self._end_for(fault, "runner"))

    async def _play(self) -> None:
        if self._state.ending is not None or self._state.cause:
            await self._write(EndEntry(self._state.id, None))
        records, self._state = self._state.records, replace(self._state, records=())  # not kept: `_past` has it
        await self._resume(records)
        del records
        while True:
            self._check_limits()
            if self._context.shutdown.stopped(self._key.model):
                return
            prompt = await self._next_prompt()
            if self._context.shutdown.stopped(self._key.model):
                return
            await self._play_turn(prompt)

    async def _resume(self, records: Sequence[TurnRecord]) -> None:
        """Replay stored turns: answered turns are never asked again, unjudged ones are judged."""
        for record in records:
            prompt = record.prompt
            if any(message.images for message in prompt.messages):
                prompt = await self._next_prompt()  # the store has only the digests of pictures
            self._account.turn = record.turn
            outcomes = record.judged.judged
            spent: tuple[Spent, ...] = ()
            if not record.is_judged:
                judgement = await self._judge(prompt, record.answer)
                spent = await self._write_verdicts(record.turn, judgement)
                outcomes = judged_outcomes(judgement)
            answer = AnsweredTurn(record.answer, truncated=record.truncated)
            self._advance(prompt, answer, outcomes, record.notes)
            if not record.is_judged:
                self._report_turn(record.prompt.seat, outcomes, record.seconds, spent)
            if self._is_exhausted:
                return  # later answers, stored under a larger patience, do not count

    @property
    def _is_exhausted(self) -> bool:
        return self._patience == 0 and self._settings.cut == "during"

    def _check_limits(self) -> None:
        if self._is_exhausted:
            raise SessionEnd("finished", "patience", "patience exhausted")
        cap = self._settings.cap_reached(self._number, self._judged)
        if cap:
            raise SessionEnd("censored", "cap", cap)

    async def _next_prompt(self) -> Prompt:
        self._account.turn = len(self._past) + 1
        try:
            prompt = await self._environment.prompt(self._key.dialogue, self._past)
            if isinstance(prompt, End):
                raise SessionEnd(prompt.ending, prompt.cause, prompt.reason)
            self._check(prompt)
            return with_digest(prompt)
        except (CallDeniedError, SessionEnd, StoreError):
            raise
        except Exception as fault:
            raise self._end_for(fault, "synthesizer") from fault

    def _check(self, prompt: Prompt) -> None:
        """Refuse a prompt that the store could not place."""
        expected = (self._key.dialogue, len(self._past) + 1)
        if (prompt.dialogue, prompt.turn) != expected or prompt.seat not in self._seats or not prompt.messages:
            raise UsageError(
                f"the scenario {self._settings.scenario} asked dialogue {prompt.dialogue}, turn {prompt.turn}, seat "
                f"{prompt.seat}, but dialogue {expected[0]}, turn {expected[1]} is next, with seats "
                f"{', '.join(self._seats)} and at least one message"
            )

    async def _play_turn(self, prompt: Prompt) -> None:
        """Play and judge one turn; an answer is always stored once received."""
        context = await self._build_context(prompt)
        asks_a_judge = self._asks_a_judge(prompt)
        answer = await self._answer(prompt, context.messages)
        spent = self._account.take()
        # The whole conversation is counted when the run is read: counting costs more than a turn.
        is_full = self._settings.context == FullHistory.name
        tokens = None if is_full or tokenizer_name() is None else context_tokens(context.messages)
        built = None if is_full else ContextRecord(context.shown, context.decision, context.cost)
        entry = TurnEntry(self._state.id, prompt, answer, None, spent, context.notes, tokens, built)
        if asks_a_judge:
            await self._write(entry)
            judgement = await self._judge(prompt, answer.text)
            spent += await self._write_verdicts(prompt.turn, judgement)
        else:
            try:
                judgement = await self._judge(prompt, answer.text)
            except SessionEnd:
                if not self._context.answers_are_safe:
                    await self._write(entry)
                raise
            spent += self._account.take()
            await self._write(replace(entry, judgement=judgement, spent=spent))
        outcomes = judged_outcomes(judgement)
        self._advance(prompt, answer, outcomes, context.notes)
        self._report_turn(prompt.seat, outcomes, answer.seconds, spent)

    def _asks_a_judge(self, prompt: Prompt) -> bool:
        """Whether the answer has to be durable before it is judged."""
        if self._context.answers_are_safe:
            return False
        try:
            return self._environment.asks_a_judge(prompt)
        except Exception as fault:
            raise self._end_for(fault, "judge") from fault

    def _system(self, seat: Seat) -> str:
        if seat not in self._systems:
            try:
                own = self._settings.system_prompt
                self._systems[seat] = self._environment.system(self._key.dialogue, seat) if own else ""
            except Exception as fault:
                raise self._end_for(fault, "synthesizer") from fault
        return self._systems[seat]

    async def _build_context(self, prompt: Prompt) -> Context:
        system = self._system(prompt.seat)
        try:
            past = self._environment.recalled(prompt, self._own[prompt.seat])
            return await self._context.strategy.build(system, past, prompt)
        except (CallDeniedError, StoreError):
            raise
        except Exception as fault:
            raise self._end_for(fault, "context") from fault

    async def _answer(self, prompt: Prompt, messages: tuple[Message, ...]) -> AnsweredTurn:
        given = self._given(prompt)
        if given is not None:
            return AnsweredTurn(given)
        request = ChatRequest(messages, self._sampling(prompt), prompt=prompt, epoch=self._key.epoch)
        started = time.monotonic()
        try:
            reply = await self._seats[prompt.seat].complete(request)
        except (CallDeniedError, StoreError):
            raise
        except Exception as fault:
            raise self._end_for(fault, prompt.seat) from fault
        seconds = round(time.monotonic() - started, 3) if reply.seconds is None else reply.seconds
        return AnsweredTurn(reply.text, reply.reasoning, reply.truncated, reply.served_by, seconds)

    def _given(self, prompt: Prompt) -> str | None:
        """An answer that the scenario has already; None if the seat's model is to be asked."""
        try:
            given = self._environment.given(prompt)
            if not (given is None or isinstance(given, str)):
                raise UsageError(
                    f"the scenario {self._settings.scenario} gave {given!r} as an answer; an answer is a text"
                )
            return given
        except Exception as fault:
            raise self._end_for(fault, "synthesizer") from fault

    def _sampling(self, prompt: Prompt) -> Sampling:
        longest = self._settings.max_tokens if prompt.max_tokens is None else prompt.max_tokens
        if longest not in self._samplings:
            seed = self._settings.seed + self._key.epoch - 1
            self._samplings[longest] = Sampling(self._settings.temperature, longest, seed)
        return self._samplings[longest]

    async def _judge(self, prompt: Prompt, answer: str) -> Judgement:
        try:
            judgement = await self._environment.score(prompt, answer, self._past)
            self._check_scores(judgement)
            return judgement
        except (CallDeniedError, StoreError):
            raise
        except Exception as fault:
            raise self._end_for(fault, "judge") from fault

    def _check_scores(self, judgement: Judgement) -> None:
        """Refuse numbers that the store could not hold."""
        for score in judgement.scores:
            if score.value is not None and not isfinite(score.value):
                raise UsageError(
                    f"the scenario {self._settings.scenario} scored “{score.name}” with {score.value}; a score is a "
                    "finite number, or None"
                )

    async def _write_verdicts(self, turn: int, judgement: Judgement) -> tuple[Spent, ...]:
        spent = self._account.take()
        await self._write(VerdictEntry(self._state.id, self._key.dialogue, turn, judgement, spent))
        return spent

    def _advance(
        self, prompt: Prompt, answer: AnsweredTurn, outcomes: tuple[bool, ...], notes: Mapping[str, Any]
    ) -> None:
        try:
            heard = self._environment.heard(prompt, answer.text)
        except Exception as fault:
            raise self._end_for(fault, "judge") from fault
        exchange = Exchange(self._context.packed(prompt), answer.text, heard, notes, answer.truncated)
        self._past.append(exchange)
        self._own[prompt.seat].append(exchange)
        if prompt.seat == "target":
            self._number += 1
            self._judged += bool(outcomes)
            self._patience = step(self._patience, self._settings.patience, outcomes)

    def _report_turn(self, seat: Seat, outcomes: tuple[bool, ...], seconds: float, spent: tuple[Spent, ...]) -> None:
        satisfied = all(outcomes) if outcomes else None
        self._context.observe(TurnStored(self._key, self._number, self._patience, satisfied, spent, seconds, seat))

    def _end_for(self, fault: Exception, role: Role) -> SessionEnd:
        return end_for(fault, role, self._key.model, scenario=self._settings.scenario)

    async def _end(self, end: SessionEnd) -> None:
        if end.is_final and not self._stop_others(end):
            await self._book_costs()  # the fault was reported once for all sessions; this one can be resumed
            return
        entry = EndEntry(self._state.id, end.ending, end.cause, end.reason)
        if end.blame is None:
            await self._book_costs()
            await self._write(entry)
        else:
            turn, spent = len(self._past) + 1, self._account.take()
            details = (turn, end.blame, end.cause, end.reason, spent)
            await self._write(FaultEntry(self._state.id, self._key.dialogue, *details), entry)
            self._context.observe(FaultMet(self._key, *details))
        self._context.observe(SessionEnded(self._key, self._number, self._patience, end.ending, end.cause, end.reason))

    async def _book_costs(self) -> None:
        """Store the cost of an incomplete turn, such as half of a panel's calls."""
        spent = self._account.take()
        settled = self._account.settled()
        if spent or settled:
            await self._write(*settled, CostEntry(self._state.id, self._key.dialogue, len(self._past) + 1, spent))

    async def _write(self, *entries: StoreEntry) -> None:
        """Make entries durable, and settle the calls whose cost they contain."""
        await self._context.write(*entries, *self._account.settled())

    def _stop_others(self, end: SessionEnd) -> bool:
        """Stop the model's sessions, or all if another role failed; False if already done."""
        is_target, shutdown = end.blame == "target", self._context.shutdown
        first = shutdown.stop_model(self._key.model) if is_target else shutdown.stop_all()
        if first:
            name = _NAMES.get(end.blame or "judge", "the judge")
            self._context.observe(ModelStopped(self._key.model if is_target else name, end.reason))
        return first


_NAMES: Mapping[str, str] = {"partner": "the partner", "context": "the context strategy's model"}


def judged_outcomes(judgement: Judgement) -> tuple[bool, ...]:
    return tuple(v.satisfied for v in judgement.verdicts if v.satisfied is not None)
