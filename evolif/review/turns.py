"""The desk for a benchmark: turns, flagged ones first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.constraints import EXTENDED_GROUPS, GROUPS, own_groups
from evolif.errors import InputError, UsageError
from evolif.instructions import Benchmark, dialogue_file, read_turns
from evolif.judge_audit import DecisionKind
from evolif.resources import complaint
from evolif.review.decisions import DecisionLog, Drafts, Request
from evolif.review.desk import Notify, ReviewQueue, State, TextBlock
from evolif.review.exchange import finding_objects
from evolif.review.queue import DECIDED, UNDECIDED, Facet, QueueItem
from evolif.review.text import hidden, one_line, visible
from evolif.review.turn_view import intention_of, turn_blocks
from evolif.synthesis import TemplateSynthesizer
from evolif.types import Finding, ScriptTurn, Turn

# What a decision may change of a benchmark's line, and what it makes of it.

LONGEST = 20_000
"""Characters of a query that a person writes at most."""


class TurnState(BaseModel):
    """The changeable part of a line, as the journal has it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    query: Annotated[str, Field(min_length=1)]
    status: Literal["verified", "flagged", "edited", "rejected"]
    source: str
    attempts: int = 1
    findings: tuple[str, ...] = ()


def state_of(turn: Turn) -> dict[str, Any]:
    """The changeable part of a turn."""
    return {
        "query": turn.query,
        "status": turn.status,
        "source": turn.source,
        "attempts": turn.attempts,
        "findings": list(turn.findings),
    }


def parse_state(data: object) -> TurnState:
    """A state out of a journal.

    Raises:
        InputError: it is none.
    """
    try:
        return TurnState.model_validate(data)
    except ValidationError as fault:
        raise InputError(complaint(fault, "turn")) from None


def checked_words(text: str | None) -> str:
    """Words that a person or a model wrote, fit to be stored.

    Raises:
        UsageError: they are none, or cannot be stored.
    """
    words = (text or "").replace("\r\n", "\n").strip()
    if not words:
        raise UsageError("the query is empty; write one, or reject the turn")
    if len(words) > LONGEST:
        raise UsageError(f"the query has {len(words)} characters; {LONGEST} are enough for a person's")
    unseen = [words[start] for start, _ in hidden(words)]
    if unseen:
        raise UsageError(f"the query holds a sign that no screen shows ({visible(unseen[0]).text}); delete it")
    return words


def stored_findings(found: list[Finding] | tuple[Finding, ...]) -> list[str]:
    """Findings as a benchmark line has them."""
    return [f"{finding.checker}: {finding.message}" for finding in found]


def split_finding(stored: str) -> Finding:
    """A finding out of a benchmark line; the checker is `note` where the line does not name one."""
    checker, colon, message = stored.partition(":")
    if colon and checker.strip() and len(checker) <= 40 and " " not in checker.strip():
        return Finding(checker.strip(), message.strip())
    return Finding("note", stored)


