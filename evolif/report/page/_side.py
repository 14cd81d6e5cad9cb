"""The folder of transcripts beside the page."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from evolif._version import __version__
from evolif.report._published import NOT_COMPARABLE
from evolif.report.page._environment import asset, environment
from evolif.report.page._spool import Spool

_NUMBERED = re.compile(r"\d{3,9}\.html")
_OURS = re.compile(r'<meta name="generator" content="evolif ')


def side_folder(page: Path) -> Path:
    """The folder of a page: `report.html` has `report-transcripts`."""
    stem = page.stem if page.suffix.lower() in (".html", ".htm") else page.name
    return page.with_name(f"{stem}-transcripts")


def side_name(number: int) -> str:
    """The file of a session's transcript: a number, never a name out of a run."""
    return f"{number:03}.html"


def write_side(spool: Spool, page: Path) -> Path:
    """Write every transcript into the page's folder; transcripts of an earlier page there go.

    Raises:
        OSError: the disk.
    """
    folder = side_folder(page)
    remove_side(page)
    folder.mkdir(parents=True, exist_ok=True)
    style, script = asset("transcript.css"), asset("transcript.js")
    template = environment().get_template("side.html")
    shared = {
        "style": style,
        "script": script,
        "version": __version__,
        "not_comparable": NOT_COMPARABLE,
        "back": f"../{quote(page.name)}",
        "total": len(spool.heads),
        "side_name": side_name,
    }
    for head in spool:
        text = template.render(head=head, body=Markup(spool.read(head.number)), **shared)
        (folder / side_name(head.number)).write_text(text, encoding="utf-8")
    return folder


def remove_side(page: Path) -> None:
    """Remove what an earlier page left in its folder, and nothing else; the folder too where that was all.

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
