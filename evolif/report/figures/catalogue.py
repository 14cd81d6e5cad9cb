"""Every figure by name, in the order of a report: how it is drawn, its caption, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import evolif.report.figures.data as gather
from evolif.errors import OutsideError, UsageError
from evolif.report.analysis import RunAnalysis
from evolif.report.comparable import ComparableRuns, group_comparable
from evolif.report.comparison import ModelComparison
from evolif.report.figures.data import Curve
from evolif.report.figures.plots import MOST_BANDS, Plot, draw_bars, draw_curves, draw_dots, draw_forest, draw_heat
from evolif.report.figures.radar import FEWEST_GROUPS, MOST_TOGETHER, draw_radar
from evolif.report.figures.style import FEW, TWO_COLUMNS, label, markdown, style
from evolif.report.figures.survival import draw_survival
from evolif.report.figures.svg import png_bytes, svg_text
from evolif.report.wording import NOT_COMPARABLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure and its caption."""

    figure: Figure
    caption: str


DrawOutcome: TypeAlias = "Drawing | str"
"""The figure, or the sentence that says why there is none."""

NO_TURN = "No session with a judged turn has ended yet."
INTERVALS = "95 % bootstrap intervals over dialogues"
HOLLOW = f"Hollow points stand on fewer than {FEW} turns; below {gather.FEWEST} none is drawn."


def _bands(curves: Sequence[Curve]) -> str:
    """The clause on bands, where a plot has them."""
    return f", with {INTERVALS}" if len(curves) <= MOST_BANDS else ""


def _anything(curves: Iterable[Curve]) -> bool:
    """Whether any point can be drawn."""
    return any(mark.value is not None for curve in curves for mark in curve.marks)


def _sessions(runs: ComparableRuns) -> str:
    """How many counted sessions each model has."""
    counted = [model.summary.metrics.dialogues for model in runs.models]
    if len(set(counted)) == 1:
        return (
            f"n = {counted[0]} session{'' if counted[0] == 1 else 's'}{' of each model' if len(counted) > 1 else ''}."
        )
    listed = (f"{label(name)} {number}" for name, number in zip(runs.heads, counted, strict=True))
    return f"n = sessions: {', '.join(listed)}."


def headline(runs: ComparableRuns) -> DrawOutcome:
    """The eight metrics."""
    if not any(model.summary.metrics.dialogues for model in runs.models):
        return NO_TURN
    return Drawing(
        draw_bars(gather.headline_panels(runs), runs.heads),
        f"The eight process metrics with {INTERVALS}; a dash where a metric is undefined. {_sessions(runs)}",
    )


def survival(runs: ComparableRuns) -> DrawOutcome:
    """Fig. 3."""
    curves = gather.survival_curves(runs)
    if not curves:
        return NO_TURN
    width = "95 % bands (log-log, Greenwood)" if len(curves) <= MOST_BANDS else "bands left away, for legibility"
    return Drawing(
        draw_survival(curves),
        "Kaplan–Meier estimate of the sessions still going after each judged turn; ticks mark sessions cut short "
        f"(cap, context, budget); {width}. Below: sessions that have at least so many turns. {_medians(runs)} "
        f"{_sessions(runs)}{_left_out(runs)}",
    )


def _medians(runs: ComparableRuns) -> str:
    turns = [
        f"{label(name)} {'beyond the curve' if model.survival.median is None else model.survival.median}"
        for name, model in gather.pairs(runs)
        if model.survival.sessions
    ]
    return f"Turn by which half of the sessions have ended: {', '.join(turns)}."


def _left_out(runs: ComparableRuns) -> str:
    """The sentence on sessions that are not in the curves."""
    counted = [(label(name), model.summary.counts) for name, model in gather.pairs(runs)]
    numbers = [(name, counts.suspended + counts.running + counts.withheld) for name, counts in counted]
    listed = [f"{name} {number}" for name, number in numbers if number]
    if not listed:
        return ""
    thin = " (thin lines: the curve if all of them had failed, and had gone on)" if len(counted) <= MOST_BANDS else ""
    return f" Suspended or withheld and left out{thin}: {', '.join(listed)}."


def hazard(runs: ComparableRuns) -> DrawOutcome:
    """Where sessions end."""
    curves = gather.hazard_curves(runs)
    if not _anything(curves):
        return f"No turn was had by {gather.FEWEST} sessions or more."
    plot = Plot("judged turn", "patience exhausted here (%)", curves, zoom=True)
    return Drawing(
        draw_curves([plot], width=TWO_COLUMNS),
        "Hazard: share of the sessions that have a turn whose patience is exhausted at it, with Wilson's 95 % score "
        f"intervals; turns had by fewer than {gather.FEWEST} sessions left away. Hollow points stand on fewer "
        f"than {FEW} sessions. {_sessions(runs)}",
    )


