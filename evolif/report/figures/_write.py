"""Figures into a folder: SVG and PNG, and a page of captions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from evolif._errors import OutsideError
from evolif.report._analysis import RunAnalysis
from evolif.report._board import boards_of
from evolif.report._comparison import Comparison
from evolif.report._published import NOT_COMPARABLE
from evolif.report.figures._catalogue import Picture, draw_all
from evolif.report.figures._names import label, markdown
from evolif.report.figures._style import style

INDEX = "figures.md"


def write_figures(
    analyses: Sequence[RunAnalysis], directory: Path | str, *, comparisons: Sequence[Comparison] = ()
) -> list[Path]:
    """Every figure of the runs as SVG and PNG (200 dots per inch), and `figures.md` with captions.

    Runs that may be compared share their figures; others have theirs in folders `run-1`, `run-2`, …

    Args:
        analyses: The runs.
        directory: Made where it is not there; figures of the same names are replaced, nothing else is touched.
        comparisons: Pairs of models to draw; exactly two models are compared unasked.

    Returns:
        What was written, the index last.

    Raises:
        UsageError: matplotlib (extra `report`) is not installed.
        OutsideError: The folder cannot be written.
    """
    root = Path(directory)
    boards = boards_of(analyses)
    written: list[Path] = []
    lines = ["# Figures", "", NOT_COMPARABLE, ""]
    try:
        root.mkdir(parents=True, exist_ok=True)
        with style():
            for number, board in enumerate(boards, start=1):
                folder = root if len(boards) == 1 else root / f"run-{number}"
                folder.mkdir(exist_ok=True)
                if len(boards) > 1:
                    lines += [f"## Run {number}: {markdown(label(board.runs[0].name, 80))}", ""]
                mine = [pair for pair in comparisons if pair.a.of in board.runs]
                for picture, name in _named(draw_all(board, mine)):
                    files = _write(picture, folder, name)
                    written += files
                    lines += _entry(picture, files, root)
        (root / INDEX).write_text("\n".join(lines), encoding="utf-8")
    except OSError as error:
        raise OutsideError(f"{root}: the figures cannot be written ({error.strerror or error})") from error
    return [*written, root / INDEX]


def _named(pictures: Sequence[Picture]) -> Iterator[tuple[Picture, str]]:
    """Names of files: further pictures of one name are numbered."""
    seen: list[str] = []
    for picture in pictures:
        seen.append(picture.name)
        again = seen.count(picture.name)
        yield picture, picture.name if again == 1 else f"{picture.name}-{again}"


def _write(picture: Picture, folder: Path, name: str) -> list[Path]:
    files = [folder / f"{name}.svg", folder / f"{name}.png"]
    if picture.figure is None:
        # What an earlier report left there would be taken for this one's.
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
