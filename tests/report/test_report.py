"""What a report says of a run, to people at 80 columns and to machines."""

from __future__ import annotations

import io
import json
import math
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from evolif.errors import ModelError, WithheldError
from evolif.metrics import METRIC_NAMES
from evolif.models import ChatRequest, Reply
from evolif.report import print_report, summarise
from evolif.report.json import report_object
from evolif.report.terminal import first_failure, print_failure
from evolif.runner import Run, evaluate
from evolif.scenarios.instructions import generate
from evolif.text import clip, plain

Answer = Callable[[ChatRequest], "Reply | Exception"]
HOSTILE = "\x1b[31mred\x1b]0;title\x07 \u202ereversed\u2066 [red]markup[/red] [/nothing] \x9b2J\r\x08 [link=x]"


class Fake:
    connections = 1

    def __init__(self, name: str, answer: Answer) -> None:
        self.name, self._answer = name, answer

    async def complete(self, request: ChatRequest) -> Reply:
        answer = self._answer(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def aclose(self) -> None:
        pass


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("report") / "bench"
    generate(root, dialogues=6, turns=10, seed=4, profile="paper")
    return root


@pytest.fixture
def play(made: Path, tmp_path: Path) -> Iterator[Callable[..., Run]]:
    runs: list[Run] = []

    def run(models: dict[str, Answer], **settings: object) -> Run:
        out = tmp_path / f"run{len(runs)}"
        fakes = [Fake(name, answer) for name, answer in models.items()]
        runs.append(evaluate(tmp_path / "bench", fakes, out, **{"max_turns": 10, **settings}))
        return runs[-1]

    shutil.copytree(made, tmp_path / "bench")
    yield run
    for each in runs:
        each.close()


def witness(request: ChatRequest) -> Reply:
    assert request.prompt is not None and request.prompt.payload["witness"] is not None
    return Reply(request.prompt.payload["witness"])


def wobbly(request: ChatRequest) -> Reply:
    assert request.prompt is not None
    return witness(request) if (request.prompt.dialogue + request.prompt.turn) % 3 else Reply("")


def of_dialogue(fault: Exception, *dialogues: int) -> Answer:
    return lambda r: (
        fault if r.prompt is not None and r.prompt.dialogue in dialogues and r.prompt.turn > 2 else wobbly(r)
    )


def machine(run: Run) -> dict[str, Any]:
    """The report as a machine reads it: strict JSON, so that NaN would fail."""
    text = json.dumps(report_object([(run, summarise(run, resamples=200))]), allow_nan=False)
    return json.loads(text)


def printed(run: Run, width: int = 80) -> str:
    out = io.StringIO()
    print_report(run, summarise(run, resamples=200), Console(file=out, width=width))
    return out.getvalue()


def test_the_json_has_the_shape_of_the_design(play: Callable[..., Run]) -> None:
    report = machine(play({"fake/a": wobbly, "fake/b": witness}))
    assert [m["model"] for m in report["models"]] == ["fake/a", "fake/b"]
    for model in report["models"]:
        assert {"model", "dialogues", "suspended", "censored", "withheld", "rec_left_out"} <= set(model)
        for key in ("dialogues", "suspended", "censored", "withheld", "rec_left_out"):
            assert isinstance(model[key], int)
        for name in METRIC_NAMES:
            assert set(model[name]) == {"value", "low", "high"}
            assert all(value is None or math.isfinite(value) for value in model[name].values())
    first = report["models"][0]
    assert first["dialogues"] == 6 and 0 < first["rob"]["value"] < 1
    assert first["rob"]["low"] < first["rob"]["value"] < first["rob"]["high"]
    assert report["runs"][0]["settings"]["patience"] == 3


def test_absent_figures_are_null(play: Callable[..., Run]) -> None:
    perfect, broken = machine(play({"fake/a": witness, "fake/b": lambda _: ModelError("busy")}))["models"]
    assert perfect["rec"] == {"value": None, "low": None, "high": None} and perfect["rec_left_out"] == 6
    assert perfect["rob"]["value"] == 1.0
    assert (broken["dialogues"], broken["suspended"]) == (0, 6)
    assert all(broken[name] == {"value": None, "low": None, "high": None} for name in METRIC_NAMES)


def test_suspended_and_withheld_sessions_are_counted_apart_and_bounded(play: Callable[..., Run]) -> None:
    run = play({"fake/a": of_dialogue(ModelError("busy"), 2), "fake/b": of_dialogue(WithheldError("no"), 1, 4)})
    one, two = machine(run)["models"]
    assert (one["dialogues"], one["suspended"], one["withheld"]) == (5, 1, 0)
    assert (two["dialogues"], two["suspended"], two["withheld"]) == (4, 0, 2)
    for model in (one, two):
        assert model["bounds"]["failed"]["edr_len"] <= model["bounds"]["succeeded"]["edr_len"]
    text = printed(run)
    assert "fake/a 1" in text and "fake/b 2" in text and "would be between" in text


def test_the_heuristic_stands_apart_and_changes_no_figure(play: Callable[..., Run]) -> None:
    [plain_one] = machine(play({"fake/a": wobbly}))["models"]
    run = play({"fake/a": wobbly}, judge="lexical")
    [judged] = machine(run)["models"]
    assert plain_one["heuristic"] == {} and judged["heuristic"]
    for key in (*METRIC_NAMES, "groups", "not_judged_constraints", "dialogues"):
        assert judged[key] == plain_one[key]
    assert not {g for g, seen in judged["groups"].items() if seen["judged"]} & set(judged["heuristic"])
    assert "heuristic" in printed(run)


@pytest.mark.sampled
@pytest.mark.parametrize("models", [1, 3, 7])
def test_the_table_shows_every_figure_at_80_columns(play: Callable[..., Run], models: int) -> None:
    run = play({f"openai/a-rather-long-name-of-a-model-{n}": wobbly for n in range(models)})
    text = printed(run)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    for label in ("len", "acc", "succ", "lss", "REC", "ROB", "CSR", "ISR"):
        assert label in text
    [summary, *_] = summarise(run, resamples=200)
    rob, (low, high) = summary.metrics.value("rob") or 0, summary.intervals["rob"] or (1, 1)
    assert text.count(f"{100 * rob:.0f} [{100 * low:.0f}–{100 * high:.0f}]") >= models
    assert "not comparable" in text


def assert_harmless(text: str) -> None:
    assert not {c for c in text if c in "\x1b\x07\x9b\r\x08\u202e\u2066"}


def test_hostile_answers_reach_no_terminal_raw(play: Callable[..., Run]) -> None:
    run = play({"fake/a": lambda _: Reply(HOSTILE, reasoning=HOSTILE, truncated=True)})
    found = first_failure(run, "fake/a")
    assert found is not None
    out = io.StringIO()
    print_failure(*found, Console(file=out, width=100))
    assert_harmless(out.getvalue())
    assert "[red]markup[/red]" in out.getvalue() and r"\x1b[31mred" in out.getvalue()
    assert "cut at the token limit" in out.getvalue()
    assert_harmless(printed(run))


def test_hostile_names_are_text(play: Callable[..., Run], tmp_path: Path) -> None:
    header = tmp_path / "bench" / "benchmark.json"
    data = json.loads(header.read_text(encoding="utf-8"))
    data["spec"]["profile"]["name"] = HOSTILE
    header.write_text(json.dumps(data), encoding="utf-8")
    name = "fake/[/bold]x"
    run = play({name: wobbly})
    text = printed(run)
    assert_harmless(text)
    assert "[/bold]x" in text and "[red]markup[/red]" in text
    found = first_failure(run, name)
    assert found is not None
    out = io.StringIO()
    print_failure(*found, Console(file=out, width=80))
    assert "[/bold]x" in out.getvalue()


def test_a_perfect_model_has_no_failure_to_show(play: Callable[..., Run]) -> None:
    run = play({"fake/a": witness})
    assert first_failure(run, "fake/a") is None


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[0m", r"\x1b[0m"),
        ("a\u202eb", r"a\x202eb"),
        ("a\rb\x00", r"a\x0db\x00"),
        ("\x9b", r"\x9b"),
        ("\u2028", r"\x2028"),
        ("\ud800", r"\xd800"),
        ("é 😀 👩‍💻", "é 😀 👩‍💻"),
    ],
)
def test_plain_makes_the_unsafe_visible_and_leaves_the_rest(text: str, safe: str) -> None:
    assert plain(text) == safe


def test_clip_says_what_is_missing() -> None:
    assert clip("abc", 3) == "abc"
    assert clip("abcde", 3) == "abc … (2 more characters)"