def patience(runs: ComparableRuns) -> DrawOutcome:
    """Table 3 as curves."""
    length, accuracy = (gather.patience_curves(runs, metric) for metric in ("edr_len", "edr_acc"))
    if not _anything(length):
        return NO_TURN
    if max(len(curve.x) for curve in length) < 2:
        return "The run's patience is 1: there is no smaller one to replay it with."
    axis = "patience (failed turns in a row)"
    return Drawing(
        draw_curves(
            [
                Plot(axis, gather.label_of("edr_len", runs), length, percent=False, hollow=False),
                Plot(axis, gather.label_of("edr_acc", runs), accuracy, percent=False, hollow=False),
            ],
            width=TWO_COLUMNS,
        ),
        "What the same answers give at every smaller patience, exactly, by cutting each session at its first streak of "
        f"so many failures{_bands(length)}. {_sessions(runs)}",
    )


def stability(runs: ComparableRuns) -> DrawOutcome:
    """Table 4 as curves."""
    curves = gather.stability_curves(runs)
    if not runs.rank_stability:
        return "Rank stability wants three models or more, and more than five dialogues."
    if not _anything(curves):
        return "No correlation is defined: the models do not differ in ROB."
    draws = max(point.draws for point in runs.rank_stability)
    return Drawing(
        draw_curves([Plot("dialogues in the subsample", "correlation of ROB", curves, percent=False, below_zero=True)]),
        f"Correlation over {len(runs.models)} models between ROB on random subsamples of dialogues and on all of "
        f"them; mean over {draws} subsamples, ± one standard deviation.",
    )


def comparison(pair: ModelComparison) -> DrawOutcome:
    """The difference of two models."""
    found = gather.differences(pair)
    paired = pair.paired
    if not any(difference.mark.value is not None for difference in found):
        return "The two have no dialogue in common in which both have a counted session."
    first, second = pair.labels
    return Drawing(
        draw_forest(found, first, second),
        f"{label(first)} minus {label(second)}, paired over {paired.dialogues} dialogues, with 95 % paired bootstrap "
        "intervals; p of a permutation test after Holm's correction over the metrics, filled points below 0.05.",
    )


def groups(runs: ComparableRuns) -> DrawOutcome:
    """Table 6 as colours."""
    matrix = gather.group_matrix(runs)
    if not matrix.columns:
        return NO_TURN
    return Drawing(
        draw_heat(matrix),
        f"Constraints satisfied per group, in % of those judged; italics: fewer than {FEW} judged. {_sessions(runs)}",
    )


def radar(runs: ComparableRuns) -> DrawOutcome:
    """Fig. 4."""
    matrix = gather.group_matrix(runs)
    if len(matrix.columns) < FEWEST_GROUPS:
        return f"Fewer than {FEWEST_GROUPS} constraint groups were judged; the table of groups shows them."
    mean = "" if len(matrix.rows) <= MOST_TOGETHER else "; grey: the mean of all models"
    return Drawing(
        draw_radar(matrix),
        f"Constraints satisfied per group; the rim is 100 %, the rings are 25, 50 and 75 %{mean}. {_sessions(runs)}",
    )


def modes(runs: ComparableRuns) -> DrawOutcome:
    """Group × mode."""
    matrix = gather.mode_matrix(runs)
    if not matrix.rows:
        return NO_TURN
    return Drawing(
        draw_heat(matrix),
        f"Constraints satisfied per group and mode, in % of those judged; italics: fewer than {FEW} judged. "
        f"{_sessions(runs)}",
    )


def depth(runs: ComparableRuns) -> DrawOutcome:
    """Satisfaction over the turns a topic has had."""
    return _slices(runs, "depth", "turns on the topic", "the number of turns that the topic has had")


def load(runs: ComparableRuns) -> DrawOutcome:
    """Satisfaction over the number of constraints at once."""
    return _slices(runs, "load", "active constraints", "the number of constraints that are active at once")


def _slices(runs: ComparableRuns, by: str, axis: str, words: str) -> DrawOutcome:
    csr, isr = gather.slice_curves(runs, by)
    if not _anything(csr):
        return (
            NO_TURN if not any(model.by(by) for model in runs.models) else f"No point stands on {gather.FEWEST} turns."
        )
    plots = [Plot(axis, "CSR (%)", csr), Plot(axis, "ISR (%)", isr)]
    return Drawing(
        draw_curves(plots, width=TWO_COLUMNS),
        f"Constraints satisfied per turn (CSR, left) and turns with all satisfied (ISR, right) over {words}"
        f"{_bands(csr)}. {HOLLOW} {_sessions(runs)}",
    )


