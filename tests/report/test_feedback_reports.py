"""Reports on runs in which the person reacts: their figures, what they are compared with, and what is marked."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from reacting_runs import MISSED, Sessions, reacting_run
from typer.testing import CliRunner

from evolif.cli import app
from evolif.inspect.scores import session_object, session_of, sums_of, tables_of_session
from evolif.report import analyse, write_page
from evolif.report.analysis import RunAnalysis
from evolif.report.page.transcripts import PromptReader, turn_views
from evolif.runner import Run, load_run
from evolif.scenarios.instructions.presentation import InstructionPresentation

pytest.importorskip("numpy", reason="NumPy is not installed")
pytest.importorskip("scipy", reason="SciPy is not installed")

REPAIRED = dict.fromkeys(range(1, 13), "censored:01 r11<0 10 r10<1 r11<1 11 00 r00<u r01<0")
REMARKED = dict.fromkeys(range(1, 13), "censored:01 11<0 10 01<1 11<0 11<t")
ALONE = dict.fromkeys(range(1, 13), "finished:01 11 00 00 00")


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)


def make(name: str, sessions: Sessions, feedback: str = "repair", **settings: Any) -> None:
    reacting_run(Path(name), sessions, feedback, **settings)


def ran(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments, "--resamples", "100"], prog_name="evolif")
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments], prog_name="evolif")
    assert result.exit_code == 2, result.output
    return " ".join(result.stderr.split())


def machine(*arguments: str) -> dict[str, Any]:
    return dict(json.loads(ran(*arguments, "--json", "-")))


def test_a_report_has_the_figures_and_their_groups() -> None:
    make("r", {"sim/a": REPAIRED})
    [model] = machine("report", "r", "--full")["models"]
    # Told: bullets held and did not hold, case did not and did. First repairs: one of three; second: one of two.
    assert [model[name]["value"] for name in ("told", "mended_first", "mended_second", "turns_to_mend")] == [
        pytest.approx(2 / 4), pytest.approx(1 / 3), pytest.approx(1 / 2), pytest.approx(3 / 2),
    ]  # fmt: skip
    groups = model["feedback_by_group"]
    assert list(groups) == ["bullets", "case", "(no readable answer)"]
    assert groups["case"]["told"]["value"] == groups["case"]["mended_second"]["value"] * 0.5
    assert groups["(no readable answer)"]["mended_first"] == {
        "value": 0.0,
        "low": 0.0,
        "high": pytest.approx(0.27, abs=0.1),
    }


def test_a_terminal_shows_them_and_says_how_rec_differs() -> None:
    make("r", {"sim/a": REPAIRED})
    text = " ".join(ran("report", "r", "--full").split())
    assert "feedback repair" in text
    for told in ("Told %", "Mended 1st %", "Mended 2nd %", "Turns to mend", "REC counts those that mend as recoveries"):
        assert told in text
    assert "What comes of being told, by the group that the person named" in text
    assert "bullets, Told %" in text
    assert "evaluate BENCH --model sim/a --judge none --feedback repair" in text


def test_latex_has_the_table_too() -> None:
    make("r", {"sim/a": REPAIRED})
    ran("report", "r", "--latex", "r.tex")
    text = Path("r.tex").read_text(encoding="utf-8")
    assert r"\label{tab:feedback}" in text and "bullets, Mended 1st" in text and "Turns to mend" in text


def test_runs_with_remarks_have_no_figure_of_repairs() -> None:
    make("r", {"sim/a": REMARKED}, "remark")
    [model] = machine("report", "r", "--full")["models"]
    assert model["told"]["value"] == pytest.approx(3 / 3)
    assert not {"mended_first", "mended_second", "turns_to_mend"} & set(model)


def test_runs_without_feedback_say_nothing_of_it() -> None:
    make("r", {"sim/a": ALONE}, "none")
    [model] = machine("report", "r", "--full")["models"]
    assert not {"told", "feedback_by_group"} & set(model)
    assert "eedback" not in ran("report", "r", "--full")
    assert "feedback" not in json.dumps(machine("report", "r")["runs"])


def test_runs_of_all_three_kinds_stand_side_by_side() -> None:
    for name, sessions, feedback in (("a", ALONE, "none"), ("b", REMARKED, "remark"), ("c", REPAIRED, "repair")):
        make(name, {"sim/m": sessions}, feedback)
    told = machine("report", "a", "b", "c", "--full")
    assert len(told["boards"]) == 1
    assert [model.get("told", {}).get("value") for model in told["models"]] == [None, 1.0, 0.5]
    text = ran("report", "a", "b", "c", "--full")
    assert all(f"feedback {name}" in text for name in ("none", "remark", "repair"))
    assert "separate tables" not in text


def test_the_effect_is_compared_if_it_is_named() -> None:
    make("a", {"sim/m": ALONE}, "none")
    make("b", {"sim/m": REPAIRED})
    why = refused("compare", "b", "a")
    assert "the feedback is repair in the first and none in the second" in why
    assert "Compare two models with the same feedback; --across feedback shows its effect on one model" in why
    [told] = machine("compare", "b", "a", "--across", "feedback")["comparisons"]
    assert told["kind"] == "feedback" and told["dialogues"] == 12
    assert (told["metrics"]["told"]["a"], told["metrics"]["told"]["b"]) == (0.5, None)
    # Planned turns are paired with planned turns: good are one of four, and of those that the other had one of four.
    shared = told["metrics"]["isr_on_shared_turns"]
    assert (shared["a"], shared["b"]) == (1 / 4, 1 / 4)
    text = " ".join(ran("compare", "b", "a", "--across", "feedback").split())
    assert "Effect of the feedback: sim/m with feedback repair (A) and feedback none (B), all else equal." in text


def test_what_else_differs_forbids_it() -> None:
    make("a", {"sim/m": ALONE}, "none")
    make("b", {"sim/m": REPAIRED}, judge="mean of x")
    assert "needs two runs that differ only in the feedback" in refused("compare", "b", "a", "--across", "feedback")
    make("c", {"sim/n": REPAIRED})
    assert "compares a model with itself" in refused(
        "compare", "a", "c", "-m", "sim/m", "-m", "sim/n", "--across", "feedback"
    )


def test_two_models_that_were_told_are_compared_in_it() -> None:
    make("r", {"sim/a": REPAIRED, "sim/b": dict.fromkeys(range(1, 13), "censored:01 r11<0 11 11")})
    text = ran("compare", "r")
    assert "Told %" in text and "Mended 1st %" in text
    [told] = machine("compare", "r")["comparisons"]
    assert (told["metrics"]["told"]["a"], told["metrics"]["told"]["b"]) == (0.5, 1.0)


def opened(name: str) -> Run:
    return load_run(Path(name))


def test_sessions_asked_different_things_in_one_turn_have_their_own_modes() -> None:
    # In turn 3 the first model is asked for 7 bullets, the other still repairs 5: both are their own mode.
    make("r", {"sim/a": {1: "censored:11 11 +11"}, "sim/b": {1: "finished:11 01 r01<0 r01<0"}}, patience=3)
    with closing(opened("r")) as run:
        first, second = RunAnalysis(run).models
        assert {key: one.judged for key, one in first.by("group").items()} == {"bullets": 3, "case": 3}
        [prompt] = {turn.asked for turn in second.sessions[0].turns} & {p.digest for p in run.prompts() if p.turn == 4}
        assert prompt
        assert {one.turns for key, one in second.by("mode").items() if str(key).startswith("bullets/")} == {4}
        assert "unknown" not in " ".join(map(str, {*first.by("mode"), *second.by("mode")}))
        assert {key: one.turns for key, one in second.by("operation").items()} == {"add": 2, "repair": 2}


@pytest.mark.parametrize("wrong", [(3, 2), (-1, 2), (0, 10_000), (0, 0)], ids=str)
def test_a_transcript_cuts_the_query_at_the_remark(monkeypatch: pytest.MonkeyPatch, wrong: tuple[int, int]) -> None:
    make("r", {"sim/a": {1: "censored:01 11<0 10 r11<1"}})
    with closing(opened("r")) as run:
        [(session, records)] = run.transcripts("sim/a")
        shown = [view.reaction for view in turn_views(session, records, PromptReader(run))]
        nothing = "", "", ""
        assert shown == [nothing, ("", MISSED, " now for query 2 of dialogue 1"), nothing, ("", MISSED, "")]
        # A presentation of somebody else's may say anything.
        monkeypatch.setattr(InstructionPresentation, "reaction", lambda self, prompt: wrong)
        assert {view.reaction for view in turn_views(session, records, PromptReader(run))} == {nothing}


def test_a_session_in_a_log_of_inspect_says_that_the_person_reacted() -> None:
    make("r", {"sim/a": REPAIRED, "sim/b": ALONE})
    make("n", {"sim/a": ALONE}, "none")
    with closing(opened("r")) as run, closing(opened("n")) as plain:
        stored = session_object(run.sessions("sim/a")[0], run.settings)
        assert [name for table in tables_of_session(stored) for name in table.ratios][-1] == "turns_to_mend"
        sums = sums_of(tables_of_session(stored), session_of(stored))
        assert (sums["told"], sums["mended_first"]) == ([2.0, 4.0], [1.0, 3.0])
        stored = session_object(plain.sessions("sim/a")[0], plain.settings)
        assert "feedback" not in stored
        assert "told" not in {name for table in tables_of_session(stored) for name in table.ratios}


@pytest.mark.slow
def test_the_page_marks_the_remark_and_escapes_it(tmp_path: Path) -> None:
    make("r", {"sim/<i>a": {1: "censored:01 11<0 10 r11<1"}})
    with closing(opened("r")) as run:
        write_page(analyse([run], resamples=20), tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    marked = "Reaction to the answer before: </span>that was &lt;b&gt;7&lt;/b&gt; bullets &amp; I said 5.</span>"
    assert text.count(marked) == 2, "a remark, and a repair that is nothing else"
    assert f"{marked} now for query 2 of dialogue 1</div>" in text
    assert MISSED not in text
    assert "remark missed bullets" in text and "Feedback" in text and "told/bullets" in text
