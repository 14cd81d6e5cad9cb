"""Every kind of failure of a recorded run: the score is None, its kind is counted, and nothing is a silent zero."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from recorded_dialogs import RECALL, Scripted, answer, bench_from, bench_of, dialog, entry, report, shown, turn

from evolif.errors import ContextOverflowError, ModelError, WithheldError
from evolif.exchange.dialogs import import_dialogs
from evolif.models import ChatRequest, Reply
from evolif.runner import Run, evaluate
from evolif.runner.rejudge import rejudge
from evolif.scenarios.recorded import write_dialogs
from evolif.scenarios.recorded.prompts import prompts_of
from evolif.scenarios.recorded.recorded_runs import recorded_records
from evolif.scenarios.recorded.scoring import failure_of, reuse_key, score_turn
from evolif.types import Score

JUDGED = entry("llm_judge", template_name="clarity")
SCORED = {"expected": 1, "scored": 1, "failed": 0, "missing": 0}
FAILED = {"expected": 1, "scored": 0, "failed": 1, "missing": 0}


def two_turns(*metrics: dict[str, Any], **fields: Any) -> Any:
    """A dialogue whose first turn has the metrics, and whose second is scored by recall."""
    return dialog(
        4,
        turn(1, "user", "A?"),
        answer(2, *metrics, **fields),
        turn(3, "user", "B?"),
        answer(4, RECALL, reference="yes"),
    )


def played(tmp_path: Path, talk: Any, model: Any = None, **settings: Any) -> dict[str, Any]:
    with closing(evaluate(bench_of(tmp_path, talk), model or "sim/echo", tmp_path / "run", **settings)) as run:
        return report(run)


def records_of(run: Run) -> list[dict[str, Any]]:
    return recorded_records(run, run.models[0])


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("metric", "kind", "reason"),
    [
        (entry("recall"), "no_reference", "recall needs a reference"),
        (entry("recall", binary="perhaps"), "bad_args", "binary"),
        (entry("f1_score", sort="x"), "bad_args", "sort"),
        (entry("bleu"), "unknown_metric", "unknown metric “bleu”"),
        (entry("code_match"), "unsupported", "code_match"),
        (
            entry("instruction_following", inst_name="combination:three_responses", inst_args={}),
            "unsupported",
            "three_re",
        ),
        (entry("llm_judge", template_name="clarity"), "judge", "--judge PROVIDER/NAME"),
        (entry("llm_judge", min_score=5, max_score=5), "bad_args", "max_score"),
        (entry("evolif_check", group_name="emotion", params={"emotion": "happy"}), "judge", "--judge PROVIDER/NAME"),
    ],
)
def test_an_entry_that_cannot_be_scored_is_failed_with_its_kind(
    tmp_path: Path, metric: dict[str, Any], kind: str, reason: str
) -> None:
    told = played(tmp_path, two_turns(metric))
    assert told["coverage"]["failures"] == {kind: 1}
    assert told["coverage"]["records"] == {"expected": 2, "scored": 1, "failed": 1, "missing": 0}
    assert told["score"]["value"] == 0.0, "of the second turn alone, whose answer lacks the word"
    with closing(evaluate(bench_from(tmp_path / "data", tmp_path / "b2"), "sim/echo", tmp_path / "run2")) as run:
        first, second = records_of(run)
    assert (first["score"], first["details"]["failure"]) == (None, kind)
    assert reason in first["details"]["reason"]
    assert (second["score"], second["details"]) == (0.0, {})


def test_an_import_says_what_cannot_be_scored(tmp_path: Path) -> None:
    write_dialogs(tmp_path / "data", [two_turns(entry("bleu"), entry("recall"), JUDGED)], benchmark_id="x")
    made = import_dialogs(tmp_path / "data", tmp_path / "bench")
    assert made.unscorable == {"no_reference": 1, "unknown_metric": 1}, "a run may have a judge"


def test_a_provider_fault_ends_its_dialogue_only_and_is_asked_again_on_resuming(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, two_turns(RECALL, reference="yes"), dialog(9, turn(1, "user", "C?"), answer(2, RECALL)))
    broken = True

    def reply(request: ChatRequest) -> str | Exception:
        asked = request.messages[-1].content
        return ModelError("the server is down") if broken and asked == "B?" else "yes"

    model = Scripted(reply)
    with closing(evaluate(bench, model, tmp_path / "run")) as run:
        told = report(run)
        assert told["coverage"]["failures"] == {"generation": 1, "no_reference": 1}
        assert told["coverage"]["dialogues"] == {"expected": 2, "scored": 0, "failed": 2, "missing": 0}
    broken, model.asked = False, []
    with closing(evaluate(bench, model, tmp_path / "run")) as run:
        assert [request.messages[-1].content for request in model.asked] == ["B?"], "nothing is paid for twice"
        assert report(run)["coverage"]["failures"] == {"no_reference": 1}


@pytest.mark.parametrize(
    ("fault", "kind"), [(WithheldError("no"), "withheld"), (ContextOverflowError("too long"), "generation")]
)
def test_turns_after_a_refused_one_are_missing(tmp_path: Path, fault: Exception, kind: str) -> None:
    told = played(tmp_path, two_turns(RECALL, JUDGED, reference="A"), Scripted(lambda request: fault))
    assert told["coverage"]["records"] == {"expected": 3, "scored": 0, "failed": 2, "missing": 1}
    assert told["coverage"]["turns"] == {"expected": 2, "scored": 0, "failed": 1, "missing": 1}
    assert told["coverage"]["failures"] == {kind: 2}
    assert told["score"]["value"] is None


def test_empty_and_cut_answers_are_scored_as_they_stand_and_flagged(tmp_path: Path) -> None:
    said = iter([Reply("", reasoning="yes"), Reply("yes and", truncated=True)])
    bench = bench_of(tmp_path, two_turns(RECALL, reference="yes"))
    with closing(evaluate(bench, Scripted(lambda request: next(said)), tmp_path / "run")) as run:
        first, second = records_of(run)
    assert (first["score"], first["details"]) == (0.0, {"empty": True}), "reasoning is not the answer"
    assert (second["score"], second["details"]) == (1.0, {"cut": True})


def test_a_judges_score_is_scaled(tmp_path: Path) -> None:
    judge = Scripted(lambda request: '{"Rationale": "plain", "Score": 7}', name="fake/judge")
    talk = two_turns(JUDGED, entry("llm_judge", min_score=0, max_score=10), entry("llm_judge", scale=15))
    with closing(evaluate(bench_of(tmp_path, talk), "sim/echo", tmp_path / "run", judge=judge)) as run:
        *judged, _ = records_of(run)
    assert [record["score"] for record in judged] == pytest.approx([6 / 9, 0.7, 6 / 14])
    assert [record["metric_name"] for record in judged] == ["llm_judge->clarity", "llm_judge", "llm_judge"]


@pytest.mark.parametrize("reply", ["no idea", '{"Score": 11}', "[7]", ""])
def test_a_judges_reply_without_a_score_is_a_failure(tmp_path: Path, reply: str) -> None:
    judge = Scripted(lambda request: reply, name="fake/judge")
    told = played(tmp_path, two_turns(JUDGED), judge=judge)
    assert told["coverage"]["failures"] == {"judge": 1}
    assert told["coverage"]["records"]["scored"] == 1, "the dialogue goes on"


def test_a_judge_is_shown_the_history_without_system_turns(tmp_path: Path) -> None:
    talk = dialog(
        1,
        turn(0, "system", "SECRET"),
        turn(1, "user", "A?"),
        answer(2, RECALL, reference="gold"),
        turn(3, "user", "B?"),
        answer(4, JUDGED, reference="blue"),
        dialog_eval_config={"use_reference_history": True},
    )
    judge = Scripted(lambda request: '{"score": 10}', name="fake/judge")
    evaluate(bench_of(tmp_path, talk), Scripted(lambda request: "mine"), tmp_path / "run", judge=judge).close()
    [(role, text)] = shown(judge.asked[0])
    told = [{"role": "user", "content": "A?"}, {"role": "assistant", "content": "gold"}]
    assert role == "user" and json.dumps([*told, {"role": "user", "content": "B?"}]) in text
    assert "SECRET" not in text and '"mine"' in text and '"blue"' in text and "clarity" in text


def test_a_template_of_the_folder_is_filled_once(tmp_path: Path) -> None:
    template = "{{ {response} | {content} | {constraints} | {num_words} | {num_sent} }}"
    metric = entry("llm_judge", template_name="own", constraints=["be {reference}", "be kind"])
    write_dialogs(tmp_path / "data", [two_turns(metric, reference="gold", reference_document="doc")], benchmark_id="x")
    told = {"templates": {"own": template, "unused": "x"}}
    (tmp_path / "data" / "_prompt_templates.json").write_text(json.dumps(told), encoding="utf-8")
    bench = bench_from(tmp_path / "data", tmp_path / "bench")
    judge = Scripted(lambda request: '{"score": 10}', name="fake/judge")
    model = Scripted(lambda request: "One {content}. Two.")
    evaluate(bench, model, tmp_path / "run", judge=judge).close()
    [(_, text)] = shown(judge.asked[0])
    assert text == "{ One {content}. Two. | doc | 1. be {reference}\n2. be kind | 3 | 2 }"


@pytest.mark.parametrize(
    ("templates", "reason"), [({"other": "x"}, "no template “clarity”"), ({"clarity": "{odd}"}, "unknown slot “{odd}”")]
)
def test_a_template_that_cannot_be_used_is_bad_args(tmp_path: Path, templates: dict[str, str], reason: str) -> None:
    write_dialogs(tmp_path / "data", [two_turns(JUDGED)], benchmark_id="x")
    (tmp_path / "data" / "_prompt_templates.json").write_text(json.dumps({"templates": templates}), encoding="utf-8")
    bench, judge = bench_from(tmp_path / "data", tmp_path / "bench"), Scripted(lambda request: "8", name="fake/judge")
    with closing(evaluate(bench, "sim/echo", tmp_path / "run", judge=judge)) as run:
        first, _ = records_of(run)
    assert first["details"]["failure"] == "bad_args" and reason in first["details"]["reason"]
    assert judge.asked == []


def test_a_judge_out_of_reach_is_asked_again_and_no_answer_or_score_is_paid_twice(tmp_path: Path) -> None:
    broken = True

    def rate(request: ChatRequest) -> str | Exception:
        return ModelError("down") if broken and "“two”" in request.messages[0].content else '{"score": 10}'

    talk = two_turns(entry("llm_judge", template_name="one"), entry("llm_judge", about="“two”"))
    bench, model, judge = bench_of(tmp_path, talk), Scripted(lambda request: "x"), Scripted(rate, name="fake/judge")
    with closing(evaluate(bench, model, tmp_path / "run", judge=judge)) as run:
        assert report(run)["coverage"]["failures"] == {"judge": 2}
        assert report(run)["coverage"]["records"]["missing"] == 1
    assert (len(model.asked), len(judge.asked)) == (1, 2)
    broken = False
    with closing(evaluate(bench, model, tmp_path / "run", judge=judge)) as run:
        assert report(run)["coverage"]["records"] == {"expected": 3, "scored": 3, "failed": 0, "missing": 0}
    assert (len(model.asked), len(judge.asked)) == (2, 3)


def test_rejudging_keeps_what_rules_found(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, two_turns(RECALL, JUDGED, reference="yes"))
    evaluate(bench, Scripted(lambda request: "yes"), tmp_path / "run").close()
    judge = Scripted(lambda request: '{"score": 1}', name="fake/judge")
    with closing(rejudge(tmp_path / "run", judge, tmp_path / "judged")) as run:
        assert [record["score"] for record in records_of(run)] == [1.0, 0.0, 1.0]


def test_a_panels_score_is_the_mean_of_its_members(tmp_path: Path) -> None:
    judges = [Scripted(lambda request, n=n: f'{{"score": {n}}}', name=f"fake/{n}") for n in (1, 10)]
    with closing(evaluate(bench_of(tmp_path, two_turns(JUDGED)), "sim/echo", tmp_path / "run", judge=judges)) as run:
        assert records_of(run)[0]["score"] == 0.5


def test_a_check_that_a_judge_decides_is_a_verdict(tmp_path: Path) -> None:
    metric = entry("evolif_check", group_name="emotion", params={"emotion": "happy"})
    judge = Scripted(lambda request: '{"rationale": "r", "score": 9}', name="fake/judge")
    with closing(evaluate(bench_of(tmp_path, two_turns(metric)), "sim/echo", tmp_path / "run", judge=judge)) as run:
        assert records_of(run)[0]["score"] == 1.0
        [session] = run.sessions()
    assert [verdict.satisfied for verdict in session.turns[0].verdicts] == [True]


def test_checks_of_one_turn_read_the_answer_in_the_same_format(tmp_path: Path) -> None:
    checks = [
        entry("evolif_check", group_name="format", params={"mode": "json"}),
        entry("evolif_check", group_name="length", params={"unit": "words", "relation": "less_than", "count": 3}),
    ]
    talk = two_turns(*checks)
    with closing(
        evaluate(bench_of(tmp_path, talk), Scripted(lambda request: '{"key one": "two words"}'), tmp_path / "run")
    ) as run:
        scores = [record["score"] for record in records_of(run)]
    assert scores[0] == 1.0


def test_a_run_says_its_coverage_in_the_report(tmp_path: Path) -> None:
    from evolif.report import RunAnalysis
    from evolif.scenario import get_scenario

    with closing(evaluate(bench_of(tmp_path, two_turns(JUDGED)), "sim/echo", tmp_path / "run")) as run:
        [line] = get_scenario("recorded").presentation.remarks(RunAnalysis(run))
    assert line == "Coverage of sim/echo: 1 of 2 records are scored, 1 failed (judge 1), 0 are missing."


def test_failures_are_read_from_scores() -> None:
    assert failure_of(Score("recall", 0.5)) is None
    assert failure_of(Score("recall", None, found="no_reference: give one: now")) == ("no_reference", "give one: now")
    assert failure_of(Score("recall", None, found="odd")) == ("invalid", "odd")


def test_a_score_is_reused_under_the_same_key_only() -> None:
    talk = two_turns(RECALL)
    same: dict[str, Any] = {
        "model": "a/b", "endpoint": "", "sampling": {"seed": 1}, "strategy": "full", "dialog": talk, "entry": RECALL,
    }  # fmt: skip
    other = talk.model_copy(deep=True)
    other.dialog_turns[0].content = "C?"
    changes = {"model": "a/c", "endpoint": "x", "sampling": {"seed": 2}, "strategy": "last:2", "dialog": other,
               "entry": entry("recall", binary=True)}  # fmt: skip
    keys = {reuse_key(**{**same, name: value}) for name, value in changes.items()}
    assert len(keys) == len(changes) and reuse_key(**same) not in keys
    assert reuse_key(**same) == reuse_key(**{**same, "dialog": talk.model_copy(deep=True)})


def test_rules_newer_than_a_run_do_not_mix_with_its_scores() -> None:
    # Judging a run again by rules promises that only the reading rules make a difference.
    metrics = [
        entry("instruction_following", inst_name="format:title"),
        entry("instruction_following", inst_name="length_constraints:number_words",
              inst_args={"relation": "less than", "num_words": 9}),
    ]  # fmt: skip
    [prompt] = prompts_of(dialog(0, turn(0, "user", "Hi."), answer(1, *metrics)), 1)
    old = replace(prompt, payload={**prompt.payload, "scoring": 1})
    now, before = (asyncio.run(score_turn(one, "<<Tea>>", (), None)).scores for one in (prompt, old))
    assert [score.value for score in now] == [1.0, 1.0]
    assert [score.value for score in before] == [None, 1.0]
    assert failure_of(before[0]) == (
        "unsupported", "instruction_following->format:title could not be scored when the run began; "
        "evaluate into a new folder",
    )  # fmt: skip


def test_turns_whose_instructions_are_read_as_before_keep_their_version() -> None:
    def version(name: str, **args: Any) -> int:
        made = answer(1, entry("instruction_following", inst_name=name, inst_args=args))
        [prompt] = prompts_of(dialog(0, turn(0, "user", "Hi."), made), 1)
        return int(prompt.payload["scoring"])

    assert version("change_case:lowercase") == version("format:bullet_list", num_bullets=2) == 1
    assert (
        version("format:bullet_list", num_bullets=0) == version("punctuation:no_comma") == version("format:title") == 2
    )
    assert version("language:response_language", language="de") == 1
    assert version("language:response_language", language="zh-cn") == 2
