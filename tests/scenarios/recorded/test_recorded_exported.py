"""A run of recorded dialogues as folders of results: aggregated there under any name, with the coverage beside it."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from recorded_dialogs import RECALL, answer, bench_of, dialog, entry, report, turn
from typer.testing import CliRunner

from evolif.cli import app
from evolif.exchange import export
from evolif.exchange.dialogs import import_dialogs
from evolif.runner import evaluate
from evolif.scenarios.recorded import read_dialogs


def talk(number: int, info: dict[str, Any]) -> Any:
    return dialog(
        number,
        turn(0, "user", f"What is {number}?"),
        answer(1, RECALL, entry("numeric_match"), entry("bleu"), reference=f"It is {number}"),
        turn(2, "user", "Sure?"),
        answer(3, RECALL, reference="sure it is"),
        dialog_raw_info=info,
    )


@pytest.mark.parametrize("aggregate", ["mean-min-dialog", "mean-mean-turn", "max-max-dialog"])
def test_a_summary_of_the_export_is_the_score_of_the_report(tmp_path: Path, aggregate: str) -> None:
    bench = bench_of(tmp_path, talk(2, {}), talk(5, {}))
    with closing(evaluate(bench, "sim/echo", tmp_path / "run", options={"aggregate": aggregate})) as run:
        told = report(run)
    export(tmp_path / "run", tmp_path / "out", format="unidial")
    done = CliRunner().invoke(app, ["unidial", "summary", str(tmp_path / "out"), "--aggregate", aggregate, "--json"])
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert _found(summary, "global")["mean"] == pytest.approx(told["score"]["value"], abs=1e-12)
    failures = {"unknown_metric": 2}
    assert _found(summary, "coverage")["failures"] == told["coverage"]["failures"] == failures


def _found(data: Any, key: str) -> Any:
    """The first value under a key, at whatever depth."""
    if isinstance(data, dict) and key in data:
        return data[key]
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return next((found for one in inner if (found := _found(one, key)) is not None), None)


def test_an_export_holds_the_dialogues_with_the_answers_and_can_be_imported_again(tmp_path: Path) -> None:
    given = talk(2, {"from": "x", "evolif": {"model": "other", "ending": "suspended"}})
    evaluate(bench_of(tmp_path, given), "sim/echo", tmp_path / "run").close()
    export(tmp_path / "run", tmp_path / "out", format="unidial")
    [folder] = (tmp_path / "out").iterdir()
    [found] = read_dialogs(folder / "generated")
    assert [one.content for one in found.dialog_turns] == ["What is 2?", "What is 2?", "Sure?", "Sure?"]
    assert found.dialog_raw_info == {"from": "x"}, "it is no longer the session that it came from"
    assert import_dialogs(folder, tmp_path / "again").evaluated_turns == 2
