"""How much each model of a table has played: dialogues, and how often each; what follows if it is not the same.

And what intervals and tests take as one of it, in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evolif.report.analysis import ModelSummary
from evolif.text import plural


@dataclass(frozen=True, slots=True)
class Extent:
    """What the figures of a model stand on.

    Attributes:
        played: Dialogue to how many of its sessions count.
    """

    played: Mapping[str, int]

    @classmethod
    def of(cls, summary: ModelSummary) -> Extent:
        """That of a model."""
        return cls(Counter(record.dialogue for record in summary.counts.records))

    @property
    def epochs(self) -> tuple[int, int]:
        """The fewest and the most sessions of a dialogue; zeros without a dialogue."""
        return min(self.played.values(), default=0), max(self.played.values(), default=0)

    def __str__(self) -> str:
        fewest, most = self.epochs
        if not most:
            return "no dialogue"
        times = _times(most) if fewest == most else f"{fewest} to {most} times"
        return f"{plural(len(self.played), 'dialogue')}, each {times}"


def extents_line(heads: Sequence[str], summaries: Iterable[ModelSummary]) -> str:
    """That the models of a table did not play the same, who played what, and what is compared; empty if they did.

    Args:
        heads: Their names in the table.
        summaries: Theirs.
    """
    extents = list(map(Extent.of, summaries))
    listed = _unlike(heads, extents)
    if not listed:
        return ""
    shared = _shared([extent for extent in extents if extent.played])
    ranks = "They have no dialogue in common, so there is no ranking"
    if shared:
        ranks = f"The ranking uses only the {plural(shared, 'dialogue')} that all of them have, with all epochs"
    covered = "Each column covers all that its model played"
    return f"{listed} {covered}. {ranks}; rank stability uses all."


def unlike_line(heads: Sequence[str], summaries: Iterable[ModelSummary]) -> str:
    """That the models did not play the same, and who played what; empty if they did."""
    return _unlike(heads, list(map(Extent.of, summaries)))


def _unlike(heads: Sequence[str], extents: Sequence[Extent]) -> str:
    if _alike(extents):
        return ""
    named: dict[str, list[str]] = {}
    for head, extent in zip(heads, extents, strict=True):
        named.setdefault(str(extent), []).append(head)
    listed = "; ".join(f"{', '.join(own)}: {extent}" for extent, own in named.items())
    return f"Not played alike: {listed}."


def pair_line(a: ModelSummary, b: ModelSummary) -> str:
    """The same of two that are compared, A and B."""
    extents = [Extent.of(a), Extent.of(b)]
    if _alike(extents):
        return ""
    shared = _shared(extents)
    compared = "nothing, since they have no dialogue in common"
    if shared:
        compared = f"only the {plural(shared, 'dialogue')} that both have, with all epochs"
    return f"Not played alike: A {extents[0]}; B {extents[1]}. Compared: {compared}."


def _alike(extents: Sequence[Extent]) -> bool:
    return all(extent.played == extents[0].played for extent in extents)


def _shared(extents: Sequence[Extent]) -> int:
    """How many dialogues all of them have."""
    return len(set.intersection(*(set(extent.played) for extent in extents)))


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def unit_words(label: str, clusters: int, dialogues: int) -> str:
    """How many there are.

    Args:
        label: Of what is taken together, such as `instance`; empty for the dialogue.
        clusters: How many.
        dialogues: How many dialogues they have.

    Example:
        >>> unit_words("instance", 24, 96)
        '24 instances (96 dialogues)'
    """
    if not label:
        return plural(dialogues, "dialogue")
    return f"{plural(clusters, label, unit_name(label))} ({plural(dialogues, 'dialogue')})"


def unit_name(label: str) -> str:
    """Several of what is taken together: instances, matches, dialogues."""
    if not label:
        return "dialogues"
    return f"{label}es" if label.endswith("ch") else f"{label}s"
