"""Problems that have nothing to do with the match: what the friend asks in between, to see what switching costs.

Each is made from a template of everyday arithmetic, with a computed answer and four wrong options that typical mistakes
give. Number and seed choose the template and the values of its parameters by permutations, so that no problem comes
twice: `CAPACITY` consecutive numbers from a multiple of it have different texts.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd
from typing import Final, TypedDict

from evolif.scenarios.broadcast.arguments import whole
from evolif.scenarios.broadcast.problem_template import Template
from evolif.scenarios.broadcast.problem_templates_home import HOME
from evolif.scenarios.broadcast.problem_templates_money import MONEY
from evolif.scenarios.broadcast.problem_templates_sums import SUMS
from evolif.scenarios.broadcast.problem_templates_time import TIME
from evolif.util.rng import Purpose, Stream

TEMPLATES: Final[tuple[Template, ...]] = (*MONEY, *TIME, *HOME, *SUMS)
"""All of them. The bytes of problems follow from the order."""
CAPACITY: Final = len(TEMPLATES) * min(template.size for template in TEMPLATES)
"""How many problems are surely different."""
LETTERS: Final = "ABCDE"
_KEY: Final = int.from_bytes(b"problem", "big")
"""Keeps the streams of problems apart from those of matches."""


class Problem(TypedDict):
    """A problem with its options."""

    text: str
    options: dict[str, str]
    """By letter, `A` to `E`."""
    letter: str
    """Of the right one."""


def problem(number: int, *, seed: int) -> Problem:
    """Make one problem: a pure function.

    Args:
        number: Which problem, at least 0.
        seed: Of the series; at least 0.

    Raises:
        ArgumentError: number or seed is no whole number of at least 0.
    """
    whole("number", number, 0)
    whole("seed", seed, 0)
    template, index = place_of_problem(number, seed)
    text, right, wrong = template.fill(index)
    stream = Stream(seed, Purpose.BROADCAST, _KEY, number)
    letter = stream.choice(LETTERS)
    others = iter(stream.sample(list(wrong.values()), len(LETTERS) - 1))
    return {
        "text": text,
        "options": {own: right if own == letter else next(others) for own in LETTERS},
        "letter": letter,
    }


def place_of_problem(number: int, seed: int) -> tuple[Template, int]:
    """The template of a problem, and which combination of its parameters."""
    turn, place = divmod(number, len(TEMPLATES))
    at = _order(seed, turn)[place]
    template = TEMPLATES[at]
    factor, start = _scatter(seed, at)
    return template, (start + turn * factor) % template.size


@lru_cache(maxsize=16)
def _order(seed: int, turn: int) -> list[int]:
    """In which order the templates come, once each."""
    return Stream(seed, Purpose.BROADCAST, _KEY, 0, turn).sample(range(len(TEMPLATES)), len(TEMPLATES))


@lru_cache(maxsize=256)
def _scatter(seed: int, at: int) -> tuple[int, int]:
    """A factor and a start whose multiples go through all combinations of a template, each once."""
    size = TEMPLATES[at].size
    stream = Stream(seed, Purpose.BROADCAST, _KEY, 1, at)
    while gcd(factor := stream.below(size), size) > 1:
        pass
    return factor, stream.below(size)
