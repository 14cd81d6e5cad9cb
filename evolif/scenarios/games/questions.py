"""The game questions: each player sees one of two scenes, and the answer needs both.

The question is drawn first, then the answer, then scenes until the program gives that answer. So answers are balanced,
whatever the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Final, Literal, TypeAlias, get_args

from pydantic import ConfigDict

from evolif.errors import InternalError
from evolif.scenarios.games.chains import (
    SIDES,
    answer_of,
    answers_of,
    chain_beside,
    draw_chain,
    draw_chain_scenes,
    question_of_chain,
    trace_of_chain,
)
from evolif.scenarios.games.editions import FIRST, EditedSettings
from evolif.scenarios.games.instance import GameContent, Maker
from evolif.scenarios.games.programs import (
    ANSWERS,
    Description,
    Part,
    Program,
    combined,
    matches,
    part_of,
    question_of,
    trace_of,
)
from evolif.scenarios.games.scenes import (
    GRIDS,
    THINGS,
    VALUES,
    Modality,
    Scene,
    SceneGrid,
    Thing,
    cells_of,
    draw_scene,
    grids_of,
    scene_graph,
    scene_of,
    scene_text,
)
from evolif.util.rng import Stream

Family: TypeAlias = Literal["both", "every", "more", "where", "total", "common"]
FAMILIES: Final[tuple[Family, ...]] = get_args(Family)

_FORMS: Final[Mapping[tuple[Modality, Family], tuple[tuple[str, str, str], ...]]] = {
    ("text", "both"): (("pattern colour", "pattern colour", ""), ("size pattern shape", "size pattern shape", "")),
    ("text", "every"): (
        ("size colour", "size", "left of"),
        ("size shape", "size", "above"),
        ("pattern colour", "pattern", "above"),
        ("pattern shape", "pattern", "left of"),
        ("size colour", "size", "next to"),
    ),
    ("text", "more"): (("shape", "", ""), ("colour", "", ""), ("size pattern", "", ""), ("size shape", "", "")),
    ("text", "where"): (
        ("colour", "pattern colour", "left of"),
        ("pattern colour", "colour", "above"),
        ("pattern shape", "size shape", "left of"),
        ("size shape", "shape", "next to"),
    ),
    ("text", "total"): (("size shape", "", ""), ("colour", "", "")),
    ("text", "common"): (("shape", "", ""), ("pattern", "", ""), ("size", "", "")),
    ("image", "both"): (("size shape", "size shape", ""), ("size colour", "size colour", ""), ("colour", "colour", "")),
    ("image", "every"): (
        ("colour shape", "any", "left of"),
        ("colour shape", "any", "above"),
        ("size colour", "any", "left of"),
        ("colour shape", "size", "left of"),
    ),
    ("image", "more"): (("pattern", "", ""), ("shape", "", ""), ("size pattern", "", ""), ("colour", "", "")),
    ("image", "where"): (
        ("size shape", "size", "left of"),
        ("pattern", "size pattern", "next to"),
        ("size pattern", "pattern", "next to"),
        ("shape", "pattern", "next to"),
        ("colour", "pattern", "above"),
        ("colour", "size", "next to"),
    ),
    ("image", "total"): (("pattern", "", ""), ("shape", "", ""), ("size pattern", "", "")),
    ("image", "common"): (("shape", "", ""), ("pattern", "", ""), ("size", "", "")),
}
"""By modality and family: the attributes of A, those of B (`any` for an object of any kind), and the relation. They are
chosen by measurement: random scenes answer each question differently, and the best guess from one scene is right about
as often as the commonest answer is common."""
FLOORS: Final[Mapping[tuple[Modality, Family], float]] = {
    ("text", "both"): 0.719,
    ("text", "every"): 0.745,
    ("text", "more"): 0.763,
    ("text", "where"): 0.644,
    ("text", "total"): 0.332,
    ("text", "common"): 0.283,
    ("image", "both"): 0.734,
    ("image", "every"): 0.767,
    ("image", "more"): 0.772,
    ("image", "where"): 0.638,
    ("image", "total"): 0.374,
    ("image", "common"): 0.323,
}
"""By modality and family: `one_sided_share` over 1,000 instances of seed 0."""
_COMMON: Final[Mapping[Modality, tuple[int, int]]] = {"text": (4, 6), "image": (4, 4)}
"""Of the family `common`: fewest and most A of a scene."""
_WIDE_COMMON: Final = (6, 8)
"""The same of the second edition."""
CHAIN_FLOORS: Final[Mapping[tuple[Modality, Family], float]] = {
    ("text", "both"): 0.202,
    ("text", "every"): 0.163,
    ("text", "more"): 0.243,
    ("text", "where"): 0.186,
    ("text", "total"): 0.191,
    ("text", "common"): 0.145,
    ("image", "both"): 0.212,
    ("image", "every"): 0.170,
    ("image", "more"): 0.278,
    ("image", "where"): 0.233,
    ("image", "total"): 0.208,
    ("image", "common"): 0.145,
}
"""Those of the second edition: `guessed_share` over 300 instances of seed 0."""
OTHERS = 50
"""Scenes that are put in the place of one to see what the other side alone tells."""
_GUESSED = 200
"""Scenes by which the best guess from one side is found."""
_MOST_DRAWS = 100_000


class QuestionSettings(EditedSettings):
    """How hard the game `questions` is."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    modality: Modality = "text"
    """Whether players see texts or pictures; it decides the size of scenes."""
    family: Family | None = None
    """What is asked; usually all families, drawn by chance."""


