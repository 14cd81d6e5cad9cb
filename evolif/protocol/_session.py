"""One conversation of one model over one dialogue, until patience is exhausted (paper §3.3)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from evolif._errors import ContextOverflowError, EvolifError, InternalError, ModelError, WithheldError
from evolif.benchmark import turn_hash
from evolif.domain import Ending, Message, Turn
from evolif.models import ChatModel, ChatRequest, Reply, Sampling
from evolif.protocol._context import SYSTEM_PROMPT, ContextStrategy
from evolif.protocol._patience import remaining, step
from evolif.protocol._scenario import Scenario
from evolif.protocol.store import RunStore, TurnRecord


@dataclass(frozen=True, slots=True)
class SessionKey:
    """Which conversation."""

    model: str
    dialogue: int
    epoch: int


@dataclass(frozen=True, slots=True)
class Progress:
    """What an observer learns after every turn and at the end of a session."""

    key: SessionKey
    turn: int
    patience: int
    satisfied: bool | None
    """Whether the turn's judged constraints all hold; None where none was judged, or at the end."""
    ending: Ending | None = None
    reason: str = ""


Observer = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Stage:
    """What all sessions of a run share."""

    scenario: Scenario
    context: ContextStrategy
    store: RunStore
    observe: Observer
    should_stop: Callable[[], bool]


class SessionRunner:
    """Plays one session from where the store left it."""

    def __init__(self, stage: Stage, key: SessionKey, model: ChatModel) -> None:
        settings = stage.store.settings
        self._stage = stage
        self._key = key
        self._model = model
        self._settings = settings
        self._id = stage.store.session_id(key.model, key.dialogue, key.epoch)
        self._history: list[Message] = []
        self._number = 0
        self._patience = settings.patience
        self._sampling = Sampling(settings.temperature, settings.max_tokens, settings.seed + key.epoch - 1)

    async def play(self) -> None:
        """Ask turn after turn until the session ends or the run is asked to stop."""
        ending = self._stage.store.ending(self._id)
        self._recall()
        if ending not in (None, "suspended"):
            self._stage.observe(self._progress(None, ending))
            return
        while not self._finished():
            if self._stage.should_stop():
                return
            try:
                turn = await self._stage.scenario.next_turn(self._key.dialogue, self._number + 1)
            except (ModelError, InternalError) as fault:
                self._stop("suspended", type(fault).__name__, fault)
                return
            if turn is None:
                self._end("censored", "the dialogue cannot be extended")
                return
            if not await self._one(turn):
                return

    def _recall(self) -> None:
        """Take up the conversation where it stands in the store; no finished turn is asked again."""
        records = self._stage.store.turns(self._id)
        for record in records:
            self._remember(record.query, record.answer)
        self._number = len(records)
        self._patience = remaining(self._settings.patience, (record.judged.judged for record in records))

    def _finished(self) -> bool:
        if self._patience <= 0:
            self._end("finished", "patience exhausted")
            return True
        if self._number >= self._settings.max_turns:
            self._end("censored", f"the cap of {self._settings.max_turns} turns")
            return True
        return False

    async def _one(self, turn: Turn) -> bool:
        """Ask and judge one turn; False where the session cannot go on now."""
        number = self._number + 1
        depth = self._stage.scenario.depth(self._key.dialogue, number)
        system = SYSTEM_PROMPT if self._settings.system_prompt else ""
        messages = self._stage.context.messages(system, self._history, turn.query)
        started = time.monotonic()
        try:
            reply = await self._ask(ChatRequest(messages, self._sampling, turn=turn, depth=depth))
            judgement = self._stage.scenario.score(turn, reply.text)
        except ContextOverflowError as fault:
            return self._stop("censored", "context", fault)
        except WithheldError as fault:
            return self._stop("withheld", "content filter", fault)
        except (ModelError, InternalError) as fault:
            return self._stop("suspended", type(fault).__name__, fault)
        record = TurnRecord(
            turn=number,
            turn_hash=turn_hash(turn),
            move=turn.move,
            depth=depth,
            query=turn.query,
            answer=reply.text,
            reasoning=reply.reasoning,
            truncated=reply.truncated,
            verdicts=judgement.verdicts,
            heuristic=judgement.heuristic,
            usage=reply.usage,
            served_by=reply.served_by,
            seconds=round(time.monotonic() - started, 3),
        )
        self._stage.store.add_turn(self._id, record)
        self._remember(turn.query, reply.text)
        self._number = number
        judged = record.judged.judged
        self._patience = step(self._patience, self._settings.patience, judged)
        self._stage.observe(self._progress(all(judged) if judged else None, None))
        return True

    async def _ask(self, request: ChatRequest) -> Reply:
        """Ask the model; what its client should never raise suspends this session and not the whole run."""
        try:
            return await self._model.complete(request)
        except EvolifError:
            raise
        except Exception as fault:
            # Its text is not repeated: nobody has taken keys out of it.
            raise ModelError(f"{self._key.model}: its client failed unexpectedly ({type(fault).__name__})") from fault

    def _remember(self, query: str, answer: str) -> None:
        self._history += [Message("user", query), Message("assistant", answer)]

    def _stop(self, ending: Ending, kind: str, fault: Exception) -> bool:
        self._stage.store.add_fault(self._id, self._number + 1, kind, str(fault))
        self._end(ending, str(fault))
        return False

    def _end(self, ending: Ending, reason: str) -> None:
        self._stage.store.end(self._id, ending, reason)
        self._stage.observe(replace(self._progress(None, ending), reason=reason))

    def _progress(self, satisfied: bool | None, ending: Ending | None) -> Progress:
        return Progress(self._key, self._number, self._patience, satisfied, ending)
