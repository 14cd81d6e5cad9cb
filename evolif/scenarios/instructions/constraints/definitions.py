"""Definitions: what exactly is counted, in a line per group, equal to what its checker does.

They come from the entry `counted` of a group's data: one sentence, or sentences by mode. A mode is a key of the group's
phrases, a part of such a key (`words` of `words.less_than`), several of them with commas between, or `any`. The system
prompt tells the lines of a profile's groups, or the queries do (`benchmark.json`, `definitions`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from evolif.scenarios.instructions.constraints.base import Group

_ALWAYS = "any"


def rules_of(group: Group, keys: Collection[str] | None = None) -> tuple[str, ...]:
    """The sentences that define a group's constraints, in the order of its data; none if it brings none.

    Args:
        group: The group.
        keys: Keys of phrases (`Group.key`) to which a sentence must apply; all sentences if None.
    """
    counted = group.data.get("counted", {})
    if isinstance(counted, str):
        return (counted,) if counted else ()
    named = None if keys is None else {_ALWAYS, *keys, *(part for key in keys for part in key.split("."))}
    return tuple(
        sentence
        for modes, sentence in counted.items()
        if named is None or not named.isdisjoint(mode.strip() for mode in modes.split(","))
    )


def definition(group: Group, pools: Iterable[Mapping[str, object]]) -> str:
    """A group's line for a profile: the sentences that apply to what its pools can draw.

    Args:
        group: The group.
        pools: Its pools, one for each stage of the profile.
    """
    drawn: set[str] = set()
    for pool in pools:
        try:
            keys = group.drawn_keys(pool)
            if keys is None:
                return " ".join(rules_of(group))
            drawn.update(map(str, keys))
        except (LookupError, TypeError):  # the profile of a benchmark from elsewhere may hold anything
            return " ".join(rules_of(group))
    return " ".join(rules_of(group, drawn))


def without_rules(query: str, group: Group) -> str:
    """The query with blanks in place of the group's rules, so that places in it stay the same.

    A definition that a query tells (`definitions: query`) asks for nothing and is not read as a demand.
    """
    for rule in rules_of(group):
        query = query.replace(rule, " " * len(rule))
    return query
