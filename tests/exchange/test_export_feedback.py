"""Runs in which the person reacts, exported and brought back: payloads, scores and figures are the same."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from reacting_runs import reacting_run

from evolif.errors import InputError
from evolif.exchange import export
from evolif.exchange.import_runs import exported_sessions, import_run
from evolif.report.analysis import RunAnalysis
from evolif.runner import load_run
from evolif.scenarios.recorded import dialogs_of_run, records_of_run, sessions_of

SESSIONS = {
    "sim/a": {1: "censored:01 r11<0 10 r10<1 r11<1 11", 2: "censored:00 r00<u r01<0 11"},
    "sim/b": {1: "censored:11 11 01 r11<0", 2: "finished:00 r00<0 r00<0"},
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return reacting_run(tmp_path / "r", SESSIONS)


def told(path: Path) -> dict[str, Any]:
    with closing(load_run(path)) as opened:
        return {model.name: model.summary.metrics.by_name() for model in RunAnalysis(opened).models}


def test_rows_have_the_reaction_and_what_came_of_it(run: Path, tmp_path: Path) -> None:
    export(run, tmp_path / "rows.jsonl", format="jsonl")
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if "turn" in row]
    second = next(row for row in rows if (row["model"], row["dialogue"], row["turn"]) == ("sim/a", 1, 2))
    assert second["feedback"]["repair"] == 1 and second["feedback"]["remark"]["group"] == "bullets"
    assert (second["operation"], second["remark"]) == ("repair", "missed")
    assert [(score["name"], score["value"]) for score in second["scores"]] == [("told/bullets", 1), ("repair/1", 1)]


def test_parquet_has_it_in_columns(run: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    export(run, tmp_path / "rows.parquet", format="parquet")
    [file] = tmp_path.rglob("*.parquet")
    rows = parquet.read_table(file).to_pylist()
    second = next(row for row in rows if (row["model"], row["dialogue"], row["turn"]) == ("sim/a", 1, 2))
    assert second["remark"] == "missed" and json.loads(second["feedback"])["remark"]["value"] == {"count": 5}
    assert [score["name"] for score in second["scores"]] == ["told/bullets", "repair/1"]


def test_a_run_comes_back_with_its_figures(run: Path, tmp_path: Path) -> None:
    export(run, tmp_path / "u", format="unidial")
    import_run(exported_sessions(tmp_path / "u"), tmp_path / "back")
    assert told(tmp_path / "back") == told(run)
    assert told(run)["sim/a"]["mended_first"] == pytest.approx(1 / 3)
    with closing(load_run(run)) as first, closing(load_run(tmp_path / "back")) as second:
        assert second.settings.feedback == "repair"
        for model in first.models:
            pairs = zip(first.transcripts(model), second.transcripts(model), strict=True)
            for (_, before), (_, after) in pairs:
                assert [one.prompt.payload for one in before] == [one.prompt.payload for one in after]
                assert [one.scores for one in before] == [one.scores for one in after]
                assert {one.prompt.fixed for one in after} == {False}


HOSTILE: list[Any] = [
    "repair", [], {"repair": 1}, {"script": 0}, {"script": 1, "repair": -1}, {"script": 1, "repair": 10**9},
    {"script": 1, "remark": {"kind": "insult", "text": ""}}, {"script": 1, "remark": {"kind": "missed", "text": 5}},
    {"script": 1, "remark": {"kind": "missed", "text": "x" * 10_001}},
]  # fmt: skip


@pytest.mark.parametrize("feedback", HOSTILE, ids=lambda one: repr(one)[:40])
def test_a_reaction_of_another_form_is_refused(run: Path, tmp_path: Path, feedback: Any) -> None:
    with closing(load_run(run)) as opened:
        dialogs, records = dialogs_of_run(opened, "sim/a"), records_of_run(opened, "sim/a")
    assert len(sessions_of(dialogs, records)) == 2
    export(run, tmp_path / "u", format="unidial")
    file = min(
        path for path in (tmp_path / "u").rglob("*.json") if "evolif_session" in path.read_text(encoding="utf-8")
    )
    whole = json.loads(file.read_text(encoding="utf-8"))
    whole["dialog_raw_info"]["evolif_session"]["turns"][0]["feedback"] = feedback
    file.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(InputError, match="evolif_session cannot be used"):
        import_run(exported_sessions(tmp_path / "u"), tmp_path / "back")
