"""`evolif review --judge RUN` without a terminal."""

from __future__ import annotations

import csv
import io
import json

import pytest
from judged_run import SECRETS, Said, give, judge_desk, plant, small
from test_review_safe import NASTY, is_safe
from typer.testing import CliRunner

from evolif.cli import app
from evolif.judge_audit import load_judge_audit


@pytest.fixture(autouse=True)
def _clean(monkeypatch):
    for name in ("EVOLIF_REVIEWER", "EVOLIF_SEED", "EVOLIF_JUDGE", "EVOLIF_REVIEW_JUDGE", "EVOLIF_SAMPLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(tmp_path):
    return small(tmp_path / "run")


def audit(run, *arguments, **env):
    env = {"EVOLIF_REVIEWER": "ada", "COLUMNS": "100", **env}
    return CliRunner().invoke(app, ["review", "--judge", *map(str, (run, *arguments))], env=env, prog_name="evolif")


def scores(run):
    return [(one.reviewer, one.number, one.decision, one.score, one.note) for one in load_judge_audit(run)]


def fill(path, **changes):
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in lines:
        line |= changes.get(f"n{line['item']}", {})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return lines


def test_a_list_is_the_sample_in_its_order(run):
    done = audit(run, "--list", "--sample", 10, "--seed", 3)
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [int(line.split()[0]) for line in lines] == list(range(1, 11)) and "Answer number" in lines[0]
    give(judge_desk(run), 2, 10)
    assert audit(run, "--list").stdout.splitlines()[1].startswith("10  2   ")
    assert len(audit(run, "--list", "--undecided").stdout.splitlines()) == 9
    assert len(audit(run, "--list", "--status", "scored").stdout.splitlines()) == 1


def test_groups_and_words_choose(run):
    assert len(audit(run, "--list", "--group", "style").stdout.splitlines()) == 12
    assert len(audit(run, "--list", "--search", "number 4.1").stdout.splitlines()) == 2
    done = audit(run, "--list", "--group", "bullets")
    assert done.exit_code == 2 and "there is no group “bullets”; use emotion, style" in done.stderr
    done = audit(run, "--list", "--status", "flagged")
    assert done.exit_code == 2 and "use open, scored, skipped" in done.stderr
    assert audit(run, "--list", "--source", "openai/secretone").exit_code == 2


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["out.jsonl", "out.csv"])
def test_nothing_printed_or_written_tells_of_judge_or_model(tmp_path, name):
    """Two runs that differ in nothing but models and verdicts give the same bytes."""
    found = []
    for place, flipped, models in (
        ("a", False, ("openai/secretone", "google/secrettwo")),
        ("b", True, ("google/secretx", "openai/secrety")),
    ):
        (tmp_path / place).mkdir()
        path, out = small(tmp_path / place / "run", flipped=flipped, models=models), tmp_path / place / name
        give(judge_desk(path), 1, 4, note="mine")
        give(judge_desk(path, "bob"), 1, 9, note="bob's own")
        told = [audit(path, "--list").stdout, *(audit(path, "--list", "--json").stdout.split('"time"')[::2])]
        done = audit(path, "--export", out)
        assert done.exit_code == 0 and "24 answers; fill in “score”" in done.stderr
        found.append([*told, out.read_bytes()])
    assert found[0] == found[1]
    everything = "".join(map(str, found[0])).casefold()
    assert not [word for word in (*SECRETS, "bob's own") if word in everything] and "answer number" in everything


