"""More answers to single turns of a run, as its models saw them: K answers to the same conversation.

They are in a store of their own, which is made like a run. A session of it holds one more answer to turns of a session
of the run: each call is shown what the run's call was shown, whatever was answered here before. So turns do not follow
from each other, and the store is refused where a run is expected. Each answer is durable before the next call, judged
by the run's own rules, and never asked for twice.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from evolif.config import EvalConfig
from evolif.contexts import Context, FullHistory
from evolif.contexts.history import chosen_rounds
from evolif.errors import UsageError
from evolif.judging import CACHE_FILE, Judgement, SqliteJudgeCache, open_judge
from evolif.metrics.rewards import turn_rewards
from evolif.models import RequestCache, spec_of
from evolif.runner.batcher import WriteBatcher
from evolif.runner.clients import (
    ClientFactory,
    Clients,
    describe_judge,
    endpoint_of,
    is_panel,
    model_name,
    weights_by_name,
)
from evolif.runner.events import Observer, RunStarted, SessionKey, nobody
from evolif.runner.histories import Histories
from evolif.runner.ledger import Ledger
from evolif.runner.live import LIVE, LiveObserver, with_pulse
from evolif.runner.metering import AllowAll, CallPolicy
from evolif.runner.records import TurnRecord
from evolif.runner.run import SAMPLES_OF, Run, locked
from evolif.runner.scheduler import SessionScheduler, play_all
from evolif.runner.session import RunContext, Seats, SessionRunner
from evolif.runner.settings import RunSettings, differences
from evolif.runner.sharing import RedactedStore
from evolif.runner.shutdown import Shutdown, run_interruptibly, with_heartbeat
from evolif.runner.store import RunStore
from evolif.scenario import Benchmark, Environment, Scenario, Services, get_scenario, options_of
from evolif.text import EDITIONS, known_editions, plural
from evolif.types import End, Exchange, Prompt, Seat, Session

_STRIDE = 1_000_000
"""Sample s of epoch e is stored as epoch s · _STRIDE + e, so that no seed and no cached reply of the run fits it."""


_SEEN = "seen"


def own_turns(session: Session) -> Session:
    """A session without its partner's turns: what a partner said after one answer says nothing of another."""
    return replace(session, turns=tuple(turn for turn in session.turns if turn.seat == "target"))


def seen_by(record: TurnRecord) -> bytes | None:
    """What a further answer is to, as `SeenAnswer.key` has it; None of an answer that is the run's own."""
    noted = record.notes.get(_SEEN)
    try:
        return bytes.fromhex(noted) if isinstance(noted, str) else None
    except ValueError:  # edited
        return None


@dataclass(frozen=True, slots=True)
class Sampled:
    """What a store of samples has."""

    path: Path
    answers: int
    """Calls that were answered, in this call and earlier ones."""
    missing: int
    """Sessions that did not get all their answers."""
    suspended: int
    """Those among them that an outside fault ended; the same call continues them."""
    reasons: tuple[tuple[str, str, int], ...] = ()
    """(model, reason, sessions) of the suspended ones."""


def open_samples(path: Path, of: Run) -> Run:
    """Open a store of samples for reading.

    Raises:
        UsageError: it is none, or is of another run.
    """
    store = RedactedStore.open(path, read_only=True)
    if store.noted(SAMPLES_OF) != of.settings.hash():
        store.close()
        raise UsageError(
            f"{path} does not hold more answers to turns of {of.path}; name the folder that --samples wrote"
        )
    return Run(store)


@dataclass(frozen=True, slots=True)
class Task:
    """Turns of a session that get one more answer."""

    key: SessionKey
    """In the store of samples."""
    number: int
    """Of the session in the run's file."""
    turns: frozenset[int]


