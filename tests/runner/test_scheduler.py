"""Which session begins next: fair over models, bounded per model and in all."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evolif.runner import SessionKey
from evolif.runner.scheduler import SessionScheduler


def queue(model: str, sessions: int) -> list[SessionKey]:
    return [SessionKey(model, dialogue, 1) for dialogue in range(1, sessions + 1)]


def lanes(limits: dict[str, int], sessions: int = 50, most: int = 512) -> SessionScheduler:
    return SessionScheduler({model: iter(queue(model, sessions)) for model in limits}, limits, most)


def taken(some: SessionScheduler) -> list[SessionKey]:
    return list(iter(some.take, None))


def test_models_take_turns_until_each_has_its_limit() -> None:
    keys = taken(lanes({"a": 3, "b": 1, "c": 2}))
    assert [key.model for key in keys] == ["a", "b", "c", "a", "c", "a"]
    assert [key.dialogue for key in keys if key.model == "a"] == [1, 2, 3]


def test_room_that_is_scarce_is_shared_evenly() -> None:
    assert Counter(key.model for key in taken(lanes({"a": 200, "b": 200, "c": 3}, most=11))) == {"a": 4, "b": 4, "c": 3}


def test_a_model_that_has_finished_leaves_its_room_to_the_others() -> None:
    some = SessionScheduler({"a": iter(queue("a", 1)), "b": iter(queue("b", 9))}, {"a": 9, "b": 9}, 4)
    first = taken(some)
    assert Counter(key.model for key in first) == {"a": 1, "b": 3}
    some.give_back(first[0])
    assert some.take() == SessionKey("b", 4, 1) and some.take() is None


def test_a_closed_lane_begins_nothing() -> None:
    some = lanes({"a": 2, "b": 2})
    some.close("a")
    assert {key.model for key in taken(some)} == {"b"}


@given(
    st.dictionaries(st.sampled_from("abcd"), st.tuples(st.integers(1, 5), st.integers(0, 12)), min_size=1),
    st.integers(1, 9),
    st.randoms(use_true_random=False),
)
def test_every_session_is_taken_once_and_no_bound_is_crossed(
    models: dict[str, tuple[int, int]], most: int, chance: object
) -> None:
    some = SessionScheduler(
        {m: iter(queue(m, n)) for m, (_, n) in models.items()}, {m: k for m, (k, _) in models.items()}, most
    )
    alive: list[SessionKey] = []
    seen: list[SessionKey] = []
    while True:
        fresh = taken(some)
        alive += fresh
        seen += fresh
        assert len(alive) == some.alive <= most
        assert all(n <= models[m][0] for m, n in Counter(key.model for key in alive).items())
        if not alive:
            break
        some.give_back(alive.pop(chance.randrange(len(alive))))
    assert sorted((k.model, k.dialogue) for k in seen) == sorted(
        (m, d) for m, (_, n) in models.items() for d in range(1, n + 1)
    )
