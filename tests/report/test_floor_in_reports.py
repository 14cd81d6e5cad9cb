"""The floor beside the ceiling in every output, from generated benchmarks and from runs written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from runs_by_hand import make_run
from typer.testing import CliRunner

from evolif import evaluate, generate
from evolif.cli import app
from evolif.metrics import TRIVIAL
from evolif.models import SimModel
from evolif.report import analyse, report_object, summarise
from evolif.runner import Run, load_run


def one_of(name: str) -> SimModel:
    """A model that gives the answers of a responder, from what it is sent alone."""

    def answer(prompt: Any, request: Any) -> str:
        told = [message.content for message in request.messages if message.role == "user"]
        return {"empty": "", "echo": told[-1], "refusal": TRIVIAL["refusal"](prompt, prompt), "yes": "yes"}.get(
            name, told[0]
        )

    return SimModel(name, answer)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The five as models, beside one that has every turn asked."""
    folder = tmp_path_factory.mktemp("floor")
    generate(folder / "bench", dialogues=6, turns=8, seed=4, profile="objective")
    models = [*map(one_of, TRIVIAL), "sim/perfect", "sim/forgetful"]
    evaluate(folder / "bench", models, folder / "run", max_turns=8).close()
    return folder / "run"


def told(*words: object) -> str:
    result = CliRunner().invoke(app, ["report", *map(str, words), "--resamples", "50"], prog_name="evolif")
    assert result.exit_code == 0 and "Traceback" not in result.output, result.output
    return str(result.stdout)


def machine(*words: object) -> dict[str, Any]:
    return dict(json.loads(told(*words, "--json", "-")))


def test_the_floor_is_what_the_five_reach_as_models(played: Path) -> None:
    run = load_run(played)
    [analysis] = analyse([run], resamples=20)
    found = analysis.floor
    assert found is not None and list(found.responders) == list(TRIVIAL)
    models = {model.name.removeprefix("sim/"): model.summary.metrics for model in analysis.models}
    for name, figures in found.responders.items():
        assert figures.by_name() == pytest.approx(models[name].by_name()), name
    assert found.csr == max(own.value("csr") or 0 for own in found.responders.values()) > 0
    assert found.turns == 6 * 8 and analysis.floor is found
    run.close()


def test_csr_is_corrected_for_it(played: Path) -> None:
    whole = machine(played)
    [run] = whole["runs"]
    lowest = run["floor"]
    assert set(lowest["responders"]) == set(TRIVIAL) and lowest["turns"] == 48
    assert lowest["value"] == lowest["csr"] == lowest["responders"][lowest["responder"]]["csr"]
    by_name = {model["model"]: model for model in whole["models"]}
    perfect = by_name["sim/perfect"]["csr_corrected"]
    assert perfect["value"] == perfect["high"] == 1 > perfect["low"] > 0
    assert by_name[f"sim/{lowest['responder']}"]["csr_corrected"]["value"] == pytest.approx(0)
    assert by_name["sim/empty"]["csr_corrected"]["value"] < 0
    for model in whole["models"]:
        assert model["floor"] == {"value": lowest["value"], "responder": lowest["responder"]}
        for end in ("value", "low", "high"):
            corrected = (model["csr"][end] - lowest["value"]) / (1 - lowest["value"])
            assert model["csr_corrected"][end] == pytest.approx(corrected)


def test_the_short_object_has_the_same_keys(played: Path) -> None:
    opened = load_run(played)
    short = report_object([(opened, summarise(opened, resamples=50))])
    opened.close()
    whole = machine(played)
    assert [model["csr_corrected"] for model in short["models"]] == [m["csr_corrected"] for m in whole["models"]]
    assert short["runs"][0]["floor"] == whole["runs"][0]["floor"]


def test_every_output_shows_both(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    short = told(played)
    assert "CSR corr. %" in short and short.index("ceiling 100 %") < short.index("Floor: the best of five answers")
    full = told(played, "--full", "--latex", tmp_path / "t.tex", "--html", tmp_path / "p.html")
    tex, page = (tmp_path / "t.tex").read_text(), (tmp_path / "p.html").read_text()
    for text in (full, tex, page):
        assert "Floor and ceiling" in text and "(floor)" in text and "perfect" in text and "refusal" in text
        assert "CSR corr." in text
    assert "Floor: the best of five answers" in page and max(map(len, full.splitlines()[:60])) <= 80


def by_hand(path: Path, session: str, **given: Any) -> Run:
    return make_run(path, {"sim/a": {1: session}}, **given)


def test_without_a_ceiling_csr_is_not_corrected(tmp_path: Path) -> None:
    by_hand(tmp_path / "r", "finished:11 0 0 0", witness=None).close()
    shown = " ".join(told(tmp_path / "r").split())
    assert "CSR is not corrected for it: the ceiling is unknown." in shown and "CSR corr. %" not in shown
    [model] = machine(tmp_path / "r")["models"]
    assert model["csr_corrected"] == {"value": None, "low": None, "high": None}
    assert model["floor"]["responder"] in TRIVIAL


def test_a_ceiling_below_the_floor_corrects_nothing(tmp_path: Path) -> None:
    # The query satisfies what the key does not.
    by_hand(tmp_path / "r", "finished:11 11 11", witness="no", query="kelp").close()
    shown = " ".join(told(tmp_path / "r").split())
    assert "“echo”, reaches CSR 100.0 %" in shown
    assert "CSR is not corrected for it: the ceiling is not above it." in shown


def test_one_dialogue_has_a_figure_without_an_interval_or_nothing_false(tmp_path: Path) -> None:
    by_hand(tmp_path / "r", "censored:11 10 11").close()
    [model] = machine(tmp_path / "r")["models"]
    assert model["csr"]["value"] == pytest.approx(5 / 6)
    assert model["csr_corrected"] == model["csr"]  # the floor is 0


def test_a_judge_beside_the_rules_is_said(tmp_path: Path) -> None:
    by_hand(tmp_path / "r", "censored:111 110 111", judge="openai/j").close()
    assert "while CSR includes what the judge decided" in " ".join(told(tmp_path / "r").split())


@pytest.mark.parametrize("session", ["suspended:", "censored:", ":"])
def test_nothing_asked_has_no_floor(tmp_path: Path, session: str) -> None:
    by_hand(tmp_path / "r", session).close()
    assert "Floor" not in told(tmp_path / "r", "--full")
    whole = machine(tmp_path / "r")
    assert whole["runs"][0]["floor"] is None and whole["models"][0]["floor"] is None


def test_several_runs_have_a_floor_each(tmp_path: Path) -> None:
    by_hand(tmp_path / "one", "finished:11 0 0 0").close()
    by_hand(tmp_path / "two", "finished:11 1 0 0 0").close()
    shown = told(tmp_path / "one", tmp_path / "two", "--full", "--latex", tmp_path / "t.tex")
    assert "Floor and ceiling of one" in shown and "Floor and ceiling of two" in shown
    tex = (tmp_path / "t.tex").read_text()
    assert tex.count("label{tab:floor-1}") == tex.count("label{tab:floor-2}") == 1
