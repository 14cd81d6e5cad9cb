"""The synthesizer agent: neutral words, the persona's voice, the rules, and what they found back into the next prompt.

Two calls rather than one answer with two fields, because that is the sturdier way. The plain words are checked before
anybody dresses them, so an error is found where it was made, and words that are right survive a voice that breaks them.
Each answer is one text, which can be read even of a model that knows no JSON, and a bare sentence is never mistaken for
the other half. A query that passes at once costs two short calls, one that never does k, and none more than k + 1.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import isawaitable
from typing import Any, Literal, Protocol, runtime_checkable

from evolif.errors import EvolifError, UsageError, WithheldError
from evolif.synthesis.chat import (
    FORM,
    CompletionModel,
    clean_query,
    form_findings,
    read_flag,
    read_object,
    read_text,
    storable,
)
from evolif.synthesis.prompts import change_of, draft_prompt, echoed, prompt, synthesis_settings, voice_prompt
from evolif.synthesis.template import reading_note, with_note
from evolif.types import Finding, Message, Turn, TurnStatus, Usage

# What synthesizing one turn came to, and what it cost.

Outcome = Literal["accepted", "repaired", "flagged"]
Role = Literal["synthesizer", "checker"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The words of one turn after at most k attempts."""

    query: str
    findings: tuple[Finding, ...]
    """What is held against the words; empty where they passed."""
    attempts: int
    usage: Usage
    """Tokens of the synthesizer and the checker together."""
    note: str = ""
    """What a reader should know of words that passed all the same."""

    @property
    def status(self) -> TurnStatus:
        """Flagged where something is held against the words."""
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
    """Counts what one turn costs and what was found on the way; kept by whoever pays, also where a call fails."""

    calls: dict[Role, int] = field(default_factory=dict)
    usage: dict[Role, Usage] = field(default_factory=dict)
    failed: list[tuple[str, ...]] = field(default_factory=list)
    """Per failed attempt the checkers that found something."""

    def add(self, role: Role, usage: Usage) -> None:
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


# The optional checker model: asked only what rules cannot know of free text.
#
# The words to be checked are hostile input: they stand as data between two lines that hold a random number, which no
# text can foresee. A checker that twice gives no answer that can be read, or refuses, counts as not asked and never
# against the words.

REST = "rest"
"""The checker's name in findings on what was asked for beyond the change."""

_TRIES = 2
_LONGEST_REASON = 300


def _schema(text: str, flag: str) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {text: {"type": "string"}, flag: {"type": "boolean"}},
        "required": [text, flag],
        "additionalProperties": False,
    }


class SecondOpinion:
    """Asks a chat model about a query.

    Args:
        model: The checker model.
    """

    def __init__(self, model: CompletionModel) -> None:
        self._model = model

    async def names_topic(self, turn: Turn, query: str, meter: Meter) -> bool | None:
        """Whether the query says concretely which task is meant; None where no answer could be read."""
        slots = {"task": turn.topic.prompt, "title": _title(turn)}
        told = await self._ask("check_topic", slots, query, ("reason", "names_task"), meter)
        return None if told is None else told[1]

    async def asks_for_more(self, turn: Turn, query: str, meter: Meter) -> Finding | None:
        """What the query asks for beyond the task and the change; None where nothing, or nothing could be read."""
        change = change_of(turn)
        slots = {
            "task": turn.topic.prompt,
            "change": change.said,
            "meaning": change.meaning,
            "stays": change.stays,
        }
        told = await self._ask("check_rest", slots, query, ("what", "asks_for_more"), meter)
        if told is None or not told[1]:
            return None
        return Finding(REST, f"it asks for something besides this turn's change: {told[0] or 'not said what'}")

    async def _ask(
        self, name: str, slots: Mapping[str, str], query: str, fields: tuple[str, str], meter: Meter
    ) -> tuple[str, bool] | None:
        """The checker's sentence and its yes or no."""
        text, flag = fields
        for _ in range(_TRIES):
            fence = f"==== {secrets.token_hex(12)} ===="
            messages = prompt(name, {**slots, "query": query, "fence": fence})
            try:
                heard = await self._model.ask(messages, _schema(text, flag))
            except WithheldError:
                continue
            meter.add("checker", heard.usage)
            verdict = read_flag(heard.text, flag)
            if verdict is not None:
                said = (read_object(heard.text, flag) or {}).get(text)
                return (" ".join(said.split())[:_LONGEST_REASON] if isinstance(said, str) else ""), verdict
        return None


