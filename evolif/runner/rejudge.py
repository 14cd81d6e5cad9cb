"""Judge a run's answers again, into a new run: with another judge, or by another edition of the reading rules.

No model under test is called. With another judge the verdicts of rules are kept, by another edition those of the judge,
so that only the one makes a difference. Patience is recounted: a session ends earlier
if the new judge is stricter, and is censored at its last answer if it would have continued.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean

from evolif.config import EvalConfig
from evolif.contexts import FullHistory
from evolif.errors import InternalError, UsageError
from evolif.judging import CACHE_FILE, Judge, JudgeComparison, Judgement, SqliteJudgeCache, open_judge
from evolif.models import DEFAULT_RETRIES, LONGEST_WAIT, ChatRequest, ModelRef, Reply, RequestCache, as_list, spec_of
from evolif.runner.batcher import WriteBatcher
from evolif.runner.clients import ClientFactory, describe_judge
from evolif.runner.events import Observer, RunStarted, SessionKey, nobody
from evolif.runner.ledger import Ledger
from evolif.runner.live import LIVE, LiveObserver, with_pulse
from evolif.runner.metering import AllowAll, CallPolicy
from evolif.runner.records import SessionState, TurnRecord
from evolif.runner.run import Run, load_run, locked
from evolif.runner.scheduler import SessionScheduler, play_all
from evolif.runner.session import RunContext, Seats, SessionEnd, SessionRunner
from evolif.runner.settings import RunSettings, differences, has_panel
from evolif.runner.sharing import RedactedStore
from evolif.runner.shutdown import Shutdown, run_interruptibly, with_heartbeat
from evolif.runner.store import RunStore
from evolif.scenario import Environment, Services, get_scenario, options_of
from evolif.text import EDITIONS, known_editions
from evolif.types import End, Exchange, Prompt

_SESSIONS = 64
"""Sessions judged side by side; how many calls are in flight is up to the judges' limits."""
_ANSWERS_END = "answers end here"
"""The reason of a session that ends with its answers: the new judge would have let it continue."""
_UNFINISHED = "its run was broken off here; finish that run, and judge again"
"""The reason of a session that has not ended in the source."""


def rejudge(
    run: Path | str,
    judge: ModelRef | Sequence[ModelRef] | None,
    out: Path | str,
    *,
    rules: int | None = None,
    judge_rule: str = "mean",
    max_retries: int = DEFAULT_RETRIES,
    timeout: float | None = None,
    wait: float = LONGEST_WAIT,
    cache: RequestCache | None = None,
    gate: CallPolicy | None = None,
    observe: Observer | None = None,
    notify: Callable[[str], None] | None = None,
    on_stop: Callable[[], None] | None = None,
) -> Run:
    """Judge the answers of a run again, into a new run; the same call resumes an interrupted one.

    Args:
        run: The run's directory; only read.
        judge: `none`, `lexical`, or models, which together are a panel; None if only the reading rules change.
        out: The new run's directory.
        rules: The edition of the reading rules, where `judge` is None.
        judge_rule: How a panel reaches a verdict: `mean`, `majority` or `median`.
        max_retries: Repeats of a request that may succeed later.
        timeout: Seconds for one attempt.
        wait: Longest wait in seconds that an endpoint may ask for; beyond it, sessions are suspended.
        cache: Replies of earlier requests, see `evolif.models.open_cache`.
        gate: Decides on every call; a session whose call it denies is censored, and resumed with a larger budget.
        observe: Called with every turn, fault and end.
        notify: Called with sentences for the user before the first call.
        on_stop: Called when Ctrl-C requests a clean stop.

    Raises:
        UsageError: no run or one without an answer, a file that was edited, reading rules that this version does not
            have, a directory that holds another run, a missing key.
        OutsideError: the disk.
        KeyboardInterrupt: stopped; every verdict so far is stored.
    """
    panel = [] if judge is None else as_list(judge)
    judges = [spec_of(model) for model in panel]
    shutdown = Shutdown()
    config = EvalConfig(max_retries=max_retries, timeout=timeout, wait=wait)
    notify = notify or (lambda _: None)
    root = Path(out)
    with closing(RedactedStore.open(Path(run), migrate=False)) as source:
        settings = reread(source, rules) if judge is None else rejudged(source, judges, judge_rule)
        scenario = get_scenario(settings.scenario)
        factory = ClientFactory(config, gate or AllowAll(), shutdown, cache, scenario.name)
        options = options_of(scenario.play, settings.options, scenario.name)
        source.refuse_edits()
        _check_answers(source, notify)
        if root.resolve() == source.root.resolve():
            raise UsageError(f"{root} keeps its verdicts; judge its answers into another folder")
        # Opened before anything is written, so that a missing key leaves no folder behind.
        clients = {spec_of(model): factory.judge(model) for model in panel if model not in ("none", "lexical")}
        with locked(root), closing(_open_target(root, settings)) as target:
            target.refuse_edits()
            target.note_outline(source.outline())
            target.note_origin(source.origin())
            target.note_played(source.played())
            scores = SqliteJudgeCache(root / CACHE_FILE, source.root / CACHE_FILE)
            opened = open_judge(judges or ["none"], rule=judge_rule, opener=clients.__getitem__, cache=scores)
            target.lose_open_calls()
            batcher = WriteBatcher(target)
            environment = scenario.environment(None, options, _services(settings, opened))
            # A stored session ends where it ended, so the cap is not counted again; except where it did not count
            # turns without verdicts, which the new judge may fill.
            recount = source.settings.cap_counts == "judged"
            playing = settings if recount else settings.model_copy(update={"max_turns": sys.maxsize})
            live = LiveObserver(shutdown, observe or nobody, _mean_turns(source))
            context = RunContext(playing, environment, FullHistory(), batcher, live, shutdown, Ledger(batcher), True)

            async def main() -> None:
                try:
                    await _play(context, source, target, by_rules=judge is None)
                finally:
                    try:
                        batcher.close()
                    finally:
                        if opened is not None:
                            await opened.aclose()

            try:
                beating = with_heartbeat(main(), shutdown, live)
                told = with_pulse(beating, live, partial(target.note, LIVE))
                run_interruptibly(told, shutdown, on_stop or (lambda: None))
            finally:
                if cache is not None:
                    cache.store.close()
                    notify(cache.summary())
    return load_run(root)


