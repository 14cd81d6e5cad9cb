"""A run as logs of Inspect: they open there, and have the figures of the report."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from talk_scenario import MODEL, SECRET, install, make_talk
from typer.testing import CliRunner

import evolif
from evolif import UsageError
from evolif.cli import app
from evolif.exchange import canary_of, export
from evolif.report import summarise
from evolif.runner import Run

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed (evolif[inspect]); make ci-parts brings it")
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_samples

pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries of Inspect


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    root = tmp_path_factory.mktemp("logs")
    bench = evolif.generate(root / "b", dialogues=7, turns=8, seed=8, profile="objective")
    played = evolif.evaluate(bench, ["sim/steady", "sim/forgetful"], root / "r", max_turns=8, epochs=2)
    yield played
    played.close()


@pytest.fixture(scope="module")
def logs(run: Run, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    out = tmp_path_factory.mktemp("out") / "logs"
    export(run.path, out, format="inspect", with_witness=True)
    return [read_eval_log(str(path)) for path in sorted(out.iterdir())]


@pytest.mark.slow
def test_there_is_a_log_for_each_model_and_inspect_lists_them(run: Run, tmp_path: Path) -> None:
    done = export(run.path, tmp_path / "logs", format="inspect")
    assert done.rows == sum(len(session.turns) for session in run.sessions()) and done.withheld > 0
    assert len(list_eval_logs(str(tmp_path / "logs"))) == 2
    names = sorted(path.name for path in (tmp_path / "logs").iterdir())
    assert names == ["01-sim-steady.eval", "02-sim-forgetful.eval"]


@pytest.mark.slow
def test_figures_are_those_of_the_report_to_the_digit(run: Run, logs: list[Any]) -> None:
    for log, summary in zip(logs, summarise(run), strict=True):
        [score] = log.results.scores
        assert (log.eval.model, log.status) == (summary.model, "success")
        pooled = {name: metric.value for name, metric in score.metrics.items() if metric.group == "pooled"}
        assert pooled == {name: value for name, value in summary.metrics.by_name().items() if value is not None}
        for name in ("isr_at_n", "isr"):
            low, high = summary.intervals[name] or (None, None)
            assert score.metrics[name].metadata == {"low": low, "high": high}
        good = [sum(all(turn.judged) for turn in session.turns) for session in run.sessions(summary.model)]
        assert score.metrics["isr_at_n"].value == sum(good) / (8 * 14), "turns never reached are not satisfied"
        sums = [sample.scores["figures"].metadata["sums"]["isr_at_n"] for sample in log.samples]
        assert sorted(sums) == sorted([float(own), 8.0] for own in good)
        [main] = {one.scores["figures"].metadata["headline"] for one in log.samples}
        assert main == "isr_at_n"
        assert log.eval.headline_metric.metric == main and score.metrics["stderr"].value > 0
        ends = score.metrics[f"{main} 95 % low"].value, score.metrics[f"{main} 95 % high"].value
        assert ends == pytest.approx(summary.intervals[main])
        assert score.scored_samples == summary.metrics.dialogues == len(log.samples)


@pytest.mark.slow
def test_each_session_is_a_sample_with_its_conversation_and_verdicts(run: Run, logs: list[Any]) -> None:
    for log in logs:
        assert log.eval.metadata["canary"] == canary_of(run.settings.benchmark)
        transcripts = {(s.dialogue, s.epoch): (s, records) for s, records in run.transcripts(log.eval.model)}
        assert len(transcripts) == len(log.samples) == 14
        for sample in log.samples:
            session, records = transcripts[sample.id, sample.epoch]
            told = [text for record in records for text in (record.query, record.answer)]
            assert [message.text for message in sample.messages] == told
            ended = {"ending": session.ending, "cause": session.cause, "reason": session.reason}
            assert sample.metadata.items() >= {**ended, "profile": run.settings.profile}.items()
            labels = {record.prompt.labels["topic"] for record in records}
            assert set(sample.metadata["topics"]) == labels
            groups = {verdict.group for record in records for verdict in record.verdicts}
            assert set(sample.metadata["groups"]) == groups and sample.target == ", ".join(sample.metadata["groups"])
            verdicts = [one["verdicts"] for one in sample.store["evolif"]["turns"]]
            assert verdicts == [
                [{n: getattr(v, n) for n in ("group", "satisfied", "expected", "found")} for v in record.verdicts]
                for record in records
            ]
            assert sample.scores["figures"].value["edr_len"] == len([r for r in records if r.judged.judged])


@pytest.mark.slow
def test_inspect_scores_a_log_again_with_the_same_result(logs: list[Any]) -> None:
    from inspect_ai import score

    from evolif.inspect.tasks import figures

    named = logs[1].eval.model_copy(update={"model": "mockllm/model"})  # Inspect opens the model, and has no sim/
    again = score(logs[1].model_copy(update={"eval": named}), figures(), action="overwrite", display="none")
    before, after = logs[1].results.scores[0].metrics, again.results.scores[0].metrics
    assert {name: metric.value for name, metric in after.items()} == {n: m.value for n, m in before.items()}


@pytest.mark.slow
def test_the_sums_give_the_figure_where_a_budget_cut_sessions(run: Run, tmp_path: Path) -> None:
    """Inspect adds up the samples that it has, so what nobody saw has to be in their sums."""
    from evolif.runner import RunStore, load_run
    from evolif.runner.records import EndEntry

    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "run.sqlite").write_bytes((run.path / "run.sqlite").read_bytes())
    with closing(sqlite3.connect(tmp_path / "r" / "run.sqlite")) as file, file:
        file.execute("DELETE FROM turn WHERE session IN (2, 3, 5) AND turn > 3")
    with closing(RunStore.open(tmp_path / "r")) as store:
        store.write([EndEntry(number, "censored", "budget") for number in (2, 3, 5)])
    out = export(tmp_path / "r", tmp_path / "out", format="inspect").path
    log = read_eval_log(str(out / "01-sim-steady.eval"))
    with closing(load_run(tmp_path / "r", read_only=True)) as cut:
        value = summarise(cut)[0].metrics.value("isr_at_n")
        kept = sum(all(turn.judged) for session in cut.sessions("sim/steady") for turn in session.turns)
    assert log.results is not None and log.samples is not None
    assert log.results.scores[0].metrics["isr_at_n"].value == value and (value or 0) > kept / (8 * 14)
    sums = [sample.scores["figures"].metadata["sums"]["isr_at_n"] for sample in log.samples if sample.scores]
    assert sum(top for top, _ in sums) / sum(bottom for _, bottom in sums) == pytest.approx(value)


@pytest.mark.slow
def test_answer_keys_stay_home(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = export(run.path, tmp_path / "logs", format="inspect").path
    keys = [w for prompt in run.prompts() if len(w := prompt.payload["witness"]) > 30]
    for path in out.iterdir():
        text = "".join(sample.model_dump_json() for sample in read_eval_log_samples(str(path)))
        assert keys and [key for key in keys if key in text] == []
    install(monkeypatch)
    make_talk(tmp_path / "t", dialogues=1, answers={3: SECRET}).close()
    for more, told in ((False, 0), (True, 1)):
        done = export(tmp_path / "t", tmp_path / f"talk{more}", format="inspect", with_witness=more)
        [path] = done.path.iterdir()
        log = read_eval_log(str(path))
        assert log.samples is not None
        assert bool(log.samples[0].model_dump_json().count(SECRET)) == bool(told) and done.withheld == 1 - told


@pytest.mark.slow
def test_a_scenario_of_two_seats_brings_its_own_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    run = make_talk(tmp_path / "r", dialogues=3)
    [path] = export(run.path, tmp_path / "out", format="inspect").path.iterdir()
    log = read_eval_log(str(path))
    [summary] = summarise(run)
    assert log.samples is not None and log.results is not None and log.eval.model == MODEL
    told = {name: metric.value for name, metric in log.results.scores[0].metrics.items() if metric.group == "pooled"}
    assert told == {name: value for name, value in summary.metrics.by_name().items() if value is not None} != {}
    assert log.eval.task == "evolif/talk" and [turn["seat"] for turn in log.samples[0].store["evolif"]["turns"]] == [
        "target", "partner", "target",
    ]  # fmt: skip
    run.close()


@pytest.mark.slow
def test_a_session_that_did_not_end_is_a_sample_with_an_error(run: Run, tmp_path: Path) -> None:
    from evolif.runner import RunStore
    from evolif.runner.records import EndEntry

    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "run.sqlite").write_bytes((run.path / "run.sqlite").read_bytes())
    store = RunStore.open(tmp_path / "r")
    store.write([EndEntry(1, "suspended", "timeout", "it took too long"), EndEntry(2, "withheld", "content filter")])
    store.close()
    out = export(tmp_path / "r", tmp_path / "out", format="inspect").path
    log = read_eval_log(str(out / "01-sim-steady.eval"))
    assert log.samples is not None and log.results is not None
    [broken] = [sample for sample in log.samples if sample.metadata["ending"] == "suspended"]
    [withheld] = [sample for sample in log.samples if sample.metadata["ending"] == "withheld"]
    assert broken.error is not None and broken.error.message == "it took too long" and not broken.scores
    assert withheld.scores is not None and math.isnan(withheld.scores["figures"].as_float())
    assert (log.results.total_samples, log.results.completed_samples) == (14, 13)
    assert log.results.scores[0].scored_samples == 12


@pytest.mark.slow
def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    evolif.generate(tmp_path / "b", dialogues=1, turns=1, seed=8, profile="objective")
    with pytest.raises(UsageError, match="inspect eval evolif/instructions -T bench=BENCH"):
        export(tmp_path / "b", tmp_path / "out", format="inspect")
    done = CliRunner().invoke(app, ["export", str(tmp_path / "b"), str(tmp_path / "out"), "--format", "inspect"])
    assert done.exit_code == 2 and not (tmp_path / "out").exists()
