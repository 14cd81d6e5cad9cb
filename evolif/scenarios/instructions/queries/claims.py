"""One reading of a query: what it says of every group, with the turn's change where an ellipsis needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evolif.scenarios.instructions.queries.change import AsideClaim, Claim, QueryChange
from evolif.scenarios.instructions.queries.comparison import Said
from evolif.scenarios.instructions.queries.counted import (
    HEADINGS,
    BulletsReader,
    CountReader,
    EmphasisReader,
    SentencesReader,
)
from evolif.scenarios.instructions.queries.demand_table import tabled_groups
from evolif.scenarios.instructions.queries.demand_values import hears_asides
from evolif.scenarios.instructions.queries.edges import EdgeReader
from evolif.scenarios.instructions.queries.keywords import ExistenceReader, ForbiddenReader
from evolif.scenarios.instructions.queries.length import LengthReader
from evolif.scenarios.instructions.queries.placement import PlacementReader
from evolif.scenarios.instructions.queries.punctuation import DigitsReader, PunctuationReader
from evolif.scenarios.instructions.queries.reader import Reader
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.spoken import SpokenReader
from evolif.scenarios.instructions.queries.values import CaseReader, ChoiceReader, ForeignReader, FormatReader

_OWN: Mapping[str, Reader] = {
    reader.group: reader
    for reader in (
        ChoiceReader("emotion", "emotion"),
        ChoiceReader("audience", "audience"),
        ChoiceReader("style", "style"),
        ChoiceReader("language", "code"),
        FormatReader("format"),
        CaseReader("case"),
        BulletsReader(),
        CountReader("headings", (HEADINGS, {})),
        EmphasisReader(),
        LengthReader("length"),
        SentencesReader(),
        ExistenceReader("existence"),
        ForbiddenReader("forbidden"),
        PunctuationReader("punctuation"),
        DigitsReader(),
        EdgeReader("start_with"),
        EdgeReader("end_with"),
        PlacementReader("placement"),
    )
}

READERS: Mapping[str, Reader] = {**_OWN, **{group: SpokenReader(group, _OWN.get(group)) for group in tabled_groups()}}
"""By group; those of the table of demands read what the others do not know."""


@dataclass(frozen=True, slots=True)
class QueryReading:
    """What a query says."""

    own: Sequence[Said]
    """All that is said of the turn's group, ellipsis resolved."""
    claims: tuple[Claim, ...]
    """Of all groups: what could stand alone as a request, in order, and what is in force and lifted by name."""


def reader_of(group: str) -> Reader:
    """The reader of a group; of one that comes from elsewhere, the one that compares values by their names."""
    return READERS.get(group) or ForeignReader(group)


def read(query: Query, change: QueryChange) -> QueryReading:
    """Read a query.

    Args:
        query: The query.
        change: The turn's change; without a group only what could stand alone is read.
    """
    said = {group: reader.said(query, change.about(group)) for group, reader in READERS.items()}
    if change.is_known and change.group not in said:
        said[change.group] = reader_of(change.group).said(query, change)
    claims = [claim for group, heard in said.items() for claim in reader_of(group).claims(query, heard)]
    named = (READERS[group].lifted(query) for group, _ in change.others if group in READERS)
    claims += [claim for claim in named if claim is not None]
    if not hears_asides(change):
        claims = [claim for claim in claims if not isinstance(claim, AsideClaim)]
    return QueryReading(said.get(change.group, ()), tuple(sorted(claims, key=lambda claim: claim.span)))
