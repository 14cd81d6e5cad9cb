"""Two models, or one model in two runs, side by side; each part computed once, when it is first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from evolif.metrics import Comparison as Pairing
from evolif.metrics import JudgeSensitivity, LogRank, compare, judge_sensitivity, log_rank
from evolif.protocol import RunSettings
from evolif.report._analysis import ModelAnalysis
from evolif.report._pairing import Kind, kind_of

ALPHA = 0.05
"""Below this, after Holm's correction, two models are told apart in a metric."""


@dataclass(frozen=True)
class Comparison:
    """A minus B.

    Attributes:
        a: The first.
        b: The second.
        kind: `models`, or the ablation `system-prompt` or `judge` of one model in two runs.
        also: Settings that differ beside it, as clauses.
    """

    a: ModelAnalysis = field(repr=False)
    b: ModelAnalysis = field(repr=False)
    kind: Kind = "models"
    also: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, str]:
        """Short different names of the two, for heads of tables; not made safe for a terminal."""
        first, second = self.a.of.settings, self.b.of.settings
        if self.kind == "system-prompt":
            return f"{self.a.name}, prompt {_switch(first)}", f"{self.b.name}, prompt {_switch(second)}"
        if self.kind == "judge":
            return f"{self.a.name}, judge {first.judge}", f"{self.b.name}, judge {second.judge}"
        if self.a.name != self.b.name:
            return self.a.name, self.b.name
        mine, other = self.a.of.name, self.b.of.name
        if mine == other:
            mine, other = "first run", "second run"
        return f"{self.a.name} ({mine})", f"{self.b.name} ({other})"

    @cached_property
    def paired(self) -> Pairing:
        """Per metric the difference with interval, p, Holm's p, effect size and dialogues needed.

        Raises:
            UsageError: NumPy (extra `report`) is not installed.
        """
        return compare(self.a.sessions, self.b.sessions, seed=self.a.of.seed, resamples=self.a.of.resamples)

    @cached_property
    def log_rank(self) -> LogRank:
        """Of the two survival curves.

        Raises:
            UsageError: SciPy (extra `report`) is not installed.
        """
        return log_rank(self.a.sessions, self.b.sessions)

    @cached_property
    def sensitivity(self) -> JudgeSensitivity | None:
        """Where the judge makes the difference: how far the two agree."""
        if self.kind != "judge":
            return None
        return judge_sensitivity(self.a.sessions, self.b.sessions, seed=self.a.of.seed, resamples=self.a.of.resamples)

    @cached_property
    def same_answers(self) -> tuple[int, int]:
        """Turns with the same answer in both, of the turns that both have; what a judge is compared on."""
        answers = {
            (session.dialogue, session.epoch, record.turn): hash(record.answer)
            for session, records in self.a.of.run.transcripts(self.a.name)
            for record in records
        }
        shared = [
            answers[key] == hash(record.answer)
            for session, records in self.b.of.run.transcripts(self.b.name)
            for record in records
            if (key := (session.dialogue, session.epoch, record.turn)) in answers
        ]
        return sum(shared), len(shared)

    @cached_property
    def told_apart(self) -> dict[str, float]:
        """Metric to difference, where it is told from none after Holm's correction."""
        return {
            name: one.value
            for name, one in self.paired.differences.items()
            if one.value is not None and one.p_holm is not None and one.p_holm < ALPHA
        }


def _switch(settings: RunSettings) -> str:
    return "on" if settings.system_prompt else "off"


def compare_models(
    pairs: Sequence[tuple[ModelAnalysis, ModelAnalysis]], *, ablation: str | None = None
) -> list[Comparison]:
    """One comparison per pair; nothing is computed yet.

    Args:
        pairs: First and second of each.
        ablation: `system-prompt` or `judge`, where that is to make the difference.

    Raises:
        UsageError: cap, patience, judge or benchmark differ, or more than the ablation.
    """
    made = []
    for a, b in pairs:
        same = a.name == b.name and a.of is not b.of
        kind, also = kind_of(a.of.run, b.of.run, same_model=same, ablation=ablation)
        elsewhere = same and a.of.settings.endpoint(a.name) != b.of.settings.endpoint(b.name)
        made.append(Comparison(a, b, kind, (*also, *(["it was asked at different addresses"] if elsewhere else []))))
    return made
