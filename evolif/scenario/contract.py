"""The contract: what one kind of conversation brings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from pydantic import BaseModel

from evolif.scenario.earlier import EarlierShape, presentation_of, rows_of, table_of
from evolif.scenario.play import Author, Benchmark, Defaults, Environment, Lengths, NoOptions, Services, Unjudged
from evolif.scenario.presentation import Presentation
from evolif.scenario.rows import Rows
from evolif.types import Prompt, Score, Seat, Verdict

if TYPE_CHECKING:
    from evolif.judging import Criterion
    from evolif.metrics import Breakdown, MetricTable
    from evolif.models import ChatModel


def _ignore(sentence: str) -> None:
    pass


class Scenario(EarlierShape, Protocol):
    """One kind of conversation. Inherit from it to get the defaults.

    What reports show of it is its `presentation`, and what exports have of it are its `rows`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    """What it is, in a short line."""
    version: ClassVar[int] = 1
    """Increased when benchmarks of earlier versions can no longer be played."""
    seats: ClassVar[tuple[Seat, ...]] = ("target",)
    spec: ClassVar[type[BaseModel]] = NoOptions
    """Options of `generate`."""
    play: ClassVar[type[BaseModel]] = NoOptions
    """Options of `evaluate`; the run stores those that differ from their default."""
    players: ClassVar[tuple[str, ...]] = ()
    """Names of its simulated models, as `player` takes them, without options."""
    breakdowns: ClassVar[tuple[Breakdown, ...]] = ()
    side_options: ClassVar[frozenset[str]] = frozenset()
    """Options of `play` in which runs may differ and still stand side by side in a report."""
    usual_dialogues: ClassVar[int] = 150
    """How many dialogues `evolif generate` makes unless it is told."""

    @property
    def presentation(self) -> Presentation:
        """How reports and pages show it."""
        return presentation_of(self)

    @property
    def rows(self) -> Rows:
        """What exports have of its prompts, and which of it are answer keys."""
        return rows_of(self)

    def generate(
        self, out: Path, spec: BaseModel, *, dialogues: int, seed: int, notify: Callable[[str], None] = _ignore
    ) -> Benchmark:
        """Make a benchmark, or complete one made with the same options; the same seed gives the same bytes."""
        ...

    def open(self, path: Path, notify: Callable[[str], None] = _ignore) -> Benchmark:
        """Open a benchmark.

        Raises:
            UsageError: it is not one.
            InputError: a broken file; names the line.
        """
        ...

    def environment(self, bench: Benchmark | None, play: BaseModel, services: Services) -> Environment:
        """Open a benchmark for play.

        Args:
            bench: None on a machine of a cluster that has no copy: prompts then come from the run, and only `heard`,
                `asks_a_judge` and `score` are called.
            play: Options of the run.
            services: What the run offers.
        """
        ...

    def player(self, name: str, seed: int) -> ChatModel:
        """The simulated model `sim/NAME`.

        Raises:
            UsageError: there is none of that name.
        """
        from evolif.models import unknown_player

        raise unknown_player(name.partition("?")[0], (), self.name)

    def defaults(self, bench: Benchmark, play: BaseModel) -> Defaults:
        """How the benchmark is played under the options of a run, unless the run says otherwise."""
        return Defaults()

    def outline(self, bench: Benchmark, dialogues: Sequence[int]) -> str:
        """What a report has to know of dialogues that may never be played; the run stores the text (`Run.outline`)."""
        return ""

    def joined_outline(self, outlines: Sequence[str]) -> str:
        """The outline of a run that was merged from others of the same benchmark and settings.

        Args:
            outlines: Of the others, at least one and none empty; of other dialogues each.
        """
        return outlines[0]

    def about(self, bench: Benchmark, dialogue: int) -> Mapping[str, Any]:
        """What other tools can filter dialogues by, as JSON values; `groups` lists what its answers are judged by."""
        return {}

    def expected(self, bench: Benchmark, play: BaseModel) -> Lengths:
        """What a session is expected to need."""
        return Lengths()

    def unjudged(self, bench: Benchmark) -> Unjudged | None:
        """What a run without a judge leaves unjudged; None if rules decide everything, or if nothing is judged.

        Turns in which nothing was judged then do not use up the cap. So whether there is something must not depend on
        how many turns are written yet; shares are estimates.
        """
        return None

    def untold(self, bench: Benchmark) -> str:
        """Where only the system text tells models the rules: what to do in runs without it. Else empty."""
        return ""

    def authors(self, bench: Benchmark, max_turns: int, dialogues: Sequence[int]) -> tuple[Author, ...]:
        """Models that a run may call to write missing prompts."""
        return ()

    def own_code(self, bench: Benchmark) -> Mapping[str, str]:
        """What code of the user's own decides, and its name with a digest; a run is resumed with the same code only."""
        return {}

    def relevance_gates(self) -> Mapping[str, str]:
        """How it can tell whether an answer is about its task: `lexical` or `judge`, each with its name in settings.

        With `Services.relevance`, an environment passes what it finds through `evolif.judging.with_relevance`.
        """
        return {}

    def criteria(self, prompt: Prompt) -> Mapping[int, Criterion]:
        """What a judge decides on in an answer, by the positions of the verdicts; people score the same (`review`)."""
        return {}

    def judges_dialogues(self, options: Mapping[str, Any]) -> int:
        """How many questions a panel is asked at most about a whole dialogue, besides `criteria`.

        Args:
            options: Those of a run that differ from their default.
        """
        return 0

    def table(self, options: Mapping[str, Any]) -> MetricTable | None:
        """Figures of its own, beside those that verdicts and patience give; None for none.

        Args:
            options: Those of a run that differ from their default; empty for the usual table.
        """
        return table_of(self)

    def rewarded(self, scores: Sequence[Score]) -> tuple[float, ...]:
        """Which scores of a turn reward it in training where nothing has a verdict, from 0 to 1 each."""
        return ()

    def keeps_answers(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        """Whether a fork with other options keeps the answers of a run, and judges them again.

        Args:
            old: Options of the run that differ from their default.
            new: The same of the fork.
        """
        return False

    def perfect(self, prompt: Prompt) -> tuple[Verdict, ...] | None:
        """The verdicts of rules on the answer key of a prompt, for the figures of a perfect responder.

        Where the prompt has no key (`Rows.keys` gives none), False for what rules check; None if the scenario has none.
        """
        return None

    def perfect_by(self, prompt: Prompt, rules: int) -> tuple[Verdict, ...] | None:
        """The same by an edition of the reading rules: another only where the scenario reads answers by them."""
        return self.perfect(prompt)
