"""Our data set, solver and scorer in tasks of users, driven by the released Inspect in whole evaluations."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.agent import AgentState, agent, react
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, SolverSpec, TaskState, chain, generate, solver, use_tools
from inspect_ai.tool import Tool, tool
from inspect_answers import TEXTS, output, scripted

from evolif.inspect import evolif_dataset, evolif_scorer, evolif_solver

Inspect = Callable[..., Any]
Figures = dict[str, float]
DRAFT, MORE = "A draft, which nobody may judge.", "Now the answer."


def roles(sample: Any) -> str:
    return "".join(message.role[0] for message in sample.messages)


@solver
def whole_script(skip: int = 0, change: int = 0) -> Any:
    """Holds the conversation itself, by the turns in the metadata."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        others = state.metadata["turns"][1:]
        state = await generate(state)
        for number, turn in enumerate(others[: len(others) - skip], 2):
            state.messages.append(ChatMessageUser(content=turn + (" Please!" if number == change else "")))
            state = await generate(state)
        return state

    return solve


@agent
def two_steps() -> Any:
    """Drafts an answer, and then says the one that counts."""

    async def execute(state: AgentState) -> AgentState:
        asked = [one for one in state.messages if one.text not in (DRAFT, MORE)]
        state.messages.append(ModelOutput.from_content("mockllm/model", DRAFT).message)
        state.messages.append(ChatMessageUser(content=MORE))
        state.output = await get_model().generate(asked)
        state.messages.append(state.output.message)
        return state

    return execute


@tool
def count_words() -> Tool:
    async def execute(text: str) -> str:
        """Count the words of a text.

        Args:
            text: The text.
        """
        return str(len(text.split()))

    return execute


