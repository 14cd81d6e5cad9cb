"""Runs with feedback written down by hand: payloads as a person who reacts makes them, every verdict chosen.

A turn is one character per constraint, `1` satisfied, `0` failed, `?` not judged. `r` before it makes it a repair of
the turn before; `<0` after it says that the query begins with a remark on the first constraint, `<t` with thanks, `<u`
with a remark on an answer that nobody can read. `finished:01 r11<0 11 10 11<1` has one repair, which mends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from evolif.judging import Judgement
from evolif.runner import RunSettings, RunStore, SessionKey
from evolif.runner.records import AnsweredTurn, EndEntry, TurnEntry
from evolif.scenarios.instructions.reactions import with_reaction
from evolif.scenarios.instructions.turns import Constraint
from evolif.text import READING_RULES_VERSION
from evolif.types import Message, Prompt, Verdict

CONSTRAINTS = (
    Constraint("bullets", {"count": 5}),
    Constraint("case", {"mode": "all_lower"}),
    Constraint("emotion", {"emotion": "happy"}),
)
CHANGED = (Constraint("bullets", {"count": 7}), *CONSTRAINTS[1:])
"""In force from the turn on that `+` begins."""
REMARKS = {"t": ("thanks", "thanks, that's it."), "u": ("unreadable", "it stopped in the middle.")}
MISSED = "that was <b>7</b> bullets & I said 5."
_TURN = re.compile(r"(\+?)(r?)([01?]+)(?:<(\w))?")
_OUTCOMES = {"1": True, "0": False, "?": None}

Sessions = Mapping[str, Mapping[int, str]]
"""Model to dialogue to session."""


def reacting_run(path: Path, sessions: Sessions, feedback: str = "repair", **settings: Any) -> Path:
    """A run of these sessions; with the feedback `none`, the prompts of repairs are turns like any other."""
    dialogues = tuple(sorted({dialogue for own in sessions.values() for dialogue in own}))
    told = {
        "benchmark": "0123456789abcdef",
        "profile": "everyday",
        "models": tuple(sessions),
        "patience": 3,
        "max_turns": 10,
        "dialogues": dialogues,
        "reading_rules": READING_RULES_VERSION,
        "feedback": feedback,
        **settings,
    }
    with closing(RunStore.create(path, RunSettings(**told))) as store:
        store.enrol(SessionKey(model, dialogue, 1) for model, own in sessions.items() for dialogue in own)
        for model, own in sessions.items():
            for dialogue, session in own.items():
                ending, _, turns = session.partition(":")
                number = store.state(SessionKey(model, dialogue, 1)).id
                store.write([*_entries(number, dialogue, turns, feedback), EndEntry(number, ending or None)])
    return path


def _entries(session: int, dialogue: int, turns: str, feedback: str) -> Iterator[TurnEntry]:
    script = repair = 0
    constraints = CONSTRAINTS
    for number, text in enumerate(turns.split(), start=1):
        found = _TURN.fullmatch(text)
        assert found is not None, text
        changed, repairs, outcomes, remark = found.groups()
        constraints = CHANGED if changed else constraints
        script, repair = (script, repair + 1) if repairs else (script + 1, 0)
        own = constraints[: len(outcomes)]
        prompt = prompt_of(dialogue, number, own, script, repair, remark)
        if feedback == "none":
            prompt = Prompt(
                dialogue, number, (Message("user", "more"),), payload={"constraints": prompt.payload["constraints"],
                "witness": None}, labels={**prompt.labels, "operation": "add"}, digest=f"{dialogue}-{number}",
            )  # fmt: skip
        verdicts = tuple(
            Verdict(c.group, _OUTCOMES[one], f"{c.group} wanted", f"{c.group} found")
            for c, one in zip(own, outcomes, strict=True)
        )
        judgement = with_reaction(Judgement(verdicts), prompt, own)
        yield TurnEntry(session, prompt, AnsweredTurn("- one\n- two"), judgement)


def prompt_of(
    dialogue: int,
    number: int,
    constraints: tuple[Constraint, ...],
    script: int = 1,
    repair: int = 0,
    remark: str | None = None,
) -> Prompt:
    """A prompt with the payload of one who reacts; `remark` as in a turn of a session."""
    told: dict[str, Any] | None = None
    if remark is not None and remark in REMARKS:
        kind, text = REMARKS[remark]
        told = {"kind": kind, "text": text, "group": "", "value": {}}
    elif remark is not None:
        missed = CONSTRAINTS[int(remark)]
        told = {"kind": "missed", "text": MISSED, "group": missed.group, "value": dict(missed.params)}
    said = "" if told is None else told["text"]
    asked = f"now for query {script} of dialogue {dialogue}"
    return Prompt(
        dialogue,
        number,
        (Message("user", said if repair else f"{said} {asked}".strip()),),
        payload={
            "constraints": [{"group": c.group, "params": dict(c.params)} for c in constraints],
            "witness": None,
            "feedback": {"script": script, "repair": repair, "remark": told},
        },
        labels={
            "topic": f"t{dialogue}",
            "move": "new" if number == 1 else "continue",
            "depth": script,
            "operation": "repair" if repair else "add",
            "source": "template",
            "register": "casual",
            "remark": "none" if told is None else told["kind"],
        },
        fixed=False,
        digest=f"{dialogue}-{number}-{script}-{repair}-{remark}-{len(constraints)}-{constraints[:1]}",
    )
