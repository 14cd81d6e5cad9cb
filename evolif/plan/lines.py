"""Where something stands in a YAML file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


def line_of(path: Path, place: Sequence[str | int]) -> int | None:
    """The line of a value, or of the last part of its place that is there.

    Args:
        path: A file that `load_data` has read, so that it is safe to build.
        place: Keys and positions from the top.

    Returns:
        Counted from 1; None for TOML, which does not tell.
    """
    if path.suffix == ".toml":
        return None
    import yaml

    node: Any = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    line = node.start_mark.line if node is not None else 0
    for part in place:
        found = _inside(node, part)
        if found is None:
            break
        key, node = found
        line = key.start_mark.line
    return int(line) + 1


def _inside(node: Any, part: str | int) -> tuple[Any, Any] | None:
    """The node that says where a part begins, and that of its value."""
    if isinstance(part, int):
        items = node.value if isinstance(node.value, list) else []
        return (items[part], items[part]) if part < len(items) and not isinstance(items[part], tuple) else None
    pairs = [pair for pair in node.value if isinstance(pair, tuple)] if isinstance(node.value, list) else []
    return next(((key, value) for key, value in pairs if key.value == part), None)
