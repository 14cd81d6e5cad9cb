"""What the model under test saw before each of its answers, worked out again from a stored session.

A run stores prompts and answers, and neither system texts nor pictures. System texts come from the benchmark; pictures
do not come back. Under a context strategy that shortens the conversation, what is worked out is the whole of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from evolif.runner.records import TurnRecord
from evolif.runner.settings import RunSettings
from evolif.scenario import Benchmark, Environment, Services, blaming, get_scenario, options_of
from evolif.types import Exchange, Message


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """An answer of the model under test, with what it saw before it."""

    record: TurnRecord
    messages: tuple[Message, ...]
    """The system text first, where it is known and not empty; the prompt's messages last."""
    places: Mapping[int, int]
    """Earlier turns to the positions of their answers in `messages`: those that are shown as they were given."""
    key: bytes
    """The same for two answers exactly where everything that was seen is the same."""


class Histories:
    """Works out what was seen in the sessions of a run.

    Args:
        settings: Of the run.
        environment: Its scenario, opened; with the benchmark where system texts are wanted.
        knows_systems: Whether it was opened with the benchmark.
    """

    def __init__(self, settings: RunSettings, environment: Environment, *, knows_systems: bool) -> None:
        self._settings = settings
        self._scenario = get_scenario(settings.scenario)
        self._environment = environment
        self._knows_systems = knows_systems

    def answers(self, dialogue: int, records: Sequence[TurnRecord]) -> Iterator[SeenAnswer]:
        """The answers of the model under test in a session, in order.

        Args:
            dialogue: What was played.
            records: All turns of the session.

        Raises:
            UsageError: the scenario is broken, or lacks a package.
        """
        with blaming(self._scenario):
            exchanges = self.exchanges(records)
            opening = self._opening(dialogue)
            for place, record in enumerate(records):
                if record.prompt.seat == "target":
                    own = [one for one in exchanges[:place] if one.prompt.seat == "target"]
                    yield self._seen(record, opening, self._environment.recalled(record.prompt, own))

    def exchanges(self, records: Sequence[TurnRecord]) -> list[Exchange]:
        """Stored turns as environments see them."""
        return [record.exchange(self._environment.heard(record.prompt, record.answer)) for record in records]

    def _opening(self, dialogue: int) -> tuple[Message, ...]:
        if not (self._settings.system_prompt and self._knows_systems):
            return ()
        text = self._environment.system(dialogue, "target")
        return (Message("system", text),) if text else ()

    def _seen(self, record: TurnRecord, opening: tuple[Message, ...], past: Sequence[Exchange]) -> SeenAnswer:
        messages, places = [*opening], {}
        for exchange in past:
            messages += exchange.messages
            if exchange.heard == exchange.answer:
                places[exchange.prompt.turn] = len(messages) - 1
        messages += record.prompt.messages
        return SeenAnswer(record, tuple(messages), places, self._key(record.prompt.dialogue, messages))

    def _key(self, dialogue: int, messages: Sequence[Message]) -> bytes:
        digest = sha256()
        if self._settings.system_prompt and not self._knows_systems:
            # Within a benchmark, the system text is a matter of the dialogue.
            digest.update(f"the system text of dialogue {dialogue}".encode())
        for message in messages:
            parts = (message.role, message.content, *(image.digest for image in message.images))
            for part in parts:
                data = part.encode("utf-8", "surrogatepass")
                digest.update(b"%d:%b" % (len(data), data))
            digest.update(b";")
        return digest.digest()[:16]


def open_histories(settings: RunSettings, benchmark: Benchmark | None) -> Histories:
    """Open the scenario of a run to work out what was seen, without a judge and without a call.

    Args:
        settings: Of the run.
        benchmark: What was played, for system texts; None where they are not wanted.

    Raises:
        UsageError: the scenario is not installed, or cannot be opened.
    """
    scenario = get_scenario(settings.scenario)
    play = options_of(scenario.play, settings.options, scenario.name)
    services = Services(
        relevance=settings.gate,
        reading_rules=settings.reading_rules,
        feedback=settings.feedback,
        patience=settings.patience,
    )
    with blaming(scenario):
        environment = scenario.environment(benchmark, play, services)
    return Histories(settings, environment, knows_systems=benchmark is not None)
