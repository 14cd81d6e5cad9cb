"""Render figures as PNG, and as SVG that can stand in a page.

matplotlib's own SVG has style rules, which a page's content security policy forbids, and ids that repeat from figure to
figure. The SVG made here has neither, and no dates or references to anything outside.
"""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as Tree

from evolif.report.figures.style import clean, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_NAMESPACES = {"": "http://www.w3.org/2000/svg", "xlink": "http://www.w3.org/1999/xlink"}
_SVG, _HREF = f"{{{_NAMESPACES['']}}}", f"{{{_NAMESPACES['xlink']}}}href"
_FONTS = "DejaVu Sans, Verdana, Arial, Helvetica, sans-serif"
_THEME = {
    "#000000": "ink", "#ffffff": "paper", "#555555": "soft", "#999999": "soft", "#dddddd": "line", "#eeeeee": "line",
    "#e6e6e6": "line", "#f4f4f4": "sheet", "#9dc3df": "bar", "#3d7ea6": "bar-edge", "#a40e26": "bad",
}  # fmt: skip
"""Colours that on the page follow the reader's colour scheme, and the variable of its style sheet for each."""
_PAINT = ("fill", "stroke")
_GEOMETRY = ("d", "x", "y", "width", "height", "transform")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")


def svg_text(figure: Figure, name: str, *, words: str = "", inline: bool = False) -> str:
    """The figure as SVG; its text stays text, and its bytes depend on the figure alone.

    Args:
        figure: Made within `style`.
        name: The figure's name: letters, digits, hyphens. All ids begin with it and a hash of the content.
        words: What a screen reader says; the caption's first sentence.
        inline: For a page: as wide as its place, at most as wide as made. Else for a file: of fixed size, with the
            XML head.
    """
    source = _render(figure, "svg", dict.fromkeys(("Date", "Creator", "Format", "Type")), dpi=72)
    root = Tree.fromstring(source)
    _replace_styles(root)
    _prefix_ids(root, f"{name}-{hashlib.sha256(source).hexdigest()[:8]}")
    _flatten(root)
    root.attrib.update({"font-family": _FONTS, "stroke-linejoin": "round", "stroke-linecap": "butt", "role": "img"})
    if words:
        root.set("aria-label", clean(words))
    if inline:
        # The page sets the width; the viewBox keeps the shape.
        root.attrib.update({"class": "evolif-figure", "width": "100%"})
        root.attrib.pop("height", None)
        _follow_scheme(root)
    for prefix, uri in _NAMESPACES.items():
        Tree.register_namespace(prefix, uri)
    text = Tree.tostring(root, encoding="unicode")
    return text if inline else f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def png_bytes(figure: Figure) -> bytes:
    """The figure as PNG, 200 dots per inch, without date or version."""
    return _render(figure, "png", {"Software": None}, dpi=200)


def _render(figure: Figure, form: str, metadata: dict[str, None], dpi: float) -> bytes:
    """Render with the canvas itself: `savefig` would draw twice to learn a layout that is already settled."""
    buffer = io.BytesIO()
    with style(), warnings.catch_warnings():
        # SVG readers have other fonts for a script that ours lacks; PNG shows boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        old_canvas, old_dpi = figure.canvas, figure.get_dpi()
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
            figure.set_dpi(old_dpi)
            figure.set_canvas(old_canvas)
    return buffer.getvalue()


def _settle(figure: Figure) -> None:
    """Lay the figure out once; every rendering would do it again, and it takes longer than the rendering."""
    engine = figure.get_layout_engine()
    if engine is not None:
        if figure.axes:  # matplotlib warns where there is nothing to lay out
            engine.execute(figure)
        figure.set_layout_engine("none")


def _replace_styles(root: Tree.Element) -> None:
    """Turn style rules into attributes, and end numbers after two digits."""
    for element in root.iter():
        rules = dict(re.findall(r"([\w-]+): *([^;]+)", element.attrib.pop("style", "")))
        rules.pop("font-family", None)
        font = rules.pop("font", "")  # matplotlib 3.8 writes a shorthand, which is not an attribute
        if size := re.search(r"[\d.]+px", font):
            rules.update({"font-size": size[0], "font-style": "italic" if "italic" in font else "normal"})
        for key in _GEOMETRY:
            if key in element.attrib:
                rules[key] = " ".join(_LONG_NUMBER.sub(_round, element.attrib[key]).split())
        element.attrib.update(rules)


def _follow_scheme(root: Tree.Element) -> None:
    """Paint with the variables of the page, so that a figure is light on dark where the page is."""
    root.set("fill", themed("#000000"))  # what has no colour is black
    for element in root.iter():
        for key in _PAINT:
            if key in element.attrib:
                element.set(key, themed(element.attrib[key]))


def themed(colour: str) -> str:
    """The colour as the page paints it: a variable of its style sheet, or the colour itself."""
    name = _THEME.get(colour)
    return colour if name is None else f"var(--{name})"


def _round(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _prefix_ids(root: Tree.Element, prefix: str) -> None:
    """Make ids unique in a page, and drop those that nothing refers to."""
    references = [(element, key) for element in root.iter() for key in (_HREF, "clip-path") if key in element.attrib]
    targets = {element.attrib[key].partition("#")[2].rstrip(")") for element, key in references}
    for element, key in references:
        element.set(key, element.attrib[key].replace("#", f"#{prefix}-"))
    for element in root.iter():
        own = element.attrib.pop("id", "")
        if own in targets:
            element.set("id", f"{prefix}-{own}")


def _flatten(element: Tree.Element) -> None:
    """Drop metadata, style sheets, white space between elements, and groups without content or attributes."""
    children: list[Tree.Element] = []
    for child in element:
        _flatten(child)
        child.tail = None
        if child.tag == f"{_SVG}g" and not (child.attrib and len(child)):
            children += child
        elif child.tag not in (f"{_SVG}metadata", f"{_SVG}style"):
            children.append(child)
    element[:] = children
    if element.tag != f"{_SVG}text":
        element.text = None
