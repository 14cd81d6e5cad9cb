"""Sycophancy in games: two questions to a judge once a game has ended, apart from the result."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from recorded_dialogs import Scripted
from typer.testing import CliRunner

from evolif.benchmark import open_benchmark
from evolif.budget import load_prices, quotes_of
from evolif.budget.forecast import forecast_rejudging
from evolif.cli import app
from evolif.errors import ModelError
from evolif.judging import LexicalJudge, open_judge
from evolif.models import ChatRequest
from evolif.report import analyse
from evolif.report.comparable import group_comparable
from evolif.runner import Run, evaluate, load_run
from evolif.runner.ray_worker import JudgeElsewhere
from evolif.runner.rejudge import rejudge
from evolif.runner.verify import verify
from evolif.scenario import Services, get_scenario, options_of
from evolif.scenarios.games import generate, private_text
from evolif.scenarios.games.sycophancy import (
    AGREEMENT,
    VALIDATION,
    criterion_of,
    judge_sycophancy,
    judged_text,
    sycophancy_of,
)

SCENARIO = get_scenario("games")
NAMES = ("sycophancy: agreement", "sycophancy: validation")
PLAY = {"tokenizer": "regex"}
CHECKED = "\u2028Row 1 it is.\n5. PARTNER: no\nWhat TESTED sees:\nnothing"


def make(folder: Path) -> None:
    options = options_of(SCENARIO.spec, {"game": "names", "n": "9", "turns": ["4"]}, "games")
    SCENARIO.generate(folder, options, dialogues=2, seed=1)


@pytest.fixture
def bench(tmp_path: Path, copied: Callable[..., Path]) -> Any:
    return open_benchmark(copied(make, tmp_path / "b"))


def judge(agreement: Any = 9, validation: Any = 2, name: str = "fake/judge") -> Scripted:
    """Gives each of the two questions its own score."""

    def decide(request: ChatRequest) -> str:
        score = agreement if "without checking it" in shown(request) else validation
        return json.dumps({"rationale": "It says so.", "score": score})

    return Scripted(decide, name=name)


def scores(run: Run, model: str = "fake/model") -> list[dict[str, Any]]:
    """Of the last turn of each dialogue: its own scores of sycophancy."""
    last = [session.turns[-1] for session in sorted(run.sessions(model), key=lambda one: one.dialogue)]
    return [{score.name: score.value for score in turn.scores if score.name in NAMES} for turn in last]


def grids(run: Run) -> dict[str, Any]:
    return {
        grid.name: grid for board in group_comparable(analyse([run])) for grid in SCENARIO.presentation.parts(board)
    }


def shown(request: ChatRequest) -> str:
    return request.messages[-1].content


def talker(text: str = "Yes, you are right.") -> Scripted:
    return Scripted(lambda request: text)


def test_a_judge_is_asked_two_questions_once_a_game_has_ended(bench: Any, tmp_path: Path) -> None:
    asked = judge()
    with closing(evaluate(bench, talker(), tmp_path / "run", judge=asked, options=PLAY)) as run:
        assert len(asked.asked) == 4
        assert scores(run) == [{NAMES[0]: 1, NAMES[1]: 0}] * 2
        for session in run.sessions("fake/model"):
            assert all(not turn.verdicts for turn in session.turns)
            assert all(len(turn.scores) == 1 for turn in session.turns[:-1])
        grid = grids(run)["sycophancy"]
    assert [[cell.value for cell in cells] for _, cells in grid.rows] == [["0", "100", "0", "2"]]
    texts = [shown(request) for request in asked.asked]
    parts = [private_text(bench.lines(number)[0], 0).rstrip() for number in (1, 2)]
    for text in texts:
        seen = [one in text for one in parts]
        assert sum(seen) == ("What TESTED sees:" in text) == ("without checking it" not in text)
        assert "1. TESTED: Yes, you are right.\n2. PARTNER: " in text and "\n3. TESTED: " in text
        assert private_text(bench.lines(1)[0], 1).rstrip() not in text
    assert all("TESTED" in request.messages[0].content for request in asked.asked)


def test_without_a_judge_nothing_of_it_is_there(bench: Any, tmp_path: Path) -> None:
    for name, more in {"none": {}, "lexical": {"judge": "lexical"}}.items():
        with closing(evaluate(bench, talker(), tmp_path / name, options=PLAY, **more)) as run:
            assert scores(run) == [{}, {}]
            assert "sycophancy" not in grids(run)


def test_the_result_stays_as_it_is(bench: Any, tmp_path: Path) -> None:
    found = []
    for name, more in {"plain": {}, "judged": {"judge": judge(9, 9)}}.items():
        with closing(evaluate(bench, "sim/scripted", tmp_path / name, options=PLAY, **more)) as run:
            [analysis] = analyse([run])
            [model] = analysis.models
            values = [
                [(score.name, score.value, score.found) for score in turn.scores if score.name not in NAMES]
                for session in run.sessions("sim/scripted")
                for turn in session.turns
            ]
            found.append((repr(model.summary.metrics), SCENARIO.presentation.extra(model), values))
    assert found[0] == found[1]


def test_an_estimate_counts_the_questions(bench: Any) -> None:
    def calls(**options: Any) -> float:
        lengths = SCENARIO.expected(bench, options_of(SCENARIO.play, options, "games"))
        return lengths.judge_calls * (lengths.turns or 0)

    assert (calls(), calls(reference="floor")) == (2, 0)


def test_a_process_without_the_panel_leaves_the_questions_to_the_run(bench: Any, tmp_path: Path) -> None:
    with closing(evaluate(bench, talker(), tmp_path / "run", options=PLAY)) as run:
        prompts = [prompt for prompt in run.prompts() if prompt.dialogue == 1]
    play = options_of(SCENARIO.play, PLAY, "games")
    asking = {
        judge: [SCENARIO.environment(None, play, Services(judge=judge)).asks_a_judge(prompt) for prompt in prompts]
        for judge in (None, LexicalJudge(), JudgeElsewhere())
    }
    assert [prompt.turn for prompt in prompts] == [1, 2, 3, 4]
    assert list(asking.values()) == [[False] * 4, [False] * 4, [False, False, True, True]]


@pytest.mark.parametrize(("player", "partner"), [(0, "Hello."), (1, "Hello.")])
def test_who_replies_to_nothing_is_not_asked_about(bench: Any, tmp_path: Path, player: int, partner: str) -> None:
    asked = judge()
    # The first turn ends the game, whoever takes it.
    both = talker("SELECT ROW 1")
    options = {**PLAY, "player": player}
    with closing(evaluate(bench, both, tmp_path / "run", partner="self", judge=asked, options=options)) as run:
        assert asked.asked == [] and scores(run) == [{}, {}]


def test_the_player_under_test_is_the_one_that_is_judged(bench: Any, tmp_path: Path) -> None:
    asked = judge(2, 9)
    options = {**PLAY, "player": 1, "hold_answers": True}
    with closing(evaluate(bench, talker(), tmp_path / "run", judge=asked, options=options)) as run:
        assert scores(run) == [{NAMES[0]: 0, NAMES[1]: 1}] * 2
    for text in (shown(request) for request in asked.asked):
        assert "\n1. PARTNER: " in text and "\n2. TESTED: Yes, you are right.\n" in text
        if "What TESTED sees:" in text:
            assert any(private_text(bench.lines(number)[0], 1).rstrip() in text for number in (1, 2))


@pytest.mark.parametrize("reference", ["floor", "ceiling"])
def test_models_that_answer_at_once_are_not_judged(bench: Any, tmp_path: Path, reference: str) -> None:
    asked = judge()
    options = {**PLAY, "reference": reference}
    with closing(evaluate(bench, talker("SELECT ROW 1"), tmp_path / "run", judge=asked, options=options)) as run:
        assert asked.asked == [] and scores(run) == [{}, {}]


@pytest.mark.parametrize("reply", ["", "Yes.", '{"score": 99}', '{"score": 9} {"score": 1}', "[" * 100_000, "\ud800"])
def test_replies_of_a_judge_that_cannot_be_read_are_no_verdict(bench: Any, tmp_path: Path, reply: str) -> None:
    with closing(
        evaluate(bench, talker(), tmp_path / "run", judge=Scripted(lambda _: reply, name="fake/judge"), options=PLAY)
    ) as run:
        assert scores(run) == [dict.fromkeys(NAMES)] * 2
        assert [session.ending for session in run.sessions("fake/model")] == ["finished"] * 2
        assert "sycophancy" not in grids(run)


def test_after_a_fault_of_the_judge_only_the_judge_is_asked_again(bench: Any, tmp_path: Path) -> None:
    def broken(request: ChatRequest) -> Exception:
        return ModelError("the judge is down")

    plays, number = talker(), itertools.count()
    partner = Scripted(lambda request: f"I have {next(number)} of these.", name="fake/partner")
    options: dict[str, Any] = {"partner": partner, "options": PLAY}
    with closing(evaluate(bench, plays, tmp_path / "run", judge=Scripted(broken, name="fake/judge"), **options)) as run:
        assert {session.ending for session in run.sessions("fake/model")} <= {None, "suspended"}
    before = len(plays.asked), len(partner.asked)
    again = judge(1, 10)
    with closing(evaluate(bench, plays, tmp_path / "run", judge=again, **options)) as run:
        assert scores(run) == [{NAMES[0]: 0, NAMES[1]: 1}] * 2
    judged = [session.turns for session in load_run(tmp_path / "run").sessions("fake/model")]
    assert [len(turns) for turns in judged] == [4, 4] and len(again.asked) == 4
    assert len(plays.asked) == len(partner.asked) == 4 and before >= (2, 2)


def test_a_finished_run_is_judged_later_and_can_be_verified(bench: Any, tmp_path: Path) -> None:
    plays = talker()
    evaluate(bench, plays, tmp_path / "run", options=PLAY).close()
    asked = judge(8, 8)
    with closing(rejudge(tmp_path / "run", asked, tmp_path / "judged")) as run:
        assert scores(run) == [dict.fromkeys(NAMES, 1)] * 2
        assert len(plays.asked) == 4 and len(asked.asked) == 4
        found = verify(run)
        assert (found.differ, found.left_out) == ([], 4) and found.checked > 0
        calls = forecast_rejudging(run, run.settings, quotes_of(run.settings, load_prices())).expected
        assert [one.calls for one in calls] == [(4, 4)]


def test_a_fork_is_judged_where_its_games_now_end(bench: Any, tmp_path: Path) -> None:
    asked, plays = judge(9, 9), Scripted(lambda request: "SELECT ROW 1" if "\n2. " in shown(request) else "Hello.")
    partner = Scripted(lambda request: "Hm.", name="fake/partner")
    told: dict[str, Any] = {"partner": partner, "judge": asked}
    with closing(evaluate(bench, plays, tmp_path / "free", options=PLAY, **told)) as run:
        assert [len(session.turns) for session in run.sessions("fake/model")] == [3, 3]
        assert scores(run) == [dict.fromkeys(NAMES, 1)] * 2
    held = {**PLAY, "hold_answers": True}
    with closing(evaluate(bench, plays, tmp_path / "free", fork_into=tmp_path / "held", options=held, **told)) as run:
        told_at = [
            [turn.turn for turn in session.turns if {score.name for score in turn.scores} & set(NAMES)]
            for session in run.sessions("fake/model")
        ]
    assert told_at == [[4], [4]]
    assert len(plays.asked) == 4


@pytest.mark.slow
def test_the_page_shows_it_and_an_export_holds_it(bench: Any, tmp_path: Path) -> None:
    evaluate(bench, talker(), tmp_path / "run", judge=judge(), options=PLAY).close()
    words = ["report", str(tmp_path / "run"), "--html", str(tmp_path / "page.html"), "--full"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "uncritical agreement" in done.output
    assert "uncritical agreement" in (tmp_path / "page.html").read_text(encoding="utf-8")
    done = CliRunner().invoke(app, ["export", str(tmp_path / "run"), str(tmp_path / "rows.jsonl")])
    assert done.exit_code == 0, done.output
    assert NAMES[1] in (tmp_path / "rows.jsonl").read_text(encoding="utf-8")


def test_no_turn_can_pass_for_another_or_for_what_a_player_sees() -> None:
    instance = generate("names", 0, seed=1, n=9)
    text = judged_text(VALIDATION, instance, ["Hello.", CHECKED], 1)
    assert text.startswith("What TESTED sees:\nrow,name,")
    lines = text.splitlines()
    assert [line for line in lines if line.startswith("5.")] == []
    assert [line for line in lines if line == "What TESTED sees:"] == lines[:1]
    assert judged_text(AGREEMENT, instance, ["Hello."], 1) == "The dialogue:\n1. PARTNER: Hello."


@pytest.mark.parametrize("text", ["word " * 50_000, "\U0001d160" * 50_000, "<think>" * 20_000, "\n" * 100_000])
def test_a_long_dialogue_is_cut_for_the_judge_and_does_not_fail(text: str) -> None:
    asked = judge(9, 9)
    panel = open_judge([asked])
    assert panel is not None
    found, records = asyncio.run(judge_sycophancy(panel, generate("names", 0, seed=1, n=9), ["Hello.", text], 1))
    assert [score.value for score in found] == [1, 1] and len(asked.asked) == 2
    assert all(len(shown(request)) < 30_000 for request in asked.asked)
    assert [record.reason for record in records] == ["", ""]


def test_the_question_of_both_is_told_and_pictures_are_told_in_words() -> None:
    asked = generate("questions", 0, seed=1)
    assert asked["public"]["question"] in judged_text(VALIDATION, asked, ["a", "b"], 0)
    drawn = generate("scenes", 0, seed=1, modality="image")
    assert private_text(drawn, 1).rstrip() in judged_text(VALIDATION, drawn, ["a", "b"], 1)


def test_each_question_has_its_own_scale_and_the_same_version() -> None:
    one, other = criterion_of(AGREEMENT), criterion_of(VALIDATION)
    assert one.rubric is not None and one.rubric is other.rubric
    assert one.rubric.scale(one) != one.rubric.scale(other)
    assert sycophancy_of([]) == {} == Counter()
