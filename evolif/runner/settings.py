"""The settings that a run stores: planned from an `EvalConfig`, hashed, compared on resuming, and grown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypedDict

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, field_validator, model_serializer

from evolif.config import EvalConfig
from evolif.contexts import open_strategy
from evolif.errors import UsageError
from evolif.judging import LexicalJudge, RelevanceGate
from evolif.models import ChatModel, ModelRef, Parameters, parse_model_name, read_parameters, shown_address, spec_of
from evolif.runner.chosen import chosen_dialogues
from evolif.runner.clients import (
    SELF,
    NamedModel,
    describe_judge,
    endpoint_of,
    is_panel,
    model_name,
    names_of,
    parameters_of,
    weights_by_name,
)
from evolif.runner.events import SessionKey
from evolif.scenario import (
    DEFAULT_SCENARIO,
    Benchmark,
    Defaults,
    Scenario,
    changed_options,
    get_scenario,
    options_of,
    pairs_of,
)
from evolif.text import READING_RULES_VERSION, known_editions, plural
from evolif.types import FEEDBACK, CapCounts, Feedback
from evolif.util.suggestions import did_you_mean, one_of

_LATER: Mapping[str, Any] = {
    "scenario": DEFAULT_SCENARIO,
    "partner": "",
    "context_model": "",
    "options": {},
    "cut": "during",
    "other_endpoints": {},
    "own_code": {},
    "cap_counts": "turns",
    "relevance": "",
    "relevance_counts": False,
    "untold": False,
    "parameters": {},
    "weights": {},
    "feedback": "none",
}
"""Fields that are written only where they differ from this."""
EXTENT = ("models", "endpoints", "parameters", "weights", "dialogues", "epochs")
"""Fields for how much is played, not how: a run may grow in them."""
SCRIPTED = "scripted"
"""The partner that the scenario brings."""
_FACTOR, _SPARE = 2, 10
"""A cap of c judged turns ends a session at the latest after _FACTOR c + _SPARE turns in all: none of 300 dialogues of
the profile `paper` needed more, at caps of 5 to 50."""
_MOST_SHOWN = 200
"""Characters of parameters in a sentence."""
_PROVIDERS_OWN = "the provider's own"


class FiguresBeside(TypedDict):
    """What `evolif.metrics.tables_of` has to know of a run's settings."""

    has_gate: bool
    has_feedback: bool


