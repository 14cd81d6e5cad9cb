"""Simulated players of scenes and shapes: a scripted pair, and one that answers at once.

The describer says traits of its image in a fixed order, those that the guesser asks for first. The guesser drops the
images that do not fit, and asks for the traits that split the rest best, or for a cell where all traits are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from evolif.scenarios.games.matching import differences
from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.scenes import Cell, scene_of
from evolif.scenarios.games.shapes import figure_of
from evolif.scenarios.games.speech import Speech
from evolif.scenarios.games.traits import Told, Traits, cells_of_graph, fits, read_traits, traits_of

_GO_ON = "Go on."
_LOST = "I did not understand."
_SUMS = "x1 and y1 are the sums of x and of y over the corners of polygon 1, and so on."
_MANY_TOKENS = 60
"""Of a turn: only where it has so many, the describer says what its words mean."""
_MOST_ASKED = 3
"""Traits that the guesser asks for in a turn."""


def scripted(view: View) -> str:
    """Describe, or guess, as told at the top."""
    return _describe(view) if view.player == 0 else _guess(view)


def floor(view: View) -> str:
    """Answer with the image that is most like all others; the describer has nothing to answer."""
    if not view.may_answer:
        return _GO_ON
    read = scene_of if view.game == "scenes" else figure_of
    images = [read(graph) for graph in view.private["images"]]
    return _answer(min(range(len(images)), key=lambda at: sum(differences(images[at], other) for other in images)))


def _answer(image: int | None) -> str:
    return "ANSWER: No match" if image is None else f"ANSWER: Image {image}"


def _describe(view: View) -> str:
    [graph] = view.private["images"]
    traits, cells = traits_of(graph), cells_of_graph(graph)
    told = {name for text in view.said[0::2] for name in read_traits(view.game, text).traits}
    speech = Speech(view)
    asked = read_traits(view.game, view.said[-1]) if view.said else None
    if asked and not asked.names and not asked.places and not view.said[-1].strip().endswith(_GO_ON):
        speech.add(_LOST)
    if view.game == "shapes" and view.turn == 1 and view.tokens >= _MANY_TOKENS:
        speech.add(_SUMS)
    for row, column in asked.places if asked else ():
        if (row, column) in cells:
            speech.add(f"row {row}, column {column}: {cells[row, column]}.")
    wanted = [name for name in asked.names if name in traits] if asked else []
    _say_traits(speech, traits, [*wanted, *(name for name in traits if name not in told and name not in wanted)])
    return speech.text or _GO_ON


def _say_traits(speech: Speech, traits: Traits, names: Sequence[str]) -> None:
    """As many as fit, as one sentence."""
    before, said = speech.text, ""
    for name in names:
        longer = f"{said}, {name} {traits[name]}" if said else f"{name} {traits[name]}"
        if not speech.fits(f"{before} {longer}.".strip()):
            break
        said = longer
    if said:
        speech.add(f"{said}.")


def _guess(view: View) -> str:
    images: list[Mapping[str, Any]] = view.private["images"]
    told = [read_traits(view.game, text) for text in view.said[0::2]]
    left = [at for at, graph in enumerate(images) if fits(told, graph)]
    if view.is_final or not left:
        return _answer(left[0] if left else None)
    known = {name for one in told for name in one.traits}
    unknown = {at: {name: own for name, own in traits_of(images[at]).items() if name not in known} for at in left}
    if len(left) == 1 and not unknown[left[0]]:
        return _answer(left[0])
    speech = Speech(view)
    if told and not _tells(told[-1]):
        speech.add(_LOST)
    asked = _splitting(list(unknown.values()))
    while asked and not speech.add(f"Tell me {', '.join(asked)}."):
        asked.pop()
    if not asked:
        cell = _differing_cell([images[at] for at in left])
        speech.add(_GO_ON if cell is None else f"What is at row {cell[0]}, column {cell[1]}?")
    return speech.text


def _differing_cell(graphs: Sequence[Mapping[str, Any]]) -> Cell | None:
    """The first cell in which not all scenes have the same; figures have no cells."""
    cells = [cells_of_graph(graph) for graph in graphs]
    return next((cell for cell in cells[0] if len({one[cell] for one in cells}) > 1), None)


def _tells(told: Told) -> bool:
    return bool(told.traits or told.cells)


def _splitting(images: Sequence[Traits]) -> list[str]:
    """The traits that split images best, one after the other; none where all are alike or only one is left."""
    groups = [list(images)]
    names = list(dict.fromkeys(name for traits in images for name in traits))
    chosen: list[str] = []
    while len(chosen) < _MOST_ASKED and any(len(group) > 1 for group in groups):
        sizes = {name: sum(_size(name, group) for group in groups) for name in names}
        best = min(names, key=lambda name: sizes[name], default=None)
        if best is None or sizes[best] == sum(len(group) ** 2 for group in groups):
            break
        chosen.append(best)
        values = {traits.get(best) for traits in images}
        groups = [
            [one for one in group if one.get(best) == value] for group in groups for value in sorted(values, key=str)
        ]
    return chosen


def _size(name: str, group: Sequence[Traits]) -> int:
    """How many images one expects to be left of a group once the trait is known, times the size of the group."""
    return sum(count**2 for count in Counter(traits.get(name) for traits in group).values())
