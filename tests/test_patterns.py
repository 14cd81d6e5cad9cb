"""No regular expression of the package takes more than linear time, whatever an answer or a file says.

The patterns are found by walking the modules, and pumped with pieces of their own alphabets.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from pumped_patterns import SIZE, Found, fault, patterns, pumps

import evolif

ANCHORED = frozenset(
    """
    cli.mistakes._EXTRA models.endpoint._ALIASED models.openai._THINK models.parameters._CREDENTIAL
    scenarios.broadcast.clock._CLOCK scenarios.broadcast.clock._SECONDS scenarios.broadcast.fact_lines._KEY_LINE
    scenarios.broadcast.reading_changes._COUNTED scenarios.broadcast.reading_impact._REST
    scenarios.instructions.catalogue.personas._OPTION scenarios.instructions.constraints.labels._ASIDE
    scenarios.instructions.constraints.shapes._FENCE scenarios.instructions.constraints.unit_start._NUMBER
    scenarios.instructions.constraints.wrap._FENCE scenarios.instructions.queries.lenient._DENIED_BEHIND
    scenarios.instructions.queries.lenient._GOES_ON scenarios.instructions.queries.lenient._MORE_WORDS
    scenarios.instructions.queries.lenient._ONLY_BEHIND scenarios.instructions.synthesis.assignment._WEIGHTED
    scenarios.instructions.synthesis.chat._FENCE scenarios.instructions.tracker.profile._PLAIN
    scenarios.recorded.judge_reply._FENCE scenarios.recorded.labels._FLAT scenarios.shifts.reading._FENCE
    scenarios.shifts.reading._TOKEN scenarios.shifts.released._SCORE text.data_formats._FIELD text.html._ATTRIBUTE
    text.html._TAG_END text.labels._FOLLOWS text.labels._STOP text.labels._WORD_NUMBER text.lines._BARE
    text.lines._DASHES text.lines._ITEM_MARK text.markdown_source._KEY text.markdown_source._TARGET text.points._NUMBER
    text.tokens._THINK
""".split()
)
"""Patterns that are only asked what stands at one place, by `match` or `fullmatch`, and are pumped in this way."""
BOUNDED = {
    "scenarios.instructions.catalogue.topics._BEFORE": (
        40,
        "the characters before a keyword, as many as a keyword may have",
    ),
    "text.sentences._LIST_NUMBER": (64, "a window before the end of a sentence"),
    "scenarios.instructions.queries.edges._CLOSES_MARK": (22, "the characters before a word"),
    r"scenarios.recorded.memories:[^:?]*:([0-9]{1,9})(?![^?])": (200, "the name of a memory, from the command line"),
    "scenarios.instructions.queries.vocabulary._TOKEN": (2000, "a phrase of this package or of an installed plug-in"),
    "report.figures.svg._LONG_NUMBER": (2000, "one attribute of a picture that matplotlib wrote"),
    r"report.figures.svg:([\w-]+): *([^;]+)": (2000, "one attribute of a picture that matplotlib wrote"),
    r"report.figures.svg:[\d.]+px": (2000, "one attribute of a picture that matplotlib wrote"),
    "report.page.transcript_cache._COMMENT": (2000, "the style sheets and scripts of this package"),
}
"""Patterns whose text is bounded: the most characters, and what they are."""


def told(name: str, found: Found) -> list[str]:
    """What is wrong with a pattern."""
    plain = name.partition("#")[0]
    size, _ = BOUNDED.get(plain, (SIZE, ""))
    anchored = found.anchored or plain in ANCHORED
    texts = pumps(found.pattern)
    faults = (fault(found.pattern, one, size, anchored=anchored, grows=plain not in BOUNDED) for one in texts)
    return [f"{name} {one}" for one in faults if one][:1]


@pytest.mark.slow
def test_patterns_are_found_wherever_they_are() -> None:
    found = patterns()
    assert len(found) > 350
    assert {
        "scenarios.broadcast.reading_impact._CASES",
        "scenarios.games.reading._ROW",
        "models.endpoint._SECRETS",
    } <= found.keys()
    assert "scenarios.broadcast.tags._BLOCK_TAGS" in found  # in a mapping
    assert "scenarios.recorded.memories:bm25(?::([0-9]{1,9}))?" in found  # in a function
    assert {name for name in [*ANCHORED, *BOUNDED] if name not in found} == set()


@pytest.mark.parametrize("name", sorted(ANCHORED))
def test_anchored_patterns_look_for_nothing(name: str) -> None:
    """In their own modules, which nobody else takes them from."""
    module, _, pattern = name.rpartition(".")
    source = import_module(f"evolif.{module}").__file__
    assert source is not None
    with open(source, encoding="utf-8") as file:
        uses = re.findall(rf"(?<![\w.]){pattern}\b(?! = |: )(\S*)", file.read())
    assert uses and all(use.startswith((".match(", ".fullmatch(")) for use in uses), uses


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("careless", "pump", "size"),
    [
        (r"x?(?:(?:any|of) )*(?:(?:any|of) )*y", ("", "of "), 1024),
        (r"\s+$", ("", " "), 8192),
        (r"(a|b)*c", ("", "a"), 2048),
    ],
)
def test_a_careless_pattern_is_found(careless: str, pump: tuple[str, str], size: int) -> None:
    pattern = re.compile(careless)
    assert pump in pumps(pattern)
    assert fault(pattern, pump, size) is not None


CARELESS_ONCE = [
    ("scenarios.broadcast.reading_impact._CASES", ("without ", "of ")),
    ("scenarios.broadcast.reading_impact._CASES", ("without ", "any of ")),
    ("scenarios.instructions.synthesis.chat._FENCE", ("```", "\t")),
    ("scenarios.instructions.synthesis.render._MARK", ("", "\ue000")),
    ("scenarios.instructions.synthesis.render._SEALED", ("", "\ue000")),
    ("scenarios.recorded.judge_reply._FENCE", ("", "~")),
    ("scenarios.recorded.judge_reply._FENCE", ("", "`")),
]


@pytest.mark.parametrize(("name", "pump"), CARELESS_ONCE)
def test_what_was_quadratic_is_linear(name: str, pump: tuple[str, str]) -> None:
    assert fault(patterns()[name].pattern, pump, anchored=name in ANCHORED) is None


def rooms() -> list[str]:
    """The packages and modules that patterns are in, those of a scenario one by one."""
    top, parts = Path(evolif.__file__).parent, ("", "scenarios/", "scenarios/instructions/")
    found = (f"{part}{path.stem}".replace("/", ".") for part in parts for path in (top / part).glob("[a-z]*"))
    return sorted(set(found))


def room_of(name: str) -> str:
    """Where a pattern is."""
    module = re.split("[:#]", name)[0] + "."
    return max((room for room in rooms() if module.startswith(f"{room}.")), key=len)


@pytest.mark.slow
@pytest.mark.parametrize("room", rooms())
def test_no_pattern_takes_more_than_linear_time(room: str) -> None:
    found = {name: one for name, one in patterns().items() if room_of(name) == room}
    slow = [fault for name, one in found.items() for fault in told(name, one)]
    # A machine that was busy for a moment is no fault of a pattern.
    assert [fault for name, one in found.items() if slow for fault in told(name, one)] == []
