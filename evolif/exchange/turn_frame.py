"""The answered turns of a run as a data frame of pandas, a batch at a time: no object is made for each of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from evolif.errors import UsageError
from evolif.exchange.columns import arrow
from evolif.exchange.rows import Row
from evolif.exchange.run_rows import RUN_COLUMNS, SESSION_COLUMNS, TURN_COLUMNS, prompt_columns
from evolif.exchange.turn_columns import found_columns, null_if_empty
from evolif.metrics.process import walk_patience
from evolif.runner import Run
from evolif.runner.scheduler import calm_collector
from evolif.runner.turn_rows import SessionRow, TurnBatch, numbered_prompts, turn_batches
from evolif.scenario import get_scenario

if TYPE_CHECKING:
    from pandas import DataFrame, Series

_SESSION = SESSION_COLUMNS[1:]
_CATEGORIES = frozenset({"model", "ending", "reason", "seat", "served_by"})
"""Texts that repeat; labels of prompts are categories, too."""
_NESTED = frozenset({"verdicts", "scores", "judge_scores"})


def turn_frame(run: Run) -> DataFrame:
    """The answered turns, by model, epoch, dialogue and turn; see `evolif.turns_frame`.

    Raises:
        UsageError: pandas or pyarrow is not installed, or the scenario is not.
    """
    try:
        import pandas
        import pyarrow  # noqa: F401 - holds the texts
    except ImportError as fault:
        raise UsageError(f"data frames need {fault.name or 'pandas'}; install evolif[frames]") from None
    turns = _Turns(run)
    with calm_collector():
        for batch in turn_batches(run.store):
            turns.add(batch)
    if not turns.names:
        return pandas.DataFrame(columns=[*_SESSION, "turn", "counted"])
    columns = {**dict(turns.of_turns()), **turns.of_prompts()}
    return pandas.DataFrame({name: columns.pop(name) for name in turns.names}, copy=False)


class _Turns:
    """Collects the columns of turns: those of their own in Arrow, those of prompts once per prompt."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._scenario = get_scenario(run.settings.scenario)
        self._always_scores = self._scenario.table({}) is not None
        early = run.early_end()
        self._dialogues = None if early is None else frozenset(early.dialogues)
        self._chunks: dict[str, list[Any]] = {}
        self._prompts: list[Row] = []
        self._places: dict[int, int] = {}
        """Numbers of prompts in the store to their places in the list."""
        self._used = array("l")
        """Of each turn the place of its prompt."""
        self._labels: set[str] = set()
        self._shapes: set[tuple[tuple[str, ...], bool]] = set()
        self.names: dict[str, None] = {}
        """The columns in the order in which rows bring them."""

    def add(self, batch: TurnBatch) -> None:
        """Add the turns of a batch."""
        self._add_prompts(batch.turns.asked)
        turns = batch.turns
        with self._run.store.reading():
            found = found_columns(turns.verdicts, turns.scores, turns.records)
        self._name(turns.asked, turns.scores)
        columns = {
            **{name: [getattr(one, name) for one in batch.spread()] for name in _SESSION if name != "patience"},
            "patience": [self._run.settings.patience] * len(batch),
            **turns._asdict(),
            "truncated": [*map(bool, turns.truncated)],
            "is_judged": [text is not None for text in turns.verdicts],
            **{name: getattr(found, name) for name in ("judged", "satisfied", "ok", *_NESTED)},
            "scores": found.scores if self._always_scores else null_if_empty(found.scores),
            "counted": [*self._counted(batch, found.ok)],
        }
        for name, values in columns.items():
            if name in _TYPES or name in _NESTED:
                self._chunks.setdefault(name, []).append(_chunk(name, values))

    def of_turns(self) -> Iterator[tuple[str, Series[Any]]]:
        """The columns of turns; their chunks are given up one after the other."""
        for name in [name for name in self._chunks if name in self.names]:
            yield name, _series(name, self._chunks.pop(name))

    def of_prompts(self) -> dict[str, Series[Any]]:
        """The columns of prompts, for each turn."""
        import pandas

        own = pandas.DataFrame(self._prompts)
        found = {}
        for name in own.columns:
            column = own[name]
            if name in self._labels and pandas.api.types.infer_dtype(column, skipna=True) == "string":
                column = column.astype("category")
            found[name] = column.take(self._used).reset_index(drop=True)
        return found

    def _add_prompts(self, numbers: Sequence[int]) -> None:
        missing = [number for number in dict.fromkeys(numbers) if number not in self._places]
        prompts = numbered_prompts(self._run.store, missing)
        for number in missing:
            row = prompt_columns(self._scenario, prompts[number])
            self._labels.update(
                f"{self._scenario.name}_{name}" if name in RUN_COLUMNS else name for name in prompts[number].labels
            )
            self._places[number] = len(self._prompts)
            self._prompts.append(row)
        self._used.extend(self._places[number] for number in numbers)

    def _name(self, numbers: Sequence[int], scores: Sequence[str]) -> None:
        """Note the columns that rows bring, in the order in which they do."""
        seat = ("seat",) if len(self._scenario.seats) > 1 else ()
        for number, text in zip(numbers, scores, strict=True):
            shape = (tuple(self._prompts[self._places[number]]), self._always_scores or bool(text))
            if shape not in self._shapes:
                self._shapes.add(shape)
                names = (*_SESSION, "turn", *seat, *shape[0], *TURN_COLUMNS, *(["scores"] if shape[1] else []))
                self.names.update(dict.fromkeys((*names, "counted")))

    def _counted(self, batch: TurnBatch, outcomes: Sequence[bool | None]) -> Iterator[bool]:
        turns = zip(batch.turns.seat, batch.turns.verdicts, outcomes, strict=True)
        for session, length in zip(batch.sessions, batch.lengths, strict=True):
            number = self._number_counted(session, list(islice(turns, length)))
            yield from (place < number for place in range(length))

    def _number_counted(self, session: SessionRow, turns: Sequence[tuple[str, str | None, bool | None]]) -> int:
        """How many turns of a session enter the figures, as `counted_sessions` says: none after exhausted patience."""
        is_shown = self._dialogues is None or session.dialogue in self._dialogues
        if session.ending not in ("finished", "censored") or not is_shown:
            return 0
        known = next((place for place, (_, verdicts, _) in enumerate(turns) if verdicts is None), len(turns))
        targets = [place for place in range(known) if turns[place][0] == "target"]
        number = walk_patience((turns[place][2] for place in targets), self._run.settings.patience).turns
        return known if number == len(targets) else targets[number - 1] + 1


