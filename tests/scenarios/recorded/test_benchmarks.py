"""The ten benchmarks of UniDial-EvalKit, in folders as its loaders write them: played, scored, exported, summed up.

The folders in `cases/releases` were written for this, by somebody who had seen the loaders and not this program.
"""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from evolif.benchmark import open_benchmark
from evolif.errors import InputError, UsageError
from evolif.exchange import export
from evolif.exchange.dialogs import ImportedDialogs, ImportOptions, import_dialogs
from evolif.models import ChatRequest
from evolif.runner import evaluate
from evolif.scenarios.recorded import read_dialogs, write_dialogs
from evolif.scenarios.recorded.benchmarks import KNOWN_BENCHMARKS, known_benchmark, with_metrics
from evolif.scenarios.recorded.results import read_results, summarise
from evolif.scenarios.recorded.scoring import unscorable
from tests.recorded_dialogs import Scripted, answer, dialog, entry, report, turn

RELEASES = Path(__file__).parent / "cases" / "releases"
BARE = {"personamem": 5, "memorycode": 6, "safedialbench": 9, "mathchat": 3}
"""Evaluated turns whose metrics are in the loader, not in the data."""


def imported(name: str, out: Path, **options: Any) -> ImportedDialogs:
    return import_dialogs(RELEASES / name, out, ImportOptions(**options))


def judge(request: ChatRequest) -> str:
    """The best score on whatever scale is asked for."""
    question = request.messages[-1].content
    if "Identification" in question:
        return '{"Rationale": "fine", "Identification": 9, "Handling": 10, "Consistency": 8}'
    best = 15 if "to 15" in question else 1 if "0 or 1" in question else 10
    return json.dumps({"Rationale": "fine", "Score": best})


def test_there_are_ten_and_a_folder_for_each() -> None:
    assert len(KNOWN_BENCHMARKS) == 10
    assert {path.name for path in RELEASES.iterdir() if path.is_dir()} == set(KNOWN_BENCHMARKS)


@pytest.mark.parametrize("name", KNOWN_BENCHMARKS)
def test_every_evaluated_turn_gets_its_metrics(name: str, tmp_path: Path) -> None:
    plain = imported(name, tmp_path / "plain")
    assert plain.unscored_turns == BARE.get(name, 0)
    # The folder says what it is of; that is worth a word where --benchmark adds metrics.
    assert plain.benchmark == (name if KNOWN_BENCHMARKS[name].adds_metrics else "")
    made = imported(name, tmp_path / "bench", benchmark=name)
    assert made.unscored_turns == made.unscored_dialogues == 0
    assert sum(made.metrics.values()) >= made.evaluated_turns
    assert set(made.metrics) <= set(KNOWN_BENCHMARKS[name].metrics)
    # One follow-up turn of MathChat has no reference; everything else can be scored.
    assert made.unscorable == ({"no_reference": 1} if name == "mathchat" else {})


@pytest.mark.sampled
@pytest.mark.parametrize("policy", ["on", "off"])
@pytest.mark.parametrize("name", KNOWN_BENCHMARKS)
def test_played_scored_exported_and_summed_up(name: str, policy: str, tmp_path: Path) -> None:
    imported(name, tmp_path / "bench", benchmark=name)
    bench = open_benchmark(tmp_path / "bench")
    if policy == "off" and name == "multi_if":
        with pytest.raises(UsageError, match="neither a reference nor a content"):
            evaluate(bench, "sim/reference", tmp_path / "run", options={"policy": policy})
        return
    panel = Scripted(judge, "fake/judge")
    with closing(evaluate(bench, "sim/reference", tmp_path / "run", judge=panel, options={"policy": policy})) as run:
        told = report(run)
        export(run.path, tmp_path / "out", format="unidial")
    failed = told["coverage"]["failures"]
    assert failed == ({"no_reference": 1} if name == "mathchat" else {})
    assert told["coverage"]["records"]["missing"] == 0
    judged = told["by_metric"] if name == "safedialbench" else {}
    assert all(figures["mean"] == 1 for figures in judged.values())
    [results] = read_results(tmp_path / "out")
    summary = summarise(results)
    assert summary["global"]["mean"] == pytest.approx(told["score"]["value"])
    assert summary["by_label"]["dialog"]
    # What was exported is a folder like the one that came in: it is imported again, now with its metrics.
    again = import_dialogs(tmp_path / "out" / "sim_reference", tmp_path / "again")
    assert again.unscored_turns == 0


