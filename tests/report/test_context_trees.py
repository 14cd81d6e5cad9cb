"""The topic trees of a dialogue, laid out and drawn."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from runs_by_hand import make_run
from shift_dialogues import GOLD, TURNS
from typer.testing import CliRunner

from evolif.cli import app
from evolif.contexts import Shown
from evolif.report.page.transcripts import ranges
from evolif.report.topic_tree import TopicTree, topic_tree
from evolif.runner.context_record import ContextRecord
from evolif.types import Prompt

SHOWN: dict[int, Shown] = {1: "full", 2: "summary", 4: "full", 5: "summary", 6: "full"}

GOES_ON: dict[str, Any] = {"topic": {"action": "CONTINUE"}, "branch": None}


def tree(**wrong: str) -> TopicTree:
    found = topic_tree(GOLD, SHOWN, {int(name[1:]): words for name, words in wrong.items()} if wrong else None)
    assert found is not None
    return found


def test_rounds_stand_in_lanes_of_their_topic_and_branch() -> None:
    drawn = tree()
    assert drawn.names() == ["topic 1", "b1", "topic 2", "topic 3"]
    gold = [(turn.topic, turn.branch) for turn in TURNS]
    assert [drawn.lanes[one.lane] for one in drawn.rounds] == gold
    assert [one.parent for one in drawn.rounds] == [None, 1, None, 1, None, 4, 5, 6]
    assert [one.look for one in drawn.rounds] == [
        "full", "summary", "absent", "full", "summary", "full", "absent", "now"
    ]  # fmt: skip


def test_moves_are_told_in_words() -> None:
    words = [one.words for one in tree(r6="it follows round 2").rounds]
    assert words[0] == "Round 1 opens topic 1, shown in full in the last call."
    assert words[3] == "Round 4 goes back to topic 1 and opens branch b1 after round 1, shown in full in the last call."
    assert words[5].endswith("; wrong: it follows round 2.")
    assert tree(r6="x").summary == "8 rounds in 3 topics with 1 further branch. Misplaced: round 6."
    assert tree().summary == "8 rounds in 3 topics with 1 further branch."
    right = topic_tree(GOLD, SHOWN, {})
    assert right is not None and right.summary.endswith("All are where they belong.")


@pytest.mark.parametrize(
    "decision",
    [
        {"topic": {"action": "SWITCH_TOPIC", "target": 99}, "branch": None},
        {"topic": {"action": "<script>"}, "branch": {"action": "CREATE_BRANCH", "fork": "1"}},
        {"topic": [], "branch": 3},
        ["CREATE_TOPIC"],
    ],
)
def test_a_decision_that_cannot_be_carried_out_goes_on(decision: Any) -> None:
    drawn = topic_tree([GOLD[0], decision], {1: "full"})
    assert drawn is not None and [one.parent for one in drawn.rounds] == [None, 1]
    assert drawn.rounds[1].move == "goes on"


def test_without_a_round_there_is_no_tree() -> None:
    assert topic_tree([], {}) is None


def test_the_svg_is_well_formed_and_says_everything() -> None:
    pytest.importorskip("markupsafe")
    from evolif.report.page.tree_drawing import tree_svg

    drawn = tree(r6='<b>&"it follows round 2')
    root = ElementTree.fromstring(str(tree_svg(drawn)))
    titles = [title.text for title in root.iter("title")]
    assert titles == [one.words for one in drawn.rounds]
    assert (root.get("role"), root.get("aria-label")) == ("img", drawn.summary)
    crosses = [text for text in root.iter("text") if text.text == "✗"]
    assert len(crosses) == 1
    numbers = [text.text for text in root.iter("text") if (text.text or "").isdigit()]
    assert numbers == [str(n) for n in range(1, 9)]
    assert "style" not in {key for element in root.iter() for key in element.attrib}  # the page's policy forbids it


def test_rounds_with_the_same_number_of_lanes_do_not_overlap() -> None:
    from evolif.report.page.tree_drawing import tree_svg

    text = str(tree_svg(tree()))
    places = re.findall(r'<circle cx="(\d+)" cy="(\d+)" r="10"', text)
    assert len(set(places)) == len(places) == 8
    root = ElementTree.fromstring(text)
    width, height = int(root.get("width", "0")), int(root.get("height", "0"))
    assert all(10 < int(x) < width - 10 and 10 < int(y) < height - 10 for x, y in places)


def test_ranges() -> None:
    assert ranges([1, 2, 3, 5, 7, 8]) == "1–3, 5, 7–8" and ranges([]) == ""


def play(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run under `tree` of instruction following, which has no gold."""

    def of(dialogue: int, turn: int) -> tuple[int, ContextRecord]:
        return 100, ContextRecord(SHOWN if turn == 8 else {}, GOLD[turn - 1] or GOES_ON)

    session = "finished:" + " ".join(["1"] * 8)
    make_run(folder / "r", {"sim/a": {1: session, 2: session}}, context="tree?x=1", context_of=of).close()
    return folder / "r"


@pytest.mark.slow
def test_page_and_figures_draw_the_trees_of_any_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    run = play(tmp_path, monkeypatch)
    words = ["report", run, "--html", tmp_path / "p.html", "--figures", tmp_path / "f", "--resamples", "20"]
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, done.output
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert page.count('<svg class="topic-tree"') == 2 and "Misplaced" not in page
    assert "Shown of earlier rounds: 1, 4, 6 in full; 2, 5 as summaries; 100 context tokens." in page
    assert "Topics and branches of dialogue 1 as sim/a has them: 8 rounds in 3 topics" in page
    assert (tmp_path / "f" / "tree.svg").exists() and (tmp_path / "f" / "tree.png").exists()


@pytest.mark.slow
def test_the_scenario_marks_what_is_misplaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evolif.scenarios.instructions.presentation import InstructionPresentation

    def misplaced(_: object, prompts: list[Prompt], decisions: list[Any]) -> dict[int, str]:
        assert len(prompts) == len(decisions) == 8
        return {3: "<it follows round 2>"}

    monkeypatch.setattr(InstructionPresentation, "misplaced", misplaced)
    run = play(tmp_path, monkeypatch)
    done = CliRunner().invoke(app, ["report", str(run), "--html", str(tmp_path / "p.html"), "--resamples", "20"])
    assert done.exit_code == 0, done.output
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "Misplaced: round 3." in page and "✗: misplaced." in page
    assert "wrong: &lt;it follows round 2&gt;" in page and "<it follows" not in page
