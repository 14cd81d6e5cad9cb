"""What was edited in a run's file is named before it changes a figure; what earlier versions stored is not accused."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from older_profiles import BEFORE_PERSONS
from scripted import Scripted, fault_at, witness
from typer.testing import CliRunner, Result

from evolif.cli import app
from evolif.errors import ModelError
from evolif.judging import Judgement
from evolif.runner import Integrity, Run, RunSettings, RunStore, SessionKey, evaluate, load_run
from evolif.runner.records import AnsweredTurn, EndEntry, TurnEntry, VerdictEntry
from evolif.runner.rejudge import rejudge
from evolif.runner.verify import verify
from evolif.scenarios.instructions import generate
from evolif.types import Message, Prompt, Score, Verdict

Play = Callable[..., Run]
MODELS = ["sim/steady", "sim/forgetful"]
FLIP = """
UPDATE turn SET verdicts = replace(replace(replace(
    verdicts, '"satisfied":true', '?'), '"satisfied":false', '"satisfied":true'), '?', '"satisfied":false')
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark and a run of two models: 8 sessions, numbered by model and dialogue, of at most 10 turns."""
    root = tmp_path_factory.mktemp("sealed")
    generate(root / "bench", dialogues=4, turns=10, seed=3, profile="objective")
    evaluate(root / "bench", MODELS, root / "run", max_turns=10, patience=9).close()
    return root


@pytest.fixture
def run(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the run, in the working directory beside its benchmark."""
    shutil.copytree(made, tmp_path / "made")
    monkeypatch.chdir(tmp_path / "made")
    return Path("run")


def edit(run: Path, *statements: str) -> None:
    with closing(sqlite3.connect(run / "run.sqlite")) as file, file:
        for statement in statements:
            assert file.execute(statement).rowcount != 0


def integrity(run: Path) -> Integrity:
    with closing(load_run(run)) as opened:
        return opened.integrity()


def evolif(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "400"})


ONE = "session = 1 AND turn = 5"
OWN, EARLIER = "its query, its answer or its place", "the turns before it"
LAST = (None, "how it ended, or its last turns")


@pytest.mark.parametrize(
    ("statements", "named"),
    [
        ([f"{FLIP} WHERE {ONE}"], [(5, "its verdicts")]),
        ([f"UPDATE turn SET verdicts = NULL WHERE {ONE}"], [(5, "its verdicts")]),
        ([f"UPDATE turn SET heuristic = '[]' || ' ' WHERE {ONE}"], [(5, "its verdicts")]),
        ([f'UPDATE turn SET scores = \'[["s",1.0,"",""]]\' WHERE {ONE}'], [(5, "its verdicts")]),
        ([f"UPDATE turn SET records = '[]' WHERE {ONE}"], [(5, "its verdicts")]),
        ([f"UPDATE turn SET answer = answer || '.' WHERE {ONE}"], [(5, OWN)]),
        ([f"UPDATE turn SET answer = CAST(X'FF00' AS TEXT) WHERE {ONE}"], [(5, OWN)]),
        ([f"UPDATE turn SET reasoning = 'I guess.' WHERE {ONE}"], [(5, OWN)]),
        ([f"UPDATE turn SET truncated = 1 WHERE {ONE}"], [(5, OWN)]),
        ([f"UPDATE turn SET notes = '{{}}' WHERE {ONE}"], [(5, OWN)]),
        ([f"DELETE FROM turn WHERE {ONE}"], [(6, EARLIER)]),
        ([f"DELETE FROM turn WHERE {ONE.replace('= 5', '>= 9')}"], [LAST]),
        (["DELETE FROM turn WHERE session = 1"], [LAST]),
        (
            [
                f"UPDATE turn SET turn = -1 WHERE {ONE}",
                f"UPDATE turn SET turn = 5 WHERE {ONE.replace('5', '4')}",
                f"UPDATE turn SET turn = 4 WHERE {ONE.replace('5', '-1')}",
            ],
            [(4, OWN), (5, OWN), (6, OWN)],
        ),
        (["UPDATE session SET ending = 'suspended' WHERE id = 1"], [LAST]),
        (["UPDATE session SET ending = NULL, cause = '', reason = '' WHERE id = 1"], [LAST]),
        (["UPDATE session SET cause = 'patience' WHERE id = 1"], [LAST]),
        (["UPDATE session SET ending = 'suspended', seal = NULL WHERE id = 1"], [LAST]),
        (["UPDATE session SET epoch = 2 WHERE id = 1"], [(1, OWN)]),
    ],
)
def test_an_edit_is_named_with_its_place(run: Path, statements: list[str], named: list[tuple[int | None, str]]) -> None:
    whole = integrity(run)
    assert whole.edited == () and whole.not_sealed == 0
    edit(run, *statements)
    found = integrity(run)
    assert [(e.turn, e.what) for e in found.edited] == named
    assert {(e.model, e.dialogue) for e in found.edited} == {("sim/steady", 1)}


