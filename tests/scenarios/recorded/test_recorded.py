"""Recorded dialogues as a scenario: what is asked and shown, on and off policy, and what its benchmark holds."""

from __future__ import annotations

import json
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from recorded_dialogs import RECALL, Scripted, answer, bench_from, bench_of, dialog, entry, report, shown, turn

from evolif.benchmark import open_benchmark
from evolif.errors import InputError, UsageError
from evolif.exchange.dialogs import import_dialogs, is_dialogs
from evolif.metrics import compare
from evolif.runner import Deny, PlannedCall, evaluate
from evolif.runner.metering import AllowAll
from evolif.scenario import get_scenario
from evolif.scenarios.recorded import aggregate, coverage, parse_aggregation, write_dialogs
from evolif.scenarios.recorded.recorded_runs import recorded_dialogs, recorded_records
from evolif.scenarios.recorded.runs import dialogs_of_run, records_of_run

TALK = dialog(
    7,
    turn(0, "system", "Be brief."),
    turn(1, "system", "Be kind."),
    turn(2, "user", [{"type": "text", "text": "What is"}, "two and two?"]),
    answer(3, RECALL, reference=["four", "4"], turn_labels={"kind": "sum", "raw_note": "x"}),
    turn(4, "user", "Name a sea."),
    turn(5, "assistant", "The North Sea."),
    turn(6, "system", "Now be exact."),
    turn(7, "user", "How deep is it?"),
    answer(8, RECALL, reference="95 metres"),
    answer(9, entry("numeric_match"), reference="3"),
    dialog_labels={"task": {"type": "facts", "easy": True, "share": 0.5}, "level": 2},
)
MORE = dialog(3, turn(1, "user", "What is one and one?"), answer(2, RECALL, reference="two"))


def asked_of(bench: Any, out: Path, **options: str) -> list[list[tuple[str, str]]]:
    model = Scripted(lambda request: "I say 4")
    evaluate(bench, model, out, options=options).close()
    return [shown(request) for request in model.asked]


def test_every_evaluated_turn_is_asked_after_the_given_turns(tmp_path: Path) -> None:
    first, second, third = asked_of(bench_of(tmp_path, TALK), tmp_path / "run")
    assert first == [("system", "Be brief.\n\nBe kind."), ("user", "What is\ntwo and two?")]
    given = [("user", "Name a sea."), ("assistant", "The North Sea."), ("system", "Now be exact.")]
    assert second == [*first, ("assistant", "I say 4"), *given, ("user", "How deep is it?")]
    assert third == [*second, ("assistant", "I say 4"), ("user", "")], "a placeholder, since nobody asked"


def test_off_policy_the_reference_stands_in_the_history(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, TALK)
    *_, third = asked_of(bench, tmp_path / "off", policy="off")
    assert [text for role, text in third if role == "assistant"] == ["four", "The North Sea.", "95 metres"]


def test_a_dialogue_says_its_own_policy_unless_the_run_does(tmp_path: Path) -> None:
    own = TALK.model_copy(deep=True)
    own.dialog_eval_config.use_reference_history = True
    bench = bench_of(tmp_path, own)
    for options, heard in (({}, "95 metres"), ({"policy": "on"}, "I say 4")):
        *_, third = asked_of(bench, tmp_path / heard, **options)
        assert third[-2] == ("assistant", heard)


def test_off_policy_the_original_content_stands_for_a_missing_reference(tmp_path: Path) -> None:
    turns = [
        turn(1, "user", "Hi."),
        answer(2, entry("recall"), reference=[]),
        turn(3, "user", "And?"),
        answer(4, entry("recall")),
    ]
    turns[1]["content"] = "Hello."
    *_, last = asked_of(bench_of(tmp_path, dialog(1, *turns)), tmp_path / "run", policy="off")
    assert last == [("user", "Hi."), ("assistant", "Hello."), ("user", "And?")]


