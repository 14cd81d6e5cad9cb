"""More answers to single turns: to exactly what the run's calls were shown, each asked for once."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from judging.asked import Asked, grade

import evolif
from evolif import UsageError
from evolif.benchmark import open_benchmark
from evolif.budget import Quotes, load_prices
from evolif.budget.budget import Budget
from evolif.config import EvalConfig
from evolif.errors import ModelError
from evolif.models import ChatRequest, Reply
from evolif.runner import load_run
from evolif.runner.samples import open_samples, seen_by
from evolif.runner.sampling import Sampled, sample_answers
from evolif.types import Message, Usage


class Counted:
    """A model that answers each repetition of a turn differently, and notes what it was asked."""

    connections = 3

    def __init__(self, name: str = "own/m", broken_after: int | None = None) -> None:
        self.name = name
        self.broken_after = broken_after
        self.asked: list[tuple[tuple[Message, ...], int, int | None]] = []

    async def complete(self, request: ChatRequest) -> Reply:
        if self.broken_after is not None and len(self.asked) >= self.broken_after:
            raise ModelError("own/m: no more today")
        self.asked.append((request.messages, request.epoch, request.sampling.seed))
        told = f"{request.epoch} {request.messages[-1].content}"
        drawn = sha256(told.encode()).digest()
        return Reply(" ".join(f"w{byte}" for byte in drawn[: 4 + drawn[0] % 20]), usage=Usage(400, 10))

    async def aclose(self) -> None: ...


def make(root: Path, *, epochs: int = 1, turns: int = 3, **settings) -> tuple[Path, Path, Counted]:
    """A benchmark, a run on it, and its model."""
    evolif.generate(root / "b", dialogues=2, turns=turns, seed=8, profile="objective")
    model = Counted()
    evolif.evaluate(root / "b", model, root / "r", max_turns=turns, patience=turns, epochs=epochs, **settings).close()
    return root / "b", root / "r", model


def sample(root: Path, k: int, model: Counted, **options) -> Sampled:
    config = EvalConfig(models=(model,))
    return sample_answers(root / "r", root / "s", k, open_benchmark(root / "b"), config, **options)


def contexts(model: Counted) -> Counter[tuple[Message, ...]]:
    return Counter(messages for messages, _, _ in model.asked)


def test_every_turn_is_asked_again_after_what_the_run_was_shown(tmp_path: Path) -> None:
    _, run, before = make(tmp_path)
    again = Counted()
    done = sample(tmp_path, 4, again)
    assert contexts(again) == dict.fromkeys(contexts(before), 3)
    assert (done.answers, done.missing, done.suspended) == (len(again.asked), 0, 0)
    seeds = {(messages, seed) for messages, _, seed in (*before.asked, *again.asked)}
    assert len(seeds) == len(before.asked) + len(again.asked)  # an endpoint that heeds seeds answers differently
    with closing(load_run(run)) as played, closing(open_samples(done.path, played)) as samples:
        noted = [seen_by(record) for _, records in samples.transcripts("own/m") for record in records]
        assert Counter(noted) == dict.fromkeys(set(noted), 3) and None not in noted


def test_answers_of_all_epochs_count(tmp_path: Path) -> None:
    _, _, before = make(tmp_path, epochs=2)
    again = Counted()
    sample(tmp_path, 4, again)
    known, asked = contexts(before), contexts(again)
    assert set(known.values()) == {1, 2}  # first turns are the same in both epochs
    assert all(asked[messages] == 4 - number for messages, number in known.items()) and set(asked) == set(known)


def test_a_larger_k_asks_only_for_more(tmp_path: Path) -> None:
    _, _, before = make(tmp_path, epochs=2)
    first, none, more = Counted(), Counted(), Counted()
    sample(tmp_path, 3, first)
    assert sample(tmp_path, 3, none).answers == len(first.asked) and none.asked == []
    sample(tmp_path, 5, more)
    whole = contexts(before) + contexts(first) + contexts(more)
    assert set(whole.values()) == {5}
    epochs = Counter((messages, epoch) for messages, epoch, _ in (*before.asked, *first.asked, *more.asked))
    assert set(epochs.values()) == {1}


def test_what_an_outage_cut_short_goes_on_and_nothing_is_asked_twice(tmp_path: Path) -> None:
    _, _, before = make(tmp_path)
    first, rest = Counted(broken_after=5), Counted()
    cut = sample(tmp_path, 4, first)
    assert cut.suspended and cut.answers == 5 and "no more today" in cut.reasons[0][1]
    done = sample(tmp_path, 4, rest)
    assert (done.missing, done.suspended) == (0, 0)
    assert contexts(first) + contexts(rest) == dict.fromkeys(contexts(before), 3)
    assert done.answers == len(first.asked) + len(rest.asked)


def test_a_budget_ends_the_calls_and_a_larger_one_continues(tmp_path: Path) -> None:
    _, _, before = make(tmp_path, max_tokens=10)
    first, rest = Counted(), Counted()
    budget = Budget(Quotes(load_prices(None), {}), usd=None, tokens=4_000, spent=[])
    cut = sample(tmp_path, 4, first, gate=budget)
    assert budget.stop is not None and cut.missing and not cut.suspended and first.asked
    sample(tmp_path, 4, rest)
    assert contexts(first) + contexts(rest) == dict.fromkeys(contexts(before), 3)


def test_answers_are_judged_by_the_rules_of_the_run(tmp_path: Path) -> None:
    _, run, _ = make(tmp_path)
    done = sample(tmp_path, 2, Counted())
    with closing(load_run(run)) as played, closing(open_samples(done.path, played)) as samples:
        rules = {(p.dialogue, p.turn): [c["group"] for c in p.payload["constraints"]] for p in played.prompts()}
        records = [record for _, records in samples.transcripts("own/m") for record in records]
        assert records and all(record.is_judged for record in records)
        for record in records:
            assert [v.group for v in record.verdicts] == rules[record.prompt.dialogue, record.turn]
            fresh = evolif.check(record.prompt.payload["constraints"], record.answer)
            assert [v.satisfied for v in record.verdicts] == [v.satisfied for v in fresh]


def test_a_panel_judges_again_if_it_is_named_again(tmp_path: Path) -> None:
    judge = Asked([grade(9)], "own/judge")
    evolif.generate(tmp_path / "b", dialogues=2, turns=8, seed=5, profile="paper")
    run = evolif.evaluate(tmp_path / "b", Counted(), tmp_path / "r", max_turns=8, patience=8, judge=judge)
    subjective = sum(bool(record.records) for _, records in run.transcripts("own/m") for record in records)
    assert subjective
    with pytest.raises(UsageError, match=r"was judged by .*own/judge.* name the same with --judge"):
        sample(tmp_path, 3, Counted())
    config = EvalConfig(models=(Counted(),), judges=(judge,))
    done = sample_answers(tmp_path / "r", tmp_path / "s", 3, open_benchmark(tmp_path / "b"), config)
    with closing(open_samples(done.path, run)) as samples:
        judged = [r for _, records in samples.transcripts("own/m") for r in records if seen_by(r) and r.records]
        assert len(judged) == 2 * subjective


def test_only_the_model_under_test_of_a_game_is_asked(tmp_path: Path) -> None:
    evolif.generate(tmp_path / "b", dialogues=1, scenario="games", seed=3)
    before, again = Counted(), Counted()
    evolif.evaluate(tmp_path / "b", before, tmp_path / "r", max_turns=3).close()
    sample(tmp_path, 3, again)
    assert set(contexts(again)) <= set(contexts(before)) and set(contexts(again).values()) <= {2}


def test_a_store_of_samples_is_no_run_and_no_other_run_has_it(tmp_path: Path) -> None:
    bench, run, _ = make(tmp_path)
    sample(tmp_path, 2, Counted())
    with pytest.raises(UsageError, match="more answers to single turns of a run"):
        load_run(tmp_path / "s")
    evolif.evaluate(bench, Counted(), tmp_path / "other", max_turns=1).close()
    with closing(load_run(tmp_path / "other")) as other, pytest.raises(UsageError, match="does not hold more answers"):
        open_samples(tmp_path / "s", other)
    with closing(load_run(run)) as played, pytest.raises(UsageError, match="does not hold more answers"):
        open_samples(tmp_path / "other", played)
    config = EvalConfig(models=(Counted(),))
    for out, told in ((run, "the run itself"), (tmp_path / "other", "does not hold more answers")):
        with pytest.raises(UsageError, match=told):
            sample_answers(run, out, 2, open_benchmark(bench), config)


def test_what_cannot_be_sampled_is_one_sentence(tmp_path: Path) -> None:
    make(tmp_path)
    with pytest.raises(UsageError, match="--samples 1 makes no pair"):
        sample(tmp_path, 1, Counted())
    with pytest.raises(UsageError, match=r"own/other is no model of .*; the run has own/m"):
        sample(tmp_path, 2, Counted("own/other"))
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("settings", "told"), [({"temperature": 0}, "at temperature 0"), ({"context": "last:1"}, "with --context last:1")]
)
def test_runs_without_different_answers_to_the_same_are_refused(tmp_path: Path, settings: dict, told: str) -> None:
    make(tmp_path, turns=1, **settings)
    with pytest.raises(UsageError, match=told):
        sample(tmp_path, 2, Counted())
