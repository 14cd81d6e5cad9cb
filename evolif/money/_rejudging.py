"""What judging a run's answers again may cost: the answers are there, so calls can be counted and not guessed."""

from __future__ import annotations

from evolif.constraints import get_group
from evolif.domain import Usage
from evolif.money._forecast import Expected, Forecast
from evolif.money._profile import CHARACTERS, JUDGE_PROMPT, JUDGE_REPLY
from evolif.money._quotes import Quotes, judge_models
from evolif.protocol import Run, RunSettings


def forecast_rejudging(run: Run, settings: RunSettings, quotes: Quotes) -> Forecast:
    """The most that judging again comes to.

    Args:
        run: The run whose answers are judged.
        settings: Of the new run.
        quotes: Its prices.
    """
    subjective = {
        (facts.dialogue, facts.turn): sum(get_group(c.group).subjective for c in facts.constraints)
        for facts in run.facts()
    }
    calls, answers, turns = 0, 0.0, 0
    for model in run.models:
        for session, records in run.transcripts(model):
            for record in records:
                asked = subjective[session.dialogue, record.turn] if record.answer.strip() else 0
                turns += 1
                calls += asked
                answers += asked * len(record.answer) / CHARACTERS
    usage = Usage(round(calls * JUDGE_PROMPT + answers), calls * JUDGE_REPLY)
    expected = []
    for judge in judge_models(settings):
        cost = quotes.cost("judge", judge, usage)
        usd = None if cost is None else (cost, cost)
        expected.append(Expected("judge", judge, (calls, calls), (usage, usage), usd))
    grounds = (
        f"{turns} answers with {calls} subjective constraints, {JUDGE_PROMPT} tokens beside each answer and "
        f"{JUDGE_REPLY} back assumed. It is less where scores are known for the same text, and where a stricter judge "
        "ends sessions earlier; more where a reply cannot be read and is asked for again."
    )
    return Forecast(tuple(expected), grounds)
