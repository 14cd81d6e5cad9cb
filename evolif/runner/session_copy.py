"""A session's stored turns, copied from a run into a shard that goes on with it."""

from __future__ import annotations

from dataclasses import replace

from evolif.runner.events import SessionKey
from evolif.runner.records import SessionState
from evolif.runner.store import RunStore

_PROMPT = "dialogue, turn, digest, fixed, seat, messages, query, payload, labels, max_tokens"
_ANSWER = """answer, reasoning, truncated, served_by, seconds, verdicts, scores, heuristic, records, notes,
       context_tokens, seal, context"""
_FROM = "FROM turn JOIN asked ON asked.id = turn.asked WHERE session = ? ORDER BY turn.turn"
_PROMPTS = f"SELECT {', '.join(f'asked.{name}' for name in _PROMPT.split(', '))} {_FROM}"
_TURNS = f"SELECT turn.turn, asked.dialogue, asked.turn, digest, {_ANSWER} {_FROM}"
_INSERT_PROMPT = f"INSERT INTO asked ({_PROMPT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_TURN = f"""
INSERT INTO turn (session, turn, asked, {_ANSWER})
VALUES (?, ?, (SELECT id FROM asked WHERE dialogue = ? AND turn = ? AND digest = ?),
        ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def begin_in_shard(shard: RunStore, run: RunStore, key: SessionKey) -> SessionState:
    """Enrol a session in a shard, with the turns that the run has of it, seals included.

    What these turns have cost stays in the run.

    Args:
        shard: Opened for writing.
        run: Opened for reading.
        key: The session, which the run has enrolled.

    Returns:
        The session as the run has it, with its number in the shard.
    """
    state = run.state(key)
    with shard.copying() as connection:
        insert = "INSERT INTO session (model, dialogue, epoch) VALUES (?, ?, ?)"
        number = connection.execute(insert, (key.model, key.dialogue, key.epoch)).lastrowid or 0
        if state.records:
            with run.copying() as source:
                connection.executemany(_INSERT_PROMPT, source.execute(_PROMPTS, (state.id,)))
                connection.executemany(
                    _INSERT_TURN, ((number, *row) for row in source.execute(_TURNS, (state.id,)))
                )  # fmt: skip
    return replace(state, id=number)
