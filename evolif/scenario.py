"""A scenario is what one kind of conversation brings; this module holds the contract, and finds scenarios by name.

The runner, the store, the report and the budget know conversations only through it:

- What comes next is a function of what was said: `Environment.prompt` gets the exchanges so far and returns the next
  prompt, or why the dialogue is over. Nothing keeps state, so stored turns alone are enough to resume.
- `Environment.system` is always sent whole, in front of whatever a context strategy shows of the past.
- Only the turns of the model under test count towards patience and cap. A partner speaks in its own seat; its calls
  have the role `partner`.
- Options of `play` belong to the run. What is compared within a run belongs to the benchmark.

A scenario is a class that inherits from `Scenario`, and overrides what differs. A plug-in names it in the entry point
group `evolif.scenarios`; it is imported when a benchmark, a run or a flag names it (docs/how-to/scenario.md).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, cast

from pydantic import BaseModel, ConfigDict

from evolif.errors import EvolifError, UsageError
from evolif.grid import Chapter as Chapter
from evolif.grid import Exhibit as Exhibit
from evolif.grid import Grid as Grid
from evolif.grid import HeatCell as HeatCell
from evolif.grid import HeatMap as HeatMap
from evolif.grid import LineChart as LineChart
from evolif.grid import LinePoint as LinePoint
from evolif.grid import Opening as Opening
from evolif.grid import PlotLine as PlotLine
from evolif.grid import TableCell as TableCell
from evolif.grid import TableRow as TableRow
from evolif.mends import did_you_mean
from evolif.options import changed_options as changed_options
from evolif.options import options_of as options_of
from evolif.options import pairs_of as pairs_of
from evolif.text import plural
from evolif.types import End, Exchange, Prompt, Role, Seat, Spent, Verdict

if TYPE_CHECKING:
    from evolif.config import EvalConfig
    from evolif.judging import Criterion, Judge, Judgement, RelevanceGate
    from evolif.metrics import Breakdown, MetricTable
    from evolif.models import ChatModel, ManagedModel

INSTRUCTIONS = "instructions"
"""Instruction following; benchmarks and runs that name no scenario are of this one."""
ENTRY_POINTS = "evolif.scenarios"
_OWN: Mapping[str, str] = {
    INSTRUCTIONS: "evolif.scenarios.instructions.scenario:InstructionFollowing",
    "recorded": "evolif.scenarios.recorded.scenario:Recorded",
    "shifts": "evolif.scenarios.shifts.scenario:Shifts",
    "games": "evolif.scenarios.games.scenario:Games",
    "broadcast": "evolif.scenarios.broadcast.scenario:Broadcast",
}
"""The scenarios of this package: where each class is."""


class NoOptions(BaseModel):
    """The options of a scenario that has none."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class Defaults:
    """How a benchmark is played unless the run says otherwise."""

    max_turns: int = 50
    """The cap, in turns of the model under test; it censors sessions. Let it exceed dialogues that end themselves."""
    patience: int | None = None
    """Failed turns in a row that end a session; None for a scenario without patience."""
    cut: Literal["during", "after"] = "during"
    """Whether exhausted patience ends a session, or only cuts it when it is read."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long sessions are expected to be, for `--dry-run`. Tokens are estimates."""

    turns: float | None = None
    """Mean turns of the model under test in a dialogue that patience does not end; None if only the cap ends it."""
    prompt_tokens: float = 100.0
    """Mean tokens of a prompt's new messages; also of what a partner says."""
    answer_tokens: float | None = None
    """Mean tokens of an answer; None if unknown."""
    system_tokens: float = 0.0
    partner_calls: float = 0.0
    """Calls of the partner per turn of the model under test."""
    judge_calls: float = 0.0
    """Calls per judge model and turn."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """What of a benchmark only a judge can decide; without one, a run leaves it unjudged."""

    groups: tuple[str, ...]
    """What needs a judge, in words; at least one."""
    requirements: float = 0.0
    """Its share of all requirements, from 0 to 1."""
    turns: float = 0.0
    """The share of turns in which nothing else is asked, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Author:
    """A model that a run may call to write missing prompts."""

    role: Literal["synthesizer", "checker"]
    model: str
    written: tuple[int, ...] = ()
    """The length of each dialogue that it continues, with at least a call per turn; empty if calls are not foreseen."""


class Benchmark(Protocol):
    """An opened benchmark folder of any scenario."""

    path: Path

    @property
    def scenario(self) -> str:
        """The scenario's name."""
        ...

    @property
    def identity(self) -> str:
        """Changes with what the dialogues are made from, not with their length (16 hex digits)."""
        ...

    @property
    def variant(self) -> str:
        """Which of the scenario's variants it is, in a word; empty if there is one only."""
        ...

    def dialogues(self) -> list[int]:
        """The numbers of the dialogues, in order."""
        ...

    def hold(self, dialogues: int) -> None:
        """Set how many dialogues are worth keeping in memory."""
        ...


def _ignore(sentence: str) -> None:
    pass


def _no_book(dialogue: int, turn: int, spent: tuple[Spent, ...]) -> None:
    pass


Meter = Callable[["ManagedModel", Role], "ChatModel"]
"""Wraps a client, so that its calls in a role are counted."""


def _unmetered(model: ManagedModel, role: Role) -> ChatModel:
    return model


