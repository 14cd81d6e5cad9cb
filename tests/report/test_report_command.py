"""`evolif report`: the short and the full one, several runs, files for machines and for papers, what is missing."""

from __future__ import annotations

import json
import math
import shlex
from pathlib import Path
from typing import Any

import pytest
from runs_by_hand import make_run
from typer.testing import CliRunner

from evolif.cli import app
from evolif.metrics import METRIC_NAMES
from evolif.metrics.breakdown import breakdowns_of
from evolif.report.leaderboard import published_leaderboard
from evolif.scenario import get_scenario

MIXED = {
    1: "finished:11? 00? 11? 00? 01? 10?",
    2: "finished:00 00 00",
    3: "censored:11 11 11 11",
    4: "finished:10 11 00 00 00",
}
WORSE = dict.fromkeys(MIXED, "finished:11 00 00 00") | {4: "finished:00 00 00"}
HOSTILE = "openai/[red]x[/red] \x1b]0;t\x07 \u202e $x$ \\end{table} 100%_#"


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("EVOLIF_MODEL", "EVOLIF_SEED", "EVOLIF_JSON_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)


def make(name: str, sessions: Any, **settings: Any) -> None:
    make_run(Path(name), sessions, **settings).close()


def report(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["report", *arguments, "--resamples", "100"], prog_name="evolif")
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.stdout if code == 0 else " ".join(result.stderr.split())


def machine(*arguments: str) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return dict(json.loads(report(*arguments, "--json", "-"), parse_constant=refuse))


def test_the_short_report_fits_and_names_the_full_one() -> None:
    make("r", {"sim/a": MIXED})
    text = report("r")
    told = " ".join(text.split())
    assert "ceiling 100 % over" in told and "--full" in told and "not comparable" in told
    assert "Hazard" not in told and max(map(len, text.splitlines())) <= 80 and len(text.splitlines()) < 60
    assert told.count("No interval where fewer than six dialogues contribute") == 1


def test_the_full_report_has_every_section() -> None:
    make("r", {"sim/a": MIXED, "sim/b": WORSE, "sim/c": MIXED})
    text = report("r", "--full")
    for title in (
        "per constraint group", "per group and mode", "per depth", "number of active constraints", "per move",
        "per synthesizer", "per register", "formal and informal", "Survival", "Hazard", "Patience sweep",
        "To reproduce this",
    ):  # fmt: skip
        assert title in text, title
    assert max(len(line) for line in text.splitlines() if not line.startswith("  evolif")) <= 80


def test_everything_is_there_for_machines() -> None:
    make("r", {"sim/a": MIXED, "sim/b": WORSE, "sim/c": MIXED})
    told = machine("r")
    assert [model["model"] for model in told["models"]] == ["sim/a", "sim/b", "sim/c"]
    for model in told["models"]:
        assert list(model["by"]) == [one.name for one in breakdowns_of(get_scenario("instructions").breakdowns)]
        assert {"hazard", "survival", "patience_sweep", "kinds", "groups", "bounds"} <= set(model)
        assert [point["patience"] for point in model["patience_sweep"]] == [1, 2, 3]
        assert all(set(model[name]) == {"value", "low", "high"} for name in METRIC_NAMES)
    first = told["models"][0]
    # Dialogues 1 to 4: 6, 3, 4 and 5 turns, 2, 0, 4 and 1 of them good.
    assert first["edr_len"]["value"] == pytest.approx(18 / 4)
    assert first["isr"]["value"] == pytest.approx(7 / 18)
    assert first["rob"]["value"] == pytest.approx((2 / 6 + 0 + 1 + 1 / 5) / 4)
    [unjudged] = [s for s in first["by"]["group"] if s["key"] == "emotion"]
    assert unjudged["not_judged"] == 6 and unjudged["csr"] == {"value": None, "low": None, "high": None}
    by_depth = {s["key"]: s for s in first["by"]["depth"]}
    assert by_depth[1]["satisfied"] == 2 + 0 + 2 + 1 and by_depth[1]["judged"] == 8
    [run] = told["runs"]
    # WORSE asks a fourth turn of dialogue 2.
    assert run["ceiling"]["turns"] == 19 and run["ceiling"]["isr"] == 1.0 and run["ceiling"]["misses"] == []
    assert run["suspended"] == 0 and run["judge_audit"] == []
    assert [step["command"].split()[1] for step in run["commands"]] == ["generate", "evaluate", "report"]
    assert told["seed"] == 0 and told["resamples"] == 100 and "published" not in told


def test_the_ceiling_is_what_it_really_is() -> None:
    make("none", {"sim/a": MIXED}, witness=None)
    assert "none of the 18 asked turns has a witness" in " ".join(report("none").split())
    make("bad", {"sim/a": {1: "finished:1 11 00 00 00"}}, witness="kelt")
    told = " ".join(report("bad").split())
    # Turn 1 asks for the start alone, which the witness keeps; three failures later patience is exhausted: 1 of 4.
    assert "would not reach 100 %: ceiling ISR 25.0 %, CSR 62.5 %, ROB 25.0 % over 5 asked turns" in told
    assert "with a witness that the rules reject" in told and "dialogue 1 turn 2 (end_with)" in told
    [run] = machine("bad")["runs"]
    assert run["ceiling"]["failing"] == 4 and run["ceiling"]["misses"][0] == {
        "dialogue": 1, "turn": 2, "groups": ["end_with"],
    }  # fmt: skip


def test_several_runs_stand_side_by_side_where_they_may() -> None:
    make("one", {"sim/a": MIXED})
    make("two", {"sim/a": WORSE, "sim/b": WORSE})
    text = report("one", "two")
    assert "Run one" in text and "Run two" in text and text.count("ROB %") == 1
    make("three", {"sim/a": MIXED}, max_turns=20)
    apart = " ".join(report("one", "three").split())
    assert "The runs have separate tables" in apart and "the cap (--max-turns) is 10" in apart
    assert apart.count("ROB %") == 2
    assert [board["models"] for board in machine("one", "two")["boards"]] == [["sim/a (one)", "sim/a (two)", "sim/b"]]


def test_an_unfinished_run_says_so() -> None:
    make("r", {"sim/a": {1: MIXED[1], 2: "suspended:11 11", 3: ":11", 4: "withheld:11"}})
    told = " ".join(report("r", "--full").split())
    assert "Not finished: 2 of 4 sessions are suspended or still to be played" in told
    assert "sim/a 2" in told and "if those sessions had continued, EDR len would be between" in told
    [model] = machine("r")["models"]
    assert (model["suspended"], model["withheld"]) == (2, 1)
    assert model["survival_bounds"] is None or set(model["survival_bounds"]) <= {"failed", "succeeded", "unavailable"}


def test_a_run_without_a_session_that_counts_has_a_report() -> None:
    make("r", {"sim/a": {1: "suspended:", 2: ":"}})
    report("r", "--full", "--latex", "t.tex")
    [model] = machine("r")["models"]
    assert all(model[name] == {"value": None, "low": None, "high": None} for name in METRIC_NAMES)


def test_hostile_names_are_text_everywhere() -> None:
    make("r", {HOSTILE: MIXED, "sim/b": WORSE}, profile="\x1b[2J[bold]p")
    text = report("r", "--full", "--latex", "t.tex")
    assert not {c for c in text if c in "\x1b\x07\x9b\r\x08\u202e\u2066"}
    assert "[red]x[/red]" in text
    latex = Path("t.tex").read_text(encoding="utf-8")
    assert latex.isascii() and latex.count(r"\begin{table}") == latex.count(r"\end{table}") > 3
    assert r"\textbackslash{}end\{table\}" in latex and r"\$x\$" in latex and r"100\%\_\#" in latex


def test_latex_tables_have_as_many_cells_as_columns() -> None:
    make("r", {f"sim/{letter}": MIXED if letter < "d" else WORSE for letter in "abcdefg"})
    report("r", "--latex", "t.tex", "--with-published")
    tables = Path("t.tex").read_text(encoding="utf-8").split(r"\begin{table}")[1:]
    assert len(tables) > 8 and "headline-2" in "".join(tables)
    for table in tables:
        columns = len(table.partition(r"\begin{tabular}{")[2].partition("}")[0])
        body = table.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
        rows = [line for line in body.splitlines() if line.strip() and line != r"\midrule"]
        assert rows and all(row.endswith(r" \\") for row in rows)
        assert {row.replace(r"\&", "").count("&") for row in rows} == {columns - 1}
        assert columns <= 9


def test_the_published_figures_stand_under_their_warning_alone() -> None:
    make("r", {"sim/a": MIXED})
    assert "GPT-5" not in report("r", "--full")
    text = report("r", "--with-published")
    assert text.index("NOT COMPARABLE") < text.index("GPT-5") and "66.40" in text and "19.32" in text
    told = machine("r", "--with-published")["published"]
    assert "NOT COMPARABLE" in told["warning"] and "2511.03508" in told["source"]
    assert told["models"]["GPT-5"]["edr_len"] == 19.32 and told["models"]["GPT-5"]["rob"] == pytest.approx(0.664)
    assert "GPT-5" not in [model["model"] for model in machine("r", "--with-published")["models"]]


def test_the_published_figures_are_the_papers() -> None:
    told = published_leaderboard()
    assert len(told.models) == 10
    assert all(set(figures) == set(METRIC_NAMES) for figures in told.models.values())
    last = told.models["Mistral-Large-3"]
    assert (last["edr_lss"], last["csr"], last["rec"]) == (2.83, pytest.approx(0.6834), pytest.approx(0.1579))


def test_the_commands_can_be_pasted_into_a_shell() -> None:
    name = "local/./my weights; rm -rf $HOME.gguf"
    make(
        "r",
        {name: MIXED, "openai/m": MIXED},
        endpoints=("", "http://user:secret@127.0.0.1:8000/v1?key=secret"),
        judge="median of openai/a, google/b (rubric 0123abcd)",
        judge_endpoints=("http://127.0.0.1:9/v1", ""),
        temperature=0.7,
        max_tokens=100,
        system_prompt=False,
        epochs=1,
    )
    [run] = machine("r")["runs"]
    words = shlex.split(run["commands"][1]["command"])
    assert words[:3] == ["evolif", "evaluate", "BENCH"]
    assert [words[n + 1] for n, word in enumerate(words) if word == "--model"] == [
        "local/my weights; rm -rf $HOME.gguf", "openai/m?base_url=URL",
    ]  # fmt: skip
    assert [words[n + 1] for n, word in enumerate(words) if word == "--judge"] == [
        "openai/a?base_url=URL", "google/b",
    ]  # fmt: skip
    assert words[words.index("--judge-rule") + 1] == "median"
    for flag, value in (("--patience", "3"), ("--max-turns", "10"), ("--temperature", "0.7"), ("--max-tokens", "100")):
        assert words[words.index(flag) + 1] == value
    assert "--no-system-prompt" in words and "secret" not in json.dumps(run["commands"])


def test_the_benchmark_tells_how_it_was_made() -> None:
    make("r", {"sim/a": MIXED})
    assert "BENCH" in report("r", "--full")
    for arguments in (
        ["generate", "bench", "--dialogues", "2", "--turns", "2", "--seed", "42", "--profile", "objective"],
        ["evaluate", "bench", "--model", "sim/steady", "--out", "run", "--max-turns", "2"],
    ):
        assert CliRunner().invoke(app, arguments).exit_code == 0
    step = machine("run", "--bench", "bench")["runs"][0]["commands"][0]
    assert "--seed 42" in step["command"] and "--turns 2" in step["command"] and "--dialogues 2" in step["command"]
    assert machine("run")["runs"][0]["commands"][0]["command"] == step["command"]
    assert "r was not played on --bench bench" in report("r", "--bench", "bench", code=2)


def test_a_variable_for_switches_makes_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    make("r", {"sim/a": MIXED})
    monkeypatch.setenv("EVOLIF_JSON", "1")
    assert "ROB" in report("r") and not Path("1").exists()
    monkeypatch.setenv("EVOLIF_JSON_FILE", "told.json")
    report("r")
    assert json.loads(Path("told.json").read_text(encoding="utf-8"))["models"]


def test_what_cannot_be_written_is_said() -> None:
    make("r", {"sim/a": MIXED})
    assert "cannot be written" in report("r", "--latex", "no/such/t.tex", code=3)
    assert "is not a run" in report("nowhere", code=2)


@pytest.mark.slow
def test_where_the_cap_bounds_the_length_the_exhaustion_rate_is_named() -> None:
    long = dict.fromkeys(range(1, 9), "censored:11 11 11 11")
    make("r", {"sim/a": long, "sim/b": long | {1: "finished:11 00 00 00", 2: "finished:00 00 00"}}, max_turns=4)
    text = " ".join(report("r", "--latex", "t.tex", "--html", "p.html").split())
    for name, share in (("sim/a", 100), ("sim/b", 75)):
        bounded = f"{name}: EDR len is bounded by the cap of 4 for {share} % of sessions"
        assert f"{bounded}: read ISR@4 and the exhaustion rate. Nothing is measured beyond turn 4; ten" in text
    assert "under a constant hazard" in text and "sim/a over 5 (patience never ran out)" in text
    a, b = machine("r")["models"]
    assert (a["saturated"], a["at_cap"], a["exhaustion_rate"]["value"], a["exhaustion_rate"]["low"]) == (True, 8, 0, 0)
    assert a["expected_length"]["value"] is None and a["expected_length"]["low"] < 8
    # None in 32 turns: at most −ln .025 are expected, wider by Student's quantile for 8 dialogues.
    assert a["expected_length"]["low"] == pytest.approx(32 / (-math.log(0.025) * (2.3646 / 1.96) ** 2), rel=1e-3)
    assert b["exhaustion_rate"]["value"] == 2 / 31
    # 15.5 turns at that rate are more than twice the cap, and two sessions too few for an upper end.
    low = 1 / b["exhaustion_rate"]["high"]
    assert b["expected_length"] == {"value": None, "low": pytest.approx(low), "high": None}
    assert f"sim/b over {math.floor(low)} (patience ran out in 2 sessions)." in text
    (span,) = b["exhaustion_by_turn"]
    assert (span["first"], span["last"], span["exhausted"], span["turns"]) == (1, 10, 2, 31)
    assert span["exhaustion_rate"] == b["exhaustion_rate"]
    assert "EXH" in Path("t.tex").read_text("utf-8") and "75 % of sessions" in Path("p.html").read_text("utf-8")
    told = CliRunner().invoke(app, ["compare", "r", "--resamples", "100"], prog_name="evolif").stdout
    assert "A: EDR len is bounded by the cap of 4" in " ".join(told.split())


@pytest.mark.slow
def test_an_expected_length_has_a_point_where_it_was_measured_alone() -> None:
    """Patience runs out at turn 6 in some of twelve sessions; the others reach turn 10."""
    died, lasted = "finished:1 1 1 0 0 0", "censored:1 1 1 1 1 1 1 1 1 1"
    make("r", {name: dict.fromkeys(range(1, 13), lasted) | dict.fromkeys(range(1, 1 + dead), died)
               for name, dead in (("sim/six", 6), ("sim/five", 5), ("sim/four", 4))})  # fmt: skip
    six, five, four = machine("r")["models"]
    # 96, 100 and 104 turns: 16 and 20 turns for each that dies are within twice the cap, 26 are beyond.
    assert six["expected_length"]["value"] == pytest.approx(96 / 6)
    assert five["expected_length"]["value"] == pytest.approx(100 / 5)
    for model in (six, five):
        ends = model["exhaustion_rate"]
        assert (model["expected_length"]["low"], model["expected_length"]["high"]) == pytest.approx(
            (1 / ends["high"], 1 / ends["low"])
        )
    least = 1 / four["exhaustion_rate"]["high"]
    assert four["expected_length"] == {"value": None, "low": pytest.approx(least), "high": None}
    text = " ".join(report("r").split())
    assert f"sim/four over {least:.0f} (patience ran out in 4 sessions)." in text
    assert f"sim/five 20.0 [{1 / five['exhaustion_rate']['high']:.1f}–" in text
    make("few", {"sim/few": dict.fromkeys(range(1, 7), lasted) | dict.fromkeys(range(1, 5), died)})
    [few] = machine("few")["models"]
    # 44 turns and four that die: 11 turns are within the cap, but four are too few for a point.
    least = 1 / few["exhaustion_rate"]["high"]
    assert few["expected_length"] == {"value": None, "low": pytest.approx(least), "high": None}
    assert f"sim/few over {math.floor(least)} (patience ran out in 4 sessions)." in " ".join(report("few").split())


def test_what_is_undefined_says_why() -> None:
    cut = {1: "censored:1 1", 2: "finished:0 0 0", 3: "censored:1 1 1 1"}
    whole = dict.fromkeys(cut, "censored:1 1 1 1 1 1 1 1 1 1")
    make("r", {"sim/cut": cut, "sim/whole": whole})
    one, other = machine("r")["models"]
    nothing = {"value": None, "low": None, "high": None}
    assert one["isr_at_n"] == nothing and one["isr"]["value"] == 6 / 9
    assert other["isr_at_n"]["value"] == 1.0 and other["rec"] == nothing
    text = " ".join(report("r").split())
    assert "sim/cut: ISR@10 undefined: no session was played to its last turn." in text
    assert "sim/whole: REC, REC all undefined: no bad turn." in text
    row = next(line for line in report("r").splitlines() if "ISR@10 %" in line)
    assert [cell.strip() for cell in row.strip("│").split("│")] == ["requests met (ISR@10 %)", "–", "100"]
    [ranked] = machine("r")["boards"]
    assert "sim/cut" not in ranked["ranking"]["metrics"]["isr_at_n"], "what is undefined has no rank"
    [pair] = json.loads(CliRunner().invoke(app, ["compare", "r", "--json", "-"]).stdout)["comparisons"]
    assert pair["metrics"]["isr_at_n"]["p"] is None and pair["metrics"]["isr_at_n"]["difference"] == nothing
    assert "ISR@10 of A, sim/cut, is not known: no session was played that far." in pair["conclusion"]


def test_few_sessions_at_the_cap_bound_nothing() -> None:
    make("r", {"sim/a": {1: "censored:11 11 11 11", **dict.fromkeys(range(2, 5), "finished:00 00 00")}}, max_turns=4)
    assert machine("r")["models"][0]["saturated"] is False
    assert "bounded by the cap" not in report("r")


@pytest.mark.slow
def test_a_page_that_would_be_too_large_says_where_its_transcripts_are(monkeypatch: pytest.MonkeyPatch) -> None:
    make("r", {"sim/a": MIXED})
    monkeypatch.setattr("evolif.report.page.page.MOST_BYTES", 1)
    result = CliRunner().invoke(app, ["report", "r", "--html", "p.html", "--resamples", "100"])
    told = " ".join(result.output.split())
    assert "0 of 4 transcripts: with all of them it would be larger than 20 MB" in told and "--zip" in told
    assert "All are in p-transcripts; keep the two together" in told
    packed = CliRunner().invoke(app, ["report", "r", "--html", "q.html", "--zip", "--resamples", "100"])
    assert "Page: q.zip" in packed.output and Path("q.zip").is_file()
    assert not Path("q.html").exists() and not Path("q-transcripts").exists()


def test_an_archive_needs_a_page() -> None:
    make("r", {"sim/a": MIXED})
    assert "--zip packs a page; name one with --html FILE" in report("r", "--zip", code=2)
