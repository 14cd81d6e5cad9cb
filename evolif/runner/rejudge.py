"""Judge a run's answers again with another judge, into a new run; no model under test is called.

The verdicts of rules are kept, so that only the judge makes a difference. Patience is recounted: a session ends earlier
if the new judge is stricter, and is censored at its last answer if it would have continued.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from evolif.config import EvalConfig
from evolif.errors import UsageError
from evolif.instructions import judge_turn, requirements_of
from evolif.judging import CACHE_FILE, Judge, JudgeComparison, SqliteJudgeCache, open_judge
from evolif.models import DEFAULT_RETRIES, ModelRef, RequestCache, as_list, spec_of
from evolif.runner.clients import ClientFactory, describe_judge
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
from evolif.runner.metering import AllowAll, CallDeniedError, CallPolicy, open_account
from evolif.runner.records import AnsweredTurn, CostEntry, EndEntry, FaultEntry, SessionState, TurnEntry, TurnRecord
from evolif.runner.run import Run, load_run, locked
from evolif.runner.session import end_for, judged_outcomes, step
from evolif.runner.settings import RunSettings, differences
from evolif.runner.shutdown import Shutdown, run_interruptibly, with_heartbeat
from evolif.runner.store import RunStore, StoreError, StoreWriter, WriteBatcher
from evolif.text import READING_RULES_VERSION
from evolif.types import Ending, Role

_SESSIONS = 64
"""Sessions judged side by side; how many calls are in flight is up to the judges' limits."""
_ANSWERS_END = "answers end here"
"""The reason of a session that ends with its answers: the new judge would have let it continue."""
_UNFINISHED = "its run was broken off here; finish that run, and judge again"
"""The reason of a session that has not ended in the source."""

_End = tuple[Ending | None, str, str]
"""Ending, cause, reason."""


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
    """Judge the answers of a run again, into a new run; the same call resumes an interrupted one.

    Args:
        run: The run's directory; only read.
        judge: `none`, `lexical`, or models, which together are a panel.
        out: The new run's directory.
        judge_rule: How a panel reaches a verdict: `mean`, `majority` or `median`.
        max_retries: Repeats of a request that may succeed later.
        timeout: Seconds for one attempt.
        cache: Replies of earlier requests, see `evolif.models.open_cache`.
        gate: Decides on every call; a session whose call it denies is censored, and resumed with a larger budget.
        observe: Called with every turn, fault and end.
        notify: Called with sentences for the user before the first call.
        on_stop: Called when Ctrl-C requests a clean stop.

    Raises:
        UsageError: no run or one without an answer, other reading rules than this version's, a directory that holds
            another run, a missing key.
        OutsideError: the disk.
        KeyboardInterrupt: stopped; every verdict so far is stored.
    """
    panel = as_list(judge)
    judges = [spec_of(model) for model in panel]
    shutdown = Shutdown()
    config = EvalConfig(max_retries=max_retries, timeout=timeout)
    factory = ClientFactory(config, gate or AllowAll(), shutdown, cache)
    notify = notify or (lambda _: None)
    root = Path(out)
    with closing(RunStore.open(Path(run))) as source:
        settings = rejudged(source, judges, judge_rule)
        _check_answers(source, notify)
        if root.resolve() == source.root.resolve():
            raise UsageError(f"{root} keeps its verdicts; judge its answers into another folder")
        # Opened before anything is written, so that a missing key leaves no folder behind.
        clients = {spec_of(model): factory.judge(model) for model in panel if model not in ("none", "lexical")}
        with locked(root), closing(_open_target(root, settings)) as target:
            scores = SqliteJudgeCache(root / CACHE_FILE, source.root / CACHE_FILE)
            opened = open_judge(judges, rule=judge_rule, opener=clients.__getitem__, cache=scores)
            batcher = WriteBatcher(target)
            context = ReplayContext(source, settings.patience, opened, batcher, observe or nobody, shutdown)

            async def main() -> None:
                try:
                    await _play(context, target)
                finally:
                    try:
                        batcher.close()
                    finally:
                        if opened is not None:
                            await opened.aclose()

            try:
                run_interruptibly(
                    with_heartbeat(main(), shutdown, context.observe), shutdown, on_stop or (lambda: None)
                )
            finally:
                if cache is not None:
                    cache.store.close()
                    notify(cache.summary())
    return load_run(root)


