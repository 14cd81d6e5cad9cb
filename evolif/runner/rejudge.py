"""Judge a run's answers again with another judge: a new run from the old one's answers, and no model is asked.

What rules said is taken over, so that the judge alone makes the difference. Patience is counted anew: a session ends
earlier where the new judge is stricter, and is censored at its last answer where it would have gone on.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from evolif.errors import UsageError
from evolif.judging import CACHE_FILE, Judge, JudgeComparison, Judgement, SqliteJudgeCache, judge_turn, open_judge
from evolif.models import DEFAULT_RETRIES, ChatModel, ModelRef, RequestCache, as_list, spec_of
from evolif.runner.clients import ClientFactory, describe_judge
from evolif.runner.config import EvalConfig
from evolif.runner.events import (
    FaultMet,
    ModelStopped,
    Observer,
    RunStarted,
    SessionEnded,
    SessionKey,
    TurnStored,
    nobody,
)
from evolif.runner.metering import AllowAll, CallDeniedError, CallPolicy, Deny, open_account
from evolif.runner.records import (
    AnsweredTurn,
    AskedTurn,
    CostEntry,
    EndEntry,
    FaultEntry,
    SessionState,
    TurnEntry,
    TurnRecord,
)
from evolif.runner.run import Run, load_run, locked
from evolif.runner.session import end_for, step
from evolif.runner.settings import RunSettings, differences
from evolif.runner.shutdown import Shutdown, run_interruptibly, with_heartbeat
from evolif.runner.store import RunStore, StoreError, StoreWriter, WriteBatcher
from evolif.text import READING_RULES_VERSION
from evolif.types import Ending

# One conversation judged again: its stored answers turn by turn, with patience counted anew; nobody is asked them.

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
    keep: StoreWriter
    observe: Observer
    stopper: Shutdown


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
        except CallDeniedError as refusal:
            spent = self._account.take()  # the half of a panel's calls
            if spent:
                await self._stage.keep(CostEntry(self._state.id, self._key.dialogue, self._number + 1, spent))
            end = None if refusal.deny is None else self._stopped(refusal.deny)
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
            elif self._stage.stopper.all_stopped:
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

    def _stopped(self, stop: Deny) -> _End:
        """Cut as an evaluation is: it counts with the turns it has, and goes on where there is more budget."""
        return "censored" if self._number else None, stop.cause, stop.reason

    async def _faulty(self, fault: Exception) -> _End:
        over = end_for(fault, "judge", self._key.model)
        turn, spent = self._number + 1, self._account.take()
        told = FaultEntry(self._state.id, self._key.dialogue, turn, "judge", over.cause, over.reason, spent)
        await self._stage.keep(told)
        self._stage.observe(FaultMet(self._key, turn, "judge", over.cause, over.reason, spent))
        if over.is_final and self._stage.stopper.stop_all():
            self._stage.observe(ModelStopped("the judge", over.reason))
        return over.ending, over.cause, over.reason


def _outcomes(judgement: Judgement) -> tuple[bool, ...]:
    return tuple(v.satisfied for v in judgement.verdicts if v.satisfied is not None)


_SIDE_BY_SIDE = 64
"""Sessions judged at once; how many calls are under way is the judges' own limit."""


def rejudge(
    run: Path | str,
    judge: ModelRef | Sequence[ModelRef],
    out: Path | str,
    *,
    judge_rule: str = "mean",
    max_retries: int = DEFAULT_RETRIES,
    timeout: float | None = None,
    cache: RequestCache | None = None,
    gate: CallPolicy | None = None,
    observe: Observer | None = None,
    notify: Callable[[str], None] | None = None,
    on_stop: Callable[[], None] | None = None,
) -> Run:
    """Judge the answers of a run again, into a new run; the same call goes on with one that was broken off.

    Args:
        run: The run's directory; only read.
        judge: `none`, `lexical`, or models, which together are a panel.
        out: The new run's directory.
        judge_rule: How a panel comes to a verdict: `mean`, `majority` or `median`.
        max_retries: How often a request is repeated that may pass later.
        timeout: Seconds for one attempt.
        cache: Of requests, see `evolif.models.open_cache`; what it knows is not asked.
        gate: Asked before every call; a session that it stops is censored, and gone on with by a larger budget.
        observe: Told of every turn, fault and end.
        notify: Told in sentences what there is to say before the first call.
        on_stop: Told when Ctrl-C asked for a clean stop.

    Raises:
        UsageError: no run or one without an answer, other reading rules than this version's, a directory that holds
            another run, a missing key.
        OutsideError: the disk.
        KeyboardInterrupt: stopped; every verdict that was had is in the store.
    """
    panel = as_list(judge)
    judges = [spec_of(model) for model in panel]
    stopper = Shutdown()
    config = EvalConfig(max_retries=max_retries, timeout=timeout)
    make = ClientFactory(config, gate or AllowAll(), stopper, cache)
    say = notify or (lambda _: None)
    root = Path(out)
    with closing(RunStore.open(Path(run))) as source:
        settings = rejudged(source, judges, judge_rule)
        _see_answers(source, say)
        if root.resolve() == source.root.resolve():
            raise UsageError(f"{root} keeps its verdicts; judge its answers into another folder")
        clients = _opened(panel, make)
        with locked(root), closing(_target(root, settings)) as target:
            scores = SqliteJudgeCache(root / CACHE_FILE, source.root / CACHE_FILE)
            made = open_judge(judges, rule=judge_rule, opener=clients, cache=scores)
            journal = WriteBatcher(target)
            stage = ReplayStage(source, settings.patience, made, journal, observe or nobody, stopper)
            try:
                judging = with_heartbeat(_closing(stage, target, journal), stopper, stage.observe)
                run_interruptibly(judging, stopper, on_stop or (lambda: None))
            finally:
                if cache is not None:
                    cache.store.close()
                    say(cache.said())
    return load_run(root)


