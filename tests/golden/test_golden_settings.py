"""Which settings a run keeps and under which hash, and which identity a benchmark gets: what resuming depends on."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import evolif

NOWHERE = "http://127.0.0.1:9/v1"
"""Nobody listens there: a run begins, keeps its settings and is left suspended."""

SIM = ("-m", "sim/perfect")
OPENAI = ("-m", "openai/m", "--max-retries", 0)
ELSEWHERE = ("--judge", f"openai/a?base_url={NOWHERE}", "--max-retries", 0)

RUNS = {
    "default": SIM,
    "lexical": (*SIM, "--judge", "lexical"),
    "judge": (*SIM, *ELSEWHERE),
    "panel": (*SIM, *ELSEWHERE, "--judge", f"openai/b?base_url={NOWHERE}", "--judge-rule", "median"),
    "patience": (*SIM, "--patience", 1),
    "max-turns": (*SIM, "--max-turns", 3),
    "limit": (*SIM, "--limit", 2),
    "epochs": (*SIM, "--epochs", 2),
    "models": (*SIM, "-m", "sim/steady"),
    "temperature": (*SIM, "--temperature", 0.5),
    "temperature-0": (*SIM, "--temperature", 0),
    "max-tokens": (*SIM, "--max-tokens", 64),
    "seed": (*SIM, "--seed", 5),
    "no-system-prompt": (*SIM, "--no-system-prompt"),
    "synthesizer": (*SIM, "--synthesizer", "template"),
    "connections": (*SIM, "--max-connections", 1, "--timeout", 3),
    "base-url": (*OPENAI, "--base-url", NOWHERE),
    "base-url-in-name": ("-m", f"openai/m?base_url={NOWHERE}&key_env=OTHER_KEY", "--max-retries", 0),
    "everything": (*SIM, "--judge", "lexical", "--patience", 2, "--epochs", 2, "--temperature", 1.25, "--seed", 9),
}

KEYS = {"OPENAI_API_KEY": "none", "OTHER_KEY": "none"}

WORDER = f"openai/m?base_url={NOWHERE}"
CHECKED = ("--synthesizer", "openai/m", "--checker", "openai/c")
PAPER = ("--profile", "paper")
BENCHES = {
    "default": (),
    "paper": PAPER,
    "objective": ("--profile", "objective"),
    "extended": ("--profile", "extended"),
    "seed": (*PAPER, "--seed", 4),
    "more": (*PAPER, "--dialogues", 2),
    "longer": (*PAPER, "--turns", 3),
    "weighted": (*PAPER, "--synthesizer", "template=2"),
    "chat": (*PAPER, "--synthesizer", WORDER, "--max-retries", 0),
    "mixed": (
        *PAPER,
        "--synthesizer",
        "template=3",
        "--synthesizer",
        f"openai/m?base_url={NOWHERE}",
        "--max-retries",
        0,
    ),
    "checker": (
        *PAPER,
        "--synthesizer",
        "openai/m",
        "--checker",
        "openai/c",
        "--base-url",
        NOWHERE,
        "--max-retries",
        0,
    ),
    "topics": (*PAPER, "--topics", "own/topics.jsonl"),
    "personas": (*PAPER, "--personas", "own/personas.jsonl"),
}


def kept(run: Path) -> dict[str, Any]:
    """What the store says of the run as a whole, as it lies in the file; the hash holds its very bytes.

    Without the date, which is of today.
    """
    with closing(sqlite3.connect(run / "run.sqlite")) as connection:
        told = dict(connection.execute("SELECT key, value FROM run ORDER BY key"))
    told.pop("played", None)
    return {**told, "settings": json.loads(told["settings"])}


def test_settings_of_runs(cli: Any, golden: Any) -> None:
    cli("generate", "bench", "--dialogues", 2, "--turns", 3, "--seed", 7, "--profile", "objective")
    found = {}
    for name, words in RUNS.items():
        more = () if "--max-turns" in words else ("--max-turns", 2)
        more += () if "--limit" in words else ("--limit", 1)
        out = f"run-{name}"
        told = cli("evaluate", "bench", *words, *more, "-o", out, "--display", "none", code=None, **KEYS)
        found[name] = {"code": told.code, **kept(cli.folder / out)}
    golden.json("settings.json", found)


def test_variables_and_files_say_what_flags_say(cli: Any, golden: Any) -> None:
    cli("generate", "bench", "--dialogues", 1, "--turns", 3, "--seed", 7, "--profile", "objective")
    (cli.folder / "c.yaml").write_text(
        "patience: 2\nmax-turns: 2\nmodel: [sim/perfect, sim/steady]\n", encoding="utf-8"
    )
    (cli.folder / "c.toml").write_text('patience = 2\nmax-turns = 2\njudge = "lexical"\n', encoding="utf-8")
    start = ("evaluate", "bench", "--display", "none", "-o")
    cli(*start, "yaml", "--config", "c.yaml")
    cli(*start, "toml", "--config", "c.toml", "--patience", 1, *SIM)
    cli(*start, "variables", EVOLIF_PATIENCE="2", EVOLIF_MAX_TURNS="2", EVOLIF_MODEL="sim/perfect")
    golden.json("settings-told.json", {name: kept(cli.folder / name) for name in ("yaml", "toml", "variables")})


def test_a_run_that_grew_and_one_that_was_forked(cli: Any, golden: Any) -> None:
    cli("generate", "bench", "--dialogues", 3, "--turns", 3, "--seed", 7, "--profile", "objective")
    start = ("evaluate", "bench", "-m", "sim/perfect", "-o", "run", "--display", "plain")
    found = {}
    steps: dict[str, tuple[object, ...]] = {
        "begun": ("--max-turns", 2, "--limit", 1),
        "same": ("--max-turns", 2, "--limit", 1),
        "grown": ("--max-turns", 2, "--limit", 3, "--epochs", 2, "-m", "sim/steady"),
        "other": ("--max-turns", 3),
        "forked": ("--max-turns", 3, "--fork", "forked"),
    }
    for name, words in steps.items():
        told = cli(*start, *words, code=None)
        run = "forked" if name == "forked" else "run"
        lines = sorted(told.err.splitlines())
        found[name] = {"code": told.code, "told": lines, **kept(cli.folder / run)}
    golden.json("settings-grown.json", found)


def test_identities_of_benchmarks(cli: Any, benches: Any, golden: Any) -> None:
    """The header is kept even where no chat model could be asked; its settings apart from the profile are shown."""
    own = cli.folder / "own"
    own.mkdir()
    for name, lines in (("topics", 40), ("personas", 6)):
        text = (benches("paper", 7) / f"{name}.jsonl").read_text("utf-8")
        (own / f"{name}.jsonl").write_text("".join(text.splitlines(keepends=True)[:lines]), "utf-8")
    found = {}
    for name, words in BENCHES.items():
        shape = {"--dialogues": 1, "--turns": 2, "--seed": 7}
        fixed = [part for pair in shape.items() if pair[0] not in words for part in pair]
        told = cli("generate", f"b-{name}", *fixed, *words, "--display", "none", code=None, **KEYS)
        header = json.loads((cli.folder / f"b-{name}" / "benchmark.json").read_text("utf-8"))
        spec = {key: value for key, value in header["spec"].items() if key != "profile"}
        identity = evolif.load_benchmark(cli.folder / f"b-{name}").identity
        found[name] = {"code": told.code, "identity": identity, "profile": header["spec"]["profile"]["name"], **spec}
    golden.json("identities.json", found)
