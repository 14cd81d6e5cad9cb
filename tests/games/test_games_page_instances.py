"""Instances of names, scenes and shapes: what the page guarantees of them, recounted from the private parts alone."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from scipy.stats import chisquare

from evolif.errors import UsageError
from evolif.scenarios.games import SubwordTokenizer, generate, private_image, private_text, shared_rows

GAMES = ["chess", "names", "scenes", "shapes", "questions"]
KEYS = {
    "game",
    "number",
    "seed",
    "settings",
    "private",
    "public",
    "answer",
    "roles",
    "answerers",
    "chance",
    "floor",
    "proof",
}


def made(game: str, number: int, seed: int = 9, **settings: Any) -> dict[str, Any]:
    if game == "chess":
        pytest.importorskip("chess", reason="needs the extra `games`")
    return generate(game, number, seed=seed, **settings)


# Every game


@pytest.mark.parametrize("game", GAMES)
def test_an_instance_is_plain_json_with_the_keys_of_the_page(game: str) -> None:
    instance = made(game, 3)
    assert set(instance) == KEYS
    assert json.loads(json.dumps(instance)) == instance
    assert (instance["game"], instance["number"], instance["seed"]) == (game, 3, 9)
    assert len(instance["private"]) == len(instance["answer"]) == len(instance["roles"]) == 2
    assert [player for player in (0, 1) if instance["answer"][player] is not None] == instance["answerers"]
    assert "turns" not in json.dumps(instance["settings"])


@pytest.mark.parametrize("game", GAMES)
def test_an_instance_depends_on_its_number_and_seed_only(game: str) -> None:
    backwards = {number: made(game, number) for number in (2, 1, 0)}
    assert [made(game, number) for number in range(3)] == [backwards[number] for number in range(3)]
    assert made(game, 0, seed=9) != made(game, 1, seed=9)
    assert made(game, 0, seed=9)["private"] != made(game, 0, seed=10)["private"]


def test_instances_are_the_same_in_another_process() -> None:
    code = (
        "import json; from evolif.scenarios.games import generate; "
        "games = ('names', 'scenes', 'shapes', 'questions'); "
        "print(json.dumps([generate(game, 5, seed=2) for game in games], sort_keys=True))"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    here = [generate(game, 5, seed=2) for game in GAMES[1:]]
    assert there.strip() == json.dumps(here, sort_keys=True)


@pytest.mark.parametrize("game", GAMES)
def test_numbers_count_from_zero_without_end(game: str) -> None:
    assert made(game, 10**9)["number"] == 10**9
    with pytest.raises(UsageError):
        made(game, -1)


@pytest.mark.parametrize("game", ["", "Chess", "go", "../names"])
def test_an_unknown_game_is_an_error(game: str) -> None:
    with pytest.raises(UsageError):
        generate(game, 0, seed=1)


@pytest.mark.parametrize("game", GAMES)
def test_a_setting_that_a_game_does_not_have_is_an_error(game: str) -> None:
    with pytest.raises(UsageError):
        made(game, 0, colour="red")


@pytest.mark.parametrize("game", GAMES)
def test_no_player_is_shown_a_key(game: str) -> None:
    """What is shown follows from the private part: another key changes nothing."""
    instance = made(game, 4)
    other = {**instance, "answer": ["x", "x"], "proof": "x"}
    for player in (0, 1):
        assert private_text(instance, player) == private_text(other, player)


@pytest.mark.parametrize("game", ["names", "scenes", "shapes", "questions"])
def test_a_private_part_is_too_long_to_be_read_out(game: str) -> None:
    pytest.importorskip("tokenizers", reason="needs the extra `games`")
    tokenizer = SubwordTokenizer()
    for number in range(60):
        instance = made(game, number)
        for player in (0, 1):
            assert len(tokenizer.spans(private_text(instance, player))) >= 1.5 * 128


@pytest.mark.parametrize("game", ["names", "scenes", "shapes"])
def test_the_floor_is_near_chance(game: str) -> None:
    for number in range(5):
        instance = made(game, number)
        assert instance["chance"] - 1e-9 <= instance["floor"] <= instance["chance"] + 0.05


# Names


@pytest.fixture(scope="module", params=[9, 16, 25])
def tables(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return [generate("names", number, seed=4, n=request.param) for number in range(200)]


def test_a_table_has_n_rows_of_five_columns(tables: list[dict[str, Any]]) -> None:
    for instance in tables:
        n = instance["settings"]["n"]
        first, second = instance["private"]
        assert first["columns"] == second["columns"]
        assert len(set(first["columns"])) == 5 and "name" in first["columns"] and "row" not in first["columns"]
        assert [len(table["rows"]) for table in (first, second)] == [n, n]
        assert all(len(row) == 5 for table in (first, second) for row in table["rows"])
        assert instance["chance"] == pytest.approx(1 / n)


def test_exactly_one_row_is_in_both_tables(tables: list[dict[str, Any]]) -> None:
    for instance in tables:
        first, second = (table["rows"] for table in instance["private"])
        both = [[i, j] for i, one in enumerate(first, 1) for j, two in enumerate(second, 1) if one == two]
        assert both == [instance["answer"]] == shared_rows(first, second)
        assert list(instance["proof"]) == instance["answer"]


def test_no_row_stands_twice_in_a_table(tables: list[dict[str, Any]]) -> None:
    for instance in tables:
        for table in instance["private"]:
            assert len({tuple(row) for row in table["rows"]}) == len(table["rows"])


def test_no_value_stands_in_two_columns(tables: list[dict[str, Any]]) -> None:
    owners: dict[str, set[str]] = {}
    for instance in tables:
        for table in instance["private"]:
            for row in table["rows"]:
                for column, value in zip(table["columns"], row, strict=True):
                    owners.setdefault(value.lower(), set()).add(column)
    assert [value for value, columns in owners.items() if len(columns) > 1] == []


def test_there_are_many_columns_and_values(tables: list[dict[str, Any]]) -> None:
    values: dict[str, set[str]] = {}
    for instance in tables:
        for table in instance["private"]:
            for row in table["rows"]:
                for column, value in zip(table["columns"], row, strict=True):
                    values.setdefault(column, set()).add(value)
    assert len(values) >= 8
    assert min(len(found) for found in values.values()) >= 20


def test_a_third_of_the_rows_are_near_duplicates(tables: list[dict[str, Any]]) -> None:
    for instance in tables:
        first, second = (table["rows"] for table in instance["private"])
        shared = first[instance["answer"][0] - 1]
        for own, other in ((first, second), (second, first)):
            near = [
                row
                for row in own
                if row != shared
                and any(sum(a == b for a, b in zip(row, like, strict=True)) in (3, 4) for like in [shared, *other])
            ]
            assert len(near) >= len(own) / 3


def test_no_value_of_the_shared_row_is_rare(tables: list[dict[str, Any]]) -> None:
    for instance in tables:
        for player, table in enumerate(instance["private"]):
            shared = table["rows"][instance["answer"][player] - 1]
            for column, value in enumerate(shared):
                assert sum(row[column] == value for row in table["rows"]) >= 2


def test_half_of_the_other_rows_have_no_rare_value_either(tables: list[dict[str, Any]]) -> None:
    for instance in tables:
        for player, table in enumerate(instance["private"]):
            counts = [Counter(row[column] for row in table["rows"]) for column in range(5)]
            others = [row for number, row in enumerate(table["rows"], 1) if number != instance["answer"][player]]
            common = [row for row in others if all(counts[column][row[column]] >= 2 for column in range(5))]
            assert len(common) >= len(others) / 2


def test_a_table_is_shown_as_csv_with_row_numbers(tables: list[dict[str, Any]]) -> None:
    for instance in tables[:20]:
        for player in (0, 1):
            table = instance["private"][player]
            head, *rows = csv.reader(io.StringIO(private_text(instance, player)))
            assert head == ["row", *table["columns"]]
            assert rows == [[str(number), *row] for number, row in enumerate(table["rows"], 1)]


@pytest.mark.parametrize("player", [0, 1])
def test_the_shared_row_stands_anywhere(player: int) -> None:
    answers = Counter(generate("names", number, seed=31, n=9)["answer"][player] for number in range(2000))
    assert set(answers) == set(range(1, 10))
    assert chisquare(list(answers.values())).pvalue > 0.001


def test_the_two_positions_are_independent() -> None:
    """Nine rows each: 81 pairs over 2,000 instances, 25 expected of each."""
    pairs = Counter(tuple(generate("names", number, seed=32, n=9)["answer"]) for number in range(2000))
    assert chisquare([pairs[i, j] for i in range(1, 10) for j in range(1, 10)]).pvalue > 0.001


@pytest.mark.parametrize("player", [0, 1])
def test_no_plain_feature_of_the_own_rows_tells_the_shared_one(player: int) -> None:
    """Frequencies of values, and how alike rows are: the row with the most or the least is rarely the shared one."""
    count, hits = 1500, Counter[str]()
    for number in range(count):
        instance = generate("names", number, seed=51, n=9)
        rows, shared = instance["private"][player]["rows"], instance["answer"][player] - 1
        often = [[sum(other[c] == row[c] for other in rows) for c in range(5)] for row in rows]
        alike = [[sum(a == b for a, b in zip(row, two, strict=True)) for two in rows if two is not row] for row in rows]
        features = {
            "sum of frequencies": [sum(counts) for counts in often],
            "rarest value": [min(counts) for counts in often],
            "commonest value": [max(counts) for counts in often],
            "likest row": [max(counts) for counts in alike],
            "near-duplicates": [sum(same >= 3 for same in counts) for counts in alike],
            "squares": [sum(same * same for same in counts) for counts in alike],
        }
        for name, values in features.items():
            for end, best in (("most", max(values)), ("least", min(values))):
                hits[f"{end} {name}"] += values.index(best) == shared
    # Chance is 1/9, and 0.05 more is allowed; twelve features, so four standard deviations.
    bound = 1 / 9 + 0.05 + 4 * (0.16 * 0.84 / count) ** 0.5
    assert {name: hit / count for name, hit in hits.items() if hit / count > bound} == {}


@pytest.mark.parametrize("n", [0, 8, 10, 36, -9, "many"])
def test_other_numbers_of_rows_are_an_error(n: Any) -> None:
    with pytest.raises(UsageError):
        generate("names", 0, seed=1, n=n)


@pytest.mark.parametrize(
    ("first", "second", "pairs"),
    [
        ([["a", "b"]], [["a", "b"]], [[1, 1]]),
        ([["a", "b"]], [["b", "a"]], []),
        ([["a"], ["b"]], [["b"], ["a"]], [[1, 2], [2, 1]]),
        ([["a"], ["a"]], [["a"], ["a"]], [[1, 1], [1, 2], [2, 1], [2, 2]]),
        ([["a"], ["b"], ["c"]], [["c"], ["c"], ["b"]], [[2, 3], [3, 1], [3, 2]]),
        ([["a", "b", "c"]], [["a", "b", "d"]], []),
        ([], [["a"]], []),
        ([["a"]], [["A"]], []),
    ],
)
def test_shared_rows_by_hand(first: list[list[str]], second: list[list[str]], pairs: list[list[int]]) -> None:
    assert shared_rows(first, second) == pairs


# Scenes and shapes


def canonical(graph: dict[str, Any]) -> str:
    if "objects" in graph:
        return json.dumps(sorted(json.dumps(item, sort_keys=True) for item in graph["objects"]))
    return json.dumps(sorted(map(str, graph["polygons"])))


@pytest.fixture(scope="module", params=["scenes", "shapes"])
def matches(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return [generate(request.param, number, seed=4) for number in range(300)]


def test_a_describer_sees_one_image_and_a_guesser_several(matches: list[dict[str, Any]]) -> None:
    for instance in matches:
        images = {"scenes": 6, "shapes": 4}[instance["game"]]
        assert [len(part["images"]) for part in instance["private"]] == [1, images]
        assert instance["answerers"] == [1] and instance["answer"][0] is None
        assert instance["chance"] == pytest.approx(1 / (images + 1))
        assert instance["public"]["images"] == images


def test_equality_of_graphs_decides(matches: list[dict[str, Any]]) -> None:
    for instance in matches:
        target = canonical(instance["private"][0]["images"][0])
        listed = [canonical(graph) for graph in instance["private"][1]["images"]]
        same = [number for number, graph in enumerate(listed) if graph == target]
        assert len(set(listed)) == len(listed)
        assert len(same) <= 1
        assert instance["answer"][1] == (same[0] if same else "none")


def test_the_target_is_uniform_and_no_match_has_its_share() -> None:
    answers = Counter(generate("scenes", number, seed=41)["answer"][1] for number in range(2000))
    assert set(answers) == {"none", *range(6)}
    assert chisquare(list(answers.values())).pvalue > 0.001
    answers = Counter(generate("shapes", number, seed=41)["answer"][1] for number in range(2000))
    assert set(answers) == {"none", *range(4)}
    assert chisquare(list(answers.values())).pvalue > 0.001


def test_variants_are_few_edits_apart() -> None:
    """Each is 1-3 edits from a base; an edit moves, changes, adds or drops one object, so two differ in six at most."""
    for number in range(100):
        instance = generate("scenes", number, seed=4)
        graphs = [*instance["private"][0]["images"], *instance["private"][1]["images"]]
        cells = [{(item["row"], item["column"]): item for item in graph["objects"]} for graph in graphs]
        for one, two in combinations(cells, 2):
            differing = [cell for cell in one.keys() | two.keys() if one.get(cell) != two.get(cell)]
            assert len(differing) <= 2 * 6


@pytest.mark.parametrize("modality", ["text", "image"])
def test_scenes_have_as_many_objects_and_cells_as_the_page_says(modality: str) -> None:
    side, least, most = {"text": (6, 16, 24), "image": (4, 6, 9)}[modality]
    for number in range(60):
        instance = generate("scenes", number, seed=4, modality=modality)
        for graph in [*instance["private"][0]["images"], *instance["private"][1]["images"]]:
            cells = [(item["row"], item["column"]) for item in graph["objects"]]
            assert least <= len(cells) <= most
            assert len(set(cells)) == len(cells)
            assert all(1 <= row <= side and 1 <= column <= side for row, column in cells)


def test_a_text_scene_has_one_object_a_line_in_order_of_cells() -> None:
    for number in range(20):
        instance = generate("scenes", number, seed=4)
        items = sorted(instance["private"][0]["images"][0]["objects"], key=lambda item: (item["row"], item["column"]))
        lines = [
            f"{item['size']} {item['pattern']} {item['colour']} {item['shape']} "
            f"at row {item['row']}, column {item['column']}"
            for item in items
        ]
        assert private_text(instance, 0).strip().split("\n") == lines


def test_shapes_have_polygons_on_a_grid_that_are_shown_by_their_corners() -> None:
    for number in range(40):
        instance = generate("shapes", number, seed=4)
        for graph in [*instance["private"][0]["images"], *instance["private"][1]["images"]]:
            assert 5 <= len(graph["polygons"]) <= 7
        shown = private_text(instance, 0)
        for polygon in instance["private"][0]["images"][0]["polygons"]:
            assert all(f"({x}, {y})" in shown for x, y in polygon)


@pytest.mark.parametrize("game", ["scenes", "shapes"])
def test_the_list_alone_does_not_tell_the_target(game: str) -> None:
    """The image that shares most with the others is the target about as often as any other of the list."""
    hits = central = 0
    for number in range(400):
        instance = generate(game, number, seed=44)
        kind = "objects" if game == "scenes" else "polygons"
        parts = [{json.dumps(item) for item in graph[kind]} for graph in instance["private"][1]["images"]]
        alike = [sum(len(one & two) for two in parts) - len(one) for one in parts]
        if instance["answer"][1] != "none":
            central += 1
            hits += alike.index(max(alike)) == instance["answer"][1]
    images = {"scenes": 6, "shapes": 4}[game]
    assert hits / central <= 1 / images + 4 * (0.25 / central) ** 0.5


# Pictures


@pytest.mark.parametrize("game", ["scenes", "shapes", "questions"])
def test_pictures_are_png_of_336_by_336(game: str) -> None:
    images = pytest.importorskip("PIL.Image", reason="needs the extra `games`")
    instance = generate(game, 1, seed=4, modality="image")
    for player in (0, 1):
        pictures = private_image(instance, player)
        assert len(pictures) == len(instance["private"][player].get("images", [0]))
        for picture in pictures:
            with images.open(io.BytesIO(picture)) as opened:
                assert (opened.format, opened.size) == ("PNG", (336, 336))


@pytest.mark.parametrize("game", ["scenes", "shapes"])
def test_pictures_are_the_same_just_where_the_images_are(game: str) -> None:
    pytest.importorskip("PIL", reason="needs the extra `games`")
    for number in range(10):
        instance = generate(game, number, seed=4, modality="image")
        (target,) = private_image(instance, 0)
        listed = private_image(instance, 1)
        assert len(set(listed)) == len(listed)
        same = [index for index, picture in enumerate(listed) if picture == target]
        assert same == ([] if instance["answer"][1] == "none" else [instance["answer"][1]])
