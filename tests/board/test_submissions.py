"""Runs that are handed in to a board: what is taken, what is refused and why, and that a refusal changes nothing."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from evolif.board import run_file
from evolif.board.submissions import Rules, add_run, check_board
from evolif.cli import app
from evolif.exchange import canary_of
from evolif.models import ChatRequest, ModelRef, Reply
from evolif.runner import evaluate, load_run
from evolif.scenario import Benchmark
from evolif.scenarios.instructions import generate

CAP = 4


@dataclass
class Named:
    """A model of another name than `sim/…`, whose answers a test makes."""

    name: str
    answer: Callable[[ChatRequest], str]
    connections: int = 1

    async def complete(self, request: ChatRequest) -> Reply:
        return Reply(self.answer(request))

    async def aclose(self) -> None:
        pass


def key_of(request: ChatRequest) -> str:
    assert request.prompt is not None
    return str(request.prompt.payload["witness"])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark, another one, and runs: two that belong on a board, and others with one flaw each."""
    root = tmp_path_factory.mktemp("submissions")
    bench = generate(root / "bench", dialogues=3, turns=CAP, seed=3, profile="objective")
    other = generate(root / "other", dialogues=3, turns=CAP, seed=4, profile="objective")
    canary = canary_of(bench.identity)
    spelt = "-".join(canary.rpartition(" ")[2].replace("-", "").upper())
    runs: dict[str, tuple[Benchmark, ModelRef, int]] = {
        "good": (bench, "sim/steady", CAP),
        "second": (bench, "sim/forgetful", CAP),
        "canary": (bench, Named("openai/read-it", lambda r: f"I know {canary}."), CAP),
        "spelt canary": (bench, Named("openai/read-it", lambda r: f"I know: {spelt}"), CAP),
        "another benchmark": (other, "sim/steady", CAP),
        "another cap": (bench, "sim/steady", CAP - 1),
        "posing": (bench, Named("openai/best", key_of), CAP),
        "honest": (bench, Named("openai/plain", lambda r: f"My answer of {len(key_of(r))} words."), CAP),
    }
    for name, (of, model, cap) in runs.items():
        evaluate(of, [model], root / name, max_turns=cap, patience=9).close()
    shutil.copytree(root / "good", root / "board" / "runs" / "first")
    (root / "board" / "runs" / "first" / ".lock").unlink()
    return root


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of all of them, as the working directory."""
    monkeypatch.chdir(shutil.copytree(made, tmp_path / "here"))
    return Path()


def evolif(*words: object, **variables: str) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "400", **variables})


def edit(run: str, *statements: str) -> None:
    with closing(sqlite3.connect(Path(run) / "run.sqlite")) as file, file:
        for statement in statements:
            assert file.execute(statement).rowcount != 0


def state(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_good_run_is_taken_alone_and_the_board_is_built(here: Path) -> None:
    (here / "second" / "judgements.sqlite").write_bytes(b"anything")
    result = evolif("board", "add", "second", "--benchmark", "bench", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["taken"], told["was_there"], told["findings"]) == (True, False, [])
    assert (told["models"], told["sessions"], told["turns"]) == (["sim/forgetful"], 3, 3 * CAP)
    assert told["checked"] > 0 and told["left_out"] == 0
    folder = here / "board" / "runs" / told["name"]
    assert told["name"].startswith("sim-forgetful-") and [path.name for path in folder.iterdir()] == ["run.sqlite"]
    assert (here / "board" / "index.html").is_file() and (here / "board" / "board.json").is_file()
    with closing(load_run(folder, read_only=True)) as taken, closing(load_run("second", read_only=True)) as own:
        assert taken.integrity() == own.integrity() and taken.integrity().sealed == 3 * CAP
        assert taken.sessions() == own.sessions()
        assert os.listdir(folder) == ["run.sqlite"]  # reading leaves nothing for a repository
    again = evolif("board", "add", "second")
    assert again.exit_code == 0 and f"There already: board/runs/{told['name']}" in again.stdout
    assert not list((here / "board").rglob("*.part"))


REFUSED = [
    ("canary", "canary", "canary is in answers (openai/read-it, dialogue 1, turn 1"),
    ("spelt canary", "canary", "evaluate on a fresh one"),
    ("another benchmark", "benchmark", "is that of no run on the board"),
    ("another cap", "settings", f"the cap (--max-turns) is {CAP} in the first and {CAP - 1} in the second"),
    ("posing", "names", "openai/best repeats the benchmark's answer keys word for word in"),
]


@pytest.mark.parametrize(("run", "check", "reason"), REFUSED, ids=[one[0] for one in REFUSED])
def test_a_run_with_a_flaw_is_refused_with_its_reason_and_changes_nothing(
    here: Path, run: str, check: str, reason: str
) -> None:
    before = state(here / "board")
    result = evolif("board", "add", run, "--json")
    assert result.exit_code == 1, result.output
    [finding] = json.loads(result.stdout)["findings"]
    assert finding["check"] == check and reason in finding["sentence"]
    assert state(here / "board") == before
    shutil.copytree(here / run, here / "board" / "runs" / "handed-in")
    placed = evolif("board", "check", "--run", "handed-in", "--json")
    [found] = json.loads(placed.stdout)
    assert placed.exit_code == 1 and found["findings"] == [finding]


def test_a_model_that_answers_by_itself_is_not_taken_for_a_simulated_one(here: Path) -> None:
    assert add_run(here / "honest", here / "board").examined.findings == []


def test_new_columns_are_opened_when_asked_for(here: Path) -> None:
    assert evolif("board", "add", "another cap", "--new-column", "--name", "capped").exit_code == 0
    assert evolif("board", "add", "another benchmark", "--benchmark", "other", "--benchmark", "bench").exit_code == 0
    refused = evolif("board", "add", "second", "--benchmark", "other")
    assert refused.exit_code == 1 and "it was not played on other" in refused.stdout
    whole = evolif("board", "check", "board")
    assert whole.exit_code == 0 and "3 runs checked, nothing found." in whole.stdout


FLIP = """UPDATE turn SET verdicts = replace(replace(replace(verdicts, '"satisfied":true', '?'),
    '"satisfied":false', '"satisfied":true'), '?', '"satisfied":false') WHERE session = 1 AND turn = 2"""
EDITS = {
    "verdict": ([FLIP], {"seals", "verdicts"}, "turn 2 (its verdicts)"),
    "answer": (["UPDATE turn SET answer = 'No.' WHERE session = 1 AND turn = 2"], {"seals", "verdicts"}, "its answer"),
    "seals removed": (["UPDATE turn SET seal = NULL", "UPDATE session SET seal = NULL"], {"seals"}, "have no seal"),
    "a session removed": (
        ["DELETE FROM turn WHERE session = 3", "DELETE FROM session WHERE id = 3"],
        {"completeness"},
        "it has 2 of the 3 sessions",
    ),
    "suspended": (
        ["UPDATE session SET ending = 'suspended', cause = 'provider' WHERE id = 1"],
        {"seals", "completeness"},
        "1 session did not end; run its command again",
    ),
    "budget": (
        ["UPDATE session SET cause = 'budget', seal = NULL WHERE id = 1"],
        {"seals", "completeness"},
        "a budget cut or prevented 1 session",
    ),
    "stop rule": (
        ["UPDATE session SET cause = 'stop rule', seal = NULL WHERE id = 1"],
        {"seals", "completeness"},
        "1 session ended early without a word on the rule",
    ),
    "not judged": (
        ["UPDATE turn SET verdicts = NULL WHERE session = 1 AND turn = 4"],
        {"seals", "completeness"},
        "1 answer not judged yet",
    ),
    "patience": (
        ["UPDATE session SET ending = 'finished', cause = 'patience' WHERE id = 1"],
        {"seals", "completeness"},
        "patience was left, but the end is stored as patience",
    ),
    "cap": (
        ["DELETE FROM turn WHERE session = 1 AND turn > 2"],
        {"seals", "completeness"},
        "dialogue 1 (2 turns, which the cap does not end)",
    ),
    "huge cap": (
        ["UPDATE run SET value = replace(value, '\"max_turns\":4', '\"max_turns\":900000000') WHERE key = 'settings'"],
        {"names", "completeness", "settings"},
        "a cap of 900,000,000 is more than a board shows",
    ),
    "name": (
        [
            "UPDATE run SET value = replace(value, 'sim/steady', 'x\\u001b[2J') WHERE key = 'settings'",
            "UPDATE session SET model = 'x' || char(27) || '[2J'",
        ],
        {"names", "seals"},
        "“x\\x1b[2J” is no name of a model",
    ),
    "future": (
        ["UPDATE run SET value = '2999-01-01T00:00:00+00:00' WHERE key = 'played'"],
        {"completeness"},
        "it says that it was played on 2999-01-01, which is still to come",
    ),
    "own code": (
        ['UPDATE run SET value = replace(value, \'"models"\', \'"own_code":{"g":"mine.py ~12"},"models"\')'],
        {"verdicts"},
        "its verdicts depend on code of its own (mine.py ~12)",
    ),
    "broken row": (["UPDATE asked SET labels = '[[' WHERE id = 1"], {"seals", "completeness"}, "cannot be made"),
    "no text": (["UPDATE turn SET verdicts = X'FF'"], {"seals", "completeness"}, "its verdicts"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_run_is_refused(here: Path, name: str) -> None:
    statements, checks, reason = EDITS[name]
    edit("good", *statements)
    before = state(here / "board")
    result = evolif("board", "add", "good", "--name", "edited", "--json")
    assert result.exit_code == 1, result.output
    found = json.loads(result.stdout)["findings"]
    assert {one["check"] for one in found} == checks
    assert any(reason in one["sentence"] for one in found), found
    assert "evolif-board-" not in result.stdout  # the folder of the copy
    assert state(here / "board") == before


@pytest.mark.parametrize("place", ["responders", "sessions"])
def test_a_floor_that_was_edited_is_found(here: Path, place: str) -> None:
    assert add_run(here / "honest", here / "mine").is_taken  # its floor is as it was worked out
    with closing(sqlite3.connect(here / "honest" / "run.sqlite")) as file, file:
        [text] = file.execute("SELECT value FROM run WHERE key = 'floor'").fetchone()
        data = json.loads(text)
        if place == "responders":
            data["responders"][data["responder"]]["values"]["csr"] = 0.0
        else:
            [dialogue, letters, ending], *_ = data["sessions"][data["responder"]]
            data["sessions"][data["responder"]][0] = [dialogue, "0" * (len(letters) - 1) + "1", ending]
        file.execute("UPDATE run SET value = ? WHERE key = 'floor'", (json.dumps(data),))
    [finding] = add_run(here / "honest", here / "other board").examined.findings
    assert finding.check == "verdicts" and "the floor or ceiling that it holds is not" in finding.sentence


def test_what_only_a_judge_decides_is_counted(here: Path) -> None:
    bench = generate(here / "subjective", dialogues=4, turns=8, seed=2, profile="paper")
    judge = Named("fake/judge", lambda _: json.dumps({"score": 8, "rationale": "It is."}))
    evaluate(bench, ["sim/perfect"], here / "judged", max_turns=8, judge=[judge]).close()
    result = evolif("board", "add", "judged", "--board", "mine", "--name", "judged")
    assert result.exit_code == 0, result.output
    assert "that only a judge decides taken as they are" in result.stdout


def test_without_verifying_verdicts_are_taken_and_that_is_said(here: Path) -> None:
    edit("good", EDITS["own code"][0][0])
    made = evolif("board", "add", "good", "--board", "mine", "--no-verify")
    assert made.exit_code == 0, made.output
    assert "taken as they are, not judged again. They depend on code of its own." in made.stdout


# What lies where a run should.


def linked(run: Path) -> None:
    (run / "run.sqlite").rename(run.parent / "elsewhere")
    (run / "run.sqlite").symlink_to(run.resolve().parent / "elsewhere")


def journal(run: Path) -> None:
    (run / "run.sqlite-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")


def log(run: Path) -> None:
    (run / "run.sqlite-wal").write_bytes(b"x")


def damaged(run: Path) -> None:
    data = bytearray((run / "run.sqlite").read_bytes())
    with closing(sqlite3.connect(run / "run.sqlite")) as file:
        [root] = file.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'turn'").fetchone()
        [size] = file.execute("PRAGMA page_size").fetchone()
    data[(root - 1) * size : (root - 1) * size + 64] = b"\x05" * 64
    (run / "run.sqlite").write_bytes(data)


def script(*statements: str) -> Callable[[Path], None]:
    return lambda run: edit(str(run), *statements)


PLANTED: dict[str, tuple[Callable[[Path], None], str]] = {
    "link": (linked, "is a link; put the file in its place"),
    "journal": (journal, "run.sqlite-journal holds changes that are not in run.sqlite yet"),
    "log": (log, "run.sqlite-wal holds changes that are not in run.sqlite yet"),
    "damaged": (damaged, "run.sqlite is refused: it is damaged"),
    "trigger": (script("CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM turn; END"), "it holds a trigger “t”"),
    "changed trigger": (
        script("DROP TRIGGER asked_once", "CREATE TRIGGER asked_once AFTER INSERT ON asked BEGIN DELETE FROM run; END"),
        "it holds a trigger “asked_once”",
    ),
    "view": (script("DROP TABLE fault", "CREATE VIEW fault AS SELECT 1"), "it holds a view “fault”"),
    "table": (script("CREATE TABLE mine (x)"), "it holds a table “mine”"),
    "virtual": (script("DROP TABLE fault", "CREATE VIRTUAL TABLE fault USING fts5(x)"), "which is not part of a run"),
    "index": (script("CREATE INDEX i ON turn (upper(answer))"), "its index “i” is computed"),
    "partial": (script("CREATE INDEX i ON turn (answer) WHERE seconds > 1"), "its index “i” is computed"),
    "generated": (script("ALTER TABLE run ADD COLUMN x AS (upper(value))"), "its table “run” is computed, not stored"),
    "missing": (script("DROP TABLE fault"), "it has no table fault"),
    "version": (script("UPDATE run SET value = '99' WHERE key = 'schema'"), "written by another version of evolif"),
    "settings": (script("UPDATE run SET value = '{}' WHERE key = 'settings'"), "the settings of h cannot be read"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_file_that_is_more_or_less_than_a_run_is_refused_unread(here: Path, name: str) -> None:
    plant, reason = PLANTED[name]
    (here / "good").rename(here / "h")
    plant(here / "h")
    before = state(here)
    result = evolif("board", "add", "h", "--json")
    assert result.exit_code == 1, result.output
    told = json.loads(result.stdout)
    assert [one["check"] for one in told["findings"]] == ["file"] and reason in told["findings"][0]["sentence"]
    assert told["models"] == [] and state(here) == before
    shutil.copytree(here / "h", here / "board" / "runs" / "h", symlinks=True)
    placed = evolif("board", "check", "board", "--run", "h")
    assert placed.exit_code == 1 and "1 refused" in placed.stdout


def test_what_is_no_run_at_all_is_wrong_usage(here: Path) -> None:
    (here / "h").mkdir()
    (here / "h" / "run.sqlite").write_text("not a database")
    for words, reason in (
        (["h"], "it is no SQLite database"),
        (["bench"], "bench is not a run: it is a benchmark"),
        (["nothing"], "there is no such folder"),
        (["good", "--name", "../up"], "is no name for a run"),
        (["good", "--benchmark", "good"], "good is not a benchmark"),
    ):
        result = evolif("board", "add", *words)
        assert result.exit_code == 2 and reason in result.stderr, result.output
    result = evolif("board", "check", "bench")
    assert result.exit_code == 2 and "bench is no board" in result.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_is_not_waited_for(here: Path) -> None:
    (here / "good" / "run.sqlite").unlink()
    os.mkfifo(here / "good" / "run.sqlite")
    result = evolif("board", "add", "good")
    assert result.exit_code == 2 and "not a plain file" in result.stderr


def test_size_is_bounded(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_file, "MOST_BYTES", 1000)
    result = evolif("board", "add", "good", "--board", "mine")
    assert result.exit_code == 1 and "is larger than 0 MB" in result.stdout


# A name that is taken.


def test_a_continued_run_takes_the_place_of_the_earlier_one(here: Path) -> None:
    evaluate(here / "bench", ["sim/steady"], here / "run", max_turns=CAP, patience=9, limit=2).close()
    assert evolif("board", "add", "run", "--name", "mine").exit_code == 0
    evaluate(here / "bench", ["sim/steady"], here / "run", max_turns=CAP, patience=9).close()
    assert evolif("board", "add", "run", "--name", "mine").exit_code == 0
    with closing(load_run(here / "board" / "runs" / "mine", read_only=True)) as run:
        assert len(run.sessions()) == 3
    for other, reason in (("second", "with other turns"), ("another cap", "with other settings: the cap")):
        before = state(here / "board")
        result = evolif("board", "add", other, "--name", "mine", "--new-column")
        assert result.exit_code == 1 and "choose another name with --name" in result.stdout, result.output
        assert state(here / "board") == before, reason


def test_a_board_that_cannot_be_built_stays_as_it_was(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    before = state(here / "board")
    monkeypatch.setattr("evolif.board.submissions.build_board", fail)
    for name in ("second", "good"):
        result = evolif("board", "add", name, *(["--name", "first"] if name == "good" else []))
        assert result.exit_code == 3 and "No space left" in result.stderr
    assert state(here / "board") == before


# What a benchmark asks.


def test_what_was_asked_is_compared_with_the_benchmark_which_is_only_read(here: Path) -> None:
    for file in sorted((here / "bench" / "dialogues").iterdir()):
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join(lines[:2]))  # a shorter one of the same seed goes on with the same turns
    before = state(here / "bench")
    assert add_run(here / "second", here / "board", rules=Rules((here / "bench",))).is_taken
    assert state(here / "bench") == before
    file = here / "bench" / "dialogues" / "0001.jsonl"
    line, *rest = file.read_text().splitlines(keepends=True)
    data = json.loads(line)
    file.write_text("".join([json.dumps({**data, "query": f"{data['query']} Please."}) + "\n", *rest]))
    found = add_run(here / "good", here / "fresh", rules=Rules((here / "bench",))).examined.findings
    assert [one.check for one in found] == ["benchmark"]
    assert "asked something else than bench asks (turn 1 of dialogue 1)" in found[0].sentence


# A pull request.


def test_only_what_changed_since_the_base_is_checked(here: Path) -> None:
    shutil.copytree(here / "board", here / "base")
    nothing = evolif("board", "check", "board", "--base", "base")
    assert nothing.exit_code == 0 and "Nothing to check" in nothing.stdout
    shutil.copytree(here / "second", here / "board" / "runs" / "theirs")
    edit("board/runs/theirs", FLIP.replace("session = 1", "session = 2"))
    added = evolif("board", "check", "board", "--base", "base", "--json")
    assert [one["name"] for one in json.loads(added.stdout)] == ["theirs"] and added.exit_code == 1
    shutil.rmtree(here / "board" / "runs" / "theirs")
    shutil.rmtree(here / "board" / "runs" / "first")
    gone = evolif("board", "check", "board", "--base", "base")
    assert gone.exit_code == 1 and "it was on the board and is gone" in gone.stdout
    shutil.copytree(here / "second", here / "board" / "runs" / "first")
    replaced = evolif("board", "check", "board", "--base", "base")
    assert replaced.exit_code == 1 and "first is on the board with 12 turns that this run lacks" in replaced.stdout


def test_a_board_without_runs_takes_its_first_one(here: Path) -> None:
    for name in ("empty", "base"):
        (here / name / "runs").mkdir(parents=True)
        (here / name / "runs" / ".gitkeep").touch()
    assert evolif("board", "check", "empty", "--base", "base").exit_code == 0
    assert evolif("board", "add", "good", "--board", "empty").exit_code == 0
    first = evolif("board", "check", "empty", "--base", "base")
    assert first.exit_code == 0 and "1 run checked, nothing found." in first.stdout


def test_strangers_in_the_folder_of_runs_are_findings(here: Path) -> None:
    runs = here / "board" / "runs"
    (runs / ".gitkeep").touch()
    (runs / "note.txt").write_text("hello")
    (runs / "linked").symlink_to(here.resolve() / "second")
    shutil.copytree(here / "second", runs / "a name")
    shutil.copytree(here / "second", runs / "more")
    (runs / "more" / "run.py").write_text("raise SystemExit('executed')")
    found = {one.name: [finding.sentence for finding in one.findings] for one in check_board(here / "board")}
    assert found["first"] == [] and ".gitkeep" not in found
    assert all("a link or a file, not a folder" in found[name][0] for name in ("note.txt", "linked"))
    assert "is no name for a run" in found["a name"][0] and "besides run.sqlite it holds run.py" in found["more"][0]


def test_a_summary_is_escaped_and_no_log_holds_a_command(here: Path, tmp_path: Path) -> None:
    evil = "x<img src=x>`[a](http://e)@all ##[add-mask]1 ::set-output name=a::b"
    quoted = evil.replace("'", "''")
    edit("second", f"UPDATE run SET value = replace(value, 'sim/forgetful', '{quoted}') WHERE key = 'settings'",
         f"UPDATE session SET model = '{quoted}'")  # fmt: skip
    shutil.copytree(here / "second", here / "board" / "runs" / "theirs")
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    result = evolif("board", "check", "--run", "theirs", "--github", GITHUB_STEP_SUMMARY=str(summary))
    assert result.exit_code == 1, result.output
    text = summary.read_text()
    assert text.startswith("before\n### 1 run checked, 1 refused.\n") and "**✗ theirs**" in text
    assert "<img" not in text and "&lt;img" in text and "\\[a\\]\\(http" in text and "\\@all" in text
    assert "##[" not in result.stdout and "::set" not in result.stdout
    without = evolif("board", "check", "--github", GITHUB_STEP_SUMMARY="")
    assert without.exit_code == 2 and "GITHUB_STEP_SUMMARY is not set" in without.stderr