def moves(runs: ComparableRuns) -> DrawOutcome:
    """CSR and ISR per move."""
    return _dots(runs, "move", "where the dialogue opens a topic, continues one or goes back to one")


def formality(runs: ComparableRuns) -> DrawOutcome:
    """Fig. 7."""
    return _dots(runs, "formality", "after formal and after informal queries (told by rules)")


def _dots(runs: ComparableRuns, by: str, words: str) -> DrawOutcome:
    panels, keys = gather.slice_panels(runs, by)
    keys = tuple(key for key in keys if key != "unknown")
    if not keys:
        return (
            "The run does not know this of its turns: it was made before it was kept." if panels[0].marks else NO_TURN
        )
    return Drawing(
        draw_dots(panels, runs.heads, keys),
        f"CSR (left) and ISR (right) {words}, with {INTERVALS}. {_sessions(runs)}",
    )


def synthesizers(runs: ComparableRuns) -> DrawOutcome:
    """Fig. 6."""
    return _kinds(runs, "synthesizer", "who worded the queries", "worded by")


def registers(runs: ComparableRuns) -> DrawOutcome:
    """App. G's kin: the personas' registers."""
    return _kinds(runs, "register", "the register of the dialogue's persona", "of the register")


def _kinds(runs: ComparableRuns, kind: str, words: str, alike: str) -> DrawOutcome:
    panel, keys = gather.kind_panel(runs, kind)
    known = tuple(key for key in keys if key != "unknown")
    if not known:
        return "The run does not know this of its turns: it was made before it was kept." if keys else NO_TURN
    if len(known) == 1:
        return f"All dialogues are {alike} {label(known[0])}: there is nothing to set side by side."
    return Drawing(
        draw_dots([panel], runs.heads, known),
        f"ROB by {words} (of most of a dialogue's turns), with {INTERVALS}. {_sessions(runs)}",
    )


COMPARISON = "comparison"

_BOARD_FIGURES: Mapping[str, tuple[str, Callable[[ComparableRuns], DrawOutcome]]] = {
    "headline": ("The eight metrics", headline),
    "survival": ("How long sessions last", survival),
    "hazard": ("Where sessions end", hazard),
    "groups": ("Satisfaction per constraint group", groups),
    "radar": ("Satisfaction per constraint group, as a radar", radar),
    "modes": ("Satisfaction per group and mode", modes),
    "depth": ("Satisfaction over the turns of a topic", depth),
    "load": ("Satisfaction over the number of constraints", load),
    "moves": ("Satisfaction per move", moves),
    "patience": ("Patience sweep", patience),
    "stability": ("Rank stability", stability),
    "synthesizers": ("ROB by synthesizer", synthesizers),
    "registers": ("ROB by register", registers),
    "formality": ("Formal and informal queries", formality),
}

FIGURE_NAMES: tuple[str, ...] = (*_BOARD_FIGURES, COMPARISON)
"""All figures, in the order of a report."""

FigureSubject = RunAnalysis | ComparableRuns | ModelComparison
"""One run, several comparable runs, or two models side by side."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of a run, or the reason why there is none.

    Attributes:
        name: One of `FIGURE_NAMES`.
        title: A few words, for a heading.
        caption: What it shows and of how many; the reason where there is no figure. Plain text, names made short.
        figure: None where there is none.
    """

    name: str
    title: str
    caption: str
    figure: Figure | None

    def svg(self, *, inline: bool = False) -> str:
        """As SVG, for a file or to stand in a page; empty where there is no figure."""
        if self.figure is None:
            return ""
        return svg_text(self.figure, self.name, words=f"{self.title}. {self.caption}", inline=inline)

    def png(self) -> bytes:
        """As PNG, 200 dots per inch; empty where there is no figure."""
        return b"" if self.figure is None else png_bytes(self.figure)


def draw(name: str, subject: FigureSubject) -> Picture:
    """One figure.

    Args:
        name: One of `FIGURE_NAMES`; `comparison` of a `ModelComparison`, or of exactly two models.
        subject: Of what.

    Raises:
        UsageError: No figure has that name, or matplotlib (extra `report`) is not installed.
    """
    if name not in FIGURE_NAMES:
        raise UsageError(f"there is no figure “{name}”; there are {', '.join(FIGURE_NAMES)}")
    with style():
        try:
            title, made = _make(name, ComparableRuns((subject,)) if isinstance(subject, RunAnalysis) else subject)
        except UsageError as fault:
            # A missing package costs only the figures that need it.
            return Picture(name, _title(name), str(fault), None)
    if isinstance(made, Drawing):
        return Picture(name, title, made.caption, made.figure)
    return Picture(name, title, made, None)


