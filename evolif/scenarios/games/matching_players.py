"""Simulated players of scenes and shapes: a scripted pair that talks in plain English, and one that answers at once.

The describer answers what it is asked and then goes on, row by row. The guesser drops images that do not fit what it
hears, and asks for the cells that part the rest best. As the image may be none of the list, what most images have in
common stands for it: an image is chosen once the describer has confirmed what only this one has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from evolif.scenarios.games.hearing import heard_statements, read
from evolif.scenarios.games.matching import differences
from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.scenes import Cell, scene_of
from evolif.scenarios.games.shapes import figure_of
from evolif.scenarios.games.speech import Speech
from evolif.scenarios.games.statements import Things, side_of, things_of
from evolif.scenarios.games.telling import (
    GO_ON,
    add_first,
    ask_back,
    cell_words,
    cells_told,
    is_lost,
    replies,
    tell_rest,
)

_TOKENS_OF_A_REPLY = 14
"""About what it takes to say what lies in a cell."""


def scripted(view: View) -> str:
    """Describe, or guess, as told at the top."""
    return _describe(view) if view.player == 0 else _guess(view)


def floor(view: View) -> str:
    """Answer with the image that is most like all others; the describer has nothing to answer."""
    if not view.may_answer:
        return GO_ON
    read = scene_of if view.game == "scenes" else figure_of
    images = [read(graph) for graph in view.private["images"]]
    return _answer(min(range(len(images)), key=lambda at: sum(differences(images[at], other) for other in images)))


def _answer(image: int | None) -> str:
    return "ANSWER: No match" if image is None else f"ANSWER: Image {image}"


def _describe(view: View) -> str:
    [graph] = view.private["images"]
    things, side = things_of(graph), side_of(graph)
    told = cells_told(remark for text in view.said[0::2] for remark in read(view, text, side))
    heard = read(view, view.said[-1], side) if view.said else ()
    speech = Speech(view)
    if view.said and is_lost(view.said[-1], heard):
        ask_back(speech, view.said[0::2])
    for forms in replies(things, [remark for remark in heard if remark.act == "ask"]):
        if not add_first(speech, forms):
            break
    known = told | cells_told(read(view, speech.text, side))
    tell_rest(speech, things, side, known)
    return speech.text or GO_ON


def _guess(view: View) -> str:
    images = [things_of(graph) for graph in view.private["images"]]
    side = side_of(view.private["images"][0])
    # That nothing stands in a relation may be meant of the nearest cells alone, and so rules nothing out.
    told = [one for one in heard_statements(view, side) if not (one.relation and one.count == 0)]
    left = [at for at, things in enumerate(images) if all(one.holds(things) for one in told)]
    if view.is_final or not left:
        return _answer(left[0] if left else None)
    usual = _usual(images, side)
    possible: list[Things] = [images[at] for at in left]
    doubts = [usual] if len(left) > 1 else _nearly(images[left[0]], usual, side)
    possible += [things for things in doubts if all(one.holds(things) for one in told)]
    asked = _splitting(possible, max(1, view.tokens // _TOKENS_OF_A_REPLY))
    if not asked:
        return _answer(left[0])
    speech = Speech(view)
    if is_lost(view.said[-1], read(view, view.said[-1], side)):
        ask_back(speech, view.said[1::2])
    for at, cell in enumerate(asked):
        if not speech.add(f"{'And in' if at else 'What is in'} {cell_words(cell)}?"):
            break
    return speech.text or GO_ON


def _usual(images: Sequence[Things], side: int) -> dict[Cell, Mapping[str, str]]:
    """What lies in each cell of most images."""
    usual: dict[Cell, Mapping[str, str]] = {}
    for cell in _cells(side):
        often = Counter(_key(things, cell) for things in images)
        key = max(often, key=lambda own: often[own])
        if key is not None:
            usual[cell] = dict(key)
    return usual


def _nearly(things: Things, usual: Things, side: int) -> list[Things]:
    """An image but for one cell, which is as in most: while this is possible, the answer may be none of the list."""
    nearly: list[Things] = []
    for cell in _cells(side):
        if _key(things, cell) != _key(usual, cell):
            other = {at: thing for at, thing in things.items() if at != cell}
            nearly.append({**other, cell: usual[cell]} if cell in usual else other)
    return nearly


def _cells(side: int) -> list[Cell]:
    return [(row, column) for row in range(1, side + 1) for column in range(1, side + 1)]


def _key(things: Things, cell: Cell) -> tuple[tuple[str, Any], ...] | None:
    return tuple(things[cell].items()) if cell in things else None


def _splitting(images: Sequence[Things], most: int) -> list[Cell]:
    """The cells that part images best, one after the other; none where all are alike."""
    cells = sorted({cell for things in images for cell in things})
    groups = [list(images)]
    chosen: list[Cell] = []
    while len(chosen) < most:
        whole = sum(len(group) ** 2 for group in groups)
        sizes = {cell: sum(_size(cell, group) for group in groups) for cell in cells}
        best = min(cells, key=lambda cell: sizes[cell], default=None)
        if best is None or sizes[best] == whole:
            break
        chosen.append(best)
        groups = [part for group in groups for part in _parts(best, group)]
    return chosen


def _parts(cell: Cell, group: Sequence[Things]) -> list[list[Things]]:
    parts: dict[Any, list[Things]] = {}
    for things in group:
        parts.setdefault(_key(things, cell), []).append(things)
    return list(parts.values())


def _size(cell: Cell, group: Sequence[Things]) -> int:
    """How many images one expects to be left of a group once the cell is known, times the size of the group."""
    return sum(count**2 for count in Counter(_key(things, cell) for things in group).values())
