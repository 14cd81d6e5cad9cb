"""The solvers that Inspect finds: `evolif/play` of our tasks, and `evolif/evolif_solver` for those of users.

Imported by Inspect only.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from inspect_ai._util.registry import registry_info, registry_unqualified_name
from inspect_ai.model import get_model
from inspect_ai.solver import generate as generating
from inspect_ai.solver import solver

from evolif.config import EvalConfig
from evolif.errors import UsageError
from evolif.inspect.benches import pairs, told
from evolif.inspect.dataset import SampleBench, number_of
from evolif.inspect.messages import to_inspect
from evolif.inspect.playing import InspectModel, TaskPlayer, TaskSession, config_of, cut_short
from evolif.inspect.scaffolds import ScaffoldModel, Solve, scaffold_of
from evolif.inspect.scores import STORE, session_object
from evolif.types import Message, Session

PLAY = "play"
"""The name of the solver of our tasks."""
OWN_SOLVER = "evolif_solver"
"""The registered name of the solver for tasks of users."""
RUNNING = "running"
"""What a sample's metadata says of its ending as long as it is played."""
_STOPPED = "stopped by its user"
_made: WeakSet[Any] = WeakSet()
"""All that `evolif_solver` has made, whatever name a user's decorator has given it since."""
_of_tasks: dict[str, TaskPlayer] = {}
"""By samples of our tasks whose solver was replaced: what plays them."""


def playing_solver(player: TaskPlayer, agent: Any = None) -> Any:
    """The solver of a task of ours.

    Args:
        player: Plays the dialogues of its benchmark.
        agent: A scaffold that answers; None for the model itself.
    """
    scaffold = None if agent is None else scaffold_of(agent)

    async def solve(state: Any, generate: Any) -> Any:
        return await _played(player, state, generate, scaffold)

    def play() -> Any:
        return solve

    return solver(name=PLAY)(play)()


def _own_solver(
    bench: str | None = None,
    agent: Any = None,
    patience: int | None = None,
    max_turns: int | None = None,
    judge: str | list[str] = "none",
    judge_rule: str = "mean",
    relevance: str = "none",
    relevance_counts: bool = False,
    feedback: str = "none",
    context: str = "full",
    context_model: str | None = None,
    partner: str | None = None,
    system_prompt: bool = True,
    **options: Any,
) -> Any:
    """Play the dialogue of a sample turn by turn, in a task of your own, with your own scaffold if you like.

    Args:
        bench: The folder of the benchmark; by default the one of the sample's data set.
        agent: What answers each turn: a solver or an agent of Inspect, a sequence of them, or a name as `--solver`
            takes it. It gets the conversation so far and adds a message of the assistant. None for the model itself,
            with the tools that solvers before this one gave it.
        patience: Failed turns in a row that end a dialogue; by default as the benchmark says.
        max_turns: How many turns a dialogue has at most; by default as many as the data set gives.
        judge: Models of Inspect for what rules cannot decide.
        judge_rule: How several judges decide.
        relevance: How off-topic answers are told: `none`, `lexical` or `judge`.
        relevance_counts: Whether they fail.
        feedback: How the user reacts to failed answers: `none`, `remark` or `repair`.
        context: What of the conversation is shown: `full`, `last:2` and so on.
        context_model: A model of Inspect that a context strategy asks.
        partner: A model of Inspect for the other seat of a game, or `self` or `scripted`.
        system_prompt: Whether the system text is said.
        options: Options of the scenario, as `evolif evaluate --set` takes them.

    Example:
        ```python
        Task(dataset=evolif_dataset("my-bench"), solver=evolif_solver(agent=react(tools=[...])), scorer=evolif_scorer())
        ```
    """

    def config(most: int | None) -> EvalConfig:
        return config_of(
            judge,
            judge_rule=judge_rule,
            relevance=relevance,
            relevance_counts=relevance_counts,
            patience=patience,
            max_turns=most,
            feedback=feedback,
            context=context,
            context_model=context_model,
            partner=partner,
            system_prompt=system_prompt,
            options=pairs(options),
        )

    players: dict[tuple[str, int | None], TaskPlayer] = {}
    with told():
        scaffold = None if agent is None else scaffold_of(agent)
        own = config(max_turns)

    def player(state: Any) -> TaskPlayer:
        of_task = _of_tasks.pop(state.uuid, None)
        if of_task is not None:
            if bench is not None or own != config_of():
                raise UsageError("the task says how its dialogues are played (-T); give its solver an agent only")
            return of_task
        of = SampleBench.of(state.metadata, bench)
        key = (of.path, max_turns or of.max_turns)
        if key not in players:
            players[key] = TaskPlayer(of.open(), config(key[1]), get_model)
        return players[key]

    async def solve(state: Any, generate: Any) -> Any:
        with told():
            with_tools = generating() if state.tools else None
            return await _played(player(state), state, generate, scaffold or with_tools)

    _made.add(solve)
    return solve


