"""Write the page: sections, then dialogues, within the limit on its size."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeVar
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from markupsafe import Markup

from evolif._version import __version__
from evolif.budget import PriceTable
from evolif.errors import OutsideError
from evolif.report.analysis import RunAnalysis
from evolif.report.answer import selected_comparisons
from evolif.report.comparable import ComparableRuns, group_comparable
from evolif.report.comparison import ModelComparison
from evolif.report.leaderboard import Leaderboard
from evolif.report.page.comparison_sections import comparison_closing, comparison_lead, comparison_title, pair_sections
from evolif.report.page.lead import lead
from evolif.report.page.sections import Section, closing_sections, run_sections
from evolif.report.page.transcript_cache import TranscriptCache, asset, environment, rendering
from evolif.report.page.transcripts import model_key
from evolif.report.wording import notice
from evolif.runner import Run
from evolif.scenario import get_scenario
from evolif.text import READING_RULES_VERSION, plural
from evolif.util.files import workshop
from evolif.util.rng import Purpose, Stream

K = TypeVar("K", bound=Hashable)


def fair_order(sessions: Iterable[tuple[K, int]], seed: int) -> list[int]:
    """The order in which transcripts enter the page: one per model in turn, drawn at random.

    Args:
        sessions: (model, number) of every session.
        seed: Of the draw.

    Returns:
        The numbers; every prefix has about the same number of sessions of each model.
    """
    by_model: dict[K, list[int]] = {}
    for model, number in sessions:
        by_model.setdefault(model, []).append(number)
    for place, numbers in enumerate(by_model.values()):
        _shuffle(numbers, Stream(seed, Purpose.PAGE, place))
    rounds = zip_longest(*by_model.values())
    return [number for numbers in rounds for number in numbers if number is not None]


def _shuffle(numbers: list[int], stream: Stream) -> None:
    for last in range(len(numbers) - 1, 0, -1):
        other = stream.below(last + 1)
        numbers[last], numbers[other] = numbers[other], numbers[last]


_NUMBERED = re.compile(r"\d{3,9}\.html")
_OURS = re.compile(r'<meta name="generator" content="evolif ')


def side_folder(page: Path) -> Path:
    """The folder of a page: `report.html` has `report-transcripts`."""
    stem = page.stem if page.suffix.lower() in (".html", ".htm") else page.name
    return page.with_name(f"{stem}-transcripts")


def side_name(number: int) -> str:
    """The file of a session's transcript: a number, never a name from a run."""
    return f"{number:03}.html"


def write_side(transcripts: TranscriptCache, page: Path, not_comparable: str) -> Path:
    """Write every transcript into the page's folder, and remove those of an earlier page.

    Args:
        transcripts: To write.
        page: The page; the folder is named after it.
        not_comparable: A remark at the end of each; empty for none.

    Raises:
        OSError: the disk.
    """
    folder = side_folder(page)
    remove_side(page)
    folder.mkdir(parents=True, exist_ok=True)
    style, script = asset("base.css", "transcript.css"), asset("transcript.js")
    template = environment().get_template("side.html")
    shared = {
        "style": style,
        "script": script,
        "version": __version__,
        "not_comparable": not_comparable,
        "back": f"../{quote(page.name)}",
        "total": len(transcripts.heads),
        "side_name": side_name,
    }
    for head in transcripts:
        text = template.render(head=head, body=Markup(transcripts.read(head.number)), **shared)
        (folder / side_name(head.number)).write_text(text, encoding="utf-8")
    return folder


def remove_side(page: Path) -> None:
    """Remove the transcripts of an earlier page, and the folder if it is then empty; nothing else.

    Raises:
        OSError: the disk.
    """
    folder = side_folder(page)
    if folder.is_symlink() or not folder.is_dir():
        return
    for file in folder.iterdir():
        if _NUMBERED.fullmatch(file.name) and file.is_file() and not file.is_symlink() and _is_ours(file):
            file.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()


def _is_ours(file: Path) -> bool:
    with file.open(encoding="utf-8", errors="replace") as opened:
        return _OURS.search(opened.read(4_000)) is not None


MOST_BYTES = 20_000_000
"""Of the page itself; transcripts that would make it larger are in a folder beside it."""

_SPARE = 20_000
"""Reserved bytes, because sizes are measured before the list marks the included transcripts."""


@dataclass(frozen=True, slots=True)
class Written:
    """The written page.

    Attributes:
        path: The page, or the archive that holds it.
        bytes: Its size.
        transcripts: Sessions that the page is about.
        inside: Of these, the transcripts in the page itself.
        folder: The folder with all transcripts; None if there is none, or the page is packed.
        note: Where the transcripts are of a page of too many sessions, for whoever wrote it; empty for others.
    """

    path: Path
    bytes: int
    transcripts: int
    inside: int
    folder: Path | None
    note: str = ""


