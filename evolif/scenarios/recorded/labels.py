"""Labels of dialogues and turns: the buckets they make, and the two forms in which figures by label are written.

Here a bucket is `column:value` and has its figures. The public release of UniDial-EvalKit writes one key for each
figure instead, `column:('value', 'mean')`. The number 1 and the text “1” are two values: a text that looks like a
number, a truth value or a quoted text stands in quotes (`column:'1'`), so that either form can be read back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from evolif.errors import ArgumentError

Figures: TypeAlias = dict[str, Any]
"""`count`, `mean`, `min` and `max`."""
_FIGURES: Final = ("count", "mean", "min", "max")


def label_values(labels: Any) -> dict[str, list[str]]:
    """The columns of a dialogue's or a turn's labels, with their values as texts.

    Args:
        labels: A dict, which may hold dicts and lists; anything else is no labels.

    Returns:
        Names of nested dicts are joined by dots. A list gives each of its members once, and None is no value.
    """
    columns: dict[str, dict[str, None]] = {}
    waiting = [(str(key), labels[key]) for key in reversed(labels)] if isinstance(labels, dict) else []
    while waiting:  # no recursion: how deep labels are nested is not in our hands
        column, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((f"{column}.{key}", value[key]) for key in reversed(value))
        elif isinstance(value, (list, tuple)):
            waiting.extend((column, member) for member in reversed(value))
        elif value is not None:
            columns.setdefault(column, {})[value_text(value)] = None
    return {column: list(values) for column, values in columns.items()}


def value_text(value: Any) -> str:
    """A label's value as a text that says of which type it is.

    Example:
        >>> value_text(1), value_text("1"), value_text("maths")
        ('1', "'1'", 'maths')
    """
    if isinstance(value, str):
        return repr(value) if _LITERAL.fullmatch(value) else value
    return str(value)


def label_buckets(labels: Any) -> list[str]:
    """The buckets `column:value` that labels belong to."""
    return [f"{column}:{value}" for column, values in label_values(labels).items() for value in values]


_LITERAL: Final = re.compile(
    r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,9})?|[+-]?(?:inf|nan)|True|False|None|"
    r"'[^\n]*'|\"[^\n]*\"",
    re.ASCII,
)
"""What Python writes for a value that is no text, or for a text in quotes."""
_FLAT: Final = re.compile(rf"\((.*), '({'|'.join(_FIGURES)})'\)", re.DOTALL)
_ESCAPE: Final = r"\\(?:[\\'\"nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U000[0-9a-f]{5}|U0010[0-9a-f]{4})"
_QUOTED: Final = re.compile(rf"'(?:[^'\\]|{_ESCAPE})*'|\"(?:[^\"\\]|{_ESCAPE})*\"")
_ESCAPED: Final = re.compile(_ESCAPE)
_CONTROL: Final = {"n": "\n", "r": "\r", "t": "\t"}


def flat_labels(by_label: Mapping[str, Mapping[str, Figures]]) -> dict[str, dict[str, float]]:
    """The figures by label as the public release writes them.

    Args:
        by_label: `dialog` and `turn`, as `aggregate` has them.

    Returns:
        The same sides, with one number for each figure: `"task_type:('maths', 'mean')": 0.5`.

    Raises:
        ArgumentError: `by_label` has another shape.
    """
    return {side: dict(_flat_entries(side, buckets)) for side, buckets in _sides(by_label)}


def clean_labels(by_label: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Figures]]:
    """The figures by label as `aggregate` has them.

    Args:
        by_label: `dialog` and `turn`, as `flat_labels` or the public release writes them. Values are read in quotes and
            bare (numbers, `True`); buckets that are in our form are left as they are.

    Returns:
        The same sides: `column:value` to `count`, `mean`, `min`, `max`, as far as they are there.

    Raises:
        ArgumentError: A key is of neither form.
    """
    clean: dict[str, dict[str, Figures]] = {}
    for side, buckets in _sides(by_label):
        entries = clean[side] = {}
        for key, value in buckets.items():
            if isinstance(value, Mapping):
                entries[key] = dict(value)
                continue
            bucket, figure = _read_flat(side, key)
            whole = figure == "count" and isinstance(value, float) and value.is_integer()
            entries.setdefault(bucket, {})[figure] = int(value) if whole else value
    return clean


def _sides(by_label: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not isinstance(by_label, Mapping):
        raise ArgumentError(f"figures by label are a dict of `dialog` and `turn`, not {type(by_label).__name__}")
    for side, buckets in by_label.items():
        if not isinstance(buckets, Mapping) or not all(isinstance(key, str) for key in buckets):
            raise ArgumentError(f"figures by label: {side!r} is no dict of texts to figures; take them from a summary")
        yield side, buckets


def _flat_entries(side: str, buckets: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for bucket, figures in buckets.items():
        column, colon, value = bucket.partition(":")
        if not colon or not isinstance(figures, Mapping):
            raise ArgumentError(
                f"figures by label: {side!r} has {bucket!r}; a bucket is `column:value` with its figures"
            )
        written = value if _LITERAL.fullmatch(value) else repr(value)
        for figure in _FIGURES:
            if figure in figures:
                yield f"{column}:({written}, {figure!r})", float(figures[figure])


def _read_flat(side: str, key: str) -> tuple[str, str]:
    """The bucket and the figure of a flat key; what is in quotes is read as Python writes a text, nothing is run."""
    column, colon, rest = key.partition(":(")
    found = _FLAT.fullmatch(f"({rest}") if colon else None
    if found is None:
        raise ArgumentError(
            f"figures by label: {side!r} has the key {key!r}; write \"column:('value', 'mean')\" or 'column:value'"
        )
    value, figure = found.groups()
    if _QUOTED.fullmatch(value):
        value = value_text(_ESCAPED.sub(_unescaped, value[1:-1]))
    return f"{column}:{value}", figure


def _unescaped(escape: re.Match[str]) -> str:
    kind, digits = escape.group()[1], escape.group()[2:]
    return chr(int(digits, 16)) if digits else _CONTROL.get(kind, kind)
