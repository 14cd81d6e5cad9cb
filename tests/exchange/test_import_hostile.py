"""Files from anywhere: every fault is a sentence with the file and the line, and nothing is left behind."""

from __future__ import annotations

import base64
import json
import shutil
import zlib
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evolif
from evolif import EvolifError, InputError, UsageError
from evolif.exchange import export, import_benchmark
from evolif.exchange import importing as _sources
from evolif.exchange import rows as _extension
from evolif.scenarios.instructions.constraints import check

needs_arrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed (evolif[datasets])")


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    root = tmp_path_factory.mktemp("hostile")
    evolif.generate(root / "b", dialogues=2, turns=4, seed=4, profile="objective")
    path = export(root / "b", root / "b.jsonl").path
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def refused(tmp_path, lines, told):
    path = tmp_path / "in.jsonl"
    path.write_bytes(
        b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines) + b"\n"
    )
    before = sorted(p.name for p in tmp_path.iterdir())
    with pytest.raises(EvolifError, match=told) as fault:
        import_benchmark(path, tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    assert len(str(fault.value)) < 500
    return fault.value


def changed(row, **more):
    return {**row, **more}


BROKEN = [
    (b"{", "not JSON"),
    (b"[1]", "not a JSON object"),
    (b'{"turn": NaN}', "not JSON"),
    (b'{"n": 1' + b"0" * 5000 + b"}", "not JSON"),
    (b"\xff\xfe{}", "not UTF-8"),
    (b'{"a":' * 60 + b"1" + b"}" * 60, "nested deeper than 40"),
    (b"[" * 100_000, "not JSON"),
    (b'{"dialogue": 1, "turn": 2, "constraints": [], "query": "\\ud800"}', "a lone surrogate"),
    (b'{"some": "thing"}', "neither a turn exported by evolif nor"),
    (b'{"model": "m", "answer": "a", "constraints": [], "dialogue": 1}', "an exported run"),
]


@pytest.mark.parametrize(("line", "told"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_line_is_named(tmp_path, rows, line, told):
    fault = refused(tmp_path, [rows[0], line], told)
    assert isinstance(fault, InputError) and "in.jsonl, line 2" in str(fault)


CHANGES = [
    ({"query": ""}, "query"),
    ({"turn": 7}, "expected turn 2 but found turn 7"),
    ({"turn": "2"}, None),
    ({"constraints": [{"group": "bullets", "params": {"count": "many"}}]}, "bullets"),
    ({"constraints": [{"group": "../../etc", "params": {}}]}, "unknown constraint group"),
    ({"constraints": {"a": 1}}, "constraints"),
    ({"operation": None}, "operation"),
    ({"persona": {"id": "p"}}, "persona"),
    ({"topic": "none"}, "topic"),
    ({"status": "fine"}, "status"),
    ({"evolif": {"version": 9}}, "evolif"),
    ({"evolif": "x"}, "evolif"),
    ({"evolif": {"version": 1, "benchmark": {"header": {}}}}, "evolif"),
]


@pytest.mark.parametrize(("more", "told"), [c for c in CHANGES if c[1]], ids=str)
def test_a_broken_field_is_named(tmp_path, rows, more, told):
    fault = refused(tmp_path, [rows[0], changed(rows[1], **more)], told)
    assert "in.jsonl, line 2" in str(fault)


@pytest.mark.parametrize("number", [-1, 10**6, 10**40, "../x", 1.5, None])
def test_names_on_disk_come_from_small_numbers(tmp_path, rows, number):
    refused(tmp_path, [changed(rows[0], dialogue=number)], "in.jsonl, line 1")


def test_names_of_files_stay_names(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    line = {"turn": 1, "active_topic": "../../up", "user_query": "Four bullets.", "instructions": [
        {"id": "countableItems", "args": {"num": 4}}
    ]}  # fmt: skip
    (folder / "..dialog;rm.jsonl").write_text(json.dumps(line), encoding="utf-8")
    import_benchmark(folder, tmp_path / "out")
    there = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert there == ["benchmark.json", "dialogues/0001.jsonl", "personas.jsonl", "topics.jsonl"]


def test_the_extension_may_not_write_other_files(tmp_path, rows):
    whole = json.loads(json.dumps(rows[0]))
    whole["evolif"]["benchmark"]["catalogues"]["../evil"] = base64.b64encode(zlib.compress(b"x")).decode()
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps(whole), encoding="utf-8")
    import_benchmark(path, tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.jsonl", "out"]


def test_dialogues_that_are_scattered_or_mixed_are_refused(tmp_path, rows):
    first, second = rows[:4], rows[4:]
    refused(tmp_path, [*first, *second, first[0]], "dialogue 1 occurs twice")
    refused(tmp_path, [first[1], first[0]], "line 1: expected turn 1 but found turn 2")
    refused(tmp_path, [b"", b"  "], "contains no turn")


@pytest.mark.parametrize("what", ["bomb", "cut", "base64"])
def test_packed_text_is_bounded(tmp_path, rows, what, monkeypatch):
    monkeypatch.setattr(_extension, "_UNPACKED", 10_000)
    packed = {
        "bomb": base64.b64encode(zlib.compress(b"x" * 1_000_000)).decode(),
        "cut": base64.b64encode(zlib.compress(b"x" * 500)[:-6]).decode(),
        "base64": "%%%",
    }[what]
    whole = json.loads(json.dumps(rows[0]))
    whole["evolif"]["benchmark"]["catalogues"]["topics.jsonl"] = packed
    refused(tmp_path, [whole], "packed text")


@pytest.mark.parametrize("name", ["topics.jsonl", "personas.jsonl", "registers.yaml"])
def test_catalogues_that_cannot_be_opened_are_refused(tmp_path, rows, name):
    whole = json.loads(json.dumps(rows[0]))
    whole["evolif"]["benchmark"]["catalogues"][name] = base64.b64encode(zlib.compress(b"{}")).decode()
    fault = refused(tmp_path, [whole], "does not contain a complete benchmark")
    assert name in str(fault) and ".part" not in str(fault)
    if name != "registers.yaml":
        del whole["evolif"]["benchmark"]["catalogues"][name]
        refused(tmp_path, [whole], f"has no {name}")


def test_long_lines_and_long_dialogues_are_refused(tmp_path, rows, monkeypatch):
    longest = max(len(json.dumps(row)) for row in rows) + 10
    monkeypatch.setattr(_sources, "LONGEST_LINE", longest)
    refused(tmp_path, [rows[0], b" " * (longest + 1)], "line 2: longer than")
    monkeypatch.setattr("evolif.exchange.importing.MOST_TURNS", 3)
    refused(tmp_path, rows, "line 4: a dialogue has at most 3 turns")


def test_folders_that_are_something_else_are_refused(tmp_path, rows):
    evolif.generate(tmp_path / "b", dialogues=1, turns=1, seed=1, profile="objective")
    cases = [("b", "is already a benchmark"), ("nowhere", "does not exist"), ("empty", "contains no")]
    (tmp_path / "empty").mkdir()
    for name, told in cases:
        with pytest.raises(UsageError, match=told):
            import_benchmark(tmp_path / name, tmp_path / "out")
    (tmp_path / "empty" / "dataset_dict.json").touch()
    with pytest.raises(UsageError, match="several splits"):
        import_benchmark(tmp_path / "empty", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@needs_arrow
def test_broken_parquet_and_arrow_are_refused(tmp_path):
    for name in ("x.parquet", "x.arrow"):
        path = tmp_path / name
        path.write_bytes(b"PAR1" + b"\x00" * 100 + b"PAR1")
        with pytest.raises(InputError, match="cannot be read"):
            import_benchmark(path, tmp_path / "out")


@needs_arrow
def test_parquet_rows_are_named_and_bounded(tmp_path, rows, monkeypatch):
    import pyarrow
    from pyarrow import parquet

    broken = [{"dialogue": 1, "turn": 1, "constraints": "[" * 50 + "]" * 50}]
    parquet.write_table(pyarrow.Table.from_pylist(broken), tmp_path / "x.parquet")
    with pytest.raises(InputError, match=r"x\.parquet: row 1: nested deeper"):
        import_benchmark(tmp_path / "x.parquet", tmp_path / "out")
    monkeypatch.setattr("evolif.exchange.unpacking.MOST_BYTES", 10)
    with pytest.raises(InputError, match="unpacks to more than"):
        import_benchmark(tmp_path / "x.parquet", tmp_path / "out")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FOREIGN = {
    "turn": 1,
    "active_topic": 4,
    "user_query_verified": "Four bullets, please.",
    "topic_query": "Write about tea.",
    "instructions": [{"id": "countableItems", "args": {"num": 4}, "description": ""}],
    "style": {"uuid": "u", "persona": "Somebody.", "styles": ["short"]},
    "instruction_success": True,
    "evolif": {"version": 1, "line": {"source": "human"}},
}


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_a_field_is_taken_or_refused_in_a_sentence(tmp_path, rows, data):
    row = json.loads(json.dumps(data.draw(st.sampled_from([rows[0], rows[1], FOREIGN]))))
    where = row
    key = data.draw(st.sampled_from(sorted(row)))
    while isinstance(where[key], dict) and where[key] and data.draw(st.booleans()):
        where = where[key]
        key = data.draw(st.sampled_from(sorted(where)))
    where[key] = data.draw(JSON | st.sampled_from([*FOREIGN.values(), [{"id": "existence", "args": {"": 10**9}}]]))
    (tmp_path / "in.jsonl").write_text(json.dumps(row), encoding="utf-8")
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    try:
        import_benchmark(tmp_path / "in.jsonl", tmp_path / "out")
    except EvolifError as fault:
        assert "in.jsonl" in str(fault) and not (tmp_path / "out").exists()
    else:
        bench = evolif.load_benchmark(tmp_path / "out")
        assert [len(bench.turns(number)) for number in bench.dialogues()] == [1]


def test_a_witness_that_fails_is_built_anew(tmp_path, rows):
    wrong = [changed(row, witness="") for row in rows]
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(map(json.dumps, wrong)), encoding="utf-8")
    told = import_benchmark(path, tmp_path / "out")
    assert told.status["satisfiable"] == 8
    bench = evolif.load_benchmark(tmp_path / "out")
    for turn in (turn for number in bench.dialogues() for turn in bench.turns(number)):
        assert turn.witness is not None
        assert all(v.satisfied is not False for v in check(turn.constraints, turn.witness))
