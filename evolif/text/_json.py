"""JSON as RFC 8259 has it: validity by the standard library, content token by token."""

from __future__ import annotations

import json
import re

from evolif.text._blocks import MAX_DEPTH, Block, Content, FormatFaultError
from evolif.text._normalise import clean

# The closing alternative `\Z` keeps an unclosed string linear: it is consumed once.
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[\[\]{}]', re.DOTALL)
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null', re.DOTALL)


def _refuse(name: str) -> float:
    raise FormatFaultError(f"{name} is not JSON")


def _check_depth(body: str) -> None:
    if body.count("[") + body.count("{") <= MAX_DEPTH:
        return  # too few brackets to be too deep, wherever they stand
    depth = 0
    for match in _BRACKETS.finditer(body):
        mark = match.group()
        if mark in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise FormatFaultError(f"nested deeper than {MAX_DEPTH} levels", match.start())
        elif mark in "]}":
            depth -= 1


def _number(text: str) -> float:
    return 0.0  # the number as written is read from the body; its value is of no interest


def parse_json(body: str) -> Content:
    """Keys, strings and numbers in document order, one block each.

    Raises:
        FormatFaultError: not one strict RFC 8259 object or array.
    """
    if body[:1] not in ("{", "["):
        raise FormatFaultError("does not start with { or [", 0)
    _check_depth(body)
    try:
        json.loads(body, parse_constant=_refuse, parse_int=_number, parse_float=_number)
    except json.JSONDecodeError as fault:
        raise FormatFaultError(f"{fault.msg} (line {fault.lineno}, column {fault.colno})", fault.pos) from None
    content = Content([])
    for match in _TOKENS.finditer(body):
        token = match.group()
        if token in ("true", "false", "null"):
            content.literal_last = token
            if not content.blocks:
                content.literal_first = content.literal_first or token
            continue
        text, shift = token, 0
        if token[0] == '"':
            text, shift = (clean(json.loads(token)), 1) if "\\" in token else (token[1:-1], 1)
        if text.strip():
            exact = len(text) == len(token) - 2 * shift
            pieces = [(0, match.start() + shift, len(text))] if exact else []
            content.blocks.append(Block("value", text, pieces=pieces))
            content.literal_last = ""
    return content
