"""Data files: where they are, and how YAML and JSON Lines files are read as hostile input.

The data folders come from the installed package or, in a checkout, from the repository. Every error names the file, the
line and the remedy.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from evolif.errors import InputError, InternalError

_PACKAGED = Path(__file__).parent / "_data"
_CHECKOUT = Path(__file__).parent.parent


def data_path(*parts: str) -> Path:
    """The path of a data file or folder, e.g. `data_path("seeds", "topics.jsonl")`."""
    for root in (_PACKAGED, _CHECKOUT):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise InternalError(f"the data file {'/'.join(parts)} is missing from this installation; reinstall evolif")


def load_yaml(path: Path) -> Any:
    """Read a YAML file safely: only plain data, and no aliases, which can expand without bound.

    Raises:
        InputError: not readable, not YAML, or uses aliases.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        text = path.read_text(encoding="utf-8")
        for token in yaml.scan(text, Loader=loader) if "*" in text else ():
            if isinstance(token, yaml.AliasToken):
                line = token.start_mark.line + 1
                raise InputError("YAML aliases (*name) are not accepted; write the value out", path=path, line=line)
        return yaml.load(text, Loader=loader)
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    except yaml.YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        problem = getattr(fault, "problem", None) or "not YAML"
        raise InputError(f"{problem}; fix the YAML", path=path, line=mark.line + 1 if mark else None) from None


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


CatalogueEntry = TypeVar("CatalogueEntry", bound=_Identified)


def complaint(fault: ValidationError, whole: str) -> str:
    """The first validation error, as `where: what`; `whole` names the data if the error is not in a single field."""
    first = fault.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or whole
    return f"{where}: {first['msg']}"


def read_json_lines(path: Path) -> Iterable[tuple[int, object]]:
    """The objects of a JSONL file with their line numbers; blank lines are skipped."""
    try:
        # Not `splitlines`: it also splits at U+2028 and other characters that JSON strings may hold.
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "not UTF-8"
        raise InputError(f"cannot be read ({reason})", path=path) from None
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
