"""The simulated players of games, by name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from evolif.errors import UsageError
from evolif.scenarios.games.player_view import Rule, View

_RULES: Final[Mapping[str, Mapping[str, str]]] = {
    "scripted": {
        "chess": "evolif.scenarios.games.chess_players:scripted",
        "names": "evolif.scenarios.games.names_players:scripted",
        "scenes": "evolif.scenarios.games.matching_players:scripted",
        "shapes": "evolif.scenarios.games.matching_players:scripted",
        "questions": "evolif.scenarios.games.question_players:scripted",
    },
    "guess-and-check": {"names": "evolif.scenarios.games.names_players:guess_and_check"},
    "floor": {
        "chess": "evolif.scenarios.games.chess_players:floor",
        "names": "evolif.scenarios.games.names_players:floor",
        "scenes": "evolif.scenarios.games.matching_players:floor",
        "shapes": "evolif.scenarios.games.matching_players:floor",
        "questions": "evolif.scenarios.games.question_players:floor",
    },
}
"""Name, then game, to where the rule is; imported when a dialogue needs it."""


NAMES: Final = ("perfect", *_RULES)
"""Simulated players; `perfect` knows the key, and its rule is the scenario's."""


def player_of(name: str) -> Rule | None:
    """A simulated player; None if there is none of that name.

    Its rule raises a UsageError in a game that it does not know.
    """
    rules = _RULES.get(name)
    if rules is None:
        return None

    def speak(view: View) -> str:
        place = rules.get(view.game)
        if place is None:
            raise UsageError(f"sim/{name} does not play {view.game}; it plays {', '.join(rules) or 'nothing'}")
        module, _, function = place.partition(":")
        rule: Rule = getattr(import_module(module), function)
        return rule(view)

    return speak
