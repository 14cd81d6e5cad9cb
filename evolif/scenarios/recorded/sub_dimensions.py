"""Scores by label, and what they say together: which sub-dimensions rank and tell apart the models alike.

A sub-dimension is a bucket of dialogue labels, `column:value`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from evolif.errors import ArgumentError
from evolif.scenario import HeatCell
from evolif.scenario.presentation import Grid, HeatMap, TableCell, TableRow
from evolif.scenarios.recorded.aggregation import Record, aggregate, hierarchies, parse_aggregation
from evolif.scenarios.recorded.labels import label_buckets, label_values
from evolif.scenarios.recorded.model_results import COMMON_AGGREGATIONS, ModelResults, dialogue_of
from evolif.scenarios.recorded.report import name_of, partial_note, score_cell
from evolif.scenarios.recorded.statistics import discriminability, spearman_matrix
from evolif.text import plural

MOST_VALUES: Final = 24
"""Of a label; one with more is left out."""
_FEW_VALUES: Final = 6
"""With more, a label whose values hardly ever repeat is left out: it names dialogues, and does not sort them."""
MOST_BUCKETS: Final = 40
"""Of a table or figure."""
_MOST_CROSSED, _MOST_DRAWN = 16, 24
"""Sub-dimensions in the table of rank correlations, and in its figure."""
_SHOWN_PAIRS: Final = 5
_STRONG, _LITTLE = 0.4, 0.2
"""How the authors of UniDial-EvalKit read discriminability."""

Side = Literal["dialog", "turn"]
_CORRELATED: Final = (
    "Spearman’s correlation of the models’ scores between two sub-dimensions. Labels that share dialogues agree partly "
    "for that reason."
)


@dataclass(frozen=True)
class LabelView:
    """The labels of one side, and the models' scores under them.

    Attributes:
        results: One per model; at least one.
        side: `dialog` or `turn`.
    """

    results: tuple[ModelResults, ...]
    side: Side

    @cached_property
    def aggregation(self) -> str:
        """How scores of this side are computed: dialogue scores, or turn scores, whatever the run's level."""
        turn_stat, dialog_stat, _ = parse_aggregation(self.results[0].aggregation)
        return f"{turn_stat}-{dialog_stat}-{self.side}"

    @cached_property
    def columns(self) -> dict[str, list[str]]:
        """Every column, with the buckets of its values in order."""
        values: dict[str, dict[str, str]] = {}
        for labels in {id(own): own for one in self.results for own in self._labels(one)}.values():
            for column, own in label_values(labels).items():
                values.setdefault(column, {}).update({value: f"{column}:{value}" for value in own})
            for bucket in hierarchies(labels) if self.side == "dialog" else ():
                values.setdefault("task_hierarchy", {})[bucket.partition(":")[2]] = bucket
        return {column: [own[value] for value in sorted(own, key=_by_size)] for column, own in values.items()}

    @cached_property
    def buckets(self) -> tuple[str, ...]:
        """Those that are shown."""
        counted = self.expected(self.results[0])
        shown: list[str] = []
        for own in self.columns.values():
            names_each = len(own) > _FEW_VALUES and sum(counted.get(bucket, 0) for bucket in own) < 2 * len(own)
            if len(own) <= MOST_VALUES and len(shown) + len(own) <= MOST_BUCKETS and not names_each:
                shown += own
        return tuple(shown)

    @cached_property
    def note(self) -> str:
        """Which columns are left out."""
        shown = set(self.buckets)
        hidden = [
            f"{name_of(column)} ({plural(len(own), 'value')})"
            for column, own in self.columns.items()
            if own[0] not in shown
        ]
        more = f" and {len(hidden) - _SHOWN_PAIRS} more" if len(hidden) > _SHOWN_PAIRS else ""
        return f"Not shown for their many values: {', '.join(hidden[:_SHOWN_PAIRS])}{more}." if hidden else ""

    @cached_property
    def figures(self) -> list[dict[str, Any]]:
        """Per model the figures of each bucket: `count`, `mean`, `min`, `max`."""
        level = parse_aggregation(self.aggregation)
        return [dict(aggregate(one.records, *level)["by_label"].get(self.side, {})) for one in self.results]

    def of_bucket(self, one: ModelResults) -> dict[str, list[Record]]:
        """The records in each bucket that is shown."""
        found: dict[str, list[Record]] = {bucket: [] for bucket in self.buckets}
        for record in one.records:
            for bucket in self.buckets_of(record[f"{self.side}_labels"]):
                if bucket in found:
                    found[bucket].append(record)
        return found

    def buckets_of(self, labels: Any) -> Iterable[str]:
        """The buckets that labels belong to, each once."""
        own = label_buckets(labels)
        return dict.fromkeys([*own, *hierarchies(labels)] if self.side == "dialog" else own)

    def expected(self, one: ModelResults) -> dict[str, int]:
        """How many dialogues or turns of each bucket should have a score."""
        counted: dict[str, int] = {}
        for labels in self._labels(one):
            for bucket in self.buckets_of(labels):
                counted[bucket] = counted.get(bucket, 0) + 1
        return counted

    def _labels(self, one: ModelResults) -> Iterator[Any]:
        """Those of each dialogue or turn that is evaluated, also where no metric scores it."""
        for outline in one.outlines.values():
            if self.side == "turn":
                yield from (labels for _, _, labels in outline["turns"])
            elif outline["turns"]:
                yield outline["labels"]


