"""What became of a run where its figures cannot say so: nobody was judged, or a model of its own was of no use."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evolif.runner import Run
from evolif.text import plain, plural
from evolif.types import Session

_FALLBACKS = 0.1
"""Share of a strategy's turns that may go on without its model before a report tells it."""
_REASONS = 3
"""Maximum number of reasons named for one model."""

_HOW: Mapping[tuple[str | None, str], str] = {
    ("withheld", "content filter"): "withheld by the provider's content filter",
    ("censored", "context"): "ended by a conversation that no longer fits the context",
}
"""How a session ends that the provider refuses to continue; ending and cause to words."""


@dataclass(frozen=True, slots=True)
class _Refused:
    """A model all of whose sessions were refused.

    Attributes:
        model: Its name.
        how: How many of its sessions ended how.
        judged: Turns of it that were judged.
    """

    model: str
    how: Mapping[str, int]
    judged: int


def outcome_lines(run: Run) -> Iterator[str]:
    """What a reader must know before any figure, one sentence each; nothing as a rule."""
    yield from refusal_lines(run)
    yield from _fallback_lines(run)
    yield from _mute_judges(run)


def refusal_lines(run: Run) -> Iterator[str]:
    """Per model all of whose sessions were withheld or overflowed: how many, why, and whether anything was judged."""
    refused = _refused(run)
    if not refused:
        return
    reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for model, _, _, kind, message in run.faults():
        if kind in {cause for _, cause in _HOW}:
            reasons[model][message] += 1
    for one in refused:
        ended = " and ".join(f"{plural(number, 'session')} {_were(number)} {how}" for how, number in one.how.items())
        what = f"Only {plural(one.judged, 'turn was', 'turns were')} judged" if one.judged else "No answer was judged"
        told = [plain(message).rstrip(".") for message, _ in reasons[one.model].most_common(_REASONS)]
        why = f" ({'; '.join(told)})" if told else ""
        yield f"{what} of {plain(one.model)}: all of its sessions were refused; {ended}{why}."


_STOPPED: Mapping[str, str] = {
    "context": "stopped: the context was full",
    "budget": "stopped by the budget",
    "stop rule": "stopped by the stop rule",
    "benchmark": "still going at the end of its dialogue",
    "answers": "still going at its last answer",
}
"""Cause to how a session ended that had patience left."""


def ending_words(session: Session, cap: int) -> str:
    """How a session ended, in the reader's words; empty if it has not.

    Args:
        session: Of any run.
        cap: Of its run, in turns.

    Example:
        “still going at the cap of 50”
    """
    if session.ending != "censored":
        return session.ending or ""
    going = f"still going at the cap of {cap}" if session.cause in ("", "cap") else "stopped"
    return _STOPPED.get(session.cause, going)


def nothing_judged(run: Run) -> bool:
    """Whether a provider refused all sessions of some model before any of its answers was judged."""
    return any(not one.judged for one in _refused(run))


def _refused(run: Run) -> list[_Refused]:
    endings: defaultdict[str, Counter[tuple[str | None, str]]] = defaultdict(Counter)
    for (model, ending, cause), number in run.store.endings().items():
        endings[model][ending, cause] += number
    found = []
    for model in run.models:
        if endings[model] and endings[model].keys() <= _HOW.keys():
            judged = sum(bool(turn.judged or turn.scores) for one in run.sessions(model) for turn in one.turns)
            found.append(_Refused(model, {_HOW[key]: number for key, number in endings[model].items()}, judged))
    return found


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _fallback_lines(run: Run) -> Iterator[str]:
    """That a context strategy went on without its own model in more than a tenth of the turns that asked it."""
    settings = run.settings
    if not settings.context_model:
        return
    for model in run.models:
        asked = without = 0
        for _, records in run.transcripts(model):
            for record in records:
                if record.built is not None and (record.built.cost.calls or record.built.cost.fallbacks):
                    asked += 1
                    without += record.built.cost.fallbacks > 0
        if without > _FALLBACKS * asked:
            none = without == asked
            yield (
                f"{plain(model)}: the context strategy {plain(settings.context)} could use no reply of its model "
                f"{plain(settings.context_model)} in {without} of {plural(asked, 'turn')} that asked it"
                f"{', that is never' if none else ''}; it went on without, so these figures do not show what it can "
                "do with a model that answers as asked."
            )


def _mute_judges(run: Run) -> Iterator[str]:
    """That a judge's model gave no score at all."""
    if run.settings.judge in ("none", "lexical"):
        return
    asked: Counter[str] = Counter()
    scored: Counter[str] = Counter()
    problems: dict[str, str] = {}
    for model in run.models:
        for _, records in run.transcripts(model):
            for score in (one for record in records for given in record.records for one in given.scores):
                asked[score.judge] += 1
                scored[score.judge] += score.score is not None
                if score.problem:
                    problems.setdefault(score.judge, score.problem)
    for judge, number in asked.items():
        if not scored[judge]:
            why = f" ({plain(problems[judge])})" if judge in problems else ""
            yield f"The judge {plain(judge)} gave no score for any of {plural(number, 'question')}{why}."