class QuestionMaker(Maker):
    """Makes instances of the game `questions`."""

    settings: ClassVar[type[EditedSettings]] = QuestionSettings
    roles: ClassVar[tuple[str, str]] = ("left", "right")

    def draw(self, stream: Stream, settings: QuestionSettings) -> GameContent:
        """The question, its answer and two scenes that have it."""
        family = stream.choice(FAMILIES) if settings.family is None else settings.family
        if settings.edition > 1:
            return self._chain(stream, family, grids_of(settings.edition)[settings.modality])
        program = draw_program(stream, family, settings.modality)
        answer = stream.choice(ANSWERS[family])
        left, right = draw_scenes(stream, program, settings.modality, answer)
        grid = GRIDS[settings.modality]
        return GameContent(
            private=[{"scene": scene_graph(scene, grid)} for scene in (left, right)],
            answer=(answer, answer),
            proof=trace_of(program, left, right),
            chance=1 / len(ANSWERS[family]),
            public={"question": question_of(program), "program": program},
        )

    def _chain(self, stream: Stream, family: Family, grid: SceneGrid) -> GameContent:
        """The same of the second edition."""
        if family == "common":
            program: dict[str, Any] = {**draw_program(stream, family, "text"), "holder": None}
        else:
            program = draw_chain(stream, family)
        answers = possible_answers(program, grid)
        answer = stream.choice(answers)
        left, right = _chain_scenes(stream, program, grid, answer)
        return GameContent(
            private=[{"scene": scene_graph(scene, grid)} for scene in (left, right)],
            answer=(answer, answer),
            proof=proof_of_question(program, left, right),
            chance=1 / len(answers),
            public={"question": question_in_words(program), "program": program},
        )

    def floor(self, settings: QuestionSettings, content: GameContent) -> float:
        """The measured share of the family."""
        floors = FLOORS if settings.edition == 1 else CHAIN_FLOORS
        return floors[settings.modality, content.public["program"]["family"]]

    def text(self, instance: Mapping[str, Any], player: int) -> str:
        """One object a line."""
        return scene_text(instance["private"][player]["scene"])

    def image(self, instance: Mapping[str, Any], player: int) -> list[bytes]:
        """One PNG."""
        from evolif.scenarios.games.pictures import scene_picture

        return [scene_picture(instance["private"][player]["scene"])]


def is_chain(program: Program) -> bool:
    """Whether it is of the second edition and needs both scenes at once."""
    return program.get("holder") is not None


def possible_answers(program: Program, grid: SceneGrid) -> tuple[str, ...]:
    """What can be the answer to a question."""
    return answers_of(program["family"], grid) if is_chain(program) else ANSWERS[program["family"]]


def question_in_words(program: Program) -> str:
    """A program of any edition in words."""
    return question_of_chain(program) if is_chain(program) else question_of(program)


