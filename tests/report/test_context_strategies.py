"""Runs of one benchmark under several context strategies: side by side, paired by dialogue, with their own cost."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from runs_by_hand import ContextOf, make_run
from typer.testing import CliRunner

from evolif.cli import app
from evolif.contexts import OwnCost, act, act_drop, tokenizer_name
from evolif.report import ComparableRuns, analyse
from evolif.report.comparable import group_comparable, short_names
from evolif.report.contexts import context_effects, context_sizes
from evolif.runner import Run
from evolif.runner.context_record import ContextRecord

pytestmark = pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`")
ROUNDS = {**dict.fromkeys(range(1, 8), 10), **dict.fromkeys(range(8, 15), 15)}
"""Seven dialogues of each of two classes, by their number of rounds."""
GOOD, HALF = "finished:11 11 11", "finished:11 10 00"


def tokens(scale: int, own: OwnCost | None = None) -> ContextOf:
    """The longer dialogues are shown twice as much; later turns more; and no two dialogues the same."""

    def of(dialogue: int, turn: int) -> tuple[int, ContextRecord]:
        return scale * (turn + dialogue % 3) * (ROUNDS[dialogue] // 5), ContextRecord({}, None, own or OwnCost())

    return of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs `wide` and `narrow` of one model; `narrow` satisfies half as much for half the tokens, and asks a model."""
    own = OwnCost(calls=2, prompt_tokens=30, completion_tokens=10, embedded=3, seconds=0.25, fallbacks=1)
    plans: list[tuple[str, str, str, ContextOf]] = [
        ("wide", "last:9", GOOD, tokens(20)),
        ("narrow", "tree?decider=model&theta=0.4", HALF, tokens(10, own)),
    ]
    for name, context, outcomes, of in plans:
        sessions = {"sim/a": dict.fromkeys(ROUNDS, outcomes)}
        make_run(tmp_path / name, sessions, context=context, context_of=of, rounds=ROUNDS, patience=None).close()
    return tmp_path


@pytest.fixture
def runs(folder: Path) -> Iterator[ComparableRuns]:
    with ExitStack() as opened:
        loaded = [_open(folder / name, opened) for name in ("wide", "narrow")]
        [group] = group_comparable(analyse(loaded, resamples=200))
        yield group


def _open(path: Path, opened: ExitStack) -> Run:
    from evolif.runner import load_run

    run = load_run(path)
    opened.callback(run.close)
    return run


def by_hand(scale: int) -> dict[str, Any]:
    of = tokens(scale)
    counts = {d: [of(d, turn)[0] for turn in (1, 2, 3)] for d in ROUNDS}
    return act({"rounds": ROUNDS[dialogue], "context_tokens": own} for dialogue, own in counts.items())


def test_runs_that_differ_in_the_strategy_alone_stand_side_by_side(runs: ComparableRuns) -> None:
    assert runs.heads == ("sim/a, last:9", "sim/a, tree") and not runs.why_alone


def test_a_strategy_is_named_by_the_options_in_which_it_differs() -> None:
    assert short_names(["full", "tree?a=1&b=2"]) == ["full", "tree"]
    assert short_names(["tree?a=1&b=2", "tree?a=1&b=3", "last:4"]) == ["tree?b=2", "tree?b=3", "last:4"]
    assert short_names(["tree?a=1&b=2", "tree?a=2&b=3"]) == ["tree?a=1", "tree?a=2"]
    assert short_names(["t?a=1&b=2", "t?a=1&b=3", "t?a=2&b=3"]) == ["t?a=1&b=2", "t?a=1&b=3", "t?a=2&b=3"]
    assert short_names(["last:4", "last:4", "t", "t?a=1"]) == ["last:4", "last:4", "t", "t?a=1"]


def test_sizes_are_those_of_act(runs: ComparableRuns) -> None:
    wide, narrow = context_sizes(runs)
    assert wide is not None and narrow is not None
    for size, expected in ((wide, by_hand(20)), (narrow, by_hand(10))):
        assert size.mean == pytest.approx(expected["overall"])
        found = {str(rounds): one.context.value for rounds, one in size.by_rounds.items()}
        assert found == pytest.approx(expected["by_rounds"])
        assert size.all.context.interval is not None
    assert narrow.all.total.value == pytest.approx(narrow.mean + 40)
    assert narrow.own == OwnCost(84, 1260, 420, 126, 10.5, 42)
    assert wide.own == OwnCost() and wide.all.total.value == wide.mean


def test_gain_and_drop_are_paired_with_classes_alike(runs: ComparableRuns) -> None:
    whole, ten, fifteen = context_effects(runs)
    assert [(one.name, one.reference, one.rounds, one.dialogues) for one in (whole, ten, fifteen)] == [
        ("sim/a, tree", "sim/a, last:9", rounds, n) for rounds, n in ((None, 14), (10, 7), (15, 7))
    ]
    # Half of the constraints; half of the tokens in every dialogue, so resamples cannot differ.
    for one in (whole, ten, fifteen):
        assert one.gain.value == pytest.approx(-50) and one.gain.interval is None
        assert one.drop.value == pytest.approx(-50) and one.drop.interval is None
    assert whole.drop.value == pytest.approx(act_drop(by_hand(10)["by_rounds"], by_hand(20)["by_rounds"]))
    by_rounds = by_hand(10)["by_rounds"]
    with_own = {rounds: count + 40 for rounds, count in by_rounds.items()}
    assert whole.total_drop.value == pytest.approx(act_drop(with_own, by_hand(20)["by_rounds"]))
    assert whole.total_drop.interval is not None
    assert whole.total_drop.interval[0] < (whole.total_drop.value or 0) < whole.total_drop.interval[1]


