"""The run store's tables; a change of them changes `SCHEMA_VERSION`.

What the benchmark said stands once in `asked`, whatever the number of models and epochs, and an answer once in `turn`:
a conversation is put together from the two, so that a run grows with its messages and not with their square.
"""

from __future__ import annotations

SCHEMA_VERSION = 3

EDITED = "a turn was edited since it was used in this run"
"""What the store says to a turn that is not the one it knows under that number."""

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS run (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS session (
    id INTEGER PRIMARY KEY,
    model TEXT NOT NULL,
    dialogue INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    ending TEXT,
    cause TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    UNIQUE (model, dialogue, epoch)
);
CREATE TABLE IF NOT EXISTS asked (
    dialogue INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    hash TEXT NOT NULL,
    move TEXT NOT NULL,
    depth INTEGER NOT NULL,
    topic TEXT NOT NULL,
    query TEXT NOT NULL,
    constraints TEXT NOT NULL,
    operation TEXT NOT NULL DEFAULT '',
    source TEXT NOT NULL DEFAULT '',
    register TEXT NOT NULL DEFAULT '',
    witness TEXT,               -- NULL: the benchmark has none for this turn
    PRIMARY KEY (dialogue, turn)
);
CREATE TRIGGER IF NOT EXISTS asked_once BEFORE INSERT ON asked
WHEN EXISTS (SELECT 1 FROM asked WHERE dialogue = NEW.dialogue AND turn = NEW.turn AND hash <> NEW.hash)
BEGIN SELECT RAISE(ABORT, '{EDITED}'); END;
CREATE TABLE IF NOT EXISTS turn (
    session INTEGER NOT NULL REFERENCES session (id),
    turn INTEGER NOT NULL,
    answer TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    truncated INTEGER NOT NULL,
    served_by TEXT NOT NULL,
    seconds REAL NOT NULL,
    verdicts TEXT,              -- NULL: answered and paid for, not judged yet
    heuristic TEXT NOT NULL DEFAULT '[]',
    scores TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (session, turn)
);
CREATE TABLE IF NOT EXISTS call (
    id INTEGER PRIMARY KEY,
    session INTEGER REFERENCES session (id),  -- NULL: a turn was worded, for whoever needs it
    dialogue INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    role TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS call_of_turn ON call (session, turn);
CREATE TABLE IF NOT EXISTS fault (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (id),
    turn INTEGER NOT NULL,
    role TEXT NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL
);
"""

UPGRADES: dict[str, tuple[str, ...]] = {
    "2": (
        "ALTER TABLE asked ADD COLUMN operation TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE asked ADD COLUMN source TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE asked ADD COLUMN register TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE asked ADD COLUMN witness TEXT",
        f"UPDATE run SET value = '{SCHEMA_VERSION}' WHERE key = 'schema'",
    )
}
"""What makes a run of an earlier version one of this; columns are added at the end, as in `SCHEMA`."""
