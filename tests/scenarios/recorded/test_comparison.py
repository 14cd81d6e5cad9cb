"""Strategies side by side: what each call shows, how often a history is taken in, and what the figures say."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from typing import Any, ClassVar

import pytest

from evolif import UsageError
from evolif.contexts import context_tokens, tokenizer_name
from evolif.errors import AccessError, ModelError, WithheldError
from evolif.models import ChatModel, ChatRequest, Reply
from evolif.scenarios.recorded import Dialog, Unit, compare_memories
from evolif.scenarios.recorded.memories import Memory, Snippet
from evolif.scenarios.recorded.questions import HEADING, memory_messages
from evolif.scenarios.recorded.shared_histories import SharedHistories
from evolif.scenarios.recorded.statistics import bootstrap_interval, paired_difference
from evolif.types import Message, Usage

pytestmark = pytest.mark.skipif(
    tokenizer_name() is None or find_spec("bm25s") is None, reason="needs the extra `contexts`"
)

EXACT = [{"class_name": "exact_match"}]


class Reader:
    """Answers with the capital of the question's country, if a message says so; else with “unknown”."""

    name = "test/reader"
    connections = 4

    def __init__(self, fault: Exception | None = None, fault_at: str = "no question") -> None:
        self.requests: list[ChatRequest] = []
        self.fault, self.fault_at = fault, fault_at

    async def complete(self, request: ChatRequest) -> Reply:
        self.requests.append(request)
        await asyncio.sleep(0)
        question = request.messages[-1].content
        if self.fault is not None and self.fault_at in question:
            raise self.fault
        country = question.removeprefix("Capital of ").removesuffix("?")
        told = "\n".join(message.content for message in request.messages[:-1])
        found = f"city{country[-1]}" if f"city{country[-1]} is the capital of {country}." in told else "unknown"
        return Reply(found, usage=Usage(len(told), 1))

    async def aclose(self) -> None:
        return


def history(rounds: int) -> list[dict[str, Any]]:
    """Turns 1 to 2 × rounds; the last digit of a country names its capital."""
    turns: list[dict[str, Any]] = []
    for place in range(rounds):
        turns += [
            {"turn_id": 2 * place + 1, "role": "user", "content": f"city{place % 10} is the capital of land{place}."},
            {"turn_id": 2 * place + 2, "role": "assistant", "content": "Noted."},
        ]
    return turns


def question(turn_id: int, country: int, gold: int | None = None) -> list[dict[str, Any]]:
    return [
        {"turn_id": turn_id, "role": "user", "content": f"Capital of land{country}?"},
        {
            "turn_id": turn_id + 1,
            "role": "assistant",
            "reference": f"city{country % 10}",
            "reference_document": [gold if gold is not None else 2 * country + 1],
            "eval_config": {"do_eval": True, "metrics": EXACT},
        },
    ]


def dialog(number: int, turns: Sequence[dict[str, Any]], *, off_policy: bool = False) -> Dialog:
    raw = {"dialog_id": number, "dialog_turns": list(turns)}
    return Dialog.model_validate({**raw, "dialog_eval_config": {"use_reference_history": off_policy}})


def compare(dialogs: Sequence[Dialog], strategies: Sequence[str], model: ChatModel | None = None, **more: Any) -> Any:
    return asyncio.run(compare_memories(dialogs, strategies, model or Reader(), **more))


class Noted(Memory):
    """Gives its latest unit, and writes down what happens to it and its forks."""

    log: ClassVar[Counter[str]] = Counter()
    fault: Exception | None = None
    fault_at = "nothing"
    can_fork = True

    def __init__(self, units: Sequence[str] = (), models: Any = None) -> None:
        self.units = list(units)
        self.models = models
        self.log["opened"] += 1

    async def ingest(self, unit: Unit) -> None:
        if self.fault is not None and self.fault_at in unit.text:
            raise self.fault
        if self.models:
            await self.models["context"].complete(ChatRequest((Message("user", "Capital of x?"),)))
        self.log["ingested"] += 1
        self.log[f"took {unit.text}"] += 1
        self.units.append(unit.text)

    async def query(self, question: str, k: int) -> Sequence[Snippet]:
        if self.fault is not None and self.fault_at == question:
            raise self.fault
        self.log["asked"] += 1
        self.log[f"{question} sees {len(self.units)}"] += 1
        return [Snippet(text) for text in self.units[::-1]]

    async def fork(self) -> Memory:
        if not self.can_fork:
            raise NotImplementedError
        self.log["forked"] += 1
        return type(self)(self.units, self.models)

    async def close(self) -> None:
        self.log["closed"] += 1


