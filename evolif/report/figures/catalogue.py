"""Every figure by name, in the order of a report: how it is drawn, its caption, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import evolif.report.figures.data as gather
from evolif.errors import OutsideError, UsageError
from evolif.metrics import PROCESS, Survival
from evolif.report.analysis import RunAnalysis
from evolif.report.comparable import ComparableRuns, group_comparable
from evolif.report.comparison import ModelComparison
from evolif.report.contexts import FIGURE, TREE, differ_in_context, score_of, shows_contexts, strategy_base
from evolif.report.coverage import unit_name, unit_words
from evolif.report.figures.chart import draw_chart
from evolif.report.figures.contexts import draw_tokens, draw_tree
from evolif.report.figures.data import Curve
from evolif.report.figures.plots import (
    FEWEST_GROUPS,
    MOST_BANDS,
    MOST_TOGETHER,
    Plot,
    draw_bars,
    draw_curves,
    draw_dots,
    draw_forest,
    draw_heat,
    draw_radar,
)
from evolif.report.figures.style import FEW, TWO_COLUMNS, label, markdown, style
from evolif.report.figures.survival import draw_survival
from evolif.report.figures.svg import png_bytes, svg_text
from evolif.report.wording import notice, own_fault
from evolif.scenario import HeatMap, LineChart
from evolif.text import plural
from evolif.util.suggestions import did_you_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure


DrawOutcome: TypeAlias = "tuple[Figure | None, str]"
"""The figure and its caption, or None and the reason why there is no figure."""

NO_TURN = "No session with a judged turn has ended yet."
UNKNOWN_KEY = "This run does not record this; it was made by an older version."
INTERVALS = "95 % intervals over dialogues"
HOLLOW = f"Hollow points have fewer than {FEW} turns; points with fewer than {gather.FEWEST} are omitted."


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
        return f"n = {plural(counted[0], 'session')}{' of each model' if len(counted) > 1 else ''}."
    listed = (f"{label(name)} {number}" for name, number in zip(runs.heads, counted, strict=True))
    return f"n = sessions: {', '.join(listed)}."


def headline(runs: ComparableRuns) -> DrawOutcome:
    """All metrics."""
    if not any(model.summary.metrics.dialogues for model in runs.models):
        return None, NO_TURN
    named = runs.title_of_metrics.replace("eight ", "eight process ")
    return (
        draw_bars(gather.headline_panels(runs), runs.heads),
        f"{named} with {INTERVALS}; a dash where a metric is undefined. {_sessions(runs)}",
    )


def survival(runs: ComparableRuns) -> DrawOutcome:
    """Fig. 3."""
    curves = gather.survival_curves(runs)
    if not curves:
        return None, NO_TURN
    width = "bands omitted for legibility"
    if len(curves) <= MOST_BANDS:
        width = f"95 % bands over {unit_name(runs.analyses[0].cluster)}"
    return (
        draw_survival(curves),
        "Kaplan–Meier estimate of the sessions still going after each judged turn; ticks mark sessions still "
        f"going at the cap, or stopped by the context or a budget; {width}. Below: sessions with at least that many "
        f"turns. {_medians(runs)} {_sessions(runs)}{_left_out(runs)}",
    )


def _median(curve: Survival) -> str:
    return f"over {curve.points[-1].turn}" if curve.median is None else str(curve.median)


def _medians(runs: ComparableRuns) -> str:
    turns = [
        f"{label(name)} {_median(model.survival)}" for name, model in gather.pairs(runs) if model.survival.sessions
    ]
    return f"Turn by which half of the sessions have ended: {', '.join(turns)}."


def _left_out(runs: ComparableRuns) -> str:
    """The sentence on sessions that are not in the curves."""
    counted = [(label(name), model.summary.counts) for name, model in gather.pairs(runs)]
    numbers = [(name, counts.suspended + counts.running + counts.withheld) for name, counts in counted]
    listed = [f"{name} {number}" for name, number in numbers if number]
    if not listed:
        return ""
    thin = (
        " (thin lines: the curves if all of them had failed, and if all had continued)"
        if len(counted) <= MOST_BANDS
        else ""
    )
    return f" Suspended or withheld and left out{thin}: {', '.join(listed)}."


def hazard(runs: ComparableRuns) -> DrawOutcome:
    """Where sessions end."""
    curves = gather.hazard_curves(runs)
    if not _anything(curves):
        return None, (
            f"No turn was reached by {gather.FEWEST_AT_RISK} or more sessions of a model, and of fewer the share that "
            "ends at a turn is chance. The table has the exhaustion rate over spans of turns."
        )
    plot = Plot("judged turn", "patience exhausted here (%)", curves, zoom=True)
    return (
        draw_curves([plot], width=TWO_COLUMNS),
        "Hazard: of the sessions that reach a turn, the share whose patience is exhausted at it, with 95 % intervals "
        f"over {unit_name(runs.analyses[0].cluster)}. From the turn on that fewer than {gather.FEWEST_AT_RISK} "
        f"sessions reach: the rate of all later turns together. {_sessions(runs)}",
    )


def patience(runs: ComparableRuns) -> DrawOutcome:
    """Table 3 as curves."""
    length, accuracy = (gather.patience_curves(runs, metric) for metric in ("edr_len", "edr_acc"))
    if not _anything(length):
        return None, NO_TURN
    if max(len(curve.x) for curve in length) < 2:
        return None, "The run's patience is 1: there is no smaller patience to replay."
    axis = "patience (failed turns in a row)"
    return (
        draw_curves(
            [
                Plot(axis, gather.label_of(PROCESS.metric("edr_len"), runs), length, percent=False, hollow=False),
                Plot(axis, gather.label_of(PROCESS.metric("edr_acc"), runs), accuracy, percent=False, hollow=False),
            ],
            width=TWO_COLUMNS,
        ),
        "The exact results of the same answers at every smaller patience: each session is cut at its first streak of "
        f"that many failures{_bands(length)}. {_sessions(runs)}",
    )


def stability(runs: ComparableRuns) -> DrawOutcome:
    """Whether other dialogues give the same order."""
    curves = gather.stability_curves(runs)
    if not runs.split_half:
        return None, "Rank stability needs at least three models and ten dialogues."
    metric = runs.analyses[0].headline.label
    if not _anything(curves):
        return None, f"No correlation is defined: the models do not differ in {metric}."
    draws = max(point.draws for point in runs.split_half)
    plot = Plot("dialogues in each half", f"correlation of {metric}", curves, percent=False, below_zero=True)
    return (
        draw_curves([plot]),
        f"Correlation over {plural(len(runs.models), 'model')} between {metric} on two random halves that "
        "share no dialogue; "
        f"mean over {draws} draws, ± one standard deviation.",
    )


def comparison(pair: ModelComparison) -> DrawOutcome:
    """The difference of two models."""
    found = gather.differences(pair)
    paired = pair.paired
    if not any(difference.mark.value is not None for difference in found):
        return None, "The two have no dialogue in which both have a counted session."
    first, second = pair.labels
    return (
        draw_forest(found, first, second),
        f"{label(first)} minus {label(second)}, paired over "
        f"{unit_words(pair.tables[0].cluster, paired.clusters, paired.dialogues)}, with 95 % paired intervals; p is "
        f"that of {pair.lead.label}, whose point is filled where it is at most 0.05; others are without correction.",
    )


def groups(runs: ComparableRuns) -> DrawOutcome:
    """Table 6 as colours."""
    return _heat(runs, gather.group_matrix(runs), "group")


def modes(runs: ComparableRuns) -> DrawOutcome:
    """Satisfaction per group and mode."""
    return _heat(runs, gather.mode_matrix(runs), "group and mode")


def _heat(runs: ComparableRuns, matrix: gather.Matrix, what: str) -> DrawOutcome:
    if not matrix.cells:
        return None, NO_TURN
    return (
        draw_heat(matrix),
        f"{_verdicts(runs)} satisfied per {what}, in % of those judged; italics: fewer than {FEW} judged. "
        + _sessions(runs),
    )


def radar(runs: ComparableRuns) -> DrawOutcome:
    """Fig. 4."""
    matrix = gather.group_matrix(runs)
    if len(matrix.columns) < FEWEST_GROUPS:
        return None, f"Fewer than {FEWEST_GROUPS} {_word(runs)} groups were judged; the table of groups shows them."
    mean = "" if len(matrix.rows) <= MOST_TOGETHER else "; grey: the mean of all models"
    return (
        draw_radar(matrix),
        f"{_verdicts(runs)} satisfied per group; the rim is 100 %, the rings are 25, 50 and 75 %{mean}. "
        + _sessions(runs),
    )


def _word(runs: ComparableRuns) -> str:
    """What a verdict is about."""
    return runs.scenario.presentation.requirement


def _verdicts(runs: ComparableRuns) -> str:
    return f"{_word(runs).capitalize()}s"


def _slices(runs: ComparableRuns, by: str, axis: str, words: str) -> DrawOutcome:
    csr, isr = gather.slice_curves(runs, by)
    if not _anything(csr):
        has_turns = any(model.by(by) for model in runs.models)
        return None, f"No point has {gather.FEWEST} or more turns." if has_turns else NO_TURN
    axis, words = (text.replace("constraint", _word(runs)) for text in (axis, words))
    plots = [Plot(axis, "CSR (%)", csr), Plot(axis, "ISR (%)", isr)]
    return (
        draw_curves(plots, width=TWO_COLUMNS),
        f"{_verdicts(runs)} satisfied per turn (CSR, left) and turns with all satisfied (ISR, right) over {words}"
        f"{_bands(csr)}. {HOLLOW} {_sessions(runs)}",
    )


def difficulty(runs: ComparableRuns) -> DrawOutcome:
    """Whether turns get harder."""
    shares, loads = gather.difficulty_curves(runs)
    if not _anything(shares):
        return None, NO_TURN
    word = _word(runs)
    plots = [
        Plot("turn", f"{word}s failed (%)", shares, zoom=True),
        Plot("turn", f"judged {word}s per turn (load)", loads, percent=False),
    ]
    survivors = (
        "Sessions that fail often end early, so later turns are those of the sessions that last; with a patience above "
        "the cap, all do. "
    )
    return (
        draw_curves(plots, width=TWO_COLUMNS),
        f"Judged {word}s that failed (left), and how many a turn has (right), by turn. "
        f"{survivors if runs.has_patience else ''}{HOLLOW} {_sessions(runs)}",
    )


def _dots(runs: ComparableRuns, by: str, words: str) -> DrawOutcome:
    panels, keys = gather.slice_panels(runs, by)
    keys = tuple(key for key in keys if key != "unknown")
    if not keys:
        return None, UNKNOWN_KEY if panels[0].marks else NO_TURN
    return (
        draw_dots(panels, runs.heads, keys),
        f"CSR (left) and ISR (right) {words}, with {INTERVALS}. {_sessions(runs)}",
    )


def tokens(runs: ComparableRuns) -> DrawOutcome:
    """The score against context tokens."""
    found = gather.token_points(runs)
    if found is None:
        return None, NO_TURN
    metric, points = found
    if not points:
        return None, "No context tokens were counted."
    own = any(point.total.value != point.context.value for point in points)
    hollow = " Hollow: with the tokens of the strategy's own calls." if own else ""
    return (
        draw_tokens(points, gather.label_of(metric, runs), percent=metric.unit == "rate"),
        f"{metric.label} over the tokens that a call is shown besides its query (filled), with {INTERVALS}; further up "
        f"and to the left is better.{hollow} {_sessions(runs)}",
    )


def tree(runs: ComparableRuns) -> DrawOutcome:
    """The topic trees of a dialogue."""
    found = gather.first_tree(runs)
    if found is None:
        return None, "No dialogue was played under the strategy tree."
    name, dialogue, drawn = found
    gold = " A cross: misplaced by the gold of the dialogue." if drawn.has_wrong else ""
    return (
        draw_tree(drawn),
        f"Topics and branches of dialogue {dialogue} as {label(name)} has them: {drawn.summary} Filled: the path that "
        f"the last call shows in full; outlined: shown as summaries; faint: not shown.{gold}",
    )


def _kinds(runs: ComparableRuns, kind: str, words: str, alike: str) -> DrawOutcome:
    panel, keys = gather.kind_panel(runs, kind)
    known = tuple(key for key in keys if key != "unknown")
    if not known:
        return None, UNKNOWN_KEY if keys else NO_TURN
    if len(known) == 1:
        return None, f"All dialogues are {alike} {label(known[0])}: there is nothing to compare."
    metric = runs.analyses[0].headline.label
    return (
        draw_dots([panel], runs.heads, known),
        f"{metric} by {words} (for most of a dialogue's turns), with {INTERVALS}. {_sessions(runs)}",
    )


def heat(found: HeatMap) -> DrawOutcome:
    """A heat map of a scenario's own."""
    if not any(cell.value is not None for _, cells in found.rows for cell in cells):
        return None, f"{found.caption} It has no value yet."
    counts = [cell.of for _, cells in found.rows for cell in cells if cell.value is not None and cell.of is not None]
    few = f" Italics: fewer than {FEW} {found.counted}." if any(count < FEW for count in counts) else ""
    return draw_heat(gather.matrix_of(found)), f"{found.caption}{few}"


