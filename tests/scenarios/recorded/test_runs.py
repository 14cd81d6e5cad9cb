"""Sessions as dialogues and records: nothing is lost, and three aggregations are our figures."""

from __future__ import annotations

import pytest

import evolif
from evolif import UsageError
from evolif.errors import ModelError
from evolif.metrics import process_metrics, records_from_sessions
from evolif.models import ChatRequest, Reply
from evolif.runner import RunSettings, RunStore
from evolif.scenarios.instructions import requirements_of
from evolif.scenarios.recorded import aggregate, coverage, dialogs_of_run, records_of_run
from evolif.scenarios.recorded.runs import counted

NAMES = ("mean-mean-turn", "min-mean-turn", "min-mean-dialog")
MODELS = ("sim/perfect", "sim/steady?skill=.6", "sim/forgetful")


@pytest.fixture(scope="module", params=["objective", "paper", "extended", "escalating"])
def run(request, tmp_path_factory):
    root = tmp_path_factory.mktemp(request.param)
    bench = evolif.generate(root / "b", dialogues=6, turns=8, seed=8, profile=request.param)
    played = evolif.evaluate(bench, MODELS, root / "r", max_turns=12)
    yield played
    played.close()


def figures(records):
    return [aggregate(records, *name.split("-"))["global"]["mean"] for name in NAMES]


def told(sessions):
    metrics = process_metrics(records_from_sessions(sessions).records)
    return [metrics.csr, metrics.isr, metrics.rob]


@pytest.mark.sampled
@pytest.mark.parametrize("model", MODELS)
def test_three_aggregations_are_csr_isr_and_rob(run, model):
    records = records_of_run(run, model)
    assert figures(records) == pytest.approx(told(run.sessions(model)), abs=1e-12)
    verdicts = [v for session in run.sessions(model) for turn in session.turns for v in turn.verdicts]
    unjudged = [record for record in records if record["score"] is None]
    assert len(records) == len(verdicts) and len(unjudged) == sum(v.satisfied is None for v in verdicts)
    assert {record["details"]["failure"] for record in unjudged} <= {"judge"}
    assert all("failure" not in record["details"] for record in records if record["score"] is not None)


def test_the_figures_tell_the_models_apart(run):
    assert len({figures(records_of_run(run, model))[1] for model in MODELS}) > 1


@pytest.mark.parametrize("model", MODELS)
def test_everything_expected_has_a_record(run, model):
    found = coverage(dialogs_of_run(run, model), records_of_run(run, model))
    assert found["records"]["missing"] == 0 and "unexpected" not in found["failures"]
    assert found["records"]["failed"] == found["failures"].get("judge", 0)


def test_a_dialogue_is_its_session(run):
    model = MODELS[1]
    dialogs = dialogs_of_run(run, model)
    transcripts = list(run.transcripts(model))
    assert [dialog.dialog_id for dialog in dialogs] == list(range(len(transcripts)))
    for dialog, (session, turns) in zip(dialogs, transcripts, strict=True):
        assert dialog.dialog_raw_info["evolif"] == {
            "benchmark": run.settings.benchmark,
            "settings": run.settings.hash(),
            "model": model,
            "dialogue": session.dialogue,
            "epoch": session.epoch,
            "patience": session.patience,
            "ending": session.ending,
            "reason": session.reason,
        }
        assert dialog.dialog_labels == {
            "scenario": "instructions",
            "ending": session.ending,
            "topics": len({turn.prompt.labels["topic"] for turn in turns}),
            "register": turns[0].prompt.labels["register"],
        }
        assert not dialog.dialog_eval_config.use_reference_history
        system, *rest = dialog.dialog_turns
        assert (system.turn_id, system.role) == (0, "system") and system.text.startswith("You are in a long")
        assert [turn.turn_id for turn in rest] == list(range(1, len(rest) + 1))
        assert [turn.text for turn in rest] == [text for turn in turns for text in (turn.query, turn.answer)]
        for query, answer, turn in zip(rest[::2], rest[1::2], turns, strict=True):
            constraints = requirements_of(turn.prompt).constraints
            labels = {name: turn.prompt.labels[name] for name in ("move", "operation", "topic", "depth")}
            assert query.turn_labels == {**labels, "constraints": len(constraints)} and not query.evaluated
            assert answer.evaluated and answer.reference is None
            assert [(entry.class_name, entry.args) for entry in answer.eval_config.metrics] == [
                ("evolif_check", {"group_name": one.group, "params": dict(one.params)}) for one in constraints
            ]