def draw_all(subject: ComparableRuns | RunAnalysis, comparisons: Sequence[ModelComparison] = ()) -> list[Picture]:
    """Every figure of comparable runs, then those of the comparisons; two models alone are always compared."""
    with style():
        pictures = [draw(name, subject) for name in _BOARD_FIGURES]
        runs = ComparableRuns((subject,)) if isinstance(subject, RunAnalysis) else subject
        if not comparisons and len(runs.models) == 2:
            pictures.append(draw(COMPARISON, runs))
        return [*pictures, *(draw(COMPARISON, pair) for pair in comparisons)]


def _make(name: str, subject: ComparableRuns | ModelComparison) -> tuple[str, DrawOutcome]:
    if name == COMPARISON:
        if isinstance(subject, ComparableRuns):
            if len(subject.models) != 2:
                return _title(name), "Two models are compared at a time; name them to evolif compare."
            subject = ModelComparison(*subject.models)
        return _title(name), comparison(subject)
    if isinstance(subject, ModelComparison):
        return _title(name), "This figure is of a run, not of a comparison."
    title, maker = _BOARD_FIGURES[name]
    return title, maker(subject)


def _title(name: str) -> str:
    return _BOARD_FIGURES[name][0] if name in _BOARD_FIGURES else "The difference of two models"


INDEX = "figures.md"


def write_figures(
    analyses: Sequence[RunAnalysis], directory: Path | str, *, comparisons: Sequence[ModelComparison] = ()
) -> list[Path]:
    """Every figure of the runs as SVG and PNG (200 dots per inch), and `figures.md` with captions.

    Runs that may be compared share their figures; others have theirs in folders `run-1`, `run-2`, …

    Args:
        analyses: The runs.
        directory: Made where it is not there; figures of the same names are replaced, nothing else is touched.
        comparisons: Pairs of models to draw; exactly two models are always compared.

    Returns:
        What was written, the index last.

    Raises:
        UsageError: matplotlib (extra `report`) is not installed.
        OutsideError: The folder cannot be written.
    """
    root = Path(directory)
    groups = group_comparable(analyses)
    written: list[Path] = []
    lines = ["# Figures", "", NOT_COMPARABLE, ""]
    try:
        root.mkdir(parents=True, exist_ok=True)
        with style():
            for number, runs in enumerate(groups, start=1):
                folder = root if len(groups) == 1 else root / f"run-{number}"
                folder.mkdir(exist_ok=True)
                if len(groups) > 1:
                    lines += [f"## Run {number}: {markdown(label(runs.analyses[0].name, 80))}", ""]
                mine = [pair for pair in comparisons if pair.a.of in runs.analyses]
                for picture, name in _named(draw_all(runs, mine)):
                    files = _write(picture, folder, name)
                    written += files
                    lines += _entry(picture, files, root)
        (root / INDEX).write_text("\n".join(lines), encoding="utf-8")
    except OSError as error:
        raise OutsideError(f"{root}: the figures cannot be written ({error.strerror or error})") from error
    return [*written, root / INDEX]


def _named(pictures: Sequence[Picture]) -> Iterator[tuple[Picture, str]]:
    """Pictures with names of files; further pictures of one name are numbered."""
    seen: list[str] = []
    for picture in pictures:
        seen.append(picture.name)
        again = seen.count(picture.name)
        yield picture, picture.name if again == 1 else f"{picture.name}-{again}"


def _write(picture: Picture, folder: Path, name: str) -> list[Path]:
    files = [folder / f"{name}.svg", folder / f"{name}.png"]
    if picture.figure is None:
        # Files of an earlier report would be mistaken for this one's.
        for file in files:
            file.unlink(missing_ok=True)
        return []
    files[0].write_text(picture.svg(), encoding="utf-8")
    files[1].write_bytes(picture.png())
    return files


def _entry(picture: Picture, files: Sequence[Path], root: Path) -> list[str]:
    lines = [f"### {picture.title}", ""]
    if not files:
        return [*lines, f"No figure: {markdown(picture.caption)}", ""]
    svg, png = (file.relative_to(root).as_posix() for file in files)
    return [*lines, f"![{picture.title}]({svg})", "", f"{markdown(picture.caption)} ({svg}, {png})", ""]
