"""The page as a whole: sections, then dialogues, within its size."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from urllib.parse import quote

from markupsafe import Markup

from evolif._errors import OutsideError
from evolif._version import __version__
from evolif.money import PriceTable
from evolif.report._analysis import RunAnalysis
from evolif.report._board import boards_of
from evolif.report._comparison import Comparison
from evolif.report._published import NOT_COMPARABLE, Published
from evolif.report.page._aside import spooling
from evolif.report.page._choice import fair_order
from evolif.report.page._compared import of_board
from evolif.report.page._environment import asset, environment
from evolif.report.page._notes import closing_parts
from evolif.report.page._part import Part
from evolif.report.page._parts import board_parts
from evolif.report.page._session_view import SessionHead, model_key
from evolif.report.page._side import remove_side, side_folder, side_name, write_side
from evolif.report.page._spool import Spool
from evolif.text import READING_RULES_VERSION

MOST_INSIDE = 200
"""Transcripts in the page itself."""

MOST_BYTES = 5_000_000
"""Of the page itself."""

_SPARE = 20_000
"""Bytes kept free of it: sizes are measured before the list says which transcripts are inside."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written.

    Attributes:
        path: The page.
        bytes: Its size.
        transcripts: Sessions that the page lists.
        inside: Of these, whose transcripts stand in the page itself.
        folder: Where all transcripts are, where not all are inside.
    """

    path: Path
    bytes: int
    transcripts: int
    inside: int
    folder: Path | None


def write(
    analyses: Sequence[RunAnalysis],
    path: Path,
    comparisons: Sequence[Comparison],
    prices: PriceTable | None,
    published: Published | None,
) -> Written:
    """See `evolif.report.page.write_page`."""
    try:
        with (
            TemporaryDirectory(prefix="evolif-page-") as folder,
            spooling([analysis.run for analysis in analyses], Path(folder)) as transcripts,
        ):
            parts = _parts(analyses, comparisons, prices, published)
            return _Page(analyses, path, parts, transcripts()).write()
    except OSError as fault:
        raise OutsideError(f"{path}: the page cannot be written ({fault.strerror or fault})") from fault


def _parts(
    analyses: Sequence[RunAnalysis],
    comparisons: Sequence[Comparison],
    prices: PriceTable | None,
    published: Published | None,
) -> list[Part]:
    boards = boards_of(analyses)
    parts: list[Part] = []
    for number, board in enumerate(boards, start=1):
        pairs = of_board(board, comparisons)
        suffix = f"-{number}" if len(boards) > 1 else ""
        # Each pair that nobody asked for would have the same picture once more.
        parts += board_parts(board, pairs, drawn=bool(comparisons) or len(pairs) == 1, suffix=suffix)
    parts += closing_parts(analyses, prices, published)
    return [part for part in parts if part.holds_something]


class _Page:
    def __init__(self, analyses: Sequence[RunAnalysis], path: Path, parts: list[Part], spool: Spool) -> None:
        self._analyses = analyses
        self._path = path
        self._parts = parts
        self._spool = spool
        self._seed = analyses[0].seed if analyses else 0
        self._listed = spool.heads

    def write(self) -> Written:
        """Decide what stands inside, by measure, and write it all."""
        total = len(self._spool.heads)
        order = fair_order((((h.run, h.model), h.number) for h in self._spool), self._seed)
        room = self._room()
        while room < 0 and self._listed:
            # So many sessions that their mere list is too long: it is cut, and the folder has them all.
            kept = set(order[: len(self._listed) // 2])
            self._listed = [head for head in self._spool if head.number in kept]
            room = self._room()
        inside = self._spool.fitting(order[: len(self._listed)], MOST_INSIDE, room)
        folder = None
        if len(inside) < total:
            folder = write_side(self._spool, self._path)
        else:
            remove_side(self._path)
        size = self._write(lambda n: Markup(self._spool.read(n)) if n in inside else None, self._choice(inside))
        return Written(self._path, size, total, len(inside), folder)

    def _room(self) -> int:
        """Bytes that are left for transcripts; an empty one has about the markup of a line that links to one."""
        size = sum(len(piece.encode()) for piece in self._pieces(lambda _: Markup(""), self._choice(set())))
        return MOST_BYTES - _SPARE - size

    def _choice(self, inside: set[int]) -> str:
        total = len(self._spool.heads)
        if len(inside) == total:
            return f"All {total:,} transcripts stand in this page."
        listed = "" if len(self._listed) == total else f" Only {len(self._listed):,} are listed here, drawn likewise."
        return (
            f"{len(inside):,} of {total:,} transcripts stand in this page: one of each model in turn, drawn by seed "
            f"{self._seed}, up to {MOST_INSIDE} and as long as the page stays below {MOST_BYTES // 1_000_000} MB. All "
            f"of them stand in the folder {side_folder(self._path).name} beside it, where the other lines lead; the "
            f"text filter reaches those in this page.{listed}"
        )

    def _write(self, body: Callable[[int], Markup | None], choice: str) -> int:
        """Into a file beside the page, which then takes its place: no reader ever sees half a page."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        size = 0
        with NamedTemporaryFile("wb", dir=self._path.parent, prefix=".page-", delete=False) as made:
            try:
                for piece in self._pieces(body, choice):
                    size += made.write(piece.encode())
                made.close()
                os.chmod(made.name, 0o666 & ~_umask())
                os.replace(made.name, self._path)
            except BaseException:
                Path(made.name).unlink(missing_ok=True)
                raise
        return size

    def _pieces(self, body: Callable[[int], Markup | None], choice: str) -> Iterable[str]:
        heads = self._listed
        runs = self._analyses
        stream = (
            environment()
            .get_template("page.html")
            .stream(
                style=asset("transcript.css", "page.css"),
                script=asset("page.js", "transcript.js"),
                version=__version__,
                reading_rules=", ".join(sorted({str(run.settings.reading_rules) for run in runs}))
                or READING_RULES_VERSION,
                title=_title(runs),
                lead=_lead(runs),
                not_comparable=NOT_COMPARABLE,
                parts=self._parts,
                heads=heads,
                body=body,
                choice=choice,
                folder=quote(side_folder(self._path).name),
                side_name=side_name,
                models=_models(heads, runs),
                endings=sorted({head.ending for head in heads}),
                groups=sorted({group for head in heads for group in head.failed_groups}),
            )
        )
        stream.enable_buffering(500)
        return stream


def _title(runs: Sequence[RunAnalysis]) -> str:
    return f"evolif report: {', '.join(run.name for run in runs)}"


def _lead(runs: Sequence[RunAnalysis]) -> str:
    models = sum(len(run.models) for run in runs)
    dialogues = len({number for run in runs for number in run.settings.dialogues})
    return (
        f"How long {models} model{'s' * (models != 1)} followed instructions over {dialogues} evolving "
        f"dialogue{'s' * (dialogues != 1)}, and what was said."
    )


def _models(heads: Sequence[SessionHead], runs: Sequence[RunAnalysis]) -> list[tuple[str, str]]:
    seen = dict.fromkeys((head.run, head.model) for head in heads)
    several = len(runs) > 1
    return [(model_key(run, name), f"{name} ({runs[run].name})" if several else name) for run, name in seen]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
