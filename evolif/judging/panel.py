"""A panel of judge models, and how their scores become a verdict."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from evolif.constraints import describe
from evolif.errors import AccessError, ContextOverflowError, EvolifError, JudgeError, ModelError, WithheldError
from evolif.judging.records import THRESHOLD, CachedScore, JudgeCache, JudgeRecord, JudgeScore, add_usage, usage_of
from evolif.judging.rubric import Question, Rubric, read_score
from evolif.models import ChatModel, ChatRequest, Reply, Sampling
from evolif.text import Reading
from evolif.types import Constraint, Usage, Verdict

# One judge model: asked until a score can be read, three times at most, and never twice for the same.

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


# Several calls side by side, each let finish: what is under way is being paid for, and its score is worth keeping.

T = TypeVar("T")


async def together(
    calls: Iterable[Coroutine[Any, Any, T]], usage_of: Callable[[Iterable[T]], Mapping[str, Usage]]
) -> list[T]:
    """The results in order, once every call has come to its end.

    Args:
        calls: What to await.
        usage_of: What results have cost, per judge model.

    Raises:
        JudgeError: a judge failed; with everything that was spent, the calls that passed included.
        BaseException: anything else that a call raised goes before that.
    """
    told = await asyncio.gather(*calls, return_exceptions=True)
    results: list[T] = []
    errors: list[JudgeError] = []
    for one in told:
        if isinstance(one, JudgeError):
            errors.append(one)
        elif isinstance(one, BaseException):
            raise one
        else:
            results.append(one)
    if not errors:
        return results
    spent = {judge: (usage.prompt_tokens, usage.completion_tokens) for judge, usage in usage_of(results).items()}
    for error in errors:
        for judge, (prompt, completion) in error.spent.items():
            had = spent.get(judge, (0, 0))
            spent[judge] = (had[0] + prompt, had[1] + completion)
    raise JudgeError(str(errors[0]), retryable=errors[0].retryable, spent=spent) from errors[0].__cause__


RULES: Mapping[str, str] = {
    "mean": "the mean of the scores is above the threshold",
    "majority": "more than half of the scores are above the threshold",
    "median": "the median of the scores is above the threshold",
}
"""When a panel accepts."""


class Panel:
    """One judge model or several; implements `Judge`.

    A verdict needs scores of more than half of the members; where fewer could be read, the constraint is not judged.

    Args:
        members: At least one.
        rule: One of `RULES`.
        rubric: Wording and scales.
        cache: Closed with the panel.
    """

    def __init__(self, members: Sequence[Member], rule: str, rubric: Rubric, cache: JudgeCache) -> None:
        self._members = tuple(members)
        self._rule = rule
        self._rubric = rubric
        self._cache = cache

    @property
    def name(self) -> str:
        """For example `openai/a (rubric 0123abcd)` or `mean of openai/a, google/b (rubric 0123abcd)`."""
        names = ", ".join(member.name for member in self._members)
        rule = f"{self._rule} of " if len(self._members) > 1 else ""
        return f"{rule}{names} (rubric {self._rubric.version})"

    @property
    def endpoints(self) -> tuple[str, ...]:
        """Per member, where it is asked, without user and key; empty for the provider's own endpoint."""
        return tuple(member.endpoint for member in self._members)

    async def assess(self, constraint: Constraint, reading: Reading) -> JudgeRecord:
        """Ask every member; an answer that cannot be read fails without a call.

        Raises:
            JudgeError: a member could not be asked.
        """
        if reading.unreadable:
            return JudgeRecord(constraint.group, self._rule, False, None, (), self._rubric.version, reading.unreadable)
        question = Question(constraint, reading.text, self._rubric)
        scores = await together((member.score(question) for member in self._members), _usage)
        return self._record(constraint.group, tuple(scores))

    def _record(self, group: str, scores: tuple[JudgeScore, ...]) -> JudgeRecord:
        had = [s.score for s in scores if s.score is not None]
        if 2 * len(had) <= len(scores):
            problems = "; ".join(f"{s.judge}: {s.problem}" for s in scores if s.problem)
            return JudgeRecord(group, self._rule, None, None, scores, self._rubric.version, f"not judged: {problems}")
        figure, accepted = aggregate(had, self._rule)
        return JudgeRecord(group, self._rule, accepted, figure, scores, self._rubric.version)

    async def aclose(self) -> None:
        """Release connections and the cache."""
        try:
            for member in self._members:
                await member.aclose()
        finally:
            self._cache.close()


def aggregate(scores: Sequence[float], rule: str) -> tuple[float, bool]:
    """The panel's figure and whether it accepts; at least one score.

    With `majority` the figure is the mean, for information; a tie is no majority.
    """
    figure = statistics.median(scores) if rule == "median" else statistics.fmean(scores)
    if rule == "majority":
        return figure, 2 * sum(score > THRESHOLD for score in scores) > len(scores)
    return figure, figure > THRESHOLD


def verdict_of(record: JudgeRecord, constraint: Constraint) -> Verdict:
    """The verdict that a record comes to, with what a reader needs to follow it."""
    expected = f"{describe(constraint)} (scored above {THRESHOLD} of 10)"
    return Verdict(record.group, record.satisfied, expected, _found(record))


def _found(record: JudgeRecord) -> str:
    if record.score is None:
        return record.reason
    had = [(s.score, s.rationale) for s in record.scores if s.score is not None]
    told = f"{had[0][0]:g} of 10" if len(record.scores) == 1 else _panel_scores(record, [score for score, _ in had])
    reasons = [rationale for score, rationale in had if (score > THRESHOLD) == record.satisfied and rationale]
    return f"{told}: {reasons[0]}" if reasons else told


def _panel_scores(record: JudgeRecord, scores: Sequence[float]) -> str:
    listed = ", ".join(f"{score:g}" for score in scores)
    if record.rule == "majority":
        accepting = sum(score > THRESHOLD for score in scores)
        return f"{accepting} of {len(scores)} accept ({listed} of 10)"
    return f"{record.rule} {record.score:.3g} of 10 ({listed})"


def _usage(scores: Iterable[JudgeScore]) -> Mapping[str, Usage]:
    return usage_of([JudgeRecord("", "", None, None, tuple(scores))])