def test_dialogues_without_metrics_are_counted_beside_every_mean(tmp_path: Path) -> None:
    made = imported("mathchat", tmp_path / "bench")
    assert (made.unscored_turns, made.unscored_dialogues) == (3, 3)
    notes: list[str] = []
    with closing(
        evaluate(
            open_benchmark(tmp_path / "bench"), "sim/reference", tmp_path / "run", unscored=True, notify=notes.append
        )
    ) as run:
        told = report(run)
        export(run.path, tmp_path / "out", format="unidial")
    assert any("3 evaluated turns have no metric" in note and "--benchmark NAME" in note for note in notes)
    assert any("1 metric entry without a score" in note and "needs a reference" in note for note in notes)
    assert told["unscored"] == {"turns": 3, "evaluated_turns": 11, "dialogues": 3}
    [results] = read_results(tmp_path / "out")
    assert summarise(results)["unscored"]["turns"] == 3


def test_headers_of_sets_that_score_everything_are_as_before(tmp_path: Path) -> None:
    imported("locomo", tmp_path / "bench")
    header = json.loads((tmp_path / "bench" / "benchmark.json").read_text(encoding="utf-8"))
    assert not {"benchmark", "metric", "sample", "by", "unscored_turns", "unscorable"} & header["spec"].keys()


@pytest.mark.parametrize("said", ["PersonaMem", "personamem", "Persona-Mem", "PERSONAMEM"])
def test_names_are_found_however_they_are_spelled(said: str) -> None:
    assert known_benchmark(said).name == "personamem"


def test_an_unknown_benchmark_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--benchmark personamen: unknown benchmark.*personamem.*known are mt_eval, "):
        imported("personamem", tmp_path / "bench", benchmark="personamen")
    assert not (tmp_path / "bench").exists()


def test_a_folder_that_says_it_is_of_another_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"says that it is of MemoryCode .*use --benchmark memorycode"):
        imported("memorycode", tmp_path / "bench", benchmark="personamem")


@pytest.mark.parametrize(
    ("own", "other", "complaint"),
    [
        ("personamem", "memorycode", "“regex” in dynamic_config_source, which is not of PersonaMem"),
        ("memorycode", "personamem", "no “regex” in dynamic_config_source"),
        ("personamem", "locomo", "the metric f1_score, and PersonaMem has only exact_match"),
        ("safedialbench", "personamem", "no “task” in dynamic_config_source that is known"),
        ("mathchat", "safedialbench", "“task” in dynamic_config_source, which is not of MathChat"),
        ("locomo", "personamem", "it has no metrics, and LoCoMo brings them in its data"),
        ("multi_if", "mt_bench_101", "the metric llm_judge, and Multi-IF has only instruction_following"),
    ],
)
def test_a_set_that_is_half_of_another_is_refused(own: str, other: str, complaint: str, tmp_path: Path) -> None:
    mixed = read_dialogs(RELEASES / own)
    mixed += [one.model_copy(update={"dialog_id": 900 + n}) for n, one in enumerate(read_dialogs(RELEASES / other))]
    write_dialogs(tmp_path / "data", mixed, benchmark_id="")
    with pytest.raises(InputError) as caught:
        import_dialogs(tmp_path / "data", tmp_path / "bench", ImportOptions(benchmark=own))
    assert "dialogue 900, turn " in str(caught.value) and complaint in str(caught.value)
    assert "leave --benchmark out" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "fields", "complaint"),
    [
        ("personamem", {}, "no reference"),
        ("personamem", {"reference": " "}, "no reference"),
        ("memorycode", {"source": {"regex": []}}, "no “regex”"),
        ("memorycode", {"source": {"regex": ["function", "("]}}, "not a regular expression"),
        ("safedialbench", {"source": {"task": "Weather"}}, "tasks are Aggression, Ethics"),
        ("mathchat", {"source": {"task_name": "error_analysis", "question": "1 + 1?"}}, "no “wrong_attempt”"),
        ("mathchat", {"source": {"task_name": "poetry"}}, "no “task_name” .*one of error_analysis, p2p_generation"),
    ],
)
def test_a_metric_without_its_data_is_named(name: str, fields: dict[str, Any], complaint: str) -> None:
    config = {"do_eval": True, "dynamic_config_source": fields.pop("source", {})}
    bare = dialog(7, turn(0, "user", "Hi"), turn(1, "assistant", **fields, eval_config=config))
    with pytest.raises(InputError, match=f"dialogue 7, turn 1: .*{complaint}"):
        with_metrics([bare], known_benchmark(name))


