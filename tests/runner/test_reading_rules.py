"""The edition of the reading rules belongs to a run: resuming and verifying keep it, and `rejudge` compares two."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted, fault_at, witness
from typer.testing import CliRunner, Result

from evolif import UsageError
from evolif.cli import app
from evolif.errors import ModelError
from evolif.models import ChatRequest
from evolif.runner import Run, evaluate, load_run
from evolif.runner.rejudge import rejudge
from evolif.runner.store_file import FILE_NAME
from evolif.runner.verify import verify
from evolif.scenarios.instructions import generate
from evolif.text import FIRST_RULES, READING_RULES_VERSION
from evolif.types import Verdict

Place = tuple[int, int]


def titled(request: ChatRequest) -> str:
    """As many bold titles over text as headings are asked for, which edition 2 takes for headings; else the key."""
    assert request.prompt is not None
    constraints = request.prompt.payload["constraints"]
    count = next((one["params"]["count"] for one in constraints if one["group"] == "headings"), 0)
    return "\n\n".join(["**A title**\nAnd some text."] * count) or witness(request)


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("extended") / "bench"
    generate(root, dialogues=6, turns=12, seed=3, profile="extended")
    return root


@pytest.fixture(scope="module")
def played(extended: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("played") / "run"
    evaluate(extended, Scripted(titled), out, patience=99, max_turns=12).close()
    return out


@pytest.fixture
def path(played: Path, tmp_path: Path) -> Path:
    return shutil.copytree(played, tmp_path / "run")


def store_rules(run: Path, rules: int) -> None:
    """Make a run one of another edition, with the verdicts it has."""
    connection = sqlite3.connect(run / FILE_NAME)
    with connection:
        change = "UPDATE run SET value = replace(value, ?, ?) WHERE key = 'settings'"
        connection.execute(change, (f'"reading_rules":{READING_RULES_VERSION}', f'"reading_rules":{rules}'))
    connection.close()


def headings(run: Run) -> dict[Place, Verdict]:
    return {
        (session.dialogue, turn.turn): verdict
        for session in run.sessions()
        for turn in session.turns
        for verdict in turn.verdicts
        if verdict.group == "headings"
    }


@pytest.fixture
def run(path: Path) -> Iterator[Run]:
    with closing(load_run(path)) as opened:
        yield opened


def test_a_new_run_is_read_by_the_latest_edition(run: Run) -> None:
    assert run.settings.reading_rules == READING_RULES_VERSION
    found = headings(run)
    assert len(found) > 5 and all(verdict.satisfied for verdict in found.values())
    assert not verify(run).differ


def test_verification_reads_by_the_edition_of_the_run(path: Path, run: Run) -> None:
    places = set(headings(run))
    store_rules(path, FIRST_RULES)
    with closing(load_run(path)) as earlier:
        differ = [one for one in verify(earlier).differ if one.name == "headings"]
        assert {(one.dialogue, one.turn) for one in differ} == places
        assert not verify(earlier, READING_RULES_VERSION).differ


def test_a_run_is_resumed_by_its_own_edition(extended: Path, tmp_path: Path) -> None:
    bench = shutil.copytree(extended, tmp_path / "bench")
    evaluate(bench, Scripted(fault_at(1, ModelError("busy"))), tmp_path / "run", patience=99, max_turns=12).close()
    store_rules(tmp_path / "run", FIRST_RULES)
    with closing(evaluate(bench, Scripted(titled), tmp_path / "run", patience=99, max_turns=12)) as run:
        assert run.settings.reading_rules == FIRST_RULES
        assert len(headings(run)) > 5 and not any(verdict.satisfied for verdict in headings(run).values())
        assert not verify(run).differ


def again(*arguments: object) -> Result:
    told = ["rejudge", *map(str, arguments)]
    return CliRunner().invoke(app, told, env={"COLUMNS": "200", "EVOLIF_DISPLAY": "none"})


def test_rejudge_lists_what_another_edition_changes(path: Path, run: Run) -> None:
    before = (path / FILE_NAME).read_bytes()
    told: dict[str, Any] = json.loads(again(path, "--rules", 1, "--json").stdout)
    changed = {(one["dialogue"], one["turn"]): one for one in told["changes"] if one["group"] == "headings"}
    assert set(changed) == set(headings(run))
    one = next(iter(changed.values()))
    assert (one["model"], one["epoch"]) == ("fake/model", 1)
    assert (one["was"], one["becomes"], one["found"]) == ("satisfied", "failed", "0 headings")
    assert told["rules"] == {"was": 2, "becomes": 1}
    assert told["changed"] == len(told["changes"]) == sum(told["groups"].values())
    listed = again(path, "--rules", 1).stdout
    assert listed.count("headings: was satisfied, becomes failed (found: 0 headings)") == len(changed)
    assert f"headings {len(changed)}" in listed.splitlines()[-1]
    assert "0 of" in again(path, "--rules", 2).stdout
    assert (path / FILE_NAME).read_bytes() == before and [p.name for p in path.parent.iterdir()] == ["run"]


def test_rejudge_writes_a_run_of_another_edition(path: Path, tmp_path: Path) -> None:
    assert again(path, "--rules", 1, "--out", tmp_path / "earlier").exit_code == 0
    with closing(load_run(tmp_path / "earlier")) as earlier:
        assert earlier.settings.reading_rules == FIRST_RULES
        assert not any(verdict.satisfied for verdict in headings(earlier).values())
        assert not verify(earlier).differ and verify(earlier, 2).differ
        assert not earlier.integrity().edited
    rejudge(tmp_path / "earlier", None, tmp_path / "latest", rules=2).close()
    with closing(load_run(tmp_path / "latest")) as latest, closing(load_run(path)) as first:
        assert [s.turns for s in latest.sessions()] == [s.turns for s in first.sessions()]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "needs --judge JUDGE or --rules 1|2, and not both"),
        (("--judge", "none", "--rules", 1), "needs --judge JUDGE or --rules 1|2, and not both"),
        (("--judge", "none", "--json"), "--json needs --rules"),
        (("--rules", 3), "there are no reading rules 3; this version has the rules 1 and 2"),
    ],
)
def test_what_rejudge_refuses(path: Path, arguments: tuple[object, ...], told: str) -> None:
    done = again(path, *arguments)
    assert done.exit_code == 2 and told in done.stderr


def test_no_run_is_read_by_an_edition_that_is_unknown(path: Path, extended: Path) -> None:
    store_rules(path, 99)
    with closing(load_run(path)) as later, pytest.raises(UsageError, match="but this version has the rules 1 and 2"):
        verify(later)
    with pytest.raises(UsageError, match="were read by reading rules 99, but this version has rules 1 and 2"):
        evaluate(extended, Scripted(titled), path, patience=99, max_turns=12)
