"""A run played: the store opened, what is left of its sessions brought on stage, everything closed again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from evolif.benchmark import Benchmark, Grower, SynthesisRecord
from evolif.domain import Usage
from evolif.judging import CACHE_FILE, Judge, SqliteJudgeCache, open_judge
from evolif.models import ChatModel
from evolif.protocol._context import FullHistory
from evolif.protocol._difference import growth
from evolif.protocol._events import Observer, RunStarted, SessionKey, Spent, TurnWorded
from evolif.protocol._identity import first_edits, locked, refuse_edited, refuse_other_settings
from evolif.protocol._opened import Cast
from evolif.protocol._plan import sessions_of
from evolif.protocol._scenario import EvolifScenario
from evolif.protocol._session import Stage
from evolif.protocol._settings import RunSettings
from evolif.protocol._stopper import Stopper
from evolif.protocol.engines import Lanes, Recall, calm_collector, play_here, run_interruptibly, with_heartbeat
from evolif.protocol.store import CostEntry, Journal, RunStore, fork

Notify = Callable[[str], None]
Engine = Callable[[Stage, Mapping[str, ChatModel], Lanes, Recall], Awaitable[None]]
"""Plays the sessions."""


@dataclass(frozen=True, slots=True)
class Production:
    """What a run is played with, beside its models."""

    benchmark: Benchmark
    settings: RunSettings
    judges: Sequence[str]
    judge_rule: str
    observe: Observer
    notify: Notify
    on_stop: Callable[[], None]

    def is_complete(self, root: Path) -> bool:
        """Whether a run was begun here and nothing of these settings is left to do.

        Raises:
            UsageError: its settings or its turns are others.
        """
        if not RunStore.begun(root):
            return False
        with closing(RunStore.open(root)) as store:
            refuse_other_settings(store, self.settings)
            refuse_edited(store, self.benchmark)
            return not any(list(self._left(store, model)) for model in self.settings.models)

    def fork(self, source: Path, root: Path) -> None:
        """Start a run from what another shares with these settings; does nothing where it was begun before.

        Raises:
            UsageError: there is no run to start from, or the folder holds something else.
        """
        if RunStore.begun(root):
            return
        with closing(RunStore.open(source)) as store, locked(root):
            shared = fork(store, root, self.settings, first_edits(store, self.benchmark))
        judged = "" if shared.judged or not shared.turns else ", to be judged again"
        self.notify(f"{root} starts with {shared.turns} turns of {shared.sessions} sessions of {source}{judged}.")

    def play(self, root: Path, cast: Cast, stopper: Stopper, engine: Engine = play_here) -> None:
        """Play what is left.

        Raises:
            EvolifError: what no session could survive.
            KeyboardInterrupt: stopped by Ctrl-C or SIGTERM.
        """
        with locked(root), closing(self._open_store(root)) as store:
            left = self._enrolled(store)
            journal = Journal(store)
            judge = self._judge(root, cast)
            grower = Grower(self.benchmark, cast.wording, notify=self.benchmark.notify, record=self._clerk(journal))
            scenario = EvolifScenario(grower, judge)
            stage = Stage(self.settings, scenario, FullHistory(), journal, self.observe, stopper)
            lanes = Lanes(left, {name: _alive(target, cast) for name, target in cast.targets.items()})

            async def main() -> None:
                try:
                    await engine(stage, cast.targets, lanes, store.state)
                finally:
                    journal.close()

            with calm_collector():
                playing = with_heartbeat(cast.closing(main(), judge), stopper, self.observe)
                run_interruptibly(playing, stopper, self.on_stop)

    def _open_store(self, root: Path) -> RunStore:
        if not RunStore.begun(root):
            return RunStore.create(root, self.settings)
        store = RunStore.open(root)
        try:
            refuse_other_settings(store, self.settings)
            more = growth(store.settings, self.settings)
            if more:
                self.notify(f"{root} grows by {more}; what it holds is kept.")
            store.grow(store.settings.grown(self.settings))
        except BaseException:
            store.close()
            raise
        return store

    def _enrolled(self, store: RunStore) -> dict[str, Iterator[SessionKey]]:
        """Write down all sessions and say how many there are; per model, those that are left."""
        models = self.settings.models
        store.enrol(key for model in models for key in sessions_of(self.settings, model))
        whole = len(self.settings.dialogues) * self.settings.epochs
        left = {model: list(self._left(store, model)) for model in models}
        ended = {model: whole - len(keys) for model, keys in left.items()}
        if any(ended.values()):
            self.notify(
                f"{store.root}: {sum(ended.values())} of {whole * len(models)} sessions have ended already; "
                "the others go on."
            )
        self.observe(RunStarted(dict.fromkeys(models, whole), ended))
        return {model: iter(keys) for model, keys in left.items()}

    def _left(self, store: RunStore, model: str) -> Iterator[SessionKey]:
        ended = store.ended(model)
        return (key for key in sessions_of(self.settings, model) if (key.dialogue, key.epoch) not in ended)

    def _judge(self, root: Path, cast: Cast) -> Judge | None:
        cache = SqliteJudgeCache(root / CACHE_FILE) if cast.judges else None
        return open_judge(self.judges, rule=self.judge_rule, opener=cast.judges.__getitem__, cache=cache)

    def _clerk(self, journal: Journal) -> Callable[[SynthesisRecord], None]:
        """Writes down what wording a turn cost."""

        def record(told: SynthesisRecord) -> None:
            names = {"synthesizer": told.synthesizer, "checker": self.benchmark.header.spec.checker or "checker"}
            spent = tuple(
                Spent(role, names[role], Usage(cost.prompt_tokens, cost.completion_tokens), cost.calls)
                for role, cost in told.cost.items()
                if cost.calls
            )
            journal.post(CostEntry(None, told.dialogue, told.turn, spent))
            self.observe(TurnWorded(told.dialogue, told.turn, spent))

        return record


def _alive(target: ChatModel, cast: Cast) -> int:
    """Sessions of a model side by side: twice its requests where a panel is asked too.

    So the model's places are used while answers are being judged; but one that answers one at a time keeps its session.
    """
    return target.connections * (2 if cast.judges and target.connections > 1 else 1)
