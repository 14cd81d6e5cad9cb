"""Folders: what is read is written again, and every broken file is named with its mend."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import ArgumentError, InputError, OutsideError, UsageError
from evolif.scenarios.recorded import (
    Dialog,
    Turn,
    clean_labels,
    read_dialogs,
    read_records,
    read_summary,
    write_dialogs,
    write_records,
    write_summary,
)
from evolif.scenarios.recorded.aggregation import aggregate
from evolif.scenarios.recorded.folder import read_meta

# JSON as any file may hold it: no half characters, and whole numbers of at most 64 bits.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=2)
PARTS = st.lists(TEXT | st.fixed_dictionaries({"type": st.just("text"), "text": TEXT}), max_size=2)


def with_unknown(needed: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    known = {*needed, *optional}
    unknown = st.dictionaries(TEXT.filter(lambda key: key not in known), JSON, max_size=2)
    return st.builds(lambda own, more: {**more, **own}, st.fixed_dictionaries(needed, optional=optional), unknown)


METRIC = with_unknown({"class_name": TEXT}, {"args": OBJECT})
CONFIG = {"metrics": st.lists(METRIC, max_size=2), "dynamic_config_source": OBJECT}
TURN = with_unknown(
    {"role": st.sampled_from(["system", "user", "assistant"])},
    {
        "content": st.none() | TEXT | PARTS,
        "reference": st.none() | TEXT | st.lists(TEXT, max_size=2),
        "reference_document": st.none() | TEXT | st.lists(st.integers(0, 99), max_size=2),
        "eval_config": with_unknown({}, {**CONFIG, "do_eval": st.just(False)}),
        "turn_labels": OBJECT,
    },
) | with_unknown({"role": st.just("assistant"), "eval_config": with_unknown({"do_eval": st.just(True)}, CONFIG)}, {})
DIALOG = with_unknown(
    {"dialog_turns": st.lists(TURN, max_size=4)},
    {
        "dialog_raw_info": OBJECT,
        "dialog_labels": OBJECT,
        "dialog_eval_config": with_unknown({}, {"use_reference_history": st.booleans()}),
    },
)


def numbered(dialogs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for dialog_id, dialog in enumerate(dialogs):
        dialog["dialog_id"] = dialog_id
        for turn_id, turn in enumerate(dialog["dialog_turns"]):
            turn["turn_id"] = turn_id
    return dialogs


@pytest.mark.slow
@given(st.lists(DIALOG, max_size=3).map(numbered))
def test_what_is_read_is_written_again(dialogs: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "first"), Path(folder, "second")
        first.mkdir()
        for dialog in dialogs:
            (first / f"{dialog['dialog_id']}.json").write_text(json.dumps(dialog), encoding="utf-8")
        write_dialogs(second, read_dialogs(first), benchmark_id="b")
        written = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in second.glob("[!_]*.json")}
        assert written == {f"{dialog['dialog_id']}.json": dialog for dialog in dialogs}
        assert read_dialogs(second) == read_dialogs(first)


RECORD = with_unknown(
    {
        "dialog_id": st.just(3),
        "turn_id": st.integers(0, 9),
        "metric_name": TEXT,
        "score": st.none() | st.booleans() | st.floats(0, 1) | TEXT | st.lists(JSON, max_size=2),
    },
    {"details": OBJECT, "dialog_labels": OBJECT, "turn_labels": OBJECT},
)


@given(st.lists(RECORD, max_size=4))
def test_records_are_written_as_they_are(records: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_records(folder, [Dialog(dialog_id=3, dialog_turns=[])], records)
        assert read_records(folder) == records


def dialog(dialog_id: int = 0, **fields: Any) -> Dialog:
    return Dialog.model_validate({"dialog_id": dialog_id, "dialog_turns": [], **fields})


def record(dialog_id: int | str = 0, **fields: Any) -> dict[str, Any]:
    return {"dialog_id": dialog_id, "turn_id": 1, "metric_name": "recall", "score": 0.5, **fields}


def put(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())


def test_files_are_read_in_the_order_of_their_names_as_text(tmp_path: Path) -> None:
    for name, number in (("10.json", 10), ("2.json", 2), ("b.json", 7), ("sub/1.json", 1), ("a/_x/3.json", 3)):
        put(tmp_path / name, {"dialog_id": number, "dialog_turns": []})
    for name in ("_meta.json", ".hidden.json", "notes.txt", "2.json.tmp", "sub/_prompts.json"):
        put(tmp_path / name, b"not JSON")
    assert [one.dialog_id for one in read_dialogs(tmp_path)] == [10, 2, 7]
    assert [one.dialog_id for one in read_dialogs(str(tmp_path), recursive=True)] == [10, 2, 3, 7, 1]


def test_a_folder_as_the_specification_shows_it(tmp_path: Path) -> None:
    turn = Turn(turn_id=0, role="user", content="Grüße, 世界 🙂")
    write_dialogs(tmp_path / "new" / "set", [dialog(5, dialog_turns=[turn.written()])], benchmark_id="b", version=3)
    expected = (
        '{\n  "dialog_id": 5,\n  "dialog_turns": [\n    {\n      "turn_id": 0,\n      "role": "user",\n'
        '      "content": "Grüße, 世界 🙂"\n    }\n  ]\n}\n'
    )
    assert (tmp_path / "new/set/5.json").read_text(encoding="utf-8") == expected
    assert read_meta(tmp_path / "new/set") == {"version": 3, "raw_path": "", "benchmark_id": "b", "count": 1}
    assert sorted(os.listdir(tmp_path / "new/set")) == ["5.json", "_meta.json"]
    assert read_meta(tmp_path / "new") == {}


@pytest.mark.parametrize(
    ("path", "kept"),
    [("/Users/me/raw/MT-Eval", "MT-Eval"), ("C:\\data\\set\\", "set"), ("set", "set"), ("/a/b/", "b"), ("/", "")],
)
def test_no_path_of_the_machine_is_written(tmp_path: Path, path: str, kept: str) -> None:
    write_dialogs(tmp_path, [], benchmark_id="b", raw_path=path)
    assert read_meta(tmp_path)["raw_path"] == kept


def test_writing_again_replaces_dialogues_and_mixes_none(tmp_path: Path) -> None:
    write_dialogs(tmp_path, [dialog(0), dialog(1)], benchmark_id="b")
    write_dialogs(tmp_path, [dialog(1, dialog_labels={"a": 1}), dialog(0), dialog(2)], benchmark_id="b")
    assert [one.dialog_labels for one in read_dialogs(tmp_path)] == [{}, {"a": 1}, {}]
    assert read_meta(tmp_path)["count"] == 3
    with pytest.raises(UsageError, match=r"other dialogues \(0\.json, 1\.json\); choose another folder"):
        write_dialogs(tmp_path, [dialog(2)], benchmark_id="b")
    assert len(read_dialogs(tmp_path)) == 3


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda one: setattr(one.dialog_turns[0], "role", "bot"), r"dialogue 0: turn 6: role is not system, user or"),
        (lambda one: one.dialog_labels.update(x={1, 2}), r"dialogue 0 cannot be stored: a value of type set"),
        (lambda one: one.dialog_turns[0].turn_labels.update(x=float("nan")), r"stored: turn 6: nan is not a number"),
    ],
)
def test_a_dialogue_that_could_not_be_read_is_not_written(
    tmp_path: Path, change: Callable[[Dialog], None], match: str
) -> None:
    changed = dialog(0, dialog_turns=[{"turn_id": 6, "role": "user"}])
    change(changed)
    with pytest.raises(ArgumentError, match=match):
        write_dialogs(tmp_path / "new", [dialog(1), changed], benchmark_id="b")
    assert not (tmp_path / "new").exists()


def test_two_dialogues_of_one_id_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="dialog_id 1 is used twice"):
        write_dialogs(tmp_path, [dialog(1), dialog(1)], benchmark_id="b")


def test_a_name_that_is_no_json_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"_meta\.json cannot be stored: a text has half a character"):
        write_dialogs(tmp_path / "new", [], benchmark_id="\ud800")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("write", [write_dialogs, write_records])
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, write: Callable[..., None]) -> None:
    put(tmp_path / "file", b"")
    with pytest.raises(OutsideError, match=r"file/in cannot be written \(Not a directory\)"):
        if write is write_dialogs:
            write(tmp_path / "file" / "in", [], benchmark_id="b")
        else:
            write(tmp_path / "file" / "in", [], [])


GOOD = {"dialog_id": 1, "dialog_turns": [{"turn_id": 5, "role": "user", "content": "x"}]}
TURNS = '{"dialog_id": 1, "dialog_turns": [{"turn_id": 5, "role": "user", "content": %s}]}'


def broken_turn(**fields: Any) -> dict[str, Any]:
    return {"dialog_id": 1, "dialog_turns": [{"turn_id": 4, "role": "user"}, {**GOOD["dialog_turns"][0], **fields}]}


BROKEN: dict[str, tuple[object, str]] = {
    "torn": (b'{"dialog_id": 1,\n "dialog_turns": [{"turn_id"', r", line 2: not JSON \(.+\); fix or restore"),
    "empty": (b"", r", line 1: not JSON"),
    "deep": (b"[" * 50_000 + b"]" * 50_000, r"nested too deeply; make them flatter"),
    "deep objects": (b'{"a":' * 50_000, r"nested too deeply; make them flatter"),
    "deeper than any": ((TURNS % ("[" * 70 + "]" * 70)).encode(), r"turn 5: nested more than 64 levels deep; fix"),
    "byte order mark": (b"\xef\xbb\xbf{}", r"byte order mark; save it as UTF-8 without one"),
    "Latin-1": ((TURNS % '"Grüße"').encode("latin-1"), r"not UTF-8; save it as UTF-8"),
    "UTF-16": ((TURNS % '"x"').encode("utf-16"), r"not UTF-8; save it as UTF-8"),
    "NaN": ((TURNS % "NaN").encode(), r"turn 5: nan is not a number in JSON; fix"),
    "infinity": ((TURNS % "1e999").encode(), r"turn 5: inf is not a number in JSON; fix"),
    "half a character": ((TURNS % '"\\ud800"').encode(), r"turn 5: a text has half a character"),
    "digits": ((TURNS % ("9" * 5_000)).encode(), r"a number has thousands of digits; write it as a text"),
    "list": ([GOOD], r"not a JSON object; fix or restore"),
    "null": (None, r"not a JSON object"),
    "no id": ({"dialog_turns": []}, r"dialog_id is missing; write a whole number"),
    "no turns": ({"dialog_id": 1}, r"dialog_turns is missing; write a list of turns"),
    "id as text": ({**GOOD, "dialog_id": "1"}, r"dialog_id is not a whole number of 64 bits; .* \(found: '1'\)"),
    "large id": ({**GOOD, "dialog_id": 2**64}, r"dialog_id is not a whole number of 64 bits"),
    "labels": ({**GOOD, "dialog_labels": []}, r"dialog_labels is not an object; correct it \(found: \[\]\)"),
    "turns": ({**GOOD, "dialog_turns": {}}, r"dialog_turns is not a list of turns"),
    "turn": ({**GOOD, "dialog_turns": [5]}, r"turn 1 of the list: it is not an object; correct it \(found: 5\)"),
    "no role": ({**GOOD, "dialog_turns": [{"turn_id": 5}]}, r"turn 5: role is missing; write system, user or assist"),
    "no turn id": (broken_turn(turn_id=None), r"turn 2 of the list: turn_id is not a whole number .*found: null"),
    "role": (broken_turn(role="bot"), r"turn 5: role is not system, user or assistant; correct it \(found: 'bot'\)"),
    "content": (broken_turn(content=True), r"turn 5: content is not a text, a list of text parts, or null; .*true"),
    "picture": (broken_turn(content=["a", {"type": "image"}]), r"turn 5: part 2 of the content is no text; keep text"),
    "reference": (broken_turn(reference=[1]), r"turn 5: reference is not a text, a list of texts, or null"),
    "evidence": (
        broken_turn(reference_document=[1.5]),
        r"turn 5: reference_document is not a text, a list of turn ids",
    ),
    "evaluated user": (broken_turn(eval_config={"do_eval": True}), r"turn 5: do_eval is true, but the role is user; o"),
    "do_eval": (broken_turn(eval_config={"do_eval": "no"}), r"turn 5: eval_config\.do_eval is not true or false"),
    "metric": (
        broken_turn(eval_config={"metrics": [{"class_name": "x"}, {}]}),
        r"turn 5: eval_config\.metrics\.1\.class_name is missing; write the name of a metric",
    ),
    "doubled turn": (broken_turn(turn_id=4), r"the turn_id 4 is used twice; give every turn an id of its own"),
    "long": (broken_turn(turn_labels="x" * 500), r"turn 5: turn_labels is not an object; .{50,70}…\)$"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_every_broken_file_is_named_with_its_mend(tmp_path: Path, name: str) -> None:
    data, match = BROKEN[name]
    put(tmp_path / "0.json", GOOD | {"dialog_id": 0})
    put(tmp_path / "1.json", data)
    with pytest.raises(InputError, match=match) as raised:
        read_dialogs(tmp_path)
    assert raised.value.path == tmp_path / "1.json"
    assert str(raised.value).startswith(f"{tmp_path}/1.json")
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 300 + len(str(tmp_path))


def test_doubled_ids_are_found_over_all_folders(tmp_path: Path) -> None:
    put(tmp_path / "a.json", GOOD)
    put(tmp_path / "sub" / "b.json", GOOD)
    assert len(read_dialogs(tmp_path)) == 1
    with pytest.raises(InputError, match=r"b\.json: the dialog_id 1 is also that of .*a\.json; give every dialogue"):
        read_dialogs(tmp_path, recursive=True)


def test_links_lead_nowhere_outside(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    put(tmp_path / "secret.json", GOOD)
    put(inside / "sub" / "1.json", GOOD)
    (inside / "0.json").symlink_to(inside / "sub" / "1.json")
    assert [one.dialog_id for one in read_dialogs(inside)] == [1]
    (inside / "0.json").unlink()
    (inside / "0.json").symlink_to("../secret.json")
    with pytest.raises(InputError, match=r"0\.json: a link that leads out of the folder; put a copy"):
        read_dialogs(inside)
    with pytest.raises(InputError, match=r"a link that leads out"):
        read_records(inside)
    (inside / "0.json").unlink()
    (inside / "_meta.json").symlink_to("../secret.json")
    with pytest.raises(InputError, match=r"_meta\.json: a link that leads out"):
        read_meta(inside)


def test_links_to_folders_are_named_not_followed(tmp_path: Path) -> None:
    put(tmp_path / "in" / "1.json", GOOD)
    (tmp_path / "in" / "loop").symlink_to(tmp_path / "in")
    assert len(read_dialogs(tmp_path / "in")) == 1
    with pytest.raises(InputError, match=r"loop: a link to a folder; put a copy of the folder in its place"):
        read_dialogs(tmp_path / "in", recursive=True)


def test_links_and_pipes_without_content_are_named(tmp_path: Path) -> None:
    (tmp_path / "0.json").symlink_to(tmp_path / "gone.json")
    with pytest.raises(InputError, match=r"0\.json: cannot be read \(No such file or directory\); restore"):
        read_dialogs(tmp_path)
    (tmp_path / "0.json").unlink()
    os.mkfifo(tmp_path / "0.json")
    with pytest.raises(InputError, match=r"0\.json: not a plain file; remove it"):
        read_dialogs(tmp_path)


@pytest.mark.parametrize("read", [read_dialogs, read_records])
def test_what_is_no_folder_is_named(tmp_path: Path, read: Callable[[Path], Any]) -> None:
    put(tmp_path / "file.json", GOOD)
    for path in (tmp_path / "file.json", tmp_path / "gone"):
        with pytest.raises(InputError, match=r"not a folder; name the folder that holds the files"):
            read(path)


def test_a_large_file_is_refused_before_it_is_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "1.json", GOOD)
    monkeypatch.setattr("evolif.scenarios.recorded.folder._MOST_BYTES", 20)
    with pytest.raises(InputError, match=r"1\.json: larger than"):
        read_dialogs(tmp_path)


def test_each_dialogue_has_its_file_of_records(tmp_path: Path) -> None:
    put(tmp_path / "9.json", [record(9)])
    records = [record(2, turn_id=3), record(1), record(2, turn_id=1)]
    write_records(tmp_path, [dialog(1), dialog(2), dialog(4)], records)
    files = {path.name: json.loads(path.read_bytes()) for path in tmp_path.iterdir()}
    assert files == {"1.json": [records[1]], "2.json": [records[0], records[2]], "4.json": [], "9.json": [record(9)]}
    assert read_records(tmp_path) == [records[1], records[0], records[2], record(9)]


@pytest.mark.parametrize("other", [7, "1", "x"])
def test_a_record_of_another_dialogue_is_refused(tmp_path: Path, other: int | str) -> None:
    with pytest.raises(ArgumentError, match=rf"record 2 \(turn 1\): the dialogue {other!r} is not among those given"):
        write_records(tmp_path / "new", [dialog(1)], [record(1), record(other)])
    assert not (tmp_path / "new").exists()


def test_scores_that_are_no_numbers_are_read(tmp_path: Path) -> None:
    put(tmp_path / "0.json", b"[%s]" % json.dumps(record(score=float("nan"))).encode())
    [found] = read_records(tmp_path)
    assert found["score"] != found["score"]
    with pytest.raises(ArgumentError, match=r"record 1 \(turn 1\): score is nan, which is not JSON; write null"):
        write_records(tmp_path, [dialog(0)], [found])


@pytest.mark.parametrize(
    ("data", "match"),
    [
        ({}, r"0\.json: not a list of records; restore"),
        ([5], r"record 1: not an object"),
        ([record(), record(dialog_id=None)], r"record 2 \(turn 1\): dialog_id is not a whole number or a text; cor"),
        ([record(turn_id=True)], r"record 1: turn_id is not a whole number; correct it \(found: true\)"),
        ([record(metric_name=1)], r"record 1 \(turn 1\): metric_name is not the name of a metric"),
        ([record(details=[])], r"details is not an object; correct it \(found: \[\]\)"),
        ([record(details={"x": float("inf")})], r"record 1 \(turn 1\): inf is not a number in JSON; correct it"),
        ([{key: value for key, value in record().items() if key != "score"}], r"score is missing; write null"),
        ([{key: value for key, value in record().items() if key != "turn_id"}], r"turn_id is missing; write a whole"),
        (b"[{", r"0\.json, line 1: not JSON"),
    ],
)
def test_broken_records_are_named(tmp_path: Path, data: Any, match: str) -> None:
    put(tmp_path / "0.json", data)
    with pytest.raises(InputError, match=match):
        read_records(tmp_path)
    if isinstance(data, list):
        with pytest.raises(ArgumentError, match=match):
            write_records(tmp_path, [dialog(0)], data)


def test_a_summary_is_read_as_it_was_written(tmp_path: Path) -> None:
    summary = {"config": {"turn_stat": "mean"}, "global": {"mean": 0.5}, "by_metric": {}, "by_label": {}}
    write_summary(tmp_path / "new" / "summary.json", summary)
    assert json.loads((tmp_path / "new/summary.json").read_bytes()) == {"summary": summary}
    assert read_summary(tmp_path / "new/summary.json") == summary


def test_a_summary_is_written_flat_for_the_release(tmp_path: Path) -> None:
    figures = {"count": 1, "mean": 0.5, "min": 0.5, "max": 0.5}
    summary = {"global": figures, "by_label": {"dialog": {"task_type:maths": figures}, "turn": {}}}
    write_summary(tmp_path / "summary.json", summary, flat=True)
    found = read_summary(tmp_path / "summary.json")
    assert found["by_label"]["dialog"]["task_type:('maths', 'count')"] == 1.0
    assert clean_labels(found["by_label"]) == summary["by_label"]
    write_summary(tmp_path / "empty.json", {"by_label": {}}, flat=True)
    assert read_summary(tmp_path / "empty.json") == {"by_label": {}}


@pytest.mark.parametrize(
    ("data", "match"),
    [({}, r"it has no object “summary”"), ({"summary": []}, r"no object “summary”"), ([], r"not a JSON object")],
)
def test_what_is_no_summary_is_named(tmp_path: Path, data: object, match: str) -> None:
    put(tmp_path / "summary.json", data)
    with pytest.raises(InputError, match=match):
        read_summary(tmp_path / "summary.json")


def test_a_summary_that_is_not_json_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="nan is not a number in JSON"):
        write_summary(tmp_path / "summary.json", {"global": {"mean": float("nan")}})
    assert not (tmp_path / "summary.json").exists()


def test_nan_is_a_failed_record_and_refuses_nothing(tmp_path: Path) -> None:
    # As the release's code_match writes it where it has no rule.
    broken = record(
        score=float("nan"), details={"score": float("nan"), "of": [float("nan"), 1]}, dialog_labels={"a": 1}
    )
    put(tmp_path / "0.json", json.dumps([broken, record(turn_id=2, score=0.5)]).encode())
    first, second = read_records(tmp_path)
    assert first["details"] == {"score": None, "of": [None, 1]}
    figures = aggregate([first, second])
    assert figures["global"]["count"] == 1 and figures["global"]["mean"] == 0.5
