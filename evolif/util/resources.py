"""Data files: where they are, and how YAML, TOML and JSON Lines files are read as hostile input.

The data folders come from the installed package or, in a checkout, from the repository. Every error names the file, the
line and the remedy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from evolif.errors import InputError, InternalError
from evolif.util.opened import read_text
from evolif.util.suggestions import near_path, sentence

if TYPE_CHECKING:
    from pydantic import ValidationError

_PACKAGE = Path(__file__).parent.parent
_PACKAGED = _PACKAGE / "_data"
_CHECKOUT = _PACKAGE.parent
MOST_BYTES = 1 << 20
"""Maximum size of a configuration file."""
MOST_NESTING = 32
"""Maximum depth of lists and mappings in a configuration file."""
_MOST_DIGITS = 100
_NUMERIC = frozenset("+-0123456789abcdefABCDEFox._:")
_TOML_SIGNS = re.compile(r'"""|\'\'\'|["\'#\[\]{}.,=\n]')


def data_path(*parts: str) -> Path:
    """The path of a data file or folder, e.g. `data_path("seeds", "topics.jsonl")`."""
    for root in (_PACKAGED, _CHECKOUT):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise InternalError(f"the data file {'/'.join(parts)} is missing from this installation; reinstall evolif")


def load_data(path: Path) -> Any:
    """Read a configuration file as hostile input: TOML if its name ends in `.toml`, otherwise YAML.

    Only plain data is accepted. Aliases, which can expand without bound, and tags are not, and nothing is larger than
    `MOST_BYTES` or nested deeper than `MOST_NESTING`; so no file can exhaust memory or the interpreter's stack.

    Raises:
        InputError: it cannot be read, is not valid, or breaks one of these rules.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            raise InputError(f"larger than {MOST_BYTES >> 10} KB; shorten it", path=path)
        text = raw.decode("utf-8")
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror}){near_path(path)}", path=path) from None
    except UnicodeDecodeError:
        raise InputError("not UTF-8; save it as UTF-8", path=path) from None
    return _read_toml(text, path) if path.suffix == ".toml" else _read_yaml(text, path)


def _read_yaml(text: str, path: Path) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_yaml(yaml.parse(text, Loader=loader), path)
        return yaml.load(text, Loader=loader)
    except yaml.YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        problem = getattr(fault, "problem", None) or "not YAML"
        line = mark.line + 1 if mark else None
        if "nesting depth" in problem:  # libyaml's own limit, before any event of that depth
            raise _too_deep(path, line) from None
        raise InputError(f"{problem}; fix the YAML", path=path, line=line) from None
    except ValueError as fault:  # a date that does not exist
        raise InputError(f"a value cannot be read ({fault}); put it in quotation marks", path=path) from None


def _check_yaml(events: Iterable[Any], path: Path) -> None:
    """Refuse what would be dangerous to build, while the events are read one by one."""
    import yaml

    depth = 0
    for event in events:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise InputError("YAML aliases (*name) are not accepted; write the value out", path=path, line=line)
        if getattr(event, "tag", None) is not None:
            raise InputError("YAML tags (!name) are not accepted; write plain values", path=path, line=line)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MOST_NESTING:
                raise _too_deep(path, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.ScalarEvent) and event.implicit[0] and _is_endless(event.value):
            raise InputError("a number has too many digits; put it in quotation marks", path=path, line=line)


def _is_endless(plain: str) -> bool:
    """Whether a plain scalar is read as a number that takes unbounded time."""
    return len(plain) > _MOST_DIGITS and not plain[0].isalpha() and not set(plain) - _NUMERIC


def _read_toml(text: str, path: Path) -> Any:
    import tomllib

    _check_toml(text, path)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as fault:  # a number with thousands of digits is a plain ValueError
        raise InputError(f"not TOML: {fault}", path=path) from None
    level: list[object] = [data]
    for _ in range(MOST_NESTING + 1):
        level = [
            inner
            for value in level
            if isinstance(value, dict | list)
            for inner in (value.values() if isinstance(value, dict) else value)
        ]
    if level:
        raise _too_deep(path)
    return data


def _check_toml(text: str, path: Path) -> None:
    """Refuse many brackets or dotted names inside each other before the parser, which is recursive, sees them."""
    depth = dots = at = 0
    while found := _TOML_SIGNS.search(text, at):
        sign, at = found[0], found.end()
        if sign[0] in "\"'#":
            at = _end_of(sign, text, at)
            if at < 0:
                return  # not closed: the parser goes no further either
        elif sign == ".":
            dots += 1
        else:
            dots = 0
            depth = max(0, depth + {"[": 1, "{": 1, "]": -1, "}": -1}.get(sign, 0))
        if depth + dots > MOST_NESTING:
            raise _too_deep(path, text.count("\n", 0, at) + 1)


def _end_of(sign: str, text: str, at: int) -> int:
    """Where a comment or string ends that was opened by `sign`; -1 if it does not end."""
    line_end = text.find("\n", at)
    if sign == "#":
        return len(text) if line_end < 0 else line_end
    last = len(text) if len(sign) == 3 or line_end < 0 else line_end
    while (end := text.find(sign, at, last)) >= 0:
        before = end
        while sign[0] == '"' and before > at and text[before - 1] == "\\":
            before -= 1
        if (end - before) % 2 == 0:
            end += len(sign)
            # Up to two quotation marks may stand directly before the closing three.
            return end + (len(text[end : end + 2]) - len(text[end : end + 2].lstrip(sign[0])) if len(sign) == 3 else 0)
        at = end + 1
    return -1


def _too_deep(path: Path, line: int | None = None) -> InputError:
    return InputError(f"nested more than {MOST_NESTING} levels deep; make it flatter", path=path, line=line)


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


CatalogueEntry = TypeVar("CatalogueEntry", bound=_Identified)


def complaint(fault: ValidationError, whole: str) -> str:
    """The first validation error in a few words, such as `turns must be at least 1, not 0`.

    Args:
        fault: What pydantic found.
        whole: Names the data if the error is not in a single field; empty where the sentence has named it.
    """
    first = fault.errors(include_url=False)[0]
    return sentence(".".join(map(str, first["loc"])) or whole, first)


def read_json_lines(path: Path) -> Iterable[tuple[int, object]]:
    """The objects of a JSONL file with their line numbers; blank lines are skipped."""
    try:
        # Not `splitlines`: it also splits at U+2028 and other characters that JSON strings may hold.
        lines = read_text(path).split("\n")
    except (OSError, UnicodeDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "not UTF-8"
        raise InputError(f"cannot be read ({reason}){near_path(path)}", path=path) from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError):  # a number with thousands of digits is a plain ValueError
                raise InputError("not a JSON object; fix or delete the line", path=path, line=number) from None


def read_catalogue(path: Path, parse: Callable[[object], CatalogueEntry], kind: str) -> tuple[CatalogueEntry, ...]:
    """The entries of a catalogue; each id is unique.

    Args:
        path: The JSONL file.
        parse: Makes an entry from an object; raises `ValidationError` or `InputError` if it cannot.
        kind: What error messages call an entry.
    """
    from pydantic import ValidationError  # whoever needs no catalogue does not wait for it

    entries: dict[str, CatalogueEntry] = {}
    for number, data in read_json_lines(path):
        try:
            entry = parse(data)
        except (ValidationError, InputError) as fault:
            message = complaint(fault, kind) if isinstance(fault, ValidationError) else str(fault)
            raise InputError(message, path=path, line=number) from None
        if entry.id in entries:
            raise InputError(f"the {kind} id {entry.id} is used twice", path=path, line=number)
        entries[entry.id] = entry
    if not entries:
        raise InputError(f"contains no {kind}", path=path)
    return tuple(entries.values())
