"""Rules of choice: what nobody would ask for is not drawn, where something else can be."""

from collections import Counter
from itertools import islice, pairwise

import pytest

from evolif.errors import InputError
from evolif.scenarios.instructions.constraints import DrawContext, get_group
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.tracker.choice import MIN_COUNTABLE, VALUE_KINDS, Affinity, Choice, used_keywords
from evolif.scenarios.instructions.tracker.profile import parse_profile
from evolif.scenarios.instructions.turns import Topic
from evolif.util.rng import Stream

TOPICS = load_topics()
RULED = ("objective", "extended", "escalating")
PROFILES = {name: load_profile(name) for name in RULED}
PAPER = load_profile("paper")
KEEP_ALL = PAPER.keep.model_copy(update={"min_mean_constraints": 0.0})
# Many values each, and none closes another: something else is always open.
ROOMY = PAPER.model_copy(
    update={
        "groups": ("start_with", "end_with", "length", "forbidden", "bullets"),
        "choice": PROFILES["objective"].choice,
    }
)


def dialogues(profile, count, turns, topics=TOPICS):
    spec = ScriptSpec(profile, topics, 3)
    return [list(islice(script(spec, number), turns)) for number in range(1, count + 1)]


@pytest.fixture(scope="module")
def roomy():
    return dialogues(ROOMY, 12, 50)


def own_topic(**changes):
    words = [
        f"{word}{ending}" for word in ("kiln", "glaze", "ferry", "knife", "ticket") for ending in ("", "a", "b", "c")
    ]
    fields = {
        "id": "own",
        "prompt": "Ask away.",
        "keywords": tuple(words),
        "domain": "a domain of my own",
        "title": "it",
    }
    return Topic(**fields | changes)


# --- groups and values ------------------------------------------------------------------------------------------------


def modifies(turns):
    """Modifies with the operation of the turn before."""
    return [(b, a.operation) for a, b in pairwise(turns) if b.operation.kind == "modify"]


def test_a_modify_leaves_the_group_of_the_turn_before_to_others(roomy):
    pairs = [pair for turns in roomy for pair in modifies(turns) if len(pair[0].before) > 1]
    assert len(pairs) > 100
    assert [turn for turn, last in pairs if turn.operation.group == last.group] == []


def test_a_modify_leaves_the_group_that_its_topic_changed_last(roomy):
    last = {}
    for number, turns in enumerate(roomy):
        for turn in turns:
            key = number, turn.topic.id
            if turn.operation.kind == "modify" and len(turn.before) > 2:
                assert turn.operation.group != last[key]
            last[key] = turn.operation.group


def test_a_group_alone_is_modified_again(roomy):
    alone = [turn for turns in roomy for turn, last in modifies(turns) if turn.operation.group == last.group]
    assert alone
    assert all(len(turn.before) == 1 for turn in alone)


def returns(turns):
    """Turns that take parameters which their topic gave up."""
    given_up = {}
    for turn in turns:
        known = given_up.setdefault((turn.topic.id, turn.operation.group), [])
        if turn.operation.after in known:
            yield turn
        if turn.operation.before is not None:
            known.append(turn.operation.before)


def test_no_value_comes_back_to_its_topic(roomy):
    assert [turn for turns in roomy for turn in returns(turns)] == []


def test_without_the_rules_both_happen():
    drawn = dialogues(ROOMY.model_copy(update={"choice": None}), 12, 50)
    again = [
        t for turns in drawn for t, last in modifies(turns) if len(t.before) > 1 and t.operation.group == last.group
    ]
    assert len(again) > 20
    assert [turn for turns in drawn for turn in returns(turns)]


def test_a_value_comes_back_when_no_other_is_left():
    """One group of two values: a dialogue goes on although both were given up."""
    pools = {"emotion": {"values": ["happy", "sad"]}}
    profile = PAPER.model_copy(
        update={"groups": ("emotion",), "pools": pools, "choice": Choice(no_return=True), "keep": KEEP_ALL}
    )
    turns = dialogues(profile, 1, 30)[0]
    assert list(returns(turns))


