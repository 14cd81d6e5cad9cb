"""Single modules of NLTK, without the rest of it.

`import nltk` imports all of it and, where SciPy is installed, `scipy.stats`, which takes two seconds or more; we need a
sentence splitter, two tokenizers and a stemmer.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

_importing = Lock()


@lru_cache
def nltk_part(name: str) -> Any:
    """A module of NLTK.

    While it is imported, bare packages stand in for those that it is in. What was imported so is forgotten afterwards:
    whoever imports NLTK later gets the whole of it.

    Args:
        name: Below `nltk`, such as `tokenize.punkt`.

    Raises:
        ImportError: NLTK is not installed, or has no such module.
    """
    with _importing:
        found = None if "nltk" in sys.modules else find_spec("nltk")
        if found is None or not found.submodule_search_locations:
            return import_module(f"nltk.{name}")
        folder, package = Path(found.submodule_search_locations[0]), "nltk"
        for part in (*name.split(".")[:-1], ""):
            bare = ModuleType(package)
            bare.__path__ = [str(folder)]
            sys.modules[package] = bare
            folder, package = folder / part, f"{package}.{part}"
        try:
            return import_module(f"nltk.{name}")
        finally:
            for known in [known for known in sys.modules if known == "nltk" or known.startswith("nltk.")]:
                del sys.modules[known]