def _by_size(value: str) -> tuple[bool, float, str]:
    """Whole numbers in their order, before texts."""
    digits = value.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) < 16
    return not is_number, float(value) if is_number else 0.0, value


def label_grid(view: LabelView) -> Grid:
    """The score of each model by label."""
    word, name = ("dialogue", "labels") if view.side == "dialog" else ("turn", "turn-labels")
    title = f"Score by label of the {word} ({view.aggregation}), in %, over {word}s"
    records = [view.of_bucket(one) for one in view.results]
    expected = [view.expected(one) for one in view.results]
    rows: list[TableRow] = []
    for bucket in view.buckets:
        cells = []
        for number, one in enumerate(view.results):
            own = view.figures[number].get(bucket, {})
            interval = one.interval(view.aggregation, records[number][bucket])
            cells.append(score_cell(own.get("mean"), interval, own.get("count", 0), expected[number].get(bucket, 0)))
        rows.append((name_of(bucket), tuple(cells)))
    notes = view.note, partial_note(cell for _, cells in rows for cell in cells)
    return Grid(name, title, "label", _heads(view.results), tuple(rows), " ".join(filter(None, notes)))


def label_map(view: LabelView) -> HeatMap | None:
    """The same as a heat map; None without labels."""
    if not view.buckets:
        return None
    word, name = ("dialogue", "labels") if view.side == "dialog" else ("turn", "turn-labels")
    names = [_short(bucket) for bucket in view.buckets]
    names = names if len(set(names)) == len(names) else list(view.buckets)
    rows = tuple(
        (
            shown,
            tuple(HeatCell(own.get(bucket, {}).get("mean"), own.get(bucket, {}).get("count")) for own in view.figures),
        )
        for shown, bucket in zip(names, view.buckets, strict=True)
    )
    return HeatMap(
        name,
        f"Score by label of the {word}",
        f"Mean score ({view.aggregation}) by label of the {word}, in %, on one scale from 0 (light) to 100 (dark); a "
        f"dash where no {word} has a score.",
        _heads(view.results),
        rows,
        f"{word}s",
    )


def _short(bucket: str) -> str:
    """The name of a bucket in a figure, where names are clipped."""
    return bucket.removeprefix("task_hierarchy:") if " > " in bucket else bucket


def correlations(view: LabelView) -> dict[str, Any] | None:
    """As `spearman_matrix`, over the buckets that are shown; None with fewer than two models or sub-dimensions.

    Raises:
        ArgumentError: There are too many buckets.
    """
    if len(view.results) < 2 or len(view.buckets) < 2:
        return None
    turn_stat, dialog_stat, _ = parse_aggregation(view.aggregation)
    shown = set(view.buckets)
    kept = {column for column, own in view.columns.items() if own[0] in shown}
    records = {one.head: [_with_labels(record, kept) for record in one.records] for one in view.results}
    found = spearman_matrix(records, turn_stat=turn_stat, dialog_stat=dialog_stat)
    return {**found, "pairs": [pair for pair in found["pairs"] if pair[0] in shown and pair[1] in shown]}


def _with_labels(record: Record, columns: set[str]) -> Record:
    labels = label_values(record["dialog_labels"])
    return {**record, "dialog_labels": {column: own for column, own in labels.items() if column in columns}}


