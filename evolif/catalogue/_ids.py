"""Numbers of entries."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evolif.catalogue._rows import Row


def next_number(letter: str, rows: Iterable[Row]) -> int:
    """The number after the highest one among ids such as `T007`."""
    form = re.compile(rf"{letter}([0-9]{{1,9}})")
    ids = [(row.data or {}).get("id") for row in rows]
    found = [form.fullmatch(name) for name in ids if isinstance(name, str)]
    return max((int(match[1]) for match in found if match), default=0) + 1
