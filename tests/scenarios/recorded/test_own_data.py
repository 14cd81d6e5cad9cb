"""Files of one's own data: MT-Bench, ShareGPT, OpenAI messages and Multi-IF, good ones and bad ones.

The files in `cases/own` and what a careful reader makes of them (`expected.yaml`) were written by somebody who had not
seen the program, but for those of part E, which were added after faults.
"""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from evolif.benchmark import open_benchmark
from evolif.errors import InputError
from evolif.exchange.dialogs import ImportOptions, import_dialogs
from evolif.runner import evaluate
from evolif.scenarios.recorded import Dialog
from evolif.scenarios.recorded.conversations import is_own, read_own, shape_of
from tests.recorded_dialogs import Scripted, report, shown

OWN = Path(__file__).parent / "cases" / "own"
EXPECTED = yaml.safe_load((OWN / "expected.yaml").read_text(encoding="utf-8"))
SHAPES = {"mtbench": "mt_bench", "openai": "messages", "multiif": "multi_if", "sharegpt": "sharegpt"}


def counts(talk: Dialog) -> dict[str, Any]:
    turns = talk.dialog_turns
    return {
        "user_turns": sum(one.role == "user" and "raw_role" not in one.turn_labels for one in turns),
        "evaluated": sum(one.evaluated for one in turns),
        "with_reference": sum(one.evaluated and bool(one.reference) for one in turns),
        "system": any(one.role == "system" for one in turns),
    }


@pytest.mark.parametrize("name", EXPECTED["good"])
def test_good_files_are_read_as_a_careful_reader_would(name: str) -> None:
    expected, path = EXPECTED["good"][name], OWN / "good" / name
    found = read_own(path)
    assert found.shape == shape_of(path) == SHAPES[expected["shape"]] and is_own(path)
    assert len(found.dialogs) == expected["conversations"]
    for talk, own in zip(found.dialogs, expected["each"], strict=True):
        allowed = [own, *({**own, **other} for other in own.get("accept", []))]
        assert any(all(one.get(key) == value for key, value in counts(talk).items()) for one in allowed), own
        assert own["id"] is None or talk.dialog_raw_info["raw_id"] == own["id"]
        if "instructions" in own:
            assert [len(one.eval_config.metrics) for one in talk.dialog_turns if one.evaluated] == own["instructions"]
            assert talk.dialog_labels == {"language": own["language"]}
    texts = "\n".join(f"{one.content}\n{one.reference}" for talk in found.dialogs for one in talk.dialog_turns)
    assert all(kept in texts for kept in expected.get("keeps", []))
    wanted = len(expected.get("notices", [])) + len(expected.get("skipped", []))
    assert len(found.notices) >= wanted and (wanted or not found.notices)


@pytest.mark.parametrize("name", EXPECTED["bad"])
def test_bad_files_are_one_sentence_that_names_the_place(name: str, tmp_path: Path) -> None:
    where = EXPECTED["bad"][name]["where"]
    with pytest.raises(InputError) as caught:
        import_dialogs(OWN / "bad" / name, tmp_path / "bench")
    told = str(caught.value)
    assert str(OWN / "bad" / name) in told and "\n" not in told and len(told) < 600
    assert told.encode("utf-8"), "it can be printed"
    if "item" in where:
        assert f"item {where['item']}" in told
    elif "row" in where:
        assert f"row {where['row']}" in told and f"line {where['line']}" in told
    elif "line" in where and where.get("field") != "turn_2_kwargs":  # a missing column is told at the first row
        assert f"line {where['line']}" in told
    if "message" in where:
        assert f"message {where['message']}" in told
    if "field" in where and name != "multiif_field_200kb.csv":
        assert where["field"] in told
    assert not (tmp_path / "bench").exists()


def test_files_of_others_are_not_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    for text in (
        '{"turn": 1, "constraints": [], "dialogue": 1}',
        '{"conversation_id": "a", "user_turns": []}',
        "",
        "x",
    ):
        path.write_text(text)
        assert not is_own(path)
    assert not is_own(tmp_path / "none.json")


@pytest.mark.parametrize("shape", [{"prompt": "Hi", "completion": "Hello"}, [["Hi"]], "Hi"])
def test_a_shape_that_is_not_read_names_those_that_are_and_the_page(shape: Any, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([shape]))
    with pytest.raises(InputError, match=r"item 1: .*MT-Bench.*ShareGPT.*OpenAI.*Multi-IF.*how-to/own-dialogues\.md"):
        import_dialogs(path, tmp_path / "bench")


