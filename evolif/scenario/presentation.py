"""What a scenario brings to reports: its `Presentation`, and the tables, figures, chapters and exhibits it gives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Protocol

from evolif.errors import ArgumentError
from evolif.metrics.table import Breakdown, PlainName
from evolif.scenario.play import Benchmark
from evolif.scenario.views import ModelsView, ModelView, RunView
from evolif.text import plural
from evolif.types import Prompt

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class TableCell:
    """A figure, and a qualification in small print. Plain text, not made safe."""

    value: str = "–"
    aside: str = ""

    def __len__(self) -> int:
        return len(self.value) + bool(self.aside) + len(self.aside)


TableRow = tuple[str, tuple[TableCell, ...]]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A section of the page: the figures and tables that stand together.

    Attributes:
        name: One word, for links.
        title: Its heading.
        lead: A sentence below it; empty for none.
        figures: Names of figures, in order; what a run does not have is left out.
        tables: Names of tables.
    """

    name: str
    title: str
    lead: str = ""
    figures: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of a report.

    Attributes:
        name: One word, for labels.
        title: What it shows; empty for none.
        first: Head of the column of row names.
        heads: Heads of the other columns.
        rows: Name and cells, one per head.
        note: A remark for the reader; empty for none.
        meanings: Name of a row to what it is, in a few plain words; the page shows them under the names.
        plain: Name of a row or column that is an abbreviation to the same in the reader's words. The terminal and the
            page show the words first and the abbreviation behind them; LaTeX has the abbreviation alone.
    """

    name: str
    title: str
    first: str
    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]
    note: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)
    plain: Mapping[str, PlainName] = field(default_factory=dict)

    def said(self, name: str, *, short: bool = False) -> str:
        """The name of a row or column as people read it, such as `requirements satisfied (CSR %)`.

        Args:
            name: As `rows` and `heads` have it.
            short: With few words, for a terminal.
        """
        found = self.plain.get(name)
        return name if found is None else f"{found.short if short else found.full} ({name})"

    def part(self, start: int, end: int) -> Grid:
        """The table with some of its columns."""
        rows = tuple((name, cells[start:end]) for name, cells in self.rows)
        return replace(self, heads=self.heads[start:end], rows=rows)


@dataclass(frozen=True, slots=True)
class Opening:
    """What a report begins with: the answer, in a few sentences, with a figure and tables.

    Attributes:
        sentences: One for each thing that the models are compared in. Plain text.
        figures: Names of figures, in order of preference: the first that the runs have is shown.
        tables: Names of tables, shown in full.
        metrics: Names of the metrics in the table beside them; those of the scenario's own table if empty.
    """

    sentences: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A value, and how many observations it has; None where there is none, and where nobody counts."""

    value: float | None = None
    of: int | None = None


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A figure of a report: values over rows and columns, as numbers on colours of one scale.

    Attributes:
        name: Lower-case words joined by hyphens, for links and files.
        title: A few words.
        caption: What it shows, in sentences. Plain text.
        columns: Names; no two alike.
        rows: Name and cells, one per column; no two names alike.
        counted: What `HeatCell.of` counts, in the plural; empty if it is nowhere set.
        signed: False for shares from 0 to 1, shown in per cent; True for correlations from -1 to 1.

    Raises:
        ArgumentError: The name is of another form, names repeat, or a row has more or fewer cells than columns.
    """

    name: str
    title: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[HeatCell, ...]], ...]
    counted: str = ""
    signed: bool = False

    def __post_init__(self) -> None:
        _check_name(self.name)
        for names in (self.columns, [name for name, _ in self.rows]):
            if len(set(names)) < len(names):
                raise ArgumentError(f"the heat map {self.name} has rows or columns of the same name; number them")
        if any(len(cells) != len(self.columns) for _, cells in self.rows):
            raise ArgumentError(
                f"the heat map {self.name} has {plural(len(self.columns), 'column')}; give each row as many cells"
            )


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A share with its interval, and the number that it is a share of; None where there is none."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    of: int | None = None


@dataclass(frozen=True, slots=True)
class PlotLine:
    """A line of a chart: `points[i]` stands at the chart's `x[i]`. Its name is plain text."""

    name: str
    points: tuple[LinePoint, ...]


