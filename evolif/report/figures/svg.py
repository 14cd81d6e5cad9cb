"""SVG that can stand in a page: no head, no style rules, no dates, no outside references, ids of its own."""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as Tree

from evolif.report.figures.style import clean, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_SVG = "http://www.w3.org/2000/svg"
_GROUP, _DEFINITIONS = f"{{{_SVG}}}g", f"{{{_SVG}}}defs"
_HREF = "{http://www.w3.org/1999/xlink}href"
_FONTS = "DejaVu Sans, Verdana, Arial, Helvetica, sans-serif"

_REFERENCE = re.compile(r"^url\(#([\w-]+)\)$")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_NO_TURN = re.compile(r"^rotate\(-?0(?: [\d. -]*)?\)$")
_FONT_SIZE = re.compile(r"(?:^|\s)([\d.]+)px")


def svg_text(figure: Figure, name: str, *, words: str = "", inline: bool = False) -> str:
    """The figure as SVG, whose text is text and whose bytes depend on the figure alone.

    matplotlib's own output is read again and written sparingly: what CSS said becomes attributes (a page's policy may
    forbid styles, and a rule for `*` would reach the whole page), ids begin with the figure's name and a hash of its
    content, numbers end after two digits.

    Args:
        figure: Made within `style`.
        name: The figure's name: letters, digits, hyphens.
        words: What a screen reader says; the caption's first sentence.
        inline: For a page: as wide as its place, at most as wide as made. Else for a file: of fixed size, with the
            XML head.
    """
    root = Tree.fromstring(_saved(figure, "svg", dict.fromkeys(("Date", "Creator", "Format", "Type")), dpi=72))
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    _attributes_for_styles(root)
    _short_ids(root, name)
    _thin(root)
    _hoist(root)
    _frame(root, words, inline=inline)
    Tree.register_namespace("", _SVG)
    Tree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    text = Tree.tostring(root, encoding="unicode")
    return text if inline else f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def png_bytes(figure: Figure) -> bytes:
    """The figure as PNG, 200 dots per inch, without date or version."""
    return _saved(figure, "png", {"Software": None}, dpi=200)


def _saved(figure: Figure, form: str, metadata: dict[str, None], dpi: float) -> bytes:
    """Rendered by the canvas itself: `savefig` would draw all of it twice, to learn of a layout that is settled."""
    buffer = io.BytesIO()
    with style(), _missing_glyphs_are_boxes():
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        was_canvas, was_dpi = figure.canvas, figure.get_dpi()
        _settle(figure)
        canvas: Any = FigureCanvasSVG(figure) if form == "svg" else FigureCanvasAgg(figure)
        figure.set_dpi(dpi)
        try:
            if form == "svg":
                canvas.print_svg(buffer, metadata=metadata)
            else:
                # Half the time of the default level, and a twentieth more bytes.
                canvas.print_png(buffer, metadata=metadata, pil_kwargs={"compress_level": 3})
        finally:
            figure.set_dpi(was_dpi)
            figure.set_canvas(was_canvas)
    return buffer.getvalue()


def _settle(figure: Figure) -> None:
    """Lay the figure out once; every rendering would do it again, and it takes longer than the rendering."""
    engine = figure.get_layout_engine()
    if engine is not None:
        if figure.axes:  # without any there is nothing to lay out, and matplotlib warns
            engine.execute(figure)
        figure.set_layout_engine("none")


@contextmanager
def _missing_glyphs_are_boxes() -> Iterator[None]:
    """A name in a script that the font lacks is no warning: SVG readers have fonts of their own, PNG shows boxes."""
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield


def _attributes_for_styles(root: Tree.Element) -> None:
    for element in root.iter():
        for rule in element.attrib.pop("style", "").split(";"):
            key, _, value = rule.partition(":")
            if key.strip() == "font":
                size = _FONT_SIZE.search(value)
                element.set("font-size", size[1] if size else "8")
                if "italic" in value:
                    element.set("font-style", "italic")
            elif key.strip() == "font-size":
                element.set("font-size", value.strip().removesuffix("px"))
            elif value and key.strip() != "font-family":
                element.set(key.strip(), value.strip())
        if _NO_TURN.match(element.get("transform", "")):
            del element.attrib["transform"]
        for key in ("d", "x", "y", "width", "height", "transform", "points"):
            if key in element.attrib:
                element.set(key, _shorter(element.attrib[key]))


def _shorter(numbers: str) -> str:
    return " ".join(_LONG_NUMBER.sub(lambda n: f"{float(n[0]):.2f}".rstrip("0").rstrip("."), numbers).split())


def _thin(element: Tree.Element) -> None:
    """Drop white space between elements, and groups that hold nothing or say nothing of what they hold."""
    kept: list[Tree.Element] = []
    for child in list(element):
        _thin(child)
        child.tail = None
        if child.tag != _GROUP and not (child.tag == _DEFINITIONS and not len(child)):
            kept.append(child)
        elif child.tag == _GROUP:
            kept += [child] if len(child) and child.attrib else list(child)
    element[:] = kept
    if element.tag != f"{{{_SVG}}}text":
        element.text = None


def _hoist(root: Tree.Element) -> None:
    """Say on the root what most texts say of themselves."""
    texts = [element for element in root.iter() if element.tag == f"{{{_SVG}}}text"]
    for key in ("font-size", "text-anchor"):
        said = Counter(element.get(key, "") for element in texts)
        if said:
            common, _ = max(said.items(), key=lambda item: (item[1], item[0]))
            root.set(key, common)
            for element in texts:
                if element.get(key) == common:
                    del element.attrib[key]


def _short_ids(root: Tree.Element, name: str) -> None:
    """Keep the ids that something refers to, under names that no other figure of a page has."""
    prefix = f"{name}-{hashlib.sha256(Tree.tostring(root)).hexdigest()[:8]}"
    used = {target for element in root.iter() for target in _targets(element)}
    new: dict[str, str] = {}
    for element in root.iter():
        if (old := element.attrib.pop("id", None)) in used and old is not None:
            new[old] = f"{prefix}-{len(new) + 1}"
            element.set("id", new[old])
    for element in root.iter():
        if _HREF in element.attrib:
            element.set(_HREF, f"#{new[element.attrib[_HREF][1:]]}")
        for key, value in element.attrib.items():
            if match := _REFERENCE.match(value):
                element.set(key, f"url(#{new[match[1]]})")


def _targets(element: Tree.Element) -> Iterator[str]:
    if _HREF in element.attrib:
        yield element.attrib[_HREF][1:]
    for value in element.attrib.values():
        if match := _REFERENCE.match(value):
            yield match[1]


def _frame(root: Tree.Element, words: str, *, inline: bool) -> None:
    for key, value in (
        ("font-family", _FONTS), ("stroke-linejoin", "round"), ("stroke-linecap", "butt"), ("role", "img"),
    ):  # fmt: skip
        root.set(key, value)
    if words:
        root.set("aria-label", clean(words))
    if inline:
        # The page gives it its width; the viewBox keeps its shape.
        root.set("class", "evolif-figure")
        root.set("width", "100%")
        root.attrib.pop("height", None)