def test_off_policy_without_both_is_refused_before_the_first_call(tmp_path: Path) -> None:
    bare = dialog(
        1, turn(1, "user", "Hi."), answer(2, entry("recall")), turn(3, "user", "And?"), answer(4, entry("recall"))
    )
    bench, model = bench_of(tmp_path, MORE, bare), Scripted(lambda request: "no")
    with pytest.raises(UsageError, match=r"dialogue 1, turn 2, has neither a reference nor a content.*policy=on"):
        evaluate(bench, model, tmp_path / "run", options={"policy": "off"})
    assert model.asked == []


def test_the_last_evaluated_turn_needs_no_reference_off_policy(tmp_path: Path) -> None:
    only = dialog(1, turn(1, "user", "Hi."), answer(2, entry("recall")))
    assert len(asked_of(bench_of(tmp_path, only), tmp_path / "run", policy="off")) == 1


def test_labels_are_flat_and_notes_are_left_out(tmp_path: Path) -> None:
    with closing(evaluate(bench_of(tmp_path, TALK), Scripted(lambda request: ""), tmp_path / "run")) as run:
        first, second, _ = run.prompts()
    assert first.labels == {"task.type": "facts", "task.easy": "true", "level": 2, "kind": "sum"}
    assert "kind" not in second.labels


def test_the_benchmark_holds_the_dialogues_as_they_came(tmp_path: Path) -> None:
    raw = {"dialog_id": 5, "extra": [1, {"x": None}], "dialog_turns": [{**answer(2), "note": 1.5}]}
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "5.json").write_text(json.dumps(raw), encoding="utf-8")
    bench_from(tmp_path / "data", tmp_path / "bench")
    [line] = (tmp_path / "bench" / "dialogues" / "0001.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {"dialog": raw}


def test_dialogues_are_in_the_order_of_their_ids_and_content_decides_the_identity(tmp_path: Path) -> None:
    bench = bench_of(tmp_path / "a", TALK, MORE)
    changed = MORE.model_copy(deep=True)
    changed.dialog_turns[0].content = "What is one and two?"
    other = bench_of(tmp_path / "b", TALK, changed)
    assert [bench.dialog(number).dialog_id for number in bench.dialogues()] == [3, 7]
    assert bench.identity != other.identity
    assert bench.identity == bench_of(tmp_path / "c", MORE, TALK).identity
    assert bench.variant == "small"


def test_the_cap_is_above_the_longest_dialogue(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, TALK, MORE)
    assert get_scenario("recorded").defaults(bench, get_scenario("recorded").play()).max_turns == 4
    with closing(evaluate(bench, "sim/reference", tmp_path / "run")) as run:
        assert {session.ending for session in run.sessions()} == {"finished"}


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("mean-min-dialog", 0.75),
        ("mean-mean-dialog", 11 / 12),
        ("mean-max-dialog", 1.0),
        ("mean-mean-turn", 0.875),
        ("min-min-turn", 0.625),
    ],
)
def test_the_score_is_that_of_the_named_aggregation(tmp_path: Path, name: str, score: float) -> None:
    exact = entry("exact_match")
    bench = bench_of(
        tmp_path,
        dialog(1, turn(1, "user", "A?"), answer(2, RECALL, exact, reference="yes")),
        dialog(2, turn(1, "user", "B?"), answer(2, RECALL, exact, reference="no"), turn(3, "user", "C?"),
               answer(4, RECALL, reference="no doubt"), turn(5, "user", "D?"), answer(6, RECALL, reference="yes")),
    )  # fmt: skip
    said = {"A?": "yes", "B?": "no", "C?": "doubt", "D?": "yes"}
    if name.startswith("min-"):
        said["A?"] = "yes, yes"  # all of the reference's words, but no exact match
    model = Scripted(lambda request: said[request.messages[-1].content])
    with closing(evaluate(bench, model, tmp_path / "run", options={"aggregate": name})) as run:
        told = report(run)
    assert told["score"]["value"] == pytest.approx(score, abs=1e-12)
    assert told["aggregate"] == name


