"""The sample: dealt out evenly over groups, the judge's outcomes and models, and what it stands for."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.constraints import describe, format_of, get_group
from evolif.errors import InputError, OutsideError, UsageError
from evolif.judging import JudgeRecord, load_rubric
from evolif.resources import complaint
from evolif.rng import Purpose, Stream
from evolif.runner import Run, TurnRecord
from evolif.text import Reading
from evolif.types import Verdict

# Every subjective constraint of a run that a judge came to a verdict on: what an audit draws from.

AskedConstraints = Mapping[tuple[int, int], tuple[tuple[int, str], ...]]
"""Per (dialogue, turn) the positions and groups of its subjective constraints."""


class VerdictPlace(NamedTuple):
    """Where a verdict stands: names neither the model nor what was decided."""

    session: int
    """The run's own number of the session."""
    turn: int
    constraint: int
    """Position in the turn's instruction, from 0."""


class JudgedVerdict(NamedTuple):
    """One verdict of the judge."""

    place: VerdictPlace
    model: str
    group: str
    accepted: bool


def judged_answers(run: Run) -> Iterator[JudgedVerdict]:
    """The verdicts in the run's order.

    Answers that failed without the judge being asked (empty, too long) are none of its verdicts; where the heuristic
    `lexical` judged, its own verdicts are taken.
    """
    asked = subjective_of(run)
    for model in run.models:
        for number, session in run.store.sessions(model):
            for record in run.store.turns(number):
                for position, group, accepted in _verdicts(record, asked.get((session.dialogue, record.turn), ())):
                    yield JudgedVerdict(VerdictPlace(number, record.turn, position), model, group, accepted)


def subjective_of(run: Run) -> AskedConstraints:
    """The positions and groups of the subjective constraints of every asked turn."""
    found = {}
    for facts in run.facts():
        subjective = tuple((i, c.group) for i, c in enumerate(facts.constraints) if get_group(c.group).subjective)
        found[facts.dialogue, facts.turn] = subjective
    return found


def verdict_at(record: TurnRecord, subjective: tuple[tuple[int, str], ...], position: int) -> bool | None:
    """What the judge said of the constraint at a position; None where it has no verdict."""
    return next((accepted for at, _, accepted in _verdicts(record, subjective) if at == position), None)


def _verdicts(record: TurnRecord, subjective: tuple[tuple[int, str], ...]) -> Iterator[tuple[int, str, bool]]:
    told: tuple[JudgeRecord | Verdict, ...] = record.records or record.heuristic
    if [one.group for one in told] != [group for _, group in subjective]:
        return  # not judged, or by a judge of another evolif
    for (position, group), one in zip(subjective, told, strict=True):
        if one.satisfied is not None and _was_asked(one):
            yield position, group, one.satisfied


def _was_asked(one: JudgeRecord | Verdict) -> bool:
    # The heuristic has no record; its word on an answer that it could not read holds no score.
    return bool(one.scores) if isinstance(one, JudgeRecord) else " of 10" in one.found


class Stratum(NamedTuple):
    """How many judged answers of the run are alike in what the sample is dealt by."""

    group: str
    accepted: bool
    model: str
    answers: int


class Sample(NamedTuple):
    """What was drawn, in the order in which it is shown, and out of what."""

    seed: int
    places: tuple[VerdictPlace, ...]
    population: tuple[Stratum, ...]


def population_of(judged: Iterable[JudgedVerdict]) -> tuple[Stratum, ...]:
    """The cells of a run, sorted."""
    counts = Counter((one.group, one.accepted, one.model) for one in judged)
    return tuple(Stratum(*key, counts[key]) for key in sorted(counts))


