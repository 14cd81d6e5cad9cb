"""The scripted player of the questions of the second edition, in plain English.

Whoever has what the question points at says where it is; the other says what lies there, or answers. Before it is
known, the other asks. Only where nothing can be asked any more, a scene is told row by row, as far as it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evolif.scenarios.games.chains import SIDES, alike, in_row, of_colour, pointed_at
from evolif.scenarios.games.hearing import heard_statements, read
from evolif.scenarios.games.places import line_place
from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.programs import Program, noun
from evolif.scenarios.games.scenes import VALUES, Cell, Scene, Thing, scene_of
from evolif.scenarios.games.speech import Speech
from evolif.scenarios.games.statements import Kind, Remark, Statement, Things, side_of, things_of
from evolif.scenarios.games.telling import add_first, cell_words, cells_told, counted, say_cell, tell_rest


@dataclass(frozen=True, slots=True)
class Known:
    """What a player knows of both scenes.

    Attributes:
        program: The question.
        own: Its scene.
        holds: Whether its scene is the one that points.
        cells: Where the other scene is to be looked at, as far as it is known.
        told: What the partner said.
        side: Rows of a scene.
    """

    program: Program
    own: Scene
    holds: bool
    cells: tuple[Cell, ...]
    told: tuple[Statement, ...]
    side: int

    def things_at(self, cell: Cell) -> Mapping[str, str] | None:
        """What the partner said lies in a cell of its scene; empty for nothing, None if it did not say."""
        found: dict[str, str] | None = None
        for one in self.told:
            if one.place is not None and cell in one.place.cells and (len(one.place.cells) == 1 or one.count == 0):
                if one.count == 0 and not one.kind:
                    return {}
                if one.count != 0:
                    found = {**(found or {}), **dict(one.kind)}
        return found

    def count_of(self, kind: Kind, row: int | None = None) -> int | None:
        """How many things of a kind the partner said there are, in all or in a row."""
        name = None if row is None else line_place("row", row, self.side).name
        for one in reversed(self.told):
            if one.kind == kind and one.count is not None and (one.place.name if one.place else None) == name:
                return one.count
        return None


def known_by(view: View) -> Known:
    """What a player knows at its turn."""
    program, graph = view.public["program"], view.private["scene"]
    own, side = scene_of(graph), side_of(graph)
    holds = program["holder"] == SIDES[view.player]
    told = tuple(heard_statements(view, side))
    cells = tuple(pointed_at(program, own)) if holds else _cells_heard(program, told)
    return Known(program, own, holds, cells, told, side)


def _cells_heard(program: Program, told: Sequence[Statement]) -> tuple[Cell, ...]:
    """The cells in which the partner said that its A lies; a cell that is only named counts, too."""
    a = program["a"]
    cells = [
        next(iter(one.place.cells))
        for one in told
        if one.place and len(one.place.cells) == 1 and one.count != 0 and _may_be(one.kind, a)
    ]
    return tuple(dict.fromkeys(cells))


def _may_be(kind: Kind, a: Mapping[str, str]) -> bool:
    said = dict(kind)
    return not said or all(said.get(name) == value for name, value in a.items())


def computed(known: Known) -> str | None:
    """The answer, if what was heard suffices."""
    return _ANSWERS[known.program["family"]](known)


def _seen(known: Known) -> tuple[Cell, Mapping[str, str]] | None:
    """The cell that the question is about and what the other scene has there."""
    own = {cell: thing._asdict() for cell, thing in known.own.items()}
    for cell in known.cells:
        thing = known.things_at(cell) if known.holds else own.get(cell)
        if thing:
            return cell, thing
    return None


def _value(attribute: str) -> Callable[[Known], str | None]:
    def answer(known: Known) -> str | None:
        seen = _seen(known)
        return seen[1].get(attribute) if seen else None

    return answer


def _more(known: Known) -> str | None:
    if not known.cells:
        return None
    row = known.cells[0][0]
    other = known.count_of((), row)
    if other is None:
        return None
    own = in_row(known.own, row)
    return str(abs(other - own))


def _where(known: Known) -> str | None:
    seen = _seen(known)
    if seen is None or not {"colour", "shape"} <= seen[1].keys():
        return None
    colour, shape = seen[1]["colour"], seen[1]["shape"]
    if known.holds:
        rows = [cell[0] for cell in alike(known.own, Thing("", "", colour, shape))]
    else:
        wanted = {("colour", colour), ("shape", shape)}
        rows = [next(iter(one.place.cells))[0] for one in known.told if one.place and len(one.place.cells) == 1
                and one.count != 0 and wanted <= set(one.kind)]  # fmt: skip
    return str(rows[0]) if rows else None


def _total(known: Known) -> str | None:
    seen = _seen(known)
    if seen is None or "colour" not in seen[1]:
        return None
    other = known.count_of((("colour", seen[1]["colour"]),))
    return None if other is None else str(other + of_colour(known.own, seen[1]["colour"]))


_ANSWERS: Final[Mapping[str, Callable[[Known], str | None]]] = {
    "both": _value("shape"),
    "every": _value("colour"),
    "more": _more,
    "where": _where,
    "total": _total,
}


def speak(view: View, known: Known, speech: Speech) -> None:
    """Say what the partner needs, and ask for what is missing, unless the partner has to answer next."""
    answers_next = view.turns - view.turn == 1
    (_point if known.holds else _look)(view, known, speech, asks=not answers_next)
    if answers_next:
        _tell_all(view, known, speech)


def leaves_to_plan(known: Known, question: Remark) -> bool:
    """Whether a question is answered by what the player says anyhow."""
    asked = question.statements[0].kind
    return known.holds and question.asks == "where" and _may_be(asked, known.program["a"])


def _told_cells(view: View, known: Known, speech: Speech) -> frozenset[Cell]:
    """The cells of the own scene of which something was said, now or before."""
    own = (*view.said[view.player :: 2], speech.text)
    return cells_told(remark for text in own for remark in read(view, text, known.side))


def _say(speech: Speech, sentence: str) -> bool:
    """Say a sentence that was not just said."""
    return sentence in speech.text or speech.add(sentence)


def _point(view: View, known: Known, speech: Speech, *, asks: bool) -> None:
    """Say where the own A lies, what counts there, and ask what the other scene has."""
    words, cells = noun(known.program["a"]), known.cells
    told = _told_cells(view, known, speech)
    new = [cell for cell in cells if cell not in told]
    if len(cells) != 1:
        _list(speech, words, new or cells, is_all=len(new) == len(cells) or not new)
        return
    if new or (view.said and view.said[-1].startswith("Where")):
        add_first(speech, (f"My only {words} is in {cell_words(cells[0])}.", f"My {words}: {cell_words(cells[0])}."))
    if known.program["family"] == "more":
        _say_row(known, speech, cells[0][0])
    elif asks:
        _ask(known, speech)


def _ask(known: Known, speech: Speech) -> None:
    """Ask for what is still missing."""
    seen = _seen(known)
    if seen is None:
        speech.add(f"What do you have in {cell_words(known.cells[0])}?")
    elif known.program["family"] == "total" and "colour" in seen[1]:
        speech.add(f"How many {seen[1]['colour']} objects do you have?")


def _say_row(known: Known, speech: Speech, row: int) -> None:
    _say(speech, f"Row {row} of my scene holds {counted((), in_row(known.own, row))}.")


def _list(speech: Speech, words: str, cells: Sequence[Cell], *, is_all: bool) -> None:
    """The cells of several things, as many as fit; a list that is cut says so."""
    plural = f"{words}{'es' if words.endswith('s') else 's'}"
    for count in range(len(cells), 0, -1):
        listed = "; ".join(cell_words(cell) for cell in cells[:count])
        subject = f"My {'' if is_all else 'other '}{plural} are in" if count > 1 else f"One of my {plural} is in"
        end = "" if count == len(cells) else " There are more."
        if add_first(speech, (f"{subject} {listed}.{end}", f"A {words}: {listed}.") if count == 1 else (
            f"{subject} {listed}.{end}",
        )):  # fmt: skip
            return


def _look(view: View, known: Known, speech: Speech, *, asks: bool) -> None:
    """Say what the own scene has where the other one points, or ask where that is."""
    family, words = known.program["family"], noun(known.program["a"])
    told = _told_cells(view, known, speech)
    things: Things = {at: thing._asdict() for at, thing in known.own.items()}
    if family == "every":
        for cell in known.cells:
            if cell not in told:
                add_first(speech, say_cell(things, cell)[:2])
        if asks:
            plural = noun(known.program["a"], plural=True)
            speech.add(f"Where are your {'other ' if known.cells else ''}{plural}?")
    elif not known.cells:
        if asks:
            speech.add(f"Where is your only {words}?")
    elif family == "more":
        _say_row(known, speech, known.cells[0][0])
    else:
        if known.cells[0] not in told:
            add_first(speech, say_cell(things, known.cells[0]))
        _say_colour(known, speech)


def _say_colour(known: Known, speech: Speech) -> None:
    """How many things have the colour that is asked for."""
    cell = known.cells[0]
    if known.program["family"] == "total" and cell in known.own:
        colour = known.own[cell].colour
        _say(speech, f"I have {counted((('colour', colour),), of_colour(known.own, colour))}.")


def _tell_all(view: View, known: Known, speech: Speech) -> None:
    """The partner answers next: tell as much of the own scene as fits."""
    family = known.program["family"]
    if family == "more" and not known.holds:
        for row in range(1, known.side + 1):
            speech.add(f"Row {row} holds {counted((), in_row(known.own, row))}.")
    elif family == "total" and known.holds:
        _tell_colours(known, speech)
    elif family == "where" if known.holds else not known.cells:
        tell_rest(speech, things_of(view.private["scene"]), known.side, _told_cells(view, known, speech))


def _tell_colours(known: Known, speech: Speech) -> None:
    """How many things there are of each colour, as many as fit."""
    numbers = [counted((("colour", colour),), of_colour(known.own, colour)) for colour in VALUES["colour"]]
    for count in range(len(numbers), 1, -1):
        if speech.add(f"I have {', '.join(numbers[: count - 1])} and {numbers[count - 1]}."):
            return
