"""Synthesizers that write queries: an agent with a chat model, or a plug-in.

The agent makes two calls, one for plain words and one for the persona's voice, rather than one with two fields, because
that is more robust. The plain words are checked first, so an error is found where it arises, and correct words survive
a bad rewrite. Each answer is one text, which can be read even from a model that knows no JSON. A query that passes at
once costs two short calls, one that never passes costs k, and none costs more than k + 1.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import isawaitable
from typing import Literal, Protocol, runtime_checkable

from evolif.errors import EvolifError, UsageError, WithheldError
from evolif.scenarios.instructions.synthesis.chat import (
    FORM,
    CompletionModel,
    clean_query,
    form_findings,
    object_schema,
    read_flag,
    read_object,
    read_text,
    storable,
)
from evolif.scenarios.instructions.synthesis.prompts import (
    change_of,
    draft_prompt,
    echoed,
    prompt,
    synthesis_settings,
    voice_prompt,
)
from evolif.scenarios.instructions.turns import Finding, Turn, TurnStatus
from evolif.types import Message, Usage

ENTRY_POINTS = "evolif.synthesizers"
"""Where plug-ins register: entry point `NAME = "module:factory"`, with `factory(seed) -> Writer`."""
REST = "rest"
"""The checker's name in findings about requests beyond the change."""
NEUTRAL_NOTE = "these are the plain words: in the persona's voice they did not pass the checkers"
_CHECKER_TRIES = 2
_LONGEST_REASON = 300
_QUERY_SCHEMA = object_schema(query={"type": "string"})

