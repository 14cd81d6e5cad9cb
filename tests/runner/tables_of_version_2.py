"""How a run's file was before prompts were stored once per digest: made from one of today."""

TABLES_OF_VERSION_2 = """
DROP TRIGGER asked_once;
ALTER TABLE asked RENAME TO now_asked;
CREATE TABLE asked (
    dialogue INTEGER NOT NULL, turn INTEGER NOT NULL, hash TEXT NOT NULL, move TEXT NOT NULL, depth INTEGER NOT NULL,
    topic TEXT NOT NULL, query TEXT NOT NULL, constraints TEXT NOT NULL, PRIMARY KEY (dialogue, turn)
);
INSERT INTO asked SELECT dialogue, turn, digest, labels ->> 'move', labels ->> 'depth', labels ->> 'topic', query,
    payload -> 'constraints' FROM now_asked;
ALTER TABLE turn RENAME TO now_turn;
CREATE TABLE turn (
    session INTEGER NOT NULL REFERENCES session (id), turn INTEGER NOT NULL, answer TEXT NOT NULL,
    reasoning TEXT NOT NULL, truncated INTEGER NOT NULL, served_by TEXT NOT NULL, seconds REAL NOT NULL, verdicts TEXT,
    heuristic TEXT NOT NULL DEFAULT '[]', scores TEXT NOT NULL DEFAULT '', PRIMARY KEY (session, turn)
);
INSERT INTO turn SELECT session, turn, answer, reasoning, truncated, served_by, seconds, verdicts, heuristic, records
    FROM now_turn;
DROP TABLE now_turn;
DROP TABLE now_asked;
ALTER TABLE call DROP COLUMN state;
ALTER TABLE call DROP COLUMN bound;
UPDATE run SET value = '2' WHERE key = 'schema';
"""
