"""What a scenario may read of models and runs for its part of a report.

These are protocols: the classes of `evolif.report` and `evolif.runner` satisfy them, and the type checker proves it
where reports call a `Presentation`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from evolif.types import Feedback, JudgedTurn, Prompt, Session

if TYPE_CHECKING:
    from evolif.metrics import Figures, Interval, MetricFigures

Found = TypeVar("Found")


class SettingsView(Protocol):
    """Settings of a run (`evolif.runner.RunSettings`)."""

    @property
    def context(self) -> str:
        """The context strategy."""
        ...

    @property
    def dialogues(self) -> Sequence[int]:
        """Those of the run."""
        ...

    @property
    def epochs(self) -> int:
        """How often each dialogue is played."""
        ...

    @property
    def feedback(self) -> Feedback:
        """How the person reacts to answers."""
        ...

    @property
    def options(self) -> Mapping[str, Any]:
        """Options of the scenario that differ from their default."""
        ...

    @property
    def partner(self) -> str:
        """Who takes the other seat: `self`, or a model's name; empty in a scenario of one seat."""
        ...


class BuiltView(Protocol):
    """How the context of a turn was built (`ContextRecord` of `evolif.runner`)."""

    @property
    def shown(self) -> Mapping[int, str]:
        """Round to how it was shown."""
        ...

    @property
    def decision(self) -> Mapping[str, Any] | None:
        """As `evolif.contexts.Forest.move` takes it; None if the strategy decides nothing."""
        ...


class TurnView(Protocol):
    """A stored turn (`evolif.runner.TurnRecord`)."""

    @property
    def prompt(self) -> Prompt:
        """What was asked."""
        ...

    @property
    def answer(self) -> str:
        """As received."""
        ...

    @property
    def judged(self) -> JudgedTurn:
        """Verdicts and scores."""
        ...

    @property
    def notes(self) -> Mapping[str, Any]:
        """What the context strategy learnt at this turn."""
        ...

    @property
    def built(self) -> BuiltView | None:
        """None under `full`, which shows everything."""
        ...


class StoredRun(Protocol):
    """What is stored of a run (`evolif.runner.Run`)."""

    @property
    def settings(self) -> SettingsView:
        """How it was made."""
        ...

    def transcripts(self, model: str) -> Iterator[tuple[Session, Sequence[TurnView]]]:
        """Each session of a model with its turns."""
        ...

    def outline(self) -> str:
        """What `Scenario.outline` gave."""
        ...


class EarlyEndView(Protocol):
    """The stop rule that ended a run early (`evolif.runner.EarlyEnd`)."""

    @property
    def dialogues(self) -> Collection[int]:
        """Those that the figures cover."""
        ...


class RunView(Protocol):
    """A run in a report (`evolif.report.RunAnalysis`)."""

    @property
    def settings(self) -> SettingsView:
        """How it was made."""
        ...

    @property
    def models(self) -> Sequence[ModelView]:
        """In the order of the run."""
        ...

    @property
    def run(self) -> StoredRun:
        """What is stored of it."""
        ...

    @property
    def early_end(self) -> EarlyEndView | None:
        """The stop rule that ended it early; figures then cover its dialogues only."""
        ...

    @property
    def facts(self) -> Mapping[tuple[int, int], Prompt]:
        """Every turn that was asked, by dialogue and turn."""
        ...

    @property
    def seed(self) -> int:
        """Of every draw."""
        ...

    @property
    def resamples(self) -> int:
        """How many draws each interval takes that needs some."""
        ...


class SummaryView(Protocol):
    """The figures of a model (`ModelSummary` of `evolif.report`)."""

    @property
    def metrics(self) -> Figures:
        """Rates are fractions, lengths are turns."""
        ...

    @property
    def intervals(self) -> Mapping[str, Interval | None]:
        """Metric to its 95 % interval; None if it is undefined."""
        ...


class MeanView(Protocol):
    """A mean with its interval."""

    @property
    def value(self) -> float:
        """The mean."""
        ...

    @property
    def interval(self) -> Interval | None:
        """Its 95 % interval over clusters."""
        ...


class ContextClassView(Protocol):
    """Context tokens a turn, over some dialogues."""

    @property
    def context(self) -> MeanView:
        """Tokens that a call was shown besides its query."""
        ...

    @property
    def total(self) -> MeanView:
        """The same with the tokens of the strategy's own calls."""
        ...


class ContextSizeView(Protocol):
    """The context tokens of a model (`ContextSize` of `evolif.report`)."""

    @property
    def all(self) -> ContextClassView:
        """Over all dialogues."""
        ...

    @property
    def by_rounds(self) -> Mapping[int, ContextClassView]:
        """By the number of rounds of the dialogue."""
        ...


class ModelView(Protocol):
    """One model in one run of a report (`evolif.report.ModelAnalysis`)."""

    @property
    def of(self) -> RunView:
        """The run."""
        ...

    @property
    def name(self) -> str:
        """As the run calls it."""
        ...

    @property
    def sessions(self) -> Sequence[Session]:
        """All its sessions, regardless of ending."""
        ...

    @property
    def counted(self) -> Sequence[Session]:
        """Those that enter the metrics, without turns after exhausted patience."""
        ...

    @property
    def summary(self) -> SummaryView:
        """The metrics with intervals."""
        ...

    @property
    def context_size(self) -> ContextSizeView | None:
        """The context tokens of its calls; None if they were not counted."""
        ...

    @property
    def figures_by(self) -> Callable[[str], Mapping[str, MetricFigures]]:
        """From a breakdown of whole dialogues (`Breakdown.kind`) to the metrics with intervals per value."""
        ...

    def cached(self, key: str, make: Callable[[], Found]) -> Found:
        """What `make` gives, worked out once a report; the scenario chooses the keys."""
        ...


class ModelsView(Protocol):
    """Models side by side (`evolif.report.ComparableRuns`)."""

    @property
    def heads(self) -> Sequence[str]:
        """A unique name for each model."""
        ...

    @property
    def models(self) -> Sequence[ModelView]:
        """In the order of runs and models."""
        ...