class Stubborn(Noted):
    can_fork = False


class Rewriting(Noted):
    rewrites = True


def noted(name: str, *, models: Any, embedder: Any) -> Memory:
    return {"noted": Noted, "stubborn": Stubborn, "rewriting": Rewriting}[name.partition(":")[0]](models=models)


@pytest.fixture(autouse=True)
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [EntryPoint(name, f"{__name__}:noted", "evolif.memories") for name in ("noted", "stubborn", "rewriting")]
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [point for point in points if point.group == group]
    )
    monkeypatch.setattr(Noted, "log", Counter())


@pytest.mark.slow
def test_a_hundred_questions_about_one_history_take_it_in_once() -> None:
    dialogs = [dialog(number, [*history(300), *question(601, number)]) for number in range(100)]
    found = compare(dialogs, ["noted:10", "bm25:10"], resamples=50)
    log, ingestion = Noted.log, found["noted:10"]["ingestion"]
    assert (log["ingested"], log["asked"]) == (300, 100)
    assert max(count for what, count in log.items() if what.startswith("took")) == 1
    assert log["opened"] == log["closed"]
    assert {name: ingestion[name] for name in ("histories", "dialogues", "units", "unshared_units", "forks")} == {
        "histories": 1,
        "dialogues": 100,
        "units": 300,
        "unshared_units": 30_000,
        "forks": True,
    }
    assert ingestion["per_question"]["seconds"] == pytest.approx(ingestion["seconds"] / 100)
    assert found["bm25:10"]["ingestion"]["units"] == 300
    assert found["bm25:10"]["hit@1"]["point"] == found["bm25:10"]["recall"]["point"] == 1.0
    assert found["bm25:10"]["score"]["point"] == 1.0


def test_a_memory_that_cannot_fork_takes_in_every_history() -> None:
    dialogs = [dialog(number, [*history(6), *question(13, number)]) for number in range(5)]
    ingestion = compare(dialogs, ["stubborn"])["stubborn"]["ingestion"]
    assert (ingestion["histories"], ingestion["dialogues"], ingestion["forks"]) == (5, 5, False)
    assert ingestion["units"] == ingestion["unshared_units"] == Noted.log["ingested"] == 30
    assert Noted.log["opened"] == Noted.log["closed"] == 6  # the first one was only asked whether it can fork


def test_histories_are_shared_up_to_where_they_part() -> None:
    def told(*names: str) -> list[dict[str, Any]]:
        pairs = [(("user", name), ("assistant", "ok")) for name in names]
        said = [half for pair in pairs for half in pair]
        return [{"turn_id": at, "role": role, "content": text} for at, (role, text) in enumerate(said, 1)]

    ways = [("a", "b", "c"), ("a", "b"), ("a", "b", "d"), ("a", "b", "d", "e"), ("x",), ()]
    dialogs = [dialog(number, [*told(*way), *question(99, 0)]) for number, way in enumerate(ways)]
    ingestion = compare(dialogs, ["noted"])["noted"]["ingestion"]
    assert {what[11:12]: count for what, count in Noted.log.items() if what.startswith("took")} == dict.fromkeys(
        "abcdex", 1
    )
    assert (ingestion["histories"], ingestion["units"], ingestion["unshared_units"]) == (2, 6, 13)
    assert ingestion["dialogues"] == 5
    seen = Counter({what: count for what, count in Noted.log.items() if "sees" in what})
    assert seen == {f"Capital of land0? sees {count}": times for count, times in {0: 1, 1: 1, 2: 1, 3: 2, 4: 1}.items()}
    assert Noted.log["opened"] == Noted.log["closed"]


@pytest.mark.slow
def test_a_thousand_histories_each_one_unit_longer_need_no_deep_stack() -> None:
    told = [Unit((place,), str(place)) for place in range(2000)]
    histories = {number: told[: 2 * number] for number in range(1, 1001)}
    seen = []

    async def use(number: int, memory: Memory) -> None:
        seen.append((number, len(await memory.query("", 1))))

    def failed(number: int, fault: ModelError) -> None:
        raise fault

    shared = SharedHistories(histories, Noted, use, failed, 4)
    asyncio.run(shared.play())
    assert sorted(seen) == [(number, 2 * number) for number in range(1, 1001)]
    assert (shared.ingestion.units, shared.ingestion.unshared_units) == (2000, 1_001_000)
    assert Noted.log["opened"] == Noted.log["closed"]


