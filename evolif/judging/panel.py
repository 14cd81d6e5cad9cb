"""A panel of judge models, and how their scores become a verdict."""

from __future__ import annotations

import asyncio
import hashlib
import json
import statistics
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from evolif.errors import EvolifError, JudgeError, ModelError, WithheldError
from evolif.judging.questions import QuestionList
from evolif.judging.records import THRESHOLD, CachedScore, JudgeCache, JudgeRecord, JudgeScore, usage_of
from evolif.judging.rubric import Criterion, CriterionQuestion, Rubric, shorten
from evolif.models import ChatModel, ChatRequest, SchemaCalls
from evolif.text import Reading, plural
from evolif.types import Message, Usage, Verdict

ATTEMPTS = 3
"""Maximum calls to a judge model for a readable score."""
_LONGEST_REASON = 300
"""Characters of a reply that are kept beside its score."""


class Member:
    """A judge model with a cache, so that it never scores the same text twice.

    Args:
        model: The client.
        endpoint: Its address, without user and key; part of the cache key.
        cache: Keeps its scores.
    """

    def __init__(self, model: ChatModel, endpoint: str, cache: JudgeCache) -> None:
        self._model = model
        self.endpoint = endpoint
        self._cache = cache
        self._calls = SchemaCalls(model)

    @property
    def name(self) -> str:
        """`provider/name`."""
        return self._model.name

    async def score(self, question: CriterionQuestion) -> JudgeScore:
        """A score, or the reason why none could be read, for example a content filter.

        Raises:
            JudgeError: the model could not be called.
        """
        key = question.key(f"{self.name} {self.endpoint}")
        known = self._cache.get(key)
        if known is not None:
            usage = Usage()
            return JudgeScore(
                self.name, known.score, known.rationale, "", True, 0, usage, known.served_by, known.temperature
            )
        score = await self._ask(question)
        if score.score is not None:
            self._cache.put(key, CachedScore(score.score, score.rationale, score.served_by, score.temperature))
        return score

    async def rate(
        self, messages: tuple[Message, ...], read: Callable[[str], float], max_tokens: int, scale: str = ""
    ) -> JudgeScore:
        """A score that `read` finds in the reply to messages of the caller's own, asked once; or why there is none.

        Args:
            messages: What is asked.
            read: Raises ValueError where a reply has no score.
            max_tokens: The longest reply.
            scale: What else the score of a reply depends on; part of the cache key.

        Raises:
            JudgeError: the model could not be called.
        """
        asked = [[message.role, message.content] for message in messages]
        key = hashlib.sha256(json.dumps([self.name, self.endpoint, scale, asked]).encode()).hexdigest()
        known = self._cache.get(key)
        if known is not None:
            return JudgeScore(
                self.name, known.score, known.rationale, "", True, 0, Usage(), known.served_by, known.temperature
            )
        try:
            with self._called(Usage()):
                reply, temperature = await self._calls.complete(ChatRequest(messages), max_tokens, None)
        except WithheldError:
            return JudgeScore(self.name, None, problem="the provider's content filter refused the request")
        rationale = shorten(reply.text, _LONGEST_REASON)
        try:
            value = read(reply.text)
        except ValueError as fault:
            cut = f" (cut at {max_tokens} tokens)" if reply.truncated else ""
            return JudgeScore(self.name, None, rationale, f"{fault}{cut}", usage=reply.usage, served_by=reply.served_by)
        self._cache.put(key, CachedScore(value, rationale, reply.served_by, temperature))
        return JudgeScore(self.name, value, rationale, "", False, 1, reply.usage, reply.served_by, temperature)

    @contextmanager
    def _called(self, usage: Usage) -> Iterator[None]:
        """Report whatever a call raises as a `JudgeError`; a refusal by a content filter passes.

        Args:
            usage: Of earlier calls for the same score.
        """
        try:
            yield
        except WithheldError:
            raise
        except ModelError as fault:
            raise self._error(str(fault), usage, retryable=fault.retryable) from fault
        except EvolifError:
            raise
        except Exception as fault:
            # The error's text is left out: it may hold a key.
            what = f"{self.name}: its client failed unexpectedly ({type(fault).__name__})"
            raise self._error(what, usage) from fault

    async def _ask(self, question: CriterionQuestion) -> JudgeScore:
        wording = question.wording
        score = JudgeScore(self.name, None, attempts=0)
        while score.score is None and score.attempts < ATTEMPTS:
            request = question.request(again=score.attempts > 0)
            score = replace(score, attempts=score.attempts + 1)
            try:
                with self._called(score.usage):
                    reply, temperature = await self._calls.complete(request, wording.max_tokens, question.schema)
            except WithheldError:
                score = replace(score, problem="the provider's content filter refused the request")
                continue
            read = question.read(reply.text)
            cut = f" (cut at {wording.max_tokens} tokens)" if reply.truncated and read.problem else ""
            score = replace(
                score,
                score=read.score,
                rationale=read.rationale,
                problem=read.problem + cut,
                usage=score.usage + reply.usage,
                served_by=reply.served_by,
                temperature=temperature,
            )
        return score

    def _error(self, what: str, usage: Usage, *, retryable: bool = False) -> JudgeError:
        spent = {self.name: (usage.prompt_tokens, usage.completion_tokens)} if usage != Usage() else {}
        return JudgeError(f"the judge model could not be called: {what}", retryable=retryable, spent=spent)

    async def aclose(self) -> None:
        """Release connections."""
        await self._model.aclose()


T = TypeVar("T")


