"""The review of topics: two people vouch for each (paper App. B)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from evolif.errors import UsageError
from evolif.judge_audit import VOUCHERS, Decision, DecisionKind
from evolif.review.decisions import DecisionLog, Drafts, Request
from evolif.review.exchange import finding_objects
from evolif.review.filters import DECIDED, UNDECIDED, Facet, Filter, QueueItem
from evolif.review.queue import Notify, ReviewQueue, State, TextBlock
from evolif.review.text import Marked, one_line, styled, visible
from evolif.review.topic_file import (
    REQUIRED_VOUCHERS,
    TopicFile,
    TopicLine,
    content_of,
    is_same,
    names,
    status_of,
    vouched,
)
from evolif.review.turn_view import decisions_text, findings_text
from evolif.scenarios.instructions.tracker import TopicModel
from evolif.scenarios.instructions.turns import Finding
from evolif.text import plural
from evolif.util.resources import complaint

_STATUS = {"open": f"open: needs {REQUIRED_VOUCHERS} reviewers", "verified": "verified", "rejected": "rejected"}


def topic_blocks(
    line: TopicLine, found: Sequence[Finding], decisions: Sequence[Decision], *, checked: bool
) -> list[tuple[str, Marked]]:
    """The titled blocks of a topic; findings are not stored, so they are missing until it is checked."""
    keywords = line.get("keywords")
    words = [one_line(str(word), 60) for word in keywords] if isinstance(keywords, list) else []
    head = f"Topic {one_line(line['id'], 40)}, {_STATUS[status_of(line)]}"
    naming = ", ".join(one_line(str(line[name]), 80) for name in ("domain", "title") if line.get(name))
    blocks = [
        (head, styled(naming or "no title")),
        ("Task", visible(str(line["prompt"]))),
        (f"{plural(len(words), 'keyword')}", styled(", ".join(words) or "none")),
        ("Findings" if checked else "Findings, checking …", findings_text("", found)),
        ("Vouchers", styled(_vouchers_text(line))),
    ]
    if decisions:
        blocks.append(("Decisions", decisions_text(decisions)))
    return blocks


def _vouchers_text(line: TopicLine) -> str:
    parts = [
        f"{label} {', '.join(one_line(name, 40) for name in names(line, field))}"
        for field, label in (("verified_by", "verified by"), ("rejected_by", "rejected by"))
        if names(line, field)
    ]
    return "; ".join(parts) or "nobody yet"


_LABEL = re.compile(r"(title|domain|prompt|keywords):[ ]?(.*)")


def to_words(line: TopicLine) -> str:
    """The editable fields of a topic as a text, labelled; one keyword per line."""
    keywords = line.get("keywords")
    listed = keywords if isinstance(keywords, list) else []
    fields = [f"{name}: {line.get(name) or ''}" for name in ("title", "domain", "prompt")]
    return "\n".join([*fields, "keywords:", *(f"- {keyword}" for keyword in listed)])


def from_words(text: str) -> dict[str, Any]:
    """The fields of a text that was edited; raises `UsageError` if it is not in the format of `to_words`."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError("the topic contains an invalid character that cannot be stored; retype it") from None
    fields: dict[str, list[str]] = {}
    label = ""
    for line in text.strip().split("\n"):
        match = _LABEL.fullmatch(line)
        if match and match[1] not in fields:
            label = match[1]
            fields[label] = [match[2]] if match[2].strip() else []
        elif label:
            fields[label].append(line)
        elif line.strip():
            raise UsageError(f"the line “{line[:40]}” is not part of a field; start with title:, domain: or prompt:")
    prompt = "\n".join(fields.get("prompt", [])).strip()
    if not prompt:
        raise UsageError("the topic has no prompt; write one after “prompt:”, or reject the topic")
    return {
        "title": " ".join(fields.get("title", [])).strip(),
        "domain": " ".join(fields.get("domain", [])).strip(),
        "prompt": prompt,
        "keywords": [word for line in fields.get("keywords", []) if (word := line.removeprefix("- ").strip("- \t"))],
    }