def agreement(old: Run, new: Run) -> JudgeComparison:
    """How well two runs agree on the subjective groups, over turns with the same answer in both."""
    counts = JudgeComparison()
    for model in (name for name in new.models if name in old.models):
        before = {(s.dialogue, s.epoch): turns for s, turns in old.transcripts(model)}
        for session, turns in new.transcripts(model):
            for first, second in zip(before.get((session.dialogue, session.epoch), ()), turns, strict=False):
                same = first.answer == second.answer and first.prompt.digest == second.prompt.digest
                if same and first.is_judged and second.is_judged:
                    counts.add(first.verdicts, second.verdicts, first.records, second.records)
    return counts


def rejudged(source: RunStore, judges: Sequence[str], rule: str) -> RunSettings:
    """The settings of a run after rejudging.

    Raises:
        UsageError: no such judge or rule, or the answers were read by other reading rules.
    """
    old = source.settings
    if old.reading_rules != READING_RULES_VERSION:
        raise UsageError(
            f"the answers of {source.root} were read by reading rules {old.reading_rules}, but this version has "
            f"the rules {READING_RULES_VERSION}: more than the judge would change, so evaluate into a new folder"
        )
    name, endpoints = describe_judge(judges, rule)
    return old.model_copy(update={"judge": name, "judge_endpoints": endpoints})


def _check_answers(source: RunStore, notify: Callable[[str], None]) -> None:
    """Refuse a run without answers; report what is missing in an interrupted one."""
    endings = source.endings()
    if next(source.used_turns(), None) is None:
        raise UsageError(f"{source.root} has no answers to judge; run `evolif evaluate` first")
    unfinished = sum(number for (_, ending, cause), number in endings.items() if ending is None and not cause)
    if unfinished:
        notify(
            f"{source.root} was interrupted: {unfinished} of its {sum(endings.values())} sessions have not ended. "
            "Their answers so far are judged; finish the run with its own command, then repeat this one to continue."
        )


def _open_target(root: Path, settings: RunSettings) -> RunStore:
    if not RunStore.begun(root):
        return RunStore.create(root, settings)
    store = RunStore.open(root)
    different = differences(store.settings, settings)
    if different or store.settings.grown(settings) != store.settings:
        store.close()
        what = "; ".join(different) or "other models or dialogues"
        raise UsageError(f"{root} contains another run ({what}); choose another folder")
    return store


async def _play(context: ReplayContext, target: RunStore) -> None:
    """Judge every session that has not ended in the new run."""
    keys = [(SessionKey(s.model, s.dialogue, s.epoch), s.reason) for _, s in context.source.sessions()]
    target.enrol(key for key, _ in keys)
    ended = {model: target.ended(model) for model in target.settings.models}
    left = [(key, reason) for key, reason in keys if (key.dialogue, key.epoch) not in ended[key.model]]
    total = Counter(key.model for key, _ in keys)
    context.observe(RunStarted(total, total - Counter(key.model for key, _ in left)))
    queue = iter(left)

    async def work() -> None:
        for key, reason in queue:
            if context.shutdown.all_stopped:
                return
            await SessionReplay(context, key, reason, target.state(key)).play()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(_SESSIONS, len(left))):
                group.create_task(work())
    except BaseExceptionGroup as faults:
        raise faults.exceptions[0] from None


@dataclass(frozen=True, slots=True)
class ReplayContext:
    """Shared data of all sessions of a rejudging."""

    source: RunStore
    """Contains the answers; read-only."""
    patience: int | None
    judge: Judge | None
    write: StoreWriter
    observe: Observer
    shutdown: Shutdown


