"""The benchmark that a task, a data set or a solver plays: made in the user's cache folder, or opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolif._version import __version__
from evolif.benchmark import open_benchmark
from evolif.errors import EvolifError, UsageError
from evolif.scenario import Benchmark, Scenario, options_of, pairs_of

if TYPE_CHECKING:
    from pydantic import BaseModel


@contextmanager
def told() -> Iterator[None]:
    """Errors of ours as Inspect shows those of its users."""
    from inspect_ai._util.error import PrerequisiteError

    try:
        yield
    except EvolifError as fault:
        raise PrerequisiteError(str(fault)) from None


def parted(scenario: Scenario, options: Mapping[str, Any], *, has_bench: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of `generate`, and of `evaluate`.

    Args:
        scenario: Whose options they are.
        options: By name.
        has_bench: Whether the benchmark is there already, so that no option can change it.

    Raises:
        UsageError: the scenario has no such option.
    """
    played = {key: value for key, value in options.items() if key in scenario.play.model_fields}
    made = {key: value for key, value in options.items() if key not in played}
    if has_bench and made:
        raise UsageError(f"{', '.join(made)} cannot be changed in a benchmark that is there already; leave it out")
    return made, played


def made_bench(scenario: Scenario, options: Mapping[str, Any], dialogues: int | None, seed: int) -> Benchmark:
    """A benchmark in the user's cache, made if it is not there yet.

    Args:
        scenario: Of which kind.
        options: Those of `generate`, as texts or values.
        dialogues: How many; None for the scenario's usual number.
        seed: The same seed makes the same benchmark.

    Raises:
        UsageError: the scenario has no such option.
    """
    from platformdirs import user_cache_dir

    given: dict[str, Any] = {}
    for key, value in options.items():
        given |= pairs_of([f"{key}={value}"], scenario.spec) if isinstance(value, str) else {key: value}
    spec: BaseModel = options_of(scenario.spec, given, scenario.name)
    number = scenario.usual_dialogues if dialogues is None else dialogues
    what = [__version__, scenario.version, spec.model_dump(mode="json"), number, seed]
    name = f"{scenario.name}-{sha256(dumps(what, sort_keys=True).encode()).hexdigest()[:16]}"
    folder = Path(user_cache_dir("evolif", appauthor=False)) / "inspect" / name
    return scenario.generate(folder, spec, dialogues=number, seed=seed)


def opened_bench(path: Path, scenario: str) -> Benchmark:
    """The benchmark of a folder.

    Args:
        path: The folder.
        scenario: Which kind it has to be.

    Raises:
        UsageError: it is of another kind.
    """
    opened = open_benchmark(path)
    if opened.scenario != scenario:
        raise UsageError(f"{path} is a benchmark of {opened.scenario}; evaluate evolif/{opened.scenario}")
    return opened


def pairs(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Options as `--set` is given them."""
    return tuple(f"{key}={_text(value)}" for key, value in options.items())


def _text(value: object) -> str:
    """A value as the text of an option: lists with commas, others as YAML has them."""
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