def test_the_evidence_is_the_turn_that_set_each_constraint_last(run):
    moved = 0
    for dialog in dialogs_of_run(run, MODELS[0]):
        in_force: dict[str, dict[str, object]] = {}
        since: dict[tuple[str, str], int] = {}
        queries, answers = [[t for t in dialog.dialog_turns if t.role == role] for role in ("user", "assistant")]
        for query, answer in zip(queries, answers, strict=True):
            topic, groups = query.turn_labels["topic"], [e.args["group_name"] for e in answer.eval_config.metrics]
            now = {e.args["group_name"]: e.args["params"] for e in answer.eval_config.metrics}
            before = in_force.get(topic, {})
            since |= {(topic, group): query.turn_id for group in now if now[group] != before.get(group)}
            in_force[topic] = now
            assert answer.reference_document == [since[topic, group] for group in groups]
            moved += any(turn != query.turn_id for turn in answer.reference_document)
    assert moved, "constraints stay in force over turns"


def test_records_have_the_labels_of_dialogue_and_query(run):
    dialogs = dialogs_of_run(run, MODELS[1])
    for record in records_of_run(run, MODELS[1]):
        dialog = dialogs[record["dialog_id"]]
        turns = {turn.turn_id: turn for turn in dialog.dialog_turns}
        assert turns[record["turn_id"]].evaluated
        assert record["dialog_labels"] == dialog.dialog_labels
        assert record["turn_labels"] == turns[record["turn_id"] - 1].turn_labels
        assert record["metric_name"].startswith("evolif_check->")


def test_the_witness_is_the_reference_only_on_request(run):
    keys = [turn.prompt.payload["witness"] for _, turns in run.transcripts(MODELS[0]) for turn in turns]
    asked = dialogs_of_run(run, MODELS[0], with_witness=True)
    assert [turn.reference for dialog in asked for turn in dialog.dialog_turns if turn.evaluated] == keys


def test_a_run_without_the_system_prompt_counts_from_one(tmp_path):
    bench = evolif.generate(tmp_path / "b", dialogues=1, turns=3, seed=8, profile="objective")
    run = evolif.evaluate(bench, "sim/perfect", tmp_path / "r", max_turns=3, system_prompt=False, epochs=2)
    dialogs = dialogs_of_run(run, "sim/perfect")
    assert [turn.turn_id for turn in dialogs[0].dialog_turns] == [1, 2, 3, 4, 5, 6]
    assert [dialog.dialog_raw_info["evolif"]["epoch"] for dialog in dialogs] == [1, 2]
    with pytest.raises(UsageError, match="no model sim/steady; it has sim/perfect"):
        records_of_run(run, "sim/steady")
    run.close()


def test_another_scenario_is_refused(tmp_path):
    settings = RunSettings(
        benchmark="b", models=("sim/x",), patience=None, max_turns=1, dialogues=(1,), reading_rules=1, scenario="talk"
    )
    RunStore.create(tmp_path / "r", settings).close()
    run = evolif.load_run(tmp_path / "r")
    with pytest.raises(UsageError, match="a run of the scenario talk"):
        dialogs_of_run(run, "sim/x")
    run.close()


class _Broken:
    """Answers with witnesses and with nothing by turns, until the fourth turn of dialogue 2."""

    name = "mine/broken"
    connections = 1

    async def complete(self, request: ChatRequest) -> Reply:
        if (request.prompt.dialogue, request.prompt.turn) == (2, 4):
            raise ModelError("no answer")
        return Reply(request.prompt.payload["witness"] if request.prompt.turn % 2 else "")

    async def aclose(self) -> None:
        pass


def test_sessions_that_reports_leave_out_are_there_and_can_be_left_out(tmp_path):
    bench = evolif.generate(tmp_path / "b", dialogues=3, turns=4, seed=8, profile="objective")
    run = evolif.evaluate(bench, _Broken(), tmp_path / "r", max_turns=4)
    dialogs, records = dialogs_of_run(run, "mine/broken"), records_of_run(run, "mine/broken")
    assert [dialog.dialog_labels["ending"] for dialog in dialogs] == ["censored", "suspended", "censored"]
    assert {record["dialog_id"] for record in records} == {0, 1, 2}
    kept, own = counted(dialogs, records)
    assert [dialog.dialog_id for dialog in kept] == [0, 2] and {record["dialog_id"] for record in own} == {0, 2}
    assert figures(own) == pytest.approx(told(run.sessions("mine/broken")), abs=1e-12) != figures(records)
    empty = [record for record in own if record["details"].get("empty")]
    assert empty and {record["score"] for record in empty} == {0.0}
    run.close()