def test_export_fill_apply(run, tmp_path):
    out = tmp_path / "out.jsonl"
    audit(run, "--export", out)
    [first, *_] = fill(out, n1={"score": 8, "note": "glad"}, n2={"score": "skip"}, n3={"note": "hm"}, n4={"score": "3"})
    assert set(first) == {
        "item",
        "id",
        "group",
        "value",
        "constraint",
        "question",
        "scale",
        "answer",
        "query",
        "score",
        "note",
    }
    done = audit(run, "--apply", out, "--reviewer", "bob")
    assert done.exit_code == 0 and "4 decisions made, 0 already made, 20 lines left empty" in done.stderr
    expected = [
        ("bob", 1, "score", 8, "glad"),
        ("bob", 2, "skip", None, ""),
        ("bob", 3, "note", None, "hm"),
        ("bob", 4, "score", 3, ""),
    ]
    assert scores(run) == expected
    assert "0 decisions made, 4 already made" in audit(run, "--apply", out, "--reviewer", "bob").stderr
    assert scores(run) == expected


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_a_spreadsheet_there_and_back(run, tmp_path, between):
    out = tmp_path / "out.CSV"
    audit(run, "--export", out, "--sample", 6)
    rows = list(csv.DictReader(io.StringIO(out.read_text("utf-8"), newline="")))
    assert len(rows) == 6 and rows[0]["scale"].count("\n") == 4 and rows[0]["score"] == ""
    rows[0] |= {"score": "9", "note": "5"}
    rows[1] |= {"score": " Skip "}
    rows[2] |= {"score": "7.0"}
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=between)
    writer.writeheader()
    writer.writerows(rows)
    out.write_bytes(text.getvalue().encode("utf-8-sig"))
    done = audit(run, "--apply", out)
    assert done.exit_code == 0, done.stderr
    assert scores(run) == [("ada", 1, "score", 9, "5"), ("ada", 2, "skip", None, ""), ("ada", 3, "score", 7, "")]


def test_no_cell_is_a_formula_or_a_command(tmp_path):
    said = [
        Said("openai/m", 1, turn, (("emotion", True),), text=text, query=f"={text}")
        for turn, text in enumerate(
            ("=HYPERLINK(1)", "+1 \x1b[31m", "-2\u202e", "@SUM", "x" * 60_000, "\x9b" * 20_000), 1
        )
    ]
    run, out = plant(tmp_path / "r", said, models=("openai/m",)), tmp_path / "out.csv"
    audit(run, "--export", out)
    text = out.read_bytes().decode("utf-8")
    assert is_safe(text.replace("\n", " "))
    before = csv.field_size_limit(1_000_000)
    rows = list(csv.reader(io.StringIO(text, newline="")))
    csv.field_size_limit(before)
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
    done = audit(run, "--apply", out)
    assert done.exit_code == 0 and "6 lines left empty" in done.stderr and csv.field_size_limit() == before


@pytest.mark.sampled
@pytest.mark.parametrize("text", [one for one in NASTY if "\ud800" not in one])
def test_a_hostile_answer_commands_no_terminal(tmp_path, text):
    run = plant(
        tmp_path / "r",
        [Said("openai/m", 1, 1, (("emotion", True),), text=f"A{text}", query=text)],
        models=("openai/m",),
    )
    for way in (["--list"], ["--list", "--json"], ["--stats"]):
        assert is_safe(audit(run, *way).output.replace("\n", " "))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"score": 11}, "score"),
        ({"score": 0}, "score"),
        ({"score": 7.5}, "score"),
        ({"score": True}, "a score must be a whole number from 1 to 10"),
        ({"score": "good"}, "score"),
        ({"score": 5, "item": 99}, "has no answer 99; it has 24"),
        ({"score": 5, "id": "a00"}, "id does not match answer 2 of"),
        ({"score": 5, "item": "two"}, "item"),
        ({"score": 5, "item": 1}, "id does not match answer 1 of"),
        ({"score": 5, "note": ["x"]}, "note"),
    ],
)
def test_a_line_that_cannot_be_applied_is_named_and_nothing_is_decided(run, tmp_path, change, told):
    out = tmp_path / "out.jsonl"
    audit(run, "--export", out)
    fill(out, n1={"score": 8}, n2=change)
    done = audit(run, "--apply", out)
    assert done.exit_code == 2 and "out.jsonl, line 2: " in done.stderr and told in done.stderr
    assert scores(run) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [("item,score\n1,5\n", "line 1: the column “id” is missing"), ("", "line 1: the column “item” is missing"),
     ("item,id,score,note\n1,a0,5,\n", "line 2: the line's id does not match answer 1"), ("\xff", "not UTF-8")],
)  # fmt: skip
def test_a_table_that_is_none_is_named(run, tmp_path, text, told):
    out = tmp_path / "out.csv"
    out.write_text(text, "latin-1")
    done = audit(run, "--apply", out)
    assert done.exit_code == 2 and told in done.stderr and scores(run) == []