def proof_of_question(program: Program, left: Scene, right: Scene) -> dict[str, Any]:
    """The proof of the answer to a question of any edition."""
    return trace_of_chain(program, left, right) if is_chain(program) else trace_of(program, left, right)


def _chain_scenes(stream: Stream, program: Program, grid: SceneGrid, answer: str) -> tuple[Scene, Scene]:
    """Two scenes of the second edition from which a question has an answer."""
    for _ in range(_MOST_DRAWS):
        if is_chain(program):
            left, right = draw_chain_scenes(stream, program, grid)
            found = answer_of(program, grid, left, right)
        else:
            left = _common_scene(stream, grid, program["a"], _WIDE_COMMON)
            right = _beside_common(stream, grid, program["a"], left)
            found = combined(program, part_of(program, left), part_of(program, right))
        if found == answer:
            return left, right
    raise InternalError(f"{_MOST_DRAWS} draws gave no scenes with the answer {answer} to {program}; please report this")


def draw_program(stream: Stream, family: Family, modality: Modality) -> dict[str, Any]:
    """A question of a family."""
    first, second, relation = stream.choice(_FORMS[modality, family])
    a = _describe(stream, first)
    b = _describe(stream, second) if second else None
    while a == b:
        b = _describe(stream, second)
    return {"family": family, "a": a, "b": b, "relation": relation or None}


def _describe(stream: Stream, attributes: str) -> dict[str, str]:
    return {attribute: stream.choice(VALUES[attribute]) for attribute in attributes.split() if attribute in VALUES}


def draw_scenes(stream: Stream, program: Program, modality: Modality, answer: str) -> tuple[Scene, Scene]:
    """Two scenes from which a question has an answer."""
    for _ in range(_MOST_DRAWS):
        left = _fitting_scene(stream, program, modality)
        right = scene_beside(stream, program, modality, left)
        parts = part_of(program, left), part_of(program, right)
        if combined(program, *parts) == answer and not (program["family"] == "every" and parts == (False, False)):
            return left, right
    raise InternalError(f"{_MOST_DRAWS} draws gave no scenes with the answer {answer} to {program}; please report this")


def scene_beside(stream: Stream, program: Program, modality: Modality, kept: Scene) -> Scene:
    """A scene such as may stand beside a kept one, whatever the answer is then."""
    if program["family"] != "common":
        return _fitting_scene(stream, program, modality)
    return _beside_common(stream, GRIDS[modality], program["a"], kept)


def _beside_common(stream: Stream, grid: SceneGrid, a: Description, kept: Scene) -> Scene:
    own = [kept[cell] for cell in sorted(kept) if matches(a, kept[cell])]
    shared = stream.choice(own)
    colours = stream.sample([colour for colour in VALUES["colour"] if colour != shared.colour], len(own) - 1)
    options = ([thing for thing in _things_like(a, colour) if thing not in own] for colour in colours)
    return _scene_with(stream, grid, a, [shared, *map(stream.choice, options)])


def _fitting_scene(stream: Stream, program: Program, modality: Modality) -> Scene:
    """A random scene of which the question may be asked."""
    grid = GRIDS[modality]
    if program["family"] == "common":
        return _common_scene(stream, grid, program["a"], _COMMON[modality])
    scene = draw_scene(stream, grid)
    while part_of(program, scene) is None:
        scene = draw_scene(stream, grid)
    return scene


def _common_scene(stream: Stream, grid: SceneGrid, a: Description, limits: tuple[int, int]) -> Scene:
    colours = stream.sample(VALUES["colour"], stream.between(*limits))
    return _scene_with(stream, grid, a, [stream.choice(_things_like(a, colour)) for colour in colours])


def _scene_with(stream: Stream, grid: SceneGrid, a: Description, things: Sequence[Thing]) -> Scene:
    """A scene of these things and others that are no A."""
    cells = stream.sample(cells_of(grid), stream.between(grid.least, grid.most))
    others = _things_unlike(tuple(a.items()))
    return {cell: things[at] if at < len(things) else stream.choice(others) for at, cell in enumerate(cells)}


def _things_like(a: Description, colour: str) -> tuple[Thing, ...]:
    """Every A of a colour."""
    return _things(tuple(a.items()))[colour]


