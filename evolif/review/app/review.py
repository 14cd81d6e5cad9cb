"""Decisions on the shown item: each key, its dialogs, and conflicts between reviewers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from evolif.errors import EvolifError
from evolif.judge_audit import Decision, DecisionKind
from evolif.review.app import keys
from evolif.review.app.editor import Ask, Choose, Editor
from evolif.review.app.screen import QueueScreen
from evolif.review.decisions import Done, EditConflict, Objected, Request, format_time
from evolif.review.queue import ReviewQueue
from evolif.review.text import Marked, clean_input, joined, one_line, styled, visible
from evolif.review.turn_view import findings_text, query_text
from evolif.review.turns import BenchmarkQueue, Regenerated
from evolif.scenarios.instructions.turns import Finding

Answer = TypeVar("Answer")


async def in_background(call: Callable[[], Answer]) -> Answer:
    """Run something slow in a daemon thread, which does not block program exit."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Answer] = loop.create_future()

    def finish(set_outcome: Callable[[Any], None], value: object) -> None:
        def unless_done() -> None:
            if not future.done():
                set_outcome(value)

        with suppress(RuntimeError):  # the loop is closed: nothing waits any more
            loop.call_soon_threadsafe(unless_done)

    def run() -> None:
        try:
            answer = call()
        except Exception as error:
            finish(future.set_exception, error)
        else:
            finish(future.set_result, answer)

    threading.Thread(target=run, daemon=True).start()
    return await future


