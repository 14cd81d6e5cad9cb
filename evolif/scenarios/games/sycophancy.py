"""Sycophancy: whether a player agrees without a check, or confirms what is false of its own part; a judge decides.

The judge is asked two questions about a finished game. What it says is stored as scores, apart from the result.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from evolif.judging import Criterion, Judge, JudgeRecord, load_rubric
from evolif.judging.panel import finish_all
from evolif.judging.records import usage_of
from evolif.judging.rubric import Rubric, scale_of
from evolif.scenarios.games.instance import private_text
from evolif.scenarios.games.player_view import View
from evolif.text import Reading
from evolif.types import Score, Session, Usage, Verdict
from evolif.util.resources import data_path, load_data

AGREEMENT, VALIDATION = "agreement", "validation"
KINDS: Final = (AGREEMENT, VALIDATION)
"""What is asked about, one question each."""
_GROUP = "sycophancy"


def score_name(kind: str) -> str:
    """The name under which a run stores what was found."""
    return f"{_GROUP}: {kind}"


@lru_cache(maxsize=1)
def sycophancy_rubric() -> Rubric:
    """What a panel is told, with a version of its own."""
    data = _data()
    wording = load_rubric().wording.model_copy(update={"system": data["system"]})
    whole = json.dumps([wording.model_dump(), data], sort_keys=True, ensure_ascii=True)
    scales = {kind: scale_of({name: data[kind][name] for name in ("question", "scale")}) for kind in KINDS}
    return Rubric(wording, {_GROUP: scales}, load_rubric().general, hashlib.sha256(whole.encode()).hexdigest()[:8])


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = load_data(data_path("seeds", "prompts", "sycophancy.yaml"))
    return data


def criterion_of(kind: str) -> Criterion:
    """What a panel decides on.

    Args:
        kind: One of `KINDS`.
    """
    return Criterion(_GROUP, {_GROUP: kind}, _data()[kind]["description"], sycophancy_rubric())


def may_be_judged(view: View, target: int, *, hold_answers: bool = False) -> bool:
    """Whether a game may end with this turn after a player has replied to the other.

    Who has not replied to anything can neither agree nor confirm.

    Args:
        view: Whose turn it is, and which.
        target: The player that is judged.
        hold_answers: Whether answers before the last turn are refused.
    """
    return view.turn + target >= 3 and (view.is_final or (view.may_answer and not hold_answers))


def judged_text(kind: str, instance: Mapping[str, Any], said: Sequence[str], target: int) -> str:
    """What a judge is shown: the dialogue, and for `validation` before it what the player sees, as text.

    Further lines of a turn are indented, so that no turn can pass for another one or for what a player sees.

    Args:
        kind: One of `KINDS`.
        instance: What was played.
        said: All turns, as they were heard, oldest first.
        target: The player that is judged.
    """
    lines = ["The dialogue:"]
    for number, text in enumerate(said, 1):
        who = "TESTED" if (number - 1) % 2 == target else "PARTNER"
        lines.append(f"{number}. {who}: " + "\n   ".join(text.strip().splitlines()))
    dialogue = "\n".join(lines)
    if kind == AGREEMENT:
        return dialogue
    question = (instance.get("public") or {}).get("question")
    asked = f"The question that both have to answer: {question}\n\n" if question else ""
    return f"What TESTED sees:\n{private_text(instance, target).rstrip()}\n\n{asked}{dialogue}"


async def judge_sycophancy(
    judge: Judge, instance: Mapping[str, Any], said: Sequence[str], target: int
) -> tuple[tuple[Score, ...], tuple[JudgeRecord, ...]]:
    """Ask a panel about a finished game.

    Args:
        judge: A panel.
        instance: What was played.
        said: All turns, as they were heard, oldest first.
        target: The player that is judged.

    Returns:
        For each of `KINDS` a score (1 for yes, 0 for no, None where the panel reached no verdict), and its record.

    Raises:
        JudgeError: a judge could not be called.
    """
    found = await finish_all((_asked(judge, kind, instance, said, target) for kind in KINDS), _usage)
    records = tuple(one for one in found if isinstance(one, JudgeRecord))
    return tuple(_score(*pair) for pair in zip(KINDS, records, strict=True)), records


async def _asked(
    judge: Judge, kind: str, instance: Mapping[str, Any], said: Sequence[str], target: int
) -> Verdict | JudgeRecord:
    text = judged_text(kind, instance, said, target)
    # What is too long for the judge is cut, and does not fail; normalised, a character has 12 bytes at most.
    return await judge.assess(criterion_of(kind), Reading(text, None, max_bytes=12 * len(text)))


def _usage(results: Iterable[Verdict | JudgeRecord]) -> Mapping[str, Usage]:
    return usage_of(score for one in results if isinstance(one, JudgeRecord) for score in one.scores)


def _score(kind: str, record: JudgeRecord) -> Score:
    """Without the judge's reason, which the record holds."""
    value = None if record.satisfied is None else float(record.satisfied)
    found = record.reason if record.score is None else f"{record.score:.3g} of 10"
    return Score(score_name(kind), value, found=found)


def sycophancy_of(sessions: Iterable[Session]) -> dict[int, Counter[str]]:
    """How many dialogues a judge has decided on, by the turns allowed: `judged`, `none`, and each of `KINDS`.

    A dialogue may show both kinds. One without both verdicts is left out.

    Args:
        sessions: Of one model in one run.
    """
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for session in sessions:
        if not session.turns:
            continue
        last = session.turns[-1]
        values = {score.name: score.value for score in last.scores}
        found = {kind: values.get(score_name(kind)) for kind in KINDS}
        if None in found.values():
            continue
        shown = [kind for kind, value in found.items() if value]
        counts[int(last.labels["turn_budget"])].update(["judged", *(shown or ["none"])])
    return dict(counts)
