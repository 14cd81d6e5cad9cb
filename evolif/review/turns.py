"""The review of a benchmark's turns, flagged ones first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.benchmark import dialogue_file
from evolif.errors import InputError, UsageError
from evolif.judge_audit import DecisionKind
from evolif.review.decisions import DecisionLog, Drafts, Request
from evolif.review.exchange import finding_objects
from evolif.review.filters import DECIDED, UNDECIDED, Facet, QueueItem
from evolif.review.queue import Notify, ReviewQueue, State, TextBlock
from evolif.review.text import hidden, one_line, visible
from evolif.review.turn_view import claims_of, intention_of, turn_blocks
from evolif.scenarios.instructions import InstructionBenchmark
from evolif.scenarios.instructions.constraints import EVERYDAY_GROUPS, EXTENDED_GROUPS, GROUPS, own_groups
from evolif.scenarios.instructions.generator import template_of
from evolif.scenarios.instructions.turn_lines import read_turns
from evolif.scenarios.instructions.turns import Finding, Turn
from evolif.text import plural
from evolif.util.resources import complaint

MAX_QUERY = 20_000
"""Characters."""


class TurnState(BaseModel):
    """The part of a turn that decisions may change, as the log stores it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    query: Annotated[str, Field(min_length=1)]
    status: Literal["verified", "flagged", "edited", "rejected"]
    source: str
    attempts: int = 1
    findings: tuple[str, ...] = ()


def _state_of(turn: Turn) -> dict[str, Any]:
    """The part of a turn that decisions may change."""
    return {
        "query": turn.query,
        "status": turn.status,
        "source": turn.source,
        "attempts": turn.attempts,
        "findings": list(turn.findings),
    }


def _parse_state(data: object) -> TurnState:
    try:
        return TurnState.model_validate(data)
    except ValidationError as fault:
        raise InputError(complaint(fault, "turn")) from None


def _checked_words(text: str | None) -> str:
    """Words of a person or a model; refused if empty, too long, or with invisible characters."""
    words = (text or "").replace("\r\n", "\n").strip()
    if not words:
        raise UsageError("the query is empty; write one, or reject the turn")
    if len(words) > MAX_QUERY:
        raise UsageError(f"the query has {plural(len(words), 'character')}; at most {MAX_QUERY} are allowed")
    unseen = [words[start] for start, _ in hidden(words)]
    if unseen:
        raise UsageError(f"the query contains an invisible character ({visible(unseen[0]).text}); delete it")
    return words


def _split_finding(stored: str) -> Finding:
    """A finding from a benchmark line; its checker is `note` if the line names none."""
    checker, colon, message = stored.partition(":")
    if colon and checker.strip() and len(checker) <= 40 and " " not in checker.strip():
        return Finding(checker.strip(), message.strip())
    return Finding("note", stored)


class FilledTurn(BaseModel):
    """The fields that are read back from an exported line."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    dialogue: Annotated[int, Field(ge=0)]
    turn: Annotated[int, Field(ge=1)]
    query: str
    status: Literal["verified", "flagged", "edited", "rejected"]
    source: str
    edited_query: str | None = None

    @property
    def text(self) -> str | None:
        """The new words, if there are any."""
        edited = (self.edited_query or "").strip()
        return None if not edited or edited == self.query.strip() else edited


def _turn_object(turn: Turn, found: Sequence[Finding], earlier: Sequence[Turn]) -> dict[str, Any]:
    """A turn for a file: intention, query, findings and the queries before it."""
    operations = [{"operation": one.kind, "group": one.group} for one in turn.operations]
    change: dict[str, Any] = operations[0] if len(operations) == 1 else {"operations": operations}
    return {
        "dialogue": turn.dialogue,
        "turn": turn.turn,
        "status": turn.status,
        "source": turn.source,
        "topic": {"id": turn.topic.id, "title": turn.topic.title},
        "persona": turn.persona.sentence,
        "intention": intention_of(turn).to_object() | change,
        "earlier": [one.query for one in earlier],
        "query": turn.query,
        "claims": claims_of(turn),
        "findings": finding_objects(found),
        "edited_query": "",
    }


QueryChecker = Callable[[Turn, str], Sequence[Finding]]
"""`evolif.scenarios.instructions.queries.check_query`, or a replacement."""


@dataclass(frozen=True, slots=True)
class Regenerated:
    """A model's new words for a turn."""

    query: str
    source: str
    """The model's name, without secrets and local paths."""
    attempts: int = 1
    findings: tuple[Finding, ...] = ()
    """Findings of rules or of a model during the attempts."""


