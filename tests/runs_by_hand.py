"""Runs written down by hand: every verdict is chosen, so that every figure can be worked out on paper.

A session is an ending, a colon, and its turns: one character per constraint, `1` satisfied, `0` failed, `?` not judged.
`finished:11 0 0 0` has four judged turns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evolif.judging import Judgement
from evolif.runner import Run, RunSettings, RunStore, SessionKey, Spent, load_run
from evolif.runner.context_record import ContextRecord
from evolif.runner.records import AnsweredTurn, EndEntry, TurnEntry
from evolif.text import READING_RULES_VERSION
from evolif.types import Message, Prompt, Usage, Verdict

GROUPS = ("start_with", "end_with", "emotion")
KEYS = {
    "start_with": {"mode": "letter", "value": "k"},
    "end_with": {"mode": "letter", "value": "p"},
    "emotion": {"emotion": "happy"},
}
WITNESS = "kelp"
"""Satisfies the first two groups; the third is for a judge."""

ContextOf = Callable[[int, int], tuple[int, ContextRecord]]
"""From dialogue and turn to the context tokens, and how the context was built."""
Sessions = Mapping[str, Mapping[int, str]]
"""Model to dialogue to session."""


def make_run(path: Path, sessions: Sessions, **settings: Any) -> Run:
    """A run with these sessions, opened for reading.

    Args:
        path: Its folder.
        sessions: Each dialogue is on one topic; odd ones are casual and worded by `template`, even ones formal and by
            `openai/w`. Turn t asks for as many of `GROUPS` as it has characters.
        settings: Over patience 3, cap 10, judge none; `answers` (a text per model) over the witness, `witness` over
            `WITNESS`, `query` (a text) over one per turn; `context_of` (a `ContextOf`) over none, `rounds` (a number
            per dialogue) over no such label.
    """
    context_of: ContextOf | None = settings.pop("context_of", None)
    rounds: Mapping[int, int] = settings.pop("rounds", {})
    answers = settings.pop("answers", {})
    prompt_of = _Prompts(settings.pop("witness", WITNESS), settings.pop("query", None))
    dialogues = sorted({dialogue for own in sessions.values() for dialogue in own})
    told = {
        "benchmark": "0123456789abcdef",
        "profile": "paper",
        "models": tuple(sessions),
        "patience": 3,
        "max_turns": 10,
        "dialogues": tuple(dialogues),
        "reading_rules": READING_RULES_VERSION,
        **settings,
    }
    store = RunStore.create(path, RunSettings(**told))
    store.enrol(SessionKey(model, dialogue, 1) for model, own in sessions.items() for dialogue in own)
    for model, own in sessions.items():
        for dialogue, session in own.items():
            ending, _, turns = session.partition(":")
            number = store.state(SessionKey(model, dialogue, 1)).id
            for turn, outcomes in enumerate(turns.split(), start=1):
                prompt = prompt_of(dialogue, turn, outcomes)
                if dialogue in rounds:
                    prompt = replace(prompt, labels={**prompt.labels, "rounds": rounds[dialogue]})
                entry = _entry(number, prompt, outcomes, model, answers)
                if context_of is not None:
                    tokens, built = context_of(dialogue, turn)
                    entry = replace(entry, context_tokens=tokens, built=built)
                store.write([entry])
            store.write(
                [EndEntry(number, ending or None, reason="the provider broke" if ending == "suspended" else "")]
            )
    store.close()
    return load_run(path)


class _Prompts:
    def __init__(self, witness: str | None, query: str | None) -> None:
        self._witness, self._query = witness, query

    def __call__(self, dialogue: int, turn: int, outcomes: str) -> Prompt:
        odd = dialogue % 2 == 1
        query = self._query or ("hey, can u redo that lol" if odd else "Kindly revise the document, please.")
        return Prompt(
            dialogue,
            turn,
            (Message("user", query),),
            payload={
                "constraints": [{"group": group, "params": KEYS[group]} for group in GROUPS[: len(outcomes)]],
                "witness": self._witness,
            },
            labels={
                "topic": f"t{dialogue}",
                "move": "new" if turn == 1 else "continue",
                "depth": turn,
                "operation": "add",
                "source": "template" if odd else "openai/w",
                "register": "casual" if odd else "formal",
            },
            digest=f"{dialogue}-{turn}-{query}",
        )


def _entry(session: int, prompt: Prompt, outcomes: str, model: str, answers: Mapping[str, str]) -> TurnEntry:
    satisfied = {"1": True, "0": False, "?": None}
    verdicts = tuple(
        Verdict(group, satisfied[outcome], "what was expected", "what was found")
        for group, outcome in zip(GROUPS, outcomes, strict=False)
    )
    return TurnEntry(
        session,
        prompt,
        AnsweredTurn(answers.get(model, WITNESS)),
        Judgement(verdicts),
        (Spent("target", model, Usage(10, 5)),),
    )
