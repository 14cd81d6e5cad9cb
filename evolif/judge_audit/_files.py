"""The sample on disk: drawn once for all reviewers, grown when more is asked for, never drawn anew."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif._errors import InputError, OutsideError, UsageError
from evolif._json_lines import complaint
from evolif.judge_audit._population import Place, judged_answers
from evolif.judge_audit._sample import Cell, Sample, deal, population_of, shown_order
from evolif.protocol import Run

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
    places = tuple(Place(*place) for place in told.places)
    if len(set(places)) < len(places):
        raise InputError("names an answer twice; restore the file", path=path)
    return Sample(told.seed, places, tuple(Cell(*cell) for cell in told.population))


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
