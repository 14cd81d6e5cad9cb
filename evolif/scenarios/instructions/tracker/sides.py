"""What one side of the partition leaves of a profile: the kinds that its groups draw, and the groups that have any."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeVar

from evolif.scenarios.instructions.constraints import DrawContext, get_group
from evolif.scenarios.instructions.partition import Side, kind_of, side_of_kind
from evolif.scenarios.instructions.tracker.load import LoadOperations
from evolif.scenarios.instructions.tracker.profile import Profile, Stage
from evolif.util.rng import Stream

V = TypeVar("V")
_DRAWS = 2000
"""Of a group, to see which kinds it draws."""
_KEYWORDS = tuple(f"word{number}" for number in range(20))


def drawn_kinds(profile: Profile) -> dict[str, Counter[str]]:
    """How often each kind of each group comes in a number of draws, over all stages; rare ones may be missing.

    A group without kinds has the empty one.
    """
    found: dict[str, Counter[str]] = {}
    for group in profile.groups:
        found[group] = Counter()
        pools = [phase.pools[group] for phase in profile.phases().values()]
        for pool in (pool for at, pool in enumerate(pools) if pool not in pools[:at]):
            found[group] += kinds_in_pool(group, pool)
    return found


def kinds_in_pool(group: str, pool: Mapping[str, object]) -> Counter[str]:
    """The same of one pool."""
    return Counter(dict(_drawn(group, json.dumps(pool))))


@lru_cache(maxsize=512)
def _drawn(group: str, pool: str) -> tuple[tuple[str, int], ...]:
    """Once per pool, since trainers make benchmarks without end."""
    stream, context = Stream(0), DrawContext(_KEYWORDS, json.loads(pool))
    drawn = (get_group(group).draw(stream, context) for _ in range(_DRAWS))
    found = Counter(kind_of(group, params) for params in drawn if params is not None)
    return tuple(found.items()) or (("", 1),)


def without_kinds(profile: Profile) -> tuple[str, ...]:
    """The groups of a profile that have no kinds, so that both sides draw them alike."""
    return tuple(group for group, kinds in drawn_kinds(profile).items() if set(kinds) == {""})


def drawn_from(profile: Profile, side: Side) -> Profile:
    """The profile without the groups of which it draws only kinds of the other side.

    Args:
        profile: Resolved.
        side: The side.
    """
    kept = tuple(
        group
        for group, kinds in drawn_kinds(profile).items()
        if any(side_of_kind(group, kind) in (side, None) for kind in kinds)
    )
    return profile if kept == profile.groups else _with_groups(profile, kept)


def _with_groups(profile: Profile, kept: tuple[str, ...]) -> Profile:
    stages = tuple(
        stage.model_copy(
            update={
                "pools": _only(stage.pools, kept),
                "preferences": None if stage.preferences is None else _only(stage.preferences, kept),
                "operations": _operations(stage, kept),
            }
        )
        for stage in profile.stages
    )
    update = {
        "groups": kept,
        "pools": _only(profile.pools, kept),
        "preferences": _only(profile.preferences, kept),
        "operations": _operations(profile, kept),
        "stages": stages,
    }
    return profile.model_copy(update=update)


def _operations(part: Profile | Stage, kept: tuple[str, ...]) -> object:
    operations = part.operations
    if not isinstance(operations, LoadOperations):
        return operations
    judged = operations.judged
    if judged is not None:
        judged = judged.model_copy(update={"weights": _only(judged.weights, kept)})
    return operations.model_copy(update={"weights": _only(operations.weights, kept), "judged": judged})


def _only(values: Mapping[str, V], kept: tuple[str, ...]) -> dict[str, V]:
    return {name: value for name, value in values.items() if name in kept}
