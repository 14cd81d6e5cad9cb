"""What an instruction requires of a text: its constraints as numbers, keywords and edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evolif.scenarios.instructions.constraints import Active, edge_keywords, lower_limit, upper_limit
from evolif.scenarios.instructions.constraints.base import existence_counts, least_count
from evolif.scenarios.instructions.turns import Params
from evolif.text import find_all, fold

_Kind = Literal["impossible", "awkward", "cramped"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no witness was built.

    `impossible`: no text satisfies the constraints; `awkward`: only an unnatural text does; `cramped`: the builder
    found no room.
    """

    kind: _Kind
    code: str
    groups: tuple[str, ...]


class RefusedError(Exception):
    """Carries a refusal out of the builder's stages."""

    def __init__(self, code: str, *groups: str, kind: _Kind = "cramped") -> None:
        super().__init__(code)
        self.refusal = Refusal(kind, code, groups)


@dataclass(slots=True)
class Requirements:
    """The rule-checked part of an instruction; fields with defaults are for constraints that are not in the paper."""

    fmt: str | None
    items: int
    unit: str
    low: int
    high: int | None
    """Limits on the count of `unit`, which is empty without a length constraint."""
    case: Params | None
    include: str
    exclude: str
    start: Params | None
    end: Params | None
    placements: list[str]
    """Keywords to place inside sentences: the required occurrences, without those at the edges."""
    numbered: bool = False
    """The list is ordered."""
    keys: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    language: str = ""
    every: str = ""
    """The keyword that every paragraph holds."""
    position: int = 0
    placed: str = ""
    """The keyword at `position`, counted in words."""
    acrostic: str = ""
    longest: int = 0
    """The limit on the words of a sentence; 0 without a limit."""
    distinct: bool = False
    """All sentences begin with different words."""
    questions: int = 0
    headings: int = 0
    bold: int | None = None

    def least_sentences(self, paragraphs: int, *, tight: bool) -> int:
        """The fewest sentences of a text with that many paragraphs beside the list; `tight` ignores readability."""
        placements = len(self.placements)
        least = [self.questions + 1 if self.questions else 0, 3 if self.distinct else 0, len(self.keys)]
        if self.every or self.acrostic:
            least.append(paragraphs + self.items)
        if self.bold:
            least.append(self.bold if tight else -(-self.bold // 2))
        if self.longest:
            least.append(2 + (-(-placements // 2) if tight else placements))
        if self.language:
            # Keywords are English and must not outweigh the foreign words.
            least.append(max(4 if tight else 8, placements))
        if self.placed:
            least.append(2)  # the sentence with the keyword cannot grow later
        return max(least)


def read_requirements(active: Active) -> Requirements:
    """Read the requirements from the active constraints.

    Raises:
        RefusedError: the required keywords contain each other more often than their counts allow.
    """
    length = active.get("length")
    unit = length["unit"] if length else ""
    output, punctuation = active.get("format", {}), active.get("punctuation", {})
    placement, sentences = active.get("placement", {}), active.get("sentences", {})
    mark, place = punctuation.get("mark", ""), placement.get("mode")
    return Requirements(
        fmt=output.get("mode"),
        items=least_count(active["bullets"], some=2) if "bullets" in active else 0,
        unit=unit,
        low=lower_limit(length, unit),
        high=upper_limit(length, unit),
        case=active.get("case"),
        include=mark if punctuation.get("mode") == "include" else "",
        exclude=mark if punctuation.get("mode") == "exclude" else "",
        start=active.get("start_with"),
        end=active.get("end_with"),
        placements=_placements(active) if "existence" in active else [],
        numbered=active.get("bullets", {}).get("kind") == "numbered",
        keys=tuple(output.get("keys", ())),
        columns=tuple(output.get("columns", ())),
        language=active.get("language", {}).get("code", ""),
        every=placement["value"] if place == "every_paragraph" else "",
        position=placement["position"] if place == "nth_word" else 0,
        placed=placement["value"] if place == "nth_word" else "",
        acrostic=placement["word"].lower() if place == "acrostic" else "",
        longest=sentences["count"] if sentences.get("mode") == "max_words" else 0,
        distinct=sentences.get("mode") == "distinct_starts",
        questions=sentences["count"] if sentences.get("mode") == "questions" else 0,
        headings=least_count(active["headings"]) if "headings" in active else 0,
        bold=least_count(active["emphasis"]) if "emphasis" in active else None,
    )


def _placements(active: Active) -> list[str]:
    """The keywords to place: the edges and longer keywords already contain some of the occurrences."""
    missing = existence_counts(active["existence"])
    for edge in edge_keywords(active).values():
        _subtract(missing, edge, 1)
    placed: list[tuple[str, int]] = []
    for word in sorted(missing, key=lambda w: (-len(w), w)):
        count = missing.pop(word)
        if count < 0:
            raise RefusedError("keyword-too-often", "existence", "start_with", "end_with", kind="awkward")
        _subtract(missing, word, count)
        placed.append((word, count))
    # Round robin, so that one sentence does not hold the same keyword several times.
    most = max((count for _, count in placed), default=0)
    return [word for turn in range(most) for word, count in placed if turn < count]


def _subtract(counts: dict[str, int], holder: str, times: int) -> None:
    """Subtract the occurrences inside `holder`, which itself occurs that many times."""
    folded = fold(holder)
    for word in counts if times else ():
        counts[word] -= times * len(find_all(folded, fold(word)))