def test_the_same_words_in_other_roles_or_at_another_time_are_not_shared() -> None:
    def turn(at: int, role: str, text: str, **labels: str) -> dict[str, Any]:
        return {"turn_id": at, "role": role, "content": text, "turn_labels": labels}

    dialogs = [
        dialog(1, [turn(1, "user", "hello"), *question(5, 0)]),
        dialog(2, [turn(1, "assistant", "hello"), *question(5, 0)]),
        dialog(3, [turn(1, "user", "hello", raw_date_time="1 May"), *question(5, 0)]),
        dialog(4, [turn(2, "user", "hello", topic="greeting"), *question(5, 0)]),
    ]
    assert compare(dialogs, ["noted"])["noted"]["ingestion"]["units"] == 3


def test_what_each_call_shows() -> None:
    system = {"turn_id": 0, "role": "system", "content": "Be brief."}
    talk = dialog(1, [system, *history(3), *question(7, 0), *question(9, 2)])
    models = {name: Reader() for name in ("full", "last:1", "noted:2", "bm25:1")}
    for name, model in models.items():
        compare([talk], [name], model)
    first, second = (request.messages for request in models["full"].requests)
    assert first == (
        Message("system", "Be brief."),
        *(Message(turn["role"], turn["content"]) for turn in history(3)),
        Message("user", "Capital of land0?"),
    )
    assert second == (*first, Message("assistant", "city0"), Message("user", "Capital of land2?"))
    assert models["last:1"].requests[0].messages == (first[0], *first[-3:])
    assert models["last:1"].requests[1].messages == (
        first[0],
        first[-1],
        Message("assistant", "unknown"),
        Message("user", "Capital of land2?"),
    )
    notes = (
        f"Be brief.\n\n{HEADING}\n\n1. User: Capital of land0?\nAssistant: unknown\n\n2. User: city2 is the capital of "
    )
    assert models["noted:2"].requests[1].messages == (
        Message("system", f"{notes}land2.\nAssistant: Noted."),
        Message("user", "Capital of land2?"),
    )
    [best] = models["bm25:1"].requests[1].messages[0].content.split("\n\n")[2:]
    assert best == "1. User: city2 is the capital of land2.\nAssistant: Noted."


def test_without_system_text_and_snippets_there_is_only_the_question() -> None:
    assert memory_messages("", [], "Who?") == (Message("user", "Who?"),)
    assert memory_messages("Be brief.", [], "Who?")[0] == Message("system", "Be brief.")


def test_a_lone_turn_is_shown_without_a_made_up_other_half() -> None:
    turns = [
        {"turn_id": 1, "role": "assistant", "content": "Welcome."},
        {"turn_id": 2, "role": "user", "content": "a"},
        {"turn_id": 3, "role": "user", "content": "b"},
        {"turn_id": 4, "role": "assistant", "content": ""},
    ]
    model = Reader()
    compare([dialog(1, [*turns, *question(5, 0)])], ["full"], model)
    shown = [(message.role, message.content) for message in model.requests[0].messages]
    assert shown == [
        ("assistant", "Welcome."),
        ("user", "a"),
        ("user", "b"),
        ("assistant", ""),
        ("user", "Capital of land0?"),
    ]


def test_off_policy_the_memory_takes_in_the_reference() -> None:
    talk = dialog(1, [*history(1), *question(3, 7), *question(5, 0)], off_policy=True)
    compare([talk], ["noted"])
    assert Noted.log["took User: Capital of land7?\nAssistant: city7"] == 1
    compare([dialog(1, [*history(1), *question(3, 7), *question(5, 0)])], ["noted"])
    assert Noted.log["took User: Capital of land7?\nAssistant: unknown"] == 1


def test_figures_are_those_of_the_records() -> None:
    dialogs = [dialog(number, [*history(12), *question(25, number)]) for number in range(12)]
    found = compare(dialogs, ["full", "last:4", "bm25:1"], seed=3, resamples=200)
    assert list(found) == ["full", "last:4", "bm25:1"]
    assert found["full"]["score"] == {"point": 1.0, "lo": 1.0, "hi": 1.0}
    assert found["full"]["difference"] is None
    last = found["last:4"]
    assert last["score"] == bootstrap_interval(last["records"], seed=3, resamples=200)
    assert last["score"]["point"] == pytest.approx(4 / 12)
    expected = paired_difference(last["records"], found["full"]["records"], seed=3, resamples=200)
    assert last["difference"] == expected and expected is not None
    assert (expected["point"], expected["dialogues"]) == (pytest.approx(-8 / 12), 12)
    assert last["hit@1"] is None and last["recall"] is None and last["ingestion"] is None and last["template"] is None
    assert found["bm25:1"]["hit@10"] == {"point": 1.0, "lo": 1.0, "hi": 1.0}
    assert found["bm25:1"]["template"] == 1
    assert all(one["coverage"]["records"]["scored"] == 12 for one in found.values())
    assert [record["dialog_id"] for record in last["records"]] == list(range(12))
    json.dumps(found, allow_nan=False)


