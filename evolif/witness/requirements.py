"""What an instruction requires of a text: its constraints as numbers, keywords and edges."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from evolif.constraints import Active, edge_keywords, lower_limit, upper_limit
from evolif.text import find_all, fold
from evolif.types import Params


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no witness was built.

    `impossible`: no text satisfies the constraints; `awkward`: only a trick does; `cramped`: the builder found no room.
    """

    kind: Literal["impossible", "awkward", "cramped"]
    code: str
    groups: tuple[str, ...]


class RefusedError(Exception):
    """Carries a refusal out of the builder's stages."""

    def __init__(self, code: str, *groups: str, kind: Literal["impossible", "awkward", "cramped"] = "cramped") -> None:
        super().__init__(code)
        self.refusal = Refusal(kind, code, groups)


@dataclass(frozen=True, slots=True)
class Extras:
    """Requirements of the groups and modes that are not in the paper; the defaults require nothing."""

    numbered: bool = False
    """The list is ordered."""
    keys: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    language: str = ""
    every: str = ""
    """The keyword that every paragraph holds."""
    position: int = 0
    placed: str = ""
    """The keyword that stands at `position`, counted in words."""
    acrostic: str = ""
    longest: int = 0
    """The limit on the words of a sentence; 0 without a limit."""
    distinct: bool = False
    """All sentences begin with different words."""
    questions: int = 0
    headings: int = 0
    bold: int | None = None

    def sentences(self, paragraphs: int, items: int, placements: int, *, tight: bool) -> int:
        """The fewest sentences that satisfy this, list items included.

        Args:
            paragraphs: Paragraphs beside the list.
            items: Items of the list.
            placements: Keywords to place inside sentences.
            tight: As few as possible, rather than as few as read well.
        """
        least = [self.questions + 1 if self.questions else 0, 3 if self.distinct else 0, len(self.keys)]
        if self.every or self.acrostic:
            least.append(paragraphs + items)
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


@dataclass(slots=True)
class Requirements:
    """The rule-checked part of an instruction."""

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
    placements: list[str] = field(default_factory=list)
    """Keywords to place inside sentences, each as often as the edges leave to do."""
    extras: Extras = Extras()


def read_requirements(active: Active) -> Requirements:
    """Read the requirements from the active constraints.

    Raises:
        RefusedError: the required keywords contain each other more often than their counts allow.
    """
    length = active.get("length")
    unit = length["unit"] if length else ""
    punctuation = active.get("punctuation", {})
    mark = punctuation.get("mark", "")
    requirements = Requirements(
        fmt=active["format"]["mode"] if "format" in active else None,
        items=active["bullets"]["count"] if "bullets" in active else 0,
        unit=unit,
        low=lower_limit(length, unit),
        high=upper_limit(length, unit),
        case=active.get("case"),
        include=mark if punctuation.get("mode") == "include" else "",
        exclude=mark if punctuation.get("mode") == "exclude" else "",
        start=active.get("start_with"),
        end=active.get("end_with"),
        extras=_read_extras(active),
    )
    if "existence" in active:
        requirements.placements = _placements(active)
    return requirements


def _read_extras(active: Active) -> Extras:
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


def _placements(active: Active) -> list[str]:
    """The keywords to place: the edges and longer keywords already contain some of the occurrences."""
    missing: dict[str, int] = dict(active["existence"]["counts"])
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
    """Subtract the occurrences inside `holder`, which occurs so many times."""
    folded = fold(holder)
    for word in counts if times else ():
        counts[word] -= times * len(find_all(folded, fold(word)))