def chart(found: LineChart) -> DrawOutcome:
    """A line chart of a scenario's own."""
    if not any(point.value is not None for line in found.lines for point in line.points):
        return None, f"{found.caption} It has no value yet."
    return draw_chart(found), found.caption


COMPARISON = "comparison"
OWN_FAULT = "own-figures"
"""The name of the picture that stands for those that a scenario could not make."""
_HEADLINE = "{headline}"
"""Where a title names the metric that models are ranked by."""
_SCORE = "{score}"
"""Where a title names what is shown against tokens."""
_TREE = "tree"
_COMPARISON_TITLE = "The difference of two models"

_FIGURES: Mapping[str, tuple[str, Callable[[ComparableRuns], DrawOutcome]]] = {
    "headline": ("The metrics", headline),
    FIGURE: (f"{_SCORE} against tokens", tokens),
    _TREE: ("Topics of a dialogue", tree),
    "survival": ("How long sessions last", survival),
    "hazard": ("Where sessions end", hazard),
    "groups": ("Satisfaction per constraint group", groups),
    "radar": ("Satisfaction per constraint group, as a radar", radar),
    "modes": ("Satisfaction per group and mode", modes),
    "depth": (
        "Satisfaction over the turns of a topic",
        partial(_slices, by="depth", axis="turns on the topic", words="the number of turns on the topic so far"),
    ),
    "load": (
        "Satisfaction over the number of constraints",
        partial(
            _slices, by="load", axis="active constraints", words="the number of constraints that are active at once"
        ),
    ),
    "difficulty": ("Difficulty by turn", difficulty),
    "moves": (
        "Satisfaction per move",
        partial(_dots, by="move", words="where the dialogue opens a topic, continues one or goes back to one"),
    ),
    "patience": ("Patience sweep", patience),
    "stability": ("Rank stability", stability),
    "synthesizers": (
        f"{_HEADLINE} by synthesizer",
        partial(_kinds, kind="synthesizer", words="the synthesizer of the queries", alike="worded by"),
    ),
    "registers": (
        f"{_HEADLINE} by register",
        partial(_kinds, kind="register", words="the register of the dialogue's persona", alike="in the register"),
    ),
    "formality": (
        "Formal and informal queries",
        partial(_dots, by="formality", words="after formal and after informal queries (classified by rules)"),
    ),
}

