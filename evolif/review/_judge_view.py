"""What is shown of a judged answer: the question, the scale and the answer, as the judge had them; nothing it said."""

from __future__ import annotations

from collections.abc import Sequence

from evolif.judge_audit import AuditItem
from evolif.review._decision import Decision, told_time
from evolif.review._safe import Marked, joined, one_line, said, visible

ONLY = (
    "Only this quality counts: not a format, a length or words that other demands brought about, not whether the "
    "answer is right, not whether you like it."
)
"""What the judge is told, too."""


def answer_blocks(item: AuditItem, of: int, own: Sequence[Decision]) -> list[tuple[str, Marked]]:
    """The blocks of a judged answer, each with its title.

    Args:
        item: What is shown; it knows neither the model nor the verdict.
        of: Items of the sample.
        own: The reviewer's decisions on it that stand, oldest first.
    """
    head = f"Answer {item.number} of {of}: {one_line(item.group, 40)} {one_line(item.value, 40)}".rstrip()
    scale = joined([_band(line) for line in item.scale])
    blocks = [
        (head, joined([said(one_line(item.question), "strong"), said(ONLY, "faint")])),
        ("Scale: press 1 to 9, or 0 for 10", scale),
        ("The answer, whole", visible(item.answer)),
        ("The query that it answers; the judge does not see it", visible(item.query)),
    ]
    if own:
        blocks.insert(2, ("Yours", own_text(own)))
    return blocks


def own_text(own: Sequence[Decision]) -> Marked:
    """The reviewer's scores and notes, newest first."""
    return joined([said(_line(record)) for record in reversed(own)])


def _line(record: Decision) -> str:
    what = f"score {record.after.get('score')}" if record.decision == "score" else record.decision
    return f"{told_time(record.time)}: {what}" + (f" – {one_line(record.note)}" if record.note else "")


def _band(line: str) -> Marked:
    band, _, text = line.partition(":")
    return said(f"{band:>5} ", "strong") + said(one_line(text))