def merged(line: TopicLine, fields: dict[str, Any]) -> TopicLine:
    """The line with new fields; empty ones are left out unless the line had them."""
    return {**line, **{name: value for name, value in fields.items() if value or name in line}}


TopicChecker = Callable[[Mapping[str, Any]], Sequence[Finding]]
"""Finds problems in a topic's line."""

_FIRST = {"open": 0, "rejected": 1, "verified": 2}


def loads(line: Mapping[str, Any]) -> list[Finding]:
    """The problem that makes a topic unusable, if any."""
    try:
        TopicModel.model_validate(line)
    except ValidationError as fault:
        return [Finding("topic", f"cannot be used: {complaint(fault, 'topic')}")]
    return []


class _Edited(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str | None = None
    domain: str | None = None
    prompt: str | None = None
    keywords: list[str] | None = None


class FilledTopic(BaseModel):
    """The fields that are read back from an exported line."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    topic: str
    line: dict[str, Any]
    edited: _Edited | None = None


class TopicQueue(ReviewQueue):
    """Topics of a file, to vouch for, edit or reject.

    Args:
        path: The JSONL file; decisions go into `NAME.review.jsonl` beside it.
        reviewer: Who decides.
        checker: Finds problems in a usable topic.
        notify: Called with a sentence when something was repaired.
    """

    kinds: tuple[DecisionKind, ...] = ("accept", "edit", "reject", "note")
    noun = "topic"
    stores_findings = False
    first_filter = Filter({"status": frozenset({"open"})})
    legend = (
        "The first letter before a topic is its status: O open, R rejected, V verified by two. "
        "The second is your verdict: a accepted, x rejected."
    )

    def __init__(
        self, path: Path, reviewer: str, *, checker: TopicChecker | None = None, notify: Notify | None = None
    ) -> None:
        self._file = TopicFile(path)
        base = self._file.path
        log = DecisionLog(base.with_suffix(".review.jsonl"), base.with_name(f".{base.stem}.review.lock"), notify)
        super().__init__(path, reviewer, log, Drafts(base.with_name(f".{base.stem}.drafts"), reviewer))
        self._checker = checker
        self._topics = self._file.read()
        self._start()

    def known_values(self, facet: Facet) -> tuple[str, ...]:
        return {"status": tuple(_FIRST), "finding": ("none", "not checked", "topic")}.get(facet, ())

    def list_text(self, key: str) -> str:
        line = self.line(key)
        keywords = line.get("keywords")
        count = len(keywords) if isinstance(keywords, list) else 0
        domain = f"{line['domain']}: " if line.get("domain") else ""
        return f"{domain}{line['prompt']} ({plural(count, 'keyword')})"

    def line(self, key: str) -> State:
        """A topic's line as it is shown now; raises `UsageError` where there is no such topic."""
        if key not in self._topics:
            raise UsageError(f"{self.path} has no topic {one_line(key, 40)}; name it by its id")
        return self._topics[key]

    def entries(self) -> list[QueueItem]:
        return [self._entry(number, key) for number, key in enumerate(self._topics)]

    def entry(self, key: str) -> QueueItem:
        return self._entry(list(self._topics).index(key), key)

    def _entry(self, number: int, key: str) -> QueueItem:
        line = self._topics[key]
        status = status_of(line)
        accepts, rejects = (self._is_named(line, field) for field in VOUCHERS)
        found = self.checked(key)
        checkers = [one.checker for one in found if one] if found else []
        return QueueItem(
            key=key,
            order=(_FIRST[status], number),
            label=one_line(f"{key} {line.get('title') or line['prompt']}", 60),
            facets={
                "status": (status,),
                "mine": (DECIDED if accepts or rejects else UNDECIDED,),
                "finding": tuple(dict.fromkeys(checkers)) or ("none" if found is not None else "not checked",),
                "source": (),
                "topic": (str(line.get("domain") or "no domain"),),
            },
            haystack=f"{key}\n{to_words(line)}".casefold(),
            mark=status[0].upper(),
            mine="x" if rejects else "a" if accepts else " ",
        )

    def blocks(self, key: str, found: Sequence[Finding] | None) -> list[TextBlock]:
        return topic_blocks(self.line(key), found or (), self.decisions(key), checked=found is not None)

    def words_of(self, state: State) -> str:
        return to_words(state)

    def seen(self, key: str) -> State:
        return dict(self.line(key))

    def exported(self, key: str) -> dict[str, Any]:
        line = self.line(key)
        return {
            "topic": key,
            "status": status_of(line),
            "line": line,
            "findings": finding_objects(self.findings(key)),
            "edited": None,
        }

    def parse_filled(self, data: dict[str, Any]) -> tuple[str, State, str | None]:
        filled = FilledTopic.model_validate(data)
        self.line(filled.topic)
        seen = {**filled.line, "id": filled.topic}
        if filled.edited is None:
            return filled.topic, seen, None
        before = to_words(seen)
        text = to_words({**seen, **filled.edited.model_dump(exclude_none=True)})
        return filled.topic, seen, None if text == before else text

    def _check(self, key: str, text: str) -> list[Finding]:
        try:
            line = merged(self.line(key), from_words(text))
        except UsageError as fault:
            return [Finding("topic", str(fault))]
        return loads(line) + list(self._checker(line) if self._checker else ())

    def _after(self, request: Request, state: State, found: Sequence[Finding]) -> State:
        if request.decision == "accept":
            return vouched(state, self.reviewer, "verified_by")
        if request.decision == "reject":
            return vouched(state, self.reviewer, "rejected_by")
        if request.decision == "edit":
            # The editor vouches for the new words; all other reviewers vouched for the old ones.
            cleared = {name: value for name, value in state.items() if name not in VOUCHERS}
            return vouched(merged(cleared, from_words(request.text or "")), self.reviewer, "verified_by")
        if request.decision == "undo":
            return self._after_undo(self._undone(request), state)
        return dict(state)

    def _after_undo(self, target: Decision, state: State) -> State:
        if not target.applied:
            return dict(state)
        if target.decision == "edit":
            return dict(target.before)
        field = next((name for name in VOUCHERS if self._is_named(target.before, name)), None)
        return vouched(state, self.reviewer, field)  # later decisions of other reviewers stay

    def _is_named(self, line: State, field: str) -> bool:
        return any(is_same(name, self.reviewer) for name in names(line, field))

    def _is_stale(self, seen: State, stored: State, after: State) -> bool:
        return content_of(seen) != content_of(stored)

    def _stored(self, key: str) -> State:
        self._topics |= self._file.read()
        return dict(self.line(key))

    def _store(self, key: str, state: State) -> None:
        self._file.rewrite(key, state)
        self._topics[key] = state

    def _has(self, key: str) -> bool:
        return key in self._topics


class TopicLint:
    """`evolif topics lint`, topic by topic.

    An unchanged topic gets all findings of the lint, including those about similar topics, which need the whole file.
    It is read once. A changed topic gets only the findings of its own line.

    Args:
        path: The JSONL file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stored: dict[str, list[Finding]] | None = None

    def __call__(self, line: Mapping[str, Any]) -> list[Finding]:
        """The findings in a topic's line."""
        if self._stored is None:
            self._stored = self._lint_file()
        return self._stored[content_of(line)] if content_of(line) in self._stored else _lint_line(line)

    def _lint_file(self) -> dict[str, list[Finding]]:
        from evolif.scenarios.instructions.catalogue import lint_topics

        found: dict[str, list[Finding]] = {}
        for one in lint_topics(self._path).findings:
            found.setdefault(one.entry, []).append(Finding(one.rule, f"{one.message}; {one.mend}"))
        return {content_of(line): found.get(key, []) for key, line in TopicFile(self._path).read().items()}


def _lint_line(line: Mapping[str, Any]) -> list[Finding]:
    from evolif.scenarios.instructions.catalogue.topics import read_topic, topic_faults

    topic, faults = read_topic(line)
    faults += topic_faults(topic) if topic is not None else []
    return [Finding(fault.rule, f"{fault.message}; {fault.mend}") for fault in faults]
