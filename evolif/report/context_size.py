"""How much of the conversation the calls of a model were shown, in context tokens, and what choosing it cost."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from evolif.contexts import FullHistory, OwnCost, context_tokens, tokenizer_name
from evolif.metrics import Cluster, Interval, clusters_of
from evolif.metrics.intervals import ratio_interval
from evolif.runner import EarlyEnd, Run, TurnRecord
from evolif.scenario import Benchmark, Environment, Services, blaming, get_scenario, options_of
from evolif.types import Exchange, Message

_QUERY = Message("user", "")
"""Stands where `context_tokens` expects the query, which it does not count."""
ROUNDS = "rounds"
"""The label of prompts that says how many rounds the dialogue has; dialogues of one number are a class."""


@dataclass(frozen=True, slots=True)
class ContextTurn:
    """What one call was shown.

    Attributes:
        tokens: Besides its query, in tokens.
        own: What the strategy itself took.
    """

    tokens: int
    own: OwnCost = field(default_factory=OwnCost)


@dataclass(frozen=True, slots=True)
class ContextSession:
    """The calls of one session in the figures.

    Attributes:
        dialogue: Its number.
        rounds: The class of the dialogue, from the label `rounds`; None where there is none.
        turns: Those of the model under test.
        cluster: What it is resampled with.
    """

    dialogue: int
    rounds: int | None
    turns: tuple[ContextTurn, ...]
    cluster: Cluster


@dataclass(frozen=True, slots=True)
class TokenMean:
    """Tokens a turn, all turns pooled, with its 95 % interval over clusters."""

    value: float
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class ContextClass:
    """Tokens a turn, over dialogues of one number of rounds.

    Attributes:
        turns: How many were counted.
        context: Tokens that a call was shown besides its query (ACT).
        total: The same with the tokens of the strategy's own calls.
    """

    turns: int
    context: TokenMean
    total: TokenMean


@dataclass(frozen=True, slots=True)
class ContextSize:
    """Context tokens of one model.

    Attributes:
        sessions: What the figures are made of.
        tokenizer: What counted the tokens.
        has_system: Whether the system text is among them.
    """

    sessions: tuple[ContextSession, ...]
    tokenizer: str
    has_system: bool

    @property
    def mean(self) -> float:
        """Tokens that a call was shown besides its query, mean over turns."""
        return self.all.context.value

    @property
    def turns(self) -> int:
        """Turns that were counted, of sessions in the figures."""
        return sum(len(session.turns) for session in self.sessions)

    @property
    def own(self) -> OwnCost:
        """What the strategy itself took, over all turns."""
        return sum((turn.own for session in self.sessions for turn in session.turns), OwnCost())

    @property
    def all(self) -> ContextClass:
        """Over all dialogues."""
        return _class(self.sessions)

    @property
    def by_rounds(self) -> Mapping[int, ContextClass]:
        """By the number of rounds of the dialogue, ascending; empty where dialogues have no such class."""
        found: defaultdict[int, list[ContextSession]] = defaultdict(list)
        for session in self.sessions:
            if session.rounds is not None:
                found[session.rounds].append(session)
        return {rounds: _class(found[rounds]) for rounds in sorted(found)}

    def with_system(self, other: ContextSize) -> ContextSize:
        """The same with the system text, as far as the other knows it.

        A run under `full` stores no system text, and every other strategy counts it while it plays. A first call
        shows nothing else of the past, so the difference of the first calls is the system text.
        """
        if self.has_system or not other.has_system:
            return self
        first = {session.dialogue: session.turns[0].tokens for session in other.sessions if session.turns}
        sessions = []
        for session in self.sessions:
            if session.dialogue not in first:
                return self
            more = first[session.dialogue] - session.turns[0].tokens
            turns = tuple(replace(turn, tokens=turn.tokens + more) for turn in session.turns)
            sessions.append(replace(session, turns=turns))
        return replace(self, sessions=tuple(sessions), has_system=True)


def _class(sessions: Sequence[ContextSession]) -> ContextClass:
    rows: defaultdict[Cluster, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for session in sessions:
        row = rows[session.cluster]  # epochs of one dialogue are not independent
        row[0] += len(session.turns)
        row[1] += sum(turn.tokens for turn in session.turns)
        row[2] += sum(turn.tokens + turn.own.tokens for turn in session.turns)
    turns, context, total = zip(*rows.values(), strict=True)
    return ContextClass(
        round(sum(turns)),
        TokenMean(sum(context) / sum(turns), ratio_interval(context, turns, rate=False)),
        TokenMean(sum(total) / sum(turns), ratio_interval(total, turns, rate=False)),
    )


def context_size(
    run: Run, model: str, *, early: EarlyEnd | None = None, benchmark: Benchmark | None = None
) -> ContextSize | None:
    """Count what the calls of a model were shown.

    The counts of other strategies than `full` were stored while the run was played. Those of `full` follow from the
    stored conversation, except for the system text: a run does not store it.

    Args:
        run: The run.
        model: Its model.
        early: The stop rule's end; only its dialogues count.
        benchmark: The run's, where it is at hand: then the system text is counted, too.

    Returns:
        None without the extra `contexts`, or if no turn was counted.

    Raises:
        UsageError: the scenario is not installed, or is broken.
    """
    name = tokenizer_name()
    if name is None:
        return None
    # Counting takes as long as everything else together, and the texts of a run do not change.
    findings = run.store.findings
    key = f"context tokens {name} {model} {'' if early is None else early.rule}"
    if benchmark is None and (text := findings.noted(key)):
        with suppress(ValueError, LookupError, TypeError):
            return _load(text)
    found = _counted(run, model, name, early, benchmark)
    if benchmark is None and run.store.follows_from_version:
        findings.note({key: _dump(found)})
    return found


def _dump(found: ContextSize | None) -> str:
    if found is None:
        return "null"
    sessions = [
        [one.dialogue, one.rounds, one.cluster, [_dumped(turn) for turn in one.turns]] for one in found.sessions
    ]
    return json.dumps([found.tokenizer, found.has_system, sessions])


def _dumped(turn: ContextTurn) -> Any:
    return turn.tokens if turn.own == OwnCost() and not turn.own.seconds else [turn.tokens, asdict(turn.own)]


def _load(text: str) -> ContextSize | None:
    """What `_dump` wrote.

    Raises:
        ValueError: it was edited.
        LookupError: likewise.
        TypeError: likewise.
    """
    data = json.loads(text)
    if data is None:
        return None
    tokenizer, has_system, sessions = data
    return ContextSize(tuple(itertools.starmap(_session, sessions)), tokenizer, has_system)


def _session(dialogue: int, rounds: int | None, cluster: Any, turns: Sequence[Any]) -> ContextSession:
    found = (
        ContextTurn(turn) if isinstance(turn, int) else ContextTurn(int(turn[0]), OwnCost(**turn[1])) for turn in turns
    )
    return ContextSession(dialogue, rounds, tuple(found), tuple(cluster) if isinstance(cluster, list) else cluster)


def _counted(
    run: Run, model: str, name: str, early: EarlyEnd | None, benchmark: Benchmark | None
) -> ContextSize | None:
    is_full = run.settings.context == FullHistory.name
    sessions: list[ContextSession] = []
    scenario = get_scenario(run.settings.scenario)
    table = scenario.table(run.settings.options)
    label = "" if table is None else table.cluster
    with blaming(scenario):
        options = options_of(scenario.play, run.settings.options, scenario.name)
        environment = scenario.environment(benchmark, options, Services())
        for session, records in run.transcripts(model):
            if session.ending not in ("finished", "censored") or (early and session.dialogue not in early.dialogues):
                continue
            own = [record for record in records if record.prompt.seat == "target"]
            if is_full:
                said = benchmark is not None and run.settings.system_prompt
                system = environment.system(session.dialogue, "target") if said else ""
                turns = tuple(map(ContextTurn, _of_whole(own, environment, system)))
            else:
                turns = tuple(_stored(own))
            if turns:
                cluster = clusters_of(label, [session])[session.dialogue]
                sessions.append(ContextSession(session.dialogue, _rounds(own), turns, cluster))
    if not sessions:
        return None
    # What never says anything is not missing.
    is_silent = getattr(type(environment), "system", None) is Environment.system
    return ContextSize(tuple(sessions), name, not is_full or benchmark is not None or is_silent)


def _rounds(records: Iterable[TurnRecord]) -> int | None:
    for record in records:
        rounds = record.prompt.labels.get(ROUNDS)
        return rounds if isinstance(rounds, int) else None
    return None


def _stored(records: Iterable[TurnRecord]) -> Iterator[ContextTurn]:
    """What was counted while the turns were played."""
    for record in records:
        if record.context_tokens is not None:
            yield ContextTurn(record.context_tokens, record.built.cost if record.built else OwnCost())


def _of_whole(records: Sequence[TurnRecord], environment: Environment, system: str) -> Iterator[int]:
    """The tokens of each turn's context, if every call shows the whole conversation."""
    # Where prompts tell the past themselves, a call is shown what the seat was told at first, and nothing more of it.
    told = before = context_tokens((Message("system", system), _QUERY))
    for record in records:
        heard = environment.heard(record.prompt, record.answer)
        exchange = Exchange(record.prompt, record.answer, heard)
        shown = before if environment.recalled(record.prompt, (exchange,)) else told
        yield shown + context_tokens(record.prompt.messages)
        before += context_tokens((*exchange.messages, _QUERY))
