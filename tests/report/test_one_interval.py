"""An interval is the same wherever it is shown, and never goes beyond what a figure can be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from runs_by_hand import make_run
from typer.testing import CliRunner

from evolif.cli import app
from evolif.frames import metrics_frame
from evolif.metrics import METRIC_NAMES, Interval, process_intervals, records_from_sessions
from evolif.report import analyse, table_2
from evolif.report.answer import answer_of
from evolif.report.comparable import group_comparable
from evolif.runner import Run, load_run

CAP = 10
WHOLE = "censored:" + " 11" * CAP
SESSIONS = {
    "sim/whole": dict.fromkeys(range(1, 9), WHOLE),
    "sim/mixed": dict.fromkeys(range(1, 7), WHOLE) | {7: "finished:11 00 00 00", 8: "finished:10 11 00 01 00"},
}
"""All sessions at the cap, and most of them: the interval of a mean length is then one-sided, and easily too long."""


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with closing(make_run(tmp_path / "r", SESSIONS, max_turns=CAP)), closing(load_run(tmp_path / "r")) as loaded:
        yield loaded


def _shown(text: str, name: str) -> list[str]:
    """The intervals of a row in a table on the terminal."""
    row = next(line for line in text.splitlines() if name in line)
    return re.findall(r"\[[\d.]+–[\d.]+\]", row)


def test_intervals_are_the_same_everywhere(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    result = CliRunner().invoke(app, ["report", str(run.path)])
    machine = CliRunner().invoke(app, ["report", str(run.path), "--json", "-"])
    assert result.exit_code == machine.exit_code == 0, result.output
    [told] = analyse([run])
    frame = metrics_frame(run).set_index(["model", "metric"])
    paper = table_2(told)
    written = {one["model"]: one for one in json.loads(machine.stdout)["models"]}
    opening = dict(answer_of(group_comparable([told])[0]).grid.rows)[f"EDR len ≤{CAP}"]  # what the page begins with
    for number, model in enumerate(told.models):
        records = records_from_sessions(run.sessions(model.name)).records
        alone = process_intervals(records)
        for name in METRIC_NAMES:
            expected = model.summary.intervals[name]
            assert alone[name] == expected, (model.name, name)
            known = written[model.name][name]
            assert (known["low"], known["high"]) == (expected or (None, None))
            row = frame.loc[(model.name, name)]
            assert expected is None or (row["low"], row["high"]) == expected
            assert _of_paper(paper.intervals[number], paper.headers, name) == pytest.approx(expected)
        length = "–".join(f"{end:.1f}" for end in model.summary.intervals["edr_len"] or ())
        assert _shown(result.stdout, "EDR len ≤")[number] == opening[number].aside == f"[{length}]"


def _of_paper(intervals: tuple[Interval | None, ...], headers: tuple[str, ...], name: str) -> Interval | None:
    found = intervals[[header.lower() for header in headers].index(name)]
    return found if found is None or name.startswith("edr") else (found[0] / 100, found[1] / 100)


def test_a_length_stays_within_the_cap_though_nobody_names_it(run: Run) -> None:
    for model in run.models:
        records = records_from_sessions(run.sessions(model)).records
        found = process_intervals(records)
        for name in METRIC_NAMES:
            low, high = found[name] or (0.0, 0.0)
            assert 0 <= low <= high <= (CAP if name.startswith("edr") else 1), (model, name)
        unknown = process_intervals([*records, replace(records[0], dialogue="more", cap=None)])["edr_len"]
        assert model != "sim/whole" or (unknown is not None and unknown[1] > CAP)