def test_questions_of_mt_bench_are_played_and_judged(tmp_path: Path) -> None:
    made = import_dialogs(OWN / "good" / "mtbench_questions.jsonl", tmp_path / "bench")
    assert made.metrics == {"llm_judge": 10} and not made.unscored_turns and not made.unscorable
    model = Scripted(lambda request: f"answer {len(request.messages)}")
    judge = Scripted(lambda request: '{"Rationale": "fine", "Score": 10}', "fake/judge")
    with closing(evaluate(open_benchmark(tmp_path / "bench"), model, tmp_path / "run", judge=judge)) as run:
        assert report(run)["score"]["value"] == 1.0
    assert [role for role, _ in shown(model.asked[-1])] == ["user", "assistant", "user"]
    assert sum("A reference answer" in request.messages[-1].content for request in judge.asked) == 3


def test_conversations_are_scored_by_the_metric_that_is_named(tmp_path: Path) -> None:
    path = OWN / "good" / "sharegpt_classic.json"
    assert import_dialogs(path, tmp_path / "plain").unscored_turns > 5
    made = import_dialogs(path, tmp_path / "bench", ImportOptions(metrics=("recall",)))
    assert made.unscored_turns == 0 and made.metrics["recall"] == made.evaluated_turns
    with closing(evaluate(open_benchmark(tmp_path / "bench"), "sim/reference", tmp_path / "run")) as run:
        told = report(run)
    assert told["score"]["value"] == 1.0
    assert told["coverage"]["failures"] == {"no_reference": made.unscorable["no_reference"]}


def test_multi_if_is_scored_by_its_instructions(tmp_path: Path) -> None:
    made = import_dialogs(OWN / "good" / "multiif_as_published.csv", tmp_path / "bench", ImportOptions("multi_if"))
    assert made.benchmark_id == "multi_if" and set(made.metrics) == {"instruction_following"} and not made.unscorable
    assert made.metrics["instruction_following"] == 9 + 6 + 3


def test_tool_results_are_shown_to_the_model_as_context(tmp_path: Path) -> None:
    made = import_dialogs(OWN / "good" / "openai_parts_and_tools.json", tmp_path / "bench")
    assert any("tool calls and their results are context" in notice for notice in made.notices)
    assert any("image_url is left out" in notice for notice in made.notices)


def test_a_system_text_before_the_answer_leaves_the_users_message_last(tmp_path: Path) -> None:
    import_dialogs(OWN / "good" / "openai_system_between.jsonl", tmp_path / "bench")
    bench = open_benchmark(tmp_path / "bench")
    roles = [[one.role for one in prompt.messages] for number in bench.dialogues() for prompt in bench.asked(number)[1]]
    after_the_result = ["user", "assistant", "system", "user"]
    assert roles == [["user"], ["user"], after_the_result, ["user"], ["user"]]
    assert bench.asked(1)[0] == "The user is on the island.", "what comes before the first question opens the dialogue"


def test_conversations_without_anything_to_score_are_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "talks.jsonl"
    call = {"role": "assistant", "content": "", "tool_calls": [{"id": "a"}]}
    question = {"role": "user", "content": "Hi"}
    talks = [[question, call], [question], [{"role": "assistant", "content": "Hello"}]]
    path.write_text("\n".join(json.dumps({"messages": talk}) for talk in talks))
    found = read_own(path)
    assert [talk.dialog_raw_info["place"] for talk in found.dialogs] == ["line 2"]
    left_out = [notice for notice in found.notices if "is left out" in notice]
    assert "line 1 is left out: only tool calls follow its user's messages" in left_out[0]
    assert "line 3 is left out: no message of its conversations is a user's" in left_out[1]
    path.write_text(json.dumps({"messages": talks[0]}))
    with pytest.raises(InputError, match=r"line 1: only tool calls follow .*; add the tool's result and the answer"):
        import_dialogs(path, tmp_path / "bench")


def test_an_id_that_is_twice_there_is_told_under_its_own_key(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    rows = [{"id": None, "question_id": "x" * 70, "turns": ["Hi"]}] * 2
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(InputError, match=r"line 2: \(id x{60}\): its question_id is also that of line 1; give each"):
        read_own(path)


def test_arguments_that_pandas_has_as_nan_are_left_out(tmp_path: Path) -> None:
    made = import_dialogs(OWN / "good" / "multiif_pandas_nan.jsonl", tmp_path / "bench", ImportOptions("multi_if"))
    assert made.metrics == {"instruction_following": 4} and not made.unscorable
    [turn] = [
        one for one in read_own(OWN / "good" / "multiif_pandas_nan.jsonl").dialogs[0].dialog_turns if one.evaluated
    ]
    assert [one.args["inst_args"] for one in turn.eval_config.metrics] == [{"keywords": ["rope"]}, {}]
