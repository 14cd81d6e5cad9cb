"""What the verbs print: lines without control characters, results on standard output and remarks on standard error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import typer


def say(sentence: str) -> None:
    """Print a remark on standard error."""
    from evolif.text import plain

    typer.echo(plain(sentence), err=True)


def show(lines: Iterable[str]) -> None:
    """Print lines on standard output."""
    from evolif.text import plain

    for line in lines:
        typer.echo(plain(line))


def show_json(value: Any) -> None:
    """Print a value as one line of JSON.

    ASCII only: a foreign text may hold half a surrogate pair, which no terminal's encoding can write.
    """
    import json

    typer.echo(json.dumps(value))