CheckQuery = Callable[[Turn, str], Sequence[Finding]]
"""The rules: objections to a query of a turn; none if it states exactly the turn's change."""
Outcome = Literal["accepted", "repaired", "flagged"]
AuthorRole = Literal["synthesizer", "checker"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The words of one turn after at most k attempts."""

    query: str
    findings: tuple[Finding, ...]
    """Objections to the words; empty if they passed."""
    attempts: int
    usage: Usage
    """Tokens of the synthesizer and the checker together."""
    note: str = ""
    """A remark on words that passed."""

    @property
    def status(self) -> TurnStatus:
        """Flagged if there are findings."""
        return "flagged" if self.findings else "verified"

    @property
    def outcome(self) -> Outcome:
        """Accepted at first try, repaired, or flagged."""
        if self.findings:
            return "flagged"
        return "accepted" if self.attempts == 1 else "repaired"

    @property
    def remarks(self) -> tuple[str, ...]:
        """Findings, or else the note, as a benchmark line stores them."""
        if self.findings:
            return tuple(f"{finding.checker}: {finding.message}" for finding in self.findings)
        return (self.note,) if self.note else ()


@dataclass(slots=True)
class Meter:
    """Counts the cost and failed attempts of one turn; owned by the caller, so that failing calls are counted too."""

    calls: dict[AuthorRole, int] = field(default_factory=dict)
    usage: dict[AuthorRole, Usage] = field(default_factory=dict)
    failed: list[tuple[str, ...]] = field(default_factory=list)
    """Per failed attempt the checkers that found something."""

    def add(self, role: AuthorRole, usage: Usage) -> None:
        """Count one call."""
        self.calls[role] = self.calls.get(role, 0) + 1
        self.usage[role] = self.usage.get(role, Usage()) + usage

    def failed_attempt(self, findings: tuple[Finding, ...]) -> None:
        """Count an attempt that did not pass."""
        self.failed.append(tuple(sorted({finding.checker for finding in findings})))

    @property
    def total(self) -> Usage:
        """Tokens of all roles."""
        return sum(self.usage.values(), Usage())


@runtime_checkable
class Synthesizer(Protocol):
    """Writes queries for turns and has them checked."""

    @property
    def name(self) -> str:
        """The source of the turns it words."""
        ...

    async def say(self, turn: Turn, meter: Meter) -> Attempt:
        """The words of a turn; a query already in the turn is ignored."""
        ...


class Writer(Protocol):
    """What a plug-in provides: words for a turn, subject to the same checkers as any others."""

    def write(self, turn: Turn, findings: tuple[Finding, ...]) -> str | Awaitable[str]:
        """The words; `findings` are the objections to the last ones, empty at first."""
        ...


@dataclass(frozen=True, slots=True)
class _Words:
    """The result of one call."""

    text: str
    findings: tuple[Finding, ...]
    unreadable: bool = False
    """Whether the answer was cut or not readable."""


_NOTHING = _Words("", ())


class Agent:
    """Puts turns into a person's words by calling a chat model.

    Args:
        model: The synthesizer.
        check: The rules; `evolif.scenarios.instructions.queries.check_query` if None.
        checker: A chat model for what rules cannot know; none if None.
        attempts: k, the number of attempts before a query is flagged; from `seeds/synthesis.yaml` if None.
    """

    def __init__(
        self,
        model: CompletionModel,
        *,
        check: CheckQuery | None = None,
        checker: CompletionModel | None = None,
        attempts: int | None = None,
    ) -> None:
        self._model = model
        self._check = check or _rules()
        self._checker = Checker(checker) if checker is not None else None
        self._attempts = attempts or synthesis_settings().attempts

    @property
    def name(self) -> str:
        """`provider/name`; the source of the turns it words."""
        return self._model.name

    async def say(self, turn: Turn, meter: Meter | None = None, *, notes: str = "") -> Attempt:
        """The words of a turn.

        Args:
            turn: The intention; an existing query is ignored.
            meter: Counts tokens, even if a call fails.
            notes: A reviewer's requests for the words.

        Raises:
            ModelError: an endpoint failed.
        """
        meter = meter or Meter()
        neutral, last, bare = "", _NOTHING, not self._model.structured
        for attempt in range(1, self._attempts + 1):
            change = change_of(turn, attempt)
            if not neutral:
                messages = draft_prompt(turn, change, _feedback(last, notes), bare=bare)
                last = await self._once(turn.move, messages, turn, meter, bare=bare)
                if not last.findings:
                    neutral, last = last.text, _NOTHING
            if neutral:
                messages = voice_prompt(turn, neutral, change, _feedback(last, notes), bare=bare)
                last = await self._once("voice", messages, turn, meter, bare=bare)
            if not last.findings:
                return Attempt(last.text, (), attempt, meter.total)
            bare = bare or last.unreadable  # once a model breaks JSON, it must answer in plain text from then on
            meter.failed_attempt(last.findings)
        if neutral and not await self._requests_beyond(turn, neutral, meter):
            return Attempt(neutral, (), self._attempts, meter.total, NEUTRAL_NOTE)
        return Attempt(storable(last.text), last.findings, self._attempts, meter.total)

    async def _once(self, name: str, messages: tuple[Message, ...], turn: Turn, meter: Meter, *, bare: bool) -> _Words:
        """Call the model with the prompt of that name and check the answer; the checker sees only final words."""
        try:
            answer = await self._model.ask(messages, None if bare else _QUERY_SCHEMA)
        except WithheldError:
            return _Words("", (Finding(FORM, "the provider's content filter refused to write this turn"),))
        meter.add("synthesizer", answer.usage)
        raw = read_text(answer.text, "query")
        if answer.truncated or raw is None:
            what = "the answer was cut at the token limit" if answer.truncated else "the answer could not be read"
            finding = Finding(FORM, f"{what}: it has to be the message alone")
            return _Words(raw or answer.text, (finding,), unreadable=True)
        query = clean_query(raw)
        findings = form_findings(query, turn.witness) or tuple(self._check(turn, query))
        if echoed(query, name):
            echo = Finding(FORM, "the message repeats these instructions instead of speaking for itself")
            findings = (*findings, echo)
        if findings and await self._is_mistaken(turn, query, findings, meter):
            findings = ()
        if name == "voice" and not findings:
            findings = await self._requests_beyond(turn, query, meter)
        return _Words(query, findings)

    async def _is_mistaken(self, turn: Turn, query: str, findings: tuple[Finding, ...], meter: Meter) -> bool:
        """Whether the rules only missed the topic, and a checker model finds it named in other words."""
        if self._checker is None or any(finding.checker != "topic" for finding in findings):
            return False
        return await self._checker.names_topic(turn, query, meter) is True

    async def _requests_beyond(self, turn: Turn, query: str, meter: Meter) -> tuple[Finding, ...]:
        """Requests beyond the change found by a checker model; empty without such a model."""
        finding = await self._checker.asks_for_more(turn, query, meter) if self._checker is not None else None
        return (finding,) if finding is not None else ()


def _feedback(last: _Words, notes: str) -> str:
    """The part of the next prompt about the last attempt and a reviewer's wishes."""
    parts = []
    if last.findings:
        if last.text:
            parts.append(f"Your last attempt was:\n{storable(last.text)}")
        parts.append("It cannot be used:\n" + "\n".join(f"- {finding.message}" for finding in last.findings))
        parts.append("Write it again and mend this.")
    if notes:
        parts.append(f"A person who read an earlier version asks for this:\n{notes}")
    return "\n\n".join(parts)


class Checker:
    """Asks a chat model what rules cannot check in free text.

    The words to be checked are hostile input: they are placed as data between two lines with an unpredictable random
    number. A checker that refuses, or twice gives no readable answer, never counts against the words.
    """

    def __init__(self, model: CompletionModel) -> None:
        self._model = model

    async def names_topic(self, turn: Turn, query: str, meter: Meter) -> bool | None:
        """Whether the query says concretely which task is meant; None if no answer could be read."""
        slots = {"task": turn.topic.prompt, "title": turn.topic.title or turn.topic.prompt}
        answer = await self._ask("check_topic", slots, query, ("reason", "names_task"), meter)
        return None if answer is None else answer[1]

    async def asks_for_more(self, turn: Turn, query: str, meter: Meter) -> Finding | None:
        """A request of the query beyond the task and the change; None if there is none or no answer was readable."""
        change = change_of(turn)
        slots = {"task": turn.topic.prompt, "change": change.text, "meaning": change.meaning, "stays": change.unchanged}
        answer = await self._ask("check_rest", slots, query, ("what", "asks_for_more"), meter)
        if answer is None or not answer[1]:
            return None
        return Finding(REST, f"it asks for something besides this turn's change: {answer[0] or 'not said what'}")

    async def _ask(
        self, name: str, slots: Mapping[str, str], query: str, fields: tuple[str, str], meter: Meter
    ) -> tuple[str, bool] | None:
        """The checker's sentence and its decision."""
        text, flag = fields
        schema = object_schema(**{text: {"type": "string"}, flag: {"type": "boolean"}})
        for _ in range(_CHECKER_TRIES):
            fence = f"==== {secrets.token_hex(12)} ===="
            try:
                answer = await self._model.ask(prompt(name, {**slots, "query": query, "fence": fence}), schema)
            except WithheldError:
                continue
            meter.add("checker", answer.usage)
            verdict = read_flag(answer.text, flag)
            if verdict is not None:
                reason = (read_object(answer.text, flag) or {}).get(text)
                return (" ".join(reason.split())[:_LONGEST_REASON] if isinstance(reason, str) else ""), verdict
        return None


class PluginSynthesizer:
    """Checks a plug-in's words, and requests others if they fail.

    Args:
        name: The entry point's name.
        writer: The plug-in's object.
        check: The rules; `evolif.scenarios.instructions.queries.check_query` if None.
    """

    def __init__(self, name: str, writer: Writer, check: CheckQuery | None = None) -> None:
        self._name = name
        self._writer = writer
        self._check = check or _rules()

    @property
    def name(self) -> str:
        """The entry point's name."""
        return self._name

    async def say(self, turn: Turn, meter: Meter) -> Attempt:
        """The words of a turn, after at most k attempts.

        Raises:
            UsageError: the plug-in broke.
        """
        attempts = synthesis_settings().attempts
        query, findings = "", tuple[Finding, ...]()
        for attempt in range(1, attempts + 1):
            query = clean_query(await self._written(turn, findings))
            findings = form_findings(query, turn.witness) or tuple(self._check(turn, query))
            if not findings:
                return Attempt(query, (), attempt, meter.total)
            meter.failed_attempt(findings)
        return Attempt(storable(query), findings, attempts, meter.total)

    async def _written(self, turn: Turn, findings: tuple[Finding, ...]) -> str:
        try:
            words = self._writer.write(turn, findings)
            text = await words if isawaitable(words) else words
        except EvolifError:
            raise
        except Exception as fault:
            what = f"{type(fault).__name__}: {fault}"
            raise UsageError(f"the synthesizer {self._name} failed ({what}); fix or remove the plug-in") from fault
        if not isinstance(text, str):
            raise UsageError(f"the synthesizer {self._name} returned no text; fix or remove the plug-in")
        return text


def load_plugin(name: str, seed: int, check: CheckQuery | None = None) -> PluginSynthesizer:
    """The synthesizer that an installed package provides under a name; no other plug-in is loaded.

    Raises:
        UsageError: there is none, or it cannot be loaded.
    """
    from importlib.metadata import entry_points

    allowed = os.environ.get("EVOLIF_PLUGINS") != "0"
    found = list(entry_points(group=ENTRY_POINTS, name=name)) if allowed else []
    if not found:
        raise UsageError(f"unknown synthesizer “{name}”; use template, or a chat model such as openai/NAME")
    try:
        writer: Writer = found[0].load()(seed)
    except Exception as fault:
        what = f"{type(fault).__name__}: {fault}"
        raise UsageError(f"{name}: the plug-in {found[0].value} cannot be loaded ({what}); fix or remove it") from fault
    return PluginSynthesizer(name, writer, check)


def _rules() -> CheckQuery:
    from evolif.scenarios.instructions.queries import check_query

    return check_query