def without(name: str, number: int, piece: str, value: Any, folder: Path) -> Path:
    """A release's folder in which a piece of one dialogue's last turn is another."""
    changed = [one.model_copy(deep=True) for one in read_dialogs(RELEASES / name)]
    [talk] = [one for one in changed if one.dialog_id == number]
    last = talk.dialog_turns[-1]
    if piece == "reference":
        last.reference = value
    else:
        last.eval_config.dynamic_config_source[piece] = value
    write_dialogs(folder, changed, benchmark_id=name)
    return folder


@pytest.mark.parametrize(
    ("name", "number", "piece", "value", "kind", "reason"),
    [
        ("mathchat", 3, "wrong_attempt", "", "bad_args", "math_chat_error_analysis needs wrong_attempt, which"),
        (
            "mathchat",
            3,
            "wrong_attempt",
            " \n",
            "bad_args",
            "needs wrong_attempt, which the turn or its entry does not",
        ),
        ("mathchat", 4, "seed_solution", None, "bad_args", "math_chat_p2p_generation needs seed_solution, which"),
        ("memorycode", 0, "regex", [], "bad_args", "code_match needs “regex”"),
        ("memorycode", 0, "regex", ["function", "("], "bad_args", "not a regular expression"),
        ("personamem", 0, "reference", "", "no_reference", "exact_match needs a reference"),
    ],
)
def test_one_turn_without_a_piece_fails_by_itself(
    name: str, number: int, piece: str, value: Any, kind: str, reason: str, tmp_path: Path
) -> None:
    data = without(name, number, piece, value, tmp_path / "data")
    made = import_dialogs(data, tmp_path / "bench", ImportOptions(benchmark=name))
    others = imported(name, tmp_path / "whole", benchmark=name)
    assert made.unscored_turns == 0 and made.metrics == others.metrics
    assert made.unscorable == {**others.unscorable, kind: 1}
    assert reason in made.reasons[kind] and f"dialogue {number}, turn " in made.reasons[kind]
    panel = Scripted(judge, "fake/judge")
    bench = open_benchmark(tmp_path / "bench")
    with closing(evaluate(bench, "sim/reference", tmp_path / "run", judge=panel)) as run:
        assert report(run)["coverage"]["failures"] == made.unscorable


def test_a_set_in_which_no_turn_has_the_piece_is_refused(tmp_path: Path) -> None:
    bare = [
        dialog(
            number,
            turn(0, "user", "Hi"),
            turn(1, "assistant", reference="3", eval_config={"do_eval": True, "dynamic_config_source": source}),
        )
        for number, source in enumerate([{"task_name": "error_analysis", "question": "1?", "wrong_attempt": ""}] * 2)
    ]
    write_dialogs(tmp_path / "data", bare, benchmark_id="")
    with pytest.raises(InputError, match=r"dialogue 0, turn 1: no “wrong_attempt” .*or leave --benchmark out"):
        import_dialogs(tmp_path / "data", tmp_path / "bench", ImportOptions(benchmark="mathchat"))


def test_the_dialogues_given_are_not_changed() -> None:
    before = read_dialogs(RELEASES / "personamem")
    with_metrics(before, known_benchmark("personamem"))
    assert before == read_dialogs(RELEASES / "personamem")


