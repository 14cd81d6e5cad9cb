"""How much of the conversation the calls of a model were shown, in context tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evolif.contexts import FullHistory, context_tokens, tokenizer_name
from evolif.runner import EarlyEnd, Run, TurnRecord
from evolif.scenario import Benchmark, Environment, Services, blaming, get_scenario, options_of
from evolif.types import Exchange, Message

_QUERY = Message("user", "")
"""Stands where `context_tokens` expects the query, which it does not count."""


@dataclass(frozen=True, slots=True)
class ContextSize:
    """Context tokens of one model.

    Attributes:
        mean: Tokens that a call was shown besides its query, mean over turns.
        turns: Turns that were counted, of sessions in the figures.
        tokenizer: What counted them.
        has_system: Whether the system text is among them.
    """

    mean: float
    turns: int
    tokenizer: str
    has_system: bool


def context_size(
    run: Run, model: str, *, early: EarlyEnd | None = None, benchmark: Benchmark | None = None
) -> ContextSize | None:
    """Count what the calls of a model were shown.

    The counts of other strategies than `full` were stored while the run was played. Those of `full` follow from the
    stored conversation, except for the system text: a run does not store it.

    Args:
        run: The run.
        model: Its model.
        early: The stop rule's end; only its dialogues count.
        benchmark: The run's, where it is at hand: then the system text is counted, too.

    Returns:
        None without the extra `contexts`, or if no turn was counted.

    Raises:
        UsageError: the scenario is not installed, or is broken.
    """
    name = tokenizer_name()
    if name is None:
        return None
    is_full = run.settings.context == FullHistory.name
    counts: list[int] = []
    scenario = get_scenario(run.settings.scenario)
    with blaming(scenario):
        options = options_of(scenario.play, run.settings.options, scenario.name)
        environment = scenario.environment(benchmark, options, Services())
        for session, records in run.transcripts(model):
            if session.ending not in ("finished", "censored") or (early and session.dialogue not in early.dialogues):
                continue
            own = [record for record in records if record.prompt.seat == "target"]
            if is_full:
                said = benchmark is not None and run.settings.system_prompt
                system = environment.system(session.dialogue, "target") if said else ""
                counts += _of_whole(own, environment, system)
            else:
                counts += (record.context_tokens for record in own if record.context_tokens is not None)
    if not counts:
        return None
    has_system = not is_full or benchmark is not None
    return ContextSize(sum(counts) / len(counts), len(counts), name, has_system)


def _of_whole(records: Sequence[TurnRecord], environment: Environment, system: str) -> Iterator[int]:
    """The tokens of each turn's context, if every call shows the whole conversation."""
    before = context_tokens((Message("system", system), _QUERY))
    for record in records:
        yield before + context_tokens(record.prompt.messages)
        heard = environment.heard(record.prompt, record.answer)
        before += context_tokens((*Exchange(record.prompt, record.answer, heard).messages, _QUERY))