def calling(seen: list[Any]) -> Any:
    """A model that calls the tool first, and then says what it found."""

    def answer(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        seen.append([(one.role, one.text) for one in messages])
        last = messages[-1]
        if last.role == "user":
            asked = ModelOutput.for_tool_call("mockllm/model", "count_words", {"text": last.text})
            asked.usage = ModelUsage(input_tokens=1, output_tokens=3, total_tokens=4)
            return asked
        return output(f"It has {last.text} words.")

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def test_a_task_of_a_user_has_the_figures_of_our_runner(
    bench: Any, figures: Figures, inspected: Inspect, figures_of: Any
) -> None:
    task = Task(dataset=evolif_dataset(bench.path), solver=evolif_solver(patience=2), scorer=evolif_scorer())
    log = inspected(task)
    assert log.status == "success" and figures_of(log) == figures != {}
    assert log.results.scores[0].name == "evolif_scorer" and {"stderr", "isr_at_n 95 % low"} <= set(
        log.results.scores[0].metrics
    )


def test_a_scaffold_answers_each_turn_and_its_last_message_counts(
    bench: Any, figures: Figures, inspected: Inspect, figures_of: Any
) -> None:
    task = Task(
        dataset=evolif_dataset(bench.path), solver=evolif_solver(agent=two_steps(), patience=2), scorer=evolif_scorer()
    )
    log = inspected(task)
    # The scaffold shows its model what the runner would, so that it answers the same; the drafts are not judged.
    assert figures_of(log) == figures
    for sample in log.samples:
        turns = len(sample.store["evolif"]["turns"])
        assert roles(sample) == "s" + "uaua" * turns
        assert {one.text for one in sample.messages[4::4]} <= set(TEXTS)


@pytest.mark.parametrize("form", ["agent", "tools", "function"])
def test_a_scaffold_with_tools_sees_what_it_did_before(bench: Any, inspected: Inspect, form: str) -> None:
    async def own(state: AgentState) -> AgentState:
        return await react(tools=[count_words()], submit=False, prompt=None)(state)

    forms = {
        "agent": lambda: evolif_solver(agent=react(tools=[count_words()], submit=False, prompt="Count."), max_turns=3),
        "tools": lambda: chain(use_tools(count_words()), evolif_solver(max_turns=3)),
        "function": lambda: evolif_solver(agent=own, max_turns=3),
    }
    seen: list[Any] = []
    task = Task(dataset=evolif_dataset(bench.path), solver=forms[form](), scorer=evolif_scorer())
    log = inspected(task, model=calling(seen), limit=1)
    [sample] = log.samples
    assert log.status == "success" and roles(sample) == "s" + "uata" * 3
    first = sample.metadata["turns"][0]
    assert next(one.text for one in sample.messages if one.role == "tool") == str(len(first.split()))
    assert sample.messages[4].text == f"It has {len(first.split())} words." and sample.scores["evolif_scorer"].value
    # At the third turn the model was shown both earlier calls, and its scaffold's system text once.
    assert [role[0] for role, _ in seen[-1]].count("t") == 3
    assert sum(text.startswith("Count.") for _, text in seen[-1]) == (form == "agent")


def test_a_context_strategy_decides_what_a_scaffold_sees(bench: Any, inspected: Inspect) -> None:
    seen: list[Any] = []
    task = Task(
        dataset=evolif_dataset(bench.path),
        solver=evolif_solver(agent=generate(), context="last:1"),
        scorer=evolif_scorer(),
    )
    log = inspected(task, model=scripted(seen), limit=1)
    assert log.status == "success" and max(map(len, seen)) == 4  # system, one round, the query


def test_a_conversation_of_another_solver_has_the_figures_of_our_runner(
    bench: Any, figures: Figures, inspected: Inspect, figures_of: Any
) -> None:
    task = Task(dataset=evolif_dataset(bench.path), solver=whole_script(), scorer=evolif_scorer(patience=2))
    log = inspected(task)
    assert figures_of(log) == figures
    for sample in log.samples:
        assert roles(sample) == "s" + "ua" * 5  # it went on after patience had run out, which does not count
        assert set(sample.metadata["turns"]) == {one.text for one in sample.messages if one.role == "user"}
        assert sample.scores["evolif_scorer"].metadata["session"]["patience"] == 2
        assert "witness" not in json.dumps(sample.metadata)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"skip": 2}, "the conversation ends before turn 4 of dialogue 1, which goes on"),
        ({"change": 3}, "turn 3 of dialogue 1 differs: the user says “"),
    ],
)
def test_another_conversation_is_unscored_and_says_which_turn_differs(
    bench: Any, inspected: Inspect, how: dict[str, int], says: str
) -> None:
    task = Task(dataset=evolif_dataset(bench.path), solver=whole_script(**how), scorer=evolif_scorer(patience=9))
    log = inspected(task, limit=2)
    assert log.status == "success" and log.results.scores[0].scored_samples == 0
    score = log.samples[0].scores["evolif_scorer"]
    assert score.value != score.value and says in score.explanation and score.explanation.count("\n") == 0


def test_a_script_ends_with_its_turns_where_some_stay_unjudged(inspected: Inspect, tmp_path: Path) -> None:
    import evolif

    paper = evolif.generate(tmp_path / "paper", dialogues=1, turns=3, seed=3, profile="paper")
    groups = [[one.group for one in turn.constraints] for turn in paper.turns(1)]
    log = inspected(Task(dataset=evolif_dataset(paper.path), solver=whole_script(), scorer=evolif_scorer(patience=9)))
    score = log.samples[0].scores["evolif_scorer"]
    judged = [[verdict["satisfied"] for verdict in turn["verdicts"]] for turn in score.metadata["session"]["turns"]]
    assert list(map(len, judged)) == list(map(len, groups))
    assert any(set(own) == {None} for own in judged)  # nobody judges what is subjective
    assert score.metadata["ending"] == "censored" and score.metadata["cause"] == "benchmark"


def test_inspect_score_finds_the_scorer_by_its_name(
    bench: Any, figures: Figures, inspected: Inspect, figures_of: Any
) -> None:
    from inspect_ai import score
    from inspect_ai._eval.loader import scorer_from_spec
    from inspect_ai.scorer._scorer import ScorerSpec

    log = inspected(Task(dataset=evolif_dataset(bench.path), solver=whole_script()))
    named = scorer_from_spec(ScorerSpec(scorer="evolif/evolif_scorer"), None, patience=2)
    again = score(read_eval_log(log.location), named, model=scripted(), display="none")
    assert figures_of(again) == figures