Regenerate = Callable[[Turn, str, str], Regenerated]
"""Requests new words from a model: takes the turn, the model's name, the reviewer's notes."""

_FIRST = {"flagged": 0, "rejected": 1}
_STATUSES = ("flagged", "rejected", "edited", "verified")
_SIGNS = {"add": "+", "modify": "~", "remove": "−"}
_MINE = {"accept": "a", "change": "e", "reject": "x"}


class BenchmarkQueue(ReviewQueue):
    """Turns of a benchmark, to accept, edit, regenerate, put back to the template's words, or reject.

    Args:
        benchmark: The benchmark.
        reviewer: Who decides.
        checker: Finds problems in a query.
        regenerate: Requests new words from a model.
        notify: Called with a sentence when something was repaired.
    """

    kinds: tuple[DecisionKind, ...] = ("accept", "edit", "template", "regenerate", "reject", "note")
    noun = "turn"
    legend = (
        "The first letter before a turn is its status: F flagged, R rejected, E edited, V verified. "
        "The second is your verdict: a accepted, e changed, x rejected.\n"
        "The intention is shown as a diff: + added, − removed, = kept. Findings are underlined in the query."
    )

    def __init__(
        self,
        benchmark: InstructionBenchmark,
        reviewer: str,
        *,
        checker: QueryChecker,
        regenerate: Regenerate | None = None,
        notify: Notify | None = None,
    ) -> None:
        folder = benchmark.path / "review"
        log = DecisionLog(folder / "decisions.jsonl", folder / ".lock", notify)
        super().__init__(benchmark.path, reviewer, log, Drafts(folder / "drafts", reviewer))
        self.regenerate = regenerate
        self._benchmark = benchmark
        self._checker = checker
        self._template = template_of(benchmark.header.spec, benchmark.frames)
        self._turns: dict[str, Turn] = {}
        for dialogue in benchmark.dialogues():
            self._turns |= {f"{dialogue}/{turn.turn}": turn for turn in benchmark.turns(dialogue)}
        self._start()

    def known_values(self, facet: Facet) -> tuple[str, ...]:
        if facet == "finding":
            return ("topic", "query", "none", "note", *GROUPS, *EXTENDED_GROUPS, *EVERYDAY_GROUPS, *own_groups())
        return {"status": _STATUSES, "source": ("template",)}.get(facet, ())

    def turn(self, key: str) -> Turn:
        """A turn as it is shown now; raises `UsageError` where there is no such turn."""
        if key not in self._turns:
            raise UsageError(f"{self.path} has no turn {one_line(key, 40)}; name it as dialogue/turn, for example 3/14")
        return self._turns[key]

    def earlier(self, key: str) -> list[Turn]:
        """The turns of the dialogue before this one, oldest first."""
        turn = self.turn(key)
        return [self._turns[f"{turn.dialogue}/{number}"] for number in range(1, turn.turn)]

    def entries(self) -> list[QueueItem]:
        decided = self.verdicts()
        return [self._entry(key, decided) for key in self._turns]

    def entry(self, key: str) -> QueueItem:
        return self._entry(key, self.verdicts())

    def _entry(self, key: str, decided: dict[str, Any]) -> QueueItem:
        turn = self._turns[key]
        own = decided.get(key)
        found = self._findings_or_stored(turn, self._found.get((key, turn.query)))
        checkers = [one.checker for one in found if one]
        changes = " ".join(f"{_SIGNS[one.kind]}{one_line(one.group)}" for one in turn.operations)
        return QueueItem(
            key=key,
            order=(_FIRST.get(turn.status, 2), turn.dialogue, turn.turn),
            label=f"{turn.dialogue}·{turn.turn:<3}{changes}",
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
        turn = self.turn(key)
        shown = self._findings_or_stored(turn, found)
        return turn_blocks(turn, shown, self.earlier(key), self.decisions(key), checked=found is not None)

    def _findings_or_stored(self, turn: Turn, found: Sequence[Finding] | None) -> Sequence[Finding]:
        return [_split_finding(one) for one in turn.findings] if found is None else found

    def words_of(self, state: State) -> str:
        return str(state["query"])

    def seen(self, key: str) -> State:
        return _state_of(self.turn(key))

    def template(self, key: str) -> str:
        """The template's words for the turn."""
        turn = self.turn(key)
        return self._template.say(turn, turn.persona, self._benchmark.turns(turn.dialogue)[: turn.turn - 1])

    def ask(self, key: str, model: str, notes: str) -> Regenerated:
        """A model's words for the turn; blocks until the model answers.

        Raises:
            UsageError: no model can be asked, or its name is invalid.
            ModelError: the model did not answer.
        """
        if self.regenerate is None:
            raise UsageError("this installation cannot generate queries with chat models")
        answer = self.regenerate(self.turn(key), model, notes)
        return replace(answer, query=_checked_words(answer.query))

    def exported(self, key: str) -> dict[str, Any]:
        turn = self.turn(key)
        return _turn_object(turn, self._findings_or_stored(turn, self.checked(key)), self.earlier(key))

    def parse_filled(self, data: dict[str, Any]) -> tuple[str, State, str | None]:
        line = FilledTurn.model_validate(data)
        key = f"{line.dialogue}/{line.turn}"
        seen = {**self.seen(key), "query": line.query, "status": line.status, "source": line.source}
        return key, seen, line.text

    def _check(self, key: str, text: str) -> list[Finding]:
        return list(self._checker(self.turn(key), text))

    def objections(self, request: Request) -> list[Finding]:
        if request.decision == "template":
            request = replace(request, text=self.template(request.item))
        return super().objections(request)

    def _after(self, request: Request, state: State, found: Sequence[Finding]) -> State:
        findings = [f"{finding.checker}: {finding.message}" for finding in found]
        match request.decision:
            case "accept":
                # The findings stay on the line: the audit needs them to count false alarms.
                return {**state, "status": "edited" if state["status"] == "edited" else "verified"}
            case "reject":
                return {**state, "status": "rejected"}
            case "edit":
                return {**state, "query": _checked_words(request.text), "status": "edited", "findings": findings}
            case "template":
                return self._after_template(request, state, findings)
            case "regenerate":
                source, attempts = request.source or state["source"], request.attempts or 1
                return _verified(_checked_words(request.text), source, attempts, findings)
            case "undo" if (target := self._undone(request)).applied:
                return dict(_parse_state(target.before).model_dump(mode="json"))
        return dict(state)

    def _after_template(self, request: Request, state: State, findings: list[str]) -> State:
        words = self.template(request.item)
        is_template = (state["query"], state["source"], state["status"]) == (words, "template", "verified")
        if is_template and not request.opinion:
            raise UsageError(f"turn {request.item} already has the template's query; accept it")
        return _verified(words, "template", 1, findings)

    def _is_stale(self, seen: State, stored: State, after: State) -> bool:
        if (seen["query"], seen["source"]) != (stored["query"], stored["source"]):
            return True
        return bool(seen["status"] != stored["status"] and after["status"] != stored["status"])

    def _stored(self, key: str) -> State:
        turn = self.turn(key)
        path = dialogue_file(self._benchmark.path, turn.dialogue)
        for stored in read_turns(path, turn.dialogue):
            if stored.turn == turn.turn:  # stop here: a later line may be half-written
                self._turns[key] = stored
                return _state_of(stored)
        raise UsageError(f"{path} no longer contains turn {turn.turn}; restore the file")

    def _store(self, key: str, state: State) -> None:
        turn, new = self.turn(key), _parse_state(state)
        self._turns[key] = self._benchmark.replace(turn.dialogue, turn.turn, **dict(new))

    def _position(self, key: str) -> dict[str, int]:
        turn = self.turn(key)
        return {"dialogue": turn.dialogue, "turn": turn.turn}

    def _has(self, key: str) -> bool:
        return key in self._turns


def _verified(query: str, source: str, attempts: int, findings: list[str]) -> State:
    return {"query": query, "status": "verified", "source": source, "attempts": attempts, "findings": findings}


def regenerate(turn: Turn, model: str, notes: str) -> Regenerated:
    """A chat model's words for a turn; must not be called inside an event loop.

    Raises:
        UsageError: the model's name is invalid, or its key is missing.
        ModelError: the endpoint failed.
    """
    return asyncio.run(_regenerate(turn, model, notes))


async def _regenerate(turn: Turn, name: str, notes: str) -> Regenerated:
    from evolif.scenarios.instructions.authors import open_author
    from evolif.scenarios.instructions.synthesis import Agent

    model = open_author(name)
    try:
        answer = await Agent(model).say(turn, notes=notes)
    finally:
        await model.aclose()
    return Regenerated(answer.query, model.name, answer.attempts, answer.findings)
