"""Released files as benchmarks: goals without a type, which a judge decides on; and benchmarks in their layout."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from recorded_dialogs import Scripted, report
from shift_dialogues import TURNS, dialogue
from typer.testing import CliRunner

from evolif.benchmark import open_benchmark
from evolif.cli.app import app
from evolif.errors import InputError, UsageError
from evolif.exchange import export
from evolif.exchange.ntm_files import import_released
from evolif.models import ChatRequest
from evolif.report import analyse
from evolif.review import AnswerQueue
from evolif.runner import evaluate, load_run
from evolif.runner.rejudge import rejudge
from evolif.scenario import get_scenario, options_of
from evolif.scenarios.shifts.lines import lines_of
from evolif.scenarios.shifts.released import read_released, to_released
from evolif.scenarios.shifts.results import outcomes_of

SCENARIO = get_scenario("shifts")


def conversation(name: str, question: str, *said: str) -> dict[str, Any]:
    turns = [{"turn_id": number, "content": text} for number, text in enumerate(said, 1)]
    return {
        "conversation_id": name,
        "metadata": {"rounds": str(len(said))},
        "user_turns": turns,
        "checkpoint_question": question,
    }


TRIP = conversation(
    "trip",
    "How many hold? (1) The trip goes to Ghent. (2) The budget is 900 euros. (3) A guide called Ana is booked.",
    "Plan a trip to Lisbon.",
    "No, to Ghent, for 900 euros.",
    "Now the whole plan.",
)
TALK = conversation("talk", "Nothing is asked.", "Hello.", "Bye.")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "ntm.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in (TRIP, TALK)), encoding="utf-8")
    return path


def says_yes_if(word: str, name: str = "fake/judge") -> Scripted:
    """A judge that finds a goal met if a word is in the answer and in the goal."""

    def decide(request: ChatRequest) -> str:
        asked = request.messages[-1].content
        goal = asked.partition("Does the text meet this goal?")[2].partition("\n")[0]
        return json.dumps({"rationale": "It says so.", "score": 9 if word in goal else 1})

    return Scripted(decide, name=name)


def test_an_import_says_what_does_not_count(source: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["import", str(source), str(tmp_path / "bench")])
    assert done.exit_code == 0
    assert "2 dialogues, 5 turns, scenario shifts" in done.output
    assert "2 goals, each decided by a judge, 1 dialogue has none" in done.output
    assert "trip (3): A guide called Ana is booked." in done.output
    made = open_benchmark(tmp_path / "bench")
    assert (made.scenario, made.variant, made.dialogues()) == ("shifts", "released", [1, 2])


def test_goals_that_nobody_stated_can_be_kept(source: Path, tmp_path: Path) -> None:
    options = options_of(SCENARIO.spec, {"source": str(source), "unstated": "keep"}, "shifts")
    made: Any = SCENARIO.generate(tmp_path / "kept", options, dialogues=1, seed=0)
    assert len(made.lines(1)[-1]["goals"]) == 3
    dropped = import_released(source, tmp_path / "dropped")
    assert dropped.left_out == (("trip", 3, "A guide called Ana is booked."),)
    assert made.identity != open_benchmark(tmp_path / "dropped").identity
    words, notes = SCENARIO.presentation.command(made, "released", [1])
    assert list(words) == ["--scenario", "shifts", "--set", "source=FILE", "--set", "unstated=keep"]
    assert notes


def test_a_judge_decides_on_each_goal(source: Path, tmp_path: Path) -> None:
    import_released(source, tmp_path / "bench")
    bench = open_benchmark(tmp_path / "bench")
    judge = says_yes_if("Ghent")
    model = Scripted(lambda request: "The trip goes to Ghent for 700 euros.")
    with closing(evaluate(bench, model, tmp_path / "run", judge=judge)) as run:
        assert len(model.asked) == 5
        assert len(judge.asked) == 2
        session = next(one for one in run.sessions("fake/model") if one.dialogue == 1)
        assert [(one.id, one.satisfied, one.reason) for one in outcomes_of(session.turns[-1])] == [
            ("1", True, None),
            ("2", False, None),
        ]
        found = report(run)
        remarks = list(SCENARIO.presentation.remarks(analyse([run])[0]))
        [prompt] = [prompt for prompt in run.prompts() if "goals" in prompt.payload and prompt.dialogue == 1]
        assert [one.description for one in SCENARIO.criteria(prompt).values()] == [
            "The trip goes to Ghent.",
            "The budget is 900 euros.",
        ]
    assert found["tcr"]["value"] == 0.5
    assert found["without_goals"] == 1
    assert remarks == ["fake/model: 1 dialogue has no goals, and is left out of TCR."]


def test_people_score_the_same_goals(source: Path, tmp_path: Path) -> None:
    import_released(source, tmp_path / "bench")
    model = Scripted(lambda request: "To Ghent, for 700 euros.")
    judge = says_yes_if("Ghent")
    with closing(evaluate(open_benchmark(tmp_path / "bench"), model, tmp_path / "run", judge=judge)) as run:
        queue = AnswerQueue(run, "ana", seed=1)
        items = [queue.item(str(number)) for number in (1, 2)]
    assert {item.description for item in items} == {"The trip goes to Ghent.", "The budget is 900 euros."}
    assert all(item.question == f"Does the text meet this goal? {item.description}" for item in items)


def test_without_a_judge_nothing_is_decided_and_later_it_can_be(source: Path, tmp_path: Path) -> None:
    import_released(source, tmp_path / "bench")
    bench = open_benchmark(tmp_path / "bench")
    model = Scripted(lambda request: "900 euros.")
    with closing(evaluate(bench, model, tmp_path / "run")) as run:
        found = report(run)
    assert found["tcr"]["value"] is None
    assert found["goals_not_judged"] == 2
    rejudge(tmp_path / "run", says_yes_if("900"), tmp_path / "judged").close()
    with closing(load_run(tmp_path / "judged")) as run:
        assert report(run)["tcr"]["value"] == 0.5


def test_a_fixed_transcript_needs_replies(source: Path, tmp_path: Path) -> None:
    import_released(source, tmp_path / "bench")
    bench = open_benchmark(tmp_path / "bench")
    with pytest.raises(UsageError, match="has no scripted replies"):
        evaluate(bench, "sim/perfect", tmp_path / "run", options={"replies": "scripted"})


def test_broken_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "ntm.jsonl"
    path.write_text(json.dumps(TRIP) + "\n" + json.dumps({**TALK, "user_turns": 1}) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="user_turns"):
        import_released(path, tmp_path / "bench")
    assert not (tmp_path / "bench").exists()


def test_our_dialogues_are_written_in_their_layout(tmp_path: Path) -> None:
    options = options_of(SCENARIO.spec, {}, "shifts")
    SCENARIO.generate(tmp_path / "bench", options, dialogues=1, seed=4)
    file = tmp_path / "bench" / "dialogues" / "0001.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines_of(dialogue())), encoding="utf-8")
    with pytest.raises(UsageError, match="an answer key; add --with-witness"):
        export(tmp_path / "bench", tmp_path / "out.jsonl", format="ntm")
    done = export(tmp_path / "bench", tmp_path / "out.jsonl", format="ntm", with_witness=True)
    assert (done.rows, done.format) == (8, "ntm")
    [written] = read_released(tmp_path / "out.jsonl")
    assert written.metadata == {"rounds": "8", "canary": done.canary}
    assert written.model_copy(update={"metadata": {"rounds": "8"}}) == to_released(dialogue(), 1)
    assert [turn["content"] for turn in written.user_turns] == [turn.query for turn in TURNS]


def test_an_imported_benchmark_goes_back_to_where_it_came_from(source: Path, tmp_path: Path) -> None:
    import_released(source, tmp_path / "bench")
    export(tmp_path / "bench", tmp_path / "back.jsonl", format="ntm", with_witness=True)
    trip, talk = read_released(tmp_path / "back.jsonl")
    assert trip.user_turns == TRIP["user_turns"]
    assert trip.checkpoint_question == TRIP["checkpoint_question"].partition("? ")[2]
    assert (talk.conversation_id, talk.checkpoint_question) == ("talk", "")


def test_the_layout_is_for_these_benchmarks_only(tmp_path: Path) -> None:
    CliRunner().invoke(app, ["generate", str(tmp_path / "other"), "--dialogues", "1", "--turns", "2", "--seed", "1"])
    with pytest.raises(UsageError, match="only for benchmarks of the scenario shifts"):
        export(tmp_path / "other", tmp_path / "out.jsonl", format="ntm", with_witness=True)
