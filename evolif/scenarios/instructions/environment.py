"""Dialogues of a benchmark, played: its turns become prompts, and rules and the judge score the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from evolif.errors import InternalError
from evolif.judging import Judge, Judgement, LexicalJudge, RelevanceGate
from evolif.judging.relevance import relevance_verdict
from evolif.models import ModelOptions
from evolif.scenario import Environment, Services
from evolif.scenarios.instructions.authors import reopen_synthesizers
from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.feedback import Reactions
from evolif.scenarios.instructions.feedback.misses import by_rules
from evolif.scenarios.instructions.folder import InstructionBenchmark
from evolif.scenarios.instructions.prompt import TurnRequirements, prompt_of, reacting, requirements_of, script_turn
from evolif.scenarios.instructions.reactions import with_reaction
from evolif.scenarios.instructions.relevance import task_of, why_not_judged
from evolif.scenarios.instructions.source import SynthesizerPool, TurnSource
from evolif.scenarios.instructions.system import SYSTEM_PROMPT, system_text
from evolif.scenarios.instructions.turn_lines import SynthesisRecord
from evolif.scenarios.instructions.turns import Turn
from evolif.scenarios.instructions.verdicts import RelevanceCheck, judge_turn
from evolif.text import READING_RULES_VERSION
from evolif.types import End, Exchange, Prompt, Seat, Spent, Usage

_MOST_PROMPTS = 1024
"""Maximum number of prompts kept in memory: models and epochs that play a dialogue share them."""


class TurnEnvironment(Environment):
    """The turns of a benchmark, extended as long as the model keeps up.

    Args:
        system: What the model under test is told first.
        source: Its turns; None where prompts come from elsewhere.
        judge: For the subjective constraints; None if they are not judged.
        wording: The models that word missing turns, closed with this environment.
        gate: How the run asks whether answers are about their tasks; None if it does not.
        rules: The edition of the reading rules.
        reactions: How the person reacts to answers; None if not at all.
    """

    def __init__(
        self,
        system: str,
        source: TurnSource | None,
        judge: Judge | None,
        wording: SynthesizerPool,
        gate: RelevanceGate | None = None,
        rules: int = READING_RULES_VERSION,
        reactions: Reactions | None = None,
    ) -> None:
        self._system = system
        self._source = source
        self._judge = judge
        self._has_calls = judge is not None and not isinstance(judge, LexicalJudge)
        self._wording = wording
        self._gate = gate
        self._rules = rules
        self._reactions = reactions
        self._prompts: dict[tuple[int, int], tuple[Turn, Prompt]] = {}
        self._relevance: dict[tuple[int, int, str], RelevanceCheck] = {}

    def system(self, dialogue: int, seat: Seat) -> str:
        """How constraints are scoped and, unless the queries say it, what exactly is counted."""
        return self._system

    async def prompt(self, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        """The next turn of the dialogue, written if it is missing, or a reaction to the last answer."""
        if self._source is None:
            raise InternalError("there is no benchmark here")
        if self._reactions is None:
            turn = await self._source.turn(dialogue, len(past) + 1)
            return _NO_MORE if turn is None else self._prompt_of(turn, past)
        step = await self._reactions.next(dialogue, past, partial(self._source.turn, dialogue))
        if step is None:
            return _NO_MORE
        return reacting(self._prompt_of(step.turn, past), len(past) + 1, step.repair, step.remark)

    def _prompt_of(self, turn: Turn, past: Sequence[Exchange]) -> Prompt:
        """The prompt of a turn of the script, made once for all sessions."""
        dialogue, number = turn.dialogue, turn.turn
        known = self._prompts.get((dialogue, number))
        if known is not None and known[0] is turn:
            return known[1]
        if len(self._prompts) >= _MOST_PROMPTS:
            self._prompts.clear()
        prompt = prompt_of(turn, _depth(turn, past), with_task=self._gate is not None)
        self._prompts[dialogue, number] = turn, prompt
        return prompt

    def asks_a_judge(self, prompt: Prompt) -> bool:
        """True if there is a panel and a subjective constraint, or relevance to judge."""
        if not self._has_calls:
            return False
        on_relevance = self._gate is not None and self._gate.by == "judge"
        return on_relevance or any(get_group(c.group).subjective for c in requirements_of(prompt).constraints)

    async def score(
        self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Judgement | None = None
    ) -> Judgement:
        """By rules, and by the judge for subjective constraints and relevance."""
        asked = requirements_of(prompt)
        verdicts = None if stored is None else stored.verdicts[: len(asked.constraints)]
        relevance = None if self._gate is None else await self._relevance_of(prompt, asked, self._gate)
        if relevance is not None and stored is not None:
            relevance = replace(relevance, known=relevance_verdict(stored))
        judgement = await judge_turn(
            asked.constraints, answer, self._judge, stored=verdicts, relevance=relevance, rules=self._rules
        )
        if self._reactions is not None and stored is None:
            self._reactions.note(prompt.digest, answer, by_rules(asked.constraints, judgement.verdicts))
        return with_reaction(judgement, prompt, asked.constraints)

    async def _relevance_of(self, prompt: Prompt, asked: TurnRequirements, gate: RelevanceGate) -> RelevanceCheck:
        """What the gate needs, worked out once for all models and epochs."""
        key = (prompt.dialogue, prompt.turn, prompt.digest)
        known = self._relevance.get(key)
        if known is None:
            task = asked.task
            if task is None and self._source is not None:  # a fork of a run that did not ask
                turn = await self._source.turn(prompt.dialogue, script_turn(prompt))
                task = None if turn is None else task_of(turn.topic)
            by_words = gate.by == "lexical"
            reason = why_not_judged(task, asked.constraints, asked.witness, self._rules) if by_words else ""
            if len(self._relevance) >= _MOST_PROMPTS:
                self._relevance.clear()
            known = self._relevance[key] = RelevanceCheck(gate, task, reason)
        return known

    async def aclose(self) -> None:
        """Release the clients of synthesizers."""
        await self._wording.aclose()


_NO_MORE = End("censored", "benchmark", "the dialogue cannot be extended")


def _depth(turn: Turn, past: Sequence[Exchange]) -> int:
    """Turns of the script on the topic up to a turn; a repair is none of its own."""
    for exchange in reversed(past):
        if exchange.prompt.labels["topic"] == turn.topic.id:
            return int(exchange.prompt.labels["depth"]) + (script_turn(exchange.prompt) != turn.turn)
    return 1


def open_environment(bench: InstructionBenchmark | None, services: Services) -> TurnEnvironment:
    """Open a benchmark for play, with the synthesizers of its missing turns.

    Args:
        bench: None where prompts come from elsewhere.
        services: What the run offers.

    Raises:
        UsageError: a synthesizer that the benchmark does not have, a missing key.
        InputError: a broken line; every dialogue of the run is read before the first paid call.
    """
    system = SYSTEM_PROMPT if bench is None else system_text(bench.header)
    if bench is None or services.config is None:
        pool = SynthesizerPool({})
        source = None if bench is None else TurnSource(bench, pool)
        return _opened(system, source, pool, bench, services)
    config = services.config
    missing = tuple(bench.missing(services.max_turns, services.dialogues))
    options = ModelOptions(max_retries=config.max_retries, timeout=config.timeout, wait=config.wait)
    pool = reopen_synthesizers(bench, missing, config.synthesizers, config.checker, options, wrap=services.meter)
    checker = bench.header.spec.checker or "checker"

    def record(one: SynthesisRecord) -> None:
        names = {"synthesizer": one.synthesizer, "checker": checker}
        spent = tuple(
            Spent(role, names[role], Usage(cost.prompt_tokens, cost.completion_tokens), cost.calls)
            for role, cost in one.cost.items()
            if cost.calls
        )
        services.book(one.dialogue, one.turn, spent)

    source = TurnSource(bench, pool, notify=bench.notify, record=record)
    return _opened(system, source, pool, bench, services)


def _opened(
    system: str,
    source: TurnSource | None,
    pool: SynthesizerPool,
    bench: InstructionBenchmark | None,
    services: Services,
) -> TurnEnvironment:
    rules = services.reading_rules
    reactions = None
    if bench is not None and services.feedback != "none":
        reactions = Reactions(services.feedback, services.patience, bench.header.spec.seed, rules)
    return TurnEnvironment(system, source, services.judge, pool, services.relevance, rules, reactions)
