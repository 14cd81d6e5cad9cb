"""What a scripted player has heard in a dialogue: the partner's statements, each with the place that it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolif.scenarios.games.partner_reader import read_remarks
from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.scenes import Cell
from evolif.scenarios.games.statements import LOOK_WORDS, REST_OF, SCENE_WORDS, Place, Remark, Statement, cell_place


def read(view: View, text: str, side: int) -> tuple[Remark, ...]:
    """The sentences of a text, in the words of the game."""
    return read_remarks(text, LOOK_WORDS if view.game == "shapes" else SCENE_WORDS, side)


def heard_statements(view: View, side: int) -> list[Statement]:
    """What the partner has said; an answer without a place is about the cell that was asked for."""
    told: list[Statement] = []
    asked: list[Cell] = []
    for turn, text in enumerate(view.said):
        remarks = read(view, text, side)
        if turn % 2 == view.player:
            asked = [cell for remark in remarks for cell in _cells_asked(remark)]
            continue
        for remark in remarks:
            for one in remark.statements if remark.act == "say" else ():
                told.append(_but(_placed(one, asked), told))
    return told


def _but(said: Statement, told: Sequence[Statement]) -> Statement:
    """Nothing `else` means: nothing but what was told before."""
    if said.place is None or not said.place.name.startswith(REST_OF):
        return said
    known = {cell for one in told if one.place and len(one.place.cells) == 1 for cell in one.place.cells}
    return replace(said, place=Place(said.place.name, said.place.cells - known))


def _placed(said: Statement, asked: list[Cell]) -> Statement:
    """A statement with the first cell that was asked for, unless it says where; that cell counts as answered."""
    if said.place is not None:
        asked[:] = [cell for cell in asked if {cell} != said.place.cells]
    elif asked and said.count in (None, 0) and not said.relation and not said.every:
        return replace(said, place=cell_place(asked.pop(0)))
    return said


def _cells_asked(remark: Remark) -> list[Cell]:
    places = [one.place for one in remark.statements if one.place] if remark.asks == "what" else []
    return [next(iter(place.cells)) for place in places if len(place.cells) == 1]
