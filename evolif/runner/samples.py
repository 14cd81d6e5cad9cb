"""More answers to single turns of a run, as its models saw them: K answers to the same conversation.

They are in a store of their own, which is made like a run. A session of it holds one more answer to turns of a session
of the run: each call is shown what the run's call was shown, whatever was answered here before. So turns do not follow
from each other, and the store is refused where a run is expected. Each answer is durable before the next call, judged
by the run's own rules, and never asked for twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from evolif.contexts import Context, FullHistory
from evolif.contexts.history import chosen_rounds
from evolif.errors import UsageError
from evolif.judging import Judgement
from evolif.metrics.rewards import turn_rewards
from evolif.runner.events import SessionKey
from evolif.runner.histories import Histories
from evolif.runner.records import TurnRecord
from evolif.runner.run import SAMPLES_OF, Run
from evolif.runner.sharing import RedactedStore
from evolif.scenario import Environment, Scenario
from evolif.types import End, Exchange, Prompt, Seat, Session

_STRIDE = 1_000_000
"""Sample s of epoch e is stored as epoch s · _STRIDE + e, so that no seed and no cached reply of the run fits it."""
_SEEN = "seen"
"""The note of an answer that says what it is to."""


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
