"""The screen of the review: the queue on the left, the item on the right; and the dialog for filters."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from evolif.errors import EvolifError
from evolif.review.agreement import Statistics
from evolif.review.app import keys
from evolif.review.app.editor import Ask, EditorDialog, Page
from evolif.review.app.keys import page
from evolif.review.filters import FACETS, UNDECIDED, Facet, Filter, QueueItem, choose, values
from evolif.review.queue import ReviewQueue, State, TextBlock
from evolif.review.text import Marked, joined, one_line, styled
from evolif.scenarios.instructions.turns import Finding


class Filters(EditorDialog[Filter]):
    """A switch for every value of every facet; returns the filter.

    Args:
        wanted: The current filter.
        counts: Values of the facets, and how many items have them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,f,q", "leave", "Done"),
        ("space", "switch", "Switch"),
        ("c", "clear", "Clear"),
    ]

    DEFAULT_CSS = """
    Filters > Vertical { max-width: 70; }
    Filters OptionList, Filters OptionList:focus { max-height: 18; }
    """

    HINT = "enter or space toggles · c clears · escape applies"

    def __init__(self, wanted: Filter, counts: Mapping[Facet, Counter[str]]) -> None:
        self._wanted = wanted
        self._rows = [(facet, value, counts[facet][value]) for facet in FACETS for value in sorted(counts[facet])]
        self._options = OptionList(*(Option(self._row(number)) for number in range(len(self._rows))), markup=False)
        super().__init__("Show only", None, self._options)

    def _row(self, number: int) -> Content:
        facet, value, count = self._rows[number]
        chosen = value in self._wanted.chosen.get(facet, frozenset())
        return Content(f"[{'x' if chosen else ' '}] {facet:<8} {one_line(value, 40)} ({count})")

    def action_switch(self) -> None:
        number = self._options.highlighted
        if number is not None:
            facet, value, _ = self._rows[number]
            self._wanted = self._wanted.toggled(facet, value)
            self._show(number)

    def action_clear(self) -> None:
        """Switch everything off, the search included."""
        self._wanted = Filter()
        for number in range(len(self._rows)):
            self._show(number)

    def action_leave(self) -> None:
        self.dismiss(self._wanted)

    def _show(self, number: int) -> None:
        self._options.replace_option_prompt_at_index(number, self._row(number))

    @on(OptionList.OptionSelected)
    def _switched(self) -> None:
        self.action_switch()


POLL = 1.0
"""Seconds between two reads of other reviewers' decisions."""

CHECK_DELAY = 0.1
"""Seconds on an item before its checkers run, so that scrolling stays fast."""