def test_metrics_of_ones_own_go_to_turns_without_any(tmp_path: Path) -> None:
    talks = [
        dialog(
            1, turn(0, "user", "Hi"), answer(1, reference="Hello"), turn(2, "user", "And?"), answer(3, entry("recall"))
        )
    ]
    write_dialogs(tmp_path / "data", talks, benchmark_id="own")
    options = ImportOptions(metrics=("precision", 'recall={"binary": true}'))
    made = import_dialogs(tmp_path / "data", tmp_path / "bench", options)
    assert made.metrics == {"precision": 1, "recall": 2} and made.unscored_turns == 0
    assert made.unscorable == {"no_reference": 1}
    assert made.reasons["no_reference"].endswith("dialogue 1, turn 3: recall needs a reference; give the turn one")


@pytest.mark.parametrize(
    ("metric", "complaint"),
    [
        ("bleu", "unknown metric “bleu”"),
        ("recall={", "not a JSON object; write recall="),
        ("recall=[1]", "not a JSON object"),
        ('recall={"binary": "yes"}', "--metric recall="),
    ],
)
def test_a_metric_that_is_none_is_refused(metric: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=complaint):
        imported("personamem", tmp_path / "bench", metrics=(metric,))


def test_a_sample_keeps_the_mix_of_a_label(tmp_path: Path) -> None:
    made = imported("mathchat", tmp_path / "bench", benchmark="mathchat", sample=4, by="task_type", seed=3)
    assert made.dialogues == 4
    bench = open_benchmark(tmp_path / "bench")
    kinds = sorted(bench.dialog(number).dialog_labels["task_type"] for number in bench.dialogues())
    assert kinds == ["error_analysis", "error_correction", "follow_up", "p2p_generation"]
    again = imported("mathchat", tmp_path / "again", benchmark="mathchat", sample=4, by="task_type", seed=3)
    assert (again.path / "benchmark.json").read_bytes() == (made.path / "benchmark.json").read_bytes()
    with pytest.raises(UsageError, match=r"--by topic: no dialogue has that label.*labels are task_type"):
        imported("mathchat", tmp_path / "none", sample=4, by="topic")
    with pytest.raises(UsageError, match="give its size with --sample"):
        imported("mathchat", tmp_path / "none", by="task_type")


def test_figures_as_released_are_those_of_its_scales(tmp_path: Path) -> None:
    imported("mt_bench_101", tmp_path / "bench", benchmark="mt_bench_101")
    bench = open_benchmark(tmp_path / "bench")
    worst = Scripted(lambda request: '{"Score": 1}', "fake/judge")
    scores = {}
    for as_released in ("false", "true"):
        options = {"as_released": as_released}
        with closing(evaluate(bench, "sim/reference", tmp_path / as_released, judge=worst, options=options)) as run:
            scores[as_released] = report(run)["score"]["value"]
    # From 1 to 10 the worst score is 0; the release computes from 0.
    assert scores == {"false": 0.0, "true": pytest.approx(0.1)}


def test_multi_if_as_released_finds_nothing_where_it_reads_other_arguments(tmp_path: Path) -> None:
    imported("multi_if", tmp_path / "bench", benchmark="multi_if")
    bench = open_benchmark(tmp_path / "bench")
    assert not [
        fault for n in bench.dialogues() for prompt in bench.asked(n)[1] for fault in unscorable(prompt.payload)
    ]
    said = Scripted(lambda request: "[name], [town]: MY ANSWER IS YES. My answer is yes. Dear reader,\n\nbye.")
    values: dict[str, dict[str, Any]] = {}
    for as_released in ("false", "true"):
        options = {"as_released": as_released}
        with closing(evaluate(bench, said, tmp_path / as_released, options=options)) as run:
            values[as_released] = report(run)["by_metric"]
    name = "instruction_following->format:constrained_response"
    for reading, mean in (("false", 1.0), ("true", 0.0)):
        found = [figures["mean"] for key, figures in values[reading].items() if "constrained_response" in key]
        assert found == [mean], (name, reading)