def test_context_tokens_are_those_of_the_messages_but_the_question() -> None:
    model = Reader()
    found = compare([dialog(1, [*history(5), *question(11, 0)])], ["full"], model)
    assert found["full"]["context_tokens"]["point"] == context_tokens(model.requests[0].messages) > 50


def test_evidence_that_was_not_said_before_is_never_found() -> None:
    dialogs = [dialog(1, [*history(3), *question(7, 1, gold=50)]), dialog(2, [*history(3), *question(7, 1)])]
    assert compare(dialogs, ["bm25:10"])["bm25:10"]["recall"]["point"] == 0.5


def test_without_evidence_there_are_no_hits() -> None:
    turns = [*history(3), *question(7, 1)]
    del turns[-1]["reference_document"]
    assert compare([dialog(1, turns)], ["bm25:10"])["bm25:10"]["hit@1"] is None
    turns[-2]["reference_document"] = [3]
    assert compare([dialog(1, turns)], ["bm25:10"])["bm25:10"]["hit@1"]["point"] == 1.0


def test_a_memory_that_rewrites_is_held_to_the_lower_threshold() -> None:
    said = {"turn_id": 1, "role": "user", "content": "city1 is the capital of land1 and that is all I know about it"}
    answer = {"turn_id": 2, "role": "assistant", "content": "ok"}
    short = {"turn_id": 3, "role": "user", "content": "city1 is the capital of land1, yes"}
    found = compare([dialog(1, [said, answer, short, *question(5, 1, gold=1)])], ["noted:1", "rewriting:1"])
    assert found["noted:1"]["hit@1"]["point"] == 0.0
    assert found["rewriting:1"]["hit@1"]["point"] == 1.0


@pytest.mark.parametrize(
    ("fault", "kind"), [(ModelError("no answer in time"), "generation"), (WithheldError("refused"), "withheld")]
)
def test_a_fault_of_the_model_ends_its_dialogue_only(fault: ModelError, kind: str) -> None:
    two = dialog(1, [*history(3), *question(7, 0), *question(9, 1), *question(11, 2)])
    other = dialog(2, [*history(3), *question(7, 2)])
    found = compare([two, other], ["noted:10", "full"], Reader(fault, "land1"))
    for one in found.values():
        assert one["coverage"]["failures"] == {kind: 1}
        assert one["coverage"]["records"] == {"expected": 4, "scored": 2, "failed": 1, "missing": 1}
        assert one["score"]["point"] == 1.0
        [failed] = [record for record in one["records"] if record["score"] is None]
        assert (failed["dialog_id"], failed["turn_id"], failed["details"]["reason"]) == (1, 10, str(fault))
    assert Noted.log["opened"] == Noted.log["closed"]


@pytest.mark.parametrize("fault_at", ["land1", "land4", "Capital of land0?"])
def test_a_fault_of_a_memory_fails_what_it_serves(monkeypatch: pytest.MonkeyPatch, fault_at: str) -> None:
    monkeypatch.setattr(Noted, "fault", ModelError("the memory's model is away"))
    monkeypatch.setattr(Noted, "fault_at", fault_at)
    dialogs = [dialog(1, [*history(3), *question(7, 0)]), dialog(2, [*history(5), *question(11, 2)])]
    found = compare(dialogs, ["noted:10"])["noted:10"]
    failed = {"land1": [1, 2], "land4": [2], "Capital of land0?": [1]}[fault_at]
    assert [record["dialog_id"] for record in found["records"] if record["score"] is None] == failed
    assert found["coverage"]["failures"] == {"generation": len(failed)}
    assert Noted.log["opened"] == Noted.log["closed"]


