"""The settings of an evaluation, each declared once, with its default, its bounds and its help.

The flags of `evolif evaluate`, their variables and keys of `--config` are made from these fields.
`evolif.runner.settings.plan` decides which of their values a run stores. No command-line code is imported here: a
`Flag` only says how a field is spelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self, TypedDict

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    SkipValidation,
    ValidationError,
    field_validator,
    model_validator,
)

from evolif.errors import UsageError
from evolif.models import DEFAULT_RETRIES, LONGEST_WAIT, ModelRef
from evolif.util.suggestions import did_you_mean, sentence

JUDGES = "Judges"
SESSIONS = "Sessions"
OTHER_SIDE = "The other side of a conversation"
ASKING = "Model requests"
MONEY = "Budget and early stopping"
CACHE = "Cache"
MISSING = "Missing turns"


@dataclass(frozen=True, slots=True)
class Flag:
    """How the command line spells a setting."""

    panel: str | None = None
    """The heading in the help."""
    metavar: str | None = None
    names: tuple[str, ...] = ()
    """Long name first; derived from the field's name if empty."""
    required: bool = False
    typed: bool = False
    """Whether a value counts only if it is given with the command or its configuration file, not by a variable."""
    variable: str | None = None
    """The environment variable, where the one of its name is that of another verb's flag."""
    counts_elsewhere: bool = False
    """Whether other verbs have a flag of this name for how many: a number alone in a configuration file is theirs."""