def packed(path: Path, write_to: Callable[[Path], Written]) -> Written:
    """A page, and its folder if it has one, in an archive `NAME.zip` beside where the page would be.

    Args:
        path: Of the page.
        write_to: Writes the page to where it is told.

    Raises:
        OutsideError: The archive cannot be written.
    """
    target = path.with_suffix(".zip")
    try:
        with workshop(target) as room:
            made = write_to(room / path.with_suffix(".html").name)
            files = [made.path, *(sorted(made.folder.iterdir()) if made.folder is not None else ())]
            draft = room / "archive"
            with ZipFile(draft, "w", ZIP_DEFLATED) as archive:
                for file in files:
                    # Without the time, so that the same run gives the same bytes.
                    entry = ZipInfo(file.relative_to(room).as_posix())
                    entry.compress_type = ZIP_DEFLATED
                    entry.external_attr = 0o644 << 16
                    archive.writestr(entry, file.read_bytes())
            os.replace(draft, target)
            return replace(made, path=target, bytes=target.stat().st_size, folder=None)
    except OSError as fault:
        raise OutsideError(f"{target}: the page cannot be packed ({fault.strerror or fault})") from fault


@dataclass(frozen=True, slots=True)
class Content:
    """What a page says besides its transcripts."""

    title: str
    lead: str
    sections: list[Section]


@dataclass(frozen=True, slots=True)
class Plan:
    """A page to be written."""

    analyses: Sequence[RunAnalysis]
    content: Callable[[], Content]
    """Works out figures and tables, while a second process renders transcripts."""
    chosen: Sequence[frozenset[str]] | None = None
    """Per run the models whose transcripts are wanted; all of them if None."""

    @property
    def runs(self) -> list[Run]:
        """Whose transcripts are wanted."""
        return [analysis.run for analysis in self.analyses]

    @property
    def seed(self) -> int:
        """Of what is drawn."""
        return self.analyses[0].seed if self.analyses else 0


def report_plan(
    analyses: Sequence[RunAnalysis],
    comparisons: Sequence[ModelComparison],
    prices: PriceTable | None,
    published: Leaderboard | None,
) -> Plan:
    """The page of runs, see `evolif.report.page.write_page`."""

    def content() -> Content:
        groups = group_comparable(analyses)
        scenarios = [get_scenario(name) for name in dict.fromkeys(run.settings.scenario for run in analyses)]
        title = f"evolif report: {', '.join(run.name for run in analyses)}"
        return Content(title, lead(groups, scenarios), _sections(groups, comparisons, prices, published))

    return Plan(analyses, content)


def comparison_plan(comparisons: Sequence[ModelComparison]) -> Plan:
    """The page of pairs, see `evolif.report.page.write_comparison_page`."""
    sides = [side for pair in comparisons for side in (pair.a, pair.b)]
    analyses = list({id(side.of): side.of for side in sides}.values())
    chosen = [frozenset(side.name for side in sides if side.of is analysis) for analysis in analyses]

    def content() -> Content:
        sections: list[Section] = []
        for number, pair in enumerate(comparisons, start=1):
            sections += pair_sections(pair, f"-{number}" if len(comparisons) > 1 else "")
        sections += comparison_closing(comparisons, analyses)
        shown = [section for section in sections if section.has_content]
        return Content(comparison_title(comparisons), comparison_lead(comparisons), shown)

    return Plan(analyses, content, chosen)


@contextmanager
def making(path: Path) -> Iterator[tuple[Path, Path]]:
    """Where a page is made: a folder for what is rendered, and the draft that then replaces the page.

    Raises:
        OutsideError: the disk.
    """
    try:
        with workshop(path) as folder:
            # Of this process alone: one that outlived its killed parent may still be rendering for it.
            yield Path(mkdtemp(dir=folder)), folder / "page"
    except OSError as fault:
        raise OutsideError(f"{path}: the page cannot be written ({fault.strerror or fault})") from fault


def write(plan: Plan, path: Path) -> Written:
    """Write a page with all transcripts, or with as many as fit and a folder of all beside it."""
    with making(path) as (place, draft), rendering(plan.runs, place, plan.chosen) as transcripts:
        told = plan.content()
        return Page(plan, path, told, transcripts(), draft).write()


def _sections(
    groups: Sequence[ComparableRuns],
    comparisons: Sequence[ModelComparison],
    prices: PriceTable | None,
    published: Leaderboard | None,
) -> list[Section]:
    analyses = [analysis for runs in groups for analysis in runs.analyses]
    sections: list[Section] = []
    for number, runs in enumerate(groups, start=1):
        pairs = selected_comparisons(runs, comparisons)
        suffix = f"-{number}" if len(groups) > 1 else ""
        # Without a request, several pairs would each have nearly the same figure.
        sections += run_sections(runs, pairs, drawn=bool(comparisons) or len(pairs) == 1, suffix=suffix)
    sections += closing_sections(analyses, prices, published)
    return [section for section in sections if section.has_content]


