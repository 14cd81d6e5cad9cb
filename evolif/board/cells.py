"""The cells of a column: figures, ranks, letters, costs, and what a reader has to know of each."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from evolif.board.board import Cell, Cost, Figure, Mark, MarkKind, Play, Rank, Row
from evolif.board.columns import Group
from evolif.board.letters import letters_of
from evolif.board.models import Entry, Named
from evolif.budget import PriceTable, quotes_of
from evolif.metrics import TOO_FEW, Ranking
from evolif.metrics.ranking import Place
from evolif.metrics.terms import targets_of
from evolif.report import ModelAnalysis
from evolif.report.early import early_line
from evolif.report.outcomes import refusal_lines
from evolif.report.wording import integrity_lines
from evolif.text import plain, plural


def cells_of(group: Group, rows: Mapping[Named, Row], prices: PriceTable) -> Iterator[Cell]:
    """The cells of a column, in the order of its models.

    Args:
        group: The column's runs.
        rows: Of the board.
        prices: Of tokens.
    """
    board = group.newest.contestants
    ranking = board.ranking
    places: Mapping[str, Place] = {} if ranking is None else ranking.places.get(ranking.main, {})
    letters = {} if ranking is None else _letters(ranking, places)
    references = group.newest.references
    for model, named in group.named.items():
        entries = group.entries[named]
        head = group.heads.get(model, "")
        place = places.get(head)
        told = list(_marks(model, is_reference=model in references, floor=board.at_floor.get(head, "")))
        yield Cell(
            row=rows[named].name,
            column=group.id,
            newest=_play(entries[0]),
            metrics={
                name: Figure.of(value, model.summary.intervals.get(name))
                for name, value in model.summary.metrics.by_name().items()
            },
            sessions=model.summary.metrics.dialogues,
            turns=sum(map(targets_of, model.sessions)),
            cost=_cost(model, prices),
            rank=None if place is None else _rank(place),
            letters=letters.get(head, ""),
            marks=tuple(told),
            command=_command(entries[0]),
            earlier=tuple(_play(entry) for entry in reversed(entries[1:])),
        )


def _letters(ranking: Ranking, places: Mapping[str, Place]) -> dict[str, str]:
    ordered = sorted(places, key=lambda head: places[head].rank)
    apart = [frozenset({pair.a, pair.b}) for pair in ranking.pairs if pair.metric == ranking.main and pair.told_apart]
    return letters_of(ordered, apart)


def _rank(place: Place) -> Rank | None:
    return None if place.low is None or place.high is None else Rank(place.rank, place.low, place.high)


def _play(entry: Entry) -> Play:
    model, name = entry.model, entry.model.of.headline.name
    return Play(
        run=entry.run,
        date=entry.date,
        date_of=entry.moment_of,
        figure=Figure.of(model.summary.metrics.value(name), model.summary.intervals.get(name)),
        dialogues=len({session.dialogue for session in model.counted}),
    )


def _cost(model: ModelAnalysis, prices: PriceTable) -> Cost:
    """What the calls of the model under test took, as its run knows it."""
    own = [one for one in model.of.costs if one.role == "target" and one.model == model.name]
    quotes = quotes_of(model.of.settings, prices)
    usd, known = quotes.total(own)
    unknown = sum(one.unknown for one in own)
    return Cost(
        calls=sum(one.calls for one in own),
        prompt_tokens=sum(one.usage.prompt_tokens for one in own),
        completion_tokens=sum(one.usage.completion_tokens for one in own),
        unknown_calls=unknown,
        usd=usd if known and not unknown else None,
    )


def _marks(model: ModelAnalysis, *, is_reference: bool, floor: str) -> Iterator[Mark]:
    """What a reader has to know of a cell.

    Args:
        model: Its newest evaluation.
        is_reference: Whether it knows the answers.
        floor: That it is no better than answers that follow nothing; empty if it is.
    """
    if is_reference:
        yield Mark("reference", f"{model.name} knows the answers, so it has no rank and is in no comparison.")
    if floor:
        yield Mark("floor", floor)
    for sentence in integrity_lines(model.of):
        yield Mark("edited" if model.of.integrity.edited and sentence.startswith("Edited") else "not-sealed", sentence)
    yield from _missing(model)
    for sentence in refusal_lines(model.of.run):
        if plain(model.name) in sentence:
            yield Mark("refused", sentence)
    if early := early_line(model.of.run):
        yield Mark("early", early)
    headline = model.of.headline.name
    if model.summary.metrics.value(headline) is not None and model.summary.intervals.get(headline) is None:
        yield Mark("few", TOO_FEW)


def _missing(model: ModelAnalysis) -> Iterator[Mark]:
    """Sessions that are in no figure."""
    kinds: dict[MarkKind, int] = {"suspended": 0, "not-started": 0, "withheld": 0}
    total = 0
    for (name, ending, cause), number in model.of.run.store.endings().items():
        if name != model.name:
            continue
        total += number
        if ending == "suspended" or (ending is None and not cause):
            kinds["suspended"] += number
        elif ending is None:
            kinds["not-started"] += number
        elif ending == "withheld":
            kinds["withheld"] += number
    words: Mapping[MarkKind, str] = {
        "suspended": "suspended or still to be played; the figures may favour short sessions",
        "not-started": "never started, because of a budget or a stop rule",
        "withheld": "withheld by the provider’s content filter",
    }
    for kind, number in kinds.items():
        if number:
            were = "is" if number == 1 else "are"
            yield Mark(kind, f"{number} of {plural(total, 'session')} {were} in no figure: {words[kind]}.")


def _command(entry: Entry) -> str:
    """What prints the full report of its run."""
    return shlex.join(["evolif", "report", entry.model.of.name, "--full"])
