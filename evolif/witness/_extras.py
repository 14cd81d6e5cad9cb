"""What an instruction needs of a text beyond the paper's groups and modes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evolif.domain import Params


@dataclass(frozen=True, slots=True)
class Extras:
    """The needs of what only the profile `extended` draws; the defaults need nothing."""

    numbered: bool = False
    """The list is an ordered one."""
    keys: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    language: str = ""
    every: str = ""
    """A keyword for every paragraph."""
    position: int = 0
    placed: str = ""
    """The keyword at that position, counted in words."""
    acrostic: str = ""
    longest: int = 0
    """The most words of a sentence; 0 without a limit."""
    distinct: bool = False
    questions: int = 0
    headings: int = 0
    bold: int | None = None

    def sentences(self, paragraphs: int, items: int, placements: int, *, tight: bool) -> int:
        """How many sentences these needs take at least, those of a list included.

        Args:
            paragraphs: Paragraphs beside the list.
            items: Items of the list.
            placements: Keywords to place inside.
            tight: As few as possible.
        """
        least = [self.questions + 1 if self.questions else 0, 3 if self.distinct else 0, len(self.keys)]
        if self.every or self.acrostic:
            least.append(paragraphs + items)
        if self.bold:
            least.append(self.bold if tight else -(-self.bold // 2))
        if self.longest:
            least.append(2 + (-(-placements // 2) if tight else placements))
        if self.language:
            # Keywords are English: they must not prevail.
            least.append(max(4 if tight else 8, placements))
        if self.placed:
            least.append(2)  # nothing may be put before the keyword later
        return max(least)


NOTHING = Extras()


def extras_of(active: Mapping[str, Params]) -> Extras:
    """Read these needs off the active constraints."""
    fmt, placement, sentences = (active.get(group, {}) for group in ("format", "placement", "sentences"))
    mode = placement.get("mode")
    return Extras(
        numbered="kind" in active.get("bullets", {}),
        keys=tuple(fmt.get("keys", ())),
        columns=tuple(fmt.get("columns", ())),
        language=active.get("language", {}).get("code", ""),
        every=placement["value"] if mode == "every_paragraph" else "",
        position=placement["position"] if mode == "nth_word" else 0,
        placed=placement["value"] if mode == "nth_word" else "",
        acrostic=placement["word"].lower() if mode == "acrostic" else "",
        longest=sentences["count"] if sentences.get("mode") == "max_words" else 0,
        distinct=sentences.get("mode") == "distinct_starts",
        questions=sentences["count"] if sentences.get("mode") == "questions" else 0,
        headings=active.get("headings", {}).get("count", 0),
        bold=active.get("emphasis", {}).get("count"),
    )