def equal_words(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two states have the same words of the same author."""
    return bool(one["query"] == other["query"] and one["source"] == other["source"])


# A turn in an exported file, and out of a filled one.


class FilledTurn(BaseModel):
    """What of an exported line is read back."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    dialogue: Annotated[int, Field(ge=0)]
    turn: Annotated[int, Field(ge=1)]
    query: str
    status: Literal["verified", "flagged", "edited", "rejected"]
    source: str
    edited_query: str | None = None

    @property
    def text(self) -> str | None:
        """The new words, where there are such."""
        edited = (self.edited_query or "").strip()
        return None if not edited or edited == self.query.strip() else edited


def turn_object(turn: Turn, found: Sequence[Finding], earlier: Sequence[Turn]) -> dict[str, Any]:
    """A turn for a file: what it has to say, what it says, what is held against it, what was said before."""
    operation = turn.operation
    return {
        "dialogue": turn.dialogue,
        "turn": turn.turn,
        "status": turn.status,
        "source": turn.source,
        "topic": {"id": turn.topic.id, "title": turn.topic.title},
        "persona": turn.persona.sentence,
        "intention": {**intention_of(turn).to_object(), "operation": operation.kind, "group": operation.group},
        "earlier": [one.query for one in earlier],
        "query": turn.query,
        "findings": finding_objects(found),
        "edited_query": "",
    }


QueryChecker = Callable[[Turn, str], Sequence[Finding]]
"""`evolif.synthesis.check_query`, or another in its place."""


@dataclass(frozen=True, slots=True)
class Regenerated:
    """What a model made of a turn's intention."""

    query: str
    source: str
    """The model's name without secrets and without what is of this machine only."""
    attempts: int = 1
    findings: tuple[Finding, ...] = ()
    """What was held against the words on the way, by rules or by a model."""


Regenerate = Callable[[Turn, str, str], Regenerated]
"""Asks a model: the turn, the model's name, the reviewer's notes for it."""

_FIRST = {"flagged": 0, "rejected": 1}
_STATUSES = ("flagged", "rejected", "edited", "verified")
_SIGNS = {"add": "+", "modify": "~", "remove": "−"}
_MINE = {"accept": "a", "change": "e", "reject": "x"}


class BenchmarkQueue(ReviewQueue):
    """Turns of a benchmark, to be accepted, edited, regenerated, put back to the template's words, or rejected.

    Args:
        benchmark: An opened benchmark.
        reviewer: Who decides.
        checker: Says what is wrong with a query.
        regenerate: Asks a model for other words, where one can be asked.
        notify: Told in one sentence when something was repaired.
    """

    kinds: tuple[DecisionKind, ...] = ("accept", "edit", "template", "regenerate", "reject", "note")
    noun = "turn"
    legend = (
        "Letters before an item: F flagged, R rejected, E edited, V verified; beside it your own verdict: "
        "a accepted, e changed, x rejected.\nThe intention as a diff: + is new, − goes, = stays. "
        "What a finding means is underlined in the query."
    )

    def __init__(
        self,
        benchmark: Benchmark,
        reviewer: str,
        *,
        checker: QueryChecker,
        regenerate: Regenerate | None = None,
        notify: Notify | None = None,
    ) -> None:
        folder = benchmark.path / "review"
        journal = DecisionLog(folder / "decisions.jsonl", folder / ".lock", notify)
        super().__init__(benchmark.path, reviewer, journal, Drafts(folder / "drafts", reviewer))
        self.regenerate = regenerate
        self._benchmark = benchmark
        self._checker = checker
        self._template = TemplateSynthesizer(benchmark.header.spec.seed, benchmark.frames)
        self._turns: dict[str, Turn] = {}
        for dialogue in benchmark.dialogues():
            self._turns |= {f"{dialogue}/{turn.turn}": turn for turn in benchmark.turns(dialogue)}
        journal.follow()
        self.recover()
        self._told = len(journal.records)

    def known(self, facet: Facet) -> tuple[str, ...]:
        """Values that may be asked for although no turn has them."""
        if facet == "finding":
            return ("topic", "query", "none", "note", *GROUPS, *EXTENDED_GROUPS, *own_groups())
        return {"status": _STATUSES, "source": ("template",)}.get(facet, ())

    def turn(self, key: str) -> Turn:
        """A turn as it is shown at present.

        Raises:
            UsageError: there is none.
        """
        if key not in self._turns:
            raise UsageError(f"{self.path} has no turn {one_line(key, 40)}; a turn is named dialogue/turn, as in 3/14")
        return self._turns[key]

    def earlier(self, key: str) -> list[Turn]:
        """The turns of the dialogue before this one, oldest first."""
        turn = self.turn(key)
        return [self._turns[f"{turn.dialogue}/{number}"] for number in range(1, turn.turn)]

    def entries(self) -> list[QueueItem]:
        """All turns, as the queue has them."""
        decided = self.verdicts()
        return [self._entry(key, decided) for key in self._turns]

    def entry(self, key: str) -> QueueItem:
        """One turn, as the queue has it."""
        return self._entry(key, self.verdicts())

    def _entry(self, key: str, decided: dict[str, Any]) -> QueueItem:
        turn = self._turns[key]
        own = decided.get(key)
        found = self._found.get((key, turn.query))
        checkers = [one.checker for one in found if one] if found is not None else None
        if checkers is None:
            checkers = [split_finding(one).checker for one in turn.findings]
        change = f"{_SIGNS[turn.operation.kind]}{one_line(turn.operation.group)}"
        return QueueItem(
            key=key,
            order=(_FIRST.get(turn.status, 2), turn.dialogue, turn.turn),
            label=f"{turn.dialogue}·{turn.turn:<3}{change}",
            facets={
                "status": (turn.status,),
                "source": (turn.source,),
                "finding": tuple(dict.fromkeys(checkers)) or ("none",),
                "topic": (turn.topic.id,),
                "mine": (DECIDED if own else UNDECIDED,),
            },
            haystack="\n".join((turn.query, turn.topic.prompt, turn.topic.title, *turn.findings, key)).casefold(),
            mark=turn.status[0].upper(),
            mine=_MINE[own.verdict] if own else " ",
        )

    def blocks(self, key: str, found: Sequence[Finding] | None) -> list[TextBlock]:
        """Intention, query with findings, decisions, conversation."""
        turn = self.turn(key)
        shown = [split_finding(one) for one in turn.findings] if found is None else found
        return turn_blocks(turn, shown, self.earlier(key), self.decisions(key), checked=found is not None)

    def words_of(self, state: State) -> str:
        """The query."""
        return str(state["query"])

    def seen(self, key: str) -> State:
        """Query, status, source, attempts and findings."""
        return state_of(self.turn(key))

    def template(self, key: str) -> str:
        """The template's words for the turn."""
        turn = self.turn(key)
        return self._template.say(_scripted(turn), turn.persona)

    def ask(self, key: str, model: str, notes: str) -> Regenerated:
        """A model's words for the turn; takes as long as the model does.

        Raises:
            UsageError: no model can be asked here, or it is named wrongly.
            ModelError: the model did not answer.
        """
        if self.regenerate is None:
            raise UsageError("no model can be asked here: this evolif has no synthesis by chat models")
        made = self.regenerate(self.turn(key), model, notes)
        return replace(made, query=checked_words(made.query))

    def exported(self, key: str) -> dict[str, Any]:
        """The turn with its intention, its findings and the queries before it."""
        turn = self.turn(key)
        found = self.checked(key)
        shown = [split_finding(one) for one in turn.findings] if found is None else found
        return turn_object(turn, shown, self.earlier(key))

    def filled(self, data: dict[str, Any]) -> tuple[str, State, str | None]:
        """A turn out of a filled file."""
        line = FilledTurn.model_validate(data)
        key = f"{line.dialogue}/{line.turn}"
        seen = {**self.seen(key), "query": line.query, "status": line.status, "source": line.source}
        return key, seen, line.text

    def _check(self, key: str, text: str) -> list[Finding]:
        return list(self._checker(self.turn(key), text))

    def objections(self, request: Request) -> list[Finding]:
        """What the checkers hold against the words; for the template's turn, against the template's."""
        if request.decision == "template":
            request = replace(request, text=self.template(request.item))
        return super().objections(request)

    def _after(self, request: Request, state: State, found: Sequence[Finding]) -> State:
        made = getattr(self, f"_after_{request.decision}", None)
        return made(request, state, stored_findings(tuple(found))) if made else dict(state)

    def _after_accept(self, request: Request, state: State, found: list[str]) -> State:
        # What was held against the words stays on the line: the audit tells false alarms by it.
        return {**state, "status": "edited" if state["status"] == "edited" else "verified"}

    def _after_edit(self, request: Request, state: State, found: list[str]) -> State:
        return {**state, "query": checked_words(request.text), "status": "edited", "findings": found}

    def _after_template(self, request: Request, state: State, found: list[str]) -> State:
        words = self.template(request.item)
        if not request.opinion and (state["query"], state["source"], state["status"]) == (
            words,
            "template",
            "verified",
        ):
            raise UsageError(f"turn {request.item} has the template's words already; accept them")
        return {"query": words, "status": "verified", "source": "template", "attempts": 1, "findings": found}

    def _after_regenerate(self, request: Request, state: State, found: list[str]) -> State:
        return {
            "query": checked_words(request.text),
            "status": "verified",
            "source": request.source or state["source"],
            "attempts": request.attempts or 1,
            "findings": found,
        }

    def _after_reject(self, request: Request, state: State, found: list[str]) -> State:
        return {**state, "status": "rejected"}

    def _after_undo(self, request: Request, state: State, found: list[str]) -> State:
        target = self._undone(request)
        return dict(parse_state(target.before).model_dump(mode="json")) if target.applied else dict(state)

    def _is_stale(self, seen: State, stored: State, after: State) -> bool:
        if not equal_words(seen, stored):
            return True
        return bool(seen["status"] != stored["status"] and after["status"] != stored["status"])

    def _stored(self, key: str) -> State:
        turn = self.turn(key)
        path = dialogue_file(self._benchmark.path, turn.dialogue)
        for stored in read_turns(path, turn.dialogue):
            if stored.turn == turn.turn:  # no further: a later line may be just being written
                self._turns[key] = stored
                return state_of(stored)
        raise UsageError(f"{path} has lost turn {turn.turn}; restore the file")

    def _store(self, key: str, state: State) -> None:
        turn, new = self.turn(key), parse_state(state)
        self._turns[key] = self._benchmark.replace(
            turn.dialogue,
            turn.turn,
            query=new.query,
            status=new.status,
            source=new.source,
            findings=new.findings,
            attempts=new.attempts,
        )

    def _place(self, key: str) -> dict[str, int]:
        turn = self.turn(key)
        return {"dialogue": turn.dialogue, "turn": turn.turn}

    def _has(self, key: str) -> bool:
        return key in self._turns


def _scripted(turn: Turn) -> ScriptTurn:
    """The intention of a stored turn, for the template."""
    return ScriptTurn(
        dialogue=turn.dialogue,
        turn=turn.turn,
        topic=turn.topic,
        move=turn.move,
        operation=turn.operation,
        constraints=turn.constraints,
        before=(),
        witness=turn.witness or "",
    )


# Asking a chat model for a turn's words anew.


def regenerate(turn: Turn, model: str, notes: str) -> Regenerated:
    """Words for a turn, by a model that is named as everywhere; must not run inside an event loop.

    Raises:
        UsageError: the model is named wrongly, or its key is missing.
        ModelError: the endpoint failed.
    """
    return asyncio.run(_asked(turn, model, notes))


async def _asked(turn: Turn, model: str, notes: str) -> Regenerated:
    from evolif.instructions import open_author
    from evolif.synthesis import regenerate as ask

    asked = open_author(model)
    try:
        made = await ask(turn, asked, notes=notes)
    finally:
        await asked.aclose()
    return Regenerated(made.query, asked.name, made.attempts, made.findings)
