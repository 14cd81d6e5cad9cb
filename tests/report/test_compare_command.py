"""`evolif compare`: what it tells, what it refuses, and that it claims no more than its figures do."""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random
from statistics import fmean, stdev
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
    assert (told["unit"], told["clusters"], told["n"], told["replayed_at"]) == ("dialogue", 12, 10, None)
    assert told["ended_early"] == 12, "B ends at turn 4 of 10 everywhere, A never"
    assert list(told["metrics"]) == [*PROCESS.ratios, "isr_on_shared_turns"]
    assert set(METRIC_NAMES) < set(PROCESS.ratios)
    rate = told["metrics"]["exhaustion_rate"]
    assert (rate["a"], rate["b"], rate["p"], rate["p_holm"]) == (0.0, 0.25, pytest.approx(2 / 4096), None)
    assert told["metrics"]["pooled_rec"]["p_holm"] is None
    # All dialogues differ alike: p is that of 12 flips of a sign, and a share of dialogues may have been missed.
    missed = 1 - 0.025 ** (1 / 12)
    length, lead = told["metrics"]["edr_len"], told["metrics"]["isr_at_n"]
    assert (length["a"], length["b"]) == (10.0, 4.0)
    assert length["difference"] == pytest.approx({"value": 6, "low": 6 - 10 * missed, "high": 6 + 10 * missed})
    assert (lead["a"], lead["b"]) == (1.0, 0.1)
    assert lead["difference"] == pytest.approx({"value": 0.9, "low": 0.9 - missed, "high": 1})
    assert lead["p"] == lead["p_holm"] == length["p"] == pytest.approx(2 / 4096)
    shared = told["metrics"]["isr_on_shared_turns"]
    assert (shared["a"], shared["b"]) == (1.0, 0.25), "A too has four turns that B was asked"
    assert told["metrics"]["rob"]["difference"]["high"] == 1
    assert told["metrics"]["rob"]["difference"]["value"] == pytest.approx(1 - 1 / 4)
    assert told["metrics"]["rec"] == {
        "a": None, "b": 0.0, "difference": {"value": None, "low": None, "high": None},
        "p": None, "p_holm": None, "effect": None, "dialogues_needed": None,
        "dialogues_needed_interval": None,
        "correlation": {"value": None, "low": None, "high": None}, "pairing_gain": None,
    }  # fmt: skip
    assert [name for name, one in told["metrics"].items() if one["p_holm"] is not None] == ["isr_at_n"]
    assert (told["main"], told["tests"], told["told_apart"]) == ("isr_at_n", 1, ["isr_at_n"])
    text = " ".join(compare("r").split())
    low = 100 * (0.9 - missed)
    said = "A, sim/a, satisfies more of 10 requests in a row than B, sim/b: "
    assert f"{said}ISR@10 by 90.0 [{low:.1f}, 100.0] points, p < .001." in text
    assert "p is that of ISR@10; the other intervals are without correction" in text
    assert "not comparable" in text and "No interval" not in text
    assert "at patience 3, cap 10, judge none" in text


def test_the_order_of_the_models_is_the_users() -> None:
    make("r", {"sim/a": GOOD, "sim/b": BAD, "sim/c": BAD})
    told = machine("r", "-m", "sim/b", "-m", "sim/a")
    assert told["a"]["model"] == "sim/b" and told["metrics"]["edr_len"]["difference"]["value"] == -6.0
    assert "B, sim/a, satisfies more of 10 requests in a row than A, sim/b: ISR@10 by 90.0" in " ".join(
        compare("r", "-m", "sim/b", "-m", "sim/a").split()
    )
    assert "name two of its models" in refused("r") and "sim/c" in refused("r")
    assert "has no model sim/x" in refused("r", "-m", "sim/x", "-m", "sim/a")
    assert "name two" in refused("r", "-m", "sim/a", "-m", "sim/a")
    assert "at most two models" in refused("r", "-m", "sim/a", "-m", "sim/b", "-m", "sim/c")
    assert "one or two runs" in refused("r", "r", "r")


def test_nothing_is_claimed_where_nothing_is_told_apart() -> None:
    make("r", {"sim/a": {n: BAD[n] for n in (1, 2)}, "sim/b": {1: BAD[1], 2: "finished:11 11 00 00 00"}})
    told = machine("r")
    assert told["metrics"]["isr_at_n"]["p"] is None and told["told_apart"] == []
    text = " ".join(compare("r").split())
    # One good turn of ten in both dialogues against one and two: 10 % and 15 %.
    assert (
        "A, sim/a, and B, sim/b, cannot be told apart: ISR@10 -5.0 points, without interval or p, since fewer than "
        "six dialogues count for both." in text
    )
    assert "No interval and no p of A − B: fewer than six dialogues contribute to either side" in text
    assert "may differ by" not in text and "equal" not in text
    assert "higher" not in text and "more of" not in text


