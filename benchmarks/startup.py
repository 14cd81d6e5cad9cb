"""Start-up: `evolif --help` beside a bare typer and rich program of eight verbs, in turn, in one run.

.venv/bin/python benchmarks/startup.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 15
BARE = (
    "import typer\nimport rich.console\napp = typer.Typer(no_args_is_help=True)\n"
    + "".join(
        f'\n@app.command()\ndef verb{n}(name: str, count: int = 1) -> None:\n    """Do thing {n}."""\n'
        for n in range(8)
    )
    + "\napp()\n"
)


def seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE, encoding="utf-8")
        commands = {
            "bare typer, 8 verbs, --help": [sys.executable, str(bare), "--help"],
            "evolif --help": [str(Path(sys.executable).with_name("evolif")), "--help"],
            "import evolif": [sys.executable, "-c", "import evolif"],
            "python -c pass": [sys.executable, "-c", "pass"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(RUNS + 1):
            for name, command in commands.items():
                taken = seconds(command)
                if number:  # the first round warms the disk cache
                    times[name].append(taken)
    for name, taken in times.items():
        print(f"{name:30} median {statistics.median(taken):.3f} s  (min {min(taken):.3f})")
    pairs = [a / b for a, b in zip(times["evolif --help"], times["bare typer, 8 verbs, --help"], strict=True)]
    print(f"ratio evolif / bare, pair by pair: median {statistics.median(pairs):.2f}")


if __name__ == "__main__":
    main()
