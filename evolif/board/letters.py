"""Letters that say which models are not told apart: two share one if and only if they are not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from string import ascii_lowercase


def letters_of(names: Sequence[str], apart: Collection[frozenset[str]]) -> dict[str, str]:
    """Letters per name.

    That two are not told apart does not mean that they are alike, nor is it transitive: A and B, and B and C, may not
    be told apart where A and C are. So a name may have several letters.

    Args:
        names: In the order of their figures, the best first; the first letter is of the first name.
        apart: Pairs of names that are told apart.

    Example:
        >>> letters_of(["x", "y", "z"], [frozenset({"x", "z"})])
        {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    told = frozenset(apart)
    found: dict[str, list[str]] = {name: [] for name in names}
    for group, letter in zip(_groups(names, told), _alphabet(), strict=False):
        for name in group:
            found[name].append(letter)
    return {name: "".join(own) for name, own in found.items()}


def _groups(names: Sequence[str], apart: frozenset[frozenset[str]]) -> Iterator[list[str]]:
    """Groups without a pair that is told apart; every other pair, and every name, is in one of them.

    Each is the first pair that no group has yet, with whatever fits to it in the order of names: so there are at most
    as many groups as pairs, and the time is bounded, which that of the smallest number of groups is not.
    """
    together: set[frozenset[str]] = set()
    grouped: set[str] = set()
    for first, second in _pairs_and_ends(names):
        pair = frozenset({first, second})
        if pair in apart or pair in together or (first == second and first in grouped):
            continue
        group = [first] if first == second else [first, second]
        for name in names:
            if name not in group and all(frozenset({name, other}) not in apart for other in group):
                group.append(name)
        together.update(map(frozenset, combinations(group, 2)))
        grouped.update(group)
        yield group


def _pairs_and_ends(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each name with all that follow it, and then with itself, for those that stand alone."""
    for place, name in enumerate(names):
        yield from ((name, other) for other in names[place + 1 :])
        yield name, name


def _alphabet() -> Iterator[str]:
    """The letters a to z, then a1 to z1 and so on, which stay legible side by side."""
    yield from ascii_lowercase
    number = 1
    while True:
        yield from (f"{letter}{number}" for letter in ascii_lowercase)
        number += 1