def streams(good: float, seed: int, dialogues: int = 24, turns: int = 20) -> dict[int, str]:
    """Per dialogue, how the turns of a model go that is asked whatever it does."""
    chance = Random(seed)
    return {
        n: "".join("1" if chance.random() < good - 0.02 * (n % 5) else "0" for _ in range(turns))
        for n in range(1, dialogues + 1)
    }


def played(asked: dict[int, str], patience: int | None, cap: int) -> dict[int, str]:
    """The sessions of these turns, ended by patience or the cap."""
    sessions = {}
    for number, turns in asked.items():
        over = turns.find("0" * patience) if patience else -1
        last = over + patience if patience and over >= 0 else cap + 1
        ending = "finished" if last <= cap else "censored"
        sessions[number] = f"{ending}:{' '.join(turns[: min(last, cap)])}"
    return sessions


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ((3, 10), (3, 20), (3, 10)),
        ((3, 20), (3, 10), (3, 10)),
        ((2, 15), (4, 15), (2, 15)),
        ((5, 10), (3, 20), (3, 10)),
        ((None, 20), (3, 12), (3, 12)),
        ((None, 20), (None, 12), (None, 12)),
    ],
)
def test_runs_of_unequal_cap_or_patience_are_compared_by_a_replay(
    first: tuple[int | None, int], second: tuple[int | None, int], alike: tuple[int | None, int]
) -> None:
    asked = {"a": streams(0.75, 1), "b": streams(0.6, 2)}
    for name, own in (("a", first), ("b", second)):
        make(name, {f"sim/{name}": played(asked[name], *own)}, patience=own[0], max_turns=own[1])
        really = {f"sim/{name}": played(asked[name], *alike)}
        make(f"{name}-played-so", really, patience=alike[0], max_turns=alike[1])
    replayed, really_so = machine("a", "b"), machine("a-played-so", "b-played-so")
    assert replayed["replayed_at"] == {"patience": alike[0], "cap": alike[1]} and really_so["replayed_at"] is None
    assert replayed["metrics"] == really_so["metrics"] and really_so["dialogues"] == 24
    same = ("n", "ended_early", "clusters", "dialogues", "told_apart", "main", "tests")
    assert [replayed[key] for key in same] == [really_so[key] for key in same]
    assert replayed.get("log_rank") == really_so.get("log_rank")
    patience = "" if alike[0] is None else f"patience {alike[0]}, "
    if alike[0] is not None:
        assert replayed["n"] == alike[1] and f"ISR@{alike[1]}" in replayed["conclusion"]
    text = " ".join(compare("a", "b").split())
    assert f"The runs differ in patience or cap, so both are cut to {patience}cap {alike[1]}, by a replay." in text
    assert "by a replay" not in compare("a-played-so", "b-played-so")


def test_a_session_that_broke_off_beyond_the_replay_counts() -> None:
    long = "1 1 0 1 1 0 1 1 0 1 1 1 1"
    make("a", {"sim/a": dict.fromkeys(range(1, 9), "finished:1 0 1 1 0 0 0")})
    make("b", {"sim/b": {**dict.fromkeys(range(1, 8), f"censored:{long}"), 8: f"suspended:{long}"}}, max_turns=13)
    told = machine("a", "b")
    assert (told["dialogues"], told["left_out"]) == (8, {})
    assert told["metrics"]["isr_at_n"]["b"] == pytest.approx(7 / 10)
    compare("a", "b", "--latex", "t.tex")
    paper = " ".join(Path("t.tex").read_text(encoding="utf-8").split())
    assert "both are cut to patience 3, cap 10, by a replay" in paper and "ISR@10" in paper


