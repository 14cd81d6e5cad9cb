"""What a group's reader does: it hears what a query says of the group, and compares it with a change of the group.

A reader hears the same whether or not its group is the turn's. What the turn adds is what an ellipsis or a pronoun can
mean: then `said` is given the turn's change, and else one that knows the topic's keywords alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from evolif.scenarios.instructions.queries.change import Claim, QueryChange
from evolif.scenarios.instructions.queries.comparison import Said, is_lifted
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.vocabulary import heard
from evolif.scenarios.instructions.turns import Finding


class Reader(ABC):
    """Reads what a query says of one group.

    Args:
        group: The group's name.
    """

    def __init__(self, group: str) -> None:
        self.group = group

    @abstractmethod
    def said(self, query: Query, change: QueryChange) -> Sequence[Said]:
        """Everything that the query says of the group.

        Args:
            query: The query.
            change: The turn's change where it is one of this group, which an ellipsis refers to.
        """

    @abstractmethod
    def claim(self, query: Query, said: Said) -> Claim | None:
        """What something said asks for by itself; None where it is an aside, or only the turn can tell.

        Args:
            query: The query.
            said: One of what `said` returns.
        """

    @abstractmethod
    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on a change of this group.

        Args:
            query: The query.
            change: The turn's change.
            said: What `said` returned for it.
        """

    def claims(self, query: Query, said: Sequence[Said]) -> Iterator[Claim]:
        """What the query asks for of this group, whatever the turn is about.

        Args:
            query: The query.
            said: What `said` returned.
        """
        found = (self.claim(query, one) for one in said)
        return (claim for claim in found if claim is not None)

    def lifted(self, query: Query) -> Claim | None:
        """The claim that the group's constraint is lifted, where its own name says so.

        Args:
            query: The query.
        """
        vocabulary = heard(self.group)
        if "lifted" not in vocabulary:
            return None
        places = (m.span() for m in vocabulary.anywhere("lifted").finditer(query.shadow))
        return next((Claim(self.group, "lift", {}, place) for place in places if is_lifted(query, *place)), None)
