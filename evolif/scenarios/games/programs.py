"""Questions over two scenes as programs: run on each scene for its part of the answer, then on both parts.

A program is plain JSON: `{"family", "a", "b", "relation"}`, `a` and `b` being descriptions such as `{"colour": "red",
"shape": "star"}`; a family without a second description or a relation has None there. No part of an answer needs the
other scene, so each player can say theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from evolif.scenarios.games.scenes import VALUES, Cell, Scene, Thing

Description: TypeAlias = Mapping[str, str]
"""Attributes of things and the value that each has to have."""
Program: TypeAlias = Mapping[str, Any]
Part: TypeAlias = Any
"""What one scene contributes: plain JSON, None where it cannot be the scene of such a question."""

ANSWERS: Final[Mapping[str, tuple[str, ...]]] = {
    "both": ("True", "False"),
    "every": ("True", "False"),
    "more": ("True", "False"),
    "where": ("0", "1", "2"),
    "total": ("1", "2", "3", "4", "5", "6"),
    "common": VALUES["colour"],
}
"""By family: what can be the answer. Their keys are the families."""
RELATIONS: Final[Mapping[str, str]] = {
    "left of": "in a column further left, in whatever row",
    "above": "in a row further up, in whatever column",
    "next to": "in a cell that shares a side with its cell",
}
"""What relations mean, as questions say it."""


def matches(description: Description, thing: Thing) -> bool:
    """Whether a thing is as described."""
    return all(getattr(thing, attribute) == value for attribute, value in description.items())


def related(relation: str, one: Cell, other: Cell) -> bool:
    """Whether what lies in one cell stands in a relation to what lies in the other."""
    if relation == "left of":
        return one[1] < other[1]
    if relation == "above":
        return one[0] < other[0]
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def part_of(program: Program, scene: Scene) -> Part:
    """Run a program on one scene.

    Returns:
        both: whether it holds an A, and whether a B. every: whether each of its A is related to a B; None if it has no
        A. more, total: how many A it holds. where: whether an A in it is related to a B. common: its A, in order of
        cells, in words.
    """
    return _PARTS[program["family"]](program, scene)


def combined(program: Program, left: Part, right: Part) -> str | None:
    """Run a program on the parts of both scenes.

    Returns:
        One of the family's answers; None if the scenes are none that the question may be asked of.
    """
    family = program["family"]
    if left is None or right is None:
        return None
    if family == "common":
        return _common(left, right)
    if family == "both":
        return str((left[0] and right[1]) or (left[1] and right[0]))
    if family == "every":
        return str(left and right)
    if family == "more":
        return str(left > right)
    total = str(int(left) + int(right))
    return total if total in ANSWERS[family] else None


def trace_of(program: Program, left: Scene, right: Scene) -> dict[str, Any]:
    """The proof of an answer: what the program finds in each scene, and what follows.

    Returns:
        `{"program", "left", "right", "answer"}`; each side has the cells of its A and B and its part.
    """
    sides = [_side(program, scene) for scene in (left, right)]
    answer = combined(program, sides[0]["part"], sides[1]["part"])
    return {"program": dict(program), "left": sides[0], "right": sides[1], "answer": answer}


def _side(program: Program, scene: Scene) -> dict[str, Any]:
    side: dict[str, Any] = {"a": [list(cell) for cell in _cells(program["a"], scene)]}
    if program["b"] is not None:
        side["b"] = [list(cell) for cell in _cells(program["b"], scene)]
    return {**side, "part": part_of(program, scene)}


def _cells(description: Description, scene: Scene) -> list[Cell]:
    wanted = tuple(description.items())
    return sorted(cell for cell, thing in scene.items() if all(getattr(thing, name) == value for name, value in wanted))


def _both(program: Program, scene: Scene) -> Part:
    return [bool(_cells(program["a"], scene)), bool(_cells(program["b"], scene))]


def _every(program: Program, scene: Scene) -> Part:
    found = _related(program, scene)
    return all(found) if found else None


def _where(program: Program, scene: Scene) -> Part:
    return any(_related(program, scene))


def _related(program: Program, scene: Scene) -> list[bool]:
    """For each A, whether it is related to a B."""
    others, relation = _cells(program["b"], scene), program["relation"]
    return [any(related(relation, own, other) for other in others) for own in _cells(program["a"], scene)]


def _count(program: Program, scene: Scene) -> Part:
    return len(_cells(program["a"], scene))


def _things(program: Program, scene: Scene) -> Part:
    return [" ".join(scene[cell]) for cell in _cells(program["a"], scene)]


def _common(left: Sequence[str], right: Sequence[str]) -> str | None:
    shared = [words for words in left if words in right]
    colours = {word for words in shared for word in words.split() if word in VALUES["colour"]}
    return colours.pop() if len(shared) == 1 and colours else None


_PARTS: Final[Mapping[str, Callable[[Program, Scene], Part]]] = {
    "both": _both,
    "every": _every,
    "more": _count,
    "where": _where,
    "total": _count,
    "common": _things,
}


def noun(description: Description, *, plural: bool = False) -> str:
    """A description in words: `large red star`; without a shape, `large red object`."""
    words = [description[attribute] for attribute in VALUES if attribute in description]
    if "shape" not in description:
        words.append("object")
    if plural:
        words[-1] += "es" if words[-1].endswith("s") else "s"
    return " ".join(words)


def one_of(description: Description) -> str:
    """A description in words with its article."""
    words = noun(description)
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def question_of(program: Program) -> str:
    """A program in words, with what its relation means, or what is the same."""
    family, a, b, relation = program["family"], program["a"], program["b"], program["relation"]
    if family == "both":
        return f"Is there {one_of(a)} in one scene and {one_of(b)} in the other?"
    if family == "every":
        return f"Is every {noun(a)} of the two scenes {relation} {one_of(b)} in its scene? {_meaning(relation)}"
    if family == "more":
        return f"Are there more {noun(a, plural=True)} in the left scene than in the right?"
    if family == "where":
        return f"In how many of the two scenes is {one_of(a)} {relation} {one_of(b)}? {_meaning(relation)}"
    if family == "total":
        return f"How many {noun(a, plural=True)} do the two scenes hold together?"
    same = "The same means the same in size, pattern, colour and shape, in whatever cell."
    return f"What colour is the only {noun(a)} that is the same in both scenes? {same}"


def _meaning(relation: str) -> str:
    return f"{relation.capitalize()} means {RELATIONS[relation]}."
