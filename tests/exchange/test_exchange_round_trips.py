"""Export and import again: the same benchmark, in every format, and no witness on the way."""

from __future__ import annotations

import json
import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evolif
from evolif import UsageError, load_benchmark
from evolif.exchange import EXPORTERS, canary_of, export, import_benchmark
from evolif.scenarios.instructions.turn_lines import turn_hash

ARROW = find_spec("pyarrow") is not None
DATASETS = ARROW and find_spec("datasets") is not None
needs_arrow = pytest.mark.skipif(not ARROW, reason="pyarrow is not installed (evolif[datasets])")
needs_datasets = pytest.mark.skipif(not DATASETS, reason="datasets is not installed (evolif[datasets])")
EVERY = [
    pytest.param(name, marks={"parquet": [needs_arrow], "datasets": [needs_datasets]}.get(name, []))
    for name, one in EXPORTERS.items()
    if one.for_benchmarks and name not in ("csv", "ntm")  # not for imports, and of another scenario
]


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    root = tmp_path_factory.mktemp("exchange") / "bench"
    return evolif.generate(root, dialogues=3, turns=12, seed=21, profile="extended")


def dialogue_bytes(root):
    return {path.name: path.read_bytes() for path in sorted((Path(root) / "dialogues").glob("*.jsonl"))}


def hashes(bench):
    return [turn_hash(turn) for number in bench.dialogues() for turn in bench.turns(number)]


def witnesses(bench):
    return [turn.witness for number in bench.dialogues() for turn in bench.turns(number)]


def exported_bytes(path):
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return b"\n".join(file.read_bytes() for file in files)


@pytest.mark.sampled
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("with_witness", [False, True])
def test_a_round_trip_gives_the_same_benchmark(bench, tmp_path, name, with_witness):
    out = tmp_path / ("out.parquet" if name == "parquet" else "out")
    done = export(bench.path, out, format=name, with_witness=with_witness)
    assert (done.rows, done.format, done.kind) == (36, name, "benchmark")
    back = import_benchmark(out, tmp_path / "back")
    again = load_benchmark(tmp_path / "back")
    assert back.extendable and back.turns == 36
    assert again.identity == bench.identity and hashes(again) == hashes(bench)
    # Witnesses are built anew where they stayed home, and the builder knows no chance.
    assert dialogue_bytes(again.path) == dialogue_bytes(bench.path)
    for name in ("benchmark.json", "topics.jsonl", "personas.jsonl"):
        assert (again.path / name).read_bytes() == (bench.path / name).read_bytes()
    assert back.status == {"satisfiable": 36, "awkward": 0, "impossible": 0, "undecided": 0}


@pytest.mark.sampled
@pytest.mark.parametrize("name", EVERY)
def test_witnesses_stay_home_unless_asked_for(bench, tmp_path, name):
    keys = {text for text in witnesses(bench) if len(text) > 30}
    forms = [
        form.encode()
        for text in keys
        for form in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
    ]
    assert len(keys) > 20
    plain = exported_bytes(_written(bench, tmp_path / "plain", name))
    assert [form for form in forms if form in plain] == []
    if name != "parquet":  # its columns are compressed
        keyed = exported_bytes(_written(bench, tmp_path / "keyed", name, with_witness=True))
        assert all(any(form.encode() in keyed for form in (json.dumps(t, ensure_ascii=False)[1:-1], t)) for t in keys)


@pytest.mark.slow
@needs_arrow
def test_parquet_has_no_column_of_witnesses(bench, tmp_path):
    from pyarrow import parquet

    table = parquet.read_table(_written(bench, tmp_path / "plain", "parquet"))
    assert "witness" not in table.column_names
    told = json.dumps(table.to_pylist(), ensure_ascii=False)
    assert [text for text in witnesses(bench) if json.dumps(text, ensure_ascii=False)[1:-1] in told] == []
    keyed = parquet.read_table(_written(bench, tmp_path / "keyed", "parquet", with_witness=True))
    assert keyed.column("witness").to_pylist() == witnesses(bench)


def _written(bench, out, name, **more):
    return export(bench.path, out.with_suffix(".parquet") if name == "parquet" else out, format=name, **more).path


@pytest.mark.slow
def test_the_canary_is_stable_and_in_every_row(bench, tmp_path):
    canary = canary_of(bench.identity)
    assert re.fullmatch(r"evolif canary [0-9a-f-]{36}", canary)
    assert canary == canary_of(bench.identity) != canary_of("0" * 16)
    for name in ("jsonl", "evolif-states", "evolif-dialogs"):
        out = _written(bench, tmp_path / name, name)
        files = [out] if out.is_file() else sorted(out.iterdir())
        rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").split("\n") if line]
        assert len(rows) == 36
        assert all(next(iter(row)) == "canary" and row["canary"] == canary for row in rows)
        assert all(list(row)[-1] == "evolif" for row in rows)


