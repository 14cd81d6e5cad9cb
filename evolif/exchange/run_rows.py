"""The rows of a run, one per answered turn, read in batches: no more than a batch is in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite
from typing import Any, NamedTuple

from evolif.exchange.rows import FIELD, Row, canary_of, extension, has_witness, own_columns
from evolif.runner import Run, shared_settings
from evolif.runner.records import load_json
from evolif.runner.turn_rows import SessionRow, TurnBatch, first_uses, numbered_prompts, turn_batches
from evolif.scenario import Scenario, blaming, get_scenario
from evolif.types import Prompt

SESSION_COLUMNS = ("canary", "model", "dialogue", "epoch", "ending", "reason", "patience")
TURN_COLUMNS = (
    "answer", "reasoning", "truncated", "served_by", "seconds", "is_judged", "judged", "satisfied", "ok", "verdicts",
    "judge_scores", "prompt_tokens", "completion_tokens",
)  # fmt: skip
RUN_COLUMNS = frozenset({*SESSION_COLUMNS, "turn", "seat", *TURN_COLUMNS, "scores", "withheld", FIELD})
"""Columns of every run's rows; the others are those of its prompts."""
_MOST_PROMPTS = 4096
"""Columns of so many prompts are kept in memory: models and epochs share them."""
_MOST_DIALOGUES = 1024
"""Answer keys of so many dialogues are kept in memory."""
_HIDDEN = frozenset({"endpoints", "judge_endpoints", "other_endpoints"})
"""Settings that are left out: they describe this machine."""


class PromptColumns(NamedTuple):
    """The columns of a prompt."""

    own: Row
    """As the scenario gives them, without answer keys."""
    keys: Row
    """Its answer keys; empty without `with_witness`."""


