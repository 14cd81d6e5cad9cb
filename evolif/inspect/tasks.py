"""The tasks that Inspect finds: `evolif/SCENARIO` for each scenario, with a solver that plays and a scorer.

This module is the entry point `evolif` of the group `inspect_ai`; it is imported by Inspect only.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, metric, scorer
from inspect_ai.solver import solver

from evolif._version import __version__
from evolif.benchmark import open_benchmark
from evolif.errors import EvolifError, UsageError
from evolif.exchange import canary_of
from evolif.inspect.messages import to_inspect
from evolif.inspect.playing import CUT, TaskPlayer, TaskSession, config_of, cut_short
from evolif.inspect.scores import (
    METRIC,
    SCORER,
    STORE,
    cluster_of,
    course_of_session,
    explanation,
    headline_error,
    headline_interval,
    pooled,
    session_object,
    session_of,
    sums_of,
    tables_of_session,
    values_of,
    weighed,
)
from evolif.runner.shutdown import run_to_end
from evolif.scenario import Benchmark, Scenario, Services, get_scenario, options_of, pairs_of, scenario_names
from evolif.types import End, Session

if TYPE_CHECKING:
    from pydantic import BaseModel


PLAY = "play"
"""The name of the solver."""


def _make(name: str) -> Callable[..., Any]:
    """The task of a scenario, which is imported when the task is created."""

    def scenario_task(
        bench: str | None = None,
        seed: int = 0,
        dialogues: int | None = None,
        patience: int | None = None,
        max_turns: int | None = None,
        judge: str | list[str] = "none",
        judge_rule: str = "mean",
        relevance: str = "none",
        relevance_counts: bool = False,
        feedback: str = "none",
        context: str = "full",
        context_model: str | None = None,
        partner: str | None = None,
        system_prompt: bool = True,
        **options: Any,
    ) -> Any:
        """Play the dialogues of a benchmark, made here or of a folder; names of models are Inspect's."""
        with _told():
            scenario = get_scenario(name)
            made, played = _parted(scenario, options, has_bench=bench is not None)
            opened = _made(scenario, made, dialogues, seed) if bench is None else _of_folder(Path(bench), name)
            config = config_of(
                judge,
                judge_rule=judge_rule,
                relevance=relevance,
                relevance_counts=relevance_counts,
                patience=patience,
                max_turns=max_turns,
                feedback=feedback,
                context=context,
                context_model=context_model,
                partner=partner,
                system_prompt=system_prompt,
                options=tuple(f"{key}={_text(value)}" for key, value in played.items()),
                seed=seed,
            )
            return _task(scenario, opened, TaskPlayer(opened, config, get_model))

    scenario_task.__name__ = name
    return scenario_task


def _task(scenario: Scenario, bench: Benchmark, player: TaskPlayer) -> Any:
    return Task(
        dataset=MemoryDataset(_samples(scenario, bench), name=f"{scenario.name} {bench.identity}"),
        setup=_own_solver(scenario.name),
        solver=_solver(player),
        scorer=figures(),
        headline_metric=HeadlineMetric(scorer=SCORER, metric=player.headline()),
        name=scenario.name,
        version=scenario.version,
        metadata={"evolif": __version__, "benchmark": bench.identity, "canary": canary_of(bench.identity)},
    )


def _samples(scenario: Scenario, bench: Benchmark) -> list[Any]:
    """One for each dialogue, with its first prompt, and what it is about."""
    environment = scenario.environment(bench, scenario.play(), Services())

    async def first(dialogue: int) -> str:
        try:
            prompt = await environment.prompt(dialogue, ())
        except EvolifError:  # it has to be written first
            return scenario.title
        return scenario.title if isinstance(prompt, End) else prompt.query

    async def sample(dialogue: int) -> Any:
        about = {"dialogue": dialogue, **scenario.about(bench, dialogue)}
        target = ", ".join(about.get("groups", ())) or f"every {scenario.presentation.requirement}"
        return Sample(input=await first(dialogue), id=dialogue, target=target, metadata=about)

    async def all_first() -> list[Any]:
        return [await sample(dialogue) for dialogue in bench.dialogues()]

    return run_to_end(all_first())


def _solver(player: TaskPlayer) -> Any:
    """Plays the dialogue of a sample until it ends."""

    async def solve(state: Any, generate: object) -> Any:
        model = get_model()
        latest: list[TaskSession] = []

        def keep(played: TaskSession) -> None:
            latest[:] = [played]
            if not state.metadata.get("ending"):
                state.messages = []  # the first turn comes with all that stands before it
                state.metadata["ending"] = RUNNING
            # One by one: a list of Inspect's counts them, and raises where there may be no more.
            for message in played.played.messages[len(state.messages) :]:
                state.messages.append(to_inspect(message))

        def close(session: Session) -> None:
            state.store.set(STORE, session_object(session, player.settings(model)))
            state.metadata |= {"ending": session.ending, "cause": session.cause}
            state.output = state.output if latest[-1].output is None else latest[-1].output

        try:
            played = await player.play(model, int(state.sample_id), state.epoch, keep)
        except BaseException as fault:
            why = why_cut(fault)
            if why and latest and latest[-1].session.turns:
                close(cut_short(latest[-1].session, why))
            raise
        keep(played)
        close(played.session)
        state.completed = True
        return state

    def play() -> Any:
        return solve

    return solver(name=PLAY)(play)()


