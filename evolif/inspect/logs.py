"""A run as logs of Inspect: one for each model, with a sample for each session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias
from uuid import UUID, uuid5

from evolif._version import __version__
from evolif.errors import UsageError
from evolif.exchange import canary_of
from evolif.exchange.rows import has_witness, keys_of
from evolif.inspect.messages import to_inspect
from evolif.inspect.scores import (
    METRIC,
    SCORER,
    STORE,
    cluster_of,
    course_of_session,
    explanation,
    headline_error,
    session_object,
    session_of,
    values_of,
)
from evolif.report import ModelAnalysis, RunAnalysis
from evolif.runner import Run, TurnRecord
from evolif.runner.store_file import FILE_NAME
from evolif.types import Message, Session, Usage

_NAMESPACE = UUID("0b7d7b0e-6f1d-4b7e-8f6b-3c1f6ad0a9c2")
"""Part of the format: the same run has the same ids in every export."""
_WITHHELD = "(left out: the answer contains an answer key)"


@dataclass(frozen=True, slots=True)
class WrittenLogs:
    """What was written."""

    turns: int
    withheld: int
    """Answers that are left out because they contain an answer key."""


def write_logs(run: Run, folder: Path, *, with_witness: bool) -> WrittenLogs:
    """Write a log `NUMBER-MODEL.eval` for each model of a run.

    Args:
        run: The run.
        folder: An existing folder.
        with_witness: Keep answers that contain answer keys, and what gives them away.

    Raises:
        UsageError: Inspect is not installed, or the scenario is not.
    """
    try:
        from inspect_ai.log import write_eval_log
    except ImportError:
        raise UsageError("the format inspect needs inspect-ai; install evolif[inspect]") from None
    analysis, keys = RunAnalysis(run), keys_of(run)
    turns = withheld = 0
    for number, model in enumerate(analysis.models, start=1):
        counted = _sums(model)
        samples = []
        for session, records in run.transcripts(model.name):
            shown = [
                record
                if with_witness or not has_witness(record.answer, keys.get(session.dialogue, set()))
                else replace(record, answer=_WITHHELD, reasoning="")
                for record in records
            ]
            withheld += sum(one is not record for one, record in zip(shown, records, strict=True))
            turns += len(records)
            samples.append(
                _sample(model, session, shown, counted.get((session.dialogue, session.epoch)), hide=not with_witness)
            )
        name = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in model.name)
        write_eval_log(_log(model, samples), str(folder / f"{number:02}-{name[:80]}.eval"), format="eval")
    return WrittenLogs(turns, withheld)


_Sums: TypeAlias = Mapping[str, Sequence[float]]


def _sums(model: ModelAnalysis) -> dict[tuple[int, int], _Sums]:
    """Dialogue and epoch of the sessions that count to metrics, each with numerator and denominator."""
    found: dict[tuple[int, int], dict[str, Sequence[float]]] = {}
    for table in model.of.tables:
        for session, row in zip(model.counted, table.rows(model.counted), strict=True):
            own = found.setdefault((session.dialogue, session.epoch), {})
            own.update({name: [row[place] for place in table.places(name)] for name in table.ratios})
    return dict(found)


def _sample(
    model: ModelAnalysis, session: Session, records: Sequence[TurnRecord], sums: _Sums | None, *, hide: bool
) -> Any:
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ModelOutput

    of, targets = model.of, [record for record in records if record.prompt.seat == "target"]
    whole = replace(session, turns=tuple(record.judged for record in records), later=())
    stored = session_object(whole, of.settings, hide_expected=hide and of.scenario.rows.expected_is_key)
    messages = [to_inspect(message, **more) for record in targets for message, more in _told(record, model.name)]
    usage = sum((record.usage for record in targets), Usage())
    broken = session.ending in (None, "suspended")
    topics = list(dict.fromkeys(str(r.prompt.labels["topic"]) for r in targets if "topic" in r.prompt.labels))
    groups = sorted({verdict.group for record in targets for verdict in record.verdicts})
    last = targets[-1].answer if targets else ""
    return EvalSample(
        id=session.dialogue,
        epoch=session.epoch,
        input=targets[0].query if targets else of.scenario.title,
        target=", ".join(groups) or f"every {of.scenario.presentation.requirement}",
        messages=messages,
        output=ModelOutput.from_content(model.name, last),
        scores={} if broken else {SCORER: _score(model, stored, whole, sums)},
        store={STORE: stored},
        metadata={
            "ending": session.ending,
            "cause": session.cause,
            "reason": session.reason,
            "profile": of.settings.profile,
            "topics": topics,
            "groups": groups,
        },
        model_usage={model.name: _usage(usage)},
        total_time=sum(record.seconds for record in records),
        error=EvalError(message=session.reason or "not finished", traceback="", traceback_ansi="") if broken else None,
    )


def _told(record: TurnRecord, model: str) -> list[tuple[Message, dict[str, Any]]]:
    """The messages of a turn, with what else Inspect shows of them: the answer's with its outcomes."""
    outcomes = {f"{verdict.group} ({number})": verdict.satisfied for number, verdict in enumerate(record.verdicts, 1)}
    scores = {score.name: score.value for score in record.scores}
    answer = (
        Message("assistant", record.answer),
        {"model": model, "metadata": {"verdicts": outcomes, "scores": scores}},
    )
    return [*((message, {}) for message in record.prompt.messages), answer]


