"""The page of a comparison is about two models, and every page counts what it shows."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from runs_by_hand import make_run
from typer.testing import CliRunner

from evolif.cli import app
from evolif.report import analyse
from evolif.report.comparable import group_comparable
from evolif.report.comparison import ModelComparison, compare_models
from evolif.report.page.comparison_sections import answer_of_pair, comparison_lead
from evolif.report.page.lead import lead
from evolif.scenario import get_scenario

CAP = 10
THREE = {
    "sim/good": dict.fromkeys(range(1, 9), "censored:" + " 1" * CAP),
    "sim/bad": {number: f"finished:{' 1' * number} 0 0 0" for number in range(1, 8)} | {8: "censored:" + " 1" * CAP},
    "sim/other": dict.fromkeys(range(1, 9), "finished:1 0 0 0"),
}


@pytest.fixture
def opened(tmp_path: Path) -> Any:
    """Makes runs, and analyses them; they stay open until the test ends."""
    with ExitStack() as stack:

        def make(*all_sessions: Any, **settings: Any) -> list[Any]:
            runs = [make_run(tmp_path / f"r{n}", one, **settings) for n, one in enumerate(all_sessions)]
            return list(analyse([stack.enter_context(closing(run)) for run in runs], resamples=50))

        yield make


def pair_of(analysis: Any) -> ModelComparison:
    [pair] = compare_models([(analysis.model("sim/good"), analysis.model("sim/bad"))])
    return pair


def test_the_answer_says_who_by_how_much_how_sure_and_how_many_dialogues(opened: Any) -> None:
    pair = pair_of(opened(THREE)[0])
    told = list(answer_of_pair(pair))
    assert told[0].startswith("sim/good satisfies more of 10 requests in a row than sim/bad: ISR@10 by 52.5 [")
    needed = pair.leading.plan.needed
    assert needed is not None and len(told) == 2
    assert f"over {needed.dialogues} dialogues (95 % interval: {needed.low}" in told[1] and "these are 8." in told[1]
    assert (
        comparison_lead([pair]) == "Two models over 8 dialogues that both played, with the transcripts of these alone."
    )


def test_differences_of_dialogues_by_hand(opened: Any) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from evolif.report.figures.paired import dialogue_differences, paired_picture

    pair = pair_of(opened(THREE)[0])
    found = dialogue_differences(pair)
    assert found == pytest.approx({**{n: 10.0 * (CAP - n) for n in range(1, 8)}, 8: 0.0})
    picture = paired_picture(pair)
    assert "above in 7 of 8 dialogues, the second in 0, and they are alike in 1" in picture.caption
    assert picture.figure is not None


@pytest.mark.slow
def test_the_page_has_no_other_model(opened: Any, tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason="Jinja is not installed")
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    opened(THREE)
    page = tmp_path / "page.html"
    told = CliRunner().invoke(
        app, ["compare", str(tmp_path / "r0"), "-m", "sim/good", "-m", "sim/bad", "--html", str(page)]
    )
    assert told.exit_code == 0, told.output
    text = page.read_text("utf-8")
    assert "sim/bad" in text and "sim/other" not in text.replace("<pre>", "")[: text.index("To reproduce this")]
    assert text.count('<details class="session"') == 16, "eight dialogues of either"
    places = [text.index(f'id="{name}"') for name in ("headline", "dialogues", "dialogue-by-dialogue", "where")]
    assert places == sorted(places)
    notice = "not comparable with the leaderboard"
    assert text.count(notice) == 1 and text.index(notice) > text.index("<footer>")


def lead_of(analyses: list[Any]) -> str:
    return lead(group_comparable(analyses), [get_scenario(analyses[0].settings.scenario)])


def test_models_are_counted_without_references_and_once(opened: Any) -> None:
    told = lead_of(opened({**THREE, "sim/perfect": THREE["sim/good"]}, epochs=3))
    assert told.startswith("How long 3 models followed instructions over 8 evolving dialogues, with transcripts.")
    assert told.endswith("For reference: sim/perfect. Each dialogue was played 3 times.")


def test_dialogues_of_several_runs_are_their_union_and_said_so(opened: Any) -> None:
    fewer = {name: {key: own[key] for key in (1, 2, 3)} for name, own in THREE.items()}
    told = lead_of(opened({**THREE, "sim/perfect": THREE["sim/good"]}, fewer))
    assert told.startswith("How long 3 models followed instructions over 8 evolving dialogues")
    assert "For reference: sim/perfect." in told and told.endswith("2 runs, with 3 dialogues in common.")
