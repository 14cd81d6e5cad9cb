"""One failed answer with its reason, for a reader who wants to see what the figures stand on."""

from __future__ import annotations

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from evolif.domain import Session
from evolif.protocol import Run, TurnRecord
from evolif.report._escape import clip, plain


def first_failure(run: Run, model: str) -> tuple[Session, TurnRecord] | None:
    """The first answer of a model that missed a constraint."""
    for session, records in run.transcripts(model):
        for record in records:
            if any(v.satisfied is False for v in record.verdicts):
                return session, record
    return None


def print_failure(session: Session, record: TurnRecord, console: Console) -> None:
    """Show query, answer and verdicts of a turn."""
    text = Text()
    text.append("user\n", style="bold")
    text.append(f"{clip(record.query, 700)}\n\n")
    text.append("answer (cut at the token limit)\n" if record.truncated else "answer\n", style="bold")
    text.append(f"{clip(record.answer, 700) or '(empty)'}\n")
    for verdict in record.verdicts:
        mark, style = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}[verdict.satisfied]
        text.append(f"\n{mark} {verdict.group}: ", style=style)
        text.append(f"expected {plain(verdict.expected)}; found {plain(verdict.found)}")
    title = f"A failed answer: {session.model}, dialogue {session.dialogue}, turn {record.turn}"
    console.print(Panel(text, title=Text(plain(title)), title_align="left"))
