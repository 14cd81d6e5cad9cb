"""Dialogues as the page of the schema has them: objects, folders, alternation, play, units and sessions."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evolif.errors import EvolifError, InputError, ModelError
from evolif.scenarios.recorded import (
    Dialog,
    DialogEvalConfig,
    Interrupted,
    MetricConfig,
    Turn,
    TurnEvalConfig,
    describe,
    ensure_alternating_roles,
    play,
    read_dialogs,
    read_records,
    read_summary,
    units,
    write_dialogs,
    write_records,
    write_summary,
)

REFUSED = (ValueError, EvolifError)
"""What a wrong value may raise: pydantic's errors are ValueErrors."""


def turn(turn_id: int, role: str, content: Any = None, **more: Any) -> dict[str, Any]:
    return {"turn_id": turn_id, "role": role, "content": content, **more}


def asked(turn_id: int, *metrics: str, **more: Any) -> dict[str, Any]:
    """An assistant turn that is to be answered."""
    config = {"do_eval": True, "metrics": [{"class_name": name} for name in metrics]}
    return turn(turn_id, "assistant", **{"eval_config": config, **more})


def dialog(*turns: dict[str, Any], dialog_id: int = 0, **more: Any) -> Dialog:
    return Dialog.model_validate({"dialog_id": dialog_id, "dialog_turns": list(turns), **more})


def store(folder: Path, name: str, value: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(value), encoding="utf-8")
    return folder


# Objects


def test_defaults_of_the_objects() -> None:
    found = dialog({"turn_id": 3, "role": "user"})
    assert (found.dialog_raw_info, found.dialog_labels) == ({}, {})
    assert found.dialog_eval_config == DialogEvalConfig(use_reference_history=False)
    [only] = found.dialog_turns
    assert isinstance(only, Turn)
    assert (only.content, only.reference, only.reference_document, only.turn_labels) == (None, None, None, {})
    assert isinstance(only.eval_config, TurnEvalConfig)
    assert (only.eval_config.do_eval, only.eval_config.metrics) == (False, [])
    assert only.eval_config.dynamic_config_source == {}
    assert MetricConfig.model_validate({"class_name": "recall"}).args == {}


@pytest.mark.parametrize(
    "change",
    [
        {"content": [{"type": "text", "text": "a"}, "b"]},
        {"reference": ["a", "b"]},
        {"reference": "a"},
        {"reference_document": [0, 2]},
        {"reference_document": "a document"},
        {"turn_labels": {"raw_date_time": "2024-05-01", "topic": {"deep": [1, None]}}},
        {"own_key": {"kept": [1.5, None, True]}},
    ],
)
def test_dumping_gives_what_was_read(change: dict[str, Any]) -> None:
    found = dialog({**asked(1, "recall"), **change}, own_key="kept")
    dumped = found.model_dump()
    assert Dialog.model_validate(dumped) == found
    [key] = change
    assert dumped["dialog_turns"][0][key] == change[key]
    assert dumped["own_key"] == "kept"


@pytest.mark.parametrize(
    "wrong",
    [
        {"dialog_turns": []},
        {"dialog_id": 1},
        {"dialog_id": "1", "dialog_turns": []},
        {"dialog_id": True, "dialog_turns": []},
        {"dialog_id": 1, "dialog_turns": {}},
        {"dialog_id": 1, "dialog_turns": [{"role": "user"}]},
        {"dialog_id": 1, "dialog_turns": [{"turn_id": 1}]},
        {"dialog_id": 1, "dialog_turns": [turn(1, "bot", "a")]},
        {"dialog_id": 1, "dialog_turns": [turn(1, "user", 5)]},
        {"dialog_id": 1, "dialog_turns": [turn(1, "user", [{"type": "image_url", "image_url": "x"}])]},
        {"dialog_id": 1, "dialog_turns": [turn(1, "user", ["a", 5])]},
        {"dialog_id": 1, "dialog_turns": [turn(1, "user", "a"), turn(1, "assistant", "b")]},
        {"dialog_id": 1, "dialog_turns": [turn(1, "user", "a", eval_config={"do_eval": True})]},
        {"dialog_id": 1, "dialog_turns": [turn(1, "assistant", reference=5)]},
        {"dialog_id": 1, "dialog_turns": [turn(1, "assistant", reference_document=["a"])]},
        {"dialog_id": 1, "dialog_turns": [turn(1, "assistant", eval_config={"metrics": [{"args": {}}]})]},
        {"dialog_id": 1, "dialog_turns": [], "dialog_labels": ["a"]},
        {"dialog_id": 1, "dialog_turns": [], "dialog_eval_config": {"use_reference_history": "yes"}},
    ],
)
def test_wrong_dialogues_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(REFUSED):
        Dialog.model_validate(wrong)


