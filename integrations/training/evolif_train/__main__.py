"""The command: `python -m evolif_train`."""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers

import evolif
from evolif.errors import EvolifError, UsageError
from evolif.gym import Gym, Stream
from evolif.gym.gym import reward_kind
from evolif.metrics.rewards import REWARD_KINDS
from evolif.scenario import Benchmark
from evolif.text import plural
from evolif_train.learning import Learner
from evolif_train.policy import Policy
from evolif_train.skills import NAME, SkillLearner, SkillPolicy
from evolif_train.training import Learns, Plan, Trainee, train, writer
from evolif_train.weights import open_weights

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def parser() -> argparse.ArgumentParser:
    """The flags."""
    made = argparse.ArgumentParser(
        prog="evolif-train", description="Train a language model on fresh dialogues of evolif."
    )
    model = made.add_argument_group("the model")
    model.add_argument(
        "--model",
        default="smollm2-135m",
        help="weights that evolif fetched, a GGUF file, or what transformers opens; skills is no language model, but a "
        "chance for each group of requirements (default: %(default)s)",
    )
    model.add_argument("--device", default="cpu", help="cpu, cuda, … (default: %(default)s)")
    model.add_argument(
        "--dtype",
        choices=tuple(_DTYPES),
        default="bfloat16",
        help="of the weights; the optimizer keeps 32 bits (default: %(default)s)",
    )
    model.add_argument("--layers", type=_count, metavar="N", help="train only the last N layers (default: all)")
    model.add_argument(
        "--threads", type=_count, default=1, metavar="N", help="of torch on a processor (default: %(default)s)"
    )
    task = made.add_argument_group("the dialogues")
    task.add_argument(
        "--profile", default="everyday", metavar="NAME|FILE", help="as evolif generate takes it (default: %(default)s)"
    )
    task.add_argument("--turns", type=_count, default=1, metavar="N", help="of each dialogue (default: %(default)s)")
    task.add_argument(
        "--held-out", type=_count, default=64, metavar="N", help="dialogues to evaluate on (default: %(default)s)"
    )
    task.add_argument("--bench", metavar="FOLDER", help="a benchmark to evaluate on, in place of a fresh one")
    task.add_argument(
        "--split",
        action="store_true",
        help="train on the kinds, topics, personas and wordings of the split train, and evaluate on those of test",
    )
    task.add_argument("--reward", default="dense", metavar="|".join(REWARD_KINDS), help="(default: %(default)s)")
    task.add_argument(
        "--system-prompt",
        action="store_true",
        help="tell the model how requirements are counted, as evolif evaluate does; about a thousand tokens",
    )
    task.add_argument("--any-answer", action="store_true", help="do not require answers to be about their task")
    learning = made.add_argument_group("learning")
    learning.add_argument("--steps", type=_count, default=30, metavar="N", help="(default: %(default)s)")
    learning.add_argument("--minutes", type=_positive, metavar="X", help="begin no step after X minutes")
    learning.add_argument(
        "--dialogues", type=_count, default=8, metavar="N", help="fresh ones in each step (default: %(default)s)"
    )
    learning.add_argument(
        "--answers",
        type=_several,
        default=8,
        metavar="K",
        help="how often each is played in its step (default: %(default)s)",
    )
    learning.add_argument(
        "--max-tokens", type=_count, default=48, metavar="N", help="longest answer (default: %(default)s)"
    )
    learning.add_argument(
        "--temperature", type=_positive, default=1.0, metavar="X", help="of sampling (default: %(default)s)"
    )
    learning.add_argument(
        "--rate", type=_positive, default=2e-5, metavar="X", help="learning rate (default: %(default)s)"
    )
    learning.add_argument("--scaled", action="store_true", help="divide advantages by their standard deviation")
    learning.add_argument("--seed", type=int, default=0, metavar="N", help="(default: %(default)s)")
    learning.add_argument(
        "--batch", type=_count, default=64, metavar="N", help="most answers at a time (default: %(default)s)"
    )
    record = made.add_argument_group("what is kept")
    record.add_argument(
        "--log",
        default="training.jsonl",
        metavar="FILE",
        help="steps, evaluations and result, as JSON Lines (default: %(default)s)",
    )
    record.add_argument(
        "--every", type=_count, default=10, metavar="N", help="steps between evaluations (default: %(default)s)"
    )
    record.add_argument(
        "--repeats",
        type=_count,
        default=1,
        metavar="N",
        help="how often an evaluation plays each dialogue (default: %(default)s)",
    )
    record.add_argument("--save", metavar="FOLDER", help="where the trained model goes, as save_pretrained writes it")
    return made


