"""One judge model: asked until a score can be read, three times at most, and never twice for the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evolif._errors import AccessError, ContextOverflowError, EvolifError, JudgeError, ModelError, WithheldError
from evolif.domain import Usage
from evolif.judging._cache import CachedScore, JudgeCache
from evolif.judging._question import Question
from evolif.judging._records import JudgeScore, add_usage
from evolif.judging._scores import read_score
from evolif.models import ChatModel, ChatRequest, Reply, Sampling

ATTEMPTS = 3
"""Calls until a score can be read; after that there is none."""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "rationale": {"type": "string", "description": "one sentence that points at the text"},
        "score": {"type": "integer", "description": "from 1 to 10"},
    },
    "required": ["rationale", "score"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class _Form:
    """How a server is asked."""

    schema: bool
    temperature: float | None


_FORMS = (_Form(True, 0.0), _Form(False, 0.0), _Form(True, None), _Form(False, None))
"""In the order they are tried: some servers know no schema, some models take no temperature."""


class Member:
    """A judge model with its cache.

    Args:
        model: The client.
        endpoint: Where it is asked, without user and key; a part of what scores are kept under.
        cache: Where its scores are kept.
    """

    def __init__(self, model: ChatModel, endpoint: str, cache: JudgeCache) -> None:
        self._model = model
        self.endpoint = endpoint
        self._cache = cache
        self._form: _Form | None = None
        """The form that has passed; None where none has yet."""
        self._barred: AccessError | None = None

    @property
    def name(self) -> str:
        """`provider/name`."""
        return self._model.name

    async def score(self, question: Question) -> JudgeScore:
        """A score, or why none could be read; refusals of a content filter are such a reason.

        Raises:
            JudgeError: the model could not be asked.
        """
        key = question.key(f"{self.name} {self.endpoint}")
        kept = self._cache.get(key)
        if kept is not None:
            had = Usage()
            return JudgeScore(self.name, kept.score, kept.rationale, "", True, 0, had, kept.served_by, kept.temperature)
        score = await self._asked(question)
        if score.score is not None:
            self._cache.put(key, CachedScore(score.score, score.rationale, score.served_by, score.temperature))
        return score

    async def _asked(self, question: Question) -> JudgeScore:
        wording = question.rubric.wording
        score = JudgeScore(self.name, None, attempts=0)
        while score.score is None and score.attempts < ATTEMPTS:
            request = question.request(again=score.attempts > 0)
            score = replace(score, attempts=score.attempts + 1)
            try:
                reply, temperature = await self._complete(request, wording.max_tokens)
            except WithheldError:
                score = replace(score, problem="the provider's content filter refused")
                continue
            except ModelError as fault:
                raise self._error(str(fault), score.usage, retryable=fault.retryable) from fault
            except EvolifError:
                raise
            except Exception as fault:
                # Its text is not repeated: nobody has taken keys out of it.
                what = f"{self.name}: its client failed unexpectedly ({type(fault).__name__})"
                raise self._error(what, score.usage) from fault
            read = read_score(reply.text, wording.longest_rationale)
            cut = f" (cut at {wording.max_tokens} tokens)" if reply.truncated and read.problem else ""
            score = replace(
                score,
                score=read.score,
                rationale=read.rationale,
                problem=read.problem + cut,
                usage=add_usage(score.usage, reply.usage),
                served_by=reply.served_by,
                temperature=temperature,
            )
        return score

    async def _complete(self, request: ChatRequest, max_tokens: int) -> tuple[Reply, float | None]:
        """A reply and the temperature it was asked with."""
        if self._barred is not None:
            raise self._barred
        try:
            if self._form is not None:
                return await self._in_form(self._form, request, max_tokens), self._form.temperature
            return await self._find_form(request, max_tokens)
        except AccessError as fault:
            self._barred = fault  # every further call would fail the same
            raise

    async def _find_form(self, request: ChatRequest, max_tokens: int) -> tuple[Reply, float | None]:
        """Ask in one form after another until the server takes it; which part it refuses shows when it passes without.

        Raises:
            ModelError: what the first form met, where none passes.
        """
        refusals: list[ModelError] = []
        for form in _FORMS:
            try:
                reply = await self._in_form(form, request, max_tokens)
            except (AccessError, ContextOverflowError, WithheldError):
                raise
            except ModelError as fault:
                if fault.retryable:
                    raise
                refusals.append(fault)
                continue
            self._form = form
            return reply, form.temperature
        raise refusals[0]

    async def _in_form(self, form: _Form, request: ChatRequest, max_tokens: int) -> Reply:
        sampling = Sampling(temperature=form.temperature, max_tokens=max_tokens)
        return await self._model.complete(replace(request, sampling=sampling, schema=SCHEMA if form.schema else None))

    def _error(self, what: str, usage: Usage, *, retryable: bool = False) -> JudgeError:
        spent = {self.name: (usage.prompt_tokens, usage.completion_tokens)} if usage != Usage() else {}
        return JudgeError(f"the judge could not be asked: {what}", retryable=retryable, spent=spent)

    async def aclose(self) -> None:
        """Release connections."""
        await self._model.aclose()