def correlation_grids(view: LabelView) -> Iterator[Grid]:
    """The matrix of rank correlations, and its highest and lowest pairs."""
    title = "Rank correlation of sub-dimensions over models"
    try:
        found = correlations(view)
    except ArgumentError as fault:
        yield Grid("spearman", title, "sub-dimension", (), (), f"{fault}.")
        return
    if found is None:
        return
    note = " ".join(filter(None, (_CORRELATED, found["warning"])))
    if not any(rho is not None for _, _, rho in found["pairs"]):
        why = "No correlation is defined: the models’ scores do not differ."
        yield Grid("spearman", title, "sub-dimension", (), (), f"{why} {found['warning'] or ''}".strip())
        return
    rho_of = _symmetric(found)
    if len(view.buckets) <= _MOST_CROSSED:
        rows = tuple(
            (f"{number} {name_of(a)}", tuple(_rho_cell(rho_of(a, b)) for b in view.buckets))
            for number, a in enumerate(view.buckets, 1)
        )
        yield Grid("spearman", title, "sub-dimension", tuple(map(str, range(1, len(rows) + 1))), rows, note)
    defined = [pair for pair in found["pairs"] if pair[2] is not None]
    few = len(defined) <= 2 * _SHOWN_PAIRS
    shown = defined if few else [*defined[:_SHOWN_PAIRS], *defined[-_SHOWN_PAIRS:]]
    yield Grid(
        "spearman-pairs",
        "Pairs of sub-dimensions by rank correlation" + ("" if few else ": the highest and the lowest"),
        "pair",
        ("correlation",),
        tuple((f"{name_of(a)} · {name_of(b)}", (_rho_cell(rho),)) for a, b, rho in shown),
        note,
    )


def correlation_map(view: LabelView) -> HeatMap | None:
    """The matrix as a heat map; None where no correlation is defined, or where it would be too large."""
    try:
        found = correlations(view)
    except ArgumentError:
        return None  # the table says why
    if found is None or len(view.buckets) > _MOST_DRAWN or all(pair[2] is None for pair in found["pairs"]):
        return None
    rho_of = _symmetric(found)
    rows = tuple(
        (f"{number} {_short(a)}", tuple(HeatCell(rho_of(a, b)) for b in view.buckets))
        for number, a in enumerate(view.buckets, 1)
    )
    return HeatMap(
        "spearman",
        "Rank correlation of sub-dimensions",
        f"{_CORRELATED} From −1 (brown) to 1 (blue); a dash where it is undefined. Columns have the numbers of the "
        f"rows. {found['warning'] or ''}".strip(),
        tuple(str(number) for number in range(1, len(rows) + 1)),
        rows,
        signed=True,
    )


def _symmetric(found: dict[str, Any]) -> Callable[[str, str], float | None]:
    known = {(a, b): rho for a, b, rho in found["pairs"]}
    defined = {name for a, b, rho in found["pairs"] if rho is not None for name in (a, b)}

    def rho_of(a: str, b: str) -> float | None:
        if a == b:
            return 1.0 if a in defined else None
        return known.get((a, b), known.get((b, a)))

    return rho_of


def _rho_cell(rho: float | None) -> TableCell:
    return TableCell() if rho is None else TableCell(f"{rho:.2f}".replace("-0.00", "0.00"))


def discriminability_grid(view: LabelView) -> Grid | None:
    """How far the benchmark and its sub-dimensions tell the models apart; None for one model."""
    if len(view.results) < 2:
        return None
    rows = []
    for name in dict.fromkeys((view.results[0].aggregation, *COMMON_AGGREGATIONS)):
        rows.append(_discriminated(name, [one.under(name).get("mean") for one in view.results]))
    for bucket in view.buckets:
        rows.append(_discriminated(name_of(bucket), [own.get(bucket, {}).get("mean") for own in view.figures]))
    return Grid(
        "discriminability",
        "Discriminability: standard deviation ÷ mean of the models’ scores",
        "score",
        ("discriminability", "models"),
        tuple(rows),
        f"The authors of UniDial-EvalKit read above {_STRONG} as strong and below {_LITTLE} as little.",
    )


def _discriminated(name: str, scores: Sequence[float | None]) -> TableRow:
    known = [score for score in scores if score is not None]
    found = discriminability(known) if len(known) > 1 else None
    word = "" if found is None else "strong" if found > _STRONG else "little" if found < _LITTLE else ""
    return name, (TableCell() if found is None else TableCell(f"{found:.2f}", word), TableCell(str(len(known))))


def evidence_grid(view: LabelView) -> Grid | None:
    """How many turns hold the evidence for what is asked, overall and by dialogue label; None where none is named."""
    outlines = list({dialogue_of(number): one for number, one in view.results[0].outlines.items()}.values())
    if not any("golds" in outline for outline in outlines):
        return None
    rows = [_evidence("all", outlines)]
    for bucket in view.buckets:
        rows.append(_evidence(name_of(bucket), [one for one in outlines if bucket in view.buckets_of(one["labels"])]))
    return Grid(
        "evidence",
        "Evidence: the turns that a retrieval should find (reference_document)",
        "label",
        ("evaluated turns", "with evidence", "evidence turns"),
        tuple(rows),
    )


def _evidence(name: str, outlines: Sequence[Any]) -> TableRow:
    golds = [count for one in outlines for count in one.get("golds", [0] * len(one["turns"]))]
    return name, tuple(TableCell(str(number)) for number in (len(golds), sum(map(bool, golds)), sum(golds)))


def _heads(results: Sequence[ModelResults]) -> tuple[str, ...]:
    return tuple(one.head for one in results)