@pytest.mark.parametrize("column", ["query", "payload", "labels", "messages"])
def test_an_edited_prompt_is_named_in_every_session_that_was_asked_it(run: Path, column: str) -> None:
    edit(run, f"UPDATE asked SET {column} = {column} || ' ' WHERE dialogue = 2 AND turn = 3")
    found = integrity(run).edited
    assert [(e.model, e.dialogue, e.turn) for e in found] == [(model, 2, 3) for model in MODELS]


def test_removed_sessions_are_missing(run: Path) -> None:
    edit(run, "DELETE FROM turn WHERE session = 2", "DELETE FROM session WHERE id = 2")
    assert integrity(run).named == "1 session is missing"
    edit(run, "DELETE FROM session WHERE id = 8")  # its turns are left
    assert integrity(run).named == "2 sessions are missing"


def test_what_versions_without_seals_stored_is_not_sealed_and_otherwise_as_before(run: Path) -> None:
    before = json.loads(evolif("report", run, "--json", "-").stdout)
    edit(run, "UPDATE turn SET seal = NULL", "ALTER TABLE session DROP COLUMN seal")
    turns = sum(model["edr_len"]["value"] for model in before["models"]) * 4
    for _ in range(2):
        done = evolif("report", run)
        assert done.exit_code == 0 and "Edited" not in done.stdout
        assert f"Not sealed: {turns:.0f} of {turns:.0f} turns of run were stored by an earlier version" in done.stdout
        evaluate("bench", MODELS, run, max_turns=10, patience=9).close()  # opened for writing, it gets the column
    after = json.loads(evolif("report", run, "--json", "-").stdout)
    assert after["runs"][0].pop("integrity") == {"sealed": 0, "not_sealed": turns, "edited": []}
    before["runs"][0].pop("integrity")
    assert after == before
    assert "turns are not sealed" in evolif("export", run, "out.jsonl").stdout


@pytest.mark.slow
def test_forty_flipped_verdicts_are_told_with_the_figures_and_found_by_the_rules(run: Path) -> None:
    started = time.monotonic()
    edit(run, f"{FLIP} WHERE rowid IN (SELECT rowid FROM turn ORDER BY session, turn LIMIT 40)")
    told = evolif("report", run)
    assert told.exit_code == 0
    assert "Edited: run was edited after it was written, and the figures show the edits: sim/steady, d" in told.stdout
    assert "and 37 more" in told.stdout
    again = evolif("report", run, "--verify", "--json", "report.json", "--html", "page.html")
    assert again.exit_code == 1 and "Not verified: " in again.stdout
    [object_] = json.loads(Path("report.json").read_text("utf-8"))["runs"]
    assert len(object_["integrity"]["edited"]) == 40
    differ = {(d["model"], d["dialogue"], d["turn"]) for d in object_["verification"]["differ"]}
    assert differ == {(e["model"], e["dialogue"], e["turn"]) for e in object_["integrity"]["edited"]}
    assert "and the figures show the edits" in Path("page.html").read_text("utf-8")
    pair = ("compare", run, "-m", MODELS[0], "-m", MODELS[1])
    assert "the figures show the edits" in evolif(*pair).stdout
    [compared] = json.loads(evolif(*pair, "--json", "-").stdout)["comparisons"]
    assert compared["a"]["integrity"] == object_["integrity"]
    assert "the rows show the edits" in evolif("export", run, "out.jsonl").stdout
    exported = json.loads(evolif("export", run, "again.jsonl", "--json").stdout)
    assert exported["integrity"] == object_["integrity"]
    assert time.monotonic() - started < 30