class RunSettings(BaseModel):
    """Everything that decides the figures. Credentials never enter it; endpoints are kept without user or key."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    benchmark: str
    """Identity of the benchmark."""
    profile: str = ""
    """The variant of the benchmark: for instruction following the name of its profile."""
    models: tuple[str, ...]
    endpoints: tuple[str, ...] = ()
    """Per model, where it was asked; empty for the provider's own endpoint."""
    judge: str = "none"
    """The judge's name: for a panel its rule, models and rubric version."""
    judge_endpoints: tuple[str, ...] = ()
    """Per model of a panel, where it was asked; empty for the provider's own endpoint."""
    patience: Annotated[int, Field(ge=1)] | None
    """None: the sessions have no patience."""
    max_turns: Annotated[int, Field(ge=1)]
    """The cap, in turns of the model under test; see `cap_counts`."""
    dialogues: tuple[int, ...]
    epochs: Annotated[int, Field(ge=1)] = 1
    system_prompt: bool = True
    context: str = "full"
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int = 0
    reading_rules: int
    scenario: str = DEFAULT_SCENARIO
    partner: str = ""
    """Who takes the other seat: `self`, or a model's name; empty in a scenario of one seat."""
    context_model: str = ""
    """The model that the context strategy calls; empty for none."""
    options: Mapping[str, Any] = Field(default_factory=dict)
    """Options of the scenario that differ from their default."""
    cut: Literal["during", "after"] = "during"
    """Whether exhausted patience ends a session, or only cuts it when it is read."""
    other_endpoints: Mapping[str, str] = Field(default_factory=dict)
    """Role (`partner`, `context`) to where its model was asked, unless at the provider's own endpoint."""
    own_code: Mapping[str, str] = Field(default_factory=dict)
    """Code of the user's own that verdicts depend on: what it decides, and its file with a digest."""
    cap_counts: CapCounts = "turns"
    """What the cap counts: every turn of the model under test, as in earlier versions, or judged ones only."""

    relevance: str = ""
    """The relevance gate as its scenario names it, with the version of its rules; empty for none."""
    relevance_counts: bool = False
    """Whether its verdict is one more requirement of every turn."""
    untold: bool = False
    """The run has no system prompt, and its benchmark says there alone how answers are judged."""
    parameters: Mapping[str, Mapping[str, Any]] = Field(default_factory=dict)
    """Per model, what its requests say besides messages and sampling, unless its name tells it."""
    weights: Mapping[str, str] = Field(default_factory=dict)
    """Per local model that is a file, in any seat, the first 16 digits of the file's SHA-256; none where it is unknown.
    """
    feedback: Feedback = "none"
    """How the person reacts to answers."""

    @field_validator("endpoints", "judge_endpoints", "other_endpoints")
    @classmethod
    def _hide_keys(cls, value: Any) -> Any:
        # Runs of earlier versions stored the whole path. Hidden on reading, it is not shown, and compares equal.
        if isinstance(value, Mapping):
            return {role: shown_address(url) for role, url in value.items()}
        return tuple(map(shown_address, value))

    @model_serializer(mode="wrap")
    def _leave_out_defaults(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # So that runs from before these settings existed keep their hash.
        data: dict[str, Any] = serialize(self)
        return {field: value for field, value in data.items() if field not in _LATER or value != _LATER[field]}

    def hash(self) -> str:
        """16 hex digits that change with any setting except the extent."""
        return hashlib.sha256(self.model_dump_json(exclude=set(EXTENT)).encode()).hexdigest()[:16]

    @property
    def gate(self) -> RelevanceGate | None:
        """How the run asks whether answers are about their tasks."""
        if not self.relevance:
            return None
        return RelevanceGate("judge" if self.relevance.startswith("judge") else "lexical", self.relevance_counts)

    @property
    def beside(self) -> FiguresBeside:
        """Which figures stand beside the others."""
        return {"has_gate": bool(self.relevance), "has_feedback": self.feedback != "none"}

    def endpoint(self, model: str) -> str:
        """A model's endpoint; empty for the provider's own."""
        return dict(zip(self.models, self.endpoints, strict=False)).get(model, "")

    @property
    def most_turns(self) -> int:
        """Turns of the model under test that no session exceeds."""
        return self.max_turns if self.cap_counts == "turns" else _FACTOR * self.max_turns + _SPARE

    def cap_reached(self, turns: int, judged: int) -> str:
        """Why the cap ends a session of so many turns, so many of them judged; empty if it does not."""
        if self.cap_counts == "turns":
            return f"the cap of {plural(self.max_turns, 'turn')}" if turns >= self.max_turns else ""
        if judged >= self.max_turns:
            return f"the cap of {plural(self.max_turns, 'judged turn')}"
        return (
            f"{plural(turns, 'turn')}, in {turns - judged} of which nothing was judged"
            if turns >= self.most_turns
            else ""
        )

    @property
    def cap(self) -> str:
        """The cap in words."""
        return plural(self.max_turns, COUNTED[self.cap_counts].removesuffix("s"))

    def grown(self, wanted: RunSettings) -> RunSettings:
        """These settings with the extent of both; existing entries keep their place."""
        models = (*self.models, *(model for model in wanted.models if model not in self.models))
        endpoints = (self.endpoint(m) if m in self.models else wanted.endpoint(m) for m in models)
        return self.model_copy(
            update={
                "models": models,
                "endpoints": tuple(endpoints),
                "parameters": {**wanted.parameters, **self.parameters},
                "weights": {**wanted.weights, **self.weights},
                "dialogues": tuple(sorted({*self.dialogues, *wanted.dialogues})),
                "epochs": max(self.epochs, wanted.epochs),
            }
        )


def has_panel(judge: str) -> bool:
    """Whether a run's judge is a panel of models, which decides whatever rules do not."""
    return judge not in ("none", "lexical")


def different_fields(old: RunSettings, new: RunSettings) -> list[str]:
    """The settings in which two runs differ, except their extent."""
    fields = [field for field in RunSettings.model_fields if field not in (*EXTENT, "untold")]  # it follows from others
    if not (old.own_code and new.own_code):
        fields.remove("own_code")  # runs of earlier versions do not say which code decided
    return [field for field in fields if getattr(old, field) != getattr(new, field)]


def moved_models(old: RunSettings, new: RunSettings) -> list[str]:
    """Models of both runs whose endpoint differs."""
    both = [model for model in new.models if model in old.models]
    return [model for model in both if old.endpoint(model) != new.endpoint(model)]


def reparameterised_models(old: RunSettings, new: RunSettings) -> list[str]:
    """Models of both runs whose requests would say something else besides messages and sampling."""
    both = [model for model in new.models if model in old.models]
    return [model for model in both if old.parameters.get(model) != new.parameters.get(model)]


def reweighted_models(old: RunSettings, new: RunSettings) -> list[str]:
    """Local models of both runs, in any seat, whose file is another one now."""
    return [model for model, digest in new.weights.items() if old.weights.get(model, digest) != digest]


def differences(old: RunSettings, new: RunSettings) -> list[str]:
    """What differs, each as a clause: “the patience was 3 and is now 2”. Growth is not a difference."""
    clauses = [_clause(field, getattr(old, field), getattr(new, field)) for field in different_fields(old, new)]
    clauses += [
        f"{model} was asked with {_json(old.parameters.get(model))} and would now be asked with "
        f"{_json(new.parameters.get(model))}"
        for model in reparameterised_models(old, new)
    ]
    clauses += [f"the weights of {model} differ" for model in reweighted_models(old, new)]
    clauses += [
        f"{model} was called at {_address(old, model)} and would now be called at {_address(new, model)}"
        for model in moved_models(old, new)
    ]
    return clauses


def differences_between(a: RunSettings, b: RunSettings, names: tuple[str, str]) -> list[str]:
    """`differences` of two runs that are there at the same time: “the patience is 3 in A and 2 in B”.

    Args:
        a: Settings of the one.
        b: Of the other.
        names: What the runs are called.
    """

    def clause(what: str, one: str, other: str) -> str:
        return f"{what} {one} in {names[0]} and {other} in {names[1]}"

    clauses = []
    for field in different_fields(a, b):
        old, new = getattr(a, field), getattr(b, field)
        if field == "benchmark":
            clauses.append(_clause(field, old, new))
        else:
            clauses.append(clause(f"{_SUBJECTS[field]} is", *(_told(field, value) for value in (old, new))))
    for model in reparameterised_models(a, b):
        clauses.append(clause(f"{model} was asked with", *(_json(one.parameters.get(model)) for one in (a, b))))
    clauses += [f"the weights of {model} differ" for model in reweighted_models(a, b)]
    for model in moved_models(a, b):
        clauses.append(clause(f"{model} was called at", *(_address(one, model) for one in (a, b))))
    return clauses


def _address(settings: RunSettings, model: str) -> str:
    return settings.endpoint(model) or f"{_PROVIDERS_OWN} address"


def _json(parameters: Mapping[str, Any] | None) -> str:
    """Parameters as a sentence shows them."""
    text = json.dumps(parameters or {}, ensure_ascii=False)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def growth(old: RunSettings, new: RunSettings) -> str:
    """How much a run grows, in words; empty if it does not."""
    both = old.grown(new)
    parts = [
        _more(len(both.models) - len(old.models), "model"),
        _more(len(both.dialogues) - len(old.dialogues), "dialogue"),
        _more(both.epochs - old.epochs, "epoch"),
    ]
    return ", ".join(part for part in parts if part)


def _more(number: int, what: str) -> str:
    return plural(number, f"more {what}") if number else ""


def _clause(field: str, old: Any, new: Any) -> str:
    if field == "reading_rules":
        return f"its answers were read by reading rules {old}, but this version has rules {known_editions()}"
    if field == "benchmark":
        return "the benchmark differs (its specification, topics or personas)"
    return f"{_SUBJECTS[field]} was {_told(field, old)} and is now {_told(field, new)}"


def _told(field: str, value: Any) -> str:
    """The value of a setting as a sentence shows it."""
    if field == "patience" and value is None:
        return "off"
    return COUNTED[value] if field == "cap_counts" else _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={item}" for key, item in value.items()) or "none"
    if isinstance(value, tuple):
        return ", ".join(address or f"{_PROVIDERS_OWN} address" for address in value) or "none"
    return _PROVIDERS_OWN if value is None else str(value) or "none"


_SUBJECTS = {
    "reading_rules": "the edition of the reading rules",
    "profile": "the profile",
    "judge": "the judge",
    "judge_endpoints": "the judge's address",
    "patience": "the patience",
    "max_turns": "the cap (--max-turns)",
    "system_prompt": "the system prompt",
    "context": "the context strategy",
    "temperature": "the temperature",
    "max_tokens": "the longest answer (--max-tokens)",
    "seed": "the seed",
    "scenario": "the scenario",
    "partner": "the partner",
    "context_model": "the context strategy's model",
    "options": "the scenario's options (--set)",
    "cut": "when patience cuts a session",
    "cap_counts": "the unit of the cap",
    "relevance": "the relevance gate",
    "relevance_counts": "whether relevance counts",
    "own_code": "the code of your own constraint groups",
    "other_endpoints": "the address of the partner or of the context strategy's model",
    "feedback": "how the person reacts (--feedback)",
}


COUNTED: Mapping[CapCounts, str] = {"turns": "turns", "judged": "judged turns"}
"""The unit of a cap, in words."""


def plan(benchmark: Benchmark, config: EvalConfig) -> RunSettings:
    """The settings of a run.

    Raises:
        UsageError: a broken name, a benchmark without dialogues, an option that its scenario does not have, a partner
            in a scenario of one seat.
    """
    scenario = get_scenario(benchmark.scenario)
    play = options_of(scenario.play, pairs_of(config.options, scenario.play), scenario.name)
    defaults = scenario.defaults(benchmark, play)
    partner = partner_of(benchmark, config)
    judge, judge_endpoints = describe_judge([spec_of(judge) for judge in config.judges], config.judge_rule)
    other = {"partner": partner if partner != SELF else None, "context": config.context_model}
    settings = RunSettings(
        benchmark=benchmark.identity,
        profile=benchmark.variant,
        models=names_of(config.models),
        endpoints=tuple(endpoint_of(spec_of(model), config.base_url) for model in config.models),
        judge=judge,
        judge_endpoints=judge_endpoints,
        patience=config.patience or defaults.patience,
        max_turns=config.max_turns or defaults.max_turns,
        dialogues=chosen_dialogues(benchmark, config),
        epochs=config.epochs,
        system_prompt=config.system_prompt,
        context=open_strategy(config.context, models=_named(config)).name,
        temperature=config.temperature,
        max_tokens=config.max_tokens,
        seed=config.seed,
        reading_rules=READING_RULES_VERSION,
        scenario=scenario.name,
        partner="" if partner is None else partner if partner == SELF else model_name(partner),
        context_model="" if config.context_model is None else model_name(config.context_model),
        options=changed_options(play),
        cut=defaults.cut,
        cap_counts="turns" if has_panel(judge) or scenario.unjudged(benchmark) is None else "judged",
        own_code=scenario.own_code(benchmark),
        parameters=parameters_of(config.models, _given_parameters(config)),
        weights=weights_by_name(_models_of(config, partner)),
        relevance=_relevance(scenario, config, judge),
        relevance_counts=config.relevance_counts,
        untold=not config.system_prompt and bool(scenario.untold(benchmark)),
        feedback=_feedback(benchmark, config, defaults),
        other_endpoints={
            role: endpoint
            for role, model in other.items()
            if model is not None and (endpoint := endpoint_of(spec_of(model), None))
        },
    )
    if not settings.dialogues:
        raise UsageError(f"{benchmark.path} has no dialogues; create them with `evolif generate`")
    return settings


def _models_of(config: EvalConfig, partner: ModelRef | None) -> list[ModelRef]:
    """Every model that a run asks."""
    judges = config.judges if is_panel([spec_of(judge) for judge in config.judges]) else ()
    others = (partner if partner != SELF else None, config.context_model)
    return [*config.models, *judges, *(model for model in others if model is not None)]


def _given_parameters(config: EvalConfig) -> Mapping[str, Parameters]:
    """What the file of --model-args says, by `provider/name`."""
    if config.model_args is None:
        return {}
    plain = (parse_model_name(spec_of(model)).plain for model in config.models)
    return read_parameters(config.model_args, dict.fromkeys(plain))


def _relevance(scenario: Scenario, config: EvalConfig, judge: str) -> str:
    """The relevance gate; empty for none.

    Raises:
        UsageError: the scenario has no such gate, or nobody decides.
    """
    wanted, gates = config.relevance, scenario.relevance_gates()
    if wanted == "none":
        if config.relevance_counts:
            raise UsageError("--relevance-counts needs --relevance lexical or --relevance judge")
        return ""
    if wanted not in ("lexical", "judge"):
        near = did_you_mean(wanted, ("none", "lexical", "judge"))
        raise UsageError(f"unknown --relevance “{wanted}”{near}; use none, lexical or judge")
    if wanted not in gates:
        other = next(iter(gates), "")
        raise UsageError(
            f"--relevance {wanted}: the scenario {scenario.name} "
            + (f"offers only {other}" if other else "cannot tell whether an answer is about its task; leave it out")
        )
    if wanted == "judge" and judge in ("none", LexicalJudge.name):
        raise UsageError("--relevance judge needs a model that decides: name it with --judge PROVIDER/NAME")
    return gates[wanted]


def _feedback(benchmark: Benchmark, config: EvalConfig, defaults: Defaults) -> Feedback:
    """How the person reacts.

    Raises:
        UsageError: there is no such way, or nobody reacts in these dialogues.
    """
    wanted = next((mode for mode in FEEDBACK if mode == config.feedback), None)
    if wanted is None:
        near = did_you_mean(config.feedback, FEEDBACK)
        raise UsageError(f"unknown --feedback “{config.feedback}”{near}; use {one_of(FEEDBACK)}")
    if wanted != "none" and not defaults.reacts:
        which = ", ".join(filter(None, (f"scenario {benchmark.scenario}", benchmark.variant)))
        raise UsageError(
            f"--feedback {wanted}: nobody can react to answers in the dialogues of {benchmark.path} ({which}); "
            "leave it out"
        )
    return wanted


def _named(config: EvalConfig) -> dict[str, ChatModel]:
    """Stands for the models of a context strategy where only its name is wanted."""
    return {} if config.context_model is None else {"context": NamedModel(spec_of(config.context_model))}


def partner_of(benchmark: Benchmark, config: EvalConfig) -> ModelRef | None:
    """Who takes the other seat; None in a scenario of one seat.

    Raises:
        UsageError: a partner where there is no other seat, or none where there is one.
    """
    scenario = get_scenario(benchmark.scenario)
    if "partner" not in scenario.seats:
        if config.partner is not None:
            raise UsageError(f"--partner: the scenario {scenario.name} has one seat only, that of the model under test")
        return None
    play = options_of(scenario.play, pairs_of(config.options, scenario.play), scenario.name)
    scripted = scenario.defaults(benchmark, play).partner
    partner = scripted if config.partner in (None, SCRIPTED) else config.partner
    if partner is None:
        what = "has no scripted partner" if config.partner == SCRIPTED else "needs a partner"
        raise UsageError(f"--partner: the scenario {scenario.name} {what}; name a model, or self")
    return partner


def sessions_of(settings: RunSettings, model: str) -> Iterator[SessionKey]:
    """A model's sessions in the order they begin: dialogue by dialogue, each with all its epochs.

    So the played part of a run is a prefix of the dialogues, and figures over whole dialogues favour no model.
    """
    for dialogue in settings.dialogues:
        for epoch in range(1, settings.epochs + 1):
            yield SessionKey(model, dialogue, epoch)
