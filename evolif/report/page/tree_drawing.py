"""The topic trees of a dialogue as SVG for the page: a transcript may have one, so it is drawn without matplotlib."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

from evolif.report.figures.style import GREY, ink_on, look
from evolif.report.figures.svg import themed
from evolif.report.topic_tree import TopicTree, TreeRound

_STEP, _LANE, _RADIUS = 30, 30, 10
"""Pixels from round to round, from lane to lane, and of a round."""
_LETTER = 6.4
"""Width of a letter of the names, in pixels."""
_BAD = "#a40e26"
_COLOUR = re.compile(r'(fill|stroke)="(#[0-9a-f]{6})"')


def tree_svg(tree: TopicTree) -> Markup:
    """The drawing, in the colours of the page. Each round says in a tooltip what it did; a list below says the same.

    Only whole numbers and words of ours and of the scenario enter it: no text of the dialogue does.
    """
    names = tree.names()
    left = 24 + round(_LETTER * max(map(len, names)))
    width = left + _STEP * len(tree.rounds)
    height = _LANE * len(tree.lanes) + 12
    pieces = [
        f'<svg class="topic-tree" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(tree.summary)}" font-family="sans-serif" font-size="11">',
        *_lanes(tree, names, left, width),
        *_edges(tree, left),
        '<g text-anchor="middle" stroke-width="1.5">',
        *(_round(one, left) for one in tree.rounds),
        "</g></svg>",
    ]
    return Markup(_COLOUR.sub(lambda found: f'{found[1]}="{themed(found[2])}"', "".join(pieces)))


def _at(one: TreeRound, left: int) -> tuple[int, int]:
    return left + _STEP * (one.number - 1) + _STEP // 2, _y(one.lane)


def _y(lane: int) -> int:
    return _LANE * lane + _LANE // 2 + 8


def _lanes(tree: TopicTree, names: list[str], left: int, width: int) -> Iterator[str]:
    lines = "".join(f"M{left} {_y(lane)}H{width}" for lane in range(len(names)))
    yield f'<path d="{lines}" stroke="#eeeeee"/><g text-anchor="end" fill="{GREY}">'
    for lane, name in enumerate(names):
        bold = ' font-weight="600"' if tree.lanes[lane][1] == "b0" else ""
        yield f'<text x="{left - 10}" y="{_y(lane) + 4}"{bold}>{escape(name)}</text>'
    yield "</g>"


def _edges(tree: TopicTree, left: int) -> Iterator[str]:
    for one in tree.rounds:
        if one.parent is None:
            continue
        (x1, y1), (x2, y2) = _at(tree.rounds[one.parent - 1], left), _at(one, left)
        # Down to the lane right after the parent, then along it: a straight line would cross other rounds.
        bend = x1 + _STEP
        course = f"L{x2} {y2}" if y1 == y2 else f"C{bend} {y1} {x1 + 6} {y2} {bend} {y2}L{x2} {y2}"
        wide = "3" if one.look in ("now", "full") else "1.4"
        yield f'<path d="M{x1} {y1}{course}" fill="none" stroke="{look(one.tree).colour}" stroke-width="{wide}"/>'


def _round(one: TreeRound, left: int) -> str:
    (x, y), colour = _at(one, left), look(one.tree).colour
    full = one.look in ("now", "full")
    fill, ink = (colour, ink_on(colour)) if full else ("#ffffff", GREY if one.look == "absent" else "#000000")
    dash = ' stroke-dasharray="2 2"' if one.look == "absent" else ""
    ring = f'<circle cx="{x}" cy="{y}" r="{_RADIUS + 3}" fill="none" stroke="{colour}"/>' if one.look == "now" else ""
    cross = (
        f'<text x="{x + 10}" y="{y - 6}" font-size="13" font-weight="700" fill="{_BAD}" stroke="#ffffff" '
        'stroke-width="3" paint-order="stroke">✗</text>'
        if one.wrong
        else ""
    )
    return (
        f"<g><title>{escape(one.words)}</title>{ring}"
        f'<circle cx="{x}" cy="{y}" r="{_RADIUS}" fill="{fill}" stroke="{colour}"{dash}/>'
        f'<text x="{x}" y="{y + 4}" fill="{ink}">{one.number}</text>{cross}</g>'
    )