class EvalConfig(BaseModel):
    """The settings of an evaluation, those of its sessions and those of its calls and costs.

    None means the default of the benchmark's profile or of the provider. Rejudging uses the settings of calls and
    costs.

    Raises:
        UsageError: a value out of range.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    models: Annotated[
        tuple[ModelRef, ...],
        SkipValidation,
        Field(description="A model to evaluate; repeat the flag for more."),
        Flag(metavar="PROVIDER/NAME", names=("--model", "-m"), required=True),
    ] = ()
    out: Annotated[
        Path | None,
        Field(description="The run's folder; BENCH-run by default."),
        Flag(metavar="RUN", names=("--out", "-o")),
    ] = None

    judges: Annotated[
        tuple[ModelRef, ...],
        SkipValidation,
        Field(
            description="For what rules cannot check, such as emotion or style: none (by default), lexical, or "
            "PROVIDER/NAME; repeat the flag for a panel."
        ),
        Flag(JUDGES, "JUDGE", names=("--judge",)),
    ] = ("none",)
    judge_rule: Annotated[
        str, Field(description="How a panel reaches a verdict."), Flag(JUDGES, "mean|majority|median")
    ] = "mean"

    relevance: Annotated[
        str,
        Field(
            description="Whether each answer is about its task: none (not asked, by default), lexical (it names words "
            "of the task; offline), or judge (the --judge decides). Reported apart."
        ),
        Flag(JUDGES, "none|lexical|judge"),
    ] = "none"
    relevance_counts: Annotated[
        bool,
        Field(description="Count --relevance as one more requirement of every turn: in CSR, ISR and patience."),
        Flag(JUDGES),
    ] = False

    patience: Annotated[
        int | None,
        Field(ge=1, description="Consecutive failed turns that end a session (default: the benchmark's)."),
        Flag(SESSIONS, "N"),
    ] = None
    max_turns: Annotated[
        int | None, Field(ge=1, description="Most turns per session (default: the benchmark's)."), Flag(SESSIONS, "N")
    ] = None
    limit: Annotated[int | None, Field(ge=1, description="Only the first N dialogues."), Flag(SESSIONS, "N")] = None
    dialogues: Annotated[
        str | None,
        Field(description="Only these dialogues, e.g. 1-500 or 1,4,7-9."),
        Flag(SESSIONS, "A-B", variable="EVOLIF_EVALUATE_DIALOGUES", counts_elsewhere=True),
    ] = None
    epochs: Annotated[int, Field(ge=1, description="How many times every dialogue is played."), Flag(SESSIONS, "N")] = 1
    fork_into: Annotated[
        Path | None,
        Field(description="Start a new run and reuse the turns of --out that fit these settings."),
        Flag(SESSIONS, "NEW", names=("--fork",)),
    ] = None
    context: Annotated[
        str,
        Field(description="What is shown of the past: full, last:K, retrieval:K, summary:K or tree."),
        Flag(SESSIONS, "NAME"),
    ] = "full"
    context_model: Annotated[
        ModelRef | None,
        SkipValidation,
        Field(description="The model that the context strategy calls."),
        Flag(SESSIONS, "PROVIDER/NAME"),
    ] = None
    feedback: Annotated[
        str,
        Field(description="How the person reacts to answers: none, remark or repair."),
        Flag(OTHER_SIDE, "none|remark|repair"),
    ] = "none"
    partner: Annotated[
        ModelRef | None,
        SkipValidation,
        Field(description="Who takes the other seat in a scenario of two: self is the model under test."),
        Flag(OTHER_SIDE, "self|scripted|sim/NAME|PROVIDER/NAME"),
    ] = None
    options: Annotated[
        tuple[str, ...],
        Field(description="An option of the benchmark's scenario; repeat the flag for more."),
        Flag(SESSIONS, "KEY=VALUE", names=("--set",)),
    ] = ()
    unscored: Annotated[
        bool,
        Field(description="Play turns that no metric scores, too; they cost money and count nowhere."),
        Flag(SESSIONS),
    ] = False
    system_prompt: Annotated[
        bool, Field(description="Give the model the scenario's system prompt."), Flag(SESSIONS)
    ] = True
    temperature: Annotated[
        float | None, Field(ge=0, description="Sampling temperature; by default the provider's."), Flag(SESSIONS, "X")
    ] = None
    max_tokens: Annotated[
        int | None, Field(ge=1, description="Longest answer in tokens; by default the provider's."), Flag(SESSIONS, "N")
    ] = None
    seed: Annotated[int, Field(ge=0, description="Seed of sampling and intervals."), Flag(SESSIONS, "N")] = 0

    base_url: Annotated[
        str | None,
        Field(description="Endpoint for models under test that do not name one.", repr=False),
        Flag(ASKING, "URL"),
    ] = None
    model_args: Annotated[
        Path | None,
        Field(
            description="Parameters of the requests to models under test (YAML): any key of the request body, such as "
            "top_p; those of one model below models:."
        ),
        Flag(ASKING, "FILE"),
    ] = None
    max_connections: Annotated[
        int | None,
        Field(
            ge=1,
            description="Fixed number of concurrent requests per model, in up to 10,000 sessions over all. By default "
            "it adapts to what the endpoint can take, up to 200; local models 1.",
        ),
        Flag(ASKING, "N"),
    ] = None
    max_retries: Annotated[
        int, Field(ge=0, description="Retries of a request that failed temporarily."), Flag(ASKING, "N")
    ] = DEFAULT_RETRIES
    timeout: Annotated[
        float | None,
        Field(
            ge=0.001,
            description="Timeout per attempt (120; local models 600). A call is not retried after ten minutes, or two "
            "attempts of this length.",
        ),
        Flag(ASKING, "SECONDS"),
    ] = None
    wait: Annotated[
        float,
        Field(
            ge=0,
            description="Longest wait that an endpoint may ask for. Beyond it sessions are suspended, and the run can "
            "be resumed.",
        ),
        Flag(ASKING, "SECONDS"),
    ] = LONGEST_WAIT
    engine: Annotated[str, Field(description="ray runs on a cluster (extra ray)."), Flag(ASKING, "asyncio|ray")] = (
        "asyncio"
    )
    ray_address: Annotated[
        str | None, Field(description="The Ray cluster; by default one on this machine."), Flag(ASKING, "HOST:PORT")
    ] = None

    workers: Annotated[
        int | None,
        Field(ge=1, description="Processes that play, under --engine ray; by default one per core."),
        Flag(ASKING, "N"),
    ] = None

    budget_usd: Annotated[
        float | None,
        Field(ge=0, description="Limit in US dollars for the whole run, including what it has spent."),
        Flag(MONEY, "USD"),
    ] = None
    budget_tokens: Annotated[
        int | None,
        Field(ge=0, description="Limit in tokens for the whole run and all its models, including what it has spent."),
        Flag(MONEY, "N"),
    ] = None
    prices: Annotated[
        Path | None, Field(description="Prices per million tokens, overriding the packaged ones."), Flag(MONEY, "FILE")
    ] = None
    stop_when: Annotated[
        str | None,
        Field(
            description="End early, with as many dialogues as so narrow intervals need, e.g. isr_at_n=.03; at least 30."
        ),
        Flag(MONEY, "METRIC=HALF-WIDTH"),
    ] = None
    stop_method: Annotated[
        str,
        Field(
            description="How --stop-when decides: pilot computes the number from the first 30 dialogues and keeps it; "
            "sequence looks every ten dialogues and takes two to three times as many."
        ),
        Flag(MONEY, "pilot|sequence"),
    ] = "pilot"
    dry_run: Annotated[
        bool,
        Field(description="Show the planned calls and their likely cost; make no calls."),
        Flag(MONEY, names=("--dry-run",)),
    ] = False
    like: Annotated[
        Path | None, Field(description="With --dry-run: base the estimate on this earlier run."), Flag(MONEY, "RUN")
    ] = None
    pilot: Annotated[
        int | None,
        Field(
            ge=1,
            description="With --dry-run: play the first N dialogues of the run into --out, which stay in it, and "
            "base the estimate on them.",
        ),
        Flag(MONEY, "N"),
    ] = None

    cache: Annotated[
        bool, Field(description="Reuse the answers to requests that any run with this cache has made."), Flag(CACHE)
    ] = False
    cache_dir: Annotated[
        Path | None,
        Field(description="The cache's folder (default: the user's cache directory); implies --cache."),
        Flag(CACHE, "DIR", typed=True),
    ] = None
    explain_cache: Annotated[
        bool, Field(description="For each cache miss, show the nearest cached request; implies --cache."), Flag(CACHE)
    ] = False

    synthesizers: Annotated[
        tuple[ModelRef, ...],
        SkipValidation,
        Field(description="Models that word missing turns, if the benchmark's names do not say how to reach them."),
        Flag(MISSING, "template|PROVIDER/NAME", names=("--synthesizer",)),
    ] = ()
    checker: Annotated[
        ModelRef | None,
        SkipValidation,
        Field(description="A chat model that checks what rules cannot."),
        Flag(MISSING, "PROVIDER/NAME"),
    ] = None

    @property
    def has_budget(self) -> bool:
        """Whether the run's cost is limited."""
        return self.budget_usd is not None or self.budget_tokens is not None

    @field_validator("dialogues", mode="before")
    @classmethod
    def _numbers(cls, value: Any) -> Any:
        """Numbers as text, as the command line has them."""
        if not isinstance(value, range | list | tuple):
            return value
        return ",".join(f"{number}-{number}" for number in value)

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, values: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Name the flag instead of the field, and report one fault in one sentence."""
        try:
            return handler(values)
        except ValidationError as error:
            fault = error.errors()[0]
            name = str(fault["loc"][0]) if fault["loc"] else "settings"
            if fault["type"] == "extra_forbidden":
                raise UsageError(f"there is no setting {name}{did_you_mean(name, cls.model_fields)}") from None
            raise UsageError(sentence(_flag_of(cls, name), fault)) from None


class EvalSettings(TypedDict, total=False):
    """What `evolif.evaluate` takes by name: fields of `EvalConfig`, with their defaults.

    Example:
        ```python
        evolif.evaluate("bench", "openai/gpt-5", "run", patience=5, epochs=2)
        ```
    """

    judge_rule: str
    """How a panel reaches a verdict: `mean`, `majority` or `median`."""
    relevance: str
    """Whether each answer is about its task: `none` (not asked), `lexical` (it names words of the task), or `judge`
    (the panel decides). A figure of its own.
    """
    relevance_counts: bool
    """Count that as one more requirement of every turn."""
    patience: int | None
    """Failed turns in a row that end a session; the benchmark's if None."""
    max_turns: int | None
    """The cap, in judged turns; sessions that reach it are reported as still going. The benchmark's if None."""
    limit: int | None
    """Maximum number of dialogues."""
    dialogues: str | Sequence[int] | None
    """Only these, by their numbers from 1: `"1-500"`, `"1,4,7-9"` or a `range`; all if None."""
    epochs: int
    """How often each dialogue is repeated."""
    unscored: bool
    """Play turns that no metric scores, too; they cost money and count nowhere."""
    system_prompt: bool
    """Give the model the scenario's system prompt."""
    temperature: float | None
    """Sampling temperature; the provider's default if None."""
    max_tokens: int | None
    """Longest answer in tokens."""
    seed: int
    """Seeds simulated models and, if the provider supports it, sampling."""
    max_connections: int | None
    """Fixed number of concurrent requests per model; adapts to the endpoint if None."""
    max_retries: int
    """Repeats of a request that may succeed later."""
    timeout: float | None
    """Seconds for one attempt."""
    wait: float
    """Longest wait in seconds that an endpoint may ask for; beyond it, sessions are suspended."""
    base_url: str | None
    """Endpoint of models without their own."""
    model_args: Path | str | None
    """A file of parameters of the requests to models under test, see `evolif.models.read_parameters`."""
    context: str
    """What of the past the model is shown: `full`, `last:K`, `retrieval:K`, `summary:K`, `tree`, or a plug-in's
    name.
    """
    context_model: ModelRef | None
    """The model that the context strategy calls, if it needs one."""
    feedback: str
    """How the person reacts to answers: `none`, `remark` or `repair`."""
    partner: ModelRef | None
    """Who takes the other seat in a scenario of two: `self`, `scripted`, or a model."""
    synthesizers: Sequence[ModelRef]
    """How to reach the chat models that write missing turns, if their names in the benchmark are not enough;
    `template` replaces them with the template.
    """
    checker: ModelRef | None
    """The same for the model that checks their queries."""
    fork_into: Path | str | None
    """A new run's directory: started from the part of `out` that fits these settings, or resumed."""
    engine: str
    """`asyncio`, this process; `ray`, the processes of a Ray cluster."""
    ray_address: str | None
    """The cluster; a local one on loopback if None."""
    workers: int | None
    """Processes of the cluster that play; one per core if None."""


def _flag_of(config: type[EvalConfig], name: str) -> str:
    """A field's flag, as the command line spells it."""
    notes = config.model_fields[name].metadata if name in config.model_fields else ()
    names = [note.names[0] for note in notes if isinstance(note, Flag) and note.names]
    return names[0] if names else f"--{name.replace('_', '-')}"