def test_which_of_two_is_better_may_depend_on_the_turns_that_count() -> None:
    """A is good for a while and then fails for good; B is worse at first, and goes on."""
    short = {n: f"finished:{'1 ' * (9 - n % 2)}0 0 0" for n in range(1, 13)}
    steady = {n: f"censored:{' '.join('110' * 7)[: 2 * 20 - 1]}" for n in range(1, 13)}
    make("r", {"sim/a": short, "sim/b": steady}, max_turns=20)
    metrics = machine("r")["metrics"]
    lead, shared = metrics["isr_at_n"], metrics["isr_on_shared_turns"]
    assert (lead["a"], lead["b"]) == pytest.approx((8.5 / 20, 14 / 20))
    # Of 11 and 12 turns A has 8 and 9, B has 8 and 8.
    assert (shared["a"], shared["b"]) == pytest.approx((51 / 69, 48 / 69))
    told = machine("r")["conclusion"]
    low, high = (100 * shared["difference"][end] for end in ("low", "high"))
    assert told.startswith("B, sim/b, satisfies more of 20 requests in a row than A, sim/a: ISR@20 by 27.5 [")
    assert (
        f"A, sim/a, is better on the turns that both were asked, in ISR by {300 / 69:.1f} [{low:.1f}, {high:.1f}] "
        "points; B, sim/b, satisfies more of 20 requests in a row." in told
    )
    make("alike", {"sim/a": steady, "sim/b": dict.fromkeys(steady, "finished:1 0 0 0")}, max_turns=20)
    assert "on the turns that both were asked" not in machine("alike")["conclusion"], "A is better in both"


@pytest.mark.slow
def test_two_that_are_not_told_apart_are_never_called_equal() -> None:
    stats = pytest.importorskip("scipy.stats")
    asked = streams(0.8, 3), streams(0.8, 4)
    make("r", {f"sim/{name}": played(own, 3, 20) for name, own in zip("ab", asked, strict=True)}, max_turns=20)
    told = machine("r")
    own = [[session.count("1") / 20 for session in played(one, 3, 20).values()] for one in asked]
    apart = [a - b for a, b in zip(*own, strict=True)]
    # In all 24 dialogues N is 20, so a dialogue adds its own share, and the test is Student's.
    error = stdev(apart) / math.sqrt(24)
    kurtosis = 24 * sum((one - fmean(apart)) ** 4 for one in apart) / (23 * stdev(apart) ** 2) ** 2
    freedom = 23 if kurtosis <= 1 else min(23, max(2, 48 / (kurtosis - 1)))
    half = stats.t.ppf(0.975, freedom) * error
    lead = told["metrics"]["isr_at_n"]
    assert lead["p"] == pytest.approx(2 * stats.t.sf(abs(fmean(apart)) / error, freedom), rel=1e-3)
    assert lead["p"] > 0.05 and told["told_apart"] == []
    # A round figure of at most half of what 24 dialogues show four times out of five, and what it takes.
    step = next(one for one in (0.2, 0.1, 0.05, 0.03, 0.02, 0.01) if one <= 1.4 * error)
    needed = next(
        n
        for n in range(6, 10_000)
        if stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, step / stdev(apart) * math.sqrt(n)) >= 0.8
    )
    ends = f"[{100 * (fmean(apart) - half):+.1f}, {100 * (fmean(apart) + half):+.1f}]"
    p = f"{lead['p']:.3f}".removeprefix("0")
    assert told["conclusion"].startswith(
        f"A, sim/a, and B, sim/b, are not told apart: ISR@20 {100 * fmean(apart):+.1f} {ends} points, p = {p}; "
        f"{needed} dialogues would show {100 * step:g}."
    )
    for command in ("compare", "report"):
        shown = CliRunner().invoke(app, [command, "r", "--resamples", "200"], prog_name="evolif").stdout
        assert "not told apart" in " ".join(shown.split()) and "equal" not in shown.lower()