@pytest.mark.slow
def test_jsonl_rows_read_as_they_are_meant(bench, tmp_path):
    out = _written(bench, tmp_path / "b.jsonl", "jsonl")
    assert export(bench.path, tmp_path / "told-by-its-ending.jsonl").format == "jsonl"
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    for row, turn in zip(rows, (t for n in bench.dialogues() for t in bench.turns(n)), strict=True):
        assert (row["dialogue"], row["turn"], row["query"]) == (turn.dialogue, turn.turn, turn.query)
        assert row["groups"] == [c.group for c in turn.constraints] == [c["group"] for c in row["constraints"]]
        assert row["topic"]["keywords"] == list(turn.topic.keywords)
    assert "benchmark" in rows[0]["evolif"]
    assert all(row["evolif"] == {"version": 1} for row in rows[1:])


@pytest.mark.slow
@needs_datasets
def test_the_datasets_library_loads_the_folder(bench, tmp_path):
    import datasets

    out = _written(bench, tmp_path / "set", "datasets")
    loaded = datasets.load_from_disk(str(out))
    assert loaded.num_rows == 36 and "witness" not in loaded.column_names
    turn = bench.turns(2)[3]
    row = loaded[15]
    assert (row["dialogue"], row["turn"], row["query"]) == (2, 4, turn.query)
    assert [one["group"] for one in row["constraints"]] == [one.group for one in turn.constraints]
    params = {name: value for name, value in row["constraints"][0]["params"].items() if value is not None}
    assert params == dict(turn.constraints[0].params)
    assert row["topic"]["keywords"] == list(turn.topic.keywords)
    after = row["operation"]["after"]
    assert after is None or {k: v for k, v in after.items() if v is not None} == dict(turn.operation.after)
    assert loaded.filter(lambda one: "length" in one["groups"], load_from_cache_file=False).num_rows > 0


@pytest.mark.slow
@needs_datasets
def test_rows_survive_other_programs(bench, tmp_path):
    import datasets

    loaded = datasets.load_from_disk(str(_written(bench, tmp_path / "set", "datasets")))
    loaded.to_pandas().to_json(tmp_path / "pandas.jsonl", orient="records", lines=True)
    loaded.save_to_disk(str(tmp_path / "again"))
    loaded.to_pandas().to_parquet(tmp_path / "pandas.parquet")
    for name in ("pandas.jsonl", "again", "pandas.parquet"):
        import_benchmark(tmp_path / name, tmp_path / f"{name}-back")
        again = load_benchmark(tmp_path / f"{name}-back")
        assert again.identity == bench.identity and dialogue_bytes(again.path) == dialogue_bytes(bench.path)


@pytest.mark.slow
@needs_datasets
def test_the_card_says_what_it_is(bench, tmp_path):
    import yaml

    card = (_written(bench, tmp_path / "set", "datasets") / "README.md").read_text(encoding="utf-8")
    _, head, body = card.split("---\n", 2)
    told = yaml.safe_load(head)
    assert told["license"] == "cc-by-4.0" and told["size_categories"] == ["n<1K"]
    assert told["evolif"]["seed"] == 21 and told["evolif"]["profile"] == "extended"
    assert told["evolif"]["canary"] == canary_of(bench.identity) and told["evolif"]["witnesses"] is False
    assert told["evolif"]["rows"] == 36
    assert canary_of(bench.identity) in body and "not comparable" in body
    named = export(bench.path, tmp_path / "other", format="datasets", licence="mit")
    assert yaml.safe_load((named.path / "README.md").read_text(encoding="utf-8").split("---\n")[1])["license"] == "mit"


@needs_arrow
def test_the_parquet_head_tells_canary_and_identity(bench, tmp_path):
    from pyarrow import parquet

    told = parquet.read_schema(_written(bench, tmp_path / "p", "parquet")).metadata
    assert told[b"evolif.canary"].decode() == canary_of(bench.identity)
    assert told[b"evolif.identity"].decode() == bench.identity


def test_a_folder_of_the_authors_layout_may_be_read_dialogue_by_dialogue(bench, tmp_path):
    out = _written(bench, tmp_path / "dialogs", "evolif-dialogs")
    back = import_benchmark(out / "dialog_2.jsonl", tmp_path / "one")
    one = load_benchmark(tmp_path / "one")
    # Without the first file there is no script; the dialogue itself is whole.
    assert not back.extendable and one.dialogues() == [2]
    assert [turn_hash(t) for t in one.turns(2)] == [turn_hash(t) for t in bench.turns(2)]


def test_an_edited_query_of_the_authors_layout_is_taken_over(bench, tmp_path):
    out = _written(bench, tmp_path / "dialogs", "evolif-dialogs")
    path = out / "dialog_1.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    row = json.loads(lines[2])
    row["user_query_verified"] = "Said in other words."
    lines[2] = json.dumps(row)
    path.write_text("\n".join(lines), encoding="utf-8")
    import_benchmark(out, tmp_path / "back")
    again = load_benchmark(tmp_path / "back")
    assert again.turns(1)[2].query == "Said in other words."
    assert again.identity == bench.identity


