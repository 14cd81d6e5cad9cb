"""A command's process looks for garbage cycles less often; a process that imports the package keeps its own ways."""

import subprocess
import sys

PROGRAM = """
import gc, sys
import evolif
before = gc.get_threshold()
sys.argv = ["evolif", "--version"]
from evolif.__main__ import main
try:
    main()
except SystemExit:
    pass
print(before[0], gc.get_threshold()[0])
"""


def test_only_commands_calm_the_collector():
    told = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    before, after = map(int, told.splitlines()[-1].split())
    assert before < 10_000 < after