@dataclass(slots=True)
class Need:
    """Counts how many answers each conversation has, and tells which turns to ask for more.

    Attributes:
        k: How many answers each is to have.
    """

    k: int
    _answers: Counter[tuple[str, bytes]] = field(default_factory=Counter)
    _turns: dict[int, tuple[Session, dict[int, tuple[str, bytes]]]] = field(default_factory=dict)
    """Session to its turns that are the first of their conversation."""

    def count(
        self, number: int, session: Session, histories: Histories, records: Sequence[TurnRecord], read: Scenario
    ) -> None:
        """Count the answers of a session; turns of which nothing was judged are not worth more.

        Args:
            number: Of the session.
            session: With its judged turns.
            histories: Of the run.
            records: All its turns.
            read: Tells what scores reward.
        """
        rewards = iter(turn_rewards(own_turns(session), "dense", read.rewarded))
        first: dict[int, tuple[str, bytes]] = {}
        for seen in histories.answers(session.dialogue, records):
            reward = next(rewards, None)
            if seen.record.withheld:
                break  # what later calls were shown is not there either
            if reward is None:
                continue
            if any(message.images for message in seen.messages):
                raise UsageError(
                    "turns with pictures cannot be asked again, since a run does not store them; leave out --samples"
                )
            key = (session.model, seen.key)
            self._answers[key] += 1
            if self._answers[key] == 1:
                first[seen.record.turn] = key
        self._turns[number] = session, first

    def tasks(self) -> Iterator[Task]:
        """What is to be asked; of a larger K the same and more."""
        for number, (session, turns) in self._turns.items():
            for sample in range(1, self.k):
                # Answers of the run, over its epochs, take the place of the first samples.
                asked = frozenset(turn for turn, key in turns.items() if self._answers[key] <= sample)
                if asked:
                    yield Task(
                        SessionKey(session.model, session.dialogue, sample * _STRIDE + session.epoch), number, asked
                    )


def sample_answers(
    run: Path,
    out: Path,
    k: int,
    benchmark: Benchmark,
    config: EvalConfig,
    *,
    cache: RequestCache | None = None,
    gate: CallPolicy | None = None,
    observe: Observer | None = None,
    notify: Callable[[str], None] = lambda sentence: None,
    on_stop: Callable[[], None] = lambda: None,
) -> Sampled:
    """Ask for more answers to the turns of a run, until each conversation has K; the same call continues.

    Args:
        run: The run's folder; only read.
        out: The folder of the store of samples.
        k: How many answers to have, those of the run included; at least 2.
        benchmark: What was played.
        config: How models are called; `models` are some of the run's, as `evaluate` was told them.
        cache: Replies of earlier requests.
        gate: Decides on every call.
        observe: Called with every turn, fault and end.
        notify: Called with sentences for the user.
        on_stop: Called when Ctrl-C requests a clean stop.

    Raises:
        UsageError: the run cannot be sampled, was edited, or the folder holds something else.
        OutsideError: the disk.
        KeyboardInterrupt: stopped; every answer so far is stored.
    """
    if k < 2:
        raise UsageError(f"--samples {k} makes no pair; ask for at least 2 answers of each turn")
    shutdown = Shutdown()
    with closing(RedactedStore.open(run, migrate=False)) as source:
        source.refuse_edits()
        settings = sampled_settings(source, config)
        scenario = get_scenario(settings.scenario)
        factory = ClientFactory(config, gate or AllowAll(), shutdown, cache, scenario.name, settings.parameters)
        # Opened before anything is written, so that a missing key leaves no folder behind.
        seats = {
            model_name(model): seat
            for model, seat in zip(config.models, factory.seats(config.models, None), strict=True)
        }
        judges = _judges(settings, config)
        clients = {spec_of(judge): factory.judge(judge) for judge in config.judges if is_panel([spec_of(judge)])}
        with locked(out), closing(_open_target(out, source, settings)) as target:
            scores = SqliteJudgeCache(out / CACHE_FILE, source.root / CACHE_FILE)
            judge = open_judge(judges, rule=config.judge_rule, opener=clients.__getitem__, cache=scores)
            services = Services(
                judge=judge,
                relevance=settings.gate,
                reading_rules=settings.reading_rules,
                feedback=settings.feedback,
                patience=source.settings.patience,
            )
            options = options_of(scenario.play, settings.options, scenario.name)
            environment = scenario.environment(benchmark, options, services)
            histories = Histories(source.settings, environment, knows_systems=True)
            tasks = {task.key: task for task in _needed(source, histories, scenario, k, tuple(seats))}
            notify(_told(tasks.values(), target, k))
            target.lose_open_calls()
            batcher = WriteBatcher(target)
            live = LiveObserver(shutdown, observe or nobody, None)
            # Neither patience nor a cap ends a session: it ends with the turns that it is to answer.
            playing = settings.model_copy(update={"max_turns": sys.maxsize})
            context = RunContext(playing, environment, FullHistory(), batcher, live, shutdown, Ledger(batcher))

            async def main() -> None:
                try:
                    await _play(context, source, target, histories, tasks, seats)
                finally:
                    batcher.close()

            try:
                closing_all = Clients(seats, clients).closing(main(), judge, environment)
                beating = with_heartbeat(closing_all, shutdown, live)
                run_interruptibly(with_pulse(beating, live, partial(target.note, LIVE)), shutdown, on_stop)
            finally:
                if cache is not None:
                    cache.store.close()
                    notify(cache.summary())
            return _outcome(target, tasks)