def test_rather_one_constraint_more_than_a_value_again():
    pools = {**PAPER.pools, "emotion": {"values": ["happy", "sad"]}}
    visit = PAPER.visit.model_copy(update={"switch": 0.0})
    rules = {"pools": pools, "visit": visit, "keep": KEEP_ALL, "choice": Choice(no_return=True)}
    turns = dialogues(PAPER.model_copy(update={"groups": ("emotion", "length"), **rules}), 1, 40)[0]
    alone = [t for t in turns if [c.group for c in t.before] == ["emotion"] and t.operation.group == "emotion"]
    assert len(alone) <= 1


@pytest.mark.slow
def test_a_modify_that_became_an_add_is_made_up_for():
    """Groups of two values are soon used up; still, modifies are the profile's two in five, not one in three."""
    values = {"emotion": ["happy", "sad"], "audience": ["child", "adult"], "style": ["formal", "informal"]}
    groups = (*values, "bullets")
    pools = {**PAPER.pools, **{group: {"values": pair} for group, pair in values.items()}}
    profile = PAPER.model_copy(update={"groups": groups, "pools": pools, "choice": Choice(no_return=True)})
    turns = [t for turns in dialogues(profile, 10, 150) for t in turns if 2 <= len(t.before) < len(groups)]
    assert sum(t.operation.kind == "modify" for t in turns) > 0.4 * len(turns)


@pytest.mark.parametrize(
    ("group", "before", "after", "given_up", "expected"),
    [
        ("length", None, {"count": 5}, [{"count": 5}], True),
        ("length", None, {"count": 6}, [{"count": 5}], False),
        ("start_with", None, {"mode": "letter", "value": "K"}, [{"mode": "letter", "value": "k"}], True),
        ("start_with", None, {"mode": "keyword", "value": "k"}, [{"mode": "letter", "value": "k"}], False),
        ("end_with", None, {"mode": "emoji", "value": "🔑"}, [{"mode": "emoji", "value": "🔑"}], True),
        ("forbidden", {"keywords": ["a"]}, {"keywords": ["a", "b"]}, [{"keywords": ["b"]}], True),
        ("forbidden", {"keywords": ["a"]}, {"keywords": ["a", "c"]}, [{"keywords": ["b"]}, {"keywords": ["a"]}], False),
        ("forbidden", {"keywords": ["a", "b"]}, {"keywords": ["a"]}, [{"keywords": ["a"]}], True),
        ("forbidden", {"keywords": ["a", "b"]}, {"keywords": ["b"]}, [{"keywords": ["a"]}], False),
        ("existence", {"counts": {"a": 1}}, {"counts": {"a": 2}}, [{"counts": {"a": 2}}], True),
        ("existence", {"counts": {"a": 1}}, {"counts": {"a": 3}}, [{"counts": {"a": 2}}], False),
        ("existence", {"counts": {"a": 1}}, {"counts": {"a": 1, "b": 3}}, [{"counts": {"b": 2}}], True),
        ("existence", {"counts": {"a": 1, "b": 2}}, {"counts": {"a": 1}}, [{"counts": {"a": 1}}], True),
        ("existence", None, {"counts": {"c": 1}}, [{"counts": {"a": 1, "b": 2}}], False),
    ],
)
def test_what_counts_as_taken_back(group, before, after, given_up, expected):
    assert get_group(group).takes_back(after, before, given_up) is expected


# --- words -----------------------------------------------------------------------------------------------------------


def drawn_words(turns, group, key):
    return {word for turn in turns for c in turn.constraints if c.group == group for word in c.params[key]}


@pytest.mark.sampled
@pytest.mark.parametrize("name", RULED)
def test_no_word_of_the_task_is_forbidden(name):
    for turns in dialogues(PROFILES[name], 2, 50):
        for turn in turns:
            assert drawn_words([turn], "forbidden", "keywords").isdisjoint(used_keywords(turn.topic))


def test_a_word_is_used_in_any_form():
    topic = own_topic(
        title="the children's knives",
        prompt="Stopping a low-budget ferry with scars: glazed, and baked by two bakers. Кто ждёт паром?",
        keywords=(
            "child",
            "knife",
            "stop",
            "budget",
            "ferries",
            "glaze",
            "bake",
            "паром",
            "low budget",
            "ticket",
            "car",
        ),
    )
    assert used_keywords(topic) == set(topic.keywords) - {"ticket", "car"}


