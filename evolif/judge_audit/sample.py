"""The sample of judged answers that people score: spread evenly over groups, the judge's outcomes and models.

It is drawn once for all reviewers, grows when more answers are requested, and is never redrawn.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError, UsageError
from evolif.judge_audit.files import locked, replace_file
from evolif.judging import JudgeRecord, load_rubric
from evolif.runner import Run, TurnRecord
from evolif.scenario import get_scenario
from evolif.text import Reading, plural
from evolif.types import RELEVANCE, Session, Verdict
from evolif.util.opened import read_text, refuse_links
from evolif.util.resources import complaint
from evolif.util.rng import Purpose, Stream


class VerdictPlace(NamedTuple):
    """Identifies a verdict, without its model and its outcome."""

    session: int
    """The session's number in the run."""
    turn: int
    position: int
    """Among the turn's verdicts, from 0."""


class JudgedVerdict(NamedTuple):
    """One verdict of the judge."""

    place: VerdictPlace
    model: str
    group: str
    accepted: bool


def judged_answers(run: Run) -> Iterator[JudgedVerdict]:
    """The run's verdicts in its order: the population that an audit samples.

    Answers that failed without a call to the judge (empty, too long) have none. If the heuristic `lexical` judged, its
    verdicts are used.
    """
    for model in run.models:
        for number, _ in run.store.sessions(model):
            for record in run.store.turns(number):
                for position, group, accepted in _verdicts(record):
                    yield JudgedVerdict(VerdictPlace(number, record.turn, position), model, group, accepted)


def _verdicts(record: TurnRecord) -> Iterator[tuple[int, str, bool]]:
    """Position, group and outcome of the judge's verdicts on a turn."""
    groups = iter(enumerate(verdict.group for verdict in record.verdicts))
    judged: tuple[JudgeRecord | Verdict, ...] = record.records or record.heuristic
    for one in judged:
        if one.group == RELEVANCE:
            continue  # asked in words of its own, which an audit does not show
        position = next((position for position, group in groups if group == one.group), None)
        if position is not None and one.satisfied is not None and _was_asked(one):
            yield position, one.group, one.satisfied


def _was_asked(one: JudgeRecord | Verdict) -> bool:
    # The heuristic has no record; its verdict on an unreadable answer has no score.
    return bool(one.scores) if isinstance(one, JudgeRecord) else " of 10" in one.found


class Stratum(NamedTuple):
    """A cell of the run, and its number of judged answers."""

    group: str
    accepted: bool
    model: str
    answers: int


class Sample(NamedTuple):
    """The drawn verdicts in the order in which they are shown, and the population they come from."""

    seed: int
    places: tuple[VerdictPlace, ...]
    population: tuple[Stratum, ...]


def population_of(judged: Iterable[JudgedVerdict]) -> tuple[Stratum, ...]:
    """The cells of a run, sorted."""
    counts = Counter((one.group, one.accepted, one.model) for one in judged)
    return tuple(Stratum(*key, counts[key]) for key in sorted(counts))


def deal(judged: Iterable[JudgedVerdict], seed: int, size: int) -> list[VerdictPlace]:
    """`size` places, or all if there are fewer.

    Each (group, outcome) gets one in turn, within it each model, at random within the model. So rare outcomes occur as
    often as frequent ones, no model dominates, and a sample of n is the start of any larger sample.

    Args:
        judged: The whole population, in the run's order.
        seed: Of the draws.
        size: Number of places.
    """
    cells: defaultdict[tuple[str, bool], defaultdict[str, list[VerdictPlace]]] = defaultdict(lambda: defaultdict(list))
    for one in judged:
        cells[one.group, one.accepted][one.model].append(one.place)
    strata = sorted(cells)
    orders = [_shuffled(cells[key], Stream(seed, Purpose.JUDGE_AUDIT, number)) for number, key in enumerate(strata)]
    return list(islice(_round_robin(Stream(seed, Purpose.JUDGE_AUDIT).sample(orders, len(orders))), size))


def shown_order(places: Sequence[VerdictPlace], seed: int) -> list[VerdictPlace]:
    """The order in which a person sees the places: random, so that it reveals nothing about the outcomes."""
    return sorted(places, key=lambda place: blake2b(f"{seed},{tuple(place)}".encode(), digest_size=16).digest())


def _shuffled(models: dict[str, list[VerdictPlace]], stream: Stream) -> Iterator[VerdictPlace]:
    names = stream.sample(sorted(models), len(models))
    return _round_robin([iter(stream.sample(models[name], len(models[name]))) for name in names])


def _round_robin(iterators: Sequence[Iterator[VerdictPlace]]) -> Iterator[VerdictPlace]:
    left = list(iterators)
    while left:
        for iterator in tuple(left):
            place = next(iterator, None)
            if place is None:
                left.remove(iterator)
            else:
                yield place


DEFAULT_SAMPLE = 60
"""Default number of answers to score: an hour or two of work."""

_SAMPLE = "sample.json"

_Count = Annotated[int, Field(ge=0)]


