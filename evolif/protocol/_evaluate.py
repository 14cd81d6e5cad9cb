"""Evaluate models on a benchmark: start a run, or resume the same one."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

from evolif._errors import OutsideError, UsageError
from evolif.authoring import open_stored
from evolif.benchmark import Benchmark, Grower, Wording, turn_hash
from evolif.judging import open_judge
from evolif.models import ChatModel, address_of, open_model, parse_model_name
from evolif.protocol._context import FullHistory
from evolif.protocol._run import Run, load_run
from evolif.protocol._scenario import EvolifScenario
from evolif.protocol._session import Observer, SessionKey, Stage
from evolif.protocol._settings import RunSettings
from evolif.protocol.engines import Stopper, play_all, run_interruptibly
from evolif.protocol.store import RunStore
from evolif.text import READING_RULES_VERSION

_Number = TypeVar("_Number", int, int | None)


def evaluate(
    benchmark: Benchmark | Path | str,
    models: Sequence[str],
    out: Path | str,
    *,
    judge: str = "none",
    patience: int | None = None,
    max_turns: int | None = None,
    limit: int | None = None,
    epochs: int = 1,
    system_prompt: bool = True,
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int = 0,
    max_connections: int | None = None,
    max_retries: int = 2,
    timeout: float | None = None,
    base_url: str | None = None,
    synthesizers: Sequence[str] = (),
    checker: str | None = None,
    observe: Observer | None = None,
    on_stop: Callable[[], None] | None = None,
) -> Run:
    """Run models on a benchmark until patience is exhausted; the same call resumes a run that was broken off.

    Args:
        benchmark: The benchmark, or its directory; its dialogues are extended as far as a model follows.
        models: Names such as `openai/gpt-5`, `local/smollm2-135m`, `sim/steady`.
        out: The run's directory.
        judge: `none` or `lexical` (a heuristic whose verdicts stand apart).
        patience: Failed turns in a row that end a session; the profile's value where None.
        max_turns: The cap; sessions that reach it are censored. The profile's value where None.
        limit: Only the first so many dialogues.
        epochs: How often each dialogue is repeated.
        system_prompt: Explain scoped constraints to the model.
        temperature: Sampling temperature; the provider's default where None.
        max_tokens: Longest answer in tokens.
        seed: Seeds simulated models and, where a provider takes one, sampling.
        max_connections: Sessions side by side per model; the model's own default where None.
        max_retries: How often the SDK repeats a request.
        timeout: Seconds for one attempt.
        base_url: Endpoint of the models that name none.
        synthesizers: Where the chat models that word missing turns are reached, if their names in the benchmark do not
            tell; `template` has the template stand in for them.
        checker: The same for the model that checks their words.
        observe: Told after every turn and at the end of every session.
        on_stop: Told when Ctrl-C asked for a clean stop.

    Raises:
        UsageError: an unknown model, a missing key, settings that differ from the run's.
        KeyboardInterrupt: stopped; everything finished is in the store.
    """
    opened = benchmark if isinstance(benchmark, Benchmark) else Benchmark(benchmark)
    judging = open_judge(judge)
    models = [models] if isinstance(models, str) else models
    _at_least_one("max-connections", max_connections)
    clients = _open_models(models, base_url=base_url, max_retries=max_retries, timeout=timeout, seed=seed)
    defaults = opened.header.spec.profile.protocol
    settings = RunSettings(
        benchmark=opened.identity,
        profile=opened.header.spec.profile.name,
        models=tuple(clients),
        endpoints=tuple(_endpoint(name, base_url) for name in models),
        judge=judge,
        patience=_at_least_one("patience", defaults.patience if patience is None else patience),
        max_turns=_at_least_one("max-turns", defaults.max_turns if max_turns is None else max_turns),
        dialogues=tuple(opened.dialogues()[: None if limit is None else _at_least_one("limit", limit)]),
        epochs=_at_least_one("epochs", epochs),
        system_prompt=system_prompt,
        temperature=temperature,
        max_tokens=_at_least_one("max-tokens", max_tokens),
        seed=seed,
        reading_rules=READING_RULES_VERSION,
    )
    if not settings.dialogues:
        raise UsageError(f"{opened.path} has no dialogues; make them with `evolif generate`")
    for dialogue in settings.dialogues:
        opened.turns(dialogue)  # a broken line is told before the first call, not after some have been paid
    sessions = [
        SessionKey(model, dialogue, epoch)
        for epoch in range(1, settings.epochs + 1)
        for dialogue in settings.dialogues
        for model in clients
    ]
    wording = _open_wording(opened, opened.missing(settings.max_turns, settings.dialogues), synthesizers, checker)
    root = Path(out)
    stopper = Stopper()
    with _locked(root), closing(_open_store(root, settings)) as store:
        _refuse_edited(opened, store)
        store.enrol((key.model, key.dialogue, key.epoch) for key in sessions)
        scenario = EvolifScenario(opened, judging, Grower(opened, wording, notify=opened.notify))
        stage = Stage(scenario, FullHistory(), store, observe or (lambda _: None), stopper)
        main = play_all(stage, clients, sessions, lambda model: max_connections or model.connections, stopper)
        run_interruptibly(_closing(main, wording), stopper, on_stop or (lambda: None))
    return load_run(root)


def _open_wording(
    benchmark: Benchmark, missing: Mapping[str, int], synthesizers: Sequence[str], checker: str | None
) -> Wording:
    """Open who words missing turns, and say so: that costs calls of its own."""
    wording = open_stored(benchmark, tuple(missing), synthesizers, checker)
    for name, count in missing.items():
        who = name if wording.synthesizers[name] is not None else "the template"
        benchmark.notify(f"{who} words turns that are not there yet when a model gets so far: {count} at most")
    return wording


async def _closing(main: Coroutine[Any, Any, None], wording: Wording) -> None:
    """Release the synthesizers in the loop that used them."""
    try:
        await main
    finally:
        await wording.aclose()


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    """Hold the run's folder, made where it is missing, for this process alone."""
    from filelock import FileLock, Timeout

    if root.exists() and not root.is_dir():
        raise UsageError(f"{root} is a file; choose another folder")
    lock = FileLock(root / ".lock", timeout=0)
    try:
        root.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UsageError(
            f"{root} is being evaluated by another process; wait for it or choose another folder"
        ) from None
    except OSError as fault:
        raise OutsideError(f"{root} cannot be used as a run folder ({fault.strerror})") from None
    try:
        yield
    finally:
        lock.release()