def test_nothing_is_built_on_edited_turns(run: Path) -> None:
    edit(run, f"UPDATE turn SET answer = 'Another answer.' WHERE {ONE}")
    models = ["-m", MODELS[0], "-m", MODELS[1], "--max-turns", 10, "--patience", 9]
    for words in (
        ("evaluate", "bench", *models, "--out", run),
        ("evaluate", "bench", *models, "--out", run, "--fork", "forked"),
        ("rejudge", run, "--judge", "lexical", "--out", "rejudged"),
    ):
        done = evolif(*words)
        assert done.exit_code == 2
        assert "was edited after it was written: sim/steady, dialogue 1, turn 5 (its query, " in done.stderr
    assert not Path("forked").exists() and not Path("rejudged").exists()


def test_a_row_that_cannot_be_read_is_an_error_that_names_it(run: Path) -> None:
    edit(run, f"UPDATE turn SET verdicts = 'garbage' WHERE {ONE}")
    done = evolif("report", run)
    assert done.exit_code == 2
    assert "edited after it was written: sim/steady, dialogue 1, turn 5 (its verdicts)" in done.stderr


def test_a_run_as_it_was_written_is_verified(run: Path) -> None:
    done = evolif("report", run, "--verify")
    assert done.exit_code == 0 and "were judged again by rules, and all agree" in done.stdout


def test_only_a_judge_could_judge_the_rest_again(paper_bench: Path, tmp_path: Path) -> None:
    panel = Scripted(lambda _: '{"score": 9, "rationale": "fine"}', name="openai/judge")
    with closing(evaluate(paper_bench, "sim/perfect", tmp_path / "run", judge=panel, max_turns=10)) as run:
        found = verify(run)
        stored = [v for _, turns in run.transcripts("sim/perfect") for turn in turns for v in turn.verdicts]
    subjective = sum(v.group in ("emotion", "audience", "style") for v in stored)
    assert found.differ == [] and found.left_out == subjective > 0
    assert found.checked + found.left_out == len(stored)
    assert f"only a judge can: {subjective} verdicts" in evolif("report", tmp_path / "run", "--verify").stdout


def test_other_reading_rules_are_not_a_finding(run: Path) -> None:
    rules = '"reading_rules":'
    edit(run, f"UPDATE run SET value = replace(value, '{rules}', '{rules}9') WHERE key = 'settings'")
    done = evolif("report", run, "--verify")
    assert done.exit_code == 2 and "were read by reading rules 9" in done.stderr


def test_a_resumed_run_has_whole_chains(play: Play, tmp_path: Path) -> None:
    play(Scripted(fault_at(3, ModelError("busy"))), limit=2).close()
    broken = integrity(tmp_path / "run")
    run = play(Scripted(witness), limit=2)
    assert (broken.sealed, broken.edited) == (4, ())
    assert run.integrity() == Integrity(sealed=16, not_sealed=0)


def test_a_run_of_an_earlier_version_that_is_resumed_is_sealed_from_there(play: Play, tmp_path: Path) -> None:
    play(Scripted(fault_at(3, ModelError("busy"))), limit=2).close()
    edit(tmp_path / "run", "UPDATE turn SET seal = NULL", "ALTER TABLE session DROP COLUMN seal")
    play(Scripted(witness), limit=2).close()
    assert integrity(tmp_path / "run") == Integrity(sealed=12, not_sealed=4)
    edit(tmp_path / "run", f"{FLIP} WHERE turn = 3 AND session = 2")
    assert [(e.dialogue, e.turn) for e in integrity(tmp_path / "run").edited] == [(2, 3)]


def test_forked_and_rejudged_runs_have_whole_chains(run: Path) -> None:
    turns = integrity(run).sealed
    evaluate("bench", MODELS, run, max_turns=8, patience=9, fork_into="shorter").close()
    rejudge(run, "lexical", "rejudged").close()
    for made in ("shorter", "rejudged"):
        found = integrity(Path(made))
        assert found.edited == () and found.not_sealed == 0 and 0 < found.sealed <= turns


