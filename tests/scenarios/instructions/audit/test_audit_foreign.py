"""The authors' two kinds of files: miniatures of the same shape, and the released ones where they lie beside us."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from evolif.errors import InputError, UsageError
from evolif.scenarios.instructions.audit import audit
from evolif.scenarios.instructions.audit.sources import map_constraint, read_foreign
from evolif.scenarios.instructions.constraints import parse_constraint

RELEASE = Path(
    os.environ.get("EVOLIF_RELEASE_DATA") or Path(__file__).parents[5] / "shared" / "data" / "evolif-release"
)
released = pytest.mark.skipif(not RELEASE.is_dir(), reason="the authors' released files are not here")

ROUND = {"mode": "quotation", "left": "(", "right": ")"}
TEN_WORDS = {"mode": "word", "relation": "less_than", "number": 10}


def entry(name, args, description=""):
    return {"id": name, "args": args, "description": description}


def line(turn, topic, *instructions, **more):
    return {"turn": turn, "active_topic": topic, "instructions": list(instructions), **more}


def write(path, *lines):
    path.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines), encoding="utf-8")
    return path


MAPPED = [
    ("startwith", {"mode": "letter", "value": "z"}, "start_with", {"mode": "letter", "value": "z"}),
    ("endwith", ROUND, "end_with", ROUND),
    ("countableItems", {"num": 4}, "bullets", {"count": 4}),
    ("format", {"mode": "csv"}, "format", {"mode": "csv"}),
    ("length", TEN_WORDS, "length", {"unit": "words", "relation": "less_than", "count": 10}),
    (
        "length", {**TEN_WORDS, "mode": "characters"},
        "length", {"unit": "characters", "relation": "less_than", "count": 10},
    ),
    ("existence", {"tea": 2}, "existence", {"counts": {"tea": 2}}),
    ("forbidden", ["tea", "milk"], "forbidden", {"keywords": ["tea", "milk"]}),
    ("case", {"mode": "all_upper"}, "case", {"mode": "all_upper"}),
    ("case", {"mode": "min_upper", "min": 29}, "case", {"mode": "share", "percent": 29}),
    ("punctuation", {"mode": "must_include", "value": ";"}, "punctuation", {"mode": "include", "mark": ";"}),
    ("punctuation", {"mode": "must_not_include", "value": "."}, "punctuation", {"mode": "exclude", "mark": "."}),
    ("emotion", {"emotion": "sad"}, "emotion", {"emotion": "sad"}),
    ("reader_age", {"reader_age": "child"}, "audience", {"audience": "child"}),
    ("style", {"style": "formal"}, "style", {"style": "formal"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "group", "params"), MAPPED)
def test_every_constraint_of_theirs_has_an_equal(name, args, group, params):
    mapped = parse_constraint(map_constraint(name, args))
    assert (mapped.group, mapped.params) == (group, params)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("rhyme", {}),
        ("length", {"mode": "syllable", "relation": "exactly", "number": 3}),
        ("length", [1]),
        ("countableItems", {}),
        ("countableItems", {"num": "four"}),
        ("countableItems", {"num": True}),
        ("existence", ["tea"]),
        ("forbidden", {"tea": 1}),
        ("case", {"mode": "min_upper", "min": 290}),
    ],
)
def test_what_has_no_equal_leaves_the_turn_undecided_and_says_why(tmp_path, name, args):
    told = audit(write(tmp_path / "snapshots_7.jsonl", line(1, 5, entry(name, args)))).turns[0]
    assert told.status == "undecided"
    assert told.reason.startswith("a constraint cannot be read: ")
    with pytest.raises(UsageError):
        parse_constraint(map_constraint(name, args))


def test_moves_operations_and_depths_are_derived(tmp_path):
    tea, milk = entry("existence", {"tea": 1}), entry("existence", {"tea": 2})
    sad = entry("emotion", {"emotion": "sad"})
    path = write(
        tmp_path / "dialog_2.jsonl",
        line(1, 10, tea, style={"persona": "x"}, user_query_verified="…"),
        line(2, 10, tea, sad),
        line(3, 11, sad),
        line(4, 10, milk, sad),
        line(5, 10, milk),
        line(6, 10, entry("format", {"mode": "csv"})),
    )
    turns = list(read_foreign(path, path.name))
    assert [t.move for t in turns] == ["new", "continue", "new", "backtrack", "continue", "continue"]
    assert [t.operation for t in turns] == ["add", "add", "add", "modify", "remove", "other"]
    summary = audit(path).summary
    assert (summary["turns"], summary["dialogues"]) == (6, 1)
    assert summary["moves"] == {"new": 2, "continue": 3, "backtrack": 1}
    assert summary["operations"] == {"add": 3, "modify": 1, "remove": 1, "other": 1}
    assert summary["topics_per_dialogue"] == {"mean": 2.0, "least": 2, "most": 2}
    per_turn = summary["constraints_per_turn"]
    assert per_turn["mean"] == pytest.approx(8 / 6)
    assert per_turn["by_turn"] == {"1": 1.0, "5": 1.0, "10": None, "20": None, "30": None, "50": None}
    assert per_turn["by_depth"] == {"1": 1.0, "5": 1.0, "10": None, "20": None, "30": None, "50": None}


def test_a_mismatching_description_is_a_finding(tmp_path):
    good = entry("length", TEN_WORDS, "The response must contain less than 10 words.")
    bad = entry("forbidden", ["tea"], "The response must contain less than 10 words.")
    told = audit(write(tmp_path / "snapshots_1.jsonl", line(1, 1, good), line(2, 1, good, bad)))
    assert [not t.mismatches for t in told.turns] == [True, False]
    assert [t.status for t in told.turns] == ["satisfiable", "satisfiable"]
    assert [t.turn for t in told.findings] == [2]
    assert told.summary["descriptions"] == {
        "compared": 3, "mismatching": 1, "share_mismatching": pytest.approx(1 / 3), "turns_mismatching": 1,
    }  # fmt: skip


HOSTILE = [
    ("[1, 2]", "line 2"),
    ("{", "not a JSON object"),
    ('{"turn": 2}', "active_topic"),
    ('{"turn": "2", "active_topic": 1, "instructions": []}', "turn"),
    ('{"turn": 2, "active_topic": 1, "instructions": {}}', "instructions"),
    ('{"turn": 2, "active_topic": 1, "instructions": [3]}', "instructions.0"),
    ('{"turn": 2, "active_topic": 1, "instructions": [{"id": "style", "args": "formal"}]}', "args"),
    ('{"turn": 1, "active_topic": 1, "instructions": []}', "turn 1 comes after turn 1"),
    ("[" * 100_000, "not a JSON object"),
    ("9" * 10_000, "line 2"),
]


@pytest.mark.parametrize(("text", "said"), HOSTILE)
def test_a_broken_line_is_named(tmp_path, text, said):
    path = write(tmp_path / "snapshots_1.jsonl", line(1, 1))
    path.write_text(path.read_text(encoding="utf-8") + text + "\n", encoding="utf-8")
    with pytest.raises(InputError) as fault:
        audit(path)
    assert str(fault.value).startswith(f"{path}, line 2: ")
    assert said in str(fault.value)


def test_nothing_to_audit_is_said(tmp_path):
    with pytest.raises(UsageError, match="does not exist"):
        audit(tmp_path / "absent")
    with pytest.raises(UsageError, match=r"contains neither"):
        audit(tmp_path)
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="contains no turn"):
        audit(tmp_path)


@released
def test_the_released_files():
    told = audit(RELEASE)
    assert len(told.turns) == 280
    assert not [t for t in told.turns if t.status == "undecided"]
    snapshots_3 = {t.turn: t for t in told.turns if t.file == "snapshots_3.jsonl"}
    for turn in (22, 23, 24, 25):
        assert snapshots_3[turn].status == "impossible"
        assert set(snapshots_3[turn].conflict) == {"start_with", "forbidden"}
        assert "app store" in snapshots_3[turn].reason
    for kind, share in (("snapshots", 0.36), ("dialog", 0.34)):
        turns = [t for t in told.turns if t.file.startswith(kind)]
        missed = sum(len(t.mismatches) for t in turns) / sum(t.compared for t in turns)
        assert missed == pytest.approx(share, abs=0.015)


@released
def test_derived_operations_are_the_stated_ones():
    for path in sorted(RELEASE.glob("snapshots_*.jsonl")):
        lines = path.read_text(encoding="utf-8").splitlines()
        stated = [json.loads(one)["cur_operation"]["operation_type"] for one in lines]
        derived = [t.operation for t in read_foreign(path, path.name)]
        assert Counter(zip(stated, derived, strict=True)).keys() <= {(k, k) for k in ("add", "modify", "remove")}