@pytest.mark.slow
def test_an_imported_benchmark_goes_on_as_the_original_does(bench, tmp_path):
    shutil.copytree(bench.path, tmp_path / "original")
    import_benchmark(_written(bench, tmp_path / "b.jsonl", "jsonl"), tmp_path / "back")
    first, second = load_benchmark(tmp_path / "original"), load_benchmark(tmp_path / "back")
    assert first.extend(15) == second.extend(15) == 9
    assert dialogue_bytes(first.path) == dialogue_bytes(second.path)


@pytest.mark.slow
def test_registers_of_ones_own_travel_along(tmp_path):
    registers = _registers(tmp_path)
    bench = evolif.generate(tmp_path / "b", dialogues=1, turns=4, seed=3, registers=registers, profile="objective")
    for name in ("jsonl", "evolif-states"):
        import_benchmark(_written(bench, tmp_path / name, name), tmp_path / f"{name}-back")
        again = load_benchmark(tmp_path / f"{name}-back")
        assert again.identity == bench.identity
        assert (again.path / "registers.yaml").read_bytes() == registers.read_bytes()
    lines = (tmp_path / "jsonl").read_text(encoding="utf-8").splitlines()
    rows = [{**json.loads(line), "evolif": None} for line in lines]
    for row in rows:
        row["persona"]["register"] = "plainer"  # of a file that was left behind
    (tmp_path / "alone.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert import_benchmark(tmp_path / "alone.jsonl", tmp_path / "alone").extendable is False
    assert load_benchmark(tmp_path / "alone").turns(1)[0].persona.register == "plainer"


def _registers(folder):
    import yaml

    from evolif.util.resources import data_path

    frames = yaml.safe_load(data_path("seeds", "frames.yaml").read_text(encoding="utf-8"))
    path = folder / "registers.yaml"
    own = {"registers": {"plainer": frames["registers"]["neutral"]}}
    path.write_text(yaml.safe_dump(own, allow_unicode=True), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("out", "more", "told"),
    [
        ("b.xyz", {}, "cannot infer the format"),
        ("b.xyz", {"format": "tsv"}, "unknown"),
        ("taken.jsonl", {}, "already exists"),
        ("full", {"format": "evolif-states"}, "already exists"),
        ("b.jsonl", {"push": "user/name"}, "--push uploads parquet and datasets"),
    ],
)
def test_what_cannot_be_exported_is_refused_in_a_sentence(bench, tmp_path, out, more, told):
    (tmp_path / "taken.jsonl").write_text("mine", encoding="utf-8")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    with pytest.raises(UsageError, match=told):
        export(bench.path, tmp_path / out, **more)
    assert (tmp_path / "taken.jsonl").read_text(encoding="utf-8") == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full", "taken.jsonl"]


def test_an_existing_empty_folder_is_used(bench, tmp_path):
    (tmp_path / "empty").mkdir()
    assert len(list(export(bench.path, tmp_path / "empty", format="evolif-dialogs").path.iterdir())) == 3
    (tmp_path / "here").mkdir()
    assert export(bench.path, tmp_path / "here", format="jsonl").path == tmp_path / "here" / "benchmark.jsonl"
    with pytest.raises(UsageError, match="neither a benchmark nor a run"):
        export(tmp_path / "here", tmp_path / "x.jsonl")


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    seed=st.integers(0, 2**31),
    turns=st.integers(1, 9),
    profile=st.sampled_from(["paper", "objective", "extended"]),
    name=st.sampled_from(
        [
            f
            for f, one in EXPORTERS.items()
            if one.for_benchmarks and f not in ("csv", "datasets", "ntm") and (ARROW or f != "parquet")
        ]
    ),
    query=st.text(min_size=1).filter(lambda text: text.strip() and _storable(text)),
    status=st.sampled_from(["verified", "flagged", "edited", "rejected"]),
    findings=st.lists(st.text().filter(lambda text: _storable(text)), max_size=3),
)
@pytest.mark.slow
def test_any_benchmark_comes_back_as_it_was(tmp_path_factory, seed, turns, profile, name, query, status, findings):
    root = tmp_path_factory.mktemp("any")
    bench = evolif.generate(root / "b", dialogues=2, turns=turns, seed=seed, profile=profile)
    bench.replace(1, turns, query=query, status=status, source="human", findings=tuple(findings), attempts=3)
    import_benchmark(_written(bench, root / "out", name), root / "back")
    again = load_benchmark(root / "back")
    assert again.identity == bench.identity
    assert dialogue_bytes(again.path) == dialogue_bytes(bench.path)
    shutil.rmtree(root)


def _storable(text):
    try:
        return bool(text.encode("utf-8") is not None)
    except UnicodeEncodeError:
        return False