def test_the_score_is_the_mean_that_aggregate_gives_of_the_records(tmp_path: Path) -> None:
    exact, bad = entry("exact_match"), entry("bleu")
    talks = [
        dialog(n, *(one for t in range(4) for one in (
            turn(2 * t, "user", f"{n} {t}"),
            answer(2 * t + 1, *[RECALL, exact, bad][(n + t) % 3 :], reference=f"{t} of {n}"),
        )))
        for n in range(5)
    ]  # fmt: skip
    with closing(evaluate(bench_of(tmp_path, *talks), "sim/echo", tmp_path / "run", epochs=2)) as run:
        sessions, records = run.sessions(), recorded_records(run, "sim/echo")
    scenario = get_scenario("recorded")
    for name in map("-".join, product(("mean", "min", "max"), ("mean", "min", "max"), ("dialog", "turn"))):
        table = scenario.table({"aggregate": name})
        told = table.value(table.total(map(table.row, sessions)), "score")
        assert told == pytest.approx(aggregate(records, *parse_aggregation(name))["global"]["mean"], abs=1e-12)


def test_each_epoch_counts_in_the_coverage(tmp_path: Path) -> None:
    with closing(evaluate(bench_of(tmp_path, MORE), "sim/echo", tmp_path / "run", epochs=3)) as run:
        assert report(run)["coverage"]["dialogues"] == {"expected": 3, "scored": 3, "failed": 0, "missing": 0}


def test_sessions_that_never_began_are_missing(tmp_path: Path) -> None:
    class Few(AllowAll):
        left = 1

        def admit(self, call: PlannedCall) -> Deny | None:
            self.left -= 1
            return None if self.left >= 0 else Deny("budget", "no more")

    bench, model = bench_of(tmp_path, MORE, TALK), Scripted(lambda request: "two")
    with closing(evaluate(bench, model, tmp_path / "run", gate=Few())) as run:
        assert report(run)["coverage"]["dialogues"] == {"expected": 2, "scored": 1, "failed": 0, "missing": 1}


def test_a_comparison_takes_dialogues_that_are_scored_for_both(tmp_path: Path) -> None:
    judged = entry("llm_judge", template_name="clarity")
    bench = bench_of(tmp_path, MORE, dialog(9, turn(1, "user", "C?"), answer(2, judged)))
    judge = Scripted(lambda request: '{"score": 10}' if '"fine"' in request.messages[0].content else "?", "fake/judge")
    models = [Scripted(lambda request: "fine", "fake/a"), Scripted(lambda request: "two", "fake/b")]
    with closing(evaluate(bench, models, tmp_path / "run", judge=judge)) as run:
        a, b = (run.sessions(name) for name in run.models)
        found = compare(a, b, tables=(get_scenario("recorded").table({}),))
    assert (found.dialogues, found.left_out) == (1, {"not scored in both": 1})
    assert (found.differences["score"].a, found.differences["score"].b) == (0.0, 1.0)


def test_an_unknown_aggregation_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--set aggregate: .*median"):
        evaluate(bench_of(tmp_path, MORE), "sim/echo", tmp_path / "run", options={"aggregate": "median-min-dialog"})


def test_the_sims_echo_and_give_the_reference(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, TALK, MORE)
    with closing(evaluate(bench, ["sim/echo", "sim/reference"], tmp_path / "run")) as run:
        said = {model: [t.answer for _, turns in run.transcripts(model) for t in turns] for model in run.models}
    assert said["sim/reference"] == ["two", "four", "95 metres", "3"]
    assert said["sim/echo"][:2] == ["What is one and one?", "What is\ntwo and two?"]


def test_nothing_to_evaluate_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no turn that is evaluated; set do_eval"):
        bench_of(tmp_path, dialog(1, turn(1, "user", "Hi.")))


def test_a_source_is_needed(tmp_path: Path) -> None:
    scenario = get_scenario("recorded")
    with pytest.raises(UsageError, match="--set source=FOLDER"):
        scenario.generate(tmp_path / "bench", scenario.spec(), dialogues=1, seed=0)


def test_broken_templates_are_named(tmp_path: Path) -> None:
    write_dialogs(tmp_path / "data", [MORE], benchmark_id="x")
    (tmp_path / "data" / "_prompt_templates.json").write_text('{"templates": {"a": 1}}', encoding="utf-8")
    with pytest.raises(InputError, match=r"_prompt_templates.json: no object “templates”"):
        bench_from(tmp_path / "data", tmp_path / "bench")