class SessionReplay:
    """Judges the answers of one session, continuing from the new run's state.

    Args:
        context: What all sessions share.
        key: The session.
        reason: Why it ended in the source.
        state: The session in the new run.
    """

    def __init__(self, context: ReplayContext, key: SessionKey, reason: str, state: SessionState) -> None:
        self._context = context
        self._key = key
        self._reason = reason
        self._state = state
        self._account = open_account(key)
        self._patience = context.patience
        self._number = 0

    async def play(self) -> None:
        """Judge the remaining answers until patience is exhausted or none are left.

        Raises:
            StoreError: nothing can be stored any more.
            UsageError: the new run contains different answers than the source.
        """
        try:
            end = await self._judge_turns()
        except (StoreError, UsageError):
            raise
        except CallDeniedError as denied:
            spent = self._account.take()  # such as half of a panel's calls
            if spent:
                await self._context.write(CostEntry(self._state.id, self._key.dialogue, self._number + 1, spent))
            end = None
            if denied.deny is not None:  # censored as in an evaluation; resumed with a larger budget
                end = ("censored" if self._number else None, denied.deny.cause, denied.deny.reason)
        except Exception as fault:
            end = await self._report_fault(fault)
        if end is not None:
            await self._context.write(EndEntry(self._state.id, *end))
            self._context.observe(SessionEnded(self._key, self._number, self._patience, *end))

    async def _judge_turns(self) -> _End | None:
        """Returns the session's end; None if the run is being stopped."""
        source, known = self._context.source.state(self._key), self._state.records
        for position, record in enumerate(source.records):
            if self._patience == 0:
                break
            if position < len(known):
                if (known[position].prompt.digest, known[position].answer) != (record.prompt.digest, record.answer):
                    raise UsageError(
                        "the folder contains verdicts on the answers of another run; choose another folder"
                    )
                self._advance(known[position].judged.judged)
            elif self._context.shutdown.all_stopped:
                return None
            else:
                await self._judge_turn(record)
        return self._end(source)

    async def _judge_turn(self, record: TurnRecord) -> None:
        stored = record.verdicts if record.is_judged else None
        constraints = requirements_of(record.prompt).constraints
        judgement = await judge_turn(constraints, record.answer, self._context.judge, stored=stored)
        answer = AnsweredTurn(record.answer, record.reasoning, record.truncated, record.served_by, record.seconds)
        spent = self._account.take()
        await self._context.write(TurnEntry(self._state.id, record.prompt, answer, judgement, spent))
        judged = judged_outcomes(judgement)
        self._advance(judged)
        satisfied = all(judged) if judged else None
        self._context.observe(TurnStored(self._key, self._number, self._patience, satisfied, spent))

    def _advance(self, judged: tuple[bool, ...]) -> None:
        self._number += 1
        self._patience = step(self._patience, self._context.patience, judged)

    def _end(self, source: SessionState) -> _End:
        if self._patience == 0:
            return "finished", "patience", "patience exhausted"
        if source.ending == "finished":
            return "censored", "answers", _ANSWERS_END
        if source.ending is None and not source.cause:
            return "suspended", "answers", _UNFINISHED
        if source.cause == "judge":  # only its old judge failed
            return "suspended", "answers", _ANSWERS_END
        return source.ending, source.cause, self._reason

    async def _report_fault(self, fault: Exception) -> _End:
        end = end_for(fault, "judge", self._key.model)
        turn, spent = self._number + 1, self._account.take()
        role: Role = "judge"
        details = (turn, role, end.cause, end.reason, spent)
        await self._context.write(FaultEntry(self._state.id, self._key.dialogue, *details))
        self._context.observe(FaultMet(self._key, *details))
        if end.is_final and self._context.shutdown.stop_all():
            self._context.observe(ModelStopped("the judge", end.reason))
        return end.ending, end.cause, end.reason