@pytest.mark.parametrize("fault", [RuntimeError("a bug"), AccessError("the key opens nothing")])
@pytest.mark.parametrize("fault_at", ["land1", "Capital of land0?"])
def test_any_other_fault_ends_the_comparison_and_closes_all(
    monkeypatch: pytest.MonkeyPatch, fault: Exception, fault_at: str
) -> None:
    monkeypatch.setattr(Noted, "fault", fault)
    monkeypatch.setattr(Noted, "fault_at", fault_at)
    dialogs = [dialog(number, [*history(4), *question(9, number)]) for number in range(4)]
    with pytest.raises(type(fault), match=str(fault)):
        compare(dialogs, ["noted:10"])
    assert Noted.log["opened"] == Noted.log["closed"]


@pytest.mark.parametrize("strategy", ["full", "noted"])
def test_a_key_that_opens_nothing_ends_the_comparison(strategy: str) -> None:
    with pytest.raises(AccessError, match="opens nothing"):
        compare([dialog(1, [*history(2), *question(5, 0)])], [strategy], Reader(AccessError("opens nothing"), "land"))
    assert Noted.log["opened"] == Noted.log["closed"]


def test_own_calls_are_counted_apart_from_the_models() -> None:
    dialogs = [dialog(number, [*history(4), *question(9, number)]) for number in range(2)]
    found = compare(dialogs, ["noted:10"], context_model=Reader())["noted:10"]
    assert (found["ingestion"]["calls"], found["ingestion"]["completion_tokens"]) == (4, 4)
    assert found["ingestion"]["per_question"]["calls"] == 2
    assert (found["queries"]["count"], found["queries"]["calls"]) == (2, 0)
    assert found["answers"]["calls"] == 2 and found["answers"]["prompt_tokens"] > 0


def test_an_answer_that_needs_a_judge_is_a_failure_without_one() -> None:
    turns = [*history(2), *question(5, 0)]
    turns[-1]["eval_config"] = {"do_eval": True, "metrics": [*EXACT, {"class_name": "llm_judge", "args": {"scale": 5}}]}
    found = compare([dialog(1, turns)], ["full"])["full"]
    assert found["coverage"]["failures"] == {"judge": 1}
    assert found["score"]["point"] == 1.0


class Judge(Reader):
    name = "test/judge"

    async def complete(self, request: ChatRequest) -> Reply:
        self.requests.append(request)
        return Reply('{"Score": 3}')


def test_a_judge_scores_and_sees_what_the_model_saw() -> None:
    turns = [*history(2), *question(5, 0)]
    turns[-1]["eval_config"] = {"do_eval": True, "metrics": [{"class_name": "llm_judge", "args": {"scale": 5}}]}
    judge = Judge()
    found = compare([dialog(1, turns)], ["last:1"], judge=judge)["last:1"]
    assert found["score"]["point"] == 0.5
    asked = "".join(message.content for message in judge.requests[0].messages)
    assert "capital of land1" in asked and "capital of land0" not in asked


@pytest.mark.parametrize(
    ("strategies", "message"),
    [
        ([], "name at least one strategy"),
        ("full", "name at least one strategy, in a list"),
        (["full", "full"], "the strategy full is named twice"),
        (["bm25", "bm25:10"], "the strategy bm25:10 is named twice"),
        (
            ["graph"],
            "unknown strategy “graph”; there are full, last:K, retrieval:K, summary:K, tree, bm25:K, embed:K, ",
        ),
        (["last:x"], "K of last:K is a whole number"),
        (["bm25:0"], "K of bm25:K is a whole number from 1"),
    ],
)
def test_wrong_strategies_are_named_before_any_call(strategies: Any, message: str) -> None:
    model = Reader()
    with pytest.raises(UsageError, match=message):
        compare([dialog(1, [*history(1), *question(3, 0)])], strategies, model)
    assert model.requests == []


def test_wrong_dialogues_are_named_before_any_call() -> None:
    model, asked = Reader(), question(3, 0)
    with pytest.raises(UsageError, match="the dialog_id 1 is given twice"):
        compare([dialog(1, asked), dialog(1, asked)], ["full"], model)
    with pytest.raises(UsageError, match="no dialogue has an evaluated turn"):
        compare([dialog(1, history(2))], ["full"], model)
    del asked[1]["reference"]
    with pytest.raises(UsageError, match="neither a reference nor content"):
        compare([dialog(1, [*asked, *question(5, 1)], off_policy=True)], ["full"], model)
    with pytest.raises(UsageError, match="mean-min"):
        compare([dialog(1, question(3, 0))], ["full"], model, aggregate="best")
    assert model.requests == []
