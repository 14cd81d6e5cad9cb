"""Nested values as columns of Parquet, datasets and CSV: typed where they can be, and nothing lost."""

from __future__ import annotations

import csv
import json
import random
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evolif
from evolif.cli.exchange import export as _verb
from evolif.exchange import export, import_benchmark
from evolif.exchange.columns import arrow_type, common, fitted, restored, shape_of
from evolif.exchange.tables import write_csv
from evolif.text import csv_cell

needs_arrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed (evolif[datasets])")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Any:
    root = tmp_path_factory.mktemp("nested") / "bench"
    return evolif.generate(root, dialogues=3, turns=12, seed=21, profile="extended")


def typed(values: list[Any], unions: tuple[str, ...] = ()) -> tuple[str, list[Any]]:
    """The Arrow type of a column of these values, and the values read back from it."""
    import pyarrow

    shape: Any = ""
    for value in values:
        shape = common(shape, shape_of(value, unions))
    kind = arrow_type(shape)
    return str(kind).replace("item:", "element:"), pyarrow.array(
        [fitted(value, kind) for value in values], type=kind
    ).to_pylist()


@needs_arrow
@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([[1, 2], [], None], "list<element: int64>"),
        ([{"a": 1, "b": None}, {"b": "x", "a": 2}], "struct<a: int64, b: string>"),
        ([[{"at": [1, 2]}], [{"at": []}]], "list<element: struct<at: list<element: int64>>>"),
        ([[1, 2.5], [3]], "list<element: double>"),
    ],
)
def test_what_has_one_shape_is_typed_and_comes_back(values: list[Any], kind: str) -> None:
    assert typed(values) == (kind, values)


@needs_arrow
@pytest.mark.parametrize(
    "values", [[{"a": 1}, {"b": 1}], [[1], ["x"]], [[1, {"a": 2}]], [{}, {"a": 1}], [2**70, 1], [{"x": 1}, [1]]]
)
def test_what_has_no_shape_is_json_text(values: list[Any]) -> None:
    kind, back = typed(values)
    assert kind == "string" and [json.loads(text) for text in back] == values


@needs_arrow
def test_parameters_are_a_struct_of_all_and_lose_the_nulls_again() -> None:
    values = [[{"params": {"unit": "words", "count": 3}}], [{"params": {"count": 4, "word": "x"}}], [{"params": {}}]]
    kind, back = typed(values, ("params",))
    assert kind == "list<element: struct<params: struct<unit: string, count: int64, word: string>>>"
    assert back[1] == [{"params": {"unit": None, "count": 4, "word": "x"}}]
    assert restored(back, ("params",)) == values
    assert [json.dumps(restored(one, ("params",))) for one in back] == [json.dumps(one) for one in values]


nested = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**80), 2**80) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=3),
    max_leaves=8,
)


@needs_arrow
@given(st.lists(nested, min_size=1, max_size=4))
def test_any_json_makes_a_column(values: list[Any]) -> None:
    _, back = typed(values)
    assert [one is None for one in back] == [value is None for value in values]


@pytest.mark.slow
@needs_arrow
def test_one_can_filter_by_a_parameter_without_parsing(bench: Any, tmp_path: Path) -> None:
    import pyarrow.compute as pc
    from pyarrow import parquet

    table = parquet.read_table(export(bench.path, tmp_path / "b.parquet").path)
    counts = pc.struct_field(pc.list_flatten(table.column("constraints")), ["params", "count"]).to_pylist()
    told = [c.params.get("count") for n in bench.dialogues() for t in bench.turns(n) for c in t.constraints]
    assert counts == told and any(isinstance(count, int) for count in counts)
    kinds = pc.struct_field(table.column("operation"), ["after", "mode"]).to_pylist()
    assert any(kinds) and "before" in [field.name for field in table.schema.field("operation").type]


@pytest.mark.slow
@needs_arrow
def test_export_import_export_gives_the_same_file(bench: Any, tmp_path: Path) -> None:
    first = export(bench.path, tmp_path / "1.parquet").path
    import_benchmark(first, tmp_path / "back")
    assert export(tmp_path / "back", tmp_path / "2.parquet").path.read_bytes() == first.read_bytes()
    lines = [export(path, tmp_path / f"{n}.jsonl").path for n, path in enumerate((bench.path, tmp_path / "back"))]
    assert lines[0].read_bytes() == lines[1].read_bytes()


