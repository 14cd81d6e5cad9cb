"""Abstract figures: their polygons, their graphs and texts, and what an edit changes."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from evolif.scenarios.games import generate
from evolif.scenarios.games.looks import LEAST as FEWEST
from evolif.scenarios.games.looks import (
    LOOKS,
    Look,
    draw_wide_figure,
    edit_wide_figure,
    look_of,
    looks_of,
    wide_figures_look_alike,
)
from evolif.scenarios.games.looks import MOST as UTMOST
from evolif.scenarios.games.shapes import (
    LEAST,
    MOST,
    WIDTH,
    Figure,
    Point,
    Polygon,
    draw_figure,
    draw_polygon,
    edit_figure,
    figure_graph,
    figure_of,
    figure_text,
    figures_look_alike,
    from_first,
    look_alike,
)
from evolif.util.rng import Stream

SQUARE: Polygon = ((0, 0), (6, 0), (6, 6), (0, 6))


def test_a_figure_as_graph_and_text() -> None:
    figure: Figure = {(1, 2): ((0, 0), (5, 1), (1, 6)), (2, 0): ((0, 0), (6, 0), (3, 5))}
    graph = figure_graph(figure)
    assert graph == {"width": 23, "height": 23, "polygons": [[[16, 0], [22, 0], [19, 5]], [[8, 16], [13, 17], [9, 22]]]}
    assert figure_of(graph) == figure
    assert figure_text(graph).splitlines()[0] == "polygon with corners (16, 0), (22, 0), (19, 5)"
    graph["polygons"] = [polygon[1:] + polygon[:1] for polygon in reversed(graph["polygons"])]
    assert figure_of(graph) == figure


def crosses(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two segments meet."""

    def side(p: Point, q: Point, r: Point) -> int:
        turn = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        return (turn > 0) - (turn < 0)

    near = all(
        min(a[axis], b[axis]) <= max(c[axis], d[axis]) and min(c[axis], d[axis]) <= max(a[axis], b[axis])
        for axis in (0, 1)
    )
    return near and side(a, b, c) * side(a, b, d) <= 0 and side(c, d, a) * side(c, d, b) <= 0


def test_polygons_are_plain_and_lie_in_their_block() -> None:
    stream = Stream(2)
    for _ in range(300):
        polygon = draw_polygon(stream)
        assert 5 <= len(polygon) <= 7 and len(set(polygon)) == len(polygon)
        assert all(0 <= x <= 6 and 0 <= y <= 6 for x, y in polygon)
        assert polygon == from_first(polygon) and polygon[0] == min(polygon, key=lambda corner: corner[::-1])
        sides = [(polygon[at - 1], polygon[at]) for at in range(len(polygon))]
        for (at, one), (other_at, other) in combinations(enumerate(sides), 2):
            if other_at - at not in (1, len(sides) - 1):
                assert not crosses(*one, *other), polygon


def test_an_edit_changes_one_polygon_visibly() -> None:
    stream = Stream(3)
    seen = set()
    for _ in range(400):
        figure = draw_figure(stream)
        before = dict(figure)
        new = edit_figure(stream, figure)
        assert figure == before and LEAST <= len(new) <= MOST
        assert not figures_look_alike(figure, new)
        gone, come = set(figure.items()) - set(new.items()), set(new.items()) - set(figure.items())
        assert len(gone) <= 1 and len(come) <= 1
        seen.add((len(gone), len(come)))
    assert seen == {(1, 1), (0, 1), (1, 0)}


def test_polygons_look_alike_if_they_differ_by_little() -> None:
    assert look_alike(SQUARE, SQUARE)
    assert look_alike(SQUARE, ((0, 0), (6, 0), (6, 5), (0, 6)))  # by a triangle of 3 units
    assert not look_alike(SQUARE, ((0, 0), (6, 0), (5, 5), (0, 6)))
    assert not look_alike(SQUARE, ((0, 0), (6, 0), (0, 6)))
    assert not figures_look_alike({(0, 0): SQUARE}, {(0, 1): SQUARE})
    assert figures_look_alike({(0, 0): SQUARE}, {(0, 0): ((0, 0), (6, 0), (6, 5), (0, 6))})


def test_no_two_images_of_a_list_look_alike() -> None:
    for number in range(60):
        figures = [figure_of(graph) for graph in generate("shapes", number, seed=5, edition=1)["private"][1]["images"]]
        assert not any(figures_look_alike(one, other) for one, other in combinations(figures, 2))
        corners = [point for figure in figures for polygon in figure_graph(figure)["polygons"] for point in polygon]
        assert all(0 <= x < WIDTH and 0 <= y < WIDTH for x, y in corners)


WIDE: Polygon = ((0, 2), (3, 1), (6, 2), (6, 4), (0, 4))
"""Without a dent."""


def test_a_look_is_told_in_words_or_there_is_none() -> None:
    assert look_of(WIDE) == Look("large", "wide", "plain", "five")
    assert look_of(tuple((y, x) for x, y in reversed(WIDE))) == Look("large", "tall", "plain", "five")
    assert look_of(((0, 2), (3, 3), (6, 2), (6, 4), (0, 4))) == Look("large", "wide", "dented", "five")
    assert look_of(SQUARE) is None  # neither wide nor tall
    assert look_of(((0, 2), (3, 1), (5, 2), (5, 3), (0, 3))) is None  # neither large nor small


def test_figures_of_the_second_edition_have_looks_of_all_kinds_and_change_where_one_sees_it() -> None:
    stream, seen = Stream(7), Counter[str]()
    for _ in range(12):
        figure = draw_wide_figure(stream)
        looks = [look_of(polygon) for polygon in figure.values()]
        assert FEWEST <= len(figure) <= UTMOST and None not in looks
        seen.update(value for look in looks if look for value in look)
        new = edit_wide_figure(stream, figure)
        assert not wide_figures_look_alike(figure, new)
        changed = [block for block in figure.keys() | new.keys() if figure.get(block) != new.get(block)]
        assert 1 <= len(changed) <= 2
    assert set(seen) == {value for values in LOOKS.values() for value in values}


def test_no_two_images_of_the_second_edition_have_the_same_looks() -> None:
    for number in range(5):
        graphs = generate("shapes", number, seed=5)["private"][1]["images"]
        assert not any(looks_of(one) == looks_of(other) for one, other in combinations(graphs, 2))