def main(given: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        given: Its arguments; those of the process if None.

    Returns:
        The exit code: 0 done, 2 wrong usage, 3 a fault from outside.
    """
    try:
        _run(parser().parse_args(given))
    except EvolifError as fault:
        print(f"Error: {fault}", file=sys.stderr)
        return 2 if isinstance(fault, UsageError) else 3
    except KeyboardInterrupt:
        return 130
    return 0


def _run(args: argparse.Namespace) -> None:
    reward = reward_kind(args.reward)
    for taken in filter(None, (args.log, args.save)):
        if Path(taken).exists():
            raise UsageError(f"{taken} exists; nothing is written over, so name another")
    torch.set_num_threads(args.threads)
    options = {"profile": args.profile, "turns": args.turns}
    with tempfile.TemporaryDirectory(prefix="evolif-train-") as folder:
        held_out = _held_out(args, options, Path(folder) / "held-out")
        open_gym = partial(Gym, max_turns=args.turns, relevant=not args.any_answer, system_prompt=args.system_prompt)
        open_gym(held_out)  # what cannot be played is refused before a model is opened
        policy, learner, save = _opened(args)
        write = writer(Path(args.log))
        plan = Plan(
            steps=args.steps,
            dialogues=args.dialogues,
            answers=args.answers,
            reward=reward,
            scaled=args.scaled,
            every=args.every,
            repeats=args.repeats,
            minutes=args.minutes,
            seed=args.seed,
        )
        told = {name: value for name, value in vars(args).items() if name not in ("log", "save")}
        write({"kind": "settings", **told, "held_out_identity": held_out.identity, "versions": _versions()})
        trained = {**options, "split": "train"} if args.split else options
        with Stream(dialogues=args.dialogues, options=trained, seed=args.seed) as stream:
            result = train(policy, learner, stream, held_out, plan, open_gym, _told(write))
    if args.save:
        save(args.save)
    print(_sentence(result))


def _opened(args: argparse.Namespace) -> tuple[Trainee, Learns, Callable[[str], None]]:
    """What is trained, what trains it, and what saves it in a folder."""
    if args.model == NAME:
        if args.save:
            raise UsageError(f"{NAME} is no language model and has nothing to save; the log has its rewards")
        skills = SkillPolicy(temperature=args.temperature)
        return skills, SkillLearner(skills, rate=args.rate), lambda folder: None
    model, tokenizer = open_weights(args.model, args.device)
    policy = Policy(
        model,
        tokenizer,
        name=f"policy/{Path(args.model).name}",
        max_tokens=args.max_tokens,
        temperature=args.temperature,
        batch=args.batch,
    )
    learner = Learner(
        model, dtype=_DTYPES[args.dtype], layers=args.layers, rate=args.rate, temperature=args.temperature
    )

    def save(folder: str) -> None:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)

    return policy, learner, save


def _held_out(args: argparse.Namespace, options: dict[str, Any], folder: Path) -> Benchmark:
    """The benchmark to evaluate on: one with a seed that no stream has, since theirs are larger."""
    if args.bench:
        return evolif.load_benchmark(args.bench)
    settings: dict[str, Any] = {**options, **({"split": "test"} if args.split else {})}
    made: Benchmark = evolif.generate(folder, dialogues=args.held_out, seed=1, **settings)
    return made


def _told(write: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    """Also prints a line for each step and evaluation."""

    def told(record: dict[str, Any]) -> None:
        write(record)
        if record["kind"] == "step":
            reward, seconds = _figure(record["reward"]), round(record["seconds"])
            print(f"step {record['step']}: reward {reward}, {seconds} s", flush=True)
        elif record["kind"] == "held_out":
            reward, good = _figure(record["reward"]), _figure(record["good_turns"])
            after = plural(record["step"], "step")
            print(
                f"held out after {after}, {record['answers']} answers: reward {reward}, good turns {good}", flush=True
            )

    return told


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _sentence(result: dict[str, Any]) -> str:
    gain = result["sampled"]
    ends = gain["interval"]
    interval = "too few dialogues for an interval" if ends is None else f"95 % from {ends[0]:+.3f} to {ends[1]:+.3f}"
    return (
        f"held-out reward {gain['before']:.3f} → {gain['after']:.3f}: {gain['difference']:+.3f}, {interval}; "
        f"{plural(result['steps'], 'step')} in {result['minutes']} minutes"
    )


def _versions() -> dict[str, str]:
    return {
        "evolif": evolif.__version__,
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "python": platform.python_version(),
    }


def _number(text: str, read: Callable[[str], float]) -> float:
    try:
        return read(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no number that fits here") from None


def _count(text: str) -> int:
    number = int(_number(text, int))
    if number < 1:
        raise argparse.ArgumentTypeError("it must be at least 1")
    return number


def _several(text: str) -> int:
    number = _count(text)
    if number < 2:
        raise argparse.ArgumentTypeError("it must be at least 2: what one answer earns is compared with the others")
    return number


def _positive(text: str) -> float:
    number = _number(text, float)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("it must be above 0")
    return number


if __name__ == "__main__":
    sys.exit(main())