def test_a_broken_line_of_the_benchmark_is_named(tmp_path: Path) -> None:
    bench_of(tmp_path, MORE)
    file = tmp_path / "bench" / "dialogues" / "0001.jsonl"
    for text, said in (
        ('{"dialog": {"dialog_id": "x", "dialog_turns": []}}\n', "0001.jsonl, line 1: dialog_id"),
        ('{"other": 1}\n', "not one line"),
        ('{"dialog": 1}\n{"dialog": 2}\n', "not one line"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=said):
            open_benchmark(tmp_path / "bench").asked(1)


def test_an_edited_turn_is_refused_on_resuming(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, MORE)
    evaluate(bench, "sim/echo", tmp_path / "run").close()
    file = tmp_path / "bench" / "dialogues" / "0001.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace('"recall"', '"precision"'), encoding="utf-8")
    with pytest.raises(UsageError, match="turn 1 of dialogue 1"):
        evaluate(open_benchmark(tmp_path / "bench"), "sim/echo", tmp_path / "run")


def test_a_folder_of_dialogues_is_imported(tmp_path: Path) -> None:
    write_dialogs(tmp_path / "data", [TALK, MORE], benchmark_id="small")
    assert is_dialogs(tmp_path / "data")
    made = import_dialogs(tmp_path / "data", tmp_path / "bench")
    assert (made.dialogues, made.evaluated_turns, made.benchmark_id) == (2, 4, "small")
    assert made.metrics == {"recall": 3, "numeric_match": 1}
    assert made.unscorable == {}
    assert not is_dialogs(tmp_path / "bench")


def test_the_dialogues_of_a_models_results_are_imported(tmp_path: Path) -> None:
    write_dialogs(tmp_path / "results" / "generated", [MORE], benchmark_id="")
    made = import_dialogs(tmp_path / "results", tmp_path / "bench")
    assert (made.dialogues, made.benchmark_id) == (1, "")


def test_a_run_gives_its_dialogues_back_with_the_answers(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, TALK, MORE)
    with closing(evaluate(bench, Scripted(lambda request: "I say 4"), tmp_path / "run")) as run:
        first, second = dialogs_of_run(run, "fake/model")
        records = records_of_run(run, "fake/model")
    answered = TALK.model_copy(deep=True)
    for evaluated in (one for one in answered.dialog_turns if one.evaluated):
        evaluated.content = "I say 4"
    assert second.written() == answered.written()
    assert [record["dialog_id"] for record in records] == [3, 7, 7, 7]
    assert records[1]["turn_labels"] == {"kind": "sum"} and records[1]["dialog_labels"] == TALK.dialog_labels
    whole = coverage([first, second], records)
    assert whole["records"] == {"expected": 4, "scored": 4, "failed": 0, "missing": 0}


def test_with_epochs_each_session_is_a_dialogue_of_its_own(tmp_path: Path) -> None:
    with closing(evaluate(bench_of(tmp_path, MORE), "sim/echo", tmp_path / "run", epochs=2)) as run:
        dialogs, records = recorded_dialogs(run, "sim/echo"), recorded_records(run, "sim/echo")
    assert [one.dialog_id for one in dialogs] == [one["dialog_id"] for one in records] == [0, 1]


@pytest.mark.slow
def test_a_run_stores_a_shared_history_once(tmp_path: Path) -> None:
    history = [turn(number, "user", f"Told {number}: {'x' * 500}") for number in range(50)]
    talks = [dialog(n, *history, turn(60, "user", f"{n}?"), answer(61, RECALL, reference="x")) for n in range(40)]
    bench = bench_of(tmp_path, *talks)
    text = get_scenario("recorded").outline(bench, bench.dialogues())
    assert len(text) < 2 * sum(len(json.dumps(one)) for one in history) + 40 * 500
    with closing(evaluate(bench, "sim/echo", tmp_path / "run")) as run, pytest.raises(UsageError, match="no model x"):
        recorded_dialogs(run, "x")
