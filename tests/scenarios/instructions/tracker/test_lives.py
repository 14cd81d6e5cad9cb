"""Lives that hold: topics fit who asks and each other, and come in an order that depends on the dialogue alone."""

from collections import Counter
from itertools import combinations, islice

import pytest

from evolif.errors import InputError
from evolif.scenarios.instructions.synthesis import load_personas, persona_for
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, script
from evolif.scenarios.instructions.tracker.lives import Life, check_facts, load_facts, read_facts
from evolif.scenarios.instructions.tracker.profile import load_topics_of
from evolif.scenarios.instructions.tracker.topic_order import FittingDraw, OrderedTopics, nearly_same
from evolif.scenarios.instructions.turns import Persona, Topic
from evolif.util.rng import Stream

FACTS, PERSONAS = load_facts(), load_personas()
PROFILE = load_profile("everyday")
TOPICS = load_topics_of(PROFILE)
LEAST_FITTING, LEAST_FREE = 120, 0.3


def topic(name, *asker, apart=(), prompt="", keywords=()):
    return Topic(name, prompt or f"{name} asks what nobody else does {name}", keywords, asker=asker, apart=apart)


def person(*facts, cannot=()):
    return Persona("P", "Somebody.", ("talks",), facts=frozenset(facts), cannot=frozenset(cannot))


def test_every_persona_has_enough_topics_and_many_topics_presuppose_nothing():
    for persona in PERSONAS:
        life = Life(persona, FACTS)
        assert sum(map(life.allows, TOPICS)) >= LEAST_FITTING, persona.id
    assert sum(not one.asker for one in TOPICS) / len(TOPICS) >= LEAST_FREE


def test_no_packaged_topic_or_persona_contradicts_itself():
    check_facts(TOPICS)
    for one in TOPICS:
        assert not FACTS.ruled_out(one.asker) & set(one.asker), one.id
    for persona in PERSONAS:
        assert not FACTS.unknown(persona.facts | persona.cannot), persona.id
        assert not persona.facts & (FACTS.ruled_out(persona.facts) | persona.cannot), persona.id


@pytest.mark.parametrize(
    ("life", "asked", "allowed"),
    [
        (person("owner_occupier"), topic("a", "tenant"), False),
        (person("tenant"), topic("a", "tenant"), True),
        (person(), topic("a", "tenant"), True),
        (person(cannot=["sporty"]), topic("a", "sporty"), False),
        (person("retired"), topic("a", "school_pupil"), False),
        (person("retired"), topic("a"), True),
    ],
)
def test_what_holds_of_a_persona_decides_what_it_asks(life, asked, allowed):
    assert Life(life, FACTS).allows(asked) is allowed


def test_what_was_asked_holds_to_the_end():
    life = Life(person(), FACTS)
    life.add(topic("a", "tenant"))
    assert not life.allows(topic("b", "owner_occupier")) and life.allows(topic("c", "tenant"))
    life.add(topic("d", "teacher"))
    assert not life.allows(topic("e", "teacher")), "two schools are two lives"
    life.add(topic("f", apart=("brother",)))
    assert not life.allows(topic("g", apart=("brother", "meat"))) and life.allows(topic("h", apart=("meat",)))


@pytest.mark.parametrize("number", [3, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["everyday", "objective", "extended"])
def test_the_lives_of_drawn_dialogues_hold(name, number):
    profile = load_profile(name)
    topics = load_topics_of(profile)
    spec = ScriptSpec(profile, topics, 5, PERSONAS)
    for dialogue in range(1, number + 1):
        persona = persona_for(PERSONAS, 5, dialogue)
        asked = list({turn.topic.id: turn.topic for turn in islice(script(spec, dialogue), 50)}.values())
        held = persona.facts.union(*(one.asker for one in asked))
        assert not held & (FACTS.ruled_out(held) | persona.cannot), dialogue
        for one, other in combinations(asked, 2):
            assert not nearly_same(one, other)
            shared = set(one.asker) & set(other.asker) & FACTS.once.keys()
            assert not shared and not set(one.apart) & set(other.apart)


def test_no_topic_comes_twice_as_long_as_others_are_unused():
    used = Counter()
    for dialogue in range(1, 101):
        draw = FittingDraw(TOPICS, Life(person(), FACTS), 3, dialogue, Stream(1, dialogue))
        taken = []
        for _ in range(4):
            taken.append(draw.take(taken))
        used.update(one.id for one in taken)
    assert sum(count > 1 for count in used.values()) <= 12, "only where lives do not fit"
    assert len(used) > 385


def test_the_blocks_are_gone_through_from_behind_before_another_order_begins():
    catalogue = tuple(topic(f"T{number}") for number in range(32))
    first = [[one.id for one in islice(OrderedTopics(catalogue, 1, at).candidates(), 8)] for at in range(1, 5)]
    second = [[one.id for one in islice(OrderedTopics(catalogue, 1, at).candidates(), 8)] for at in range(5, 9)]
    assert sorted(name for block in first for name in block) == sorted(one.id for one in catalogue)
    assert [block[::-1] for block in second] == first
    assert [one.id for one in islice(OrderedTopics(catalogue, 1, 9).candidates(), 8)] not in first


def test_a_dialogue_takes_its_topics_alone_as_among_others():
    spec = ScriptSpec(PROFILE, TOPICS, 8, PERSONAS)
    alone = [turn.topic.id for turn in islice(script(spec, 13), 12)]
    running = [script(spec, number) for number in (12, 13, 14)]
    assert [next(turns[1] for turns in [[next(one) for one in running]]).topic.id for _ in range(12)] == alone


def test_topics_that_share_most_of_their_words_or_keywords_are_nearly_the_same():
    one = topic(
        "a", prompt="My landlord wants to raise the rent by a tenth.", keywords=("rent", "landlord", "law", "tenth")
    )
    same_words = topic("b", prompt="My landlord wants to raise the rent by a fifth.")
    same_keywords = topic("c", prompt="Something else.", keywords=("rent", "landlord", "law", "tenth", "cat"))
    other = topic("d", prompt="How do whales sleep?", keywords=("whale", "law"))
    assert nearly_same(one, same_words) and nearly_same(one, same_keywords) and not nearly_same(one, other)


def test_a_catalogue_of_which_nothing_fits_still_gives_a_first_topic():
    draw = FittingDraw(
        (topic("a", "tenant"), topic("b", "tenant")), Life(person("owner_occupier"), FACTS), 1, 1, Stream(1)
    )
    assert draw.can_take([])
    first = draw.take([])
    assert not draw.can_take([first])


def test_an_unknown_fact_is_refused_with_the_one_that_was_meant():
    with pytest.raises(InputError, match=r"topic a: there is no fact “tennant” \(did you mean tenant"):
        check_facts([topic("a", "tennant")])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("facts: {a: {family: home, means: xyz}}\nexcludes: {a: [b]}\n", "two different facts"),
        ("facts: {a: {family: moon, means: xyz}}\nexcludes: {}\n", "family"),
        ("facts: {}\nexcludes: {}\n", "facts"),
    ],
)
def test_a_broken_list_of_facts_says_what_is_wrong(tmp_path, text, told):
    (tmp_path / "facts.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_facts(tmp_path / "facts.yaml")
