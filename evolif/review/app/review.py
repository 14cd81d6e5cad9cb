"""Decisions on the shown item: each key, its questions, and what happens when two reviewers meet."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

import evolif.review.app.keys as _keys
from evolif.errors import EvolifError
from evolif.judge_audit import Decision, DecisionKind
from evolif.review.app.editor import Ask, Choose, Editor
from evolif.review.app.screen import QueueScreen
from evolif.review.decisions import Done, EditConflict, Objected, Request, format_time
from evolif.review.desk import ReviewQueue
from evolif.review.text import Marked, joined, one_line, said, typed, visible
from evolif.review.turn_view import findings_text, query_text
from evolif.review.turns import BenchmarkQueue, Regenerated
from evolif.types import Finding

# Waiting for a model: told on the screen, left with a key, and no reason to stay when the application ends.

Answer = TypeVar("Answer")


async def in_background(call: Callable[[], Answer]) -> Answer:
    """Run something slow in a thread that ends with the program, however long it would still take."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Answer] = loop.create_future()

    def settle(set_: Callable[[Any], None], value: object) -> None:
        def once() -> None:
            if not future.done():
                set_(value)

        with suppress(RuntimeError):  # the loop has been closed: nobody waits any more
            loop.call_soon_threadsafe(once)

    def run() -> None:
        try:
            answer = call()
        except Exception as error:  # whoever waits gets it
            settle(future.set_exception, error)
        else:
            settle(future.set_result, answer)

    threading.Thread(target=run, daemon=True).start()
    return await future


