"""Judge a reply: rules check nearly all items; a panel decides whether a sentence supports, and a summary is true."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from evolif.judging import Criterion, Judgement, JudgeRecord, Panel, load_rubric, verdict_of
from evolif.judging.rubric import Rubric, scale_of
from evolif.scenarios.broadcast.checklist import Item, needs_judge
from evolif.scenarios.broadcast.replies import answer_of
from evolif.scenarios.broadcast.scores import checklist_score
from evolif.scenarios.broadcast.scoring import score_reply
from evolif.scenarios.broadcast.tags import body_of, cut_blocks
from evolif.scenarios.broadcast.verdicts import (
    gate_verdict,
    group_of,
    is_gate,
    item_verdict,
    precision_verdict,
    undecided,
)
from evolif.text import Reading, read_apart
from evolif.types import CREDIT, Score, Verdict
from evolif.util.resources import data_path, load_data

_KINDS = ("support", "summary")
"""Kinds of items that a panel decides on."""


@lru_cache(maxsize=1)
def broadcast_rubric() -> Rubric:
    """What a panel is told, with a version of its own."""
    data = _data()
    wording = load_rubric().wording.model_copy(update={"system": data["system"]})
    whole = json.dumps([wording.model_dump(), data], sort_keys=True, ensure_ascii=True)
    scales = {}
    for kind in _KINDS:
        scale = scale_of({name: data[kind][name] for name in ("question", "scale")})
        scales[group_of({"kind": kind, "part": "true"})] = {"": scale}
    return Rubric(wording, scales, load_rubric().general, hashlib.sha256(whole.encode()).hexdigest()[:8])


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = load_data(data_path("seeds", "prompts", "broadcast.yaml"))
    return data


def turn_criteria(turn: Mapping[str, Any]) -> dict[int, Criterion]:
    """What a panel decides on in a reply, by the positions of the verdicts; empty for most turns.

    Args:
        turn: With its checklist, and with `briefing`, the facts of the match, where it asks for a summary.
    """
    return {
        place: _criterion(item, turn)
        for place, item in enumerate(turn["checklist"] if turn["judged"] else ())
        if needs_judge(item)
    }


def _criterion(item: Item, turn: Mapping[str, Any]) -> Criterion:
    slots = {"team": item.get("team", ""), "facts": turn.get("briefing", "")}
    asked: str = _data()[item["kind"]]["description"]
    told = {name: text for name, text in slots.items() if f"{{{name}}}" in asked}
    for name, text in told.items():
        asked = asked.replace(f"{{{name}}}", text)
    return Criterion(group_of(item), told, asked.strip(), broadcast_rubric())


def judged_text(item: Item, reply: str) -> str:
    """The part of a reply that a panel is shown: the sentence, or the summary; empty if there is none.

    Args:
        item: One that needs a judge.
        reply: As received.
    """
    if item["kind"] == "support":
        return body_of(reply)
    return "\n".join(part.strip() for part in cut_blocks(reply, "Summary")[1])


async def judge_reply(
    turn: Mapping[str, Any], reply: str, panel: Panel | None, stored: Judgement | None = None
) -> Judgement:
    """A verdict for each item and each gate of a turn, and the turn's score; nothing for a turn that is not judged.

    Args:
        turn: As a dialogue has it.
        reply: As received; hostile input.
        panel: Decides on what rules cannot check; without one those items have no verdict, and do not count.
        stored: An earlier judgement on the same reply; what rules found is kept.

    Raises:
        JudgeError: a judge could not be called.
    """
    if not turn["judged"]:
        return Judgement(())
    criteria = turn_criteria(turn)
    if stored is None:
        verdicts, score = await read_apart(reply, lambda: _by_rules(turn, reply))
        if not criteria:
            return Judgement(tuple(verdicts), scores=(Score(CREDIT, score),))
    elif not criteria:
        return Judgement(stored.verdicts, scores=stored.scores)
    else:
        verdicts = list(stored.verdicts)
    records: list[JudgeRecord] = []
    seen = answer_of(turn, reply)
    for place, criterion in criteria.items():
        item = turn["checklist"][place]
        if panel is None:
            verdicts[place] = undecided(item, turn["names"])
            continue
        record = await panel.assess(criterion, Reading(judged_text(item, seen), None))
        records.append(record)
        # The criterion holds all facts of the match: too many to repeat them beside every reply.
        found = verdict_of(record, criterion)
        verdicts[place] = Verdict(found.group, found.satisfied, undecided(item, turn["names"]).expected, found.found)
    return Judgement(tuple(verdicts), records=tuple(records), scores=(credit(turn["checklist"], verdicts),))


def _by_rules(turn: Mapping[str, Any], reply: str) -> tuple[list[Verdict], float]:
    """The verdicts of rules, with one that is not reached for each item that needs a judge; and the score by rules."""
    result = score_reply(turn, reply)
    checked = iter(result["items"])
    names = turn["names"]
    items = (
        undecided(item, names) if needs_judge(item) else item_verdict(item, next(checked), names)
        for item in turn["checklist"]
    )
    gates = (gate_verdict(gate, gate in result["gates"]) for gate in turn["gates"])
    false = [] if result["false"] is None else [precision_verdict(result["false"])]
    return [*items, *gates, *false], result["score"]


def rule_verdicts(turn: Mapping[str, Any], reply: str) -> tuple[Verdict, ...]:
    """The verdicts of rules on a reply, without those that need a judge.

    Args:
        turn: As a dialogue has it.
        reply: As received.
    """
    return tuple(verdict for verdict in _by_rules(turn, reply)[0] if verdict.satisfied is not None)


def credit(checklist: Sequence[Item], verdicts: Sequence[Verdict]) -> Score:
    """The score of a turn: 0 after a gate, else the weight of what holds among what was judged.

    Args:
        checklist: Of the turn.
        verdicts: One for each item, then one for each gate.
    """
    judged = [place for place in range(len(checklist)) if verdicts[place].satisfied is not None]
    total = math.fsum(checklist[place]["weight"] for place in judged)
    if not total:
        return Score(CREDIT, None)
    weights: dict[Hashable, float] = {place: checklist[place]["weight"] / total for place in judged}
    gates = [place for place, verdict in enumerate(verdicts) if is_gate(verdict)]
    failed = [place for place in gates if not verdicts[place].satisfied]
    met = [place for place in judged if verdicts[place].satisfied]
    return Score(CREDIT, checklist_score(weights, met, gates, failed))
