"""Small questions: a line of text, one of several ways on, a page to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from evolif.review._safe import Marked, typed
from evolif.review.app._looks import content


class Line(Input):
    """One line of text; nothing that is pasted into it may command the terminal."""

    def insert_text_at_cursor(self, text: str) -> None:
        """Insert what was typed or pasted."""
        super().insert_text_at_cursor(typed(text).replace("\n", " "))

    def replace(self, text: str, start: int, end: int) -> None:
        """Put other text in the place of a range."""
        super().replace(typed(text).replace("\n", " "), start, end)


class _Dialog(ModalScreen[str | None]):
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "leave", "Leave")]

    DEFAULT_CSS = """
    _Dialog { align: center middle; }
    _Dialog > Vertical {
        width: 90%; max-width: 90; height: auto; max-height: 90%;
        border: round $primary; padding: 0 1; background: $surface;
    }
    _Dialog VerticalScroll { height: auto; max-height: 14; }
    _Dialog #help { color: $text-muted; }
    _Dialog OptionList, _Dialog OptionList:focus { border: none; max-height: 10; padding: 0; }
    _Dialog Line, _Dialog Line:focus { border: round $primary; }
    """

    def __init__(self, title: str, body: Marked) -> None:
        super().__init__()
        self._title = title
        self._body = body

    def action_leave(self) -> None:
        self.dismiss(None)


class Ask(_Dialog):
    """Asks for one line; gives None when left.

    Args:
        title: The question.
        body: What is needed to answer it.
        value: An answer to start from.
        placeholder: What an answer looks like.
        required: Whether an empty answer is none.
        select: Whether what is typed replaces the answer to start from.
        keep: Told of every change of the answer.
    """

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
        super().__init__(title, body or Marked())
        self._value = value
        self._placeholder = placeholder
        self._required = required
        self._select = select
        self._keep = keep

    def compose(self) -> ComposeResult:
        """The question over a line to answer in."""
        with Vertical():
            yield Static(Content.styled(self._title, "bold"), markup=False)
            with VerticalScroll():
                yield Static(content(self._body), markup=False)
            yield Line(self._value, placeholder=self._placeholder, select_on_focus=self._select)
            yield Static("enter goes on · escape leaves", id="help", markup=False)

    def on_mount(self) -> None:
        """The line is what one types into."""
        self.query_one(Line).focus()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if self._keep is not None:
            self._keep(event.value)

    @on(Input.Submitted)
    def _answered(self, event: Input.Submitted) -> None:
        if event.value.strip() or not self._required:
            self.dismiss(event.value.strip())
        else:
            self.query_one("#help", Static).update("please write something, or leave with escape")


class Choose(_Dialog):
    """Asks for one of several ways on; gives its name, None when left.

    Args:
        title: The question.
        body: What is needed to choose.
        ways: Names and what they mean, the careful one first.
    """

    def __init__(self, title: str, body: Marked, ways: Sequence[tuple[str, str]]) -> None:
        super().__init__(title, body)
        self._ways = ways

    def compose(self) -> ComposeResult:
        """The question over the ways."""
        with Vertical():
            yield Static(Content.styled(self._title, "bold"), markup=False)
            with VerticalScroll():
                yield Static(content(self._body), markup=False)
            yield OptionList(*(Option(Content(said), id=name) for name, said in self._ways), markup=False)
            yield Static("↑ ↓ and enter choose · escape leaves", id="help", markup=False)

    def on_mount(self) -> None:
        """The list is what one moves in."""
        self.query_one(OptionList).focus()

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)


class Page(_Dialog):
    """Something to read."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,enter,question_mark,s", "leave", "Leave")]

    DEFAULT_CSS = """
    Page VerticalScroll { max-height: 100%; }
    """

    def compose(self) -> ComposeResult:
        """A title and a text."""
        with Vertical():
            yield Static(Content.styled(self._title, "bold"), markup=False)
            with VerticalScroll():
                yield Static(content(self._body), markup=False)
            yield Static("escape leaves", id="help", markup=False)
