"""What a session keeps of prompts that were answered: small, shared, and as the store gives it back."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import Scripted, witness

from evolif.runner import evaluate
from evolif.runner.past import PackedPayload, PromptPacker
from evolif.scenarios.instructions.environment import TurnEnvironment
from evolif.types import End, Exchange, Message, Prompt

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner, max_size=3),
    max_leaves=8,
)


def asked(payload: object, text: str = "Write.") -> Prompt:
    return Prompt(1, 1, (Message("user", text),), payload=payload, labels={"topic": "T1"}, digest="d")


@given(st.dictionaries(st.text("abc", max_size=2), JSON, min_size=1, max_size=4))
def test_a_packed_payload_says_the_same(payload: dict[str, object]) -> None:
    packed = PromptPacker()(asked(payload))
    assert isinstance(packed.payload, PackedPayload)
    assert packed.payload == payload and dict(packed.payload) == payload and {**packed.payload} == payload
    assert list(packed.payload) == list(payload) and len(packed.payload) == len(payload)
    assert packed.payload.get("no such key", 1) == 1
    assert pickle.loads(pickle.dumps(packed.payload)) == payload
    assert replace(packed, payload=payload) == asked(payload)


@pytest.mark.parametrize("payload", [{}, {"half": "\ud800"}, {"number": float("nan")}])
def test_what_json_does_not_hold_stays_as_it_is(payload: dict[str, object]) -> None:
    prompt = asked(payload)
    assert PromptPacker()(prompt) is prompt


def test_sessions_share_a_prompt_and_no_prompt_takes_the_place_of_another() -> None:
    pack = PromptPacker()
    first, again, other = pack(asked({"a": [1]})), pack(asked({"a": [1]})), pack(asked({"a": [1]}, "Sing."))
    assert again is first and other.query == "Sing."
    assert pack(first) is first


def test_the_past_of_a_session_is_packed_and_plays_on_the_same(
    bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Exchange] = []
    prompt = TurnEnvironment.prompt

    async def watched(self: TurnEnvironment, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        seen.extend(past)
        return await prompt(self, dialogue, past)

    monkeypatch.setattr(TurnEnvironment, "prompt", watched)
    whole = evaluate(bench, Scripted(witness), tmp_path / "run", max_turns=6, feedback="remark")
    assert seen and all(isinstance(one.prompt.payload, PackedPayload) for one in seen)
    assert [len(one.turns) for one in whole.sessions()] == [6] * 4
    assert list(whole.store.prompts()) and whole.integrity().edited == ()
    whole.close()
