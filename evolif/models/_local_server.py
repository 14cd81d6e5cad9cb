"""One llama.cpp server in a child process: started, watched, stopped."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from evolif._errors import ModelError

_CHILD = Path(__file__).with_name("_llama_child.py")
_GRACE = 3.0
"""Seconds between asking a child to end and killing it."""
_TAIL = 2000
"""Bytes of a child's last words that are looked at when it does not start."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What is served and with how much of this machine."""

    path: Path
    alias: str
    """The name the server gives itself in answers, so that no path of this machine enters a run."""
    context: int = 8192
    """Tokens of one conversation."""
    slots: int = 1
    threads: int = 1
    startup: float = 120.0
    """Seconds until it must have answered; loading is quick, a cold disk is not."""


class LlamaServer:
    """A running child; made by `start`, ended by `stop`, and by the end of this process however that comes."""

    def __init__(self, process: Process, key: str, log: IO[bytes]) -> None:
        self._process = process
        self._log = log
        self.key = key
        self.port = 0

    def __repr__(self) -> str:
        return f"LlamaServer(pid={self.pid}, port={self.port})"

    @classmethod
    async def start(cls, settings: ServerSettings) -> LlamaServer:
        """Start a child and wait until it serves.

        Raises:
            ModelError: it could not load the file or gave no word in time; the child is gone then.
        """
        key = secrets.token_urlsafe(32)
        log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        try:
            # By file, not by `-m`: it works wherever this package was found, and with `-P` no file of the working
            # directory is imported. A session of its own, for a Ctrl-C in the terminal is this process's to handle.
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", str(_CHILD), stdin=PIPE, stdout=PIPE, stderr=log, start_new_session=True
            )
        except BaseException:
            log.close()
            raise
        server = cls(process, key, log)
        try:
            server.port = await server._handshake(settings)
        except BaseException:  # cancelled too: nobody else knows of the child yet
            await server.stop()
            raise
        return server

    @property
    def base_url(self) -> str:
        """The endpoint, on loopback."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the child has not ended, as far as is known."""
        return self._process.returncode is None

    async def fate(self, wait: float = 1.0) -> str | None:
        """How the child ended, in words; None while it runs.

        Args:
            wait: seconds given to the system to tell: a broken connection is noticed before the end of the process.
        """
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), wait)
        return None if self._process.returncode is None else _fate(self._process.returncode)

    async def stop(self) -> None:
        """End the child and wait for it: asked first, killed after a grace."""
        process = self._process
        if process.stdin is not None:
            process.stdin.close()
        try:
            self._signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(process.communicate(), _GRACE)
            except TimeoutError:
                self._signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
                await process.communicate()
        finally:
            self._log.close()

    def _signal(self, number: int) -> None:
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)

    async def _handshake(self, settings: ServerSettings) -> int:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None  # both were asked for as pipes
        line = json.dumps(
            {
                "path": str(settings.path),
                "alias": settings.alias,
                "context": settings.context,
                "slots": settings.slots,
                "threads": settings.threads,
                "key": self.key,
                "parent": os.getpid(),
            }
        )
        with suppress(ConnectionError):  # a child that is gone says why on the other pipe
            stdin.write(line.encode() + b"\n")
            await stdin.drain()
        try:
            answer = await asyncio.wait_for(stdout.readline(), settings.startup)
        except TimeoutError:
            raise self._failure(settings, f"no word from it within {settings.startup:g} s", retryable=True) from None
        return await self._port(settings, answer)

    async def _port(self, settings: ServerSettings, answer: bytes) -> int:
        try:
            report = json.loads(answer)
        except ValueError:
            raise self._failure(settings, await self.fate() or "it said nothing") from None
        if "error" in report:
            raise self._failure(settings, str(report["error"]))
        return int(report["port"])

    def _failure(self, settings: ServerSettings, what: str, *, retryable: bool = False) -> ModelError:
        said = self._last_error()
        text = f"the local model {settings.alias} could not be started from {settings.path}: {what}"
        return ModelError(f"{text}{f' ({said})' if said else ''}.", retryable=retryable)

    def _last_error(self) -> str:
        """The line of the child's error output that says most, cut; the key was never written there."""
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - _TAIL))
        lines = [line.strip() for line in self._log.read().decode("utf-8", "replace").splitlines() if line.strip()]
        telling = [line for line in lines if "error loading model" in line or "Error" in line]
        line = (telling or lines or [""])[-1]
        return "".join(c for c in line if c.isprintable())[:300]


def _fate(returncode: int) -> str:
    if returncode >= 0:
        return f"it ended with exit code {returncode}"
    try:
        return f"it was ended by {signal.Signals(-returncode).name}"
    except ValueError:
        return f"it was ended by signal {-returncode}"
