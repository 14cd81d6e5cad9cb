"""Write a draft in the required format; escaping happens only here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from evolif.witness.layout import Draft, DraftBlock, Sentence
from evolif.witness.requirements import RefusedError, Requirements

_BOLD = ("**", "**")
_UNESCAPED = ("\x02", "\x03")
"""Mark where bold begins and ends until the text is escaped."""


def render(draft: Draft, requirements: Requirements) -> str:
    """Write the draft in the required format."""
    stop = "!" if requirements.exclude == "." else "."
    if requirements.fmt == "json":
        return _json(draft, stop)
    if requirements.fmt == "csv":
        cells = [csv_cell(_text(s, stop)) for s in draft.sentences()]
        if len(cells) % 2:  # rows have two cells each
            raise RefusedError("cells", "format")
        return "\n".join(f"{left},{right}" for left, right in zip(cells[::2], cells[1::2], strict=True))
    if requirements.fmt in ("html", "xml"):
        return _tags(draft, requirements, stop)
    return "\n\n".join(_markdown(block, requirements, stop) for block in draft.blocks)


def _text(sentence: Sentence, stop: str, bold: tuple[str, str] = _BOLD) -> str:
    text = " ".join(f"{bold[0]}{piece}{bold[1]}" if piece.bold else str(piece) for piece in sentence.pieces)
    if not sentence.stop:
        return text
    return f"{text}?" if sentence.question else text + stop


def _json(draft: Draft, stop: str) -> str:
    keys = [_text(s, stop) for block in draft.blocks if block.kind == "keys" for s in block.sentences]
    texts = [_text(s, stop) for block in draft.blocks if block.kind != "keys" for s in block.sentences]
    if not keys:
        return json.dumps(texts, ensure_ascii=False)
    last = len(keys) - 1
    values: list[str | Sequence[str]] = [*texts[:last], texts[last] if len(texts) == len(keys) else texts[last:]]
    return json.dumps(dict(zip(keys, values, strict=True)), ensure_ascii=False)


def csv_cell(text: str) -> str:
    """A text as a cell, quoted if it must be."""
    if "," in text or '"' in text:
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def _tags(draft: Draft, requirements: Requirements, stop: str) -> str:
    lines = []
    ordered = "ol" if requirements.numbered else "ul"
    for block in draft.blocks:
        texts = [escape(_text(s, stop, _UNESCAPED), quote=False) for s in block.sentences]
        if block.is_list:
            lines += [f"<{ordered}>", *(f"<li>{text}</li>" for text in texts), f"</{ordered}>"]
        elif block.kind == "heading":
            lines.append(f"<h2>{texts[0]}</h2>")
        else:
            lines.append(f"<p>{' '.join(texts)}</p>")
    root = "answer" if requirements.fmt == "xml" else "div"
    text = "\n".join([f"<{root}>", *lines, f"</{root}>"])
    return text.replace(_UNESCAPED[0], "<b>").replace(_UNESCAPED[1], "</b>") if requirements.bold else text


def _markdown(block: DraftBlock, requirements: Requirements, stop: str) -> str:
    texts = [_text(s, stop) for s in block.sentences]
    if block.is_list:
        sign = ")" if requirements.exclude == "." else "."
        marks = [f"{n}{sign}" for n in range(1, len(texts) + 1)] if requirements.numbered else ["-"] * len(texts)
        return "\n".join(f"{mark} {text}" for mark, text in zip(marks, texts, strict=True))
    if block.kind == "heading":
        return f"## {texts[0]}"
    if block.kind == "table":
        rows = [texts[at : at + block.columns] for at in range(0, len(texts), block.columns)]
        rows.insert(1, ["---"] * block.columns)
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return " ".join(texts)
