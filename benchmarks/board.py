"""How long a board takes, how large it is and how soon it is painted: 20 simulated models × 5 scenarios or settings.

    python benchmarks/board.py [--keep FOLDER] [--dialogues 20] [--turns 20]

Makes five runs of 20 models each in a temporary folder (or in FOLDER, used again where they are there), starts
`evolif board` in a process of its own, and opens the page in Chromium, five times. Prints wall and CPU seconds and the
largest resident memory, the size of both files, and the time to the first contentful paint, from its own performance
entry. The targets are a first paint within 1 s and a file of at most 5 MB.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from report import measure  # the benchmark beside this one

from evolif.runner import evaluate
from evolif.scenarios.instructions import generate

MODELS = [f"sim/steady?skill={skill / 100:.2f}" for skill in range(60, 100, 2)]
COLUMNS: dict[str, tuple[str, dict[str, Any]]] = {
    "objective": ("objective", {}),
    "patience": ("objective", {"patience": 1}),
    "context": ("objective", {"context": "last:4"}),
    "paper": ("paper", {}),
    "everyday": ("everyday", {}),
}
"""Column to the profile of its benchmark, and how it is played."""
PAINTED = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
VISITS = 5


def make_runs(folder: Path, dialogues: int, turns: int) -> list[Path]:
    """The runs, made where they are not there."""
    for profile in dict.fromkeys(profile for profile, _ in COLUMNS.values()):
        if not (folder / f"bench-{profile}").exists():
            generate(folder / f"bench-{profile}", dialogues=dialogues, turns=turns, seed=1, profile=profile)
    for name, (profile, settings) in COLUMNS.items():
        if not (folder / name).exists():
            evaluate(folder / f"bench-{profile}", MODELS, folder / name, max_turns=turns, **settings).close()
    return [folder / name for name in COLUMNS]


def paints(page: Path, folder: Path) -> list[float]:
    """Milliseconds to the first contentful paint, of several visits; empty where there is no Chromium."""
    browser, helper = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or helper is None:
        return []
    from selenium import webdriver

    os.environ["SE_OFFLINE"] = "true"
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in ("headless", "no-sandbox", "disable-gpu", "no-first-run", f"user-data-dir={folder}/chromium"):
        options.add_argument(f"--{flag}")
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=helper))
    found = []
    try:
        for _ in range(VISITS):
            driver.get("about:blank")
            driver.get(page.resolve().as_uri())
            while (painted := driver.execute_script(PAINTED)) is None:
                time.sleep(0.02)
            found.append(float(painted))
    finally:
        driver.quit()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--dialogues", type=int, default=20)
    parser.add_argument("--turns", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        runs = make_runs(folder, given.dialogues, given.turns)
        out = Path(temporary) / "board"
        seconds, cpu, megabytes = measure("board", *map(str, runs), "--out", str(out))
        print(f"evolif board     {seconds:6.1f} s {cpu:6.1f} s of CPU {megabytes:6.0f} MB")
        for file in sorted(out.iterdir()):
            print(f"{file.name:16} {file.stat().st_size / 1000:6.0f} kB")
        shown = ", ".join(f"{one:.0f}" for one in paints(out / "index.html", Path(temporary)))
        print(f"first paint      {shown + ' ms' if shown else 'not measured: Chromium and chromedriver are wanted'}")


if __name__ == "__main__":
    main()
