"""What personas are inferred from: a file of messages or of lines about people, one a line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from evolif._errors import InputError
from evolif.text import clean

FIELDS = ("text", "persona", "sentence")
"""Fields of a JSONL line that may hold the text."""
LONGEST = 4000
"""Characters of a text that a model is shown."""


@dataclass(frozen=True, slots=True)
class Source:
    """One text."""

    line: int
    text: str
    mark: str
    """Tells what a persona came from without telling the text: a digest of this line and all lines before it."""


def read_sources(path: Path) -> list[Source]:
    """The texts of a file.

    A line that is a JSON object gives its field `text`, `persona` or `sentence`; any other line is a text itself.

    Raises:
        InputError: not readable, a JSON object without such a field, or no text at all.
    """
    try:
        if not path.is_file():
            raise InputError("is no file; name a text or JSONL file with one message a line", path=path)
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8; save it as UTF-8", path=path) from None
    found: list[Source] = []
    mark = b""
    for number, line in enumerate(lines, 1):
        text = " ".join(clean(_text(line, number, path)).split())[:LONGEST]
        if text:
            mark = blake2b(mark + text.encode(), digest_size=8).digest()
            found.append(Source(number, text, mark.hex()))
    if not found:
        raise InputError("holds no message", path=path)
    return found


def _text(line: str, number: int, path: Path) -> str:
    is_jsonl = path.suffix.lower() == ".jsonl"
    if not line.strip() or not (is_jsonl or line.lstrip().startswith("{")):
        return line
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        if is_jsonl:
            raise InputError("not JSON; mend or delete the line", path=path, line=number) from None
        return line
    if isinstance(data, str):
        return data
    texts = [data[name] for name in FIELDS if isinstance(data.get(name), str)] if isinstance(data, dict) else []
    if not texts:
        raise InputError(
            f"has none of the fields {', '.join(FIELDS)}; name the text by one of them", path=path, line=number
        )
    return str(texts[0])
