"""The review of a run's judge: a person scores a sample of judged answers, blind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from evolif.errors import InternalError, UsageError
from evolif.judge_audit import Decision, DecisionKind, standing
from evolif.judge_audit.decisions import DECISIONS
from evolif.judge_audit.sample import AuditItem, audit_folder, draw_sample, read_items
from evolif.review.agreement import Statistics, statistics
from evolif.review.decisions import DecisionLog, Drafts, Request, format_time
from evolif.review.filters import DECIDED, UNDECIDED, Facet, QueueItem
from evolif.review.queue import Notify, ReviewQueue, State, TextBlock
from evolif.review.text import Marked, joined, one_line, styled, visible
from evolif.runner import Run
from evolif.scenarios.instructions.turns import Finding

ONLY = (
    "Only this quality counts. Ignore a format, a length or words that other constraints require, whether the answer "
    "is right, and whether you like it."
)
"""The judge gets the same hint."""


def answer_blocks(item: AuditItem, of: int, own: Sequence[Decision]) -> list[tuple[str, Marked]]:
    """The titled blocks of a judged answer: number `item.number` of so many, with the reviewer's own decisions."""
    head = f"Answer {item.number} of {of}: {one_line(item.group, 40)} {one_line(item.value, 40)}".rstrip()
    scale = joined([_band(line) for line in item.scale])
    reaction = () if item.reaction is None else (item.reaction,)
    bold = "; in bold what reacts to the answer before" if reaction else ""
    blocks = [
        (head, joined([styled(one_line(item.question), "strong"), styled(ONLY, "faint")])),
        ("Scale: press 1 to 9, or 0 for 10", scale),
        ("The full answer", visible(item.answer)),
        (f"The query it answers; the judge does not see it{bold}", visible(item.query, reaction, "strong")),
    ]
    if own:
        blocks.insert(2, ("Your decisions", joined([styled(_line(record)) for record in reversed(own)])))
    return blocks


def _line(record: Decision) -> str:
    what = f"score {record.after.get('score')}" if record.decision == "score" else record.decision
    return f"{format_time(record.time)}: {what}" + (f" – {one_line(record.note)}" if record.note else "")


def _band(line: str) -> Marked:
    band, _, text = line.partition(":")
    return styled(f"{band:>5} ", "strong") + styled(one_line(text))


_STATUSES = ("open", "scored", "skipped")


