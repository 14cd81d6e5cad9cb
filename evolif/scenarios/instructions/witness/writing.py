"""Write the draft of an everyday text in its format; escaping happens only here."""

from __future__ import annotations

from html import escape

from evolif.scenarios.instructions.witness.demands import TextDemands
from evolif.scenarios.instructions.witness.layout import (
    UNESCAPED,
    Draft,
    DraftBlock,
    Sentence,
    csv_cell,
    items_of,
    json_text,
    sentence_text,
)
from evolif.scenarios.instructions.witness.requirements import RefusedError


def render_everyday(draft: Draft, demands: TextDemands) -> str:
    """The text of a draft."""
    text = _inside(draft, demands)
    if demands.fence:
        return f"```json\n{text}\n```"
    left, right = demands.wrap
    if demands.shape == "code":
        return "\n".join(filter(None, (f"```{demands.tag}", left, text, right, "```")))
    return f"{left}{text}{right}"


def _inside(draft: Draft, demands: TextDemands) -> str:
    fmt, stop = demands.base.fmt, demands.stop
    if demands.shape != "prose":
        return _entries([sentence_text(s, stop) for s in draft.sentences()], demands)
    if fmt == "json":
        return json_text(draft, stop)
    if fmt == "csv":
        cells = [csv_cell(sentence_text(s, stop)) for s in draft.sentences()]
        if len(cells) % 2:  # rows have two cells each
            raise RefusedError("cells", "format")
        return "\n".join(f"{left},{right}" for left, right in zip(cells[::2], cells[1::2], strict=True))
    if fmt in ("html", "xml"):
        return _tags(draft, demands)
    return "\n\n".join(_markdown(block, demands) for block in draft.blocks)


def _entries(texts: list[str], demands: TextDemands) -> str:
    if demands.shape == "code":
        return "\n".join(texts)
    if demands.shape == "comma_list":
        return ", ".join(texts)
    quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    return "[" + ", ".join(f'"{text}"' for text in quoted) + "]"


def _tags(draft: Draft, demands: TextDemands) -> str:
    lines = []
    ordered = "ol" if demands.numbered else "ul"
    for block in draft.blocks:
        if block.is_list:
            items = [_escaped(item, demands) for item in items_of(block)]
            lines += [f"<{ordered}>", *(f"<li>{text}</li>" for text in items), f"</{ordered}>"]
        else:
            name = f"h{block.level}" if block.kind == "heading" else "p"
            lines.append(f"<{name}>{_escaped(block.sentences, demands)}</{name}>")
    root = "answer" if demands.base.fmt == "xml" else "div"
    text = "\n".join([f"<{root}>", *lines, f"</{root}>"])
    return text.replace(UNESCAPED[0], "<b>").replace(UNESCAPED[1], "</b>")


def _escaped(sentences: list[Sentence], demands: TextDemands) -> str:
    return " ".join(escape(sentence_text(s, demands.stop, UNESCAPED), quote=False) for s in sentences)


def _markdown(block: DraftBlock, demands: TextDemands) -> str:
    texts = [sentence_text(s, demands.stop) for s in block.sentences]
    if block.is_list:
        sign = ")" if demands.base.exclude == "." else "."
        items = [" ".join(sentence_text(s, demands.stop) for s in item) for item in items_of(block)]
        marks = [f"{n}{sign}" for n in range(1, len(items) + 1)] if demands.numbered else ["-"] * len(items)
        return "\n".join(f"{mark} {text}" for mark, text in zip(marks, items, strict=True))
    if block.kind == "heading":
        return f"{'#' * block.level} {texts[0]}"
    if block.kind == "table":
        rows = [texts[at : at + block.columns] for at in range(0, len(texts), block.columns)]
        rows.insert(1, ["---"] * block.columns)
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)
    if demands.one_per_line:
        return "\n".join(texts)
    return "".join(
        text if not number else f"\n{text}" if number in block.breaks else f" {text}"
        for number, text in enumerate(texts)
    )
