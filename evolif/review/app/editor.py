"""The editor, which checks words and saves a draft while the reviewer types, and small dialogs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar, TypeVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.document._document import EditResult
from textual.document._edit import Edit
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from evolif.errors import EvolifError
from evolif.review.app.keys import content
from evolif.review.decisions import Drafts, format_time
from evolif.review.text import Marked, clean_input, one_line, styled
from evolif.review.turn_view import findings_text
from evolif.scenarios.instructions.turns import Finding

CHECK_DELAY = 0.25
"""Seconds without a keystroke before the checkers run."""


class Words(TextArea):
    """A text area that underlines findings, and in which control characters have no effect."""

    spans: Sequence[tuple[int, int]] = ()

    def edit(self, edit: Edit) -> EditResult:
        """Clean every change of the text, pasted ones included."""
        return super().edit(replace(edit, text=clean_input(edit.text)))

    def mark(self, spans: Sequence[tuple[int, int]]) -> None:
        """Underline these ranges of the text."""
        self.spans = spans
        self._line_cache.clear()
        self.refresh()

    def get_line(self, line_index: int) -> Text:
        """A line with its underlined ranges."""
        line = super().get_line(line_index)
        start = sum(len(self.document.get_line(number)) + 1 for number in range(line_index)) if self.spans else 0
        for first, last in self.spans:
            line.stylize("bold underline", max(0, first - start), max(0, last - start))
        return line


class Editor(Screen[str | None]):
    """Edits an item's words; returns them if saved, else None. Unsaved words stay on disk as a draft.

    Args:
        item: The item's key.
        base: Its current words.
        above: The text above the editor.
        drafts: Keeps unsaved words.
        check: Runs the checkers; slow.
        start: Words to start from instead of `base` or a draft.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("ctrl+s", "save", "Save"),
        ("escape", "leave", "Leave"),
        ("ctrl+r", "restart", "Start over"),
    ]

    DEFAULT_CSS = """
    Editor #above { height: auto; max-height: 35%; padding: 0 1; }
    Editor Words, Editor Words:focus { height: 1fr; min-height: 5; border: round $primary; }
    Editor #found { height: auto; max-height: 35%; padding: 0 1; }
    Editor .foot { height: auto; padding: 0 1; color: $text-muted; }
    """

    def __init__(
        self,
        item: str,
        base: str,
        above: Marked,
        drafts: Drafts,
        check: Callable[[str], list[Finding]],
        start: str | None = None,
    ) -> None:
        super().__init__()
        self._item = item
        self._base = clean_input(base)
        self._spelled_out = self._base != base
        self._above = above
        self._drafts = drafts
        self._check = check
        self._draft = drafts.get(item) if start is None else None
        text = clean_input(self._draft.text if self._draft else self._base if start is None else start)
        self._words = Words(text, soft_wrap=True)
        self._findings = Static("checking …", markup=False)

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="above"):
            yield Static(content(self._above), markup=False)
        yield self._words
        with VerticalScroll(id="found"):
            yield self._findings
        yield Static(Content(self._hint()), classes="foot", markup=False)

    def _hint(self) -> str:
        lines = ["ctrl+s saves · escape closes and keeps the draft · ctrl+r starts over"]
        if self._spelled_out:
            lines.insert(0, "Invisible characters are shown as \\x1b; please delete them.")
        if self._draft is not None:
            changed = " (the stored words have changed since)" if clean_input(self._draft.base) != self._base else ""
            lines.insert(0, f"Your draft from {format_time(self._draft.time)} was restored{changed}.")
        return "\n".join(lines)

    def on_mount(self) -> None:
        words = self._words
        words.focus()
        if words.document.line_count == 1:  # start at the end of a query, but at the top of a topic's fields
            words.move_cursor(words.document.end)
        self._recheck(words.text)

    @on(TextArea.Changed)
    def _changed(self) -> None:
        text = self._words.text
        try:
            if text == self._base:
                self._drafts.drop(self._item)
            else:
                self._drafts.keep(self._item, self._base, text)
        except EvolifError as error:
            self.notify(one_line(str(error)), title="The draft could not be saved", severity="error", markup=False)
        self._words.mark(())
        self._recheck(text)

    @work(exclusive=True, group="check")
    async def _recheck(self, text: str) -> None:
        self._findings.update("checking …")
        await asyncio.sleep(CHECK_DELAY)
        try:
            found = await asyncio.to_thread(self._check, text)
        except Exception as error:  # a broken checker must not cost the words
            self._findings.update(content(styled(f"the checkers failed: {one_line(str(error))}")))
            return
        self._findings.update(content(findings_text(text, found)))
        self._words.mark([span for finding in found for span in finding.spans])

    def action_save(self) -> None:
        self.dismiss(self._words.text)

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_restart(self) -> None:
        """Start over from the stored words; ctrl+z restores the edited ones."""
        words = self._words
        words.replace(self._base, words.document.start, words.document.end)


