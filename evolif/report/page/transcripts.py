"""One session as the page lists it, and its turns as the template shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from evolif.report.outcomes import ending_words
from evolif.report.page.evidence import evidence, label, marked, one_line
from evolif.runner import Run, TurnRecord
from evolif.runner.session import step
from evolif.scenario import Environment, Exhibit, Scenario, Services, blaming, get_scenario, options_of
from evolif.text import plural
from evolif.types import Message, Prompt, Score, Session, Verdict

OUTCOMES: Mapping[bool | None, tuple[str, str, str]] = {
    True: ("ok", "✓", "satisfied"),
    False: ("bad", "✗", "failed"),
    None: ("none", "–", "not judged"),
}
"""Class, sign and word of an outcome: never colour alone."""

LONG = 2_500
"""Longer answers and queries are folded after their beginning; in characters."""


_UNLIKE = (
    ' <span class="unlike"><span aria-hidden="true">≠</span><span class="vh">unlike the other answer</span></span>'
)
"""Stands behind what was found otherwise of the answer beside it."""


Unlike = tuple[Collection[int], Collection[int]]
"""The verdicts, and the scores, that differ from those on the answer beside it, by their positions."""
_ALIKE: Unlike = ((), ())


def verdict_items(verdicts: Sequence[Verdict], marked: Collection[int], unlike: Collection[int] = ()) -> Markup:
    """A list item per verdict. They are most of a page's elements, and Jinja would be slower.

    Args:
        verdicts: Of one turn.
        marked: The verdicts with marks in the answer: their items are buttons that show the marks.
        unlike: The verdicts that differ from those on the answer beside it.
    """
    items = (_item(i, verdict, i in marked, _UNLIKE if i in unlike else "") for i, verdict in enumerate(verdicts))
    return Markup("".join(items))


def _item(index: int, verdict: Verdict, is_button: bool, unlike: str) -> str:
    look, sign, word = OUTCOMES[verdict.satisfied]
    details = f'<span class="exp">{label(verdict.expected)}</span>'
    if verdict.found != verdict.expected:
        details += f' <span class="fnd"><span class="vh">found</span> {label(verdict.found)}</span>'
    content = (
        f'<span class="sign" aria-hidden="true">{sign}</span>'
        f'<span class="what"><b>{label(verdict.group)}</b> <span class="vh">{word}:</span> {details}{unlike}</span>'
    )
    if is_button:
        button = f'<button type="button" class="v {look}" data-v="{index}" aria-pressed="false">{content}</button>'
        return f"<li>{button}</li>"
    return f'<li><div class="v {look}">{content}</div></li>'


def score_items(scores: Sequence[Score], unlike: Collection[int] = ()) -> Markup:
    """A list item per score; `unlike` as for verdicts."""
    return Markup("".join(_score_item(score, _UNLIKE if i in unlike else "") for i, score in enumerate(scores)))


def _score_item(score: Score, unlike: str) -> str:
    value = "not scored" if score.value is None else f"{score.value:g}"
    details = f' <span class="exp">{label(score.expected)}</span>' if score.expected else ""
    if score.found and score.found != score.expected:
        details += f' <span class="fnd"><span class="vh">found</span> {label(score.found)}</span>'
    return (
        f'<li><div class="v"><span class="what"><b>{label(score.name)}</b> {value}{details}{unlike}</span></div></li>'
    )


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """What stands beside a prompt; equal ones are one object, since a page has tens of thousands of turns."""

    fmt: str | None = None
    """The format in which an answer is read."""
    badges: tuple[str, ...] = ()
    """Values that stand alone."""
    named: str = ""
    """The other facts, with their names."""


class QueryPart(NamedTuple):
    """A part of a query."""

    text: str
    lines: int
    """How many lines it has if it is folded, else 0."""


def pieces_of(query: str, folds: Sequence[tuple[int, int]]) -> tuple[QueryPart, ...]:
    """A query cut at what is folded, without line breaks around the pieces; nothing for ranges that do not ascend.

    Args:
        query: The text.
        folds: As `Scenario.folds` gives them.
    """
    ends = [0, *(place for fold in folds for place in fold), len(query)]
    if not folds or any(after < before for before, after in pairwise(ends)):
        return ()
    texts = [(query[start:end].strip("\n"), number % 2 == 1) for number, (start, end) in enumerate(pairwise(ends))]
    return tuple(QueryPart(text, (text.count("\n") + 1) if folded else 0) for text, folded in texts if text)


_MOST_FACTS = 50_000
"""Prompts whose facts are kept at a time: models share them, but a run may have millions."""


class PromptReader:
    """What the scenario of a run says about its prompts.

    Raises:
        UsageError: the scenario is not installed, or is broken.
    """

    def __init__(self, run: Run) -> None:
        settings = run.settings
        self.scenario = get_scenario(settings.scenario)
        self.partner = settings.partner
        self.rules = settings.reading_rules
        play = options_of(self.scenario.play, settings.options, settings.scenario)
        self._environment: Environment | None = self.scenario.environment(None, play, Services())
        self._known: dict[tuple[int, int, str], PromptFacts] = {}
        self._unique: dict[PromptFacts, PromptFacts] = {}

    def facts(self, prompt: Prompt) -> PromptFacts:
        """Worked out once for each prompt."""
        key = prompt.dialogue, prompt.turn, prompt.digest
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST_FACTS:
                self._known.clear()
            with blaming(self.scenario):
                told = [(str(name), str(value)) for name, value in self.scenario.presentation.facts(prompt) if value]
                fmt = self.scenario.presentation.reading_format(prompt)
            badges = tuple(value for name, value in told if not name)
            named = "; ".join(f"{name} {value}" for name, value in told if name)
            found = PromptFacts(fmt, badges, named)
            found = self._known[key] = self._unique.setdefault(found, found)
        return found

    def pieces(self, prompt: Prompt) -> tuple[QueryPart, ...]:
        """The query where some of it is folded, else nothing."""
        with blaming(self.scenario):
            return pieces_of(prompt.query, self.scenario.presentation.folds(prompt))

    def reaction(self, prompt: Prompt) -> tuple[str, str, str]:
        """The query before, in and after what reacts to the answer before; empty texts if it reacts to none."""
        with blaming(self.scenario):
            found = self.scenario.presentation.reaction(prompt)
        if found is None or not 0 <= found[0] < found[1] <= len(prompt.query):
            return "", "", ""
        start, end = found
        return prompt.query[:start], prompt.query[start:end], prompt.query[end:]

    def heard(self, prompt: Prompt, answer: str) -> str:
        """What the others heard of an answer."""
        if self._environment is None:
            return answer
        with blaming(self.scenario):
            return self._environment.heard(prompt, answer)

    def speaker(self, model: str) -> str:
        """The name of the partner in a session of a model; empty if the run names none."""
        return model if self.partner == "self" else self.partner


class TurnView(NamedTuple):
    """What the template shows of one turn. A tuple, since a page has tens of thousands."""

    record: TurnRecord
    facts: PromptFacts
    patience: int | None
    """What was left after the turn; None if there is none."""
    look: str
    """`ok`, `bad`, or `none` where nothing was judged."""
    answer: Markup
    content: Markup | None
    """The parsed content, if some evidence has no place in the answer."""
    heard: str | None
    """What the others heard; None if it is the whole answer."""
    verdicts: Markup
    """The items of a list; empty if there are none."""
    scores: Markup
    heuristic: Markup
    context: str
    """What of the past the call was shown; empty if that is not stored."""
    pieces: tuple[QueryPart, ...] = ()
    """The query, if some of it is folded."""
    reaction: tuple[str, str, str] = ("", "", "")
    """The query before, in and after what reacts to the answer before; empty texts if it reacts to none."""

    @property
    def said(self) -> list[Message]:
        """The prompt's messages, without what a scenario tells a seat beforehand."""
        return [message for message in self.record.prompt.messages if message.role != "system"]


