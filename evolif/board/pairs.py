"""The pairs of a column: differences of two models, with what would tell them apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from evolif.board.board import Figure, Pair, Row
from evolif.board.columns import Group
from evolif.board.models import Named
from evolif.board.transcripts import TranscriptPages
from evolif.metrics import compare
from evolif.metrics.pairs import holm
from evolif.report import ModelAnalysis
from evolif.report.comparison import ALPHA, ModelComparison, compare_models


def pairs_of(group: Group, rows: Mapping[Named, Row], pages: TranscriptPages | None = None) -> Iterator[Pair]:
    """Every pair of models of a column, but for those that know the answers.

    P of ranked models is corrected over their pairs. A model that is no better than answers that follow nothing is in
    no correction, as it has no rank: its pairs have a difference and a p of their own, and are never told apart.

    Args:
        group: The column's runs.
        rows: Of the board.
        pages: Gets their transcripts; None to write none.
    """
    board = group.newest.contestants
    if not board.tables:
        return
    ranked = [model for model, head in group.heads.items() if head not in board.at_floor]
    others = [pair for pair in combinations(board.models, 2) if not all(model in ranked for model in pair)]

    def name(side: ModelAnalysis) -> str:
        return rows[group.named[side]].name

    def made(one: ModelComparison) -> Pair:
        pair = _pair(group.id, one, name(one.a), name(one.b))
        return pair if pages is None or not pair.dialogues else replace(pair, transcripts=pages.write(group.id, one))

    apart = [made(one) for one in compare_models(list(combinations(ranked, 2)))]
    corrected = holm({f"{number}": pair.p for number, pair in enumerate(apart)})
    for number, pair in enumerate(apart):
        p = corrected[f"{number}"]
        yield replace(pair, p_holm=p, told_apart=p is not None and p <= ALPHA)
    for one in compare_models(others):
        yield made(one)


def _pair(column: str, one: ModelComparison, a: str, b: str) -> Pair:
    """A pair, not yet corrected; only the column's metric is worked out, of a dozen in most scenarios."""
    table, lead = one.a.of.tables[0], one.a.of.headline.name
    alone = replace(table, ratios={lead: table.ratios[lead]}, headline=lead)
    paired = compare(one.a.sessions, one.b.sessions, tables=[alone])
    found = paired.difference(lead)
    return Pair(
        column=column,
        a=a,
        b=b,
        difference=Figure.of(found.value, found.interval),
        p=found.p,
        p_holm=None,
        told_apart=False,
        needed=found.dialogues_needed,
        dialogues=paired.dialogues,
        also=one.also,
    )