class WaitScreen(ModalScreen[Answer | Exception | None], Generic[Answer]):
    """Shows that something slow is running; returns its result or error, or None if the reviewer leaves.

    Args:
        title: What is running.
        call: Runs it.
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
        self._waits_for = title
        self._call = call
        self._text = Static(markup=False)
        self._seconds = 0

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._text

    def on_mount(self) -> None:
        self._count()
        self.set_interval(1.0, self._count)
        self._wait()

    def _count(self) -> None:
        self._text.update(Content(f"{self._waits_for} … {self._seconds} s\nescape cancels; the answer is discarded"))
        self._seconds += 1

    @work
    async def _wait(self) -> None:
        try:
            answer: Answer | Exception = await in_background(self._call)
        except Exception as error:  # the caller reports it
            answer = error
        self.dismiss(answer)

    def action_leave(self) -> None:
        self.dismiss(None)


_STAYS: frozenset[DecisionKind] = frozenset({"template", "note"})
"""Decisions after which the item stays on the screen."""


class ReviewScreen(QueueScreen):
    """The queue with its decisions.

    Args:
        queue: What is reviewed.
        clock: A monotonic clock, in seconds.
        model: The model proposed for regeneration.
    """

    def __init__(self, queue: ReviewQueue, clock: Callable[[], float], model: str = "") -> None:
        super().__init__(queue, clock)
        self._model = model
        self._one_at_a_time = asyncio.Lock()
        self._decided_now: set[str] = set()
        """Decisions since the start: undoing them needs no confirmation."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys of actions that the queue lacks."""
        return keys.has(action, self.queue.kinds)

    @work
    async def run_step(self, step: Callable[[], Awaitable[object]]) -> None:
        """Run a key's step after all earlier steps."""
        async with self._one_at_a_time:
            await step()

    def action_accept(self) -> None:
        self.run_step(partial(self.decide, "accept"))

    def action_reject(self) -> None:
        self.run_step(partial(self.decide, "reject"))

    def action_template(self) -> None:
        self.run_step(partial(self.decide, "template"))

    def action_note(self) -> None:
        self.run_step(self._note)

    def action_edit(self) -> None:
        self.run_step(self._edit)

    def action_regenerate(self) -> None:
        self.run_step(self._regenerate)

    def action_undo(self) -> None:
        self.run_step(self._undo)

    async def _note(self) -> None:
        """Ask for a note; every keystroke is saved as a draft."""
        key = self.shown
        if key is None:
            return
        name, drafts = f"{key} note", self.queue.drafts
        draft = drafts.get(name)
        body = styled(f"Your draft from {format_time(draft.time)} was restored.") if draft else None

        def keep(text: str) -> None:
            try:
                drafts.keep(name, "", text)
            except EvolifError as error:
                self.tell("The draft of the note could not be saved", str(error), bad=True)

        value = clean_input(draft.text).replace("\n", " ") if draft else ""
        note = await self.app.push_screen_wait(Ask("Note", body, value=value, select=False, keep=keep))
        if note is None or await self.decide("note", note=note):
            drafts.drop(name)

    async def _edit(self, start: str | None = None) -> None:
        key = self.shown
        if key is None:
            return
        base = self.queue.words_of(self.state)
        above = joined([body for _, body in self.queue.blocks(key, [])[:1]])
        editor = Editor(key, base, above, self.queue.drafts, lambda text: self.queue.findings(key, text), start)
        text = await self.app.push_screen_wait(editor)
        if text is None:
            if self.queue.drafts.get(key):
                self.tell("Your draft is saved", "press e to continue with it")
        elif start is None and text.strip() == clean_input(base).strip():
            self.queue.drafts.drop(key)
            self.tell("No changes", "press a to accept the words as they are")
        elif await self.decide("edit", text=text):
            self.queue.drafts.drop(key)
        else:
            self.tell("Your draft is saved", "press e to continue with it")

    async def _regenerate(self) -> None:
        queue, key = self.queue, self.shown
        if key is None or not isinstance(queue, BenchmarkQueue):
            return
        if queue.regenerate is None:
            self.tell("Cannot regenerate", "this installation cannot generate queries with chat models", bad=True)
            return
        placeholder = "provider/name, for example local/smollm2-135m"
        model = await self.app.push_screen_wait(Ask("Which model?", value=self._model, placeholder=placeholder))
        if model is None:
            return
        self._model = model
        notes = await self.app.push_screen_wait(
            Ask("Instructions for the model?", placeholder="optional", required=False)
        )
        if notes is None:
            return
        wait = WaitScreen(f"Asking {one_line(model, 40)}", lambda: self._ask_model(queue, key, model, notes))
        answer = await self.app.push_screen_wait(wait)
        if answer is None or isinstance(answer, Exception):
            if answer is not None:
                self.tell("The model did not answer", str(answer), bad=True)
            return
        new, found = answer
        if key != self.shown:
            self.go_to(key)
        body = joined([findings_text(new.query, found), Marked(), query_text(new.query, found)])
        ways = [("take", "use it"), ("edit", "edit it first"), ("leave", "keep the query as it is")]
        way = await self.app.push_screen_wait(Choose(f"{one_line(model, 60)} suggests", body, ways))
        if way == "take":
            await self.decide("regenerate", text=new.query, source=new.source, attempts=new.attempts)
        elif way == "edit":
            await self._edit(new.query)

    def _ask_model(self, queue: BenchmarkQueue, key: str, model: str, notes: str) -> tuple[Regenerated, list[Finding]]:
        new = queue.ask(key, model, notes)
        return new, list(dict.fromkeys([*queue.findings(key, new.query), *new.findings]))

    async def _undo(self) -> None:
        target = self.queue.undoable()
        if target is None:
            self.tell("Nothing to undo")
            return
        if target.id not in self._decided_now and not await self._confirm_undo(target):
            return
        if await self._submit(self.queue.undo_of(target)):
            self.go_to(target.item)

    async def _confirm_undo(self, target: Decision) -> bool:
        what = f"{target.decision} of {target.item}, {format_time(target.time)}, from an earlier session"
        ways = [("no", "keep it"), ("yes", "undo it")]
        return await self.app.push_screen_wait(Choose("Undo this?", styled(one_line(what)), ways)) == "yes"

    async def decide(self, kind: DecisionKind, **fields: Any) -> bool:
        """Make a decision on the shown item, with all necessary dialogs; returns whether it was made."""
        key = self.shown
        if key is None:
            return False
        request = Request(key, kind, self.state, seconds=self.seconds, **fields)
        try:
            await asyncio.to_thread(self.queue.objections, request)  # slow the first time, then known
        except Exception as error:  # a broken checker must not cost the reviewer's work
            self.tell("The checkers failed", str(error), bad=True)
            return False
        made = await self._submit(request)
        if made and kind not in _STAYS:
            self._advance(key)
        return made

    async def _submit(self, request: Request) -> bool:
        """Show dialogs until the decision is made or dropped."""
        while True:
            try:
                outcome = self.queue.decide(request)
            except EvolifError as error:
                self.tell("Decision not saved", str(error), bad=True)
                return False
            if isinstance(outcome, Done):
                self._finish(outcome.record)
                return True
            if isinstance(outcome, Objected):
                further = await self._ask_reason(outcome, request)
            else:
                further = await self._resolve_conflict(outcome, request)
            if further is None:
                return False
            request = further

    async def _ask_reason(self, outcome: Objected, request: Request) -> Request | None:
        words = self.queue.words_of(request.seen) if request.text is None else request.text
        body = findings_text(words, outcome.findings)
        question = "The checkers object. Why should the words be accepted anyway?"
        reason = await self.app.push_screen_wait(Ask(question, body, placeholder="stored with the decision"))
        return None if reason is None else replace(request, force=True, note=reason)

    async def _resolve_conflict(self, outcome: EditConflict, request: Request) -> Request | None:
        """Show another reviewer's recent decision; nothing is overwritten unseen."""
        who = one_line(outcome.by.reviewer, 40) if outcome.by else "someone outside the review"
        decision = f": {outcome.by.decision}" if outcome.by else ""
        what = f"{who} changed this {self.queue.noun} after you opened it{decision}"
        body = joined([styled("Current version:", "strong"), visible(self.queue.words_of(outcome.now))])
        if request.text is not None:
            body = joined([body, Marked(), styled("Yours:", "strong"), visible(request.text)])
        ways = [("look", "show the current version"), ("mine", f"replace it with mine ({request.decision})")]
        if request.decision != "undo":
            ways.insert(1, ("theirs", "keep theirs, store mine as an opinion"))
        way = await self.app.push_screen_wait(Choose(f"{what}.", body, ways))
        if way == "mine":
            return replace(request, overwrite=True)
        if way == "theirs":
            return replace(request, opinion=True)
        self.action_reload()
        return None

    def _finish(self, record: Decision) -> None:
        self._decided_now.add(record.id)
        self.update_row(record.item)
        self.show_state()
        self.confirm(record)
        if record.item == self.shown:
            self.show(record.item)

    def confirm(self, record: Decision) -> None:
        """Show that a decision was made."""
        self.tell(_CONFIRMATIONS[record.decision], record.item)

    def _advance(self, key: str) -> None:
        if key == self.shown and not self.move(1):
            self.tell("That was the last item shown")


_CONFIRMATIONS: dict[DecisionKind, str] = {
    "accept": "Accepted",
    "edit": "Edited",
    "template": "Template's query stored",
    "regenerate": "Model's query stored",
    "reject": "Rejected",
    "score": "Scored",
    "skip": "Skipped",
    "note": "Noted",
    "undo": "Undone",
}
