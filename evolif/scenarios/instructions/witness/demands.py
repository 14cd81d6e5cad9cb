"""What an instruction with everyday constraints requires of a text, beside what `requirements` reads.

Lists, labels, headings, tables, emoji and the like as numbers and literals. A literal is a piece of text that is given:
a phrase at an edge, a label, a mark. It is placed as it is and never changed but in its capitals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from evolif.scenarios.instructions.constraints import Active
from evolif.scenarios.instructions.constraints.base import least_count
from evolif.scenarios.instructions.constraints.literals import Literal as Given
from evolif.scenarios.instructions.constraints.literals import label_texts, phrases, possible, whole_sentences
from evolif.scenarios.instructions.constraints.relations import limits
from evolif.scenarios.instructions.constraints.room import labels_in_items, least_items, most_items
from evolif.scenarios.instructions.turns import Params
from evolif.scenarios.instructions.witness.requirements import RefusedError, Requirements, read_requirements
from evolif.scenarios.instructions.witness.vocabulary import WordRule
from evolif.text import count_words, find_all, fold

_ENOUGH = {"words": 24, "characters": 160}
"""A length that tells the language."""
_WIDE = frozenset({"zh", "ja"})
"""Languages with a full stop of their own."""
_PRONOUNS = {"first": "my", "second": "your"}

Unit = Literal["item", "paragraph", "line", "sentence"]
Shape = Literal["prose", "comma_list", "literal_list", "code"]


class DemandedPart(NamedTuple):
    """How long each unit is; no limit where `high` is None."""

    unit: Unit
    measure: Literal["words", "sentences", "characters"]
    low: int
    high: int | None


class DemandedStart(NamedTuple):
    """How units begin: with a literal or, if it is empty, with a letter."""

    unit: Unit
    which: int
    """The number of the unit; 0 for every unit."""
    literal: str
    letter: str


@dataclass(slots=True)
class TextDemands:
    """The rule-checked part of an everyday instruction."""

    base: Requirements
    """What the older groups require, without literals at the edges."""
    aim: int = 0
    """The length to reach, within the limits of `base`."""
    shape: Shape = "prose"
    fields: int = 0
    """The number of entries of a list in one line; 0 where any will do."""
    tag: str = ""
    fence: bool = False
    items: int = 0
    most_items: int | None = None
    optional: bool = False
    """There need not be a list."""
    numbered: bool = False
    list_only: bool = False
    labels: tuple[str, ...] = ()
    labels_only: bool = False
    labels_in_items: bool = False
    """Labels stand in the items of the list."""
    headings: int = 0
    more_headings: bool = True
    """There may be more headings than that."""
    title: bool = False
    levels: tuple[int, ...] = ()
    columns: int = 0
    """Columns of a table without given names; 0 without such a table."""
    table_only: bool = False
    opener: str = ""
    closer: str = ""
    emoji: int = 0
    emoji_end: bool = False
    emoji_each: bool = False
    hashtags: int = 0
    part: DemandedPart | None = None
    unit_start: DemandedStart | None = None
    wrap: tuple[str, str] = ("", "")
    all_questions: bool = False
    no_marks: bool = False
    pronoun: str = ""

    @property
    def has_table(self) -> bool:
        return bool(self.base.columns or self.columns)

    @property
    def closer_apart(self) -> bool:
        """The phrase at the end is a sentence of its own; else it ends one."""
        is_free = self.base.unit not in ("sentences", "lines") and self.part is None and self.unit_start is None
        return is_free and whole_sentences(self.closer) > 0

    @property
    def one_sentence_lines(self) -> bool:
        """A line holds no more than one sentence, a phrase at the edge included."""
        return bool(self.part and self.part.unit == "line" and self.part.measure == "sentences")

    @property
    def one_per_line(self) -> bool:
        """Every sentence has a line of its own."""
        units = (self.part and self.part.unit, self.unit_start and self.unit_start.unit)
        return self.base.unit == "lines" or "line" in units

    @property
    def stop(self) -> str:
        """The mark that ends a sentence."""
        if self.no_marks:
            return ""
        if self.all_questions:
            return "?"
        if self.base.exclude == ".":
            return "!"
        return "。" if self.base.language in _WIDE else "."

    @property
    def sentence_cap(self) -> int:
        """The limit on the words of a sentence; 0 without one."""
        caps = [self.base.longest] if self.base.longest else []
        if self.part and self.part.measure == "words" and self.part.high and self.part.unit in ("sentence", "line"):
            caps.append(self.part.high)
        return min(caps, default=0)

    def literals(self) -> list[str]:
        """Every literal, as often as it is placed."""
        own = [*self.labels, *filter(None, (self.opener, self.closer, *self.wrap))]
        start = self.unit_start
        return [*own, start.literal] if start and start.which and start.literal else own


def read_demands(active: Active) -> TextDemands:
    """Read the demands from the active constraints.

    Raises:
        RefusedError: the required keywords contain each other more often than their counts allow.
    """
    active = _without_banned(active)
    demands = TextDemands(read_requirements({g: p for g, p in active.items() if not _is_literal_edge(g, p)}))
    _read_language(demands, active.get("language", {}))
    _read_length(demands, active)
    _read_shape(demands, active.get("format", {}))
    _read_list(demands, active)
    _read_blocks(demands, active)
    _read_edges(demands, active)
    _read_signs(demands, active)
    _subtract_literals(demands, active)
    return demands


def _without_banned(active: Active) -> Active:
    """The constraints without the keywords of a choice that others ban."""
    existence = active.get("existence", {})
    if "any_of" not in existence:
        return active
    options = tuple(existence["any_of"])
    left = possible(Given("existence", options), active) or options
    return {**active, "existence": {**existence, "any_of": list(left)}}


def word_rule(active: Active) -> WordRule | None:
    """Which words the constraints allow; None for all."""
    lettering, person = active.get("lettering"), active.get("person", {})
    avoided = person.get("avoid", "")
    if lettering is None and not avoided:
        return None
    lettering = lettering or {"mode": ""}
    mode, count, letter = lettering["mode"], lettering.get("count", 0), lettering.get("letter", "").lower()
    return WordRule(
        least=count if mode == "min_letters" else 0,
        most=count if mode == "max_letters" else 0,
        first=letter if mode == "first" else "",
        without=letter if mode == "without" else "",
        avoided=avoided,
    )


def _is_literal_edge(group: str, params: Params) -> bool:
    return group in ("start_with", "end_with") and params["mode"] == "phrase"


def _read_language(demands: TextDemands, params: Params) -> None:
    """Any language will do that is not excluded."""
    if "not" in params:
        demands.base.language = "es" if params["not"] == "en" else ""


def _read_length(demands: TextDemands, active: Active) -> None:
    base, length = demands.base, active.get("length", {})
    demands.aim = int(length["count"]) if length.get("relation") == "about" else base.low
    enough = _ENOUGH.get(base.unit, 0) if base.language else 0
    demands.aim = max(demands.aim, enough if base.high is None else min(enough, base.high))


def _read_shape(demands: TextDemands, params: Params) -> None:
    mode = params.get("mode")
    if mode in ("comma_list", "literal_list", "code"):
        demands.shape, demands.base.fmt = mode, None
        demands.fields, demands.tag = params.get("count") or 0, params.get("tag") or ""
    elif mode in ("table", "plain"):
        demands.base.fmt = None
        if mode == "table" and "columns" not in params:
            demands.columns = params.get("column_count") or 2
        demands.table_only = bool(params.get("only"))
    demands.fence = bool(params.get("fence"))


def _read_list(demands: TextDemands, active: Active) -> None:
    params = active.get("bullets", {})
    demands.items, demands.most_items = least_items(active), most_items(active)
    demands.optional = params.get("relation") == "at_most" and not demands.items
    if demands.optional and params["count"] > 1:
        demands.items = 2
    demands.list_only, demands.numbered = bool(params.get("only")), params.get("kind") == "numbered"
    demands.base.items, demands.base.numbered = demands.items, demands.numbered


def _read_blocks(demands: TextDemands, active: Active) -> None:
    """Labels, headings, the marks around everything."""
    labels, headings = active.get("labels"), active.get("headings", {})
    demands.labels = tuple(label_texts(labels))
    if labels is not None:
        demands.labels_only = bool(labels.get("only"))
        demands.labels_in_items = bool(demands.items) and labels_in_items(active)
    if headings:
        demands.headings, demands.title = least_count(headings), headings.get("relation") == "title"
        demands.levels = tuple(headings.get("levels", ()))
        is_open = headings.get("relation") in ("some", "at_least", "title") or bool(demands.levels)
        demands.more_headings = is_open or headings.get("upper", headings.get("count", 0)) > demands.headings
    wrap = active.get("wrap")
    demands.wrap = (wrap["left"], wrap["right"]) if wrap else ("", "")


def _read_edges(demands: TextDemands, active: Active) -> None:
    given: dict[str, str] = {}
    for literal in phrases(active):
        texts = possible(literal, active) or literal.texts
        given[literal.group] = min(texts, key=lambda v: (whole_sentences(v), count_words(v))).strip()
    demands.opener, demands.closer = given.get("start_with", ""), given.get("end_with", "")
    params = active.get("placement", {})
    if params.get("mode") == "unit_start":
        which = params.get("which", "every")
        number = 0 if which == "every" else int(which)
        letter = (params.get("letter") or "").lower()
        demands.unit_start = DemandedStart(params["unit"], number, given.get("placement", ""), letter)


def _read_signs(demands: TextDemands, active: Active) -> None:
    emoji = active.get("emoji", {})
    demands.emoji_end, demands.emoji_each = emoji.get("place") == "end", emoji.get("place") == "each_item"
    demands.emoji = limits(emoji)[0] if "relation" in emoji else 0
    demands.hashtags = limits(active["hashtags"])[0] if "hashtags" in active else 0
    part = active.get("part_length")
    if part is not None:
        demands.part = DemandedPart(part["unit"], part["measure"], *limits(part))
    demands.all_questions = active.get("sentences", {}).get("mode") == "all_questions"
    demands.no_marks = active.get("punctuation", {}).get("mode") == "exclude_all"
    demands.pronoun = _PRONOUNS.get(active.get("person", {}).get("use", ""), "")


def _subtract_literals(demands: TextDemands, active: Active) -> None:
    """Keywords that stand in literals need no other place."""
    existence = active.get("existence")
    literals = [fold(text) for text in demands.literals()]
    if existence is None or not literals:
        return
    exact, left = existence.get("counts", {}), list(demands.base.placements)
    for word in dict.fromkeys([*exact, *left]):
        found = sum(len(find_all(literal, fold(word))) for literal in literals)
        if found > exact.get(word, found):
            raise RefusedError("keyword-in-literal", "existence", "labels", "start_with", "end_with", kind="awkward")
        for _ in range(min(found, left.count(word))):
            left.remove(word)
    demands.base = replace(demands.base, placements=left)
