"""The floor beside the ceiling in every output, from generated benchmarks and from runs written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from older_profiles import BEFORE_PERSONS
from runs_by_hand import make_run
from typer.testing import CliRunner

from evolif import evaluate, generate
from evolif.cli import app
from evolif.metrics.floor import TRIVIAL
from evolif.models import SimModel
from evolif.report import analyse, summarise
from evolif.report.json import report_object
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
    generate(folder / "bench", dialogues=6, turns=8, seed=4, profile=BEFORE_PERSONS)
    models = [*map(one_of, TRIVIAL), "sim/perfect", "sim/forgetful"]
    evaluate(folder / "bench", models, folder / "run", max_turns=8).close()
    return folder / "run"


def told(*words: object) -> str:
    result = CliRunner().invoke(app, ["report", *map(str, words), "--resamples", "50"], prog_name="evolif")
    assert result.exit_code == 0 and "Traceback" not in result.output, result.output
    return str(result.stdout)


def machine(*words: object) -> dict[str, Any]:
    return dict(json.loads(told(*words, "--json", "-")))


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_models_that_follow_nothing_have_no_rank(played: Path) -> None:
    whole = machine(played)
    [board], [run] = whole["boards"], whole["runs"]
    reached = {name: own["isr_at_n"] for name, own in run["floor"]["responders"].items()}
    assert max(reached, key=lambda name: reached[name]) == "yes"
    # Seven of 48 turns: five dialogues of six end at turn 3 to 5.
    by_name = {model["model"]: model["isr_at_n"]["value"] for model in whole["models"]}
    assert {f"sim/{name}": value for name, value in reached.items()}.items() <= by_name.items()
    share = f"{100 * reached['yes']:.0f} %"
    sentences = {
        f"sim/{name}": f"sim/{name} is no better than always saying “yes” ({share} in ISR@8), so it has no rank."
        for name in TRIVIAL
    }
    assert board["ranking"]["at_floor"] == sentences
    ranked = {model for places in board["ranking"]["metrics"].values() for model in places}
    assert ranked == {"sim/forgetful"}
    assert board["ranking"]["pairs"] == []  # sim/perfect is a reference, so nothing is left to compare with
    short, full = (" ".join(told(played, *more).split()) for more in ((), ("--full",)))
    for sentence in sentences.values():
        assert sentence in short and full.count(sentence) == 2, "at the top, and where ranks would be"
    assert "Fewer than two models are left to rank." in full and "no dialogue that all models" not in full


@pytest.mark.slow
def test_what_is_better_than_the_floor_is_ranked(tmp_path: Path) -> None:
    """The request satisfies every other turn, so that repeating it reaches half of ten in a row."""
    dialogues = range(1, 9)
    good = {n: f"censored:{'1 11 ' * 4}1 {'10' if n % 2 else '11'}" for n in dialogues}
    fair = {n: f"censored:{'1 11 ' * 3}1 10 1 {'01' if n % 2 else '11'}" for n in dialogues}
    luck = {n: f"censored:{'1' if n % 2 else '0'} 01 {'1 01 ' * 3}1 {'11' if n % 2 else '01'}" for n in dialogues}
    make_run(tmp_path / "r", {"sim/a": fair, "sim/b": luck, "sim/c": good}, query="kite").close()
    whole = machine(tmp_path / "r")
    values = [model["isr_at_n"]["value"] for model in whole["models"]]
    # Four dialogues with 9 of 10 and four with 8; with 6 and 4; with 10 and 9.
    responders = whole["runs"][0]["floor"]["responders"]
    assert values == pytest.approx([0.85, 0.5, 0.95]) and responders["echo"]["isr_at_n"] == pytest.approx(0.5)
    found = whole["boards"][0]["ranking"]
    sentence = "sim/b is no better than always repeating the request (50 % in ISR@10), so it has no rank."
    assert found["at_floor"] == {"sim/b": sentence} and found["tests"] == 1
    places = {model: one["rank"] for model, one in found["metrics"]["isr_at_n"].items()}
    assert places == {"sim/a": 2, "sim/c": 1}
    text = " ".join(told(tmp_path / "r", "--full").split())
    assert text.count(sentence) == 2 and "Ranks, 1 the best" in text
    make_run(tmp_path / "one", {"sim/b": luck}, query="kite").close()
    assert sentence in " ".join(told(tmp_path / "one").split()), "of a model alone too"


def test_with_too_few_dialogues_nothing_is_said_to_be_at_the_floor(tmp_path: Path) -> None:
    luck = dict.fromkeys(range(1, 6), "censored:1 01 1 01 1 01 1 01 1 01")
    make_run(tmp_path / "r", {"sim/a": luck, "sim/b": luck}, query="kite").close()
    assert machine(tmp_path / "r")["boards"][0]["ranking"]["at_floor"] == {}
    assert "no better than" not in told(tmp_path / "r")


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


@pytest.mark.sampled
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