class WaitScreen(ModalScreen[Answer | Exception | None], Generic[Answer]):
    """Says what is waited for; gives the answer, the error, or None when left.

    Args:
        title: What is waited for.
        call: What takes so long.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "leave", "Leave")]

    DEFAULT_CSS = """
    WaitScreen { align: center middle; }
    WaitScreen > Vertical {
        width: 60; max-width: 90%; height: auto; border: round $primary; padding: 0 1; background: $surface;
    }
    """

    def __init__(self, title: str, call: Callable[[], Answer]) -> None:
        super().__init__()
        self._what = title
        self._call = call
        self._said = Static(markup=False)
        self._seconds = 0

    def compose(self) -> ComposeResult:
        """One line."""
        with Vertical():
            yield self._said

    def on_mount(self) -> None:
        """Begin, and count."""
        self._count()
        self.set_interval(1.0, self._count)
        self._wait()

    def _count(self) -> None:
        self._said.update(Content(f"{self._what} … {self._seconds} s\nescape leaves; its answer is not waited for"))
        self._seconds += 1

    @work
    async def _wait(self) -> None:
        try:
            answer: Answer | Exception = await in_background(self._call)
        except Exception as error:  # told by whoever asked
            answer = error
        self.dismiss(answer)

    def action_leave(self) -> None:
        """Go on without the answer."""
        self.dismiss(None)


_STAYS: frozenset[DecisionKind] = frozenset({"template", "note"})
"""Decisions after which one wants to see what became of the item."""


class ReviewScreen(QueueScreen):
    """The queue with its decisions.

    Args:
        desk: What is reviewed.
        clock: Seconds that only go forward.
        model: The model that is proposed for regeneration.
    """

    def __init__(self, desk: ReviewQueue, clock: Callable[[], float], model: str = "") -> None:
        super().__init__(desk, clock)
        self._model = model
        self._one_at_a_time = asyncio.Lock()
        self._here: set[str] = set()
        """Decisions of this sitting: their undo asks nothing."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that this desk has no use for are none."""
        return _keys.has(action, self.desk.kinds)

    @work
    async def action_accept(self) -> None:
        """Accept the words."""
        async with self._one_at_a_time:
            await self._decide("accept")

    @work
    async def action_reject(self) -> None:
        """Reject the words."""
        async with self._one_at_a_time:
            await self._decide("reject")

    @work
    async def action_template(self) -> None:
        """Back to the template's words."""
        async with self._one_at_a_time:
            await self._decide("template")

    @work
    async def action_note(self) -> None:
        """Write a note."""
        async with self._one_at_a_time:
            await self._note()

    @work
    async def action_edit(self) -> None:
        """Edit the words."""
        async with self._one_at_a_time:
            await self._edit()

    @work
    async def action_regenerate(self) -> None:
        """Ask a model for other words."""
        async with self._one_at_a_time:
            await self._regenerate()

    @work
    async def action_undo(self) -> None:
        """Undo the last decision."""
        async with self._one_at_a_time:
            await self._undo()

    async def _note(self) -> None:
        """Ask for a note; what is typed is on disk with every keystroke, like the editor's words."""
        key = self.shown
        if key is None:
            return
        place, drafts = f"{key} note", self.desk.drafts
        draft = drafts.get(place)
        body = said(f"Your draft of {format_time(draft.time)} is back.") if draft else None

        def keep(text: str) -> None:
            try:
                drafts.keep(place, "", text)
            except EvolifError as error:
                self.tell("The note is not kept", str(error), bad=True)

        value = typed(draft.text).replace("\n", " ") if draft else ""
        note = await self.app.push_screen_wait(Ask("Note", body, value=value, select=False, keep=keep))
        if note is None or await self._decide("note", note=note):
            drafts.drop(place)

    async def _edit(self, start: str | None = None, **more: str | int | None) -> None:
        key = self.shown
        if key is None:
            return
        base = self.desk.words_of(self.state)
        above = joined([body for _, body in self.desk.blocks(key, [])[:1]])
        editor = Editor(key, base, above, self.desk.drafts, lambda text: self.desk.findings(key, text), start)
        text = await self.app.push_screen_wait(editor)
        if text is None:
            if self.desk.drafts.get(key):
                self.tell("Your draft is kept", "e brings it back")
        elif start is None and text.strip() == typed(base).strip():
            self.desk.drafts.drop(key)
            self.tell("Nothing changed", "a accepts the words as they are")
        elif await self._decide("edit", text=text):
            self.desk.drafts.drop(key)
        else:
            self.tell("Your draft is kept", "e brings it back")

    async def _regenerate(self) -> None:
        desk, key = self.desk, self.shown
        if key is None or not isinstance(desk, BenchmarkQueue):
            return
        if desk.regenerate is None:
            self.tell("No model can be asked", "this evolif has no synthesis by chat models", bad=True)
            return
        placeholder = "provider/name, as in local/smollm2-135m"
        model = await self.app.push_screen_wait(Ask("Which model?", value=self._model, placeholder=placeholder))
        if model is None:
            return
        self._model = model
        notes = await self.app.push_screen_wait(Ask("What should it mind?", placeholder="optional", required=False))
        if notes is None:
            return
        wait = WaitScreen(f"Asking {one_line(model, 40)}", lambda: self._asked(desk, key, model, notes))
        answer = await self.app.push_screen_wait(wait)
        if answer is None or isinstance(answer, Exception):
            if answer is not None:
                self.tell("The model gave nothing", str(answer), bad=True)
            return
        made, found = answer
        if key != self.shown:
            self.go_to(key)
        body = joined([findings_text(made.query, found), Marked(), query_text(made.query, found)])
        ways = [("take", "take it"), ("edit", "edit it first"), ("leave", "leave the query as it is")]
        way = await self.app.push_screen_wait(Choose(f"{one_line(model, 60)} says", body, ways))
        if way == "take":
            await self._decide("regenerate", text=made.query, source=made.source, attempts=made.attempts)
        elif way == "edit":
            await self._edit(made.query)

    def _asked(self, desk: BenchmarkQueue, key: str, model: str, notes: str) -> tuple[Regenerated, list[Finding]]:
        made = desk.ask(key, model, notes)
        return made, list(dict.fromkeys([*desk.findings(key, made.query), *made.findings]))

    async def _undo(self) -> None:
        target = self.desk.undoable()
        if target is None:
            self.tell("Nothing to undo")
            return
        if target.id not in self._here and not await self._sure(target):
            return
        if await self._settle(self.desk.undo_of(target)):
            self.go_to(target.item)

    async def _sure(self, target: Decision) -> bool:
        told = f"{target.decision} of {target.item}, {format_time(target.time)}, from an earlier sitting"
        ways = [("no", "leave it"), ("yes", "undo it")]
        return await self.app.push_screen_wait(Choose("Undo this?", said(one_line(told)), ways)) == "yes"

    async def _decide(
        self,
        kind: DecisionKind,
        *,
        text: str | None = None,
        source: str | None = None,
        attempts: int | None = None,
        score: int | None = None,
        note: str = "",
    ) -> bool:
        """Make a decision on the shown item, asking what has to be asked; says whether it was made."""
        key = self.shown
        if key is None:
            return False
        request = Request(
            key,
            kind,
            self.state,
            text=text,
            source=source,
            attempts=attempts,
            score=score,
            note=note,
            seconds=self.seconds,
        )
        try:
            await asyncio.to_thread(self.desk.objections, request)  # slow the first time, then known
        except Exception as error:  # a checker that breaks must not take the reviewer's work with it
            self.tell("The checkers failed", str(error), bad=True)
            return False
        made = await self._settle(request)
        if made and kind not in _STAYS:
            self._go_on(key)
        return made

    async def _settle(self, request: Request) -> bool:
        """Ask until the decision is made or dropped."""
        while True:
            try:
                outcome = self.desk.decide(request)
            except EvolifError as error:
                self.tell("Not decided", str(error), bad=True)
                return False
            if isinstance(outcome, Done):
                self._made(outcome.record)
                return True
            if isinstance(outcome, Objected):
                further = await self._reason(outcome, request)
            else:
                further = await self._meet(outcome, request)
            if further is None:
                return False
            request = further

    async def _reason(self, outcome: Objected, request: Request) -> Request | None:
        words = self.desk.words_of(request.seen) if request.text is None else request.text
        body = findings_text(words, outcome.findings)
        reason = await self.app.push_screen_wait(
            Ask(
                "The checkers object. Why are the words right all the same?", body, placeholder="kept with the decision"
            )
        )
        return None if reason is None else replace(request, force=True, note=reason)

    async def _meet(self, outcome: EditConflict, request: Request) -> Request | None:
        """Two reviewers on one item: nothing is overwritten without being shown."""
        who = one_line(outcome.by.reviewer, 40) if outcome.by else "somebody outside the review"
        what = f"{who} has changed this {self.desk.noun} meanwhile" + (f": {outcome.by.decision}" if outcome.by else "")
        body = joined([said("It is now:", "strong"), visible(self.desk.words_of(outcome.now))])
        if request.text is not None:
            body = joined([body, Marked(), said("Yours:", "strong"), visible(request.text)])
        ways = [("look", "look at it as it is now"), ("mine", f"put mine in its place ({request.decision})")]
        if request.decision != "undo":
            ways.insert(1, ("theirs", "leave theirs, keep mine as an opinion"))
        way = await self.app.push_screen_wait(Choose(f"{what}.", body, ways))
        if way == "mine":
            return replace(request, overwrite=True)
        if way == "theirs":
            return replace(request, opinion=True)
        self.action_reload()
        return None

    def _made(self, record: Decision) -> None:
        self._here.add(record.id)
        self.update_row(record.item)
        self.show_state()
        self.confirm(record)
        if record.item == self.shown:
            self.show(record.item)

    def confirm(self, record: Decision) -> None:
        """Say that a decision was made."""
        self.tell(_PAST[record.decision], record.item)

    def _go_on(self, key: str) -> None:
        if key == self.shown and not self.move(1):
            self.tell("That was the last one shown")


_PAST: dict[DecisionKind, str] = {
    "accept": "Accepted",
    "edit": "Edited",
    "template": "Back to the template",
    "regenerate": "Taken from the model",
    "reject": "Rejected",
    "score": "Scored",
    "skip": "Skipped",
    "note": "Noted",
    "undo": "Undone",
}
