"""The dialog that chooses what the queue shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from evolif.review._queue import FACETS, Facet, Filter
from evolif.review._safe import one_line


class Filters(ModalScreen[Filter]):
    """Every value of every facet, each to be switched on and off; gives the filter when left.

    Args:
        wanted: The filter as it is.
        counts: Values of the facets and how many items have them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,f,q", "leave", "Done"),
        ("space", "switch", "Switch"),
        ("c", "clear", "Clear"),
    ]

    DEFAULT_CSS = """
    Filters { align: center middle; }
    Filters > Vertical {
        width: 90%; max-width: 70; height: auto; max-height: 90%;
        border: round $primary; padding: 0 1; background: $surface;
    }
    Filters OptionList, Filters OptionList:focus { border: none; padding: 0; max-height: 18; }
    Filters #help { color: $text-muted; }
    """

    def __init__(self, wanted: Filter, counts: Mapping[Facet, Counter[str]]) -> None:
        super().__init__()
        self._wanted = wanted
        self._rows = [(facet, value, counts[facet][value]) for facet in FACETS for value in sorted(counts[facet])]

    def compose(self) -> ComposeResult:
        """A list of switches."""
        with Vertical():
            yield Static(Content.styled("Show only", "bold"), markup=False)
            yield OptionList(*(Option(self._row(number)) for number in range(len(self._rows))), markup=False)
            yield Static("enter or space switches · c clears · escape shows the choice", id="help", markup=False)

    def on_mount(self) -> None:
        """The list is what one moves in."""
        self.query_one(OptionList).focus()

    def _row(self, number: int) -> Content:
        facet, value, count = self._rows[number]
        on_ = value in self._wanted.chosen.get(facet, frozenset())
        return Content(f"[{'x' if on_ else ' '}] {facet:<8} {one_line(value, 40)} ({count})")

    def action_switch(self) -> None:
        """Switch the value under the cursor."""
        number = self.query_one(OptionList).highlighted
        if number is not None:
            facet, value, _ = self._rows[number]
            self._wanted = self._wanted.toggled(facet, value)
            self._show(number)

    def action_clear(self) -> None:
        """Switch everything off, and forget the search."""
        self._wanted = Filter()
        for number in range(len(self._rows)):
            self._show(number)

    def action_leave(self) -> None:
        """Show what was chosen."""
        self.dismiss(self._wanted)

    def _show(self, number: int) -> None:
        self.query_one(OptionList).replace_option_prompt_at_index(number, self._row(number))

    @on(OptionList.OptionSelected)
    def _switched(self) -> None:
        self.action_switch()