def test_describe_counts() -> None:
    first = dialog(turn(0, "system", "s"), turn(1, "user", "a"), asked(2, "recall", "f1_score"), turn(3, "user", "b"))
    second = dialog(
        turn(0, "user", "a"),
        # Entries of a turn that is not evaluated do not count.
        turn(1, "assistant", "b", eval_config={"do_eval": False, "metrics": [{"class_name": "precision"}]}),
        turn(2, "user", "c"),
        asked(3, "recall"),
        dialog_id=1,
    )
    assert describe([first, second]) == {
        "dialogues": 2,
        "turns": 8,
        "evaluated_turns": 2,
        "metrics": {"recall": 2, "f1_score": 1},
        "given_assistant_turns": 1,
    }
    assert describe([]) == {"dialogues": 0, "turns": 0, "evaluated_turns": 0, "metrics": {}, "given_assistant_turns": 0}


# Alternation


@pytest.mark.parametrize(
    ("roles", "result"),
    [
        ("s a u u", "s (u) a u (a) u"),
        ("u a u a", "u a u a"),
        ("u u u", "u (a) u (a) u"),
        ("a a", "(u) a (u) a"),
        ("u s a s s u", "u s a s s u"),
        ("u s u", "u s (a) u"),
        ("s s", "s s"),
        ("s s a", "s s (u) a"),
        ("u", "u"),
        ("", ""),
    ],
)
def test_alternation(roles: str, result: str) -> None:
    words = {"s": "system", "u": "user", "a": "assistant"}
    given = dialog(*(turn(number, words[role], "x") for number, role in enumerate(roles.split())))
    before = given.model_dump()
    found = ensure_alternating_roles(given)
    shown = [f"({each.role[0]})" if each.turn_id == -1 else each.role[0] for each in found.dialog_turns]
    assert " ".join(shown) == result
    assert all(each.content == "" and not each.eval_config.do_eval for each in found.dialog_turns if each.turn_id == -1)
    assert [each for each in found.dialog_turns if each.turn_id != -1] == given.dialog_turns
    assert given.model_dump() == before
    assert Dialog.model_validate(found.model_dump()) == found
    assert ensure_alternating_roles(found) == found


# Folders


ODD: dict[str, Any] = {
    "dialog_id": 7,
    "dialog_labels": {"task_type": "größe", "nested": {"a": [1, 2.5, None]}},
    "dialog_eval_config": {"use_reference_history": True, "extra": 1},
    "dialog_turns": [
        {"turn_id": 0, "role": "user", "content": [{"type": "text", "text": "日本"}, "b"], "extra": {"x": None}},
        {
            "turn_id": 1,
            "role": "assistant",
            "content": None,
            "reference": ["a", "b"],
            "reference_document": [0],
            "eval_config": {
                "do_eval": True,
                "metrics": [{"class_name": "recall", "args": {"binary": True}, "weight": 2}],
                "dynamic_config_source": {"from": "elsewhere"},
            },
            "turn_labels": {"raw_note": "n"},
        },
    ],
    "extra": [1, {"deep": "x"}],
}


def test_reading_and_writing_gives_equal_json(tmp_path: Path) -> None:
    bare = {"dialog_id": 10, "dialog_turns": [{"turn_id": 1, "role": "user"}]}
    store(tmp_path / "in", "7.json", ODD)
    store(tmp_path / "in", "10.json", bare)
    write_dialogs(tmp_path / "out", read_dialogs(tmp_path / "in"), benchmark_id="b", raw_path="/home/me/sets/raw/")
    written = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "out").iterdir()}
    assert written == {
        "7.json": ODD,
        "10.json": bare,
        "_meta.json": {"version": 1, "raw_path": "raw", "benchmark_id": "b", "count": 2},
    }
    text = (tmp_path / "out" / "7.json").read_text(encoding="utf-8")
    assert "größe" in text and "日本" in text
    assert text.splitlines()[1].startswith('  "')