@lru_cache(maxsize=64)
def _things(a: tuple[tuple[str, str], ...]) -> Mapping[str, tuple[Thing, ...]]:
    found = [thing for thing in THINGS if matches(dict(a), thing)]
    return {colour: tuple(thing for thing in found if thing.colour == colour) for colour in VALUES["colour"]}


@lru_cache(maxsize=64)
def _things_unlike(a: tuple[tuple[str, str], ...]) -> tuple[Thing, ...]:
    return tuple(thing for thing in THINGS if not matches(dict(a), thing))


def one_sided_share(stream: Stream, instance: Mapping[str, Any], player: int) -> float:
    """How common the commonest answer is when a player's scene stays and the other is one of 50 others.

    Args:
        stream: Draws the others.
        instance: Of the game.
        player: Whose scene stays.
    """
    program, settings = instance["public"]["program"], instance["settings"]
    kept = scene_of(instance["private"][player]["scene"])
    answers = Counter(_answers_beside(stream, program, settings, kept, player, OTHERS))
    return max(answers.values()) / OTHERS


def guessed_share(stream: Stream, instance: Mapping[str, Any], player: int) -> float:
    """How often the best guess from a player's scene is right, the other being one of many others.

    The guess is what half of the others make commonest, and its share is that among the other half: where many answers
    are about as common, the commonest of a few is so by chance.

    Args:
        stream: Draws the others.
        instance: Of the game.
        player: Whose scene stays.
    """
    program, settings = instance["public"]["program"], instance["settings"]
    kept = scene_of(instance["private"][player]["scene"])
    answers = _answers_beside(stream, program, settings, kept, player, _GUESSED)
    seen, held = Counter(answers[::2]), Counter(answers[1::2])
    return held[max(seen, key=lambda answer: seen[answer])] * 2 / _GUESSED


def best_guess(stream: Stream, program: Program, settings: Mapping[str, Any], kept: Scene, player: int) -> str:
    """The answer that is likeliest for whoever sees one scene only.

    As the generator draws the answer before the scenes, an answer that random scenes seldom give counts for more.

    Args:
        stream: Draws the scenes that may stand beside the own one.
        program: The question.
        settings: Of the instance.
        kept: The own scene.
        player: Whose it is.
    """
    grid = grids_of(_edition(settings))[settings["modality"]]
    usual: Counter[str | None] = Counter()
    if is_chain(program):
        seen = Counter(_answers_beside(stream, program, settings, kept, player, _GUESSED))
    else:
        own, others = part_of(program, kept), _parts_beside(stream, program, settings, kept, _GUESSED)
        seen = Counter(_ordered(program, own, other, player) for other in others)
        if program["family"] != "common":
            usual.update(combined(program, one, other) for one in others[:OTHERS] for other in others[OTHERS:])
    return max(possible_answers(program, grid), key=lambda answer: seen[answer] / (usual[answer] + 1))


def _edition(settings: Mapping[str, Any]) -> int:
    return int(settings.get("edition", FIRST))


def _answers_beside(
    stream: Stream, program: Program, settings: Mapping[str, Any], kept: Scene, player: int, count: int
) -> list[str | None]:
    """What the answer would be with other scenes in the place of the other player's."""
    grid = grids_of(_edition(settings))[settings["modality"]]
    if is_chain(program):
        keeps_holder = program["holder"] == SIDES[player]
        others = [chain_beside(stream, program, grid, kept, keeps_holder=keeps_holder) for _ in range(count)]
        return [answer_of(program, grid, *((kept, other) if player == 0 else (other, kept))) for other in others]
    own = part_of(program, kept)
    return [_ordered(program, own, part, player) for part in _parts_beside(stream, program, settings, kept, count)]


def _parts_beside(stream: Stream, program: Program, settings: Mapping[str, Any], kept: Scene, count: int) -> list[Part]:
    """The parts of other scenes in the place of the other player's."""
    modality = settings["modality"]
    if "holder" in program:
        grid = grids_of(_edition(settings))[modality]
        return [part_of(program, _beside_common(stream, grid, program["a"], kept)) for _ in range(count)]
    return [part_of(program, scene_beside(stream, program, modality, kept)) for _ in range(count)]


def _ordered(program: Program, own: Part, other: Part, player: int) -> str | None:
    return combined(program, own, other) if player == 0 else combined(program, other, own)