class _SampleFile(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    version: Annotated[int, Field(ge=1, le=1)]
    seed: _Count
    population: tuple[tuple[str, bool, str, Annotated[int, Field(ge=1)]], ...]
    places: tuple[tuple[_Count, Annotated[int, Field(ge=1)], _Count], ...]


def audit_folder(run: Path | str) -> Path:
    """The folder of a run's judge audit."""
    return Path(run) / "judge-audit"


def load_sample(run: Path | str) -> Sample | None:
    """The sample of a run's audit; None if none was drawn.

    Raises:
        InputError: the file does not hold a sample.
    """
    path = audit_folder(run) / _SAMPLE
    try:
        refuse_links(Path(run), ("judge-audit",), ("judge-audit",))
        stored = _SampleFile.model_validate(json.loads(read_text(path)))
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    except ValidationError as fault:
        raise InputError(f"{complaint(fault, 'sample')}; restore the file", path=path) from None
    except (ValueError, RecursionError):
        raise InputError("not a JSON object; restore the file", path=path) from None
    places = tuple(VerdictPlace(*place) for place in stored.places)
    if len(set(places)) < len(places):
        raise InputError("contains an answer twice; restore the file", path=path)
    return Sample(stored.seed, places, tuple(Stratum(*cell) for cell in stored.population))


def draw_sample(run: Run, seed: int | None = None, size: int | None = None) -> Sample:
    """The run's sample: drawn if there is none, extended if a larger one is requested.

    Args:
        run: The run.
        seed: Of the draws; None for that of the existing sample, or 0.
        size: Number of answers; None for that of the existing sample, or `DEFAULT_SAMPLE`.

    Raises:
        UsageError: nothing was judged, the existing sample has another seed or is larger, or the run has changed since.
        OutsideError: the folder cannot be written.
    """
    folder = audit_folder(run.path)
    with locked(folder / ".sample.lock", folder, folder):
        existing = load_sample(run.path)
        if existing is not None:
            _check_existing(run, existing, seed, size)
            if size is None or size == len(existing.places):
                return existing
        judged = list(judged_answers(run))
        if not judged:
            raise UsageError(
                f"no judge has scored an answer of {run.path}; judge it with `evolif rejudge {run.path} --judge MODEL`"
            )
        if existing is None:
            places = shown_order(deal(judged, seed or 0, size or DEFAULT_SAMPLE), seed or 0)
            sample = Sample(seed or 0, tuple(places), population_of(judged))
        else:
            dealt = deal(judged, existing.seed, size or DEFAULT_SAMPLE)
            if population_of(judged) != existing.population or not set(existing.places) <= set(dealt):
                raise UsageError(
                    f"{run.path} has changed since the sample was drawn, so the sample cannot grow; finish it as it is"
                )
            fresh = [place for place in dealt if place not in set(existing.places)]
            sample = existing._replace(places=(*existing.places, *shown_order(fresh, existing.seed)))
        data = {"version": 1, "seed": sample.seed, "population": sample.population, "places": sample.places}
        replace_file(folder / _SAMPLE, json.dumps(data).encode())
        return sample


def _check_existing(run: Run, existing: Sample, seed: int | None, size: int | None) -> None:
    if seed is not None and seed != existing.seed:
        raise UsageError(
            f"the judge audit of {run.path} was drawn with seed {existing.seed}; leave out --seed, or move "
            f"{audit_folder(run.path)} away to start a new audit"
        )
    if size is not None and size < len(existing.places):
        raise UsageError(
            f"the judge audit of {run.path} has {plural(len(existing.places), 'answer')}; it can only grow "
            "(skip with k)"
        )


@dataclass(frozen=True, slots=True)
class AuditItem:
    """A requirement and an answer as a person sees them, without model and verdict. Texts are foreign."""

    number: int
    """Position in the sample, from 1."""
    group: str
    value: str
    """What is required, as in “happy”; empty if the group has no values."""
    description: str
    """The requirement as a sentence."""
    question: str
    scale: tuple[str, ...]
    """A description of a text per pair of scores, as “7-8: …”, lowest first."""
    query: str
    answer: str
    """As the judge saw it: without reasoning, never cut."""
    reaction: tuple[int, int] | None = None
    """The range of the query that reacts to the answer before it, in characters; None for none."""


def read_items(run: Run, sample: Sample) -> list[AuditItem]:
    """The sample's items, in its order.

    Raises:
        UsageError: the run lacks an answer of the sample, or its scenario what the judge was asked.
    """
    scenario = get_scenario(run.settings.scenario)
    items = []
    for number, place, _, record in _sampled_turns(run, sample):
        if record is None or place.position >= len(record.verdicts):
            raise UsageError(f"{run.path} does not contain answer {number} of its judge audit; restore the run")
        criterion = scenario.criteria(record.prompt).get(place.position)
        if criterion is None:
            raise UsageError(
                f"the scenario {scenario.name} does not say what the judge decided on in answer {number} of the judge "
                f"audit of {run.path}; install the version that the run was made with"
            )
        question, scale = (criterion.rubric or load_rubric()).scale(criterion)
        items.append(
            AuditItem(
                number,
                criterion.group,
                criterion.value,
                criterion.description,
                question,
                tuple(scale.split("\n")),
                record.query,
                Reading(record.answer).text,
                scenario.presentation.reaction(record.prompt),
            )
        )
    return items


def sampled_verdicts(run: Run, sample: Sample) -> dict[int, JudgedVerdict]:
    """The judge's verdict on each item of the sample, by number.

    Raises:
        UsageError: the run lacks a verdict.
    """
    verdicts = {}
    for number, place, session, record in _sampled_turns(run, sample):
        if session is not None and record is not None:
            for position, group, accepted in _verdicts(record):
                if position == place.position:
                    verdicts[number] = JudgedVerdict(place, session.model, group, accepted)
        if number not in verdicts:
            raise UsageError(f"{run.path} has no verdict on answer {number} of its judge audit; restore the run")
    return verdicts


def _sampled_turns(run: Run, sample: Sample) -> Iterator[tuple[int, VerdictPlace, Session | None, TurnRecord | None]]:
    """Per item its number, its place, and its session and turn in the run."""
    sessions = dict(run.store.sessions())
    numbers = {place.session for place in sample.places}
    turns = {(number, turn.turn): turn for number in numbers for turn in run.store.turns(number)}
    for number, place in enumerate(sample.places, 1):
        yield number, place, sessions.get(place.session), turns.get((place.session, place.turn))