def _title(turn: Turn) -> str:
    return turn.topic.title or turn.topic.prompt


CheckQuery = Callable[[Turn, str], Sequence[Finding]]
"""The rules: what is held against a query of a turn; nothing, where it states exactly the turn's change."""

QUERY_SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
    "additionalProperties": False,
}

NEUTRAL_NOTE = "these are the plain words: in the persona's voice they did not pass the checkers"


@dataclass(frozen=True, slots=True)
class _Words:
    """What one call came to."""

    text: str
    findings: tuple[Finding, ...]
    unreadable: bool = False
    """Whether there was no telling what the answer's words are."""


@dataclass(frozen=True, slots=True)
class _Call:
    """One question to the synthesizer."""

    name: str
    """The prompt file."""
    messages: tuple[Message, ...]
    bare: bool
    """Asked for the words alone; a model that breaks JSON once is asked so for the rest of the turn."""


_NOTHING = _Words("", ())


class Agent:
    """Puts turns into a person's words by asking a chat model.

    Args:
        model: The synthesizer.
        check: The rules; `evolif.synthesis.check_query` where None.
        checker: A chat model for what rules cannot know; none where None.
        attempts: k, the attempts in all before a query is flagged; as in `seeds/synthesis.yaml` where None.
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
        self._check = check or rules()
        self._opinion = SecondOpinion(checker) if checker is not None else None
        self._attempts = attempts or synthesis_settings().attempts

    @property
    def name(self) -> str:
        """`provider/name`; the source of the turns it words."""
        return self._model.name

    async def say(self, turn: Turn, meter: Meter | None = None, *, notes: str = "") -> Attempt:
        """The words of a turn.

        Args:
            turn: The intention; the query it may hold is not looked at.
            meter: Counts tokens, also where a call fails.
            notes: What a person wants of the words, said in the first prompt.

        Raises:
            ModelError: an endpoint failed.
        """
        meter, note = meter or Meter(), reading_note(turn)
        neutral, last, bare = "", _NOTHING, not self._model.structured
        for attempt in range(1, self._attempts + 1):
            change = change_of(turn, attempt)
            if not neutral:
                told = _feedback(last, notes)
                last = await self._once(
                    _Call(turn.move, draft_prompt(turn, change, told, bare=bare), bare), turn, meter
                )
                if not last.findings:
                    neutral, last = last.text, _NOTHING
            if neutral:
                told = _feedback(last, notes)
                prompt = voice_prompt(turn, neutral, change, told, bare=bare)
                last = await self._once(_Call("voice", prompt, bare), turn, meter)
            if not last.findings:
                return Attempt(with_note(last.text, note), (), attempt, meter.total)
            bare = bare or last.unreadable
            meter.failed_attempt(last.findings)
        if neutral and not await self._asked_for_more(turn, neutral, meter):
            return Attempt(with_note(neutral, note), (), self._attempts, meter.total, NEUTRAL_NOTE)
        return Attempt(with_note(storable(last.text), note), last.findings, self._attempts, meter.total)

    async def _once(self, call: _Call, turn: Turn, meter: Meter) -> _Words:
        """Ask once and see what is held against the answer; what costs a further call only of final words."""
        try:
            heard = await self._model.ask(call.messages, None if call.bare else QUERY_SCHEMA)
        except WithheldError:
            return _Words("", (Finding(FORM, "the provider's content filter refused to word this turn"),))
        meter.add("synthesizer", heard.usage)
        raw = read_text(heard.text, "query")
        if heard.truncated or raw is None:
            what = "the answer was cut at the token limit" if heard.truncated else "the answer could not be read"
            return _Words(
                raw or heard.text, (Finding(FORM, f"{what}: it has to be the message alone"),), unreadable=True
            )
        query = clean_query(raw)
        noted = with_note(query, reading_note(turn))
        findings = form_findings(query, turn.witness) or tuple(self._check(turn, noted))
        if echoed(query, call.name):
            findings = (
                *findings,
                Finding(FORM, "the message repeats these instructions instead of speaking for itself"),
            )
        if findings and await self._is_mistaken(turn, query, findings, meter):
            findings = ()
        if call.name == "voice" and not findings:
            findings = await self._asked_for_more(turn, query, meter)
        return _Words(query, findings)

    async def _is_mistaken(self, turn: Turn, query: str, findings: tuple[Finding, ...], meter: Meter) -> bool:
        """Whether the rules only missed the topic, and a checker model finds it named in other words all the same."""
        unsure = all(finding.checker == "topic" for finding in findings)
        if self._opinion is None or not unsure:
            return False
        return await self._opinion.names_topic(turn, query, meter) is True

    async def _asked_for_more(self, turn: Turn, query: str, meter: Meter) -> tuple[Finding, ...]:
        """What a checker model finds beyond the change; nothing where there is no such model."""
        more = await self._opinion.asks_for_more(turn, query, meter) if self._opinion is not None else None
        return (more,) if more is not None else ()


def _feedback(last: _Words, notes: str) -> str:
    """What the next prompt says of the last attempt and of a reviewer's wishes."""
    parts = []
    if last.findings:
        if last.text:
            parts.append(f"Your last attempt was:\n{storable(last.text)}")
        parts.append("It cannot be used:\n" + "\n".join(f"- {finding.message}" for finding in last.findings))
        parts.append("Write it again and mend this.")
    if notes:
        parts.append(f"A person who read an earlier version asks for this:\n{notes}")
    return "\n\n".join(parts)


