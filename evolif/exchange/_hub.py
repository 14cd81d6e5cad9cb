"""Upload to a dataset hub: one commit, with the user's token out of the environment and nowhere else."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evolif._errors import AccessError, OutsideError, UsageError

TOKEN = "HF_TOKEN"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)


class Hub:
    """A repository of data sets to push to; nothing is asked before `push`.

    Args:
        repo: `user/name`.
        public: Whether a repository that has to be made is open to everybody.

    Raises:
        UsageError: no such name, no token in the environment, or the library is missing.
    """

    def __init__(self, repo: str, *, public: bool) -> None:
        if find_spec("huggingface_hub") is None:
            raise UsageError("--push needs huggingface_hub; install evolif[datasets]")
        if not _NAME.fullmatch(repo):
            raise UsageError("--push takes the name of a repository of data sets, such as user/name")
        self._token = os.environ.get(TOKEN, "").strip()
        if not self._token:
            raise UsageError(f"--push needs a token: set {TOKEN} in the environment to one that may write data sets")
        self._repo = repo
        self._public = public

    def push(self, files: Mapping[str, Path | bytes], message: str) -> str:
        """Upload files in one commit; the repository is made where it is missing.

        Args:
            files: By their paths in the repository.
            message: Of the commit.

        Returns:
            The address of the data set.

        Raises:
            AccessError: the token may not do this.
            OutsideError: the hub cannot be reached, or refused.
        """
        from huggingface_hub import CommitOperationAdd, HfApi
        from huggingface_hub.errors import HfHubHTTPError

        endpoint = os.environ.get("HF_ENDPOINT") or None
        api = HfApi(endpoint=endpoint, token=self._token)
        operations = [
            CommitOperationAdd(name, str(file) if isinstance(file, Path) else file) for name, file in files.items()
        ]
        try:
            api.create_repo(self._repo, repo_type="dataset", private=not self._public, exist_ok=True)
            api.create_commit(self._repo, operations, commit_message=message, repo_type="dataset")
        except HfHubHTTPError as fault:
            raise self._refused(fault) from None
        except Exception as fault:  # whatever its transport raises: the text may hold what must not be shown
            raise OutsideError(
                f"{self._repo} could not be uploaded ({type(fault).__name__}); what was exported is kept, try again"
            ) from None
        return f"{(api.endpoint or '').rstrip('/')}/datasets/{self._repo}"

    def _refused(self, fault: Any) -> OutsideError:
        status = getattr(getattr(fault, "response", None), "status_code", None)
        if status in (401, 403):
            return AccessError(
                f"the hub refuses the token in {TOKEN} for {self._repo} (HTTP {status}); it must be one that may write"
            )
        return OutsideError(f"the hub did not take {self._repo} (HTTP {status}); what was exported is kept, try again")
