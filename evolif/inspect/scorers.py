"""The scorers that Inspect finds: `evolif/figures` for our own tasks, `evolif/evolif_scorer` for any conversation.

Imported by Inspect only.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from inspect_ai.model import get_model
from inspect_ai.scorer import Score, metric, scorer

from evolif.config import EvalConfig
from evolif.inspect.benches import pairs, told
from evolif.inspect.dataset import TURNS, SampleBench, number_of
from evolif.inspect.playing import CUT, TaskPlayer, config_of
from evolif.inspect.replay import MismatchError, Replay, replayed
from evolif.inspect.scores import (
    METRIC,
    OWN_SCORER,
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
    why = explanation(session)
    metadata = {"ending": session.ending, "cause": session.cause, "sums": sums, "headline": main}
    metadata |= {"course": course_of_session(tables, session), "cluster": cluster_of(tables, session)}
    metadata |= {"cut": session.reason} if session.cause == CUT else {}
    if not sums:
        return Score.unscored(reason="refusal", explanation=why, metadata=metadata)
    return Score(value=values_of(sums), explanation=why, metadata=metadata)


def _own_scorer(
    bench: str | None = None,
    patience: int | None = None,
    max_turns: int | None = None,
    judge: str | list[str] = "none",
    judge_rule: str = "mean",
    relevance: str = "none",
    relevance_counts: bool = False,
    **options: Any,
) -> Callable[[Any, Any], Awaitable[Any]]:
    """Judge a conversation that any solver has held, by the rules and with the figures of `evolif evaluate`.

    A sample that `evolif_solver` played has its figures already. In any other one, the messages of the user must be
    those of the dialogue, word for word and in order, and the last answer before the next of them is judged. Where they
    differ, or end before the dialogue does, the sample is unscored, and its explanation says in which turn.

    Args:
        bench: The folder of the benchmark; by default the one of the sample's data set.
        patience: Failed turns in a row that end a dialogue; what was said afterwards does not count. By default as
            the benchmark says.
        max_turns: How many turns count at most; by default as many as the data set gives.
        judge: Models of Inspect for what rules cannot decide.
        judge_rule: How several judges decide.
        relevance: How off-topic answers are told: `none`, `lexical` or `judge`.
        relevance_counts: Whether they fail.
        options: Options of the scenario, as `evolif evaluate --set` takes them.

    Example:
        ```python
        Task(dataset=evolif_dataset("my-bench"), solver=my_own_solver(), scorer=evolif_scorer(patience=2))
        ```
    """

    def config(most: int | None) -> EvalConfig:
        return config_of(
            judge,
            judge_rule=judge_rule,
            relevance=relevance,
            relevance_counts=relevance_counts,
            patience=patience,
            max_turns=most,
            options=pairs(options),
        )

    players: dict[tuple[str, int | None], TaskPlayer] = {}
    with told():
        config(max_turns)

    def player(of: SampleBench) -> TaskPlayer:
        key = (of.path, max_turns or of.max_turns)
        if key not in players:
            players[key] = TaskPlayer(of.open(), config(key[1]), get_model)
        return players[key]

    async def judge_it(state: Any, target: object) -> Any:
        stored = state.store.get(STORE)
        if stored is not None:
            return score_of(stored)
        with told():
            own = player(SampleBench.of(state.metadata, bench))
            script = state.metadata.get(TURNS)
            number = number_of(state)
            replay = Replay(str(state.model), state.messages, number, None if script is None else len(script))
            try:
                session = await replayed(own, replay, number, state.epoch)
            except MismatchError as fault:
                return Score.unscored(reason="scoring_failed", explanation=str(fault))
            stored = session_object(session, own.settings(replay))
        judged = score_of(stored)
        judged.metadata["session"] = stored
        return judged

    return judge_it


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
    metadata = [one.score.metadata or {} for one in scores]
    main = next((str(one["headline"]) for one in metadata if one.get("headline")), "")
    clusters = [own.get("cluster", one.sample_id) for one, own in zip(scores, metadata, strict=True)]
    return main, list(zip(clusters, weighed(metadata), strict=True))


pool_sums = metric(METRIC, scores="unreduced")(_pooled)
stderr = metric("stderr", scores="unreduced")(_stderr)
interval = metric("interval", scores="unreduced")(_interval)
figures = scorer(metrics=[pool_sums(), stderr(), interval()], name=SCORER)(_figures)
evolif_scorer = scorer(metrics=[pool_sums(), stderr(), interval()], name=OWN_SCORER)(_own_scorer)
