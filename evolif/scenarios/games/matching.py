"""The games scenes and shapes: one player describes an image, the other finds it among near-duplicates, or finds none.

All images are variants of one that nobody sees, each a few edits away. They are drawn one like the other, and the
target is chosen afterwards, so that whoever sees only the list has no reason to prefer any: the floor is chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import Field, model_validator

from evolif.errors import InternalError
from evolif.scenarios.games.editions import FIRST, EditedSettings
from evolif.scenarios.games.instance import GameContent, Maker
from evolif.scenarios.games.looks import WIDE_BLOCKS, draw_wide_figure, edit_wide_figure, wide_figures_look_alike
from evolif.scenarios.games.scenes import (
    Modality,
    Scene,
    draw_scene,
    edit_scene,
    grids_of,
    scene_graph,
    scene_of,
    scene_text,
    scenes_look_alike,
    trade_scene,
)
from evolif.scenarios.games.shapes import (
    BLOCKS,
    Figure,
    draw_figure,
    edit_figure,
    figure_graph,
    figure_of,
    figure_text,
    figures_look_alike,
)
from evolif.util.rng import Stream

_Image = TypeVar("_Image", Scene, Figure)
NO_MATCH = "none"
"""The answer where the list does not hold the image; otherwise it is a place in the list, from 0."""
_FIRST_EDITS = 3
_MOST_DRAWS = 1000
"""Of one variant."""


class SceneSettings(EditedSettings):
    """How hard the game `scenes` is."""

    modality: Modality = "text"
    """Whether players see texts or pictures; it decides the size of scenes."""
    images: Annotated[int, Field(ge=2, le=9)] = 6
    """How many the guesser sees, all near-duplicates."""
    edits: Annotated[int, Field(ge=1, le=6)] = 1
    """The most edits between an image and what all are variants of (3 in the first edition)."""

    @model_validator(mode="before")
    @classmethod
    def _as_before(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and str(given.get("edition")) == str(FIRST):
            return {"edits": _FIRST_EDITS, **given}
        return given


class ShapeSettings(SceneSettings):
    """How hard the game `shapes` is; as for scenes, but with fewer images."""

    images: Annotated[int, Field(ge=2, le=9)] = 4
    """How many the guesser sees, all near-duplicates."""


class SceneMaker(Maker):
    """Makes instances of the game `scenes`."""

    settings: ClassVar[type[EditedSettings]] = SceneSettings
    roles: ClassVar[tuple[str, str]] = ("describer", "guesser")
    answerers: ClassVar[tuple[int, ...]] = (1,)

    def draw(self, stream: Stream, settings: SceneSettings) -> GameContent:
        """The images, the target and where it stands in the list."""
        grid = grids_of(settings.edition)[settings.modality]
        base = draw_scene(stream, grid)
        edit = edit_scene if settings.edition == FIRST else trade_scene
        variants = draw_variants(stream, base, lambda scene: edit(stream, scene, grid), settings, scenes_look_alike)
        return _content(stream, variants, [scene_graph(scene, grid) for scene in variants])

    def floor(self, settings: SceneSettings, content: GameContent) -> float:
        """Chance: all images are drawn alike, whichever is the target."""
        return content.chance

    def text(self, instance: Mapping[str, Any], player: int) -> str:
        """One object a line; the guesser's images are numbered from 0."""
        return _listed([scene_text(graph) for graph in instance["private"][player]["images"]], player)

    def image(self, instance: Mapping[str, Any], player: int) -> list[bytes]:
        """A PNG for each image of the player."""
        from evolif.scenarios.games.pictures import scene_picture

        return [scene_picture(graph) for graph in instance["private"][player]["images"]]


class ShapeMaker(SceneMaker):
    """Makes instances of the game `shapes`."""

    settings: ClassVar[type[EditedSettings]] = ShapeSettings

    def draw(self, stream: Stream, settings: SceneSettings) -> GameContent:
        """The images, the target and where it stands in the list."""
        if settings.edition == FIRST:
            draw, edit, alike, blocks = draw_figure, edit_figure, figures_look_alike, BLOCKS
        else:
            draw, edit, alike, blocks = draw_wide_figure, edit_wide_figure, wide_figures_look_alike, WIDE_BLOCKS
        variants = draw_variants(stream, draw(stream), lambda figure: edit(stream, figure), settings, alike)
        return _content(stream, variants, [figure_graph(figure, blocks) for figure in variants])

    def text(self, instance: Mapping[str, Any], player: int) -> str:
        """One polygon a line; the guesser's images are numbered from 0."""
        return _listed([figure_text(graph) for graph in instance["private"][player]["images"]], player)

    def image(self, instance: Mapping[str, Any], player: int) -> list[bytes]:
        """A PNG for each image of the player."""
        from evolif.scenarios.games.pictures import figure_picture

        return [figure_picture(graph) for graph in instance["private"][player]["images"]]


def draw_variants(
    stream: Stream,
    base: _Image,
    edit: Callable[[_Image], _Image],
    settings: SceneSettings,
    alike: Callable[[_Image, _Image], bool],
) -> list[_Image]:
    """One variant more than there are images, all different from each other and from the base.

    Args:
        stream: What is drawn from.
        base: What they are variants of.
        edit: Makes one change.
        settings: How many images, and how many edits at most.
        alike: Whether two images cannot be told from each other.
    """
    variants: list[_Image] = []
    for _ in range(_MOST_DRAWS):
        new = base
        for _ in range(stream.between(1, settings.edits)):
            new = edit(new)
        if not alike(new, base) and not any(alike(new, old) for old in variants):
            variants.append(new)
            if len(variants) > settings.images:
                return variants
    raise InternalError(f"{_MOST_DRAWS} draws gave no {settings.images + 1} different variants; please report this")


def _content(stream: Stream, variants: Sequence[_Image], graphs: Sequence[dict[str, Any]]) -> GameContent:
    images = len(variants) - 1
    target = stream.below(images + 1)
    order = stream.sample(range(images), images)
    return GameContent(
        private=({"images": [graphs[target]]}, {"images": [graphs[at] for at in order]}),
        answer=(None, order.index(target) if target < images else NO_MATCH),
        proof={"differences": [differences(variants[target], variants[at]) for at in order]},
        chance=1 / (images + 1),
        public={"images": images},
    )


def differences(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> int:
    """In how many cells or blocks two images differ; 0 proves that they are equal."""
    return sum(one.get(place) != other.get(place) for place in one.keys() | other.keys())


def proof_of(game: str, private: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Find the proof again from the two private parts.

    Args:
        game: `scenes` or `shapes`.
        private: What each player sees.

    Returns:
        `{"differences": [...]}`, one number an image of the list. The image with 0 is the answer; without one it is
        `none`.
    """
    read: Callable[[Mapping[str, Any]], Mapping[Any, Any]] = scene_of if game == "scenes" else figure_of
    [target], listed = private[0]["images"], private[1]["images"]
    return {"differences": [differences(read(target), read(graph)) for graph in listed]}


def _listed(texts: Sequence[str], player: int) -> str:
    if player == 0:
        return "\n\n".join(texts)
    return "\n\n".join(f"Image {number}:\n{text}" for number, text in enumerate(texts))
