"""The review's one screen: the queue on the left, the item on the right."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.screen import ModalScreen, Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

import evolif.review.app.keys as _keys
from evolif.errors import EvolifError
from evolif.review.app.editor import Ask, Page
from evolif.review.app.keys import page
from evolif.review.desk import ReviewQueue, State, TextBlock
from evolif.review.queue import FACETS, UNDECIDED, Facet, Filter, QueueItem, Statistics, choose, told, values
from evolif.review.text import Marked, joined, one_line, said
from evolif.types import Finding

# The dialog that chooses what the queue shows.


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


POLL = 1.0
"""Seconds between two looks at what others decided."""

SETTLE = 0.1
"""Seconds that an item is looked at before its checkers are asked; who scrolls by waits for none."""


class QueueScreen(Screen[None]):
    """Shows; decisions are made by `ReviewScreen` on top of it.

    Args:
        desk: What is reviewed.
        clock: Seconds that only go forward.
    """

    BINDINGS: ClassVar[list[BindingType]] = _keys.BINDINGS

    DEFAULT_CSS = """
    QueueScreen #head, QueueScreen #state { height: 1; padding: 0 1; }
    QueueScreen #head { background: $primary; color: $text; text-style: bold; }
    QueueScreen #state { color: $text-muted; }
    QueueScreen #queue {
        width: 26; height: 100%; max-height: 100%; border: none; border-right: solid $primary; padding: 0;
        scrollbar-size-vertical: 1;
    }
    QueueScreen #item { width: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    QueueScreen #keys { height: auto; max-height: 2; padding: 0 1; color: $text-muted; }
    """

    def __init__(self, desk: ReviewQueue, clock: Callable[[], float]) -> None:
        super().__init__()
        self.desk = desk
        self.clock = clock
        self.wanted: Filter = desk.first_filter
        self.shown: str | None = None
        """The key of the item on the right."""
        self.state: State = {}
        """That item as it is shown: what a decision is about."""
        self._head = Static(id="head", markup=False)
        self._state = Static(id="state", markup=False)
        self._queue = OptionList(id="queue", markup=False)
        self._item = VerticalScroll(id="item")
        self._body = Static(markup=False)
        self._foot = Static(id="keys", markup=False)
        self._entries: dict[str, QueueItem] = {}
        """Every item as the queue has it, shown or not."""
        self._keys: list[str] = []
        self._blocks: list[TextBlock] = []
        self._since = 0.0
        self._stale = ""
        """Who changed the item since it was shown, in a sentence."""

    def compose(self) -> ComposeResult:
        """Head, state, queue, item, keys."""
        yield self._head
        yield self._state
        with Horizontal():
            yield self._queue
            with self._item:
                yield self._body
        yield self._foot

    def on_mount(self) -> None:
        """Fill the queue; look every second at what others decide."""
        self.fill()
        self.begin()
        self._queue.focus()
        self.set_interval(POLL, self.look_around)

    def begin(self) -> None:
        """Choose where to begin, once the queue is filled: at its first item."""

    def on_resize(self, event: Resize) -> None:
        """The foot is as wide as the terminal."""
        self._foot.update(Content(_keys.short(self.desk.kinds, event.size.width - 2)))

    # -- the queue ---------------------------------------------------------------------------------------------------

    def fill(self, keep: str | None = None) -> None:
        """Show the queue anew, sorted, with the filter; the cursor on `keep` where that is shown."""
        self._entries = {entry.key: entry for entry in self.desk.entries()}
        entries = choose(self._entries.values(), self.wanted)
        self._keys = [entry.key for entry in entries]
        self._queue.set_options(Option(_row(entry)) for entry in entries)
        if self._keys:
            self._queue.highlighted = self._keys.index(keep) if keep in self._keys else 0
        else:
            self._show_nothing()
        self.show_state()

    def update_row(self, key: str) -> None:
        """Show a row as it is now; it keeps its place until the queue is filled anew."""
        self._entries[key] = self.desk.entry(key)
        if key in self._keys:
            self._queue.replace_option_prompt_at_index(self._keys.index(key), _row(self._entries[key]))

    def go_to(self, key: str) -> None:
        """Put the cursor on an item, whatever the filter."""
        if key not in self._keys:
            self.wanted = Filter()
            self.fill(key)
        self._queue.highlighted = self._keys.index(key)
        self.show(key)

    def show_state(self) -> None:
        """Say who reviews what, how much is left, how it goes."""
        head = f"evolif review  {one_line(self.desk.name)}  ·  reviewer {one_line(self.desk.reviewer, 30)}"
        self._head.update(Content(head))
        self._state.update(Content(" · ".join(self.state_parts(self.desk.statistics()))))

    def state_parts(self, found: Statistics) -> list[str]:
        """What is shown, what is left, the reviewer's pace, the agreement over most items."""
        entries = self._entries.values()
        left = sum(UNDECIDED in entry.facets["mine"] for entry in entries)
        parts = [f"{len(self._keys)} shown ({one_line(self.wanted.told, 40)})", f"{left} of {len(entries)} undecided"]
        parts += [one.told for one in found.throughput if one.reviewer == self.desk.reviewer]
        return parts + [one.told for one in found.agreement[:1]]

    # -- the item ----------------------------------------------------------------------------------------------------

    @on(OptionList.OptionHighlighted, "#queue")
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        key = self._keys[event.option_index]
        if key != self.shown:
            self.show(key)

    def show(self, key: str) -> None:
        """Show an item as it is now, and ask its checkers."""
        self.shown, self.state, self._stale = key, self.desk.seen(key), ""
        self._since = self.clock()
        self._render_item(key, self.desk.checked(key))
        self._item.scroll_home(animate=False)
        self._check(key)

    @property
    def seconds(self) -> float:
        """How long the item has been looked at."""
        return max(0.0, self.clock() - self._since)

    def _show_nothing(self) -> None:
        self.shown, self.state = None, {}
        told = f"No {self.desk.noun} is shown: press f to choose others, or / and enter for all."
        self._body.update(Content(told))

    def _render_item(self, key: str, found: list[Finding] | None) -> None:
        self._blocks = self.desk.blocks(key, found)
        self._draw()

    def _draw(self) -> None:
        banner: list[TextBlock] = [("Changed meanwhile", said(self._stale, "strong"))] if self._stale else []
        self._body.update(page([*banner, *self._blocks]))

    @work(exclusive=True, group="check")
    async def _check(self, key: str) -> None:
        if self.desk.checked(key) is not None:
            return
        await asyncio.sleep(SETTLE)
        try:
            found = await asyncio.to_thread(self.desk.findings, key)
        except Exception as error:  # a checker that breaks must not take the reviewer's work with it
            self.tell("The checkers failed", str(error), bad=True)
            return
        if key == self.shown and not self._stale:
            self._render_item(key, found)
            self.update_row(key)

    # -- others ------------------------------------------------------------------------------------------------------

    def look_around(self) -> None:
        """Take in what others decided; what is shown stays as it was shown, with a word about it."""
        try:
            news = self.desk.news()
        except EvolifError as error:
            self.tell("What others decide cannot be read", str(error), bad=True)
            return
        for record in news:
            self.update_row(record.item)
            if record.item == self.shown and record.applied and self.desk.seen(record.item) != self.state:
                name = one_line(record.reviewer, 40)
                self._stale = f"{name} has decided: {record.decision}. What you see is older; r shows it as it is now."
        if news:
            self.show_state()
            if self._stale:
                self._draw()

    def tell(self, title: str, text: str = "", *, bad: bool = False) -> None:
        """Say something in passing."""
        self.notify(one_line(text), title=one_line(title), severity="error" if bad else "information", markup=False)

    # -- keys that decide nothing ------------------------------------------------------------------------------------

    def action_next(self) -> None:
        """One down; stays on the last."""
        self.move(1)

    def action_previous(self) -> None:
        """One up; stays on the first."""
        self.move(-1)

    def move(self, step: int) -> bool:
        """Show a neighbour in the queue; says whether there is one."""
        at = self._queue.highlighted
        if at is None or not 0 <= at + step < len(self._keys):
            return False
        self._queue.highlighted = at + step
        self.show(self._keys[at + step])  # at once: the next key may be waiting already
        return True

    def action_scroll(self, pages: int) -> None:
        """Scroll the right side."""
        self._item.scroll_relative(y=pages * max(1, self._item.size.height - 2), animate=False)

    def action_reload(self) -> None:
        """Show everything as it is now."""
        self.look_around()
        self.fill(self.shown)
        if self.shown is not None:
            self.show(self.shown)

    def action_dark(self) -> None:
        """From dark to light or back."""
        self.app.theme = "textual-light" if self.app.current_theme.dark else "textual-dark"

    def action_help(self) -> None:
        """Show the keys."""
        self.app.push_screen(
            Page("Keys", joined([said(_keys.long(self.desk.kinds)), Marked(), said(self.desk.legend)]))
        )

    def action_statistics(self) -> None:
        """Show decisions, pace and agreement."""
        found = self.desk.statistics()
        self.app.push_screen(Page("Statistics", joined([said(one_line(line)) for line in told(found)])))

    @work
    async def action_filters(self) -> None:
        """Choose what the queue shows."""
        self.wanted = await self.app.push_screen_wait(Filters(self.wanted, values(self._entries.values())))
        self.fill(self.shown)

    @work
    async def action_search(self) -> None:
        """Search words."""
        ask = Ask("Search", value=self.wanted.search, placeholder="words that all must occur", required=False)
        words = await self.app.push_screen_wait(ask)
        if words is not None:
            self.wanted = Filter(self.wanted.chosen, words)
            self.fill(self.shown)

    def action_quit(self) -> None:
        """Leave; everything is saved already."""
        self.app.exit()


def _row(entry: QueueItem) -> Content:
    return Content(f"{entry.mark}{entry.mine} {entry.label}").truncate(24, ellipsis=True)
