"""What an instruction needs of a text: the constraints as numbers and placements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from evolif.constraints import lower_limit, upper_limit
from evolif.text import find_all, fold
from evolif.types import Params

# What an instruction needs of a text beyond the paper's groups and modes.


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


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no witness was built. `impossible`: no text at all; `awkward`: none without a trick; `cramped`: no room."""

    kind: Literal["impossible", "awkward", "cramped"]
    code: str
    groups: tuple[str, ...]


class RefusedError(Exception):
    """Carries a refusal out of the builder's stages."""

    def __init__(self, kind: Literal["impossible", "awkward", "cramped"], code: str, *groups: str) -> None:
        super().__init__(code)
        self.refusal = Refusal(kind, code, groups)


@dataclass(slots=True)
class Requirements:
    """The rule-checked part of an instruction."""

    fmt: str | None
    items: int
    unit: str
    low: int
    high: int | None
    """Bounds on the count of `unit`; `unit` is empty without a length constraint."""
    case: Params | None
    include: str
    exclude: str
    start: Params | None
    end: Params | None
    placements: list[str] = field(default_factory=list)
    """Keywords to place inside, each as often as it is still needed beside the edges."""
    more: Extras = NOTHING

    @property
    def exact(self) -> bool:
        """Whether one count alone will do."""
        return self.low == self.high


def needs_of(active: Mapping[str, Params]) -> Requirements:
    """Read the needs off the active constraints.

    Raises:
        RefusedError: the required keywords hold each other in a way no text can meet.
    """
    length = active.get("length")
    unit = length["unit"] if length else ""
    punctuation = active.get("punctuation", {})
    mark = punctuation.get("mark", "")
    needs = Requirements(
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
        more=extras_of(active),
    )
    if "existence" in active:
        needs.placements = _placements(active["existence"]["counts"], needs)
    return needs


def _placements(counts: Mapping[str, int], needs: Requirements) -> list[str]:
    """How often each keyword is still to be placed: minus the edges, and minus those inside longer keywords."""
    open_counts = dict(counts)
    edges = [e["value"] for e in (needs.start, needs.end) if e is not None and e["mode"] == "keyword"]
    for edge in edges:
        _take(open_counts, edge, 1)
    placed: list[tuple[str, int]] = []
    for word in sorted(open_counts, key=lambda w: (-len(w), w)):
        count = open_counts.pop(word)
        if count < 0:
            raise RefusedError("awkward", "keyword-too-often", "existence", "start_with", "end_with")
        _take(open_counts, word, count)
        placed.append((word, count))
    # Round robin, so that the same keyword does not stand in every place of one sentence.
    most = max((count for _, count in placed), default=0)
    return [word for turn in range(most) for word, count in placed if turn < count]


def _take(counts: dict[str, int], holder: str, times: int) -> None:
    if times <= 0:
        return
    folded = fold(holder)
    for word in counts:
        counts[word] -= times * len(find_all(folded, fold(word)))