class QueueScreen(Screen[None]):
    """Shows the queue and an item; the subclass `ReviewScreen` makes decisions.

    Args:
        queue: What is reviewed.
        clock: A monotonic clock, in seconds.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.BINDINGS

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

    def __init__(self, queue: ReviewQueue, clock: Callable[[], float]) -> None:
        super().__init__()
        self.queue = queue
        self.clock = clock
        self.wanted: Filter = queue.first_filter
        self.shown: str | None = None
        """The shown item's key."""
        self.state: State = {}
        """The item as it is shown, which decisions are about."""
        self._head = Static(id="head", markup=False)
        self._state = Static(id="state", markup=False)
        self._list = OptionList(id="queue", markup=False)
        self._item = VerticalScroll(id="item")
        self._body = Static(markup=False)
        self._foot = Static(id="keys", markup=False)
        self._entries: dict[str, QueueItem] = {}
        """All items, including those hidden by the filter."""
        self._keys: list[str] = []
        self._blocks: list[TextBlock] = []
        self._since = 0.0
        self._warning = ""
        """A sentence on a change of the item since it was shown."""

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._state
        with Horizontal():
            yield self._list
            with self._item:
                yield self._body
        yield self._foot

    def on_mount(self) -> None:
        self.fill()
        self.begin()
        self._list.focus()
        self.set_interval(POLL, self.poll)

    def begin(self) -> None:
        """Choose the first item to show, once the list is filled."""

    def on_resize(self, event: Resize) -> None:
        self._foot.update(Content(keys.short(self.queue.kinds, event.size.width - 2)))

    def fill(self, keep: str | None = None) -> None:
        """Refill the list, sorted and filtered, with the cursor on `keep` if it is shown."""
        self._entries = {entry.key: entry for entry in self.queue.entries()}
        entries = choose(self._entries.values(), self.wanted)
        self._keys = [entry.key for entry in entries]
        self._list.set_options(Option(_row(entry)) for entry in entries)
        if self._keys:
            self._list.highlighted = self._keys.index(keep) if keep in self._keys else 0
        else:
            self._show_nothing()
        self.show_state()

    def update_row(self, key: str) -> None:
        """Update a row; it keeps its place until the list is refilled."""
        self._entries[key] = self.queue.entry(key)
        if key in self._keys:
            self._list.replace_option_prompt_at_index(self._keys.index(key), _row(self._entries[key]))

    def go_to(self, key: str) -> None:
        """Put the cursor on an item, clearing the filter if it hides the item."""
        if key not in self._keys:
            self.wanted = Filter()
            self.fill(key)
        self._list.highlighted = self._keys.index(key)
        self.show(key)

    def show_state(self) -> None:
        """Show the reviewer, the remaining items, the pace and the agreement."""
        head = f"evolif review  {one_line(self.queue.name)}  ·  reviewer {one_line(self.queue.reviewer, 30)}"
        self._head.update(Content(head))
        self._state.update(Content(" · ".join(self.state_parts(self.queue.statistics()))))

    def state_parts(self, found: Statistics) -> list[str]:
        """The filter, remaining items, the reviewer's pace, and the agreement with most items."""
        entries = self._entries.values()
        left = sum(UNDECIDED in entry.facets["mine"] for entry in entries)
        parts = [
            f"{len(self._keys)} shown ({one_line(self.wanted.summary, 40)})",
            f"{left} of {len(entries)} undecided",
        ]
        parts += [one.summary for one in found.throughput if one.reviewer == self.queue.reviewer]
        return parts + [one.summary for one in found.agreement[:1]]

    @on(OptionList.OptionHighlighted, "#queue")
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        key = self._keys[event.option_index]
        if key != self.shown:
            self.show(key)

    def show(self, key: str) -> None:
        """Show an item as it is now, and start its checkers."""
        self.shown, self.state, self._warning = key, self.queue.seen(key), ""
        self._since = self.clock()
        self._render_item(key, self.queue.checked(key))
        self._item.scroll_home(animate=False)
        self._check(key)

    @property
    def seconds(self) -> float:
        """Seconds since the item was shown."""
        return max(0.0, self.clock() - self._since)

    def _show_nothing(self) -> None:
        self.shown, self.state = None, {}
        self._body.update(Content(f"No {self.queue.noun}s to show: press f for other filters, or / and enter for all."))

    def _render_item(self, key: str, found: list[Finding] | None) -> None:
        self._blocks = self.queue.blocks(key, found)
        self._draw()

    def _draw(self) -> None:
        banner: list[TextBlock] = (
            [("Changed since you opened it", styled(self._warning, "strong"))] if self._warning else []
        )
        self._body.update(page([*banner, *self._blocks]))

    @work(exclusive=True, group="check")
    async def _check(self, key: str) -> None:
        if self.queue.checked(key) is not None:
            return
        await asyncio.sleep(CHECK_DELAY)
        try:
            found = await asyncio.to_thread(self.queue.findings, key)
        except Exception as error:  # a broken checker must not cost the reviewer's work
            self.tell("The checkers failed", str(error), bad=True)
            return
        if key == self.shown and not self._warning:
            self._render_item(key, found)
            self.update_row(key)

    def poll(self) -> None:
        """Read other reviewers' decisions; a changed item stays as shown, with a warning."""
        try:
            news = self.queue.news()
        except EvolifError as error:
            self.tell("Other reviewers' decisions cannot be read", str(error), bad=True)
            return
        for record in news:
            self.update_row(record.item)
            if record.item == self.shown and record.applied and self.queue.seen(record.item) != self.state:
                name = one_line(record.reviewer, 40)
                self._warning = f"{name} decided: {record.decision}. This is the older version; press r to reload."
        if news:
            self.show_state()
            if self._warning:
                self._draw()

    def tell(self, title: str, text: str = "", *, bad: bool = False) -> None:
        """Show a notice."""
        self.notify(one_line(text), title=one_line(title), severity="error" if bad else "information", markup=False)

    def action_move(self, step: int) -> None:
        self.move(step)

    def move(self, step: int) -> bool:
        """Show a neighbour in the list; returns whether there is one."""
        at = self._list.highlighted
        if at is None or not 0 <= at + step < len(self._keys):
            return False
        self._list.highlighted = at + step
        self.show(self._keys[at + step])  # now: the next key may be waiting
        return True

    def action_scroll(self, pages: int) -> None:
        self._item.scroll_relative(y=pages * max(1, self._item.size.height - 2), animate=False)

    def action_reload(self) -> None:
        self.poll()
        self.fill(self.shown)
        if self.shown is not None:
            self.show(self.shown)

    def action_dark(self) -> None:
        self.app.theme = "textual-light" if self.app.current_theme.dark else "textual-dark"

    def action_help(self) -> None:
        self.app.push_screen(
            Page("Keys", joined([styled(keys.long(self.queue.kinds)), Marked(), styled(self.queue.legend)]))
        )

    def action_statistics(self) -> None:
        found = self.queue.statistics()
        self.app.push_screen(Page("Statistics", joined([styled(one_line(line)) for line in found.lines()])))

    @work
    async def action_filters(self) -> None:
        self.wanted = await self.app.push_screen_wait(Filters(self.wanted, values(self._entries.values())))
        self.fill(self.shown)

    @work
    async def action_search(self) -> None:
        ask = Ask("Search", value=self.wanted.search, placeholder="all words must occur", required=False)
        words = await self.app.push_screen_wait(ask)
        if words is not None:
            self.wanted = Filter(self.wanted.chosen, words)
            self.fill(self.shown)

    def action_quit(self) -> None:
        """Quit; everything is saved already."""
        self.app.exit()


def _row(entry: QueueItem) -> Content:
    return Content(f"{entry.mark}{entry.mine} {entry.label}").truncate(24, ellipsis=True)
