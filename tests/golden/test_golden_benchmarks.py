"""The same seed gives the same bytes: benchmarks, their extension, their exports and what an audit says of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from golden_tools import digest, digests, exported, normalised

import evolif

SPECS = [(profile, seed) for profile in ("paper", "objective", "extended") for seed in (7, 11)]


def test_bytes_of_benchmarks(benches: Any, golden: Any) -> None:
    made = {f"{profile}-{seed}": digests(benches(profile, seed)) for profile, seed in SPECS}
    golden.json("benchmarks.json", made)


PROFILES = Path(__file__).parent / "profiles"


@pytest.mark.parametrize("profile", ["everyday", "objective", "extended"])
def test_bytes_of_benchmarks_before_edition_4(profile: str, cli: Any, golden: Any) -> None:
    """Profiles as they were then: their sets keep their bytes, and so can be extended."""
    shape = ("--dialogues", 3, "--turns", 8, "--seed", 7, "--profile", PROFILES / f"{profile}.yaml")
    cli("generate", "b", *shape, "--display", "none")
    cli("extend", "b", "--turns", 11, "--display", "none")
    golden.json(f"before-edition-4-{profile}.json", digests(cli.folder / "b"))


def test_an_extension_appends_the_same_turns(cli: Any, benches: Any, golden: Any) -> None:
    found = {}
    for profile, seed in SPECS[::2]:
        name = f"{profile}-{seed}"
        shutil.copytree(benches(profile, seed), cli.folder / name)
        told = cli("extend", name, "--turns", 11, "--display", "plain")
        found[name] = {"told": told.out + told.err, **digests(cli.folder / name)}
    golden.json("extended.json", found)


def test_one_benchmark_line_to_read(benches: Any, golden: Any) -> None:
    """A diff of digests says only that something changed; these lines say what."""
    lines = {}
    for profile, seed in SPECS[::2]:
        text = (benches(profile, seed) / "dialogues" / "0002.jsonl").read_text("utf-8")
        lines[f"{profile}-{seed}"] = [json.loads(line) for line in text.splitlines()[3:5]]
    golden.json("benchmark-lines.json", lines)


def test_the_api_makes_the_same_benchmark(tmp_path: Path, benches: Any) -> None:
    bench = evolif.generate(tmp_path / "b", dialogues=3, turns=8, seed=7, profile="objective")
    assert digests(tmp_path / "b") == digests(benches("objective", 7))
    again = evolif.load_benchmark(tmp_path / "b")
    assert again.identity == bench.identity and again.turn(1, 1) == bench.turn(1, 1)


@pytest.mark.parametrize(
    ("layout", "more"),
    [
        ("jsonl", ()),
        ("jsonl", ("--with-witness", "--license", "cc0-1.0")),
        ("parquet", ()),
        ("datasets", ()),
        ("evolif-states", ()),
        ("evolif-dialogs", ()),
    ],
    ids=lambda part: "-".join(part).replace("--", "") or "plain" if isinstance(part, tuple) else part,
)
def test_exports_of_a_benchmark(layout: str, more: tuple[str, ...], cli: Any, benches: Any, golden: Any) -> None:
    shutil.copytree(benches("paper", 7), cli.folder / "b")
    out = {"jsonl": "out.jsonl", "parquet": "out.parquet"}.get(layout, "out")
    told = cli("export", "b", out, "--format", layout, *more)
    as_json = cli("export", "b", f"json-{out}", "--format", layout, "--json", *more)
    held = {"told": (told.out + told.err).splitlines(), "json": as_json.json, "files": exported(cli.folder / out)}
    if layout == "jsonl":
        cli("import", out, "back")
        held["back"] = exported(cli.folder / "back")
    golden.json(f"export-benchmark-{layout}{'-witness' if more else ''}.json", held)


def test_the_card_of_an_export(cli: Any, benches: Any, golden: Any) -> None:
    shutil.copytree(benches("paper", 7), cli.folder / "b")
    cli("export", "b", "out", "--format", "datasets")
    golden.text("card-benchmark.md", normalised((cli.folder / "out" / "README.md").read_text("utf-8")))


def test_audits(cli: Any, benches: Any, golden: Any) -> None:
    shutil.copytree(benches("extended", 11), cli.folder / "b")
    told = cli("audit", "b", "--display", "none", code=None)
    as_json = cli("audit", "b", "--json", "--display", "none", code=None)
    turns = as_json.json.pop("turns")
    by_status: dict[str, int] = {}
    for turn in turns:
        by_status[turn["status"]] = by_status.get(turn["status"], 0) + 1
    rest = {key: value for key, value in as_json.json.items() if key != "turns"}
    held = {"code": told.code, "told": told.out.splitlines(), "status": by_status, "json": digest(as_json.out)}
    golden.json("audit.json", held | {"first": turns[0], "rest": rest})


def test_audit_of_what_nobody_can_satisfy(cli: Any, golden: Any) -> None:
    entries = [{"id": "forbidden", "args": ["tea"]}, {"id": "existence", "args": {"tea": 2}}]
    line = {"turn": 1, "active_topic": 3, "user_query": "No tea, and tea twice.", "instructions": entries}
    (cli.folder / "dialog_1.jsonl").write_text(json.dumps(line), encoding="utf-8")
    told = cli("audit", "dialog_1.jsonl", "--display", "none", code=1)
    as_json = cli("audit", "dialog_1.jsonl", "--json", "--display", "none", code=1)
    imported = cli("import", "dialog_1.jsonl", "b", "--json", "--display", "none")
    text = f"{told.out}\n{as_json.out}\n{imported.out}\n{cli('import', 'dialog_1.jsonl', 'c', '--display', 'none').out}"
    golden.text("audit-impossible.txt", text)


def test_contamination(cli: Any, benches: Any, golden: Any) -> None:
    shutil.copytree(benches("paper", 7), cli.folder / "b")
    query = json.loads((cli.folder / "b/dialogues/0001.jsonl").read_text("utf-8").splitlines()[0])["query"]
    (cli.folder / "clean.txt").write_text("Nothing of it stands here.\n", encoding="utf-8")
    (cli.folder / "corpus.txt").write_text(f"First line.\n{query}\nLast line.\n", encoding="utf-8")
    quiet = ("-b", "b", "--display", "none")
    clean = cli("contamination", "clean.txt", *quiet)
    found = cli("contamination", "corpus.txt", *quiet, code=1)
    as_json = cli("contamination", "corpus.txt", *quiet, "--json", code=1)
    golden.text("contamination.txt", f"{clean.out}\n{found.out}\n{as_json.out}")


def test_lint_of_topics_and_personas(cli: Any, benches: Any, golden: Any) -> None:
    parts = []
    for verb in ("topics", "personas"):
        lines = (benches("paper", 7) / f"{verb}.jsonl").read_text("utf-8").splitlines(keepends=True)
        (cli.folder / f"{verb}.jsonl").write_text("".join([*lines[:30], lines[3]]), "utf-8")
        parts += [
            cli(verb, "lint", f"{verb}.jsonl", code=None),
            cli(verb, "lint", f"{verb}.jsonl", "--json", code=None),
        ]
    golden.text("lint.txt", "\n".join(f"exit code {part.code}\n{part.out}{part.err}" for part in parts))


def test_the_queue_of_a_review(cli: Any, benches: Any, golden: Any) -> None:
    shutil.copytree(benches("extended", 7), cli.folder / "b")
    listed = cli("review", "b", "--list", "--display", "none")
    counted = cli("review", "b", "--stats", "--display", "none")
    as_json = cli("review", "b", "--list", "--json", "--display", "none")
    golden.text("review.txt", f"{listed.out}\n{counted.out}\n{as_json.out}")