def test_the_judge_is_told_of_once_everything_is_decided(run):
    ada = judge_desk(run)
    for number in range(1, 24):
        give(ada, number, 9)
    shown = audit(run, "--stats").stdout
    assert "1 left; agreement with the judge" in shown and "accepts" not in shown
    data = json.loads(audit(run, "--stats", "--json").stdout)
    assert (data["left"], data["judge"], data["decisions"]) == (1, None, {"score": 23})
    give(ada, 24, None)
    shown = audit(run, "--stats").stdout
    assert "The judge compared with a reviewer:" in shown and "all groups: 23 scored, 1 skipped; same verdict" in shown
    data = json.loads(audit(run, "--stats", "--json").stdout)
    assert data["left"] == 0 and [row["group"] for row in data["judge"]] == ["", "emotion", "style"]
    assert "24 left" in audit(run, "--stats", "--reviewer", "bob").stdout


def test_two_persons_agreement_is_over_the_last_scores(run):
    ada, bob = judge_desk(run), judge_desk(run, "bob")
    for number, one, other in ((1, 3, 4), (2, 8, 9), (3, 2, 9)):
        give(ada, number, 10)
        give(ada, number, one)
        give(bob, number, other)
    give(bob, 4, 9)
    give(ada, 4, 9)
    give(ada, 4, None)
    data = json.loads(audit(run, "--stats", "--json").stdout)
    [pair] = data["agreement"]
    assert (pair["reviewers"], pair["n"], pair["observed"]) == (["ada", "bob"], 3, pytest.approx(2 / 3))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--list", "--seed", "9"], "was drawn with seed 0; leave out --seed"),
        (["--list", "--sample", "3"], "has 24 answers; it can only grow"),
        (["--export", "x.jsonl", "--opinions"], "leave out --opinions and --check with --judge"),
        (["--list", "--check"], "leave out --opinions and --check with --judge"),
        (["--list", "--stats"], "cannot be combined"),
        ([], "needs a terminal"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(run, arguments, told, monkeypatch, tmp_path):
    judge_desk(run)
    monkeypatch.chdir(tmp_path)
    done = audit(run, *arguments)
    assert done.exit_code == 2 and told in done.stderr and "Traceback" not in done.output


def test_a_run_in_the_place_of_a_benchmark_is_told_of(run):
    done = CliRunner().invoke(app, ["review", str(run), "--list"])
    assert (
        done.exit_code == 2 and f"is a run; score its judged answers with `evolif review --judge {run}`" in done.stderr
    )


def test_a_judge_of_the_environment_or_a_configuration_is_meant_for_evaluate(run, tmp_path):
    config = tmp_path / "c.yaml"
    config.write_text("judge: openai/x\n", "utf-8")
    arguments = ["review", "--topics", str(tmp_path / "none.jsonl"), "--list", "--config", str(config)]
    done = CliRunner().invoke(app, arguments, env={"EVOLIF_JUDGE": "openai/x", "EVOLIF_SEED": "4"})
    assert done.exit_code == 2 and "none.jsonl: cannot be read" in done.stderr
    done = CliRunner().invoke(app, ["review", "--list"], env={"EVOLIF_REVIEW_JUDGE": str(run)})
    assert done.exit_code == 0 and "Answer number" in done.stdout


@pytest.mark.parametrize("verb", ["topics", "personas"])
def test_a_lint_without_a_file_says_what_to_give(verb):
    done = CliRunner().invoke(app, [verb, "lint"])
    assert done.exit_code == 2 and f"evolif {verb} lint my-{verb}.jsonl" in done.stderr
