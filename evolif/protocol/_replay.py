"""One conversation judged again: its stored answers turn by turn, with patience counted anew; nobody is asked them."""

from __future__ import annotations

from dataclasses import dataclass

from evolif._errors import UsageError
from evolif.domain import Ending
from evolif.judging import Judge, Judgement, judge_turn
from evolif.protocol._events import FaultMet, ModelStopped, Observer, SessionEnded, SessionKey, TurnStored
from evolif.protocol._outcome import over_of
from evolif.protocol._patience import step
from evolif.protocol._stopper import Stopper
from evolif.protocol._turnstile import NotAskedError, Stop, open_account
from evolif.protocol.store import (
    AnsweredTurn,
    AskedTurn,
    CostEntry,
    EndEntry,
    FaultEntry,
    Keep,
    RunStore,
    SessionState,
    StoreError,
    TurnEntry,
    TurnRecord,
)

ANSWERS_END = "answers end here"
"""Why a session is censored that the new judge would have let go on."""
BROKEN_OFF = "its run was broken off here; finish that run, and judge again"
"""Why a session is suspended that has not ended in the source."""

_End = tuple[Ending | None, str, str]
"""Ending, cause, reason."""


@dataclass(frozen=True, slots=True)
class ReplayStage:
    """What all sessions of a rejudging share."""

    source: RunStore
    """Where the answers are; only read."""
    patience: int
    judge: Judge | None
    keep: Keep
    observe: Observer
    stopper: Stopper


class SessionReplay:
    """Judges one session from where the new run left it.

    Args:
        stage: What all share.
        key: Which conversation.
        reason: Why it ended in the source.
        state: What the new run has of it.
    """

    def __init__(self, stage: ReplayStage, key: SessionKey, reason: str, state: SessionState) -> None:
        self._stage = stage
        self._key = key
        self._reason = reason
        self._state = state
        self._account = open_account(key)
        self._patience = stage.patience
        self._number = 0

    async def play(self) -> None:
        """Judge what is left, until patience is exhausted or the answers end.

        Raises:
            StoreError: nothing can be stored any more.
            UsageError: the new run holds other answers than the source.
        """
        try:
            end = await self._turns()
        except (StoreError, UsageError):
            raise
        except NotAskedError as refusal:
            spent = self._account.take()  # the half of a panel's calls
            if spent:
                await self._stage.keep(CostEntry(self._state.id, self._key.dialogue, self._number + 1, spent))
            end = None if refusal.stop is None else self._stopped(refusal.stop)
        except Exception as fault:
            end = await self._faulty(fault)
        if end is not None:
            await self._stage.keep(EndEntry(self._state.id, *end))
            self._stage.observe(SessionEnded(self._key, self._number, self._patience, *end))

    async def _turns(self) -> _End | None:
        """The session's end; None where the run is being stopped."""
        source, known = self._stage.source.state(self._key), self._state.records
        for position, record in enumerate(source.records):
            if self._patience <= 0:
                break
            if position < len(known):
                if (known[position].turn_hash, known[position].answer) != (record.turn_hash, record.answer):
                    raise UsageError("the folder holds verdicts on the answers of another run; choose another folder")
                judged = known[position].judged.judged
                self._count(judged)
            elif self._stage.stopper.everybody:
                return None
            else:
                await self._again(record)
        return self._end_of(source)

    async def _again(self, record: TurnRecord) -> None:
        facts = self._stage.source.asked(self._key.dialogue, record.turn)
        stored = record.verdicts if record.is_judged else None
        judgement = await judge_turn(facts.constraints, record.answer, self._stage.judge, stored=stored)
        asked = AskedTurn(record.turn_hash, facts)
        answer = AnsweredTurn(record.answer, record.reasoning, record.truncated, record.served_by, record.seconds)
        spent = self._account.take()
        await self._stage.keep(TurnEntry(self._state.id, asked, answer, judgement, spent))
        judged = _outcomes(judgement)
        self._count(judged)
        satisfied = all(judged) if judged else None
        self._stage.observe(TurnStored(self._key, self._number, self._patience, satisfied, spent))

    def _count(self, judged: tuple[bool, ...]) -> None:
        self._number += 1
        self._patience = step(self._patience, self._stage.patience, judged)

    def _end_of(self, source: SessionState) -> _End:
        if self._patience <= 0:
            return "finished", "patience", "patience exhausted"
        if source.ending == "finished":
            return "censored", "answers", ANSWERS_END
        if source.ending is None and not source.cause:
            return "suspended", "answers", BROKEN_OFF
        if source.cause == "judge":  # whose fault it was; the conversation itself could go on
            return "suspended", "answers", ANSWERS_END
        return source.ending, source.cause, self._reason

    def _stopped(self, stop: Stop) -> _End:
        """Cut as an evaluation is: it counts with the turns it has, and goes on where there is more budget."""
        return "censored" if self._number else None, stop.cause, stop.reason

    async def _faulty(self, fault: Exception) -> _End:
        over = over_of(fault, "judge", self._key.model)
        turn, spent = self._number + 1, self._account.take()
        told = FaultEntry(self._state.id, self._key.dialogue, turn, "judge", over.cause, over.reason, spent)
        await self._stage.keep(told)
        self._stage.observe(FaultMet(self._key, turn, "judge", over.cause, over.reason, spent))
        if over.bars and self._stage.stopper.bar_everybody():
            self._stage.observe(ModelStopped("the judge", over.reason))
        return over.ending, over.cause, over.reason


def _outcomes(judgement: Judgement) -> tuple[bool, ...]:
    return tuple(v.satisfied for v in judgement.verdicts if v.satisfied is not None)
