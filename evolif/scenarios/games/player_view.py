"""What a simulated player knows at its turn: what a model in its place is told, and nothing of the partner's part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class View:
    """The place of a simulated player at one of its turns."""

    game: str
    settings: Mapping[str, Any]
    """Those of the instance."""
    player: int
    """0 begins, 1 has the last turn."""
    private: Any
    """Its own part, as in the instance."""
    public: Any
    """What both see."""
    choices: int
    """How many rows or images there are to choose from; 1 where the answer is none of them."""
    may_answer: bool
    """Whether its answer counts."""
    turn: int
    """This one, from 1."""
    turns: int
    """All that the dialogue may have."""
    tokens: int
    """The most that it may say now; what is longer is cut."""
    tokenizer: str
    """The name of what counts them."""
    said: tuple[str, ...]
    """What was said before, as it was heard, oldest first; turns take turns, and player 0 begins."""

    @property
    def is_final(self) -> bool:
        """Whether nobody speaks afterwards."""
        return self.turn == self.turns


Rule: TypeAlias = Callable[[View], str]
"""Speaks; the same view always gets the same text."""