class RunRows:
    """The rows of a run.

    Args:
        run: The run; it must stay open.
        with_witness: Include the answer key. Without it, answers that contain a witness of their dialogue, as those of
            simulated models do, are left out too: `answer` is null and `withheld` true.

    Raises:
        UsageError: the scenario is not installed.
    """

    def __init__(self, run: Run, *, with_witness: bool) -> None:
        self.run = run
        self.scenario = get_scenario(run.settings.scenario)
        self.canary = canary_of(run.settings.benchmark)
        self.hides_expected = self.scenario.rows.expected_is_key and not with_witness
        self.has_seats = len(self.scenario.seats) > 1
        self.always_scores = self.scenario.table({}) is not None
        self._with_witness = with_witness
        self._known: dict[int, PromptColumns] = {}
        self._keys: dict[int, set[str]] = {}

    def __iter__(self) -> Iterator[Row]:
        """The rows, by model, epoch, dialogue and turn.

        Raises:
            UsageError: the scenario is broken, or the file was edited so that it cannot be read.
        """
        first = True
        for batch in turn_batches(self.run.store):
            for row in self.rows_of(batch):
                row[FIELD] = self.extension(first=first)
                first = False
                yield row

    def extension(self, *, first: bool) -> Row:
        """The field `evolif` of a row: settings of the run in the first one."""
        if not first:
            return extension()
        settings = shared_settings(self.run.settings)
        return extension(run={name: one for name, one in settings.items() if name not in _HIDDEN})

    def skeletons(self) -> Iterator[Row]:
        """Rows with the columns of prompts alone, each prompt once: what a schema is worked out from.

        Their columns, and the order of these, are those of the rows.
        """
        for prompt, has_scores in first_uses(self.run.store):
            columns = self._columns_of(prompt)
            seat = ("seat",) if self.has_seats else ()
            scores = ("scores",) if has_scores or self.always_scores else ()
            yield {
                **dict.fromkeys((*SESSION_COLUMNS, "turn", *seat)),
                **columns.own,
                **dict.fromkeys((*TURN_COLUMNS, *scores, "withheld")),
                **columns.keys,
                FIELD: None,
            }

    def rows_of(self, batch: TurnBatch) -> Iterator[Row]:
        """The rows of a batch, without the field `evolif`."""
        columns = self.prompts(batch.turns.asked)
        turns = zip(*batch.turns, strict=True)
        for session, length in zip(batch.sessions, batch.lengths, strict=True):
            keys = self.keys_of(session.dialogue)
            with self.run.store.reading():
                own = [self._row(session, keys, columns, values) for values in islice(turns, length)]
            yield from own

    def prompts(self, numbers: Sequence[int]) -> Mapping[int, PromptColumns]:
        """The columns of prompts by their numbers in the store; maybe those of others, too."""
        missing = set(numbers) - self._known.keys()
        if len(self._known) + len(missing) > _MOST_PROMPTS:
            self._known.clear()
            missing = set(numbers)
        for number, prompt in numbered_prompts(self.run.store, missing).items():
            self._known[number] = self._columns_of(prompt)
        return self._known

    def keys_of(self, dialogue: int) -> set[str]:
        """The answer keys for which answers of a dialogue are left out; none with `with_witness`."""
        if self._with_witness:
            return set()
        if dialogue not in self._keys:
            if len(self._keys) >= _MOST_DIALOGUES:
                self._keys.clear()
            prompts = self.run.store.asked(dialogue)
            with blaming(self.scenario):
                self._keys[dialogue] = {key for prompt in prompts for key in self.scenario.rows.keys(prompt)}
        return self._keys[dialogue]

    def _columns_of(self, prompt: Prompt) -> PromptColumns:
        own = prompt_columns(self.scenario, prompt)
        if not self._with_witness:
            return PromptColumns(own, {})
        taken = {*RUN_COLUMNS, *own}
        with blaming(self.scenario):
            return PromptColumns(own, own_columns(self.scenario, self.scenario.rows.key_row(prompt), taken))

    def _row(
        self, session: SessionRow, keys: set[str], columns: Mapping[int, PromptColumns], values: tuple[Any, ...]
    ) -> Row:
        turn, asked, seat, answer, reasoning, truncated, served_by, seconds, verdicts, scores, records, *tokens = values
        found, judges = verdict_rows(verdicts), judge_score_rows(records)
        judged = [one["satisfied"] for one in found if one["satisfied"] is not None]
        given = score_rows(scores)
        if self.hides_expected:
            for one in (*found, *given):
                one["expected"] = ""
        withheld = has_witness(answer, keys)
        return {
            "canary": self.canary,
            "model": session.model,
            "dialogue": session.dialogue,
            "epoch": session.epoch,
            "ending": session.ending,
            "reason": session.reason,
            "patience": self.run.settings.patience,
            "turn": turn,
            **({"seat": seat} if self.has_seats else {}),
            **columns[asked].own,
            "answer": None if withheld else answer,
            "reasoning": reasoning,
            "truncated": bool(truncated),
            "served_by": served_by,
            "seconds": seconds,
            "is_judged": verdicts is not None,
            "judged": len(judged),
            "satisfied": sum(judged),
            "ok": all(judged) if judged else None,
            "verdicts": found,
            "judge_scores": judges,
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            **({"scores": given} if given or self.always_scores else {}),
            "withheld": withheld,
            **columns[asked].keys,
        }


def prompt_columns(scenario: Scenario, prompt: Prompt) -> Row:
    """The columns of a prompt in the rows of a run, without answer keys.

    Raises:
        UsageError: the scenario is broken, or gives a column that is not JSON.
    """
    with blaming(scenario):
        return own_columns(scenario, scenario.rows.row(prompt), RUN_COLUMNS)


def verdict_rows(text: str | None) -> list[Row]:
    """The stored verdicts of a turn as rows have them; none for a turn that is not judged yet."""
    if text is None:
        return []
    return [
        {
            "group": one["group"],
            "satisfied": one["satisfied"],
            "expected": one["expected"],
            "found": one["found"],
            "spans": [_span(*span) for span in one["spans"]],
        }
        for one in load_json(text)
    ]


def _span(start: int, end: int, view: str = "content") -> Row:
    return {"start": start, "end": end, "view": view}


def score_rows(text: str) -> list[Row]:
    """The stored scores of a turn as rows have them; numbers that JSON has not are null."""
    return [_score(*one) for one in load_json(text)] if text else []


def _score(name: str, value: float | None, expected: str = "", found: str = "") -> Row:
    known = value if value is not None and isfinite(value) else None
    return {"name": name, "value": known, "expected": expected, "found": found}


def judge_score_rows(text: str) -> list[Row]:
    """What each judge model said of each criterion of a turn, as rows have it."""
    return [
        {"group": one["group"], **{name: score[name] for name in ("judge", "score", "rationale", "problem")}}
        for one in (load_json(text) if text else ())
        for score in one["scores"]
    ]
