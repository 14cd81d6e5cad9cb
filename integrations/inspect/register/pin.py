"""Prints the entry for the register of Inspect Evals, pinned to a commit of a public repository.

Called as `python integrations/inspect/register/pin.py https://github.com/OWNER/REPOSITORY >eval.yaml`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENTRY = HERE / "evolif" / "eval.yaml"
TASK = "integrations/inspect/evolif_instructions.py"
_ADDRESS = re.compile(r"https://github\.com/([A-Za-z0-9-]{1,39})/([A-Za-z0-9._-]{1,100}?)(?:\.git)?/?")


def pinned(text: str, address: str, commit: str, maintainers: list[str]) -> str:
    """The entry with what only the submitter knows.

    Args:
        text: The entry as it is kept.
        address: The repository's, on GitHub.
        commit: 40 hex digits.
        maintainers: Names on GitHub; none for the owner of the repository.

    Raises:
        ValueError: the register takes no such address, in a sentence.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise ValueError(f"the register takes repositories on GitHub (https://github.com/OWNER/NAME), not {address}")
    names = f"[{', '.join(maintainers or [found[1]])}]"
    kept = [line for line in text.splitlines() if not line.startswith("#")]
    whole = "\n".join(kept) + "\n"
    address = f"https://github.com/{found[1]}/{found[2]}"
    return whole.replace("https://github.com/OWNER/evolif", address).replace("[OWNER]", names).replace("COMMIT", commit)


def head_commit(root: Path) -> str:
    """The commit that is checked out.

    Raises:
        ValueError: there is none, or the task differs from it, in a sentence.
    """

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"{root} has no commit to pin: {done.stderr.strip() or 'git failed'}")
        return done.stdout.strip()

    commit = git("rev-parse", "HEAD")
    if git("status", "--porcelain", "--", TASK, "evolif", "pyproject.toml"):
        raise ValueError("there are changes that are not committed; the register pins a commit, so commit them first")
    return commit


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("address", help="of the public repository, https://github.com/OWNER/REPOSITORY")
    parser.add_argument("--maintainer", action="append", default=[], help="a name on GitHub; by default the owner")
    parser.add_argument("--commit", help="40 hex digits; by default the commit that is checked out")
    given = parser.parse_args(arguments)
    try:
        commit = given.commit or head_commit(HERE.parents[2])
        if not re.fullmatch(r"[0-9a-f]{40}", commit):
            raise ValueError(f"a commit has 40 hex digits, not {commit}")
        print(pinned(ENTRY.read_text(encoding="utf-8"), given.address, commit, given.maintainer), end="")
    except ValueError as fault:
        print(f"pin: {fault}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
