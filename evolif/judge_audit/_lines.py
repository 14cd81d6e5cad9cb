"""The judge audit in plain lines, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evolif.judge_audit._agreement import JudgeAuditRow, Share


def judge_audit_lines(rows: Iterable[JudgeAuditRow]) -> list[str]:
    """One line a row, under the reviewer; fit for a terminal, whatever the names hold.

    Args:
        rows: As `judge_audit_summary` gives them.
    """
    lines: list[str] = []
    last: str | None = None
    told = list(rows)
    everybody = "all persons together" if any(row.reviewer for row in told) else "a person"
    for row in told:
        if row.reviewer != last:
            lines.append(f"The judge beside {_shown(row.reviewer) or everybody}:")
            last = row.reviewer
        lines.append("; ".join(_parts(row)))
    return lines


def _parts(row: JudgeAuditRow) -> Iterator[str]:
    skipped = f", {row.skipped} skipped" if row.skipped else ""
    yield f"  {_shown(row.group) or 'all groups'}: {row.scored} scored{skipped}"
    if row.scored:
        yield f"same verdict {_told(row.overall)}"
        yield f"where the judge accepts {_told(row.when_accepted)}"
        yield f"where it rejects {_told(row.when_rejected)}"
        yield f"κ {_kappa(row)}"
    if row.uncovered:
        yield f"nothing is known of {row.uncovered} of {row.uncovered + row.answers} judged answers"


def _shown(name: str) -> str:
    """A foreign name without anything that commands a terminal or turns the reading order."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name[:60])


def _told(share: Share) -> str:
    if share.value is None or share.low is None or share.high is None:
        return "not scored"
    ends = f"{100 * share.low:.0f}–{100 * share.high:.0f}"
    return f"{100 * share.value:.0f} % ({ends}, {share.hits} of {share.items} scored)"


def _kappa(row: JudgeAuditRow) -> str:
    if row.kappa is None:
        return "undefined"
    if row.kappa_low is None or row.kappa_high is None:
        return f"{row.kappa:.2f} (too few for an interval)"
    return f"{row.kappa:.2f} ({row.kappa_low:.2f} to {row.kappa_high:.2f})"
