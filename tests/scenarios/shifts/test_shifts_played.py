"""The scenario `shifts` played from end to end: what a model is shown, what is scored, and the names of figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from play_strategies import Talker
from typer.testing import CliRunner

from evolif.benchmark import open_benchmark
from evolif.cli import app
from evolif.contexts import act, count_tokens
from evolif.models.base import ChatRequest
from evolif.runner import evaluate
from evolif.scenarios.shifts import check_answer, generate
from evolif.scenarios.shifts.figures import tcr

SEED, DIALOGUES = 17, 4


@cache
def made() -> tuple[Any, ...]:
    return tuple(generate(DIALOGUES, seed=SEED))


def call(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shifts") / "bench"
    call("generate", folder, "--scenario", "shifts", "--dialogues", str(DIALOGUES), "--seed", str(SEED))
    return folder


def report(run: Path, to: Path) -> dict[str, Any]:
    """The only model of a report's JSON."""
    call("report", run, "--json", to)
    [model] = json.loads(to.read_text(encoding="utf-8"))["models"]
    return model


def number_of(request: ChatRequest) -> tuple[int, int]:
    """The dialogue and the turn that a call is about."""
    assert request.prompt is not None
    where = request.prompt.dialogue - 1, request.prompt.turn
    assert request.messages[-1].content == made()[where[0]].turns[where[1] - 1].query
    return where


def answering(final: Callable[[Any], str]) -> Talker:
    """A model that gives something for the final request and small talk before."""

    def reply(request: ChatRequest) -> str:
        i, turn = number_of(request)
        return final(made()[i]) if turn == made()[i].rounds else f"Noted, that was turn {turn}."

    return Talker(reply)


def played(bench: Path, folder: Path, talker: Talker, **settings: Any) -> dict[str, Any]:
    evaluate(open_benchmark(bench), [talker], folder / "run", **settings).close()
    return report(folder / "run", folder / "report.json")


def test_a_folder_holds_what_generate_gives(bench: Path, tmp_path: Path) -> None:
    talker = answering(lambda d: d.witness)
    played(bench, tmp_path, talker)
    asked = {request.messages[-1].content for request in talker.asked}
    assert asked == {t.query for d in made() for t in d.turns}


def test_the_model_is_shown_user_turns_and_its_own_answers_alone(bench: Path, tmp_path: Path) -> None:
    talker = answering(lambda d: d.witness)
    played(bench, tmp_path, talker)
    assert len(talker.asked) == sum(d.rounds for d in made())
    for request in talker.asked:
        i, turn = number_of(request)
        body = [m for m in request.messages if m.role != "system"]
        assert [m.content for m in body[::2]] == [t.query for t in made()[i].turns[:turn]]
        assert [m.content for m in body[1::2]] == [f"Noted, that was turn {n}." for n in range(1, turn)]
        system = [m.content for m in request.messages if m.role == "system"]
        assert not any(str(goal["value"]) in text for goal in made()[i].checkpoints for text in system)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "final",
    [
        pytest.param(lambda d: d.witness, id="witness"),
        pytest.param(lambda d: "I would rather not.", id="unreadable"),
        pytest.param(lambda d: "{}", id="empty"),
        pytest.param(lambda d: made()[0].witness, id="another dialogue's witness"),
        pytest.param(lambda d: d.witness if d.rounds > 15 else "{}", id="some"),
    ],
)
def test_rates_are_those_of_the_final_replies(bench: Path, tmp_path: Path, final: Callable[[Any], str]) -> None:
    model = played(bench, tmp_path, answering(final))
    results = [[r["satisfied"] for r in check_answer(d, final(d))] for d in made()]
    expected = tcr([(sum(r), len(r)) for r in results])
    assert model["tcr"]["value"] == pytest.approx(expected["macro"] / 100)
    assert model["tcr_micro"]["value"] == pytest.approx(expected["micro"] / 100)
    for rounds in ("10", "15", "20", "25"):
        some = tcr([(sum(r), len(r)) for d, r in zip(made(), results, strict=True) if str(d.rounds) == rounds])
        assert model["tcr"]["by_rounds"][rounds]["value"] == pytest.approx(some["macro"] / 100)
        assert model["tcr_micro"]["by_rounds"][rounds]["value"] == pytest.approx(some["micro"] / 100)


