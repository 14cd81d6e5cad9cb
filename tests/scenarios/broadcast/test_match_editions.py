"""Editions of the simulator: new sets have the latest, stored ones that do not name any keep their bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evolif import UsageError, generate, load_benchmark
from evolif.benchmark import HEADER
from evolif.scenario import get_scenario
from evolif.scenarios.broadcast import dialogue, simulate
from evolif.scenarios.broadcast.options import BroadcastOptions


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*.json*") if path.is_file()}


def made(folder: Path, dialogues: int = 2, **options: object) -> Path:
    generate(folder, dialogues=dialogues, seed=7, scenario="broadcast", options=options)
    return folder


def test_new_sets_store_the_latest_edition(tmp_path: Path) -> None:
    made(tmp_path / "b", 1)
    assert json.loads((tmp_path / "b" / HEADER).read_text(encoding="utf-8"))["spec"]["match_edition"] == 2
    assert load_benchmark(tmp_path / "b").spec == BroadcastOptions()


def test_sets_of_the_first_edition_do_not_name_it(tmp_path: Path) -> None:
    made(tmp_path / "b", 1, match_edition=1)
    header = json.loads((tmp_path / "b" / HEADER).read_text(encoding="utf-8"))
    assert "match_edition" not in header["spec"]
    assert load_benchmark(tmp_path / "b").spec.match_edition == 1
    first, *_ = (tmp_path / "b" / "dialogues" / "0001.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(first)["settings"] == {}


def test_a_stored_set_is_completed_and_extended_in_its_edition(tmp_path: Path) -> None:
    old = made(tmp_path / "old", 2, match_edition=1)
    before = files(old)
    (old / "dialogues" / "0002.jsonl").unlink()
    assert files(made(old, 2)) == before
    whole = made(tmp_path / "whole", 3, match_edition=1)
    assert files(made(old, 3)) == files(whole)


def test_a_half_made_set_is_completed_in_its_edition(tmp_path: Path) -> None:
    old = made(tmp_path / "old", 2, match_edition=1)
    before = files(old)
    (old / HEADER).rename(old / f"{HEADER}.part")
    (old / "dialogues" / "0002.jsonl").unlink()
    assert files(made(old, 2)) == before


def test_another_edition_is_another_set(tmp_path: Path) -> None:
    old, new = made(tmp_path / "old", 1, match_edition=1), made(tmp_path / "new", 1)
    assert load_benchmark(old).identity != load_benchmark(new).identity
    assert (old / "dialogues" / "0001.jsonl").read_bytes() != (new / "dialogues" / "0001.jsonl").read_bytes()
    with pytest.raises(UsageError, match="already contains another benchmark"):
        made(old, 1, match_edition=2)


def test_the_command_that_makes_a_set_again_names_an_old_edition(tmp_path: Path) -> None:
    presentation = get_scenario("broadcast").presentation
    old = load_benchmark(made(tmp_path / "old", 1, match_edition=1))
    new = load_benchmark(made(tmp_path / "new", 1))
    words = {bench: " ".join(presentation.command(bench, bench.variant, [1])[0]) for bench in (old, new)}
    assert "--set match_edition=1" in words[old] and "match_edition" not in words[new]


@pytest.mark.parametrize("edition", [0, 3, "2", None])
def test_there_are_two_editions(edition: object) -> None:
    with pytest.raises(UsageError, match="match_edition"):
        simulate("hockey", 0, seed=1, match_edition=edition)
    with pytest.raises(UsageError, match="match_edition"):
        dialogue("CR", "hockey", 0, seed=1, match_edition=edition)


def test_editions_share_teams_and_rosters() -> None:
    for sport in ("basketball", "hockey"):
        first, second = (simulate(sport, 4, seed=7, match_edition=edition) for edition in (1, 2))
        assert first["roster"] == second["roster"] and first["events"] != second["events"]


def test_dialogues_name_their_edition_where_it_is_not_the_first() -> None:
    first, second = (dialogue("CR", "hockey", 0, seed=1, match_edition=edition) for edition in (1, 2))
    assert "match_edition" not in first["settings"] and second["settings"]["match_edition"] == 2
    assert first["turns"] != second["turns"] and dialogue("CR", "hockey", 0, seed=1) == second
