"""A board as data: what its page shows is what its JSON says.

Rates are fractions, and what is not known is None. `docs/reference/board-json.md` explains every key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from evolif.errors import InputError
from evolif.metrics import Interval, Metric

SCHEMA = 1
"""The edition of the JSON; raised where a key changes its meaning or goes."""

MarkKind = Literal[
    "reference", "floor", "edited", "not-sealed", "suspended", "not-started", "withheld", "refused", "early", "few"
]
"""What a reader has to know of a cell."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its 95 % interval; None where either is unknown."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, value: float | None, ends: Interval | None) -> Figure:
        """The figure of a report."""
        return cls(value, *(ends or (None, None)))


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """A metric as its scenario describes it."""

    name: str
    label: str
    unit: Literal["rate", "turns", "count"]
    meaning: str = ""
    small: bool = False
    """Whether it is a rate that may be far below one per cent."""
    lower_is_better: bool = False
    plain: str = ""
    """Its name in the reader's words, where the label is an abbreviation."""

    @property
    def metric(self) -> Metric:
        """As reports print it."""
        return Metric(self.name, self.label, self.unit, self.small, self.meaning)


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that a reader of a cell has to know."""

    kind: MarkKind
    text: str
    """One sentence."""


@dataclass(frozen=True, slots=True)
class Rank:
    """A place among the models of a column."""

    rank: float
    """1 is the best; models with equal figures share the mean of their ranks."""
    low: int
    """The best rank that the data allow, with 95 % certainty for all models of the column together."""
    high: int
    """The worst."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What the calls of the model under test took; not those of judges or partners."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    unknown_calls: int
    """Calls whose tokens are unknown, and in no sum."""
    usd: float | None
    """US dollars by the price table of the day; None where the price or the usage is unknown."""


@dataclass(frozen=True, slots=True)
class Play:
    """One evaluation of a model in a column."""

    run: str
    """The name of the run's folder."""
    date: str
    """When its answers were last asked for, as ISO 8601 in UTC."""
    date_of: Literal["run", "file"]
    """Whether the run says so itself, or only its file's date does."""
    figure: Figure
    """The column's metric."""
    dialogues: int
    """Dialogues with a session that counts."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A model in a column: its newest evaluation there."""

    row: str
    column: str
    newest: Play
    metrics: Mapping[str, Figure]
    """All metrics of the column."""
    sessions: int
    """Sessions that count."""
    turns: int
    """Turns of the model under test, of all sessions."""
    cost: Cost
    rank: Rank | None
    """None for models that have no place: `marks` says why, or the column has no other model."""
    letters: str
    """Models of the column that share a letter are not told apart; empty without a rank."""
    marks: tuple[Mark, ...]
    command: str
    """What prints the full report of its run."""
    earlier: tuple[Play, ...] = ()
    """Evaluations of the same model before the newest, the oldest first."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two models of a column: the first minus the second, in the column's metric."""

    column: str
    a: str
    b: str
    difference: Figure
    p: float | None
    """Two-sided; None if too few dialogues contribute."""
    p_holm: float | None
    """After Holm's correction over all pairs of ranked models of the column."""
    told_apart: bool
    needed: int | None
    """Dialogues, or what the column counts, that would tell the two apart; None where that is unknown."""
    dialogues: int
    """Those that both have."""
    also: tuple[str, ...] = ()
    """Other settings in which the two runs differ."""
    transcripts: str = ""
    """A page with the two side by side, relative to the board's folder; empty for none."""


@dataclass(frozen=True, slots=True)
class Column:
    """Runs whose figures are of the same thing, and may be ranked."""

    id: str
    scenario: str
    profile: str
    """The variant of the benchmark; empty where the scenario has none."""
    benchmark: str
    """The benchmark's identity."""
    differs: tuple[str, ...]
    """In which it differs from the other columns of the same scenario and profile, in words."""
    settings: str
    """Its settings, in a sentence."""
    metric: str
    """The metric that its figures are of, and that ranks are by."""
    metrics: tuple[MetricInfo, ...]
    unit: str
    """What is resampled and tested as one: `dialogue`, or what the scenario takes together."""
    dialogues: int
    """The most that a model has."""
    ranked_on: int
    """Dialogues that all ranked models have, which ranks and letters stand on; 0 without a ranking."""
    runs: tuple[str, ...]
    """Names of their folders."""
    notes: tuple[str, ...]
    """What a reader of the column has to know, in sentences."""
    instances: tuple[str, ...] = ()
    """Columns of the same recipe with another seed: other dialogues, so never in one ranking with these."""

    @property
    def headline(self) -> MetricInfo:
        """The metric that its figures are of."""
        return next(metric for metric in self.metrics if metric.name == self.metric)


@dataclass(frozen=True, slots=True)
class Row:
    """A model with its own settings."""

    name: str
    """The model, with what tells it from other rows of the same model."""
    model: str


@dataclass(frozen=True, slots=True)
class Board:
    """Models × columns.

    Attributes:
        title: The head of the page.
        seed: Of every draw.
        resamples: How many draws each figure takes that needs some.
        columns: In the order of the page.
        rows: In the order in which the runs have them.
        cells: One per row and column that have a run.
        pairs: Of two models of one column; models that know the answers are in none.
    """

    title: str
    seed: int
    resamples: int
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    cells: tuple[Cell, ...] = field(repr=False)
    pairs: tuple[Pair, ...] = field(repr=False)

    def to_object(self) -> dict[str, Any]:
        """The board as JSON has it."""
        return {"schema": SCHEMA, **asdict(self)}


@cache
def board_type() -> TypeAdapter[Board]:
    """Reads a board from JSON, and describes it as a JSON schema."""
    return TypeAdapter(Board)


def board_from_object(data: Any) -> Board:
    """A board from what `Board.to_object` made of it.

    Raises:
        InputError: it is of another edition, or a key is missing or of another kind.
    """
    edition = data.get("schema") if isinstance(data, dict) else None
    if edition != SCHEMA:
        raise InputError(f"this is no board of schema {SCHEMA}; build it again with evolif board")
    try:
        return board_type().validate_python({key: value for key, value in data.items() if key != "schema"})
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"{place}: {first['msg']}; build the board again with evolif board") from None