def rules() -> CheckQuery:
    """The project's own rules."""
    from evolif.queries import check_query

    return check_query


# What words turns: the agent on a chat model, or what a plug-in brings.

ENTRY_POINTS = "evolif.synthesizers"
"""Where plug-ins register: entry point `NAME = "module:factory"`, with `factory(seed) -> Writer`."""


@runtime_checkable
class Synthesizer(Protocol):
    """Puts turns into words that the checkers have seen."""

    @property
    def name(self) -> str:
        """The source of the turns it words."""
        ...

    async def say(self, turn: Turn, meter: Meter) -> Attempt:
        """The words of a turn; the query that the turn may hold is not looked at."""
        ...


class Writer(Protocol):
    """What a plug-in brings: words for a turn. They pass the same checkers as anybody's."""

    def write(self, turn: Turn, findings: tuple[Finding, ...]) -> str | Awaitable[str]:
        """The words; `findings` is what was held against the last ones, empty at first."""
        ...


class PluginSynthesizer:
    """The loop around a plug-in's words.

    Args:
        name: The entry point's name.
        writer: What it brings.
        check: The rules; `evolif.synthesis.check_query` where None.
    """

    def __init__(self, name: str, writer: Writer, check: CheckQuery | None = None) -> None:
        self._name = name
        self._writer = writer
        self._check = check or rules()

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
            query = with_note(clean_query(await self._written(turn, findings)), reading_note(turn))
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
            raise UsageError(f"the synthesizer {self._name} broke ({what}); mend or leave out its plug-in") from fault
        if not isinstance(text, str):
            raise UsageError(f"the synthesizer {self._name} gave no text; mend or leave out its plug-in")
        return text


def load_plugin(name: str, seed: int, check: CheckQuery | None = None) -> PluginSynthesizer:
    """The synthesizer that an installed package offers under a name; only ever the one that was named.

    Raises:
        UsageError: there is none, or it cannot be loaded.
    """
    from importlib.metadata import entry_points

    allowed = os.environ.get("EVOLIF_PLUGINS") != "0"
    found = list(entry_points(group=ENTRY_POINTS, name=name)) if allowed else []
    if not found:
        raise UsageError(f"there is no synthesizer “{name}”; use template, or a chat model such as openai/NAME")
    try:
        writer: Writer = found[0].load()(seed)
    except Exception as fault:
        what = f"{type(fault).__name__}: {fault}"
        raise UsageError(
            f"{name}: the plug-in {found[0].value} cannot be loaded ({what}); mend or remove it"
        ) from fault
    return PluginSynthesizer(name, writer, check)


# One turn's words anew, for a reviewer.


async def regenerate(
    turn: Turn,
    model: CompletionModel,
    *,
    notes: str = "",
    check: CheckQuery | None = None,
    checker: CompletionModel | None = None,
) -> Attempt:
    """Have a model word a turn again; nothing is stored (`Benchmark.replace` does that).

    Args:
        turn: The turn as stored.
        model: Who words it: `evolif.models.StructuredModel(open_model("openai/NAME"))`.
        notes: What the reviewer wants of the words.
        check: The rules; `evolif.synthesis.check_query` where None.
        checker: A chat model for what rules cannot know.

    Returns:
        The words, what is held against them, how many attempts they took and what they cost.

    Raises:
        ModelError: an endpoint failed.
    """
    return await Agent(model, check=check, checker=checker).say(turn, notes=notes)