_PATIENCE = frozenset({"survival", "hazard", "patience"})
_BREAKDOWN: Mapping[str, str] = {
    "modes": "mode",
    "depth": "depth",
    "moves": "move",
    "synthesizers": "synthesizer",
    "registers": "register",
    "formality": "formality",
}
"""Figure to the breakdown that it shows, if not every scenario has it."""

FIGURE_NAMES: tuple[str, ...] = (*_FIGURES, COMPARISON)
"""All figures but those of scenarios, in the order of a report."""

FigureSubject = RunAnalysis | ComparableRuns | ModelComparison
"""One run, several comparable runs, or two models side by side."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of a run, or the reason why there is none.

    Attributes:
        name: One of `FIGURE_NAMES`, or of a scenario's own.
        title: A few words, for a heading.
        caption: What the figure shows, or why there is none. Plain text with shortened names.
        figure: None if there is none.
    """

    name: str
    title: str
    caption: str
    figure: Figure | None

    def svg(self, *, inline: bool = False) -> str:
        """As SVG, for a file or for a page; empty if there is no figure."""
        if self.figure is None:
            return ""
        return svg_text(self.figure, self.name, words=f"{self.title}. {self.caption}", inline=inline)

    def png(self) -> bytes:
        """As PNG, 200 dots per inch; empty if there is no figure."""
        return b"" if self.figure is None else png_bytes(self.figure)


