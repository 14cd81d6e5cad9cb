"""Reads what a partner says of an image in its own words: claims, questions, and yes or no.

Words are taken in turn. Values and nouns gather into groups, one for each thing that is spoken of; a place belongs to
the group before it, or to all that follow if it comes first. What a group says in the end is a statement. A sentence
that gives none, and asks for nothing, was not understood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from evolif.scenarios.games.partner_words import MOST_CHARACTERS, Item, items_of_sentence, sentences_of
from evolif.scenarios.games.places import within
from evolif.scenarios.games.statements import REST_OF, Kind, Place, Remark, Statement, Vocabulary

_YES: Final = frozenset({"yes", "yeah", "yep", "yup", "correct", "right", "true", "sure", "exactly"})
_NO: Final = frozenset({"no", "nope", "nah", "wrong", "false"})
_ASKING: Final = frozenset({"is", "are", "do", "does", "have", "what", "where", "which", "how", "can", "could", "who"})
_TELL: Final = frozenset({"please", "describe", "tell"})
_NAMES_A_THING: Final = frozenset({"value", "noun", "empty", "number", "one", "anything"})


@dataclass(slots=True)
class _Group:
    """One thing that is spoken of."""

    kind: dict[str, str] = field(default_factory=dict)
    count: int | None = None
    places: tuple[Place, ...] = ()
    context: tuple[Place, ...] = ()
    """Where what is said from here on is, unless it says where itself."""
    every: bool = False
    denied: bool = False
    is_open: bool = True
    """Whether more words can belong to it."""
    is_named: bool = False
    """Whether its noun was said."""
    relation: str = ""
    other: _Group | None = None
    is_lost: bool = False
    """Whether it is compared with something that cannot be found."""


def read_remarks(text: str, vocabulary: Vocabulary, side: int) -> tuple[Remark, ...]:
    """The sentences of a text.

    Args:
        text: What a partner said; hostile, so that only its beginning is read.
        vocabulary: Of the game.
        side: Rows of an image, and columns.

    Example:
        ```python
        [remark] = read_remarks("Row 3 has no stars.", SCENE_WORDS, 8)
        assert str(remark.statements[0]) == "no star @row 3"
        ```
    """
    return _read(text[:MOST_CHARACTERS], vocabulary, side)


@lru_cache(maxsize=4096)
def _read(text: str, vocabulary: Vocabulary, side: int) -> tuple[Remark, ...]:
    """Read once: a player goes through all that was said at each of its turns."""
    return tuple(_remark(words, asks, vocabulary, side) for words, asks in sentences_of(text))


def _remark(words: list[str], asks: bool, vocabulary: Vocabulary, side: int) -> Remark:
    reply = "yes" if words[0] in _YES else "no" if words[0] in _NO else ""
    replies = bool(reply) and (len(words) == 1 or words[1] == ",")
    rest = words[2:] if replies else words
    items = items_of_sentence(rest, vocabulary, side)
    parser = _Parser(vocabulary, side)
    parser.read(items)
    if asks or (rest and (rest[0] in _TELL or _is_request(rest))):
        return _question(parser, items)
    statements = parser.statements() or tuple(Statement((), place) for place in parser.places)
    if replies and not any(one.kind or one.place or one.count is not None or one.relation for one in statements):
        return Remark("yes" if reply == "yes" else "no")
    return Remark("say", statements) if statements else Remark("unread")


def _is_request(words: Sequence[str]) -> bool:
    """A question whose mark was forgotten."""
    return words[0] in ("what", "where", "how") or tuple(words[:2]) in (("do", "you"), ("can", "you"))


def _question(parser: _Parser, items: Sequence[Item]) -> Remark:
    kinds = [item.kind for item in items]
    statements = parser.statements()
    if "where" in kinds and statements:
        return Remark("ask", tuple(Statement(one.kind) for one in statements[:1]), "where")
    first = statements[0] if statements else Statement()
    is_of_cell = not first.kind and first.place is not None and len(first.place.cells) == 1
    if "many" in kinds and statements and not is_of_cell:
        return Remark("ask", (Statement(first.kind, first.place),), "count")
    places = parser.places or tuple(one.place for one in statements if one.place)
    told = [one for one in statements if one.kind]
    if places and ("what" in kinds or "empty" in kinds or "anything" in kinds or not told):
        return Remark("ask", tuple(Statement((), place) for place in places), "what")
    if told:
        return Remark("ask", (told[0],), "some")
    return Remark("unread")


class _Parser:
    """Gathers the items of a sentence into groups."""

    def __init__(self, vocabulary: Vocabulary, side: int) -> None:
        self._vocabulary, self._side = vocabulary, side
        self._groups: list[_Group] = []
        self._current: _Group | None = None
        self._heading: _Group | None = None
        self._context: tuple[Place, ...] = ()
        self._is_fresh = False
        """Whether the next value begins a new group."""
        self._is_no = self._is_every = self._is_only = self._is_one = False
        self._number: int | None = None
        self._is_vague = self._is_less = False
        """Whether the number is one of several that it may be."""
        self._verb = ""
        """`is` or `are`, if it was the last verb; what follows may be said of the group before."""
        self._front = ""
        """A relation that came before both things."""
        self._reference: _Group | None = None
        self._subject: _Group | None = None
        self._last = ""
        self._is_all = False
        """Whether nothing else is where the sentence is about."""

    @property
    def places(self) -> tuple[Place, ...]:
        """The place that was named before any thing, if no thing was."""
        return () if self._groups else self._context

    def read(self, items: Sequence[Item]) -> None:
        """Take all items in turn."""
        for at, item in enumerate(items):
            if item.kind == "place":
                self._place(item.value, items[at + 1 :])
            elif item.kind in _HANDLERS:
                _HANDLERS[item.kind](self, item)
            self._last = item.kind
        if self._number is not None or self._is_one:
            self._counted_at_the_end()

    def _counted_at_the_end(self) -> None:
        """The number is that of the heading (`Purple things: four`), or of things of any kind (`There are 3`)."""
        number = self._number
        target = self._heading or self._current
        if target is not None and target.count is None and number is not None:
            target.count, self._number = number, None
        elif target is None or self._heading is None:
            self._begin().is_named = True

    def _begin(self) -> _Group:
        """A new group, with what was said before it."""
        group = _Group(dict(self._heading.kind) if self._heading else {}, context=self._context)
        group.count = 0 if self._is_no and not self._is_every else self._number
        if group.count is None and self._is_only:
            group.count = 1
        group.is_lost, self._is_less = self._is_less, False
        group.every, group.denied = self._is_every, self._is_every and self._is_no
        self._is_fresh = self._is_no = self._is_every = self._is_only = self._is_one = False
        self._number, self._verb = None, ""
        if self._subject is not None:
            self._subject.other, self._subject.is_lost, self._subject = group, False, None
        elif self._front and self._reference is None:
            self._reference = group
        else:
            if self._reference is not None and self._front:
                group.relation, group.other, self._front = self._front, self._reference, ""
            self._groups.append(group)
        self._current = group
        return group

    def value(self, item: Item) -> None:
        """A value belongs to the group that is open, or begins one."""
        name, value = item.value
        group = self._current
        if group is None or not self._takes(group, name, value):
            group = self._begin()
            if self._heading is not None and name in group.kind:
                group.kind = {}
        target = group.kind
        if group.every and self._verb:
            group.relation, group.other = "is", group.other or _Group()
            target = group.other.kind
        target[name] = value
        if self._verb and self._is_no:
            group.count, self._is_no = 0, False
        if name == "shape":
            self._close(group)

    def _takes(self, group: _Group, name: str, value: str) -> bool:
        own = {} if group.every and self._verb else group.kind
        return group.is_open and not self._is_fresh and own.get(name, value) == value

    def _close(self, group: _Group) -> None:
        group.is_named = True
        group.is_open = not self._vocabulary.ends_with_noun
        self._verb = ""

    def noun(self, item: Item) -> None:
        """A noun for a thing of any kind ends a group, or is one."""
        group = self._current
        if group is None or self._is_fresh or (group.is_named and not self._verb):
            self._number = 1 if self._is_one else self._number  # `one object`, but `one red star` may be of several
            group = self._begin()
        verb = self._verb
        self._close(group)
        self._verb = verb
        group.is_open = group.is_open or not group.kind

    def one(self, item: Item) -> None:
        """`one` stands for a noun, or for a number that says no more than `a` does."""
        if self._last in ("value", "the"):
            self.noun(item)
            return
        self._is_fresh, self._is_one, self._is_vague = True, not self._is_vague, False

    def number(self, item: Item) -> None:
        """So many of what follows."""
        self._number, self._is_fresh = (None if self._is_vague else item.value), True
        self._is_vague = False

    def vague(self, item: Item) -> None:
        """At least so many: no more is known than that there is one."""
        self._is_vague = True

    def less(self, item: Item) -> None:
        """At most so many, perhaps none: nothing is known."""
        self._is_less = True

    def article(self, item: Item) -> None:
        """A new thing, unless it is said what the one before is."""
        self._is_fresh = not (self._verb and self._current is not None and self._current.is_open)

    def no(self, item: Item) -> None:
        """Denies what follows."""
        self._is_no = True
        if not self._verb:
            self._is_fresh = True

    def every(self, item: Item) -> None:
        """Said of all."""
        self._is_every = self._is_fresh = True

    def only(self, item: Item) -> None:
        """Said of one alone, if no number follows."""
        self._is_only = self._is_fresh = True

    def verb(self, item: Item) -> None:
        """What follows may be said of the group before."""
        if self._current is None:
            return
        if self._front and self._current is self._reference:
            self._is_fresh = True
            return
        self._verb, self._current.is_open = item.value, True

    def has(self, item: Item) -> None:
        """What follows may belong to a thing that was only called a thing."""
        if self._current is not None and not self._current.kind:
            self._current.is_open = True

    def opens(self, item: Item) -> None:
        """`with` goes on with the same thing."""
        if self._current is not None:
            self._current.is_open = True

    def empty(self, item: Item) -> None:
        """Nothing lies there."""
        if self._subject is not None or self._front:
            self._subject = None  # where nothing lies there is nothing to compare with
            return
        self._is_no = True
        group = self._begin()
        group.is_named, group.is_open = True, False

    def anything(self, item: Item) -> None:
        """Denied: nothing; else it is a question, which takes the place alone."""
        if self._is_no:
            self._begin().is_named = True

    def relation(self, item: Item) -> None:
        """Between the group before and the next one, or between the next two."""
        if self._current is None:
            self._front = item.value
            return
        self._subject, self._is_fresh = self._current, True
        self._current.relation, self._current.is_lost, self._verb = item.value, True, ""

    def colon(self, item: Item) -> None:
        """What was named is a heading for what follows."""
        group = self._current
        if group is not None and group.count is None and not group.places and group.kind:
            self._heading = group
        self._is_fresh = True

    def comma(self, item: Item) -> None:
        """Parts the things under a heading."""
        self._is_fresh = self._is_fresh or self._heading is not None

    def either(self, item: Item) -> None:
        """`no A or B` denies both."""
        if self._current is not None and self._current.count == 0:
            self._is_no = self._is_fresh = True

    def rest(self, item: Item) -> None:
        """Nothing is there but what was named."""
        self._is_all = True

    def _place(self, places: tuple[Place, ...], rest: Sequence[Item]) -> None:
        following = rest[0].kind if rest else ""
        if self._is_one or (self._number is not None and self._current is None):
            self._begin().is_named = True
        group = self._current
        if group is None or self._begins_anew(group, following, rest):
            self._context, self._current, self._heading = self._narrowed(places), None, None
            self._is_only = False
        elif group.places:
            group.places += places
        else:
            narrowed = self._narrowed(places)
            for one in self._groups if self._verb == "are" else [group]:
                one.places = one.places or narrowed

    def _begins_anew(self, group: _Group, following: str, rest: Sequence[Item]) -> bool:
        """Whether a place is about what follows it rather than what went before."""
        if following in ("has", ":", "there"):
            return bool(group.kind) or self._last in (",", ";")
        if not group.places and self._last != ";":
            return False
        upcoming: list[str] = []
        for item in rest:
            if item.kind in ("place", ";"):
                break
            upcoming.append(item.kind)
        return any(kind in _NAMES_A_THING for kind in upcoming)

    def _narrowed(self, places: tuple[Place, ...]) -> tuple[Place, ...]:
        if len(self._context) != 1:
            return places
        return tuple(within(self._context[0], place, self._side) for place in places)

    def statements(self) -> tuple[Statement, ...]:
        """What all groups say."""
        groups = [group for group in self._groups if not group.is_lost]
        if self._heading is not None and len(groups) > 1:
            groups.remove(self._heading)
        said = [one for group in groups for one in self._said(group)]
        filled = {one.place for one in said if one.count != 0}
        said = [one for one in said if one.kind or one.count != 0 or one.relation or one.place not in filled]
        if self._is_all and len(self._context) == 1:
            outer = self._context[0]
            cells = outer.cells.difference(*(one.place.cells for one in said if one.place and one.place != outer))
            said.append(Statement((), Place(f"{REST_OF} {outer.name}", cells), 0))
        return tuple(said)

    def _said(self, group: _Group) -> list[Statement]:
        kind = self._kind(group)
        if group.other is not None and not group.other.kind and not group.other.is_named:
            return []
        other = () if group.other is None else self._kind(group.other)
        places = group.places or group.context or (None,)
        relation = group.relation if group.other is not None else ""
        return [
            Statement(kind, place, group.count, relation, other, every=group.every, denied=group.denied)
            for place in places
        ]

    def _kind(self, group: _Group) -> Kind:
        return tuple((name, group.kind[name]) for name in self._vocabulary.attributes if name in group.kind)


_HANDLERS: Final[Mapping[str, Callable[[_Parser, Item], None]]] = {
    "value": _Parser.value,
    "noun": _Parser.noun,
    "one": _Parser.one,
    "number": _Parser.number,
    "a": _Parser.article,
    "no": _Parser.no,
    "every": _Parser.every,
    "only": _Parser.only,
    "is": _Parser.verb,
    "has": _Parser.has,
    "with": _Parser.opens,
    "empty": _Parser.empty,
    "anything": _Parser.anything,
    "relation": _Parser.relation,
    ":": _Parser.colon,
    ",": _Parser.comma,
    "rest": _Parser.rest,
    "vague": _Parser.vague,
    "lost": _Parser.less,
    "or": _Parser.either,
}
