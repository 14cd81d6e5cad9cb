"""Sessions of broadcasts written by hand: "S1 A.5@2 M0" is three turns, each a kind, a score and a distance."""

import re

from evolif.types import CREDIT, JudgedTurn, Score, Session, Verdict

_TURN = re.compile(r"([A-Z])(-|[0-9.]+)(?:@(\d))?(?:#(\d))?$")
SUBTASKS = {
    "S": "score", "K": "fixed format", "Q": "prompted format", "A": "anchored event", "I": "interval events",
    "L": "changes of the lead", "T": "impact", "H": "impact", "M": "problem",
}  # fmt: skip


def turn(number, text, **labels):
    """A turn: its kind, its score (`-` if it is not judged), after @ its distance, after # its period."""
    kind, score, distance, period = _TURN.match(text).groups()
    own = {"kind": kind, "subtask": "" if score == "-" else SUBTASKS[kind], "period": int(period or 1), **labels}
    if distance is not None:
        own["distance"] = int(distance)
    if score == "-":
        return JudgedTurn(number, (), own)
    value = float(score)
    return JudgedTurn(number, (Verdict(kind.lower(), value == 1, "", ""),), own, (Score(CREDIT, value),))


def played(
    dialogue, turns, *, task="CR", sport="basketball", variant="", match=None, patience=None, ending="finished",
    cause="end", epoch=0, model="m",
):  # fmt: skip
    """A session of a match; turns are separated by spaces."""
    labels = {"task": task, "sport": sport, "variant": variant, "match": dialogue if match is None else match}
    own = tuple(turn(number, text, **labels) for number, text in enumerate(turns.split(), 1))
    return Session(model, dialogue, epoch, patience, ending, turns=own, cause=cause)
