from __future__ import annotations

import asyncio
import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

import evolif.models
from evolif.errors import ContextOverflowError, ModelError, UsageError
from evolif.models import ChatRequest, Sampling, weight_path
from evolif.models.endpoint import Endpoint
from evolif.models.local import LocalModel, local_threads
from evolif.models.openai import OpenAIModel
from evolif.types import Image, Message

T = TypeVar("T")
STORY = "Write a long story about a lighthouse keeper and his dog."
HELLO = ChatRequest((Message("user", "Name three colours."),), Sampling(temperature=0, max_tokens=24, seed=1))


def _why_not() -> str:
    if importlib.util.find_spec("xllamacpp") is None:
        return "xllamacpp is not installed (pip install 'evolif[local]')"
    return "" if weight_path("smollm2-135m").is_file() else "run `evolif models fetch smollm2-135m` first"


needs_weights = pytest.mark.skipif(bool(_why_not()), reason=_why_not() or "there")


def real(test: Callable[[], None]) -> Callable[[], None]:
    marked: Callable[[], None] = pytest.mark.local(needs_weights(test))
    return marked


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLIF_LOCAL_THREADS", "1")


def using(work: Callable[[LocalModel], Awaitable[T]], name: str = "smollm2-135m", **options: int) -> T:
    async def main() -> T:
        model = LocalModel(name, timeout=120, **options)
        try:
            return await work(model)
        finally:
            await model.aclose()

    return asyncio.run(main())


def pid_of(model: LocalModel) -> int:
    assert model._server is not None
    return model._server.pid


def gone(pid: int) -> bool:
    """Whether a process ended; one that nobody has collected yet did."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"


def wait_until_gone(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not gone(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return gone(pid)


@pytest.mark.slow
@real
def test_answers_come_and_repeat() -> None:
    async def work(model: LocalModel) -> int:
        first, second = await model.complete(HELLO), await model.complete(HELLO)
        assert first.text and first.text == second.text
        assert first.usage.prompt_tokens > 10 and first.usage.completion_tokens > 0
        assert first.served_by == "smollm2-135m" and model.name == "local/smollm2-135m" and model.connections == 1
        return pid_of(model)

    assert wait_until_gone(using(work), 1)


@pytest.mark.slow
@real
def test_only_our_key_is_let_in() -> None:
    async def work(model: LocalModel) -> None:
        await model.complete(HELLO)
        assert model._server is not None and model._server.key not in repr(model._server)
        stranger = OpenAIModel("m", Endpoint(model._server.base_url, "wrong", trust_env=False))
        with pytest.raises(ModelError, match="answered 401"):
            await stranger.complete(HELLO)
        await stranger.aclose()
        for place in ("cmdline", "environ"):
            assert model._server.key.encode() not in Path(f"/proc/{pid_of(model)}/{place}").read_bytes()

    using(work)


@real
@pytest.mark.slow
def test_what_does_not_fit_overflows() -> None:
    async def work(model: LocalModel) -> None:
        with pytest.raises(ContextOverflowError, match="no longer fits"):
            await model.complete(ChatRequest((Message("user", "word " * 400),)))
        with pytest.raises(ContextOverflowError, match="fill its context of 256"):
            await model.complete(
                ChatRequest((Message("user", "Write a long story about a lighthouse keeper and his dog."),))
            )
        assert (await model.complete(HELLO)).text

    using(work, context=256)


@pytest.mark.slow
@real
def test_a_crash_is_named_and_mended_once() -> None:
    async def work(model: LocalModel) -> None:
        first = await model.complete(HELLO)
        os.kill(pid_of(model), signal.SIGSEGV)
        with pytest.raises(ModelError, match=r"crashed \(it was killed by SIGSEGV\); the next call") as caught:
            await model.complete(HELLO)
        assert caught.value.retryable
        assert (await model.complete(HELLO)).text == first.text

    using(work)


@real
@pytest.mark.slow
def test_crashes_under_way_end_every_call_once_and_two_in_a_row_for_good() -> None:
    long = replace(HELLO, sampling=Sampling(temperature=0, max_tokens=4000))

    async def crash(model: LocalModel) -> list[ModelError]:
        calls = [asyncio.create_task(model.complete(long)) for _ in range(2)]
        while model._server is None:
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.5)
        os.kill(pid_of(model), signal.SIGKILL)
        results = await asyncio.gather(*calls, return_exceptions=True)
        errors = [result for result in results if isinstance(result, ModelError)]
        assert len(errors) == 2
        return errors

    async def work(model: LocalModel) -> None:
        assert [e.retryable for e in await crash(model)] == [True, True]
        assert [e.retryable for e in await crash(model)] == [False, False]

    using(work, connections=2)


PARENT = """
import asyncio, time
from evolif.types import Message
from evolif.models import ChatRequest, Sampling
from evolif.models.local import LocalModel