def test_tasks_of_ours_take_a_scaffold(bench: Any, inspected: Inspect, tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "mine.py").write_text(
        "from evolif.inspect import evolif_solver\n"
        "from inspect_ai.solver import generate, prompt_template, solver\n\n\n"
        "@solver\ndef shouting():\n"
        "    return [prompt_template('{prompt} LOUDER'), generate()][1]\n\n\n"
        "@solver\ndef mine():\n    return evolif_solver(agent=generate())\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    arguments = {"bench": str(bench.path), "max_turns": 2}
    plain = inspected("evolif/instructions", task_args=arguments, limit=2)
    for log in (
        inspected("evolif/instructions", task_args={**arguments, "agent": "mine.py@shouting"}, limit=2),
        inspected("evolif/instructions", task_args=arguments, limit=2, solver=SolverSpec(solver="mine.py@mine")),
    ):
        assert log.status == "success"
        assert [sample.store["evolif"] for sample in log.samples] == [
            sample.store["evolif"] for sample in plain.samples
        ]


def test_a_solver_that_would_answer_once_is_refused_before_anything_is_paid_for(bench: Any, inspected: Inspect) -> None:
    seen: list[Any] = []
    log = inspected(
        "evolif/instructions", model=scripted(seen), task_args={"bench": str(bench.path)}, solver=generate()
    )
    assert log.status == "error" and seen == []
    assert "plays its dialogues turn by turn" in log.error.message and "-T agent=" in log.error.message
    given = SolverSpec(solver="evolif/evolif_solver", args_passed={"patience": 3})
    log = inspected("evolif/instructions", model=scripted(seen), task_args={"bench": str(bench.path)}, solver=given)
    assert log.error.message == "the task says how its dialogues are played (-T); give its solver an agent only"
    assert seen == []


def test_a_dialogue_that_ends_by_itself_is_scored_to_its_end(inspected: Inspect) -> None:
    shifts = evolif_dataset(scenario="shifts", dialogues=1, seed=5)
    assert len(shifts[0].metadata["turns"]) > 5
    log = inspected(Task(dataset=shifts, solver=whole_script(), scorer=evolif_scorer()))
    assert log.samples[0].scores["evolif_scorer"].metadata["ending"] == "finished"


def test_wrong_arguments_are_a_sentence(bench: Any, tmp_path: Path) -> None:
    for wrong, says in (
        (lambda: evolif_dataset(tmp_path / "none"), "is not a benchmark"),
        (lambda: evolif_dataset(bench.path, turns=3), "turns cannot be changed"),
        (lambda: evolif_dataset(turnz=3), "no such option"),
        (lambda: evolif_dataset(bench.path, max_turns=0), "max_turns must be at least 1"),
        (lambda: evolif_dataset(bench.path, scenario="games"), "evaluate evolif/instructions"),
        (lambda: evolif_solver(patience=0), "patience must be at least 1"),
        (lambda: evolif_solver(agent="nobody"), "there is no agent or solver nobody"),
        (lambda: evolif_solver(agent=3), "an agent is a solver or an agent of Inspect"),
        (lambda: evolif_scorer(max_turns=0), "max-turns must be at least 1"),
    ):
        with pytest.raises(PrerequisiteError, match=says) as caught:
            wrong()
        assert "\n" not in str(caught.value).strip()


def test_a_sample_of_nowhere_and_a_moved_benchmark_are_a_sentence(
    bench: Any, inspected: Inspect, tmp_path: Path
) -> None:
    from inspect_ai.dataset import Sample

    log = inspected(Task(dataset=[Sample(input="hello", id=1)], solver=evolif_solver(), scorer=evolif_scorer()))
    assert "make it with evolif_dataset, or say bench=FOLDER" in log.error.message
    import evolif

    other = evolif.generate(tmp_path / "other", dialogues=1, turns=1, seed=8, profile="objective")
    log = inspected(
        Task(dataset=evolif_dataset(bench.path), solver=evolif_solver(bench=str(other.path)), scorer=evolif_scorer())
    )
    assert "is not the benchmark of these samples" in log.error.message
    given = {"dataset": [Sample(input="hello", id="first")], "scorer": evolif_scorer()}
    log = inspected(Task(solver=evolif_solver(bench=str(bench.path)), **given))
    assert "the sample first is no dialogue" in log.error.message