def test_a_topic_whose_every_keyword_is_used_forbids_nothing():
    words = own_topic().keywords
    topics = tuple(own_topic(id=f"T{n}", prompt=f"{n}: {', '.join(words)}.") for n in range(8))
    turns = dialogues(ROOMY, 2, 40, topics)
    assert not any(turn.operation.group == "forbidden" for part in turns for turn in part)
    free = ROOMY.model_copy(update={"choice": Choice(other_group=True)})
    assert any(turn.operation.group == "forbidden" for part in dialogues(free, 2, 40, topics) for turn in part)


def test_fillers_are_not_counted():
    profile = PAPER.model_copy(
        update={"groups": ("existence", "length"), "choice": Choice(fillers="built-in"), "keep": KEEP_ALL}
    )
    topics = tuple(own_topic(id=f"T{n}", keywords=("year", "useful", "new year", "Keep", *"abcd")) for n in range(8))
    counted = {
        word for turns in dialogues(profile, 3, 50, topics) for word in drawn_words(turns, "existence", "counts")
    }
    assert counted == set("abcd")


def test_with_too_few_others_fillers_are_counted():
    words = ("year", "useful", *"abcd"[: MIN_COUNTABLE - 1])
    assert Choice(fillers=("year", "useful")).for_topic(own_topic(keywords=words)).uncounted == frozenset()
    assert Choice(fillers=("year", "useful")).for_topic(own_topic(keywords=(*words, "c"))).uncounted == {
        "year",
        "useful",
    }


# --- affinity ---------------------------------------------------------------------------------------------------------

AFFINITY = Affinity.model_validate(
    {
        "default": {"emotion": {"angry": 0, "happy": 4}, "emoji": {"💀": 0}},
        "kinds": {
            "kitchen": {"domains": ["Cooking"], "weights": {"emoji": {"*": 0, "🍞": 3, "🧀": 1}}},
            "stage": {"domains": ["film"], "weights": {"emotion": {"angry": 2}}},
        },
    }
)


def test_weights_by_domain():
    assert AFFINITY.weights("cooking") == {"emotion": {"angry": 0, "happy": 4}, "emoji": {"*": 0, "🍞": 3, "🧀": 1}}
    assert AFFINITY.weights("film") == {"emotion": {"angry": 2, "happy": 4}, "emoji": {"💀": 0}}
    assert AFFINITY.weights("a domain of my own") == AFFINITY.weights("") == AFFINITY.default


def test_words_of_the_task_count_more_than_its_domain():
    grave = {"domains": ["health"], "words": ["dying", "late wife"], "weights": {"emotion": {"happy": 0}}}
    affinity = Affinity.model_validate(
        {**AFFINITY.model_dump(), "kinds": {**AFFINITY.model_dump()["kinds"], "g": grave}}
    )
    for prompt in ("My mother is dying.", "It was my LATE wife's recipe."):
        assert affinity.weights("cooking", prompt) == {"emotion": {"angry": 0, "happy": 0}, "emoji": {"💀": 0}}
    for prompt in ("", "We are studying.", "My wife is late."):
        assert affinity.weights("cooking", prompt) == AFFINITY.weights("cooking")
    assert affinity.for_groups({"emotion"}).weights("film", "They are dying.")["emotion"]["happy"] == 0
    assert "words" not in AFFINITY.model_dump()["kinds"]["kitchen"], "headers without words stay as they were"
    built_in = PROFILES["extended"].choice.affinity
    assert built_in.weights("parenting", "My mother is dying.") == built_in.weights("health")


def picks(domain, kind, values, **names):
    context = DrawContext((), {}, weights=AFFINITY.weights(domain))
    stream = Stream(4)
    return Counter(context.pick(stream, kind, values, **names) for _ in range(4000))


def test_values_are_drawn_in_proportion_to_their_weights():
    found = picks("cooking", "emoji", ["🍞", "🧀", "💀", "🔑"])
    assert set(found) == {"🍞", "🧀"}
    assert found["🍞"] / found["🧀"] == pytest.approx(3, rel=0.15)
    found = picks("", "emotion", ["angry", "happy", "wistful"])
    assert set(found) == {"happy", "wistful"}
    assert found["happy"] / found["wistful"] == pytest.approx(4, rel=0.15)