def _score(model: ModelAnalysis, stored: dict[str, Any], session: Session, sums: _Sums | None) -> Any:
    from inspect_ai.scorer import Score

    told = explanation(session_of(stored))
    main = model.of.tables[0].main if model.of.tables else ""
    metadata = {"ending": session.ending, "cause": session.cause, "sums": sums or {}, "headline": main}
    tables = model.of.tables
    metadata |= {"course": course_of_session(tables, session), "cluster": cluster_of(tables, session)}
    if not sums:
        return Score.unscored(explanation=told, metadata=metadata)
    return Score(value=values_of(sums), explanation=told, metadata=metadata)


def _usage(usage: Usage) -> Any:
    from inspect_ai.model import ModelUsage

    return ModelUsage(
        input_tokens=usage.prompt_tokens - usage.cached_tokens,  # Inspect counts those of the cache apart
        output_tokens=usage.completion_tokens,
        total_tokens=usage.tokens,
        input_tokens_cache_read=usage.cached_tokens or None,
        reasoning_tokens=usage.reasoning_tokens or None,
    )


def _log(model: ModelAnalysis, samples: list[Any]) -> Any:
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSpec, EvalStats, HeadlineMetric
    from inspect_ai.model import GenerateConfig

    run, settings = model.of.run, model.of.settings
    created = datetime.fromtimestamp((run.path / FILE_NAME).stat().st_mtime, UTC).isoformat(timespec="seconds")
    hidden = {"endpoints", "judge_endpoints", "other_endpoints", "models", "parameters"}
    spec = EvalSpec(
        eval_id=_id(run, model.name),
        run_id=_id(run),
        task_id=_id(run, "task"),
        created=created,
        task=f"evolif/{settings.scenario}",
        task_version=model.of.scenario.version,
        dataset=EvalDataset(
            name=f"{settings.scenario} {settings.benchmark}",
            samples=len(settings.dialogues),
            sample_ids=list(settings.dialogues),
            shuffled=False,
        ),
        model=model.name,
        model_generate_config=GenerateConfig(temperature=settings.temperature, max_tokens=settings.max_tokens),
        config=EvalConfig(epochs=settings.epochs, fail_on_error=False),
        packages={"evolif": __version__},
        headline_metric=HeadlineMetric(scorer=SCORER, metric=model.of.tables[0].main) if model.of.tables else None,
        metadata={
            "canary": canary_of(settings.benchmark),
            "settings": settings.model_dump(mode="json", exclude=hidden),
        },
    )
    stats = EvalStats(started_at=created, completed_at=created)
    return EvalLog(status="success", eval=spec, results=_results(model, samples), stats=stats, samples=samples)


def _results(model: ModelAnalysis, samples: Sequence[Any]) -> Any:
    from inspect_ai.log import EvalMetric, EvalResults, EvalScore

    summary = model.summary
    metrics = {}
    for name, value in summary.metrics.by_name().items():
        if value is not None:
            low, high = summary.intervals.get(name) or (None, None)
            metrics[name] = EvalMetric(name=name, group=METRIC, value=value, metadata={"low": low, "high": high})
    main = model.of.tables[0].main if model.of.tables else ""
    given = [score.metadata for sample in samples for score in sample.scores.values() if score.metadata]
    spread = headline_error(main, [(metadata["cluster"], metadata["sums"]) for metadata in given])
    if spread is not None:
        metrics["stderr"] = EvalMetric(name="evolif/stderr", value=spread)
    for side, end in zip(("low", "high"), summary.intervals.get(main) or (), strict=False):
        name = f"{main} 95 % {side}"
        metrics[name] = EvalMetric(name=name, group="interval", value=end)
    scored = summary.metrics.dialogues
    score = EvalScore(
        name=SCORER, scorer=SCORER, scored_samples=scored, unscored_samples=len(samples) - scored, metrics=metrics
    )
    whole = sum(sample.error is None for sample in samples)
    return EvalResults(total_samples=len(samples), completed_samples=whole, scores=[score])


def _id(run: Run, *parts: object) -> str:
    return str(uuid5(_NAMESPACE, "\n".join(map(str, (run.settings.hash(), *parts)))))
