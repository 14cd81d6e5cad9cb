"""The synthesizer agent: neutral words, the persona's voice, the rules, and what they found back into the next prompt.

Two calls rather than one answer with two fields, because that is the sturdier way. The plain words are checked before
anybody dresses them, so an error is found where it was made, and words that are right survive a voice that breaks them.
Each answer is one text, which can be read even of a model that knows no JSON, and a bare sentence is never mistaken for
the other half. A query that passes at once costs two short calls, one that never does k, and none more than k + 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evolif._errors import WithheldError
from evolif.domain import Finding, Message, Turn
from evolif.synthesis._notes import reading_note, with_note
from evolif.synthesis.agent._answers import read_text
from evolif.synthesis.agent._asked import AskedModel
from evolif.synthesis.agent._attempt import Attempt, Meter
from evolif.synthesis.agent._change import change_of
from evolif.synthesis.agent._checker import SecondOpinion
from evolif.synthesis.agent._cleaning import FORM, clean_query, form_findings, storable
from evolif.synthesis.agent._prompts import draft_prompt, echoed, voice_prompt
from evolif.synthesis.agent._settings import synthesis_settings

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
        model: AskedModel,
        *,
        check: CheckQuery | None = None,
        checker: AskedModel | None = None,
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
    from evolif.synthesis.checkers import check_query

    return check_query
