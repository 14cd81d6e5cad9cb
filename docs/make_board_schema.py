"""Writes `docs/reference/board.schema.json` anew, from the program itself.

.venv/bin/python docs/make_board_schema.py
"""

from __future__ import annotations

import json
from pathlib import Path

from evolif.board.board import board_type

SCHEMA = Path(__file__).parent / "reference" / "board.schema.json"


def main() -> None:
    """Write the schema."""
    text = json.dumps(board_type().json_schema(), ensure_ascii=False, indent=1)
    SCHEMA.write_text(f"{text}\n", encoding="utf-8")
    print(SCHEMA.name)


if __name__ == "__main__":
    main()
