"""What figures are broken down by: the ready-made keys of a turn, and of each of its constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from evolif._errors import UsageError
from evolif.domain import Constraint, JudgedTurn, TurnFacts

Key: TypeAlias = str | int
TurnKey: TypeAlias = Callable[[JudgedTurn, TurnFacts | None], Key | None]
"""A key of one's own: out of a turn and what is known of it (None where the run knows nothing); None leaves it out."""

UNKNOWN = "unknown"
"""The key of turns of which the run does not know what is asked for: made before it was kept, or foreign."""

BREAKDOWNS: tuple[str, ...] = (
    "group",
    "mode",
    "depth",
    "load",
    "move",
    "operation",
    "synthesizer",
    "register",
    "turn",
    "formality",
)
"""The ready-made keys. `group` and `mode` are of constraints, the others of turns."""

_OF_THE_TURN: Mapping[str, Callable[[JudgedTurn], Key]] = {
    "depth": lambda turn: turn.depth,
    "load": lambda turn: len(turn.verdicts),
    "move": lambda turn: turn.move,
    "turn": lambda turn: turn.turn,
}
_OF_THE_FACTS: Mapping[str, Callable[[TurnFacts], str]] = {
    "operation": lambda facts: facts.operation,
    "synthesizer": lambda facts: facts.source,
    "register": lambda facts: facts.register,
}


def mode_of(constraint: Constraint) -> str:
    """Which mode of its group a constraint has, as the group itself tells its phrases apart.

    For example `letter` for `start_with`, `json_keys` for `format`, `words.less_than` for `length`, `happy` for
    `emotion`, `numbered` for `bullets`. A group with one mode has `all`, `count` or `none`. `unknown` where the group
    is not installed here or its parameters are of another form.
    """
    return modes_of((constraint,))[0]


def modes_of(constraints: Iterable[Constraint]) -> list[str]:
    """The mode of each, as `mode_of`."""
    from evolif.constraints import get_group  # not light

    modes = []
    for constraint in constraints:
        try:
            modes.append(get_group(constraint.group).key(constraint.params))
        except (UsageError, KeyError, TypeError):
            modes.append(UNKNOWN)
    return modes


def turn_key(by: str, formality: Callable[[str], str] | None) -> TurnKey:
    """The ready-made key of that name, of turns.

    Raises:
        UsageError: no such key, or `formality` without something that tells it.
    """
    if by in _OF_THE_TURN:
        of_turn = _OF_THE_TURN[by]
        return lambda turn, facts: of_turn(turn)
    of_facts = facts_key(by, formality)
    return lambda turn, facts: UNKNOWN if facts is None else of_facts(facts)


def facts_key(by: str, formality: Callable[[str], str] | None) -> Callable[[TurnFacts], str]:
    """The ready-made key of that name, out of facts alone.

    Raises:
        UsageError: as `turn_key`.
    """
    if by == "formality":
        if formality is None:
            raise UsageError("a breakdown by formality needs a function that tells a formal query from an informal one")
        return _each_once(formality)
    if by not in _OF_THE_FACTS:
        raise UsageError(f"there is no breakdown by “{by}”; there are {', '.join(BREAKDOWNS)}")
    of_facts = _OF_THE_FACTS[by]
    return lambda facts: of_facts(facts) or UNKNOWN


def index_facts(facts: Iterable[TurnFacts]) -> dict[tuple[int, int], TurnFacts]:
    """(dialogue, turn) to what is known of it."""
    return {(fact.dialogue, fact.turn): fact for fact in facts}


def _each_once(formality: Callable[[str], str]) -> Callable[[TurnFacts], str]:
    told: dict[str, str] = {}

    def key(facts: TurnFacts) -> str:
        if facts.query not in told:
            told[facts.query] = formality(facts.query) or UNKNOWN
        return told[facts.query]

    return key