def turn_view(record: TurnRecord, reader: PromptReader, patience: int | None, unlike: Unlike = _ALIKE) -> TurnView:
    """Prepare a stored turn for the template.

    Args:
        record: The turn.
        reader: Of the run.
        patience: What was left after it.
        unlike: What differs from the answer beside it.
    """
    facts = reader.facts(record.prompt)
    failed = frozenset(i for i, v in enumerate(record.verdicts) if v.satisfied is False)
    places = evidence(record.answer, facts.fmt, record.verdicts, reader.rules)
    shown = {index for _, _, index in (*places.answer, *places.in_content)}
    judged = any(v.satisfied is not None for v in record.verdicts)
    heard = reader.heard(record.prompt, record.answer)
    return TurnView(
        record,
        facts,
        patience,
        look="bad" if failed else "ok" if judged else "none",
        answer=marked(record.answer, places.answer, failed),
        content=marked(places.content, places.in_content, failed) if places.in_content else None,
        heard=None if heard == record.answer else heard,
        verdicts=verdict_items(record.verdicts, shown, unlike[0]),
        scores=score_items(record.judged.scores, unlike[1]),
        heuristic=verdict_items(record.heuristic, frozenset()),
        context=_context(record),
        pieces=reader.pieces(record.prompt),
        reaction=reader.reaction(record.prompt),
    )


def _context(record: TurnRecord) -> str:
    built = record.built
    if built is None:
        return ""
    told = []
    for how, words in (("full", "in full"), ("summary", "as summaries")):
        rounds = [number for number, one in built.shown.items() if one == how]
        told += [f"{ranges(rounds)} {words}"] if rounds else []
    shown = f"Shown of earlier rounds: {'; '.join(told) or 'none'}"
    tokens = "" if record.context_tokens is None else f"; {record.context_tokens:,} context tokens"
    cost = built.cost
    own = f"; own calls {cost.calls:,} with {plural(cost.tokens, 'token', spec=',')}" if cost.calls else ""
    fallbacks = f"; fallbacks {cost.fallbacks:,}" if cost.fallbacks else ""
    return f"{shown}{tokens}{own}{fallbacks}."


def ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers, runs of them by their ends: `1–3, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def long(text: str) -> int:
    """The number of characters where the text is long, else 0."""
    return len(text) if len(text) > LONG or text.count("\n") > LONG // 40 else 0


def outcome(satisfied: bool | None) -> str:
    """An outcome as a word."""
    return OUTCOMES[satisfied][2]


def score(value: float | None) -> str:
    """A judge's score in words."""
    return "no score" if value is None else f"{value:g} of 10"


_MEANING = {"+": True, "-": False, "0": None}

FaultRow = tuple[int, str, str]
"""(turn, kind, message)."""


@dataclass(frozen=True, slots=True)
class SessionHead:
    """A session in the list of dialogues; kept for every session, so it is small."""

    number: int
    """Counts all sessions of the page from 1; also the name of its file."""
    run: int
    model: str
    dialogue: int
    epoch: int
    patience: int | None
    ending: str
    reason: str
    turns: int
    failed_turns: int
    outcomes: str
    """Per turn `+` all satisfied, `-` something failed, `0` nothing judged."""
    failed_groups: tuple[str, ...]
    faults: tuple[FaultRow, ...]
    pictures: bool = False
    """Whether its transcript holds pictures."""

    @classmethod
    def load(cls, told: Mapping[str, Any]) -> SessionHead:
        """What `dataclasses.asdict` gave, after it was JSON."""
        faults = tuple((turn, kind, message) for turn, kind, message in told["faults"])
        return cls(**{**told, "failed_groups": tuple(told["failed_groups"]), "faults": faults})

    @property
    def key(self) -> str:
        """Names the session in a link: `MODEL/DIALOGUE/EPOCH`, with the run's number before it from the second on."""
        return f"{self.model_key}/{self.dialogue}/{self.epoch}"

    @property
    def model_key(self) -> str:
        """Names the model among those of all runs."""
        return model_key(self.run, self.model)

    @property
    def link(self) -> str:
        """The fragment of an address that opens the session."""
        return f"s={quote(self.key, safe='/:')}"

    @property
    def title(self) -> str:
        """Model and dialogue, for a line of text."""
        epoch = f", epoch {self.epoch}" if self.epoch > 1 else ""
        return f"{one_line(self.model)}, dialogue {self.dialogue}{epoch}"

    @property
    def about(self) -> Markup:
        """A summary on one line."""
        counts = f"{self.ending}, {plural(self.turns, 'turn')}, {self.failed_turns} failed"
        return Markup(f' <span class="sum">{counts}</span> <span class="strip" aria-hidden="true">{self._strip}</span>')

    @property
    def _strip(self) -> str:
        pieces = []
        for outcome, same in groupby(self.outcomes):
            look, sign, _ = OUTCOMES[_MEANING[outcome]]
            pieces.append(f'<span class="{look}">{sign * len(list(same))}</span>')
        return "".join(pieces)


def model_key(run: int, model: str) -> str:
    """A model's name in links and filters, with its run's number (from 1) before it from the second run on."""
    name = one_line(model)
    return name if not run else f"{run + 1}:{name}"


def faults_of(run: Run) -> dict[tuple[str, int], tuple[FaultRow, ...]]:
    """The faults per model and dialogue."""
    by_session: defaultdict[tuple[str, int], list[FaultRow]] = defaultdict(list)
    for model, dialogue, turn, kind, message in run.faults():
        by_session[model, dialogue].append((turn, kind, message))
    return {key: tuple(faults) for key, faults in by_session.items()}


def exhibits_of(records: Sequence[TurnRecord], scenario: Scenario) -> tuple[Exhibit, ...]:
    """What the scenario shows above the transcript of a session."""
    with blaming(scenario):
        return tuple(scenario.presentation.exhibits([record.prompt for record in records]))


def session_head(
    number: int,
    run: int,
    session: Session,
    records: Sequence[TurnRecord],
    faults: tuple[FaultRow, ...] = (),
    *,
    cap: int,
) -> SessionHead:
    """Summarise a session of a run with that cap; only the turns of the model under test count."""
    records = [record for record in records if record.prompt.seat == "target"]
    failed = [{v.group for v in record.verdicts if v.satisfied is False} for record in records]
    outcomes = "".join(
        "0" if not r.judged.judged else "-" if bad else "+" for r, bad in zip(records, failed, strict=True)
    )
    return SessionHead(
        number,
        run,
        session.model,
        session.dialogue,
        session.epoch,
        session.patience,
        ending_words(session, cap) or ("running" if records else "not started"),
        session.reason,
        len(records),
        outcomes.count("-"),
        outcomes,
        tuple(sorted(set().union(*failed))) if failed else (),
        faults,
    )


def turn_views(
    session: Session, records: Iterable[TurnRecord], reader: PromptReader, unlike: Mapping[int, Unlike] | None = None
) -> list[TurnView]:
    """The turns with the patience that was left after each.

    Args:
        session: Theirs.
        records: The turns.
        reader: Of the run.
        unlike: By the number of a turn, what differs from the answer beside it.
    """
    left = session.patience
    views = []
    for record in records:
        if record.prompt.seat == "target":
            left = step(left, session.patience, record.judged.judged)
        views.append(turn_view(record, reader, left, (unlike or {}).get(record.turn, _ALIKE)))
    return views
