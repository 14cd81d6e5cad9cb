"""One figure as a file, for commands that draw no report."""

from __future__ import annotations

from pathlib import Path

from evolif.errors import OutsideError, UsageError
from evolif.report.figures.catalogue import Picture, heat
from evolif.report.figures.style import style
from evolif.scenario import HeatMap


def write_heat(found: HeatMap, file: Path) -> None:
    """One heat map as a file.

    Args:
        found: What it shows.
        file: `.svg` or `.png`; replaced where it is there.

    Raises:
        UsageError: another kind of file, or matplotlib (extra `report`) is not installed.
        OutsideError: The file cannot be written.
    """
    if file.suffix not in (".svg", ".png"):
        raise UsageError(f"{file}: figures are written as .svg or .png; give it such a name")
    with style():
        drawn, caption = heat(found)
        picture = Picture(found.name, found.title, caption, drawn)
        data = picture.svg().encode() if file.suffix == ".svg" else picture.png()
    try:
        file.write_bytes(data)
    except OSError as error:
        raise OutsideError(f"{file} cannot be written ({error.strerror or error})") from error
