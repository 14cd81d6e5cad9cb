"""Which runs share a column, and the words that tell columns apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from board_runs import GOOD, MIDDLING, Made, built, over

from evolif.models.endpoint import address_digest

TWO = {"sim/a": over(GOOD), "sim/b": over(MIDDLING)}


def test_alike_runs_share_a_column(run: Made) -> None:
    board = built(run("one", TWO), run("two", {"sim/c": over(GOOD)}))
    [column] = board.columns
    assert column.runs == ("one", "two") and column.differs == () and column.ranked_on == 8
    assert [row.name for row in board.rows] == ["sim/a", "sim/b", "sim/c"]
    assert all(cell.rank is not None and cell.rank.high <= 3 for cell in board.cells)


DECIDING = {
    "patience": ({"patience": 2}, "patience 3", "patience 2"),
    "no patience": ({"patience": None}, "patience 3", "patience off"),
    "cap": ({"max_turns": 12}, "cap of 10 turns", "cap of 12 turns"),
    "unit of the cap": ({"cap_counts": "judged"}, "cap of 10 turns", "cap of 10 judged turns"),
    "judge": ({"judge": "lexical"}, "judge none", "judge lexical"),
    "context": ({"context": "last:4"}, "context strategy full", "context strategy last:4"),
    "feedback": ({"feedback": "remark"}, "feedback none", "feedback remark"),
    "system prompt": ({"system_prompt": False}, "system prompt on", "system prompt off"),
    "benchmark": ({"benchmark": "f" * 16}, "benchmark 01234567", "benchmark ffffffff"),
}


@pytest.mark.parametrize(("other", "here", "there"), DECIDING.values(), ids=list(DECIDING))
def test_what_is_not_comparable_has_a_column_of_its_own(
    run: Made, other: dict[str, Any], here: str, there: str
) -> None:
    board = built(run("one", TWO), run("two", TWO, **other), run("three", {"sim/c": over(GOOD)}))
    first, second = board.columns
    assert (first.runs, second.runs) == (("one", "three"), ("two",))
    assert (first.differs, second.differs) == ((here,), (there,))
    assert {(cell.column, cell.rank.high if cell.rank else 0) for cell in board.cells} <= {
        *((first.id, rank) for rank in (1, 2, 3)),
        *((second.id, rank) for rank in (0, 1, 2)),
    }
    assert {frozenset({pair.a, pair.b}) for pair in board.pairs if pair.column == second.id} == {
        frozenset({"sim/a", "sim/b"})
    }


def test_profiles_are_columns_without_a_remark(run: Made) -> None:
    board = built(run("one", TWO), run("two", TWO, profile="everyday", benchmark="e" * 16))
    assert [(column.profile, column.differs) for column in board.columns] == [("paper", ()), ("everyday", ())]


def test_a_benchmark_that_was_edited_between_two_runs_is_two(run: Made) -> None:
    board = built(run("one", TWO), run("two", TWO, query="Another wording."))
    assert [column.runs for column in board.columns] == [("one",), ("two",)]
    told = [column.differs for column in board.columns]
    assert told == [("edited benchmark, edition 1 of 2",), ("edited benchmark, edition 2 of 2",)]
    assert len({column.id for column in board.columns}) == 2


def test_names_of_columns_depend_on_settings_alone(run: Made) -> None:
    one, two = run("one", TWO), run("two", TWO, patience=2)
    there, back = built(one, two), built(two, one)
    assert {c.id: c.runs for c in there.columns} == {c.id: c.runs for c in back.columns}
    assert [c.runs for c in back.columns] == [("two",), ("one",)]


def test_own_settings_of_a_model_make_rows_and_no_columns(run: Made) -> None:
    board = built(run("one", TWO), run("two", {"sim/a": over(GOOD)}, temperature=0.2))
    assert len(board.columns) == 1
    assert [row.name for row in board.rows] == ["sim/a", "sim/b", "sim/a, temperature 0.2"]


def test_where_a_model_is_asked_tells_it_from_others_of_its_name(run: Made) -> None:
    elsewhere = run("two", {"openai/m": over(GOOD)}, endpoints=("http://host.example/v1",))
    board = built(run("one", {"openai/m": over(GOOD)}), elsewhere)
    told = address_digest("http://host.example/v1")
    assert [row.name for row in board.rows] == ["openai/m", f"openai/m, endpoint {told}"]
    assert "host.example" not in json.dumps(board.to_object())


RECIPE = {"dialogues": 8, "turns": 10}


def test_another_seed_of_one_recipe_is_another_instance(run: Made) -> None:
    board = built(
        run("one", TWO, spec={**RECIPE, "seed": 1}),
        run("two", TWO, spec={**RECIPE, "seed": 2}, benchmark="a" * 16),
        run("three", TWO, spec={**RECIPE, "turns": 4, "seed": 3}, benchmark="b" * 16),
        run("four", TWO, spec={**RECIPE, "seed": 4}, benchmark="c" * 16, patience=2),
        run("five", TWO, benchmark="d" * 16),
    )
    by_run = {column.runs[0]: column for column in board.columns}
    assert by_run["one"].instances == (by_run["two"].id,) and by_run["two"].instances == (by_run["one"].id,)
    assert all(by_run[name].instances == () for name in ("three", "four", "five"))


def test_runs_that_did_not_play_alike_say_so(run: Made) -> None:
    [column] = built(run("one", TWO), run("two", {"sim/c": over(GOOD, 6)})).columns
    assert column.ranked_on == 6 and column.dialogues == 8
    assert any("Not played alike" in note and "sim/c" in note for note in column.notes)


def test_one_model_has_no_rank(run: Made) -> None:
    board = built(run("one", {"sim/a": over(GOOD)}))
    assert board.columns[0].ranked_on == 0 and board.cells[0].rank is None and board.cells[0].letters == ""
    assert board.pairs == ()


def test_a_run_that_is_named_twice_counts_once(run: Made, tmp_path: Path) -> None:
    one = run("one", TWO)
    board = built(one, tmp_path / "." / "one")
    assert board.columns[0].runs == ("one",) and all(cell.earlier == () for cell in board.cells)