@pytest.mark.slow
@needs_arrow
def test_a_table_without_the_field_evolif_is_read_as_well(tmp_path: Path) -> None:
    from pyarrow import parquet

    bench = evolif.generate(tmp_path / "b", dialogues=2, turns=8, seed=4, profile="objective")
    table = parquet.read_table(export(bench.path, tmp_path / "b.parquet").path)
    parquet.write_table(table.drop_columns("evolif"), tmp_path / "c.parquet")
    import_benchmark(tmp_path / "c.parquet", tmp_path / "back")
    again = evolif.load_benchmark(tmp_path / "back")
    for number in bench.dialogues():
        ours, theirs = bench.turns(number), again.turns(number)
        assert [turn.constraints for turn in theirs] == [turn.constraints for turn in ours]
        assert [turn.operation for turn in theirs] == [turn.operation for turn in ours]


@needs_arrow
def test_what_a_column_cannot_hold_is_in_the_field_evolif(tmp_path: Path) -> None:
    from evolif.exchange.tables import batches, schema_of

    rows = [
        {"operation": {"kind": "add", "group": "x", "before": None, "after": after}, "constraints": [], "evolif": {}}
        for after in ({"a": None, "b": 1}, {"a": 2.0, "b": 3}, {"b": 4, "a": 1.5}, {"a": "{}", "b": 2}, {"b": 5})
    ]
    meta = {"evolif.kind": "benchmark"}
    [batch] = batches(rows, schema_of("benchmark", rows, with_witness=False, metadata=meta))
    told = [json.loads(text).get("line", {}).get("operation", {}).get("after") for text in batch["evolif"].to_pylist()]
    assert told == [{"a": None, "b": 1}, {"a": 2.0, "b": 3}, {"b": 4, "a": 1.5}, {"a": "{}", "b": 2}, None]


def test_csv_has_a_row_for_each_turn_and_nested_values_as_json(bench: Any, tmp_path: Path) -> None:
    done = export(bench.path, tmp_path / "b.csv")
    assert (done.format, done.rows) == ("csv", 36)
    with done.path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    ours = [turn for number in bench.dialogues() for turn in bench.turns(number)]
    assert "evolif" not in rows[0] and "witness" not in rows[0] and len(rows) == 36
    for row, turn in zip(rows, ours, strict=True):
        assert (int(row["dialogue"]), int(row["turn"]), row["query"]) == (turn.dialogue, turn.turn, turn.query)
        assert json.loads(row["constraints"])[0]["params"] == dict(turn.constraints[0].params)


def test_csv_of_a_run_keeps_what_models_say_in_its_cell(bench: Any, tmp_path: Path) -> None:
    from evolif.models import ChatRequest, Reply

    class Hostile:
        name, connections = "mine/hostile", 4

        async def complete(self, request: ChatRequest) -> Reply:
            return Reply(random.Random(len(request.messages)).choice(['a,"b"\r\n;c\n\n', "=1+1\t|", "\u2028x\n"]))

        async def aclose(self) -> None:
            pass

    run = evolif.evaluate(bench, [Hostile()], tmp_path / "r", max_turns=4)
    with export(run.path, tmp_path / "r.csv").path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    told = [record for _, records in run.transcripts("mine/hostile") for record in records]
    assert [row["answer"] for row in rows] == [csv_cell(record.answer) for record in told] and len(rows) > 3
    assert all(len(row) == len(rows[0]) and None not in row for row in rows)
    assert {row["truncated"] for row in rows} == {"false"} and {row["ok"] for row in rows} <= {"true", "false", ""}
    run.close()


def test_the_help_names_every_format() -> None:
    from evolif.exchange import EXPORTERS

    option = _verb.__annotations__["file_format"]
    assert all(name in option for name in EXPORTERS)


FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-", "＝1+1", "-1e", "+٣", "-1\n"]
NUMBERS = ["-0.5", "+3", "-1e-05", "-12", "0", "3.5"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_cell_that_is_a_formula_gets_an_apostrophe(text: str) -> None:
    assert csv_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", [*NUMBERS, "", "a=b", "'=1", " =1", '{"a": -1}'])
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert csv_cell(text) == text


def test_no_cell_of_an_export_is_a_formula(tmp_path: Path) -> None:
    row = {"=name": "a", "answer": "=cmd|' /C calc'!A0", "score": -0.5, "told": "-0.5", "list": ["=1"], "none": None}
    write_csv(tmp_path / "x.csv", lambda: iter([row]))
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        head, cells = csv.reader(file)
    assert head[0] == "'=name"
    assert cells == ["a", "'=cmd|' /C calc'!A0", "-0.5", "-0.5", '["=1"]', ""]


def test_every_file_of_cells_is_written_by_one_function() -> None:
    """`games.names` writes a prompt of its own values, which nobody opens in a spreadsheet."""
    package = Path(evolif.__file__).parent
    texts = {file.relative_to(package): file.read_text(encoding="utf-8") for file in package.rglob("*.py")}
    writers = {str(file): text for file, text in texts.items() if "csv.writer(" in text or "to_csv(" in text}
    assert {file for file, text in writers.items() if "csv_cell" not in text} == {"scenarios/games/names.py"}
    assert len(writers) == 3