def test_values_of_ones_own_are_all_drawn():
    assert set(picks("cooking", "emoji", ["🪁", "🧵"])) == {"🪁", "🧵"}
    assert set(picks("cooking", "a kind of my own", ["x", "y"])) == {"x", "y"}


@pytest.mark.sampled
@pytest.mark.parametrize("name", RULED)
def test_no_value_of_weight_zero_is_in_a_script(name):
    kinds = {("punctuation", "include"): "marks", ("start_with", "emoji"): "emoji", ("end_with", "emoji"): "emoji"}
    seen = Counter()
    for turns in dialogues(PROFILES[name], 3, 50):
        for turn in turns:
            weights = PROFILES[name].choice.affinity.weights(turn.topic.domain, turn.topic.prompt)
            for constraint in turn.constraints:
                params = constraint.params
                kind = kinds.get((constraint.group, params.get("mode")), constraint.group)
                value = params.get("mark") or params.get("value") or params.get(kind)
                if kind in weights:
                    assert weights[kind].get(value, weights[kind].get("*", 1)) > 0
                    seen[kind] += 1
    drawn = {"marks", "emoji"} | ({"emotion", "audience", "style"} if name == "extended" else set())
    assert set(seen) == drawn


def test_the_built_in_weights_name_values_that_exist_and_leave_a_choice():
    edge, marks = get_group("start_with").data["pool"], get_group("punctuation").data["pool"]["include"]
    pools = {group: get_group(group).data["pool"]["values"] for group in ("emotion", "audience", "style")}
    pools |= {"emoji": edge["emoji"], "quotations": ["".join(pair) for pair in edge["quotations"]]}
    pools |= {"marks": [mark for mark, _ in marks]}
    affinity = PROFILES["extended"].choice.affinity
    assert affinity.named() == set(pools)
    for domain in ("", *(domain for kind in affinity.kinds.values() for domain in kind.domains)):
        for kind, weights in affinity.weights(domain).items():
            assert set(weights) <= {*pools[kind], "*"}
            assert sum(weights.get(value, weights.get("*", 1)) > 0 for value in pools[kind]) >= 3


def test_most_built_in_topics_are_of_a_kind():
    """A new domain belongs into `seeds/choice.yaml`, unless the weights for all topics suit it."""
    known = {domain for kind in PROFILES["objective"].choice.affinity.kinds.values() for domain in kind.domains}
    others = Counter(topic.domain for topic in TOPICS if topic.domain not in known)
    assert others.total() <= len(TOPICS) / 5, others


# --- as data of a profile --------------------------------------------------------------------------------------------


def test_which_profiles_have_rules():
    assert PAPER.choice is None
    assert "choice" not in PAPER.model_dump()
    for profile in PROFILES.values():
        rules = profile.choice
        assert rules.other_group and rules.no_return and rules.spare_task and rules.fillers and rules.affinity


@pytest.mark.parametrize("name", RULED)
def test_a_stored_profile_has_its_data_and_draws_the_same(name):
    stored = PROFILES[name].model_dump(mode="json")
    assert "built-in" not in str(stored["choice"])
    again = parse_profile(stored)
    assert again == PROFILES[name] == again.resolved()
    assert dialogues(again, 1, 30) == dialogues(PROFILES[name], 1, 30)


def test_a_profile_stores_only_weights_that_it_uses():
    assert PROFILES["objective"].choice.affinity.named() == set(VALUE_KINDS)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"affinity": {"default": {"emojis": {"🍞": 3}}}}, "choice.affinity has weights for emojis; use"),
        ({"affinity": {"default": {"emoji": {"🍞": -1}}}}, "must be at least 0, not -1"),
        ({"affinity": {"kinds": {"a": {"domains": ["x"]}, "b": {"domains": ["X"]}}}}, "a domain is of two kinds: x"),
        ({"affinity": "mine"}, "choice.affinity"),
        ({"other_groups": True}, "choice.other_groups"),
    ],
)
def test_wrong_rules_are_refused(choice, message):
    data = {**PAPER.model_dump(mode="json"), "choice": choice}
    with pytest.raises(InputError, match=message):
        parse_profile(data)