def test_answers_taken_over_without_judgements_are_sealed_when_they_are_judged(
    paper_bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate(paper_bench, "sim/perfect", tmp_path / "run", max_turns=10).close()
    panel = Scripted(ModelErrors(), name="openai/judge")
    options: dict[str, Any] = {"judge": panel, "max_turns": 10, "fork_into": tmp_path / "judged", "max_retries": 0}
    first = evaluate(paper_bench, "sim/perfect", tmp_path / "run", **options)
    assert first.suspended() and first.integrity() == Integrity(sealed=40, not_sealed=0)
    first.close()
    panel.answer = lambda _: '{"score": 9, "rationale": "fine"}'
    second = evaluate(paper_bench, "sim/perfect", tmp_path / "run", **options)
    assert second.suspended() == 0 and second.integrity() == Integrity(sealed=40, not_sealed=0)
    second.close()
    edit(tmp_path / "judged", f"{FLIP} WHERE session = 2 AND turn = 1")
    assert [(e.dialogue, e.turn, e.what) for e in integrity(tmp_path / "judged").edited] == [(2, 1, "its verdicts")]


class ModelErrors:
    def __call__(self, request: object) -> Exception:
        return ModelError("busy")


SETTINGS = RunSettings(
    benchmark="b", profile="p", models=("m",), patience=3, max_turns=9, dialogues=(1,), reading_rules=1
)


def entry(turn: int, judgement: Judgement | None, session: int = 1, text: str = "Done.") -> TurnEntry:
    prompt = Prompt(session, turn, (Message("user", "Do it."),), payload={"p": [turn]}, digest=f"d{turn}")
    return TurnEntry(session, prompt, AnsweredTurn(text, seconds=1), judgement, notes={"n": turn})


def test_seals_are_those_of_what_was_committed(tmp_path: Path) -> None:
    """A batch that fails leaves nothing of its chain; a judgement that comes later belongs to its own turn."""
    good = Judgement((Verdict("g", True, "", ""),), scores=(Score("s", -0.0),))
    with closing(RunStore.create(tmp_path / "run", SETTINGS)) as store:
        store.enrol([SessionKey("m", 1, 1)])
        store.write([entry(1, None, text="half \ud800")])
        with pytest.raises(Exception, match="rejected a row"):
            store.write([entry(2, good), EndEntry(1, "finished", "cap"), entry(2, good)])
        assert store.integrity() == Integrity(1, 0)
        store.write([VerdictEntry(1, 1, 1, good), entry(2, None), entry(3, None)])
        store.write([VerdictEntry(1, 1, 2, good)])
        store.write([VerdictEntry(1, 1, 3, good), EndEntry(1, "censored", "cap", "half \ud800")])
        assert store.integrity() == Integrity(3, 0)
        store.write([EndEntry(1, None), entry(4, good)])
        assert store.integrity() == Integrity(4, 0)


@pytest.mark.slow
def test_ten_thousand_turns_are_checked_in_a_moment(tmp_path: Path) -> None:
    judgement = Judgement(tuple(Verdict(f"group {n}", True, "expected", "found") for n in range(6)))
    with closing(RunStore.create(tmp_path / "run", SETTINGS)) as store:
        sessions = range(1, 501)
        store.enrol(SessionKey("m", dialogue, 1) for dialogue in sessions)
        store.write(entry(turn, judgement, session, "word " * 300) for session in sessions for turn in range(1, 21))
        started = time.monotonic()
        assert store.integrity() == Integrity(10_000, 0)
        assert time.monotonic() - started < 3
    with closing(sqlite3.connect(tmp_path / "run" / "run.sqlite")) as file:
        assert file.execute("SELECT max(length(seal)) FROM turn").fetchone() == (22,)


@pytest.mark.slow
def test_a_stored_turn_costs_at_most_a_fifth_more_than_before_the_seals(tmp_path: Path) -> None:
    bench = generate(tmp_path / "bench", dialogues=60, turns=20, seed=1, profile=BEFORE_PERSONS)
    evaluate(bench, "sim/perfect", tmp_path / "run", max_turns=20).close()
    size = (tmp_path / "run" / "run.sqlite").stat().st_size
    assert size / (60 * 20) < 1.2 * 2361  # bytes a turn before there were seals