async def finish_all(
    calls: Iterable[Coroutine[Any, Any, T]], usage_of: Callable[[Iterable[T]], Mapping[str, Usage]]
) -> list[T]:
    """The results in order, once every call has finished.

    A failure does not cancel the other calls: they are paid for, and their scores are worth keeping.

    Args:
        calls: Coroutines to await.
        usage_of: The cost of results, per judge model.

    Raises:
        JudgeError: a judge failed; with the usage of all calls, successful ones included.
        BaseException: any other error of a call takes precedence.
    """
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    results: list[T] = []
    errors: list[JudgeError] = []
    for outcome in outcomes:
        if isinstance(outcome, JudgeError):
            errors.append(outcome)
        elif isinstance(outcome, BaseException):
            raise outcome
        else:
            results.append(outcome)
    if not errors:
        return results
    spent = {judge: (usage.prompt_tokens, usage.completion_tokens) for judge, usage in usage_of(results).items()}
    for error in errors:
        for judge, (prompt, completion) in error.spent.items():
            before = spent.get(judge, (0, 0))
            spent[judge] = (before[0] + prompt, before[1] + completion)
    raise JudgeError(str(errors[0]), retryable=errors[0].retryable, spent=spent) from errors[0].__cause__


RULES: Mapping[str, str] = {
    "mean": "the mean of the scores is above the threshold",
    "majority": "more than half of the scores are above the threshold",
    "median": "the median of the scores is above the threshold",
}
"""When a panel accepts."""


class Panel:
    """One judge model or several; implements `Judge`.

    A verdict needs scores of more than half of the members; with fewer, the criterion is not judged.

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
        return tuple(member.endpoint for member in self._members)

    async def assess(self, criterion: Criterion, reading: Reading) -> JudgeRecord:
        """Ask every member; an unreadable answer fails without a call.

        Raises:
            JudgeError: a member could not be called.
        """
        kind = QuestionList if criterion.questions else CriterionQuestion
        question = kind(criterion, reading.text, criterion.rubric or self._rubric)
        version = question.version
        if reading.unreadable:
            return JudgeRecord(criterion.group, self._rule, False, None, (), version, reading.unreadable)
        scores = await finish_all((member.score(question) for member in self._members), usage_of)
        return self._record(criterion.group, tuple(scores), version)

    async def rate(
        self, messages: tuple[Message, ...], read: Callable[[str], float], max_tokens: int, scale: str = ""
    ) -> tuple[float | None, tuple[JudgeScore, ...]]:
        """The panel's score for an answer by messages of the caller's own, with each member's.

        The score is the median under the rule `median`, and else the mean; None unless more than half of the members
        gave one.

        Args:
            messages: What every member is asked, once.
            read: Finds the score in a reply; raises ValueError where there is none.
            max_tokens: The longest reply.
            scale: What else the score of a reply depends on.

        Raises:
            JudgeError: a member could not be called.
        """
        calls = (member.rate(messages, read, max_tokens, scale) for member in self._members)
        scores = tuple(await finish_all(calls, usage_of))
        values = [score.score for score in scores if score.score is not None]
        return (None if 2 * len(values) <= len(scores) else aggregate(values, self._rule)[0]), scores

    def _record(self, group: str, scores: tuple[JudgeScore, ...], version: str) -> JudgeRecord:
        values = [s.score for s in scores if s.score is not None]
        if 2 * len(values) <= len(scores):
            problems = "; ".join(f"{s.judge}: {s.problem}" for s in scores if s.problem)
            return JudgeRecord(group, self._rule, None, None, scores, version, f"not judged: {problems}")
        figure, accepted = aggregate(values, self._rule)
        return JudgeRecord(group, self._rule, accepted, figure, scores, version)

    async def aclose(self) -> None:
        """Release connections and the cache."""
        try:
            for member in self._members:
                await member.aclose()
        finally:
            self._cache.close()


def aggregate(scores: Sequence[float], rule: str) -> tuple[float, bool]:
    """The panel's figure for at least one score, and whether it accepts.

    With `majority` the figure is the mean, for information; a tie is not a majority.
    """
    figure = statistics.median(scores) if rule == "median" else statistics.fmean(scores)
    if rule == "majority":
        return figure, 2 * sum(score > THRESHOLD for score in scores) > len(scores)
    return figure, figure > THRESHOLD


def verdict_of(record: JudgeRecord, criterion: Criterion) -> Verdict:
    """The verdict of a record, with its scores and one rationale."""
    asked = len(criterion.questions)
    how = f"yes to {plural(asked, 'question')}" if asked else f"scored above {THRESHOLD} of 10"
    return Verdict(record.group, record.satisfied, f"{criterion.description} ({how})", _found(record))


def _found(record: JudgeRecord) -> str:
    if record.score is None:
        return record.reason
    read = [(s.score, s.rationale) for s in record.scores if s.score is not None]
    found = f"{read[0][0]:g} of 10" if len(record.scores) == 1 else _panel_scores(record, [score for score, _ in read])
    reasons = [rationale for score, rationale in read if (score > THRESHOLD) == record.satisfied and rationale]
    return f"{found}: {reasons[0]}" if reasons else found


def _panel_scores(record: JudgeRecord, scores: Sequence[float]) -> str:
    listed = ", ".join(f"{score:g}" for score in scores)
    if record.rule == "majority":
        accepting = sum(score > THRESHOLD for score in scores)
        return f"{accepting} of {len(scores)} accept ({listed} of 10)"
    return f"{record.rule} {record.score:.3g} of 10 ({listed})"