def deal(judged: Iterable[JudgedVerdict], seed: int, size: int) -> list[VerdictPlace]:
    """`size` places, or all where there are fewer.

    They are dealt one by one: to each (group, outcome) in turn, and within it to each model in turn, at random within
    the model. So rare outcomes are there as often as frequent ones, no model fills the sample, and the first n of a
    larger deal are the deal of n.

    Args:
        judged: The whole population, in the run's order.
        seed: Of the draws.
        size: How many.
    """
    cells: defaultdict[tuple[str, bool], defaultdict[str, list[VerdictPlace]]] = defaultdict(lambda: defaultdict(list))
    for one in judged:
        cells[one.group, one.accepted][one.model].append(one.place)
    strata = sorted(cells)
    hands = [_hand(cells[key], Stream(seed, Purpose.JUDGE_AUDIT, number)) for number, key in enumerate(strata)]
    return list(islice(_in_turn(Stream(seed, Purpose.JUDGE_AUDIT).sample(hands, len(hands))), size))


def shown_order(places: Sequence[VerdictPlace], seed: int) -> list[VerdictPlace]:
    """The order in which a person sees what was dealt: at random, so that it tells nothing of the outcomes."""
    return sorted(places, key=lambda place: blake2b(f"{seed},{tuple(place)}".encode(), digest_size=16).digest())


def _hand(models: dict[str, list[VerdictPlace]], stream: Stream) -> Iterator[VerdictPlace]:
    names = stream.sample(sorted(models), len(models))
    return _in_turn([iter(stream.sample(models[name], len(models[name]))) for name in names])


def _in_turn(hands: Sequence[Iterator[VerdictPlace]]) -> Iterator[VerdictPlace]:
    """One of each, again and again, until all are empty."""
    left = list(hands)
    while left:
        for hand in tuple(left):
            place = next(hand, None)
            if place is None:
                left.remove(hand)
            else:
                yield place


# The sample on disk: drawn once for all reviewers, grown when more is asked for, never drawn anew.

DEFAULT_SAMPLE = 60
"""Answers that a person scores where nobody says how many: an hour or two."""

_SAMPLE = "sample.json"
_PATIENCE = 10.0
"""Seconds to wait for another reviewer's draw."""

_Count = Annotated[int, Field(ge=0)]


