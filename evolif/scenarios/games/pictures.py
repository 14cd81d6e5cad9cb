"""Pictures of scenes and figures: PNG, flat colours that differ clearly, no letters. Needs the extra `games`."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from evolif.errors import UsageError
from evolif.scenarios.games.scenes import Thing, scene_of

if TYPE_CHECKING:
    from PIL import Image

Colour: TypeAlias = tuple[int, int, int]
Outline: TypeAlias = list[tuple[float, float]]

SIDE = 336
"""Pixels of a picture, both ways."""
COLOURS: Mapping[str, Colour] = {
    "red": (214, 24, 32),
    "orange": (255, 140, 0),
    "yellow": (255, 228, 30),
    "green": (0, 140, 60),
    "blue": (0, 105, 235),
    "purple": (125, 25, 145),
    "pink": (255, 140, 200),
    "black": (20, 20, 20),
}
"""Of things, red, green and blue from 0 to 255."""
BACKGROUND: Colour = (255, 255, 255)
FIGURE: Colour = (38, 70, 110)
"""What polygons are filled with."""
LINES: Colour = (196, 196, 196)
"""Of the grid."""
_EDGE: Colour = (60, 60, 60)
_WHITE, _GREY, _BLUE = range(3)
"""Where background, lines and figures stand in the palette."""
_STEPS = 6
"""Shades in the palette between two colours that meet."""
_FINER = 4
"""Sprites are drawn so many times larger, then made smaller, so that slanting edges look smooth."""
_SHARE = {"large": 0.9, "small": 0.54}
"""Of a cell's side that a thing takes."""
_BAND = 0.115
"""Between the middles of a white stripe and the next stripe of colour, across, in cells' sides."""


def scene_picture(graph: Mapping[str, Any]) -> bytes:
    """A scene as PNG, 336 by 336 pixels: a grid of thin lines, a thing in the middle of its cell.

    Raises:
        UsageError: the extra `games` is not installed.
    """
    image, draw = _canvas()
    side = SIDE // int(graph["rows"])
    for at in range(0, SIDE + 1, side):
        place = min(at, SIDE - 1)
        draw.line((place, 0, place, SIDE - 1), fill=_GREY)
        draw.line((0, place, SIDE - 1, place), fill=_GREY)
    for (row, column), thing in scene_of(graph).items():
        image.paste(_sprite(thing, side - 3), ((column - 1) * side + 2, (row - 1) * side + 2))
    return _png(image)


def figure_picture(graph: Mapping[str, Any]) -> bytes:
    """A figure as PNG, 336 by 336 pixels: its polygons in one colour on white.

    Raises:
        UsageError: the extra `games` is not installed.
    """
    image, draw = _canvas()
    unit = SIDE // (int(graph["width"]) + 1)
    margin = (SIDE - unit * (int(graph["width"]) - 1)) // 2
    for polygon in graph["polygons"]:
        draw.polygon([(margin + unit * x, margin + unit * y) for x, y in polygon], fill=_BLUE)
    return _png(image)


def _canvas() -> tuple[Image.Image, Any]:
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise UsageError(
            "pictures are drawn by Pillow: install the extra `games` (in a checkout: pip install -e '.[games]')."
        ) from None
    image = Image.new("P", (SIDE, SIDE), _WHITE)
    image.putpalette(_palette())
    return image, ImageDraw.Draw(image)


@lru_cache(maxsize=1)
def _palette() -> list[int]:
    """All colours of pictures, and shades between those that meet; a quarter of the bytes that a pixel else takes."""
    colours = [BACKGROUND, LINES, FIGURE, _EDGE]
    pairs = [(_EDGE, BACKGROUND), *((own, other) for own in COLOURS.values() for other in (BACKGROUND, _EDGE))]
    for own, other in pairs:
        for step in range(_STEPS):
            red, green, blue = (round(a + (b - a) * step / _STEPS) for a, b in zip(own, other, strict=True))
            colours.append((red, green, blue))
    return [value for colour in colours for value in colour]


def _png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return file.getvalue()


@lru_cache(maxsize=2048)
def _sprite(thing: Thing, side: int) -> Image.Image:
    """A thing in the middle of a white square of so many pixels."""
    from PIL import Image, ImageDraw

    fine = side * _FINER
    outline = _outline(thing.shape, fine, _SHARE[thing.size])
    paint = Image.new("RGB", (fine, fine), COLOURS[thing.colour])
    _pattern(ImageDraw.Draw(paint), thing.pattern, fine, _BAND * fine)
    shape = Image.new("L", (fine, fine), 0)
    ImageDraw.Draw(shape).polygon(outline, fill=255)
    square = Image.new("RGB", (fine, fine), BACKGROUND)
    square.paste(paint, mask=shape)
    # The first side is drawn twice, for the last corner to be joined.
    ImageDraw.Draw(square).line([*outline, *outline[:2]], fill=_EDGE, width=_FINER * 2, joint="curve")
    palette = Image.new("P", (1, 1))
    palette.putpalette(_palette())
    small = square.resize((side, side), Image.Resampling.BOX)
    return small.quantize(palette=palette, dither=Image.Dither.NONE)


def _pattern(draw: Any, pattern: str, side: int, band: float) -> None:
    """White stripes or dots over a square, the same for every size of thing; a stripe of colour is in the middle."""
    middle = side / 2
    steps = range(-math.ceil(side / band), math.ceil(side / band) + 1)
    if pattern == "striped":
        for step in steps:
            at = middle + (2 * step + 1) * band
            draw.line((at - side, middle + side, at + side, middle - side), fill=BACKGROUND, width=round(band / 2))
    elif pattern == "dotted":
        radius = band * 0.42
        for down in steps:
            for across in steps:
                x = middle + (across + down % 2 / 2) * band * 1.5
                y = middle + down * band * 1.3
                draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=BACKGROUND)


def _outline(shape: str, side: int, share: float) -> Outline:
    """The corners of a shape of so large a share of a square, in its middle."""
    middle, radius = side / 2, side * share / 2
    if shape in ("square", "cross"):
        half = radius * 0.86
        arm = half * 0.36
        square = [(-half, -half), (half, -half), (half, half), (-half, half)]
        cross = [(-arm, -half), (arm, -half), (arm, -arm), (half, -arm), (half, arm), (arm, arm)]
        cross += [(-x, -y) for x, y in cross]
        return [(middle + x, middle + y) for x, y in (square if shape == "square" else cross)]
    if shape == "circle":
        return _round(middle, [radius] * 64, 0)
    if shape == "triangle":
        return [(x, y + radius * 0.2) for x, y in _round(middle, [radius] * 3, -90)]
    if shape == "diamond":
        return [(middle + x * 0.72, middle + y) for x, y in ((0, -radius), (radius, 0), (0, radius), (-radius, 0))]
    return [(x, y + radius * 0.08) for x, y in _round(middle, [radius, radius * 0.42] * 5, -90)]


def _round(middle: float, radii: list[float], start: float) -> Outline:
    """Points around the middle at these distances, the first in this direction in degrees."""
    angles = [math.radians(start + 360 * at / len(radii)) for at in range(len(radii))]
    return [
        (middle + radius * math.cos(angle), middle + radius * math.sin(angle))
        for radius, angle in zip(radii, angles, strict=True)
    ]