def sampled_settings(source: RunStore, config: EvalConfig) -> RunSettings:
    """The settings of a store of samples.

    Args:
        source: The run.
        config: Which of its models are asked, where, and who judges.

    Raises:
        UsageError: models or a judge that the run does not have, reading rules that this version does not have, or
            turns whose answers would all be the same or would not compare.
    """
    old = source.settings
    if old.context != "full":
        raise UsageError(
            f"{source.root} was played with --context {old.context}, and what its calls were shown is not stored; "
            "sample runs with --context full"
        )
    if old.temperature == 0:
        raise UsageError(
            f"{source.root} was played at temperature 0, where a turn gets the same answer again; evaluate with "
            "--temperature 1 for answers that differ"
        )
    if old.reading_rules not in EDITIONS:
        raise UsageError(
            f"the answers of {source.root} were read by reading rules {old.reading_rules}, but this version has the "
            f"rules {known_editions()}; sample with that version"
        )
    names = [model_name(model) for model in config.models]
    strange = [name for name in names if name not in old.models]
    if strange:
        raise UsageError(
            f"{strange[0]} is no model of {source.root}, and its answers would be to the conversations of others; the "
            f"run has {', '.join(old.models)}"
        )
    _judges(old, config)
    places = {name: endpoint_of(model, config.base_url) for name, model in zip(names, config.models, strict=True)}
    wanted = old.model_copy(
        update={
            "endpoints": tuple(places.get(name, old.endpoint(name)) for name in old.models),
            "weights": {**old.weights, **weights_by_name(config.models)},
        }
    )
    different = differences(old, wanted)
    if different:
        raise UsageError(f"{source.root} was played with other models: {'; '.join(different)}; sample the same ones")
    return wanted.model_copy(update={"patience": None})


def _judges(settings: RunSettings, config: EvalConfig) -> list[str]:
    """Who judges, as the run has it.

    Raises:
        UsageError: a panel that is not named, or another one.
    """
    given = [spec_of(judge) for judge in config.judges]
    if not is_panel([settings.judge]) and given == ["none"]:
        return [settings.judge]
    if describe_judge(given, config.judge_rule) != (settings.judge, settings.judge_endpoints):
        raise UsageError(
            f"the run was judged by {settings.judge}, and its further answers have to be; name the same with --judge"
        )
    return given


def _needed(
    source: RunStore, histories: Histories, scenario: Scenario, k: int, models: Sequence[str]
) -> Iterator[Task]:
    need = Need(k)
    for model in models:
        for number, session in source.sessions(model, unbegun=False):
            need.count(number, session, histories, source.turns(number), scenario)
    return need.tasks()


def _told(tasks: Iterable[Task], target: RunStore, k: int) -> str:
    """How many calls there are to make."""
    turns = sum(len(task.turns) for task in tasks)
    made = sum(spent.calls for spent in target.costs() if spent.role == "target")
    if not turns:
        return f"Each judged turn has {k} answers already."
    known = f"; {made} were made before" if made else ""
    return f"{plural(turns, 'more answer is', 'more answers are')} needed for {k} of each judged turn{known}."


def _open_target(root: Path, source: RunStore, settings: RunSettings) -> RunStore:
    if root.resolve() == source.root.resolve():
        raise UsageError(f"{root} is the run itself; its further answers need another folder")
    if not RunStore.begun(root):
        store = RunStore.create(root, settings)
        store.note(SAMPLES_OF, source.settings.hash())
        return store
    store = RunStore.open(root)
    try:
        if store.noted(SAMPLES_OF) != source.settings.hash():
            raise UsageError(f"{root} does not hold more answers to turns of {source.root}; choose another folder")
        different = differences(store.settings, settings)
        if different:
            raise UsageError(f"{root} was made with other settings: {'; '.join(different)}; choose another folder")
        store.refuse_edits()
        store.grow(store.settings.grown(settings))
    except BaseException:
        store.close()
        raise
    return store