def test_files_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    for number in (2, 10, 1):
        store(tmp_path, f"{number}.json", {"dialog_id": number, "dialog_turns": []})
    store(tmp_path, "_meta.json", {"version": 1, "raw_path": "", "benchmark_id": "b", "count": 99})
    store(tmp_path, "_prompt_templates.json", {"not": "a dialogue"})
    store(tmp_path, ".hidden.json", ["not a dialogue"])
    store(tmp_path / "sub", "5.json", {"dialog_id": 5, "dialog_turns": []})
    assert [found.dialog_id for found in read_dialogs(tmp_path)] == [1, 10, 2]
    assert sorted(found.dialog_id for found in read_dialogs(tmp_path, recursive=True)) == [1, 2, 5, 10]


def test_doubled_ids_are_found_over_all_that_is_read(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "sub"):
        store(folder, "5.json", {"dialog_id": 5, "dialog_turns": []})
    assert len(read_dialogs(tmp_path)) == 1
    with pytest.raises(InputError, match=r"5\.json"):
        read_dialogs(tmp_path, recursive=True)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{", "3.json"),
        ("", "3.json"),
        ("[]", "3.json"),
        ("null", "3.json"),
        ("[" * 100_000, "3.json"),
        ('{"dialog_id": 3}', "dialog_turns"),
        ('{"dialog_id": 3, "dialog_turns": [{"turn_id": 41, "role": "bot"}]}', "41"),
        ('{"dialog_id": 3, "dialog_turns": [{"turn_id": 41, "role": "user"}, {"turn_id": 41, "role": "user"}]}', "41"),
        ('{"dialog_id": 3, "dialog_turns": [{"turn_id": 41, "role": "user", "content": 5}]}', "41"),
        ('{"dialog_id": 3, "dialog_turns": [{"turn_id": 41, "role": "user", "eval_config": {"do_eval": true}}]}', "41"),
    ],
)
def test_a_broken_file_is_named_with_its_turn(tmp_path: Path, text: str, names: str) -> None:
    (tmp_path / "3.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_dialogs(tmp_path)
    assert "3.json" in str(caught.value)
    assert names in str(caught.value)


def test_bytes_that_are_no_text_and_missing_folders_are_named(tmp_path: Path) -> None:
    (tmp_path / "3.json").write_bytes(b'{"dialog_id": 3, "x": "\xff"}')
    with pytest.raises(InputError, match=r"3\.json"):
        read_dialogs(tmp_path)
    with pytest.raises(EvolifError, match="nowhere"):
        read_dialogs(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("given", "kept"),
    [("", ""), ("raw", "raw"), ("/srv/me/raw.json", "raw.json"), ("../up/raw/", "raw"), ("C:\\me\\raw", "raw")],
)
def test_a_raw_path_is_a_name(tmp_path: Path, given: str, kept: str) -> None:
    write_dialogs(str(tmp_path / "deep" / "set"), [], benchmark_id="b", version=3, raw_path=given)
    meta = json.loads((tmp_path / "deep" / "set" / "_meta.json").read_text(encoding="utf-8"))
    assert meta == {"version": 3, "raw_path": kept, "benchmark_id": "b", "count": 0}
    assert read_dialogs(str(tmp_path / "deep" / "set")) == []


def test_dialogues_with_one_id_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(REFUSED):
        write_dialogs(tmp_path / "set", [dialog(dialog_id=3), dialog(dialog_id=3)], benchmark_id="b")
    assert not list(tmp_path.rglob("*.json"))


def a_record(dialog_id: int | str = 0, turn_id: int = 1, score: Any = 1.0, **more: Any) -> dict[str, Any]:
    return {
        "dialog_id": dialog_id,
        "turn_id": turn_id,
        "metric_name": "recall",
        "score": score,
        "details": {},
        "dialog_labels": {},
        "turn_labels": {},
        **more,
    }


def test_records_are_written_and_read_back(tmp_path: Path) -> None:
    folder = tmp_path / "eval_details"
    dialogs = [dialog(dialog_id=3), dialog(dialog_id=4)]
    records = [a_record(3, score=None, details={"failure": "judge", "größe": [1]}), a_record(3, 2, 0.25, own=1)]
    store(folder, "9.json", [a_record(9)])
    write_records(folder, dialogs, records)
    assert json.loads((folder / "4.json").read_text(encoding="utf-8")) == []
    assert json.loads((folder / "3.json").read_text(encoding="utf-8")) == records
    assert [each["dialog_id"] for each in read_records(folder)] == [3, 3, 9]
    assert read_records(folder)[:2] == records
    assert sorted(path.name for path in folder.iterdir()) == ["3.json", "4.json", "9.json"]


def test_a_record_of_another_dialogue_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(REFUSED):
        write_records(tmp_path, [dialog(dialog_id=3)], [a_record(3), a_record(5)])


@pytest.mark.parametrize("text", ["{", "{}", "[5]", "null"])
def test_broken_records_are_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "3.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"3\.json"):
        read_records(tmp_path)


SUMMARY: dict[str, Any] = {
    "config": {"turn_stat": "mean", "dialog_stat": "min", "dataset_level": "dialog"},
    "global": {"count": 1, "mean": 0.5, "min": 0.5, "max": 0.5},
    "by_metric": {},
    "by_label": {"dialog": {"task_type:größe": {"count": 1, "mean": 0.5, "min": 0.5, "max": 0.5}}, "turn": {}},
}


def test_a_summary_is_written_under_its_outer_key(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    write_summary(path, SUMMARY)
    assert json.loads(path.read_text(encoding="utf-8")) == {"summary": SUMMARY}
    assert read_summary(path) == SUMMARY
    write_summary(path, SUMMARY, flat=True)
    flat = read_summary(path)
    assert flat["by_label"]["dialog"] == {
        "task_type:('größe', 'count')": 1.0,
        "task_type:('größe', 'mean')": 0.5,
        "task_type:('größe', 'min')": 0.5,
        "task_type:('größe', 'max')": 0.5,
    }
    assert {**flat, "by_label": None} == {**SUMMARY, "by_label": None}
    assert [each.name for each in tmp_path.iterdir()] == ["summary.json"]


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"summary": 5}'])
def test_a_broken_summary_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "summary.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"summary\.json"):
        read_summary(path)


# Play


class Model:
    """Answers a1, a2, …, and remembers what it was shown."""

    def __init__(self, fails_at: int | None = None, fault: Exception | None = None) -> None:
        self.shown: list[list[tuple[str, str]]] = []
        self.types: set[type] = set()
        self.fails_at = fails_at
        self.fault = fault or ModelError("the endpoint is gone")

    async def __call__(self, messages: Sequence[Any]) -> str:
        self.types |= {type(messages), *(type(message) for message in messages)}
        self.shown.append([(message.role, message.content) for message in messages])
        if len(self.shown) == self.fails_at:
            raise self.fault
        return f"a{len(self.shown)}"


def contents(found: Dialog) -> list[Any]:
    return [each.content for each in found.dialog_turns]


TALK = (
    turn(0, "system", "s"),
    turn(1, "user", "q1"),
    asked(2, content="old", reference=["r1", "r2"]),
    turn(3, "user", ["q2", {"type": "text", "text": "more"}]),
    turn(4, "assistant", "given"),
    turn(5, "user"),
    asked(6),
)


def test_on_policy_the_model_hears_itself() -> None:
    given, model = dialog(*TALK), Model()
    before = given.model_dump()
    played = asyncio.run(play(given, model))
    first = [("system", "s"), ("user", "q1")]
    rest = [("user", "q2\nmore"), ("assistant", "given"), ("user", "")]
    assert model.shown == [first, [*first, ("assistant", "a1"), *rest]]
    assert contents(played)[2] == "a1" and contents(played)[6] == "a2"
    assert contents(played)[4] == "given"
    assert given.model_dump() == before


def test_messages_are_a_tuple_of_the_projects_own() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from evolif.domain import Message
    model = Model()
    asyncio.run(play(dialog(*TALK), model))
    assert model.types == {tuple, Message}


@pytest.mark.parametrize(
    ("heard", "change"),
    [
        ("r1", {"reference": ["r1", "r2"], "content": "old"}),
        ("r", {"reference": "r"}),
        ("", {"reference": "", "content": "old"}),
        ("old", {"reference": [], "content": "old"}),
        ("old", {"content": "old"}),
        ("", {"content": ""}),
    ],
)
def test_off_policy_the_model_hears_the_reference(heard: str, change: dict[str, Any]) -> None:
    given = dialog(
        turn(1, "user", "q1"),
        {**asked(2), **change},
        turn(3, "user", "q2"),
        asked(4),
        dialog_eval_config={"use_reference_history": True},
    )
    model = Model()
    played = asyncio.run(play(given, model))
    assert model.shown[1] == [("user", "q1"), ("assistant", heard), ("user", "q2")]
    assert [contents(played)[1], contents(played)[3]] == ["a1", "a2"]


@pytest.mark.parametrize("nothing", [{}, {"reference": []}])
def test_off_policy_with_neither_is_an_error_before_the_first_call(nothing: dict[str, Any]) -> None:
    given = dialog(
        asked(1, reference="r"), asked(2, **nothing), asked(3), dialog_eval_config={"use_reference_history": True}
    )
    model = Model()
    with pytest.raises(REFUSED):
        asyncio.run(play(given, model))
    assert model.shown == []


@pytest.mark.parametrize("fault", [ModelError("gone"), TimeoutError("late"), RuntimeError("odd")])
def test_a_fault_keeps_the_turns_before_it(fault: Exception) -> None:
    model = Model(fails_at=2, fault=fault)
    given = dialog(turn(1, "user", "q1"), asked(2), turn(3, "user", "q2"), asked(4), turn(5, "user", "q3"), asked(6))
    with pytest.raises(Interrupted) as caught:
        asyncio.run(play(given, model))
    assert len(model.shown) == 2
    kept = {each.turn_id: each.content for each in caught.value.dialog.dialog_turns}
    assert (kept[1], kept[2]) == ("q1", "a1")
    assert kept.get(4) is None and kept.get(6) is None
    assert caught.value.__cause__ is fault
    assert contents(given)[1] is None


def test_an_empty_answer_is_the_models_own() -> None:
    shown: list[Any] = []

    async def silent(messages: Sequence[Any]) -> str:
        shown.append(messages)
        return ""

    given = dialog(turn(1, "user", "q"), asked(2, content="old"), turn(3, "user", "r"), asked(4, reference="gold"))
    played = asyncio.run(play(given, silent))
    assert contents(played) == ["q", "", "r", ""]
    assert [message.content for message in shown[1]] == ["q", "", "r"]


def test_a_dialogue_without_evaluated_turns_calls_nobody() -> None:
    model = Model()
    given = dialog(turn(1, "user", "q"), turn(2, "assistant", "a"))
    assert asyncio.run(play(given, model)) == given
    assert model.shown == []


# Units


def plain(found: Sequence[Any]) -> list[tuple[list[int], str]]:
    return [(list(turn_ids), text) for turn_ids, text in found]


HISTORY = (
    turn(0, "system", "s"),
    turn(1, "user", "u1", turn_labels={"raw_date_time": "1 May 2024"}),
    turn(2, "assistant", "a2"),
    turn(3, "user", "u3"),
    turn(4, "user", ["u4", "more"]),
    turn(-1, "user", ""),
    asked(5, content="a5", reference="r5"),
    turn(6, "user", "u6"),
    asked(7),
)


def test_units_are_exchanges_before_a_turn() -> None:
    assert plain(units(dialog(*HISTORY), 7)) == [
        ([1, 2], "1 May 2024\nUser: u1\nAssistant: a2"),
        ([3], "User: u3"),
        ([4, 5], "User: u4\nmore\nAssistant: a5"),
    ]
    assert plain(units(dialog(*HISTORY), 3)) == [([1, 2], "1 May 2024\nUser: u1\nAssistant: a2")]
    assert plain(units(dialog(*HISTORY), 1)) == []


def test_the_asked_question_is_in_no_unit() -> None:
    assert plain(units(dialog(*HISTORY), 5)) == [([1, 2], "1 May 2024\nUser: u1\nAssistant: a2"), ([3], "User: u3")]


def test_off_policy_the_reference_stands_for_the_content() -> None:
    given = dialog(*HISTORY, dialog_eval_config={"use_reference_history": True})
    assert plain(units(given, 7))[-1] == ([4, 5], "User: u4\nmore\nAssistant: r5")


def test_an_assistant_turn_without_a_question_is_a_unit() -> None:
    given = dialog(turn(1, "assistant", "hello"), turn(2, "assistant", "there"), turn(3, "user", "q"), asked(4))
    assert plain(units(given, 4)) == [([1], "Assistant: hello"), ([2], "Assistant: there")]