@dataclass(frozen=True, slots=True)
class LineChart:
    """A figure of a report: shares over a number, with the references between which they lie.

    Attributes:
        name: Lower-case words joined by hyphens, for links and files.
        title: A few words.
        caption: What it shows, in sentences. Plain text.
        x_label: What the numbers are.
        y_label: What the shares are; they are shown in per cent.
        x: The numbers, at least 0 and ascending.
        lines: With intervals, markers and a legend.
        references: Thin and grey, with their names at the right end.

    Raises:
        ArgumentError: The name is of another form, the numbers do not ascend, or a line has more or fewer points.
    """

    name: str
    title: str
    caption: str
    x_label: str
    y_label: str
    x: tuple[float, ...]
    lines: tuple[PlotLine, ...]
    references: tuple[PlotLine, ...] = ()

    def __post_init__(self) -> None:
        _check_name(self.name)
        if any(after <= before for before, after in pairwise(self.x)) or min(self.x, default=0) < 0:
            raise ArgumentError(f"the numbers of the chart {self.name} do not ascend from 0 or more; sort them")
        if any(len(line.points) != len(self.x) for line in (*self.lines, *self.references)):
            raise ArgumentError(f"the chart {self.name} has {len(self.x)} numbers; give each line as many points")


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What the page shows above a transcript, such as what one player saw.

    Attributes:
        title: A few words. Plain text, like the following.
        text: In letters of one width; empty for none.
        pictures: PNG, in order.
        labels: What stands below each picture; none, or one for each.
        note: A remark below; empty for none.

    Raises:
        ArgumentError: there are some labels, but not one for each picture, or a picture is no PNG.
    """

    title: str
    text: str = ""
    pictures: tuple[bytes, ...] = ()
    labels: tuple[str, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        if self.labels and len(self.labels) != len(self.pictures):
            raise ArgumentError(
                f"the exhibit {self.title} has {plural(len(self.pictures), 'picture')}; give each one label"
            )
        if any(not picture.startswith(_PNG) for picture in self.pictures):
            raise ArgumentError(f"a picture of the exhibit {self.title} is no PNG; convert it")


class Titled(Protocol):
    """What a presentation has to know of its scenario."""

    @property
    def name(self) -> str:
        """As flags and files name it."""
        ...

    @property
    def title(self) -> str:
        """What it is, in a short line."""
        ...


class Presentation:
    """How reports and pages show a scenario. Inherit from it to change a part.

    Args:
        scenario: The scenario.

    Attributes:
        requirement: What a verdict is about, in the singular, as reports call it.
        answer_key: What reports call an answer that satisfies every rule.
        notice: A sentence that stands over every report.
        chapters: How the page arranges figures and tables; the usual order if empty.
        references: Its simulated models that know the answers: reports show them apart, and compare no model with them.
        how_to_read: What a reader of the page has to know about it, in sentences.

    Example:
        ```python
        class ChessPages(Presentation):
            requirement = "move"

            def remarks(self, run):
                return [f"{model.name} played {len(model.counted)} games." for model in run.models]
        ```
    """

    requirement: str = "requirement"
    answer_key: str = "key"
    notice: str = ""
    chapters: tuple[Chapter, ...] = ()
    references: tuple[str, ...] = ("perfect",)
    how_to_read: tuple[str, ...] = ()

    def __init__(self, scenario: Titled) -> None:
        self.scenario = scenario

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
        words = ["--scenario", self.scenario.name]
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

    def reaction(self, prompt: Prompt) -> tuple[int, int] | None:
        """The range of the query in which the person reacts to the answer before, in characters; None for none.

        The page and the review tool mark it.
        """
        return None

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
        title = self.scenario.title
        return f"{plural(models, 'model')} over {plural(dialogues, 'dialogue')}, with transcripts: {title}."

    def seen_kinds(self, side: str) -> Breakdown | None:
        """The requirements of each turn by whether a model that was trained on one side of a split has seen their kind.

        Its keys are `seen`, `unseen`, and `both` for what both sides ask for.

        Args:
            side: What was trained on, such as `train`.

        Returns:
            The breakdown; None for a scenario whose benchmarks are not split.

        Raises:
            UsageError: there is no such side.
        """
        return None

    def extra(self, model: ModelView) -> Mapping[str, Any]:
        """Keys of its own for a model in reports as JSON."""
        return {}

    def remarks(self, run: RunView) -> Iterable[str]:
        """Sentences below the figures of a run in the terminal."""
        return ()

    def warnings(self, run: RunView) -> Iterable[str]:
        """Those of the remarks without which the figures would be misread; they stand wherever a figure does."""
        return ()

    def opening(self, board: ModelsView) -> Opening:
        """What the page begins with, from models side by side; by default what patience and verdicts show."""
        return Opening()

    def parts(self, board: ModelsView) -> Iterable[Grid]:
        """Report sections of its own, from models side by side."""
        return ()

    def figures(self, board: ModelsView) -> Iterable[HeatMap | LineChart]:
        """Figures of its own, from models side by side; the page has each in its chapter, or at the end."""
        return ()

    def exhibits(self, prompts: Sequence[Prompt]) -> Sequence[Exhibit]:
        """What the page shows side by side above the transcript of these prompts; it then folds the prompts."""
        return ()


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ArgumentError(f"{name!r} names no figure; use lower-case words joined by hyphens")
