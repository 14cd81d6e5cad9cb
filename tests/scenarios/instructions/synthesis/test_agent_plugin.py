"""Synthesizers of other packages: loaded when named, checked like anybody."""

from __future__ import annotations

import asyncio
from importlib.metadata import EntryPoint

import pytest
from agent_models import make_turn, says

from evolif import UsageError
from evolif.scenarios.instructions.synthesis.agent import Meter, PluginSynthesizer, load_plugin
from evolif.scenarios.instructions.turns import Finding, Turn

loaded: list[int] = []


class Poet:
    def __init__(self, seed: int) -> None:
        loaded.append(seed)
        self.heard: list[tuple[Finding, ...]] = []

    def write(self, turn: Turn, findings: tuple[Finding, ...]) -> str:
        self.heard.append(findings)
        return "O give me 5 points" if findings else "O give me points"


class Slow(Poet):
    async def write(self, turn: Turn, findings: tuple[Finding, ...]) -> str:
        return "5"


class Broken(Poet):
    def write(self, turn: Turn, findings: tuple[Finding, ...]) -> str:
        raise ValueError("no muse")


def refuse(seed: int) -> Poet:
    raise RuntimeError("not today")


class Mute(Poet):
    def write(self, turn: Turn, findings: tuple[Finding, ...]) -> str:
        return None  # what a careless plug-in does


@pytest.fixture(autouse=True)
def entries(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded.clear()
    known = {"poet": "Poet", "slow": "Slow", "broken": "Broken", "mute": "Mute", "refuse": "refuse", "gone": "Gone"}

    def entry_points(group: str, name: str) -> list[EntryPoint]:
        assert group == "evolif.synthesizers"
        return [EntryPoint(name, f"{__name__}:{known[name]}", group)] if name in known else []

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)


def say(plugin: PluginSynthesizer) -> tuple[str, int, str]:
    attempt = asyncio.run(plugin.say(make_turn(), Meter()))
    return attempt.query, attempt.attempts, attempt.outcome


def test_its_words_pass_the_same_checkers_and_it_hears_the_findings() -> None:
    plugin = load_plugin("poet", 7, says("5"))
    assert plugin.name == "poet" and loaded == [7]
    assert say(plugin) == ("O give me 5 points", 2, "repaired")
    assert say(load_plugin("slow", 7, says("5"))) == ("5", 1, "accepted")
    assert say(load_plugin("poet", 7, says("6")))[1:] == (3, "flagged")


@pytest.mark.parametrize(
    ("name", "said"),
    [("nobody", "unknown synthesizer “nobody”"), ("refuse", "cannot be loaded"), ("gone", "cannot be loaded")],
)
def test_what_cannot_be_loaded_is_a_sentence(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        load_plugin(name, 1, says())


@pytest.mark.parametrize(("name", "said"), [("broken", "failed .*no muse"), ("mute", "no text")])
def test_a_plugin_that_breaks_is_named(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        say(load_plugin(name, 1, says("5")))


def test_plugins_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLIF_PLUGINS", "0")
    with pytest.raises(UsageError, match="unknown synthesizer"):
        load_plugin("poet", 1, says("5"))
    assert not loaded