def test_too_few_early_ends_are_told() -> None:
    good = " ".join("1" * 20)
    early = "finished:1 1 1 1 1 1 0 0 0"
    few = {n: early if n <= 2 else f"censored:{good}" for n in range(1, 13)}
    many = {n: early if n <= 4 else f"censored:{good}" for n in range(1, 13)}
    made = {"few": {"sim/a": few, "sim/b": few | {2: f"censored:{good}"}}, "many": {"sim/a": few, "sim/b": many}}
    for name, sessions in made.items():
        make(name, sessions, max_turns=20)
    assert [machine(name)["ended_early"] for name in made] == [3, 6]
    text = " ".join(compare("few").split())
    assert "Only 3 sessions of both ended before the last turn. With fewer than 5, the interval" in text
    assert "ended before the last turn" not in " ".join(compare("many").split())


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


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("settings", "clause"),
    [
        (
            {"patience": 2, "max_turns": 20, "judge": "lexical"},
            "the judge is none in the first and lexical in the second",
        ),
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


@pytest.mark.parametrize(
    ("settings", "clause"),
    [
        ({"patience": 2}, "the patience is 3 in the first and 2 in the second"),
        ({"max_turns": 20}, "the cap (--max-turns) is 10 in the first and 20 in the second"),
    ],
)
def test_what_a_replay_makes_alike_is_told(settings: dict[str, Any], clause: str) -> None:
    make("a", {"sim/a": BAD})
    make("b", {"sim/b": BAD}, **settings)
    assert machine("a", "b")["also_differ"] == [clause]
    assert "--ablation judge compares a model with itself" in refused("a", "b", "--ablation", "judge")


def test_sampling_may_differ_and_is_told() -> None:
    make("a", {"sim/a": BAD})
    make("b", {"sim/b": BAD}, temperature=0.5, seed=3)
    told = machine("a", "b")
    assert told["also_differ"] == [
        "the temperature is the provider's own in the first and 0.5 in the second",
        "the sampling seed is 0 in the first and 3 in the second",
    ]
    assert "also differ in this: the temperature" in " ".join(compare("a", "b").split())


@pytest.mark.slow
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


@pytest.mark.sampled
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
    assert "use context, feedback, partner, options, system-prompt or judge" in refused("a", "b", "--across", "weather")
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
    assert [one["tests"] for one in found] == [2, 2]
    first, second = (one["metrics"]["isr_at_n"] for one in found)
    # sim/b is the same in both runs; the smaller p counts twice, as Holm has it.
    assert (first["p"], first["p_holm"]) == pytest.approx((2 / 4096, 2 * 2 / 4096))
    assert (second["p"], second["p_holm"]) == (1.0, 1.0)
    text = " ".join(compare("a", "b").split())
    assert "p is that of ISR@10, in brackets after correction over 2 pairs" in text
    assert "p = 1.000, 1.000 after correction over 2 pairs" in text
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


def test_three_pairs_are_corrected_by_holm() -> None:
    shares = {"sim/a": (0.9, 0.75), "sim/b": (0.7, 0.45), "sim/c": (0.6, 0.6)}
    on, off = (
        {name: played(streams(own[side], 5 + 4 * side + n), 3, 10) for n, (name, own) in enumerate(shares.items())}
        for side in (0, 1)
    )
    make("on", on)
    make("off", off, system_prompt=False)
    found = json.loads(compare("on", "off", "--json", "-"))["comparisons"]
    assert [one["tests"] for one in found] == [3, 3, 3]
    p = [one["metrics"]["isr_at_n"]["p"] for one in found]
    least, middle, most = sorted(p)
    assert least < middle < most
    by_hand = {least: 3 * least, middle: max(3 * least, 2 * middle)}
    by_hand[most] = max(by_hand[middle], most)
    assert [one["metrics"]["isr_at_n"]["p_holm"] for one in found] == pytest.approx([min(1, by_hand[own]) for own in p])
    assert [bool(one["told_apart"]) for one in found] == [by_hand[own] <= 0.05 for own in p]
    alone = machine("on", "off", "-m", "sim/b", "-m", "sim/b")["metrics"]["isr_at_n"]
    assert alone["p"] == alone["p_holm"] == p[1]


def test_the_same_runs_tell_the_same_whatever_the_seed() -> None:
    """Test and interval of a pair take no draws."""
    good, bad, dialogues = GOOD[1], BAD[1], range(1, 15)
    mixed = {n: "finished:11 00 11 00 00 00" if n % 3 else bad for n in dialogues}
    make("r", {"sim/a": mixed, "sim/b": {n: good if n % 4 == 0 else bad for n in dialogues}})
    found = machine("r", "--seed", "5")
    assert found == machine("r", "--seed", "5")
    assert found["metrics"] == machine("r", "--seed", "6")["metrics"]
    low, high = (found["metrics"]["isr_at_n"]["difference"][end] for end in ("low", "high"))
    assert low < found["metrics"]["isr_at_n"]["difference"]["value"] < high


def test_curves_that_differ_are_told_apart_by_the_log_rank_test() -> None:
    longer = {n: f"finished:{'11 ' * (2 + n % 3)}00 00 00" for n in range(1, 13)}
    shorter = {n: f"finished:{'11 ' * (1 + n % 2)}00 00 00" for n in range(1, 13)}
    make("r", {"sim/a": longer, "sim/b": shorter})
    assert machine("r")["log_rank"]["statistic"] < 0 and machine("r")["log_rank"]["p"] < 0.001
    assert "p <.001 (A lasts longer than expected if they did not differ)" in " ".join(compare("r").split())


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
