"""A file of topics under review: hostile input, rewritten one line at a time with all other bytes unchanged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

from evolif.errors import InputError
from evolif.judge_audit import VOUCHERS, json_line, replace_file
from evolif.util.opened import read_file

TopicLine = dict[str, Any]

REQUIRED_VOUCHERS = 2
"""Reviewers who must vouch for a topic (paper App. B)."""


class TopicFile:
    """Topics by id, as stored in their lines; unknown fields are kept.

    Args:
        path: The JSONL file; a link is followed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._named = path

    def read(self) -> dict[str, TopicLine]:
        """The topics in the file's order.

        Raises:
            InputError: a line lacks an id or a prompt, or an id is used twice.
        """
        topics: dict[str, TopicLine] = {}
        for number, raw in enumerate(self._lines(), 1):
            if raw.strip():
                line = self._parse(raw, number)
                if line["id"] in topics:
                    raise InputError("the id is used twice; give every topic its own id", path=self._named, line=number)
                topics[line["id"]] = line
        if not topics:
            raise InputError("contains no topics", path=self._named)
        return topics

    def rewrite(self, key: str, line: TopicLine) -> None:
        """Replace a topic's line; the file is complete at every moment.

        Raises:
            InputError: the topic is missing, or the line is not a topic.
            OutsideError: the file cannot be written.
        """
        if line.get("id") != key or not _is_text(line.get("prompt")):
            raise InputError("a decision's new version of a topic is not a valid topic", path=self._named)
        lines = self._lines()
        for number, raw in enumerate(lines, 1):
            if raw.strip() and self._parse(raw, number)["id"] == key:
                ending = b"\r" if raw.endswith(b"\r") else b""
                lines[number - 1] = json_line(line) + ending
                replace_file(self.path, b"\n".join(lines), keep_mode=True)
                return
        raise InputError("a topic under review is missing; restore its line", path=self._named)

    def _lines(self) -> list[bytes]:
        try:
            return read_file(self.path).split(b"\n")
        except OSError as fault:
            raise InputError(f"cannot be read ({fault.strerror})", path=self._named) from None

    def _parse(self, raw: bytes, number: int) -> TopicLine:
        try:
            line = json.loads(raw)
        except (ValueError, RecursionError):
            raise InputError("not a JSON object; fix or delete the line", path=self._named, line=number) from None
        if not isinstance(line, dict) or not all(_is_text(line.get(name)) for name in ("id", "prompt")):
            raise InputError(
                "a topic must be an object with the texts “id” and “prompt”; fix or delete the line",
                path=self._named,
                line=number,
            )
        return line


def _is_text(value: object) -> TypeGuard[str]:
    if not isinstance(value, str) or not value.strip():
        return False
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def names(line: TopicLine, field: str) -> list[str]:
    """The names in `verified_by` or `rejected_by`; empty for anything but a list of texts."""
    value = line.get(field)
    return list(dict.fromkeys(filter(_is_text, value))) if isinstance(value, list) else []


def status_of(line: TopicLine) -> str:
    """`rejected` if any reviewer rejects the topic, `verified` if two vouch for it, else `open`."""
    if names(line, "rejected_by"):
        return "rejected"
    vouchers = {name.casefold().strip() for name in names(line, "verified_by")}
    return "verified" if len(vouchers) >= REQUIRED_VOUCHERS else "open"


def is_same(one: str, other: str) -> bool:
    """Whether two names mean the same person."""
    return one.casefold().strip() == other.casefold().strip()


def content_of(line: Mapping[str, Any]) -> str:
    """A topic without its vouchers, as text; equal for equal topics."""
    return json.dumps({name: value for name, value in line.items() if name not in VOUCHERS}, sort_keys=True)


def vouched(line: TopicLine, reviewer: str, field: str | None) -> TopicLine:
    """The line with the reviewer named only in that field, or removed if None."""
    changed = dict(line)
    for one in VOUCHERS:
        kept = [name for name in names(line, one) if not is_same(name, reviewer)]
        wanted = [*kept, reviewer] if one == field else kept
        if wanted or one in line:
            changed[one] = wanted
    return changed
