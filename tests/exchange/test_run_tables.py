"""Tables of a run are built by column; they hold what its records say, whatever the scenario and the text."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from reacting_runs import reacting_run
from talk_scenario import install, make_talk

import evolif
from evolif import UsageError
from evolif.exchange import export
from evolif.exchange.run_rows import RunRows
from evolif.exchange.turn_columns import found_columns
from evolif.metrics import counted_sessions
from evolif.runner import Run, load_run
from evolif.runner import turn_rows as turn_rows_module
from evolif.scenario import get_scenario

pandas = pytest.importorskip("pandas", reason="pandas is not installed (evolif[frames])")
parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (evolif[frames])")

REACTING = {"sim/a": {1: "censored:01 r11<0 10", 2: "censored:00 r00<u"}, "sim/b": {1: "finished:00 r00<0"}}
GAME = {"game": "names", "turns": [2, 4]}


def instructions(root: Path) -> None:
    bench = evolif.generate(root / "b", dialogues=3, turns=5, seed=8)
    evolif.evaluate(bench, ["sim/steady", "sim/perfect"], root / "r", max_turns=5, judge="lexical").close()


def game(root: Path) -> None:
    bench = evolif.generate(root / "b", scenario="games", options=GAME, dialogues=2, seed=7)
    evolif.evaluate(bench, "sim/scripted", root / "r", partner="scripted").close()


def feedback(root: Path) -> None:
    reacting_run(root / "r", REACTING)


def talk(root: Path) -> None:
    make_talk(root / "r", dialogues=2).close()


RUNS = {one.__name__: one for one in (instructions, game, feedback, talk)}


@pytest.fixture(params=RUNS)
def run(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copied: Callable[..., Path]
) -> Iterator[Run]:
    install(monkeypatch)
    made = copied(RUNS[request.param], tmp_path / "made")
    with closing(load_run(made / "r", read_only=True)) as opened:
        yield opened


def expected_rows(run: Run) -> Iterator[dict[str, Any]]:
    """The rows as they follow from the records of a run, object by object."""
    scenario = get_scenario(run.settings.scenario)
    for model in run.models:
        for session, records in run.transcripts(model):
            within = {turn.turn for kept in counted_sessions([session]) for turn in kept.turns}
            for record in records:
                judged = record.judged.judged
                scores = [
                    {**asdict(one), "value": one.value if one.value is not None and isfinite(one.value) else None}
                    for one in record.scores
                ]
                yield {
                    **{name: getattr(session, name) for name in ("model", "dialogue", "epoch", "ending", "reason")},
                    "patience": session.patience,
                    "turn": record.turn,
                    **({"seat": record.prompt.seat} if len(scenario.seats) > 1 else {}),
                    **scenario.rows.row(record.prompt),
                    **{name: getattr(record, name) for name in ("answer", "reasoning", "truncated", "served_by")},
                    "seconds": record.seconds,
                    "is_judged": record.is_judged,
                    "judged": len(judged),
                    "satisfied": sum(judged),
                    "ok": all(judged) if judged else None,
                    "verdicts": [asdict(verdict) for verdict in record.verdicts],
                    "judge_scores": [
                        {"group": one.group}
                        | {name: getattr(score, name) for name in ("judge", "score", "rationale", "problem")}
                        for one in record.records
                        for score in one.scores
                    ],
                    "prompt_tokens": record.usage.prompt_tokens,
                    "completion_tokens": record.usage.completion_tokens,
                    **({"scores": scores} if scores or scenario.table({}) is not None else {}),
                    "counted": record.turn in within,
                }


def plain(value: Any) -> Any:
    """As JSON has it; what is missing is null."""
    if isinstance(value, (list, tuple, dict)):
        return json.loads(json.dumps(value))
    return None if pandas.isna(value) else value


def frame_rows(run: Run) -> list[dict[str, Any]]:
    frame = evolif.turns_frame(run)
    return [dict(zip(frame.columns, map(plain, row), strict=True)) for row in frame.itertuples(index=False, name=None)]


def test_a_frame_has_the_rows_of_the_records_in_their_order(run: Run) -> None:
    rows, names = [*expected_rows(run)], dict.fromkeys(name for row in expected_rows(run) for name in row)
    assert list(evolif.turns_frame(run).columns) == list(names)
    assert frame_rows(run) == [{name: plain(row.get(name)) for name in names} for row in rows]


def test_an_export_has_them_too_and_its_columns_are_known_before(run: Run, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in export(run.path, tmp_path / "r.jsonl").path.read_text("utf-8").splitlines()]
    for row, told in zip(rows, expected_rows(run), strict=True):
        del told["counted"]
        told |= {"answer": None} if row["withheld"] else {}
        if get_scenario(run.settings.scenario).rows.expected_is_key:
            told |= {name: [one | {"expected": ""} for one in told[name]] for name in ("verdicts", "scores")}
        assert {name: row[name] for name in told} == plain(told)
        assert set(row) - set(told) == {"canary", "withheld", "evolif"}
    table = parquet.read_table(export(run.path, tmp_path / "r.parquet").path)
    assert set(table.column_names) >= {name for row in rows for name in row}
    for name in ("model", "turn", "query", "answer", "verdicts", "judge_scores", "seconds", "ok", "withheld", "canary"):
        assert table[name].to_pylist() == [row[name] for row in rows], name
    skeletons = [*RunRows(run, with_witness=False).skeletons()]
    assert dict.fromkeys(name for row in skeletons for name in row) == dict.fromkeys(n for row in rows for n in row)


def test_small_batches_and_full_caches_change_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, table = frame_rows(run), parquet.read_table(export(run.path, tmp_path / "a.parquet").path)
    lines = export(run.path, tmp_path / "a.jsonl").path.read_bytes()
    monkeypatch.setattr(turn_rows_module, "MOST_TURNS", 1)
    for name in ("run_rows._MOST_PROMPTS", "run_rows._MOST_DIALOGUES", "run_table._MOST_PROMPTS", "tables._GROUP_ROWS"):
        monkeypatch.setattr(f"evolif.exchange.{name}", 2)
    assert frame_rows(run) == whole
    file = parquet.ParquetFile(export(run.path, tmp_path / "b.parquet").path)
    assert file.num_row_groups > 1 and file.read().equals(table)
    assert file.metadata.row_group(0).column(1).is_stats_set
    assert export(run.path, tmp_path / "b.jsonl").path.read_bytes() == lines
    again = export(run.path, tmp_path / "c.parquet").path
    assert again.read_bytes() == (tmp_path / "b.parquet").read_bytes()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made")
    bench = evolif.generate(root / "b", dialogues=2, turns=3, seed=8, profile="objective")
    evolif.evaluate(bench, "sim/steady", root / "r", max_turns=3).close()
    return root / "r"


def edited(made: Path, folder: Path, sql: str, *values: object) -> Path:
    shutil.copytree(made, folder)
    with closing(sqlite3.connect(folder / "run.sqlite")) as file, file:
        file.execute(sql, values)
    return folder


EARLIER = Path(__file__).parent.parent / "runner" / "tables_of_version_2.py"
HOSTILE = {
    "NUL": ("a\\u0000b", "a\0b"),
    "half a pair": ("a\\ud800b", "a?b"),
    "a formula": ("=1+1\\u2028", "=1+1\u2028"),
    "a number of many digits": ("9" * 400, "9" * 400),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_reach_tables(name: str, made: Path, tmp_path: Path) -> None:
    stored, shown = HOSTILE[name]
    text = f'[{{"group":"x","satisfied":null,"expected":"e","found":"{stored}","spans":[[0,1]]}}]'
    root = edited(made, tmp_path / "r", "UPDATE turn SET answer = char(0) || '=x', verdicts = ? WHERE turn = 2", text)
    with closing(load_run(root, read_only=True)) as run:
        frame = evolif.turns_frame(run)
        second = frame[frame.turn == 2].iloc[0]
        assert second.answer == "\0=x" and second.verdicts[0]["found"] == shown
        assert second.verdicts[0]["spans"] == [{"start": 0, "end": 1, "view": "content"}]
    table = parquet.read_table(export(root, tmp_path / "r.parquet").path).to_pylist()
    assert [row["verdicts"][0]["found"] for row in table if row["turn"] == 2] == [shown] * 2
    for kind in ("jsonl", "csv"):
        assert export(root, tmp_path / f"r.{kind}").rows == len(table)


@pytest.mark.parametrize("text", ["[1", '[{"group":"x"}]', '{"a":1}', '[{"group":"x","satisfied":true,"spans":3}]'])
def test_verdicts_that_cannot_be_read_are_one_sentence(text: str, made: Path, tmp_path: Path) -> None:
    root = edited(made, tmp_path / "r", "UPDATE turn SET verdicts = ? WHERE session = 1 AND turn = 2", text)
    with closing(load_run(root, read_only=True)) as run, pytest.raises(UsageError, match="was edited after it was"):
        evolif.turns_frame(run)
    for kind in ("parquet", "jsonl"):
        with pytest.raises(UsageError, match="was edited after it was written"):
            export(root, tmp_path / f"r.{kind}")
        assert not (tmp_path / f"r.{kind}").exists()


def test_a_run_without_a_turn_has_the_columns(made: Path, tmp_path: Path) -> None:
    root = edited(made, tmp_path / "r", "DELETE FROM turn")
    with closing(load_run(root, read_only=True)) as run:
        frame = evolif.turns_frame(run)
        assert len(frame) == 0 and list(frame.columns)[-1] == "counted" and frame.turn.dtype == "int64"
    assert export(root, tmp_path / "r.parquet").rows == 0
    assert parquet.read_table(tmp_path / "r.parquet").num_rows == 0


def test_runs_of_earlier_versions_have_tables_too(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "r")
    with closing(sqlite3.connect(tmp_path / "r" / "run.sqlite")) as file, file:
        file.executescript(run_path(str(EARLIER))["TABLES_OF_VERSION_2"])
    with closing(load_run(tmp_path / "r", read_only=True)) as run:
        names = dict.fromkeys(name for row in expected_rows(run) for name in row)
        assert frame_rows(run) == [{name: plain(row.get(name)) for name in names} for row in expected_rows(run)]
    assert export(tmp_path / "r", tmp_path / "r.parquet").rows == export(made, tmp_path / "now.parquet").rows > 0


def test_a_number_that_no_column_holds_does_not_end_in_a_traceback() -> None:
    huge = '[{"group":"x","satisfied":true,"expected":7,"found":{"deep":[1]},"spans":[]}]'
    found = found_columns([huge, None], ["", '[["points",NaN]]'], ["", ""])
    [[one], none] = found.verdicts.to_pylist()
    assert (one["expected"], one["found"], none) == ("7", '{"deep":[1]}', [])
    assert found.scores.to_pylist()[1] == [{"name": "points", "value": None, "expected": "", "found": ""}]
    assert (list(found.judged), list(found.satisfied), list(found.ok)) == ([1, 0], [1, 0], [True, None])


@pytest.mark.slow
def test_memory_does_not_grow_with_the_run(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Python holds at most while about 100 and 1,000 turns are written."""
    import tracemalloc

    peaks = []
    monkeypatch.setattr(turn_rows_module, "MOST_TURNS", 16)
    monkeypatch.setattr("evolif.exchange.tables._GROUP_ROWS", 32)
    for times in (20, 200):
        root = tmp_path / f"r{times}"
        shutil.copytree(made, root)
        with closing(sqlite3.connect(root / "run.sqlite")) as file, file:
            file.execute(_EPOCHS, (times,))
            file.execute(_TURNS_OF_EPOCHS)
        held = []
        for kind in ("parquet", "jsonl", "csv"):
            tracemalloc.start()
            done = export(root, root / f"out.{kind}")
            held.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            assert done.rows > times * 2
        peaks.append(held)
    for few, many in zip(*peaks, strict=True):
        assert many < few + 500_000


_EPOCHS = """
WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
INSERT INTO session (model, dialogue, epoch, ending, cause, reason)
SELECT model, dialogue, i, ending, cause, reason FROM session, n
"""
_TURNS_OF_EPOCHS = """
INSERT INTO turn (session, turn, asked, answer, reasoning, truncated, served_by, seconds, verdicts, scores, heuristic,
                  records, notes)
SELECT copy.id, turn.turn, asked, answer, reasoning, truncated, served_by, seconds, verdicts, scores, heuristic,
       records, notes
FROM session AS copy JOIN session AS first ON first.dialogue = copy.dialogue AND first.epoch = 1
JOIN turn ON turn.session = first.id WHERE copy.epoch > 1
"""