def _refuse_edited(benchmark: Benchmark, store: RunStore) -> None:
    """Before anything is asked, see that the turns this run has used are still what they were."""
    for dialogue, number, used in store.used_turns():
        if turn_hash(benchmark.turn(dialogue, number)) != used:
            raise UsageError(
                f"turn {number} of dialogue {dialogue} was edited since it was used in this run; "
                "evaluate into a new folder"
            )


def _open_models(
    names: Sequence[str], *, base_url: str | None, max_retries: int, timeout: float | None, seed: int
) -> dict[str, ChatModel]:
    if not names:
        raise UsageError("name at least one model, e.g. --model sim/steady")
    clients: dict[str, ChatModel] = {}
    for name in names:
        client = open_model(name, base_url=base_url, max_retries=max_retries, timeout=timeout, seed=seed)
        if client.name in clients:
            raise UsageError(
                f"the model {client.name} is named twice; repeat dialogues by --epochs, "
                "and compare endpoints in runs of their own"
            )
        clients[client.name] = client
    return clients


def _endpoint(name: str, base_url: str | None) -> str:
    """Where a model is asked, without user and key; empty for the provider's own endpoint."""
    parts = urlsplit(address_of(parse_model_name(name), base_url) or "")
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _at_least_one(name: str, value: _Number) -> _Number:
    if value is not None and value < 1:
        raise UsageError(f"--{name} must be at least 1")
    return value


def _open_store(root: Path, settings: RunSettings) -> RunStore:
    """The run in `root`, new or resumed; refuses to mix settings."""
    if not RunStore.begun(root):
        return RunStore.create(root, settings)
    store = RunStore.open(root)
    different = store.settings.differences(settings)
    if different:
        store.close()
        raise UsageError(
            f"{root} holds a run with other settings ({'; '.join(different[:4])}); "
            "repeat its settings to resume it, or choose another folder"
        )
    return store
