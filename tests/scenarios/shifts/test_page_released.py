"""The released files of section 6: read, written, described."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolif import InputError
from evolif.exchange.ntm_files import import_released
from evolif.scenarios.shifts import generate
from evolif.scenarios.shifts.released import count_goals, describe_released, read_released, write_released

FIELDS = ("conversation_id", "metadata", "user_turns", "checkpoint_question")


def line(name: str, *queries: str, question: str = "(1) a (2) b") -> dict[str, Any]:
    """A dialogue of the release."""
    return {
        "conversation_id": name,
        "metadata": {"rounds": str(len(queries))},
        "user_turns": [{"turn_id": i, "content": q} for i, q in enumerate(queries, 1)],
        "checkpoint_question": question,
    }


def file(tmp_path: Path, *lines: dict[str, Any], end: str = "\n") -> Path:
    path = tmp_path / "released.jsonl"
    path.write_text("\n".join(json.dumps(d, ensure_ascii=False) for d in lines) + end, encoding="utf-8")
    return path


def plain(one: Any) -> dict[str, Any]:
    return {name: getattr(one, name) for name in FIELDS}


@pytest.mark.parametrize("end", ["\n", "", "\n\n"])
def test_the_four_fields_are_attributes(tmp_path: Path, end: str) -> None:
    lines = [line("c1", "Hello", "And then?"), line("c2", "Grüße, 旅行", question="none")]
    assert [plain(d) for d in read_released(file(tmp_path, *lines, end=end))] == lines


def test_what_is_read_can_be_written(tmp_path: Path) -> None:
    lines = [line("c1", "Hello", "line\nbreak"), line("c2", "Grüße \u2028 🙂")]
    first = read_released(file(tmp_path, *lines))
    path = tmp_path / "again.jsonl"
    assert write_released(path, first) is None
    assert [plain(d) for d in read_released(path)] == lines
    assert [json.loads(row) for row in path.read_text(encoding="utf-8").strip().split("\n")] == lines


@pytest.mark.parametrize(
    "row",
    [
        "{",
        "[]",
        "3",
        '"text"',
        "{}",
        '{"conversation_id": "c"}',
        json.dumps({**line("c", "q"), "user_turns": "q"}),
        json.dumps({**line("c", "q"), "user_turns": ["q"]}),
        json.dumps({**line("c", "q"), "user_turns": [{"turn_id": 1}]}),
        json.dumps({**line("c", "q"), "checkpoint_question": None}),
    ],
)
def test_a_broken_line_is_an_error_that_names_it(tmp_path: Path, row: str) -> None:
    path = tmp_path / "released.jsonl"
    path.write_text(json.dumps(line("c1", "q")) + "\n" + row + "\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_released(path)
    assert "released.jsonl" in str(caught.value)
    assert "2" in str(caught.value)


@pytest.mark.parametrize(
    ("dialogues", "expected"),
    [
        ([["a", "b"]], (1, 2, 2, 2, 0)),
        ([["a", "b"], ["a"], ["a", "b", "c"]], (3, 6, 1, 3, 0)),
        ([["a", "b"], ["a", "b"]], (2, 4, 2, 2, 1)),
        ([["a"], ["a"], ["a"]], (3, 3, 1, 1, 2)),
        ([["a"], ["b"], ["a"], ["b"], ["c"]], (5, 5, 1, 1, 2)),
        ([["a", "b"], ["b", "a"]], (2, 4, 2, 2, 0)),  # the order counts
        ([["a", "b"], ["ab"]], (2, 3, 1, 2, 0)),
        ([["a", "b"], ["a b"], ["a\nb"]], (3, 4, 1, 2, 0)),
        ([["a"], ["A"], ["a "]], (3, 3, 1, 1, 0)),  # equal means equal
    ],
)
def test_what_a_file_holds(tmp_path: Path, dialogues: list[list[str]], expected: tuple[int, ...]) -> None:
    lines = [line(f"c{i}", *queries, question=f"({i}) x") for i, queries in enumerate(dialogues)]
    names = ("dialogues", "user_turns", "min_turns", "max_turns", "duplicate_dialogues")
    assert describe_released(read_released(file(tmp_path, *lines))) == dict(zip(names, expected, strict=True))


def test_duplicates_are_told_by_their_texts_alone(tmp_path: Path) -> None:
    twin = line("c2", "a", "b", question="other")
    twin["metadata"] = {"rounds": "99"}
    for i, turn in enumerate(twin["user_turns"]):
        turn["turn_id"] = 50 - i
    found = describe_released(read_released(file(tmp_path, line("c1", "a", "b"), twin)))
    assert found["duplicate_dialogues"] == 1


QUERIES = st.lists(st.sampled_from(["a", "b", "a b"]), min_size=1, max_size=3)


@settings(max_examples=20)
@given(st.lists(QUERIES, min_size=1, max_size=8))
def test_duplicates_are_what_is_left_beside_the_different_ones(
    tmp_path_factory: pytest.TempPathFactory, dialogues: list[list[str]]
) -> None:
    path = file(tmp_path_factory.mktemp("files"), *[line(f"c{i}", *q) for i, q in enumerate(dialogues)])
    found = describe_released(read_released(path))
    assert found["duplicate_dialogues"] == len(dialogues) - len({tuple(q) for q in dialogues})
    assert found["user_turns"] == sum(map(len, dialogues))
    assert (found["min_turns"], found["max_turns"]) == (min(map(len, dialogues)), max(map(len, dialogues)))


# Ours in their layout


def test_generated_dialogues_in_the_layout_of_the_release(tmp_path: Path) -> None:
    ours = list(generate(8, seed=11))
    path = tmp_path / "ours.jsonl"
    assert write_released(path, ours) is None
    theirs = read_released(path)
    assert len(theirs) == len(ours)
    assert len({d.conversation_id for d in theirs}) == len(ours)
    for one, other in zip(ours, theirs, strict=True):
        assert other.conversation_id.isdecimal()
        assert other.metadata["rounds"] == str(one.rounds)
        queries = [t["content"] for t in other.user_turns]
        assert queries == [t.query for t in one.turns][: len(queries)]
        assert len(queries) >= one.rounds - 1  # the final request may be left to the question
        assert count_goals(other.checkpoint_question) == len(one.checkpoints)
        ids = [t["turn_id"] for t in other.user_turns]
        assert ids == sorted(set(ids)) and all(isinstance(i, int) for i in ids)


def test_an_export_is_the_same_every_time(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_released(tmp_path / name, generate(4, seed=3))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_nobody_left_a_goal_of_an_export_unsaid(tmp_path: Path) -> None:
    """A user's “7 April 2027” states a goal that says 2027-04-07."""
    write_released(tmp_path / "ours.jsonl", generate(24, seed=5))
    assert import_released(tmp_path / "ours.jsonl", tmp_path / "bench").left_out == ()


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("We leave on 7 April 2027 for Lisbon.", []),
        ("We leave on 2027-04-07 for Lisbon.", []),
        ("We leave on 17 April 2027 for Lisbon.", [2]),
        ("We leave on 7 May 2027 for Lisbon.", [2]),
        ("We leave on 7 April 2027 for Riga.", [1]),
        ("We leave.", [1, 2]),
    ],
)
def test_goals_that_nobody_stated_are_kept_out(tmp_path: Path, said: str, left: list[int]) -> None:
    path = file(
        tmp_path, line("c1", said, "Now the plan.", question="(1) We go to Lisbon. (2) We leave on 2027-04-07.")
    )
    found = import_released(path, tmp_path / "bench").left_out
    assert [(name, number) for name, number, _ in found] == [("c1", n) for n in left]


def test_an_export_says_every_value_in_its_goals(tmp_path: Path) -> None:
    ours = list(generate(8, seed=5))
    write_released(tmp_path / "ours.jsonl", ours)
    for one, other in zip(ours, read_released(tmp_path / "ours.jsonl"), strict=True):
        for goal in one.checkpoints:
            if goal["type"] == "item" or (goal["type"] == "text" and goal["polarity"] == "present"):
                assert str(goal["value"]).casefold() in other.checkpoint_question.casefold()
