"""The settings of an evaluation, each declared once, with its default, its bounds and its help.

The flags of `evolif evaluate`, their variables and keys of `--config` are made from these fields.
`evolif.runner.settings.plan` decides which of their values a run stores. No command line is imported here: a `Flag`
only says how one spells a field.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    SkipValidation,
    ValidationError,
    model_validator,
)

from evolif.errors import UsageError
from evolif.models import DEFAULT_RETRIES, ModelRef

JUDGES = "Judges"
SESSIONS = "Sessions"
ASKING = "How models are asked"
MONEY = "Money, and an early end"
CACHE = "Cache"
MISSING = "Turns that are missing"


@dataclass(frozen=True, slots=True)
class Flag:
    """How the command line spells a setting."""

    panel: str | None = None
    """The heading in the help."""
    metavar: str | None = None
    names: tuple[str, ...] = ()
    """The long name first; made from the field's name where empty."""
    required: bool = False


class EvalConfig(BaseModel):
    """The settings of an evaluation, those of its sessions and those of its calls and costs.

    None leaves a value to the benchmark's profile or to the provider. Rejudging uses the settings of calls and costs.

    Raises:
        UsageError: a value out of range.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    models: Annotated[
        tuple[ModelRef, ...],
        SkipValidation,
        Field(description="May be given repeatedly."),
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
            description="For emotion, audience and style: none (by default), lexical, or PROVIDER/NAME; several models "
            "are a panel."
        ),
        Flag(JUDGES, "JUDGE", names=("--judge",)),
    ] = ("none",)
    judge_rule: Annotated[
        str, Field(description="How a panel comes to a verdict."), Flag(JUDGES, "mean|majority|median")
    ] = "mean"

    patience: Annotated[
        int | None,
        Field(ge=1, description="Failed turns in a row that end a session (the profile's 3)."),
        Flag(SESSIONS, "N"),
    ] = None
    max_turns: Annotated[int | None, Field(ge=1, description="The cap (the profile's 50)."), Flag(SESSIONS, "N")] = None
    limit: Annotated[int | None, Field(ge=1, description="Only the first so many dialogues."), Flag(SESSIONS, "N")] = (
        None
    )
    epochs: Annotated[int, Field(ge=1, description="How often every dialogue is played."), Flag(SESSIONS, "N")] = 1
    fork_into: Annotated[
        Path | None,
        Field(description="Start a run from what --out shares with these settings; nothing shared is asked again."),
        Flag(SESSIONS, "NEW", names=("--fork",)),
    ] = None
    system_prompt: Annotated[bool, Field(description="Explain scoped constraints to the model."), Flag(SESSIONS)] = True
    temperature: Annotated[
        float | None, Field(ge=0, description="The provider's default where not given."), Flag(SESSIONS, "X")
    ] = None
    max_tokens: Annotated[
        int | None, Field(ge=1, description="Longest answer in tokens; the provider's default."), Flag(SESSIONS, "N")
    ] = None
    seed: Annotated[int, Field(ge=0, description="Seeds sampling and intervals."), Flag(SESSIONS, "N")] = 0

    base_url: Annotated[
        str | None, Field(description="Endpoint of the models under test that name none."), Flag(ASKING, "URL")
    ] = None
    max_connections: Annotated[
        int | None,
        Field(
            ge=1,
            description="Requests side by side per model, for good. By default it follows what the endpoint stands, up "
            "to 200; local models 1.",
        ),
        Flag(ASKING, "N"),
    ] = None
    max_retries: Annotated[
        int, Field(ge=0, description="Repeats of a request that may pass later."), Flag(ASKING, "N")
    ] = DEFAULT_RETRIES
    timeout: Annotated[
        float | None,
        Field(
            ge=0.001,
            description="For one attempt (120; local models 600). A call is not repeated after ten minutes, or two "
            "attempts of this length.",
        ),
        Flag(ASKING, "SECONDS"),
    ] = None
    engine: Annotated[str, Field(description="ray plays on a cluster (extra ray)."), Flag(ASKING, "asyncio|ray")] = (
        "asyncio"
    )
    ray_address: Annotated[
        str | None,
        Field(description="The Ray cluster; one of this machine by default."),
        Flag(ASKING, "HOST:PORT"),
    ] = None

    budget_usd: Annotated[
        float | None,
        Field(ge=0, description="US dollars for the whole run, what it spent before too."),
        Flag(MONEY, "USD"),
    ] = None
    budget_tokens: Annotated[
        int | None,
        Field(ge=0, description="Tokens for the whole run, of all its models, what it spent before too."),
        Flag(MONEY, "N"),
    ] = None
    prices: Annotated[
        Path | None, Field(description="Prices per million tokens, over the packaged ones."), Flag(MONEY, "FILE")
    ] = None
    stop_when: Annotated[
        str | None,
        Field(description="End early once every model's interval is narrower, e.g. rob=0.03."),
        Flag(MONEY, "METRIC=HALF-WIDTH"),
    ] = None
    dry_run: Annotated[
        bool,
        Field(description="Say what would be asked and what it may cost, and ask nothing."),
        Flag(MONEY, names=("--dry-run",)),
    ] = False
    like: Annotated[
        Path | None, Field(description="With --dry-run: expect what this earlier run came to."), Flag(MONEY, "RUN")
    ] = None

    cache: Annotated[
        bool, Field(description="Do not ask again what any run with this cache has asked."), Flag(CACHE)
    ] = False
    cache_dir: Annotated[
        Path | None, Field(description="The cache's folder (the user's own); implies it."), Flag(CACHE, "DIR")
    ] = None
    explain_cache: Annotated[
        bool, Field(description="Say of what the cache does not know what is nearest; implies it."), Flag(CACHE)
    ] = False

    synthesizers: Annotated[
        tuple[ModelRef, ...],
        SkipValidation,
        Field(description="Who words missing turns, where the benchmark's names do not tell how to reach them."),
        Flag(MISSING, "template|PROVIDER/NAME", names=("--synthesizer",)),
    ] = ()
    checker: Annotated[
        ModelRef | None,
        SkipValidation,
        Field(description="A chat model that checks what rules cannot know."),
        Flag(MISSING, "PROVIDER/NAME"),
    ] = None

    @property
    def has_budget(self) -> bool:
        """Whether the run's cost is limited."""
        return self.budget_usd is not None or self.budget_tokens is not None

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, values: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Name the flag in place of the field, and report one fault in one sentence."""
        try:
            return handler(values)
        except ValidationError as error:
            fault = error.errors()[0]
            flag = f"--{str(fault['loc'][0]).replace('_', '-')}"
            least = fault.get("ctx", {}).get("ge")
            raise UsageError(
                f"{flag}: {fault['msg']}" if least is None else f"{flag} must be at least {least}"
            ) from None