class _SampleFile(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    version: Annotated[int, Field(ge=1, le=1)]
    seed: _Count
    population: tuple[tuple[str, bool, str, Annotated[int, Field(ge=1)]], ...]
    places: tuple[tuple[_Count, Annotated[int, Field(ge=1)], _Count], ...]


def audit_folder(run: Path | str) -> Path:
    """Where a run keeps its judge audit."""
    return Path(run) / "judge-audit"


def load_sample(run: Path | str) -> Sample | None:
    """The sample of a run's audit; None where none was drawn.

    Raises:
        InputError: the file is there and no sample.
    """
    path = audit_folder(run) / _SAMPLE
    try:
        told = _SampleFile.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    except ValidationError as fault:
        raise InputError(f"{complaint(fault, 'sample')}; restore the file", path=path) from None
    except (ValueError, RecursionError):
        raise InputError("not a JSON object; restore the file", path=path) from None
    places = tuple(VerdictPlace(*place) for place in told.places)
    if len(set(places)) < len(places):
        raise InputError("names an answer twice; restore the file", path=path)
    return Sample(told.seed, places, tuple(Stratum(*cell) for cell in told.population))


def draw_sample(run: Run, seed: int | None = None, size: int | None = None) -> Sample:
    """The run's sample: drawn where there is none, grown where a larger one is asked for.

    Args:
        run: The run.
        seed: Of the draws; None for that of the sample there is, else 0.
        size: How many answers; None for those there are, else `DEFAULT_SAMPLE`.

    Raises:
        UsageError: nothing was judged, the sample there is has another seed or is larger, or the run has changed since.
        OutsideError: the folder cannot be written.
    """
    with _locked(audit_folder(run.path)):
        had = load_sample(run.path)
        if had is not None:
            _agrees(run, had, seed, size)
            if size is None or size == len(had.places):
                return had
        judged = list(judged_answers(run))
        if not judged:
            raise UsageError(
                f"no judge has scored an answer of {run.path}; judge it with `evolif rejudge {run.path} --judge MODEL`"
            )
        if had is None:
            places = shown_order(deal(judged, seed or 0, size or DEFAULT_SAMPLE), seed or 0)
            sample = Sample(seed or 0, tuple(places), population_of(judged))
        else:
            dealt = deal(judged, had.seed, size or DEFAULT_SAMPLE)
            if population_of(judged) != had.population or not set(had.places) <= set(dealt):
                raise UsageError(
                    f"{run.path} holds other judged answers than when the sample was drawn, so that it cannot grow; "
                    "finish it as it is"
                )
            fresh = [place for place in dealt if place not in set(had.places)]
            sample = had._replace(places=(*had.places, *shown_order(fresh, had.seed)))
        _write(audit_folder(run.path) / _SAMPLE, sample)
        return sample


def _agrees(run: Run, had: Sample, seed: int | None, size: int | None) -> None:
    if seed is not None and seed != had.seed:
        raise UsageError(
            f"the judge audit of {run.path} was drawn with seed {had.seed}; leave --seed away, or move "
            f"{audit_folder(run.path)} elsewhere to begin another one"
        )
    if size is not None and size < len(had.places):
        raise UsageError(
            f"the judge audit of {run.path} has {len(had.places)} answers; it can grow, not shrink (skip with k)"
        )


def _write(path: Path, sample: Sample) -> None:
    told = {
        "version": 1,
        "seed": sample.seed,
        "population": [list(cell) for cell in sample.population],
        "places": [list(place) for place in sample.places],
    }
    temporary = path.with_suffix(".tmp")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            json.dump(told, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as fault:
        raise _unwritable(path, fault) from None


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(exist_ok=True)
        lock = FileLock(folder / ".sample.lock", timeout=_PATIENCE)
        lock.acquire()
    except Timeout:
        raise OutsideError(f"{folder} has been held for {_PATIENCE:.0f} seconds; is another review hanging?") from None
    except OSError as fault:
        raise _unwritable(folder, fault) from None
    try:
        yield
    finally:
        lock.release()


def _unwritable(path: Path, fault: OSError) -> OutsideError:
    return OutsideError(f"{path} cannot be written ({fault.strerror}); make the folder writable")


# What a person is shown of a judged answer: what the judge was shown, and the query; nothing of what it said.


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One constraint of one answer. No field tells the model or the judge's verdict. Texts are foreign."""

    number: int
    """Place in the sample, from 1."""
    group: str
    value: str
    """The constraint's value, as in “happy”."""
    constraint: str
    """The constraint as a sentence."""
    question: str
    scale: tuple[str, ...]
    """Per pair of scores what a text is like, as “7-8: …”, lowest first."""
    query: str
    answer: str
    """As the judge was shown it: without reasoning, never cut."""


def read_items(run: Run, sample: Sample) -> list[AuditItem]:
    """The sample's items, in its order.

    Raises:
        UsageError: the run does not hold an answer of the sample.
    """
    facts = {(one.dialogue, one.turn): one for one in run.facts()}
    dialogues = {number: session.dialogue for number, session in run.store.sessions()}
    wanted = {place.session for place in sample.places}
    turns = {(number, turn.turn): turn for number in wanted for turn in run.store.turns(number)}
    items = []
    for number, place in enumerate(sample.places, 1):
        record = turns.get((place.session, place.turn))
        asked = facts.get((dialogues.get(place.session, -1), place.turn))
        if record is None or asked is None or place.constraint >= len(asked.constraints):
            raise UsageError(f"{run.path} does not hold answer {number} of its judge audit; restore the run")
        constraint = asked.constraints[place.constraint]
        question, scale = load_rubric().scale(constraint)
        items.append(
            AuditItem(
                number,
                constraint.group,
                str(constraint.params.get(constraint.group, "")),
                describe(constraint, format_of(asked.constraints)),
                question,
                tuple(scale.split("\n")),
                asked.query,
                Reading(record.answer).text,
            )
        )
    return items
