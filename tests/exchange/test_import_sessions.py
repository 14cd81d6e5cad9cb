"""Exported sessions come back as a run: the same figures, and the same export; what does not fit is named."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

import evolif
from evolif import UsageError
from evolif.cli.app import app
from evolif.errors import InputError, ModelError
from evolif.exchange import export
from evolif.exchange.import_runs import exported_sessions, import_run
from evolif.metrics import process_metrics, records_from_sessions
from evolif.models import ChatRequest, Reply
from evolif.runner import STOP_RULE, EarlyEnd, RunStore, SessionKey
from evolif.runner.records import EndEntry
from evolif.runner.rejudge import rejudge
from evolif.runner.verify import verify
from evolif.scenarios.recorded import aggregate, dialogs_of_run, read_results, records_of_run, sessions_of
from evolif.scenarios.recorded.results import summarise
from evolif.scenarios.recorded.runs import counted


def files(root: Path) -> dict[str, object]:
    found = sorted(root.rglob("*.json"))
    return {str(path.relative_to(root)): json.loads(path.read_text(encoding="utf-8")) for path in found}


def figures(sessions):
    return process_metrics(records_from_sessions(sessions).records)


class _Broken:
    """Answers with witnesses, at times with nothing, and breaks off in the second dialogue."""

    name = "mine/broken"
    connections = 1

    async def complete(self, request: ChatRequest) -> Reply:
        if (request.prompt.dialogue, request.prompt.turn) == (2, 3):
            raise ModelError("no answer")
        return Reply(request.prompt.payload["witness"] if request.prompt.turn % 3 else "", truncated=True)

    async def aclose(self) -> None:
        pass


RUNS = {
    "plain": {"models": ["sim/perfect", "sim/steady?skill=.6"]},
    "unjudged": {"models": ["sim/steady?skill=.6"], "profile": "paper"},
    "epochs": {"models": ["sim/forgetful"], "profile": "escalating", "epochs": 2},
    "no system prompt": {"models": ["sim/steady?skill=.6"], "system_prompt": False},
    "relevance": {"models": ["sim/steady?skill=.6"], "relevance": "lexical", "relevance_counts": True},
    "broken": {"models": [_Broken()]},
}


@pytest.fixture(scope="module", params=list(RUNS))
def run(request, tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    options = dict(RUNS[request.param])
    models = options.pop("models")
    bench = evolif.generate(root / "b", dialogues=3, turns=6, seed=8, profile=options.pop("profile", "objective"))
    played = evolif.evaluate(bench, models, root / "r", max_turns=7, **options)
    yield played
    played.close()


def brought_back(run, tmp_path, **options):
    told = export(run.path, tmp_path / "u", format="unidial", **options)
    done = import_run(exported_sessions(tmp_path / "u"), tmp_path / "back")
    assert (done.turns, done.withheld) == (told.rows, told.withheld)
    return done, evolif.load_run(tmp_path / "back")


@pytest.mark.sampled
@pytest.mark.parametrize("with_witness", [False, True])
def test_a_round_trip_gives_the_same_files(run, tmp_path, with_witness):
    done, back = brought_back(run, tmp_path, with_witness=with_witness)
    back.close()
    export(tmp_path / "back", tmp_path / "again", format="unidial", with_witness=with_witness)
    assert files(tmp_path / "again") == files(tmp_path / "u") != {}
    assert done.sessions == len(run.sessions()) and done.turns == sum(len(s.turns) for s in run.sessions())


def test_the_figures_are_the_same(run, tmp_path):
    _, back = brought_back(run, tmp_path)
    assert set(back.models) == set(run.models) and back.settings.benchmark == run.settings.benchmark
    for model in run.models:
        assert figures(back.sessions(model)) == figures(run.sessions(model))
        for one, other in zip(back.sessions(model), run.sessions(model), strict=True):
            assert (one.dialogue, one.epoch, one.ending, one.cause, one.reason, one.patience) == (
                other.dialogue, other.epoch, other.ending, other.cause, other.reason, other.patience,
            )  # fmt: skip
            assert [turn.labels for turn in one.turns] == [turn.labels for turn in other.turns]
            assert [turn.verdicts for turn in one.turns] == [turn.verdicts for turn in other.turns]
    back.close()


def test_sessions_can_be_read_without_a_run(run):
    for model in run.models:
        played = sessions_of(dialogs_of_run(run, model), records_of_run(run, model))
        assert figures([one.session for one in played]) == figures(run.sessions(model))


def test_three_aggregations_of_what_reports_count_are_their_figures(run):
    for model in run.models:
        _, records = counted(dialogs_of_run(run, model), records_of_run(run, model))
        told = figures(run.sessions(model))
        for name, figure in (("mean-mean-turn", told.csr), ("min-mean-turn", told.isr), ("min-mean-dialog", told.rob)):
            assert aggregate(records, *name.split("-"))["global"]["mean"] == pytest.approx(figure, abs=1e-12)


@pytest.mark.slow
def test_the_verb_makes_a_run_that_reports_read(run, tmp_path):
    export(run.path, tmp_path / "u", format="unidial")
    done = CliRunner().invoke(app, ["import", str(tmp_path / "u"), str(tmp_path / "back")])
    assert done.exit_code == 0 and "a run with" in done.stdout and "evolif report" in done.stdout
    shown = CliRunner().invoke(app, ["report", str(tmp_path / "back")])
    assert shown.exit_code == 0 and "ISR %" in shown.stdout


def test_a_stop_rule_decides_what_is_in_the_figures(tmp_path):
    model = "sim/steady?skill=.6"
    bench = evolif.generate(tmp_path / "b", dialogues=4, turns=6, seed=8, profile="objective")
    evolif.evaluate(bench, model, tmp_path / "r", max_turns=7).close()
    with closing(RunStore.open(tmp_path / "r")) as store:
        never = SessionKey(model, 9, 1)
        store.enrol([never])
        store.write([EndEntry(store.state(never).id, None, STOP_RULE)])
        store.note_early_end(EarlyEnd("isr=0.1", (1, 3), 2))
    run = evolif.load_run(tmp_path / "r")
    _, back = brought_back(run, tmp_path)
    assert back.early_end() == run.early_end() is not None and back.unbegun() == run.unbegun() == {STOP_RULE: 1}
    told = figures([session for session in run.sessions() if session.dialogue in (1, 3)])
    [results] = read_results(tmp_path / "u")
    found = summarise(results, "min-mean-turn")
    assert found["global"]["mean"] == pytest.approx(told.isr, abs=1e-12) and found["left_out"] == {STOP_RULE: 2}
    export(back.path, tmp_path / "again", format="unidial")
    assert files(tmp_path / "again") == files(tmp_path / "u")
    run.close()
    back.close()


def test_answers_that_are_not_there_are_not_judged_again(tmp_path):
    bench = evolif.generate(tmp_path / "b", dialogues=2, turns=3, seed=8, profile="objective")
    run = evolif.evaluate(bench, "sim/perfect", tmp_path / "r", max_turns=3)
    done, back = brought_back(run, tmp_path)
    assert done.withheld == 6 and verify(back).differ == []
    back.close()
    with pytest.raises(UsageError, match=r"6 answers of .* were left out when it was exported"):
        rejudge(tmp_path / "back", "lexical", tmp_path / "judged")
    assert not (tmp_path / "judged").exists()
    export(run.path, tmp_path / "k", format="unidial", with_witness=True)
    import_run(exported_sessions(tmp_path / "k"), tmp_path / "whole")
    again = rejudge(tmp_path / "whole", "lexical", tmp_path / "judged")
    assert figures(again.sessions()) == figures(run.sessions())
    again.close()
    run.close()


def make_exported(folder):
    bench = evolif.generate(folder / "b", dialogues=2, turns=3, seed=8, profile="objective")
    evolif.evaluate(bench, "sim/perfect", folder / "r", max_turns=3).close()
    export(folder / "r", folder / "u", format="unidial", with_witness=True)


@pytest.fixture
def exported(tmp_path, copied):
    tmp_path.rmdir()
    return copied(make_exported, tmp_path) / "u" / "sim_perfect"


def edit(path, change):
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def _info(key, value):
    return lambda data: data["dialog_raw_info"]["evolif"].update({key: value})


def _more(key, value):
    return lambda data: data["dialog_raw_info"]["evolif_session"].update({key: value})


def _entry(**values):
    return lambda data: data["dialog_turns"][2]["eval_config"]["metrics"][0].update(values)


DIALOGS = {
    "no epoch": (_info("epoch", 0), "epoch"),
    "epochs without end": (_info("epoch", 10**18), "epoch"),
    "a dialogue below zero": (_info("dialogue", -1), "dialogue"),
    "a model without a name": (_info("model", ""), "model"),
    "an unknown ending": (_info("ending", "won"), "ending"),
    "no object": (lambda data: data["dialog_raw_info"].update(evolif=3), "evolif cannot be used"),
    "another benchmark": (_info("benchmark", "other"), "is from another run"),
    "the same session": (_info("dialogue", 2), "is there twice"),
    "settings that nobody knows": (_more("settings", {"speed": 3}), "is from another run"),
    "a session that never began without a cause": (
        _more("unbegun", [{"dialogue": 1, "epoch": 1, "cause": ""}]),
        "cause",
    ),
    "a stop rule without dialogues": (_more("early_end", {"rule": "isr=0.1", "batch": 1}), "dialogues"),
    "seconds below zero": (_more("turns", [{"seconds": -1}]), "seconds"),
    "a turn too few": (lambda data: data["dialog_turns"].pop(), "not followed by an answer"),
    "turns exchanged": (lambda data: data["dialog_turns"].insert(1, data["dialog_turns"].pop(2)), "turn 1 of the user"),
    "nothing to evaluate": (lambda d: d["dialog_turns"][2].pop("eval_config"), "evaluated turn 2 of the assistant"),
    "another metric": (_entry(class_name="f1_score"), "metric entry 1 is no evolif_check"),
    "an unknown group": (_entry(args={"group_name": "colour", "params": {}}), "colour"),
    "parameters that do not fit": (_entry(args={"group_name": "length", "params": {"unit": "miles"}}), "length"),
    "no topic": (lambda data: data["dialog_turns"][1]["turn_labels"].pop("topic"), "label topic is missing"),
    "a depth in words": (lambda d: d["dialog_turns"][1]["turn_labels"].update(depth="two"), "no whole number"),
    "several references": (lambda d: d["dialog_turns"][2].update(reference=["a", "b"]), "reference is no text"),
    "a register in numbers": (lambda data: data["dialog_labels"].update(register=3), "register is no text"),
}


@pytest.mark.parametrize("change", DIALOGS)
def test_a_dialogue_that_does_not_fit_is_named(exported, tmp_path, change):
    edit(exported / "generated" / "0.json", DIALOGS[change][0])
    with pytest.raises(InputError, match=DIALOGS[change][1]) as caught:
        import_run(exported_sessions(exported), tmp_path / "back")
    assert "sim_perfect" in str(caught.value) and not (tmp_path / "back").exists()


RECORDS = {
    "half a score": (lambda data: data[0].update(score=0.5), "neither 1.0 nor 0.0 nor null"),
    "a truth value": (lambda data: data[0].update(score=True), "neither 1.0 nor 0.0 nor null"),
    "another metric": (lambda data: data[0].update(metric_name="f1_score"), "not those of its metric entries"),
    "one too many": (lambda data: data.append(data[-1]), "not those of its metric entries"),
    "spans that run backwards": (lambda data: data[0]["details"].update(spans=[[5, 1, "body"]]), "spans"),
    "a number for a text": (lambda data: data[0]["details"].update(expected=1), "is no text"),
}


@pytest.mark.parametrize("change", RECORDS)
def test_records_that_do_not_fit_are_named(exported, tmp_path, change):
    edit(exported / "eval_details" / "0.json", RECORDS[change][0])
    with pytest.raises(InputError, match=RECORDS[change][1]) as caught:
        import_run(exported_sessions(exported), tmp_path / "back")
    assert "0.json" in str(caught.value) and not (tmp_path / "back").exists()


def test_settings_that_nobody_knows_are_named(exported, tmp_path):
    for number in (0, 1):
        edit(exported / "generated" / f"{number}.json", _more("settings", {"speed": 3}))
    with pytest.raises(InputError, match=r"settings of its run cannot be used.*speed"):
        import_run(exported_sessions(exported), tmp_path / "back")


def test_sessions_that_ask_different_questions_are_no_run(exported, tmp_path):
    other = exported.parent / "other"
    for folder in ("generated", "eval_details"):
        (other / folder).mkdir(parents=True)
        for path in (exported / folder).iterdir():
            (other / folder / path.name).write_bytes(path.read_bytes())
    for number in (0, 1):
        edit(other / "generated" / f"{number}.json", _info("model", "sim/other"))
    import_run(exported_sessions(exported.parent), tmp_path / "one")
    edit(other / "generated" / "0.json", lambda data: data["dialog_turns"][1].update(content="Something else?"))
    with pytest.raises(InputError, match="turn 1 of dialogue 1 is not the same in all sessions"):
        import_run(exported_sessions(exported.parent), tmp_path / "back")


def test_other_folders_are_not_sessions(exported, tmp_path):
    assert exported_sessions(tmp_path) == exported_sessions(tmp_path / "b") == []
    edit(exported / "generated" / "1.json", lambda data: data["dialog_raw_info"].pop("evolif"))
    with pytest.raises(InputError, match="only some of its dialogues"):
        exported_sessions(exported)
    edit(exported / "generated" / "0.json", lambda data: data["dialog_raw_info"].pop("evolif"))
    assert exported_sessions(exported) == []
    shutil.rmtree(exported / "eval_details")
    assert exported_sessions(exported) == []
    done = CliRunner().invoke(app, ["import", str(exported), str(tmp_path / "recorded")])
    assert done.exit_code == 0 and "scenario recorded" in done.stdout


def test_sessions_without_records_are_refused(exported):
    shutil.rmtree(exported / "eval_details")
    with pytest.raises(InputError, match="no eval_details"):
        exported_sessions(exported)


def test_a_run_is_never_written_over(exported, tmp_path):
    with pytest.raises(UsageError, match="already exists"):
        import_run(exported_sessions(exported), tmp_path / "r")
