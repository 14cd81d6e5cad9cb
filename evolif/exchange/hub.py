"""Uploads of exports to a dataset hub."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from evolif.errors import AccessError, OutsideError, UsageError

TOKEN = "HF_TOKEN"
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)


class Hub:
    """A dataset repository on a hub; nothing is sent before `push`.

    Args:
        repo: `user/name`.
        public: Whether a newly created repository is public.

    Raises:
        UsageError: the name is invalid, the environment holds no token, or the library is missing.
    """

    def __init__(self, repo: str, *, public: bool) -> None:
        if find_spec("huggingface_hub") is None:
            raise UsageError("--push needs huggingface_hub; install evolif[datasets]")
        if not _REPOSITORY.fullmatch(repo):
            raise UsageError("--push needs the name of a dataset repository, such as user/name")
        self._token = os.environ.get(TOKEN, "").strip()
        if not self._token:
            raise UsageError(
                f"--push needs a token: set {TOKEN} in the environment to one with write access to datasets"
            )
        self._repo = repo
        self._public = public

    def push(self, files: Mapping[str, Path | bytes], message: str) -> str:
        """Upload files in one commit, creating the repository if necessary.

        Args:
            files: By their paths in the repository.
            message: The commit message.

        Returns:
            The address of the data set.

        Raises:
            AccessError: the token has no permission.
            OutsideError: the hub is unreachable or refused the upload.
        """
        from huggingface_hub import CommitOperationAdd, HfApi
        from huggingface_hub.errors import HfHubHTTPError

        api = HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None, token=self._token)
        operations = [
            CommitOperationAdd(name, str(file) if isinstance(file, Path) else file) for name, file in files.items()
        ]
        try:
            api.create_repo(self._repo, repo_type="dataset", private=not self._public, exist_ok=True)
            api.create_commit(self._repo, operations, commit_message=message, repo_type="dataset")
        except HfHubHTTPError as fault:
            status = getattr(getattr(fault, "response", None), "status_code", None)
            if status in (401, 403):
                raise AccessError(
                    f"the hub refuses the token in {TOKEN} for {self._repo} (HTTP {status}); use a token with write "
                    "access"
                ) from None
            raise OutsideError(
                f"the hub rejected {self._repo} (HTTP {status}); the exported files are kept, try again"
            ) from None
        except Exception as fault:  # any transport error; its text may contain the token
            raise OutsideError(
                f"{self._repo} could not be uploaded ({type(fault).__name__}); the exported files are kept, try again"
            ) from None
        return f"{(api.endpoint or '').rstrip('/')}/datasets/{self._repo}"
