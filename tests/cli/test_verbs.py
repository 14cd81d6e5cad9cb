"""The list of verbs says what each verb says of itself, and is all that `--help` loads."""

import subprocess
import sys

import pytest

from evolif.cli.app import SUMMARIES, Verbs


def test_summaries_are_the_verbs_own_first_paragraphs():
    for name, command in Verbs().items():
        assert command.name == name
        assert " ".join(command.help.split("\n\n")[0].split()) == SUMMARIES[name]


@pytest.mark.slow
def test_help_loads_no_verb():
    code = (
        "import sys\nfrom evolif.__main__ import main\nsys.argv = ['evolif', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('LOADED', [m for m in sys.modules if m.startswith('evolif.cli.')])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert all(name in shown for name in SUMMARIES)
    assert "LOADED ['evolif.cli.app']" in shown