def test_full_is_the_reference_and_gets_the_system_text_of_others(tmp_path: Path) -> None:
    def of(dialogue: int, turn: int) -> tuple[int, ContextRecord]:
        return 100 + turn - 1, ContextRecord({})

    sessions = {"sim/a": dict.fromkeys(range(1, 8), GOOD)}
    with ExitStack() as opened:
        loaded = []
        for name, context in (("short", "last:0"), ("whole", "full")):
            given = {"context_of": of} if name == "short" else {}
            make_run(tmp_path / name, sessions, context=context, patience=None, **given).close()
            loaded.append(_open(tmp_path / name, opened))
        [group] = group_comparable(analyse(loaded, resamples=50))
        bare = group.models[1].context_size
        short, whole = context_sizes(group)
        assert bare is not None and whole is not None and short is not None
        assert not bare.has_system and whole.has_system
        # The first call of `last:0` shows 100 tokens of system text, and nothing else.
        assert whole.mean == pytest.approx(bare.mean + 100)
        [effect] = context_effects(group)
        assert effect.reference == "sim/a, full"
        assert effect.drop.value == pytest.approx(100 * (short.mean / whole.mean - 1))


@pytest.mark.slow
def test_other_differences_keep_runs_apart(folder: Path) -> None:
    make_run(folder / "warm", {"sim/a": dict.fromkeys(ROUNDS, GOOD)}, context="last:1", patience=None, max_turns=4)
    with ExitStack() as opened:
        loaded = [_open(folder / name, opened) for name in ("wide", "warm")]
        assert len(group_comparable(analyse(loaded))) == 2


def told(*words: object) -> str:
    done = CliRunner().invoke(app, [*map(str, words), "--resamples", "50"])
    assert done.exit_code == 0, done.output
    return " ".join(done.stdout.split())


def test_report_and_compare_show_tokens_own_cost_gain_and_drop(folder: Path) -> None:
    both = folder / "wide", folder / "narrow"
    for words in (["report", *both], ["compare", *reversed(both), "--across", "context"]):
        text = told(*words)
        assert "Context strategies: score, tokens a turn, and own cost" in text
        assert "│ own prompt + answer │" in text and "30 + 10" in text and "42 in 42 turns" in text
        assert "in % of sim/a, last:9" in text
        assert "│ tree │ -50.0 │ -50.0 │" in text and "│ tree, 10 rounds │" in text
    assert "Effect of the context" in told("compare", *both, "--across", "context")


def test_json_and_latex_have_the_same(folder: Path, tmp_path: Path) -> None:
    both = folder / "wide", folder / "narrow"
    found = json.loads(told("report", *both, "--json", "-", "--latex", tmp_path / "t.tex"))
    assert [model["context_tokens"]["own"]["calls"] for model in found["models"]] == [0, 84]
    assert set(found["models"][0]["context_tokens"]["by_rounds"]) == {"10", "15"}
    [board] = found["boards"]
    assert [one["rounds"] for one in board["contexts"]] == [None, 10, 15]
    assert board["contexts"][0]["gain"]["value"] == pytest.approx(-50)
    assert r"\label{tab:context-effects}" in (tmp_path / "t.tex").read_text(encoding="utf-8")
    pair = json.loads(told("compare", *reversed(both), "--across", "context", "--json", "-"))["comparisons"][0]
    assert pair["contexts"]["effects"][0]["drop"]["value"] == pytest.approx(-50)
    assert pair["contexts"]["tokens"][0]["total"]["mean"] == pytest.approx(pair["contexts"]["tokens"][0]["mean"] + 40)


@pytest.mark.slow
def test_one_run_shows_its_own_cost_too(folder: Path) -> None:
    text = told("report", folder / "narrow")
    assert "30 + 10" in text and "gain" not in text
    assert "Context strategies" not in told("report", make_run(folder / "plain", {"sim/a": {1: GOOD}}).path)


@pytest.mark.slow
def test_page_and_figures_have_the_picture(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    both = folder / "wide", folder / "narrow"
    told("report", *both, "--html", tmp_path / "p.html", "--figures", tmp_path / "figures")
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert page.index('id="headline"') < page.index('id="contexts"') < page.index('id="groups"')
    assert "CSR against tokens" in page and "Hollow: with the tokens of the strategy" in page
    assert "2 context strategies" in page and "The runs are shown separately" not in page
    assert (tmp_path / "figures" / "tokens.svg").exists()


@pytest.mark.slow
def test_without_the_extra_the_report_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    tokenizer_name.cache_clear()
    try:
        text = told(
            "report", folder / "wide", folder / "narrow", "--json", folder / "r.json", "--figures", folder / "f"
        )
    finally:
        tokenizer_name.cache_clear()
    assert "that needs the extra contexts" in text and "gain" not in text
    data = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    assert data["models"][0]["context_tokens"] is None and data["boards"][0]["contexts"] == []
    assert "No context tokens were counted" in (folder / "f" / "figures.md").read_text(encoding="utf-8")
