"""Stage 6: from pieces to the body; escaping happens here and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from evolif.witness.layout import Draft, DraftBlock, Piece, Sentence
from evolif.witness.requirements import Requirements

_BOLD = ("**", "**")
_UNESCAPED = ("\x02", "\x03")
"""Stand where bold begins and ends until the text around is escaped."""


def render(draft: Draft, needs: Requirements) -> str:
    """Write the draft in the format that is asked for."""
    stop = "!" if needs.exclude == "." else "."
    if needs.fmt == "json":
        return _json(draft, stop)
    if needs.fmt == "csv":
        cells = [_cell(_text(s, stop)) for s in draft.sentences()]
        return "\n".join(f"{left},{right}" for left, right in zip(cells[::2], cells[1::2], strict=True))
    if needs.fmt in ("html", "xml"):
        return _tags(draft, needs, stop)
    return "\n\n".join(_markdown(block, needs, stop) for block in draft.blocks)


def _text(sentence: Sentence, stop: str, bold: tuple[str, str] = _BOLD) -> str:
    text = " ".join(_bold(piece, bold) if piece.bold else str(piece) for piece in sentence.pieces)
    if not sentence.stop:
        return text
    return f"{text}?" if sentence.question else text + stop


def _bold(piece: Piece, marks: tuple[str, str]) -> str:
    return f"{marks[0]}{piece}{marks[1]}"


def _json(draft: Draft, stop: str) -> str:
    keys = [_text(s, stop) for block in draft.blocks if block.kind == "keys" for s in block.sentences]
    texts = [_text(s, stop) for block in draft.blocks if block.kind != "keys" for s in block.sentences]
    if not keys:
        return json.dumps(texts, ensure_ascii=False)
    last = len(keys) - 1
    values: list[str | Sequence[str]] = [*texts[:last], texts[last] if len(texts) == len(keys) else texts[last:]]
    return json.dumps(dict(zip(keys, values, strict=True)), ensure_ascii=False)


def _cell(text: str) -> str:
    if "," in text or '"' in text:
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def _tags(draft: Draft, needs: Requirements, stop: str) -> str:
    lines = []
    ordered = "ol" if needs.more.numbered else "ul"
    for block in draft.blocks:
        texts = [escape(_text(s, stop, _UNESCAPED), quote=False) for s in block.sentences]
        if block.is_list:
            lines += [f"<{ordered}>", *(f"<li>{text}</li>" for text in texts), f"</{ordered}>"]
        elif block.kind == "heading":
            lines.append(f"<h2>{texts[0]}</h2>")
        else:
            lines.append(f"<p>{' '.join(texts)}</p>")
    root = "answer" if needs.fmt == "xml" else "div"
    text = "\n".join([f"<{root}>", *lines, f"</{root}>"])
    return text.replace(_UNESCAPED[0], "<b>").replace(_UNESCAPED[1], "</b>") if needs.more.bold else text


def _markdown(block: DraftBlock, needs: Requirements, stop: str) -> str:
    texts = [_text(s, stop) for s in block.sentences]
    if block.is_list:
        sign = ")" if needs.exclude == "." else "."
        marks = [f"{n}{sign}" for n in range(1, len(texts) + 1)] if needs.more.numbered else ["-"] * len(texts)
        return "\n".join(f"{mark} {text}" for mark, text in zip(marks, texts, strict=True))
    if block.kind == "heading":
        return f"## {texts[0]}"
    if block.kind == "table":
        rows = [texts[at : at + block.columns] for at in range(0, len(texts), block.columns)]
        rows.insert(1, ["---"] * block.columns)
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return " ".join(texts)
