"""What is shown of a topic: its task, its keywords, what is held against it, who vouches for it."""

from __future__ import annotations

from collections.abc import Sequence

from evolif.domain import Finding
from evolif.review._decision import Decision
from evolif.review._safe import Marked, one_line, said, visible
from evolif.review._topic_file import NEEDED, Line, names, status_of
from evolif.review._turn_view import decisions_text, findings_text

_STATUS = {
    "open": f"open: it needs {NEEDED} reviewers",
    "verified": "verified",
    "rejected": "rejected",
}


def topic_blocks(
    line: Line, found: Sequence[Finding], decisions: Sequence[Decision], *, checked: bool
) -> list[tuple[str, Marked]]:
    """The blocks of a topic, each with its title.

    Args:
        line: As it is shown.
        found: What is held against it.
        decisions: Those that stand, oldest first.
        checked: Whether `found` was found just now; nothing is stored of it.
    """
    keywords = line.get("keywords")
    words = [one_line(str(word), 60) for word in keywords] if isinstance(keywords, list) else []
    head = f"Topic {one_line(line['id'], 40)}, {_STATUS[status_of(line)]}"
    naming = ", ".join(one_line(str(line[name]), 80) for name in ("domain", "title") if line.get(name))
    blocks = [
        (head, said(naming or "without a title")),
        ("Task", visible(str(line["prompt"]))),
        (f"{len(words)} keywords", said(", ".join(words) or "none")),
        ("Findings" if checked else "Findings, checking …", findings_text("", found)),
        ("Vouchers", said(vouchers_text(line))),
    ]
    if decisions:
        blocks.append(("Decisions", decisions_text(decisions)))
    return blocks


def vouchers_text(line: Line) -> str:
    """Who vouches for it and who rejects it."""
    told = [
        f"{said_} {', '.join(one_line(name, 40) for name in names(line, field))}"
        for field, said_ in (("verified_by", "verified by"), ("rejected_by", "rejected by"))
        if names(line, field)
    ]
    return "; ".join(told) or "nobody yet"