class Sheet:
    """A page as it is written: its sections, and what stands between them.

    Args:
        plan: What it is about.
        path: Where it is to be.
        content: What it says besides its transcripts.
        draft: Where it is made.
    """

    def __init__(self, plan: Plan, path: Path, content: Content, draft: Path) -> None:
        self._analyses = plan.analyses
        self._path = path
        self._draft = draft
        self._content = content
        self._seed = plan.seed
        self._notice = notice(run.settings for run in plan.analyses)

    def _replace(self, pieces: Iterable[str]) -> int:
        """Write the pieces, and return their bytes."""
        # The draft then replaces the page: no reader ever sees half a page.
        with self._draft.open("wb") as made:
            size = sum(made.write(piece.encode()) for piece in pieces)
        os.replace(self._draft, self._path)
        return size

    def _stream(self, template: str, scripts: tuple[str, ...], styles: tuple[str, ...], **more: Any) -> Iterable[str]:
        """The pieces of the page: what `page.html` and the templates that extend it need, and more."""
        runs = self._analyses
        scenarios = [get_scenario(name) for name in dict.fromkeys(run.settings.scenario for run in runs)]
        words = {scenario.presentation.requirement for scenario in scenarios}
        stream = (
            environment()
            .get_template(template)
            .stream(
                style=asset(*styles),
                script=asset(*scripts),
                version=__version__,
                reading_rules=", ".join(sorted({str(run.settings.reading_rules) for run in runs}))
                or READING_RULES_VERSION,
                title=self._content.title,
                lead=self._content.lead,
                requirement=words.pop() if len(words) == 1 else "requirement",
                not_comparable=self._notice,
                sections=self._content.sections,
                **more,
            )
        )
        stream.enable_buffering(500)
        return stream


class Page(Sheet):
    """A page with transcripts in it."""

    def __init__(self, plan: Plan, path: Path, content: Content, transcripts: TranscriptCache, draft: Path) -> None:
        super().__init__(plan, path, content, draft)
        self._transcripts = transcripts
        self._listed = transcripts.heads

    def write(self) -> Written:
        """Decide by size which transcripts stand in the page, and write everything."""
        total = len(self._transcripts.heads)
        order = fair_order((((h.run, h.model), h.number) for h in self._transcripts), self._seed)
        room = self._room(MOST_BYTES)
        while room < 0 and self._listed:
            # The list of sessions alone is too long: shorten it; the folder has all of them.
            kept = set(order[: len(self._listed) // 2])
            self._listed = [head for head in self._transcripts if head.number in kept]
            room = self._room(MOST_BYTES)
        inside = self._transcripts.fitting(order[: len(self._listed)], room)
        folder = None
        if len(inside) < total:
            folder = write_side(self._transcripts, self._path, self._notice)
        else:
            remove_side(self._path)
        size = self._write(lambda n: Markup(self._transcripts.read(n)) if n in inside else None, self._choice(inside))
        return Written(self._path, size, total, len(inside), folder)

    def _room(self, most: int) -> int:
        """Bytes for transcripts in a page of at most so many."""
        # An empty transcript has about as much markup as a line that links to one.
        size = sum(len(piece.encode()) for piece in self._pieces(lambda _: Markup(""), self._choice(set())))
        return most - _SPARE - size

    def _choice(self, inside: set[int]) -> str:
        total = len(self._transcripts.heads)
        if len(inside) == total:
            return f"All {plural(total, 'transcript', spec=',')} are in this page."
        listed = (
            "" if len(self._listed) == total else f" Only {len(self._listed):,} are listed here, drawn in the same way."
        )
        return (
            f"{len(inside):,} of {plural(total, 'transcript', spec=',')} are in this page: one of each model in turn, "
            f"drawn with seed {self._seed}, as long as the page stays below {MOST_BYTES // 1_000_000} MB. All of them "
            f"are in the folder {side_folder(self._path).name} beside the page, linked from the other lines; "
            f"the text filter searches only those in this page.{listed}"
        )

    def _write(self, body: Callable[[int], Markup | None], choice: str) -> int:
        return self._replace(self._pieces(body, choice))

    def _pieces(self, body: Callable[[int], Markup | None], choice: str) -> Iterable[str]:
        heads = self._listed
        return self._stream(
            "page.html",
            ("page.js", "transcript.js"),
            ("base.css", "transcript.css", "page.css"),
            shards=False,
            heads=heads,
            pictures=any(head.pictures for head in heads),
            body=body,
            choice=choice,
            folder=quote(side_folder(self._path).name),
            side_name=side_name,
            models=models_shown(dict.fromkeys((head.run, head.model) for head in heads), self._analyses),
            endings=sorted({head.ending for head in heads}),
            groups=sorted({group for head in heads for group in head.failed_groups}),
        )


def models_shown(models: Iterable[tuple[int, str]], runs: Sequence[RunAnalysis]) -> list[tuple[str, str]]:
    """The key of each model in links and filters, and what it is called.

    Args:
        models: The number of the run, and the model's name.
        runs: All of the page.
    """
    several = len(runs) > 1
    return [(model_key(run, name), f"{name} ({runs[run].name})" if several else name) for run, name in models]