evolif_solver = solver(name=OWN_SOLVER)(_own_solver)


def plays_turns(name: str) -> bool:
    """Whether a solver of this name plays dialogues turn by turn: ours, or a user's around `evolif_solver`.

    Args:
        name: Without the package.
    """
    known = {registry_unqualified_name(registry_info(one).name) for one in _made}
    return name in {PLAY, OWN_SOLVER} | known


async def _played(player: TaskPlayer, state: Any, generate: Any, scaffold: Solve | None) -> Any:
    """A sample with its dialogue played until it ends."""
    model = get_model()
    seat = (
        InspectModel(model)
        if scaffold is None
        else ScaffoldModel(model, scaffold, state, generate, keeps_steps=player.context == "full")
    )
    log = _Log(state, seat)
    try:
        played = await player.play(seat, number_of(state), state.epoch, log.keep)
    except BaseException as fault:
        why = why_cut(fault)
        if why and log.latest is not None and log.latest.session.turns:
            log.close(player, cut_short(log.latest.session, why))
        raise
    log.keep(played)
    log.close(player, played.session)
    state.completed = True
    return state


class _Log:
    """Writes what is played into the sample, turn by turn, so that nothing that was paid for is lost."""

    def __init__(self, state: Any, seat: InspectModel | ScaffoldModel) -> None:
        self._state = state
        self._seat = seat
        self._turns = 0
        self.latest: TaskSession | None = None

    def keep(self, session: TaskSession) -> None:
        """Add what is new."""
        self.latest, state = session, self._state
        if not state.metadata.get("ending"):
            state.messages = []  # the first turn comes with all that stands before it
            state.metadata["ending"] = RUNNING
        # One by one: a list of Inspect's counts them, and raises where there may be no more.
        for message in self._said(session)[len(state.messages) :]:
            state.messages.append(to_inspect(message) if isinstance(message, Message) else message)

    def _said(self, session: TaskSession) -> list[Any]:
        """All messages: ours, or those of Inspect that a scaffold has made."""
        if isinstance(self._seat, InspectModel):
            return list(session.played.messages)
        said: list[Any] = [Message("system", session.played.system)] if session.played.system else []
        for turn in session.played.turns:
            said += [*turn.shown, *self._seat.steps.get(turn.turn, [Message("assistant", turn.answer)])]
        return said

    def close(self, player: TaskPlayer, session: Session) -> None:
        """Store how it went."""
        state = self._state
        state.store.set(STORE, session_object(session, player.settings(self._seat)))
        state.metadata |= {"ending": session.ending, "cause": session.cause}
        if self.latest is not None and self.latest.output is not None:
            state.output = self.latest.output


def why_cut(fault: BaseException) -> str:
    """Which limit of Inspect ended a dialogue, in words; empty for a fault, which counts for nothing."""
    from asyncio import CancelledError

    from inspect_ai.util import LimitExceededError

    if isinstance(fault, LimitExceededError):
        return f"its {fault.type} limit"
    return _STOPPED if isinstance(fault, CancelledError | KeyboardInterrupt) else ""


def checking_solver(scenario: str, player: TaskPlayer) -> Any:
    """Refuses to run where the solver was replaced by one that cannot play a dialogue, before any call is made.

    Args:
        scenario: Of the task.
        player: Plays its dialogues, also for an `evolif_solver` in place of its solver.
    """

    async def check(state: Any, generate: object) -> Any:
        from inspect_ai._util.error import PrerequisiteError
        from inspect_ai.log._samples import sample_active

        active = sample_active()
        named = None if active is None else active.agent_name
        if named is not None and not plays_turns(named):
            raise PrerequisiteError(
                f"evolif/{scenario} plays its dialogues turn by turn with a solver of its own, and {named} would "
                "answer the first message only; give what --solver was given as -T agent=…, and it answers each turn"
            )
        if named not in (None, PLAY):
            _of_tasks[state.uuid] = player
        return state

    def own_solver() -> Any:
        return check

    return solver(name="own_solver")(own_solver)()
