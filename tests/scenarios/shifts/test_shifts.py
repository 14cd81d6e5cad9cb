"""Dialogues whose topic shifts as a scenario: generated, played, scored, reported, exported."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from recorded_dialogs import Scripted, report
from shift_dialogues import GOALS, GOLD, dialogue, reply

from evolif.benchmark import open_benchmark
from evolif.errors import InputError, ModelError, UsageError
from evolif.exchange import export
from evolif.metrics import compare
from evolif.models import ChatRequest, Reply
from evolif.report import analyse
from evolif.runner import Run, evaluate, load_run
from evolif.runner.ray_worker import RemoteEnvironment
from evolif.scenario import Services, get_scenario, options_of
from evolif.scenarios import shifts
from evolif.scenarios.shifts.lines import dialogue_of, dialogue_of_prompts, lines_of
from evolif.scenarios.shifts.results import outcomes_of
from evolif.types import Message, Prompt

SCENARIO = get_scenario("shifts")


def made(folder: Path, dialogues: int = 4, seed: int = 1, **options: Any) -> Any:
    """A generated benchmark."""
    SCENARIO.generate(folder, options_of(SCENARIO.spec, options, "shifts"), dialogues=dialogues, seed=seed)
    return open_benchmark(folder)


@pytest.fixture
def by_hand(tmp_path: Path) -> Any:
    """A benchmark with the one dialogue that was made by hand."""
    bench = made(tmp_path / "bench", 1)
    file = tmp_path / "bench" / "dialogues" / "0001.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines_of(dialogue())), encoding="utf-8")
    assert bench.dialogues() == [1]
    return open_benchmark(tmp_path / "bench")


def last_only(answer: str) -> Scripted:
    """A model that says hello until the final request."""
    return Scripted(lambda request: answer if "complete plan" in request.messages[-1].content else "Hello.")


class Breaking:
    """`sim/steady`, whose endpoint fails from one call on; from none if that is 0."""

    name, connections = "fake/model", 1

    def __init__(self, fails_at: int) -> None:
        self.fails_at = fails_at
        self.calls = 0
        self.player = SCENARIO.player("steady", 0)

    async def complete(self, request: ChatRequest) -> Reply:
        self.calls += 1
        if self.fails_at and self.calls >= self.fails_at:
            raise ModelError("the endpoint is down")
        return await self.player.complete(request)

    async def aclose(self) -> None:
        pass


def goals_of(run: Run) -> list[tuple[str, bool | None, str | None]]:
    [session] = run.sessions(run.models[0])
    return [(one.id, one.satisfied, one.reason) for one in outcomes_of(session.turns[-1])]


def test_the_pinned_names_are_here() -> None:
    for name in (
        "generate check_answer tcr tcr_gain decision_scores node_recall read_score count_goals cohen_kappa "
        "read_released write_released describe_released invented"
    ).split():
        assert callable(getattr(shifts, name))


def test_a_benchmark_holds_what_generate_gives(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 5, seed=3)
    assert [dialogue_of(bench.lines(number)) for number in bench.dialogues()] == list(shifts.generate(5, seed=3))
    assert [len(bench.lines(number)) for number in bench.dialogues()] == [10, 15, 20, 25, 10]


def test_the_same_seed_gives_the_same_bytes_and_completes_a_folder(tmp_path: Path) -> None:
    made(tmp_path / "a", 4)
    made(tmp_path / "b", 4)
    (tmp_path / "b" / "dialogues" / "0002.jsonl").unlink()
    made(tmp_path / "b", 4)
    files = [sorted((tmp_path / name).rglob("*.json*")) for name in "ab"]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]


def test_rounds_and_held_out_task_types_are_options(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 3, rounds=["15", "10"], hold="held_out")
    expected = list(shifts.generate(3, rounds=(15, 10), seed=1, hold="held_out"))
    assert [dialogue_of(bench.lines(number)) for number in bench.dialogues()] == expected
    assert bench.variant == "held_out"
    with pytest.raises(UsageError, match="there are no dialogues of 12 rounds; use 10, 15, 20, 25"):
        options_of(SCENARIO.spec, {"rounds": ["12"]}, "shifts")


def test_only_the_users_words_are_asked(by_hand: Any, tmp_path: Path) -> None:
    model = last_only(reply())
    evaluate(by_hand, model, tmp_path / "run").close()
    assert len(model.asked) == 8
    last = model.asked[-1].messages
    assert [message.content for message in last if message.role == "user"] == [turn.query for turn in dialogue().turns]
    assert {message.content for message in last if message.role == "assistant"} == {"Hello."}
    assert all("witness" not in message.content and "superseded" not in message.content for message in last)


def test_only_the_final_answer_is_scored(by_hand: Any, tmp_path: Path) -> None:
    with closing(evaluate(by_hand, last_only(reply(budget_eur=900, transport="bus")), tmp_path / "run")) as run:
        [session] = run.sessions("fake/model")
        assert (session.ending, session.patience) == ("finished", None)
        assert [len(turn.scores) for turn in session.turns] == [0, 0, 0, 0, 0, 0, 0, 7]
        assert all(turn.verdicts == () for turn in session.turns)
        assert goals_of(run) == [
            ("g1", True, None),
            ("g2", False, "stale"),
            ("g3", True, None),
            ("g4", True, None),
            ("g5", True, None),
        ]
        found = report(run)
    assert found["tcr"]["value"] == found["tcr_micro"]["value"] == 0.8
    assert found["tcr"]["by_rounds"] == {"8": {"value": 0.8, "low": None, "high": None}}
    assert found["invented"]["value"] == 1.0
    assert found["reasons"] == {"stale": 1}
    assert "csr" not in found


def test_on_a_fixed_transcript_the_model_is_asked_once(by_hand: Any, tmp_path: Path) -> None:
    model = last_only(reply())
    with closing(evaluate(by_hand, model, tmp_path / "run", options={"replies": "scripted"})) as run:
        assert len(model.asked) == 1
        heard = [message.content for message in model.asked[0].messages if message.role == "assistant"]
        assert heard == [turn.reply for turn in dialogue().turns[:-1]]
        assert sum(spent.calls for spent in run.costs()) == 1
        assert [one[1] for one in goals_of(run)] == [True] * 5


def test_a_fixed_transcript_is_the_same_for_every_model_and_another_run_than_a_free_one(
    by_hand: Any, tmp_path: Path
) -> None:
    evaluate(by_hand, last_only(reply()), tmp_path / "run", options={"replies": "scripted"}).close()
    with pytest.raises(UsageError, match="replies"):
        evaluate(by_hand, last_only(reply()), tmp_path / "run").close()


def test_a_process_of_a_cluster_has_the_same_transcript(by_hand: Any) -> None:
    options = options_of(SCENARIO.play, {"replies": "scripted"}, "shifts")
    remote = RemoteEnvironment(SCENARIO.environment(None, options, Services()))
    prompts = [
        SCENARIO.environment(by_hand, options, Services()).asked(1, n, line)
        for n, line in enumerate(by_hand.lines(1), 1)
    ]
    assert [remote.given(prompt) for prompt in prompts] == [*(turn.reply for turn in dialogue().turns[:-1]), None]


def test_a_forecast_counts_one_call_for_each_fixed_transcript(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 4)
    free, fixed = (
        SCENARIO.expected(bench, options_of(SCENARIO.play, {"replies": who}, "shifts")) for who in ("model", "scripted")
    )
    assert (free.turns, fixed.turns) == (17.5, 1.0)
    last = dialogue_of(bench.lines(1))
    said = sum(len(turn.query) + len(turn.reply) for turn in last.turns)
    assert fixed.prompt_tokens > said / 4 > free.prompt_tokens


@pytest.mark.sampled
@pytest.mark.parametrize("context", ["full", "last:2", "retrieval:3"])
def test_a_run_that_was_stopped_goes_on_to_the_same_turns(tmp_path: Path, context: str) -> None:
    bench = made(tmp_path / "b", 2)

    def stored(out: Path) -> Any:
        with closing(load_run(out)) as run:
            return [
                [(r.prompt.query, r.answer, r.scores, r.notes, r.context_tokens) for r in records]
                for _, records in run.transcripts("fake/model")
            ]

    evaluate(bench, Breaking(0), tmp_path / "whole", context=context).close()
    evaluate(bench, Breaking(12), tmp_path / "cut", context=context).close()
    assert 0 < sum(map(len, stored(tmp_path / "cut"))) < 25
    evaluate(bench, Breaking(0), tmp_path / "cut", context=context).close()
    assert stored(tmp_path / "cut") == stored(tmp_path / "whole")


def test_a_session_that_is_cut_short_is_left_out_and_named(by_hand: Any, tmp_path: Path) -> None:
    with closing(evaluate(by_hand, last_only(reply()), tmp_path / "run", max_turns=5)) as run:
        found = report(run)
        [remark] = SCENARIO.presentation.remarks(analyse([run])[0])
    assert found["tcr"]["value"] is None and found["no_final_reply"] == 1
    assert remark == "fake/model: 1 session ended before the final request was answered, and is left out of TCR."


@pytest.mark.slow
def test_perfect_reaches_all_goals_and_steady_as_many_as_it_says(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 32)
    models = ["sim/perfect", "sim/steady?skill=.7"]
    with closing(evaluate(bench, models, tmp_path / "run", options={"replies": "scripted"})) as run:
        perfect, steady = (model.summary.metrics for model in analyse([run])[0].models)
        found = analyse([run])[0].models[1]
        reasons = SCENARIO.presentation.extra(found)["reasons"]
    assert perfect.values == {"tcr": 1.0, "tcr_micro": 1.0, "invented": 0.0, "form": 1.0}
    assert 0.64 < (steady.value("tcr_micro") or 0) < 0.76
    assert set(reasons) == {"cancelled", "stale", "other_branch", "missing", "wrong"}


def test_the_reader_reads_everything_under_the_full_history_and_less_under_less(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 12)
    rates = {}
    for context in ("full", "last:4", "last:0"):
        with closing(evaluate(bench, "sim/reader", tmp_path / context, context=context)) as run:
            rates[context] = analyse([run])[0].models[0].summary.metrics.value("tcr")
    assert rates["full"] == 1.0
    assert rates["full"] > rates["last:4"] > rates["last:0"]


def test_players_say_what_they_are() -> None:
    with pytest.raises(UsageError, match="sim/perfect, sim/steady, sim/reader"):
        SCENARIO.player("forgetful", 0)
    for name in ("steady?skill=2", "steady?p=.5", "steady?skill=nan", "reader?skill=.5"):
        with pytest.raises(UsageError):
            SCENARIO.player(name, 0)


def test_gold_is_read_back_from_a_run(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 2)
    with closing(evaluate(bench, "sim/perfect", tmp_path / "run")) as run:
        stored = [
            dialogue_of_prompts(record.prompt for record in records) for _, records in run.transcripts("sim/perfect")
        ]
    assert stored == list(shifts.generate(2, seed=1))


def test_exports_leave_answer_keys_out(by_hand: Any, tmp_path: Path) -> None:
    evaluate(by_hand, "sim/perfect", tmp_path / "run").close()
    for source in (by_hand.path, tmp_path / "run"):
        for keys in (False, True):
            out = tmp_path / f"{source.name}-{keys}.jsonl"
            done = export(source, out, with_witness=keys)
            assert done.rows == 8
            text = out.read_text(encoding="utf-8")
            assert ("superseded" in text) is keys
            assert ('"provenance"' in text) is keys
            rows = [json.loads(line) for line in text.splitlines()]
            assert rows[-1]["query"] == "Now give me the complete plan for Ghent."
            assert "```json" not in text or keys
            assert ("destination is Ghent" in text) is (keys and source != by_hand.path)


def test_moves_that_do_not_belong_are_named() -> None:
    lines = list(lines_of(dialogue()))
    prompts = [
        Prompt(1, number, (Message("user", line.pop("query")),), labels=line.pop("labels"), payload=line)
        for number, line in enumerate(lines, 1)
    ]
    assert SCENARIO.presentation.misplaced(prompts, GOLD) == {}
    assert SCENARIO.presentation.misplaced(prompts, [None] * 8) == {
        3: "opens a topic",
        4: "branches off from turn 1",
        5: "opens a topic",
        6: "belongs to branch b1 of the topic of turn 1",
        7: "belongs to the topic of turn 5",
    }
    assert SCENARIO.presentation.misplaced(prompts[:4], GOLD[:4]) == {}
    assert SCENARIO.presentation.misplaced([Prompt(1, 1, (Message("user", "Hi"),), payload={})], [None]) is None


def test_lines_are_facts_for_readers(by_hand: Any, tmp_path: Path) -> None:
    with closing(evaluate(by_hand, "sim/perfect", tmp_path / "run")) as run:
        [(_, records)] = run.transcripts("sim/perfect")
    assert SCENARIO.presentation.facts(records[3].prompt) == (
        ("", "alternative"),
        ("", "topic 1, branch b1, from turn 1"),
        ("task", "city_trip"),
    )
    assert SCENARIO.presentation.facts(records[0].prompt)[-1] == ("acts", "set destination")


@pytest.mark.slow
def test_two_runs_are_compared_by_dialogue(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 24)
    names = [tmp_path / "one", tmp_path / "two"]
    evaluate(bench, "sim/steady?skill=.9", names[0]).close()
    evaluate(bench, "sim/steady?skill=.5", names[1]).close()
    runs = [load_run(name) for name in names]
    try:
        sides = [model.sessions for analysis in analyse(runs) for model in analysis.models]
        found = compare(*sides, tables=analyse(runs)[0].tables)
    finally:
        for run in runs:
            run.close()
    assert found.dialogues == 24
    assert (found.differences["tcr"].value or 0) > 0.2


def test_a_model_that_says_nothing_fails_every_goal(by_hand: Any, tmp_path: Path) -> None:
    def silent(request: ChatRequest) -> str:
        return ""

    model = Scripted(silent)
    with closing(evaluate(by_hand, model, tmp_path / "run")) as run:
        assert {one[2] for one in goals_of(run)} == {"unreadable"}
        assert report(run)["tcr"]["value"] == 0.0


@pytest.mark.parametrize(
    ("number", "change", "sentence"),
    [
        (1, {"query": 7}, "query"),
        (2, {"reply": None}, "reply"),
        (3, {"gold": {}}, "gold"),
        (8, {"checkpoints": [{"id": "g1"}]}, "checkpoints"),
        (8, {"checkpoints": [{**GOALS[0], "type": "colour"}]}, "checkpoints"),
        (8, {"witness": 1}, "witness"),
        (8, {"slots": "destination"}, "slots"),
    ],
)
def test_a_broken_line_is_named(
    by_hand: Any, tmp_path: Path, number: int, change: dict[str, Any], sentence: str
) -> None:
    file = by_hand.path / "dialogues" / "0001.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    lines[number - 1] |= change
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    with pytest.raises(InputError, match=rf"0001\.jsonl, line {number}: {sentence}.*restore the file"):
        open_benchmark(by_hand.path).lines(1)


def test_a_dialogue_that_lost_its_end_is_named(by_hand: Any) -> None:
    file = by_hand.path / "dialogues" / "0001.jsonl"
    file.write_text("".join(file.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    with pytest.raises(InputError, match=r"0001\.jsonl, line 7: slots"):
        open_benchmark(by_hand.path).lines(1)
    file.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="no turn in it"):
        open_benchmark(by_hand.path).lines(1)