class FilledAnswer(BaseModel):
    """The fields that are read back from an exported line."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    item: Annotated[int, Field(ge=1)]
    id: str
    score: Annotated[int, Field(ge=1, le=10)] | Literal["", "skip"] | None = None
    note: Annotated[str, Field(max_length=10_000)] | None = ""

    @field_validator("score", mode="before")
    @classmethod
    def _refuse_booleans(cls, score: object) -> object:
        if isinstance(score, bool):
            raise ValueError("a score must be a whole number from 1 to 10")
        return score.strip().lower() if isinstance(score, str) else score


class AnswerQueue(ReviewQueue):
    """Judged answers of a run, to score from 1 to 10 or to skip.

    It holds neither the judge's verdicts nor the models' names, and shows nothing of other reviewers' decisions:
    the reviewer sees what the judge saw, and the query.

    Args:
        run: The run; it is read once and never written.
        reviewer: Who scores.
        seed: Of the sample's draws.
        size: Number of answers in the sample.
        notify: Called with a sentence when something was repaired.

    Raises:
        UsageError: nothing was judged, or there is another sample.
    """

    kinds: tuple[DecisionKind, ...] = ("score", "skip", "note")
    noun = "answer"
    legend = (
        "Your score is beside each answer; – means skipped. Models, the judge's scores and other reviewers' scores are "
        "hidden; see evolif report for the agreement."
    )
    empty: Mapping[str, Any] = {"score": None, "note": ""}
    columns = ("item", "id", "score", "note")

    def __init__(
        self, run: Run, reviewer: str, *, seed: int | None = None, size: int | None = None, notify: Notify | None = None
    ) -> None:
        sample = draw_sample(run, seed, size)
        self._items = {str(item.number): item for item in read_items(run, sample)}
        folder = audit_folder(run.path)
        log = DecisionLog(folder / DECISIONS, folder / ".lock", notify)
        super().__init__(run.path, reviewer, log, Drafts(folder / "drafts", reviewer))
        log.follow()

    def item(self, key: str) -> AuditItem:
        """A judged answer; raises `UsageError` where there is no such number."""
        if key not in self._items:
            raise UsageError(f"the sample of {self.path} has no answer {one_line(key, 40)}; it has {len(self._items)}")
        return self._items[key]

    def known_values(self, facet: Facet) -> tuple[str, ...]:
        return _STATUSES if facet == "status" else ()

    def verdicts(self) -> dict[str, Decision]:
        """The reviewer's last score or skip that stands, by item."""
        own = (r for r in standing(self.log.records) if r.reviewer == self.reviewer and r.decision != "note")
        return {record.item: record for record in own}

    def decisions(self, key: str) -> list[Decision]:
        """The reviewer's own decisions on an answer that stand, oldest first."""
        return [record for record in super().decisions(key) if record.reviewer == self.reviewer]

    def news(self) -> list[Decision]:
        self.refresh()
        return []  # scores of other reviewers are not shown

    def statistics(self) -> Statistics:
        """Over the last score or skip of each reviewer for each answer."""
        kept = standing(self.log.records)
        last = {(r.reviewer, r.item): r.id for r in kept if r.decision != "note"}
        return statistics(r for r in kept if r.decision == "note" or last[r.reviewer, r.item] == r.id)

    def entries(self) -> list[QueueItem]:
        given = self.verdicts()
        return [self._entry(item, given.get(key)) for key, item in self._items.items()]

    def entry(self, key: str) -> QueueItem:
        return self._entry(self.item(key), self.verdicts().get(key))

    def _entry(self, item: AuditItem, own: Decision | None) -> QueueItem:
        status = "open" if own is None else "scored" if own.decision == "score" else "skipped"
        sign = {"open": "  ", "skipped": " –"}.get(status) or f"{own.after['score'] if own else '':>2}"
        words = (item.group, item.value, item.description, item.query, item.answer)
        return QueueItem(
            key=str(item.number),
            order=(item.number,),
            label=f"{item.number:<4}{one_line(item.group)} {one_line(item.value)}",
            facets={"status": (status,), "mine": (DECIDED if own else UNDECIDED,), "group": (item.group,)},
            haystack="\n".join(words).casefold(),
            mark=sign[0],
            mine=sign[1],
        )

    def blocks(self, key: str, found: Sequence[Finding] | None) -> list[TextBlock]:
        return answer_blocks(self.item(key), len(self._items), self.decisions(key))

    def words_of(self, state: State) -> str:
        return ""  # a judged answer cannot be edited

    def list_text(self, key: str) -> str:
        return self.item(key).answer

    def seen(self, key: str) -> State:
        own = self.verdicts().get(key)
        return {"score": own.after.get("score") if own else None}

    def checked(self, key: str) -> list[Finding] | None:
        return []  # no checker applies

    def exported(self, key: str) -> dict[str, Any]:
        """The answer, with an id that links a filled line to exactly this text."""
        item = self.item(key)
        return {
            "item": item.number,
            "id": _id(item),
            "group": item.group,
            "value": item.value,
            "constraint": item.description,
            "question": item.question,
            "scale": list(item.scale),
            "answer": item.answer,
            "query": item.query,
        }

    def decision_object(self, record: Decision) -> dict[str, Any] | None:
        if record.reviewer != self.reviewer:
            return None
        return {**(super().decision_object(record) or {}), "score": record.after.get("score")}

    def parse_request(self, data: dict[str, Any]) -> Request | None:
        line = FilledAnswer.model_validate(data)
        key, note = str(line.item), (line.note or "").strip()
        if line.id != _id(self.item(key)):
            raise UsageError(f"the line's id does not match answer {key} of {self.path}; export the sample again")
        if line.score is None or line.score == "":
            return Request(key, "note", self.seen(key), note=note) if note else None
        if line.score == "skip":
            return Request(key, "skip", self.seen(key), note=note)
        return Request(key, "score", self.seen(key), score=line.score, note=note)

    def is_made(self, request: Request) -> bool:
        if request.decision == "note":
            return any(record.note == request.note for record in self.decisions(request.item))
        last = self.verdicts().get(request.item)
        return last is not None and (last.decision, last.after.get("score")) == (request.decision, request.score)

    def parse_filled(self, data: dict[str, Any]) -> tuple[str, State, str | None]:
        raise InternalError("an audit reads its lines by `parse_request`")

    def _check(self, key: str, text: str) -> list[Finding]:
        return []

    def _after(self, request: Request, state: State, found: Sequence[Finding]) -> State:
        if request.decision == "score":
            if request.score is None or not 1 <= request.score <= 10:
                raise UsageError(f"a score must be a whole number from 1 to 10, not {request.score}")
            return {"score": request.score}
        if request.decision == "skip":
            return {"score": None}
        return dict(self._undone(request).before) if request.decision == "undo" else dict(state)

    def _is_stale(self, seen: State, stored: State, after: State) -> bool:
        return False  # only the reviewer changes their scores

    def _stored(self, key: str) -> State:
        return self.seen(key)

    def _store(self, key: str, state: State) -> None:
        """Scores are stored in the log only."""

    def _position(self, key: str) -> dict[str, int]:
        self.item(key)  # refuses an unknown number
        return {}

    def _has(self, key: str) -> bool:
        return key in self._items


def _id(item: AuditItem) -> str:
    content = "\0".join((item.group, item.value, item.query, item.answer))
    # Starts with a letter, so that spreadsheets do not treat it as a number.
    return f"a{blake2b(content.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"
