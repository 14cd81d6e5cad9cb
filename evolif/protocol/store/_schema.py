"""The run store's tables; a change of them changes `SCHEMA_VERSION`."""

from __future__ import annotations

SCHEMA_VERSION = 1

SCHEMA = """
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
    reason TEXT NOT NULL DEFAULT '',
    UNIQUE (model, dialogue, epoch)
);
CREATE TABLE IF NOT EXISTS turn (
    session INTEGER NOT NULL REFERENCES session (id),
    turn INTEGER NOT NULL,
    turn_hash TEXT NOT NULL,
    move TEXT NOT NULL,
    depth INTEGER NOT NULL,
    query TEXT NOT NULL,
    answer TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    truncated INTEGER NOT NULL,
    verdicts TEXT NOT NULL,
    heuristic TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    served_by TEXT NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (session, turn)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fault (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (id),
    turn INTEGER NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL
);
"""
