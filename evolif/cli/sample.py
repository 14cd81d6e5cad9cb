"""`evolif sample`: small files of every kind that the program reads, with the commands that use them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from evolif.cli.console import show
from evolif.errors import OutsideError, UsageError
from evolif.text import plural
from evolif.util.resources import data_path
from evolif.util.suggestions import did_you_mean

GUIDE = "README.md"
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_COMMAND = re.compile(r"^    (evolif .+)$", re.MULTILINE)


def sample(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write them; what is there stays.")],
    only: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EVOLIF_SAMPLE_ONLY",
            metavar="NAME",
            help="Only the sample of this name; repeat the flag for several.",
        ),
    ] = None,
) -> None:
    """Write small example files for every kind of input, with the commands that use them.

    The README.md among them has the commands; with --only they are printed instead. Nothing that exists is overwritten.
    """
    known = samples()
    for name in only or ():
        if name not in known:
            raise UsageError(f"there is no sample “{name}”{did_you_mean(name, known)}; choose {', '.join(known)}")
    names = list(dict.fromkeys(only)) if only else list(known)
    wanted = [known[name] for name in names] + ([] if only else [_root() / GUIDE])
    _refuse_existing(folder, wanted)
    written = sum(_copy(source, folder / source.name) for source in wanted)
    show([f"{folder}: {plural(written, 'file')} ({', '.join(names)})"])
    if only:
        show([f"In {folder}:"])
        show(f"  {command}" for name in names for command in commands()[name])
    else:
        show([f"Next: cd {shlex.quote(str(folder))}, and follow its {GUIDE}"])


def samples() -> Mapping[str, Path]:
    """The packaged samples by name, in the order of their guide: each is a file or a folder."""
    found = {path.stem: path for path in _root().iterdir() if path.name != GUIDE and path.name[0] not in "._"}
    return {name: found[name] for name in commands() if name in found}


def commands() -> Mapping[str, list[str]]:
    """The commands of each sample, in the order of the guide."""
    parts = _SECTION.split((_root() / GUIDE).read_text(encoding="utf-8"))[1:]
    return {name: _COMMAND.findall(text) for name, text in zip(parts[::2], parts[1::2], strict=True)}


def _root() -> Path:
    return data_path("seeds", "samples")


def _refuse_existing(folder: Path, wanted: list[Path]) -> None:
    there = [source.name for source in wanted if (folder / source.name).exists() or (folder / source.name).is_symlink()]
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder")
    if there:
        raise UsageError(
            f"{folder} has {', '.join(there)} already, and nothing is overwritten; choose another folder, or name what "
            "is missing with --only NAME"
        )


def _copy(source: Path, target: Path) -> int:
    """Copy a file or a folder of files, and return their number."""
    files = sorted(path for path in source.rglob("*") if path.is_file()) if source.is_dir() else [source]
    try:
        for file in files:
            path = target / file.relative_to(source) if source.is_dir() else target
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as out:
                out.write(file.read_bytes())
    except OSError as fault:
        raise OutsideError(f"{target} cannot be written ({fault.strerror})") from None
    return len(files)
