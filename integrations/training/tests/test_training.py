"""A tiny model with random weights answers, learns and is evaluated."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from evolif_train.__main__ import main
from evolif_train.learning import Learner, Weighed, advantages
from evolif_train.policy import Policy, Sample
from evolif_train.skills import SkillLearner, SkillPolicy
from evolif_train.training import gain, play, weigh
from evolif_train.weights import open_weights
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

import evolif
from evolif import UsageError
from evolif.errors import ContextOverflowError
from evolif.gym import Gym
from evolif.models import ChatRequest
from evolif.scenario import Benchmark
from evolif.types import Message

CHARACTERS = [chr(code) for code in range(32, 127)]
TEMPLATE = (
    "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
ROLES = ["<system>", "<user>", "<assistant>"]


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """One token for each printable character."""
    vocabulary = {token: place for place, token in enumerate(["<unk>", "</s>", *ROLES, *CHARACTERS])}
    plain = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain, eos_token="</s>", unk_token="<unk>", additional_special_tokens=ROLES
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def tiny_model(vocabulary: int = 2 + len(ROLES) + len(CHARACTERS)) -> LlamaForCausalLM:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        config = LlamaConfig(
            vocab_size=vocabulary,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=3,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=2048,
            tie_word_embeddings=True,
            initializer_range=0.3,
            eos_token_id=1,
            bos_token_id=None,
        )
        return LlamaForCausalLM(config)


def tiny_policy(**how: Any) -> Policy:
    return Policy(tiny_model(), tiny_tokenizer(), **{"max_tokens": 12, "seed": 5, **how})


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    folder = tmp_path_factory.mktemp("made") / "bench"
    return evolif.generate(folder, dialogues=3, turns=2, seed=4, profile="everyday")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def asked(text: str) -> ChatRequest:
    return ChatRequest((Message("user", text),))


async def answers(policy: Policy, texts: Sequence[str]) -> list[Sample]:
    seats = [policy.seat(place) for place in range(len(texts))]
    for seat in seats:
        policy.take(seat)
    await asyncio.gather(*(seat.complete(asked(text)) for seat, text in zip(seats, texts, strict=True)))
    for seat in seats:
        policy.leave(seat)
    return [sample for seat in seats for sample in seat.samples]


@torch.no_grad()
def likeliest(model: Any, prompt: Sequence[int], longest: int) -> tuple[int, ...]:
    """Without batches, fills or caches."""
    said: list[int] = []
    while len(said) < longest and (not said or said[-1] != 1):
        said.append(int(model(torch.tensor([[*prompt, *said]])).logits[0, -1].argmax()))
    return tuple(said)


def test_answers_of_a_batch_are_those_of_each_prompt_alone() -> None:
    policy = tiny_policy(temperature=0.0, batch=3)
    found = asyncio.run(answers(policy, ["Hi", "A longer prompt than that.", "Hi", "Hm?", "Why, and since when?"]))
    assert [one.answer for one in found] == [likeliest(policy.model, one.prompt, 12) for one in found]
    assert found[0] == found[2] != found[1]
    assert policy.tokens == sum(len(one.answer) for one in found)


def test_an_answer_ends_with_its_end_or_its_longest_length() -> None:
    found = asyncio.run(answers(tiny_policy(temperature=1.5, max_tokens=40), ["Say something."] * 24))
    assert all(one.truncated == (one.answer[-1] != 1) for one in found)
    assert all(1 not in one.answer[:-1] for one in found)
    assert {one.truncated for one in found} == {True, False}
    assert all(len(one.answer) == 40 for one in found if one.truncated)


def test_what_is_sampled_follows_from_the_seed_and_not_from_who_asks_first() -> None:
    async def in_order(order: Sequence[int]) -> list[Sample]:
        policy = tiny_policy()
        seats = [policy.seat(place) for place in range(4)]
        for seat in seats:
            policy.take(seat)
        await asyncio.gather(*(seats[place].complete(asked(f"Number {place}")) for place in order))
        return [seat.samples[0] for seat in seats]

    first = asyncio.run(in_order([0, 1, 2, 3]))
    assert first == asyncio.run(in_order([3, 1, 0, 2]))
    policy = tiny_policy(seed=6)
    assert first != asyncio.run(answers(policy, [f"Number {place}" for place in range(4)]))


def test_who_leaves_keeps_nobody_waiting() -> None:
    async def leave() -> Sample:
        policy = tiny_policy()
        stays, goes = policy.seat(0), policy.seat(1)
        policy.take(stays)
        policy.take(goes)
        answering = asyncio.create_task(stays.complete(asked("Hello?")))
        await asyncio.sleep(0)
        assert not answering.done()
        policy.leave(goes)
        await asyncio.wait_for(answering, 10)
        return stays.samples[0]

    assert asyncio.run(leave()).answer


def test_a_conversation_that_is_too_long_says_so() -> None:
    with pytest.raises(ContextOverflowError, match="longer than the model's context"):
        asyncio.run(answers(tiny_policy(), ["x" * 3000]))


@pytest.mark.parametrize(
    ("rewards", "scaled", "expected"),
    [
        ([1.0, 0.0], False, [0.5, -0.5]),
        ([1.0, None, 0.0, 0.5], False, [0.5, 0.0, -0.5, 0.0]),
        ([0.6, 0.4], True, [1.0, -1.0]),
        ([0.3, 0.3, 0.3], True, [0.0, 0.0, 0.0]),
        ([None, None], False, [0.0, 0.0]),
    ],
)
def test_advantages(rewards: list[float | None], scaled: bool, expected: list[float]) -> None:
    assert advantages(rewards, scaled=scaled) == pytest.approx(expected)


def chances(model: Any, sample: Sample, temperature: float = 1.0) -> torch.Tensor:
    """The log of how likely an answer is, from one plain pass."""
    logits = model(torch.tensor([[*sample.prompt, *sample.answer]])).logits[0, len(sample.prompt) - 1 : -1]
    every = (logits / temperature).log_softmax(dim=-1)
    return every.gather(1, torch.tensor(sample.answer)[:, None]).sum()


def test_the_gradient_is_that_of_a_plain_pass() -> None:
    model = tiny_model()
    samples = [Sample((2, 9, 9), (7, 8, 1), False), Sample((2, 9, 9), (5,), True), Sample((6, 6, 4, 3), (8, 8), True)]
    weighed = list(map(Weighed, samples, (0.5, -0.25, 1.0)))
    plain = -sum(one.advantage * chances(model, one.sample, 0.8) for one in weighed) / (3 * 10)
    weights = list(model.model.layers[-1].parameters())
    expected = torch.cat([part.flatten() for part in torch.autograd.grad(plain, weights)]).norm()
    learner = Learner(model, layers=1, temperature=0.8, rate=1e-3)
    assert learner.step(weighed, 10) == pytest.approx(float(expected), rel=1e-4)


def test_a_step_makes_what_earned_more_likelier_and_touches_the_last_layers_alone() -> None:
    model = tiny_model()
    good, bad = Sample((2, 9, 9), (7, 8, 1), False), Sample((2, 9, 9), (5, 5), True)
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    once = chances(model, good), chances(model, bad)
    assert Learner(model, layers=1, rate=1e-3).step([Weighed(good, 0.5), Weighed(bad, -0.5)], 3)
    assert chances(model, good) > once[0]
    assert chances(model, bad) < once[1]
    changed = {name for name, weight in model.state_dict().items() if not torch.equal(weight, before[name])}
    assert changed
    assert all(name.startswith("model.layers.2.") for name in changed)


def test_without_an_advantage_nothing_is_learned() -> None:
    model = tiny_model()
    before = model.state_dict()["model.layers.0.mlp.up_proj.weight"].clone()
    assert Learner(model, rate=1.0).step([Weighed(Sample((2,), (7,), True), 0.0)], 3) is None
    assert torch.equal(model.state_dict()["model.layers.0.mlp.up_proj.weight"], before)


def test_small_steps_add_up_in_sixteen_bits() -> None:
    model = tiny_model().to(torch.bfloat16)
    before = model.model.layers[0].mlp.up_proj.weight.detach().clone()
    learner = Learner(model, rate=1e-4)
    weighed = [Weighed(Sample((2, 9), (7, 8), True), 1.0), Weighed(Sample((2, 9), (5, 6), True), -1.0)]
    moved = []
    for _ in range(12):
        learner.step(weighed, 2)
        moved.append(float((model.model.layers[0].mlp.up_proj.weight != before).float().mean()))
    assert moved[0] < 0.5 < moved[-1]


def test_answers_that_end_become_likelier_where_that_is_what_earns() -> None:
    policy = tiny_policy(max_tokens=6, seed=1)
    learner = Learner(policy.model, rate=3e-3)
    shares = []
    for _ in range(25):
        samples = asyncio.run(answers(policy, ["Be brief."] * 16))
        rewards: list[float | None] = [float(not one.truncated) for one in samples]
        shares.append(sum(filter(None, rewards)) / len(rewards))
        learner.step(list(map(Weighed, samples, advantages(rewards))), 6)
    assert sum(shares[-5:]) / 5 > sum(shares[:5]) / 5 + 0.4


def test_every_turn_of_a_dialogue_has_its_sample_and_its_advantage(bench: Benchmark) -> None:
    policy = tiny_policy()
    groups = asyncio.run(play(policy, Gym(bench, max_turns=2, relevant=True, system_prompt=False), [1, 2], 3))
    assert [[one.rollout.dialogue for one in group] for group in groups] == [[1, 1, 1], [2, 2, 2]]
    for group in groups:
        for one in group:
            assert [turn.answer for turn in one.rollout.turns] == [policy.text(sample) for sample in one.samples]
            assert len(one.samples) == 2
            assert one.samples[1].prompt[: len(one.samples[0].prompt)] == one.samples[0].prompt
    weighed = weigh(groups, "dense", scaled=False)
    assert len(weighed) == 2 * 3 * 2
    for group in groups:
        for turn in range(2):
            own = {id(one.samples[turn]): one.rollout.rewards("dense")[turn] for one in group}
            found = [one.advantage for one in weighed if id(one.sample) in own]
            assert found == pytest.approx(advantages(list(own.values())))


def test_a_gain_is_tested_by_dialogue() -> None:
    before = {dialogue: 0.4 + 0.01 * (dialogue % 3) for dialogue in range(12)}
    after = {dialogue: value + 0.2 + 0.01 * (dialogue % 2) for dialogue, value in before.items()}
    found = gain(before, after | {99: 1.0})
    assert found["dialogues"] == 12
    assert found["difference"] == pytest.approx(0.205)
    assert found["interval"][0] > 0.19
    assert gain(before, before)["difference"] == 0
    assert gain({1: 0.5}, {1: 0.6})["interval"] is None


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights") / "tiny"
    tiny_model().save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder


def command(saved: Path, folder: Path, *more: str) -> int:
    flags = "--steps 2 --dialogues 2 --answers 2 --held-out 6 --max-tokens 6 --every 1 --dtype float32 --turns 2"
    return main(["--model", str(saved), "--log", str(folder / "log.jsonl"), *flags.split(), *more])


def records(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


def test_the_command_trains_evaluates_and_saves(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["--save", str(tmp_path / "trained"), "--rate", "0.01", "--scaled", "--any-answer"]
    more += ["--dialogues", "4", "--answers", "6", "--max-tokens", "12", "--temperature", "1.5"]
    assert command(saved, tmp_path, *more) == 0
    found = records(tmp_path / "log.jsonl")
    assert [record["kind"] for record in found] == [
        "settings", "floor", "held_out", "held_out", "step", "held_out", "step", "held_out", "held_out", "result",
    ]  # fmt: skip
    assert [(one["step"], one["answers"]) for one in found if one["kind"] == "held_out"] == [
        (0, "sampled"), (0, "likeliest"), (1, "sampled"), (2, "sampled"), (2, "likeliest"),
    ]  # fmt: skip
    assert set(found[1]["rewards"]) == {"empty", "echo", "refusal", "yes", "repeat"}
    assert found[1]["rewards"]["echo"] > found[1]["rewards"]["empty"] == 0
    assert any(one["telling"] and one["gradient"] for one in found if one["kind"] == "step")
    assert set(found[-1]) >= {"sampled", "likeliest", "minutes", "processor_minutes", "steps"}
    assert "held-out reward" in capsys.readouterr().out.splitlines()[-1]
    trained, _ = open_weights(str(tmp_path / "trained"), "cpu")
    assert not torch.equal(trained.model.layers[0].mlp.up_proj.weight, tiny_model().model.layers[0].mlp.up_proj.weight)


def test_a_policy_of_skills_learns_on_the_same_path(bench: Benchmark) -> None:
    policy = SkillPolicy()
    learner = SkillLearner(policy, rate=40.0)
    gym = Gym(bench, max_turns=2, relevant=True)
    means = []
    for step in range(6):
        policy.reseed(step)
        groups = asyncio.run(play(policy, gym, gym.dialogues, 6))
        rewards = [one.rollout.reward("dense") or 0.0 for group in groups for one in group]
        means.append(sum(rewards) / len(rewards))
        assert learner.step(weigh(groups, "dense", scaled=False), policy.max_tokens)
    assert means[-1] > means[0] + 0.15
    assert all(policy.chance(group) > 0.5 for group in policy.groups if group in policy.logits)


def test_the_command_trains_skills(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--log", str(tmp_path / "log.jsonl"), "--model", "skills", "--steps", "3", "--held-out", "6", "--split"]
    assert main([*flags, "--dialogues", "3", "--answers", "4", "--rate", "60", "--every", "3"]) == 0
    found = records(tmp_path / "log.jsonl")
    assert found[-1]["sampled"]["after"] > found[-1]["sampled"]["before"]
    assert main([*flags[2:], "--save", str(tmp_path / "kept"), "--log", str(tmp_path / "other.jsonl")]) == 2
    assert "nothing to save" in capsys.readouterr().err


def test_the_same_seed_gives_the_same_curve(saved: Path, tmp_path: Path) -> None:
    def curve(name: str, seed: str) -> list[Any]:
        assert command(saved, tmp_path / name, "--seed", seed) == 0
        return [
            {key: value for key, value in record.items() if "seconds" not in key}
            for record in records(tmp_path / name / "log.jsonl")
            if record["kind"] in ("step", "held_out")
        ]

    assert curve("once", "3") == curve("again", "3") != curve("other", "4")


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--model", "nowhere.gguf"], "there is no file nowhere.gguf"),
        (["--reward", "dens"], "there is no reward dens"),
        (["--profile", "everydai"], "everydai"),
        (["--bench", "no-such-folder"], "no-such-folder"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str], sentence: str
) -> None:
    assert command(saved, tmp_path, *flags) == 2
    said = capsys.readouterr().err
    assert said.startswith("Error: ")
    assert sentence in said
    assert said.count("\n") == 1


def test_a_log_is_not_written_over(saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log.jsonl").write_text("mine\n", encoding="utf-8")
    assert command(saved, tmp_path) == 2
    assert "log.jsonl exists; nothing is written over" in capsys.readouterr().err
    assert (tmp_path / "log.jsonl").read_text(encoding="utf-8") == "mine\n"


def test_a_model_without_a_chat_template_is_refused(saved: Path, tmp_path: Path) -> None:
    tiny_model().save_pretrained(tmp_path / "plain")
    tokenizer = tiny_tokenizer()
    tokenizer.chat_template = None
    tokenizer.save_pretrained(tmp_path / "plain")
    with pytest.raises(UsageError, match="has no chat template"):
        open_weights(str(tmp_path / "plain"), "cpu")