class SingleLine(Input):
    """One line of text, in which pasted control characters have no effect."""

    def insert_text_at_cursor(self, text: str) -> None:
        super().insert_text_at_cursor(clean_input(text).replace("\n", " "))

    def replace(self, text: str, start: int, end: int) -> None:
        super().replace(clean_input(text).replace("\n", " "), start, end)


DialogAnswer = TypeVar("DialogAnswer")


class EditorDialog(ModalScreen[DialogAnswer]):
    """A title, a text and a widget to answer with.

    Args:
        title: The question.
        body: Text to answer it with; no space is reserved for it if None.
        answer: The widget, which gets the focus.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "leave", "Leave")]

    DEFAULT_CSS = """
    EditorDialog { align: center middle; }
    EditorDialog > Vertical {
        width: 90%; max-width: 90; height: auto; max-height: 90%;
        border: round $primary; padding: 0 1; background: $surface;
    }
    EditorDialog VerticalScroll { height: auto; max-height: 14; }
    EditorDialog #help { color: $text-muted; }
    EditorDialog OptionList, EditorDialog OptionList:focus { border: none; max-height: 10; padding: 0; }
    EditorDialog SingleLine, EditorDialog SingleLine:focus { border: round $primary; }
    """

    HINT = "escape closes"

    def __init__(self, title: str, body: Marked | None, answer: Widget | None = None) -> None:
        super().__init__()
        self._title = title
        self._body = body
        self._answer = answer

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content.styled(self._title, "bold"), markup=False)
            if self._body is not None:
                with VerticalScroll():
                    yield Static(content(self._body), markup=False)
            if self._answer is not None:
                yield self._answer
            yield Static(self.HINT, id="help", markup=False)

    def on_mount(self) -> None:
        if self._answer is not None:
            self._answer.focus()

    def action_leave(self) -> None:
        self.dismiss(None)


class Ask(EditorDialog[str | None]):
    """Asks for one line; returns None if the reviewer leaves.

    Args:
        title: The question.
        body: Text to answer it with.
        value: A default answer.
        placeholder: An example of an answer.
        required: Whether an empty answer is refused.
        select: Whether typing replaces the default answer.
        keep: Called with every change of the answer.
    """

    HINT = "enter continues · escape cancels"

    def __init__(
        self,
        title: str,
        body: Marked | None = None,
        *,
        value: str = "",
        placeholder: str = "",
        required: bool = True,
        select: bool = True,
        keep: Callable[[str], None] | None = None,
    ) -> None:
        line = SingleLine(value, placeholder=placeholder, select_on_focus=select)
        super().__init__(title, body or Marked(), line)
        self._required = required
        self._keep = keep

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if self._keep is not None:
            self._keep(event.value)

    @on(Input.Submitted)
    def _answered(self, event: Input.Submitted) -> None:
        if event.value.strip() or not self._required:
            self.dismiss(event.value.strip())
        else:
            self.query_one("#help", Static).update("type something, or press escape to cancel")


class Choose(EditorDialog[str | None]):
    """Asks for one of several choices; returns its name, or None if the reviewer leaves.

    Args:
        title: The question.
        body: Text to choose by.
        choices: Names and descriptions, the careful one first.
    """

    HINT = "↑ ↓ and enter choose · escape cancels"

    def __init__(self, title: str, body: Marked, choices: Sequence[tuple[str, str]]) -> None:
        options = (Option(Content(text), id=name) for name, text in choices)
        super().__init__(title, body, OptionList(*options, markup=False))

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)


class Page(EditorDialog[None]):
    """A page to read."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,enter,question_mark,s", "leave", "Leave")]

    DEFAULT_CSS = """
    Page VerticalScroll { max-height: 100%; }
    """
