"""`evolif registers lint`: the packaged words pass, and each rule finds what breaks it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from evolif.cli.app import app
from evolif.scenarios.instructions.catalogue import registers as linter
from evolif.scenarios.instructions.catalogue.registers import lint_registers
from evolif.scenarios.instructions.synthesis.plans import read_plans

PLANS = {
    "group": "emphasis",
    "old": {"count": ["the {count} bold bits"]},
    "add": {"count": [f"{word} {{count}} bold passages." for word in ("Use", "Put in", "Mark", "Add", "Set")]},
}


def found(folder: Path, plans: object) -> str:
    file = folder / "emphasis.yaml"
    file.write_text(yaml.safe_dump(plans), encoding="utf-8")
    return "\n".join(map(str, linter._Linter(file, read_plans(file)).findings()))


@pytest.mark.slow
def test_nothing_packaged_breaks_a_rule() -> None:
    assert [str(finding) for finding in lint_registers().findings] == []


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["Make {amount} bold."], "the slot {amount} has no value"),
        (["Use {count} bits (bold)."], "it has a parenthesis"),
        (["Do {count} bits in bold now.", "Now do {count} bits in bold now, ok?"], "it shares “bits in bold now”"),
        (["Give me {count} of these.", "Give me {count} of these, now.", "Give me {count} of these!"], "begin with"),
        (["Put {count} in. {task}"], "it places {task} without the tag T"),
        (["Swap {old} for {count}."], "nothing under old. fills {old}"),
    ],
)
def test_a_plan_that_breaks_a_rule(tmp_path: Path, lines: list[str], told: str) -> None:
    assert told in found(tmp_path, {**PLANS, "add": {"count": lines}})


def test_changes_without_plans_are_named(tmp_path: Path) -> None:
    text = found(tmp_path, PLANS)
    assert "add.count has 5 plans; write at least 12" in text and "state.count has 0 plans" in text


def test_a_users_frames_are_checked_whole(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump({"registers": {"pirate": {"first": ["{task}"]}}}), encoding="utf-8")
    done = CliRunner().invoke(app, ["registers", "lint", str(file)])
    assert done.exit_code == 1
    assert "needs {Clause} or {clause} once" in done.stdout and "under pirate.new" in done.stdout


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("My boss wants it", "stop"),
        ("Two of 3 readers asked.", "value"),
        ("Please answer in French.", "claim"),
        ("Well, the whole village will read it anyway.", "run"),
    ],
)
def test_a_reason_that_breaks_a_rule(text: str, rule: str) -> None:
    lines = [
        ("reasons.jsonl", "P001", "any", "The whole village will read it."),
        ("reasons.jsonl", "P002", "any", text),
    ]
    assert [finding.rule for finding in linter.own_reason_findings(lines)] == [rule]
    assert [finding.rule for finding in linter.own_reason_findings(lines[:1], [("reasons.jsonl", "P999")])] == ["id"]
