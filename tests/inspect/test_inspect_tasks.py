"""Scenarios as tasks of Inspect: the same verdicts and figures as our own runner's, on the same answers."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from models.server import Answer, Seen, Server, error, ok, serving

import evolif
from evolif.report import summarise
from evolif.runner import Run
from evolif.scenario import get_scenario
from evolif.scenarios.instructions import SYSTEM_PROMPT

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed (evolif[inspect]); make ci-parts brings it")

pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries of Inspect
TEXTS = [
    "Here is a short answer. It has two sentences.",
    "- one\n- two\n- three\n- four",
    "# Title\n\n**bold** words, and 12 of them in two lines.\nThe end!",
    '{"answer": "none"}',
    "say: hello\n\nThe final answer is 3.",
]


def answering(seen: Seen) -> Answer | None:
    """One of the texts, whichever the conversation decides."""
    told = json.dumps([[message["role"], message["content"]] for message in seen.body["messages"]])
    return ok(TEXTS[int(hashlib.sha256(told.encode()).hexdigest(), 16) % len(TEXTS)])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with serving(ok(), answering=answering) as running:
        monkeypatch.setenv("TINY_BASE_URL", running.url)
        monkeypatch.setenv("TINY_API_KEY", "k")
        yield running


def inspected(task: str, tmp_path: Path, **arguments: Any) -> Any:
    """The log of a task, with its samples."""
    from inspect_ai import eval as evaluate

    of_inspect = ("epochs", "fail_on_error", "token_limit", "message_limit", "turn_limit", "solver", "limit")
    more = {key: arguments.pop(key) for key in of_inspect if key in arguments}
    [log] = evaluate(
        f"evolif/{task}",
        model="openai-api/tiny/small",
        model_base_url=os.environ["TINY_BASE_URL"],  # Inspect keeps a model by its name and address
        task_args=arguments,
        log_dir=str(tmp_path / "logs"),
        display="none",
        max_retries=1,
        **more,
    )
    return log


def ours(bench: Any, server: Server, tmp_path: Path, **settings: Any) -> Run:
    return evolif.evaluate(bench, f"openai/small?base_url={server.url}", tmp_path / "run", **settings)


def hold_equal(log: Any, run: Run) -> None:
    """The same sessions, turn for turn, and the same figures."""
    assert log.status == "success" and log.samples
    played = {(sample.id, sample.epoch): sample.store["evolif"] for sample in log.samples}
    told = {
        (session.dialogue, session.epoch): (session, records) for session, records in run.transcripts(run.models[0])
    }
    assert played.keys() == told.keys()
    for key, (session, records) in told.items():
        found = played[key]
        assert [found[name] for name in ("ending", "cause", "reason")] == [
            session.ending,
            session.cause,
            session.reason,
        ]
        assert [(one["turn"], one["seat"]) for one in found["turns"]] == [(r.turn, r.prompt.seat) for r in records]
        for one, record in zip(found["turns"], records, strict=True):
            assert one["labels"] == dict(record.prompt.labels)
            assert [(v["group"], v["satisfied"], v["expected"], v["found"]) for v in one["verdicts"]] == [
                (v.group, v.satisfied, v.expected, v.found) for v in record.verdicts
            ]
            assert [(s["name"], s["value"]) for s in one["scores"]] == [(s.name, s.value) for s in record.scores]
    [summary] = summarise(run, resamples=20)
    figures = {name: value for name, value in summary.metrics.by_name().items() if value is not None}
    shown = {name: one.value for name, one in log.results.scores[0].metrics.items() if one.group == "pooled"}
    assert shown == figures != {}


@pytest.mark.slow
def test_instructions_are_played_with_patience_as_by_our_runner(server: Server, tmp_path: Path) -> None:
    log = inspected("instructions", tmp_path, profile="objective", seed=7, dialogues=3, turns=4, max_turns=6, epochs=2)
    bench = evolif.generate(tmp_path / "b", dialogues=3, turns=4, seed=7, profile="objective")
    run = ours(bench, server, tmp_path, max_turns=6, epochs=2)
    hold_equal(log, run)
    endings = {sample.store["evolif"]["cause"] for sample in log.samples}
    assert "patience" in endings
    played = [sample.store["evolif"] for sample in log.samples]
    judged = [
        [v["satisfied"] for v in turn["verdicts"] if v["satisfied"] is not None]
        for one in played
        for turn in one["turns"]
    ]
    # Six sessions could have six turns each, whether they came to them or not.
    assert {one["cap"] for one in played} == {6} and all(judged)
    assert log.results.scores[0].metrics["isr_at_n"].value == pytest.approx(sum(map(all, judged)) / 36)
    first = log.samples[0]
    assert [message.role for message in first.messages[:3]] == ["system", "user", "assistant"]
    assert first.messages[0].text.startswith(SYSTEM_PROMPT[:40]) and first.messages[2].text in TEXTS
    assert first.model_usage["openai-api/tiny/small"].output_tokens == 3 * len(first.store["evolif"]["turns"])
    assert bench.identity == log.eval.metadata["benchmark"]
    run.close()


@pytest.mark.sampled
@pytest.mark.parametrize(("scenario", "cap"), [("shifts", None), ("games", 4), ("broadcast", 4)])
def test_other_scenarios_are_played_as_by_our_runner(
    server: Server, tmp_path: Path, scenario: str, cap: int | None
) -> None:
    kind = get_scenario(scenario)
    bench = kind.generate(tmp_path / "b", kind.spec(), dialogues=2, seed=5)
    log = inspected(scenario, tmp_path, bench=str(tmp_path / "b"), max_turns=cap)
    run = ours(bench, server, tmp_path, max_turns=cap)
    hold_equal(log, run)
    run.close()


@pytest.mark.slow
def test_a_context_strategy_and_a_judge_of_inspect(server: Server, tmp_path: Path) -> None:
    arguments = {"seed": 3, "dialogues": 2, "turns": 6, "profile": "paper", "max_turns": 5, "context": "last:1"}
    log = inspected("instructions", tmp_path, judge="openai-api/tiny/judge", **arguments)
    assert log.samples
    judged = {seen.body["model"] for seen in server.seen}
    assert judged == {"small", "judge"}
    asked = [seen.body["messages"] for seen in server.seen if seen.body["model"] == "small"]
    assert max(len(messages) for messages in asked) == 4  # system, one round, the query


@pytest.mark.slow
def test_a_fault_of_the_endpoint_counts_for_nothing(server: Server, tmp_path: Path) -> None:
    with serving(error(404, "no such model")) as broken, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TINY_BASE_URL", broken.url)
        log = inspected(
            "instructions", tmp_path, profile="objective", dialogues=2, turns=2, max_turns=2, fail_on_error=False
        )
    assert log.samples and all(sample.error is not None and not sample.scores for sample in log.samples)
    assert all("no such model" in sample.error.message for sample in log.samples if sample.error)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("limit", "turns"),
    [({"token_limit": 25}, 2), ({"message_limit": 5}, 2), ({"message_limit": 6}, 2), ({"turn_limit": 2}, 2)],
)
def test_a_limit_of_inspect_ends_a_dialogue_and_what_was_played_is_scored(
    server: Server, tmp_path: Path, limit: dict[str, int], turns: int
) -> None:
    log = inspected("instructions", tmp_path, profile="objective", dialogues=2, turns=4, max_turns=6, seed=7, **limit)
    [kind] = limit
    for sample in log.samples:
        assert sample.limit is not None and sample.limit.type == kind.removesuffix("_limit")
        stored, score = sample.store["evolif"], sample.scores["figures"]
        assert [one["turn"] for one in stored["turns"]] == list(range(1, turns + 1))
        assert (stored["ending"], stored["cause"]) == ("censored", "cut")
        assert score.metadata["cut"] == stored["reason"] == f"cut by Inspect: its {sample.limit.type} limit"
        # What was played has its figures; how it would have gone on to turn N nobody knows.
        assert isinstance(score.value, dict) and score.value["isr"] is not None and score.value["edr_len"] > 0
        assert score.value["isr_at_n"] is None and score.metadata["course"]["cut"] is True
        assert sample.metadata["ending"] == "censored" and sample.metadata["cause"] == "cut"
        answers = [message.text for message in sample.messages if message.role == "assistant"]
        assert len(answers) >= turns and set(answers) <= set(TEXTS)
    assert log.results.scores[0].scored_samples == 2
    assert len(server.seen) <= 2 * (turns + 1)


@pytest.mark.slow
def test_a_limit_before_the_first_answer_is_no_figure(server: Server, tmp_path: Path) -> None:
    log = inspected("instructions", tmp_path, profile="objective", dialogues=2, turns=2, max_turns=5, message_limit=1)
    assert log.samples and all(sample.limit is not None for sample in log.samples)
    assert log.results and log.results.scores[0].scored_samples == 0


@pytest.mark.slow
def test_a_game_has_no_script_and_is_played_in_a_task_of_a_user(server: Server, tmp_path: Path) -> None:
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.solver import generate

    from evolif.inspect import evolif_dataset, evolif_scorer, evolif_solver

    games = evolif_dataset(scenario="games", dialogues=1, seed=5)
    assert "turns" not in games[0].metadata and games[0].input[-1].role == "user"
    task = Task(dataset=games, solver=evolif_solver(agent=generate(), max_turns=4), scorer=evolif_scorer())
    where = {"model": "openai-api/tiny/small", "model_base_url": os.environ["TINY_BASE_URL"]}
    [log] = evaluate(task, log_dir=str(tmp_path / "logs"), display="none", **where)
    assert log.status == "success"
    played = [(sample, [turn["seat"] for turn in sample.store["evolif"]["turns"]]) for sample in log.samples]
    # The scaffold has the seat under test only; the scripted partner keeps its own.
    assert any("partner" in seats for _, seats in played)
    assert sum(seats.count("target") for _, seats in played) == len(server.seen) > len(played)
    for sample, seats in played:
        assert [message.role for message in sample.messages].count("assistant") == seats.count("target")
        assert sample.scores["evolif_scorer"].metadata["sums"]
    # Prompts of games tell what was said, so the scaffold is not shown it twice.
    told = [[one for one in seen.body["messages"] if one["role"] != "system"] for seen in server.seen]
    assert {len(messages) for messages in told} == {1}


@pytest.mark.slow
def test_the_headline_has_an_error_and_an_interval_and_samples_can_be_filtered(server: Server, tmp_path: Path) -> None:
    from inspect_ai.analysis import evals_df

    log = inspected(
        "instructions", tmp_path, profile="objective", dialogues=6, turns=3, max_turns=3, seed=7, epochs=2, patience=2
    )
    bench = evolif.generate(tmp_path / "b", dialogues=6, turns=3, seed=7, profile="objective")
    run = ours(bench, server, tmp_path, max_turns=3, patience=2, epochs=2)
    [summary] = summarise(run, resamples=20)
    [main] = {score.metadata["headline"] for sample in log.samples for score in sample.scores.values()}
    assert main in summary.metrics.by_name()
    metrics = log.results.scores[0].metrics
    low, high = metrics[f"{main} 95 % low"].value, metrics[f"{main} 95 % high"].value
    assert (low, high) == pytest.approx(summary.intervals[main])
    assert low < metrics[main].value < high
    assert 0 < metrics["stderr"].value < (high - low) / 2
    [row] = evals_df(str(tmp_path / "logs")).to_dict("records")
    assert row["score_headline_metric"] == main and row["score_headline_stderr"] == metrics["stderr"].value
    assert row["score_headline_value"] == metrics[main].value
    told = log.samples[0]
    first = bench.turns(told.id)
    assert told.metadata["persona"] == first[0].persona.id and told.metadata["profile"] == "objective"
    assert told.metadata["topics"][0] == first[0].topic.id and told.metadata["ending"] == "finished"
    assert told.target == ", ".join(told.metadata["groups"]) != ""
    run.close()


@pytest.mark.slow
def test_a_wrong_option_is_told_in_a_sentence(server: Server, tmp_path: Path) -> None:
    from inspect_ai._util.error import PrerequisiteError

    with pytest.raises(PrerequisiteError, match="no such option"):
        inspected("instructions", tmp_path, profile="objective", profil="paper")
    evolif.generate(tmp_path / "b", dialogues=1, turns=1, seed=1, profile="objective")
    with pytest.raises(PrerequisiteError, match="evaluate evolif/instructions"):
        inspected("games", tmp_path, bench=str(tmp_path / "b"))
    with pytest.raises(PrerequisiteError, match="turns cannot be changed"):
        inspected("instructions", tmp_path, profile="objective", bench=str(tmp_path / "b"), turns=3)


@pytest.mark.slow
def test_inspect_finds_the_tasks_by_the_entry_point() -> None:
    from importlib.metadata import entry_points

    [point] = [one for one in entry_points(group="inspect_ai") if one.name == "evolif"]
    tasks = point.load()
    for name in ("instructions", "games", "shifts", "broadcast", "recorded"):
        assert callable(getattr(tasks, name))