def draw(name: str, subject: FigureSubject) -> Picture:
    """One figure.

    Args:
        name: One of `FIGURE_NAMES`; `comparison` of a `ModelComparison`, or of exactly two models.
        subject: What to draw.

    Raises:
        UsageError: No figure has that name, or matplotlib (extra `report`) is not installed.
    """
    if name not in FIGURE_NAMES:
        raise UsageError(f"unknown figure “{name}”{did_you_mean(name, FIGURE_NAMES)}; use {', '.join(FIGURE_NAMES)}")
    if isinstance(subject, RunAnalysis):
        subject = ComparableRuns((subject,))
    title = _COMPARISON_TITLE if name == COMPARISON else _FIGURES[name][0]
    if isinstance(subject, ComparableRuns):
        title = subject.title_of_metrics if name == "headline" else title.replace("constraint", _word(subject))
        title = title.replace(_HEADLINE, subject.analyses[0].headline.label)
        scored = score_of(subject)
        title = title.replace(_SCORE, "Score" if scored is None else scored[1].label)
    with style():
        try:
            figure, caption = _draw_comparison(subject) if name == COMPARISON else _draw_runs(name, subject)
        except UsageError as fault:
            # A missing package costs only the figures that need it.
            figure, caption = None, str(fault)
    return Picture(name, title, caption, figure)


