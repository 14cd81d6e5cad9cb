"""Wrong use and broken plug-ins: one sentence each, and nothing that was stored is lost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from evolif import evaluate, load_run
from evolif.cli.app import app
from evolif.judging import Judgement
from evolif.scenario import Defaults
from evolif.types import Prompt, Score

Run = Callable[..., Result]
Refused = Callable[..., str]
OH = ZeroDivisionError("oh")
BROKEN = "the plug-in of the scenario faulty failed (ZeroDivisionError: oh); fix or remove it"


@pytest.fixture
def faults() -> Iterator[dict[str, Any]]:
    """Method of the plug-in `faulty` to its fault; empty at first."""
    import faulty

    yield faulty.FAULTS
    faulty.FAULTS.clear()
    faulty.ONLY.clear()


@pytest.fixture(scope="module")
def made(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four dialogues of a plug-in that is not broken yet, and a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        patch.chdir(folder)
        for words in ("generate bench --scenario faulty --dialogues 4 --seed 1 --set turns=3",
                      "evaluate bench -m sim/hasty --out whole"):  # fmt: skip
            assert CliRunner().invoke(app, words.split()).exit_code == 0
    return folder


@pytest.fixture
def bench(run: Run, made: Path) -> Path:
    return Path(shutil.copytree(made / "bench", "bench"))


@pytest.fixture
def whole(run: Run, bench: Path, made: Path) -> Path:
    return Path(shutil.copytree(made / "whole", "whole"))


def content(folder: str | Path) -> list[object]:
    with closing(load_run(folder)) as run:
        return [
            (session.dialogue, session.ending, session.cause, [(r.turn, r.answer, r.judged) for r in records])
            for session, records in run.transcripts(run.models[0])
        ]


def test_options_are_checked_before_anything_is_made(run: Run, refused: Refused, bench: Path) -> None:
    make = ("generate", "other", "--scenario", "faulty", "--dialogues", 1, "--set")
    assert refused(*make, "nonsense=1") == (
        "--set nonsense: the scenario faulty has no such option; it has turns, patience"
    )
    assert refused(*make, "turns=many") == "--set turns must be a whole number, not “many”"
    assert refused(*make, "turns=0") == "--set turns must be at least 1, not 0"
    assert refused(*make, "turns") == "--set turns: write KEY=VALUE"
    assert not Path("other").exists()
    play = ("evaluate", bench, "-m", "sim/hasty", "--out", "run", "--set")
    assert refused(*play, "nonsense=1") == "--set nonsense: the scenario faulty has no such option; it has exact"
    assert refused(*play, "exact=perhaps") == "--set exact must be true or false, not “perhaps”"
    assert not Path("run").exists()


def test_partners_must_fit_the_seats(refused: Refused, run: Run, bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused("evaluate", bench, "-m", "sim/hasty", "--relevance", "lexical", "--out", "run") == (
        "--relevance lexical: the scenario faulty cannot tell whether an answer is about its task; leave it out"
    )
    assert refused("evaluate", bench, "-m", "sim/hasty", "--partner", "self", "--out", "run") == (
        "--partner: the scenario faulty has one seat only, that of the model under test"
    )
    run("generate", "games", "--scenario", "guess", "--dialogues", 1)
    assert "no such model" in refused("evaluate", "games", "-m", "sim/halver", "--partner", "sim/hasty", "--out", "run")
    monkeypatch.setattr("guess.Guess.defaults", lambda self, bench, play: Defaults(max_turns=9))
    assert refused("evaluate", "games", "-m", "sim/halver", "--out", "run") == (
        "--partner: the scenario guess needs a partner; name a model, or self"
    )
    assert not Path("run").exists()


def test_a_scenario_that_is_gone_leaves_its_folders_as_they_are(
    refused: Refused, bench: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(whole)
    monkeypatch.setenv("EVOLIF_PLUGINS", "0")
    for words in (("evaluate", bench, "-m", "sim/hasty", "--out", "whole"), ("report", "whole"), ("status", "whole"),
                  ("export", "whole", "out.jsonl"), ("rejudge", "whole", "--judge", "none")):  # fmt: skip
        assert "the scenario “faulty” is not installed here" in refused(*words)
    monkeypatch.delenv("EVOLIF_PLUGINS")
    assert content(whole) == before and not Path("out.jsonl").exists() and not Path("whole-rejudged").exists()


AT_ONCE = {
    "generate": ("generate", "other", "--scenario", "faulty", "--dialogues", 1),
    "lines": ("generate", "other", "--scenario", "faulty", "--dialogues", 1),
    "open": ("evaluate", "bench", "-m", "sim/hasty", "--out", "run"),
    "defaults": ("evaluate", "bench", "-m", "sim/hasty", "--out", "run"),
    "environment": ("evaluate", "bench", "-m", "sim/hasty", "--out", "run"),
    "player": ("evaluate", "bench", "-m", "sim/hasty", "--out", "run"),
    "expected": ("evaluate", "bench", "-m", "sim/hasty", "--dry-run"),
    "authors": ("evaluate", "bench", "-m", "sim/hasty", "--dry-run"),
    "keys": ("export", "whole", "out.jsonl"),
    "row": ("export", "whole", "out.jsonl"),
    "facts": ("report", "whole", "--html", "page.html"),
    "lead": ("report", "whole", "--html", "page.html"),
    "reading_format": ("report", "whole", "--html", "page.html"),
}


def test_a_command_that_raises_costs_no_run(
    refused: Refused, run: Run, faults: dict[str, Any], bench: Path, whole: Path
) -> None:
    faults["command"] = OH
    run("report", "whole", "--full")  # the run has stored it
    run("evaluate", bench, "-m", "sim/hasty", "--out", "other")
    assert BROKEN in refused("report", "other", "--full")
    faults.clear()
    assert "evolif generate BENCH --scenario faulty" in run("report", "other", "--full").output


@pytest.mark.sampled
@pytest.mark.parametrize("method", AT_ONCE)
@pytest.mark.usefixtures("whole")
def test_a_method_that_raises_is_named_in_a_sentence(
    refused: Refused, run: Run, faults: dict[str, Any], method: str
) -> None:
    before = content("whole")
    faults[method] = OH
    assert BROKEN in refused(*AT_ONCE[method])
    faults.clear()
    assert content("whole") == before
    run(*AT_ONCE[method])


def test_a_part_that_cannot_be_made_costs_only_itself(run: Run, whole: Path, faults: dict[str, Any]) -> None:
    faults |= {"parts": OH, "perfect": OH}
    shown = " ".join(run("report", whole, "--full", "--resamples", 50).stdout.split())
    assert f"The scenario faulty cannot make its part of the report: {BROKEN}" in shown
    assert f"ceiling could not be computed: {BROKEN}" in shown and "By difficulty" in shown


def test_a_scenario_that_cannot_be_loaded_is_a_line_in_the_list(run: Run, refused: Refused) -> None:
    [line] = [line for line in run("scenarios").stdout.splitlines() if line.startswith("broken")]
    assert "cannot be loaded" in line
    assert "the scenario broken: the plug-in faulty:Missing cannot be loaded" in refused(
        "generate", "out", "--scenario", "broken"
    )


def wrong_number(prompt: Prompt) -> Prompt:
    return replace(prompt, turn=prompt.turn + 1)


def scored(value: float) -> Callable[[Any], Any]:
    async def score(given: Any) -> Judgement:
        judgement: Judgement = await given
        return replace(judgement, scores=(Score("share", value),))

    return score


def prompted(change: Callable[[Prompt], Prompt]) -> Callable[[Any], Any]:
    async def prompt(given: Any) -> Any:
        asked = await given
        return change(asked) if isinstance(asked, Prompt) else asked

    return prompt


IN_A_SESSION = {
    "system": ("system", OH, "the scenario faulty failed unexpectedly (ZeroDivisionError)"),
    "prompt": ("prompt", OH, "the scenario faulty failed unexpectedly (ZeroDivisionError)"),
    "given": ("given", OH, "the scenario faulty failed unexpectedly (ZeroDivisionError)"),
    "given number": ("given", lambda given: 7, "the scenario faulty gave 7 as an answer; an answer is a text"),
    "heard": ("heard", OH, "the scenario faulty failed unexpectedly (ZeroDivisionError)"),
    "asks_a_judge": ("asks_a_judge", OH, "the scenario faulty failed unexpectedly (ZeroDivisionError)"),
    "score": ("score", OH, "the scenario faulty failed unexpectedly (ZeroDivisionError)"),
    "number": ("prompt", prompted(wrong_number), "but dialogue 2, turn 1 is next"),
    "dialogue": ("prompt", prompted(lambda p: replace(p, dialogue=7)), "asked dialogue 7"),
    "seat": ("prompt", prompted(lambda p: replace(p, seat="partner")), "with seats target"),
    "no message": ("prompt", prompted(lambda p: replace(p, messages=())), "at least one message"),
    "payload": ("prompt", prompted(lambda p: replace(p, payload={"x": nan})), "cannot be stored"),
    "set": ("prompt", prompted(lambda p: replace(p, payload={"x": {1, 2}})), "cannot be stored"),
    "label": ("prompt", prompted(lambda p: replace(p, labels={"x": inf})), "cannot be stored"),
    "nan": ("score", scored(nan), "scored “share” with nan; a score is a finite number, or None"),
    "infinite": ("score", scored(inf), "scored “share” with inf; a score is a finite number, or None"),
    "nothing": ("prompt", prompted(lambda p: None), "faulty"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("case", IN_A_SESSION)
def test_a_session_that_fails_is_suspended_alone_and_goes_on_when_the_plugin_is_mended(
    run: Run, bench: Path, whole: Path, faults: dict[str, Any], case: str
) -> None:
    import faulty

    method, fault, sentence = IN_A_SESSION[case]
    faults[method] = fault
    faulty.ONLY.add(2)
    words = ("evaluate", bench, "-m", "sim/hasty", "--out", "run")
    done = run(*words, code=3)
    assert sentence in " ".join(done.stderr.split()) and "oh" not in done.stderr and "Traceback" not in done.output
    assert "1 session is suspended; run the same command to resume it." in done.stderr
    others = [row for row in content(whole) if row[0] != 2]
    assert [row for row in content("run") if row[0] != 2] == others
    run(*words, code=3)
    faults.clear()
    run(*words)
    assert content("run") == content(whole)
    with closing(load_run("run")) as mended, closing(load_run(whole)) as undisturbed:
        assert mended.costs() == undisturbed.costs() or case in ("score", "nan", "infinite")


def test_terms_that_are_no_numbers_are_told(refused: Refused, whole: Path, faults: dict[str, Any]) -> None:
    faults["of"] = OH
    assert "need 2 finite numbers (points, turns) of at most 1e+50; correct its metric table" in refused(
        "report", whole
    )
    faults |= {"metrics": faults.pop("of")}
    assert "cannot be worked out (ZeroDivisionError: division by zero); correct its metric table" in refused(
        "report", whole
    )


@pytest.mark.slow
def test_a_stop_rule_that_cannot_be_worked_out_ends_the_command_and_loses_nothing(
    run: Run, faults: dict[str, Any]
) -> None:
    run("generate", "many", "--scenario", "faulty", "--dialogues", 32, "--seed", 1, "--set", "turns=3")
    words = ("evaluate", "many", "-m", "sim/hasty", "--stop-when", "share=0.001", "--out", "run")
    faults["metrics"] = OH
    done = run(*words, code=2)
    assert done.stderr.splitlines()[-1].endswith("correct its metric table")
    faults.clear()
    run(*words)
    run("evaluate", "many", "-m", "sim/hasty", "--out", "whole")
    assert content("run") == content("whole")


def test_what_fails_on_closing_is_no_loss(run: Run, bench: Path, whole: Path, faults: dict[str, Any]) -> None:
    faults["aclose"] = OH
    run("evaluate", bench, "-m", "sim/hasty", "--out", "run")
    assert content("run") == content(whole)


def test_python_says_the_same(bench: Path, faults: dict[str, Any]) -> None:
    from evolif import UsageError

    with pytest.raises(UsageError, match="the scenario faulty has no such option; it has exact"):
        evaluate(bench, "sim/hasty", "run", options={"nonsense": 1})
    faults["environment"] = OH
    with pytest.raises(UsageError, match="the plug-in of the scenario faulty failed"):
        evaluate(bench, "sim/hasty", "run")
    assert json.loads((bench / "benchmark.json").read_text(encoding="utf-8"))["scenario"] == "faulty"
