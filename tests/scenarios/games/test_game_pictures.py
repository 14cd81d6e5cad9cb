"""Pictures: their size, their colours, nothing cut off, and no two that look alike."""

from __future__ import annotations

import io
import sys
from itertools import combinations

import pytest
from PIL import Image, ImageChops

from evolif.errors import ArgumentError, UsageError
from evolif.scenarios.games import generate, private_image
from evolif.scenarios.games.pictures import BACKGROUND, COLOURS, FIGURE, LINES, SIDE, figure_picture, scene_picture
from evolif.scenarios.games.scenes import GRIDS, THINGS, VALUES, scene_graph

SEEN_BY_ALL = 30
"""A difference in red, green or blue, of 255, that is not overlooked."""


def opened(png: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(png))
    assert image.format == "PNG" and image.size == (SIDE, SIDE)
    return image.convert("RGB")


def differing(one: Image.Image, other: Image.Image) -> int:
    """Pixels in which two pictures differ clearly."""
    red, green, blue = ImageChops.difference(one, other).split()
    return sum(ImageChops.lighter(ImageChops.lighter(red, green), blue).histogram()[SEEN_BY_ALL:])


def lab(colour: tuple[int, int, int]) -> tuple[float, float, float]:
    """A colour in CIE L*a*b* (D65), in which distances are about as large as they look."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in colour))
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def test_colours_differ_clearly() -> None:
    assert tuple(COLOURS) == VALUES["colour"]
    for one, other in combinations([*COLOURS.values(), BACKGROUND], 2):
        distance = sum((a - b) ** 2 for a, b in zip(lab(one), lab(other), strict=True)) ** 0.5
        assert distance > 40, (one, other)  # just noticeable is about 2.3


@pytest.mark.slow
def test_each_thing_has_a_picture_of_its_own() -> None:
    grid = GRIDS["image"]
    pictures = {thing: opened(scene_picture(scene_graph({(2, 3): thing}, grid))) for thing in THINGS}
    alone = opened(scene_picture(scene_graph({}, grid)))
    for thing, picture in pictures.items():
        assert picture.getpixel((0, 0)) == LINES
        left, top, right, bottom = ImageChops.difference(picture, alone).getbbox() or (0, 0, 0, 0)
        # Within the cell, with some space to its lines on all sides.
        assert left >= 2 * 84 + 2 and right <= 3 * 84 - 2 and top >= 84 + 2 and bottom <= 2 * 84 - 2, thing
    for thing, picture in pictures.items():
        for attribute, values in VALUES.items():
            for value in values:
                other = thing._replace(**{attribute: value})
                assert other == thing or differing(picture, pictures[other]) > 100, (thing, other)


@pytest.mark.sampled
@pytest.mark.parametrize("game", ["scenes", "shapes"])
def test_no_two_pictures_of_a_list_look_alike(game: str) -> None:
    for number in range(25):
        instance = generate(game, number, seed=6, modality="image")
        [target], listed = private_image(instance, 0), private_image(instance, 1)
        pictures = [opened(png) for png in listed]
        assert len(listed) == instance["public"]["images"]
        assert all(differing(one, other) > 100 for one, other in combinations(pictures, 2))
        answer = instance["answer"][1]
        assert [at for at, png in enumerate(listed) if png == target] == ([] if answer == "none" else [answer])


def test_figures_are_drawn_in_one_colour_with_a_margin() -> None:
    corners = [[0, 0], [22, 0], [22, 22], [0, 22]]
    picture = opened(figure_picture({"width": 23, "height": 23, "polygons": [corners]}))
    assert picture.getcolors() is not None
    assert {colour for _, colour in picture.getcolors() or []} == {BACKGROUND, FIGURE}
    empty = Image.new("RGB", picture.size, BACKGROUND)
    assert ImageChops.difference(picture, empty).getbbox() == (14, 14, 323, 323)


def test_pictures_use_no_more_colours_than_named_and_shades() -> None:
    instance = generate("questions", 1, seed=2, modality="image")
    for player in (0, 1):
        [png] = private_image(instance, player)
        assert Image.open(io.BytesIO(png)).mode == "P"


def test_games_without_pictures_and_missing_extras_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArgumentError, match="no pictures"):
        private_image(generate("names", 0, seed=0), 0)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(UsageError, match="extra `games`"):
        private_image(generate("scenes", 0, seed=0), 0)
