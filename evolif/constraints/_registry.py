"""Which groups there are: the paper's twelve, those of the profile `extended`, the user's own and entry points'."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from evolif._errors import UsageError
from evolif.constraints._base import Group
from evolif.constraints._own_groups import named_groups
from evolif.constraints.audience import Audience
from evolif.constraints.bullets import Bullets
from evolif.constraints.case import Case
from evolif.constraints.digits import Digits
from evolif.constraints.emotion import Emotion
from evolif.constraints.emphasis import Emphasis
from evolif.constraints.end_with import EndWith
from evolif.constraints.existence import Existence
from evolif.constraints.forbidden import Forbidden
from evolif.constraints.format import Format
from evolif.constraints.headings import Headings
from evolif.constraints.language import Language
from evolif.constraints.length import Length
from evolif.constraints.placement import Placement
from evolif.constraints.punctuation import Punctuation
from evolif.constraints.sentences import Sentences
from evolif.constraints.start_with import StartWith
from evolif.constraints.style import Style

GROUPS: Mapping[str, Group] = MappingProxyType(
    {
        group.name: group
        for group in (
            StartWith(), EndWith(), Format(), Bullets(), Length(), Existence(),
            Forbidden(), Case(), Punctuation(), Emotion(), Audience(), Style(),
        )
    }
)  # fmt: skip


EXTENDED_GROUPS: Mapping[str, Group] = MappingProxyType(
    {
        group.name: group
        for group in (Language(), Placement(), Sentences(), Headings(), Emphasis(), Digits())
    }
)  # fmt: skip
"""Groups that the paper does not have; only the profile `extended` draws them."""


def own_groups() -> Mapping[str, Group]:
    """Groups out of the modules that `--constraints` or `EVOLIF_CONSTRAINTS` names, by name.

    Raises:
        UsageError: a module that cannot be loaded or offers no groups, or a name that is taken.
    """
    return named_groups(frozenset((*GROUPS, *EXTENDED_GROUPS)))


def get_group(name: str) -> Group:
    """The group of that name.

    Raises:
        UsageError: neither built in nor offered by a module of the user's or an installed plugin.
    """
    group = GROUPS.get(name) or EXTENDED_GROUPS.get(name) or own_groups().get(name) or _plugin(name)
    if group is None:
        raise UsageError(
            f"unknown constraint group “{name}”; there are {', '.join([*GROUPS, *EXTENDED_GROUPS])}; name the module "
            "of a group of your own by --constraints"
        )
    return group


@lru_cache(maxsize=64)
def _plugin(name: str) -> Group | None:
    if os.environ.get("EVOLIF_PLUGINS") == "0":
        return None
    from importlib.metadata import entry_points

    for entry in entry_points(group="evolif.constraints", name=name):
        loaded = entry.load()
        group = loaded() if isinstance(loaded, type) else loaded
        if not isinstance(group, Group) or group.name != name:
            raise UsageError(f"the plugin “{entry.value}” does not provide the constraint group “{name}”")
        return group
    return None
