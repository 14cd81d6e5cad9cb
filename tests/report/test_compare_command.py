"""`evolif compare`: what it tells, what it refuses, and that it claims no more than its figures do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from runs_by_hand import Sessions, make_run
from typer.testing import CliRunner

from evolif.cli import app
from evolif.metrics import METRIC_NAMES, PROCESS

pytest.importorskip("numpy", reason="NumPy is not installed")
pytest.importorskip("scipy", reason="SciPy is not installed")

GOOD = dict.fromkeys(range(1, 13), "censored:11 11 11 11 11 11 11 11 11 11")
BAD = dict.fromkeys(range(1, 13), "finished:11 00 00 00")
HOSTILE = "openai/[red]x[/red] \x1b]0;t\x07 \u202e & $_%#{}~^\\input{/etc/passwd}"


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("EVOLIF_MODEL", "EVOLIF_SEED", "EVOLIF_JSON_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)


def make(name: str, sessions: Sessions, **settings: Any) -> None:
    make_run(Path(name), sessions, **settings).close()


def compare(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["compare", *arguments, "--resamples", "200"], prog_name="evolif")
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["compare", *arguments], prog_name="evolif")
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return " ".join(result.stderr.split())


def machine(*arguments: str) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    [only] = json.loads(compare(*arguments, "--json", "-"), parse_constant=refuse)["comparisons"]
    return dict(only)


def test_two_models_of_a_run() -> None:
    make("r", {"sim/a": GOOD, "sim/b": BAD})
    told = machine("r")
    assert (told["kind"], told["dialogues"], told["left_out"]) == ("models", 12, {})
    assert list(told["metrics"]) == list(PROCESS.ratios) and set(METRIC_NAMES) < set(PROCESS.ratios)
    rate = told["metrics"]["exhaustion_rate"]
    assert (rate["a"], rate["b"], rate["p"], rate["p_holm"]) == (0.0, 0.25, pytest.approx(2 / 4096), None)
    assert told["metrics"]["pooled_rec"]["p_holm"] is None
    length = told["metrics"]["edr_len"]
    assert (length["a"], length["b"]) == (10.0, 4.0)
    ends = length["difference"]
    assert ends["value"] == 6.0 and 0 < ends["low"] < 6 < ends["high"], "alike, but not without width"
    assert told["metrics"]["rob"]["difference"]["high"] <= 1
    # All 2^12 swaps; only the two that leave or turn all dialogues are as extreme: 2 of 4096.
    assert told["exact"] is True and told["permutations"] == 4096 and length["p"] == pytest.approx(2 / 4096)
    assert told["metrics"]["rob"]["difference"]["value"] == pytest.approx(1 - 1 / 4)
    assert told["metrics"]["rec"] == {
        "a": None, "b": 0.0, "difference": {"value": None, "low": None, "high": None},
        "p": None, "p_holm": None, "effect": None, "dialogues_needed": None,
        "dialogues_needed_interval": None, "dialogues_needed_holm": None,
        "correlation": {"value": None, "low": None, "high": None}, "pairing_gain": None,
    }  # fmt: skip
    assert length["p_holm"] == pytest.approx(7 * 2 / 4096)
    assert "edr_len" in told["told_apart"] and told["log_rank"]["statistic"] < 0
    text = " ".join(compare("r").split())
    assert f"A, sim/a, is higher in EDR len by 6.0 [{ends['low']:.1f}, {ends['high']:.1f}] turns" in text
    assert "not comparable" in text and "No interval" not in text
    assert "at patience 3, cap 10, judge none" in text


def test_the_order_of_the_models_is_the_users() -> None:
    make("r", {"sim/a": GOOD, "sim/b": BAD, "sim/c": BAD})
    told = machine("r", "-m", "sim/b", "-m", "sim/a")
    assert told["a"]["model"] == "sim/b" and told["metrics"]["edr_len"]["difference"]["value"] == -6.0
    assert "B, sim/a, is higher in EDR len by 6.0" in " ".join(compare("r", "-m", "sim/b", "-m", "sim/a").split())
    assert "name two of its models" in refused("r") and "sim/c" in refused("r")
    assert "has no model sim/x" in refused("r", "-m", "sim/x", "-m", "sim/a")
    assert "name two" in refused("r", "-m", "sim/a", "-m", "sim/a")
    assert "at most two models" in refused("r", "-m", "sim/a", "-m", "sim/b", "-m", "sim/c")
    assert "one or two runs" in refused("r", "r", "r")


def test_nothing_is_claimed_where_nothing_is_told_apart() -> None:
    make("r", {"sim/a": {n: BAD[n] for n in (1, 2)}, "sim/b": {1: BAD[1], 2: "finished:11 11 00 00 00"}})
    text = " ".join(compare("r").split())
    assert "A and B differ significantly in no metric" in text and "does not show that they are equal" in text
    assert "With 2 dialogues the permutation test cannot reach p < 0.05" in text
    assert "No interval of A − B: fewer than six dialogues count for both" in text
    assert "may differ by" not in text
    assert "higher" not in text


def test_dialogues_that_one_lacks_are_left_out_and_told() -> None:
    make("a", {"sim/a": BAD})
    make("b", {"sim/b": {**{n: GOOD[n] for n in range(2, 12)}, 12: "suspended:11", 13: GOOD[1]}})
    told = machine("a", "b")
    assert told["dialogues"] == 10
    assert told["left_out"] == {"only in the first": 1, "only in the second": 1, "not counted in the second": 1}
    text = " ".join(compare("a", "b").split())
    assert "Dialogues left out: 1 only in the first" in text and "Not finished: 1 of 12 sessions" in text


def test_runs_without_a_shared_dialogue_say_so() -> None:
    make("a", {"sim/a": {1: BAD[1]}})
    make("b", {"sim/b": {2: BAD[2]}})
    assert "have no dialogue that counts in both" in " ".join(compare("a", "b").split())


@pytest.mark.parametrize(
    ("settings", "clause"),
    [
        ({"patience": 2}, "the patience is 3 in the first and 2 in the second"),
        ({"max_turns": 20}, "the cap (--max-turns) is 10 in the first and 20 in the second"),
        ({"judge": "lexical"}, "the judge is none in the first and lexical in the second"),
        ({"benchmark": "f" * 16}, "they use different benchmarks"),
        ({"system_prompt": False}, "the system prompt is on in the first and off in the second"),
        (
            {"own_code": {"x": "x.py (SHA-256 2)"}},
            "constraint groups is x.py (SHA-256 1) in the first and x.py (SHA-256 2)",
        ),
        ({"reading_rules": 99}, "the edition of the reading rules is"),
        ({"query": "Another question."}, "the benchmark was edited between them (turn 1 of dialogue 1"),
    ],
)
def test_what_differs_is_refused_by_name(settings: dict[str, Any], clause: str) -> None:
    make("a", {"sim/a": BAD}, own_code={"x": "x.py (SHA-256 1)"})
    make("b", {"sim/b": BAD}, **settings)
    told = refused("a", "b")
    assert told.startswith("evolif: these runs cannot be compared:") and clause in told
    assert clause in refused(
        "a", "b", "--ablation", "judge"
    ) or "--ablation judge compares a model with itself" in refused("a", "b", "--ablation", "judge")


def test_sampling_may_differ_and_is_told() -> None:
    make("a", {"sim/a": BAD})
    make("b", {"sim/b": BAD}, temperature=0.5, seed=3)
    told = machine("a", "b")
    assert told["also_differ"] == [
        "the temperature is the provider's own in the first and 0.5 in the second",
        "the sampling seed is 0 in the first and 3 in the second",
    ]
    assert "also differ in this: the temperature" in " ".join(compare("a", "b").split())


def test_the_system_prompt_ablation_is_known() -> None:
    make("with", {"sim/a": GOOD})
    make("without", {"sim/a": BAD}, system_prompt=False)
    for arguments in (("with", "without"), ("with", "without", "--ablation", "system-prompt")):
        told = machine(*arguments)
        assert (told["kind"], told["also_differ"]) == ("system-prompt", [])
        assert (told["a"]["label"], told["b"]["label"]) == ("sim/a, prompt on", "sim/a, prompt off")
    assert "System-prompt ablation: sim/a with the system prompt (A) and without it (B)" in " ".join(
        compare("with", "without").split()
    )
    make("warm", {"sim/a": BAD}, system_prompt=False, temperature=0.5, seed=4)
    assert "also differ in this: the temperature" in " ".join(compare("with", "warm").split())
    told = refused("with", "warm", "--ablation", "system-prompt")
    assert "needs two runs that differ only in the system prompt" in told and "the temperature is" in told
    make("again", {"sim/a": BAD}, system_prompt=False, seed=4)
    assert machine("with", "again", "--ablation", "system-prompt")["kind"] == "system-prompt"
    assert "needs two runs that differ only in the judge" in refused("with", "without", "--ablation", "judge")
    assert "unknown ablation" in refused("with", "without", "--ablation", "weather")


@pytest.mark.parametrize(
    ("what", "settings", "clause", "label"),
    [
        ("context", {"context": "last:4"}, "the context strategy is full in the first and last:4", "context last:4"),
        ("partner", {"partner": "sim/y"}, "the partner is none in the first and sim/y in the second", "partner sim/y"),
        ("options", {"options": {"tokens": 9}}, "is by default in the first and tokens=9", "options tokens=9"),
        ("system-prompt", {"system_prompt": False}, "the system prompt is on in the first", "prompt off"),
        ("judge", {"judge": "lexical"}, "the judge is none in the first", "judge lexical"),
    ],
)
def test_what_a_comparison_may_run_across(what: str, settings: dict[str, Any], clause: str, label: str) -> None:
    make("a", {"sim/a": GOOD})
    make("b", {"sim/a": BAD}, **settings)
    if what != "system-prompt":
        told = refused("a", "b")
        assert clause in told and what in told.partition(". ")[2]
    told = machine("a", "b", "--across", what)
    assert (told["kind"], told["b"]["label"], told["also_differ"]) == (what, f"sim/a, {label}", [])
    assert label in " ".join(compare("a", "b", "--across", what).split())
    other = "partner" if what != "partner" else "context"
    assert f"--across {other} needs two runs that differ only in the {other}" in refused("a", "b", "--across", other)
    make("c", {"sim/c": BAD}, **settings)
    assert f"--across {what} compares a model with itself" in refused("a", "c", "--across", what)
    make("d", {"sim/a": BAD}, **settings, max_turns=20)
    assert "the cap (--max-turns) is 10" in refused("a", "d", "--across", what)


def test_what_no_comparison_runs_across() -> None:
    make("a", {"sim/a": GOOD})
    make("b", {"sim/a": GOOD}, scenario="elsewhere")
    assert "the scenario is instructions in the first and elsewhere in the second" in refused("a", "b")
    assert "use context, partner, options, system-prompt or judge" in refused("a", "b", "--across", "weather")
    assert "give one of them" in refused("a", "b", "--across", "partner", "--ablation", "judge")


def test_judge_sensitivity_is_known() -> None:
    make("one", {"sim/a": {1: "finished:111 110 110 110", 2: "finished:111 111 000 000 000"}}, judge="mean of x")
    make("two", {"sim/a": {1: "finished:111 111 110 110 110", 2: "finished:111 110 000 000 000"}}, judge="mean of y")
    assert "--ablation judge" in refused("one", "two")
    told = machine("one", "two", "--ablation", "judge")
    assert told["kind"] == "judge"
    judges = told["judges"]
    assert judges["same_answers"] == judges["shared_turns"] == 9
    # The nine shared turns: both 2, first alone 1, second alone 1, neither 5.
    emotion = judges["groups"]["emotion"]
    assert [emotion[key] for key in ("both", "first_only", "second_only", "neither")] == [2, 1, 1, 5]
    assert emotion["agreed"]["value"] == pytest.approx(7 / 9)
    text = " ".join(compare("one", "two", "--ablation", "judge").split())
    assert "Judge sensitivity: sim/a under the judges mean of x (A) and mean of y (B), the same answers." in text
    assert "emotion: 7 of 9 verdicts agree" in text


def test_other_answers_under_another_judge_are_told() -> None:
    make("one", {"sim/a": {1: "finished:111 110 110 110"}}, judge="mean of x")
    make("two", {"sim/a": {1: "finished:111 110 110 110"}}, judge="mean of y", answers={"sim/a": "something else"})
    assert "only 0 of the 4 shared turns have the same answer" in " ".join(
        compare("one", "two", "--ablation", "judge").split()
    )


def test_several_shared_models_are_compared_each_with_itself() -> None:
    make("a", {"sim/a": GOOD, "sim/b": BAD})
    make("b", {"sim/b": BAD, "sim/a": BAD, "sim/c": BAD}, system_prompt=False)
    found = json.loads(compare("a", "b", "--json", "-"))["comparisons"]
    assert [(one["a"]["model"], one["b"]["model"]) for one in found] == [("sim/a", "sim/a"), ("sim/b", "sim/b")]
    assert "2 comparisons: Holm's correction covers the metrics of each" in " ".join(compare("a", "b").split())
    make("c", {"sim/x": BAD, "sim/y": BAD}, system_prompt=False)
    assert "name one of each: --model X --model Y" in refused("a", "c")
    assert machine("b", "c", "-m", "sim/c", "-m", "sim/y")["kind"] == "models"


def test_hostile_names_are_text_everywhere() -> None:
    make("r", {HOSTILE: GOOD, "sim/b": BAD})
    text = compare("r", "--latex", "t.tex")
    assert not {c for c in text if c in "\x1b\x07\x9b\r\x08\u202e\u2066"}
    assert "[red]x[/red]" in text and max(map(len, text.splitlines())) <= 80
    latex = Path("t.tex").read_text(encoding="utf-8")
    assert r"\input{/etc" not in latex and r"\textbackslash{}input\{/etc/passwd\}" in latex
    assert r"\& \$\_\%\#\{\}\textasciitilde{}\textasciicircum{}" in latex


def test_the_same_seed_tells_the_same() -> None:
    good, bad, dialogues = GOOD[1], BAD[1], range(1, 15)  # 2^14 swaps are drawn, not all tried
    mixed = {n: "finished:11 00 11 00 00 00" if n % 3 else bad for n in dialogues}
    make("r", {"sim/a": mixed, "sim/b": {n: good if n % 4 == 0 else bad for n in dialogues}})
    assert machine("r", "--seed", "5") == machine("r", "--seed", "5")
    assert machine("r", "--seed", "5")["metrics"] != machine("r", "--seed", "6")["metrics"]


def test_the_way_back_is_the_same_difference() -> None:
    mixed = {n: "finished:11 00 11 00 00 00" if n % 3 else BAD[n] for n in range(1, 13)}
    make("a", {"sim/a": mixed})
    make("b", {"sim/b": GOOD})
    there, back = machine("a", "b"), machine("b", "a")
    for name in METRIC_NAMES:
        mine, other = there["metrics"][name]["difference"]["value"], back["metrics"][name]["difference"]["value"]
        assert mine == (None if other is None else -other)
        assert there["metrics"][name]["p"] == pytest.approx(back["metrics"][name]["p"])


@pytest.mark.slow
def test_page_and_figures_show_the_comparison_asked_for() -> None:
    pytest.importorskip("jinja2", reason="Jinja is not installed")
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    make("with", {"sim/a": GOOD})
    make("without", {"sim/a": BAD}, system_prompt=False)
    compare("with", "without", "--html", "page.html", "--figures", "drawn")
    assert "sim/a, prompt on" in Path("page.html").read_text(encoding="utf-8")
    assert any("comparison" in file.name for file in Path("drawn").rglob("*.svg"))
