"""The files of a board: the page holds its data and nothing that acts, and the JSON has a schema."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from board_runs import GOOD, MIDDLING, POOR, built, over
from runs_by_hand import make_run
from selectolax.lexbor import LexborHTMLParser

from evolif.board import Board, write_board
from evolif.board.board import board_from_object, board_type
from evolif.board.files import runs_of
from evolif.board.page import page_of
from evolif.errors import InputError, OutsideError, UsageError
from evolif.report.page.transcript_cache import asset

ROOT = Path(__file__).parent.parent.parent
HOSTILE = "evil/</script><script>window.pwned=1</script><img src=x onerror=window.pwned=2>&'\"\u202e\u2028"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    folder = tmp_path_factory.mktemp("runs")
    models = {"sim/a": over(GOOD), "sim/b": over(MIDDLING), HOSTILE: over(POOR)}
    make_run(folder / "one", models).close()
    make_run(folder / "two", models, patience=2).close()
    return built(folder / "one", folder / "two", title=HOSTILE)


TAGS = set(
    "html head meta title style body a header div h1 button p main section form label input select option table "
    "caption thead tr th tbody td span b svg line circle wbr details summary ul li footer script -undef".split()
)


def embedded(page: str) -> Any:
    [text] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def test_the_page_has_the_data_of_the_json(board: Board, tmp_path: Path) -> None:
    page, data = write_board(board, tmp_path / "out")
    assert (page, data) == (tmp_path / "out" / "index.html", tmp_path / "out" / "board.json")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["board.json", "index.html"]
    stored = json.loads(data.read_text(encoding="utf-8"))
    shown = embedded(page.read_text(encoding="utf-8"))
    assert shown["schema"] == stored["schema"] == 1 and shown.keys() == stored.keys()
    assert shown["columns"] == stored["columns"] and len(shown["cells"]) == len(stored["cells"]) == 6
    assert [c["newest"] for c in shown["cells"]] == [c["newest"] for c in stored["cells"]]


def test_the_same_runs_make_the_same_bytes(board: Board, tmp_path: Path) -> None:
    first = [path.read_bytes() for path in write_board(board, tmp_path / "out")]
    assert [path.read_bytes() for path in write_board(board, tmp_path / "out")] == first
    assert [path.read_bytes() for path in write_board(board, tmp_path / "other")] == first


def test_foreign_text_is_text(board: Board) -> None:
    page = page_of(board)
    assert "<img" not in page and "\u202e" not in page and "\u2028" not in page
    assert page.count("<script") == page.count("</script>") == 2
    assert "evil/" in page and "&lt;/script&gt;" in page
    tree = LexborHTMLParser(page)
    every = [(node.tag, name, value or "") for node in tree.css("*") for name, value in node.attributes.items()]
    # Nothing is loaded or acts, and nothing leads out of the page.
    assert [one for one in every if one[1] in {"src", "srcset", "action", "style"} or one[1].startswith("on")] == []
    assert all(value.startswith("#") for _, name, value in every if name == "href")
    assert {node.tag for node in tree.css("*")} <= TAGS


def test_only_its_own_script_and_style_may_act(board: Board) -> None:
    page = page_of(board)
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    for kind, pattern in (("script-src", r"<script>(.*?)</script>"), ("style-src", r"<style>(.*?)</style>")):
        [text] = re.findall(pattern, page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} &#39;sha256-{digest}&#39;;" in policy or f"{kind} 'sha256-{digest}';" in policy
    assert "default-src" in policy and "style=" not in page.partition("<script")[0]


def test_dark_and_light_can_be_chosen_with_the_colours_of_every_page() -> None:
    def colours(css: str, start: str) -> dict[str, str]:
        block = css.partition(start)[2].partition("}")[0]
        return dict(re.findall(r"(--[\w-]+): (#\w+);", block))

    base, own = asset("base.css"), asset("board.css", package="evolif.board")
    dark = colours(base.partition("prefers-color-scheme: dark")[2], ":root {")
    assert len(dark) > 10
    assert colours(base, ":root {") == colours(own, ':root[data-theme="light"] {')
    assert dark == colours(own, ':root[data-theme="dark"] {')


def test_the_json_can_be_read_back(board: Board) -> None:
    data = json.loads(json.dumps(board.to_object(), allow_nan=False))
    assert board_from_object(data) == board


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": 2}, "no board of schema 1"),
        ({"title": None}, "title: Input should be a valid string"),
        ({"cells": [{}]}, "cells.0.row: "),
    ],
)
def test_what_is_no_board_is_refused(board: Board, change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        board_from_object({**board.to_object(), **change})
    with pytest.raises(InputError, match="no board"):
        board_from_object([])


def test_the_schema_in_the_documentation_is_that_of_the_data() -> None:
    def parts(schema: Any) -> dict[str, Any]:
        # Versions of pydantic word the rest in other ways.
        every = {"Board": schema, **schema["$defs"]}
        return {name: (sorted(part["properties"]), part["required"]) for name, part in every.items()}

    told = json.loads((ROOT / "docs" / "reference" / "board.schema.json").read_text(encoding="utf-8"))
    assert parts(told) == parts(board_type().json_schema()), "python docs/make_board_schema.py writes it anew"


def test_the_documentation_explains_every_key() -> None:
    text = (ROOT / "docs" / "reference" / "board-json.md").read_text(encoding="utf-8")
    parts = board_type().json_schema()
    keys = {key for part in (parts, *parts["$defs"].values()) for key in part["properties"]}
    assert {key for key in keys | {"schema"} if f"`{key}`" not in text} == set()


def test_a_folder_that_cannot_be_written_is_said(board: Board, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutsideError, match="cannot be written"):
        write_board(board, tmp_path / "file" / "out")


def test_accepted_runs_are_found_by_name(tmp_path: Path) -> None:
    for name in ("b", "a", ".part"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    (tmp_path / "runs" / "note.txt").write_text("", encoding="utf-8")
    assert [path.name for path in runs_of(tmp_path)] == ["a", "b"]
    with pytest.raises(UsageError, match=r"no runs; name some: evolif board RUN"):
        runs_of(tmp_path / "nowhere")
