"""The contract: what one kind of conversation brings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from pydantic import BaseModel

from evolif.scenario.play import Author, Benchmark, Defaults, Environment, Lengths, NoOptions, Services, Unjudged
from evolif.scenario.presentation import Chapter, Exhibit, Grid, HeatMap, LineChart, Opening
from evolif.text import plural
from evolif.types import Prompt, Seat, Verdict

if TYPE_CHECKING:
    from evolif.judging import Criterion
    from evolif.metrics import Breakdown, MetricTable
    from evolif.models import ChatModel


def _ignore(sentence: str) -> None:
    pass


class Scenario(Protocol):
    """One kind of conversation. Inherit from it to get the defaults."""

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
    notice: ClassVar[str] = ""
    """A sentence that stands over every report."""
    metrics: ClassVar[MetricTable | None] = None
    """Figures of its own, beside those that verdicts and patience give."""
    breakdowns: ClassVar[tuple[Breakdown, ...]] = ()
    side_options: ClassVar[frozenset[str]] = frozenset()
    """Options of `play` in which runs may differ and still stand side by side in a report."""
    usual_dialogues: ClassVar[int] = 150
    """How many dialogues `evolif generate` makes unless it is told."""
    requirement: ClassVar[str] = "requirement"
    """What a verdict is about, in the singular, as reports call it."""
    answer_key: ClassVar[str] = "key"
    """What reports call an answer that satisfies every rule."""
    key_fields: ClassVar[tuple[str, ...]] = ()
    """Fields of a benchmark's lines that hold answer keys; exports leave them out."""
    expected_is_key: ClassVar[bool] = False
    """Whether what scores and verdicts expected gives answer keys away; exports leave it out then."""
    chapters: ClassVar[tuple[Chapter, ...]] = ()
    """How the page arranges figures and tables; the usual order if empty."""
    references: ClassVar[tuple[str, ...]] = ("perfect",)
    """Its simulated models that know the answers: reports show them apart, and compare no model with them."""
    how_to_read: ClassVar[tuple[str, ...]] = ()
    """What a reader of the page has to know about it, in sentences."""

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

    def partner(self, bench: Benchmark) -> str | None:
        """The partner of a two-seat scenario if the run names none; None if it has to be named."""
        return None

    def defaults(self, bench: Benchmark) -> Defaults:
        """How the benchmark is played unless the run says otherwise."""
        return Defaults()

    def cut(self, bench: Benchmark, play: BaseModel) -> Literal["during", "after"]:
        """Whether exhausted patience ends a session; as `defaults` says, unless options of the run decide."""
        return self.defaults(bench).cut

    def outline(self, bench: Benchmark, dialogues: Sequence[int]) -> str:
        """What a report has to know of dialogues that may never be played; the run stores the text (`Run.outline`)."""
        return ""

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
        """If the system text alone says how answers are judged: what to do for runs without it; empty if prompts do."""
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
        """How many questions a panel is asked at most about a whole dialogue, besides `criteria`; without defaults."""
        return 0

    def table(self, options: Mapping[str, Any]) -> MetricTable | None:
        """The table of a run's own figures: `metrics`, unless its options (those that are no defaults) decide."""
        return self.metrics

    def keeps_answers(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        """Whether a fork with other options keeps the answers of a run, and judges them again; without defaults."""
        return False

    def perfect(self, prompt: Prompt) -> tuple[Verdict, ...] | None:
        """The verdicts of rules on the answer key of a prompt, for the figures of a perfect responder.

        Where the prompt has no key (`keys` is empty), False for what rules check; None if the scenario has no keys.
        """
        return None

    def perfect_by(self, prompt: Prompt, rules: int) -> tuple[Verdict, ...] | None:
        """The same by an edition of the reading rules: another only where the scenario reads answers by them."""
        return self.perfect(prompt)

    def describe_edit(self, before: Prompt, now: Prompt) -> str:
        """How a prompt was edited since a run used it, as a clause; the query is compared already."""
        keys = [key for key, value in now.payload.items() if before.payload.get(key, value) != value]
        labels = [key for key, value in now.labels.items() if before.labels.get(key, value) != value]
        return f"its {', '.join(keys or labels) or 'prompt'} changed"

    def command(
        self, bench: Benchmark | None, variant: str, dialogues: Sequence[int]
    ) -> tuple[Sequence[str], Sequence[str]]:
        """How a benchmark was made: the words after `evolif generate BENCH`, and clauses on what they leave out.

        Args:
            bench: None if it is not at hand; the words then contain `SEED`.
            variant: Its variant.
            dialogues: Those that a run played.
        """
        words = ["--scenario", self.name]
        if bench is None:
            return [*words, "--dialogues", str(max(dialogues, default=1)), "--seed", "SEED"], ()
        return [*words, "--dialogues", str(len(bench.dialogues()))], (
            "with the seed and options of its benchmark.json",
        )

    def facts(self, prompt: Prompt) -> tuple[tuple[str, str], ...]:
        """What the page shows beside a prompt: names and values; a value without a name stands alone."""
        return tuple((name, str(value)) for name, value in prompt.labels.items())

    def folds(self, prompt: Prompt) -> Sequence[tuple[int, int]]:
        """Ranges of the query that the page folds, in characters and in order, such as long tables; none as a rule."""
        return ()

    def reading_format(self, prompt: Prompt) -> str | None:
        """The format in which an answer is read, which places the spans of verdicts; None for any text."""
        return None

    def misplaced(
        self, prompts: Sequence[Prompt], decisions: Sequence[Mapping[str, Any] | None]
    ) -> Mapping[int, str] | None:
        """The rounds that a context strategy put where they do not belong, each with what is right, in words.

        Args:
            prompts: Of a session's rounds, which are numbered from 1.
            decisions: One for each, as `evolif.contexts.Forest.move` takes it; None for nothing.

        Returns:
            None if the scenario does not know where rounds belong.
        """
        return None

    def lead(self, models: int, dialogues: int) -> str:
        """The sentence below the page's title."""
        return f"{plural(models, 'model')} over {plural(dialogues, 'dialogue')}, with transcripts: {self.title}."

    def row(self, prompt: Prompt) -> dict[str, Any]:
        """The columns of a prompt in an export, without answer keys."""
        told = [{"role": message.role, "content": message.content} for message in prompt.messages]
        return {**prompt.labels, "query": prompt.query, **({"messages": told} if len(told) > 1 else {})}

    def key_row(self, prompt: Prompt) -> dict[str, Any]:
        """The columns of a prompt's answer keys in an export that has them."""
        return {"keys": list(self.keys(prompt))}

    def keys(self, prompt: Prompt) -> tuple[str, ...]:
        """Texts of the payload that are answer keys; exports leave out them and answers that contain one."""
        return ()

    def extra(self, model: Any) -> Mapping[str, Any]:
        """Keys of its own for a model in reports as JSON (`evolif.report.ModelAnalysis`)."""
        return {}

    def remarks(self, run: Any) -> Iterable[str]:
        """Sentences below the figures of a run in the terminal (`evolif.report.RunAnalysis`)."""
        return ()

    def opening(self, board: Any) -> Opening:
        """What the page begins with, from models side by side; by default what patience and verdicts show."""
        return Opening()

    def parts(self, board: Any) -> Iterable[Grid]:
        """Report sections of its own, from models side by side (`evolif.report.ComparableRuns`)."""
        return ()

    def figures(self, board: Any) -> Iterable[HeatMap | LineChart]:
        """Figures of its own, from models side by side; the page has each in its chapter, or at the end."""
        return ()

    def exhibits(self, prompts: Sequence[Prompt]) -> Sequence[Exhibit]:
        """What the page shows side by side above the transcript of these prompts; it then folds the prompts."""
        return ()