_TYPES = {
    "model": "string", "dialogue": "int64", "epoch": "int64", "ending": "string", "reason": "string",
    "patience": "int64", "turn": "int64", "seat": "string", "answer": "string", "reasoning": "string",
    "truncated": "bool", "served_by": "string", "seconds": "float64", "is_judged": "bool", "judged": "int64",
    "satisfied": "int64", "ok": "bool", "prompt_tokens": "int64", "completion_tokens": "int64", "counted": "bool",
}  # fmt: skip
_NULLABLE = {"patience": "Int64", "ok": "boolean"}


def _chunk(name: str, values: Any) -> Any:
    if name in _NESTED:
        return values
    chunk = arrow().array(values, _TYPES[name])
    return chunk.dictionary_encode() if name in _CATEGORIES else chunk


def _series(name: str, chunks: Sequence[Any]) -> Series[Any]:
    import pandas

    pa = arrow()
    column = pa.chunked_array(chunks)
    if name in _NESTED:
        return pandas.Series(pandas.arrays.ArrowExtensionArray(column))
    if name in _CATEGORIES:
        found = column.unify_dictionaries().to_pandas()
        return found.cat.reorder_categories(sorted(found.cat.categories))
    if name in _NULLABLE:
        return pandas.Series(column.to_pylist(), dtype=_NULLABLE[name])
    return column.to_pandas()
