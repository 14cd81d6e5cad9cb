"""The run on disk: each message once, entries all or none, one bad row nobody else's."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted, good_but, witness
from tables_of_version_2 import TABLES_OF_VERSION_2

from evolif import InternalError, OutsideError, UsageError
from evolif.judging import Judgement
from evolif.models import Reply
from evolif.runner import Run, RunSettings, RunStore, SessionKey, Spent
from evolif.runner.batcher import WriteBatcher
from evolif.runner.records import AnsweredTurn, CostEntry, EndEntry, FaultEntry, StoreEntry, TurnEntry, VerdictEntry
from evolif.runner.store import StoreError
from evolif.types import Message, Prompt, Usage, Verdict

Play = Callable[..., Run]
SETTINGS = RunSettings(
    benchmark="b", profile="p", models=("m",), patience=3, max_turns=9, dialogues=(1, 2), reading_rules=1
)
GOOD = Judgement((Verdict("bullets", True, "3", "3"),))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with closing(RunStore.create(tmp_path / "run", SETTINGS)) as made:
        made.enrol(SessionKey("m", dialogue, 1) for dialogue in (1, 2))
        yield made


def asked(dialogue: int = 1, turn: int = 1, *, digest: str = "h", **payload: Any) -> Prompt:
    labels = {"topic": "t", "move": "new", "depth": 1, "operation": "add", "source": "template", "register": "casual"}
    own = {"constraints": [], "witness": None, **payload}
    return Prompt(dialogue, turn, (Message("user", "Do it."),), payload=own, labels=labels, digest=digest)


def entry(session: int = 1, turn: int = 1, text: str = "Done.", judgement: Judgement | None = GOOD) -> TurnEntry:
    spent = (Spent("target", "m", Usage(7, 3)), Spent("judge", "j", Usage(2, 1)))
    return TurnEntry(session, asked(session, turn), AnsweredTurn(text), judgement, spent)


def test_each_message_is_stored_once_whatever_models_and_epochs(play: Play, bench: Path) -> None:
    models = {name: Scripted(lambda r: Reply(f"{witness(r)}"), name=name) for name in ("fake/a", "fake/b")}
    run = play(models, models=list(models), epochs=3)
    with closing(sqlite3.connect(run.path / "run.sqlite")) as connection:
        [(questions,)] = connection.execute("SELECT count(*) FROM asked")
        [(answers,)] = connection.execute("SELECT count(*) FROM turn")
        columns = {
            c
            for t in ("run", "session", "call", "fault")
            for (_, c, *_) in connection.execute(f"PRAGMA table_info({t})")
        }
    assert (questions, answers) == (8, 2 * 3 * 8)
    assert not columns & {"messages", "history", "prompt", "request"}


def test_a_run_grows_with_its_messages_and_not_with_their_square(play: Play) -> None:
    long = "word " * 400
    play(Scripted(lambda _: long), out="short", patience=99, max_turns=10).close()
    run = play(Scripted(lambda _: long), out="long", patience=99, max_turns=40)
    run.close()
    sizes = {name: (run.path.parent / name / "run.sqlite").stat().st_size for name in ("short", "long")}
    assert sizes["long"] < 4 * sizes["short"]


def test_an_entry_comes_back_as_it_was_told(store: RunStore) -> None:
    store.write([entry(text="half \ud800 a character")])
    [record] = store.turns(1)
    assert (record.query, record.answer, record.usage) == ("Do it.", "half ? a character", Usage(7, 3))
    assert record.is_judged and record.verdicts == GOOD.verdicts
    assert store.costs() == [Spent("judge", "j", Usage(2, 1)), Spent("target", "m", Usage(7, 3))]


def test_an_answer_that_is_not_judged_yet_enters_no_figure(store: RunStore) -> None:
    store.write([entry(), entry(turn=2, judgement=None)])
    [(_, session), _] = store.sessions()
    assert [turn.turn for turn in session.turns] == [1]
    assert [record.is_judged for record in store.turns(1)] == [True, False]
    store.write([VerdictEntry(1, 1, 2, GOOD)])
    [(_, session), _] = store.sessions()
    assert [turn.turn for turn in session.turns] == [1, 2]


def test_entries_are_written_all_or_none(store: RunStore) -> None:
    with pytest.raises(InternalError, match="rejected a row"):
        store.write([entry(), EndEntry(1, "finished"), entry()])
    assert store.turns(1) == [] and store.state(SessionKey("m", 1, 1)).ending is None


def test_a_turn_that_was_edited_while_the_run_went_on_is_refused(store: RunStore) -> None:
    store.enrol([SessionKey("m", 1, 2)])
    store.write([entry()])
    with pytest.raises(UsageError, match="edited since it was used"):
        store.write([TurnEntry(3, asked(digest="other"), AnsweredTurn("Done."), GOOD)])
    store.write([TurnEntry(3, asked(), AnsweredTurn("Done."), GOOD)])


def test_sessions_that_commit_together_are_one_transaction(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[int] = []
    kept = RunStore.write
    monkeypatch.setattr(RunStore, "write", lambda self, e: (batches.append(len(e := list(e))), kept(self, e)))

    async def main() -> None:
        journal = WriteBatcher(store)
        await asyncio.gather(*(journal(entry(session, turn)) for session in (1, 2) for turn in range(1, 7)))

    asyncio.run(main())
    assert sum(batches) == 12 and len(batches) == 2
    assert len(store.turns(1)) == len(store.turns(2)) == 6


def test_what_is_told_is_durable_for_another_reader_when_the_call_returns(store: RunStore) -> None:
    async def main() -> int:
        await WriteBatcher(store)(entry())
        with closing(sqlite3.connect(store.root / "run.sqlite")) as other:
            [(count,)] = other.execute("SELECT count(*) FROM turn")
        return int(count)

    assert asyncio.run(main()) == 1


def test_one_bad_entry_costs_nobody_else_his_turn(store: RunStore) -> None:
    async def main() -> list[BaseException | None]:
        journal = WriteBatcher(store)
        bad = FaultEntry(1, 1, 2**70, "target", "provider", "busy")
        return await asyncio.gather(journal(entry()), journal(bad), journal(entry(2)), return_exceptions=True)

    first, second, third = asyncio.run(main())
    assert first is third is None and isinstance(second, InternalError)
    assert len(store.turns(1)) == len(store.turns(2)) == 1


def test_a_session_that_is_cancelled_while_it_waits_is_stored_all_the_same(store: RunStore) -> None:
    async def main() -> None:
        journal = WriteBatcher(store)
        task = asyncio.create_task(journal(entry()))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        journal.flush()

    asyncio.run(main())
    assert len(store.turns(1)) == 1


def test_a_disk_that_fails_is_told_to_everybody(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OutsideError("full")

    monkeypatch.setattr(RunStore, "write", full)

    async def main() -> list[BaseException | None]:
        journal = WriteBatcher(store)
        return await asyncio.gather(journal(entry()), journal(entry(2)), return_exceptions=True)

    assert [type(fault) for fault in asyncio.run(main())] == [StoreError, StoreError]


@pytest.mark.parametrize("waiting", [2, 8, 11])
def test_whatever_the_store_raises_everybody_who_waits_is_told(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, waiting: int
) -> None:
    def broken(*_: object) -> None:
        raise AttributeError("of an entry")

    monkeypatch.setattr(RunStore, "write", broken)

    async def main() -> list[BaseException | None]:
        journal = WriteBatcher(store)
        told = asyncio.gather(*(journal(entry(turn=t)) for t in range(1, waiting + 1)), return_exceptions=True)
        return await asyncio.wait_for(told, 10)

    told = asyncio.run(main())
    assert [type(fault) for fault in told] == [InternalError] * waiting
    assert "AttributeError" in str(told[0])


def test_an_entry_with_a_mistake_of_ours_costs_nobody_else_his_turn(store: RunStore) -> None:
    class Broken(EndEntry):
        def statements(self) -> Iterator[tuple[str, tuple[object, ...]]]:
            raise AttributeError("facts")

    async def main() -> list[BaseException | None]:
        journal = WriteBatcher(store)
        told = asyncio.gather(journal(entry()), journal(Broken(1, None)), journal(entry(2)), return_exceptions=True)
        return await asyncio.wait_for(told, 10)

    first, second, third = asyncio.run(main())
    assert first is third is None and isinstance(second, InternalError)
    assert len(store.turns(1)) == len(store.turns(2)) == 1


def test_a_run_whose_store_breaks_in_the_middle_ends_with_an_error(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    written = 0
    kept = RunStore.write

    def broken(self: RunStore, entries: Iterable[StoreEntry]) -> None:
        nonlocal written
        written += 1
        if written > 5:
            raise AttributeError("of an entry")
        kept(self, entries)

    monkeypatch.setattr(RunStore, "write", broken)
    with pytest.raises(InternalError, match="AttributeError"):
        play(Scripted(witness, connections=3), limit=None)


def test_what_nobody_waited_for_is_not_lost_in_silence(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OutsideError("full")

    async def main() -> None:
        journal = WriteBatcher(store)
        with monkeypatch.context() as patched:
            patched.setattr(RunStore, "write", full)
            journal.post(EndEntry(1, None))
            await asyncio.sleep(0.01)
        with pytest.raises(StoreError, match="full"):
            await journal(entry())
        await journal(entry())
        with monkeypatch.context() as patched:
            patched.setattr(RunStore, "write", full)
            journal.post(EndEntry(1, None))
            with pytest.raises(StoreError, match="full"):
                journal.close()

    asyncio.run(main())


def test_the_hash_of_a_run_changes_with_settings_and_not_with_growth() -> None:
    grown = SETTINGS.grown(SETTINGS.model_copy(update={"models": ("m", "n"), "dialogues": (2, 3), "epochs": 2}))
    assert (grown.models, grown.dialogues, grown.epochs) == (("m", "n"), (1, 2, 3), 2)
    assert grown.hash() == SETTINGS.hash()
    for key, value in {"patience": 4, "reading_rules": 2, "benchmark": "c", "judge": "j", "seed": 1}.items():
        assert SETTINGS.model_copy(update={key: value}).hash() != SETTINGS.hash()


def test_reasoning_stands_in_the_store_and_the_figures_ignore_it(play: Play) -> None:
    run = play(Scripted(lambda r: Reply(str(good_but(2)(r)), reasoning="hm")), max_turns=2)
    [(_, records)] = run.transcripts("fake/model")
    assert [r.reasoning for r in records] == ["hm", "hm"]


def test_what_was_asked_comes_back_with_its_source_and_witness(store: RunStore) -> None:
    prompt = asked(constraints=[{"group": "bullets", "params": {"number": 3}}], witness="* a")
    store.write([TurnEntry(1, prompt, AnsweredTurn("Done."), GOOD)])
    assert list(store.prompts()) == [prompt]
    assert store.asked(1) == [prompt]


def test_a_run_of_the_version_before_is_taken_over(store: RunStore) -> None:
    spent = Spent("target", "fake/model", Usage(0, 0), 3)  # a zero of then, whatever it means
    store.write([entry(), CostEntry(1, 1, 1, (spent,))])
    costs = store.costs()
    store.close()
    with closing(sqlite3.connect(store.root / "run.sqlite")) as file, file:
        file.executescript(TABLES_OF_VERSION_2)
    before = (store.root / "run.sqlite").read_bytes()
    with closing(RunStore.open(store.root, read_only=True)) as read:
        assert [(p.query, p.labels["source"], p.payload["witness"]) for p in read.prompts()] == [("Do it.", "", None)]
        [record] = read.turns(1)
        assert (record.answer, record.prompt.labels["move"], record.judged.judged) == ("Done.", "new", (True,))
        assert read.costs() == costs and spent in costs and read.under_way() == []
    assert (store.root / "run.sqlite").read_bytes() == before
    with closing(RunStore.open(store.root)) as again:
        assert [(p.query, p.labels["source"], p.payload["witness"]) for p in again.prompts()] == [("Do it.", "", None)]
        assert again.turns(1) == [record]
        assert again.costs() == costs and again.under_way() == []
        again.write([entry(2)])
        assert len(again.turns(2)) == 1


def test_what_tokens_were_is_kept_per_call_and_summed(store: RunStore) -> None:
    before = store.costs()
    spent = (Spent("target", "fake/other", Usage(100, 50, 64, 40, 3)), Spent("target", "fake/other", Usage(10, 5)))
    store.write([CostEntry(1, 1, 1, spent)])
    assert [one for one in store.costs() if one not in before] == [
        Spent("target", "fake/other", Usage(110, 55, 64, 40, 3), 2)
    ]
    with closing(sqlite3.connect(store.root / "run.sqlite")) as file:
        parts = "SELECT cached_tokens, reasoning_tokens, image_tokens FROM call WHERE model = 'fake/other' ORDER BY id"
        assert file.execute(parts).fetchall() == [(64, 40, 3), (None, None, None)]


def test_a_file_without_these_columns_is_read_as_it_is_and_gets_them_when_written(store: RunStore) -> None:
    store.write([entry(), CostEntry(1, 1, 1, (Spent("judge", "fake/judge", Usage(7, 2)),))])
    costs, sealed = store.costs(), store.integrity()
    store.close()
    with closing(sqlite3.connect(store.root / "run.sqlite")) as file, file:
        [made] = file.execute("SELECT sql FROM sqlite_master WHERE name = 'call'").fetchone()
        later = ("cached_tokens", "reasoning_tokens", "image_tokens")
        columns = "\n".join(line for line in made.splitlines() if not line.strip().startswith(later))
        columns = columns.replace("bound INTEGER,", "bound INTEGER ")
        kept = "id, session, dialogue, turn, role, model, calls, prompt_tokens, completion_tokens, state, bound"
        file.executescript(
            f"ALTER TABLE call RENAME TO now; {columns}; INSERT INTO call SELECT {kept} FROM now; DROP TABLE now"
        )
    before = (store.root / "run.sqlite").read_bytes()
    with closing(RunStore.open(store.root, read_only=True)) as read:
        assert read.costs() == costs and read.integrity() == sealed and not sealed.edited
    assert (store.root / "run.sqlite").read_bytes() == before
    with closing(RunStore.open(store.root)) as again:
        again.write([CostEntry(1, 1, 2, (Spent("judge", "fake/judge", Usage(7, 2, 5)),))])
        assert Spent("judge", "fake/judge", Usage(14, 4, 5), 2) in again.costs() and again.integrity() == sealed
