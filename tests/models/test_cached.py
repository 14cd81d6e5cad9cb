"""The request cache: what it knows is not asked, what differs in anything is."""

from __future__ import annotations

import asyncio
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from evolif import ModelError, OutsideError
from evolif.models import ChatRequest, ModelCache, Reply, RequestCache, Sampling, managed, open_cache
from evolif.models.cache import CachedCall
from evolif.runner.metering import AllowAll, MeteredModel
from evolif.types import Image, Message, Usage

REQUEST = ChatRequest((Message("system", "Be kind."), Message("user", "Say a word about rain.")), Sampling(0.5, 50, 1))


class Echo:
    name, connections = "openai/x", 4

    def __init__(self) -> None:
        self.calls = 0
        self.fault: Exception | None = None

    async def complete(self, request: ChatRequest) -> Reply:
        self.calls += 1
        if self.fault is not None:
            raise self.fault
        return Reply(f"answer {self.calls}", "thought", True, Usage(10, 5), "x-2026")

    async def aclose(self) -> None:
        pass


def cached(echo: Echo, cache: RequestCache, endpoint: str = "", *, repeats: bool = False) -> MeteredModel:
    replies = ModelCache(cache, echo.name, endpoint, repeats=repeats)
    return MeteredModel(managed(echo), "target", AllowAll(), lambda: False, cache=replies)


def ask(
    folder: Path, echo: Echo, *requests: ChatRequest, endpoint: str = "", epoch: int = 1, repeats: bool = False
) -> list[Reply]:
    cache = open_cache(folder)
    model = cached(echo, cache, endpoint, repeats=repeats)

    async def main() -> list[Reply]:
        return [await model.complete(replace(request, epoch=epoch)) for request in requests]

    try:
        return asyncio.run(main())
    finally:
        cache.store.close()


def test_the_same_request_is_asked_once_and_the_reply_comes_whole_and_free(tmp_path: Path) -> None:
    echo = Echo()
    [first] = ask(tmp_path, echo, REQUEST)
    [second] = ask(tmp_path, echo, REQUEST)
    assert echo.calls == 1
    assert second == replace(first, usage=Usage(), cached=True) and not first.cached


@pytest.mark.parametrize(
    ("other", "at", "epoch"),
    [
        (replace(REQUEST, messages=(*REQUEST.messages, Message("assistant", "Wet."))), "", 1),
        (replace(REQUEST, messages=(Message("user", "Be kind."), REQUEST.messages[1])), "", 1),
        (replace(REQUEST, messages=(Message("system", "Be kind. "), REQUEST.messages[1])), "", 1),
        (replace(REQUEST, sampling=Sampling(0.6, 50, 1)), "", 1),
        (replace(REQUEST, sampling=Sampling(0.5, 51, 1)), "", 1),
        (replace(REQUEST, sampling=Sampling(0.5, 50, 2)), "", 1),
        (replace(REQUEST, sampling=Sampling(None, 50, 1)), "", 1),
        (replace(REQUEST, schema={"type": "object"}), "", 1),
        (REQUEST, "http://127.0.0.1:9/v1", 1),
        (REQUEST, "", 2),
    ],
)
def test_whatever_differs_is_asked(tmp_path: Path, other: ChatRequest, at: str, epoch: int) -> None:
    echo = Echo()
    ask(tmp_path, echo, REQUEST)
    ask(tmp_path, echo, other, endpoint=at, epoch=epoch)
    assert echo.calls == 2


PNG, JPEG = Image(b"one", "image/png"), Image(b"one", "image/jpeg")


def looks(*images: Image, text: str = "Look.") -> ChatRequest:
    return ChatRequest((Message("user", text, images),))


def test_an_image_is_named_by_its_data_and_shown_without_it() -> None:
    assert PNG.digest == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    assert "one" not in repr(PNG) and Image(b"one", "image/png", "given").digest == "given"


def test_images_are_part_of_what_is_asked(tmp_path: Path) -> None:
    different = [
        looks(),
        looks(PNG),
        looks(JPEG),
        looks(Image(b"two", "image/png")),
        looks(PNG, JPEG),
        looks(JPEG, PNG),
        looks(PNG, text="See."),
        looks(text=f'["user", "Look.", [["image/png", "{PNG.digest}"]]]'),
    ]
    echo = Echo()
    texts = [reply.text for reply in ask(tmp_path, echo, *different)]
    assert echo.calls == len(different)
    assert [reply.text for reply in ask(tmp_path, echo, *different)] == texts and echo.calls == len(different)


def test_images_stay_where_the_drawn_part_is_left_out(tmp_path: Path) -> None:
    one, other = (
        replace(looks(image, text=f"{drawn} Look."), drawn=drawn) for image, drawn in [(PNG, "1234"), (JPEG, "5678")]
    )
    again = replace(looks(PNG, text="9012 Look."), drawn="9012")
    echo = Echo()
    assert [reply.text for reply in ask(tmp_path, echo, one, other, again)] == ["answer 1", "answer 2", "answer 1"]