RUNNING = "running"
"""What a sample's metadata says of its ending as long as it is played."""
_STOPPED = "stopped by its user"


def why_cut(fault: BaseException) -> str:
    """Which limit of Inspect ended a dialogue, in words; empty for a fault, which counts for nothing."""
    from asyncio import CancelledError

    from inspect_ai.util import LimitExceededError

    if isinstance(fault, LimitExceededError):
        return f"its {fault.type} limit"
    return _STOPPED if isinstance(fault, CancelledError | KeyboardInterrupt) else ""


def _own_solver(scenario: str) -> Any:
    """Refuses to run where the solver was replaced, before any call is made: another one cannot play a dialogue."""

    async def check(state: Any, generate: object) -> Any:
        from inspect_ai._util.error import PrerequisiteError
        from inspect_ai.log._samples import sample_active

        active = sample_active()
        named = None if active is None else active.agent_name
        if named not in (None, PLAY):
            raise PrerequisiteError(
                f"evolif/{scenario} plays its dialogues turn by turn with a solver of its own, and {named} would "
                "answer the first message only; leave --solver out"
            )
        return state

    def own_solver() -> Any:
        return check

    return solver(name="own_solver")(own_solver)()


def _figures() -> Callable[[Any, Any], Awaitable[Any]]:
    """The figures of a session; its sums are in the metadata."""

    async def score(state: Any, target: object) -> Any:
        stored = state.store.get(STORE)
        if stored is None:
            return Score.unscored(reason="scoring_failed", explanation="no turn of the dialogue was played to its end")
        return score_of(stored)

    return score


def score_of(stored: Mapping[str, Any]) -> Any:
    """The `Score` of a session that is stored with its sample, as `session_object` gives it."""
    session = session_of(stored)
    tables = tables_of_session(stored)
    sums, main = sums_of(tables, session), tables[0].main if tables else ""
    told = explanation(session)
    metadata = {"ending": session.ending, "cause": session.cause, "sums": sums, "headline": main}
    metadata |= {"course": course_of_session(tables, session), "cluster": cluster_of(tables, session)}
    metadata |= {"cut": session.reason} if session.cause == CUT else {}
    if not sums:
        return Score.unscored(reason="refusal", explanation=told, metadata=metadata)
    return Score(value=values_of(sums), explanation=told, metadata=metadata)


def _pooled() -> Callable[[Sequence[Any]], Mapping[str, float]]:
    """The figures of a run: ratios of sums over sessions, as a report gives them."""

    def pool(scores: Sequence[Any]) -> Mapping[str, float]:
        return pooled(weighed([one.score.metadata or {} for one in scores]))

    return pool


def _stderr() -> Callable[[Sequence[Any]], float]:
    """The standard error of the headline, over dialogues."""

    def spread(scores: Sequence[Any]) -> float:
        found = headline_error(*_rows(scores))
        return math.nan if found is None else found

    return spread


def _interval() -> Callable[[Sequence[Any]], Mapping[str, float]]:
    """The 95 % interval of the headline over dialogues, as a report has it; nothing over fewer than six."""

    def ends(scores: Sequence[Any]) -> Mapping[str, float]:
        return headline_interval(*_rows(scores))

    return ends


def _rows(scores: Sequence[Any]) -> tuple[str, list[tuple[Any, Mapping[str, Sequence[float]]]]]:
    """The headline, and of each score what it is resampled with, and its sums."""
    told = [one.score.metadata or {} for one in scores]
    main = next((str(metadata["headline"]) for metadata in told if metadata.get("headline")), "")
    clusters = [metadata.get("cluster", one.sample_id) for one, metadata in zip(scores, told, strict=True)]
    return main, list(zip(clusters, weighed(told), strict=True))


pool_sums = metric(METRIC, scores="unreduced")(_pooled)
stderr = metric("stderr", scores="unreduced")(_stderr)
interval = metric("interval", scores="unreduced")(_interval)
figures = scorer(metrics=[pool_sums(), stderr(), interval()], name=SCORER)(_figures)
for _name in scenario_names():
    globals()[_name] = task(name=_name)(_make(_name))


@contextmanager
def _told() -> Any:
    """Errors of ours as Inspect shows those of its users."""
    from inspect_ai._util.error import PrerequisiteError

    try:
        yield
    except EvolifError as fault:
        raise PrerequisiteError(str(fault)) from None


def _parted(
    scenario: Scenario, options: Mapping[str, Any], *, has_bench: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of `generate`, and of `evaluate`.

    Raises:
        UsageError: the scenario has no such option.
    """
    played = {key: value for key, value in options.items() if key in scenario.play.model_fields}
    made = {key: value for key, value in options.items() if key not in played}
    if has_bench and made:
        raise UsageError(f"{', '.join(made)} cannot be changed in a benchmark that is there already; leave it out")
    return made, played


def _made(scenario: Scenario, options: Mapping[str, Any], dialogues: int | None, seed: int) -> Benchmark:
    """A benchmark in the user's cache, made if it is not there yet."""
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


def _of_folder(path: Path, scenario: str) -> Benchmark:
    opened = open_benchmark(path)
    if opened.scenario != scenario:
        raise UsageError(f"{path} is a benchmark of {opened.scenario}; evaluate evolif/{opened.scenario}")
    return opened


def _text(value: object) -> str:
    """A value as the text of an option: lists with commas, others as YAML has them."""
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
