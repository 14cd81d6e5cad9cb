"""A plug-in of a whole scenario, `checklist/`: what it says of itself is enough for every command."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evolif import ModelError, evaluate, load_benchmark, load_run
from evolif.budget import load_prices, quotes_of
from evolif.budget.budget import Budget
from evolif.config import EvalConfig
from evolif.models import ChatRequest, Reply
from evolif.runner import plan
from evolif.types import Usage

HERE = Path(__file__).parent
MODULE = HERE / "checklist" / "evolif_checklist.py"
Run = Callable[..., Result]
OF_PATIENCE = re.compile(r"\bEDR|\bREC\b|\bROB\b|edr_|\brec\b|\brob\b|surviv|patience|hazard", re.IGNORECASE)


@pytest.fixture
def notes(run: Run) -> Path:
    """A benchmark of 12 dialogues."""
    run("generate", "notes", "--scenario", "checklist", "--dialogues", 12, "--seed", 1, "--set", "turns=5")
    return Path("notes")


@pytest.fixture
def plain(run: Run) -> Path:
    """The same without patience."""
    words = ("--dialogues", 12, "--seed", 1, "--set", "turns=5", "--set", "patience=0")
    run("generate", "plain", "--scenario", "checklist", *words)
    return Path("plain")


class Writer:
    """A model that shouts the first thing that it is asked for, and is away after some answers."""

    name, connections = "test/writer", 1

    def __init__(self, answers: int = 1000) -> None:
        self.left = answers
        self.asked: list[tuple[int, int]] = []

    async def complete(self, request: ChatRequest) -> Reply:
        assert request.prompt is not None
        if not self.left:
            raise ModelError("away")
        self.left -= 1
        self.asked.append((request.prompt.dialogue, request.prompt.turn))
        return Reply(request.prompt.query.partition("Mention ")[2].split()[0].upper(), usage=Usage(20, 5))

    async def aclose(self) -> None:
        pass


def answers(run: str | Path, model: str) -> list[tuple[object, ...]]:
    """All turns of a model, and how its sessions ended."""
    opened = load_run(run)
    found: list[tuple[object, ...]] = []
    for session, records in opened.transcripts(model):
        found += [(session.dialogue, record.turn, record.answer, record.judged) for record in records]
        found.append((session.dialogue, session.ending, session.cause))
    opened.close()
    return found


def visible(page: str) -> str:
    """What a reader of a page sees."""
    text = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))


def test_it_is_one_module_of_100_lines_and_one_entry_point() -> None:
    assert len(MODULE.read_text(encoding="utf-8").splitlines()) <= 100
    assert sorted(path.name for path in MODULE.parent.iterdir() if path.is_file()) == [MODULE.name, "pyproject.toml"]


def test_the_page_on_scenarios_shows_the_whole_package() -> None:
    page = (HERE.parents[1] / "docs" / "how-to" / "scenario.md").read_text(encoding="utf-8")
    for path in (MODULE, MODULE.with_name("pyproject.toml")):
        assert f' title="{path.name}"\n{path.read_text(encoding="utf-8")}```\n' in page


@pytest.mark.slow
def test_pip_installs_it(tmp_path: Path, python: Callable[..., subprocess.Popen[str]]) -> None:
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    words = ("install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", tmp_path / "site")
    process = python("-m", "pip", *words, MODULE.parent)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert [one.name for one in entry_points_in(tmp_path / "site")] == ["checklist"]


def entry_points_in(site: Path) -> list[EntryPoint]:
    """What the packages of a folder bring."""
    return [point for one in distributions(path=[str(site)]) for point in one.entry_points]


def test_the_least_scenario_has_five_parts(run: Run, figures: Any) -> None:
    run("generate", "least", "--scenario", "least", "--dialogues", 3, "--seed", 1)
    evaluate("least", Writer(), "run").close()
    [model] = figures("run")["models"]
    assert (model["csr"]["value"], model["dialogues"]) == (1, 3) and "rob" not in model


def test_it_is_listed_with_its_options(run: Run) -> None:
    assert "checklist     notes that have to mention weighted things" in run("scenarios").stdout
    shown = json.loads(run("scenarios", "checklist", "--json").stdout)
    assert [option["name"] for option in shown["generate"]] == ["turns", "patience"]
    assert [option["name"] for option in shown["evaluate"]] == ["exact"]


def test_the_same_seed_gives_the_same_bytes(run: Run, notes: Path) -> None:
    words = ("--scenario", "checklist", "--dialogues", 12, "--set", "turns=5")
    run("generate", "again", *words, "--seed", 1)
    run("generate", "other", *words, "--seed", 2)
    folders = (notes, Path("again"), Path("other"))
    first, again, other = ({path.name: path.read_bytes() for path in out.rglob("*.json*")} for out in folders)
    assert first == again and len(first) == 13 and first != other


def test_a_report_shows_its_metric_first_then_what_verdicts_give(run: Run, notes: Path, figures: Any) -> None:
    first = run("evaluate", notes, "-m", "sim/hasty", "-m", "sim/careful", "--out", "run")
    assert first.stdout.index("Weighted share %") < first.stdout.index("EDR len") < first.stdout.index("CSR %")
    hasty, careful = figures("run")["models"]
    assert careful["share"]["value"] == careful["csr"]["value"] == careful["rob"]["value"] == 1
    assert 0.6 < hasty["share"]["low"] < hasty["share"]["value"] < hasty["share"]["high"] < 0.95
    assert hasty["edr_len"]["value"] < 5 == careful["edr_len"]["value"]
    assert {row[2] for row in answers("run", "sim/hasty") if len(row) == 3} == {"patience", "end"}
    assert {part["key"] for part in hasty["by"]["difficulty"]} == {"easy", "hard"}
    assert {"fog", "tar"} < set(hasty["groups"])
    full = run("report", "run", "--full", "--resamples", 50).stdout
    assert "By difficulty" in full and "A perfect responder would satisfy every rule-checked item" in full
    assert "constraint" not in full and "EvolIF" not in full


@pytest.mark.slow
def test_without_patience_nothing_speaks_of_it(run: Run, plain: Path) -> None:
    shown = run("evaluate", plain, "-m", "sim/hasty", "-m", "sim/careful", "--out", "run").stdout
    written = ("--json", "run.json", "--html", "run.html", "--latex", "run.tex", "--figures", "figures")
    full = run("report", "run", "--full", "--resamples", 50, *written).stdout
    page = visible(Path("run.html").read_text(encoding="utf-8")).replace("Patience off", "")
    told = json.loads(Path("run.json").read_text(encoding="utf-8"))
    for row in told["runs"]:
        del row["settings"]["patience"]
    latex = Path("run.tex").read_text(encoding="utf-8")
    short = run("report", "run", "--resamples", 50).stdout
    for text in (shown, short, full, page, json.dumps(told), latex, run("status", "run").stdout):
        # The benchmark's own option is called so; the printed command gives it.
        assert "share" in text.lower() and OF_PATIENCE.findall(text.replace("--set patience=0", "")) == []
    assert {path.stem for path in Path("figures").glob("*.svg")} >= {"headline", "groups"}
    assert not {"survival", "hazard", "patience"} & {path.stem for path in Path("figures").glob("*.svg")}
    assert {ending for *_, ending in answers("run", "sim/hasty") if isinstance(ending, str)} == {"end"}


@pytest.mark.slow
def test_the_page_shows_labels_verdicts_and_scores_of_each_turn(run: Run, notes: Path) -> None:
    run("evaluate", notes, "-m", "sim/hasty", "--out", "run")
    run("report", "run", "--html", "run.html", "--resamples", 50)
    page = visible(Path("run.html").read_text(encoding="utf-8"))
    assert "difficulty hard" in page and "nets failed: “nets” found missing" in page and "share 0.7" in page
    assert "You write short notes" not in page


def test_a_model_object_is_asked_resumed_and_only_missing_answers_are_asked(notes: Path) -> None:
    whole = Writer()
    evaluate(notes, whole, "whole").close()
    first, second, none = Writer(8), Writer(), Writer(0)
    stopped = evaluate(notes, first, "run")
    assert stopped.suspended() == 8 and len(first.asked) == 8  # four sessions were over after two answers
    stopped.close()
    evaluate(notes, second, "run").close()
    assert sorted(first.asked + second.asked) == sorted(whole.asked)
    evaluate(notes, none, "run").close()
    assert answers("run", "test/writer") == answers("whole", "test/writer")
    assert {row[1:] for row in answers("run", "test/writer") if len(row) == 3} == {("finished", "patience")}


def test_options_of_evaluate_reach_the_scenario_and_belong_to_the_run(run: Run, plain: Path, refused: Any) -> None:
    evaluate(plain, Writer(), "free").close()
    evaluate(plain, Writer(), "exact", options={"exact": True}).close()
    shares = [sum(row[3].judged) for row in answers("exact", "test/writer") if len(row) == 4]
    assert sum(shares) == 0
    assert "exact" in run("report", "exact", "--resamples", 50).stdout.partition("┏")[0]
    assert "options" in refused("compare", "free", "exact")
    shown = run("compare", "free", "exact", "--across", "options", "--resamples", 50).stdout
    assert "Weighted share %" in shown
    assert "--set exact=" in run("report", "exact", "--full", "--resamples", 50).stdout


def test_two_models_and_two_contexts_are_compared(run: Run, plain: Path, refused: Any) -> None:
    run("evaluate", plain, "-m", "sim/hasty", "-m", "sim/careful", "--out", "run")
    run("evaluate", plain, "-m", "sim/hasty", "--out", "full")
    run("evaluate", plain, "-m", "sim/hasty", "--out", "last", "--context", "last:1")
    models = run("compare", "run", "--resamples", 50).stdout
    assert re.search(r"Weighted share % │ +8\d │ +100 │", models)
    assert "--across context" in refused("compare", "full", "last")
    assert "Effect of the context" in run("compare", "full", "last", "--across", "context", "--resamples", 50).stdout


@pytest.mark.sampled
@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_exports_have_its_columns_and_no_answer_key(run: Run, notes: Path, format: str) -> None:
    run("evaluate", notes, "-m", "sim/careful", "-m", "sim/hasty", "--out", "run")

    def rows(path: str, *words: str) -> list[dict[str, Any]]:
        out = f"{path}{len(words)}.{format}"
        run("export", path, out, *words)
        if format == "jsonl":
            return [json.loads(line) for line in Path(out).read_text(encoding="utf-8").splitlines()]
        pq = pytest.importorskip("pyarrow.parquet")
        read: list[dict[str, Any]] = pq.read_table(out).to_pylist()
        return read

    turns = rows("run")
    assert {row["difficulty"] for row in turns} == {"easy", "hard"} and turns[0]["query"].startswith("Write a note.")
    assert all(row["answer"] is None or row["answer"] == "" for row in turns if row["withheld"])
    assert {row["model"] for row in turns if row["withheld"]} >= {"sim/careful"}
    assert "share" in json.dumps(turns[0]["scores"])
    assert any(row["answer"] == "Here are tar and nets and lamps." for row in rows("run", "--with-witness"))
    lines = rows("notes")
    assert len(lines) == 60 and "key" not in lines[0] and "weights" in lines[0]
    assert "key" in rows("notes", "--with-witness")[0]


def test_money_is_foreseen_and_kept_to(run: Run, plain: Path) -> None:
    foreseen = run("evaluate", plain, "-m", "openai/gpt-4.1", "--dry-run").stdout
    assert "target openai/gpt-4.1: 60 calls" in foreseen and "sessions of 5 turns" in foreseen
    assert "arXiv" not in foreseen and "no word" not in foreseen

    def play(tokens: int) -> tuple[int, int, set[str]]:
        writer = Writer()
        settings = plan(load_benchmark(plain), EvalConfig(models=(writer,)))
        budget = Budget(quotes_of(settings, load_prices()), tokens=tokens)
        with closing(evaluate(plain, writer, "run", max_tokens=5, gate=budget)) as done:
            spent = sum(one.usage.tokens for one in done.costs())
            return len(writer.asked), spent, {cause for _, _, cause in done.store.endings()}

    asked, spent, causes = play(800)
    assert 0 < asked < 60 and spent <= 1000 and "budget" in causes
    rest, spent, causes = play(100_000)
    assert (asked + rest, spent, causes) == (60, 60 * 25, {"end"})


def test_a_stop_rule_reads_its_metric_and_status_shows_it(run: Run, plain: Path, refused: Any) -> None:
    words = ("--dialogues", 32, "--seed", 1, "--set", "turns=5", "--set", "patience=0")
    run("generate", "many", "--scenario", "checklist", *words)
    done = run(
        "evaluate", "many", "-m", "sim/hasty", "--out", "run", "--stop-when", "share=0.2", "--max-connections", 1
    )
    assert "the first 30 dialogues showed that 30 of 32 are enough" in done.stdout
    assert "Weighted share so far" in run("status", "run").stdout
    assert "metrics: share, csr, isr" in refused("evaluate", plain, "-m", "sim/hasty", "--stop-when", "rob=0.1")


def test_a_fork_keeps_what_fits_and_no_judge_is_a_judge(run: Run, notes: Path) -> None:
    run("evaluate", notes, "-m", "sim/hasty", "--out", "run")
    forked = run("evaluate", notes, "-m", "sim/hasty", "--out", "run", "--fork", "short", "--max-turns", 2)
    assert "short starts with 24 turns of 12 sessions of run" in forked.stderr
    assert {len(row) for row in answers("short", "sim/hasty")} == {3, 4}
    run("rejudge", "run", "--judge", "none", "--out", "again")
    assert answers("again", "sim/hasty") == answers("run", "sim/hasty")


def test_it_is_edited_in_place_only_where_no_run_used_it(run: Run, notes: Path, refused: Any) -> None:
    run("evaluate", notes, "-m", "sim/hasty", "--out", "run")
    shutil.copytree(notes, "kept")
    path = notes / "dialogues" / "0003.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("fog", "mist"), encoding="utf-8")
    assert "was edited after run used it: turn" in refused("evaluate", notes, "-m", "sim/hasty", "--out", "run")
    shutil.rmtree(notes)
    shutil.copytree("kept", notes)
    run("evaluate", notes, "-m", "sim/hasty", "--out", "run")


def test_the_report_says_how_the_benchmark_was_made(run: Run, notes: Path) -> None:
    run("evaluate", notes, "-m", "sim/hasty", "--out", "run")
    shown = run("report", "run", "--full", "--bench", notes, "--resamples", 50).stdout
    assert "evolif generate BENCH --scenario checklist --dialogues 12 --seed 1 --set turns=5\n" in shown
