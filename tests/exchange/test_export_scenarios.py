"""Runs and benchmarks of scenarios that this package does not know, as rows."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from talk_scenario import MODEL, SECRET, SYSTEM, BrokenTalk, LabelledTalk, Talk, install, make_talk
from typer.testing import CliRunner

from evolif import UsageError
from evolif.benchmark import BenchmarkFolder
from evolif.cli import app
from evolif.errors import EvolifError
from evolif.exchange import canary_of, export, import_benchmark
from evolif.scenario import NoOptions, Rows, Scenario

needs_arrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed (evolif[datasets])")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_run_is_rows_with_seats_and_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    make_talk(tmp_path / "r", dialogues=2).close()
    done = export(tmp_path / "r", tmp_path / "r.jsonl")
    rows = lines(done.path)
    assert done.rows == len(rows) == 6 and done.withheld == 0
    assert [row["seat"] for row in rows] == ["target", "partner", "target"] * 2
    first = rows[0]
    assert (first["model"], first["patience"], first["instance"], first["card"]) == (MODEL, None, "i1", 1)
    assert first["scores"] == [
        {"name": "points", "value": 0.5, "expected": "much", "found": "some"},
        {"name": "style", "value": None, "expected": "", "found": ""},
    ]
    assert first["messages"][0] == {"role": "system", "content": SYSTEM} and first["query"] == "Question 1"
    assert "messages" not in rows[1] and rows[1]["scores"] == [] and rows[1]["ok"] is None
    assert first["canary"] == canary_of("fedcba9876543210")
    assert first["evolif"]["run"]["scenario"] == "talk" and first["evolif"]["run"]["options"] == {"tokens": 9}
    assert "keys" not in first and SECRET not in done.path.read_text(encoding="utf-8")


class OpenTalk(Talk):
    rows = Rows()


def test_only_a_scenario_with_answer_keys_speaks_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(out: str) -> str:
        done = CliRunner().invoke(app, ["export", str(tmp_path / "r"), str(tmp_path / out)])
        assert done.exit_code == 0, done.output
        return done.stdout

    make_talk(tmp_path / "r", dialogues=1).close()
    install(monkeypatch)
    assert "3 turns of a run as jsonl, without keys; " in told("a.jsonl")
    install(monkeypatch, OpenTalk)
    assert "3 turns of a run as jsonl; " in told("b.jsonl")
    if find_spec("datasets"):
        export(tmp_path / "r", tmp_path / "d", format="datasets")
        assert "witness" not in (tmp_path / "d" / "README.md").read_text("utf-8")


def test_an_answer_with_a_key_stays_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    make_talk(tmp_path / "r", dialogues=1, answers={3: f"So: {SECRET}, I say."}).close()
    done = export(tmp_path / "r", tmp_path / "r.jsonl")
    assert done.withheld == 0  # a key of 23 letters may be said by chance
    make_talk(tmp_path / "s", dialogues=1, answers={3: SECRET}).close()
    rows = lines(export(tmp_path / "s", tmp_path / "s.jsonl").path)
    assert [row["withheld"] for row in rows] == [False, False, True] and rows[2]["answer"] is None
    keyed = lines(export(tmp_path / "s", tmp_path / "k.jsonl", with_witness=True).path)
    assert keyed[2]["answer"] == SECRET and keyed[0]["keys"] == [SECRET]


BOARD = "struct<lamp: list<element: int64>>"


@needs_arrow
def test_parquet_has_types_where_it_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyarrow import parquet

    install(monkeypatch, LabelledTalk)
    make_talk(tmp_path / "r", dialogues=1).close()
    rows = lines(export(tmp_path / "r", tmp_path / "r.jsonl").path)
    table = parquet.read_table(export(tmp_path / "r", tmp_path / "r.parquet").path)
    types = {name: str(table.schema.field(name).type) for name in ("share", "mixed", "board", "large", "open")}
    assert types == {"share": "double", "mixed": "string", "board": BOARD, "large": "string", "open": "bool"}
    for row, typed in zip(rows, table.to_pylist(), strict=True):
        assert typed["talk_answer"] == "no" and typed["answer"] == row["answer"]
        assert typed["board"] == row["board"] == {"lamp": [1, None]}
        assert typed["mixed"] == str(row["mixed"]) and typed["large"] == str(2**70)
        assert typed["scores"] == row["scores"] and typed["verdicts"] == row["verdicts"]


def test_what_a_plug_in_breaks_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, BrokenTalk)
    make_talk(tmp_path / "r").close()
    with pytest.raises(UsageError, match="the scenario talk gives a column board that is not JSON"):
        export(tmp_path / "r", tmp_path / "r.jsonl")
    assert not (tmp_path / "r.jsonl").exists()


def test_a_run_of_a_scenario_that_is_not_installed(tmp_path: Path) -> None:
    make_talk(tmp_path / "r").close()
    with pytest.raises(UsageError, match="“talk” is not installed here"):
        export(tmp_path / "r", tmp_path / "r.jsonl")


class Secrets(Rows):
    key_fields = ("secret",)

    def keys(self, prompt: Any) -> tuple[str, ...]:
        return (prompt.payload["secret"],)


class CarelessRows(Secrets):
    key_fields = ()


class Lines(Scenario):
    name = "talk"
    title = "lines"
    rows: Rows = Secrets()

    def open(self, path: Path, notify: Any = None) -> BenchmarkFolder:
        return BenchmarkFolder(path, self)


class Careless(Lines):
    rows = CarelessRows()


def _folder(path: Path, monkeypatch: pytest.MonkeyPatch, scenario: type[Scenario]) -> Path:
    install(monkeypatch, scenario)
    told = [{"question": "what?", "secret": SECRET, "answer": [1, {"a": 2}]}, {"question": "who?", "judged": "no"}]
    BenchmarkFolder.make(path, scenario(), NoOptions(), lambda dialogue: told, dialogues=2, seed=1)
    return path


@needs_arrow
def test_a_benchmark_is_its_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyarrow import parquet

    bench = _folder(tmp_path / "b", monkeypatch, Lines)
    done = export(bench, tmp_path / "b.jsonl")
    rows = lines(done.path)
    assert done.kind == "benchmark" and len(rows) == 4
    assert [(row["dialogue"], row["line"]) for row in rows] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert rows[0]["question"] == "what?" and "secret" not in rows[0]
    assert lines(export(bench, tmp_path / "k.jsonl", with_witness=True).path)[0]["secret"] == SECRET
    table = parquet.read_table(export(bench, tmp_path / "b.parquet").path).to_pylist()
    assert json.loads(table[0]["answer"]) == [1, {"a": 2}] and table[1]["judged"] == "no"
    with pytest.raises(UsageError, match="only for benchmarks of instruction following"):
        export(bench, tmp_path / "x", format="evolif-states")
    with pytest.raises(EvolifError, match="line 1"):
        import_benchmark(done.path, tmp_path / "back")


def test_keys_that_nobody_names_are_not_given_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = _folder(tmp_path / "b", monkeypatch, Careless)
    with pytest.raises(UsageError, match="does not say which fields of its lines are answer keys"):
        export(bench, tmp_path / "b.jsonl")
    assert export(bench, tmp_path / "k.jsonl", with_witness=True).rows == 4
