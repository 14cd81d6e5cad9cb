"""What the generators of games promise, over many instances, and what their simulated players reach.

For each game: instances a second, shares of answers and of proofs, how well a guess from one part does, and how long a
part is beside what its player may say. Then the players: the scripted pair at each number of turns, and guess-and-check
beside its closed form. The floors of chess and names are those that `seeds/games/floors.yaml` stores, the shares of
questions those in `evolif/scenarios/games/questions.py`.

.venv/bin/python benchmarks/games.py [instances [dialogues]]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from scipy.stats import chisquare

from evolif.scenarios.games import SubwordTokenizer, budget, guess_and_check, private_image, private_text, shared_rows
from evolif.scenarios.games import boards as chess
from evolif.scenarios.games import names as tables
from evolif.scenarios.games.boards import order_key
from evolif.scenarios.games.instance import generate
from evolif.scenarios.games.matching import proof_of
from evolif.scenarios.games.players import player_of
from evolif.scenarios.games.questions import CHAIN_FLOORS, FAMILIES, guessed_share, one_sided_share
from evolif.scenarios.games.scenes import GRIDS, Modality
from evolif.scenarios.games.self_play import rehearse
from evolif.scenarios.games.tables import SIZES
from evolif.util.rng import Stream

TURNS = (2, 4, 8, 16)
SEED = 1


def make(game: str, instances: int, **settings: Any) -> list[Mapping[str, Any]]:
    """Instances, and how many of them a second of processor time makes."""
    generate(game, 0, seed=SEED, **settings)  # the floor, where it must be measured, is no part of it
    start = time.process_time()
    made = [generate(game, number, seed=SEED, **settings) for number in range(instances)]
    print(f"{game} {settings or ''}: {instances / (time.process_time() - start):,.0f} instances a second")
    return made


def uniform(counts: Counter[Any], values: list[Any]) -> str:
    """Whether counts may be of a uniform distribution."""
    return f"chi-square p = {chisquare([counts[value] for value in values]).pvalue:.3f}"


def parts(made: list[Mapping[str, Any]]) -> None:
    """The shortest private part beside what its player may say."""
    tokenizer = SubwordTokenizer()
    fewest = min(len(tokenizer.spans(private_text(one, player))) for one in made for player in (0, 1))
    print(f"  shortest part {fewest} tokens, {fewest / budget(256, 2)['tokens_per_player']:.2f} times what may be said")


def boards(instances: int) -> None:
    """The promises of chess."""
    made = make("chess", instances)
    wrong = 0
    for one in made:
        keys = [order_key(part["board"]) for part in one["private"]]
        wrong += (keys[0] < keys[1]) != (one["answer"][0] == "MINE")
    pawns = sum(one["proof"] == "pawns" for one in made) / instances
    counts = Counter(one["answer"][0] for one in made)
    print(f"  proofs wrong {wrong}; pawns decide {pawns:.3f}; answers {uniform(counts, ['MINE', 'YOURS'])}")
    floor = chess.measured_floor(chess.BoardSettings(), instances)
    print(f"  best guess from one side {floor:.4f}; chance 0.5000")
    parts(made)


def names(instances: int, n: int) -> None:
    """The promises of names."""
    made = make("names", instances, n=n)
    wrong = sum(shared_rows(*one["private"]) != [one["answer"]] for one in made)
    rows = list(range(1, n + 1))
    answers = [uniform(Counter(one["answer"][player] for one in made), rows) for player in (0, 1)]
    print(f"  proofs wrong {wrong}; answers {', '.join(answers)}")
    floor = tables.measured_floor(tables.TableSettings(n=n), instances)
    print(f"  best guess from one side {floor:.4f}; chance {1 / n:.4f}")
    parts(made)


def images(game: str, instances: int, modality: Modality) -> None:
    """The promises of scenes and shapes."""
    made = make(game, instances, modality=modality)
    wrong = sum(proof_of(game, one["private"]) != one["proof"] for one in made)
    wrong += sum((0 in one["proof"]["differences"]) == (one["answer"][1] == "none") for one in made)
    places = [*range(made[0]["public"]["images"]), "none"]
    print(f"  proofs wrong {wrong}; answers {uniform(Counter(one['answer'][1] for one in made), places)}")
    if modality == "text":
        parts(made)
        return
    start = time.process_time()
    for one in made:
        private_image(one, 0), private_image(one, 1)
    print(f"  pictures of {instances / (time.process_time() - start):,.0f} instances a second")


def questions(instances: int, modality: Modality) -> None:
    """The promises of questions: what one side tells, by family."""
    made = make("questions", instances, modality=modality)
    if modality == "text":
        parts(made)
    stream = Stream(SEED)
    for family in FAMILIES:
        made = [generate("questions", at, seed=SEED, modality=modality, family=family) for at in range(instances)]
        share = sum(one_sided_share(stream, one, player) for one in made for player in (0, 1)) / (2 * instances)
        guessed = sum(guessed_share(stream, one, player) for one in made for player in (0, 1)) / (2 * instances)
        stated = CHAIN_FLOORS[modality, family]
        guess = accuracy("floor", "questions", 2, instances, modality=modality, family=family)
        told = f"one-sided share {share:.3f}, of the guess {guessed:.3f}, stated {stated:.3f}"
        print(f"  {family}: {told}; best guess {guess}", flush=True)


def accuracy(name: str, game: str, turns: int, dialogues: int, **settings: Any) -> str:
    """How often a simulated player is right with itself as its partner, and how many of its turns were cut."""
    rule, tokenizer = player_of(name), SubwordTokenizer()
    assert rule is not None
    right = cut = 0
    for number in range(dialogues):
        instance = generate(game, number, seed=SEED, **settings)
        done = rehearse(instance, [rule, rule], turns, tokenizer)
        right += done["reason"] == "correct"
        cut += done["truncated"]
    return f"{right / dialogues:7.4f}" + (f" ({cut} turns cut)" if cut else "")


def main(instances: int = 1_000, dialogues: int = 1_000) -> None:
    """Print all of it."""
    boards(instances)
    for n in SIZES:
        names(instances, n)
    for modality in GRIDS:
        for game in ("scenes", "shapes"):
            images(game, instances, modality)
            for name in ("scripted", "floor"):
                told = (accuracy(name, game, turns, dialogues, modality=modality) for turns in TURNS)
                print(f"{game} {modality} {name}", *told)
        questions(instances, modality)
        told = (accuracy("scripted", "questions", turns, dialogues, modality=modality) for turns in TURNS)
        print(f"questions {modality} scripted", *told)
    for name in ("scripted", "floor"):
        print(f"chess {name}", *(accuracy(name, "chess", turns, dialogues) for turns in TURNS))
    for n in SIZES:
        print(f"names {n} floor", accuracy("floor", "names", 2, dialogues, n=n))
        for turns in TURNS:
            closed = guess_and_check(n, turns)
            told = accuracy("guess-and-check", "names", turns, dialogues, n=n)
            print(f"names {n}, {turns:2} turns: guess-and-check {told}, closed form {closed:.4f};", end=" ")
            print("scripted", accuracy("scripted", "names", turns, dialogues, n=n), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
