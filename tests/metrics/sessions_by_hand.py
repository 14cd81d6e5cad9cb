"""Sessions and prompts written by hand: "1 0? 10" is three turns, each a verdict per constraint (? not judged)."""

from evolif.types import JudgedTurn, Message, Prompt, Session, Verdict

GROUPS = ("length", "bullets", "case", "forbidden")
PARAMS = {
    "length": {"unit": "words", "relation": "less_than", "count": 90},
    "bullets": {"count": 2},
    "case": {"mode": "all_lower"},
    "forbidden": {"keywords": ["harbour"]},
    "emotion": {"emotion": "happy"},
}
OUTCOMES = {"1": True, "0": False, "?": None}


def judged_turn(number, verdicts, *, groups=GROUPS, depth=1, move="continue"):
    given = (Verdict(group, OUTCOMES[v], "", "") for group, v in zip(groups, verdicts, strict=False))
    return JudgedTurn(number, tuple(given), {"depth": depth, "move": move})


def play(dialogue, turns, ending="finished", *, patience=3, epoch=0, model="sim/steady", groups=GROUPS):
    told = tuple(judged_turn(n, verdicts, groups=groups) for n, verdicts in enumerate(turns.split(), start=1))
    return Session(model, dialogue, epoch, patience, ending, turns=told)


def prompt(dialogue, turn, *groups, query=None, witness=None, **labels):
    payload = {"constraints": [{"group": group, "params": PARAMS[group]} for group in groups], "witness": witness}
    messages = (Message("user", query or f"query {dialogue}.{turn}"),)
    return Prompt(
        dialogue, turn, messages, payload=payload, labels={"move": "continue", "depth": 1, "topic": "t", **labels}
    )


def lasting(dialogue, length, *, over=True, **given):
    """A session of so many judged turns, its patience of 3 exhausted at the last of them, or censored there."""
    return play(dialogue, "1 " * (length - 3 * over) + "0 0 0" * over, "finished" if over else "censored", **given)
