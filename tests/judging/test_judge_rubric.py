"""Every subjective value has a scale of its own, and any change of one shows in the version."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evolif import InputError
from evolif.judging import Criterion, load_rubric
from evolif.judging.rubric import BANDS, read_rubric
from evolif.scenarios.instructions.constraints import GROUPS, get_group
from evolif.util.resources import data_path

VALUES = [(g, v) for g in GROUPS if get_group(g).subjective for v in get_group(g).data["describe"]]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A copy of the two data files, for `read_rubric`."""
    for name in ("judge.yaml", "judge-rubrics.yaml"):
        shutil.copy(data_path("seeds", "prompts", name), tmp_path / name)
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(("group", "value"), VALUES)
def test_every_value_has_a_question_and_five_distinct_descriptions(group: str, value: str) -> None:
    rubric = load_rubric()
    scale = rubric.scales[group][value]
    assert set(scale.scale) == set(BANDS) and len(set(scale.scale.values())) == 5
    question, lines = rubric.scale(Criterion(group, {group: value}, "not shown"))
    assert question == scale.question and "{" not in question
    assert [line.partition(":")[0] for line in lines.split("\n")] == list(BANDS)


def test_no_two_values_share_a_scale_and_none_is_left_over() -> None:
    rubric = load_rubric()
    said = [scale.question for values in rubric.scales.values() for scale in values.values()]
    assert len(set(said)) == len(said)
    assert {(g, v) for g, values in rubric.scales.items() for v in values} == set(VALUES)


def test_a_group_without_a_scale_of_its_own_is_asked_by_its_description() -> None:
    question, lines = load_rubric().scale(Criterion("bullets", {"count": 5}, "It has five bullets."))
    assert "It has five bullets." in question and "{description}" not in question and lines.startswith("1-2: ")


def test_the_version_stands_still_and_changes_with_any_word_but_not_with_comments(files: Path) -> None:
    before = read_rubric(files).version
    assert before == load_rubric().version
    edit(files / "judge-rubrics.yaml", "# The scales", "# These are the scales")
    assert read_rubric(files).version == before
    edit(files / "judge-rubrics.yaml", "every part of it is glad", "each part of it is glad")
    after = read_rubric(files).version
    assert after != before
    edit(files / "judge.yaml", "You grade one quality", "You rate one quality")
    assert read_rubric(files).version not in (before, after)


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("judge-rubrics.yaml", "    9-10:", "    8-10:", "1-2, 3-4"),
        ("judge-rubrics.yaml", "general:", "generic:", "question"),
        ("judge-rubrics.yaml", "  question:", "  ask:", "question"),
        ("judge.yaml", "max_tokens: 2048", "max_tokens: many", "max_tokens"),
        ("judge.yaml", "again: |", "twice: |", "again"),
    ],
)
def test_a_broken_data_file_is_named(files: Path, name: str, old: str, new: str, said: str) -> None:
    edit(files / name, old, new)
    with pytest.raises(InputError, match=name) as caught:
        read_rubric(files)
    assert said in str(caught.value)
