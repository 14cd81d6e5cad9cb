"""Stage 6: from pieces to the body; escaping happens here and nowhere else."""

from __future__ import annotations

import json
from html import escape

from evolif.witness._draft import Draft, Sentence
from evolif.witness._needs import Needs


def render(draft: Draft, needs: Needs) -> str:
    """Write the draft in the format that is asked for."""
    stop = "!" if needs.exclude == "." else "."
    if needs.fmt == "json":
        return json.dumps([_text(s, stop) for s in draft.sentences()], ensure_ascii=False)
    if needs.fmt == "csv":
        cells = [_cell(_text(s, stop)) for s in draft.sentences()]
        return "\n".join(f"{left},{right}" for left, right in zip(cells[::2], cells[1::2], strict=True))
    if needs.fmt in ("html", "xml"):
        return _tags(draft, needs.fmt, stop)
    return _markdown(draft, stop)


def _text(sentence: Sentence, stop: str) -> str:
    return " ".join(map(str, sentence.pieces)) + (stop if sentence.stop else "")


def _cell(text: str) -> str:
    if "," in text or '"' in text:
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def _tags(draft: Draft, fmt: str, stop: str) -> str:
    lines = []
    for block in draft.blocks:
        texts = [escape(_text(s, stop), quote=False) for s in block.sentences]
        if block.is_list:
            lines += ["<ul>", *(f"<li>{text}</li>" for text in texts), "</ul>"]
        else:
            lines.append(f"<p>{' '.join(texts)}</p>")
    root = "answer" if fmt == "xml" else "div"
    return "\n".join([f"<{root}>", *lines, f"</{root}>"])


def _markdown(draft: Draft, stop: str) -> str:
    blocks = []
    for block in draft.blocks:
        texts = [_text(s, stop) for s in block.sentences]
        blocks.append("\n".join(f"- {text}" for text in texts) if block.is_list else " ".join(texts))
    return "\n\n".join(blocks)
