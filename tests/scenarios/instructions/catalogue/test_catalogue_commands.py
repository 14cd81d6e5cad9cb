"""`evolif topics` and `evolif personas` as a user meets them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest
from entries import BEES, PERSONAS, TOPICS, WAX, persona, topic
from models.server import Answer, ok, serving
from typer.testing import CliRunner

from evolif.cli import app


def evolif(*arguments, **env):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env=env, prog_name="evolif")


@pytest.mark.parametrize(("kind", "entry"), [("topics", topic), ("personas", persona)])
def test_lint_of_a_good_file_ends_with_0_and_shows_the_nearest(write, kind, entry):
    path = write(entry(0), entry(1), entry(2))
    result = evolif(kind, "lint", path)
    assert result.exit_code == 0, result.output
    assert result.output.count("Nearest by") == 2
    assert f"{path}: 3 {kind}" in result.output and "no findings." in result.output


def test_lint_of_a_bad_file_ends_with_1_and_tells_all(write, tmp_path):
    path = write(topic(0, title="The queen."), "{broken", topic(1, id="T001"))
    (tmp_path / "sample.txt").write_text(WAX["prompt"], encoding="utf-8")
    result = evolif("topics", "lint", path, "--against", tmp_path / "sample.txt")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert sum(line.startswith(f"{path}, line ") for line in lines) == 5
    assert any("line 3 (T001): shares “a chest full of dark comb is waiting”" in line for line in lines)
    assert lines[-2].startswith("Compared with ") and lines[-1].endswith("3 topics, 1 domain, 5 findings.")


def test_lint_for_machines(write):
    path = write(topic(0), topic(1, title="the wax."), topic(3))
    result = evolif("topics", "lint", path, "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 1 and result.stdout.isascii()
    assert set(told) == {"kind", "file", "entries", "findings", "nearest", "counts", "samples", "notes"}
    assert told["findings"] == [
        {"file": str(path), "line": 2, "entry": "T002", "rule": "title", "message": "the title ends like a sentence",
         "mend": "write a noun phrase that can follow “back to”, such as “the fog in the valley”"}
    ]  # fmt: skip
    assert set(told["nearest"]) == {"keywords", "prompts"}
    assert set(told["nearest"]["prompts"][0]) == {"first", "second", "value", "shared", "lines"}


def test_nothing_of_a_hostile_file_reaches_the_terminal(write):
    evil = "\x1b]0;evil\x07\u202e\ud800"
    lines = [
        topic(0, id=f"T{evil}"),
        topic(1, keywords=[evil] * 20),
        topic(2, title=f"the {evil}"),
        {evil: 1},
        f'{{"{evil[:-1]}": 1, "{evil[:-1]}": 2}}',
    ]
    path = write(*(json.dumps(line) if isinstance(line, dict) else line for line in lines))
    for arguments in ((), ("--json",)):
        output = evolif("topics", "lint", path, *arguments).output
        assert "\x1b" not in output and "\x07" not in output and "\u202e" not in output and "\ud800" not in output


@pytest.mark.parametrize("kind", ["topics", "personas"])
def test_a_file_that_cannot_be_linted_ends_with_2(kind, tmp_path):
    result = evolif(kind, "lint", tmp_path / "none.jsonl")
    assert result.exit_code == 2 and "none.jsonl: does not exist" in result.stderr


def test_write_tells_what_it_came_to(tmp_path):
    out = tmp_path / "own.jsonl"
    with serving(ok(json.dumps(BEES)), ok("no"), ok("no"), ok("no"), ok(json.dumps(WAX))) as server:
        flags = ("-m", f"openai/tiny?base_url={server.url}", "--max-connections", 1, "--seed", 1, "--max-retries", 0)
        result = evolif("topics", "write", "--domain", "bee keeping", "--count", 2, "--out", out, *flags)
    assert result.exit_code == 0, result.output
    assert f"{out}: 2 of 2 topics on bee keeping; 2 kept, 1 given up, 5 answers, 35 + 15 tokens" in result.stdout
    assert f"evolif review --topics {out}" in result.stdout
    assert "last rejected answer: the answer contains no JSON object" in result.stderr
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2


def test_infer_tells_what_is_left(tmp_path, write):
    out, source = tmp_path / "own.jsonl", write("hello there", "who is it", name="messages.txt")
    with serving(ok(json.dumps(PERSONAS[0])), ok("\x1b[2J no")) as server:
        flags = ("-m", "openai/tiny", "--base-url", server.url, "--max-connections", 1, "--max-retries", 0)
        result = evolif("personas", "infer", "--from", source, "--out", out, *flags, OPENAI_API_KEY="k")
    assert result.exit_code == 0, result.output
    assert (
        "1 of 2 personas; 1 kept, 1 given up" in result.stdout and "Run the same command for the rest" in result.stderr
    )
    assert "\x1b" not in result.output


def test_nothing_usable_ends_with_3_and_a_sentence(tmp_path):
    with serving(ok("no")) as server:
        model = f"openai/tiny?base_url={server.url}"
        result = evolif("topics", "write", "--domain", "x", "-m", model, "--count", 1, "--out", tmp_path / "own.jsonl")
    assert result.exit_code == 3 and result.stderr.splitlines()[-1].startswith("evolif: openai/tiny gave no entry")
    assert not (tmp_path / "own.jsonl").exists()


def test_flags_may_stand_in_a_configuration(tmp_path):
    out, config = tmp_path / "own.jsonl", tmp_path / "c.yaml"
    with serving(ok(json.dumps(BEES))) as server:
        config.write_text(
            f"domain: bees\ncount: 1\nout: {out}\nmodel: openai/tiny?base_url={server.url}\n", encoding="utf-8"
        )
        assert evolif("topics", "write", "--config", config).exit_code == 0
    assert json.loads(out.read_text(encoding="utf-8"))["domain"] == "bees"


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_run_that_is_broken_off_keeps_whole_lines_and_goes_on(tmp_path, how):
    out = tmp_path / "own.jsonl"
    with serving(*(ok(json.dumps(TOPICS[n])) for n in range(2)), Answer(fault="stall")) as server:
        command = [
            sys.executable,
            "-m",
            "evolif",
            "topics",
            "write",
            "--domain",
            "bees",
            "--count",
            "3",
            "-o",
            str(out),
        ]
        command += ["-m", f"openai/tiny?base_url={server.url}", "--max-connections", "1", "--max-retries", "0"]
        # A job in the background ignores Ctrl-C, and so would this process.
        heeding = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=heeding) as child:
            while len(server.seen) < 3 and child.poll() is None:
                time.sleep(0.05)
            child.send_signal(how)
            told = child.communicate()[1]
    assert child.returncode == (130 if how == signal.SIGINT else -how), told
    assert how == signal.SIGKILL or f"Interrupted. 2 topics written to {out}" in told
    assert [json.loads(line)["id"] for line in out.read_text(encoding="utf-8").splitlines()] == ["T001", "T002"]
    with serving(ok(json.dumps(TOPICS[2]))) as server:
        model = f"openai/tiny?base_url={server.url}"
        again = evolif("topics", "write", "--domain", "bees", "--count", 3, "-o", out, "-m", model)
    assert again.exit_code == 0 and "3 of 3 topics on bees; 1 kept" in again.stdout