async def _play(
    context: RunContext,
    source: RunStore,
    target: RunStore,
    histories: Histories,
    tasks: Mapping[SessionKey, Task],
    seats: Mapping[str, Seats],
) -> None:
    """Have every turn answered that is not."""
    target.enrol(tasks)
    ended = {model: target.ended(model) for model in seats}
    left = {
        model: [key for key in tasks if key.model == model and (key.dialogue, key.epoch) not in ended[model]]
        for model in seats
    }
    total = Counter(key.model for key in tasks)
    context.observe(RunStarted(total, {model: total[model] - len(keys) for model, keys in left.items()}))
    limits = {name: own["target"].connections for name, own in seats.items()}
    scheduler = SessionScheduler({model: iter(keys) for model, keys in left.items()}, limits)

    async def play(key: SessionKey) -> None:
        task, known = tasks[key], target.state(key)
        session = SampledSession(context.environment, histories, source.turns(task.number), task.turns)
        model = seats[key.model]["target"]
        speaking: Seats = {"target": model, "partner": model}  # a partner's answers are given
        own = replace(context, environment=session, strategy=session)
        await SessionRunner(own, key, speaking, known).play()

    await play_all(context, scheduler, play)


def _outcome(target: RunStore, tasks: Collection[SessionKey]) -> Sampled:
    whole = {model: target.ended(model) for model in target.settings.models}
    missing = [key for key in tasks if (key.dialogue, key.epoch) not in whole[key.model]]
    endings = target.endings()
    suspended = sum(number for (_, ending, _), number in endings.items() if ending == "suspended")
    answers = sum(spent.calls for spent in target.costs() if spent.role == "target")
    return Sampled(target.root, answers, len(missing), suspended, tuple(target.reasons()))


class SampledSession(Environment):
    """A session of a run whose turns are answered once more, each after what the run's call was shown.

    It is the sessions' context strategy, too, and notes at each answer what it is to, see `seen_by`.

    Args:
        environment: Scores the answers.
        histories: Of the run.
        records: The session's turns.
        asked: Those that are answered again; the others keep their answers and judgements.
    """

    name = FullHistory.name

    def __init__(
        self, environment: Environment, histories: Histories, records: Sequence[TurnRecord], asked: Collection[int]
    ) -> None:
        self._environment = environment
        self._records = [record for record in records if record.turn <= max(asked)]
        self._past = histories.exchanges(self._records)
        self._asked = asked
        self._keys = {
            seen.record.turn: seen.key
            for seen in histories.answers(self._records[0].prompt.dialogue, self._records)
            if seen.record.turn in asked
        }

    def system(self, dialogue: int, seat: Seat) -> str:
        return self._environment.system(dialogue, seat)

    async def prompt(self, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        """The prompt that was stored next."""
        if len(past) < len(self._records):
            return self._records[len(past)].prompt
        return End("finished", "samples", "every turn has one more answer")

    def recalled(self, prompt: Prompt, past: Sequence[Exchange]) -> Sequence[Exchange]:
        """What the run's call was shown, instead of what was answered here."""
        own = [one for one in self._past[: prompt.turn - 1] if one.prompt.seat == prompt.seat]
        return self._environment.recalled(prompt, own)

    async def build(self, system: str, past: Sequence[Exchange], prompt: Prompt) -> Context:
        """The whole conversation."""
        key = self._keys.get(prompt.turn)
        return chosen_rounds(range(len(past)), system, past, prompt, {} if key is None else {_SEEN: key.hex()})

    def given(self, prompt: Prompt) -> str | None:
        """The run's answer to a turn that is not asked again."""
        return None if prompt.turn in self._asked else self._records[prompt.turn - 1].answer

    def heard(self, prompt: Prompt, answer: str) -> str:
        return self._environment.heard(prompt, answer)

    def asks_a_judge(self, prompt: Prompt) -> bool:
        return prompt.turn in self._asked and self._environment.asks_a_judge(prompt)

    async def score(
        self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Judgement | None = None
    ) -> Judgement:
        """By the run's rules, after what was said in the run."""
        judgement = self._records[prompt.turn - 1].judgement
        if prompt.turn not in self._asked and judgement is not None:
            return judgement
        return await self._environment.score(prompt, answer, self._past[: prompt.turn - 1])