@dataclass(frozen=True, slots=True)
class Services:
    """What a run offers an environment; the defaults are for working out prompts again, without a call."""

    judge: Judge | None = None
    """For what rules cannot check; None if no model judges."""
    config: EvalConfig | None = None
    """How the run was requested."""
    max_turns: int = 0
    """The run's cap; 0 where no turn is missing."""
    dialogues: Sequence[int] = ()
    """Those of the run."""
    meter: Meter = _unmetered
    """Counts the calls of a model that writes prompts, and keeps them within the budget."""
    book: Callable[[int, int, tuple[Spent, ...]], None] = _no_book
    """Books what writing a prompt has cost (dialogue, turn, calls): that belongs to no session."""
    relevance: RelevanceGate | None = None
    """How the run asks whether answers are about their tasks; None if it does not ask."""


class Environment(Protocol):
    """A scenario opened for play. Inherit from it to get the defaults."""

    def system(self, dialogue: int, seat: Seat) -> str:
        """What a seat is told before anything else; it is never cut."""
        return ""

    async def prompt(self, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        """What is asked next, or why the dialogue is over.

        Args:
            dialogue: Which one.
            past: Everything said so far, over all seats, oldest first.

        Raises:
            ModelError: a model that writes prompts failed; the session is suspended.
        """
        ...

    def recalled(self, prompt: Prompt, past: Sequence[Exchange]) -> Sequence[Exchange]:
        """What of the seat's own past a context strategy may show: all of it; nothing if the prompt tells it. Pure."""
        return past

    def given(self, prompt: Prompt) -> str | None:
        """An answer that stands already, as in a fixed transcript: then nobody is asked; None to ask. Pure."""
        return None

    def heard(self, prompt: Prompt, answer: str) -> str:
        """What the others hear of an answer. Pure: it is worked out again on resuming."""
        return answer

    def asks_a_judge(self, prompt: Prompt) -> bool:
        """Whether scoring an answer may need calls; the answer is then durable before it is judged."""
        return False

    async def score(
        self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Judgement | None = None
    ) -> Judgement:
        """The judgement on an answer; without a judge also of trivial answers, for the floor of a report.

        Args:
            prompt: What was asked.
            answer: As received; hostile input.
            past: What was said before the prompt.
            stored: An earlier judgement on the same answer; what rules found is kept, and only the judge asked again.

        Raises:
            JudgeError: a verdict is missing; the answer is stored, and judged on resuming.
        """
        ...

    async def aclose(self) -> None:
        """Release what it opened."""
        return


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


def scenario_names() -> tuple[str, ...]:
    """The scenarios that are installed, those of this package first."""
    return tuple(dict.fromkeys((*_OWN, *sorted(_plugins()))))


def get_scenario(name: str) -> Scenario:
    """The scenario of a name, imported on first use.

    Raises:
        UsageError: there is none, or it cannot be loaded.
    """
    if name in _OWN:
        return _construct(_OWN[name])
    place = _plugins().get(name)
    if place is None:
        known = scenario_names()
        raise UsageError(
            f"the scenario “{name}” is not installed here{did_you_mean(name, known)}; there are {', '.join(known)}"
        )
    try:
        scenario = _construct(place)
        called, title = scenario.name, scenario.title
    except Exception as fault:
        raise UsageError(
            f"the scenario {name}: the plug-in {place} cannot be loaded ({type(fault).__name__}: {fault}); fix or "
            "remove it"
        ) from fault
    if called != name:
        raise UsageError(f"the plug-in {place} calls its scenario “{called}”, but is installed as “{name}”")
    if not isinstance(title, str):
        raise UsageError(f"the plug-in {place} has no title that is a text; fix or remove it")
    return cast(Scenario, _Foreign(scenario))


class _Foreign:
    """A scenario of a plug-in, whose methods report their errors as `blaming` does."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._scenario, name)
        if isinstance(found, type) or not callable(found):
            return found

        def call(*given: Any, **named: Any) -> Any:
            with blaming(self._scenario):
                return found(*given, **named)

        return call


def _class_of(scenario: Scenario) -> type[Scenario]:
    return type(scenario._scenario if isinstance(scenario, _Foreign) else scenario)


def answer_keys(scenario: Scenario) -> str:
    """What a scenario calls its answer keys, in the plural; empty if it has none."""
    if not scenario.key_fields and _class_of(scenario).keys is Scenario.keys:
        return ""
    return f"{scenario.answer_key}{'es' if scenario.answer_key.endswith('s') else 's'}"


@contextmanager
def blaming(scenario: Scenario) -> Iterator[None]:
    """Report an unexpected error of a plug-in in the block as one sentence that names it.

    Raises:
        UsageError: instead of the error; this package's own errors, and those of its own scenarios, pass.
    """
    try:
        yield
    except EvolifError:
        raise
    except Exception as fault:
        if scenario.name in _OWN:
            raise
        raise UsageError(
            f"the plug-in of the scenario {scenario.name} failed ({type(fault).__name__}: {fault}); fix or remove it"
        ) from fault


def _construct(place: str) -> Scenario:
    module, _, attribute = place.partition(":")
    return cast(Scenario, getattr(import_module(module), attribute)())


def _plugins() -> dict[str, str]:
    if os.environ.get("EVOLIF_PLUGINS") == "0":
        return {}
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}


def open_player(name: Any, settings: Any) -> ChatModel:
    """A simulated model, by its parsed name, outside a run, where no benchmark says which scenario it belongs to.

    Raises:
        UsageError: no scenario of this package has it.
    """
    faults = []
    for own in _OWN:
        try:
            return get_scenario(own).player(name.name, settings.seed)
        except UsageError as fault:
            faults.append(fault)
    raise faults[0]
