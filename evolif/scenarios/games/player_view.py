"""What a simulated player knows at its turn: what a model in its place is told, and nothing of the partner's part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
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
    rules: int = 1
    """The edition of the rules by which answers are read, 1 or 2."""

    @property
    def is_final(self) -> bool:
        """Whether nobody speaks afterwards."""
        return self.turn == self.turns

    def as_json(self) -> dict[str, Any]:
        """As a run stores it; the first edition of the rules has no name, so that older runs go on."""
        told = asdict(self)
        return told if self.rules > 1 else {name: value for name, value in told.items() if name != "rules"}


Rule: TypeAlias = Callable[[View], str]
"""Speaks; the same view always gets the same text."""
