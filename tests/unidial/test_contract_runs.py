"""Sessions in the schema and memories compared, as the page of the schema has them."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import evolif
from evolif.cli.app import app
from evolif.models import ChatRequest, Reply
from evolif.scenarios.recorded import (
    Dialog,
    Unit,
    aggregate,
    compare_memories,
    coverage,
    dialogs_of_run,
    parse_aggregation,
    read_dialogs,
    read_records,
    records_of_run,
    write_dialogs,
    write_records,
)
from evolif.scenarios.recorded.memories import Memory, Snippet

# Sessions


MODEL = "sim/forgetful"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("contract")
    bench = evolif.generate(root / "bench", dialogues=4, turns=6, seed=7, profile="objective")
    evolif.evaluate(bench, [MODEL, "sim/perfect"], root / "run", max_turns=8).close()
    return root / "run"


@pytest.fixture
def run(folder: Path) -> Iterator[Any]:
    loaded = evolif.load_run(folder)
    yield loaded
    loaded.close()


@pytest.mark.parametrize("model", [MODEL, "sim/perfect"])
def test_three_aggregations_are_the_figures_of_the_report(run: Any, folder: Path, model: str, tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["report", str(folder), "--json", str(tmp_path / "report.json")])
    assert told.exit_code == 0, told.output
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    [figures] = [each for each in report["models"] if each["model"] == model]
    records = records_of_run(run, model)
    names = {"csr": "mean-mean-turn", "isr": "min-mean-turn", "rob": "min-mean-dialog"}
    for figure, name in names.items():
        mean = aggregate(records, *parse_aggregation(name))["global"]["mean"]
        assert mean == pytest.approx(figures[figure]["value"], abs=1e-12)


def test_sessions_are_dialogues(run: Any) -> None:
    dialogs, sessions = dialogs_of_run(run, MODEL), list(run.sessions(MODEL))
    assert [each.dialog_id for each in dialogs] == list(range(len(sessions)))
    for dialog, session in zip(dialogs, sessions, strict=True):
        origin = dialog.dialog_raw_info["evolif"]
        assert origin.keys() == {"benchmark", "settings", "model", "dialogue", "epoch", "patience", "ending", "reason"}
        assert (origin["model"], origin["dialogue"], origin["epoch"]) == (MODEL, session.dialogue, session.epoch)
        assert dialog.dialog_labels.keys() == {"scenario", "ending", "topics", "register"}
        assert dialog.dialog_eval_config.use_reference_history is False
        roles = [each.role for each in dialog.dialog_turns]
        assert roles == ["system", *["user", "assistant"] * len(session.turns)]
        assert [each.turn_id for each in dialog.dialog_turns] == list(range(len(roles)))


def test_without_a_system_prompt_ids_begin_at_one_and_epochs_follow_each_other(folder: Path, tmp_path: Path) -> None:
    played = evolif.evaluate(
        folder.parent / "bench", [MODEL], tmp_path / "run", limit=2, epochs=2, max_turns=3, system_prompt=False
    )
    dialogs, records = dialogs_of_run(played, MODEL), records_of_run(played, MODEL)
    played.close()
    origins = [each.dialog_raw_info["evolif"] for each in dialogs]
    assert [(each["dialogue"], each["epoch"]) for each in origins] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert all(each.dialog_turns[0].turn_id == 1 and each.dialog_turns[0].role == "user" for each in dialogs)
    assert coverage(dialogs, records)["records"]["scored"] == len(records) > 0


def test_answers_name_their_constraints_and_the_turns_that_introduced_them(run: Any) -> None:
    for dialog in dialogs_of_run(run, MODEL):
        users = {each.turn_id: each for each in dialog.dialog_turns if each.role == "user"}
        for answer in dialog.dialog_turns[2::2]:
            entries = answer.eval_config.metrics
            asked = users[answer.turn_id - 1]
            assert asked.turn_labels.keys() == {"move", "operation", "topic", "depth", "constraints"}
            assert answer.eval_config.do_eval and answer.reference is None
            assert {entry.class_name for entry in entries} <= {"evolif_check"}
            assert all(entry.args.keys() == {"group_name", "params"} for entry in entries)
            assert asked.turn_labels["constraints"] == len(entries)
            evidence = answer.reference_document
            assert isinstance(evidence, list) and len(evidence) == len(entries)
            assert all(number in users and number < answer.turn_id for number in evidence)
            operations = [users[number].turn_labels["operation"] for number in evidence]
            assert set(operations) <= {"add", "modify"}


def test_witnesses_are_references_only_on_request(run: Any) -> None:
    plain, keyed = dialogs_of_run(run, MODEL), dialogs_of_run(run, MODEL, with_witness=True)
    answers = [each for dialog in keyed for each in dialog.dialog_turns if each.eval_config.do_eval]
    assert answers and all(isinstance(each.reference, str) and each.reference for each in answers)
    assert "reference" not in {key for dialog in plain for each in dialog.dialog_turns for key in each.model_fields_set}


def test_records_are_verdicts_of_what_the_dialogues_expect(run: Any, tmp_path: Path) -> None:
    dialogs, records = dialogs_of_run(run, MODEL), records_of_run(run, MODEL)
    assert {record["score"] for record in records} == {0.0, 1.0}
    assert all(record["metric_name"].startswith("evolif_check->") for record in records)
    found = coverage(dialogs, records)
    assert found["records"]["scored"] == found["records"]["expected"] == len(records)
    assert found["failures"] == {}
    write_dialogs(tmp_path / "generated", dialogs, benchmark_id="b")
    write_records(tmp_path / "eval_details", dialogs, records)
    assert read_dialogs(tmp_path / "generated") == dialogs
    assert read_records(tmp_path / "eval_details") == records


def test_an_unknown_model_is_refused(run: Any) -> None:
    with pytest.raises(evolif.UsageError, match="nobody"):
        dialogs_of_run(run, "sim/nobody")
    with pytest.raises(evolif.UsageError, match="nobody"):
        records_of_run(run, "sim/nobody")


# Memories


MIA = "User: My cat is called Mia.\nAssistant: A fine name."
HEADING = "Notes from earlier in the conversation, best match first:"


class Reader:
    """Says whether it was shown Mia, and remembers what it was shown."""

    name, connections = "my/reader", 4

    def __init__(self) -> None:
        self.shown: list[list[tuple[str, str]]] = []

    async def complete(self, request: ChatRequest) -> Reply:
        self.shown.append([(message.role, message.content) for message in request.messages])
        return Reply("Mia" if any("Mia" in message.content for message in request.messages) else "No idea")

    async def aclose(self) -> None:
        pass


TAKEN: list[str] = []
"""Texts that memories of these tests took in, and what they were asked, in order."""


class Remembers(Memory):
    """Gives its newest units, which it counts in `TAKEN`."""

    rewrites = False

    def __init__(self, held: Sequence[Unit] = ()) -> None:
        self.held = list(held)

    async def ingest(self, unit: Unit) -> None:
        TAKEN.append(unit.text)
        self.held.append(unit)

    async def query(self, question: str, k: int) -> Sequence[Snippet]:
        TAKEN.append(f"? {question}")
        return [Snippet(unit.text) for unit in self.held[::-1][:k]]

    async def fork(self) -> Remembers:
        return Remembers(self.held)

    async def close(self) -> None:
        pass


class Clings(Remembers):
    """Cannot be copied."""

    async def fork(self) -> Remembers:
        raise NotImplementedError


def remembers(name: str, *, models: Any, embedder: Any) -> Memory:
    return Remembers()


def clings(name: str, *, models: Any, embedder: Any) -> Memory:
    return Clings()


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [EntryPoint(name, f"{__name__}:{name}", "evolif.memories") for name in ("remembers", "clings")]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [p for p in points if p.group == group])
    TAKEN.clear()


HISTORY: list[dict[str, Any]] = [
    {"turn_id": 0, "role": "system", "content": "Be brief."},
    {"turn_id": 1, "role": "user", "content": "My cat is called Mia."},
    {"turn_id": 2, "role": "assistant", "content": "A fine name."},
    {"turn_id": 3, "role": "user", "content": "The weather is wet."},
    {"turn_id": 4, "role": "assistant", "content": "Take an umbrella."},
]


def question(turn_id: int, text: str, reference: str = "Mia") -> list[dict[str, Any]]:
    entry = {"do_eval": True, "metrics": [{"class_name": "exact_match"}]}
    return [
        {"turn_id": turn_id, "role": "user", "content": text},
        {
            "turn_id": turn_id + 1,
            "role": "assistant",
            "reference": reference,
            "reference_document": [1],
            "eval_config": entry,
        },
    ]


def talk(dialog_id: int, *turns: dict[str, Any], off_policy: bool = False) -> Dialog:
    return Dialog.model_validate(
        {
            "dialog_id": dialog_id,
            "dialog_turns": [*HISTORY, *turns],
            "dialog_eval_config": {"use_reference_history": off_policy},
        }
    )


def compare(dialogs: Sequence[Dialog], *strategies: str) -> tuple[dict[str, dict[str, Any]], Reader]:
    model = Reader()
    return asyncio.run(compare_memories(dialogs, strategies, model)), model


def test_the_full_history_is_shown_as_messages() -> None:
    found, model = compare([talk(0, *question(5, "What is my cat called?"))], "full")
    assert model.shown == [[*((turn["role"], turn["content"]) for turn in HISTORY), ("user", "What is my cat called?")]]
    assert found["full"]["score"]["point"] == 1.0
    assert found["full"]["recall"] is None


def test_a_memory_is_shown_as_one_block_in_the_system_message() -> None:
    found, model = compare([talk(0, *question(5, "What is my cat called?"))], "bm25:1")
    [[(first, system), second]] = model.shown
    assert (first, second) == ("system", ("user", "What is my cat called?"))
    prompt, _, notes = system.partition(HEADING)
    assert prompt.strip() == "Be brief."
    assert "1" in notes and MIA in notes
    assert "umbrella" not in notes
    figures = found["bm25:1"]
    assert [figures[name]["point"] for name in ("score", "hit@1", "hit@5", "hit@10", "recall")] == [1.0] * 5


def test_snippets_stand_in_the_order_of_retrieval() -> None:
    _, model = compare([talk(0, *question(5, "Is it wet? My cat hates wet weather."))], "bm25:10")
    system = model.shown[0][0][1]
    assert 0 < system.index(HEADING) < system.index("umbrella") < system.index("A fine name.")


def test_without_snippets_there_is_no_block() -> None:
    found, model = compare([talk(0, *question(5, "Zyzzyva?"))], "bm25:10")
    assert model.shown == [[("system", "Be brief."), ("user", "Zyzzyva?")]]
    figures = found["bm25:10"]
    assert [figures[name]["point"] for name in ("score", "hit@1", "hit@10", "recall")] == [0.0] * 4


def test_embeddings_find_the_evidence() -> None:
    found, _ = compare([talk(0, *question(5, "What name did I give my kitten, my pet cat?"))], "embed:1")
    assert found["embed:1"]["hit@1"]["point"] == 1.0


def test_strategies_are_compared_with_full() -> None:
    dialogs = [talk(0, *question(5, "What is my cat called?")), talk(1, *question(5, "Zyzzyva?", "No idea"))]
    found, _ = compare(dialogs, "full", "last:0", "bm25:1")
    assert list(found) == ["full", "last:0", "bm25:1"]
    assert [found[name]["score"]["point"] for name in found] == [0.5, 0.5, 1.0]
    assert found["last:0"]["difference"] == {"point": 0.0, "lo": -1.0, "hi": 1.0, "dialogues": 2}
    assert found["bm25:1"]["difference"]["point"] == 0.5
    assert found["last:0"]["context_tokens"]["point"] < found["full"]["context_tokens"]["point"]


@pytest.mark.usefixtures("plugins")
def test_an_answered_exchange_is_taken_in_after_it() -> None:
    turns = [*question(5, "first?", "gold"), *question(7, "second?")]
    umbrella = "User: The weather is wet.\nAssistant: Take an umbrella."
    for off_policy, heard in ((False, "Mia"), (True, "gold")):
        TAKEN.clear()
        compare([talk(0, *turns, off_policy=off_policy)], "remembers:10")
        assert TAKEN[:5] == [MIA, umbrella, "? first?", f"User: first?\nAssistant: {heard}", "? second?"]


@pytest.mark.usefixtures("plugins")
def test_a_hundred_questions_take_in_their_history_once() -> None:
    turns = [
        turn
        for number in range(5, 61, 2)
        for turn in (
            {"turn_id": number, "role": "user", "content": f"fact {number}"},
            {"turn_id": number + 1, "role": "assistant", "content": "noted"},
        )
    ]
    dialogs = [talk(number, *turns, *question(61, f"question {number}?")) for number in range(100)]
    compare(dialogs, "remembers:10")
    history = Counter(text for text in TAKEN if text.startswith("User: ") and "question" not in text)
    assert len(history) == 30 and set(history.values()) == {1}
    assert sum(text.startswith("? ") for text in TAKEN) == 100


@pytest.mark.usefixtures("plugins")
def test_dialogues_part_at_the_first_unit_that_differs() -> None:
    more = [{"turn_id": 5, "role": "user", "content": "x"}, {"turn_id": 6, "role": "assistant", "content": "y"}]
    other = [{"turn_id": 5, "role": "user", "content": "x"}, {"turn_id": 6, "role": "assistant", "content": "z"}]
    dialogs = [talk(0, *more, *question(7, "a?")), talk(1, *other, *question(7, "b?"))]
    found, model = compare(dialogs, "remembers:10")
    taken = Counter(TAKEN)
    assert taken[MIA] == 1
    assert taken["User: x\nAssistant: y"] == taken["User: x\nAssistant: z"] == 1
    shown = {messages[-1][1]: messages[0][1] for messages in model.shown}
    assert "Assistant: y" in shown["a?"] and "Assistant: z" not in shown["a?"]
    assert "Assistant: z" in shown["b?"] and "Assistant: y" not in shown["b?"]
    assert found["remembers:10"]["score"]["point"] == 1.0


@pytest.mark.usefixtures("plugins")
def test_a_memory_that_cannot_fork_takes_everything_in_anew() -> None:
    dialogs = [talk(number, *question(5, f"question {number}?")) for number in range(3)]
    found, _ = compare(dialogs, "clings:10")
    assert Counter(TAKEN)[MIA] == 3
    assert found["clings:10"]["score"]["point"] == 1.0