def draw_all(
    subject: ComparableRuns | RunAnalysis, comparisons: Sequence[ModelComparison] = (), *, without: Collection[str] = ()
) -> list[Picture]:
    """Every figure that comparable runs have but those `without`, then the comparisons; two models are compared."""
    runs = ComparableRuns((subject,)) if isinstance(subject, RunAnalysis) else subject
    with style():
        pictures = [draw(name, runs) for name in _FIGURES if name not in without and _belongs(name, runs)]
        pictures += _own_pictures(runs)
        if not comparisons and len(runs.models) == 2:
            pictures.append(draw(COMPARISON, runs))
        return [*pictures, *(draw(COMPARISON, pair) for pair in comparisons)]


def _own_pictures(runs: ComparableRuns) -> list[Picture]:
    """The figures that the scenario brings; the reason in place of those that it cannot make."""
    scenario = runs.scenario
    try:
        found = tuple(scenario.presentation.figures(runs))
    except Exception as fault:
        return [Picture(OWN_FAULT, "Figures of the scenario", own_fault(scenario, "its figures", fault), None)]
    pictures = []
    for one in found:
        figure, caption = heat(one) if isinstance(one, HeatMap) else chart(one)
        pictures.append(Picture(one.name, one.title, caption, figure))
    return pictures


def _belongs(name: str, runs: ComparableRuns) -> bool:
    """Whether runs of this kind have that figure."""
    if name in _PATIENCE:
        return runs.has_patience
    if name == FIGURE:
        return shows_contexts(runs)
    if name == _TREE:
        return any(strategy_base(analysis.settings.context) == TREE for analysis in runs.analyses)
    return name not in _BREAKDOWN or _BREAKDOWN[name] in runs.analyses[0].breakdowns


def _draw_runs(name: str, subject: ComparableRuns | ModelComparison) -> DrawOutcome:
    if isinstance(subject, ModelComparison):
        return None, "This figure shows a run, not a comparison."
    if not _belongs(name, subject):
        return None, "Runs of this kind have no such figure."
    return _FIGURES[name][1](subject)


def _draw_comparison(subject: ComparableRuns | ModelComparison) -> DrawOutcome:
    if isinstance(subject, ModelComparison):
        return comparison(subject)
    if len(subject.models) != 2:
        return None, "Only two models are compared at a time; choose them with evolif compare."
    return comparison(ModelComparison(*subject.models, kind="context" if differ_in_context(subject) else "models"))


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
    lines = ["# Figures", ""]
    told = notice([analysis.settings for analysis in analyses])
    lines += [told, ""] if told else []
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
