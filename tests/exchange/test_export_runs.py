"""A run's transcripts as rows: one per turn, ready for figures, without the answer key."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

import evolif
from evolif import UsageError
from evolif.exchange import canary_of, export, import_benchmark
from evolif.metrics import process_metrics, records_from_sessions

needs_arrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed (evolif[datasets])")
needs_datasets = pytest.mark.skipif(
    find_spec("pyarrow") is None or find_spec("datasets") is None, reason="datasets is not installed (evolif[datasets])"
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    bench = evolif.generate(root / "b", dialogues=3, turns=6, seed=8, profile="objective")
    played = evolif.evaluate(bench, ["sim/perfect", "sim/steady"], root / "r", max_turns=6, judge="lexical", epochs=1)
    yield played
    played.close()


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_judged_turn_is_a_row(run, tmp_path):
    done = export(run.path, tmp_path / "r.jsonl")
    rows = lines(done.path)
    sessions = [session for model in run.models for session in run.sessions(model)]
    assert done.kind == "run" and done.rows == len(rows) == sum(len(s.turns) for s in sessions)
    expected = [
        (s.model, s.dialogue, t.turn, t.labels["depth"], t.labels["move"], s.ending) for s in sessions for t in s.turns
    ]
    assert [(r["model"], r["dialogue"], r["turn"], r["depth"], r["move"], r["ending"]) for r in rows] == expected
    turns = [t for s in sessions for t in s.turns]
    for row, turn in zip(rows, turns, strict=True):
        assert row["judged"] == len(turn.judged) and row["satisfied"] == sum(turn.judged)
        assert row["ok"] == (all(turn.judged) if turn.judged else None)
        assert [v["satisfied"] for v in row["verdicts"]] == [v.satisfied for v in turn.verdicts]
        assert row["groups"] == [v["group"] for v in row["verdicts"]]
        assert row["canary"] == canary_of(run.settings.benchmark)
    assert rows[0]["evolif"]["run"]["patience"] == 3
    assert all(row["evolif"] == {"version": 1} for row in rows[1:])


def test_figures_can_be_computed_from_the_rows_alone(run, tmp_path):
    rows = [r for r in lines(export(run.path, tmp_path / "r.jsonl").path) if r["model"] == "sim/steady" and r["judged"]]
    told = process_metrics(records_from_sessions(run.sessions("sim/steady")).records)
    assert sum(r["satisfied"] / r["judged"] for r in rows) / len(rows) == pytest.approx(told.csr)
    assert sum(r["ok"] for r in rows) / len(rows) == pytest.approx(told.isr)


def test_an_answer_that_is_the_witness_stays_home(run, tmp_path):
    done = export(run.path, tmp_path / "r.jsonl")
    rows = lines(done.path)
    assert done.withheld == sum(row["withheld"] for row in rows) > 0
    assert all(row["answer"] is None for row in rows if row["model"] == "sim/perfect")
    assert any(row["answer"] for row in rows if row["model"] == "sim/steady")
    plain = done.path.read_text(encoding="utf-8")
    keys = [w for prompt in run.prompts() if len(w := prompt.payload["witness"]) > 30]
    assert keys and [key for key in keys if json.dumps(key, ensure_ascii=False)[1:-1] in plain] == []
    keyed = lines(export(run.path, tmp_path / "k.jsonl", with_witness=True).path)
    assert all(row["witness"] == row["answer"] for row in keyed if row["model"] == "sim/perfect")


def test_where_models_were_asked_stays_home(tmp_path):
    from evolif.runner import RunStore

    evolif.generate(tmp_path / "b", dialogues=1, turns=1, seed=8, profile="objective")
    run = evolif.evaluate(tmp_path / "b", "sim/perfect", tmp_path / "r", max_turns=1)
    run.close()
    store = RunStore.open(tmp_path / "r")
    store.grow(store.settings.model_copy(update={"endpoints": ("http://intern.example:8000/v1",)}))
    store.close()
    assert "intern.example" not in export(tmp_path / "r", tmp_path / "r.jsonl").path.read_text(encoding="utf-8")


@needs_arrow
def test_parquet_holds_the_same_rows(run, tmp_path):
    from pyarrow import parquet

    rows = lines(export(run.path, tmp_path / "r.jsonl").path)
    table = parquet.read_table(export(run.path, tmp_path / "r.parquet").path).to_pylist()
    for row, typed in zip(rows, table, strict=True):
        typed["evolif"] = json.loads(typed["evolif"])
        for constraint in typed["constraints"]:
            params = {name: value for name, value in constraint["params"].items() if value is not None}
            # Words and their numbers are no columns; they come as JSON.
            constraint["params"] = {n: json.loads(v) if n in ("counts", "at_least") else v for n, v in params.items()}
        assert typed == row


@needs_datasets
def test_the_datasets_library_loads_a_run(run, tmp_path):
    import datasets

    loaded = datasets.load_from_disk(str(export(run.path, tmp_path / "set", format="datasets").path))
    assert loaded.num_rows == sum(len(s.turns) for s in run.sessions())
    assert set(loaded.unique("model")) == {"sim/perfect", "sim/steady"}
    card = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert "patience 3" in card and "license: other" in card


def test_a_run_has_no_authors_layout_and_is_no_benchmark(run, tmp_path):
    with pytest.raises(UsageError, match="export a run as jsonl"):
        export(run.path, tmp_path / "x", format="evolif-states")
    done = export(run.path, tmp_path / "r.jsonl")
    with pytest.raises(UsageError, match=r"line 1: .*an exported run"):
        import_benchmark(done.path, tmp_path / "back")
