"""Parts of NLTK are imported alone, and leave the whole of it to others."""

from __future__ import annotations

import subprocess
import sys

import pytest

from evolif.util.nltk_part import nltk_part

CHECK = """
import sys
from evolif.util.nltk_part import nltk_part
split = nltk_part("tokenize.punkt").PunktSentenceTokenizer().tokenize
assert not [name for name in sys.modules if name.startswith(("nltk", "scipy"))], "more than a part was imported"
import nltk
stems = [module.PorterStemmer().stem("running") for module in (nltk.stem.porter, nltk_part("stem.porter"))]
assert stems == ["run", "run"]
assert split("One. Two.") == ["One.", "Two."] == nltk.tokenize.PunktSentenceTokenizer().tokenize("One. Two.")
"""


def test_a_part_is_imported_alone_and_the_whole_later() -> None:
    done = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_part_that_is_not_there_is_an_import_error() -> None:
    with pytest.raises(ImportError):
        nltk_part("tokenize.nothing")
