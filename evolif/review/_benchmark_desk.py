"""The desk for a benchmark: turns, flagged ones first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evolif._errors import UsageError
from evolif.benchmark import Benchmark, read_turns
from evolif.benchmark._files import dialogue_file
from evolif.constraints import EXTENDED_GROUPS, GROUPS, own_groups
from evolif.domain import Finding, ScriptTurn, Turn
from evolif.review._decision import Kind, Request
from evolif.review._desk import Block, Desk, Notify, State
from evolif.review._drafts import Drafts
from evolif.review._journal import Journal
from evolif.review._queue import DECIDED, UNDECIDED, Entry, Facet
from evolif.review._safe import one_line
from evolif.review._turn_exchange import FilledTurn, turn_object
from evolif.review._turn_state import (
    checked_words,
    equal_words,
    parse_state,
    split_finding,
    state_of,
    stored_findings,
)
from evolif.review._turn_view import turn_blocks
from evolif.synthesis import TemplateSynthesizer

Checker = Callable[[Turn, str], Sequence[Finding]]
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


class BenchmarkDesk(Desk):
    """Turns of a benchmark, to be accepted, edited, regenerated, put back to the template's words, or rejected.

    Args:
        benchmark: An opened benchmark.
        reviewer: Who decides.
        checker: Says what is wrong with a query.
        regenerate: Asks a model for other words, where one can be asked.
        notify: Told in one sentence when something was repaired.
    """

    kinds: tuple[Kind, ...] = ("accept", "edit", "template", "regenerate", "reject", "note")
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
        checker: Checker,
        regenerate: Regenerate | None = None,
        notify: Notify | None = None,
    ) -> None:
        folder = benchmark.path / "review"
        journal = Journal(folder / "decisions.jsonl", folder / ".lock", notify)
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

    def entries(self) -> list[Entry]:
        """All turns, as the queue has them."""
        decided = self.verdicts()
        return [self._entry(key, decided) for key in self._turns]

    def entry(self, key: str) -> Entry:
        """One turn, as the queue has it."""
        return self._entry(key, self.verdicts())

    def _entry(self, key: str, decided: dict[str, Any]) -> Entry:
        turn = self._turns[key]
        own = decided.get(key)
        found = self._found.get((key, turn.query))
        checkers = [one.checker for one in found if one] if found is not None else None
        if checkers is None:
            checkers = [split_finding(one).checker for one in turn.findings]
        change = f"{_SIGNS[turn.operation.kind]}{one_line(turn.operation.group)}"
        return Entry(
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

    def blocks(self, key: str, found: Sequence[Finding] | None) -> list[Block]:
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
