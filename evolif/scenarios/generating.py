"""`evolif.generate`: a fresh benchmark of any scenario, by its name."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from evolif.errors import UsageError
from evolif.scenario import DEFAULT_SCENARIO, Benchmark, blaming, get_scenario, options_of
from evolif.util.suggestions import did_you_mean

if TYPE_CHECKING:
    from evolif.models import ModelOptions
    from evolif.scenarios.instructions import InstructionBenchmark as InstructionBenchmark


@overload
def generate(
    out: Path | str,
    *,
    dialogues: int | None = ...,
    seed: int = ...,
    options: ModelOptions | None = ...,
    **settings: Any,
) -> InstructionBenchmark: ...


@overload
def generate(
    out: Path | str,
    *,
    scenario: str,
    options: Mapping[str, Any] | ModelOptions | None = ...,
    dialogues: int | None = ...,
    seed: int = ...,
    **settings: Any,
) -> Benchmark: ...


def generate(
    out: Path | str,
    *,
    scenario: str = DEFAULT_SCENARIO,
    options: Mapping[str, Any] | ModelOptions | None = None,
    dialogues: int | None = None,
    seed: int = 0,
    **settings: Any,
) -> Benchmark:
    """Make a benchmark, or complete one that was made with the same options; the same seed gives the same bytes.

    Args:
        out: The folder to create.
        scenario: What kind of conversation; `evolif scenarios` lists them.
        options: The scenario's own options by name, as `evolif scenarios NAME` lists them. For instruction following
            also a `ModelOptions`, which says how chat models that word turns are called.
        dialogues: How many; the usual number of the scenario, or of its profile, for None.
        seed: Of everything that is drawn.
        settings: Keywords of `evolif.scenarios.instructions.generate`; for instruction following only.

    Raises:
        UsageError: an unknown scenario or option, a value that does not fit, or the folder holds something else.
        OutsideError: the disk or a chat model failed; the same call goes on from there.

    Example:
        ```python
        bench = evolif.generate("games", scenario="games", options={"game": "chess"}, dialogues=4, seed=7)
        ```
    """
    named = options if isinstance(options, Mapping) else {}
    kind = get_scenario(scenario)
    if scenario == DEFAULT_SCENARIO:
        from evolif.scenarios.instructions import generate as make

        if not isinstance(options, Mapping):
            settings["options"] = options
        given, known = {**named, **settings}, {*signature(make).parameters} - {"out", "dialogues", "seed"}
        for name in given:
            if name not in known:
                raise UsageError(f"instruction following has no option {name}{did_you_mean(name, known)}")
        return make(out, dialogues=dialogues, seed=seed, **given)
    if settings:
        raise UsageError(
            f"{', '.join(settings)}: only instruction following has such keywords; the scenario {scenario} takes its "
            "options as options={...}"
        )
    if options is not None and not isinstance(options, Mapping):
        raise UsageError(f"the scenario {scenario} takes its options as a mapping, such as options={{...}}")
    number = kind.usual_dialogues if dialogues is None else dialogues
    with blaming(kind):
        spec = options_of(kind.spec, named, scenario, called="options: ")
        return kind.generate(Path(out), spec, dialogues=number, seed=seed)
