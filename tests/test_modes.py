"""The pages of the modes: their examples pass and fail as they say, and there is one for every mode."""

import json
import re
from pathlib import Path

import pytest

from evolif.scenarios.instructions.constraints import (
    EVERYDAY_GROUPS,
    EXTENDED_GROUPS,
    check,
    get_group,
    parse_constraints,
)

FOLDER = Path(__file__).parent.parent / "docs" / "modes"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
TOLD_TOGETHER = frozenset({"choice", "part_length"})
"""Groups with pages that tell several modes."""
PASS, FAIL = "## Answers that pass", "## Answers that fail"


def read(page):
    """The constraints of a page, the answers that pass, and those that fail."""
    text = page.read_text(encoding="utf-8")
    constraints = json.loads(re.search(r"```json\n(.*?)\n```", text, re.DOTALL).group(1))
    passing, failing = text.split(PASS)[1].split(FAIL)
    answers = [re.findall(r"````text\n(.*?)\n````", part, re.DOTALL) for part in (passing, failing)]
    return constraints, *answers


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_pass_and_fail_as_the_page_says(page):
    constraints, passing, failing = read(page)
    assert len(passing) >= 2 and len(failing) >= 2
    for answer in passing:
        assert [v for v in check(constraints, answer) if not v.satisfied] == []
    for answer in failing:
        assert [v for v in check(constraints, answer) if v.satisfied] == []


def test_every_mode_has_a_page_and_the_list_has_them_all():
    described = {
        (c.group, get_group(c.group).key(c.params)) for page in PAGES for c in parse_constraints(read(page)[0])
    }
    named = [name for name in (*EXTENDED_GROUPS, *EVERYDAY_GROUPS) if name not in TOLD_TOGETHER]
    modes = {(name, key) for name in named for key in get_group(name).data["describe"]}
    modes |= {("format", "json_keys"), ("format", "table"), ("bullets", "numbered"), ("length", "words.between")}
    assert modes <= described
    listed = re.findall(r"\]\((.+?)\)", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == [page.name for page in PAGES]
