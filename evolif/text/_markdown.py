"""A body read as CommonMark with GFM tables, task boxes and strikethrough: typed blocks with their places.

The parser is pyromark (pulldown-cmark): linear in the text, not recursive, and it gives source ranges.
"""

from __future__ import annotations

import re

from evolif.text._blocks import Block, Content
from evolif.text._markdown_builder import Builder
from evolif.text._markdown_source import CharacterOffsets, prepare

_MARKUP = re.compile(r"[*_`#\[\]<>|~\\&]|^[ \t]*(?:[-+•=]|\d+[.)])|^(?: {4}| {0,3}\t)", re.MULTILINE)
_BREAK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


def markdown_content(body: str) -> Content:
    """The content of `body` as a reader of the rendered answer sees it."""
    if not _MARKUP.search(body):
        return _plain(body)
    import pyromark

    source, exact = prepare(body)
    options = pyromark.Options
    builder = Builder(body if exact else source, exact)
    flags = options.ENABLE_TABLES | options.ENABLE_STRIKETHROUGH | options.ENABLE_TASKLISTS
    at = CharacterOffsets(source)
    for event, where in pyromark.events_with_range(source, options=flags):
        start, end = where["start"], where["end"]
        if start < end:  # the cells that a short table row leaves out have no width, and there may be very many
            builder.feed(event, at(start), at(end))
    builder.close_leaf()
    return builder.content


def _plain(body: str) -> Content:
    """Without any Markdown sign a body is just paragraphs: no parser needed."""
    content = Content([])
    start = 0
    for gap in [*_BREAK.finditer(body), None]:
        end = gap.start() if gap else len(body)
        lines, pieces, at, offset = [], [], 0, start
        for line in body[start:end].split("\n"):
            text = line.strip(" \t")
            pieces.append((at, offset + line.find(text), len(text)))
            lines.append(text)
            at += len(text) + 1
            offset += len(line) + 1
        text = "\n".join(lines)
        if text.strip():
            content.blocks.append(Block("paragraph", text, True, content.paragraphs, pieces=pieces))
            content.paragraphs += 1
        start = gap.end() if gap else end
    return content