@pytest.mark.sampled
@pytest.mark.parametrize("context", ["full", "last:2", "retrieval", "summary:2", "tree"])
def test_context_tokens_are_those_that_were_sent(bench: Path, tmp_path: Path, context: str) -> None:
    talker = answering(lambda d: d.witness)
    model = played(bench, tmp_path, talker, context=context)
    sent: dict[int, list[int]] = {}
    for request in talker.asked:
        tokens = sum(count_tokens(m.content) for m in request.messages[:-1])
        sent.setdefault(number_of(request)[0], []).append(tokens)
    expected = act({"rounds": made()[i].rounds, "context_tokens": tokens} for i, tokens in sent.items())
    assert model["act"]["value"] == pytest.approx(expected["overall"])
    assert {k: v["value"] for k, v in model["act"]["by_rounds"].items()} == pytest.approx(expected["by_rounds"])
    # rules call no model: the total is the context alone
    assert model["total_tokens"]["value"] == pytest.approx(expected["overall"])
    assert set(model["total_tokens"]["by_rounds"]) == {"10", "15", "20", "25"}


@pytest.mark.slow
def test_a_models_own_calls_count_in_the_total(bench: Path, tmp_path: Path) -> None:
    helper = Talker(lambda _: json.dumps({"action": "CONTINUE", "target": None, "fork": None, "reason": "so"}))
    name = "tree?decider=model"
    model = played(bench, tmp_path, answering(lambda d: d.witness), context=name, context_model=helper)
    turns = sum(d.rounds for d in made())
    own = sum(count_tokens(m.content) for r in helper.asked for m in r.messages)
    own += sum(count_tokens(helper.answer(r)) for r in helper.asked)
    assert helper.asked
    assert model["total_tokens"]["value"] == pytest.approx(model["act"]["value"] + own / turns)


@pytest.mark.parametrize(("context", "rounds"), [("last:2", 2), ("summary:3", 3)])
def test_strategies_show_so_many_rounds(bench: Path, tmp_path: Path, context: str, rounds: int) -> None:
    talker = answering(lambda d: d.witness)
    played(bench, tmp_path, talker, context=context)
    for request in talker.asked:
        shown = sum(m.role == "assistant" for m in request.messages)
        assert shown == min(rounds, number_of(request)[1] - 1)


def test_retrieval_reads_the_number_of_rounds(bench: Path, tmp_path: Path) -> None:
    talker = answering(lambda d: d.witness)
    played(bench, tmp_path, talker, context="retrieval")
    for request in talker.asked:
        i, turn = number_of(request)
        k = 3 if made()[i].rounds <= 15 else 5
        assert sum(m.role == "assistant" for m in request.messages) == min(k, turn - 1)


def test_on_a_fixed_transcript_the_scripted_replies_are_shown(bench: Path, tmp_path: Path) -> None:
    talker = answering(lambda d: d.witness)
    model = played(bench, tmp_path, talker, options={"replies": "scripted"})
    assert model["tcr"]["value"] == 1.0
    for request in talker.asked:
        i, turn = number_of(request)
        told = [m.content for m in request.messages if m.role == "assistant"]
        assert told == [t.reply for t in made()[i].turns[: turn - 1]]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("player", "context", "whole"),
    [
        ("sim/perfect", "full", True),
        ("sim/perfect", "last:0", True),
        ("sim/reader", "full", True),
        ("sim/reader", "last:0", False),
        ("sim/reader", "last:4", False),
    ],
)
def test_players_and_ceilings(bench: Path, tmp_path: Path, player: str, context: str, whole: bool) -> None:
    with closing(evaluate(open_benchmark(bench), player, tmp_path / "run", context=context)):
        pass
    model = report(tmp_path / "run", tmp_path / "report.json")
    assert (model["tcr"]["value"] == 1.0) is whole
    assert (model["tcr_micro"]["value"] == 1.0) is whole


def test_a_dialogue_has_no_patience(bench: Path, tmp_path: Path) -> None:
    model = played(bench, tmp_path, answering(lambda d: ""))
    assert (model["finished"], model["censored"]) == (DIALOGUES, 0)
    assert model["tcr"]["value"] == 0.0


def test_the_same_seed_gives_the_same_folder(bench: Path, tmp_path: Path) -> None:
    call("generate", tmp_path / "again", "--scenario", "shifts", "--dialogues", str(DIALOGUES), "--seed", str(SEED))
    for path in sorted((bench / "dialogues").iterdir()):
        assert (tmp_path / "again" / "dialogues" / path.name).read_bytes() == path.read_bytes()
