"""One conversation of one model over one dialogue, until patience is exhausted (paper §3.3).

A turn is one step: asked, answered, judged, made durable; only then comes the next. Whatever fails on the way ends this
session and no other, and costs no patience.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evolif.errors import AccessError, ContextOverflowError, EvolifError, InternalError, ModelError, WithheldError
from evolif.instructions import turn_hash
from evolif.judging import Judgement
from evolif.models import ChatModel, ChatRequest, Sampling
from evolif.runner.events import (
    FaultMet,
    ModelStopped,
    Observer,
    Role,
    SessionEnded,
    SessionKey,
    SessionStarted,
    Spent,
    TurnStored,
)
from evolif.runner.journal import StoreError, StoreWriter
from evolif.runner.metering import CallDeniedError, open_account
from evolif.runner.records import (
    AnsweredTurn,
    AskedTurn,
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
from evolif.types import Ending, Message, Turn, TurnFacts

# From what failed to how a session ends (protocol page, How a session ends). A fault never touches patience.


class SessionEnd(Exception):
    """A session goes no further now.

    Args:
        ending: How it ended; None where it was kept from beginning.
        cause: One or two words, see `SessionEnded`.
        reason: A sentence.
        blame: Who failed, where a fault is to be kept.
        fault: What failed.
    """

    def __init__(
        self,
        ending: Ending | None,
        cause: str,
        reason: str,
        blame: Role | None = None,
        fault: Exception | None = None,
    ) -> None:
        super().__init__(reason)
        self.ending = ending
        self.cause = cause
        self.reason = reason
        self.blame = blame
        self.fault = fault

    @property
    def bars(self) -> bool:
        """Whether every further call of the one who failed would fail the same."""
        return isinstance(self.fault, AccessError) or isinstance(getattr(self.fault, "__cause__", None), AccessError)


def over_of(fault: Exception, role: Role, model: str) -> SessionEnd:
    """How a session ends that met a fault.

    Args:
        fault: What was raised.
        role: Who was at it.
        model: The model under test.
    """
    if role == "target":
        if isinstance(fault, ContextOverflowError):
            return SessionEnd("censored", "context", str(fault), role, fault)
        if isinstance(fault, WithheldError):
            return SessionEnd("withheld", "content filter", str(fault), role, fault)
    if isinstance(fault, EvolifError):
        return SessionEnd("suspended", _cause(fault, role), str(fault), role, fault)
    # Its text is not repeated: nobody has taken keys out of it.
    if role == "target":
        return SessionEnd(
            "suspended", "provider", f"{model}: its client failed unexpectedly ({type(fault).__name__})", role
        )
    return SessionEnd("suspended", "internal", f"an unforeseen {type(fault).__name__} of this program", role)


def _cause(fault: EvolifError, role: Role) -> str:
    if isinstance(fault, InternalError):
        return "internal"
    if isinstance(fault, ModelError):
        if role != "target":
            return role
        return "access" if isinstance(fault, AccessError) else "provider"
    return "benchmark" if role == "synthesizer" else "internal"


# Patience: what a simulated user has left (paper §3.3).


def step(patience: int, maximum: int, judged: Iterable[bool]) -> int:
    """Patience after a turn: restored when every judged constraint holds, else one less; kept when none was judged."""
    verdicts = tuple(judged)
    if not verdicts:
        return patience
    return maximum if all(verdicts) else patience - 1


def remaining(maximum: int, turns: Iterable[Iterable[bool]]) -> int:
    """Patience after a whole conversation."""
    patience = maximum
    for judged in turns:
        patience = step(patience, maximum, judged)
    return patience


@dataclass(frozen=True, slots=True)
class RunContext:
    """What all sessions of a run share."""

    settings: RunSettings
    scenario: Scenario
    context: ContextStrategy
    keep: StoreWriter
    observe: Observer
    stopper: Shutdown


class SessionRunner:
    """Plays one session from where the store left it."""

    def __init__(self, stage: RunContext, key: SessionKey, model: ChatModel, state: SessionState) -> None:
        settings = stage.settings
        self._stage = stage
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
        """Ask turn after turn until the session ends or the run is asked to stop.

        Raises:
            StoreError: nothing can be stored any more.
        """
        self._stage.observe(SessionStarted(self._key, len(self._state.records)))
        try:
            await self._play()
        except SessionEnd as over:
            await self._end(over)
        except CallDeniedError as refusal:
            if refusal.deny is None:
                await self._pay()
            else:
                await self._end(
                    SessionEnd("censored" if self._number else None, refusal.deny.cause, refusal.deny.reason)
                )
        except StoreError:
            raise
        except Exception as fault:  # a row that the store does not take, or a mistake of ours: this session's alone
            await self._end(over_of(fault, "runner", self._key.model))

    async def _play(self) -> None:
        if self._state.ending is not None or self._state.cause:
            await self._stage.keep(EndEntry(self._state.id, None))
        await self._recall(self._state.records)
        while True:
            self._see_the_end()
            if self._stage.stopper(self._key.model):
                return
            turn = await self._next(self._number + 1)
            if self._stage.stopper(self._key.model):
                return
            await self._one(turn)

    async def _recall(self, records: Sequence[TurnRecord]) -> None:
        """Take up the conversation where it stands; no answered turn is asked again, an unjudged one is judged."""
        for record in records:
            judged = record.judged.judged
            self._topics[record.topic] += 1
            spent: tuple[Spent, ...] = ()
            if not record.is_judged:
                judgement = await self._judged(await self._next(record.turn), record.answer)
                spent = await self._keep_verdicts(record.turn, judgement)
                judged = _outcomes(judgement)
            self._remember(record.query, record.answer, judged)
            if not record.is_judged:
                self._tell(judged, record.seconds, spent)
            if self._patience <= 0:
                return  # what a larger patience had answered beyond this does not count

    def _see_the_end(self) -> None:
        if self._patience <= 0:
            raise SessionEnd("finished", "patience", "patience exhausted")
        if self._number >= self._settings.max_turns:
            raise SessionEnd("censored", "cap", f"the cap of {self._settings.max_turns} turns")

    async def _next(self, number: int) -> Turn:
        try:
            turn = await self._stage.scenario.next_turn(self._key.dialogue, number)
        except CallDeniedError:
            raise
        except Exception as fault:
            raise over_of(fault, "synthesizer", self._key.model) from fault
        if turn is None:
            raise SessionEnd("censored", "benchmark", "the dialogue cannot be extended")
        return turn

    async def _one(self, turn: Turn) -> None:
        """Ask and judge one turn; once an answer is there, it is kept whatever follows."""
        self._topics[turn.topic.id] += 1
        depth = self._topics[turn.topic.id]
        answer = await self._answered(turn, depth)
        facts = TurnFacts(
            dialogue=self._key.dialogue,
            turn=self._number + 1,
            move=turn.move,
            depth=depth,
            topic=turn.topic.id,
            query=turn.query,
            constraints=turn.constraints,
            operation=turn.operation.kind,
            source=turn.source,
            register=turn.persona.register,
            witness=turn.witness,
        )
        asked = AskedTurn(turn_hash(turn), facts)
        spent = self._account.take()
        unjudged = TurnEntry(self._state.id, asked, answer, None, spent)
        if self._stage.scenario.asks_a_judge(turn):
            await self._stage.keep(unjudged)
            judgement = await self._judged(turn, answer.text)
            spent += await self._keep_verdicts(facts.turn, judgement)
        else:
            try:
                judgement = await self._judged(turn, answer.text)
            except SessionEnd:
                await self._stage.keep(unjudged)
                raise
            await self._stage.keep(TurnEntry(self._state.id, asked, answer, judgement, spent))
        self._remember(turn.query, answer.text, _outcomes(judgement))
        self._tell(_outcomes(judgement), answer.seconds, spent)

    async def _answered(self, turn: Turn, depth: int) -> AnsweredTurn:
        system = SYSTEM_PROMPT if self._settings.system_prompt else ""
        messages = self._stage.context.messages(system, self._history, turn.query)
        started = time.monotonic()
        try:
            reply = await self._model.complete(ChatRequest(messages, self._sampling, turn=turn, depth=depth))
        except CallDeniedError:
            raise
        except Exception as fault:
            raise over_of(fault, "target", self._key.model) from fault
        seconds = round(time.monotonic() - started, 3)
        return AnsweredTurn(reply.text, reply.reasoning, reply.truncated, reply.served_by, seconds)

    async def _judged(self, turn: Turn, answer: str) -> Judgement:
        try:
            return await self._stage.scenario.score(turn, answer)
        except CallDeniedError:
            raise
        except Exception as fault:
            raise over_of(fault, "judge", self._key.model) from fault

    async def _keep_verdicts(self, turn: int, judgement: Judgement) -> tuple[Spent, ...]:
        spent = self._account.take()
        await self._stage.keep(VerdictEntry(self._state.id, self._key.dialogue, turn, judgement, spent))
        return spent

    def _remember(self, query: str, answer: str, judged: tuple[bool, ...]) -> None:
        self._history += [Message("user", query), Message("assistant", answer)]
        self._number += 1
        self._patience = step(self._patience, self._settings.patience, judged)

    def _tell(self, judged: tuple[bool, ...], seconds: float, spent: tuple[Spent, ...]) -> None:
        satisfied = all(judged) if judged else None
        self._stage.observe(TurnStored(self._key, self._number, self._patience, satisfied, spent, seconds))

    async def _end(self, over: SessionEnd) -> None:
        if over.bars and not self._bar(over):
            await self._pay()  # its fault has been told once for all sessions; this one is as if it had not been asked
            return
        stage, session, turn = self._stage, self._state.id, self._number + 1
        end = EndEntry(session, over.ending, over.cause, over.reason)
        if over.blame is None:
            await self._pay()
            await stage.keep(end)
        else:
            spent = self._account.take()
            fault = FaultEntry(session, self._key.dialogue, turn, over.blame, over.cause, over.reason, spent)
            await stage.keep(fault, end)
            stage.observe(FaultMet(self._key, turn, over.blame, over.cause, over.reason, spent))
        stage.observe(SessionEnded(self._key, self._number, self._patience, over.ending, over.cause, over.reason))

    async def _pay(self) -> None:
        """Write down what was spent on a turn that did not come about, such as the half of a panel's calls."""
        spent = self._account.take()
        if spent:
            await self._stage.keep(CostEntry(self._state.id, self._key.dialogue, self._number + 1, spent))

    def _bar(self, over: SessionEnd) -> bool:
        """Stop whom the fault concerns: the model's sessions, or all where their judge is gone; True if it is news."""
        mine = over.blame == "target"
        news = self._stage.stopper.bar(self._key.model) if mine else self._stage.stopper.bar_everybody()
        if news:
            self._stage.observe(ModelStopped(self._key.model if mine else "the judge", over.reason))
        return news


def _outcomes(judgement: Judgement) -> tuple[bool, ...]:
    return tuple(v.satisfied for v in judgement.verdicts if v.satisfied is not None)
