"""Whether answers are about their tasks: the words of a task, and runs that ask for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.errors import UsageError
from evolif.models import ChatRequest, Reply
from evolif.report import summarise
from evolif.runner import Run, TurnRecord, evaluate, load_run
from evolif.runner.rejudge import rejudge
from evolif.runner.verify import verify
from evolif.scenarios.instructions import generate
from evolif.scenarios.instructions.constraints import check
from evolif.scenarios.instructions.relevance import (
    LONG_ANSWER,
    Task,
    lexical_verdict,
    name_task,
    task_of,
    task_words,
    why_not_judged,
)
from evolif.scenarios.instructions.turns import Constraint, Turn
from evolif.text import Reading
from evolif.types import RELEVANCE, Usage

FERRY = Task(
    "Two of us are taking an overnight ferry with our bicycles next month. Work out what to pack.",
    "the packing for the overnight ferry",
    ("ferry", "cabin", "panniers", "sleeping bag", "luggage"),
)
CAP = 6


def outcome(text: str, *constraints: Constraint, task: Task = FERRY) -> bool | None:
    reason = why_not_judged(task, constraints, None)
    return lexical_verdict(task, constraints, Reading(text), reason).satisfied


def test_other_forms_of_a_word_name_the_task_and_common_words_do_not() -> None:
    assert outcome("All ferries leave at nine.") and outcome("THE CABINS ARE SMALL.")
    assert outcome("Bags go below deck.") and outcome("Cycling? No: bicycles stay outside.")
    assert outcome("Please write what you want to take with you next week, and two of us will help.") is False
    assert outcome("") is False and outcome("The ferryman’s tale is a cabinet of wonders.") is False


def test_a_long_answer_names_two_words() -> None:
    once = "The ferry leaves. " + "Nothing else is known about it. " * 20
    assert Reading(once).words >= LONG_ANSWER
    assert outcome(once) is False and outcome(f"{once} The ferries are late.") is False
    assert outcome(f"{once} A cabin is dear.")


def test_what_a_constraint_names_tells_nothing() -> None:
    must = Constraint("existence", {"counts": {"ferry": 1}})
    assert outcome("The ferry. And so on.", must) is False
    assert outcome("The ferry has a cabin.", must)
    assert outcome("No cabin.", Constraint("forbidden", {"keywords": ["cabin"]})) is False


@pytest.mark.parametrize(
    ("constraint", "why"),
    [
        (Constraint("language", {"code": "de"}), "another language"),
        (Constraint("language", {"not": "en"}), "another language"),
        (Constraint("length", {"unit": "words", "relation": "less_than", "count": 12}), "fewer than 12 words"),
        (Constraint("length", {"unit": "characters", "relation": "less_than", "count": 60}), "fewer than 12 words"),
        (Constraint("forbidden", {"keywords": [*FERRY.keywords, "overnight", "bicycles", "pack"]}), "no words"),
    ],
)
def test_where_constraints_leave_no_room_nothing_is_judged(constraint: Constraint, why: str) -> None:
    assert why in why_not_judged(FERRY, (constraint,), None)
    assert outcome("Words that name nothing.", constraint) is None


def test_tasks_of_any_kind_are_read() -> None:
    assert why_not_judged(None, (), None) and why_not_judged(Task("", "", ()), (), None)
    german = Task("Wir wollen im Herbst mit dem Rad über die Alpen. Was nehmen wir mit?", "die Alpen", ("Rad", "Pass"))
    words = task_words(german)
    assert not words.is_english and set(words.stems.values()) == {"rad", "pass"}
    assert (
        outcome("Das Rad rollt über den Pass.", task=german) and outcome("Wir wollen im Herbst.", task=german) is False
    )
    assert "language" in why_not_judged(german, (Constraint("language", {"code": "en"}),), None)
    assert task_words(Task("船と自転車", "船", ("船",))).stems == {}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("relevance") / "bench"
    generate(root, dialogues=4, turns=12, seed=5, profile="escalating")
    return root


def turns_in(bench: Path) -> Iterator[Turn]:
    from evolif.benchmark import open_benchmark

    opened = open_benchmark(bench)
    for dialogue in opened.dialogues():
        yield from opened.turns(dialogue)


@pytest.mark.slow
def test_every_witness_can_name_its_task_and_keeps_its_verdicts(bench: Path) -> None:
    unchanged = 0
    for turn in turns_in(bench):
        assert turn.witness is not None
        task = task_of(turn.topic)
        named = name_task(turn.witness, task, turn.constraints)
        assert named is not None
        assert all(verdict.satisfied for verdict in check(turn.constraints, named))
        assert lexical_verdict(task, turn.constraints, Reading(named), "").satisfied
        unchanged += lexical_verdict(task, turn.constraints, Reading(turn.witness), "").satisfied is True
    assert unchanged < 10  # of 48: a witness as built is not about anything


class Says:
    """Answers every prompt with one text."""

    name = "test/says"
    connections = 4

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> Reply:
        self.asked.append(request)
        return Reply(self.text, usage=Usage(100, 10))

    async def aclose(self) -> None:
        pass


def turns_of(run: Run) -> list[TurnRecord]:
    return [turn for model in run.models for _, turns in run.transcripts(model) for turn in turns]


def found(turn: TurnRecord) -> list[float | None]:
    return [score.value for score in turn.scores if score.name == RELEVANCE]


@pytest.mark.slow
def test_a_run_reports_relevance_apart(bench: Path, tmp_path: Path) -> None:
    models = ["sim/perfect", Says("Nothing to the point.")]
    plain = evaluate(bench, ["sim/perfect"], tmp_path / "plain", max_turns=CAP)
    run = evaluate(bench, models, tmp_path / "run", max_turns=CAP, relevance="lexical")
    perfect, says = summarise(run)
    assert perfect.metrics.value(RELEVANCE) == 1 and says.metrics.value(RELEVANCE) == 0
    assert perfect.metrics.value("csr") == 1 and perfect.relevance_not_judged == 0
    assert not any(verdict.group == RELEVANCE for turn in turns_of(run) for verdict in turn.verdicts)
    again = verify(run)
    assert again.turns and not again.differ and not again.left_out
    assert run.settings.hash() != plain.settings.hash() and "relevance" not in plain.settings.model_dump()
    assert all("task" not in turn.prompt.payload for turn in turns_of(plain))
    shown = CliRunner().invoke(app, ["report", str(tmp_path / "run"), "--json", "-"])
    [one, other] = json.loads(shown.stdout)["models"]
    assert one["relevance"]["value"] == 1 and other["relevance"]["value"] == 0 and other["relevance_not_judged"] == 0
    text = CliRunner().invoke(app, ["report", str(tmp_path / "run"), "--full"], env={"COLUMNS": "200"}).output
    assert "relevance lexical (rules 1)" in text and "Relevance %" in text and "--relevance lexical" in text
    latex = tmp_path / "run.tex"
    assert CliRunner().invoke(app, ["report", str(tmp_path / "run"), "--latex", str(latex)]).exit_code == 0
    assert "Relevance" in latex.read_text(encoding="utf-8")
    run.close()
    plain.close()


@pytest.mark.slow
def test_relevance_that_counts_ends_sessions(bench: Path, tmp_path: Path) -> None:
    options = {"max_turns": CAP, "relevance": "lexical", "relevance_counts": True}
    run = evaluate(bench, ["sim/perfect"], tmp_path / "run", **options)
    assert summarise(run)[0].metrics.value("isr") == 1
    for turn in turns_of(run):
        assert turn.verdicts[-1].group == RELEVANCE and turn.verdicts[-1].satisfied and found(turn) == [1.0]
    shown = CliRunner().invoke(app, ["report", str(tmp_path / "run"), "--json", "-"])
    [model] = json.loads(shown.stdout)["models"]
    assert model["groups"][RELEVANCE] == {"satisfied": 4 * CAP, "judged": 4 * CAP}
    assert {"key": "relevance/all"}.items() <= next(one for one in model["by"]["mode"] if "relev" in one["key"]).items()
    run.close()

    soup = evaluate(bench, [Says("Nothing to the point.")], tmp_path / "soup", **options)
    apart = evaluate(
        bench, [Says("Nothing to the point.")], tmp_path / "apart", **{**options, "relevance_counts": False}
    )
    assert len(turns_of(soup)) == 4 * 3 <= len(turns_of(apart))  # patience 3, and no turn is good
    soup.close()
    apart.close()


@pytest.mark.slow
def test_answers_of_a_run_that_did_not_ask_are_judged_in_a_fork(bench: Path, tmp_path: Path) -> None:
    model = Says("The end.")
    evaluate(bench, [model], tmp_path / "old", max_turns=CAP).close()
    asked = len(model.asked)
    forked = evaluate(bench, [model], tmp_path / "old", max_turns=CAP, fork_into=tmp_path / "new", relevance="lexical")
    assert len(model.asked) == asked and {value for turn in turns_of(forked) for value in found(turn)} == {0.0}
    assert "relevance" in forked.settings.model_dump()
    forked.close()
    with pytest.raises(UsageError, match="the relevance gate was none and is now lexical"):
        evaluate(bench, [model], tmp_path / "old", max_turns=CAP, relevance="lexical")


def grade(score: int) -> str:
    return json.dumps({"rationale": "Because of its words.", "score": score})


def test_a_judge_is_asked_once_a_turn_in_words_of_its_own(bench: Path, tmp_path: Path) -> None:
    judge = Says(grade(9))
    run = evaluate(bench, ["sim/perfect"], tmp_path / "run", judge=judge, max_turns=CAP, relevance="judge")
    turns = turns_of(run)
    assert [found(turn) for turn in turns] == [[1.0]] * len(turns)
    assert [record.group for turn in turns for record in turn.records] == [RELEVANCE] * len(turns)
    [cost] = [cost for cost in run.costs() if cost.role == "judge"]
    cached = sum(score.cached for turn in turns for record in turn.records for score in record.scores)
    assert cost.calls == len(judge.asked) == len(turns) - cached > 0
    system, user = (message.content for message in judge.asked[0].messages)
    assert "how far a text answers its task" in system and turns[0].prompt.payload["task"]["prompt"] in user
    assert not verify(run).differ
    run.close()

    strict = Says(grade(3))
    strict.name = "test/strict"
    again = rejudge(tmp_path / "run", strict, tmp_path / "again")
    assert {value for turn in turns_of(again) for value in found(turn)} == {0.0}
    assert all(turn.prompt.payload["task"] for turn in turns_of(again))
    again.close()
    with pytest.raises(UsageError, match="the judge also decides on relevance"):
        rejudge(tmp_path / "run", "none", tmp_path / "none")


def test_a_lexical_verdict_stays_when_another_judge_is_asked(bench: Path, tmp_path: Path) -> None:
    evaluate(bench, ["sim/steady"], tmp_path / "run", max_turns=CAP, relevance="lexical", relevance_counts=True).close()
    again = rejudge(tmp_path / "run", Says(grade(9)), tmp_path / "again")
    old = load_run(tmp_path / "run")
    assert [(t.verdicts, t.scores) for t in turns_of(again)] == [(t.verdicts, t.scores) for t in turns_of(old)]
    old.close()
    again.close()


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"relevance": "judge"}, "needs a model that decides"),
        ({"relevance": "judge", "judge": "lexical"}, "needs a model that decides"),
        ({"relevance": "words"}, "use none, lexical or judge"),
        ({"relevance_counts": True}, "--relevance-counts needs --relevance"),
    ],
)
def test_what_cannot_be_is_refused(bench: Path, tmp_path: Path, options: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        evaluate(bench, ["sim/perfect"], tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()