def test_a_miss_names_the_images_that_differ(tmp_path: Path) -> None:
    told: list[str] = []
    cache = open_cache(tmp_path, told.append)
    model = cached(Echo(), cache)

    async def main() -> None:
        for image in (PNG, JPEG):
            talk = (*REQUEST.messages, Message("assistant", "Wet."), Message("user", "Look.", (image,)))
            await model.complete(replace(REQUEST, messages=talk))

    asyncio.run(main())
    cache.store.close()
    short = PNG.digest[:12]
    assert f"“Look. [image/jpeg {short}]” here and “Look. [image/png {short}]” there" in told[1]


def test_a_judge_that_is_asked_again_gets_another_reply_and_the_same_ones_next_time(tmp_path: Path) -> None:
    echo = Echo()
    first = ask(tmp_path, echo, REQUEST, REQUEST, repeats=True)
    second = ask(tmp_path, echo, REQUEST, REQUEST, REQUEST, repeats=True)
    assert [r.text for r in first] == ["answer 1", "answer 2"]
    assert [r.text for r in second] == ["answer 1", "answer 2", "answer 3"] and echo.calls == 3


def test_faults_are_not_kept(tmp_path: Path) -> None:
    echo = Echo()
    echo.fault = ModelError("busy")
    with pytest.raises(ModelError):
        ask(tmp_path, echo, REQUEST)
    echo.fault = None
    assert ask(tmp_path, echo, REQUEST)[0].text == "answer 2"


def test_no_limit_learns_from_a_hit(tmp_path: Path) -> None:
    async def main() -> int:
        cache, echo = open_cache(tmp_path), Echo()
        client = managed(echo)
        replies = ModelCache(cache, echo.name)
        model = MeteredModel(client, "target", AllowAll(), lambda: False, cache=replies)
        await model.complete(REQUEST)
        before = client.limit._answers
        for _ in range(20):
            await model.complete(REQUEST)
        cache.store.close()
        assert (cache.hits, cache.misses, echo.calls) == (20, 1, 1)
        return client.limit._answers - before

    assert asyncio.run(main()) == 0


def test_a_miss_is_explained_by_what_differs(tmp_path: Path) -> None:
    told: list[str] = []
    cache = open_cache(tmp_path, told.append)
    model = cached(Echo(), cache)
    talk = (*REQUEST.messages, Message("assistant", "Wet."), Message("user", "And now one about the snow of May."))
    other = (*talk[:3], Message("user", "And now one about the snow of June."))

    async def main() -> None:
        await model.complete(REQUEST)
        await model.complete(replace(REQUEST, sampling=Sampling(0.7, 50, 1)))
        await model.complete(replace(REQUEST, messages=talk))
        await model.complete(replace(REQUEST, messages=other))
        await model.complete(ChatRequest((Message("user", "Something else."),)))

    asyncio.run(main())
    cache.store.close()
    assert "no stored request starts with the same message" in told[0]
    assert told[1].endswith("nearest request: temperature is 0.7 here and 0.5 there")
    assert told[2].endswith("this request has 4 messages, the stored one 2")
    assert "message 4 (user) is “And" in told[3] and "June." in told[3] and "May." in told[3]
    assert "no stored request starts" in told[4]


def test_the_folder_is_the_users_own_and_one_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    ask(tmp_path / "deep" / "cache", Echo(), REQUEST)
    assert stat.S_IMODE((tmp_path / "deep" / "cache").stat().st_mode) == 0o700
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutsideError, match="--cache-dir"):
        ask(tmp_path / "file", Echo(), REQUEST)


def test_hostile_words_are_kept_as_far_as_they_can_be(tmp_path: Path) -> None:
    odd = ChatRequest((Message("user", "\ud800 lone\x00"),))
    echo = Echo()
    ask(tmp_path, echo, odd)
    ask(tmp_path, echo, odd)
    assert echo.calls == 1


def test_what_is_drawn_anew_for_each_call_is_no_part_of_what_is_asked(tmp_path: Path) -> None:
    def asked(number: str, text: str = "Good?") -> ChatRequest:
        return ChatRequest((Message("user", f"== {number} ==\n{text}\n== {number} =="),), drawn=number)

    assert CachedCall.of("m", "", asked("a1b2")) == CachedCall.of("m", "", asked("c3d4"))
    assert CachedCall.of("m", "", asked("a1b2")) != CachedCall.of("m", "", asked("a1b2", "Bad?"))
    assert asked("a1b2").lasting[0].content == "== 0000 ==\nGood?\n== 0000 =="