def _services(settings: RunSettings, judge: Judge | None) -> Services:
    """For the environment that judges stored answers."""
    rules = settings.reading_rules
    return Services(judge=judge, relevance=settings.gate, reading_rules=rules, feedback=settings.feedback)


def _mean_turns(source: RunStore) -> float | None:
    """Stored turns of a session, for the time left."""
    lengths = [sum(turn.seat == "target" for turn in session.turns) for _, session in source.sessions(unbegun=False)]
    return fmean(lengths) if lengths else None


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
        UsageError: no such judge or rule, the answers were read by other reading rules, or nobody decides on relevance.
    """
    old = source.settings
    if old.reading_rules not in EDITIONS:
        raise UsageError(
            f"the answers of {source.root} were read by reading rules {old.reading_rules}, but this version has "
            f"the rules {known_editions()}: more than the judge would change, so evaluate into a new folder"
        )
    name, endpoints = describe_judge(judges, rule)
    gate = old.gate
    if gate is not None and gate.by == "judge" and not endpoints:
        raise UsageError(f"in {source.root} the judge also decides on relevance: rejudge it with --judge PROVIDER/NAME")
    counts = "turns" if has_panel(name) else old.cap_counts  # a panel leaves nothing unjudged
    return old.model_copy(update={"judge": name, "judge_endpoints": endpoints, "cap_counts": counts})


def reread(source: RunStore, rules: int | None) -> RunSettings:
    """The settings of a run after its answers are read by an edition of the reading rules.

    Raises:
        UsageError: there is no such edition, or the person reacted to what other rules found.
    """
    if rules not in EDITIONS:
        raise UsageError(f"there are no reading rules {rules}; this version has the rules {known_editions()}")
    if source.settings.feedback != "none" and rules != source.settings.reading_rules:
        raise UsageError(
            f"in {source.root} the person reacted to what reading rules {source.settings.reading_rules} found "
            f"(--feedback {source.settings.feedback}), so that other rules would have asked other questions; evaluate "
            "into a new folder"
        )
    return source.settings.model_copy(update={"reading_rules": rules})


def _check_answers(source: RunStore, notify: Callable[[str], None]) -> None:
    """Refuse a run without answers; report what is missing in an interrupted one."""
    endings = source.endings()
    if not source.used_dialogues():
        raise UsageError(f"{source.root} has no answers to judge; run `evolif evaluate` first")
    withheld = source.withheld()
    if withheld:
        raise UsageError(
            f"{withheld} answers of {source.root} were left out when it was exported; import an export with "
            "--with-witness, or judge the run that it is from"
        )
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


async def _play(context: RunContext, source: RunStore, target: RunStore, *, by_rules: bool) -> None:
    """Play every session that has not ended in the new run, with a player that says its stored answers."""
    reasons = {SessionKey(s.model, s.dialogue, s.epoch): s.reason for _, s in source.sessions()}
    target.enrol(reasons)
    ended = {model: target.ended(model) for model in target.settings.models}
    left = {
        model: [key for key in reasons if key.model == model and (key.dialogue, key.epoch) not in ended[model]]
        for model in target.settings.models
    }
    total = Counter(key.model for key in reasons)
    context.observe(RunStarted(total, {model: total[model] - len(keys) for model, keys in left.items()}))
    limits = dict.fromkeys(left, _SESSIONS)
    scheduler = SessionScheduler({model: iter(keys) for model, keys in left.items()}, limits, _SESSIONS)

    async def play(key: SessionKey) -> None:
        stored, known = source.state(key), target.state(key)
        _refuse_others(stored, known)
        replayed = StoredSession(context.environment, stored, reasons[key], by_rules=by_rules)
        await SessionRunner(replace(context, environment=replayed), key, replayed.seats, known).play()

    await play_all(context, scheduler, play)


def _refuse_others(stored: SessionState, known: SessionState) -> None:
    """Refuse a folder with judgements on other answers."""
    for record, other in zip(stored.records, known.records, strict=False):
        if (record.prompt.digest, record.answer) != (other.prompt.digest, other.answer):
            raise UsageError("the folder contains verdicts on the answers of another run; choose another folder")


class StoredSession(Environment):
    """A session as another run stored it: its prompts, its answers, and its end.

    Args:
        environment: Scores the answers.
        state: The session.
        reason: Why it ended.
        by_rules: Whether the verdicts of rules are reached anew, instead of the judge's.
    """

    def __init__(self, environment: Environment, state: SessionState, reason: str, *, by_rules: bool = False) -> None:
        self._by_rules = by_rules
        self._environment = environment
        self._state = state
        self._reason = reason
        self._records = {record.turn: record for record in state.records}
        self.seats: Seats = dict.fromkeys(("target", "partner"), _StoredAnswers(self._records))
        """A player that says the stored answers, in every seat."""

    async def prompt(self, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        """The prompt that was stored next."""
        if len(past) < len(self._state.records):
            return self._state.records[len(past)].prompt
        state = self._state
        if state.ending == "finished" and state.cause in ("patience", ""):
            return End("censored", "answers", _ANSWERS_END)
        if state.ending is None and not state.cause:
            raise SessionEnd("suspended", "answers", _UNFINISHED)
        if state.cause == "judge":  # only its old judge failed
            raise SessionEnd("suspended", "answers", _ANSWERS_END)
        raise SessionEnd(state.ending, state.cause, self._reason)

    def heard(self, prompt: Prompt, answer: str) -> str:
        return self._environment.heard(prompt, answer)

    def asks_a_judge(self, prompt: Prompt) -> bool:
        return self._environment.asks_a_judge(prompt)

    async def score(
        self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Judgement | None = None
    ) -> Judgement:
        """By the judge, and what rules found is kept; or the other way round."""
        if self._by_rules:
            return _joined(self._records[prompt.turn].judgement, await self._environment.score(prompt, answer, past))
        return await self._environment.score(prompt, answer, past, stored or self._records[prompt.turn].judgement)


def _joined(stored: Judgement | None, now: Judgement) -> Judgement:
    """What rules find now, and what only a judge could find before."""
    if stored is None:
        return now
    verdicts = dict(enumerate(stored.verdicts)) | {n: v for n, v in enumerate(now.verdicts) if v.satisfied is not None}
    scores = dict(enumerate(stored.scores)) | {n: s for n, s in enumerate(now.scores) if s.value is not None}
    return replace(stored, verdicts=tuple(verdicts.values()), scores=tuple(scores.values()))


class _StoredAnswers:
    """Says what was answered before; implements `ChatModel`."""

    name = "stored"
    connections = _SESSIONS

    def __init__(self, records: Mapping[int, TurnRecord]) -> None:
        self._records = records

    async def complete(self, request: ChatRequest) -> Reply:
        """The stored answer to the prompt."""
        if request.prompt is None:
            raise InternalError("a stored answer needs a prompt")
        record = self._records[request.prompt.turn]
        return Reply(
            record.answer,
            reasoning=record.reasoning,
            truncated=record.truncated,
            served_by=record.served_by,
            seconds=record.seconds,
        )

    async def aclose(self) -> None:
        """Nothing to release."""
