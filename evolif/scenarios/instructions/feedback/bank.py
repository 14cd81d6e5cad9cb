"""The bank of remarks (`seeds/remarks/`): what people say of an answer that missed something.

A file belongs to a constraint group. `asked` has a phrase for each kind of constraint, under the name of its section in
`seeds/plans/everyday/` or, for kinds that have none there, under the key of the group's description; `remark` and
`repair` have lines per family of registers and tone. A line has the slot {asked} and may have {found}, each with a
capital where it begins a sentence. `general.yaml` has words of thanks, and lines about answers that cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError
from evolif.util.resources import complaint, data_path, load_data

Family = Literal["relaxed", "plain", "formal"]
"""Registers that make the same remarks."""
Tone = Literal["calm", "short", "curt"]
TONES: tuple[Tone, ...] = ("calm", "short", "curt")
RemarkMode = Literal["remark", "repair"]
"""What a remark is for: it precedes the next request, or takes its place."""
Trouble = Literal["empty", "truncated", "withheld"]
"""Why an answer cannot be read."""

_FAMILIES: Mapping[str, Family] = {"casual": "relaxed", "warm": "relaxed", "formal": "formal"}
_SLOT = re.compile(r"\{([^{}]*)\}")
_FREE = frozenset({"asked", "found"})
_LEAST = 4


def family_of(register: str) -> Family:
    """The family of a register; one of the user's own makes plain remarks.

    >>> family_of("warm"), family_of("brisk")
    ('relaxed', 'plain')
    """
    return _FAMILIES.get(register, "plain")


def has_found(line: str) -> bool:
    """Whether a line says what came."""
    return "{found}" in line or "{Found}" in line


def _line(line: str) -> str:
    slots = [slot[:1].lower() + slot[1:] for slot in _SLOT.findall(line)]
    unknown = sorted(set(slots) - _FREE)
    if unknown:
        raise ValueError(f"the slot {{{unknown[0]}}} of “{line}” is unknown; use {{asked}} and {{found}}")
    if slots.count("asked") != 1 or slots.count("found") > 1:
        raise ValueError(f"“{line}” needs {{asked}} once, and {{found}} once at most")
    return _closed(line)


def _closed(line: str) -> str:
    if line[-1:] not in (".", "?", "!"):
        raise ValueError(f"“{line}” needs a final mark")
    return line


def _plain(line: str) -> str:
    if "{" in line or "}" in line:
        raise ValueError(f"“{line}” has no slots; leave out the braces")
    return _closed(line)


_Text = Annotated[str, Field(min_length=1, max_length=300, pattern=r"\S")]
_Lines = Annotated[tuple[Annotated[_Text, AfterValidator(_line)], ...], Field(min_length=_LEAST, max_length=100)]
_PlainLines = Annotated[tuple[Annotated[_Text, AfterValidator(_plain)], ...], Field(min_length=3, max_length=100)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ToneLines(_Part):
    """The lines of a family, by tone."""

    calm: _Lines
    short: _Lines
    curt: _Lines

    def of(self, tone: Tone) -> tuple[str, ...]:
        """The lines of a tone."""
        lines: tuple[str, ...] = getattr(self, tone)
        return lines


class FamilyLines(_Part):
    """The lines of a mode, by family."""

    relaxed: ToneLines
    plain: ToneLines
    formal: ToneLines

    def of(self, family: Family) -> ToneLines:
        """The lines of a family."""
        lines: ToneLines = getattr(self, family)
        return lines


class GroupRemarks(_Part):
    """What is said of answers that missed a constraint of a group."""

    group: str
    asked: Annotated[Mapping[str, _Text], Field(min_length=1)]
    """What was asked, by kind of constraint: a phrase with the slots of that kind's plans or description."""
    remark: FamilyLines
    repair: FamilyLines

    def lines(self, mode: RemarkMode) -> FamilyLines:
        """The lines of a mode."""
        return self.remark if mode == "remark" else self.repair


class _TroubleLines(_Part):
    remark: _PlainLines
    repair: _PlainLines


class _Troubles(_Part):
    empty: _TroubleLines
    truncated: _TroubleLines
    withheld: _TroubleLines


class _TroubleFamilies(_Part):
    relaxed: _Troubles
    plain: _Troubles
    formal: _Troubles


class _PlainFamilies(_Part):
    relaxed: _PlainLines
    plain: _PlainLines
    formal: _PlainLines


class GeneralRemarks(_Part):
    """What is said whatever was asked."""

    group: Literal["general"]
    thanks: _PlainFamilies
    bridges: _PlainFamilies
    """What leads from a remark to a task that has nothing to do with it."""
    unreadable: _TroubleFamilies
    """The lines go from calm to curt."""

    def thanking(self, family: Family) -> tuple[str, ...]:
        """Words of thanks."""
        lines: tuple[str, ...] = getattr(self.thanks, family)
        return lines

    def bridging(self, family: Family) -> tuple[str, ...]:
        """What leads to another task."""
        lines: tuple[str, ...] = getattr(self.bridges, family)
        return lines

    def troubled(self, family: Family, trouble: Trouble, mode: RemarkMode) -> Mapping[Tone, tuple[str, ...]]:
        """What is said of an answer that cannot be read, by tone: the thirds of the list."""
        lines: tuple[str, ...] = getattr(getattr(getattr(self.unreadable, family), trouble), mode)
        cuts = [round(len(lines) * at / len(TONES)) for at in range(len(TONES) + 1)]
        return {tone: lines[cuts[at] : cuts[at + 1]] for at, tone in enumerate(TONES)}


@lru_cache(maxsize=64)
def load_remarks(group: str) -> GroupRemarks | None:
    """The packaged remarks of a group; None if it has none.

    Raises:
        InputError: the file is not a bank of remarks.
    """
    path = data_path("seeds", "remarks") / f"{group}.yaml"
    if not path.is_file():
        return None
    remarks: GroupRemarks = _read(path, GroupRemarks)
    if remarks.group != group:
        raise InputError(f"needs “group: {group}”, as its name says", path=path)
    return remarks


@lru_cache(maxsize=1)
def load_general() -> GeneralRemarks:
    """The packaged thanks, and remarks about answers that cannot be read.

    Raises:
        InputError: the file is broken.
    """
    remarks: GeneralRemarks = _read(data_path("seeds", "remarks", "general.yaml"), GeneralRemarks)
    return remarks


def _read(path: Path, kind: type[BaseModel]) -> Any:
    try:
        return kind.model_validate(load_data(path))
    except ValidationError as fault:
        raise InputError(complaint(fault, "the bank of remarks"), path=path) from None