async def main():
    model = LocalModel("smollm2-135m")
    await model.complete(ChatRequest((Message("user", "Hi"),), Sampling(max_tokens=2)))
    print(model._server.pid, flush=True)
    await model.complete(ChatRequest((Message("user", "Tell a long story."),), Sampling(max_tokens=4000)))

asyncio.run(main())
"""


@pytest.mark.slow
@real
def test_the_child_dies_with_a_killed_parent() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert not gone(child)
        parent.send_signal(signal.SIGKILL)
    assert wait_until_gone(child, 3)


@real
def test_cancelling_a_start_leaves_no_child() -> None:
    started: list[int] = []
    create = asyncio.create_subprocess_exec

    async def watched(*args: Any, **options: Any) -> asyncio.subprocess.Process:
        process = await create(*args, **options)
        started.append(process.pid)
        return process

    async def work(model: LocalModel) -> None:
        call = asyncio.create_task(model.complete(HELLO))
        while not started:
            await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "create_subprocess_exec", watched)
        using(work)
    assert len(started) == 1 and wait_until_gone(started[0], 1)


@pytest.mark.local
@pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="xllamacpp is not installed")
def test_a_broken_file_says_why(tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + bytes(100))

    async def work(model: LocalModel) -> None:
        with pytest.raises(ModelError, match=r"broken could not be started .*failed to load model") as caught:
            await model.complete(HELLO)
        assert not caught.value.retryable and "\n" not in str(caught.value)

    using(work, str(path))


def test_the_child_imports_no_client() -> None:
    child = Path(evolif.models.__file__).with_name("llama_child.py")  # started by its path, as here
    heavy = "{'openai', 'pydantic', 'httpx2'}"
    code = f"import runpy, sys; runpy.run_path({str(child)!r}); print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_missing_weights_say_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLIF_CACHE_DIR", str(tmp_path))
    with pytest.raises(UsageError, match="run `evolif models fetch smollm2-135m`"):
        LocalModel("smollm2-135m")


def test_a_file_that_is_none_names_the_known(tmp_path: Path) -> None:
    (tmp_path / "text.gguf").write_text("hello", encoding="utf-8")
    with pytest.raises(UsageError, match="not a GGUF file"):
        LocalModel(str(tmp_path / "text.gguf"))
    with pytest.raises(UsageError, match=r"No such file or directory; name a \.gguf file or one of: smollm2-135m"):
        LocalModel("smolm")
    with pytest.raises(UsageError, match=r"name a \.gguf file"):
        LocalModel(str(tmp_path))


def test_images_are_refused_before_a_server_starts(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="llama.cpp is not installed (extra `local`)")
    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    model = LocalModel(str(tmp_path / "a.gguf"))
    request = ChatRequest((Message("user", "What is this?", (Image(b"png", "image/png"),)), Message("user", "Well?")))
    with pytest.raises(ModelError, match=r"a\.gguf reads no images; choose a model of openai/ or google/") as caught:
        asyncio.run(model.complete(request))
    assert not caught.value.retryable and model._server is None


def test_missing_llama_cpp_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"the extra `local`"):
        LocalModel(str(tmp_path / "a.gguf"))


def test_threads_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLIF_LOCAL_THREADS", "3")
    assert local_threads() == 3
    monkeypatch.delenv("EVOLIF_LOCAL_THREADS")
    assert local_threads() >= 1
    for bad in ("0", "-1", "many", "²", "9" * 20):
        monkeypatch.setenv("EVOLIF_LOCAL_THREADS", bad)
        with pytest.raises(UsageError, match="EVOLIF_LOCAL_THREADS"):
            local_threads()