def agreement(old: Run, new: Run) -> JudgeComparison:
    """How far two runs' verdicts on the subjective groups agree, over the turns with the same answer in both."""
    counts = JudgeComparison()
    for model in (name for name in new.models if name in old.models):
        before = {(s.dialogue, s.epoch): turns for s, turns in old.transcripts(model)}
        for session, turns in new.transcripts(model):
            for first, second in zip(before.get((session.dialogue, session.epoch), ()), turns, strict=False):
                same = first.answer == second.answer and first.turn_hash == second.turn_hash
                if same and first.is_judged and second.is_judged:
                    counts.add(first.verdicts, second.verdicts, second.records)
    return counts


def rejudged(source: RunStore, judges: Sequence[str], rule: str) -> RunSettings:
    """The settings of a run whose answers another judge judges.

    Raises:
        UsageError: no such judge or rule, or answers that were read by other reading rules.
    """
    old = source.settings
    if old.reading_rules != READING_RULES_VERSION:
        raise UsageError(
            f"the answers of {source.root} were read by the reading rules {old.reading_rules}, and this version has "
            f"the rules {READING_RULES_VERSION}: more than the judge would change; evaluate into a new folder"
        )
    name, endpoints = describe_judge(judges, rule)
    return old.model_copy(update={"judge": name, "judge_endpoints": endpoints})


def _see_answers(source: RunStore, say: Callable[[str], None]) -> None:
    """Say of a run that was broken off what is missing.

    Raises:
        UsageError: it has no answer at all.
    """
    endings = source.endings()
    if next(source.used_turns(), None) is None:
        raise UsageError(f"{source.root} has no answer that could be judged; let `evolif evaluate` play it first")
    going_on = sum(number for (_, ending, cause), number in endings.items() if ending is None and not cause)
    if going_on:
        say(
            f"{source.root} was broken off: {going_on} of its {sum(endings.values())} sessions have not ended. What "
            "they have is judged; the command that began the run finishes it, and this one then goes on."
        )


def _opened(panel: Sequence[ModelRef], make: ClientFactory) -> Callable[[str], ChatModel]:
    """The judges' clients, made before anything is written, so that a missing key leaves no folder behind."""
    return {spec_of(model): make.judge(model) for model in panel if model not in ("none", "lexical")}.__getitem__


def _target(root: Path, settings: RunSettings) -> RunStore:
    if not RunStore.begun(root):
        return RunStore.create(root, settings)
    store = RunStore.open(root)
    different = differences(store.settings, settings)
    if different or store.settings.grown(settings) != store.settings:
        store.close()
        what = "; ".join(different) or "other models or dialogues"
        raise UsageError(f"{root} holds another run ({what}); choose another folder")
    return store


async def _play(stage: ReplayStage, target: RunStore) -> None:
    """Judge every session that has not ended in the new run.

    Raises:
        EvolifError: what no session could survive.
    """
    keys = [(SessionKey(s.model, s.dialogue, s.epoch), s.reason) for _, s in stage.source.sessions()]
    target.enrol(key for key, _ in keys)
    ended = {model: target.ended(model) for model in target.settings.models}
    left = [(key, reason) for key, reason in keys if (key.dialogue, key.epoch) not in ended[key.model]]
    whole = Counter(key.model for key, _ in keys)
    stage.observe(RunStarted(whole, whole - Counter(key.model for key, _ in left)))
    queue = iter(left)

    async def work() -> None:
        for key, reason in queue:
            if stage.stopper.all_stopped:
                return
            await SessionReplay(stage, key, reason, target.state(key)).play()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(_SIDE_BY_SIDE, len(left))):
                group.create_task(work())
    except BaseExceptionGroup as faults:
        raise faults.exceptions[0] from None


async def _closing(stage: ReplayStage, target: RunStore, journal: WriteBatcher) -> None:
    try:
        await _play(stage, target)
    finally:
        try:
            journal.close()
        finally:
            if stage.judge is not None:
                await stage.judge.aclose()
