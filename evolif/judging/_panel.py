"""A panel of judge models, and how their scores become a verdict."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence

from evolif.constraints import describe
from evolif.domain import Constraint, Usage, Verdict
from evolif.judging._cache import JudgeCache
from evolif.judging._member import Member
from evolif.judging._question import Question
from evolif.judging._records import THRESHOLD, JudgeRecord, JudgeScore, usage_of
from evolif.judging._rubric import Rubric
from evolif.judging._together import together
from evolif.text import Reading

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
