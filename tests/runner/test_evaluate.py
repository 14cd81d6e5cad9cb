"""A run of many sessions: resumed, refused, broken by one fault and no further."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import get_type_hints

import pytest
from filelock import FileLock
from scripted import Scripted, fault_at, good_but, number, witness

from evolif import OutsideError, UsageError, load_benchmark
from evolif.config import EvalConfig, EvalSettings
from evolif.errors import ModelError
from evolif.runner import Run, RunStore, SessionEnded, evaluate, load_run
from evolif.runner.clients import endpoint_of
from evolif.runner.events import TurnStored
from evolif.runner.records import StoreEntry, TurnEntry

Play = Callable[..., Run]


def endings(run: Run) -> list[tuple[int, int, str | None, int]]:
    return [(s.dialogue, s.epoch, s.ending, len(s.turns)) for s in run.sessions()]


def test_every_dialogue_of_every_epoch_is_played_once(play: Play) -> None:
    model = Scripted(good_but(3, 4, 5))
    run = play(model, limit=None, epochs=2)
    assert endings(run) == [(d, e, "finished", 5) for e in (1, 2) for d in (1, 2, 3, 4)]
    assert len(model.asked) == 40


def test_the_limit_takes_the_first_dialogues(play: Play) -> None:
    assert [d for d, *_ in endings(play(Scripted(witness), limit=3))] == [1, 2, 3]


@pytest.mark.sampled
@pytest.mark.parametrize("connections", [1, 3, 16])
def test_the_figures_do_not_depend_on_the_connections(play: Play, connections: int) -> None:
    run = play(Scripted(good_but(2, 3, 5, 6, 7)), limit=None, max_connections=connections, out=f"r{connections}")
    assert endings(run) == [(d, 1, "finished", 7) for d in (1, 2, 3, 4)]


def test_a_poisoned_session_does_not_stop_the_others(play: Play) -> None:
    def answer(request: object) -> str | Exception:
        return ZeroDivisionError("poison") if request.prompt.dialogue == 2 else good_but(2, 3, 4)(request)

    run = play(Scripted(answer), limit=None)
    assert endings(run) == [(1, 1, "finished", 4), (2, 1, "suspended", 0), (3, 1, "finished", 4), (4, 1, "finished", 4)]
    assert run.suspended() == 1


def test_a_resumed_run_asks_only_what_is_missing(play: Play) -> None:
    first = Scripted(lambda r: ModelError("busy") if (r.prompt.dialogue, number(r)) in {(2, 3), (4, 1)} else witness(r))
    play(first, limit=None)
    second = Scripted(witness)
    run = play(second, limit=None)
    assert endings(run) == [(d, 1, "censored", 8) for d in (1, 2, 3, 4)]
    assert second.turns == [(2, n) for n in range(3, 9)] + [(4, n) for n in range(1, 9)]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"patience": 2}, "the patience was 3 and is now 2"),
        ({"max_turns": 9}, r"the cap \(--max-turns\) was 8 and is now 9"),
        ({"seed": 1}, "the seed was 0 and is now 1"),
        ({"system_prompt": False}, "the system prompt was on and is now off"),
        ({"judge": "lexical"}, "the judge was none and is now lexical"),
        ({"temperature": 1.0}, "the temperature was the provider's own and is now 1.0"),
        ({"max_tokens": 7}, r"the longest answer \(--max-tokens\) was the provider's own and is now 7"),
        ({"patience": 2, "seed": 4}, "the patience was 3 and is now 2; the seed was 0 and is now 4"),
        (
            {"base_url": "http://me@127.0.0.1:8000/v1"},
            "fake/model was called at the provider's own address and would now be called at http://127.0.0.1:8000/v1",
        ),
    ],
)
def test_other_settings_are_refused_with_the_difference_in_words(
    play: Play, settings: dict[str, object], told: str
) -> None:
    play(Scripted(witness), max_turns=8)
    model = Scripted(witness)
    with pytest.raises(UsageError, match=told) as refusal:
        play(model, **{"max_turns": 8, **settings})
    assert "--fork" in str(refusal.value)
    assert model.asked == []


def test_connections_retries_and_timeouts_may_differ_on_resume(play: Play) -> None:
    play(Scripted(fault_at(2, ModelError("busy"))))
    run = play(Scripted(witness), max_connections=9, max_retries=0, timeout=1.0)
    assert endings(run) == [(1, 1, "censored", 8)]


def test_another_benchmark_is_refused(play: Play, bench: Path) -> None:
    play(Scripted(witness))
    with (bench / "topics.jsonl").open("a", encoding="utf-8") as file:
        topic = {"id": "extra", "prompt": "Do it.", "keywords": [f"word{i}" for i in range(20)]}
        file.write(json.dumps(topic) + "\n")
    with pytest.raises(UsageError, match="the benchmark differs"):
        play(Scripted(witness))


def edit_query(bench: Path, dialogue: int, line: int) -> None:
    path = bench / "dialogues" / f"{dialogue:04d}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    data = json.loads(lines[line - 1])
    data["query"] += " Please."
    lines[line - 1] = json.dumps(data) + "\n"
    path.write_text("".join(lines), encoding="utf-8")


def test_an_edited_used_turn_is_refused_before_anything_is_asked(play: Play, bench: Path) -> None:
    play(Scripted(lambda r: ModelError("busy") if r.prompt.dialogue == 1 else good_but(2, 3, 4)(r)), limit=None)
    edit_query(bench, 4, 2)
    model = Scripted(witness)
    with pytest.raises(UsageError, match=r"turn 2 of dialogue 4 \(its query was “.*” and is now “.* Please.”\)"):
        play(model, limit=None)
    assert model.asked == []


def test_an_edited_turn_that_was_not_used_and_an_extension_are_no_change(play: Play, bench: Path) -> None:
    play(Scripted(fault_at(2, ModelError("busy"))))
    edit_query(bench, 1, 3)
    edit_query(bench, 2, 1)
    load_benchmark(bench).extend(12)
    assert endings(play(Scripted(witness))) == [(1, 1, "censored", 8)]


def test_two_evaluations_of_one_folder_are_refused(play: Play, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with FileLock(tmp_path / "run" / ".lock"), pytest.raises(UsageError, match="being evaluated by another process"):
        play(Scripted(witness))
    play(Scripted(witness))


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_folder_of_something_else_and_a_file_are_refused(play: Play, tmp_path: Path, what: str) -> None:
    out = tmp_path / "mine"
    if what == "file":
        out.write_text("text", encoding="utf-8")
    else:
        out.mkdir()
        (out / "thesis.txt").write_text("text", encoding="utf-8")
    model = Scripted(witness)
    with pytest.raises(UsageError, match=r"is a file|is not a run"):
        play(model, out="mine")
    assert model.asked == []


def test_a_benchmark_without_dialogues_is_refused(bench: Path, tmp_path: Path) -> None:
    for path in (bench / "dialogues").iterdir():
        path.unlink()
    with pytest.raises(UsageError, match="has no dialogues"):
        evaluate(bench, ["sim/perfect"], tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_names_are_checked_before_anything_is_written(bench: Path, tmp_path: Path) -> None:
    for models, told in (
        ([], "name at least one model"),
        (["sim/perfect", "sim/perfect"], "named twice"),
        (["sim/oracle"], "sim/oracle"),
        ("nonsense", "has no provider"),
    ):
        with pytest.raises(UsageError, match=told):
            evaluate(bench, models, tmp_path / "r")
    with pytest.raises(UsageError, match="judge"):
        evaluate(bench, "sim/perfect", tmp_path / "r", judge="oracle")
    assert not (tmp_path / "r").exists()


def test_a_broken_line_is_told_before_the_first_call(play: Play, bench: Path) -> None:
    path = bench / "dialogues" / "0003.jsonl"
    path.write_text("{broken\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    model = Scripted(witness, connections=4)
    with pytest.raises(UsageError, match=r"0003\.jsonl, line 1"):
        play(model, limit=None)
    assert model.turns == []


def test_a_disk_that_refuses_a_turn_ends_the_run_and_the_other_turns_in_flight_are_finished(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = RunStore.write

    def full(self: RunStore, entries: Iterable[StoreEntry]) -> None:
        given = list(entries)
        if any(isinstance(e, TurnEntry) and (e.prompt.dialogue, e.prompt.turn) == (3, 2) for e in given):
            raise OutsideError("the disk is full")
        kept(self, given)

    first = Scripted(witness, connections=4)
    with monkeypatch.context() as patched:
        patched.setattr(RunStore, "write", full)
        with pytest.raises(OutsideError, match="disk is full"):
            play(first, limit=None)
    assert first.closed == 1
    second = Scripted(witness)
    assert endings(play(second, limit=None)) == [(d, 1, "censored", 8) for d in (1, 2, 3, 4)]
    asked = sorted(first.turns + second.turns)
    assert asked == sorted([(d, n) for d in (1, 2, 3, 4) for n in range(1, 9)] + [(3, 2)])


def test_sessions_that_never_began_are_known_to_the_report(play: Play, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        play(Scripted(lambda _: os.kill(os.getpid(), signal.SIGINT) or ""), limit=None, epochs=2)
    run = load_run(tmp_path / "run")
    [first, *others] = endings(run)
    assert first[:3] == (1, 1, None) and 1 <= first[3] < 8
    assert others == [(d, e, None, 0) for e in (1, 2) for d in (1, 2, 3, 4) if (d, e) != (1, 1)]
    assert run.suspended() == 8
    run.close()


def test_a_run_killed_in_its_first_moment_is_started_again(play: Play, tmp_path: Path) -> None:
    for left in (b"", None):
        out = tmp_path / f"run-{left is None}"
        out.mkdir()
        if left is not None:
            (out / "run.sqlite").write_bytes(left)
        else:
            connection = sqlite3.connect(out / "run.sqlite")
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT")
            connection.commit()
            connection.close()
        with pytest.raises(UsageError, match="is not a run"):
            load_run(out)
        assert endings(play(Scripted(witness), out=out.name)) == [(1, 1, "censored", 8)]


def test_foreign_and_broken_stores_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a run"):
        load_run(tmp_path)
    (tmp_path / "run.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(OutsideError, match="not a database"):
        load_run(tmp_path)
    (tmp_path / "run.sqlite").unlink()
    connection = sqlite3.connect(tmp_path / "run.sqlite")
    connection.execute("CREATE TABLE pets (name TEXT)")
    connection.close()
    with pytest.raises(UsageError, match="another version"):
        load_run(tmp_path)


def test_a_run_of_another_version_is_refused(play: Play, tmp_path: Path) -> None:
    play(Scripted(witness))
    connection = sqlite3.connect(tmp_path / "run" / "run.sqlite")
    connection.execute("UPDATE run SET value = '99' WHERE key = 'schema'")
    connection.commit()
    connection.close()
    with pytest.raises(UsageError, match="another version"):
        load_run(tmp_path / "run")


def test_a_finished_run_on_a_medium_that_cannot_be_written_is_read(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(Scripted(witness)).close()
    files = {p.name for p in (tmp_path / "run").iterdir()}
    monkeypatch.setattr("evolif.runner.store_file.os.access", lambda *_: False)
    run = load_run(tmp_path / "run")
    assert endings(run) == [(1, 1, "censored", 8)]
    run.close()
    assert {p.name for p in (tmp_path / "run").iterdir()} == files


def test_a_run_can_be_read_while_it_is_written(play: Play, tmp_path: Path) -> None:
    seen: list[int] = []

    def look(event: object) -> None:
        if not isinstance(event, TurnStored | SessionEnded):
            return
        run = load_run(tmp_path / "run")
        seen.append(sum(len(s.turns) for s in run.sessions()))
        run.close()

    play(Scripted(witness), max_turns=3, observe=look)
    assert seen == [1, 2, 3, 3]


def test_a_run_may_be_read_by_another_thread_than_the_one_that_opened_it(play: Play) -> None:
    run = play(Scripted(witness), max_turns=2)
    seen: list[int] = []
    thread = threading.Thread(target=lambda: seen.extend(len(r) for _, r in run.transcripts("fake/model")))
    thread.start()
    thread.join()
    assert seen == [2]


def test_where_models_are_asked_is_a_setting_of_the_run(
    bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert endpoint_of("openai/gpt-5", None) == ""
    assert endpoint_of("openai/x?base_url=http://a/v1", "http://b/v1") == "http://a/v1"
    assert endpoint_of("openai/x", "http://b/v1?key=1") == "http://b/v1"
    assert endpoint_of("sim/perfect", "http://b/v1") == ""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://c/v1")
    assert endpoint_of("openai/gpt-5", None) == "http://c/v1"


def test_settings_by_name_are_fields_of_the_configuration() -> None:
    """What `evaluate` takes by name is declared for type checkers; values, bounds and defaults are `EvalConfig`'s."""
    hints = get_type_hints(EvalSettings)
    fields = {name: field for name, field in EvalConfig.model_fields.items() if name in hints}
    assert list(hints) and hints.keys() == fields.keys()
    others = {name for name, kind in hints.items() if kind != fields[name].annotation}
    assert others == {"dialogues", "fork_into", "model_args", "synthesizers"}  # a path may be a text, a sequence any
    assert hints["fork_into"] == hints["model_args"] == Path | str | None


def test_an_unknown_setting_is_a_type_error(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'pacience' \(did you mean patience\?\)"):
        evaluate(tmp_path, "sim/steady", tmp_path / "run", pacience=3)
    with pytest.raises(TypeError, match="'budget_usd'"):
        evaluate(tmp_path, "sim/steady", tmp_path / "run", budget_usd=3)
